"""Level 1: the words of an eojeol as one word (memoir, ch. 2).

    참여한다 · ,    참여한다,    Tokens=4,1

LEMMA, XPOS and the romanisation of a joined word are those of its words, joined (LEMMA of an
auxiliary is its stem, and `_` if that of a word is); the other columns are those of the word whose
arc it has, and FEATS also those of the particles and the copula behind it. Words that hang on
another word of it may change their relation (rules/upos-relations.tsv). `Tokens` in MISC
brings the words back (`sejongud.converters.joined_words`).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, chain, compress, count, pairwise, repeat
from operator import add, sub
from typing import TYPE_CHECKING, Any

from sejongud.converters.compiler import ORIGINAL, TokenCompiler
from sejongud.converters.joined_words import (
    LONGER,
    MARK,
    ROMANISED,
    SPACE,
    Cells,
    Place,
    Separator,
    misc_with,
    split_of,
    word_with,
    write_entries,
)
from sejongud.converters.relations import Stems, WordFeats
from sejongud.converters.word2morph import Splitter
from sejongud.errors import Note
from sejongud.formats.conllu.write import ARC, TreeTemplate
from sejongud.formats.misc import (
    HEAD_MORPHEME,
    NODE_AT,
    TREE_KEYS,
    join_segments,
    misc_items,
    other_items,
)
from sejongud.layers.arcs import (
    Moved,
    Partition,
    TreeRules,
    basic_item,
    by_token,
    circles,
    is_tree,
    join_arcs,
)
from sejongud.layers.relabelling import INNER, OUTER, Relabelling, WordUpos
from sejongud.layers.trees import depths_of
from sejongud.levels.heads import UD, HeadRule
from sejongud.memo import Memo, remembered_by
from sejongud.model import (
    LEVELS,
    NO_OCCURRENCE,
    NOTHING,
    Arcs,
    Eojeol,
    Sentence,
    Token,
    Word,
    telling,
    with_items,
)
from sejongud.morphology.eojeol import is_plain
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Rules

_SIGNS = frozenset("+%")
"""The marks that stand between morphemes, and for numbers in templates."""


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
        self._splits: Memo[Eojeol, Partition] = Memo.of(self, WholeEojeols._division)
        self._joined: Memo[tuple[Eojeol, int, Place], Eojeol] = Memo.of(
            self, lambda wholes, key: wholes._join(*key)
        )

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence with a word for each eojeol."""
        eojeols, arcs = sentence.eojeols, sentence.arcs
        splits = list(map(self._splits.__getitem__, eojeols))
        sizes = [split.sizes[0] for split in splits]
        tops = [split.heads[0] for split in splits]
        places: dict[int, Place] = {}
        notes: tuple[Note, ...] = ()
        if arcs is not None:
            notes = self._trees.root_notes(arcs)
            arcs = _with_node_places(arcs, sizes) if arcs.nodes else arcs
            joined, chosen = _joined_arcs(arcs, sizes, tops)
            if chosen != tops:
                splits = list(map(self._division, eojeols, chosen))
            arcs, untold = self._relabelled(arcs, joined, splits)
            places, tops = by_token(untold, sizes), chosen
        known = self._joined
        whole = tuple(
            [known[(*key, places.get(at, ()))] for at, key in enumerate(zip(eojeols, tops))]  # noqa: B905
        )
        if lost := _count_lost(sentence, sizes, tops):
            message = f"not written: FEATS, DEPS or MISC of {counted(lost, 'word[s]')}, {LONGER}"
            notes += (Note("W301", message),)
        if moved := _count_moved(sentence, sizes):
            message = f"not written: the place of {counted(moved, 'empty node[s]')} inside a word"
            notes += (Note("W301", message),)
        result = sentence.but(eojeols=whole, arcs=arcs)
        result.notes += notes
        return result

    # --- for the fast path ------------------------------------------------------------------------

    by_eojeol = True

    def compiler(self, reader: Any) -> EojeolCompiler:
        """Return the compiler of the eojeols that a reader reads."""
        return EojeolCompiler(reader, self._rules)

    def tree(self, eojeol: Eojeol) -> tuple[Eojeol, Partition]:
        """Return an eojeol as one word, and the division of this word."""
        split = self._division(eojeol)
        return self._join(eojeol, split.heads[0], ()), split

    def telling(self, eojeol: Eojeol, place: Place) -> Eojeol:
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
        words = eojeol.words
        upos = words[top].upos
        behind = self._sejong_tags([m for word in words[top:] for m in word.morphemes])
        return split_of(len(words), top, WordUpos.of(upos, upos, behind))

    def _top(self, eojeol: Eojeol) -> int:
        """Return the head of the words of an eojeol, from 0."""
        words = eojeol.words
        if len(words) == 1:
            return 0
        tags = self._sejong_tags([m for word in words for m in word.morphemes])
        if not all(map(self._kind, tags)):
            return self._heads_by_upos.head([word.upos for word in words])
        sizes = [len(word.morphemes) for word in words]
        top = word_with(self._heads.head(tags), sizes)
        if words[top].upos != MARK:
            return top
        # A treebank may tag a word as a mark (이소룡, NNP, PUNCT), which can govern nothing.
        return next((at for at, word in enumerate(words) if word.upos != MARK), top)

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

    def _untold(self, arcs: Arcs, joined: Arcs, split: Partition) -> dict[int, Cells]:
        """Return HEAD and DEPREL of the words, from 0, whose arcs the joined arcs do not tell."""
        back = self._plain.split_arcs(Arcs(joined.heads, joined.deprels), split).arcs
        untold: dict[int, Cells] = {}
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

    def _join(self, eojeol: Eojeol, top: int, place: Place) -> Eojeol:
        """Return an eojeol as one word with the columns of one of its words.

        Args:
            eojeol: with the words of the source.
            top: the word, from 0.
            place: HEAD and DEPREL of words, from 0, that the joined arcs do not tell.
        """
        tokens, words = eojeol.tokens, eojeol.words
        sizes = [len(word.morphemes) for word in words]
        if len(words) == 1:
            if not place:
                return eojeol
            item = write_entries([(sizes[0], dict(place[0][1]))])
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
            word = word._replace(misc=with_items(word.misc, [write_entries(entries)]))
        token = Token(word.form, (word,), misc=word.misc, was_read=False, space_after=space_after)
        return eojeol.but(tokens=(token,), occurrence=NO_OCCURRENCE)


