"""Dependencies, and their moves when words are cut another way (memoir, §3.3).

    words              프랑스의 --nmod--> 디자이너
    parts of words     프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

Where a word is split, the part with its head morpheme has its arc, and the other parts are attached
to that part (`split_arcs`). Where words are joined, the new word has the arc that leaves it: found
by starting at its head and going up (`join_arcs`). Both need only the number of parts of a word and
its head part, which are a pure function of the word, computed once (`sejongud.converters`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import accumulate, chain, compress, count, repeat, starmap
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sejongud.errors import Note
from sejongud.memo import Memo
from sejongud.model import NOTHING, Arcs, EmptyNode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sejongud.rules import Rules

T = TypeVar("T")

ROOT = "root"
FIXED = "fixed"
UNSPECIFIED = "dep"
"""UD's relation for a word whose relation is not known."""
GOVERNOR = "WordHead"
"""The key of MISC for the governor of a word, from 1."""
Cells = tuple[tuple[str, str], ...]
"""Keys and values that MISC must tell of a word; `WordUPOS` alone: the word keeps its UPOS."""


class Partition(NamedTuple):
    """The division of the words of an eojeol, independent of its place."""

    sizes: tuple[int, ...]
    """The number of parts of each word."""
    heads: tuple[int, ...]
    """The part, from 0, that has the arc of the word."""
    deprels: tuple[str, ...]
    """The relation of each part to the head part; "" for a head part."""
    words: tuple[Any, ...] = ()
    """The UPOS of each word before and after (`relabelling.WordUpos`), where they may differ."""
    is_turned: bool = False
    """Whether they differ for a word."""

    @classmethod
    def kept(cls, words: int) -> Partition:
        """Return the split of words that stay as they are."""
        return cls((1,) * words, (0,) * words, ("",) * words)

    @classmethod
    def together(cls, splits: Sequence[Partition]) -> Partition:
        """Return several splits as one."""
        if len(splits) == 1:
            return splits[0]
        # In one loop: to go through the splits once for each column takes twice as long.
        sizes: list[int] = []
        heads: list[int] = []
        deprels: list[str] = []
        words: list[Any] = []
        is_turned = False
        for own_sizes, own_heads, own_deprels, own_words, own_turned in splits:
            sizes += own_sizes
            heads += own_heads
            deprels += own_deprels
            words += own_words
            is_turned = is_turned or own_turned
        # A NamedTuple's own constructor takes twice as long.
        columns = tuple(sizes), tuple(heads), tuple(deprels), tuple(words), is_turned
        return tuple.__new__(cls, columns)


class Moved(NamedTuple):
    """The arcs of a sentence whose words were recut."""

    arcs: Arcs
    untold: dict[int, Any]
    """The words before the recut, from 0, whose arcs MISC must tell, each with keys and values."""


def by_token(
    of_words: Mapping[int, T], sizes: Sequence[int]
) -> dict[int, tuple[tuple[int, T], ...]]:
    """Return the values of words by the tokens of the words, from 0, with their places in these.

    Args:
        of_words: a value of some words, from 0, in order.
        sizes: the number of words of each token.

    >>> by_token({1: "a", 2: "b"}, [2, 1])
    {0: ((1, 'a'),), 1: ((0, 'b'),)}
    """
    starts = list(accumulate(sizes, initial=0))
    values: dict[int, tuple[tuple[int, T], ...]] = {}
    for word, value in of_words.items():
        token = bisect_right(starts, word) - 1
        values[token] = (*values.get(token, ()), (word - starts[token], value))
    return values


def relation_class(relations: Collection[str]) -> Memo[str, bool]:
    """Return the remembered test whether a relation is one of some, with its subtype or without.

    Args:
        relations: the relations.

    >>> punctuation = relation_class({"punct"})
    >>> punctuation["punct:quote"], punctuation["case"]
    (True, False)
    """
    return Memo(lambda deprel: not {deprel, deprel.partition(":")[0]}.isdisjoint(relations), 4_000)


