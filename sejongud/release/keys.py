"""Check the tables of a recipe against the table of its keys, `keys.toml`.

Every fault is put into a list, so that the author of a recipe sees all of them at once. A message
names the recipe and the key, and quotes the example and the meaning of the key:

>>> faults = []
>>> table = RecipeTable("r.toml", "split", {"seed": "x"}, KEYS["split"], faults)
>>> faults
['r.toml: split.seed: "x" will not do: write seed = 42 (a number from 0 to 4294967295)']
"""

from __future__ import annotations

import codecs
import re
import tomllib
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from sejongud.arguments import options, options_of
from sejongud.errors import UsageError, similar
from sejongud.files import unescape_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KEYS = tomllib.loads(Path(__file__).with_name("keys.toml").read_text(encoding="utf-8"))
"""Kind of table → key → type, default, example and meaning; `types` → type → its values."""


def _as_key(command: str, name: str) -> tuple[str, dict[str, Any]]:
    """Return the key of a recipe that is an option of a command: its name, and as in `KEYS`."""
    option, _ = options_of(command).get(name, (options()[name], ""))
    key: dict[str, Any] = {"type": "text", "default": "", "example": '"…"', "meaning": option.help}
    if not option.value and option.choices:
        # A recipe leaves out the option instead of "none" where that is usual.
        usual = option.default if option.default not in ("none", "") else ""
        usual = "" if usual[:1] == "(" else usual
        named = [value for value in option.values() if value != "none" or option.default != "none"]
        key |= {"type": named, "default": usual, "example": f'"{named[-1]}"'}
    elif not option.value:
        key |= {"type": "flag", "default": False, "example": "true or false"}
    older = [old.lstrip("-") for old in option.was.split() if "=" not in old]
    return option.keyword, key | ({"alias": older[0]} if older else {})


for _command, _keys in KEYS["options"].items():
    _same = dict([_as_key(_command, name) for name in _keys.pop("same")])
    KEYS["options"][_command] = _same | _keys

SPLITS = ("train", "dev", "test")
"""The parts that a corpus is split into, in this order everywhere."""

_TYPES = KEYS["types"]
_CLASSES = {"bool": bool, "dict": dict, "int": int}
_LONGEST = 64
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?")
"""Names that no folder can have on Windows."""


class RecipeError(UsageError):
    """A recipe that cannot be followed."""


class Unusable(Exception):  # noqa: N818
    """A value that a check refuses; without a message the example of its key says enough."""


