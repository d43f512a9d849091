"""A cache of the results of a pure function, in bounded memory.

Korean text repeats itself: nine eojeols of ten have been seen before. A hit in
`functools.lru_cache` costs a call; a hit in a dictionary that fills itself costs a look-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Memo"]

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V], Generic[K, V]):
    """Call `function` for a missing key and keep the result; at most twice `size` keys stay.

    Keys live in two generations. When the young one is full it becomes the old one, whose unused
    keys are then forgotten; a key that is used again moves back to the young one.

    Args:
        function: pure; an exception it raises is passed on and not remembered.
        size: the number of keys of a generation.

    >>> squares = Memo(lambda n: n * n, size=2)
    >>> squares[3], squares[3], len(squares)
    (9, 9, 1)
    """

    __slots__ = ("_function", "_old", "_size")

    def __init__(self, function: Callable[[K], V], size: int) -> None:
        super().__init__()
        self._function = function
        self._size = size
        self._old: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        old = self._old
        value = old.pop(key) if old and key in old else self._function(key)
        if len(self) >= self._size:
            # The dictionary itself stays the same object, so callers may hold on to it.
            self._old = dict(self)
            self.clear()
        self[key] = value
        return value
