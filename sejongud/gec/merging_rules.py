"""Divide a run of changes into edits by the rules of ERRANT (Bryant et al. 2017).

The rules are tried on all stretches of two or more operations that have a substitution, from the
longest to pairs and from the left. The first that fires cuts the run, and what it leaves on either
side is a run again. Rules 1 and 3a fire only at the start of a run and 6c only at its end; the
others ask for the stretch alone. So each stretch is looked at once, when its turn comes, and the
smaller runs find there what lies in them: the time is quadratic in the length of a run.
"""

from __future__ import annotations

import re
from itertools import accumulate
from string import punctuation
from typing import TYPE_CHECKING, NamedTuple

from sejongud.gec.alignment import upos_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.gec.alignment import Operation
    from sejongud.gec.edits import AnalysedToken
    from sejongud.rules import Rules

_ALIKE = 0.75
"""Two tokens that are more alike than this are one replaced by the other, and nothing more."""

_NOT_COMPARED = re.compile("['-]")


def divide(
    run: Sequence[Operation],
    source: Sequence[AnalysedToken],
    target: Sequence[AnalysedToken],
    rules: Rules | None = None,
) -> list[tuple[int, int]]:
    """Divide a run of deletions, insertions and substitutions.

    Args:
        run: neighbouring operations.
        source: the tokens of the source with UPOS and XPOS.
        target: the tokens of the target.
        rules: the tables; None for the package's own.

    Returns:
        The stretches (first operation, end) that are an edit each, in order; they cover the run.

    >>> from sejongud.gec.alignment import Operation
    >>> from sejongud.gec.edits import AnalysedToken
    >>> source = [AnalysedToken("sub", upos="NOUN"), AnalysedToken("way", upos="NOUN")]
    >>> run = [Operation("D", 0, 1, 0, 0), Operation("S", 1, 2, 0, 1)]
    >>> divide(run, source, [AnalysedToken("subway", upos="NOUN")])
    [(0, 2)]
    """
    return list(_Stretches(run, source, target, rules).edits())


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
    """A run of operations, with the sums that the rules look up for its stretches."""

    def __init__(
        self,
        run: Sequence[Operation],
        source: Sequence[AnalysedToken],
        target: Sequence[AnalysedToken],
        rules: Rules | None,
    ) -> None:
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
        self.unseen = self.cuts()
        self.seen: list[_Cut] = []

    def edits(self) -> Iterator[tuple[int, int]]:
        """Yield the stretches that are an edit each."""
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
        cut = self.within(begin, end)
        least = cut.end - cut.begin if cut else 2
        for stop in range(end, begin + least - 1, -1):
            if cut and cut.outranks and cut[:2] == (begin, stop):
                break
            if self.starts_in_capital(begin, stop):
                return _Cut(begin, stop, begin, stop)  # rule 3a
        if not cut and self.ends_in_determiner(end):
            return _Cut(end - 2, end, end - 1, end)  # rule 6c
        return cut

    def within(self, begin: int, end: int) -> _Cut | None:
        """Return the first cut by a stretch within a run, whatever begins or ends the run."""
        for cut in self.seen:
            if begin <= cut.begin and cut.end <= end:
                return cut
        for cut in self.unseen:
            self.seen.append(cut)
            if begin <= cut.begin and cut.end <= end:
                return cut
        return None

    def cuts(self) -> Iterator[_Cut]:
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

    def is_respelt(self, first: Operation, last: Operation) -> bool:
        """Return whether a substitution at either end of a pair is of tokens that are alike."""
        return (first.kind == "S" and self.are_alike(first.start, first.c_start)) or (
            last.kind == "S" and self.are_alike(last.start, last.c_start)
        )

    def are_alike(self, i: int, j: int) -> bool:
        """Return whether a token of the source and one of the target are alike."""
        from rapidfuzz.distance import Indel

        pair = self.source[i].form, self.target[j].form
        return Indel.normalized_similarity(*pair) > _ALIKE

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
