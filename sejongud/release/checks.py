"""Check a release: its files can be read, equal its lists, and its inputs come back.

Every file has the digest that SHA256SUMS and the manifest give it, no file is missing, none was
added, and the two lists agree. A change of a file together with the manifest and SHA256SUMS leaves
no trace in the folder: compare the digest of SHA256SUMS with the one that the build printed, or
build the recipe again, which gives the same bytes.

While a release is built, every file is read and every input must come back from its conversion.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Report, SejongudError, UsageError, require
from sejongud.files import Source
from sejongud.formats import label_format, resolve
from sejongud.process.parallel import ordered_map
from sejongud.release.folder import MANIFEST, SUMS, digest_of, files_below, read_manifest, read_sums
from sejongud.release.keys import SPLITS
from sejongud.release.outputs import IDS, file_of
from sejongud.release.recipe import CONVERT, IOB, WORD2MORPH, Corpus, Recipe
from sejongud.release.splits import ReleaseError, SplitSet
from sejongud.terminal import counted
from sejongud.validation.round_trip import Difference, RoundTrips, Trip

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from sejongud.release.inputs import Converted


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
    _compare_lists(result, _digests(result))
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
        files = read_manifest(result.folder)
        if not files:
            raise ReleaseError(f"{MANIFEST} does not list the files of the release")
        lists[MANIFEST] = files
    except ReleaseError as error:
        result.add(MANIFEST, _manifest_fault(MANIFEST, error))
    try:
        lists[SUMS], faults = read_sums(result.folder)
        result.digest = digests.get(SUMS, "")
        for fault in faults:
            result.add(SUMS, f"changed: {fault}")
    except ReleaseError as error:
        result.add(SUMS, f"{_manifest_fault(SUMS, error)}; without it a release is not whole")
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


def _manifest_fault(name: str, error: ReleaseError) -> str:
    return "missing" if str(error) == f"there is no file {name}" else f"changed: {error}"


_SHOWN = 200


def read_back(converted: Converted, ways: Sequence[SplitSet], folder: Path, *, jobs: int) -> None:
    """Read all files of a corpus as their users will, and count their sentences.

    Args:
        converted: the corpus.
        ways: the ways in which it is split.
        folder: the folder of the release.
        jobs: the number of processes.

    Raises:
        ReleaseError: a file cannot be read, or lacks sentences.
    """
    corpus, recipe = converted.corpus, converted.recipe
    files = []
    for way in ways:
        for part in sorted(set(way.parts)):
            for output in (IDS, *corpus.outputs):
                of_part = (way.name, SPLITS[part], recipe.compress, converted.columns)
                name = file_of(corpus, output, *of_part)
                count = way.parts.count(part)
                files.append((folder, name, output.format, recipe.rules_folder, count))
    for fault in filter(None, ordered_map(_fault, files, jobs)):
        raise ReleaseError(f"{fault}, so there is no release")


def _fault(file: tuple[Path, str, str, str | None, int]) -> str:
    """Return the fault of a file, "" for none.

    Args:
        file: the release, the path in it, the format, the user's tables, and the number of
            sentences that were written.
    """
    folder, name, form, rules, written = file
    try:
        count = _count(folder / name, form, rules)
    except SejongudError as error:
        place, reason = name, str(error)
        if isinstance(error, FormatError):
            place, reason = f"{place}:{error.line}", error.message
        return f"{place}: the file that was written cannot be read: {reason}"
    if count == written:
        return ""
    return f"{name}: {counted(written, 'sentence[s] [was|were] written')}, {count:,} read"


def _count(path: Path, form: str, rules: str | None) -> int:
    """Return the number of sentences in a file, each of which is read.

    Raises:
        SejongudError: a sentence cannot be read.
    """
    if form == "parquet":
        require("pyarrow", "parquet")
        from pyarrow import parquet

        rows: int = parquet.ParquetFile(path).metadata.num_rows
        return rows
    with Source(path) as source:
        if form == IDS.format:
            return sum([1 for _ in source.lines()])
        if form == IOB:
            layout = label_format("columns")
            return sum([1 for _ in map(layout.read, layout.blocks(source.chunks()))])
        reader = Conversion(resolve(None, source.head()), rules=rules).make_reader()
        return sum([1 for _ in reader.read_file(source, "stop", Report())])


def round_trips(corpus: Corpus, recipe: Recipe, *, jobs: int) -> list[dict[str, Any]]:
    """Make the round trips to the levels and schemes in which a corpus is released.

    A difference in the layout of a whole file, as in its blank lines, is only recorded for corpora
    of `convert`: the release promises their text and morphemes.

    Args:
        corpus: the corpus.
        recipe: the recipe that it is in.
        jobs: the number of processes.

    Returns:
        The counts of each file and trip, as in the manifest.

    Raises:
        ReleaseError: a sentence comes back different; or it cannot be converted, and `on_error` is
            "stop".
    """
    results = []
    for name in corpus.paths:
        path = str(recipe.resolve(name))
        with RoundTrips(
            path,
            from_="conllu" if corpus.is_treebank else corpus.format or None,
            on_error=corpus.on_error,
            rules=recipe.rules_folder,
            encoding=corpus.encoding,
            morphemes=str(recipe.resolve(corpus.morphemes)) if corpus.morphemes else None,
        ) as trips:
            for trip in trips.trips:
                if not _belongs(trip, corpus):
                    continue
                result = trips.check(trip, jobs=jobs)
                left_out = result.error and corpus.on_error != "stop" and result.sentences
                if result.error and not left_out:
                    raise ReleaseError(f"{name}: {trip.name}: {result.error}")
                # A file as a whole cannot come back without the sentences that were left out.
                of_file = trip.text is None and (left_out or corpus.converter == CONVERT)
                if result.first is not None and not of_file:
                    raise ReleaseError(_said(name, trip, result.first))
                results.append(
                    {
                        "input": name,
                        "trip": trip.name,
                        "sentences": result.sentences,
                        "identical": result.identical,
                        "words": result.words,
                        "helped_by_comments": result.helped,
                        # A release must not depend on the folder of its recipe.
                        "left_out": result.error.replace(path, name),
                    }
                )
    return results


def _belongs(trip: Trip, corpus: Corpus) -> bool:
    """Return whether a trip goes to a level, or by a scheme of relations, of the release."""
    *what, last = trip.name.split(" ")
    if what[-1:] == ["level"]:
        return last in [str(output.level) for output in corpus.outputs]
    if " ".join(what) == WORD2MORPH:
        return corpus.is_treebank and last == corpus.scheme
    return True


def _said(name: str, trip: Trip, first: Difference) -> str:
    """Return the message about a sentence that comes back different."""
    place = f"{name}:{first.line}" if first.line else name
    return (
        f"{place}: {trip.name}: a sentence does not come back as it was, so there is no release\n"
        f"  in the input  {first.expected!r:.{_SHOWN}}\n"
        f"  comes back    {first.got!r:.{_SHOWN}}"
    )
