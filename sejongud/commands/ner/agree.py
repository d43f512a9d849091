"""Measure how far two files agree on entities, by type: whole, in part, and by tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import say
from sejongud.commands.eval.base import (
    read_likeness,
    read_sides,
    say_differences,
    write_result,
)
from sejongud.commands.ner.work import type_map
from sejongud.evaluation.entities import UnitsReader, in_common
from sejongud.evaluation.ner import Agreement
from sejongud.evaluation.tables import Result, to_text

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Compare two files and print their agreement; return the exit status."""
    types = type_map(args)
    reader = UnitsReader(args.from_, types.label if types else None)
    sides, status = read_sides(args, reader, [args.gold, args.system])
    first, second, unit, told = in_common(*sides, nested=args.nested)
    likeness = read_likeness(args)
    [evaluation] = Agreement(unit=unit, nested=args.nested).measure(
        first, second, likeness=likeness
    )
    if not args.quiet:
        for line in told:
            say(line)
        say_differences(evaluation.differences)
    result = Result(evaluation, sentences=args.sentences)
    write_result(args, result, lambda _, found: to_text(found))
    return status
