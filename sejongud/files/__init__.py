"""Files as text: reading any encoding and compression, writing whole or not at all.

    bytes → decompressed → decoded → LF → pieces → chunks (whole lines) → lines

A `Source` reads in constant memory: an endless line is an error, so the process cannot grow.
`atomic_output` gives a stream whose file appears under its name only once all of it is written. `-`
is standard input or output.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, TypeVar, cast

from sejongud.errors import FormatError, UsageError
from sejongud.files.layout import BOM, PLAIN, Decoder, LaidOut, Layout, OnTerminal, checked, reading
from sejongud.process import (
    OUTPUT_NAMES,
    clear,
    hidden,
    naming,
    standard_input,
    standard_output,
    unfinished_file,
    writing,
)
from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from tqdm import tqdm

T = TypeVar("T")

BLOCK = 1 << 16
"""The number of bytes that are read and decoded at a time, and used to guess the encoding.

Pieces of this size stay in the cache of the processor: with 1 MiB, lines come at half the speed.
"""

MAX_LINE = 8 << 20
"""The longest line, in characters. No line of a corpus is longer."""

# The marks must be so long that no text begins with them. That of bzip2 is of letters, and the
# bytes behind it are no text in a compressed file.
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")
_MARK = 64


def progress(total: int | None, label: str, unit: str = "B") -> tqdm[Any] | None:
    """Return a progress bar on standard error, or None if that is no terminal.

    Args:
        total: the number of units; None if it is unknown.
        label: the text before the bar.
        unit: the name of a unit.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from tqdm import tqdm

    # Bytes are shown as 1.2M, other units are counted.
    return tqdm(
        total=total, desc=label, unit=unit, unit_scale=unit == "B", leave=False, file=sys.stderr
    )


class _CountingStream(io.RawIOBase):
    """A binary stream that counts its bytes and gives those of `head` first."""

    def __init__(self, stream: BinaryIO, head: bytes) -> None:
        self._stream = stream
        self._head = head
        self.position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        block = self._head[: len(buffer)] or self._stream.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(block)] = block
        self.position += len(block)
        return len(block)


