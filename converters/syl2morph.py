"""Entities over the characters of a text to labels of its morphemes (memoir, 3.2.2.1).

    프 B-LC  랑 I-LC  스 I-LC  의 O     →   프랑스/NNP  B-LC     의/JKG  O

What is marked by the character leaves particles out already, so that no part of speech is excluded.
But an entity may end where the analyser sees no border. There the text is cut: the entity stands as
an eojeol of its own, is analysed, and what was one eojeol is put together again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.labels import OUTSIDE, Entity, going_on
from sejongud.layers.places import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.model import Eojeol, Labels, Span

__all__ = ["Eojeols", "cut", "labels_of", "without_edge_spaces"]


class Eojeols(NamedTuple):
    """The eojeols of a text."""

    forms: list[str]
    where: list[Span]
    """What part of the text each of them is."""
    pieces: dict[int, tuple[str, ...]]
    """What the borders of entities cut some of them into."""


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


def cut(text: str, entities: Iterable[Entity]) -> Eojeols:
    """The eojeols of a text, cut where an entity begins or ends.

    Args:
        text: eojeols with spaces between, and perhaps at the edges.
        entities: over its characters; they may be nested.

    >>> cut("프랑스의 옷", [Entity("LC", 0, 3)])
    Eojeols(forms=['프랑스의', '옷'], where=[(0, 4), (5, 6)], pieces={0: ('프랑스', '의')})
    """
    forms = [form for form in text.split(" ") if form]
    where = places(text, forms)
    borders = sorted({border for _, begin, end in entities for border in (begin, end)})
    inside: dict[int, list[int]] = {}
    at = 0
    for border in borders:
        while at < len(where) and where[at][1] <= border:
            at += 1
        if at < len(where) and where[at][0] < border:
            inside.setdefault(at, []).append(border)
    pieces = {}
    for at, cuts in inside.items():
        begin, end = where[at]
        pieces[at] = tuple([text[a:b] for a, b in pairwise([begin, *cuts, end])])
    return Eojeols(forms, where, pieces)


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
    begins = [begin for begin, _ in where]
    ends = [end for _, end in where]
    found: dict[int, list[str]] = {}
    inexact = []
    for entity in entities:
        of, begin, end = entity
        label = f"B-{of}" if of else "B"
        begun = False
        exact = True
        for at in range(bisect_right(ends, begin), bisect_left(begins, end)):
            own = spans[at] if spans and at in spans else eojeols[at].spans
            offset = begins[at]
            labels = found.get(at) or [OUTSIDE] * len(eojeols[at].morphemes)
            for number, fits in _covered(own, begin - offset, end - offset):
                exact = exact and fits
                # A morpheme that two entities share is the first one's.
                if begun or labels[number] == OUTSIDE:
                    labels[number] = label
                    if not begun:
                        begun = True
                        label = going_on(label)
            found[at] = labels
        if not (begun and exact):
            inexact.append(entity)
    layer = [found.get(at, ()) for at in range(len(eojeols))]
    return tuple([tuple(own) if any([x != OUTSIDE for x in own]) else () for own in layer]), inexact


def _covered(spans: Sequence[Span], begin: int, end: int) -> list[tuple[int, bool]]:
    """The morphemes of an eojeol that an entity covers, and whether all of each.

    Args:
        spans: what each morpheme covers of the eojeol.
        begin: where the entity begins in it, perhaps before it.
        end: where the entity ends in it, perhaps behind it.
    """
    found: list[tuple[int, bool]] = []
    # What has no surface is inside if something before it and something behind it are.
    waiting: list[tuple[int, bool]] = []
    for number, (first, last) in enumerate(spans):
        if last <= begin or first >= end:
            continue
        if first == last:
            waiting.append((number, True))
            continue
        if found or begin < 0:
            found += waiting
        waiting = []
        found.append((number, begin <= first and last <= end))
    if end > spans[-1][1] and (found or begin < 0):
        found += waiting
    return found
