"""Labels of morphemes to labels of their eojeols: the inverse of `eoj2morph` (memoir, 3.2.2.1).

    프랑스/NNP  B-LOC     의/JKG  O     →   프랑스의  B-LOC

An eojeol takes the label of its first morpheme that is in an entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.labels import OUTSIDE
from sejongud.memo import Memo

if TYPE_CHECKING:
    from sejongud.model import Labels

__all__ = ["eojeol_labels", "overridden"]


def _first(labels: tuple[str, ...]) -> str:
    return next((label for label in labels if label != OUTSIDE), OUTSIDE)


_labels: Memo[tuple[str, ...], str] = Memo(_first, size=20_000)
"""The label of an eojeol by those of its morphemes."""


def eojeol_labels(labels: Labels) -> tuple[str, ...]:
    """The labels of the eojeols of a sentence.

    Args:
        labels: a layer of labels of morphemes.

    >>> eojeol_labels((("B-LOC", "O"), (), ("O", "B-PER")))
    ('B-LOC', 'O', 'B-PER')
    """
    return tuple([_labels[own] for own in labels])


def overridden(labels: Labels) -> int:
    """How many entities begin in an eojeol that already has the label of another.

    >>> overridden((("B-PER", "O", "B-LOC"),))
    1
    """
    return sum([_beginnings[own] for own in labels if own])


def _further(labels: tuple[str, ...]) -> int:
    """How many entities begin behind the first morpheme of an eojeol that is in one."""
    inside = [label for label in labels if label != OUTSIDE]
    return sum([label.startswith("B-") for label in inside[1:]])


_beginnings: Memo[tuple[str, ...], int] = Memo(_further, size=20_000)
