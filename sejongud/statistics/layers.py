"""Count the frames and the constituents of sentences, for corpora that have any."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.layers.labels import find_entities, flat_labels
from sejongud.statistics import by_frequency, mean
from sejongud.statistics.frames import PARTS, FrameCounts
from sejongud.statistics.trees import TreeStatistics
from sejongud.terminal import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.model import Sentence


@dataclass
class LayerStatistics:
    """The statistics of the frames and constituents of a corpus.

    Args:
        frames: the lexical units, sentences and instances.
        names: name of a frame → its instances.
        elements: name of a frame element → how often it occurs.
        trees: the constituents; the words of its sentences are not counted.
    """

    frames: FrameCounts = field(default_factory=FrameCounts)
    names: Counter[str] = field(default_factory=Counter)
    elements: Counter[str] = field(default_factory=Counter)
    trees: TreeStatistics = field(default_factory=TreeStatistics)

    def add(self, sentence: Sentence) -> None:
        """Count the frames and constituents of a sentence."""
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
        if self.frames.instances:
            data["frames"] = self._of_frames(top)
        if self.trees.trees:
            data["constituents"] = self._of_trees(top)
        return data

    def _of_frames(self, top: int | None) -> dict[str, Any]:
        counts = self.frames
        return {
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

    def _of_trees(self, top: int | None) -> dict[str, Any]:
        trees = self.trees
        return {
            "trees": trees.trees,
            "constituents": sum(trees.labels.values()),
            "null_elements": trees.nulls,
            "mean_depth": mean(trees.depths),
            "greatest_depth": max(trees.depths),
            "distinct_labels": len(trees.labels),
            "labels": dict(by_frequency(trees.labels)[:top]),
        }

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
