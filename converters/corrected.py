"""Files of corrections as sentences: the sources, analysed by Kiwi, with their edits in comments.

M2, JSON Lines, XML … → Corrections → Sentence with `# m2 = …` → Corrections → M2, JSON Lines …
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note, Report
from sejongud.formats.base import Frame, Reader, SentIds
from sejongud.formats.conllu.corrections import ConlluCorrections, corrections_of
from sejongud.gec.edits import Corrections, Pair
from sejongud.layers.losses import layer_notes, tree_notes
from sejongud.model import Sentence
from sejongud.morphology.bordered import BorderedEojeols
from sejongud.morphology.kiwi import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.formats.corrections import CorrectionsFormat
    from sejongud.model import Eojeol
    from sejongud.morphology.bordered import Names, Pieces
    from sejongud.morphology.eojeol import Assembler


class CorrectedReader(Reader):
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
        super().__init__(assembler, keep=keep)
        self.by_lines = not layout.cut_anywhere  # type: ignore[misc]
        self._layout = layout
        self._conllu = ConlluCorrections(rules=assembler.rules)
        self._kiwi = BorderedEojeols(assembler, workers)
        self._framed: dict[int, Corrections | Pair | FormatError] = {}
        self._ahead: dict[int, tuple[Eojeol, ...]] = {}

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return None: the format of the file recognises it."""
        return None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the sentences of a file, and the faults between them."""
        faults: list[FormatError] = []
        notes: list[tuple[int, str, str]] = []
        report = Report(lambda one: notes.append((one.line, one.code, one.message)))
        ids = SentIds()
        number = sentences = 0

        def framed(item: Corrections | Pair | FormatError, line: int) -> Frame:
            nonlocal number
            number += 1
            self._framed[number] = item
            if isinstance(item, FormatError):
                return Frame("", line, number, "")
            told, notes[:] = tuple(notes), []
            return Frame(_source(item), line, number, ids.of(item.sent_id, sentences), (), told)

        for line, item in self._layout.of_chunks(chunks, "", report, faults.append):
            for fault in faults:
                yield framed(fault, fault.line)
            faults.clear()
            sentences += 1
            yield framed(item, line)
        for fault in faults:
            yield framed(fault, fault.line)

    def ahead(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield frames; Kiwi analyses the sources some ahead."""
        waiting: deque[Frame] = deque()

        def forms() -> Iterator[tuple[list[str], Pieces, Names]]:
            for frame in frames:
                waiting.append(frame)
                if frame.sent_id:
                    yield self._forms(self._framed[frame.number]), {}, {}

        for eojeols, _ in self._kiwi.of(forms()):
            while not waiting[0].sent_id:
                yield waiting.popleft()
            self._ahead[waiting[0].number] = eojeols
            yield waiting.popleft()
        yield from waiting

    def _forms(self, item: object) -> list[str]:
        """Return the eojeols of a source."""
        if isinstance(item, Pair) and item.given is None:
            return clean(item.source).split()
        assert isinstance(item, (Pair, Corrections))
        return self._conllu.text_of(self._layout.edited(item)).split()

    def parse(self, frame: Frame) -> Sentence:
        """Return the source of a frame, with its edits in comments.

        Raises:
            FormatError: the frame is a fault, or the edits are of other tokens.
        """
        item = self._framed.pop(frame.number)
        if isinstance(item, FormatError):
            raise item
        eojeols = self._ahead.pop(frame.number, None)
        if eojeols is None:
            [(eojeols, _)] = self._kiwi.of([(self._forms(item), {}, {})])
        if isinstance(item, Pair) and item.given is None:
            sentence = Sentence(eojeols, frame.sent_id, comments=item.comments)
        else:
            corrections = self._layout.edited(item)._replace(sent_id=frame.sent_id)
            sentence = self._conllu.analysed(corrections, eojeols)
        sentence.number = frame.number
        return sentence


def _source(item: Corrections | Pair) -> str:
    return item.source if isinstance(item, Pair) else " ".join(item.tokens)


class CorrectionsWriter:
    """Writes the edits in the comments of sentences.

    Args:
        layout: the format.
    """

    def __init__(self, layout: CorrectionsFormat) -> None:
        self.preamble = layout.preamble
        self._layout = layout
        self._notes: list[Note] = []

    def sentence(self, sentence: Sentence) -> str:
        """Return the text of a sentence.

        Raises:
            FormatError: there is no such level of tokens, or the format cannot hold the sentence.
        """
        faults: list[FormatError] = []
        frame = Frame("", 0, sentence.number, sentence.sent_id)
        item = corrections_of(sentence, frame, faults.append, self._layout.rules)
        self._notes = [Note(fault.code, fault.message) for fault in faults]
        self._notes += self._layout.loses(item)
        return self._layout.sentence(item)

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of what was not written of the last sentence."""
        return [*self._notes, *layer_notes(sentence), *tree_notes(sentence)]

    def end(self) -> str:
        """Return the text that closes the file."""
        return self._layout.end()
