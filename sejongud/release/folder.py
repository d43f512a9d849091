"""Put a release into a folder that appears complete or not at all.

    .NAME.lock               locked by the process that builds NAME
    .NAME.<12 hex>.partial   the release while it is built; it does not verify before SHA256SUMS
                             is written
    .NAME.<12 hex>.old       the former release, until the new one has its place
    .NAME.<12 hex>.gone      the former release, while it is removed

A process that ends by SIGKILL leaves some of these behind. The next process that builds NAME gets
the lock, so no other process uses them: it puts back a former release that lost its place, and
removes the rest. Any other signal leaves nothing (`sejongud.process.unfinished`).
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.process.unfinished import lock_file, undisturbed, unfinished
from sejongud.release.manifest import MANIFEST, RECIPE, SUMS, files_below, read_manifest
from sejongud.release.splits import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
        manifest = read_manifest(target)
    except ReleaseError:
        raise UsageError(
            f"{target} is not empty and is no release: name another place, or move it away"
        ) from None
    if force:
        return
    recipe_file = target / RECIPE
    if not recipe_file.is_file() or recipe_file.read_bytes() != recipe:
        raise UsageError(f"{target} is the release of another recipe: --force replaces it")
    added = existing - {*manifest.files, MANIFEST, SUMS}
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
            yield partial
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
