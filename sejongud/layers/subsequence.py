"""Find what two sequences have in common, in order: a common subsequence.

The result is exact up to a size at which it is found piece by piece: memory is bounded, and the
time is linear beyond that size. Before long sequences are cut into pieces, items that occur once on
either side are paired, as many as stand in the same order on both (patience diff).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CELLS = 1 << 29
"""The product of the lengths above which sequences are compared piece by piece."""
_WINDOW = 1 << 13
"""The length of a piece."""

_FEW = 3
"""As many replaced items as an item more and an item less, two edits, are better than."""

Pair = tuple[int, int]


def longest_rising(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the longest run of pairs whose second numbers rise as the first do.

    Args:
        pairs: pairs whose first numbers rise.

    >>> longest_rising([(0, 5), (1, 2), (2, 3), (3, 9)])
    [(1, 2), (2, 3), (3, 9)]
    """
    lasts: list[int] = []  # the smallest end of a rising run of each length
    at_end: list[int] = []  # the pair that this end belongs to
    before: list[int] = []  # the pair before each pair in its run
    for i, (_, value) in enumerate(pairs):
        length = bisect_left(lasts, value)
        before.append(at_end[length - 1] if length else -1)
        lasts[length : length + 1] = [value]
        at_end[length : length + 1] = [i]
    rising = []
    i = at_end[-1] if at_end else -1
    while i >= 0:
        rising.append(pairs[i])
        i = before[i]
    return rising[::-1]


def common_subsequence(gold: list[str], system: list[str]) -> list[Pair]:
    """Return the places of the items that two sequences have in common, in order.

    It is the one of the fewest edits, where an item in the place of another is one edit: of items
    that occur often, those are paired that keep the sequences in step. The result does not depend
    on which of the two sequences is the first.

    Args:
        gold: the one sequence.
        system: the other sequence.

    >>> common_subsequence(["정말", "네", "아니요", "네"], ["네", "아니요", "네"])
    [(1, 0), (2, 1), (3, 2)]
    """
    if len(gold) * len(system) <= _CELLS:
        return _between(gold, system)
    pairs: list[Pair] = []
    i = j = 0
    for i_end, j_end in [*common_once(gold, system), (len(gold), len(system))]:
        between = _between(gold[i:i_end], system[j:j_end])
        pairs += [(i + a, j + b) for a, b in between]
        if i_end < len(gold):
            pairs.append((i_end, j_end))
        i, j = i_end + 1, j_end + 1
    return pairs


def common_once(gold: list[str], system: list[str]) -> list[Pair]:
    """Return the places of the items that occur once in either of two sequences, in order.

    >>> common_once(["a", "b", "a", "c"], ["b", "a", "c"])
    [(1, 0), (3, 2)]
    """
    places = dict(_once(system))
    pairs = [(i, places[item]) for item, i in _once(gold) if item in places]
    return [pair for part in _crossing(pairs) for pair in _longest(part, gold)]


def _crossing(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the parts of which no pair crosses a pair of another part."""
    least_behind = [*accumulate(reversed([j for _, j in pairs]), min)][::-1]
    part: list[Pair] = []
    last = -1
    for pair, least in zip(pairs, least_behind, strict=True):
        if part and last < least:
            yield part
            part = []
        part.append(pair)
        last = max(last, pair[1])
    if part:
        yield part


def _longest(pairs: list[Pair], gold: Sequence[str]) -> list[Pair]:
    """Return the longest run of pairs that do not cross, chosen from the same side after a swap."""
    if len(pairs) == 1:
        return pairs
    from_system = sorted([(j, i) for i, j in pairs])
    if [gold[i] for _, i in from_system] < [gold[i] for i, _ in pairs]:
        return [(i, j) for j, i in longest_rising(from_system)]
    return longest_rising(pairs)


def _once(items: Sequence[str]) -> list[tuple[str, int]]:
    """Return the items that occur once, with their places."""
    counts = Counter(items)
    return [(item, i) for i, item in enumerate(items) if counts[item] == 1]


def _between(gold: list[str], system: list[str]) -> list[Pair]:
    """Return the common subsequence of two stretches between unique items."""
    if not gold or not system:
        return []
    if len(gold) == len(system):
        same = [i for i, (a, b) in enumerate(zip(gold, system, strict=True)) if a == b]
        if len(gold) - len(same) < _FEW:
            return list(zip(same, same, strict=True))
    if set(gold).isdisjoint(system):
        return []
    if system < gold:
        return [(i, j) for j, i in _pieces(system, gold)]
    return list(_pieces(gold, system))


def _pieces(first: list[str], second: list[str]) -> Iterator[Pair]:
    """Yield the common subsequence of two stretches, piece by piece if they are long.

    Of a piece only the first half counts: the second half is there to keep it in step.
    """
    i = j = 0
    half = _WINDOW // 2
    while (len(first) - i) * (len(second) - j) > _CELLS:
        gold, system = first[i : i + _WINDOW], second[j : j + _WINDOW]
        pairs = [(a, b) for a, b in _exact(gold, system) if a < half and b < half]
        yield from [(i + a, j + b) for a, b in pairs]
        if pairs:
            i, j = i + pairs[-1][0] + 1, j + pairs[-1][1] + 1
        elif len(first) - i > len(second) - j:
            i += half
        else:
            j += half
    if i < len(first) and j < len(second):
        yield from [(i + a, j + b) for a, b in _exact(first[i:], second[j:])]


def _exact(gold: Sequence[str], system: Sequence[str]) -> list[Pair]:
    """Return the common subsequence of the fewest edits; of several the one that is in step."""
    from rapidfuzz.distance import Levenshtein

    if len(gold) == len(system):
        same = [i for i, (a, b) in enumerate(zip(gold, system, strict=True)) if a == b]
        edits = len(gold) - len(same)
        if Levenshtein.distance(gold, system, score_cutoff=edits - 1) >= edits:
            return list(zip(same, same, strict=True))
    blocks = Levenshtein.editops(gold, system).as_matching_blocks()
    pairs = [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]
    return _moved_left(gold, system, pairs)


def _moved_left(gold: Sequence[str], system: Sequence[str], pairs: Sequence[Pair]) -> list[Pair]:
    """Move pairs next to the pair before them where an equal item stands there.

    Example: of `a . b . c` and `a . c`, the first full stops are a pair, not the second and first.
    """
    moved: list[Pair] = []
    a, b = -1, -1
    for i, j in pairs:
        if j == b + 1 and i > a + 1 and gold[a + 1] == gold[i]:
            i = a + 1
        elif i == a + 1 and j > b + 1 and system[b + 1] == system[j]:
            j = b + 1
        moved.append((i, j))
        a, b = i, j
    return moved
