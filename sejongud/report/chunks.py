"""The sentences of a page, packed in chunks that its script unpacks one by one.

A chunk is a JSON object, deflated and in base64. It holds each word, eojeol and message once, and
its sentences refer to them by number:

    words       [form, lemma, UPOS, XPOS, number of morphemes]
    eojeols     [form, level 1, …, level 5]; a level is a list of tokens, or 0 if it equals the
                level before; a token is a word, or [form, word, word …] if it has several
    treeWords   [form, lemma, UPOS, XPOS, FEATS, MISC] of the treebank's own words
    incidents   [code, message]
    documents   the comments of each document that tells its metadata, if there is any
    sentences   [id, file, line, [eojeol …], {layers}]

The layers of a sentence, if it has any: `tree` (see `_tree`), `entities` [layer, type, first
morpheme, end, first character, end], `frames` (of each instance its boxes [name, lexical unit,
first morpheme, end, row]), `constituents` [label, first morpheme, end, depth], `comments`,
`document` (its number, from 1), `source` (the text of the source), `lines` (those of a file of
CoNLL-U), `incidents` [incident, line, token, eojeol]; where gold stands beside a system, `system`
(the row of its sentence) and `marks` (see `Beside`).
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.layers.labels import entity_layers, to_text
from sejongud.layers.places import morpheme_spans
from sejongud.model import NOTHING
from sejongud.report.views import (
    frame_boxes,
    tree_nodes,
    tree_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.errors import Incident
    from sejongud.model import Eojeol, Sentence, Token
    from sejongud.report.reading import Placed
    from sejongud.report.views import Levels

_BARE = 4
"""The items of a row without layers."""

_CHUNK = 1_000
"""The sentences of a chunk; the page shows nothing before it has the first chunk."""


class Chunk(NamedTuple):
    """Packed sentences."""

    sentences: int
    text: str


def pack(value: object) -> str:
    """Return a value as deflated JSON in base64, which needs no escaping anywhere in a page.

    >>> pack([])
    'i44FAA=='
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair becomes its JSON escape.
    data = text.encode("utf-8", "backslashreplace")
    squeezer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeezer.compress(data) + squeezer.flush()).decode("ascii")


def _numbers() -> defaultdict[Any, int]:
    """Return a table that numbers keys from 0 in the order of their first use."""
    return defaultdict(count().__next__)


class Beside(NamedTuple):
    """A side of two sentences that stand beside one another."""

    placed: Placed
    levels: list[Levels]
    marks: dict[str, dict[int, str]]
    """`words`, `entities` or `constituents` → the number of each that differs → its difference."""


