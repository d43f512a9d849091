"""The commands that convert a file: `convert`, `analyze`, `generate`, `join` and `dep`."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from sejongud.commands import (
    format_in,
    lines_beside,
    open_input,
    opened_corpora,
    reporting,
    run_file,
    settings_of,
    told_totals,
    write_output,
)
from sejongud.converters.jobs import (
    Conversion,
    DependencyConversion,
    as_conllu,
    level_of,
    tree_settings,
    with_columns,
)
from sejongud.errors import Incident, Report, UsageError
from sejongud.formats import ABREAST, ENTITY_FORMATS, RAW, TREES, check_output, recognise, sniff
from sejongud.formats.around import layout_for
from sejongud.formats.base import data_rows, expect_no_table, is_json
from sejongud.formats.conllu.plus import other_columns
from sejongud.pipeline import convert_stream
from sejongud.terminal import counted, table

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from sejongud.files import Source
    from sejongud.model import Sentence
    from sejongud.statistics import DependencyStatistics


# --- convert --------------------------------------------------------------------------------------


_RECORDS = "records"


def feats_of(args: Namespace) -> str:
    """Return the value of --feats as conversions take it: "" for none."""
    return "" if args.feats == "none" else str(args.feats)


def convert(args: Namespace) -> int:
    """Convert between Sejong text, CoNLL-U and other formats, at five levels of granularity.

    The option --from names the format of the input; without it the format is detected. CoNLL-U input
    can have any level, and converting it to Sejong text restores the original byte for byte. At level 1
    a word is an eojeol. Level 2 cuts off symbols, level 3 also particles, level 4 also endings, and at
    level 5 every morpheme is a word.
    """
    check_output(args.to)
    return run_file(args, _convert, layout_for=partial(layout_for, args.to))


def analyze(args: Namespace) -> int:
    """Analyse raw text with Kiwi and write it as CoNLL-U or in another format of `convert`.

    A line is a sentence; with --split a line is a paragraph, and Kiwi finds its sentences. The
    paragraphs and utterances of NIKL corpora (JSON) are such lines. Kiwi's tags are converted to the
    tags of the Sejong corpus. The option --jobs sets the number of Kiwi's threads; without it Kiwi uses
    one thread for each processor.
    """
    return convert(args)


_LINES = ("text", "tokens", "sejong", "conllu", "klue-dp")
"""The formats that a line of raw text may look like; so may those of entities."""
_LABEL = re.compile(r"\([A-Z]|[A-Z]\(")
"""The beginning of a constituent, `(NP` or `NP(`; raw text has brackets around words."""


def _raw_format(source: Source) -> str:
    """Return the format of a file of raw text that is analysed.

    Raises:
        UsageError: it looks like a table, like JSON or like a corpus.
    """
    from sejongud.formats.text import is_nikl_text

    head = source.head()
    if sniff(head, (_RECORDS,)):
        if is_nikl_text(head):
            return _RECORDS
        raise UsageError(
            f"{source.path} looks like JSON or CSV, and not like raw text: name the member or the"
            " column with the text by --field (`convert --from text` reads it as text all the same)"
        )
    rows = data_rows(head)
    found = recognise(None, head).name
    is_table = len(rows) > 1 and all(["\t" in row for row in rows])
    is_prose = found in (*_LINES, *ENTITY_FORMATS) or (found in TREES and not _LABEL.search(head))
    # A tab alone makes no corpus of a line; markup, trees, analyses and edits do.
    if is_json(head) or is_table or not is_prose:
        raise UsageError(
            f"{source.path} looks like {'a table' if found in RAW else found}, and not like raw"
            " text: `sejongud convert` reads corpora, and --field names the column with the text of"
            " a table (`convert --from text` reads it as text all the same)"
        )
    expect_no_table(head, source.path)
    return "text"


def _convert(args: Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    if args.field:
        name = _RECORDS
    else:
        name = _raw_format(source) if args.analyzes else format_in(args, source)
    options: dict[str, object] = {}
    jobs = args.jobs
    if name in RAW:
        # Kiwi has threads of its own; every further process would load the model again.
        options = {"workers": jobs, "split": args.split}
        options |= {"field": args.field} if name == _RECORDS else {}
        jobs = 1
    with with_columns(name, args.to, source) as (whole, columns):
        own = {
            "level": level_of(name, args.level),
            "feats": feats_of(args),
            **tree_settings(columns, args.trees),
            "path": source.path,
            "reader_options": options,
        }
        divided = args.to in ABREAST
        own |= {key: divided and getattr(args, key) is not None for key in ("tags", "ids")}
        conversion = Conversion(name, args.to, **settings_of(args, Conversion) | own)
        with ExitStack() as stack:
            stream = lines_beside(args, out, stack)
            return told_totals(args, convert_stream(conversion, whole, stream, report, jobs=jobs))


# --- generate -------------------------------------------------------------------------------------


def generate(args: Namespace) -> int:
    """Make the text of a corpus from its morphemes, a sentence a line.

    The input has any format that `convert` reads: lines of analyses (나/NP+는/JX 가/VV+ㄴ다/EF), Sejong
    text, CoNLL-U of any level … The surface forms in the input are ignored. Kiwi conjugates and
    contracts the morphemes, and rules/joins.tsv corrects the result. If two surface forms are right
    (했다, 하였다), the more frequent form is written. The function `sejongud.surface` of the library
    can also take a source text, and then keeps the forms that the source has chosen.
    """
    return run_file(args, _generate)


def _generate(args: Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    from sejongud.converters.generate import WITHOUT_SURFACE, Generation

    name = format_in(args, source)
    if name == "text":
        message = "text has no morphemes to join: write segmented text with --mark, or with tags"
        report.add(Incident("W632", message, source.path))
    generation = Generation(
        name,
        on_error=args.on_error,
        rules=args.rules,
        path=source.path,
        reader_options={"noted": False} if name in WITHOUT_SURFACE else {},
    )
    return told_totals(args, convert_stream(generation, source, out, report, jobs=args.jobs))


# --- join -----------------------------------------------------------------------------------------


def join(args: Namespace) -> int:
    """Lay the layers of several files with the same text onto the words of the first file.

    The words and the dependencies of the first file stay. Entities, frames and constituents of the
    others are laid onto its morphemes, and dependencies too if it has none. The files have any format
    that `convert` reads. Sentences are paired by their texts, in order; where the analyses differ,
    eojeols and then morphemes are aligned. A layer that both files have stays as the first file has it.
    Differences, labels that end inside a morpheme, and sentences without a counterpart are reported.
    """
    return run_file(args, _join)


def _join(args: Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    from sejongud.converters.join import join_files

    with ExitStack() as stack:
        others = [stack.enter_context(open_input(args, path)) for path in args.others]
        settings = {"on_error": args.on_error, "rules": args.rules}
        return told_totals(args, join_files([source, *others], out, args.to, report, **settings))


# --- dep ------------------------------------------------------------------------------------------


_TOP = 20


def dep(args: Namespace) -> int:
    """Convert dependencies between eojeols and morphemes: word2morph, morph2word.

    UD Korean treebanks have eojeols as words. word2morph splits the words into their morphemes and
    moves the dependencies (Chen et al. 2022). morph2word joins them again, byte for byte; it also makes
    trees of words from the morpheme trees of a parser. stats counts arcs and words before and after.
    """
    if args.action == "stats":
        return _dep_count(args)
    return run_file(args, _dep_convert, conllu="dep")


def _dep_conversion(args: Namespace, head: str = "", path: str = "") -> DependencyConversion:
    settings = settings_of(args, DependencyConversion) | {"columns": other_columns(head)}
    settings["direction"] = "morph2word" if args.action == "morph2word" else "word2morph"
    published = getattr(args, "compat", None) is not None
    return DependencyConversion(**settings, published=published, path=path)


def _dep_convert(args: Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    beside = getattr(args, "words", None)
    with open_input(args, beside) if beside else nullcontext() as words:
        conversion = _dep_conversion(args, source.head(), source.path)
        totals = convert_stream(conversion, source, out, report, words=words, jobs=args.jobs)
    return told_totals(args, totals, "word[s]")


def _dep_count(args: Namespace) -> int:
    from sejongud.statistics import collect_dependencies

    conversion = _dep_conversion(args)
    split = conversion.make_step()
    with reporting(args) as report:
        found = collect_dependencies(_dep_sentences(args, report), split)
    top = _TOP if args.limit is None else args.limit or sys.maxsize
    data = found.to_dict(args.limit or None) if args.to == "json" else _dep_as_text(found, top)
    write_output(args, data)
    return 1 if report.errors else 0


def _dep_sentences(args: Namespace, report: Report) -> Iterator[Sentence]:
    """Yield the sentences of each file."""
    on_error, rules = args.on_error, args.rules
    for source in opened_corpora(args, [args.input], lambda name, _: name in ("conllu", "jsonl")):
        with as_conllu(source, report, on_error=on_error, rules=rules, command="dep") as text:
            reader = _dep_conversion(args).make_reader()
            yield from reader.read_file(text, args.on_error, report)


def _dep_as_text(found: DependencyStatistics, top: int) -> str:
    """Return the counts as tables."""
    counts = found.to_dict(top)
    sides = (counts["words"], counts["morphemes"])
    columns = [
        {"all": side["words"], **side["directions"]}
        | {f"depth {depth}": n for depth, n in side["depths"].items()}
        for side in sides
    ]
    deepest = max([int(depth) for side in sides for depth in side["depths"]], default=-1)
    rows = [["", "words", "%", "morphemes", "%"]]
    for name in ("all", *sides[0]["directions"], *[f"depth {n}" for n in range(deepest + 1)]):
        cells = [name]
        for column in columns:
            value, words = column.get(name, 0), column["all"]
            cells += [f"{value:,}", f"{100 * value / words if words else 0:.2f}"]
        rows.append(cells)
    rows += [
        [f"mean {name}", f"{sides[0][key]:.3f}", "", f"{sides[1][key]:.3f}", ""]
        for name, key in (("depth", "mean_depth"), ("length", "mean_length"))
    ]
    patterns = [[pattern, f"{n:,}"] for pattern, n in counts["patterns"].items()]
    title = counted(
        counts["distinct_patterns"], "pattern[s] of words, the head morpheme in brackets"
    )
    return f"{counted(found.sentences, 'sentence[s]')}\n\n{table(rows)}\n{title}\n{table(patterns)}"
