"""Check the round trips of a release: every input must come back from its conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.release.recipe import CONVERT, WORD2MORPH
from sejongud.release.splits import ReleaseError
from sejongud.validation.round_trip import Options, RoundTrips

if TYPE_CHECKING:
    from sejongud.release.recipe import Corpus, Recipe
    from sejongud.validation.round_trip import Difference, Trip

_LEVEL = "level"
_SHOWN = 200


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
    found = []
    for name in corpus.paths:
        path = str(recipe.resolve(name))
        options = Options(
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
                found.append(
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
    return found


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