class EojeolCompiler:
    """Makes the line of a plain word and the marks around it, without objects between.

    Any other eojeol takes the general way, with the same result.

    Args:
        reader: of CoNLL-U.
        rules: the tables.
    """

    def __init__(self, reader: Any, rules: Rules) -> None:
        # A word that level 2 leaves whole has no mark in it.
        splitter = Splitter(rules, UD, "", "form", "", LEVELS[1])
        self._word, self._stems = TokenCompiler(reader, splitter), splitter.stems
        self._symbols, self._head = rules.symbols.external, HeadRule(rules).head

    def __call__(self, columns: Any) -> tuple[TreeTemplate, Partition, int, bool] | None:
        """Return the template of an eojeol, the division and the number of its words.

        Args:
            columns: of a token, as `TokenCompiler` takes them, or those of several.

        Returns:
            Also whether a space follows; None for an eojeol that is not plain.
        """
        if isinstance(columns[0], str):
            return self._word(columns)
        texts, all_misc = zip(*columns)  # noqa: B905
        forms, lemmas, all_upos, all_xpos, all_feats = zip(*map(str.split, texts, repeat("\t")))  # noqa: B905
        last, ends = len(forms) - 1, SPACE not in all_misc[-1]
        if all_upos.count(MARK) != last or not self._stems.isdisjoint(all_upos):
            return None
        top = next(compress(count(), map(MARK.__ne__, all_upos)))
        marks = *forms[:top], "", *forms[top + 1 :]
        word, told = self._word(columns[top]), self._told[tuple(zip(all_xpos, marks)), top]  # noqa: B905
        if not word or word[0].words > 1 or not told or ORIGINAL in all_misc[top]:
            return None
        items = misc_items(all_misc[top])
        items.pop("SpaceAfter", None)
        romanised = [key for key in items if key in ROMANISED]
        for at, form in enumerate(forms):
            if at == top:
                own, is_default = items, lemmas[at] == form or "+" in all_xpos[at]
            else:
                own = dict.fromkeys(romanised, form)
                is_default = lemmas[at] == form and all_feats[at] == NOTHING
                is_default = is_default and is_plain(form) and _SIGNS.isdisjoint(form)
            if not is_default or all_misc[at] != misc_with(own, at < last or not ends):
                return None
        for key in romanised:
            values = [*forms[:top], items[key], *forms[top + 1 :]]
            items[key] = ROMANISED[key][1].join(filter(None, values))
        lemma = "+".join(lemmas)
        misc = misc_with({"MSeg": join_segments(lemma.split("+")), **items}, not ends)
        columns = "".join(forms), lemma, all_upos[top], "+".join(all_xpos), all_feats[top]
        text = "\t".join(columns)
        template = tuple.__new__(TreeTemplate, (f"%s\t{text}{ARC}{misc}|{told}\n", 1, ()))
        return template, split_of(last + 1, top, *word[1].words), last + 1, ends

    @remembered_by()
    def _told(self, rows: tuple[tuple[str, str], ...], top: int) -> str:
        """Return the items of MISC that bring a word and its marks back; "" for other words.

        Args:
            rows: XPOS and FORM of the marks; "" is that of the word.
            top: the word, from 0.
        """
        found: list[tuple[str, ...]] = []
        for at, (xpos, form) in enumerate(rows):
            tags = self._word.tags[xpos]
            sejong = tags and (tags[1] or (form and self._word.sejong_tags((form,), tags[0])))
            if not sejong or (at != top and (len(sejong) > 1 or sejong[0] not in self._symbols)):
                return ""
            found.append(sejong)
        sizes = list(map(len, found))
        tokens = write_entries([(size, {}) for size in sizes])
        if word_with(self._head([*chain.from_iterable(found)]), sizes) == top:
            return tokens
        return f"{HEAD_MORPHEME}={sum(sizes[:top]) + 1}|{tokens}"


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
        while several := list(circles(joined.heads)):
            tops = [*map(sub, chosen, starts)]
            for circle in several:
                at = min(circle, key=lambda at: depth[nearest[at]])
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


