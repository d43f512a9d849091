"""Whether a folder is the release that it says it is.

Three looks at it. **Against its sums:** every file has the digest that SHA256SUMS and the manifest
give it; none is missing, none was added; the two lists say the same. **Against its inputs**, if the
folder where the recipe stood is at hand: they are the files that the manifest names. **Against
itself:** what can be made again from them is made again, and compared file by file.

Somebody who changes a file, the manifest and SHA256SUMS together leaves nothing in the folder that
says so. Making the release again finds that, and so does the digest of SHA256SUMS, which the build
prints: whoever has it from elsewhere can give it to `verify`.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import MissingExtraError, SejongudError, UsageError
from sejongud.files import temporary_folder
from sejongud.release.builder import Making, make, make_corpora
from sejongud.release.manifest import (
    MANIFEST,
    RECIPE,
    SUMS,
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
    from collections.abc import Callable, Mapping, Sequence

    from sejongud.release.recipe import Recipe

__all__ = ["Finding", "Verification", "verify"]


class Finding(NamedTuple):
    """Something that is not as it should be."""

    path: str
    """What it is about: a file, a folder or an input."""
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass
class Verification:
    """What came of looking at a release.

    Args:
        folder: where it stands.
        findings: what is wrong, in order; nothing if it is whole.
        digest: the SHA-256 of SHA256SUMS, "" where there is none.
        files: how many files were compared with their digests.
        rebuilt: the names of the corpora that were made again.
        compared: how many files were compared with what was made again.
        notes: what could not be looked at, and why.
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
        """Whether nothing is wrong."""
        return not self.findings

    def add(self, path: str, message: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(path, message))


def verify(
    folder: str | os.PathLike[str],
    *,
    inputs: str | os.PathLike[str] | None = None,
    digest: str | None = None,
    jobs: int = 1,
    say: Callable[[str], object] | None = None,
) -> Verification:
    """Look at a release.

    Args:
        folder: where it stands.
        inputs: the folder where the recipe stood, to make again what can be; None not to.
        digest: the SHA-256 that SHA256SUMS should have, where that is known from elsewhere.
        jobs: how many processes make it again.
        say: is told what is done.

    Raises:
        UsageError: there is no such folder, or it is no release at all.
        OSError: a file cannot be read.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"there is no folder {folder}")
    if not (place / SUMS).exists() and not (place / MANIFEST).exists():
        raise UsageError(f"{folder} is no release: it has neither {SUMS} nor {MANIFEST}")
    found = Verification(place)
    digests = _digests(found)
    manifest = _compare_lists(found, digests)
    if digest is not None and digest.lower() != found.digest:
        found.add(SUMS, f"its SHA-256 is not {digest}: this is not the release that you know")
    if inputs is not None:
        _Again(found, manifest, Path(inputs), digests).run(Making(jobs, say=say or len))
    return found


def _digests(found: Verification) -> dict[str, str]:
    """The digests of the files that are there, by path."""
    digests = {}
    for path, entry in files_below(found.folder):
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            found.add(path, "added: a link, which no release has; it is not followed")
        elif stat.S_ISDIR(mode):
            found.add(path, "added: an empty folder, which is no part of the release")
        elif not stat.S_ISREG(mode):
            found.add(path, "added: neither a file nor a folder")
        else:
            digests[path] = digest_of(found.folder / path).sha256
    found.files = len(digests)
    return digests


def _compare_lists(found: Verification, digests: Mapping[str, str]) -> dict[str, Any]:
    """Compare the files with SHA256SUMS and the manifest, and these with one another.

    Returns:
        The manifest, empty if it cannot be read.
    """
    manifest: dict[str, Any] = {}
    listed = sums = None
    try:
        manifest = read_manifest(found.folder)
        listed = _listed(manifest)
    except ReleaseError as error:
        found.add(MANIFEST, _said(MANIFEST, error))
    try:
        sums, faults = read_sums(found.folder)
        found.digest = digests.get(SUMS, "")
        for fault in faults:
            found.add(SUMS, f"changed: {fault}")
    except ReleaseError as error:
        found.add(SUMS, f"{_said(SUMS, error)}; without it a release is not whole")
    if sums is None and listed is None:
        return manifest
    # Of itself the manifest says nothing, and SHA256SUMS neither.
    own = {MANIFEST: sums.get(MANIFEST, "")} if sums is not None else {}
    for path in sorted({*(sums or ()), *(listed or ()), *digests} - {SUMS}):
        if path != MANIFEST:
            of_manifest = "" if listed is None else listed.get(path, "")
        else:
            of_manifest = own.get(MANIFEST, "")
        of_sums = of_manifest if sums is None else sums.get(path, "")
        if listed is None:
            of_manifest = of_sums
        _compare(found, path, digests.get(path, ""), of_sums, of_manifest)
    return manifest


def _compare(found: Verification, path: str, actual: str, of_sums: str, of_manifest: str) -> None:
    """Compare the digest of a file with those that the two lists have; "" where there is none."""
    if not of_sums and not of_manifest:
        if path != MANIFEST:
            found.add(path, "added: it is no part of the release")
        else:
            found.add(SUMS, f"changed: it has no line for {MANIFEST}")
    elif not actual:
        found.add(path, "missing")
    elif actual not in (of_sums, of_manifest):
        found.add(path, "changed: its bytes are not those of the release")
    elif actual != of_sums:
        found.add(SUMS, f"changed: what it says of {path} is not what the manifest says")
    elif actual != of_manifest:
        found.add(MANIFEST, f"changed: what it says of {path} is not what {SUMS} says")


def _listed(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The digests that a manifest has.

    Raises:
        ReleaseError: it is not as we write it.
    """
    files = manifest.get("files")
    if isinstance(files, dict) and all(
        isinstance(one, dict) and isinstance(one.get("sha256"), str) for one in files.values()
    ):
        return {path: one["sha256"] for path, one in files.items()}
    raise ReleaseError(f"{MANIFEST} does not say what files there are")


