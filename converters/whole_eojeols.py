"""Level 1: the words of an eojeol as one word, and back (memoir, ch. 2).

    참여한다 · ,    참여한다,    Tokens=4,1

LEMMA, XPOS and the romanisation of a joined word are those of its words, joined (LEMMA of an
auxiliary is its stem, and `_` if that of a word is); the other columns are those of the word whose
arc it has, and FEATS also those of the particles and the copula behind it. Words that hang on
another word of it may change their relation (rules/upos-relations.tsv). `Tokens` in MISC
brings the words back. It has an entry for each, with a comma between: the number of morphemes, and
behind hyphens the columns that differ from the default. By default a word is a mark: PUNCT,
attached to the head by `punct`, and its other columns follow from its morphemes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, chain, compress, count, pairwise, repeat
from operator import add, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.compiler import TokenCompiler
from sejongud.converters.relations import UD, Stems, WordFeats
from sejongud.converters.word2morph import Splitter
from sejongud.errors import Note
from sejongud.formats.base import to_number
from sejongud.formats.misc import (
    HEAD_MORPHEME,
    LABEL_KEY,
    TOKENS,
    TREE_KEYS,
    escape_misc,
    misc_items,
    other_items,
    split_segments,
    without_items,
)
from sejongud.layers.arcs import Moved, Partition, TreeRules, by_token, circles, is_tree, join_arcs
from sejongud.layers.relabelling import INNER, OUTER, Relabelling, WordUpos
from sejongud.layers.trees import depths_of
from sejongud.levels.heads import HeadRule
from sejongud.memo import Memo
from sejongud.model import (
    LEVELS,
    NO_OCCURRENCE,
    NOTHING,
    Arcs,
    Eojeol,
    Morpheme,
    Sentence,
    Token,
    Word,
    telling,
    with_items,
)
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Rules

LONGER = "now part of a longer one"
_REMEMBERED = 48_000
_CELLS = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "MISC")
_UPOS, _DEPREL = "PUNCT", "punct"
"""Columns of a mark."""
_SPACE = "SpaceAfter=No"
_ROMANISED = {"Translit": ("FORM", ""), "LTranslit": ("LEMMA", "+")}
"""The items of MISC that are joined: the column that a mark repeats, and the text between."""

_PLACE = re.compile(f"Id|{LABEL_KEY.pattern}")
"""The keys of MISC that the writer writes anew."""

_Columns = dict[str, str]
_Cells = tuple[tuple[str, str], ...]
_Place = tuple[tuple[int, _Cells], ...]
"""HEAD and DEPREL of words of an eojeol, from 0."""
_Entry = tuple[int, _Columns]
"""The number of morphemes of a word, and the columns that `Tokens` names."""


class Separated(NamedTuple):
    """An eojeol whose words have come back from `Tokens`."""

    eojeol: Eojeol
    split: Partition
    arcs: tuple[tuple[int, _Columns], ...]
    """The words, from 0, with the HEAD and DEPREL that `Tokens` names."""


class WholeEojeols:
    """Joins the words of each eojeol of a treebank to one word.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._kind, self._sejong_tags = rules.kind, rules.sejong_tags
        self._heads, self._heads_by_upos = HeadRule(rules), HeadRule(rules, "words")
        self._separator, self._stems = Separator(rules), Stems(rules)
        self._feats = WordFeats(rules)
        self._trees, self._plain = TreeRules(rules, ud=True), TreeRules(rules, ud=False)
        self._relabel = Relabelling(rules)
        self._splits: Memo[Eojeol, Partition] = Memo.of(
            self, WholeEojeols._division, size=_REMEMBERED
        )
        self._joined: Memo[tuple[Eojeol, int, _Place], Eojeol] = Memo.of(
            self, lambda wholes, key: wholes._join(*key), size=_REMEMBERED
        )

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with a word for each eojeol."""
        eojeols, arcs = sentence.eojeols, sentence.arcs
        splits = list(map(self._splits.__getitem__, eojeols))
        sizes = [split.sizes[0] for split in splits]
        tops = [split.heads[0] for split in splits]
        places: dict[int, _Place] = {}
        notes: tuple[Note, ...] = ()
        if arcs is not None:
            notes = self._trees.root_notes(arcs)
            joined, chosen = _joined_arcs(arcs, sizes, tops)
            if chosen != tops:
                splits = list(map(self._division, eojeols, chosen))
            arcs, untold = self._relabelled(arcs, joined, splits)
            places, tops = by_token(untold, sizes), chosen
        known = self._joined
        whole = tuple(
            [known[(*key, places.get(at, ()))] for at, key in enumerate(zip(eojeols, tops))]  # noqa: B905
        )
        if lost := _count_lost(sentence, arcs, sizes):
            message = f"not written: FEATS, DEPS or MISC of {counted(lost, 'word[s]')}, {LONGER}"
            notes += (Note("W301", message),)
        result = sentence.with_segmentation(whole, arcs)
        result.notes += notes
        return result

    # --- for the fast path ------------------------------------------------------------------------

    by_eojeol = True

    def compiler(self, reader: Any) -> TokenCompiler:
        """Return the compiler of the tokens that a reader reads: no mark is in a plain one."""
        return TokenCompiler(reader, Splitter(self._rules, UD, "", "form", "", LEVELS[1]))

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, Partition]:
        """Return an eojeol as one word, and the division of this word."""
        split = self._division(eojeol)
        return self._join(eojeol, split.heads[0], ()), split

    def telling(self, eojeol: Eojeol, place: _Place) -> Eojeol:
        """Return an eojeol as one word that names the arcs of its words."""
        return self._join(eojeol, self._top(eojeol), place)

    def move(self, arcs: Arcs, splits: Sequence[Partition]) -> Moved | None:
        """Return the arcs of joined words; None if other words than the heads have arcs."""
        if self._trees.mislabelled_roots(arcs):
            return None
        sizes, tops = [split.sizes[0] for split in splits], [split.heads[0] for split in splits]
        joined, chosen = _joined_arcs(arcs, sizes, tops)
        return self._relabelled(arcs, joined, splits) if chosen == tops else None

    def _division(self, eojeol: Eojeol, top: int | None = None) -> Partition:
        """Return the division of an eojeol into its head, which may be given, and the other words.

        `Split.words` has the UPOS of the eojeol as one word.
        """
        top = self._top(eojeol) if top is None else top
        words = [word for token in eojeol.tokens for word in token.words]
        upos = words[top].upos
        behind = self._sejong_tags([m for word in words[top:] for m in word.morphemes])
        return _split(len(words), top, WordUpos.of(upos, upos, behind))

    def _top(self, eojeol: Eojeol) -> int:
        """Return the head of the words of an eojeol, from 0."""
        words = [word for token in eojeol.tokens for word in token.words]
        if len(words) == 1:
            return 0
        tags = self._sejong_tags([m for word in words for m in word.morphemes])
        if not all(map(self._kind, tags)):
            return self._heads_by_upos.head([word.upos for word in words])
        sizes = [len(word.morphemes) for word in words]
        top = _word_with(self._heads.head(tags), sizes)
        if words[top].upos != _UPOS:
            return top
        # A treebank may tag a word as a mark (이소룡, NNP, PUNCT), which can govern nothing.
        return next((at for at, word in enumerate(words) if word.upos != _UPOS), top)

    def _relabelled(self, arcs: Arcs, joined: Arcs, splits: Sequence[Partition]) -> Moved:
        """Return the arcs of joined words with relations that UD permits there.

        Args:
            arcs: of the words.
            joined: of the joined words.
            splits: their divisions.
        """
        split = Partition.together(splits)
        # The head of each eojeol, from 1; before the first, the root.
        where = [0, *map(add, accumulate(split.sizes, initial=1), split.heads)]
        heads = [arcs.heads[top - 1] for top in where[1:]]
        if heads == list(map(where.__getitem__, joined.heads)) and _tell_marks(arcs, split, where):
            return Moved(joined, {})
        governors = [head - 1 for head in heads]
        moved = [
            at
            for at, (governor, head) in enumerate(zip(heads, joined.heads, strict=True))
            if head > 0 and governor != where[head]
        ]
        if moved:
            named = list(
                compress(count(), map(self._relabel.in_clauses.__contains__, joined.deprels))
            )
            clauses = _clauses(arcs.heads, joined, governors, named)
            joined = self._relabel(joined, split.words, moved, clauses).arcs
        return Moved(joined, self._untold(arcs, joined, split))

    def _untold(self, arcs: Arcs, joined: Arcs, split: Partition) -> dict[int, _Cells]:
        """Return HEAD and DEPREL of the words, from 0, whose arcs the joined arcs do not tell."""
        back = self._plain.split_arcs(Arcs(joined.heads, joined.deprels), split).arcs
        untold: dict[int, _Cells] = {}
        if (back.heads, back.deprels) == (arcs.heads, arcs.deprels):
            return untold
        for word, head in enumerate(arcs.heads):
            cells = []
            if head != back.heads[word]:
                cells.append(("HEAD", NOTHING if head < 0 else str(head)))
            if (deprel := arcs.deprels[word]) != back.deprels[word]:
                cells.append(("DEPREL", deprel))
            if cells:
                untold[word] = tuple(cells)
        return untold

    def _join(self, eojeol: Eojeol, top: int, place: _Place) -> Eojeol:
        """Return an eojeol as one word with the columns of one of its words.

        Args:
            eojeol: with the words of the source.
            top: the word, from 0.
            place: HEAD and DEPREL of words, from 0, that the joined arcs do not tell.
        """
        tokens = eojeol.tokens
        words = [word for token in tokens for word in token.words]
        sizes = [len(word.morphemes) for word in words]
        if len(words) == 1:
            if not place:
                return eojeol
            item = _written([(sizes[0], dict(place[0][1]))])
            return eojeol.but(tokens=(telling(tokens[0], item),), occurrence=NO_OCCURRENCE)
        morphemes = tuple([m for word in words for m in word.morphemes])
        lemmas = [word.lemma for word in words]
        stem = self._stems.of(words[top].upos, words[top].morphemes, words[top].lemma)
        items = [*_joined_items(words, top, stem), *_told_of_trees(tokens)]
        feats = words[top].feats
        if any([word.feats != NOTHING for word in words[top + 1 :]]):
            feats = self._feats.joined(words[top:])
        if self._separator.top(morphemes, sizes) != top:
            items.append(f"{HEAD_MORPHEME}={sum(sizes[:top]) + 1}")
        word = Word(
            eojeol.form,
            stem or (NOTHING if NOTHING in lemmas else "+".join(lemmas)),
            words[top].upos,
            "+".join([m.tag for m in morphemes]),
            feats,
            "|".join(items),
            morphemes,
        )
        space_after = tokens[-1].space_after
        if len(words) == len(tokens):
            entries = self._separator.entries(word, words, top, space_after, place)
            word = word._replace(misc=with_items(word.misc, [_written(entries)]))
        token = Token(word.form, (word,), misc=word.misc, was_read=False, space_after=space_after)
        return eojeol.but(tokens=(token,), occurrence=NO_OCCURRENCE)


class Separator:
    """Brings the words of a joined word back.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._heads = HeadRule(rules)
        self._sejong_tags = rules.sejong_tags
        self._stems = Stems(rules).upos

    def __call__(self, eojeol: Eojeol) -> Separated | None:
        """Return an eojeol with the words that `Tokens` names; None if there are none that fit."""
        token, word = eojeol.tokens[0], eojeol.tokens[0].words[0]
        entries = _entries(token.misc) if len(eojeol.tokens) == 1 == len(token.words) else []
        sizes = [size for size, _ in entries]
        if not entries or sum(sizes) != len(word.morphemes):
            return None
        top, rows = 0, [{"MISC": without_items(token.misc, TOKENS.__eq__)}]
        if len(entries) > 1:
            top = self.top(word.morphemes, sizes, token.misc)
            rows = self._columns(word, entries, top, token.space_after)
        tokens: list[Token] = []
        for (first, last), row in zip(pairwise(accumulate(sizes, initial=0)), rows, strict=True):
            cells = [row.get(*pair) for pair in zip(_CELLS, word, strict=False)]
            new = Word._make([*cells, word.morphemes[first:last]])
            space_after = token.space_after if len(tokens) == len(rows) - 1 else False
            tokens.append(Token(new.form, (new,), NOTHING, new.misc, space_after=space_after))
        if "".join([token.form for token in tokens]) != eojeol.form:
            return None
        arcs = [
            (at, told) for at, (_, told) in enumerate(entries) if "HEAD" in told or "DEPREL" in told
        ]
        separated = eojeol.but(tokens=tuple(tokens), occurrence=NO_OCCURRENCE)
        return Separated(separated, _split(len(sizes), top), tuple(arcs))

    def top(self, morphemes: Sequence[Morpheme], sizes: Sequence[int], misc: str = "") -> int:
        """Return the word with the head morpheme, from 0.

        Args:
            morphemes: of the joined word.
            sizes: the number of morphemes of each of its words.
            misc: of the joined word; it may name the head morpheme.
        """
        told = to_number(misc_items(misc).get(HEAD_MORPHEME, "")) if HEAD_MORPHEME in misc else None
        head = told - 1 if told else self._heads.head(self._sejong_tags(morphemes))
        return _word_with(head, sizes)

    def entries(
        self,
        word: Word,
        words: Sequence[Word],
        top: int,
        space_after: bool,
        place: _Place,
    ) -> list[_Entry]:
        """Return the entries of `Tokens`.

        Args:
            word: the joined word.
            words: that it is joined of, each in a token of its own.
            top: the word, from 0, whose columns the joined word has.
            space_after: whether a space follows.
            place: HEAD and DEPREL of words, from 0, that the joined arcs do not tell.
        """
        entries: list[_Entry] = [(len(one.morphemes), {}) for one in words]
        for at, cells in place:
            entries[at][1].update(cells)
        defaults = self._columns(word, entries, top, space_after)
        # FORM and the romanisation of the head are the rest of those of the joined word.
        others = [at for at in range(len(words)) if at != top]
        if any([_tell(entries[at][1], words[at], defaults[at]) for at in others]):
            defaults = self._columns(word, entries, top, space_after)
        _tell(entries[top][1], words[top], defaults[top])
        return entries

    def _columns(
        self, word: Word, entries: Sequence[_Entry], top: int, space_after: bool
    ) -> list[_Columns]:
        """Return the columns of the words of a joined word."""
        items = misc_items("|".join(other_items(word)))
        items.pop(TOKENS, None)
        rows: list[_Columns] = []
        for (first, last), (_, told) in zip(
            pairwise(accumulate([size for size, _ in entries], initial=0)), entries, strict=True
        ):
            morphemes = word.morphemes[first:last]
            is_top = len(rows) == top
            row = {
                "FORM": "".join([m.form for m in morphemes]) or NOTHING,
                "LEMMA": "+".join([m.written for m in morphemes]) or NOTHING,
                "UPOS": word.upos if is_top else _UPOS,
                "XPOS": "+".join([m.tag for m in morphemes]),
                "FEATS": word.feats if is_top else NOTHING,
            }
            rows.append(row | told)
        head = rows[top]
        if "FORM" not in entries[top][1]:
            forms = [row["FORM"] for row in rows]
            head["FORM"] = _rest(word.form, (forms[:top], forms[top + 1 :]), "")
        romanised = [key for key in items if key in _ROMANISED]
        for at, row in enumerate(rows):
            if at != top and "MISC" not in row:
                values = {key: row[_ROMANISED[key][0]] for key in romanised}
                row["MISC"] = _misc(values, at < len(rows) - 1 or not space_after)
        if "MISC" not in head:
            each = [
                misc_items(row["MISC"]) for at, row in enumerate(rows) if romanised and at != top
            ]
            for key in romanised:
                if _ROMANISED[key][0] == "LEMMA" and word.upos in self._stems:
                    continue
                values_of = [[own.get(key) for own in part] for part in (each[:top], each[top:])]
                others = [[value for value in part if value] for part in values_of]
                items[key] = _rest(items[key], others, _ROMANISED[key][1])
            head["MISC"] = _misc(items, top < len(rows) - 1 or not space_after)
        return rows


