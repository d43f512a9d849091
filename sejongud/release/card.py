"""Write the texts about a release: README.md (the dataset card), CITATION.cff and LICENSE.

The texts are Jinja templates in the folder `templates/`; this module gives them their values.
Everything in them follows from the recipe and from the counts, so that equal releases have equal
texts. README.md is a dataset card of the Hugging Face Hub.

The counts of each part of a corpus are those of other rooms: `sejongud.statistics` counts Table 2.1
of the memoir, `sejongud.validation.corpus_entities` the entities, `sejongud.statistics.layers`
relations, frames and constituents, `collect_dependencies` the arcs before and after `dep
word2morph`. One process counts a part; several parts are counted at the same time.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import Report
from sejongud.process.parallel import ordered_map
from sejongud.release.inputs import Converted, reader_of
from sejongud.release.keys import SPLITS
from sejongud.release.outputs import file_of
from sejongud.release.recipe import EOJ2MORPH, SYL2MORPH, WORD2MORPH, Corpus, Recipe, word2morph
from sejongud.release.rows import hub_features
from sejongud.release.splits import UNITS, SplitSet
from sejongud.rules import load
from sejongud.statistics import by_frequency, collect, collect_dependencies
from sejongud.statistics.layers import LayerStatistics
from sejongud.validation.corpus_entities import EntityCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jinja2 import Environment

    from sejongud.model import Sentence


_HUB_SPLITS = {"train": "train", "dev": "validation", "test": "test"}
"""The names of the parts on the Hub."""

_HUB_FORMATS = ("jsonl", "parquet")
"""The formats that the Hub can load; the last one present is taken."""

_HUB_LICENCE = re.compile(
    r"apache-2\.0|mit|bsd-[23]-clause|cc0-1\.0|l?gpl-3\.0"
    r"|cc-(by|by-sa|by-nc|by-nd|by-nc-sa|by-nc-nd)-[234]\.0"
)
"""Licences that have a name of their own on the Hub; all others are `other`."""

_SIZES = (
    "n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B",
)  # fmt: skip
"""The Hub's classes of size, one for each power of ten."""

_TASKS = {
    EOJ2MORPH: "named-entity-recognition",
    SYL2MORPH: "named-entity-recognition",
    WORD2MORPH: "parsing",
}
"""Converter → the Hub's name of the task that its corpora are for."""


@dataclass(frozen=True)
class Released:
    """A corpus of a finished release.

    Args:
        corpus: the corpus in the recipe.
        sentences: the number of its sentences.
        parts: the counts of its parts.
        trips: its round trips, as in the manifest.
        incidents: code → number of incidents.
        not_written: output → loss → number of sentences, as in the manifest.
        names: of the labels of its entities, in the order of their numbers on the Hub.
    """

    corpus: Corpus
    sentences: int
    parts: Sequence[PartCounts]
    trips: Sequence[Mapping[str, Any]]
    incidents: Mapping[str, int]
    not_written: Mapping[str, Mapping[str, int]]
    names: Sequence[str] = ()

    @property
    def first_parts(self) -> list[PartCounts]:
        """The parts of the first way of splitting."""
        return [part for part in self.parts if part.way == self.parts[0].way]

    @property
    def entities(self) -> dict[str, list[int]]:
        """Type of entity → how often it occurs in each of `first_parts`."""
        types = {name for part in self.first_parts for name in part.entities} - {"all"}
        return {
            name: [part.entities.get(name, 0) for part in self.first_parts]
            for name in sorted(types)
        }

    @property
    def relation_kinds(self) -> list[str]:
        """The units between which relations were counted: words, morphemes."""
        counts = [part.figures.get("relations", {}) for part in self.first_parts]
        return list(dict.fromkeys([kind for part in counts for kind in part]))

    @property
    def relations(self) -> dict[str, list[int]]:
        """Relation → how often it occurs in `first_parts`, for each of `relation_kinds`."""
        counts = {kind: Counter[str]() for kind in self.relation_kinds}
        for part in self.first_parts:
            for kind, relations in part.figures.get("relations", {}).items():
                counts[kind].update(relations)
        names = sorted(set().union(*counts.values()))
        return {name: [of_kind[name] for of_kind in counts.values()] for name in names}


def papers(recipe: Recipe) -> list[dict[str, Any]]:
    """Return the papers whose methods the converters of a recipe follow."""
    text = Path(__file__).with_name("papers.toml").read_text(encoding="utf-8")
    used = {corpus.converter for corpus in recipe.corpora}
    return [paper for paper in tomllib.loads(text).values() if used & set(paper["converters"])]


def card(recipe: Recipe, released: Sequence[Released], made_with: Mapping[str, str]) -> str:
    """Return the text of README.md.

    Args:
        recipe: the recipe of the release.
        released: its corpora.
        made_with: program or library → version.
    """
    tasks = {_TASKS[corpus.converter] for corpus in recipe.corpora if corpus.converter in _TASKS}
    licence = recipe.licence.lower()
    sentences = sum([entry.sentences for entry in released])
    return _filled(
        "README.md",
        recipe=recipe,
        released=released,
        made_with=[" ".join(item) for item in made_with.items()],
        papers=papers(recipe),
        hub_licence=licence if _HUB_LICENCE.fullmatch(licence) else "",
        tasks=sorted(tasks | {"part-of-speech", "lemmatization"}),
        size=_SIZES[min(max(len(str(sentences)) - 3, 0), len(_SIZES) - 1)],
        configs=[config for entry in released for config in _configs(entry, recipe)],
        formats={output.format for corpus in recipe.corpora for output in corpus.outputs},
        several_ways=any([len({part.way for part in entry.parts}) > 1 for entry in released]),
    )


