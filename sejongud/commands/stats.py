"""The command `stats`."""

from __future__ import annotations

import sys
from bisect import bisect_left
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING

from sejongud.commands import (
    corpora,
    format_in,
    open_input,
    reporting,
    write_output,
)
from sejongud.formats import READERS
from sejongud.terminal import counted, data_text, table

if TYPE_CHECKING:
    import argparse
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from sejongud.errors import Report
    from sejongud.model import Sentence
    from sejongud.statistics import Statistics


_TOP = 10
_SUMMARY = ("shortest", "median", "mean", "95 % up to", "longest")


def stats(args: argparse.Namespace) -> int:
    """Count words and tags at five levels of granularity: Table 2.1 of the memoir for any input.

    The counts are sums over all inputs. The command counts sentences and eojeols; at each level the
    tokens (words), the ratio of morphologically complex words (MCW: words with two morphemes or more)
    and the immediate non-terminals (NT: different XPOS); then UPOS, the most frequent XPOS, and
    lengths. If a corpus has frames (memoir, Tables 3.9 to 3.11) or constituents, they are counted too.
    """
    from sejongud.rules import load
    from sejongud.statistics import collect
    from sejongud.statistics.layers import LayerStatistics

    layers = LayerStatistics()
    with reporting(args) as report:
        sentences = layers.counted(_sentences(args, report))
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


def _sentences(args: argparse.Namespace, report: Report) -> Iterator[Sentence]:
    """Yield the sentences of all inputs."""
    from sejongud.converters.jobs import Conversion

    for path in corpora(args, args.inputs, lambda name, _: name in READERS):
        with open_input(args, path) as source:
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
