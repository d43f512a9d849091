"""Raw text, analysed by Kiwi.

A line is a sentence, as in corpora and as most programs write them; with `split`, a line is a
paragraph, whose sentences Kiwi finds. A new paragraph (`# newpar`) begins behind a blank line, and
with `split` at every line.
"""

from __future__ import annotations

from itertools import chain, tee
from typing import TYPE_CHECKING

from sejongud.files import numbered_lines
from sejongud.formats.base import Frame, Reader
from sejongud.model import Sentence
from sejongud.morphology.kiwi import KiwiAnalyser, versions, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.errors import OnError, Report
    from sejongud.model import Morpheme
    from sejongud.morphology.eojeol import Assembler

__all__ = ["TextReader"]

_PARAGRAPH = "newpar"


class TextReader(Reader):
    """Read raw text.

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
        self._eojeols = self.analyser

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "": whatever is in no other format is text."""
        return ""

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the sentences of a file."""
        comments: tuple[str, ...] = (f"generator = {', '.join(versions())}",)
        sentences = self._sentences(_lines(chunks))
        for number, (line, text, begins_paragraph) in enumerate(sentences, 1):
            if begins_paragraph:
                comments = (_PARAGRAPH, *comments)
            yield Frame(text, line, number, str(number), comments)
            comments = ()

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a frame, analysed by itself."""
        return self._sentence(frame, next(self._eojeols.of([frame.text])))

    def pairs(
        self, frames: Iterable[Frame], path: str, on_error: OnError, report: Report
    ) -> Iterator[tuple[Frame, Sentence]]:
        """Analyse frames, in Kiwi's own threads.

        Args:
            frames: the frames.
            path: for the report.
            on_error: has no effect; every text can be analysed.
            report: gets a note on each form that the morphemes do not explain.
        """
        # Kiwi works some sentences ahead in its own threads, so it gets all frames in one call.
        frames, ahead = tee(frames)
        analyses = self._eojeols.of(frame.text for frame in ahead)
        for frame, found in zip(frames, analyses, strict=True):
            sentence = self._sentence(frame, found)
            notes = enumerate([eojeol.notes for eojeol in sentence.eojeols])
            self.report_notes(frame, notes, path, report, frame.sent_id)
            yield frame, sentence

    def _sentences(self, lines: Iterator[_Line]) -> Iterator[_Line]:
        """Return the sentences of the lines if these are paragraphs, else the lines."""
        if not self._split:
            return lines
        paragraphs, texts = tee(lines)
        found = self.analyser.sentences(text for _, text, _ in texts)
        return chain.from_iterable(
            [(line, sentence, at == 0) for at, sentence in enumerate(sentences)]
            for (line, _, _), sentences in zip(paragraphs, found, strict=True)
        )

    def _sentence(self, frame: Frame, found: list[tuple[str, list[Morpheme]]]) -> Sentence:
        build = self.assembler.eojeol
        eojeols = tuple([build(form, morphemes) for form, morphemes in found])
        sentence = Sentence(eojeols, frame.sent_id, comments=frame.comments, number=frame.number)
        sentence.text_orig = _original(frame.text, sentence.text)
        return sentence


def _original(written: str, text: str) -> str:
    """Return the written text without the spaces at its edges; "" if it equals `text`."""
    original = without_surrogates(written).strip()
    return original if original != text else ""


_Line = tuple[int, str, bool]
"""The number of a line, its text, and whether a paragraph begins with it."""


def _lines(chunks: Iterable[str]) -> Iterator[_Line]:
    """Yield the lines that are not blank."""
    after_blank = False
    for number, line in numbered_lines(chunks):
        if line.strip():
            yield number, line, after_blank
            after_blank = False
        else:
            after_blank = number > 1
