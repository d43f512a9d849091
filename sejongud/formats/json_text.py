"""JSON of any size: values of the type that a key wants, and files of sentences in lists.

A corpus is often one JSON value of hundreds of megabytes. A `Walk` goes through it bracket by
bracket; a caller takes the text of each part that it wants.

Files that are one value of JSON with their sentences in a list are written back byte for byte:

    [{"text": …}, {"text": …}]                        the sentences are the items of the list
    {"document": [{"sentence": [{"form": …}]}]}       they stand under these keys

A block is the text from the end of one sentence to the end of the next, so that other members of
the file and its line breaks ride in it. Text that is not JSON, or follows the value, is a block
that cannot be read.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError
from sejongud.formats.around import from_json, kept, restore_comment, to_json
from sejongud.formats.base import MAX_SENTENCE, Block
from sejongud.morphology.eojeol import LINE_BREAK
from sejongud.morphology.hangul import without_surrogates
from sejongud.rules.bounded import atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


CODE = "E331"
_REQUIRED: Any = object()
_KINDS = {str: "a text", int: "a whole number", list: "a list", bool: "true or false"}


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        JSONDecodeError: the text is not JSON.
        ValueError: its brackets are nested too deeply, or a number has too many digits.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


_TOO_DEEP = "the brackets are nested too deeply"
_DEEPEST = 100
"""The greatest depth of JSON that is kept; no corpus has more than ten brackets in each other."""


def check_depth(value: Any) -> None:
    """Check that the brackets of a value of JSON can be written and read again.

    Raises:
        ValueError: they are nested too deeply.

    >>> check_depth(json.loads("[" * 101 + "]" * 101))
    Traceback (most recent call last):
    ValueError: the brackets are nested too deeply
    """
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def beginning(value: Any) -> str:
    """Return the beginning of a value of JSON, for a message."""
    try:
        return f"{value!r:.40}"
    except RecursionError:
        return "brackets that are nested too deeply"


def load_json(text: str, line: int, code: str, like: str = "") -> Any:
    """Return the value of a text that is JSON.

    Args:
        text: the JSON of a sentence.
        line: the number of its first line.
        code: the code of the error.
        like: the end of the message if no place in the text is wrong.

    Raises:
        FormatError: the text is no JSON, or is nested too deeply.
    """
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"this is not JSON: {error.msg}",
            line=line + error.lineno - 1,
            column=error.colno,
            text=text.split("\n")[error.lineno - 1],
            code=code,
        ) from None
    except ValueError as error:
        message = f"this is not JSON{like}: {error}"
        raise FormatError(message, line=line, code=code) from None


def misfit(message: str, line: int = 0) -> FormatError:
    """Return the error of a value that is none of our JSON Lines."""
    return FormatError(message, line=line, code=CODE)


def get(item: Any, key: str, kind: type[Any], default: Any = _REQUIRED) -> Any:
    """Return the value of a key.

    Args:
        item: the object, if it is one.
        key: the key.
        kind: the type of its value.
        default: the value if the object lacks the key; without it the key is required.

    Raises:
        FormatError: the key is missing, or its value is of another type.
    """
    if not isinstance(item, dict):
        raise misfit(f"expected an object with {key}, found {beginning(item)}")
    value = item.get(key, default)
    if value is _REQUIRED:
        raise misfit(f"{key} is missing")
    if type(value) is not kind:
        raise misfit(f"{key}: expected {_KINDS[kind]}, found {beginning(value)}")
    # The original text is written as a comment, which may have tabs.
    text = value.replace("\t", " ") if key == "text_orig" and type(value) is str else value
    if isinstance(text, str) and LINE_BREAK.search(text):
        raise misfit(f"{key}: a tab or a line's end in {beginning(value)}")
    return value


def texts(item: Any, key: str) -> tuple[str, ...]:
    """Return the texts of a key, () if the object lacks it.

    Raises:
        FormatError: the value is no list of texts of one line.
    """
    values = get(item, key, list, [])
    if not all(isinstance(value, str) and "\n" not in value for value in values):
        raise misfit(f"{key}: expected a list of texts of one line")
    return tuple(values)


# `re` remembers each turn of a loop, which is too much for millions of them: atomic runs of turns.
STRING = r'"[^"\\]*(?:' + atomic(r'(?:\\.[^"\\]*){1,999}', "escapes") + ')*"'
"""The pattern of a JSON string, with the flag DOTALL."""
_OUTSIDE = r'[^"{}\[\]]*'
_STRINGS = atomic(rf"(?:{STRING}{_OUTSIDE}){{1,999}}", "strings")
# Everything up to the next bracket outside of strings.
_TO_BRACKET = re.compile(f"{_OUTSIDE}(?:{_STRINGS})*", re.DOTALL)
_STRING = re.compile(STRING, re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
_SPACE = re.compile(r"\s*")
_ENDLESS_STRING = "the string that opens here is not closed: is a quotation mark missing?"


class Walk:
    """Walk through a JSON file.

    Args:
        chunks: the text in pieces, cut anywhere.
        code: the code of the errors.
    """

    def __init__(self, chunks: Iterable[str], code: str) -> None:
        self._chunks = iter(chunks)
        self._text = ""
        self._at = 0
        self._code = code
        self.line = 1
        """The number of the line that has been reached."""

    def step(self) -> None:
        """Go on behind the character that `peek` has returned."""
        self._pass(self._at + 1)

    def members(self) -> Iterator[str]:
        """Yield the keys of the object that has begun; the value of each must be taken."""
        for _ in self.until("}", "expected a comma or } behind a value"):
            if self.peek() != '"':
                raise self.error("expected a key in quotation marks")
            key = unquoted(self.take())
            self.expect(":", "expected a colon behind a key")
            yield key

    def elements(self) -> Iterator[None]:
        """Yield once for each element of the list that begins here; each must be taken."""
        self.step()
        return self.until("]", "expected a comma or ] behind an element")

    def until(self, bracket: str, message: str) -> Iterator[None]:
        """Yield once for each item up to a closing bracket; each must be taken."""
        if self.peek() == bracket:
            self.step()
            return
        while True:
            yield
            if self.peek() != ",":
                break
            self.step()
        self.expect(bracket, message)

    def items(self, path: Sequence[str]) -> Iterator[None]:
        """Yield once for each item of the list under some keys; each must be taken.

        Values on the way that are neither objects nor lists of them are passed over.

        Args:
            path: the keys of lists or objects, and of the list in the last of them; `a|b` stands
                for two keys.

        >>> walk = Walk(['{"id": 1, "a": [{"b": [1, {}]}, null, {"c": [2]}]}'], "E322")
        >>> [walk.take() for _ in walk.items(["a", "b|c"])]
        ['1', '{}', '2']
        """
        if self.peek() == "[":
            for _ in self.elements():
                if not path:
                    yield
                elif self.peek() == "{":
                    yield from self.items(path)
                else:
                    self.take()
            return
        self.step()
        keys = path[0].split("|")
        for key in self.members():
            begins = self.peek()
            if key in keys and (begins == "[" or (begins == "{" and path[1:])):
                yield from self.items(path[1:])
            else:
                self.take()

    def peek(self) -> str:
        """Return the next character that is no space, "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None
            self._pass(match.end())
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def expect(self, char: str, message: str) -> None:
        """Go on behind a character.

        Raises:
            FormatError: another character stands there; with `message`.
        """
        if self.peek() != char:
            raise self.error(message)
        self.step()

    def take(self) -> str:
        """Return the text of the value that begins here, and go on behind it.

        Raises:
            FormatError: no value begins here, or its end is missing.
        """
        char = self.peek()
        if char in ("{", "["):
            return self._nested()
        pattern = _STRING if char == '"' else _SCALAR
        while True:
            match = pattern.match(self._text, self._at)
            # A number that ends where the text read so far ends may go on.
            if match is not None and (match.end() < len(self._text) or char == '"'):
                break
            if not self._more():
                if match is None:
                    raise self.error(_ENDLESS_STRING if char == '"' else "expected a value")
                break
        self._pass(match.end())
        return match[0]

    def _nested(self) -> str:
        depth = 0
        length = 0
        while True:
            match = _TO_BRACKET.match(self._text, self._at + length)
            assert match is not None
            end = match.end()
            char = self._text[end : end + 1]
            length = end - self._at
            if char in ("", '"'):
                # The end of what has been read, or a string that is not.
                if self._more():
                    continue
                if char:
                    self._pass(self._at + length)
                    raise self.error(_ENDLESS_STRING)
                raise self.error("the bracket that opens here is not closed")
            length += 1
            depth += 1 if char in "{[" else -1
            if depth == 0:
                break
        text = self._text[self._at : self._at + length]
        self._pass(self._at + length)
        return text

    def _pass(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self) -> bool:
        """Read on; return False at the end, or if the value that is held is too long.

        At least as much is read as is held: a long value, which is searched again each time, is
        then read in linear time.
        """
        held = self._text[self._at :]
        if len(held) > MAX_SENTENCE:
            return False
        read = []
        length = 0
        for chunk in self._chunks:
            read.append(chunk)
            length += len(chunk)
            if length >= len(held):
                break
        if not read:
            return False
        self._text = "".join([held, *read])
        self._at = 0
        return True

    def error(self, message: str) -> FormatError:
        """Return an error in the line that has been reached."""
        return FormatError(message, line=self.line, code=self._code)


