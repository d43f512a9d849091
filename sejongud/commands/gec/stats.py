"""Count edits: how many there are, of which types and operations, and how annotators agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, add_table_format, reporting, write_output
from sejongud.commands.gec.files import read_items
from sejongud.commands.gec.options import COMMON, add_from
from sejongud.gec.counts import EditCounts
from sejongud.terminal import clean, data_text

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
    add_common_options(parser, *COMMON)


def run(args: argparse.Namespace) -> int:
    """Print the counts of `args.inputs`."""
    counts = EditCounts()
    with reporting(args) as report:
        for path in args.inputs:
            with read_items(args, [path], report) as given:
                for _, item in given.items:
                    counts.add(given.layout.edited(item))
    if args.to == "json":
        write_output(args, counts.to_dict())
    elif args.to == "text":
        write_output(args, clean(counts.to_text(), "\n\t"))
    else:
        write_output(args, data_text(args.to, [("table", "key", "value"), *counts.rows()]))
    return 1 if report.errors else 0
