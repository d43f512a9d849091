"""Count the values of words, of n-grams and of collocates, and put them into tables.

The words of all sentences are the size of a corpus, whichever of them are counted. A corpus has
parts: documents, files or sentences. Beyond `MOST` different rows, every other row is counted as
one of `OTHERS`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any

from sejongud.errors import UsageError
from sejongud.query import NEW_DOCUMENT, Query, Words, cell
from sejongud.query.grammar import parse_path
from sejongud.statistics.measures import (
    MILLION,
    association,
    dispersions,
    log_likelihood,
    percent_difference,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

    from sejongud.model import Sentence

MOST = 1_000_000
"""The different rows that are told apart; the others are one row."""
OTHERS = "(others)"

PARTS = ("document", "file", "sentence")
"""The parts of a corpus over which values are dispersed."""

_MOST_WORDS = 10
"""The most words of an n-gram."""
_FREQUENCY = ("count", "per_million", "share", "range", "dispersion")
_KEYNESS = ("reference_count", "reference_per_million", "log_likelihood", "percent_diff")
_COLLOCATES = ("count", "frequency", "expected", "log_likelihood", "mi", "t_score", "log_dice")


def window_of(text: str) -> tuple[int, int]:
    """Return the words to the left and to the right that a text names: N on each side, or L,R.

    Raises:
        UsageError: it names none.

    >>> window_of("3"), window_of("0,2")
    ((3, 3), (0, 2))
    """
    sides = [side.strip() for side in text.split(",")]
    sizes = [int(side) for side in sides if side.isdecimal() and len(side) < 5]
    if len(sides) > 2 or len(sizes) != len(sides) or not any(sizes):
        raise UsageError(
            f"{text} is no window: write the number of words on each side, such as 5, or both"
            " numbers, such as 2,5"
        )
    return sizes[0], sizes[-1]


class Frequencies:
    """Frequencies the values of the words of a corpus.

    Args:
        of: the keys of the values that are counted together, such as `lemma,tag`.
        where: a query that the words match; every word of an n-gram matches it.
        ngrams: the number of words that are counted together.
        around: a query for nodes: the words near them are counted as well.
        window: the words around a node.

    Raises:
        UsageError: a query, a key, the number of words or the window is wrong.
    """

    def __init__(
        self,
        of: str | Iterable[str],
        *,
        where: str | None = None,
        ngrams: int = 1,
        around: str | None = None,
        window: int | str | tuple[int, int] = 5,
    ) -> None:
        keys = of.split(",") if isinstance(of, str) else of
        self._paths = [parse_path(key.strip()) for key in keys]
        self.keys = [".".join([*steps, key]) for steps, key in self._paths]
        if len(set(self.keys)) < len(self.keys) or not self.keys:
            raise UsageError(f"each key is named once: {','.join(self.keys)}")
        if not 1 <= ngrams <= _MOST_WORDS:
            raise UsageError(f"an n-gram has 1 to {_MOST_WORDS} words, not {ngrams}")
        if around is not None and ngrams > 1:
            raise UsageError("collocates are single words: leave out the n-grams, or --around")
        self.where = None if where is None else Query(where)
        self.around = None if around is None else Query(around)
        sides = window if isinstance(window, tuple) else (window,)
        self._window = window_of(",".join(map(str, sides)))
        self._ngrams = ngrams
        self._numbers: dict[tuple[str, ...], int] = {}
        self._others = (OTHERS,) + ("",) * (len(self.keys) - 1)
        self._part: Counter[int] = Counter()
        self._rows, self._parts, self._times = array("q"), array("q"), array("q")
        self.sizes: list[int] = []
        """The words of each part; without the nodes."""
        self.cuts: set[bool] = set()
        """Whether words were counted as a treebank has them, or as a level cuts them, or both."""
        self.nodes = self.near_words = 0
        """The nodes, and the words in their windows."""
        self._near: Counter[int] = Counter()

    @property
    def size(self) -> int:
        """The words of the corpus; without the nodes."""
        return sum(self.sizes)

    def begin_part(self) -> None:
        """Begin the next part of the corpus."""
        self._rows.extend(self._part)
        self._times.extend(self._part.values())
        self._parts.extend([len(self.sizes) - 1] * len(self._part))
        self._part.clear()
        self.sizes.append(0)

    def add(self, words: Words) -> None:
        """Count the words of a sentence that match."""
        places = range(len(words)) if self.where is None else self.where.find(words)
        if self.around is None:
            self.sizes[-1] += len(words)
            self.count(words, places)
            return
        nodes = set(self.around.find(words))
        left, right = self._window
        reach = [range(node - left, node + right + 1) for node in nodes]
        near = {place for places in reach for place in places if 0 <= place < len(words)} - nodes
        self.sizes[-1] += len(words) - len(nodes)
        self.nodes += len(nodes)
        self.near_words += len(near)
        self._near.update(self.count(words, [place for place in places if place in near]))
        self.count(words, [place for place in places if place not in near and place not in nodes])

    def count(self, words: Words, places: Sequence[int]) -> list[int]:
        """Count some words of a sentence, and return the numbers of their rows."""
        cells = {
            place: [cell(words, words.reach(place, steps), key) for steps, key in self._paths]
            for place in places
        }
        numbers = []
        for place in places:
            try:
                several = [cells[place + i] for i in range(self._ngrams)]
            except KeyError:  # The n-gram ends outside the words that match.
                continue
            row = tuple(map(" ".join, zip(*several, strict=True)))
            if row not in self._numbers and len(self._numbers) >= MOST:
                row = self._others
            numbers.append(self._numbers.setdefault(row, len(self._numbers)))
        self._part.update(numbers)
        return numbers

    def totals(self) -> dict[tuple[str, ...], int]:
        """Return how often each row occurs."""
        if self._part:
            self.begin_part()
            self.sizes.pop()
        counts = [0] * len(self._numbers)
        for number, times in zip(self._rows, self._times, strict=True):
            counts[number] += times
        return dict(zip(self._numbers, counts, strict=True))

    def table(self, reference: Frequencies | None = None) -> pd.DataFrame:
        """Return the counts as a table, the most frequent row first.

        Args:
            reference: the counts of the same keys in a reference corpus, or None.

        Returns:
            The keys, and `count`; `per_million` words; `share` of all that is counted; `range`, the
            parts that have it; `dispersion`, Gries' DP, empty if there is one part only. With a
            reference also `reference_count`, `reference_per_million`, `log_likelihood` and
            `percent_diff` (empty if the reference does not have it); the rows of the greatest
            log-likelihood are first, and rows that only the reference has are there. Of
            collocates `count` in the windows, `frequency` in the corpus, `expected`,
            `log_likelihood`, `mi`, `t_score` and `log_dice`, by logDice.
        """
        import pandas as pd

        if reference is not None and self.around:
            raise UsageError("collocates have no reference: leave out --against, or --around")
        names, rows = self._collocates() if self.around else self._frequencies(reference)
        by = names.index("log_dice" if self.around else "log_likelihood" if reference else "count")
        keys = len(self.keys)
        rows.sort(key=lambda row: (-row[keys + by], row[:keys]))
        return pd.DataFrame(rows, columns=[*self.keys, *names])

    def _frequencies(
        self, reference: Frequencies | None
    ) -> tuple[tuple[str, ...], list[list[Any]]]:
        totals = self.totals()
        size, every = self.size or 1, sum(totals.values()) or 1
        occurrences = zip(self._rows, self._parts, self._times, strict=True)
        shares = [words / size for words in self.sizes]
        spread: Sequence[float | None] = dispersions(occurrences, [*totals.values()], shares)
        spread = spread if len(self.sizes) > 1 else [None] * len(totals)
        ranges = Counter(self._rows)
        rows: list[list[Any]] = [
            [*row, n, n / size * MILLION, n / every, ranges[number], spread[number]]
            for number, (row, n) in enumerate(totals.items())
        ]
        if reference is None:
            return _FREQUENCY, rows
        others, other = reference.totals(), reference.size
        rows += [[*row, 0, 0.0, 0.0, 0, None] for row in others if row not in totals]
        for row in rows:
            key = tuple(row[: len(self.keys)])
            n, m = totals.get(key, 0), others.get(key, 0)
            row += [m, m / (other or 1) * MILLION]
            row += [log_likelihood(n, m, self.size, other)]
            row += [percent_difference(n, m, self.size, other)]
        return (*_FREQUENCY, *_KEYNESS), rows

    def _collocates(self) -> tuple[tuple[str, ...], list[list[Any]]]:
        rows: list[list[Any]] = []
        for number, (row, frequency) in enumerate(self.totals().items()):
            if n := self._near[number]:
                measures = association(n, frequency, self.near_words, self.nodes, self.size)
                rows.append([*row, n, frequency, *measures])
        return _COLLOCATES, rows


def count_corpus(
    counts: Frequencies,
    corpus: Iterable[tuple[str, Sentence]],
    words_of: Callable[[Sentence], Words],
    parts: str = PARTS[0],
) -> Frequencies:
    """Count the words of a corpus.

    Args:
        counts: receives the counts, and is returned.
        corpus: the sentences, each with the name of its file.
        words_of: cuts a sentence into the words that are counted.
        parts: one of `PARTS`; a file begins a document, too.

    Raises:
        UsageError: there are no such parts, or a query takes too long.
    """
    if parts not in PARTS:
        raise UsageError(f"there are no parts {parts}: {', '.join(PARTS)}")
    file = None
    for path, sentence in corpus:
        is_new = parts == "document" and any(
            [line.startswith(NEW_DOCUMENT) for line in sentence.comments]
        )
        if is_new or path != file or parts == "sentence":
            counts.begin_part()
        file = path
        words = words_of(sentence)
        counts.cuts.add(sentence.is_treebank and words.sentence is sentence)
        counts.add(words)
    return counts
