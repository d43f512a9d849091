"""Analyse raw text with Kiwi and write it as CoNLL-U.

A line is a sentence; with --split a line is a paragraph, and Kiwi finds its sentences. Kiwi's tags
are converted to the tags of the Sejong corpus. The option --jobs sets the number of Kiwi's threads;
without it Kiwi uses one thread for each processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import (
    add_common_options,
    add_input_output,
    open_input,
    open_output,
    reporting,
    say,
)
from sejongud.commands.convert import add_schemes
from sejongud.converters.jobs import Conversion
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    import argparse

__all__ = ["register", "run"]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_input_output(parser)
    add_schemes(parser)
    parser.add_argument(
        "--split",
        action="store_true",
        help="take a line as a paragraph, let Kiwi find its sentences",
    )
    add_common_options(parser)
    parser.set_defaults(jobs=0)


def run(args: argparse.Namespace) -> int:
    """Analyse `args.input` and write `args.output`."""
    with open_input(args) as source, reporting(args) as report, open_output(args) as out:
        conversion = Conversion(
            "text",
            level=args.level,
            upos=args.upos,
            lemmas=args.lemmas,
            on_error=args.on_error,
            rules=args.rules,
            path=source.path,
            reader_options={"split": args.split, "workers": args.jobs or None},
        )
        # Kiwi has threads of its own; every further process would load the model again.
        totals = convert_stream(conversion, source, out, report)
        if not args.quiet:
            say(f"{totals.sentences:,} sentences, {totals.words:,} eojeols")
        return 1 if report.errors else 0
