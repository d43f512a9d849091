"""word2morph: convert dependencies between words to dependencies between morphemes (memoir, §3.3).

    프랑스의 --nmod--> 디자이너      프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

Every word of a UD treebank is split into its morphemes. The head morpheme of the word
(rules/heads.tsv) takes over its DEPREL, FEATS and DEPS, and its HEAD is the head morpheme of the
governor; the other morphemes are attached to the head morpheme (rules/deprels.tsv). MISC of the
range line keeps the columns of the word that its morphemes cannot restore, so that
`sejongud.converters.morph2word` restores the treebank.

At a level of granularity below 5 the parts are the words of that level, as `convert --level` makes
them (`sejongud.converters.relations`).

The words are those of UD Korean. The program that made morphUD (Chen et al. 2022) finds the head
morpheme of a governor with the UPOS of the dependent. This module corrects the mistake;
`sejongud.converters.conventions` reproduces it.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.compiler import TokenCompiler
from sejongud.converters.relations import (
    HEAD_ITEM,
    SCHEMES,
    Parts,
    PartsByTags,
    PatternKey,
    Stems,
    TokenCutter,
    WordFeats,
    WordPattern,
    WordPatterns,
)
from sejongud.errors import Note, UsageError
from sejongud.formats.misc import escape_misc, lost_notes, word_misc
from sejongud.layers.arcs import Cells, Moved, Partition, TreeRules, by_token
from sejongud.layers.relabelling import UPOS, Relabelled, Relabelling
from sejongud.levels.cut import Granularity, Lemmas
from sejongud.levels.heads import UD
from sejongud.memo import Memo
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
    telling,
    with_items,
)
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.rules import Rules

__all__ = ["SCHEMES", "Splitter", "Word2Morph"]


_Place = tuple[tuple[int, Cells], ...]
_NOT_SPELT = "their morphemes do not spell FORM"


class Splitter:
    """Splits the words of a token into morphemes, independent of its place."""

    def __init__(
        self,
        rules: Rules,
        scheme: str,
        upos: str,
        lemmas: str,
        marker: str,
        level: int = MORPHEMES,
        *,
        retag: bool = False,
    ) -> None:
        self._retag = retag
        patterns = WordPatterns(rules, scheme, upos)
        self._patterns: Memo[PatternKey, WordPattern] = Memo(patterns)
        self._key, self._parts_of = patterns.key, patterns.parts
        self.whole_of, self.lemmas_of = patterns.whole, patterns.lemmas
        self._lemmas = rules.lemmas[lemmas]
        self._known: Memo[Morpheme, Word] = Memo.of(self, Splitter._piece)
        self.marker = marker
        self._of_stems = of_stems = Lemmas(rules, lemmas)
        self.uncertain, self._mended = of_stems.uncertain, of_stems.mended
        self._stems = Stems(rules)
        self.stems = self._stems.upos
        self._sejong_tags = rules.sejong_tags
        self._feats = WordFeats(rules) if scheme == UD else None
        self.cutter: TokenCutter | None = None
        if level < MORPHEMES:
            self.cutter = TokenCutter(Granularity(rules, level, lemmas=lemmas))

    def __call__(
        self, token: Token, eojeol: Eojeol | None = None, keep: Collection[int] = ()
    ) -> tuple[Token, Partition]:
        """Return a token with a word for each morpheme, and the division of its words.

        Args:
            token: of a treebank.
            eojeol: the token by itself, if its morphemes are aligned.
            keep: the words, from 0, whose head part has the UPOS of the treebank.
        """
        if len(token.words) > 1:
            return self._split_range(token, keep)
        word = token.words[0]
        cut = self._cut(word, eojeol)
        if len(cut) == 1 or (self.cutter is None and " " in token.form):
            whole, split = self._whole(word, keep=bool(keep))
            if whole is not word:
                token = changed_token(token, (whole,), NOTHING, whole.misc)
            return token, split
        words, split, items = self.parts(word, cut, keep=bool(keep))
        return changed_token(token, words, NOTHING, with_items(word.misc, items)), split

    def whole(self, word: Word) -> Partition:
        """Return the division of a word that stays whole."""
        return self.whole_of(word.upos, self._sejong_tags(word.morphemes))

    def _whole(self, word: Word, *, keep: bool) -> tuple[Word, Partition]:
        """Return a word that stays whole, with another UPOS if it is to have one."""
        split = self.whole(word)
        if not self._retag or keep or word.upos == NOTHING:
            return word, split
        pattern = self._patterns[self._key(word)]
        upos = pattern.upos[pattern.head]
        if upos == word.upos:
            return word, split
        items = [f"{UPOS}={word.upos}"]
        lemma = self._stems.of(upos, word.morphemes, word.lemma) or word.lemma
        if lemma != word.lemma:
            items.append(f"WordLemma={escape_misc(word.lemma)}")
            if "MSeg=" not in word.misc:
                items += word_misc(word)
        split = Partition((1,), (0,), ("",), pattern.split.words, is_turned=True)
        whole = [word._replace(upos=upos, lemma=lemma)]
        if word.feats != NOTHING:
            items = [*self._with_feats(whole, 0, word.feats, ()), *items]
        return whole[0]._replace(misc=with_items(word.misc, items)), split

    def _split_range(self, token: Token, keep: Collection[int]) -> tuple[Token, Partition]:
        """Split a range; MISC of a word's first line holds the items of this word."""
        words: list[Word] = []
        splits = []
        cuts = [self._cut(word) for word in token.words]
        if self.cutter and max(map(len, cuts)) > 1:
            cuts = self.cutter.in_range(token, cuts)
        for at, (word, cut) in enumerate(zip(token.words, cuts, strict=True)):
            if len(cut) == 1:
                whole, split = self._whole(word, keep=at in keep)
                words.append(whole)
                splits.append(split)
                continue
            own, split, items = self.parts(word, cut, keep=at in keep)
            items = [*items, f"WordForm={escape_misc(word.form)}"]
            # Its MISC is that of the word, so FORM alone tells a single morpheme.
            first = own[0] if len(own[0].morphemes) > 1 else self._known[own[0].morphemes[0]]
            words.append(own[0]._replace(form=first.form, misc=with_items(word.misc, items)))
            words += own[1:]
            splits.append(split)
        split = Partition.together(splits)
        misc = with_items(token.misc, [f"WordSizes={','.join(map(str, split.sizes))}"])
        return changed_token(token, tuple(words), token.feats, misc), split

    def _cut(self, word: Word, eojeol: Eojeol | None = None) -> tuple[Word, ...]:
        """Return the words that the level makes of a word; one if it stays whole."""
        if self.cutter is not None:
            return self.cutter.words(word, eojeol)
        words = tuple(map(self._known.__getitem__, word.morphemes))
        is_certain = self.uncertain.isdisjoint([m[0] for m in word.morphemes])
        return words if is_certain else self._mended(words)

    def _piece(self, morpheme: Morpheme) -> Word:
        """Return the word of a morpheme, without its UPOS."""
        form = morpheme.form or NOTHING
        lemma = self._lemmas.get((morpheme.form, morpheme.tag), form)
        word = Word(form, lemma, "", morpheme.tag, NOTHING, NOTHING, (morpheme,))
        return word._replace(misc="|".join(word_misc(word)) or NOTHING)

    def parts(
        self, word: Word, cut: tuple[Word, ...], *, keep: bool = False
    ) -> tuple[tuple[Word, ...], Partition, Sequence[str]]:
        """Return the words of a word's parts, their division and the MISC items of the word.

        Args:
            word: of a treebank.
            cut: its parts.
            keep: whether its head part has the UPOS of the treebank.
        """
        key = self._key(word)
        pattern = self._patterns[key]
        if keep:
            pattern = pattern.keeping(word.upos)
        found = self._parts_of(pattern, [len(part.morphemes) for part in cut], key[1])
        words = []
        for at, (part, upos) in enumerate(zip(cut, found.upos, strict=True)):
            is_head = at == found.head
            stem = ""
            if is_head or self.cutter is not None:
                stem = self._stems.of(upos, part.morphemes, word.lemma if is_head else "")
            form, lemma, _, xpos, _, misc, morphemes = part
            if self.cutter is not None:
                misc = "|".join(word_misc(part)) or NOTHING
            form = (self.marker if at else "") + form
            words.append(Word(form, stem or lemma, upos, xpos, NOTHING, misc, morphemes))
        items = self._told(word, pattern.xpos, _items(pattern, found))
        if word.feats != NOTHING:
            items = self._with_feats(words, found.head, word.feats, items)
        return tuple(words), found.split, items

    def _with_feats(
        self, words: list[Word], head: int, feats: str, items: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Give the parts of a word their FEATS, in place, and return the MISC items of the word."""
        if self._feats is None:
            words[head] = words[head]._replace(feats=feats)
            return items
        columns, item = self._feats(words, head, feats)
        words[:] = [word._replace(feats=own) for word, own in zip(words, columns, strict=True)]
        return (*items, item) if item else items

    # --- words as their tags tell them (`sejongud.converters.compiler`) ---------------------------

    def sizes_by_tags(self, tags: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[int, ...]:
        """Return the number of morphemes of each part of a word; () if its forms must tell it.

        Args:
            tags: of the word: XPOS, and its Sejong tags.
        """
        if self.cutter is None:
            return (1,) * len(tags[0])
        return self.cutter.granularity.sizes(*tags)

    def parts_by_tags(self, key: PatternKey) -> PartsByTags:
        """Return the parts of a word that its tags tell.

        Args:
            key: of a word.
        """
        pattern = self._patterns[key]
        tags, sejong, *_ = key
        sizes = self.sizes_by_tags((tags, sejong))
        runs = tuple(pairwise(accumulate(sizes, initial=0)))
        xpos = tuple(["+".join(tags[first:last]) for first, last in runs])
        found = self._parts_of(pattern, sizes, sejong)
        items = _items(pattern, found)
        return PartsByTags(found.upos, runs, xpos, found.head, found.split, items)

    def lemmas_behind(self, forms: tuple[str, ...], tags: tuple[str, ...]) -> Sequence[str]:
        """Return the lemmas of morphemes, of which those before may decide one (`uncertain`)."""
        return self._of_stems.of([Morpheme(*pair) for pair in zip(forms, tags, strict=True)])

    def lemma_of(
        self,
        forms: Sequence[str],
        tags: Sequence[str],
        upos: str,
        lemmas: Sequence[str],
        told: str,
        *,
        is_head: bool,
    ) -> str:
        """Return LEMMA of a part of such a word.

        Args:
            forms: of the morphemes of the part.
            tags: of these.
            upos: of the part.
            lemmas: of its morphemes, () if their forms and tags tell them.
            told: its stem, if the treebank has that.
            is_head: whether it is the head part.
        """
        stem = ""
        if upos in self.stems and (is_head or self.cutter is not None):
            stem = self._stems.of(upos, tuple(map(Morpheme, forms, tags)), told)
        lemmas = lemmas or [self._lemmas.get(key, key[0]) for key in zip(forms, tags, strict=True)]
        return stem or "+".join(lemmas) or NOTHING

    def _told(self, word: Word, xpos: str, items: tuple[str, ...]) -> tuple[str, ...]:
        """Return MISC items, with those that restore XPOS and LEMMA of a word where needed.

        What stands in MISC of the word already (`sejongud.converters.conventions`) is older.
        """
        misc = word.misc
        if xpos != word.xpos and "WordXPOS=" not in misc:
            items = (*items, f"WordXPOS={escape_misc(word.xpos)}")
        told = "+".join([morpheme.written for morpheme in word.morphemes])
        if told != word.lemma and "WordLemma=" not in misc:
            items = (*items, f"WordLemma={escape_misc(word.lemma)}")
        return items


def _items(pattern: WordPattern, parts: Parts) -> tuple[str, ...]:
    """Return the items of MISC of a word with some parts."""
    if parts.told:
        return pattern.items
    return tuple([item for item in pattern.items if not item.startswith(HEAD_ITEM)])


class SplitEojeol(NamedTuple):
    """A split eojeol, independent of its place."""

    eojeol: Eojeol
    split: Partition
    """The division of its words."""
    notes: tuple[Note, ...]
    """The items of MISC that do not tell its morphemes."""


class Word2Morph:
    """Splits the words of a sentence into their morphemes.

    Args:
        rules: the tables.
        scheme: the scheme of relations: `ud` (valid for UD's validator) or `morphud` (published).
        level: the level of granularity whose words are made, 2 to 5; 5 makes morphemes.
        upos: the scheme of the morphemes' UPOS; "" for the default of `scheme`.
        lemmas: the lemma scheme.
        bound_marker: the text before every morpheme of a token except the first (`+`: +morphUD).
        repair: whether relations of the treebank that UD does not permit are repaired, and told.
        retag: whether words that stay whole have the UPOS of the scheme, too.

    Raises:
        UsageError: there is no such scheme.
    """

    by_eojeol = False
    """Whether the words of a token depend on its eojeol."""

    def __init__(
        self,
        rules: Rules,
        *,
        scheme: str = UD,
        level: int = MORPHEMES,
        upos: str = "",
        lemmas: str = "normalised",
        bound_marker: str = "",
        repair: bool = False,
        retag: bool = False,
    ) -> None:
        if scheme not in SCHEMES:
            raise UsageError(f"there is no scheme {scheme}: {', '.join(SCHEMES)}")
        if lemmas not in rules.lemmas:
            raise UsageError(f"there is no lemma scheme {lemmas}: {', '.join(rules.lemmas)}")
        self._trees = TreeRules(rules, ud=scheme == UD)
        self._relabel = Relabelling(rules, repairs=repair)
        if repair and scheme != UD:
            raise UsageError(f"--repair makes relations of UD: leave out --scheme {scheme}")
        if level not in LEVELS[1:]:
            raise UsageError(f"word2morph makes words of level 2, 3, 4 or 5, not {level}")
        self._split = Splitter(rules, scheme, upos, lemmas, bound_marker, level, retag=retag)
        self._eojeols: Memo[Eojeol, SplitEojeol] = Memo.of(self, Word2Morph.unit)

    def unit(self, eojeol: Eojeol) -> SplitEojeol:
        """Return an eojeol with a word for each morpheme, and the division of its words."""
        aligned = _aligned(eojeol)
        return _split_eojeol(eojeol, [self._split(token, aligned) for token in eojeol.tokens])

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, Partition] | None:
        """Return a split eojeol and the division of its words; None if there is a note."""
        changed, split, notes = self.unit(eojeol)
        return None if notes else (changed, split)

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with a word for each morpheme."""
        known = self._eojeols
        units = [known[eojeol] for eojeol in sentence.eojeols]
        if sentence.arcs is None:
            result = sentence.but(eojeols=tuple([unit.eojeol for unit in units]), arcs=None)
            result.notes += tuple([note for unit in units for note in unit.notes])
            return result
        notes = self._trees.root_notes(sentence.arcs)
        if keep := self._trees.goeswith_words(sentence.arcs):
            units, whole = self._with_whole_words(sentence, keep)
            if whole:
                message = f"{counted(whole, 'word[s]')} with goeswith not split: {_NOT_SPELT}"
                notes += (Note("I211", message),)
        split = Partition.together([unit.split for unit in units])
        relabelled = Relabelled(sentence.arcs, {}, ())
        if self._relabel.repairs or split.is_turned:
            relabelled = self._relabel(sentence.arcs, split.words)
        for change, times in Counter(relabelled.repairs).items():
            notes += (Note("I212", f"{counted(times, 'relation[s]')} repaired: {change}"),)
        arcs, untold = self._trees.split_arcs(relabelled.arcs, split, relabelled.told)
        eojeols = [unit.eojeol for unit in units]
        if untold:
            sizes = [len(token.words) for token in sentence.tokens]
            places = by_token(untold, sizes)
            numbers = iter(range(len(sizes)))
            for at, (source, eojeol) in enumerate(zip(sentence.eojeols, eojeols, strict=True)):
                own = [places.get(next(numbers), ()) for _ in source.tokens]
                if any(own):
                    eojeols[at] = self._tell(source, eojeol, own)
        result = sentence.but(eojeols=tuple(eojeols), arcs=arcs)
        result.notes += (*[note for unit in units for note in unit.notes], *notes)
        return result

    def telling(self, eojeol: Eojeol, place: _Place) -> Eojeol:
        """Return a split eojeol of one token whose MISC tells the arcs of some of its words."""
        return self._tell(eojeol, self.unit(eojeol).eojeol, [place])

    def _tell(self, source: Eojeol, changed: Eojeol, places: Sequence[_Place]) -> Eojeol:
        """Return a split eojeol whose MISC tells the arcs of some of its words.

        Args:
            source: with the words of the treebank.
            changed: split.
            places: for each token the words, from 0, each with keys and values.
        """
        tokens = list(changed.tokens)
        for at, place in enumerate(places):
            keep = [word for word, cells in place if UPOS in dict(cells)]
            token = source.tokens[at]
            count = len(token.words)
            if keep:
                tokens[at] = self._split(token, _aligned(source), keep)[0]
            for word, cells in place:
                number = f"{word + 1}:" if count > 1 else ""
                for key, value in cells:
                    if key != UPOS:
                        tokens[at] = telling(tokens[at], f"{key}={number}{escape_misc(value)}")
        return changed.but(tokens=tuple(tokens))

    def compiler(self, reader: Any) -> TokenCompiler | None:
        """Return the compiler of the tokens that a reader reads, if there is one."""
        return None if self._split.marker else TokenCompiler(reader, self._split)

    def move(self, arcs: Arcs, splits: Sequence[Partition]) -> Moved | None:
        """Return the arcs of split words; None if the sentence needs the general path."""
        if (
            self._relabel.repairs
            or self._trees.goeswith_words(arcs)
            or self._trees.mislabelled_roots(arcs)
        ):
            return None
        split = Partition.together(splits)
        if not split.is_turned:
            return self._trees.split_arcs(arcs, split)
        arcs, told, _ = self._relabel(arcs, split.words)
        return self._trees.split_arcs(arcs, split, told)

    def _with_whole_words(
        self, sentence: Sentence, goeswith_words: frozenset[int]
    ) -> tuple[list[SplitEojeol], int]:
        """Return the split eojeols, and the number of words that stay whole.

        LEMMA and XPOS of a misspelt word may stand on its first part, so its morphemes tell where
        it is split only if they spell FORM.

        Args:
            sentence: a sentence of a treebank.
            goeswith_words: the words, from 0, that are or have `goeswith`.
        """
        units = []
        word = whole = 0
        for eojeol in sentence.eojeols:
            tokens = []
            for token in eojeol.tokens:
                count = 0
                for at, one in enumerate(token.words, word):
                    if at in goeswith_words and len(one.morphemes) > 1:
                        count += "".join([m.form for m in one.morphemes]) != one.form
                tokens.append(self._keep(token) if count else self._split(token))
                word += len(token.words)
                whole += count
            units.append(_split_eojeol(eojeol, tokens))
        return units, whole

    def _keep(self, token: Token) -> tuple[Token, Partition]:
        """Return an unsplit token; a range gets `WordSizes` in MISC."""
        split = Partition.together(list(map(self._split.whole, token.words)))
        count = len(token.words)
        if count > 1:
            items = [f"WordSizes={','.join('1' * count)}"]
            token = changed_token(token, token.words, token.feats, with_items(token.misc, items))
        return token, split


def _split_eojeol(eojeol: Eojeol, parts: Sequence[tuple[Token, Partition]]) -> SplitEojeol:
    """Return an eojeol with other tokens, each of which has the division of its words."""
    tokens, splits = zip(*parts, strict=True)
    split = Partition.together(splits)
    changed = eojeol.but(tokens=tokens, occurrence=NO_OCCURRENCE)
    notes = lost_notes(eojeol) if max(split.sizes) > 1 else ()
    # The constructor of a NamedTuple takes twice as long.
    return tuple.__new__(SplitEojeol, (changed, split, notes))


def _aligned(eojeol: Eojeol) -> Eojeol | None:
    """Return an eojeol whose one token has morphemes that are aligned with it, None for another."""
    return None if eojeol.is_plain or len(eojeol.tokens) > 1 else eojeol
