"""The blocks of a corpus of entities or frames, as both conversions read them.

A block that holds no sentence, or that cannot be read and is kept, rides along with the sentence
behind it: as its text before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from sejongud.errors import FormatError, Incident
from sejongud.formats.base import SentIds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.converters.given import GivenMorphemes
    from sejongud.errors import OnError, Report
    from sejongud.formats.labelled import Block, LineNote
    from sejongud.model import Sentence


class _Read(Protocol):
    """The content of a block, as a format reads it."""

    @property
    def sent_id(self) -> str:
        """The id in the file, "" if there is none."""


T = TypeVar("T", bound=_Read)


class _Layout(Protocol[T]):  # type: ignore[misc]
    """A format of blocks."""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file."""

    def read(self, block: Block) -> T:
        """Return what a block holds."""


class Found(NamedTuple, Generic[T]):
    """A block that holds a sentence."""

    block: Block
    value: T
    sent_id: str
    number: int
    before: str
    """The text of the file before it that holds no sentence."""


@dataclass
class BlockReading(Generic[T]):
    """Reads the blocks of a corpus.

    Args:
        layout: the format of the corpus.
        report: collects the incidents.
        on_error: "stop", "skip" or "keep": a block that cannot be read. If it is kept, it rides
            along unread.
        path: of the corpus, for messages.
    """

    layout: _Layout[T]
    report: Report
    on_error: OnError
    path: str
    before: str = ""
    """The text that holds no sentence, since the last sentence."""
    number: int = field(default=0, init=False)
    _ids: SentIds = field(default_factory=SentIds, init=False)

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file.

        Raises:
            FormatError: the file does not consist of blocks.
        """
        try:
            yield from self.layout.blocks(chunks)
        except FormatError as error:
            raise error.at(path=self.path, line=0) from None

    def read(
        self, block: Block, has_sentence: Callable[[T], object], missed: Callable[[], None]
    ) -> Found[T] | None:
        """Return what a block holds; None if it holds no sentence, or cannot be read.

        Args:
            block: the block.
            has_sentence: returns whether there is a sentence in it.
            missed: is called for a block that cannot be read.

        Raises:
            FormatError: with `on_error` "stop".
        """
        try:
            value = self.layout.read(block)
        except FormatError as error:
            self.fail(error, block.line)
            if self.on_error == "keep":
                self.before += block.text
            missed()
            return None
        if not has_sentence(value):
            self.before += block.text
            return None
        self.number += 1
        before, self.before = self.before, ""
        sent_id = self._ids.of(value.sent_id, self.number)
        return Found(block, value, sent_id, self.number, before)

    def tell_notes(self, notes: Iterable[LineNote], sent_id: str) -> None:
        """Report the incidents of a sentence that was read."""
        for line, code, message in notes:
            self.report.add(Incident(code, message, self.path, line, 0, sent_id))

    def fail(self, error: FormatError, line: int, sent_id: str = "") -> None:
        """Report an error.

        Raises:
            FormatError: with `on_error` "stop".
        """
        error.at(path=self.path, line=line)
        if self.on_error == "stop":
            raise error
        self.report.add(error.incident(sent_id=sent_id))

    def leave_out(self, error: FormatError, block: Block, sent_id: str, before: str) -> None:
        """Report the error of a sentence that was read; its block is kept if that is wanted.

        Raises:
            FormatError: with `on_error` "stop".
        """
        self.fail(error, block.line, sent_id)
        if self.on_error == "keep":
            self.before = before + block.text

    def tell_rest(self, finder: GivenMorphemes) -> None:
        """Report that the file of the morphemes has more sentences, if it has."""
        if finder.has_more():
            message = "the file of the morphemes has more sentences; they are left out"
            self.report.add(Incident("W411", message, self.path))

    def to_end(
        self, sentences: Iterable[Sentence], end: Callable[[Sentence], None]
    ) -> Iterator[Sentence]:
        """Yield sentences; the last one after `end` was called with it.

        Raises:
            FormatError: there is no sentence.
        """
        last: Sentence | None = None
        for sentence in sentences:
            if last is not None:
                yield last
            last = sentence
        if last is None:
            raise FormatError("there is no sentence in the file", path=self.path, code="E107")
        end(last)
        yield last
