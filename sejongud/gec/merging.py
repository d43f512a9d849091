"""Merge the operations of an alignment into edits.

`rules` are those of ERRANT (Bryant et al. 2017), `published` is the rule of the KAGAS program, and
`spaces` is the rule of its paper (Yoon et al. 2023): a stretch that changes nothing but spaces is
one edit. Matches never are in the result, and no two results overlap.

    한국어수업할때 → 한국어 수업할 때     I I S, one WS with `spaces`
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple

from sejongud.gec.alignment import Operation
from sejongud.gec.merging_rules import divide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.gec.edits import AnalysedToken
    from sejongud.rules import Rules

DEFAULT_MERGES: Mapping[str, str] = {"kagas": "spaces", "errant": "rules"}
"""Scheme → its way of merging where none is asked for."""


class _Pair(NamedTuple):
    """The two sides and the tables."""

    source: Sequence[AnalysedToken]
    target: Sequence[AnalysedToken]
    rules: Rules | None


def merge(
    operations: Sequence[Operation],
    source: Sequence[AnalysedToken],
    target: Sequence[AnalysedToken],
    how: str,
    *,
    rules: Rules | None = None,
) -> list[Operation]:
    """Merge the operations of an alignment.

    Args:
        operations: those of `align`, matches included.
        source: the tokens of the source; `rules` looks at UPOS and XPOS.
        target: the tokens of the target.
        how: one of MERGES.
        rules: the tables; None for the package's own.

    Returns:
        The changes in order. A merged one is WS if its tokens, joined, are the same on both sides,
        else D or I where a side is empty, T if it has only transpositions, and S.

    >>> from sejongud.gec.alignment import ALIGNERS, align
    >>> from sejongud.gec.edits import AnalysedToken
    >>> source, target = ([AnalysedToken(form) for form in text.split()]
    ...                   for text in ("한국어수업할때 잔다", "한국어 수업할 때 잔다"))
    >>> merge(align(source, target, ALIGNERS["kagas"]), source, target, "spaces")
    [Operation(kind='WS', start=0, end=1, c_start=0, c_end=3)]
    """
    return MERGES[how](operations, _Pair(source, target, rules))


def _joined(tokens: Iterable[AnalysedToken]) -> str:
    return "".join([token.form for token in tokens])


def _one(operations: Sequence[Operation], pair: _Pair) -> Operation:
    """Return neighbouring operations as one."""
    first, last = operations[0], operations[-1]
    if first is last:
        return first
    start, end, c_start, c_end = first.start, last.end, first.c_start, last.c_end
    if start == end or c_start == c_end:
        kind = "I" if start == end else "D"
    elif _joined(pair.source[start:end]) == _joined(pair.target[c_start:c_end]):
        kind = "WS"
    else:
        kind = "T" if {operation.kind for operation in operations} == {"T"} else "S"
    return Operation(kind, start, end, c_start, c_end)


def _runs(operations: Iterable[Operation]) -> Iterator[list[Operation]]:
    """Yield the runs of operations between matches."""
    for is_match, run in groupby(operations, lambda operation: operation.is_match):
        if not is_match:
            yield list(run)


def _split(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge nothing."""
    return [operation for operation in operations if not operation.is_match]


def _all(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge every run."""
    return [_one(run, pair) for run in _runs(operations)]


def _equal(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge operations of one kind; transpositions of different lengths are of different kinds."""
    return [
        _one(list(same), pair)
        for run in _runs(operations)
        for _, same in groupby(
            run, lambda op: (op.kind, op.end - op.start if op.kind == "T" else 0)
        )
    ]


def _spaces(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge changes of spaces: from the left the shortest stretch whose tokens join alike.

    Two changes of spaces next to each other (이 번 토요일에 는 → 이번 토요일에는) are two edits.
    """
    return [merged for run in _runs(operations) for merged in _spaced(run, pair)]


def _spaced(run: Sequence[Operation], pair: _Pair) -> Iterator[Operation]:
    if len(run) == 1:
        yield from run
        return
    pieces = [_joined(pair.source[op.start : op.end]) for op in run]
    parts = [_joined(pair.target[op.c_start : op.c_end]) for op in run]
    text, borders = "".join(pieces), list(accumulate(map(len, pieces), initial=0))
    joined, other_borders = "".join(parts), list(accumulate(map(len, parts), initial=0))
    # The two sides of a stretch are as long if one is ahead of the other alike at its two ends.
    places = defaultdict(list)
    for place, (border, other_border) in enumerate(zip(borders, other_borders, strict=True)):
        places[border - other_border].append(place)
    index = 0
    while index < len(run):
        begin, other_begin = borders[index], other_borders[index]
        ahead = places[begin - other_begin]
        for end in ahead[bisect_left(ahead, index + 2) :]:
            piece = text[begin : borders[end]]
            if piece and piece == joined[other_begin : other_borders[end]]:
                yield _one(run[index:end], pair)
                index = end
                break
        else:
            yield run[index]
            index += 1


_LONGEST = 1000
"""The operations that the rules of ERRANT look at together: their time grows with the square."""


def _published(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge three changes, else two, that follow each other, whatever matches lie between them."""
    changes = _split(operations, pair)
    merged = []
    index = 0
    while index < len(changes):
        for length in (3, 2):
            operation = _one(changes[index : index + length], pair)
            if index + length <= len(changes) and operation.kind == "WS":
                break
        else:
            operation, length = changes[index], 1
        merged.append(operation)
        index += length
    return merged


def _rules(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge by the rules of ERRANT: each transposition stands alone, other runs are divided."""
    merged: list[Operation] = []
    for run in _runs(operations):
        for moved, stretch in groupby(run, lambda operation: operation.kind == "T"):
            part = list(stretch)
            if moved or len(part) == 1:
                merged += part
                continue
            for start in range(0, len(part), _LONGEST):
                piece = part[start : start + _LONGEST]
                merged += [_one(piece[begin:end], pair) for begin, end in divide(piece, *pair)]
    return merged


MERGES: Mapping[str, Callable[[Sequence[Operation], _Pair], list[Operation]]] = {
    "all-split": _split,
    "all-merge": _all,
    "all-equal": _equal,
    "spaces": _spaces,
    "published": _published,
    "rules": _rules,
}
"""The ways of merging."""
