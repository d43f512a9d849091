"""morph2word: dependencies between morphemes become dependencies between eojeols (memoir, §3.3).

What `sejongud.converters.word2morph` wrote comes back to the byte. For what a parser made of it the
rule is:

1. The arc of a word is found by starting at its head morpheme (rules/heads.tsv, rule `morphemes`,
   or the one that `HeadMorpheme` names) and going up until an arc leaves the word: that one is the
   word's. If the arcs go round inside the word, it is the first that leaves the word; if none does,
   the word has no governor.
2. Its governor is the word that holds the morpheme at the arc's other end, whichever that is.
3. The first word whose arc goes to the root is the root, else the first without a governor, else
   the first one that is in a circle. Every other word without a governor, and of every circle the
   first word, is attached to the root.

So every word has one head and one relation, and the words are a tree.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain, count, repeat
from operator import add, eq
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.word2morph import UNSPECIFIED, map_deps, map_node, with_items
from sejongud.errors import FormatError
from sejongud.formats.base import to_number
from sejongud.formats.misc import unescape_misc
from sejongud.formats.ud import find_cycle
from sejongud.levels.heads import HeadRule
from sejongud.memo import Memo
from sejongud.ud import NOTHING, UDSentence, UDToken, UDWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.rules import Rules

__all__ = [
    "Joiner",
    "Morph2Word",
    "as_told",
    "leaving_arc",
    "make_tree",
    "own_items",
    "without_own",
]

_ROOT = "root"
_OWN_KEYS = frozenset(
    (
        *("WordUPOS", "WordXPOS", "WordLemma", "WordHead"),
        *("WordForm", "WordSizes", "HeadMorpheme"),
    )
)
_WORD_HEAD = re.compile(r"WordHead=(?:(?P<word>[1-9][0-9]{0,8}):)?(?P<head>[1-9][0-9]{0,8})")
_SPACE = "SpaceAfter=No"
_REMEMBERED = 48_000


class _Joined(NamedTuple):
    """What becomes of a token, wherever it stands."""

    token: UDToken
    """The token of its words, which have the arcs of their head morphemes."""
    sizes: tuple[int, ...]
    """How many morphemes each word has."""
    heads: tuple[int, ...]
    """Which of them is its head morpheme, from 0."""
    governors: tuple[tuple[int, int], ...]
    """The words, from 0, whose governor MISC names, and which word that is, from 1."""


class Joiner:
    """Joins the morphemes of a token to words, wherever it stands."""

    def __init__(self, rules: Rules, marker: str) -> None:
        self._heads: Memo[tuple[str, ...], int] = Memo(HeadRule(rules).head, size=_REMEMBERED)
        self.marker = marker

    def __call__(self, token: UDToken) -> _Joined:
        """The words of a token."""
        words = token.words
        own = own_items(token.misc)
        sizes: tuple[int, ...] = (len(words),)
        if len(words) == 1:
            heads: tuple[int, ...] = (0,)
            joined = _restored_single(token)
        elif "WordSizes" in own:
            sizes = _sizes(own["WordSizes"], len(words))
            parts = _parts(words, sizes)
            heads = tuple([self.head(_tags(part), own_items(part[0].misc)) for part in parts])
            joined = self.join(token, own, sizes, heads)
        else:
            heads = (self.head(_tags(words), own),)
            joined = self.join(token, own, sizes, heads)
        governors = tuple(_governors(token.misc, len(sizes))) if "WordHead" in own else ()
        return _Joined(joined, sizes, heads, governors)

    def head(self, tags: tuple[str, ...], own: Mapping[str, str]) -> int:
        """Where to begin to look for the arc of a word.

        Args:
            tags: of its morphemes.
            own: what MISC says of it.
        """
        head = to_number(own.get("HeadMorpheme", ""))
        if head and head <= len(tags):
            return head - 1
        return self._heads[tags]

    def again(self, key: tuple[UDToken, tuple[int, ...], tuple[int, ...]]) -> UDToken:
        """The token of words that have the arcs of other morphemes than their heads."""
        token, sizes, places = key
        return self.join(token, own_items(token.misc), sizes, places)

    def join(
        self,
        token: UDToken,
        own: Mapping[str, str],
        sizes: tuple[int, ...],
        places: tuple[int, ...],
    ) -> UDToken:
        """The token of words.

        Args:
            token: morphemes.
            own: what MISC of the range line says of the words.
            sizes: how many morphemes each word has.
            places: which of them has the arc of the word, from 0.
        """
        misc = without_own(token.misc) if own else token.misc
        if "WordSizes" not in own:
            misc = _with_space(misc, token.words[-1])
            word = self._word(token.words, places[0], token.form, misc, own)
            return UDToken(token.form, (word,), NOTHING, misc, token.notes)
        words = []
        for part, place in zip(_parts(token.words, sizes), places, strict=True):
            if len(part) == 1:
                words.append(part[0])
                continue
            items = own_items(part[0].misc)
            form = unescape_misc(items.get("WordForm", "")) or "".join([w.form for w in part])
            words.append(self._word(part, place, form, without_own(part[0].misc), items))
        return UDToken(token.form, tuple(words), token.feats, misc, token.notes)

    def _word(
        self, words: Sequence[UDWord], head: int, form: str, misc: str, own: Mapping[str, str]
    ) -> UDWord:
        """One word of several, with what its MISC says of it."""
        _, _, all_upos, all_xpos, feats, _, parts = zip(*words, strict=True)
        morphemes = tuple(chain.from_iterable(parts))
        if self.marker:
            lemma = "+".join([self._written(word, at > 0) for at, word in enumerate(words)])
        else:
            lemma = "+".join([m.source or m.form for m in morphemes])
        lemma, upos, xpos = as_told(own, lemma, all_upos[head], "+".join(all_xpos))
        return UDWord(form, lemma, upos, xpos, feats[head], misc, morphemes)

    def _written(self, word: UDWord, follows: bool) -> str:
        """The morphemes of a word as the treebank had them in LEMMA."""
        written = "+".join([m.source or m.form for m in word.morphemes])
        marked = follows and "MSeg=" not in word.misc
        return written.removeprefix(self.marker) if marked else written


class Morph2Word:
    """Joins the morphemes of a sentence to words.

    Args:
        rules: the tables.
        bound_marker: what stands before every morpheme but the first of a token (`+`).
    """

    def __init__(self, rules: Rules, *, bound_marker: str = "") -> None:
        self.join = Joiner(rules, bound_marker)
        self._joined: Memo[UDToken, _Joined] = Memo(self.join, size=_REMEMBERED)
        self._others = Memo(self.join.again, size=_REMEMBERED)

    def __call__(self, sentence: UDSentence, words: UDSentence | None = None) -> UDSentence:
        """The sentence with a word for each surface token.

        Args:
            sentence: morphemes.
            words: the same sentence as the treebank has it, whose words are to be taken; only the
                heads and relations are then those of `sentence`.

        Raises:
            FormatError: `words` has not as many words.
        """
        return self.convert(sentence, words)[0]

    def convert(
        self, sentence: UDSentence, words: UDSentence | None = None
    ) -> tuple[UDSentence, bool]:
        """The same, and whether the arcs had to be mended to make a tree."""
        known = self._joined
        joined = [known[token] for token in sentence.tokens]
        tokens, sizes, inside, governors = zip(*joined, strict=True)
        all_sizes = list(chain.from_iterable(sizes))
        # For each morpheme, from 1, the word it is in; for each word the morpheme, from 0, whose
        # arc it has.
        owner = [0, *chain.from_iterable(map(repeat, count(1), all_sizes))]
        chosen = list(map(add, accumulate(all_sizes, initial=0), chain.from_iterable(inside)))
        source = sentence.heads
        heads = [owner[head] if head > 0 else head for head in [source[at] for at in chosen]]
        if any(map(eq, heads, count(1))):
            tokens = self._go_up(sentence, joined, owner, chosen, heads)
        deprels = [sentence.deprels[at] for at in chosen]
        if words is None and any(governors):
            _take_governors(heads, sizes, governors)
        mended = heads.count(0) != 1 or min(heads) < 0 or find_cycle(heads) >= 0
        if mended:
            make_tree(heads, deprels)
        if words is not None:
            return _with_words(words, heads, deprels), mended
        result = UDSentence(
            sentence.header, tokens, tuple(heads), tuple(deprels), line=sentence.line
        )
        if sentence.deps or sentence.empty_nodes:
            if sentence.deps:
                deps = [map_deps(sentence.deps[at], owner, owner) for at in chosen]
                result.deps = tuple(deps)
            nodes = [map_node(node, owner, owner) for node in sentence.empty_nodes]
            result.empty_nodes = tuple(nodes)
        return result, mended

    def _go_up(
        self,
        sentence: UDSentence,
        joined: Sequence[_Joined],
        owner: Sequence[int],
        chosen: list[int],
        heads: list[int],
    ) -> tuple[UDToken, ...]:
        """Find the arcs of words whose head morpheme is attached within its word.

        Args:
            sentence: morphemes.
            joined: what becomes of its tokens.
            owner: for each morpheme, from 1, the word it is in.
            chosen: for each word the morpheme, from 0, whose arc it has; changed.
            heads: for each word, from 1; changed.

        Returns:
            The tokens.
        """
        source = sentence.heads
        tokens = []
        word = first = 0
        for token, (usual, sizes, inside, _) in zip(sentence.tokens, joined, strict=True):
            places = list(inside)
            for at, size in enumerate(sizes):
                if heads[word] == word + 1 and len(token.words) > 1:
                    arc = leaving_arc(source, first, first + size, chosen[word])
                    if arc < 0:
                        heads[word] = -1
                    else:
                        heads[word] = owner[source[arc]] if source[arc] > 0 else source[arc]
                        chosen[word] = arc
                        places[at] = arc - first
                word += 1
                first += size
            changed = tuple(places)
            tokens.append(usual if changed == inside else self._others[token, sizes, changed])
        return tuple(tokens)


def leaving_arc(heads: Sequence[int], first: int, last: int, start: int) -> int:
    """The morpheme, from 0, whose arc is that of its word.

    Args:
        heads: of all morphemes, from 1.
        first: the word's first morpheme.
        last: behind its last one.
        start: where to begin.

    Returns:
        -1 if no arc leaves the word.
    """
    at = start
    for _ in range(first, last):
        head = heads[at] - 1
        if not first <= head < last:
            return at
        at = head
    return next((n for n in range(first, last) if not first < heads[n] <= last), -1)


def make_tree(heads: list[int], deprels: list[str]) -> None:
    """Make a tree of the arcs of a sentence, changing as few as possible.

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
        root = _first_in_circle(heads, find_cycle(heads))
    heads[root], deprels[root] = 0, _ROOT
    for at, head in enumerate(heads):
        if at == root:
            continue
        if head <= 0:
            heads[at] = root + 1
        if deprels[at] == _ROOT:
            deprels[at] = UNSPECIFIED
    while (at := find_cycle(heads)) >= 0:
        heads[_first_in_circle(heads, at)] = root + 1