class TreeRules:
    """Splits the arcs of sentences by the rules of rules/ud-classes.tsv.

    Args:
        rules: the tables.
        ud: whether the trees must be valid UD: words of some relations have no dependents, and
            those with a `goeswith` are not split.
    """

    def __init__(self, rules: Rules, *, ud: bool) -> None:
        self._ud = ud
        classes = rules.ud_classes
        self._leaf = relation_class(classes["leaf"]).__getitem__
        self._climbing = relation_class(classes["climbing"])
        self._undivided = relation_class(classes["undivided"]).__getitem__
        self._fixed = relation_class({FIXED}).__getitem__
        self._named = relation_class(classes["content"] | classes["function"])

    def mislabelled_roots(self, arcs: Arcs) -> list[int]:
        """Return the words, from 0, with HEAD 0 and another relation of UD than `root`.

        Labels of other schemes, such as KLUE's VP, are no such relations.
        """
        heads, deprels = arcs.heads, arcs.deprels
        if heads.count(0) == 1 and deprels[heads.index(0)] == ROOT:
            return []
        return [
            at
            for at, (head, deprel) in enumerate(zip(heads, deprels, strict=True))
            if head == 0 and self._named[deprel] and deprel.partition(":")[0] != ROOT
        ]

    def root_notes(self, arcs: Arcs) -> tuple[Note, ...]:
        """Return a note for each word with HEAD 0 and another relation of UD than `root`."""
        return tuple(
            [
                Note(
                    "W210",
                    f"word {at + 1} has HEAD 0 and the relation {arcs.deprels[at]}: write root, or"
                    " the HEAD that it has",
                )
                for at in self.mislabelled_roots(arcs)
            ]
        )

    def goeswith_words(self, arcs: Arcs) -> frozenset[int]:
        """Return the words, from 0, that are not to be split: those that are or have `goeswith`."""
        if not self._ud or not any(map(self._undivided, arcs.deprels)):
            return frozenset()
        found = list(compress(count(), map(self._undivided, arcs.deprels)))
        return frozenset([*found, *[arcs.heads[at] - 1 for at in found]])

    def split_arcs(
        self, arcs: Arcs, split: Partition, told: Mapping[int, Cells] | None = None
    ) -> Moved:
        """Return the arcs of the parts of words.

        Args:
            arcs: of the words.
            split: the division of the words.
            told: what MISC must tell of words, from 0, beside that.

        Returns:
            The arcs. MISC must also tell the governor of each punctuation mark that is attached to
            another word than before, as its own must have no dependents.
        """
        sizes, inside, parts, *_ = split
        deprels = list(parts)
        # Where the head part of each word is, from 1; before the first, the root.
        where = [0, *map(add, accumulate(sizes, initial=1), inside)]
        above = self._above(arcs, sizes, where)
        heads = list(chain.from_iterable(map(repeat, above[1:], sizes)))
        # The head -1, none, is put right by `_leave_out`.
        moved = map(where.__getitem__, arcs.heads)
        for at, head, deprel in zip(where[1:], moved, arcs.deprels):  # noqa: B905
            heads[at - 1] = head
            deprels[at - 1] = deprel
        untold = dict(told) if told else {}
        if above is not where:
            for at in self._climbers(arcs, where, above):
                untold[at] = (*untold.get(at, ()), (GOVERNOR, str(arcs.heads[at])))
                heads[where[at + 1] - 1] = above[arcs.heads[at]]
        if self._ud and any(map(self._fixed, arcs.deprels)):
            fixed = compress(count(), map(self._fixed, arcs.deprels))
            _fix_parts(fixed, heads, deprels, arcs, where, sizes)
        if min(arcs.heads) < 0:
            _leave_out(heads, deprels, arcs, sizes)
        deps, nodes = arcs.deps, arcs.nodes
        if deps or nodes:
            ends = [0, *accumulate(sizes)]
            nodes = tuple([_map_node(node, where, ends) for node in nodes])
            if deps:
                deps = _map_graph(deps, where, ends, heads, deprels)
        if untold:
            untold = dict(sorted(untold.items()))
        # A NamedTuple's own constructor takes twice as long.
        arcs = tuple.__new__(Arcs, (tuple(heads), tuple(deprels), deps, nodes))
        return tuple.__new__(Moved, (arcs, untold))

    def _above(self, arcs: Arcs, sizes: Sequence[int], where: Sequence[int]) -> Sequence[int]:
        """Return what the other parts of each word are attached to, from 1.

        That is its head part or, where that must have no dependents, the nearest governor above
        that may; `where` itself if that is so for no word.
        """
        if not self._ud:
            return where
        is_leaf = list(map(self._leaf, arcs.deprels))
        found = [at for at in compress(count(1), is_leaf) if sizes[at - 1] > 1]
        if not found:
            return where
        above = list(where)
        for at in found:
            up = at
            for _ in is_leaf:
                up = arcs.heads[up - 1]
                if up <= 0 or not is_leaf[up - 1]:
                    break
            else:
                up = 0  # The heads make a cycle: a sentence with errors need not be a tree.
            above[at] = where[up if up > 0 else at]
        return above

    def _climbers(self, arcs: Arcs, where: Sequence[int], above: Sequence[int]) -> list[int]:
        """Return the punctuation, from 0, of words whose other parts are attached above them."""
        climbs = self._climbing
        return [
            at
            for at, (head, deprel) in enumerate(zip(arcs.heads, arcs.deprels, strict=True))
            if head > 0 and above[head] != where[head] and climbs[deprel]
        ]


