"""The command `sejongud eval parse`: the aligned metric, and EVALB itself."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.commands import open_output, say
from sejongud.commands.eval.base import MetricCommand
from sejongud.errors import UsageError
from sejongud.files import Source
from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sejongud import evaluation
    from sejongud.evaluation.evalb import Parameters
    from sejongud.evaluation.scores import Measured
    from sejongud.evaluation.side import Side
    from sejongud.evaluation.tables import Result
    from sejongud.layers.matching import Likeness
    from sejongud.report.beside import SidePair

_OPTIONS = {"-d": ("debug", 1), "-D": ("debug", 2), "-c": ("cutoff_len", 0), "-e": ("max_error", 0)}
"""Option → the key of the parameters, and the value of an option without an argument."""


_NOT_EVALB = ("sentences", "bootstrap", "compare", "others", "by", "html")
"""The options that EVALB does not have."""


class Parse(MetricCommand):
    """Bracketed trees against gold: PARSEVAL on aligned words (jp-evalb), or EVALB itself.

    Sentences and words are aligned first, so gold and system may differ in both. The table has
    EVALB's columns and a row for each aligned group of sentences: Len. is its length in aligned
    words but for those that DELETE_LABEL_FOR_LENGTH takes out, Words and Tags count the words of
    gold. Every word counts, punctuation too. -p takes other parameters, by the name of a set in
    rules/evalb.toml (COLLINS, new, nk, SPMRL) or as a file in EVALB's syntax.

    --evalb prints the output of EVALB, byte for byte. Both files must have the same words on the
    same lines; -p, -d, -D, -c and -e are EVALB's options.
    """

    name = "parse"

    def run(self, args: argparse.Namespace) -> int:
        """Measure and print, or run EVALB."""
        return _run_evalb(args) if args.evalb else super().run(args)

    def metric(self, args: argparse.Namespace) -> evaluation.base.Metric[Any]:
        """Return the metric.

        Raises:
            UsageError: an option needs --evalb.
        """
        from sejongud.evaluation.evalb import Parameters, load_parameters
        from sejongud.evaluation.parse import ParseLabels
        from sejongud.evaluation.parse import ParseMetric as Metric

        given = [option for option, _ in args.settings or ()]
        if foreign := [option for option in given if option in ("-d", "-D", "-e")]:
            raise UsageError(f"{foreign[0]} is an option of EVALB: add --evalb, or leave it out")
        names = [Path(value).name for option, value in args.settings or () if option == "-p"]
        start = Parameters() if names else load_parameters("aligned", directory=args.rules)
        found = partial(ParseLabels, by=args.by) if args.by else Metric
        return found(_parameters(args, start, _text, say), "+".join(names) or "aligned")

    def pairs(
        self,
        args: argparse.Namespace,
        evaluation: Measured,
        sides: tuple[Side[Any], Side[Any]],
        likeness: Likeness,
    ) -> Iterable[SidePair]:
        """Return the trees that the metric compared, with what it counts as wrong."""
        from sejongud.report.beside import tree_pairs

        return tree_pairs(evaluation, *sides, likeness=likeness, rules=args.rules)

    def to_text(self, args: argparse.Namespace, result: Result) -> str:
        """Return the table of EVALB, whose rows are the sentences, above intervals and test."""
        if args.by:
            return super().to_text(args, result)
        from sejongud.evaluation.parse import format_rows
        from sejongud.evaluation.tables import to_text

        rows = format_rows(result.evaluation)
        return f"{rows}\n{to_text(replace(result, sentences=False), scores_elsewhere=True)}"


class InOrder(argparse.Action):
    """Keeps the options of EVALB with their values, in the order in which they are given."""

    def __call__(
        self, parser: object, args: argparse.Namespace, value: Any, option: Any = None
    ) -> None:
        """Add an option."""
        args.settings = [*(args.settings or ()), (option, value or "")]


def _parameters(
    args: argparse.Namespace,
    parameters: Parameters,
    read: Callable[[str], Sequence[str]],
    warn: Callable[[str], None],
) -> Parameters:
    """Return the parameters after all options, in their order.

    Args:
        args: the arguments, with `settings` and `rules`.
        parameters: the parameters without any option.
        read: returns the lines of a parameter file.
        warn: see `sejongud.evaluation.evalb.read_parameters`.

    Raises:
        OSError: a parameter file cannot be read, or there is neither such a file nor such a set.
    """
    from sejongud.evaluation.evalb import atoi, load_parameters, read_parameters

    for option, value in args.settings or ():
        if option != "-p":
            name, given = _OPTIONS[option]
            change: dict[str, Any] = {name: given or atoi(value)}
            parameters = replace(parameters, **change)
        elif Path(value).exists() or not value.isidentifier():
            parameters = read_parameters(read(value), parameters, warn)
        else:
            parameters = load_parameters(value, parameters, args.rules)
    return parameters


def _run_evalb(args: argparse.Namespace) -> int:
    from sejongud.evaluation.evalb import Parameters, evaluate

    others = [name for name in _NOT_EVALB if getattr(args, name)]
    others += [args.to] if args.to not in (None, "text") else []
    if others:
        raise UsageError(f"--{others[0]} and --evalb exclude each other: EVALB prints one table")

    def warn(message: str) -> None:
        # A character of the message is a byte of its text.
        text = message.encode("latin-1").decode("utf-8", "surrogateescape")
        sys.stderr.buffer.write(f"{clean(text)}\n".encode())
        sys.stderr.flush()

    try:
        file = "parameter"
        parameters = _parameters(args, Parameters(), _lines, warn)
        file = "gold"
        gold = _lines(args.gold)
        file = "test"
        test = _lines(args.system)
    except OSError as error:
        # EVALB prints this message whatever the reason.
        warn(f"Can't open {file} file ({os.fsencode(error.filename).decode('latin-1')})")
        return 1
    with open_output(args) as out:
        return evaluate(gold, test, parameters, out.buffer, sys.stderr.buffer)


def _text(path: str) -> list[str]:
    """Return the lines of a text file in any encoding."""
    with Source(path) as source:
        return list(source.lines())


def _lines(path: str) -> list[str]:
    """Return the lines of a file, a character a byte."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    lines = data.decode("latin-1").split("\n")
    return lines if lines[-1] else lines[:-1]
