"""The Korean FrameNet (KAIST): a block for each instance of a frame, a row for each eojeol.

    #anno-id:7553                      or #sentid:102
    #source:en.FrameNet
    #text:Well의 3000 구독자 …
    0<TAB>Well의<TAB>_<TAB>_<TAB>B-Resident
    9<TAB>거주한다.<TAB>거주하다.v<TAB>Residence<TAB>O

The columns are the number from 0, the eojeol, the lexical unit and the frame of the target, and the
frame element in BIO. A blank line follows every block. Version 0.8 has ten columns more behind
the eojeol: the morphemes (`Well/SL+의/JKG`), the eojeol again, and, each of them twice as in
CoNLL-2009, the tags (`SL+JKG`), the features (`_`), the head (from 0, -1 at the root) and the label
(`NP_MOD`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sejongud.formats.base import Block, data_rows, mostly
from sejongud.formats.labelled import FileFormat, LineNote, cells_fault, exact_blocks, split_rows
from sejongud.layers.labels import OUTSIDE, parts
from sejongud.model import NOTHING, Arcs, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_COLUMNS = 5
_WITH_SYNTAX = 15
_SYNTAX = "0.8"
_ANALYSIS, _HEAD_OF, _DEPREL = 2, 8, 10
_LINE_ENDS = {"lf": "\n", "crlf": "\r\n"}
_HEAD = "#"
_TEXT = "text"
_KEYS = {"anno-id": "anno_id", "sentid": "sentid", "source": "source", _TEXT: _TEXT}
"""The keys of the usual lines above the rows, and of their comments; other keys keep their `#`."""
_BACK = {comment: key for key, comment in _KEYS.items()}
_RESERVED = "FrameTarget"
_HEADS = re.compile(r"_|-1|[0-9]{1,6}")
_UNIT = re.compile(r".+\.[a-z]+")
"""A lexical unit (`거주하다.v`); other tables have tags in its column."""
_BETWEEN = re.compile(r"(?<=/[A-Z]{2})\+|(?<=/[A-Z]{3})\+")
"""The plus between morphemes."""


class Framed(NamedTuple):
    """An instance of a frame as the corpus has it."""

    tokens: tuple[str, ...]
    targets: tuple[Target | None, ...]
    labels: tuple[str, ...]
    comments: tuple[str, ...] = ()
    """The lines above the rows, as comments; `text` only if it differs from the eojeols."""
    analyses: tuple[str, ...] = ()
    """The morphemes of the eojeols (version 0.8)."""
    arcs: Arcs | None = None
    """The dependencies between the eojeols (version 0.8)."""
    notes: tuple[LineNote, ...] = ()
    """None: whatever is odd is an error."""

    @property
    def sent_id(self) -> str:
        """The id in the file, "" if there is none."""
        values = dict([comment.partition(" = ")[::2] for comment in self.comments])
        return values.get("anno_id") or values.get("sentid") or ""


class FrameNet(FileFormat):
    """Reads and writes the corpus.

    Args:
        settings: the line ends, `lf` or `crlf`; then `0.8` for the columns of that version.

    >>> block = Block("#sentid:1\\n#text:간다\\n0\\t간다\\t가다.v\\tMotion\\tO\\n\\n", 1, 1)
    >>> FrameNet().read(block).targets, FrameNet().write(FrameNet().read(block)) == block.text
    ((Target(unit='가다.v', frame='Motion', at=()),), True)

    Raises:
        UsageError: there is no such setting.
    """

    name = "framenet"

    choices = (_LINE_ENDS, ("", _SYNTAX))

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        ends, version = self._chosen
        self._end = _LINE_ENDS[ends]
        self.has_syntax = bool(version)

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return the settings of a file that begins so; None if it is in another format.

        >>> FrameNet.sniff("#text:간다\n0\t간다\t가다.v\tMotion\tO\n"), FrameNet.sniff("나\tO\n")
        ('lf', None)
        """
        rows = [line.rstrip().split("\t") for line in data_rows(head)]
        ends = "crlf" if head.count("\r\n") > head.count("\n") / 2 else "lf"
        # The last line of a long head is cut; a whole file may have no other row.
        for columns, settings in ((_COLUMNS, ends), (_WITH_SYNTAX, f"{ends} {_SYNTAX}")):
            fitting = [len(row) == columns and _is_row(row) for row in rows[:-1] or rows]
            targets = [row[-3] for row in rows if len(row) == columns and row[-3] != NOTHING]
            if mostly(fitting) and (
                not targets or mostly([_UNIT.fullmatch(unit) is not None for unit in targets])
            ):
                return settings
        return None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file; see `exact_blocks`."""
        return exact_blocks(chunks, r"[ \t\r]*")

    def read(self, block: Block) -> Framed:
        """Return the instance of a block; an instance without eojeols if the block holds none.

        Raises:
            FormatError: a row has a fault; with its line.
        """
        plain = block._replace(text=block.text.replace("\r\n", "\n"))
        fault = _syntax_fault if self.has_syntax else _fault
        heads, rows = split_rows(plain, "\t", fault, "E419", above=_HEAD)
        tokens = tuple([row[1] for row in rows])
        nothing, pairs = (NOTHING, NOTHING), [(unit, frame) for *_, unit, frame, _ in rows]
        targets = tuple([None if pair == nothing else Target(*pair) for pair in pairs])
        joined = f"{_TEXT} = {' '.join(tokens)}"
        comments = [comment for comment in map(_comment, heads) if comment not in ("", joined)]
        framed = Framed(tokens, targets, tuple([row[-1] for row in rows]), tuple(comments))
        if not self.has_syntax:
            return framed
        for at, row in enumerate(rows):
            if row[_HEAD_OF] == str(at) or (row[_HEAD_OF].isdigit() and _head(row) > len(rows)):
                message = f"HEAD {row[_HEAD_OF]}: expected the number of another row, or -1"
                raise plain.error(message, "E419", len(heads) + at)
        arcs = Arcs(tuple(map(_head, rows)), tuple([row[_DEPREL] for row in rows]))
        return framed._replace(analyses=tuple([row[_ANALYSIS] for row in rows]), arcs=arcs)

    def write(self, framed: Framed) -> str:
        """Return the block of an instance."""
        comments = dict([comment.partition(" = ")[::2] for comment in framed.comments])
        text = comments.pop(_TEXT, " ".join(framed.tokens))
        pairs = [
            (_BACK.get(key, key.removeprefix(_HEAD)), value) for key, value in comments.items()
        ]
        lines = [f"{_HEAD}{key}:{value}" for key, value in [*pairs, (_TEXT, text)]]
        rows = zip(framed.tokens, framed.targets, framed.labels, strict=True)
        for number, (token, target, label) in enumerate(rows):
            unit, frame = (target.unit, target.frame) if target else (NOTHING, NOTHING)
            syntax = _syntax(framed, number) if self.has_syntax else []
            lines.append("\t".join([str(number), token, *syntax, unit, frame, label]))
        return "".join([line + self._end for line in [*lines, ""]])


def _comment(head: str) -> str:
    """Return the comment of a line above the rows; "" if the line has no key and value."""
    key, colon, value = head.removeprefix(_HEAD).partition(":")
    if not colon or not key or any([char.isspace() for char in key]):
        return ""
    return f"{_KEYS.get(key, _HEAD + key)} = {value}"


def _is_row(row: list[str]) -> bool:
    """Test whether a row of the right number of cells has the number and the label of an eojeol."""
    has_syntax = len(row) == _WITH_SYNTAX
    is_analysed = not has_syntax or "/" in row[_ANALYSIS]
    return row[0].isdigit() and not _label_fault(row[-1]) and is_analysed


def _head(row: list[str]) -> int:
    """Return the head of a row, from 1; 0 for the root, -1 for none."""
    return -1 if row[_HEAD_OF] == NOTHING else int(row[_HEAD_OF]) + 1


def _syntax(framed: Framed, at: int) -> list[str]:
    """Return the cells of version 0.8 of an eojeol; those of the dependencies only if known."""
    analysis = framed.analyses[at]
    tags = "+".join([piece.rpartition("/")[2] for piece in _BETWEEN.split(analysis)])
    head, deprel = NOTHING, NOTHING
    if framed.arcs is not None:
        number, deprel = framed.arcs.heads[at], framed.arcs.deprels[at]
        head = NOTHING if number < 0 else str(number - 1)
    twice = [cell for cell in (tags, NOTHING, head, deprel) for _ in range(2)]
    return [analysis, framed.tokens[at], *twice]


def _syntax_fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row of version 0.8, "" if there is none."""
    names = "15 columns of version 0.8, from the number to the frame element,"
    if fault := cells_fault(cells, names, _WITH_SYNTAX):
        return fault
    if not _HEADS.fullmatch(cells[_HEAD_OF]):
        return f"HEAD {cells[_HEAD_OF]}: expected the number of another row, or -1"
    return _fault([*cells[:2], *cells[-3:]])


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    if len(cells) == _COLUMNS and all(cells):
        return _label_fault(cells[4])
    return cells_fault(cells, "number, eojeol, lexical unit, frame and frame element", _COLUMNS)


def _label_fault(label: str) -> str:
    """Return the fault of the label of a frame element, "" if there is none."""
    name = parts[label][1]
    if not name and label != OUTSIDE:
        return f"{label} is no frame element in BIO (O, B-Theme, I-Theme)"
    if name == _RESERVED:
        return f"{label} is no frame element: the columns before it name the target"
    return ""
