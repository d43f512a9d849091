"""Whether an eojeol and its correction differ in nothing but the particles behind a noun.

Kiwi takes a noun with a wrong particle for another noun as often as not (기술가 is 기술가/NNG).
Where the correction's noun stands in the source as well, what follows it decides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sejongud.gec.tokens import NOUN, group_of
from sejongud.model import Morpheme
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.rules.bounded import atomic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Rules

_PARTICLE = "particle"


class Particles:
    """Compare the particles behind a noun.

    Args:
        rules: the tables, of which `gec-particles` lists the particles.

    >>> from sejongud.rules import load
    >>> particles = Particles(load())
    >>> correction = [("기술", "NNG"), ("이", "JKS")]
    >>> [particles.differ(form, "기술이", correction) for form in ("기술가", "기술과학")]
    [True, False]
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._tags = frozenset([tag for tag, row in rules.tags.items() if row.kind == _PARTICLE])
        self._chain = chain_of_particles(rules)

    def noun(self, form: str, pairs: Sequence[tuple[Any, ...]]) -> str:
        """Return the part of an eojeol in front of its last particles.

        Args:
            form: the eojeol.
            pairs: the form and tag of each morpheme; more fields may follow.

        Returns:
            "" if no noun stands there, or if a particle is contracted with it (난, 날).
        """
        count = len(pairs)
        while count and pairs[count - 1][1] in self._tags:
            count -= 1
        if not count or group_of(Morpheme(*pairs[count - 1][:2]), self._rules) != NOUN:
            return ""
        rest = "".join([pair[0] for pair in pairs[count:]])
        return form.removesuffix(rest) if form.endswith(rest) else ""

    def differ(self, source: str, target: str, pairs: Sequence[tuple[Any, ...]]) -> bool:
        """Return whether source and target have one noun, and particles or nothing behind it.

        Args:
            source: an eojeol.
            target: its correction.
            pairs: the analysis of the correction.
        """
        noun = self.noun(target, pairs)
        return (
            noun != ""
            and source != target
            and source.startswith(noun)
            and self._chain.fullmatch(source, len(noun)) is not None
        )

    def are_misspelt(self, source: str, target: str, pairs: Sequence[tuple[Any, ...]]) -> bool:
        """Return whether the noun is the same, and a syllable behind it is like its particle.

        In 시간으 → 시간을 the last syllable is no particle, but most letters are those of 을.
        """
        noun = self.noun(target, pairs)
        source_end, target_end = source[len(noun) :], target[len(noun) :]
        if not noun or not source.startswith(noun) or not len(source_end) == len(target_end) == 1:
            return False
        from rapidfuzz.distance import Levenshtein

        ours, theirs = letters_of(source_end), letters_of(target_end)
        return 2 * Levenshtein.distance(ours, theirs) <= max(len(ours), len(theirs))


def chain_of_particles(rules: Rules) -> re.Pattern[str]:
    """Return the pattern of any number of particles, of which each is as long as it can be.

    >>> from sejongud.rules import load
    >>> chain_of_particles(load()).match("에서는요즘").group()
    '에서는'
    """
    forms = [re.escape(row["form"]) for row in rules.table("gec-particles")]
    # 이나 may be read as 이 + 나 as well, and each further one would double the ways to try.
    return re.compile(f"(?:{atomic('|'.join(sorted(forms, key=len, reverse=True)), 'form')})*")


def letters_of(form: str) -> str:
    """Return the letters of a form, those of its syllables and those outside of them.

    >>> letters_of("한ㄱ글")
    'ㅎㅏㄴㄱㄱㅡㄹ'
    """
    return "".join(["".join(decompose(c)) if is_syllable(c) else c for c in form])
