"""The NIKL corpora (모두의 말뭉치) as JSON: morphemes, senses, dependencies; named entities.

    {"id": …, "document": [{"id": …, "sentence": [
        {"id": …, "form": "나는 간다.",
         "word": [{"id": 1, "form": "나는", "begin": 0, "end": 2}, …],
         "morpheme": [{"id": 1, "form": "나", "label": "NP", "word_id": 1, "position": 1}, …],
         "WSD": [{"word": "나", "sense_id": 1, "pos": "NP", "begin": 0, "end": 1, "word_id": 1}],
         "DP": [{"word_id": 1, "word_form": "나는", "head": 2, "label": "NP_SBJ"}, …]
    }]}]}

A file is one JSON value of hundreds of megabytes; it is read bracket by bracket, and little more
than one sentence is in memory at a time. (Format: Korpora issues 122 and 123.)

Named entities are of 15 classes in 2019, of 150 since:

    {"id": …, "document": [{"id": …, "sentence": [
        {"id": …, "form": "프랑스의 옷", "NE": [
            {"id": 1, "form": "프랑스", "label": "LC", "begin": 0, "end": 3}]}]}]}

Other members of an entity (`kid`, `wikiid`, `URL`) ride in a comment with its place, and stay with
it whatever its label becomes. A block is the text from the end of one sentence to the end of the
next, so that null documents, metadata and line breaks ride in it. Begin and end count characters,
the end is exclusive. Text that is not JSON, or follows the object, is a block that cannot be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.formats.around import from_json, kept, member_comments, meta, restore_comment
from sejongud.formats.base import Block, Reader, SentIds, id_notes, is_json
from sejongud.formats.json_records import (
    JsonDocument,
    as_written,
    label_of,
    member,
    shown,
    with_record,
)
from sejongud.formats.json_text import (
    STRING,
    JsonText,
    Walk,
    beginning,
    indent_of,
    load_json,
    parse_json,
    unquoted,
)
from sejongud.formats.klue import as_word
from sejongud.formats.labelled import Labelled, labelled_text
from sejongud.layers.labels import Entity
from sejongud.model import NOTHING, Arcs, Eojeol, Morpheme, Sentence
from sejongud.morphology.eojeol import LINE_BREAK, spell
from sejongud.morphology.hangul import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from sejongud.morphology.eojeol import Assembler
    from sejongud.morphology.kiwi import BorderedEojeols


_METADATA = "metadata"
_ID = re.compile(rf'\{{\s*"id"\s*:\s*({STRING})', re.DOTALL)
_READ = frozenset(("id", "form", "word", "morpheme", "WSD", "DP"))
_BY_KIWI = Note("I325", "the sentence has no morphemes: Kiwi analyses it")
_MORPHEMES = re.compile(r'"morpheme"\s*:\s*\[\s*\{')


class ModuReader(Reader):
    """Read NIKL JSON.

    A morpheme's sense is the `sense_id` of the WSD layer, with at least two digits, as in the
    Sejong corpus. The DP layer, whose words are the eojeols, is kept as `Sentence.arcs`; Kiwi
    analyses a sentence that has this layer and no morphemes. The other layers are left out with a
    note. `sent_id` is the id of the sentence; a document
    begins with `newdoc id` if its id comes before its sentences, as in the corpora. Its metadata
    are comments of its first sentence (`meta::title`), as those of the corpus are
    (`meta::corpus.title`).

    Documents and sentences that are null or empty are left out with a note.
    """

    by_lines = False

    @cached_property
    def _kiwi(self) -> BorderedEojeols:
        from sejongud.morphology.kiwi import BorderedEojeols

        return BorderedEojeols(self.assembler, None)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for JSON."""
        return "" if is_json(head) else None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences of a file, unparsed.

        Args:
            chunks: the text in pieces, cut anywhere.

        Raises:
            FormatError: the file is not the JSON of a NIKL corpus, a bracket is not closed, or
                there is no sentence.
        """
        ids = SentIds()
        number = 0
        held: Block | None = None
        notes: list[tuple[int, str, str]] = []
        error: FormatError | None = None
        try:
            for item in NiklWalk(chunks, "E321").sentences():
                if not isinstance(item, NiklItem):
                    notes.append(item)
                    continue
                # Notes belong to a block; the last sentence takes those behind it.
                if held is not None:
                    yield held
                number += 1
                stated = _sentence_id(item.text)
                sent_id = ids.of(stated, number)
                notes += id_notes(stated, sent_id, item.text, item.line)
                held = Block(item.text, item.line, number, sent_id, item.comments, tuple(notes))
                notes = []
        except FormatError as raised:
            error = raised
        if held is not None:
            yield held._replace(notes=(*held.notes, *notes))
        if error is not None:
            raise error
        if held is None:
            raise FormatError(
                "no document of this NIKL corpus has sentences with words or morphemes in its list"
                " sentence; utterances and paragraphs are raw text, which `sejongud analyze` reads",
                line=1,
                code="E107",
            )

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: the block is no JSON, or a layer is faulty.
        """
        layers = load_json(block.text, block.line, "E322", like=" as in NIKL corpora")
        assert isinstance(layers, dict)  # `blocks` has seen its bracket.
        return self.sentence_of(layers, block)

    def sentence_of(self, layers: dict[str, Any], block: Block) -> Sentence:
        """Return the sentence of an object of NIKL.

        Raises:
            FormatError: a layer is faulty.
        """
        form = _string(layers, "form")
        words = {word.number: word for word in _words(layers, form)}
        for item in _items(layers, "morpheme"):
            self._add_morpheme(item, words)
        for word in words.values():
            word.sort()
        for item in _items(layers, "WSD"):
            _add_sense(item, words)
        arcs = _arcs(layers, {number: i for i, number in enumerate(words, 1)})
        eojeols: Iterable[Eojeol] = map(self._eojeol, words.values())
        others = [key for key, layer in layers.items() if layer and key not in _READ]
        message = f"the layers {', '.join(others)} are not read"
        notes: tuple[Note, ...] = (Note("W324", message),) if others else ()
        if arcs is not None and not any([word.morphemes for word in words.values()]):
            # The corpus of dependencies is distributed without morphemes.
            [analysed] = self._kiwi.of([([word.form for word in words.values()], {}, {})])
            eojeols, notes = analysed.eojeols, (*notes, _BY_KIWI)
        sentence = Sentence(
            tuple(eojeols if arcs is None else map(as_word, eojeols)),
            block.sent_id,
            comments=block.comments,
            number=block.number,
            arcs=arcs,
            is_treebank=arcs is not None,
        )
        sentence.notes = notes
        # A comment is one line.
        form = LINE_BREAK.sub(" ", form)
        if form and form != sentence.text:
            sentence.text_orig = form
        return sentence

    def _add_morpheme(self, item: dict[str, Any], words: dict[int, _Word]) -> None:
        form, label = _string(item, "form"), _string(item, "label")
        number = _number(item, "word_id")
        if number not in words:
            message = f"the morpheme {form}/{label} has the word_id {number}, which is no word's id"
            raise FormatError(message, code="E324")
        word = words[number]
        if not label:
            raise FormatError(f"{word.form}: the morpheme {form} has no label", code="E324")
        if not form:
            word.notes.append(Note("W103", f"a morpheme without a form, tagged {label}"))
        position = item.get("position")
        word.positions.append(position if isinstance(position, int) else -1)
        word.morphemes.append(self.assembler.analysis.morpheme(form, label, word.form))

    def _eojeol(self, word: _Word) -> Eojeol:
        form = word.form
        if not word.morphemes:
            return self.kept(FormatError(f"{form} has no morphemes", code="E323"), form)
        eojeol = self.assembler.eojeol(form, tuple(word.morphemes))
        return eojeol.with_notes(word.notes)


