"""The head morpheme of a word (rules/heads.tsv; memoir, §3.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Row, Rules

__all__ = ["HeadRule", "WordHeadRule"]


class HeadRule:
    """Finds the head among the morphemes of a word whose UPOS is not given, or among words.

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
            (row["pick"] == "last", *_kinds(row))
            for row in rules.table("heads")
            if row["rule"] == rule
        ]

    def head(self, tags: Sequence[str]) -> int:
        """Return the index of the head.

        Args:
            tags: of the morphemes, or the UPOS of the words; at least one.
        """
        kinds = list(map(self._class, tags))
        for last, wanted, negated in self._rows:
            found = [at for at, kind in enumerate(kinds) if (kind in wanted) != negated]
            if found:
                return found[-1 if last else 0]
        return 0


class WordHeadRule:
    """Finds the head among the morphemes of a word whose UPOS is given, as in a UD treebank.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> WordHeadRule(load()).head(["NNG", "NNG", "JKO"], ["NOUN", "NOUN", "ADP"], "NOUN")
    1
    """

    def __init__(self, rules: Rules) -> None:
        self._kind = rules.kind
        self._kaist = frozenset([row["tag"] for row in rules.table("kaist-tags")])
        self._sejong = frozenset(rules.tags)
        self._rows = [
            (
                row["tagset"],
                frozenset(row["word"].split("|")),
                row["by"] == "upos",
                frozenset(row["of"].removeprefix("!").split("|")),
                row["of"].startswith("!"),
                row["pick"] == "last",
            )
            for row in rules.table("heads")
            if row["rule"] == "word"
        ]

    def head(self, tags: Sequence[str], upos: Sequence[str], word: str) -> int:
        """The index of the head morpheme.

        Args:
            tags: of the morphemes; at least one.
            upos: of the morphemes.
            word: the UPOS of the word.
        """
        tagset = self._tagset(tags)
        for of_tagset, words, by_upos, of, negated, last in self._rows:
            if of_tagset not in ("*", tagset) or not (word in words or "*" in words):
                continue
            classes = upos if by_upos else [self._kind(tag) for tag in tags]
            wanted = (word,) if "=" in of else of
            any_one = "*" in of
            found = [at for at, one in enumerate(classes) if (any_one or one in wanted) != negated]
            if found:
                return found[-1 if last else 0]
        return 0

    def _tagset(self, tags: Sequence[str]) -> str:
        """Which tag set all of these are of; "" if they are of neither."""
        if all([tag in self._sejong for tag in tags]):
            return "sejong"
        return "kaist" if all([tag in self._kaist for tag in tags]) else ""


def _kinds(row: Row) -> tuple[frozenset[str], bool]:
    """The kinds that a row names, and whether it wants any other instead."""
    of = row["of"]
    if of == "*":
        return frozenset(), True
    return frozenset(of.removeprefix("!").split("|")), of.startswith("!")
