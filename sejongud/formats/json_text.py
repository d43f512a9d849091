"""Files that are one value of JSON with their sentences in a list, written back byte for byte.

    [{"text": …}, {"text": …}]                        the sentences are the items of the list
    {"document": [{"sentence": [{"form": …}]}]}       they stand under these keys

A block is the text from the end of one sentence to the end of the next, so that other members of
the file and its line breaks ride in it. Text that is not JSON, or follows the value, is a block
that cannot be read.
"""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError
from sejongud.formats.labelled import Block, from_json, kept, rider, to_json
from sejongud.formats.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = "ner_prefix"
"""The key of the comment that keeps the text before a sentence."""
_PLACE = "@"
"""The place of the sentences in a template."""
_decode = json.JSONDecoder().raw_decode


class FoundObject(NamedTuple):
    """The object of a block."""

    record: dict[str, Any]
    line: int
    """The number of its first line."""
    comment: str
    """The comment that keeps the text before it."""


class _PrefixWalk(Walk):
    """Walk through a file and keep the text that was passed since the last sentence."""

    def __init__(self, chunks: Iterable[str], code: str) -> None:
        super().__init__(chunks, code)
        self._passed: list[str] = []
        self.value: Any = None
        """The value that was taken last, if it is known."""

    def _pass(self, end: int) -> None:
        self._passed.append(self._text[self._at : end])
        super()._pass(end)

    def take(self) -> str:
        """Return the text of the value that begins here, and go on behind it."""
        begin = self._at
        try:
            self.value, end = _decode(self._text, begin)
        except (ValueError, RecursionError):
            end = len(self._text)
        if end == len(self._text):
            # It is no JSON, or may go on behind the text that was read.
            self.value = None
            return super().take()
        self._pass(end)
        return self._text[begin:end]

    @property
    def length(self) -> int:
        """The number of characters that were passed since the last call of `passed`."""
        return sum(map(len, self._passed))

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
        self._last: tuple[int, Any] = 0, None
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
                self._begins[number] = walk.length
                walk.take()
                self._last = number, walk.value
                yield Block(walk.passed(), line, number)
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

    def find(self, block: Block) -> FoundObject | None:
        """Return the object that a block ends with; None if it ends with no object.

        Raises:
            FormatError: the block is not JSON, or stands behind the end of the file's value.
        """
        if self._fault is not None and self._fault[0] == block.number:
            raise self._fault[1]
        # A block that no file was cut into is the object itself.
        position = self._begins.get(block.number) if self._begins else block.text.find("{")
        if position is None or position < 0:
            return None
        number, record = self._last
        try:
            if number != block.number or record is None:
                record = _decode(block.text, position)[0]
        except (ValueError, RecursionError) as error:
            place = block.line + block.text.count("\n", 0, getattr(error, "pos", position))
            raise FormatError(self._broken, line=place, code=self._code) from None
        line = block.line + block.text.count("\n", 0, position)
        return FoundObject(record, line, rider(PREFIX, block.text[:position]))

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
