"""The columns of words, dependencies among them, on words that are cut another way.

    words, as the treebank has them    프랑스의 --nmod--> 디자이너
    words of level 3                   프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

Where a word is cut up, the part with its head morpheme (rules/heads.tsv) has its HEAD, DEPREL,
FEATS, DEPS and MISC, and the others are attached to that part (rules/deprels.tsv), as in
`sejongud.converters.word2morph`. Where words are put together, the columns are those of the one
that is nearest to the root, of a punctuation mark only if there is nothing else. So a tree stays a
tree, and words that were cut up and are put together again have the columns that they had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.word2morph import WordPatterns, map_deps
from sejongud.formats.base import to_number
from sejongud.levels.heads import HeadRule
from sejongud.memo import Memo
from sejongud.model import WordColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.converters.word2morph import WordPattern
    from sejongud.model import Eojeol, Sentence
    from sejongud.rules import Rules

__all__ = ["Cut", "Projection"]

Cut = tuple[int, int, int]
"""A word: which eojeol, from 0, its first morpheme there, and behind its last."""

_NOTHING = "_"
_PUNCT = "punct"
_ENDLESS = 1 << 30
"""How far from the root a word is that does not reach it."""


class _Top(NamedTuple):
    """Where a new word has its columns from."""

    source: int
    """The word of the source, from 0, whose columns it has or whose head part it is attached to."""
    deprel: str
    """How it is attached to that; "" if it has the word's columns."""


