"""Align two segmentations of (nearly) one text, sentence by sentence and word by word.

    gold    0 This   1 ca   2 n't   3 be   4 right       Group(gold=0:1, system=0:1, match=True)
    system  0 this   1 can  2 not   3 be   4 right       Group(gold=1:3, system=1:3, match=False)
                                                         ...

Gold and system are aligned in groups of n to m neighbours, for any n and m; the groups cover both
sides in order. If the two texts are equal apart from spaces, only character offsets decide: a group
lies between two borders that both sides have. Otherwise equal units are aligned one to one, and a
mismatch is a group up to the next pair that matches (memoir, Section 4.2; jp-evalb, Algorithm 2;
jp-preprocessing, Algorithm 1).

The papers look for the next pair by letting a group grow on one side or the other, which seldom
recovers after sentences that only one side has. Here the units that both sides have in common are
aligned first (`subsequence`). Between common sentences, a group is cut wherever its words, aligned
further (`align_further`), have a border of sentences on both sides. What is left grows as in the
papers, on the side with the shorter text in the group (benchmarks/eval_differences.py).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.subsequence import (
    STRICT,
    Likeness,
    canonical,
    common_once,
    common_subsequence,
    compared,
    decomposed,
    fold,
    same_text,
    similarity_test,
    spaceless,
    spelt_lengths,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Group(NamedTuple):
    """Neighbours of the gold side aligned with neighbours of the system side.

    One of the two ranges is empty if the other side has nothing left to align with.
    """

    gold: range
    system: range
    match: bool
    """Whether each side has one unit and the two units are the same: a true positive."""

    @property
    def one_to_one(self) -> bool:
        """Whether each side has one unit, which the other side may spell otherwise."""
        return len(self.gold) == 1 == len(self.system)

    @property
    def grows(self) -> bool:
        """Whether both sides have units, and one of them has several."""
        return len(self.gold) + len(self.system) > 2 and bool(self.gold) and bool(self.system)

    def moved(self, gold: int, system: int) -> Group:
        """Return the group with other numbers of its first units."""
        return Group(
            range(self.gold.start + gold, self.gold.stop + gold),
            range(self.system.start + system, self.system.stop + system),
            self.match,
        )

    def singles(self) -> list[Group]:
        """Return a group for each unit if only one side has units, else the group alone.

        >>> len(Group(range(2, 5), range(4, 4), False).singles())
        3
        """
        if self.gold and self.system:
            return [self]
        empty = self.gold[:0], self.system[:0]
        return [
            *[Group(range(i, i + 1), empty[1], match=False) for i in self.gold],
            *[Group(empty[0], range(j, j + 1), match=False) for j in self.system],
        ]


def align_by_offset(gold: Sequence[str], system: Sequence[str]) -> list[Group] | None:
    """Return the groups of two segmentations of one text; None if the texts differ."""
    gold_text, system_text = "".join(gold), "".join(system)
    if spaceless(gold_text) == spaceless(system_text):
        spell = spaceless
    elif canonical(gold_text) == canonical(system_text):
        spell = decomposed
    else:
        return None
    return by_offset(spelt_lengths(gold, spell), spelt_lengths(system, spell))


def by_offset(
    gold_lengths: Iterable[int], system_lengths: Iterable[int], i: int = 0, j: int = 0
) -> list[Group]:
    """Return the groups between the borders that two segmentations of one text have in common.

    Args:
        gold_lengths: the length of each gold unit in characters.
        system_lengths: the length of each system unit; the sums are equal.
        i: the number of the first gold unit.
        j: the number of the first system unit.
    """
    # A unit without text ends at the end of its neighbour before it; the last such unit counts.
    gold_cuts = {end: k for k, end in enumerate(accumulate(gold_lengths), i + 1)}
    system_cuts = {end: k for k, end in enumerate(accumulate(system_lengths), j + 1)}
    groups: list[Group] = []
    for end, i_end in gold_cuts.items():
        j_end = system_cuts.get(end)
        if j_end is not None:
            single = i_end - i == 1 == j_end - j
            groups.append(Group(range(i, i_end), range(j, j_end), single))
            i, j = i_end, j_end
    i_end, j_end = max(gold_cuts.values(), default=i), max(system_cuts.values(), default=j)
    if i < i_end or j < j_end:  # one side has only units without text
        groups.append(Group(range(i, i_end), range(j, j_end), False))
    return groups


def align_sentences(
    gold: Sequence[Sequence[str]], system: Sequence[Sequence[str]], likeness: Likeness = STRICT
) -> list[Group]:
    """Align two texts sentence by sentence.

    A sentence that only one side has is a group of its own. Two sentences match if they are equal
    apart from spaces, or if they are similar and the pair after them is equal or similar, or is the
    end of both texts. The similarity `edit` is an edit distance below a tenth of the longer
    sentence (jp-evalb). The similarity `jaro` is a value above 0.9 of the Jaro similarity j with a
    bonus for a common prefix of p and a common suffix of s characters: j + 0.1 (p + s) (1 - j)
    (Section 5.3.3).

    Args:
        gold: the sentences, each a list of its words.
        system: the sentences of the other side.
        likeness: the words and sentences that count as the same.

    Returns:
        The groups in order; together they cover both sides.

    >>> gold = [["Click", "here", "To", "view", "it", "."], ["Yes"]]
    >>> system = [["Click", "here"], ["To", "view", "it", "."], ["Yes"]]
    >>> for group in align_sentences(gold, system): print(group)
    Group(gold=range(0, 1), system=range(0, 2), match=False)
    Group(gold=range(1, 2), system=range(2, 3), match=True)
    """
    gold_texts, system_texts = ["".join(row) for row in gold], ["".join(row) for row in system]
    if (of_one_text := align_by_offset(gold_texts, system_texts)) is not None:
        return of_one_text
    sentences = _Sentences(gold, system, likeness)
    groups: list[Group] = []
    i = j = 0
    once = common_once(sentences.gold_keys, sentences.system_keys)
    for i_end, j_end in [*once, (len(gold), len(system))]:
        for group in sentences.align(range(i, i_end), range(j, j_end)):
            groups += group.singles()
        if i_end < len(gold):
            groups.append(Group(range(i_end, i_end + 1), range(j_end, j_end + 1), True))
        i, j = i_end + 1, j_end + 1
    return groups


class _Sentences:
    """Aligns two lists of sentences whose texts differ."""

    def __init__(
        self, gold: Sequence[Sequence[str]], system: Sequence[Sequence[str]], likeness: Likeness
    ) -> None:
        self._gold, self._system, self._likeness = gold, system, likeness
        self._gold_texts = [fold("".join(words)) for words in gold]
        self._system_texts = [fold("".join(words)) for words in system]
        self.gold_keys, self.system_keys = self._gold_texts, self._system_texts
        if likeness.exceptions:
            self.gold_keys = ["".join(compared(words, likeness)) for words in gold]
            self.system_keys = ["".join(compared(words, likeness)) for words in system]
        self._similar = similarity_test(likeness.similarity)
        self._gold_ends = [*accumulate(map(len, self._gold_texts), initial=0)]
        self._system_ends = [*accumulate(map(len, self._system_texts), initial=0)]

    def align(self, gold: range, system: range) -> Iterator[Group]:
        """Yield the groups of two stretches between sentences that occur once."""
        if not gold or not system:
            yield from self._grow(gold, system)
            return
        ours, theirs = (
            self.gold_keys[gold.start : gold.stop],
            self.system_keys[system.start : system.stop],
        )
        if of_one_text := align_by_offset(ours, theirs):
            yield from (group.moved(gold.start, system.start) for group in of_one_text)
            return
        i, j = gold.start, system.start
        common = common_subsequence(ours, theirs)
        for a, b in [*common, (len(gold), len(system))]:
            i_end, j_end = gold.start + a, system.start + b
            for part in self._cut(Group(range(i, i_end), range(j, j_end), match=False)):
                yield from self._grow(part.gold, part.system)
            if a < len(gold):
                yield Group(range(i_end, i_end + 1), range(j_end, j_end + 1), match=True)
            i, j = i_end + 1, j_end + 1

    def _cut(self, group: Group) -> Iterator[Group]:
        """Cut a group where borders of sentences fall on borders of aligned words."""
        if not group.grows:
            yield group
            return
        ours, our_borders = _joined(self._gold, group.gold)
        theirs, their_borders = _joined(self._system, group.system)
        ours, theirs = compared(ours, self._likeness), compared(theirs, self._likeness)
        places = set()
        if not same_text(ours, theirs):
            places = {*_one_to_one(ours, theirs, sorted(our_borders))}
        cuts = [(our_borders[i], their_borders[j]) for i, j in sorted(places) if j in their_borders]
        i, j = group.gold.start, group.system.start
        for i_end, j_end in [*cuts, (group.gold.stop, group.system.stop)]:
            if i < i_end or j < j_end:
                yield Group(range(i, i_end), range(j, j_end), match=False)
            i, j = i_end, j_end

    def _grow(self, gold: range, system: range) -> Iterator[Group]:
        """Yield the pairs that match, and the groups that grow between them."""
        i, n, j, m = gold.start, gold.stop, system.start, system.stop
        match, gold_ends, system_ends = self._match, self._gold_ends, self._system_ends
        while i < n and j < m:
            if match(i, j):
                yield Group(range(i, i + 1), range(j, j + 1), True)
                i, j = i + 1, j + 1
                continue
            # The lead of gold over the system, in characters, at which neither side has to grow.
            level = gold_ends[i] - system_ends[j]
            i_end, j_end = i + 1, j + 1
            while i_end < n or j_end < m:
                if i_end == n:
                    j_end = m
                elif j_end == m:
                    i_end = n
                elif match(i_end, j_end):
                    break
                else:
                    lead = gold_ends[i_end] - system_ends[j_end]
                    # The smaller unit decides a tie, so that a swap of the sides grows the same.
                    tie = lead == level and self._gold_texts[i_end] < self._system_texts[j_end]
                    if lead < level or tie:
                        i_end += 1
                    else:
                        j_end += 1
            ours, theirs = self._gold_texts[i:i_end], self._system_texts[j:j_end]
            if "".join(ours) == "".join(theirs):
                # Equal texts are aligned by character offset, here as everywhere.
                yield from by_offset(map(len, ours), map(len, theirs), i, j)
            else:
                yield Group(range(i, i_end), range(j, j_end), False)
            i, j = i_end, j_end
        if i < n or j < m:
            yield Group(range(i, n), range(j, m), False)

    def _match(self, i: int, j: int) -> bool:
        """Test whether two sentences are one text, or similar with a next pair that is alike."""
        if self._equal(i, j):
            return True
        if not self._similar(self._gold_texts[i], self._system_texts[j]):
            return False
        i, j = i + 1, j + 1
        if i == len(self._gold) or j == len(self._system):
            return i == len(self._gold) and j == len(self._system)
        return self._equal(i, j) or self._similar(self._gold_texts[i], self._system_texts[j])

    def _equal(self, i: int, j: int) -> bool:
        """Test whether two sentences are one text."""
        same = self._gold_texts[i] == self._system_texts[j]
        return same or self.gold_keys[i] == self.system_keys[j]


def _joined(sentences: Sequence[Sequence[str]], group: range) -> tuple[list[str], dict[int, int]]:
    """Return the words of some sentences, and the border of sentences at each place between."""
    words: list[str] = []
    borders = {0: group.start}
    for i in group:
        words += sentences[i]
        borders[len(words)] = i + 1
    return words, borders


def align_words(
    gold: Sequence[str], system: Sequence[str], likeness: Likeness = STRICT
) -> list[Group]:
    """Align the words of one sentence, or of sentences that are aligned with each other.

    Args:
        gold: the words in order.
        system: the words of the other side.
        likeness: the words that count as the same.

    Returns:
        The groups in order; together they cover both sides.

    >>> for group in align_words("B H CL FL".split(), "B CL FL".split()): print(group)
    Group(gold=range(0, 1), system=range(0, 1), match=True)
    Group(gold=range(1, 3), system=range(1, 2), match=False)
    Group(gold=range(3, 4), system=range(2, 3), match=True)
    """
    if (of_one_text := align_by_offset(gold, system)) is not None:
        return of_one_text
    ours, theirs = compared(gold, likeness), compared(system, likeness)
    n, m = len(ours), len(theirs)
    groups: list[Group] = []
    i = j = 0
    for a, b in [*common_subsequence(ours, theirs), (n, m)]:
        if i < a and j < b:
            groups += _by_text(Group(range(i, a), range(j, b), match=False), ours, theirs)
            i, j = a, b
        if a < n and b < m:
            # A word that only one side has is in one group with the common word behind it.
            groups.append(Group(range(i, a + 1), range(j, b + 1), i == a and j == b))
            i, j = a + 1, b + 1
    if i < n or j < m:
        groups.append(Group(range(i, n), range(j, m), match=False))
    return groups


def _by_text(group: Group, gold: Sequence[str], system: Sequence[str]) -> list[Group]:
    """Return a group cut by offset if both of its sides are one text."""
    if not group.grows:
        return [group]
    i, j = group.gold.start, group.system.start
    parts = align_by_offset(gold[i : group.gold.stop], system[j : group.system.stop])
    return [part.moved(i, j) for part in parts] if parts else [group]


def align_further(
    gold: Sequence[str],
    system: Sequence[str],
    groups: Iterable[Group],
    likeness: Likeness = STRICT,
) -> list[Group]:
    """Align the words within groups of several words.

    The words that both sides have in common, in order, are aligned first. Between them stand the
    words that only one side has, words that are one text, which are aligned by offset, and words
    spelt otherwise, which are aligned one to one if each side has the same number of them.

    Args:
        gold: the words given to `align_words`.
        system: the words of the other side.
        groups: the groups that `align_words` returned.
        likeness: the words that count as the same.

    Returns:
        The groups in order; together they cover both sides.

    >>> gold, system = "John , runs fast".split(), "John run fast".split()
    >>> for group in align_further(gold, system, align_words(gold, system)): print(group)
    Group(gold=range(0, 1), system=range(0, 1), match=True)
    Group(gold=range(1, 3), system=range(1, 2), match=False)
    Group(gold=range(3, 4), system=range(2, 3), match=True)
    """
    further: list[Group] = []
    for group in groups:
        if not group.grows:
            further.append(group)
            continue
        i, j = group.gold.start, group.system.start
        ours = compared(gold[i : group.gold.stop], likeness)
        theirs = compared(system[j : group.system.stop], likeness)
        if same_text(ours, theirs):
            further.append(group)  # the offsets have said it all
            continue
        for run in _runs(ours, theirs):
            if len(run.gold) == len(run.system):
                further += [
                    Group(range(a, a + 1), range(b, b + 1), run.match)
                    for a, b in enumerate(
                        range(j + run.system.start, j + run.system.stop), i + run.gold.start
                    )
                ]
            else:
                further += [part.moved(i, j) for part in _by_text(run, ours, theirs)]
    return further


def _runs(gold: list[str], system: list[str]) -> Iterator[Group]:
    """Yield the runs of words that two lists have in common, and the runs of words between them.

    The words of a run stand one to one if both sides have as many.
    """
    i = j = 0
    begin = 0, 0  # of the run of common words that ends at (i, j)
    for a, b in [*common_subsequence(gold, system), (len(gold), len(system))]:
        if a == i and b == j and a < len(gold):
            i, j = i + 1, j + 1
            continue
        if begin[0] < i:
            yield Group(range(begin[0], i), range(begin[1], j), match=True)
        if i < a or j < b:
            yield Group(range(i, a), range(j, b), match=False)
        begin = a, b
        i, j = a + 1, b + 1


def _one_to_one(
    gold: list[str], system: list[str], borders: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield the borders of gold words on which a border of words aligned one to one falls.

    Args:
        gold: the words of the one side, as they are compared.
        system: the words of the other side.
        borders: places between the gold words, in order.

    Yields:
        Such a border, and its place between the system words.
    """
    for run in _runs(gold, system):
        whole = len(run.gold) == len(run.system)
        for part in [run] if whole else _by_text(run, gold, system):
            if whole or part.one_to_one:
                first = bisect_left(borders, part.gold.start)
                last = bisect_right(borders, part.gold.stop)
                ahead = part.system.start - part.gold.start
                yield from [(place, place + ahead) for place in borders[first:last]]


