"""Entities in JSON: spans of a text (konne), or tokens with tags (Hugging Face `datasets`).

    {"id": 1, "text": "프랑스의 옷", "label": [[0, 3, "LC"]]}
    {"id": "1", "tokens": ["프랑스의", "옷"], "ner_tags": ["B-LC", "O"]}

A file has an object a line, or is a list of objects. Begin and end count characters (code points),
the end is exclusive. Other members of an object ride in a comment. Entities may be nested. A tab or
a line end in a text is a space between eojeols. If the tags are numbers, their names are needed as
settings.

The morphemes of a sentence can be flat lists, for `datasets` of Hugging Face:

    {"id": "1", "text": "프랑스의 옷", "tokens": ["프랑스", "의", "옷"],
     "ner_tags": ["B-LC", "O", "O"], "upos": ["PROPN", "ADP", "NOUN"],
     "xpos": ["NNP", "JKG", "NNG"], "spans": [[0, 3], [3, 4], [5, 6]]}

`tokens` are morphemes, so the text cannot be made of them (가+았다 is 갔다): `text` and `spans`
lead back. A span is the place of a morpheme in the text, in characters (code points), the end
exclusive; spans of fused morphemes overlap, and a morpheme without a surface has an empty one.
`senses` is there if a morpheme has a sense number. `card` returns the dataset card that makes
`ner_tags` a `ClassLabel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.errors import UsageError
from sejongud.formats.around import to_json
from sejongud.formats.json_records import (
    STYLES,
    JsonRecords,
    as_written,
    first_object,
    label_of,
    member,
    same_or_new,
    shown,
    span_of,
    style_of,
    upos_of,
    with_record,
)
from sejongud.formats.json_text import first_objects
from sejongud.formats.labelled import (
    Labelled,
    MorphemeRow,
    as_text,
    labelled_rows,
    labelled_text,
    labelled_tokens,
    placed_rows,
    split_sense,
    with_sense,
)
from sejongud.formats.schemes import OTHER_SCHEMES, labels_of, other_scheme, tags_of
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.layers.labels import Entity
    from sejongud.rules import Rules


_MORPHEME = "morpheme"


class SpanJsonl(JsonRecords):
    """Reads and writes texts with spans.

    Args:
        settings: how the JSON is written, see `STYLES`.
    """

    name = "konne"
    has_spans = True
    keys = ("text", "label", "labels")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the style, if the first line has a text and labels; else None."""
        record = first_object(head)
        if record is None or "text" not in record:
            return None
        values = [record.get("label"), record.get("labels")]
        return style_of(head) if any([isinstance(value, list) for value in values]) else None

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = member(record, "text", str)
        key = "label" if "label" in record else "labels"
        return labelled_text(text, [span_of(span, len(text)) for span in member(record, key, list)])

    def write(self, labelled: Labelled) -> str:
        """Return the line of a sentence."""
        spans = [[begin, end, name] for name, begin, end in labelled.all_entities()]
        record = self._record(labelled)
        key = "labels" if "labels" in record and "label" not in record else "label"
        text = as_written(record.get("text"), "".join(labelled.tokens))
        record |= {"text": text, key: spans}
        return self._dump(record, labelled)


