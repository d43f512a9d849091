"""The relations of words whose UPOS is another one once they are split (rules/upos-relations.tsv).

    한국에서 ADV --advmod-->      한국 PROPN --obl-->,  에서 ADP --case--> 한국

A treebank's UPOS may be that of a whole word with its particle; the head part has the UPOS of its
morphemes, and UD permits few relations with any UPOS.
"""

from __future__ import annotations

from itertools import chain, compress, count
from operator import ne
from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.arcs import Cells, relation_class
from sejongud.memo import remembered_by
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sejongud.model import Arcs
    from sejongud.rules import Row, Rules

_REMEMBERED = 4_000
COPULA, ADVERBIAL = "VCP", "JKB"
UPOS, DEPREL = "WordUPOS", "WordDeprel"
OUTER, INNER = "outer", "inner"
_POSS = "poss"
"""The subtype that both det and nmod have."""


class WordUpos(NamedTuple):
    """The UPOS of a word before and after it is split."""

    upos: str
    """The UPOS of its head part."""
    source: str
    """The UPOS in the treebank."""
    has_copula: bool
    """Whether a copula stands among its morphemes behind the head."""
    is_adverbial: bool
    """Whether an adverbial particle does."""

    @classmethod
    def of(cls, upos: str, source: str, tags: Sequence[str]) -> WordUpos:
        """Return the UPOS of a word.

        Args:
            upos: of its head part.
            source: in the treebank.
            tags: the Sejong tags of the morphemes behind its head.
        """
        return cls(upos, source, COPULA in tags, ADVERBIAL in tags)


class Relabelled(NamedTuple):
    """The arcs of a sentence whose relations changed with UPOS."""

    arcs: Arcs
    told: dict[int, Cells]
    """What MISC must tell, by word, from 0."""
    repairs: tuple[str, ...]
    """The repairs, each as the old and the new relation."""


