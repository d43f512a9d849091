"""Named entities of the NIKL corpora (모두의 말뭉치): JSON, 15 classes in 2019, 150 since.

    {"id": …, "document": [{"id": …, "sentence": [
        {"id": …, "form": "프랑스의 옷", "NE": [
            {"id": 1, "form": "프랑스", "label": "LC", "begin": 0, "end": 3}]}]}]}

Other members of an entity (`kid`, `wikiid`, `URL`) ride in a comment with its place, and stay with
it whatever its label becomes. A block is the text from the end of one sentence to the end of the
next, so that null documents, metadata and line breaks ride in it. Begin and end count characters,
the end is exclusive. Text that is not JSON, or follows the object, is a block that cannot be read.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, UsageError
from sejongud.formats.json_entities import (
    as_written,
    label_of,
    record_of,
    shown,
    with_record,
)
from sejongud.formats.labelled import (
    Block,
    LabelFormat,
    Labelled,
    as_text,
    from_json,
    kept,
    labelled_text,
    rider,
    to_json,
)
from sejongud.layers.labels import Entity

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

__all__ = ["ModuNe"]

_KEYS = ("form", "NE")
_PREFIX = "ner_prefix"
_ITEMS = "ner_items"
_OWN = ("form", "label", "begin", "end")
"""The members of an entity that are written; its number as well, if it counts the entities."""
_ITEM = re.compile(r"\{[^{}]*\}")
_SPACE = " \t\n\r"
_DEPTH = 4
"""The number of levels by which a sentence is indented."""
_decode = json.JSONDecoder().raw_decode


class ModuNe(LabelFormat):
    """Reads and writes NIKL JSON with entities.

    Args:
        settings: the number of blanks by which the JSON is indented; `0` for JSON on one line.

    Raises:
        UsageError: the settings are not a number.
    """

    name = "modu-ne"
    has_spans = True

    def __init__(self, settings: str = "") -> None:
        if not (settings or "4").isdecimal():
            raise UsageError(f"modu-ne: the indentation must be a number, not {settings}")
        self._indent = int(settings or "4")
        self._fault: tuple[int, FormatError] | None = None
        self._begun = False
        self._end = ""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the indentation; None if the file is in another format."""
        if not head.lstrip().startswith("{") or '"NE"' not in head or '"document"' not in head:
            return None
        line = head.lstrip().split("\n")[1:2]
        return str(len(line[0]) - len(line[0].lstrip())) if line else "0"

    @property
    def settings(self) -> str:
        """The indentation."""
        return str(self._indent)

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield each sentence with the text before it; at the end the text behind all sentences."""
        text = "".join(chunks)
        start = 0
        line = number = 1
        message = "text follows the end of the object: a file is a single object"
        try:
            for end in _ends(text):
                yield Block(text[start:end], line, number)
                line += text.count("\n", start, end)
                number += 1
                start = end
        except (ValueError, IndexError, RecursionError) as error:
            message = "this is not JSON of a NIKL corpus, or a part of it is missing"
            at = getattr(error, "pos", len(text))
        else:
            if start == len(text):
                return
            at = start
        place = text.count("\n", 0, at) + 1
        self._fault = number, FormatError(message, line=place, code="E322")
        yield Block(text[start:], line, number)

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block; a sentence without tokens if it has no form."""
        if self._fault is not None and self._fault[0] == block.number:
            raise self._fault[1]
        at = _object_start(block.text)
        if at is None:
            return Labelled((), ())
        record: dict[str, Any] = _decode(block.text, at)[0]
        text = record.get("form")
        if not isinstance(text, str) or not text.strip():
            return Labelled((), ())
        line = block.line + block.text.count("\n", 0, at)
        items = record.get("NE") or []
        if not isinstance(items, list):
            message = f"NE of a sentence is a list of its entities, not {shown(items)}"
            raise FormatError(message, line=line, text=text, code="E322")
        try:
            entities = [_entity(item, text) for item in items]
        except FormatError as error:
            error.text = text
            raise error.at(path="", line=line) from None
        comments = (
            rider(_PREFIX, block.text[:at]),
            record_of(record, _KEYS),
            *_more_of(items),
        )
        sent_id = as_text(str(record.get("id") or ""))
        return labelled_text(text, entities, sent_id, comments)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence; the first one opens the file if no comment does."""
        said = [text for text in kept(labelled.comments, _PREFIX) if isinstance(text, str)]
        opening, closing = _frame(self._indent)
        if said and not self._end:
            prefix = said[0]
        elif self._begun:
            prefix = f",\n{' ' * self._indent * _DEPTH}" if self._indent else ", "
        else:
            prefix = opening
            self._end = closing
        self._begun = True
        record = with_record(labelled.comments, _KEYS) or {"id": labelled.sent_id}
        text = as_written(record.get("form"), "".join(labelled.tokens))
        more = _more(labelled.comments)
        items = [
            {"id": n, "form": text[begin:end], "label": of, "begin": begin, "end": end}
            | next(more.get((begin, end), iter(())), {})
            for n, (of, begin, end) in enumerate(labelled.all_entities(), 1)
        ]
        record |= {"form": text, "NE": items}
        lines = to_json(record, indent=self._indent or None).split("\n")
        # The indentation of the line with the opening brace.
        outer = prefix.rpartition("\n")[2]
        margin = outer if outer.isspace() else ""
        return prefix + ("\n" + margin).join(lines)

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the line where the item of an entity begins."""
        text = block.text
        form = block.line + text.count("\n", 0, max(text.find('"form"'), 0))
        found: dict[str, int] = {}
        line, at = block.line, 0
        for item in _ITEM.finditer(text):
            line, at = line + text.count("\n", at, item.start()), item.start()
            # A brace in a text is no item.
            record = from_json(item[0])
            if isinstance(record, dict):
                found[f"{record.get('begin')} {record.get('end')}"] = line
        return lambda entity: found.get(f"{entity.begin} {entity.end}", form)

    def end(self) -> str:
        """Return the closing brackets, if `write` has opened any."""
        return self._end


