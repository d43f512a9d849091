"""Count the words, tags and lengths of a corpus, and the arcs of a treebank.

`collect` counts Table 2.1 of the memoir for any input: words, complex words and tags at each level.
`collect_dependencies` counts arcs between words, and between the morphemes they are split into.

Everything is counted in one pass. The words of an eojeol do not depend on its context but in
treebanks, so distinct eojeols are counted first and cut into words when many have gathered; memory
stays constant.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.converters.recut import Recut, recuts
from sejongud.layers.trees import depths
from sejongud.model import LEVELS, Eojeol, Sentence, Token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from sejongud.rules import Rules


_GATHERED = 50_000
"""The distinct eojeols that are gathered before they are cut into words."""
_TREES = 5_000
"""The sentences with arcs that are gathered likewise."""

LENGTHS = ("eojeols a sentence", "morphemes an eojeol", "characters an eojeol")
"""The lengths that are counted."""


# --- words and lengths ----------------------------------------------------------------------------


@dataclass
class LevelStatistics:
    """The words of a corpus at one level.

    Args:
        words: the number of words.
        complex_words: the number of words with two morphemes or more.
        upos: UPOS → words.
        xpos: XPOS → words.
    """

    words: int = 0
    complex_words: int = 0
    upos: Counter[str] = field(default_factory=Counter)
    xpos: Counter[str] = field(default_factory=Counter)

    @property
    def mcw(self) -> float:
        """The ratio of morphologically complex words, 0 if there are no words."""
        return self.complex_words / self.words if self.words else 0.0

    @property
    def immediate_nts(self) -> int:
        """The number of different XPOS, which are the labels right above the words in a tree."""
        return len(self.xpos)


@dataclass
class Statistics:
    """The statistics of a corpus.

    Args:
        sentences: the number of sentences.
        eojeols: the number of eojeols.
        distinct_eojeols: the number of different surface forms of eojeols.
        levels: level → the words of that level.
        lengths: name (`LENGTHS`) → length → sentences or eojeols of that length; characters are
            code points of the surface.
    """

    sentences: int = 0
    eojeols: int = 0
    distinct_eojeols: int = 0
    levels: dict[int, LevelStatistics] = field(
        default_factory=lambda: {level: LevelStatistics() for level in LEVELS}
    )
    lengths: dict[str, Counter[int]] = field(
        default_factory=lambda: {name: Counter() for name in LENGTHS}
    )

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return all statistics as plain values, for JSON.

        Args:
            top: the number of the most frequent XPOS of each level; None for all.
        """
        return {
            "sentences": self.sentences,
            "eojeols": self.eojeols,
            "distinct_eojeols": self.distinct_eojeols,
            "levels": {
                str(level): {
                    "tokens": of_level.words,
                    "mcw": of_level.mcw,
                    "immediate_nts": of_level.immediate_nts,
                    "upos": dict(by_frequency(of_level.upos)),
                    "xpos": dict(by_frequency(of_level.xpos)[:top]),
                }
                for level, of_level in self.levels.items()
            },
            "lengths": {
                name: {str(length): counts[length] for length in sorted(counts)}
                for name, counts in self.lengths.items()
            },
        }

    def to_dataframe(
        self, top: int | None = None, more: Iterable[tuple[str, int, object, float]] = ()
    ) -> pd.DataFrame:
        """Return all statistics in one table, one number a row.

        Args:
            top: the number of the most frequent XPOS of each level; None for all.
            more: further rows, such as those of `LayerStatistics`.

        Returns:
            Columns `statistic`, `level` (0 if there is none), `key` (a tag or a length, "" if there
            is none) and `value`.
        """
        import pandas as pd

        data = self.to_dict(top)
        levels = [(int(level), of_level) for level, of_level in data["levels"].items()]
        names = {"tokens": "tokens", "MCW": "mcw", "immediate NTs": "immediate_nts"}
        sizes = ("sentences", "eojeols", "distinct_eojeols")
        rows: list[tuple[str, int, object, float]] = [
            (name.replace("_", " "), 0, "", data[name]) for name in sizes
        ]
        rows += [(name, k, "", level[key]) for k, level in levels for name, key in names.items()]
        for k, level in levels:
            for name in ("UPOS", "XPOS"):
                rows += [(name, k, key, n) for key, n in level[name.lower()].items()]
        for name, counts in data["lengths"].items():
            rows += [(name, 0, int(length), n) for length, n in counts.items()]
        rows += more
        # As objects, counts stay whole numbers beside the ratios.
        return pd.DataFrame(rows, columns=["statistic", "level", "key", "value"], dtype=object)


