"""Labels of morphemes to labels of the characters of the text: the inverse of `syl2morph`.

    프랑스/NNP  B-LC     의/JKG  O     →   프 B-LC  랑 I-LC  스 I-LC  의 O

A character takes the label of its first morpheme that is in an entity. A space between two
characters of an entity belongs to the entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.layers.labels import OUTSIDE, continuation, in_bio, split_label, spread
from sejongud.layers.places import places
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Eojeol, Labels, Sentence, Span


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
    for eojeol, (offset, limit), of_eojeol in zip(eojeols, where, labels, strict=True):
        if not of_eojeol:
            before = hidden = OUTSIDE
            continue
        spans = eojeol.spans
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
    return label == continuation[before] and bool(split_label(label)[1])