def checked_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file.

    Raises:
        UsageError: it is empty, as from an unset variable; `Path` takes it for the current folder.
    """
    if name := os.fspath(path):
        return name
    raise UsageError("the name of a file is empty: name a file, or - for a standard stream")


class Source:
    r"""Read a text once, from a file or from standard input.

    Compression (gz, xz, bz2) is recognised by the first bytes; the encoding is found by its byte
    order mark or by trial (`sejongud.files.layout`); CRLF and CR are read as LF, and no other
    character ends a line. A byte order mark is not part of the text.

    Args:
        path: the file; `-` is standard input.
        encoding: None to guess it.
        progress: whether to show the progress of reading on standard error, if it is a terminal.
        block_size: the number of bytes to decode at a time.
        line_ends: False keeps CRLF and CR, for formats that count them as characters.

    Raises:
        OSError: the file does not exist or cannot be read.
        UsageError: there is no such encoding, or the name is empty.
        FormatError: the name says that the file is compressed, and it is not; later, from the
            methods: the compressed data are damaged, or a line is longer than `MAX_LINE`.
        EncodingError: from the methods: the bytes cannot be decoded.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        encoding: str | None = None,
        progress: bool = False,
        block_size: int = BLOCK,
        line_ends: bool = True,
    ) -> None:
        self.path = checked_name(path)
        self._given = encoding
        self._decoder = Decoder(self.path, checked(encoding), line_ends=line_ends)
        self._block_size = block_size
        self._head: str | None = None
        self._pieces = filter(None, self._decoded())
        self._stack = ExitStack()
        with ExitStack() as opening:
            raw = (
                standard_input().buffer
                if self.path == "-"
                else opening.enter_context(Path(self.path).open("rb", buffering=0))
            )
            head = _read_fully(raw, _MARK)
            self._raw = _CountingStream(raw, head)
            buffered = opening.enter_context(io.BufferedReader(self._raw, BLOCK))
            self._stream = _decompressed(cast("BinaryIO", buffered), head, self.path)
            self._bar = _bar(raw, self.path) if progress else None
            if self._bar is not None:
                opening.callback(self._bar.close)
            self._stack = opening.pop_all()

    @property
    def encoding(self) -> str:
        """The encoding, given or guessed so far; UTF-8 as long as the text is ASCII."""
        return self._decoder.encoding

    @property
    def layout(self) -> Layout:
        """The layout of the text read so far; of several kinds of line ends CRLF, else LF."""
        decoder = self._decoder
        encoding = decoder.mark or decoder.encoding
        end = next((end for end in ("\r\n", "\n", "\r") if end in decoder.line_ends), "\n")
        return Layout(encoding, bool(decoder.mark), end)

    @property
    def has_mixed_line_ends(self) -> bool:
        """Whether the text read so far has several kinds of line ends."""
        return len(self._decoder.line_ends) > 1

    @property
    def is_file(self) -> bool:
        """Whether the text stands in a file of this name, and can be read again."""
        # A temporary text has the name of another file.
        return type(self) is Source and Path(self.path).is_file()

    def again(self) -> Source:
        """Open the file once more, from its beginning.

        Raises:
            OSError: it cannot be read.
        """
        return Source(self.path, encoding=self._given)

    def head(self) -> str:
        """Return the beginning of the text, up to a block, without consuming it."""
        if self._head is None:
            self._head = next(self._pieces, "")
        return self._head

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces of about a block, cut anywhere: for formats without lines."""
        if self._head:
            head, self._head = self._head, ""
            yield head
        yield from self._pieces

    def chunks(self) -> Iterator[str]:
        """Yield the text in pieces of about a block that end where a line ends.

        The last lacks its LF if the text does.
        """
        return self._whole_lines(self.pieces())

    def _whole_lines(self, pieces: Iterable[str]) -> Iterator[str]:
        begun: list[str] = []
        length = 0
        for piece in pieces:
            cut = piece.rfind("\n") + 1
            if length + (piece.find("\n") if cut else len(piece)) > MAX_LINE:
                raise FormatError(
                    f"the line is longer than {MAX_LINE:,} characters, so this is hardly a text "
                    "of lines; check the format and the encoding",
                    path=self.path,
                    line=self._decoder.lines - piece.count("\n") + 1,
                )
            if not cut:
                begun.append(piece)
                length += len(piece)
                continue
            begun.append(piece[:cut])
            yield "".join(begun)
            begun = [piece[cut:]]
            length = len(begun[0])
        if length:
            yield "".join(begun)

    def lines(self) -> Iterator[str]:
        """Yield the lines, without their ends."""
        return chain.from_iterable(map(split_lines, self.chunks()))

    def text(self) -> str:
        """Return the whole text; lines may have any length."""
        return "".join(self.pieces())

    def close(self) -> None:
        """Close the file (but not standard input) and remove the progress bar."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _decoded(self) -> Iterator[str]:
        sample = self._read(BLOCK)
        while sample:
            # A short sample is the end.
            final = len(sample) < BLOCK
            self._decoder.guess(sample, final=final)
            for start in range(0, len(sample), self._block_size):
                yield self._decoder.decode(sample[start : start + self._block_size])
            sample = b"" if final else self._read(BLOCK)
        yield self._decoder.decode(b"", final=True)

    def _read(self, size: int) -> bytes:
        try:
            block = self._stream.read(size)
        except EOFError:
            message = "the compressed file ends too early: it was not copied whole"
            raise FormatError(message, path=self.path) from None
        except OSError as error:
            if error.errno is None:  # so gzip and bz2 say it
                raise self._damaged(error) from None
            error.filename = error.filename or self.path
            raise
        except Exception as error:
            import lzma
            import zlib

            if isinstance(error, zlib.error | lzma.LZMAError):
                raise self._damaged(error) from None
            raise
        if self._bar is not None:
            self._bar.update(self._raw.position - getattr(self._bar, "n", 0))
        return block

    def _damaged(self, error: Exception) -> FormatError:
        return FormatError(f"the compressed data are damaged ({error})", path=self.path)


def numbered_lines(chunks: Iterable[str]) -> Iterator[tuple[int, str]]:
    r"""Yield the lines of a text, without their ends, each with its number from 1.

    Args:
        chunks: the text in pieces that end where a line ends.

    >>> list(numbered_lines(["a\n\n", "b"]))
    [(1, 'a'), (2, ''), (3, 'b')]
    """
    return enumerate(chain.from_iterable(map(split_lines, chunks)), 1)


