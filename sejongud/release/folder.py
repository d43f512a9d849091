"""A folder that appears whole or not at all, under the name that it is to have.

    .NAME.lock               held by whoever builds NAME; the system lets go of it with the process
    .NAME.<12 hex>.partial   what is being built; nothing in it verifies before SHA256SUMS is there
    .NAME.<12 hex>.old       the release that was there before, from the moment it makes way until
                             the new one stands in its place
    .NAME.<12 hex>.gone      the same while it is removed

A process that is killed leaves some of these behind; the next one that builds NAME finds the lock
free, so nobody is at work on them, puts a release back that had made way, and removes the others.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.release.manifest import MANIFEST, RECIPE, SUMS, files_below, read_manifest
from sejongud.release.splits import ReleaseError

try:
    import fcntl
except ImportError:
    # Without them, as on Windows, nobody is kept from building one release twice at a time.
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["CONTENTS", "WORK", "building", "check_target"]

WORK = "work"
"""Where a build keeps what is no part of the release, inside the folder; it is removed before the
manifest is written."""

CONTENTS = frozenset(
    {
        WORK, "data", "ids", "licences", "statistics", "CITATION.cff", "LICENSE", "README.md",
        MANIFEST, RECIPE, SUMS,
    }
)  # fmt: skip
"""All that can stand at the top of a release, finished or not."""


_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
"""A file that was being written (see `sejongud.files.atomic_output`)."""


def check_target(target: Path, recipe: bytes, *, force: bool) -> None:
    """See that what stands where a release is to stand may be replaced.

    Nothing may, or an empty folder, or an untouched release of the very same recipe; with `force`
    any release of ours.

    Args:
        target: where.
        recipe: the bytes of the recipe.
        force: whether the user wants what is there to be replaced.

    Raises:
        UsageError: it may not.
    """
    if not target.exists() and not target.is_symlink():
        return
    if target.is_symlink() or not target.is_dir():
        raise UsageError(f"{target} is no folder: name another place for the release")
    found = {path for path, _ in files_below(target)}
    if not found:
        return
    try:
        manifest = read_manifest(target)
    except ReleaseError:
        raise UsageError(
            f"{target} is not empty and is no release: name another place, or move it away"
        ) from None
    if force:
        return
    own = target / RECIPE
    if not own.is_file() or own.read_bytes() != recipe:
        raise UsageError(f"{target} is the release of another recipe: --force replaces it")
    added = found - {*manifest.files, MANIFEST, SUMS}
    if added:
        raise UsageError(
            f"{target} has files that are no part of the release, as {min(added)}: move them away,"
            " or let --force remove them"
        )


@contextmanager
def building(target: Path, recipe: bytes, *, force: bool) -> Iterator[Path]:
    """A folder to build a release in, which takes its place when the block ends well.

    Args:
        target: where the release is to stand.
        recipe: the bytes of the recipe.
        force: whether the user wants any release that is there to be replaced.

    Raises:
        UsageError: what is there may not be replaced (see `check_target`).
        ReleaseError: another process builds it.
        OSError: the folder cannot be written.
    """
    target = target.parent.absolute() / target.name
    if not target.name or target.name == "..":
        raise UsageError(f"{target} is no place for a release: name a folder")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent} to put the release in")
    with _lock(target):
        _clean(target)
        check_target(target, recipe, force=force)
        partial = target.with_name(f".{target.name}.{os.urandom(6).hex()}.partial")
        try:
            partial.mkdir()
            yield partial
            _put(partial, target)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def _put(partial: Path, target: Path) -> None:
    """Let a finished folder take its place."""
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
    """Remove a release that made way; what is half removed is not put back any more."""
    gone = old.with_suffix(".gone")
    old.rename(gone)
    shutil.rmtree(gone)


def _clean(target: Path) -> None:
    """Put in order what a killed process has left."""
    for old in _left(target, "old"):
        if target.exists():
            _remove(old)
        else:
            old.rename(target)
    for gone in _left(target, "gone"):
        shutil.rmtree(gone)
    for partial in _left(target, "partial"):
        # Whatever else somebody has put there is not ours to remove.
        names = {path.name for path in partial.iterdir() if not _UNFINISHED.fullmatch(path.name)}
        if names <= CONTENTS:
            shutil.rmtree(partial)


def _left(target: Path, ending: str) -> list[Path]:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.{ending}")
    found = [path for path in target.parent.iterdir() if name.fullmatch(path.name)]
    return sorted([path for path in found if path.is_dir() and not path.is_symlink()])


@contextmanager
def _lock(target: Path) -> Iterator[None]:
    """Keep every other process from building the same release."""
    path = target.with_name(f".{target.name}.lock")
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise ReleaseError(f"another process is building {target}; wait for it") from None
        with suppress(OSError):
            if os.path.samestat(os.fstat(lock), path.stat()):
                break
        # Whoever held it has removed it meanwhile: another process may have a new one.
        os.close(lock)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(lock)


def _sync(folder: Path) -> None:
    """Have the system write down what is in a folder, where it can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
