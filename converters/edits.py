"""What somebody has edited inside of a range, where its joined word has no place for it.

UPOS and LEMMA of the parts of a word follow from its morphemes, in a scheme that no file names. A
part with a UPOS or LEMMA that no scheme gives it has been edited, or a tagger has made it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from sejongud.converters.relations import SCHEMES, Stems, WordPatterns
from sejongud.levels.cut import Lemmas
from sejongud.levels.heads import UD
from sejongud.levels.upos import IN_CONTEXT
from sejongud.memo import remembered, remembered_by
from sejongud.model import NOTHING, Morpheme, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.converters.relations import PatternKey
    from sejongud.rules import Rules


class Edits:
    """Counts the parts of words with a UPOS or LEMMA that no scheme gives them.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        # The most usual first.
        schemes = sorted(SCHEMES, key=UD.__ne__)
        self._schemes = [
            (scheme, upos) for upos in ("", IN_CONTEXT, *rules.upos) for scheme in schemes
        ]
        self._stems = Stems(rules)

    def __call__(self, word: Word, parts: Sequence[Word], stated: str) -> int:
        """Return how many parts of a word were edited.

        Args:
            word: the joined word.
            parts: the words that it is joined of.
            stated: UPOS of the word if MISC tells it; "" if it is that of its head.
        """
        sizes = tuple([len(part[6]) for part in parts])
        all_upos = tuple([part[2] for part in parts])
        left = frozenset(range(len(parts)))
        for scheme in self._schemes:
            left &= self._left[scheme, self._patterns[scheme].key(word), sizes, all_upos, stated]
            if not left:
                break
        has_own = self._has_own_lemma
        others = [i for i, part in enumerate(parts) if not has_own[part]]
        if others:
            every = [scheme.of(word.morphemes) for scheme in self._lemmas]
            runs = list(pairwise(accumulate(sizes, initial=0)))
            joined = [{"+".join(lemmas[slice(*runs[i])]) for lemmas in every} for i in others]
            pairs = zip(others, joined, strict=True)
            others = [i for i, lemmas in pairs if parts[i].lemma not in {*lemmas, word.lemma}]
        return len(left.union(others))

    def are_none(
        self,
        lines: Sequence[str],
        tags: tuple[tuple[str, ...], tuple[str, ...]],
        all_upos: tuple[str, ...],
        columns: tuple[tuple[str, ...], tuple[str, ...], str, str],
        stated: str,
    ) -> bool:
        """Return whether columns tell at a glance that no part of a word was edited.

        Args:
            lines: FORM to FEATS of its parts, with tabs between, each of one morpheme.
            tags: of its parts, and their Sejong tags.
            all_upos: of its parts.
            columns: the forms and the lemmas of its parts; its LEMMA and UPOS.
            stated: as for `__call__`.
        """
        forms, lemmas, lemma, upos = columns
        scheme = self._schemes[0]
        head = forms.index(lemma) if "+" not in lemma and lemma in forms else -1
        key = (*tags, upos, self._patterns[scheme].lemmas(forms, *tags), head)
        if self._left[scheme, key, (1,) * len(lines), all_upos, stated]:
            return False
        has_own = self._has_own_line
        return forms == lemmas or all([has_own[line] for line in lines])

    @remembered(20_000)
    def _has_own_line(self, line: str) -> bool:
        form, lemma, upos, tag, feats = line.split("\t")
        morphemes = (Morpheme(form, tag),)
        return self._has_own_lemma[Word(form, lemma, upos, tag, feats, NOTHING, morphemes)]

    @cached_property
    def _lemmas(self) -> list[Lemmas]:
        return [Lemmas(self._rules, scheme) for scheme in self._rules.lemmas]

    @remembered()
    def _patterns(self, scheme: tuple[str, str]) -> WordPatterns:
        return WordPatterns(self._rules, *scheme)

    @remembered(20_000)
    def _has_own_lemma(self, part: Word) -> bool:
        """Return whether LEMMA of a part follows from its morphemes, whatever stands before it."""
        morphemes, lemma = part.morphemes, part.lemma
        if lemma in (NOTHING, "+".join([m.form for m in morphemes])):
            return True
        texts = [[m.written for m in morphemes], *[scheme.of(morphemes) for scheme in self._lemmas]]
        return lemma in (self._stems.of(part.upos, morphemes, ""), *map("+".join, texts))

    @remembered_by(20_000)
    def _left(
        self,
        scheme: tuple[str, str],
        key: PatternKey,
        sizes: tuple[int, ...],
        all_upos: tuple[str, ...],
        stated: str,
    ) -> frozenset[int]:
        """Return the parts of a word, from 0, whose UPOS is not that of a scheme."""
        patterns = self._patterns[scheme]
        expected = patterns.parts(patterns(key), sizes, key[1])
        head = expected.head
        left = [i for i, upos in enumerate(expected.upos) if upos != all_upos[i]]
        is_free = not stated or all_upos[head] == stated
        return frozenset([i for i in left if i != head or not is_free])
