"""Labels of morphemes to labels of their eojeols: the inverse of `eoj2morph` (memoir, 3.2.2.1).

    프랑스/NNP  B-LOC     의/JKG  O     →   프랑스의  B-LOC

An eojeol takes the label of its first morpheme that is in an entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.labels import OUTSIDE

if TYPE_CHECKING:
    from sejongud.model import Labels

__all__ = ["eojeol_labels", "overridden"]


def eojeol_labels(labels: Labels) -> tuple[str, ...]:
    """The labels of the eojeols of a sentence.

    Args:
        labels: a layer of labels of morphemes.

    >>> eojeol_labels((("B-LOC", "O"), (), ("O", "B-PER")))
    ('B-LOC', 'O', 'B-PER')
    """
    return tuple(
        [
            next((label for label in own if label != OUTSIDE), OUTSIDE) if own else OUTSIDE
            for own in labels
        ]
    )


def overridden(labels: Labels) -> int:
    """How many entities begin in an eojeol that already has the label of another.

    >>> overridden((("B-PER", "O", "B-LOC"),))
    1
    """
    count = 0
    for own in labels:
        inside = [label for label in own if label != OUTSIDE]
        count += sum(label.startswith("B-") for label in inside[1:])
    return count
