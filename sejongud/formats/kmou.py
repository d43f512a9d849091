"""The corpus of Korea Maritime and Ocean University: rows of surface, morphemes, tags and label.

    ## 1
    ## 프랑스의 옷
    ## <프랑스:LOC>의 옷
    프랑스<TAB>프랑스<TAB>NNP<TAB>B-LOC
    의<TAB>의<TAB>JKG<TAB>O
    _<TAB>_<TAB>_<TAB>O                  the space between two eojeols

In some files the labels inside an entity have no type, a bare `I`. The morphemes of the rows are
used, except in sentences with one of the 1,751 rows that have lost their first morpheme
(`했<TAB>+였<TAB>+EP`). The rows themselves ride in a comment.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from sejongud.errors import FormatError
from sejongud.formats.inline import marked
from sejongud.formats.labelled import Block, LabelFormat, Labelled, MorphemeRow, Unit, kept
from sejongud.formats.sniffing import mostly, whole_lines
from sejongud.layers.labels import OUTSIDE, going_on, with_type, without_type

__all__ = ["Kmou"]

_COMMENT = "##"
_SPACE = "_"
_ROWS = "ner_record = "
_COLUMNS = 4
_TYPED, _BARE = "typed", "bare"


class Kmou(LabelFormat):
    """Reads and writes the KMOU corpus.

    Args:
        settings: the labels inside an entity: `typed` (I-LOC) or `bare` (I).
    """

    name: ClassVar[str] = "kmou"
    unit: Unit = "syllable"
    has_morphemes: ClassVar[bool] = True

    choices = ((_TYPED, _BARE),)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return `typed` or `bare`; None if the file is in another format."""
        lines = whole_lines(head)
        rows = [line.split("\t") for line in lines if not line.startswith(_COMMENT + " ")]
        if len(lines) == len(rows) or not mostly([len(row) == _COLUMNS for row in rows]):
            return None
        return _BARE if any([row[-1] == "I" for row in rows]) else _TYPED

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        head = []
        rows: list[list[str]] = []
        characters: list[str] = []
        labels: list[str] = []
        before = OUTSIDE
        for at, line in enumerate(block.text.split("\n")):
            if line.startswith(_COMMENT) and not rows:
                head.append(line)
            elif line.strip():
                cells = line.split("\t")
                if len(cells) != _COLUMNS or not cells[0] or not cells[3]:
                    raise FormatError(
                        "expected surface, morphemes, tags and label with a tab between",
                        line=block.line + at,
                        text=line,
                        code="E407",
                    )
                surface = _surface(cells[:3])
                label = with_type(cells[3], before)
                characters += surface
                labels += [label, *[going_on(label)] * (len(surface) - 1)]
                before = label
                rows.append(cells[:3])
        sent_id = head[0].removeprefix(_COMMENT).strip() if head else ""
        comment = _ROWS + json.dumps([head[3:], rows], ensure_ascii=False)
        layers = (tuple(labels),) if labels else ()
        morphemes = _morphemes(rows, layers[0]) if layers else ()
        return Labelled(tuple(characters), layers, sent_id, (comment,), morphemes)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence; a row for each character if its own rows are unknown."""
        text = "".join(labelled.tokens)
        more: list[str] = []
        rows: list[Any] = [_row_of(character) for character in text]
        for said in kept(labelled.comments, _ROWS):
            # Other formats keep an object under the same key, and a system may change the text.
            if isinstance(said, list) and "".join(map(_surface, said[1])) == text:
                more, rows = said
        labels = labelled.labels
        lines = [
            f"{_COMMENT} {labelled.sent_id}",
            f"{_COMMENT} {text}",
            f"{_COMMENT} {marked(text, labelled.entities())}",
            *more,
        ]
        at = 0
        before = OUTSIDE
        for cells in rows:
            end = at + len(_surface(cells))
            label = next((one for one in labels[at:end] if one != OUTSIDE), OUTSIDE)
            shown = without_type(label, before) if self._chosen == [_BARE] else label
            lines.append("\t".join([*cells, shown]))
            before = label
            at = end
        return "\n".join([*lines, "", ""])


def _row_of(character: str) -> list[str]:
    """Return the row of a character without morphemes."""
    if character == " ":
        return [_SPACE] * 3
    # A row of `_ _ _` is a space.
    return [character, _SPACE, "SW" if character == _SPACE else _SPACE]


def _surface(cells: list[str]) -> str:
    """Return the text that a row covers."""
    return " " if cells == [_SPACE] * 3 else cells[0]


def _morphemes(
    rows: list[list[str]], labels: tuple[str, ...]
) -> tuple[tuple[MorphemeRow, ...], ...]:
    """Return the morphemes of each eojeol; () if a row has lost some.

    Args:
        rows: surface, morphemes and tags.
        labels: of the characters.
    """
    found = []
    own: list[MorphemeRow] = []
    at = 0
    for surface, forms, tags in rows:
        if [surface, forms, tags] == [_SPACE] * 3:
            found.append(tuple(own))
            own = []
            at += 1
            continue
        every = tags.split("+")
        # A single morpheme may be a plus sign.
        pieces = forms.split("+") if len(every) > 1 else [forms]
        if len(pieces) != len(every) or not all([*pieces, *every]) or tags == _SPACE:
            return ()
        label = labels[at]
        for form, tag in zip(pieces, every, strict=True):
            own.append(MorphemeRow(form, tag, label))
            label = going_on(label)
        at += len(surface)
    return tuple([one for one in [*found, tuple(own)] if one])
