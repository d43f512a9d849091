"""Write the figures of several systems as one table: text, Markdown, LaTeX, CSV, TSV or JSON."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from sejongud.terminal import data_text, json_text, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.evaluation.scores import Comparison, Measured

Layout = Literal["text", "markdown", "latex", "csv", "tsv", "json"]
"""The layout of a table."""

_SIGNIFICANT = 0.05
_MARK = "*"
_ESCAPES = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def write_systems(
    evaluations: Sequence[Measured],
    comparisons: Sequence[Sequence[Comparison]] = (),
    layout: Layout = "text",
    settings: Mapping[str, str] | None = None,
) -> str:
    """Return the main figure of each score, a column a system.

    Figures are percentages, rounded but in CSV, TSV and JSON; a mark stands behind those that
    differ from the first system's with a p below 0.05.

    Args:
        evaluations: the systems against the same gold, by the same metric.
        comparisons: the paired tests of each further system with the first; () if there are none.
        layout: the layout.
        settings: the settings of the tests, for the signature.

    >>> from sejongud.evaluation import evaluate_all
    >>> found = evaluate_all("tokens", "나 는\\n네\\n", ["나 는\\n네\\n", "나는\\n네\\n"])
    >>> print(write_systems(found, layout="markdown").partition("tokens|")[0].strip())
    |  |  | system 1 | system 2 |
    |---|---|---|---|
    | Sentences | f1 | 100.00 | 100.00 |
    | Tokens | f1 | 100.00 | 40.00 |
    """
    signatures = [evaluation.signature(**(settings or {})) for evaluation in evaluations]
    if layout == "json":
        return _to_json(evaluations, comparisons, signatures)
    names = [evaluation.paths[1] for evaluation in evaluations]
    if layout in ("csv", "tsv"):
        return data_text(layout, _rows(evaluations, comparisons, names, signatures))
    header = ["", "", *names]
    rows = []
    for i, score in enumerate(evaluations[0].scores):
        figures = [100 * evaluation.scores[i].ratios[score.main] for evaluation in evaluations]
        tests = [1.0, *[comparison[i].p for comparison in comparisons]]
        cells = [
            f"{figure:.2f}{_MARK if p < _SIGNIFICANT else ''}"
            for figure, p in zip_longest(figures, tests, fillvalue=1.0)
        ]
        rows.append([score.name, score.main, *cells])
    notes = [f"{_MARK} p < {_SIGNIFICANT} against {names[0]}"] if comparisons else []
    if len({*signatures}) == 1:
        notes.append(signatures[0])
    else:  # the text of one system may be aligned by offset, that of another one is not
        notes += [f"{name}: {signature}" for name, signature in zip(names, signatures, strict=True)]
    below = "".join(f"{note}\n" for note in notes)
    if layout == "text":
        return f"{table(rows, header=header)}\n{below}"
    if layout == "markdown":
        return f"{_markdown([header, *rows])}\n{below}"
    lines = [" & ".join([cell.translate(_ESCAPES) for cell in row]) + r" \\" for row in rows]
    head = " & ".join([name.translate(_ESCAPES) for name in header]) + r" \\"
    begin = rf"\begin{{tabular}}{{ll{'r' * len(names)}}}"
    body = "\n".join([begin, r"\hline", head, r"\hline", *lines, r"\hline", r"\end{tabular}"])
    return "\n".join([body, *[f"% {note}" for note in notes]]) + "\n"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join([cell.replace("|", r"\|") for cell in row]) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "".join(f"{line}\n" for line in lines)


def _rows(
    evaluations: Sequence[Measured],
    comparisons: Sequence[Sequence[Comparison]],
    names: Iterable[str],
    signatures: Sequence[str],
) -> Iterator[list[Any]]:
    """Yield the names of the columns, and a row for each score of each system."""
    header = ["system", "name", "figure", "value", "p", "difference_low", "difference_high"]
    yield [*header, "signature"]
    for number, (name, evaluation) in enumerate(zip(names, evaluations, strict=True)):
        for i, score in enumerate(evaluation.scores):
            test = comparisons[number - 1][i] if number and comparisons else None
            ends = [test.p, test.low, test.high] if test else [None] * 3
            row = [name, score.name, score.main, score.ratios[score.main], *ends]
            yield [*row, signatures[number]]


def _to_json(
    evaluations: Sequence[Measured],
    comparisons: Sequence[Sequence[Comparison]],
    signatures: Sequence[str],
) -> str:
    """Return an object with all figures of each system."""
    systems = []
    for number, evaluation in enumerate(evaluations):
        scores = [score.to_dict() for score in evaluation.scores]
        comparison = comparisons[number - 1] if number and comparisons else ()
        tests = [test._asdict() for test in comparison]
        system = {"system": evaluation.paths[1], "signature": signatures[number]}
        rest = {"scores": scores, "comparison": tests, "differences": list(evaluation.differences)}
        systems.append({**system, **rest})
    first = evaluations[0]
    whole = {"metric": first.metric.name, "signature": signatures[0], "gold": first.paths[0]}
    return json_text({**whole, "systems": systems}, indent=2) + "\n"
