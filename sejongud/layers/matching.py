"""Align two segmentations of (nearly) one text, sentence by sentence and word by word.

    gold    0 This   1 ca   2 n't   3 be   4 right       Group(gold=0:1, system=0:1, match=True)
    system  0 this   1 can  2 not   3 be   4 right       Group(gold=1:3, system=1:3, match=False)
                                                         ...

Gold and system are aligned in groups of n to m neighbours, for any n and m; the groups cover both
sides in order. If the two texts are equal apart from spaces, only character offsets decide: a group
lies between two borders that both sides have. Otherwise equal units are aligned one to one, and a
mismatch grows into a group until the next pair matches or both sides end (memoir, Section 4.2;
jp-evalb, Algorithm 2; jp-preprocessing, Algorithm 1). The papers give the direction of growth in
several ways; this module keeps groups small: sentences grow on the side with the shorter text in
the group, words on the side with more characters left; a tie goes to the system. The time is linear
in the length of the texts.

Growing alone seldom recovers after sentences that only one side has, and would make one group of
all the rest. A group of sentences is therefore cut again at the sentences that both of its sides
have (`_Aligner.anchor`). Example: with one sentence in a hundred missing and one in ten split or
merged, groups of a few sentences remain, where growing alone leaves one group of nearly all
(benchmarks/eval_alignment.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args
from unicodedata import normalize

from sejongud.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "SIMILARITIES",
    "STRICT",
    "Group",
    "Likeness",
    "Similarity",
    "align_sentences",
    "align_words",
    "count_common",
    "decomposed",
    "fold",
    "load_likeness",
    "longest_rising",
    "pair_words",
    "same_text",
    "spaceless",
    "spelt_lengths",
]

Similarity = Literal["edit", "jaro"]
"""The measure by which two sentences are alike (see `align_sentences`)."""

SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)

_EDIT_LENGTH = 10  # the edit distance is below one in ten characters: jp-evalb, Section 2
_JARO = 0.9  # above; the memoir (Section 5.3.3) leaves threshold and cap of its measure open
_AFFIX_SCALE = 0.1
_AFFIX_CAP = 4


class Likeness(NamedTuple):
    """The settings of an alignment: which words and sentences of differing texts are the same."""

    exceptions: Mapping[str, str] = {}
    """Folded word → the folded word it counts as, for example `n't` → `not`."""
    similarity: Similarity = "edit"
    languages: tuple[str, ...] = ()
    """The languages that the exceptions belong to."""

    @property
    def settings(self) -> dict[str, str]:
        """The settings for the signature of a result."""
        languages = "+".join(self.languages) or "none"
        return {"similarity": self.similarity, "exceptions": languages}


STRICT = Likeness()
"""The settings without exceptions; sentences are compared by their edit distance."""


def load_likeness(
    languages: Iterable[str], similarity: Similarity = "edit", directory: str | None = None
) -> Likeness:
    """Load the exceptions of some languages.

    Args:
        languages: codes in `rules/word-exceptions.tsv`; `*` is the list of words that belong to no
            language (quotes, escaped brackets).
        similarity: the measure for sentences.
        directory: the user's tables, as for `sejongud.rules.load`.

    Raises:
        UsageError: a language has no list.

    >>> load_likeness(["en"]).exceptions["n't"]
    'not'
    """
    languages = tuple(languages)
    if not languages:
        return Likeness(similarity=similarity)
    from sejongud.rules import load

    rows = load(directory).table("word-exceptions")
    known = {row["language"] for row in rows}
    if missing := sorted({*languages} - known):
        raise UsageError(
            f"no word exceptions for {', '.join(missing)}: rules/word-exceptions.tsv has "
            + ", ".join(sorted(known))
        )
    own = [row for row in rows if row["language"] in languages]
    exceptions = {fold(row["word"]): fold(row["counts_as"]) for row in own}
    return Likeness(exceptions, similarity, languages)


class Group(NamedTuple):
    """Neighbours of the gold side aligned with neighbours of the system side.

    One of the two ranges is empty if the other side has nothing left to align with.
    """

    gold: range
    system: range
    match: bool
    """Whether each side has one unit and the two units are the same: a true positive."""


def align_sentences(
    gold: Sequence[Sequence[str]], system: Sequence[Sequence[str]], likeness: Likeness = STRICT
) -> list[Group]:
    """Align two texts sentence by sentence.

    Two sentences match if they are equal apart from spaces, or if they are similar and the pair
    after them is equal or similar, or is the end of both texts. The similarity `edit` is an edit
    distance below a tenth of the longer sentence (jp-evalb). The similarity `jaro` is a value above
    0.9 of the Jaro similarity j with a bonus for a common prefix of p and a common suffix of s
    characters: j + 0.1 (p + s) (1 - j) (Section 5.3.3).

    Args:
        gold: the sentences, each a list of its words.
        system: the sentences of the other side.
        likeness: which words and sentences count as the same.

    Returns:
        The groups in order; together they cover both sides.

    >>> gold = [["Click", "here", "To", "view", "it", "."], ["Yes"]]
    >>> system = [["Click", "here"], ["To", "view", "it", "."], ["Yes"]]
    >>> for group in align_sentences(gold, system): print(group)
    Group(gold=range(0, 1), system=range(0, 2), match=False)
    Group(gold=range(1, 2), system=range(2, 3), match=True)
    """
    gold_texts = ["".join(words) for words in gold]
    system_texts = ["".join(words) for words in system]
    if (groups := _of_same_text(gold_texts, system_texts)) is not None:
        return groups
    gold_texts = [fold(text) for text in gold_texts]
    system_texts = [fold(text) for text in system_texts]
    gold_keys, system_keys = gold_texts, system_texts
    if likeness.exceptions:
        gold_keys = ["".join(_keys(words, likeness)) for words in gold]
        system_keys = ["".join(_keys(words, likeness)) for words in system]
    similar = _is_similar(likeness.similarity)
    n, m = len(gold), len(system)

    def equal(i: int, j: int) -> bool:
        return gold_texts[i] == system_texts[j] or gold_keys[i] == system_keys[j]

    def match(i: int, j: int) -> bool:
        if equal(i, j):
            return True
        if not similar(gold_texts[i], system_texts[j]):
            return False
        i, j = i + 1, j + 1
        if i == n or j == m:
            return i == n and j == m
        return equal(i, j) or similar(gold_texts[i], system_texts[j])

    aligner = _Aligner(gold_texts, system_texts, match)
    groups = []
    for group in aligner.grow(range(n), range(m)):
        groups += [group] if group.match else aligner.anchor(group)
    return groups


def align_words(
    gold: Sequence[str], system: Sequence[str], likeness: Likeness = STRICT
) -> list[Group]:
    """Align the words of one sentence, or of sentences that are aligned with each other.

    Args:
        gold: the words in order.
        system: the words of the other side.
        likeness: which words count as the same.

    Returns:
        The groups in order; together they cover both sides.

    >>> for group in align_words("B H CL FL".split(), "B CL FL".split()): print(group)
    Group(gold=range(0, 1), system=range(0, 1), match=True)
    Group(gold=range(1, 3), system=range(1, 2), match=False)
    Group(gold=range(3, 4), system=range(2, 3), match=True)
    """
    if (groups := _of_same_text(gold, system)) is not None:
        return groups
    ours, theirs = _keys(gold, likeness), _keys(system, likeness)
    aligner = _Aligner(ours, theirs, lambda i, j: ours[i] == theirs[j], by_rest=True)
    return list(aligner.grow(range(len(ours)), range(len(theirs))))


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
        likeness: which words count as the same.

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
            for j, key in zip(reversed(theirs), reversed(_keys(of_system, likeness)), strict=True):
                places[key].append(j)
            for i, key in zip(ours, _keys(of_gold, likeness), strict=True):
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
    return len(pair_words(gold, system, align_words(gold, system, likeness), likeness))


def spelt_lengths(texts: Sequence[str], spell: Callable[[str], str]) -> list[int]:
    """Return the length of each text in a spelling.

    Args:
        texts: the texts.
        spell: `spaceless` or `decomposed`.
    """
    joined = "".join(texts)
    # Most texts are spelt so already, and need not be looked at one by one.
    if spell(joined) == joined:
        return list(map(len, texts))
    return [len(spell(text)) for text in texts]


def same_text(gold: Iterable[str], system: Iterable[str]) -> bool:
    """Whether two lists of words are one text apart from spaces, case and Unicode normalisation.

    >>> same_text(["H", "NEIM"], ["HNEIM"])
    True
    """
    ours, theirs = "".join(gold), "".join(system)
    return ours == theirs or decomposed(ours) == decomposed(theirs)


def spaceless(text: str) -> str:
    """Return the text without spaces, which two tokenizations of one text have in common."""
    return "".join(text.split())


def decomposed(text: str) -> str:
    """Return the text without spaces, case folded, in NFD.

    In NFD, unlike in NFC (see `fold`), the text of two joined tokens is the joined text of each.
    """
    return normalize("NFD", spaceless(text).casefold())


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """Return the text in the spelling that is compared: no spaces, case folded, NFC.

    >>> fold("De 1 000 Mètres")
    'de1000mètres'
    """
    return normalize("NFC", spaceless(text).casefold())


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs whose second numbers rise as the first do.

    Args:
        pairs: pairs whose first numbers rise.

    >>> longest_rising([(0, 5), (1, 2), (2, 3), (3, 9)])
    [(1, 2), (2, 3), (3, 9)]
    """
    lasts: list[int] = []  # the smallest end of a rising run of each length
    at_end: list[int] = []  # the pair that this end belongs to
    before: list[int] = []  # the pair before each pair in its run
    for at, (_, value) in enumerate(pairs):
        length = bisect_left(lasts, value)
        before.append(at_end[length - 1] if length else -1)
        lasts[length : length + 1] = [value]
        at_end[length : length + 1] = [at]
    rising = []
    at = at_end[-1] if at_end else -1
    while at >= 0:
        rising.append(pairs[at])
        at = before[at]
    return rising[::-1]


