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
from typing import ClassVar

from sejongud.errors import FormatError
from sejongud.formats.inline import marked, unmarked
from sejongud.formats.labelled import (
    SPELLINGS,
    Block,
    LabelFormat,
    Labelled,
    MorphemeRow,
    Unit,
    as_text,
)
from sejongud.formats.sniffing import mostly, whole_lines
from sejongud.layers.labels import OUTSIDE, to_labels, with_type, without_type

__all__ = ["Kips"]

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

    name: ClassVar[str] = "kips"
    unit: Unit = "syllable"
    has_morphemes: ClassVar[bool] = True

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
        text, marks, rows = _lines(block)
        if not text.strip():
            return Labelled((), ())
        plain, entities = unmarked(marks)
        layers = (to_labels(entities, len(text)),) if plain == text else ()
        text = as_text(text)
        morphemes = _morphemes(rows)
        if len(morphemes) != len([form for form in text.split(" ") if form]):
            morphemes = ()
        if not layers and not morphemes:
            raise FormatError(
                "neither the marks nor the rows fit this sentence, so its labels are unknown",
                line=block.line,
                text=text,
                code="E417",
            )
        return Labelled(tuple(text), layers, morphemes=morphemes)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        text = "".join(labelled.tokens)
        lines = [_TEXT + text, _MARKED + marked(text, labelled.entities())]
        before = OUTSIDE
        for number, rows in enumerate(labelled.morphemes, 1):
            for form, tag, label in rows:
                shown = without_type(label, before) if self._chosen == [_BARE] else label
                lines.append(f"{number}\t{form}\t{tag}\t{_SPELLING.write(shown)}")
                before = label
        return "\n".join([*lines, "", ""])


def _lines(block: Block) -> tuple[str, str, list[list[str]]]:
    """Return the sentence, the sentence with marks, and the cells of the rows.

    Raises:
        FormatError: a line is of another kind, or there is no sentence.
    """
    texts = []
    marks = []
    rows: list[list[str]] = []
    for at, line in enumerate(block.text.split("\n"), block.line):
        cells = line.split("\t")
        if not rows and line.startswith(_TEXT[0]):
            texts.append(line.removeprefix(_TEXT[0]).removeprefix(_TEXT[1]))
        elif not rows and line.startswith(_MARKED):
            marks.append(line.removeprefix(_MARKED))
        elif len(cells) == _COLUMNS and cells[0].isdecimal() and all(cells):
            rows.append(cells)
        elif line.strip():
            raise FormatError(
                "expected number of the eojeol, morpheme, tag and label with a tab between",
                line=at,
                text=line,
                code="E416",
            )
    if len(texts) > 1 or (rows and not texts):
        raise FormatError(
            f"expected one line that begins with ; above the rows, found {len(texts)}",
            line=block.line,
            code="E416",
        )
    return "".join(texts), "".join(marks), rows


def _morphemes(rows: list[list[str]]) -> tuple[tuple[MorphemeRow, ...], ...]:
    """Return the morphemes of each eojeol; () if a tag has lost the part before its plus."""
    found = []
    before = OUTSIDE
    for _, group in groupby(rows, lambda cells: cells[0]):
        own = []
        for _, form, tag, label in group:
            if tag.startswith("+"):
                return ()
            label = with_type(_SPELLING.read(label), before)
            own.append(MorphemeRow(form, tag, label))
            before = label
        found.append(tuple(own))
    return tuple(found)
