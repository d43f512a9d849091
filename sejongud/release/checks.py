"""The round trips of a release: whether its inputs come back from what was made of them.

All that is known of `sejongud.validation.round_trip` here stands in this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.release.recipe import CONVERT, WORD2MORPH
from sejongud.release.splits import ReleaseError
from sejongud.validation.round_trip import Options, RoundTrips

if TYPE_CHECKING:
    from sejongud.release.recipe import Corpus, Recipe
    from sejongud.validation.round_trip import Difference, Trip

__all__ = ["round_trips"]

_LEVEL = "level"
_SHOWN = 200


def round_trips(corpus: Corpus, recipe: Recipe, *, jobs: int) -> list[dict[str, Any]]:
    """Make the round trips that belong to what a corpus is released as.

    That a file comes back as it was laid out, its blank lines and all, is only recorded where the
    release promises its text and morphemes (`convert`).

    Args:
        corpus: which.
        recipe: the recipe it is in.
        jobs: how many processes.

    Returns:
        For each file and trip its counts, as they stand in the manifest.

    Raises:
        ReleaseError: something does not come back as it was, or could not be converted and the
            recipe does not say that such sentences may be left out.
    """
    found = []
    for name in corpus.paths:
        path = str(recipe.resolve(name))
        options = Options(
            from_="conllu" if corpus.converter == WORD2MORPH else corpus.format or None,
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
                # To a file as a whole, what was left out cannot come back either.
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
                        # Where the recipe itself stands is nobody's concern.
                        "left_out": result.error.replace(path, name),
                    }
                )
    return found


def _belongs(trip: Trip, corpus: Corpus) -> bool:
    """Whether a trip goes where the release goes: to its levels, by its scheme of relations."""
    *what, last = trip.name.split(" ")
    if what[-1:] == [_LEVEL]:
        return last in [str(output.level) for output in corpus.outputs]
    if " ".join(what) == WORD2MORPH:
        return corpus.converter == WORD2MORPH and last == corpus.scheme
    return True


def _said(name: str, trip: Trip, first: Difference) -> str:
    """What does not come back, side by side."""
    place = f"{name}:{first.line}" if first.line else name
    return (
        f"{place}: {trip.name}: a sentence does not come back as it was, so there is no release\n"
        f"  in the input  {first.expected!r:.{_SHOWN}}\n"
        f"  comes back    {first.got!r:.{_SHOWN}}"
    )
