"""Whether an eojeol is written as its morphemes require: built by the rules of Korean.

Kiwi makes the form of morphemes: it conjugates, contracts and chooses allomorphs. A form that
differs is built all the same where a contraction is a matter of choice (되어 and 돼, 하여 and 해).
It is not built with a wrong allomorph (꽃는, 살어요), nor without a contraction that must be made
(가아서).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import Memo
from sejongud.model import Morpheme
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.morphology.surface import Aligner
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Span
    from sejongud.morphology.kiwi import KiwiAnalyser
    from sejongud.rules import Rules

_REMEMBERED = 24_000
_OPTIONAL, _DOUBLE, _KEPT = "optional", "double", "kept"
_ALLOMORPH = "allomorph"
_LONGEST = 60
"""The most characters of an eojeol that is looked at."""


class Builder:
    """Tell whether morphemes make a form.

    Args:
        rules: the tables, of which `gec-contractions` says which contractions are free, and
            `choices` which rules of alignment choose an allomorph.
        kiwi: makes forms.

    >>> from sejongud.morphology.kiwi import KiwiAnalyser
    >>> from sejongud.rules import load
    >>> builder = Builder(load(), KiwiAnalyser(load()))
    >>> morphemes = Morpheme("되", "VV"), Morpheme("었", "EP"), Morpheme("다", "EF")
    >>> [builder.makes(form, morphemes) for form in ("됐다", "되었다", "됬다")]
    [True, True, False]
    """

    def __init__(self, rules: Rules, kiwi: KiwiAnalyser) -> None:
        self._aligner = Aligner(rules)
        self._kiwi = kiwi
        self._lemmas = rules.lemmas["normalised"]
        self._bound = bound_tags(rules)
        self._rows: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for row in rules.table("gec-contractions"):
            self._rows[row["kind"], row["tag"]].append((row["form"], row["full"]))
        self._allomorphs = {
            row["name"] for row in rules.table("choices") if row["kind"] == _ALLOMORPH
        }
        self._joined: Memo[tuple[Morpheme, ...], str] = Memo.of(
            self, Builder._join, size=_REMEMBERED
        )

    def makes(self, form: str, morphemes: Sequence[Morpheme], surface: str = "") -> bool:
        """Return whether the morphemes make this form, or make it with other free contractions.

        Args:
            form: an eojeol.
            morphemes: its analysis in Sejong tags.
            surface: the form that Kiwi makes of the morphemes, if it is known.
        """
        if not form or not morphemes or len(form) > _LONGEST:
            return False
        if self._contract_wrongly(form, morphemes):
            return False
        if surface == form or form in self._surfaces(morphemes):
            return True
        fit = self._aligner.align(form, morphemes)
        if fit.unexplained or fit.weak or not self._allomorphs.isdisjoint(fit.rules):
            return False
        pairs = pairwise(_chunks(fit.spans))
        return all([self._adjoin(form[a.begin : b.end], morphemes, a, b) for a, b in pairs])

    def borders(self, form: str, morphemes: Sequence[Morpheme]) -> list[tuple[int, int]]:
        """Return the places inside a form where one morpheme ends and the next begins.

        Returns:
            The number of morphemes in front, and of characters; none for a very long form. A place
            inside the syllable that two morphemes share is none.
        """
        return _borders(self._aligner.align(form, morphemes).spans) if len(form) <= _LONGEST else []

    def _adjoin(
        self, form: str, morphemes: Sequence[Morpheme], left: _Chunk, right: _Chunk
    ) -> bool:
        """Return whether two neighbouring chunks make a piece of a form."""
        pair = morphemes[left.first : right.stop]
        if form in self._surfaces(pair):
            return True
        last, first = morphemes[left.stop - 1], morphemes[right.first]
        if last.form + first.form in self._surfaces((last, first)):
            return True
        return self._is(_OPTIONAL, last, first)

    def _contract_wrongly(self, form: str, morphemes: Sequence[Morpheme]) -> bool:
        """Return whether two morphemes of a form are contracted by half.

        The first is written in full before the second, which is contracted with it (책이예요), or
        it is left out, and the second is not contracted (학교에요).
        """
        before = ""
        for last, first in pairwise(morphemes):
            if before + last.form + first.form in form and self._is(_DOUBLE, last, first):
                return True
            if before and before + first.form in form and self._is(_KEPT, last, first):
                return True
            before = last.form
        return False

    def _is(self, kind: str, last: Morpheme, first: Morpheme) -> bool:
        """Return whether the table `gec-contractions` has two neighbours in its rows of a kind."""
        return any(
            [
                _ends_with(last.form, end) and (begin == ANY or _begins_with(first.form, begin))
                for end, begin in self._rows.get((kind, last.tag), ())
            ]
        )

    def _surfaces(self, morphemes: Sequence[Morpheme]) -> tuple[str, str]:
        """Return the forms that Kiwi makes of morphemes, as they are and as their lemmas."""
        plain = [
            Morpheme(self._lemmas.get(m[:2], m.form), m.tag) if m.tag in self._bound else m
            for m in morphemes
        ]
        return self._joined[tuple(morphemes)], self._joined[tuple(plain)]

    def _join(self, morphemes: tuple[Morpheme, ...]) -> str:
        return self._kiwi.surfaces([morphemes])[0].replace(" ", "")


class _Chunk(NamedTuple):
    """Neighbouring morphemes that share syllables."""

    first: int
    stop: int
    begin: int
    """The place in the form where it begins."""
    end: int


def _borders(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return the places where one span ends and the next begins, with the spans in front.

    >>> _borders([(0, 1), (0, 1), (1, 2)])
    [(2, 1)]
    """
    borders = []
    end = 0
    for number, ((_, stop), (begin, _)) in enumerate(pairwise(spans), 1):
        end = max(end, stop)
        if end <= begin:
            borders.append((number, end))
    return borders


def _chunks(spans: Sequence[Span]) -> list[_Chunk]:
    """Return the groups of morphemes between two _borders."""
    places = [(0, 0), *_borders(spans), (len(spans), spans[-1][1])]
    return [_Chunk(first, stop, begin, end) for (first, begin), (stop, end) in pairwise(places)]


def bound_tags(rules: Rules) -> frozenset[str]:
    """Return the tags of particles and endings, whose forms depend on the morpheme in front."""
    return frozenset([tag for tag, row in rules.tags.items() if row.kind in ("ending", "particle")])


def _ends_with(form: str, end: str) -> bool:
    """Return whether a form ends with a vowel, is a whole form, or anything."""
    last = decompose(form[-1]) if is_syllable(form[-1:]) else ("", "", "")
    return end in (ANY, form) or (last[1] == end and not last[2])


def _begins_with(form: str, begin: str) -> bool:
    """Return whether a form begins with a syllable of the lead and the vowel of `begin`."""
    if form.startswith(begin):
        return True
    are_syllables = is_syllable(form[:1]) and is_syllable(begin)
    return are_syllables and decompose(form[0])[:2] == decompose(begin)[:2]
