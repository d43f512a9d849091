"""Sejong lines straight to rows of CoNLL-U.

The rows of an eojeol are a pure function of its line, but for the numbers in them. Where a sentence
is nothing but such lines (no comment, nothing that cannot be read), no `Sentence` is made: a line
that has been seen is one look-up and the numbers of its words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.assembly import LONGEST
from sejongud.errors import FormatError, Note
from sejongud.formats.conllu import header_lines
from sejongud.memo import Memo

if TYPE_CHECKING:
    from sejongud.formats.base import Frame
    from sejongud.formats.conllu import ConlluWriter, Template
    from sejongud.formats.sejong import SejongReader
    from sejongud.model import Morpheme

__all__ = ["DirectRows"]

Noted = tuple[int, tuple[Note, ...]]
"""Which eojeol of a sentence, from 0, and what there is to report of it."""

_REMEMBERED = 96_000
_PIECES = 30_000
# What a form may have that makes it one of the few to look at more closely.
_SPECIAL = re.compile(r"[(\s]").search


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
        self._plain = _Templates(reader, writer, "")
        self._with_id = _Templates(reader, writer, "%s")

    def __call__(self, frame: Frame) -> tuple[str, int, list[Noted]] | None:
        """The lines of a sentence, how many eojeols it has, and what there is to report of them.

        Args:
            frame: of Sejong text, with or without corpus ids.

        Returns:
            None if the frame must be read.
        """
        if frame.comments or not self._is_plain(frame):
            return None
        text = frame.text
        lines = text.split("\n")
        tabs = text.count("\t")
        ids: list[str] = []
        if tabs == len(lines):
            made = self._plain
        elif tabs == 2 * len(lines):
            made = self._with_id
            cut = [line.partition("\t") for line in lines]
            ids = [corpus_id for corpus_id, _, _ in cut]
            lines = [rest for _, _, rest in cut]
            if not all(ids):
                return None
        else:
            return None
        known = made.known
        templates = [known[line] for line in lines]
        notes: list[Noted] = []
        if None in templates:
            for at, line in enumerate(lines):
                if templates[at] is None:
                    found = made.noted[line]
                    if found is None:
                        return None
                    templates[at] = found[0]
                    notes.append((at, found[1]))
        body = self._writer.body(templates, ids)  # type: ignore[arg-type]
        cells = text.replace("\t", "\n").split("\n")
        surface = " ".join(cells[1::3] if ids else cells[::2])
        return f"{header_lines(frame.sent_id, surface)}{body}\n", len(lines), notes


class _Templates:
    """The rows of lines, remembered.

    Args:
        reader: whose assembler builds the eojeols.
        writer: whose rows they are.
        corpus_id: what stands for the corpus id, "" if there is none.
    """

    def __init__(self, reader: SejongReader, writer: ConlluWriter, corpus_id: str) -> None:
        self._read = reader.assembler.read
        self._template = writer.template
        self._corpus_id = corpus_id
        self._eojeol = reader.assembler.plain
        self._of_morphemes = writer.of_morphemes
        self._line = writer.line_inside
        self._morpheme = reader.assembler.analysis.pieces.__getitem__
        self._pieces: Memo[str, tuple[Morpheme, str] | None] = Memo(self._of_piece, size=_PIECES)
        self._piece = self._pieces.__getitem__
        self._by_morpheme = writer.by_morpheme and not corpus_id
        self.known: Memo[str, Template | None] = Memo(self._rows, size=_REMEMBERED)
        """The rows of a line of which there is nothing to report."""
        self.noted: Memo[str, tuple[Template, tuple[Note, ...]] | None] = Memo(
            self._with_notes, size=_PIECES
        )
        """The rows of another line, and its notes; None where it cannot be read."""

    def _of_piece(self, piece: str) -> tuple[Morpheme, str] | None:
        """A morpheme as written and the line of its word; None where something is special."""
        morpheme = self._morpheme(piece)
        return (morpheme, self._line(morpheme)) if morpheme else None

    def _rows(self, line: str) -> Template | None:
        form, _, analysis = line.partition("\t")
        if self._by_morpheme and form and not _SPECIAL(form) and len(line) <= LONGEST:
            pieces = list(map(self._piece, analysis.split("+")))
            if all(pieces):
                morphemes, lines = zip(*pieces, strict=True)
                eojeol = self._eojeol(form, morphemes)
                return None if eojeol.notes else self._of_morphemes(eojeol, list(lines))
        found = self._with_notes(line)
        return None if found is None or found[1] else found[0]

    def _with_notes(self, line: str) -> tuple[Template, tuple[Note, ...]] | None:
        try:
            eojeol = self._read(line)
        except FormatError:
            return None
        return self._template(eojeol, self._corpus_id), eojeol.notes
