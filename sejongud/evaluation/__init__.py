"""Metrics of a system against gold.

    files → Side (sentences, lines, data) → Metric.measure → Evaluation (units, scores)

Example: `evaluate("dep", "gold.conllu", "system.conllu").scores` is the table that `sejongud eval`
prints, and `scores["LAS"].ratios["f1"]` is one figure of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, get_args
from warnings import warn

from sejongud.errors import UsageError, expect_choice, similar
from sejongud.evaluation.base import Evaluation, Metric
from sejongud.evaluation.inputs import check_labels, document_starts, open_given
from sejongud.layers.subsequence import Similarity, load_likeness
from sejongud.rules import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.errors import Report
    from sejongud.evaluation.inputs import Given, Lists


__all__ = ["METRICS", "Evaluation", "evaluate", "evaluate_all", "make_metric", "metric_class"]

METRICS = {
    "tokens": "sejongud.evaluation.pos:TokensMetric",
    "parse": "sejongud.evaluation.parse:ParseMetric",
    "parse-labels": "sejongud.evaluation.parse:ParseLabels",
    "pos": "sejongud.evaluation.pos:PosMetric",
    "dep": "sejongud.evaluation.dep:DepMetric",
    "dep-classes": "sejongud.evaluation.dep:DepClasses",
    "ner": "sejongud.evaluation.ner:NerMetric",
    "frame": "sejongud.evaluation.ner:Frames",
    "sighan": "sejongud.evaluation.parseval:SighanMetric",
}
"""Name → module and class of a metric."""


def metric_class(name: str, classes: Mapping[str, str] = METRICS) -> Any:
    """Return the class of a metric.

    Args:
        name: the name of the metric.
        classes: name → module and class.

    Raises:
        UsageError: there is no such metric.
    """
    if name not in classes:
        names = ", ".join(classes)
        raise UsageError(f"there is no metric {name}: {names}{similar(name, classes)}")
    module, _, attribute = classes[name].partition(":")
    return getattr(import_module(module), attribute)


def make_metric(name: str, classes: Mapping[str, str] = METRICS, /, **options: Any) -> Metric[Any]:
    """Return a metric.

    Args:
        name: the name of the metric.
        classes: name → module and class.
        options: the arguments of its class, for example `unit="word"` of `TokensMetric`.

    Raises:
        UsageError: there is no such metric, or it has no such option or no such value of it.
    """
    made = metric_class(name, classes)
    if "form" in options:
        warn("form is spelled from_ now", DeprecationWarning, stacklevel=3)
        options["from_"] = options.pop("form")
    known = signature(made).parameters
    if unknown := options.keys() - known.keys():
        raise UsageError(f"{name} has no option {min(unknown)}: {', '.join(known)}")
    for option, value in options.items():
        kind, optional, _ = str(known[option].annotation).partition(" | None")
        choices = get_args(getattr(import_module(made.__module__), kind, None))
        if choices and not (optional and value is None):
            expect_choice(option, value, choices)
    metric: Metric[Any] = made(**options)
    if folder := options.get("rules"):
        metric.settings = {**metric.settings, "rules": digest(folder)}
    return metric


def evaluate(
    metric: str,
    gold: Given,
    system: Given,
    *,
    exceptions: Iterable[str] = (),
    similarity: Similarity = "edit",
    encoding: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    **options: Any,
) -> Evaluation:
    r"""Measure a system against gold.

    Args:
        metric: a name of `METRICS`.
        gold: the right annotation: a path, a text (a `str` with a line break), or sentences
            (`Sentence`, `conllu.TokenList`, lines of text; for `tokens` lists of tokens, for `ner`
            lists of labels such as B-PER, as seqeval takes them).
        system: the annotation to measure, likewise.
        exceptions: languages whose word exceptions count where the texts differ.
        similarity: the measure by which sentences are alike where the texts differ.
        encoding: the encoding of files, None to detect it.
        rules: a directory of tables laid over the built-in ones.
        report: receives an incident for every fault of the files; None logs them.
        options: the arguments of the metric's class, for example `unit="word"` of `TokensMetric`.

    Returns:
        The scores, by number and by name, with the statistics of every sentence.

    Raises:
        UsageError: there is no such metric or option, there is nothing that it compares, or lists
            of labels differ in their lengths.
        OSError: a file cannot be read.

    >>> found = evaluate("tokens", "나 는 간다 .\n네 .\n", "나는 간다 .\n네 .\n")
    >>> found.scores["Tokens"].counts
    {'tp': 4, 'fp': 1, 'fn': 2}
    >>> [one.scores["Tokens"].counts["fn"] for one in found.by_sentence()]
    [2, 0]
    """
    options |= {"exceptions": exceptions, "similarity": similarity}
    options |= {"encoding": encoding, "rules": rules, "report": report}
    return evaluate_all(metric, gold, [system], **options)[0]


def evaluate_all(
    metric: str,
    gold: Given,
    systems: Iterable[Given] | Mapping[str, Given],
    *,
    exceptions: Iterable[str] = (),
    similarity: Similarity = "edit",
    encoding: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    **options: Any,
) -> list[Evaluation]:
    r"""Measure several systems against gold; their scores have the same names.

    Args:
        metric: a name of `METRICS`.
        gold: the right annotation, as for `evaluate`.
        systems: the annotations to measure; or the name of each with its annotation. The names are
            `paths[1]` of the evaluations.
        exceptions: languages whose word exceptions count where the texts differ.
        similarity: the measure by which sentences are alike where the texts differ.
        encoding: the encoding of files, None to detect it.
        rules: a directory of tables laid over the built-in ones.
        report: receives an incident for every fault of the files; None logs them.
        options: the arguments of the metric's class.

    Raises:
        UsageError: there is no such metric or option, or there is nothing that it compares.
        OSError: a file cannot be read.

    >>> gold = "나 는 간다\n" * 40
    >>> first, second = evaluate_all("tokens", gold, [gold, gold.replace("나 는", "나는")])
    >>> tokens = first.compare(second)[1]
    >>> tokens.first, tokens.second, tokens.p < 0.01
    (1.0, 0.4, True)
    """
    tables = None if rules is None else os.fspath(rules)
    if tables is not None and "rules" in signature(metric_class(metric)).parameters:
        options["rules"] = tables
    measure = make_metric(metric, **options)
    if isinstance(systems, str | os.PathLike):
        raise UsageError("evaluate_all takes several systems: put this one into a list")
    if not isinstance(gold, str | os.PathLike):
        gold = list(gold)  # Documents are found by reading it once more.
    sides = []
    sources = []
    named = systems if isinstance(systems, Mapping) else None
    for number, data in enumerate([gold, *(systems if named is None else named.values())]):
        name = f"system {number}" if number else "gold"
        with open_given(data, name, measure.lists, encoding) as source:
            sides.append(measure.read(source))
            sources.append(source)
    for number, name in enumerate(named or (), 1):
        sides[number] = sides[number]._replace(path=name)
    check_labels(sources, [side.incidents for side in sides])
    for side in sides:
        if faults := [
            fault for fault in side.incidents if fault.is_error and not any(side.sentences)
        ]:
            raise UsageError(f"{side.path}: {faults[0].message}")
    from sejongud.api import report_of

    faults = [fault for side in sides for fault in side.incidents]
    report_of(report).extend(dict.fromkeys(faults))
    documents = partial(_documents, gold, measure.lists, encoding, sides[0].lines)
    sides[0] = sides[0]._replace(documents=documents)
    return measure.measure(*sides, likeness=load_likeness(exceptions, similarity, tables))


def _documents(
    gold: Given, lists: Lists, encoding: str | None, lines: Sequence[int]
) -> Sequence[int]:
    """Return the first sentence of each document of gold, from 0."""
    with open_given(gold, "gold", lists, encoding) as source:
        return document_starts(source, lines)
