"""Structural search: a small query language over the words of sentences.

    grammar     text of a query → its tree
    Words       a sentence → the words that a query tests;  Query: the words that match
    frequencies words → tables of frequencies, key items and collocates

The page of `sejongud report` has the same language (`report/query.js`); one table of cases tests
both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from sejongud.converters.recut import recut_of
from sejongud.errors import UsageError, similar
from sejongud.formats.around import META
from sejongud.formats.conllu.layers import target_units
from sejongud.formats.misc import WordView, word_span, word_views
from sejongud.layers.labels import entity_layers, find_entities, flat_labels
from sejongud.memo import Memo, remembered
from sejongud.model import MORPHEMES, NOTHING, Sentence, Span
from sejongud.query.grammar import LAYERS, And, Node, Not, Or, Test, Value, parse, tests_of
from sejongud.rules.bounded import BoundedPattern, atomic
from sejongud.rules.tables import UPOS
from sejongud.terminal import clean, clip, clip_left, pad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.rules import Rules


__all__ = ["Query", "parse"]
"""The parser, and a query that finds words."""


# --- words ----------------------------------------------------------------------------------------


NEW_DOCUMENT = "newdoc"
"""The beginning of the comment that begins a document."""


@dataclass
class Words:
    """The words of a sentence, as a query sees them.

    Args:
        sentence: the sentence in the cut that is tested.
        views: its words.
    """

    sentence: Sentence
    views: list[WordView]

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.views)

    def values(self, place: int, key: str) -> tuple[str, ...]:
        """Return the values of a word for a key; () if it has none.

        Args:
            place: the word, from 0.
            key: one of `sejongud.query.grammar.KEYS`.
        """
        word = self.views[place]
        match key:
            case "form" | "lemma" | "upos" | "feats" | "deprel":
                value: str = getattr(word, key)
            case "tag":
                value = word.xpos
            case _ if key in LAYERS:
                return self._labels[key][place]
            case "eojeol":
                value = self.sentence.eojeols[word.eojeol].form
            case "construction":
                morphemes = self.sentence.eojeols[word.eojeol].morphemes
                value = "+".join([morpheme.tag for morpheme in morphemes])
            case "text":
                value = self.sentence.text
            case _:
                value = self.sentence.sent_id
        return () if value in ("", NOTHING) else (value,)

    @remembered(len(LAYERS))
    def _labels(self, layer: str) -> list[tuple[str, ...]]:
        """Return the labels of a layer that each word stands in, the outermost first."""
        around: defaultdict[int, dict[str, None]] = defaultdict(dict)
        for label, begin, end in _spans(self.sentence, layer):
            for place in range(begin, end):
                around[place][label] = None
        return [tuple(around.get(place, ())) for place in self._places]

    @cached_property
    def _places(self) -> list[int]:
        """The first morpheme of each word, from 0 in the sentence; -1 if it has none."""
        sizes = [len(eojeol.morphemes) for eojeol in self.sentence.eojeols]
        starts = list(accumulate(sizes, initial=0))
        return [
            starts[word.eojeol] + word.first if word.first < word.last else -1
            for word in self.views
        ]

    def reach(self, place: int, steps: Iterable[str]) -> list[int]:
        """Return the words to which some steps lead from a word; see `step`."""
        places = [place]
        for step in steps:
            places = self.step(places, step)
        return places

    def step(self, places: list[int], step: str) -> list[int]:
        """Return the words to which a step leads from some words, each once.

        Args:
            places: words, from 0.
            step: one of `sejongud.query.grammar.STEPS`.
        """
        if step == "child":
            reached = [child for place in places for child in self.children[place]]
        elif step == "head":
            reached = [self.views[place].head - 1 for place in places]
        else:
            by = 1 if step == "next" else -1
            reached = [place + by for place in places]
        return list(dict.fromkeys([place for place in reached if 0 <= place < len(self.views)]))

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of each word."""
        children: list[list[int]] = [[] for _ in self.views]
        for i, word in enumerate(self.views):
            if 0 < word.head <= len(self.views):
                children[word.head - 1].append(i)
        return children

    @cached_property
    def _starts(self) -> list[int]:
        """The first character of each eojeol in the text."""
        sizes = [len(eojeol.form) + 1 for eojeol in self.sentence.eojeols]
        return list(accumulate(sizes, initial=0))

    def span(self, place: int) -> Span:
        """Return the characters of a word in the text; those of its eojeol if it has no surface."""
        word = self.views[place]
        eojeol = self.sentence.eojeols[word.eojeol]
        begin, end = word_span(eojeol, word)
        if begin == end:
            begin, end = 0, len(eojeol.form)
        start = self._starts[word.eojeol]
        return start + begin, start + end


