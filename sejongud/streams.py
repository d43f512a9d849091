"""A file in, a file out: frames of text through one process or several, in order.

A job says what is to be done and pickles; the work that it makes reads and writes frames by the
batch and stays in its process. That is all a conversion has to bring (`sejongud.conversion`).
"""

from __future__ import annotations

import gc
import io
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from sejongud.errors import FormatError, SejongudError
from sejongud.parallel import ordered_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from sejongud.errors import Incident, Report

__all__ = ["Done", "Job", "Totals", "batches", "stream", "without_collector"]

T = TypeVar("T")

_BATCH = 1 << 17
"""About how many characters of the input are handed to a process at a time."""


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


class Job(Protocol):
    """What is to be done; made once, pickled to every process."""

    def make_work(self) -> Callable[[list[Any]], Done]:
        """What does it, in one process.

        Raises:
            UsageError: there is no such level, scheme or format.
        """


_work: Callable[[list[Any]], Done] | None = None
"""The work of this process; worker processes are handed frames, not readers."""


def _begin(job: Job) -> None:
    global _work
    gc.disable()
    _work = job.make_work()


def _run(packed: _Packed) -> tuple[bytes, Done]:
    """What comes of a batch, its text apart: as bytes it is not decoded only to be encoded."""
    assert _work is not None
    done = _work(_unpack(packed))
    return done.text.encode(), done._replace(text="")


_Packed = tuple[Callable[[Any], Any] | None, list[Any]]
"""What makes an item of a plain tuple, None for nothing; the items."""


def _pack(batch: list[Any]) -> _Packed:
    """A batch as it goes to another process: plain tuples pickle in half the time."""
    make = getattr(batch[0], "_make", None)
    return (None, batch) if make is None else (make, [tuple(item) for item in batch])


def _unpack(packed: _Packed) -> list[Any]:
    make, items = packed
    return items if make is None else list(map(make, items))


def _write(out: TextIO, text: bytes) -> None:
    """Write UTF-8 to a stream of text, past its encoder if that is UTF-8 as well."""
    if isinstance(out, io.TextIOWrapper) and out.encoding.lower() in ("utf-8", "utf8"):
        out.flush()
        out.buffer.write(text)
    else:
        out.write(text.decode())


def batches(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Items by the batch, each worth sending to another process.

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


def stream(
    job: Job,
    work: Callable[[list[Any]], Done],
    frames: Iterable[list[Any]],
    out: TextIO,
    report: Report,
    *,
    path: str,
    jobs: int = 1,
) -> Totals:
    """Do all of a job, in constant memory and in order.

    Args:
        job: what other processes make their work of.
        work: what this process does it with, if it is the only one.
        frames: by the batch.
        out: where to; nothing of it is to be trusted if this raises.
        report: what is told of everything that was mended or left out.
        path: of the input, for errors.
        jobs: how many processes; 0 as many as there are processors.

    Raises:
        FormatError: an error in the data that ended a batch.
    """
    results: Iterator[tuple[bytes, Done]]
    if jobs == 1:
        results = ((b"", work(batch)) for batch in frames)
    else:
        packed = map(_pack, frames)
        results = ordered_map(_run, packed, jobs, initializer=_begin, initargs=(job,))
    sentences = words = 0
    try:
        with without_collector():
            for encoded, done in results:
                if encoded:
                    _write(out, encoded)
                out.write(done.text)
                report.extend(done.incidents)
                sentences += done.totals.sentences
                words += done.totals.words
                if done.error is not None:
                    raise done.error
    except FormatError as error:
        raise error.at(path=path, line=0) from None
    return Totals(sentences, words)


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the collector of reference cycles from searching what is remembered, again and again.

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
