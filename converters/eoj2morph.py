"""Labels of eojeols to labels of their morphemes, and back (memoir, 3.2.2.1).

    프랑스의  B-LOC     →   프랑스/NNP  B-LOC     의/JKG  O

The label goes to the morphemes that may carry it. By the letter of the paper, particles, endings,
symbols, determiners and verbs carry it only if the eojeol has no other morphemes
(rules/ne-exclusion.tsv). By default determiners and prefixes carry it as well, and the class of
the entity tells where it begins and ends (`converters.borders`): 한/MM 명/NNB, but 김/NNP without
씨/NNB.
All morphemes between the first and the last one of an entity belong to it: 의 in 프로페셔널의 원칙.

The inverse gives labels of morphemes to their eojeols:

    프랑스/NNP  B-LOC     의/JKG  O     →   프랑스의  B-LOC

An eojeol takes the label of its first morpheme that is in an entity. An entity that begins behind
another in an eojeol is not written (`sejongud.layers.losses`).

A system may return other eojeols than the text has: cut, joined, spelt in another way, or left out.
Its labels then go to the eojeols of the text at the same place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args
from unicodedata import normalize

from sejongud.converters.borders import Borders
from sejongud.layers.labels import (
    OUTSIDE,
    find_entities,
    first_label,
    going_on,
    in_bio,
    split_label,
    spread,
)
from sejongud.layers.losses import are_several, labels_of_units
from sejongud.layers.matching import align_words
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.layers.labels import Entity
    from sejongud.model import Eojeol, Labels, Sentence
    from sejongud.rules import Rules


Exclusion = Literal["borders", "paper"]
"""borders: the morphemes of an eojeol that the class of an entity tells. paper: all from the first
to the last that no part of speech excludes."""

EXCLUSIONS: tuple[Exclusion, ...] = get_args(Exclusion)


class Carriers(NamedTuple):
    """The morphemes of an eojeol that carry its label."""

    first: int
    """The position of the first of them."""
    last: int
    """The position after the last of them."""
    step: int
    """The number of times that the set of excluded tags shrank until a morpheme was left."""


def _step(
    by_tag: Mapping[str, int], by_kind: Mapping[str, int], kind: Callable[[str], str], tag: str
) -> int:
    step = by_tag.get(tag)
    return by_kind.get(kind(tag), 0) if step is None else step


class Eoj2Morph:
    """Converts labels of eojeols to labels of morphemes.

    Args:
        rules: the tables.
        inherit: whether every morpheme of an eojeol takes its label, particles included, as in the
            NAVER corpus of morphemes that ntagger uses.
        exclusion: the rule that excludes morphemes from the label.

    >>> from sejongud.morphology.eojeol import Assembler
    >>> from sejongud.rules import load
    >>> rules = load()
    >>> eojeol = Assembler(rules)["프랑스의\\t프랑스/NNP+의/JKG"]
    >>> Eoj2Morph(rules).labels([eojeol], ["B-LOC"])
    (('B-LOC', 'O'),)
    """

    def __init__(
        self, rules: Rules, *, inherit: bool = False, exclusion: Exclusion = "borders"
    ) -> None:
        self._inherit = inherit
        rows = [row for row in rules.table("ne-exclusion") if row["exclusion"] == exclusion]
        by_kind = {row["of"]: int(row["step"]) for row in rows if row["by"] == "kind"}
        by_tag = {row["of"]: int(row["step"]) for row in rows if row["by"] == "tag"}
        step = partial(_step, by_tag, by_kind, rules.kind)
        self._step = step
        self._sejong_tag = rules.sejong_tag
        self._sejong_tags = rules.sejong_tags
        # Nothing in here may refer to this object: a cycle would stay until a collector runs.
        borders = Borders(rules, lambda tag: step(tag) > 0)
        self._borders = None if inherit or exclusion == "paper" else borders
        # Eojeols share their tags far more often than their forms.
        self._carriers: Memo[tuple[str, ...], Carriers] = Memo.of(
            self, Eoj2Morph._of_tags, size=20_000
        )
        self._projected: Memo[tuple[Eojeol, str, bool, bool], tuple[int, tuple[str, ...]]] = (
            Memo.of(self, lambda projection, key: projection._labels(*key), size=48_000)
        )
        self.steps: Counter[int] = Counter()
        """The number of labelled eojeols for each number of steps."""

    def step(self, tag: str) -> int:
        """Return the step from which a morpheme with this tag may carry a label; 0 for always."""
        return self._step(self._sejong_tag("", tag))

    def carriers(self, eojeol: Eojeol) -> Carriers:
        """Return the morphemes of an eojeol that may carry its label."""
        return self._carriers[self._sejong_tags(eojeol.morphemes)]

    def _of_tags(self, tags: tuple[str, ...]) -> Carriers:
        """Return the morphemes of an eojeol with these tags that may carry its label."""
        steps = list(map(self._step, tags))
        if self._inherit:
            return Carriers(0, len(steps), 0)
        least = min(steps)
        carriers = [i for i, step in enumerate(steps) if step == least]
        return Carriers(carriers[0], carriers[-1] + 1, least)

    def labels(
        self,
        eojeols: Sequence[Eojeol],
        labels: Sequence[str],
        entities: Iterable[Entity] | None = None,
    ) -> Labels:
        """Return the labels of the morphemes of a sentence.

        Args:
            eojeols: with their morphemes.
            labels: of the eojeols, in BIO; ill-formed labels stay as they are.
            entities: the result of `find_entities` for these labels, if it is known.

        Returns:
            The labels of the morphemes of each eojeol, () if it is outside all entities.
        """
        result: list[tuple[str, ...]] = [()] * len(labels)
        steps, projected = self.steps, self._projected
        for _, begin, end in find_entities(labels) if entities is None else entities:
            for i in range(begin, end):
                step, result[i] = projected[eojeols[i], labels[i], i == begin, i == end - 1]
                steps[step] += 1
        return tuple(result)

    def _labels(
        self, eojeol: Eojeol, label: str, begins: bool, ends: bool
    ) -> tuple[int, tuple[str, ...]]:
        """Return the step of one eojeol, and the labels of its morphemes.

        Args:
            eojeol: with its morphemes.
            label: its own label.
            begins: whether the entity begins in it.
            ends: whether the entity ends in it.
        """
        count = len(eojeol.morphemes)
        span = None
        if self._borders is not None:
            name = split_label(label)[1]
            span = self._borders.find(eojeol.morphemes, name, begins=begins, ends=ends)
        carriers = self.carriers(eojeol)
        first, last = span or carriers[:2]
        first, last = first if begins else 0, last if ends else count
        outside = (OUTSIDE,)
        labels = outside * first + spread(label, last - first) + outside * (count - last)
        return carriers.step, labels


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
