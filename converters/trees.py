"""Constituents: from eojeol dependencies and back, onto other sentences, and stripped.

A head-final dependency tree and a binary tree whose right child is the head say the same. An eojeol
with its dependents becomes a spine: the nearest dependent is joined first.

    1 비가    3 NP_SBJ        (S (NP_SBJ 비가)
    2 많이    3 AP               (VP (AP 많이)
    3 온다    0 VP                   (VP 온다)))

A node has the label of its head, but it is a clause (S) where a subject is joined to a predicate.
Back, the head of a constituent is its last word, and the relation of a word is the label of the
largest constituent that ends with it; the category of a clause is that of its last word. Where a
head stands before its dependent, as in UD, the label ends in `<`: its first child is the head.
rules/tree-labels.tsv says which labels are meant.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.converters.recut import Recut
from sejongud.errors import Note
from sejongud.formats.around import restore_comment
from sejongud.formats.trees import PLACES, inside_error
from sejongud.layers.trees import (
    EMPTY_TAG,
    crossed,
    nulls,
    widened,
    without,
    without_nulls,
    word_ends,
)
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs, Constituent, Sentence
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Rules

Inside = Literal["", "widen", "drop"]
"""The treatment of a constituent that begins or ends inside a word."""

NO_TREE = "W607"
"""The code of a sentence of which no tree, or no dependencies, can be made."""
_NOT_BINARY = "W608"
_SEVERAL = "constituent[s] [has|have] more than two children: [its head is|their heads are] last"
_WIDENED = "W609"
_DROPPED = "W613"
HEAD_FIRST = "<"
"""The end of the label of a constituent whose head is its first child."""
_FUNCTION = re.compile(r"([^-_=]+)([-_=].*)")


class TreeLabels:
    """Answers what labels of constituents are.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        rows = rules.table("tree-labels")
        by_kind = {
            name: [row["label"] for row in rows if row["class"] == name]
            for name in ("clause", "predicate", "subject", "root")
        }
        self.clauses = frozenset(by_kind["clause"])
        self.roots = frozenset((*by_kind["root"], ""))
        self.root = rules.first_row("tree-labels", "class", "root")["label"]
        self._clause = rules.first_row("tree-labels", "class", "clause")["label"]
        self._heads = frozenset((*by_kind["predicate"], *by_kind["clause"]))
        self._subjects = frozenset(by_kind["subject"])

    def joined(self, left: str, head: str) -> str:
        """Return the label of the node over two children.

        Args:
            left: the label of the left child.
            head: the label of the right child, which is the head.
        """
        category, function = split_label(head)
        if split_label(left)[1][1:] in self._subjects and category in self._heads:
            return self._clause + function
        return head

    def relation(self, largest: str, label: str) -> str:
        """Return the relation of a word.

        Args:
            largest: the label of the largest constituent that ends with the word.
            label: the label of the smallest.
        """
        category, function = split_label(largest)
        return split_label(label)[0] + function if category in self.clauses else largest


def split_label(label: str) -> tuple[str, str]:
    """Return the category of a label, and its function with the character before it.

    >>> split_label("NP_SBJ"), split_label("WHNP-1"), split_label("VP"), split_label("-LRB-")
    (('NP', '_SBJ'), ('WHNP', '-1'), ('VP', ''), ('-LRB-', ''))
    """
    match = _FUNCTION.fullmatch(label)
    return (match[1], match[2]) if match else (label, "")


def bare(label: str) -> str:
    """Return a label without its function.

    >>> [bare(label) for label in ("NP-SBJ", "NP_SBJ", "WHNP-1", "NP=2", "-NONE-", "-LRB-")]
    ['NP', 'NP', 'WHNP', 'NP', '-NONE-', '-LRB-']
    """
    return split_label(label)[0]


# --- dependencies ---------------------------------------------------------------------------------


