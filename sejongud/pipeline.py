"""The driver of all conversions, from a file through sentences to a file.

    blocks = reader.blocks_of(source) → read → step … → write → out

A job describes a conversion and pickles. It makes a pipeline, which takes batches of blocks
and stays in its process. Batches go through one process or several, in order, in constant memory.
The driver alone reports incidents, errors and totals.

The output of an eojeol is a pure function of its lines. If the reader, every step and the writer
have a `unit`, `sejongud.fast_path` composes these functions and caches the templates that they
produce; a plain sentence is then the templates of its lines filled with numbers. All other
sentences take the general path, which calls the same functions.
"""

from __future__ import annotations

import gc
import io
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar

from sejongud.errors import FormatError, Incident, Note, OnError, Report, SejongudError
from sejongud.fast_path import fast_path
from sejongud.files.layout import LaidOut
from sejongud.formats.base import Block, Reader
from sejongud.layers.labels import notes_of_skipped
from sejongud.model import Record, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TextIO

    from sejongud.files import Source
    from sejongud.formats import Writer

T = TypeVar("T")
R = TypeVar("R")


class _Sizes(NamedTuple):
    sentences: int
    words: int
    """The number of eojeols, or of words in a treebank."""


class Totals(_Sizes):
    """The number of converted sentences and words."""

    summary: tuple[str, ...] = ()
    """What the reader, the steps and the writer have counted, in lines."""
    counts: Mapping[str, int] = Counter()
    """The counts of the reader of a corpus."""
    lacks: str = ""
    """The line ends that the output lacks if another one follows."""


