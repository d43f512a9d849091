"""Spellers, which decide whether the correction of an eojeol corrects a misspelling.

KAGAS: the source is not in the dictionary, the correction is (Yoon et al. 2023, appendix C.2).
`KiwiSpeller` asks Kiwi and the table `gec-junctions`, `HunspellSpeller` the dictionary of hunspell,
as the published program does. A speller is any function of source and correction.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sejongud.errors import UsageError, require
from sejongud.gec.korean import Builder, Particles, letters_of
from sejongud.gec.tokens import PREDICATES, group_of
from sejongud.memo import Memo, remembered
from sejongud.model import Morpheme

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.morphology.joining import KiwiJoiner
    from sejongud.morphology.kiwi import Pairs
    from sejongud.rules import Rules

Speller: TypeAlias = "Callable[[str, str], bool]"
"""(source, correction) → whether the correction corrects a misspelling."""

HUNSPELL = "/usr/share/hunspell"
"""The folder where Debian and others keep the dictionaries of hunspell."""

_REMEMBERED = 24_000
_LONGEST = 60
"""The most characters of an eojeol that is looked at."""
_LINKING = "linking"
_FIRST, _END = "first", "*"
_SHORT = "."
_BEHIND, _UNKNOWN, _OLD, _NAME = "behind", "unknown", "old", "name"
_LETTER = re.compile("[\u3131-\u318e]")
"""A letter outside a syllable."""

_LEAST_GAIN = 2.0
"""The least gain of a correction, as the logarithm of a probability."""
_LIKE = 0.4
"""The most jamo that differ, as a share of the longer eojeol."""


class Judgement(NamedTuple):
    """Kiwi's analysis of an eojeol by itself, judged by the table `gec-junctions`."""

    in_dictionary: bool
    """Whether all its morphemes are in the dictionary."""
    built: bool
    """Whether its morphemes may stand in this order and make this form."""
    certain: bool
    """Whether it is wrong however common it is: letters outside a syllable, an old spelling."""
    score: float
    pairs: Pairs


class Junctions:
    """Tell whether the morphemes of an eojeol may stand in their order.

    Args:
        rules: the tables, of which `gec-junctions` is used.

    >>> from sejongud.rules import load
    >>> junctions = Junctions(load())
    >>> [junctions.hold((("꽃", "NNG"), last)) for last in (("은", "JX"), ("는", "ETM"))]
    [True, False]
    """

    def __init__(self, rules: Rules) -> None:
        rows = rules.table("gec-junctions")
        self._special: dict[str, frozenset[tuple[str, str]]] = {
            name: frozenset([(row["form"], row["tag"]) for row in rows if row["relation"] == name])
            for name in (_UNKNOWN, _OLD, _NAME)
        }
        self._hosts: defaultdict[tuple[str, str], list[tuple[bool, frozenset[str]]]]
        self._hosts = defaultdict(list)
        for row in rows:
            if row["relation"] not in self._special:
                hosts = row["relation"] == _BEHIND, frozenset(row["hosts"].split("|"))
                self._hosts[row["form"], row["tag"]].append(hosts)

    def hold(self, pairs: Pairs) -> bool:
        """Return whether each morpheme has a host that the table lets it have."""
        before = {_FIRST}
        for form, tag in (*pairs, ("", _END)):
            for behind, hosts in self._rows(form, tag):
                if before.isdisjoint(hosts) == behind:
                    return False
            before = {tag, tag + _SHORT} if len(form) == 1 else {tag}
        return True

    def _rows(self, form: str, tag: str) -> list[tuple[bool, frozenset[str]]]:
        """Return the rows of a morpheme: by its form, by its one syllable, or by its tag."""
        short = self._hosts.get((_SHORT, tag)) if len(form) == 1 else None
        return self._hosts.get((form, tag)) or short or self._hosts.get(("", tag), [])

    def any_is(self, relation: str, pairs: Pairs) -> bool:
        """Return whether the table has one of the morphemes, or its tag, in a relation.

        Args:
            relation: `unknown`, which no word has, `old`, an old or wrong spelling that
                dictionaries have, or `name`, which the dictionary of a speller lacks.
            pairs: the form and tag of each morpheme.
        """
        special = self._special[relation]
        return any([pair in special or ("", pair[1]) in special for pair in pairs])


