"""Chinese constituents and semantic roles, as scored at SIGHAN 2012, Task 4.

A tree is a line in the format of the Sinica Treebank: `S(agent:NP(Nh:他)|Head:VC:刊登|…)`.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, compress
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError
from sejongud.evaluation.base import Metric
from sejongud.evaluation.parseval import reindex
from sejongud.evaluation.scores import Score, f_score, ratios, share
from sejongud.evaluation.side import collect
from sejongud.formats.treebank import PHRASE, SINICA_WORD, parts, tree_of
from sejongud.layers.matching import Group, align_further, align_words
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.errors import Incident
    from sejongud.evaluation.parseval import Constituent
    from sejongud.evaluation.side import Found, Side
    from sejongud.files import Source
    from sejongud.layers.matching import Likeness


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
            depth = len(opened)
        else:
            number, start, role = opened.pop()
            phrases[number] = (start, len(words), phrases[number][2])
            depth = len(opened)
        if role and depth == 1:
            roles.append((start, len(words), role))
    return SinicaTree(words, phrases, roles)


def read_trees(lines: Iterable[str], path: str = "-") -> Side[Trees]:
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

    def read(self, source: Source) -> Side[Trees]:
        """Read a file of trees; see `Metric.read`."""
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
        self, gold: Side[Trees], system: Side[Trees], likeness: Likeness
    ) -> tuple[Side[Trees], Side[Trees], Sequence[Group], Mapping[str, str]]:
        """Pair lines by their number if all of them have the same text; otherwise align them."""
        if _same_lines(gold.data, system.data):
            lines = [range(i, i + 1) for i, tree in enumerate(gold.data) if tree.words]
            return gold, system, [Group(line, line, True) for line in lines], {"align": "line"}
        return super()._align(_without_blanks(gold), _without_blanks(system), likeness)

    def _count(
        self, gold: Trees, system: Trees, group: Group, likeness: Likeness
    ) -> Sequence[float]:
        ours = _joined(gold[group.gold.start : group.gold.stop], self._labels)
        theirs = _joined(system[group.system.start : group.system.stop], self._labels)
        counts: list[float] = []
        for gold_spans, system_spans in _comparable(ours, theirs, likeness):
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


def _without_blanks(side: Side[Trees]) -> Side[Trees]:
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
