"""The library's readers and conversions, as the tasks of Spark use them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud import formats
from sejongud.converters.jobs import Conversion, DependencyConversion, is_analysed, level_of
from sejongud.errors import ON_ERROR, UsageError
from sejongud.files import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from sejongud.formats.base import Reader
    from sejongud.pipeline import Work


TREEBANK = "treebank"
"""The format of `DependencyConversion`: CoNLL-U that ends with a blank line."""

Job = Conversion | DependencyConversion


@dataclass(frozen=True)
class Framing:
    """How files are read.

    Args:
        from_: the format; None detects that of each file.
        encoding: the encoding; None detects it.
        rules: the user's tables.
        options: more arguments of the format's reader.
    """

    from_: str | None = None
    encoding: str | None = None
    rules: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def resolve(self, head: str) -> str:
        """Return the format of a text that begins with `head`.

        Raises:
            UsageError: see `formats.resolve`; or the format is of two files.
        """
        if self.from_ == TREEBANK:
            return TREEBANK
        name = formats.resolve(self.from_, head, rules=self.rules)
        found = formats.recognise(self.from_, head)
        if found.name == "brat" or found.is_corrections:
            raise UsageError(
                f"Spark reads the sentences of a file apart, and {found.name} does not have them"
                " apart: convert it first with `sejongud convert`"
            )
        return name

    def source(self, path: str) -> Source:
        """Open a file."""
        return Source(path, encoding=self.encoding)

    def reader(self, name: str) -> Reader:
        """Make the reader of a format.

        Raises:
            UsageError: there is no such format.
        """
        options = self.options
        if name == TREEBANK:
            name, options = "conllu", {"aligned": False, "whole": True, **options}
        options = _with_one_thread(name, options)
        return Conversion(name, rules=self.rules, reader_options=options).make_reader()


def _with_one_thread(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a reader; Kiwi gets one thread, since a worker has one processor."""
    return {**options, "workers": 1} if is_analysed(name) else options


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
    job = job.but(path="", rules=absolute(job.rules))
    if isinstance(job, DependencyConversion):
        job.make_work()
    else:
        if job.writer == "sejong" and job.on_error == "skip":
            raise UsageError(
                "Sejong text numbers its sentences, and a skipped sentence shifts the numbers of"
                " all that follow: convert to conllu first, or use on_error keep"
            )
        # Whether a scheme may stand without a level depends on each file's format (`work_of`).
        job.but(level=level_of(job.reader, job.level)).make_writer()
    return pickle.dumps(job)


@lru_cache(maxsize=4)  # Each may hold some hundred megabytes.
def work_of(job: bytes, name: str, columns: tuple[str, ...] = ()) -> Work:
    """Return the work of this process for a job; Spark uses a process for many tasks.

    Args:
        job: the job, pickled.
        name: the format of the sentences, for a `Conversion` that names none.
        columns: those of the layers of the file, for a `Conversion` that names none.
    """
    conversion: Job = pickle.loads(job)
    if isinstance(conversion, Conversion):
        reader = conversion.reader or name
        if not conversion.reader:
            conversion = conversion.but(level=level_of(reader, conversion.level))
        if conversion.writer == "conllu":
            conversion = conversion.but(columns=conversion.columns or columns)
        conversion = conversion.but(reader=reader, reader_options=_with_one_thread(reader, {}))
    return conversion.make_work()
