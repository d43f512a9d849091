"""Bracketed trees against gold: PARSEVAL on aligned words (jp-evalb), or EVALB itself.

Sentences and words are aligned first, so gold and system may differ in both. The table has EVALB's
columns, an aligned group of sentences on each row: Len. is its length in aligned words, Words and
Tags count the words of gold. Every word counts, punctuation too. -p takes other parameters, by the
name of a set in rules/evalb.toml (COLLINS, new, nk, SPMRL) or as a file in EVALB's syntax.

--evalb prints what EVALB prints, byte for byte, which needs the same words on the same lines of
both files; -p, -d, -D, -c and -e are its options.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.commands import open_input, say
from sejongud.errors import Incident, UsageError
from sejongud.evaluation import evalb
from sejongud.evaluation.base import Evaluation, Metric, Score, Signature, Unit, f_score
from sejongud.evaluation.differences import Text, alignment_settings, list_differences
from sejongud.evaluation.output import (
    add_alignment_options,
    add_arguments,
    read_likeness,
    run_metric,
)
from sejongud.evaluation.parseval import (
    HEADER,
    VALID,
    Counts,
    Row,
    count_places,
    format_summary,
    reindex,
)
from sejongud.formats.brackets import Tree, keep_words, read, side_by_side
from sejongud.layers.matching import Likeness, align_sentences, align_words, pair_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_NO_LIKENESS = Likeness()
_NO_SETTINGS: Mapping[str, str] = {}

__all__ = ["Parseval", "Trees", "evaluate", "format_table", "read_trees", "register", "run"]


class Trees(NamedTuple):
    """What was read from a file."""

    trees: Sequence[Tree]
    path: str = "-"
    incidents: Sequence[Incident] = ()
    """Sentences that could not be read."""

    @property
    def text(self) -> Text:
        """The words of each sentence."""
        return Text(
            [tree.words for tree in self.trees], [tree.line for tree in self.trees], self.path
        )


class _Statistics(NamedTuple):
    """The statistics of an aligned group of sentences."""

    matched: int
    gold: int
    system: int
    crossing: int
    words: int
    tags: int
    length: int
    """Aligned words."""
    groups: int
    """1; the sum says how many groups there are."""
    complete: int
    no_crossing: int
    few_crossing: int


_LENGTH = _Statistics._fields.index("length")


class Parseval(Metric):
    """Constituents, tags, and how many sentences have no error or few."""

    name = "parse"
    columns = _Statistics._fields

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """See `Metric.scores`."""
        row = _Statistics(*totals)  # type: ignore[arg-type]
        groups = row.groups or 1
        return [
            f_score("Constituents", row.matched, row.gold, row.system),
            Score(
                "Tags",
                {"correct": row.tags, "words": row.words},
                {"accuracy": row.tags / row.words if row.words else 0.0},
                main="accuracy",
            ),
            Score(
                "Sentences",
                {"sentences": row.groups, "crossing": row.crossing},
                {
                    "complete": row.complete / groups,
                    "no crossing": row.no_crossing / groups,
                    "2 or less": row.few_crossing / groups,
                },
                main="complete",
            ),
        ]


def read_trees(lines: Iterable[str], path: str = "-") -> Trees:
    """Read trees, leaving out the sentences that cannot be read.

    Args:
        lines: of the file.
        path: its name, for messages.
    """
    incidents: list[Incident] = []
    trees = [
        tree
        for tree in read(lines, path, lambda error: incidents.append(error.incident()))
        if tree.words
    ]
    if not trees:
        incidents.append(Incident("E801", "there is no tree in this file", path))
    return Trees(trees, path, incidents)


def evaluate(
    gold: Trees,
    system: Trees,
    parameters: evalb.Parameters,
    likeness: Likeness = _NO_LIKENESS,
    settings: Mapping[str, str] = _NO_SETTINGS,
) -> Evaluation:
    """Score trees whose sentences and words need not be the same.

    The words of aligned sentences are aligned in groups, and a constituent is the same as another
    if both have the same label and cover the same groups. One that begins or ends within a group of
    several words counts as covering all of the group, but one that has only a part of a single
    group stands for nothing on the other side and is not found there. The trees of several
    sentences that stand for one stand side by side; there is no root over them that could count
    (jp-evalb, Sections 2 and 3).

    Args:
        gold: the right trees.
        system: the trees to be scored.
        parameters: words whose tag is a DELETE_LABEL are taken out, once sentences are aligned;
            labels count as in EVALB.
        likeness: what counts as the same where the texts differ.
        settings: more for the signature.

    >>> gold = read_trees(["(S (NP (N 비)) (VP (V 오) (E ㄴ다)))"])
    >>> system = read_trees(["(S (NP (N 비)) (VP (V 온다)))"])
    >>> evaluate(gold, system, evalb.Parameters()).scores[0].counts
    {'tp': 3, 'fp': 0, 'fn': 0}
    """
    scorer = _Scorer(parameters, likeness.exceptions)
    groups = align_sentences(
        gold.text.sentences, system.text.sentences, likeness.exceptions, likeness.similarity
    )
    units = []
    for group in groups:
        ours = gold.trees[group.gold.start : group.gold.stop]
        theirs = system.trees[group.system.start : group.system.stop]
        units.append(Unit(group.gold, group.system, scorer.score(ours, theirs)))
    return Evaluation(
        Parseval(),
        Signature("parse", {**settings, **alignment_settings(gold.text, system.text, likeness)}),
        units,
        list_differences(gold.text, system.text, groups, likeness),
        [*gold.incidents, *system.incidents],
    )


class _Scorer:
    """Scores aligned sentences."""

    def __init__(self, parameters: evalb.Parameters, exceptions: Mapping[str, str]) -> None:
        self.deleted = frozenset(parameters.delete_label)
        self.constituents = parameters.constituents
        self.exceptions = exceptions

    def score(self, gold_trees: Sequence[Tree], system_trees: Sequence[Tree]) -> _Statistics:
        """The statistics of sentences that stand for each other; one side may have none."""
        gold, system = self.merge(gold_trees), self.merge(system_trees)
        ours, theirs = self.constituents.of(gold), self.constituents.of(system)
        pairs: Iterable[tuple[int, int]]
        if not gold.words or not system.words:
            length = len(gold.words) + len(system.words)
            pairs = ()
        elif gold.words == system.words:
            length = len(gold.words)
            pairs = ((i, i) for i in range(length))
        else:
            groups = align_words(gold.words, system.words, self.exceptions)
            length = count_places(groups)
            pairs = pair_words(gold.words, system.words, groups, self.exceptions)
            ours, theirs = reindex(ours, theirs, groups)
        same = self.constituents.same_label
        counts = self.constituents.compare(
            ours,
            theirs,
            words=len(gold.words),
            tags=sum(same(gold.tags[i], system.tags[j]) for i, j in pairs),
        )
        return _Statistics(
            *counts,
            length=length,
            groups=1,
            complete=counts.complete,
            no_crossing=counts.crossing == 0,
            few_crossing=counts.crossing <= 2,
        )

    def merge(self, trees: Sequence[Tree]) -> Tree:
        """The trees side by side, over the words that count."""
        kept = [keep_words(tree, [tag not in self.deleted for tag in tree.tags]) for tree in trees]
        return kept[0] if len(kept) == 1 else side_by_side(kept)


def format_table(evaluation: Evaluation, cutoff_len: int) -> str:
    """The table, as EVALB and jp-evalb have it (jp-evalb, Figures 3-5).

    Args:
        evaluation: of `Parseval`.
        cutoff_len: sentences up to this length, in aligned words, are summed up once more.
    """
    rows = [
        Row(number, int(unit.counts[_LENGTH]), VALID, Counts(*map(int, unit.counts[:_LENGTH])))
        for number, unit in enumerate(evaluation.units, 1)
    ]
    summary = format_summary(rows, cutoff_len, undefined="0.00")
    return f"{HEADER}{''.join(map(str, rows))}{summary}"


# --- the command ----------------------------------------------------------------------------------


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    group = parser.add_argument_group("parameters (what is given last holds)")
    group.add_argument(
        "--evalb", action="store_true", help="print what EVALB prints, byte for byte"
    )
    for option, metavar, text in (
        ("-p", "PARAM", "a parameter file, or the name of a set in rules/evalb.toml"),
        ("-c", "N", "sum up sentences of at most N words as well (40)"),
        ("-e", "N", "with --evalb: how many errors are too many (10)"),
        ("-d", None, "with --evalb: print words and constituents"),
        ("-D", None, "with --evalb: print every comparison, too"),
    ):
        group.add_argument(
            option,
            dest="settings",
            action=_Setting,
            nargs=1 if metavar else 0,
            metavar=metavar,
            help=text,
        )
    add_alignment_options(parser)
    add_arguments(parser)


class _Setting(argparse.Action):
    """Keeps options with their values in the order in which they were given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = (option_string or "", "".join(values))
        namespace.settings = [*(namespace.settings or ()), given]


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    return _run_evalb(args) if args.evalb else _run_aligned(args)


