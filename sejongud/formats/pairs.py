r"""Sources and targets as plain text: rows with tabs between (tsv), or several files (parallel).

    나는 학교에 갓다<TAB>나는 학교에 갔다<TAB>나는 학교에 다녀왔다

A row has a source and the target of each annotator. In parallel files the lines with one number
belong together. M2 and JSON Lines keep edits; these formats keep the corrected texts alone.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING
from unicodedata import is_normalized

from sejongud.errors import FormatError, Incident, UsageError
from sejongud.formats.base import to_number
from sejongud.formats.corrections import CorrectionsFormat
from sejongud.gec.edits import Corrections, Pair
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.formats.corrections import Fault
    from sejongud.formats.labelled import Block
    from sejongud.rules import Rules


class Tsv(CorrectionsFormat):
    r"""Reads and writes rows of a source and its targets.

    Args:
        settings: the columns of the source and of each target with spaces between: numbers from 1,
            or names in the first row; "" takes all columns in order.

    >>> from sejongud.errors import Report
    >>> from sejongud.formats.labelled import Block
    >>> list(Tsv("3 1").parse(Block("갔다\t1\t갓다\n", 1, 1), print, Report()))[0][1][:2]
    ('갓다', ('갔다',))
    """

    name = "tsv"
    has_edits = False
    by_lines = True

    def __init__(self, settings: str = "", rules: Rules | None = None) -> None:
        super().__init__(rules=rules)
        self.settings = settings
        columns = settings.split()
        self._names = columns if any([to_number(column) is None for column in columns]) else []
        self._columns = [] if self._names else [(to_number(column) or 0) - 1 for column in columns]
        if len(columns) == 1 or -1 in self._columns:
            raise UsageError(
                f"tsv: the columns {settings} must be the source and at least one target: numbers"
                " from 1, or names in the first row"
            )

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return None: any table may have other columns than sources and targets."""
        return None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the rows; the first row is left out if columns are named."""
        blocks = super().blocks(chunks)
        if self._names:
            first = next(blocks, None)
            if first is not None:
                cells = first.text.rstrip("\n").split("\t")
                if unknown := [name for name in self._names if name not in cells]:
                    message = (
                        f"there is no column {unknown[0]}: the first row has {', '.join(cells)}"
                    )
                    raise first.error(message, "E508")
                self._columns = [cells.index(name) for name in self._names]
        yield from blocks

    def parse(self, block: Block, fault: Fault, report: Report) -> Iterator[tuple[int, Pair]]:
        """Yield the pair of a row; none if it is blank."""
        cells = block.text.rstrip("\n").split("\t")
        if not block.text.strip():
            tell_empty(report, block.line)
            return
        least = max(self._columns, default=1) + 1
        if len(cells) < least:
            raise block.error(
                f"the row has {counted(len(cells), 'column[s]')}, and {least} are expected:"
                " source, tab, target",
                "E508",
            )
        if self._columns:
            cells = [cells[column] for column in self._columns]
        if any([cell.strip() for cell in cells]):
            yield block.line, Pair(cells[0], tuple(cells[1:]))
        else:
            tell_empty(report, block.line)

    def sentence(self, item: Corrections | Pair) -> str:
        """Return the row of a source and its targets."""
        return "\t".join(texts_of(item)) + "\n"


class Parallel(CorrectionsFormat):
    """Reads files of which each has a line a sentence; `together` reads them."""

    name = "parallel"
    has_edits = False
    by_lines = True

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return None: any text has lines."""
        return None

    def parse(self, block: Block, fault: Fault, report: Report) -> Iterator[tuple[int, Pair]]:
        """Raise an error: a line alone has no target.

        Raises:
            UsageError: always.
        """
        raise UsageError("parallel text is two files at least: the sources and their targets")

    def sentence(self, item: Corrections | Pair) -> str:
        """Return the lines of a sentence, each for a file of its own."""
        return "\n".join(texts_of(item)) + "\n"


def together(sources: Sequence[Source], report: Report) -> Iterator[tuple[int, Pair]]:
    """Yield the pairs of files of which each has a line a sentence, each with its line.

    Args:
        sources: the file of the sources, and the file of each annotator's targets.
        report: collects the incidents.

    Raises:
        FormatError: a file has more lines than another.
    """
    for number, lines in enumerate(zip_longest(*[source.lines() for source in sources]), 1):
        if None in lines:
            ends = [source for source, line in zip(sources, lines, strict=True) if line is None]
            goes_on = [source for source in sources if source not in ends]
            raise FormatError(
                f"this line has no counterpart: {ends[0].path} has only"
                f" {counted(number - 1, 'line[s]')}; each"
                " file must have a line for each sentence, also where it is empty",
                path=goes_on[0].path,
                line=number,
                code="E507",
            )
        if any([line.strip() for line in lines]):
            yield number, Pair(lines[0], lines[1:])
        else:
            tell_empty(report, number, sources[0].path)


def texts_of(item: Corrections | Pair) -> list[str]:
    """Return the text of the source and of each target.

    Raises:
        FormatError: two edits overlap, or a text holds a tab or a line end.

    >>> texts_of(Corrections(("나는", "간다"), {0: ()}))
    ['나는 간다', '나는 간다']
    """
    if isinstance(item, Pair):
        texts = [item.source, *item.targets]
    else:
        texts = [" ".join(tokens) for tokens in [item.tokens, *map(item.target, item.edits)]]
    if any([mark in text for mark in "\t\n" for text in texts]):
        raise FormatError(
            "a text holds a tab or a line end, which this format cannot hold; another can: jsonl",
            code="E506",
        )
    return texts


def tell_composed(
    report: Report, texts: Iterable[str], line: int, path: str = "", sent_id: str = ""
) -> None:
    """Report texts that are not in NFC, if there are any, as their tokens will be."""
    if not all([is_normalized("NFC", text) for text in texts]):
        message = "the text is not in Unicode's form NFC, and its corrections are written in NFC"
        report.add(Incident("W507", message, path, line, sent_id=sent_id))


def tell_empty(report: Report, line: int, path: str = "", sent_id: str = "") -> None:
    """Report a pair of empty texts."""
    message = "the source and the targets are empty: the pair is left out"
    report.add(Incident("W502", message, path, line, sent_id=sent_id))
