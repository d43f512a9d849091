"""Corrections: find the edits of sources and targets, score, convert, apply, clean and filter them.

Parallel text and TSV hold sources and targets; M2, JSON Lines and CoNLL-U hold edits as well. M2 is
what scorers of grammatical error correction read; JSON Lines loads with Hugging Face datasets;
CoNLL-U keeps the edits with the morphemes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands.gec import annotate, clean, convert, errant, filter, score

if TYPE_CHECKING:
    import argparse

ACTIONS = {
    "annotate": annotate.run,
    "score": score.run,
    "convert": convert.run,
    "apply": convert.apply,
    "stats": convert.stats,
    "clean": clean.run,
    "parallel": errant.parallel,
    "m2": errant.m2,
    "compare": errant.compare,
    "agree": convert.agree,
    "filter": filter.run,
}
"""Name → the function that does the work and returns the exit status."""


def run(args: argparse.Namespace) -> int:
    """Run the sub-command; over a folder, for one of its files."""
    if getattr(args, "many", False) and args.action not in ("clean", "filter"):
        args.inputs, args.outputs = [args.input], [args.output]
    return ACTIONS[args.action](args)
