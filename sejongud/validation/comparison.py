"""The comparison of two texts, sentence by sentence, in constant memory.

A sentence that is missing or added is found by looking some sentences ahead.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.places import first_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sejongud.formats.labelled import Block

_LISTED = 1_000
"""The number of different blocks that are kept."""
_AHEAD = 32
"""The number of blocks that are searched for the next equal pair."""


class Difference(NamedTuple):
    """The first line of a sentence that comes back changed."""

    line: int
    """Its number in the file, from 1; 0 where the file has no such line."""
    expected: str | None
    """The line in the file, None if there is none."""
    got: str | None
    """The line that came back, None if there is none."""
    column: int
    """The first column that differs, from 1."""
    sent_id: str = ""


@dataclass
class RoundTripComparison:
    """The result of comparing two texts."""

    sentences: int = 0
    identical: int = 0
    differing: int = 0
    """The number of blocks that differ, sentences or not."""
    pairs: list[tuple[Block | None, Block | None]] = field(default_factory=list)
    """The first blocks that differ."""


def compare(
    expected: Iterator[Block], got: Iterator[Block], is_sentence: Callable[[Block], bool]
) -> RoundTripComparison:
    """Compare two texts, block by block."""
    found = RoundTripComparison()
    for block, other in _beside(expected, got):
        counts = block is not None and is_sentence(block)
        same = block is not None and other is not None and block.text == other.text
        found.sentences += counts
        found.identical += counts and same
        if not same:
            found.differing += 1
            if len(found.pairs) < _LISTED:
                found.pairs.append((block, other))
    return found


def _beside(
    expected: Iterator[Block], got: Iterator[Block]
) -> Iterator[tuple[Block | None, Block | None]]:
    """Pair the blocks of two texts: the equal ones, and the blocks between them."""
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
    """Return how many blocks to skip on each side to reach the next equal pair.

    It is one on each side if there is no equal pair.
    """
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
_SENT_ID = re.compile(r"^# sent_id = (.*)$", re.MULTILINE)


def difference(expected: Block | None, got: Block | None) -> Difference:
    """Return the first difference of two blocks."""
    ours, theirs = ([] if block is None else _LINE.findall(block.text) for block in (expected, got))
    pairs = zip_longest(ours, theirs)
    at, (a, b) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
    if _bare(a) != _bare(b):
        # Else only one of them has a line's end.
        a, b = _bare(a), _bare(b)
    column = 1
    if a is not None and b is not None:
        column += first_difference(a.split("\t"), b.split("\t"))
    if expected is None:
        return Difference(0, a, b, column)
    return Difference(expected.line + at, a, b, column, stated_id(expected.text))


def stated_id(text: str) -> str:
    """Return the sent_id that a comment of a sentence states; "" if there is none."""
    match = _SENT_ID.search(text)
    return match[1].strip() if match else ""


def _bare(line: str | None) -> str | None:
    return None if line is None else line.removesuffix("\n")
