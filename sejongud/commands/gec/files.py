"""The parts that sub-commands share: reading, work in one process or several, writing."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.commands import is_pipe, open_input, say_format
from sejongud.commands.gec.options import HTML, OPTION_NAMES, READ, REGISTERED
from sejongud.errors import FormatError, Incident, Report, UsageError
from sejongud.files import Source, atomic_output
from sejongud.formats import CORRECTION_FORMATS, corrections_format, sniff
from sejongud.gec.edits import Pair, skipped_notes, stated_edits
from sejongud.process.parallel import ordered_map
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from sejongud.errors import OnError
    from sejongud.formats.corrections import CorrectionsFormat
    from sejongud.gec.edits import Corrections
    from sejongud.model import Sentence
    from sejongud.rules import Rules

    Placed = tuple[int, Any]
    """A sentence (Corrections, Pair or Analysed) with the number of its line."""
    Made = tuple[int, Corrections | Pair, Sentence | None]
    """A sentence that can be written, with its line and its own analysis."""
    Fault = Callable[[FormatError, Placed], None]
    """Called with an error and the sentence that is left out."""
    Step = Callable[[Sequence[Placed], Report, Fault], Iterable[Made]]

_PARALLEL, _TSV, _LEARNER = "parallel", "tsv", "learner-xml"

_BATCH = 200
"""The number of sentences that a process takes at a time."""


# --- sentences ------------------------------------------------------------------------------------


class Analysed(NamedTuple):
    """A source and its targets as analysed sentences."""

    sides: tuple[Sentence, ...]
    """The source first."""
    sent_id: str = ""
    comments: tuple[str, ...] = ()


# --- reading --------------------------------------------------------------------------------------


class Input(NamedTuple):
    """An input that is read."""

    path: str
    layout: CorrectionsFormat
    items: Iterator[Placed]


@contextmanager
def read_items(args: argparse.Namespace, paths: Sequence[str], report: Report) -> Iterator[Input]:
    """Open an input: one file, or several with parallel lines.

    Raises:
        UsageError: the format is not recognised, or has another number of files.
    """
    with ExitStack() as stack:
        sources = [stack.enter_context(open_input(args, path)) for path in paths]
        layout = layout_of(args, sources)
        if layout.name == _PARALLEL and len(sources) > 1:
            from sejongud.formats.pairs import together

            if not any(map(is_pipe, paths)) and (args.outputs or ["-"]) == ["-"]:
                # A file appears when it is whole; standard output is written from the first line.
                _check_lines(args, paths)
            yield Input(sources[0].path, layout, together(sources, report))
        elif len(sources) > 1:
            raise UsageError(
                f"{OPTION_NAMES.get(layout.name, layout.name)} is one file, not several"
            )
        else:
            items = layout.numbered(sources[0], args.on_error, report)
            yield Input(sources[0].path, layout, items)


def _check_lines(args: argparse.Namespace, paths: Sequence[str]) -> None:
    """Check that parallel files have a line for each sentence, before anything is written.

    Raises:
        FormatError: a file has more lines than another.
    """
    from sejongud.formats.pairs import together

    with ExitStack() as stack:
        sources = [stack.enter_context(Source(path, encoding=args.encoding)) for path in paths]
        for _ in together(sources, Report()):
            pass


def layout_of(args: argparse.Namespace, sources: Sequence[Source]) -> CorrectionsFormat:
    """Return the format that is named, or the one that the files look like.

    Raises:
        UsageError: the file looks like none.
    """
    columns = " ".join((getattr(args, "columns", None) or "").replace(",", " ").split())
    name = args.from_
    settings = columns if name == _TSV else ""
    if name is None and columns:
        name, settings = _TSV, columns
    elif name is None and len(sources) > 1:
        name = _PARALLEL
    elif name is None or not settings:
        head = sources[0].head()
        names = CORRECTION_FORMATS if name is None else (REGISTERED.get(name, name),)
        found = sniff(head, names)
        if found is None and name is None:
            if "\t" not in head.partition("\n")[0]:
                raise UsageError(
                    f"{sources[0].path} looks like no file of corrections: name its format with"
                    f" --from: {', '.join(READ)}"
                )
            name = _TSV
        elif found is not None:
            name, settings = found
        if args.from_ is None:
            say_format(args, sources[0].path, OPTION_NAMES.get(name, name))
    if name == _LEARNER and getattr(args, "spoken", False):
        settings = "spoken"
    return corrections_format(REGISTERED.get(name, name), settings, load(args.rules))


def leave_out(
    args: argparse.Namespace, given: Input, report: Report, error: FormatError, placed: Placed
) -> None:
    """Report the error of a sentence that is left out, or raise it with --on-error stop."""
    line, item = placed
    error.at(path=given.path, line=line)
    if args.on_error == "stop":
        raise error
    report.add(error.incident(sent_id=item.sent_id))
    report.tell(skipped_notes(item), given.path, line, item.sent_id)


def numbered(items: Iterable[Placed]) -> Iterator[Placed]:
    """Give each sentence without an id its number, from 1."""
    for number, (line, item) in enumerate(items, 1):
        yield line, item if item.sent_id else item._replace(sent_id=str(number))


# --- work -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """The work on a batch; it pickles.

    Args:
        step: makes the sentences that are written of those that were read; None to leave them.
        to: the name of the format to write in the register; "" to return the sentences.
        settings: of the format.
        on_error: "stop", "skip" or "keep".
        path: of the input, for messages.
        rules: the folder of the user's tables.
    """

    step: Step | None
    to: str
    settings: str
    on_error: OnError
    path: str
    rules: str | None = None


class Done(NamedTuple):
    """The result of a batch."""

    texts: list[str]
    items: list[Corrections | Pair]
    incidents: list[Incident]
    edits: int
    error: FormatError | None = None
    """The error that ended the batch."""


def done(job: Job, batch: Sequence[Placed]) -> Done:
    """Return the sentences of a batch, as text if the job names a format."""
    step, layout = _work(job)
    texts: list[str] = []
    items: list[Corrections | Pair] = []
    incidents: list[Incident] = []
    given = {placed[1].sent_id: placed for placed in batch}
    edits = 0

    def tell(incident: Incident) -> None:
        line = incident.line or given.get(incident.sent_id, (0,))[0]
        incidents.append(replace(incident, path=job.path, line=line))

    def fault(error: FormatError, placed: Placed) -> None:
        error.at(path=job.path, line=placed[0])
        if job.on_error == "stop":
            raise error
        line, item = given.get(placed[1].sent_id, placed)
        incidents.append(error.incident(sent_id=item.sent_id))
        if not isinstance(item, Analysed):
            report.tell(skipped_notes(item), job.path, line, item.sent_id)

    report = Report(tell)
    error = None
    try:
        for line, item, source in step(batch, report, fault):
            try:
                if layout is None:
                    items.append(item)
                elif source is not None:
                    texts.append(layout.of_sentence(source, layout.edited(item)))
                else:
                    texts.append(layout.sentence(item))
            except FormatError as raised:
                fault(raised, (line, item))
            else:
                if layout is not None:
                    report.tell(layout.loses(item), job.path, line, item.sent_id)
                edits += len(stated_edits(item)) if layout is None or layout.has_edits else 0
    except FormatError as raised:
        # Its traceback would hold this call, which holds the error.
        error = raised.with_traceback(None)
    return Done(texts, items, incidents, edits, error)


@lru_cache(maxsize=1)
def _work(job: Job) -> tuple[Step, CorrectionsFormat | None]:
    """Return what a process needs for a job, and keeps."""
    layout = corrections_format(job.to, job.settings, load(job.rules)) if job.to else None
    return job.step or _as_read, layout


def _as_read(batch: Sequence[Placed], report: Report, fault: object) -> Iterator[Made]:
    """Yield the sentences as they were read."""
    for line, item in batch:
        assert not isinstance(item, Analysed)
        yield line, item, None


def _batches(items: Iterator[Placed]) -> Iterator[list[Placed]]:
    while batch := list(islice(items, _BATCH)):
        yield batch


# --- writing --------------------------------------------------------------------------------------


class Written(NamedTuple):
    """The amount that was written."""

    sentences: int
    edits: int

    @property
    def said(self) -> str:
        """The amount in words."""
        return f"{counted(self.sentences, 'sentence[s]')}, {counted(self.edits, 'edit[s]')}"


def write_items(
    args: argparse.Namespace,
    given: Input,
    report: Report,
    step: Step | None,
    settings: str,
    signature: str = "",
) -> Written:
    """Send sentences through a step, and write them in the format of --to.

    Args:
        args: the arguments of the command.
        given: the input.
        report: collects the incidents.
        step: see `Job`.
        settings: of the format of the output.
        signature: the settings that made the edits, for the page.

    Raises:
        FormatError: the first error, with --on-error stop.
        UsageError: the number of outputs is wrong.
    """
    paths = args.outputs or ["-"]
    if args.to != _PARALLEL and len(paths) > 1:
        raise UsageError(f"{args.to} is one file: name one output with -o")
    to = "" if args.to == HTML else REGISTERED.get(args.to, args.to)
    job = Job(step, to, settings, args.on_error, given.path, args.rules)
    counts = [0, 0]

    def results() -> Iterator[Done]:
        for found in ordered_map(partial(done, job), _batches(numbered(given.items)), args.jobs):
            report.extend(found.incidents)
            counts[0] += len(found.texts) + len(found.items)
            counts[1] += found.edits
            yield found
            if found.error is not None:
                raise found.error

    with ExitStack() as stack:
        outs = [stack.enter_context(atomic_output(path)) for path in paths]
        if args.to == HTML:
            outs[0].writelines(_page(args, given, results(), signature))
        elif args.to == _PARALLEL:
            _write_parallel(outs, paths, results(), job)
        else:
            layout = corrections_format(to, settings, load(args.rules))
            outs[0].write(layout.preamble)
            for found in results():
                outs[0].writelines(found.texts)
    return Written(counts[0], counts[1])


def _write_parallel(
    outs: Sequence[TextIO], paths: Sequence[str], results: Iterable[Done], job: Job
) -> None:
    """Write the texts of each sentence, each into a file of its own.

    Raises:
        UsageError: there are other numbers of texts and of files.
    """
    for found in results:
        for text in found.texts:
            lines = text.split("\n")[:-1]
            if len(lines) != len(outs):
                raise UsageError(
                    f"{job.path} has sentences with {len(lines)} texts, the source included, and"
                    f" {len(paths)} files are named: name a file for each with -o"
                )
            for out, line in zip(outs, lines, strict=True):
                out.write(line + "\n")


def _page(
    args: argparse.Namespace, given: Input, results: Iterable[Done], signature: str
) -> Iterator[str]:
    """Return the parts of the page."""
    from sejongud.report.edits import edit_page, rows_of

    items = chain.from_iterable([*map(given.layout.edited, found.items)] for found in results)
    title = args.title or f"Corrections: {given.path}"
    morphemes = partial(morphemes_of, rules=load(args.rules))
    return edit_page(
        rows_of(items), title=title, signature=signature, limit=args.limit, morphemes=morphemes
    )


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


_HANGUL = re.compile("[가-힣]")