class KiwiSpeller:
    """Find misspellings by Kiwi: the eojeols are analysed alone, each distinct eojeol once.

    An eojeol is *known* if Kiwi's dictionary has its morphemes, and *built* if the morphemes may
    stand in this order and make this form again. A correction corrects a misspelling if it is
    known, built, written much as the source is, and much more probable, and if the source is not
    known, is a name where the correction has none, or is not built and differs in more than what
    follows a noun. A source with letters outside a syllable, or with an old spelling (할께요), is
    one whatever its probability, and so is one that differs in the ㅅ between two nouns (갈비집).
    A source that is only longer or shorter at its end has another morpheme, and is none.

    Args:
        rules: the tables.
        kiwi: analyses eojeols alone.

    >>> from sejongud.morphology.joining import KiwiJoiner
    >>> from sejongud.rules import load
    >>> speller = KiwiSpeller(load(), KiwiJoiner(load()))
    >>> speller("조아요", "좋아요"), speller("학교를", "학교에")
    (True, False)
    """

    def __init__(self, rules: Rules, kiwi: KiwiJoiner) -> None:
        self._rules = rules
        self._kiwi = kiwi
        self._builder = Builder(rules, kiwi)
        self._particles = Particles(rules)
        self._junctions = Junctions(rules)
        self._linking = {row["form"] for row in rules.table("gec-contractions", kind=_LINKING)}

    def __call__(self, source: str, target: str) -> bool:
        """Return whether `target` corrects a misspelling of `source`, both eojeols."""
        source, target = core_of(source), core_of(target)
        if max(len(source), len(target)) > _LONGEST or not _alike(source, target):
            return False
        if source.startswith(target) or target.startswith(source):
            return False
        wrong, right = self.judged[source], self.judged[target]
        if not (right.in_dictionary and right.built):
            return False
        if wrong.pairs == right.pairs and not wrong.built:
            return True
        if (wrong.certain and not right.certain) or self._differ_in_linking(source, target, right):
            return True
        if right.score - wrong.score <= _LEAST_GAIN:
            return False
        if not wrong.in_dictionary or self._has_other_name(wrong, right):
            return True
        return not wrong.built and not self._keeps_noun(source, target, right)

    @remembered(_REMEMBERED)
    def judged(self, form: str) -> Judgement:
        """Return what Kiwi and the table say of an eojeol."""
        pairs, in_dictionary, surface, score = self._kiwi.alone(form)
        letters = _LETTER.search(form) is not None
        in_dictionary = (
            in_dictionary and not letters and not self._junctions.any_is(_UNKNOWN, pairs)
        )
        built = self._junctions.hold(pairs) and self._builder.makes(
            form, [Morpheme(*pair) for pair in pairs], surface
        )
        certain = letters or self._junctions.any_is(_OLD, pairs)
        return Judgement(in_dictionary, built, certain, score, pairs)

    def _has_other_name(self, wrong: Judgement, right: Judgement) -> bool:
        """Return whether a name stands where the correction has a word."""
        ours, theirs = (self._junctions.any_is(_NAME, side.pairs) for side in (wrong, right))
        return ours and not theirs

    def _differ_in_linking(self, source: str, target: str, right: Judgement) -> bool:
        """Return whether two nouns differ in the letter that joins their parts: 갈빗집."""
        changed = [(a, b) for a, b in zip(source, target, strict=False) if a != b]
        if len(source) != len(target) or len(changed) != 1 or source[-1] != target[-1]:
            return False
        ours, theirs = map(letters_of, changed[0])
        linking = {ours.removeprefix(theirs), theirs.removeprefix(ours)} & self._linking
        groups = {group_of(Morpheme(*pair), self._rules) for pair in right.pairs}
        return bool(linking) and groups.isdisjoint(PREDICATES)

    def _keeps_noun(self, source: str, target: str, right: Judgement) -> bool:
        """Return whether two eojeols have one noun and differ behind it."""
        noun = self._particles.noun(target, right.pairs)
        return noun not in ("", target) and source.startswith(noun)


class HunspellSpeller:
    """Find misspellings by hunspell, as the published program does.

    A correction of as many syllables corrects a misspelling if hunspell suggests nothing for the
    source, or suggests the correction and not the source itself.

    Args:
        directory: the folder of `ko.dic` and `ko.aff`.

    Raises:
        MissingExtraError: the package `hunspell` is not installed.
        UsageError: the folder has no Korean dictionary.
    """

    def __init__(self, directory: str | Path = HUNSPELL) -> None:
        library = require("hunspell", "hunspell")
        files = [Path(directory) / name for name in ("ko.dic", "ko.aff")]
        for file in files:
            if not file.is_file():
                raise UsageError(
                    f"{file}: no such file. Install the Korean dictionary of hunspell (Debian:"
                    " hunspell-ko), or name its folder: hunspell:DIR"
                )
        suggest = library.HunSpell(*map(str, files)).suggest
        self._suggestions: Memo[str, frozenset[str]] = Memo(
            lambda form: frozenset(suggest(form)), size=_REMEMBERED
        )

    def __call__(self, source: str, target: str) -> bool:
        """Return whether `target` corrects a misspelling of `source`, both eojeols."""
        if len(source) != len(target) or len(source) > _LONGEST:
            return False
        suggestions = self._suggestions[source]
        return not suggestions or (source not in suggestions and target in suggestions)


def load_speller(name: str, rules: Rules, kiwi: KiwiJoiner) -> Speller | None:
    """Return the speller of a name.

    Args:
        name: `kiwi`, `hunspell`, `hunspell:DIR` with the folder of its dictionary, or `none`.
        rules: the tables.
        kiwi: analyses eojeols for the speller `kiwi`.

    Raises:
        UsageError: there is no such speller, or it has no dictionary.
        MissingExtraError: the package `hunspell` is not installed.
    """
    kind, _, directory = checked_speller(name).partition(":")
    if kind == "hunspell":
        return HunspellSpeller(directory or HUNSPELL)
    return KiwiSpeller(rules, kiwi) if name == "kiwi" else None


def checked_speller(name: str) -> str:
    """Return the name of a speller.

    Raises:
        UsageError: there is no such speller.
    """
    kind, colon, directory = name.partition(":")
    if name in ("kiwi", "none") or (kind == "hunspell" and bool(colon) == bool(directory)):
        return name
    raise UsageError(f"no speller {name!r}; there are: kiwi, hunspell, hunspell:DIR, none")


def _alike(source: str, target: str) -> bool:
    """Return whether two eojeols have the same syllables, or letters of which few differ."""
    from rapidfuzz.distance import Levenshtein

    if sorted(source) == sorted(target):
        return True
    ours, theirs = letters_of(source), letters_of(target)
    most = int(_LIKE * max(len(ours), len(theirs)))
    return Levenshtein.distance(ours, theirs, score_cutoff=most) <= most


def core_of(form: str) -> str:
    """Return an eojeol without the symbols at its edges.

    >>> core_of("“좋아요!”")
    '좋아요'
    """
    symbols = [char for char in {*form} if not char.isalnum()]
    return form.strip("".join(symbols))