def pair_words(
    gold: Sequence[str],
    system: Sequence[str],
    groups: Iterable[Group],
    likeness: Likeness = STRICT,
) -> list[tuple[int, int]]:
    """Pair the words that are the same on both sides: the true positives.

    A group whose two sides are the same text pairs only the words at the same place. Any other
    group pairs the multiset intersection of its words (first with first, second with second).

    Args:
        gold: the words given to `align_words`.
        system: the words of the other side.
        groups: the groups that `align_words` returned.
        likeness: the words that count as the same.

    Returns:
        Pairs of gold index and system index, in gold order.

    >>> gold, system = "B H CL FL".split(), "B CL FL".split()
    >>> pair_words(gold, system, align_words(gold, system))
    [(0, 0), (2, 1), (3, 2)]
    """
    pairs: list[tuple[int, int]] = []
    for ours, theirs, match in groups:
        if match:
            pairs.append((ours.start, theirs.start))
        elif ours and theirs and len(ours) + len(theirs) > 2:
            of_gold = gold[ours.start : ours.stop]
            of_system = system[theirs.start : theirs.stop]
            if same_text(of_gold, of_system):
                continue
            places: defaultdict[str, list[int]] = defaultdict(list)
            for j, key in zip(
                reversed(theirs), reversed(compared(of_system, likeness)), strict=True
            ):
                places[key].append(j)
            for i, key in zip(ours, compared(of_gold, likeness), strict=True):
                if places.get(key):
                    pairs.append((i, places[key].pop()))
    return pairs


