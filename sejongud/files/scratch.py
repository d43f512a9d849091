"""A temporary text: written once, read many times, and gone with the process.

It stands in a file without a name, so nothing is left of it however the process ends. It is read as
any other file is (`sejongud.files.Source`).
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

from sejongud.files import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import ExitStack
    from typing import Self, TextIO


class Scratch:
    """A temporary text.

    Args:
        path: its name in messages.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: BinaryIO = TemporaryFile()  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    @contextmanager
    def writing(self) -> Iterator[TextIO]:
        """Open a stream to write the text."""
        text = io.TextIOWrapper(self._file, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
        finally:
            text.detach()

    @classmethod
    def of(cls, source: Source, stack: ExitStack) -> Self:
        """Return the copy of a text that is read.

        Args:
            source: the text.
            stack: deletes the copy at its end, also if the text cannot be read.
        """
        text = cls(source.path)
        stack.enter_context(text)
        with text.writing() as out:
            out.writelines(source.pieces())
        return text

    def open(self) -> Source:
        """Open the text like a file that a command has written."""
        self._file.seek(0)
        return _Reread(self.path, self._file)


class _Reread(Source):
    """A source on an open file, which it does not close."""

    def __init__(self, path: str, stream: BinaryIO) -> None:
        super().__init__(os.devnull)
        self.path = path
        self._stream = stream


def put_by(path: str, encoding: str | None, stack: ExitStack) -> Scratch | None:
    """Copy the text of a pipe, such as standard input; return None for a regular file.

    Args:
        path: the pipe.
        encoding: its encoding; None detects it.
        stack: deletes the copy at its end, also if the pipe cannot be read.

    Raises:
        OSError: it cannot be read.
    """
    if path != "-" and stat.S_ISREG(Path(path).stat().st_mode):
        return None
    with Source(path, encoding=encoding) as source:
        return Scratch.of(source, stack)
