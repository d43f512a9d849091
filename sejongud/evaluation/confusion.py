"""Which arcs a system takes for which: by their direction and by their depth (Fig. 3.7 and 3.8).

Directions: `l` the governor stands to the left, `r` to the right, `o` the word is a root. Depth:
how many arcs the word is below its root. Counted are the words that are aligned; columns are gold,
rows the system, as in the memoir (Section 3.3.2.3).
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.errors import MissingExtraError, UsageError
from sejongud.evaluation.dep_trees import ROOT, Trees, depths
from sejongud.evaluation.output import format_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sejongud.evaluation.base import Signature
    from sejongud.evaluation.ud_words import Pairs

__all__ = ["CONFUSIONS", "Confusion", "ConfusionKind", "confuse", "print_confusion"]

ConfusionKind = Literal["direction", "depth"]

CONFUSIONS: tuple[ConfusionKind, ...] = get_args(ConfusionKind)

_LEFT, _RIGHT, _TO_ROOT = "l", "r", "o"
_NO_DEPTH = "-"


class Confusion(NamedTuple):
    """A confusion matrix."""

    kind: ConfusionKind
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    """A row for each label of the system, a column for each label of gold."""


def confuse(gold: Trees, system: Trees, pairs: Pairs, kind: ConfusionKind) -> Confusion:
    """Count what the arcs of gold are in the system.

    Args:
        gold: the right trees.
        system: those to be measured.
        pairs: the words that stand for each other.
        kind: of what.
    """
    label = _directions if kind == "direction" else _depths
    ours, theirs = label(gold), label(system)
    cells = Counter([(theirs[s], ours[g]) for g, s in pairs])
    labels: list[str] = [_LEFT, _RIGHT, _TO_ROOT]
    if kind == "depth":
        found = {one for cell in cells for one in cell}
        labels = sorted(found, key=lambda one: (one == _NO_DEPTH, len(one), one))
    counts = [[cells[row, column] for column in labels] for row in labels]
    return Confusion(kind, labels, counts)


def print_confusion(args: argparse.Namespace, confusion: Confusion, signature: Signature) -> None:
    """Print a confusion, and draw it, as the options say.

    Args:
        args: with `json`, `csv` and `picture`.
        confusion: what to print.
        signature: how it was found.

    Raises:
        MissingExtraError: a picture is wanted and matplotlib is not installed.
        UsageError: there are no pictures of that suffix.
    """
    header = ["system \\ gold", *confusion.labels]
    rows = [
        [label, *map(str, counts)]
        for label, counts in zip(confusion.labels, confusion.counts, strict=True)
    ]
    if args.json:
        found = {"signature": str(signature), **confusion._asdict()}
        text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    elif args.csv:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        text = out.getvalue()
    else:
        text = f"{format_table([header, *rows])}\n{signature}\n"
    if args.picture:
        _draw(confusion, args.picture)
    sys.stdout.write(text)


def _directions(trees: Trees) -> list[str]:
    """The direction of the arc of each word."""
    return [
        _TO_ROOT if governor == ROOT else _LEFT if governor < word else _RIGHT
        for word, governor in enumerate(trees.governors)
    ]


def _depths(trees: Trees) -> list[str]:
    """The depth of the arc of each word."""
    found = []
    for begin, end in pairwise(trees.bank.word_borders):
        found += [
            _NO_DEPTH if depth is None else str(depth)
            for depth in depths(trees.governors[begin:end], begin)
        ]
    return found


def _draw(confusion: Confusion, path: str) -> None:
    """Draw a confusion; the suffix of the file says in which format."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    size = max(3.0, 0.6 * len(confusion.labels))
    figure = Figure(figsize=(size, size), layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in formats:
        raise UsageError(f"no picture can be a .{suffix}: {', '.join(formats)}")
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
    figure.savefig(path)