def _tell_marks(arcs: Arcs, split: Partition, where: Sequence[int]) -> bool:
    """Return whether a division tells the arcs of all words that are no heads of their eojeols.

    Args:
        arcs: of the words.
        split: the division of the eojeols.
        where: for each eojeol, from 1, its head, from 1.
    """
    tops = chain.from_iterable(map(repeat, where[1:], split.sizes))
    words = zip(split.deprels, arcs.deprels, tops, arcs.heads, strict=True)
    return all([own == deprel and top == head for own, deprel, top, head in words if own])


def _joined_arcs(arcs: Arcs, sizes: Sequence[int], tops: Sequence[int]) -> tuple[Arcs, list[int]]:
    """Return the arcs of joined words, a tree if they were one, and the words that have these.

    Words whose arcs make a circle have those of their words nearest to the root instead.

    Args:
        arcs: of the words.
        sizes: the number of words of each eojeol.
        tops: their heads, from 0.
    """
    starts = list(accumulate(sizes, initial=0))
    joined, chosen = join_arcs(arcs, sizes, tops)
    if not is_tree(joined.heads) and is_tree(arcs.heads):
        depth = depths_of(arcs.heads)
        nearest = [min(range(*run), key=depth.__getitem__) for run in pairwise(starts)]
        while circle := next(circles(joined.heads), None):
            at = min(circle, key=lambda at: depth[nearest[at]])
            tops = [*map(sub, chosen, starts)]
            tops[at] = nearest[at] - starts[at]
            joined, chosen = join_arcs(arcs, sizes, tops)
    return joined, list(map(sub, chosen, starts))


