"""The corpus of the NAVER NLP Challenge 2018: a row for each eojeol, `1<TAB>프랑스의<TAB>LOC_B`.

Blank lines separate the sentences, and `-` means O. Copies have other spellings, or the layout
`lines`, a sentence a line: `프랑스의 옷을<TAB>LOC-B O` (KoELECTRA, KoBERT-NER). For copies in
columns see `sejongud.formats.columns`.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from sejongud.formats.labelled import (
    SPELLINGS,
    Block,
    LabelFormat,
    Labelled,
    cells_fault,
    guess_spelling,
    labelled_tokens,
    restarts,
    split_rows,
)
from sejongud.formats.sniffing import first_lines, is_analysed, mostly, whole_lines
from sejongud.memo import Memo
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sejongud.layers.labels import Entity

_ROWS, _LINES = "rows", "lines"
_BLOCK = re.compile(r"(?:[^\t\n]*\t[^\t\n]+\t[^\t\n]+\n)+\n*")
_COLUMNS = 3
_TAGS = 10_000
"""More tags than any corpus has."""
_NUMBERS = tuple(map(str, range(1, 1_001)))
"""The numbers of the rows of all but the longest sentences."""


class Naver(LabelFormat):
    """Reads and writes the NAVER corpus.

    Args:
        settings: a layout, `rows` or `lines`, and a spelling of `SPELLINGS`; or only one of them.

    >>> Naver("rows PER_B").read(Block("1\\t프랑스의\\tLOC_B\\n\\n", 1, 1)).layers
    (('B-LOC',),)
    """

    name = "naver"
    has_ids = False
    unit = "eojeol"

    choices = ((_ROWS, _LINES), SPELLINGS)

    def __init__(self, settings: str = "") -> None:
        # Files with a sentence a line have another usual spelling.
        super().__init__(f"{_LINES} PER-B" if settings == _LINES else settings)
        layout, spelling = self._chosen
        self.by_lines = layout == _LINES
        # A line has its tags with spaces between them.
        self.types = re.compile(r"\S*") if self.by_lines else None
        self.token_cell = None if self.by_lines else 1
        self._labels: Memo[str, str] = Memo(SPELLINGS[spelling].read, size=_TAGS)
        self._tags: Memo[str, str] = Memo(SPELLINGS[spelling].write, size=_TAGS)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        # The only line of a file may lack its end.
        rows = [line.split("\t") for line in whole_lines(head) or first_lines(head)]
        # The ids of Sejong text may be numbers.
        if mostly([len(r) == 3 and r[0].isdigit() and not is_analysed(r[2]) for r in rows]):
            return f"{_ROWS} {guess_spelling([row[2] for row in rows if len(row) == 3])}"
        several = mostly([" " in row[0] for row in rows])
        if several and any(map(_is_line, rows)) and mostly([len(row) == 2 for row in rows]):
            tags = [tag for row in rows for tag in row[-1].split(" ")]
            spelling = guess_spelling(tags)
            # Parts of speech are no labels.
            return f"{_LINES} {spelling}" if mostly([*map(SPELLINGS[spelling].has, tags)]) else None
        return None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        if self.by_lines:
            return self._read_line(block)
        if _BLOCK.fullmatch(block.text):
            cells = block.text.rstrip("\n").replace("\n", "\t").split("\t")
            numbers, tokens, tags = cells[::3], cells[1::3], cells[2::3]
        else:
            _, rows = split_rows(block, "\t", _fault, "E401")
            numbers, tokens, tags = [[row[i] for row in rows] for i in range(_COLUMNS)]
        labelled = self._labelled(tokens, tags)
        if tuple(numbers) != _NUMBERS[: len(numbers)]:
            return labelled._replace(notes=restarts(numbers, block.line))
        return labelled

    def _read_line(self, block: Block) -> Labelled:
        text, _, tail = block.text.rstrip("\n").partition("\t")
        tokens = [token for token in text.split(" ") if token]
        tags = tail.split()
        if len(tokens) != len(tags):
            message = f"{counted(len(tokens), 'eojeol[s]')} and {counted(len(tags), 'tag[s]')}"
            message += ": each eojeol needs a tag"
            raise block.error(message, "E402")
        return self._labelled(tokens, tags)

    def _labelled(self, tokens: Iterable[str], tags: Iterable[str]) -> Labelled:
        return labelled_tokens(tokens, map(self._labels.__getitem__, tags))

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first eojeol."""
        return lambda entity: block.line if self.by_lines else block.line + entity.begin

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        tokens = labelled.tokens
        tags = list(map(self._tags.__getitem__, labelled.labels))
        if self.by_lines:
            return f"{' '.join(tokens)}\t{' '.join(tags)}\n"
        numbers = _NUMBERS if len(tokens) <= len(_NUMBERS) else map(str, count(1))
        rows = map("\t".join, zip(numbers, tokens, tags, strict=False))
        return "\n".join([*rows, "", ""])


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    return cells_fault(cells, "number, eojeol and tag", _COLUMNS, (1, 2))


def _is_line(row: list[str]) -> bool:
    return len(row) == 2 and len(row[0].split()) == len(row[1].split()) > 0
