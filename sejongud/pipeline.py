"""From files to sentences to files: the one driver, and the conversions that it drives.

    frames = reader.frames_of(source) → read → step … → write → out

A job says what is to be done and pickles; the work that it makes reads and writes frames by the
batch and stays in its process. Batches go through one process or several, in order, in constant
memory. Incidents, errors and totals are told once, here.

What becomes of an eojeol is a pure function of its lines. Where the reader, every step and the
writer have a `unit`, these are put together and remembered, and a sentence without anything else is
the templates of its lines filled with numbers (`_Lane`). Sentences of a treebank have arcs besides,
which the step moves (`_TreeLane`). All other sentences go the general way, which is the same
functions.
"""

from __future__ import annotations

import gc
import io
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from sejongud.errors import (
    ON_ERROR,
    FormatError,
    Incident,
    Report,
    SejongudError,
    UsageError,
)
from sejongud.files import Source, atomic_output
from sejongud.formats import reader_class, resolve, writer_class
from sejongud.memo import Memo
from sejongud.model import NOTHING_SAID
from sejongud.morphology.eojeol import Assembler
from sejongud.parallel import ordered_map
from sejongud.rules import load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TextIO

    from sejongud.errors import Note, OnError
    from sejongud.formats import Writer
    from sejongud.formats.base import Frame, Reader
    from sejongud.formats.conllu.write import NePlace, Template
    from sejongud.model import Eojeol, Sentence

__all__ = [
    "Conversion",
    "DependencyConversion",
    "Done",
    "Job",
    "Totals",
    "Work",
    "batches",
    "convert",
    "convert_stream",
    "ordered_batches",
    "read",
    "without_collector",
]

T = TypeVar("T")
R = TypeVar("R")

_BATCH = 1 << 17
"""About how many characters of the input are handed to a process at a time."""
_REMEMBERED = 80_000


class Totals(NamedTuple):
    """How much was converted."""

    sentences: int
    words: int
    """Eojeols, or the words of a treebank."""


class Done(NamedTuple):
    """What came of a batch."""

    text: str
    totals: Totals
    incidents: list[Incident]
    error: FormatError | None = None
    """The error that ended it: handed over rather than raised, so that what came before counts."""


Step = Callable[["Sentence"], "Sentence"]
"""Makes another sentence of a sentence."""


class Job(Protocol):
    """What is to be done; made once, pickled to every process."""

    @property
    def on_error(self) -> OnError:
        """What is done with a sentence that has an error."""

    @property
    def path(self) -> str:
        """What the input is called in messages."""

    def make_work(self) -> Work:
        """Return what does it, in one process.

        Raises:
            UsageError: there is no such level, scheme or format.
        """


