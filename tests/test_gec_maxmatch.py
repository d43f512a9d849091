"""MaxMatch: cases computed by hand, and every answer against a search through all edges."""

from __future__ import annotations

from itertools import product
from time import process_time
from typing import TYPE_CHECKING

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import UsageError
from sejongud.gec.edits import Corrections, Edit, Pair
from sejongud.gec.maxmatch import MaxMatch, match_edits
from sejongud.gec.scoring import score, shares, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.evaluation.base import Evaluation

CASES = cases("gec_maxmatch")


def counts(
    source: str, system: str, gold: Sequence[tuple[int, int, str]], unchanged: int = 2
) -> tuple[int, int, int]:
    """Return correct, proposed and gold edits."""
    edits = [Edit(*edit) for edit in gold]
    [found] = match_edits(source.split(), system.split(), [edits], unchanged)
    return found.correct, len(found.proposed), found.gold


def measured(
    rows: Sequence[tuple[str, str, Mapping[int, Sequence[tuple[int, int, str]]]]], beta: float = 0.5
) -> Evaluation:
    """Measure system sentences against the edits of annotators."""
    gold, system = [], []
    for source, corrected, annotators in rows:
        edits = {key: tuple(Edit(*one) for one in own) for key, own in annotators.items()}
        gold.append(Corrections(tuple(source.split()), edits))
        system.append(whole(Pair(source, (corrected,))))
    return score(system, gold, "maxmatch", beta=beta)


@pytest.mark.parametrize(
    ("source", "system", "gold", "expected"), CASES["test_counts_of_a_sentence"]
)
def test_counts_of_a_sentence(
    source: str, system: str, gold: list[tuple[int, int, str]], expected: list[int]
) -> None:
    assert [*counts(source, system, gold)] == expected


def test_fewer_unchanged_words() -> None:
    case = "a m n b", "c m n d", [(0, 4, "c m n d")]
    assert [counts(*case, unchanged) for unchanged in (0, 1, 2)] == [(0, 2, 1)] * 2 + [(1, 1, 1)]
    with pytest.raises(UsageError, match="0 or more unchanged words"):
        MaxMatch(max_unchanged=-1)


def test_annotator_who_fits_best_so_far() -> None:
    """F decides, then the number of correct edits, then fewer edits."""
    one, two = [(0, 1, "x")], [(0, 1, "x"), (1, 2, "y")]
    # Both annotators have F 1 here: more correct edits win.
    assert measured([("a b", "x y", {0: [(0, 2, "x y")], 1: two})]).totals == [2, 2, 2]
    # The first has F 1, the second misses an edit.
    assert measured([("a b", "x b", {0: one, 1: two})]).totals == [1, 1, 1]
    # Nothing is correct: the annotator with fewer edits counts.
    assert measured([("a b", "a z", {0: two, 1: one})]).totals == [0, 1, 1]
    # An annotator without edits has nothing to find, so F is 1.
    assert measured([("a b", "a b", {0: one, 1: []})]).totals == [0, 0, 0]


def test_annotators_with_the_same_f() -> None:
    """Behind ten sentences with the counts 9, 10, 10 both annotators have F 5/6: 9/13.5 = 10/15.

    Made of precision and recall the figures differ in the last bit, and the wrong one is chosen.
    """
    right = ("a b", "a c", {0: [(1, 2, "c")]})
    wrong = ("a b", "a d", {0: [(1, 2, "c")]})
    many = [(0, 1, "x"), *[(k, k + 1, "y") for k in range(1, 6)]]
    last = ("a b c d e f", "x b c d e f", {0: [], 1: many})
    assert 1.25 * 9 / (2.5 + 11) == 1.25 * 10 / (4 + 11)
    assert shares(9, 11, 10, 0.5)[2] > shares(10, 11, 16, 0.5)[2]
    assert measured([*[right] * 9, wrong, last]).totals == [10, 11, 16]


def test_notes_have_source_and_edits() -> None:
    [note] = measured([("a b c", "a d c", {0: [(1, 2, "d")]})]).notes
    assert note == {"source": "a b c", "corrected": "a d c", "proposed": ["1 2 d"]}


def test_system_text_of_joined_sentences() -> None:
    """The reference has one sentence, the hypothesis two: its text is joined."""
    gold = [Corrections(("a", "b", "c", "d"), {0: (Edit(1, 3, "x y"),)})]
    system = [
        Corrections(("a", "b"), {0: (Edit(1, 2, "x"),)}),
        Corrections(("c", "d"), {0: (Edit(0, 1, "y"),)}),
    ]
    assert score(system, gold, "maxmatch").totals == [1, 1, 1]


def test_repeated_phrases_take_no_time() -> None:
    """The published program takes hours for this; the lattice has some thousand nodes."""
    source = ["on", "the", "other", "hand"] * 24
    system = ["on", "other", "the", "hand"] * 24
    gold = [Edit(4 * k + 1, 4 * k + 3, "other the") for k in range(24)]
    began = process_time()
    [found] = match_edits(source, system, [gold])
    assert (found.correct, len(found.proposed), found.gold) == (24, 24, 24)
    assert process_time() - began < 1.5


def test_a_text_without_sentences() -> None:
    """A text of thousands of words is cut, and its edits are those of its sentences."""
    source = [f"w{k % 97}" for k in range(3000)]
    system, gold = list(source), []
    for k in range(0, 3000, 12):
        system[k] = "x"
        gold.append(Edit(k, k + 1, "x" if k % 24 else "y"))
    # With these words an edit of the annotator goes that would have been met.
    del system[1500:1503]
    [found] = match_edits(source, system, [gold])
    assert (found.correct, len(found.proposed), found.gold) == (124, 250, 250)
    assert sum(one.end - one.start - len(one.correction) for one in found.proposed) == 3


