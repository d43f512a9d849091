"""The jp alignment: two segmentations of (nearly) one text, sentence by sentence and word by word.

    gold    0 This   1 ca   2 n't   3 be   4 right       Group(gold=0:1, system=0:1, match=True)
    system  0 this   1 can  2 not   3 be   4 right       Group(gold=1:3, system=1:3, match=False)
                                                         ...

Gold and system are aligned in groups of n to m neighbours, for any n and m, which cover both sides
in order. Where the two texts are the same once spaces are removed, character offsets decide, and
nothing else: a group is what lies between two borders that both sides have. Where they are not,
units that match are aligned one to one, and a mismatch grows into a group until the next pair
matches again or both sides end (memoir, Section 4.2; jp-evalb, Algorithm 2; jp-preprocessing,
Algorithm 1). The papers give the direction of growth in several ways; the one here keeps groups
small: of sentences the side grows whose text in the group is the shorter, of words the side that
has more characters left; on a tie the system. Time is linear in the length of the texts.

Growing does not find the way back where one side lacks sentences, and would make one group of all
the rest. So a group of sentences is cut again at sentences that both its sides have (`_anchor`). Of
texts where one sentence in a hundred is lacking and one in ten is cut or merged, this leaves groups
of a few sentences, where growing alone leaves one of nearly all (benchmarks/eval_alignment.py).
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
    "load_exceptions",
    "longest_rising",
    "pair_words",
    "same_text",
    "spaceless",
    "spelt_lengths",
]

Similarity = Literal["edit", "jaro"]
"""How close two sentences must be to count as one and the same (see `align_sentences`)."""

SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)

_EDIT_LENGTH = 10  # the edit distance is below one in ten characters: jp-evalb, Section 2
_JARO = 0.9  # above; the memoir (Section 5.3.3) leaves threshold and cap of its measure open
_AFFIX_SCALE = 0.1
_AFFIX_CAP = 4

_NO_EXCEPTIONS: Mapping[str, str] = {}


class Likeness(NamedTuple):
    """What counts as the same where texts differ; the settings of an alignment."""

    exceptions: Mapping[str, str] = _NO_EXCEPTIONS
    """Words that count as others (see `load_exceptions`)."""
    similarity: Similarity = "edit"
    languages: tuple[str, ...] = ()
    """Whose exceptions these are."""

    @property
    def settings(self) -> dict[str, str]:
        """For the signature of a result."""
        languages = "+".join(self.languages) or "none"
        return {"similarity": self.similarity, "exceptions": languages}


STRICT = Likeness()
"""No exceptions, and sentences alike by their edit distance."""


class Group(NamedTuple):
    """Neighbours of the gold side that stand for neighbours of the system side.

    One of the two ranges is empty where the other side has nothing left to align with.
    """

    gold: range
    system: range
    match: bool
    """Whether it is one unit on both sides and they are the same: a true positive."""


def align_sentences(
    gold: Sequence[Sequence[str]],
    system: Sequence[Sequence[str]],
    exceptions: Mapping[str, str] = _NO_EXCEPTIONS,
    similarity: Similarity = "edit",
) -> list[Group]:
    """Align two texts sentence by sentence.

    Sentences match if they are equal without their spaces, or if they are similar and the pair
    after them is equal or similar, or is the end of both.

    Args:
        gold: the sentences, each a list of its words.
        system: likewise.
        exceptions: words that count as others (see `load_exceptions`).
        similarity: `edit`, the edit distance over the length of the longer sentence, below 0.1
            (jp-evalb); or `jaro`, the Jaro similarity j with a bonus for a common prefix of p and
            a common suffix of s characters, j + 0.1 (p + s) (1 - j), above 0.9 (Section 5.3.3).

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
    match = _sentence_matcher(
        gold_texts,
        system_texts,
        ["".join(_keys(words, exceptions)) for words in gold] if exceptions else gold_texts,
        ["".join(_keys(words, exceptions)) for words in system] if exceptions else system_texts,
        _is_similar(similarity),
    )
    gold_ends = [0, *accumulate(map(len, gold_texts))]
    system_ends = [0, *accumulate(map(len, system_texts))]

    def gold_grows(group: _Window) -> bool:
        i, i_end, j, j_end = group
        return gold_ends[i_end] - gold_ends[i] < system_ends[j_end] - system_ends[j]

    sides = _Sides(gold_texts, system_texts, match, gold_grows)
    groups = []
    for group in _grow(sides, (0, len(gold_texts), 0, len(system_texts))):
        groups += [group] if group.match else _anchor(sides, group)
    return groups


