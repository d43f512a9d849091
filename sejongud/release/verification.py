"""Verify a release: compare its files with its lists, with its inputs, and with a second build.

**Lists.** Every file has the digest that SHA256SUMS and the manifest give it, no file is missing,
none was added, and the two lists agree. **Inputs**, if the folder of the recipe is given: they are
the files that the manifest names. **Second build:** as much as the inputs allow is made again and
compared file by file.

A change of a file together with the manifest and SHA256SUMS leaves no trace in the folder. A second
build finds it, and so does the digest of SHA256SUMS that the build prints: `verify` takes it.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import MissingExtraError, SejongudError, UsageError
from sejongud.process.unfinished import temporary_folder
from sejongud.release.builder import Making, make, make_corpora
from sejongud.release.manifest import (
    MANIFEST,
    RECIPE,
    SUMS,
    Manifest,
    digest_of,
    files_below,
    made_with,
    read_manifest,
    read_sums,
)
from sejongud.release.recipe import parse_recipe
from sejongud.release.splits import ReleaseError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from sejongud.release.recipe import Recipe


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
        rebuilt: the names of the corpora that were made again.
        compared: the number of files that were made again.
        notes: the checks that could not be made, and why.
    """

    folder: Path
    findings: list[Finding] = field(default_factory=list)
    digest: str = ""
    files: int = 0
    rebuilt: tuple[str, ...] = ()
    compared: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the release has no fault."""
        return not self.findings

    def add(self, path: str, message: str) -> None:
        """Add a fault."""
        self.findings.append(Finding(path, message))


def verify(
    folder: str | os.PathLike[str],
    *,
    inputs: str | os.PathLike[str] | None = None,
    digest: str | None = None,
    jobs: int = 1,
    say: Callable[[str], object] | None = None,
) -> Verification:
    """Verify a release.

    Args:
        folder: the folder of the release.
        inputs: the folder where the recipe stood, for a second build; None for no such build.
        digest: the SHA-256 of SHA256SUMS as known from elsewhere.
        jobs: the number of processes for the second build.
        say: takes messages about the progress of the second build.

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
    manifest = _compare_lists(result, digests)
    if digest is not None and digest.lower() != result.digest:
        result.add(SUMS, f"its SHA-256 is not {digest}: this is not the release that you know")
    if inputs is not None:
        _make_again(result, manifest, Path(inputs), digests, Making(jobs, say=say or len))
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


def _compare_lists(result: Verification, digests: Mapping[str, str]) -> Manifest:
    """Compare the files with SHA256SUMS and the manifest, and return the manifest."""
    manifest = Manifest("", {}, {}, {})
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
    return manifest


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


# --- a second build ------------------------------------------------------------------------------


def _make_again(
    result: Verification,
    manifest: Manifest,
    inputs: Path,
    digests: Mapping[str, str],
    making: Making,
) -> None:
    """Make again as much of a release as its inputs allow, and compare.

    Args:
        result: takes the faults.
        manifest: the manifest of the release.
        inputs: the folder where the recipe stood.
        digests: path → SHA-256 of the files of the release.
        making: how the work is done.
    """
    if digests.get(RECIPE, "") != manifest.recipe:
        result.notes.append(f"not made again: {RECIPE} is not that of the release")
        return
    if not inputs.is_dir():
        raise UsageError(f"there is no folder {inputs}")
    try:
        recipe = parse_recipe((result.folder / RECIPE).read_bytes(), inputs, RECIPE)
        versions = made_with(recipe)
    except (UsageError, MissingExtraError) as error:
        result.notes.append(f"not made again: {error}")
        return
    _compare_versions(result, manifest.made_with, versions)
    unlike = _changed_inputs(result, manifest, recipe)
    names = [c.name for c in recipe.corpora if not unlike & {*c.files, *recipe.rules_files}]
    left_out = [corpus.name for corpus in recipe.corpora if corpus.name not in names]
    result.notes += [f"{name} was not made again" for name in left_out]
    if not names:
        return
    whole = versions == manifest.made_with and not unlike
    with temporary_folder() as folder:
        try:
            if whole:
                make(recipe, folder, making)
            else:
                make_corpora(recipe, folder, making, frozenset(names))
        except (SejongudError, OSError) as error:
            result.add(RECIPE, f"cannot be followed again: {error}")
            return
        again = {path: digest_of(folder / path).sha256 for path, _ in files_below(folder)}
    result.rebuilt = tuple(names)
    result.compared = len(again)
    for path, digest in again.items():
        if path not in digests:
            result.add(path, "made again: there is such a file now")
        elif digests[path] != digest:
            result.add(path, "made again: it comes out otherwise")
    for path in sorted(digests.keys() - again.keys()):
        if whole or _corpus_of(path) in names:
            result.add(path, "made again: there is no such file")


def _compare_versions(
    result: Verification, before: Mapping[str, str], now: Mapping[str, str]
) -> None:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            result.notes.append(
                f"the release was made with {name} {before.get(name, '(none)')}, and this is"
                f" {now.get(name, '(none)')}: that alone may make a difference"
            )


def _changed_inputs(result: Verification, manifest: Manifest, recipe: Recipe) -> set[str]:
    """Return the inputs that are missing or differ from those of the release."""
    changed = set()
    for path in recipe.files:
        file = recipe.resolve(path)
        if not file.is_file():
            result.notes.append(f"there is no input {file}")
        elif digest_of(file.resolve()).sha256 != manifest.inputs.get(path):
            result.add(path, f"changed: the input {file} differs from the input of the release")
        else:
            continue
        changed.add(path)
    return changed


def _corpus_of(path: str) -> str:
    """Return the corpus that a file of a release belongs to; "" for none.

    >>> _corpus_of("data/gsd/words/dev.conllu"), _corpus_of("ids/gsd/dev.txt")
    ('gsd', 'gsd')
    >>> _corpus_of("statistics/gsd.json"), _corpus_of("README.md")
    ('gsd', '')
    """
    top, _, rest = path.partition("/")
    if top in ("data", "ids"):
        return rest.partition("/")[0]
    return rest.rpartition(".")[0]