@dataclass
class _Word:
    """An eojeol as the corpus has it, its morphemes, and notes on them."""

    form: str
    number: int
    begin: int = -1
    end: int = -1
    morphemes: list[Morpheme] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    """The position of each of them in the word, from 1; -1 if it is unknown."""
    notes: list[Note] = field(default_factory=list)

    def sort(self) -> None:
        """Sort the morphemes by their positions, if all have one."""
        if -1 not in self.positions and self.positions != sorted(self.positions):
            order = sorted(range(len(self.positions)), key=self.positions.__getitem__)
            self.morphemes = [self.morphemes[i] for i in order]


def _words(layers: dict[str, Any], form: str) -> list[_Word]:
    """Return the words of a sentence, from their layer or else from the spaces of the text."""
    words = []
    for item in _items(layers, "word"):
        form_of_word, number = _string(item, "form"), _number(item, "id")
        words.append(_Word(form_of_word, number, _number(item, "begin"), _number(item, "end")))
    if not words:
        return [_Word(word, number) for number, word in enumerate(form.split(), 1)]
    numbers = [word.number for word in words]
    if len(set(numbers)) < len(numbers):
        raise FormatError("two words have the same id", code="E324")
    for word in words:
        if not word.form.strip():
            raise FormatError(f"the word with the id {word.number} has no form", code="E324")
    # As the morphemes of a word, words stand in the order of their places, if all have one.
    places_known = all(word.begin >= 0 for word in words)
    return sorted(words, key=attrgetter("begin")) if places_known else words


