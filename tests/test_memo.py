"""Remembering: every result once while it is in use, and no more of them than were asked for."""

from __future__ import annotations

from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.memo import Memo


class Square:
    """A result, which can be counted for as long as somebody holds it."""

    def __init__(self, number: int) -> None:
        self.value = number * number


class Squares:
    """A memo of squares, the numbers that were computed, and the results that are held."""

    def __init__(self, size: int) -> None:
        self.computed: list[int] = []
        self.held: WeakSet[Square] = WeakSet()
        self.memo = Memo(self._square, size)

    def _square(self, number: int) -> Square:
        self.computed.append(number)
        found = Square(number)
        self.held.add(found)
        return found


def test_what_is_in_use_is_computed_once() -> None:
    squares = Squares(4)
    for number in range(100):
        assert squares.memo[7].value == 49
        assert squares.memo[100 + number].value == (100 + number) ** 2
    assert squares.computed.count(7) == 1


def test_what_is_not_used_any_more_is_forgotten() -> None:
    squares = Squares(4)
    for number in range(1000):
        assert squares.memo[number].value == number * number
        assert len(squares.held) <= 8
    assert squares.memo[0].value == 0
    assert squares.computed == [*range(1000), 0]


@given(st.integers(1, 4), st.lists(st.integers(0, 12), max_size=60))
def test_any_order_of_questions(size: int, numbers: list[int]) -> None:
    squares = Squares(size)
    recent: list[int] = []
    for number in numbers:
        before = len(squares.computed)
        assert squares.memo[number].value == number * number
        # Fewer than `size` other numbers were asked for since: it is still there.
        if number in recent[-size:]:
            assert len(squares.computed) == before
        assert len(squares.held) <= 2 * size
        recent = [other for other in recent if other != number] + [number]


def test_an_exception_is_passed_on_and_not_remembered() -> None:
    asked: list[str] = []

    def answer(key: str) -> int:
        asked.append(key)
        if len(asked) == 1:
            raise ValueError("not yet")
        return 5

    memo = Memo(answer, 2)
    with pytest.raises(ValueError, match="not yet"):
        memo["a"]
    assert (memo["a"], memo["a"], asked) == (5, 5, ["a", "a"])


def test_the_dictionary_that_callers_hold_stays_the_same() -> None:
    squares = Squares(2)
    get = squares.memo.__getitem__
    assert [get(number).value for number in (1, 2, 3, 4, 5, 3)] == [1, 4, 9, 16, 25, 9]
