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

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.formats.inline import marked
from sejongud.formats.labelled import (
    Block,
    LabelFormat,
    Labelled,
    MorphemeRow,
    cells_fault,
    kept,
    labelled_tokens,
    rider,
    split_rows,
)
from sejongud.formats.placed import split_sense
from sejongud.formats.sniffing import mostly, whole_lines
from sejongud.layers.labels import (
    OUTSIDE,
    find_entities,
    first_label,
    going_on,
    to_text,
    with_types,
    without_types,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.layers.labels import Entity
    from sejongud.model import Span

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
    _shown: tuple[Labelled, list[Entity]] | None = None
    """The sentence that was written last, and the entities of its rows."""

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
        """Return the block of a sentence; rows of its morphemes if its own rows are unknown."""
        text = "".join(labelled.tokens)
        more, rows = _rows(labelled, text)
        spans = _spans(rows)
        shown = [first_label(labelled.labels[begin:end]) for begin, end in spans]
        self._shown = labelled, to_text(find_entities(shown), spans)
        lines = [
            f"{_COMMENT} {labelled.sent_id}",
            f"{_COMMENT} {text}",
            f"{_COMMENT} {marked(text, labelled.entities())}",
            *more,
        ]
        if self._chosen == [_BARE]:
            shown = without_types(shown)
        lines += ["\t".join([*cells, label]) for cells, label in zip(rows, shown, strict=True)]
        return "\n".join([*lines, "", ""])

    def written(self, labelled: Labelled) -> list[Entity]:
        """Return the entities that have a row of their own."""
        if self._shown is None or self._shown[0] is not labelled:
            self.write(labelled)
        return self._shown[1] if self._shown else []


def _rows(labelled: Labelled, text: str) -> tuple[list[str], list[Any]]:
    """Return the lines above the rows of a sentence, and the first cells of its rows."""
    for value in kept(labelled.comments, _ROWS):
        # Other formats keep an object under the same key, and a system may change the text.
        if isinstance(value, list) and "".join(map(_surface, value[1])) == text:
            return value[0], value[1]
    return [], list(_new_rows(labelled, text))


def _spans(rows: Iterable[list[str]]) -> list[Span]:
    """Return the places of rows in the text of their sentence."""
    return list(pairwise(accumulate([len(_surface(cells)) for cells in rows], initial=0)))


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    return cells_fault(cells, "surface, morphemes, tags and label", _COLUMNS, (0, 3))


class _SharedPiece(NamedTuple):
    """Morphemes that share characters, and their place in the text."""

    forms: list[str]
    tags: list[str]
    begin: int
    end: int

    def row(self, text: str, labels: Sequence[str]) -> list[str] | None:
        """Return the row of the morphemes; None if one row cannot say all of them.

        Args:
            text: of the sentence.
            labels: of its characters.
        """
        surface = text[self.begin : self.end]
        first, *rest = labels[self.begin : self.end]
        joined = len(self.forms) > 1 and any(["+" in form for form in self.forms])
        if joined or " " in surface or set(rest) - {going_on(first)}:
            return None
        return [surface, "+".join(self.forms), "+".join(self.tags)]


def _pieces(rows: Sequence[MorphemeRow], spans: Sequence[Span]) -> list[_SharedPiece]:
    """Return the morphemes of an eojeol, together where they share characters or have none.

    A morpheme without characters joins the row before it, but the row behind it if an entity ends
    there: 이 in 철수+이+다.
    """
    pieces: list[_SharedPiece] = []
    before = OUTSIDE
    for number, (row, (begin, end)) in enumerate(zip(rows, spans, strict=True), 1):
        form = split_sense(row.form)[0]
        empty = begin == end and (row.label == going_on(before) or number == len(rows))
        before = row.label
        if pieces and (empty or begin < pieces[-1].end or pieces[-1].begin == pieces[-1].end):
            *_, (forms, tags, first, last) = pieces
            pieces[-1] = _SharedPiece([*forms, form], [*tags, row.tag], first, max(last, end))
        else:
            pieces.append(_SharedPiece([form], [row.tag], begin, end))
    return pieces


def _new_rows(labelled: Labelled, text: str) -> Iterator[list[str]]:
    """Yield the rows of a sentence: of its morphemes, and of characters that have none."""
    position = 0
    for rows, spans in zip(labelled.morphemes, labelled.spans, strict=False):
        for piece in _pieces(rows, spans):
            row = piece.row(text, labelled.labels) if piece.begin < piece.end else None
            if row is not None:
                yield from map(_row_of, text[position : piece.begin])
                yield row
                position = piece.end
    yield from map(_row_of, text[position:])


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
    eojeols = []
    rows_here: list[MorphemeRow] = []
    position = 0
    for surface, forms, tags in rows:
        if [surface, forms, tags] == [_SPACE] * 3:
            eojeols.append(tuple(rows_here))
            rows_here = []
            position += 1
            continue
        every = tags.split("+")
        # A single morpheme may be a plus sign.
        pieces = forms.split("+") if len(every) > 1 else [forms]
        if len(pieces) != len(every) or not all([*pieces, *every]) or tags == _SPACE:
            return ()
        label = labels[position]
        for form, tag in zip(pieces, every, strict=True):
            rows_here.append(MorphemeRow(form, tag, label))
            label = going_on(label)
        position += len(surface)
    return tuple([group for group in [*eojeols, tuple(rows_here)] if group])
