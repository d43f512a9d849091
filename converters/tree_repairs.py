"""Punctuation of a UD tree, and the repair of what UD forbids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.layers.arcs import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.converters.tree_words import TreeRow, TreeWord, WordTree

_MARK = "punct"
_CONJUNCT = "conj"


def repair(tree: WordTree, rows: Sequence[TreeRow]) -> None:
    """Change the relations and UPOS that UD forbids.

    Args:
        tree: its words but the punctuation have relations.
        rows: of rules/ud-relations.tsv, of which each is tried.
    """
    leaves, stays = tree.classes["leaf"], tree.classes["on-leaf"]
    words = [word for word in tree.words if not word.is_mark]
    for word in words:
        while word.head and word.head.deprel in leaves and word.deprel not in stays:
            word.head = word.head.head
    tree.changed()
    for row in rows:
        for word in words:
            if row.fits(tree, word.head, word):
                relation, upos = row.cells["relation"], row.cells["upos"]
                word.deprel = word.deprel if relation == "=" else relation
                word.upos, word.rule = upos or word.upos, row.cells["name"]
                tree.changed()
    for word in words:
        _keep_last(tree, word)


def _keep_last(tree: WordTree, head: TreeWord) -> None:
    """Make all subjects of a word but the last `dislocated`, and its objects likewise."""
    for relations in (("nsubj", "csubj"), ("obj",)):
        several = [w for w in tree.dependents(head) if w.deprel.partition(":")[0] in relations]
        for word in several[:-1]:
            word.deprel = "dislocated"
    tree.changed()


# --- punctuation ----------------------------------------------------------------------------------


def attach_marks(tree: WordTree) -> None:
    """Give the punctuation marks of a tree their heads.

    Args:
        tree: all of its other words have heads.
    """
    words = [word for word in tree.words if not word.is_mark]
    marks = [word for word in tree.words if word.is_mark]
    if not words:
        for mark in marks:
            mark.head, mark.deprel = (marks[0], _MARK) if mark is not marks[0] else (None, ROOT)
        return
    for mark in marks:
        mark.head, mark.deprel = None, _MARK
    spans = {word: tree.span(word, marks=False) for word in words}
    arcs = [(min(w.at, w.head.at), max(w.at, w.head.at)) for w in words if w.head is not None]
    partners = _partners(tree)
    root = next(word for word in words if word.head is None)
    arcs.append((-1, root.at))
    for mark in marks:
        left = [word for word in words if word.at < mark.at]
        right = [word for word in words if word.at > mark.at]
        wanted = _wanted(mark, left, right, spans, partners, tree, root)
        candidates = [wanted, *_ancestors(left[-1:]), *_ancestors(right[:1])]
        mark.head = next((w for w in candidates if not _crosses(mark, w, arcs)), wanted)
        arcs.append((min(mark.at, mark.head.at), max(mark.at, mark.head.at)))


def _wanted(
    mark: TreeWord,
    left: Sequence[TreeWord],
    right: Sequence[TreeWord],
    spans: dict[TreeWord, tuple[int, int]],
    partners: dict[TreeWord, TreeWord],
    tree: WordTree,
    root: TreeWord,
) -> TreeWord:
    """Return the word that a mark should hang on."""
    if mark in partners:
        first, last = sorted((mark.at, partners[mark].at))
        inside = [word for word in spans if first < word.at < last]
        tops = [w for w in inside if w.head is None or not first < w.head.at < last]
        if tops:
            return tops[0] if mark.at == first else tops[-1]
    if not right:
        return root
    conjuncts = [w for w in right if w.deprel == _CONJUNCT and spans[w][0] == right[0].at]
    if mark.word.form in tree.classes["comma"] and conjuncts:
        return conjuncts[-1]
    is_opening = mark.word.form in tree.classes["quote"] or not left
    word = right[0] if is_opening else left[-1]
    while word.head is not None and (
        spans[word.head][0] > mark.at if is_opening else spans[word.head][1] < mark.at
    ):
        word = word.head
    return word


def _partners(tree: WordTree) -> dict[TreeWord, TreeWord]:
    """Return the partner of each quotation mark and bracket that has one."""
    pairs = tree.classes["quote"]
    partners: dict[TreeWord, TreeWord] = {}
    opened: list[TreeWord] = []
    for word in tree.words:
        if not word.is_mark:
            continue
        form = word.word.form
        opening = next((one for one in reversed(opened) if form in pairs[one.word.form]), None)
        if opening is not None:
            partners |= {opening: word, word: opening}
            del opened[opened.index(opening) :]
        elif form in pairs:
            opened.append(word)
    return partners


def _ancestors(words: Sequence[TreeWord]) -> list[TreeWord]:
    """Return the first of some words with all words above it."""
    chain = list(words[:1])
    while chain and chain[-1].head is not None:
        chain.append(chain[-1].head)
    return chain


def _crosses(mark: TreeWord, head: TreeWord, arcs: Sequence[tuple[int, int]]) -> bool:
    """Return whether the arc of a mark crosses another arc."""
    first, last = sorted((mark.at, head.at))
    return any([first < start < last < end or start < first < end < last for start, end in arcs])
