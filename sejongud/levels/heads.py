"""The head morpheme of a word (rules/heads.tsv; memoir, §3.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Rules

_REMEMBERED = 20_000


class HeadRule:
    """Find the head among the morphemes of a word whose UPOS is unknown, or among words.

    Args:
        rules: the tables.
        rule: of rules/heads.tsv, "morphemes" or "words".

    >>> from sejongud.rules import load
    >>> HeadRule(load()).head(["NNG", "XSN", "VCP", "ETM"])
    0
    """

    def __init__(self, rules: Rules, rule: str = "morphemes") -> None:
        self._class = str if rule == "words" else rules.kind
        self._rows = [
            (_choice(row["of"]), row["pick"]) for row in rules.table("heads") if row["rule"] == rule
        ]
        # Words share their kinds far more often than their tags.
        self._known: Memo[tuple[str, ...], list[int]] = Memo.of(
            self, HeadRule._find, size=_REMEMBERED
        )

    def head(self, tags: Sequence[str]) -> int:
        """Return the index of the head.

        Args:
            tags: the Sejong tags of the morphemes, or the UPOS of the words; at least one.
        """
        return self.heads(tags)[-1]

    def heads(self, tags: Sequence[str]) -> list[int]:
        """Return the index of the head of each beginning of a word: of one tag, of two, of all.

        Args:
            tags: as for `head`.
        """
        return self._known[tuple(map(self._class, tags))]

    def _find(self, kinds: tuple[str, ...]) -> list[int]:
        """Return the index of the head of each beginning of a word of these kinds."""
        heads_of_rows = [-1] * len(self._rows)
        heads = []
        for index, kind in enumerate(kinds):
            for row, ((wanted, fits), pick) in enumerate(self._rows):
                if (kind in wanted) == fits and (heads_of_rows[row] < 0 or _PICK[pick]):
                    heads_of_rows[row] = index
            heads.append(next((head for head in heads_of_rows if head >= 0), 0))
        return heads


class _Tagged(NamedTuple):
    """What the tags of a word say, whatever the UPOS of the word is."""

    kinds: list[str]
    tagset: str
    """The tag set that has all of the tags; "" if neither has."""
    among: list[int]
    """The morphemes, from 0, that may be the head."""


class WordHeadRule:
    """Find the head among the morphemes of a word whose UPOS is known, as in a UD treebank.

    Particles, endings, affixes, symbols and auxiliaries are no heads unless a word has nothing
    else (memoir, §3.3.1). The rule of the published program knows no such limit.

    Args:
        rules: the tables.
        rule: of rules/heads.tsv, "word" or "published".

    >>> from sejongud.rules import load
    >>> WordHeadRule(load()).head(["NNG", "NNG", "JKO"], ["NOUN", "NOUN", "ADP"], "NOUN")
    1
    """

    def __init__(self, rules: Rules, rule: str = "word") -> None:
        self._kind = rules.kind
        self._kaist = frozenset([row["tag"] for row in rules.table("kaist-tags")])
        # Tags of the Penn Korean Treebank divide words as those of Sejong do.
        self._sejong = frozenset(rules.kinds) - self._kaist
        self._rows = [
            (row["tagset"], _choice(row["word"]), row["by"], _choice(row["of"]), row["pick"])
            for row in rules.table("heads")
            if row["rule"] == rule
        ]
        self._among = [
            _choice(row["of"])
            for row in rules.table("heads")
            if row["rule"] == "among" and rule == "word"
        ]
        self._tagged: Memo[tuple[str, ...], _Tagged] = Memo.of(
            self, WordHeadRule._tag, size=_REMEMBERED
        )
        self._of_word: Memo[tuple[str, str], list[tuple[str, frozenset[str], bool, str]]] = Memo.of(
            self, lambda rule, key: rule._rows_for(*key), size=_REMEMBERED
        )

    def among(self, tags: Sequence[str]) -> list[int]:
        """Return the morphemes, from 0, that may be the head.

        Args:
            tags: of the morphemes; at least one.
        """
        return self._tagged[tuple(tags)].among

    def head(self, tags: Sequence[str], upos: Sequence[str], word: str) -> int:
        """Return the index of the head morpheme.

        Args:
            tags: of the morphemes; at least one.
            upos: of the morphemes.
            word: the UPOS of the word.
        """
        kinds, tagset, among = self._tagged[tuple(tags)]
        for by, wanted, fits, pick in self._of_word[tagset, word]:
            classes = upos if by == "upos" else kinds
            positions = [i for i in among if (classes[i] in wanted) == fits]
            if positions and (pick != "end" or positions[-1] == among[-1]):
                return positions[_PICK[pick]]
        return among[0]

    def _tag(self, tags: tuple[str, ...]) -> _Tagged:
        """Return what the tags of a word say."""
        kinds = list(map(self._kind, tags))
        among = list(range(len(tags)))
        for wanted, fits in self._among:
            positions = [i for i, kind in enumerate(kinds) if (kind in wanted) == fits]
            if positions:
                among = positions
                break
        return _Tagged(kinds, self._tagset(tags), among)

    def _rows_for(self, tagset: str, word: str) -> list[tuple[str, frozenset[str], bool, str]]:
        """Return the rows for the words of a tag set and a UPOS: by, values, fits, pick."""
        return [
            (by, frozenset((word,)) if "=" in value else value, fits, pick)
            for of_tagset, (words, holds), by, (value, fits), pick in self._rows
            if of_tagset in ("*", tagset) and (word in words) == holds
        ]

    def _tagset(self, tags: Sequence[str]) -> str:
        """Return the tag set that has all of these tags; "" if neither has."""
        if self._sejong.issuperset(tags):
            return "sejong"
        return "kaist" if self._kaist.issuperset(tags) else ""


_PICK = {"first": 0, "last": -1, "end": -1}


def _choice(text: str) -> tuple[frozenset[str], bool]:
    """Read a choice: the values it names, and whether it wants one of them or any other."""
    if text == "*":
        return frozenset(), False
    return frozenset(text.removeprefix("!").split("|")), not text.startswith("!")
