"""Segmentation and tags against gold, at every level of granularity.

At each of the levels 1 to 5 (memoir, ch. 2): F1 of the words, F1 of the words with their tags, and
the accuracy of the tags of those words that were found. Gold and system may be of any level and any
format: both are seen at every level. Level 1 is what Table 2.2 converts all tagging results to: the
tags of an eojeol's morphemes are its one tag. Analyses are eojeols with all morphemes and all tags
right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.evaluation.analyses import Analysed, read_analyses
from sejongud.evaluation.base import Evaluation, FScores, Signature, Unit
from sejongud.evaluation.differences import alignment_settings, list_differences
from sejongud.evaluation.output import (
    add_alignment_options,
    add_arguments,
    read_likeness,
    run_metric,
)
from sejongud.formats import READERS
from sejongud.layers.matching import (
    STRICT,
    Likeness,
    align_sentences,
    align_words,
    pair_words,
)
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sejongud.model import Eojeol
    from sejongud.rules import Rules

__all__ = ["evaluate", "register", "run"]

_WORDS = tuple(f"Words {level}" for level in LEVELS)
_TAGS = tuple(f"Tags {level}" for level in LEVELS)
_METRIC = FScores(
    "pos",
    ("Sentences", *(row for rows in zip(_WORDS, _TAGS, strict=True) for row in rows), "Analyses"),
    _TAGS,
)


class _Cut(NamedTuple):
    """An eojeol, or some, at one level."""

    forms: list[str]
    tags: list[str]


class _Levels:
    """Eojeols at all levels, each cut once."""

    def __init__(self, rules: Rules) -> None:
        self._granularities = [Granularity(rules, level) for level in LEVELS]
        self._cuts: dict[Eojeol, tuple[_Cut, ...]] = {}

    def of(self, eojeol: Eojeol) -> tuple[_Cut, ...]:
        """One eojeol at each level."""
        if eojeol not in self._cuts:
            cuts = []
            for granularity in self._granularities:
                words = [word for token in granularity.tokens(eojeol) for word in token.words]
                cuts.append(_Cut([word.form for word in words], [word.xpos for word in words]))
            self._cuts[eojeol] = tuple(cuts)
        return self._cuts[eojeol]

    def of_all(self, eojeols: Sequence[Eojeol]) -> list[_Cut]:
        """Several eojeols, joined, at each level."""
        joined = [_Cut([], []) for _ in LEVELS]
        for eojeol in eojeols:
            for cut, whole in zip(self.of(eojeol), joined, strict=True):
                whole.forms.extend(cut.forms)
                whole.tags.extend(cut.tags)
        return joined


def evaluate(
    gold: Analysed, system: Analysed, rules: Rules, likeness: Likeness = STRICT
) -> Evaluation:
    """Measure the segmentation and the tags of a system at every level.

    Args:
        gold: the right analyses.
        system: those to be measured.
        rules: the tables by which eojeols are cut.
        likeness: what counts as the same where the texts differ.
    """
    groups = align_sentences(
        gold.text.sentences, system.text.sentences, likeness.exceptions, likeness.similarity
    )
    levels = _Levels(rules)
    units = []
    for group in groups:
        counts = _count(gold.within(group.gold), system.within(group.system), levels, likeness)
        sentences = (int(group.match), len(group.gold), len(group.system))
        units.append(Unit(group.gold, group.system, (*sentences, *counts)))
    return Evaluation(
        _METRIC,
        Signature("pos", alignment_settings(gold.text, system.text, likeness)),
        units,
        list_differences(gold.text, system.text, groups, likeness),
        [*gold.incidents, *system.incidents],
    )


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--from",
        dest="form",
        choices=READERS,
        help="the format of both files, if it cannot be told from the files",
    )
    add_alignment_options(parser)
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    likeness = read_likeness(args)
    rules = load(args.rules)
    assembler = Assembler(rules)

    def read(path: str) -> Analysed:
        return read_analyses(args, path, assembler, args.form)

    gold = read(args.gold)
    return run_metric(args, lambda path: evaluate(gold, read(path), rules, likeness))


def _count(
    gold: Sequence[Eojeol], system: Sequence[Eojeol], levels: _Levels, likeness: Likeness
) -> list[int]:
    """The statistics of an aligned group of sentences, eojeol by eojeol."""
    found = [0] * len(LEVELS)
    tagged = [0] * len(LEVELS)
    analysed = 0
    groups = align_words(
        [eojeol.form for eojeol in gold],
        [eojeol.form for eojeol in system],
        likeness.exceptions,
    )
    for group in groups:
        ours = gold[group.gold.start : group.gold.stop]
        theirs = system[group.system.start : group.system.stop]
        analysed += group.match and _analysis(ours[0]) == _analysis(theirs[0])
        sides = zip(levels.of_all(ours), levels.of_all(theirs), strict=True)
        for at, (our_cut, their_cut) in enumerate(sides):
            words, tags = _common(our_cut, their_cut, likeness)
            found[at] += words
            tagged[at] += tags
    counts = []
    sizes = zip(levels.of_all(gold), levels.of_all(system), strict=True)
    for (our_cut, their_cut), words, tags in zip(sizes, found, tagged, strict=True):
        total = len(our_cut.forms), len(their_cut.forms)
        counts += [words, *total, tags, *total, words]
    return [*counts, analysed, len(gold), len(system)]


def _common(gold: _Cut, system: _Cut, likeness: Likeness) -> tuple[int, int]:
    """How many words two aligned pieces have in common, and how many of these have the same tag."""
    if gold == system:
        return len(gold.forms), len(gold.forms)
    groups = align_words(gold.forms, system.forms, likeness.exceptions)
    pairs = pair_words(gold.forms, system.forms, groups, likeness.exceptions)
    return len(pairs), sum(gold.tags[i] == system.tags[j] for i, j in pairs)


def _analysis(eojeol: Eojeol) -> list[tuple[str, str]]:
    return [(morpheme.form, morpheme.tag) for morpheme in eojeol.morphemes]
