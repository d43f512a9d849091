"""Corrections: find the edits of sources and targets, score, convert, apply, count and filter them.

Parallel text and TSV hold sources and targets; M2, JSON Lines and CoNLL-U hold edits as well. M2 is
what scorers of grammatical error correction read; JSON Lines loads with Hugging Face datasets;
CoNLL-U keeps the edits with the morphemes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands.gec import annotate, apply, convert, filter, score, stats
from sejongud.commands.gec.options import ActionParser

if TYPE_CHECKING:
    import argparse

__all__ = ["ACTIONS", "register", "run"]

ACTIONS = {
    "annotate": annotate,
    "score": score,
    "convert": convert,
    "apply": apply,
    "stats": stats,
    "filter": filter,
}
"""Name → module, which has two functions: `add(actions)` adds the parser of the sub-command to
these sub-commands, and `run(args)` does its work and returns the exit status."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(
        metavar="ACTION", dest="action", required=True, parser_class=ActionParser
    )
    for module in ACTIONS.values():
        module.add(actions)


def run(args: argparse.Namespace) -> int:
    """Run the sub-command."""
    status: int = ACTIONS[args.action].run(args)
    return status