def _spans(sentence: Sentence, layer: str) -> Iterator[tuple[str, int, int]]:
    """Yield the labels of a layer, each with its first morpheme and the place behind its last."""
    eojeols = sentence.eojeols
    if layer == "entity":
        for entity in chain.from_iterable(entity_layers(sentence)):
            yield entity.type, entity.begin, entity.end
    elif layer == "constituent":
        for label, start, end, _ in sentence.constituents:
            yield label, start, end
    elif layer == "fe":
        for instance in sentence.frames:
            for entity in find_entities(flat_labels(eojeols, instance.labels)):
                yield entity.type, entity.begin, entity.end
    else:
        for instance in sentence.frames:
            for place, target in enumerate(target_units(eojeols, instance)):
                if target is not None:
                    yield target[layer == "frame"], place, place + 1


def document_of(sentence: Sentence, before: tuple[str, ...]) -> tuple[str, ...]:
    """Return the comments of the document that a sentence stands in.

    Args:
        sentence: the sentence, whose own comments may begin a document.
        before: the comments of the document of the sentence before it.

    >>> from sejongud.model import Sentence
    >>> document_of(Sentence((), "1", comments=("newdoc", "meta::title = 봄", "x")), ("newdoc",))
    ('newdoc', 'meta::title = 봄')
    """
    comments = tuple([line for line in sentence.comments if line.startswith((NEW_DOCUMENT, META))])
    return comments or before


def in_documents(
    corpus: Iterable[tuple[str, Sentence]], pattern: BoundedPattern | None
) -> Iterator[tuple[str, Sentence]]:
    """Yield the sentences of the documents of which a comment matches.

    Args:
        corpus: the sentences, each with the name of its file.
        pattern: None for all documents.
    """
    comments: tuple[str, ...] = ()
    file = None
    for path, sentence in corpus:
        comments = document_of(sentence, comments if path == file else ())
        file = path
        if pattern is None or any(map(pattern.search, comments)):
            yield path, sentence


def document_pattern(text: str | None) -> BoundedPattern | None:
    """Return the pattern for the comments of documents.

    Raises:
        UsageError: the text is no regular expression.
    """
    try:
        return None if text is None else BoundedPattern(text, (text,), "--doc")
    except ValueError as error:
        raise UsageError(f"{text} is no regular expression: {error}") from None


def words_at(
    level: int | None, upos: str | None, lemmas: str | None, rules: Rules
) -> Callable[[Sentence], Words]:
    """Return the function that cuts sentences into the words of a level.

    Args:
        level: 1 to 5; None for the own words of a treebank, and else 5.
        upos: the UPOS scheme.
        lemmas: the lemma scheme.
        rules: the tables.

    Raises:
        UsageError: there is no such level or scheme.
    """
    recut = recut_of(MORPHEMES if level is None else level, upos, lemmas, rules)
    as_is = level is None and not (upos or lemmas)

    def cut(sentence: Sentence) -> Words:
        # The eojeols of KLUE-DP and of Korean FrameNet 0.8 have arcs, but neither lemma nor tag.
        own = as_is and sentence.is_treebank and all([word.upos for word in sentence.words])
        words = sentence if own else recut(sentence)
        return Words(words, list(word_views(words)))

    return cut


class Query:
    """Finds the words of sentences that a query describes.

    Args:
        text: the query, see `sejongud.query.grammar`.

    Raises:
        UsageError: the query is wrong.
    """

    def __init__(self, text: str) -> None:
        self._node = parse(text)
        self._holds = _compiled(self._node)

    def find(self, words: Words) -> list[int]:
        """Return the numbers of the words that match, from 0.

        Raises:
            UsageError: a regular expression takes too long.
        """
        holds = self._holds
        return [i for i in range(len(words)) if holds(words, i)]

    def unknown(self, rules: Rules) -> Iterator[str]:
        """Yield a message for each tag of the query that is in no tag set.

        Args:
            rules: the tables, which have the tag sets.
        """
        sets = {"tag": rules.kinds, "construction": rules.kinds, "upos": UPOS}
        for (_, key), value in tests_of(self._node):
            known = sets.get(key, ())
            for name in value.text.split("+") if known and value.kind != "regex" else ():
                if "*" not in name and name not in known:
                    hint = similar(name.upper(), known) or "; `sejongud rules show tagset` has them"
                    yield f"{key}={value.text}: there is no tag {name}{hint}"


def _compiled(node: Node) -> Callable[[Words, int], bool]:
    """Return the function that tests a word."""
    match node:
        case Test():
            return _test(node)
        case Not():
            inner = _compiled(node.node)
            return lambda words, i: not inner(words, i)
        case And():
            every = [_compiled(part) for part in node.nodes]
            return lambda words, i: all([holds(words, i) for holds in every])
        case Or():
            some = [_compiled(part) for part in node.nodes]
            return lambda words, i: any([holds(words, i) for holds in some])


