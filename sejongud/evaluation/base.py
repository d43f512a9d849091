"""What every metric is made of: statistics of each sentence, and scores made from their sums.

    gold, system → units (statistics of each aligned group of sentences) → totals → scores

Keeping the statistics of each sentence apart from what is made of their totals is what gives every
metric confidence intervals, paired tests and a listing by sentence for nothing (`significance`),
and one way to print them (`output`). The design is sacrebleu's (Metric, Score, Signature).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sejongud import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.errors import Incident

__all__ = ["Evaluation", "FScores", "Metric", "Score", "Signature", "Unit", "f_score"]


class Score(NamedTuple):
    """One row of a result: what it measures, and the figures."""

    name: str
    counts: Mapping[str, float]
    """Sums and averages, by the name of their column: tp, fp, fn …"""
    ratios: Mapping[str, float]
    """Shares between 0 and 1: precision, recall, f1 …; a share of nothing is 0."""
    main: str = "f1"
    """The ratio that systems are compared by."""


def f_score(name: str, correct: int, gold: int, system: int) -> Score:
    """Precision, recall and F1 of what a system found.

    Args:
        name: what is counted.
        correct: how many of both are the same.
        gold: how many there are in gold.
        system: how many the system has.

    >>> f_score("Tokens", 4, 7, 5).ratios["recall"]
    0.5714285714285714
    """
    return Score(
        name,
        {"tp": correct, "fp": system - correct, "fn": gold - correct},
        {
            "precision": _share(correct, system),
            "recall": _share(correct, gold),
            "f1": _share(2 * correct, gold + system),
        },
    )


class Unit(NamedTuple):
    """What is counted together: an aligned group of sentences, usually one of each side."""

    gold: range
    """Which gold sentences, from 0."""
    system: range
    """Which system sentences, from 0."""
    counts: Sequence[float]
    """The statistics, in the order of the metric's columns. Their sums are all a score needs."""


class Metric(ABC):
    """Makes scores from totals."""

    name: str
    """As on the command line."""
    columns: tuple[str, ...]
    """What the statistics of a unit count, in their order."""

    @abstractmethod
    def scores(self, totals: Sequence[float]) -> list[Score]:
        """The scores.

        Args:
            totals: the sum of each of the columns over all units, or over a sample of them.
        """


class FScores(Metric):
    """A metric whose scores are all precision, recall and F1 of things counted.

    The statistics of each are `correct`, `gold`, `system`, and `aligned` for those that also have
    an accuracy: the share of the correct ones in what could be aligned.

    Args:
        name: as on the command line.
        rows: what is counted, in order; the names of the scores.
        accuracy: those of them that have an accuracy.
    """

    def __init__(self, name: str, rows: Sequence[str], accuracy: Sequence[str] = ()) -> None:
        self.name = name
        self.rows = tuple(rows)
        self.accuracy = frozenset(accuracy)
        self.columns = tuple(
            f"{row}:{count}"
            for row in rows
            for count in ("correct", "gold", "system", *(["aligned"] * (row in self.accuracy)))
        )

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """One score for each row; see `Metric.scores`."""
        scores = []
        values = iter(totals)
        for row in self.rows:
            correct, gold, system = int(next(values)), int(next(values)), int(next(values))
            score = f_score(row, correct, gold, system)
            if row in self.accuracy:
                share = _share(correct, int(next(values)))
                score = score._replace(ratios={**score.ratios, "accuracy": share})
            scores.append(score)
        return scores


@dataclass(frozen=True)
class Signature:
    """The settings that a figure depends on, so that it can be had again.

    >>> str(Signature("tokens", {"align": "offset", "unit": "word"})).rpartition(":")[0]
    'tokens|align:offset|unit:word|version'
    """

    metric: str
    settings: Mapping[str, str]

    def with_settings(self, settings: Mapping[str, str]) -> Signature:
        """The signature with more settings behind its own."""
        return Signature(self.metric, {**self.settings, **settings})

    def __str__(self) -> str:
        settings = {**self.settings, "version": __version__}
        return "|".join([self.metric, *(f"{key}:{value}" for key, value in settings.items())])


@dataclass(frozen=True)
class Evaluation:
    """A system measured against gold.

    Args:
        metric: what was measured.
        signature: how.
        units: the statistics, in gold order; together they cover all sentences of both sides.
        differences: where the two texts differ, in words for a reader.
        incidents: what was wrong with the input; the rest was scored.
    """

    metric: Metric
    signature: Signature
    units: Sequence[Unit]
    differences: Sequence[str] = field(default=())
    incidents: Sequence[Incident] = field(default=())

    @property
    def totals(self) -> list[float]:
        """The sum of each statistic."""
        if not self.units:
            return [0] * len(self.metric.columns)
        return [sum(column) for column in zip(*[unit.counts for unit in self.units], strict=True)]

    @property
    def scores(self) -> list[Score]:
        """The scores of the whole."""
        return self.metric.scores(self.totals)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
