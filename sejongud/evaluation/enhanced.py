"""Enhanced dependencies against gold: ELAS and EULAS (Bouma et al. 2020, Section 4), as udeval."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.evaluation.dep_trees import ROOT
from sejongud.formats.base import to_number
from sejongud.formats.conllu.rows import DEPS
from sejongud.model import NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.evaluation.treebank import Treebank
    from sejongud.evaluation.ud_words import Pairs

Arcs = list[list[tuple[int, tuple[str, ...]]]]
"""The enhanced arcs of each word: the governor, and the relations of the path to it, of which there
are several where an empty node was collapsed (`3:conj>obj`)."""


def enhanced_arcs(bank: Treebank) -> Arcs:
    """Return the arcs in DEPS of every word of a file; those from empty nodes do not count."""
    arcs: Arcs = []
    for begin, end in pairwise(bank.word_borders):
        for cell in bank.columns[DEPS][begin:end]:
            found = []
            for item in cell.split("|") if cell != NOTHING else ():
                head, _, path = item.partition(":")
                number = to_number(head)
                if number is not None and number <= end - begin:
                    governor = begin + number - 1 if number else ROOT
                    found.append((governor, tuple(path.split(">"))))
            arcs.append(found)
    return arcs


def count_correct(
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
        found = [(stands_for[governor], path(steps)) for governor, steps in system[s]]
        counts.append(sum(found.count((at, path(steps))) for at, steps in gold[g]))
    return counts
