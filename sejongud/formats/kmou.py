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

from typing import TYPE_CHECKING, Any

from sejongud.formats.inline import marked
from sejongud.formats.labelled import (
    Block,
    LabelFormat,
    Labelled,
    MorphemeRow,
    kept,
    labelled_tokens,
    rider,
    split_rows,
)
from sejongud.formats.sniffing import mostly, whole_lines
from sejongud.layers.labels import first_label, going_on, with_types, without_types

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Kmou"]

_COMMENT = "##"
_SPACE = "_"
_ROWS = "ner_record"
_COLUMNS = 4
_TYPED, _BARE = "typed", "bare"


class Kmou(LabelFormat):
    """Reads and writes the KMOU corpus.

    Args:
        settings: the labels inside an entity: `typed` (I-LOC) or `bare` (I).
    """

    name = "kmou"
    has_morphemes = True

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
        head, rows = split_rows(block, "\t", _fault, "E407", _COMMENT)
        forms = [cells[:3] for cells in rows]
        surfaces = list(map(_surface, forms))
        labels: list[str] = []
        for surface, label in zip(surfaces, with_types([cells[3] for cells in rows]), strict=True):
            labels += [label, *[going_on(label)] * (len(surface) - 1)]
        sent_id = head[0].removeprefix(_COMMENT).strip() if head else ""
        comment = rider(_ROWS, [head[3:], forms])
        morphemes = _morphemes(forms, labels)
        return labelled_tokens("".join(surfaces), labels, sent_id, [comment], morphemes)

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
        shown = []
        for cells in rows:
            own, at = labels[at : at + len(_surface(cells))], at + len(_surface(cells))
            shown.append(first_label(own))
        if self._chosen == [_BARE]:
            shown = without_types(shown)
        lines += ["\t".join([*cells, label]) for cells, label in zip(rows, shown, strict=True)]
        return "\n".join([*lines, "", ""])


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    if len(cells) == _COLUMNS and cells[0] and cells[3]:
        return ""
    return "expected surface, morphemes, tags and label with a tab between"


def _row_of(character: str) -> list[str]:
    """Return the row of a character without morphemes."""
    if character == " ":
        return [_SPACE] * 3
    # A row of `_ _ _` is a space.
    return [character, _SPACE, "SW" if character == _SPACE else _SPACE]


def _surface(cells: list[str]) -> str:
    """Return the text that a row covers."""
    return " " if cells == [_SPACE] * 3 else cells[0]


def _morphemes(rows: list[list[str]], labels: Sequence[str]) -> tuple[tuple[MorphemeRow, ...], ...]:
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
