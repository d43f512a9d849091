"""The figures of a system measured against gold: statistics of sentences, scores, comparisons.

In a confusion matrix of labels, columns are gold, rows the system (memoir, Section 3.3.2.3).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, SupportsIndex, overload

from sejongud.errors import Incident, MissingExtraError, UsageError
from sejongud.evaluation.side import Alignment, Annotation
from sejongud.files import atomic_binary
from sejongud.terminal import display_width
from sejongud.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


class Score(NamedTuple):
    """One row of a result."""

    name: str
    counts: Mapping[str, float]
    """Sums and averages by the name of their column: tp, fp, fn …"""
    ratios: Mapping[str, float]
    """Shares between 0 and 1: precision, recall, f1 …"""
    main: str = "f1"
    """The ratio by which systems are compared."""

    def to_dict(self) -> dict[str, object]:
        """Return the name and all figures by the names of their columns."""
        return {"name": self.name, **self.counts, **self.ratios}


class Figures(Protocol):
    """The part of a metric that turns sums of statistics into scores."""

    name: str
    width: int
    """The number of statistics."""

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return the scores of sums."""


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


class Scores(list[Score]):
    """Scores in the order of a table; each can be taken by its name as well.

    >>> scores = Scores([f_score("Tokens", 4, 7, 5)])
    >>> scores["Tokens"] is scores[0]
    True
    """

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> Score: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Score]: ...

    def __getitem__(self, key: SupportsIndex | slice | str, /) -> Score | list[Score]:
        """Return the score with a number or a name.

        Raises:
            KeyError: there is no score of that name.
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        for score in self:
            if score.name == key:
                return score
        raise KeyError(f"there is no score {key}: {', '.join(score.name for score in self)}")


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


class OfSentences(NamedTuple):
    """The scores of a group of aligned sentences, usually of one sentence of each side."""

    gold: range
    """The gold sentences, from 0."""
    system: range
    """The system sentences, from 0."""
    scores: Scores


Test = Literal["bootstrap", "randomisation"]
"""A paired test of two systems."""

Resample = Literal["sentences", "documents"]
"""What intervals and tests draw: groups of aligned sentences, or documents of gold."""

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
    low: float | None = None
    """The lower end of the 95 % interval of the difference `first - second`; None if the test is
    not the bootstrap, whose samples it is made of."""
    high: float | None = None
    """The upper end."""


class LabelledItem(NamedTuple):
    """Something that both sides have labelled."""

    gold: str
    system: str
    sentence: int
    """The gold sentence, from 0."""
    text: str
    """The word or words in gold, or in the system if gold has none."""


class ConfusionExample(NamedTuple):
    """A label that a system has taken for another, and the first place where it has."""

    gold: str
    system: str
    times: int
    place: str
    """The file and the line of the gold sentence."""
    text: str
    sentence: str


class Confusion(NamedTuple):
    """A confusion matrix."""

    kind: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    """A row for each label of the system, with a column for each label of gold."""
    examples: Sequence[ConfusionExample] = ()
    """The labels that are confused, the most frequent first."""
    errors: Sequence[ConfusionExample] = ()
    """Every item whose labels differ, in the order of the text."""


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
        confuse: counts the labels of a kind that the system takes for others; None if the metric
            has no such labels.
        notes: what else is told about each unit, by the name of its column; () if nothing is.
        documents: lists the first gold sentence of each document when documents are drawn.
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
    confuse: Callable[[str], Confusion] | None = None
    documents: Callable[[], Sequence[int]] = tuple

    @cached_property
    def differences(self) -> Sequence[str]:
        """The differences of the two texts, a line each."""
        return self.list_differences()

    @cached_property
    def totals(self) -> list[float]:
        """The sum of each statistic."""
        if not self.units:
            return [0] * self.metric.width
        return [sum(column) for column in zip(*[unit.counts for unit in self.units], strict=True)]

    @cached_property
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

    def confusion(self, kind: str = "") -> Confusion:
        """Return how often the system takes a label for another, with an example of each.

        Args:
            kind: the labels, such as `deprel`; "" for the first kind of the metric.

        Raises:
            UsageError: the metric has no such labels.
        """
        kinds: tuple[str, ...] = getattr(self.metric, "confusions", ())
        if self.confuse is None or (kind and kind not in kinds):
            has = ", ".join(kinds) or "none"
            raise UsageError(f"{self.metric.name} has no labels {kind} to confuse: {has}")
        return self.confuse(kind or kinds[0])


def matrix_rows(confusion: Confusion) -> list[list[str]]:
    """Return the rows of the matrix, the first of them its head."""
    named = zip(confusion.labels, confusion.counts, strict=True)
    rows = [[label, *map(str, counts)] for label, counts in named]
    return [["system \\ gold", *confusion.labels], *rows]


def tabulate(
    gold: Annotation[Any],
    kind: str,
    items: Sequence[LabelledItem],
    labels: Sequence[str] | None = None,
) -> Confusion:
    """Return the matrix of some items, with an example of each confusion.

    Args:
        gold: the gold side.
        kind: the name of the labels.
        items: what both sides have labelled.
        labels: the labels in order; None for the most frequent in gold first.
    """
    cells = Counter([(item.system, item.gold) for item in items])
    if labels is None:
        often = Counter([item.gold for item in items])
        labels = sorted(
            {name for cell in cells for name in cell}, key=lambda name: (-often[name], name)
        )
    first: dict[tuple[str, str], LabelledItem] = {}
    for item in items:
        if item.gold != item.system:
            first.setdefault((item.system, item.gold), item)

    def example(item: LabelledItem, times: int) -> ConfusionExample:
        inside = item.sentence < len(gold.sentences)
        sentence = " ".join(gold.sentences[item.sentence]) if inside else ""
        place = gold.place(item.sentence)
        return ConfusionExample(item.gold, item.system, times, place, item.text, sentence)

    examples = [example(item, cells[cell]) for cell, item in first.items()]
    examples.sort(key=lambda row: -row.times)
    errors = [example(item, 1) for item in items if item.gold != item.system]
    counts = [[cells[row, column] for column in labels] for row in labels]
    return Confusion(kind, labels, counts, examples, errors)


_HANGUL = (
    "Noto Sans KR",
    "Noto Sans CJK KR",
    "Apple SD Gothic Neo",
    "Malgun Gothic",
    "NanumGothic",
)
"""Fonts for labels in Korean, which the font of matplotlib lacks."""
_WIDE = 5  # cells of a label: a longer one is wider than its column


def draw(confusion: Confusion, path: str) -> None:
    """Draw a confusion into a picture, which appears as a file when all of it is written.

    Args:
        confusion: the matrix.
        path: the file to write; its suffix is the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
        UsageError: matplotlib cannot write pictures with that suffix.
        OSError: the file cannot be written.
    """
    try:
        from matplotlib import rc_context, rcParams
        from matplotlib.figure import Figure
        from matplotlib.font_manager import fontManager
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    installed = {font.name for font in fontManager.ttflist}
    fonts = [*rcParams["font.family"], *[name for name in _HANGUL if name in installed]]
    size = max(3.0, 0.6 * len(confusion.labels))
    figure = Figure(figsize=(size, size), layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in formats:
        raise UsageError(f"pictures cannot have the suffix .{suffix}; use {', '.join(formats)}")
    with rc_context({"font.family": fonts}), atomic_binary(path) as stream:
        _fill(figure.add_subplot(), confusion)
        figure.savefig(stream, format=suffix)


def _fill(axes: Any, confusion: Confusion) -> None:
    """Draw the cells and the labels of a confusion."""
    axes.imshow(confusion.counts, cmap="Blues", norm="symlog")
    places = range(len(confusion.labels))
    axes.set(
        xlabel="gold",
        ylabel="system",
        title=confusion.kind,
        xticks=places,
        yticks=places,
        xticklabels=confusion.labels,
        yticklabels=confusion.labels,
    )
    if max(map(display_width, confusion.labels), default=0) > _WIDE:
        axes.tick_params("x", rotation=90)
    highest = max(map(max, confusion.counts), default=0)
    for row, counts in enumerate(confusion.counts):
        for column, count in enumerate(counts):
            color = "white" if count**2 > highest else "black"  # the upper half of a log scale
            axes.text(column, row, str(count), ha="center", va="center", color=color)


def cohen(tokens: float, labels: Iterable[Sequence[float]]) -> float:
    """Return Cohen's kappa; 1 if both sides have but one label, which leaves nothing to chance.

    Args:
        tokens: all of them.
        labels: for each label its tokens on the one side, on the other, and on both.

    >>> round(cohen(10, [[4, 5, 4], [6, 5, 5]]), 2)
    0.8
    """
    labels = list(labels)
    observed = share(sum(common for *_, common in labels), tokens)
    chance = share(sum(first * second for first, second, _ in labels), tokens * tokens)
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)