class Relabelling:
    """Finds the relations of the words of a sentence that change with UPOS.

    Args:
        rules: the tables.
        repairs: whether relations that no split changes are repaired too.
    """

    def __init__(self, rules: Rules, *, repairs: bool = False) -> None:
        self.repairs = repairs
        self._of_words: dict[str, list[Row]] = {}
        self._of_governors: dict[str, str] = {}
        self._of_clauses: dict[tuple[str, str], str] = {}
        self._repairs: list[Row] = []
        for row in rules.table("upos-relations"):
            if row["repair"]:
                self._repairs.append(row)
            elif row["governor"] == "turned":
                self._of_governors[row["relation"]] = row["becomes"]
            elif row["governor"] in (OUTER, INNER):
                self._of_clauses[row["relation"], row["governor"]] = row["becomes"]
            else:
                self._of_words.setdefault(row["relation"], []).append(row)
        self.in_clauses = frozenset([relation for relation, _ in self._of_clauses])
        """The relations that differ in the outer and the inner clause of a word of level 1."""
        classes = rules.ud_classes
        self._nominals = frozenset(classes["nominal"])
        self._of_nominals, self._of_turned, self._of_predicates = [
            relation_class(classes[name]) for name in ("of_nominal", "of_turned", "of_predicate")
        ]

    def __call__(
        self,
        arcs: Arcs,
        words: Sequence[WordUpos],
        moved: Iterable[int] = (),
        clauses: Mapping[int, str] | None = None,
    ) -> Relabelled:
        """Return the arcs with the changed relations.

        Args:
            arcs: of the words of the treebank.
            words: the UPOS of each word before and after.
            moved: the words, from 0, whose governor was joined to another word.
            clauses: the words of relations `in_clauses`, from 0, that belong to the outer or the
                inner one of two clauses in a word.
        """
        turned = [at for at, word in enumerate(words) if word[0] != word[1]]
        if not (turned or moved or self.repairs):
            return Relabelled(arcs, {}, ())
        deprels = list(arcs.deprels)
        for at, clause in (clauses or {}).items():
            deprels[at] = self._of_clauses.get((deprels[at], clause), deprels[at])
        kept, of_nominals = self._by_upos(deprels, turned, words)
        predicates: set[int] = set()

        def is_nominal(at: int, relations: Mapping[str, bool]) -> bool:
            # A nominal that is no predicate, by its relation.
            if at < 0 or (word := words[at]).has_copula:
                return False
            if (word.source if at in kept else word.upos) not in self._nominals:
                return False
            predicates.update(self._predicates(arcs.heads, deprels) if not predicates else ())
            return at not in predicates and relations[deprels[at]]

        for at, becomes in of_nominals:
            if is_nominal(arcs.heads[at] - 1, self._of_nominals):
                deprels[at] = becomes
        if not self._of_governors.keys().isdisjoint(deprels):
            changed = {at + 1 for at in turned if at not in kept}
            below = chain(moved, compress(count(), map(changed.__contains__, arcs.heads)))
            for at in [at for at in below if deprels[at] in self._of_governors]:
                if is_nominal(arcs.heads[at] - 1, self._of_turned):
                    deprels[at] = self._of_governors[deprels[at]]
        repairs: list[str] = []
        if self.repairs:
            finals = [w._replace(upos=w.source) if at in kept else w for at, w in enumerate(words)]
            repairs = self._repaired(arcs.heads, deprels, finals, is_nominal)
        changes = _changes(kept, arcs.deprels, deprels)
        return Relabelled(arcs._replace(deprels=tuple(deprels)), changes, tuple(repairs))

    def _repaired(
        self,
        heads: Sequence[int],
        deprels: list[str],
        words: Sequence[WordUpos],
        is_nominal: Callable[[int, Mapping[str, bool]], bool],
    ) -> list[str]:
        """Repair the relations of the treebank, in place, and return the repairs."""
        repairs = []
        predicates = self._predicates(heads, deprels)
        for row in self._repairs:
            for at, deprel in enumerate(deprels):
                if (
                    deprel == row["relation"]
                    and _fits(row, words[at])
                    and (row["copula"] != "no" or (words[at].is_adverbial and at not in predicates))
                    and (row["governor"] == ANY or is_nominal(heads[at] - 1, self._of_nominals))
                ):
                    deprels[at] = row["becomes"]
                    repairs.append(f"{deprel} → {row['becomes']}")
        return repairs

    def _predicates(self, heads: Sequence[int], deprels: Sequence[str]) -> set[int]:
        """Return the words, from 0, with a dependent that only predicates have; -1 is the root."""
        are_such = map(self._of_predicates.__getitem__, deprels)
        return {-1, *[head - 1 for head in compress(heads, are_such)]}

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
            if_nominal, becomes = self._decided[deprels[at], words[at]]
            if if_nominal:
                of_nominals += [(at, relation) for relation in if_nominal]
            if becomes is None:
                kept.add(at)
            else:
                deprels[at] = becomes
        return kept, of_nominals

    @remembered_by(_REMEMBERED)
    def _decided(self, deprel: str, word: WordUpos) -> tuple[tuple[str, ...], str | None]:
        """Return the relations of a word if its governor is a nominal, and its relation otherwise.

        The second is None for a word that keeps its UPOS.
        """
        relation, _, subtype = deprel.partition(":")
        if_nominal = []
        for row in self._of_words.get(relation, ()):
            if not _fits(row, word):
                continue
            becomes = row["becomes"]
            if row["governor"] != ANY:
                if_nominal.append(becomes)
                continue
            if becomes and becomes != relation:
                deprel = becomes + (f":{subtype}" if subtype == _POSS else "")
            return tuple(if_nominal), deprel if becomes else None
        return tuple(if_nominal), deprel


class Changes:
    """Knows which relations a relation may become when words are split.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._next: dict[str, set[str]] = {}
        for row in rules.table("upos-relations"):
            self._next.setdefault(_base(row["relation"]), set()).add(_base(row["becomes"]))

    @remembered_by(_REMEMBERED)
    def fits(self, source: str, deprel: str) -> bool:
        """Return whether a relation may be what another became, by one row or several."""
        known: set[str] = set()
        new = {_base(source)}
        while new - known:
            known |= new
            new = set().union(*[self._next.get(relation, ()) for relation in new])
        return _base(deprel) in known


def _base(deprel: str) -> str:
    return deprel.partition(":")[0]


def _changes(kept: Iterable[int], old: Sequence[str], new: Sequence[str]) -> dict[int, Cells]:
    """Return what MISC must tell of words that keep their UPOS and of words with a new relation."""
    told: dict[int, Cells] = dict.fromkeys(kept, ((UPOS, ""),))
    for at in compress(count(), map(ne, old, new)):
        told[at] = (*told.get(at, ()), (DEPREL, old[at]))
    return told


def _fits(row: Row, word: WordUpos) -> bool:
    """Return whether a word has the UPOS and the copula that a row wants."""
    return (row["upos"] == ANY or word.upos in row["upos"].split("|")) and (
        row["copula"] == ANY or (row["copula"] == "yes") == word.has_copula
    )
