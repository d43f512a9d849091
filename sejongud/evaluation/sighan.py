"""Chinese constituents and semantic roles, as scored at SIGHAN 2012, Task 4.

A tree is a line in the format of the Sinica Treebank, `S(agent:NP(Nh:他)|Head:VC:刊登|…)`. A
constituent is right if its borders and its phrase label are, of the labels in rules/sighan.toml; a
semantic role of the top level is right if its borders and the role are. Borders are places in the
text, so words may be cut differently. Micro averages are those of all constituents, macro averages
those of sentences. Lines belong together by their number if they have the same text, or the system
has none; otherwise sentences and words are aligned first.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.commands import open_input
from sejongud.errors import FormatError, Incident
from sejongud.evaluation.base import Evaluation, Metric, Score, Signature, Unit, f_score
from sejongud.evaluation.differences import Text, alignment_settings, list_differences
from sejongud.evaluation.output import (
    add_alignment_options,
    add_arguments,
    read_likeness,
    run_metric,
)
from sejongud.evaluation.parseval import reindex
from sejongud.layers.matching import Group, Likeness, align_sentences, align_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from sejongud.evaluation.parseval import Constituent

__all__ = ["Sighan", "SinicaTree", "SinicaTrees", "evaluate", "parse", "read", "register", "run"]


class SinicaTree(NamedTuple):
    """A sentence: its words, and what is said of them."""

    words: Sequence[str] = ()
    phrases: Sequence[Constituent] = ()
    """First word, behind the last word, phrase label."""
    roles: Sequence[Constituent] = ()
    """Of the top level: first word, behind the last word, role."""


class SinicaTrees(NamedTuple):
    """What was read from a file."""

    trees: Sequence[SinicaTree]
    """A tree for each line; one without words for a line that is blank or cannot be read."""
    path: str = "-"
    incidents: Sequence[Incident] = ()

    @property
    def text(self) -> Text:
        """The words of each line."""
        lines = range(1, len(self.trees) + 1)
        return Text([tree.words for tree in self.trees], lines, self.path)


_PHRASE = re.compile(r"(?:([^:()|]+):)?([^:()|]+)\(")
_WORD = re.compile(r"(?:([^:()|]+):)?([^:()|]+):([^()|]+)")


def parse(text: str) -> SinicaTree:
    """Read one tree; spaces in it mean nothing.

    Args:
        text: the tree: `label(…|…)`, words as `tag:word`, with `role:` before either.

    Raises:
        FormatError: it is not a tree.

    >>> parse("S(agent:NP(Nh:他)|Head:VC:刊登)").roles
    [(0, 1, 'agent'), (1, 2, 'Head')]
    """
    text = "".join(text.split())
    words: list[str] = []
    phrases: list[Constituent] = []
    roles: list[Constituent] = []
    opened: list[tuple[int, int, str]] = []  # which phrase, its first word, its role
    place = 0
    between = False  # whether a phrase or word has just ended
    while place < len(text):
        if between and opened and text[place] in "|)":
            if text[place] == ")":
                number, start, role = opened.pop()
                phrases[number] = (start, len(words), phrases[number][2])
                if role and len(opened) == 1:
                    roles.append((start, len(words), role))
            between = text[place] == ")"
            place += 1
        elif not between and (match := _PHRASE.match(text, place)):
            opened.append((len(phrases), len(words), match[1] or ""))
            phrases.append((0, 0, match[2]))
            place = match.end()
        elif not between and opened and (match := _WORD.match(text, place)):
            if match[1] and len(opened) == 1:
                roles.append((len(words), len(words) + 1, match[1]))
            words.append(match[3])
            between = True
            place = match.end()
        else:
            wanted = "| or )" if opened else "the end of the line"
            raise _error(
                f"here should be {wanted if between else 'label(…) or tag:word'}", text, place
            )
    if opened or not between:
        raise _error(f"closing brackets are missing: {len(opened)}", text, place)
    return SinicaTree(words, phrases, roles)


def _error(message: str, text: str, place: int) -> FormatError:
    return FormatError(message, column=place + 1, text=text, code="E603")


def read(lines: Iterable[str], path: str = "-") -> SinicaTrees:
    """Read a file of trees, one a line.

    Args:
        lines: without their ends.
        path: the name of the file, for messages.
    """
    trees = []
    incidents = []
    for number, line in enumerate(lines, 1):
        tree = SinicaTree()
        if line.strip():
            try:
                tree = parse(line)
            except FormatError as error:
                incidents.append(error.at(path=path, line=number).incident())
        trees.append(tree)
    if not any(tree.words for tree in trees):
        incidents.append(Incident("E801", "there is no tree in this file", path))
    return SinicaTrees(trees, path, incidents)


def phrase_labels(directory: str | None = None) -> frozenset[str]:
    """The labels of the constituents that are counted.

    Args:
        directory: the user's tables, as for `sejongud.rules.load`.
    """
    from sejongud.rules import load

    return frozenset(load(directory).settings("sighan")["phrase_labels"])


class Sighan(Metric):
    """Constituents and roles, micro and macro (Tseng et al. 2012, Equations 1-6)."""

    name = "sighan"
    rows = ("Constituents", "Roles")
    columns = (
        *[
            f"{row}:{count}"
            for row in rows
            for count in ("correct", "gold", "system", "precision", "recall")
        ],
        "sentences",
    )

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """See `Metric.scores`."""
        scores = []
        sentences = totals[-1] or 1
        for k, row in enumerate(self.rows):
            correct, gold, system, precision, recall = totals[5 * k : 5 * k + 5]
            scores.append(f_score(f"{row} (micro)", int(correct), int(gold), int(system)))
            precision, recall = precision / sentences, recall / sentences
            ratios = {
                "precision": precision,
                "recall": recall,
                "f1": _share(2 * precision * recall, precision + recall),
            }
            scores.append(Score(f"{row} (macro)", {}, ratios))
        return scores


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


_NO_LIKENESS = Likeness()


def evaluate(
    gold: SinicaTrees,
    system: SinicaTrees,
    likeness: Likeness = _NO_LIKENESS,
    directory: str | None = None,
) -> Evaluation:
    """Score a system.

    Args:
        gold: the right trees. A line without a tree is not scored.
        system: the trees to be scored.
        likeness: what counts as the same where the texts differ.
        directory: the user's tables, as for `sejongud.rules.load`.

    >>> gold = read(["S(agent:NP(Nh:他)|Head:VC:笑)"])
    >>> [score.ratios["f1"] for score in evaluate(gold, read(["S(Nh:他|Head:VC:笑)"])).scores]
    [0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 0.6666666666666666]
    """
    labels = phrase_labels(directory)
    by_line = _same_lines(gold.trees, system.trees)
    if by_line:
        ones = [range(at, at + 1) for at, tree in enumerate(gold.trees) if tree.words]
        groups = [Group(one, one, True) for one in ones]
    else:
        gold = gold._replace(trees=[tree for tree in gold.trees if tree.words])
        system = system._replace(trees=[tree for tree in system.trees if tree.words])
        groups = align_sentences(
            gold.text.sentences, system.text.sentences, likeness.exceptions, likeness.similarity
        )
    units = []
    for group in groups:
        ours = _joined(gold.trees[group.gold.start : group.gold.stop], labels)
        theirs = _joined(system.trees[group.system.start : group.system.stop], labels)
        counts: list[float] = []
        for one, other in _comparable(ours, theirs, likeness):
            correct = (Counter(one) & Counter(other)).total()
            shares = _share(correct, len(other)), _share(correct, len(one))
            counts += [correct, len(one), len(other), *shares]
        units.append(Unit(group.gold, group.system, [*counts, 1]))
    settings = (
        {"align": "line"} if by_line else alignment_settings(gold.text, system.text, likeness)
    )
    return Evaluation(
        Sighan(),
        Signature("sighan", {"labels": "+".join(sorted(labels)), **settings}),
        units,
        list_differences(gold.text, system.text, groups, likeness),
        [*gold.incidents, *system.incidents],
    )


def _same_lines(gold: Sequence[SinicaTree], system: Sequence[SinicaTree]) -> bool:
    """Whether the lines belong together by their number."""
    return len(gold) == len(system) and all(
        not one.words or not other.words or "".join(one.words) == "".join(other.words)
        for one, other in zip(gold, system, strict=True)
    )


def _joined(trees: Sequence[SinicaTree], labels: frozenset[str]) -> SinicaTree:
    """Trees side by side, with the phrases that are counted."""
    words: list[str] = []
    phrases: list[Constituent] = []
    roles: list[Constituent] = []
    for tree in trees:
        n = len(words)
        words += tree.words
        phrases += [
            (start + n, end + n, label) for start, end, label in tree.phrases if label in labels
        ]
        roles += [(start + n, end + n, role) for start, end, role in tree.roles]
    return SinicaTree(words, phrases, roles)


def _comparable(
    gold: SinicaTree, system: SinicaTree, likeness: Likeness
) -> list[tuple[Sequence[Constituent], Sequence[Constituent]]]:
    """Phrases and roles of both, with borders that mean the same in both."""
    both = ((gold.phrases, system.phrases), (gold.roles, system.roles))
    if "".join(gold.words) == "".join(system.words):
        return [
            (_by_character(gold.words, ours), _by_character(system.words, theirs))
            for ours, theirs in both
        ]
    groups = align_words(gold.words, system.words, likeness.exceptions)
    return [reindex(ours, theirs, groups) for ours, theirs in both]


def _by_character(words: Sequence[str], constituents: Iterable[Constituent]) -> list[Constituent]:
    """Constituents over words as constituents over characters."""
    places = [0, *accumulate(map(len, words))]
    return [(places[start], places[end], label) for start, end, label in constituents]


# --- the command ----------------------------------------------------------------------------------


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_alignment_options(parser)
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    likeness = read_likeness(args)
    gold = _read(args, args.gold)
    return run_metric(
        args, lambda system: evaluate(gold, _read(args, system), likeness, args.rules)
    )


def _read(args: argparse.Namespace, path: str) -> SinicaTrees:
    with open_input(args, path) as source:
        return read(source.lines(), path)
