"""The library's readers and conversions, as the tasks of Spark use them.

All that this package knows of the library's driver stands here.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud import formats
from sejongud.converters.jobs import Conversion, DependencyConversion
from sejongud.errors import ON_ERROR, UsageError
from sejongud.pipeline import Work, without_collector

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from sejongud.formats.base import Reader

__all__ = [
    "TREEBANK",
    "Conversion",
    "Job",
    "absolute",
    "make_reader",
    "pickled",
    "resolve",
    "takes_any_format",
    "without_collector",
    "work_of",
]

TREEBANK = "treebank"
"""The format of `DependencyConversion`: CoNLL-U that ends with a blank line."""

Job = Conversion | DependencyConversion


def make_reader(name: str, rules: str | None, options: Mapping[str, Any]) -> Reader:
    """Make the reader of a format.

    Args:
        name: the format.
        rules: the user's tables.
        options: more arguments of the reader.

    Raises:
        UsageError: there is no such format.
    """
    if name == TREEBANK:
        name, options = "conllu", {"aligned": False, "whole": True, **options}
    options = _with_one_thread(name, options)
    return Conversion(name, rules=rules, reader_options=options).make_reader()


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
    if isinstance(found, Conversion):
        reader = found.reader or name
        found = replace(found, reader=reader, reader_options=_with_one_thread(reader, {}))
    return found.make_work()


def takes_any_format(job: Job) -> bool:
    """Return whether a job reads each sentence as the format that it was framed as."""
    return isinstance(job, Conversion) and not job.reader
