"""Count what is in a corpus, at five levels of granularity: Table 2.1 of the memoir for any input.

Of all inputs together: sentences and eojeols; at each level the tokens (words), the ratio of
morphologically complex words (MCW, two morphemes or more) and the immediate non-terminals (NT,
different XPOS); then UPOS, the most frequent XPOS, and lengths.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, open_input, positive, reporting, say
from sejongud.formats import READERS, resolve

if TYPE_CHECKING:
    import argparse
    from collections import Counter
    from collections.abc import Iterator

    from sejongud.errors import Report
    from sejongud.model import Sentence
    from sejongud.statistics import Statistics

__all__ = ["register", "run"]

_TOP = 10


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "inputs", metavar="IN", nargs="*", default=["-"], help="input files; - or nothing: stdin"
    )
    parser.add_argument("--from", dest="from_", choices=list(READERS), help="format of the input")
    parser.add_argument(
        "--format",
        choices=("text", "csv", "json"),
        default="text",
        help="tables to look at, a figure a row, or one JSON object (%(default)s)",
    )
    parser.add_argument(
        "--upos", metavar="SCHEME", default="sejong", help="sejong, table3.1, ud, morphud"
    )
    parser.add_argument(
        "--top",
        metavar="N",
        type=positive,
        help=f"how many XPOS of each level (text: {_TOP}, csv and json: all)",
    )
    add_common_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the statistics of `args.inputs`."""
    from sejongud.rules import load
    from sejongud.statistics import collect

    with reporting(args) as report:
        statistics = collect(_sentences(args, report), load(args.rules), upos=args.upos)
    if args.format == "json":
        text = json.dumps(statistics.to_dict(args.top), ensure_ascii=False, indent=2) + "\n"
    elif args.format == "csv":
        text = statistics.to_dataframe(args.top).to_csv(index=False, lineterminator="\n")
    else:
        text = _as_text(statistics, _TOP if args.top is None else args.top)
    sys.stdout.write(text)
    return 1 if report.errors else 0


def _sentences(args: argparse.Namespace, report: Report) -> Iterator[Sentence]:
    """The sentences of all inputs."""
    from sejongud.conversion import Conversion

    for path in args.inputs:
        with open_input(args, path) as source:
            name = resolve(args.from_, source.head())
            if args.from_ is None and not args.quiet:
                say(f"{source.path}: detected format: {name} (override with --from)")
            reader = Conversion(name, on_error=args.on_error, rules=args.rules).make_reader()
            frames = reader.frames_of(source)
            yield from reader.read(frames, source.path, args.on_error, report)


def _as_text(statistics: Statistics, top: int) -> str:
    """Tables to look at."""
    import pandas as pd

    from sejongud.statistics import by_frequency

    levels = statistics.levels
    upos = pd.DataFrame(
        {
            f"Level {level}": {key: f"{of.upos[key]:,}" for key in sorted(of.upos)}
            for level, of in levels.items()
        }
    ).fillna("")
    xpos = pd.DataFrame(
        {
            f"Level {level}": pd.Series([f"{tag} {n:,}" for tag, n in by_frequency(of.xpos)[:top]])
            for level, of in levels.items()
        }
    ).fillna("")
    xpos.index += 1
    lengths = pd.DataFrame(
        {name: _summary(counts) for name, counts in statistics.lengths.items()}
    ).T
    head = [
        f"{statistics.sentences:,} sentences",
        f"{statistics.eojeols:,} eojeols",
        f"{statistics.distinct_eojeols:,} distinct eojeols",
    ]
    tables = [statistics.table(), upos, xpos, lengths]
    titles = ["", "UPOS\n", f"XPOS, the {top} most frequent\n", "Lengths\n"]
    parts = [
        f"{title}{'(nothing)' if table.empty else table.to_string()}"
        for title, table in zip(titles, tables, strict=True)
    ]
    return "\n\n".join(["\n".join(head), *parts]) + "\n"


def _summary(counts: Counter[int]) -> dict[str, str]:
    """A distribution of lengths in five figures."""
    total = counts.total()
    mean = sum(length * count for length, count in counts.items()) / total if total else 0
    return {
        "shortest": str(min(counts, default=0)),
        "median": str(_quantile(counts, 0.5)),
        "mean": f"{mean:.2f}",
        "95 % up to": str(_quantile(counts, 0.95)),
        "longest": str(max(counts, default=0)),
    }


def _quantile(counts: Counter[int], share: float) -> int:
    """The least length that at least this share of all do not exceed."""
    below = 0
    for length in sorted(counts):
        below += counts[length]
        if below >= share * counts.total():
            return length
    return 0
