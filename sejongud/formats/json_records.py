"""Objects of JSON with a sentence each: on a line, or in a list.

The text and the labels of an object are read and written by its format; the other members ride in
comments.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sejongud.errors import FormatError
from sejongud.files import numbered_lines
from sejongud.formats.around import kept, restore_comment, to_json
from sejongud.formats.base import Block, to_number
from sejongud.formats.json_text import JsonText, Walk, check_depth, first_objects, load_json
from sejongud.formats.labelled import LabelFormat, Labelled, MorphemeRow, as_text
from sejongud.layers.labels import Entity
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sejongud.levels.upos import UposScheme
    from sejongud.rules import Rules

T = TypeVar("T")

_KINDS: dict[type[Any], str] = {str: "a string", list: "a list", dict: "an object"}

_RECORD = "ner_record"
OWN = "ner_own"
"""The key of the comment with the members that one format alone understands."""
_PLACES = frozenset(
    ("text", "label", "labels", "form", "NE", "tokens", "ner_tags", "upos", "xpos", "spans")
) | {"senses", "data", "entities", "relations", "Comments"}
"""The keys for text and labels in all these formats."""
_STYLES: dict[str, dict[str, Any]] = {
    "spaced": {"ensure_ascii": False},
    "compact": {"ensure_ascii": False, "separators": (",", ":")},
    "spaced-ascii": {"ensure_ascii": True},
    "compact-ascii": {"ensure_ascii": True, "separators": (",", ":")},
}
"""The ways to write a line of JSON: with or without spaces after , and :, and in ASCII or not."""
_ARRAYS = {
    "array": (_STYLES["spaced"], 0),
    "array-compact": (_STYLES["compact"], 0),
    "array-compact-ascii": (_STYLES["compact-ascii"], 0),
    "array-1": (_STYLES["spaced"], 1),
    "array-2": (_STYLES["spaced"], 2),
    "array-4": (_STYLES["spaced"], 4),
    "array-ascii": (_STYLES["spaced-ascii"], 0),
    "array-2-ascii": (_STYLES["spaced-ascii"], 2),
    "array-4-ascii": (_STYLES["spaced-ascii"], 4),
}
"""The ways to write a list: the style of the JSON, the blanks of its indentation (0: one line)."""
STYLES = (*_STYLES, *_ARRAYS)
"""The ways to write a file."""

MEMBER_FAULTS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""The errors that members of unexpected kinds raise where each member is not checked by itself."""
_SHOWN = 100
"""The number of characters of a value that a message shows."""


