"""KLUE-NER and files like it: a row for each character, spaces as well, `프<TAB>B-LC`.

    ## klue-ner-v1_dev_00000-wikitree<TAB><프랑스:LC>의 옷

stands above the rows: the sentence with its entities marked (in konec without marks). The marks are
not used, since the text may contain `<`. The lines above the first sentence describe the format. If
the space at the beginning of a row was stripped, the empty character is read as a space. A line of
blanks is a row without its label: the line between two sentences is empty.
"""

from __future__ import annotations

import re
from itertools import takewhile

from sejongud.formats.inline import marked
from sejongud.formats.labelled import Block, LabelFormat, Labelled, kept, labelled_tokens, rider
from sejongud.formats.sniffing import mostly

__all__ = ["KlueNer"]

_MARKED, _PLAIN, _NONE = "marked", "plain", "none"
_HEADINGS = (_MARKED, _PLAIN, _NONE)
_HEAD = "ner_head"
_COMMENT = "##"
_NEARLY_ALL = 0.9
_ROW = re.compile(r"[^\t]?\t[^\t/]+")
"""A line of Sejong text has a slash behind the tab."""
_ROWS = re.compile(r"((?:[^\t\n]\t[^\t\n]+\n)+)\n*")


class KlueNer(LabelFormat):
    """Reads and writes KLUE-NER.

    Args:
        settings: the line above a sentence: the sentence `marked`, or `plain`, or `none`.
    """

    name = "klue-ner"
    blank = ""
    choices = (_HEADINGS,)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        lines = head.split("\n")[:-1]
        comments = [line for line in lines if line.startswith(_COMMENT) and "\t" in line]
        rows = [line for line in lines if line and not line.startswith(_COMMENT)]
        fits = [_ROW.fullmatch(row) is not None for row in rows]
        if not mostly(fits):
            return None
        sentences = [line for line in comments if line.split("\t")[1] != "NE_TAG"]
        if not sentences:
            # Without its comments it is told from columns of tokens, of which many have one letter.
            return _NONE if sum(fits) >= _NEARLY_ALL * len(fits) else None
        return _MARKED if any(["<" in line for line in sentences]) else _PLAIN

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block."""
        lines = block.text.split("\n")
        comments = list(takewhile(lambda line: line.startswith(_COMMENT), lines))
        rows = _ROWS.fullmatch(block.text, sum([len(line) + 1 for line in comments]))
        if rows is not None:
            cells = rows[1].replace("\n", "\t").split("\t")
            characters, labels = cells[:-1:2], cells[1::2]
        else:
            characters, labels = _read_rows(block, len(comments))
        sent_id = ""
        if comments and self._chosen[0] != _NONE and "\t" in comments[-1]:
            sent_id = comments.pop().removeprefix(_COMMENT).partition("\t")[0].strip()
        head = [rider(_HEAD, comment) for comment in comments]
        return labelled_tokens(characters, labels, sent_id, head)

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        head = [f"{line}\n" for line in kept(labelled.comments, _HEAD) if isinstance(line, str)]
        if self._chosen[0] != _NONE:
            text = "".join(labelled.tokens)
            shown = marked(text, labelled.entities()) if self._chosen[0] == _MARKED else text
            head.append(f"{_COMMENT} {labelled.sent_id}\t{shown}\n")
        rows = map("\t".join, zip(labelled.tokens, labelled.labels, strict=True))
        return "".join(head) + "\n".join([*rows, "", ""])


def _read_rows(block: Block, first: int) -> tuple[list[str], list[str]]:
    """Return the characters and labels of rows that may be damaged.

    Args:
        block: the block.
        first: the number of lines above the rows.

    Raises:
        FormatError: a line is not a row.
    """
    characters = []
    labels = []
    for at, line in enumerate(block.text.split("\n")):
        if at < first or not line:
            continue
        character, tab, label = line.partition("\t")
        if not tab or len(character) > 1 or not label or "\t" in label:
            blank = ", and between two sentences an empty line" if line.isspace() else ""
            message = f"expected one character and its label with a tab between{blank}"
            raise block.error(message, "E403", at)
        characters.append(character or " ")
        labels.append(label)
    return characters, labels
