"""A system measured against gold, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import UsageError
from sejongud.evaluation.scores import Scores, sign
from sejongud.evaluation.side import Alignment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from sejongud.errors import Incident
    from sejongud.evaluation.base import Metric
    from sejongud.evaluation.scores import Comparison, Intervals, Test, Unit

__all__ = ["SAMPLES", "SEED", "Evaluation", "OfSentences"]

SAMPLES = 1000
SEED = 12345


class OfSentences(NamedTuple):
    """The scores of a group of aligned sentences, usually of one sentence of each side."""

    gold: range
    """The gold sentences, from 0."""
    system: range
    """The system sentences, from 0."""
    scores: Scores


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
        formats: the formats that the two files were read in; empty if the metric reads only one.
        notes: what else is told about each unit, by the name of its column; () if nothing is.
    """

    metric: Metric[Any]
    settings: Mapping[str, str]
    units: Sequence[Unit]
    differences: Sequence[str] = field(default=())
    incidents: Sequence[Incident] = field(default=())
    paths: tuple[str, str] = ("-", "-")
    alignment: Alignment = field(default_factory=Alignment)
    formats: tuple[str, str] = ("", "")
    notes: Sequence[Mapping[str, object]] = field(default=())

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

    def intervals(self, samples: int = SAMPLES, seed: int = SEED) -> list[Intervals]:
        """Return the 95 % confidence intervals of each score; see `significance.intervals`."""
        from sejongud.evaluation.significance import intervals

        return intervals(self, samples, seed)

    def compare(
        self,
        other: Evaluation,
        *,
        samples: int = SAMPLES,
        seed: int = SEED,
        test: Test = "bootstrap",
    ) -> list[Comparison]:
        """Test whether another system differs from this one, sentence by sentence.

        Args:
            other: the other system against the same gold, by the same metric.
            samples: the number of samples.
            seed: the seed of the random numbers.
            test: the test.

        Raises:
            UsageError: the two were not measured against the same gold, or have other scores.
        """
        from sejongud.evaluation.significance import compare

        if [score.name for score in self.scores] != [score.name for score in other.scores]:
            raise UsageError(
                "the two systems have other scores, such as those of other types of entities:"
                " measure them together, with evaluate_all"
            )
        return compare(self, other, samples, seed, test)

    def to_dataframe(self, *, sentences: bool = False) -> pd.DataFrame:
        """Return the scores as a table, a row a score, with its counts and its ratios.

        Args:
            sentences: whether the rows are the scores of each group of sentences, whose ranges
                stand in the columns `gold` and `system`.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        if not sentences:
            rows = [{"name": one.name, **one.counts, **one.ratios} for one in self.scores]
        for gold, system, scores in self.by_sentence() if sentences else ():
            place = {"gold": gold, "system": system}
            rows += [{**place, "name": one.name, **one.counts, **one.ratios} for one in scores]
        return pd.DataFrame(rows)

    def to_json(self, *, sentences: bool = False) -> str:
        """Return all figures as a JSON object, as `sejongud eval --json` prints it.

        Args:
            sentences: whether the scores of each group of sentences are told.
        """
        from sejongud.evaluation.tables import Result, to_json

        return to_json(Result(self, sentences=sentences))

    def signature(self, **more: str) -> str:
        """Return the settings in one line, so that others can reproduce the figures.

        Args:
            more: settings behind those of the evaluation.
        """
        return sign(self.metric.name, {**self.settings, **more})
