"""Text of the Espresso tagger: a tagged eojeol a line, with BOS and EOS and without blank lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.files import numbered_lines
from sejongud.formats.around import Gaps, with_lines_around, without_around
from sejongud.formats.base import MAX_SENTENCE, Block, data_rows, is_analysed, mostly, too_long
from sejongud.formats.sejong import SejongReader, SejongWriter
from sejongud.layers.labels import not_written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Sentence


_NAME = "espresso"
_KEY = "bos_eos = "
_BEGIN, _END, _NONE = "BOS", "EOS", "-"
_BOTH = re.compile(r"BOS[^\w\t]?EOS")
_COLUMNS = 3


class EspressoReader(SejongReader):
    r"""Text of the Espresso tagger and its converters: a tagged eojeol a line, no blank lines.

        친구하고<TAB>BOS<TAB>친구/NNG+하고/JKB
        갔습니다.<TAB>EOS<TAB>가/VV+았/EP+습니다/EF+./SF

    A sentence begins at BOS and ends at EOS; that of a single eojeol has BOS, as the converter from
    UDPipe writes it, or EOS, or both. Where the marks of a sentence are others, the comment
    `bos_eos` keeps them.
    """

    restored = _NAME
    _gap = 0

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if most rows have a mark or none before an analysis.

        >>> EspressoReader.sniff("봄\tBOS\t봄/NNG\n"), EspressoReader.sniff("봄\t\t봄/NNG\n")
        ('', None)
        """
        rows = [row.split("\t") for row in data_rows(head)]
        cells = [row if len(row) == _COLUMNS else ["", "?", ""] for row in rows]
        marks = {mark for _, mark, _ in cells}
        fits = [(not mark or _is_mark(mark)) and is_analysed(last) for _, mark, last in cells]
        return "" if mostly(fits) and any(map(_is_mark, marks)) else None

    def _blocks(self, chunks: Iterable[str], gaps: Gaps) -> Iterator[Block]:
        """Yield the sentences between BOS and EOS as Sejong text of two columns."""
        for number, rows in enumerate(_sentences(chunks), 1):
            gaps.begin = rows[0][0]
            yield _block(rows, number)

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: a line has other columns, or an eojeol cannot be read.
        """
        if block.item is not None:
            line, row = block.item
            columns = row.count("\t") + 1
            message = f"expected the columns form, BOS or EOS or nothing, analysis, found {columns}"
            raise FormatError(message, line=line, text=row, code="E101")
        return super().parse(block)


def _sentences(chunks: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield the rows of each sentence with their lines."""
    rows: list[tuple[int, str]] = []
    size = 0
    for line, row in numbered_lines(chunks):
        mark = row.split("\t")[1] if "\t" in row else ""
        if rows and (not row.strip() or mark == _BEGIN or _BOTH.fullmatch(mark)):
            yield rows
            rows, size = [], 0
        if row.strip():
            rows.append((line, row))
            size += len(row)
            if size > MAX_SENTENCE:
                raise too_long(rows[0][0])
        if rows and (mark == _END or _BOTH.fullmatch(mark)):
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _block(rows: Sequence[tuple[int, str]], number: int) -> Block:
    """Return the block of the rows of a sentence."""
    line = rows[0][0]
    cells = [row.split("\t") for _, row in rows]
    bad = next((row for row, cell in zip(rows, cells, strict=True) if len(cell) != _COLUMNS), None)
    text = "\n".join([f"{cell[0]}\t{cell[-1]}" for cell in cells])
    comments: tuple[str, ...] = ()
    notes: tuple[tuple[int, str, str], ...] = ()
    marks = [cell[1] for cell in cells] if bad is None else []
    if bad is None and marks != _marks(len(cells)):
        shown = " ".join([mark.replace(" ", "_") or _NONE for mark in marks])
        comments = (_KEY + shown,)
        if len(marks) > 1 or not (marks[0] == _END or _BOTH.fullmatch(marks[0])):
            usual = " ".join([mark or _NONE for mark in _marks(len(cells))])
            notes = ((line, "W131", f"the marks of the sentence are {shown}, not {usual}"),)
    return Block(text, line, number, str(number), comments, notes, "", bad)


def _is_mark(mark: str) -> bool:
    return mark in (_BEGIN, _END) or _BOTH.fullmatch(mark) is not None


def _marks(size: int) -> list[str]:
    """Return the usual marks of a sentence.

    >>> _marks(1), _marks(3)
    (['BOS'], ['BOS', '', 'EOS'])
    """
    return [_BEGIN, *[""] * (size - 2), _END][:size]


class EspressoWriter(SejongWriter):
    """Write tagged text with BOS and EOS."""

    parting = "\n"
    restored = _NAME

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts that are not written, or could not be read again."""
        comments = without_around(sentence.comments, _NAME)
        others = [comment for comment in comments if not comment.startswith(_KEY)]
        parts = ["comments"] if others or sentence.text_orig else []
        parts += ["ids"] if sentence.ids or not sentence.sent_id.isdecimal() else []
        return [*super().loses(sentence), *not_written(parts)]

    def sentence(self, sentence: Sentence) -> str:
        """Return the lines of a sentence."""
        marks = _marks(len(sentence.eojeols))
        for comment in sentence.comments:
            stated = [mark if mark != _NONE else "" for mark in comment[len(_KEY) :].split()]
            if comment.startswith(_KEY) and len(stated) == len(marks):
                marks = stated
        lines = [self._lines[eojeol].split("\t") for eojeol in sentence.eojeols]
        rows = zip(lines, marks, strict=True)
        text = "".join([f"{form}\t{mark}\t{analysis}" for (form, analysis), mark in rows])
        return with_lines_around(sentence.comments, _NAME, lambda _: text, usual="")