class Projection:
    """Projects the columns of the words of sentences on other words.

    Args:
        rules: the tables.
        scheme: of the relations between the parts of a word (rules/deprels.tsv).

    Raises:
        UsageError: no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str = "ud") -> None:
        patterns = WordPatterns(rules, scheme, "")
        self._patterns = Memo(patterns, size=20_000)
        self._by_lemma = patterns.by_lemma
        self._heads = HeadRule(rules)
        self._kind = rules.kind

    def __call__(
        self, sentence: Sentence, cuts: Sequence[Cut]
    ) -> tuple[tuple[WordColumns, ...], int]:
        """The columns of new words.

        Args:
            sentence: with columns.
            cuts: the new words, in order; they cover all its morphemes. LEMMA, UPOS and XPOS of one
                that the source does not have are "": its level and scheme tell them.

        Returns:
            The columns, and how many words of the source have FEATS, DEPS or MISC that a longer
            word has no place for.
        """
        source = _covering(sentence)
        heads = [self._head_morpheme(sentence.eojeols[word.eojeol], word) for word in source]
        depths = _depths([word.head for word in source])
        governors = {word.head for word in source}
        for at, deprel in enumerate([word.deprel for word in source]):
            # A quotation mark may be nearer to the root than the word it stands before. Where no
            # word depends on the mark, none that is passed over makes a circle.
            if deprel.partition(":")[0] == _PUNCT and at + 1 not in governors:
                depths[at] += _ENDLESS
        owners = self._owners(source, cuts)
        tops = [
            self._top(sentence.eojeols[cut[0]], source, cut, owned, heads, depths)
            for cut, owned in zip(cuts, owners, strict=True)
        ]
        # The new word, from 1, with the head morpheme of each word of the source; the root before.
        where = [0] * (len(source) + 1)
        for at, (cut, owned) in enumerate(zip(cuts, owners, strict=True), 1):
            for word in owned:
                if cut[1] <= heads[word] < cut[2]:
                    where[word + 1] = at
        columns = tuple(
            [
                self._columns(sentence.eojeols[cut[0]], source, cut, top, where)
                for cut, top in zip(cuts, tops, strict=True)
            ]
        )
        kept = {top.source for top in tops if not top.deprel}
        lost = [word for at, word in enumerate(source) if at not in kept and _says_more(word)]
        # Of words put together we write an MSeg of our own.
        clashes = [
            one
            for one, top in zip(columns, tops, strict=True)
            if not top.deprel and one.misc != source[top.source].misc
        ]
        return columns, len(lost) + len(clashes)

    def _head_morpheme(self, eojeol: Eojeol, word: WordColumns) -> int:
        """Where the head morpheme of a word stands in its eojeol, from 0."""
        if word.last - word.first == 1:
            return word.first
        return word.first + self._pattern(eojeol, word).head

    def _pattern(self, eojeol: Eojeol, word: WordColumns) -> WordPattern:
        """What the tags of a word, and its UPOS if the source has any, tell of its morphemes."""
        morphemes = eojeol.morphemes[word.first : word.last]
        tags = tuple([m.tag for m in morphemes])
        lemmas: tuple[str, ...] = ()
        if not self._by_lemma.isdisjoint(tags):
            lemmas = tuple([m.form if m.tag in self._by_lemma else "" for m in morphemes])
        head = -1 if word.upos else self._heads.head(tags)
        return self._patterns[tags, word.upos, lemmas, head]

    def _owners(self, source: Sequence[WordColumns], cuts: Sequence[Cut]) -> list[list[int]]:
        """For each new word the words of the source that it has a morpheme of, in order."""
        owners: list[list[int]] = []
        at = 0
        for eojeol, first, last in cuts:
            while (source[at].eojeol, source[at].last) <= (eojeol, first):
                at += 1
            owned = [at]
            while (
                owned[-1] + 1 < len(source)
                and source[owned[-1] + 1].eojeol == eojeol
                and source[owned[-1] + 1].first < last
            ):
                owned.append(owned[-1] + 1)
            owners.append(owned)
        return owners

    def _top(
        self,
        eojeol: Eojeol,
        source: Sequence[WordColumns],
        cut: Cut,
        owned: list[int],
        heads: list[int],
        depths: list[int],
    ) -> _Top:
        _, first, last = cut
        inside = [word for word in owned if first <= heads[word] < last]
        if inside:
            return _Top(min(inside, key=lambda word: depths[word]), "")
        # A part without the head morpheme of any word: its own head tells the relation.
        word = source[owned[0]]
        tags = [m.tag for m in eojeol.morphemes[first : min(last, word.last)]]
        part = first - word.first + self._heads.head(tags)
        return _Top(owned[0], self._pattern(eojeol, word).shape.arcs[part][1])

    def _columns(
        self,
        eojeol: Eojeol,
        source: Sequence[WordColumns],
        cut: Cut,
        top: _Top,
        where: list[int],
    ) -> WordColumns:
        word = source[top.source]
        if top.deprel:
            above = where[top.source + 1]
            head = above if word.head >= 0 else -1
            deprel = top.deprel if word.head >= 0 else _NOTHING
            return WordColumns(*cut, "", "", "", _NOTHING, head, deprel, _NOTHING, ())
        head = where[word.head] if 0 <= word.head < len(where) else -1
        same = cut == (word.eojeol, word.first, word.last)
        # Of tags that nobody knows (UD Korean PUD has its own) only the word's UPOS tells anything.
        both = eojeol.morphemes[min(cut[1], word.first) : max(cut[2], word.last)]
        tells = same or not any([self._kind(m.tag) for m in both])
        return WordColumns(
            *cut,
            word.upos if tells else "",
            word.lemma if same else "",
            word.xpos if same else "",
            word.feats,
            head,
            word.deprel,
            _mapped(word.deps, where),
            _misc(word, cut),
        )


def _covering(sentence: Sentence) -> list[WordColumns]:
    """The words, the last of each eojeol with the symbols that the source lacks behind it."""
    columns = sentence.columns
    words = []
    for at, word in enumerate(columns):
        end = len(sentence.eojeols[word.eojeol].morphemes)
        is_last = at + 1 == len(columns) or columns[at + 1].eojeol > word.eojeol
        words.append(word._replace(last=end) if is_last and word.last < end else word)
    return words


def _mapped(deps: str, where: list[int]) -> str:
    """DEPS with new numbers, as far as it speaks of words."""
    items = []
    for item in deps.split("|"):
        number = to_number(item.partition(":")[0])
        if number is not None and number < len(where):
            items.append(map_deps(item, where, where))
    return "|".join(items) or _NOTHING


def _misc(word: WordColumns, cut: Cut) -> tuple[str, ...]:
    """The items of MISC of a word that those of a cut have a place for."""
    if cut[2] - cut[1] == 1:
        return word.misc
    return tuple([item for item in word.misc if not item.startswith("MSeg=")])


def _depths(heads: Sequence[int]) -> list[int]:
    """How far each word is from the root.

    >>> _depths([2, 0, 2, 5, 4])[:3]
    [2, 1, 2]
    """
    depths = [0] * len(heads)
    for start in range(len(heads)):
        path = []
        at = start
        while 0 <= at < len(heads) and not depths[at]:
            depths[at] = _ENDLESS
            path.append(at)
            at = heads[at] - 1
        depth = depths[at] if 0 <= at < len(heads) else 0 if at == -1 else _ENDLESS
        for word in reversed(path):
            depth = min(depth + 1, _ENDLESS)
            depths[word] = depth
    return depths


def _says_more(word: WordColumns) -> bool:
    return word.feats != _NOTHING or word.deps != _NOTHING or bool(word.misc)
