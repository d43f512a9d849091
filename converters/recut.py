"""Recut a sentence: its words at another level of granularity (memoir, ch. 2).

    words, as a treebank has them    프랑스의 --nmod--> 디자이너
    words of level 3                 프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

A sentence of a treebank is recut in three moves, whatever level its file has: columns that its
source leaves open are filled, the words of the source come back (`sejongud.converters.morph2word`),
and these are split at the level (`sejongud.converters.word2morph`) or, at level 1, joined to
eojeols (`sejongud.converters.whole_eojeols`). So the levels between leave no trace, and
`dep word2morph --level k` and `convert --level k` are one program.

The result for an eojeol is a pure function of the eojeol, computed once.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from sejongud.errors import Note, UsageError
from sejongud.formats.misc import LABEL_KEY, as_read, lost_notes, without_items
from sejongud.layers.arcs import Moved, Partition, TreeRules, chain_of
from sejongud.levels.cut import Granularity, SymbolRules
from sejongud.levels.heads import UD
from sejongud.memo import Memo, remembered
from sejongud.model import (
    LEVELS,
    MORPHEMES,
    NO_OCCURRENCE,
    NOTHING,
    Arcs,
    Eojeol,
    Morpheme,
    Sentence,
    Token,
    Word,
    changed_token,
)
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sejongud.converters.compiler import TokenCompiler
    from sejongud.converters.morph2word import Morph2Word
    from sejongud.converters.relations import TokenCutter
    from sejongud.converters.word2morph import Splitter, Word2Morph
    from sejongud.formats import Writer
    from sejongud.pipeline import Step

_WORD_UPOS = "sejong"
_SYMBOLS = 2
"""The level that cuts off symbols."""


class Recut:
    """Cuts sentences at a level of granularity.

    Args:
        granularity: the level, and the schemes of UPOS and lemmas.
        retag: whether UPOS is that of the scheme also where a treebank has its own.
        relemma: whether LEMMA is.
        repair: whether relations of a treebank that UD does not permit are repaired, and told.
        before: the recutting at the level before, with the same schemes, whose result is taken over
            for an eojeol of Sejong text that both levels cut alike.
    """

    def __init__(
        self,
        granularity: Granularity,
        *,
        retag: bool = False,
        relemma: bool = False,
        repair: bool = False,
        before: Recut | None = None,
    ) -> None:
        self.rules = rules = granularity.rules
        self._granularity = granularity
        self._before = before
        self._tokens = granularity.tokens
        # In the scheme of UD, relations change with the UPOS of a word.
        self._turns = retag and granularity.upos_scheme == UD and granularity.level > LEVELS[0]
        self._retag, self._relemma, self._repair = retag and not self._turns, relemma, repair
        if repair and granularity.level == LEVELS[0]:
            raise UsageError("--repair is for the words of level 2 to 5, not of level 1")
        level, levels = granularity.level, rules.cut_level
        symbols = SymbolRules(rules).tags if level == _SYMBOLS else ()
        self._new_tags = {*symbols, *[tag for tag in rules.tags if levels[tag] == level]}
        self._sejong_tags = rules.sejong_tags
        self._passed_over: Memo[Eojeol, tuple[Note, ...]] = Memo(lost_notes)
        self._labelled: Memo[Eojeol, Eojeol] = Memo.of(self, Recut._label)

    @cached_property
    def _fill(self) -> Filler:
        return Filler(self._granularity)

    @cached_property
    def _join(self) -> Morph2Word:
        from sejongud.converters.morph2word import Morph2Word

        return Morph2Word(self.rules, mends=False)

    @cached_property
    def _split(self) -> Any:
        level, lemmas = self._granularity.level, self._granularity.lemma_scheme
        if level == LEVELS[0]:
            from sejongud.converters.whole_eojeols import WholeEojeols

            return WholeEojeols(self.rules)
        from sejongud.converters.word2morph import Word2Morph

        return Word2Morph(
            self.rules, level=level, lemmas=lemmas, repair=self._repair, retag=self._turns
        )

    @cached_property
    def _splits(self) -> list[Word2Morph]:
        """Split words at all levels, the most usual first."""
        from sejongud.converters.word2morph import Word2Morph

        lemmas = self._granularity.lemma_scheme
        return [Word2Morph(self.rules, level=at, lemmas=lemmas) for at in reversed(LEVELS[1:])]

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with its words cut anew.

        Sejong text that has the words of the level already is returned itself. What a longer word
        has no place for is told in `Sentence.notes`.
        """
        if sentence.is_treebank:
            return self._recut(sentence)
        eojeols, arcs = sentence.eojeols, sentence.arcs
        cut = tuple(map(self._segmented.__getitem__, eojeols))
        if all([eojeol.tokens for eojeol in eojeols]) and self._is_same(eojeols, cut):
            return sentence
        if arcs is None or arcs == chain_of(len(arcs.heads)):  # As `--deps dummy` writes.
            chain = arcs and chain_of(sum(map(_count_words, cut)))
            result = sentence.but(eojeols=cut, arcs=chain)
            cut_already = [eojeol for eojeol in eojeols if eojeol.tokens]
            result.notes += tuple([note for one in cut_already for note in self._passed_over[one]])
            if edited := sum(map(self._edited.__getitem__, cut_already)):
                lost = f"UPOS or LEMMA of {counted(edited, 'word[s]')}"
                message = (
                    f"not written: {lost}, which are not those of the scheme (--upos, --lemmas)"
                )
                result.notes += (Note("W301", message),)
            return result
        return Recut(self._granularity, retag=True, relemma=True)._recut(sentence)

    def _recut(self, sentence: Sentence) -> Sentence:
        """Return a sentence whose words have columns of their own cut anew."""
        words = self._source(self._fill(sentence))
        result: Sentence = self._split(words)
        if (
            not self._turns
            and any([len(token.words) > 1 for token in words.tokens])
            and (sum(map(_count_words, words.eojeols)) == sum(map(_count_words, result.eojeols)))
        ):
            # The ranges of the source need no mark to come back.
            words.notes = result.notes
            result = words
        if self._retag or self._relemma:
            eojeols = tuple(map(self._labelled.__getitem__, result.eojeols))
            result = result.but(eojeols=eojeols)
        return result

    def _source(self, sentence: Sentence) -> Sentence:
        """Return a sentence with the words of its source.

        Ranges that no level makes of the joined words are those of another program, or were edited.
        Their words are the source's, and are joined only if the level wants longer ones.
        """
        words = self._join(sentence)
        ranges = [token for token in sentence.tokens if len(token.words) > 1]
        if not ranges or any(["WordSizes=" in token.misc for token in ranges]):
            return words
        columns, borders = _columns(sentence), list(map(word_borders, sentence.eojeols))
        differing, moved = sum([len(token.words) for token in ranges]), 0
        for split in tuple(self._splits):
            new = split(words)
            if _columns(new) == columns:
                # The next sentence most probably has the same level.
                self._splits.remove(split)
                self._splits.insert(0, split)
                return words
            if list(map(word_borders, new.eojeols)) == borders:
                pairs = zip(_told(new), _told(sentence), new.words, sentence.words, strict=True)
                differing = sum(
                    [ours != theirs or _is_other_lemma(*words) for ours, theirs, *words in pairs]
                )
                if sentence.arcs and new.arcs:
                    moved = len({*sentence.arcs.nodes}.difference(new.arcs.nodes))
        cut = map(word_borders, self._split(words).eojeols)
        if all([new >= old for new, old in zip(cut, borders, strict=True)]):
            return sentence
        lost = f"UPOS, LEMMA, HEAD, DEPREL or DEPS of {counted(differing, 'word[s]')}"
        message = f"not written: {lost} of ranges, which this level cuts in its own way"
        words.notes += (Note("W301", message),) if differing else ()
        message = (
            f"not written: the place or DEPS of {counted(moved, 'empty node[s]')} inside ranges"
        )
        words.notes += (Note("W301", message),) if moved else ()
        return words

    def tokens(self, sentence: Sentence) -> list[tuple[Token, ...]]:
        """Return the tokens of each eojeol of a sentence cut anew."""
        return [eojeol.tokens for eojeol in self(sentence).eojeols]

    def unit(self, eojeol: Eojeol) -> Eojeol:
        """Give the tokens of the level to an eojeol that nobody else has, and return it."""
        eojeol.tokens = self._tokens(eojeol)
        eojeol.occurrence = NO_OCCURRENCE
        return eojeol

    @property
    def by_eojeol(self) -> bool:
        """Whether the words of a token depend on its eojeol: level 1 joins tokens."""
        return self._granularity.level == LEVELS[0]

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, Any] | None:
        """Return an eojeol without ranges cut anew, and the change of its words.

        Returns None if MISC names a governor or words, or there is a note.
        """
        joined = self._join.tree(eojeol)
        if joined is None or joined[1].arcs:
            return None
        result: tuple[Eojeol, Any] | None = self._split.tree(joined[0])
        if result and (self._retag or self._relemma):
            return self._label(result[0]), result[1]
        return result

    def telling(self, eojeol: Eojeol, place: Any) -> Eojeol:
        """Return an eojeol cut anew; MISC tells the arcs of some of its words."""
        result: Eojeol = self._split.telling(self._join.unit(eojeol).eojeol, place)
        return self._label(result) if self._retag or self._relemma else result

    def compiler(self, reader: Any) -> TokenCompiler | None:
        """Return the compiler of the tokens that a reader reads, if there is one."""
        labels = self._retag or self._relemma or self._turns
        compiler: TokenCompiler | None = None if labels else self._split.compiler(reader)
        return compiler

    @property
    def move(self) -> Callable[[Arcs, Sequence[Any]], Moved | None]:
        """The function that moves arcs to new words; it returns None for the general path."""
        function: Callable[[Arcs, Sequence[Any]], Moved | None] = self._split.move
        return function

    def _is_same(self, eojeols: Sequence[Eojeol], cut: Sequence[Eojeol]) -> bool:
        """Return whether every eojeol has the words of the level, and no scheme is asked for."""
        is_open = any([not word.upos for eojeol in eojeols for word in eojeol.words])
        if self._retag or self._relemma or self._turns or is_open:
            return False
        pairs = zip(eojeols, cut, strict=True)
        return all([_shape(before.tokens) == _shape(after.tokens) for before, after in pairs])

    @remembered()
    def _edited(self, eojeol: Eojeol) -> int:
        """Return how many words of an eojeol have another UPOS or LEMMA than the schemes give."""
        new, old = self._segmented[eojeol].words, eojeol.words
        lemmas = ["+".join([word.lemma for word in words]) for words in (new, old)]
        is_other = bool(old) and not self._relemma and lemmas[0] != lemmas[1]
        if self._retag or self._turns:
            return is_other
        others = [w for w in old if w.upos != self._fill.whole(w.form, w.morphemes).upos]
        return max(len(others), is_other)

    @remembered()
    def _segmented(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol with the tokens of the level, whatever its own are."""
        before = self._before
        if before and self._cuts_alike(eojeol, (segmented := before._segmented[eojeol])):
            return segmented
        return eojeol.but(tokens=self._tokens(eojeol), occurrence=NO_OCCURRENCE)

    def _cuts_alike(self, eojeol: Eojeol, before: Eojeol) -> bool:
        """Return whether the level cuts an eojeol like the level before, which made `before`."""
        level = self._granularity.level
        if level >= MORPHEMES:
            return _count_words(before) == len(eojeol.morphemes)
        if level == _SYMBOLS and len(eojeol.tokens) > 1:
            return False  # Level 1 joins them.
        return self._new_tags.isdisjoint(self._sejong_tags(eojeol.morphemes))

    @cached_property
    def _cutter(self) -> TokenCutter:
        from sejongud.converters.relations import TokenCutter

        return TokenCutter(self._granularity)

    def _label(self, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol whose words have UPOS, LEMMA or both of the schemes."""
        tokens = []
        for token in eojeol.tokens:
            cut = self._cutter.tokens(token.form, token.morphemes)
            by_level = [word for one in cut for word in one.words]
            if [w.morphemes for w in by_level] != [w.morphemes for w in token.words]:
                by_level = [self._fill.whole(word.form, word.morphemes) for word in token.words]
            words = []
            for word, other in zip(token.words, by_level, strict=True):
                upos = other.upos if self._retag else word.upos
                lemma = other.lemma if self._relemma else word.lemma
                words.append(word._replace(upos=upos, lemma=lemma))
            tokens.append(changed_token(token, tuple(words), token.feats, token.misc))
        return eojeol.but(tokens=tuple(tokens))


class Filler:
    """Fills the columns that a source leaves open, so that its words are those of a treebank.

    A word without UPOS is an eojeol (KLUE-DP) and becomes the tokens of level 2, whose LEMMA tells
    the morphemes. Words that were not read from CoNLL-U get what MISC must tell of their morphemes.

    Args:
        granularity: the schemes of UPOS and lemmas; its level does not matter.
    """

    def __init__(self, granularity: Granularity) -> None:
        self._rules = granularity.rules
        self._upos, self._lemmas = granularity.upos_scheme, granularity.lemma_scheme
        self._trees = TreeRules(granularity.rules, ud=True)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return a sentence whose words have all columns; itself if they have them already."""
        pairs = map(self._filled.__getitem__, sentence.eojeols)
        filled, splits = zip(*pairs, strict=True)
        if filled == sentence.eojeols:
            return sentence
        arcs = sentence.arcs
        return sentence.but(
            eojeols=filled,
            arcs=arcs and self._trees.split_arcs(arcs, Partition.together(splits)).arcs,
        )

    @cached_property
    def _eojeols(self) -> TokenCutter:
        """Makes one word of an eojeol."""
        from sejongud.converters.relations import TokenCutter

        schemes = {"upos": self._upos, "lemmas": self._lemmas}
        return TokenCutter(Granularity(self._rules, LEVELS[0], **schemes))

    @cached_property
    def _symbols(self) -> tuple[Granularity, Splitter]:
        """Cut off the external symbols of an eojeol, and of a word."""
        from sejongud.converters.word2morph import Splitter

        # The word has its UPOS by a scheme already; those of the treebanks know no parts.
        upos = UD if self._upos == UD else _WORD_UPOS
        splitter = Splitter(self._rules, UD, upos, "form", "", _SYMBOLS)
        return Granularity(self._rules, _SYMBOLS), splitter

    def whole(self, form: str, morphemes: tuple[Morpheme, ...]) -> Word:
        """Return the one word of a form and its morphemes."""
        return self._eojeols.tokens(form, morphemes)[0].words[0]

    @remembered()
    def _filled(self, eojeol: Eojeol) -> tuple[Eojeol, Partition]:
        """Return an eojeol whose words have all columns, and the division of its words."""
        tokens, split = eojeol.tokens, Partition.kept(_count_words(eojeol))
        if tokens and all([token.was_read for token in tokens]):
            return eojeol, split
        if not tokens or not tokens[0].words[0].upos:
            tokens, split = self._by_symbols(eojeol)
        return eojeol.but(tokens=as_read(tokens, eojeol), occurrence=NO_OCCURRENCE), split

    def _by_symbols(self, eojeol: Eojeol) -> tuple[tuple[Token, ...], Partition]:
        """Return the tokens of level 2, each of one word, and the division of the eojeol."""
        whole = self._eojeols.granularity.tokens(eojeol)[0].words[0]
        given = eojeol.tokens[0].words[0] if eojeol.tokens else whole
        granularity, splitter = self._symbols
        tokens = granularity.tokens(eojeol)
        words: tuple[Word, ...] = (whole,)
        split = Partition.kept(1)
        if len(tokens) > 1:
            words, split, _ = splitter.parts(whole, tuple(map(_as_word, tokens)))
        filled = []
        for at, (token, part) in enumerate(zip(tokens, words, strict=True)):
            # As in a treebank, LEMMA tells the morphemes.
            lemma = "+".join([morpheme.written for morpheme in part.morphemes])
            word = part._replace(form=token.form, lemma=lemma or NOTHING, misc="")
            if at == split.heads[0]:
                word = word._replace(feats=given.feats, misc=given.misc)
            columns = token.form, (word,), NOTHING, word.misc
            filled.append(Token(*columns, was_read=False, space_after=token.space_after))
        return tuple(filled), split


def _shape(tokens: Sequence[Token]) -> list[list[int]]:
    """Return the number of morphemes of each word, by token."""
    return [[len(word.morphemes) for word in token.words] for token in tokens]


def word_borders(eojeol: Eojeol) -> set[int]:
    """Return the places between the words of an eojeol, in morphemes."""
    return set(accumulate([len(word.morphemes) for word in eojeol.words]))


def _told(sentence: Sentence) -> Iterator[tuple[str, int, str, str]]:
    """Yield UPOS, HEAD, DEPREL and DEPS of the words of a sentence."""
    upos = [word.upos for word in sentence.words]
    heads, deprels, deps, _ = sentence.arcs or chain_of(len(upos))
    return zip(upos, heads, deprels, deps or [NOTHING] * len(upos), strict=True)


def _is_other_lemma(ours: Word, theirs: Word) -> bool:
    """Whether the LEMMA of a word is neither that of the scheme nor its morphemes."""
    return theirs.lemma not in (ours.lemma, "+".join([m.form for m in theirs.morphemes]))


def _columns(sentence: Sentence) -> tuple[Any, ...]:
    """Return the columns of a sentence by value, without labels, which are a layer of their own."""
    tokens = [
        (
            token.form,
            [(*word[:5], _unlabelled(word.misc), word.morphemes) for word in token.words],
            token.feats,
            _unlabelled(token.misc),
        )
        for token in sentence.tokens
    ]
    return tokens, sentence.arcs


def _unlabelled(misc: str) -> str:
    return without_items(misc, LABEL_KEY.fullmatch) if "NE" in misc else misc


def _count_words(eojeol: Eojeol) -> int:
    return sum([len(token.words) for token in eojeol.tokens])


def _as_word(token: Token) -> Word:
    """Return the words of a token as one."""
    first = token.words[0]
    if len(token.words) == 1:
        return first
    lemma = "+".join([word.lemma for word in token.words])
    xpos = "+".join([word.xpos for word in token.words])
    return first._replace(form=token.form, lemma=lemma, xpos=xpos, morphemes=token.morphemes)


class OwnCut:
    """Leaves the words of a source as they are, and cuts the sentences that have none.

    Args:
        recut: cuts them.
    """

    def __init__(self, recut: Recut | OwnCut) -> None:
        self.rules: Rules = recut.rules
        self._recut = recut
        self._fill = Filler(Granularity(recut.rules))

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return a sentence with words that have all of their columns."""
        if not all([eojeol.tokens for eojeol in sentence.eojeols]):
            return self._recut(sentence)
        is_open = any([not w.upos for w in sentence.words])
        return self._fill(sentence) if is_open else sentence


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
    *,
    repair: bool = False,
) -> Recut | OwnCut:
    """Return the recutting at a level.

    Args:
        level: 1 to 5; None for the words of the source, and 5 where it has none.
        upos: the UPOS scheme; None for the UPOS of a treebank's words, and else "sejong".
        lemmas: the lemma scheme; None likewise, and else "normalised".
        rules: the tables; None for those of the package.
        repair: whether relations of a treebank that UD does not permit are repaired, and told.

    Raises:
        UsageError: no such level or scheme; or a scheme or repairs without a level.
    """
    rules = rules or load()
    if level is None:
        if upos is not None or lemmas is not None or repair:
            raise UsageError(
                "schemes and repairs are for the words of a level: name the level (--level)"
            )
        return OwnCut(Recut(Granularity(rules)))
    granularity = Granularity(rules, level, upos=upos, lemmas=lemmas)
    return Recut(granularity, retag=upos is not None, relemma=lemmas is not None, repair=repair)


