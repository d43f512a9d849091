"""Write a result as a table, JSON or CSV: scores, intervals, a paired test, each sentence.

The figures of several systems are one table: text, Markdown, LaTeX, CSV, TSV or JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sejongud.errors import UsageError
from sejongud.terminal import data_text, json_text, latex, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.evaluation.scores import Comparison, Intervals, Measured, Score


@dataclass(frozen=True)
class Result:
    """An evaluation with everything that is printed beside it.

    Args:
        evaluation: the evaluation.
        intervals: the confidence intervals of each score; () if there are none.
        comparison: the paired test of each score; () if there is none.
        other: the file of the system that the test compares with.
        settings: the settings of intervals and test, for the signature.
        sentences: whether the figures of every aligned sentence are printed.
    """

    evaluation: Measured
    intervals: Sequence[Intervals] = ()
    comparison: Sequence[Comparison] = ()
    other: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    sentences: bool = False

    @property
    def signature(self) -> str:
        """The settings that the figures depend on."""
        return self.evaluation.signature(**self.settings)

    def columns(self) -> tuple[list[str], list[str]]:
        """Return the names of the counts and of the ratios that any of the scores has, in order."""
        counts: dict[str, None] = {}
        if any("fp" in score.counts for score in self.evaluation.scores):
            counts = dict.fromkeys(("tp", "fp", "fn"))  # some scores have only two of them
        ratios: dict[str, None] = {}
        for score in self.evaluation.scores:
            counts |= dict.fromkeys(score.counts)
            ratios |= dict.fromkeys(score.ratios)
        return list(counts), list(ratios)

    def rows(self, head: str = "", sign: str = "") -> list[list[str]]:
        """Return the rows of a table of all scores, below the names of its columns.

        Args:
            head: the name of the first column.
            sign: the sign behind a percentage.
        """
        counts, ratios = self.columns()
        rows = [[head, *counts, *ratios]]
        for score in self.evaluation.scores:
            numbers = [f"{score.counts[k]:,}" if k in score.counts else "" for k in counts]
            shares = [
                f"{100 * score.ratios[k]:.2f}{sign}" if k in score.ratios else "" for k in ratios
            ]
            rows.append([score.name, *numbers, *shares])
        return rows

    def by_sentence(self) -> Iterator[tuple[dict[str, Any], Sequence[Score]]]:
        """Yield the scores of each unit, if they are printed.

        Before them stand the numbers of its sentences, as `gold` and `system`, and its notes.
        """
        notes = self.evaluation.notes or [{}] * len(self.evaluation.units)
        units = self.evaluation.by_sentence() if self.sentences else ()
        for (gold, system, scores), note in zip(units, notes, strict=False):
            yield {"gold": _numbers(gold), "system": _numbers(system), **note}, scores


def to_text(result: Result, *, scores_elsewhere: bool = False) -> str:
    """Return tables for people, with percentages rounded to two places, and the signature.

    Args:
        result: the evaluation.
        scores_elsewhere: whether the scores stand elsewhere: without intervals they are left out.
    """
    counts, ratios = result.columns()

    def cells(score: Score, ends: Intervals | None = None) -> list[str]:
        shown = [_count(score.counts.get(name)) for name in counts]
        return [score.name, *shown, *(_percent(score, name, ends) for name in ratios)]

    scores = result.evaluation.scores
    ends = result.intervals or [{} for _ in scores]
    tables = []
    if result.intervals or not scores_elsewhere:
        tables.append(table(list(map(cells, scores, ends)), header=["", *counts, *ratios]))
    if result.sentences:
        rows = [
            [place["gold"], place["system"], *cells(score)]
            for place, scores in result.by_sentence()
            for score in scores
            if any(score.counts.values())
        ]
        tables.append(table(rows, header=["gold", "system", "", *counts, *ratios]))
    if result.comparison:
        header = ["", "figure", "system", "other", "difference", "p"]
        tables.append(table([_compared(test) for test in result.comparison], header=header))
    aligned = result.evaluation.alignment
    groups = f"groups of sentences: {aligned.groups}, not one to one: {aligned.not_one_to_one}"
    if any(result.evaluation.formats):
        groups = "read as: {}, {}\n".format(*result.evaluation.formats) + groups
    return "\n".join([*tables, f"{groups}\n{result.signature}\n"])


def to_json(result: Result) -> str:
    """Return one JSON object with all figures, unrounded."""
    evaluation = result.evaluation
    gold, system = evaluation.paths
    data: dict[str, Any] = {
        "metric": evaluation.metric.name,
        "signature": result.signature,
        "gold": gold,
        "system": system,
        "formats": list(evaluation.formats),
        "groups": evaluation.alignment.groups,
        "not_one_to_one": evaluation.alignment.not_one_to_one,
        "scores": [score.to_dict() for score in evaluation.scores],
    }
    for score, ends in zip(data["scores"], result.intervals, strict=False):
        score["intervals"] = ends
    if result.comparison:
        data["other"] = result.other
        data["comparison"] = [comparison._asdict() for comparison in result.comparison]
    data["differences"] = list(evaluation.differences)
    if result.sentences:
        data["sentences"] = [
            {**place, "scores": [score.to_dict() for score in scores]}
            for place, scores in result.by_sentence()
        ]
    return json_text(data, indent=2) + "\n"


def to_data(result: Result, form: str = "csv") -> str:
    """Return a row for each score of the whole and of each sentence, all with the signature.

    Args:
        result: the evaluation.
        form: "csv" or "tsv".
    """
    counts, ratios = result.columns()
    aligned = result.evaluation.alignment
    whole = {"gold": "all", "system": "all", "groups": aligned.groups}
    whole |= {"not_one_to_one": aligned.not_one_to_one}
    rows = [{**whole, **score.to_dict()} for score in result.evaluation.scores]
    header = ["gold", "system", "name", *counts, *ratios]
    if result.intervals:
        header += [f"{name}_{end}" for name in ratios for end in ("low", "high")]
    for row, ends in zip(rows, result.intervals, strict=False):
        for name, (low, high) in ends.items():
            row |= {f"{name}_low": low, f"{name}_high": high}
    if result.comparison:
        header += ["other", "p", "difference_low", "difference_high"]
    for row, compared in zip(rows, result.comparison, strict=False):
        row |= {"other": compared.second, "p": compared.p}
        row |= {"difference_low": compared.low, "difference_high": compared.high}
    sentences = list(result.by_sentence())
    header += [name for place, _ in sentences[:1] for name in place if name not in whole]
    for place, scores in sentences:
        # The items of a list stand behind one another.
        cells = {k: "; ".join(map(str, v)) if isinstance(v, list) else v for k, v in place.items()}
        rows += [{**cells, **score.to_dict()} for score in scores]
    header += ["groups", "not_one_to_one"]
    table = [[*[row.get(name) for name in header], result.signature] for row in rows]
    return data_text(form, [[*header, "signature"], *table])


def _numbers(sentences: range) -> str:
    """Return the numbers of some sentences from 1: `3`, `3-5`, or nothing."""
    if not sentences:
        return ""
    first, last = sentences.start + 1, sentences.stop
    return str(first) if first == last else f"{first}-{last}"


def _compared(comparison: Comparison) -> list[str]:
    first, second = 100 * comparison.first, 100 * comparison.second
    difference = f"{100 * (comparison.first - comparison.second):+.2f}"
    if comparison.low is not None and comparison.high is not None:
        difference += f" [{100 * comparison.low:+.2f}, {100 * comparison.high:+.2f}]"
    figures = f"{first:.2f}", f"{second:.2f}", difference
    return [comparison.name, comparison.figure, *figures, f"{comparison.p:.4f}"]


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _percent(score: Score, name: str, ends: Intervals | None) -> str:
    value = score.ratios.get(name)
    if value is None:
        return ""
    interval = " [{:.2f}, {:.2f}]".format(*[100 * end for end in ends[name]]) if ends else ""
    return f"{100 * value:.2f}{interval}"


Layout = Literal["text", "markdown", "latex", "csv", "tsv", "json"]
"""The layout of a table."""

_SIGNIFICANT = 0.05
_MARK = "*"
_MARKDOWN = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""The characters that begin HTML."""


