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
import json
import os
import re
import tomllib
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.arguments import options, options_of
from sejongud.errors import UsageError, similar
from sejongud.files import Source, escape_name, unescape_name
from sejongud.formats import label_format, recognise
from sejongud.formats.finding import find_files
from sejongud.release.recipe import CONVERT, EOJ2MORPH, FRAMES, SYL2MORPH, WORD2MORPH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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
        return _shares(value)
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


def _shares(value: Any) -> tuple[int, ...]:
    shares = _several(value, "share", distinct=False)
    if len(shares) != len(SPLITS) or sum(shares) != 100 or not shares[0]:
        raise Unusable
    return shares


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
        _check_path(value)
    if kind == "encoding":
        _check_encoding(value)
    return value


def _check_path(path: str) -> None:
    """Refuse a path that depends on the machine."""
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).anchor:
        raise Unusable(f"{path} is absolute: write the path relative to the folder of the recipe")
    if "\\" in unescape_name(path):
        raise Unusable(f"{path}: write / between folders")


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        raise Unusable(f"there is no {name}; Korean files are utf-8, cp949 or utf-16") from None


def _shown(value: object) -> str:
    """Return a value as TOML has it, if it is short."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value!r:.60}".replace("'", '"')


# --- sketch ---------------------------------------------------------------------------------------


_PART = re.compile(r"(?<![a-z])(train|dev|test|validation|valid|val)(?![a-z])", re.IGNORECASE)
_PARTS = {"validation": "dev", "valid": "dev", "val": "dev"}
_HEAD, _DEPREL = 6, 7
_OUTPUTS = {
    CONVERT: "{ conllu = [1, 5], jsonl = [5] }",
    WORD2MORPH: "{ words = true, conllu = [1, 5], jsonl = [5] }",
    EOJ2MORPH: "{ conllu = [5], iob = [5], jsonl = [5] }",
    SYL2MORPH: "{ conllu = [5], iob = [5], jsonl = [5] }",
    FRAMES: "{ conllu = [5], jsonl = [5] }",
}
_VALUES = {
    "name": '"my-corpus"',
    "title": '"My corpus"',
    "version": '"0.1"',
    "licence": '"LicenseRef-unknown"',
    "authors": '["unknown"]',
}
"""The values of the keys that a recipe must have, for its author to replace."""
_HEADING = """\
# A recipe: `sejongud release FILE` builds a dataset of it. Paths are relative to the folder of this
# file. Remove the first # of a line to set its key; the meaning of each key stands behind it.
"""


class _File(NamedTuple):
    """A file, and the input that it belongs to."""

    path: str
    format: str
    converter: str
    stem: str
    """Its path without the name of its part."""
    part: str
    """One of `SPLITS`; "" if its name says none."""


def sketch(
    paths: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str] = ".",
    skipped: dict[str, str] | None = None,
) -> str:
    """Return the text of a recipe for some files.

    Args:
        paths: the files, and folders of files.
        folder: the folder that the recipe is going to stand in.
        skipped: gets the files of folders that no release can hold, with the reason.

    Raises:
        UsageError: a file is in no format that a release can hold; or there is no file.
        OSError: a file cannot be read.
    """
    left_out = {} if skipped is None else skipped
    files: dict[str, _File] = {}
    for path in [os.fspath(path) for path in paths]:
        if not Path(path).is_dir():
            files.setdefault(path, _file(path, Path(folder)))
            continue
        for name, why in find_files(path):
            try:
                if why:
                    left_out[name] = why
                else:
                    files.setdefault(name, _file(name, Path(folder)))
            except UsageError as error:
                left_out[name] = str(error)
    if not files:
        raise UsageError("name the files of the release")
    lines = [_HEADING, *_lines(KEYS["recipe"], _VALUES), "", "[split]", *_lines(KEYS["split"], {})]
    names: set[str] = set()
    for converter, group in _inputs(list(files.values())):
        name = _name(group, names)
        names.add(name)
        values = {
            "name": _toml(name),
            **_paths(group),
            "converter": _toml(converter),
            "outputs": _OUTPUTS[converter],
        }
        lines += ["", "[[inputs]]", *_lines(KEYS["input"], values)]
        lines += [_unset(f"options.{key}", row) for key, row in KEYS["options"][converter].items()]
    return "\n".join([*lines, ""])


def _file(path: str, folder: Path) -> _File:
    with Source(path) as source:
        head = source.head()
    detection = recognise(None, head)
    if detection.is_corrections:
        raise UsageError(f"{path} has corrections ({detection.name}), which no release holds")
    converter = CONVERT
    if detection.is_entities:
        converter = EOJ2MORPH if label_format(*detection).unit == "eojeol" else SYL2MORPH
    elif detection.is_frames:
        converter = FRAMES
    elif detection.name == "conllu" and _has_arcs(head):
        converter = WORD2MORPH
    shown = escape_name(Path(os.path.relpath(path, folder)).as_posix())
    name = shown.rpartition("/")[2]
    part = _PART.search(name)
    if part is None:
        # Files of one folder and ending belong together.
        stem = shown.removesuffix(name) + Path(name).suffix
        return _File(shown, detection.name, converter, stem, "")
    part_name = part[1].lower()
    stem = shown.removesuffix(name) + name[: part.start()] + name[part.end() :]
    return _File(shown, detection.name, converter, stem, _PARTS.get(part_name, part_name))


def _has_arcs(head: str) -> bool:
    """Return whether the beginning of a CoNLL-U file has dependencies."""
    rows = [line.split("\t") for line in head.split("\n") if line[:1].isdigit()]
    return any([len(row) > _DEPREL and row[_HEAD].isdigit() for row in rows])


def _inputs(files: Sequence[_File]) -> list[tuple[str, list[_File]]]:
    """Return the files of each input, with its converter."""
    groups: dict[tuple[str, str, str, bool], list[_File]] = {}
    for file in files:
        key = file.converter, file.format, file.stem, bool(file.part)
        groups.setdefault(key, []).append(file)
    return [(group[0].converter, group) for group in groups.values()]


def _paths(group: Sequence[_File]) -> dict[str, str]:
    """Return the key and the value for the paths of an input."""
    if len(group) == 1:
        return {"path": _toml(group[0].path)}
    if not group[0].part:
        return {"paths": _toml([file.path for file in group])}
    parts = {part: [file.path for file in group if file.part == part] for part in SPLITS}
    inner = ", ".join([f"{part} = {_toml(paths)}" for part, paths in parts.items() if paths])
    return {"paths": f"{{ {inner} }}"}


def _name(group: Sequence[_File], taken: set[str]) -> str:
    """Return a name for an input, from the name of its first file."""
    base = _PART.sub("", group[0].path.rpartition("/")[2].partition(".")[0]).lower()
    name = re.sub(r"[^a-z0-9]+", "-", base).strip("-")[:40] or "corpus"
    number = 2
    while (unused := name if name not in taken else f"{name}-{number}") in taken:
        number += 1
    return unused


def _lines(keys: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
    """Return the lines of a table: keys with values, and the others as comments."""
    lines = []
    for name, key in keys.items():
        if name in values:
            lines.append(f"{name} = {values[name]}  # {key['meaning']}")
        elif "table" not in key["type"] and name not in ("path", "paths"):
            lines.append(_unset(name, key))
    return lines


def _unset(name: str, key: Mapping[str, Any]) -> str:
    example = "true" if key["type"] == "flag" else key["example"]
    return f"# {name} = {example}  # {key['meaning']}"


def _toml(value: object) -> str:
    """Return a text or a list of texts in TOML."""
    return json.dumps(value, ensure_ascii=False)