def test_long_texts_without_a_common_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are cut as well, so that time and memory are bounded."""
    monkeypatch.setattr("sejongud.gec.maxmatch._CELLS", 100)
    [found] = match_edits(["a"] * 50, ["b"] * 40, [[Edit(3, 4, "b")]])
    assert (found.correct, found.gold) == (1, 1)
    assert len(found.proposed) > 10
    assert sum(one.end - one.start for one in found.proposed) == 50
    assert sum(len(one.correction) for one in found.proposed) == 40


# A search through all edges, written from the description and independent of the program.

Node = tuple[int, int]


def lattice_of(source: Sequence[str], system: Sequence[str]) -> set[tuple[Node, Node]]:
    """Return all steps of all cheapest ways, by trying every step with two tables of costs."""
    n, m = len(source), len(system)
    steps = set()
    for price in (1, 2):

        def step(i: int, j: int, i_end: int, j_end: int, price: int = price) -> int:
            if i_end - i == 1 == j_end - j:
                return 0 if source[i] == system[j] else price
            return 1

        moves = [(1, 0), (0, 1), (1, 1)]
        nodes = list(product(range(n + 1), range(m + 1)))
        forward = {(0, 0): 0}
        for i, j in nodes[1:]:
            before = [(i - a, j - b) for a, b in moves if i >= a and j >= b]
            forward[i, j] = min(forward[one] + step(*one, i, j) for one in before)
        backward = {(n, m): 0}
        for i, j in reversed(nodes[:-1]):
            after = [(i + a, j + b) for a, b in moves if i + a <= n and j + b <= m]
            backward[i, j] = min(backward[one] + step(i, j, *one) for one in after)
        for i, j in nodes:
            for a, b in moves:
                end = i + a, j + b
                if end in backward:
                    cost = forward[i, j] + step(i, j, *end) + backward[end]
                    if cost == forward[n, m]:
                        steps.add(((i, j), end))
    return steps


def lengths_of(
    steps: set[tuple[Node, Node]], kept: set[tuple[Node, Node]], most: int
) -> dict[tuple[Node, Node], int]:
    """Return the length of the shortest way between two nodes with few unchanged words in it."""
    nodes = sorted({node for one in steps for node in one})
    found = {(node, node, 0): 0 for node in nodes}
    for first, node, seen in product(nodes, nodes, range(most + 1)):
        if (first, node, seen) in found:
            length = found[first, node, seen] + 1
            for _, end in [one for one in steps if one[0] == node]:
                key = first, end, seen + ((node, end) in kept)
                if key[2] <= most:
                    found[key] = min(length, found.get(key, length))
    shortest: dict[tuple[Node, Node], int] = {}
    for (first, end, _), length in found.items():
        if first != end:
            shortest[first, end] = min(length, shortest.get((first, end), length))
    return shortest


def slowly(
    source: Sequence[str], system: Sequence[str], gold: Sequence[Edit], most: int
) -> tuple[int, ...]:
    """Return the cost of the best way over explicit edges."""
    steps = lattice_of(source, system)
    kept = {
        (one, end)
        for one, end in steps
        if end[0] > one[0] and end[1] > one[1] and source[one[0]] == system[one[1]]
    }
    edges: dict[tuple[Node, Node], tuple[int, int, int]] = {}
    for (first, end), length in lengths_of(steps, kept, most).items():
        words = system[first[1] : end[1]]
        same = words == source[first[0] : end[0]]
        if same and end[0] - first[0] == length:
            continue  # nothing is changed on the shortest way
        is_gold = not same and (first[0], end[0], " ".join(words)) in [edit[:3] for edit in gold]
        edges[first, end] = (-1, 0, 0) if is_gold else (0, length, 1)
    for one in kept:
        edges[one] = (0, 1, 0)
    costs: dict[Node, tuple[int, ...]] = {(0, 0): (0, 0, 0)}
    for first, end in sorted(edges):
        cost = tuple(a + b for a, b in zip(costs[first], edges[first, end], strict=True))
        costs[end] = min(costs.get(end, cost), cost)
    return costs[len(source), len(system)]


words = st.lists(st.sampled_from("abc"), max_size=6)


@given(words, words, st.data(), st.integers(0, 2))
def test_the_best_way_of_all(
    source: list[str], system: list[str], data: st.DataObject, most: int
) -> None:
    places = st.tuples(st.integers(0, len(source)), st.integers(0, len(source))).map(sorted)
    texts = st.lists(st.sampled_from("abc"), max_size=2).map(" ".join)
    gold = [
        Edit(start, end, text)
        for (start, end), text in data.draw(st.lists(st.tuples(places, texts), max_size=3))
    ]
    met, _, edits = slowly(source, system, gold, most)
    [found] = match_edits(source, system, [gold], most)
    keys = {(edit.start, edit.end, tuple(edit.correction.split())) for edit in gold}
    in_gold = [one for one in found.proposed if tuple(one) in keys]
    assert len(in_gold) == -met
    assert len(found.proposed) - len(in_gold) == edits
    # Applied from the end, the proposed edits make the system's text.
    made = list(source)
    for one in reversed(found.proposed):
        made[one.start : one.end] = one.correction
    assert made == system
