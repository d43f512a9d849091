"""brat standoff: the entities of a text in a file of their own (Stenetorp et al. 2012).

    T1<TAB>LC 0 3<TAB>프랑스

The labels are in `.ann`, which is what is read and written here; the text in `.txt`, a sentence a
line. Begin and end are characters of the whole text, the end exclusive. An entity in pieces
(`0 3;5 8`) is read as one from the first to the last; relations, attributes and notes ride along.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sejongud.errors import FormatError, UsageError
from sejongud.formats.labelled import Block, LabelFormat, Labelled, Unit
from sejongud.labels import OUTSIDE, Entity, layers, to_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Brat"]

_ENTITY = re.compile(r"T\d+\t(\S+) (\d+) (?:[\d; ]* )?(\d+)\t")
_OFFSET = "ner_offset = "


class Brat(LabelFormat):
    """Reads and writes `.ann`.

    Args:
        settings: the `.txt`; not needed for writing.
    """

    name: ClassVar[str] = "brat"
    unit: Unit = "syllable"

    def __init__(self, settings: str = "") -> None:
        self._path = settings
        self._texts: dict[int, tuple[int, str]] = {}
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
            FormatError: the entities are not in the order of the text.
        """
        if not self._path:
            raise UsageError("brat: name the text as well: --format brat:FILE.txt")
        with Path(self._path).open(encoding="utf-8", newline="") as file:
            text = file.read()
        lines = "".join(chunks).splitlines(keepends=True)
        at = offset = number = 0
        line = 1
        for sentence in text.split("\n"):
            end = offset + len(sentence) + 1
            start = at
            while at < len(lines):
                match = _ENTITY.match(lines[at])
                if match and int(match[2]) < offset:
                    raise FormatError(
                        "the entities are not in the order of the text: sort the file by their"
                        " places",
                        line=at + 1,
                        text=lines[at],
                        code="E409",
                    )
                if match and int(match[2]) >= end:
                    break
                at += 1
            number += 1
            self._texts[number] = offset, sentence.removesuffix("\r")
            yield Block("".join(lines[start:at]), line, number)
            line += at - start
            offset = end
        if at < len(lines):
            yield Block("".join(lines[at:]), line, number + 1)

    def read(self, block: Block) -> Labelled:
        """The sentence of a block."""
        offset, text = self._texts.pop(block.number, (0, ""))
        entities = []
        for at, line in enumerate(block.text.splitlines()):
            match = _ENTITY.match(line)
            if match is None:
                continue
            begin, end = int(match[2]) - offset, int(match[3]) - offset
            if not begin < end <= len(text):
                raise FormatError(
                    "this entity ends behind its line of the text: is it the right text?",
                    line=block.line + at,
                    text=line,
                    code="E408",
                )
            entities.append(Entity(match[1], begin, end))
        found = [to_labels(layer, len(text)) for layer in layers(entities)]
        return Labelled(
            tuple(text),
            tuple(found) or ((OUTSIDE,) * len(text),),
            comments=(f"{_OFFSET}{offset}",),
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