def align_words(
    gold_words: Sequence[str],
    system_words: Sequence[str],
    exceptions: Mapping[str, str] = _NO_EXCEPTIONS,
) -> list[Group]:
    """Align the words of one sentence, or of sentences that are aligned with each other.

    Args:
        gold_words: the words in order.
        system_words: likewise.
        exceptions: words that count as others (see `load_exceptions`).

    Returns:
        The groups in order; together they cover both sides.

    >>> for group in align_words("B H CL FL".split(), "B CL FL".split()): print(group)
    Group(gold=range(0, 1), system=range(0, 1), match=True)
    Group(gold=range(1, 3), system=range(1, 2), match=False)
    Group(gold=range(3, 4), system=range(2, 3), match=True)
    """
    if (groups := _of_same_text(gold_words, system_words)) is not None:
        return groups
    gold_keys = _keys(gold_words, exceptions)
    system_keys = _keys(system_words, exceptions)
    gold_left = _characters_left(gold_keys)
    system_left = _characters_left(system_keys)

    def match(i: int, j: int) -> bool:
        return gold_keys[i] == system_keys[j]

    def gold_grows(group: _Window) -> bool:
        _, i_end, _, j_end = group
        return gold_left[i_end] > system_left[j_end]

    sides = _Sides(gold_keys, system_keys, match, gold_grows)
    return list(_grow(sides, (0, len(gold_keys), 0, len(system_keys))))


def pair_words(
    gold_words: Sequence[str],
    system_words: Sequence[str],
    groups: Iterable[Group],
    exceptions: Mapping[str, str] = _NO_EXCEPTIONS,
) -> list[tuple[int, int]]:
    """The words that are the same word on both sides: the true positives.

    In a group whose two sides are the same text these are the words at the same place. In any other
    group they are the multiset intersection of its words (first with first, second with second).

    Args:
        gold_words: as given to `align_words`.
        system_words: likewise.
        groups: what `align_words` returned.
        exceptions: words that count as others.

    Returns:
        Pairs of gold index and system index, in gold order.

    >>> gold, system = "B H CL FL".split(), "B CL FL".split()
    >>> pair_words(gold, system, align_words(gold, system))
    [(0, 0), (2, 1), (3, 2)]
    """
    pairs: list[tuple[int, int]] = []
    for gold, system, match in groups:
        if match:
            pairs.append((gold.start, system.start))
        elif gold and system and len(gold) + len(system) > 2:
            of_gold = gold_words[gold.start : gold.stop]
            of_system = system_words[system.start : system.stop]
            if same_text(of_gold, of_system):
                continue
            places: defaultdict[str, list[int]] = defaultdict(list)
            for j, key in zip(
                reversed(system), reversed(_keys(of_system, exceptions)), strict=True
            ):
                places[key].append(j)
            for i, key in zip(gold, _keys(of_gold, exceptions), strict=True):
                if places.get(key):
                    pairs.append((i, places[key].pop()))
    return pairs


def count_common(
    gold_words: Sequence[str],
    system_words: Sequence[str],
    exceptions: Mapping[str, str] = _NO_EXCEPTIONS,
) -> int:
    """How many words two aligned pieces of text have in common: `len` of the pairs of `pair_words`.

    >>> count_common("B H CL FL HM H NEIM".split(), "B CL FL HM HNEIM".split())
    4
    """
    if gold_words == system_words:
        return len(gold_words)
    text = "".join(gold_words)
    if text == "".join(system_words) and text == spaceless(text):
        gold_spans, system_spans = (
            set(pairwise(accumulate(map(len, words), initial=0)))
            for words in (gold_words, system_words)
        )
        return len(gold_spans & system_spans)
    groups = align_words(gold_words, system_words, exceptions)
    return len(pair_words(gold_words, system_words, groups, exceptions))


