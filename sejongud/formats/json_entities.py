"""Entities in JSON Lines: spans of a text (konne, doccano), or tokens with tags (Hugging Face).

    {"id": 1, "text": "프랑스의 옷", "label": [[0, 3, "LC"]]}
    {"id": "1", "tokens": ["프랑스의", "옷"], "ner_tags": ["B-LC", "O"]}

Begin and end are characters (code points), the end exclusive. What else an object holds rides
along. Entities may be nested. Where the tags are numbers, their names must be given.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sejongud.errors import FormatError, UsageError
from sejongud.formats.labelled import Block, LabelFormat, Labelled, Unit, line_blocks
from sejongud.labels import OUTSIDE, Entity, layers, to_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["HfJsonl", "SpanJsonl", "dump", "load_object", "record_of", "shown", "with_record"]

_RECORD = "ner_record = "
_STYLES = {
    "spaced": {"ensure_ascii": False},
    "compact": {"ensure_ascii": False, "separators": (",", ":")},
    "spaced-ascii": {"ensure_ascii": True},
    "compact-ascii": {"ensure_ascii": True, "separators": (",", ":")},
}
"""How a line of JSON is written: with spaces behind , and :, in ASCII alone."""

_SHOWN = 100
"""Characters of a value that a message shows."""


def dump(value: object, style: str) -> str:
    """JSON in a style of those that are about."""
    return json.dumps(value, **_STYLES[style])  # type: ignore[arg-type]


def shown(value: object) -> str:
    """A value as the file has it, for a message; the beginning of a long one."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def load_object(text: str, line: int) -> dict[str, Any]:
    """A line as an object.

    Raises:
        FormatError: it is none.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise FormatError(f"this line is not JSON: {error}", line=line, code="E405") from None
    if not isinstance(value, dict):
        raise FormatError("expected an object: { … }", line=line, text=text[:80], code="E405")
    return value


def record_of(record: dict[str, Any], own: Iterable[str]) -> str:
    """The comment with what an object holds beyond the keys that the labels are made of."""
    rest = {key: None if key in own else value for key, value in record.items()}
    return _RECORD + json.dumps(rest, ensure_ascii=False)


def with_record(comments: Iterable[str], values: dict[str, Any]) -> dict[str, Any]:
    """The object of a comment with these values in it; those alone if there is no comment."""
    record: dict[str, Any] = {}
    for comment in comments:
        if comment.startswith(_RECORD):
            record = json.loads(comment.removeprefix(_RECORD))
    return record | values


class _JsonLines(LabelFormat):
    """What both layouts share."""

    keys: ClassVar[tuple[str, ...]]

    @property
    def settings(self) -> str:
        """The style of the JSON, and what else a subclass needs."""
        return self._style

    def __init__(self, settings: str = "") -> None:
        self._style = settings or "spaced"
        if self._style not in _STYLES:
            raise UsageError(f"{self.name}: there is no style {settings}: {', '.join(_STYLES)}")

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """The lines."""
        return line_blocks(chunks)

    def read(self, block: Block) -> Labelled:
        """The sentence of a line."""
        if not block.text.strip():
            return Labelled((), ())
        record = load_object(block.text, block.line)
        try:
            labelled = self._labelled(record)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
            raise FormatError(what, line=block.line, code="E406") from None
        ids = [record[key] for key in ("id", "guid") if key in record]
        sent_id = str(ids[0]) if ids else ""
        comment = record_of(record, self._keys(record))
        return labelled._replace(sent_id=sent_id, comments=(comment,))

    @abstractmethod
    def _labelled(self, record: dict[str, Any]) -> Labelled:
        """The tokens and labels of an object; raises as Python does where they are missing."""

    def _keys(self, record: dict[str, Any]) -> tuple[str, ...]:
        return self.keys


class SpanJsonl(_JsonLines):
    """Reads and writes texts with spans.

    Args:
        settings: how JSON is written, such as `spaced` or `compact-ascii`.

    Raises:
        UsageError: no such style.
    """

    name: ClassVar[str] = "konne"
    unit: Unit = "syllable"
    keys: ClassVar[tuple[str, ...]] = ("text", "label", "labels")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """The style, if the first line has a text and labels."""
        record = _first(head)
        if record is None or "text" not in record or not {"label", "labels"} & set(record):
            return None
        return _style(head, record)

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = record["text"]
        if not isinstance(text, str):
            raise TypeError("text is no text")
        spans = record["label"] if "label" in record else record["labels"]
        entities = []
        for begin, end, of in spans:
            if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end):
                raise ValueError(f"[{begin}, {end}]: expected begin and end, in characters")
            if end > len(text):
                raise ValueError(f"[{begin}, {end}]: the text has {len(text)} characters")
            entities.append(Entity(str(of), begin, end))
        found = [to_labels(layer, len(text)) for layer in layers(entities)]
        return Labelled(
            tuple(text), tuple(found) or (() if not text else ((OUTSIDE,) * len(text),))
        )

    def write(self, labelled: Labelled) -> str:
        """The line of a sentence."""
        spans = [
            [begin, end, of]
            for of, begin, end in sorted(labelled.all_entities(), key=lambda e: (e.begin, e.end))
        ]
        record = with_record(labelled.comments, {})
        key = "labels" if "labels" in record and "label" not in record else "label"
        record |= {"text": "".join(labelled.tokens), key: spans}
        return dump(record, self._style) + "\n"


class HfJsonl(_JsonLines):
    """Reads and writes tokens with tags, for `datasets.load_dataset("json")`.

    Args:
        settings: how JSON is written, such as `spaced`; then `syllable` if the tokens are the
            characters of the text; then the names of the tags, if these are numbers:
            `spaced eojeol O,B-LC,I-LC`.

    Raises:
        UsageError: no such style or unit.
    """

    name: ClassVar[str] = "hf-jsonl"
    unit: Unit = "eojeol"
    keys: ClassVar[tuple[str, ...]] = ("tokens", "ner_tags")

    def __init__(self, settings: str = "") -> None:
        style, unit, names = [*settings.split(), *("spaced", "eojeol", "")[len(settings.split()) :]]
        super().__init__(style)
        if unit not in ("eojeol", "syllable"):
            raise UsageError(f"hf-jsonl: there is no unit {unit}: eojeol, syllable")
        self.unit = "eojeol" if unit == "eojeol" else "syllable"
        self._names = names.split(",") if names else []

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Style and unit, if the first line has tokens and tags."""
        record = _first(head)
        if record is None or not {"tokens", "ner_tags"} <= set(record):
            return None
        tokens = record["tokens"]
        alone = isinstance(tokens, list) and all([len(str(token)) == 1 for token in tokens])
        return f"{_style(head, record)} {'syllable' if alone and ' ' in tokens else 'eojeol'}"

    @property
    def settings(self) -> str:
        """Style, unit, and the names of the tags."""
        return f"{self._style} {self.unit} {','.join(self._names)}".rstrip()

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        tokens, tags = record["tokens"], record["ner_tags"]
        if len(tokens) != len(tags):
            raise ValueError(f"{len(tokens)} tokens and {len(tags)} ner_tags")
        labels = []
        for tag in tags:
            if isinstance(tag, int) and not self._names:
                raise ValueError(
                    "ner_tags are numbers; name what they stand for:"
                    " --format 'hf-jsonl:spaced eojeol O,B-PS,I-PS'"
                )
            labels.append(self._names[tag] if isinstance(tag, int) else str(tag))
        return Labelled(tuple(map(str, tokens)), (tuple(labels),) if tokens else ())

    def write(self, labelled: Labelled) -> str:
        """The line of a sentence."""
        number = {name: at for at, name in enumerate(self._names)}
        labels = labelled.layers[0] if labelled.layers else ()
        tags = [number.get(label, label) for label in labels]
        values: dict[str, Any] = {"tokens": list(labelled.tokens), "ner_tags": tags}
        record = with_record(labelled.comments, {})
        return dump((record or {"id": labelled.sent_id}) | values, self._style) + "\n"


def _first(head: str) -> dict[str, Any] | None:
    """The first line as an object, if it is one."""
    line = head.lstrip().partition("\n")[0]
    if not line.startswith("{"):
        return None
    try:
        return load_object(line, 1)
    except FormatError:
        return None


def _style(head: str, record: dict[str, Any]) -> str:
    """The style that a line was written in."""
    line = head.lstrip().partition("\n")[0]
    return next((style for style in _STYLES if dump(record, style) == line), "spaced")