def count_common(gold: Sequence[str], system: Sequence[str], likeness: Likeness = STRICT) -> int:
    """Count the words that two aligned pieces of text have in common: the pairs of `pair_words`.

    >>> count_common("B H CL FL HM H NEIM".split(), "B CL FL HM HNEIM".split())
    4
    """
    if gold == system:
        return len(gold)
    text = "".join(gold)
    if text == "".join(system) and text == spaceless(text):
        spans = [set(pairwise(accumulate(map(len, side), initial=0))) for side in (gold, system)]
        return len(spans[0] & spans[1])
    if (places := replaced_words(gold, system, likeness)) is not None:
        return len(gold) - len(places)
    return len(pair_words(gold, system, align_words(gold, system, likeness), likeness))


def replaced_words(
    gold: Sequence[str], system: Sequence[str], likeness: Likeness = STRICT
) -> list[int] | None:
    """Return the places of the words that are others in the system, where that is all there is.

    Args:
        gold: the words of a sentence.
        system: the words of the other side; not the same text.
        likeness: the words that count as the same.

    Returns:
        One place, or two that are no neighbours; None for any other pair of sentences, whose words
        have to be aligned.

    >>> replaced_words("나 는 간다 .".split(), "너 는 온다 .".split())
    [0, 2]
    """
    if len(gold) != len(system):
        return None
    pairs = zip(compared(gold, likeness), compared(system, likeness), strict=True)
    places = [i for i, (ours, theirs) in enumerate(pairs) if ours != theirs]
    if len(places) == 1 or (len(places) == 2 and places[1] - places[0] > 1):
        return places
    return None