def spelt_lengths(texts: Sequence[str], spell: Callable[[str], str]) -> list[int]:
    """How long texts are when spelt in a way.

    Args:
        texts: the texts.
        spell: `spaceless` or `decomposed`.
    """
    joined = "".join(texts)
    # Mostly there is nothing to spell otherwise, and no need to look at every text.
    if spell(joined) == joined:
        return list(map(len, texts))
    return [len(spell(text)) for text in texts]


def same_text(gold_words: Iterable[str], system_words: Iterable[str]) -> bool:
    """Whether two lists of words are one text, spaces, case and Unicode normalisation aside.

    >>> same_text(["H", "NEIM"], ["HNEIM"])
    True
    """
    gold, system = "".join(gold_words), "".join(system_words)
    return gold == system or decomposed(gold) == decomposed(system)


def spaceless(text: str) -> str:
    """The text without its spaces: what two tokenizations of one text have in common."""
    return "".join(text.split())


def decomposed(text: str) -> str:
    """The text without spaces, case folded, in NFD.

    Unlike in NFC (see `fold`), the texts of two tokens, joined, are the text of the joined tokens.
    """
    return normalize("NFD", spaceless(text).casefold())


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """The text as it is compared: no spaces, case folded, NFC.

    >>> fold("De 1 000 Mètres")
    'de1000mètres'
    """
    return normalize("NFC", spaceless(text).casefold())


