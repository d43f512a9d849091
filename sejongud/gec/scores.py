"""The metrics of corrections by their names, and the scores of sentences in memory.

Example: `score(hypothesis, reference).scores` is the table of `sejongud gec score HYP REF`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sejongud.errors import UsageError, similar
from sejongud.gec.scoring import collected
from sejongud.layers.matching import STRICT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sejongud.evaluation.base import Evaluation
    from sejongud.gec.edits import Corrections
    from sejongud.gec.scoring import CorrectionMetric
    from sejongud.layers.matching import Likeness

METRICS = {
    "errant": "sejongud.gec.compare:Compare",
    "maxmatch": "sejongud.gec.maxmatch:MaxMatch",
    "gleu": "sejongud.gec.gleu:Gleu",
}
"""Name → module and class of a metric."""


def correction_metric(name: str, **options: Any) -> CorrectionMetric:
    """Return a metric of corrections.

    Args:
        name: a name of `METRICS`.
        options: the arguments of its class, for example `beta=1.0`.

    Raises:
        UsageError: there is no such metric.
    """
    if name not in METRICS:
        known = ", ".join(METRICS)
        raise UsageError(f"there is no metric {name}: {known}{similar(name, METRICS)}")
    module, _, attribute = METRICS[name].partition(":")
    metric: CorrectionMetric = getattr(import_module(module), attribute)(**options)
    return metric


def score(
    hypothesis: Iterable[Corrections],
    reference: Iterable[Corrections],
    metric: str = "errant",
    *,
    likeness: Likeness = STRICT,
    **options: Any,
) -> Evaluation:
    """Measure the corrections of a system against a reference.

    Args:
        hypothesis: the sentences with the edits of the system.
        reference: the sentences with the right edits; they may be cut in another way.
        metric: a name of `METRICS`.
        likeness: which words and sentences count as the same where the texts differ.
        options: the arguments of the metric's class.

    Raises:
        UsageError: there is no such metric, or an option is out of range.

    >>> from sejongud.gec.edits import Corrections, Edit
    >>> reference = [Corrections(("나는", "갓다"), {0: (Edit(1, 2, "갔다", "SPELL"),)})]
    >>> score(reference, reference).scores[0].ratios
    {'precision': 1.0, 'recall': 1.0, 'f0.5': 1.0}
    """
    sides = [
        collected(name, enumerate(some, 1))
        for name, some in (
            ("reference", reference),
            ("hypothesis", hypothesis),
        )
    ]
    return correction_metric(metric, **options).measure(*sides, likeness=likeness)[0]