def collect(sentences: Iterable[Sentence], rules: Rules, *, upos: str | None = None) -> Statistics:
    """Return the statistics of sentences, which are read once.

    Args:
        sentences: sentences from any reader.
        rules: the tables.
        upos: the UPOS scheme; None for what a treebank says of its words, and else "sejong".

    Raises:
        UsageError: there is no such scheme.
    """
    recuts(rules, upos)  # A wrong scheme is reported before the work begins.
    # New ones each time: the caches of five would take most of the memory.
    collector = Collector(lambda: recuts(rules, upos))
    for sentence in sentences:
        collector.add(sentence)
    return collector.finish()


class Collector:
    """Collects the statistics of sentences one by one.

    Args:
        make_recuts: returns the recutting of the five levels, each time that many sentences have
            gathered.
    """

    def __init__(self, make_recuts: Callable[[], Sequence[Recut]]) -> None:
        self._make_recuts = make_recuts
        self._statistics = Statistics()
        self._seen = _Distinct()
        self._plain: Counter[Eojeol] = Counter()
        # The words of these depend on the arcs of the sentence where words are joined.
        self._trees: list[Sentence] = []

    def add(self, sentence: Sentence) -> None:
        """Add a sentence."""
        self._statistics.sentences += 1
        self._statistics.lengths[LENGTHS[0]][len(sentence.eojeols)] += 1
        if sentence.arcs is None:
            self._plain.update(sentence.eojeols)
        else:
            self._trees.append(sentence)
        if len(self._plain) > _GATHERED or len(self._trees) > _TREES:
            self._add_up()

    def finish(self) -> Statistics:
        """Return the statistics of all sentences."""
        self._add_up()
        self._statistics.distinct_eojeols = len(self._seen)
        return self._statistics

    def _add_up(self) -> None:
        """Count what has gathered."""
        plain, trees, statistics = self._plain, self._trees, self._statistics
        eojeols = plain + Counter([eojeol for tree in trees for eojeol in tree.eojeols])
        self._seen.update([eojeol.form for eojeol in eojeols])
        statistics.eojeols += eojeols.total()
        _, morphemes, characters = statistics.lengths.values()
        for eojeol, count in eojeols.items():
            morphemes[len(eojeol.morphemes)] += count
            characters[len(eojeol.form)] += count
        for level, recut in zip(statistics.levels.values(), self._make_recuts(), strict=True):
            in_trees = Counter([tokens for tree in trees for tokens in recut.tokens(tree)])
            _add_words(level, in_trees.items())
            cut = recut.tokens(Sentence(tuple(plain)))
            _add_words(level, zip(cut, plain.values(), strict=True))
        plain.clear()
        trees.clear()


def _add_words(level: LevelStatistics, eojeols: Iterable[tuple[tuple[Token, ...], int]]) -> None:
    """Count the words of eojeols at a level; each eojeol has its number of places."""
    by_upos, by_xpos = level.upos, level.xpos
    for tokens, count in eojeols:
        for token in tokens:
            for word in token.words:
                level.words += count
                by_upos[word.upos] += count
                by_xpos[word.xpos] += count
                if len(word.morphemes) > 1:
                    level.complex_words += count


class _Distinct:
    """Counts different texts by hashes of 64 bits.

    The known hashes are kept in a sorted array of 8 bytes each; a set would take ten times as much.
    Two of ten million texts have the same hash with a probability of 1 to 400,000.
    """

    _NEW = 1 << 17

    def __init__(self) -> None:
        self._new: set[int] = set()
        self._known: pd.Index[int] | None = None

    def update(self, texts: Iterable[str]) -> None:
        """Add texts."""
        self._new.update(map(hash, texts))
        if len(self._new) > self._NEW:
            self._merge()

    def _merge(self) -> None:
        import pandas as pd

        new = pd.Index(sorted(self._new), dtype="int64")
        self._known = new if self._known is None else self._known.union(new)
        self._new.clear()

    def __len__(self) -> int:
        if self._known is None:
            return len(self._new)
        self._merge()
        return len(self._known)


