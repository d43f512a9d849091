"""The head morpheme of a word (rules/heads.tsv; memoir, §3.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Row, Rules

__all__ = ["HeadRule"]


class HeadRule:
    """Finds the head among the morphemes of a word that has no UPOS of its own.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> HeadRule(load()).head(["NNG", "XSN", "VCP", "ETM"])
    0
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._rows = [
            (row["pick"] == "last", *_kinds(row))
            for row in rules.table("heads")
            if row["rule"] == "morphemes"
        ]

    def head(self, tags: Sequence[str]) -> int:
        """The index of the head morpheme.

        Args:
            tags: of the morphemes; at least one.
        """
        kinds = [self._rules.kind(tag) for tag in tags]
        for last, wanted, negated in self._rows:
            found = [at for at, kind in enumerate(kinds) if (kind in wanted) != negated]
            if found:
                return found[-1 if last else 0]
        return 0


def _kinds(row: Row) -> tuple[frozenset[str], bool]:
    """The kinds that a row names, and whether it wants any other instead."""
    of = row["of"]
    if of == "*":
        return frozenset(), True
    return frozenset(of.removeprefix("!").split("|")), of.startswith("!")