class Part(NamedTuple):
    """The figures of several systems by one metric."""

    evaluations: Sequence[Measured]
    comparisons: Sequence[Sequence[Comparison]] = ()
    """The paired tests of each further system with the first; () if there are none."""
    intervals: Sequence[Sequence[Intervals]] = ()
    """The intervals of each system; () if there are none."""

    def cell(self, system: int, score: int) -> str:
        """Return the main figure of a score in percent, with its mark and its interval."""
        row = self.evaluations[system].scores[score]
        tested = system > 0 and bool(self.comparisons)
        mark = tested and self.comparisons[system - 1][score].p < _SIGNIFICANT
        ends = self.intervals[system][score] if self.intervals else None
        figure, _, interval = _percent(row, row.main, ends).partition(" ")
        return f"{figure}{_MARK if mark else ''} {interval}".rstrip()


def write_systems(
    parts: Sequence[Part],
    layout: Layout = "text",
    settings: Mapping[str, str] | None = None,
    *,
    names: Sequence[str] = (),
    only: Sequence[str] = (),
) -> str:
    """Return the main figure of each score, a column a system; or a row a system.

    Figures are percentages, rounded but in CSV, TSV and JSON; a mark stands behind those that
    differ from the first system's with a p below 0.05. LaTeX needs the package booktabs.

    Args:
        parts: the figures of the systems against the same gold by each metric.
        layout: the layout.
        settings: the settings of the tests, for the signature.
        names: the names of the systems; () for those of their files.
        only: the names of the scores that are shown, each in a column of a table for people; () for
            all, in rows.

    Raises:
        UsageError: there are other numbers of names, or no score of a name.

    >>> from sejongud.evaluation import evaluate_all
    >>> found = evaluate_all("tokens", "나 는\\n네\\n", ["나 는\\n네\\n", "나는\\n네\\n"])
    >>> print(write_systems([Part(found)], "markdown").partition("tokens|")[0].strip())
    |  |  | system 1 | system 2 |
    |---|---|---|---|
    | Sentences | f1 | 100.00 | 100.00 |
    | Tokens | f1 | 100.00 | 40.00 |
    """
    evaluations = parts[0].evaluations
    names = list(names or [evaluation.paths[1] for evaluation in evaluations])
    if len(names) != len(evaluations):
        raise UsageError(f"there are {len(evaluations)} systems, and {len(names)} names of them")
    _expect_scores(only, [part.evaluations[0] for part in parts])
    signed = [[one.signature(**(settings or {})) for one in part.evaluations] for part in parts]
    both = list(zip(parts, signed, strict=True))
    if layout == "json":
        found = [_to_json(part, names, own, only) for part, own in both]
        return json_text(found if len(parts) > 1 else found[0], indent=2) + "\n"
    if layout in ("csv", "tsv"):
        rows = [list(_rows(part, names, own, only)) for part, own in both]
        return data_text(layout, [*rows[0], *[row for part in rows[1:] for row in part[1:]]])
    header, *body = [["", "", *names]]
    for part in parts:
        metric = f"{part.evaluations[0].metric.name}: " if len(parts) > 1 else ""
        for i, score in enumerate(part.evaluations[0].scores):
            cells = [part.cell(k, i) for k in range(len(names))]
            body.append([f"{metric}{score.name}", score.main, *cells])
    if only:
        known = {row[0].rpartition(": ")[2]: row for row in reversed(body)}
        columns = [header, *[known[name] for name in only]]
        header, _, *body = [list(row) for row in zip(*columns, strict=True)]
    notes = [f"{_MARK} p < {_SIGNIFICANT} against {names[0]}"] if parts[0].comparisons else []
    for signatures in signed:
        if len({*signatures}) == 1:
            notes.append(signatures[0])
        else:  # the text of one system may be aligned by offset, that of another one is not
            notes += [f"{name}: {one}" for name, one in zip(names, signatures, strict=True)]
    return _laid_out(header, body, notes, layout, left=1 if only else 2)