class SentenceData:
    """Collects sentences in chunks."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.sentences = 0
        self.types: set[str] = set()
        """The types of all entities."""
        self._tree_level = 0
        self._begin()

    def _begin(self) -> None:
        self._words = _numbers()
        self._tree_words = _numbers()
        self._incidents = _numbers()
        self._documents = _numbers()
        self._eojeols: dict[tuple[Eojeol, Levels], int] = {}
        self._eojeol_rows: list[list[Any]] = []
        self._rows: list[list[Any]] = []

    def add(
        self,
        placed: Placed,
        levels: list[Levels],
        file: int,
        incidents: Sequence[Incident],
        document: tuple[str, ...] = (),
    ) -> None:
        """Add a sentence.

        Args:
            placed: the sentence and its place.
            levels: the levels of each of its eojeols.
            file: the number of its file.
            incidents: the incidents of the sentence.
            document: the comments of its document; see `document_of`.
        """
        more = {"document": self._documents[document] + 1} if document else {}
        self._keep(self._row(placed, levels, file, incidents, more))

    def add_pair(self, sides: Sequence[Beside | None]) -> None:
        """Add a sentence of gold and one of a system, beside one another.

        Args:
            sides: gold and system; None for a side that has no such sentence.
        """
        rows = [
            None
            if side is None
            else self._row(side.placed, side.levels, file, (), {"marks": side.marks})
            for file, side in enumerate(sides)
        ]
        gold, system = rows
        if gold is not None and system is not None:
            if len(gold) == _BARE:
                gold.append({})
            gold[_BARE]["system"] = system
        self._keep(gold or system or [])

    def _keep(self, row: list[Any]) -> None:
        """Add the row of a sentence."""
        self._rows.append(row)
        self.sentences += 1
        if len(self._rows) == _CHUNK:
            self.finish()

    def _row(
        self,
        placed: Placed,
        levels: list[Levels],
        file: int,
        incidents: Sequence[Incident],
        more: dict[str, Any],
    ) -> list[Any]:
        """Return the row of a sentence; `more` are layers of the page alone."""
        sentence = placed.sentence
        eojeols = list(map(self._eojeol, sentence.eojeols, levels))
        entities = _entities(sentence)
        self.types.update([entity[1] for entity in entities])
        layers = {
            "tree": self._tree(sentence, levels) if sentence.is_treebank else None,
            "entities": entities,
            "frames": frame_boxes(sentence),
            "constituents": tree_nodes(sentence.constituents),
            "comments": sentence.comments,
            "source": sentence.text_orig,
            "lines": placed.lines,
            "incidents": [
                [self._incidents[i.code, i.message], i.line, i.token, placed.eojeol_of(i)]
                for i in incidents
            ],
            **more,
        }
        present = {name: value for name, value in layers.items() if value}
        row = [sentence.sent_id, file, placed.line, eojeols]
        return [*row, present] if present else row

    def finish(self) -> None:
        """Close the chunk that is being filled."""
        if self._rows:
            value = {
                "words": list(self._words),
                "eojeols": self._eojeol_rows,
                "treeWords": list(self._tree_words),
                "incidents": list(self._incidents),
                "sentences": self._rows,
                **({"documents": list(self._documents)} if self._documents else {}),
            }
            self.chunks.append(Chunk(len(self._rows), pack(value)))
            self._begin()

    def _eojeol(self, eojeol: Eojeol, levels: Levels) -> int:
        """Return the number of an eojeol with these tokens."""
        number = self._eojeols.get((eojeol, levels))
        if number is None:
            number = self._eojeols[eojeol, levels] = len(self._eojeols)
            pairs = zip(((), *levels), levels, strict=False)
            rows = [0 if cut == before else list(map(self._token, cut)) for before, cut in pairs]
            self._eojeol_rows.append([eojeol.form, *rows])
        return number

    def _token(self, token: Token) -> int | list[Any]:
        words = [
            self._words[word.form, word.lemma, word.upos, word.xpos, len(word.morphemes)]
            for word in token.words
        ]
        return words[0] if len(words) == 1 else [token.form, *words]

    def _tree(self, sentence: Sentence, levels: Sequence[Levels]) -> dict[str, Any]:
        """Return the treebank's words: their numbers, morphemes, heads and relations.

        `level` is there if they are the words of a level, `deps` if there is an enhanced graph.
        """
        words, self._tree_level = tree_words(sentence, levels, self._tree_level)
        tree: dict[str, Any] = {
            "words": [
                self._tree_words[w.form, w.lemma, w.upos, w.xpos, w.feats, "|".join(w.misc)]
                for w in words
            ],
            "sizes": [word.last - word.first for word in words],
            "heads": [word.head for word in words],
            "deprels": [word.deprel for word in words],
        }
        if self._tree_level:
            tree["level"] = self._tree_level
        if any([word.deps != NOTHING for word in words]):
            tree["deps"] = [word.deps for word in words]
        return tree


def _entities(sentence: Sentence) -> list[list[Any]]:
    """Return the entities: layer, type, and their spans in the morphemes and in the text."""
    text = sentence.text
    spans = morpheme_spans(sentence)
    # JavaScript counts a character beyond U+FFFF as two.
    units = [0]
    if sentence.entities:
        for char in text:
            units.append(units[-1] + 1 + (char > "\uffff"))
    return [
        [layer, entity.type, entity.begin, entity.end, units[covered.begin], units[covered.end]]
        for layer, entities in enumerate(entity_layers(sentence))
        for entity, covered in zip(entities, to_text(entities, spans), strict=True)
    ]
