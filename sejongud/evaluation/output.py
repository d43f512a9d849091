"""How every metric is run and printed: a table, JSON or CSV; intervals, tests, each sentence.

A metric's command says how to measure one system file; the rest is here:

    def register(parser):
        add_arguments(parser)                      # GOLD SYSTEM and the options of all metrics
        parser.add_argument("--unit", …)           # its own

    def run(args):
        return run_metric(args, lambda system: measure(args.gold, system, …))
"""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError
from sejongud.evaluation.significance import TESTS, Comparison, compare, intervals
from sejongud.layers.matching import SIMILARITIES, Likeness, load_exceptions

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sejongud.errors import Incident, OnError, Report
    from sejongud.evaluation.base import Evaluation, Score

__all__ = [
    "add_alignment_options",
    "add_arguments",
    "add_output_options",
    "format_table",
    "read_likeness",
    "report_incidents",
    "run_metric",
]

_SAMPLES = 1000
_SEED = 12345
_SHOWN = 10
"""How many differences of the texts are listed on standard error; --json has all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what all metrics take: the files, the common options and those of the output.

    They set `gold`, `system` and what `add_output_options` says.
    """
    from sejongud.commands import add_common_options

    parser.add_argument("gold", metavar="GOLD", help="the right analysis; - is stdin")
    parser.add_argument("system", metavar="SYSTEM", help="the analysis to be measured")
    add_output_options(parser)
    add_common_options(parser)
    # What is wrong in one sentence should not keep the others from being scored, unless asked for.
    parser.set_defaults(on_error="skip")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the output and of the tests.

    They set `json`, `csv`, `sentences`, `bootstrap`, `compare`, `test`, `samples` and `seed`.
    """
    from sejongud.commands import positive

    group = parser.add_argument_group("output")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object, figures unrounded")
    form.add_argument("--csv", action="store_true", help="comma-separated, figures unrounded")
    group.add_argument(
        "--sentences", action="store_true", help="the figures of every aligned sentence as well"
    )
    group.add_argument(
        "--bootstrap",
        metavar="N",
        type=positive,
        nargs="?",
        const=_SAMPLES,
        help=f"95%% confidence intervals from N samples ({_SAMPLES})",
    )
    group.add_argument("--compare", metavar="OTHER", help="test SYSTEM against this one, in pairs")
    group.add_argument("--test", choices=TESTS, default=TESTS[0], help="which paired test")
    group.add_argument(
        "--samples", metavar="N", type=positive, default=_SAMPLES, help="samples of the test"
    )
    group.add_argument(
        "--seed", metavar="N", type=int, default=_SEED, help="of the random numbers (%(default)s)"
    )


def add_alignment_options(parser: argparse.ArgumentParser) -> None:
    """Add what decides how differing texts are aligned: `exceptions` and `similarity`."""
    group = parser.add_argument_group("alignment, where the texts differ")
    group.add_argument(
        "--exceptions",
        metavar="LANGUAGES",
        default="",
        help="words that count as others (ca and can), by languages: en or en,*",
    )
    group.add_argument(
        "--similarity",
        choices=SIMILARITIES,
        default=SIMILARITIES[0],
        help="when sentences are alike (%(default)s)",
    )


def read_likeness(args: argparse.Namespace) -> Likeness:
    """What counts as the same, by the options of `add_alignment_options`.

    Raises:
        UsageError: there is no exception list for a language.
    """
    languages = tuple([language for language in args.exceptions.split(",") if language])
    exceptions = load_exceptions(languages, args.rules) if languages else {}
    return Likeness(exceptions, args.similarity, languages)


def run_metric(
    args: argparse.Namespace,
    measure: Callable[[str], Evaluation],
    layout: Callable[[Evaluation], str] | None = None,
) -> int:
    """Measure, test and print, as the options say.

    Args:
        args: with what `add_arguments` adds.
        measure: path of a system file → the evaluation.
        layout: how to print it where neither JSON nor CSV is wanted, if not as a table.

    Returns:
        The exit status: 1 if the input had errors.
    """
    from sejongud.commands import reporting

    comparison: list[Comparison] = []
    with reporting(args) as report:
        evaluation = measure(args.system)
        report_incidents(report, evaluation.incidents, args.on_error)
        if args.compare is not None:
            other = measure(args.compare)
            # Of gold it has been said already.
            new = [one for one in other.incidents if one not in evaluation.incidents]
            report_incidents(report, new, args.on_error)
            comparison = compare(evaluation, other, args.samples, args.seed, args.test)
    ends = intervals(evaluation, args.bootstrap, args.seed) if args.bootstrap else None
    if not args.quiet:
        _say_differences(evaluation.differences)
    if args.json:
        text = _as_json(args, evaluation, ends, comparison)
    elif args.csv:
        text = _as_csv(args, evaluation, ends, comparison)
    elif layout is not None:
        text = layout(evaluation)
    else:
        text = _as_text(args, evaluation, ends, comparison)
    sys.stdout.write(text)
    return 1 if report.errors else 0


def _say_differences(differences: Sequence[str]) -> None:
    """List on standard error where the texts differ, as far as one wants to see it there."""
    from sejongud.commands import say

    if differences:
        places = "one place" if len(differences) == 1 else f"{len(differences)} places"
        say(f"the texts differ in {places}:")
        for difference in differences[:_SHOWN]:
            say(f"  {difference}")
        if len(differences) > _SHOWN:
            say(f"  … {len(differences) - _SHOWN} more; --json lists all")


def report_incidents(report: Report, incidents: Iterable[Incident], on_error: OnError) -> None:
    """Report what was wrong with the input.

    Raises:
        FormatError: with `on_error` "stop", the first error.
    """
    for incident in incidents:
        if incident.is_error and on_error == "stop":
            raise FormatError(
                incident.message, path=incident.path, line=incident.line, code=incident.code
            )
        report.add(incident)


def format_table(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need be, the first to the left, the others to the right.

    Args:
        rows: the header first.

    >>> print(format_table([["", "f1"], ["Tokens", "99.50"]]), end="")
               f1
    Tokens  99.50
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip() + "\n")
    return "".join(lines)


def _columns(scores: Iterable[Score]) -> tuple[list[str], list[str]]:
    """The counts and the ratios that any of the scores has, in order."""
    counts: dict[str, None] = {}
    ratios: dict[str, None] = {}
    for score in scores:
        counts |= dict.fromkeys(score.counts)
        ratios |= dict.fromkeys(score.ratios)
    return list(counts), list(ratios)


def _numbers(sentences: range) -> str:
    """Which sentences, from 1: `3`, `3-5`, or nothing."""
    if not sentences:
        return ""
    first, last = sentences.start + 1, sentences.stop
    return str(first) if first == last else f"{first}-{last}"


def _as_text(
    args: argparse.Namespace,
    evaluation: Evaluation,
    ends: Sequence[Mapping[str, tuple[float, float]]] | None,
    comparison: Sequence[Comparison],
) -> str:
    scores = evaluation.scores
    counts, ratios = _columns(scores)
    rows = [["", *counts, *ratios]]
    for k, score in enumerate(scores):
        cells = [_percent(score, name, ends[k] if ends else None) for name in ratios]
        rows.append([score.name, *(_count(score, name) for name in counts), *cells])
    text = format_table(rows)
    if args.sentences:
        rows = [["gold", "system", "", *counts, *ratios]]
        for unit in evaluation.units:
            for score in evaluation.metric.scores(unit.counts):
                if any(score.counts.values()):
                    cells = [_percent(score, name, None) for name in ratios]
                    where = [_numbers(unit.gold), _numbers(unit.system), score.name]
                    rows.append([*where, *(_count(score, name) for name in counts), *cells])
        text += "\n" + format_table(rows)
    if comparison:
        rows = [["", "figure", "system", "other", "difference", "p"]]
        rows += [
            [
                one.name,
                one.figure,
                f"{100 * one.first:.2f}",
                f"{100 * one.second:.2f}",
                f"{100 * (one.first - one.second):+.2f}",
                f"{one.p:.4f}",
            ]
            for one in comparison
        ]
        text += "\n" + format_table(rows)
    return f"{text}\n{_signed(args, evaluation, comparison)}\n"


def _count(score: Score, name: str) -> str:
    value = score.counts.get(name)
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _percent(score: Score, name: str, ends: Mapping[str, tuple[float, float]] | None) -> str:
    value = score.ratios.get(name)
    if value is None:
        return ""
    if ends is None:
        return f"{100 * value:.2f}"
    low, high = ends[name]
    return f"{100 * value:.2f} [{100 * low:.2f}, {100 * high:.2f}]"


def _signed(
    args: argparse.Namespace, evaluation: Evaluation, comparison: Sequence[Comparison]
) -> str:
    """The signature, with the settings of the tests where any were made."""
    drawn = {}
    if args.bootstrap:
        drawn["intervals"] = f"95%:{args.bootstrap}"
    if comparison:
        drawn["test"] = f"{args.test}:{args.samples}"
    if drawn:
        drawn["seed"] = str(args.seed)
    return str(evaluation.signature.with_settings(drawn))


def _as_json(
    args: argparse.Namespace,
    evaluation: Evaluation,
    ends: Sequence[Mapping[str, tuple[float, float]]] | None,
    comparison: Sequence[Comparison],
) -> str:
    result: dict[str, Any] = {
        "metric": evaluation.metric.name,
        "signature": _signed(args, evaluation, comparison),
        "gold": args.gold,
        "system": args.system,
        "scores": [_score_object(score) for score in evaluation.scores],
    }
    if ends is not None:
        for score, of_score in zip(result["scores"], ends, strict=True):
            score["intervals"] = of_score
    if comparison:
        result["other"] = args.compare
        result["comparison"] = [one._asdict() for one in comparison]
    result["differences"] = list(evaluation.differences)
    if args.sentences:
        result["sentences"] = [
            {
                "gold": _numbers(unit.gold),
                "system": _numbers(unit.system),
                "scores": [_score_object(score) for score in evaluation.metric.scores(unit.counts)],
            }
            for unit in evaluation.units
        ]
    return json.dumps(result, ensure_ascii=False, indent=2) + "\n"


def _score_object(score: Score) -> dict[str, Any]:
    return {"name": score.name, **score.counts, **score.ratios}


def _as_csv(
    args: argparse.Namespace,
    evaluation: Evaluation,
    ends: Sequence[Mapping[str, tuple[float, float]]] | None,
    comparison: Sequence[Comparison],
) -> str:
    """One row for each score of the whole, and of each sentence; every row with its signature."""
    scores = evaluation.scores
    counts, ratios = _columns(scores)
    signature = _signed(args, evaluation, comparison)
    header = ["gold", "system", "name", *counts, *ratios]
    if ends is not None:
        header += [f"{name}_{end}" for name in ratios for end in ("low", "high")]
    if comparison:
        header += ["other", "p"]
    out = io.StringIO()
    writer = csv.DictWriter(out, [*header, "signature"], lineterminator="\n")
    writer.writeheader()
    for k, score in enumerate(scores):
        row = {"gold": "all", "system": "all", "signature": signature, **_score_object(score)}
        if ends is not None:
            for name, (low, high) in ends[k].items():
                row |= {f"{name}_low": low, f"{name}_high": high}
        if comparison:
            row |= {"other": comparison[k].second, "p": comparison[k].p}
        writer.writerow(row)
    for unit in evaluation.units if args.sentences else ():
        where = {"gold": _numbers(unit.gold), "system": _numbers(unit.system)}
        for score in evaluation.metric.scores(unit.counts):
            writer.writerow({**where, "signature": signature, **_score_object(score)})
    return out.getvalue()
