"""Entities over one text that lie inside each other, cross each other, or have the same span."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Literal

from sejongud.layers.labels import find_entities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.layers.labels import Entity

Overlap = Literal["inside", "same", "crossing"]
"""The relation of an entity to another: inside it, over the same span, or crossing it."""


def overlap(entity: Entity, outer: Entity) -> Overlap:
    """Return how an entity stands to another that it overlaps.

    Args:
        entity: the one in question.
        outer: begins before it, or at the same place and ends behind it or at the same place.

    >>> from sejongud.layers.labels import Entity
    >>> overlap(Entity("LC", 0, 2), Entity("OG", 0, 5))
    'inside'
    >>> overlap(Entity("PS", 3, 6), Entity("OG", 0, 5))
    'crossing'
    """
    if (entity.begin, entity.end) == (outer.begin, outer.end):
        return "same"
    return "inside" if outer.begin <= entity.begin and entity.end <= outer.end else "crossing"


def overlaps(entities: Iterable[Entity]) -> list[tuple[Entity, Entity, Overlap]]:
    """Return the entities that overlap one before them, each with that one and how they stand.

    Of several the last one that has not ended counts.

    Args:
        entities: in any order.

    >>> from sejongud.layers.labels import Entity
    >>> entities = [Entity("LC", 0, 3), Entity("PS", 2, 6), Entity("OG", 0, 3)]
    >>> [how for _, _, how in overlaps(entities)]
    ['same', 'crossing']
    """
    pairs = []
    around: list[Entity] = []
    for entity in sorted(entities, key=lambda e: (e.begin, -e.end)):
        while around and around[-1].end <= entity.begin:
            around.pop()
        if around:
            pairs.append((entity, around[-1], overlap(entity, around[-1])))
        if not around or entity.end <= around[-1].end:
            around.append(entity)
    return pairs


def left_out(layers: Sequence[Sequence[str]]) -> list[tuple[Entity, Overlap]]:
    """Return the entities of the layers behind the first, and how they stand to those of the first.

    Args:
        layers: of labels, each as long as the text; the outermost entities first.

    >>> found = left_out([["B-OG", "I-OG", "O"], ["B-LC", "O", "O"], ["O", "B-PS", "I-PS"]])
    >>> [(entity.type, how) for entity, how in found]
    [('LC', 'inside'), ('PS', 'crossing')]
    """
    outermost = find_entities(layers[0]) if layers else []
    ends = [entity.end for entity in outermost]
    losses: list[tuple[Entity, Overlap]] = []
    for layer in layers[1:]:
        for entity in find_entities(layer):
            index = bisect_right(ends, entity.begin)
            around = outermost[index] if index < len(outermost) else entity
            losses.append((entity, overlap(entity, around)))
    return losses
