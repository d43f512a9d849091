"""brat standoff: the entities of a text in a file of their own (Stenetorp et al. 2012).

    T1<TAB>LC 0 3<TAB>프랑스

The labels are in `.ann`, which is what is read and written here; the text in `.txt`, a sentence a
line. Begin and end are characters of the whole text, the end exclusive. An entity in pieces
(`0 3;5 8`) is read as one from the first to the last; relations, attributes and notes ride along,
with the entity that is above them. The lines stand in the order of annotation. Where that is not
the order of the text, comments keep their places for the way back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from sejongud.errors import FormatError, UsageError
from sejongud.formats.base import to_number
from sejongud.formats.labelled import Block, LabelFormat, Labelled, Unit
from sejongud.labels import OUTSIDE, Entity, layers, to_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Brat"]

_ENTITY = re.compile(r"T\d+\t(\S+) (\d+) (?:[\d; ]* )?(\d+)\t")
_OFFSET = "ner_offset = "
_PLACES = "ner_places = "


class _Line(NamedTuple):
    """A line of the text."""

    text: str
    offset: int
    """Where it begins."""
    places: list[int]
    """The lines of `.ann` that speak of it, from 1."""


class Brat(LabelFormat):
    """Reads and writes `.ann`.

    Args:
        settings: the `.txt`; not needed for writing.
    """

    name: ClassVar[str] = "brat"
    unit: Unit = "syllable"

    def __init__(self, settings: str = "") -> None:
        self._path = settings
        self._lines: list[_Line] = []
        self._in_order = True
        self._written = 0

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Nothing, if the first line is an entity."""
        return "" if _ENTITY.match(head) else None

    @property
    def settings(self) -> str:
        """None: where the text was is no property of the file."""
        return ""

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """For each line of the text the lines that speak of it.

        Raises:
            UsageError: the text was not named.
        """
        if not self._path:
            raise UsageError("brat: name the text as well: --format brat:FILE.txt")
        with Path(self._path).open(encoding="utf-8", newline="") as file:
            texts = file.read().split("\n")
        offsets = list(accumulate([len(text) + 1 for text in texts], initial=0))
        self._lines = [
            _Line(text.removesuffix("\r"), offset, [])
            for text, offset in zip(texts, offsets, strict=False)
        ]
        lines = "".join(chunks).splitlines(keepends=True)
        at = 0
        for number, written in enumerate(lines, 1):
            match = _ENTITY.match(written)
            if match:
                at = min(bisect_right(offsets, int(match[2])), len(texts)) - 1
            self._lines[at].places.append(number)
        places = [number for one in self._lines for number in one.places]
        self._in_order = places == sorted(places)
        line = 1
        for number, one in enumerate(self._lines, 1):
            text = "".join([lines[place - 1] for place in one.places])
            line = one.places[0] if one.places else line
            yield Block(text, line, number)

    def read(self, block: Block) -> Labelled:
        """The sentence of a block."""
        text, offset, places = self._lines[block.number - 1]
        entities = []
        for place, line in zip(places, block.text.splitlines(), strict=True):
            match = _ENTITY.match(line)
            if match is None:
                continue
            begin, end = int(match[2]) - offset, int(match[3]) - offset
            if not begin < end <= len(text):
                raise FormatError(
                    "this entity ends behind its line of the text: is it the right text?",
                    line=place,
                    text=line,
                    code="E408",
                )
            entities.append(Entity(match[1], begin, end))
        found = [to_labels(layer, len(text)) for layer in layers(entities)]
        comments = [f"{_OFFSET}{offset}"]
        if places and not self._in_order:
            comments.append(_PLACES + ",".join(map(str, places)))
        return Labelled(
            tuple(text), tuple(found) or ((OUTSIDE,) * len(text),), comments=tuple(comments)
        )

    def write(self, labelled: Labelled) -> str:
        """The lines of a sentence; entities are numbered through the file."""
        comments = [c for c in labelled.comments if c.startswith(_OFFSET)]
        offset = int(comments[0].removeprefix(_OFFSET)) if comments else 0
        text = "".join(labelled.tokens)
        lines = []
        for of, begin, end in sorted(labelled.all_entities(), key=lambda e: (e.begin, e.end)):
            self._written += 1
            place = f"{offset + begin} {offset + end}"
            lines.append(f"T{self._written}\t{of} {place}\t{text[begin:end]}\n")
        return "".join(lines)

    def places(self, comments: tuple[str, ...]) -> list[int]:
        """Which lines of the file those of a sentence were, if they were not in order."""
        said = [c.removeprefix(_PLACES) for c in comments if c.startswith(_PLACES)]
        found = [to_number(place) for place in ",".join(said).split(",")]
        return [place for place in found if place is not None]
