"""Which sentence goes where can be told beforehand, and never depends on anything but the seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.release.splits import (
    ReleaseError,
    SplitPlan,
    listed_parts,
    shuffled,
    sizes,
    split_sets,
)

SHARES = st.tuples(st.integers(1, 100), st.integers(0, 99)).filter(lambda s: sum(s) <= 100)


def test_the_shuffle_is_the_one_that_is_documented() -> None:
    # Written down once: what comes out otherwise has changed every release.
    assert list(shuffled(10, 42)) == [9, 7, 8, 5, 3, 4, 1, 2, 0, 6]
    assert list(shuffled(10, 41)) != list(shuffled(10, 42))
    assert list(shuffled(0, 1)) == []


@given(st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_a_shuffle_keeps_everything(count: int, seed: int) -> None:
    assert sorted(shuffled(count, seed)) == list(range(count))


@given(st.integers(0, 5_000), SHARES)
def test_sizes_add_up_and_are_near_their_shares(count: int, two: tuple[int, int]) -> None:
    shares = (two[0], two[1], 100 - sum(two))
    found = sizes(count, shares)
    assert sum(found) == count
    for size, share in zip(found[1:], shares[1:], strict=True):
        assert (size == 0) if share == 0 else size == max(1, round(count * share / 100 + 1e-9))


def test_sizes_of_the_treebanks() -> None:
    assert sizes(950, (80, 10, 10)) == (760, 95, 95)
    assert sizes(2066, (80, 10, 10)) == (1652, 207, 207)
    assert sizes(10, (100, 0, 0)) == (10, 0, 0)
    assert sizes(3, (80, 10, 10)) == (1, 1, 1)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=60), st.integers(0, 999))
def test_every_sentence_is_in_one_part_and_documents_stay_whole(
    documents: list[int], seed: int
) -> None:
    (way,) = split_sets(SplitPlan("document", (seed,)), documents)
    assert len(way.parts) == sum(documents)
    start = 0
    parts = []
    for size in documents:
        assert len(set(way.parts[start : start + size])) == 1
        parts.append(way.parts[start])
        start += size
    counts = Counter(parts)
    assert tuple(counts[part] for part in range(3)) == sizes(len(documents), (80, 10, 10))


def test_several_seeds_are_several_ways_with_names() -> None:
    ways = split_sets(SplitPlan("seed", (41, 42)), [100])
    assert [way.name for way in ways] == ["seed-41", "seed-42"]
    assert ways[0].parts != ways[1].parts
    (alone,) = split_sets(SplitPlan("seed", (42,)), [60, 40])
    assert (alone.name, alone.parts) == ("", ways[1].parts)


def test_the_parts_are_the_first_the_next_and_the_last_of_the_shuffled_numbers() -> None:
    (way,) = split_sets(SplitPlan("seed", (7,)), [10])
    order = list(shuffled(10, 7))
    assert [way.parts[n] for n in order] == [0] * 8 + [1, 2]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_sentences_are_named(count: int) -> None:
    with pytest.raises(
        ReleaseError, match=f"{count} sentences are too few to be split 80/10/10: shares of 100"
    ):
        split_sets(SplitPlan(), [count])
    with pytest.raises(ReleaseError, match="documents are too few"):
        split_sets(SplitPlan("document"), [5] * count)


def places(*ids: str) -> list[tuple[str, str]]:
    return [(sent_id, f"list:{n}") for n, sent_id in enumerate(ids, 1)]


def test_lists_of_ids() -> None:
    parts = listed_parts({"dev": places("b"), "test": places("c")}, "train", "abc")
    assert list(parts) == [0, 1, 2]


def test_faults_in_lists_of_ids() -> None:
    with pytest.raises(ReleaseError, match="list:1: b stands in list:2 already"):
        listed_parts({"train": places("a", "b"), "dev": places("b")}, "", "ab")
    lists = {"train": places("a", "b")}
    with pytest.raises(ReleaseError, match="sentence c is in no list of ids"):
        listed_parts(lists, "", "abc")
    with pytest.raises(ReleaseError, match="list:2: there is no sentence b in the corpus"):
        listed_parts(lists, "", "a")
