"""Count PARSEVAL (Black et al. 1991) as EVALB does, and lay out EVALB's table.

A constituent counts if it covers a word and its label, up to the first `-` or `=`, is not left out.
It is right if the other tree has a constituent with the same label over the same words; each
constituent is matched once. A system constituent crosses if a gold constituent either begins or
ends inside it. Example: over four words, (1, 3) crosses (2, 4).

Chinese constituents and semantic roles, as scored at SIGHAN 2012, Task 4.

A tree is a line in the format of the Sinica Treebank: `S(agent:NP(Nh:他)|Head:VC:刊登|…)`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from heapq import heappop, heappush
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError, Incident
from sejongud.evaluation.base import AlignedSides, Metric, refuse
from sejongud.evaluation.scores import Measured, Score, f_score, ratios, share
from sejongud.evaluation.side import Annotation, Found, collect
from sejongud.formats.treebank import PHRASE, SINICA_WORD, parts, tree_of
from sejongud.layers.matching import Group, align_further, align_words
from sejongud.memo import remembered
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from sejongud.files import Source
    from sejongud.formats.brackets import Tree
    from sejongud.layers.subsequence import Likeness

Constituent = tuple[int, int, str]
"""First word, behind the last word, label."""


def cut_label(label: str) -> str:
    """Return a label without its function tags and indices.

    >>> cut_label("NP-SBJ=1")
    'NP'
    """
    return re.split("[-=]", label, maxsplit=1)[0]


def both_ways(pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Return pairs in either order."""
    return frozenset(pair for a, b in pairs for pair in ((a, b), (b, a)))


