"""Frames: convert the Korean FrameNet to CoNLL-U Plus of morphemes, and back; count it.

Every morpheme of an eojeol inherits its target or its frame element (memoir, 3.4). The way back
returns the corpus byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import open_input, reporting, run_file, write_output
from sejongud.commands.ner.work import conllu_sentences, given_sentences, make_writer
from sejongud.converters.frames import Backward, Forward, merged
from sejongud.errors import FormatError, UsageError
from sejongud.formats import FRAME_FORMATS, frame_format, sniff
from sejongud.formats.conllu.frames import COLUMNS
from sejongud.formats.conllu.plus import instance_columns
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load
from sejongud.statistics.frames import FrameCounts, as_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.formats.framenet import FrameNet
    from sejongud.model import Sentence

_FORWARD, _BACKWARD, _STATS = "eoj2morph", "morph2eoj", "stats"
_GENERAL = "general"
_IN, _OUT = "in", "out"


def run(args: argparse.Namespace) -> int:
    """Convert or count."""
    if args.action == _STATS:
        return _stats(args)
    act = _forward if args.action == _FORWARD else _backward
    return run_file(args, act, line_ends=args.action != _FORWARD)


def _forward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert a corpus to CoNLL-U Plus; return the lines to say about it."""
    forward = Forward(
        Assembler(load(args.rules)),
        _layout_of(source),
        report,
        general=args.arguments == _GENERAL,
        symbols=args.symbols == _IN,
        on_error=args.on_error,
        path=source.path,
        workers=args.jobs if args.jobs > 1 else None,
    )
    sentences: Iterable[Sentence] = forward.sentences(
        source.chunks(), given_sentences(args, report)
    )
    instances = 1
    if args.merge_instances:
        sentences = merged(sentences)
        instances = max([len(sentence.frames) for sentence in sentences], default=1)
    writer = make_writer(args, columns=instance_columns(COLUMNS, instances))
    preamble = writer.preamble
    for sentence in sentences:
        text = writer.sentence(sentence)
        out.write(preamble + text)
        preamble = ""
        forward.counts["sentences"] += 1
    return forward.summary()


def _layout_of(source: Source) -> FrameNet:
    """Return the format of a corpus.

    Raises:
        UsageError: the file looks like no corpus of frames.
    """
    head = source.head()
    found = sniff(head, FRAME_FORMATS)
    if found is None and head.strip():
        raise UsageError(
            f"{source.path} looks like no corpus of frames: a row must have number, eojeol,"
            " lexical unit, frame and frame element, with a tab between"
        )
    return frame_format(*found) if found else frame_format(FRAME_FORMATS[0])


def _sentences(
    args: argparse.Namespace, source: Source, report: Report
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences of CoNLL-U Plus with their lines.

    Raises:
        FormatError: the file has no columns of frames.
    """
    head = source.head()
    if head.strip() and COLUMNS[0] not in head.partition("\n")[0].split():
        raise FormatError(
            f"the file has no frames: its first line must name the columns {' '.join(COLUMNS)}",
            path=source.path,
            line=1,
            code="E213",
        )
    return conllu_sentences(args, source.chunks(), source.path, report)


def _backward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert CoNLL-U Plus to a corpus; return the lines to say about it."""
    backward = Backward(load(args.rules), report, vote=args.vote, path=source.path)
    for line, sentence in _sentences(args, source, report):
        out.write(backward.text(sentence, line))
    out.write(backward.end())
    return backward.summary()


def _stats(args: argparse.Namespace) -> int:
    """Print the tables of files."""
    files: dict[str, FrameCounts] = {}
    with reporting(args) as report:
        for path in args.inputs:
            with open_input(args, path) as source:
                found = sniff(source.head(), ("conllu", *FRAME_FORMATS))
                in_columns = found is not None and found.name not in FRAME_FORMATS
                count = _count_sentences if in_columns and source.head().strip() else _count_blocks
                files[source.path] = count(args, source, report)
    write_output(args, as_text(files))
    return 1 if report.errors else 0


def _count_sentences(args: argparse.Namespace, source: Source, report: Report) -> FrameCounts:
    """Count the instances of CoNLL-U Plus."""
    counts = FrameCounts()
    for _, sentence in _sentences(args, source, report):
        forms = [eojeol.form for eojeol in sentence.eojeols]
        for instance in sentence.frames:
            counts.add(forms, instance.targets)
    return counts


def _count_blocks(args: argparse.Namespace, source: Source, report: Report) -> FrameCounts:
    """Count the instances of a corpus."""
    counts = FrameCounts()
    layout = _layout_of(source)
    for block in layout.blocks(source.chunks()):
        try:
            framed = layout.read(block)
        except FormatError as error:
            error.at(path=source.path, line=block.line)
            if args.on_error == "stop":
                raise
            report.add(error.incident())
            continue
        if framed.tokens:
            counts.add(framed.tokens, framed.targets)
    return counts
