"""The charts of a report, each as the table that the page's script draws it from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.layers.labels import entity_layers
from sejongud.statistics import by_frequency
from sejongud.statistics.layers import LayerStatistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.model import Sentence
    from sejongud.statistics import Statistics


class Counts:
    """Counts the layers of sentences.

    Entities are counted by type; `nested` has those that stand inside another entity.
    """

    def __init__(self) -> None:
        self.entities: Counter[str] = Counter()
        self.nested: Counter[str] = Counter()
        self.deprels: Counter[str] = Counter()
        self.layers = LayerStatistics()

    def add(self, sentence: Sentence) -> None:
        """Count the entities, relations, frames and constituents of a sentence."""
        self.layers.add(sentence)
        for layer, entities in enumerate(entity_layers(sentence)):
            (self.nested if layer else self.entities).update([entity.type for entity in entities])
        if arcs := sentence.arcs:
            pairs = zip(arcs.heads, arcs.deprels, strict=True)
            self.deprels.update([deprel for head, deprel in pairs if head >= 0])


class Chart(NamedTuple):
    """A chart: its table, and the shape that the page draws.

    The first column has the names of the bars; each further column of plain numbers is a panel.
    """

    name: str
    """The end of the element's id."""
    title: str
    shape: str
    """`bars` lie below one another, `shares` are bars of each column's percentages, `columns`
    stand side by side, a `histogram` stands on a scale of numbers."""
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    """An explanation that stands below the title."""


def charts_of(
    statistics: Statistics, counts: Counts, incidents: Mapping[str, int], codes: Mapping[str, str]
) -> list[Chart]:
    """Return the charts of a corpus, except the empty ones.

    Args:
        statistics: the statistics of all its sentences.
        counts: the counts of its entities and relations.
        incidents: code → number of incidents.
        codes: code → description.
    """
    levels = statistics.levels
    words = [
        [f"{k}", f"{counted.words:,}", f"{counted.mcw:.4f}", f"{counted.immediate_nts:,}"]
        for k, counted in levels.items()
        if counted.words
    ]
    upos = {f"level {k}": counted.upos for k, counted in levels.items()}
    lengths = {name.capitalize(): counted for name, counted in statistics.lengths.items()}
    every_length = sorted(set[int]().union(*lengths.values()))
    entities = {"entities": counts.entities, "inside others": counts.nested}
    types = {name: counted for name, counted in entities.items() if counted or name == "entities"}
    codes_chart = _ranking("codes", "Incidents by code", "code", Counter(incidents))
    explained = [[*row, codes.get(row[0], "")] for row in codes_chart.rows]
    charts = [
        Chart(
            "words",
            "Words at the five levels",
            "columns",
            ["level", "words", "complex words (MCW)", "tags"],
            words,
            "Complex words have two morphemes or more; MCW is their share of all words. Tags"
            " (immediate NT) are the different XPOS of the words.",
        ),
        Chart(
            "upos",
            "UPOS at the five levels",
            "shares",
            ["UPOS", *upos],
            _rows(upos, _names(upos)),
            "The bars are shares of the words of a level; the table has the numbers.",
        ),
        Chart(
            "lengths", "Lengths", "histogram", ["length", *lengths], _rows(lengths, every_length)
        ),
        _ranking("xpos", "Tags of the morphemes", "XPOS", levels[5].xpos),
        Chart("types", "Entities by type", "bars", ["type", *types], _rows(types, _names(types))),
        _ranking("deprels", "Relations", "DEPREL", counts.deprels),
        _ranking("frames", "Frames", "frame", counts.layers.names),
        _ranking("elements", "Frame elements", "element", counts.layers.elements),
        _ranking("labels", "Constituents by label", "label", counts.layers.trees.labels),
        codes_chart._replace(head=[*codes_chart.head, "description"], rows=explained),
    ]
    return [chart for chart in charts if chart.rows]


def _names(columns: Mapping[str, Counter[str]]) -> list[str]:
    """Return the keys of all columns, the most frequent first."""
    return [name for name, _ in by_frequency(sum(columns.values(), Counter[str]()))]


def _rows(columns: Mapping[str, Counter[Any]], keys: Sequence[Any]) -> list[list[str]]:
    """Return a row of counts for each key."""
    return [[str(key), *[f"{counts[key]:,}" for counts in columns.values()]] for key in keys]


def _ranking(name: str, title: str, what: str, counts: Counter[str]) -> Chart:
    """Return the chart of one distribution, the most frequent first."""
    total = counts.total()
    rows = [[key, f"{n:,}", f"{n / total:.1%}"] for key, n in by_frequency(counts)]
    return Chart(name, title, "bars", [what, "count", "share"], rows)
