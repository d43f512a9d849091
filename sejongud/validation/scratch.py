"""A text put by: written once, read as often as need be, and gone with the process.

It stands in a file without a name, so that nothing is left of it, whatever ends the process; and
it is read as any other file is (`sejongud.files.Source`).
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
    from typing import Self, TextIO

__all__ = ["Scratch", "put_by"]


class Scratch:
    """A text that is put by.

    Args:
        path: what messages are to call it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: BinaryIO = TemporaryFile()  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[TextIO]:
        """A stream to write the text into."""
        text = io.TextIOWrapper(self._file, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
        finally:
            text.detach()

    def open(self) -> Source:
        """What the text can be read from, as from the file that a command would have written."""
        self._file.seek(0)
        return _Reread(self.path, self._file)

    def close(self) -> None:
        """Forget the text."""
        self._file.close()


class _Reread(Source):
    """A source on a file that is open already, and stays so."""

    def __init__(self, path: str, stream: BinaryIO) -> None:
        super().__init__(os.devnull)
        self.path = path
        self._stream = stream


def put_by(path: str, encoding: str | None) -> Scratch | None:
    """The text of what can be read only once; None for a file.

    Raises:
        OSError: it cannot be read.
    """
    if path != "-" and stat.S_ISREG(Path(path).stat().st_mode):
        return None
    text = Scratch(path)
    with Source(path, encoding=encoding) as source, text.writing() as out:
        out.writelines(source.pieces())
    return text
