"""The figures of a system measured against gold, of the whole and of each sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from sejongud.evaluation.scores import Scores, sign
from sejongud.evaluation.side import Alignment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sejongud.errors import Incident
    from sejongud.evaluation.scores import Figures, Unit


class OfSentences(NamedTuple):
    """The scores of a group of aligned sentences, usually of one sentence of each side."""

    gold: range
    """The gold sentences, from 0."""
    system: range
    """The system sentences, from 0."""
    scores: Scores


@dataclass(frozen=True)
class Measured:
    """The figures of a system measured against gold.

    Args:
        metric: the metric.
        settings: the settings that the figures depend on.
        units: the statistics in gold order; together they cover all sentences of both sides.
        list_differences: lists the differences of the two texts when they are asked for.
        incidents: the faults of both files; everything else was scored.
        paths: the names of the gold file and the system file.
        alignment: how well the sentences of the two files are aligned.
        formats: the formats that the two files were read in; empty if the metric reads only one.
        notes: what else is told about each unit, by the name of its column; () if nothing is.
    """

    metric: Figures
    settings: Mapping[str, str]
    units: Sequence[Unit]
    list_differences: Callable[[], Sequence[str]] = list
    incidents: Sequence[Incident] = field(default=())
    paths: tuple[str, str] = ("-", "-")
    alignment: Alignment = field(default_factory=Alignment)
    formats: tuple[str, str] = ("", "")
    notes: Sequence[Mapping[str, object]] = field(default=())

    @cached_property
    def differences(self) -> Sequence[str]:
        """The differences of the two texts, a line each."""
        return self.list_differences()

    @property
    def totals(self) -> list[float]:
        """The sum of each statistic."""
        if not self.units:
            return [0] * self.metric.width
        return [sum(column) for column in zip(*[unit.counts for unit in self.units], strict=True)]

    @property
    def scores(self) -> Scores:
        """The scores of the whole, by number or by name."""
        return Scores(self.metric.scores(self.totals))

    def by_sentence(self) -> Iterator[OfSentences]:
        """Yield the scores of each group of aligned sentences, in gold order."""
        for unit in self.units:
            yield OfSentences(unit.gold, unit.system, Scores(self.metric.scores(unit.counts)))

    def signature(self, **more: str) -> str:
        """Return the settings in one line, so that others can reproduce the figures.

        Args:
            more: settings behind those of the evaluation.
        """
        return sign(self.metric.name, {**self.settings, **more})
