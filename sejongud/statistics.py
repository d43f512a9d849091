"""Statistics of a corpus: Table 2.1 of the memoir for any input, and distributions.

Everything is counted in one pass. The words of an eojeol at a level depend on nothing around it, so
eojeols are counted as they come, and each distinct one is cut into words only when its count is
added up. That is done whenever many have gathered, so that memory does not grow with the corpus.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sejongud.levels.cut import Granularity
from sejongud.levels.upos import UposScheme
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from sejongud.model import Eojeol, Sentence
    from sejongud.rules import Rules

__all__ = ["LevelStatistics", "Statistics", "by_frequency", "collect"]

_GATHERED = 50_000
"""How many distinct eojeols are counted before the counts are added up."""


@dataclass
class LevelStatistics:
    """What the words are at one level.

    Args:
        words: how many there are.
        complex_words: how many of them have two morphemes or more.
        upos: UPOS → words.
        xpos: XPOS → words; the different ones are the immediate non-terminals.
    """

    words: int = 0
    complex_words: int = 0
    upos: Counter[str] = field(default_factory=Counter)
    xpos: Counter[str] = field(default_factory=Counter)

    @property
    def mcw(self) -> float:
        """The ratio of morphologically complex words, 0 of no words."""
        return self.complex_words / self.words if self.words else 0.0

    @property
    def immediate_nts(self) -> int:
        """How many different XPOS there are: the labels right above the words in a tree."""
        return len(self.xpos)


@dataclass
class Statistics:
    """The statistics of a corpus.

    Args:
        sentences: how many.
        eojeols: how many.
        distinct_eojeols: how many different surface forms they have.
        levels: level of granularity → its words.
        eojeols_a_sentence: length of a sentence → how many are so long.
        morphemes_an_eojeol: number of morphemes → how many eojeols have so many.
        characters_an_eojeol: length of the surface, in code points → how many eojeols.
    """

    sentences: int = 0
    eojeols: int = 0
    distinct_eojeols: int = 0
    levels: dict[int, LevelStatistics] = field(
        default_factory=lambda: {level: LevelStatistics() for level in LEVELS}
    )
    eojeols_a_sentence: Counter[int] = field(default_factory=Counter)
    morphemes_an_eojeol: Counter[int] = field(default_factory=Counter)
    characters_an_eojeol: Counter[int] = field(default_factory=Counter)

    @property
    def lengths(self) -> dict[str, Counter[int]]:
        """The distributions of lengths, by their names."""
        return {
            "eojeols a sentence": self.eojeols_a_sentence,
            "morphemes an eojeol": self.morphemes_an_eojeol,
            "characters an eojeol": self.characters_an_eojeol,
        }

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """All of it as plain values, for JSON.

        Args:
            top: how many of the most frequent XPOS of each level; None for all.
        """
        return {
            "sentences": self.sentences,
            "eojeols": self.eojeols,
            "distinct_eojeols": self.distinct_eojeols,
            "levels": {
                str(level): {
                    "tokens": of.words,
                    "mcw": of.mcw,
                    "immediate_nts": of.immediate_nts,
                    "upos": dict(by_frequency(of.upos)),
                    "xpos": dict(by_frequency(of.xpos)[:top]),
                }
                for level, of in self.levels.items()
            },
            "lengths": {
                name: {str(length): counts[length] for length in sorted(counts)}
                for name, counts in self.lengths.items()
            },
        }

    def table(self) -> pd.DataFrame:
        """Table 2.1 of the memoir: tokens, ratio of complex words, immediate non-terminals.

        Returns:
            A row for each of the three, a column for each level.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                f"Level {level}": {
                    "Token": f"{of.words:,}",
                    "MCW": f"{of.mcw:.4f}",
                    "Immediate NT": f"{of.immediate_nts:,}",
                }
                for level, of in self.levels.items()
            }
        )

    def to_dataframe(self, top: int | None = None) -> pd.DataFrame:
        """All of it in one table, a figure a row.

        Args:
            top: how many of the most frequent XPOS of each level; None for all.

        Returns:
            Columns `statistic`, `level` (0 where there is none), `key` (a tag, a length; "" where
            there is none) and `value`.
        """
        import pandas as pd

        rows: list[tuple[str, int, object, float]] = [
            ("sentences", 0, "", self.sentences),
            ("eojeols", 0, "", self.eojeols),
            ("distinct eojeols", 0, "", self.distinct_eojeols),
        ]
        for level, of in self.levels.items():
            rows += [
                ("tokens", level, "", of.words),
                ("MCW", level, "", of.mcw),
                ("immediate NTs", level, "", of.immediate_nts),
            ]
        for level, of in self.levels.items():
            rows += [("UPOS", level, key, n) for key, n in by_frequency(of.upos)]
            rows += [("XPOS", level, key, n) for key, n in by_frequency(of.xpos)[:top]]
        for name, counts in self.lengths.items():
            rows += [(name, 0, length, counts[length]) for length in sorted(counts)]
        # Counts stay whole numbers beside the ratios.
        return pd.DataFrame(rows, columns=["statistic", "level", "key", "value"], dtype=object)


def collect(sentences: Iterable[Sentence], rules: Rules, *, upos: str = "sejong") -> Statistics:
    """The statistics of some sentences, read once.

    Args:
        sentences: from any reader.
        rules: the tables.
        upos: the UPOS scheme.

    Raises:
        UsageError: there is no such scheme.
    """
    UposScheme(rules, upos)  # Wrong usage is said before the work begins.
    statistics = Statistics()
    seen = _Distinct()
    gathered: Counter[Eojeol] = Counter()
    for sentence in sentences:
        statistics.sentences += 1
        statistics.eojeols_a_sentence[len(sentence.eojeols)] += 1
        gathered.update(sentence.eojeols)
        if len(gathered) > _GATHERED:
            seen.update([eojeol.form for eojeol in gathered])
            _add_up(gathered, statistics, rules, upos)
            gathered.clear()
    seen.update([eojeol.form for eojeol in gathered])
    _add_up(gathered, statistics, rules, upos)
    statistics.distinct_eojeols = len(seen)
    return statistics


def _add_up(
    gathered: Counter[Eojeol],
    statistics: Statistics,
    rules: Rules,
    upos: str,
) -> None:
    """Add the words of counted eojeols."""
    statistics.eojeols += gathered.total()
    for eojeol, count in gathered.items():
        statistics.morphemes_an_eojeol[len(eojeol.morphemes)] += count
        statistics.characters_an_eojeol[len(eojeol.form)] += count
    for level, of in statistics.levels.items():
        # Made anew: what five of them remember would be most of the memory.
        tokens = Granularity(rules, level, upos=upos).tokens
        by_upos, by_xpos = of.upos, of.xpos
        for eojeol, count in gathered.items():
            for token in tokens(eojeol):
                for word in token.words:
                    of.words += count
                    by_upos[word.upos] += count
                    by_xpos[word.xpos] += count
                    if len(word.morphemes) > 1:
                        of.complex_words += count


class _Distinct:
    """Counts different texts, by a hash of 64 bits each.

    The hashes known are kept sorted in an array, 8 bytes each; a set would take ten times that.
    That two of ten million texts have the same one has a probability of 1 to 400,000.
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


def by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, the same frequency by the alphabet."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