def shown(value: object) -> str:
    """Return a value as JSON for a message, shortened if it is long."""
    text = to_json(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def load_object(text: str, line: int) -> dict[str, Any]:
    """Return the object of a line.

    Raises:
        FormatError: the line is not a JSON object.
    """
    value = load_json(text.rstrip("\n"), line, "E405")
    if not isinstance(value, dict):
        raise FormatError("expected an object: { … }", line=line, text=text[:80], code="E405")
    return checked(value, line, text)


def recovered(text: str, line: int) -> dict[str, Any] | FormatError:
    """Return the object of a text that has a place of its own, or its fault."""
    try:
        return load_object(text, line)
    except FormatError as error:
        return error


def read_objects(
    chunks: Iterable[str], code: str
) -> Iterator[tuple[int, dict[str, Any] | FormatError]]:
    """Yield the objects of JSON, a list of them or one a line, with their lines; or their faults.

    Args:
        chunks: the text, each chunk ending at a line's end.
        code: of the error of a broken list.

    Raises:
        FormatError: the list of the objects is broken.
    """
    first, whole = first_chunk(iter(chunks))
    if first.lstrip()[:1] == "[":
        walk = Walk(whole, code)
        walk.peek()
        for _ in walk.elements():
            walk.peek()
            line = walk.line
            yield line, load_object(walk.take(), line)
        return
    for line, text in numbered_lines(whole):
        if text.strip():
            yield line, recovered(text, line)


def first_chunk(chunks: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return the first chunk with a text, "" if there is none, and all chunks.

    Lines count from the beginning of the file, those without a text as well.
    """
    ahead = []
    for chunk in chunks:
        ahead.append(chunk)
        if chunk.strip():
            break
    return ahead[-1] if ahead else "", chain(ahead, chunks)


def checked(value: dict[str, Any], line: int, text: str = "") -> dict[str, Any]:
    """Return an object whose brackets can be written and read again.

    Raises:
        FormatError: they are nested too deeply.
    """
    try:
        check_depth(value)
    except ValueError as error:
        raise FormatError(str(error), line=line, text=text[:80], code="E405") from None
    return value


def label_of(value: object) -> str:
    """Return the type of an entity.

    Raises:
        ValueError: it is not a text, or a line of a corpus cannot hold it.
    """
    if not isinstance(value, str):
        raise ValueError(f"a label is a text such as PS, not {shown(value)}")
    if as_text(value) != value:
        raise ValueError(f"a tab, a line's end or half a character in the label {shown(value)}")
    return value


def record_of(record: dict[str, Any], keys: Iterable[str]) -> str:
    """Return the comment with the members of an object other than its text and labels.

    Args:
        record: the object.
        keys: the keys of text and labels; their values are kept if `as_text` changes them.
    """
    rest = {
        key: None if key in keys and not is_odd(value) else value for key, value in record.items()
    }
    return restore_comment(_RECORD, rest)


def as_written(value: object, text: str) -> str:
    """Return the text of an object if `as_text` makes the text of the sentence of it.

    >>> as_written("나는\\n간다", "나는 간다"), as_written("나는\\n온다", "나는 간다")
    ('나는\\n간다', '나는 간다')
    """
    return value if isinstance(value, str) and as_text(value) == text else text


def is_odd(value: object) -> bool:
    """Test whether `as_text` changes a text, or one of a list."""
    if isinstance(value, list):
        return any(map(is_odd, value))
    return isinstance(value, str) and as_text(value) != value


def with_record(comments: Iterable[str], keys: Iterable[str]) -> dict[str, Any]:
    """Return the object that a comment keeps; an empty object if there is no such comment.

    Rows, which KMOU keeps under the same key, are not an object. The empty members that another
    format keeps for its text and labels are left out.

    Args:
        comments: of the sentence.
        keys: the keys of text and labels in this format.
    """
    record: dict[str, Any] = {}
    for value in kept(comments, _RECORD):
        record = value if isinstance(value, dict) else {}
    own_keys = _PLACES.difference(keys)
    return {key: value for key, value in record.items() if value is not None or key not in own_keys}


def own_of(comments: Iterable[str]) -> dict[str, Any]:
    """Return the members that a comment keeps for one format alone; {} if there are none."""
    values = [value for value in kept(comments, OWN) if isinstance(value, dict)]
    return values[0] if values else {}


def number_of(sent_id: str) -> int | str:
    """Return the id of a sentence as the number that it may be.

    >>> number_of("12"), number_of("a-1"), number_of("01")
    (12, 'a-1', '01')
    """
    number = to_number(sent_id)
    return sent_id if number is None or str(number) != sent_id else number


class JsonRecords(LabelFormat):
    """Reads and writes an object for each sentence: on a line, or in a list.

    Args:
        settings: the first one is of `STYLES`: how the JSON is written.
    """

    by_lines = True
    has_members = True
    keys: tuple[str, ...]
    """The members that hold the text and its labels: other formats have others."""
    format_keys: ClassVar[tuple[str, ...]] = ()
    """Those of them whose values a comment keeps for this format."""
    choices: ClassVar[tuple[Collection[str], ...]] = (STYLES,)
    _code: ClassVar[str] = "E406"
    """The code of an object whose members do not fit together."""
    _faults: ClassVar[tuple[type[Exception], ...]] = (ValueError,)
    """The errors of `_labelled` and `_comments` that are faults of the file."""

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._list = self._json_text()
        self.is_whole = self._list is not None

    def _json_text(self) -> JsonText | None:
        """Return the reader and writer of a file that is one value; None for a file of lines."""
        if self._chosen[0] not in _ARRAYS:
            return None
        style, indent = _ARRAYS[self._chosen[0]]
        return JsonText((), ["@"], indent, "such a corpus", "E405", **style)

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file: its lines, or the objects of its list."""
        return self._list.blocks(chunks) if self._list else super().blocks(chunks)

    def read(self, block: Block) -> Labelled:
        """Return the sentence of an object."""
        comments: tuple[str, ...] = ()
        if self._list:
            located = self._list.find(block)
            if located is None:
                return Labelled((), ())
            record, line, comment = located
            checked(record, line)
            comments = (comment,)
        elif not block.text.strip():
            return Labelled((), ())
        else:
            record, line = load_object(block.text, block.line), block.line
        text = shown(record) if self._list else ""
        try:
            labelled = self._labelled(record)
            comments = (*comments, *self._comments(record))
        except FormatError as error:
            error.text = error.text or text
            raise error.at(path="", line=line) from None
        except self._faults as error:
            message = str(error)
            if isinstance(error, KeyError):
                message = f"{error} is missing"
            elif not isinstance(error, ValueError):
                message = f"a member of the object is of another kind than expected: {error}"
            raise FormatError(message, line=line, text=text, code=self._code) from None
        notes = tuple([note._replace(line=line) for note in labelled.notes])
        return labelled._replace(sent_id=self._id_of(record), comments=comments, notes=notes)

    def _comments(self, record: dict[str, Any]) -> tuple[str, ...]:
        """Return the comments that keep the members beside text and labels."""
        members = {key: record[key] for key in self.format_keys if key in record}
        return (record_of(record, self.keys), *([restore_comment(OWN, members)] if members else []))

    def _record(self, labelled: Labelled) -> dict[str, Any]:
        """Return the object that the comments of a sentence keep, or one with its id alone."""
        record = with_record(labelled.comments, self.keys) or {"id": number_of(labelled.sent_id)}
        return record | own_of(labelled.comments)

    def _id_of(self, record: dict[str, Any]) -> str:
        """Return the id of an object, "" if it has none."""
        ids = [record[key] for key in ("id", "guid") if key in record]
        return as_text(str(ids[0])) if ids and ids[0] is not None else ""

    def end(self) -> str:
        """Return the closing bracket of a list."""
        return self._list.end() if self._list else ""

    @abstractmethod
    def _labelled(self, record: dict[str, Any]) -> Labelled:
        """Return the tokens and labels of an object.

        Raises:
            AttributeError, KeyError, TypeError, ValueError: a member is missing or of another kind.
            FormatError: an entity is not in the text.
        """

    def _dump(self, record: dict[str, Any], labelled: Labelled) -> str:
        """Return the text of an object, in a list with the text before it."""
        if self._list:
            return self._list.write(record, labelled.comments)
        return to_json(record, **_STYLES[self._chosen[0]]) + "\n"


class JsonDocument(JsonRecords):
    """Reads and writes a file that is one value of JSON with all sentences in it.

    Args:
        settings: the number of blanks by which the JSON is indented, `0` for JSON on one line;
            then values of `choices`.
    """

    choices: ClassVar[tuple[Collection[str], ...]] = ()
    has_members = False
    other_settings = "a number of blanks"
    _code = "E322"
    _usual: ClassVar[str] = "4"
    """The number of blanks where no setting says it."""

    def __init__(self, settings: str = "") -> None:
        words = settings.split()
        self._indent = words.pop(0) if words and words[0].isdecimal() else self._usual
        super().__init__(" ".join(words))

    @property
    def settings(self) -> str:
        """The indentation, and the chosen values."""
        return f"{self._indent} {super().settings}".rstrip()


def member(record: dict[str, Any], key: str, kind: type[T]) -> T:
    """Return the value of a key.

    Raises:
        ValueError: the key is missing, or its value is of another kind.
    """
    if key not in record:
        raise ValueError(f"{key} is missing")
    value = record[key]
    if not isinstance(value, kind):
        raise ValueError(f"{key} must be {_KINDS[kind]}, not {shown(value)}")
    return value


def span_of(span: Any, length: int) -> Entity:
    """Return the entity of a span.

    Args:
        span: [begin, end, label].
        length: the number of characters of the text.

    Raises:
        ValueError: the span has another form, or ends behind the text.
    """
    if not isinstance(span, list) or len(span) != 3:
        raise ValueError(f"expected [begin, end, label] for each entity, found {shown(span)}")
    begin, end, name = span
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end):
        raise ValueError(
            f"{shown([begin, end])}: expected begin and end, in characters, the end later"
        )
    if end > length:
        raise ValueError(f"[{begin}, {end}]: the text has {counted(length, 'character[s]')}")
    return Entity(label_of(name), begin, end)


def offsets_of(text: str, values: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the offset of each character of a text and of its end, as a file counts them.

    JavaScript counts a character beyond U+FFFF twice.

    Args:
        text: the text.
        values: the entities of the file, whose texts tell who has counted.

    >>> spring = {"start": 3, "end": 4, "text": "봄"}
    >>> offsets_of("😀 봄", [spring]), offsets_of("봄 😀 봄", [spring])
    ([0, 2, 3, 4], [0, 1, 2, 3, 4, 5])
    """
    plain = list(range(len(text) + 1))
    wide = list(accumulate([1 + (char > "\uffff") for char in text], initial=0))
    told = [value for value in values if isinstance(value.get("text"), str)]
    ends = [value.get(end) for value in told for end in ("start", "end")]
    if wide == plain or not all([isinstance(end, int) for end in ends]):
        return plain
    alike = []
    for offsets in (plain, wide):
        place = {offset: number for number, offset in enumerate(offsets)}
        places = [places_of(value, place) for value in told]
        alike.append([text[begin:end] for begin, end in places] == [one["text"] for one in told])
    return wide if alike == [False, True] else plain


def places_of(value: Mapping[str, Any], place: Mapping[int, int]) -> list[Any]:
    """Return begin and end of an entity in characters; what is no place stays.

    Args:
        value: the entity.
        place: the character at each offset.
    """
    ends = value.get("start"), value.get("end")
    return [place.get(end, end) if isinstance(end, int) else end for end in ends]


def same_or_new(
    old: object, new: Sequence[dict[str, Any]], keys: Sequence[str], kind: str = ""
) -> list[dict[str, Any]]:
    """Return new items, each replaced by the old item that has the same values, if there is one.

    So ids, weights and the like are kept that nobody has changed.

    Args:
        old: the list of the file, if it is one.
        new: the items to write.
        keys: the members that are compared.
        kind: the one of them that may have changed, as the type of an entity at the same place.

    >>> old, keys = [{"type": "LC", "at": 2, "weight": 0.4}], ["type", "at"]
    >>> same_or_new(old, [{"type": "LC", "at": 2}], keys)
    [{'type': 'LC', 'at': 2, 'weight': 0.4}]
    >>> same_or_new(old, [{"type": "OG", "at": 2}], keys, "type")
    [{'type': 'OG', 'at': 2, 'weight': 0.4}]
    """
    rest = [item for item in old if isinstance(item, dict)] if isinstance(old, list) else []
    found: dict[int, dict[str, Any]] = {}
    for changed in dict.fromkeys(("", kind)):
        compared = [key for key in keys if key != changed]
        by_values: dict[str, list[dict[str, Any]]] = {}
        for item in rest:
            by_values.setdefault(repr([item.get(key) for key in compared]), []).append(item)
        for number, item in enumerate(new):
            same = by_values.get(repr([item.get(key) for key in compared]))
            if same and number not in found:
                found[number] = {**same.pop(0), **({kind: item[kind]} if changed else {})}
        rest = list(chain.from_iterable(by_values.values()))
    return [found.get(number, item) for number, item in enumerate(new)]


def upos_of(rows: Iterable[MorphemeRow], rules: Rules | None) -> str:
    """Return the UPOS of a word of one morpheme or more.

    Args:
        rows: its morphemes, at least one.
        rules: the tables; None for the package's own.

    >>> upos_of([MorphemeRow("프랑스", "NNP", "O")], None)
    'PROPN'
    """
    # Only those who write UPOS import what makes it.
    from sejongud.model import Morpheme

    return _scheme(rules).of(tuple([Morpheme(row.form, row.tag) for row in rows]))


@lru_cache(maxsize=2)
def _scheme(rules: Rules | None) -> UposScheme:
    from sejongud.levels.upos import UposScheme
    from sejongud.rules import load

    return UposScheme(rules or load(), "sejong")


def first_object(head: str) -> dict[str, Any] | None:
    """Return the first object of a file, None if the file does not begin with one."""
    record = next(first_objects(head), None)
    try:
        return record and checked(record, 1)
    except FormatError:
        return None


def style_of(head: str) -> str:
    """Return the style of a file by its first object, which need not be the first item of its list.

    >>> style_of('{"a": 1}\\n'), style_of('[\\n  {\\n    "a": 1\\n  }\\n]')
    ('spaced', 'array-2')
    >>> style_of('[{"a": [,]}, {"b": 1}]'), style_of('["{", {"a": 1}]')
    ('array', 'array')
    """
    text = head.lstrip()
    begin = text.find("{")
    try:
        value, end = json.JSONDecoder().raw_decode(text, begin)
    except ValueError:  # The first object is damaged, or its bracket is text.
        return "array"
    written, opening = text[begin:end], text[:begin]
    if not opening:
        fits = [name for name, style in _STYLES.items() if to_json(value, **style) == written]
        return fits[0] if fits else "spaced"
    margin = opening.rpartition("\n")[2] if "\n" in opening else ""
    for name, (style, indent) in _ARRAYS.items():
        lines = to_json(value, **style, indent=indent or None).split("\n")
        # Some programs do not indent the objects of the list, but what is in them.
        if len(margin) in (0, indent) and ("\n" + margin).join(lines) == written:
            return name
    return "array"
