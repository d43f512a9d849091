"""The files of programs with which people annotate: doccano and Label Studio.

doccano, an object a line (or a list of them: `doccano:array`):

    {"id": 1, "text": "프랑스의 옷", "entities": [{"id": 1, "label": "LC", "start_offset": 0,
     "end_offset": 3}], "relations": [], "Comments": []}

Label Studio, a list of tasks:

    [{"id": 1, "data": {"text": "프랑스의 옷"}, "annotations": [{"result": [
      {"id": "e1", "from_name": "label", "to_name": "text", "type": "labels",
       "value": {"start": 0, "end": 3, "text": "프랑스", "labels": ["LC"]}}]}]}]

and its short form (`min`), `{"text": …, "label": [{"start": 0, "end": 3, "labels": ["LC"]}]}`.
Begin and end count characters (code points), the end is exclusive; entities may be nested. An
entity that did not change keeps its id, its author and whatever else the file says of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sejongud.formats.json_records import (
    OWN,
    STYLES,
    JsonRecords,
    as_written,
    first_object,
    label_of,
    member,
    number_of,
    own_of,
    record_of,
    span_of,
    style_of,
    with_record,
)
from sejongud.formats.json_text import first_objects
from sejongud.formats.labelled import LineNote, labelled_text, rider
from sejongud.formats.placed import same_or_new
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from sejongud.formats.labelled import Labelled
    from sejongud.layers.labels import Entity


class Doccano(JsonRecords):
    """Reads and writes doccano's export with relations; older exports are read as well.

    Args:
        settings: how the JSON is written, see `sejongud.formats.json_records.STYLES`.
    """

    name = "doccano"
    has_spans = True
    format_keys = ("entities", "label", "labels", "relations", "Comments")
    keys = ("text", "data", *format_keys)
    _spans = format_keys[:3]
    """The members that have the entities in one export or another."""

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._next = 0

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the style, if the first object has a text and a list of entities; else None."""
        record = first_object(head)
        if record is None or not {"text", "data"} & set(record) or "eojeols" in record:
            return None
        objects = [item for key in cls._spans for item in _objects(record.get(key))]
        is_new = isinstance(record.get("entities"), list) or any(
            ["start_offset" in item for item in objects]
        )
        return style_of(head) if is_new else None

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = member(record, "text" if "text" in record else "data", str)
        key = next((key for key in self._spans if key in record), "entities")
        spans = [self._span(item, len(text)) for item in member(record, key, list)]
        return labelled_text(text, spans)

    def _span(self, item: Any, length: int) -> Entity:
        """Return the entity of an item.

        Raises:
            ValueError: the item is no entity, or the number of a label.
        """
        if not isinstance(item, dict):
            return span_of(item, length)
        label = item.get("label")
        if isinstance(label, int):
            raise ValueError(
                f"the label {label} is a number: export the labels as texts (JSONL, relation)"
            )
        return span_of([item.get("start_offset"), item.get("end_offset"), label], length)

    def write(self, labelled: Labelled) -> str:
        """Return the text of a sentence."""
        record = self._record(labelled)
        place = "data" if "data" in record and "text" not in record else "text"
        key = next((key for key in self._spans if isinstance(record.get(key), list)), "")
        entities = labelled.all_entities()
        if key and not all([isinstance(item, dict) for item in record[key]]):
            items: list[Any] = [[begin, end, name] for name, begin, end in entities]
        else:
            items = same_or_new(record.get(key), list(self._items(entities)), _OF_DOCCANO)
        record |= {place: as_written(record.get(place), "".join(labelled.tokens))}
        record |= {key or "entities": items}
        if not key:
            record |= {"relations": [], "Comments": []}
        return self._dump(record, labelled)

    def _items(self, entities: Iterable[Entity]) -> Iterator[dict[str, Any]]:
        """Yield the items of entities, numbered through the file."""
        for name, begin, end in entities:
            self._next += 1
            yield {"id": self._next, "label": name, "start_offset": begin, "end_offset": end}


_OF_DOCCANO = ("label", "start_offset", "end_offset")


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, [] for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


_TASKS, _MIN = "tasks", "min"
_ANNOTATIONS, _PREDICTIONS = "annotations", "predictions"
_NAMES = {"from_name": "label", "to_name": "text", "type": "labels"}
"""The members of every result."""
_MADE = (_ANNOTATIONS, "completions", _PREDICTIONS)
"""The members of a task that have entities, the first that is there being taken."""


