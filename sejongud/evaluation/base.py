"""The parts of every metric: statistics of each sentence, and scores made from their sums.

    gold, system → units (statistics of each aligned group of sentences) → totals → scores

Because the statistics of each sentence are kept apart from their totals, every metric has
confidence intervals, paired tests and a listing by sentence (`significance`), and one way to be
printed (`tables`). The design is sacrebleu's (Metric, Score, Signature).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, get_args

from sejongud import __version__
from sejongud.evaluation.side import Alignment, alignment_settings, list_differences, summarise
from sejongud.layers.matching import STRICT, align_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.errors import Incident
    from sejongud.evaluation.side import Side
    from sejongud.files import Source
    from sejongud.layers.matching import Group, Likeness

__all__ = [
    "TESTS",
    "Comparison",
    "Evaluation",
    "FScores",
    "Intervals",
    "Metric",
    "Score",
    "Test",
    "Unit",
    "f_score",
    "ratios",
    "share",
    "sign",
]

T = TypeVar("T")


class Score(NamedTuple):
    """One row of a result."""

    name: str
    counts: Mapping[str, float]
    """Sums and averages by the name of their column: tp, fp, fn …"""
    ratios: Mapping[str, float]
    """Shares between 0 and 1: precision, recall, f1 …"""
    main: str = "f1"
    """The ratio by which systems are compared."""


def share(part: float, whole: float) -> float:
    """Return a part of a whole as a share between 0 and 1; 0 if there is no whole."""
    return part / whole if whole else 0.0


def ratios(precision: float, recall: float) -> dict[str, float]:
    """Return precision and recall with their harmonic mean."""
    f1 = share(2 * precision * recall, precision + recall)
    return {"precision": precision, "recall": recall, "f1": f1}


def f_score(name: str, correct: int, gold: int, system: int) -> Score:
    """Return precision, recall and F1 of the items that a system found.

    Args:
        name: the name of the items.
        correct: how many items gold and system have in common.
        gold: how many items gold has.
        system: how many items the system has.

    >>> f_score("Tokens", 4, 7, 5).ratios["recall"]
    0.5714285714285714
    """
    return Score(
        name,
        {"tp": correct, "fp": system - correct, "fn": gold - correct},
        {
            "precision": share(correct, system),
            "recall": share(correct, gold),
            "f1": share(2 * correct, gold + system),
        },
    )


def sign(metric: str, settings: Mapping[str, str]) -> str:
    """Return the signature of a figure.

    >>> sign("tokens", {"align": "offset", "unit": "word"}).rpartition(":")[0]
    'tokens|align:offset|unit:word|version'
    """
    settings = {**settings, "version": __version__}
    return "|".join([metric, *(f"{key}:{value}" for key, value in settings.items())])


class Unit(NamedTuple):
    """The statistics of an aligned group of sentences, usually one of each side."""

    gold: range
    """The gold sentences, from 0."""
    system: range
    """The system sentences, from 0."""
    counts: Sequence[float]
    """The statistics in the order of the metric; scores need only their sums."""


class Metric(ABC, Generic[T]):
    """Reads files as sides, counts what they have in common, and makes scores from the totals."""

    name: str
    """The name on the command line."""
    width: int
    """The number of statistics of a unit."""
    settings: Mapping[str, str] = {}
    """The settings of the metric for the signature."""

    @abstractmethod
    def read(self, source: Source) -> Side[T]:
        """Read a file; its faults become incidents of the side.

        Raises:
            UsageError: the file has nothing that the metric compares.
        """

    @abstractmethod
    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return the scores of the whole, or of a sample.

        Args:
            totals: the sum of each statistic over the units.
        """

    def measure(
        self, gold: Side[T], *systems: Side[T], likeness: Likeness = STRICT
    ) -> list[Evaluation]:
        """Measure systems against gold.

        Args:
            gold: the right annotation.
            systems: the annotations to measure; scores have the same names for all of them.
            likeness: which words and sentences count as the same where the texts differ.
        """
        return [self._measure(gold, system, likeness) for system in systems]

    def _measure(self, gold: Side[T], system: Side[T], likeness: Likeness) -> Evaluation:
        """Align the sentences of two sides and count."""
        gold, system, groups, settings = self._align(gold, system, likeness)
        return Evaluation(
            self,
            {**self.settings, **settings},
            self._units(gold, system, groups, likeness),
            list_differences(gold, system, groups, likeness),
            [*gold.incidents, *system.incidents],
            (gold.path, system.path),
            summarise(gold, system, groups),
        )

    def _align(
        self, gold: Side[T], system: Side[T], likeness: Likeness
    ) -> tuple[Side[T], Side[T], Sequence[Group], Mapping[str, str]]:
        """Return the sides, their aligned sentences, and the settings of the alignment."""
        groups = align_sentences(gold.sentences, system.sentences, likeness)
        return gold, system, groups, alignment_settings(gold, system, likeness)

    def _units(
        self, gold: Side[T], system: Side[T], groups: Sequence[Group], likeness: Likeness
    ) -> list[Unit]:
        """Return the statistics of each group."""
        return [
            Unit(group.gold, group.system, self._count(gold.data, system.data, group, likeness))
            for group in groups
        ]

    def _count(self, gold: T, system: T, group: Group, likeness: Likeness) -> Sequence[float]:
        """Return the `width` statistics of one group."""
        raise NotImplementedError


