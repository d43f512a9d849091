"""Texts with their entities as objects, as scripts for spaCy, GLiNER and prodigy write them.

    {"text": "프랑스의 옷", "entities": [{"start": 0, "end": 3, "label": "LC"}]}

The member is `entities` or `spans`. Begin and end count characters (code points), the end is
exclusive; entities may be nested. An entity that did not change keeps its further members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.formats.json_records import (
    STYLES,
    JsonRecords,
    as_written,
    first_object,
    member,
    shown,
    span_of,
    style_of,
)
from sejongud.formats.json_text import first_objects
from sejongud.formats.labelled import labelled_text
from sejongud.formats.placed import same_or_new

if TYPE_CHECKING:
    from sejongud.formats.labelled import Labelled
    from sejongud.layers.labels import Entity

_MEMBERS = ("entities", "spans")
_KEYS = ("start", "end", "label")


class Spans(JsonRecords):
    """Reads and writes texts with entities as objects.

    Args:
        settings: how the JSON is written, see `sejongud.formats.json_records.STYLES`; then `spans`
            if that is the member with the entities, and not `entities`.
    """

    name = "spans"
    has_spans = True
    format_keys = _MEMBERS
    keys = ("text", *format_keys)
    choices = (STYLES, _MEMBERS)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the style and the member, if an object has a text and such entities; else None."""
        first = first_object(head)
        if first is None or not isinstance(first.get("text"), str) or "eojeols" in first:
            return None
        for record in first_objects(head):
            for key in _MEMBERS:
                items = record.get(key)
                if isinstance(items, list) and items:
                    fits = [isinstance(item, dict) and set(_KEYS) <= set(item) for item in items]
                    return f"{style_of(head)} {key}" if all(fits) else None
        return None

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = member(record, "text", str)
        items = member(record, self._chosen[1], list)
        return labelled_text(text, [_entity(item, len(text)) for item in items])

    def write(self, labelled: Labelled) -> str:
        """Return the text of a sentence."""
        record = self._record(labelled)
        key = self._chosen[1]
        new = [
            {"start": begin, "end": end, "label": name}
            for name, begin, end in labelled.all_entities()
        ]
        items = same_or_new(record.get(key), new, _KEYS)
        text = as_written(record.get("text"), "".join(labelled.tokens))
        return self._dump(record | {"text": text, key: items}, labelled)


def _entity(item: Any, length: int) -> Entity:
    """Return the entity of an item.

    Raises:
        ValueError: the item is no entity in the text.
    """
    if not isinstance(item, dict):
        raise ValueError(f"an entity is an object with {', '.join(_KEYS)}, not {shown(item)}")
    return span_of([item.get(key) for key in _KEYS], length)