class LabelStudio(JsonRecords):
    """Reads and writes the tasks of Label Studio.

    Of several annotations of a task the first that nobody cancelled is read.

    Args:
        settings: how the JSON is written, see `sejongud.formats.json_records.STYLES`; then
            `tasks`, or `min` for the short form; then `annotations`, or `predictions` if tasks
            that are made anew are to be shown as what a system predicts.
    """

    name = "label-studio"
    has_spans = True
    keys = ("text", "label")
    format_keys = ("label",)
    choices: ClassVar[tuple[Collection[str], ...]] = (
        tuple(dict.fromkeys(("array-2", *STYLES))),
        (_TASKS, _MIN),
        (_ANNOTATIONS, _PREDICTIONS),
    )

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        for record in first_objects(head):
            if isinstance(record.get("data"), dict) and set(_MADE) & set(record):
                container = _ANNOTATIONS if _ANNOTATIONS in record else _PREDICTIONS
                return f"{style_of(head)} {_TASKS} {container}"
            label = _objects(record.get("label"))
            if any(["start" in item and "labels" in item for item in label]):
                return f"{style_of(head)} {_MIN} {_ANNOTATIONS}"
            if "text" not in record or record.get("label"):
                return None
        return None

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        if self._chosen[1] == _MIN:
            text = member(record, "text", str)
            values = _objects(record.get("label"))
        else:
            data = member(record, "data", dict)
            text = str(data[_text_key(data)])
            results = _objects((_made(record) or {}).get("result"))
            values = [result["value"] for result in results if _is_entity(result)]
        if not all([isinstance(value.get("labels", []), list) for value in values]):
            raise ValueError("labels of an entity must be a list")
        spans = [
            span_of([value.get("start"), value.get("end"), label_of(label)], len(text))
            for value in values
            for label in value.get("labels", [])
        ]
        return labelled_text(text, spans)._replace(notes=_not_read(record))

    def _id_of(self, record: dict[str, Any]) -> str:
        data = record.get("data")
        sent_id = data.get("sent_id") if isinstance(data, dict) else None
        return sent_id if isinstance(sent_id, str) else super()._id_of(record)

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        if self._chosen[1] == _MIN:
            return super()._comments(record)
        data = record["data"]
        members = {key: value for key, value in data.items() if key != _text_key(data)}
        kept_record = record | {"data": dict.fromkeys(data)}
        return (record_of(members, ()), rider(OWN, kept_record))

    def write(self, labelled: Labelled) -> str:
        """Return the text of a sentence."""
        text = "".join(labelled.tokens)
        values = [
            {"start": begin, "end": end, "text": text[begin:end], "labels": [name]}
            for name, begin, end in labelled.all_entities()
        ]
        if self._chosen[1] == _MIN:
            record = self._record(labelled)
            label = same_or_new(record.get("label"), values, _OF_LABEL_STUDIO)
            return self._dump(record | {"text": text, "label": label}, labelled)
        record = own_of(labelled.comments)
        members = with_record(labelled.comments, ())
        if record:
            key = next((field for field in record["data"] if field not in members), "text")
            record["data"] |= members | {key: text}
        else:
            members.pop("id", None)
            data = {"text": text, "sent_id": labelled.sent_id, **members}
            record = {"id": number_of(labelled.sent_id), "data": data}
        self._put(record, [{"id": f"e{n}", **_NAMES, "value": v} for n, v in enumerate(values, 1)])
        return self._dump(record, labelled)

    def _put(self, record: dict[str, Any], items: list[dict[str, Any]]) -> None:
        """Put the items of the entities into the annotation of a task that is read."""
        annotation = _made(record)
        if annotation is None:
            annotation = {"result": []}
            record[self._chosen[2]] = [annotation]
        results = annotation.get("result")
        old = results if isinstance(results, list) else []
        rest = [item for item in old if not _is_entity(item)]
        by_key = {_key(item): item for item in old if _is_entity(item)}
        new = [by_key.get(_key(item), item) for item in items]
        same = len(new) + len(rest) == len(old) and all([_key(item) in by_key for item in new])
        annotation["result"] = old if same else [*new, *rest]


def _text_key(data: dict[str, Any]) -> str:
    """Return the member of the data of a task that is its text.

    Raises:
        ValueError: there is none.
    """
    texts = [key for key, value in data.items() if isinstance(value, str)]
    if not texts:
        raise ValueError("data must have a text")
    return "text" if "text" in texts else texts[0]


def _every(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the annotations of a task that nobody cancelled, or else its predictions."""
    each = [_objects(record.get(key)) for key in _MADE]
    valid = [[item for item in results if not item.get("was_cancelled")] for results in each]
    return next(filter(None, valid), [])


def _made(record: dict[str, Any]) -> dict[str, Any] | None:
    """Return the annotation of a task that is read, None if there is none."""
    return next(iter(_every(record)), None)


def _not_read(record: dict[str, Any]) -> tuple[LineNote, ...]:
    """Return the note on the entities of a task in annotations that are not read."""
    unread = _every(record)[1:]
    items = [item for entry in unread for item in _objects(entry.get("result")) if _is_entity(item)]
    if not items:
        return ()
    of_others = "entit[y of another annotation is|ies of other annotations are] not read"
    return (LineNote(0, "W440", counted(len(items), of_others)),)


def _is_entity(item: Any) -> bool:
    """Test whether a result is an entity, rather than a relation or a choice."""
    value = item.get("value") if isinstance(item, dict) else None
    return isinstance(value, dict) and "start" in value and "labels" in value


def _key(item: dict[str, Any]) -> str:
    """Return the key of a result: its place and its labels."""
    value = item["value"]
    return repr([value.get("start"), value.get("end"), value.get("labels")])


_OF_LABEL_STUDIO = ("start", "end", "labels")
