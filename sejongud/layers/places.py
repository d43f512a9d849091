"""Places in a text: of eojeols and morphemes, and of entities inside each other.

Morphemes are given to eojeols of another cut, and entities that lie inside each other, cross each
other or have the same span are counted.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal

from sejongud.errors import FormatError
from sejongud.layers.labels import Entity, find_entities
from sejongud.layers.subsequence import composed
from sejongud.morphology.hangul import to_compatibility

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.model import Eojeol, Morpheme, Sentence, Span
    from sejongud.morphology.eojeol import Assembler


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


def places(text: str, forms: Sequence[str]) -> list[Span]:
    """Return the span of each eojeol in a text; an empty span if it does not occur.

    Args:
        text: may have several spaces between eojeols, and eojeols that are not in `forms`.
        forms: the surfaces, in order.

    Returns:
        Begin and end of each; the span includes spaces that cut the eojeol in the text.

    >>> places(" 나는  간다", ["나는", "간다"]), places("나는 간다", ["나는간다"])
    ([(1, 3), (5, 7)], [(0, 5)])
    """
    if text == " ".join(forms):
        ends = list(accumulate([len(form) + 1 for form in forms], initial=0))
        return [(begin, end - 1) for begin, end in pairwise(ends)]
    spans = []
    position = 0
    for form in forms:
        begin = text.find(form, position)
        end = begin + len(form)
        if begin < 0:
            begin, end = _cut_by_spaces(text, form, position)
        spans.append((begin, end))
        position = end
    return spans


def morpheme_spans(sentence: Sentence) -> list[Span]:
    """Return the span of each morpheme in the text of the sentence."""
    starts = accumulate([len(eojeol.form) + 1 for eojeol in sentence.eojeols], initial=0)
    return [
        (start + begin, start + end)
        for start, eojeol in zip(starts, sentence.eojeols, strict=False)
        for begin, end in eojeol.spans
    ]


def _cut_by_spaces(text: str, form: str, position: int) -> Span:
    """Return the span of a form that comes next in a text, with spaces in it."""
    begin = position
    while text[begin : begin + 1].isspace():
        begin += 1
    end = begin
    for char in form:
        while text[end : end + 1].isspace():
            end += 1
        if text[end : end + 1] != char:
            return position, position
        end += 1
    return begin, end


class Recutter:
    """Gives the morphemes of a sentence to the eojeols of another source of the same text.

    Characters are paired one by one; case, width and the pairs of rules/equivalents.tsv make no
    difference. So a full stop may be an eojeol in one source and part of one in the other.

    Args:
        assembler: builds the eojeols.
    """

    def __init__(self, assembler: Assembler) -> None:
        self._assembler = assembler
        self._same = {ord(char): same for char, same in assembler.rules.equivalents.items()}

    def recut(self, eojeols: tuple[Eojeol, ...], forms: Sequence[str]) -> tuple[Eojeol, ...]:
        """Return eojeols of other forms with the morphemes of the given ones.

        Args:
            eojeols: of a sentence, with morphemes.
            forms: the wanted surfaces; apart from spaces they are the same text.

        Raises:
            FormatError: the text differs, or a form ends inside a morpheme.
        """
        own = [eojeol.form for eojeol in eojeols]
        if own == list(forms):
            return eojeols
        if list(map(composed, own)) == list(map(composed, forms)):
            pairs = zip(forms, eojeols, strict=True)
            return tuple([self._eojeol(form, eojeol.morphemes) for form, eojeol in pairs])
        text = self._fold("".join([eojeol.form for eojeol in eojeols]))
        wanted = self._fold("".join(forms))
        if text != wanted:
            raise FormatError(_difference(text, wanted), code="E412")
        ends = list(accumulate([len(form) for form in forms]))
        taken: list[list[Morpheme]] = [[] for _ in forms]
        index = offset = 0
        for eojeol in eojeols:
            for morpheme, (begin, end) in zip(eojeol.morphemes, eojeol.spans, strict=True):
                # A morpheme without a surface stays with the one before it.
                while offset + begin >= ends[index] and end > begin:
                    index += 1
                if offset + end > ends[index]:
                    raise FormatError(
                        f"{forms[index]} ends inside the morpheme {morpheme.form}/{morpheme.tag} of"
                        f" {eojeol.form}",
                        code="E413",
                    )
                taken[index].append(morpheme)
            offset += len(eojeol.form)
        return tuple([self._eojeol(f, tuple(m)) for f, m in zip(forms, taken, strict=True)])

    def _eojeol(self, form: str, morphemes: tuple[Morpheme, ...]) -> Eojeol:
        if morphemes:
            return self._assembler.eojeol(form, morphemes)
        return self._assembler.unanalysed(form, "W412", f"{form}: no morpheme is given for it")

    def _fold(self, text: str) -> str:
        """Return the text with one character for all characters that count as equal."""
        folded = to_compatibility(text).translate(self._same)
        return "".join([c if len(low := c.casefold()) != 1 else low for c in folded])


def _difference(text: str, wanted: str) -> str:
    """Return a message with the first difference of two texts."""
    place = first_difference(text, wanted)
    start = max(place - 10, 0)
    return (
        f"the morphemes are of another text: {text[start : place + 10]!r} where the corpus has"
        f" {wanted[start : place + 10]!r}; have both files the same sentences, in one order?"
    )


def first_difference(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the first place at which two sequences differ; the length of equal ones.

    >>> first_difference("꽃이", "꽃은"), first_difference("꽃", "꽃이")
    (1, 1)
    """
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))
