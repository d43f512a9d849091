"""Corrections: find the edits of sources and targets, score, convert, apply, count and filter them.

Parallel text and TSV hold sources and targets; M2, JSON Lines and CoNLL-U hold edits as well. M2 is
what scorers of grammatical error correction read; JSON Lines loads with Hugging Face datasets;
CoNLL-U keeps the edits with the morphemes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands.gec import annotate, apply, convert, filter, score, stats

if TYPE_CHECKING:
    import argparse

ACTIONS = {
    "annotate": annotate,
    "score": score,
    "convert": convert,
    "apply": apply,
    "stats": stats,
    "filter": filter,
}
"""Name → module. Its docstring describes the sub-command, and `run(args)` does the work and returns
the exit status."""


def run(args: argparse.Namespace) -> int:
    """Run the sub-command."""
    status: int = ACTIONS[args.action].run(args)
    return status
