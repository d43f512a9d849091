"""Dependencies against gold: the figures of conll18_ud_eval and udeval (Zeman et al. 2018)."""

from __future__ import annotations

from bisect import bisect_left
from operator import and_
from typing import TYPE_CHECKING

from sejongud.evaluation.base import FScores, Unit
from sejongud.evaluation.dep_trees import ROOT, Trees
from sejongud.evaluation.treebank import Treebank
from sejongud.evaluation.ud_words import pair_ud_words
from sejongud.layers.matching import count_common
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.evaluation.side import Side
    from sejongud.evaluation.ud_words import Pairs
    from sejongud.files import Source
    from sejongud.layers.matching import Group, Likeness

__all__ = ["Dep"]

_TAGS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
_ARCS = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")
_CONTENT = ("CLAS", "MLAS", "BLEX")
"""The scores that count content words only."""

_UNALIGNED = -3
"""The gold word of a system word that is not aligned."""


class Dep(FScores[Trees]):
    """Counts tokens, sentences, words, tags, lemmas and arcs that a system has right.

    Args:
        rules: the user's tables, as for `sejongud.rules.load`.
    """

    def __init__(self, rules: str | None = None) -> None:
        super().__init__("dep", ("Tokens", "Sentences", "Words", *_TAGS, *_ARCS), (*_TAGS, *_ARCS))
        self._rules = load(rules)

    def read(self, source: Source) -> Side[Trees]:
        """Read CoNLL-U; see `Metric.read`."""
        bank = Treebank.read(source.chunks(), source.path)
        trees = Trees(bank, self._rules)
        return bank.side(trees, trees.incidents)

    def _units(
        self, gold: Side[Trees], system: Side[Trees], groups: Sequence[Group], likeness: Likeness
    ) -> list[Unit]:
        """Return the statistics of each group, from words aligned in the whole file."""
        ours, theirs = gold.data, system.data
        pairs = pair_ud_words(ours.bank, theirs.bank, groups, likeness)
        correct = _correct(ours, theirs, pairs)
        content_pairs = [ours.content[g] for g, _ in pairs]
        gold_of_pairs = [g for g, _ in pairs]
        units = []
        for group in groups:
            our_words = ours.bank.words_of(group.gold)
            their_words = theirs.bank.words_of(group.system)
            our_tokens = ours.bank.tokens_of(group.gold)
            their_tokens = theirs.bank.tokens_of(group.system)
            # The pairs are in gold order: those of the group are neighbours.
            begin = bisect_left(gold_of_pairs, our_words.start)
            end = bisect_left(gold_of_pairs, our_words.stop)
            words = len(our_words), len(their_words), end - begin
            content = (
                sum(ours.content[our_words.start : our_words.stop]),
                sum(theirs.content[their_words.start : their_words.stop]),
                sum(content_pairs[begin:end]),
            )
            common = count_common(our_tokens, their_tokens, likeness)
            counts = [common, len(our_tokens), len(their_tokens)]
            counts += [int(group.one_to_one), len(group.gold), len(group.system)]
            counts += [end - begin, len(our_words), len(their_words)]
            for row in (*_TAGS, *_ARCS):
                counts += (sum(correct[row][begin:end]), *(content if row in _CONTENT else words))
            units.append(Unit(group.gold, group.system, counts))
        return units


def _correct(gold: Trees, system: Trees, pairs: Pairs) -> dict[str, list[bool]]:
    """Return whether each pair of words is correct, by the name of the score."""
    # The gold word of each system word; the last two entries serve the negative numbers of
    # NO_GOVERNOR and ROOT.
    stands_for = [_UNALIGNED] * len(system.governors) + [_UNALIGNED, ROOT]
    for g, s in pairs:
        stands_for[s] = g
    upos = [gold.upos[g] == system.upos[s] for g, s in pairs]
    xpos = [gold.xpos[g] == system.xpos[s] for g, s in pairs]
    feats = [gold.feats[g] == system.feats[s] for g, s in pairs]
    lemmas = [gold.lemmas[g] in ("_", system.lemmas[s]) for g, s in pairs]
    uas = [gold.governors[g] == stands_for[system.governors[s]] for g, s in pairs]
    las = list(map(and_, uas, [gold.deprels[g] == system.deprels[s] for g, s in pairs]))
    clas = list(map(and_, las, [gold.content[g] for g, _ in pairs]))
    tags = list(map(and_, upos, feats))

    def same_children(g: int, s: int) -> bool:
        ours, theirs = gold.function_children.get(g, ()), system.function_children.get(s, ())
        return len(ours) == len(theirs) and all(
            stands_for[b] == a
            and gold.deprels[a] == system.deprels[b]
            and gold.upos[a] == system.upos[b]
            and gold.feats[a] == system.feats[b]
            for a, b in zip(ours, theirs, strict=True)
        )

    return {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": list(map(and_, tags, xpos)),
        "Lemmas": lemmas,
        "UAS": uas,
        "LAS": las,
        "CLAS": clas,
        "MLAS": [
            arc and same and same_children(g, s)
            for arc, same, (g, s) in zip(clas, tags, pairs, strict=True)
        ],
        "BLEX": list(map(and_, clas, lemmas)),
    }
