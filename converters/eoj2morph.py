"""Labels of eojeols to labels of their morphemes, and back (memoir, 3.2.2.1).

    프랑스의  B-LOC     →   프랑스/NNP  B-LOC     의/JKG  O

The label goes to the morphemes that may carry it. By the letter of the paper, particles, endings,
symbols, determiners and verbs carry it only if the eojeol has no other morphemes
(rules/ne-exclusion.tsv). By default determiners and prefixes carry it as well, and the class of
the entity tells where it begins and ends (`rules/ne-borders.tsv`): 한/MM 명/NNB, but 김/NNP without
씨/NNB.
All morphemes between the first and the last one of an entity belong to it: 의 in 프로페셔널의 원칙.

The inverse gives labels of morphemes to their eojeols:

    프랑스/NNP  B-LOC     의/JKG  O     →   프랑스의  B-LOC

An eojeol takes the label of its first morpheme that is in an entity. An entity that begins behind
another in an eojeol is not written (`sejongud.layers.labels`).

A system may return other eojeols than the text has: cut, joined, spelt in another way, or left out.
Its labels then go to the eojeols of the text at the same place.

The borders of an entity inside its first and its last eojeol, by the class of its type.

    김/NNP 씨/NNB 는/JX  PER    →   김
    타율/NNG (/SS 0.262/SN )/SS 의/JKG  NUM   →   0.262

A name has a proper noun as its anchor, an amount a number. The entity is the part between symbols
that has one; what surrounds it, such as titles, is outside (rules/ne-borders.tsv).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args
from unicodedata import normalize

from sejongud.layers.labels import (
    OUTSIDE,
    Entity,
    are_several,
    find_entities,
    first_label,
    going_on,
    in_bio,
    labels_of_units,
    split_label,
    spread,
)
from sejongud.layers.matching import align_words
from sejongud.memo import Memo, remembered, remembered_by
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.model import Eojeol, Labels, Morpheme, Sentence, Span
    from sejongud.rules import Row, Rules

_OTHER = "other"
_TAIL = frozenset(("tail", "held"))
_ROLES = (
    *("break", "joint", "sign", "gloss", "anchor", "before", "outside"),
    *("unit", "behind", "ordinal", "more", "tail", "held", "loose"),
)


_LEFT_OUT = frozenset({"before", "loose"})


def entity_types(rules: Rules) -> Mapping[str, Row]:
    """Return the rows of rules/ne-types.tsv by types of entities; {} for a type without a row.

    >>> from sejongud.rules import load
    >>> types = entity_types(load())
    >>> types["PER"]["class"], types["PS_NAME"]["name"], types["ABC"]
    ('person', 'NNP', {})
    """
    rows = {row["type"]: row for row in rules.table("ne-types")}
    return Memo(lambda name: rows.get(name) or rows.get(name.partition("_")[0], {}), size=10_000)


_Roles = tuple[frozenset[str], bool]
"""The roles of a morpheme for a class of entities, and whether its tag is excluded."""


class Borders:
    """Finds the morphemes of an eojeol that an entity covers.

    Args:
        rules: the tables.
        excluded: whether a morpheme with a tag carries no label if another one does.
    """

    def __init__(self, rules: Rules, excluded: Callable[[str], bool]) -> None:
        self._excluded = excluded
        self._kind = rules.kind
        self._sejong_tags = rules.sejong_tags
        self._types = entity_types(rules)
        self._rows = frozenset(
            (row["class"], row["role"], row["by"], condition, row["form"])
            for row in rules.table("ne-borders")
            for condition in row["of"].split("|")
        )

    def find(
        self, morphemes: Sequence[Morpheme], name: str, *, begins: bool, ends: bool
    ) -> Span | None:
        """Return the first of the morphemes that an entity covers, and the position after the last.

        Args:
            morphemes: of an eojeol.
            name: the type of the entity.
            begins: whether the entity begins in the eojeol.
            ends: whether it ends in it.

        Returns:
            The positions; None if no morpheme is left.

        >>> from sejongud.model import Morpheme
        >>> from sejongud.rules import load
        >>> rules = load()
        >>> borders = Borders(rules, lambda tag: rules.kind(tag) == "particle")
        >>> eojeol = [Morpheme("김", "NNP"), Morpheme("씨", "NNB"), Morpheme("는", "JX")]
        >>> borders.find(eojeol, "PER", begins=True, ends=True)
        (0, 1)
        """
        of_class = self._types[name].get("class", _OTHER)
        roles_of = self._roles
        pairs = zip(morphemes, self._sejong_tags(morphemes), strict=True)
        roles = tuple([roles_of[of_class, morpheme[0], tag] for morpheme, tag in pairs])
        return _covered[roles, begins, ends, of_class != _OTHER]

    @remembered_by(20_000)
    def _roles(self, of_class: str, form: str, tag: str) -> _Roles:
        """Return the roles of a morpheme for a class of entities."""
        names = (("tag", tag), ("kind", self._kind(tag)))
        keys = [(*name, shown) for name in names for shown in (form, ANY)]
        matching = [r for r in _ROLES if any([(of_class, r, *key) in self._rows for key in keys])]
        return frozenset(matching), self._excluded(tag)


class _Cover:
    """The part of an eojeol that an entity covers, by the roles of its morphemes.

    Args:
        pairs: the roles of each morpheme, and whether its tag is excluded.
        named: whether the class of the entity has anchors.
    """

    def __init__(self, pairs: tuple[_Roles, ...], *, named: bool) -> None:
        self._roles, self._excluded = zip(*pairs, strict=True)
        self._named = named
        self._glosses: set[int] = set()
        """The positions of symbols and of what they enclose that belong to a name."""
        self._spans = self._parts()

    def find(self, *, begins: bool, ends: bool) -> Span | None:
        """Return the result of `Borders.find`."""
        if not self._spans:
            return None
        roles, excluded = self._roles, self._excluded
        first, last = self._part(begins=begins, ends=ends)
        anchors = [i for i in range(first, last) if "anchor" in roles[i]]
        while anchors[1:] and "loose" in roles[anchors[0]]:
            del anchors[0]
        anchor = anchors[0] if anchors else None
        if begins:
            first = self._first(first, last, anchor)
        if ends:
            last = self._last(first, last, anchor)
            if anchor is None and any([role & _TAIL for role in roles[first:last]]):
                last = self._before_tail(first, last)
            else:
                while last > first and excluded[last - 1] and last - 1 not in self._glosses:
                    last -= 1
        return (first, last) if first < last else None

    def _parts(self) -> list[Span]:
        """Return the parts of an eojeol between the symbols that cut it, and note the glosses."""
        roles = self._roles
        spans: list[Span] = []
        begin = index = 0
        anchored = False
        while index < len(roles):
            if "break" not in roles[index]:
                anchored = anchored or "anchor" in roles[index]
                index += 1
                continue
            end = self._gloss_end(index)
            joins = "joint" in roles[index] and self._is_anchor(index + 1)
            if end > index and index > begin:
                self._glosses.update(range(index, end))
                index = end
                continue
            if not (joins and anchored):
                if index > begin:
                    spans.append((begin, index))
                begin = index + 1 - ("sign" in roles[index] and self._is_anchor(index + 1))
                anchored = False
            index += 1
        if begin < len(roles):
            spans.append((begin, len(roles)))
        return spans

    def _is_anchor(self, position: int) -> bool:
        return position < len(self._roles) and "anchor" in self._roles[position]

    def _gloss_end(self, position: int) -> int:
        """Return the position after a bracketed gloss that begins here, or the position itself."""
        roles = self._roles
        end = position + 1
        while end < len(roles) and "gloss" in roles[end]:
            end += 1
        closed = end > position + 1 and end < len(roles) and "break" in roles[end]
        return end + 1 if closed else position

    def _part(self, *, begins: bool, ends: bool) -> Span:
        """Return the part of an eojeol in which an entity lies.

        Without an anchor it is the last part for a class that has anchors: 액션..이연걸.
        """
        spans = self._spans
        if not begins:
            return 0, spans[0][1] if ends else len(self._roles)
        if not ends:
            return spans[-1][0], len(self._roles)
        anchored = [span for span in spans if any(map(self._is_anchor, range(*span)))]
        carrying = [span for span in spans if not all(self._excluded[slice(*span)])]
        return anchored[0] if anchored else (carrying or spans)[-1 if self._named else 0]

    def _first(self, first: int, last: int, anchor: int | None) -> int:
        """Return the position at which an entity begins in a part of an eojeol."""
        roles, excluded = self._roles, self._excluded
        if anchor is None:
            while first < last and excluded[first] and not roles[first].intersection(_TAIL):
                first += 1
            return first
        for index in range(first, anchor):
            if "sign" not in roles[index] and (excluded[index] or "outside" in roles[index]):
                first = index + 1
        while first < anchor and roles[first] & _LEFT_OUT:
            first += 1
        return first

    def _last(self, first: int, last: int, anchor: int | None) -> int:
        """Return the position after the end of an entity in a part of an eojeol.

        Behind an anchor the entity ends at the first particle or ending; a name without one may be
        cut into verbs by the analyser, and keeps what is inside.
        """
        roles = self._roles
        end = (first if anchor is None else anchor) + 1
        while end < last and "outside" not in roles[end] and not self._ends_unit(end):
            if anchor is not None and self._excluded[end] and "break" not in roles[end]:
                break
            end += 1
        return min(end, last)

    def _ends_unit(self, position: int) -> bool:
        """Test whether a morpheme stands behind a unit and is no part of it."""
        roles = self._roles
        behind = "behind" in roles[position] and "more" not in roles[position]
        ordinal = "ordinal" in roles[max(position - 2, 0)] and "anchor" in roles[position - 1]
        return behind and (ordinal or "unit" in roles[position - 1])

    def _before_tail(self, first: int, last: int) -> int:
        """Return the position after a name that the analyser does not know.

        Particles of names end it, and verbs with their endings. Other particles, and endings that
        stand behind no verb, are syllables of the name: 배두/NNG 나/JC.
        """
        end = last
        for position in range(last - 1, first, -1):
            if "tail" in self._roles[position]:
                end = position
            elif not (self._excluded[position] and "held" in self._roles[position]):
                break
        return end


# Most morphemes have the same few roles.
_covered: Memo[tuple[tuple[_Roles, ...], bool, bool, bool], Span | None] = Memo(
    lambda key: _Cover(key[0], named=key[3]).find(begins=key[1], ends=key[2]), size=10_000
)


# --- the conversion -------------------------------------------------------------------------------


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
        rows = rules.table("ne-exclusion", exclusion=exclusion)
        by_kind = {row["of"]: int(row["step"]) for row in rows if row["by"] == "kind"}
        by_tag = {row["of"]: int(row["step"]) for row in rows if row["by"] == "tag"}
        kind = rules.kind

        def step(tag: str) -> int:
            return by_tag.get(tag, by_kind.get(kind(tag), 0))

        self._step = step
        self._sejong_tag = rules.sejong_tag
        self._sejong_tags = rules.sejong_tags
        # Nothing in here may refer to this object: a cycle would stay until a collector runs.
        borders = Borders(rules, lambda tag: step(tag) > 0)
        self._borders = None if inherit or exclusion == "paper" else borders
        self.steps: Counter[int] = Counter()
        """The number of labelled eojeols for each number of steps."""

    def step(self, tag: str) -> int:
        """Return the step from which a morpheme with this tag may carry a label; 0 for always."""
        return self._step(self._sejong_tag("", tag))

    def carriers(self, eojeol: Eojeol) -> Carriers:
        """Return the morphemes of an eojeol that may carry its label."""
        return self._carriers[self._sejong_tags(eojeol.morphemes)]

    # Eojeols share their tags far more often than their forms.
    @remembered(20_000)
    def _carriers(self, tags: tuple[str, ...]) -> Carriers:
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

    @remembered_by()
    def _projected(
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
