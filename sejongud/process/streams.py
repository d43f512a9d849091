"""The standard streams of a run: data on standard output, messages on standard error.

Standard error never decides how a run ends: a message that cannot be written is lost. If the reader
of standard output goes away, the run ends at once, unless it is writing a named file: then it goes
on without standard output until the file stands. A closed stream is replaced, so that no file that
the run opens takes its place.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUTPUT_NAMES = ("-", "/dev/stdout")
"""The names of standard output in arguments."""
_OUTPUT = "standard output"
"""Its name in errors."""

_named: list[str] = []
"""The named files that are being written."""
_closed: list[str] = []
"""The name of standard output, if it was closed when the run began."""


def standard_input() -> TextIO:
    """Return standard input.

    Raises:
        OSError: it is closed.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input")
    return sys.stdin


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Provide standard output, and flush it at the end.

    Raises:
        OSError: it is closed or cannot be written.
    """
    with naming(_OUTPUT):
        if sys.stdout is None or _OUTPUT in _closed:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        yield sys.stdout
        sys.stdout.flush()


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Add a name to an error that names no file; a full disk is reported without its file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or name
        raise


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Let the run go on until the block ends, even if the reader of standard output goes away.

    Args:
        name: the file that is being written.
    """
    _named.append(name)
    try:
        yield
    finally:
        _named.remove(name)


def is_closed_pipe(error: BaseException) -> bool:
    """Test whether an error says that the reader of standard output has gone away."""
    return isinstance(error, BrokenPipeError) and error.filename == _OUTPUT


class _Standard(io.RawIOBase):
    """Writes to a standard stream; after the first failure it writes nothing more.

    Args:
        stream: the stream.
        ends: tells whether an error ends the run.
    """

    def __init__(self, stream: io.TextIOWrapper, ends: Callable[[OSError], bool]) -> None:
        self._stream = stream
        # Past the buffer: data that cannot be written must not stay there until Python ends.
        self._raw: Any = getattr(stream.buffer, "raw", stream.buffer)
        self._ends = ends
        self._failed = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, data: Any, /) -> int:
        if self._failed:
            return len(data)
        try:
            with naming(_OUTPUT):
                written: int | None = self._raw.write(data)
                if written is None:  # so a stream that does not block says that it is full
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        except OSError as error:
            self._failed = True
            if self._ends(error):
                raise
            return len(data)
        return written


def _ends_run(error: OSError) -> bool:
    """Return whether an error of standard output ends the run."""
    return not (isinstance(error, BrokenPipeError) and _named)


def _never(error: OSError) -> bool:
    return False


@contextmanager
def standard_streams() -> Iterator[None]:
    """Let standard output and standard error write UTF-8 with LF, and fail as the module says.

    Streams without bytes, such as those of a notebook, stay as they are.
    """
    before = sys.stdout, sys.stderr
    with ExitStack() as stack:
        if sys.stdout is None:
            # Nothing can be written into a stream that is open for reading, as into a closed one.
            sys.stdout = stack.enter_context(_nowhere(os.O_RDONLY))
            _closed.append(_OUTPUT)
            stack.callback(_closed.clear)
        if sys.stderr is None:
            sys.stderr = stack.enter_context(_nowhere(os.O_WRONLY))
        sys.stdout = _wrapped(sys.stdout, "strict", _ends_run)
        sys.stderr = _wrapped(sys.stderr, "backslashreplace", _never)
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            sys.stdout, sys.stderr = before


def _nowhere(flags: int) -> TextIO:
    return open(os.open(os.devnull, flags), "w", encoding="utf-8")  # noqa: PTH123


def _wrapped(stream: TextIO, errors: str, ends: Callable[[OSError], bool]) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    buffered = io.BufferedWriter(_Standard(stream, ends))
    return io.TextIOWrapper(
        buffered, encoding="utf-8", errors=errors, newline="\n",
        line_buffering=stream.line_buffering or errors != "strict",
    )  # fmt: skip
