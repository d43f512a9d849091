"""Raw text, analysed by Kiwi.

A line is a sentence, as in corpora and as most programs write them; with `split`, a line is a
paragraph, whose sentences Kiwi finds. A blank line, which has no other meaning here, begins a new
paragraph (`# newpar`), and so does every line with `split`.
"""

from __future__ import annotations

from collections import deque
from itertools import chain, tee
from typing import TYPE_CHECKING

from sejongud.errors import Incident
from sejongud.formats.base import Frame, Reader
from sejongud.kiwi import KiwiAnalyser, KiwiEojeols, eojeol_maker, versions, without_surrogates
from sejongud.model import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.assembly import Assembler
    from sejongud.errors import OnError, Report
    from sejongud.model import Eojeol

__all__ = ["TextReader"]

_PARAGRAPH = "newpar"


class TextReader(Reader):
    """Reads raw text.

    The first sentence says in a comment which Kiwi analysed the file. Where the text of a sentence
    had other spaces than one between eojeols, or was not in NFC, `text_orig` has it as it was,
    without the spaces at its edges.

    Args:
        assembler: builds the eojeols.
        keep: has no effect; every text can be analysed.
        split: whether a line is a paragraph. Kiwi then reads everything twice, once to find the
            sentences and once each sentence by itself, so that it is analysed as it would be on
            a line of its own.
        workers: how many threads of Kiwi's own; None as many as there are processors.
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
        self._analyser = KiwiAnalyser(assembler.rules, workers=workers)
        self._eojeols = KiwiEojeols(self._analyser, eojeol_maker(assembler))

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """The sentences of a file."""
        comments: tuple[str, ...] = (f"generator = {', '.join(versions())}",)
        sentences = self._sentences(_lines(chunks))
        for number, (line, text, begins_paragraph) in enumerate(sentences, 1):
            if begins_paragraph:
                comments = (_PARAGRAPH, *comments)
            yield Frame(text, line, number, str(number), comments)
            comments = ()

    def parse(self, frame: Frame) -> Sentence:
        """The sentence of a frame, analysed by itself."""
        return self._sentence(frame, next(self._eojeols.of([frame.text])))

    def read(
        self, frames: Iterable[Frame], path: str, on_error: OnError, report: Report
    ) -> Iterator[Sentence]:
        """Analyse frames, in Kiwi's own threads.

        Args:
            frames: the frames.
            path: for the report.
            on_error: has no effect; every text can be analysed.
            report: what is told of forms that the morphemes do not explain.
        """
        # Kiwi works on some sentences ahead in its own threads, so it must have them all at once.
        waiting: deque[Frame] = deque()

        def texts() -> Iterator[str]:
            for frame in frames:
                waiting.append(frame)
                yield frame.text

        for eojeols in self._eojeols.of(texts()):
            frame = waiting.popleft()
            sentence = self._sentence(frame, eojeols)
            for at, eojeol in enumerate(sentence.eojeols, 1):
                for code, message in eojeol.notes:
                    report.add(Incident(code, message, path, frame.line, 0, frame.sent_id, str(at)))
            yield sentence

    def _sentences(self, lines: Iterator[_Line]) -> Iterator[_Line]:
        """The sentences of lines that are paragraphs, or the lines themselves."""
        if not self._split:
            return lines
        paragraphs, texts = tee(lines)
        found = self._analyser.sentences(text for _, text, _ in texts)
        return chain.from_iterable(
            [(line, sentence, at == 0) for at, sentence in enumerate(sentences)]
            for (line, _, _), sentences in zip(paragraphs, found, strict=True)
        )

    def _sentence(self, frame: Frame, eojeols: list[Eojeol]) -> Sentence:
        sentence = Sentence(
            tuple(eojeols),
            frame.sent_id,
            comments=frame.comments,
            number=frame.number,
        )
        original = without_surrogates(frame.text).strip()
        if original != sentence.text:
            sentence.text_orig = original
        return sentence


_Line = tuple[int, str, bool]
"""The number of a line, its text, and whether a paragraph begins with it."""


def _lines(chunks: Iterable[str]) -> Iterator[_Line]:
    """The lines that are not blank."""
    number = 0
    after_blank = False
    for chunk in chunks:
        lines = chunk.split("\n")
        if not lines[-1]:
            lines.pop()
        for line in lines:
            number += 1
            if line.strip():
                yield number, line, after_blank
                after_blank = False
            else:
                after_blank = number > 1
