"""morph2word: convert dependencies between morphemes to dependencies between words (memoir, §3.3).

The output of `sejongud.converters.word2morph` is converted back byte for byte. The arcs of a parser
are converted by these rules:

1. The search for the arc of a word begins at its head morpheme (rules/heads.tsv, rule `morphemes`,
   or the morpheme that `HeadMorpheme` names) and goes up. The first arc on this path that leaves
   the word is the arc of the word. If the path is a cycle inside the word, the word takes its first
   arc that leaves it; if all its arcs stay inside, it has no governor.
2. The governor of the word is the word that contains the morpheme at the other end of the arc.
3. The root is the first word whose arc goes to the root, or else the first word without a governor,
   or else the first word in a cycle. Every other word without a governor and the first word of
   every other cycle are attached to the root.

Every word then has one head and one relation, and the words form a tree.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain
from operator import add, sub
from typing import TYPE_CHECKING, Any

from sejongud.converters.joined_words import (
    LONGER,
    OWN_KEYS,
    SPACE,
    Separator,
    restoring_items,
    split_misc,
    unfit_items,
    with_restored_columns,
    with_restored_nodes,
    with_told,
    without_own,
)
from sejongud.converters.ranges import ARC_KEYS, Joined, JoinedEojeol, Named, RangeCompiler
from sejongud.converters.relations import ITEM as WORD_FEATS
from sejongud.converters.relations import WordFeats
from sejongud.errors import FormatError, Note
from sejongud.formats.base import to_number
from sejongud.formats.conllu.sentence import labels_of_words
from sejongud.formats.misc import (
    TOKENS,
    all_label_items,
    misc_items,
    other_items,
    tells_morphemes,
    unescape_misc,
    with_labels,
    with_pieces,
    word_misc,
)
from sejongud.layers.arcs import (
    Moved,
    Partition,
    TreeRules,
    is_tree,
    join_arcs,
    make_tree,
)
from sejongud.layers.relabelling import Changes
from sejongud.levels.heads import HeadRule
from sejongud.memo import Memo
from sejongud.model import (
    NO_OCCURRENCE,
    NOTHING,
    Arcs,
    Eojeol,
    Morpheme,
    Sentence,
    Token,
    Word,
    changed_token,
    with_items,
)
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.converters.edits import Edits
    from sejongud.rules import Rules

_WORD_ARC = re.compile(
    r"(?:WordHead=(?:(?P<of_head>[1-9][0-9]{0,8}):)?(?P<head>[1-9][0-9]{0,8})"
    r"|WordDeprel=(?:(?P<of_deprel>[1-9][0-9]{0,8}):)?(?P<deprel>[^0-9].*))"
)
_ARC_ITEMS = " or ".join(sorted(ARC_KEYS, reverse=True))


class Joiner:
    """Joins the morphemes of a token to words, independent of its place."""

    def __init__(self, rules: Rules, marker: str, edits: Edits | None = None) -> None:
        self.edits, self._feats = edits, WordFeats(rules)
        self._heads: Memo[tuple[str, ...], int] = Memo(HeadRule(rules).head)
        self._sejong_tags = rules.sejong_tags
        self.marker = marker

    def __call__(self, token: Token) -> Joined:
        """Return the joined token, with the sizes, heads and arcs of its words."""
        words = token.words
        own = restoring_items(token.misc) if token.misc != NOTHING else {}
        sizes: tuple[int, ...] = (len(words),)
        lost = 0
        unfit = unfit_items(own, len(words), len(token.morphemes)) if own else []
        if len(words) == 1:
            heads: tuple[int, ...] = (0,)
            joined = _restored_single(token)
        elif "WordSizes" in own:
            sizes = _sizes(own["WordSizes"], len(words))
            parts = _parts(words, sizes)
            items = [restoring_items(part[0].misc) for part in parts]
            heads = tuple(map(self._head_word, parts, items))
            for part, its in zip(parts, items, strict=True):
                unfit += unfit_items(its, len(part), sum([len(word[6]) for word in part]))
            joined = self.join(token, own, sizes, heads)
        else:
            heads = (self._head_word(words, own),)
            if [1 for word in words if word[4] != NOTHING or word[5] != NOTHING]:
                lost = _count_lost(words, heads[0], feats=WORD_FEATS not in own)
            joined = self.join(token, own, sizes, heads)
        edited = 0
        if self.edits and len(words) > 1:
            for word, part in zip(joined.words, _parts(words, sizes), strict=True):
                its = restoring_items(part[0].misc) if len(sizes) > 1 else own
                edited += len(part) > 1 and self.edits(word, part, its.get("WordUPOS", ""))
        arcs: tuple[Named, ...] = ()
        if own and not own.keys().isdisjoint(ARC_KEYS):
            told = split_misc(token.misc)[1] if "WordSizes" in own else token.misc
            arcs = tuple(_named_arcs(told, len(sizes)))
        return tuple.__new__(Joined, (joined, sizes, heads, arcs, lost, tuple(unfit), edited))

    def head(self, tags: tuple[str, ...], own: Mapping[str, str]) -> int:
        """Return the head morpheme of a word, from 0.

        Args:
            tags: the Sejong tags of its morphemes.
            own: its items in MISC (`restoring_items`).
        """
        head = to_number(own.get("HeadMorpheme", "")) if own else None
        if head and head <= len(tags):
            return head - 1
        return self._heads[tags]

    def _head_word(self, words: Sequence[Word], own: Mapping[str, str]) -> int:
        """Return which of the words that are joined has the head morpheme, from 0."""
        if len(words) == 1:
            return 0
        morphemes = [morpheme for word in words for morpheme in word[6]]
        head = self.head(self._sejong_tags(morphemes), own)
        if len(morphemes) == len(words):
            return head
        ends = accumulate([len(word.morphemes) for word in words])
        return next(at for at, end in enumerate(ends) if head < end)

    def join(
        self,
        token: Token,
        own: Mapping[str, str],
        sizes: tuple[int, ...],
        places: tuple[int, ...],
    ) -> Token:
        """Return the token with its morphemes joined to words.

        Args:
            token: a token of morphemes.
            own: the items of the words in MISC of the range line (`restoring_items`).
            sizes: the number of morphemes of each word.
            places: the morpheme of each word, from 0, that has the arc of the word.
        """
        if "WordSizes" not in own:
            misc = _with_space(without_own(token.misc) if own else token.misc, token.words[-1])
            word = self._word(token.words, places[0], token.form, misc, own)
            if token.feats != NOTHING:  # Those of a range: Typo=Yes.
                feats = {*word.feats.split("|"), *token.feats.split("|")} - {NOTHING}
                word = word._replace(feats="|".join(sorted(feats, key=str.lower)))
            return changed_token(token, (word,), NOTHING, word.misc)
        words = []
        for part, place in zip(_parts(token.words, sizes), places, strict=True):
            if len(part) == 1:
                words.append(_restored(part[0]))
                continue
            items = restoring_items(part[0].misc)
            form = unescape_misc(items.get("WordForm", "")) or "".join([w.form for w in part])
            words.append(self._word(part, place, form, without_own(part[0].misc), items))
        return changed_token(token, tuple(words), token.feats, split_misc(token.misc)[0])

    def _word(
        self, words: Sequence[Word], head: int, form: str, misc: str, own: Mapping[str, str]
    ) -> Word:
        """Join the lines of a word's morphemes to the word; MISC items override its columns."""
        _, _, all_upos, all_xpos, feats, all_misc, parts = zip(*words, strict=True)
        morphemes = tuple(chain.from_iterable(parts))
        if self.marker:
            lemma = "+".join([self._written(word, at > 0) for at, word in enumerate(words)])
        else:
            lemma = "+".join([m[2] or m[0] for m in morphemes])
        lemma, upos, xpos = with_restored_columns(own, lemma, all_upos[head], "+".join(all_xpos))
        if all_misc.count(NOTHING) < len(all_misc):
            misc = _with_labels(_with_morphemes(misc, words[head], morphemes), words)
        of_word = feats[head]
        if WORD_FEATS in own:
            told = unescape_misc(own[WORD_FEATS])
            of_word = self._feats.restored(words, self._head_word(words, own), told)
        word = tuple.__new__(Word, (form, lemma, upos, xpos, of_word, misc, morphemes))
        # Somebody may have edited the morphemes that MISC of the range tells.
        may_differ = not self.marker and ("WordLemma" in own or tells_morphemes(misc))
        return with_pieces(word, words[head].lemma) if may_differ else word

    def _written(self, word: Word, follows: bool) -> str:
        """Return the morphemes of a word as the treebank wrote them in LEMMA."""
        written = "+".join([m.source or m.form for m in word.morphemes])
        marked = follows and "MSeg=" not in word.misc
        return written.removeprefix(self.marker) if marked else written


