"""Corrections: find the edits of sources and targets, score, convert, apply, count and filter them.

Parallel text and TSV hold sources and targets; M2, JSON Lines and CoNLL-U hold edits as well. M2 is
what scorers of grammatical error correction read; JSON Lines loads with Hugging Face datasets;
CoNLL-U keeps the edits with the morphemes.
"""

from __future__ import annotations

import argparse

from sejongud.commands.gec import annotate, apply, convert, filter, score, stats
from sejongud.commands.gec.options import ActionParser

ACTIONS = {
    "annotate": annotate,
    "score": score,
    "convert": convert,
    "apply": apply,
    "stats": stats,
    "filter": filter,
}
"""Name → module. Its docstring is the description of the sub-command, `SUMMARY` its short help;
`add(parser)` adds its arguments, and `run(args)` does its work and returns the exit status."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(
        metavar="ACTION", dest="action", required=True, parser_class=ActionParser
    )
    for name, module in ACTIONS.items():
        parser = actions.add_parser(
            name,
            help=module.SUMMARY,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add(parser)


def run(args: argparse.Namespace) -> int:
    """Run the sub-command."""
    status: int = ACTIONS[args.action].run(args)
    return status
