"""Count edits: how many there are, of which types and operations, and how annotators agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import reporting, write_output
from sejongud.commands.gec.files import read_items
from sejongud.gec.counts import EditCounts
from sejongud.terminal import clean, data_text

if TYPE_CHECKING:
    import argparse


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
