"""Named entities against gold: the figures of conlleval and those of SemEval'13 (Task 9.1)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise, zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.evaluation.base import Metric
from sejongud.evaluation.entities import UNITS, Place, Tagged, UnitsReader, expect_unit, on_unit
from sejongud.evaluation.scores import LabelledItem, Score, f_score, ratios, share
from sejongud.layers.labels import Entity, layers
from sejongud.layers.matching import STRICT, align_further, align_words, pair_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.evaluation.base import Evaluation
    from sejongud.evaluation.entities import EntityUnit
    from sejongud.evaluation.scores import Measured
    from sejongud.evaluation.side import Side
    from sejongud.files import Source
    from sejongud.layers.matching import Group, Likeness

Scheme = Literal["strict", "exact", "partial", "type"]
"""A way of SemEval'13 to count: strict (type and borders), exact (borders), partial (borders; an
overlap counts half) and type (an overlap and the type)."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
_CORRECT, _INCORRECT, _PARTIAL, _MISSED, _SPURIOUS = range(len(_OUTCOMES))

_NO_ENTITY = "-"


class NerMetric(Metric["list[Tagged]"]):
    """Counts the entities that a system has right.

    Args:
        from_: the format of files that are not CoNLL-U, as `NAME:SETTINGS`; None to detect it.
        unit: the tokens whose labels are compared. A file without this unit has its own tokens.
        nested: whether entities inside others and across them count as well. The four of SemEval'13
            then compare layer by layer, and each layer has a score of its own.
    """

    name = "ner"
    confusions: tuple[str, ...] = ("types",)
    lists = "labels"

    def __init__(
        self, from_: str | None = None, unit: EntityUnit = "word", *, nested: bool = False
    ) -> None:
        self._form = from_
        self._unit = unit
        self._nested = nested
        self._depth = 0
        self.settings = {} if unit == UNITS[0] else {"unit": unit}
        self.settings |= {"nested": "yes"} if nested else {}
        self._set_types(())

    def _set_types(self, types: Iterable[str]) -> None:
        self.types = tuple(sorted(types))
        self.width = 2 + 3 * (len(self.types) + self._depth) + len(SCHEMES) * len(_OUTCOMES)

    def read(self, source: Source) -> Side[list[Tagged]]:
        """Read CoNLL-U, columns or an entity corpus; see `Metric.read`."""
        reader = UnitsReader(self._form, words_only=self._unit == UNITS[0])
        return on_unit(expect_unit(reader.read(source), self._unit), self._unit)

    def measure(
        self, gold: Side[list[Tagged]], *systems: Side[list[Tagged]], likeness: Likeness = STRICT
    ) -> list[Evaluation]:
        """Measure systems; every type of entity in any of the files has a score of its own."""
        sides = gold, *systems
        tagged = [sentence for side in sides for sentence in side.data]
        if self._nested:
            self._depth = max([len(in_layers(one.every)) for one in tagged], default=0)
        every = [place for one in tagged for place in (one.every if self._nested else one.entities)]
        self._set_types({entity.type for entity in every})
        return super().measure(gold, *systems, likeness=likeness)

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return tokens, all entities, those of each type, and the four of SemEval'13."""
        correct, tokens, *figures = map(int, totals)
        accuracy = {"accuracy": share(correct, tokens)}
        scores = [Score("Tokens", {"tp": correct, "fn": tokens - correct}, accuracy, "accuracy")]
        cut = 3 * len(self.types)
        by_type = [figures[i : i + 3] for i in range(0, cut, 3)]
        starts = range(cut, cut + 3 * self._depth, 3)
        overall = [sum(column) for column in zip(*by_type, strict=True)] or [0, 0, 0]
        scores.append(f_score("Entities", *overall))
        scores += [f_score(name, *counts) for name, counts in zip(self.types, by_type, strict=True)]
        scores += [
            f_score(f"Layer {number}", *figures[start : start + 3])
            for number, start in enumerate(starts, 1)
        ]
        cut = starts.stop
        for scheme, start in zip(SCHEMES, range(cut, len(figures), len(_OUTCOMES)), strict=True):
            scores.append(_semeval(scheme, figures[start : start + len(_OUTCOMES)]))
        return scores

    def _items(
        self, gold: list[Tagged], system: list[Tagged], group: Group, likeness: Likeness
    ) -> list[LabelledItem]:
        """Return the types of entities with the same borders, and of those of one side only."""
        sides, ours, theirs, _ = aligned_entities(gold, system, group, likeness, self._nested)
        texts = [side.texts() for side in sides]
        rest = {
            (entity.begin, entity.end): (entity.type, text)
            for entity, text in zip(theirs, texts[1], strict=True)
        }
        items = []
        for entity, text in zip(ours, texts[0], strict=True):
            type_, _ = rest.pop((entity.begin, entity.end), (_NO_ENTITY, ""))
            items.append(LabelledItem(entity.type, type_, group.gold.start, text))
        extra = [
            LabelledItem(_NO_ENTITY, type_, group.gold.start, text) for type_, text in rest.values()
        ]
        return items + extra

    def _count(
        self, gold: list[Tagged], system: list[Tagged], group: Group, likeness: Likeness
    ) -> list[float]:
        (gold_words, system_words), ours, theirs, pairs = aligned_entities(
            gold, system, group, likeness, self._nested
        )
        same = sum(gold_words.tags[i] == system_words.tags[j] for i, j in pairs)
        counts: list[float] = [same, len(gold_words.tags)]
        common = set(ours).intersection(theirs)
        for name in self.types:
            counts += [sum(e.type == name for e in some) for some in (common, ours, theirs)]
        pairs_of_layers = [(ours, theirs)]
        if self._nested:
            of_layers = in_layers(ours), in_layers(theirs)
            pairs_of_layers = list(zip_longest(*of_layers, fillvalue=[]))
            pairs_of_layers += [([], [])] * (self._depth - len(pairs_of_layers))
            for our_layer, their_layer in pairs_of_layers[: self._depth]:
                common = set(our_layer).intersection(their_layer)
                counts += [len(common), len(our_layer), len(their_layer)]
        for scheme in SCHEMES:
            each = [outcomes(scheme, *pair) for pair in pairs_of_layers]
            counts += [sum(column) for column in zip(*each, strict=True)] or [0] * len(_OUTCOMES)
        return counts


