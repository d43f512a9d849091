"""Corpora with their entities marked in the text: `inline`, and those of KIPS and of KMOU."""

from __future__ import annotations

import re
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError
from sejongud.formats.around import kept, restore_comment
from sejongud.formats.base import Block, mostly, whole_lines
from sejongud.formats.labelled import (
    EOJEOL,
    LabelFormat,
    Labelled,
    LineNote,
    MorphemeRow,
    as_text,
    cells_fault,
    labelled_text,
    labelled_tokens,
    restarts,
    split_rows,
    split_sense,
)
from sejongud.formats.schemes import SPELLINGS
from sejongud.layers.labels import (
    OUTSIDE,
    Entity,
    find_entities,
    first_label,
    going_on,
    layers,
    to_labels,
    to_text,
    with_types,
    without_ends,
    without_types,
)
from sejongud.layers.places import overlaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Span


_UPPER, _ANY_CASE = "capitals", "any-case"
_TYPES = {_UPPER: "[A-Z][A-Z0-9_]*", _ANY_CASE: "[A-Za-z][A-Za-z0-9_]*"}
TYPE = re.compile(_TYPES[_ANY_CASE])
"""A type that a mark may have; types in small letters are read with the setting `any-case`."""
_MARK = {case: re.compile(rf"<([^<>\n]+):({name})>") for case, name in _TYPES.items()}
_PIECE = {case: re.compile(rf"<|:({name})>|>") for case, name in _TYPES.items()}
"""The beginning of a mark, its end, or a `>`, which no mark has inside: it ends all open ones."""
_LIKE = re.compile(
    r"<[^<>\n]+:[^\W\d][^<>\s:]*>|:[A-Z][A-Z0-9_]*>|<[^<>\s:]+:[A-Z]{2}[A-Z0-9_]*(?![A-Z0-9_>])"
)
"""Text that looks like a mark, like the end of one, or like one that is not closed."""


class Inline(LabelFormat):
    """Text with its entities marked in it, a sentence a line: `<한석규:PS>가 <19일:DT> 왔다`.

    This is the layout of ETRI's older corpora. A `<` that does not begin a mark is text. Marks may
    stand inside marks: `<<서울:LC>대:OG>에`. The type is in capital letters; if no mark of a file
    is, it may be in small ones (the setting `any-case`). Text that looks like a mark and is read as
    text is reported.

    Args:
        settings: `capitals` or `any-case`: how the types are written.

    >>> Inline().read(Block("<프랑스:LC>의\\n", 1, 1)).layers
    (('B-LC', 'I-LC', 'I-LC', 'O'),)
    """

    name = "inline"
    has_ids = False
    by_lines = True
    types = TYPE
    choices = ((_UPPER, _ANY_CASE),)

    @property
    def settings(self) -> str:
        """The case of the types, "" for capitals."""
        return "" if self._chosen == [_UPPER] else _ANY_CASE

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings, if some line has a mark and none has a tab; else None."""
        if "\t" in head or head[:1] in "{[":
            return None
        if _MARK[_UPPER].search(head):
            return ""
        have_marks = [_MARK[_ANY_CASE].search(line) is not None for line in whole_lines(head)]
        return _ANY_CASE if mostly(have_marks) else None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a line."""
        text, entities = unmarked(block.text.rstrip("\n"), self._chosen[0])
        notes = [
            LineNote(block.line, "W435", f"{like} looks like a mark of an entity, and is text here")
            for like in unread(text)
        ]
        return labelled_text(text, entities)._replace(notes=tuple(notes))

    def write(self, labelled: Labelled) -> str:
        """Return the line of a sentence; of entities that cross each other the first is marked."""
        return marked("".join(labelled.tokens), _nested(labelled)) + "\n"

    def written(self, labelled: Labelled) -> list[Entity]:
        """Return the entities that do not cross another."""
        return _nested(labelled)