class Constituents:
    """Selects the constituents of a tree that count, and compares those of two trees.

    Args:
        left_out: labels that do not count; labels equal to them do not count either.
        equal: pairs of labels that count as equal; equality is not transitive (if a is equal to b
            and b to c, a need not be equal to c).
        labeled: whether two constituents need the same label to be the same.
    """

    def __init__(
        self,
        left_out: Iterable[str],
        equal: Iterable[tuple[str, str]] = (),
        labeled: bool = True,
    ) -> None:
        self.equal = both_ways(equal)
        self.labeled = labeled
        self._left_out = set(left_out)
        self._left_out |= {b for a, b in self.equal if a in self._left_out}

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: what is remembered stays behind."""
        return {name: value for name, value in vars(self).items() if name != "labels"}

    @remembered(1 << 12)
    def labels(self, written: str) -> str | None:
        """Return the label that counts of a label as written; None if it does not count."""
        label = cut_label(written)
        return None if label in self._left_out else label

    def of(self, tree: Tree) -> list[Constituent]:
        """Return the constituents that count, in the order of the tree."""
        labels = self.labels
        return [
            (start, end, label)
            for start, end, written in zip(tree.starts, tree.ends, tree.labels, strict=True)
            if start != end and (label := labels[written]) is not None
        ]

    def numbers(self, tree: Tree) -> list[int]:
        """Return the numbers in the tree of the constituents that `of` returns."""
        rows = enumerate(zip(tree.starts, tree.ends, tree.labels, strict=True))
        return [
            i for i, (start, end, label) in rows if start != end and self.labels[label] is not None
        ]

    def same_label(self, gold: str, system: str) -> bool:
        """Return whether two labels, or two tags, are the same or count as equal."""
        return gold == system or (gold, system) in self.equal

    def match(
        self, gold: Sequence[Constituent], system: Sequence[Constituent]
    ) -> list[tuple[int, int]]:
        """Pair the constituents that are the same, by their indices in `gold` and `system`.

        Each gold constituent takes the first system constituent that is left.
        """
        places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for j, (start, end, _) in enumerate(system):
            places[start, end].append(j)
        pairs = []
        for i, (start, end, label) in enumerate(gold):
            for j in places.get((start, end), ()):
                if not self.labeled or self.same_label(label, system[j][2]):
                    pairs.append((i, j))
                    places[start, end].remove(j)
                    break
        return pairs

    def compare(
        self, gold: Sequence[Constituent], system: Sequence[Constituent], words: int, tags: int
    ) -> ParsevalCounts:
        """Return the figures of one sentence.

        Args:
            gold: the gold constituents that count.
            system: the system constituents that count, over the same words.
            words: the number of words.
            tags: the number of words with the right tag.
        """
        matched = len(self.match(gold, system))
        crossing = count_crossing(gold, system)
        return ParsevalCounts(matched, len(gold), len(system), crossing, words, tags)


def count_crossing(gold: Iterable[Constituent], system: Iterable[Constituent]) -> int:
    """Count the constituents of `system` that overlap one of `gold` and neither holds the other."""
    spans = {(start, end) for start, end, _ in gold}
    # A span of `gold` crosses nothing, as constituents of one tree do not cross.
    uncommon = [(start, end) for start, end, _ in system if (start, end) not in spans]
    if not uncommon:
        return 0
    ends = _nearest_ends(spans, {start for start, _ in uncommon})
    mirrored = {(-end, -start) for start, end in spans}
    starts = _nearest_ends(mirrored, {-end for _, end in uncommon})
    return sum(ends[start] < end or starts[-end] < -start for start, end in uncommon)


def _nearest_ends(spans: Iterable[tuple[int, int]], places: Iterable[int]) -> dict[int, float]:
    """Return the nearest end of a span around each place; infinity if no span is around it."""
    waiting = sorted(spans, reverse=True)
    around: list[int] = []  # a heap of ends
    nearest: dict[int, float] = {}
    for place in sorted(places):
        while waiting and waiting[-1][0] < place:
            heappush(around, waiting.pop()[1])
        while around and around[0] <= place:
            heappop(around)
        nearest[place] = around[0] if around else math.inf
    return nearest


def reindex(
    gold: Iterable[Constituent], system: Iterable[Constituent], groups: Sequence[Group]
) -> tuple[list[Constituent], list[Constituent]]:
    """Convert constituents over words to constituents over aligned groups (jp-evalb, Section 3).

    A constituent is the run of the groups that both sides have: words that only one side has change
    no span. A constituent that begins or ends within a group of several words covers all of the
    group. A constituent that has only a part of a single group, or no word that the other side has,
    gets a span that the other side never has.

    Args:
        gold: constituents over the gold words; each covers at least one word.
        system: constituents over the system words.
        groups: the aligned words (`sejongud.layers.matching.align_further`).

    >>> from sejongud.layers.matching import Group
    >>> reindex([(0, 2, "NP"), (1, 2, "N")], [(0, 1, "NP")], [Group(range(2), range(1), False)])
    ([(0, 1, 'NP'), (-1, -1, 'N')], [(0, 1, 'NP')])
    """
    shared = [group for group in groups if group.gold and group.system]
    return (
        list(_over_groups(gold, [group.gold for group in shared], nowhere=-1)),
        list(_over_groups(system, [group.system for group in shared], nowhere=-2)),
    )


def count_places(groups: Iterable[Group]) -> int:
    """Count the words of aligned sentences: the groups that both sides have.

    >>> from sejongud.layers.matching import Group
    >>> count_places([Group(range(2), range(1), False), Group(range(2, 3), range(1, 1), False)])
    1
    """
    return sum(1 for group in groups if group.gold and group.system)


def _over_groups(
    constituents: Iterable[Constituent], shared: Sequence[range], nowhere: int
) -> Iterator[Constituent]:
    """Yield constituents over the words of one side as constituents over groups of words."""
    starts = [words.start for words in shared]
    ends = [words.stop for words in shared]
    for start, end, label in constituents:
        # The first group that ends behind the start; behind the last that begins before the end.
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        part = last - first == 1 and (starts[first] < start or ends[first] > end)
        yield (nowhere, nowhere, label) if first >= last or part else (first, last, label)


class ParsevalCounts(NamedTuple):
    """The figures of a sentence, or the sums over several sentences."""

    matched: int = 0
    gold: int = 0
    system: int = 0
    crossing: int = 0
    words: int = 0
    tags: int = 0
    """Words with the right tag."""

    @property
    def complete(self) -> bool:
        """Whether there is no error."""
        return self.matched == self.gold == self.system

    @property
    def recall(self) -> float:
        """The percentage of gold constituents that the system found."""
        return _percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """The percentage of system constituents that are right."""
        return _percent(self.matched, self.system)

    @property
    def tagging(self) -> float:
        """The percentage of words with the right tag."""
        return _percent(self.tags, self.words)


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


# --- the table ------------------------------------------------------------------------------------

VALID, ERROR, SKIP = range(3)
"""The values of the column Stat."""

_RULE = "=" * 76 + "\n"
HEADER = (
    "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
) + _RULE
"""The head of the table, in EVALB's spelling."""


