"""A dependency tree, drawn with lines beside words that stand below one another.

  ╭─ 서울대학교의
╭─╯  연구는
├    끝났다
╰─   .
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.arcs import circles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STROKES = "╭╮╰╯├┤─│┼"
"""The characters of all lines."""


class _Trunk(NamedTuple):
    """The upright line of a governor: its column, its first and its last word."""

    column: int
    first: int
    last: int


def draw_tree(heads: Sequence[int]) -> list[str]:
    """Return the lines that stand left of each word.

    Args:
        heads: the head of each word, from 1; 0 for a root, -1 for none. A cycle is cut at one of
            its arcs; a word below no root is drawn like a root.

    >>> print("\\n".join(draw_tree([2, 3, 0, 3])))
      ╭─
    ╭─╯
    ├
    ╰─
    """
    above = _governors(heads)
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(above):
        if head >= 0:
            below[head].append(word)
    trunks: dict[int, _Trunk] = {}
    level = [word for word, head in enumerate(above) if head < 0 and below[word]]
    while level:
        ends = {word: (min(word, below[word][0]), max(word, below[word][-1])) for word in level}
        for word in sorted(level, key=lambda word: (ends[word][1] - ends[word][0], word)):
            first, last = ends[word]
            # The first column right of the governor's own in which no other line is in the way.
            column = trunks[above[word]].column + 1 if above[word] >= 0 else 0
            taken = {t.column for t in trunks.values() if t.first <= last and first <= t.last}
            while column in taken:
                column += 1
            trunks[word] = _Trunk(column, first, last)
        level = [dependent for word in level for dependent in below[word] if below[dependent]]
    return [_branch(word, head, trunks) for word, head in enumerate(above)]


def _governors(heads: Sequence[int]) -> list[int]:
    """Return the governor of each word, from 0; -1 if it has none, or where a cycle is cut."""
    above = [head - 1 if 0 < head <= len(heads) else -1 for head in heads]
    for circle in circles(heads):
        above[circle[-1]] = -1
    return above


def _branch(word: int, head: int, trunks: Mapping[int, _Trunk]) -> str:
    """Return the lines left of a word: passing trunks, the arc from its head, its own trunk."""
    passing = {
        trunk.column
        for of_trunk, trunk in trunks.items()
        if trunk.first <= word <= trunk.last and of_trunk not in (word, head)
    }
    below, governor = trunks.get(word), trunks.get(head)
    start = governor.column if governor else -1
    last = max([start, below.column if below else -1, *passing])
    # The arc ends at the word's own trunk, or at the word.
    arc = range(start, below.column if below else last + 1) if governor else range(0)
    chars = []
    for column in range(last + 1):
        if below and column == below.column:
            chars.append(_end(word, below, "╮╯┤" if governor else "╭╰├"))
        elif governor and column == start:
            chars.append(_end(word, governor, "╭╰├"))
        elif column in passing:
            chars.append("┼" if column in arc else "│")
        else:
            chars.append("─" if column in arc else " ")
        chars.append("─" if column in arc else " ")
    return "".join(chars).rstrip(" ")


def _end(word: int, trunk: _Trunk, strokes: str) -> str:
    """Return the stroke of a word at the first, the last or another place of a trunk."""
    first, last, between = tuple(strokes)
    return first if word == trunk.first else last if word == trunk.last else between
