"""Named entities: corpora of eojeols or syllables to CoNLL-U of morphemes, and back.

An entity that is marked on eojeols or characters is projected on morphemes, so that particles are
no part of it (memoir, 3.2). The way back gives the corpus again, byte for byte.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, cast

from sejongud.commands import (
    add_common_options,
    add_input_output,
    open_input,
    open_output,
    reporting,
    say,
)
from sejongud.commands.convert import add_ne_place, add_schemes
from sejongud.errors import FormatError, UsageError
from sejongud.formats import ENTITY_FORMATS, label_format, recognise, sniff
from sejongud.pipeline import without_collector

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sejongud.entities import Forward
    from sejongud.errors import OnError, Report
    from sejongud.files import Source
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence
    from sejongud.morphology.eojeol import Assembler

__all__ = ["register", "run"]

_FORWARD = {
    "eoj2morph": ("eojeol", "entities of eojeols (NAVER) to entities of morphemes"),
    "syl2morph": ("syllable", "entities of characters (KLUE, MODU) to entities of morphemes"),
}
_BACKWARD = {
    "morph2eoj": ("eojeol", "entities of morphemes back to those of eojeols"),
    "morph2syl": ("syllable", "entities of morphemes back to those of characters"),
}
_USUAL = {"eojeol": "naver", "syllable": "klue-ner"}
"""The format that is written where neither the user nor the file says any."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command for each direction, and `check`."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    for name, (_, summary) in _FORWARD.items():
        forward = actions.add_parser(name, help=summary, description=summary)
        add_input_output(forward)
        _add_format(forward, "format of IN, if not found out")
        _add_morphemes(forward)
        if name == "eoj2morph":
            forward.add_argument(
                "--inherit",
                action="store_true",
                help="every morpheme of an eojeol takes its label, particles as well",
            )
        forward.add_argument(
            "--nested",
            action="store_true",
            help="keep entities inside entities as well, not the outermost only",
        )
        add_schemes(forward)
        add_ne_place(forward)
        add_common_options(forward)
    for name, (_, summary) in _BACKWARD.items():
        backward = actions.add_parser(name, help=summary, description=summary)
        add_input_output(backward)
        _add_format(backward, "format of OUT, if not the one that IN was made from")
        backward.add_argument(
            "--repair",
            action="store_true",
            help="mend labels that go on without having begun, as conlleval reads them",
        )
        add_common_options(backward)
    summary = "columns for CRF++ and CRFsuite, and their labels back on the morphemes"
    crf = actions.add_parser("crf", help=summary, description=summary)
    add_input_output(crf)
    crf.add_argument(
        "--labels",
        metavar="FILE",
        help="what the CRF made of the columns: write IN with the labels of the last column",
    )
    add_schemes(crf)
    add_common_options(crf)
    summary = "what entities there are, and which look wrong"
    check = actions.add_parser("check", help=summary, description=summary)
    add_input_output(check)
    _add_format(check, "format of IN, CoNLL-U or a corpus, if not found out")
    _add_morphemes(check)
    add_common_options(check)
    check.set_defaults(on_error="keep")


def _add_format(parser: argparse.ArgumentParser, summary: str) -> None:
    parser.add_argument(
        "--format",
        metavar="NAME[:SETTINGS]",
        help=f"{summary}: {', '.join(ENTITY_FORMATS)}; as in naver:PER-B",
    )


def _add_morphemes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--morphemes",
        metavar="FILE",
        help="the same sentences with their morphemes (CoNLL-U, Sejong text …); else Kiwi analyses",
    )


def run(args: argparse.Namespace) -> int:
    """Convert or check."""
    if args.action in _FORWARD:
        return _forward(args)
    if args.action in _BACKWARD:
        return _backward(args)
    return _crf(args) if args.action == "crf" else _check(args)


def _forward(args: argparse.Namespace) -> int:
    from sejongud.converters.recut import Recut
    from sejongud.formats.conllu import ConlluWriter
    from sejongud.levels.cut import Granularity
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import load

    unit = _FORWARD[args.action][0]
    rules = load(args.rules)
    granularity = Granularity(rules, args.level, upos=args.upos, lemmas=args.lemmas)
    writer = ConlluWriter(Recut(granularity), ne=args.ne, ne_layers=3 if args.nested else 1)
    with (
        open_input(args) as source,
        reporting(args) as report,
        open_output(args) as out,
        without_collector(),
    ):
        layout = _layout_of(args, source)
        if layout.unit != unit:
            other = next(name for name, (of, _) in _FORWARD.items() if of != unit)
            raise UsageError(f"{layout.name} has labels of {layout.unit}s: use {other}")
        assembler = Assembler(rules)
        forward = _make_forward(args, assembler, layout, report, source)
        given = _given(args, report)
        out.write(writer.preamble)
        for sentence in forward.sentences(source.chunks(), given):
            out.write(writer.sentence(sentence))
        if not args.quiet:
            say(_summary(forward))
    return 1 if report.errors else 0


def _make_forward(
    args: argparse.Namespace,
    assembler: Assembler,
    layout: LabelFormat,
    report: Report,
    source: Source,
    *,
    check: bool = False,
) -> Forward:
    from sejongud.entities import Forward

    return Forward(
        assembler,
        layout,
        report,
        inherit=getattr(args, "inherit", False),
        nested=getattr(args, "nested", False),
        force=not check,
        tell=check,
        on_error=args.on_error,
        path=source.path,
        workers=args.jobs if args.jobs > 1 else None,
    )