class _Aligner:
    """Aligns two lists of units whose texts differ.

    Args:
        gold: the units, folded.
        system: the units of the other side.
        match: whether a gold unit and a system unit, by their numbers, are the same.
        by_rest: whether a mismatch grows on the side with more text left, instead of the side with
            less text in the group.
    """

    def __init__(
        self,
        gold: Sequence[str],
        system: Sequence[str],
        match: Callable[[int, int], bool],
        *,
        by_rest: bool = False,
    ) -> None:
        self._gold, self._system = gold, system
        self._match = match
        self._by_rest = by_rest
        self._gold_ends = [*accumulate(map(len, gold), initial=0)]
        self._system_ends = [*accumulate(map(len, system), initial=0)]

    def grow(self, gold: range, system: range) -> Iterator[Group]:
        """Yield the pairs that match, and the groups that grow between them."""
        i, n, j, m = gold.start, gold.stop, system.start, system.stop
        match, gold_ends, system_ends = self._match, self._gold_ends, self._system_ends
        while i < n and j < m:
            if match(i, j):
                yield Group(range(i, i + 1), range(j, j + 1), True)
                i, j = i + 1, j + 1
                continue
            # The lead of gold over the system, in characters, at which neither side has to grow.
            at, other = (n, m) if self._by_rest else (i, j)
            level = gold_ends[at] - system_ends[other]
            i_end, j_end = i + 1, j + 1
            while i_end < n or j_end < m:
                if i_end == n:
                    j_end = m
                elif j_end == m:
                    i_end = n
                elif match(i_end, j_end):
                    break
                elif gold_ends[i_end] - system_ends[j_end] < level:
                    i_end += 1
                else:
                    j_end += 1
            ours, theirs = self._gold[i:i_end], self._system[j:j_end]
            if "".join(ours) == "".join(theirs):
                # Equal texts are aligned by character offset, here as everywhere.
                yield from _by_offset(map(len, ours), map(len, theirs), i, j)
            else:
                yield Group(range(i, i_end), range(j, j_end), False)
            i, j = i_end, j_end
        if i < n or j < m:
            yield Group(range(i, n), range(j, m), False)

    def anchor(self, group: Group) -> Iterator[Group]:
        """Cut a mismatch at the sentences that both of its sides have.

        Anchors are the sentences that occur once on either side, as many as stand in the same order
        on both (patience diff).
        """
        places = dict(_once(self._system, group.system))
        common = [(i, places[text]) for text, i in _once(self._gold, group.gold) if text in places]
        i, j = group.gold.start, group.system.start
        for i_end, j_end in longest_rising(common):
            yield from self.grow(range(i, i_end), range(j, j_end))
            yield Group(range(i_end, i_end + 1), range(j_end, j_end + 1), True)
            i, j = i_end + 1, j_end + 1
        if i == group.gold.start:
            yield group
        else:
            yield from self.grow(range(i, group.gold.stop), range(j, group.system.stop))


