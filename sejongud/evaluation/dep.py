"""Dependencies against gold: the figures of conll18_ud_eval and udeval (Zeman et al. 2018).

The trees of a whole file are lists of governors and relations.

LAS is counted for classes of words: by relation, tag, length of the sentence or the arc, depth in
the tree.

A class has the gold words whose gold arc belongs to it, and the system words whose system arc does
(as in MaltEval, Nilsson and Nivre 2008). A word whose head and relation are right counts in the
class of gold on both sides. A word without a governor, or without a root above
it, has the class `-` of lengths of arcs, or of depths.

Enhanced dependencies: ELAS and EULAS (Bouma et al. 2020, Section 4), as udeval counts them.
Confusion matrices: of arcs by direction and by depth (memoir, Fig. 3.7 and 3.8), and of labels. The
direction of a word's arc is `l` if its governor stands to the left, `r` if to the right, `o` if the
word is a root. The depth is the number of arcs between the word and its root. A word without a
governor has the direction `-`, and a word without a root above it the depth `-`.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import compress, pairwise
from operator import and_, attrgetter
from typing import TYPE_CHECKING, Literal, TypeVar

from sejongud.converters.jobs import as_format
from sejongud.errors import Incident, Report
from sejongud.evaluation.base import (
    LENGTHS,
    NO_CLASS,
    AlignedSides,
    ByClass,
    FScores,
    class_of,
    refuse,
)
from sejongud.evaluation.inputs import Pairs, Treebank, pair_ud_words, pairs_of_groups
from sejongud.evaluation.scores import Confusion, LabelledItem, Unit, tabulate
from sejongud.evaluation.side import Annotation, is_punctuation
from sejongud.formats.base import to_number
from sejongud.formats.conllu.rows import DEPREL, DEPS, FEATS, FORM, HEAD, LEMMA, UPOS, XPOS
from sejongud.layers.arcs import find_cycle
from sejongud.layers.matching import count_common
from sejongud.layers.subsequence import composed
from sejongud.layers.trees import depths
from sejongud.model import NOTHING
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from sejongud.files import Source


ROOT = -1
"""The governor of a root."""
NO_GOVERNOR = -2
"""The governor of a word whose HEAD is not a word of its sentence."""
_T = TypeVar("_T")


class Trees:
    """The columns that the dependency metrics compare, with words numbered from 0.

    Args:
        bank: the treebank.
        rules: the tables; `ud-classes` says which relations and features count.
    """

    def __init__(self, bank: Treebank, rules: Rules) -> None:
        names = rules.ud_classes
        self.bank = bank
        self.incidents: list[Incident] = []
        self.upos = bank.columns[UPOS]
        self.xpos = bank.columns[XPOS]
        self.lemmas = _mapped(bank.columns[LEMMA], composed)
        features = names["feature"]
        self.feats = _mapped(
            bank.columns[FEATS],
            lambda feats: "|".join(
                sorted(feat for feat in feats.split("|") if feat.partition("=")[0] in features)
            ),
        )
        self.deprels = _mapped(bank.columns[DEPREL], lambda deprel: deprel.partition(":")[0])
        self.content = _mapped(self.deprels, names["content"].__contains__)
        self.governors = self._governors()
        self.function_children: dict[int, list[int]] = {}
        """The children of a word that have a function relation, in order."""
        is_function = _mapped(self.deprels, names["function"].__contains__)
        for word in compress(range(len(is_function)), is_function):
            self.function_children.setdefault(self.governors[word], []).append(word)

    @property
    def depths(self) -> list[int | None]:
        """The number of arcs between each word and its root; None if none is above it."""
        return depths([governor + 1 for governor in self.governors])

    def _governors(self) -> list[int]:
        """Return the governor of each word; a sentence that is no tree is reported and scored."""
        heads = self.bank.columns[HEAD]
        if heads and not any(map(str.isdecimal, heads)):
            message = "no word has a HEAD: there are no dependencies to measure in this file"
            self.incidents.append(Incident("E802", message, self.bank.path))
            return [NO_GOVERNOR] * len(heads)
        numbers = _mapped(heads, _governor)
        governors: list[int] = []
        borders = pairwise(self.bank.word_borders)
        for (begin, end), line in zip(borders, self.bank.lines, strict=True):
            of_sentence = numbers[begin:end]
            if max(of_sentence) >= end - begin:
                of_sentence = [head if head < end - begin else NO_GOVERNOR for head in of_sentence]
            if fault := _fault(of_sentence, heads[begin:end]):
                self.incidents.append(Incident(*fault, self.bank.path, line))
            governors += [head + begin if head >= 0 else head for head in of_sentence]
        return governors


def _governor(head: str) -> int:
    """Return the number of a word, from 0, by the HEAD that names it."""
    number = to_number(head)
    return NO_GOVERNOR if number is None else number - 1


def _fault(governors: Sequence[int], heads: Sequence[str]) -> tuple[str, str] | None:
    """Return code and message of the fault that keeps a sentence from being a tree."""
    if NO_GOVERNOR in governors:
        word = governors.index(NO_GOVERNOR)
        is_number = heads[word] == NOTHING or to_number(heads[word]) is not None
        what = "a word of the sentence" if is_number else "a number"
        message = f"HEAD {heads[word]} of word {word + 1} is not {what}; the arc counts as wrong"
        return "E205" if is_number else "E204", message
    if (roots := governors.count(ROOT)) != 1:
        return "W801", f"the sentence has {roots} roots"
    if find_cycle([governor + 1 for governor in governors]) >= 0:
        return "W802", "the HEAD column contains a cycle"
    return None


def _mapped(values: Sequence[str], function: Callable[[str], _T]) -> list[_T]:
    """Map values to results, each different value once."""
    mapped = {value: function(value) for value in set(values)}
    return [mapped[value] for value in values]


Classes = Literal["deprel", "upos", "xpos", "feats", "length", "arc", "depth"]
"""The classes: relations, tags, features, the words of the sentence, the words between a word and
its governor, the arcs between a word and its root."""

_BINS: dict[str, Sequence[int]] = {
    "length": LENGTHS,
    "arc": (0, 1, 2, 3, 6, 10),
    "depth": (0, 1, 2, 3, 4, 5, 7),
}
"""The smallest number of each class; that of roots is 0."""


class DepClasses(ByClass["Trees"]):
    """Counts the arcs that a system has right, by the classes of words.

    Args:
        by: the classes.
        rules: the user's tables, as for `sejongud.rules.load`.
        punctuation: whether words that are punctuation and nothing else count.
    """

    def __init__(
        self, by: Classes = "deprel", rules: str | None = None, *, punctuation: bool = True
    ) -> None:
        super().__init__(DepMetric(punctuation=punctuation, rules=rules), by, _BINS)
        self._punctuation = punctuation

    def _classes_of(self, side: Annotation[Trees]) -> Iterable[str]:
        counted = _Totals(side.data, False, self._punctuation).counted
        return compress(_classes(side.data, self._by), counted)

    def _units(self, sides: AlignedSides[Trees]) -> list[Unit]:
        """Return the statistics of each group, from words aligned in the whole file."""
        gold, system = sides.gold.data, sides.system.data
        pairs = pair_ud_words(gold.bank, system.bank, sides.groups, sides.likeness)
        correct = _correct(gold, system, pairs, _stand_ins(system, pairs))["LAS"]
        ours, theirs = _classes(gold, self._by), _classes(system, self._by)
        counted = [_Totals(trees, False, self._punctuation).counted for trees in (gold, system)]
        correct = [*map(and_, correct, [counted[0][g] and counted[1][s] for g, s in pairs])]
        units = []
        for group, (begin, end) in pairs_of_groups(pairs, gold.bank, sides.groups):
            words = gold.bank.words_of(group.gold)
            their_words = system.bank.words_of(group.system)
            hits = compress(pairs[begin:end], correct[begin:end])
            counts = self._sums(
                [(ours[g], theirs[s]) for g, s in hits],
                [ours[g] for g in words if counted[0][g]],
                [theirs[s] for s in their_words if counted[1][s]],
            )
            units.append(Unit(group.gold, group.system, counts))
        return units


def _classes(trees: Trees, by: str) -> Sequence[str]:
    """Return the class of each word."""
    if by not in _BINS:
        return _LABELS[by](trees)
    numbers: list[int | None] = []
    if by == "length":
        for begin, end in pairwise(trees.bank.word_borders):
            numbers += [end - begin] * (end - begin)
    elif by == "arc":
        named = {ROOT: 0, NO_GOVERNOR: None}
        for word, governor in enumerate(trees.governors):
            numbers.append(named.get(governor, abs(word - governor)))
    else:
        numbers = trees.depths
    classes = {n: NO_CLASS if n is None else class_of(n, _BINS[by]) for n in set(numbers)}
    return [classes[number] for number in numbers]


_TAGS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
_ARCS = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")
_ENHANCED = ("ELAS", "EULAS")
_CONTENT = ("CLAS", "MLAS", "BLEX")
"""The scores that count content words only."""

_UNALIGNED = -3
"""The gold word of a system word that is not aligned."""

_LEFT, _RIGHT, _TO_ROOT = "l", "r", "o"

Arcs = list[list[tuple[int, tuple[str, ...]]]]
"""The enhanced arcs of each word: the governor, and the relations of the path to it, of which there
are several where an empty node was collapsed (`3:conj>obj`)."""


def _directions(trees: Trees) -> list[str]:
    """Return the direction of each word's arc."""
    named = {ROOT: _TO_ROOT, NO_GOVERNOR: NO_CLASS}
    return [
        named.get(governor, _LEFT if governor < word else _RIGHT)
        for word, governor in enumerate(trees.governors)
    ]


