"""Merge the operations of an alignment into edits.

`rules` are those of ERRANT (Bryant et al. 2017), `published` is the rule of the KAGAS program, and
`spaces` is the rule of its paper (Yoon et al. 2023): a stretch that changes nothing but spaces is
one edit. Matches never are in the result, and no two results overlap.

    한국어수업할때 → 한국어 수업할 때     I I S, one WS with `spaces`
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, groupby
from string import punctuation
from typing import TYPE_CHECKING, NamedTuple

from sejongud.gec.alignment import Operation, upos_class
from sejongud.gec.korean import letters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.gec.edits import AnalysedToken
    from sejongud.rules import Rules


DEFAULT_MERGES: Mapping[str, str] = {
    "kagas": "spaces",
    "refined": "alike",
    "errant": "rules",
    "errant-en": "rules",
}
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
    for changes, run in groupby(operations, lambda operation: operation.kind != "M"):
        if changes:
            yield list(run)


def _split(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge nothing."""
    return [operation for operation in operations if operation.kind != "M"]


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


# In 시잔 해요 → 시작해요 the deletion of 시잔 and the replacement of 해요 are one error: the two
# sides are more alike together than 해요 and 시작해요 are. A mark is no part of a word, and a word
# left over beside a replacement whose sides are alike by themselves has no part in it.


_ONE_ERROR = 0.6
"""The least share of letters that two sides of an edit have in common if words were left over."""


def _alike(operations: Sequence[Operation], pair: _Pair) -> list[Operation]:
    """Merge changes of spaces, then each replacement with the words left over beside it."""
    merged: list[Operation] = []
    for run in _runs(operations):
        changes = list(_spaced(run, pair))
        stretches = [
            (gain, begin, end)
            for index, change in enumerate(changes)
            if change.kind == "S"
            for begin, end in _beside(changes, index)
            if (gain := _gain(change, changes[begin:end], pair))
        ]
        ends = {i: i + 1 for i in range(len(changes))}
        for _, begin, end in sorted(stretches, key=lambda stretch: -stretch[0]):
            if all([ends.get(i) == i + 1 for i in range(begin, end)]):
                for i in range(begin, end):
                    del ends[i]
                ends[begin] = end
        merged += [_one(changes[begin : ends[begin]], pair) for begin in sorted(ends)]
    return merged