def _first_in_circle(heads: Sequence[int], start: int) -> int:
    """The first word of the circle that is above a word."""
    at = start
    for _ in heads:
        at = heads[at] - 1
    circle = [at]
    while (up := heads[circle[-1]] - 1) != at:
        circle.append(up)
    return min(circle)


def _with_words(words: UDSentence, heads: Sequence[int], deprels: Sequence[str]) -> UDSentence:
    """The treebank's words with these arcs."""
    if len(words.heads) != len(heads):
        raise FormatError(
            f"{len(heads)} words where the treebank has {len(words.heads)} (its line {words.line}):"
            " the tokens of both files must be the same",
            code="E209",
        )
    return UDSentence(words.header, words.tokens, tuple(heads), tuple(deprels), line=words.line)


def _sizes(told: str, morphemes: int) -> tuple[int, ...]:
    """How many morphemes each word of a token has, as MISC tells; one word if that cannot be."""
    sizes = tuple([size for size in map(to_number, told.split(",")) if size is not None])
    return sizes if sum(sizes) == morphemes and 0 not in sizes else (morphemes,)


def _parts(words: tuple[UDWord, ...], sizes: Iterable[int]) -> list[tuple[UDWord, ...]]:
    """The morphemes of each word."""
    return [words[end - size : end] for end, size in zip(accumulate(sizes), sizes, strict=True)]