def _once(texts: Sequence[str], units: range) -> list[tuple[str, int]]:
    """Return the texts that occur once in a stretch, with their places."""
    counts = Counter([texts[at] for at in units])
    return [(texts[at], at) for at in units if counts[texts[at]] == 1]


def _of_same_text(gold: Sequence[str], system: Sequence[str]) -> list[Group] | None:
    """Return the groups of two segmentations of one text; None if the texts differ."""
    gold_text, system_text = "".join(gold), "".join(system)
    for spell in (spaceless, decomposed):
        if spell(gold_text) == spell(system_text):
            return _by_offset(spelt_lengths(gold, spell), spelt_lengths(system, spell))
    return None


def _by_offset(
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


def _keys(words: Iterable[str], likeness: Likeness) -> list[str]:
    """Return the words in the form that is compared."""
    folded = [fold(word) for word in words]
    exceptions = likeness.exceptions
    return [exceptions.get(word, word) for word in folded] if exceptions else folded


def _is_similar(similarity: Similarity) -> Callable[[str, str], bool]:
    """Return the test of likeness for two sentences."""
    from rapidfuzz.distance import Jaro, Levenshtein, Postfix, Prefix

    def by_edits(gold: str, system: str) -> bool:
        longer = max(len(gold), len(system))
        limit = (longer - 1) // _EDIT_LENGTH  # the greatest distance that is below
        if abs(len(gold) - len(system)) > limit:
            return False
        return Levenshtein.distance(gold, system, score_cutoff=limit) <= limit

    def by_jaro(gold: str, system: str) -> bool:
        jaro = Jaro.similarity(gold, system)
        affixes = min(Prefix.similarity(gold, system), _AFFIX_CAP)
        affixes += min(Postfix.similarity(gold, system), _AFFIX_CAP)
        return jaro + _AFFIX_SCALE * affixes * (1 - jaro) > _JARO

    return by_edits if similarity == "edit" else by_jaro