class Morph2Word:
    """Joins the morphemes of a sentence to words.

    Args:
        rules: the tables.
        bound_marker: the text before every morpheme of a token except the first (`+`).
        mends: whether arcs that make no tree are mended where they made none before, too.
        edits: finds what is lost of UPOS and LEMMA of morphemes, if that is told.
    """

    by_eojeol = False
    """Whether the words of a token depend on its eojeol."""

    def __init__(
        self,
        rules: Rules,
        *,
        bound_marker: str = "",
        mends: bool = True,
        edits: Edits | None = None,
    ) -> None:
        self._join = Joiner(rules, bound_marker, None if bound_marker else edits)
        self._separate = Separator(rules)
        self._plain, self._ud = [TreeRules(rules, ud=ud) for ud in (False, True)]
        self._changes = Changes(rules)
        self._mends = mends
        self._eojeols: Memo[Eojeol, JoinedEojeol] = Memo.of(self, Morph2Word.unit)

    def unit(self, eojeol: Eojeol) -> JoinedEojeol:
        """Return an eojeol with its morphemes joined to words, and the details of the words."""
        if TOKENS in eojeol.tokens[0].misc and (separated := self._separate(eojeol)):
            return self._unit(separated.eojeol)._replace(separated=separated)
        unit = self._unit(eojeol)
        if TOKENS in eojeol.tokens[0].misc and len(eojeol.words) == 1:
            unit = unit._replace(unfit=(TOKENS, *unit.unfit))
        return unit

    def _unit(self, eojeol: Eojeol) -> JoinedEojeol:
        """Return a joined eojeol; `Tokens` stays in MISC."""
        joined = tuple([self._join(token) for token in eojeol.tokens])
        arcs: list[Named] = []
        words = 0
        for one in joined:
            arcs += [(words + word, named) for word, named in one.arcs]
            words += len(one.sizes)
        return JoinedEojeol(
            eojeol.but(tokens=tuple([one.token for one in joined]), occurrence=NO_OCCURRENCE),
            joined,
            tuple(chain.from_iterable([one.sizes for one in joined])),
            tuple(chain.from_iterable([one.heads for one in joined])),
            tuple(arcs),
            sum([one.lost for one in joined]),
            tuple(chain.from_iterable([one.unfit for one in joined])),
            sum([one.edited for one in joined]),
        )

    def compiler(self, reader: Any) -> RangeCompiler | None:
        """Return the compiler of the ranges that a reader reads, if there is one."""
        return (
            None if self._join.marker else RangeCompiler(reader, self._join.head, self._join.edits)
        )

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, JoinedEojeol] | None:
        """Return a joined eojeol and its details; None if only its sentence tells all of them."""
        unit = self.unit(eojeol)
        *_, lost, unfit, edited, separated = unit
        return None if lost or unfit or edited or separated else (unit.eojeol, unit)

    def telling(self, eojeol: Eojeol, _: Any) -> Eojeol:
        """Return a joined eojeol: no arc of a word is told in MISC."""
        return self.unit(eojeol).eojeol

    def move(self, arcs: Arcs, units: Sequence[JoinedEojeol]) -> Moved | None:
        """Return the arcs of joined words; None if they change the words or form no tree."""
        _, _, sizes, heads, *_ = zip(*units)  # noqa: B905
        sizes, heads = tuple(chain.from_iterable(sizes)), tuple(chain.from_iterable(heads))
        moved, chosen = join_arcs(arcs, sizes, heads)
        if chosen != list(map(add, accumulate(sizes, initial=0), heads)):
            return None
        if any([unit.arcs for unit in units]):
            moved, edited = self._with_named(moved, units, arcs, chosen)
            if edited:
                return None
        return Moved(moved, {}) if is_tree(moved.heads) else None

    def __call__(self, sentence: Sentence, words: Sentence | None = None) -> Sentence:
        """Return the sentence with its morphemes joined to words.

        A note reports arcs that had to be changed to form a tree.

        Args:
            sentence: a sentence of morphemes.
            words: the sentence in the treebank. If it is given, the result has its words, with
                heads and relations from `sentence`.

        Raises:
            FormatError: `words` has another number of words.
        """
        known = self._eojeols
        units = [known[eojeol] for eojeol in sentence.eojeols]
        if any([len(token.words) > 1 for token in sentence.tokens]):
            # A sentence of level 1 was split: the words that `Tokens` names are not of this step.
            pairs = zip(sentence.eojeols, units, strict=True)
            units = [self._unit(one) if unit.separated else unit for one, unit in pairs]
        arcs, notes = sentence.arcs, sentence.notes
        lost = sum([unit.lost for unit in units])
        if words is None:
            not_used = [(one, unit) for unit in units for one in unit.unfit]
            unused = "not used: {} of {}, whose morphemes were edited".format
            notes += tuple([Note("W301", unused(one, u.eojeol.form)) for one, u in not_used])
            notes += _notes_of(sum([unit.edited for unit in units]), "UPOS or LEMMA")
        eojeols = [unit.eojeol for unit in units]
        if arcs is None:
            notes += _notes_of(0 if words else lost)
            return sentence.but(eojeols=tuple(eojeols), arcs=None, notes=notes)
        if any([unit.separated for unit in units]):
            arcs = self._separated(arcs, units)
        is_open = max(arcs.heads) < 0 and set(arcs.deprels) == {NOTHING}
        was_tree = not is_open and (self._mends or is_tree(arcs.heads))
        sizes = list(chain.from_iterable([unit.sizes for unit in units]))
        inside = list(chain.from_iterable([unit.heads for unit in units]))
        parts = arcs
        arcs, chosen = join_arcs(parts, sizes, inside)
        if chosen != list(map(add, accumulate(sizes, initial=0), inside)):
            eojeols, lost = self._with_columns_of(sentence.eojeols, units, chosen)
        notes += _notes_of(0 if words else lost)
        if words is None and any([unit.arcs for unit in units]):
            arcs, edited = self._with_named(arcs, units, parts, chosen)
            if edited:
                message = f"not used: {_ARC_ITEMS} of {counted(edited, 'word[s]')}"
                notes += (Note("W301", f"{message}, whose HEAD or DEPREL was edited"),)
        heads, deprels = list(arcs.heads), list(arcs.deprels)
        if was_tree and not is_tree(heads):
            make_tree(heads, deprels)
            notes += (Note("W210", "the arcs that leave the words make no tree; mended"),)
        if words is not None:
            return _with_words(words, heads, deprels).but(notes=notes)
        arcs = arcs._replace(heads=tuple(heads), deprels=tuple(deprels))
        return sentence.but(eojeols=tuple(eojeols), arcs=arcs, notes=notes)

    def _with_named(
        self, arcs: Arcs, units: Sequence[JoinedEojeol], parts: Arcs, chosen: Sequence[int]
    ) -> tuple[Arcs, int]:
        """Return arcs with the heads and relations that MISC names, and how many do not fit.

        Args:
            arcs: of the words.
            units: the joined eojeols.
            parts: the arcs of the morphemes. Of an arc that was edited, MISC tells what it was.
            chosen: for each word the morpheme, from 0, that has its arc.
        """
        heads, deprels = list(arcs.heads), list(arcs.deprels)
        first = edited = 0
        named_heads = []
        for unit in units:
            for word, named in unit.arcs:
                at = first + word
                if isinstance(named, int):
                    named_heads.append(at)
                    heads[at] = min(named, len(heads))
                elif self._changes.fits[named, deprels[at]]:
                    deprels[at] = named
                else:
                    edited += 1
            first += len(unit.sizes)
        if named_heads:
            sizes = tuple(chain.from_iterable([unit.sizes for unit in units]))
            inside = tuple(map(sub, chosen, accumulate(sizes, initial=0)))
            split = Partition(sizes, inside, (NOTHING,) * sum(sizes))
            expected = self._ud.split_arcs(arcs._replace(heads=tuple(heads)), split).arcs.heads
            for at in named_heads:
                if expected[chosen[at]] != parts.heads[chosen[at]]:
                    heads[at] = arcs.heads[at]
                    edited += 1
        return arcs._replace(heads=tuple(heads), deprels=tuple(deprels)), edited

    def _separated(self, arcs: Arcs, units: Sequence[JoinedEojeol]) -> Arcs:
        """Return the arcs of words, some of which come back from `Tokens`."""
        splits = [u.separated.split if u.separated else Partition.kept(len(u.sizes)) for u in units]
        arcs = self._plain.split_arcs(arcs, Partition.together(splits)).arcs
        told: list[tuple[int, Mapping[str, str]]] = []
        first = 0
        starts = {}
        for unit, split in zip(units, splits, strict=True):
            if unit.separated:
                told += [(first + word, columns) for word, columns in unit.separated.arcs]
                starts[first + sum(split.sizes)] = first
            first += sum(split.sizes)
        return with_told(with_restored_nodes(arcs, starts), told)

    def _with_columns_of(
        self, eojeols: Sequence[Eojeol], units: Sequence[JoinedEojeol], chosen: Sequence[int]
    ) -> tuple[list[Eojeol], int]:
        """Return the joined eojeols; each word has the columns of the morpheme that has its arc.

        The second is the number of morphemes with FEATS or MISC that the words have no place for.

        Args:
            eojeols: the eojeols before the conversion.
            units: the joined eojeols.
            chosen: for each word the morpheme, from 0, that has its arc.
        """
        changed = []
        word = first = lost = 0
        for eojeol, unit in zip(eojeols, units, strict=True):
            if unit.separated:
                eojeol = unit.separated.eojeol
            tokens = []
            pairs = zip(eojeol.tokens, unit.joined, strict=True)
            for token, (joined, sizes, heads, _, lost_of, *_) in pairs:
                places = []
                for size in sizes:
                    places.append(chosen[word] - first)
                    word += 1
                    first += size
                if len(token.words) > 1 and tuple(places) != heads:
                    own = restoring_items(token.misc)
                    joined = self._join.join(token, own, sizes, tuple(places))
                    if len(sizes) == 1:
                        lost_of = _count_lost(token.words, places[0], feats=WORD_FEATS not in own)
                lost += lost_of
                tokens.append(joined)
            changed.append(unit.eojeol.but(tokens=tuple(tokens)))
        return changed, lost