def _clauses(
    heads: Sequence[int], joined: Arcs, governors: Sequence[int], named: Sequence[int]
) -> dict[int, str]:
    """Return the clause, outer or inner, of words whose governor now holds two with the relation.

    Args:
        heads: of the words.
        joined: the arcs of the joined words.
        governors: of these in the source, from 0.
        named: the joined words, from 0, that are asked for.
    """
    depth = depths_of(heads)
    places: dict[tuple[int, str], dict[int, int]] = {}
    for at in named:
        relation = joined.deprels[at].partition(":")[0]
        places.setdefault((joined.heads[at], relation), {})[at] = depth[governors[at]]
    return {
        at: OUTER if place == min(of_words.values()) else INNER
        for of_words in places.values()
        if len({*of_words.values()}) > 1
        for at, place in of_words.items()
    }


def _count_lost(sentence: Sentence, arcs: Arcs | None, sizes: Sequence[int]) -> int:
    """Return the number of words with columns that do not come back: DEPS, and those of ranges."""
    pairs = zip(sizes, sentence.eojeols, strict=True)
    lost = sum([size - 1 for size, eojeol in pairs if size > len(eojeol.tokens)])
    for graph, sign in ((sentence.arcs, 1), (arcs, -1)):
        if graph is not None and graph.deps:
            lost += sign * (len(graph.deps) - graph.deps.count(NOTHING))
    return lost


