"""Named entities against gold: the figures of conlleval and those of SemEval'13 (Task 9.1).

Frames against gold: targets and frame elements, by the figures of `sejongud.evaluation.ner`.

How far two annotators agree on entities: whole, in part, and by tokens.

    김하늘 씨가    A: 김하늘 PS    B: 김하늘 씨 PS    →   no exact agreement, partial agreement

Agreement on entities is the F1 of one file against the other, which is the same both ways. For
entities it takes the place of kappa, because nobody can count the pieces of text that are no entity
(Hripcsak and Rothschild 2005). Kappa (Cohen 1960) is counted over tokens; most tokens are outside
every entity in both files, so it is higher than over entities.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate, groupby, islice, pairwise, zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.converters.jobs import columns_of
from sejongud.errors import Incident, Report, UsageError
from sejongud.evaluation.base import AlignedSides, Metric
from sejongud.evaluation.entities import (
    UNITS,
    EntityUnit,
    Place,
    Tagged,
    TaggedSide,
    UnitsReader,
    expect_unit,
    not_compared,
    on_unit,
)
from sejongud.evaluation.scores import LabelledItem, Measured, Score, cohen, f_score, ratios, share
from sejongud.evaluation.side import Found, read_each, without_arcs
from sejongud.formats import FRAME_FORMATS, frame_format, sniff
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.conllu.layers import FRAME_COLUMNS, FRAME_TARGET, frame_cells, target_tags
from sejongud.layers.labels import OUTSIDE, Entity, find_entities, layers
from sejongud.layers.matching import Group, align_further, align_words, pair_words
from sejongud.layers.subsequence import fold
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from sejongud.files import Source
    from sejongud.formats.base import Block
    from sejongud.formats.framenet import FrameNet
    from sejongud.layers.subsequence import Likeness
    from sejongud.model import Target

Scheme = Literal["strict", "exact", "partial", "type"]
"""A way of SemEval'13 to count: strict (type and borders), exact (borders), partial (borders; an
overlap counts half) and type (an overlap and the type)."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
_CORRECT, _INCORRECT, _PARTIAL, _MISSED, _SPURIOUS = range(len(_OUTCOMES))

_NO_ENTITY = "-"


AlignedTagged = AlignedSides[list[Tagged]]


class NerMetric(Metric[list[Tagged]]):
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

    def read(self, source: Source) -> TaggedSide:
        """Read CoNLL-U, columns or an entity corpus; see `Metric.read`."""
        side = expect_unit(self._reader().read(source), self._unit)
        shown = on_unit(side, self._unit)
        told = not_compared(side, shown, nested=self._nested)
        faults = [Incident("W807", why, side.path) for why in told]
        return shown._replace(incidents=[*shown.incidents, *faults])

    def opened(self, source: Source, report: Report) -> AbstractContextManager[Source]:
        """Provide a file whose JSON Lines have become CoNLL-U; see `Metric.opened`."""
        return self._reader().opened(source, report)

    def _reader(self) -> UnitsReader:
        return UnitsReader(self._form, words_only=self._unit == UNITS[0])

    def _prepared(self, sides: list[TaggedSide]) -> list[TaggedSide]:
        """Return the sides; every type of entity in any of them has a score of its own."""
        tagged = [sentence for side in sides for sentence in side.data]
        if self._nested:
            self._depth = max([len(in_layers(one.every)) for one in tagged], default=0)
        every = [place for one in tagged for place in (one.every if self._nested else one.entities)]
        self._set_types({entity.type for entity in every})
        return sides

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return tokens, all entities, those of each type, and the four of SemEval'13."""
        values = map(int, totals)
        correct, tokens = islice(values, 2)
        accuracy = {"accuracy": share(correct, tokens)}
        by_type = [[*islice(values, 3)] for _ in self.types]
        overall = [sum(column) for column in zip(*by_type, strict=True)] or [0, 0, 0]
        return [
            Score("Tokens", {"tp": correct, "fn": tokens - correct}, accuracy, "accuracy"),
            f_score("Entities", *overall),
            *[f_score(name, *counts) for name, counts in zip(self.types, by_type, strict=True)],
            *[f_score(f"Layer {n}", *islice(values, 3)) for n in range(1, self._depth + 1)],
            *[_semeval(scheme, [*islice(values, len(_OUTCOMES))]) for scheme in SCHEMES],
        ]

    def _items(self, sides: AlignedTagged, group: Group) -> list[LabelledItem]:
        """Return the types of entities with the same borders, and of those of one side only."""
        joined, ours, theirs, _ = aligned_entities(sides, group, self._nested)
        texts = [side.texts() for side in joined]
        rest: defaultdict[tuple[float, float], list[tuple[str, str]]] = defaultdict(list)
        for entity, text in zip(theirs, texts[1], strict=True):
            rest[entity[1:]].append((entity.type, text))
        wanted = set(ours)
        items = []
        for entity, text in zip(ours, texts[0], strict=True):
            here = rest[entity[1:]]
            # Of nested entities with the same borders, one that is right is no other's.
            fitting = [one for one in here if one[0] == entity.type] or [
                one for one in here if entity._replace(type=one[0]) not in wanted
            ]
            type_ = fitting[0][0] if fitting else _NO_ENTITY
            rest[entity[1:]] = [one for one in here if one not in fitting[:1]]
            items.append(LabelledItem(entity.type, type_, group.gold.start, text))
        extra = [
            LabelledItem(_NO_ENTITY, type_, group.gold.start, text)
            for left in rest.values()
            for type_, text in left
        ]
        return items + extra

    def _count(self, sides: AlignedTagged, group: Group) -> list[float]:
        joined, ours, theirs, pairs = aligned_entities(sides, group, self._nested)
        gold_words, system_words = joined
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


