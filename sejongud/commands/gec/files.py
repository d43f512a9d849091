"""What the sub-commands share: the formats by their names in options, reading, work, writing."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from sejongud.commands import count, guard_files, guard_inputs, open_input, say_format
from sejongud.errors import FormatError, Incident, Report, UsageError
from sejongud.files import atomic_output
from sejongud.formats import CORRECTION_FORMATS, corrections_format, sniff
from sejongud.process.parallel import ordered_map

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from sejongud.errors import OnError
    from sejongud.files import Source
    from sejongud.formats.corrections import CorrectionsFormat
    from sejongud.gec.edits import Corrections, Pair

    Item = Corrections | Pair
    Placed = tuple[int, Item]
    """A sentence with the number of its line."""

__all__ = [
    "HTML",
    "READ",
    "WRITTEN",
    "Job",
    "add_files",
    "add_from",
    "add_to",
    "add_writing",
    "done",
    "numbered",
    "outputs_last",
    "read_items",
    "write_items",
]

HTML = "html"
_PARALLEL, _TSV, _CONLLU = "parallel", "tsv", "conllu"
_LEARNER = "learner-xml"
_REGISTERED = {"jsonl": "gec-jsonl"}
"""The name in options → the name in the register, where `jsonl` has sentences of morphemes."""
_SHOWN = {registered: name for name, registered in _REGISTERED.items()}

READ = tuple([_SHOWN.get(name, name) for name in CORRECTION_FORMATS])
"""The names of the formats that are read."""

WRITTEN = ("m2", "jsonl", _CONLLU, HTML, _TSV, _PARALLEL)
"""The names of the formats that are written."""

_BATCH = 200
"""The number of sentences that a process takes at a time."""


# --- options --------------------------------------------------------------------------------------


def add_files(parser: argparse.ArgumentParser, metavar: str, summary: str) -> None:
    """Add the arguments that name the input files (`args.inputs`) and the output."""
    parser.add_argument("inputs", metavar=metavar, nargs="*", default=["-"], help=summary)
    parser.add_argument(
        "-o",
        "--output",
        dest="outputs",
        metavar="OUT",
        action="append",
        help="output file; - is stdout (default: -); parallel has one for the sources and one for"
        " each annotator's targets",
    )


def add_from(parser: argparse.ArgumentParser) -> None:
    """Add the options of the input's format."""
    parser.add_argument(
        "--from",
        dest="from_",
        choices=READ,
        help="format of the input (default: detect it; several files are parallel)",
    )
    parser.add_argument(
        "--columns",
        metavar="N,N…",
        default="",
        help="tsv: columns of the source and of each target, by number from 1 or by name in the"
        " first row (default: all in order)",
    )
    parser.add_argument(
        "--spoken", action="store_true", help="learner-xml: read spoken texts as well"
    )