def _nested(labelled: Labelled) -> list[Entity]:
    """Return the entities that do not cross one before them, the outer ones first."""
    if len(labelled.layers) < 2:
        return labelled.entities()
    entities = sorted(labelled.all_entities(), key=lambda entity: (entity.begin, -entity.end))
    crossing = {entity for entity, _, how in overlaps(entities) if how == "crossing"}
    return [entity for entity in entities if entity not in crossing]


def unread(text: str) -> list[str]:
    """Return the pieces that look like marks in a text without its marks.

    >>> unread("<철수:ps>가 대:OG>에 <서울:LC에 <3:30>")
    ['<철수:ps>', ':OG>', '<서울:LC']
    """
    return _LIKE.findall(text) if ":" in text else []


def unmarked(line: str, case: str = _UPPER) -> tuple[str, list[Entity]]:
    """Return the text of a line with marks, and its entities in order, the outer ones first.

    Args:
        line: the line.
        case: `capitals` or `any-case`.

    >>> unmarked("<<서울:LC>대:OG>의")
    ('서울대의', [Entity(type='OG', begin=0, end=3), Entity(type='LC', begin=0, end=2)])
    >>> unmarked("<<서울:LC>>의")
    ('<서울>의', [Entity(type='LC', begin=1, end=3)])
    """
    entities: list[tuple[str, int, int]] = []
    marks: list[tuple[int, int]] = []
    opened: list[int] = []
    for piece in _PIECE[case].finditer(line):
        position, end = piece.span()
        if piece[0] == "<":
            opened.append(position)
        elif piece[1] and opened and opened[-1] + 1 < position:
            begin = opened.pop()
            entities.append((piece[1], begin, position))
            marks += [(begin, begin + 1), (position, end)]
        else:
            opened.clear()
    if not entities:
        return line, []
    marks.sort()
    parts = []
    lengths = {}
    position = length = 0
    for begin, end in marks:
        parts.append(line[position:begin])
        length += begin - position
        lengths[begin] = length
        position = end
    text = "".join([*parts, line[position:]])
    # The mark that closes last is the outermost.
    result = [Entity(name, lengths[begin], lengths[end]) for name, begin, end in reversed(entities)]
    return text, sorted(result, key=lambda entity: (entity.begin, -entity.end))


def marked(text: str, entities: Iterable[Entity]) -> str:
    """Return a text with its entities marked, the inverse of `unmarked`.

    Args:
        text: the text.
        entities: in order, without empty ones; they may lie inside each other, the inner one behind
            the outer one, and do not cross.

    >>> marked("서울대의", [Entity("OG", 0, 3), Entity("LC", 0, 2)])
    '<<서울:LC>대:OG>의'
    """
    parts = []
    position = 0
    around: list[Entity] = []
    for entity in [*entities, Entity("", len(text), len(text))]:
        while around and around[-1].end <= entity.begin:
            name, _, end = around.pop()
            parts += [text[position:end], ":", name, ">"]
            position = end
        if entity.end > entity.begin:
            parts += [text[position : entity.begin], "<"]
            position = entity.begin
            around.append(entity)
    return "".join([*parts, text[position:]])


_TEXT = "; "
_MARKED = "$"
_COLUMNS = 4
_TYPED, _BARE = "typed", "bare"
_SPELLING = SPELLINGS["B_PER"]


