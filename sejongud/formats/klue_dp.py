"""KLUE-DP: dependency trees of eojeols as tab-separated text (Park et al. 2021, KLUE).

    ## 칼럼명 : INDEX	WORD_FORM	LEMMA	POS	HEAD	DEPREL        the head of the file
    ## klue-dp-v1_dev_00000_wikitree	유희열이 눈물을 흘렸다.
    1	유희열이	유희열 이	NNP+JKS	3	NP_SBJ

The morphemes are separated by spaces, their tags by plus signs, sentences by blank lines. A
spreadsheet damaged the published files: it turned 3% into 0 and 5.0 into 5. Damaged morphemes are
fewer than their tags, which is an error; a damaged form differs from the line above the sentence,
and a note gives the right one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.formats.base import Frame, Reader, blocks, identified, to_number
from sejongud.formats.sniffing import first_lines
from sejongud.memo import Memo
from sejongud.model import NOTHING, Arcs, Eojeol, Sentence, Token, Word
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.morphology.eojeol import Assembler

_COUNTS = "E313"
_COLUMNS = ("INDEX", "WORD_FORM", "LEMMA", "POS", "HEAD", "DEPREL")


class KlueDpReader(Reader):
    """Read KLUE-DP.

    HEAD and DEPREL, whose words are the eojeols, are kept as `Sentence.arcs`. The sentence as it
    stands above the rows is `text_orig` where it is not the forms joined. The other lines that
    begin with `##` describe the format and are left out.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self._eojeols: Memo[tuple[str, str, str], Eojeol] = Memo.of(
            self, KlueDpReader._eojeol, size=48_000
        )

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if the first line is a comment of KLUE."""
        return "" if "".join(first_lines(head)[:1]).startswith("## ") else None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the blocks between blank lines that have rows."""
        with_rows = (block for block in blocks(chunks) if _rows(block[1]))
        return identified(with_rows, lambda text: _header(text)[0])

    def parse(self, frame: Frame) -> Sentence:
        """Return the sentence of a block.

        Raises:
            FormatError: a row is faulty; with its line.
        """
        eojeols = []
        heads = []
        deprels = []
        _, text = _header(frame.text)
        rows = _rows(frame.text)
        for index, (offset, raw) in enumerate(rows):
            cells: tuple[str, ...] = tuple(raw.split("\t"))
            try:
                head = _head(cells, index, len(rows))
                deprel = cells[5]
                eojeol = self._eojeols[cells[1], cells[2], cells[3]]
            except FormatError as error:
                form = cells[1].strip() if len(cells) > 1 else ""
                line = frame.line + offset
                eojeol = self.kept(error, form or raw.strip(), line=line, text=raw)
                # A row that only lacks morphemes keeps its place in the tree.
                head, deprel = -1, "_"
                if error.code == _COUNTS:
                    head, deprel = int(cells[4]), cells[5]
                eojeol = as_word(eojeol)
            heads.append(head)
            deprels.append(deprel)
            eojeols.append(eojeol)
        sentence = Sentence(
            tuple(_compared(eojeols, text)),
            frame.sent_id,
            number=frame.number,
            arcs=Arcs(tuple(heads), tuple(deprels)),
            is_treebank=True,
        )
        if text and text != sentence.text:
            sentence.text_orig = text
        return sentence

    def lines(self, frame: Frame) -> list[int]:
        """Return the line numbers of the rows of a block."""
        return [frame.line + row[0] for row in _rows(frame.text)]

    def _eojeol(self, cells: tuple[str, str, str]) -> Eojeol:
        """Return the eojeol of a form, its morphemes and their tags.

        Raises:
            FormatError: the numbers of morphemes and tags differ.
        """
        form, lemma, pos = cells
        forms = lemma.split(" ")
        tags = pos.split("+")
        if len(forms) != len(tags):
            raise FormatError(
                f"{form}: {counted(len(forms), 'morpheme[s]')} ({lemma}) and"
                f" {counted(len(tags), 'tag[s]')} ({pos}): "
                "the two numbers must be equal",
                code=_COUNTS,
            )
        morpheme = self.assembler.analysis.morpheme
        morphemes = [morpheme(f, tag, form) for f, tag in zip(forms, tags, strict=True)]
        return as_word(self.assembler.eojeol(form, tuple(morphemes)))


def as_word(eojeol: Eojeol) -> Eojeol:
    """Return an eojeol that is one word, of which the corpus gives nothing but its morphemes."""
    word = Word(eojeol.form, "", "", "", NOTHING, "", eojeol.morphemes)
    return eojeol.but(tokens=(Token(eojeol.form, (word,), misc="", was_read=False),))


def _is_comment(line: str) -> bool:
    return line.startswith("## ")


def _header(block: str) -> tuple[str, str]:
    """Return the id and the sentence of the line above the rows; "" if there is no such line."""
    headers = [line for line in block.split("\n") if _is_comment(line) and "\t" in line]
    sent_id, _, text = headers[-1][3:].partition("\t") if headers else ("", "", "")
    return sent_id.strip(), text


def _rows(text: str) -> list[tuple[int, str]]:
    """Return the rows of a sentence, each with the number of lines before it."""
    return [(offset, raw) for offset, raw in enumerate(text.split("\n")) if not _is_comment(raw)]


def _head(cells: tuple[str, ...], position: int, count: int) -> int:
    """Return the head of row number `position` of `count` rows, from 1; 0 for the root.

    Raises:
        FormatError: the row is faulty.
    """
    if len(cells) != len(_COLUMNS):
        raise FormatError(
            f"expected {len(_COLUMNS)} columns with a tab between "
            f"({', '.join(_COLUMNS)}), found {len(cells)}",
            code="E311",
        )
    index, _, _, _, head, _ = cells
    for name, cell in zip(_COLUMNS, cells, strict=True):
        if not cell.strip():
            raise FormatError(f"{name} is empty", code="E312")
    if index != str(position + 1):
        raise FormatError(f"INDEX {index}: expected {position + 1}", column=1, code="E312")
    number = to_number(head)
    if number is None or number > count or number == position + 1:
        message = f"HEAD {head}: expected the INDEX of another of the {count} rows, or 0"
        raise FormatError(message, code="E314")
    return number


def _compared(eojeols: list[Eojeol], text: str) -> list[Eojeol]:
    """Add a note to each eojeol whose form differs from the sentence above the rows."""
    forms = text.split(" ")
    if len(forms) != len(eojeols):
        return eojeols
    return [
        eojeol
        if eojeol.form == form
        else eojeol.with_notes([Note("W311", f"{eojeol.form} is {form} in the sentence above")])
        for form, eojeol in zip(forms, eojeols, strict=True)
    ]