def load_exceptions(languages: Iterable[str], directory: str | None = None) -> dict[str, str]:
    """Words that count as others where texts are compared: `ca` as `can`, `n't` as `not`.

    Args:
        languages: whose lists are wanted, by their codes in `rules/word-exceptions.tsv`; `*` is
            the list of what belongs to no language (quotes, escaped brackets).
        directory: the user's tables, as for `sejongud.rules.load`.

    Returns:
        Folded word → the folded word it counts as.

    Raises:
        UsageError: there is no list for a language.
    """
    from sejongud.rules import load

    rows = load(directory).table("word-exceptions")
    known = {row["language"] for row in rows}
    wanted = set(languages)
    if missing := sorted(wanted - known):
        raise UsageError(
            f"no word exceptions for {', '.join(missing)}: rules/word-exceptions.tsv has "
            + ", ".join(sorted(known))
        )
    return {fold(row["word"]): fold(row["counts_as"]) for row in rows if row["language"] in wanted}


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most of the pairs whose second parts rise as the first do.

    Args:
        pairs: with first parts that rise.

    >>> longest_rising([(0, 5), (1, 2), (2, 3), (3, 9)])
    [(1, 2), (2, 3), (3, 9)]
    """
    lasts: list[int] = []  # the smallest end of a rising run of each length
    at_end: list[int] = []  # which pair that is
    before: list[int] = []  # the pair before each in its run
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


_Window = tuple[int, int, int, int]
"""Some neighbours: their begin and end in gold, their begin and end in system."""


class _Sides(NamedTuple):
    """Two lists of units to be aligned, and by what."""

    gold: Sequence[str]
    """The texts of the units, folded."""
    system: Sequence[str]
    match: Callable[[int, int], bool]
    """Whether a gold and a system unit are the same."""
    gold_grows: Callable[[_Window], bool]
    """Of a mismatch, whether it is the gold side that takes the next unit."""


def _grow(sides: _Sides, window: _Window) -> Iterator[Group]:
    """The generic algorithm: pairs that match, and groups that grow where they do not."""
    i, n, j, m = window
    match, gold_grows = sides.match, sides.gold_grows
    while i < n and j < m:
        if match(i, j):
            yield Group(range(i, i + 1), range(j, j + 1), True)
            i, j = i + 1, j + 1
            continue
        i_end, j_end = i + 1, j + 1
        while i_end < n or j_end < m:
            if i_end == n:
                j_end = m
            elif j_end == m:
                i_end = n
            elif match(i_end, j_end):
                break
            elif gold_grows((i, i_end, j, j_end)):
                i_end += 1
            else:
                j_end += 1
        gold, system = sides.gold[i:i_end], sides.system[j:j_end]
        if "".join(gold) == "".join(system):
            # Character offset decides here as well.
            yield from _by_offset(map(len, gold), map(len, system), i, j)
        else:
            yield Group(range(i, i_end), range(j, j_end), False)
        i, j = i_end, j_end
    if i < n or j < m:
        yield Group(range(i, n), range(j, m), False)


def _anchor(sides: _Sides, group: Group) -> Iterator[Group]:
    """A mismatch, cut at the sentences that both sides of it have.

    Growing finds the way back after what is split or merged, but seldom after sentences that one
    side lacks: from there on the sides are out of step. Anchors are the sentences that occur once
    on either side, as many as are in the same order on both (patience diff).
    """
    places = dict(_once(sides.system, group.system))
    common = [(i, places[text]) for text, i in _once(sides.gold, group.gold) if text in places]
    anchors = longest_rising(common)
    if not anchors:
        yield group
        return
    i, j = group.gold.start, group.system.start
    for i_end, j_end in [*anchors, (group.gold.stop, group.system.stop)]:
        yield from _grow(sides, (i, i_end, j, j_end))
        if i_end < group.gold.stop:
            yield Group(range(i_end, i_end + 1), range(j_end, j_end + 1), True)
        i, j = i_end + 1, j_end + 1


def _once(texts: Sequence[str], units: range) -> list[tuple[str, int]]:
    """The texts that occur once in a stretch, with their places."""
    counts = Counter([texts[at] for at in units])
    return [(texts[at], at) for at in units if counts[texts[at]] == 1]


def _of_same_text(gold: Sequence[str], system: Sequence[str]) -> list[Group] | None:
    """The groups of two segmentations of one text; None if the texts are not the same."""
    gold_text, system_text = "".join(gold), "".join(system)
    for spell in (spaceless, decomposed):
        if spell(gold_text) == spell(system_text):
            return _by_offset(spelt_lengths(gold, spell), spelt_lengths(system, spell))
    return None


def _by_offset(
    gold_lengths: Iterable[int], system_lengths: Iterable[int], i: int = 0, j: int = 0
) -> list[Group]:
    """Groups between the borders that two segmentations of one text have in common.

    Args:
        gold_lengths: how long the gold units are, in characters.
        system_lengths: likewise; the sums are equal.
        i: the number of the first gold unit.
        j: the number of the first system unit.
    """
    # A unit without any text ends where its neighbour before it ends; the last such unit counts.
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


def _keys(words: Iterable[str], exceptions: Mapping[str, str]) -> list[str]:
    """The words as they are compared."""
    folded = [fold(word) for word in words]
    return [exceptions.get(word, word) for word in folded] if exceptions else folded


def _characters_left(texts: Sequence[str]) -> list[int]:
    """How many characters the texts from each one on have together; 0 behind the last."""
    return [*accumulate(map(len, reversed(texts)), initial=0)][::-1]


def _sentence_matcher(
    gold_texts: Sequence[str],
    system_texts: Sequence[str],
    gold_keys: Sequence[str],
    system_keys: Sequence[str],
    similar: Callable[[str, str], bool],
) -> Callable[[int, int], bool]:
    """The matched cases of sentence alignment, of the pair (i, j)."""
    n, m = len(gold_texts), len(system_texts)

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

    return match


def _is_similar(similarity: Similarity) -> Callable[[str, str], bool]:
    """The test of likeness of two texts."""
    if similarity == "edit":
        from rapidfuzz.distance import Levenshtein

        def by_edits(gold: str, system: str) -> bool:
            longer = max(len(gold), len(system))
            limit = (longer - 1) // _EDIT_LENGTH  # the greatest distance that is below
            if abs(len(gold) - len(system)) > limit:
                return False
            return Levenshtein.distance(gold, system, score_cutoff=limit) <= limit

        return by_edits

    from rapidfuzz.distance import Jaro

    def by_jaro(gold: str, system: str) -> bool:
        jaro = Jaro.similarity(gold, system)
        affixes = _common_prefix(gold, system) + _common_prefix(gold[::-1], system[::-1])
        return jaro + _AFFIX_SCALE * affixes * (1 - jaro) > _JARO

    return by_jaro


def _common_prefix(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning, four at most."""
    length = 0
    for a, b in zip(one[:_AFFIX_CAP], other[:_AFFIX_CAP], strict=False):
        if a != b:
            break
        length += 1
    return length
