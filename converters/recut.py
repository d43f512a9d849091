"""Recut a sentence: its words at another level of granularity (memoir, ch. 2).

    words, as a treebank has them    프랑스의 --nmod--> 디자이너
    words of level 3                 프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

An eojeol whose own cut is that of the level stays as it is: what a treebank says of its words is
what comes out. Where a treebank's word is split, the part with its head morpheme has its UPOS,
FEATS, HEAD and DEPREL, and the others are attached to that part by the rules of
`sejongud.converters.word2morph`, scheme `ud`; MISC of the word goes to the first line of its token.
Where words are joined, the new word has the arc that leaves it (`sejongud.layers.arcs`).

What becomes of an eojeol is a pure function of that eojeol, computed once.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from operator import sub
from typing import TYPE_CHECKING

from sejongud.converters.cuts import (
    Cut,
    Part,
    count_lost,
    filled,
    number_in,
    own_token,
    own_words,
    restored,
    segment_notes,
    shape_of,
    tell_governors,
    tells_governor,
    with_misc,
)
from sejongud.converters.parts import PartsOf, Stems, TokenCutter
from sejongud.converters.relations import WordPatterns
from sejongud.errors import Note, UsageError
from sejongud.formats.misc import (
    HEAD_MORPHEME,
    lost_segments,
    other_items,
    range_items,
)
from sejongud.layers.arcs import Split, TreeRules, is_tree, join_arcs, make_tree
from sejongud.levels.cut import Granularity
from sejongud.levels.heads import HeadRule
from sejongud.levels.symbols import SymbolRules
from sejongud.memo import Memo
from sejongud.model import LEVELS, NOTHING, NOTHING_SAID, Eojeol, Token, Word
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.converters.relations import WordPattern
    from sejongud.layers.arcs import Moved
    from sejongud.model import Arcs, Sentence
    from sejongud.rules import Rules

_SCHEME = "ud"
_SEGMENTS = "MSeg="
_REMEMBERED = 48_000
_WHOLE = Split.kept(1)
_SYMBOLS = 2
"""The level that cuts off symbols."""


class Recut:
    """Cuts sentences at a level of granularity.

    Args:
        granularity: the level, and the schemes of UPOS and lemmas.
        retag: whether UPOS is that of the scheme also where a treebank has its own.
        relemma: whether LEMMA is.
        before: the recutting at the level before, with the same schemes, whose result is taken over
            for an eojeol that both levels cut alike.
    """

    def __init__(
        self,
        granularity: Granularity,
        *,
        retag: bool = False,
        relemma: bool = False,
        before: Recut | None = None,
    ) -> None:
        self.rules = rules = granularity.rules
        self._granularity = granularity
        self._before = before
        self._tokens = granularity.tokens
        self._cutter = TokenCutter(granularity) if granularity.level > 1 else None
        self._retag = retag
        self._relemma = relemma
        patterns = WordPatterns(rules, _SCHEME, "")
        self._patterns = Memo(patterns, size=20_000)
        self._pattern_key = patterns.key
        self._sejong_tags = rules.sejong_tags
        self._heads = HeadRule(rules)
        self._heads_by_upos = HeadRule(rules, "words")
        self._kind = rules.kind
        symbols = SymbolRules(rules).tags if granularity.level == _SYMBOLS else ()
        levels = rules.cut_level
        self._new_tags = {*symbols, *[t for t in rules.tags if levels[t] == granularity.level]}
        self._stems = Stems(rules)
        self._parts_of = PartsOf(rules)
        self._trees = TreeRules(rules, ud=True)
        self._told: Memo[Eojeol, bool] = Memo(tells_governor, size=_REMEMBERED)
        self._made: Memo[Eojeol, Eojeol] = Memo.of(self, Recut._make, size=_REMEMBERED)
        self._cuts: Memo[Eojeol, Cut] = Memo.of(self, Recut._cut_new, size=_REMEMBERED)

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
        eojeols, arcs = sentence.eojeols, sentence.arcs
        known = self._cuts
        cuts = [known[eojeol] for eojeol in eojeols]
        notes: list[Note] = [] if arcs is None else list(self._trees.root_notes(arcs))
        if not notes and all([cut.eojeol is one for cut, one in zip(cuts, eojeols, strict=True)]):
            return sentence
        if arcs is not None:
            if any(map(self._told.__getitem__, eojeols)):
                eojeols, arcs = restored(eojeols, arcs)
                cuts = [known[eojeol] for eojeol in eojeols]
            if keep := self._trees.undivided(arcs):
                cuts = self._undivided_kept(eojeols, cuts, keep)
            old, (arcs, cuts, climbed) = arcs, self._move_arcs(eojeols, arcs, cuts, notes)
            if climbed:
                cuts = tell_governors(cuts, old, climbed)
        notes += [note for cut in cuts for note in cut.notes]
        if lost := sum([cut.lost for cut in cuts]):
            words = counted(lost, "word[s], now part of a longer one")
            notes.append(Note("W301", f"not written: FEATS, DEPS or MISC of {words}"))
        result = sentence.with_cut(tuple([cut.eojeol for cut in cuts]), arcs)
        result.notes += tuple(notes)
        return result

    def tokens(self, sentence: Sentence) -> list[tuple[Token, ...]]:
        """Return the tokens of each eojeol of a sentence cut anew.

        Only where words are joined, or must stay whole, do the arcs of the sentence matter; all
        other eojeols are cut by themselves.
        """
        eojeols, arcs = sentence.eojeols, sentence.arcs
        cuts = [self._cuts[eojeol] for eojeol in eojeols if eojeol.tokens]
        if arcs is not None and (
            any([len(cut.heads) < len(cut.split.deprels) for cut in cuts])
            or self._trees.undivided(arcs)
        ):
            return [eojeol.tokens for eojeol in self(sentence).eojeols]
        known = iter(cuts)
        made = self._made
        return [
            (next(known).eojeol if eojeol.tokens else made[eojeol]).tokens for eojeol in eojeols
        ]

    def unit(self, eojeol: Eojeol) -> Eojeol:
        """Give the tokens of the level to an eojeol that nobody else has, and return it."""
        eojeol.tokens = self._tokens(eojeol)
        eojeol.said = NOTHING_SAID
        return eojeol

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, Split] | None:
        """Return what becomes of an eojeol of a treebank, and how its words are split.

        Returns None if words are joined.
        """
        cut = self._cut(eojeol)
        if (
            len(cut.sizes) < len(cut.split.deprels)
            or cut.lost
            or cut.eojeol.notes
            or tells_governor(eojeol)
        ):
            return None
        return cut.eojeol, cut.split

    def move(self, arcs: Arcs, splits: Sequence[Split]) -> Moved | None:
        """Return the arcs of split words; None if some of them must stay whole."""
        return self._trees.simple_split(arcs, splits)

    def _is_same(self, eojeols: Sequence[Eojeol], cut: Sequence[Eojeol]) -> bool:
        """Whether the own cut of every eojeol is that of the level, and no scheme is asked for."""
        if self._retag or self._relemma:
            return False
        pairs = zip(eojeols, cut, strict=True)
        return all([shape_of(own.tokens) == shape_of(new.tokens) for own, new in pairs])

    def _make(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol with the tokens of the level, whatever its own are."""
        if self._before and self._cuts_alike(eojeol, made := self._before._made[eojeol]):
            return made
        return eojeol.but(tokens=self._tokens(eojeol), said=NOTHING_SAID)

    def _cuts_alike(self, eojeol: Eojeol, before: Eojeol) -> bool:
        """Return whether the level cuts an eojeol like the level before, which made `before`."""
        level = self._granularity.level
        if level == LEVELS[-1]:
            return sum([len(token.words) for token in before.tokens]) == len(eojeol.morphemes)
        if level == _SYMBOLS and len(eojeol.tokens) > 1:
            return False  # Level 1 joins them.
        return self._new_tags.isdisjoint(self._sejong_tags(eojeol.morphemes))

    # --- words of a treebank ----------------------------------------------------------------------

    def _cut_new(self, eojeol: Eojeol) -> Cut:
        """Return the cut of an eojeol, that of the level before if both levels cut alike."""
        if self._before and self._cuts_alike(eojeol, (cut := self._before._cuts[eojeol]).eojeol):
            return cut
        return self._cut(eojeol)

    def _cut(self, eojeol: Eojeol, chosen: Sequence[int] = ()) -> Cut:
        """Return what becomes of an eojeol of a treebank.

        Args:
            eojeol: with its own words.
            chosen: for each new word which of its parts, from 0, has the columns that it gets;
                () for its head.
        """
        if not self._retag and not self._relemma and eojeol.said == NOTHING_SAID:
            cut = self._token_by_token(eojeol)
            if cut is not None:
                return cut
        tokens = self._own_tokens(eojeol)
        own = list(own_words(eojeol))
        if shape_of(tokens) == shape_of(eojeol.tokens):
            kept = filled(eojeol, tokens, retag=self._retag, relemma=self._relemma)
            return Cut(kept, Split.kept(len(own)), (1,) * len(own), (0,) * len(own), 0)
        ends = [0]
        for token in tokens:
            for word in token.words:
                ends.append(ends[-1] + len(word.morphemes))
        parts, split = self._parts(eojeol, own, ends)
        sizes: list[int] = []
        heads: list[int] = []
        lost = 0
        made: list[Token] = []
        at = start = 0
        for token in tokens:
            first = start
            words: list[Word] = []
            tops: list[Part] = []
            for word in token.words:
                end = start + len(word.morphemes)
                size = len([part for part in parts[at:] if part.last <= end])
                joined = parts[at : at + size]
                head = chosen[len(heads)] if chosen else self._head(eojeol, joined)
                sizes.append(size)
                heads.append(head)
                words.append(self._word(word, joined, joined[head], own))
                lost += count_lost(word, joined, head, own)
                tops.append(joined[head])
                at, start = at + size, end
            source = own_token(eojeol, first, start)
            made.append(self._token(eojeol, token, source, with_misc(words, tops, own)))
        changed = eojeol.but(tokens=tuple(made), said=NOTHING_SAID)
        return Cut(changed, split, tuple(sizes), tuple(heads), lost, segment_notes(own))

    def _own_tokens(self, eojeol: Eojeol) -> tuple[Token, ...]:
        """Return the tokens of the level; above level 1 none of them joins two own tokens."""
        tokens = self._tokens(eojeol)
        if self._cutter is None or len(eojeol.tokens) <= 1:
            return tokens
        return self._cutter.eojeol(eojeol, tokens)

    def _token_by_token(self, eojeol: Eojeol, whole: Collection[int] = ()) -> Cut | None:
        """Return what becomes of an eojeol whose tokens are its own, nearly all; else None.

        Each of them must be one word that was read, which the level splits or leaves as it is.

        Args:
            eojeol: with its own tokens.
            whole: the tokens, from 0, that are not split.
        """
        if self._cutter is None and len(eojeol.tokens) > 1:
            return None  # Level 1 joins them.
        # A single morpheme is a word at every level.
        tokens = eojeol.tokens if len(eojeol.morphemes) == 1 else self._own_tokens(eojeol)
        if len(tokens) != len(eojeol.tokens):
            return None
        made: list[Token] = []
        splits = []
        counts = [len(eojeol.morphemes)]
        if len(tokens) > 1:
            counts = [sum([len(part[6]) for part in new.words]) for new in tokens]
        for own, new, count in zip(eojeol.tokens, tokens, counts):  # noqa: B905
            word = own.words[0]
            if (
                len(own.words) > 1
                or not own.was_read
                or not word.upos
                or len(word.morphemes) != count
                or (_SEGMENTS in word.misc and lost_segments(word))
            ):
                return None
            if len(new.words) == 1 or len(made) in whole:
                made.append(own)
                splits.append(_WHOLE)
            else:
                splits.append(self._split(word, new))
                made.append(new)
        split = splits[0] if len(splits) == 1 else Split.together(splits)
        heads = (0,) * len(split.deprels)
        changed = tuple(made)
        cut = eojeol if changed == eojeol.tokens else eojeol.but(tokens=changed)
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(Cut, (cut, split, (1,) * len(heads), heads, 0, ()))

    def _split(self, word: Word, new: Token) -> Split:
        """Give the words of a token what a treebank says of the one word that they are split of.

        Args:
            word: of the treebank.
            new: the token of the level; nobody else has it yet.

        Returns:
            How the word is split.
        """
        key = self._pattern_key(word.morphemes, word)
        pattern = self._patterns[key]
        upos, head, split, _, _, by_tags = pattern
        parts = new.words
        if len(parts) == len(upos):
            told = 0 if head == by_tags else head + 1
        else:
            sizes = [len(part[6]) for part in parts]
            upos, head, split, told = self._parts_of(pattern, sizes, key[1])
        items = [f"{HEAD_MORPHEME}={told}"] if told else []
        if word.misc != NOTHING:
            items += other_items(word)
        new.misc = "|".join(items)
        words: list[Word] = []
        stems = self._stems.upos
        for (form, lemma, _, xpos, _, _, morphemes), one in zip(parts, upos):  # noqa: B905
            feats, told_lemma = NOTHING, ""
            if len(words) == head:
                told_lemma, one, feats = word.lemma, word.upos, word.feats
            if one in stems:
                lemma = self._stems.of(one, morphemes, told_lemma) or lemma
            # A NamedTuple's own constructor takes several times as long.
            words.append(tuple.__new__(Word, (form, lemma, one, xpos, feats, "", morphemes)))
        new.words = tuple(words)
        return split

    def _parts(
        self, eojeol: Eojeol, own: Sequence[tuple[int, int, Word]], ends: Sequence[int]
    ) -> tuple[list[Part], Split]:
        """Return the parts of the own words that the ends of new words leave."""
        parts: list[Part] = []
        sizes, heads = [], []
        for at, (first, last, word) in enumerate(own):
            borders = [first, *[end for end in ends if first < end < last], last]
            sizes.append(len(borders) - 1)
            if len(borders) == 2:
                heads.append(0)
                parts.append(Part(at, first, last, word.upos, True, ""))
                continue
            pattern = self._pattern(eojeol, first, last, word)
            runs = list(pairwise(borders))
            tags = self._sejong_tags(eojeol.morphemes[first:last])
            found = self._parts_of(pattern, [end - begin for begin, end in runs], tags)
            heads.append(found.head)
            for place, (begin, end) in enumerate(runs):
                is_head = place == found.head
                upos = word.upos and (word.upos if is_head else found.upos[place])
                parts.append(Part(at, begin, end, upos, is_head, found.split.deprels[place]))
        deprels = tuple([part.deprel for part in parts])
        return parts, Split(tuple(sizes), tuple(heads), deprels)

    def _pattern(self, eojeol: Eojeol, first: int, last: int, word: Word) -> WordPattern:
        """Return what the morphemes of a word, and its UPOS if it has any, tell of its parts."""
        morphemes = eojeol.morphemes[first:last]
        head = -1 if word.upos else self._heads.head(self._sejong_tags(morphemes))
        return self._patterns[self._pattern_key(morphemes, word, head)]

    def _head(self, eojeol: Eojeol, parts: Sequence[Part]) -> int:
        """Return the head of the parts that a word is joined of."""
        if len(parts) == 1:
            return 0
        first = parts[0].first
        source = own_token(eojeol, first, parts[-1].last)
        if source is not None and (told := number_in(source.misc, HEAD_MORPHEME)):
            return next((at for at, part in enumerate(parts) if part.last >= first + told), 0)
        tags = self._sejong_tags(eojeol.morphemes[first : parts[-1].last])
        if not all([self._kind(tag) for tag in tags]) and all([part.upos for part in parts]):
            return self._heads_by_upos.head([part.upos for part in parts])
        head = first + self._heads.head(tags)
        return next(at for at, part in enumerate(parts) if part.last > head)

    def _word(
        self,
        word: Word,
        parts: Sequence[Part],
        head: Part,
        own: Sequence[tuple[int, int, Word]],
    ) -> Word:
        """Return a word of the level with what the treebank says of it."""
        first, last, source = own[head.own]
        whole = len(parts) == 1 and (first, last) == (head.first, head.last)
        upos = (not self._retag and head.upos) or word.upos
        begin = parts[0].first
        stem = self._stems.of(
            "" if self._retag else head.upos,
            word.morphemes[head.first - begin : head.last - begin],
            source.lemma if head.is_head else "",
        )
        return word._replace(
            form=source.form or word.form if whole else word.form,
            lemma=(not self._relemma and ((whole and source.lemma) or stem)) or word.lemma,
            upos=upos,
            xpos=(whole and source.xpos) or word.xpos,
            feats=source.feats if head.is_head else NOTHING,
        )

    def _token(
        self, eojeol: Eojeol, token: Token, source: Token | None, words: list[Word]
    ) -> Token:
        """Return a token of the level, with what MISC of its own words says.

        Args:
            eojeol: with its own tokens.
            token: of the level.
            source: the own token that has just these morphemes, None if none has.
            words: of the token, with the MISC of their own words.
        """
        items: list[str] = []
        feats = NOTHING
        if source is not None:
            same = [len(w.morphemes) for w in words] == [len(w.morphemes) for w in source.words]
            if same and source.was_read and eojeol.said == NOTHING_SAID and not self._retag:
                return source
            feats = source.feats if len(words) > 1 else NOTHING
            if len(source.words) > 1:
                items = range_items(source)
            else:
                items = other_items(source.words[0])
                words = [word._replace(misc="") for word in words]
        if len(words) == 1:
            items += [words[0].misc] if words[0].misc else []
            words = [words[0]._replace(misc="|".join(items))]
        return Token(
            token.form,
            tuple(words),
            feats,
            "|".join(items),
            was_read=False,
            space_after=token.space_after,
        )

    # --- arcs -------------------------------------------------------------------------------------

    def _undivided_kept(
        self, eojeols: Sequence[Eojeol], cuts: Sequence[Cut], keep: frozenset[int]
    ) -> list[Cut]:
        """Return the cuts, but for eojeols with words that UD wants whole (`goeswith`).

        Args:
            eojeols: as they were.
            cuts: what becomes of them.
            keep: the words that are not to be split, from 0.
        """
        kept = []
        word = 0
        for eojeol, cut in zip(eojeols, cuts, strict=True):
            sizes = cut.split.sizes
            whole = [at for at, size in enumerate(sizes) if size > 1 and word + at in keep]
            if whole and eojeol.tokens[0].was_read:
                own = Split.kept(len(sizes))
                cut = self._token_by_token(eojeol, whole) or Cut(
                    eojeol, own, own.sizes, own.heads, 0
                )
            kept.append(cut)
            word += len(sizes)
        return kept

    def _move_arcs(
        self, eojeols: Sequence[Eojeol], arcs: Arcs, cuts: list[Cut], notes: list[Note]
    ) -> tuple[Arcs, list[Cut], dict[int, int]]:
        """Return the arcs of the new words, the cuts, and the punctuation that was moved.

        A joined word whose head does not leave it has the columns of the word whose arc it has.
        `notes` gets what there is to report; for the punctuation see `TreeRules.split_arcs`.
        """
        arcs, climbed = self._trees.split_arcs(arcs, [cut.split for cut in cuts])
        sizes = [size for cut in cuts for size in cut.sizes]
        if len(sizes) < len(arcs.heads):
            was_tree = is_tree(arcs.heads)
            arcs, chosen = join_arcs(arcs, sizes, [head for cut in cuts for head in cut.heads])
            tops = list(map(sub, chosen, accumulate(sizes, initial=0)))
            cuts = self._with_tops(eojeols, cuts, tops)
            if was_tree and not is_tree(arcs.heads):
                heads, deprels = list(arcs.heads), list(arcs.deprels)
                make_tree(heads, deprels)
                arcs = arcs._replace(heads=tuple(heads), deprels=tuple(deprels))
                notes.append(Note("W210", "the arcs that leave the words make no tree; mended"))
            climbed = {}
        return arcs, cuts, climbed

    def _with_tops(
        self, eojeols: Sequence[Eojeol], cuts: Sequence[Cut], tops: Sequence[int]
    ) -> list[Cut]:
        """Return the cuts, each new word with the columns of the part whose arc it has.

        Args:
            eojeols: as they were.
            cuts: what becomes of them.
            tops: for each new word which of its parts that is, from 0.
        """
        changed = []
        word = 0
        for eojeol, cut in zip(eojeols, cuts, strict=True):
            own = tuple(tops[word : word + len(cut.heads)])
            changed.append(cut if own == cut.heads else self._cut(eojeol, own))
            word += len(own)
        return changed


