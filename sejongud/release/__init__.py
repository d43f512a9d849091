"""Build datasets from recipes: convert, check, split, count, and seal with checksums.

    recipe.py        a recipe, read and checked, or sketched for given files
    keys.py          its keys (keys.toml)
    inputs.py        inputs → sentences, converted once
    splits.py        sentences → train, dev, test
    outputs.py       sentences → files (rows.py: rows of JSON Lines and Parquet)
    checks.py        round trips of the inputs; a folder compared with its manifest
    card.py          README.md, CITATION.cff, LICENSE (templates/), and the counts of each part
    folder.py        a folder that appears complete or not at all, with manifest and checksums
    build            all of these steps, in order

>>> import sejongud.release
>>> callable(sejongud.release.build)
True
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import Incident, Report
from sejongud.files import Source
from sejongud.formats.conllu.layers import FRAME_COLUMNS
from sejongud.release.card import PartCounts, Released, card, citation, count_parts, notice
from sejongud.release.checks import Finding, Verification, read_back, round_trips, verify
from sejongud.release.folder import (
    RECIPE,
    WORK,
    Digest,
    building,
    inputs_of,
    made_with,
    write_manifest,
)
from sejongud.release.inputs import Converted, convert_inputs, reader_of
from sejongud.release.keys import RecipeError
from sejongud.release.outputs import write_outputs
from sejongud.release.recipe import Corpus, Recipe, load_recipe, sketch
from sejongud.release.splits import (
    UNITS,
    ReleaseError,
    SplitSet,
    file_parts,
    linked,
    listed_parts,
    split_sets,
)
from sejongud.terminal import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence


__all__ = [
    "Finding",
    "RecipeError",
    "Release",
    "ReleaseError",
    "Verification",
    "build",
    "load_recipe",
    "sketch",
    "verify",
]


# --- builder --------------------------------------------------------------------------------------


_WORTH_A_POOL = 1 << 20
"""The size of a corpus, in bytes, from which its work is spread over processes."""


class Release(NamedTuple):
    """A finished release."""

    folder: Path
    digest: str
    """The SHA-256 of SHA256SUMS, which identifies the release."""
    corpora: tuple[Released, ...]


@dataclass(frozen=True)
class Making:
    """How the work is done; the bytes of the release do not depend on it.

    Args:
        jobs: the number of processes; 0 for one a processor.
        report: takes the incidents of the conversions.
        progress: whether to show progress bars on standard error.
        say: takes a message about each finished step.
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
    within: str | os.PathLike[str] | None = None,
    force: bool = False,
    report: Report | None = None,
    progress: bool = False,
    say: Callable[[str], object] | None = None,
) -> Release:
    """Build a release; its folder appears when it is complete, or not at all.

    Args:
        recipe: the file of the recipe.
        out: the folder; None for NAME-VERSION in the current one. An untouched release of the same
            recipe is replaced.
        jobs: the number of processes; 0 for one a processor.
        within: the folder that all files of the recipe must be in; None for that of the recipe.
        force: whether to replace any other release.
        report: takes the incidents of the conversions; None counts them only.
        progress: whether to show progress bars on standard error.
        say: takes a message about each finished step.

    Raises:
        RecipeError: the recipe has a fault.
        UsageError: the folder exists and may not be replaced.
        ReleaseError: a file that was written cannot be read, an input does not come back from its
            conversion, or cannot be split; or an input was changed meanwhile.
        FormatError: an error in the data of a corpus whose `on_error` is "stop".
        OSError: a file cannot be read or written.
    """
    loaded = load_recipe(recipe, within)
    target = Path(loaded.release_name if out is None else out)
    making = Making(jobs, report or Report(), progress, say or len)
    with building(target, loaded.data, force=force) as folder:
        versions, inputs = made_with(loaded), inputs_of(loaded)
        (folder / WORK).mkdir()
        released = tuple([_make_corpus(one, loaded, folder, making) for one in loaded.corpora])
        shutil.rmtree(folder / WORK)

        def text_of(path: str, usual: Callable[[Recipe], str]) -> bytes:
            return loaded.resolve(path).read_bytes() if path else usual(loaded).encode()

        _write(folder / RECIPE, loaded.data)
        _write(folder / "LICENSE", text_of(loaded.licence_file, notice))
        _write(folder / "CITATION.cff", text_of(loaded.citation_file, citation))
        _write(folder / "README.md", card(loaded, released, versions).encode())
        for path, digest in inputs_of(loaded).items():
            if digest != inputs[path]:
                raise ReleaseError(
                    f"{path} was changed while the release was built: build it again"
                )
        sums = write_manifest(folder, _manifest(loaded, released, inputs, versions))
    return Release(target, sums, released)


