"""The base of the readers of corpora whose formats read blocks: entities and frames.

A block that holds no sentence, or that cannot be read and is kept, rides in a comment of the
sentence behind it; behind the last sentence, in a comment of the last one.

Morphemes of a corpus that Kiwi need not find: the corpus has them as rows, or another file.

The other file may lack sentences or have more of them. A sentence of the corpus gets the next one
of the same text (`AnalysisLookup`), or the one with its id (`AnalysisById`); all instances of a
sentence in a corpus of frames get the same one (`SharedAnalysis`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, OrderedDict, deque
from itertools import chain, islice
from os import SEEK_END
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar
from weakref import finalize

from sejongud.errors import FormatError, Note, OnError, Report
from sejongud.formats.around import restore_comment
from sejongud.formats.base import Block, Reader, SentIds
from sejongud.formats.jsonl import JsonlReader, JsonlWriter
from sejongud.formats.labelled import MorphemeRow, with_sense
from sejongud.layers.labels import OUTSIDE, inside
from sejongud.layers.places import Recutter, places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from sejongud.files import Source
    from sejongud.formats.framenet import Framed
    from sejongud.formats.labelled import Labelled
    from sejongud.model import Eojeol, Labels, Sentence, Span
    from sejongud.morphology.eojeol import Assembler

    Rows = tuple[tuple[MorphemeRow, ...], ...]


T = TypeVar("T", bound="Labelled | Framed")
"""The content of a block, as a format reads it."""


class Content(NamedTuple, Generic[T]):
    """The content of a block that holds a sentence, or cannot be read."""

    block: Block
    value: T | None
    sent_id: str = ""
    given: Any = None
    """The morphemes of the sentence in another file."""
    error: FormatError | None = None
    """The reason why there is no sentence: the block cannot be read, or has no morphemes."""
    ahead: Any = None
    """The morphemes that Kiwi has found ahead of parsing."""
    others: Sequence[Block] = ()
    """The blocks that are parsed with this one, as parts of the same sentence."""


class BlockReader(Reader, Generic[T]):
    """Reads a corpus of blocks.

    Only the content of a block tells whether it holds a sentence. So `blocks` reads them, and a
    block carries its content (`Block.item`).

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus, `LabelFormat` or `FrameNet`.
        keep: whether the text of a block that cannot be read rides along.
    """

    keys: ClassVar[tuple[str, str, str]]
    """The keys of the comments for the format, and for the text before and after a sentence."""

    in_order = True
    tells_notes = False

    def __init__(self, assembler: Assembler, layout: Any, *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self.layout = layout
        self.counts: Counter[str] = Counter()
        """The numbers of sentences, of eojeols, and so on."""
        self.seen: Callable[[Content[T]], object] = lambda _: None
        """Called with each sentence as the corpus has it."""
        self.finder: AnalysisLookup | None = None
        """Finds the morphemes of the sentences in another file, if there is one."""
        self._lost: Sequence[Note] = ()
        self._opening = [f"{self.keys[0]} = {layout}"]
        self._is_named = self._has_sentence = True

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return None: the format of the corpus recognises its files."""
        return None

    def reset(self) -> Self:
        """Return the reader with what it remembers of eojeols, for another file."""
        self.counts.clear()
        self._is_named = self._has_sentence = True
        return super().reset()

    @abstractmethod
    def given(self, content: Content[T]) -> object:
        """Return the morphemes that another file has for a sentence.

        Raises:
            FormatError: it has none.
        """

    def lost(self, content: Content[T]) -> Sequence[Note]:
        """Return the incidents of the annotation of a sentence that is left out, and count it."""
        return ()

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences of a file, and the blocks that cannot be read."""
        ids = SentIds()
        of_format, of_before, of_after = self.keys
        first = (f"{of_format} = {self.layout}", *self.of_file())
        last: Block | None = None
        # The blocks behind it that cannot be read.
        behind: list[Block] = []
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
            notes = () if content.value is None else content.value.notes
            block = Block(block.text, block.line, number, content.sent_id, (), notes, item=content)
            if content.error is not None:
                before += block.text if self.keep else ""
                behind.append(block)
                continue
            yield from filter(None, (last, *behind))
            around = (restore_comment(of_before, before),) if before else ()
            last, behind = block._replace(comments=(*first, *around)), []
            before, first = "", ()
        if last is not None and before:
            last = last._replace(comments=(*last.comments, restore_comment(of_after, before)))
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
            return self.with_own(content)
        try:
            return content._replace(given=self.given(content))
        except FormatError as error:
            return content._replace(error=error.at(path="", line=content.block.line))

    def with_own(self, content: Content[T]) -> Content[T]:
        """Return a sentence with the morphemes that its file has apart from the annotation."""
        return content

    def content(self, block: Block) -> Content[T]:
        """Return the content of a block, which is read again if it comes from a table of Spark."""
        content: Content[T] | None = block.item
        if content is None:
            content = self._content(Block(block.text, block.line, block.number))
            content = content._replace(sent_id=block.sent_id)
            content = self.with_own(content) if self.finder is None else content
        return content

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: the block cannot be read, or its annotation has no place on morphemes.
        """
        content = self.content(block)
        if any([c.startswith(self.keys[0]) for c in block.comments]):
            self._opening = [c for c in block.comments if not c.startswith(self.keys[1:])]
            self._is_named = False
        try:
            if content.error is not None:
                raise content.error
            sentence = self.labelled(block, content)
        except FormatError:
            self._lost = () if content.value is None else self.lost(content)
            raise
        self._has_sentence = True
        return sentence

    @abstractmethod
    def labelled(self, block: Block, content: Content[T]) -> Sentence:
        """Return the sentence of a block with its annotation on morphemes.

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
        for block in self.blocks_of(source):
            content: Content[T] = block.item
            self.report_block_notes(block, source.path, report)
            if (error := content.error) is None:
                self._has_sentence = True
                yield content
                continue
            error.at(path=source.path, line=block.line)
            if on_error == "stop":
                raise error
            report.add(error.incident(sent_id=block.sent_id))
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


# --- morphemes that Kiwi need not find ------------------------------------------------------------

_OTHER_TEXT = "E412"
_PASSED = 50
"""The greatest distance between the sentences of the corpus and those of their morphemes."""
_KNOWN = 1_000
"""The number of sentences that `SharedAnalysis` holds in memory."""


# --- morphemes of another file --------------------------------------------------------------------


class AnalysisLookup:
    """Finds the sentence with the morphemes for each sentence of a corpus.

    Args:
        sentences: with their morphemes.
        assembler: builds eojeols where the two files cut the text in different ways.
    """

    def __init__(self, sentences: Iterator[Sentence], assembler: Assembler) -> None:
        self._sentences = sentences
        self._recutter = Recutter(assembler)
        # They belong to a sentence of the corpus that could not be read, or further down.
        self._passed: deque[Sentence] = deque(maxlen=_PASSED)
        self._without = 0

    def miss(self) -> None:
        """Note that a sentence of the corpus goes without its morphemes."""
        self._without = min(self._without + 1, _PASSED)

    def find(self, forms: Sequence[str], sent_id: str = "") -> tuple[Sentence, tuple[Eojeol, ...]]:
        """Return the next sentence of the same text, and its eojeols cut as the corpus has them.

        One sentence is tried, and one more for each sentence that went without its morphemes.

        Args:
            forms: of the eojeols in the corpus.
            sent_id: the id of the sentence in the corpus, which may be another one here.

        Raises:
            FormatError: no sentence fits, or there are no more.
        """
        failed = FormatError(
            "there are no morphemes for this sentence and those behind it: the file of the"
            " morphemes has fewer sentences",
            code="E411",
        )
        passed = len(self._passed)
        ahead = islice(self._sentences, 1 + self._without)
        for index, sentence in enumerate(chain(tuple(self._passed), ahead)):
            error = None
            try:
                eojeols = self._recutter.recut(sentence.eojeols, forms)
            except FormatError as raised:
                error = raised
            if error is not None and error.code == _OTHER_TEXT:
                failed = error
                if index >= passed:
                    self._passed.append(sentence)
                continue
            # Nothing else fits the sentences before this one.
            for _ in range(min(index + 1, len(self._passed))):
                self._passed.popleft()
            self._without = 0
            if error is not None:
                raise error
            return sentence, eojeols
        self.miss()
        raise failed

    def has_more(self) -> bool:
        """Test whether more sentences are left than went without their morphemes."""
        left = len(self._passed) + len(list(islice(self._sentences, self._without + 1)))
        return left > self._without


class AnalysisById(AnalysisLookup):
    """Finds the sentence with the morphemes for each sentence of a corpus, by its id.

    The two files may have their sentences in other orders, as NIKL's entities and its morphemes do,
    and one of them more than the other.

    Args:
        sentences: with their morphemes.
        assembler: builds eojeols where the two files cut the text in different ways.
    """

    def __init__(self, sentences: Iterator[Sentence], assembler: Assembler) -> None:
        super().__init__(sentences, assembler)
        self._shelf = Shelf(assembler)
        self._waiting: set[str] = set()

    def find(self, forms: Sequence[str], sent_id: str = "") -> tuple[Sentence, tuple[Eojeol, ...]]:
        """Return the sentence with an id, and its eojeols cut as the corpus has them.

        Args:
            forms: of the eojeols in the corpus.
            sent_id: the id.

        Raises:
            FormatError: there is no such sentence, or it has another text.
        """
        sentence = self._of_id(sent_id)
        if sentence is None:
            message = f"the file of the morphemes has no sentence {sent_id}"
            raise FormatError(message, code="E411")
        return sentence, self._recutter.recut(sentence.eojeols, forms)

    def _of_id(self, sent_id: str) -> Sentence | None:
        """Return the sentence with an id, which is read only once; None if there is none."""
        if sent_id in self._waiting:
            self._waiting.remove(sent_id)
            return self._shelf.take(hash(sent_id))
        for sentence in self._sentences:
            if sentence.sent_id == sent_id:
                return sentence
            self._waiting.add(sentence.sent_id)
            self._shelf.put(hash(sentence.sent_id), sentence)
        return None

    def has_more(self) -> bool:
        """Test whether sentences are left that the corpus does not have."""
        return bool(self._waiting) or next(self._sentences, None) is not None


class SharedAnalysis:
    """Finds the sentence with the morphemes for each instance of a corpus of frames.

    The instances of a sentence may stand anywhere in the corpus, and the file of the morphemes may
    have the sentence once or several times. Memory holds the sentences that were used last.

    Args:
        sentences: with their morphemes, in the order in which the corpus has them for the first
            time.
        assembler: builds eojeols.
        known: the number of sentences that are held in memory.
    """

    def __init__(
        self, sentences: Iterator[Sentence], assembler: Assembler, capacity: int = _KNOWN
    ) -> None:
        self._known: OrderedDict[int, Sentence] = OrderedDict()
        self._most = capacity
        self._shelf = Shelf(assembler)
        self.finder = AnalysisLookup(_first_of_each(sentences), assembler)
        """The finder of each sentence's first instance."""

    def find(self, forms: Sequence[str]) -> Sentence:
        """Return the sentence with the morphemes of a sentence, which is not to be changed.

        Args:
            forms: of the eojeols in the corpus.

        Raises:
            FormatError: no sentence fits, or there are no more.
        """
        key = hash("".join(forms))
        sentence = self._known.pop(key, None)
        if sentence is None:
            sentence = self._shelf.take(key)
        if sentence is None:
            sentence = self.finder.find(forms)[0]
        self._known[key] = sentence
        if len(self._known) > self._most:
            self._shelf.put(*self._known.popitem(last=False))
        return sentence


