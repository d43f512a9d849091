"""Named tuples and patterns, which a start makes by the dozen, made in full when they are used.

A class of Python's own `NamedTuple` compiles the type of each field and a constructor, which takes
half a millisecond, and so does a pattern of `re`. A run uses few of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter, namedtuple

    class _Fields(type):
        """Makes the fields of a class of named tuples; the first tuple compiles its constructor."""

        def __new__(cls, name, bases, space):
            if any([base.__class__ is _Fields and base.__base__ is tuple for base in bases]):
                fields = space["_fields"] = space["__match_args__"] = tuple(
                    space["__annotations__"]
                )
                space["_field_defaults"] = {key: space[key] for key in fields if key in space}
                space |= {"__slots__": ()} | {
                    key: _tuplegetter(index, None) for index, key in enumerate(fields)
                }
            return super().__new__(cls, name, bases, space)

        @property
        def __signature__(cls):
            from inspect import signature
            from types import MethodType

            return signature(MethodType(cls._compiled(), cls))

        def _compiled(cls):
            """Return the constructor, which Python's own class of these fields has."""
            own = next(base for base in cls.__mro__ if "_fields" in vars(base))
            own.__new__ = namedtuple(
                own.__name__, own._fields, defaults=own._field_defaults.values()
            ).__new__
            own.__new__.__annotations__ = own.__annotations__
            return own.__new__

    class NamedTuple(tuple, metaclass=_Fields):
        """Stands for `typing.NamedTuple`, with the same names."""

        __slots__ = ()

        def __new__(cls, *values, **named):
            """Return a tuple of the values."""
            return cls._compiled()(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **named):
            made = tuple.__new__(type(self), map(named.pop, self._fields, self))
            if named:
                raise ValueError(f"unexpected field names: {list(named)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = [f"{name}={value!r}" for name, value in self._asdict().items()]
            return f"{type(self).__name__}({', '.join(fields)})"

        def __getnewargs__(self):
            return tuple(self)


class _Pattern:
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