def _test(test: Test) -> Callable[[Words, int], bool]:
    """Return the function that compares the values at the end of a path."""
    steps, key = test.path
    in_parts = key in ("tag", "lemma", "construction")
    matches = Memo(_comparison(test.value, in_parts=in_parts), size=20_000)

    def holds(words: Words, place: int) -> bool:
        places = words.reach(place, steps)
        return any([matches[value] for place in places for value in words.values(place, key)])

    return holds


def _comparison(value: Value, *, in_parts: bool) -> Callable[[str], bool]:
    """Return the function that compares a text with a value."""
    if value.kind == "regex":
        flag = "(?i)" if value.ignores_case else ""
        bounded = BoundedPattern(flag + value.text, (f"/{value.text}/",), "the query")
        return lambda text: bounded.search(normalize("NFC", text)) is not None
    literal = re.split(r"\*+", value.text) if value.kind == "pattern" else [value.text]
    first, *between = map(re.escape, literal)
    # The first place of each part is good enough for the others, so no other place is tried.
    parts_of = [atomic(f".*?{part}", f"part{i}") for i, part in enumerate(between[:-1])]
    last = [f".*{part}" for part in between[-1:]]
    pattern = re.compile("".join([first, *parts_of, *last]), re.DOTALL)
    size = value.text.count("+") + 1

    def matches(text: str) -> bool:
        text = normalize("NFC", text)
        if pattern.fullmatch(text):
            return True
        parts = text.split("+") if in_parts else []
        runs = ["+".join(parts[i : i + size]) for i in range(len(parts) - size + 1)]
        return any([pattern.fullmatch(run) for run in runs])

    return matches


COLUMNS = (
    *("sent_id", "word", "left", "match", "right"),
    *("form", "lemma", "upos", "tag", "deprel", "head", "entity"),
)
"""The columns of a concordance."""

_COLUMN_KEYS = ("form", "lemma", "upos", "tag", "deprel")
_ID = 24
"""The cells that a line keeps for the id of its sentence."""
_CONTEXT = 2_000
"""The most characters on each side of a word in a row; a long sentence has a row for each word."""
_SORTED = 10
"""The words beside a word by which lines are sorted."""
_JOINT = "|"
"""Stands between several values of a word, as of nested entities."""


def context_key(words: Words, place: int, side: str) -> list[str]:
    """Return the forms of the words beside a word, the nearest first, for sorting.

    Args:
        words: the words of a sentence.
        place: the word, from 0.
        side: "left" or "right".
    """
    left, right = words.views[max(place - _SORTED, 0) : place], words.views[place + 1 :][:_SORTED]
    return [word.form for word in (left[::-1] if side == "left" else right)]


def concordance_line(words: Words, place: int, width: int) -> str:
    """Return a word in its context, the words of all lines below one another.

    Args:
        words: the words of a sentence.
        place: the word, from 0.
        width: the cells of a line; 0 for lines as long as their sentences.

    Returns:
        A line of text that cannot control the terminal, with its end.
    """
    left, match, right = _context(words, place)
    if width:
        # Of a book in one eojeol every line would be a book.
        most = _CONTEXT + width
        left, match, right = left[-most:], match[:most], right[:most]
    left, match, right = map(clean, (left, match, right))
    sent_id = clean(words.sentence.sent_id)
    if not width:
        return f"{left}[{match}]{right}  {sent_id}".rstrip() + "\n"
    side = max((width - _ID) // 2, 8)
    before = pad(clip_left(left, side), side, "r")
    behind = clip(f"[{match}]{right}", side)
    return f"{before}{pad(behind, side)}  {sent_id}".rstrip() + "\n"


def _context(words: Words, place: int) -> tuple[str, str, str]:
    """Return the text before a word, the word, and the text behind it."""
    text = words.sentence.text
    begin, end = words.span(place)
    return text[:begin], text[begin:end], text[end:]


def concordance_row(words: Words, place: int) -> list[Any]:
    """Return a word in its context as a row, see `COLUMNS`; `_` stands for nothing.

    The context has at most 2,000 characters on each side.

    Args:
        words: the words of a sentence.
        place: the word, from 0.
    """
    heads = words.step([place], "head")
    left, match, right = _context(words, place)
    context = (left[-_CONTEXT:], match, right[:_CONTEXT])
    cells: list[Any] = [words.sentence.sent_id, words.views[place].number, *context]
    cells += [cell(words, [place], key) for key in _COLUMN_KEYS]
    return [*cells, cell(words, heads, "form"), cell(words, [place], "entity")]


def cell(words: Words, places: Sequence[int], key: str) -> str:
    """Return the values of some words for a key; `_` if there are none."""
    values = [value for place in places for value in words.values(place, key)]
    return _JOINT.join(values) or NOTHING
