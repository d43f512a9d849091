"""Find what two sequences have in common, in order: a common subsequence.

Spelling and likeness say which words and sentences of two texts count as the same. The result is
exact up to a size at which it is found piece by piece: memory is bounded, and the time is linear
beyond that size. Before long sequences are cut into pieces, items that occur once on either side
are paired, as many as stand in the same order on both (patience diff).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args
from unicodedata import normalize

from sejongud.errors import UsageError, expect_choice
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


Similarity = Literal["edit", "jaro"]
"""The measure by which two sentences are alike (see `matching.align_sentences`)."""

_OF_ALL = "*"
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
        languages: codes in `rules/word-exceptions.tsv`; the words that belong to no language
            (quotes, escaped brackets) go with every language, and are `*` by themselves.
        similarity: the measure for sentences.
        directory: the user's tables, as for `sejongud.rules.load`.

    Raises:
        UsageError: a language has no list, or there is no such measure.

    >>> load_likeness(["en"]).exceptions["n't"]
    'not'
    """
    expect_choice("similarity", similarity, get_args(Similarity))
    languages = tuple(languages)
    if not languages:
        return Likeness(similarity=similarity)
    from sejongud.rules import load

    rows = load(directory).table("word-exceptions")
    available = {row["language"] for row in rows}
    if missing := sorted({*languages} - available):
        raise UsageError(
            f"no word exceptions for {', '.join(missing)}: rules/word-exceptions.tsv has "
            + ", ".join(sorted(available))
        )
    used = [row for row in rows if row["language"] in (*languages, _OF_ALL)]
    exceptions = {fold(row["word"]): fold(row["counts_as"]) for row in used}
    return Likeness(exceptions, similarity, languages)


def compared(words: Iterable[str], likeness: Likeness) -> list[str]:
    """Return the words in the form that is compared."""
    folded = list(map(fold, words))
    exceptions = likeness.exceptions
    return [exceptions.get(word, word) for word in folded] if exceptions else folded


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
    lengths = {text: len(spell(text)) for text in {*texts}}
    return [lengths[text] for text in texts]


def same_text(gold: Iterable[str], system: Iterable[str]) -> bool:
    """Test whether two lists of words are one text but for spaces, case and normal form.

    >>> same_text(["H", "NEIM"], ["HNEIM"])
    True
    """
    ours, theirs = "".join(gold), "".join(system)
    return ours == theirs or canonical(ours) == canonical(theirs)


def spaceless(text: str) -> str:
    """Return the text without spaces, which two tokenizations of one text have in common."""
    return "".join(text.split())


def decomposed(text: str) -> str:
    """Return the text without spaces, case folded, in NFD.

    In NFD, unlike in NFC (see `fold`), the text of two joined tokens is the joined text of each.
    """
    return normalize("NFD", spaceless(text).casefold())


@lru_cache(maxsize=1 << 16)
def composed(text: str) -> str:
    """Return the text in NFC, in which words and lemmas of treebanks are compared."""
    return normalize("NFC", text)


def canonical(text: str) -> str:
    """Return the text in the spelling that is compared: no spaces, case folded, NFC.

    Texts are the same in this spelling if they are the same `decomposed`. Of a text in NFC, which
    most texts are, it is the faster one.

    >>> canonical("De 1 000 Mètres")
    'de1000mètres'
    """
    return normalize("NFC", spaceless(text).casefold())


fold = Memo(canonical, size=1 << 15).__getitem__
"""Like `canonical`, remembered: for words and sentences."""


def similarity_test(similarity: Similarity) -> Callable[[str, str], bool]:
    """Return the test of likeness for two sentences, which are folded."""
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


_CELLS = 1 << 29
"""The product of the lengths above which sequences are compared piece by piece."""
_WINDOW = 1 << 13
"""The length of a piece."""

_FEW = 3
"""As many replaced items as an item more and an item less, two edits, are better than."""

Pair = tuple[int, int]


