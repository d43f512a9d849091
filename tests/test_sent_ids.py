"""Ids of sentences: unique in a file, the free ones as they are, whatever stands in them."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sejongud.formats.base import SentIds

# Short, so that they meet: numbers with zeros before them, names with numbers, repeats' own names.
NAMES = st.one_of(
    st.text("012-a", max_size=4),
    st.integers(1, 12).map(str),
    st.sampled_from(["9" * 18, "9" * 19, "0" * 19, "1" * 25, "a" + "1" * 25, "٣", "²", "1²"]),
)


class Plain:
    """Unique ids as anybody would make them: by a set of all."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def unique(self, sent_id: str) -> str:
        found, number = sent_id, 1
        while found in self.taken:
            number += 1
            found = f"{sent_id}-{number}"
        self.taken.add(found)
        return found


@given(st.lists(NAMES, max_size=40))
def test_ids_are_those_of_a_set(names: list[str]) -> None:
    ids, plain = SentIds(), Plain()
    assert [ids.unique(name) for name in names] == [plain.unique(name) for name in names]


@given(st.lists(st.one_of(st.none(), NAMES), max_size=40))
@example([None, "01", "1", None])
def test_numbers_of_sentences_between_ids(names: list[str | None]) -> None:
    """A sentence without an id (None) is named by its number."""
    ids, plain = SentIds(), Plain()
    for number, name in enumerate(names, 1):
        found = ids.running(number) if name is None else ids.unique(name)
        assert found == plain.unique(str(number) if name is None else name)


def test_a_number_that_is_taken_as_an_id() -> None:
    ids = SentIds()
    found = [ids.running(1), ids.unique("2"), ids.running(2), ids.unique("1")]
    assert found == ["1", "2", "2-2", "1-2"]


@pytest.mark.parametrize(
    "names", [["01", "1"], ["a-1", "a-01"], ["1", "001"], ["9" * 19, "9" * 18]]
)
def test_zeros_before_a_number_are_part_of_an_id(names: list[str]) -> None:
    ids = SentIds()
    assert [ids.unique(name) for name in names] == names
    assert [ids.unique(name) for name in names] == [f"{name}-2" for name in names]


@pytest.mark.parametrize(("kind", "most"), [("running", 10_000), ("numbered", 300_000)])
def test_many_ids_take_little_memory(kind: str, most: int) -> None:
    ids = SentIds()
    tracemalloc.start()
    try:
        for number in range(1, 20_001):
            if kind == "running":
                ids.running(number)
            else:
                ids.unique(f"corpus-{number:08}")
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