class Tally:
    """The counts of a run over one of many files; such a run prints no messages.

    Args:
        joins: whether the output is going to be a part of one file, which is UTF-8 with LF.
    """

    def __init__(self, *, joins: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self.sentences = self.words = 0
        self.unit = "word[s]"
        """The name of the words, for `counted`."""
        self.joins = joins
        self.lacks = ""
        """The line ends that the output lacks if another one follows."""


class BatchResult(NamedTuple):
    """The result of a batch."""

    text: str
    totals: Totals
    incidents: list[Incident]
    error: FormatError | None = None
    """The error that ended the batch; it is returned, so that the text before it is kept."""
    lacks: str = ""
    """The line ends that the text lacks if another one follows."""


Step = Callable[["Sentence"], "Sentence"]
"""Converts a sentence to a new sentence."""


class Job(Protocol):
    """The description of a conversion, made once and pickled to every process."""

    @property
    def on_error(self) -> OnError:
        """The treatment of a sentence that has an error."""

    @property
    def path(self) -> str:
        """The name of the input in messages."""

    @property
    def needs_order(self) -> bool:
        """Whether the output of a sentence depends on the sentences before it."""

    def make_pipeline(self) -> Pipeline:
        """Return the pipeline of the job for one process.

        Raises:
            UsageError: there is no such level, scheme or format.
        """


class Pipeline:
    """Reads blocks, converts and writes their sentences, in one process.

    Args:
        job: supplies the treatment of errors and the name of the input.
        reader: the reader of the input.
        steps: the conversions of each sentence, in order.
        writer: the writer of the output.
        count_words: whether totals count the words of the output rather than eojeols.
    """

    def __init__(
        self,
        job: Job,
        reader: Reader,
        steps: Sequence[Step],
        writer: Writer,
        *,
        count_words: bool = False,
    ) -> None:
        self.reader = reader
        self.steps = steps
        self._job = job
        self._writer = writer
        self._count_words = count_words
        self._fast_path = fast_path(reader, steps, writer, count_words=count_words)
        self._codes: Counter[str] = Counter()

    @property
    def preamble(self) -> str:
        """The text before the first sentence, which few formats have."""
        return getattr(self._writer, "preamble", "")

    @property
    def parting(self) -> str:
        """The end that a sentence needs if another one follows; "" if every one has it."""
        return getattr(self._writer, "parting", "")

    def serves(self, job: Job) -> bool:
        """Return whether this is the pipeline of a job whose input alone may be another one."""
        own: Any = self._job
        if any([hasattr(part, "summary") for part in (*self.steps, self._writer)]):
            return False  # They count what they did with one file.
        return type(own) is type(job) and isinstance(own, Record) and own.but(path=job.path) == job

    def reset(self, job: Job) -> Self:
        """Return the pipeline for a job that it serves, with what it remembers."""
        self._job = job
        self._codes.clear()
        self.reader.reset()
        return self

    def end(self) -> BatchResult:
        """Return what follows the last sentence of a file, with the incidents of the whole file."""
        incidents: list[Incident] = []
        text, error = "", None
        try:
            self.reader.finish(self._job.path, Report(incidents.append))
            text = getattr(self._writer, "end", str)()
        except FormatError as raised:
            error = raised.with_traceback(None)
        lacks = lacking(text, self.parting)
        return BatchResult(text, Totals(0, 0), incidents, error, lacks)

    def summary_lines(self) -> tuple[str, ...]:
        """Return what was counted beside sentences and words, in lines."""
        parts = (self.reader, *self.steps, self._writer)
        own = [part.summary(self._codes) for part in parts if hasattr(part, "summary")]
        return tuple([line for lines in own for line in lines])

    def __call__(self, blocks: Iterable[Block]) -> BatchResult:
        """Return the converted text of blocks, with totals and incidents."""
        incidents: list[Incident] = []
        report = Report(incidents.append)
        texts: list[str] = []
        total = 0
        error = None
        path, on_error = self._job.path, self._job.on_error
        write = self._fast_path

        def by_fast_path(block: Block) -> bool:
            """Write a block if the fast path accepts it."""
            nonlocal total
            found = write and write(block)
            if not found:
                return False
            text, count, notes = found
            texts.append(text)
            total += count
            if notes or block.notes:
                self.reader.report_block_notes(block, path, report)
                self.reader.report_notes(block, notes, path, report, block.sent_id)
            return True

        try:
            pairs = self.reader.pairs(blocks, path, on_error, report, by_fast_path)
            for block, sentence in pairs:
                if (found := self.written(block, sentence, report)) is not None:
                    text, count = found
                    texts.append(text)
                    total += count
        except FormatError as raised:
            # Its traceback would hold this call, which holds the error.
            error = raised.with_traceback(None)
        if on_error == "skip" and incidents:
            self._tell_documents(blocks, incidents)
        text = parted(texts, self.parting)
        lacks = lacking(text, self.parting)
        return BatchResult(text, Totals(len(texts), total), incidents, error, lacks)

    def written(self, block: Block, given: Sentence, report: Report) -> tuple[str, int] | None:
        """Return the text of a converted sentence, and the number of its words for the totals.

        An error of a step or of the writer costs its sentence alone, unless errors end the run.

        Args:
            block: the place of the sentence.
            given: the sentence that was read.
            report: receives the incidents.

        Returns:
            None for a sentence that is left out.

        Raises:
            FormatError: the first error, with `on_error` "stop".
        """
        path = self._job.path
        try:
            sentence = self.convert(block, given)
            text = self._writer.sentence(sentence)
        except FormatError as raised:
            raised.at(path=path, line=block.line)
            if self._job.on_error == "stop":
                raise
            report.add(raised.incident(sent_id=block.sent_id))
            report.tell(self.skipped(block, given), path, block.line, block.sent_id)
            return None
        notes = (*getattr(sentence, "notes", ()), *self._writer.loses(sentence))
        if notes:
            self._codes.update([note.code for note in notes])
            report.tell(notes, path, block.line, sentence.sent_id)
        return text, self.size(given, sentence)

    def size(self, given: Sentence, sentence: Sentence) -> int:
        """Return the number that a sentence adds to the totals: of its eojeols, or of its words.

        Args:
            given: the sentence that was read.
            sentence: the sentence that was written.
        """
        words = sentence.arcs.heads if self._count_words and sentence.arcs else ()
        return len(words if self._count_words else sentence.eojeols)

    def skipped(self, block: Block, given: Sentence) -> Sequence[Note]:
        """Return the incidents of the layers of a sentence that is left out."""
        return notes_of_skipped(given)

    def convert(self, block: Block, sentence: Sentence) -> Sentence:
        """Apply the steps to a sentence.

        Raises:
            FormatError: a step cannot convert the sentence.
        """
        for step in self.steps:
            sentence = step(sentence)
        return sentence

    def _tell_documents(self, blocks: Iterable[Block], incidents: list[Incident]) -> None:
        """Report each document whose first sentence was skipped.

        Readers of the output would count its other sentences to the document before.
        """
        left_out = {incident.sent_id for incident in incidents if incident.is_error}
        for block in blocks:
            if block.sent_id in left_out and (begun := self.reader.opening(block)):
                message = f"not written: {', '.join(begun)}, with the sentence it begins with"
                place = (self._job.path, block.line, 0, block.sent_id)
                incidents.append(Incident("W301", message, *place))


def lacking(text: str, parting: str) -> str:
    r"""Return the line ends that a text lacks before the next sentence.

    The last sentence of a file may lack them, and come back so. It is the last no longer where
    files are joined or sentences are moved.

    Args:
        text: the text so far.
        parting: "\n" if a sentence follows on a new line, "\n\n" if a blank line is between.

    >>> lacking("a", "\n\n"), lacking("a\n", "\n\n"), lacking("a\n \n", "\n\n")
    ('\n\n', '\n', '')
    """
    if not text or text.endswith(parting):
        return ""
    if not text.endswith("\n"):
        return parting
    last = text[text.rfind("\n", 0, -1) + 1 :]
    return parting[1:] if last.strip() else ""


def parted(texts: Sequence[str], parting: str) -> str:
    """Join the texts of sentences; see `lacking`."""
    if not parting:
        return "".join(texts)
    return "".join([f"{text}{lacking(text, parting)}" for text in texts[:-1]] + [*texts[-1:]])


# --- the driver ----------------------------------------------------------------------------------


def batches(blocks: Iterable[Block], limit: int = Reader.batch) -> Iterator[list[Block]]:
    """Gather blocks into batches that are large enough to send to another process.

    Args:
        blocks: the sentences.
        limit: the approximate size of a batch, in characters.

    Raises:
        SejongudError: an error of `blocks`, raised after the batches of those before it, which may
            have errors too.
    """
    batch: list[Block] = []
    characters = 0
    error = None
    try:
        for block in blocks:
            batch.append(block)
            characters += len(block.text)
            if characters > limit:
                yield batch
                batch = []
                characters = 0
    except SejongudError as raised:
        error = raised
    if batch:
        yield batch
    if error is not None:
        raise error


_work: Any = None
"""The pipeline of this process; other processes send it blocks only."""


def _begin(make: Callable[[], Any]) -> None:
    global _work
    gc.disable()
    _work = make()


_Packed = tuple[Callable[[Any], Any] | None, list[Any]]
"""The function that makes an item from a plain tuple (None: leave items as they are); the items."""


def _pack(batch: list[Any]) -> _Packed:
    """Return a batch as plain tuples, which pickle in half the time of named tuples."""
    make = getattr(batch[0], "_make", None)
    return (None, batch) if make is None else (make, [tuple(item) for item in batch])


def _run(packed: _Packed) -> Any:
    make, items = packed
    result = _work(items if make is None else list(map(make, items)))
    if isinstance(result, BatchResult):
        # The parent writes these bytes without decoding them.
        return result.text.encode(), result._replace(text="")
    return result


def ordered_batches(
    make_pipeline: Callable[[], Callable[[list[Any]], R]],
    blocks: Iterable[Block],
    *,
    jobs: int = 1,
    work: Callable[[list[Any]], R] | None = None,
    batch: int = Reader.batch,
) -> Iterator[R]:
    """Apply a function to batches of blocks in order, in one process or several.

    Args:
        make_pipeline: returns the function of a process; it must pickle.
        blocks: the sentences.
        jobs: the number of processes; 0 uses one for each processor.
        work: an existing function for this process; it is used if `jobs` is 1.
        batch: the approximate size of a batch, in characters.

    Yields:
        The result of each batch. A `BatchResult` from another process is a pair of its encoded text
        and the rest.

    Raises:
        SejongudError: an error of `blocks`, raised after the results before it.
    """
    gathered = batches(blocks, batch)
    if jobs == 1:
        own = work or make_pipeline()
        return map(own, gathered)
    from sejongud.process.parallel import ordered_map

    return ordered_map(_run, map(_pack, gathered), jobs, initializer=partial(_begin, make_pipeline))


@contextmanager
def without_collector() -> Iterator[None]:
    """Disable the cyclic garbage collector, which would search cached results again and again.

    The results contain no cycles (see `Memo.of`), and the search would take a tenth of the time. It
    is a decorator as well: a function has dropped what it cached when the collector returns.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_kept: list[Pipeline] | None = None
"""The last pipeline of this process, if it is reused; None if it is not."""


def reuse_pipeline() -> None:
    """Reuse the last pipeline of this process from now on; see `reused_pipeline`."""
    global _kept
    _kept = []


@contextmanager
def reused_pipeline() -> Iterator[None]:
    """Reuse the last pipeline for the next conversion, if that differs in its input alone.

    Many small files then take no longer than a large one. What a pipeline remembers is bounded.
    """
    global _kept
    before = _kept
    reuse_pipeline()
    try:
        yield
    finally:
        _kept = before


def _pipeline_of(job: Job) -> Pipeline:
    """Return the pipeline of a job: the last one, if it serves the job, or a new one."""
    if _kept is None:
        return job.make_pipeline()
    if _kept and _kept[0].serves(job):
        return _kept[0].reset(job)
    _kept.clear()  # What it remembers is free before another pipeline is made.
    _kept.append(job.make_pipeline())
    return _kept[0]


@without_collector()
def convert_stream(
    job: Job,
    source: Source,
    out: TextIO,
    report: Report,
    *,
    words: Source | None = None,
    given: Iterator[Any] | None = None,
    jobs: int = 1,
) -> Totals:
    """Convert a whole source in order and in constant memory.

    Args:
        job: the conversion.
        source: the input.
        out: the output; it is incomplete if this function raises.
        report: receives an incident for everything that was mended or left out.
        words: the treebank that supplies the words (morph2word).
        given: the same sentences with their morphemes, for a corpus of labels or frames; the items
            of several files of corrections.
        jobs: the number of processes; 0 uses one for each processor.

    Raises:
        FormatError: an error in the data, with `on_error` "stop"; an error of the file as a whole.
        EncodingError: the file is in no encoding that was tried.
        UsageError: there is no such level or scheme.
    """
    pipeline = _pipeline_of(job)  # Wrong usage is reported before any process starts.
    if given is not None:
        pipeline.reader.give(given)
    blocks = pipeline.reader.blocks_of(source)
    if words is not None:
        blocks = _side_by_side(blocks, pipeline.reader.blocks_of(words))
    out.write(pipeline.preamble)
    if job.needs_order or pipeline.reader.in_order:
        jobs = 1
    sentences = total = 0
    lacks = ""
    try:
        results = ordered_batches(
            job.make_pipeline, blocks, jobs=jobs, work=pipeline, batch=pipeline.reader.batch
        )
        for result in chain(results, map(Pipeline.end, [pipeline])):
            encoded, done = (b"", result) if isinstance(result, BatchResult) else result
            if lacks and (encoded or done.text):
                out.write(lacks)
            out.write(done.text)
            _write(out, encoded)
            lacks = done.lacks if encoded or done.text else lacks
            report.extend(done.incidents)
            sentences += done.totals.sentences
            total += done.totals.words
            if done.error is not None:
                # What is raised holds this call, which holds the batch with its error.
                from copy import copy

                raise copy(done.error)
    except FormatError as error:
        raise error.at(path=source.path, line=0) from None
    totals = Totals(sentences, total)
    totals.lacks = lacks
    totals.summary = pipeline.summary_lines()
    totals.counts = getattr(pipeline.reader, "counts", totals.counts)
    return totals


def _side_by_side(blocks: Iterable[Block], others: Iterable[Block]) -> Iterator[Block]:
    """Pair the sentences of a file with the sentences of a second file.

    Raises:
        FormatError: one file has more sentences than the other.
    """
    for block, other in zip_longest(blocks, others):
        if block is None or other is None:
            which = "the file with the words" if block is None else "this file"
            raise FormatError(
                f"{which} has more sentences than the other one: they must be the same sentences",
                line=(block or other).line,
                code="E209",
            )
        yield block._replace(other=other.text)


def _write(out: TextIO, text: bytes) -> None:
    """Write UTF-8 bytes to a text stream; bypass its encoder if that is UTF-8 as well."""
    is_plain = isinstance(out, io.TextIOWrapper) and not isinstance(out, LaidOut)
    if is_plain and out.encoding.lower() in ("utf-8", "utf8"):
        out.flush()
        out.buffer.write(text)
    else:
        out.write(text.decode())
