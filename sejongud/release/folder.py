"""Put a release and its lists into a folder that appears complete or not at all.

Its lists are manifest.json and SHA256SUMS. The manifest names the inputs and the programs of the
release. It is the same whenever, wherever and by whichever Python the release is made. It lists all
files but itself and SHA256SUMS. SHA256SUMS lists the manifest too, in the form that `sha256sum -c`
reads. It is written last: a folder without it is not whole.

    .NAME.lock               locked by the process that builds NAME
    .NAME.<12 hex>.partial   the release while it is built; it does not verify before SHA256SUMS
                             is written
    .NAME.<12 hex>.old       the former release, until the new one has its place
    .NAME.<12 hex>.gone      the former release, while it is removed

A process that ends by SIGKILL leaves some of these behind. The next process that builds NAME gets
the lock, so no other process uses them: it puts back a former release that lost its place, and
removes the rest. Any other signal leaves nothing (`sejongud.process`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import UsageError, require
from sejongud.files import atomic_output
from sejongud.process import lock_file, undisturbed, unfinished
from sejongud.release.splits import ReleaseError
from sejongud.rules import digest
from sejongud.version import __version__, kiwi_versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sejongud.release.recipe import Recipe


_FORMAT = "sejongud release 1"
"""The first value of a manifest, by which a release is known."""

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
RECIPE = "recipe.toml"

_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<path>[^\n\\]+)")
_SAFE = re.compile(r"[0-9A-Za-z_][0-9A-Za-z._+-]*(?:/[0-9A-Za-z_][0-9A-Za-z._+-]*)*")
"""Paths that stay in the folder of a release: plain names, none hidden."""
_LONGEST = 1 << 26
"""Bytes of the largest manifest or SHA256SUMS that is read."""


class Digest(NamedTuple):
    """Size and SHA-256 of a file, under the names that the manifest has for them."""

    bytes: int
    sha256: str


def digest_of(path: Path) -> Digest:
    """Return size and SHA-256 of a file; a link at the end of the path is not followed.

    Raises:
        OSError: the file cannot be read.
    """
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with open(opened, "rb") as stream:  # noqa: PTH123
        sha256 = hashlib.file_digest(stream, "sha256")
        return Digest(stream.tell(), sha256.hexdigest())


def made_with(recipe: Recipe) -> dict[str, str]:
    """Return the versions of everything that the bytes of a release depend on.

    Raises:
        MissingExtraError: the recipe needs pyarrow, which is not installed.
    """
    versions = {"sejongud": __version__, "rules": digest()}
    versions |= dict([line.split(" ", 1) for line in kiwi_versions()])
    if any([out.format == "parquet" for corpus in recipe.corpora for out in corpus.outputs]):
        versions["pyarrow"] = require("pyarrow", "parquet").__version__
    return versions


def inputs_of(recipe: Recipe) -> dict[str, Digest]:
    """Return the digests of the files that a release is made of, by their paths in the recipe.

    Raises:
        OSError: a file cannot be read.
    """
    return {path: digest_of(recipe.resolve(path).resolve()) for path in recipe.files}


def files_below(folder: Path, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Iterate over the files, links and empty folders of a folder, each with its path in it.

    Args:
        folder: the folder; links in it are not followed.
        below: the path in the folder to begin at.
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
        folder: the folder of the release, with all its other files.
        values: the values of the manifest between its format and its files.

    Returns:
        The SHA-256 of SHA256SUMS itself, which stands for the whole release.
    """
    digests = {path: digest_of(folder / path) for path, _ in files_below(folder)}
    listed = {path: digest._asdict() for path, digest in digests.items()}
    manifest = {"format": _FORMAT, **values, "files": listed}
    with atomic_output(folder / MANIFEST) as out:
        out.write(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    digests[MANIFEST] = digest_of(folder / MANIFEST)
    with atomic_output(folder / SUMS) as out:
        out.writelines([f"{digests[path].sha256}  {path}\n" for path in sorted(digests)])
    return digest_of(folder / SUMS).sha256


def read_manifest(folder: Path) -> dict[str, str]:
    """Read the files that the manifest of a release lists.

    Returns:
        Path in the release → SHA-256; nothing where the manifest is damaged.

    Raises:
        ReleaseError: there is no manifest, or it is not that of a release.
    """
    try:
        values = json.loads(_read(folder / MANIFEST))
    except (ValueError, RecursionError) as error:
        raise ReleaseError(f"{MANIFEST} is no JSON: {error}") from None
    if not isinstance(values, dict) or values.get("format") != _FORMAT:
        raise ReleaseError(f'{MANIFEST} is not that of a release: it does not say "{_FORMAT}"')
    files = values.get("files")
    return {
        path: str(value["sha256"])
        for path, value in (files.items() if isinstance(files, dict) else ())
        if isinstance(value, dict) and "sha256" in value
    }


def read_sums(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Read SHA256SUMS.

    Returns:
        Path → SHA-256, and the faults of its lines.

    Raises:
        ReleaseError: there is no such file.
    """
    sums: dict[str, str] = {}
    faults = []
    for number, line in enumerate(_read(folder / SUMS).removesuffix("\n").split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            faults.append(f"line {number} is not a digest, two spaces and a path")
        elif not _SAFE.fullmatch(match["path"]):
            faults.append(f"line {number} names {match['path']!r}, which is no path of a release")
        elif match["path"] in sums:
            faults.append(f"line {number} names {match['path']} a second time")
        else:
            sums[match["path"]] = match["digest"]
    return sums, faults


def _read(path: Path) -> str:
    """Return the text of a file of the release."""
    try:
        if path.is_symlink() or not path.is_file():
            raise ReleaseError(f"there is no file {path.name}")
        if path.stat().st_size > _LONGEST:
            raise ReleaseError(f"{path.name} is too large to be that of a release")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReleaseError(f"{path.name} is not UTF-8 (byte {error.start})") from None


WORK = "work"
"""The folder of temporary files in the release; it is removed before the manifest is written."""

CONTENTS = frozenset(
    {
        WORK, "data", "ids", "licences", "statistics", "CITATION.cff", "LICENSE", "README.md",
        MANIFEST, RECIPE, SUMS,
    }
)  # fmt: skip
"""The names at the top of a release, finished or not."""


_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
"""The names of unfinished files (see `sejongud.files.atomic_output`)."""


def check_target(target: Path, recipe: bytes, *, force: bool) -> None:
    """Check that a release may take the place of an existing folder.

    It may replace an empty folder or an untouched release of the same recipe; with `force` any
    release.

    Args:
        target: the folder of the release.
        recipe: the bytes of the recipe.
        force: whether to replace any release.

    Raises:
        UsageError: it may not.
    """
    if not target.exists() and not target.is_symlink():
        return
    if target.is_symlink() or not target.is_dir():
        raise UsageError(f"{target} is no folder: name another place for the release")
    existing = {path for path, _ in files_below(target)}
    if not existing:
        return
    try:
        listed = read_manifest(target)
    except ReleaseError:
        raise UsageError(
            f"{target} is not empty and is no release: name another place, or move it away"
        ) from None
    if force:
        return
    recipe_file = target / RECIPE
    if not recipe_file.is_file() or recipe_file.read_bytes() != recipe:
        raise UsageError(f"{target} is the release of another recipe: --force replaces it")
    added = existing - {*listed, MANIFEST, SUMS}
    if added:
        raise UsageError(
            f"{target} has files that are no part of the release, as {min(added)}: move them away,"
            " or let --force remove them"
        )


@contextmanager
def building(target: Path, recipe: bytes, *, force: bool) -> Iterator[Path]:
    """Give a folder to build a release in; it becomes `target` when the block ends well.

    Args:
        target: the folder of the release.
        recipe: the bytes of the recipe.
        force: whether to replace any release.

    Raises:
        UsageError: the folder exists and may not be replaced (see `check_target`).
        ReleaseError: another process builds the release.
        OSError: the folder cannot be written.
    """
    target = target.parent.absolute() / target.name
    if not target.name or target.name == "..":
        raise UsageError(f"{target} is no place for a release: name a folder")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent} to put the release in")
    with _lock(target):
        with undisturbed():
            _clean(target)
        check_target(target, recipe, force=force)
        partial = target.with_name(f".{target.name}.{os.urandom(6).hex()}.partial")
        with unfinished(partial):
            partial.mkdir()
            try:
                yield partial
            except OSError as error:
                # The hidden name is none that anybody knows.
                name = os.fsdecode(error.filename or "")
                error.filename = name.replace(os.fspath(partial), os.fspath(target)) or None
                raise
            with undisturbed():
                _put(partial, target)


def _put(partial: Path, target: Path) -> None:
    """Give a finished release its place."""
    old = partial.with_suffix(".old")
    if target.exists():
        target.rename(old)
    _sync(partial)
    try:
        partial.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    _sync(target.parent)
    if old.exists():
        _remove(old)


def _remove(old: Path) -> None:
    """Remove a former release, under a name that keeps it from being put back half removed."""
    gone = old.with_suffix(".gone")
    old.rename(gone)
    shutil.rmtree(gone)


def _clean(target: Path) -> None:
    """Tidy up after killed processes."""
    for old in _left(target, "old"):
        if target.exists():
            _remove(old)
        else:
            old.rename(target)
    for gone in _left(target, "gone"):
        shutil.rmtree(gone)
    for partial in _left(target, "partial"):
        # A folder with anything else in it is not one of ours.
        names = {path.name for path in partial.iterdir() if not _UNFINISHED.fullmatch(path.name)}
        if names <= CONTENTS:
            shutil.rmtree(partial)


def _left(target: Path, ending: str) -> list[Path]:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.{ending}")
    siblings = [path for path in target.parent.iterdir() if name.fullmatch(path.name)]
    return sorted([path for path in siblings if path.is_dir() and not path.is_symlink()])


@contextmanager
def _lock(target: Path) -> Iterator[None]:
    """Lock the release against all other processes, where the file system has locks."""
    path = target.with_name(f".{target.name}.lock")
    with ExitStack() as stack:
        with undisturbed():
            try:
                lock = lock_file(path, os.O_RDWR | os.O_CREAT, wait=False)
            except BlockingIOError:
                raise ReleaseError(f"another process is building {target}; wait for it") from None
            stack.callback(os.close, lock)
            stack.enter_context(unfinished(path))
        yield


def _sync(folder: Path) -> None:
    """Have the system write the entries of a folder to the disk, if it can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