def add_to(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Add the options of the output's format."""
    parser.add_argument(
        "--to",
        choices=WRITTEN,
        default=default,
        required=default is None,
        help="format of the output: m2 for scorers, jsonl for Hugging Face datasets, conllu with"
        " the morphemes, html to look at, tsv and parallel without edits"
        + (" (default: %(default)s)" if default else ""),
    )


def add_writing(parser: argparse.ArgumentParser) -> None:
    """Add the options of single formats of the output."""
    parser.add_argument(
        "--noop",
        choices=("kagas", "errant", "none"),
        help="m2: line of an annotator without edits, as that program writes it (default: as in"
        " the input, else that of the scheme)",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        default=10_000,
        help="html: number of sentences that are shown; 0 shows all (default: %(default)s)",
    )
    parser.add_argument("--title", default="", help="html: title of the page")


def outputs_last(args: argparse.Namespace, parallel: bool) -> None:
    """Take the second of two files for the output, unless the input is parallel: IN OUT.

    Raises:
        UsageError: the files cannot be told apart, or the output is an input.
    """
    if parallel:
        return
    if len(args.inputs) == 2 and not args.outputs:
        args.outputs = [args.inputs.pop()]
        guard_inputs(args)
        guard_files(args)
    if len(args.inputs) > 1:
        raise UsageError(
            f"one input is read, and {len(args.inputs)} are named; parallel text is read with"
            " --from parallel, and -o names the output"
        )


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

            yield Input(sources[0].path, layout, together(sources, report))
        elif len(sources) > 1:
            raise UsageError(f"{_SHOWN.get(layout.name, layout.name)} is one file, not several")
        else:
            items = layout.numbered(sources[0], args.on_error, report)
            yield Input(sources[0].path, layout, items)


def layout_of(args: argparse.Namespace, sources: Sequence[Source]) -> CorrectionsFormat:
    """Return the format that is named, or the one that the files look like.

    Raises:
        UsageError: the file looks like none.
    """
    columns = " ".join(getattr(args, "columns", "").replace(",", " ").split())
    name = args.from_
    settings = columns if name == _TSV else ""
    if name is None and columns:
        name, settings = _TSV, columns
    elif name is None and len(sources) > 1:
        name = _PARALLEL
    elif name is None or not settings:
        head = sources[0].head()
        names = CORRECTION_FORMATS if name is None else (_REGISTERED.get(name, name),)
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
            say_format(args, sources[0].path, _SHOWN.get(name, name))
    if name == _LEARNER and getattr(args, "spoken", False):
        settings = "spoken"
    return corrections_format(_REGISTERED.get(name, name), settings)


def numbered(items: Iterable[Placed]) -> Iterator[Placed]:
    """Give each sentence without an id its number, from 1."""
    for number, (line, item) in enumerate(items, 1):
        yield line, item if item.sent_id else item._replace(sent_id=str(number))


# --- work -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """What becomes of a sentence; it pickles.

    Args:
        make_step: makes the function that each sentence goes through; None for none.
        to: the name of the format to write in the register; "" to return the sentences.
        settings: of the format.
        on_error: "stop", "skip" or "keep".
        path: of the input, for messages.
    """

    make_step: Callable[[], Callable[[Item], Item]] | None
    to: str
    settings: str
    on_error: OnError
    path: str


class Done(NamedTuple):
    """The result of a batch."""

    texts: list[str]
    items: list[Item]
    incidents: list[Incident]
    edits: int
    error: FormatError | None = None


def done(job: Job, batch: Sequence[Placed]) -> Done:
    """Return the sentences of a batch, as text if the job names a format."""
    step, layout = _work(job)
    found = Done([], [], [], 0)
    edits = 0
    for line, item in batch:
        try:
            made = step(item) if step else item
            if layout is None:
                found.items.append(made)
            else:
                found.texts.append(layout.sentence(made))
        except FormatError as error:
            error.at(path=job.path, line=line)
            if job.on_error == "stop":
                # Its traceback would hold this call, which holds the error.
                return found._replace(error=error.with_traceback(None), edits=edits)
            found.incidents.append(error.incident(sent_id=item.sent_id))
        else:
            edits += sum(map(len, getattr(made, "edits", {}).values()))
    return found._replace(edits=edits)


@lru_cache(maxsize=1)
def _work(job: Job) -> tuple[Callable[[Item], Item] | None, CorrectionsFormat | None]:
    """Return what a process needs for a job."""
    step = job.make_step() if job.make_step else None
    return step, corrections_format(job.to, job.settings) if job.to else None


def _batches(items: Iterable[Placed]) -> Iterator[list[Placed]]:
    batch: list[Placed] = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


# --- writing --------------------------------------------------------------------------------------


class Written(NamedTuple):
    """How much was written."""

    sentences: int
    edits: int


def write_items(
    args: argparse.Namespace,
    given: Input,
    report: Report,
    make_step: Callable[[], Callable[[Item], Item]] | None,
    settings: str,
    signature: str = "",
) -> Written:
    """Send sentences through a step, and write them in the format of --to.

    Args:
        args: the arguments of the command.
        given: the input.
        report: collects the incidents.
        make_step: see `Job`.
        settings: of the format of the output.
        signature: the settings that made the edits, for the page.

    Raises:
        FormatError: the first error, with --on-error stop.
        UsageError: the number of outputs is wrong.
    """
    paths = args.outputs or ["-"]
    if args.to != _PARALLEL and len(paths) > 1:
        raise UsageError(f"{args.to} is one file: name one output with -o")
    to = "" if args.to == HTML else _REGISTERED.get(args.to, args.to)
    job = Job(make_step, to, settings, args.on_error, given.path)
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
            layout = corrections_format(to, settings)
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
    return edit_page(rows_of(items), title=title, signature=signature, limit=args.limit)
