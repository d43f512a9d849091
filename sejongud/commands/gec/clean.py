"""Take away what language models put around corrected text, a sentence a line.

Numbering, bullets, quotes, labels, code fences, preambles and closings go, by the table
rules/gec-clean.tsv; --rules lays a table of your own over it. With --source, the text before its
correction, everything stays that the source has as well. What goes is counted on standard error;
--log names each mark with its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import open_input, open_output, reporting, say
from sejongud.evaluation.scores import sign
from sejongud.gec.boundaries import Text, cleaned
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Clean `args.input` into `args.output`."""
    with reporting(args) as report, open_input(args) as answer, open_output(args) as out:
        source = None
        if args.source is not None:
            with open_input(args, args.source) as before:
                source = list(before.lines())
        text = Text.of(answer.path, answer.lines())
        [text], counts = cleaned([text], report, source, rules=load(args.rules))
        out.writelines([f"{line}\n" for line in text.texts])
        if not args.quiet:
            say(sign("clean", {"marks": counts}))
    return 0