def _given(args: argparse.Namespace, report: Report) -> Iterator[Sentence] | None:
    """The sentences with morphemes, if the user has any."""
    from sejongud.pipeline import read

    if args.morphemes is None:
        return None
    # A sentence that is left out here would be missing there.
    on_error: OnError = "stop" if args.on_error == "stop" else "keep"
    return read(args.morphemes, on_error=on_error, rules=args.rules, report=report)


def _summary(forward: Forward) -> str:
    """What was done, in lines."""
    counts = forward.counts
    lines = [
        f"{counts['sentences']:,} sentences, {counts['eojeols']:,} eojeols,"
        f" {counts['entities']:,} entities"
    ]
    for key, what in (
        ("edge spaces", "sentences had entities with spaces at their edges"),
        ("ill-formed labels", "labels of the corpus were ill-formed and are kept"),
        ("inside morphemes", "entities began or ended inside a morpheme"),
        ("ner_rows", "sentences keep labels of rows in a comment (ner_rows)"),
        ("ner_lines", "sentences keep lines in a comment (ner_lines)"),
        ("ner_block", "sentences are kept whole in a comment (ner_block)"),
    ):
        if counts[key]:
            lines.append(f"{counts[key]:,} {what}")
    if any(forward.steps):
        steps = ", ".join([f"{step}: {n:,}" for step, n in sorted(forward.steps.items())])
        lines.append(f"eojeols of entities by the steps of shrinking they needed: {steps}")
    return "\n".join(lines)


def _layout_of(args: argparse.Namespace, source: Source) -> LabelFormat:
    """The format that is named, or the one that the input looks like."""
    if args.format is not None:
        return label_format(*recognise(args.format, source.head(), ENTITY_FORMATS))
    found = sniff(source.head(), ENTITY_FORMATS)
    if found is None and not source.head().strip():
        raise FormatError("there is no sentence in the file", path=source.path, code="E107")
    if found is None:
        raise UsageError(
            f"{source.path} looks like no entity corpus: name its format with --format:"
            f" {', '.join(ENTITY_FORMATS)}"
        )
    if not args.quiet:
        say(f"{source.path}: detected format: {found} (override with --format)")
    return label_format(*found)


def _backward(args: argparse.Namespace) -> int:
    from sejongud.entities import Backward, format_of
    from sejongud.formats.conllu import ConlluReader
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import load

    unit = _BACKWARD[args.action][0]
    layout = None
    if args.format is not None:
        name, _, settings = args.format.partition(":")
        layout = label_format(name, settings)
    reader = ConlluReader(Assembler(load(args.rules)), keep=args.on_error == "keep")
    with (
        open_input(args) as source,
        reporting(args) as report,
        open_output(args) as out,
        without_collector(),
    ):
        # The sentence that says it may be one that cannot be read.
        named = format_of(source.head())
        default = named or _USUAL[unit]
        backward = Backward(layout, default, named=bool(named), mend=args.repair)
        frames = reader.frame(source.chunks())
        for sentence in reader.read(frames, source.path, args.on_error, report):
            text = backward.text(sentence)
            written = cast("LabelFormat", backward.layout)
            if written.unit != unit:
                other = next(name for name, (of, _) in _BACKWARD.items() if of != unit)
                raise UsageError(f"{written.name} has labels of {written.unit}s: use {other}")
            out.write(text)
        out.write(backward.end())
        if not args.quiet:
            say("\n".join(backward.summary()))
    return 1 if report.errors else 0


def _crf(args: argparse.Namespace) -> int:
    from sejongud.converters.recut import Recut
    from sejongud.formats.conllu import ConlluReader, ConlluWriter
    from sejongud.formats.crf import crf_text, labelled_sentences
    from sejongud.levels.cut import Granularity
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import load

    rules = load(args.rules)
    granularity = Granularity(rules, args.level, upos=args.upos, lemmas=args.lemmas)
    writer = ConlluWriter(Recut(granularity))
    reader = ConlluReader(Assembler(rules), keep=args.on_error == "keep")
    with (
        open_input(args) as source,
        open_input(args, args.labels) if args.labels else nullcontext() as columns,
        reporting(args) as report,
        open_output(args) as out,
        without_collector(),
    ):
        frames = reader.frame(source.chunks())
        sentences = reader.read(frames, source.path, args.on_error, report)
        if columns is None:
            for sentence in sentences:
                out.write(crf_text(sentence, granularity))
        else:
            lines = columns.lines()
            for sentence in labelled_sentences(sentences, lines, granularity, columns.path):
                out.write(writer.sentence(sentence))
    return 1 if report.errors else 0


def _check(args: argparse.Namespace) -> int:
    from sejongud.formats.conllu import ConlluReader
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import load
    from sejongud.validation.entities import EntityCheck

    with (
        open_input(args) as source,
        reporting(args) as report,
        open_output(args) as out,
        without_collector(),
    ):
        rules = load(args.rules)
        check = EntityCheck(rules, report, source.path)
        found = sniff(source.head()) if args.format is None else None
        if args.format == "conllu" or (found and not found.is_entities):
            reader = ConlluReader(Assembler(rules), keep=args.on_error == "keep")
            frames = reader.frame(source.chunks())
            for sentence in reader.read(frames, source.path, args.on_error, report):
                check.add(sentence)
        else:
            layout = _layout_of(args, source)
            forward = _make_forward(args, Assembler(rules), layout, report, source, check=True)
            for sentence in forward.sentences(source.chunks(), _given(args, report)):
                check.add(sentence)
        out.write(check.table())
    return 1 if report.errors else 0
