"""The corpus of the KIPS contest of 2016 (국어 정보 처리 시스템 경진 대회): rows of morphemes.

    ; 프랑스의 옷값이 올랐다.
    $<프랑스:LC>의 옷값이 올랐다.
    1<TAB>프랑스<TAB>NNP<TAB>B_LC
    1<TAB>의<TAB>JKG<TAB>O
    2<TAB>옷값<TAB>NNG<TAB>O

Each row has the number of its eojeol. A label inside an entity has no type, a bare `I`. The
morphemes and labels of the rows are used. The marks above them are used only if the rows do not
fit the eojeols of the sentence, or if a tag has lost the part before its `+`.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from sejongud.errors import FormatError
from sejongud.formats.inline import TYPE, marked, unmarked
from sejongud.formats.labelled import (
    SPELLINGS,
    Block,
    LabelFormat,
    Labelled,
    LineNote,
    MorphemeRow,
    as_text,
    cells_fault,
    restarts,
    split_rows,
)
from sejongud.formats.placed import EOJEOL
from sejongud.formats.sniffing import mostly, whole_lines
from sejongud.layers.labels import layers, to_labels, with_types, without_ends, without_types

_TEXT = "; "
_MARKED = "$"
_COLUMNS = 4
_TYPED, _BARE = "typed", "bare"
_INSIDE = "I"
_SPELLING = SPELLINGS["B_PER"]


class Kips(LabelFormat):
    """Reads and writes the KIPS corpus.

    Args:
        settings: the labels inside an entity: `bare` (I) or `typed` (I_LC).
    """

    name = "kips"
    has_ids = False
    has_morphemes = True
    labels_rows = True

    choices = ((_BARE, _TYPED),)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return `bare` or `typed`; None if the file is in another format."""
        lines = whole_lines(head)
        if not any([line.startswith(_MARKED) for line in lines]):
            return None
        rows = [line.split("\t") for line in lines if not line.startswith((_TEXT, _MARKED))]
        if not mostly([len(row) == _COLUMNS and row[0].isdecimal() for row in rows]):
            return None
        return _TYPED if any([row[-1].startswith(_INSIDE + "_") for row in rows]) else _BARE

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        head, rows = split_rows(block, "\t", _fault, "E416", (_TEXT[0], _MARKED))
        text, marks = _sentence(block, head, rows)
        if not text.strip():
            return Labelled((), ())
        plain, entities = unmarked(marks)
        labels: tuple[tuple[str, ...], ...] = ()
        if plain == text:
            labels = tuple([to_labels(layer, len(text)) for layer in layers(entities) or [[]]])
        notes = list(restarts([row[0] for row in rows], block.line + len(head)))
        if marks and plain != text:
            message = "the marks do not make the sentence above them, and are not read"
            notes.insert(0, LineNote(block.line, "W433", message))
        text = as_text(text)
        morphemes = _morphemes(rows)
        if len(morphemes) != len(EOJEOL.findall(text)):
            morphemes = ()
        if not labels and not morphemes:
            raise FormatError(
                "neither the marks nor the rows fit this sentence, so its labels are unknown",
                line=block.line,
                text=text,
                code="E417",
            )
        return Labelled(tuple(text), labels, morphemes=morphemes, notes=tuple(notes))

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        text = "".join(labelled.tokens)
        entities = [entity for entity in labelled.entities() if TYPE.fullmatch(entity.type)]
        lines = [_TEXT + text, _MARKED + marked(text, entities)]
        labels = without_ends([row.label for rows in labelled.morphemes for row in rows])
        shown = iter(without_types(labels) if self._chosen == [_BARE] else labels)
        for number, rows in enumerate(labelled.morphemes, 1):
            for row in rows:
                lines.append(f"{number}\t{row.form}\t{row.tag}\t{_SPELLING.write(next(shown))}")
        return "\n".join([*lines, "", ""])


def _sentence(block: Block, head: list[str], rows: list[list[str]]) -> tuple[str, str]:
    """Return the sentence, and the sentence with marks.

    Args:
        block: of the file.
        head: the lines above the rows.
        rows: their cells.

    Raises:
        FormatError: there is no sentence above the rows, or there are several.
    """
    marks = [line.removeprefix(_MARKED) for line in head if line.startswith(_MARKED)]
    texts = [line[1:].removeprefix(_TEXT[1]) for line in head if line.startswith(_TEXT[0])]
    if len(texts) > 1 or (rows and not texts):
        raise FormatError(
            f"expected one line that begins with ; above the rows, found {len(texts)}",
            line=block.line,
            code="E416",
        )
    return "".join(texts), "".join(marks)


def _morphemes(rows: list[list[str]]) -> tuple[tuple[MorphemeRow, ...], ...]:
    """Return the morphemes of each eojeol; () if a tag has lost the part before its plus."""
    if any([tag.startswith("+") for _, _, tag, _ in rows]):
        return ()
    labels = iter(with_types([_SPELLING.read(row[3]) for row in rows]))
    return tuple(
        [
            tuple([MorphemeRow(form, tag, next(labels)) for _, form, tag, _ in group])
            for _, group in groupby(rows, itemgetter(0))
        ]
    )


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    fault = cells_fault(cells, "number of the eojeol, morpheme, tag and label", _COLUMNS)
    if fault or cells[0].isdecimal():
        return fault
    return f"expected the number of the eojeol first, found {cells[0]}"
