"""Text in a terminal: widths, padding, clipping, tables, control characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.terminal import clean, clip, display_width, pad, table

TEXTS = st.text(st.sampled_from("aㄴ한글\u0301\u1161Ａ. "), max_size=12)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("한글", 4),
        ("ㄴ다", 4),
        ("\u1112\u1161\u11ab", 2),
        ("é", 1),
        ("e\u0301", 1),
        ("(A)", 3),
        ("ＡＢ", 4),
    ],
)
def test_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_pictures_of_controls() -> None:
    assert clean("a\u202eb\u200dc\n") == "a\ufffdbc␊"
    assert clean("한글 A") == "한글 A"


@given(TEXTS, st.integers(0, 20), st.sampled_from("lr"))
def test_padding(text: str, width: int, align: str) -> None:
    padded = pad(text, width, align)
    assert display_width(padded) == max(width, display_width(text))
    assert (padded.startswith if align == "l" else padded.endswith)(text)


@given(TEXTS, st.integers(1, 20), st.integers(0, 12))
def test_clipping(text: str, width: int, start: int) -> None:
    clipped = clip(text, width, start)
    assert display_width(clipped) <= width
    whole = f"…{text[start:]}" if start else text
    if display_width(whole) <= width:
        assert clipped == whole
    else:
        kept = clipped.removesuffix("…")
        assert len(kept) == len(clipped) - 1
        assert whole.startswith(kept)
        # One more character would not have left room for the ellipsis.
        assert display_width(whole[: len(kept) + 1]) >= width


def test_tables() -> None:
    rows = [["프랑스의", "1", "x"], ["a", "1,000", ""]]
    assert table(rows) == "프랑스의      1  x\na         1,000\n"
    assert table(rows, header=["", "n", "mark"], align="lrl", gap=1) == (
        "             n mark\n프랑스의     1 x\na        1,000\n"
    )
    assert table([]) == ""
