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

_Piece = tuple[str, str, "Morpheme | None", str]
"""Of a morpheme as it is written: its form, or what no form is like if it is a symbol or special;
the line of its word; itself, None where it takes more to read it; its form if it is a symbol."""

_UNLIKE = "\t"
_REMEMBERED = 96_000
_PIECES = 30_000
# What a form may have that makes it one of the few to look at more closely.
_SPECIAL = re.compile(r"[(\s]").search
_SPACE = re.compile(r"\s").search


class DirectRows:
    """Writes sentences of Sejong text as CoNLL-U without reading them first.

    What it writes is what `SejongReader` and the writer would.

    Args:
        reader: knows which frames are nothing but lines of eojeols.
        writer: whose rows are written.
    """

    def __init__(self, reader: SejongReader, writer: ConlluWriter) -> None:
        self._is_plain = reader.is_plain
        self._compose = writer.compose
        self._plain = _Templates(reader, writer, "")
        self._with_id = _Templates(reader, writer, "%s")

    def __call__(self, frame: Frame) -> tuple[str, int, list[Noted]] | None:
        """The lines of a sentence, how many eojeols it has, and what there is to report of them.

        Args:
            frame: of Sejong text, with or without corpus ids.

        Returns:
            None if the frame must be read.
        """
        text, _, _, sent_id, comments, _ = frame
        if comments or not self._is_plain(text):
            return None
        lines = text.split("\n")
        tabs = text.count("\t")
        ids: list[str] = []
        if tabs == len(lines):
            made = self._plain
            surface = " ".join(text.replace("\t", "\n").split("\n")[::2])
        elif tabs == 2 * len(lines):
            made = self._with_id
            cut = [line.partition("\t") for line in lines]
            ids = [corpus_id for corpus_id, _, _ in cut]
            lines = [rest for _, _, rest in cut]
            if not all(ids):
                return None
            surface = " ".join([rest.partition("\t")[0] for rest in lines])
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
        written = self._compose(header_lines(sent_id, surface), templates, ids)  # type: ignore[arg-type]
        return written, len(lines), notes


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
        self._token = writer.token_of
        self._line = writer.line_inside
        self._symbols = writer.symbols
        self._morpheme = reader.assembler.analysis.pieces.__getitem__
        self._pieces: Memo[str, _Piece] = Memo(self._of_piece, size=_PIECES)
        self._piece = self._pieces.__getitem__
        self._by_morpheme = writer.by_morpheme and not corpus_id
        self._final_symbols = reader.assembler.rules.final_symbols
        self._explains = reader.assembler.explains
        self._has_own_forms = writer.has_own_forms
        self._may_be_internal = writer.may_be_internal
        self.known: Memo[str, Template | None] = Memo(self._rows, size=_REMEMBERED)
        """The rows of a line of which there is nothing to report."""
        self.noted: Memo[str, tuple[Template, tuple[Note, ...]] | None] = Memo(
            self._with_notes, size=_PIECES
        )
        """The rows of another line, and its notes; None where it cannot be read."""

    def _of_piece(self, piece: str) -> _Piece:
        morpheme = self._morpheme(piece)
        if morpheme is None:
            return _UNLIKE, "", None, ""
        form, row = morpheme.form, self._line(morpheme)
        if morpheme.elided or _SPACE(form):
            return _UNLIKE, row, morpheme, ""
        if morpheme.tag in self._symbols:
            return _UNLIKE, row, morpheme, form
        return form, row, morpheme, ""

    def _rows(self, line: str) -> Template | None:
        form, _, analysis = line.partition("\t")
        if self._by_morpheme and len(line) <= LONGEST:
            pieces = list(map(self._piece, analysis.split("+")))
            joined = rows = ""
            for part, row, _, _ in pieces:
                joined += part
                rows += row
            if joined == form:
                # Three of four eojeols.
                return self._token(form, rows, len(pieces))
            template = self._token_with_symbols(form, pieces)
            if template is not None:
                return template
            if form and not _SPECIAL(form) and all([morpheme for _, _, morpheme, _ in pieces]):
                eojeol = self._eojeol(form, tuple([morpheme for _, _, morpheme, _ in pieces]))  # type: ignore[misc]
                if eojeol.notes:
                    return None
                return self._of_morphemes(eojeol, [row for _, row, _, _ in pieces])
        found = self._with_notes(line)
        return None if found is None or found[1] else found[0]

    def _token_with_symbols(self, form: str, pieces: list[_Piece]) -> Template | None:
        """The rows of a token, with symbols before and behind it, if there is nothing else to it.

        None where a symbol may be internal, or strict rules do not explain the form.
        """
        marks = [mark for _, _, _, mark in pieces]
        words = [at for at, mark in enumerate(marks) if not mark]
        first, last = (words[0], words[-1] + 1) if words else (0, 0)
        if len(words) != last - first or (first and self._may_be_internal(form)):
            return None
        before, behind = "".join(marks[:first]), "".join(marks[last:])
        size = len(form) - len(behind)
        if size < len(before) or not (form.startswith(before) and form.endswith(behind)):
            return None
        form = form[len(before) : size]
        token = pieces[first:last]
        joined = "".join([part for part, _, _, _ in token])
        if joined != form and not (
            len(token) > 1
            and form[-1:] not in self._final_symbols
            and _UNLIKE not in joined
            and not _SPACE(form)
            and self._has_own_forms(form, joined)
            and self._explains(form, [m for _, _, m, _ in token if m])
        ):
            return None
        rows = [row for _, row, _, _ in pieces]
        return self._token(form, "".join(rows[first:last]), last - first, rows[:first], rows[last:])

    def _with_notes(self, line: str) -> tuple[Template, tuple[Note, ...]] | None:
        try:
            eojeol = self._read(line)
        except FormatError:
            return None
        return self._template(eojeol, self._corpus_id), eojeol.notes
