"""Confusion matrices of arcs by direction and by depth (memoir, Fig. 3.7 and 3.8), and of labels.

The direction of a word's arc is `l` if its governor stands to the left, `r` if to the right, `o` if
the word is a root. The depth is the number of arcs between the word and its root. Aligned words are
counted; columns are gold, rows the system, as in the memoir (Section 3.3.2.3).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, get_args

from sejongud.evaluation.confusion import Item, tabulate
from sejongud.evaluation.dep_trees import ROOT
from sejongud.evaluation.ud_words import pair_ud_words
from sejongud.formats.conllu.rows import FORM
from sejongud.layers.matching import STRICT, align_sentences
from sejongud.layers.trees import depths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.evaluation.confusion import Confusion
    from sejongud.evaluation.dep_trees import Trees
    from sejongud.evaluation.side import Side
    from sejongud.layers.matching import Likeness

ConfusionKind = Literal["direction", "depth", "upos", "xpos", "deprel"]

CONFUSIONS: tuple[ConfusionKind, ...] = get_args(ConfusionKind)

_LEFT, _RIGHT, _TO_ROOT = "l", "r", "o"
_NO_DEPTH = "-"


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
