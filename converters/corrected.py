"""Files of corrections in the pipeline, as pairs and as sentences.

    PairReader       M2, TSV, XML … → Pair, Corrections → M2, JSON Lines, text
    CorrectedReader  M2, TSV, XML … → Sentence with `# m2 = …`, whose source Kiwi has analysed

`WithEdits` is the step from the former to the latter.
"""

from __future__ import annotations

from itertools import tee
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError, Incident, OnError, Report
from sejongud.formats.around import M2, with_layout
from sejongud.formats.base import Block, Reader, SentIds
from sejongud.formats.conllu.corrections import WithEdits
from sejongud.gec.edits import Corrections, Pair, skipped_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    from sejongud.files import Source
    from sejongud.formats.corrections import CorrectionsFormat
    from sejongud.model import Eojeol, Sentence
    from sejongud.morphology.eojeol import Assembler

    Placed = tuple[Block, Any]
    """A sentence with its place in the file."""
    Fault = Callable[[FormatError, Placed], None]
    """Called with an error and the sentence that is left out."""
    Annotate = Callable[[Sequence[Placed], Report, Fault], Iterator[Placed]]
    """Finds the edits of a batch of sentences."""


class _Framed(NamedTuple):
    """The content of a block."""

    value: Corrections | Pair | FormatError
    incidents: tuple[Incident, ...]
    """The incidents of reading it, and what was left out before it."""
    eojeols: tuple[Eojeol, ...] | None = None
    """The eojeols of its source, if Kiwi has found them ahead of parsing."""


# --- the readers ----------------------------------------------------------------------------------


class _CorrectionsReader(Reader):
    """The base of the readers of files of corrections: `blocks` reads the sentences.

    Args:
        assembler: builds the eojeols.
        layout: the format of the file.
        keep: has no effect; the part of a sentence that cannot be read is left out.
    """

    def __init__(
        self, assembler: Assembler, layout: CorrectionsFormat, *, keep: bool = False
    ) -> None:
        super().__init__(assembler, keep=keep)
        self.by_lines = not layout.cut_anywhere  # type: ignore[misc]
        self.layout = layout
        self._incidents: list[Incident] = []

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return None: the format of the file recognises it."""
        return None

    def blocks_of(self, source: Source) -> Iterator[Block]:
        """Yield the sentences; see `with_layout`."""
        return self._laid_out(super().blocks_of(source), source)

    def _laid_out(self, blocks: Iterator[Block], source: Source) -> Iterator[Block]:
        return with_layout(blocks, source, M2) if self.layout.name == M2 else blocks

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the sentences of a file, and the faults between them."""
        faults: list[FormatError] = []
        report = Report(self._incidents.append)
        return self._blocks(self.layout.of_chunks(chunks, "", report, faults.append), faults)

    def _blocks(
        self, items: Iterable[tuple[int, Corrections | Pair]], faults: list[FormatError]
    ) -> Iterator[Block]:
        ids = SentIds()
        number = 0

        def remembered(value: Any, line: int, sent_id: str = "", text: str = "") -> Block:
            nonlocal number
            number += 1
            incidents, self._incidents[:] = tuple(self._incidents), []
            return Block(text, line, number, sent_id, item=_Framed(value, incidents))

        for sentences, (line, item) in enumerate(items, 1):
            yield from [remembered(fault, fault.line) for fault in faults]
            faults.clear()
            yield remembered(item, line, ids.of(item.sent_id, sentences), _source(item))
        yield from [remembered(fault, fault.line) for fault in faults]

    def report_block_notes(self, block: Block, path: str, report: Report) -> None:
        """Report the incidents of reading."""
        super().report_block_notes(block, path, report)
        report.extend([one._replace(path=path) for one in block.item.incidents])

    def finish(self, path: str, report: Report) -> None:
        """Report what stands behind the last sentence."""
        report.extend([one._replace(path=path) for one in self._incidents])
        self._incidents.clear()


