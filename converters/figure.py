"""The six columns of the memoir's Fig. 3.14, made of CoNLL-U Plus with frames, and back.

    index    word    lexeme    target         frame              annotation
    22-24    통치한   _         _              _                  _
    22       통치     통치       통치하다.v       Being_in_control    B-FrameTarget

XPOS and MISC, without which the eojeols and their morphemes would not come back, ride in comments:

    figure:xpos = NNG XSV ETM …            of all words
    figure:misc = {"22": "FE=B-Theme"}     by the ID, of the lines that have one
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.formats.conllu.frames import COLUMNS as FRAME_COLUMNS
from sejongud.formats.conllu.plus import PLUS, instance_columns
from sejongud.formats.conllu.rows import COLUMNS, MISC, XPOS
from sejongud.formats.labelled import from_json, rider
from sejongud.model import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_WIDTH = 3
"""The first columns: index, word, lexeme."""
_XPOS, _MISC = "figure:xpos", "figure:misc"


def figure_preamble(instances: int) -> str:
    """Return the line that begins a file.

    Args:
        instances: the greatest number of instances in a sentence.
    """
    names = [*COLUMNS[:_WIDTH], *instance_columns(FRAME_COLUMNS, instances)]
    return f"# {PLUS}{' '.join(names)}\n"


def is_figure(head: str) -> bool:
    """Test whether a file that begins so has the six columns.

    >>> is_figure(figure_preamble(1))
    True
    """
    wanted = " ".join([*COLUMNS[:_WIDTH], FRAME_COLUMNS[0]])
    return head.removeprefix("#").lstrip().startswith(PLUS + wanted)


def figure_block(text: str) -> str:
    """Return the lines of a sentence in the six columns.

    Args:
        text: its lines in CoNLL-U Plus.
    """
    lines = text.split("\n")
    comments = [line for line in lines if line.startswith("#")]
    rows = [line.split("\t") for line in lines[len(comments) :] if line]
    xpos = [row[XPOS] for row in rows if row[0].isdigit()]
    misc = {row[0]: row[MISC] for row in rows if row[MISC] != NOTHING}
    comments.append(f"# {_XPOS} = {' '.join(xpos)}")
    if misc:
        comments.append(f"# {rider(_MISC, misc)}")
    figure_rows = ["\t".join([*row[:_WIDTH], *row[len(COLUMNS) :]]) for row in rows]
    return "\n".join([*comments, *figure_rows, "", ""])


def full_text(chunks: Iterable[str]) -> Iterator[str]:
    """Yield the text of a file in CoNLL-U Plus, line by line: the inverse of `figure_block`.

    Args:
        chunks: the text of a file with the six columns, each chunk ending at a line's end.
    """
    xpos: Sequence[str] = ()
    misc: dict[str, str] = {}
    word = 0
    for chunk in chunks:
        for line in _lines(chunk):
            key, _, value = line.rstrip("\n").removeprefix("# ").partition(" = ")
            if not line.strip():
                xpos, misc, word = (), {}, 0
            elif key == PLUS.partition(" ")[0]:
                line = f"# {PLUS}{' '.join([*COLUMNS, *value.split()[_WIDTH:]])}\n"
            elif line.startswith("#"):
                if key == _XPOS:
                    xpos = value.split()
                elif key == _MISC and isinstance(record := from_json(value), dict):
                    misc = record
            else:
                cells = line.rstrip("\n").split("\t")
                empty = [NOTHING] * (len(COLUMNS) - _WIDTH)
                if cells[0].isdigit():
                    empty[XPOS - _WIDTH] = xpos[word] if word < len(xpos) else NOTHING
                    word += 1
                empty[MISC - _WIDTH] = str(misc.get(cells[0], NOTHING))
                line = "\t".join([*cells[:_WIDTH], *empty, *cells[_WIDTH:]]) + "\n"
            yield line


def _lines(chunk: str) -> list[str]:
    return [f"{line}\n" for line in chunk.removesuffix("\n").split("\n")]
