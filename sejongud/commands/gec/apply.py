"""Write the corrected text of each sentence, a sentence a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import reporting
from sejongud.commands.gec.files import leave_out, numbered, read_items
from sejongud.commands.gec.options import outputs_last
from sejongud.errors import FormatError
from sejongud.files import atomic_output
from sejongud.gec.edits import Corrections, Pair, text_notes

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Write the text."""
    outputs_last(args, parallel=False)
    [path] = args.outputs or ["-"]
    with (
        reporting(args) as report,
        read_items(args, args.inputs, report) as given,
        atomic_output(path) as out,
    ):
        for placed in numbered(given.items):
            line, item = placed
            try:
                text = _text(item, None if args.uncorrected else args.annotator)
                notes = text_notes(item, -1 if args.uncorrected else args.annotator)
                report.tell(notes, given.path, line, item.sent_id)
            except FormatError as error:
                leave_out(args, given, report, error, placed)
                # The lines of the output stay parallel to the sentences.
                text = _text(item, None)
            out.write(text + "\n")
    return 1 if report.errors else 0


def _text(item: Corrections | Pair, annotator: int | None) -> str:
    """Return the corrected text by an annotator; the source for None, or if he made no change.

    Raises:
        FormatError: two edits overlap.
    """
    if isinstance(item, Pair):
        made = item.targets[annotator : annotator + 1] if annotator is not None else ()
        return " ".join((made[0] if made else item.source).split())
    if annotator is None or annotator not in item.edits:
        return " ".join(item.tokens)
    return " ".join(item.target(annotator))
