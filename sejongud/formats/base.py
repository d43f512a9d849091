"""The base of all readers, which recognise a file, block it and then parse each block.

A reader has a class method `sniff(head)`. It returns None for a file in another format, and
otherwise the settings of the file: "" for a format that has no settings. Cutting is cheap and goes
through the file in order: it finds the start, the line number and the id of each sentence. Parsing
is a pure function of the block and can run in other processes.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from sejongud.errors import CODES, FormatError, Incident, Note, OnError, Report, UsageError
from sejongud.files import file_ending
from sejongud.memo import lazy_pattern
from sejongud.rules import load

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    from sejongud.files import Source
    from sejongud.model import Eojeol, Sentence
    from sejongud.morphology.eojeol import Assembler


MAX_SENTENCE = 16 * 1024 * 1024
"""The greatest length of a sentence in characters; a longer one means missing blank lines."""


def to_number(text: str) -> int | None:
    """Return the number in a cell; None if it is no number or too large for any sentence.

    >>> to_number("12"), to_number("²"), to_number("9" * 5000)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


SENT_ID = "# sent_id = "
_STATED_ID = lazy_pattern(rf"^{SENT_ID}(.*)", re.MULTILINE)


def stated_id(text: str) -> str:
    """Return the sent_id that a comment of a sentence states; "" if there is none."""
    match = _STATED_ID.search(text)
    return match[1].strip() if match else ""


_Note = tuple[int, str, str]
"""An incident of cutting a file into blocks: line, code, message."""


def id_notes(stated: str, sent_id: str, text: str, line: int) -> tuple[_Note, ...]:
    """Return the note for an id that occurred before, or for a `sent_id` with a space, if it is so.

    Args:
        stated: the id in the text; "" if there is none.
        sent_id: the id that the sentence gets.
        text: the text of the sentence.
        line: the number of its first line.

    >>> id_notes("a", "a-2", "# sent_id = a\\n봄이\\t봄/NNG+이/JKS", 4)
    ((5, 'W129', 'the id of the sentence occurred before in this file: read as a-2'),)
    """
    if sent_id == stated or not stated:
        return ()
    if any([c.isspace() for c in stated]):
        at = line + text.count("\n", 0, text.find("sent_id = "))
        message = f"sent_id {stated} has a space, the sentence is numbered instead"
        # A corpus id with a space stays with its eojeol.
        return ((at, "W302", message),) if "sent_id = " in text else ()
    rows = enumerate(text.split("\n"), line)
    at = next((number for number, row in rows if not row.startswith("#")), line)
    return ((at, "W129", f"{CODES['W129']}: read as {sent_id}"),)


class Block(NamedTuple):
    """The text of a sentence and the values that depend on its place in the file."""

    text: str
    line: int
    """The number of its first line, from 1."""
    number: int
    """The position of the sentence in the file, from 1."""
    sent_id: str = ""
    comments: tuple[str, ...] = ()
    """Comments from outside its text: the document's id, metadata."""
    notes: tuple[_Note, ...] = ()
    """The incidents of cutting the file."""
    other: str = ""
    """The text of the corresponding sentence in a second file, or ""."""
    item: Any = None
    """The content, if the reader has read it already to find the block."""

    def error(self, message: str, code: str, at: int = 0) -> FormatError:
        """Return an error in a line of the block, counted from 0."""
        line = self.text.split("\n")[at]
        return FormatError(message, line=self.line + at, text=line, code=code)


Units = tuple[list[Any], str, tuple[str, ...]]
"""What the lane of known lines needs of a block (`sejongud.fast_path`): what tells each of its
eojeols, the original text of the sentence ("" for none) and its comments."""


