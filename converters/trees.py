"""Constituents: from eojeol dependencies and back, onto other sentences, and stripped.

A head-final dependency tree and a binary tree whose right child is the head say the same. An eojeol
with its dependents becomes a spine: the nearest dependent is joined first.

    1 비가    3 NP_SBJ        (S (NP_SBJ 비가)
    2 많이    3 AP               (VP (AP 많이)
    3 온다    0 VP                   (VP 온다)))

A node has the label of its head, but it is a clause (S) where a subject is joined to a predicate.
Back, the head of a constituent is its last word, and the relation of a word is the label of the
largest constituent that ends with it; the category of a clause is that of its last word.
rules/tree-labels.tsv says which labels are meant.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.converters.recut import Recut
from sejongud.errors import Note
from sejongud.formats.trees import inside_error
from sejongud.layers.trees import crossed, nulls, widened, without, without_nulls, word_ends
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs, Constituent
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Sentence
    from sejongud.rules import Rules

Inside = Literal["", "widen", "drop"]
"""The treatment of a constituent that begins or ends inside a word."""

_NOT_FINAL = "W607"
_NOT_BINARY = "W608"
_SEVERAL = "constituent[s] [has|have] more than two children: [its head is|their heads are] last"
_WIDENED = "W609"
_DROPPED = "W613"
_FUNCTION = re.compile(r"([^-_=]+)([-_=].*)")


class Labels:
    """Answers what labels of constituents are.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        rows = rules.table("tree-labels")
        of = {
            name: [row["label"] for row in rows if row["class"] == name]
            for name in ("clause", "predicate", "subject", "root")
        }
        self.clauses = frozenset(of["clause"])
        self.roots = frozenset((*of["root"], ""))
        self.root = of["root"][0]
        self._clause = of["clause"][0]
        self._heads = frozenset((*of["predicate"], *of["clause"]))
        self._subjects = frozenset(of["subject"])

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

    def relation(self, largest: str, own: str) -> str:
        """Return the relation of a word.

        Args:
            largest: the label of the largest constituent that ends with the word.
            own: the label of the smallest.
        """
        category, function = split_label(largest)
        return split_label(own)[0] + function if category in self.clauses else largest


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

    A sentence whose dependencies are not head-final and projective stays without constituents, and
    a note tells it.

    Args:
        rules: the tables.
        root: the label of a constituent around the whole tree; "" for none.
    """

    def __init__(self, rules: Rules, root: str = "") -> None:
        self._labels = Labels(rules)
        self._root = root

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its constituents."""
        if sentence.arcs is None:
            return _noted(sentence, Note(_NOT_FINAL, "no tree: the sentence has no dependencies"))
        heads, deprels = sentence.arcs.heads, sentence.arcs.deprels
        fault = _fault(heads)
        if fault:
            forms = [word.form for word in sentence.words] or [""]
            own = forms[fault - 1] or sentence.eojeols[fault - 1].form
            message = f"no tree: the head of word {fault}, {own}, does not stand behind its span"
            return _noted(sentence, Note(_NOT_FINAL, message))
        found = self._over_words(heads, deprels)
        places = [0, *word_ends(sentence)]
        sentence.constituents = tuple(
            [one._replace(start=places[one.start], end=places[one.end]) for one in found]
        )
        return sentence

    def _over_words(self, heads: Sequence[int], deprels: Sequence[str]) -> list[Constituent]:
        """Return the constituents over the words of a head-final, projective tree."""
        count = len(heads)
        dependents: list[list[int]] = [[] for _ in range(count + 1)]
        starts = list(range(count + 1))
        for at, head in enumerate(heads, 1):
            dependents[head].append(at)
            if head:
                starts[head] = min(starts[head], starts[at])
        spines: list[list[str]] = [[] for _ in range(count + 1)]
        for at in range(1, count + 1):
            spine = [deprels[at - 1]]
            for other in reversed(dependents[at]):
                spine.append(self._labels.joined(spines[other][-1], spine[-1]))
            spines[at] = spine
        found: list[Constituent] = []
        first = 0
        if self._root:
            found.append(Constituent(self._root, 0, count, 0))
            first = 1
        # A word, its first dependent that is not yet joined, and the depth.
        todo = [(count, 0, first)]
        while todo:
            at, joined, depth = todo.pop()
            own = dependents[at][joined : joined + 1]
            label = spines[at][len(dependents[at]) - joined]
            begin = starts[own[0]] if own else at
            found.append(Constituent(label, begin - 1, at, depth))
            # The nodes of the spine from the outside, and before each its left child.
            todo += [(at, joined + 1, depth + 1)] if own else []
            todo += [(left, 0, depth + 1) for left in own]
        return found