def in_layers(entities: Iterable[Place]) -> list[list[Place]]:
    """Return entities in layers without overlaps, the outermost first, the same for any file."""
    ordered = [Entity(*place) for place in sorted(entities)]  # type: ignore[arg-type]
    return [[Place(*entity) for entity in layer] for layer in layers(ordered)]


class JoinedSentences(NamedTuple):
    """Neighbouring sentences of one side as one."""

    words: list[str]
    tags: list[str]
    entities: list[Place]
    """The entities by the numbers of their words."""

    @classmethod
    def of(cls, sentences: Iterable[Tagged], *, nested: bool = False) -> JoinedSentences:
        """Join sentences, with the entities of all layers or of the first; none crosses an end."""
        joined = cls([], [], [])
        for sentence in sentences:
            shift = len(joined.words)
            for name, begin, end in sentence.every if nested else sentence.entities:
                joined.entities.append(Place(name, begin + shift, end + shift))
            joined.words.extend(sentence.words)
            joined.tags.extend(sentence.tags)
        return joined

    def texts(self) -> list[str]:
        """Return the words of each entity."""
        return [" ".join(self.words[int(e.begin) : int(e.end)]) for e in self.entities]


class AlignedEntities(NamedTuple):
    """The entities of a group of sentences on both sides, between places of the aligned words."""

    sides: tuple[JoinedSentences, JoinedSentences]
    ours: list[Place]
    theirs: list[Place]
    pairs: list[tuple[int, int]]
    """The numbers of the words that both sides have."""


def aligned_entities(
    gold: Sequence[Tagged],
    system: Sequence[Tagged],
    group: Group,
    likeness: Likeness,
    nested: bool = False,
) -> AlignedEntities:
    """Return the words of both sides, their entities between common places, and the common words.

    Args:
        gold: the sentences of the one side.
        system: those of the other.
        group: the sentences that are aligned.
        likeness: which words count as the same where the texts differ.
        nested: whether the entities of all layers count.
    """
    first = JoinedSentences.of([gold[i] for i in group.gold], nested=nested)
    second = JoinedSentences.of([system[i] for i in group.system], nested=nested)
    if first.words == second.words:
        pairs = [(i, i) for i in range(len(first.words))]
        return AlignedEntities((first, second), first.entities, second.entities, pairs)
    aligned = align_words(first.words, second.words, likeness)
    stretches = align_further(first.words, second.words, aligned, likeness)
    return AlignedEntities(
        (first, second),
        _placed(first, [stretch.gold.start for stretch in stretches]),
        _placed(second, [stretch.system.start for stretch in stretches]),
        list(pair_words(first.words, second.words, aligned, likeness)),
    )