def _run_aligned(args: argparse.Namespace) -> int:
    settings = args.settings or []
    if foreign := [option for option, _ in settings if option in ("-d", "-D", "-e")]:
        raise UsageError(f"{foreign[0]} is an option of EVALB: add --evalb, or leave it out")
    names = [Path(value).name for option, value in settings if option == "-p"]
    parameters = evalb.Parameters()
    if not names:
        parameters = evalb.load_parameters("aligned", parameters, args.rules)
    parameters = _apply(settings, parameters, "utf-8", say, args.rules)
    likeness = read_likeness(args)
    gold = _read(args, args.gold)

    @cache
    def measure(path: str) -> Evaluation:
        signature = {"parameters": "+".join(names) or "aligned"}
        return evaluate(gold, _read(args, path), parameters, likeness, signature)

    if not args.json and not args.csv:
        print(format_table(measure(args.system), parameters.cutoff_len))
        args.sentences = False  # they are in the table
    return run_metric(args, measure)


def _read(args: argparse.Namespace, path: str) -> Trees:
    with open_input(args, path) as source:
        return read_trees(source.lines(), path)


def _apply(
    settings: Iterable[tuple[str, str]],
    parameters: evalb.Parameters,
    encoding: str,
    warn: Callable[[str], None],
    directory: str | None,
) -> evalb.Parameters:
    """The parameters after all options, in their order.

    Args:
        settings: options and their values.
        parameters: what holds without them.
        encoding: of parameter files.
        warn: see `sejongud.evaluation.evalb.read_parameters`.
        directory: the user's tables, as for `sejongud.rules.load`.

    Raises:
        OSError: a parameter file cannot be read, or there is neither such a file nor such a set.
    """
    for option, value in settings:
        if option != "-p":
            name, given = _OPTIONS[option]
            change: dict[str, Any] = {name: given or evalb.atoi(value)}
            parameters = replace(parameters, **change)
        elif Path(value).exists() or not value.isidentifier():
            lines = Path(value).read_bytes().decode(encoding).split("\n")
            parameters = evalb.read_parameters(lines, parameters, warn)
        else:
            parameters = evalb.load_parameters(value, parameters, directory)
    return parameters