def aligned_entities(
    sides: AlignedTagged, group: Group, nested: bool
) -> tuple[Sequence[JoinedSentences], list[Place], list[Place], list[tuple[int, int]]]:
    """Return the words of both sides, their entities between common places, and the common words.

    Args:
        sides: the sentences of both files.
        group: the sentences that are aligned.
        nested: whether the entities of all layers count.
    """
    first = JoinedSentences.of([sides.gold.data[i] for i in group.gold], nested=nested)
    second = JoinedSentences.of([sides.system.data[i] for i in group.system], nested=nested)
    if first.words == second.words:
        pairs = [(i, i) for i in range(len(first.words))]
        return (first, second), first.entities, second.entities, pairs
    aligned = align_words(first.words, second.words, sides.likeness)
    stretches = align_further(first.words, second.words, aligned, sides.likeness)
    ours = _placed(first, [stretch.gold.start for stretch in stretches])
    theirs = _placed(second, [stretch.system.start for stretch in stretches])
    pairs = pair_words(first.words, second.words, aligned, sides.likeness)
    return (first, second), ours, theirs, pairs


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


# --- frames ---------------------------------------------------------------------------------------

FrameUnit = Literal["eojeol", "word"]
"""What is compared: eojeols, to which the labels of morphemes are converted back, or the words of
CoNLL-U."""

FRAME_UNITS: tuple[FrameUnit, ...] = get_args(FrameUnit)
_ANNOTATION = 2


class Frames(NerMetric):
    """Counts the targets and frame elements that a system has right.

    The instances of one sentence are paired by all their labels, then by their targets, and those
    left over in order.

    Args:
        unit: what is compared.
        rules: the folder of the user's tables.
    """

    name = "frame"

    def __init__(
        self, unit: FrameUnit = "eojeol", rules: str | os.PathLike[str] | None = None
    ) -> None:
        super().__init__()
        self._unit = unit
        self.settings = {} if unit == FRAME_UNITS[0] else {"unit": unit}
        self._rules = load(None if rules is None else str(rules))

    def read(self, source: Source) -> TaggedSide:
        """Read a corpus of frames or CoNLL-U Plus, an instance a sentence; see `Metric.read`.

        Raises:
            UsageError: the file is neither, or has no words.
        """
        head = source.head()
        detection = sniff(head, ("conllu", "jsonl", *FRAME_FORMATS))
        if detection is None:
            raise UsageError(f"{source.path} is neither a corpus of frames nor CoNLL-U Plus")
        if not detection.is_frames:
            told: list[Incident] = []
            with self.opened(source, Report(told.append)) as text:
                begins = text.head()
                side = self._of_conllu(text.chunks(), text.path)
            has_columns = FRAME_COLUMNS[0] in columns_of("conllu", begins)
            if begins.strip() and not (has_columns or side.sentences or side.incidents[1:]):
                raise UsageError(
                    f"{source.path} has no frames: `frame eoj2morph` makes CoNLL-U of a corpus"
                )
            return side._replace(form="conllu", incidents=[*told, *side.incidents])
        if self._unit != FRAME_UNITS[0]:
            raise UsageError(f"{source.path} has eojeols and no words: compare --unit eojeol")
        side = _of_corpus(frame_format(*detection), source.chunks(), source.path)
        return side._replace(form=detection.name)

    def _align(
        self, gold: TaggedSide, system: TaggedSide, likeness: Likeness
    ) -> AlignedSides[list[Tagged]]:
        sides = super()._align(gold, system, likeness)

        def text(group: Group) -> object:
            side, numbers = (gold, group.gold) if group.gold else (system, group.system)
            return group if group.grows else fold("".join(side.sentences[numbers.start]))

        runs = (list(run) for _, run in groupby(sides.groups, text))
        groups = [
            group
            for run in runs
            for group in (_by_targets(gold, system, run) if len(run) > 1 else run)
        ]
        return sides._replace(groups=groups)

    def _of_conllu(self, chunks: Iterable[str], path: str) -> TaggedSide:
        from sejongud.converters.frames import Voter

        reader = ConlluReader(Assembler(self._rules))
        voter = Voter(self._rules)

        def read(block: Block) -> Iterator[Found[Tagged]]:
            sentence = without_arcs(reader, block)
            if self._unit == FRAME_UNITS[0]:
                words = [eojeol.form for eojeol in sentence.eojeols]
                verdicts = [voter(sentence.eojeols, instance) for instance in sentence.frames]
                tags = [_tags(verdict.targets, verdict.labels) for verdict in verdicts]
            else:
                words = [word.form for word in sentence.words]
                tags = [[row[_ANNOTATION] for row in rows] for rows in frame_cells(sentence)]
            for labels in tags:
                yield block.line, words, Tagged(words, labels)

        return read_each(path, reader.blocks(chunks), read)