class Work:
    """Reads frames, converts and writes their sentences, in one process.

    Args:
        job: how errors are treated, and what the input is called.
        reader: of the input.
        steps: what is done to each sentence, in order.
        writer: of the output.
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
        # Few formats begin with anything.
        self.preamble: str = getattr(writer, "preamble", "")
        self._job = job
        self._writer = writer
        self._count_words = count_words
        self._lane = _lane_of(reader, steps, writer, count_words=count_words)

    def __call__(self, frames: Iterable[Frame]) -> Done:
        """Convert frames."""
        incidents: list[Incident] = []
        report = Report(incidents.append)
        texts: list[str] = []
        total = 0
        error = None
        path, on_error = self._job.path, self._job.on_error
        lane = self._lane

        def to_read() -> Iterator[Frame]:
            """Iterate over the frames that go the general way; the others are written."""
            nonlocal total
            for frame in frames:
                written = lane and lane(frame)
                if not written:
                    yield frame
                    continue
                text, count, notes = written
                texts.append(text)
                total += count
                if notes or frame.notes:
                    self.reader.report_framing(frame, path, report)
                    self.reader.report_notes(frame, notes, path, report, frame.sent_id)

        try:
            pairs = self.reader.pairs(to_read(), path, on_error, report)
            for frame, given in pairs:
                try:
                    sentence = self.convert(frame, given)
                except FormatError as raised:
                    raised.at(path=path, line=frame.line)
                    if on_error == "stop":
                        raise
                    report.add(raised.incident(sent_id=frame.sent_id))
                    continue
                for code, message in sentence.notes:
                    place = (path, frame.line, 0, sentence.sent_id)
                    report.add(Incident(code, message, *place))
                if lost := self._writer.loses(sentence):
                    message = f"not written: {lost}"
                    report.add(Incident("W301", message, path, sent_id=sentence.sent_id))
                texts.append(self._writer.sentence(sentence))
                words = sentence.arcs.heads if self._count_words and sentence.arcs else ()
                total += len(words if self._count_words else sentence.eojeols)
        except FormatError as raised:
            error = raised
        if on_error == "skip" and incidents:
            self._tell_documents(frames, incidents)
        return Done("".join(texts), Totals(len(texts), total), incidents, error)

    def convert(self, frame: Frame, sentence: Sentence) -> Sentence:
        """Take a sentence through the steps.

        Raises:
            FormatError: a step cannot be taken.
        """
        for step in self.steps:
            sentence = step(sentence)
        return sentence

    def _tell_documents(self, frames: Iterable[Frame], incidents: list[Incident]) -> None:
        """Add to incidents which documents begin with sentences that were left out.

        What comes behind would be taken for a part of the document before.
        """
        left_out = {incident.sent_id for incident in incidents if incident.is_error}
        for frame in frames:
            if frame.sent_id in left_out and (begun := self.reader.opening(frame)):
                message = f"not written: {', '.join(begun)}, with the sentence it begins with"
                place = (self._job.path, frame.line, 0, frame.sent_id)
                incidents.append(Incident("W301", message, *place))


_Written = tuple[str, int, list[tuple[int, tuple["Note", ...]]]]
"""The text of a sentence, how many eojeols it has, and which of them have notes."""


def _lane_of(
    reader: Any, steps: Sequence[Any], writer: Any, *, count_words: bool
) -> Callable[[Frame], _Written | None] | None:
    """Return the fast way, if the reader, the steps and the writer know units."""
    if all([hasattr(one, "tree") for one in (reader, *steps, writer)]) and len(steps) == 1:
        lane = _TreeLane(reader, steps[0], writer, count_words=count_words)
        return lane if writer.has_trees else None
    units = [*steps, writer]
    if not hasattr(reader, "units") or not all([hasattr(one, "unit") for one in units]):
        return None
    return _Lane(reader, steps, writer) if writer.has_units else None


class _Lane:
    """Writes sentences that are nothing but known lines.

    Args:
        reader: has `units`, the lines of a frame and their ids, and `unit`, the eojeol of a line.
        steps: have `unit`, the eojeol that becomes of an eojeol.
        writer: has `unit`, the template of an eojeol, and composes a sentence of templates.
    """

    def __init__(self, reader: Any, steps: Sequence[Any], writer: Any) -> None:
        self._units = reader.units
        self._unit = reader.unit
        self._steps = [step.unit for step in steps]
        self._template = writer.unit
        self._compose = writer.compose_plain
        self._known: Memo[str, Template | None] = Memo(self._make, size=_REMEMBERED)
        self._noted: Memo[str, tuple[Template, tuple[Note, ...]] | None] = Memo(
            self._make_noted, size=_REMEMBERED // 4
        )

    def __call__(self, frame: Frame) -> _Written | None:
        """Return what is written of a frame; None if it must go the general way."""
        lines = self._units(frame)
        if lines is None:
            return None
        known = self._known
        templates = [known[line] for line in lines]
        notes = []
        if None in templates:
            for at, line in enumerate(lines):
                if templates[at] is None:
                    found = self._noted[line]
                    if found is None:
                        return None
                    templates[at] = found[0]
                    notes.append((at, found[1]))
        return self._compose(frame.sent_id, templates), len(lines), notes

    def _make(self, line: str) -> Template | None:
        """Return the template of a line, None if there is more to say of it."""
        found = self._make_noted(line)
        return None if found is None or found[1] else found[0]

    def _make_noted(self, line: str) -> tuple[Template, tuple[Note, ...]] | None:
        """Return the template of a line and the notes of its eojeol; None if it has an error."""
        try:
            eojeol: Eojeol = self._unit(line)
        except FormatError:
            return None
        notes = eojeol.notes
        for step in self._steps:
            eojeol = step(eojeol)
        return self._template(eojeol), notes


class _TreeLane:
    """Writes sentences that are nothing but known lines and their arcs.

    Args:
        reader: has `trees`, the keys of a frame's eojeols, its comment lines and its arcs, and
            `tree`, the eojeol of a key.
        step: has `tree`, the eojeol that becomes of an eojeol and how its words change, and `move`,
            the arcs of the new words.
        writer: has `tree`, the template of an eojeol, and composes a sentence of templates.
        count_words: whether words count rather than eojeols.
    """

    def __init__(self, reader: Any, step: Any, writer: Any, *, count_words: bool) -> None:
        self._trees = reader.trees
        self._units = reader.tree, step.tree, writer.tree
        self._move = step.move
        self._compose = writer.compose_trees
        self._count_words = count_words
        self._known: Memo[Any, tuple[Any, Any] | None] = Memo(self._make, size=_REMEMBERED)

    def __call__(self, frame: Frame) -> _Written | None:
        """Return the text of a frame's sentence; None if it must go the general way."""
        found = self._trees(frame)
        if found is None:
            return None
        keys, header, arcs = found
        known = self._known
        units = [known[key] for key in keys]
        if None in units:
            return None
        templates, changes = zip(*units)  # noqa: B905
        arcs = self._move(arcs, changes)
        if arcs is None:
            return None
        count = len(arcs.heads if self._count_words else keys)
        return header + self._compose(templates, arcs), count, []

    def _make(self, key: Any) -> tuple[Any, Any] | None:
        """Return the template of an eojeol and how its words change; None for any odd eojeol."""
        read, change, write = self._units
        try:
            eojeol = read(key)
        except FormatError:
            return None
        changed = None if eojeol.notes or eojeol.said != NOTHING_SAID else change(eojeol)
        return None if changed is None else (write(changed[0]), changed[1])


