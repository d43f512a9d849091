"""Entities over the characters of a text to labels of its morphemes (memoir, 3.2.2.1).

    프 B-LC  랑 I-LC  스 I-LC  의 O     →   프랑스/NNP  B-LC     의/JKG  O

What is marked by the character leaves particles out already, so that no part of speech is excluded.
But an entity may end where the analyser sees no border. There the text is cut: the entity stands as
an eojeol of its own, is analysed, and what was one eojeol is put together again.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.labels import OUTSIDE, Entity, going_on, to_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.model import Eojeol, Labels, Span

__all__ = ["Pieces", "cut", "labels_of", "without_edge_spaces"]


class Pieces(NamedTuple):
    """An eojeol cut at the borders of entities."""

    place: Span
    """Where it stands in the text."""
    forms: tuple[str, ...]


def without_edge_spaces(text: str, entities: Iterable[Entity]) -> list[Entity]:
    """Entities without the spaces at their edges; one of spaces alone is left out.

    >>> without_edge_spaces("나는 간다", [Entity("PS", 0, 3)])
    [Entity(type='PS', begin=0, end=2)]
    """
    found = []
    for of, begin, end in entities:
        while begin < end and text[begin] == " ":
            begin += 1
        while begin < end and text[end - 1] == " ":
            end -= 1
        if begin < end:
            found.append(Entity(of, begin, end))
    return found


def cut(text: str, entities: Iterable[Entity]) -> list[Pieces]:
    """The eojeols of a text, cut where an entity begins or ends.

    Args:
        text: eojeols with spaces between, and perhaps at the edges.
        entities: over its characters; they may be nested.

    >>> [eojeol.forms for eojeol in cut("프랑스의 옷", [Entity("LC", 0, 3)])]
    [('프랑스', '의'), ('옷',)]
    """
    borders = sorted({border for _, begin, end in entities for border in (begin, end)})
    found = []
    start = at = 0
    for form in text.split(" "):
        end = start + len(form)
        if form:
            cuts = [start]
            while at < len(borders) and borders[at] < end:
                if borders[at] > start:
                    cuts.append(borders[at])
                at += 1
            cuts.append(end)
            forms = tuple([text[a:b] for a, b in pairwise(cuts)])
            found.append(Pieces((start, end), forms))
        start = end + 1
    return found


def labels_of(
    eojeols: Sequence[Eojeol],
    where: Sequence[Span],
    entities: Sequence[Entity],
    spans: Mapping[int, Sequence[Span]] | None = None,
) -> tuple[Labels, list[Entity]]:
    """The labels of the morphemes that entities cover.

    Args:
        eojeols: of the text.
        where: what part of the text each eojeol is.
        entities: over characters, in order, none overlapping another, no spaces at their edges.
        spans: what the morphemes of an eojeol, by its number from 0, cover of it, where that is
            known better than from the eojeol itself.

    Returns:
        The labels, and the entities that begin or end inside a morpheme: they have all of it.
    """
    if not entities:
        return ((),) * len(eojeols), []
    tokens: list[Span] = []
    for at, (eojeol, (offset, _)) in enumerate(zip(eojeols, where, strict=True)):
        own = spans[at] if spans and at in spans else eojeol.spans
        tokens += [(offset + begin, offset + end) for begin, end in own]
    labels = [OUTSIDE] * len(tokens)
    inexact = []
    for entity, (covered, exact) in zip(entities, to_tokens(entities, tokens), strict=True):
        of, begin, end = covered
        # A morpheme that two entities share is the first one's.
        while begin < end and labels[begin] != OUTSIDE:
            begin += 1
        if begin < end:
            label = f"B-{of}" if of else "B"
            labels[begin] = label
            labels[begin + 1 : end] = [going_on(label)] * (end - begin - 1)
        if not exact or begin == end:
            inexact.append(entity)
    found = []
    start = 0
    for eojeol in eojeols:
        own_labels = tuple(labels[start : start + len(eojeol.morphemes)])
        found.append(own_labels if any([one != OUTSIDE for one in own_labels]) else ())
        start += len(own_labels)
    return tuple(found), inexact
