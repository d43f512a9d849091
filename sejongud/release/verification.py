"""Verify a release: compare its files with its lists.

Every file has the digest that SHA256SUMS and the manifest give it, no file is missing, none was
added, and the two lists agree. A change of a file together with the manifest and SHA256SUMS leaves
no trace in the folder: compare the digest of SHA256SUMS with the one that the build printed, or
build the recipe again, which gives the same bytes.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import UsageError
from sejongud.release.manifest import (
    MANIFEST,
    SUMS,
    digest_of,
    files_below,
    read_manifest,
    read_sums,
)
from sejongud.release.splits import ReleaseError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping


class Finding(NamedTuple):
    """A fault of a release."""

    path: str
    """The file, folder or input with the fault."""
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass
class Verification:
    """The result of verifying a release.

    Args:
        folder: the folder of the release.
        findings: the faults, in order.
        digest: the SHA-256 of SHA256SUMS; "" if there is no such file.
        files: the number of files that were compared with their digests.
    """

    folder: Path
    findings: list[Finding] = field(default_factory=list)
    digest: str = ""
    files: int = 0

    @property
    def ok(self) -> bool:
        """Whether the release has no fault."""
        return not self.findings

    def add(self, path: str, message: str) -> None:
        """Add a fault."""
        self.findings.append(Finding(path, message))


def verify(folder: str | os.PathLike[str]) -> Verification:
    """Verify a release.

    Args:
        folder: the folder of the release.

    Raises:
        UsageError: there is no such folder, or it is no release at all.
        OSError: a file cannot be read.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"there is no folder {folder}")
    if not (place / SUMS).exists() and not (place / MANIFEST).exists():
        raise UsageError(f"{folder} is no release: it has neither {SUMS} nor {MANIFEST}")
    result = Verification(place)
    digests = _digests(result)
    _compare_lists(result, digests)
    return result


# --- lists ---------------------------------------------------------------------------------------


def _digests(result: Verification) -> dict[str, str]:
    """Return path → SHA-256 of the files in the folder."""
    digests = {}
    for path, entry in files_below(result.folder):
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            result.add(path, "added: a link, which no release has; it is not followed")
        elif stat.S_ISDIR(mode):
            result.add(path, "added: an empty folder, which is no part of the release")
        elif not stat.S_ISREG(mode):
            result.add(path, "added: neither a file nor a folder")
        else:
            digests[path] = digest_of(result.folder / path).sha256
    result.files = len(digests)
    return digests


def _compare_lists(result: Verification, digests: Mapping[str, str]) -> None:
    """Compare the files with SHA256SUMS and the manifest."""
    lists: dict[str, dict[str, str]] = {}
    try:
        manifest = read_manifest(result.folder)
        if not manifest.files:
            raise ReleaseError(f"{MANIFEST} does not list the files of the release")
        lists[MANIFEST] = manifest.files
    except ReleaseError as error:
        result.add(MANIFEST, _fault(MANIFEST, error))
    try:
        lists[SUMS], faults = read_sums(result.folder)
        result.digest = digests.get(SUMS, "")
        for fault in faults:
            result.add(SUMS, f"changed: {fault}")
    except ReleaseError as error:
        result.add(SUMS, f"{_fault(SUMS, error)}; without it a release is not whole")
    paths = {path for listed in lists.values() for path in listed} | digests.keys()
    for path in sorted(paths - {SUMS}):
        # The manifest does not list itself.
        sums = {
            name: digests_listed.get(path, "")
            for name, digests_listed in lists.items()
            if path != name
        }
        if sums:
            _compare(result, path, digests.get(path, ""), sums)


def _compare(result: Verification, path: str, actual: str, sums: Mapping[str, str]) -> None:
    """Compare the digest of a file with those in the lists; "" where there is none."""
    if path == MANIFEST and not sums[SUMS]:
        result.add(SUMS, f"changed: it has no line for {MANIFEST}")
    elif not any(sums.values()):
        result.add(path, "added: it is no part of the release")
    elif not actual:
        result.add(path, "missing")
    elif actual not in sums.values():
        result.add(path, "changed: its bytes are not those of the release")
    else:
        for name, digest in sums.items():
            if digest != actual:
                opposite = "the manifest" if name == SUMS else SUMS
                result.add(name, f"changed: its checksum of {path} differs from that of {opposite}")


def _fault(name: str, error: ReleaseError) -> str:
    return "missing" if str(error) == f"there is no file {name}" else f"changed: {error}"