def _entity(item: Any, text: str) -> Entity:
    """Return the entity of an item of `NE`.

    Raises:
        FormatError: the item is not an entity, or the entity is not in the text.
    """
    try:
        begin, end = item["begin"], item["end"]
        fits = begin >= 0 and text[begin:end] == item["form"] != ""
        of = item["label"]
    except (KeyError, TypeError):
        fits = False
    if not fits:
        message = f"this entity is not in the sentence at its place: {shown(item)}"
        raise FormatError(message, code="E408")
    try:
        return Entity(label_of(of), begin, end)
    except ValueError as error:
        raise FormatError(str(error), code="E322") from None


def _more_of(items: list[Any]) -> list[str]:
    """Return the comment with the further members of entities, if there are any.

    Args:
        items: the entities, each of which is in the sentence.
    """
    counted = [item.get("id") for item in items] == list(range(1, len(items) + 1))
    own = (*_OWN, "id") if counted else _OWN
    found = []
    for item in items:
        rest = {key: value for key, value in item.items() if key not in own}
        if rest:
            found.append([item["begin"], item["end"], rest])
    return [rider(_ITEMS, found)] if found else []


def _more(comments: tuple[str, ...]) -> dict[tuple[int, int], Iterator[dict[str, Any]]]:
    """Return the further members of the entities at each place, in their order."""
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for said in kept(comments, _ITEMS):
        try:
            for begin, end, rest in said:
                found.setdefault((begin, end), []).append(dict(rest))
        except (TypeError, ValueError):
            # Somebody has changed the comment.
            return {}
    return {place: iter(items) for place, items in found.items()}


def _frame(indent: int) -> tuple[str, str]:
    """Return the text before and after the sentences of a file of NIKL JSON."""
    whole = json.dumps({"document": [{"sentence": [0]}]}, indent=indent or None)
    before, _, behind = whole.partition("0")
    return before, behind + "\n"


def _ends(text: str) -> Iterator[int]:
    """Yield the offset of the end of each sentence, and of the end of the file.

    Raises:
        ValueError: the text is not JSON.
        IndexError: the text ends too early.
    """
    at = _skip(text, 0)
    if text[at] != "{":
        raise json.JSONDecodeError("no object", text, at)
    at = yield from _walk(text, at, "document", "sentence")
    yield len(text) - len(text[at:].lstrip(_SPACE))


def _object_start(text: str) -> int | None:
    """Return the offset of the sentence in a block; None if the block holds none.

    The sentence is the first object that ends where the block does.
    """
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _decode(text, at)
        except ValueError:
            end = -1
        if end == len(text) and isinstance(value, dict):
            return at
        at = text.find("{", at + 1)
    return None


def _walk(text: str, at: int, wanted: str, *below: str) -> Generator[int, None, int]:
    """Yield the ends of the objects in the list under a key of an object.

    Items of the list that are no objects are passed over.

    Args:
        text: of the file.
        at: the offset of the object.
        wanted: the key.
        below: the keys of lists inside the objects of the list, whose objects are meant.

    Returns:
        The offset of the end of the object.
    """
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if key == wanted and text[at] == "[":
            at = _skip(text, at + 1)
            while text[at] != "]":
                is_object = text[at] == "{"
                if is_object and below:
                    yield from _walk(text, at, *below)
                at = _decode(text, at)[1]
                if is_object and not below:
                    yield at
                at = _skip(text, at)
                if text[at] == ",":
                    at = _skip(text, at + 1)
            at += 1
        else:
            at = _decode(text, at)[1]
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def _skip(text: str, at: int) -> int:
    """Return the offset of the next character that is not white space."""
    while text[at] in _SPACE:
        at += 1
    return at
