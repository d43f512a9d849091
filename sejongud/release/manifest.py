"""What a release says of itself: manifest.json and SHA256SUMS.

The manifest tells what the release was made of and with; nothing in it depends on when, where or
by which Python it was made. It lists every file but itself and SHA256SUMS, which lists it too, in
the form that `sha256sum -c` reads. SHA256SUMS is written last: a folder without it is not whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from importlib.resources import files as resources
from typing import TYPE_CHECKING, Any, NamedTuple

import sejongud
from sejongud.files import atomic_output
from sejongud.morphology.kiwi import versions as kiwi_versions
from sejongud.release.parquet import require
from sejongud.release.splits import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sejongud.release.recipe import Recipe

__all__ = [
    "FORMAT",
    "MANIFEST",
    "RECIPE",
    "SUMS",
    "Digest",
    "digest_of",
    "files_below",
    "inputs_of",
    "is_safe",
    "made_with",
    "read_manifest",
    "read_sums",
    "write_manifest",
]

FORMAT = "sejongud release 1"
"""The first value of a manifest, by which a release is known."""

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
RECIPE = "recipe.toml"

_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<path>[^\n\\]+)")
_SAFE = re.compile(r"[0-9A-Za-z_][0-9A-Za-z._+-]*(?:/[0-9A-Za-z_][0-9A-Za-z._+-]*)*")
_SHORT = 12
_LONGEST = 1 << 26
"""Bytes of a manifest or of SHA256SUMS beyond which it is something else."""


class Digest(NamedTuple):
    """The bytes of a file, in short."""

    size: int
    sha256: str


def digest_of(path: Path) -> Digest:
    """Size and SHA-256 of a file; a link at its end is not followed.

    Raises:
        OSError: it cannot be read.
    """
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with open(opened, "rb") as stream:  # noqa: PTH123
        found = hashlib.file_digest(stream, "sha256")
        return Digest(stream.tell(), found.hexdigest())


def is_safe(path: str) -> bool:
    """Whether a path of a release stays in its folder: plain names, none hidden.

    >>> is_safe("data/gsd/train.conllu"), is_safe("../a"), is_safe("/etc/passwd"), is_safe(".a")
    (True, False, False, False)
    """
    return _SAFE.fullmatch(path) is not None


def made_with(recipe: Recipe) -> dict[str, str]:
    """The versions of all that the bytes of a release depend on.

    Args:
        recipe: what is made.

    Raises:
        MissingExtraError: pyarrow is not installed, and needed.
    """
    found = {"sejongud": sejongud.__version__, "rules": _rules_digest()}
    found |= dict([line.split(" ", 1) for line in kiwi_versions()])
    if recipe.has_parquet:
        found["pyarrow"] = require()
    return found


def _rules_digest() -> str:
    """The digest of the built-in tables, as `sejongud --versions` prints it."""
    tables = sorted(
        [t for t in resources("sejongud.rules").iterdir() if t.name.endswith((".tsv", ".toml"))],
        key=lambda table: table.name,
    )
    return hashlib.sha256(b"".join([t.read_bytes() for t in tables])).hexdigest()[:_SHORT]


def inputs_of(recipe: Recipe) -> dict[str, Digest]:
    """The files that a release is made of, by their paths in the recipe.

    Raises:
        OSError: one cannot be read.
    """
    return {path: digest_of(recipe.resolve(path).resolve()) for path in recipe.files}


def files_below(folder: Path, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything in a folder, with its path in it: files, links, empty folders; links unfollowed.

    Args:
        folder: where.
        below: the path of what is listed now.
    """
    with os.scandir(folder / below) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False):
            inside = list(files_below(folder, path))
            yield from inside or [(path, entry)]
        else:
            yield path, entry


def write_manifest(folder: Path, values: Mapping[str, Any]) -> str:
    """Write manifest.json, and SHA256SUMS as the last file of a release.

    Args:
        folder: of the release, with all its other files.
        values: what the manifest says beside its format and its files, in order.

    Returns:
        The SHA-256 of SHA256SUMS itself, which stands for all of the release.
    """
    found = {path: digest_of(folder / path) for path, _ in files_below(folder)}
    listed = {path: {"bytes": one.size, "sha256": one.sha256} for path, one in found.items()}
    manifest = {"format": FORMAT, **values, "files": listed}
    with atomic_output(folder / MANIFEST) as out:
        out.write(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    found[MANIFEST] = digest_of(folder / MANIFEST)
    with atomic_output(folder / SUMS) as out:
        out.writelines([f"{found[path].sha256}  {path}\n" for path in sorted(found)])
    return digest_of(folder / SUMS).sha256


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a release.

    Args:
        folder: of the release.

    Raises:
        ReleaseError: there is none, or it is not one of ours.
    """
    try:
        found = json.loads(_read(folder / MANIFEST))
    except (ValueError, RecursionError) as error:
        raise ReleaseError(f"{MANIFEST} is no JSON: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ReleaseError(f'{MANIFEST} is not that of a release: it does not say "{FORMAT}"')
    return found


def read_sums(folder: Path) -> tuple[dict[str, str], list[str]]:
    """What SHA256SUMS says: path → digest, and what is wrong with its lines.

    Args:
        folder: of the release.

    Raises:
        ReleaseError: there is none.
    """
    sums: dict[str, str] = {}
    faults = []
    text = _read(folder / SUMS)
    for number, line in enumerate(text.split("\n"), 1):
        match = _LINE.fullmatch(line)
        if not line and number == text.count("\n") + 1:
            continue
        if match is None:
            faults.append(f"line {number} is not a digest, two spaces and a path")
        elif not is_safe(match["path"]):
            faults.append(f"line {number} names {match['path']!r}, which is no path of a release")
        elif match["path"] in sums:
            faults.append(f"line {number} names {match['path']} a second time")
        else:
            sums[match["path"]] = match["digest"]
    return sums, faults


def _read(path: Path) -> str:
    """The text of a file of ours."""
    try:
        if path.is_symlink() or not path.is_file():
            raise ReleaseError(f"there is no file {path.name}")
        if path.stat().st_size > _LONGEST:
            raise ReleaseError(f"{path.name} is too large to be that of a release")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReleaseError(f"{path.name} is not UTF-8 (byte {error.start})") from None
