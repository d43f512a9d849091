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
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.word2morph import UNSPECIFIED, map_deps, map_node, with_items
from sejongud.errors import FormatError
from sejongud.formats.conllu import unescape_misc
from sejongud.formats.ud import find_cycle
from sejongud.heads import HeadRule
from sejongud.memo import Memo
from sejongud.ud import NOTHING, UDSentence, UDToken, UDWord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.rules import Rules

__all__ = ["Morph2Word", "make_tree"]

_ROOT = "root"
_OWN_KEYS = frozenset(
    (
        *("WordUPOS", "WordXPOS", "WordLemma", "WordHead"),
        *("WordForm", "WordSizes", "HeadMorpheme"),
    )
)
_OWN_ITEM = re.compile("Word|HeadMorpheme")
"""What MISC holds if one of them may be in it."""
_WORD_HEAD = re.compile(r"WordHead=(?:(?P<word>[1-9][0-9]*):)?(?P<head>[1-9][0-9]*)")
_SPACE = "SpaceAfter=No"
_REMEMBERED = 48_000


class _Part(NamedTuple):
    """The morphemes of one word, as places in their token, from 0."""

    first: int
    last: int
    """Behind the last one."""
    head: int
    """Where the search for the word's arc begins."""


class _Known:
    """What is known of a token, wherever it stands.

    Args:
        parts: its words.
        own: what MISC of the range line says of them.
        misc: MISC without that.
    """

    __slots__ = ("joined", "misc", "own", "parts")

    def __init__(self, parts: tuple[_Part, ...], own: Mapping[str, str], misc: str) -> None:
        self.parts = parts
        self.own = own
        self.misc = misc
        self.joined: dict[tuple[int, ...], UDToken] = {}
        """By the places of the morphemes whose arcs the words have: the token of its words."""


class _Reading:
    """Finds the words of a token."""

    def __init__(self, rules: Rules) -> None:
        self._heads: Memo[tuple[str, ...], int] = Memo(HeadRule(rules).head, size=_REMEMBERED)

    def __call__(self, token: UDToken) -> _Known:
        count = len(token.words)
        own = _own_items(token.misc)
        misc = _without(token.misc) if own else token.misc
        if "WordSizes" not in own:
            return _Known((_Part(0, count, self._head(token.words, own)),), own, misc)
        sizes = [int(size) for size in own["WordSizes"].split(",") if size.isdecimal()]
        if sum(sizes) != count or 0 in sizes:
            sizes = [count]
        parts = []
        first = 0
        for size in sizes:
            words = token.words[first : first + size]
            head = self._head(words, _own_items(words[0].misc))
            parts.append(_Part(first, first + size, first + head))
            first += size
        return _Known(tuple(parts), own, misc)

    def _head(self, words: tuple[UDWord, ...], own: Mapping[str, str]) -> int:
        """Where to begin to look for the arc of a word of these morphemes."""
        head = own.get("HeadMorpheme", "")
        if head.isdecimal() and 0 < int(head) <= len(words):
            return int(head) - 1
        return self._heads[tuple([word.morphemes[-1].tag for word in words])]


class _Joiner:
    """Joins the morphemes of a token to words, wherever it stands."""

    def __init__(self, marker: str) -> None:
        self._marker = marker

    def __call__(self, token: UDToken, known: _Known, heads: tuple[int, ...]) -> UDToken:
        """The token with one word for each part, whose head morphemes are known."""
        misc = known.misc
        if "WordSizes" not in known.own:
            misc = _with_space(misc, token.words[-1])
            word = self._word(token.words, heads[0], token.form, misc, known.own)
            return UDToken(token.form, (word,), NOTHING, misc, token.notes)
        words = []
        for part, head in zip(known.parts, heads, strict=True):
            inner = token.words[part.first : part.last]
            if len(inner) == 1:
                words.append(inner[0])
                continue
            items = _own_items(inner[0].misc)
            form = unescape_misc(items.get("WordForm", "")) or "".join([w.form for w in inner])
            own_misc = _without(inner[0].misc)
            words.append(self._word(inner, head - part.first, form, own_misc, items))
        return UDToken(token.form, tuple(words), token.feats, misc, token.notes)

    def _word(
        self, words: Sequence[UDWord], head: int, form: str, misc: str, own: Mapping[str, str]
    ) -> UDWord:
        """One word of several, with what its MISC says of it."""
        morphemes = tuple([m for word in words for m in word.morphemes])
        if self._marker:
            lemma = "+".join([self._written(word, at > 0) for at, word in enumerate(words)])
        else:
            lemma = "+".join([m.source or m.form for m in morphemes])
        xpos = "+".join([word.xpos for word in words])
        upos = words[head].upos
        if own:
            lemma = unescape_misc(own.get("WordLemma", lemma))
            upos = own.get("WordUPOS", upos)
            xpos = unescape_misc(own.get("WordXPOS", xpos))
        return UDWord(form, lemma, upos, xpos, words[head].feats, misc, morphemes)

    def _written(self, word: UDWord, follows: bool) -> str:
        """The morphemes of a word as the treebank had them in LEMMA."""
        written = "+".join([m.source or m.form for m in word.morphemes])
        marked = follows and "MSeg=" not in word.misc
        return written.removeprefix(self._marker) if marked else written


