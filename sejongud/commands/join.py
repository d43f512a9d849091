"""Lay the layers of several files with the same text onto the words of the first file.

The words and the dependencies of the first file stay. Entities, frames and constituents of the
others are laid onto its morphemes, and dependencies too if it has none. The files have any format
that `convert` reads. Sentences are paired by their texts, in order; where the analyses differ,
eojeols and then morphemes are aligned. A layer that both files have stays as the first file has it.
Differences, labels that end inside a morpheme, and sentences without a counterpart are reported.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from sejongud.commands import open_input, run_file, told_totals
from sejongud.converters.join import join_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source


def run(args: argparse.Namespace) -> int:
    """Write `args.input` with the layers of `args.others`."""
    return run_file(args, _join)


def _join(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> Sequence[str]:
    with ExitStack() as stack:
        others = [stack.enter_context(open_input(args, path)) for path in args.others]
        settings = {"on_error": args.on_error, "rules": args.rules}
        return told_totals(args, join_files([source, *others], out, args.to, report, **settings))
