"""The figures of a report: what its charts show, and the same as tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sejongud.report.charts import Panel, bars, columns
from sejongud.statistics import by_frequency

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    from sejongud.report.data import Counts
    from sejongud.statistics import Statistics

__all__ = ["Chart", "charts_of"]

_TOP = 45
"""How many bars there are at most below one another."""
_SHARE = 0.995
"""How much of a distribution of lengths is drawn; one sentence of a thousand words is not."""


class Chart(NamedTuple):
    """A chart and its table."""

    name: str
    """For ids."""
    title: str
    note: str
    """What is to be known about it."""
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    draw: Callable[[], Figure]


def charts_of(
    statistics: Statistics, counts: Counts, incidents: Mapping[str, int], codes: Mapping[str, str]
) -> list[Chart]:
    """The charts of a corpus; those of what it does not have are left out.

    Args:
        statistics: of all its sentences.
        counts: of its entities and relations.
        incidents: code → how many.
        codes: code → what it stands for.
    """
    found = [_words(statistics), _upos(statistics), *_lengths(statistics), _xpos(statistics)]
    if counts.entities or counts.nested:
        found.append(_entities(counts))
    if counts.deprels:
        found.append(_ranking("deprels", "Relations", "DEPREL", counts.deprels))
    if incidents:
        chart = _ranking("codes", "Incidents by code", "code", Counter(incidents))
        rows = [[*row, codes.get(row[0], "")] for row in chart.rows]
        found.append(chart._replace(head=[*chart.head, "what it stands for"], rows=rows))
    return [chart for chart in found if chart.rows]


def _words(statistics: Statistics) -> Chart:
    levels = statistics.levels
    words = {str(k): of.words for k, of in levels.items()}
    complex_words = {str(k): of.mcw for k, of in levels.items()}
    nts = {str(k): of.immediate_nts for k, of in levels.items()}
    rows = [
        [f"{k}", f"{of.words:,}", f"{of.mcw:.4f}", f"{of.immediate_nts:,}"]
        for k, of in levels.items()
    ]
    return Chart(
        "words",
        "Words at the five levels",
        "Complex words (MCW) have two morphemes or more; tags (immediate NT) are the different"
        " XPOS of the words.",
        ["level", "words", "MCW", "tags"],
        rows if statistics.eojeols else [],
        lambda: columns(
            [
                Panel("Words", _by_level(words), "level"),
                Panel("Complex words (share)", _by_level(complex_words), "level"),
                Panel("Tags", _by_level(nts), "level"),
            ],
            written=True,
        ),
    )


def _by_level(values: Mapping[str, float]) -> dict[str, float]:
    return {f"L{level}": value for level, value in values.items()}


def _upos(statistics: Statistics) -> Chart:
    totals: Counter[str] = Counter()
    for of in statistics.levels.values():
        totals.update(of.upos)
    names = [name for name, _ in by_frequency(totals)]
    levels = statistics.levels.items()
    rows = [[name, *[f"{of.upos[name]:,}" for _, of in levels]] for name in names]
    panels = [
        Panel(f"Level {k}", {name: of.upos[name] / (of.words or 1) for name in names})
        for k, of in levels
    ]
    return Chart(
        "upos",
        "UPOS at the five levels",
        "Shares of the words of a level.",
        ["UPOS", *[f"level {k}" for k, _ in levels]],
        rows,
        lambda: bars(panels, share=True),
    )


def _lengths(statistics: Statistics) -> list[Chart]:
    titles = {
        "eojeols a sentence": "Eojeols a sentence",
        "morphemes an eojeol": "Morphemes an eojeol",
        "characters an eojeol": "Characters an eojeol",
    }
    distributions = statistics.lengths
    cut = {name: _without_tail(counts) for name, counts in distributions.items()}
    tails = any([len(cut[name]) < len(counts) for name, counts in distributions.items()])
    note = f"The longest {1 - _SHARE:.1%} are not drawn; the table has them." if tails else ""
    panels = [
        Panel(titles[name], {str(n): count for n, count in counts.items()})
        for name, counts in cut.items()
    ]
    longest = max([max(counts, default=0) for counts in distributions.values()])
    rows = [
        [str(n), *[f"{counts[n]:,}" for counts in distributions.values()]]
        for n in range(1, longest + 1)
        if any([counts[n] for counts in distributions.values()])
    ]
    return [
        Chart(
            "lengths", "Lengths", note, ["length", *titles.values()], rows, lambda: columns(panels)
        )
    ]


def _without_tail(counts: Counter[int]) -> dict[int, int]:
    """A distribution without its longest few."""
    total, done = counts.total(), 0
    found = {}
    for length in sorted(counts):
        if done >= _SHARE * total:
            break
        found[length] = counts[length]
        done += counts[length]
    return found


def _xpos(statistics: Statistics) -> Chart:
    return _ranking("xpos", "Tags of the morphemes", "XPOS", statistics.levels[5].xpos)


def _entities(counts: Counts) -> Chart:
    totals = counts.entities + counts.nested
    names = [name for name, _ in by_frequency(totals)]
    panels = [Panel("Entities", {name: counts.entities[name] for name in names[:_TOP]})]
    head = ["type", "entities"]
    if counts.nested:
        panels.append(Panel("Inside others", {name: counts.nested[name] for name in names[:_TOP]}))
        head.append("inside others")
    layers = (counts.entities, counts.nested)[: len(panels)]
    rows = [[name, *[f"{layer[name]:,}" for layer in layers]] for name in names]
    return Chart("types", "Entities by type", _left_out(names), head, rows, lambda: bars(panels))


def _ranking(name: str, title: str, what: str, counts: Counter[str]) -> Chart:
    """The most frequent of something."""
    ranked = by_frequency(counts)
    total = sum(counts.values())
    rows = [[key, f"{count:,}", f"{count / total:.1%}"] for key, count in ranked]
    drawn = dict(ranked[:_TOP])
    note = _left_out([key for key, _ in ranked])
    return Chart(
        name, title, note, [what, "count", "share"], rows, lambda: bars([Panel("", drawn)])
    )


def _left_out(names: Sequence[str]) -> str:
    if len(names) <= _TOP:
        return ""
    return f"The {_TOP} most frequent of {len(names):,}; the table has all of them."