def citation(recipe: Recipe) -> str:
    """Return the text of CITATION.cff, for a recipe that names no such file."""
    return _filled("CITATION.cff", recipe=recipe, papers=papers(recipe))


def notice(recipe: Recipe) -> str:
    """Return the text of LICENSE, for a recipe that names no such file."""
    return _filled("LICENSE", recipe=recipe)


def _configs(entry: Released, recipe: Recipe) -> list[dict[str, Any]]:
    """Return the Hub's configurations of a corpus: names, files by split, and features.

    A way of splitting is a configuration. Its files are those of the finest level.
    """
    outputs = [output for output in entry.corpus.outputs if output.format in _HUB_FORMATS]
    if not outputs:
        return []
    best = max(outputs, key=lambda output: (_HUB_FORMATS.index(output.format), output.level))
    features = hub_features(best.format, entry.names)
    configs: dict[str, dict[str, Any]] = {}
    for part in entry.parts:
        path = file_of(entry.corpus, best, part.way, part.name, recipe.compress)
        name = "-".join(filter(None, [entry.corpus.name, part.way]))
        config = configs.setdefault(name, {"name": name, "files": [], "features": features})
        config["files"].append((_HUB_SPLITS[part.name], path))
    return list(configs.values())


# --- templates -----------------------------------------------------------------------------------


def _filled(name: str, **values: Any) -> str:
    return _environment().get_template(f"{name}.jinja").render(values, units=UNITS)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sejongud.release"),
        undefined=StrictUndefined,
        # The texts are no HTML.
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        # A value of JSON is a value of YAML too.
        "quoted": lambda value: json.dumps(value, ensure_ascii=False),
        "number": lambda number: f"{number:,}",
        "positive": lambda number: f"{number:,}" if number else "",
        "ratio": lambda ratio: f"{ratio:.4f}",
        "cell": _cell,
        "code": lambda text: _cell(f"`{text}`") if text else "",
        "table": _table,
    }
    return environment


def _cell(text: str) -> str:
    """Return a text as it stands in a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _table(text: str) -> str:
    r"""Return a Markdown table without the columns that are empty in all of its rows.

    >>> _table("| a | b |  |\n| --- | --- | --- |\n| x |  |  |\n| y |  |  |\n")
    '| a |\n| --- |\n| x |\n| y |\n'
    """
    head, rule, *rows = [line[2:-2].split(" | ") for line in text.rstrip("\n").split("\n")]
    columns = [i for i in range(len(head)) if any([row[i] for row in rows])]
    lines = [" | ".join([row[i] for i in columns]) for row in (head, rule, *rows)]
    return "".join([f"| {line} |\n" for line in lines])


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


_reading = lru_cache(maxsize=1)(reader_of)
"""The reader of a corpus in this process; it remembers the words that its parts share."""


class _Task(NamedTuple):
    """A part to be counted."""

    converted: Converted
    parts: bytes
    part: int

    def sentences(self) -> Iterator[Sentence]:
        """Iterate over the sentences of the part."""
        reading = _reading(self.converted)
        for part, header in zip(self.parts, self.converted.headers(), strict=True):
            if part == self.part:
                yield reading(header.line, header.sent_id)


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
    suspicious = Report()
    check = EntityCheck(rules, suspicious, corpus.name)

    def sentences() -> Iterator[Sentence]:
        for sentence in task.sentences():
            check.add(sentence)
            yield sentence

    # The words of a treebank stay as they are: see `outputs`.
    upos = None if corpus.is_treebank else corpus.upos
    layers = LayerStatistics()
    data = collect(layers.counted(sentences()), rules, upos=upos).to_dict()
    for level in data["levels"].values():
        level["mcw"] = round(level["mcw"], _DIGITS)
    if converted.labels is not None:
        data["entities"] = check.counts()
        data["entities_worth_a_look"] = dict(sorted(suspicious.counts.items()))
    data |= layers.to_dict()
    if layers.deprels:
        data["relations"] = {"words": dict(by_frequency(layers.deprels))}
    if corpus.is_treebank:
        _add_arcs(task, data)
    return data


def _add_arcs(task: _Task, data: dict[str, Any]) -> None:
    """Count the arcs of a treebank between its words, and between its morphemes."""
    converted = task.converted
    step = word2morph(converted.corpus, converted.recipe.rules_folder).make_step()
    relations: Counter[str] = Counter()

    def split(sentence: Sentence) -> Sentence:
        stepped: Sentence = step(sentence)
        relations.update(stepped.arcs.deprels if stepped.arcs else ())
        return stepped

    data["arcs"] = collect_dependencies(task.sentences(), split).to_dict(_PATTERNS)
    data["relations"]["morphemes"] = dict(by_frequency(relations))