class Kips(LabelFormat):
    """The corpus of the KIPS contest of 2016 (국어 정보 처리 시스템 경진 대회): rows of morphemes.

        ; 프랑스의 옷값이 올랐다.
        $<프랑스:LC>의 옷값이 올랐다.
        1<TAB>프랑스<TAB>NNP<TAB>B_LC
        1<TAB>의<TAB>JKG<TAB>O
        2<TAB>옷값<TAB>NNG<TAB>O

    Each row has the number of its eojeol. A label inside an entity has no type, a bare `I`. The
    morphemes and labels of the rows are used. The marks above them are used only if the rows do not
    fit the eojeols of the sentence, or if a tag has lost the part before its `+`.

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
        return _TYPED if any([row[-1].startswith("I_") for row in rows]) else _BARE

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        head, rows = split_rows(block, "\t", _kips_fault, "E416", (_TEXT[0], _MARKED))
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
        morphemes = _kips_morphemes(rows)
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


def _kips_morphemes(rows: list[list[str]]) -> tuple[tuple[MorphemeRow, ...], ...]:
    """Return the morphemes of each eojeol; () if a tag has lost the part before its plus."""
    if any([tag.startswith("+") for _, _, tag, _ in rows]):
        return ()
    labels = iter(with_types([_SPELLING.read(row[3]) for row in rows]))
    return tuple(
        tuple([MorphemeRow(form, tag, next(labels)) for _, form, tag, _ in group])
        for _, group in groupby(rows, itemgetter(0))
    )


def _kips_fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    fault = cells_fault(cells, "number of the eojeol, morpheme, tag and label", _COLUMNS)
    if fault or cells[0].isdecimal():
        return fault
    return f"expected the number of the eojeol first, found {cells[0]}"


_COMMENT = "##"
_SPACE = "_"
_ROWS = "ner_record"


class Kmou(LabelFormat):
    """Corpus of Korea Maritime and Ocean University: rows of surface, morphemes, tags and label.

        ## 1
        ## 프랑스의 옷
        ## <프랑스:LOC>의 옷
        프랑스<TAB>프랑스<TAB>NNP<TAB>B-LOC
        의<TAB>의<TAB>JKG<TAB>O
        _<TAB>_<TAB>_<TAB>O                  the space between two eojeols

    In some files the labels inside an entity have no type, a bare `I`. The morphemes of the rows
    are used, except in sentences with one of the 1,751 rows that have lost their first morpheme
    (`했<TAB>+였<TAB>+EP`). The rows themselves ride in a comment.

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
        head, rows = split_rows(block, "\t", _kmou_fault, "E407", _COMMENT)
        forms = [cells[:3] for cells in rows]
        surfaces = list(map(_surface, forms))
        labels: list[str] = []
        for surface, label in zip(surfaces, with_types([cells[3] for cells in rows]), strict=True):
            labels += [label, *[going_on(label)] * (len(surface) - 1)]
        sent_id = head[0].removeprefix(_COMMENT).strip() if head else ""
        comment = restore_comment(_ROWS, [head[3:], forms])
        morphemes = _kmou_morphemes(forms, labels)
        return labelled_tokens("".join(surfaces), labels, sent_id, [comment], morphemes)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence; rows of its morphemes if its own rows are unknown."""
        text = "".join(labelled.tokens)
        more, rows = _rows(labelled, text)
        shown = [label for label, _ in _row_labels(labelled, rows)]
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
        _, rows = _rows(labelled, "".join(labelled.tokens))
        shown = _row_labels(labelled, rows)
        return to_text(find_entities([label for label, _ in shown]), [span for _, span in shown])


def _rows(labelled: Labelled, text: str) -> tuple[list[str], list[Any]]:
    """Return the lines above the rows of a sentence, and the first cells of its rows."""
    for value in kept(labelled.comments, _ROWS):
        # Other formats keep an object under the same key, and a system may change the text.
        if isinstance(value, list) and "".join(map(_surface, value[1])) == text:
            return value[0], value[1]
    return [], list(_new_rows(labelled, text))


def _row_labels(labelled: Labelled, rows: list[Any]) -> list[tuple[str, Span]]:
    """Return the label of each row and the characters that it covers."""
    spans = pairwise(accumulate([len(_surface(cells)) for cells in rows], initial=0))
    return [(first_label(labelled.labels[begin:end]), (begin, end)) for begin, end in spans]


def _kmou_fault(cells: list[str]) -> str:
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


def _kmou_morphemes(
    rows: list[list[str]], labels: Sequence[str]
) -> tuple[tuple[MorphemeRow, ...], ...]:
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