def _with_words(words: Sentence, heads: Sequence[int], deprels: Sequence[str]) -> Sentence:
    """Return the treebank's sentence with the given arcs."""
    count = len(list(words.words))
    if count != len(heads):
        raise FormatError(
            f"{counted(len(heads), 'word[s]')} where the treebank has {count}"
            f" (its sentence {words.sent_id}): the tokens of both files must be the same",
            code="E209",
        )
    return words.but(arcs=Arcs(tuple(heads), tuple(deprels)))


def _sizes(told: str, morphemes: int) -> tuple[int, ...]:
    """Return the number of morphemes of each word; a wrong `WordSizes` gives a single word."""
    sizes = tuple([size for size in map(to_number, told.split(",")) if size is not None])
    return sizes if sum(sizes) == morphemes and 0 not in sizes else (morphemes,)


def _parts(words: tuple[Word, ...], sizes: Iterable[int]) -> list[tuple[Word, ...]]:
    """Return the morphemes of each word."""
    return [words[end - size : end] for end, size in zip(accumulate(sizes), sizes, strict=True)]


def _named_arcs(misc: str, count: int) -> Iterator[Named]:
    """Yield the words of a token, from 0, with the governor, from 1, or the relation MISC names."""
    for item in misc.split("|"):
        if match := _WORD_ARC.fullmatch(item):
            word = int(match["of_head"] or match["of_deprel"] or 1)
            if word <= count:
                yield word - 1, int(match["head"] or 0) or unescape_misc(match["deprel"])


