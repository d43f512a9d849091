"""The layout of a text file: encoding, byte order mark and line ends."""

from __future__ import annotations

import io
import re
from typing import NamedTuple

from sejongud.terminal import clean

_NAMES = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}
_MARK = "bom"


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
        return " ".join([self.encoding, *mark, _NAMES[self.line_end]])

    @classmethod
    def read(cls, text: str) -> Layout | None:
        """Return the layout that `str` wrote; None for any other text.

        >>> Layout.read("cp949 crlf"), Layout.read("utf-16"), Layout.read("base64 lf")
        (Layout(encoding='cp949', has_mark=False, line_end='\\r\\n'), None, None)
        """
        encoding, *ends_named = text.split() or [""]
        ends = {name: end for end, name in _NAMES.items()}
        if ends_named not in ([name] for name in ends) and ends_named not in (
            [_MARK, name] for name in ends
        ):
            return None
        try:
            io.TextIOWrapper(io.BytesIO(), encoding=encoding).close()
        except (LookupError, ValueError):
            return None
        return cls(encoding, len(ends_named) == 2, ends[ends_named[-1]])

    @classmethod
    def told(cls, head: str, key: str) -> Layout:
        """Return the layout that a comment of CoNLL-U tells; the plain one if none does.

        Args:
            head: the beginning of the CoNLL-U.
            key: of the comment.

        >>> str(Layout.told("# ner_file = cp949 crlf\\n1\\t나\\n", "ner_file"))
        'cp949 crlf'
        """
        match = re.search(rf"^# {key} = (.*)$", head, re.MULTILINE)
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
