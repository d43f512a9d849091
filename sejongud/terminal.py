"""Text to print: its width in cells, padding, clipping, tables, JSON, CSV, control characters.

A Hangul syllable takes two cells, a combining mark none. Example: `display_width("나서+었")` is 7.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unicodedata import category, east_asian_width

from sejongud.memo import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

_HARMFUL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of characters that can move the cursor, change colours or reverse the text."""

_FORMULAS = tuple("=+-@＝＋－＠")
"""The beginnings of cells that a spreadsheet runs; the wide ones in East Asian settings."""

_INVISIBLE = "\xad\u200b\u200c\u200d\u2060\ufeff"
"""Harmless characters without a width, such as the joiner inside an emoji: they are dropped."""


_CHOICE = lazy_pattern(r"\[([^]|]*)(\|?)([^]]*)\]")


def counted(number: int, text: str) -> str:
    """Return a number with the text that it counts, whose words agree with it.

    Args:
        number: how many there are.
        text: has `[s]` where more than one needs an s, and `[was|were]` where words differ.

    >>> counted(1, "entit[y|ies] [was|were] lost"), counted(1200, "sentence[s]")
    ('1 entity was lost', '1,200 sentences')
    """

    def chosen(found: re.Match[str]) -> str:
        first, bar, second = found.groups()
        singular, plural = (first, second) if bar else ("", first)
        return singular if number == 1 else plural

    return f"{number:,} {_CHOICE.sub(chosen, text)}"