def longest_rising(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the longest run of pairs whose second numbers rise as the first do.

    Args:
        pairs: pairs whose first numbers rise.

    >>> longest_rising([(0, 5), (1, 2), (2, 3), (3, 9)])
    [(1, 2), (2, 3), (3, 9)]
    """
    lasts: list[int] = []  # the smallest end of a rising run of each length
    at_end: list[int] = []  # the pair that this end belongs to
    before: list[int] = []  # the pair before each pair in its run
    for i, (_, value) in enumerate(pairs):
        length = bisect_left(lasts, value)
        before.append(at_end[length - 1] if length else -1)
        lasts[length : length + 1] = [value]
        at_end[length : length + 1] = [i]
    rising = []
    i = at_end[-1] if at_end else -1
    while i >= 0:
        rising.append(pairs[i])
        i = before[i]
    return rising[::-1]


def common_subsequence(gold: list[str], system: list[str]) -> list[Pair]:
    """Return the places of the items that two sequences have in common, in order.

    It is the one of the fewest edits, where an item in the place of another is one edit: of items
    that occur often, those are paired that keep the sequences in step. The result does not depend
    on which of the two sequences is the first.

    Args:
        gold: the one sequence.
        system: the other sequence.

    >>> common_subsequence(["정말", "네", "아니요", "네"], ["네", "아니요", "네"])
    [(1, 0), (2, 1), (3, 2)]
    """
    if len(gold) * len(system) <= _CELLS:
        return _between(gold, system)
    pairs: list[Pair] = []
    i = j = 0
    for i_end, j_end in [*common_once(gold, system), (len(gold), len(system))]:
        between = _between(gold[i:i_end], system[j:j_end])
        pairs += [(i + a, j + b) for a, b in between]
        if i_end < len(gold):
            pairs.append((i_end, j_end))
        i, j = i_end + 1, j_end + 1
    return pairs


def common_once(gold: list[str], system: list[str]) -> list[Pair]:
    """Return the places of the items that occur once in either of two sequences, in order.

    >>> common_once(["a", "b", "a", "c"], ["b", "a", "c"])
    [(1, 0), (3, 2)]
    """
    places = dict(_once(system))
    pairs = [(i, places[item]) for item, i in _once(gold) if item in places]
    return [pair for part in _crossing(pairs) for pair in _longest(part, gold)]


def _crossing(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the parts of which no pair crosses a pair of another part."""
    least_behind = [*accumulate(reversed([j for _, j in pairs]), min)][::-1]
    part: list[Pair] = []
    last = -1
    for pair, least in zip(pairs, least_behind, strict=True):
        if part and last < least:
            yield part
            part = []
        part.append(pair)
        last = max(last, pair[1])
    if part:
        yield part


def _longest(pairs: list[Pair], gold: Sequence[str]) -> list[Pair]:
    """Return the longest run of pairs that do not cross, chosen from the same side after a swap."""
    if len(pairs) == 1:
        return pairs
    from_system = sorted([(j, i) for i, j in pairs])
    if [gold[i] for _, i in from_system] < [gold[i] for i, _ in pairs]:
        return [(i, j) for j, i in longest_rising(from_system)]
    return longest_rising(pairs)


def _once(items: Sequence[str]) -> list[tuple[str, int]]:
    """Return the items that occur once, with their places."""
    counts = Counter(items)
    return [(item, i) for i, item in enumerate(items) if counts[item] == 1]


def _between(gold: list[str], system: list[str]) -> list[Pair]:
    """Return the common subsequence of two stretches between unique items."""
    if not gold or not system:
        return []
    if len(gold) == len(system):
        same = [i for i, (a, b) in enumerate(zip(gold, system, strict=True)) if a == b]
        if len(gold) - len(same) < _FEW:
            return list(zip(same, same, strict=True))
    if set(gold).isdisjoint(system):
        return []
    if system < gold:
        return [(i, j) for j, i in _pieces(system, gold)]
    return list(_pieces(gold, system))


def _pieces(first: list[str], second: list[str]) -> Iterator[Pair]:
    """Yield the common subsequence of two stretches, piece by piece if they are long.

    Of a piece only the first half counts: the second half is there to keep it in step.
    """
    i = j = 0
    half = _WINDOW // 2
    while (len(first) - i) * (len(second) - j) > _CELLS:
        gold, system = first[i : i + _WINDOW], second[j : j + _WINDOW]
        pairs = [(a, b) for a, b in _exact(gold, system) if a < half and b < half]
        yield from [(i + a, j + b) for a, b in pairs]
        if pairs:
            i, j = i + pairs[-1][0] + 1, j + pairs[-1][1] + 1
        elif len(first) - i > len(second) - j:
            i += half
        else:
            j += half
    if i < len(first) and j < len(second):
        yield from [(i + a, j + b) for a, b in _exact(first[i:], second[j:])]


def _exact(gold: Sequence[str], system: Sequence[str]) -> list[Pair]:
    """Return the common subsequence of the fewest edits; of several the one that is in step."""
    from rapidfuzz.distance import Levenshtein

    if len(gold) == len(system):
        same = [i for i, (a, b) in enumerate(zip(gold, system, strict=True)) if a == b]
        edits = len(gold) - len(same)
        if Levenshtein.distance(gold, system, score_cutoff=edits - 1) >= edits:
            return list(zip(same, same, strict=True))
    blocks = Levenshtein.editops(gold, system).as_matching_blocks()
    pairs = [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]
    return _moved_left(gold, system, pairs)


def _moved_left(gold: Sequence[str], system: Sequence[str], pairs: Sequence[Pair]) -> list[Pair]:
    """Move pairs next to the pair before them where an equal item stands there.

    Example: of `a . b . c` and `a . c`, the first full stops are a pair, not the second and first.
    """
    moved: list[Pair] = []
    a, b = -1, -1
    for i, j in pairs:
        if j == b + 1 and i > a + 1 and gold[a + 1] == gold[i]:
            i = a + 1
        elif i == a + 1 and j > b + 1 and system[b + 1] == system[j]:
            j = b + 1
        moved.append((i, j))
        a, b = i, j
    return moved
