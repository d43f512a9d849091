"""Measure a system against gold: tokens, parses, tags, dependencies, entities, frames.

Gold and system may differ in tokens, sentences and even in the text: they are aligned first. If
they do not differ, the figures are those of the standard tools (udeval, EVALB, conlleval,
nervaluate). Every result ends with a signature, the settings that its figures depend on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands.eval.metrics import Dep, FrameMetric, Ner, Parse, Pos, Sighan, Tokens

if TYPE_CHECKING:
    import argparse

    from sejongud.commands.eval.base import MetricCommand

_COMMANDS: tuple[MetricCommand, ...] = (
    *(Tokens(), Parse(), Pos(), Dep(), Ner(), FrameMetric(), Sighan()),
)
METRICS = {command.name: command for command in _COMMANDS}
"""Name → command of the metric."""


def run(args: argparse.Namespace) -> int:
    """Run the command of the metric."""
    return METRICS[args.action].run(args)
