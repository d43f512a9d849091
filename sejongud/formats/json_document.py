"""Formats of entities whose file is one value of JSON with all sentences in it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from sejongud.formats.labelled import LabelFormat, Labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.formats.json_text import Found, JsonText
    from sejongud.formats.labelled import Block


class JsonDocument(LabelFormat):
    """Reads and writes such a file; a subclass sets `_json`."""

    is_whole = True
    _json: JsonText

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield each sentence with the text before it; at the end the text behind all sentences."""
        return self._json.blocks(chunks)

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block; a sentence without tokens if it has no text."""
        found = self._json.find(block)
        return Labelled((), ()) if found is None else self._sentence(found)

    @abstractmethod
    def _sentence(self, found: Found) -> Labelled:
        """Return the sentence of an object; a sentence without tokens if it has no text.

        Raises:
            FormatError: the object cannot be read; with its line.
        """

    def end(self) -> str:
        """Return the closing brackets, if `write` has opened any."""
        return self._json.end()


def indent_of(head: str) -> int:
    """Return the number of blanks by which JSON is indented, 0 if it stands on one line.

    >>> indent_of('[\\n  {}\\n]'), indent_of('[{}]')
    (2, 0)
    """
    line = "".join(head.lstrip().split("\n", 2)[1:2])
    return len(line) - len(line.lstrip())
