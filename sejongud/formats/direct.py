"""Sejong lines and raw text straight to rows of CoNLL-U.

The rows of an eojeol are a pure function of its form and its morphemes, but for the numbers in
them. Where a sentence is nothing but eojeols (no comment, nothing that cannot be read), no
`Sentence` is made: an eojeol that has been seen is one look-up and the numbers of its words. And
most of those that have not been are no more than the rows of their morphemes, which have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.formats.conllu import header_lines
from sejongud.memo import Memo
from sejongud.morphology.eojeol import LONGEST
from sejongud.morphology.kiwi import KiwiEojeols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.formats.base import Frame
    from sejongud.formats.conllu import ConlluWriter, Template
    from sejongud.formats.sejong import SejongReader
    from sejongud.formats.text import TextReader
    from sejongud.model import Morpheme
    from sejongud.morphology.eojeol import Assembler

__all__ = ["AnalysedRows", "DirectRows", "Noted", "Written"]

Noted = tuple[int, tuple[Note, ...]]
"""Which eojeol of a sentence, from 0, and what there is to report of it."""

Written = tuple[str, int, list[Noted]]
"""The lines of a sentence, how many eojeols it has, and what there is to report of them."""

_Piece = tuple[str, str, "Morpheme | None", str]
"""Of a morpheme as it is written: its form, or what no form is like if it is a symbol or special;
the line of its word; itself, None where it takes more to read it; its form if it is a symbol."""

_Rowed = tuple["Template", tuple[Note, ...]]
"""The rows of an eojeol, and its notes."""

_UNLIKE = "\t"
_REMEMBERED = 80_000
_PIECES = 30_000
_SPACE = re.compile(r"\s").search


class _Rows:
    """The rows of an eojeol, from its form and its morphemes.

    Args:
        assembler: builds the eojeols of which there is more to say.
        writer: whose rows they are.
    """

    def __init__(self, assembler: Assembler, writer: ConlluWriter) -> None:
        self._assembler = assembler
        self._writer = writer
        self._token = writer.token_of
        self._symbols = writer.symbols
        self._tags = assembler.rules.tags
        self._final_symbols = assembler.rules.final_symbols
        self.other: Memo[tuple[str, tuple[_Piece, ...]], _Rowed] = Memo(
            lambda key: self._other(*key), size=_PIECES
        )
        """The rows of an eojeol that is not its pieces one after another, and its notes."""

    def piece(self, morpheme: Morpheme) -> _Piece:
        """What there is to know of a morpheme."""
        if not self._writer.by_morpheme:
            return _UNLIKE, "", morpheme, ""
        form, row = morpheme.form, self._writer.line_inside(morpheme)
        if morpheme.elided or _SPACE(form) or morpheme.tag not in self._tags:
            return _UNLIKE, row, morpheme, ""
        if morpheme.tag in self._symbols:
            return _UNLIKE, row, morpheme, form
        return form, row, morpheme, ""

    def _other(self, form: str, pieces: tuple[_Piece, ...]) -> _Rowed:
        """The rows of an eojeol that is not its pieces one after another, and its notes."""
        template = self._with_symbols(form, pieces)
        if template is not None:
            return template, ()
        eojeol = self._assembler.eojeol(form, [m for _, _, m, _ in pieces if m])
        return self._writer.template(eojeol), eojeol.notes

    def joined(self, form: str, pieces: Sequence[_Piece]) -> Template | None:
        """The rows of an eojeol, if they are those of its pieces and there is nothing to report.

        Args:
            form: of the eojeol.
            pieces: its morphemes.
        """
        return self.plain(form, pieces) or self._with_symbols(form, pieces)

    def plain(self, form: str, pieces: Sequence[_Piece]) -> Template | None:
        """The rows of an eojeol that is its pieces one after another, as three of four are."""
        joined = rows = ""
        for part, row, _, _ in pieces:
            joined += part
            rows += row
        return self._token(form, rows, len(pieces)) if joined == form else None

    def _with_symbols(self, form: str, pieces: Sequence[_Piece]) -> Template | None:
        """The rows of a token, with symbols before and behind it, if there is nothing else to it.

        None where a symbol may be internal, or strict rules do not explain the form.
        """
        parts, rows, _, marks = zip(*pieces, strict=True)
        first, last = 0, len(pieces)
        while last and marks[last - 1]:
            last -= 1
        while first < last and marks[first]:
            first += 1
        if any(marks):
            before, behind = "".join(marks[:first]), "".join(marks[last:])
            size = len(form) - len(behind)
            if (
                any(marks[first:last])
                or (first and self._writer.may_be_internal(form))
                or size < len(before)
                or not (form.startswith(before) and form.endswith(behind))
            ):
                return None
            token = form[len(before) : size]
            if not token and first < last:
                # A token needs a surface.
                return None
        else:
            token = form
        joined = "".join(parts[first:last])
        if joined != token and (
            _UNLIKE in joined or not self._is_explained(token, joined, pieces[first:last])
        ):
            return None
        if token is form:
            return self._token(form, "".join(rows), last)
        return self._writer.with_symbols(form, rows[:first], token, rows[first:last], rows[last:])

    def _is_explained(self, form: str, joined: str, token: Sequence[_Piece]) -> bool:
        """Whether strict rules make the form of several words that keep their own forms in it."""
        return (
            len(token) > 1
            and form[-1:] not in self._final_symbols
            and not _SPACE(form)
            and self._writer.has_own_forms(form, joined)
            and self._assembler.explains(form, [m for _, _, m, _ in token if m])
        )


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

    def each(self, frames: Iterable[Frame]) -> Iterator[tuple[Frame, Written | None]]:
        """Frames and what is written of them, in order; None of those that must be read."""
        for frame in frames:
            yield frame, self(frame)

    def __call__(self, frame: Frame) -> Written | None:
        """What is written of a frame.

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
        surface = " ".join([form for _, _, _, _, form in templates])  # type: ignore[misc]
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
        self._of = _Rows(reader.assembler, writer)
        self._morpheme = reader.assembler.analysis.plain_piece
        self._pieces: Memo[str, _Piece] = Memo(self._piece, size=_PIECES)
        self._known_piece = self._pieces.__getitem__
        self.known: Memo[str, Template | None] = Memo(self._rows, size=_REMEMBERED)
        """The rows of a line of which there is nothing to report."""
        self.noted: Memo[str, _Rowed | None] = Memo(self._with_notes, size=_PIECES)
        """The rows of another line, and its notes; None where it cannot be read."""

    def _piece(self, text: str) -> _Piece:
        morpheme = self._morpheme(text)
        return (_UNLIKE, "", None, "") if morpheme is None else self._of.piece(morpheme)

    def _rows(self, line: str) -> Template | None:
        if not self._corpus_id and len(line) <= LONGEST:
            form, _, analysis = line.partition("\t")
            pieces = list(map(self._known_piece, analysis.split("+")))
            template = self._of.joined(form, pieces)
            if template is not None:
                return template
        found = self._with_notes(line)
        return None if found is None or found[1] else found[0]

    def _with_notes(self, line: str) -> _Rowed | None:
        try:
            eojeol = self._read(line)
        except FormatError:
            return None
        return self._template(eojeol, self._corpus_id), eojeol.notes


class AnalysedRows:
    """Writes raw text as CoNLL-U as Kiwi analyses it.

    What it writes is what `TextReader` and the writer would.

    Args:
        reader: of the text.
        writer: whose rows are written.
    """

    def __init__(self, reader: TextReader, writer: ConlluWriter) -> None:
        rows = _Rows(reader.assembler, writer)
        self._reader = reader
        self._rows = rows
        self._eojeols = KiwiEojeols(reader.analyser, rows.piece)
        self._compose = writer.compose

    def each(self, frames: Iterable[Frame]) -> Iterator[tuple[Frame, Written]]:
        """Frames and what is written of them, in order.

        Args:
            frames: lines of text.
        """
        compose, header = self._compose, self._reader.header
        plain, other = self._rows.plain, self._rows.other
        for frame, eojeols in self._reader.analysed(frames, self._eojeols):
            notes: list[Noted] = []
            templates: list[Template] = []
            for form, pieces in eojeols:
                template = plain(form, pieces)
                if template is None:
                    template, own = other[form, tuple(pieces)]
                    if own:
                        notes.append((len(templates), own))
                templates.append(template)
            text = " ".join([form for form, _ in eojeols])
            written = compose(header(frame, text), templates)
            yield frame, (written, len(eojeols), notes)
