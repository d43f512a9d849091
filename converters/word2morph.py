"""word2morph: dependencies between eojeols become dependencies between morphemes (memoir, §3.3).

    프랑스의 --nmod--> 디자이너      프랑스 --nmod--> 디자이너,  의 --case--> 프랑스

Every word of a UD treebank is split into its morphemes. Its head morpheme (rules/heads.tsv) has
the word's HEAD, now the head morpheme of the governor, and its DEPREL, FEATS and DEPS; the others
are attached to it (rules/deprels.tsv). What the word was and cannot be told from its morphemes
stands in MISC of the range line, so that `sejongud.converters.morph2word` has it all back.

The words are as UD Korean has them. The program that made morphUD (Chen et al. 2022) looked for the
head morpheme of a governor with the UPOS of the dependent, a mistake that is not taken over; see
`sejongud.converters.published` for what it did.
"""

from __future__ import annotations

from itertools import accumulate, chain, compress, count, repeat
from operator import add, and_
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import UsageError
from sejongud.formats.misc import escape_misc, join_segments
from sejongud.levels.heads import HeadRule, WordHeadRule
from sejongud.levels.upos import MorphemeUpos
from sejongud.memo import Memo
from sejongud.ud import NOTHING, EmptyNode, UDSentence, UDToken, UDWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Row, Rules

__all__ = [
    "SCHEMES",
    "Relations",
    "Splitter",
    "Word2Morph",
    "WordPattern",
    "WordPatterns",
    "map_deps",
    "map_node",
    "with_items",
]

SCHEMES = {"morphud": "morphud", "ud": "ud"}
"""The schemes of relations (rules/deprels.tsv), and the UPOS scheme that goes with each."""

UNSPECIFIED = "dep"
"""UD's relation for what cannot be told."""

_UD = "ud"
_REMEMBERED = 48_000


class Relation(NamedTuple):
    """How a morpheme is attached to the head morpheme."""

    deprel: str
    upos: str
    """Its UPOS under this relation; "" for that of the UPOS scheme."""


class Relations:
    """The table of relations of one scheme.

    Args:
        rules: the tables.
        scheme: of rules/deprels.tsv.

    Raises:
        UsageError: no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        self._kind = rules.kind
        self._rows = [row for row in rules.table("deprels") if row["scheme"] == scheme]
        if not self._rows:
            raise UsageError(f"there is no scheme {scheme}: {', '.join(SCHEMES)}")
        self._found: dict[tuple[str, str, str, str], Relation] = {}
        self.by_lemma = frozenset(
            [
                tag
                for row in self._rows
                if row["lemma"] != "*" and row["by"] == "tag"
                for tag in row["dependent"].split("|")
            ]
        )
        """The tags of which the lemma matters."""

    def of(self, head_upos: str, upos: str, tag: str, lemma: str) -> Relation:
        """The relation of a morpheme to the head morpheme.

        Args:
            head_upos: UPOS of the head morpheme.
            upos: of the morpheme.
            tag: of the morpheme.
            lemma: of the morpheme.
        """
        key = (head_upos, upos, tag, lemma)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(*key)
        return found

    def _look_up(self, head_upos: str, upos: str, tag: str, lemma: str) -> Relation:
        values = {"upos": upos, "kind": self._kind(tag), "tag": tag}
        for row in self._rows:
            if _fits(row, head_upos, values[row["by"]], lemma):
                return Relation(row["deprel"], row["upos"])
        return Relation(UNSPECIFIED, "")


def _fits(row: Row, head_upos: str, value: str, lemma: str) -> bool:
    return (
        (row["head"] == "*" or head_upos in row["head"].split("|"))
        and (row["dependent"] == "*" or value in row["dependent"].split("|"))
        and row["lemma"] in ("*", lemma)
    )


class _Shape(NamedTuple):
    """How a token is split, wherever it stands."""

    sizes: tuple[int, ...]
    """Of how many new words each of its source words is made."""
    heads: tuple[int, ...]
    """Which of these is the head morpheme, from 0."""
    deprels: tuple[str, ...]
    """For each new word its deprel; "" for a head morpheme, which has that of the source word."""

    @property
    def arcs(self) -> tuple[tuple[int, str], ...]:
        """For each new word: which source word it is of, and its deprel."""
        owners = chain.from_iterable(map(repeat, range(len(self.sizes)), self.sizes))
        return tuple(zip(owners, self.deprels, strict=True))


class WordPattern(NamedTuple):
    """What the tags of a word tell of its morphemes."""

    upos: tuple[str, ...]
    head: int
    shape: _Shape
    xpos: str
    """The tags joined."""
    items: tuple[str, ...]
    """What MISC must say of the word's UPOS and of the head morpheme."""