class HfJsonl(JsonRecords):
    """Reads and writes tokens with tags, for `datasets.load_dataset("json")`.

    Args:
        settings: how JSON is written, such as `spaced`; then `syllable` if the tokens are the
            characters of the text, or `morpheme` (below); then `bilou` or
            `bmes`, if the tags are so; then the names of the tags, if these are numbers:
            `spaced eojeol O,B-LC,I-LC`.

    Raises:
        UsageError: there is no such style or unit, or a tag has no name.
    """

    name = "hf-jsonl"
    keys: tuple[str, ...] = ("tokens", "ner_tags")

    choices = (STYLES, ("eojeol", "syllable", _MORPHEME), ("", *OTHER_SCHEMES))
    more_settings = True

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self.unit = "eojeol" if self._chosen[1] == "eojeol" else "syllable"
        self.has_morphemes = self.labels_rows = self._chosen[1] == _MORPHEME
        self._scheme = self._chosen[2] or "bio"
        if self.has_morphemes:
            self.keys = (*self.keys, *MORPHEME_KEYS)
        names = " ".join(self._more)
        self.names = [name.strip() for name in names.split(",")] if names else []
        """The names of the tags that are numbers; none if tags are texts."""
        if any([not name or " " in name for name in self.names]):
            message = "hf-jsonl: the names of tags are expected with a comma between, as in O,B-LC"
            raise UsageError(f"{message}: {names}")
        self._more = [",".join(self.names)] if names else []

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return style, unit and scheme, if the first line has tokens and tags; else None.

        The lines of a release have them beside all that the format `jsonl` has.
        """
        record = first_object(head)
        if record is None or not {"tokens", "ner_tags"} <= set(record) or "eojeols" in record:
            return None
        tokens = record["tokens"]
        alone = isinstance(tokens, list) and all([len(str(token)) == 1 for token in tokens])
        unit = "syllable" if alone and " " in tokens else "eojeol"
        if set(record) >= MORPHEME_KEYS:
            unit = _MORPHEME
        lists = [record.get("ner_tags") for record in first_objects(head)]
        tags = [tag for numbers in lists if isinstance(numbers, list) for tag in numbers]
        scheme = other_scheme([tag for tag in tags if isinstance(tag, str)])
        return f"{style_of(head)} {unit} {scheme}".rstrip()

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        tokens, tags = [member(record, key, list) for key in ("tokens", "ner_tags")]
        if len(tokens) != len(tags):
            raise ValueError(
                f"{counted(len(tokens), 'token[s]')} and {counted(len(tags), 'ner_tag[s]')}"
            )
        for number, token in enumerate(tokens, 1):
            self._check(token, number)
        labels = labels_of(map(self._label, tags), self._scheme)
        if self.has_morphemes:
            return labelled_morphemes(record, labels)
        return labelled_tokens(map(as_text, tokens), labels)

    def _check(self, token: Any, number: int) -> None:
        """Check a token.

        Raises:
            ValueError: the token is not a text, is empty, or is not one character.
        """
        if not isinstance(token, str):
            raise ValueError(f"token {number} must be a string, not {shown(token)}")
        if self.unit == "syllable" and not self.has_morphemes:
            if len(token) != 1:
                message = "the tokens are characters here (syllable): "
                raise ValueError(f"{message}token {number} is {shown(token)}")
        elif not token.strip(" \t\r\n"):
            raise ValueError(f"token {number} is empty")

    def _label(self, tag: Any) -> str:
        """Return the label of a tag, which may be a number.

        Raises:
            ValueError: the tag is no label, or its number has no name.
        """
        if tag == "":
            raise ValueError("a tag is empty")
        if not isinstance(tag, int) or isinstance(tag, bool):
            return label_of(tag)
        if not self.names:
            raise ValueError(
                "ner_tags are numbers; give the names of their tags, from 0 on:"
                f" --from '{self.name}:{self.settings} O,B-PS,I-PS' (for `eval`: of `ner convert`,"
                " before it); those of KLUE-NER at Hugging Face are"
                " B-DT,I-DT,B-LC,I-LC,B-OG,I-OG,B-PS,I-PS,B-QT,I-QT,B-TI,I-TI,O"
            )
        if not 0 <= tag < len(self.names):
            last = len(self.names) - 1
            # Hugging Face has -100 for tokens without a label.
            why = " (which tells a model to ignore the token, and is no label)" * (tag == -100)
            raise ValueError(f"the tag {tag}{why} has no name: 0 to {last} are named")
        return self.names[tag]

    def write(self, labelled: Labelled) -> str:
        """Return the line of a sentence."""
        record = with_record(labelled.comments, self.keys) or {"id": labelled.sent_id}
        if self.has_morphemes:
            flat = flat_morphemes(labelled, self.rules)
            flat["ner_tags"] = self._tags(flat["ner_tags"])
            return self._dump(record | flat, labelled)
        old_tokens = record.get("tokens")
        tokens = list(labelled.tokens)
        if isinstance(old_tokens, list) and len(old_tokens) == len(tokens):
            tokens = list(map(as_written, old_tokens, tokens))
        tags = self._tags(labelled.labels)
        return self._dump(record | {"tokens": tokens, "ner_tags": tags}, labelled)

    def _tags(self, labels: Iterable[str]) -> list[str | int]:
        """Return the tags of labels: their numbers, if they have any."""
        number = {name: number for number, name in enumerate(self.names)}
        return [number.get(tag, tag) for tag in tags_of(tuple(labels), self._scheme)]


MORPHEME_KEYS = frozenset({"text", "upos", "xpos", "spans"})
"""The members beside `tokens` and `ner_tags`."""


def labelled_morphemes(record: dict[str, Any], labels: Sequence[str]) -> Labelled:
    """Return the sentence of an object.

    Args:
        record: the object, whose `tokens` are as many texts as there are labels.
        labels: of the tokens.

    Raises:
        ValueError: a member is missing, has another length, or a span is not in the text.
    """
    tokens, text = record["tokens"], member(record, "text", str)
    xpos, spans = [member(record, key, list) for key in ("xpos", "spans")]
    senses = record.get("senses") or [""] * len(tokens)
    for key, values in (("xpos", xpos), ("spans", spans), ("senses", senses)):
        if len(values) != len(tokens):
            size = counted(len(tokens), "value[s]")
            raise ValueError(f"{key} must be a list of {size}, one for each token")
    if not all(map(_is_span, spans)) or not all([tag and isinstance(tag, str) for tag in xpos]):
        raise ValueError("expected a tag in xpos, and begin and end in spans, for each token")
    rows = [
        MorphemeRow(with_sense(as_text(form), str(sense)), tag, label)
        for form, tag, label, sense in zip(tokens, xpos, labels, senses, strict=True)
    ]
    return labelled_rows(as_text(text), rows, [(begin, end) for begin, end in spans])


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


def flat_morphemes(labelled: Labelled, rules: Rules | None) -> dict[str, Any]:
    """Return the members of a sentence.

    Args:
        labelled: with morphemes and their spans.
        rules: the tables that tell UPOS; None for the package's own.
    """
    pairs = list(placed_rows(labelled))
    forms = [split_sense(row.form) for row, _ in pairs]
    members: dict[str, Any] = {
        "text": "".join(labelled.tokens),
        "tokens": [form for form, _ in forms],
        "ner_tags": [row.label for row, _ in pairs],
        "upos": [upos_of([row], rules) for row, _ in pairs],
        "xpos": [row.tag for row, _ in pairs],
        "spans": [list(span) for _, span in pairs],
    }
    if any([sense for _, sense in forms]):
        members["senses"] = [sense for _, sense in forms]
    return members


_CARD = """\
---
configs:
- config_name: default
  data_files: {file}