_OPTIONS = {"-d": ("debug", 1), "-D": ("debug", 2), "-c": ("cutoff_len", 0), "-e": ("max_error", 0)}
"""Option → the key of the parameters, and the value of an option that has none of its own."""


def _run_evalb(args: argparse.Namespace) -> int:
    for name in ("json", "csv", "sentences", "bootstrap", "compare"):
        if getattr(args, name):
            raise UsageError(f"--{name} and --evalb: EVALB has its own table, and nothing else")

    def warn(message: str) -> None:
        sys.stderr.buffer.write(f"{message}\n".encode("latin-1"))
        sys.stderr.flush()

    try:
        what = "parameter"
        parameters = _apply(args.settings or [], evalb.Parameters(), "latin-1", warn, args.rules)
        what = "gold"
        gold = _lines(args.gold)
        what = "test"
        test = _lines(args.system)
    except OSError as error:
        # As EVALB says it, whatever the reason.
        warn(f"Can't open {what} file ({os.fsencode(error.filename).decode('latin-1')})")
        return 1
    return evalb.evaluate(gold, test, parameters, sys.stdout.buffer, sys.stderr.buffer)


def _lines(path: str) -> list[str]:
    """The lines of a file, a character a byte."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    lines = data.decode("latin-1").split("\n")
    return lines if lines[-1] else lines[:-1]
