"""Files that are one value of JSON with their sentences in a list, written back byte for byte.

    [{"text": …}, {"text": …}]                        the sentences are the items of the list
    {"document": [{"sentence": [{"form": …}]}]}       they stand under these keys

A block is the text from the end of one sentence to the end of the next, so that other members of
the file and its line breaks ride in it. Text that is not JSON, or follows the value, is a block
that cannot be read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError
from sejongud.formats.labelled import Block, kept, rider, to_json

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from sejongud.model import Span

PREFIX = "ner_prefix"
"""The key of the comment that keeps the text before a sentence."""
_SPACE = " \t\n\r"
_PLACE = "@"
"""The place of the sentences in a template."""
_decode = json.JSONDecoder().raw_decode


class Found(NamedTuple):
    """The object of a block."""

    record: dict[str, Any]
    line: int
    """The number of its first line."""
    comment: str
    """The comment that keeps the text before it."""


class JsonText:
    """Reads and writes such a file.

    Args:
        path: the keys that lead to the list of the sentences.
        template: the value that a file without sentences has, with "@" in the place of one.
        indent: the number of blanks by which the JSON is indented; 0 for JSON on one line.
        corpus: the name of the corpus, for messages.
        code: of the errors.
        style: further options of `json.dumps`.
    """

    def __init__(
        self,
        path: tuple[str, ...],
        template: object,
        indent: int,
        corpus: str,
        code: str,
        **style: Any,
    ) -> None:
        self._path = path
        self._bracket = "[" if isinstance(template, list) else "{"
        self._style = {**style, "indent": indent or None}
        text = json.dumps(template, **self._style)
        self._opening, _, self._closing = text.partition(f'"{_PLACE}"')
        comma = (style.get("separators") or (", ",))[0]
        self._between = f",{self._opening[self._opening.rfind(chr(10)) :]}" if indent else comma
        self._corpus = corpus
        self._code = code
        self._fault: tuple[int, FormatError] | None = None
        self._begins: dict[int, int] = {}
        self._begun = False
        self._end = ""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield each sentence with the text before it; at the end the text behind all sentences."""
        text = "".join(chunks)
        start = 0
        line = number = 1
        whole = "object" if self._bracket == "{" else "list"
        message = f"text follows the end of the {whole}: a file is a single {whole}"
        try:
            for begin, end in _places(text, self._path, self._bracket):
                if begin < end:
                    self._begins[number] = begin - start
                yield Block(text[start:end], line, number)
                line += text.count("\n", start, end)
                number += 1
                start = end
        except (ValueError, IndexError, RecursionError) as error:
            message = f"this is not JSON of {self._corpus}, or a part of it is missing"
            at = getattr(error, "pos", len(text))
        else:
            if start == len(text):
                return
            at = start
        place = text.count("\n", 0, at) + 1
        self._fault = number, FormatError(message, line=place, code=self._code)
        yield Block(text[start:], line, number)

    def find(self, block: Block) -> Found | None:
        """Return the object that a block ends with; None if it ends with no object.

        Raises:
            FormatError: the block is the one that is not JSON.
        """
        if self._fault is not None and self._fault[0] == block.number:
            raise self._fault[1]
        # A block that no file was cut into is the object itself.
        at = self._begins.get(block.number) if self._begins else block.text.find("{")
        if at is None or at < 0:
            return None
        record: dict[str, Any] = _decode(block.text, at)[0]
        line = block.line + block.text.count("\n", 0, at)
        return Found(record, line, rider(PREFIX, block.text[:at]))

    def write(self, record: dict[str, Any], comments: Iterable[str]) -> str:
        """Return the text of a sentence with the text before it.

        The first sentence opens the file if no comment does.

        Args:
            record: the object.
            comments: of the sentence.
        """
        said = [text for text in kept(comments, PREFIX) if isinstance(text, str)]
        if said and not self._end:
            prefix = said[0]
        elif self._begun:
            prefix = self._between
        else:
            prefix = self._opening
            self._end = self._closing + "\n"
        self._begun = True
        # The indentation of the line with the opening brace.
        outer = prefix.rpartition("\n")[2]
        margin = outer if outer.isspace() else ""
        lines = to_json(record, **self._style).split("\n")
        return prefix + ("\n" + margin).join(lines)

    def end(self) -> str:
        """Return the closing brackets, if `write` has opened any."""
        return self._end


def first_objects(head: str) -> Iterator[dict[str, Any]]:
    """Yield the objects at the beginning of a list of JSON, or of a file of one object a line.

    Args:
        head: the beginning of the file, whose last object may be cut off.

    >>> list(first_objects('[{"a": 1}, {"b"')), list(first_objects('{"a": 1}\\n{"b": 2}\\n'))
    ([{'a': 1}], [{'a': 1}, {'b': 2}])
    """
    text = head.lstrip()
    if not text.startswith("["):
        yield from _objects_of_lines(text)
        return
    at = 1
    try:
        while text[at] != "]":
            if text[at] in f"{_SPACE},":
                at += 1
                continue
            value, at = _decode(text, at)
            if isinstance(value, dict):
                yield value
    except (ValueError, IndexError, RecursionError):
        return


def _objects_of_lines(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of the first lines, up to a line that is none."""
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict):
            return
        yield value


def _places(text: str, path: tuple[str, ...], bracket: str) -> Iterator[Span]:
    """Yield the place of each sentence, and an empty one at the end of the file.

    Args:
        text: of the file.
        path: the keys that lead to the list of the sentences.
        bracket: the one that the file begins with.

    Raises:
        ValueError: the text is not JSON.
        IndexError: the text ends too early.
    """
    at = _skip(text, 0)
    if text[at] != bracket:
        raise json.JSONDecodeError(f"expected {bracket}", text, at)
    walk = _walk if bracket == "{" else _walk_list
    at = yield from walk(text, at, path)
    end = len(text) - len(text[at:].lstrip(_SPACE))
    yield end, end


def _walk(text: str, at: int, path: tuple[str, ...]) -> Generator[Span, None, int]:
    """Yield the places of the objects in the list under a path of keys of an object.

    Args:
        text: of the file.
        at: the offset of the object.
        path: the keys of lists or objects; the objects in the last one are meant.

    Returns:
        The offset of the end of the object.
    """
    wanted, *below = path
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if key == wanted and text[at] == "[":
            at = yield from _walk_list(text, at, tuple(below))
        elif key == wanted and text[at] == "{" and below:
            at = yield from _walk(text, at, tuple(below))
        else:
            at = _decode(text, at)[1]
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def _walk_list(text: str, at: int, below: tuple[str, ...]) -> Generator[Span, None, int]:
    """Yield the places of the objects in a list, or of those under a path of keys in its objects.

    Items of the list that are no objects are passed over.

    Returns:
        The offset of the end of the list.
    """
    at = _skip(text, at + 1)
    while text[at] != "]":
        is_object = text[at] == "{"
        if is_object and below:
            at = yield from _walk(text, at, below)
        else:
            begin, at = at, _decode(text, at)[1]
            if is_object:
                yield begin, at
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def _skip(text: str, at: int) -> int:
    """Return the offset of the next character that is not white space."""
    while text[at] in _SPACE:
        at += 1
    return at
