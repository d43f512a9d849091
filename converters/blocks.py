"""The base of the readers of corpora whose formats read blocks: entities and frames.

A block that holds no sentence, or that cannot be read and is kept, rides in a comment of the
sentence behind it; behind the last sentence, in a comment of the last one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from sejongud.errors import FormatError, Note
from sejongud.formats.base import Frame, Reader, SentIds
from sejongud.formats.labelled import Block, rider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.converters.given import GivenMorphemes
    from sejongud.errors import OnError, Report
    from sejongud.files import Source
    from sejongud.formats.labelled import LineNote
    from sejongud.model import Sentence
    from sejongud.morphology.eojeol import Assembler

_REMEMBERED = 100_000
"""The number of blocks that are remembered from framing until they are parsed."""


class _Read(Protocol):
    """The content of a block, as a format reads it."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens; () if the block holds no sentence."""

    @property
    def sent_id(self) -> str:
        """The id in the file, "" if there is none."""

    @property
    def notes(self) -> tuple[LineNote, ...]:
        """The incidents of reading."""


T = TypeVar("T", bound=_Read)


class BlockFormat(Protocol[T]):  # type: ignore[misc]
    """A format of blocks."""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file."""

    def read(self, block: Block) -> T:
        """Return the content of a block."""


class Content(NamedTuple, Generic[T]):
    """The content of a block that holds a sentence, or cannot be read."""

    block: Block
    value: T | None
    sent_id: str = ""
    given: Any = None
    """The morphemes of the sentence in another file."""
    error: FormatError | None = None
    """The reason why there is no sentence: the block cannot be read, or has no morphemes."""


class BlockReader(Reader, Generic[T]):
    """Reads a corpus of blocks.

    Only the content of a block tells whether it holds a sentence. So framing reads the blocks, and
    their content is remembered until they are parsed.

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus.
        keep: whether the text of a block that cannot be read rides along.
    """

    keys: ClassVar[tuple[str, str, str]]
    """The keys of the comments for the format, and for the text before and after a sentence."""

    in_order = True
    tells_notes = False

    def __init__(self, assembler: Assembler, layout: BlockFormat[T], *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self.layout = layout
        self.counts: Counter[str] = Counter()
        """The numbers of sentences, of eojeols, and so on."""
        self.seen: Callable[[Content[T]], object] = lambda _: None
        """Called with each sentence as the corpus has it."""
        self.finder: GivenMorphemes | None = None
        """Finds the morphemes of the sentences in another file, if there is one."""
        self._framed: dict[int, Content[T]] = {}
        self._lost: Sequence[Note] = ()
        self._opening = [f"{self.keys[0]} = {layout}"]
        self._is_named = self._has_sentence = True

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return None: the format of the corpus recognises its files."""
        return None

    def again(self) -> Self:
        """Return the reader with what it remembers of eojeols, for another file."""
        self.counts.clear()
        self._framed.clear()
        self._is_named = self._has_sentence = True
        return super().again()

    @abstractmethod
    def given(self, content: Content[T]) -> object:
        """Return the morphemes that another file has for a sentence.

        Raises:
            FormatError: it has none.
        """

    def lost(self, content: Content[T]) -> Sequence[Note]:
        """Return the incidents of the annotation of a sentence that is left out, and count it."""
        return ()

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the sentences of a file, and the blocks that cannot be read."""
        ids = SentIds()
        of_format, of_before, of_after = self.keys
        first = (f"{of_format} = {self.layout}", *self.of_file())
        last: Frame | None = None
        # The blocks behind it that cannot be read.
        behind: list[Frame] = []
        before = ""
        number = sentences = 0
        self._has_sentence = True
        for block in self.layout.blocks(chunks):
            self._has_sentence = False
            content = self._content(block)
            if content.value is not None:
                if not "".join(content.value.tokens).strip():
                    before += block.text
                    continue
                sentences += 1
                sent_id = ids.of(content.value.sent_id, sentences)
                content = self.with_given(content._replace(sent_id=sent_id))
            number += 1
            self._remember(number, content)
            notes = () if content.value is None else content.value.notes
            frame = Frame(block.text, block.line, number, content.sent_id, (), notes)
            if content.error is not None:
                before += block.text if self.keep else ""
                behind.append(frame)
                continue
            yield from filter(None, (last, *behind))
            around = (rider(of_before, before),) if before else ()
            last, behind = frame._replace(comments=(*first, *around)), []
            before, first = "", ()
        if last is not None and before:
            last = last._replace(comments=(*last.comments, rider(of_after, before)))
        yield from filter(None, (last, *behind))

    def of_file(self) -> tuple[str, ...]:
        """Return further comments of the first sentence about the file."""
        return ()

    def _content(self, block: Block) -> Content[T]:
        """Return the content of a block, or the error that keeps it from being read."""
        try:
            return Content(block, self.layout.read(block))
        except FormatError as error:
            self.counts["unread"] += 1
            if self.finder is not None:
                self.finder.miss()
            return Content(block, None, error=error.at(path="", line=block.line))

    def with_given(self, content: Content[T]) -> Content[T]:
        """Return a sentence with its morphemes in the other file, if there is one."""
        self.seen(content)
        if self.finder is None:
            return content
        try:
            return content._replace(given=self.given(content))
        except FormatError as error:
            return content._replace(error=error.at(path="", line=content.block.line))

    def _remember(self, number: int, content: Content[T]) -> None:
        if len(self._framed) >= _REMEMBERED:
            del self._framed[next(iter(self._framed))]
        self._framed[number] = content

    def content(self, frame: Frame) -> Content[T]:
        """Return the content of a frame, which is read again if another reader has framed it."""
        content = self._framed.get(frame.number)
        if content is None:
            content = self._content(Block(frame.text, frame.line, frame.number))
            self._remember(frame.number, content := content._replace(sent_id=frame.sent_id))
        return content

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a frame.

        Raises:
            FormatError: the block cannot be read, or its annotation has no place on morphemes.
        """
        content = self.content(frame)
        self._framed.pop(frame.number, None)
        if any([c.startswith(self.keys[0]) for c in frame.comments]):
            self._opening = [c for c in frame.comments if not c.startswith(self.keys[1:])]
            self._is_named = False
        try:
            if content.error is not None:
                raise content.error
            sentence = self.labelled(frame, content)
        except FormatError:
            self._lost = () if content.value is None else self.lost(content)
            raise
        self._has_sentence = True
        return sentence

    @abstractmethod
    def labelled(self, frame: Frame, content: Content[T]) -> Sentence:
        """Return the sentence of a frame with its annotation on morphemes.

        Raises:
            FormatError: the annotation has no place on them.
        """

    def skipped(self) -> Sequence[Note]:
        """Return the incidents of the annotation of the sentence that was left out last."""
        lost, self._lost = self._lost, ()
        return lost

    def contents(self, source: Source, on_error: OnError, report: Report) -> Iterator[Content[T]]:
        """Iterate over the sentences of a file as the corpus has them, and report its errors.

        Raises:
            FormatError: the first error, with `on_error` "stop"; there is no sentence in the file.
        """
        for frame in self.frames_of(source):
            content = self._framed.pop(frame.number)
            self.report_framing(frame, source.path, report)
            if (error := content.error) is None:
                self._has_sentence = True
                yield content
                continue
            error.at(path=source.path, line=frame.line)
            if on_error == "stop":
                raise error
            report.add(error.incident(sent_id=frame.sent_id))
        self.finish(source.path, report)

    def end(self) -> Iterator[Note]:
        """Yield the incidents that only the whole file shows.

        Raises:
            FormatError: there is no sentence in the file.
        """
        if self.finder is not None and self.finder.has_more():
            yield Note("W411", "the file of the morphemes has more sentences; they are left out")
        if not self._has_sentence:
            raise FormatError("there is no sentence in the file", code="E107")
