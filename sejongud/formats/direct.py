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
        self._writer = writer
        plain, with_id = (_Templates(reader, writer, mark) for mark in ("", "%s"))
        self._plain: Memo[str, Template | None] = Memo(plain, size=_REMEMBERED)
        self._with_id: Memo[str, Template | None] = Memo(with_id, size=_REMEMBERED)

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


class _Templates:
    """Makes the rows of a line, None where there is something to report of it."""

    def __init__(self, reader: SejongReader, writer: ConlluWriter, corpus_id: str) -> None:
        self._read = reader.assembler.read
        self._template = writer.template
        self._corpus_id = corpus_id

    def __call__(self, line: str) -> Template | None:
        try:
            eojeol = self._read(line)
        except FormatError:
            return None
        return None if eojeol.notes else self._template(eojeol, self._corpus_id)