def _fix_parts(
    fixed: Iterable[int],
    heads: list[int],
    deprels: list[str],
    arcs: Arcs,
    where: Sequence[int],
    sizes: Sequence[int],
) -> None:
    """Attach the parts in and between the words of a fixed expression to its first word.

    Args:
        fixed: the words, from 0, with that relation.
        heads: of the parts.
        deprels: of the parts.
        arcs: of the words.
        where: for each word, from 1, its head part, from 1.
        sizes: the number of parts of each word.
    """
    for word in fixed:
        deprel, governor, first = arcs.deprels[word], arcs.heads[word], where[word + 1]
        if governor <= 0:
            continue
        end = sum(sizes[: word + 1])
        parts = [*range(end - sizes[word], end)]
        if governor <= word:
            parts += range(where[governor], min(sum(sizes[:governor]), first - 1))
        for part in parts:
            heads[part], deprels[part] = where[governor], deprel


def _leave_out(heads: list[int], deprels: list[str], source: Arcs, sizes: Sequence[int]) -> None:
    """Leave the parts of words without an arc without one."""
    first = 0
    for head, deprel, size in zip(source.heads, source.deprels, sizes, strict=True):
        if head < 0:
            heads[first : first + size] = [-1] * size
            deprels[first : first + size] = [
                own if own == deprel else NOTHING for own in deprels[first : first + size]
            ]
        first += size


def _map_graph(
    deps: Sequence[str],
    where: Sequence[int],
    ends: Sequence[int],
    heads: Sequence[int],
    deprels: Sequence[str],
) -> tuple[str, ...]:
    """Return an enhanced graph whose arcs between words are arcs between their head parts.

    Args:
        deps: of the words.
        where: for each word, from 1, its head part.
        ends: for each word, from 1, its last part.
        heads: of the parts.
        deprels: of the parts.
    """
    mapped: list[str] = []
    for word, cell in enumerate(deps, 1):
        if cell == NOTHING:
            mapped += [NOTHING] * (ends[word] - ends[word - 1])
            continue
        arcs = zip(heads[ends[word - 1] : ends[word]], deprels[ends[word - 1] :], strict=False)
        mapped += starmap(basic_item, arcs)
        mapped[where[word] - 1] = map_deps(cell, where, ends)
    return tuple(mapped)


def basic_item(head: int, deprel: str) -> str:
    """Return the item of DEPS for an arc of the tree.

    >>> basic_item(2, "nsubj"), basic_item(-1, "_")
    ('2:nsubj', '_')
    """
    return NOTHING if head < 0 else f"{head}:{deprel}"


def map_deps(deps: str, where: Sequence[int], ends: Sequence[int]) -> str:
    """Replace every number in DEPS.

    Args:
        deps: `4:nsubj|5.1:obj`, or `_`.
        where: for each number its new one.
        ends: the same for the words that empty nodes stand behind.

    >>> map_deps("2:nsubj|2.1:obj", [0, 1, 3], [0, 2, 4])
    '3:nsubj|4.1:obj'
    """
    if deps == NOTHING:
        return deps
    items = []
    for item in deps.split("|"):
        number, _, relation = item.partition(":")
        word, dot, place = number.partition(".")
        known = ends if dot else where
        items.append(f"{known[int(word)]}{dot}{place}:{relation}")
    return "|".join(items)


