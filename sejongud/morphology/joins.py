"""The rows of rules/joins.tsv: morphemes as Kiwi's join has to be given them.

Kiwi conjugates by its tags: 짓/VV+어/EC makes 짓어, and 짓/VV-I+어/EC makes 지어.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import RulesError
from sejongud.morphology.hangul import decompose, is_syllable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.rules import Row, Rules

Pair = tuple[str, str]
"""A form and a tag."""

_PIECE = re.compile(r"(-?)([1-9])(?:/(\S+))?|([^\s/]+)/(\S+)")


class _Piece(NamedTuple):
    """A morpheme that Kiwi is given."""

    row_index: int
    """The morpheme of the row whose form it has, from 0; -1 for a form of its own."""
    form: str
    tag: str
    """The tag of Kiwi; "" for the morpheme's own."""
    skipped: int
    """The number of letters that are left out at the beginning of the morpheme."""


class Join(NamedTuple):
    """A row of the table."""

    patterns: tuple[tuple[str, tuple[str, ...]], ...]
    """For each morpheme the pattern of its form, and those of its tag."""
    follows: str
    pieces: tuple[_Piece, ...]
    """In place of the first morphemes; the others are context."""
    size: int
    """The number of morphemes that are replaced."""


@lru_cache(maxsize=8)
def compile_joins(rules: Rules) -> tuple[Join, ...]:
    """Compile the table `joins`, once for the same tables.

    Raises:
        RulesError: a row cannot be used.
    """
    return tuple([_compiled(row) for row in rules.table("joins")])


def _compiled(row: Row) -> Join:
    forms, tags = row["forms"].split("+"), row["tags"].split("+")
    pieces = [_piece(text, len(forms)) for text in row["joined"].split("+")]
    if len(forms) != len(tags) or None in pieces:
        raise RulesError(
            f"joins: {row['name']}: {row['forms']} has {len(forms)} morphemes and {row['tags']}"
            f" {len(tags)} tags; {row['joined']} should name them as in 1/VV-I+2"
        )
    chosen = [piece for piece in pieces if piece is not None]
    size = len(forms)
    while size > 1 and len(chosen) > 1 and chosen[-1] == _Piece(size - 1, "", "", 0):
        chosen.pop()
        size -= 1
    patterns = tuple(zip(forms, [tuple(tag.split("|")) for tag in tags], strict=True))
    return Join(patterns, row["follows"], tuple(chosen), size)


def _piece(text: str, size: int) -> _Piece | None:
    """Return a piece of the column `joined`; None if it is none of a row with `size` morphemes."""
    match = _PIECE.fullmatch(text)
    if match is None:
        return None
    shortened, number, tag, form, form_tag = match.groups()
    if form:
        return _Piece(-1, form, form_tag, 0)
    return _Piece(int(number) - 1, "", tag or "", len(shortened)) if int(number) <= size else None


def joined(joins: Sequence[Join], morphemes: Sequence[Pair]) -> list[Pair]:
    """Return the morphemes that Kiwi is given for the morphemes of an eojeol.

    Args:
        joins: the compiled table.
        morphemes: form and Sejong tag of each.

    Returns:
        Form and tag of each; the tag is Kiwi's where a row states it.

    >>> from sejongud.rules import load
    >>> joined(compile_joins(load()), [("짓", "VV"), ("어", "EC")])
    [('짓', 'VV-I'), ('어', 'EC')]
    """
    pairs: list[Pair] = []
    index = 0
    while index < len(morphemes):
        ending = _ending(morphemes[index - 1][0]) if index else ""
        join = next((row for row in joins if _fits(row, morphemes[index:], ending)), None)
        if join is None:
            pairs.append(morphemes[index])
            index += 1
            continue
        for piece in join.pieces:
            form, tag = (
                morphemes[index + piece.row_index] if piece.row_index >= 0 else (piece.form, "")
            )
            pairs.append((form[piece.skipped :], piece.tag or tag))
        index += join.size
    return pairs


def _fits(join: Join, morphemes: Sequence[Pair], ending: str) -> bool:
    if len(join.patterns) > len(morphemes) or (join.follows and join.follows != ending):
        return False
    return all(
        fnmatchcase(form, pattern) and any([fnmatchcase(tag, tag_pattern) for tag_pattern in tags])
        for (pattern, tags), (form, tag) in zip(join.patterns, morphemes, strict=False)
    )


def _ending(form: str) -> str:
    """Return what a form ends in, as the column `follows` has it.

    >>> _ending("학교"), _ending("학생"), _ending("PD")
    ('vowel', 'coda', 'other')
    """
    if not is_syllable(form[-1:]):
        return "other"
    return "coda" if decompose(form[-1])[2] else "vowel"
