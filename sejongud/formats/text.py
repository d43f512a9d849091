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

    from sejongud.formats.base import Units
    from sejongud.model import Eojeol
    from sejongud.morphology.eojeol import Assembler
    from sejongud.morphology.kiwi import Piece, Unit

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
        self._analysed: tuple[Frame | None, list[Piece]] = None, []

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "": whatever is in no other format is text."""
        return ""

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the sentences of a file."""
        comments: tuple[str, ...] = (f"generator = {', '.join(versions())}",)
        sentences = self._sentences(self.lines_of(chunks))
        for number, (line, text, begins_paragraph) in enumerate(sentences, 1):
            if begins_paragraph:
                comments = (_PARAGRAPH, *comments)
            yield Frame(text, line, number, str(number), comments)
            comments = ()

    def ahead(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield frames that Kiwi has analysed, some of them ahead, in threads of its own."""
        # Kiwi gets all frames in one call.
        frames, texts = tee(frames)
        analyses = self.analyser.tokenized(frame.text for frame in texts)
        for frame, pieces in zip(frames, analyses, strict=True):
            self._analysed = frame, pieces
            yield frame

    def units(self, frame: Frame) -> Units[Unit] | None:
        """Return the eojeols of a sentence that was analysed ahead; None for any other."""
        analysed_frame, pieces = self._analysed
        units = self.analyser.units(pieces) if analysed_frame is frame else None
        if units is None:
            return None
        return units, _original(frame, pieces[0].text), frame.comments

    def unit(self, unit: Unit) -> Eojeol | None:
        """Return an eojeol; None if only its sentence tells its morphemes."""
        return self.analyser.eojeol(unit, self.assembler)

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a frame, which is analysed by itself if it was not ahead."""
        analysed_frame, pieces = self._analysed
        if analysed_frame is not frame:
            pieces = next(self.analyser.tokenized([frame.text]))
        build = self.assembler.eojeol
        analysed = self.analyser.eojeols(pieces)
        eojeols = tuple([build(form, morphemes) for form, morphemes in analysed])
        sentence = Sentence(eojeols, frame.sent_id, comments=frame.comments, number=frame.number)
        sentence.text_orig = _original(frame, sentence.text)
        return sentence

    def lines_of(self, chunks: Iterable[str]) -> Iterator[TextLine]:
        """Yield the lines that are not blank."""
        after_blank = False
        for number, line in numbered_lines(chunks):
            if line.strip():
                yield number, line, after_blank
                after_blank = False
            else:
                after_blank = number > 1

    def _sentences(self, lines: Iterator[TextLine]) -> Iterator[TextLine]:
        """Return the sentences of the lines if these are paragraphs, else the lines."""
        if not self._split:
            return lines
        paragraphs, texts = tee(lines)
        split_texts = self.analyser.sentences(text for _, text, _ in texts)
        return chain.from_iterable(
            [(line, sentence, i == 0) for i, sentence in enumerate(sentences)]
            for (line, _, _), sentences in zip(paragraphs, split_texts, strict=True)
        )


def _original(frame: Frame, text: str) -> str:
    """Return the text of a frame without the spaces at its edges; "" if it is the cleaned text."""
    original = without_surrogates(frame.text).strip()
    return "" if original == text else original


TextLine = tuple[int, str, bool]
"""The number of a line, its text, and whether a paragraph begins with it."""
