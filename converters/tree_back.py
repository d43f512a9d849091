"""The head-final tree of eojeols that a UD tree was made of, as far as UD tells it.

    1 갈    0 root            1 갈    2 VP_MOD
    2 수    1 aux             2 수    3 NP_SBJ
    3 있다  2 fixed           3 있다  0 VP

An eojeol that hangs on one before it goes up: the auxiliary above its verb, the last conjunct above
the others. Labels follow from relation and tags (steps `category` and `function` of
rules/ud-relations.tsv). Where that is not the tree of the treebank, `TreeHead=` and `TreeLabel=` in
MISC of the first word of an eojeol tell it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.converters.recut import recut_at
from sejongud.converters.relations import UD
from sejongud.converters.tree_words import TreeWord, WordClasses, WordTree, first_fit, rows_of
from sejongud.converters.trees import Dependencies
from sejongud.errors import FormatError
from sejongud.formats.base import to_number
from sejongud.formats.klue import as_word
from sejongud.formats.misc import TREE_HEAD, TREE_LABEL, misc_items, unescape_misc
from sejongud.layers.arcs import ROOT
from sejongud.layers.losses import not_written
from sejongud.layers.trees import depths_of
from sejongud.model import LEVELS, NOTHING, Arcs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Sentence
    from sejongud.rules import Rules

_LEVEL = 2
_HAS_UD = "E610"
_CONJUNCT, _UNDER = "conj", "under-"


class Undo:
    """Finds the head-final tree of a UD tree.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._classes = WordClasses(rules)
        self._rows = rows_of(rules, "ud-relations", "ud", self._classes)

    def __call__(self, sentence: Sentence) -> Arcs:
        """Return the arcs of the eojeols of a sentence with the words of level 2."""
        assert sentence.arcs is not None
        heads, deprels = _final(_of_eojeols(sentence))
        words = []
        for number, (eojeol, deprel) in enumerate(zip(sentence.eojeols, deprels, strict=True)):
            tags = self._rules.sejong_tags(eojeol.morphemes)
            pairs = [(m.form, tag) for m, tag in zip(eojeol.morphemes, tags, strict=True)]
            word = eojeol.tokens[0].words[0]
            words.append(TreeWord(number, word, pairs, number, "", deprel=deprel))
        tree = WordTree(words, self._classes)
        for one, head in zip(words, heads, strict=True):
            one.head = words[head] if head >= 0 else None
        labels = [self._label(tree, one) for one in words]
        return Arcs(tuple([head + 1 for head in heads]), tuple(labels))

    def _label(self, tree: WordTree, word: TreeWord) -> str:
        parts = [
            row["relation"]
            for step in ("category", "function")
            if (row := first_fit(self._rows[step], tree, word.head, word))
        ]
        return "_".join([part for part in parts if part != "="])


def _of_eojeols(sentence: Sentence) -> list[tuple[int, str]]:
    """Return the head of each eojeol, from 0, -1 for the root, and its relation."""
    arcs = sentence.arcs
    assert arcs is not None
    places = [
        number
        for number, eojeol in enumerate(sentence.eojeols)
        for token in eojeol.tokens
        for _ in token.words
    ]
    depths = depths_of(arcs.heads)
    marks = [word.upos == "PUNCT" for word in sentence.words]
    tops: dict[int, int] = {}
    for at, place in enumerate(places):
        top = tops.setdefault(place, at)
        if (marks[at], depths[at]) < (marks[top], depths[top]):
            tops[place] = at
    return [
        (places[arcs.heads[top] - 1] if arcs.heads[top] > 0 else -1, arcs.deprels[top])
        for top in tops.values()
    ]


def _final(arcs: Sequence[tuple[int, str]]) -> tuple[list[int], list[str]]:
    """Return heads, from 0, and relations of a tree in which every head stands on the right.

    An eojeol with dependents on its right hangs on the first of them, and that on the next;
    conjuncts all hang on the last. The last has the relation of the first.
    """
    heads, deprels = [-1] * len(arcs), [deprel for _, deprel in arcs]
    children: list[list[int]] = [[] for _ in arcs]
    for at, (head, _) in enumerate(arcs):
        if head >= 0:
            children[head].append(at)
    # The word that stands highest when the words behind have gone up; words below come first.
    order = [at for at, (head, _) in enumerate(arcs) if head < 0]
    for at in order:
        order += children[at]
    tops = list(range(len(arcs)))
    for at in reversed(order):
        behind = [one for one in children[at] if one > at]
        chain = [one for one in behind if not arcs[one][1].startswith(_CONJUNCT)]
        conjuncts = [one for one in behind if one not in chain]
        for one in children[at]:
            if one < at:
                heads[tops[one]] = at
        top = at
        for one in chain:
            heads[top], deprels[top] = one, _UNDER + arcs[one][1]
            top = tops[one]
        for one in [top, *[tops[one] for one in conjuncts[:-1]]] if conjuncts else ():
            heads[one], deprels[one] = conjuncts[-1], _UNDER + _CONJUNCT
        tops[at] = tops[conjuncts[-1]] if conjuncts else top
        deprels[tops[at]] = arcs[at][1]
    return heads, deprels


class TreeBack:
    """Gives sentences with UD trees the head-final trees of eojeols that these were made of.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._recut = recut_at(_LEVEL, rules=rules)
        self._undo = Undo(rules)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its eojeols as words."""
        if sentence.arcs is None:
            return sentence
        words = self._recut(sentence)
        arcs = self._undo(words)
        heads, labels = list(arcs.heads), list(arcs.deprels)
        for at, eojeol in enumerate(words.eojeols):
            items = misc_items(eojeol.tokens[0].misc)
            head = to_number(items.get(TREE_HEAD, ""))
            if head is not None and head <= len(heads):
                heads[at] = head
            labels[at] = unescape_misc(items.get(TREE_LABEL, labels[at]))
        eojeols = tuple(map(as_word, words.eojeols))
        result = words.with_cut(eojeols, Arcs(tuple(heads), tuple(labels)))
        result.is_treebank = True
        feats = [word.feats for token in sentence.tokens for word in token.words]
        if sentence.arcs.deps or not {"", NOTHING}.issuperset(feats):
            result.notes = (*result.notes, *not_written(["FEATS and DEPS of the words"]))
        return result


class HeadFinal:
    """Gives sentences the head-final dependencies of their trees.

    A sentence without a tree has dependencies of UD, which are undone, or those of a treebank.

    Args:
        rules: the tables.
        scheme: the scheme that the dependencies get then.
        level: the level of the words.
    """

    def __init__(self, rules: Rules, scheme: str = "", level: int | None = None) -> None:
        self._of_trees = Dependencies(rules, None if scheme == UD else level)
        self._back = TreeBack(rules)
        self._eojeols = recut_at(LEVELS[0], rules=rules)
        self._scheme = scheme

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its eojeols as words.

        Raises:
            FormatError: the sentence is to get relations of UD, and has them.
        """
        if sentence.constituents or sentence.arcs is None:
            return self._of_trees(sentence)
        if ROOT not in sentence.arcs.deprels:
            return self._eojeols(sentence)
        if self._scheme == UD:
            raise FormatError("the sentence has no tree, and relations of UD already", code=_HAS_UD)
        return self._back(sentence)
