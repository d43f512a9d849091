"""The parts that several sub-commands of `ner` and of `frame` are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.commands import is_pipe, read_beside, say, settings_of
from sejongud.converters.between import format_in
from sejongud.converters.entities import Forward
from sejongud.converters.recut import Recut
from sejongud.converters.type_maps import load_map
from sejongud.errors import Incident
from sejongud.files import Source
from sejongud.formats import ENTITY_FORMATS, label_format, sniff
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.units import expect_known_unit
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from sejongud.converters.type_maps import TypeMap
    from sejongud.errors import Note, Report
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence


def given_sentences(args: argparse.Namespace, report: Report) -> Iterator[Sentence] | None:
    """Return the sentences with morphemes, if the user has any."""
    if args.morphemes is None:
        return None
    form = _morphemes_of_nikl(args.morphemes)
    return read_beside(args, args.morphemes, report, from_=form)


def _morphemes_of_nikl(path: str) -> str | None:
    """Return "modu" for a file of NIKL with entities and morphemes, else None; no pipe is read."""
    if is_pipe(path):
        return None
    with Source(path) as source:
        head = source.head()
    found = sniff(head, ENTITY_FORMATS)
    return "modu" if found and found.name == "modu-ne" and '"morpheme"' in head else None


def conllu_sentences(
    args: argparse.Namespace, chunks: Iterable[str], path: str, report: Report
) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences of CoNLL-U, each with the number of its first line.

    Args:
        args: of the command.
        chunks: the text, each chunk ending at a line's end.
        path: of the file.
        report: collects the incidents.
    """
    reader = ConlluReader(Assembler(load(args.rules)), keep=args.on_error == "keep")
    pairs = reader.pairs(reader.frame(chunks), path, args.on_error, report)
    return ((frame.line, sentence) for frame, sentence in pairs)


def layout_in(args: argparse.Namespace, source: Source) -> LabelFormat:
    """Return the format that is named, or the one that the input looks like."""
    found = format_in(args.from_, source, ENTITY_FORMATS)
    if args.from_ is None:
        if not args.quiet:
            say(f"{source.path}: detected format: {found} (override with --from)")
        expect_known_unit(found, source.head(), source.path, load(args.rules))
    return label_format(*found, path=source.path)


def make_forward(
    args: argparse.Namespace, layout: LabelFormat, path: str, report: Report
) -> Forward:
    """Return the conversion of a corpus to morphemes.

    Args:
        args: of the command; an option that it lacks has its usual value.
        layout: the format of the corpus.
        path: of the corpus, for messages.
        report: collects the incidents.
    """
    own = {
        "report": report,
        "scheme": getattr(args, "label_scheme", None) or "bio",
        "path": path,
        "workers": args.jobs if args.jobs > 1 else None,
    }
    return Forward(Assembler(load(args.rules)), layout, **settings_of(args, Forward) | own)


def make_writer(args: argparse.Namespace, **options: Any) -> ConlluWriter:
    """Return the writer of CoNLL-U at the level and in the schemes of the options.

    Args:
        args: the arguments of the command.
        options: the other arguments of `ConlluWriter`.
    """
    granularity = Granularity(load(args.rules), args.level, upos=args.upos, lemmas=args.lemmas)
    retag, relemma = args.upos is not None, args.lemmas is not None
    return ConlluWriter(Recut(granularity, retag=retag, relemma=relemma), **options)


def tell(
    notes: Iterable[Note],
    sentence: Sentence,
    report: Report,
    path: str,
    line: int,
    codes: Counter[str],
) -> None:
    """Report the notes of a sentence and what was not written of it, and count their codes.

    Args:
        notes: of what was not written.
        sentence: with its own notes.
        report: collects the incidents.
        path: of the file.
        line: of the sentence in it.
        codes: to which those of the notes are added.
    """
    every = (*sentence.notes, *notes)
    codes.update([code for code, _ in every])
    report.tell(every, path, line, sentence.sent_id)


def tell_line_ends(source: Source, report: Report) -> None:
    """Report that a file has line ends of several kinds, which do not come back."""
    if source.has_mixed_line_ends:
        message = f"the file has line ends of several kinds, and comes back as {source.layout}"
        report.add(Incident("W614", message, source.path))


def type_map(args: argparse.Namespace) -> TypeMap | None:
    """Return the map of types that the user named, if any."""
    return load_map(args.map, load(args.rules)) if args.map is not None else None