def _add_sense(item: dict[str, Any], words: dict[int, _Word]) -> None:
    """Give a sense of the WSD layer to its morpheme."""
    form, tag, sense = _string(item, "word"), _string(item, "pos"), _number(item, "sense_id")
    number, begin = _number(item, "word_id"), _number(item, "begin")
    around = (word for word in words.values() if word.begin <= begin < word.end)
    word = words.get(number) or next(around, None)
    if word is None:
        raise FormatError(f"the sense of {form} belongs to no word", code="E324")
    spelt, _ = spell(form, word.form)
    for fits in ((spelt, tag), (spelt,)):
        for index, morpheme in enumerate(word.morphemes):
            if not morpheme.sense and morpheme[: len(fits)] == fits and sense >= 0:
                word.morphemes[index] = morpheme._replace(sense=f"{sense:02d}")
                return
    word.notes.append(Note("W323", f"the sense of {form}/{tag} fits no morpheme, left out"))


def _arcs(layers: dict[str, Any], places: Mapping[int, int]) -> Arcs | None:
    """Return the dependencies of the DP layer; None if there is no such layer.

    Args:
        layers: of a sentence.
        places: the id of a word → its place in the sentence, from 1.

    Raises:
        FormatError: a dependency belongs to no word, or its head is none.
    """
    heads = {}
    for item in _items(layers, "DP"):
        number, head = _number(item, "word_id"), _number(item, "head")
        label = _string(item, "label")
        if number not in places or number == head or (head > 0 and head not in places):
            message = f"the dependency {label} of word_id {number} has the head {head}"
            expected = "expected the ids of two words, or the head -1 of a root"
            raise FormatError(f"{message}: {expected}", code="E324")
        heads[number] = places.get(head, 0), " ".join(label.split()) or NOTHING
    arcs = [heads.get(number, (-1, NOTHING)) for number in places]
    return Arcs(*map(tuple, zip(*arcs, strict=True))) if heads else None


