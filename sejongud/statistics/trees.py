"""Count trees: Table 2.1 of the memoir for their words, and their labels, depth and branching."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.layers.trees import nulls
from sejongud.statistics import Statistics, by_frequency, collect, level_rows
from sejongud.terminal import counted, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Constituent, Sentence
    from sejongud.rules import Rules


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


def collect_trees(sentences: Iterable[Sentence], rules: Rules) -> TreeStatistics:
    """Count the trees of sentences and the words of them.

    Args:
        sentences: with or without trees.
        rules: the tables.
    """
    statistics = TreeStatistics()

    def counted() -> Iterator[Sentence]:
        for sentence in sentences:
            statistics.add(sentence.constituents)
            yield sentence

    statistics.words = collect(counted(), rules)
    return statistics


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
