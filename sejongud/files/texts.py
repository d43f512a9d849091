"""Texts that are no single file: temporary texts, and files of the same lines beside one another.

A temporary text (`Scratch`) is written once, read many times, and gone with the process: it stands
in a file without a name, so nothing is left of it however the process ends. It is read as any other
file is (`sejongud.files.Source`).
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from sejongud.errors import FormatError
from sejongud.files import BLOCK, Source, atomic_output, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import ExitStack
    from typing import Any, Self, TextIO


class Scratch:
    """A temporary text.

    Args:
        path: its name in messages.
    """

    def __init__(self, path: str) -> None:
        from tempfile import TemporaryFile

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


# --- abreast --------------------------------------------------------------------------------------


class Abreast(Source):
    """Read the lines of a file, each with the same line of other files behind a tab.

    Args:
        path: the file.
        others: the other files.
        options: those of `Source`, for all of them.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        others: Iterable[str | os.PathLike[str]],
        **options: Any,
    ) -> None:
        super().__init__(path, **options)
        self._others = [self._stack.enter_context(Source(name, **options)) for name in others]

    def _decoded(self) -> Iterator[str]:
        """Yield the text of all files.

        Raises:
            FormatError: a file has fewer lines than another one.
        """
        own = chain.from_iterable(map(split_lines, self._whole_lines(super()._decoded())))
        names = [self.path, *[other.path for other in self._others]]
        rows = zip_longest(own, *[other.lines() for other in self._others])
        text: list[str] = []
        for number, row in enumerate(rows, 1):
            short = [name for name, line in zip(names, row, strict=True) if line is None]
            if short:
                longer = next(name for name in names if name not in short)
                raise FormatError(
                    f"{short[0]} ends before this line: it must have as many lines as {longer}",
                    path=longer,
                    line=number,
                    code="E404",
                )
            text.append("\t".join(row) + "\n")
            if len(text) > _LINES:
                yield "".join(text)
                text = []
        yield "".join(text)


_LINES = BLOCK >> 6
"""The number of lines that are read at a time."""


class Divided:
    r"""Divide the lines of a writer among files that have as many lines.

    Args:
        streams: of the files; the first tabs of a line divide it among them.

    >>> from io import StringIO
    >>> files = StringIO(), StringIO()
    >>> Divided(*files).write("옷 이\tNNG JKS\n"), [file.getvalue() for file in files]
    (12, ['옷 이\n', 'NNG JKS\n'])
    """

    def __init__(self, *streams: TextIO) -> None:
        self._streams = streams

    def write(self, text: str) -> int:
        """Write the text of whole lines."""
        rows = [line.split("\t", len(self._streams) - 1) for line in text.split("\n")[:-1]]
        for at, stream in enumerate(self._streams):
            stream.writelines([f"{row[at] if at < len(row) else ''}\n" for row in rows])
        return len(text)


def divided(out: TextIO, paths: Iterable[str | os.PathLike[str]], stack: ExitStack) -> TextIO:
    """Return the stream of an output whose lines are divided among further files.

    Args:
        out: the stream of the output.
        paths: the further files; () for an output that is not divided.
        stack: closes these files, which then appear under their names.
    """
    streams = [stack.enter_context(atomic_output(path)) for path in paths]
    return cast("TextIO", Divided(out, *streams)) if streams else out
