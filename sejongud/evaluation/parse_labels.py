"""Constituents against gold by class: PARSEVAL on aligned words, a score for each class.

The classes are labels, or lengths of sentences in words. A class has the gold constituents that
belong to it in gold, and the system's that belong to it in the system; a constituent is right in a
class if gold and system put it into the same class (as `sejongud.evaluation.dep_classes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from sejongud.evaluation.base import LENGTHS, ByClass, class_of, names_of
from sejongud.evaluation.parse import ParseMetric

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.evaluation.evalb import Parameters
    from sejongud.evaluation.parse import Wrong
    from sejongud.evaluation.parseval import Constituent
    from sejongud.evaluation.side import Side
    from sejongud.files import Source
    from sejongud.formats.brackets import Tree
    from sejongud.layers.matching import Group, Likeness

Classes = Literal["label", "length"]
"""The classes: labels, or the words of the sentence."""

CLASSES: tuple[Classes, ...] = get_args(Classes)


class ParseLabels(ByClass["list[Tree]"]):
    """Counts the constituents that a system has right, by class.

    Args:
        parameters: as for `ParseMetric`.
        name: the name of the parameters for the signature.
        rules: the user's tables, as for `sejongud.rules.load`.
        by: the classes.
    """

    def __init__(
        self,
        parameters: Parameters | str | None = None,
        name: str = "aligned",
        rules: str | None = None,
        by: Classes = "label",
    ) -> None:
        super().__init__("parse", by, {"length": LENGTHS})
        self._parse = ParseMetric(parameters, name, rules)
        self.settings = {**self._parse.settings, "by": by}

    def read(self, source: Source) -> Side[list[Tree]]:
        """Read a file of bracketed trees; see `Metric.read`."""
        return self._parse.read(source)

    def wrong(
        self, gold: list[Tree], system: list[Tree], group: Group, likeness: Likeness
    ) -> tuple[list[Wrong], list[Wrong]]:
        """Return what counts as wrong in each tree; see `Parse.wrong`."""
        return self._parse.wrong(gold, system, group, likeness)

    def _classes_of(self, side: Side[list[Tree]]) -> Iterable[str]:
        if self._bins:
            # Sentences that are aligned as one may be longer than each of them.
            return names_of(LENGTHS)
        return [label for tree in side.data for _, _, label in self._parse.selected.of(tree)]

    def _classes(
        self, constituents: Sequence[Constituent], trees: Sequence[Tree], sentences: range
    ) -> list[str]:
        """Return the class of each constituent of sentences that are aligned as one."""
        if self._by == "label":
            return [label for _, _, label in constituents]
        length = self._parse.count_words(trees[sentences.start : sentences.stop])
        return [class_of(max(length, 1), LENGTHS)] * len(constituents)

    def _count(
        self, gold: list[Tree], system: list[Tree], group: Group, likeness: Likeness
    ) -> Sequence[float]:
        _, _, ours, theirs, _ = self._parse.aligned(gold, system, group, likeness)
        pairs = self._parse.selected.match(ours, theirs)
        our_classes = self._classes(ours, gold, group.gold)
        their_classes = self._classes(theirs, system, group.system)
        right = [our_classes[i] for i, j in pairs if our_classes[i] == their_classes[j]]
        return self._sums(right, our_classes, their_classes)
