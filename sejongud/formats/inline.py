"""Text with its entities marked in it, a sentence a line: `<한석규:PS>가 <19일:DT> 왔다`.

This is the layout of ETRI's older corpora. A `<` that does not begin a mark is text. Marks may
stand inside marks: `<<서울:LC>대:OG>에`. The type is in capital letters; if no mark of a file is,
it may be in small ones (the setting `any-case`). Text that looks like a mark and is read as text
is reported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.formats.labelled import Block, LabelFormat, Labelled, LineNote, labelled_text
from sejongud.formats.sniffing import mostly, whole_lines
from sejongud.layers.labels import Entity
from sejongud.layers.places import overlaps

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """Reads and writes text with marks.

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
