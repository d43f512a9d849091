"""Raw text, analysed by Kiwi: lines, a member of JSON objects, or a column of CSV."""

from __future__ import annotations

import csv
from itertools import tee
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sejongud.errors import FormatError, Note, UsageError
from sejongud.files import numbered_lines
from sejongud.formats import RAW_COLUMNS
from sejongud.formats.around import META, restore_comment
from sejongud.formats.base import CSV_MARKS, Block, Reader, SentIds, Units, is_json
from sejongud.memo import lazy_pattern
from sejongud.model import Eojeol, Sentence
from sejongud.morphology.hangul import without_surrogates
from sejongud.morphology.kiwi import KiwiAnalyser, Piece, Unit
from sejongud.terminal import counted
from sejongud.version import kiwi_versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.files import Source
    from sejongud.morphology.eojeol import Assembler


class RawLine(NamedTuple):
    """A line of raw text; with `split` it is a paragraph."""

    line: int
    """Its number in the file, or that of its record."""
    text: str
    begins_paragraph: bool = False
    sent_id: str = ""
    """The id of its record; "" if that has none."""
    opening: tuple[str, ...] = ()
    """The comments of the document that begins with it."""
    comments: tuple[str, ...] = ()
    """The comments of its first sentence."""
    fault: FormatError | None = None
    """The fault of its record, whose text is not read."""


