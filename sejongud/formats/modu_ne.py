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

import re
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError
from sejongud.formats.json_records import (
    JsonDocument,
    as_written,
    label_of,
    member,
    shown,
    with_record,
)
from sejongud.formats.json_text import JsonText, indent_of
from sejongud.formats.labelled import (
    Block,
    Labelled,
    from_json,
    kept,
    labelled_text,
    rider,
)
from sejongud.layers.labels import Entity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
        return labelled_text(text, [_entity(item, text) for item in _items(record)])

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        return (*super()._comments(record), *_more_of(_items(record)))

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


def _items(record: dict[str, Any]) -> list[Any]:
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
    return [rider(_ITEMS, items_left)] if items_left else []


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
