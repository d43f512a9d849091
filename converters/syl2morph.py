"""Entities over the characters of a text to labels of its morphemes, and back (memoir, 3.2.2.1).

    프 B-LC  랑 I-LC  스 I-LC  의 O     →   프랑스/NNP  B-LC     의/JKG  O

Entities that are marked on characters exclude particles already, so that no part of speech needs
to be excluded. But an entity may end inside a morpheme of the analysis. Then the eojeol is cut
there, its pieces are analysed as eojeols, and the morphemes are put together again. A name of a
person in Hangul is one proper noun in each of its eojeols (rules/ne-types.tsv), and the analyser is
told so: it takes unknown names for verbs and endings.

The inverse gives labels of morphemes to the characters of the text:

    프랑스/NNP  B-LC     의/JKG  O     →   프 B-LC  랑 I-LC  스 I-LC  의 O

A character takes the label of its first morpheme that is in an entity. A space between two
characters of an entity belongs to the entity.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.formats.labelled import EOJEOL
from sejongud.layers.labels import (
    OUTSIDE,
    Entity,
    continuation,
    in_bio,
    inside,
    parts,
    spread,
)
from sejongud.layers.places import places
from sejongud.memo import Memo
from sejongud.morphology.hangul import is_syllable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.model import Eojeol, Labels, Sentence, Span
    from sejongud.morphology.kiwi import Name
    from sejongud.rules import Row


class Eojeols(NamedTuple):
    """The eojeols of a text, and their places."""

    forms: list[str]
    where: list[Span]
    """The span of each of them in the text."""
    pieces: dict[int, tuple[str, ...]]
    """The number of an eojeol, from 0 → the pieces into which the borders of entities cut it."""


class Projected(NamedTuple):
    """Entities over characters, as labels of morphemes."""

    labels: Labels
    inexact: list[Entity]
    """Those that begin or end inside a morpheme, which they cover whole."""
    lost: list[Entity]
    """Those of `inexact` without a label: other entities have all their morphemes."""


def without_edge_spaces(text: str, entities: Iterable[Entity]) -> list[Entity]:
    """Return entities without the spaces at their edges; an entity of spaces is left out.

    >>> without_edge_spaces("나는 간다", [Entity("PS", 0, 3)])
    [Entity(type='PS', begin=0, end=2)]
    """
    trimmed = []
    for entity in entities:
        name, begin, end = entity
        if begin < end and text[begin] != " " != text[end - 1]:
            trimmed.append(entity)
            continue
        while begin < end and text[begin] == " ":
            begin += 1
        while begin < end and text[end - 1] == " ":
            end -= 1
        if begin < end:
            trimmed.append(Entity(name, begin, end))
    return trimmed


def cut(text: str, entities: Iterable[Entity]) -> Eojeols:
    """Return the eojeols of a text, cut where an entity begins or ends.

    Args:
        text: eojeols with spaces between them, and perhaps at the edges.
        entities: over its characters; they may be nested.

    >>> cut("프랑스의 옷", [Entity("LC", 0, 3)])
    Eojeols(forms=['프랑스의', '옷'], where=[(0, 4), (5, 6)], pieces={0: ('프랑스', '의')})
    """
    found = list(EOJEOL.finditer(text))
    forms = [match[0] for match in found]
    where = [match.span() for match in found]
    borders = sorted({border for _, begin, end in entities for border in (begin, end)})
    ends = [end for _, end in where]
    inside: dict[int, list[int]] = {}
    for border in borders:
        index = bisect_right(ends, border)
        if index < len(where) and where[index][0] < border:
            inside.setdefault(index, []).append(border)
    pieces = {}
    for index, cuts in inside.items():
        begin, end = where[index]
        pieces[index] = tuple([text[a:b] for a, b in pairwise([begin, *cuts, end])])
    return Eojeols(forms, where, pieces)


def names_in(
    eojeols: Eojeols, entities: Iterable[Entity], types: Mapping[str, Row]
) -> dict[int, tuple[Name, ...]]:
    """Return the names in eojeols that are one morpheme each.

    Such a name is in Hangul, and no other entity begins or ends inside it.

    Args:
        eojeols: of a text, cut at the borders of the entities.
        entities: over its characters; they may be nested.
        types: the rows of the types; `name` is the tag of an entity if it is such a name.

    Returns:
        The number of an eojeol, from 0 → the spans of the names in it, with their tags.

    >>> text, entities = "김하늘은 갔다", [Entity("PS", 0, 3)]
    >>> names_in(cut(text, entities), entities, {"PS": {"name": "NNP"}})
    {0: ((0, 3, 'NNP'),)}
    """
    forms, where, pieces = eojeols
    names: dict[int, set[Name]] = {}
    ends = [end for _, end in where]
    for name, begin, end in entities:
        if not (tag := types[name].get("name")):
            continue
        for index in range(bisect_right(ends, begin), len(where)):
            offset = where[index][0]
            if offset >= end:
                break
            first, last = max(begin - offset, 0), min(end, where[index][1]) - offset
            spans = pairwise(accumulate(map(len, pieces.get(index, (forms[index],))), initial=0))
            if (first, last) in spans and all(map(is_syllable, forms[index][first:last])):
                names.setdefault(index, set()).add((first, last, tag))
    return {index: tuple(sorted(names_inside)) for index, names_inside in names.items()}


def labels_of(
    eojeols: Sequence[Eojeol],
    where: Sequence[Span],
    entities: Sequence[Entity],
    spans: Mapping[int, Sequence[Span]] | None = None,
) -> Projected:
    """Return the labels of the morphemes that entities cover.

    Args:
        eojeols: of the text.
        where: the span of each eojeol in the text.
        entities: over characters, in order, without overlaps and without spaces at their edges.
        spans: of the morphemes of some eojeols, by the number of the eojeol from 0, if they are
            known better than from the eojeol itself.
    """
    begins = [begin for begin, _ in where]
    ends = [end for _, end in where]
    spans = {**dict(enumerate([eojeol.spans for eojeol in eojeols])), **(spans or {})}
    labels_at: dict[int, list[str]] = {}
    inexact = []
    lost = []
    for entity in entities:
        name, begin, end = entity
        label = f"B-{name}" if name else "B"
        begun = False
        exact = True
        for index in range(bisect_right(ends, begin), bisect_left(begins, end)):
            offset = begins[index]
            labels = labels_at.get(index) or [OUTSIDE] * len(spans[index])
            for number, fits in _covered(spans[index], begin - offset, end - offset):
                exact = exact and fits
                # A morpheme that two entities share belongs to the first.
                if begun or labels[number] == OUTSIDE:
                    labels[number] = label
                    if not begun:
                        begun = True
                        label = continuation[label]
            labels_at[index] = labels
        if not (begun and exact):
            inexact.append(entity)
            if not begun:
                lost.append(entity)
    labels_by_eojeol: list[tuple[str, ...]] = [()] * len(eojeols)
    for index, labels in labels_at.items():
        labels_by_eojeol[index] = inside(labels)
    return Projected(tuple(labels_by_eojeol), inexact, lost)


def _covered(spans: Sequence[Span], begin: int, end: int) -> list[tuple[int, bool]]:
    """Return the morphemes of an eojeol that an entity covers, and whether it covers them whole.

    Args:
        spans: of the morphemes in the eojeol.
        begin: of the entity, counted from the eojeol; negative if it begins before it.
        end: of the entity, perhaps after the eojeol.
    """
    covered: list[tuple[int, bool]] = []
    # A morpheme without a surface is inside if morphemes before and after it are.
    waiting: list[tuple[int, bool]] = []
    for number, (first, last) in enumerate(spans):
        if last <= begin or first >= end:
            continue
        if first == last:
            waiting.append((number, True))
            continue
        if covered or begin < 0:
            covered += waiting
        waiting = []
        covered.append((number, begin <= first and last <= end))
    if end > spans[-1][1] and (covered or begin < 0):
        covered += waiting
    return covered


def labelled_syllables(sentence: Sentence) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the characters of the text of a sentence, and their labels in each layer."""
    eojeols = sentence.eojeols
    forms = [eojeol.form for eojeol in eojeols]
    text = sentence.text_orig or " ".join(forms)
    where = places(text, forms)
    layers = [in_bio(eojeols, labels) for labels in sentence.entities]
    return tuple(text), [tuple(syllable_labels(text, eojeols, where, labels)) for labels in layers]


