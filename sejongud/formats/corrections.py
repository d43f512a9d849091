"""The base of the formats of corrections, and plain text: sources with targets, or with edits.

A file is cut into blocks, and each block is parsed by itself, so that a file of any length is
read in constant memory. A fault of a sentence ends the run, or is reported and the sentence left
out; a format whose sentences have usable parts says so to `fault` and goes on.

    나는 학교에 갓다<TAB>나는 학교에 갔다<TAB>나는 학교에 다녀왔다

In plain text a row has a source and the target of each annotator (tsv), or the lines with one
number in several files belong together (parallel).
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar
from unicodedata import is_normalized

from sejongud.errors import FormatError, Incident, Note, OnError, Report, UsageError
from sejongud.formats.base import Block, to_number
from sejongud.formats.labelled import FileFormat, exact_blocks, line_blocks
from sejongud.gec.edits import Corrections, Pair, text_notes
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.files import Source

    Items = Iterator[tuple[int, Corrections | Pair]]
    """The sentences of a file, each with the number of its line."""
    Fault = Callable[[FormatError], None]
    """Raises an error, or reports it and returns: the part that it names is left out then."""


class CorrectionsFormat(FileFormat):
    """Reads one format of corrections, and writes it if `written`.

    Args:
        settings: see `FileFormat`.
        rules: the tables; None for the package's own.

    Raises:
        UsageError: there is no such setting.
    """

    written: ClassVar[bool] = True
    """Whether the format can be written."""
    has_edits: ClassVar[bool] = True
    """Whether the format holds edits, and not the corrected texts alone."""
    by_lines: ClassVar[bool] = False
    """Whether each line is a sentence, rather than the lines up to a blank line."""
    cut_anywhere: ClassVar[bool] = False
    """Whether `blocks` takes text that is cut anywhere; lines have then no greatest length."""
    preamble = ""
    """The text before all sentences of a file."""

    def __init__(self, settings: str = "", rules: Rules | None = None) -> None:
        super().__init__(settings)
        self.rules = rules or load()

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file.

        Args:
            chunks: the text, each chunk ending at a line's end.
        """
        return line_blocks(chunks) if self.by_lines else exact_blocks(chunks)

    def parse(self, block: Block, fault: Fault, report: Report) -> Items:
        """Return the sentences of a block, each with its line in the file.

        A format that does not consist of such blocks overrides `numbered` instead.

        Args:
            block: of the file.
            fault: called with the error of a part that can be left out.
            report: collects warnings, which get the path of the file.

        Raises:
            FormatError: the block cannot be read.
        """
        raise NotImplementedError

    def numbered(self, source: Source, on_error: OnError, report: Report) -> Items:
        """Iterate over the sentences of a file, each with the number of its line.

        Args:
            source: the file.
            on_error: "stop" at the first error; with "skip" and "keep" a sentence that cannot be
                read is left out, or the part of it that cannot.
            report: collects the incidents.

        Raises:
            FormatError: the first error, with "stop".
        """
        fault, placed_report = handlers(source.path, on_error, report)
        chunks = source.pieces() if self.cut_anywhere else source.chunks()
        return self.of_chunks(chunks, source.path, placed_report, fault)

    def of_chunks(self, chunks: Iterable[str], path: str, report: Report, fault: Fault) -> Items:
        """Iterate over the sentences of a text in chunks; see `parse` and `numbered`."""
        try:
            for block in self.blocks(chunks):
                try:
                    yield from self.parse(block, fault, report)
                except FormatError as error:
                    fault(error.at(path="", line=block.line))
        except FormatError as error:
            raise error.at(path=path, line=0) from None

    def sentence(self, item: Corrections | Pair) -> str:
        """Return the text of a sentence, with the separator to the next one.

        Args:
            item: the edits, or the texts that have not been compared.

        Raises:
            FormatError: the format cannot hold the sentence.
            UsageError: the format holds edits, and there are none; or it is read alone.
        """
        raise UsageError(f"{self.name} is read and not written")

    def loses(self, item: Corrections | Pair) -> list[Note]:
        """Return the incidents of the edits of a sentence that the format cannot express."""
        return [] if self.has_edits else text_notes(item)

    def edited(self, item: Corrections | Pair) -> Corrections:
        """Return a sentence whose edits are known: those that its file states of a pair of texts.

        Raises:
            UsageError: source and targets have not been compared.
        """
        corrections = item.given if isinstance(item, Pair) else item
        if corrections is None:
            raise UsageError(
                "the input holds texts and no edits: `sejongud gec annotate` finds them"
            )
        return corrections

    def end(self) -> str:
        """Return the text that closes the file after all sentences."""
        return ""


def handlers(path: str, on_error: OnError, report: Report) -> tuple[Fault, Report]:
    """Return a function that handles a fault of a file, and a report that names the file."""

    def fault(error: FormatError) -> None:
        error.at(path=path, line=0)
        if on_error == "stop":
            raise error
        report.add(error.incident())

    return fault, Report(lambda incident: report.add(incident._replace(path=path)))


# --- plain text -----------------------------------------------------------------------------------


class Tsv(CorrectionsFormat):
    r"""Reads and writes rows of a source and its targets.

    Args:
        settings: the columns of the source and of each target with spaces between: numbers from 1,
            or names in the first row; "" takes all columns in order.

    >>> from sejongud.errors import Report
    >>> from sejongud.formats.base import Block
    >>> list(Tsv("3 1").parse(Block("갔다\t1\t갓다\n", 1, 1), print, Report()))[0][1][:2]
    ('갓다', ('갔다',))
    """

    name = "tsv"
    has_edits = False
    by_lines = True
    more_settings = True

    def __init__(self, settings: str = "", rules: Rules | None = None) -> None:
        super().__init__(settings, rules)
        columns = self._more
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
    return joined_lines([(source.path, source.lines()) for source in sources], report)


def joined_lines(
    texts: Sequence[tuple[str, Iterable[str]]], report: Report
) -> Iterator[tuple[int, Pair]]:
    """Yield the pairs of texts, each with its path; see `together`."""
    paths = [path for path, _ in texts]
    for number, lines in enumerate(zip_longest(*[text for _, text in texts]), 1):
        if None in lines:
            ends = [path for path, line in zip(paths, lines, strict=True) if line is None]
            goes_on = [path for path, line in zip(paths, lines, strict=True) if line is not None]
            raise FormatError(
                f"this line has no counterpart: {ends[0]} has only"
                f" {counted(number - 1, 'line[s]')}; each file must have a line for each"
                " sentence, also where it is empty, or --align aligns the texts",
                path=goes_on[0],
                line=number,
                code="E507",
            )
        if any([line.strip() for line in lines]):
            yield number, Pair(lines[0], lines[1:])
        else:
            tell_empty(report, number, paths[0])


def texts_of(item: Corrections | Pair) -> list[str]:
    """Return the text of the source and of each target.

    Raises:
        FormatError: two edits overlap, or a text holds a tab or a line end.

    >>> texts_of(Corrections(("나는", "간다"), {0: ()}))
    ['나는 간다', '나는 간다']
    """
    texts = item.texts()
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
