"""Bracketed trees against gold: PARSEVAL on aligned words (jp-evalb), as a whole and by class.

The classes are labels, or lengths of sentences in words. A class has the gold constituents that
belong to it in gold, and the system's that belong to it in the system; a constituent that is right
counts in the class of gold on both sides (as `sejongud.evaluation.dep`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.converters.jobs import as_format, columns_of
from sejongud.errors import Report
from sejongud.evaluation.base import (
    LENGTHS,
    AlignedSides,
    ByClass,
    Metric,
    class_of,
    names_of,
    refuse,
)
from sejongud.evaluation.evalb import Parameters, load_parameters
from sejongud.evaluation.parseval import Constituent, ParsevalCounts, count_places, reindex
from sejongud.evaluation.scores import Score, f_score, share
from sejongud.evaluation.side import Annotation, Found, collect
from sejongud.formats import sniff
from sejongud.formats.brackets import Tree, keep_words, read, side_by_side
from sejongud.formats.conllu.layers import TREE_COLUMNS
from sejongud.layers.labels import LOST, LOST_FRAME
from sejongud.layers.matching import Group, align_further, align_words, pair_words

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from sejongud.errors import FormatError, Incident
    from sejongud.files import Source
    from sejongud.layers.subsequence import Likeness


Classes = Literal["label", "length"]
"""The classes: labels, or the words of the sentence."""

_NOT_WRITTEN = ("W301", LOST, LOST_FRAME)
_WITH_TREES = dict.fromkeys(("treebank", "penn-korean", "sinica", "conllu", "jsonl"))
"""The corpora with constituents, which become brackets over the words that they have, or else over
morphemes."""


class ParseLabels(ByClass["list[Tree]"]):
    """Counts the constituents that a system has right, by class.

    Args:
        parameters: as for `ParseMetric`.
        name: the name of the parameters for the signature.
        rules: the user's tables, as for `sejongud.rules.load`.
        by: the classes.
    """

    def __init__(
        self,
        parameters: Parameters | str | None = None,
        name: str = "aligned",
        rules: str | None = None,
        by: Classes = "label",
    ) -> None:
        self._parse = ParseMetric(parameters, name, rules)
        super().__init__(self._parse, by, {"length": LENGTHS})

    def wrong(
        self, gold: list[Tree], system: list[Tree], group: Group, likeness: Likeness
    ) -> tuple[list[Wrong], list[Wrong]]:
        """Return what counts as wrong in each tree; see `Parse.wrong`."""
        return self._parse.wrong(gold, system, group, likeness)

    def _classes_of(self, side: Annotation[list[Tree]]) -> Iterable[str]:
        if self._bins:
            # Sentences that are aligned as one may be longer than each of them.
            return names_of(LENGTHS)
        return [label for tree in side.data for _, _, label in self._parse.selected.of(tree)]

    def _classes(
        self, constituents: Sequence[Constituent], trees: Sequence[Tree], sentences: range
    ) -> list[str]:
        """Return the class of each constituent of sentences that are aligned as one."""
        if self._by == "label":
            return [label for _, _, label in constituents]
        length = self._parse.count_words(trees[sentences.start : sentences.stop])
        return [class_of(max(length, 1), LENGTHS)] * len(constituents)

    def _count(self, sides: AlignedSides[list[Tree]], group: Group) -> Sequence[float]:
        gold, system = sides.gold.data, sides.system.data
        _, _, ours, theirs, _ = self._parse.aligned(gold, system, group, sides.likeness)
        pairs = self._parse.selected.match(ours, theirs)
        our_classes = self._classes(ours, gold, group.gold)
        their_classes = self._classes(theirs, system, group.system)
        right = [(our_classes[i], their_classes[j]) for i, j in pairs]
        return self._sums(right, our_classes, their_classes)


_COUNTS = len(ParsevalCounts._fields)
"""Behind the counts of an aligned group of sentences stand its other statistics: the aligned words,
1 for the group, whether a side has words, whether both have, and whether the group then is
complete, has no crossing, has two or less."""


class AlignedTrees(NamedTuple):
    """Aligned sentences side by side, over the words that count."""

    gold: Tree
    system: Tree
    ours: list[Constituent]
    """The constituents of gold that count, over aligned words."""
    theirs: list[Constituent]
    words: Sequence[Group] | None = None
    """The aligned words; None if both sides have the same words, or one side has none."""


class Wrong(NamedTuple):
    """What counts as wrong in a tree."""

    constituents: list[int]
    """Their numbers, in the order of their brackets."""
    words: list[int]
    """The numbers of the words whose tags are wrong."""


class ParseMetric(Metric["list[Tree]"]):
    """Counts constituents, tags, and sentences without errors or with few.

    Words of aligned sentences are aligned in groups. Two constituents are the same if they have the
    same label and cover the same groups; words that only one side has change no constituent. A
    constituent that begins or ends within a group of several words counts as covering all of the
    group; one that has only a part of a single group is never found. Trees of several sentences
    that are aligned with one stand side by side, without a root over them that could count
    (jp-evalb, Sections 2 and 3).

    Args:
        parameters: words whose tag is a DELETE_LABEL are taken out once sentences are aligned;
            labels count as in EVALB. A name is that of a set in rules/evalb.toml; None is the set
            `aligned`.
        name: the name of the parameters for the signature.
        rules: the user's tables, as for `sejongud.rules.load`.

    >>> gold = read_trees(["(S (NP (N 비)) (VP (V 오) (E ㄴ다)))"])
    >>> system = read_trees(["(S (NP (N 비)) (VP (V 온다)))"])
    >>> ParseMetric().measure(gold, system)[0].scores[0].counts
    {'tp': 3, 'fp': 0, 'fn': 0}
    """

    name = "parse"
    width = _COUNTS + 7

    def __init__(
        self,
        parameters: Parameters | str | None = None,
        name: str = "aligned",
        rules: str | None = None,
    ) -> None:
        if isinstance(parameters, str):
            name = parameters
        if parameters is None or isinstance(parameters, str):
            parameters = load_parameters(name, directory=rules)
        self.parameters = parameters
        self.settings = {"parameters": name}
        self._folder = rules
        self._deleted = frozenset(self.parameters.delete_label)
        self._uncounted = frozenset(self.parameters.delete_label_for_length)
        self._odd = self._deleted ^ self._uncounted
        self.selected = self.parameters.constituents
        """The constituents that count."""

    def read(self, source: Source) -> Annotation[list[Tree]]:
        """Read bracketed trees, or a corpus with constituents; see `Metric.read`."""
        head = source.head()
        found = sniff(head)
        if found and TREE_COLUMNS[0] not in columns_of(found.name, head):
            refuse(source, "text", way="it has no constituents")
        told: list[Incident] = []
        with self.opened(source, Report(told.append)) as text:
            side = read_trees(text.lines(), text.path)
        # Trees are compared, and nothing is written: other layers are not lost.
        told = [one for one in told if one.code not in _NOT_WRITTEN]
        return side._replace(incidents=[*told, *side.incidents])

    def opened(self, source: Source, report: Report) -> AbstractContextManager[Source]:
        """Provide a file as brackets; see `Metric.opened`."""
        return as_format("brackets", source, report, _WITH_TREES, rules=self._folder)

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return the scores of constituents, tags and sentences; see `Metric.scores`."""
        counts = ParsevalCounts(*map(int, totals[:_COUNTS]))
        _, groups, wanted, valid, complete, *crossing = totals[_COUNTS:]
        shares = {"complete": share(complete, wanted)}
        for name, n in zip(("no crossing", "2 or less"), crossing, strict=True):
            shares[name] = share(n, valid)
        return [
            f_score("Constituents", counts.matched, counts.gold, counts.system),
            Score(
                "Tags",
                {"correct": counts.tags, "words": counts.words},
                {"accuracy": share(counts.tags, counts.words)},
                main="accuracy",
            ),
            Score(
                "Sentences",
                {"sentences": groups, "crossing": counts.crossing},
                shares,
                main="complete",
            ),
        ]

    def count_words(self, trees: Iterable[Tree]) -> int:
        """Count the words of trees that belong to the length of a sentence.

        Args:
            trees: the trees.
        """
        return len([tag for tree in trees for tag in tree.tags if tag not in self._uncounted])

    def aligned(
        self, gold: list[Tree], system: list[Tree], group: Group, likeness: Likeness
    ) -> AlignedTrees:
        """Return aligned sentences with the constituents that count, over aligned words.

        Args:
            gold: the gold trees.
            system: the trees to measure.
            group: the sentences.
            likeness: which words count as the same.
        """
        gold_tree = _merged(gold[group.gold.start : group.gold.stop], self._deleted)
        system_tree = _merged(system[group.system.start : group.system.stop], self._deleted)
        ours, theirs = self.selected.of(gold_tree), self.selected.of(system_tree)
        if gold_tree.words == system_tree.words or not gold_tree.words or not system_tree.words:
            return AlignedTrees(gold_tree, system_tree, ours, theirs)
        words = align_words(gold_tree.words, system_tree.words, likeness)
        further = align_further(gold_tree.words, system_tree.words, words, likeness)
        return AlignedTrees(gold_tree, system_tree, *reindex(ours, theirs, further), words)

    def _count(self, sides: AlignedSides[list[Tree]], group: Group) -> Sequence[float]:
        gold, system, likeness = sides.gold.data, sides.system.data, sides.likeness
        aligned = self.aligned(gold, system, group, likeness)
        gold_tree, system_tree, ours, theirs, words = aligned
        sizes = len(gold_tree.words), len(system_tree.words)
        length = max(sizes) if words is None else count_places(words)
        tags = sum([same for _, _, same in self._tags(aligned, likeness)])
        counts = self.selected.compare(ours, theirs, words=len(gold_tree.words), tags=tags)
        our_trees = gold[group.gold.start : group.gold.stop]
        their_trees = system[group.system.start : group.system.stop]
        if any(not self._odd.isdisjoint(tree.tags) for tree in (*our_trees, *their_trees)):
            our_tree, their_tree = (
                _merged(trees, self._uncounted) for trees in (our_trees, their_trees)
            )
            length = _length(our_tree.words, their_tree.words, likeness)
        figures = counts.complete, counts.crossing == 0, counts.crossing <= 2
        valid = all(sizes)
        return (*counts, length, 1, any(sizes), valid, *[valid and figure for figure in figures])

    def _tags(self, aligned: AlignedTrees, likeness: Likeness) -> Iterator[tuple[int, int, bool]]:
        """Yield the words that both sides have, and whether their tags are the same."""
        gold_tree, system_tree, _, _, words = aligned
        same = self.selected.same_label
        sizes = len(gold_tree.words), len(system_tree.words)
        pairs: Iterable[tuple[int, int]] = ((i, i) for i in range(min(sizes)))
        if words is not None:
            pairs = pair_words(gold_tree.words, system_tree.words, words, likeness)
        for i, j in pairs:
            yield i, j, same(gold_tree.tags[i], system_tree.tags[j])

    def wrong(
        self, gold: list[Tree], system: list[Tree], group: Group, likeness: Likeness
    ) -> tuple[list[Wrong], list[Wrong]]:
        """Return what counts as wrong in each tree of aligned sentences: of gold, of the system.

        A gold word without a word of the system has no right tag; a word of the system alone has
        no wrong one, as tags are counted by the words of gold.

        Args:
            gold: the gold trees.
            system: the trees to measure.
            group: the sentences.
            likeness: which words count as the same.
        """
        aligned = self.aligned(gold, system, group, likeness)
        pairs = self.selected.match(aligned.ours, aligned.theirs)
        tags = list(self._tags(aligned, likeness))
        right = {i for i, _, same in tags if same}
        words = set(range(len(aligned.gold.words))) - right, {j for _, j, same in tags if not same}
        wrong = []
        for side, (trees, span) in enumerate(((gold, group.gold), (system, group.system))):
            matched = {pair[side] for pair in pairs}
            numbers = enumerate(self.selected.numbers((aligned.gold, aligned.system)[side]))
            nodes = {i for number, i in numbers if number not in matched}
            wrong.append(list(self._by_tree(trees[span.start : span.stop], nodes, words[side])))
        return wrong[0], wrong[1]

    def _by_tree(
        self, trees: Iterable[Tree], constituents: Container[int], words: Container[int]
    ) -> Iterator[Wrong]:
        """Yield what is wrong in each of the trees that stand side by side."""
        label = word = 0
        for tree in trees:
            word_indices = [i for i, tag in enumerate(tree.tags) if tag not in self._deleted]
            yield Wrong(
                [i for i in range(len(tree.labels)) if label + i in constituents],
                [i for number, i in enumerate(word_indices, word) if number in words],
            )
            label, word = label + len(tree.labels), word + len(word_indices)


def _merged(trees: Sequence[Tree], left_out: Container[str]) -> Tree:
    """Return trees side by side, over the words whose tags are not left out."""
    trees_left = [keep_words(tree, [tag not in left_out for tag in tree.tags]) for tree in trees]
    return trees_left[0] if len(trees_left) == 1 else side_by_side(trees_left)


def _length(gold: Sequence[str], system: Sequence[str], likeness: Likeness) -> int:
    """Return how many aligned words two sentences have, or the words of the only one."""
    if not gold or not system or gold == system:
        return len(gold) or len(system)
    return count_places(align_words(gold, system, likeness))


def read_trees(lines: Iterable[str], path: str = "-") -> Annotation[list[Tree]]:
    """Read trees. A sentence that cannot be read is reported and left out.

    Args:
        lines: the lines of the file.
        path: the name of the file.
    """
    faults: list[FormatError] = []
    results: list[Found[Tree] | Incident] = [
        (tree.line, list(tree.words), tree)
        for tree in read(lines, path, faults.append)
        if tree.words
    ]
    return collect(path, [error.incident() for error in faults] + results)