def _map_node(node: EmptyNode, where: Sequence[int], ends: Sequence[int]) -> EmptyNode:
    """Return an empty node at its new place."""
    cells = (*node.cells[:7], map_deps(node.cells[7], where, ends), *node.cells[8:])
    return EmptyNode(ends[node.after], node.number, cells)


def with_nodes(arcs: Arcs, nodes: Sequence[EmptyNode]) -> Arcs:
    """Return arcs whose empty nodes have other places, which DEPS then names.

    Args:
        arcs: with empty nodes.
        nodes: the same nodes at their new places, in the same order.
    """
    pairs = zip(arcs.nodes, nodes, strict=True)
    names = {f"{old.after}.{old.number}": f"{new.after}.{new.number}" for old, new in pairs}

    def renamed(deps: str) -> str:
        items = [item.partition(":") for item in deps.split("|")]
        return "|".join([f"{names.get(head, head)}{sep}{rest}" for head, sep, rest in items])

    cells = [(*node.cells[:7], renamed(node.cells[7]), *node.cells[8:]) for node in nodes]
    named = [node._replace(cells=own) for node, own in zip(nodes, cells, strict=True)]
    return arcs._replace(deps=tuple(map(renamed, arcs.deps)), nodes=tuple(named))


def _with_nodes_behind(arcs: Arcs, ends: Sequence[int]) -> Arcs:
    """Return arcs whose empty nodes stand behind new words, with numbers of their own there.

    Args:
        arcs: of the words.
        ends: the last word of each new word, from 1; before the first, 0.
    """
    places = [bisect_left(ends, node.after) for node in arcs.nodes]
    inside = {at for at, node in zip(places, arcs.nodes, strict=True) if ends[at] != node.after}
    if not inside:
        return arcs
    numbers: Counter[int] = Counter()
    nodes = []
    for at, node in zip(places, arcs.nodes, strict=True):
        numbers[at] += 1
        number = str(numbers[at]) if at in inside else node.number
        nodes.append(EmptyNode(ends[at], number, node.cells))
    return with_nodes(arcs, nodes)


def join_arcs(arcs: Arcs, sizes: Sequence[int], inside: Sequence[int]) -> tuple[Arcs, list[int]]:
    """Return the arcs of words that are joined, which need not be a tree.

    1. The arc of a new word is found by starting at its head and going up until an arc leaves the
       new word. If the arcs make a cycle inside it, the first one that leaves it is taken; if none
       does, the new word has no governor.
    2. Its governor is the new word that holds the other end of the arc.
    3. In DEPS arcs that are the same now are one, and those inside the new word are left out.

    Args:
        arcs: of the words.
        sizes: the number of words in each new word.
        inside: the head of each new word, from 0 in it.

    Returns:
        The arcs; and for each new word the word, from 0, whose arc it has.
    """
    # For each word, from 1, the new word it is in; for each new word the word whose arc it has.
    owner = [0, *chain.from_iterable(map(repeat, count(1), sizes))]
    starts = list(accumulate(sizes, initial=0))
    chosen = list(map(add, starts, inside))
    arcs = _with_nodes_behind(arcs, starts) if arcs.nodes else arcs
    source = arcs.heads
    heads = [source[at] for at in chosen]
    heads = [owner[head] if head > 0 else head for head in heads]
    for word in [at for at, head in enumerate(heads) if head == at + 1]:
        arc = leaving_arc(source, starts[word], starts[word + 1], chosen[word])
        heads[word] = -1
        if arc >= 0:
            heads[word] = owner[source[arc]] if source[arc] > 0 else source[arc]
            chosen[word] = arc
    deprels = [arcs.deprels[at] for at in chosen]
    deps, nodes = arcs.deps, arcs.nodes
    if deps:
        deps = tuple([_join_deps(deps[at], at + 1, owner) for at in chosen])
    if nodes:
        nodes = tuple([_map_node(node, owner, owner) for node in nodes])
    return Arcs(tuple(heads), tuple(deprels), deps, nodes), chosen


def _join_deps(deps: str, word: int, owner: Sequence[int]) -> str:
    """Return DEPS of a joined word: that of one of its words, without the arcs that it makes odd.

    >>> _join_deps("1:nsubj|2:dep|3:obj|4:obj", 1, [0, 1, 1, 2, 2])
    '1:nsubj|2:obj'
    """
    before: dict[str, str] = {}
    items = []
    for item in deps.split("|"):
        joined = map_deps(item, owner, owner)
        is_loop = joined.startswith(f"{owner[word]}:") and not item.startswith(f"{word}:")
        # What the source itself has twice, or hangs on itself, comes back.
        if not is_loop and before.setdefault(joined, item) == item:
            items.append(joined)
    return "|".join(items) or NOTHING