class FromDependencies:
    """Gives sentences the constituents that belong to their dependencies.

    A sentence whose dependencies are no projective tree stays without constituents, and a note
    tells it. The label of a constituent whose head stands before its dependent ends in `<`.

    Args:
        rules: the tables.
        root: the label of a constituent around the whole tree; "" for none.
    """

    def __init__(self, rules: Rules, root: str = "") -> None:
        self._labels = TreeLabels(rules)
        self._root = root

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its constituents."""
        if sentence.arcs is None:
            return _noted(sentence, Note(NO_TREE, "no tree: the sentence has no dependencies"))
        heads, deprels = sentence.arcs.heads, sentence.arcs.deprels
        fault = _fault(heads)
        if fault:
            forms = [word.form for word in sentence.words] or [""]
            form = forms[fault - 1] or sentence.eojeols[fault - 1].form
            message = (
                f"no tree: arcs cross below word {fault}, {form}, or it is no part of one tree"
            )
            return _noted(sentence, Note(NO_TREE, message))
        nodes = self._over_words(heads, deprels)
        places = [0, *word_ends(sentence)]
        sentence.constituents = tuple(
            [node._replace(start=places[node.start], end=places[node.end]) for node in nodes]
        )
        return sentence

    def _over_words(self, heads: Sequence[int], deprels: Sequence[str]) -> list[Constituent]:
        """Return the constituents over the words of a projective tree."""
        count = len(heads)
        dependents: list[list[int]] = [[] for _ in range(count + 1)]
        for word, head in enumerate(heads, 1):
            dependents[head].append(word)
        (root,) = dependents[0]
        order = [root]
        for word in order:
            # The outermost comes first; dependents on the left are joined last.
            ones = dependents[word]
            left = sum([one < word for one in ones])
            dependents[word] = [*ones[:left], *reversed(ones[left:])]
            order += ones
        spines: list[list[Constituent]] = [[] for _ in range(count + 1)]
        for word in reversed(order):
            node = Constituent(deprels[word - 1], word - 1, word, 0)
            spine = [node]
            for dependent in reversed(dependents[word]):
                other, plain = spines[dependent][-1], node.label.removesuffix(HEAD_FIRST)
                label = plain + HEAD_FIRST
                if dependent < word:
                    label = self._labels.joined(other.label.removesuffix(HEAD_FIRST), plain)
                ends = min(node.start, other.start), max(node.end, other.end)
                node = Constituent(label, *ends, 0)
                spine.append(node)
            spines[word] = spine
        nodes: list[Constituent] = []
        if self._root:
            nodes.append(Constituent(self._root, 0, count, 0))
        # A word, its first dependent that is not yet joined, and the depth.
        todo = [(root, 0, len(nodes))]
        while todo:
            word, joined, depth = todo.pop()
            nodes.append(spines[word][len(dependents[word]) - joined]._replace(depth=depth))
            if joined < len(dependents[word]):
                # The children of a node, of which the left one is taken first.
                outer = dependents[word][joined]
                pair = [(word, joined + 1, depth + 1), (outer, 0, depth + 1)]
                todo += pair if outer < word else pair[::-1]
        return nodes


def _fault(heads: Sequence[int]) -> int:
    """Return the first word that keeps the heads from being a projective tree; 0 if none does.

    It is a second root, a word that leads to no root, or one whose span has a gap.
    """
    count = len(heads)
    dependents: list[list[int]] = [[] for _ in range(count + 1)]
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= count:
            return word
        dependents[head].append(word)
    if len(dependents[0]) != 1:
        return dependents[0][1] if dependents[0] else 1
    order = list(dependents[0])
    for word in order:
        order += dependents[word]
    spans = {word: (word, word, 1) for word in order}
    for word in reversed(order):
        for start, end, size in map(spans.__getitem__, dependents[word]):
            first, last, words = spans[word]
            spans[word] = min(first, start), max(last, end), words + size
    faults = {word for word, (start, end, size) in spans.items() if end - start + 1 > size}
    return min(faults | set(range(1, count + 1)) - set(order), default=0)


class Dependencies:
    """Gives sentences the dependencies of eojeols that belong to their constituents.

    The words of the sentence are then its eojeols. A note tells a constituent that does not have
    two children, since the head of any constituent is taken to be its last child.

    Args:
        rules: the tables.
        level: the level of the words of trees whose labels tell the head.
    """

    def __init__(self, rules: Rules, level: int | None = None) -> None:
        self._labels = TreeLabels(rules)
        self._recut = Recut(Granularity(rules, 1), retag=True, relemma=True)
        self._words = Recut(Granularity(rules, level or 1), retag=True, relemma=True)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence cut into eojeols, with their dependencies."""
        layer = without_nulls(sentence.constituents)
        sentence.arcs, sentence.is_treebank = None, False
        is_marked = any([node.label.endswith(HEAD_FIRST) for node in layer])
        result = (self._words if is_marked else self._recut)(sentence)
        if not layer:
            return _noted(result, Note(NO_TREE, "no dependencies: the sentence has no tree"))
        ends = word_ends(result)
        layer = tuple([node for node in widened(layer, ends) if node.start < node.end])
        result.arcs, several = self._arcs(layer, ends, is_marked=is_marked)
        if several and not is_marked:
            result = _noted(result, Note(_NOT_BINARY, counted(several, _SEVERAL)))
        result.is_treebank = True
        return result

    def _arcs(
        self, layer: Sequence[Constituent], ends: Sequence[int], *, is_marked: bool
    ) -> tuple[Arcs, int]:
        """Return the dependencies of words from the constituents over them.

        The head of a constituent is its last child, or the first one if its label says so.

        Args:
            layer: the constituents, none of which ends inside a word.
            ends: the place behind the last morpheme of each word.
            is_marked: whether labels tell which child is the head.

        Returns:
            The arcs, and how many constituents with others in them have more than two children; a
            bare word is a child.
        """
        heads, largest, smallest = [0] * len(ends), [""] * len(ends), [""] * len(ends)
        # Of each open constituent the heads of its children, and whether a child is a constituent;
        # the first is that around all.
        around: list[tuple[Constituent, list[tuple[int, bool]]]]
        around = [(Constituent("", 0, ends[-1], -1), [])]
        reached = several = 0

        def take(place: int) -> None:
            """Give the innermost open constituent the words up to a place."""
            nonlocal reached
            end = bisect_right(ends, place)
            around[-1][1].extend([(at, False) for at in range(reached, end)])
            reached = max(reached, end)

        def close(depth: int) -> None:
            nonlocal several
            while len(around) > depth:
                take(around[-1][0].end)
                (label, *_), children = around.pop()
                several += (
                    bool(around) and len(children) > 2 and any([is_in for _, is_in in children])
                )
                head = children[0 if label.endswith(HEAD_FIRST) else -1][0]
                for child in {child for child, _ in children} - {head}:
                    heads[child] = head + 1
                    if not (is_marked or largest[child]):
                        # A word without a constituent of its own.
                        largest[child] = smallest[child] = bare(label)
                if around:
                    around[-1][1].append((head, True))
                if split_label(label)[0] not in self._labels.roots:
                    largest[head], smallest[head] = label, smallest[head] or label

        for node in layer:
            close(node.depth + 1)
            take(node.start)
            around.append((node, []))
        close(0)
        relations = [
            self._labels.relation(*[label.removesuffix(HEAD_FIRST) for label in pair])
            for pair in zip(largest, smallest, strict=True)
        ]
        arcs = Arcs(tuple(heads), tuple([relation or "_" for relation in relations]))
        return arcs, several