class Reader(ABC):
    """Reads one format.

    Args:
        assembler: builds the eojeols.
        keep: whether an unreadable eojeol is kept as unknown instead of raising an error.
    """

    by_lines: ClassVar[bool] = True
    """Whether `blocks` needs chunks that end at a line's end; lines then have a greatest length."""

    in_order: ClassVar[bool] = False
    """Whether a process that reads one sentence must have read those before it."""

    tells_notes = True
    """Whether notes of eojeols are reported; whoever analyses a text has reported them already."""

    batch: ClassVar[int] = 1 << 17
    """The approximate size of the batches that are sent to a process, in characters."""

    def __init__(self, assembler: Assembler, *, keep: bool = False) -> None:
        self.assembler = assembler
        self.keep = keep
        # Skipped sentences shift the numbers, by which sentences without an id are named.
        self._skipped = 0
        self._lines: tuple[Block | None, Sequence[int]] = None, ()

    @classmethod
    @abstractmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" for a text that begins like a file of the format, None for any other."""

    @abstractmethod
    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the unparsed sentences of a file.

        Args:
            chunks: the text, each chunk ending at a line's end.

        Raises:
            FormatError: the file as a whole is not in this format; the error names the line.
        """

    def give(self, sentences: Iterator[Sentence]) -> None:
        """Take the morphemes from the same sentences in another file.

        Raises:
            UsageError: the format has morphemes of its own.
        """
        raise UsageError("the morphemes of another file are for corpora of entities or of frames")

    def text_of(self, source: Source) -> Iterator[str]:
        """Return the text of a file in the pieces that `blocks` needs."""
        return source.chunks() if self.by_lines else source.pieces()

    def blocks_of(self, source: Source) -> Iterator[Block]:
        """Return the unparsed sentences of a file; see `blocks`."""
        return self.blocks(self.text_of(source))

    @abstractmethod
    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: the block has an error; it names the line.
        """

    def kept(self, error: FormatError, form: str, *, line: int = 0, text: str = "") -> Eojeol:
        """Return an unreadable eojeol as one unknown morpheme.

        Args:
            error: the reason why it cannot be read.
            form: its surface.
            line: the number of its line; 0 if it is unknown.
            text: the text of its line, for the message.

        Raises:
            FormatError: unreadable eojeols are errors: `error` with its place.
        """
        error.text = text or error.text
        error.at(path="", line=line)
        if not self.keep:
            raise error
        return self.assembler.unanalysed(form, error.code, error.message)

    def reset(self) -> Self:
        """Return the reader with its memory, for another pass over a file."""
        self._skipped = 0
        return self

    def prepare(self, blocks: Iterable[Block]) -> Iterable[Block]:
        """Return blocks; a reader that works ahead begins with all of them here."""
        return blocks

    def read(
        self, blocks: Iterable[Block], path: str, on_error: OnError, report: Report
    ) -> Iterator[Sentence]:
        """Iterate over the sentences of blocks; see `pairs`."""
        for _, sentence in self.pairs(blocks, path, on_error, report):
            yield sentence

    def read_file(self, source: Source, on_error: OnError, report: Report) -> Iterator[Sentence]:
        """Iterate over the sentences of a file; see `pairs`."""
        for _, sentence in self.pairs_of(source, on_error, report):
            yield sentence

    def pairs_of(
        self, source: Source, on_error: OnError, report: Report
    ) -> Iterator[tuple[Block, Sentence]]:
        """Iterate over the blocks and the sentences of a whole file; see `pairs`."""
        try:
            yield from self.pairs(self.blocks_of(source), source.path, on_error, report)
        except FormatError as error:
            raise error.at(path=source.path, line=0) from None
        self.finish(source.path, report)

    def finish(self, path: str, report: Report) -> None:
        """Report what only the whole file shows; see `end`.

        Raises:
            FormatError: the file as a whole is not in this format.
        """
        try:
            report.tell(self.end(), path)
        except FormatError as error:
            raise error.at(path=path, line=0) from None

    def end(self) -> Iterable[Note]:
        """Return the incidents that only the whole file shows, once all of its sentences are read.

        Raises:
            FormatError: the file as a whole is not in this format.
        """
        return ()

    def pairs(
        self,
        blocks: Iterable[Block],
        path: str,
        on_error: OnError,
        report: Report,
        written: Callable[[Block], bool] | None = None,
    ) -> Iterator[tuple[Block, Sentence]]:
        """Iterate over blocks and their sentences, and report their incidents.

        Args:
            blocks: the blocks.
            path: for the report.
            on_error: "stop", "skip" or "keep".
            report: gets the incidents.
            written: returns whether a block is done already, and is left out.

        Raises:
            FormatError: the first error, with `on_error` "stop".
        """
        for block in self.prepare(blocks):
            if written is not None and written(block):
                continue
            found = self.pair(block, path, on_error, report)
            if found is not None:
                yield found

    def pair(
        self, block: Block, path: str, on_error: OnError, report: Report
    ) -> tuple[Block, Sentence] | None:
        """Return a block and its sentence, None if it is left out; see `pairs`."""
        self.report_block_notes(block, path, report)
        try:
            sentence = self.parse(block)
            if not sentence.eojeols:
                # No format has a place for it.
                raise FormatError("a sentence without an eojeol", code="E106")
        except FormatError as error:
            error.at(path=path, line=block.line)
            if on_error == "stop":
                raise
            # A traceback holds calls that hold the error, for the collector alone to free.
            error = error.with_traceback(None)
            block, kept = self._recovered(block, error, path, report, keep=on_error == "keep")
            if kept is None:
                self._skipped += 1
                report.tell(self.skipped(), path, block.line, block.sent_id)
                return None
            sentence = kept
        sentence.number -= self._skipped
        notes = [eojeol.notes for eojeol in sentence.eojeols]
        if any(notes):
            self.report_notes(block, enumerate(notes), path, report, sentence.sent_id)
        report.tell(sentence.notes, path, block.line, sentence.sent_id)
        # The notes that the steps add are reported by the driver.
        sentence.notes = ()
        return block, sentence

    def skipped(self) -> Sequence[Note]:
        """Return the incidents of the annotation of the sentence that was left out last."""
        return ()

    def _recovered(
        self, block: Block, error: FormatError, path: str, report: Report, *, keep: bool
    ) -> tuple[Block, Sentence | None]:
        """Report the error of a block; return a mended block, and its sentence if there is one."""
        mended, errors = self.mended(block) if keep else (block, [])
        sentence = None
        if errors:
            try:
                sentence = self.parse(mended)
            except FormatError as raised:
                errors = [*errors, raised]
        for one in errors or [error]:
            report.add(one.at(path=path, line=block.line).incident(sent_id=block.sent_id))
        return mended, sentence

    def mended(self, block: Block) -> tuple[Block, list[FormatError]]:
        """Return a block without the cells that cannot be read, and the error of each of them.

        There are no errors if the block cannot be read in spite of that.
        """
        return block, []

    def opening(self, block: Block) -> tuple[str, ...]:
        """Return the comments of a block that open a document."""
        return tuple([comment for comment in block.comments if comment.startswith("newdoc")])

    def report_block_notes(self, block: Block, path: str, report: Report) -> None:
        """Report the incidents of cutting the file into blocks."""
        for line, code, message in block.notes:
            report.add(Incident(code, message, path, line, 0, block.sent_id))

    def report_notes(
        self,
        block: Block,
        notes: Iterable[tuple[int, tuple[Note, ...]]],
        path: str,
        report: Report,
        sent_id: str,
    ) -> None:
        """Report the notes of eojeols.

        Args:
            block: the block of the eojeols.
            notes: the position of each eojeol in the block, from 0, and its notes.
            path: the path of the file.
            report: receives the incidents.
            sent_id: the id of the sentence.
        """
        for at, own in notes if self.tells_notes else ():
            for note in own:
                line = self.line_of(block, at)
                report.add(Incident(note.code, note.message, path, line, 0, sent_id, str(at + 1)))

    def line_of(self, block: Block, eojeol: int) -> int:
        """Return the line number of an eojeol of a block."""
        if self._lines[0] is not block:
            # Many eojeols of a block may have notes, so its lines are kept.
            self._lines = block, self.lines(block)
        lines = self._lines[1]
        return lines[eojeol] if eojeol < len(lines) else block.line

    def lines(self, block: Block) -> Sequence[int]:
        """Return the line numbers of a block's eojeols; () if all are in the block's first line.

        A format whose sentences have several lines overrides it.
        """
        return ()


