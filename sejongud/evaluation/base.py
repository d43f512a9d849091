"""The parts of every metric: statistics of each sentence, and scores made from their sums.

    gold, system → units (statistics of each aligned group of sentences) → totals → scores

Because the statistics of each sentence are kept apart from their totals, every metric has
confidence intervals, paired tests and a listing by sentence (`significance`), and one way to be
printed (`tables`). The design is sacrebleu's (Metric, Score, Signature).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar, cast, get_args

from sejongud.errors import UsageError, expect_choice
from sejongud.evaluation.scores import (
    Comparison,
    Confusion,
    Intervals,
    LabelledItem,
    Measured,
    Resample,
    Score,
    Test,
    Unit,
    f_score,
    share,
    tabulate,
)
from sejongud.evaluation.side import Annotation, alignment_settings, list_differences, summarise
from sejongud.formats import sniff
from sejongud.layers.matching import Group, align_sentences
from sejongud.layers.subsequence import STRICT, Likeness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    import pandas as pd

    from sejongud.errors import Report
    from sejongud.files import Source


T = TypeVar("T")


def refuse(source: Source, *reads: str, way: str = "`sejongud convert` makes CoNLL-U") -> None:
    """Refuse a file of a format that a metric would read as another, and score as if it were empty.

    Args:
        source: the file.
        reads: the formats that the metric reads.
        way: how a file is made that the metric reads.

    Raises:
        UsageError: the file looks like one of the others.
    """
    found = sniff(source.head())
    if found is not None and found.name not in reads and source.head().strip():
        name = found.name
        raise UsageError(f"{source.path} looks like {name}, which is not measured here: {way}")


class AlignedSides(NamedTuple, Generic[T]):
    """Gold and a system, whose sentences are aligned."""

    gold: Annotation[T]
    system: Annotation[T]
    groups: Sequence[Group]
    likeness: Likeness
    settings: Mapping[str, str]
    """The settings of the alignment."""


class Metric(ABC, Generic[T]):
    """Reads files as sides, counts what they have in common, and makes scores from the totals."""

    name: str
    """The name on the command line."""
    width: int
    """The number of statistics of a unit."""
    confusions: tuple[str, ...] = ()
    """The labels of which there are confusion matrices."""
    settings: Mapping[str, str] = {}
    """The settings of the metric for the signature."""
    notes: Sequence[Mapping[str, object]] = ()
    """What is told about each unit of the last evaluation beside its statistics."""
    lists: Literal["tokens", "labels", ""] = ""
    """The meaning of a list of strings that stands for a sentence; "" if the metric takes none."""

    @abstractmethod
    def read(self, source: Source) -> Annotation[T]:
        """Read a file; its faults become incidents of the side.

        Raises:
            UsageError: the file has nothing that the metric compares.
        """

    def opened(self, source: Source, report: Report) -> AbstractContextManager[Source]:
        """Provide a file in the format that the metric reads; a corpus of another becomes it.

        Args:
            source: the file, of which only the beginning was read.
            report: receives the incidents of the corpus.
        """
        return nullcontext(source)

    @abstractmethod
    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return the scores of the whole, or of a sample.

        Args:
            totals: the sum of each statistic over the units.
        """

    def measure(
        self, gold: Annotation[T], *systems: Annotation[T], likeness: Likeness = STRICT
    ) -> list[Evaluation]:
        """Measure systems against gold.

        Args:
            gold: the right annotation.
            systems: the annotations to measure; scores have the same names for all of them.
            likeness: which words and sentences count as the same where the texts differ.
        """
        # The rows of a metric may follow from what it measures: each measurement has its own.
        return copy(self)._measured([gold, *systems], likeness)

    def _measured(self, sides: list[Annotation[T]], likeness: Likeness) -> list[Evaluation]:
        """Measure systems against gold, the first side, and keep what the scores need."""
        prepared, *others = self._prepared(sides)
        return [self._measure(prepared, system, likeness) for system in others]

    def _prepared(self, sides: list[Annotation[T]]) -> list[Annotation[T]]:
        """Return the sides as they are compared, after the rows that any of them has are known."""
        return sides

    def confuse(
        self, gold: Annotation[T], system: Annotation[T], kind: str, likeness: Likeness = STRICT
    ) -> Confusion:
        """Count the labels that a system takes for others.

        Args:
            gold: the right annotation.
            system: the annotation to measure.
            kind: the labels, one of `confusions`.
            likeness: which words and sentences count as the same where the texts differ.
        """
        return self._confusion(self._align(gold, system, likeness), kind)

    def _confusion(self, sides: AlignedSides[T], kind: str) -> Confusion:
        items = [item for group in sides.groups for item in self._items(sides, group)]
        return tabulate(sides.gold, kind, items)

    def _items(self, sides: AlignedSides[T], group: Group) -> list[LabelledItem]:
        """Return the labelled items of both sides of a group."""
        raise NotImplementedError

    def _measure(
        self, gold: Annotation[T], system: Annotation[T], likeness: Likeness
    ) -> Evaluation:
        """Align the sentences of two sides and count."""
        sides = self._align(gold, system, likeness)
        gold, system, groups, _, settings = sides
        confuse = partial(self._confusion, sides) if self.confusions else None
        return Evaluation(
            self,
            {**self.settings, **settings},
            self._units(sides),
            partial(
                list_differences, gold.with_data(None), system.with_data(None), groups, likeness
            ),
            [*gold.incidents, *system.incidents],
            (gold.path, system.path),
            summarise(gold, system, groups),
            (gold.form, system.form),
            self.notes,
            confuse,
            gold.documents,
        )

    def _align(
        self, gold: Annotation[T], system: Annotation[T], likeness: Likeness
    ) -> AlignedSides[T]:
        groups = align_sentences(gold.sentences, system.sentences, likeness)
        settings = alignment_settings(gold, system, likeness)
        return AlignedSides(gold, system, groups, likeness, settings)

    def _units(self, sides: AlignedSides[T]) -> list[Unit]:
        """Return the statistics of each group."""
        return [Unit(g.gold, g.system, self._count(sides, g)) for g in sides.groups]

    def _count(self, sides: AlignedSides[T], group: Group) -> Sequence[float]:
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


