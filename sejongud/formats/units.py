"""The unit of the tokens of an entity corpus, where it is none of those that are converted.

Labels are read of eojeols or of characters. Tokens may be morphemes or word pieces as well, or
characters of a text without its spaces; taken for eojeols, each would be analysed by itself.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sejongud.errors import FormatError

if TYPE_CHECKING:
    from sejongud.formats.labelled import LabelFormat
    from sejongud.rules import Rules

_SENTENCES = 200
"""The number of sentences that decide."""
_FEW = 10
"""One of so many eojeols at most looks like a piece of one."""
_CHARACTERS = 5
"""So many tokens of one character are no accident."""
_CONTINUED = "##"
_BEGINNING = "▁"
_BOUND = ("particle", "ending")


def other_unit(layout: LabelFormat, head: str, rules: Rules) -> str:
    """Return the unit of the tokens of a corpus, with an example; "" if they look like eojeols.

    Args:
        layout: the format, whose labels are of eojeols; it is not used any more.
        head: the beginning of the file.
        rules: the tables.

    >>> from sejongud.formats import label_format
    >>> from sejongud.rules import load
    >>> other_unit(label_format("columns", "space"), "서울 B-LC\\n##에 O\\n\\n", load())
    'word pieces, such as ##에'
    """
    tokens: list[str] = []
    rows: list[list[str]] = []
    whole = head[: head.rfind("\n") + 1] or head
    for block in islice(layout.blocks([whole]), _SENTENCES):
        try:
            tokens += layout.read(block).tokens
        except FormatError:
            # The reading of the whole file reports it.
            continue
        if layout.token_cell is not None:
            lines = [line.split() for line in block.text.split("\n")]
            rows += [cells for cells in lines if len(cells) > 1 and cells[0][:1] != "#"]
    return _pieces(tokens) or _characters(tokens) or _morphemes(tokens, rows, rules)


def _pieces(tokens: list[str]) -> str:
    """Return the word pieces that the tokens are, with an example; "" for other tokens."""
    for mark in (_CONTINUED, _BEGINNING):
        pieces = [token for token in tokens if token.startswith(mark) and len(token) > len(mark)]
        if len(pieces) * _FEW > len(tokens):
            return f"word pieces, such as {pieces[0]}"
    return ""


def _characters(tokens: list[str]) -> str:
    """Return a text that calls the tokens characters; "" for other tokens."""
    alone = [token for token in tokens if len(token) == 1]
    if len(tokens) >= _CHARACTERS and (len(tokens) - len(alone)) * _FEW <= len(tokens):
        return "characters without the spaces between eojeols"
    return ""


def _morphemes(tokens: list[str], rows: list[list[str]], rules: Rules) -> str:
    """Return the morphemes that the tokens are, with an example; "" for other tokens."""
    bound = {row["form"] for row in rules.table("ne-pieces")}
    bound_tokens = [token for token in tokens if token in bound]
    if len(bound_tokens) > 1 and len(bound_tokens) * _FEW > len(tokens):
        return f"morphemes, such as {bound_tokens[0]}"
    for column in zip(*[row[1:-1] for row in rows], strict=False):
        kinds = [rules.kind(cell) for cell in column]
        some = [row for row, kind in zip(rows, kinds, strict=True) if kind in _BOUND]
        if 2 * len([kind for kind in kinds if kind]) > len(rows) < _FEW * len(some):
            return f"morphemes with their tags, such as {' '.join(some[0])}"
    return ""
