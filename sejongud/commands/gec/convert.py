"""Convert between the formats of corrections.

M2 is what scorers read; JSON Lines loads with Hugging Face datasets; CoNLL-U keeps the edits with
the morphemes, which Kiwi finds; html is a page to look at; tsv and parallel hold texts without
edits. M2 that is written as M2 stays as it was, byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import reporting, say
from sejongud.commands.gec.files import read_items, write_items
from sejongud.commands.gec.options import WRITTEN, outputs_last
from sejongud.errors import UsageError
from sejongud.pipeline import without_collector

if TYPE_CHECKING:
    import argparse

    from sejongud.commands.gec.files import Input

_PARALLEL, _M2 = "parallel", "m2"


def run(args: argparse.Namespace) -> int:
    """Convert."""
    outputs_last(args, args.from_ == _PARALLEL)
    if args.to is None:
        raise UsageError(f"name the format of OUT with --to: {', '.join(WRITTEN)}")
    with (
        reporting(args) as report,
        read_items(args, args.inputs, report) as given,
        without_collector(),
    ):
        written = write_items(args, given, report, None, _settings(args, given))
        if not args.quiet:
            say(written.said)
    return 1 if report.errors else 0


def _settings(args: argparse.Namespace, given: Input) -> str:
    """Return the settings of the output: those of the input if it has the same format."""
    if args.to != _M2:
        return ""
    return given.layout.settings if given.layout.name == _M2 else ""