class PairReader(_CorrectionsReader):
    """Reads the sentences of a file of corrections, and finds their edits.

    Args:
        assembler: builds the eojeols.
        layout: the format of the file.
        on_error: "stop", "skip" or "keep".
        annotate: finds the edits of a batch; None to leave sentences as they are.
    """

    batch = 1 << 13

    def __init__(
        self,
        assembler: Assembler,
        layout: CorrectionsFormat,
        on_error: OnError,
        annotate: Annotate | None = None,
    ) -> None:
        super().__init__(assembler, layout)
        self._on_error = on_error
        self._annotate = annotate
        self._given: Iterator[Any] | None = None

    def give(self, sentences: Iterator[Any]) -> None:
        """Take the sentences of several files, each with its line."""
        self._given = sentences

    def reset(self) -> Self:
        """Return the reader for another file."""
        self._given = None
        return super().reset()

    def blocks_of(self, source: Source) -> Iterator[Block]:
        """Return the sentences of a file, or of several files."""
        report = Report(self._incidents.append)
        items = self._given or self.layout.numbered(source, self._on_error, report)
        return self._laid_out(self._blocks(items, []), source)

    def parse(self, block: Block) -> Any:
        """Return the sentence of a block, with its number for a missing id."""
        item = block.item.value
        if block.comments:
            item = item._replace(comments=(*block.comments, *item.comments))
        return item if item.sent_id else item._replace(sent_id=block.sent_id)

    def pair(
        self, block: Block, path: str, on_error: OnError, report: Report
    ) -> tuple[Block, Any] | None:
        """Return a block and its sentence."""
        self.report_block_notes(block, path, report)
        return block, self.parse(block)

    def pairs(
        self,
        blocks: Iterable[Block],
        path: str,
        on_error: OnError,
        report: Report,
        written: Callable[[Block], bool] | None = None,
    ) -> Iterator[tuple[Block, Any]]:
        """Iterate over the sentences of a batch with their edits; see `Reader.pairs`."""
        pairs: Iterator[Placed] = super().pairs(blocks, path, on_error, report)
        if self._annotate is None:
            return pairs
        batch = list(pairs)
        lines = {block.sent_id: block.line for block, _ in batch}

        def tell(incident: Incident) -> None:
            line = incident.line or lines.get(incident.sent_id, 0)
            report.add(incident._replace(path=path, line=line))

        def fault(error: FormatError, placed: Placed) -> None:
            leave_out(error, placed, path, on_error, report)

        return self._annotate(batch, Report(tell), fault)


def leave_out(
    error: FormatError, placed: Placed, path: str, on_error: OnError, report: Report
) -> None:
    """Report the error of a sentence that is left out, with its edits.

    Raises:
        FormatError: `error`, with `on_error` "stop".
    """
    block, item = placed
    error.at(path=path, line=block.line)
    if on_error == "stop":
        raise error
    report.add(error.with_traceback(None).incident(sent_id=block.sent_id))
    report.tell(skipped_notes(item), path, block.line, block.sent_id)


class CorrectedReader(_CorrectionsReader):
    """Reads the sources of a file of corrections.

    Args:
        assembler: builds the eojeols.
        layout: the format of the file.
        keep: has no effect; the part of a sentence that cannot be read is left out.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
    """

    in_order = True

    def __init__(
        self,
        assembler: Assembler,
        layout: CorrectionsFormat,
        *,
        keep: bool = False,
        workers: int | None = None,
    ) -> None:
        super().__init__(assembler, layout, keep=keep)
        self._edits = WithEdits(assembler, workers=workers)

    def prepare(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield blocks; Kiwi analyses the sources some ahead."""
        blocks, sources = tee(blocks)
        analyses = self._edits.eojeols(block.item.value for block in sources if block.sent_id)
        for block in blocks:
            if block.sent_id:
                block = block._replace(item=block.item._replace(eojeols=next(analyses)))
            yield block

    def parse(self, block: Block) -> Sentence:
        """Return the source of a block, with its edits in comments.

        Raises:
            FormatError: the block is a fault, or the edits are of other tokens.
        """
        value, _, eojeols = block.item
        if isinstance(value, FormatError):
            raise value
        if block.comments:
            value = value._replace(comments=(*block.comments, *value.comments))
        if eojeols is None:
            [eojeols] = self._edits.eojeols([value])
        if isinstance(value, Pair) and value.given is None:
            sentence = self._edits.unedited(value, eojeols)
            sentence.sent_id = block.sent_id
        else:
            corrections = self.layout.edited(value)._replace(sent_id=block.sent_id)
            sentence = self._edits.analysed(corrections, eojeols)
        sentence.number = block.number
        return sentence


def _source(item: Corrections | Pair) -> str:
    return item.source if isinstance(item, Pair) else " ".join(item.tokens)
