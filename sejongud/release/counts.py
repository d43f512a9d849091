"""Step three of a build: what is in each part of each corpus, counted by the commands' own modules.

Table 2.1 of the memoir by `sejongud.statistics`, entities by `sejongud.validation.entities`, arcs
before and after `dep word2morph` by `sejongud.dependency_statistics`; relations are added up here.
A part is counted in one process, so that several are counted at the same time.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import Report
from sejongud.parallel import ordered_map
from sejongud.release.inputs import headers
from sejongud.release.outputs import Reading
from sejongud.release.recipe import SPLITS
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.model import Sentence
    from sejongud.release.inputs import Base
    from sejongud.release.recipe import Corpus
    from sejongud.release.splits import SplitSet
    from sejongud.ud import UDSentence

__all__ = ["Part", "count_parts"]

_PATTERNS = 50
"""How many patterns of words are kept of a treebank; how many there are in all is said."""
_DIGITS = 4


class Part(NamedTuple):
    """What is in a part of a corpus."""

    way: str
    """The name of the way of splitting."""
    name: str
    """One of `SPLITS`."""
    figures: dict[str, Any]
    """As in statistics/….json."""

    @property
    def label(self) -> str:
        """Way and name, as `seed-41/train`."""
        return "/".join(filter(None, [self.way, self.name]))

    @property
    def entities(self) -> dict[str, int]:
        """Type of entity → how many of it; `all` for all of them."""
        return {name: row["entities"] for name, row in self.figures.get("entities", {}).items()}

    @property
    def relations(self) -> dict[str, dict[str, int]]:
        """`words` or `morphemes` → relation → how often it occurs."""
        found: dict[str, dict[str, int]] = self.figures.get("relations", {})
        return found


@dataclass(frozen=True)
class _Task:
    """A part that is to be counted."""

    corpus: Corpus
    base: Base
    parts: bytes
    part: int
    rules: str | None


def count_parts(
    corpus: Corpus,
    base: Base,
    ways: Sequence[SplitSet],
    *,
    rules: str | None,
    jobs: int,
) -> list[Part]:
    """The figures of all parts, in the order of the ways and of `SPLITS`.

    Args:
        corpus: which.
        base: its sentences.
        ways: how they are split.
        rules: the user's tables.
        jobs: how many processes.
    """
    places = [(way, part) for way in ways for part in sorted(set(way.parts))]
    tasks = [_Task(corpus, base, way.parts, part, rules) for way, part in places]
    return [
        Part(way.name, SPLITS[part], figures)
        for (way, part), figures in zip(places, ordered_map(_count, tasks, jobs), strict=True)
    ]


@lru_cache(maxsize=1)
def _reading(is_treebank: bool, rules: str | None) -> Reading:
    """What reads the parts of a corpus: each has most of the words of the others."""
    return Reading(is_treebank, rules)


def _count(task: _Task) -> dict[str, Any]:
    from sejongud.statistics import collect
    from sejongud.validation.entities import EntityCheck

    rules = load(task.rules)
    reading = _reading(task.base.is_treebank, task.rules)
    suspicious = Report()
    check = EntityCheck(rules, suspicious, task.corpus.name)
    relations: Counter[str] = Counter()

    def sentences() -> Iterator[Sentence]:
        for line, sent_id in _lines(task):
            sentence = reading.sentence(line, sent_id)
            check.add(sentence)
            relations.update([c.deprel for c in sentence.columns if c.head >= 0])
            yield sentence

    found = collect(sentences(), rules, upos=task.corpus.upos).to_dict()
    for level in found["levels"].values():
        level["mcw"] = round(level["mcw"], _DIGITS)
    if task.base.has_entities:
        found["entities"] = _entities(check.table())
        found["entities_worth_a_look"] = dict(sorted(suspicious.counts.items()))
    if relations:
        found["relations"] = {"words": _by_frequency(relations)}
    if task.base.is_treebank:
        _add_arcs(task, found)
    return found


def _lines(task: _Task) -> Iterator[tuple[str, str]]:
    """The lines of a part, with the ids of their sentences."""
    for number, header in enumerate(headers(task.base)):
        if task.parts[number] == task.part:
            yield header.line, header.sent_id


def _entities(table: str) -> dict[str, dict[str, int]]:
    """What `EntityCheck.table` says, as numbers."""
    head, *rows = [line.split("\t") for line in table.splitlines()]
    return {
        row[0]: {name: int(cell) for name, cell in zip(head[1:], row[1:], strict=True)}
        for row in rows
    }


def _add_arcs(task: _Task, found: dict[str, Any]) -> None:
    """The arcs of a treebank, between its words and between its morphemes."""
    from sejongud.dependencies import DependencyConversion
    from sejongud.dependency_statistics import collect_dependencies
    from sejongud.formats.ud import UDBlock

    reader = DependencyConversion("word2morph", rules=task.rules).make_reader()
    relations: Counter[str] = Counter()
    made: list[UDSentence] = []

    def sentences() -> Iterator[UDSentence]:
        for line, _ in _lines(task):
            item = json.loads(line)
            made[:] = [reader.parse(UDBlock(1, item["morphemes"]))]
            relations.update(made[0].deprels)
            yield reader.parse(UDBlock(1, item["words"]))

    # The conversion was done once, for the base.
    found["arcs"] = collect_dependencies(sentences(), lambda _: made[0]).to_dict(_PATTERNS)
    found["relations"]["morphemes"] = _by_frequency(relations)


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first, the same frequency by the alphabet."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