# --- jobs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conversion:
    """A conversion between formats and levels; made once, used in every process.

    Args:
        reader: name of the input format.
        writer: name of the output format.
        level: of granularity, 1 to 5.
        upos: UPOS scheme; None for what a treebank says of its words, and else the usual one.
        lemmas: lemma scheme; None likewise.
        dummy_deps: a well-formed chain in HEAD and DEPREL.
        no_deps: HEAD and DEPREL left out that the source has.
        ne: where the labels of entities go (writer conllu): "misc", "column" or "feats".
        spaced: blanks around the plus (writer sejong).
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        path: of the input, for messages.
        reader_options: what a format's own reader understands beyond this.

    Raises:
        UsageError: there is no such `on_error`.
    """

    reader: str
    writer: str = "conllu"
    level: int = 5
    upos: str | None = None
    lemmas: str | None = None
    dummy_deps: bool = False
    no_deps: bool = False
    ne: NePlace = "misc"
    spaced: bool = False
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"
    reader_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.on_error not in ON_ERROR:
            raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {self.on_error}")

    def make_work(self) -> Work:
        """Return what reads frames and writes their sentences, in one process."""
        steps = [self.make_recut()] if self.writer == "conllu" else []
        return Work(self, self.make_reader(), steps, self._make_writer())

    def make_reader(self) -> Reader:
        """Return the reader."""
        kind = reader_class(self.reader)
        keep = self.on_error == "keep"
        return kind(Assembler(load(self.rules)), keep=keep, **self.reader_options)

    def make_recut(self) -> Any:
        """Return what cuts sentences at the level.

        Raises:
            UsageError: no such level or scheme.
        """
        from sejongud.converters.recut import Recut

        retag, relemma = self.upos is not None, self.lemmas is not None
        return Recut(self._granularity(), retag=retag, relemma=relemma)

    def make_writer(self) -> Writer:
        """Return a writer that cuts the sentences it is given.

        Raises:
            UsageError: no such level or scheme.
        """
        return self._make_writer(self.make_recut() if self.writer == "conllu" else None)

    def _make_writer(self, cutter: Any = None) -> Writer:
        kind: Any = writer_class(self.writer)
        writer: Writer
        if self.writer == "conllu":
            deps = "dummy" if self.dummy_deps else "none" if self.no_deps else ""
            writer = kind(cutter, deps=deps, ne=self.ne)
        elif self.writer == "sejong":
            writer = kind(spaced=self.spaced)
        elif self.writer == "sejong-line":
            writer = kind()
        else:
            writer = kind(self._granularity())
        return writer

    def _granularity(self) -> Any:
        from sejongud.levels.cut import Granularity

        return Granularity(load(self.rules), self.level, upos=self.upos, lemmas=self.lemmas)