dataset_info:
  features:
  - name: id
    dtype: string
{others}  - name: tokens
    sequence: string
  - name: ner_tags
    sequence:
      class_label:
        names:
{names}
{more}---
"""
_STRINGS = "  - name: {}\n    sequence: string\n"
_SPANS = "  - name: spans\n    sequence:\n      sequence: int64\n"


def card(file: str, labels: Iterable[str], *, morphemes: bool) -> str:
    """Return the dataset card of a file: with it, `load_dataset(FOLDER)` has the names of the tags.

    Args:
        file: the name of the data in the folder of the card.
        labels: all that occur; O is added and is 0.
        morphemes: whether the tokens are morphemes, which have more members.

    >>> card("a.jsonl", ["I-PS", "B-PS"], morphemes=False).split("names:")[1].split()
    ["'0':", '"O"', "'1':", '"B-PS"', "'2':", '"I-PS"', '---']
    """
    names = ["O", *sorted(set(labels) - {"O"}, key=lambda label: (label[2:], label))]
    rows = "\n".join([f"          '{n}': {to_json(name)}" for n, name in enumerate(names)])
    others = "  - name: text\n    dtype: string\n" if morphemes else ""
    more = _STRINGS.format("upos") + _STRINGS.format("xpos") + _SPANS if morphemes else ""
    return _CARD.format(file=to_json(file), others=others, names=rows, more=more)


_MEMBERS = ("entities", "spans")
_PLACES = ("start", "end")
_TYPES = ("label", "entity_group")


class Spans(JsonRecords):
    """Texts with their entities as objects, as scripts for spaCy, GLiNER and prodigy write them.

        {"text": "프랑스의 옷", "entities": [{"start": 0, "end": 3, "label": "LC"}]}

    The member is `entities` or `spans`, and the type is `label`, or `entity_group` as pipelines of
    Hugging Face write it. Begin and end count characters (code points), the end is
    exclusive; entities may be nested. An entity whose place is the same keeps its further members.

    Args:
        settings: how the JSON is written, see `sejongud.formats.json_records.STYLES`; then `spans`
            if that is the member with the entities, and not `entities`; then `entity_group` if that
            is the type.
    """

    name = "spans"
    has_spans = True
    format_keys = _MEMBERS
    keys = ("text", *format_keys)
    choices = (STYLES, _MEMBERS, ("", *_TYPES[1:]))

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._keys = (*_PLACES, self._chosen[2] or _TYPES[0])

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
                    names = [set(item) if isinstance(item, dict) else set() for item in items]
                    for name in _TYPES:
                        if all([{*_PLACES, name} <= members for members in names]):
                            other = "" if name == _TYPES[0] else f" {name}"
                            return f"{style_of(head)} {key}{other}"
                    return None
        return None

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = member(record, "text", str)
        items = member(record, self._chosen[1], list)
        return labelled_text(text, [self._entity(item, len(text)) for item in items])

    def write(self, labelled: Labelled) -> str:
        """Return the text of a sentence."""
        record = self._record(labelled)
        key, kind = self._chosen[1], self._keys[-1]
        if key not in record:  # The file had the other member.
            record = {key if name in _MEMBERS else name: own for name, own in record.items()}
        old = record.get(key)
        if isinstance(old, list) and all(
            [isinstance(one, dict) and kind not in one for one in old]
        ):
            old = [{kind if name in _TYPES else name: one[name] for name in one} for one in old]
        new = [
            dict(zip(self._keys, (begin, end, name), strict=True))
            for name, begin, end in labelled.all_entities()
        ]
        items = same_or_new(old, new, self._keys, kind)
        text = as_written(record.get("text"), "".join(labelled.tokens))
        return self._dump(record | {"text": text, key: items}, labelled)

    def _entity(self, item: Any, length: int) -> Entity:
        """Return the entity of an item.

        Raises:
            ValueError: the item is no entity in the text.
        """
        if not isinstance(item, dict):
            message = f"an entity is an object with {', '.join(self._keys)}, not {shown(item)}"
            raise ValueError(message)
        return span_of([item.get(key) for key in self._keys], length)
