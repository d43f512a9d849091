"""Constituents against gold by their labels: PARSEVAL on aligned words, a score for each label."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sejongud.evaluation.base import FScores
from sejongud.evaluation.parse import Parse
from sejongud.layers.matching import STRICT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.evaluation.evalb import Parameters
    from sejongud.evaluation.result import Evaluation
    from sejongud.evaluation.side import Side
    from sejongud.files import Source
    from sejongud.formats.brackets import Tree
    from sejongud.layers.matching import Group, Likeness

__all__ = ["ParseLabels"]


class ParseLabels(FScores["list[Tree]"]):
    """Counts the constituents that a system has right, by their labels in gold.

    Args:
        parameters: as for `Parse`.
        name: the name of the parameters for the signature.
        rules: the user's tables, as for `sejongud.rules.load`.
    """

    def __init__(
        self,
        parameters: Parameters | str | None = None,
        name: str = "aligned",
        rules: str | None = None,
    ) -> None:
        super().__init__("parse", ())
        self._parse = Parse(parameters, name, rules)
        self.settings = {**self._parse.settings, "by": "label"}

    def read(self, source: Source) -> Side[list[Tree]]:
        """Read a file of bracketed trees; see `Metric.read`."""
        return self._parse.read(source)

    def measure(
        self, gold: Side[list[Tree]], *systems: Side[list[Tree]], likeness: Likeness = STRICT
    ) -> list[Evaluation]:
        """Measure systems; every label of any of the files has a score of its own."""
        often = Counter(self._labels(gold))
        found = {label for side in (gold, *systems) for label in self._labels(side)}
        self.rows = sorted(found, key=lambda label: (-often[label], label))
        self.width = 3 * len(self.rows)
        return super().measure(gold, *systems, likeness=likeness)

    def _labels(self, side: Side[list[Tree]]) -> list[str]:
        selected = self._parse.parameters.constituents
        return [label for tree in side.data for _, _, label in selected.of(tree)]

    def _count(
        self, gold: list[Tree], system: list[Tree], group: Group, likeness: Likeness
    ) -> Sequence[float]:
        ours, theirs = self._parse.constituents(gold, system, group, likeness)
        pairs = self._parse.parameters.constituents.match(ours, theirs)
        right = Counter([ours[i][2] for i, j in pairs if ours[i][2] == theirs[j][2]])
        in_gold = Counter([label for _, _, label in ours])
        in_system = Counter([label for _, _, label in theirs])
        return [n for one in self.rows for n in (right[one], in_gold[one], in_system[one])]
