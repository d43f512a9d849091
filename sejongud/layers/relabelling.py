"""The relations of words whose UPOS is another one once they are split (rules/upos-relations.tsv).

    한국에서 ADV --advmod-->      한국 PROPN --obl-->,  에서 ADP --case--> 한국

A treebank's UPOS may be that of a whole word with its particle; the head part has the UPOS of its
morphemes, and UD permits few relations with any UPOS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Arcs
    from sejongud.rules import Row, Rules

UPOS, DEPREL = "WordUPOS", "WordDeprel"
Cells = tuple[tuple[str, str], ...]
"""Keys and values that MISC must tell of a word; `WordUPOS` alone: the word keeps its UPOS."""


class WordUpos(NamedTuple):
    """The UPOS of a word before and after it is split."""

    upos: str
    """The UPOS of its head part."""
    source: str
    """The UPOS in the treebank."""
    has_copula: bool
    """Whether a copula stands behind its head morpheme."""


class Relabelling:
    """Finds the relations of the words of a sentence that change with UPOS.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._of_words: dict[str, list[Row]] = {}
        self._of_governors: dict[str, str] = {}
        for row in rules.table("upos-relations"):
            if row["governor"] == "turned":
                self._of_governors[row["relation"]] = row["becomes"]
            else:
                self._of_words.setdefault(row["relation"], []).append(row)
        classes: dict[str, set[str]] = {}
        for row in rules.table("ud-classes"):
            classes.setdefault(row["class"], set()).add(row["name"])
        self._nominals, self._of_nominals, self._of_turned, self._of_predicates = [
            frozenset(classes[name])
            for name in ("nominal", "of_nominal", "of_turned", "of_predicate")
        ]

    def __call__(self, arcs: Arcs, words: Sequence[WordUpos]) -> tuple[Arcs, dict[int, Cells]]:
        """Return the arcs with the changed relations, and what MISC must tell, by word, from 0.

        Args:
            arcs: of the words of the treebank.
            words: the UPOS of each word before and after.
        """
        turned = [at for at, word in enumerate(words) if word.upos != word.source]
        if not turned:
            return arcs, {}
        deprels = list(arcs.deprels)
        kept, of_nominals = self._by_upos(deprels, turned, words)
        upos = [word.source if at in kept else word.upos for at, word in enumerate(words)]
        governors = {
            head - 1
            for head, deprel in zip(arcs.heads, deprels, strict=True)
            if deprel.partition(":")[0] in self._of_predicates
        }

        def is_nominal(at: int, relations: frozenset[str]) -> bool:
            # A nominal that is no predicate, by its relation.
            return (
                at >= 0
                and upos[at] in self._nominals
                and not words[at].has_copula
                and at not in governors
                and deprels[at].partition(":")[0] in relations
            )

        for at, becomes in of_nominals:
            if is_nominal(arcs.heads[at] - 1, self._of_nominals):
                deprels[at] = becomes
        now_nominal = {at for at in turned if at not in kept and is_nominal(at, self._of_turned)}
        for at, head in enumerate(arcs.heads):
            if head - 1 in now_nominal:
                deprels[at] = self._of_governors.get(deprels[at], deprels[at])
        told: dict[int, Cells] = dict.fromkeys(kept, ((UPOS, ""),))
        for at, (old, new) in enumerate(zip(arcs.deprels, deprels, strict=True)):
            if old != new:
                told[at] = (*told.get(at, ()), (DEPREL, old))
        return arcs._replace(deprels=tuple(deprels)), told

    def _by_upos(
        self, deprels: list[str], turned: Sequence[int], words: Sequence[WordUpos]
    ) -> tuple[set[int], list[tuple[int, str]]]:
        """Set the relations that a word's own UPOS decides, in place.

        Returns:
            The words, from 0, that keep their UPOS, and those that have another relation, beside
            them, if their governor is a nominal.
        """
        kept: set[int] = set()
        of_nominals: list[tuple[int, str]] = []
        for at in turned:
            word = words[at]
            for row in self._of_words.get(deprels[at].partition(":")[0], ()):
                if not (
                    (row["upos"] == ANY or word.upos in row["upos"].split("|"))
                    and (row["copula"] == ANY or (row["copula"] == "yes") == word.has_copula)
                ):
                    continue
                if row["governor"] != ANY:
                    of_nominals.append((at, row["becomes"]))
                    continue
                if row["becomes"]:
                    deprels[at] = row["becomes"]
                else:
                    kept.add(at)
                break
        return kept, of_nominals
