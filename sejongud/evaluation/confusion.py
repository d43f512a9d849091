"""Confusion matrices: of arcs by direction and by depth (memoir, Fig. 3.7 and 3.8), and of labels.

The direction of a word's arc is `l` if its governor stands to the left, `r` if to the right, `o` if
the word is a root. The depth is how many arcs the word is below its root. Aligned words are
counted; columns are gold, rows the system, as in the memoir (Section 3.3.2.3).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from sejongud.errors import MissingExtraError, UsageError
from sejongud.evaluation.dep_trees import ROOT
from sejongud.evaluation.ud_words import pair_ud_words
from sejongud.files import atomic_binary
from sejongud.formats.conllu.rows import FORM
from sejongud.layers.matching import STRICT, align_sentences
from sejongud.layers.trees import depths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.evaluation.dep_trees import Trees
    from sejongud.evaluation.side import Side
    from sejongud.layers.matching import Likeness

__all__ = ["CONFUSIONS", "Confusion", "ConfusionKind", "Example", "Item", "confuse", "draw"]
__all__ += ["tabulate"]

ConfusionKind = Literal["direction", "depth", "upos", "xpos", "deprel"]

CONFUSIONS: tuple[ConfusionKind, ...] = get_args(ConfusionKind)

_LEFT, _RIGHT, _TO_ROOT = "l", "r", "o"
_NO_DEPTH = "-"


class Item(NamedTuple):
    """Something that both sides have labelled."""

    gold: str
    system: str
    sentence: int
    """The gold sentence, from 0."""
    text: str
    """The word or words in gold, or in the system if gold has none."""


class Example(NamedTuple):
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
    examples: Sequence[Example] = ()
    """The labels that are confused, the most frequent first."""


def confuse(
    gold: Side[Trees], system: Side[Trees], kind: ConfusionKind, likeness: Likeness = STRICT
) -> Confusion:
    """Count the arcs, tags or relations of aligned words by their labels in gold and in the system.

    Args:
        gold: the right trees.
        system: the trees to measure.
        kind: the labels.
        likeness: which words and sentences count as the same where the texts differ.
    """
    groups = align_sentences(gold.sentences, system.sentences, likeness)
    bank = gold.data.bank
    pairs = pair_ud_words(bank, system.data.bank, groups, likeness)
    ours, theirs = _LABELS[kind](gold.data), _LABELS[kind](system.data)
    items = [
        Item(ours[g], theirs[s], bisect_right(bank.word_borders, g) - 1, bank.columns[FORM][g])
        for g, s in pairs
    ]
    labels = [_LEFT, _RIGHT, _TO_ROOT] if kind == "direction" else None
    if kind == "depth":
        found = {depth for item in items for depth in item[:2]}
        labels = sorted(found, key=lambda depth: (depth == _NO_DEPTH, len(depth), depth))
    return tabulate(gold, kind, items, labels)


def tabulate(
    gold: Side[Any], kind: str, items: Sequence[Item], labels: Sequence[str] | None = None
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
        labels = sorted({one for cell in cells for one in cell}, key=lambda one: (-often[one], one))
    first: dict[tuple[str, str], Item] = {}
    for item in items:
        if item.gold != item.system:
            first.setdefault((item.system, item.gold), item)
    examples = [
        Example(
            item.gold,
            item.system,
            cells[cell],
            gold.place(item.sentence),
            item.text,
            " ".join(gold.sentences[item.sentence]) if item.sentence < len(gold.sentences) else "",
        )
        for cell, item in first.items()
    ]
    examples.sort(key=lambda one: -one.times)
    counts = [[cells[row, column] for column in labels] for row in labels]
    return Confusion(kind, labels, counts, examples)


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


def _directions(trees: Trees) -> list[str]:
    """Return the direction of each word's arc."""
    return [
        _TO_ROOT if governor == ROOT else _LEFT if governor < word else _RIGHT
        for word, governor in enumerate(trees.governors)
    ]


def _depths(trees: Trees) -> list[str]:
    """Return the depth of each word's arc."""
    heads = [governor + 1 for governor in trees.governors]
    return [_NO_DEPTH if depth is None else str(depth) for depth in depths(heads)]


_LABELS: dict[ConfusionKind, Callable[[Trees], Sequence[str]]] = {
    "direction": _directions,
    "depth": _depths,
    "upos": lambda trees: trees.upos,
    "xpos": lambda trees: trees.xpos,
    "deprel": lambda trees: trees.deprels,
}
