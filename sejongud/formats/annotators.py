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

import re
from bisect import bisect_right
from collections import deque
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sejongud.errors import FormatError, UsageError
from sejongud.files import Source
from sejongud.formats.around import kept, restore_comment
from sejongud.formats.base import Block, to_number
from sejongud.formats.json_records import (
    OWN,
    STYLES,
    JsonRecords,
    as_written,
    first_object,
    label_of,
    member,
    number_of,
    offsets_of,
    own_of,
    places_of,
    record_of,
    same_or_new,
    span_of,
    style_of,
    with_record,
)
from sejongud.formats.json_text import first_objects
from sejongud.formats.labelled import LINE, LabelFormat, Labelled, LineNote, as_text, labelled_text
from sejongud.layers.labels import Entity
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator


class _WithRelations(LabelFormat):
    """Leaves out the relations and notes on entities that are gone, and counts them."""

    _left_out = 0

    def _without_gone(self, items: list[Any], old: object, new: object) -> list[Any]:
        """Return items without the relations of entities that the old list alone has."""
        ids = [None, *[one.get("id") for one in _objects(new)]]
        gone = [one["id"] for one in _objects(old) if one.get("id") not in ids]
        lost = [
            one for one in _objects(items) if one.get("from_id") in gone or one.get("to_id") in gone
        ]
        self._left_out += len(lost)
        return [one for one in items if one not in lost]

    def summary_lines(self) -> list[str]:
        """Return how many relations and notes were left out, if any were."""
        what = "[relation or note|relations and notes] on entities that are gone"
        return [counted(self._left_out, f"{what} [was|were] not written")] if self._left_out else []


class Doccano(_WithRelations, JsonRecords):
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

    _next = 0
    """The number of the entity that was written last."""

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
        # Members in which another format has its entities are empty.
        record = {k: v for k, v in record.items() if v is not None or k not in self._spans}
        place = "data" if "data" in record and "text" not in record else "text"
        key = next((key for key in self._spans if isinstance(record.get(key), list)), "")
        entities = labelled.all_entities()
        if key and not all([isinstance(item, dict) for item in record[key]]):
            items: list[Any] = [[begin, end, name] for name, begin, end in entities]
        else:
            new = list(self._items(entities))
            items = same_or_new(record.get(key), new, _DOCCANO, "label")
            if isinstance(relations := record.get("relations"), list):
                record["relations"] = self._without_gone(relations, record.get(key), items)
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


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, [] for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


_DOCCANO = ("label", "start_offset", "end_offset")
_VALUE = ("start", "end", "labels")
"""The members of an entity of Label Studio that are compared."""
_ITEM = "@item"
_TASKS, _MIN = "tasks", "min"
_ANNOTATIONS, _PREDICTIONS = "annotations", "predictions"
_NAMES = {"from_name": "label", "to_name": "text", "type": "labels"}
"""The members of every result."""
_MADE = (_ANNOTATIONS, "completions", _PREDICTIONS)
"""The members of a task that have entities, the first that is there being taken."""