class TextReader(Reader):
    """Raw text, analysed by Kiwi.

    A line is a sentence, as in corpora and as most programs write them; with `split`, a line is a
    paragraph, whose sentences Kiwi finds. A new paragraph (`# newpar`) begins behind a blank line,
    and with `split` at every line.

    A comment of the first sentence names the version of Kiwi. If a sentence has other spaces than
    one between eojeols, or is not in NFC, `text_orig` keeps its text without the spaces at its
    edges.

    Args:
        assembler: builds the eojeols.
        keep: has no effect; every text can be analysed.
        split: whether a line is a paragraph. Kiwi then reads everything twice, once to find the
            sentences and once each sentence by itself, so that it is analysed as it would be on
            a line of its own.
        workers: the number of Kiwi's threads; None for as many as there are processors.
    """

    def __init__(
        self,
        assembler: Assembler,
        *,
        keep: bool = False,
        split: bool = False,
        workers: int | None = None,
    ) -> None:
        super().__init__(assembler, keep=keep)
        self._split = split
        self.analyser = KiwiAnalyser(assembler.rules, workers=workers)
        self._analysed: tuple[Block | None, list[Piece]] = None, []

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "": whatever is in no other format is text."""
        return ""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences of a file."""
        ids = SentIds()
        above: tuple[str, ...] = (f"generator = {', '.join(kiwi_versions())}",)
        for number, line in enumerate(self._sentences(self.lines_of(chunks)), 1):
            if line.begins_paragraph:
                above = ("newpar", *above)
            sent_id = ids.of(line.sent_id, number)
            comments = (*line.opening, *above, *line.comments)
            yield Block(line.text, line.line, number, sent_id, comments, item=line.fault)
            above = ()

    def prepare(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield blocks that Kiwi has analysed, some of them ahead, in threads of its own."""
        # Kiwi gets all blocks in one call.
        blocks, texts = tee(blocks)
        analyses = self.analyser.tokenized(block.text for block in texts)
        for block, pieces in zip(blocks, analyses, strict=True):
            self._analysed = block, pieces
            yield block

    def units(self, block: Block) -> Units | None:
        """Return the eojeols of a sentence that was analysed ahead; None for any other."""
        analysed_block, pieces = self._analysed
        units = None if block.item or analysed_block is not block else self.analyser.units(pieces)
        if units is None:
            return None
        return units, _original(block, pieces[0].text), block.comments

    def unit(self, unit: Unit) -> Eojeol | None:
        """Return an eojeol; None if only its sentence tells its morphemes."""
        return self.analyser.eojeol(unit, self.assembler)

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block, which is analysed by itself if it was not ahead.

        Raises:
            FormatError: its record cannot be read.
        """
        if block.item:
            raise block.item
        analysed_block, pieces = self._analysed
        if analysed_block is not block:
            pieces = next(self.analyser.tokenized([block.text]))
        build = self.assembler.eojeol
        analysed = self.analyser.eojeols(pieces)
        eojeols = tuple([build(form, morphemes) for form, morphemes in analysed])
        sentence = Sentence(eojeols, block.sent_id, comments=block.comments, number=block.number)
        sentence.text_orig = _original(block, sentence.text)
        return sentence

    def lines_of(self, chunks: Iterable[str]) -> Iterator[RawLine]:
        """Yield the lines that are not blank."""
        after_blank = False
        for number, line in numbered_lines(chunks):
            if line.strip():
                yield RawLine(number, line, after_blank)
                after_blank = False
            else:
                after_blank = number > 1

    def _sentences(self, lines: Iterator[RawLine]) -> Iterator[RawLine]:
        """Yield the sentences of the lines if these are paragraphs, else the lines."""
        if not self._split:
            yield from lines
            return
        paragraphs, texts = tee(lines)
        split_texts = map(sentences_of, self.analyser.tokenized(line.text for line in texts))
        for line, sentences in zip(paragraphs, split_texts, strict=True):
            for at, text in enumerate(sentences):
                behind = RawLine(line.line, text, sent_id=line.sent_id)
                yield behind if at else line._replace(text=text, begins_paragraph=True)


def sentences_of(pieces: Iterable[Piece]) -> list[str]:
    """Return the sentences of a text, as Kiwi splits it; an eojeol is never split.

    Args:
        pieces: all of the text; one of more than 4,096 characters is split there as well.
    """
    sentences: list[str] = []
    goes_on = False
    for piece in pieces:
        first, *more = _split(piece)
        sentences += [sentences.pop() + first if goes_on else first, *more]
        goes_on = piece.goes_on
    return sentences


def _split(piece: Piece) -> list[str]:
    """Return the sentences of a piece; the first eojeol that begins in a sentence begins it."""
    sentences: list[list[str]] = []
    starts = {token.start: token.sent_position for token in reversed(piece.tokens)}
    begin = 0
    current = None
    for form in piece.text.split(" "):
        number = starts.get(begin, current)
        if number != current or not sentences:
            sentences.append([])
            current = number
        sentences[-1].append(form)
        begin += len(form) + 1
    return [" ".join(forms) for forms in sentences]


def _original(block: Block, text: str) -> str:
    """Return the text of a block without the spaces at its edges; "" if it is the cleaned text."""
    original = without_surrogates(block.text).strip()
    return "" if original == text else original


_CODE = "E640"
_ID = "id"
_NIKL = "document"
"""The member of the corpora of NIKL."""
_DOCUMENTS = lazy_pattern(rf'"{_NIKL}"\s*:\s*\[')
_TEXTS = lazy_pattern(r'"(?:paragraph|utterance)"\s*:\s*\[')
_ANNOTATED = lazy_pattern(r'"(?:sentence|corrected_form)"\s*:')
_OF_CORPUS = f"{META}corpus."
"""The beginning of the comments with the metadata of a corpus."""
_KINDS = {dict: "an object", list: "a list", type(None): "null", bool: "true or false"}
_NO_TEXT = "?"
"""The text of a faulty record, which is not read."""
_LONGEST_FIELD = 1_000_000
_SHOWN = 10
"""The lines of empty records that a message names."""
RawRecord = tuple[int, dict[str, Any] | FormatError | Note, tuple[str, ...]]
"""The number of a line; the record that begins there, its fault, or the part that is left out; the
comments of the corpus and the document that begin with it."""


class RecordsReader(TextReader):
    """Raw text in a member of JSON objects, or in a column of CSV, analysed by Kiwi.

        {"id": 7, "text": "나는 간다.", "label": 1}          id,text,label
                                                           7,나는 간다.,1

    A file has an object a line, or is a list of objects; or it is CSV with a comma, a semicolon or
    a tab between the columns and their names in its first row. The option --field names the member
    or the column. Its lines are sentences, as those of raw text. The other members are the comment
    `record` of the first of them, and `id` is the id of the sentence (`7`; `7-2` of the second).

    The paragraphs and utterances of a NIKL corpus are records too:

        {"document": [{"id": "SDRW1.1", "utterance": [{"id": "SDRW1.1.1", "form": "나는 간다."}]}]}

    Their text is `form`, unless a member is named. Ids and metadata of corpus and document are
    comments, as `ModuReader` has them.

    Args:
        assembler: builds the eojeols.
        field: the member or the column.
        options: of `TextReader`.
    """

    def __init__(self, assembler: Assembler, *, field: str = "", **options: Any) -> None:
        super().__init__(assembler, **options)
        self._field = field
        self._member = field
        """The member of the file that is read, which its format may tell."""
        self._empty: list[str] = []
        """The lines of the records with an empty text."""
        self._left: list[Note] = []
        """Other parts of the file that are left out."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if a text begins with an object that has texts, or with the names of columns.

        >>> RecordsReader.sniff('{"id": 1, "text": "봄"}\n'), RecordsReader.sniff("id,text\n1,봄\n")
        ('', '')
        """
        if is_nikl_text(head):
            return ""
        if is_json(head):
            from sejongud.formats.json_text import first_objects

            first = next(first_objects(head), {})
            texts = [key for key, value in first.items() if isinstance(value, str) and key != _ID]
            return "" if texts and _NIKL not in first else None
        lines = head.split("\n")
        mark = _separator(lines[0])
        names, *rows = [row for row in csv.reader(lines[:-1], delimiter=mark) if row] or [[]]
        column = next((number for number, name in enumerate(names) if name in RAW_COLUMNS), -1)
        is_table = len(names) > 1 and column >= 0 and bool(rows)
        if not is_table or any([len(row) != len(names) for row in rows[:-1]]):
            return None
        # Columns of words, with a tab between them, may have such names as well.
        has_texts = mark == "," or any([" " in cell for row in rows for cell in row[column:][:1]])
        return "" if has_texts else None

    def text_of(self, source: Source) -> Iterator[str]:
        """Return the text of a file; one value of JSON may be one line of any length."""
        head = source.head()
        is_one = head.lstrip()[:1] == "[" or _of_nikl(head, self._field)
        return source.pieces() if is_one else source.chunks()

    def lines_of(self, chunks: Iterable[str]) -> Iterator[RawLine]:
        """Yield the lines of the texts, each with the number of the line of its record.

        Raises:
            FormatError: the file is neither JSON nor CSV.
            UsageError: no member is named.
        """
        self._empty, self._left = [], []
        above: list[str] = []
        for line, record, opening in self._records(iter(chunks)):
            if isinstance(record, Note):
                if record.code == "W322":
                    self._empty.append(str(line))
                else:
                    message = f"{record.message}, at line {line}"
                    self._left.append(record._replace(message=message))
                continue
            # What opens a document goes with the first text that is read, if it has one.
            above = [one for one in above if not opening or one.startswith(_OF_CORPUS)]
            above += opening
            fault = record if isinstance(record, FormatError) else self._fault(record, line)
            if fault is not None:
                yield RawLine(line, _NO_TEXT, fault=fault)
                continue
            assert not isinstance(record, FormatError)
            text = record.pop(self._member)
            sent_id = str(record.get(_ID, ""))
            texts = [row for row in text.splitlines() if row.strip()]
            rows = [RawLine(line, row, sent_id=sent_id) for row in texts]
            if not rows:
                self._empty.append(str(line))
                continue
            comments = (restore_comment("record", record),) if record else ()
            yield rows[0]._replace(opening=tuple(above), comments=comments)
            yield from rows[1:]
            above = []

    def end(self) -> Iterable[Note]:
        """Return the incidents of the parts of a file that are no sentences."""
        yield from self._left
        if self._empty:
            several = counted(len(self._empty), "record[s]")
            lines = ", ".join(self._empty[:_SHOWN]) + (" …" if len(self._empty) > _SHOWN else "")
            yield Note("W332", f"{several} with an empty text left out, at line {lines}")

    def _fault(self, record: dict[str, Any], line: int) -> FormatError | None:
        """Return the fault of a record without the text, None if it has one.

        Raises:
            UsageError: no member is named.
        """
        if isinstance(record.get(self._member), str):
            return None
        names = ", ".join([name for name, value in record.items() if isinstance(value, str)])
        if self._member in record:
            kind = _KINDS.get(type(record[self._member]), "a number")
            message = f"{self._member} is {kind}: expected a text"
            return FormatError(message, line=line, code=_CODE)
        if not self._member:
            raise UsageError(
                "this is raw text in JSON or CSV: `analyze` and `convert` read it if --field names"
                f" the member or the column with the text: {names}"
            )
        others = names or f"only members that are no texts: {', '.join(record) or 'none'}"
        message = f"the record has no text {self._member}, but {others}"
        return FormatError(message, line=line, code=_CODE)

    def _records(self, chunks: Iterator[str]) -> Iterator[RawRecord]:
        """Yield the records of a file, their faults, and what is left out between them.

        Args:
            chunks: the text, each chunk ending at a line's end.

        Raises:
            FormatError: the list of the records is broken.
        """
        from sejongud.formats.json_records import first_chunk, read_objects

        first, whole = first_chunk(chunks)
        of_nikl = _of_nikl(first, self._field)
        self._member = self._field or ("form" if of_nikl else "")
        if of_nikl:
            yield from _of_documents(whole)
        elif first.lstrip()[:1] in ("[", "{"):
            yield from ((line, record, ()) for line, record in read_objects(whole, _CODE))
        else:
            yield from _rows(whole, first, self._field)


def is_nikl_text(head: str) -> bool:
    """Test whether a text begins as the raw text of a NIKL corpus, for which no member is named.

    >>> is_nikl_text('{"document": [{"utterance": [{"form": "봄"}]}]}')
    True
    """
    return bool(_of_nikl(head) and _TEXTS.search(head)) and not _ANNOTATED.search(head)


def _of_nikl(head: str, field: str = "") -> bool:
    """Test whether a text begins as a NIKL corpus, and not as an object with the text `field`."""
    if not is_json(head) or not _DOCUMENTS.search(head):
        return False
    from sejongud.formats.json_text import first_objects

    return not isinstance(next(first_objects(head), {}).get(field), str)


def _of_documents(chunks: Iterable[str]) -> Iterator[RawRecord]:
    """Yield the texts of a NIKL corpus; see `_records`."""
    from sejongud.formats.json_records import recovered
    from sejongud.formats.modu import NiklItem, NiklWalk

    for item in NiklWalk(chunks, _CODE, ("paragraph", "utterance", "sentence")).sentences():
        if isinstance(item, NiklItem):
            yield item.line, recovered(item.text, item.line), item.comments
        else:
            line, code, message = item
            yield line, Note(code, message), ()


def _rows(chunks: Iterable[str], first: str, field: str) -> Iterator[RawRecord]:
    """Yield the rows of CSV; see `_records`.

    Raises:
        FormatError: the file is no CSV, or has no such column.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    lines = (text + "\n" for _, text in numbered_lines(chunks))
    mark = _separator(first.partition("\n")[0].rstrip("\r"), field)
    rows = csv.reader(lines, delimiter=mark, strict=True, quoting=_quoting(first, mark))
    names: list[str] = []
    line = 1
    try:
        for row in rows:
            if row and not names:
                names = row
                if names.count(field) > 1:
                    message = f"the first row names {names.count(field)} columns {field}"
                    raise FormatError(message, line=line, code=_CODE)
                if field and field not in names:
                    message = f"the first row names no column {field}, but {', '.join(names)[:80]}"
                    raise FormatError(message, line=line, code=_CODE)
            elif row and len(row) != len(names):
                message = f"expected {len(names)} cells as in the first row, found {len(row)}"
                yield line, FormatError(message, line=line, code=_CODE), ()
            elif row:
                yield line, dict(zip(names, row, strict=True)), ()
            line = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(f"this is no CSV: {error}", line=line, code=_CODE) from None


def _separator(header: str, field: str = "") -> str:
    """Return the mark between the columns: one that parts the field, or the most frequent one."""
    cells = {mark: next(csv.reader([header], delimiter=mark), []) for mark in CSV_MARKS}
    fitting = [mark for mark in CSV_MARKS if field in cells[mark]]
    return (fitting or sorted(cells, key=lambda mark: -len(cells[mark])))[0]


def _quoting(first: str, mark: str) -> Literal[0, 3]:
    """Return csv.QUOTE_NONE if quotation marks are text, as in many files with tabs."""
    try:
        if mark == "\t":
            list(csv.reader(first.splitlines(keepends=True)[:-1], delimiter=mark, strict=True))
    except csv.Error as error:
        return csv.QUOTE_MINIMAL if "end of data" in str(error) else csv.QUOTE_NONE
    return csv.QUOTE_MINIMAL
