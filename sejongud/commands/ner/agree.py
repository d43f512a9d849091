"""Measure how far two files agree on entities, by type: whole, in part, and by tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, say
from sejongud.commands.eval.base import (
    add_alignment_options,
    add_result_options,
    read_likeness,
    read_sides,
    say_differences,
    write_result,
)
from sejongud.commands.ner.options import add_format, add_map
from sejongud.commands.ner.work import type_map
from sejongud.evaluation.agreement import Agreement
from sejongud.evaluation.entity_units import UnitsReader, in_common
from sejongud.evaluation.tables import Result, to_text

if TYPE_CHECKING:
    import argparse


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ner agree`."""
    for name, dest in (("A", "gold"), ("B", "system")):
        parser.add_argument(dest, metavar=name, help="an entity corpus or CoNLL-U; - is stdin")
    add_format(parser, "format of files that are not CoNLL-U (default: detect it)")
    add_map(parser)
    add_alignment_options(parser)
    add_result_options(parser)
    add_common_options(parser)
    # A fault in one sentence should not keep the others from being compared.
    parser.set_defaults(on_error="skip")


def run(args: argparse.Namespace) -> int:
    """Compare two files and print their agreement; return the exit status."""
    types = type_map(args)
    reader = UnitsReader(args.format, types.label if types else None)
    sides, status = read_sides(args, reader, [args.gold, args.system])
    first, second, unit, told = in_common(*sides)
    likeness = read_likeness(args)
    [evaluation] = Agreement(unit=unit).measure(first, second, likeness=likeness)
    if not args.quiet:
        for line in told:
            say(line)
        say_differences(evaluation.differences)
    result = Result(evaluation, sentences=args.sentences)
    write_result(args, result, lambda _, found: to_text(found))
    return status
