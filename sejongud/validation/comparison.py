"""Two texts side by side, sentence by sentence: what is the same in both, and what is not.

In constant memory: what one of them lacks is found by looking some sentences ahead.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sejongud.formats.labelled import Block

__all__ = ["Comparison", "Difference", "compare", "difference"]

_LISTED = 1_000
"""How many pieces that differ are kept."""
_AHEAD = 32
"""How many pieces are looked at to find out which of them is missing, or too much."""


class Difference(NamedTuple):
    """The first line of a sentence that comes back otherwise."""

    line: int
    """Where it is in the file, from 1; 0 where the file has nothing like it."""
    expected: str | None
    """The line that was written, None if there was none."""
    got: str | None
    """The line that came back, None if none did."""
    column: int
    """The column in which they differ, from 1."""
    sent_id: str = ""


@dataclass
class Comparison:
    """What came of comparing two texts, sentence by sentence."""

    sentences: int = 0
    identical: int = 0
    differing: int = 0
    """Pieces, sentences or not."""
    pairs: list[tuple[Block | None, Block | None]] = field(default_factory=list)
    """The first of those that differ."""


def compare(
    expected: Iterator[Block], got: Iterator[Block], is_sentence: Callable[[Block], bool]
) -> Comparison:
    """Compare two texts, piece by piece."""
    found = Comparison()
    for pair in _beside(expected, got):
        block, other = pair
        counts = block is not None and is_sentence(block)
        same = block is not None and other is not None and block.text == other.text
        found.sentences += counts
        found.identical += counts and same
        if not same:
            found.differing += 1
            if len(found.pairs) < _LISTED:
                found.pairs.append(pair)
    return found


def _beside(
    expected: Iterator[Block], got: Iterator[Block]
) -> Iterator[tuple[Block | None, Block | None]]:
    """The pieces of two texts side by side: equal ones, and what stands between them."""
    left: deque[Block] = deque()
    right: deque[Block] = deque()

    def fill(size: int) -> None:
        left.extend(islice(expected, size - len(left)))
        right.extend(islice(got, size - len(right)))

    while True:
        fill(max(1, len(left), len(right)))
        if not left and not right:
            return
        if left and right and left[0].text == right[0].text:
            yield left.popleft(), right.popleft()
            continue
        fill(_AHEAD)
        before, behind = _next_equal(left, right)
        yield from zip_longest(
            [left.popleft() for _ in range(before)], [right.popleft() for _ in range(behind)]
        )


def _next_equal(left: Sequence[Block], right: Sequence[Block]) -> tuple[int, int]:
    """How many pieces stand before the next that are equal; one of each if none are."""
    places: dict[str, int] = {}
    for at, block in enumerate(right):
        places.setdefault(block.text, at)
    equal = [
        (at, places[block.text])
        for at, block in enumerate(left)
        if block.text and block.text in places
    ]
    return min(equal, key=sum, default=(min(len(left), 1), min(len(right), 1)))


_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def difference(expected: Block | None, got: Block | None) -> Difference:
    """The first line in which two pieces differ."""
    ours = [] if expected is None else _LINE.findall(expected.text)
    theirs = [] if got is None else _LINE.findall(got.text)
    pairs = zip_longest(ours, theirs)
    at, (a, b) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
    if _bare(a) != _bare(b):
        # Else it is the line's end that one of them lacks.
        a, b = _bare(a), _bare(b)
    column = 1
    if a is not None and b is not None:
        cells = zip_longest(a.split("\t"), b.split("\t"))
        column = next(n for n, (one, other) in enumerate(cells, 1) if one != other)
    line = 0 if expected is None else expected.line + at
    return Difference(line, a, b, column, _sent_id(expected))


def _bare(line: str | None) -> str | None:
    return None if line is None else line.removesuffix("\n")


def _sent_id(block: Block | None) -> str:
    """The id that a comment gives a sentence, "" if none does."""
    for line in block.text.split("\n") if block is not None else ():
        if line.startswith("# sent_id = "):
            return line.removeprefix("# sent_id = ").strip()
    return ""
