"""Entities in JSON Lines: spans of a text (konne, doccano), or tokens with tags (Hugging Face).

    {"id": 1, "text": "프랑스의 옷", "label": [[0, 3, "LC"]]}
    {"id": "1", "tokens": ["프랑스의", "옷"], "ner_tags": ["B-LC", "O"]}

Begin and end count characters (code points), the end is exclusive. Other members of an object ride
in a comment. Entities may be nested. A tab or a line end in a text is a space between eojeols. If
the tags are numbers, their names are needed as settings.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sejongud.errors import FormatError, UsageError
from sejongud.formats.base import check_depth, parse_json
from sejongud.formats.labelled import (
    Block,
    LabelFormat,
    Labelled,
    as_text,
    kept,
    labelled_text,
    labelled_tokens,
    rider,
    to_json,
)
from sejongud.layers.labels import Entity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = [
    "HfJsonl",
    "SpanJsonl",
    "as_written",
    "label_of",
    "load_object",
    "record_of",
    "shown",
    "with_record",
]

T = TypeVar("T")

_KINDS: dict[type[Any], str] = {str: "string", list: "list"}
_IGNORED = -100
"""The tag of Hugging Face for tokens without a label."""

_RECORD = "ner_record"
_PLACES = frozenset({"text", "label", "labels", "form", "NE", "tokens", "ner_tags"})
"""The keys for text and labels in all these formats."""
_STYLES: dict[str, dict[str, Any]] = {
    "spaced": {"ensure_ascii": False},
    "compact": {"ensure_ascii": False, "separators": (",", ":")},
    "spaced-ascii": {"ensure_ascii": True},
    "compact-ascii": {"ensure_ascii": True, "separators": (",", ":")},
}
"""The ways to write a line of JSON: with or without spaces after , and :, and in ASCII or not."""

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
    try:
        value = parse_json(text)
    except ValueError as error:
        raise FormatError(f"this line is not JSON: {error}", line=line, code="E405") from None
    if not isinstance(value, dict):
        raise FormatError("expected an object: { … }", line=line, text=text[:80], code="E405")
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


def record_of(record: dict[str, Any], own: Iterable[str]) -> str:
    """Return the comment with the members of an object other than its text and labels.

    Args:
        record: the object.
        own: the keys of text and labels; their values are kept if `as_text` changes them.
    """
    rest = {
        key: None if key in own and not _is_odd(value) else value for key, value in record.items()
    }
    return rider(_RECORD, rest)


def as_written(said: object, text: str) -> str:
    """Return the text of an object if `as_text` makes the text of the sentence of it.

    >>> as_written("나는\\n간다", "나는 간다"), as_written("나는\\n온다", "나는 간다")
    ('나는\\n간다', '나는 간다')
    """
    return said if isinstance(said, str) and as_text(said) == text else text


def _is_odd(value: object) -> bool:
    """Test whether `as_text` changes a text, or one of a list."""
    if isinstance(value, list):
        return any(map(_is_odd, value))
    return isinstance(value, str) and as_text(value) != value


def with_record(comments: Iterable[str], own: Iterable[str]) -> dict[str, Any]:
    """Return the object that a comment keeps; an empty object if there is no such comment.

    Rows, which KMOU keeps under the same key, are not an object. The empty members that another
    format keeps for its text and labels are left out.

    Args:
        comments: of the sentence.
        own: the keys of text and labels in this format.
    """
    record: dict[str, Any] = {}
    for said in kept(comments, _RECORD):
        record = said if isinstance(said, dict) else {}
    others = _PLACES.difference(own)
    return {key: value for key, value in record.items() if value is not None or key not in others}


class _JsonLines(LabelFormat):
    """Reads and writes a sentence a line, in either layout."""

    by_lines = True
    keys: ClassVar[tuple[str, ...]]
    choices: ClassVar[tuple[Collection[str], ...]] = (_STYLES,)

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a line."""
        if not block.text.strip():
            return Labelled((), ())
        record = load_object(block.text, block.line)
        try:
            labelled = self._labelled(record)
        except ValueError as error:
            raise FormatError(str(error), line=block.line, code="E406") from None
        ids = [record[key] for key in ("id", "guid") if key in record]
        sent_id = as_text(str(ids[0])) if ids else ""
        comment = record_of(record, self.keys)
        return labelled._replace(sent_id=sent_id, comments=(comment,))

    @abstractmethod
    def _labelled(self, record: dict[str, Any]) -> Labelled:
        """Return the tokens and labels of an object.

        Raises:
            ValueError: a member is missing or of another kind.
        """

    def _dump(self, record: dict[str, Any]) -> str:
        return to_json(record, **_STYLES[self._chosen[0]]) + "\n"