class ParsevalRow(NamedTuple):
    """The row of a sentence in the table."""

    number: int
    length: int
    status: int
    counts: ParsevalCounts

    def __str__(self) -> str:
        number, length, status, counts = self
        matched, gold, system, crossing, words, tags = counts
        return (
            f"{number:4d}  {length:3d}    {status:d}  {counts.recall:6.2f} {counts.precision:6.2f}"
            f"   {matched:3d}    {gold:3d}  {system:3d}    {crossing:3d}"
            f"   {words:4d}  {tags:4d}   {counts.tagging:6.2f}\n"
        )


def format_summary(
    rows: Sequence[ParsevalRow], cutoff_len: int, undefined: str, counted: Container[int] = (VALID,)
) -> str:
    """Return the part of the table below the rows.

    Args:
        rows: the rows.
        cutoff_len: sentences up to this length are summed up once more.
        undefined: the F measure if nothing can be measured.
        counted: the statuses of the rows that count in the figures. Only rows with the status VALID
            can be complete or cross, and the shares without crossing are shares of these rows.
    """
    short = [row for row in rows if row.length <= cutoff_len]
    total = _total([row.counts for row in rows if row.status in counted])
    return (
        f"{_RULE}{total}=== Summary ===\n{_block('All', rows, undefined, counted)}"
        f"{_block(f'len<={cutoff_len}', short, undefined, counted)}"
    )


def _sum(counts: Sequence[ParsevalCounts]) -> ParsevalCounts:
    return ParsevalCounts(*map(sum, zip(*counts, strict=True)))


def _total(counts: Sequence[ParsevalCounts]) -> str:
    sums = _sum(counts)
    matched, gold, system, crossing, words, tags = sums
    figures = (
        f"                {sums.recall:6.2f} {sums.precision:6.2f}"
        f" {matched:6d} {gold:5d} {system:5d}  {crossing:5d}"
    )
    return f"{figures if gold and system else ''}  {words:5d} {tags:5d}   {sums.tagging:6.2f}\n"


def _block(title: str, rows: Sequence[ParsevalRow], undefined: str, counted: Container[int]) -> str:
    statuses = Counter(row.status for row in rows)
    # In a skipped row without words there is nothing to find.
    counting = [row for row in rows if row.status in counted]
    wanted = [row for row in counting if row.status != SKIP or row.counts.words]
    valid = [row.counts for row in rows if row.status == VALID]
    sums = _sum([row.counts for row in wanted])
    recall, precision = sums.recall, sums.precision
    total = recall + precision
    figures = {
        "Bracketing Recall": recall,
        "Bracketing Precision": precision,
        "Bracketing FMeasure": 2 * recall * precision / total if total else undefined,
        "Complete match": _percent(sum(row.complete for row in valid), len(wanted)),
        "Average crossing": sums.crossing / len(valid) if valid else 0.0,
        "No crossing": _percent(sum(row.crossing == 0 for row in valid), len(valid)),
        "2 or less crossing": _percent(sum(row.crossing <= 2 for row in valid), len(valid)),
        "Tagging accuracy": sums.tagging,
    }
    numbers = {
        "Number of sentence": len(rows),
        "Number of Error sentence": statuses[ERROR],
        "Number of Skip  sentence": statuses[SKIP],
        "Number of Valid sentence": statuses[VALID],
    }
    lines = [f"{name:<25} = {number:6d}\n" for name, number in numbers.items()]
    for name, figure in figures.items():
        shown = f"{figure:6.2f}" if isinstance(figure, float) else f"{figure:>6}"
        lines.append(f"{name:<25} = {shown}\n")
    return f"\n-- {title} --\n{''.join(lines)}"


