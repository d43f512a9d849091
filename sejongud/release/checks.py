"""Check a release: its files can be read, and every input comes back from its conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Report, SejongudError, require
from sejongud.files import Source
from sejongud.formats import label_format, resolve
from sejongud.process.parallel import ordered_map
from sejongud.release.keys import SPLITS
from sejongud.release.outputs import IDS, file_of
from sejongud.release.recipe import CONVERT, IOB, WORD2MORPH
from sejongud.release.splits import ReleaseError
from sejongud.terminal import counted
from sejongud.validation.round_trip import RoundTripOptions, RoundTrips

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sejongud.release.inputs import Converted
    from sejongud.release.recipe import Corpus, Recipe
    from sejongud.release.splits import SplitSet
    from sejongud.validation.round_trip import Difference, Trip

_LEVEL = "level"
_SHOWN = 200


class _ReleasedFile(NamedTuple):
    """A file of a release that is to be read."""

    path: Path
    name: str
    """Its path in the release."""
    format: str
    rules: str | None
    sentences: int
    """The number of sentences that were written."""


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
                name = file_of(
                    corpus,
                    output,
                    way.name,
                    SPLITS[part],
                    compress=recipe.compress,
                    columns=converted.columns,
                )
                count = way.parts.count(part)
                file = _ReleasedFile(folder / name, name, output.format, recipe.rules_folder, count)
                files.append(file)
    for fault in filter(None, ordered_map(_fault, files, jobs)):
        raise ReleaseError(f"{fault}, so there is no release")


def _fault(file: _ReleasedFile) -> str:
    """Return the fault of a file, "" for none."""
    try:
        count = _count(file)
    except SejongudError as error:
        place, reason = file.name, str(error)
        if isinstance(error, FormatError):
            place, reason = f"{place}:{error.line}", error.message
        return f"{place}: the file that was written cannot be read: {reason}"
    if count == file.sentences:
        return ""
    written = counted(file.sentences, "sentence[s] [was|were] written")
    return f"{file.name}: {written}, {count:,} read"


def _count(file: _ReleasedFile) -> int:
    """Return the number of sentences in a file, each of which is read.

    Raises:
        SejongudError: a sentence cannot be read.
    """
    if file.format == "parquet":
        require("pyarrow", "parquet")
        from pyarrow import parquet

        rows: int = parquet.ParquetFile(file.path).metadata.num_rows
        return rows
    with Source(file.path) as source:
        if file.format == IDS.format:
            return sum([1 for _ in source.lines()])
        if file.format == IOB:
            layout = label_format("columns")
            return sum([1 for _ in map(layout.read, layout.blocks(source.chunks()))])
        reader = Conversion(resolve(None, source.head()), rules=file.rules).make_reader()
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
        options = RoundTripOptions(
            from_="conllu" if corpus.is_treebank else corpus.format or None,
            on_error=corpus.on_error,
            rules=recipe.rules_folder,
            encoding=corpus.encoding,
            morphemes=str(recipe.resolve(corpus.morphemes)) if corpus.morphemes else None,
        )
        with RoundTrips(path, options) as trips:
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
    if what[-1:] == [_LEVEL]:
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
