"""The process of a run: its standard streams, its signals, and its unfinished files.

Data go to standard output, messages to standard error. Standard error never decides how
a run ends: a message that cannot be written is lost. If the reader of standard output goes away,
the run ends at once, unless it is writing a named file: then it goes on without standard output
until the file stands. A closed stream is replaced, so that no file that the run opens takes its
place.

Nothing is left of a process that ends before its time:

    .NAME.<12 hex>.tmp       a file while it is written (`sejongud.files.atomic_output`)
    sejongud-<12 hex>        a folder of temporary files, in the system's folder for such files
    .NAME.lock, .NAME.….partial        a release while it is built (`sejongud.release.folder`)

A signal that can be caught removes them all (`end`). SIGKILL and a crash leave them. The process
locks each of them, and the system unlocks it when the process ends, however it ends. The next
process that writes at the same place removes what nobody locks.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

try:
    import fcntl
except ImportError:
    # Without locks, as on Windows, nobody knows whether a process still runs: its files stay.
    fcntl = None  # type: ignore[assignment]

from sejongud.memo import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


# --- streams --------------------------------------------------------------------------------------


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
        ends_run: whether an error ends the run, as on standard output: all but that its reader has
            gone away while a named file is being written.
    """

    def __init__(self, stream: io.TextIOWrapper, *, ends_run: bool) -> None:
        self._stream = stream
        # Past the buffer: data that cannot be written must not stay there until Python ends.
        self._raw: Any = getattr(stream.buffer, "raw", stream.buffer)
        self._ends_run = ends_run
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
            if self._ends_run and not (isinstance(error, BrokenPipeError) and _named):
                raise
            return len(data)
        return written


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
        sys.stdout = _wrapped(sys.stdout, "strict")
        sys.stderr = _wrapped(sys.stderr, "backslashreplace")
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            sys.stdout, sys.stderr = before


def _nowhere(flags: int) -> TextIO:
    return open(os.open(os.devnull, flags), "w", encoding="utf-8")  # noqa: PTH123


def _wrapped(stream: TextIO, errors: str) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    buffered = io.BufferedWriter(_Standard(stream, ends_run=errors == "strict"))
    return io.TextIOWrapper(
        buffered, encoding="utf-8", errors=errors, newline="\n",
        line_buffering=stream.line_buffering or errors != "strict",
    )  # fmt: skip


# --- unfinished -----------------------------------------------------------------------------------


ENDING = (
    *("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"),
    *("SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU", "SIGABRT"),
)
"""The names of the signals that end a process and can be caught; no system has all of them."""

_paths: dict[Path, None] = {}
"""The unfinished files and folders of this process, in the order in which they were begun."""
_held = 0
_late = 0
"""The number of blocks that put off signals, and the signal that came meanwhile; 0 for none."""


# --- the end of this process ---------------------------------------------------------------------


def end(number: int, frame: object = None) -> None:
    """Handle a signal that ends the process: remove what is unfinished, and end at once.

    The handler raises no exception: Python can replace or swallow an exception that is raised
    while it imports a module (it may become a `SyntaxError` or an `ImportError`).

    Args:
        number: the signal.
        frame: not used; Python hands it to every handler.
    """
    global _late
    if _held:
        _late = number
        return
    end_at_once(128 + number)


