"""Metrics of a system against gold.

    files → Side (sentences, lines, data) → Metric.measure → Evaluation (units, scores)

Example: `evaluate("dep", "gold.conllu", "system.conllu").scores` is the table of `sejongud eval`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sejongud.errors import UsageError
from sejongud.files import Source
from sejongud.layers.matching import load_likeness

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from sejongud.evaluation.base import Evaluation, Metric
    from sejongud.layers.matching import Similarity

__all__ = ["METRICS", "evaluate", "make_metric"]

METRICS = {
    "tokens": "sejongud.evaluation.tokens:Tokens",
    "parse": "sejongud.evaluation.parse:Parse",
    "pos": "sejongud.evaluation.pos:Pos",
    "dep": "sejongud.evaluation.dep:Dep",
    "ner": "sejongud.evaluation.ner:Ner",
    "frame": "sejongud.evaluation.frames:Frames",
    "sighan": "sejongud.evaluation.sighan:Sighan",
}
"""Name → module and class of a metric."""


def make_metric(name: str, **options: Any) -> Metric[Any]:
    """Return a metric.

    Args:
        name: a name of `METRICS`.
        options: the arguments of its class, for example `unit="word"` of `Tokens`.

    Raises:
        UsageError: there is no such metric.
    """
    if name not in METRICS:
        raise UsageError(f"there is no metric {name}: {', '.join(METRICS)}")
    module, _, attribute = METRICS[name].partition(":")
    metric: Metric[Any] = getattr(import_module(module), attribute)(**options)
    return metric


def evaluate(
    metric: str,
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    *,
    exceptions: Iterable[str] = (),
    similarity: Similarity = "edit",
    **options: Any,
) -> Evaluation:
    """Measure a system file against a gold file.

    Args:
        metric: a name of `METRICS`.
        gold: the file with the right annotation.
        system: the file with the annotation to measure.
        exceptions: languages whose word exceptions count where the texts differ.
        similarity: the measure by which sentences are alike where the texts differ.
        options: the arguments of the metric's class.

    Raises:
        UsageError: there is no such metric, or a file has nothing that it compares.
        OSError: a file cannot be read.
    """
    found = make_metric(metric, **options)
    sides = []
    for path in (gold, system):
        with Source(path) as source:
            sides.append(found.read(source))
    likeness = load_likeness(exceptions, similarity, options.get("rules"))
    return found.measure(*sides, likeness=likeness)[0]