class LabelStudio(_WithRelations, JsonRecords):
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
        data = None if self._chosen[1] == _MIN else member(record, "data", dict)
        text = member(record, "text", str) if data is None else str(data[_text_key(data)])
        values = self._values(record)
        if not all([isinstance(value.get("labels", []), list) for value in values]):
            raise ValueError("labels of an entity must be a list")
        place = {offset: number for number, offset in enumerate(offsets_of(text, values))}
        spans = [
            span_of([*places_of(value, place), label_of(label)], len(text))
            for value in values
            for label in value.get("labels", [])
        ]
        return labelled_text(text, spans)._replace(notes=_not_read(record))

    def _values(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the values of the entities of a task."""
        if self._chosen[1] == _MIN:
            return _objects(record.get("label"))
        results = _objects((_made(record) or {}).get("result"))
        return [result["value"] for result in results if _is_entity(result)]

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
        return (record_of(members, ()), restore_comment(OWN, kept_record))

    def write(self, labelled: Labelled) -> str:
        """Return the text of a sentence."""
        text = "".join(labelled.tokens)
        record = self._record(labelled) if self._chosen[1] == _MIN else own_of(labelled.comments)
        offsets = offsets_of(text, self._values(record))
        values = [
            {
                "start": offsets[begin],
                "end": offsets[end],
                "text": text[begin:end],
                "labels": [name],
            }
            for name, begin, end in labelled.all_entities()
        ]
        if self._chosen[1] == _MIN:
            label = same_or_new(record.get("label"), values, _VALUE, "labels")
            return self._dump(record | {"text": text, "label": label}, labelled)
        members = with_record(labelled.comments, ())
        if "data" in record:
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
        values = [{**item["value"], _ITEM: item} for item in old if _is_entity(item)]
        found = same_or_new(values, [item["value"] for item in items], _VALUE, "labels")
        pairs = [(value.pop(_ITEM, item), value) for item, value in zip(items, found, strict=True)]
        new = [{**item, "value": value} for item, value in pairs]
        others = [item for item in old if not _is_entity(item)]
        rest = self._without_gone(others, [value[_ITEM] for value in values], new)
        # Unchanged entities stay among relations and choices, where they were.
        same = len(new) == len(values) and all([item in old for item in new])
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


_ENTITY = re.compile(r"T[0-9]+\t(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)\t(.*)")
_OF_ENTITY = "T"
"""The first character of the lines of entities, and of no other lines."""
_OFFSET = "ner_offset = "
_PLACES = "ner_places = "
_NOTES = "ner_notes"
_REFERENCE = re.compile(r"\bT[0-9]+\b")


class _Line(NamedTuple):
    """A line of the text."""

    text: str
    offset: int
    """The offset of its first character."""
    places: list[int]
    """The numbers, from 1, of the lines of `.ann` with its annotations."""


class _Notes(NamedTuple):
    """The annotation of a sentence beyond the spans of its entities."""

    last: int
    """The greatest number of an id in the file."""
    ids: list[tuple[int, int, str]]
    """The ids of entities, with their begin and end in the sentence."""
    lines: list[tuple[int, str]]
    """The other lines, each with the number of entities above it."""


class Brat(_WithRelations):
    """brat standoff: the entities of a text in a file of their own (Stenetorp et al. 2012).

        T1<TAB>LC 0 3<TAB>프랑스

    The labels are in `.ann`, the file that is read and written here; the text is in `.txt`, a
    sentence a line. Begin and end count characters of the whole text, the end is exclusive; CRLF
    counts as two, a byte order mark as none. An entity in pieces (`0 3;5 8`) is told (W516) and has
    no labels; its line is kept as a note. Relations, attributes and notes ride with the entity
    above them, and the entities of such a file keep their ids, whatever their labels become. The
    third column repeats the text: if it differs, the offsets belong to another text. The lines
    stand in the order of annotation. If that is not the order of the text, comments keep the places
    of the lines.

    Args:
        settings: the path of the `.txt`; not needed for writing.
    """

    name = "brat"
    has_ids = False
    has_spans = True
    is_whole = True
    types = re.compile(r"\S+")

    def __init__(self, settings: str = "") -> None:
        # The path of the text is not a property of the file.
        super().__init__()
        self.path = settings
        self._lines: list[_Line] = []
        self._in_order = True
        self._last: int | None = None
        self._gone: set[str] = set()
        self._written = 0
        self._next = 0

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "", if the first line is an entity; else None."""
        return "" if _ENTITY.match(head) else None

    @classmethod
    def settings_beside(cls, path: str) -> str:
        """Return the path of the text beside the annotations, "" if there is none."""
        beside = Path(path).with_suffix(".txt") if path not in ("", "-") else None
        return str(beside) if beside is not None and beside.is_file() else ""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the annotations of each line of the text.

        Raises:
            UsageError: the text was not named.
            FormatError: the text cannot be read.
            OSError: likewise.
        """
        if not self.path:
            raise UsageError("brat: name the text as well: --from brat:FILE.txt")
        with Source(self.path, line_ends=False) as source:
            texts = source.text().split("\n")
        offsets = list(accumulate([len(text) + 1 for text in texts], initial=0))
        self._lines = [
            _Line(text.removesuffix("\r"), offset, [])
            for text, offset in zip(texts, offsets, strict=False)
        ]
        # Not splitlines: the third column may hold other line ends of Unicode.
        lines = LINE.findall("".join(chunks))
        index = 0
        for number, written in enumerate(lines, 1):
            match = _ENTITY.match(written)
            begin = to_number(match[2].partition(" ")[0]) if match else None
            if begin is not None:
                index = min(bisect_right(offsets, begin), len(texts)) - 1
            self._lines[index].places.append(number)
        if not all(map(_is_label, lines)):
            ids = [
                to_number(line[1:].partition("\t")[0]) for line in lines if line[:1] == _OF_ENTITY
            ]
            self._last = max([number or 0 for number in ids], default=0)
        places = [number for sentence in self._lines for number in sentence.places]
        self._in_order = places == sorted(places)
        line = 1
        for number, sentence in enumerate(self._lines, 1):
            text = "".join([lines[place - 1] for place in sentence.places])
            line = sentence.places[0] if sentence.places else line
            yield Block(text, line, number)

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        text, offset, places = self._lines[block.number - 1]
        lines = LINE.findall(block.text)
        entities = []
        notes = []
        for place, line, entity in self._entities(block):
            if _is_label(line):
                entities.append(entity)
            else:
                message = f"{line.strip()}: an entity in pieces has no labels"
                notes.append(LineNote(place, "W516", f"{message}; a comment of CoNLL-U keeps it"))
        comments = [f"{_OFFSET}{offset}"]
        if places and not self._in_order:
            comments.append(_PLACES + ",".join(map(str, places)))
        if self._last is not None:
            comments.append(restore_comment(_NOTES, _notes_of(lines, entities, self._last)))
        return labelled_text(text, entities)._replace(comments=tuple(comments), notes=tuple(notes))

    def _entities(self, block: Block) -> Iterator[tuple[int, str, Entity]]:
        """Yield the number and the text of each line of an entity, with the entity."""
        text, offset, places = self._lines[block.number - 1]
        for place, line in zip(places, LINE.findall(block.text), strict=True):
            if line.startswith(_OF_ENTITY):
                yield place, line, _entity(line.rstrip("\n"), place, text, offset)

    def write(self, labelled: Labelled) -> str:
        """Return the lines of a sentence; entities are numbered through the file.

        A sentence without an offset follows the one before it.
        """
        offsets = [c.removeprefix(_OFFSET) for c in labelled.comments if c.startswith(_OFFSET)]
        stated = to_number(offsets[0]) if offsets else None
        offset = self._next if stated is None else stated
        text = "".join(labelled.tokens)
        self._next = offset + len(text) + 1
        notes = next(filter(None, map(_read_notes, kept(labelled.comments, _NOTES))), None)
        ids: dict[tuple[int, int], list[str]] = {}
        for begin, end, name in notes.ids if notes else ():
            ids.setdefault((begin, end), []).append(name)
        written = []
        lines = []
        for type_, begin, end in labelled.all_entities():
            old_ids = ids.get((begin, end))
            written.append(old_ids.pop(0) if old_ids else self._new_id(notes))
            place = f"{offset + begin} {offset + end}"
            lines.append(f"{written[-1]}\t{type_} {place}\t{text[begin:end]}\n")
        return "".join(self._with_notes(lines, notes, written) if notes else lines)

    def _new_id(self, notes: _Notes | None) -> str:
        """Return the id of an entity that has none in the file."""
        self._written = max(self._written, notes.last if notes else 0) + 1
        return f"{_OF_ENTITY}{self._written}"

    def _with_notes(self, lines: list[str], notes: _Notes, written: list[str]) -> list[str]:
        """Return the lines of entities and notes, without notes on entities that are gone."""
        # A relation may stand below entities of several lines of the text.
        self._gone |= {entity_id for _, _, entity_id in notes.ids}.difference(written)
        merged = []
        rest = deque(notes.lines)
        for place_out in range(len(lines) + 1):
            while rest and (rest[0][0] <= place_out or place_out == len(lines)):
                line = rest.popleft()[1]
                about = "".join(line.split("\t")[1:2])
                if self._gone.isdisjoint(_REFERENCE.findall(about)):
                    merged.append(line + "\n")
                else:
                    self._left_out += 1
            merged += lines[place_out : place_out + 1]
        return merged

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the line of an entity."""
        entities = self._entities(block)
        lines_of = {entity[1:]: place for place, line, entity in entities if _is_label(line)}
        return lambda entity: lines_of.get(entity[1:], block.line)

    def places(self, comments: tuple[str, ...]) -> list[int]:
        """Return the numbers of the lines of a sentence, if they were not in order."""
        stated = [c.removeprefix(_PLACES) for c in comments if c.startswith(_PLACES)]
        numbers = [to_number(place) for place in ",".join(stated).split(",")]
        return [place for place in numbers if place is not None]


def _is_label(line: str) -> bool:
    """Test whether a line is an entity in one piece, which has labels."""
    return line.startswith(_OF_ENTITY) and ";" not in "".join(line.split("\t")[1:2])


def _notes_of(lines: list[str], entities: list[Entity], last: int) -> list[Any]:
    """Return the value of `_Notes` that a comment keeps.

    Args:
        lines: of a sentence.
        entities: of those lines that have one.
        last: the greatest number of an id in the file.
    """
    named = [line.partition("\t")[0] for line in lines if _is_label(line)]
    ids = [[e.begin, e.end, name] for e, name in zip(entities, named, strict=True)]
    above = accumulate(map(_is_label, lines), initial=0)
    pairs = zip(above, lines, strict=False)
    return [last, ids, [(n, line.rstrip("\n")) for n, line in pairs if not _is_label(line)]]


def _read_notes(value: Any) -> _Notes | None:
    """Return the notes that a comment keeps; None for a comment that was changed."""
    try:
        last, ids, lines = value
        return _Notes(
            int(last),
            [(int(begin), int(end), str(entity_id)) for begin, end, entity_id in ids],
            [(int(before), str(line)) for before, line in lines],
        )
    except (TypeError, ValueError):
        return None


def _entity(line: str, number: int, text: str, offset: int) -> Entity:
    """Return the entity of a line.

    Args:
        line: of `.ann`.
        number: of the line.
        text: the annotated line of the text.
        offset: of the first character of that line.

    Raises:
        FormatError: the line is not an entity, or the entity is of another text.
    """

    def fault(message: str, code: str) -> FormatError:
        return FormatError(message, line=number, text=line, code=code)

    match = _ENTITY.match(line)
    places = [to_number(place) for place in re.split("[ ;]", match[2])] if match else []
    offsets = [place - offset for place in places if place is not None]
    if match is None or len(offsets) < len(places):
        raise fault(
            "a line that begins with T is an entity: expected, with a tab before and behind it,"
            r" its type with begin and end, as in 'T1\tLC 0 3\t프랑스'",
            "E418",
        )
    spans = list(zip(offsets[::2], offsets[1::2], strict=True))
    if not all([0 <= begin < end <= len(text) for begin, end in spans]):
        message = "this entity ends behind its line of the text: is it the right text?"
        raise fault(message, "E408")
    shown = " ".join([text[begin:end] for begin, end in spans])
    # A comment of brat may follow behind one more tab.
    if as_text(match[3]) != as_text(shown) and match[3].partition("\t")[0] != shown:
        raise fault(
            f"the text has {shown} at {match[2]}, not {match[3]}: is it the right text, and did"
            " its line ends count as many characters when the entities were marked?",
            "E408",
        )
    return Entity(match[1], min(offsets), max(offsets))