def format_rows(evaluation: Measured) -> str:
    """Return the table of EVALB, an aligned group of sentences on each row (jp-evalb, Fig. 3-5).

    As in EVALB a group without words in the system is skipped (Stat. 2), and one without words in
    gold is an error (Stat. 1); here their constituents count all the same.

    Args:
        evaluation: by `sejongud.evaluation.parse.ParseMetric`.
    """
    metric: Any = evaluation.metric
    size = len(ParsevalCounts._fields)
    rows = []
    for number, unit in enumerate(evaluation.units, 1):
        *figures, length, _, wanted, valid = map(int, unit.counts[: size + 4])
        counts = ParsevalCounts(*figures)
        status = VALID if valid else ERROR if wanted and not counts.words else SKIP
        rows.append(ParsevalRow(number, length, status, counts))
    every = VALID, ERROR, SKIP
    summary = format_summary(rows, metric.parameters.cutoff_len, undefined="0.00", counted=every)
    return f"{HEADER}{''.join(map(str, rows))}{summary}"


# --- SIGHAN 2012, Task 4 --------------------------------------------------------------------------


class SinicaTree(NamedTuple):
    """A sentence with its constituents and roles."""

    words: Sequence[str] = ()
    phrases: Sequence[Constituent] = ()
    """First word, behind the last word, phrase label."""
    roles: Sequence[Constituent] = ()
    """The roles of the top level: first word, behind the last word, role."""


Trees = list[SinicaTree]
"""A tree for each line; a line that is blank or has a fault has a tree without words."""


def parse(text: str) -> SinicaTree:
    """Parse the tree of a line; spaces in it mean nothing.

    Args:
        text: the tree: `label(…|…)`, words as `tag:word`, with `role:` before either.

    Raises:
        FormatError: it is not a tree.

    >>> parse("S(agent:NP(Nh:他)|Head:VC:刊登)").roles
    [(0, 1, 'agent'), (1, 2, 'Head')]
    """
    words: list[str] = []
    phrases: list[Constituent] = []
    roles: list[Constituent] = []
    opened: list[tuple[int, int, str]] = []  # the number of a phrase, its first word, its role
    for kind, role, label, word in parts(tree_of(text)):
        if kind == PHRASE:
            opened.append((len(phrases), len(words), role))
            phrases.append((0, 0, label))
            continue
        if kind == SINICA_WORD:
            start = len(words)
            words.append(word)
        else:
            number, start, role = opened.pop()
            phrases[number] = (start, len(words), phrases[number][2])
        if role and len(opened) == 1:
            roles.append((start, len(words), role))
    return SinicaTree(words, phrases, roles)


def read_trees(lines: Iterable[str], path: str = "-") -> Annotation[Trees]:
    """Read a file of trees, one on each line.

    Args:
        lines: the lines without their ends.
        path: the name of the file.
    """
    return collect(path, _trees(lines, path))


def _trees(lines: Iterable[str], path: str) -> Iterator[Found[SinicaTree] | Incident]:
    for number, line in enumerate(lines, 1):
        tree = SinicaTree()
        if line.strip():
            try:
                tree = parse(line)
            except FormatError as error:
                yield error.at(path=path, line=number).incident()
        yield number, list(tree.words), tree