def leaving_arc(heads: Sequence[int], first: int, last: int, start: int) -> int:
    """Return the word, from 0, whose arc is that of the new word it is in.

    Args:
        heads: of all words, from 1.
        first: the first word of the new word.
        last: behind its last one.
        start: where to begin.

    Returns:
        -1 if no arc leaves the new word.
    """
    at = start
    for _ in range(first, last):
        head = heads[at] - 1
        if not first <= head < last:
            return at
        at = head
    return next((n for n in range(first, last) if not first < heads[n] <= last), -1)


def chain_of(words: int) -> Arcs:
    """Return a chain: the first word is the root, each other word depends on the one before it."""
    deprels = (ROOT, *[UNSPECIFIED] * (words - 1))
    return Arcs(tuple(range(words)), deprels)


def is_tree(heads: Sequence[int]) -> bool:
    """Return whether the words of a sentence are a tree.

    Args:
        heads: the governor of each word, from 1; 0 for the root.

    >>> is_tree([2, 0]), is_tree([0, 3, 2]), is_tree([0, 3])
    (True, False, False)
    """
    if heads.count(0) != 1 or min(heads) < 0 or max(heads) > len(heads):
        return False
    return find_cycle(heads) < 0


def find_cycle(heads: Sequence[int]) -> int:
    """Return a word, from 0, that is in a circle of heads; -1 if there is no circle.

    Args:
        heads: the governor of each word, from 1; a word without one ends a walk upwards.

    >>> find_cycle([2, 0]), find_cycle([0, 3, 2])
    (-1, 1)
    """
    if min(heads, default=0) >= 0 and _all_reach_root(heads):
        return -1
    return next(circles(heads), [-1])[0]


def circles(heads: Sequence[int]) -> Iterator[list[int]]:
    """Yield each circle of heads: its words, from 0, each followed by its head.

    Args:
        heads: the governor of each word, from 1; any other number ends a walk upwards. A word of a
            circle may get another head once the circle is yielded.

    >>> list(circles([2, 3, 2, 0, 5]))
    [[1, 2], [4]]
    """
    # The walk upwards, named by its first word, on which each word was met.
    met = [0] * (len(heads) + 1)
    for start in range(1, len(heads) + 1):
        at = start
        while 0 < at <= len(heads) and not met[at]:
            met[at] = start
            at = heads[at - 1]
        if 0 < at <= len(heads) and met[at] == start:
            circle = [at - 1]
            while (up := heads[circle[-1]] - 1) != circle[0]:
                circle.append(up)
            yield circle


def _all_reach_root(heads: Sequence[int]) -> bool:
    """Return whether every word reaches the root; each step doubles the way that all have gone."""
    above = [0, *heads]
    for _ in range(len(above).bit_length()):
        above = list(map(above.__getitem__, above))
        if not any(above):
            return True
    return False


def make_tree(heads: list[int], deprels: list[str]) -> None:
    """Make a tree of the arcs of a sentence, changing as few as possible.

    The first word with HEAD 0 is the root, else the first one without a governor, else the first
    one that is in a circle. Every other word without a governor, and of every circle the first
    word, is attached to the root.

    Args:
        heads: for each word, from 1; 0 the root, -1 none.
        deprels: for each word.

    >>> heads, deprels = [2, 1, 0, 0], ["obj", "nsubj", "root", "root"]
    >>> make_tree(heads, deprels)
    >>> heads, deprels
    ([3, 1, 0, 3], ['obj', 'nsubj', 'root', 'dep'])
    """
    root = next((at for wanted in (0, -1) for at, head in enumerate(heads) if head == wanted), -1)
    if root < 0:
        root = min(next(circles(heads)))
    heads[root], deprels[root] = 0, ROOT
    for at, head in enumerate(heads):
        if at == root:
            continue
        if head <= 0:
            heads[at] = root + 1
        if deprels[at] == ROOT:
            deprels[at] = UNSPECIFIED
    for circle in circles(heads):
        heads[min(circle)] = root + 1
