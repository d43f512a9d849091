"""The JSON of ETRI's corpora and analyser (memoir, Table 3.7): entities by the ids of morphemes.

    {"sentence": [{"id": 0, "text": "프랑스의 옷",
      "morp": [{"id": 0, "lemma": "프랑스", "type": "NNP", "position": 0, "weight": 1}, …],
      "word": [{"id": 0, "text": "프랑스의", "type": "", "begin": 0, "end": 1}, …],
      "NE":   [{"id": 0, "text": "프랑스", "type": "LC", "begin": 0, "end": 0, …}]}]}

`begin` and `end` of words and entities are ids of morphemes, the end inclusive; `position` counts
bytes of UTF-8 from the beginning of the document. The list may stand under `return_object`, as
the analyser returns it. Other layers (`WSD`, `dependency` …) ride in a comment. `scode` is the
sense number of a morpheme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.formats.json_records import (
    MEMBER_FAULTS,
    OWN,
    JsonDocument,
    as_written,
    is_odd,
    label_of,
    number_of,
    own_of,
    shown,
)
from sejongud.formats.json_text import JsonText, indent_of
from sejongud.formats.labelled import Labelled, MorphemeRow, as_text, rider
from sejongud.formats.placed import (
    EOJEOL,
    labelled_rows,
    placed_rows,
    same_or_new,
    split_sense,
    with_sense,
)
from sejongud.layers.labels import Entity, find_entities, layers, to_labels
from sejongud.layers.places import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sejongud.model import Span

_RETURNED = "return_object"


class Etri(JsonDocument):
    """Reads and writes ETRI's JSON.

    Args:
        settings: the number of blanks by which the JSON is indented, `0` for JSON on one line; then
            `return_object` if the sentences stand under it.
    """

    name = "etri"
    _faults = MEMBER_FAULTS
    has_morphemes = True
    labels_rows = True
    has_spans = True
    choices = (("", _RETURNED),)

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._position = 0

    def _json_text(self) -> JsonText:
        template: dict[str, Any] = {"sentence": ["@"]}
        if self._chosen == [_RETURNED]:
            template = {_RETURNED: template}
        path = (*filter(None, self._chosen), "sentence")
        return JsonText(path, template, int(self._indent), "ETRI's corpora", self._code)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the indentation and the place of the list; None if it is another format."""
        if not head.lstrip().startswith("{") or '"morp"' not in head or '"sentence"' not in head:
            return None
        indent = indent_of(head)
        return f"{indent} {_RETURNED}" if f'"{_RETURNED}"' in head else str(indent)

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = record.get("text")
        if not isinstance(text, str) or not text.strip():
            return Labelled((), ())
        return _sentence(as_text(text), record)

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        text = record.get("text")
        return (rider(OWN, record | ({} if is_odd(text) else {"text": None})),)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        record = own_of(labelled.comments) or {"id": number_of(labelled.sent_id)}
        text = as_written(record.get("text"), "".join(labelled.tokens))
        pairs = list(placed_rows(labelled))
        start = self._position
        self._position += len(text.encode("utf-8", "surrogatepass"))
        new = {
            "morp": [_morpheme(*pair, i, start, text) for i, pair in enumerate(pairs)],
            "word": list(_words(labelled, text)),
            "NE": list(_entities(pairs, text)),
        }
        record |= {"text": text}
        for key, items in new.items():
            record[key] = same_or_new(record.get(key), items, _COMPARED[key])
        return self._dump(record, labelled)


_COMPARED = {
    "morp": ("id", "lemma", "type"),
    "word": ("id", "text", "begin", "end"),
    "NE": ("text", "type", "begin", "end"),
}
"""The members of the items of a layer that the labels and morphemes of a sentence tell."""


