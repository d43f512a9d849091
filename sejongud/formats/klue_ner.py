"""KLUE-NER and files like it: a row for each character, spaces as well, `프<TAB>B-LC`.

    ## klue-ner-v1_dev_00000-wikitree<TAB><프랑스:LC>의 옷

stands above the rows, the sentence with its entities marked (konec has it without marks). It cannot
be trusted: `<` may be in the text. The lines above the first sentence describe the format. A row of
a space must not be stripped; where it was, its empty character is read as a space.
"""

from __future__ import annotations

import json
from typing import ClassVar

from sejongud.errors import FormatError, UsageError
from sejongud.formats.inline import marked
from sejongud.formats.labelled import Block, LabelFormat, Labelled, Unit, mostly

__all__ = ["KlueNer"]

_MARKED, _PLAIN, _NONE = "marked", "plain", "none"
_HEADINGS = (_MARKED, _PLAIN, _NONE)
_HEAD = "ner_head = "
_COMMENT = "##"


class KlueNer(LabelFormat):
    """Reads and writes KLUE-NER.

    Args:
        settings: what the line above a sentence shows: the sentence `marked` or `plain`, or `none`
            if there is no such line.

    Raises:
        UsageError: no such setting.
    """

    name: ClassVar[str] = "klue-ner"
    unit: Unit = "syllable"

    def __init__(self, settings: str = "") -> None:
        self._heading = settings or _MARKED
        if self._heading not in _HEADINGS:
            raise UsageError(f"klue-ner: there is no setting {settings}: {', '.join(_HEADINGS)}")

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """The settings of a file that begins so; None if it is in another format."""
        lines = head.split("\n")[:-1]
        comments = [line for line in lines if line.startswith(_COMMENT) and "\t" in line]
        rows = [line for line in lines if line and not line.startswith(_COMMENT)]
        if not mostly([_is_row(row) for row in rows]):
            return None
        sentences = [line for line in comments if line.split("\t")[1] != "NE_TAG"]
        if not sentences:
            return _NONE
        return _MARKED if any(["<" in line for line in sentences]) else _PLAIN

    @property
    def settings(self) -> str:
        """As the constructor takes them."""
        return self._heading

    def read(self, block: Block) -> Labelled:
        """The sentence of a block."""
        sent_id = ""
        comments: list[str] = []
        characters: list[str] = []
        labels = []
        for at, line in enumerate(block.text.split("\n")):
            if line.startswith(_COMMENT) and not characters and not _is_row(line):
                comments.append(line)
            elif line.strip():
                character, tab, label = line.partition("\t")
                if not tab or len(character) > 1 or not label or "\t" in label:
                    raise FormatError(
                        "expected one character and its label with a tab between",
                        line=block.line + at,
                        text=line,
                        code="E403",
                    )
                characters.append(character or " ")
                labels.append(label)
        if comments and self._heading != _NONE and "\t" in comments[-1]:
            sent_id = comments.pop().removeprefix(_COMMENT).partition("\t")[0].strip()
        head = [_HEAD + json.dumps(comment, ensure_ascii=False) for comment in comments]
        layers = (tuple(labels),) if labels else ()
        return Labelled(tuple(characters), layers, sent_id, tuple(head))

    def write(self, labelled: Labelled) -> str:
        """The block of a sentence."""
        head = [
            json.loads(comment.removeprefix(_HEAD)) + "\n"
            for comment in labelled.comments
            if comment.startswith(_HEAD)
        ]
        labels = labelled.layers[0] if labelled.layers else ("O",) * len(labelled.tokens)
        if self._heading != _NONE:
            text = "".join(labelled.tokens)
            shown = marked(text, labelled.entities()) if self._heading == _MARKED else text
            head.append(f"{_COMMENT} {labelled.sent_id}\t{shown}\n")
        rows = [
            f"{character}\t{label}\n"
            for character, label in zip(labelled.tokens, labels, strict=True)
        ]
        return "".join([*head, *rows, "\n"])


def _is_row(line: str) -> bool:
    character, tab, label = line.partition("\t")
    return len(character) < 2 and bool(tab and label) and "\t" not in label
