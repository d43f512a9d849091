"""CoNLL-U Plus: labels of entities in columns of their own behind the ten of CoNLL-U."""

from __future__ import annotations

from sejongud.errors import FormatError
from sejongud.formats.base import SENT_ID
from sejongud.formats.conllu.rows import COLUMNS
from sejongud.formats.misc import escape_misc, label_key

__all__ = ["NE_COLUMN", "NO_LABEL", "label_columns", "preamble", "without_columns"]

_PLUS = "global.columns = "
NE_COLUMN = "SEJONGUD:"
"""The columns of labels are called so, before their key."""
NO_LABEL = frozenset({"_", "*"})
"""A column of labels holds these where there is none."""


def preamble(layers: int) -> str:
    """Return the line that begins a file with columns of labels.

    Args:
        layers: how many columns of labels there are.
    """
    names = [NE_COLUMN + label_key(layer) for layer in range(layers)]
    return f"# {_PLUS}{' '.join([*COLUMNS, *names])}\n"


def label_columns(text: str, line: int) -> tuple[str, ...]:
    """Return the names of the columns behind the first ten, where a file has any.

    Args:
        text: the first block of the file.
        line: the number of its first line.

    Raises:
        FormatError: it has others than those of labels, or not the usual ten before them.
    """
    first = text.partition("\n")[0].removeprefix("#").lstrip()
    if not first.startswith(_PLUS):
        return ()
    names = tuple(first.removeprefix(_PLUS).split())
    count = len(COLUMNS)
    wanted = tuple([NE_COLUMN + label_key(at) for at in range(len(names) - count)])
    if names[:count] != COLUMNS or names[count:] != wanted:
        raise FormatError(
            f"the columns are {' '.join(names)}; those that can be read are the ten of CoNLL-U and"
            f" behind them {NE_COLUMN}{label_key(0)}, {NE_COLUMN}{label_key(1)} …",
            line=line,
            code="E213",
        )
    return names[count:]


def without_columns(text: str, names: tuple[str, ...], sent_id: str) -> str:
    """Return a block of CoNLL-U Plus as plain CoNLL-U, its labels in MISC.

    Args:
        text: the block.
        names: of its columns of labels.
        sent_id: the line that names the columns becomes this id, so that lines keep their numbers.
    """
    lines = []
    keys = [name.removeprefix(NE_COLUMN) for name in names]
    count = len(COLUMNS)
    for raw in text.split("\n"):
        cells = raw.split("\t")
        if raw[:1] != "#" and len(cells) == count + len(keys):
            values = zip(keys, cells[count:], strict=True)
            items = [f"{k}={escape_misc(label)}" for k, label in values if label not in NO_LABEL]
            misc = [cells[9]] if cells[9] != "_" else []
            raw = "\t".join([*cells[:9], "|".join([*misc, *items]) or "_"])
        lines.append(raw)
    if lines[0].removeprefix("#").lstrip().startswith(_PLUS):
        lines[0] = SENT_ID + sent_id
    return "\n".join(lines)