def _restored_single(token: Token) -> Token:
    """Return the original of a token with a single word."""
    word = _restored(token.words[0])
    return token if word is token.words[0] else changed_token(token, (word,), NOTHING, word.misc)


def _restored(word: Word) -> Word:
    """Return a word that was not split with the columns that its MISC tells."""
    if not (own := restoring_items(word.misc)):
        return word
    lemma, upos, xpos = with_restored_columns(own, word.lemma, word.upos, word.xpos)
    feats = unescape_misc(own.get(WORD_FEATS, word.feats))
    misc = without_own(word.misc)
    return word._replace(lemma=lemma, upos=upos, xpos=xpos, feats=feats, misc=misc)


def _with_morphemes(misc: str, head: Word, morphemes: tuple[Morpheme, ...]) -> str:
    """Return MISC of a joined word with the items that only its parts have.

    Args:
        misc: of its range.
        head: the part whose columns it has.
        morphemes: of all its parts.
    """
    items = [*word_misc(head._replace(morphemes=morphemes)), *other_items(head)]
    present = {*misc_items(misc), *OWN_KEYS, "MSeg"}
    return with_items(misc, [item for item in items if item.partition("=")[0] not in present])


def _with_labels(misc: str, words: Sequence[Word]) -> str:
    """Return MISC of a joined word with the entity labels of its parts, if these have any."""
    is_labelled = any(["NE" in word.misc for word in words])
    return with_labels(misc, all_label_items(labels_of_words(words))) if is_labelled else misc


def _count_lost(words: Sequence[Word], head: int, *, feats: bool) -> int:
    """Return the number of parts with FEATS or MISC that a joined word has no place for.

    Args:
        words: the parts.
        head: the part, from 0, whose columns the word has.
        feats: whether FEATS of the others have no place.
    """
    others = [word for at, word in enumerate(words) if at != head]
    lost = sum([(feats and word.feats != NOTHING) or bool(other_items(word)) for word in others])
    return lost + any([item.startswith("MSeg=") for item in other_items(words[head])])


def _notes_of(lost: int, columns: str = "FEATS or MISC") -> tuple[Note, ...]:
    """Return the note of parts with columns that joined words have no place for, if any."""
    message = f"not written: {columns} of {counted(lost, 'word[s]')}, {LONGER}"
    return (Note("W301", message),) if lost else ()


def _with_space(misc: str, last: Word) -> str:
    """Return MISC, with `SpaceAfter=No` if the last word of the range has it (published files)."""
    if SPACE not in last.misc or SPACE not in last.misc.split("|") or SPACE in misc.split("|"):
        return misc
    return with_items(SPACE, [] if misc == NOTHING else [misc])
