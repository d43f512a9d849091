"""Dependencies against gold: the table of udeval, also where the texts differ.

Tokens, sentences, words, tags, lemmas, UAS, LAS, CLAS, MLAS and BLEX (Zeman et al. 2018). Where
both files have the same text, words are aligned and counted just as by conll18_ud_eval and udeval;
where they have not, sentences and words are aligned first, and what differs is listed. --confusion
shows instead which directions or depths of arcs a system takes for which (memoir, Fig. 3.7, 3.8).
"""

from __future__ import annotations

from bisect import bisect_left
from operator import and_
from typing import TYPE_CHECKING

from sejongud.commands import reporting
from sejongud.errors import UsageError
from sejongud.evaluation.base import Evaluation, FScores, Signature, Unit
from sejongud.evaluation.confusion import CONFUSIONS, confuse, print_confusion
from sejongud.evaluation.dep_trees import ROOT, Trees
from sejongud.evaluation.differences import alignment_settings, list_differences
from sejongud.evaluation.output import (
    add_alignment_options,
    add_arguments,
    read_likeness,
    report_incidents,
    run_metric,
)
from sejongud.evaluation.treebank import read_treebank
from sejongud.evaluation.ud_words import pair_ud_words
from sejongud.layers.matching import (
    STRICT,
    Likeness,
    align_sentences,
    count_common,
)
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sejongud.evaluation.ud_words import Pairs
    from sejongud.layers.matching import Group

__all__ = ["align", "evaluate", "register", "run"]

_TAGS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
_ARCS = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")
_CONTENT = ("CLAS", "MLAS", "BLEX")
"""What counts content words only."""
_METRIC = FScores("dep", ("Tokens", "Sentences", "Words", *_TAGS, *_ARCS), (*_TAGS, *_ARCS))

_UNALIGNED = -3
"""What a system word stands for that has no gold word."""


def align(gold: Trees, system: Trees, likeness: Likeness = STRICT) -> tuple[list[Group], Pairs]:
    """The sentences of two treebanks, aligned, and the words that stand for each other."""
    groups = align_sentences(
        gold.bank.token_sentences,
        system.bank.token_sentences,
        likeness.exceptions,
        likeness.similarity,
    )
    return groups, pair_ud_words(gold.bank, system.bank, groups, likeness)


def evaluate(gold: Trees, system: Trees, likeness: Likeness = STRICT) -> Evaluation:
    """Measure the dependencies, tags and lemmas of a system.

    Args:
        gold: the right trees.
        system: those to be measured.
        likeness: what counts as the same where the texts differ.
    """
    groups, pairs = align(gold, system, likeness)
    texts = gold.bank.text, system.bank.text
    return Evaluation(
        _METRIC,
        Signature("dep", alignment_settings(*texts, likeness)),
        _units(gold, system, groups, pairs, likeness),
        list_differences(*texts, groups, likeness),
        [*gold.incidents, *system.incidents],
    )


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--confusion", choices=CONFUSIONS, help="show which arcs are taken for which instead"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw the confusion into FILE as well")
    add_alignment_options(parser)
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print.

    Raises:
        UsageError: a picture is wanted of nothing.
    """
    likeness = read_likeness(args)
    rules = load(args.rules)

    def read(path: str) -> Trees:
        return Trees(read_treebank(args, path), rules)

    gold = read(args.gold)
    if args.confusion is None:
        if args.picture:
            raise UsageError("--picture draws a confusion: say which with --confusion")
        return run_metric(args, lambda path: evaluate(gold, read(path), likeness))
    with reporting(args) as report:
        system = read(args.system)
        report_incidents(report, [*gold.incidents, *system.incidents], args.on_error)
    _, pairs = align(gold, system, likeness)
    settings = alignment_settings(gold.bank.text, system.bank.text, likeness)
    confusion = confuse(gold, system, pairs, args.confusion)
    print_confusion(args, confusion, Signature(f"dep {args.confusion}", settings))
    return 1 if report.errors else 0


def _units(
    gold: Trees, system: Trees, groups: Sequence[Group], pairs: Pairs, likeness: Likeness
) -> list[Unit]:
    """The statistics of each group of sentences."""
    correct = _correct(gold, system, pairs)
    content_pairs = [gold.content[g] for g, _ in pairs]
    gold_of_pairs = [g for g, _ in pairs]
    units = []
    for group in groups:
        ours, theirs = gold.bank.words_of(group.gold), system.bank.words_of(group.system)
        # The pairs are in gold order: those of the group are neighbours.
        begin = bisect_left(gold_of_pairs, ours.start)
        end = bisect_left(gold_of_pairs, ours.stop)
        content = (
            sum(gold.content[ours.start : ours.stop]),
            sum(system.content[theirs.start : theirs.stop]),
            sum(content_pairs[begin:end]),
        )
        counts = [
            *_tokens(gold, system, group, likeness),
            *(int(group.match), len(group.gold), len(group.system)),
            *(end - begin, len(ours), len(theirs)),
        ]
        for row in (*_TAGS, *_ARCS):
            all_words = (len(ours), len(theirs), end - begin)
            totals = content if row in _CONTENT else all_words
            counts += (sum(correct[row][begin:end]), *totals)
        units.append(Unit(group.gold, group.system, counts))
    return units


def _tokens(gold: Trees, system: Trees, group: Group, likeness: Likeness) -> tuple[int, int, int]:
    """How many tokens of a group are correct, in gold, in the system."""
    ours, theirs = gold.bank.tokens_of(group.gold), system.bank.tokens_of(group.system)
    return count_common(ours, theirs, likeness.exceptions), len(ours), len(theirs)


def _correct(gold: Trees, system: Trees, pairs: Pairs) -> dict[str, list[bool]]:
    """Whether each pair of words is correct, by the name of the score."""
    # What each system word stands for in gold; behind the last, by their negative numbers, what
    # has no governor and what is a root.
    stands_for = [_UNALIGNED] * len(system.governors) + [_UNALIGNED, ROOT]
    for g, s in pairs:
        stands_for[s] = g
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
