"""Sketch a recipe for some files: a TOML file with every key, explained.

The files decide the converters. Files whose names differ by train, dev and test alone are one input
that is split already; other files of one folder, format and ending are one input together. What a
file cannot say, as the licence and the authors, has a value to be replaced.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import UsageError
from sejongud.files import Source, escape_name
from sejongud.formats import label_format, recognise
from sejongud.formats.finding import find_files
from sejongud.release.keys import KEYS, SPLITS
from sejongud.release.recipe import CONVERT, EOJ2MORPH, FRAMES, SYL2MORPH, WORD2MORPH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    lines = [_HEADING, *_keys(KEYS["recipe"], _VALUES), "", "[split]", *_keys(KEYS["split"], {})]
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
        lines += ["", "[[inputs]]", *_keys(KEYS["input"], values)]
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


def _keys(keys: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
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
