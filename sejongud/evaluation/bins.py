"""Classes of numbers, such as the lengths of sentences, for scores by class."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTHS = (1, 10, 20, 30, 40, 60)
"""The smallest length in words of each class of sentences."""


def names_of(bins: Sequence[int]) -> list[str]:
    """Return the names of classes of numbers: `3-5`, or `10+` for the last.

    Args:
        bins: the smallest number of each class, in order.

    >>> names_of((0, 1, 2, 3, 6, 10))
    ['0', '1', '2', '3-5', '6-9', '10+']
    """
    names = [f"{a}-{b - 1}" if b - a > 1 else str(a) for a, b in pairwise(bins)]
    return [*names, f"{bins[-1]}+"]


def class_of(number: int, bins: Sequence[int]) -> str:
    """Return the name of the class of a number.

    Args:
        number: from the smallest of the first class on.
        bins: the smallest number of each class, in order.

    >>> class_of(9, LENGTHS), class_of(10, LENGTHS), class_of(90, LENGTHS)
    ('1-9', '10-19', '60+')
    """
    return names_of(bins)[bisect_right(bins, number) - 1]