class ByClass(FScores[T]):
    """A metric whose rows are the classes of items: labels, or classes of numbers.

    Args:
        metric: the metric of all items, which reads the files.
        by: the classes.
        bins: the classes of numbers → the smallest number of each class, in order.
    """

    def __init__(self, metric: Metric[T], by: str, bins: Mapping[str, Sequence[int]]) -> None:
        super().__init__(metric.name, ())
        self.settings = {**metric.settings, "by": by}
        self._metric = metric
        self._by = by
        self._bins = bins.get(by)

    def read(self, source: Source) -> Annotation[T]:
        """Read a file as the metric of all items does; see `Metric.read`."""
        return self._metric.read(source)

    def opened(self, source: Source, report: Report) -> AbstractContextManager[Source]:
        """Provide a file as the metric of all items does; see `Metric.opened`."""
        return self._metric.opened(source, report)

    def _prepared(self, sides: list[Annotation[T]]) -> list[Annotation[T]]:
        """Return the sides; every class of any of them has a score of its own."""
        classes = {name for side in sides for name in self._classes_of(side)}
        if self._bins:
            self.rows = [name for name in (*names_of(self._bins), NO_CLASS) if name in classes]
        else:
            often = Counter(self._classes_of(sides[0]))
            self.rows = sorted(classes, key=lambda name: (-often[name], name))
        self.width = 3 * len(self.rows)
        return sides

    @abstractmethod
    def _classes_of(self, side: Annotation[T]) -> Iterable[str]:
        """Return the classes of the items of a file."""

    def _sums(
        self, right: Collection[tuple[str, str]], gold: Iterable[str], system: Iterable[str]
    ) -> list[float]:
        """Return the statistics of some items, of which the classes are given.

        An item that is right counts in its class of gold on both sides, whatever the class of the
        system is: the length of a sentence says nothing against its arcs. So the rows sum to the
        score that they divide.

        Args:
            right: the classes of each item that is right, of gold and of the system.
            gold: the class of each item of gold.
            system: the class of each item of the system.
        """
        hits, of_system = Counter([ours for ours, _ in right]), Counter(system)
        of_system.subtract([theirs for _, theirs in right])
        of_system.update(hits)
        counts = hits, Counter(gold), of_system
        return [numbers[row] for row in self.rows for numbers in counts]


NO_CLASS = "-"
"""The class of an item that has no number."""

LENGTHS = (1, 10, 20, 30, 40, 60)
"""The smallest length in words of each class of sentences."""


def names_of(bins: Sequence[int]) -> list[str]:
    """Return the names of classes of numbers: `3-5`, or `10+` for the last.

    Args:
        bins: the smallest number of each class, in order.

    >>> names_of((0, 1, 2, 3, 6, 10))
    ['0', '1', '2', '3-5', '6-9', '10+']
    """
    names = [f"{a}-{b - 1}" if b - a > 1 else str(a) for a, b in pairwise(bins)]
    return [*names, f"{bins[-1]}+"]


