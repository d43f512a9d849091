"""The base of the formats of corrections: sources with their targets, or with edits.

A file is framed into blocks, and each block is parsed by itself, so that a file of any length is
read in constant memory. A fault of a sentence ends the run, or is reported and the sentence left
out; a format whose sentences have usable parts says so to `fault` and goes on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from sejongud.errors import FormatError, Report, UsageError
from sejongud.formats.labelled import exact_blocks, line_blocks
from sejongud.gec.edits import Pair, text_notes
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from sejongud.errors import Incident, Note, OnError
    from sejongud.files import Source
    from sejongud.formats.labelled import Block
    from sejongud.gec.edits import Corrections
    from sejongud.rules import Rules

    Fault = Callable[[FormatError], None]
    """Raises an error, or reports it and returns: the part that it names is left out then."""


class CorrectionsFormat(ABC):
    """Reads one format of corrections, and writes it if `written`.

    Args:
        settings: one of `choices`; "" for the first of them.
        rules: the tables; None for the package's own.

    Raises:
        UsageError: there is no such setting.
    """

    name: ClassVar[str]
    written: ClassVar[bool] = True
    """Whether the format can be written."""
    has_edits: ClassVar[bool] = True
    """Whether the format holds edits, and not the corrected texts alone."""
    by_lines: ClassVar[bool] = False
    """Whether each line is a sentence, rather than the lines up to a blank line."""
    cut_anywhere: ClassVar[bool] = False
    """Whether `blocks` takes text that is cut anywhere; lines have then no greatest length."""
    choices: ClassVar[Collection[str]] = ("",)
    """The settings."""
    preamble = ""
    """The text before all sentences of a file."""

    def __init__(self, settings: str = "", rules: Rules | None = None) -> None:
        self.rules = rules or load()
        self.settings = settings or next(iter(self.choices))
        if self.settings not in self.choices:
            legal = ", ".join(filter(None, self.choices)) or "none"
            raise UsageError(f"{self.name}: there is no setting {settings}: {legal}")

    def __str__(self) -> str:
        """Return the name and the settings."""
        return f"{self.name} {self.settings}".rstrip()

    @classmethod
    @abstractmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file.

        Args:
            chunks: the text, each chunk ending at a line's end.
        """
        return line_blocks(chunks) if self.by_lines else exact_blocks(chunks)

    def parse(
        self, block: Block, fault: Fault, report: Report
    ) -> Iterable[tuple[int, Corrections | Pair]]:
        """Return the sentences of a block, each with its line in the file.

        A format that does not consist of such blocks overrides `items` instead.

        Args:
            block: of the file.
            fault: called with the error of a part that can be left out.
            report: collects warnings, which get the path of the file.

        Raises:
            FormatError: the block cannot be read.
        """
        raise NotImplementedError

    def numbered(
        self, source: Source, on_error: OnError, report: Report
    ) -> Iterator[tuple[int, Corrections | Pair]]:
        """Iterate over the sentences of a file, each with the number of its line.

        Args:
            source: the file.
            on_error: "stop" at the first error; with "skip" and "keep" a sentence that cannot be
                read is left out, or the part of it that cannot.
            report: collects the incidents.

        Raises:
            FormatError: the first error, with "stop".
        """
        fault, placed_report = _places(source.path, on_error, report)
        return self.items(source, on_error, placed_report, fault)

    def loads(
        self, text: str, on_error: OnError, report: Report
    ) -> Iterator[tuple[int, Corrections | Pair]]:
        """Iterate over the sentences of a text, each with the number of its line.

        Args:
            text: what a file would hold; its lines end in LF.
            on_error: as of `numbered`.
            report: collects the incidents.

        Raises:
            FormatError: the first error, with "stop".
        """
        fault, placed_report = _places("-", on_error, report)
        lines = [text if text.endswith("\n") or not text else f"{text}\n"]
        return self.of_chunks(lines, "-", placed_report, fault)

    def items(
        self, source: Source, on_error: OnError, report: Report, fault: Fault
    ) -> Iterator[tuple[int, Corrections | Pair]]:
        """Iterate over the sentences of a file, each with the number of its line.

        Args:
            source: the file.
            on_error: as of `numbered`.
            report: collects warnings, which get the path of the file.
            fault: called with the error of a part that can be left out.
        """
        chunks = source.pieces() if self.cut_anywhere else source.chunks()
        return self.of_chunks(chunks, source.path, report, fault)

    def of_chunks(
        self, chunks: Iterable[str], path: str, report: Report, fault: Fault
    ) -> Iterator[tuple[int, Corrections | Pair]]:
        """Iterate over the sentences of a text in chunks; see `items`."""
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
                f"{self.name} holds edits, and the input holds texts: `sejongud gec annotate` finds"
                " their edits"
            )
        return corrections

    def end(self) -> str:
        """Return the text that closes the file after all sentences."""
        return ""


def _places(path: str, on_error: OnError, report: Report) -> tuple[Fault, Report]:
    """Return a function that handles a fault of a file, and a report that names the file."""

    def fault(error: FormatError) -> None:
        error.at(path=path, line=0)
        if on_error == "stop":
            raise error
        report.add(error.incident())

    def tell(incident: Incident) -> None:
        report.add(replace(incident, path=path))

    return fault, Report(tell)
