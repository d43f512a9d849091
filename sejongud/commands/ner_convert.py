"""The parts that several sub-commands of `ner` and of `frame` are made of."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sejongud.commands import (
    Tally,
    guard_files,
    is_pipe,
    lines_beside,
    open_input,
    reporting,
    say,
    say_format,
    settings_of,
)
from sejongud.converters.between import WRITTEN, OutputTarget, binary_in, format_in
from sejongud.converters.corpus_jobs import EntityConversion
from sejongud.converters.entities_back import TypeMap, load_map
from sejongud.converters.jobs import with_columns
from sejongud.converters.recut import Recut
from sejongud.errors import Incident, Note, OnError, Report, UsageError
from sejongud.files import Source
from sejongud.files.layout import PLAIN
from sejongud.formats import ENTITY_FORMATS, expect_known_unit, output_format, resolve, sniff
from sejongud.formats.conllu import ConlluWriter
from sejongud.levels.cut import Granularity
from sejongud.pipeline import convert_stream, without_collector
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from sejongud.model import Sentence


def read_beside(
    args: argparse.Namespace, path: str, report: Report, from_: str | None = None
) -> Iterator[Sentence]:
    """Return the sentences of a file that belong to the sentences of the input.

    Args:
        args: the arguments of the command.
        path: the file.
        report: receives the incidents.
        from_: its format; None to detect it.
    """
    from sejongud.converters.jobs import read

    # A sentence that is left out here would be missing there.
    on_error: OnError = "stop" if args.on_error == "stop" else "keep"
    return read(path, from_=from_, on_error=on_error, rules=args.rules, report=report)


def given_sentences(args: argparse.Namespace, report: Report) -> Iterator[Sentence] | None:
    """Return the sentences with morphemes, if the user has any."""
    if args.morphemes is None:
        return None
    form = _morphemes_of_nikl(args.morphemes)
    return read_beside(args, args.morphemes, report, from_=form)


def given_columns(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the columns of the layers that the sentences with morphemes have; none for a pipe."""
    if args.morphemes is None or is_pipe(args.morphemes):
        return ()
    with Source(args.morphemes) as source:
        name = resolve(_morphemes_of_nikl(args.morphemes), source.head(), source.path, args.rules)
        with with_columns(name, "conllu", source) as (_, columns):
            return columns


def _morphemes_of_nikl(path: str) -> str | None:
    """Return "modu" for a file of NIKL with entities and morphemes, else None; no pipe is read."""
    if is_pipe(path):
        return None
    with Source(path) as source:
        head = source.head()
    found = sniff(head, ENTITY_FORMATS)
    return "modu" if found and found.name == "modu-ne" and '"morpheme"' in head else None


def corpus_in(args: argparse.Namespace, source: Source) -> str:
    """Return the format that is named, or the one that the input looks like."""
    found = format_in(args.from_, source, ENTITY_FORMATS)
    if args.from_ is None:
        if not args.quiet:
            say(f"{source.path}: detected format: {found} (override with --from)")
        expect_known_unit(found, source.head(), source.path, load(args.rules))
    return found.beside(source.path).spec


def reader_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the reader of a corpus; one that `args` lacks has its usual value."""
    own = {
        name: getattr(args, name)
        for name in ("inherit", "exclusion", "blind")
        if hasattr(args, name)
    }
    return {
        **own,
        "nested": getattr(args, "nested", False),
        "scheme": getattr(args, "label_scheme", None) or "bio",
        "workers": args.jobs if args.jobs > 1 else None,
    }


def conversion_of(
    args: argparse.Namespace, name: str, source: Source, **own: Any
) -> EntityConversion:
    """Return the conversion of a file.

    Args:
        args: of the command.
        name: the format of the file.
        source: the file.
        own: the fields that the arguments do not name, or mean in another way.
    """
    fields = {"reader": name, "path": source.path, "label_scheme": "", "tags": False, **own}
    return EntityConversion(**settings_of(args, EntityConversion) | fields)


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
    codes.update([code for code, *_ in every])
    report.tell(every, path, line, sentence.sent_id)


def tell_line_ends(source: Source, report: Report) -> None:
    """Report that a file has line ends of several kinds, which do not come back."""
    if source.has_mixed_line_ends:
        message = f"the file has line ends of several kinds, and comes back as {source.layout}"
        report.add(Incident("W614", message, source.path))


def type_map(args: argparse.Namespace) -> TypeMap | None:
    """Return the map of types that the user named, if any."""
    return load_map(args.map, load(args.rules)) if args.map is not None else None


# --- convert --------------------------------------------------------------------------------------


_CONLLU = "conllu"


def convert(args: argparse.Namespace) -> int:
    """Convert between any two formats of entities, through morphemes."""
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
        if totals.summary and not args.quiet:
            say("\n".join(totals.summary))
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
