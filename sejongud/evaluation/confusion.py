"""Confusion matrices of labels: columns are gold, rows the system (memoir, Section 3.3.2.3)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import MissingExtraError, UsageError
from sejongud.files import atomic_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.evaluation.side import Side


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


def matrix_rows(confusion: Confusion) -> list[list[str]]:
    """Return the rows of the matrix, the first of them its head."""
    named = zip(confusion.labels, confusion.counts, strict=True)
    rows = [[label, *map(str, counts)] for label, counts in named]
    return [["system \\ gold", *confusion.labels], *rows]


def tabulate(
    gold: Side[Any], kind: str, items: Sequence[LabelledItem], labels: Sequence[str] | None = None
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
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    size = max(3.0, 0.6 * len(confusion.labels))
    figure = Figure(figsize=(size, size), layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in formats:
        raise UsageError(f"pictures cannot have the suffix .{suffix}; use {', '.join(formats)}")
    axes = figure.add_subplot()
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
    highest = max(map(max, confusion.counts), default=0)
    for row, counts in enumerate(confusion.counts):
        for column, count in enumerate(counts):
            color = "white" if count**2 > highest else "black"  # the upper half of a log scale
            axes.text(column, row, str(count), ha="center", va="center", color=color)
    with atomic_binary(path) as stream:
        figure.savefig(stream, format=suffix)
