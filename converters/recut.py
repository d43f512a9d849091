"""Recut a sentence: its words at another level of granularity (memoir, ch. 2).

    words, as a treebank has them    프랑스의 --nmod--> 디자이너
    words of level 3                 프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

An eojeol whose own cut is that of the level stays as it is: what a treebank says of its words is
what comes out. Where a treebank's word is split, the part with its head morpheme has its UPOS,
FEATS, HEAD and DEPREL, and the others are attached to that part by the rules of
`sejongud.converters.word2morph`, scheme `ud`; MISC of the word goes to the first line of its token.
Where words are joined, the new word has the arc that leaves it (`sejongud.layers.arcs`).

What becomes of an eojeol is a pure function of that eojeol, computed once (`Recut.unit`).
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.word2morph import WordPatterns, pattern_key
from sejongud.errors import Note
from sejongud.formats.misc import lost_segments, other_items, range_items
from sejongud.layers.arcs import Split, TreeRules, is_tree, join_arcs, make_tree
from sejongud.levels.cut import Granularity
from sejongud.levels.heads import HeadRule
from sejongud.memo import Memo
from sejongud.model import NOTHING, NOTHING_SAID, Eojeol, Token, Word
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.converters.word2morph import WordPattern
    from sejongud.model import Arcs, Sentence

__all__ = ["Cut", "Recut", "recut_of"]

_SCHEME = "ud"
_REMEMBERED = 48_000
_WHOLE = Split.kept(1)


class Cut(NamedTuple):
    """What becomes of an eojeol, wherever it stands."""

    eojeol: Eojeol
    """The eojeol, with the tokens of the level."""
    split: Split
    """How its own words are split."""
    sizes: tuple[int, ...]
    """How many of these parts each new word is joined of."""
    heads: tuple[int, ...]
    """Which of them is its head, from 0."""
    lost: int
    """How many words have FEATS or MISC for which a longer word has no place."""


class _Part(NamedTuple):
    """A run of an eojeol's morphemes that neither cut divides."""

    own: int
    """The own word it belongs to."""
    first: int
    last: int
    """Behind its last morpheme."""
    upos: str
    """UPOS, "" where the scheme of the level tells it."""
    is_head: bool
    deprel: str
    """Its relation to the head part of its word."""


