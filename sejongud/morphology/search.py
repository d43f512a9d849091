"""The cheapest way from the symbols of the morphemes to the symbols of the surface.

The search is the weighted edit distance of Wagner and Fischer (1974), with the rewrites of
`sejongud.morphology.rewrites` for edits. A symbol that stays is free. A symbol that no rewrite
explains is inserted or deleted at a cost above that of any chain of rewrites.
"""

from __future__ import annotations

import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING

from sejongud.morphology.rewrites import (
    BORDER,
    ENDS_IN,
    MISSPELT,
    OTHER,
    PLACES,
    SILENT,
    STRAY,
    WEAK,
    WINDOW,
    Rewrite,
    RewriteTable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


Step = tuple[int, int, int, int, Rewrite | None]
"""Symbols i to i_end of the morphemes became symbols j to j_end of the form, by this rewrite."""
_Cell = tuple[int, int, int, Rewrite | None]
"""Cost; where the path came from in both strings; the rule, None for kept or unexplained."""

NOT_CUT, CUT_AT_BORDER, CUT_WITHIN = 0, 1, 2
"""Where the front of an eojeol was cut off: nowhere, before a morpheme, within a morpheme."""

# Constants, not an Enum, whose members are slow to look up.
STRICT, WITH_WEAK, LENIENT = 0, 1, 2
"""What a search may use: strict rules; also weak ones and those with a tag set aside; or strict and
weak rows for known symbols, where other symbols stay unexplained."""

_UNEXPLAINED = 10_000
_BEAM = 48
# A misspelt morpheme is known by its other jamo.
_SYLLABLES = 2
_OTHER_JAMO = 4
_EDGE = ("", BORDER)


class Search:
    """Search the cheapest path from the morphemes to the surface.

    Args:
        table: the rules.
        source: the symbols of the morphemes, with borders.
        target: the symbols of the surface.
        tags: of the morphemes.
        cut_front: where the front of the eojeol was cut off.
        cut_back: whether the last morpheme goes on.
    """

    def __init__(
        self,
        table: RewriteTable,
        source: str,
        target: str,
        tags: Sequence[str],
        cut_front: int,
        cut_back: bool,
    ) -> None:
        self._rules = table
        self.source = source
        self.target = target
        self._tags = tags
        self._cut_front = cut_front
        self._cut_back = cut_back
        # For each symbol of the source the cells of the target reached so far. Few ever are; the
        # bound on how many are followed makes the time linear whatever the input.
        self._table: list[dict[int, _Cell]] = [{} for _ in range(len(source) + 1)]
        self._beam = max(4, min(_BEAM, 200_000 // (len(source) + 1)))

    def reaches(self, which: int) -> bool:
        """Return whether there is a path by the edits of this pass.

        Every step but an insertion goes on in the source, so cells are complete when their symbol
        comes.
        """
        table, source, target, rules = self._table, self.source, self.target, self._rules.strict
        strict, lenient, fits = which == STRICT, which == LENIENT, self.fits
        table[0][0] = (0, 0, 0, None)
        morpheme = 0
        for i, symbol in enumerate(source):
            cells = table[i]
            if not strict or len(cells) > self._beam:
                cells = self._completed(i, morpheme, which)
            if cells:
                # The first of equal paths stays: of two equal pieces the second is the one lost.
                step = symbol != BORDER
                if lenient and step:
                    self._lose(i)
                for j, cell in cells.items():
                    if not step or target.startswith(symbol, j):
                        _relax(table[i + 1], j + step, (cell[0], i, j, None))
                for rewrite in rules[source[i : i + WINDOW]]:
                    if source.startswith(rewrite.needed, i) and fits(rewrite, i, morpheme, 0):
                        self._rewrite(i, rewrite)
                if not strict:
                    self._rewrite_weakly(i, morpheme, which)
            morpheme += symbol == BORDER
        if lenient:
            self._insert(len(source), len(target))
        return len(target) in table[-1]

    def _completed(self, i: int, morpheme: int, which: int) -> dict[int, _Cell]:
        """Return the best cells of symbol `i`, with those reached over unanalysed surface."""
        if which == LENIENT:
            self._insert(i, self._beam)
        elif which == WITH_WEAK:
            self._stray(i, morpheme)
        cells = self._table[i]
        if len(cells) > self._beam:
            best = sorted(cells.items(), key=lambda item: item[1][0])[: self._beam]
            cells = self._table[i] = dict(best)
        return cells

    def steps(self) -> list[Step]:
        """Return the steps to the last cell, in order, once it has been reached."""
        steps: list[Step] = []
        i, j = len(self.source), len(self.target)
        while i or j:
            _, i_from, j_from, rewrite = self._table[i][j]
            steps.append((i_from, i, j_from, j, rewrite))
            i, j = i_from, j_from
        steps.reverse()
        return steps

    def confuses_symbols(self, steps: Sequence[Step]) -> bool:
        """Return whether one symbol has no surface and another no analysis.

        Both may be meant for one symbol.
        """
        used = {rewrite.name for *_, rewrite in steps if rewrite is not None}
        return all(
            any(rule.name in used for rule in self._rules.open[sides]) for sides in (SILENT, STRAY)
        )

    def fits(self, rewrite: Rewrite, i: int, morpheme: int, aside: int) -> bool:
        """Return whether a rule fits at symbol `i`, where the source goes on as the rule needs it.

        The borders and the context before must be as the rule wants them.

        Args:
            rewrite: the rule.
            i: the symbol of the source.
            morpheme: the morpheme it belongs to.
            aside: how many of the tags do not fit.
        """
        source = self.source
        if rewrite.starts and (source[i - 1] != BORDER if i else self._cut_front == CUT_WITHIN):
            return False
        end = i + len(rewrite.before)
        if rewrite.ends and (source[end] != BORDER if end < len(source) else self._cut_back):
            return False
        if rewrite.behind and not source.endswith(rewrite.behind, 0, i):
            return False
        misfits = 0
        for index, barred in enumerate(rewrite.barred, morpheme):
            misfits += self._tags[index] in barred
        return misfits == aside

    def _rewrite(self, i: int, rewrite: Rewrite) -> None:
        """Go on by a rule that fits."""
        surface, follows = rewrite.surface, rewrite.follows
        beyond = self._table[i + len(rewrite.before)]
        for j, cell in self._table[i].items():
            if self.target.startswith(surface, j) and (
                not follows or self._surface_before(j) in follows
            ):
                _relax(beyond, j + len(surface), (cell[0] + rewrite.cost, i, j, rewrite))

    def _surface_before(self, j: int) -> str:
        """Return what the surface before `j` ends in; empty where that was cut off."""
        if j:
            return ENDS_IN.get(self.target[j - 1], OTHER)
        return "" if self._cut_front else OTHER

    def _go(self, i: int, j: int, cell: _Cell, rewrite: Rewrite, length: int) -> None:
        """Go on from a cell by a rule that leaves `length` symbols of the surface."""
        beyond = self._table[i + len(rewrite.before)]
        _relax(beyond, j + length, (cell[0] + rewrite.cost, i, j, rewrite))

    def _rewrite_weakly(self, i: int, morpheme: int, which: int) -> None:
        """Go on by the weak rules that fit."""
        source, fits = self.source, self.fits
        window = source[i : i + WINDOW]
        for rewrite in self._rules.weak[window]:
            if source.startswith(rewrite.needed, i) and fits(rewrite, i, morpheme, 0):
                self._rewrite(i, rewrite)
        if which == LENIENT:
            return
        for rewrite in self._rules.strict[window]:
            if (
                source.startswith(rewrite.needed, i)
                and fits(rewrite, i, morpheme, 1)
                and self._may_set_aside(rewrite, i, morpheme)
            ):
                name, cost = f"{rewrite.name} holds for another tag", rewrite.cost + WEAK
                self._rewrite(i, rewrite._replace(name=name, cost=cost, weak=True))
        if i == 0 or source[i - 1] == BORDER:
            self._rewrite_whole(i, morpheme, source[i:].partition(BORDER)[0])

    def _may_set_aside(self, rewrite: Rewrite, i: int, morpheme: int) -> bool:
        """Return whether a rule may be used though one of the tags does not fit it.

        A rule for one morpheme has only its tag to say where it holds. And a rule by which a
        morpheme leaves no trace would take that morpheme away anywhere: 하/XSV before any particle.
        """
        if len(rewrite.barred) == 1:
            return False
        source, begin = self.source, i
        for index, piece in enumerate(rewrite.before.split(BORDER)):
            end = begin + len(piece)
            whole = source[begin - 1 : begin] in _EDGE and source[end : end + 1] in _EDGE
            traceless = piece and not rewrite.after[index if len(rewrite.after) > 1 else 0]
            if whole and traceless and self._tags[morpheme + index] not in rewrite.barred[index]:
                return False
            begin = end + 1
        return True

    def _rewrite_whole(self, i: int, morpheme: int, text: str) -> None:
        """Go on where the whole morpheme `text`, which begins at `i`, is misspelt or is silent.

        Misspelt: one of its jamo differs. Silent: it is a symbol without a surface.
        """
        cells = self._table[i]
        for rule in self._open(MISSPELT, morpheme) if _is_anchored(text) else ():
            for j, cell in cells.items():
                letters = self.target[j : j + len(text)]
                if _differ_in_one_jamo(text, letters):
                    self._go(i, j, cell, rule._replace(before=text, after=(letters,)), len(letters))
        for rule in self._open(SILENT, morpheme) if all(map(_is_symbol, text)) else ():
            for j, cell in cells.items():
                self._go(i, j, cell, rule._replace(before=text), 0)

    def _stray(self, i: int, morpheme: int) -> None:
        """Add the cells reached over symbols of the surface that are not analysed."""
        cells, places = self._table[i], self._inner_symbols
        if not (cells and places and i and self.source[i - 1] != BORDER):
            return
        for rule in self._open(STRAY, morpheme):
            for j in range(min(cells), min(len(self.target), max(cells) + self._beam)):
                if j in cells and j in places:
                    self._go(i, j, cells[j], rule, 1)

    @cached_property
    def _inner_symbols(self) -> frozenset[int]:
        """Where the surface has symbols, other than at its start and its end."""
        marks = [_is_symbol(char) for char in self.target]
        if all(marks):
            return frozenset()
        first, last = marks.index(False), len(marks) - marks[::-1].index(False)
        return frozenset([j for j in range(first, last) if marks[j]])

    def _open(self, sides: str, morpheme: int) -> list[Rewrite]:
        """Return the rules for a class of symbols that fit the tag of the morpheme."""
        tag = self._tags[morpheme]
        return [rule for rule in self._rules.open[sides] if tag not in rule.barred[0]]

    def _lose(self, i: int) -> None:
        """Go on with the symbol unexplained: lost, or another symbol in its place."""
        following = self._table[i + 1]
        for j, cell in self._table[i].items():
            _relax(following, j, (cell[0] + _UNEXPLAINED, i, j, None))
            if j < len(self.target):
                _relax(following, j + 1, (cell[0] + _UNEXPLAINED * 3 // 2, i, j, None))

    def _insert(self, i: int, farthest: int) -> None:
        """Add the cells reached by taking surface that no morpheme explains."""
        cells = self._table[i]
        if not cells:
            return
        # Rather between syllables of the morphemes than within one.
        within = self.source[i : i + 1] in ENDS_IN
        for j in range(min(cells), min(len(self.target), max(cells) + farthest)):
            cost = cells[j][0] + _UNEXPLAINED + within if j in cells else None
            if cost is not None and (j + 1 not in cells or cost <= cells[j + 1][0]):
                cells[j + 1] = (cost, i, j, None)


def _is_anchored(text: str) -> bool:
    """Return whether the symbols of a morpheme are enough to know it with one of them misspelt."""
    syllables = sum(symbol in PLACES[0] for symbol in text)
    jamo = sum(symbol in place for symbol in text for place in PLACES)
    return syllables >= _SYLLABLES and jamo > _OTHER_JAMO


def _differ_in_one_jamo(first: str, second: str) -> bool:
    """Return whether the strings differ in one lead, one vowel or one coda."""
    if len(first) != len(second):
        return False
    pairs = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    return len(pairs) == 1 and any(place.issuperset(pairs[0]) for place in PLACES)


def _is_symbol(char: str) -> bool:
    """Return whether a character is a punctuation mark or another symbol."""
    return unicodedata.category(char)[0] in "PS"


def _relax(cells: dict[int, _Cell], j: int, cell: _Cell) -> None:
    """Enter a cell unless one that costs no more stands there."""
    old = cells.get(j)
    if old is None or cell[0] < old[0]:
        cells[j] = cell
