"""The layers of a sentence as a view shows them.

These are its levels, entities, frames, constituents and the treebank's own words.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.recut import recuts
from sejongud.formats.conllu.frames import target_units
from sejongud.formats.words import word_views
from sejongud.layers.labels import find_entities, flat_labels
from sejongud.layers.trees import nulls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sejongud.formats.words import WordView
    from sejongud.model import Constituent, Eojeol, FrameInstance, Sentence, Token
    from sejongud.rules import Rules

Levels = tuple[tuple["Token", ...], ...]
"""The tokens of an eojeol at each of the five levels."""

_NOTHING = "_"
_USUAL = (5, 2, 4, 3, 1)
"""The levels in the order in which the words of treebanks are usually cut."""


def by_eojeol(cut: Iterable[Sequence[tuple[Token, ...]]]) -> list[Levels]:
    """Return the levels of each eojeol, for the eojeols of each level."""
    return list(zip(*cut, strict=True))


def read_levels(
    rules: Rules, upos: str | None, lemmas: str | None
) -> Callable[[Sentence], list[Levels]]:
    """Return the function that cuts the eojeols of a sentence at the five levels.

    Args:
        rules: the tables.
        upos: the UPOS scheme; None for what a treebank says of its words, and else "sejong".
        lemmas: the lemma scheme; None likewise, and else "normalised".

    Raises:
        UsageError: there is no such scheme.
    """
    levels = recuts(rules, upos, lemmas)
    return lambda sentence: by_eojeol([level.tokens(sentence) for level in levels])


class Box(NamedTuple):
    """A part of a frame: its target, or a frame element."""

    name: str
    """The name of the frame or of the frame element."""
    unit: str
    """The lexical unit of a target, "" for a frame element."""
    begin: int
    """The first morpheme, from 0 in the sentence."""
    end: int
    row: int
    """0, or 1 for a frame element that shares morphemes with the target."""


def frame_boxes(sentence: Sentence) -> list[list[Box]]:
    """Return the boxes of each instance of a frame, over the morphemes of a sentence.

    Eojeols beside one another that have one lexical unit and one frame are one box.
    """
    return [_boxes(sentence.eojeols, instance) for instance in sentence.frames]


def _boxes(eojeols: Sequence[Eojeol], instance: FrameInstance) -> list[Box]:
    owners = target_units(eojeols, instance)
    boxes = []
    place = 0
    for owner, run in groupby(owners):
        end = place + len(list(run))
        if owner is not None:
            unit, frame = owner
            boxes.append(Box(frame, unit, place, end, 0))
        place = end
    for entity in find_entities(flat_labels(eojeols, instance.labels)):
        shares = any(owners[entity.begin : entity.end])
        boxes.append(Box(entity.type, "", entity.begin, entity.end, int(shares)))
    return sorted(boxes, key=lambda box: (box.row, box.begin))


def tree_nodes(layer: Sequence[Constituent]) -> list[Constituent]:
    """Return the constituents that have words; null elements stand in the label around them.

    Args:
        layer: the constituents of a sentence.

    >>> from sejongud.model import Constituent
    >>> rows = [("S", 0, 4, 0), ("NP", 0, 0, 1), ("*pro*", 0, 0, 2), ("VP", 0, 4, 1)]
    >>> [one.label for one in tree_nodes([Constituent(*row) for row in rows])]
    ['S (NP *pro*)', 'VP']
    """
    is_null = nulls(layer)
    nodes: list[Constituent] = []
    labels: list[list[str]] = []
    around: list[int] = []
    """The numbers of the constituents in `nodes` that are open."""
    index = 0
    while index < len(layer):
        node = layer[index]
        while around and nodes[around[-1]].depth >= node.depth:
            around.pop()
        end = index + 1
        if node.start < node.end:
            around.append(len(nodes))
            nodes.append(node)
            labels.append([node.label])
        else:
            while end < len(layer) and layer[end].depth > node.depth:
                end += 1
            if around:
                labels[around[-1]].append(_empty_text(layer[index:end], is_null[index:end]))
        index = end
    return [node._replace(label="".join(parts)) for node, parts in zip(nodes, labels, strict=True)]


def _empty_text(layer: Sequence[Constituent], is_null: Sequence[bool]) -> str:
    """Return the brackets of a constituent without words, with a blank before it."""
    parts = []
    around: list[int] = []
    for node, null in zip(layer, is_null, strict=True):
        while around and around[-1] >= node.depth:
            around.pop()
            parts.append(")")
        parts.append(f" {node.label}" if null else f" ({node.label}")
        if not null:
            around.append(node.depth)
    return "".join([*parts, ")" * len(around)])


def tree_words(
    sentence: Sentence, levels: Sequence[Levels], likely: int = 5
) -> tuple[list[WordView], int]:
    """Return the treebank's own words, and the level at which they are cut, 0 if there is none.

    Their forms are those of the level, or of their morphemes if there is no level.

    Args:
        sentence: a sentence with words of its own.
        levels: the levels of each eojeol.
        likely: the level to try first.
    """
    words = list(word_views(sentence))
    sizes = [_sizes(eojeol.tokens) for eojeol in sentence.eojeols]
    # The words of many sentences are equal at several levels.
    for level in (likely or _USUAL[0], *_USUAL):
        if sizes == [_sizes(cut[level - 1]) for cut in levels]:
            of_level = [word for cut in levels for token in cut[level - 1] for word in token.words]
            pairs = zip(words, of_level, strict=True)
            return [word._replace(form=with_form.form) for word, with_form in pairs], level
    forms = [_form(sentence.eojeols[word.eojeol], word) for word in words]
    return [word._replace(form=form) for word, form in zip(words, forms, strict=True)], 0


def _sizes(tokens: tuple[Token, ...]) -> list[int]:
    """Return the number of morphemes of each word of an eojeol."""
    return [len(word.morphemes) for token in tokens for word in token.words]


def _form(eojeol: Eojeol, c: WordView) -> str:
    """Return the form of a word of no level: its part of the surface, or its joined morphemes."""
    spans, first, last = eojeol.spans, c.first, c.last
    if first == last:
        return _NOTHING
    begin, end = spans[first][0], spans[last - 1][1]
    left = first == 0 or spans[first - 1][1] <= begin
    right = last == len(spans) or spans[last][0] >= end
    joined = "".join([m.form for m in eojeol.morphemes[first:last]])
    return (eojeol.form[begin:end] if left and right else joined) or _NOTHING
