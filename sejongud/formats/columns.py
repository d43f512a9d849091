"""Columns: a row for each token, the token first and its label last, blank lines between sentences.

This is the layout of CoNLL-2002/2003 and of many copies of Korean corpora. Middle columns that are
the same in all rows (`프랑스의 eoj - B-LOC`) are a setting; other ones ride in comments. Lines
above the rows of a sentence that begin with # are comments (MultiCoNER), unless they are rows
themselves; `-DOCSTART-` (CoNLL) is no token.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.formats.labelled import (
    SPELLINGS,
    Block,
    LabelFormat,
    Labelled,
    guess_spelling,
    kept_lines,
    labelled_tokens,
    rider,
    split_rows,
)
from sejongud.formats.schemes import OTHER_SCHEMES, in_bioes, labels_of, other_scheme, tags_of
from sejongud.formats.sniffing import whole_lines
from sejongud.layers.labels import LABEL_SCHEMES, OUTSIDE, split_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.layers.labels import Entity, LabelScheme

_SEPARATORS = {"tab": "\t", "space": " "}
_HEAD = "ner_head"
DOCUMENT = "-DOCSTART-"
"""The first cell of a row that begins a document (CoNLL), and is no token."""
_ID = re.compile(r"#\s*(?:sent_)?id\s*[=\s]\s*(\S+)")
_LABELLED = re.compile(r"^[A-Z][-_].|.[-_][A-Z]$")
"""A tag with a prefix and a type, in any spelling."""


class Columns(LabelFormat):
    """Reads and writes columns.

    Args:
        settings: `tab` or `space`, a spelling of `SPELLINGS`, a scheme of `LABEL_SCHEMES` or of
            `OTHER_SCHEMES`, and the middle columns, with a space between: `space B-PER bio eoj -`.

    >>> Columns("space B-PER bioes").read(Block("프랑스의 S-LOC\\n\\n", 1, 1)).layers
    (('B-LOC',),)
    """

    name = "columns"
    has_ids = False
    unit = "eojeol"
    token_cell = 0

    choices = (_SEPARATORS, ("B-PER", *SPELLINGS), (*LABEL_SCHEMES, *OTHER_SCHEMES))
    more_settings = True

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        separator, spelling, self._scheme = self._chosen
        self._separator = _SEPARATORS[separator]
        self.types = re.compile(f"[^{self._separator}]*")
        self._spelling = SPELLINGS[spelling]

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        lines = [line for line in whole_lines(head) if not line.startswith(("#", DOCUMENT))]
        for name, separator in _SEPARATORS.items():
            rows = [line.split(separator) for line in lines]
            rows = [row for row in rows if len(row) > 1 and row[0] and row[-1]]
            # If the first column has numbers, the tokens are in another one.
            numbers = [row for row in rows if row[0].isdecimal()]
            if 2 * len(rows) > len(lines) and 2 * len(numbers) < len(rows):
                tags = [row[-1] for row in rows]
                # A file of another format is refused before a spelling is guessed.
                if not any(map(_LABELLED.search, tags)):
                    continue
                unusual = other_scheme(tags)
                tags = in_bioes(tags, unusual)
                spelling = guess_spelling(tags)
                labels = [SPELLINGS[spelling].read(tag) for tag in tags]
                # The last words of lines of text are no labels, even if one of them is S-OIL.
                if 2 * sum(map(SPELLINGS[spelling].has, tags)) < len(tags):
                    continue
                if not any([split_label(label)[1] for label in labels]):
                    continue
                middle, count = Counter([tuple(row[1:-1]) for row in rows]).most_common(1)[0]
                constant = middle if count == len(rows) else ()
                return " ".join([name, spelling, unusual or _scheme(labels), *constant])
        return None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block; a sentence without tokens if it has no rows."""
        above = self._above(block)
        if above:
            rest = block.text.split("\n")[len(above) :]
            block = Block("\n".join(rest), block.line + len(above), block.number)
        _, rows = split_rows(block, self._separator, _fault, "E404")
        if not rows:
            return Labelled((), ())
        labels = labels_of([row[-1] for row in rows], self._scheme, self._spelling)
        ids = [match[1] for line in above if (match := _ID.match(line))]
        head = [rider(_HEAD, line) for line in above]
        return labelled_tokens([row[0] for row in rows], labels, "".join(ids[:1]), head)

    def _above(self, block: Block) -> list[str]:
        """Return the lines above the rows of a block: comments, and the mark of a document."""
        if not block.text.startswith(("#", DOCUMENT)):
            return []
        lines = block.text.split("\n")
        rows = [line.split(self._separator) for line in lines if line.strip()]
        width = len(rows[-1])
        lines_above = []
        for line in lines:
            cells = line.split(self._separator)
            has_tag = self._spelling.has(*in_bioes(cells[-1:], self._scheme))
            is_row = len(cells) == width and has_tag
            if not (line.startswith(DOCUMENT) or (line.startswith("#") and not is_row)):
                break
            lines_above.append(line)
        return lines_above

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        tags = tags_of(labelled.labels, self._scheme, self._spelling)
        head = kept_lines(labelled.comments, _HEAD)
        rows = [
            self._separator.join([token, *self._more, tag]) + "\n"
            for token, tag in zip(labelled.tokens, tags, strict=True)
        ]
        return "".join([*head, *rows, "\n"])

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first token."""
        above = len(self._above(block))
        return lambda entity: block.line + above + entity.begin


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    fault = ""
    if len(cells) < 2:
        fault = "no label"
    elif not cells[0] or not cells[-1]:
        fault = "an empty column"
    elif "\t" in cells[0] + cells[-1]:
        # The columns are separated by spaces.
        fault = "a tab inside a column"
    return fault and f"expected a token first and its label last, found {fault}"


def _scheme(labels: list[str]) -> LabelScheme:
    """Return the most likely scheme of some labels."""
    prefixes = Counter([split_label(label)[0] for label in labels])
    if prefixes["E"] or prefixes["S"]:
        return "bioes"
    # In IOB1 an entity begins with I, and with B only directly behind another of its type.
    pairs = [(split_label(a), split_label(b)) for a, b in pairwise([OUTSIDE, *labels])]
    begins = [b for a, b in pairs if b[0] == "I" and a[1] != b[1]]
    alone = [b for a, b in pairs if b[0] == "B" and a[1] != b[1]]
    return "iob1" if begins and not alone else "bio"