def _said(name: str, error: ReleaseError) -> str:
    return "missing" if str(error) == f"there is no file {name}" else f"changed: {error}"


# --- making it again -----------------------------------------------------------------------------


class _Again:
    """Makes a release again, and compares.

    Args:
        found: what is told of it.
        manifest: of the release.
        folder: where the recipe stood.
        digests: of the files of the release.
    """

    def __init__(
        self,
        found: Verification,
        manifest: Mapping[str, Any],
        folder: Path,
        digests: Mapping[str, str],
    ) -> None:
        self._found = found
        self._manifest = manifest
        self._folder = folder
        self._digests = digests

    def run(self, making: Making) -> None:
        """Do it."""
        recipe = self._recipe()
        if recipe is None:
            return
        try:
            same_versions = self._compare_versions(recipe)
        except MissingExtraError as error:
            self._found.notes.append(f"not made again: {error}")
            return
        unlike = self._unlike(recipe)
        names = [c.name for c in recipe.corpora if not unlike & {*c.files, *recipe.rules_files}]
        for corpus in recipe.corpora:
            if corpus.name not in names:
                self._found.notes.append(f"{corpus.name} was not made again")
        if not names:
            return
        whole = same_versions and not unlike
        with temporary_folder() as folder:
            try:
                if whole:
                    make(recipe, folder, making)
                else:
                    make_corpora(recipe, folder, making, frozenset(names))
            except (SejongudError, OSError) as error:
                self._found.add(RECIPE, f"cannot be followed again: {error}")
                return
            self._found.rebuilt = tuple(names)
            self._compare(folder, None if whole else names)

    def _recipe(self) -> Recipe | None:
        """The recipe of the release, if it is still that."""
        said = self._manifest.get("recipe")
        wanted = said.get("sha256") if isinstance(said, dict) else None
        if self._digests.get(RECIPE, "") != wanted:
            self._found.notes.append(f"not made again: {RECIPE} is not that of the release")
            return None
        if not self._folder.is_dir():
            raise UsageError(f"there is no folder {self._folder}")
        try:
            data = (self._found.folder / RECIPE).read_bytes()
            return parse_recipe(data, self._folder, RECIPE)
        except UsageError as error:
            self._found.notes.append(f"not made again: {error}")
            return None

    def _compare_versions(self, recipe: Recipe) -> bool:
        """Whether this is what the release was made with."""
        said = self._manifest.get("made_with")
        before = said if isinstance(said, dict) else {}
        now = made_with(recipe)
        for name in sorted({*before, *now}):
            if before.get(name) != now.get(name):
                self._found.notes.append(
                    f"the release was made with {name} {before.get(name, '(none)')}, and this is"
                    f" {now.get(name, '(none)')}: that alone may make a difference"
                )
        return before == now

    def _unlike(self, recipe: Recipe) -> set[str]:
        """The inputs that are not there, or not as they were."""
        said = self._manifest.get("inputs")
        before = said if isinstance(said, dict) else {}
        found = set()
        for path in recipe.files:
            file = recipe.resolve(path)
            wanted = before.get(path)
            if not file.is_file():
                self._found.notes.append(f"there is no input {file}")
            elif not isinstance(wanted, dict) or digest_of(file.resolve()).sha256 != wanted.get(
                "sha256"
            ):
                self._found.add(
                    path, f"changed: the input {file} is not what the release was made of"
                )
            else:
                continue
            found.add(path)
        return found

    def _compare(self, folder: Path, names: Sequence[str] | None) -> None:
        """Compare what was made again.

        Args:
            folder: where it stands.
            names: the corpora that it has; None if it is all there is.
        """
        again = {path: digest_of(folder / path).sha256 for path, _ in files_below(folder)}
        self._found.compared = len(again)
        for path, digest in again.items():
            if path not in self._digests:
                self._found.add(path, "made again: there is such a file now")
            elif self._digests[path] != digest:
                self._found.add(path, "made again: it comes out otherwise")
        for path in sorted(self._digests.keys() - again.keys()):
            if names is None or _corpus_of(path) in names:
                self._found.add(path, "made again: there is no such file")


def _corpus_of(path: str) -> str:
    """The corpus that a file of a release belongs to, "" if none.

    >>> _corpus_of("data/gsd/words/dev.conllu"), _corpus_of("ids/gsd/dev.txt")
    ('gsd', 'gsd')
    >>> _corpus_of("statistics/gsd.json"), _corpus_of("README.md")
    ('gsd', '')
    """
    top, _, rest = path.partition("/")
    if top in ("data", "ids"):
        return rest.partition("/")[0]
    return rest.rpartition(".")[0]
