"""The command `gec convert`: one format of corrections to another, with judges and layers."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sejongud.commands import (
    choose_format,
    corpora,
    guard_files,
    guard_inputs,
    inform,
    is_pipe,
    open_input,
    reporting,
    say_format,
    told_totals,
    write_output,
)
from sejongud.converters.jobs import as_conllu, columns_of
from sejongud.converters.pair_jobs import PairConversion, source_notes
from sejongud.errors import FormatError, Note, Report, UsageError
from sejongud.files import Source, atomic_output
from sejongud.formats import CORRECTION_FORMATS, corrections_format, sniff
from sejongud.formats.around import layout_for
from sejongud.formats.corrections import joined_lines, together
from sejongud.formats.finding import may_be_pairs
from sejongud.gec.edits import Corrections, Pair, skipped_notes, text_notes
from sejongud.gec.judges import EditCounts, Judgements, columns, columns_text, rows_of
from sejongud.model import MORPHEMES
from sejongud.pipeline import convert_stream
from sejongud.rules import Rules, load
from sejongud.terminal import clean, data_text

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TextIO

    from sejongud.converters.corrected import Placed
    from sejongud.formats.corrections import CorrectionsFormat


_PARALLEL, _TSV, _LEARNER, _M2, _CONLLU, _HTML = (
    "parallel", "tsv", "learner-xml", "m2", "conllu", "html",
)  # fmt: skip
_REGISTERED = {"jsonl": "gec-jsonl"}
"""The name in options → the name in the register, where `jsonl` has sentences of morphemes."""
_OPTION_NAMES = {registered: name for name, registered in _REGISTERED.items()}

READ = tuple([_OPTION_NAMES.get(name, name) for name in CORRECTION_FORMATS])
"""The names of the formats that are read."""

_UNIT = "edit[s]"
_OF_TEXTS = {"align": "align_texts", "clean": "clean"}
"""The options of texts that are read at once → their keywords."""
_HANGUL = re.compile("[가-힣]")


# --- the sub-commands -----------------------------------------------------------------------------


def convert(args: Namespace) -> int:
    """Convert between the formats of corrections.

    M2 is what scorers read; JSON Lines loads with Hugging Face datasets; CoNLL-U keeps the edits with
    the morphemes, which Kiwi finds; html is a page to look at; tsv and parallel hold texts without
    edits. M2 that is written as M2 stays as it was, byte for byte.
    """
    if args.from_ != _PARALLEL:
        _outputs_last(args)
    if args.to is None:
        raise UsageError(f"name the format of OUT with --to: {args.writes.replace(' ', ', ')}")
    with reporting(args) as report, read_input(args, args.inputs, report) as given:
        inform(args, write_pairs(args, given, report))
    return 1 if report.errors else 0


def apply(args: Namespace) -> int:
    """Write the corrected text of each sentence, a sentence a line."""
    _outputs_last(args)
    annotator = None if args.uncorrected else args.annotator
    args.jobs = 1
    with ExitStack() as stack:
        report = stack.enter_context(reporting(args))
        given = stack.enter_context(read_input(args, args.inputs, report))
        own = {"is_strict": args.on_error == "stop", "rules": load(args.rules)}
        if args.source_text is not None:
            source = stack.enter_context(open_input(args, args.source_text))
            own |= {"path": source.path, "lines": source.lines()}
        writer = partial(AppliedWriter, annotator, **own)
        write_pairs(args, given, report, file_writer=writer)
    return 1 if report.errors else 0


def stats(args: Namespace) -> int:
    """Count edits: how many there are, of which types and operations, and how annotators agree."""
    files, status = _counted(args, EditCounts)
    if len(files) == 1:
        _write_counts(args, *files.values())
    else:
        data = {path: counts.to_dict() for path, counts in files.items()}
        rows = [("table", "key", *files), *columns(files)]
        _write(args, data, columns_text(files), rows)
    return status


def agree(args: Namespace) -> int:
    """Tell which shares of the edits annotators accept, and how far they agree."""
    judgements = Judgements(args.proposals)
    _, status = _counted(args, lambda: judgements)
    _write_counts(args, judgements)
    return status


T = TypeVar("T", EditCounts, Judgements)


def _counted(args: Namespace, make: Callable[[], T]) -> tuple[dict[str, T], int]:
    """Return the counts of each input, and the exit status."""
    files: dict[str, T] = {}
    with reporting(args) as report:
        for path in corpora(args, args.inputs, lambda name, _: name in CORRECTION_FORMATS):
            files[path] = counts = make()
            with read_input(args, [path], report) as given:
                for _, item in read_pairs(args, given, report):
                    counts.add(given.layout.edited(item))
    return files, 1 if report.errors else 0


def _write_counts(args: Namespace, counts: EditCounts | Judgements) -> None:
    data = counts.to_dict()
    _write(args, data, counts.to_text(), [("table", "key", "value"), *rows_of(data)])


def _write(
    args: Namespace, data: Mapping[str, object], text: str, rows: Iterable[Sequence[Any]]
) -> None:
    """Write counts in the form that is chosen: JSON, text, or a table of data."""
    table = clean(text, "\n\t") if args.to == "text" else data_text(args.to, rows)
    write_output(args, data if args.to == "json" else table)


def _outputs_last(args: Namespace) -> None:
    """Take the second of two files for the output: IN OUT.

    Raises:
        UsageError: the files cannot be told apart, the output is an input, or its format cannot be
            written.
    """
    if len(args.inputs) == 2 and not args.outputs:
        args.outputs = [args.inputs.pop()]
        choose_format(args)
        guard_inputs(args)
        guard_files(args)
    if len(args.inputs) > 1:
        raise UsageError(
            f"one input is read, and {len(args.inputs)} are named; parallel text is read with"
            " --from parallel, and -o names the output"
        )


class Input(NamedTuple):
    """An input that is read.

    Args:
        source: the file, the first of several.
        layout: its format.
        items: the sentences of several files with their lines; None for those of the file.
        columns: the columns of CoNLL-U Plus for the layers of its sentences.
        settings: how the texts were cleaned and aligned, for the signature.
    """

    source: Source
    layout: CorrectionsFormat
    items: Iterator[tuple[int, Any]] | None = None
    columns: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}

    @property
    def spec(self) -> str:
        """The format with its settings; `parallel` has a reader of sentences that are given."""
        if self.items is not None:
            return _PARALLEL
        return ":".join(filter(None, (self.layout.name, self.layout.settings)))


@contextmanager
def read_input(args: Namespace, paths: Sequence[str], report: Report) -> Iterator[Input]:
    """Open an input: one file, or several with parallel lines.

    Raises:
        UsageError: the format is not recognised, or has another number of files.
    """
    with ExitStack() as stack:
        sources = [stack.enter_context(open_input(args, path)) for path in paths]
        if args.from_ is None and len(sources) == 1:
            own = as_conllu(sources[0], report, on_error=args.on_error, rules=args.rules)
            sources = [stack.enter_context(own)]
        layout = _layout_of(args, sources)
        asked = [f"--{name}" for name in _OF_TEXTS if getattr(args, _OF_TEXTS[name], False)]
        if asked and (layout.name != _PARALLEL or len(sources) == 1):
            raise UsageError(f"{asked[0]} is for texts: name the files of SOURCE and TARGET")
        if asked:
            yield _whole_texts(args, sources, layout, report)
        elif len(sources) == 1:
            columns = columns_of(_CONLLU, sources[0].head()) if layout.name == _CONLLU else ()
            yield Input(sources[0], layout, None, columns)
        elif layout.name == _PARALLEL:
            if not any(map(is_pipe, paths)) and (args.outputs or ["-"]) == ["-"]:
                # A file appears when it is whole; standard output is written from the first line.
                _check_lines(args, paths)
            yield Input(sources[0], layout, together(sources, report))
        else:
            name = _OPTION_NAMES.get(layout.name, layout.name)
            raise UsageError(f"{name} is one file, not several")


def _whole_texts(
    args: Namespace, sources: Sequence[Source], layout: CorrectionsFormat, report: Report
) -> Input:
    """Read parallel texts at once, to clean and to align them.

    Raises:
        FormatError: a text has more lines than another, and they are not aligned.
    """
    from sejongud.gec.boundaries import Text, align_texts, cleaned

    source, *targets = [Text.of(one.path, one.lines()) for one in sources]
    settings = {}
    if args.clean:
        targets, settings["clean"] = cleaned(targets, report, source.texts, rules=load(args.rules))
    if args.align_texts:
        groups, more = align_texts(source, targets, report)
        settings |= more
        items = iter([(group.line, group.pair) for group in groups])
    else:
        items = joined_lines([(text.path, text.texts) for text in (source, *targets)], report)
    return Input(sources[0], layout, items, settings=settings)


def _check_lines(args: Namespace, paths: Sequence[str]) -> None:
    """Check that parallel files have a line for each sentence, before anything is written.

    Raises:
        FormatError: a file has more lines than another.
    """
    with ExitStack() as stack:
        sources = [stack.enter_context(Source(path, encoding=args.encoding)) for path in paths]
        for _ in together(sources, Report()):
            pass


_NO_LINES = (_CONLLU, "jsonl", _M2)
"""Formats that could be taken for parallel texts."""


def _layout_of(args: Namespace, sources: Sequence[Source]) -> CorrectionsFormat:
    """Return the format that is named, or the one that the files look like.

    Raises:
        UsageError: the file looks like none.
    """
    columns = " ".join((getattr(args, "columns", None) or "").replace(",", " ").split())
    name, settings = args.from_, ""
    if columns and name in (None, _TSV):
        name, settings = _TSV, columns
    elif name is None and len(sources) > 1:
        name = _PARALLEL
        for source in sources:
            if source.head().strip() and (found := sniff(source.head(), _NO_LINES)):
                raise UsageError(
                    f"{source.path} looks like {found.name}, whose lines are no sentences: analysed"
                    " sentences are named with `gec annotate --analysis`, and --from parallel reads"
                    " the lines as they are"
                )
    else:
        head = sources[0].head()
        names = CORRECTION_FORMATS if name is None else (_REGISTERED.get(name, name),)
        if found := sniff(head, names):
            name, settings = found
        elif name is None:
            if not may_be_pairs(head):
                raise UsageError(
                    f"{sources[0].path} looks like no file of corrections: name its format with"
                    f" --from: {', '.join(READ)}"
                )
            name = _TSV
        if args.from_ is None:
            say_format(args, sources[0].path, _OPTION_NAMES.get(name, name))
    if name == _LEARNER and getattr(args, "spoken", False):
        settings = "spoken"
    return corrections_format(_REGISTERED.get(name, name), settings, load(args.rules))


def read_pairs(args: Namespace, given: Input, report: Report) -> Iterator[Placed]:
    """Iterate over the sentences of an input, each with its place."""
    own = {"on_error": args.on_error, "rules": args.rules, "path": given.source.path}
    reader: Any = PairConversion(given.spec, **own).make_reader()
    pairs: Iterator[Placed] = reader.pairs_of(given.source, args.on_error, report)
    return pairs


# --- writing --------------------------------------------------------------------------------------


def write_pairs(
    args: Namespace, given: Input, report: Report, signature: str = "", **options: Any
) -> str:
    """Write the sentences of an input in the format of --to, and return their numbers in words.

    Args:
        args: the arguments of the command.
        given: the input.
        report: collects the incidents.
        signature: the settings that made the edits, for the page.
        options: further options of the conversion.

    Raises:
        FormatError: the first error, with --on-error stop.
        UsageError: the number of outputs is wrong.
    """
    paths = args.outputs or ["-"]
    if args.to != _PARALLEL and len(paths) > 1:
        raise UsageError(f"{args.to} is one file: name one output with -o")
    if args.to == _HTML:
        page = {
            "title": args.title or str(given.source.path),
            "signature": signature,
            "limit": args.limit,
            "morphemes": partial(morphemes_of, rules=load(args.rules)),
        }
        options["file_writer"] = partial(PageWriter, given.layout, **page)
    elif args.to == _M2 and given.layout.name == _M2:
        options["settings"] = given.layout.settings
    own: dict[str, Any] = {
        "columns": given.columns if args.to == _CONLLU else (),
        "texts": len(paths) if args.to == _PARALLEL else 0,
        "level": getattr(args, "level", None) or MORPHEMES,
        "on_error": args.on_error,
        "rules": args.rules,
        "path": given.source.path,
    }
    writer = _REGISTERED.get(args.to, args.to)
    layout = layout_for(writer, given.source.head())
    if args.to == _M2 == given.layout.name:
        layout = given.source.layout
    conversion = PairConversion(given.spec, writer, **own, **options)
    with ExitStack() as stack:
        outs = [stack.enter_context(atomic_output(path, layout)) for path in paths]
        out: Any = outs[0] if len(outs) == 1 else _Dealing(outs)
        totals = convert_stream(
            conversion, given.source, out, report, given=given.items, jobs=args.jobs
        )
    if (tally := getattr(args, "tally", None)) is not None:
        tally.unit = _UNIT
    return "".join(told_totals(args, totals, _UNIT))


class _Dealing:
    """Writes each text of a sentence to a file of its own.

    Args:
        outs: the files.
    """

    def __init__(self, outs: Sequence[TextIO]) -> None:
        self._outs = outs

    def write(self, text: str) -> None:
        """Write the texts of whole sentences, a line each."""
        lines = text.split("\n")[:-1]
        for number, out in enumerate(self._outs):
            out.writelines([line + "\n" for line in lines[number :: len(self._outs)]])


@dataclass
class AppliedWriter:
    """Writes the corrected text of each sentence, a sentence a line.

    Args:
        annotator: whose corrections are applied; None for none.
        is_strict: whether overlapping edits are an error; else the source is written, so that the
            lines stay parallel to the sentences.
        rules: the tables.
        path: the file with the texts of the sources, whose spaces and marks stay; "" for none.
        lines: its lines.
    """

    annotator: int | None
    _: KW_ONLY
    is_strict: bool
    rules: Rules
    path: str = ""
    lines: Iterable[str] = ()

    def __post_init__(self) -> None:
        self._lines = enumerate(self.lines, 1)
        self._notes: list[Note] = []

    def sentence(self, item: Any) -> str:
        """Return the line of a sentence.

        Raises:
            FormatError: two edits overlap, and that is an error.
        """
        annotator = self.annotator
        self._notes = text_notes(item, -1 if annotator is None else annotator)
        try:
            if self.path and not isinstance(item, Pair):
                return self._corrected(item) + "\n"
            return _applied(item, annotator) + "\n"
        except FormatError as error:
            if self.is_strict:
                raise
            self._notes = [Note(error.code, error.message), *skipped_notes(item)]
            return _applied(item, None) + "\n"

    def loses(self, item: Any) -> list[Note]:
        """Return the incidents of the last sentence."""
        return self._notes

    def end(self) -> str:
        """Return nothing, after a check that no text is left over.

        Raises:
            FormatError: a line has no sentence.
        """
        for number, line in self._lines:
            if line.strip():
                message = "the line has no sentence among the edits"
                raise FormatError(message, path=self.path, line=number, code="E422")
        return ""

    def _corrected(self, item: Corrections) -> str:
        """Return the text of a sentence with the edits of the annotator applied.

        Raises:
            FormatError: the next lines are not the text of the sentence, or edits overlap.
        """
        from sejongud.gec.edits import SPACE, apply_to_text, level_of

        size = len("".join(item.tokens).replace(SPACE, ""))
        parts: list[str] = []
        number = 0
        while sum(len("".join(part.split())) for part in parts) < size:
            number, line = next(self._lines, (0, None))
            if line is None:
                message = "the text ends before the sentence"
                raise FormatError(f"{message} {' '.join(item.tokens)!r:.60}", code="E422")
            parts += [line] if line.strip() else []
        edits = () if self.annotator is None else item.edits.get(self.annotator, ())
        # A sentence of one eojeol has no token for a space; its tokens are single characters.
        spaces = any([SPACE in edit.correction for edit in edits])
        chars = level_of(item.comments) == "char" or SPACE in item.tokens or spaces
        text = " ".join(parts)
        try:
            return apply_to_text(text, item.tokens, edits, chars=chars, rules=self.rules)
        except FormatError as error:
            error.message += f" ({self.path}:{number})" if error.code == "E422" else ""
            raise


def _applied(item: Corrections | Pair, annotator: int | None) -> str:
    """Return the corrected text by an annotator; the source for None, or if he made no change.

    Raises:
        FormatError: two edits overlap.
    """
    if isinstance(item, Pair):
        targets = item.targets[annotator : annotator + 1] if annotator is not None else ()
        return " ".join((targets[0] if targets else item.source).split())
    if annotator is None or annotator not in item.edits:
        return " ".join(item.tokens)
    return " ".join(item.target(annotator))


class PageWriter:
    """Writes a page to look at.

    Args:
        layout: the format of the file that is read, which tells the edits of a sentence.
        options: of the page; see `sejongud.report.edit_page`.
    """

    def __init__(self, layout: CorrectionsFormat, **options: Any) -> None:
        from sejongud.report import PagePrinter

        self._edited = layout.edited
        self._page = PagePrinter(**options)
        self.preamble = self._page.head

    def sentence(self, item: Any) -> str:
        """Return the row of a sentence.

        Raises:
            UsageError: source and targets have not been compared.
        """
        from sejongud.report import rows_of

        [row] = rows_of([self._edited(item)])
        return self._page.row(row)

    def loses(self, item: Any) -> list[Note]:
        """Return the incidents of the layers of a sentence that the page does not show."""
        return source_notes(item)

    def end(self) -> str:
        """Return the end of the page."""
        return self._page.end()


def morphemes_of(text: str, rules: Rules | None = None) -> str:
    """Return the morphemes of Korean text by Kiwi, for the notes of a page; else the text.

    Args:
        text: the text.
        rules: the tables; None for the package's own.

    >>> morphemes_of("갔다"), morphemes_of("went")
    ('가/VV+았/EP+다/EF', 'went')
    """
    if not _HANGUL.search(text):
        return text
    from sejongud.gec.tokens import analysed

    [tokens] = analysed([text], rules)
    return " ".join(
        ["+".join([f"{one.form}/{one.tag}" for one in token.morphemes]) for token in tokens]
    )
