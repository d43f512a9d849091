"""How far two annotators agree on entities: whole, in part, and by tokens.

    김하늘 씨가    A: 김하늘 PS    B: 김하늘 씨 PS    →   no exact agreement, partial agreement

Agreement on entities is the F1 of one file against the other, which is the same both ways. For
entities it takes the place of kappa, because nobody can count the pieces of text that are no entity
(Hripcsak and Rothschild 2005). Kappa (Cohen 1960) is counted over tokens; most tokens are outside
every entity in both files, so it is higher than over entities.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from sejongud.evaluation.ner import NerMetric, aligned_entities, in_layers, outcomes
from sejongud.evaluation.scores import Score, share
from sejongud.layers.labels import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.evaluation.entities import Place, Tagged
    from sejongud.evaluation.ner import JoinedSentences
    from sejongud.layers.matching import Group, Likeness

_OF_BORDERS = "borders alone"
"""The row of entities without their types."""
_ALL = "all types"
_FIGURES = 4
"""The entities of A, those of B, those in both, and those that overlap."""
_TOKENS = 3
"""The tokens of a type in A, in B, and in both."""


class Agreement(NerMetric):
    """Counts the entities and tokens of which two files say the same.

    Args:
        form: the format of files that are not CoNLL-U, as `NAME:SETTINGS`; None to detect it.
        unit: the tokens that both files have in common (`entity_units`), for the signature.
        nested: whether entities inside others and across them count as well.
    """

    name = "agreement"
    confusions = ()

    def __init__(self, form: str | None = None, unit: str = "", *, nested: bool = False) -> None:
        super().__init__(form, nested=nested)
        self.settings = {**self.settings, **({"unit": unit} if unit else {})}

    def _set_types(self, types: Iterable[str]) -> None:
        self.types = tuple(sorted(types))
        self.width = 2 + _FIGURES + (_FIGURES + _TOKENS) * len(self.types)

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return the rows of all types, of the borders alone, and of each type."""
        tokens, outside, *figures = totals
        borders, figures = figures[:_FIGURES], figures[_FIGURES:]
        size = _FIGURES + _TOKENS
        by_type = [figures[i : i + size] for i in range(0, len(figures), size)]
        sums = [sum(column) for column in zip(*by_type, strict=True)] or [0.0] * size
        inside = [tokens - sums[_FIGURES], tokens - sums[_FIGURES + 1], outside]
        labels = [*[label[_FIGURES:] for label in by_type], inside]
        rows = [
            _score(_ALL, sums, cohen(tokens, labels)),
            _score(_OF_BORDERS, borders, cohen(tokens, _two(tokens, inside))),
        ]
        for name, counts in zip(self.types, by_type, strict=True):
            rows.append(_score(name, counts, cohen(tokens, _two(tokens, counts[_FIGURES:]))))
        return rows

    def _count(
        self, gold: list[Tagged], system: list[Tagged], group: Group, likeness: Likeness
    ) -> list[float]:
        sides, ours, theirs, pairs = aligned_entities(gold, system, group, likeness, self._nested)
        our_types, their_types = map(_types, sides)
        of_pairs = [(our_types[i], their_types[to]) for i, to in pairs]
        counts: list[float] = [len(of_pairs), of_pairs.count((OUTSIDE, OUTSIDE))]
        counts += _figures([entity._replace(type="") for entity in ours], theirs, "")
        for name in self.types:
            counts += _figures(ours, [entity for entity in theirs if entity.type == name], name)
            firsts, seconds = ([pair[side] == name for pair in of_pairs] for side in (0, 1))
            counts += [sum(firsts), sum(seconds), of_pairs.count((name, name))]
        return counts


def _figures(ours: Sequence[Place], theirs: Sequence[Place], name: str) -> list[float]:
    """Return the entities of both sides, the same ones, and the pairs of those that overlap.

    Args:
        ours: the entities of the one side; those of another type do not count.
        theirs: the entities of the other side that count.
        name: the type.
    """
    ours = [entity for entity in ours if entity.type == name]
    theirs = [entity._replace(type=name) for entity in theirs]
    exact = len(set(ours).intersection(theirs))
    no_entities: list[Place] = []
    pairs = zip_longest(in_layers(ours), in_layers(theirs), fillvalue=no_entities)
    overlapping = sum([outcomes("type", *pair)[0] for pair in pairs])
    return [len(ours), len(theirs), exact, overlapping]


def _score(name: str, figures: Sequence[float], kappa: float) -> Score:
    """Return the row of a type."""
    first, second, exact, overlapping = figures[:_FIGURES]
    counts = {"A": first, "B": second, "same": exact, "overlap": overlapping}
    total = first + second
    shares = {"exact": share(2 * exact, total), "partial": share(2 * overlapping, total)}
    return Score(name, counts, {**shares, "kappa": kappa}, "exact")


def _two(tokens: float, label: Sequence[float]) -> list[list[float]]:
    """Return a label and the one that all other labels make together.

    Args:
        tokens: all of them.
        label: its tokens on the one side, on the other, and on both.
    """
    first, second, shared = label
    rest = [tokens - first, tokens - second, tokens - first - second + shared]
    return [list(label), rest]


def cohen(tokens: float, labels: Iterable[Sequence[float]]) -> float:
    """Return Cohen's kappa; 1 if both sides have but one label, which leaves nothing to chance.

    Args:
        tokens: all of them.
        labels: for each label its tokens on the one side, on the other, and on both.

    >>> round(cohen(10, [[4, 5, 4], [6, 5, 5]]), 2)
    0.8
    """
    labels = list(labels)
    observed = share(sum(common for *_, common in labels), tokens)
    chance = share(sum(first * second for first, second, _ in labels), tokens * tokens)
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


def _types(side: JoinedSentences) -> list[str]:
    """Return the type of the outermost entity of each word, O outside."""
    types = [OUTSIDE] * len(side.words)
    for type_, begin, end in reversed(side.entities):
        types[int(begin) : int(end)] = [type_] * int(end - begin)
    return types
