"""Write the corrected text of each sentence, a sentence a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import (
    add_common_options,
    add_input_output,
    count,
    open_input,
    open_output,
    reporting,
)
from sejongud.errors import FormatError
from sejongud.formats import corrections_format, recognise
from sejongud.gec.edits import Corrections

if TYPE_CHECKING:
    import argparse

__all__ = ["add", "run"]


def add(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of the sub-command."""
    summary = "write the corrected text, a sentence a line"
    parser = actions.add_parser("apply", help=summary, description=summary)
    add_input_output(parser)
    parser.add_argument(
        "--annotator",
        metavar="N",
        type=count,
        default=0,
        help="annotator whose edits are applied (default: %(default)s)",
    )
    parser.add_argument(
        "--source", action="store_true", help="write the sentences before their correction"
    )
    add_common_options(
        parser,
        *("--quiet", "--verbose", "--on-error", "--report", "--force", "--no-progress"),
        "--encoding",
    )


def run(args: argparse.Namespace) -> int:
    """Write the text."""
    with (
        open_input(args) as source,
        reporting(args) as report,
        open_output(args) as out,
    ):
        found = recognise("m2", source.head(), ("m2",))
        layout = corrections_format(*found)
        for line, item in layout.numbered(source, args.on_error, report):
            assert isinstance(item, Corrections)
            try:
                # An annotator who did not see the sentence made no change.
                known = args.annotator in item.edits and not args.source
                tokens = item.target(args.annotator) if known else item.tokens
            except FormatError as error:
                error.code = "E505"
                error.at(path=source.path, line=line)
                if args.on_error == "stop":
                    raise
                report.add(error.incident(sent_id=item.sent_id))
                tokens = item.tokens
            out.write(" ".join(tokens) + "\n")
    return 1 if report.errors else 0