class SighanMetric(Metric[Trees]):
    """Counts constituents and roles, micro and macro (Tseng et al. 2012, Equations 1-6).

    Args:
        rules: the user's tables, as for `sejongud.rules.load`.

    >>> gold, system = (read_trees([f"S({role}NP(Nh:他)|Head:VC:笑)"]) for role in ("agent:", ""))
    >>> [found] = SighanMetric().measure(gold, system)
    >>> [round(score.ratios["f1"], 2) for score in found.scores]
    [1.0, 1.0, 0.67, 0.67]
    """

    name = "sighan"
    width = 11

    def __init__(self, rules: str | None = None) -> None:
        self._labels = frozenset(load(rules).settings("sighan")["phrase_labels"])
        self.settings = {"labels": "+".join(sorted(self._labels))}

    def read(self, source: Source) -> Annotation[Trees]:
        """Read a file of trees; see `Metric.read`."""
        refuse(source, "sinica", "text", way="its trees are not S(agent:NP(Nh:他)|Head:VC:笑)")
        return read_trees(source.lines(), source.path)

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return micro and macro averages; see `Metric.scores`."""
        scores = []
        sentences = totals[-1] or 1
        for row, start in (("Constituents", 0), ("Roles", 5)):
            scores.append(f_score(f"{row} (micro)", *map(int, totals[start : start + 3])))
            averages = ratios(totals[start + 3] / sentences, totals[start + 4] / sentences)
            scores.append(Score(f"{row} (macro)", {}, averages))
        return scores

    def _align(
        self, gold: Annotation[Trees], system: Annotation[Trees], likeness: Likeness
    ) -> AlignedSides[Trees]:
        """Pair lines by their number if all of them have the same text; otherwise align them."""
        if _same_lines(gold.data, system.data):
            lines = [range(i, i + 1) for i, tree in enumerate(gold.data) if tree.words]
            groups = [Group(line, line, True) for line in lines]
            return AlignedSides(gold, system, groups, likeness, {"align": "line"})
        return super()._align(_without_blanks(gold), _without_blanks(system), likeness)

    def _count(self, sides: AlignedSides[Trees], group: Group) -> Sequence[float]:
        ours = _joined([sides.gold.data[i] for i in group.gold], self._labels)
        theirs = _joined([sides.system.data[i] for i in group.system], self._labels)
        counts: list[float] = []
        for gold_spans, system_spans in _comparable(ours, theirs, sides.likeness):
            correct = (Counter(gold_spans) & Counter(system_spans)).total()
            shares = share(correct, len(system_spans)), share(correct, len(gold_spans))
            counts += [correct, len(gold_spans), len(system_spans), *shares]
        return [*counts, 1]


def _same_lines(gold: Trees, system: Trees) -> bool:
    """Return whether lines of one number have one text; a line without a tree fits any."""
    return len(gold) == len(system) and all(
        not a.words or not b.words or "".join(a.words) == "".join(b.words)
        for a, b in zip(gold, system, strict=True)
    )


def _without_blanks(side: Annotation[Trees]) -> Annotation[Trees]:
    """Return a side without the lines that have no tree."""
    filled = list(map(bool, side.sentences))
    return side._replace(
        sentences=list(compress(side.sentences, filled)),
        data=list(compress(side.data, filled)),
        lines=list(compress(side.lines, filled)),
    )


def _joined(trees: Sequence[SinicaTree], labels: frozenset[str]) -> SinicaTree:
    """Return trees side by side, with the phrases that are counted."""
    words: list[str] = []
    phrases: list[Constituent] = []
    roles: list[Constituent] = []
    for tree in trees:
        n = len(words)
        words += tree.words
        counted = [phrase for phrase in tree.phrases if phrase[2] in labels]
        phrases += [(start + n, end + n, label) for start, end, label in counted]
        roles += [(start + n, end + n, role) for start, end, role in tree.roles]
    return SinicaTree(words, phrases, roles)


def _comparable(
    gold: SinicaTree, system: SinicaTree, likeness: Likeness
) -> list[tuple[Sequence[Constituent], Sequence[Constituent]]]:
    """Return the phrases and the roles of both trees, with borders that both trees share."""
    pairs = ((gold.phrases, system.phrases), (gold.roles, system.roles))
    if "".join(gold.words) == "".join(system.words):
        sides = gold.words, system.words
        return [(_by_character(sides[0], a), _by_character(sides[1], b)) for a, b in pairs]
    groups = align_words(gold.words, system.words, likeness)
    groups = align_further(gold.words, system.words, groups, likeness)
    return [reindex(ours, theirs, groups) for ours, theirs in pairs]


def _by_character(words: Sequence[str], constituents: Iterable[Constituent]) -> list[Constituent]:
    """Return constituents over words as constituents over characters."""
    places = [0, *accumulate(map(len, words))]
    return [(places[start], places[end], label) for start, end, label in constituents]
