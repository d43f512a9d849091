"""Labels of morphemes to labels of their eojeols: the inverse of `eoj2morph` (memoir, 3.2.2.1).

    프랑스/NNP  B-LOC     의/JKG  O     →   프랑스의  B-LOC

An eojeol takes the label of its first morpheme that is in an entity. An entity that begins behind
another in an eojeol is not written (`sejongud.layers.losses`).

A system may return other eojeols than the text has: cut, joined, spelt in another way, or left out.
Its labels then go to the eojeols of the text at the same place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING
from unicodedata import normalize

from sejongud.layers.labels import OUTSIDE, first_label, going_on, in_bio
from sejongud.layers.losses import are_several, labels_of_units
from sejongud.layers.matching import align_words
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.model import Eojeol, Labels, Sentence


_labels: Memo[tuple[str, ...], str] = Memo(first_label, size=20_000)
"""The label of an eojeol, by the labels of its morphemes."""


def eojeol_labels(labels: Labels) -> tuple[str, ...]:
    """Return the labels of the eojeols of a sentence.

    Args:
        labels: a layer of labels of morphemes.

    >>> eojeol_labels((("B-LOC", "O"), (), ("O", "B-PER")))
    ('B-LOC', 'O', 'B-PER')
    """
    if any([are_several[of_eojeol] for of_eojeol in labels if of_eojeol]):
        flat = [label for of_eojeol in labels for label in of_eojeol or (OUTSIDE,)]
        return tuple(labels_of_units(flat, [len(of_eojeol) or 1 for of_eojeol in labels])[0])
    return tuple([_labels[of_eojeol] for of_eojeol in labels])


def labels_in_text(
    forms: Sequence[str], eojeols: Sequence[Eojeol], labels: Labels
) -> tuple[str, ...]:
    """Return the labels of the eojeols of a text, if a sentence has other eojeols.

    Args:
        forms: the eojeols of the text.
        eojeols: those of the sentence.
        labels: a layer of labels of their morphemes.

    >>> from sejongud.model import Eojeol, Morpheme
    >>> whole = Eojeol("김철수", (Morpheme("김철수", "NNP"),))
    >>> labels_in_text(["김", "철수"], [whole], (("B-PER",),))
    ('B-PER', 'I-PER')
    """
    in_text = [OUTSIDE] * len(forms)
    seen = [eojeol.form for eojeol in eojeols]
    for places, numbers, _ in align_words(forms, seen):
        if len(places) == len(numbers) == 1:
            in_text[places.start] = _labels[labels[numbers.start]]
            continue
        of_text = [forms[i] for i in places]
        ends = list(accumulate(map(len, of_text)))
        for label, begin, end in _placed("".join(of_text), eojeols, labels, numbers):
            first = min(bisect_right(ends, begin), len(ends) - 1)
            last = max(bisect_left(ends, end, 0, len(ends) - 1), first)
            for i in range(first, last + 1):
                if in_text[places.start + i] == OUTSIDE:
                    in_text[places.start + i] = label if i == first else going_on(label)
    return tuple(in_text)


def _placed(
    text: str, eojeols: Sequence[Eojeol], labels: Labels, numbers: range
) -> Iterator[tuple[str, int, int]]:
    """Yield the labels of the morphemes of some eojeols with their spans in a text without spaces.

    An eojeol that does not occur in the text is placed after the one before it.
    """
    if not text:
        return
    offset = 0
    for number in numbers:
        eojeol = eojeols[number]
        offset = max(text.find(eojeol.form, offset), offset)
        for label, (begin, end) in zip(labels[number], eojeol.spans, strict=False):
            if label != OUTSIDE:
                yield label, offset + begin, offset + max(end, begin + 1)
        offset += len(eojeol.form)


def labelled_eojeols(sentence: Sentence) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the eojeols of the text of a sentence, and their labels in each layer."""
    eojeols = sentence.eojeols
    tokens = other_eojeols(sentence)
    layers = [in_bio(eojeols, labels) for labels in sentence.entities]
    if tokens:
        return tokens, [labels_in_text(tokens, eojeols, labels) for labels in layers]
    return tuple([eojeol.form for eojeol in eojeols]), [eojeol_labels(labels) for labels in layers]


def other_eojeols(sentence: Sentence) -> tuple[str, ...]:
    """Return the eojeols of the text of a sentence, () if the sentence has the same ones."""
    if not sentence.text_orig:
        return ()
    eojeols = tuple(sentence.text_orig.split())
    forms = tuple([eojeol.form for eojeol in sentence.eojeols])
    composed = tuple([normalize("NFC", form) for form in eojeols])
    return () if forms in (eojeols, composed) else eojeols