def _tell(columns: _Columns, word: Word, default: _Columns) -> bool:
    """Add the columns of a word that differ from the default; return whether there are any."""
    misc = word.misc or NOTHING
    if "Id" in misc or "NE" in misc:
        misc = without_items(misc, _PLACE.fullmatch)
    cells = zip(_CELLS, (*word[:5], misc), strict=True)
    columns.update(told := {name: cell for name, cell in cells if default[name] != cell})
    return bool(told)


def _word_with(morpheme: int, sizes: Sequence[int]) -> int:
    """Return the word that has a morpheme, from 0; the last one for a morpheme behind it."""
    return next((at for at, end in enumerate(accumulate(sizes)) if morpheme < end), len(sizes) - 1)


@lru_cache(maxsize=1_000)
def _split(size: int, top: int, *words: WordUpos) -> Partition:
    """Return the division of an eojeol into its head and the marks around it."""
    deprels = tuple(["" if at == top else _DEPREL for at in range(size)])
    return Partition((size,), (top,), deprels, words)


def _misc(items: dict[str, str], joined: bool) -> str:
    """Return MISC with some items; `joined` tells whether no space follows."""
    pairs = [f"{key}={value}" for key, value in items.items()]
    return "|".join([_SPACE, *pairs] if joined else pairs) or NOTHING