def display_width(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> display_width("나서+었"), display_width("ㄴ다"), display_width("a\\u0301")
    (7, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if east_asian_width(char) in "WF":
        return 2
    # Vowels and final consonants join the initial consonant before them.
    joined = "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    return 0 if joined or category(char) in ("Mn", "Me") else 1


_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"[": "{[}", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
"""Behind the \\\\ of a row, [ would begin an option of it."""


def latex(text: str) -> str:
    """Return a text in which no character is a command of LaTeX.

    >>> latex("50%_a")
    '50\\\\%\\\\_a'
    """
    return text.translate(_LATEX)


def pad(text: str, width: int, align: str = "l") -> str:
    """Fill a text with blanks up to a width.

    Args:
        text: the text; it stays as it is if it is wider.
        width: the cells to fill.
        align: "l" puts the text to the left, "r" to the right.

    >>> pad("나", 4) + "|", pad("나", 4, "r")
    ('나  |', '  나')
    """
    blanks = " " * (width - display_width(text))
    return blanks + text if align == "r" else text + blanks


def clip(text: str, width: int, start: int = 0) -> str:
    """Cut a text to a width; an ellipsis marks each end that was cut.

    Args:
        text: the text.
        width: the most cells that the result takes.
        start: the first character to keep.

    >>> clip("프랑스의", 8), clip("프랑스의", 7), clip("프랑스의", 6, 1)
    ('프랑스의', '프랑스…', '…랑스…')
    """
    text = f"…{text[start:]}" if start else text
    room, end = width, 0
    # No more is measured than is shown: a row may have a whole book behind it.
    for at, char in enumerate(text, 1):
        room -= _cells(char)
        if room < 0:
            return f"{text[:end]}…"
        if room:
            end = at
    return text


def clip_left(text: str, width: int) -> str:
    """Cut a text at its beginning to a width; an ellipsis marks the cut.

    >>> clip_left("프랑스의", 8), clip_left("프랑스의", 5)
    ('프랑스의', '…스의')
    """
    return clip(text[::-1], width)[::-1]


def table(
    rows: Sequence[Sequence[str]],
    *,
    header: Sequence[str] | None = None,
    align: str = "lr",
    gap: int = 2,
) -> str:
    """Lay out rows of cells in columns, one line a row, without blanks at the ends of lines.

    Args:
        rows: the cells, equally many in each row.
        header: the names of the columns.
        align: the alignment of each column, "l" or "r"; the last letter holds for all that follow.
        gap: the blanks between columns.

    >>> print(table([["Tokens", "99.50"]], header=["", "f1"]), end="")
               f1
    Tokens  99.50
    """
    rows = [list(map(clean, row)) for row in (rows if header is None else [header, *rows])]
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    aligns = align.ljust(len(widths), align[-1])
    lines = [(" " * gap).join(map(pad, row, widths, aligns)) for row in rows]
    return "".join([line.rstrip(" ") + "\n" for line in lines])


def clean(text: str, keep: str = "") -> str:
    """Replace characters that would control the terminal, by their pictures where they have one.

    All messages and all tables are cleaned by this function; the output of a conversion never is.

    Args:
        text: the text.
        keep: characters to keep: the ends of lines in a text of several.

    >>> clean("a\\x1b[31m\\tb")
    'a␛[31m␉b'
    """
    if text.isprintable():
        return text
    text = in_utf8(text)
    return "".join(
        [
            _picture(char) if category(char) in _HARMFUL and char not in keep else char
            for char in text
        ]
    )


def in_utf8(argument: str) -> str:
    """Return an argument of the command line whose bytes the locale could not decode as UTF-8.

    >>> in_utf8("lemma=\\udcea\\udcbd\\udc83"), in_utf8("\\udcb0")
    ('lemma=꽃', '\\udcb0')
    """
    try:
        return argument.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeError:  # It has other halves of surrogate pairs.
        return argument


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON that cannot control the terminal and says the same.

    Args:
        value: the value.
        indent: the blanks of a level; None for one line.

    >>> json_text({"형태": "a\\x9b31m"})
    '{"형태": "a\\\\u009b31m"}'
    """
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isprintable():
        return text
    return "".join(
        [
            json.dumps(char)[1:-1] if category(char) in _HARMFUL and char != "\n" else char
            for char in text
        ]
    )


def csv_cell(value: Any) -> Any:
    """Return a value for a cell of CSV: a text that no spreadsheet runs as a formula.

    >>> csv_cell("=1+1"), csv_cell("나는"), csv_cell(-0.5)
    ("'=1+1", '나는', -0.5)
    """
    if not isinstance(value, str):
        return value
    text = clean(value)
    return f"'{text}" if text.startswith(_FORMULAS) else text


def data_text(form: str, rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV, TSV or JSON, in which each row is an object.

    Args:
        form: "csv", "tsv" or "json".
        rows: the values, below the names of the columns.

    >>> print(data_text("csv", [["form", "n"], ["=가,", 2], ["나", None]]), end="")
    form,n
    "'=가,",2
    나,
    >>> print(data_text("json", [["form", "n"], ["가", 2]]), end="")
    [
    {"form": "가", "n": 2}
    ]
    """
    return "".join(data_lines(form, rows))


def data_lines(form: str, rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the pieces of `data_text`, one by one."""
    if form == "json":
        rows = iter(rows)
        names = next(rows, ())
        mark = "[\n"
        for row in rows:
            yield mark + json_text(dict(zip(names, row, strict=True)))
            mark = ",\n"
        yield "[]\n" if mark == "[\n" else "\n]\n"
    elif form == "tsv":
        for row in rows:
            yield "\t".join(["" if value is None else _tsv_cell(value) for value in row]) + "\n"
    else:
        import csv

        # `writerow` returns what `write` returns: the line.
        writer = csv.writer(SimpleNamespace(write=str), lineterminator="\n")
        yield from (writer.writerow(list(map(csv_cell, row))) for row in rows)


def _tsv_cell(value: object) -> str:
    """Return a value for a cell of TSV: a text as in CSV, without tabs and ends of lines."""
    if isinstance(value, str) and not value.isprintable():
        value = " ".join(value.splitlines()).replace("\t", " ")
    return str(csv_cell(value))


def _picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if 0xD800 <= code < 0xE000:  # half of a character, or a byte of a file name
        return f"\\u{code:04x}"
    return "" if char in _INVISIBLE else "\ufffd"