_Split = tuple[UDToken, _Shape]

_SINGLE = _Shape((1,), (0,), ("",))

_PatternKey = tuple[tuple[str, ...], str, tuple[str, ...], int]
"""Tags; UPOS of the word; lemmas, where they matter; the head morpheme, -1 if not known."""


# No memo refers to itself through the function it calls: so its memory is free as soon as a
# converter is dropped, and nobody has to search it for circles.


class WordPatterns:
    """Finds head, UPOS and relations of the morphemes of a word by their tags.

    Args:
        rules: the tables.
        scheme: of relations.
        upos: scheme of the morphemes' UPOS, "" for the one that goes with `scheme`.

    Raises:
        UsageError: no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str, upos: str) -> None:
        self._relations = Relations(rules, scheme)
        self._upos = MorphemeUpos(rules, upos or SCHEMES[scheme])
        self._heads = WordHeadRule(rules)
        self._plain_heads = HeadRule(rules)
        self._kind = rules.kind
        self._ud = scheme == _UD
        self.by_lemma = self._relations.by_lemma

    def __call__(self, key: _PatternKey) -> WordPattern:
        """The pattern of a word.

        Args:
            key: tags of its morphemes; its UPOS; their lemmas, () where no tag is in `by_lemma`;
                which is the head morpheme, -1 if the rules are to tell.
        """
        tags, word_upos, lemmas, head = key
        upos = self._upos.of(tags, word_upos)
        # As published, prefinal endings count as auxiliaries; for UD they may not.
        if head < 0:
            known = upos if self._ud else self._upos.published(tags, word_upos)
            head = self._heads.head(tags, known, word_upos)
        # Of a tag of no known tag set (UD_Korean-PUD) the UPOS of the word says more.
        if self._ud or not self._kind(tags[head]):
            upos[head] = word_upos
        head_upos = upos[head]
        relations = [
            self._relations.of(head_upos, one, tag, lemmas[at] if lemmas else "")
            for at, (one, tag) in enumerate(zip(upos, tags, strict=True))
        ]
        upos = [relation.upos or one for relation, one in zip(relations, upos, strict=True)]
        upos[head] = head_upos
        deprels = [relation.deprel for relation in relations]
        deprels[head] = ""
        shape = _Shape((len(tags),), (head,), tuple(deprels))
        items = []
        if upos[head] != word_upos:
            items.append(f"WordUPOS={word_upos}")
        if self._ud and self._plain_heads.head(tags) != head:
            # The arcs may not tell it: those of a function word leave it all.
            items.append(f"HeadMorpheme={head + 1}")
        return WordPattern(tuple(upos), head, shape, "+".join(tags), tuple(items))


class _Pieces:
    """Makes the words of morphemes, `marker` before their forms."""

    def __init__(self, lemmas: Mapping[tuple[str, str], str], marker: str) -> None:
        self._lemmas = lemmas
        self._marker = marker

    def __call__(self, key: tuple[Morpheme, str]) -> UDWord:
        """The word of a morpheme with this UPOS."""
        morpheme, upos = key
        form = morpheme.form or NOTHING
        written = morpheme.source or morpheme.form
        misc = NOTHING if written == form else f"MSeg={join_segments([written])}"
        lemma = self._lemmas.get((morpheme.form, morpheme.tag), form)
        return UDWord(self._marker + form, lemma, upos, morpheme.tag, NOTHING, misc, (morpheme,))


class Splitter:
    """Splits a token, wherever it stands."""

    def __init__(
        self,
        rules: Rules,
        scheme: str,
        upos: str,
        lemmas: Mapping[tuple[str, str], str],
        marker: str,
    ) -> None:
        patterns = WordPatterns(rules, scheme, upos)
        self._patterns: Memo[_PatternKey, WordPattern] = Memo(patterns, size=_REMEMBERED)
        self._by_lemma = patterns.by_lemma
        self._lemmas = lemmas
        self.first = _Pieces(lemmas, "")
        self.rest = _Pieces(lemmas, marker)
        self._first: Memo[tuple[Morpheme, str], UDWord] = Memo(self.first, size=_REMEMBERED)
        self._rest = Memo(self.rest, size=_REMEMBERED) if marker else self._first

    def __call__(self, token: UDToken) -> _Split:
        """A token with a word for each morpheme."""
        if len(token.words) > 1:
            return self._split_range(token)
        word = token.words[0]
        if len(word.morphemes) == 1 or " " in token.form:
            single = self._single(word, word.form)
            if single is not word:
                token = UDToken(token.form, (single,), NOTHING, single.misc, token.notes)
            return token, _SINGLE
        words, shape, items = self._morphemes(word)
        misc = with_items(word.misc, items) if items else word.misc
        return UDToken(token.form, words, NOTHING, misc, token.notes), shape

    def pattern(self, tags: tuple[str, ...], upos: str) -> WordPattern | None:
        """What the tags of a word tell of its morphemes; None if that depends on their lemmas.

        Args:
            tags: of its morphemes.
            upos: its own.
        """
        return self._patterns[tags, upos, (), -1] if self._by_lemma.isdisjoint(tags) else None

    def _split_range(self, token: UDToken) -> _Split:
        """A token that is a range already; what belongs to a source word is on its first line."""
        words: list[UDWord] = []
        shapes = []
        for word in token.words:
            if len(word.morphemes) == 1:
                words.append(word)
                shapes.append(_SINGLE)
                continue
            own, shape, items = self._morphemes(word)
            items = [*items, f"WordForm={escape_misc(word.form)}"]
            words += [own[0]._replace(misc=with_items(word.misc, items)), *own[1:]]
            shapes.append(shape)
        sizes, heads, deprels = [tuple(chain(*parts)) for parts in zip(*shapes, strict=True)]
        misc = with_items(token.misc, [f"WordSizes={','.join(map(str, sizes))}"])
        split = UDToken(token.form, tuple(words), token.feats, misc, token.notes)
        return split, _Shape(sizes, heads, deprels)

    def _single(self, word: UDWord, form: str) -> UDWord:
        """A word that is one morpheme: its lemma may have another canonical form."""
        morpheme = word.morphemes[0]
        lemma = self._lemmas.get((morpheme.form, morpheme.tag))
        if lemma is None or lemma == word.lemma or word.lemma != form or word.xpos != morpheme.tag:
            return word
        misc = with_items(word.misc, [f"WordLemma={escape_misc(word.lemma)}"])
        return word._replace(lemma=lemma, misc=misc)

    def _morphemes(self, word: UDWord) -> tuple[tuple[UDWord, ...], _Shape, Sequence[str]]:
        """The words of a word's morphemes, and what MISC must say of what they do not tell."""
        _, written, word_upos, xpos, feats, _, morphemes = word
        forms, tags, sources, *_ = zip(*morphemes, strict=True)
        lemmas: tuple[str, ...] = ()
        by_lemma = self._by_lemma
        if by_lemma and not by_lemma.isdisjoint(tags):
            lemmas = tuple(
                [
                    self._lemmas.get((m.form, m.tag), m.form) if m.tag in by_lemma else ""
                    for m in morphemes
                ]
            )
        stem = -1
        if "+" not in written and written in forms:
            # Newer releases have the stem of an auxiliary alone in LEMMA, PUD that of every word.
            stem = forms.index(written)
        upos, head, shape, joined, items = self._patterns[tags, word_upos, lemmas, stem]
        words = list(map(self._rest.__getitem__, zip(morphemes, upos, strict=True)))
        if self._rest is not self._first:
            words[0] = self._first[morphemes[0], upos[0]]
        if feats != NOTHING:
            words[head] = words[head]._replace(feats=feats)
        if joined != xpos:
            items = (*items, f"WordXPOS={escape_misc(xpos)}")
        if any(sources):
            forms = tuple([source or form for form, source in zip(forms, sources, strict=True)])
        if "+".join(forms) != written:
            items = (*items, f"WordLemma={escape_misc(written)}")
        return tuple(words), shape, items