def _noted(sentence: Sentence, note: Note) -> Sentence:
    sentence.notes = (*sentence.notes, note)
    return sentence


# --- words of a level -----------------------------------------------------------------------------


class Fit:
    """Sees to it that no constituent of a sentence begins or ends inside a word.

    The borders that CoNLL-U loses stand in a comment, which brings them back.

    Args:
        inside: "widen" gives a constituent the rest of the word, "drop" leaves it out, as the
            published scripts for the Penn Korean Treebank do; "" makes it an error.
    """

    def __init__(self, inside: Inside = "") -> None:
        self._inside = inside

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return a sentence whose words have been cut, with constituents that end where words end.

        Raises:
            FormatError: a constituent begins or ends inside a word, which is an error.
        """
        layer = sentence.constituents
        if not layer:
            return sentence
        ends = word_ends(sentence)
        error = inside_error(sentence, ends)
        if error is None:
            return sentence
        if not self._inside:
            raise error
        words = list(sentence.words)
        inside = [(node, f"word {i + 1}, {words[i].form}") for node, i in crossed(layer, ends)]
        if self._inside == "drop":
            notes = [Note(_DROPPED, f"{node.label} ends inside {word}") for node, word in inside]
            borders = {0, *ends}
            outside = [node.start == node.end or borders.issuperset(node[1:3]) for node in layer]
            layer = without(layer, [not stays for stays in outside])
        else:
            told = ", ".join([f"{node.label} gets all of {word}" for node, word in inside])
            notes = [Note(_WIDENED, told)]
            comments = [c for c in sentence.comments if not c.startswith(f"{PLACES} = ")]
            sentence.comments = (*comments, restore_comment(PLACES, layer))
        # Null elements inside a word move behind it.
        sentence.constituents = widened(layer, ends)
        sentence.notes = (*sentence.notes, *notes)
        return sentence


# --- editing --------------------------------------------------------------------------------------


NO_ROOT = "none"
"""The root of an edit that takes roots away."""


class TreeEdit(NamedTuple):
    """Changes of the constituents of a sentence."""

    functions: bool = False
    """Whether labels lose their functions: NP-SBJ, NP_SBJ and NP=2 become NP."""
    empty: bool = False
    """Whether null elements go, and the constituents that have nothing else."""
    unary: bool = False
    """Whether of constituents over the same words only the outermost stays."""
    root: str = ""
    """The label of the root that a tree gets; "none" takes a root away, and "" leaves it."""

    def __call__(self, sentence: Sentence, labels: TreeLabels) -> Sentence:
        """Change the constituents of a sentence, and return it.

        Args:
            sentence: the sentence.
            labels: tell roots from other constituents.
        """
        layer = sentence.constituents
        if not layer:
            return sentence
        is_null = nulls(layer)
        if self.functions:
            layer = tuple(
                [
                    node if null else node._replace(label=bare(node.label))
                    for node, null in zip(layer, is_null, strict=True)
                ]
            )
        if self.empty:
            layer = without_nulls(layer)
        if self.root:
            layer = without(layer, [node.label in labels.roots for node in layer])
        if self.unary:
            layer = without(layer, _is_inner_of_chain(layer))
        if self.root not in ("", NO_ROOT) and layer:
            end = sum([len(eojeol.morphemes) for eojeol in sentence.eojeols])
            inner = [node._replace(depth=node.depth + 1) for node in layer]
            layer = (Constituent(self.root, 0, end, 0), *inner)
        sentence.constituents = layer
        return sentence


NO_EDIT = TreeEdit()
"""The edit that leaves trees as they are."""


def _is_inner_of_chain(layer: Sequence[Constituent]) -> list[bool]:
    """Return for each constituent whether it is all that the constituent around it has.

    The bracket of a null element is its tag, without which it would be a word: `(NP 0)`.
    """
    parents: list[int] = []
    around: list[int] = []
    for index, node in enumerate(layer):
        del around[node.depth :]
        parents.append(around[-1] if around else -1)
        around.append(index)
    children = Counter(parents)
    return [
        parent >= 0
        and children[parent] == 1
        and node[1:3] == layer[parent][1:3]
        and not null
        and node.label != EMPTY_TAG
        for node, parent, null in zip(layer, parents, nulls(layer), strict=True)
    ]
