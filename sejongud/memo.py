"""A cache of the results of a pure function, in bounded memory; patterns compiled when used.

Korean text repeats itself: nine of ten eojeols have occurred before. A hit in
`functools.lru_cache` costs a call; a hit in a dictionary that fills itself costs a look-up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr, Generic, TypeVar, TypeVarTuple, cast
from weakref import ref

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# The number of keys in a generation, where a memo does not say its own.
_SIZE = 48_000


class Memo(dict[K, V], Generic[K, V]):
    """A dictionary that calls `function` for a missing key and keeps the result.

    Keys live in two generations of `size` keys each. A full young generation becomes the old
    generation, and the keys of the former old generation are forgotten. A key that is used again
    moves from the old generation to the young one.

    Args:
        function: a pure function; its exceptions are passed on and not cached.
        size: the number of keys in a generation.

    >>> squares = Memo(lambda n: n * n, size=2)
    >>> squares[3], squares[3], len(squares)
    (9, 9, 1)
    """

    __slots__ = ("_function", "_old", "_size")

    @classmethod
    def of(cls, owner: T, function: Callable[[T, K], V], size: int = _SIZE) -> Memo[K, V]:
        """Return the memo of a function of an object that itself holds the memo.

        The object is held weakly. The memory of both is then free as soon as the object is dropped,
        and no collector has to search the results for cycles.

        Args:
            owner: the object; it must live as long as the memo is used.
            function: a pure function of the object and a key, such as a method of its class.
            size: the number of keys in a generation.
        """
        here = ref(owner)
        return cls(lambda key: function(here(), key), size)  # type: ignore[arg-type]

    def __init__(self, function: Callable[[K], V], size: int = _SIZE) -> None:
        super().__init__()
        self._function = function
        self._size = size
        self._old: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        old = self._old
        value = old.pop(key) if old and key in old else self._function(key)
        if len(self) >= self._size:
            # The dictionary stays the same object, so callers may keep a reference to it.
            self._old = dict(self)
            self.clear()
        self[key] = value
        return value


class _Remembered(Generic[K, V]):
    """A method whose results are remembered; its name becomes that of a memo of the object."""

    def __init__(self, function: Callable[[Any, K], V], size: int) -> None:
        self._function, self._size = function, size

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, kind: type | None = None) -> Memo[K, V]:
        memo = Memo.of(owner, self._function, self._size)
        setattr(owner, self._name, memo)
        return memo


def remembered(size: int = _SIZE) -> Callable[[Callable[[Any, K], V]], _Remembered[K, V]]:
    """Return a decorator of a method whose results its object remembers (`Memo.of`).

    Args:
        size: the number of keys in a generation.

    >>> class Numbers:
    ...     @remembered(2)
    ...     def square(self, n: int) -> int:
    ...         return n * n
    >>> Numbers().square[3]
    9
    """
    return lambda function: _Remembered(function, size)


def remembered_by(
    size: int = _SIZE,
) -> Callable[[Callable[[Any, *Ts], V]], _Remembered[tuple[*Ts], V]]:
    """Return such a decorator of a method of several arguments: `self.sum[1, 2]`."""
    return lambda function: _Remembered(lambda owner, key: function(owner, *key), size)


class _Pattern:
    """Stands for a pattern, whose methods it takes when they are first asked for."""

    def __init__(self, *words: Any) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pattern) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self.__dict__[name] = getattr(re.compile(*self.words), name)
        return value


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used; see `re.compile`.

    >>> word = lazy_pattern("[a-z]+")
    >>> word.findall("a bc")
    ['a', 'bc']
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
