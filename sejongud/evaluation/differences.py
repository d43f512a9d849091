"""List the places where two texts that should be one differ, with file and line."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from sejongud.evaluation.side import joined
from sejongud.layers.matching import align_words, same_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.evaluation.side import Side
    from sejongud.layers.matching import Group, Likeness

__all__ = ["alignment_settings", "list_differences"]

_WIDTH = 60


def alignment_settings(gold: Side[Any], system: Side[Any], likeness: Likeness) -> dict[str, str]:
    """Return how two texts are aligned, by offset or by likeness, for the signature of a result."""
    same = same_text(*[chain.from_iterable(side.sentences) for side in (gold, system)])
    return {"align": "offset"} if same else {"align": "jp", **likeness.settings}


def list_differences(
    gold: Side[Any], system: Side[Any], groups: Iterable[Group], likeness: Likeness
) -> list[str]:
    """List the differences between two texts other than the borders of tokens and sentences.

    Args:
        gold: the one text.
        system: the other text.
        groups: their sentences, aligned.
        likeness: which words count as the same.

    Returns:
        One line for each sentence that only one side has and for each pair of words that differ;
        the last line counts the sentences that differ only in case or Unicode normalisation.

    >>> from sejongud.evaluation.side import Side
    >>> from sejongud.layers.matching import Group, Likeness
    >>> gold, system = Side([["a", "bc", "d"]], None, [1], "g"), Side([["a", "b", "d"]], None, [1])
    >>> list_differences(gold, system, [Group(range(1), range(1), True)], Likeness())
    ["g:1 'bc' – -:1 'b'"]
    """
    found: list[str] = []
    spelt = 0
    for group in groups:
        ours, theirs = joined(gold.sentences, group.gold), joined(system.sentences, group.system)
        if "".join(ours) == "".join(theirs):
            continue
        if not group.gold or not group.system:
            side, at = (gold, group.gold) if group.gold else (system, group.system)
            only = "gold" if group.gold else "the system"
            found += [f"{side.place(k)} only in {only}: {_shown(side.sentences[k])}" for k in at]
        elif same_text(ours, theirs):
            spelt += 1
        else:
            places = gold.place(group.gold.start), system.place(group.system.start)
            found += _of_words(ours, theirs, places, likeness)
    if spelt:
        found.append(f"{spelt} sentences differ in case, spaces or Unicode normalisation only")
    return found


def _of_words(
    gold: Sequence[str], system: Sequence[str], places: tuple[str, str], likeness: Likeness
) -> Iterator[str]:
    """Yield the words that differ in an aligned pair of sentences."""
    for group in align_words(gold, system, likeness):
        ours = gold[group.gold.start : group.gold.stop]
        theirs = system[group.system.start : group.system.stop]
        if not group.match and not same_text(ours, theirs):
            yield f"{places[0]} {_shown(ours)} – {places[1]} {_shown(theirs)}"


def _shown(words: Iterable[str]) -> str:
    """Return words in quotes for a message, cut to a readable width."""
    text = " ".join(words)
    return repr(text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…") if text else "nothing"
