"""The commands about whole corpora, tables and the shell: stats, release, spark, rules, completion."""

from __future__ import annotations

import json
import os
import re
import sys
from bisect import bisect_left
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.commands import (
    format_in,
    guard_files,
    inform,
    open_output,
    opened_corpora,
    reporting,
    say,
    say_skipped,
    settings_of,
    write_output,
)
from sejongud.errors import SejongudError, UsageError, require
from sejongud.formats import READERS
from sejongud.rules import Rules, load
from sejongud.rules.tables import SCHEMAS
from sejongud.terminal import clean, counted, data_text, table

if TYPE_CHECKING:
    from argparse import Namespace
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from sejongud.errors import Report
    from sejongud.model import Sentence
    from sejongud.statistics import Statistics

# --- stats ----------------------------------------------------------------------------------------


_TOP = 10
_SUMMARY = ("shortest", "median", "mean", "95 % up to", "longest")


def stats(args: Namespace) -> int:
    """Count words and tags at five levels of granularity: Table 2.1 of the memoir for any input.

    The counts are sums over all inputs. The command counts sentences and eojeols; at each level the
    tokens (words), the ratio of morphologically complex words (MCW: words with two morphemes or more)
    and the immediate non-terminals (NT: different XPOS); then UPOS, the most frequent XPOS, and
    lengths. If a corpus has frames (memoir, Tables 3.9 to 3.11) or constituents, they are counted too.
    """
    from sejongud.statistics import collect
    from sejongud.statistics.layers import LayerStatistics

    layers = LayerStatistics()
    with reporting(args) as report:
        sentences = layers.counted(_sentences_of(args, report))
        statistics = collect(sentences, load(args.rules), upos=args.upos)
    limit = args.limit or None
    if args.to == "json":
        write_output(args, {**statistics.to_dict(limit), **layers.to_dict(limit)})
    elif args.to == "text":
        top = sys.maxsize if args.limit == 0 else limit or _TOP
        write_output(args, _as_text(statistics, top) + layers.as_text(top))
    else:
        cells = statistics.to_dataframe(limit, layers.rows(limit))
        write_output(args, data_text(args.to, [cells.columns, *cells.itertuples(index=False)]))
    return 1 if report.errors else 0


def _sentences_of(args: Namespace, report: Report) -> Iterator[Sentence]:
    """Yield the sentences of all inputs."""
    from sejongud.converters.jobs import Conversion

    for source in opened_corpora(args, args.inputs, lambda name, _: name in READERS):
        name = format_in(args, source)
        reader = Conversion(name, on_error=args.on_error, rules=args.rules).make_reader()
        yield from reader.read_file(source, args.on_error, report)