class FScores(Metric[T]):
    """A metric whose scores are precision, recall and F1 of countable items.

    The statistics of each row are `correct`, `gold` and `system`. Rows with an accuracy also have
    `aligned`: the accuracy is the share of the correct items in the aligned ones.

    Args:
        name: the name on the command line.
        rows: the names of the scores, in order.
        accuracy: the rows that have an accuracy.
    """

    def __init__(self, name: str, rows: Sequence[str], accuracy: Sequence[str] = ()) -> None:
        self.name = name
        self.rows = rows
        self.accuracy = accuracy
        self.width = 3 * len(rows) + len(accuracy)

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return one score for each row; see `Metric.scores`."""
        scores = []
        values = map(int, totals)
        for row in self.rows:
            score = f_score(row, next(values), next(values), next(values))
            if row in self.accuracy:
                accuracy = share(score.counts["tp"], next(values))
                score = score._replace(ratios={**score.ratios, "accuracy": accuracy})
            scores.append(score)
        return scores


@dataclass(frozen=True)
class Evaluation:
    """A system measured against gold.

    Args:
        metric: the metric.
        settings: the settings that the figures depend on.
        units: the statistics in gold order; together they cover all sentences of both sides.
        differences: the differences of the two texts, a line each.
        incidents: the faults of both files; everything else was scored.
        paths: the names of the gold file and the system file.
        alignment: how well the sentences of the two files are aligned.
    """

    metric: Metric[Any]
    settings: Mapping[str, str]
    units: Sequence[Unit]
    differences: Sequence[str] = field(default=())
    incidents: Sequence[Incident] = field(default=())
    paths: tuple[str, str] = ("-", "-")
    alignment: Alignment = field(default_factory=Alignment)

    @property
    def totals(self) -> list[float]:
        """The sum of each statistic."""
        if not self.units:
            return [0] * self.metric.width
        return [sum(column) for column in zip(*[unit.counts for unit in self.units], strict=True)]

    @property
    def scores(self) -> list[Score]:
        """The scores of the whole."""
        return self.metric.scores(self.totals)

    def signature(self, **more: str) -> str:
        """Return the settings in one line, so that others can reproduce the figures.

        Args:
            more: settings behind those of the evaluation.
        """
        return sign(self.metric.name, {**self.settings, **more})


Test = Literal["bootstrap", "randomisation"]
"""A paired test of two systems."""

TESTS: tuple[Test, ...] = get_args(Test)

Intervals = dict[str, tuple[float, float]]
"""Name of a ratio → the lower and the upper end of its interval."""


class Comparison(NamedTuple):
    """A figure of two systems, and how likely its difference is by chance."""

    name: str
    """The name of the score."""
    figure: str
    """The name of its main ratio."""
    first: float
    second: float
    p: float
    """The probability of so large a difference if the systems were equally good."""
