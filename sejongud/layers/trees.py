"""Trees: how deep each word stands in a dependency tree, and constituents over morphemes.

    (S (NP_SBJ 비/NNG + 가/JKS)         Constituent("S", 0, 4, 0)
       (VP 오/VV + ㄴ다/EF))            Constituent("NP_SBJ", 0, 2, 1), Constituent("VP", 2, 4, 1)

Constituents stand on morphemes, in the order in which their brackets open. The words of any level
are runs of morphemes, given here by their ends; `edges` writes the brackets between these words,
and `constituents` reads them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.model import Constituent, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.formats.brackets import Tree

EMPTY_TAG = "-NONE-"
"""The tag of null elements in some treebanks."""

# Published scripts write a terminal that is a plus as *PLUS*.
_NULL = re.compile(r"(?!\*PLUS\*)\*[^\s()*/+]+\*(?:-\d+)?")


def depths(heads: Sequence[int]) -> list[int | None]:
    """Return how many arcs each word is below its root; None if no root is above it.

    Args:
        heads: the head of each word, from 1; 0 for a root; any other number for no head.

    >>> depths([2, 0, 2, 3, 5])
    [1, 0, 1, 2, None]
    """
    of_word: dict[int, int | None] = {-1: None, 0: -1}
    for word in range(1, len(heads) + 1):
        path = []
        while word not in of_word:
            of_word[word] = None  # A cycle comes back to a word whose depth is not yet known.
            path.append(word)
            word = heads[word - 1] if 0 <= heads[word - 1] <= len(heads) else -1
        depth = of_word[word]
        for below in reversed(path):
            depth = None if depth is None else depth + 1
            of_word[below] = depth
    return [of_word[i] for i in range(1, len(heads) + 1)]


def depths_of(heads: Sequence[int]) -> list[int]:
    """Return the number of words above each word; more than there are words in a cycle."""
    words = len(heads)
    above = depths([head if 0 < head <= words else 0 for head in heads])
    return [words + 1 if depth is None else depth for depth in above]


# --- constituents ---------------------------------------------------------------------------------


class Edge(NamedTuple):
    """The brackets on both sides of a word."""

    before: tuple[str, ...]
    """Opening brackets with their labels; null elements and the brackets around them."""
    behind: tuple[str, ...]
    """Closing brackets; null elements that stand inside of the last of them."""


def is_null(word: str, tag: str = "") -> bool:
    """Return whether a word of a tree is a null element.

    >>> [is_null(word) for word in ("*pro*", "*T*-1", "*op*", "*", "나/NP")]
    [True, True, True, False, False]
    """
    return tag == EMPTY_TAG or _NULL.fullmatch(word) is not None


def word_ends(sentence: Sentence) -> list[int]:
    """Return the place behind the last morpheme of each word of a sentence."""
    return list(accumulate([len(word.morphemes) for word in sentence.words]))


def constituents(
    tree: Tree, ends: Sequence[int], *, tags_too: bool = False
) -> tuple[Constituent, ...]:
    """Return the constituents of a tree that was read.

    Args:
        tree: every constituent has words or null elements.
        ends: for each word that is no null element, the place behind its last morpheme.
        tags_too: whether the bracket of a word is a constituent, as in the Sejong treebank, rather
            than the tag of the word. The bracket of a null element always is one.

    >>> from sejongud.formats.brackets import parse
    >>> [tuple(c) for c in constituents(parse("(S (NP *pro*) (VP (VV 오) (EF 아)))"), [1, 2])]
    [('S', 0, 2, 0), ('NP', 0, 0, 1), ('*pro*', 0, 0, 2), ('VP', 0, 2, 1)]
    """
    empty = [is_null(*pair) for pair in zip(tree.words, tree.tags, strict=True)]
    real = list(accumulate([not null for null in empty], initial=0))
    borders = [0, *ends]
    places = [borders[count] for count in real]
    nodes: list[Constituent] = []
    open_ends: list[int] = []
    node = 0
    for word, (form, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
        while open_ends and open_ends[-1] <= word:
            open_ends.pop()
        while node < len(tree.starts) and tree.starts[node] == word:
            start, end = places[word], places[tree.ends[node]]
            nodes.append(Constituent(tree.labels[node], start, end, len(open_ends)))
            open_ends.append(tree.ends[node])
            node += 1
        depth = len(open_ends)
        if tag and (tags_too or empty[word]):
            nodes.append(Constituent(tag, places[word], places[word + 1], depth))
            depth += 1
        if empty[word]:
            nodes.append(Constituent(form, places[word], places[word], depth))
    return tuple(nodes)


def nulls(layer: Sequence[Constituent]) -> list[bool]:
    """Return for each constituent whether it is a null element."""
    below = [*[node.depth for node in layer[1:]], 0]
    return [node.start == node.end and deep <= node.depth for node, deep in zip(layer, below)]  # noqa: B905


def without_nulls(layer: Sequence[Constituent]) -> tuple[Constituent, ...]:
    """Return constituents without null elements and the constituents that have nothing else."""
    return tuple([node for node in layer if node.start < node.end])


def without(layer: Sequence[Constituent], gone: Sequence[bool]) -> tuple[Constituent, ...]:
    """Return constituents without some of them; the constituents in these rise.

    Args:
        layer: the constituents.
        gone: for each of them whether it is left out.

    >>> layer = [Constituent("S", 0, 2, 0), Constituent("VP", 0, 2, 1), Constituent("NP", 0, 1, 2)]
    >>> [(one.label, one.depth) for one in without(layer, [False, True, False])]
    [('S', 0), ('NP', 1)]
    """
    rest = []
    # How many of the constituents around are gone, for each of these and all outside of it.
    around: list[int] = []
    for node, goes in zip(layer, gone, strict=True):
        del around[node.depth :]
        above = around[-1] if around else 0
        if not goes:
            rest.append(node._replace(depth=node.depth - above))
        around.append(above + goes)
    return tuple(rest)


def edges(layer: Sequence[Constituent], ends: Sequence[int]) -> list[Edge]:
    """Return the brackets around each word; the inverse of `constituents`.

    Args:
        layer: the constituents of a sentence, none of which ends inside a word.
        ends: the place behind the last morpheme of each word; not empty.

    >>> layer = [Constituent("S", 0, 4, 0), Constituent("NP", 0, 2, 1), Constituent("VP", 2, 4, 1)]
    >>> edges(layer, [2, 4])[1]
    Edge(before=('(VP',), behind=(')', ')'))
    """
    gaps: dict[int, list[str]] = {place: [] for place in (0, *ends)}
    closed = dict.fromkeys(gaps, 0)
    stack: list[Constituent] = []

    def close(depth: int) -> None:
        while len(stack) > depth:
            node = stack.pop()
            gaps[node.end].append(")")
            if node.start < node.end:
                closed[node.end] = len(gaps[node.end])

    for node, null in zip(layer, nulls(layer), strict=True):
        close(node.depth)
        if null:
            gaps[node.start].append(node.label)
        else:
            gaps[node.start].append(f"({node.label}")
            stack.append(node)
    close(0)
    closed[ends[-1]] = len(gaps[ends[-1]])
    brackets = []
    start = 0
    for end in ends:
        before = gaps[start][closed[start] :]
        brackets.append(Edge(tuple(before), tuple(gaps[end][: closed[end]])))
        start = end
    return brackets


def crossed(layer: Sequence[Constituent], ends: Sequence[int]) -> Iterator[tuple[Constituent, int]]:
    """Yield each constituent that begins or ends inside a word, with this word, from 0.

    Args:
        layer: the constituents.
        ends: the place behind the last morpheme of each word.
    """
    borders = {0, *ends}
    for node in layer:
        for place in (node.start, node.end):
            if place not in borders:
                yield node, bisect_right(ends, place)
                break


def widened(layer: Sequence[Constituent], ends: Sequence[int]) -> tuple[Constituent, ...]:
    """Return constituents that end where words end.

    A constituent that begins or ends inside a word gets all of this word that no constituent before
    it has. A constituent for which nothing is left is left out.

    Args:
        layer: the constituents.
        ends: the place behind the last morpheme of each word.

    >>> layer = [Constituent("S", 0, 3, 0), Constituent("NP", 0, 1, 1), Constituent("VP", 1, 3, 1)]
    >>> [one.start for one in widened(layer, [2, 3])]
    [0, 0, 2]
    """
    borders = [0, *ends]
    wider: list[Constituent] = []
    # The place up to which the words are taken, at each depth.
    free = [0]
    lost: list[int] = []
    for node, null in zip(layer, nulls(layer), strict=True):
        while lost and lost[-1] >= node.depth:
            lost.pop()
        del free[node.depth + 1 :]
        start = max(borders[bisect_right(borders, node.start) - 1], free[node.depth])
        end = borders[bisect_left(borders, node.end)]
        if node.start == node.end:
            start = end = max(borders[bisect_left(borders, node.start)], free[node.depth])
        free[node.depth] = max(free[node.depth], end)
        free.append(start)
        if start >= end and not null and node.start < node.end:
            lost.append(node.depth)
            continue
        wider.append(Constituent(node.label, start, end, node.depth - len(lost)))
    return tuple(wider)


def moved(layer: Sequence[Constituent], places: Sequence[int]) -> tuple[Constituent, ...]:
    """Return constituents over other units.

    Args:
        layer: the constituents, over any units.
        places: for each border of these units, from 0, its new place.
    """
    return tuple([node._replace(start=places[node.start], end=places[node.end]) for node in layer])
