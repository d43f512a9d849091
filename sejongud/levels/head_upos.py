"""The UPOS of morphemes and of words by their morphemes, as the guidelines of UD have them.

A morpheme has the UPOS of its form (rules/upos-forms.tsv) or of its tag (upos.tsv). A word has that
of its head morpheme, as the morphemes behind the head change it (upos-behind.tsv): a pure function
of the morphemes, whatever the source and the level of granularity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.levels.heads import HeadRule
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Row, Rules

SCHEME = "ud"
_UNKNOWN = "X"
_LEMMAS = "normalised"


class HeadUpos:
    """Give morphemes and words the UPOS of UD.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> upos = HeadUpos(load())
    >>> upos.word(["", ""], ["NNG", "XSV"], 0), upos.morphemes(["", ""], ["NNG", "XSV"])
    ('VERB', ['NOUN', 'PART'])
    """

    def __init__(self, rules: Rules) -> None:
        self._by_tag = rules.upos[SCHEME]
        self._kind = rules.kind
        self._heads = HeadRule(rules, SCHEME)
        self._sejong_tags = rules.sejong_tags
        self._known = rules.lemmas[_LEMMAS]
        self._of_forms: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for row in rules.table("upos-forms"):
            key = row["lemma"], row["tag"]
            self._of_forms.setdefault(key, []).append((row["behind"], row["upos"]))
        self._behind: dict[str, list[Row]] = {}
        for row in rules.table("upos-behind"):
            self._behind.setdefault(row["tag"], []).append(row)
        rows = rules.table("upos-behind")
        after = [row["after"].rpartition("/") for row in rows]
        named = {(row["lemma"], row["tag"]) for row in rows}
        named |= {*self._of_forms, *((lemma, tag) for lemma, _, tag in after)}
        self.named = frozenset([pair for pair in named if pair[0] not in ("", ANY)])
        """The lemmas and Sejong tags that decide."""
        self._tags = frozenset([tag for _, tag in self.named])

    def lemmas(self, morphemes: Sequence[Morpheme], tags: Sequence[str]) -> tuple[str, ...]:
        """Return the lemmas of morphemes, "" for one that decides nothing.

        Args:
            morphemes: of a word.
            tags: their Sejong tags.
        """
        if self._tags.isdisjoint(tags):
            return ("",) * len(tags)
        lemmas = [self._known.get((m[0], m[1]), m[0]) for m in morphemes]
        return tuple(
            [
                lemma if (lemma, tag) in self.named else ""
                for lemma, tag in zip(lemmas, tags, strict=True)
            ]
        )

    def morphemes(self, lemmas: Sequence[str], tags: Sequence[str]) -> list[str]:
        """Return the UPOS of each morpheme of a word.

        Args:
            lemmas: see `lemmas`.
            tags: the Sejong tags.
        """
        upos = []
        before = ""
        for key in zip(lemmas, tags, strict=True):
            rows = self._of_forms.get(key, ())
            fits = [
                upos
                for behind, upos in rows
                if behind == ANY or self._kind(before) in behind.split("|")
            ]
            upos.append(fits[0] if fits else self._by_tag.get(key[1], _UNKNOWN))
            before = key[1]
        return upos

    def word(self, lemmas: Sequence[str], tags: Sequence[str], head: int) -> str:
        """Return the UPOS of a word of several morphemes.

        Args:
            lemmas: see `lemmas`.
            tags: the Sejong tags of its morphemes.
            head: its head morpheme, from 0.
        """
        upos = self.morphemes(lemmas, tags)[head]
        if len(tags) == 1:
            return upos
        for at in range(head, len(tags)):
            for row in self._behind.get(tags[at], ()):
                if (
                    row["lemma"] in (ANY, lemmas[at])
                    and (row["now"] == ANY or upos in row["now"].split("|"))
                    and _follows(row["after"], lemmas, tags, at)
                ):
                    if not row["upos"]:
                        return upos
                    upos = row["upos"]
                    break
        return upos

    def parts(self, morphemes: Sequence[Morpheme], runs: Sequence[tuple[int, int]]) -> list[str]:
        """Return the UPOS of the words of a token; its head has the UPOS of the whole.

        Args:
            morphemes: of the token.
            runs: the words, each by its first morpheme and the one behind its last, from 0.
        """
        tags = self._sejong_tags(morphemes)
        lemmas = self.lemmas(morphemes, tags)
        head = self._heads.head(tags)
        alone = self.morphemes(lemmas, tags)
        upos = []
        for first, last in runs:
            if first <= head < last:
                upos.append(self.word(lemmas, tags, head))
            elif last == first + 1:
                upos.append(alone[first])
            else:
                own = tags[first:last]
                upos.append(self.word(lemmas[first:last], own, self._heads.head(own)))
        return upos


def _follows(after: str, lemmas: Sequence[str], tags: Sequence[str], at: int) -> bool:
    """Return whether the morpheme before one fits the column `after` of a row."""
    if after == ANY:
        return True
    lemma, _, tag = after.rpartition("/")
    return at > 0 and tags[at - 1] == tag and lemma in (ANY, lemmas[at - 1])
