"""Bootstrap intervals of figures, and paired tests of two systems, for every metric.

Both need only the statistics of the sentences (`sejongud.evaluation.scores.Unit`). The paired tests
are the two of sacrebleu: the paired bootstrap (Koehn 2004, shifted as by Riezler and Maxwell 2005)
and approximate randomisation (Noreen 1989).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sejongud.errors import UsageError
from sejongud.evaluation.scores import (
    Comparison,
    Figures,
    Intervals,
    Measured,
    Resample,
    Test,
    Unit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


_OUTSIDE = 2.5  # percent on each side: an interval of 95 %


def intervals(
    evaluation: Measured, samples: int, seed: int, resample: Resample = "sentences"
) -> list[Intervals]:
    """Return the 95 % confidence intervals of all ratios, by the percentile bootstrap.

    Args:
        evaluation: the evaluation.
        samples: the number of samples.
        seed: the seed of the random numbers.
        resample: what is drawn.

    Returns:
        The intervals of each score.
    """
    if not evaluation.units:
        return [dict.fromkeys(score.ratios, (0.0, 0.0)) for score in evaluation.scores]
    matrix = _matrix(_drawn(evaluation, resample))
    drawn = [
        [list(score.ratios.values()) for score in evaluation.metric.scores(totals)]
        for totals in _resampled([matrix], samples, seed)
    ]
    result = []
    for k, score in enumerate(evaluation.scores):
        ends = np.percentile([sample[k] for sample in drawn], [_OUTSIDE, 100 - _OUTSIDE], axis=0)
        result.append(
            {
                name: (float(low), float(high))
                for name, low, high in zip(score.ratios, *ends, strict=True)
            }
        )
    return result


def compare(
    first: Measured,
    second: Measured,
    samples: int,
    seed: int,
    test: Test = "bootstrap",
    resample: Resample = "sentences",
) -> list[Comparison]:
    """Test whether two systems differ, sentence by sentence.

    Units of the two are merged until both count the same gold sentences. Two systems without any
    unit do not differ.

    Args:
        first: one system against gold.
        second: the other system against the same gold, by the same metric.
        samples: the number of samples.
        seed: the seed of the random numbers.
        test: the test.
        resample: what is drawn.

    Returns:
        The main figure of each score, with the interval of the difference in a bootstrap.

    Raises:
        UsageError: the two were not measured against the same gold.
    """
    names = [(score.name, score.main) for score in first.scores]
    if not first.units and not second.units:
        nothing = 0.0 if test == "bootstrap" else None
        return [Comparison(name, figure, 0.0, 0.0, 1.0, nothing, nothing) for name, figure in names]
    pairs = _paired(_drawn(first, resample), _drawn(second, resample))
    matrices = [_matrix(units) for units in pairs]
    metric = first.metric
    of_first, of_second = (_mains(metric, matrix.sum(axis=0).tolist()) for matrix in matrices)
    actual = np.subtract(of_first, of_second)
    draw = _resampled if test == "bootstrap" else _shuffled
    totals = draw(matrices, samples, seed)
    drawn = np.array(
        [np.subtract(_mains(metric, total), _mains(metric, next(totals))) for total in totals]
    )
    ends: list[list[float | None]] = [[None, None] for _ in names]
    if test == "bootstrap":
        ends = np.percentile(drawn, [_OUTSIDE, 100 - _OUTSIDE], axis=0).T.tolist()
        # The differences are shifted as if the systems were equally good.
        drawn -= drawn.mean(axis=0)
    # Differences that are smaller only by rounding count as equal.
    extreme = np.sum(np.abs(drawn) >= np.abs(actual) - 1e-12, axis=0)
    least = _least(metric, *pairs, actual != 0, samples)
    chances = np.maximum((extreme + 1) / (samples + 1), least).tolist()
    return [
        Comparison(name, figure, ours, theirs, p, low, high)
        for (name, figure), ours, theirs, p, (low, high) in zip(
            names, of_first, of_second, chances, ends, strict=True
        )
    ]


def _least(
    metric: Figures,
    first: Sequence[Unit],
    second: Sequence[Unit],
    tested: NDArray[np.bool_],
    samples: int,
) -> NDArray[np.float64]:
    """Return the least p that the units allow for each score.

    Of the 2ⁿ ways to exchange n units that differ, the two extreme ones prove most: p is 2¹⁻ⁿ or
    more. A bootstrap alone would call a single unit significant: all of its samples have that one.
    """
    enough = samples.bit_length() + 1
    differing = np.zeros(len(tested))
    for ours, theirs in zip(first, second, strict=True):
        if list(ours.counts) != list(theirs.counts):
            pairs = zip(metric.scores(ours.counts), metric.scores(theirs.counts), strict=True)
            differing += [a != b for a, b in pairs]
            if differing[tested].min(initial=enough) >= enough:
                break
    return np.minimum(1.0, 2.0 ** (1 - differing))


def holm(comparisons: Sequence[Sequence[Comparison]]) -> list[list[Comparison]]:
    """Correct the tests of several systems with the first for their number, score by score (Holm).

    >>> tests = [[Comparison("LAS", "f1", 0.9, 0.8, p)] for p in (0.01, 0.04, 0.03)]
    >>> [test.p for [test] in holm(tests)]
    [0.03, 0.06, 0.06]
    """
    corrected = [list(tests) for tests in comparisons]
    for column in range(len(corrected[0]) if corrected else 0):
        ranked = sorted(corrected, key=lambda tests: tests[column].p)
        highest = 0.0
        for rank, tests in enumerate(ranked):
            highest = max(highest, min(1.0, (len(ranked) - rank) * tests[column].p))
            tests[column] = tests[column]._replace(p=highest)
    return corrected


def count_segments(first: Measured, *systems: Measured, resample: Resample = "sentences") -> int:
    """Return how many pieces of the text the samples of intervals and tests are drawn from.

    Args:
        first: one system against gold.
        systems: other systems against the same gold, to which it is compared.
        resample: what is drawn.
    """
    drawn = _drawn(first, resample)
    others = [_paired(drawn, _drawn(one, resample))[0] for one in systems]
    return min(map(len, [drawn, *others]))


def _drawn(evaluation: Measured, resample: Resample) -> Sequence[Unit]:
    """Return the units of an evaluation, or its documents if these are drawn."""
    if resample == "sentences" or not evaluation.units:
        return evaluation.units
    return _merged(evaluation.units, {*evaluation.documents(), evaluation.units[-1].gold.stop})


def _mains(metric: Figures, totals: Sequence[float]) -> list[float]:
    """Return the main figure of each score."""
    return [score.ratios[score.main] for score in metric.scores(totals)]


def _matrix(units: Sequence[Unit]) -> NDArray[np.float64]:
    """Return a matrix of units × statistics."""
    return np.array([unit.counts for unit in units], dtype=np.float64)


def _resampled(
    matrices: Sequence[NDArray[np.float64]], samples: int, seed: int
) -> Iterator[list[float]]:
    """Yield, for each sample, the totals of units drawn with replacement, one matrix at a time."""
    random = np.random.default_rng(seed)
    size = len(matrices[0])
    for _ in range(samples):
        times = np.bincount(random.integers(size, size=size), minlength=size)
        for matrix in matrices:
            yield (times @ matrix).tolist()


def _shuffled(
    matrices: Sequence[NDArray[np.float64]], samples: int, seed: int
) -> Iterator[list[float]]:
    """Yield the totals of two systems whose units were exchanged at random."""
    random = np.random.default_rng(seed)
    first, second = matrices
    total = first.sum(axis=0) + second.sum(axis=0)
    for _ in range(samples):
        choice = random.integers(2, size=len(first))
        totals = choice @ first + (1 - choice) @ second
        yield totals.tolist()
        yield (total - totals).tolist()


def _paired(first: Sequence[Unit], second: Sequence[Unit]) -> tuple[list[Unit], list[Unit]]:
    """Merge units of two systems until both have the same gold sentences in each."""
    ends = [{unit.gold.stop for unit in units} for units in (first, second)]
    if max(ends[0], default=0) != max(ends[1], default=0):
        raise UsageError("the two systems were not measured against the same gold")
    if bool(first) != bool(second):  # Gold is empty, and one of the systems.
        nothing = Unit(range(0), range(0), [0.0] * len([*first, *second][0].counts))
        first, second = first or [nothing], second or [nothing]
        ends = [{0}, {0}]
    common = ends[0] & ends[1]
    return _merged(first, common), _merged(second, common)


def _merged(units: Sequence[Unit], ends: set[int]) -> list[Unit]:
    """Merge units until each ends at one of these gold sentences."""
    merged: list[Unit] = []
    for unit in units:
        # A unit without a gold sentence belongs to the unit before it.
        if merged and (merged[-1].gold.stop not in ends or not unit.gold):
            last = merged.pop()
            counts = [a + b for a, b in zip(last.counts, unit.counts, strict=True)]
            gold = range(last.gold.start, unit.gold.stop)
            unit = Unit(gold, range(last.system.start, unit.system.stop), counts)
        merged.append(unit)
    return merged