def _expect_scores(only: Sequence[str], evaluations: Sequence[Measured]) -> None:
    """Raise an error if some scores are chosen that none of the evaluations has."""
    known = dict.fromkeys([score.name for one in evaluations for score in one.scores])
    if missing := [name for name in only if name not in known]:
        raise UsageError(f"there is no score {missing[0]}: {', '.join(known)}")


def _laid_out(
    header: list[str],
    body: list[list[str]],
    notes: Sequence[str],
    layout: Layout,
    *,
    left: int = 2,
) -> str:
    """Return a table for people with notes below it; the first columns stand left."""
    below = "".join(f"{note}\n" for note in notes)
    if layout == "text":
        return f"{table(body, header=header)}\n{below}"
    if layout == "markdown":
        return f"{_markdown([header, *body])}\n{below.translate(_MARKDOWN)}"
    lines = [" & ".join([latex(cell) for cell in row]) + r" \\" for row in body]
    head = " & ".join([latex(name) for name in header]) + r" \\"
    begin = rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(header) - left)}}}"
    drawn = [begin, r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
    package = r"% \usepackage{booktabs}"
    return "\n".join([*drawn, package, *[f"% {note}" for note in notes]]) + "\n"


def write_runs(
    evaluations: Sequence[Measured], layout: Layout = "text", only: Sequence[str] = ()
) -> str:
    """Return the mean of each figure over runs or folds, with its standard deviation.

    The deviation is that of a sample (n - 1). A score that some runs lack, as a type that their
    gold has not, is the mean of the others, and `n` tells of how many.

    Args:
        evaluations: of one system by the same metric: other seeds, or other folds.
        layout: the layout.
        only: the names of the scores that are shown; () for all.

    Raises:
        UsageError: there is no score of a name.

    >>> from sejongud.evaluation import evaluate_all
    >>> found = evaluate_all("tokens", "나 는\\n네\\n", ["나 는\\n네\\n", "나는\\n네\\n"])
    >>> print(write_runs(found, "markdown").split("\\n")[7])
    | Tokens | f1 | 70.00 ± 42.43 | 40.00 | 100.00 | 2 |
    """
    _expect_scores(only, evaluations)
    figures: dict[tuple[str, str], list[float]] = {}
    for evaluation in evaluations:
        for score in evaluation.scores:
            for name, value in score.ratios.items() if _is_shown(score, only) else ():
                figures.setdefault((score.name, name), []).append(value)
    cells: list[Any] = []
    for key, values in figures.items():
        deviation = stdev(values) if len(values) > 1 else None
        cells.append([*key, fmean(values), deviation, min(values), max(values), len(values)])
    signatures = list(dict.fromkeys([one.signature() for one in evaluations]))
    columns = ["name", "figure", "mean", "sd", "lowest", "highest", "n"]
    if layout in ("csv", "tsv"):
        signed = [[*row, "; ".join(signatures)] for row in cells]
        return data_text(layout, [[*columns, "signature"], *signed])
    if layout == "json":
        files = {"signatures": signatures, "files": [one.paths for one in evaluations]}
        scores = [dict(zip(columns, row, strict=True)) for row in cells]
        return json_text({**files, "scores": scores}, indent=2) + "\n"
    rows = []
    for name, figure, mean, deviation, low, high, size in cells:
        shown = "" if deviation is None else f" ± {100 * deviation:.2f}"
        ends = f"{100 * low:.2f}", f"{100 * high:.2f}"
        rows.append([name, figure, f"{100 * mean:.2f}{shown}", *ends, str(size)])
    header = ["", "", "mean ± sd", "lowest", "highest", "n"]
    return _laid_out(header, rows, signatures, layout)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    cells = [[cell.translate(_MARKDOWN).replace("|", r"\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "".join(f"{line}\n" for line in lines)


def _is_shown(score: Score | Comparison, only: Sequence[str]) -> bool:
    return not only or score.name in only


def _rows(
    part: Part, names: Sequence[str], signatures: Sequence[str], only: Sequence[str]
) -> Iterator[list[Any]]:
    """Yield the names of the columns, and a row for each score of each system."""
    bounds = ["low", "high"] if part.intervals else []
    header = ["system", "name", "figure", "value", *bounds]
    yield [*header, "p", "difference_low", "difference_high", "signature"]
    for number, (name, evaluation) in enumerate(zip(names, part.evaluations, strict=True)):
        for i, score in enumerate(evaluation.scores):
            if not _is_shown(score, only):
                continue
            test = part.comparisons[number - 1][i] if number and part.comparisons else None
            ends = [test.p, test.low, test.high] if test else [None] * 3
            interval = part.intervals[number][i][score.main] if part.intervals else ()
            row = [name, score.name, score.main, score.ratios[score.main], *interval, *ends]
            yield [*row, signatures[number]]


def _to_json(
    part: Part, names: Sequence[str], signatures: Sequence[str], only: Sequence[str]
) -> dict[str, Any]:
    """Return the figures of each system by one metric."""
    systems = []
    for number, evaluation in enumerate(part.evaluations):
        scores: list[dict[str, Any]] = []
        for i, score in enumerate(evaluation.scores):
            ends = {"intervals": part.intervals[number][i]} if part.intervals else {}
            scores += [{**score.to_dict(), **ends}] if _is_shown(score, only) else []
        comparison = part.comparisons[number - 1] if number and part.comparisons else ()
        tests = [test._asdict() for test in comparison if _is_shown(test, only)]
        system = {"system": names[number], "signature": signatures[number]}
        rest = {"scores": scores, "comparison": tests, "differences": list(evaluation.differences)}
        systems.append({**system, **rest})
    first = part.evaluations[0]
    whole = {"metric": first.metric.name, "signature": signatures[0], "gold": first.paths[0]}
    return {**whole, "systems": systems}
