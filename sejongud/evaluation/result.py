"""A system measured against gold: intervals, tests, tables and JSON of its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.evaluation.scores import Measured

if TYPE_CHECKING:
    import pandas as pd

    from sejongud.evaluation.scores import Comparison, Intervals, Test

SAMPLES = 1000
SEED = 12345
_SHOWN = 15
"""The most scores that the `repr` of an evaluation has."""


@dataclass(frozen=True)
class Evaluation(Measured):
    """A system measured against gold; see `Measured` for its fields."""

    def __repr__(self) -> str:
        scores = self.scores
        main = [row for row in scores[:_SHOWN] if row.main in row.ratios]
        figures = ", ".join([f"{row.name} {100 * row.ratios[row.main]:.2f}" for row in main])
        more = ", …" if len(scores) > _SHOWN else ""
        return f"<Evaluation {self.signature()}: {figures}{more}>"

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

        if not sentences:
            return pd.DataFrame([score.to_dict() for score in self.scores])
        return pd.DataFrame(
            [
                {"gold": gold, "system": system, **score.to_dict()}
                for gold, system, scores in self.by_sentence()
                for score in scores
            ]
        )

    def to_json(self, *, sentences: bool = False) -> str:
        """Return all figures as a JSON object, as `sejongud eval --json` prints it.

        Args:
            sentences: whether the scores of each group of sentences are told.
        """
        from sejongud.evaluation.tables import Result, to_json

        return to_json(Result(self, sentences=sentences))