def _joined_items(words: Sequence[Word], top: int, stem: str) -> list[str]:
    """Return the items of MISC of a joined word.

    Args:
        words: that it is joined of.
        top: the word, from 0, whose columns it has.
        stem: its LEMMA, if that is the stem of this word; "" if it is that of all words.
    """
    items = []
    lemmas = [word.lemma for word in words]
    for item in other_items(words[top]):
        key, _, value = item.partition("=")
        column, between = _ROMANISED.get(key, ("", ""))
        if key == "MSeg" or (column == "LEMMA" and not stem and NOTHING in lemmas):
            continue
        if column == "LEMMA" and stem:
            stems, values = words[top].lemma.split("+"), value.split("+")
            item = f"{key}={dict(zip(stems, values, strict=False)).get(stem, value)}"
        elif column:
            values = [misc_items(word.misc).get(key, "") for word in words]
            item = f"{key}={between.join(filter(None, values))}"
        items.append(item)
    return items


def _told_of_trees(tokens: Sequence[Token]) -> list[str]:
    """Return what MISC of ranges tells of the tree that their arcs were made of."""
    items = chain.from_iterable([misc_items(t.misc).items() for t in tokens if len(t.words) > 1])
    return [f"{key}={value}" for key, value in items if key in TREE_KEYS]


def _rest(joined: str, others: Sequence[Sequence[str]], between: str) -> str:
    """Return what a joined value has between the values before the head and those behind it."""
    before, behind = [sum([len(value) + len(between) for value in values]) for values in others]
    return joined[before : len(joined) - behind]


def _written(entries: Sequence[_Entry]) -> str:
    """Return the item `Tokens` of MISC."""
    texts = []
    for size, columns in entries:
        cells = [f"-{name}={escape_misc(cell, every=True)}" for name, cell in columns.items()]
        texts.append(f"{size}{''.join(cells)}")
    return f"{TOKENS}={','.join(texts)}"


def _entries(misc: str) -> list[_Entry]:
    """Return the entries of `Tokens` in MISC; [] if there is none, or one that cannot be read."""
    entries = []
    for text in misc_items(misc).get(TOKENS, "").split(","):
        size, *cells = split_segments(text)
        columns = dict([cell.partition("=")[::2] for cell in cells])
        heads = columns.get("HEAD", NOTHING)
        if not to_number(size) or (heads != NOTHING and to_number(heads) is None):
            return []
        entries.append((int(size), columns))
    return entries
