"""Raw text in a member of JSON objects, or in a column of CSV, analysed by Kiwi.

    {"id": 7, "text": "나는 간다.", "label": 1}          id,text,label
                                                       7,나는 간다.,1

A file has an object a line, or is a list of objects; or it is CSV with a comma, a semicolon or a
tab between the columns and their names in its first row. The option --field names the member or the
column. Its lines are sentences, as those of raw text. The other members are the comment `record` of
the first of them, and `id` is the id of the sentence.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Note, UsageError
from sejongud.files import numbered_lines
from sejongud.formats.base import Frame, SentIds
from sejongud.formats.json_records import load_object
from sejongud.formats.json_text import Walk, first_objects
from sejongud.formats.labelled import to_json
from sejongud.formats.sniffing import is_json
from sejongud.formats.text import TextLine, TextReader
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.formats.base import Units
    from sejongud.model import Sentence
    from sejongud.morphology.eojeol import Assembler
    from sejongud.morphology.kiwi import Unit

_CODE = "E640"
_ID = "id"
_NIKL = "document"
"""The member of the corpora of NIKL, which have a reader of their own."""
_USUAL = frozenset(("text", "sentence", "document", "content", "review", "form"))
"""The usual names of a column of raw text, by which CSV is known."""
_NO_TEXT = "?"
"""The text of a faulty record, which is not read."""
_LONGEST_FIELD = 1_000_000
_SHOWN = 10
"""The lines of empty records that a message names."""


class RecordsReader(TextReader):
    """Read raw text in a member of objects, or in a column.

    Args:
        assembler: builds the eojeols.
        keep: as `TextReader`.
        split: likewise.
        workers: likewise.
        field: the member or the column.
    """

    def __init__(
        self,
        assembler: Assembler,
        *,
        keep: bool = False,
        split: bool = False,
        workers: int | None = None,
        field: str = "",
    ) -> None:
        super().__init__(assembler, keep=keep, split=split, workers=workers)
        self._field = field
        self._others: dict[int, tuple[str, str]] = {}
        self._faults: dict[int, FormatError] = {}
        self._empty: list[str] = []
        """The lines of the records with an empty text."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if a text begins with an object that has texts, or with the names of columns.

        >>> RecordsReader.sniff('{"id": 1, "text": "봄"}\n'), RecordsReader.sniff("id,text\n1,봄\n")
        ('', '')
        """
        if is_json(head):
            first = next(first_objects(head), {})
            texts = [key for key, value in first.items() if isinstance(value, str) and key != _ID]
            return "" if texts and _NIKL not in first else None
        lines = head.split("\n")
        names = next(csv.reader(lines[:1]), [])
        rows = [row for row in csv.reader(lines[1:-1]) if row]
        known = len(names) > 1 and _USUAL.intersection(names) and rows
        return "" if known and all([len(row) == len(names) for row in rows[:-1]]) else None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the sentences of a file.

        Raises:
            FormatError: the file is neither JSON nor CSV.
            UsageError: no member is named.
        """
        ids = SentIds()
        for frame in super().frame(chunks):
            sent_id, record = self._others.pop(frame.line, ("", ""))
            comments = (*frame.comments, record) if record else frame.comments
            fault = self._faults.pop(frame.line, None)
            sent_id = ids.of(sent_id, frame.number)
            yield frame._replace(sent_id=sent_id, comments=comments, item=fault)

    def units(self, frame: Frame) -> Units[Unit] | None:
        """Return the eojeols of a sentence, as `TextReader`; None for a faulty record."""
        return None if frame.item is not None else super().units(frame)

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a frame.

        Raises:
            FormatError: its record cannot be read.
        """
        if frame.item is not None:
            raise frame.item
        return super().parse(frame)

    def lines_of(self, chunks: Iterable[str]) -> Iterator[TextLine]:
        """Yield the lines of the texts, each with the number of the line of its record."""
        for line, record in _records(iter(chunks), self._field):
            fault = record if isinstance(record, FormatError) else self._fault(record, line)
            if isinstance(record, FormatError) or fault is not None:
                assert fault is not None
                self._faults[line] = fault
                yield line, _NO_TEXT, False
                continue
            text = record.pop(self._field)
            rows = [(line, row, False) for row in text.splitlines() if row.strip()]
            if not rows:
                self._empty.append(str(line))
                continue
            sent_id = str(record.get(_ID, ""))
            self._others[line] = sent_id, f"record = {to_json(record)}" if record else ""
            yield from rows

    def end(self) -> Iterable[Note]:
        """Return the incident of the records with an empty text, which are no sentences."""
        if self._empty:
            several = counted(len(self._empty), "record[s]")
            lines = ", ".join(self._empty[:_SHOWN]) + (" …" if len(self._empty) > _SHOWN else "")
            yield Note("W332", f"{several} with an empty text left out, at line {lines}")

    def _fault(self, record: dict[str, Any], line: int) -> FormatError | None:
        """Return the fault of a record without the text, None if it has one.

        Raises:
            UsageError: no member is named.
        """
        if isinstance(record.get(self._field), str):
            return None
        names = ", ".join([name for name, value in record.items() if isinstance(value, str)])
        if not self._field:
            raise UsageError(
                "this is raw text in JSON or CSV: `analyze` and `convert` read it if --field names"
                f" the member or the column with the text: {names}"
            )
        message = f"the record has no text {self._field}, but {names or 'no texts'}"
        return FormatError(message, line=line, code=_CODE)


def _records(
    chunks: Iterator[str], field: str
) -> Iterator[tuple[int, dict[str, Any] | FormatError]]:
    """Yield the records of a file, or their faults, each with the number of its first line.

    Args:
        chunks: the text, each chunk ending at a line's end.
        field: the column of the text, by which the separator is found.

    Raises:
        FormatError: the list of the records is broken.
    """
    first = next((chunk for chunk in chunks if chunk.strip()), "")
    whole = _rejoined(first, chunks)
    if first.lstrip()[:1] == "[":
        walk = Walk(whole, _CODE)
        walk.peek()
        for _ in walk.elements():
            walk.peek()
            line = walk.line
            yield line, load_object(walk.take(), line)
    elif first.lstrip()[:1] == "{":
        for line, text in numbered_lines(whole):
            if text.strip():
                try:
                    yield line, load_object(text, line)
                except FormatError as error:
                    yield line, error
    else:
        yield from _rows(whole, first.partition("\n")[0].rstrip("\r"), field)


def _rejoined(first: str, chunks: Iterator[str]) -> Iterator[str]:
    yield first
    yield from chunks


def _rows(
    chunks: Iterable[str], header: str, field: str
) -> Iterator[tuple[int, dict[str, Any] | FormatError]]:
    """Yield the rows of CSV, each with the number of its first line.

    Raises:
        FormatError: the file is no CSV, or has no such column.
    """
    separators = [mark for mark in ",;\t" if field in header.split(mark)] or [","]
    csv.field_size_limit(_LONGEST_FIELD)
    lines = (text + "\n" for _, text in numbered_lines(chunks))
    rows = csv.reader(lines, delimiter=separators[0], strict=True)
    names: list[str] = []
    line = 1
    try:
        for row in rows:
            if row and not names:
                names = row
                if field and field not in names:
                    message = f"the first row names no column {field}, but {', '.join(names)[:80]}"
                    raise FormatError(message, line=line, code=_CODE)
            elif row and len(row) != len(names):
                message = f"expected {len(names)} cells as in the first row, found {len(row)}"
                yield line, FormatError(message, line=line, code=_CODE)
            elif row:
                yield line, dict(zip(names, row, strict=True))
            line = rows.line_num + 1
    except csv.Error as error:
        raise FormatError(f"this is no CSV: {error}", line=line, code=_CODE) from None
