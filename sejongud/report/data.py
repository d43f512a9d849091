"""The sentences of a corpus as the page wants them: compact, in chunks that can be read one by one.

A chunk is a JSON object, deflated and in base64. Words and eojeols repeat themselves; a chunk has
each of them once, and its sentences name them by number:

    words       [form, lemma, UPOS, XPOS, morphemes]
    eojeols     [form, level 1, …, level 5]; a level is a list of tokens, or 0 if it is as the one
                before; a token is a word, or [form, word, word …] if it has several
    treeWords   [form, lemma, UPOS, XPOS, FEATS, MISC] of a treebank's own words
    incidents   [code, message], which repeat themselves as well
    sentences   [id, file, line, [eojeol …], {what else there is}]

What else: `tree` (see `_tree`), `entities` [layer, type, first morpheme, last, first character,
last], `comments`, `source` (the text as the source has it), `incidents` [incident, line, token,
eojeol].
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.layers.labels import OUTSIDE, find_entities, to_text
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.errors import Incident
    from sejongud.layers.labels import Entity
    from sejongud.model import Eojeol, Sentence, Token, WordColumns
    from sejongud.report.inputs import Placed
    from sejongud.rules import Rules

__all__ = ["Chunk", "SentenceData", "entity_layers", "pack", "tree_words"]

_CHUNK = 1_000
"""Sentences of a chunk: the first must be there before anything is seen."""

_NOTHING = "_"
_USUAL = (5, 2, 4, 3, 1)
"""The levels, those first that the words of a treebank are likely of."""


class Chunk(NamedTuple):
    """Some sentences, packed."""

    sentences: int
    text: str


class TreeWord(NamedTuple):
    """A word of a treebank."""

    form: str
    columns: WordColumns


def pack(value: object) -> str:
    """A value as JSON, deflated and in base64, which needs no escaping anywhere in a page.

    >>> pack([])
    'i44FAA=='
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # What is no text (half of a surrogate pair) stays as JSON escapes it.
    data = text.encode("utf-8", "backslashreplace")
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeezer.compress(data) + squeezer.flush()).decode("ascii")


def entity_layers(sentence: Sentence) -> list[list[Entity]]:
    """The entities of a sentence over its morphemes, layer by layer."""
    return [
        find_entities(
            [
                label
                for eojeol, own in zip(sentence.eojeols, layer, strict=True)
                for label in own or (OUTSIDE,) * len(eojeol.morphemes)
            ]
        )
        for layer in sentence.entities
    ]


class SentenceData:
    """Collects sentences in chunks.

    Args:
        rules: the tables.
        upos: the UPOS scheme of the levels.
        lemmas: their lemma scheme.

    Raises:
        UsageError: no such scheme.
    """

    def __init__(self, rules: Rules, *, upos: str = "sejong", lemmas: str = "normalised") -> None:
        self.chunks: list[Chunk] = []
        self.sentences = 0
        self._levels = [Granularity(rules, k, upos=upos, lemmas=lemmas) for k in LEVELS]
        self._tree_level = _USUAL[0]
        self._begin()

    def _begin(self) -> None:
        self._words: dict[tuple[str, str, str, str, int], int] = {}
        self._eojeols: dict[Eojeol, int] = {}
        self._eojeol_rows: list[list[Any]] = []
        self._tokens: list[tuple[tuple[Token, ...], ...]] = []
        self._tree_words: dict[tuple[str, ...], int] = {}
        self._incidents: dict[tuple[str, str], int] = {}
        self._rows: list[list[Any]] = []

    def add(self, placed: Placed, file: int, incidents: Sequence[Incident]) -> None:
        """Add a sentence.

        Args:
            placed: the sentence and its place.
            file: the number of its file.
            incidents: what there is to say of it.
        """
        sentence = placed.sentence
        eojeols = [self._eojeol(eojeol) for eojeol in sentence.eojeols]
        more: dict[str, Any] = {}
        if sentence.columns:
            more["tree"] = self._tree(sentence, eojeols)
        if sentence.entities:
            more["entities"] = _entities(sentence)
        if sentence.comments:
            more["comments"] = list(sentence.comments)
        if sentence.text_orig:
            more["source"] = sentence.text_orig
        if incidents:
            more["incidents"] = [
                [
                    self._incidents.setdefault((i.code, i.message), len(self._incidents)),
                    i.line,
                    i.token,
                    placed.eojeol_of(i),
                ]
                for i in incidents
            ]
        row = [sentence.sent_id, file, placed.line, eojeols]
        self._rows.append([*row, more] if more else row)
        self.sentences += 1
        if len(self._rows) == _CHUNK:
            self.finish()

    def finish(self) -> None:
        """Close the chunk that is being filled."""
        if self._rows:
            value = {
                "words": list(self._words),
                "eojeols": self._eojeol_rows,
                "treeWords": list(self._tree_words),
                "incidents": list(self._incidents),
                "sentences": self._rows,
            }
            self.chunks.append(Chunk(len(self._rows), pack(value)))
            self._begin()

    def _eojeol(self, eojeol: Eojeol) -> int:
        """The number of an eojeol."""
        number = self._eojeols.get(eojeol)
        if number is None:
            number = self._eojeols[eojeol] = len(self._eojeols)
            levels = tuple([granularity.tokens(eojeol) for granularity in self._levels])
            row: list[Any] = [eojeol.form]
            before: tuple[Token, ...] = ()
            for tokens in levels:
                row.append(0 if tokens == before else [self._token(token) for token in tokens])
                before = tokens
            self._eojeol_rows.append(row)
            self._tokens.append(levels)
        return number

    def _token(self, token: Token) -> int | list[Any]:
        words = [
            self._words.setdefault(
                (word.form, word.lemma, word.upos, word.xpos, len(word.morphemes)),
                len(self._words),
            )
            for word in token.words
        ]
        return words[0] if len(words) == 1 else [token.form, *words]

    def _tree(self, sentence: Sentence, eojeols: list[int]) -> dict[str, Any]:
        """The treebank's words: which, over how many morphemes, below which, by what relation.

        `level` is there if they are the words of a level, `deps` if there is an enhanced graph.
        """
        levels = [self._tokens[number] for number in eojeols]
        words, self._tree_level = tree_words(sentence, levels, self._tree_level or _USUAL[0])
        tree: dict[str, Any] = {
            "words": [
                self._tree_words.setdefault(
                    (form, c.lemma, c.upos, c.xpos, c.feats, "|".join(c.misc)),
                    len(self._tree_words),
                )
                for form, c in words
            ],
            "sizes": [c.last - c.first for _, c in words],
            "heads": [c.head for _, c in words],
            "deprels": [c.deprel for _, c in words],
        }
        if self._tree_level:
            tree["level"] = self._tree_level
        if any([c.deps != _NOTHING for _, c in words]):
            tree["deps"] = [c.deps for _, c in words]
        return tree