def _governors(misc: str, count: int) -> Iterator[tuple[int, int]]:
    """The words of a token, from 0, whose governor MISC names, and which word that is, from 1."""
    for item in misc.split("|"):
        match = _WORD_HEAD.fullmatch(item)
        if match and (word := int(match["word"] or 1)) <= count:
            yield word - 1, int(match["head"])


def _take_governors(
    heads: list[int],
    sizes: Iterable[tuple[int, ...]],
    governors: Iterable[tuple[tuple[int, int], ...]],
) -> None:
    """Set the heads that MISC names."""
    first = 0
    for of_token, named in zip(sizes, governors, strict=True):
        for word, governor in named:
            heads[first + word] = min(governor, len(heads))
        first += len(of_token)


def _restored_single(token: UDToken) -> UDToken:
    """A token of one word as it was."""
    word = token.words[0]
    own = own_items(word.misc)
    if not own:
        return token
    misc = without_own(word.misc)
    word = word._replace(lemma=unescape_misc(own.get("WordLemma", word.lemma)), misc=misc)
    return UDToken(token.form, (word,), NOTHING, misc, token.notes)


def _tags(words: Iterable[UDWord]) -> tuple[str, ...]:
    """The tags of the morphemes that are joined to a word."""
    return tuple([word.morphemes[-1].tag for word in words])


def as_told(own: Mapping[str, str], lemma: str, upos: str, xpos: str) -> tuple[str, str, str]:
    """LEMMA, UPOS and XPOS of a word: as its morphemes have them, or as MISC says they were."""
    if not own:
        return lemma, upos, xpos
    return (
        unescape_misc(own.get("WordLemma", lemma)),
        own.get("WordUPOS", upos),
        unescape_misc(own.get("WordXPOS", xpos)),
    )


def own_items(misc: str) -> dict[str, str]:
    """The items of MISC that word2morph wrote."""
    if "Word" not in misc and "HeadMorpheme" not in misc:
        return {}
    items = dict([item.partition("=")[::2] for item in misc.split("|")])
    return {key: value for key, value in items.items() if key in _OWN_KEYS}


def without_own(misc: str) -> str:
    """MISC without the items that word2morph wrote."""
    items = [item for item in misc.split("|") if item.partition("=")[0] not in _OWN_KEYS]
    return "|".join(items) or NOTHING


def _with_space(misc: str, last: UDWord) -> str:
    """MISC with `SpaceAfter=No`, if that stands on the last word of the range (published files)."""
    if _SPACE not in last.misc or _SPACE not in last.misc.split("|") or _SPACE in misc.split("|"):
        return misc
    return with_items(_SPACE, [] if misc == NOTHING else [misc])
