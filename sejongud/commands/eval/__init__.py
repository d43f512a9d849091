"""Measure a system against gold: tokens, parses, tags, dependencies, entities, frames.

Gold and system may differ in tokens, sentences and even in the text: they are aligned first. If
they do not differ, the figures are those of the standard tools (udeval, EVALB, conlleval,
nervaluate). Every result ends with a signature, the settings that its figures depend on.
"""

from __future__ import annotations

import argparse
import inspect
from typing import TYPE_CHECKING, Any

from sejongud.arguments import CleanParser
from sejongud.commands.eval.metrics import Dep, Frame, Ner, Pos, Sighan, Tokens
from sejongud.commands.eval.parse import Parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.commands.eval.base import MetricCommand

_COMMANDS: tuple[MetricCommand, ...] = (
    *(Tokens(), Parse(), Pos(), Dep(), Ner(), Frame(), Sighan()),
)
METRICS = {command.name: command for command in _COMMANDS}
"""Name → command of the metric."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add a sub-command for each metric."""
    metrics = parser.add_subparsers(
        metavar="METRIC", dest="metric", required=True, parser_class=_MetricParser
    )
    for name, command in METRICS.items():
        metrics.add_parser(name, help=command.summary, command=command)


def run(args: argparse.Namespace) -> int:
    """Run the command of the metric."""
    return METRICS[args.metric].run(args)


class _MetricParser(CleanParser):
    """The parser of a metric; its options are added when it is first used.

    Args:
        command: the command of the metric; its docstring is the description.
        options: the options of any argument parser.
    """

    def __init__(self, *, command: MetricCommand, **options: Any) -> None:
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(description=inspect.getdoc(command), formatter_class=formatter, **options)
        self._command: MetricCommand | None = command

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments as any argument parser does."""
        if self._command is not None:
            command, self._command = self._command, None
            command.register(self)
        return super().parse_known_args(args, namespace)