class Recut:
    """Cuts sentences at a level of granularity.

    Args:
        granularity: the level, and the schemes of UPOS and lemmas.
        retag: whether UPOS is that of the scheme also where a treebank has its own.
        relemma: whether LEMMA is.
    """

    def __init__(
        self, granularity: Granularity, *, retag: bool = False, relemma: bool = False
    ) -> None:
        rules = granularity.rules
        self._granularity = granularity
        self._tokens = granularity.tokens
        self._retag = retag
        self._relemma = relemma
        patterns = WordPatterns(rules, _SCHEME, "")
        self._patterns = Memo(patterns, size=20_000)
        self._by_lemma = patterns.by_lemma
        self._heads = HeadRule(rules)
        self._kind = rules.kind
        self._symbols = frozenset([tag for tag in rules.tags if rules.kind(tag) == "symbol"])
        self._trees = TreeRules(rules, ud=True)
        self._made: Memo[Eojeol, Eojeol] = Memo(self._make, size=_REMEMBERED)
        self._cuts: Memo[Eojeol, Cut] = Memo(self._cut, size=_REMEMBERED)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its words cut anew.

        It is returned itself if its words are those of the level. What a longer word has no place
        for is told in `Sentence.notes`.
        """
        eojeols = sentence.eojeols
        if not sentence.is_treebank:
            made = self._made
            cut = tuple([made[eojeol] for eojeol in eojeols])
            if all([own.tokens for own in eojeols]) and self._is_same(eojeols, cut):
                return sentence
            if sentence.arcs is None:
                return sentence.with_cut(cut, None)
            return self._by_scheme._with_arcs(sentence)
        return self._with_arcs(sentence)

    @cached_property
    def _by_scheme(self) -> Recut:
        """The recutting of sentences with arcs that have nothing else of a treebank."""
        return Recut(self._granularity, retag=True, relemma=True)

    def _with_arcs(self, sentence: Sentence) -> Sentence:
        """Return a sentence cut anew whose words have columns or arcs of their own."""
        eojeols = sentence.eojeols
        known = self._cuts
        cuts = [known[eojeol] for eojeol in eojeols]
        arcs = sentence.arcs
        notes: list[Note] = []
        if arcs is not None:
            cuts = self._undivided_kept(eojeols, arcs, cuts)
            arcs = self._arcs(arcs, cuts, notes)
        if lost := sum([cut.lost for cut in cuts]):
            message = f"FEATS, DEPS or MISC of {lost} words, which are part of a longer one here"
            notes.append(Note("W301", f"not written: {message}"))
        result = sentence.with_cut(tuple([cut.eojeol for cut in cuts]), arcs)
        result.notes += tuple(notes)
        return result

    def unit(self, eojeol: Eojeol) -> Eojeol:
        """Return what becomes of an eojeol of a sentence that is no treebank's."""
        return self._make(eojeol)

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, Split] | None:
        """Return what becomes of an eojeol of a treebank, and how its words are split.

        Returns None if words are joined.
        """
        cut = self._cut(eojeol)
        whole = len(cut.sizes) == len(cut.split.deprels) and not cut.lost and not cut.eojeol.notes
        return (cut.eojeol, cut.split) if whole else None

    def move(self, arcs: Arcs, splits: Sequence[Split]) -> Arcs | None:
        """Return the arcs of split words; None if some of them must stay whole."""
        return None if self._trees.undivided(arcs) else self._trees.split_arcs(arcs, splits)[0]

    def _is_same(self, eojeols: Sequence[Eojeol], cut: Sequence[Eojeol]) -> bool:
        """Whether the own cut of every eojeol is that of the level, and no scheme is asked for."""
        if self._retag or self._relemma:
            return False
        pairs = zip(eojeols, cut, strict=True)
        return all([_shape(own.tokens) == _shape(new.tokens) for own, new in pairs])

    def _make(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol with the tokens of the level, whatever its own are."""
        return eojeol.but(tokens=self._tokens(eojeol), said=NOTHING_SAID)

    # --- words of a treebank ----------------------------------------------------------------------

    def _cut(self, eojeol: Eojeol) -> Cut:
        """Return what becomes of an eojeol of a treebank."""
        tokens = self._tokens(eojeol)
        if not self._retag and not self._relemma and eojeol.said == NOTHING_SAID:
            cut = self._token_by_token(eojeol, tokens)
            if cut is not None:
                return cut
        own = list(_own_words(eojeol))
        if _shape(tokens) == _shape(eojeol.tokens):
            kept = self._kept(eojeol, tokens)
            return Cut(kept, Split.kept(len(own)), (1,) * len(own), (0,) * len(own), 0)
        ends = [0]
        for token in tokens:
            for word in token.words:
                ends.append(ends[-1] + len(word.morphemes))
        parts, split = self._parts(eojeol, own, ends)
        sizes, heads, lost = [], [], 0
        made: list[Token] = []
        at = start = 0
        for token in tokens:
            words: list[Word] = []
            members: list[_Part] = []
            for word in token.words:
                end = start + len(word.morphemes)
                size = len([part for part in parts[at:] if part.last <= end])
                joined = parts[at : at + size]
                head = self._head(eojeol, joined)
                sizes.append(size)
                heads.append(head)
                words.append(self._word(word, joined, joined[head], own))
                lost += _lost(joined, head, own)
                members += joined
                at, start = at + size, end
            made.append(self._token(eojeol, token, words, members, own))
        changed = eojeol.but(tokens=tuple(made), said=NOTHING_SAID)
        changed = changed.with_notes(_lost_segments(own))
        return Cut(changed, split, tuple(sizes), tuple(heads), lost)

    def _token_by_token(self, eojeol: Eojeol, tokens: Sequence[Token]) -> Cut | None:
        """Return what becomes of an eojeol whose tokens are its own, nearly all; else None.

        Each of them must be one word that was read, which the level splits or leaves as it is.
        """
        if len(tokens) != len(eojeol.tokens):
            return None
        made = []
        splits = []
        for own, new in zip(eojeol.tokens, tokens, strict=True):
            word = own.words[0]
            count = len(word.morphemes)
            if (
                len(own.words) > 1
                or not own.was_read
                or not word.upos
                or sum([len(one[6]) for one in new.words]) != count
                or (word.misc != NOTHING and lost_segments(word))
            ):
                return None
            if len(new.words) == 1:
                made.append(own)
                splits.append(_WHOLE)
            else:
                token, split = self._split(own, word, new)
                made.append(token)
                splits.append(split)
        split = splits[0] if len(splits) == 1 else Split.together(splits)
        parts = len(split.deprels)
        cut = eojeol if tuple(made) == eojeol.tokens else eojeol.but(tokens=tuple(made))
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(Cut, (cut, split, (1,) * parts, (0,) * parts, 0))

    def _split(self, own: Token, word: Word, new: Token) -> tuple[Token, Split]:
        """Return a token whose one word is split into the words of another, and how."""
        upos, head, split, _, _ = self._patterns[pattern_key(word.morphemes, word, self._by_lemma)]
        if len(new.words) == len(upos):
            return self._changed(new, word, upos, head), split
        heads = []
        start = head_part = 0
        for at, part in enumerate(new.words):
            end = start + len(part[6])
            if start <= head < end:
                head_part = at
                heads.append(head)
            elif end == start + 1:
                heads.append(start)
            else:
                heads.append(start + self._heads.head([m[1] for m in part[6]]))
            start = end
        of_parts = [upos[at] for at in heads]
        deprels = tuple([split.deprels[at] for at in heads])
        split = Split((len(heads),), (head_part,), deprels)
        return self._changed(new, word, of_parts, head_part), split

    def _changed(self, token: Token, source: Word, upos: Sequence[str], head: int) -> Token:
        """Return a token with the UPOS of each word, and what its one word in a treebank says.

        Args:
            token: of the level.
            source: the treebank's word.
            upos: of the words.
            head: which of them has what the treebank says.
        """
        words = [
            # A NamedTuple's own constructor and `_replace` take several times as long.
            tuple.__new__(Word, (form, lemma, one, xpos, NOTHING, "", morphemes))
            for (form, lemma, _, xpos, _, _, morphemes), one in zip(token.words, upos)  # noqa: B905
        ]
        if source.feats != NOTHING or source.upos != upos[head]:
            words[head] = words[head]._replace(upos=source.upos, feats=source.feats)
        misc = "|".join(other_items(source)) if source.misc != NOTHING else ""
        last = token.space_after
        return Token(token.form, tuple(words), misc=misc, was_read=False, space_after=last)

    def _kept(self, eojeol: Eojeol, tokens: Sequence[Token]) -> Eojeol:
        """Return an eojeol with its own tokens, in which blank columns are filled."""
        changed = []
        for own, new in zip(eojeol.tokens, tokens, strict=True):
            words = tuple(
                [
                    one._replace(
                        form=one.form or other.form,
                        lemma=other.lemma if self._relemma else one.lemma or other.lemma,
                        upos=other.upos if self._retag else one.upos or other.upos,
                        xpos=one.xpos or other.xpos,
                    )
                    for one, other in zip(own.words, new.words, strict=True)
                ]
            )
            if words == own.words:
                changed.append(own)
            else:
                changed.append(
                    Token(
                        own.form,
                        words,
                        own.feats,
                        own.misc,
                        own.notes,
                        was_read=own.was_read,
                        space_after=own.space_after,
                    )
                )
        return eojeol if tuple(changed) == eojeol.tokens else eojeol.but(tokens=tuple(changed))

    def _parts(
        self, eojeol: Eojeol, own: Sequence[tuple[int, int, Word]], ends: Sequence[int]
    ) -> tuple[list[_Part], Split]:
        """Return the parts of the own words that the ends of new words leave."""
        parts: list[_Part] = []
        sizes, heads = [], []
        for at, (first, last, word) in enumerate(own):
            borders = [first, *[end for end in ends if first < end < last], last]
            sizes.append(len(borders) - 1)
            if len(borders) == 2:
                heads.append(0)
                parts.append(_Part(at, first, last, word.upos, True, ""))
                continue
            pattern = self._pattern(eojeol, first, last, word)
            head = first + pattern.head
            for begin, end in pairwise(borders):
                if begin <= head < end:
                    heads.append(len(parts) - sum(sizes[:-1]))
                    parts.append(_Part(at, begin, end, word.upos, True, ""))
                else:
                    tags = [m.tag for m in eojeol.morphemes[begin:end]]
                    own_head = begin - first + self._heads.head(tags)
                    upos = pattern.upos[own_head] if word.upos else ""
                    deprel = pattern.split.deprels[own_head]
                    parts.append(_Part(at, begin, end, upos, False, deprel))
        deprels = tuple([part.deprel for part in parts])
        return parts, Split(tuple(sizes), tuple(heads), deprels)

    def _pattern(self, eojeol: Eojeol, first: int, last: int, word: Word) -> WordPattern:
        """Return what the morphemes of a word, and its UPOS if it has any, tell of its parts."""
        morphemes = eojeol.morphemes[first:last]
        head = -1 if word.upos else self._heads.head([m.tag for m in morphemes])
        return self._patterns[pattern_key(morphemes, word, self._by_lemma, head)]

    def _head(self, eojeol: Eojeol, parts: Sequence[_Part]) -> int:
        """Return the head of the parts that a word is joined of."""
        if len(parts) == 1:
            return 0
        first = parts[0].first
        tags = [m.tag for m in eojeol.morphemes[first : parts[-1].last]]
        head = first + self._heads.head(tags)
        return next(at for at, part in enumerate(parts) if part.last > head)

    def _word(
        self,
        word: Word,
        parts: Sequence[_Part],
        head: _Part,
        own: Sequence[tuple[int, int, Word]],
    ) -> Word:
        """Return a word of the level with what the treebank says of it."""
        first, last, source = own[head.own]
        whole = len(parts) == 1 and (first, last) == (head.first, head.last)
        upos = ""
        if self._tells(parts, head, word):
            upos = head.upos
        return word._replace(
            form=source.form or word.form if whole else word.form,
            lemma=(whole and not self._relemma and source.lemma) or word.lemma,
            upos=(not self._retag and upos) or word.upos,
            xpos=(whole and source.xpos) or word.xpos,
            feats=source.feats if head.is_head else NOTHING,
        )

    def _tells(self, parts: Sequence[_Part], head: _Part, word: Word) -> bool:
        """Whether the UPOS of its head is that of a word: if the others are symbols."""
        tags = [m.tag for m in word.morphemes]
        # Of tags that nobody knows (UD Korean PUD has its own) only the word's UPOS tells anything.
        if len(parts) == 1 or not any([self._kind(tag) for tag in tags]):
            return True
        begin = parts[0].first
        rest = [*tags[: head.first - begin], *tags[head.last - begin :]]
        return self._symbols.issuperset(rest)

    def _token(
        self,
        eojeol: Eojeol,
        token: Token,
        words: Sequence[Word],
        parts: Sequence[_Part],
        own: Sequence[tuple[int, int, Word]],
    ) -> Token:
        """Return a token of the level, with what MISC of its own words says."""
        source = _own_token(eojeol, parts[0].first, parts[-1].last)
        items: list[str] = []
        feats = NOTHING
        if source is not None:
            same = [len(w.morphemes) for w in words] == [len(w.morphemes) for w in source.words]
            if same and source.was_read and eojeol.said == NOTHING_SAID and not self._retag:
                return source
            items = range_items(source) if len(source.words) > 1 else other_items(source.words[0])
            feats = source.feats if len(words) > 1 else NOTHING
        if source is None or len(source.words) > 1:
            words = list(_with_misc(words, parts, own))
        if len(words) == 1:
            items += [words[0].misc] if words[0].misc else []
            words = [words[0]._replace(misc="|".join(items))]
        misc = "|".join(items)
        return Token(
            token.form,
            tuple(words),
            feats,
            misc,
            was_read=False,
            space_after=token.space_after,
        )

    # --- arcs -------------------------------------------------------------------------------------

    def _undivided_kept(self, eojeols: Sequence[Eojeol], arcs: Arcs, cuts: list[Cut]) -> list[Cut]:
        """Return the cuts, but for eojeols with words that UD wants whole (`goeswith`)."""
        keep = self._trees.undivided(arcs)
        if not keep:
            return cuts
        kept = []
        word = 0
        for eojeol, cut in zip(eojeols, cuts, strict=True):
            count = len(cut.split.sizes)
            if not keep.isdisjoint(range(word, word + count)) and eojeol.tokens[0].was_read:
                ones = (1,) * count
                cut = Cut(eojeol, Split.kept(count), ones, (0,) * count, 0)
            kept.append(cut)
            word += count
        return kept

    def _arcs(self, arcs: Arcs, cuts: Sequence[Cut], notes: list[Note]) -> Arcs:
        """Return the arcs of the new words; `notes` gets what there is to report."""
        arcs, _ = self._trees.split_arcs(arcs, [cut.split for cut in cuts])
        sizes = [size for cut in cuts for size in cut.sizes]
        if len(sizes) < len(arcs.heads):
            was_tree = is_tree(arcs.heads)
            arcs, _ = join_arcs(arcs, sizes, [head for cut in cuts for head in cut.heads])
            if was_tree and not is_tree(arcs.heads):
                heads, deprels = list(arcs.heads), list(arcs.deprels)
                make_tree(heads, deprels)
                arcs = arcs._replace(heads=tuple(heads), deprels=tuple(deprels))
                notes.append(Note("W210", "the arcs that leave the words make no tree; mended"))
        return arcs


def _shape(tokens: Sequence[Token]) -> list[list[int]]:
    """Return the number of morphemes of each word, by token."""
    return [[len(word.morphemes) for word in token.words] for token in tokens]


def _own_words(eojeol: Eojeol) -> Iterator[tuple[int, int, Word]]:
    """Iterate over the own words of an eojeol: first morpheme, behind the last one, the word.

    The last word has the symbols that the source lacks behind it.
    """
    words = [word for token in eojeol.tokens for word in token.words]
    start = 0
    for at, word in enumerate(words, 1):
        end = start + len(word.morphemes) if at < len(words) else len(eojeol.morphemes)
        yield start, end, word
        start = end


def _with_misc(
    words: Sequence[Word], parts: Sequence[_Part], own: Sequence[tuple[int, int, Word]]
) -> Iterator[Word]:
    """Give each word the MISC of the first own word whose head part it has."""
    at = parts[0].first
    for word in words:
        end = at + len(word.morphemes)
        inside = [part.own for part in parts if part.is_head and at <= part.first < end]
        items = other_items(own[inside[0]][2]) if inside else []
        yield word._replace(misc="|".join(items))
        at = end


def _lost_segments(own: Sequence[tuple[int, int, Word]]) -> list[Note]:
    """Return a note for each own word with an MSeg that does not fit its XPOS."""
    return [
        Note("W301", f"{word.form}: {lost} has not the morphemes of {word.xpos}, left out")
        for _, _, word in own
        if (lost := lost_segments(word))
    ]


def _own_token(eojeol: Eojeol, first: int, last: int) -> Token | None:
    """Return the own token of an eojeol that has just these morphemes, None if none has."""
    start = 0
    for at, token in enumerate(eojeol.tokens, 1):
        end = start + sum([len(word.morphemes) for word in token.words])
        if at == len(eojeol.tokens):
            end = len(eojeol.morphemes)
        if (start, end) == (first, last):
            return token
        start = end
    return None


def _lost(parts: Sequence[_Part], head: int, own: Sequence[tuple[int, int, Word]]) -> int:
    """Return how many own words have FEATS or MISC that a joined word has no place for."""
    kept = parts[head].own
    others = {part.own for part in parts if part.is_head and part.own != kept}
    words = [own[at][2] for at in others]
    return sum([word.feats != NOTHING or bool(other_items(word)) for word in words])


@lru_cache(maxsize=32)
def recut_of(level: int, upos: str | None = None, lemmas: str | None = None) -> Recut:
    """Return the recutting at a level by the tables of the package, made once.

    Raises:
        UsageError: no such level or scheme.
    """
    granularity = Granularity(load(), level, upos=upos, lemmas=lemmas)
    return Recut(granularity, retag=upos is not None, relemma=lemmas is not None)