_LABELS: dict[str, Callable[[Trees], Sequence[str]]] = {
    "direction": _directions,
    "depth": lambda trees: [NO_CLASS if n is None else str(n) for n in trees.depths],
    "upos": attrgetter("upos"),
    "xpos": attrgetter("xpos"),
    "deprel": attrgetter("deprels"),
    "feats": lambda trees: trees.bank.columns[FEATS],
}
"""Labels of words → the function that returns that of each word, for classes and confusions."""
_WITH_ARCS = {"jsonl": None, "klue-dp": 1, "klue-dp-json": 1, "modu": 1}
"""The corpora with dependencies, which become CoNLL-U, and the level of their words."""


class DepMetric(FScores[Trees]):
    """Counts tokens, sentences, words, tags, lemmas and arcs that a system has right.

    Args:
        enhanced: whether ELAS and EULAS are measured too: the arcs of DEPS, with the subtypes of
            their relations and without.
        punctuation: whether words that are punctuation and nothing else count; if not, they are
            left out of words, tags and arcs.
        rules: the user's tables, as for `sejongud.rules.load`.
    """

    confusions = ("direction", "depth", "upos", "xpos", "deprel")

    def __init__(
        self, *, enhanced: bool = False, punctuation: bool = True, rules: str | None = None
    ) -> None:
        rows = ("Tokens", "Sentences", "Words", *_TAGS, *_ARCS, *(_ENHANCED if enhanced else ()))
        super().__init__("dep", rows, (*_TAGS, *_ARCS))
        self._enhanced = enhanced
        self._punctuation = punctuation
        self.settings = {} if punctuation else {"punctuation": "no"}
        self._folder = rules
        self._rules = load(rules)

    def _confusion(self, sides: AlignedSides[Trees], kind: str) -> Confusion:
        """Count the arcs, tags or relations that are confused."""
        gold, system = sides.gold.data, sides.system.data
        bank = gold.bank
        ours, theirs = _LABELS[kind](gold), _LABELS[kind](system)
        counted = [_Totals(trees, False, self._punctuation).counted for trees in (gold, system)]
        items = [
            LabelledItem(
                ours[g], theirs[s], bisect_right(bank.word_borders, g) - 1, bank.columns[FORM][g]
            )
            for g, s in pair_ud_words(bank, system.bank, sides.groups, sides.likeness)
            if counted[0][g] and counted[1][s]
        ]
        labels = None
        labels_seen = {label for item in items for label in item[:2]}
        if kind == "direction":
            labels = [_LEFT, _RIGHT, _TO_ROOT, *labels_seen.intersection((NO_CLASS,))]
        elif kind == "depth":
            labels = sorted(labels_seen, key=lambda depth: (depth == NO_CLASS, len(depth), depth))
        return tabulate(sides.gold, kind, items, labels)

    def read(self, source: Source) -> Annotation[Trees]:
        """Read CoNLL-U, or a corpus with dependencies; see `Metric.read`."""
        refuse(source, "conllu", "text", *_WITH_ARCS)
        told: list[Incident] = []
        with self.opened(source, Report(told.append)) as text:
            bank = Treebank.read(text.chunks(), text.path)
        trees = Trees(bank, self._rules)
        trees.incidents += told
        if self._enhanced and bank.lines and not {*bank.columns[DEPS]} - {"_"}:
            message = "no word has DEPS: there are no enhanced dependencies to measure in this file"
            trees.incidents.append(Incident("E802", message, source.path))
        return bank.side(trees, trees.incidents)

    def opened(self, source: Source, report: Report) -> AbstractContextManager[Source]:
        """Provide a file as CoNLL-U; see `Metric.opened`."""
        return as_format("conllu", source, report, _WITH_ARCS, rules=self._folder)

    def _units(self, sides: AlignedSides[Trees]) -> list[Unit]:
        """Return the statistics of each group, from words aligned in the whole file."""
        ours, theirs = sides.gold.data, sides.system.data
        pairs = pair_ud_words(ours.bank, theirs.bank, sides.groups, sides.likeness)
        stands_for = _stand_ins(theirs, pairs)
        correct = _correct(ours, theirs, pairs, stands_for)
        totals = [_Totals(trees, self._enhanced, self._punctuation) for trees in (ours, theirs)]
        if self._enhanced:
            for row in _ENHANCED:
                arcs = totals[0].arcs, totals[1].arcs
                subtypes = row == _ENHANCED[0]
                correct[row] = _count_correct(*arcs, pairs, stands_for, subtypes=subtypes)
        if not self._punctuation:
            counted = [totals[0].counted[g] and totals[1].counted[s] for g, s in pairs]
            correct = {row: list(compress(values, counted)) for row, values in correct.items()}
            pairs = list(compress(pairs, counted))
        content_pairs = [ours.content[g] for g, _ in pairs]
        units = []
        for group, (begin, end) in pairs_of_groups(pairs, ours.bank, sides.groups):
            our_words = ours.bank.words_of(group.gold)
            their_words = theirs.bank.words_of(group.system)
            our_tokens = ours.bank.tokens_of(group.gold)
            their_tokens = theirs.bank.tokens_of(group.system)
            in_words = [totals[0].sums(our_words), totals[1].sums(their_words)]
            words, content, arcs_of_group = zip(*in_words, strict=True)
            common = count_common(our_tokens, their_tokens, sides.likeness)
            counts = [common, len(our_tokens), len(their_tokens)]
            counts += [int(group.one_to_one), len(group.gold), len(group.system)]
            counts += [end - begin, *words]
            for row in self.rows[3:]:
                matching = sum(correct[row][begin:end])
                if row in _ENHANCED:
                    counts += (matching, *arcs_of_group)
                elif row in _CONTENT:
                    counts += (matching, *content, sum(content_pairs[begin:end]))
                else:
                    counts += (matching, *words, end - begin)
            units.append(Unit(group.gold, group.system, counts))
        return units


