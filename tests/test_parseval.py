"""Which constituents count, which match, which cross."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sejongud.evaluation.parseval import Constituent, Constituents, count_crossing, reindex
from sejongud.formats.brackets import parse
from sejongud.layers.matching import Group

LABEL = st.sampled_from("ABC")


@st.composite
def laminar(draw: st.DrawFn, start: int = 0, end: int = 7) -> list[Constituent]:
    """The constituents of a random tree over 7 words."""
    found = [(start, end, draw(LABEL)) for _ in range(draw(st.integers(0, 2)))]
    if end - start > 1:
        cut = draw(st.integers(start + 1, end - 1))
        found += draw(laminar(start, cut)) + draw(laminar(cut, end))
    return found


@given(laminar(), laminar())
def test_crossing_is_what_the_definition_says(
    gold: list[Constituent], system: list[Constituent]
) -> None:
    expected = sum(
        any(a < start < b < end or start < a < end < b for a, b, _ in gold)
        for start, end, _ in system
    )
    assert count_crossing(gold, system) == expected


@given(laminar(), laminar(), st.sets(st.sampled_from([("A", "B"), ("B", "C"), ("C", "A")])))
def test_match_takes_the_first_that_is_left(
    gold: list[Constituent], system: list[Constituent], equal: set[tuple[str, str]]
) -> None:
    constituents = Constituents([], equal)
    free = dict(enumerate(system))
    expected = []
    for i, (*span, label) in enumerate(gold):
        for j, (*other_span, other) in free.items():
            if span == other_span and (label == other or {(label, other), (other, label)} & equal):
                expected.append((i, j))
                del free[j]
                break
    assert constituents.match(gold, system) == expected


@given(laminar())
def test_a_tree_against_itself(tree: list[Constituent]) -> None:
    counts = Constituents([]).compare(tree, tree, 7, 7)
    assert counts == (len(tree), len(tree), len(tree), 0, 7, 7)
    assert counts.complete


def test_what_counts() -> None:
    tree = parse("(TOP (S-1 (NP=2 (N a)) (X (Y)) (PRT (R b)) (-X (N c))))")
    assert Constituents(["TOP"]).of(tree) == [(0, 3, "S"), (0, 1, "NP"), (1, 2, "PRT"), (2, 3, "")]
    # What is equal to a label that is left out is left out as well; but it goes no further.
    equal = [("ADVP", "PRT"), ("ADVP", "NP")]
    assert Constituents(["PRT"], equal).of(parse("(S (ADVP (R a)) (NP (N b)))")) == [
        (0, 2, "S"),
        (1, 2, "NP"),
    ]


def test_unlabeled() -> None:
    gold, system = [(0, 2, "A"), (0, 2, "B")], [(0, 2, "C"), (1, 2, "A")]
    assert Constituents([], labeled=False).match(gold, system) == [(0, 0)]


def test_reindex_leaves_no_part_of_a_group_to_be_found() -> None:
    # a b c d against x y d: the words before d have nothing in common.
    groups = [Group(range(3), range(2), False), Group(range(3, 4), range(2, 3), True)]
    gold, system = reindex(
        [(0, 4, "S"), (0, 2, "NP"), (2, 4, "VP"), (3, 4, "V")],
        [(0, 3, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "V")],
        groups,
    )
    assert [i for i, _ in Constituents([]).match(gold, system)] == [0, 2, 3]
    assert count_crossing(gold, system) == 0
