"""LAS of classes of words: by relation, tag, length of the sentence or the arc, depth in the tree.

A class has the gold words whose gold arc belongs to it, and the system words whose system arc does
(as in MaltEval, Nilsson and Nivre 2008). A word is correct in a class if its head and relation are,
and gold and system put it into the same class. A word without a governor, or without a root above
it, has the class `-` of lengths of arcs, or of depths.
"""

from __future__ import annotations

from itertools import compress, pairwise
from typing import TYPE_CHECKING, Literal, get_args

from sejongud.evaluation.base import LENGTHS, NO_CLASS, ByClass, class_of
from sejongud.evaluation.dep import DepMetric, correct_arcs
from sejongud.evaluation.dep_trees import NO_GOVERNOR, ROOT
from sejongud.evaluation.scores import Unit
from sejongud.evaluation.ud_words import pair_ud_words, pairs_of_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.evaluation.dep_trees import Trees
    from sejongud.evaluation.side import Side
    from sejongud.files import Source
    from sejongud.layers.matching import Group, Likeness

Classes = Literal["deprel", "upos", "length", "arc", "depth"]
"""The classes: relations, tags, the words of the sentence, the words between a word and its
governor, the arcs between a word and its root."""

CLASSES: tuple[Classes, ...] = get_args(Classes)

_BINS: dict[str, Sequence[int]] = {
    "length": LENGTHS,
    "arc": (0, 1, 2, 3, 6, 10),
    "depth": (0, 1, 2, 3, 4, 5, 7),
}
"""The smallest number of each class; that of roots is 0."""


class DepClasses(ByClass["Trees"]):
    """Counts the arcs that a system has right, by the classes of words.

    Args:
        by: the classes.
        rules: the user's tables, as for `sejongud.rules.load`.
    """

    def __init__(self, by: Classes = "deprel", rules: str | None = None) -> None:
        super().__init__("dep", by, _BINS)
        self._dep = DepMetric(rules=rules)

    def read(self, source: Source) -> Side[Trees]:
        """Read CoNLL-U; see `Metric.read`."""
        return self._dep.read(source)

    def _classes_of(self, side: Side[Trees]) -> Sequence[str]:
        return _classes(side.data, self._by)

    def _units(
        self, gold: Side[Trees], system: Side[Trees], groups: Sequence[Group], likeness: Likeness
    ) -> list[Unit]:
        """Return the statistics of each group, from words aligned in the whole file."""
        pairs = pair_ud_words(gold.data.bank, system.data.bank, groups, likeness)
        correct = correct_arcs(gold.data, system.data, pairs)
        ours, theirs = _classes(gold.data, self._by), _classes(system.data, self._by)
        units = []
        for group, (begin, end) in pairs_of_groups(pairs, gold.data.bank, groups):
            words = gold.data.bank.words_of(group.gold)
            their_words = system.data.bank.words_of(group.system)
            hits = compress(pairs[begin:end], correct[begin:end])
            counts = self._sums(
                [ours[g] for g, s in hits if ours[g] == theirs[s]],
                ours[words.start : words.stop],
                theirs[their_words.start : their_words.stop],
            )
            units.append(Unit(group.gold, group.system, counts))
        return units


def _classes(trees: Trees, by: str) -> Sequence[str]:
    """Return the class of each word."""
    if by == "deprel":
        return trees.deprels
    if by == "upos":
        return trees.upos
    numbers: list[int | None] = []
    if by == "length":
        for begin, end in pairwise(trees.bank.word_borders):
            numbers += [end - begin] * (end - begin)
    elif by == "arc":
        named = {ROOT: 0, NO_GOVERNOR: None}
        for word, governor in enumerate(trees.governors):
            numbers.append(named.get(governor, abs(word - governor)))
    else:
        numbers = trees.depths
    classes = {n: NO_CLASS if n is None else class_of(n, _BINS[by]) for n in set(numbers)}
    return [classes[number] for number in numbers]