class _Totals:
    """The counted items of one side."""

    def __init__(self, trees: Trees, enhanced: bool, punctuation: bool) -> None:
        self.counted: list[bool] = [True] * len(trees.governors)
        """Whether each word counts."""
        if not punctuation:
            self.counted = [not is_punctuation(form) for form in trees.bank.columns[FORM]]
        self.arcs: Arcs = _enhanced_arcs(trees.bank) if enhanced else []
        """The enhanced arcs of each word."""
        sizes = [len(arcs) * counts for arcs, counts in zip(self.arcs, self.counted, strict=False)]
        content = trees.content if punctuation else [*map(and_, self.counted, trees.content)]
        self._columns = self.counted, content, sizes

    def sums(self, words: range) -> list[int]:
        """Return how many words, content words and enhanced arcs some words have."""
        return [sum(column[words.start : words.stop]) for column in self._columns]


def _enhanced_arcs(bank: Treebank) -> Arcs:
    """Return the arcs in DEPS of every word of a file; those from empty nodes do not count."""
    arcs: Arcs = []
    for begin, end in pairwise(bank.word_borders):
        for cell in bank.columns[DEPS][begin:end]:
            arcs_of_word = []
            for item in cell.split("|") if cell != NOTHING else ():
                head, _, path = item.partition(":")
                number = to_number(head)
                if number is not None and number <= end - begin:
                    governor = begin + number - 1 if number else ROOT
                    arcs_of_word.append((governor, tuple(path.split(">"))))
            arcs.append(arcs_of_word)
    return arcs