def _sentence(text: str, record: dict[str, Any]) -> Labelled:
    """Return the sentence of a text with its layers.

    Raises:
        KeyError: a member is missing.
        TypeError: a member is of another type.
        ValueError: an id or a place is none of this sentence.
    """
    items = record["morp"]
    number = {item["id"]: i for i, item in enumerate(items)}
    entities = []
    for item in record.get("NE") or ():
        if item["begin"] not in number or item["end"] not in number:
            raise ValueError(f"no morpheme has the id that this entity names: {shown(item)}")
        begin, end = number[item["begin"]], number[item["end"]] + 1
        if end <= begin:
            raise ValueError(f"this entity ends before it begins: {shown(item)}")
        entities.append(Entity(label_of(item["type"]), begin, end))
    for item in items:
        if not all([isinstance(item[key], str) and item[key] for key in ("lemma", "type")]):
            raise ValueError(f"a morpheme has a lemma and a type, both texts, not {shown(item)}")
    flat = [to_labels(layer, len(items)) for layer in layers(entities) or [[]]]
    rows = [
        MorphemeRow(
            with_sense(item["lemma"], str(item.get("scode") or "")), item["type"], label, (*inner,)
        )
        for item, (label, *inner) in zip(items, zip(*flat, strict=True), strict=True)
    ]
    spans = _spans(text, [item.get("position") for item in items])
    return labelled_rows(text, rows, spans or _eojeols(text, record["word"], number))


def _spans(text: str, positions: list[Any]) -> list[Span]:
    """Return the places of morphemes in a text; [] if a position is no place in it.

    A morpheme ends where the next one begins, or its eojeol ends; of morphemes at the same place
    the earlier ones are empty.

    Args:
        text: the sentence, perhaps with a space before its first morpheme.
        positions: of the morphemes, in bytes of UTF-8 from the beginning of the document.
    """
    if not positions or type(positions[0]) is not int:
        return []
    at_byte = {}
    size = positions[0] - (len(text) - len(text.lstrip(" ")))
    for index, character in enumerate(text):
        at_byte[size] = index
        size += len(character.encode("utf-8", "surrogatepass"))
    if not all([type(position) is int and position in at_byte for position in positions]):
        return []
    begins = [at_byte[position] for position in positions]
    if begins != sorted(begins):
        return []
    ends = []
    for begin, after in zip(begins, [*begins[1:], len(text)], strict=True):
        space = text.find(" ", begin, after)
        ends.append(after if space < 0 else space)
    return list(zip(begins, ends, strict=True))


def _eojeols(text: str, words: list[Any], number: dict[int, int]) -> list[Span]:
    """Return the place of the eojeol of each morpheme, where the morphemes' own are unknown.

    Raises:
        KeyError: a member is missing, or no morpheme has the id that a word names.
        ValueError: the words are others than those of the text.
    """
    forms = [word["text"] for word in words]
    if forms != EOJEOL.findall(text):
        raise ValueError("the words of the sentence differ from its text")
    spans: list[Span] = []
    for word, span in zip(words, places(text, forms), strict=True):
        spans += [span] * (number[word["end"]] + 1 - number[word["begin"]])
    if len(spans) != len(number):
        raise ValueError("the words have other morphemes than the sentence")
    return spans


def _morpheme(row: MorphemeRow, span: Span, number: int, start: int, text: str) -> dict[str, Any]:
    """Return the item of a morpheme."""
    lemma, sense = split_sense(row.form)
    position = start + len(text[: span[0]].encode("utf-8", "surrogatepass"))
    item = {"id": number, "lemma": lemma, "type": row.tag, "position": position, "weight": 1}
    return item | ({"scode": sense} if sense else {})


def _words(labelled: Labelled, text: str) -> Iterator[dict[str, Any]]:
    """Yield the items of the eojeols."""
    first = 0
    forms = EOJEOL.findall(text)
    same = len(forms) == len(labelled.morphemes)
    for number, (rows, spans) in enumerate(zip(labelled.morphemes, labelled.spans, strict=True)):
        form = forms[number] if same else text[spans[0][0] : spans[-1][1]]
        yield {"id": number, "text": form, "type": "", "begin": first, "end": first + len(rows) - 1}
        first += len(rows)


def _entities(pairs: list[tuple[MorphemeRow, Span]], text: str) -> Iterator[dict[str, Any]]:
    """Yield the items of the entities."""
    flat = zip(*[(row.label, *row.inner) for row, _ in pairs], strict=True)
    entities = sorted(
        [entity for labels in flat for entity in find_entities(labels)],
        key=lambda entity: (entity.begin, -entity.end),
    )
    for number, (name, begin, end) in enumerate(entities):
        shape = text[pairs[begin][1][0] : max([span[1] for _, span in pairs[begin:end]])]
        ids = {"begin": begin, "end": end - 1}
        yield {"id": number, "text": shape, "type": name, **ids, "weight": 1, "common_noun": 0}
