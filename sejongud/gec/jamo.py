"""The jamo distance of two texts (paper 002, A.3.1; soynlp's `jamo_levenshtein`).

It is the Levenshtein distance over characters, where the substitution of a syllable by another
costs a third for each of lead, vowel and coda that differ.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, log

from sejongud.morphology.hangul import decompose, is_syllable

_PARTS = 3
_BASE = 20
_MOST_CELLS = 4_000_000
"""The most cells of a table; texts that need more are not compared."""


@lru_cache(maxsize=1 << 16)
def substitution_cost(first: str, second: str) -> float:
    """Return the cost of one character for another.

    >>> substitution_cost("갓", "갔"), substitution_cost("가", "a")
    (0.3333333333333333, 1.0)
    """
    if not (is_syllable(first) and is_syllable(second)):
        return 1.0
    pairs = zip(decompose(first), decompose(second), strict=True)
    return sum([a != b for a, b in pairs]) / _PARTS


def jamo_distance(first: str, second: str, limit: float = inf) -> float:
    """Return the jamo distance of two texts.

    Args:
        first: a text.
        second: another one.
        limit: a distance that is enough: of texts that are farther apart, or that are too long to
            be compared within the limit, the result is infinite.

    Returns:
        The distance, 0 for equal texts.

    >>> jamo_distance("한국어", "한국말"), round(jamo_distance("가요", "갔어요"), 3)
    (1.0, 1.333)
    """
    size = min(len(first), len(second))
    front = next((i for i in range(size) if first[i] != second[i]), size)
    first, second = first[front:], second[front:]
    size -= front
    back = next((i for i in range(size) if first[-1 - i] != second[-1 - i]), size)
    first, second = first[: len(first) - back], second[: len(second) - back]
    if abs(len(first) - len(second)) > limit:
        return inf
    # A path that leaves this band costs more than the limit.
    band = int(min(limit, max(len(first), len(second))))
    if (2 * band + 1) * len(first) > _MOST_CELLS:
        return inf
    return _within(first, second, band, limit)


def _within(first: str, second: str, band: int, limit: float) -> float:
    """Return the distance over the cells of a band around the diagonal."""
    width = 2 * band + 1
    # The place of the cell (i, j) in its row is j - i + band.
    above = [float(k - band) if band <= k <= band + len(second) else inf for k in range(width)]
    for i, char in enumerate(first, 1):
        row = [inf] * width
        best = inf
        for k in range(max(0, band - i), min(width, len(second) - i + band + 1)):
            best += 1
            if k + 1 < width:
                best = min(best, above[k + 1] + 1)
            j = i + k - band
            if j:
                second_char = second[j - 1]
                cost = 0.0 if char == second_char else substitution_cost(char, second_char)
                best = min(best, above[k] + cost)
            row[k] = best
        above = row
        if min(row) > limit:
            return inf
    return above[len(second) - len(first) + band]


def normalised(distance: float, length: int) -> float:
    """Return a distance by the length of the shorter text (paper 002, equation 1).

    Args:
        distance: of two texts.
        length: of the shorter one, in characters.

    >>> round(normalised(2.0, 20), 2), normalised(0.0, 1), normalised(1.0, 1)
    (0.1, 0.0, inf)
    """
    if not distance:
        return 0.0
    by = length * log(length, _BASE) if length > 1 else 0.0
    return distance / by if by else inf