def end_at_once(status: int) -> None:
    """Remove what is unfinished, and end this process without waiting for anything.

    Args:
        status: the exit status.
    """
    for path in reversed(tuple(_paths)):
        _remove(path)
    os._exit(status)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off signals that end the process until a change of several steps is whole."""
    global _held, _late
    _held += 1
    try:
        yield
    finally:
        _held -= 1
        if _late and not _held:
            number, _late = _late, 0
            end(number)


@contextmanager
def unfinished(path: Path) -> Iterator[None]:
    """Remove a file or folder at the end of the block, or of the process; it may be gone already.

    Args:
        path: the file or folder, which the block makes, and renames once it is whole.
    """
    _paths[path] = None
    try:
        yield
    finally:
        _remove(path)
        _paths.pop(path, None)


def _remove(path: Path) -> None:
    if path.is_dir():
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


# --- locks ---------------------------------------------------------------------------------------


def lock_file(path: str | Path, flags: int, *, wait: bool = True) -> int:
    """Open and lock a file; return its descriptor, whose end unlocks it.

    Args:
        path: the file.
        flags: how it is opened, as for `os.open`.
        wait: whether to wait for another process that has the lock.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: the file cannot be opened.
    """
    while True:
        opened = os.open(path, flags, 0o666)
        try:
            _lock(opened, wait=wait)
            # The process that held the lock may have removed the file of that name.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(opened), Path(path).stat()):
                    return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)


def _lock(opened: int, *, wait: bool) -> bool:
    """Lock an open file or folder; return False where there are no locks.

    Raises:
        BlockingIOError: another process has the lock.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # Some file systems have no locks.
        return False
    return True


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep other processes that call this for the folder from writing into it.

    Args:
        folder: the folder, which exists.

    Raises:
        BlockingIOError: another process has it.
        OSError: the folder cannot be opened.
    """
    with ExitStack() as stack:
        if fcntl is not None:
            stack.callback(os.close, lock_file(folder, os.O_RDONLY, wait=False))
        yield


def hidden(name: str) -> tuple[str, re.Pattern[str]]:
    """Return a new name for a file while it is written, and a pattern of all such names.

    Args:
        name: the name that the file gets. A part of it stands in the new name, since the whole name
            with an addition may be too long.
    """
    start = f".{name[:40]}."
    return f"{start}{os.urandom(6).hex()}.tmp", re.compile(re.escape(start) + r"[0-9a-f]{12}\.tmp")


_STARTS = (".", "sejongud-")
"""The beginnings of the names of all that is unfinished."""
_listed: dict[Path, list[str]] | None = None
"""The unfinished files that were in each folder when it was first listed, if that is kept."""


def list_once() -> None:
    """List each folder only once from now on, as a process does that writes many files into it."""
    global _listed
    _listed = {}


@contextmanager
def listed_once() -> Iterator[None]:
    """List each folder only once in this block: `clear` would take time for each file in it."""
    global _listed
    before = _listed
    list_once()
    try:
        yield
    finally:
        _listed = before


def _entries(folder: Path) -> list[str]:
    # One may write into some folders that one may not list.
    with suppress(PermissionError), os.scandir(folder) as entries:
        return [entry.name for entry in entries]
    return []


def clear(folder: Path, name: re.Pattern[str]) -> None:
    """Remove files and folders of processes that have ended.

    Args:
        folder: the folder that they are in.
        name: the names of such files.
    """
    if _listed is None:
        names = _entries(folder)
    elif folder not in _listed:
        names = [entry for entry in _entries(folder) if entry.startswith(_STARTS)]
        _listed[folder] = names
    else:
        names = _listed[folder]
    for path in [folder / entry for entry in names if name.fullmatch(entry)]:
        if not path.is_symlink() and (path.is_file() or path.is_dir()):
            # Another process may remove it first, and that of another user stays.
            with suppress(OSError), ExitStack() as stack:
                opened = os.open(path, os.O_RDONLY)
                stack.callback(os.close, opened)
                if _lock(opened, wait=False):
                    _remove(path)


@contextmanager
def unfinished_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file to write; it is removed if it has its name still when the block ends.

    The lock outlives the stream, so the block can close the stream and then rename the file.

    Args:
        path: the file.

    Raises:
        OSError: the file cannot be made.
    """
    with unfinished(path), ExitStack() as stack:
        # The files of tempfile would be closed to all other users, whatever the umask says.
        raw = stack.enter_context(open(path, "xb", opener=lock_file))
        if fcntl is not None:
            stack.callback(os.close, os.dup(raw.fileno()))
        yield raw


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that exists as long as the block, or the process, goes on."""
    import tempfile

    above = Path(tempfile.gettempdir())
    clear(above, _FOLDER)
    while True:
        folder = above / f"sejongud-{os.urandom(6).hex()}"
        with unfinished(folder), ExitStack() as stack:
            folder.mkdir(0o700)
            if fcntl is not None:
                try:
                    stack.callback(os.close, lock_file(folder, os.O_RDONLY))
                except FileNotFoundError:
                    continue  # Another process has removed it before it was locked.
            yield folder
            return


_FOLDER = lazy_pattern(r"sejongud-[0-9a-f]{12}")