_BLANK = lazy_pattern(r"\n(?:[^\S\n]*\n)+")


def text_blocks(chunks: Iterable[str], longest: int = MAX_SENTENCE) -> Iterator[tuple[int, str]]:
    """Yield the blocks of lines between blank lines, each with the number of its first line.

    Args:
        chunks: text, each chunk ending at a line's end.
        longest: the greatest length of a block in characters.

    Raises:
        FormatError: a block is longer than any sentence.

    >>> list(text_blocks(["a\\nb\\n\\n", "\\nc\\n"]))
    [(1, 'a\\nb'), (5, 'c')]
    """
    rest = ""
    line = 1
    for chunk in chunks:
        text = rest + chunk
        start = 0
        for blank in _BLANK.finditer(text):
            end = blank.start()
            if end > start and (found := _block(text[start:end], line)):
                yield found
            line += text.count("\n", start, blank.end())
            start = blank.end()
        rest = text[start:]
        if len(rest) > longest:
            raise too_long(line, longest)
    # The last line may be of blanks, without its end.
    if found := _block(_BLANK.sub("", f"{rest}\n"), line):
        yield found


def identified(
    texts: Iterable[tuple[int, str]], stated_id: Callable[[str], str]
) -> Iterator[Block]:
    """Yield the blocks of texts with their lines; `stated_id` returns the id in a text, or "".

    >>> [block.sent_id for block in identified([(1, "a"), (3, "a")], str)]
    ['a', 'a-2']
    """
    ids = SentIds()
    for number, (line, text) in enumerate(texts, 1):
        stated = stated_id(text)
        own = ids.of(stated, number)
        yield Block(text, line, number, own, (), id_notes(stated, own, text, line))


