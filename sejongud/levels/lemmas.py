"""The lemmas that the morpheme before decides (rules/lemmas-behind.tsv).

사러      사/VV 러/EC       사+으러
푸르러    푸르/VA 러/EC     푸르+어
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Morpheme, Word
    from sejongud.rules import Rules


class Lemmas:
    """Finds the lemmas of the morphemes of a token.

    Args:
        rules: the tables.
        scheme: a scheme of lemmas.

    >>> from sejongud.model import Morpheme
    >>> from sejongud.rules import load
    >>> Lemmas(load(), "normalised").of([Morpheme("푸르", "VA"), Morpheme("러", "EC")])
    ['푸르', '어']
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        self._lemmas = rules.lemmas[scheme]
        self._in_sejong = rules.in_sejong
        self._behind = rules.lemmas_behind.get(scheme, {})
        self.uncertain = frozenset([form for _, _, form, _ in self._behind])
        """The forms whose lemma may hang on the morpheme before."""

    def of(self, morphemes: Sequence[Morpheme]) -> list[str]:
        """Return the lemma of each morpheme.

        Args:
            morphemes: of a token, in their order.
        """
        lemmas = [self._lemmas.get((m.form, m.tag), m.form) for m in morphemes]
        if not self.uncertain.isdisjoint([m.form for m in morphemes]):
            pairs = pairwise(self._in_sejong(tuple(morphemes)))
            for index, (before, morpheme) in enumerate(pairs, start=1):
                form, tag = before[:2]
                behind_any = self._behind.get((ANY, tag, *morpheme[:2]), lemmas[index])
                lemmas[index] = self._behind.get((form, tag, *morpheme[:2]), behind_any)
        return lemmas

    def mended(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Return the words of a token, whose lemmas are those of form and tag, with their lemmas.

        Args:
            words: of one token.
        """
        lemmas = iter(self.of([m for word in words for m in word.morphemes]))
        return tuple(
            [
                word._replace(lemma="+".join([next(lemmas) for _ in word.morphemes]) or word.lemma)
                for word in words
            ]
        )