def _count_correct(
    gold: Arcs, system: Arcs, pairs: Pairs, stands_for: Sequence[int], *, subtypes: bool
) -> list[int]:
    """Count the arcs of each pair of words that both sides have.

    Args:
        gold: the arcs of the gold words.
        system: the arcs of the system words.
        pairs: the aligned words.
        stands_for: the gold word of each system word.
        subtypes: whether subtypes of relations must be right (ELAS), or not (EULAS).
    """

    def path(steps: tuple[str, ...]) -> tuple[str, ...]:
        return steps if subtypes else tuple([step.partition(":")[0] for step in steps])

    counts = []
    for g, s in pairs:
        theirs = [(stands_for[head], path(steps)) for head, steps in system[s]]
        counts.append(sum(theirs.count((head, path(steps))) for head, steps in gold[g]))
    return counts


def _stand_ins(system: Trees, pairs: Pairs) -> list[int]:
    """Return the gold word of each system word.

    Two entries behind the last serve the negative numbers of NO_GOVERNOR and ROOT.
    """
    stands_for = [_UNALIGNED] * len(system.governors) + [_UNALIGNED, ROOT]
    for g, s in pairs:
        stands_for[s] = g
    return stands_for


def _correct(
    gold: Trees, system: Trees, pairs: Pairs, stands_for: Sequence[int]
) -> dict[str, list[int]]:
    """Return how many are correct of each pair of words, 0 or 1, by the name of the score."""
    upos = [gold.upos[g] == system.upos[s] for g, s in pairs]
    xpos = [gold.xpos[g] == system.xpos[s] for g, s in pairs]
    feats = [gold.feats[g] == system.feats[s] for g, s in pairs]
    lemmas = [gold.lemmas[g] in ("_", system.lemmas[s]) for g, s in pairs]
    uas = [gold.governors[g] == stands_for[system.governors[s]] for g, s in pairs]
    las = list(map(and_, uas, [gold.deprels[g] == system.deprels[s] for g, s in pairs]))
    clas = list(map(and_, las, [gold.content[g] for g, _ in pairs]))
    tags = list(map(and_, upos, feats))

    def same_children(g: int, s: int) -> bool:
        ours, theirs = gold.function_children.get(g, ()), system.function_children.get(s, ())
        return len(ours) == len(theirs) and all(
            stands_for[b] == a
            and gold.deprels[a] == system.deprels[b]
            and gold.upos[a] == system.upos[b]
            and gold.feats[a] == system.feats[b]
            for a, b in zip(ours, theirs, strict=True)
        )

    return {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": list(map(and_, tags, xpos)),
        "Lemmas": lemmas,
        "UAS": uas,
        "LAS": las,
        "CLAS": clas,
        "MLAS": [
            arc and same and same_children(g, s)
            for arc, same, (g, s) in zip(clas, tags, pairs, strict=True)
        ],
        "BLEX": list(map(and_, clas, lemmas)),
    }
