"""Convert between any two formats of entities, through morphemes."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING

from sejongud.commands import guard_files, open_input, reporting, say, say_format
from sejongud.commands.ner.work import (
    given_sentences,
    make_forward,
    make_writer,
    tell,
    tell_line_ends,
    type_map,
)
from sejongud.converters.between import WRITTEN, Target, binary_in, format_in
from sejongud.converters.riders import recoded
from sejongud.errors import UsageError
from sejongud.files.layout import PLAIN
from sejongud.formats import label_format, output_format, reader_class
from sejongud.formats.units import expect_known_unit
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import without_collector
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sejongud.commands import Tally
    from sejongud.converters.entities import Forward
    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.model import Sentence


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
        target.open(stack, PLAIN if binary or _joins(args) else target.layout_of(source, found))
        forward: Forward | None = None
        sentences: Iterator[tuple[int, Sentence]]
        if found.is_entities:
            layout = label_format(*found, load(args.rules), source.path)
            forward = make_forward(args, layout, source.path, report)
            forward.comments = target.has_comments
            if binary is None and target.has_comments:
                forward.file = source.layout
            made = forward.sentences(source.chunks(), given_sentences(args, report))
            sentences = ((forward.line, sentence) for sentence in made)
        else:
            sentences = _with_morphemes(args, found.name, source, report)
        types = type_map(args)
        codes: Counter[str] = Counter()
        for line, given in sentences:
            sentence = types.sentence(given) if types else given
            target.add(sentence)
            tell(target.loses(sentence), sentence, report, source.path, line, codes)
        target.end()
        if forward is not None and target.has_comments and binary is None:
            tell_line_ends(source, report)
        if not args.quiet:
            done = forward.summary(codes if target.has_comments else None) if forward else []
            done += [*(types.summary() if types else ()), *target.summary()]
            if done:
                say("\n".join(done))
    return 1 if report.errors else 0


def _target(args: argparse.Namespace) -> Target:
    """Return the writer of OUT.

    Raises:
        UsageError: there is no such format, or its files cannot be where the user wants them.
    """
    writer = make_writer(args, ne=args.ne, ne_layers=3)
    to = output_format(args.output, WRITTEN, args.to)
    target = Target(
        args.output, to, writer, load(args.rules), mend=args.repair, card=args.card or ""
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


def _with_morphemes(
    args: argparse.Namespace, name: str, source: Source, report: Report
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences of a format that has morphemes with their lines.

    Their labels are in the scheme that the user names.
    """
    reader = reader_class(name)(Assembler(load(args.rules)), keep=args.on_error == "keep")
    frames = reader.frames_of(source)
    for frame, sentence in reader.pairs(frames, source.path, args.on_error, report):
        yield frame.line, recoded(sentence, args.label_scheme) if args.label_scheme else sentence
