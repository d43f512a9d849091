"""Find the sentences of a corpus that a conversion left out, without the program's own readers.

The text of a sentence is the Hangul of its forms: no format and no level of granularity changes it.
A sentence is missing if its text does not follow in the output, and no incident names its lines.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HANGUL = re.compile("[가-힣]+")
SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class Piece(NamedTuple):
    """A sentence as it can be seen from outside."""

    first: int
    """Its first line, from 1."""
    last: int
    text: str


Lines = list[tuple[int, str]]


def hangul(texts: Iterable[str]) -> str:
    # A letter behind a syllable may belong to it: the original is then in `text_orig`.
    return "".join([found for text in texts for found in HANGUL.findall(normalize("NFC", text))])


def blocks(data: str, *, blanks: bool) -> Iterator[Lines]:
    """Yield the lines between empty lines, or lines of blanks, each with its number."""
    block: Lines = []
    for number, line in enumerate(data.split("\n"), 1):
        if line.strip() if blanks else line:
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def by_block(
    texts: Callable[[Lines], list[str]], *, blanks: bool = True
) -> Callable[[str], list[Piece]]:
    """A reader of a format with blank lines between sentences."""
    return lambda data: [
        Piece(block[0][0], block[-1][0], hangul(texts(block)))
        for block in blocks(data, blanks=blanks)
    ]


def by_line(texts: Callable[[str], list[str]]) -> Callable[[str], list[Piece]]:
    """A reader of a format with a sentence a line."""
    return lambda data: [
        Piece(number, number, hangul(texts(line)))
        for number, line in enumerate(data.split("\n"), 1)
        if line.strip()
    ]


def sejong(block: Lines) -> list[str]:
    rows = [line.split("\t") for _, line in block if "\t" in line and not line.startswith("#\\ ")]
    return [row[len(row) - 2] for row in rows if len(row) in (2, 3)]


def conllu(block: Lines) -> list[str]:
    forms = []
    end = 0
    for _, line in block:
        cells = line.split("\t")
        span = SPAN.fullmatch(cells[0])
        if line.startswith("#") or span is None or len(cells) < 2:
            continue
        if span[2]:
            end = int(span[2])
        elif int(span[1]) <= end:
            continue
        forms.append(cells[1])
    return forms


def ordered(data: str) -> str:
    """CoNLL-U of CoNLL-U Plus: the number and the form of each word in their columns."""
    header, _, rest = data.partition("\n")
    names = header.removeprefix("# global.columns = ").split()
    if names == header.split() or not {"ID", "FORM"} <= {*names}:
        return data
    at = names.index("ID"), names.index("FORM")
    rows = [line.split("\t") for line in rest.split("\n")]
    lines = ["\t".join([row[i] for i in at]) if len(row) > max(at) else row[0] for row in rows]
    return "\n".join([header, *lines])


def cells_of(column: int, width: int, comment: str) -> Callable[[Lines], list[str]]:
    """The cells of a column in rows of that many."""

    def texts(block: Lines) -> list[str]:
        rows = [line.split("\t") for _, line in block if not line.startswith(comment)]
        return [row[column] for row in rows if len(row) == width]

    return texts


def values(*keys: str) -> Callable[[str], list[str]]:
    """The strings under the first of the keys that a JSON object on a line has."""

    def texts(line: str) -> list[str]:
        try:
            found: Any = json.loads(line)
            for key in keys:
                found = [one[key] for one in found] if isinstance(found, list) else found[key]
        except (ValueError, TypeError, KeyError, RecursionError):
            return []
        found = [found] if isinstance(found, str) else found
        if not isinstance(found, list):
            return []
        return [one for one in found if isinstance(one, str)]

    return texts


def sources(data: str) -> list[Piece]:
    """The lines S of M2."""
    return [
        Piece(number, number, hangul([line[2:]]))
        for number, line in enumerate(data.split("\n"), 1)
        if line.startswith("S ")
    ]


VISIBLE: dict[str, Callable[[str], list[Piece]]] = {
    "sejong": by_block(sejong),
    "conllu": lambda data: by_block(conllu)(ordered(data)),
    "klue-dp": by_block(cells_of(1, 6, "##")),
    "jsonl": by_line(values("eojeols", "form")),
    "text": by_line(lambda line: [line]),
    "naver": by_block(cells_of(1, 3, "\n"), blanks=False),
    # A row is a character, which may be a part of a syllable.
    "klue-ner": by_block(lambda block: ["".join(cells_of(0, 2, "##")(block))], blanks=False),
    "hf-jsonl": by_line(values("tokens")),
    "konne": by_line(values("text")),
    "m2": sources,
    "gec-jsonl": by_line(values("source")),
    "gec-tsv": by_line(lambda line: line.split("\t")[:1]),
}
"""The formats whose forms can be seen in their lines."""


def decoded(data: bytes) -> str | None:
    """The text, if it is plainly UTF-8; None if its encoding is a guess."""
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        # It may be read as UTF-16.
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def missing(
    given: list[Piece], written: list[Piece], incidents: list[dict[str, Any]]
) -> list[Piece]:
    """The sentences that are not written and that no incident explains."""
    text = "".join([piece.text for piece in written])
    named = {int(incident["line"]) for incident in incidents}
    at = 0
    lost = []
    for piece in given:
        if any([line in named for line in range(piece.first, piece.last + 1)]):
            # All of it may be missing, or nothing.
            continue
        found = text.find(piece.text, at)
        if found < 0:
            lost.append(piece)
        else:
            at = found + len(piece.text)
    return lost