def class_of(number: int, bins: Sequence[int]) -> str:
    """Return the name of the class of a number.

    Args:
        number: from the smallest of the first class on.
        bins: the smallest number of each class, in order.

    >>> class_of(9, LENGTHS), class_of(10, LENGTHS), class_of(90, LENGTHS)
    ('1-9', '10-19', '60+')
    """
    return names_of(bins)[bisect_right(bins, number) - 1]


SAMPLES = 1000
SEED = 12345
_UNITS = frozenset({"Sentences", "Tokens", "Words", "Morphemes", "Entities"})
"""The scores of units of which gold has the same number, whatever the system is."""
_SHOWN = 15
"""The most scores that the `repr` of an evaluation has."""


def _expect_numbers(samples: object, seed: object) -> None:
    """Check the number of samples and the seed of the random numbers."""
    for name, number, least in (("samples", samples, 1), ("seed", seed, 0)):
        if not isinstance(number, int) or number < least:
            raise UsageError(f"{name} is {number}; it should be a whole number from {least} on")


@dataclass(frozen=True)
class Evaluation(Measured):
    """A system measured against gold; see `Measured` for its fields."""

    def __repr__(self) -> str:
        scores = self.scores
        main = [row for row in scores[:_SHOWN] if row.main in row.ratios]
        figures = ", ".join([f"{row.name} {100 * row.ratios[row.main]:.2f}" for row in main])
        more = ", …" if len(scores) > _SHOWN else ""
        return f"<Evaluation {self.signature()}: {figures}{more}>"

    def __getitem__(self, name: str) -> Score:
        """Return the score of a name, such as `LAS`."""
        return self.scores[name]

    def to_html(self) -> str:
        """Return the scores as a table of HTML, with the signature below."""
        from html import escape

        from sejongud.evaluation.tables import Result

        rows = Result(self).rows()
        cells = ["".join([f"<td>{escape(cell)}</td>" for cell in row]) for row in rows]
        body = "".join([f"<tr>{row}</tr>" for row in cells])
        return f"<table>{body}</table><p><code>{escape(self.signature())}</code></p>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def errors(self, kind: str = "") -> list[dict[str, object]]:
        """Return every false positive and false negative, with its text and its place.

        Args:
            kind: the labels that are compared, as for `confusion`; corrections have one kind.

        Raises:
            UsageError: the metric has no such labels.
        """
        if self.notes:
            return [
                {"error": name, "edit": edit, "sentence": note["source"], "gold": unit.gold}
                for unit, note in zip(self.units, self.notes, strict=True)
                for name in ("spurious", "missed")
                for edit in cast("list[str]", note.get(name, ()))
            ]
        return [one._asdict() for one in self.confusion(kind).errors]

    def intervals(
        self, samples: int = SAMPLES, seed: int = SEED, *, resample: Resample = "sentences"
    ) -> list[Intervals]:
        """Return the 95 % confidence intervals of each score, by the percentile bootstrap.

        Args:
            samples: the number of samples.
            seed: the seed of the random numbers.
            resample: what is drawn; "documents" of gold begin with `# newdoc`.

        Raises:
            UsageError: documents are drawn, and gold has not several; there are no samples.
        """
        from sejongud.evaluation.significance import intervals

        _expect_numbers(samples, seed)
        expect_choice("resample", resample, get_args(Resample))
        return intervals(self, samples, seed, resample)

    def compare(
        self,
        other: Evaluation,
        *,
        samples: int = SAMPLES,
        seed: int = SEED,
        test: Test = "bootstrap",
        resample: Resample = "sentences",
    ) -> list[Comparison]:
        """Test whether another system differs from this one, sentence by sentence.

        Args:
            other: the other system against the same gold, by the same metric.
            samples: the number of samples.
            seed: the seed of the random numbers.
            test: the test.
            resample: what is drawn, as for `intervals`.

        Raises:
            UsageError: the two were not measured against the same gold, or have other scores;
                documents are drawn, and gold has not several.
        """
        from sejongud.evaluation.significance import compare

        _expect_numbers(samples, seed)
        expect_choice("test", test, get_args(Test))
        expect_choice("resample", resample, get_args(Resample))
        if [score.name for score in self.scores] != [score.name for score in other.scores]:
            raise UsageError(
                "the two systems have other scores, such as those of other types of entities:"
                " measure them together, with evaluate_all"
            )
        counts = [
            [score.counts for score in each.scores if score.name in _UNITS]
            for each in (self, other)
        ]
        sizes = [[one["tp"] + one["fn"] for one in each if "fn" in one] for each in counts]
        if sizes[0] != sizes[1]:
            raise UsageError("the two systems were not measured against the same gold")
        return compare(self, other, samples, seed, test, resample)

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