def unquoted(string: str) -> str:
    """Return the text of a JSON string; the string itself if its escapes are wrong."""
    try:
        return without_surrogates(str(json.loads(string, strict=False)))
    except ValueError:
        return string


PREFIX = "ner_prefix"
"""The key of the comment that keeps the text before a sentence."""
_PLACE = "@"
"""The place of the sentences in a template."""


class _PrefixWalk(Walk):
    """Walk through a file and keep the text that was passed since the last sentence."""

    def __init__(self, chunks: Iterable[str], code: str) -> None:
        super().__init__(chunks, code)
        self._passed: list[str] = []

    def _pass(self, end: int) -> None:
        self._passed.append(self._text[self._at : end])
        super()._pass(end)

    def passed(self) -> str:
        """Return the text that was passed since the last call."""
        text = "".join(self._passed)
        self._passed.clear()
        return text

    def rest(self) -> str:
        """Return the text that was passed since the last call, and all that follows."""
        return "".join([*self._passed, self._text[self._at :], *self._chunks])


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
        self._broken = f"this is not JSON of {corpus}, or a part of it is missing"
        self._code = code
        self._fault: tuple[int, FormatError] | None = None
        self._begins: dict[int, int] = {}
        self._begun = False
        self._end = ""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield each sentence with the text before it; at the end the text behind all sentences."""
        walk = _PrefixWalk(chunks, self._code)
        line = number = 1
        problem = f"{self._broken}: "
        try:
            if walk.peek() != self._bracket:
                raise walk.error(f"expected {self._bracket}")
            for _ in walk.items(self._path):
                if walk.peek() != "{":
                    walk.take()
                    continue
                record = walk.take()
                text = walk.passed()
                self._begins[number] = len(text) - len(record)
                yield Block(text, line, number)
                line = walk.line
                number += 1
            begins = walk.peek()
            yield Block(walk.passed(), line, number)
            if not begins:
                return
            line = walk.line
            number += 1
            whole = "object" if self._bracket == "{" else "list"
            problem = f"text follows the end of the {whole}: "
            raise walk.error(f"a file is a single {whole}")
        except FormatError as error:
            if error.code != self._code:
                # The file itself cannot be read, as for its encoding.
                raise
            fault = FormatError(problem + error.message, line=error.line, code=self._code)
            self._fault = number, fault
            yield Block(walk.rest(), line, number)

    def find(self, block: Block) -> tuple[Any, int, str] | None:
        """Return the object that a block ends with, its line, and the comment of the text before.

        None if the block ends with no object.

        Raises:
            FormatError: the block is not JSON, or stands behind the end of the file's value.
        """
        if self._fault is not None and self._fault[0] == block.number:
            raise self._fault[1]
        # A block that no file was cut into is the object itself.
        position = self._begins.get(block.number) if self._begins else block.text.find("{")
        if position is None or position < 0:
            return None
        try:
            record = json.JSONDecoder().raw_decode(block.text, position)[0]
        except (ValueError, RecursionError) as error:
            place = block.line + block.text.count("\n", 0, getattr(error, "pos", position))
            raise FormatError(self._broken, line=place, code=self._code) from None
        line = block.line + block.text.count("\n", 0, position)
        return record, line, restore_comment(PREFIX, block.text[:position])

    def write(self, record: dict[str, Any], comments: Iterable[str]) -> str:
        """Return the text of a sentence with the text before it.

        The first sentence opens the file if no comment does.

        Args:
            record: the object.
            comments: of the sentence.
        """
        prefixes = [text for text in kept(comments, PREFIX) if isinstance(text, str)]
        if prefixes and not self._end:
            prefix = prefixes[0]
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
    if not head.lstrip().startswith("["):
        values = map(from_json, head.lstrip().split("\n"))
        yield from takewhile(lambda value: isinstance(value, dict), values)
        return
    walk = Walk([head], "")
    walk.peek()
    try:
        for _ in walk.elements():
            value = from_json(walk.take())
            if isinstance(value, dict):
                yield value
    except FormatError:
        return


def indent_of(head: str) -> int:
    """Return the number of blanks by which JSON is indented, 0 if it stands on one line.

    >>> indent_of('[\\n  {}\\n]'), indent_of('[{}]')
    (2, 0)
    """
    line = "".join(head.lstrip().split("\n", 2)[1:2])
    return len(line) - len(line.lstrip())
