"""The layout of a text file: encoding, byte order mark and line ends; and its decoding.

A `Decoder` makes text with LF of bytes in any encoding, a block at a time.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import EncodingError, UsageError
from sejongud.memo import lazy_pattern
from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterable


LINE_ENDS = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}
"""The line ends that a file can be written with, and their names in a layout."""
_MARK = "bom"
_DOUBLED, _CTRL_Z = "\r\r\n", "\x1a"
_HELD, _MOST_HELD = "\r" + _CTRL_Z, 128
"""The characters that may belong to an end behind them; DOS fills its last block with Ctrl-Z."""


class Layout(NamedTuple):
    """The layout of a text file.

    >>> str(Layout("utf-16-le", has_mark=True, line_end="\\r\\n")), str(Layout())
    ('utf-16-le bom crlf', 'utf-8 lf')
    """

    encoding: str = "utf-8"
    has_mark: bool = False
    """Whether a byte order mark stands before the text."""
    line_end: str = "\n"

    def __str__(self) -> str:
        mark = [_MARK] if self.has_mark else []
        return " ".join([self.encoding, *mark, LINE_ENDS[self.line_end]])

    @classmethod
    def read(cls, text: str) -> Layout | None:
        """Return the layout that `str` wrote; None for any other text.

        >>> Layout.read("cp949 crlf"), Layout.read("utf-16"), Layout.read("base64 lf")
        (Layout(encoding='cp949', has_mark=False, line_end='\\r\\n'), None, None)
        """
        encoding, *words = text.split() or [""]
        has_mark = words[:1] == [_MARK]
        ends = [end for end, name in LINE_ENDS.items() if words[has_mark:] == [name]]
        try:
            checked(encoding)
            return cls(encoding, has_mark, ends[0])
        except (IndexError, UsageError):
            return None

    @classmethod
    def from_comment(cls, head: str, key: str) -> Layout:
        """Return the layout that a comment of a sentence tells; the plain one if none does.

        Args:
            head: the beginning of the CoNLL-U, or of JSON Lines of corrections.
            key: of the comment.

        >>> str(Layout.from_comment("# ner_file = cp949 crlf\\n1\\t나\\n", "ner_file"))
        'cp949 crlf'
        """
        match = re.search(rf'(?:^# |"){key} = ([^"\n]*)', head, re.MULTILINE)
        return (cls.read(match[1]) if match else None) or PLAIN


PLAIN = Layout()
"""The layout of files that are written, if nothing else is said."""


class LaidOut(io.TextIOWrapper):
    """A text stream whose layout is not the plain one, so that no bytes of UTF-8 go around it."""


class OnTerminal(LaidOut):
    """A text stream to a terminal, which no character of a corpus controls."""

    def write(self, text: str, /) -> int:
        """Write a text without control characters."""
        super().write(clean(text, keep="\n\t"))
        return len(text)


_BOMS = (
    # The mark of UTF-32 begins with the mark of UTF-16, so it comes first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"

_NO_TEXT = (
    (b"PK\3\4", "a ZIP archive, such as .zip, .xlsx, .docx or .hwpx"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document, such as .hwp, .doc or .xls"),
    (b"%PDF-", "a PDF document"),
    (b"PAR1", "a table of Parquet: write it as JSON Lines, `to_json` of datasets"),
    (b"\xff\xff\xff\xff", "a table of Arrow: write it as JSON Lines, `to_json` of datasets"),
)
"""Beginnings of files that are no text, some of which could be read as UTF-16."""
_ZLIB = (b"x\x9c", "data compressed by zlib, such as .spacy, which `ner convert` reads")
_HANGUL = lazy_pattern("[가-힣]")
_GUESSES = ("utf-8", "cp949")
_GUESSES_WITH_NUL = (*_GUESSES, "utf-16-le", "utf-16-be")


def guess_encoding(sample: bytes, *, final: bool = True) -> str | None:
    """Guess the encoding of a text that begins with these bytes; None if no guess can read them.

    A byte order mark decides. Without a mark, the encoding is UTF-8 if it can decode the bytes,
    else CP949 (which includes EUC-KR). If there are NUL bytes, UTF-16 is tried as well, and the
    reading that looks most like Korean text wins.

    Args:
        sample: the first bytes.
        final: whether the text ends with them; if not, they may end within a character.

    >>> guess_encoding("나는 간다".encode("cp949"))
    'cp949'
    >>> guess_encoding("나는 간다".encode("utf-16-be"))
    'utf-16-be'
    """
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name
    if b"\0" in sample:
        readings = {name: reading(sample, name, final=final) for name in _GUESSES_WITH_NUL}
        if _HANGUL.search(str(readings["utf-8"])):
            # No other encoding has such bytes; NUL is damage.
            return "utf-8"
        best = max(_GUESSES_WITH_NUL, key=lambda name: _plausibility(readings[name]))
        if isinstance(readings[best], str):
            return best
    for name in _GUESSES:
        if isinstance(reading(sample, name, final=final), str):
            return name
    return None


def reading(sample: bytes, encoding: str, *, final: bool) -> str | UnicodeDecodeError:
    """Decode the beginning of a text, or return the error.

    Args:
        sample: the first bytes.
        encoding: of the text.
        final: whether the text ends with them; if not, they may end within a character.

    >>> import bz2
    >>> type(reading(bz2.compress(b""), "utf-8", final=False)).__name__
    'UnicodeDecodeError'
    >>> reading("BZh91AY&SY 가".encode()[:-1], "utf-8", final=False)
    'BZh91AY&SY '
    """
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final)
    except UnicodeDecodeError as error:
        return error


def _plausibility(text: str | UnicodeDecodeError) -> float:
    """Return the share of Hangul and ASCII in a text, from 0 to 1; -1 if there is no text."""
    if not isinstance(text, str):
        return -1.0
    usual = sum(
        " " <= char <= "~" or char in "\t\n\r" or "가" <= char <= "힣" or "ㄱ" <= char <= "ㅣ"
        for char in text[:4096]
    )
    return usual / max(len(text[:4096]), 1)


class Decoder:
    """Decode blocks of bytes to text with LF, and keep track of the place.

    Args:
        path: for messages.
        encoding: None to guess it.
        line_ends: whether CRLF and CR become LF.
    """

    def __init__(self, path: str, encoding: str | None, *, line_ends: bool = True) -> None:
        self._path = path
        self._settled = encoding is not None
        self._begun = False
        self._offset = 0
        self._newlines = io.IncrementalNewlineDecoder(None, translate=line_ends)
        self._becomes_lf = line_ends
        self._held = ""
        self._odd_ends: set[str] = set()
        self.encoding = encoding or "utf-8"
        self.mark = ""
        """The encoding that the byte order mark names; "" if there is no mark."""
        self.lines = 0
        """The number of line ends decoded so far."""
        self._decoder = codecs.getincrementaldecoder(self.encoding)()

    def guess(self, sample: bytes, *, final: bool) -> None:
        """Settle the encoding by `sample`, the next bytes, unless they are plain ASCII."""
        if not self._begun:
            self._expect_text(sample, _NO_TEXT)
            self.mark = next((name for mark, name in _BOMS if sample.startswith(mark)), "")
        if self._settled or (sample.isascii() and b"\0" not in sample):
            return
        encoding = guess_encoding(sample, final=final)
        if encoding is None:
            self._expect_text(sample, (_ZLIB,))
            raise self._unreadable(sample, final=final)
        self._settled = True
        self.encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def decode(self, block: bytes, *, final: bool = False) -> str:
        """Decode the next bytes."""
        try:
            text = self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            raise self._error(error, block, (self.encoding,)) from None
        except UnicodeError as error:  # UTF-16 without a byte order mark
            raise EncodingError(
                f"the file cannot be read as {self.encoding} ({error}); without a byte order mark"
                " utf-16 is utf-16-le or utf-16-be; name the encoding with --encoding",
                path=self._path,
                line=1,
            ) from None
        self._offset += len(block)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix(BOM)
        # To look for a byte is a twentieth of the work.
        may_have = self.encoding not in _GUESSES or b"\r" in block or b"\x1a" in block
        if self._becomes_lf and (may_have or self._held):
            text = self._usual_ends(text, final=final)
        text = self._newlines.decode(text, final)
        self.lines += text.count("\n")
        return text

    @property
    def line_ends(self) -> tuple[str, ...]:
        """The kinds of line ends that became LF so far."""
        kinds = self._newlines.newlines if self._becomes_lf else None
        usual = kinds if isinstance(kinds, tuple) else (kinds,) if kinds else ()
        return (*usual, *self._odd_ends)

    def _usual_ends(self, text: str, *, final: bool) -> str:
        """Return a text without CR CR LF and without Ctrl-Z at its end, as DOS has it.

        CR CR LF stands where a program gave Windows CRLF for the end of a line.
        """
        text = self._held + text
        end = len(text) if final else max(len(text.rstrip(_HELD)), len(text) - _MOST_HELD)
        text, self._held = text[:end], text[end:]
        if _DOUBLED in text:
            self._odd_ends.add(_DOUBLED)
            text = text.replace(_DOUBLED, "\r\n")
        if final and text.endswith(_CTRL_Z):
            self._odd_ends.add(_CTRL_Z)
            text = text.rstrip(_CTRL_Z)
        return text

    def _expect_text(self, sample: bytes, kinds: Iterable[tuple[bytes, str]]) -> None:
        """Raise an error for a file that begins as another kind of file does."""
        for beginning, kind in kinds:
            if sample.startswith(beginning) and not (self._begun or self._settled):
                raise EncodingError(f"this is no text, but {kind}", path=self._path, line=1)

    def _unreadable(self, sample: bytes, *, final: bool) -> EncodingError:
        """Return the error of the guess that decoded most, which is most likely the right one."""
        readings = [reading(sample, name, final=final) for name in _GUESSES]
        errors = [error for error in readings if isinstance(error, UnicodeDecodeError)]
        return self._error(max(errors, key=lambda error: error.start), sample, _GUESSES)

    def _error(
        self, error: UnicodeDecodeError, block: bytes, tried: tuple[str, ...]
    ) -> EncodingError:
        # The object of the error also holds the bytes that the decoder kept of the block before.
        offset = self._offset - (len(error.object) - len(block)) + error.start
        before = error.object[: error.start].decode(error.encoding, "replace")
        before = with_lf(before)
        return EncodingError(
            f"byte 0x{error.object[error.start]:02X} at offset {offset} cannot be read as "
            f"{' or '.join(tried)}; name the encoding of the file with --encoding",
            path=self._path,
            line=self.lines + before.count("\n") + 1,
        )


def with_lf(text: str) -> str:
    r"""Return a text with LF as its line ends, without a byte order mark: what is read of a file.

    >>> with_lf("\ufeff나\r\n너\r우리\n")
    '나\n너\n우리\n'
    """
    text = text.removeprefix("\ufeff").replace(_DOUBLED, "\n")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def checked(encoding: str | None) -> str | None:
    """Return the encoding if Python has it and it is an encoding of text."""
    if encoding is not None:
        try:
            io.TextIOWrapper(io.BytesIO(), encoding=encoding).close()
        except (LookupError, ValueError):
            message = f"there is no encoding {encoding!r}; Korean files are utf-8, cp949 or utf-16"
            raise UsageError(message) from None
    return encoding
