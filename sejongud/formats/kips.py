"""The corpus of the KIPS contest of 2016 (국어 정보 처리 시스템 경진 대회): rows of morphemes.

    ; 프랑스의 옷값이 올랐다.
    $<프랑스:LC>의 옷값이 올랐다.
    1<TAB>프랑스<TAB>NNP<TAB>B_LC
    1<TAB>의<TAB>JKG<TAB>O
    2<TAB>옷값<TAB>NNG<TAB>O

Each row has the number of its eojeol; what goes on has no type, a bare `I`. The morphemes of the
rows are used, and their labels are trusted, not the marks above them: these are a sentence's only
labels where its rows do not belong to its eojeols, or a tag has lost what stood before its `+`.
"""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar

from sejongud.errors import FormatError, UsageError
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
from sejongud.formats.sniffing import mostly
from sejongud.layers.labels import OUTSIDE, going_on, split_label, to_labels

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
        settings: whether what goes on has a type: `bare` (I) or `typed` (I_LC).

    Raises:
        UsageError: no such setting.
    """

    name: ClassVar[str] = "kips"
    unit: Unit = "syllable"
    has_morphemes: ClassVar[bool] = True

    def __init__(self, settings: str = "") -> None:
        self._inside = settings or _BARE
        if self._inside not in (_TYPED, _BARE):
            raise UsageError(f"kips: there is no setting {settings}: {_BARE}, {_TYPED}")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Whether what goes on has a type; None if the file is in another format."""
        lines = [line for line in head.split("\n")[:-1] if line.strip()]
        if not any([line.startswith(_MARKED) for line in lines]):
            return None
        rows = [line.split("\t") for line in lines if not line.startswith((_TEXT, _MARKED))]
        if not mostly([len(row) == _COLUMNS and row[0].isdecimal() for row in rows]):
            return None
        return _TYPED if any([row[-1].startswith(_INSIDE + "_") for row in rows]) else _BARE

    @property
    def settings(self) -> str:
        """`bare` or `typed`."""
        return self._inside

    def read(self, block: Block) -> Labelled:
        """The sentence of a block."""
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
                "neither the marks nor the rows are of this sentence: its labels cannot be told",
                line=block.line,
                text=text,
                code="E417",
            )
        return Labelled(tuple(text), layers, morphemes=morphemes)

    def write(self, labelled: Labelled) -> str:
        """The block of a sentence."""
        text = "".join(labelled.tokens)
        lines = [_TEXT + text, _MARKED + marked(text, labelled.entities())]
        before = OUTSIDE
        for number, rows in enumerate(labelled.morphemes, 1):
            for form, tag, label in rows:
                goes_on = split_label(label)[0] == _INSIDE and label == going_on(before)
                bare = goes_on and before != OUTSIDE and self._inside == _BARE
                shown = _INSIDE if bare else _SPELLING.write(label)
                lines.append(f"{number}\t{form}\t{tag}\t{shown}")
                before = label
        return "\n".join([*lines, "", ""])


def _lines(block: Block) -> tuple[str, str, list[list[str]]]:
    """The sentence, the sentence with marks, and the cells of the rows.

    Raises:
        FormatError: a line is none of these, or there is no sentence.
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
    """The morphemes of each eojeol; () if a tag says that it has lost what was before it."""
    found = []
    before = OUTSIDE
    for _, group in groupby(rows, lambda cells: cells[0]):
        own = []
        for _, form, tag, label in group:
            if tag.startswith("+"):
                return ()
            if label == _INSIDE and before != OUTSIDE:
                label = going_on(before)
            else:
                label = _SPELLING.read(label)
            own.append(MorphemeRow(form, tag, label))
            before = label
        found.append(tuple(own))
    return tuple(found)