def _of_corpus(layout: FrameNet, chunks: Iterable[str], path: str) -> TaggedSide:
    def read(block: Block) -> Iterator[Found[Tagged]]:
        framed = layout.read(block)
        words = list(framed.tokens)
        if words:
            yield block.line, words, Tagged(words, _tags(framed.targets, framed.labels))

    return read_each(path, layout.blocks(chunks), read)


def _by_targets(gold: TaggedSide, system: TaggedSide, run: Sequence[Group]) -> Iterator[Group]:
    """Yield the groups of the instances of one sentence, each beside one with its labels or target.

    Args:
        gold: the one side.
        system: the other side.
        run: the neighbouring groups that have these instances.
    """
    rest = [j for group in run for j in group.system]
    pairs: dict[int, int] = {}
    ours = [i for group in run for i in group.gold]
    # Several instances may have one target: those that agree in all are paired before.
    for spans in (_spans, _target):
        found = {j: spans(system.data[j]) for j in rest}
        for i in [i for i in ours if i not in pairs]:
            wanted = spans(gold.data[i])
            if (j := next((j for j in rest if found[j] == wanted), None)) is not None:
                pairs[i] = j
                rest.remove(j)
    pairs |= zip([i for i in ours if i not in pairs], tuple(rest), strict=False)
    nothing = run[-1].system.stop
    for i in ours:
        j = pairs.get(i, nothing)
        yield Group(range(i, i + 1), range(j, j + (i in pairs)), i in pairs)
    nothing = run[-1].gold.stop
    for j in sorted({*rest}.difference(pairs.values())):
        yield Group(range(nothing, nothing), range(j, j + 1), match=False)


def _spans(instance: Tagged) -> list[tuple[str, int, int]]:
    """Return the labels with the places of their characters, which other words do not change."""
    ends = [0, *accumulate(map(len, map(fold, instance.words)))]
    return [(span.type, ends[span.begin], ends[span.end]) for span in find_entities(instance.tags)]


def _target(instance: Tagged) -> list[tuple[str, int, int]]:
    """Return the target, with the places of its characters."""
    return [span for span in _spans(instance) if span[0] == FRAME_TARGET]


def _tags(targets: Sequence[Target | None], labels: Sequence[str]) -> list[str]:
    """Return the tag of each eojeol: that of the target hides that of a frame element."""
    marks = target_tags([(target.unit, target.frame) if target else None for target in targets])
    return [label if mark == OUTSIDE else mark for mark, label in zip(marks, labels, strict=True)]


# --- agreement ------------------------------------------------------------------------------------

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
        unit: the tokens that both files have in common (`entity_units`), for the signature.
        nested: whether entities inside others and across them count as well.
    """

    name = "agreement"
    confusions = ()

    def __init__(self, unit: str = "", *, nested: bool = False) -> None:
        super().__init__(nested=nested)
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

    def _count(self, sides: AlignedTagged, group: Group) -> list[float]:
        joined, ours, theirs, pairs = aligned_entities(sides, group, self._nested)
        our_types, their_types = map(_types, joined)
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
    # The scheme that takes the first overlap: so there are as many pairs as can be, both ways.
    each = [outcomes("partial", *pair) for pair in pairs]
    overlapping = sum([counts[_CORRECT] + counts[_PARTIAL] for counts in each])
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


def _types(side: JoinedSentences) -> list[str]:
    """Return the type of the outermost entity of each word, O outside."""
    types = [OUTSIDE] * len(side.words)
    for type_, begin, end in reversed(side.entities):
        types[int(begin) : int(end)] = [type_] * int(end - begin)
    return types
