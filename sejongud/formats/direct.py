"""Sejong lines straight to rows of CoNLL-U.

The rows of an eojeol are a pure function of its line, but for the numbers in them. Where there is
nothing else to say of a sentence (no comment, nothing mended), no `Sentence` is made: a line that
has been seen is one look-up and the numbers of its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.formats.conllu import header_lines
from sejongud.memo import Memo

if TYPE_CHECKING:
    from sejongud.formats.base import Frame
    from sejongud.formats.conllu import ConlluWriter, Template
    from sejongud.formats.sejong import SejongReader

__all__ = ["DirectRows"]

_REMEMBERED = 96_000


class DirectRows:
    """Writes sentences of Sejong text as CoNLL-U without reading them first.

    What it writes is what `SejongReader` and the writer would.

    Args:
        reader: knows which frames are nothing but lines of eojeols.
        writer: whose rows are written.
    """

    def __init__(self, reader: SejongReader, writer: ConlluWriter) -> None:
        self._is_plain = reader.is_plain
        self._read = reader.assembler.read
        self._writer = writer
        self._plain: Memo[str, Template | None] = Memo(self._template, size=_REMEMBERED)
        self._with_id: Memo[str, Template | None] = Memo(
            lambda line: self._template(line, "%s"), size=_REMEMBERED
        )

    def __call__(self, frame: Frame) -> tuple[str, int] | None:
        """The lines of a sentence, and how many eojeols it has; None if it must be read.

        Args:
            frame: of Sejong text, with or without corpus ids.
        """
        if frame.comments or not self._is_plain(frame):
            return None
        text = frame.text
        lines = text.split("\n")
        tabs = text.count("\t")
        ids: list[str] = []
        if tabs == len(lines):
            known = self._plain
        elif tabs == 2 * len(lines):
            known = self._with_id
            cut = [line.partition("\t") for line in lines]
            ids = [corpus_id for corpus_id, _, _ in cut]
            lines = [rest for _, _, rest in cut]
            if not all(ids):
                return None
        else:
            return None
        templates = [known[line] for line in lines]
        if None in templates:
            return None
        body = self._writer.body(templates, ids)  # type: ignore[arg-type]
        cells = text.replace("\t", "\n").split("\n")
        surface = " ".join(cells[1::3] if ids else cells[::2])
        return f"{header_lines(frame.sent_id, surface)}{body}\n", len(lines)

    def _template(self, line: str, corpus_id: str = "") -> Template | None:
        """The rows of a line of which there is nothing to report."""
        try:
            eojeol = self._read(line)
        except FormatError:
            return None
        return None if eojeol.notes else self._writer.template(eojeol, corpus_id)
