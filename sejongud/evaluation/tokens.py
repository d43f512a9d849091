"""Tokens and sentence boundaries against gold (jp-preprocessing; memoir, Section 5.1).

True and false positives and false negatives, precision, recall and F1 of sentences and of tokens,
words or morphemes. Plain text has a sentence a line and spaces between tokens. Where both texts are
the same once spaces are removed, what is found is what has the same place in the text, as in
udeval; where they are not, sentences and words are aligned first, and what differs is listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.commands import open_input
from sejongud.errors import Incident, UsageError
from sejongud.evaluation.base import Evaluation, FScores, Signature, Unit
from sejongud.evaluation.differences import Text, alignment_settings, list_differences
from sejongud.evaluation.output import (
    add_alignment_options,
    add_arguments,
    read_likeness,
    run_metric,
)
from sejongud.evaluation.treebank import Treebank, looks_like_conllu
from sejongud.formats import recognise
from sejongud.layers.matching import STRICT, Likeness, align_sentences, count_common

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

__all__ = ["UNITS", "Kind", "Segmentation", "evaluate", "read_text", "register", "run"]

Kind = Literal["token", "word", "morpheme"]
"""What is counted within a sentence."""

UNITS: tuple[Kind, ...] = get_args(Kind)


class Segmentation(NamedTuple):
    """A text cut into sentences and those into units."""

    text: Text
    """The sentences and their tokens, by which the sentences are aligned."""
    units: Sequence[Sequence[str]]
    """What is counted, of each sentence: the tokens themselves, or their words or morphemes."""
    incidents: Sequence[Incident] = ()


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--unit", choices=UNITS, default=UNITS[0], help="what is counted (%(default)s)"
    )
    parser.add_argument(
        "--from",
        dest="form",
        choices=("text", "conllu"),
        help="the format of both files, if it cannot be told from the files",
    )
    add_alignment_options(parser)
    add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    likeness = read_likeness(args)
    gold = _read(args, args.gold)
    return run_metric(args, lambda system: evaluate(gold, _read(args, system), args.unit, likeness))


def evaluate(
    gold: Segmentation, system: Segmentation, unit: Kind = "token", likeness: Likeness = STRICT
) -> Evaluation:
    """Count the sentences and units that two segmentations of a text have in common.

    Args:
        gold: the right one.
        system: the one to be measured.
        unit: what the units are, for the names of the scores.
        likeness: what counts as the same where the texts differ.

    Returns:
        The scores Sentences and Tokens, Words or Morphemes.

    >>> def cut(*lines):
    ...     sentences = [line.split() for line in lines]
    ...     return Segmentation(Text(sentences, range(1, len(lines) + 1)), sentences)
    >>> found = evaluate(cut("B H CL FL HM H NEIM"), cut("B CL FL HM HNEIM"))
    >>> found.scores[1].counts
    {'tp': 4, 'fp': 1, 'fn': 3}
    """
    groups = align_sentences(
        gold.text.sentences, system.text.sentences, likeness.exceptions, likeness.similarity
    )
    units = []
    for group in groups:
        ours = [one for at in group.gold for one in gold.units[at]]
        theirs = [one for at in group.system for one in system.units[at]]
        correct = count_common(ours, theirs, likeness.exceptions)
        counts = (int(group.match), len(group.gold), len(group.system))
        units.append(Unit(group.gold, group.system, (*counts, correct, len(ours), len(theirs))))
    return Evaluation(
        FScores("tokens", ["Sentences", f"{unit.capitalize()}s"]),
        Signature("tokens", {"unit": unit, **alignment_settings(gold.text, system.text, likeness)}),
        units,
        list_differences(gold.text, system.text, groups, likeness),
        [*gold.incidents, *system.incidents],
    )


_ANALYSED = ("sejong", "corpus", "sejong-line")
"""Formats whose lines are no sentences of tokens."""


def _read(args: argparse.Namespace, path: str) -> Segmentation:
    """A file as the options say it is to be cut."""
    if args.unit == "morpheme":
        return _read_morphemes(args, path)
    with open_input(args, path) as source:
        form = args.form or ("conllu" if looks_like_conllu(source.head()) else "text")
        if form == "conllu":
            bank = Treebank.read(source.lines(), path)
            units = bank.token_sentences if args.unit == "token" else bank.word_sentences
            return Segmentation(bank.text, units, bank.incidents)
        if args.form is None and recognise(None, source.head()).name in _ANALYSED:
            raise UsageError(
                f"{path} looks like Sejong text, of which only morphemes are counted (--unit"
                " morpheme): convert it first, or say --from text if it is one of tokens"
            )
        if args.unit != "token":
            raise UsageError(f"{path} is plain text: it has tokens, no {args.unit}s")
        return read_text(source.lines(), path)


def _read_morphemes(args: argparse.Namespace, path: str) -> Segmentation:
    from sejongud.evaluation.analyses import read_analyses
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import load

    found = read_analyses(args, path, Assembler(load(args.rules)), args.form)
    units = [
        [morpheme.form for eojeol in eojeols for morpheme in eojeol.morphemes]
        for eojeols in found.sentences
    ]
    return Segmentation(found.text, units, found.incidents)


def read_text(lines: Iterable[str], path: str = "-") -> Segmentation:
    """Read plain text: a sentence a line, spaces between tokens; blank lines are nothing.

    Args:
        lines: without their ends.
        path: where they are from, for messages.
    """
    found = [(number, line.split()) for number, line in enumerate(lines, 1)]
    found = [(number, tokens) for number, tokens in found if tokens]
    sentences = [tokens for _, tokens in found]
    empty = [] if found else [Incident("E801", "there is no sentence in this file", path)]
    return Segmentation(Text(sentences, [number for number, _ in found], path), sentences, empty)