class RecipeTable:
    """A table of a recipe, checked.

    Args:
        recipe: the name of the recipe, for messages.
        place: the key of the table; "" for the recipe itself.
        given: the values that the recipe has.
        keys: the keys that the table may have, as in `KEYS`.
        faults: takes a message about each key that is unknown or missing, or whose value cannot be
            used. The table has the default of such a key, or None.
    """

    def __init__(
        self,
        recipe: str,
        place: str,
        values: Mapping[str, Any],
        keys: Mapping[str, Any],
        faults: list[str],
    ) -> None:
        self._recipe = recipe
        self._place = place
        self._faults = faults
        self.entries = self._named(values, keys)
        """The values that the recipe has, by the names of `keys`."""
        self.wrong: set[str] = set()
        """The keys whose values cannot be used."""
        self.values = {name: self._value(name, key) for name, key in keys.items()}
        """All values, defaults included."""

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def __contains__(self, key: str) -> bool:
        """Return whether the recipe has the key."""
        return key in self.entries

    def fault(self, key: str, message: str) -> None:
        """Add a fault of a key."""
        self._faults.append(f"{self._recipe}: {self._inside(key)}: {message}")

    def inner(self, key: str, keys: Mapping[str, Any]) -> RecipeTable:
        """Return a table in this one; an empty one if the recipe does not have it."""
        return RecipeTable(self._recipe, self._inside(key), self[key], keys, self._faults)

    def _inside(self, key: str) -> str:
        return ".".join(filter(None, [self._place, key]))

    def _named(self, values: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by the usual names of their keys; unknown keys are faults."""
        names = {key["alias"]: name for name, key in keys.items() if "alias" in key}
        by_name: dict[str, Any] = {}
        for key, value in values.items():
            name = names.get(key, key)
            if name not in keys:
                self.fault(key, f"there is no such key{similar(key, keys)}")
            elif name in by_name:
                self.fault(key, "the recipe says it by another key as well: write one of the two")
            else:
                by_name[name] = value
        return by_name

    def _value(self, name: str, key: Mapping[str, Any]) -> Any:
        wanted = f"write {name} = {key['example']} ({key['meaning']})"
        if name in self.entries:
            value = self.entries[name]
            try:
                return _checked(value, key["type"])
            except Unusable as unusable:
                message = str(unusable) or f"{_shown(value)} will not do: {wanted}"
                self.fault(name, message)
                self.wrong.add(name)
        elif "default" not in key:
            self.fault(name, f"is missing: {wanted}")
            self.wrong.add(name)
        usual = key.get("default")
        return tuple(usual) if isinstance(usual, list) else usual


def _checked(value: Any, kind: str | list[str]) -> Any:
    """Return a value as the program uses it.

    Raises:
        Unusable: the value is not of this kind.
    """
    if isinstance(kind, list):
        return one_of(kind, value)
    manner, _, item = kind.partition(" of ")
    if item:
        return _several(value, item, distinct=manner == "set")
    if kind == "shares":
        shares = _several(value, "share", distinct=False)
        if len(shares) != len(SPLITS) or sum(shares) != 100 or not shares[0]:
            raise Unusable
        return shares
    if kind == "files":
        return _files(value)
    if "is" not in _TYPES.get(kind, {}):
        return _text(value, kind)
    wanted = _TYPES[kind]
    if type(value) is not _CLASSES[wanted["is"]]:
        raise Unusable
    if "least" in wanted and not wanted["least"] <= value <= wanted["most"]:
        raise Unusable
    return value


def one_of(words: Iterable[str], value: Any) -> str:
    """Return a text if it is one of some words."""
    text = _text(value, "text")
    if text not in words:
        choices = f"{similar(text, words)}; there are: {', '.join(words)}"
        raise Unusable(f"there is no {_shown(text)}{choices}")
    return text


def _several(value: Any, kind: str, *, distinct: bool) -> tuple[Any, ...]:
    if type(value) is not list or not value:
        raise Unusable
    most = _TYPES.get(kind, {}).get("several", len(value))
    if len(value) > most:
        raise Unusable(f"the list has {len(value):,} values: write at most {most}")
    items = tuple([_checked(item, kind) for item in value])
    seen: set[Any] = set()
    for item in items if distinct else ():
        if item in seen:
            raise Unusable(f"{_shown(item)} is in the list twice")
        seen.add(item)
    return items


def _files(value: Any) -> tuple[str, ...] | dict[str, tuple[str, ...]]:
    """Return the paths of files, or part → paths of its files."""
    if type(value) is not dict:
        return _several(value, "path", distinct=True)
    if not value or not set(value) <= set(SPLITS):
        raise Unusable
    # A path, or a list of them.
    listed = {part: value[part] for part in SPLITS if part in value}
    by_part = {
        part: _several(paths if type(paths) is list else [paths], "path", distinct=True)
        for part, paths in listed.items()
    }
    _several([path for paths in by_part.values() for path in paths], "path", distinct=True)
    return by_part


def _text(value: Any, kind: str) -> str:
    if type(value) is not str:
        raise Unusable
    if kind == "paragraphs":
        lines = value.split("\n")
        if not all([line.isprintable() for line in lines]):
            raise Unusable("there are control characters or tabs in it")
        return "\n".join([line.rstrip() for line in lines]).strip("\n")
    if not value.strip() or not value.isprintable():
        raise Unusable("write a text of one line, without control characters")
    pattern = _TYPES.get(kind, {}).get("pattern")
    if pattern and (not re.fullmatch(pattern, value) or len(value) > _LONGEST):
        raise Unusable
    if kind == "name" and _DEVICE.fullmatch(value):
        raise Unusable(f"no folder can be called {value} on every system")
    if kind == "path":
        # A path must not depend on the machine.
        if PurePosixPath(value).is_absolute() or PureWindowsPath(value).anchor:
            raise Unusable(
                f"{value} is absolute: write the path relative to the folder of the recipe"
            )
        if "\\" in unescape_name(value):
            raise Unusable(f"{value}: write / between folders")
    if kind == "encoding":
        try:
            codecs.lookup(value)
        except LookupError:
            message = f"there is no {value}; Korean files are utf-8, cp949 or utf-16"
            raise Unusable(message) from None
    return value


def _shown(value: object) -> str:
    """Return a value as TOML has it, if it is short."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value!r:.60}".replace("'", '"')
