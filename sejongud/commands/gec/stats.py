"""Count edits: how many there are, of which types and operations, and how annotators agree."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, add_table_format, print_counts, reporting
from sejongud.commands.gec.files import read_items
from sejongud.commands.gec.options import COMMON, add_from
from sejongud.gec.counts import EditCounts
from sejongud.terminal import clean, csv_cell

if TYPE_CHECKING:
    import argparse

SUMMARY = "count edits, their types and operations, and the agreement of annotators"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "inputs",
        metavar="FILE",
        nargs="*",
        default=["-"],
        help="files of corrections, which are counted together; - or none: stdin",
    )
    add_from(parser)
    add_table_format(parser)
    parser.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="the same as --format json",
    )
    parser.add_argument(
        "--csv", dest="format", action="store_const", const="csv", help="the same as --format csv"
    )
    add_common_options(parser, *[name for name in COMMON if name != "--force"])


def run(args: argparse.Namespace) -> int:
    """Print the counts of `args.inputs`."""
    counts = EditCounts()
    with reporting(args) as report:
        for path in args.inputs:
            with read_items(args, [path], report) as given:
                for _, item in given.items:
                    counts.add(given.layout.edited(item))
    if args.format == "json":
        print_counts(counts.to_dict())
    elif args.format == "csv":
        out = io.StringIO()
        rows = [(of, csv_cell(key), value) for of, key, value in counts.rows()]
        csv.writer(out, lineterminator="\n").writerows([("table", "key", "value"), *rows])
        print_counts(out.getvalue())
    else:
        print_counts(clean(counts.to_text(), "\n\t"))
    return 1 if report.errors else 0
