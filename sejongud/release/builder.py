"""From a recipe to a release: convert, split, write, count, check, and say what it is.

    inputs → base → data/…, ids/… → statistics/… → round trips → card, manifest, SHA256SUMS

Nothing that is written depends on the time, the machine, the number of processes or the version of
Python. What the bytes do depend on is in the manifest: the recipe, the inputs, the version of this
program and of its tables, Kiwi and its model, and pyarrow where there is Parquet.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import Incident, Report
from sejongud.files import Source
from sejongud.release.card import Released, card, citation, notice
from sejongud.release.checks import round_trips
from sejongud.release.counts import count_parts
from sejongud.release.folder import WORK, building
from sejongud.release.inputs import convert_inputs
from sejongud.release.manifest import RECIPE, inputs_of, made_with, write_manifest
from sejongud.release.outputs import write_outputs
from sejongud.release.recipe import SPLITS, load_recipe
from sejongud.release.splits import Lists, ReleaseError, split_sets

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sejongud.release.inputs import Converted
    from sejongud.release.manifest import Digest
    from sejongud.release.recipe import Corpus, Recipe
    from sejongud.release.splits import SplitSet

__all__ = ["Making", "Release", "build", "make", "make_corpora"]

_WORTH_A_POOL = 1 << 20
"""The size of a corpus, in bytes, from which its work is spread over processes."""


class Release(NamedTuple):
    """A release that was built."""

    folder: Path
    digest: str
    """The SHA-256 of SHA256SUMS: who knows it can tell this release from every other."""
    corpora: tuple[Released, ...]


@dataclass(frozen=True)
class Making:
    """How the work is done; none of it shows in what is made.

    Args:
        jobs: how many processes; 0 as many as there are processors.
        report: is told of everything that was mended or left out.
        progress: whether to show on standard error how far a file is read.
        say: is told what has been done, a line at a time.
    """

    jobs: int = 1
    report: Report = field(default_factory=Report)
    progress: bool = False
    say: Callable[[str], object] = len


def build(
    recipe: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    jobs: int = 1,
    force: bool = False,
    report: Report | None = None,
    progress: bool = False,
    say: Callable[[str], object] | None = None,
) -> Release:
    """Build a release; its folder appears when all of it is there, or not at all.

    Args:
        recipe: the file of the recipe.
        out: the folder; None for NAME-VERSION in the current one. An untouched release of the same
            recipe is replaced.
        jobs: how many processes; 0 as many as there are processors.
        force: whether any release that is there is replaced.
        report: is told of everything that was mended or left out; None counts it only.
        progress: whether to show on standard error how far a file is read.
        say: is told what has been done.

    Raises:
        RecipeError: the recipe cannot be followed.
        UsageError: what stands at `out` may not be replaced.
        ReleaseError: an input does not come back from what was made of it, or cannot be split.
        FormatError: an error in the data of a corpus whose `on_error` is "stop".
        OSError: a file cannot be read or written.
    """
    found = load_recipe(recipe)
    target = Path(found.release_name if out is None else out)
    making = Making(jobs, report or Report(), progress, say or len)
    with building(target, found.data, force=force) as folder:
        digest, corpora = make(found, folder, making)
    return Release(target, digest, corpora)


def make(recipe: Recipe, folder: Path, making: Making) -> tuple[str, tuple[Released, ...]]:
    """Make all of a release.

    Args:
        recipe: what to make.
        folder: an empty one.
        making: how.

    Returns:
        The digest of SHA256SUMS, and what was made.

    Raises:
        ReleaseError: see `build`; or an input was changed meanwhile.
        FormatError: see `build`.
    """
    versions = made_with(recipe)
    before = _stamps(recipe)
    inputs = inputs_of(recipe)
    released = make_corpora(recipe, folder, making)
    _write_bytes(folder / RECIPE, recipe.data)
    licence = recipe.licence_file
    text = recipe.resolve(licence).read_bytes() if licence else notice(recipe).encode()
    _write_bytes(folder / "LICENSE", text)
    cff = recipe.citation_file
    text = recipe.resolve(cff).read_bytes() if cff else citation(recipe).encode()
    _write_bytes(folder / "CITATION.cff", text)
    _write_bytes(folder / "README.md", card(recipe, released, versions).encode())
    changed = [path for path, stamp in _stamps(recipe).items() if stamp != before[path]]
    if changed:
        raise ReleaseError(f"{changed[0]} was changed while the release was built: build it again")
    return write_manifest(folder, _manifest(recipe, released, inputs, versions)), released


def make_corpora(
    recipe: Recipe, folder: Path, making: Making, only: frozenset[str] | None = None
) -> tuple[Released, ...]:
    """Make what belongs to single corpora: their files, ids, statistics and licences.

    Args:
        recipe: what to make.
        folder: where.
        making: how.
        only: the names of the corpora; None for all.

    Raises:
        ReleaseError: see `build`.
        FormatError: see `build`.
    """
    (folder / WORK).mkdir()
    released = []
    for corpus in recipe.corpora:
        if only is None or corpus.name in only:
            released.append(_make_corpus(corpus, recipe, folder, making))
    shutil.rmtree(folder / WORK)
    return tuple(released)


def _make_corpus(corpus: Corpus, recipe: Recipe, folder: Path, making: Making) -> Released:
    """Make what belongs to one corpus."""
    size = sum([recipe.resolve(path).stat().st_size for path in corpus.paths])
    jobs = making.jobs if size >= _WORTH_A_POOL else 1
    report = Report(making.report.add)
    converted = convert_inputs(
        corpus, recipe, folder / WORK, report, jobs=jobs, progress=making.progress
    )
    ways = _split(converted)
    making.say(f"{corpus.name}: {converted.sentences:,} sentences{_left_out(report)}")
    not_written = write_outputs(converted, ways, folder, jobs=jobs)
    for output, items in not_written.items():
        for what, count in items.items():
            message = f"{output}: not written of {count:,} sentences: {what}"
            making.report.add(Incident("W301", message, corpus.name))
    parts = count_parts(converted, ways, jobs=jobs)
    converted.path.unlink()
    trips = round_trips(corpus, recipe, jobs=jobs)
    for trip in trips:
        making.say(
            f"{corpus.name}: {trip['trip']}: {trip['identical']:,} of {trip['sentences']:,}"
            " sentences come back"
        )
    incidents = dict(sorted(report.counts.items()))
    released = Released(corpus, converted.sentences, parts, trips, incidents, not_written)
    _write_statistics(folder, released)
    if corpus.licence_file:
        text = recipe.resolve(corpus.licence_file).read_bytes()
        _write_bytes(folder / "licences" / f"{corpus.name}.txt", text)
    return released


def _left_out(report: Report) -> str:
    return f", {report.errors:,} errors" if report.errors else ""


def _split(converted: Converted) -> list[SplitSet]:
    """How the sentences of a corpus are split.

    Raises:
        ReleaseError: it cannot be done as the recipe says, or cuts the corpus in no documents.
    """
    corpus, recipe = converted.corpus, converted.recipe
    split = corpus.split
    lists = None
    if split.by == "ids":
        ids = {name: _ids(recipe, split.lists[name]) for name in SPLITS if name in split.lists}
        lists = Lists(ids, split.rest)
    given = bytearray()
    documents: list[int] = []
    last = -1
    for header in converted.headers():
        document = header.places[1][0]
        if document != last:
            documents.append(0)
            last = document
        documents[-1] += 1
        if lists is not None:
            given.append(lists.part(header.sent_id))
    if lists is not None:
        lists.check_used()
    if split.by == "document" and last == 0:
        raise ReleaseError(
            f"{corpus.name}: it cannot be split by documents: there is no newdoc in it"
        )
    try:
        return split_sets(split, documents, bytes(given))
    except ReleaseError as error:
        raise ReleaseError(f"{corpus.name}: {error}") from None


def _ids(recipe: Recipe, path: str) -> Iterator[tuple[str, str]]:
    """The ids of a list, each with its place."""
    with Source(recipe.resolve(path)) as source:
        for number, line in enumerate(source.lines(), 1):
            if line.strip():
                yield line.strip(), f"{path}:{number}"


def _write_statistics(folder: Path, released: Released) -> None:
    """statistics/CORPUS.json: part → figures; of several ways, way → part → figures."""
    by_way: dict[str, dict[str, Any]] = {}
    for part in released.parts:
        by_way.setdefault(part.way, {})[part.name] = part.figures
    values = by_way[""] if list(by_way) == [""] else by_way
    text = json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    _write_bytes(folder / "statistics" / f"{released.corpus.name}.json", text.encode())


def _write_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _stamps(recipe: Recipe) -> dict[str, tuple[int, int, int]]:
    """By which a file that is changed while it is read is known."""
    found = {}
    for path in recipe.files:
        status = recipe.resolve(path).stat()
        found[path] = status.st_ino, status.st_size, status.st_mtime_ns
    return found


def _manifest(
    recipe: Recipe,
    released: Sequence[Released],
    inputs: Mapping[str, Digest],
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """What the manifest says beside its files."""
    return {
        "name": recipe.name,
        "title": recipe.title,
        "version": recipe.version,
        "licence": recipe.licence,
        "made_with": dict(versions),
        "recipe": {
            "sha256": hashlib.sha256(recipe.data).hexdigest(),
            "text": recipe.data.decode("utf-8-sig"),
        },
        "inputs": {path: {"bytes": one.size, "sha256": one.sha256} for path, one in inputs.items()},
        "corpora": {one.corpus.name: _corpus(one) for one in released},
    }


def _corpus(one: Released) -> dict[str, Any]:
    """What the manifest says of a corpus."""
    corpus = one.corpus
    parts: dict[str, dict[str, int]] = {}
    for part in one.parts:
        parts.setdefault(part.way or "all", {})[part.name] = part.figures["sentences"]
    return {
        "inputs": list(corpus.files),
        "converter": corpus.converter,
        "sentences": one.sentences,
        "parts": parts["all"] if list(parts) == ["all"] else parts,
        "incidents": dict(one.incidents),
        "not_written": {name: dict(items) for name, items in one.not_written.items()},
        "round_trips": [dict(trip) for trip in one.trips],
    }
