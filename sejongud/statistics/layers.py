"""Count the entities, relations, frames and constituents of sentences, for corpora that have any.

Trees have Table 2.1 of the memoir for their words, and their labels, depth and branching; a corpus
of frames has Tables 3.9, 3.10 and 3.11 of the memoir.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.layers.labels import entity_layers, find_entities, flat_labels
from sejongud.layers.trees import nulls
from sejongud.statistics import Statistics, by_frequency, level_rows, mean
from sejongud.terminal import counted, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.model import Constituent, Sentence, Target


_PARTS = {"n": "Noun", "v": "Verb", "a": "Adjective"}
"""The part of speech of a lexical unit, by its suffix."""
_OTHERS = "Others"
PARTS = (*_PARTS.values(), _OTHERS)
"""The parts of speech that are counted."""
_ALL = "all"


class FrameCounts:
    """Counts the lexical units, frames, sentences and instances of a corpus."""

    def __init__(self) -> None:
        self.instances = 0
        # Hashes of 64 bits: the texts of a corpus would take its size.
        self._texts: set[int] = set()
        self._frames: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, forms: Iterable[str], targets: Iterable[Target | None]) -> None:
        """Count an instance.

        Args:
            forms: the eojeols of its sentence.
            targets: the target at each eojeol.
        """
        self.instances += 1
        self._texts.add(hash(" ".join(forms)))
        for target in targets:
            if target is not None:
                self._frames[target.unit].add(target.frame)

    def update(self, counts: FrameCounts) -> None:
        """Count the instances of another part of the corpus."""
        self.instances += counts.instances
        self._texts |= counts._texts
        for unit, frames in counts._frames.items():
            self._frames[unit] |= frames

    def to_dict(self) -> dict[str, Any]:
        """Return the counts of `frames_as_text`, unrounded."""
        parts = {"": _ALL, **{part: part for part in PARTS}}
        return {
            "sentences": self.sentences,
            "instances": self.instances,
            "units": {name: self.units(part) for part, name in parts.items()},
            "frames_a_unit": {name: self.frames_a_unit(part) for part, name in parts.items()},
        }

    @property
    def sentences(self) -> int:
        """The number of different sentences."""
        return len(self._texts)

    def units(self, part: str = "") -> int:
        """Return the number of different lexical units.

        Args:
            part: a part of speech, "" for all of them.
        """
        return len(self._sizes(part))

    def frames_a_unit(self, part: str = "") -> float:
        """Return the mean number of different frames of a lexical unit, 0 if there are none."""
        sizes = self._sizes(part)
        return sum(sizes) / len(sizes) if sizes else 0.0

    def _sizes(self, part: str) -> list[int]:
        """Return the number of frames of each lexical unit."""
        of_part = [u for u in self._frames if part in ("", part_of_speech(u))]
        return [len(self._frames[unit]) for unit in of_part]

    @property
    def frames_a_sentence(self) -> float:
        """The mean number of instances of a sentence, 0 if there are none."""
        return self.instances / self.sentences if self._texts else 0.0


def part_of_speech(unit: str) -> str:
    """Return the part of speech of a lexical unit.

    >>> part_of_speech("거주하다.v"), part_of_speech("빨리.adv")
    ('Verb', 'Others')
    """
    return _PARTS.get(unit.rpartition(".")[2], _OTHERS)


def frames_as_text(files: Mapping[str, FrameCounts]) -> str:
    """Return the three tables, with a column for each file and one for all of them.

    Args:
        files: the counts by the name of the file.
    """
    columns = dict(files)
    if len(files) > 1:
        columns[_ALL] = FrameCounts()
        for counts in files.values():
            columns[_ALL].update(counts)
    each = columns.values()
    units = [[part, *[f"{counts.units(part):,}" for counts in each]] for part in (*PARTS, "")]
    frames = [[p, *[f"{counts.frames_a_unit(p):.3f}" for counts in each]] for p in (*PARTS, "")]
    units[-1][0], frames[-1][0] = "Total", "Overall"
    sizes = [
        ["sentences", *[f"{counts.sentences:,}" for counts in each]],
        ["instances", *[f"{counts.instances:,}" for counts in each]],
        ["frames per sentence", *[f"{counts.frames_a_sentence:.3f}" for counts in each]],
    ]
    tables = {"lexical units": units, "frames per lexical unit": frames, "": sizes}
    return "\n".join([table(rows, header=[name, *columns]) for name, rows in tables.items()])


@dataclass
class TreeStatistics:
    """The statistics of a file of trees.

    Args:
        words: the words of the sentences at five levels.
        trees: the number of sentences with a tree.
        nulls: the number of null elements.
        labels: label → constituents.
        depths: the greatest number of constituents around a constituent, plus one → trees.
        children: number of constituents in a constituent → constituents.
    """

    words: Statistics = field(default_factory=Statistics)
    trees: int = 0
    nulls: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    depths: Counter[int] = field(default_factory=Counter)
    children: Counter[int] = field(default_factory=Counter)

    def add(self, layer: Sequence[Constituent]) -> None:
        """Count the constituents of a sentence."""
        if not layer:
            return
        self.trees += 1
        is_null = nulls(layer)
        self.nulls += sum(is_null)
        nodes = [node for node, null in zip(layer, is_null, strict=True) if not null]
        self.labels.update([node.label for node in nodes])
        self.depths[max([node.depth for node in nodes], default=0) + 1] += 1
        counts: list[int] = []
        open_at: list[int] = []
        for node in nodes:
            del open_at[node.depth :]
            if open_at:
                counts[open_at[-1]] += 1
            open_at.append(len(counts))
            counts.append(0)
        self.children.update(counts)

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as plain values, for JSON."""
        return {
            "trees": self.trees,
            "constituents": sum(self.labels.values()),
            "null_elements": self.nulls,
            "labels": dict(by_frequency(self.labels)),
            "depths": {str(depth): self.depths[depth] for depth in sorted(self.depths)},
            "children": {str(count): self.children[count] for count in sorted(self.children)},
            "words": self.words.to_dict(),
        }


