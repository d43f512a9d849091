"""Text with its entities marked in it, a sentence a line: `<한석규:PS>가 <19일:DT> 왔다`.

This is the layout of ETRI's older corpora. A `<` that does not begin a mark is text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.formats.labelled import Block, LabelFormat, Labelled, labelled_text
from sejongud.layers.labels import Entity

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Inline", "marked", "unmarked"]

_MARK = re.compile(r"<([^<>\n]+):([A-Z][A-Z0-9_]*)>")


class Inline(LabelFormat):
    """Reads and writes text with marks.

    >>> Inline().read(Block("<프랑스:LC>의\\n", 1, 1)).layers
    (('B-LC', 'I-LC', 'I-LC', 'O'),)
    """

    name = "inline"
    by_lines = True

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "", if some line has a mark and none has a tab; else None."""
        return "" if _MARK.search(head) and "\t" not in head and head[:1] not in "{[" else None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a line."""
        return labelled_text(*unmarked(block.text.rstrip("\n")))

    def write(self, labelled: Labelled) -> str:
        """Return the line of a sentence."""
        return marked("".join(labelled.tokens), labelled.entities()) + "\n"


def unmarked(line: str) -> tuple[str, list[Entity]]:
    """Return the text of a line with marks, and its entities.

    >>> unmarked("<프랑스:LC>의")
    ('프랑스의', [Entity(type='LC', begin=0, end=3)])
    """
    parts = []
    entities = []
    at = length = 0
    for match in _MARK.finditer(line):
        between, inside, of = line[at : match.start()], match[1], match[2]
        begin = length + len(between)
        length = begin + len(inside)
        entities.append(Entity(of, begin, length))
        parts += [between, inside]
        at = match.end()
    return "".join([*parts, line[at:]]), entities


def marked(text: str, entities: Iterable[Entity]) -> str:
    """Return a text with its entities marked, the inverse of `unmarked`.

    >>> marked("프랑스의", [Entity("LC", 0, 3)])
    '<프랑스:LC>의'
    """
    parts = []
    at = 0
    for of, begin, end in entities:
        parts += [text[at:begin], "<", text[begin:end], ":", of, ">"]
        at = end
    return "".join([*parts, text[at:]])
