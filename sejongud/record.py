"""A base of classes that are described by their fields, without the price of `dataclasses`.

The import of `dataclasses` reads half of Python's own tools, and each of its classes compiles six
functions: a seventh of the time in which a small file is converted. What every run needs is a
`Record`; other classes may be dataclasses. Types are checked alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

if TYPE_CHECKING:
    from typing import Self

_REQUIRED = object()


@dataclass_transform()
class Record:
    """A class whose annotations are its arguments, those with a value being optional.

    >>> class Place(Record):
    ...     line: int
    ...     path: str = "-"
    >>> Place(3) == Place(line=3, path="-"), Place(3, "a").but(line=4) == Place(4, "a")
    (True, True)
    """

    defaults: ClassVar[dict[str, Any]] = {}
    """The value of each field, in the order of arguments."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        kinds = vars(cls).get("__annotations__", {}).items()
        own = [name for name, kind in kinds if not kind.startswith("ClassVar")]
        cls.defaults = cls.defaults | {name: vars(cls).get(name, _REQUIRED) for name in own}
        type.__setattr__(cls, "__match_args__", tuple(cls.defaults))

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self.defaults, values, strict=False)) | named
        fields = self.defaults | given
        is_odd = len(given) < len(values) + len(named) or len(fields) > len(self.defaults)
        if is_odd or any([value is _REQUIRED for value in fields.values()]):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.defaults)}, each once")
        self.__dict__ = fields
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the values."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def but(self, **changes: Any) -> Self:
        """Return the record with other values in some fields."""
        return type(self)(**{name: getattr(self, name) for name in self.defaults} | changes)