def _as_text(statistics: Statistics, top: int) -> str:
    """Return the statistics as tables to look at."""
    from sejongud.statistics import by_frequency, level_rows

    levels = statistics.levels.values()
    columns = [f"Level {level}" for level in statistics.levels]
    tags = dict.fromkeys([tag for of in levels for tag in sorted(of.upos)])
    upos = [
        [tag, *[f"{of.upos[tag]:,}" if tag in of.upos else "" for of in levels]] for tag in tags
    ]
    ranked = [[f"{tag} {n:,}" for tag, n in by_frequency(of.xpos)[:top]] for of in levels]
    xpos = [[f"{n}", *row] for n, row in enumerate(zip_longest(*ranked, fillvalue=""), 1)]
    lengths = [[name, *_summary(counts)] for name, counts in statistics.lengths.items()]
    parts = [
        counted(statistics.sentences, "sentence[s]"),
        counted(statistics.eojeols, "eojeol[s]"),
        counted(statistics.distinct_eojeols, "distinct eojeol[s]"),
        f"\n{_table(columns, level_rows(levels))}",
        f"UPOS\n{_table(columns, upos)}",
        f"XPOS, the {top} most frequent\n{_table(columns, xpos)}",
        f"Lengths\n{_table(_SUMMARY, lengths)}",
    ]
    return "\n".join(parts)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; its columns are one cell wider than their values."""
    cells = [[name, *[f" {cell}" for cell in row]] for name, *row in rows]
    return table(cells, header=["", *header], gap=1) if cells else "(nothing)\n"


def _summary(counts: Counter[int]) -> list[str]:
    """Return the numbers of `_SUMMARY` of a distribution of lengths."""
    if not counts:
        return ["0", "0", "0.00", "0", "0"]
    lengths = sorted(counts)
    not_above = list(accumulate([counts[length] for length in lengths]))
    total = not_above[-1]
    # A quantile is the least length that at least this share of all lengths do not exceed.
    shortest, median, most, longest = [
        str(lengths[bisect_left(not_above, share * total)]) for share in (0, 0.5, 0.95, 1)
    ]
    mean = sum(length * count for length, count in counts.items()) / total
    return [shortest, median, f"{mean:.2f}", most, longest]


# --- release --------------------------------------------------------------------------------------


_VERIFY, _INIT = "verify", "init"


_OPTIONS = {_VERIFY: (), _INIT: ("output",), "": ("output", "force", "report", "within")}
"""The options that go with each way to call the command."""


def release(args: Namespace) -> int:
    """Build a dataset from a recipe, verify a dataset that was built, or sketch a recipe.

    `release RECIPE.toml [OUT]` converts the inputs that the recipe names, splits them into train, dev
    and test, checks that every conversion can be undone, and counts words, entities and relations. It
    writes a folder with data, dataset card, licence, citation, manifest and SHA256SUMS. The same recipe
    and inputs give the same bytes. The folder appears when it is complete. An untouched release of the
    same recipe is replaced, another release only with --force, and any other folder never.

    `release verify DIR` compares every file with SHA256SUMS and the manifest, and names each file that
    was changed, is missing or was added. Rules, encoding and error handling are set in the recipe, not
    by options, so the recipe fully documents the release.

    `release init FILE...` writes a recipe for these files, those in folders included, to standard
    output, or to the file of -o. The recipe has every key, explained. Files such as x-train.conllu and
    x-test.conllu keep their parts.
    """
    way = args.recipe if args.recipe in _OPTIONS else ""
    for other, names in _OPTIONS.items():
        for name in names if other != way else ():
            if getattr(args, name) and name not in (*_OPTIONS[way], *["force"] * (way == _INIT)):
                shown = {_VERIFY: f"{_VERIFY} DIR", _INIT: f"{_INIT} FILE...", "": "RECIPE.toml"}
                option = "log" if name == "report" else name
                raise UsageError(f"--{option} goes with sejongud release {shown[other]}")
    if way == _INIT:
        return _init(args)
    if args.output is not None:
        args.others.append(args.output)
    if len(args.others) > 1:
        raise UsageError(f"there is one folder too many: {' '.join(args.others[1:])}")
    args.folder = args.others[0] if args.others else None
    return _verify(args) if way == _VERIFY else _build(args)


def _init(args: Namespace) -> int:
    from sejongud.files import atomic_output
    from sejongud.release import sketch

    folder = Path(args.output).parent if args.output else Path()
    skipped: dict[str, str] = {}
    text = sketch(args.others, folder, skipped)
    say_skipped(args, skipped)
    if args.output is None:
        sys.stdout.write(clean(text, keep="\n"))
        return 0
    if Path(args.output).exists() and not args.force:
        raise UsageError(f"{args.output} exists: name another file, or replace it with --force")
    with atomic_output(args.output) as out:
        out.write(text)
    return 0


def _build(args: Namespace) -> int:
    from sejongud.release import build, load_recipe

    if args.report:
        recipe = load_recipe(args.recipe, args.within)
        guard_files(args, map(recipe.resolve, recipe.files))
        target = Path(args.folder or recipe.release_name)
        if target.resolve() in Path(args.report).resolve().parents:
            raise UsageError(f"--log {args.report} would be a file of the release: name another")
    with reporting(args) as report:
        release = build(
            args.recipe,
            args.folder,
            jobs=args.jobs,
            within=args.within,
            force=args.force,
            report=report,
            progress=args.progress and not args.quiet,
            say=None if args.quiet else say,
        )
        # As sha256sum prints it; `verify` prints the digest too.
        sys.stdout.write(clean(f"{release.digest}  {release.folder}/SHA256SUMS") + "\n")
        return 1 if report.errors else 0


def _verify(args: Namespace) -> int:
    from sejongud.release import verify

    if args.folder is None:
        raise UsageError("which release? sejongud release verify DIR")
    found = verify(args.folder)
    sys.stdout.writelines([clean(str(finding)) + "\n" for finding in found.findings])
    sys.stdout.flush()
    if found.digest:
        inform(args, f"SHA-256 of SHA256SUMS: {found.digest}")
    what = "whole" if found.ok else f"not whole: {counted(len(found.findings), 'finding[s]')}"
    inform(args, f"{found.folder}: {counted(found.files, 'file[s]')}, {what}")
    return 0 if found.ok else 1


# --- spark ----------------------------------------------------------------------------------------


def spark(args: Namespace) -> int:
    """Convert corpora on a cluster of Apache Spark, or on the processors of one machine.

    `spark convert IN … OUT` writes the folder OUT, whose parts, one behind the other, are what one
    process of `sejongud convert` writes; it appears when all of it is written. IN is a file, a folder
    or a pattern ('corpus/*.txt'). Raw text is read with --from text. Under spark-submit, which takes a
    script of Python, the command is

        spark-submit --master … "$(sejongud spark script)" convert IN … OUT --level 5

    The workers need the package as well. They run the Python of the driver, unless PYSPARK_PYTHON or
    spark.pyspark.python names another.
    """
    if args.action == "script":
        import sejongud.spark

        print(Path(sejongud.spark.__file__).with_name("submit.py"))
        return 0
    session = _session(args.master)
    try:
        return _convert(args, session)
    finally:
        session.stop()


def _session(master: str | None) -> SparkSession:
    """Return the session of spark-submit, or a new one.

    Raises:
        MissingExtraError: pyspark is not installed.
        SejongudError: there is no Java.
    """
    import shutil

    sql = require("pyspark.sql", "spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise SejongudError("Spark needs Java 17 or later: install it, or set JAVA_HOME")
    builder = sql.SparkSession.builder.appName("sejongud")
    session: SparkSession = (builder.master(master) if master else builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _convert(args: Namespace, session: SparkSession) -> int:
    from pyspark.sql import Observation, functions

    from sejongud.commands.convert import feats_of
    from sejongud.converters.jobs import Conversion
    from sejongud.spark import convert, read_sentences, write_text

    sentences = read_sentences(
        session, args.inputs, args.from_, encoding=args.encoding, rules=args.rules
    )
    options = settings_of(args, Conversion) | {"feats": feats_of(args)}
    written = convert(sentences, to=args.to, **options)
    # Incidents and errors are counted while the sentences are written.
    seen = Observation()
    sums = {"incidents": "incidents", "errors": "filter(incidents, one -> one.code LIKE 'E%')"}
    observed = [
        functions.sum(functions.expr(f"size({some})")).alias(name) for name, some in sums.items()
    ]
    count = write_text(written.observe(seen, *observed), args.output)
    found: dict[str, Any] = seen.get
    errors = found["errors"] or 0
    said = f"{counted(count, 'sentence[s]')} in {args.output}"
    said += f", {counted(found['incidents'] or 0, 'incident[s]')}"
    said += f", {counted(errors, 'of them [an error|errors]')}"
    inform(args, f"{said}: sejongud.spark.incidents lists them")
    return 1 if errors else 0


# --- rules ----------------------------------------------------------------------------------------


def writes(args: Namespace) -> tuple[str, ...]:
    """Return the form of the list, or of a table."""
    is_toml = args.name in load(args.rules).toml_names
    return ("text",) if args.action is None else ("toml",) if is_toml else ("tsv",)


def rules(args: Namespace) -> int:
    """List the linguistic tables, or print a table with the user's rows.

    Without arguments the command prints a line for each table: its name, its purpose, and the user's
    file that is laid over it (--rules DIR). `show NAME` prints a table with the user's rows as TSV
    (or TOML). A user's file has the columns of the table and contains only the rows that differ, or,
    below the line #!replace, all rows.
    """
    rules = load(args.rules)
    if args.action is None:
        _check(rules)
        lines = listing(rules)
    elif args.name in rules.names:
        lines = shown(rules, args.name)
    else:
        wrong = f"no table {args.name}" if args.name else "show needs the name of a table"
        raise UsageError(f"{wrong}; there are: {', '.join(rules.names)}")
    with open_output(args) as out:
        # A table is data; on a terminal it is to look at.
        if args.action is None or out.isatty():
            lines = (clean(line, "\t") for line in lines)
        out.writelines(f"{line}\n" for line in lines)
    return 0


def _check(rules: Rules) -> None:
    """Compile the user's tables whose rows are checked when they are used.

    Raises:
        RulesError: a row cannot be used.
    """
    from sejongud.converters.tree_relations import PROFILES
    from sejongud.converters.tree_words import WordClasses, rows_of
    from sejongud.gec.boundaries import clean_patterns
    from sejongud.levels.upos import UposPatterns
    from sejongud.morphology.readings import Pronunciation
    from sejongud.morphology.rewrites import compile_joins, compile_table

    compile_table(rules)
    compile_joins(rules)
    if rules.user_file("pronunciation"):
        Pronunciation(rules)
    if rules.user_file("gec-clean"):
        clean_patterns(rules)
    if rules.user_file("upos-words"):
        for scheme in {row["scheme"] for row in rules.table("upos-words")}:
            UposPatterns(rules, scheme)
    for name in filter(rules.user_file, ("ud-heads", "ud-relations")):
        for profile in PROFILES:
            rows_of(rules, name, profile, WordClasses(rules))


def listing(rules: Rules) -> Iterator[str]:
    """Yield a line for each table: its name, its purpose and the user's file.

    Args:
        rules: the tables in force.

    Yields:
        Lines without a line end. The purpose of a table is its first comment line.
    """
    width = max(map(len, rules.names))
    for name in rules.names:
        purpose = rules.text(name).partition("\n")[0].lstrip("# ")
        users = rules.user_file(name)
        word = "replaced by" if len(rules.sources(name)) == 1 else "and"
        source = f" [{word} {users}]" if users else ""
        yield f"{name:{width}}  {purpose}{source}"


def shown(rules: Rules, name: str) -> Iterator[str]:
    """Yield the lines of a table in force, in the format of a file for `--rules`.

    Args:
        rules: the tables in force.
        name: the name of the table, as in `rules.names`.

    Yields:
        Lines without a line end.
    """
    if name in rules.toml_names:
        yield from _toml(rules.settings(name))
        return
    yield from map("\t".join, (SCHEMAS[name].columns, *rules.cells(name)))


def _toml(values: Mapping[str, object], table: str = "") -> Iterator[str]:
    """Yield values as lines of TOML, which writes strings, numbers and lists like JSON."""
    if table:
        yield from ("", f"[{table}]")
    for key, value in values.items():
        if not isinstance(value, dict):
            yield f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _toml(value, f"{table}.{_key(key)}" if table else _key(key))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


# --- completion -----------------------------------------------------------------------------------


def completion(args: Namespace) -> int:
    """Print the script that completes commands and options in a shell: bash, zsh or tcsh.

        sejongud completion bash > ~/.local/share/bash-completion/completions/sejongud
        sejongud completion zsh > "${fpath[1]}/_sejongud"

    The script is made from the parsers by the library shtab (pip install 'sejongud[completion]'), and
    completing starts no Python.
    """
    from sejongud.arguments import whole_parser

    shtab = require("shtab", "completion")
    parser = whole_parser()
    for action, option in parser.declared():
        if option.is_file or "FILE" in option.value or option.keyword in ("target", "outputs"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif option.value and not action.nargs:
            action.choices = list(option.values()) or None
    script: str = shtab.complete(parser, args.shell)
    write_output(args, script.rstrip("\n") + "\n")
    return 0