def numbered(texts: Iterable[tuple[int, str]]) -> Iterator[Block]:
    """Return the blocks of texts with their lines, whose sentences have no ids but their numbers.

    >>> [block.sent_id for block in numbered([(1, "a"), (3, "a")])]
    ['1', '2']
    """
    return identified(texts, lambda _: "")


def too_long(line: int, longest: int = MAX_SENTENCE) -> FormatError:
    """Return the error of a block that is longer than any sentence."""
    return FormatError(
        f"a sentence of more than {longest:,} characters begins here:"
        " are the blank lines between the sentences missing?",
        line=line,
        code="E105",
    )


def _block(text: str, line: int) -> tuple[int, str] | None:
    """Return a block without the blank lines at its edges; None if it is empty then."""
    if text[:1].isspace():
        body = text.lstrip("\n")
        while body and (end := body.find("\n")) >= 0 and not body[:end].strip():
            body = body[end + 1 :]
        line += text.count("\n", 0, len(text) - len(body))
        text = body
    text = text.rstrip("\n")
    return (line, text) if text.strip() else None


_WIDEST = 18
"""The number of digits that always fit into the arrays of `SentIds`."""


class SentIds:
    """Makes ids unique in a file: repetitions of an id get the suffixes `-2`, `-3` and so on.

    Ids that end in a number are stored by prefix, as sorted numbers: corpora number their sentences
    upwards, and a million ids then take a few megabytes.

    >>> ids = SentIds()
    >>> ids.unique("a-1"), ids.unique("a-1"), ids.unique("a-1")
    ('a-1', 'a-1-2', 'a-1-3')
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int], array[int]] = {}
        self._others: set[str] = set()
        self._repeats: dict[str, int] = {}
        self._running = 0

    def of(self, sent_id: str, number: int) -> str:
        """Return the id of a sentence; its number names a sentence without a usable id.

        Args:
            sent_id: the id in the file, "" if there is none; one with a space cannot be kept.
            number: the position of the sentence in the file.
        """
        if sent_id.split() != [sent_id]:
            return self.running(number)
        return self.unique(sent_id)

    def running(self, number: int) -> str:
        """Return the id of a sentence without an id of its own: its number, made unique.

        While a file has only consecutive numbers, the last number alone is stored.
        """
        if number == self._running + 1 and not self._numbers and not self._others:
            self._running = number
            return str(number)
        return self.unique(str(number))

    def unique(self, sent_id: str) -> str:
        """Return the id, or the first `id-N` that is still free."""
        candidate = sent_id
        while not self._add(candidate):
            count = self._repeats.get(sent_id, 1) + 1
            self._repeats[sent_id] = count
            candidate = f"{sent_id}-{count}"
        return candidate

    def _add(self, sent_id: str) -> bool:
        """Store an id and return whether it was new."""
        value = to_number(sent_id) if self._running else None
        if value and value <= self._running and str(value) == sent_id:
            return False
        prefix = sent_id.rstrip("0123456789")
        width = len(sent_id) - len(prefix)
        if not 0 < width <= _WIDEST:
            size = len(self._others)
            self._others.add(sent_id)
            return len(self._others) > size
        number = int(sent_id[-width:])
        # The width is part of the key: 01 and 1 are two ids.
        numbers = self._numbers.get((prefix, width))
        if numbers is None:
            from array import array

            numbers = self._numbers[prefix, width] = array("Q")
        if not numbers or number > numbers[-1]:
            numbers.append(number)
            return True
        at = bisect_left(numbers, number)
        if numbers[at] == number:
            return False
        numbers.insert(at, number)
        return True


_LINES = 200
_JSON = lazy_pattern(r"\s*[\[{]\s*(?:[\[\]{}\"]|null\b|$)", re.MULTILINE)


@lru_cache(maxsize=1)
def first_lines(head: str) -> Sequence[str]:
    """Return the lines that decide what a text is: the first 200 without the blank ones."""
    return tuple([line for line in head.split("\n", _LINES)[:_LINES] if line.strip()])


def whole_lines(head: str) -> list[str]:
    """Return the lines of the beginning of a file that are whole and not blank."""
    return [line for line in head.split("\n")[:-1] if line.strip()]


def data_rows(head: str) -> list[str]:
    r"""Return the first lines of a text without its comments, which begin with # and have no tab.

    >>> data_rows("# sent_id = 1\n1\t나\n")
    ['1\t나']
    """
    return [line for line in first_lines(head) if line[:1] != "#" or "\t" in line]


def is_analysed(text: str) -> bool:
    """Test whether every eojeol of a text is an analysis, form/TAG+form/TAG.

    >>> is_analysed("나/npp + 는/jxt 가/VV+ㄴ다/EF"), is_analysed("나는 1/2")
    (True, False)
    """
    parts = [part.rpartition("/") for part in text.replace(" + ", "+").split()]
    return bool(parts) and all(
        slash and ((tag[:1].isalpha() and tag.isupper()) or load().kind(tag))
        for _, slash, tag in parts
    )


CSV_MARKS = ",;\t"
"""The marks that may stand between the columns of a table."""


def expect_no_table(head: str, path: str) -> None:
    """Check that a file of raw text is no table of several columns whose name ends in `.csv`.

    Raises:
        UsageError: it is one; the names of its columns do not tell which of them has the text.
    """
    header = head.partition("\n")[0]
    if file_ending(path) == ".csv" and any([mark in header for mark in CSV_MARKS]):
        raise UsageError(
            f"{path} is a table in no known format: --field names the column with raw text (--from"
            " text of `convert` reads its lines); columns of a corpus have tabs between them"
        )


def is_json(head: str) -> bool:
    """Test whether a text begins as JSON does; `[속보] …` does not."""
    return _JSON.match(head) is not None


def mostly(fits: Sequence[bool]) -> bool:
    """Test whether more than half of the lines fit a format: some of them may be damaged."""
    return 2 * sum(fits) > len(fits)
