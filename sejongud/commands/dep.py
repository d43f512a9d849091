"""The command `dep`: dependencies between eojeols and morphemes."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from itertools import chain
from typing import TYPE_CHECKING

from sejongud.commands import (
    corpora,
    open_input,
    reporting,
    run_file,
    settings_of,
    told_totals,
    write_output,
)
from sejongud.converters.jobs import DependencyConversion
from sejongud.errors import Report, UsageError
from sejongud.formats import sniff
from sejongud.formats.conllu.plus import other_columns
from sejongud.pipeline import convert_stream
from sejongud.terminal import counted, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from sejongud.files import Source
    from sejongud.model import Sentence
    from sejongud.statistics import DependencyStatistics


_TOP = 20


def dep(args: argparse.Namespace) -> int:
    """Convert dependencies between eojeols and morphemes: word2morph, morph2word.

    UD Korean treebanks have eojeols as words. word2morph splits the words into their morphemes and
    moves the dependencies (Chen et al. 2022). morph2word joins them again, byte for byte; it also makes
    trees of words from the morpheme trees of a parser. stats counts arcs and words before and after.
    """
    return _count(args) if args.action == "stats" else run_file(args, _convert)


def _conversion(args: argparse.Namespace, head: str = "") -> DependencyConversion:
    settings = settings_of(args, DependencyConversion) | {"columns": other_columns(head)}
    settings["direction"] = "morph2word" if args.action == "morph2word" else "word2morph"
    return DependencyConversion(
        **settings, published=getattr(args, "compat", None) is not None, path=args.input
    )


def _convert(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    head = source.head()
    other = sniff(head)
    if other is not None and other.name not in ("conllu", "text"):
        raise UsageError(
            f"{source.path} looks like {other.name}, and dep reads CoNLL-U: convert makes it"
        )
    beside = getattr(args, "words", None)
    with open_input(args, beside) if beside else nullcontext() as words:
        conversion = _conversion(args, head)
        totals = convert_stream(conversion, source, out, report, words=words, jobs=args.jobs)
    return told_totals(args, totals, "word[s]")


def _count(args: argparse.Namespace) -> int:
    from sejongud.statistics import collect_dependencies

    conversion = _conversion(args)
    split = conversion.make_step()
    with reporting(args) as report:
        sentences = chain.from_iterable(_sentences(args, report))
        found = collect_dependencies(sentences, split)
    top = _TOP if args.limit is None else args.limit or sys.maxsize
    data = found.to_dict(args.limit or None) if args.to == "json" else _as_text(found, top)
    write_output(args, data)
    return 1 if report.errors else 0


def _sentences(args: argparse.Namespace, report: Report) -> Iterator[Iterable[Sentence]]:
    """Yield the sentences of each file."""
    for path in corpora(args, [args.input], lambda name, _: name == "conllu"):
        args.input = path
        with open_input(args) as source:
            yield _conversion(args).make_reader().read_file(source, args.on_error, report)


def _as_text(found: DependencyStatistics, top: int) -> str:
    """Return the counts as tables."""
    counts = found.to_dict(top)
    sides = (counts["words"], counts["morphemes"])
    deepest = max([int(depth) for side in sides for depth in side["depths"]], default=-1)
    lines = [("all", [side["words"] for side in sides])]
    for name in sides[0]["directions"]:
        lines.append((name, [side["directions"][name] for side in sides]))
    for depth in range(deepest + 1):
        lines.append((f"depth {depth}", [side["depths"].get(str(depth), 0) for side in sides]))
    rows = [["", "words", "%", "morphemes", "%"]]
    for name, values in lines:
        cells = [name]
        for value, side in zip(values, sides, strict=True):
            share = 100 * value / side["words"] if side["words"] else 0
            cells += [f"{value:,}", f"{share:.2f}"]
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
