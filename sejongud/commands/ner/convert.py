"""Convert between any two formats of entities, through morphemes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from sejongud.commands import guard_files, lines_beside, open_input, reporting, say, say_format
from sejongud.commands.ner.work import (
    conversion_of,
    given_columns,
    given_sentences,
    make_writer,
    reader_options,
    tell_line_ends,
)
from sejongud.converters.between import WRITTEN, OutputTarget, binary_in, format_in
from sejongud.converters.jobs import with_columns
from sejongud.errors import UsageError
from sejongud.files.layout import PLAIN
from sejongud.formats import expect_known_unit, output_format, resolve
from sejongud.pipeline import convert_stream, without_collector
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse

    from sejongud.commands import Tally

_CONLLU = "conllu"


def run(args: argparse.Namespace) -> int:
    """Convert any format to any other."""
    target = _target(args)
    args.outputs = target.more
    guard_files(args)
    binary = binary_in(args.from_, args.input)
    with (
        binary or open_input(args) as source,
        reporting(args) as report,
        ExitStack() as stack,
        without_collector(),
    ):
        found = format_in(args.from_, source)
        say_format(args, source.path, found)
        if args.from_ is None:
            expect_known_unit(found, source.head(), source.path, load(args.rules))
        layout = PLAIN if binary or _joins(args) else target.layout_of(source, found)
        out = lines_beside(args, target.open(stack, layout), stack)
        name = resolve(found.spec, source.head(), source.path, args.rules)
        to = _CONLLU if target.has_comments else ""
        source, columns = stack.enter_context(with_columns(name, to, source))
        columns = tuple(dict.fromkeys((*columns, *(given_columns(args) if to else ()))))
        target.writer = make_writer(args, ne=args.ne, ne_layers=3, columns=columns)
        own = reader_options(args) | {"comments": target.has_comments}
        conversion = conversion_of(
            args,
            name,
            source,
            label_scheme="" if found.is_entities else args.label_scheme or "",
            file_writer=target,
            reader_options=own if found.is_entities else {},
        )
        given = given_sentences(args, report) if found.is_entities else None
        totals = convert_stream(conversion, source, out, report, given=given)
        if found.is_entities and target.has_comments and binary is None:
            tell_line_ends(source, report)
        if totals.told and not args.quiet:
            say("\n".join(totals.told))
    return 1 if report.errors else 0


def _target(args: argparse.Namespace) -> OutputTarget:
    """Return the writer of OUT.

    Raises:
        UsageError: there is no such format, or its files cannot be where the user wants them.
    """
    writer = make_writer(args)
    to = output_format(args.output, WRITTEN, args.to)
    target = OutputTarget(
        args.output,
        to,
        writer,
        load(args.rules),
        mend=args.repair,
        card=args.card or "",
        tokenizer=args.tokenizer,
    )
    if _joins(args) and target.is_whole:
        raise UsageError(
            f"{to} has one file for each input: name a folder for the outputs, -o OUT/"
        )
    return target


def _joins(args: argparse.Namespace) -> bool:
    """Test whether OUT becomes a part of one file."""
    tally: Tally | None = getattr(args, "tally", None)
    return tally is not None and tally.joins
