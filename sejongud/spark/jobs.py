"""The library's readers and conversions, as the tasks of Spark use them.

All that this package knows of the library's drivers stands here.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud import formats
from sejongud.converters.jobs import Conversion, DependencyConversion
from sejongud.errors import ON_ERROR, UsageError
from sejongud.files import Source
from sejongud.pipeline import Done, without_collector

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sejongud.errors import OnError
    from sejongud.formats.base import Frame

__all__ = [
    "TREEBANK",
    "Conversion",
    "Framer",
    "Job",
    "Work",
    "absolute",
    "make_framer",
    "pickled",
    "resolve",
    "takes_any_format",
    "without_collector",
    "work_of",
]

TREEBANK = "treebank"
"""The format of `DependencyConversion`: CoNLL-U whose own words are kept."""

Job = Conversion | DependencyConversion


class Work(NamedTuple):
    """Converts sentences in one process."""

    convert: Callable[[Frame], Done]
    preamble: str = ""
    """The text before the first sentence of a file."""


class Framer(NamedTuple):
    """Cuts a text into sentences."""

    frame: Callable[[Iterable[str]], Iterator[Frame]]
    text_of: Callable[[Source], Iterator[str]]
    """Reads a file in the pieces that `frame` takes."""


def make_framer(name: str, rules: str | None, options: Mapping[str, Any]) -> Framer:
    """Make the framer of a format.

    Args:
        name: the format.
        rules: the user's tables.
        options: more arguments of the format's reader.

    Raises:
        UsageError: there is no such format.
    """
    if name == TREEBANK:
        keep: OnError = "stop" if options.get("whole", True) else "keep"
        treebank = DependencyConversion("word2morph", on_error=keep, rules=rules).make_reader()
        return Framer(treebank.frame, Source.chunks)
    options = _with_one_thread(name, options)
    reader = Conversion(name, rules=rules, reader_options=options).make_reader()
    return Framer(reader.frame, reader.text_of)


def _with_one_thread(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a reader; Kiwi gets one thread, since a worker has one processor."""
    return {**options, "workers": 1} if name == "text" else options


def resolve(name: str | None, head: str) -> str:
    """Return the format of a text: the one that is named, or that its beginning looks like."""
    return TREEBANK if name == TREEBANK else formats.resolve(name, head)


def absolute(rules: str | os.PathLike[str] | None) -> str | None:
    """Return the path of the user's tables as the workers need it."""
    return None if rules is None else str(Path(rules).resolve())


def pickled(job: Job) -> bytes:
    """Check a job and pack it for the workers.

    Raises:
        UsageError: there is no such format, level, scheme or `on_error`; or the job must convert
            the sentences one after the other.
    """
    if job.on_error not in ON_ERROR:
        raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {job.on_error}")
    job = replace(job, path="", rules=absolute(job.rules))
    if isinstance(job, DependencyConversion):
        job.make_work()
    else:
        if job.writer == "sejong" and job.on_error == "skip":
            raise UsageError(
                "Sejong text numbers its sentences, and a skipped sentence shifts the numbers of"
                " all that follow: convert to conllu first, or use on_error keep"
            )
        job.make_writer()
    return pickle.dumps(job)


@lru_cache(maxsize=4)  # Each may hold some hundred megabytes.
def work_of(job: bytes, name: str) -> Work:
    """Return the work of this process for a job; Spark uses a process for many tasks.

    Args:
        job: the job, pickled.
        name: the format of the sentences, for a `Conversion` that names none.
    """
    found: Job = pickle.loads(job)
    if isinstance(found, DependencyConversion):
        split = found.make_work()
        return Work(lambda frame: split([frame]))
    reader = found.reader or name
    found = replace(found, reader=reader, reader_options=_with_one_thread(reader, {}))
    work = found.make_work()
    return Work(lambda frame: work([frame]), work.preamble)


def takes_any_format(job: Job) -> bool:
    """Return whether a job reads each sentence as the format that it was framed as."""
    return isinstance(job, Conversion) and not job.reader