def _first_of_each(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences whose text has not occurred before."""
    # Hashes of 64 bits: the texts would take the memory of the file.
    seen: set[int] = set()
    for sentence in sentences:
        key = hash("".join([eojeol.form for eojeol in sentence.eojeols]))
        if key not in seen:
            seen.add(key)
            yield sentence


class Shelf:
    """Sentences that wait as JSON Lines in a file without a name: nothing of it is left behind.

    Memory holds a number and a place for each of them.

    Args:
        assembler: builds eojeols.
    """

    def __init__(self, assembler: Assembler) -> None:
        self._file: BinaryIO = TemporaryFile()  # noqa: SIM115
        finalize(self, self._file.close)
        self._places: dict[int, tuple[int, int]] = {}
        """The start and the size of each sentence."""
        self._writer = JsonlWriter()
        self._reader = JsonlReader(assembler)

    def put(self, key: int, sentence: Sentence) -> None:
        """Put a sentence away, unless it has been here before."""
        if key not in self._places:
            data = self._writer.sentence(sentence).encode("utf-8", "surrogatepass")
            self._places[key] = self._file.seek(0, SEEK_END), len(data)
            self._file.write(data)

    def take(self, key: int) -> Sentence | None:
        """Return a sentence that was put away, None if there is none."""
        if key not in self._places:
            return None
        start, size = self._places[key]
        self._file.seek(start)
        line = self._file.read(size).decode("utf-8", "surrogatepass")
        [block] = self._reader.blocks([line])
        return self._reader.parse(block)


# --- morphemes of the corpus ----------------------------------------------------------------------


def eojeols_of_rows(assembler: Assembler, forms: Sequence[str], rows: Rows) -> tuple[Eojeol, ...]:
    """Return the eojeols with these forms, whose morphemes are rows of the corpus."""
    morpheme = assembler.analysis.morpheme
    return tuple(
        [
            assembler.eojeol(form, [morpheme(row.form, row.tag, form) for row in morphemes])
            for form, morphemes in zip(forms, rows, strict=True)
        ]
    )


def labels_of_rows(eojeols: Sequence[Eojeol], rows: Rows, layer: int = 0) -> Labels:
    """Return the labels of the rows of each eojeol, which may have more morphemes than rows.

    Args:
        eojeols: with their morphemes.
        rows: the rows of each of them.
        layer: 0 for the outermost entities.
    """
    labels_of = []
    for eojeol, of_eojeol in zip(eojeols, rows, strict=True):
        labels = [(row.label, *row.inner)[layer] for row in of_eojeol]
        outside = (OUTSIDE,) * (len(eojeol.morphemes) - len(labels))
        labels_of.append(inside((*labels, *outside)))
    return tuple(labels_of)


def rows_of(sentence: Sentence) -> Rows:
    """Return the morphemes of each eojeol as rows of a corpus, with their labels in all layers."""
    layers = sentence.entities or (((),) * len(sentence.eojeols),)
    of_eojeols = []
    for eojeol, *of_layers in zip(sentence.eojeols, *layers, strict=True):
        none = (OUTSIDE,) * len(eojeol.morphemes)
        each = zip(*[labels or none for labels in of_layers], strict=True)
        rows = []
        for morpheme, (label, *inner) in zip(eojeol.morphemes, each, strict=True):
            if not morpheme.added:
                form = with_sense(morpheme.written, morpheme.sense)
                tag = morpheme.source_tag or morpheme.tag
                rows.append(MorphemeRow(form, tag, label, (*inner,)))
        of_eojeols.append(tuple(rows))
    return tuple(of_eojeols)


def spans_of(sentence: Sentence, *, added: bool = False) -> tuple[tuple[Span, ...], ...]:
    """Return the places of the morphemes that `rows_of` returns, in the text of the sentence.

    Args:
        sentence: the sentence.
        added: whether to return those of the morphemes that a reader added as well.
    """
    forms = [eojeol.form for eojeol in sentence.eojeols]
    where = places(sentence.text_orig or " ".join(forms), forms)
    spans = []
    for eojeol, (begin, end) in zip(sentence.eojeols, where, strict=True):
        pairs = zip(eojeol.morphemes, eojeol.spans, strict=True)
        shown = [span for morpheme, span in pairs if added or not morpheme.added]
        spans.append(tuple([(min(begin + a, end), min(begin + b, end)) for a, b in shown]))
    return tuple(spans)