class Morph2Word:
    """Joins the morphemes of a sentence to words.

    Args:
        rules: the tables.
        bound_marker: what stands before every morpheme but the first of a token (`+`).
    """

    def __init__(self, rules: Rules, *, bound_marker: str = "") -> None:
        self._known: Memo[UDToken, _Known] = Memo(_Reading(rules), size=_REMEMBERED)
        self._singles: Memo[UDToken, UDToken] = Memo(_restored_single, size=_REMEMBERED)
        self._join = _Joiner(bound_marker)

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
        tokens, chosen, owner, lost = self._words(sentence)
        source = sentence.heads
        heads = [owner[source[at]] if source[at] > 0 else source[at] for at in chosen]
        for at in lost:
            heads[at] = -1
        deprels = [sentence.deprels[at] for at in chosen]
        for word, governor in _said_heads(sentence.tokens) if words is None else ():
            heads[word] = min(governor, len(heads))
        mended = heads.count(0) != 1 or min(heads) < 0 or find_cycle(heads) >= 0
        if mended:
            make_tree(heads, deprels)
        if words is not None:
            return _with_words(words, heads, deprels), mended
        result = UDSentence(
            sentence.header, tuple(tokens), tuple(heads), tuple(deprels), line=sentence.line
        )
        if sentence.deps or sentence.empty_nodes:
            if sentence.deps:
                deps = [map_deps(sentence.deps[at], owner, owner) for at in chosen]
                result.deps = tuple(deps)
            nodes = [map_node(node, owner, owner) for node in sentence.empty_nodes]
            result.empty_nodes = tuple(nodes)
        return result, mended

    def _words(self, sentence: UDSentence) -> tuple[list[UDToken], list[int], list[int], list[int]]:
        """The words of a sentence.

        Returns:
            The tokens; for each word the morpheme, from 0, whose arc it has; for each morpheme,
            from 1, the word it is in; the words, from 0, that no arc leaves.
        """
        source = sentence.heads
        chosen: list[int] = []
        lost: list[int] = []
        owner = [0]
        tokens: list[UDToken] = []
        first = 0
        count = 0
        for token in sentence.tokens:
            size = len(token.words)
            if size == 1:
                count += 1
                chosen.append(first)
                owner.append(count)
                tokens.append(self._singles[token])
                first += 1
                continue
            known = self._known[token]
            places = []
            for begin, end, head in known.parts:
                count += 1
                at = _arc(source, first + begin, first + end, first + head)
                if at < 0:
                    lost.append(count - 1)
                    at = first + head
                chosen.append(at)
                places.append(at - first)
                owner += [count] * (end - begin)
            key = tuple(places)
            joined = known.joined.get(key)
            if joined is None:
                joined = known.joined[key] = self._join(token, known, key)
            tokens.append(joined)
            first += size
        return tokens, chosen, owner, lost


def _arc(heads: Sequence[int], first: int, last: int, start: int) -> int:
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


def _said_heads(tokens: Sequence[UDToken]) -> Iterator[tuple[int, int]]:
    """The words, from 0, whose governor MISC names, and which word that is, from 1."""
    word = 0
    for token in tokens:
        if "WordHead=" in token.misc:
            for item in token.misc.split("|"):
                if match := _WORD_HEAD.fullmatch(item):
                    yield word + int(match["word"] or 1) - 1, int(match["head"])
        sizes = _own_items(token.misc).get("WordSizes", "")
        word += sizes.count(",") + 1


def _restored_single(token: UDToken) -> UDToken:
    """A token of one word as it was."""
    word = token.words[0]
    own = _own_items(word.misc)
    if not own:
        return token
    misc = _without(word.misc)
    word = word._replace(lemma=unescape_misc(own.get("WordLemma", word.lemma)), misc=misc)
    return UDToken(token.form, (word,), NOTHING, misc, token.notes)


def _own_items(misc: str) -> dict[str, str]:
    """The items of MISC that word2morph wrote."""
    if misc == NOTHING or not _OWN_ITEM.search(misc):
        return {}
    items = dict([item.partition("=")[::2] for item in misc.split("|")])
    return {key: value for key, value in items.items() if key in _OWN_KEYS}


def _without(misc: str) -> str:
    """MISC without the items that word2morph wrote."""
    if not _OWN_ITEM.search(misc):
        return misc
    items = [item for item in misc.split("|") if item.partition("=")[0] not in _OWN_KEYS]
    return "|".join(items) or NOTHING


def _with_space(misc: str, last: UDWord) -> str:
    """MISC with `SpaceAfter=No`, if that stands on the last word of the range (published files)."""
    if _SPACE not in last.misc.split("|") or _SPACE in misc.split("|"):
        return misc
    return with_items(_SPACE, [] if misc == NOTHING else [misc])