def syllable_labels(
    text: str, eojeols: Sequence[Eojeol], where: Sequence[Span], labels: Labels
) -> list[str]:
    """Return the labels of the characters of a text.

    Args:
        text: the text.
        eojeols: of the text.
        where: the span of each eojeol in the text.
        labels: a layer of labels of their morphemes, well-formed or not.

    >>> from sejongud.model import Eojeol, Morpheme
    >>> eojeol = Eojeol("프랑스의", (Morpheme("프랑스", "NNP"), Morpheme("의", "JKG")))
    >>> syllable_labels("프랑스의", [eojeol], [(0, 4)], (("B-LC", "O"),))
    ['B-LC', 'I-LC', 'I-LC', 'O']
    """
    of_characters = [OUTSIDE] * len(text)
    taken = 0
    before = hidden = OUTSIDE
    all_spans = [e.spans if own else () for e, own in zip(eojeols, labels, strict=True)]
    for eojeol, spans, (offset, limit), of_eojeol in zip(
        eojeols, all_spans, where, labels, strict=True
    ):
        if not of_eojeol:
            before = hidden = OUTSIDE
            continue
        if limit - offset > len(eojeol.form):
            spans = _with_spaces(text[offset:limit], spans)
        for label, (first, last) in zip(of_eojeol, spans, strict=True):
            if label == OUTSIDE:
                hidden = OUTSIDE
            else:
                begin, end = max(offset + first, taken), min(offset + last, limit)
                if begin < end:
                    if hidden != OUTSIDE and label == continuation[hidden]:
                        # The morphemes before it share their characters with another entity.
                        label = hidden
                    elif (
                        taken < begin
                        and not text[taken:begin].strip(" ")
                        and _joined(before, label)
                    ):
                        of_characters[taken:begin] = [label] * (begin - taken)
                    of_characters[begin:end] = _spread[label, end - begin]
                    taken = end
                    hidden = OUTSIDE
                elif label != continuation[label]:
                    hidden = label
            before = label
    return of_characters


_spread: Memo[tuple[str, int], tuple[str, ...]] = Memo(lambda key: spread(*key), size=10_000)


def _with_spaces(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans of the morphemes of an eojeol that has spaces in the text.

    >>> _with_spaces("김 철수", [(0, 1), (0, 3)])
    ((0, 1), (0, 4))
    """
    ends = [i for i, char in enumerate(text, 1) if not char.isspace()]
    starts = [*[end - 1 for end in ends], len(text)]
    return tuple(
        [
            (starts[first], ends[last - 1] if last > first else starts[first])
            for first, last in spans
        ]
    )


def _joined(before: str, label: str) -> bool:
    """Test whether a label continues the entity of the label before it, which has a type."""
    return label == continuation[before] and bool(parts[label][1])