def format_conlleval(evaluation: Measured) -> str:
    """Return the figures in the layout of conlleval.pl (Tjong Kim Sang and Buchholz 2000)."""
    tokens, overall, *rest = evaluation.scores
    types = rest[: -len(SCHEMES)]
    predicted = {score.name: score.counts["tp"] + score.counts["fp"] for score in (overall, *types)}
    words = sum(tokens.counts.values())
    lines = [
        f"processed {words} tokens"
        f" with {overall.counts['tp'] + overall.counts['fn']} phrases;"
        f" found: {predicted[overall.name]} phrases; correct: {overall.counts['tp']}.",
        f"accuracy: {share(100 * tokens.counts['tp'], words):6.2f}%; {_percents(overall)}",
    ]
    lines += [f"{score.name:>17}: {_percents(score)}  {predicted[score.name]}" for score in types]
    return "".join(f"{line}\n" for line in lines)


def _placed(side: JoinedSentences, borders: Iterable[int]) -> list[Place]:
    """Return entities between places that both sides have in common.

    Stretches of aligned words begin and end at whole numbers. Borders within a stretch lie between,
    in proportion to their characters: two segmentations of one text agree on the place of a border.
    """
    begins: list[float] = []
    ends: list[float] = []
    for number, (begin, end) in enumerate(pairwise([*borders, len(side.words)])):
        lengths = list(accumulate(map(len, side.words[begin:end]), initial=0))
        places = [number + length / (lengths[-1] or 1) for length in lengths]
        begins += places[:-1]
        ends += places[1:]
    return [
        Place(name, begins[int(begin)], ends[int(end) - 1]) for name, begin, end in side.entities
    ]


def outcomes(scheme: Scheme, gold: Sequence[Place], system: Sequence[Place]) -> list[int]:
    """Count the outcomes of the system's entities, by a scheme of SemEval'13 (as nervaluate does).

    Each entity of the system takes one gold entity that no other took before: the one that it is
    right with, else the first that it overlaps.
    """
    counts = [0] * len(_OUTCOMES)
    taken: set[int] = set()
    begins, ends = [entity.begin for entity in gold], [entity.end for entity in gold]
    for entity in system:
        overlapping = [
            i
            for i in range(bisect_right(ends, entity.begin), bisect_left(begins, entity.end))
            if i not in taken
        ]
        right = [i for i in overlapping if _is_right(scheme, gold[i], entity)]
        if right:
            counts[_CORRECT] += 1
            taken.add(min(right, key=lambda i: _distance(gold[i], entity)))
        elif overlapping:
            counts[_PARTIAL if scheme == "partial" else _INCORRECT] += 1
            taken.add(overlapping[0])
        else:
            counts[_SPURIOUS] += 1
    counts[_MISSED] = len(gold) - len(taken)
    return counts


def _is_right(scheme: Scheme, gold: Place, system: Place) -> bool:
    """Return whether two entities that overlap are the same, by a scheme."""
    if scheme == "strict":
        return gold == system
    return gold.type == system.type if scheme == "type" else _distance(gold, system) == 0


def _distance(gold: Place, system: Place) -> float:
    """Return how far apart the borders of two entities are."""
    return abs(gold.begin - system.begin) + abs(gold.end - system.end)


def _semeval(scheme: Scheme, outcomes: Sequence[int]) -> Score:
    """Return the score of a scheme; partial outcomes count half."""
    right = outcomes[_CORRECT] + 0.5 * outcomes[_PARTIAL]
    attempted = sum(outcomes[_CORRECT : _PARTIAL + 1])
    figures = ratios(
        share(right, attempted + outcomes[_SPURIOUS]), share(right, attempted + outcomes[_MISSED])
    )
    return Score(scheme, dict(zip(_OUTCOMES, outcomes, strict=True)), figures)


def _percents(score: Score) -> str:
    # In the order of operations of the Perl program, so that ties are rounded as there.
    right, wrong, missed = (100 * score.counts["tp"], score.counts["fp"], score.counts["fn"])
    precision = share(right, score.counts["tp"] + wrong)
    recall = share(right, score.counts["tp"] + missed)
    f1 = share(2 * precision * recall, precision + recall)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