recut_of = lru_cache(maxsize=32)(recut_at)
"""Like `recut_at`; each recutting is made once."""


class CutWriter:
    """Cuts sentences before another writer writes them.

    Args:
        cutter: makes the words that are written.
        writer: writes them.
    """

    def __init__(self, cutter: Step, writer: Writer) -> None:
        self._cutter, self._writer = cutter, writer
        self.preamble: str = getattr(writer, "preamble", "")
        self.parting: str = getattr(writer, "parting", "")

    def sentence(self, sentence: Sentence) -> str:
        """Return the text of a sentence; see `Writer`."""
        return self._writer.sentence(self._cutter(sentence))

    def loses(self, sentence: Sentence) -> Sequence[Note]:
        """Return the incidents of parts that are not written; see `Writer`."""
        # A cut hides nothing but entities.
        return self._writer.loses(self._cutter(sentence) if sentence.entities else sentence)


def annotated(
    steps: Sequence[Step], rules: Rules, *, feats: str, translit: bool, gloss: bool
) -> list[Step]:
    """Return steps that cut sentences, among those that give the new words FEATS and MISC.

    Args:
        steps: the conversions of each sentence, in order.
        rules: the tables.
        feats: "ud" or "full" for FEATS from the tables, "" for none.
        translit: whether to romanise.
        gloss: whether to gloss.
    """
    if feats:
        from sejongud.converters.features import Features

        features = Features(rules, feats)
        steps = [features.cleared, *steps, features]
    if translit or gloss:
        from sejongud.converters.features import Interlinear

        lines = Interlinear(rules, translit=translit, gloss=gloss)
        steps = [lines.cleared, *steps, lines]
    return list(steps)
