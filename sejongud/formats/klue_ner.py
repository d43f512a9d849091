"""KLUE-NER and files like it: a row for each character, spaces as well, `프<TAB>B-LC`.

    ## klue-ner-v1_dev_00000-wikitree<TAB><프랑스:LC>의 옷

stands above the rows: the sentence with its entities marked (in konec without marks). The marks are
not used, since the text may contain `<`. The lines above the first sentence describe the format. If
the space at the beginning of a row was stripped, the empty character is read as a space. A line of
blanks is a row without its label: the line between two sentences is empty. In some copies a space
stands between the character and its label, `프 B-LC`.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from sejongud.formats.inline import marked, unmarked
from sejongud.formats.labelled import (
    Block,
    LabelFormat,
    Labelled,
    kept_lines,
    labelled_tokens,
    rider,
)
from sejongud.formats.sniffing import mostly

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.layers.labels import Entity

_MARKED, _PLAIN, _NONE = "marked", "plain", "none"
_HEADINGS = (_MARKED, _PLAIN, _NONE)
_HEAD = "ner_head"
_COMMENT = "##"
_NEARLY_ALL = 0.9
_SEPARATORS = {"tab": "\t", "space": " "}
_OTHER_TEXT = "the line above the rows has another text than they"
_ROW = re.compile(r"[^\t]?\t[^\t/]+")
"""A line of Sejong text has a slash behind the tab."""
_SPACED_ROW = re.compile(r".? (?:[BIES]-[^ \t]+|[BIEO])")
_ROW_OF_SPACE = re.compile(r" ? (?:[BIES]-[^ \t]+|[BIEO])")
_ROWS = re.compile(r"((?:[^\t\n]\t[^\t\n]+\n)+)\n*")


class KlueNer(LabelFormat):
    """Reads and writes KLUE-NER.

    Args:
        settings: the line above a sentence: the sentence `marked`, or `plain`, or `none`; and
            `space`, if that and no tab stands before the labels.
    """

    name = "klue-ner"
    blank = ""
    choices = (_HEADINGS, _SEPARATORS)

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        self._heading, separator = self._chosen
        self._separator = _SEPARATORS[separator]

    @property
    def settings(self) -> str:
        """The line above a sentence, and the separator if it is none of tab."""
        return " ".join(self._chosen).removesuffix(" tab")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        lines = head.split("\n")[:-1]
        comments = [line for line in lines if line.startswith(_COMMENT) and "\t" in line]
        rows = [line for line in lines if line and not line.startswith(_COMMENT)]
        fits = [_ROW.fullmatch(row) is not None for row in rows]
        tail = ""
        if not mostly(fits) and any(map(_ROW_OF_SPACE.fullmatch, rows)):
            # Characters without any space between them may be tokens of one letter.
            fits = [_SPACED_ROW.fullmatch(row) is not None for row in rows]
            tail = " space"
        if not mostly(fits):
            return None
        sentences = [line for line in comments if line.split("\t")[1] != "NE_TAG"]
        if not sentences:
            # Without its comments it is told from columns of tokens, of which many have one letter.
            return _NONE + tail if sum(fits) >= _NEARLY_ALL * len(fits) else None
        return (_MARKED if any(["<" in line for line in sentences]) else _PLAIN) + tail

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        lines = block.text.split("\n")
        comments = list(takewhile(lambda line: line.startswith(_COMMENT), lines))
        above = sum([len(line) + 1 for line in comments])
        rows = _ROWS.fullmatch(block.text, above) if self._separator == "\t" else None
        if rows is not None:
            cells = rows[1].replace("\n", "\t").split("\t")
            characters, labels = cells[:-1:2], cells[1::2]
        else:
            characters, labels = _read_rows(block, len(comments), self._separator)
        sent_id = ""
        if comments and self._heading != _NONE and "\t" in comments[-1]:
            sent_id = comments.pop().removeprefix(_COMMENT).partition("\t")[0].strip()
        head = [rider(_HEAD, comment) for comment in comments]
        return labelled_tokens(characters, labels, sent_id, head)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        head = kept_lines(labelled.comments, _HEAD)
        if self._heading != _NONE:
            text = "".join(labelled.tokens)
            shown = marked(text, labelled.entities()) if self._heading == _MARKED else text
            head.append(f"{_COMMENT} {labelled.sent_id}\t{shown}\n")
        rows = map(self._separator.join, zip(labelled.tokens, labelled.labels, strict=True))
        return "".join(head) + "\n".join([*rows, "", ""])

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first character."""
        lines = block.text.split("\n")
        above = len(list(takewhile(lambda line: line.startswith(_COMMENT), lines)))
        return lambda entity: block.line + above + entity.begin

    def other_heading(self, block: Block, labelled: Labelled) -> str:
        """Return how the line above the rows differs from the rows, "" if it does not."""
        if self._heading == _NONE or not labelled.sent_id:
            return ""
        *_, line = takewhile(lambda row: row.startswith(_COMMENT), block.text.split("\n"))
        heading = line.partition("\t")[2]
        text = "".join(labelled.tokens)
        if self._heading == _PLAIN:
            return "" if heading == text else _OTHER_TEXT
        entities = labelled.entities()
        if heading == marked(text, entities):
            return ""
        plain, marks = unmarked(heading)
        ours = [f"{text[begin:end]} ({name})" for name, begin, end in entities]
        theirs = [f"{plain[begin:end]} ({name})" for name, begin, end in marks]
        if ours == theirs:
            return (
                "the line above the rows marks its entities elsewhere"
                if plain == text
                else _OTHER_TEXT
            )
        common = set(ours).intersection(theirs)
        more = ", ".join([mark for mark in theirs if mark not in common]) or "nothing"
        less = ", ".join([mark for mark in ours if mark not in common]) or "nothing"
        return f"the line above the rows marks {more} where the rows have {less}"


def _read_rows(block: Block, first: int, separator: str) -> tuple[list[str], list[str]]:
    """Return the characters and labels of rows that may be damaged.

    Args:
        block: the block.
        first: the number of lines above the rows.
        separator: between a character and its label.

    Raises:
        FormatError: a line is not a row.
    """
    characters = []
    labels = []
    for index, line in enumerate(block.text.split("\n")):
        if index < first or not line:
            continue
        character, joint, label = line.partition(separator)
        if line[:2] == "  " == separator * 2:
            character, label = " ", line[2:]
        if not joint or len(character) > 1 or not label or separator in label:
            blank = ", and between two sentences an empty line" if line.isspace() else ""
            name = "tab" if separator == "\t" else "space"
            message = f"expected one character and its label with a {name} between{blank}"
            raise block.error(message, "E403", index)
        characters.append(character or " ")
        labels.append(label)
    return characters, labels