@dataclass(frozen=True)
class DependencyConversion:
    """A conversion of dependencies between words and morphemes; made once, used in every process.

    Args:
        direction: from words to morphemes, or back.
        scheme: of relations.
        upos: scheme of the morphemes' UPOS, "" for the one that goes with `scheme`.
        lemmas: lemma scheme.
        bound_marker: before every morpheme but the first of a token.
        published: do what the published program did, whatever the schemes.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        path: of the input.
    """

    direction: Literal["word2morph", "morph2word"]
    scheme: str = "morphud"
    upos: str = ""
    lemmas: str = "normalised"
    bound_marker: str = ""
    published: bool = False
    on_error: OnError = "stop"
    rules: str | None = None
    path: str = "-"

    def make_work(self) -> Work:
        """Return what converts frames, in one process.

        Raises:
            UsageError: no such scheme.
        """
        from sejongud.formats.conllu.write import ConlluWriter

        writer = ConlluWriter(same_header=True)
        steps = [self.make_step()]
        return _DependencyWork(self, self.make_reader(), steps, writer, count_words=True)

    def make_reader(self) -> Reader:
        """Return the reader: a parser's output, or what is to be kept, need not be a tree."""
        from sejongud.formats.conllu.sentence import ConlluReader

        keep = self.on_error == "keep"
        trees = self.direction == "word2morph" and not keep
        return ConlluReader(
            Assembler(load(self.rules)),
            heads="tree" if trees else "any",
            aligned=False,
            whole=not keep,
        )

    def make_step(self) -> Any:
        """Return the conversion of a sentence.

        Raises:
            UsageError: no such scheme.
        """
        rules = load(self.rules)
        if self.direction == "morph2word":
            from sejongud.converters.morph2word import Morph2Word

            return Morph2Word(rules, bound_marker=self.bound_marker)
        if self.published:
            from sejongud.converters.published import Published

            return Published(rules, bound_marker=self.bound_marker)
        from sejongud.converters.word2morph import Word2Morph

        return Word2Morph(
            rules,
            scheme=self.scheme,
            upos=self.upos,
            lemmas=self.lemmas,
            bound_marker=self.bound_marker,
        )


class _DependencyWork(Work):
    """Converts sentences, some of which are to have the words of another file."""

    def convert(self, frame: Frame, sentence: Sentence) -> Sentence:
        """Take a sentence through its step."""
        if not frame.other:
            return super().convert(frame, sentence)
        words = self.reader.parse(frame._replace(text=frame.other, other=""))
        converted: Sentence = self.steps[0](sentence, words)  # type: ignore[call-arg]
        return converted


# --- the driver ----------------------------------------------------------------------------------