def as_text(counts: TreeStatistics) -> str:
    """Return the counts as tables to look at."""
    levels = counts.words.levels
    rows = [["", *[f"Level {level}" for level in levels]], *level_rows(levels.values())]
    labels = [[label, f"{count:,}"] for label, count in by_frequency(counts.labels)]
    depths = [[str(depth), f"{counts.depths[depth]:,}"] for depth in sorted(counts.depths)]
    children = [[str(count), f"{counts.children[count]:,}"] for count in sorted(counts.children)]
    sizes = {
        "sentence[s]": counts.words.sentences,
        "tree[s]": counts.trees,
        "constituent[s]": counts.labels.total(),
        "null element[s]": counts.nulls,
    }
    parts = [
        ", ".join([counted(number, what) for what, number in sizes.items()]) + "\n",
        table(rows),
        f"Labels\n{table(labels)}",
        f"Depth of a tree\n{table(depths)}",
        f"Constituents in a constituent\n{table(children)}",
    ]
    return "\n".join(parts)


@dataclass
class LayerStatistics:
    """The statistics of the layers of a corpus; those of frames and constituents have tables.

    Args:
        entities: type of entity → how often it occurs, apart from those inside others.
        nested: type of entity → how often it stands inside another entity.
        deprels: relation → arcs.
        frames: the lexical units, sentences and instances.
        names: name of a frame → its instances.
        elements: name of a frame element → how often it occurs.
        trees: the constituents; the words of its sentences are not counted.
    """

    entities: Counter[str] = field(default_factory=Counter)
    nested: Counter[str] = field(default_factory=Counter)
    deprels: Counter[str] = field(default_factory=Counter)
    frames: FrameCounts = field(default_factory=FrameCounts)
    names: Counter[str] = field(default_factory=Counter)
    elements: Counter[str] = field(default_factory=Counter)
    trees: TreeStatistics = field(default_factory=TreeStatistics)

    def add(self, sentence: Sentence) -> None:
        """Count the layers of a sentence."""
        for depth, entities in enumerate(entity_layers(sentence)):
            (self.nested if depth else self.entities).update([entity.type for entity in entities])
        if arcs := sentence.arcs:
            pairs = zip(arcs.heads, arcs.deprels, strict=True)
            self.deprels.update([deprel for head, deprel in pairs if head >= 0])
        self.trees.add(sentence.constituents)
        if not sentence.frames:
            return
        forms = [eojeol.form for eojeol in sentence.eojeols]
        for instance in sentence.frames:
            self.frames.add(forms, instance.targets)
            self.names.update({target.frame for target in instance.targets if target is not None})
            elements = find_entities(flat_labels(sentence.eojeols, instance.labels))
            self.elements.update([element.type for element in elements])

    def counted(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield sentences, each of them counted."""
        for sentence in sentences:
            self.add(sentence)
            yield sentence

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return the counts of the layers that the corpus has as plain values, for JSON.

        Args:
            top: the number of the most frequent frames, frame elements and labels; None for all.

        Returns:
            `frames` and `constituents`, each with its counts; a layer that never occurs is left
            out.
        """
        data: dict[str, Any] = {}
        if (counts := self.frames).instances:
            data["frames"] = {
                "instances": counts.instances,
                "sentences": counts.sentences,
                "frames_a_sentence": round(counts.frames_a_sentence, 3),
                "lexical_units": {part: counts.units(part) for part in PARTS},
                "frames_a_lexical_unit": round(counts.frames_a_unit(), 3),
                "distinct_frames": len(self.names),
                "distinct_elements": len(self.elements),
                "names": dict(by_frequency(self.names)[:top]),
                "elements": dict(by_frequency(self.elements)[:top]),
            }
        if (trees := self.trees).trees:
            data["constituents"] = {
                "trees": trees.trees,
                "constituents": sum(trees.labels.values()),
                "null_elements": trees.nulls,
                "mean_depth": mean(trees.depths),
                "greatest_depth": max(trees.depths),
                "distinct_labels": len(trees.labels),
                "labels": dict(by_frequency(trees.labels)[:top]),
            }
        return data

    def rows(self, top: int | None = None) -> list[tuple[str, int, object, float]]:
        """Return the counts as rows of `Statistics.to_dataframe`: statistic, level, key, value.

        Args:
            top: see `to_dict`.
        """
        rows: list[tuple[str, int, object, float]] = []
        for layer, counts in self.to_dict(top).items():
            for name, value in counts.items():
                statistic = f"{layer}: {name.replace('_', ' ')}"
                pairs = value.items() if isinstance(value, dict) else [("", value)]
                rows += [(statistic, 0, key, n) for key, n in pairs]
        return rows

    def as_text(self, top: int) -> str:
        """Return the counts as tables to look at, "" for a corpus without these layers.

        Args:
            top: see `to_dict`.
        """
        parts = []
        for layer, counts in self.to_dict(top).items():
            sizes = [
                [name.replace("_", " "), _number(value)]
                for name, value in counts.items()
                if not isinstance(value, dict)
            ]
            parts.append(f"\n{layer.capitalize()}\n{table(sizes)}")
            for name, value in counts.items():
                if isinstance(value, dict):
                    rows = [[key, _number(n)] for key, n in value.items()]
                    title = f"{layer.capitalize()}: {name.replace('_', ' ')}"
                    parts.append(f"\n{title}\n{table(rows)}")
        return "".join(parts)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