def level_rows(levels: Iterable[LevelStatistics]) -> list[list[str]]:
    """Return the rows of Table 2.1 (words, MCW, different XPOS), with a column for each level."""
    levels = list(levels)
    return [
        ["Token", *[f"{level.words:,}" for level in levels]],
        ["MCW", *[f"{level.mcw:.4f}" for level in levels]],
        ["Immediate NT", *[f"{level.immediate_nts:,}" for level in levels]],
    ]


def by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return the counts, the most frequent key first; keys of equal frequency by the alphabet."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


# --- arcs -----------------------------------------------------------------------------------------


@dataclass
class ArcStatistics:
    """The arcs of dependency trees.

    Args:
        directions: `left` if the head stands to the left, `right`, or `root`.
        depths: number of arcs between a word and its root → words; None if no root is above them.
        lengths: distance between a word and its head → words; roots are left out.
    """

    directions: Counter[str] = field(default_factory=Counter)
    depths: Counter[int | None] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    def add(self, heads: Sequence[int]) -> None:
        """Count the arcs of a sentence.

        Args:
            heads: the head of each word, from 1; 0 for a root, -1 for none.
        """
        self.depths.update(depths(heads))
        for word, head in enumerate(heads, 1):
            if head > 0:
                self.directions["left" if head < word else "right"] += 1
                self.lengths[abs(head - word)] += 1
            elif head == 0:
                self.directions["root"] += 1

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as plain values, in order."""
        of_trees = {depth: self.depths[depth] for depth in self.depths if depth is not None}
        return {
            "words": self.depths.total(),
            "directions": {name: self.directions[name] for name in ("left", "right", "root")},
            "depths": {str(depth): of_trees[depth] for depth in sorted(of_trees)},
            "mean_depth": mean(of_trees),
            "mean_length": mean(self.lengths),
        }


@dataclass
class DependencyStatistics:
    """The arcs and words of a treebank before and after its words are split into morphemes.

    Args:
        sentences: the number of sentences.
        before: the arcs between words.
        after: the arcs between morphemes.
        patterns: XPOS of the morphemes of a word, the head's in brackets → words.
    """

    sentences: int = 0
    before: ArcStatistics = field(default_factory=ArcStatistics)
    after: ArcStatistics = field(default_factory=ArcStatistics)
    patterns: Counter[str] = field(default_factory=Counter)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return all counts as plain values, for JSON.

        Args:
            top: the number of the most frequent patterns; None for all.
        """
        return {
            "sentences": self.sentences,
            "words": self.before.to_dict(),
            "morphemes": self.after.to_dict(),
            "patterns": dict(by_frequency(self.patterns)[:top]),
            "distinct_patterns": len(self.patterns),
        }


def collect_dependencies(
    sentences: Iterable[Sentence], split: Callable[[Sentence], Sentence]
) -> DependencyStatistics:
    """Return the statistics of the dependencies of sentences.

    Args:
        sentences: sentences of words.
        split: the function that splits words into morphemes (`sejongud.converters.word2morph`).
    """
    statistics = DependencyStatistics()
    for sentence in sentences:
        after = split(sentence)
        statistics.sentences += 1
        assert sentence.arcs is not None and after.arcs is not None
        inner = after.arcs.heads
        statistics.before.add(sentence.arcs.heads)
        statistics.after.add(inner)
        first = 1
        for token, words in zip(sentence.tokens, after.tokens, strict=True):
            last = first + len(words.words)
            if len(token.words) == 1:
                heads = inner[first - 1 : last - 1]
                statistics.patterns[_pattern([w.xpos for w in words.words], heads, first)] += 1
            first = last
    return statistics


def _pattern(tags: Sequence[str], heads: Sequence[int], first: int) -> str:
    """Return the tags of a word, with the tag of its head morpheme in brackets.

    >>> _pattern(["NNG", "JKS"], [9, 4], 4)
    '[NNG]+JKS'
    """
    if len(tags) == 1:
        return tags[0]
    inside = range(first, first + len(tags))
    marked = [tag if head in inside else f"[{tag}]" for tag, head in zip(tags, heads, strict=True)]
    return "+".join(marked)


def mean(counts: Mapping[int, int]) -> float:
    """Return the mean of numbers, each with how often it occurs; 0 if there are none."""
    total = sum(counts.values())
    return round(sum(value * n for value, n in counts.items()) / total, 3) if total else 0.0
