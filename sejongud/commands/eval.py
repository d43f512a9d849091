"""Measure a system against gold: tokens, parses, tags, dependencies, entities.

Gold and system need not have the same tokens or sentences, nor the very same text: they are aligned
first. Where they have them, the figures are those of the tools everybody uses (udeval, EVALB,
conlleval, nervaluate). Every figure comes with its settings.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["METRICS", "register", "run"]

METRICS = {
    "tokens": ("sejongud.evaluation.tokens", "tokens and sentence boundaries"),
    "parse": ("sejongud.evaluation.parse", "bracketed trees: PARSEVAL, EVALB"),
    "pos": ("sejongud.evaluation.pos", "segmentation and tags at every level of granularity"),
    "dep": ("sejongud.evaluation.dep", "dependencies: UAS, LAS, CLAS, MLAS, BLEX"),
    "ner": ("sejongud.evaluation.ner", "named entities: conlleval and SemEval'13"),
    "sighan": ("sejongud.evaluation.sighan", "Chinese constituents and semantic roles"),
}
"""Name → module and short help. A module is imported when its metric is asked for."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command for each metric."""
    metrics = parser.add_subparsers(
        metavar="METRIC", dest="metric", required=True, parser_class=_MetricParser
    )
    for name, (module, summary) in METRICS.items():
        metrics.add_parser(name, help=summary, module=module)


def run(args: argparse.Namespace) -> int:
    """Run the metric that was asked for."""
    status: int = import_module(METRICS[args.metric][0]).run(args)
    return status


class _MetricParser(argparse.ArgumentParser):
    """The parser of one metric, filled in by its module when it is first needed.

    Args:
        module: has a docstring, which becomes the description, and `register`.
        options: of any argument parser.
    """

    def __init__(self, *, module: str, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self._module: str | None = module

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As in any argument parser."""
        if self._module is not None:
            module = import_module(self._module)
            self.description = module.__doc__
            self._module = None
            module.register(self)
        return super().parse_known_args(args, namespace)