class SpanJsonl(_JsonLines):
    """Reads and writes texts with spans.

    Args:
        settings: the style of the JSON: `spaced`, `compact`, `spaced-ascii` or `compact-ascii`.
    """

    name = "konne"
    has_spans = True
    keys = ("text", "label", "labels")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the style, if the first line has a text and labels; else None."""
        record = _first(head)
        if record is None or "text" not in record or not {"label", "labels"} & set(record):
            return None
        return _style(head, record)

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        text = _member(record, "text", str)
        key = "label" if "label" in record else "labels"
        return labelled_text(text, [_span(span, len(text)) for span in _member(record, key, list)])

    def write(self, labelled: Labelled) -> str:
        """Return the line of a sentence."""
        spans = [[begin, end, of] for of, begin, end in labelled.all_entities()]
        record = with_record(labelled.comments, self.keys)
        key = "labels" if "labels" in record and "label" not in record else "label"
        text = as_written(record.get("text"), "".join(labelled.tokens))
        record |= {"text": text, key: spans}
        return self._dump(record)


class HfJsonl(_JsonLines):
    """Reads and writes tokens with tags, for `datasets.load_dataset("json")`.

    Args:
        settings: how JSON is written, such as `spaced`; then `syllable` if the tokens are the
            characters of the text; then the names of the tags, if these are numbers:
            `spaced eojeol O,B-LC,I-LC`.

    Raises:
        UsageError: there is no such style or unit, or a tag has no name.
    """

    name = "hf-jsonl"
    keys = ("tokens", "ner_tags")

    choices = (_STYLES, ("eojeol", "syllable"))
    more_settings = True

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self.unit = "eojeol" if self._chosen[1] == "eojeol" else "syllable"
        names = " ".join(self._more)
        self._names = [name.strip() for name in names.split(",")] if names else []
        if any([not name or " " in name for name in self._names]):
            message = "hf-jsonl: the names of tags are expected with a comma between, as in O,B-LC"
            raise UsageError(f"{message}: {names}")
        self._more = [",".join(self._names)] if names else []

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return style and unit, if the first line has tokens and tags; else None.

        The lines of a release have them beside all that the format `jsonl` has.
        """
        record = _first(head)
        if record is None or not {"tokens", "ner_tags"} <= set(record) or "eojeols" in record:
            return None
        tokens = record["tokens"]
        alone = isinstance(tokens, list) and all([len(str(token)) == 1 for token in tokens])
        return f"{_style(head, record)} {'syllable' if alone and ' ' in tokens else 'eojeol'}"

    def _labelled(self, record: dict[str, Any]) -> Labelled:
        tokens, tags = [_member(record, key, list) for key in self.keys]
        if len(tokens) != len(tags):
            raise ValueError(f"{len(tokens)} tokens and {len(tags)} ner_tags")
        for at, token in enumerate(tokens, 1):
            self._check(token, at)
        return labelled_tokens(map(as_text, tokens), map(self._label, tags))

    def _check(self, token: Any, number: int) -> None:
        """Check a token.

        Raises:
            ValueError: the token is not a text, is empty, or is not one character.
        """
        if not isinstance(token, str):
            raise ValueError(f"token {number} must be a string, not {shown(token)}")
        if self.unit == "syllable":
            if len(token) != 1:
                message = "the tokens are characters here (syllable): "
                raise ValueError(f"{message}token {number} is {shown(token)}")
        elif not token.strip():
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
        if not self._names:
            raise ValueError(
                "ner_tags are numbers; name what they stand for:"
                " --from 'hf-jsonl:spaced eojeol O,B-PS,I-PS'"
            )
        if not 0 <= tag < len(self._names):
            last = len(self._names) - 1
            ignored = (
                " (which tells a model to ignore the token, and is no label)"
                if tag == _IGNORED
                else ""
            )
            raise ValueError(f"the tag {tag}{ignored} has no name: 0 to {last} are named")
        return self._names[tag]

    def write(self, labelled: Labelled) -> str:
        """Return the line of a sentence."""
        number = {name: at for at, name in enumerate(self._names)}
        tags = [number.get(label, label) for label in labelled.labels]
        record = with_record(labelled.comments, self.keys) or {"id": labelled.sent_id}
        said = record.get("tokens")
        tokens = list(labelled.tokens)
        if isinstance(said, list) and len(said) == len(tokens):
            tokens = list(map(as_written, said, tokens))
        return self._dump(record | {"tokens": tokens, "ner_tags": tags})


def _member(record: dict[str, Any], key: str, kind: type[T]) -> T:
    """Return the value of a key.

    Raises:
        ValueError: the key is missing, or its value is of another kind.
    """
    if key not in record:
        raise ValueError(f"{key} is missing")
    value = record[key]
    if not isinstance(value, kind):
        raise ValueError(f"{key} must be a {_KINDS[kind]}, not {shown(value)}")
    return value


def _span(span: Any, length: int) -> Entity:
    """Return the entity of a span.

    Args:
        span: [begin, end, label].
        length: the number of characters of the text.

    Raises:
        ValueError: the span has another form, or ends behind the text.
    """
    if not isinstance(span, list) or len(span) != 3:
        raise ValueError(f"expected [begin, end, label] for each entity, found {shown(span)}")
    begin, end, of = span
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end):
        raise ValueError(f"{shown([begin, end])}: expected begin and end, in characters")
    if end > length:
        raise ValueError(f"[{begin}, {end}]: the text has {length} characters")
    return Entity(label_of(of), begin, end)


def _first(head: str) -> dict[str, Any] | None:
    """Return the object of the first line, None if the line is not an object."""
    line = head.lstrip().partition("\n")[0]
    if not line.startswith("{"):
        return None
    try:
        return load_object(line, 1)
    except FormatError:
        return None


def _style(head: str, record: dict[str, Any]) -> str:
    """Return the style of the first line."""
    line = head.lstrip().partition("\n")[0]
    return next((style for style in _STYLES if to_json(record, **_STYLES[style]) == line), "spaced")
