"""Arcs and words of a treebank before and after its words are split into morphemes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.evaluation.dep_trees import NO_GOVERNOR, ROOT, depths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sejongud.ud import UDSentence

__all__ = ["ArcStatistics", "DependencyStatistics", "collect_dependencies"]

_DIRECTIONS = ("left", "right", "root")


@dataclass
class ArcStatistics:
    """The arcs of trees.

    Args:
        directions: `left`, the governor stands to the left; `right`; `root`.
        depths: how many arcs a word is below its root; None where no root is above it.
        lengths: how many words an arc goes over, the root's left out.
    """

    directions: Counter[str] = field(default_factory=Counter)
    depths: Counter[int | None] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    def add(self, heads: Sequence[int]) -> None:
        """Count the arcs of a sentence.

        Args:
            heads: for each word, from 1; 0 the root, -1 none.
        """
        governors = [head - 1 if head > 0 else ROOT if head == 0 else NO_GOVERNOR for head in heads]
        self.depths.update(depths(governors))
        for at, head in enumerate(heads, 1):
            if head > 0:
                self.directions["left" if head < at else "right"] += 1
                self.lengths[abs(head - at)] += 1
            elif head == 0:
                self.directions["root"] += 1

    def to_dict(self) -> dict[str, Any]:
        """All counts, in order."""
        known = sorted([depth for depth in self.depths if depth is not None])
        return {
            "words": self.depths.total(),
            "directions": {name: self.directions[name] for name in _DIRECTIONS},
            "depths": {str(depth): self.depths[depth] for depth in known},
            "mean_depth": _mean(self.depths),
            "mean_length": _mean(self.lengths),
        }


@dataclass
class DependencyStatistics:
    """What `sejongud dep stats` counts.

    Args:
        sentences: how many.
        before: the arcs between words.
        after: those between morphemes.
        patterns: XPOS of the words; the tag of the head morpheme is in brackets.
    """

    sentences: int = 0
    before: ArcStatistics = field(default_factory=ArcStatistics)
    after: ArcStatistics = field(default_factory=ArcStatistics)
    patterns: Counter[str] = field(default_factory=Counter)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """All counts; of the patterns the `top` most frequent."""
        return {
            "sentences": self.sentences,
            "words": self.before.to_dict(),
            "morphemes": self.after.to_dict(),
            "patterns": dict(by_frequency(self.patterns)[:top]),
            "distinct_patterns": len(self.patterns),
        }


def collect_dependencies(
    sentences: Iterable[UDSentence], split: Callable[[UDSentence], UDSentence]
) -> DependencyStatistics:
    """Count.

    Args:
        sentences: of words.
        split: from words to morphemes (`sejongud.converters.word2morph`).
    """
    found = DependencyStatistics()
    for sentence in sentences:
        after = split(sentence)
        found.sentences += 1
        found.before.add(sentence.heads)
        found.after.add(after.heads)
        first = 1
        for token, words in zip(sentence.tokens, after.tokens, strict=True):
            size = len(words.words)
            if len(token.words) == 1:
                heads = after.heads[first - 1 : first - 1 + size]
                found.patterns[_pattern([w.xpos for w in words.words], heads, first)] += 1
            first += size
    return found


def _pattern(tags: Sequence[str], heads: Sequence[int], first: int) -> str:
    """The tags of a word, that of its head morpheme in brackets.

    >>> _pattern(["NNG", "JKS"], [9, 4], 4)
    '[NNG]+JKS'
    """
    if len(tags) == 1:
        return tags[0]
    inside = range(first, first + len(tags))
    marked = [tag if head in inside else f"[{tag}]" for tag, head in zip(tags, heads, strict=True)]
    return "+".join(marked)


def by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first; of equals by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _mean(counts: Counter[Any]) -> float:
    known = {value: count for value, count in counts.items() if value is not None}
    total = sum(known.values())
    return round(sum(value * count for value, count in known.items()) / total, 3) if total else 0.0
