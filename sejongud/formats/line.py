r"""A sentence a line, an eojeol as its analysis: `나/NP+는/JX 간/VV+ㄴ다/EF+./SF`.

Such lines have no surface. Kiwi makes one when they are read, which the note I107 of every eojeol
reports. A space within a morpheme is written `\s`, a backslash `\\`; a plus that stands by
itself joins the pieces left and right of it. Plus signs and slashes are as in
`sejongud.morphology.notation`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.files import numbered_lines
from sejongud.formats.base import Reader, numbered
from sejongud.formats.sejong import Losses
from sejongud.formats.sniffing import data_rows, is_analysed
from sejongud.memo import Memo
from sejongud.model import Eojeol, Morpheme, Sentence
from sejongud.morphology.eojeol import MADE, unsure
from sejongud.morphology.kiwi import KiwiAnalyser
from sejongud.morphology.notation import write_analysis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.formats.base import Frame
    from sejongud.morphology.eojeol import Assembler

# Blanks, except those beside a plus that stands by itself.
_BLANK = r"[ \t\u3000]"
_BORDER = re.compile(rf"(?<=[^+ \t\u3000]){_BLANK}+(?!{_BLANK}|\+(?:{_BLANK}|$))")
_ESCAPED = re.compile(r"\\([\\s])")

# The surface that an analysis is read with: plus signs may be morphemes, parentheses mark elision.
_NO_SURFACE = "+"


class LineReader(Reader):
    """Read a sentence a line.

    Args:
        assembler: builds the eojeols.
        keep: whether an eojeol that cannot be read is kept as unknown instead of raising.
        noted: whether each eojeol has the note that its surface was made.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False, noted: bool = True) -> None:
        super().__init__(assembler, keep=keep)
        self._notes = (MADE,) if noted else ()
        self._kiwi = KiwiAnalyser(assembler.rules)
        self._analyses: Memo[str, tuple[tuple[Morpheme, ...], tuple[Note, ...]]] = Memo.of(
            self, LineReader._analysis, size=48_000
        )
        self._eojeols: Memo[tuple[str, tuple[Morpheme, ...], tuple[Note, ...]], Eojeol] = Memo.of(
            self, lambda reader, key: reader._made(*key), size=48_000
        )

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if the first line consists of analyses."""
        return "" if any(map(is_analysed, data_rows(head)[:1])) else None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the lines that are not blank."""
        return numbered(line for line in numbered_lines(chunks) if line[1].strip())

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a line.

        Raises:
            FormatError: an eojeol has a piece without a tag; with its column.
        """
        analyses = []
        unread: dict[int, Eojeol] = {}
        for column, piece in _split(frame.text):
            try:
                analyses.append(self._analyses[piece])
            except FormatError as error:
                error.column += column
                eojeol = self.kept(error, piece, line=frame.line, text=frame.text)
                unread[len(analyses)] = eojeol
                analyses.append((eojeol.morphemes, ()))
        forms = self._kiwi.surfaces([morphemes for morphemes, _ in analyses])
        eojeols = [
            unread.get(i) or self._eojeols[form, morphemes, notes]
            for i, (form, (morphemes, notes)) in enumerate(zip(forms, analyses, strict=True))
        ]
        return Sentence(tuple(eojeols), frame.sent_id, number=frame.number)

    def _analysis(self, text: str) -> tuple[tuple[Morpheme, ...], tuple[Note, ...]]:
        """Return the morphemes of an eojeol, and notes on repairs."""
        morphemes, notes = self.assembler.analysis.parse(text, _NO_SURFACE)
        if "\\" in text:
            morphemes = tuple(
                [m._replace(form=_unescape(m.form), source=_unescape(m.source)) for m in morphemes]
            )
        return morphemes, notes

    def _made(self, form: str, morphemes: tuple[Morpheme, ...], notes: tuple[Note, ...]) -> Eojeol:
        eojeol = self.assembler.eojeol(form, morphemes)
        doubts = unsure(self.assembler.rules, morphemes)
        return eojeol.but(notes=(*self._notes, *notes, *eojeol.notes, *doubts))


def _split(line: str) -> Iterator[tuple[int, str]]:
    """Yield the analyses of the eojeols of a line, each with its column from 0.

    >>> list(_split("나/NP + 는/JX +/SW"))
    [(0, '나/NP + 는/JX'), (12, '+/SW')]
    """
    start = len(line) - len(line.lstrip())
    line = line.rstrip()
    for border in _BORDER.finditer(line, start):
        yield start, line[start : border.start()]
        start = border.end()
    yield start, line[start:]


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace(" ", "\\s")


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: " " if match[1] == "s" else "\\", text)


class LineWriter:
    """Write a sentence a line.

    Only the morphemes, their tags and their senses are written; the surface is left out.
    """

    def __init__(self) -> None:
        self._analyses: Memo[Eojeol, str] = Memo(
            lambda eojeol: _escape(write_analysis(eojeol.morphemes)), size=48_000
        )
        self._losses = Losses()

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of parts that are not written beyond the surface."""
        return self._losses(sentence)

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence, with its end."""
        analyses = self._analyses
        return " ".join([analyses[eojeol] for eojeol in sentence.eojeols]) + "\n"