def tree_words(
    sentence: Sentence, levels: Sequence[tuple[tuple[Token, ...], ...]], likely: int = 5
) -> tuple[list[TreeWord], int]:
    """The words that a treebank has, with their forms.

    Args:
        sentence: with `columns`.
        levels: of each eojeol its tokens at the five levels.
        likely: the level that is tried first.

    Returns:
        The words, and the level that they are the words of; 0 if it is none.
    """
    columns = sentence.columns
    cut: list[list[tuple[int, int]]] = [[] for _ in sentence.eojeols]
    for c in columns:
        cut[c.eojeol].append((c.first, c.last))
    # Many a sentence is cut alike at several levels; morphemes and words are what treebanks have.
    for level in (likely, *[k for k in _USUAL if k != likely]):
        if all([_cut(tokens[level - 1]) == own for tokens, own in zip(levels, cut, strict=True)]):
            forms = [
                word.form
                for tokens in levels
                for token in tokens[level - 1]
                for word in token.words
            ]
            return [TreeWord(*pair) for pair in zip(forms, columns, strict=True)], level
    return [TreeWord(_form(sentence.eojeols[c.eojeol], c), c) for c in columns], 0


def _cut(tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
    """What morphemes the words of an eojeol have."""
    ends = list(accumulate([len(word.morphemes) for token in tokens for word in token.words]))
    return list(zip([0, *ends], ends, strict=False))


def _form(eojeol: Eojeol, c: WordColumns) -> str:
    """The form of a word that is none of a level: its part of the surface, if it has one."""
    spans, first, last = eojeol.spans, c.first, c.last
    if first == last:
        return _NOTHING
    begin, end = spans[first][0], spans[last - 1][1]
    left = first == 0 or spans[first - 1][1] <= begin
    right = last == len(spans) or spans[last][0] >= end
    joined = "".join([m.form for m in eojeol.morphemes[first:last]])
    return (eojeol.form[begin:end] if left and right else joined) or _NOTHING


def _entities(sentence: Sentence) -> list[list[Any]]:
    """The entities: layer, type, and what they cover of the morphemes and of the text."""
    spans = []
    offset = 0
    for eojeol in sentence.eojeols:
        spans += [(offset + begin, offset + end) for begin, end in eojeol.spans]
        offset += len(eojeol.form) + 1
    text = sentence.text
    # A page counts characters beyond the first 65,536 as two.
    wide = not text.isascii() and max(text) > "\uffff"
    found = []
    for layer, entities in enumerate(entity_layers(sentence)):
        for entity, covered in zip(entities, to_text(entities, spans), strict=True):
            begin, end = covered.begin, covered.end
            if wide:
                begin, end = [_utf16(text[:at]) for at in (begin, end)]
            found.append([layer, entity.type, entity.begin, entity.end, begin, end])
    return found


def _utf16(text: str) -> int:
    return len(text) + sum([char > "\uffff" for char in text])


class Counts:
    """What `sejongud.statistics` does not count: entities and relations.

    Entities are counted by type, those inside another one apart.
    """

    def __init__(self) -> None:
        self.entities: Counter[str] = Counter()
        self.nested: Counter[str] = Counter()
        self.deprels: Counter[str] = Counter()

    def add(self, sentence: Sentence) -> None:
        """Count those of a sentence."""
        for layer, entities in enumerate(entity_layers(sentence)):
            (self.nested if layer else self.entities).update([entity.type for entity in entities])
        self.deprels.update([c.deprel for c in sentence.columns if c.head >= 0])
