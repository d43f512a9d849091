"""Walk through the values of a JSON file with little more than one of them in memory.

A corpus is often one JSON value of hundreds of megabytes. A `Walk` goes through it bracket by
bracket; a caller takes the text of each part that it wants.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.formats.base import MAX_SENTENCE
from sejongud.morphology.kiwi import without_surrogates
from sejongud.rules.bounded import atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