class OwnCut:
    """Leaves the words of a source as they are, and cuts the sentences that have none.

    Args:
        recut: cuts them.
    """

    def __init__(self, recut: Recut | OwnCut) -> None:
        self.rules: Rules = recut.rules
        self._recut = recut
        self._eojeols = Granularity(recut.rules, LEVELS[0])
        self._filled: Memo[Eojeol, Eojeol] = Memo.of(self, OwnCut._fill, size=_REMEMBERED)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return a sentence with words that have all of their columns."""
        eojeols = sentence.eojeols
        if not all([eojeol.tokens for eojeol in eojeols]):
            return self._recut(sentence)
        whole = tuple([self._filled[eojeol] for eojeol in eojeols])
        return sentence if whole == eojeols else sentence.with_cut(whole, sentence.arcs)

    def _fill(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol with the columns that its source leaves open; it is one word then."""
        if all([word.lemma and word.upos and word.xpos for t in eojeol.tokens for word in t.words]):
            return eojeol
        return filled(eojeol, self._eojeols.tokens(eojeol), retag=False, relemma=False)


def recuts(rules: Rules, upos: str | None = None, lemmas: str | None = None) -> list[Recut]:
    """Return the recutting at each of the five levels.

    Args:
        rules: the tables.
        upos: the UPOS scheme; None for the UPOS of a treebank's words, and else "sejong".
        lemmas: the lemma scheme; None likewise, and else "normalised".

    Raises:
        UsageError: there is no such scheme.
    """
    found: list[Recut] = []
    schemes = {"retag": upos is not None, "relemma": lemmas is not None}
    for level in LEVELS:
        granularity = Granularity(rules, level, upos=upos, lemmas=lemmas)
        found.append(Recut(granularity, **schemes, before=found[-1] if found else None))
    return found


def recut_at(
    level: int | None,
    upos: str | None = None,
    lemmas: str | None = None,
    rules: Rules | None = None,
) -> Recut | OwnCut:
    """Return the recutting at a level.

    Args:
        level: 1 to 5; None for the words of the source, and 5 where it has none.
        upos: the UPOS scheme; None for the UPOS of a treebank's words, and else "sejong".
        lemmas: the lemma scheme; None likewise, and else "normalised".
        rules: the tables; None for those of the package.

    Raises:
        UsageError: no such level or scheme; or a scheme without a level.
    """
    rules = rules or load()
    if level is None:
        if upos is not None or lemmas is not None:
            raise UsageError(
                "a scheme of UPOS or lemmas is for the words of a level: name the level (--level)"
            )
        return OwnCut(Recut(Granularity(rules)))
    granularity = Granularity(rules, level, upos=upos, lemmas=lemmas)
    return Recut(granularity, retag=upos is not None, relemma=lemmas is not None)


recut_of = lru_cache(maxsize=32)(recut_at)
"""Like `recut_at`; each recutting is made once."""
