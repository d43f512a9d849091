"""Files of the same lines: a file of words, and beside it one of their tags or of their ids."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, cast

from sejongud.errors import FormatError
from sejongud.files import BLOCK, Source, atomic_output, split_lines

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from contextlib import ExitStack
    from typing import Any, TextIO


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
