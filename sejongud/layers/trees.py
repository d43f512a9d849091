"""Dependency trees: how deep each word stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["depths"]


def depths(heads: Sequence[int]) -> list[int | None]:
    """Return how many arcs each word is below its root; None if no root is above it.

    Args:
        heads: the head of each word, from 1; 0 for a root; any other number for no head.

    >>> depths([2, 0, 2, 3, 5])
    [1, 0, 1, 2, None]
    """
    found: dict[int, int | None] = {-1: None, 0: -1}
    for at in range(1, len(heads) + 1):
        path = []
        while at not in found:
            found[at] = None  # A cycle comes back to a word whose depth is not yet known.
            path.append(at)
            at = heads[at - 1] if 0 <= heads[at - 1] <= len(heads) else -1
        depth = found[at]
        for below in reversed(path):
            depth = None if depth is None else depth + 1
            found[below] = depth
    return [found[at] for at in range(1, len(heads) + 1)]
