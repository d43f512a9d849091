"""Measure how evenly values are spread, how typical of a corpus and how strongly associated.

Every function takes plain counts. A measure that is not defined is None.
"""

from __future__ import annotations

from math import log, log2, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MILLION = 1_000_000


def dispersions(
    occurrences: Iterable[tuple[int, int, int]], totals: Sequence[int], shares: Sequence[float]
) -> list[float]:
    """Return Gries' DP of each value: 0 if it is spread evenly, near 1 if a small part has all.

    DP is half the sum of |v / f - s| over all parts of a corpus, where f is how often the value
    occurs, v how often in the part, and s the share of the part in the words of the corpus. A part
    without the value adds s, so only the parts with the value are needed.

    Source: Gries, S. Th. (2008). Dispersions and adjusted frequencies in corpora. International
    Journal of Corpus Linguistics 13(4), 403-437.

    Args:
        occurrences: the number of a value, the number of a part, and how often it occurs there.
        totals: how often each value occurs.
        shares: the share of each part in the words of the corpus.

    >>> parts = [(0, 0, 1), (0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    >>> [round(dp, 3) for dp in dispersions(parts, [15], [0.18, 0.2, 0.2, 0.2, 0.22])]
    [0.18]
    """
    distances = [1.0] * len(totals)
    for value, part, times in occurrences:
        distances[value] += abs(times / totals[value] - shares[part]) - shares[part]
    return [max(distance / 2, 0.0) for distance in distances]


def log_likelihood(count: int, reference: int, size: int, reference_size: int) -> float:
    """Return the log-likelihood G2 of a key item in a corpus beside a reference corpus.

    G2 is 2 * (a ln(a / E1) + b ln(b / E2)), where E1 = c (a + b) / (c + d), E2 = d (a + b) /
    (c + d), a and b are the counts, and c and d the sizes.

    Sources: Dunning, T. (1993). Accurate methods for the statistics of surprise and coincidence.
    Computational Linguistics 19(1), 61-74. Rayson, P. and Garside, R. (2000). Comparing corpora
    using frequency profiling. Workshop on Comparing Corpora, ACL 2000, 1-6.

    Args:
        count: how often it occurs in the corpus.
        reference: how often it occurs in the reference.
        size: the words of the corpus.
        reference_size: the words of the reference.
    """
    rate = (count + reference) / (size + reference_size)
    return max(2 * (_term(count, size * rate) + _term(reference, reference_size * rate)), 0.0)


def percent_difference(count: int, reference: int, size: int, reference_size: int) -> float | None:
    """Return %DIFF: by how many per cent an item is more frequent than in the reference.

    %DIFF is 100 * (NF1 - NF2) / NF2, where NF1 and NF2 are the relative frequencies. It is not
    defined for an item that the reference does not have.

    Sources: Gabrielatos, C. and Marchi, A. (2012). Keyness: appropriate metrics and practical
    issues. CADS International Conference, Bologna. Relative frequencies were compared so by
    Hofland, K. and Johansson, S. (1982). Word frequencies in British and American English.
    """
    return 100 * (count * reference_size / (reference * size) - 1) if reference and size else None


def association(
    count: int, frequency: int, window: int, nodes: int, size: int
) -> tuple[float, float, float, float, float]:
    """Return the association of a collocate with a node: E, log-likelihood, MI, t and logDice.

    The collocate is expected to occur E = window * frequency / size times, as Evert, S. (2008),
    Corpora and collocations, counts surface cooccurrence: every word of a window once, no nodes.

    - log-likelihood: G2 over the four cells, the collocate or another word inside of the windows or
      outside (Dunning 1993, see `log_likelihood`).
    - MI: log2(O / E). Church, K. W. and Hanks, P. (1990). Word association norms, mutual
      information, and lexicography. Computational Linguistics 16(1), 22-29.
    - t: (O - E) / sqrt(O). Church, K. W., Gale, W., Hanks, P. and Hindle, D. (1991). Using
      statistics in lexical analysis. In: Lexical Acquisition, 115-164.
    - logDice: 14 + log2(2 O / (nodes + frequency)). Rychlý, P. (2008). A lexicographer-friendly
      association score. RASLAN 2008, 6-9.

    Args:
        count: how often the collocate occurs in the windows (O), at least once.
        frequency: how often it occurs in the corpus.
        window: the words in all windows.
        nodes: how often the node occurs.
        size: the words of the corpus without the nodes.
    """
    expected = window * frequency / size
    cells = (count, window - count, frequency - count, size - window - frequency + count)
    rows, columns = (frequency, size - frequency), (window, size - window)
    sums = [row * column / size for column in columns for row in rows]
    return (
        expected,
        max(2 * sum(map(_term, cells, sums)), 0.0),
        log2(count / expected),
        (count - expected) / sqrt(count),
        14 + log2(2 * count / (nodes + frequency)),
    )


def _term(observed: int, expected: float) -> float:
    """Return the part of a cell in G2."""
    return observed * log(observed / expected) if observed else 0.0
