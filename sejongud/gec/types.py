"""The types of edits: the fourteen of Korean (Yoon et al. 2023, KAGAS, Table 3), and those of UPOS.

Of the Korean types spacing, order, insertion and deletion follow from the operation of the
alignment. Of the others the first that applies is the type: PUNCT by the two forms, SPELL where
both are said alike (rules/pronunciation.tsv), SHORTEN by the two forms, PARTICLE where a noun has
other particles, CONJUGATION where a stem has the wrong allomorph of its ending, SPELL by a speller,
and all others by the groups of the morphemes that differ (rules/gec-types.tsv).

    그레서 → 그래서        said alike                   SPELL
    되어요 → 돼요          the same morphemes           SHORTEN
    됬다 → 됐다            the same, wrongly written    SPELL
    우산가 → 우산이        the particles of 우산        PARTICLE
    불는다 → 분다          the allomorphs of 는다       CONJUGATION
    조아요 → 좋아요        no word, and a word          SPELL
    보다 → 봤어            다 → 았, 어                  ENDING

With `compat` the order and the conditions are those of the published program, and the morphemes are
compared by their forms alone. Given that program's analyses, lemmas and verdicts on spelling, its
types come out.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sejongud.gec.alignment import ALIGNERS, align
from sejongud.gec.edits import AnalysedToken
from sejongud.gec.korean import Builder, Particles, bound_tags
from sejongud.gec.speller import Speller, load_speller
from sejongud.gec.tokens import ENDING, NOUN, PARTICLE, PREDICATES, UNCLASSIFIED, analyser, group_of
from sejongud.model import Morpheme
from sejongud.morphology.readings import Pronunciation
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_OPERATIONS = {"WS": "WS", "T": "WO", "I": "INSERTION", "D": "DELETION"}
_LETTERS = {"I": "M", "D": "U"}
"""The operations in the details: a missing, an unnecessary, else a replaced word."""
_PUNCT, _SHORTEN, _SPELL, _ORDER = "PUNCT", "SHORTEN", "SPELL", "WO"
_CONJUGATION, _MODIFIER = "CONJUGATION", "MODIFIER"
_ALLOMORPH, _BOUNDARY, _OTHER = "ALLOMORPH", "WB", "OTHER"
_BOUND = ("ending", "particle")
_LONGEST_ORDER = 3
"""The most tokens, or morphemes, that the published program calls WO if they change places."""

_Tokens: TypeAlias = "Sequence[AnalysedToken]"


class KoreanTypes:
    """Finds the types of Korean corrections, and holds the tables that it asks.

    Args:
        rules: the tables; None for the package's own.
        speller: `kiwi`, `hunspell`, `hunspell:DIR` with the folder of its dictionary, `none`, or a
            function of source and correction that tells whether a misspelling is corrected.
        compat: whether to follow the published program in everything.
        detail: whether to tell the groups of all morphemes that differ.
        given: whether the analyses are given by the caller. Those of Kiwi are doubted where they
            give no type: errors nearby mislead it, and the eojeols are analysed by themselves.

    Raises:
        UsageError: there is no such speller, or it has no dictionary.
        MissingExtraError: the package `hunspell` is not installed.
    """

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        speller: str | Speller = "kiwi",
        compat: bool = False,
        detail: bool = False,
        given: bool = False,
    ) -> None:
        self._rules = rules = rules or load()
        self._compat, self._detail, self._given = compat, detail, given
        self._kiwi = analyser(rules)
        self._speller = (
            load_speller(speller, rules, self._kiwi) if isinstance(speller, str) else speller
        )
        self._builder = Builder(rules, self._kiwi)
        self._particles = Particles(rules)
        self._pronunciation = Pronunciation(rules)
        words = sorted([row["word"] for row in rules.table("gec-numbers")], key=len, reverse=True)
        self._number = re.compile(f"(?:{'|'.join(map(re.escape, words))})+")
        self._full = {
            (row["form"], row["tag"]): row["full"]
            for row in rules.table("gec-contractions", kind="form")
        }
        """(form, tag) of a contracted morpheme → its full form."""
        self._parts = {(row["form"], row["tag"]): row["type"] for row in rules.table("gec-refined")}
        """(form, tag) → the part of a refined type; the form "" for all others of the tag."""
        bound = bound_tags(rules)
        lemmas = rules.lemmas["normalised"]
        self._lemmas = {key: lemma for key, lemma in lemmas.items() if key[1] in bound}
        """(form, tag) of a particle or ending → the allomorph that stands for all."""

    def kagas(self, source: _Tokens, target: _Tokens, operation: str) -> tuple[str, str]:
        """Return the type of a correction, and its details.

        Args:
            source: the eojeols that are corrected, with their morphemes.
            target: the eojeols of the correction.
            operation: WS, T, I, D or S, as `sejongud.gec.merging.merge` names it.

        Returns:
            The type by its long label. The details are "" unless they are asked for, else M, U or R
            with all groups that differ, and with SPELL or SHORTEN: `R:NOUN+PARTICLE`.

        >>> from sejongud.gec.tokens import analysed
        >>> [source, target] = analysed(["학교를 갔어요", "학교에 갔어요"])
        >>> KoreanTypes(detail=True).kagas(source[:1], target[:1], "S")
        ('PARTICLE', 'R:PARTICLE')
        """
        ours, theirs = _side(source), _side(target)
        one_to_one = len(source) == len(target) == 1
        if operation in _OPERATIONS:
            name = _OPERATIONS[operation]
            if self._compat and operation == "T" and len(source) > _LONGEST_ORDER:
                name = UNCLASSIFIED
        elif self._compat:
            name = self._published(ours, theirs) if one_to_one else UNCLASSIFIED
        else:
            name, ours, theirs = self._replaced(ours, theirs, 1 in (len(source), len(target)))
        return name, self._details(name, ours, theirs, operation) if self._detail else ""

    def refined(self, source: _Tokens, target: _Tokens, operation: str) -> tuple[str, str]:
        """Return the refined type of a correction, without details; the arguments of `kagas`.

        It tells what is missing (M), unnecessary (U) or replaced (R), by the morphemes: M:CASE,
        R:NOUN+CASE (rules/gec-refined.tsv). The memoir, section 5.3, announces such types and does
        not list them.

        >>> from sejongud.gec.tokens import analysed
        >>> [source, target] = analysed(["밥을 먹어요", "밥을 먹었어요"])
        >>> KoreanTypes().refined(source[1:], target[1:], "S")
        ('M:TENSE', '')
        """
        ours, theirs = _side(source), _side(target)
        more = len(target) - len(source)
        if operation == "WS":
            return f"{'M' if more > 0 else 'U' if more else 'R'}:{_BOUNDARY}", ""
        if operation == "T":
            return f"R:{_ORDER}", ""
        if operation in _LETTERS:
            parts = self._parts_of((*ours.morphemes, *theirs.morphemes))
            return f"{_LETTERS[operation]}:{parts[0]}", ""
        name, ours, theirs = self._replaced(ours, theirs, 1 in (len(source), len(target)))
        letter, parts = "R", [name]
        if name not in (_SPELL, _SHORTEN, _PUNCT):
            letter, parts = self._refined(ours, theirs)
        boundary = [_BOUNDARY] if more else []
        return f"{letter}:{'+'.join([*parts, *boundary])}", ""

    def _replaced(self, ours: _Side, theirs: _Side, is_word: bool) -> tuple[str, _Side, _Side]:
        """Return the type of a replacement, and the sides with the analyses it follows from."""
        name = self._replacement(ours, theirs, is_word)
        are_analysed = ours.morphemes and theirs.morphemes
        if name == UNCLASSIFIED and is_word and are_analysed and not self._given:
            first, second = map(self._alone, (ours, theirs))
            for sides in ((first, theirs), (first, second), (ours, second)):
                again = self._replacement(*sides, True)
                if again != UNCLASSIFIED:
                    return again, *sides
        return name, ours, theirs

    def _alone(self, side: _Side) -> _Side:
        """Return a side whose form is analysed by itself."""
        pairs = self._kiwi.alone(side.form).pairs
        return _Side(side.form, tuple([Morpheme(*pair) for pair in pairs]))

    def _replacement(self, ours: _Side, theirs: _Side, is_word: bool) -> str:
        """Return the type of a replacement; `is_word` tells whether a side is one eojeol."""
        if all([self._group_set(side) == {_PUNCT} for side in (ours, theirs)]):
            return _PUNCT
        if self._pronunciation.alike(ours.form, theirs.form):
            return _SPELL
        if ours.morphemes and self._in_full(ours) == self._in_full(theirs):
            built = all([self._builder.makes(*side) for side in (ours, theirs)])
            return _SHORTEN if built else _SPELL
        if is_word:
            if self._particles.differ(ours.form, *theirs):
                return PARTICLE
            if self._has_wrong_allomorph(ours, theirs):
                return _CONJUGATION
            if self._speller and self._speller(ours.form, theirs.form):
                return _SPELL
            if self._particles.are_misspelt(ours.form, *theirs):
                return PARTICLE
        groups = self._groups(ours, theirs)
        if (
            is_word
            and self._pronunciation.alike(ours.form, theirs.form, confused=True)
            and not (
                # Another ending in a form that is right by itself is no misspelling: 온다 온대.
                groups <= {ENDING, PARTICLE} and self._builder.makes(*ours)
            )
        ):
            return _SPELL
        return self._numeral(ours, theirs) or _type_of(groups)

    def _numeral(self, ours: _Side, theirs: _Side) -> str:
        """Return the type of a replaced numeral before the same letters, else "".

        Kiwi takes 둘 before a noun for a verb, and 네 for an answer.
        """
        first, second = [self._number.match(side.form) for side in (ours, theirs)]
        if not first or not second or ours.form[first.end() :] != theirs.form[second.end() :]:
            return ""
        group = group_of(theirs.morphemes[0], self._rules) if theirs.morphemes else ""
        if group in (NOUN, _MODIFIER):
            return group
        return _MODIFIER if second.end() == len(theirs.form) else ""

    def _published(self, ours: _Side, theirs: _Side) -> str:
        """Return the type of the replacement of one eojeol, as the published program does it."""
        same_length = len(ours.form) == len(theirs.form)
        if same_length and self._speller and self._speller(ours.form, theirs.form):
            return _SPELL
        if "".join(map(_form, ours.morphemes)) == "".join(map(_form, theirs.morphemes)):
            return _SHORTEN
        return _published_type_of(self._published_groups(ours, theirs))

    def _published_groups(self, ours: _Side, theirs: _Side) -> set[str]:
        """Return the groups of the morphemes whose forms differ, as the published program does."""
        return self._differing(ours.morphemes, theirs.morphemes, _form, published=True)

    def _group_set(self, side: _Side) -> set[str]:
        """Return the groups of all morphemes of a side."""
        return {group_of(m, self._rules) for m in side.morphemes}

    def _in_full(self, side: _Side) -> list[str]:
        """Return the forms of the morphemes, contracted ones in full.

        What follows a contracted one is its allomorph behind the full form: 그거는, 그것은.
        """
        forms: list[str] = []
        is_contracted = False
        for morpheme in side.morphemes:
            forms.append(self._full.get(morpheme[:2], morpheme.form))
            if is_contracted:
                forms[-1] = self._lemmas.get((forms[-1], morpheme.tag), forms[-1])
            is_contracted = forms[-1] != morpheme.form
        return forms

    def _has_wrong_allomorph(self, ours: _Side, theirs: _Side) -> bool:
        """Return whether a stem has the allomorph of an ending that others have: 들는다."""
        return (
            self._same_lemmas(ours, theirs)
            and not self._group_set(ours).isdisjoint(PREDICATES)
            and not self._builder.makes(*ours)
            and self._builder.makes(*theirs)
        )

    def _same_lemmas(self, ours: _Side, theirs: _Side) -> bool:
        """Return whether two sides have the same morphemes, bound ones in any allomorph."""
        return [*map(self._lemma, ours.morphemes)] == [*map(self._lemma, theirs.morphemes)]

    def _lemma(self, morpheme: Morpheme) -> str:
        """Return the allomorph of a particle or ending that stands for all, else the form.

        The kind of the morpheme keeps 을/JKO apart from 을/ETM, and 이/JKS from 이/VCP.
        """
        form = self._full.get(morpheme[:2], morpheme.form)
        lemma = self._lemmas.get((form, morpheme.tag), form)
        kind = self._rules.kind(morpheme.tag)
        return f"{lemma}/{kind}" if kind in _BOUND else lemma

    def _groups(self, ours: _Side, theirs: _Side) -> set[str]:
        """Return the groups of the morphemes that differ.

        Morphemes at the edges that cover the same letters are left out first, even if the analyses
        of these letters differ. Particles and endings are the same if they are allomorphs; where
        nothing else differs the allomorphs do, and where the forms are the same the tags.
        """
        source, target = self._trimmed(ours, theirs)
        for key in (self._lemma, _form, lambda morpheme: "/".join(morpheme[:2])):
            if groups := self._differing(source, target, key):
                return groups
        return set()

    def _differing(
        self,
        source: Sequence[Morpheme],
        target: Sequence[Morpheme],
        key: Callable[[Morpheme], str],
        *,
        published: bool = False,
    ) -> set[str]:
        """Return the groups of the morphemes that differ in a key: of the target, or deleted.

        In the published program the group of two or three morphemes that change places is WO, and
        letters have no group of their own.
        """
        groups: set[str] = set()
        for kind, ours, theirs in _changes(source, target, key):
            if published and kind == "T" and len(ours) <= _LONGEST_ORDER:
                groups.add(_ORDER)
            else:
                letters = not published
                groups |= {group_of(m, self._rules, letters=letters) for m in theirs or ours}
        return groups

    def _trimmed(self, ours: _Side, theirs: _Side) -> tuple[Sequence[Morpheme], Sequence[Morpheme]]:
        """Leave out the morphemes that cover a common beginning or end of two forms.

        The beginning ends at a border of both analyses, and so does the end begin.
        """
        from rapidfuzz.distance import Postfix, Prefix

        left, right = self._borders(ours), self._borders(theirs)
        front = Prefix.similarity(ours.form, theirs.form)
        begin = max([place for place in left if place <= front and place in right], default=0)
        first, c_first = (left[begin][0], right[begin][0]) if begin else (0, 0)
        shift = len(theirs.form) - len(ours.form)
        back = Postfix.similarity(ours.form[begin:], theirs.form[begin:])
        end = min(
            [
                place
                for place in left
                if len(ours.form) - back <= place
                and place + shift in right
                and left[place][-1] >= first
                and right[place + shift][-1] >= c_first
            ]
        )
        return (
            ours.morphemes[first : left[end][-1]],
            theirs.morphemes[c_first : right[end + shift][-1]],
        )

    def _borders(self, side: _Side) -> dict[int, list[int]]:
        """Return the places of a form at borders, each with the numbers of morphemes in front."""
        places: dict[int, list[int]] = {}
        inner = self._builder.borders(*side)
        for count, place in (*inner, (len(side.morphemes), len(side.form))):
            places.setdefault(place, []).append(count)
        return places

    def _details(self, name: str, ours: _Side, theirs: _Side, operation: str) -> str:
        """Return M, U or R and all groups that a correction could be classified by."""
        if operation in ("WS", "T"):
            return f"R:{name}"
        published = self._compat and operation == "S"
        groups = (self._published_groups if published else self._groups)(ours, theirs)
        nature = {name} & {_SPELL, _SHORTEN}
        return f"{_LETTERS.get(operation, 'R')}:{'+'.join(sorted(groups | nature))}"

    def _refined(self, ours: _Side, theirs: _Side) -> tuple[str, list[str]]:
        """Return the letter and the parts of a replacement by the morphemes that differ."""
        if self._same_lemmas(ours, theirs) and ours.form != theirs.form:
            return "R", [_ALLOMORPH]
        changes = list(_changes(*self._trimmed(ours, theirs), self._lemma))
        changed = [m for _, ours_, theirs_ in changes for m in theirs_ or ours_]
        kinds = {kind for kind, *_ in changes}
        letter = _LETTERS.get(kinds.pop(), "R") if len(kinds) == 1 else "R"
        return letter, self._parts_of(changed)

    def _parts_of(self, morphemes: Sequence[Morpheme]) -> list[str]:
        """Return the parts of a type that morphemes have, in the order of the table."""
        table = self._parts
        parts = {
            _OTHER  # ㅋㅋ has the tag of a symbol.
            if (part := table.get(m[:2]) or table.get(("", m.tag), _OTHER)) == _PUNCT
            and group_of(m, self._rules) != _PUNCT
            else part
            for m in morphemes
        }
        return sorted(parts, key=[*dict.fromkeys(table.values()), _OTHER].index) or [_OTHER]


class _Side(NamedTuple):
    """The source or the target of a correction."""

    form: str
    """Its eojeols, joined."""
    morphemes: tuple[Morpheme, ...]


def _side(tokens: _Tokens) -> _Side:
    """Return the side of some eojeols."""
    morphemes = tuple([morpheme for token in tokens for morpheme in token.morphemes])
    return _Side("".join([token.form for token in tokens]), morphemes)


_form = attrgetter("form")
_PLAIN = ALIGNERS["kagas"].plain()._replace(transpositions=True)


def _changes(
    source: Sequence[Morpheme], target: Sequence[Morpheme], key: Callable[[Morpheme], str]
) -> Iterator[tuple[str, Sequence[Morpheme], Sequence[Morpheme]]]:
    """Yield the operations on morphemes that differ in a key, with those of both sides."""
    ours, theirs = ([AnalysedToken(key(m)) for m in side] for side in (source, target))
    for kind, start, end, c_start, c_end in align(ours, theirs, _PLAIN):
        if kind != "M":
            yield kind, source[start:end], target[c_start:c_end]


def _type_of(groups: set[str]) -> str:
    """Return the type of a correction by the groups of the morphemes that differ."""
    if groups == {ENDING, PARTICLE}:
        return ENDING
    if _PUNCT in groups and len(groups) > 1:
        return UNCLASSIFIED
    return _published_type_of(groups)


def _published_type_of(groups: set[str]) -> str:
    """Return the type by the groups, as the published program does it."""
    if len(groups) == 1:
        return next(iter(groups))
    if NOUN in groups or groups >= PREDICATES:
        return UNCLASSIFIED
    return UNCLASSIFIED if PREDICATES.isdisjoint(groups) else _CONJUGATION


# --- types by UPOS --------------------------------------------------------------------------------
# The operation and the parts of speech, as jp-errant has them (memoir, Section 5.3), without
# ERRANT's classes of English grammar: M:PUNCT, the target has a mark more; U:DET, the source has a
# determiner too many; R:NOUN, a noun replaces what the source has.

_NONE = "UNK"
_UNTAGGED = "X"


def ud_type(source: Sequence[AnalysedToken], target: Sequence[AnalysedToken]) -> str:
    """Return the type of an edit by the tags of its tokens.

    Args:
        source: the tokens of the source; () for an insertion.
        target: the tokens of the target; () for a deletion.

    Returns:
        `M:`, `U:` or `R:` and UPOS (X for none) with a space between; UNK if nothing changes. Last
        tokens that are equal but for case are left out where one side has more tokens than one.

    >>> from sejongud.gec.edits import AnalysedToken
    >>> cat, the = AnalysedToken("cat", upos="NOUN"), AnalysedToken("The", upos="DET")
    >>> ud_type([cat], []), ud_type([cat._replace(form="Cat")], [the, cat])
    ('U:NOUN', 'M:DET')
    """
    ours, theirs = list(source), list(target)
    while [token.form for token in ours] != [token.form for token in theirs]:
        last = ours and theirs and ours[-1].form.lower() == theirs[-1].form.lower()
        if not last or len(ours) + len(theirs) == 2:
            tags = " ".join([token.upos or _UNTAGGED for token in theirs or ours])
            return f"{'R' if ours and theirs else 'U' if ours else 'M'}:{tags}"
        del ours[-1], theirs[-1]
    return _NONE