def _count_lost(sentence: Sentence, sizes: Sequence[int], tops: Sequence[int]) -> int:
    """Return the number of words with columns that do not come back: those of ranges, and DEPS.

    DEPS of the words whose columns an eojeol has come back, unless they name another of its words,
    and those that repeat HEAD and DEPREL.

    Args:
        sentence: of the words.
        sizes: the number of words of each eojeol.
        tops: the word, from 0, whose columns it has.
    """
    pairs = zip(sizes, sentence.eojeols, strict=True)
    lost = sum([size - 1 for size, eojeol in pairs if size > len(eojeol.tokens)])
    arcs = sentence.arcs
    if arcs is not None and arcs.deps:
        kept = set(map(add, accumulate(sizes, initial=0), tops))
        basic = map(basic_item, arcs.heads, arcs.deprels)
        cells = enumerate(zip(arcs.deps, basic, strict=True))
        others = [(at, {*own.split("|")} - {NOTHING, b}) for at, (own, b) in cells]
        others += [(tops[0], {*node.cells[7].split("|")} - {NOTHING}) for node in arcs.nodes]
        heads = {"0", *[str(at + 1) for at in kept]}
        for at, items in others:
            governors = {item.partition(":")[0] for item in items}
            lost += bool(items) and (at not in kept or any("." not in g for g in governors - heads))
    return lost


def _count_moved(sentence: Sentence, sizes: Sequence[int]) -> int:
    """Return the number of empty nodes inside eojeols with ranges, whose words do not come back."""
    if sentence.arcs is None or not sentence.arcs.nodes:
        return 0
    inside = {
        at
        for end, size, eojeol in zip(accumulate(sizes), sizes, sentence.eojeols, strict=True)
        for at in (range(end - size + 1, end) if size > len(eojeol.tokens) else ())
    }
    return sum([node.after in inside for node in sentence.arcs.nodes])


def _with_node_places(arcs: Arcs, sizes: Sequence[int]) -> Arcs:
    """Return arcs with empty nodes whose MISC tells their places inside eojeols.

    Args:
        arcs: of the words.
        sizes: the number of words of each eojeol.
    """
    ends = list(accumulate(sizes, initial=0))
    places = [bisect_left(ends, node.after) for node in arcs.nodes]
    inside = {at for at, node in zip(places, arcs.nodes, strict=True) if ends[at] != node.after}
    nodes = []
    for at, node in zip(places, arcs.nodes, strict=True):
        if at in inside:  # Nodes behind an eojeol with others inside it get new numbers, too.
            item = f"{NODE_AT}={node.after - ends[at - 1]}.{node.number}"
            cells = (*node.cells[:-1], with_items(node.cells[-1], [item]))
            node = node._replace(cells=cells)
        nodes.append(node)
    return arcs._replace(nodes=tuple(nodes))


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
        column, between = ROMANISED.get(key, ("", ""))
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