def _make_corpus(corpus: Corpus, recipe: Recipe, folder: Path, making: Making) -> Released:
    """Make the files of a corpus: data, ids, statistics and licence.

    Raises:
        ReleaseError: see `build`.
        FormatError: see `build`.
    """
    size = sum([recipe.resolve(path).stat().st_size for path in corpus.paths])
    jobs = making.jobs if size >= _WORTH_A_POOL else 1
    report = Report(making.report.add)
    converted = convert_inputs(
        corpus, recipe, folder / WORK, report, jobs=jobs, progress=making.progress
    )
    ways = _split(converted)
    errors = f", {counted(report.errors, 'error[s]')}" if report.errors else ""
    making.say(f"{corpus.name}: {counted(converted.sentences, 'sentence[s]')}{errors}")
    not_written = write_outputs(converted, ways, folder, jobs=jobs, progress=making.progress)
    read_back(converted, ways, folder, jobs=jobs)
    for output, losses in not_written.items():
        for what, count in losses.items():
            message = f"{output}: not written of {counted(count, 'sentence[s]')}: {what}"
            making.report.add(Incident("W301", message, corpus.name))
    parts = count_parts(converted, ways, jobs=jobs)
    converted.path.unlink()
    trips = round_trips(corpus, recipe, jobs=jobs)
    for trip in trips:
        making.say(
            f"{corpus.name}: {trip['trip']}: {trip['identical']:,} of {trip['sentences']:,}"
            " sentences come back"
        )
    statistics = json.dumps(_by_way(parts, lambda part: part.figures), ensure_ascii=False, indent=1)
    _write(folder / "statistics" / f"{corpus.name}.json", f"{statistics}\n".encode())
    if corpus.licence_file:
        text = recipe.resolve(corpus.licence_file).read_bytes()
        _write(folder / "licences" / f"{corpus.name}.txt", text)
    incidents = dict(sorted(report.counts.items()))
    return Released(
        corpus, converted.sentences, parts, trips, incidents, not_written, converted.names
    )


def _split(converted: Converted) -> list[SplitSet]:
    """Split a corpus as its recipe says.

    Raises:
        ReleaseError: the corpus cannot be split in this way.
    """
    corpus = converted.corpus
    split = corpus.split
    if split.by == "ids":
        lists = {part: _ids(converted.recipe, path) for part, path in split.lists.items()}
        sent_ids = (header.sent_id for header in converted.headers())
        return [SplitSet("", listed_parts(lists, split.rest, sent_ids))]
    if split.by == "files":
        starts = [start for start, _ in converted.borders]
        return [SplitSet("", file_parts(split.files, starts, converted.sentences))]
    try:
        instances = split.by == "seed" and FRAME_COLUMNS[0] in converted.columns
        if instances or split.by in _BY_FRAMES:
            groups = linked(_texts(converted) if instances else _evoked(converted))
            sets = split_sets(split, [1] * len(set(groups)))
            return [
                one._replace(parts=bytes([one.parts[group] for group in groups])) for one in sets
            ]
        documents = Counter(header.document for header in converted.headers())
        if split.by == "document" and set(documents) == {0}:
            raise ReleaseError("it cannot be split by documents: there is no newdoc in it")
        return split_sets(split, list(documents.values()))
    except ReleaseError as error:
        raise ReleaseError(f"{corpus.name}: {error}") from None


_BY_FRAMES = {"lexical-unit": attrgetter("unit"), "frame": attrgetter("frame")}


def _texts(converted: Converted) -> Iterator[tuple[str]]:
    """Iterate over the instances of frames of a corpus: a number for the text of each."""
    sentence = reader_of(converted)
    for header in converted.headers():
        yield (str(hash(sentence(header.line, header.sent_id).text)),)


def _evoked(converted: Converted) -> Iterator[set[str]]:
    """Iterate over the sentences of a corpus: the lexical units, or the frames, of each.

    Raises:
        ReleaseError: no sentence has any.
    """
    by = converted.corpus.split.by
    sentence = reader_of(converted)
    has_frames = False
    for header in converted.headers():
        frames = sentence(header.line, header.sent_id).frames
        targets = [target for instance in frames for target in instance.targets]
        names = set(map(_BY_FRAMES[by], filter(None, targets)))
        has_frames = has_frames or bool(names)
        yield names
    if not has_frames:
        raise ReleaseError(f"it cannot be split by {UNITS[by]}: there is no frame in it")


def _ids(recipe: Recipe, path: str) -> Iterator[tuple[str, str]]:
    """Iterate over the ids of a list, each with its place."""
    with Source(recipe.resolve(path)) as source:
        for number, line in enumerate(source.lines(), 1):
            if line.strip():
                yield line.strip(), f"{path}:{number}"


def _by_way(parts: Sequence[PartCounts], value: Callable[[PartCounts], Any]) -> dict[str, Any]:
    """Return part → value, or way → part → value for a corpus that is split in several ways."""
    ways: dict[str, dict[str, Any]] = {}
    for part in parts:
        ways.setdefault(part.way, {})[part.name] = value(part)
    return ways.get("", ways)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


def _manifest(
    recipe: Recipe,
    released: Sequence[Released],
    inputs: Mapping[str, Digest],
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """Return the values of the manifest between its format and its files."""
    return {
        "name": recipe.name,
        "title": recipe.title,
        "version": recipe.version,
        "licence": recipe.licence,
        "made_with": versions,
        "recipe": {
            "sha256": hashlib.sha256(recipe.data).hexdigest(),
            "text": recipe.data.decode("utf-8-sig"),
        },
        "inputs": {path: digest._asdict() for path, digest in inputs.items()},
        "corpora": {
            entry.corpus.name: {
                "inputs": entry.corpus.files,
                "converter": entry.corpus.converter,
                "sentences": entry.sentences,
                "parts": _by_way(entry.parts, lambda part: part.figures["sentences"]),
                "incidents": entry.incidents,
                "not_written": entry.not_written,
                "round_trips": entry.trips,
            }
            for entry in released
        },
    }