def _fault(heads: Sequence[int]) -> int:
    """Return the first word whose head does not stand directly behind its span; 0 if none.

    The span of the head then has a gap, or the head stands before the word. The last word must be
    the only root.
    """
    count = len(heads)
    open_words: list[tuple[int, int]] = []
    for at, head in enumerate(heads, 1):
        if head != 0 and head <= at:
            return at
        if head == 0 and at != count:
            return at
        # The words that wait for this head are the last ones, since no head stands behind that of
        # a word outside.
        while open_words and open_words[-1][1] == at:
            open_words.pop()
        if open_words and not 0 < head <= open_words[-1][1]:
            return open_words[-1][0]
        open_words.append((at, head))
    return 0


class Dependencies:
    """Gives sentences the dependencies of eojeols that belong to their constituents.

    The words of the sentence are then its eojeols. A note tells a constituent that does not have
    two children, since the head of any constituent is taken to be its last child.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._labels = Labels(rules)
        self._recut = Recut(Granularity(rules, 1), retag=True, relemma=True)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence cut into eojeols, with their dependencies."""
        layer = without_nulls(sentence.constituents)
        sentence.arcs, sentence.is_treebank = None, False
        result = self._recut(sentence)
        if not layer:
            return _noted(result, Note(_NOT_FINAL, "no dependencies: the sentence has no tree"))
        ends = list(accumulate([len(eojeol.morphemes) for eojeol in result.eojeols]))
        layer = tuple([one for one in widened(layer, ends) if one.start < one.end])
        if several := _several(layer, ends):
            message = counted(several, _SEVERAL)
            result = _noted(result, Note(_NOT_BINARY, message))
        result.arcs = self._arcs(layer, ends)
        result.is_treebank = True
        return result

    def _arcs(self, layer: Sequence[Constituent], ends: Sequence[int]) -> Arcs:
        """Return the dependencies of words from the constituents over them.

        Args:
            layer: the constituents, none of which ends inside a word.
            ends: the place behind the last morpheme of each word.
        """
        number = {end: at for at, end in enumerate(ends, 1)}
        heads = [0] * len(ends)
        largest = [""] * len(ends)
        own = [""] * len(ends)
        around: list[Constituent] = []
        for one in layer:
            del around[one.depth :]
            category = split_label(one.label)[0]
            at = number[one.end] - 1
            is_inner = bool(around) and around[-1].end == one.end
            if category not in self._labels.roots:
                if not is_inner or not largest[at]:
                    largest[at] = one.label
                    heads[at] = number[around[-1].end] if around else 0
                own[at] = one.label
            around.append(one)
        last = len(ends)
        for at in range(last):
            if not largest[at] and at < last - 1:
                # A word without a constituent of its own: it depends on the last around it.
                outer = [one for one in layer if one.start < ends[at] < one.end]
                heads[at] = number[outer[-1].end] if outer else last
                largest[at] = own[at] = bare(outer[-1].label) if outer else "_"
            if heads[at] == at + 1:
                heads[at] = 0
            if not heads[at] and at < last - 1:
                heads[at] = last
        relations = [self._labels.relation(*pair) for pair in zip(largest, own, strict=True)]
        return Arcs(tuple(heads), tuple([one or "_" for one in relations]))