class Word2Morph:
    """Splits the words of a sentence into their morphemes.

    Args:
        rules: the tables.
        scheme: of relations: `morphud` as published, `ud` valid by UD's own validator.
        upos: scheme of the morphemes' UPOS, "" for the one that goes with `scheme`.
        lemmas: lemma scheme.
        bound_marker: written before every morpheme but the first of a token (`+`: +morphUD).

    Raises:
        UsageError: no such scheme.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        scheme: str = "morphud",
        upos: str = "",
        lemmas: str = "normalised",
        bound_marker: str = "",
    ) -> None:
        if scheme not in SCHEMES:
            raise UsageError(f"there is no scheme {scheme}: {', '.join(SCHEMES)}")
        if lemmas not in rules.lemmas:
            raise UsageError(f"there is no lemma scheme {lemmas}: {', '.join(rules.lemmas)}")
        self._ud = scheme == _UD
        classes: dict[str, set[str]] = {}
        for row in rules.table("ud-classes"):
            classes.setdefault(row["class"], set()).add(row["name"])
        self._leaves = _Known(classes["leaf"])
        self._climbing = _Known(classes["climbing"])
        self._undivided = _Known(classes["undivided"])
        self.split = Splitter(rules, scheme, upos, rules.lemmas[lemmas], bound_marker)
        self._splits: Memo[UDToken, _Split] = Memo(self.split, size=_REMEMBERED)

    def __call__(self, sentence: UDSentence) -> UDSentence:
        """The sentence with a word for each morpheme."""
        known = self._splits
        splits = [known[token] for token in sentence.tokens]
        splits = self._undivided_kept(sentence, splits)
        shapes = zip(*[shape for _, shape in splits], strict=True)
        sizes, inside, deprels = [list(chain.from_iterable(parts)) for parts in shapes]
        # Where the head morpheme of each source word is, from 1; before the first, the root.
        where = [0, *map(add, accumulate(sizes, initial=1), inside)]
        above = self.above(sentence.heads, sentence.deprels, _divided(splits), where)
        heads = list(chain.from_iterable(map(repeat, above[1:], sizes)))
        for at, head, deprel in zip(where[1:], sentence.heads, sentence.deprels, strict=True):
            heads[at - 1] = where[head] if head > 0 else head
            deprels[at - 1] = deprel
        climbing = self.climbing(sentence.heads, sentence.deprels, where, above)
        if climbing:
            splits = _climb(splits, where, above, climbing, heads)
        deps: tuple[str, ...] = ()
        nodes = sentence.empty_nodes
        if sentence.deps or nodes:
            ends = [0, *accumulate(sizes)]
            nodes = tuple([map_node(node, where, ends) for node in nodes])
            if sentence.deps:
                deps = _map_graph(sentence.deps, where, ends, heads, deprels)
        return UDSentence(
            sentence.header,
            tuple([token for token, _ in splits]),
            tuple(heads),
            tuple(deprels),
            deps,
            nodes,
            sentence.line,
        )

    def above(
        self,
        heads: Sequence[int],
        deprels: Sequence[str],
        divided: Sequence[bool],
        where: Sequence[int],
    ) -> Sequence[int]:
        """What the morphemes of each word are attached to, from 1; before the first, the root.

        That is its head morpheme or, where that must have no dependents, the nearest governor above
        that may.

        Args:
            heads: for each word.
            deprels: for each word.
            divided: for each word, whether its token has more morphemes than words.
            where: the head morpheme of each word, from 1; before the first, the root.
        """
        if not self._ud:
            return where
        is_leaf = [False, *map(self._leaves.__getitem__, deprels)]
        above = list(where)
        for at in compress(count(1), map(and_, is_leaf[1:], divided)):
            up = _first_inner(heads, is_leaf, at)
            above[at] = where[up or at]
        return above

    def climbing(
        self,
        heads: Sequence[int],
        deprels: Sequence[str],
        where: Sequence[int],
        above: Sequence[int],
    ) -> dict[int, int]:
        """The punctuation that is attached to what the other morphemes of its head are attached to.

        Args:
            heads: for each word.
            deprels: for each word.
            where: the head morpheme of each word.
            above: what the other morphemes of each word are attached to.

        Returns:
            For each such word, from 1, its head.
        """
        if above == where:
            return {}
        climbs = self._climbing
        return {
            at: head
            for at, (head, deprel) in enumerate(zip(heads, deprels, strict=True), 1)
            if head > 0 and climbs[deprel] and above[head] != where[head]
        }

    def undivided(self, deprels: Sequence[str]) -> list[int]:
        """The words, from 1, that are not to be split, and their heads neither."""
        if not self._ud:
            return []
        return list(compress(count(1), map(self._undivided.__getitem__, deprels)))

    def _undivided_kept(self, sentence: UDSentence, splits: list[_Split]) -> list[_Split]:
        """The splits, but for tokens that UD wants whole: those that are, or have, a `goeswith`."""
        marked = self.undivided(sentence.deprels)
        if not marked:
            return splits
        keep = {*marked, *[sentence.heads[at - 1] for at in marked]}
        kept = []
        word = 0
        for token, split in zip(sentence.tokens, splits, strict=True):
            words = range(word + 1, word + 1 + len(token.words))
            kept.append(split if keep.isdisjoint(words) else _keep(token))
            word += len(token.words)
        return kept


def _first_inner(heads: Sequence[int], is_leaf: Sequence[bool], word: int) -> int:
    """The nearest word above a word, from 1, that is no leaf; 0 if there is none.

    >>> _first_inner([2, 3, 0], [False, True, True, False], 1)
    3
    >>> _first_inner([2, 1], [False, True, True], 1)
    0
    """
    up = word
    for _ in heads:
        up = heads[up - 1]
        if up <= 0:
            return 0
        if not is_leaf[up]:
            return up
    return 0  # They go round in a circle: what is kept with its errors need not be a tree.


def _divided(splits: Iterable[_Split]) -> list[bool]:
    """For each source word whether its token has more new words than source words."""
    shapes = [(len(shape.sizes), len(shape.deprels)) for _, shape in splits]
    return [new > old for old, new in shapes for _ in range(old)]


def _climb(
    splits: Iterable[_Split],
    where: Sequence[int],
    above: Sequence[int],
    climbing: Mapping[int, int],
    heads: list[int],
) -> list[_Split]:
    """Attach punctuation of a word to what the word's other morphemes are attached to.

    Args:
        splits: the tokens.
        where: the head morpheme of each source word, from 1.
        above: what its other morphemes are attached to.
        climbing: the punctuation, and its head.
        heads: for each new word; changed.

    Returns:
        The splits; `WordHead` says what the head was.
    """
    told = []
    word = 0
    for token, shape in splits:
        words = len(shape.heads)
        for at in range(words):
            if head := climbing.get(word + at + 1):
                heads[where[word + at + 1] - 1] = above[head]
                token = _telling(token, f"WordHead={_of_word(at, words)}{head}")
        told.append((token, shape))
        word += words
    return told


def _keep(token: UDToken) -> _Split:
    """A token that is not split."""
    count = len(token.words)
    if count > 1:
        items = [f"WordSizes={','.join('1' * count)}"]
        token = UDToken(
            token.form, token.words, token.feats, with_items(token.misc, items), token.notes
        )
    return token, _Shape((1,) * count, (0,) * count, ("",) * count)


class _Known(dict[str, bool]):
    """Whether a relation, without its subtype, is one of some; filled as relations come."""

    def __init__(self, relations: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(relations, True))
        self._relations = frozenset(relations)

    def __missing__(self, deprel: str) -> bool:
        known = deprel.partition(":")[0] in self._relations
        self[deprel] = known
        return known


def with_items(misc: str, items: Sequence[str]) -> str:
    """MISC with more items at its end.

    >>> with_items("_", ["a=1"]), with_items("SpaceAfter=No", ["a=1"])
    ('a=1', 'SpaceAfter=No|a=1')
    """
    return "|".join([*([] if misc == NOTHING else [misc]), *items])


def _telling(token: UDToken, item: str) -> UDToken:
    """A token with one more item in its MISC."""
    misc = with_items(token.misc, [item])
    words = token.words
    if len(words) == 1:
        words = (words[0]._replace(misc=misc),)
    return UDToken(token.form, words, token.feats, misc, token.notes)


def _of_word(at: int, count: int) -> str:
    """Which word of its token, from 0, an item speaks of, if there are several."""
    return f"{at + 1}:" if count > 1 else ""


def _map_graph(
    deps: Sequence[str],
    where: Sequence[int],
    ends: Sequence[int],
    heads: Sequence[int],
    deprels: Sequence[str],
) -> tuple[str, ...]:
    """An enhanced graph: every arc between words is one between their head morphemes.

    Args:
        deps: of the source words.
        where: for each source word, from 1, its head morpheme.
        ends: the same for its last one.
        heads: of the morphemes.
        deprels: of the morphemes.
    """
    mapped: list[str] = []
    for word, cell in enumerate(deps, 1):
        if cell == NOTHING:
            mapped += [NOTHING] * (ends[word] - ends[word - 1])
            continue
        arcs = zip(heads[ends[word - 1] : ends[word]], deprels[ends[word - 1] :], strict=False)
        mapped += [f"{head}:{deprel}" for head, deprel in arcs]
        mapped[where[word] - 1] = map_deps(cell, where, ends)
    return tuple(mapped)


def map_deps(deps: str, where: Sequence[int], ends: Sequence[int]) -> str:
    """DEPS with every number replaced.

    Args:
        deps: `4:nsubj|5.1:obj`, or `_`.
        where: for each number its new one.
        ends: the same for the words that empty nodes stand behind.

    >>> map_deps("2:nsubj|2.1:obj", [0, 1, 3], [0, 2, 4])
    '3:nsubj|4.1:obj'
    """
    if deps == NOTHING:
        return deps
    items = []
    for item in deps.split("|"):
        number, _, relation = item.partition(":")
        word, dot, place = number.partition(".")
        known = ends if dot else where
        items.append(f"{known[int(word)]}{dot}{place}:{relation}")
    return "|".join(items)


def map_node(node: EmptyNode, where: Sequence[int], ends: Sequence[int]) -> EmptyNode:
    """An empty node at its new place."""
    cells = (*node.cells[:7], map_deps(node.cells[7], where, ends), *node.cells[8:])
    return EmptyNode(ends[node.after], node.number, cells)
