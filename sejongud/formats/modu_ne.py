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

from sejongud.errors import FormatError, UsageError
from sejongud.formats.json_document import JsonDocument, indent_of
from sejongud.formats.json_records import (
    as_written,
    label_of,
    record_of,
    shown,
    with_record,
)
from sejongud.formats.json_text import JsonText
from sejongud.formats.labelled import (
    Block,
    Labelled,
    as_text,
    from_json,
    kept,
    labelled_text,
    rider,
)
from sejongud.layers.labels import Entity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.formats.json_text import Found

_KEYS = ("form", "NE")
_ITEMS = "ner_items"
_OWN = ("form", "label", "begin", "end")
"""The members of an entity that are written; its number as well, if it counts the entities."""
_ITEM = re.compile(r"\{[^{}]*\}")


class ModuNe(JsonDocument):
    """Reads and writes NIKL JSON with entities.

    Args:
        settings: the number of blanks by which the JSON is indented; `0` for JSON on one line.

    Raises:
        UsageError: the settings are not a number.
    """

    name = "modu-ne"
    has_members = True
    has_spans = True

    def __init__(self, settings: str = "") -> None:
        if not (settings or "4").isdecimal():
            raise UsageError(f"modu-ne: the indentation must be a number, not {settings}")
        self._indent = int(settings or "4")
        self._json = JsonText(
            ("document", "sentence"),
            {"document": [{"sentence": ["@"]}]},
            self._indent,
            "a NIKL corpus",
            "E322",
        )

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the indentation; None if the file is in another format."""
        if not head.lstrip().startswith("{") or '"NE"' not in head or '"document"' not in head:
            return None
        return str(indent_of(head))

    @property
    def settings(self) -> str:
        """The indentation."""
        return str(self._indent)

    def _sentence(self, found: Found) -> Labelled:
        record, line, prefix = found
        text = record.get("form")
        if not isinstance(text, str) or not text.strip():
            return Labelled((), ())
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
            prefix,
            record_of(record, _KEYS),
            *_more_of(items),
        )
        sent_id = as_text(str(record.get("id") or ""))
        return labelled_text(text, entities, sent_id, comments)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        record = with_record(labelled.comments, _KEYS) or {"id": labelled.sent_id}
        text = as_written(record.get("form"), "".join(labelled.tokens))
        more = _more(labelled.comments)
        items = [
            {"id": n, "form": text[begin:end], "label": of, "begin": begin, "end": end}
            | next(more.get((begin, end), iter(())), {})
            for n, (of, begin, end) in enumerate(labelled.all_entities(), 1)
        ]
        record |= {"form": text, "NE": items}
        return self._json.write(record, labelled.comments)

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