def _several(layer: Sequence[Constituent], ends: Sequence[int]) -> int:
    """Return how many constituents have more than two children; a bare word is a child."""
    count = 0
    # Of each open constituent the end, the number of its children, and the end of the last child.
    around: list[tuple[int, int, int]] = []

    def close(depth: int) -> None:
        nonlocal count
        while len(around) > depth:
            end, children, covered = around.pop()
            count += bool(children) and children + words(covered, end) > 2

    def words(start: int, end: int) -> int:
        return bisect_right(ends, end) - bisect_right(ends, start)

    for one in layer:
        close(one.depth)
        if around:
            end, children, covered = around[-1]
            around[-1] = end, children + 1 + words(covered, one.start), one.end
        around.append((one.end, 0, one.start))
    close(0)
    return count


def _noted(sentence: Sentence, note: Note) -> Sentence:
    sentence.notes = (*sentence.notes, note)
    return sentence


# --- words of a level -----------------------------------------------------------------------------


class Fit:
    """Sees to it that no constituent of a sentence begins or ends inside a word.

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
        found = [(one, f"word {at + 1}, {words[at].form}") for one, at in crossed(layer, ends)]
        if self._inside == "drop":
            told = [Note(_DROPPED, f"{one.label} ends inside {word}") for one, word in found]
            borders = {0, *ends}
            outside = [one.start == one.end or borders.issuperset(one[1:3]) for one in layer]
            layer = without(layer, [not stays for stays in outside])
        else:
            told = [Note(_WIDENED, f"{one.label} gets all of {word}") for one, word in found]
        # Null elements inside a word move behind it.
        sentence.constituents = widened(layer, ends)
        sentence.notes = (*sentence.notes, *told)
        return sentence


# --- editing --------------------------------------------------------------------------------------


class Edit(NamedTuple):
    """Changes of the constituents of a sentence."""

    functions: bool = False
    """Whether labels lose their functions: NP-SBJ, NP_SBJ and NP=2 become NP."""
    empty: bool = False
    """Whether null elements go, and the constituents that have nothing else."""
    unary: bool = False
    """Whether of constituents over the same words only the outermost stays."""
    root: str = ""
    """"add" puts TOP around a tree, "drop" takes a root away; "" leaves it."""

    def __call__(self, sentence: Sentence, labels: Labels) -> None:
        """Change the constituents of a sentence.

        Args:
            sentence: the sentence.
            labels: tell roots from other constituents.
        """
        layer = sentence.constituents
        if not layer:
            return
        is_null = nulls(layer)
        if self.functions:
            layer = tuple(
                [
                    one if null else one._replace(label=bare(one.label))
                    for one, null in zip(layer, is_null, strict=True)
                ]
            )
        if self.empty:
            layer = without_nulls(layer)
        if self.root:
            layer = without(layer, [one.label in labels.roots for one in layer])
        if self.unary:
            layer = without(layer, _is_inner_of_chain(layer))
        if self.root == "add" and layer:
            end = sum([len(eojeol.morphemes) for eojeol in sentence.eojeols])
            inner = [one._replace(depth=one.depth + 1) for one in layer]
            layer = (Constituent(labels.root, 0, end, 0), *inner)
        sentence.constituents = layer


NO_EDIT = Edit()
"""The edit that leaves trees as they are."""


def _is_inner_of_chain(layer: Sequence[Constituent]) -> list[bool]:
    """Return for each constituent whether it is all that the constituent around it has."""
    parents: list[int] = []
    around: list[int] = []
    for at, one in enumerate(layer):
        del around[one.depth :]
        parents.append(around[-1] if around else -1)
        around.append(at)
    children = Counter(parents)
    return [
        parent >= 0 and children[parent] == 1 and one[1:3] == layer[parent][1:3] and not null
        for one, parent, null in zip(layer, parents, nulls(layer), strict=True)
    ]
