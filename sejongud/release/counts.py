"""Count the words, entities, relations, frames and constituents of each part of a corpus.

`sejongud.statistics` counts Table 2.1 of the memoir, `sejongud.validation.corpus_entities` the
entities, `sejongud.statistics.layers` frames and constituents, `collect_dependencies` the arcs
before and after `dep word2morph`. Relations are counted here. One process counts a part; several
parts are counted at the same time.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import Report
from sejongud.process.parallel import ordered_map
from sejongud.release.inputs import Reading
from sejongud.release.keys import SPLITS
from sejongud.release.recipe import word2morph
from sejongud.rules import load
from sejongud.statistics import by_frequency, collect, collect_dependencies
from sejongud.statistics.layers import LayerStatistics
from sejongud.validation.corpus_entities import EntityCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.model import Sentence
    from sejongud.release.inputs import Converted
    from sejongud.release.splits import SplitSet

_PATTERNS = 50
"""The number of patterns of words that statistics list of a treebank, the most frequent."""
_DIGITS = 4


class PartCounts(NamedTuple):
    """The counts of a part of a corpus."""

    way: str
    """The name of the way of splitting."""
    name: str
    """One of `SPLITS`."""
    figures: dict[str, Any]
    """The counts, as in statistics/….json."""

    @property
    def label(self) -> str:
        """Way and name, as `seed-41/train`."""
        return "/".join(filter(None, [self.way, self.name]))

    @property
    def entities(self) -> dict[str, int]:
        """Type of entity → number of entities; `all` → the sum."""
        return {name: row["entities"] for name, row in self.figures.get("entities", {}).items()}

    def layer(self, name: str) -> dict[str, Any]:
        """Return the counts of `frames` or `constituents`, {} if there are none."""
        counts: dict[str, Any] = self.figures.get(name, {})
        return counts

    @property
    def relations(self) -> dict[str, dict[str, int]]:
        """`words` or `morphemes` → relation → number of arcs."""
        counts: dict[str, dict[str, int]] = self.figures.get("relations", {})
        return counts


_reading = lru_cache(maxsize=1)(Reading)
"""The reader of a corpus in this process; it remembers the words that its parts share."""


class _Task(NamedTuple):
    """A part to be counted."""

    converted: Converted
    parts: bytes
    part: int

    def lines(self) -> Iterator[tuple[str, str]]:
        """Iterate over the lines of the part, each with the id of its sentence."""
        for number, header in enumerate(self.converted.headers()):
            if self.parts[number] == self.part:
                yield header.line, header.sent_id


def count_parts(converted: Converted, ways: Sequence[SplitSet], *, jobs: int) -> list[PartCounts]:
    """Count all parts of a corpus, in the order of the ways and of `SPLITS`.

    Args:
        converted: the corpus.
        ways: the ways in which it is split.
        jobs: the number of processes.
    """
    places = [(way, part) for way in ways for part in sorted(set(way.parts))]
    tasks = [_Task(converted, way.parts, part) for way, part in places]
    return [
        PartCounts(way.name, SPLITS[part], figures)
        for (way, part), figures in zip(places, ordered_map(_count, tasks, jobs), strict=True)
    ]


def _count(task: _Task) -> dict[str, Any]:
    converted = task.converted
    corpus = converted.corpus
    rules = load(converted.recipe.rules_folder)
    reading = _reading(converted)
    suspicious = Report()
    check = EntityCheck(rules, suspicious, corpus.name)
    relations: Counter[str] = Counter()

    def sentences() -> Iterator[Sentence]:
        for line, sent_id in task.lines():
            sentence = reading.sentence(line, sent_id)
            check.add(sentence)
            if arcs := sentence.arcs:
                pairs = zip(arcs.heads, arcs.deprels, strict=True)
                relations.update([deprel for head, deprel in pairs if head >= 0])
            yield sentence

    # The words of a treebank stay as they are: see `outputs`.
    upos = None if corpus.is_treebank else corpus.upos
    layers = LayerStatistics()
    data = collect(layers.counted(sentences()), rules, upos=upos).to_dict()
    for level in data["levels"].values():
        level["mcw"] = round(level["mcw"], _DIGITS)
    if converted.has_entities:
        data["entities"] = _entities(check.table())
        data["entities_worth_a_look"] = dict(sorted(suspicious.counts.items()))
    data |= layers.to_dict()
    if relations:
        data["relations"] = {"words": dict(by_frequency(relations))}
    if corpus.is_treebank:
        _add_arcs(task, data)
    return data


def _entities(table: str) -> dict[str, dict[str, int]]:
    """Return the numbers in the table of an `EntityCheck`."""
    head, *rows = [line.split("\t") for line in table.splitlines()]
    return {
        row[0]: {name: int(cell) for name, cell in zip(head[1:], row[1:], strict=True)}
        for row in rows
    }


def _add_arcs(task: _Task, data: dict[str, Any]) -> None:
    """Count the arcs of a treebank between its words, and between its morphemes."""
    converted = task.converted
    reading = _reading(converted)
    step = word2morph(converted.corpus, converted.recipe.rules_folder).make_step()
    relations: Counter[str] = Counter()

    def split(sentence: Sentence) -> Sentence:
        stepped: Sentence = step(sentence)
        relations.update(stepped.arcs.deprels if stepped.arcs else ())
        return stepped

    sentences = (reading.sentence(line, sent_id) for line, sent_id in task.lines())
    data["arcs"] = collect_dependencies(sentences, split).to_dict(_PATTERNS)
    data["relations"]["morphemes"] = dict(by_frequency(relations))