def _beside(changes: Sequence[Operation], index: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a replacement and its neighbours that are all deleted or inserted."""
    for kind in "DI":
        begin, end = index, index + 1
        while begin and changes[begin - 1].kind == kind and index - begin < _MOST_BESIDE:
            begin -= 1
        while end < len(changes) and changes[end].kind == kind and end - index <= _MOST_BESIDE:
            end += 1
        for first in range(begin, index + 1):
            yield from ((first, last) for last in range(index + 1, end + 1) if last - first > 1)


_MOST_BESIDE = 3
"""The most words left over on one side of a replacement that may belong to it."""


def _gain(change: Operation, stretch: Sequence[Operation], pair: _Pair) -> float:
    """Return how much more alike the sides of a stretch are than a change alone; 0 for no more."""
    alone, together = _likeness(change, pair), _likeness(_one(stretch, pair), pair)
    return together - alone if together >= max(_ONE_ERROR, alone) else 0.0


def _likeness(change: Operation, pair: _Pair) -> float:
    """Return the share of letters that both sides of a change have in common."""
    from rapidfuzz.distance import Levenshtein

    ours = pair.source[change.start : change.end]
    theirs = pair.target[change.c_start : change.c_end]
    if not all([any(map(str.isalnum, token.form)) for token in (*ours, *theirs)]):
        return 0.0
    return Levenshtein.normalized_similarity(letters_of(_joined(ours)), letters_of(_joined(theirs)))


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
                edits = _Stretches(piece, pair).edits()
                merged += [_one(piece[begin:end], pair) for begin, end in edits]
    return merged


MERGES: Mapping[str, Callable[[Sequence[Operation], _Pair], list[Operation]]] = {
    "all-split": _split,
    "all-merge": _all,
    "all-equal": _equal,
    "spaces": _spaces,
    "alike": _alike,
    "published": _published,
    "rules": _rules,
}
"""The ways of merging."""


# --- the rules of ERRANT --------------------------------------------------------------------------
# The rules are tried on all stretches of two or more operations that have a substitution, from the
# longest to pairs and from the left. The first that fires cuts the run, and the rest on either side
# is a run again. Rules 1 and 3a fire only at the start of a run and 6c only at its end; the others
# ask for the stretch alone. So each stretch is looked at once, when its turn comes, and the smaller
# runs look up the stretches in them: the time is quadratic in the length of a run.

_ALIKE = 0.75
"""Two tokens that are more alike than this are one replaced by the other, and nothing more."""

_NOT_COMPARED = re.compile("['-]")


class _Cut(NamedTuple):
    """The stretch where a rule fired, and the operations that it makes one edit."""

    begin: int
    end: int
    edit_begin: int
    edit_end: int
    """The end; if it is equal to `edit_begin`, the run is only divided there."""
    outranks: bool = False
    """Whether it is rule 2, which comes before 3a."""


class _Stretches:
    """A run of deletions, insertions and substitutions, and sums for the rules to look up.

    >>> from sejongud.gec.edits import AnalysedToken
    >>> source = [AnalysedToken("sub", upos="NOUN"), AnalysedToken("way", upos="NOUN")]
    >>> run = [Operation("D", 0, 1, 0, 0), Operation("S", 1, 2, 0, 1)]
    >>> pair = _Pair(source, [AnalysedToken("subway", upos="NOUN")], None)
    >>> list(_Stretches(run, pair).edits())
    [(0, 2)]
    """

    def __init__(self, run: Sequence[Operation], pair: _Pair) -> None:
        source, target, rules = pair
        self.run, self.source, self.target = run, source, target
        self.possessive = upos_class("possessive", rules)
        self.punctuation = upos_class("punctuation", rules)
        self.determiner = upos_class("determiner", rules)
        content, verbal = upos_class("content", rules), upos_class("verbal", rules)
        tags = [
            {token.upos for token in (*source[op.start : op.end], *target[op.c_start : op.c_end])}
            for op in run
        ]
        self.substitutions = list(accumulate([op.kind == "S" for op in run], initial=0))
        self.contents = list(accumulate([not content.isdisjoint(tag) for tag in tags], initial=0))
        self.verbal_since, self.one_since = [0], [0]
        for i, tag in enumerate(tags):
            self.verbal_since.append(self.verbal_since[-1] if tag <= verbal else i + 1)
            is_single = len(tag) == 1 and "" not in tag
            follows = i > 0 and tag == tags[i - 1]
            self.one_since.append(i + 1 if not is_single else self.one_since[-1] if follows else i)
        folded = [_folded(source[op.start : op.end]) for op in run]
        target_forms = [_folded(target[op.c_start : op.c_end]) for op in run]
        self.text, self.target_text = "".join(folded), "".join(target_forms)
        self.borders = list(accumulate(map(len, folded), initial=0))
        self.other_borders = list(accumulate(map(len, target_forms), initial=0))
        self.cuts = list(self.all_cuts())

    def edits(self) -> Iterator[tuple[int, int]]:
        """Yield the stretches (first operation, end) that are an edit each, in order."""
        todo = [(0, len(self.run), False)]
        while todo:
            begin, end, is_one = todo.pop()
            kinds = {operation.kind for operation in self.run[begin:end]}
            if is_one or end - begin == 1 or kinds in ({"D"}, {"I"}):
                yield begin, end
            elif cut := self.cut(begin, end):
                pieces = (
                    (begin, cut.edit_begin, False),
                    (cut.edit_begin, cut.edit_end, True),
                    (cut.edit_end, end, False),
                )
                todo += [piece for piece in reversed(pieces) if piece[0] < piece[1]]
            elif "S" in kinds and self.contents[end] > self.contents[begin]:  # rule 7
                yield begin, end
            else:
                yield from ((i, i + 1) for i in range(begin, end))

    def cut(self, begin: int, end: int) -> _Cut | None:
        """Return the first cut of the run from `begin` to `end`."""
        if self.substitutions[end] == self.substitutions[begin]:
            return None
        first = self.run[begin]
        if self.is_possessive(first.start, first.c_start):
            return _Cut(begin, end, begin, begin + 1)  # rule 1
        cut = next((one for one in self.cuts if begin <= one.begin and one.end <= end), None)
        least = cut.end - cut.begin if cut else 2
        for stop in range(end, begin + least - 1, -1):
            if cut and cut.outranks and cut[:2] == (begin, stop):
                break
            if self.starts_in_capital(begin, stop):
                return _Cut(begin, stop, begin, stop)  # rule 3a
        if not cut and self.ends_in_determiner(end):
            return _Cut(end - 2, end, end - 1, end)  # rule 6c
        return cut

    def all_cuts(self) -> Iterator[_Cut]:
        """Yield the cuts by all stretches, from the longest and from the left."""
        size = len(self.run)
        for length in range(size, 1, -1):
            for begin in range(size - length + 1):
                end = begin + length
                if self.substitutions[end] > self.substitutions[begin] and (
                    cut := self.look(begin, end)
                ):
                    yield cut

    def look(self, begin: int, end: int) -> _Cut | None:
        """Return the cut of a stretch by the rules 2 to 6 that ask for it alone."""
        first, last = self.run[begin], self.run[end - 1]
        size, other_size = last.end - first.start, last.c_end - first.c_start
        if self.is_possessive(last.end - 1, last.c_end - 1):
            return _Cut(begin, end, end - 2, end, outranks=True)  # rule 2
        if self.same_last(last) and (
            (size > 1 and self.is_mark(self.source[last.end - 2]))
            or (other_size > 1 and self.is_mark(self.target[last.c_end - 2]))
        ):
            return _Cut(begin, end, end - 2, end)  # rule 3b
        if self.joins_alike(begin, end) or (  # rules 4 and 5
            size != other_size and (begin >= self.one_since[end] or begin >= self.verbal_since[end])
        ):
            return _Cut(begin, end, begin, end)
        if end - begin == 2 and (size == other_size == 2 or self.is_respelt(first, last)):
            return _Cut(begin, end, begin + 1, begin + 1)  # rules 6a and 6b
        return None

    def is_possessive(self, i: int, j: int) -> bool:
        """Return whether a token of the source or one of the target is an English possessive."""
        return self.source[i].xpos in self.possessive or self.target[j].xpos in self.possessive

    def same_last(self, last: Operation) -> bool:
        """Return whether the last tokens of a stretch are equal but for case."""
        source, target = self.source[last.end - 1].form, self.target[last.c_end - 1].form
        return source.lower() == target.lower()

    def is_mark(self, token: AnalysedToken) -> bool:
        """Return whether a token is punctuation."""
        return token.upos in self.punctuation or token.form in punctuation

    def starts_in_capital(self, begin: int, end: int) -> bool:
        """Return whether one token becomes several, or several one, before a change of case."""
        first, last = self.run[begin], self.run[end - 1]
        if self.substitutions[end] == self.substitutions[begin] or not self.same_last(last):
            return False
        return (last.end - first.start == 1 and self.target[first.c_start].form[:1].isupper()) or (
            last.c_end - first.c_start == 1 and self.source[first.start].form[:1].isupper()
        )

    def joins_alike(self, begin: int, end: int) -> bool:
        """Return whether the folded tokens of a stretch, joined, are equal."""
        start, stop = self.borders[begin], self.borders[end]
        other_start, other_stop = self.other_borders[begin], self.other_borders[end]
        if stop - start != other_stop - other_start:
            return False
        return self.text[start:stop] == self.target_text[other_start:other_stop]

    def is_respelt(self, *ends: Operation) -> bool:
        """Return whether a substitution at either end of a pair is of tokens that are alike."""
        from rapidfuzz.distance import Indel

        changed = [operation for operation in ends if operation.kind == "S"]
        pairs = [(self.source[op.start].form, self.target[op.c_start].form) for op in changed]
        return any([Indel.normalized_similarity(*pair) > _ALIKE for pair in pairs])

    def ends_in_determiner(self, end: int) -> bool:
        """Return whether the last of two operations that end a run puts or takes a determiner."""
        before, last = self.run[end - 2], self.run[end - 1]
        if "S" not in (before.kind, last.kind):
            return False
        return (last.kind != "I" and self.source[last.start].upos in self.determiner) or (
            last.kind != "D" and self.target[last.c_start].upos in self.determiner
        )


def _folded(tokens: Sequence[AnalysedToken]) -> str:
    """Return tokens as they are compared: joined, lower-cased, without apostrophes and hyphens."""
    return _NOT_COMPARED.sub("", "".join([token.form.lower() for token in tokens]))