def _items(layers: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects of a layer, without those that are null."""
    value = layers.get(key)
    items = [] if value is None else value
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items if i is not None):
        raise FormatError(f"{key}: expected a list of objects", code="E322")
    return [item for item in items if item is not None]


def _string(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    if value is not None and not isinstance(value, str):
        raise FormatError(f"{key}: expected text, found {beginning(value)}", code="E322")
    return without_surrogates(value or "")


def _number(item: dict[str, Any], key: str) -> int:
    """Return a whole number; -1 if there is none."""
    value = item.get(key)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:18])
    if value is not None and not isinstance(value, int):
        raise FormatError(f"{key}: expected a whole number, found {beginning(value)}", code="E322")
    return -1 if value is None else value


# --- walking through the file --------------------------------------------------------------------


class NiklItem(NamedTuple):
    """A sentence in the file, or an object of another list."""

    text: str
    line: int
    comments: tuple[str, ...]
    """The id and the metadata of the document, and those of the corpus, that begin with it."""


Left = tuple[int, str, str]
"""A note on an omission: line, code, message."""


class NiklWalk(Walk):
    """Walk through a NIKL file with little more than a sentence in memory.

    Args:
        chunks: the text in pieces, cut anywhere.
        code: the code of the errors.
        lists: the lists of a document that hold its sentences, or other texts.
    """

    def __init__(
        self, chunks: Iterable[str], code: str, lists: Collection[str] = ("sentence",)
    ) -> None:
        super().__init__(chunks, code)
        self._lists = lists
        self._of_corpus: list[str] = []
        self._of_document: list[str] = []

    def sentences(self) -> Iterator[NiklItem | Left]:
        """Yield the sentences of all documents, and notes on omissions."""
        self.expect("{", "a NIKL corpus begins with { and has its documents in a list document")
        has_documents = False
        for key in self.members():
            if key == "document" and self.peek() == "[":
                has_documents = True
                for _ in self.elements():
                    yield from self._document()
            elif key == _METADATA:
                self._of_corpus += _comments_of(self.take(), "corpus")
            else:
                self.take()
        if has_documents and self._of_corpus:
            yield self.line, "W321", "metadata behind the documents of their corpus are left out"
        if self.peek():
            raise self.error("there is something behind the end of the corpus")
        if not has_documents:
            raise self.error(
                "a NIKL corpus has its documents in a list document, and there is none (JSON that"
                " fits no format is read as one; `sejongud help convert` lists the formats)"
            )

    def _document(self) -> Iterator[NiklItem | Left]:
        if self.peek() != "{":
            yield self.line, "W321", f"a document that is {self.take()[:20]} is left out"
            return
        line = self.line
        self.step()
        name = ""
        has_sentence = False
        for key in self.members():
            if key == _METADATA:
                self._of_document += _comments_of(self.take(), "")
                continue
            if key in self._lists and self.peek() == "[":
                for _ in self.elements():
                    item = self._sentence(name)
                    if isinstance(item, NiklItem):
                        has_sentence = True
                        name = ""
                    yield item
                continue
            at, value = self.line, self.take()
            if key == "id":
                if not has_sentence and value[0] == '"':
                    name = " ".join(unquoted(value).split())
            elif value not in ("null", "[]", "{}"):
                # Coreference and omitted arguments (CR, ZA) are layers of a document.
                yield at, "W324", f"the layer {key} of the document is not read"
        if not has_sentence:
            yield line, "W321", f"the document {name} has no sentences"
        elif self._of_document:
            yield self.line, "W321", "metadata behind the sentences of their document are left out"
        self._of_document = []

    def _sentence(self, document: str) -> NiklItem | Left:
        begins = self.peek()
        line = self.line
        text = self.take()
        if begins != "{":
            return line, "W322", f"a sentence that is {text[:20]} is left out"
        # `parse` tells what is no JSON.
        layers = None if _MORPHEMES.search(text) else from_json(text)
        if layers is not None and not any(map(layers.get, ("form", "word", "morpheme"))):
            return line, "W322", "a sentence without a text is left out"
        opening = [f"newdoc id = {document}"] if document else []
        comments = (*opening, *self._of_corpus, *self._of_document)
        self._of_corpus, self._of_document = [], []
        return NiklItem(text, line, comments)


def _comments_of(text: str, key: str) -> list[str]:
    """Return the comments for metadata; a text that is no JSON is kept whole."""
    try:
        return list(member_comments(parse_json(text), key))
    except ValueError:
        return [meta(key or _METADATA, text)]


def _sentence_id(text: str) -> str:
    """Return the id of a sentence, which mostly begins its JSON, else ""."""
    if match := _ID.match(text):
        return unquoted(match[1])
    stated = (from_json(text) or {}).get("id")
    return str(stated) if isinstance(stated, str | int) else ""


_ITEMS = "ner_items"
_OWN = ("form", "label", "begin", "end")
"""The members of an entity that are written; its number as well, if it counts the entities."""
_ITEM = re.compile(r"\{[^{}]*\}")


class ModuNe(JsonDocument):
    """Reads and writes NIKL JSON with entities.

    Args:
        settings: the number of blanks by which the JSON is indented; `0` for JSON on one line.
    """

    name = "modu-ne"
    has_spans = True
    has_members = True
    keys = ("form", "NE")

    def _json_text(self) -> JsonText:
        template = {"document": [{"sentence": ["@"]}]}
        path = ("document", "sentence")
        return JsonText(path, template, int(self._indent), "a NIKL corpus", self._code)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the indentation; None if the file is in another format."""
        if not head.lstrip().startswith("{") or '"NE"' not in head or '"document"' not in head:
            return None
        return str(indent_of(head))

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = record.get("form")
        if not isinstance(text, str) or not text.strip():
            return Labelled((), ())
        return labelled_text(text, [_entity(item, text) for item in _ner_items(record)])

    def analysis(self, block: Block, assembler: Assembler) -> Sentence | None:
        """Return a sentence with its morphemes, senses and dependencies, if it has any."""
        if self._list is None or not _MORPHEMES.search(block.text):
            return None
        located = self._list.find(block)
        if located is None:
            return None
        sentence = ModuReader(assembler).sentence_of(located[0], block)
        # A comment keeps the other layers.
        sentence.notes = ()
        forms = [morpheme.form for morpheme in sentence.morphemes]
        if any(forms) and not all(forms):
            raise FormatError("a morpheme has no form", code="E324")
        return sentence if any(forms) else None

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        return (*super()._comments(record), *_more_of(_ner_items(record)))

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        record = with_record(labelled.comments, self.keys) or {"id": labelled.sent_id}
        text = as_written(record.get("form"), "".join(labelled.tokens))
        more = _more(labelled.comments)
        items = [
            {"id": n, "form": text[begin:end], "label": name, "begin": begin, "end": end}
            | next(more.get((begin, end), iter(())), {})
            for n, (name, begin, end) in enumerate(labelled.all_entities(), 1)
        ]
        record |= {"form": text, "NE": items}
        return self._dump(record, labelled)

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the line where the item of an entity begins."""
        text = block.text
        form = block.line + text.count("\n", 0, max(text.find('"form"'), 0))
        lines: dict[str, int] = {}
        line, position = block.line, 0
        for item in _ITEM.finditer(text):
            line, position = line + text.count("\n", position, item.start()), item.start()
            # A brace in a text is no item.
            record = from_json(item[0])
            if isinstance(record, dict):
                lines[f"{record.get('begin')} {record.get('end')}"] = line
        return lambda entity: lines.get(f"{entity.begin} {entity.end}", form)


def _ner_items(record: dict[str, Any]) -> list[Any]:
    """Return the entities of a sentence as the file has them."""
    return member(record, "NE", list) if record.get("NE") else []


def _entity(item: Any, text: str) -> Entity:
    """Return the entity of an item of `NE`.

    Raises:
        FormatError: the item is not an entity, or the entity is not in the text.
        ValueError: its label is none.
    """
    try:
        begin, end = item["begin"], item["end"]
        fits = begin >= 0 and text[begin:end] == item["form"] != ""
        name = item["label"]
    except (KeyError, TypeError):
        fits = False
    if not fits:
        message = f"this entity is not in the sentence at its place: {shown(item)}"
        raise FormatError(message, code="E408")
    return Entity(label_of(name), begin, end)


def _more_of(items: list[Any]) -> list[str]:
    """Return the comment with the further members of entities, if there are any.

    Args:
        items: the entities, each of which is in the sentence.
    """
    counted = [item.get("id") for item in items] == list(range(1, len(items) + 1))
    known_keys = (*_OWN, "id") if counted else _OWN
    items_left = []
    for item in items:
        rest = {key: value for key, value in item.items() if key not in known_keys}
        if rest:
            items_left.append([item["begin"], item["end"], rest])
    return [restore_comment(_ITEMS, items_left)] if items_left else []


def _more(comments: tuple[str, ...]) -> dict[tuple[int, int], Iterator[dict[str, Any]]]:
    """Return the further members of the entities at each place, in their order."""
    rests: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for kept_items in kept(comments, _ITEMS):
        try:
            for begin, end, rest in kept_items:
                rests.setdefault((begin, end), []).append(dict(rest))
        except (TypeError, ValueError):
            # Somebody has changed the comment.
            return {}
    return {place: iter(items) for place, items in rests.items()}
