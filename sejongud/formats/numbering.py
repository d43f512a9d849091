"""The numbers of the rows of a sentence, which begin anew where a blank line was lost."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.formats.base import to_number
from sejongud.formats.labelled import LineNote

if TYPE_CHECKING:
    from collections.abc import Iterable


def restarts(numbers: Iterable[str], line: int) -> tuple[LineNote, ...]:
    """Return the incidents of numbers of rows that begin anew inside a sentence.

    Args:
        numbers: of the rows; rows of one eojeol have the same number.
        line: of the first row.

    >>> [note.line for note in restarts(["1", "2", "1", "2"], 5)]
    [7]
    """
    notes = []
    for offset, (before, number) in enumerate(pairwise(map(to_number, numbers)), 1):
        if before is not None and number is not None and number < before:
            message = (
                f"the rows are numbered anew: {number} follows {before}; is the blank line between"
                " two sentences missing?"
            )
            notes.append(LineNote(line + offset, "W434", message))
    return tuple(notes)
