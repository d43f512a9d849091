"""Concordance lines and frequency lists of the words that a query finds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sejongud.model import NOTHING
from sejongud.terminal import clean, data_text, display_width, pad, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.query.grammar import Path
    from sejongud.query.words import Words

COLUMNS = (
    *("sent_id", "word", "left", "match", "right"),
    *("form", "lemma", "upos", "tag", "deprel", "head", "entity"),
)
"""The columns of a concordance."""

MOST = 1_000_000
"""The different values that a frequency list tells apart; the others are one row."""
OTHERS = "(others)"

_COLUMN_KEYS = ("form", "lemma", "upos", "tag", "deprel")
_ID = 24
"""The cells that a line keeps for the id of its sentence."""
_CONTEXT = 2_000
"""The most characters on each side of a word in a row; a long sentence has a row for each word."""
_JOINT = "|"
"""Stands between several values of a word, as of nested entities."""


def concordance_line(words: Words, place: int, width: int) -> str:
    """Return a word in its context, the words of all lines below one another.

    Args:
        words: the words of a sentence.
        place: the word, from 0.
        width: the cells of a line; 0 for lines as long as their sentences.

    Returns:
        A line of text that cannot control the terminal, with its end.
    """
    left, match, right = (clean(part) for part in _context(words, place))
    sent_id = clean(words.sentence.sent_id)
    if not width:
        return f"{left}[{match}]{right}  {sent_id}".rstrip() + "\n"
    side = max((width - _ID) // 2, 8)
    before = pad(_cut_left(left, side), side, "r")
    behind = _cut_right(f"[{match}]{right}", side)
    return f"{before}{pad(behind, side)}  {sent_id}".rstrip() + "\n"


def _context(words: Words, place: int) -> tuple[str, str, str]:
    """Return the text before a word, the word, and the text behind it."""
    text = words.sentence.text
    begin, end = words.span(place)
    return text[:begin], text[begin:end], text[end:]


def _cut_left(text: str, width: int) -> str:
    """Cut a text at its beginning to a width; an ellipsis marks the cut."""
    if display_width(text[-width - 1 :]) <= width and len(text) <= width:
        return text
    length = _fitting(text[::-1][:width], width - 1)
    return "…" + text[len(text) - length :] if length < len(text) else text


def _cut_right(text: str, width: int) -> str:
    """Cut a text at its end to a width; an ellipsis marks the cut."""
    if len(text) <= width and display_width(text) <= width:
        return text
    return text[: _fitting(text[:width], width - 1)] + "…"


def _fitting(text: str, width: int) -> int:
    """Return how many characters of a text fit into a width."""
    for i, char in enumerate(text):
        width -= display_width(char)
        if width < 0:
            return i
    return len(text)


def concordance_row(words: Words, place: int) -> list[Any]:
    """Return a word in its context as a row, see `COLUMNS`; `_` stands for nothing.

    The context has at most 2,000 characters on each side.

    Args:
        words: the words of a sentence.
        place: the word, from 0.
    """
    heads = words.step([place], "head")
    left, match, right = _context(words, place)
    context = (left[-_CONTEXT:], match, right[:_CONTEXT])
    cells: list[Any] = [words.sentence.sent_id, words.views[place].number, *context]
    cells += [_cell(words, [place], key) for key in _COLUMN_KEYS]
    return [*cells, _cell(words, heads, "form"), _cell(words, [place], "entity")]


def _cell(words: Words, places: Sequence[int], key: str) -> str:
    """Return the values of some words for a key."""
    values = [value for place in places for value in words.values(place, key)]
    return _JOINT.join(values) or NOTHING


class Frequencies:
    """Counts the values of words.

    At most `MOST` different rows are kept; every other row is counted as one of `OTHERS`.

    Args:
        paths: the values that are counted together, a column each.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._others = (OTHERS,) + ("",) * (len(paths) - 1)

    def add(self, words: Words, place: int) -> None:
        """Count a word.

        Args:
            words: the words of its sentence.
            place: the word, from 0.
        """
        cells = []
        for steps, key in self._paths:
            places = [place]
            for step in steps:
                places = words.step(places, step)
            cells.append(_cell(words, places, key))
        row = tuple(cells)
        is_full = len(self._counts) >= MOST and row not in self._counts
        self._counts[self._others if is_full else row] += 1

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the count, the share and the values of each row, the most frequent first."""
        total = self._counts.total()
        for values, n in sorted(self._counts.items(), key=lambda pair: (-pair[1], pair[0])):
            yield n, n / total, *values

    def text(self, limit: int, form: str = "text") -> str:
        """Return the list as a table.

        Args:
            limit: the rows to show; 0 for all.
            form: "text", or one of `data_text`.
        """
        header = ["count", "share", *[".".join([*steps, key]) for steps, key in self._paths]]
        rows = list(self.rows())
        rows = rows[:limit] if limit else rows
        if form == "json":
            return data_text(form, [header, *rows])
        shown = [[str(n), f"{share:.2%}", *values] for n, share, *values in rows]
        if form != "text":
            return data_text(form, [header, *shown])
        return table(shown, header=header, align="rrl") if shown else ""
