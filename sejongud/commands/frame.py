"""Frames: convert the Korean FrameNet to CoNLL-U Plus of morphemes, and back; count it.

Every morpheme of an eojeol inherits its target or its frame element (memoir, 3.4). The way back
returns the corpus byte for byte.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from sejongud.commands import corpora, open_input, reporting, run_file, settings_of, write_output
from sejongud.commands.ner.work import given_columns, given_sentences
from sejongud.converters.jobs import Conversion, FrameConversion
from sejongud.errors import FormatError, UsageError
from sejongud.formats import FRAME_FORMATS, sniff
from sejongud.formats.around import layout_for
from sejongud.formats.conllu.layers import FRAME_COLUMNS
from sejongud.pipeline import convert_stream
from sejongud.statistics.layers import FrameCounts, frames_as_text

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from sejongud.converters.frames import FrameReader
    from sejongud.errors import Report
    from sejongud.files import Source

_FORWARD, _BACKWARD, _STATS = "eoj2morph", "morph2eoj", "stats"
_GENERAL = "general"
_IN, _OUT = "in", "out"


def run(args: argparse.Namespace) -> int:
    """Convert or count."""
    if args.action == _STATS:
        return _stats(args)
    if args.action == _FORWARD:
        return run_file(args, _forward, line_ends=False)
    return run_file(args, _backward, layout_for=partial(layout_for, FRAME_FORMATS[0]))


def _forward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert a corpus to CoNLL-U Plus; return the lines to say about it."""
    options = {
        "general": args.arguments == _GENERAL,
        "symbols": args.symbols == _IN,
        "merge": args.merge_instances,
        "workers": args.jobs if args.jobs > 1 else None,
    }
    own = {
        "reader": _corpus_in(source),
        "path": source.path,
        "columns": given_columns(args),
        "reader_options": options,
    }
    conversion = FrameConversion(**settings_of(args, FrameConversion) | own)
    given = given_sentences(args, report)
    return list(convert_stream(conversion, source, out, report, given=given).told)


def _corpus_in(source: Source) -> str:
    """Return the format of a corpus, with its settings.

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
    return found.spec if found else FRAME_FORMATS[0]


def _conversion_back(args: argparse.Namespace, source: Source) -> FrameConversion:
    """Return the conversion of CoNLL-U Plus, to a corpus.

    Raises:
        FormatError: the file has no columns of frames.
    """
    head = source.head()
    if head.strip() and not _has_frames("", head):
        raise FormatError(
            "the file has no frames: its first line must name the columns"
            f" {' '.join(FRAME_COLUMNS)}",
            path=source.path,
            line=1,
            code="E213",
        )
    own = {"reader": "conllu", "path": source.path}
    return FrameConversion(**settings_of(args, FrameConversion) | own)


def _backward(args: argparse.Namespace, source: Source, out: TextIO, report: Report) -> list[str]:
    """Convert CoNLL-U Plus to a corpus; return the lines to say about it."""
    return list(convert_stream(_conversion_back(args, source), source, out, report).told)


def _stats(args: argparse.Namespace) -> int:
    """Print the tables of files."""
    files: dict[str, FrameCounts] = {}
    with reporting(args) as report:
        for path in corpora(args, args.inputs, _has_frames):
            with open_input(args, path) as source:
                found = sniff(source.head(), ("conllu", *FRAME_FORMATS))
                in_columns = found is not None and found.name not in FRAME_FORMATS
                count = _count_sentences if in_columns and source.head().strip() else _count_blocks
                files[source.path] = count(args, source, report)
    tables = {path: counts.to_dict() for path, counts in files.items()}
    write_output(args, tables if args.to == "json" else frames_as_text(files))
    return 1 if report.errors else 0


def _has_frames(name: str, head: str) -> bool:
    """Test whether a file has a format of frames, or the columns of frames."""
    return name in FRAME_FORMATS or FRAME_COLUMNS[0] in head.partition("\n")[0].split()


def _count_sentences(args: argparse.Namespace, source: Source, report: Report) -> FrameCounts:
    """Count the instances of CoNLL-U Plus."""
    counts = FrameCounts()
    reader = _conversion_back(args, source).make_reader()
    for sentence in reader.read_file(source, args.on_error, report):
        forms = [eojeol.form for eojeol in sentence.eojeols]
        for instance in sentence.frames:
            counts.add(forms, instance.targets)
    return counts


def _count_blocks(args: argparse.Namespace, source: Source, report: Report) -> FrameCounts:
    """Count the instances of a corpus."""
    counts = FrameCounts()
    reader = cast("FrameReader", Conversion(_corpus_in(source), rules=args.rules).make_reader())
    for content in reader.contents(source, args.on_error, report):
        framed = content.value
        assert framed is not None
        counts.add(framed.tokens, framed.targets)
    return counts