def batches(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Gather items into batches, each worth sending to another process.

    Args:
        items: frames, or whatever a work takes.
        size: of an item, in characters.

    Raises:
        SejongudError: what `items` raises, behind the items before it: they may have errors too.
    """
    batch: list[T] = []
    characters = 0
    error = None
    try:
        for item in items:
            batch.append(item)
            characters += size(item)
            if characters > _BATCH:
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
"""The work of this process; worker processes are handed frames, not readers."""


def _begin(make: Callable[[], Any]) -> None:
    global _work
    gc.disable()
    _work = make()


_Packed = tuple[Callable[[Any], Any] | None, list[Any]]
"""What makes an item of a plain tuple, None for nothing; the items."""


def _pack(batch: list[Any]) -> _Packed:
    """Return a batch as it goes to another process: plain tuples pickle in half the time."""
    make = getattr(batch[0], "_make", None)
    return (None, batch) if make is None else (make, [tuple(item) for item in batch])


def _run(packed: _Packed) -> Any:
    make, items = packed
    result = _work(items if make is None else list(map(make, items)))
    if isinstance(result, Done):
        # As bytes it is not decoded only to be encoded.
        return result.text.encode(), result._replace(text="")
    return result


def ordered_batches(
    make_work: Callable[[], Callable[[list[Any]], R]],
    frames: Iterable[Frame],
    *,
    jobs: int = 1,
    work: Callable[[list[Any]], R] | None = None,
) -> Iterator[R]:
    """Do a work on frames by the batch, in one process or several, in their order.

    Args:
        make_work: returns what does the work, in every process; it pickles.
        frames: the sentences.
        jobs: how many processes; 0 as many as there are processors.
        work: what does it in this process, if that is the only one and it is made already.

    Yields:
        The result of each batch; of a `Done` from another process the encoded text and the rest.

    Raises:
        SejongudError: what `frames` raises, behind the results before it.
    """
    gathered = batches(frames, _size)
    if jobs == 1:
        own = work or make_work()
        return map(own, gathered)
    return ordered_map(_run, map(_pack, gathered), jobs, initializer=_begin, initargs=(make_work,))


def _size(frame: Frame) -> int:
    return len(frame.text)


def convert_stream(
    job: Conversion | DependencyConversion,
    source: Source,
    out: TextIO,
    report: Report,
    *,
    words: Source | None = None,
    jobs: int = 1,
) -> Totals:
    """Convert all of a source, in constant memory and in order.

    Args:
        job: what to do.
        source: where from.
        out: where to; nothing of it is to be trusted if this raises.
        report: what is told of everything that was mended or left out.
        words: the treebank whose words are to be taken (morph2word).
        jobs: how many processes; 0 as many as there are processors.

    Raises:
        FormatError: an error in the data, with `on_error` "stop"; one of the file as a whole.
        EncodingError: the file is in no encoding that was tried.
        UsageError: no such level or scheme.
    """
    work = job.make_work()  # Wrong usage is said before any process begins.
    frames = work.reader.frames_of(source)
    if words is not None:
        if isinstance(job, Conversion) or job.direction == "word2morph":
            raise UsageError("the words of another file can only be taken on the way back")
        frames = _side_by_side(frames, work.reader.frames_of(words))
    out.write(work.preamble)
    if isinstance(job, Conversion) and job.writer == "sejong" and job.on_error == "skip":
        # Sejong text omits a sent_id that equals the sentence's number; skipped sentences shift
        # the numbers, so one process must do all.
        jobs = 1
    sentences = total = 0
    try:
        with without_collector():
            for result in ordered_batches(job.make_work, frames, jobs=jobs, work=work):
                done: Done
                if isinstance(result, Done):
                    done = result
                    out.write(done.text)
                else:
                    encoded, done = result
                    _write(out, encoded)
                report.extend(done.incidents)
                sentences += done.totals.sentences
                total += done.totals.words
                if done.error is not None:
                    raise done.error
    except FormatError as error:
        raise error.at(path=source.path, line=0) from None
    return Totals(sentences, total)


def _side_by_side(frames: Iterable[Frame], others: Iterable[Frame]) -> Iterator[Frame]:
    """Iterate over the sentences of one file with those of another.

    Raises:
        FormatError: one file has more sentences than the other.
    """
    for frame, other in zip_longest(frames, others):
        if frame is None or other is None:
            which = "the file with the words" if frame is None else "this file"
            raise FormatError(
                f"{which} has more sentences than the other one: they must be the same sentences",
                line=(frame or other).line,
                code="E209",
            )
        yield frame._replace(other=other.text)


def _write(out: TextIO, text: bytes) -> None:
    """Write UTF-8 to a stream of text, past its encoder if that is UTF-8 as well."""
    if isinstance(out, io.TextIOWrapper) and out.encoding.lower() in ("utf-8", "utf8"):
        out.flush()
        out.buffer.write(text)
    else:
        out.write(text.decode())


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the collector of reference cycles from searching remembered results again and again.

    Nothing here is cyclic, and a search for cycles costs a tenth of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # What was made meanwhile is old, and need not be searched as if it were new.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    from_: str | None = None,
    to: str = "conllu",
    level: int = 5,
    upos: str | None = None,
    lemmas: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    report: Report | None = None,
) -> Totals:
    """Convert a file.

    Args:
        source: the file; `-` is standard input.
        target: the file to write, whole or not at all; `-` is standard output.
        from_: the format of the source, None to detect it.
        to: the format of the target.
        level: of granularity, 1 to 5.
        upos: UPOS scheme, see `sejongud rules show upos`; None for what a treebank says of its
            words, and else "sejong".
        lemmas: lemma scheme; None likewise, and else "normalised".
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        jobs: how many processes; with more than one a script has to call this under
            `if __name__ == "__main__":`, as for everything that starts processes.
        report: what is told of everything that was mended or left out; None counts it only.

    Returns:
        How many sentences and eojeols were converted.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: a file cannot be read or written.
    """
    with Source(source) as opened, atomic_output(target) as out:
        conversion = Conversion(
            resolve(from_, opened.head()),
            to,
            level=level,
            upos=upos,
            lemmas=lemmas,
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=opened.path,
        )
        return convert_stream(conversion, opened, out, report or Report(), jobs=jobs)


def read(
    path: str | os.PathLike[str],
    *,
    from_: str | None = None,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """Iterate over the sentences of a file.

    Args:
        path: the file; `-` is standard input.
        from_: its format, None to detect it.
        on_error: "stop", "skip" or "keep".
        rules: a directory of tables laid over the built-in ones.
        report: what is told of everything that was mended or left out; None counts it only.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
        OSError: the file cannot be read.
    """
    with Source(path) as source:
        conversion = Conversion(
            resolve(from_, source.head()),
            on_error=on_error,
            rules=None if rules is None else str(rules),
            path=source.path,
        )
        reader = conversion.make_reader()
        frames = reader.frames_of(source)
        yield from reader.read(frames, source.path, on_error, report or Report())