def split_lines(chunk: str) -> list[str]:
    """Return the lines of a chunk, without their ends."""
    lines = chunk.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def escape_name(name: str) -> str:
    r"""Return the name of a file as text, in which an escape stands for a byte that is not UTF-8.

    >>> escape_name("\udcb0.txt")
    '\\udcb0.txt'
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def unescape_name(text: str) -> str:
    """Return the name of a file from its text, the inverse of `escape_name`."""
    return re.sub(r"\\u(dc[89a-f][0-9a-f])", lambda byte: chr(int(byte[1], 16)), text)


def _read_fully(stream: BinaryIO, size: int) -> bytes:
    """Read `size` bytes, or all there are: a pipe may give fewer at a time."""
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


def _decompressed(stream: BinaryIO, mark: bytes, path: str) -> BinaryIO:
    """Return a stream that decompresses `stream`, which begins with the bytes `mark`."""
    if mark.startswith(b"\x1f\x8b\x08"):
        return cast("BinaryIO", import_module("gzip").GzipFile(fileobj=stream))
    if mark.startswith(b"\xfd7zXZ\x00"):
        return cast("BinaryIO", import_module("lzma").LZMAFile(stream))
    is_packed = mark.startswith(b"BZh") and mark[4:].startswith(_BZIP2)
    if is_packed and not isinstance(reading(mark, "utf-8", final=False), str):
        return cast("BinaryIO", import_module("bz2").BZ2File(stream))
    if (suffix := Path(path).suffix.lower()) in _WRITERS:
        raise FormatError(
            f"the file is named {suffix} and does not begin as such files do; "
            "if it is plain text, take the ending off its name",
            path=path,
        )
    return stream


def _bar(raw: BinaryIO, path: str) -> tqdm[Any] | None:
    status = os.fstat(raw.fileno())
    total = status.st_size if stat.S_ISREG(status.st_mode) else None
    return progress(total, "stdin" if path == "-" else clean(Path(path).name))


_WRITERS: dict[str, Callable[[BinaryIO], Any]] = {
    # Without a name and a time the same text gives the same bytes.
    ".gz": lambda raw: import_module("gzip").GzipFile("", "wb", 6, raw, mtime=0),
    ".xz": lambda raw: import_module("lzma").LZMAFile(raw, mode="wb"),
    ".bz2": lambda raw: import_module("bz2").BZ2File(raw, mode="wb"),
}

COMPRESSED = tuple(_WRITERS)
"""The endings of the names of compressed files."""


def file_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of the name of a file in small letters, but for that of compression.

    >>> file_ending("out/a.JSONL.gz"), file_ending("2.5/a"), file_ending("-")
    ('.jsonl', '', '')
    """
    name = PurePath(path)
    return (name.with_suffix("") if name.suffix.lower() in COMPRESSED else name).suffix.lower()


@contextmanager
def atomic_output(path: str | os.PathLike[str], layout: Layout = PLAIN) -> Iterator[TextIO]:
    """Open a stream for a text (UTF-8, LF), which appears as a file when the block ends well.

    Until then the text is in a hidden file `.NAME.….tmp` beside it, which an exception or a signal
    removes (`sejongud.process`); never is half a file under the name itself. A file of
    that name stays until then, so it can be read while its successor is written. A link is
    followed; the mode of a replaced file is kept. `.gz`, `.xz` and `.bz2` files are compressed.

    `-` (and `/dev/stdout`) is standard output. Standard output, pipes and devices are written
    directly: only the exit status tells whether their text is whole. A terminal gets UTF-8 without
    control characters.

    Args:
        path: the file.
        layout: the encoding, the byte order mark and the line ends of the bytes.

    Raises:
        OSError: the file cannot be written; raised before the block begins wherever possible.
        FormatError: a character of the text has no encoding.
    """
    name = checked_name(path)
    try:
        if name not in OUTPUT_NAMES:
            pack = _WRITERS.get(Path(name).suffix.lower(), nullcontext)
            with atomic_binary(name) as raw, pack(raw) as packed, _laid_out(packed, layout) as text:
                yield text
        elif layout == PLAIN and not (sys.stdout and sys.stdout.isatty()):
            with standard_output() as stream:
                yield stream
        else:
            with standard_output() as stream, _laid_out(stream.buffer, layout) as text_stream:
                yield text_stream
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        message = f"the character U+{code:04X} of the output is not text"
        if layout.encoding != PLAIN.encoding:
            message = f"the character U+{code:04X} of the output has no place in {layout.encoding}"
        raise FormatError(message, path=name) from None


@contextmanager
def atomic_binary(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a stream for bytes, which appear as a file as those of `atomic_output` do.

    Args:
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    name = checked_name(path)
    with naming(name), writing(name):
        if _is_special(name):
            with Path(name).open("wb") as raw:
                yield raw
        else:
            with _replacing(name) as raw:
                yield raw


def _is_special(name: str) -> bool:
    """Return whether the file is written into rather than replaced: a device or a pipe."""
    if name.startswith(("/dev/", "/proc/")) and not name.startswith("/dev/shm/"):
        return True
    try:
        mode = Path(name).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _replacing(name: str) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(name))
    if target.is_dir() or name[-1:] in ("", "/", os.sep):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    hidden_name, all_such = hidden(target.name)
    temporary = target.with_name(hidden_name)
    with ExitStack() as stack:
        try:
            clear(target.parent, all_such)
            raw = stack.enter_context(unfinished_file(temporary))
        except OSError as error:
            error.filename = name
            raise
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        yield raw
        raw.flush()
        os.fsync(raw.fileno())
        raw.close()
        temporary.replace(target)


@contextmanager
def _laid_out(raw: BinaryIO, layout: Layout) -> Iterator[TextIO]:
    """Open a text stream of a layout into `raw`, which stays open."""
    on_terminal = raw.isatty()
    layout = PLAIN if on_terminal else layout
    kind = OnTerminal if on_terminal else io.TextIOWrapper if layout == PLAIN else LaidOut
    text = kind(raw, encoding=layout.encoding, newline=layout.line_end, line_buffering=on_terminal)
    try:
        if layout.has_mark:
            text.write(BOM)
        yield text
    finally:
        text.detach()
