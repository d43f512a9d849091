"""Corrections of one text that was cut in two ways (memoir, Section 5.3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import UsageError
from sejongud.formats.m2 import M2
from sejongud.gec.boundaries import align, aligned, joined, mapped
from sejongud.gec.edits import Corrections, Edit
from sejongud.gec.scoring import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.gec.boundaries import Aligned


def corrections(text: str, *edits: tuple[int, int, str] | tuple[int, int, str, str]) -> Corrections:
    return Corrections(tuple(text.split()), {0: tuple(Edit(*edit) for edit in edits)})


def groups(reference: Sequence[Corrections], hypothesis: Sequence[Corrections]) -> list[Aligned]:
    return list(aligned(reference, hypothesis, align(reference, hypothesis)))


def counts(
    reference: Sequence[Corrections], hypothesis: Sequence[Corrections], **options: Any
) -> list[float]:
    """Return true positives, false positives and false negatives."""
    return score(hypothesis, reference, **options).totals


def moved(one: Corrections) -> list[tuple[int, int, str]]:
    return [edit[:3] for edit in one.edits[0]]


def test_figure_of_the_memoir() -> None:
    reference = [
        corrections("Kate Ashby ,"),
        corrections("how are you ? I hope you are well .", (0, 1, "How", "R:ADV")),
    ]
    hypothesis = [corrections("Kate Ashby , how are you ?"), corrections("I hope you are well .")]
    [one] = groups(reference, hypothesis)
    text = "S Kate Ashby , how are you ? I hope you are well .\n"
    assert M2("errant").sentence(one.reference) == (
        f"{text}A 3 4|||R:ADV|||How|||REQUIRED|||-NONE-|||0\n\n"
    )
    assert M2("errant").sentence(one.hypothesis) == (
        f"{text}A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    )
    assert counts(reference, hypothesis) == [0, 0, 1]


def test_annotators_of_joined_sentences() -> None:
    """Whoever is lacking in a sentence changed nothing there; whoever changed nothing remains."""
    first = Corrections(("a", "b"), {0: (), 1: (Edit(0, 1, "x", annotator=1),)})
    second = Corrections(("c",), {0: (Edit(0, 0, "y"),), 2: ()})
    both = joined([first, second])
    assert both.tokens == ("a", "b", "c")
    assert {key: [edit[:3] for edit in edits] for key, edits in both.edits.items()} == {
        0: [(2, 2, "y")],
        1: [(0, 1, "x")],
        2: [],
    }


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        # An edit inside a group takes the group, with what it left as it was.
        ((1, 2, "do"), (1, 2, "do n't")),
        ((2, 3, "not"), (1, 2, "ca not")),
        ((1, 3, "cannot"), (1, 2, "cannot")),
        ((0, 2, "You do"), (0, 2, "You do n't")),
        ((2, 4, ""), (1, 3, "ca")),
        # An insertion inside a group likewise; at a border it stays an insertion.
        ((2, 2, "really"), (1, 2, "ca really n't")),
        ((1, 1, "simply"), (1, 1, "simply")),
        ((3, 3, "simply"), (2, 2, "simply")),
        ((5, 5, "."), (4, 4, ".")),
        ((0, 0, "Oh"), (0, 0, "Oh")),
        # Outside of groups nothing changes but the number.
        ((4, 5, "home"), (3, 4, "home")),
    ],
)
def test_edits_move_to_other_tokens(
    edit: tuple[int, int, str], expected: tuple[int, int, str]
) -> None:
    hypothesis = corrections("I ca n't go out", edit)
    assert moved(mapped(hypothesis, corrections("I can't go out").tokens)) == [expected]


def test_edits_move_to_smaller_tokens() -> None:
    hypothesis = corrections("I can't go out", (1, 2, "won't"), (2, 2, "ever"))
    found = mapped(hypothesis, corrections("I ca n't go out").tokens)
    assert moved(found) == [(1, 3, "won't"), (3, 3, "ever")]
    assert " ".join(found.target()) == "I won't ever go out"


def test_tokens_of_nothing() -> None:
    empty = Corrections((), {0: (Edit(0, 0, "a"),)})
    assert moved(mapped(empty, ("b",))) == [(0, 0, "a")]
    assert moved(mapped(corrections("b c", (1, 2, "d")), ())) == [(0, 0, "b d")]


def test_spaces_differ() -> None:
    """The reference keeps an eojeol that the hypothesis has in two."""
    reference = [corrections("나는 학교에 갔다", (1, 2, "집에"))]
    hypothesis = [corrections("나는 학교 에 갔다", (1, 3, "집에"))]
    assert counts(reference, hypothesis) == [1, 0, 0]


def test_sentences_without_counterpart() -> None:
    """Their edits are missed or spurious, and the texts' difference is told."""
    reference = [
        corrections("나는 갓다", (1, 2, "갔다")),
        corrections("비가 왓다", (1, 2, "왔다")),
        corrections("집에 있었다"),
    ]
    hypothesis = [
        corrections("나는 갓다", (1, 2, "갔다")),
        corrections("집에 있었다"),
        corrections("끝", (1, 1, ".")),
    ]
    evaluation = score(hypothesis, reference)
    assert evaluation.totals == [1, 1, 1]
    assert evaluation.differences


def test_no_align_is_an_error() -> None:
    reference, hypothesis = [corrections("a"), corrections("b")], [corrections("a b")]
    with pytest.raises(UsageError, match="sentence 1 is not the same in both files"):
        counts(reference, hypothesis, align=False)
    assert counts(reference, reference, align=False) == [0, 0, 0]


WORDS = ("나는", "비가", "학교에", "집에", "갓다", "왓다", ".", "가다")


WORD = st.sampled_from(WORDS)


@st.composite
def texts(draw: st.DrawFn, at_end: bool = True) -> tuple[list[Corrections], list[Corrections]]:
    """Draw sentences with the edits of a reference and of a hypothesis.

    What is inserted at the beginning of a sentence differs from what is inserted at its end.

    Args:
        draw: draws.
        at_end: whether anything is inserted at the end of a sentence.
    """
    sides: tuple[list[Corrections], list[Corrections]] = ([], [])
    for tokens in draw(st.lists(st.lists(WORD, min_size=1, max_size=4), max_size=6)):
        n = len(tokens)
        for some in sides:
            edits = []
            for start, length, word in draw(
                st.lists(
                    st.tuples(st.integers(0, n), st.integers(0, 2), st.sampled_from("abc")),
                    max_size=3,
                )
            ):
                end = min(start + length, n)
                if start == n and not at_end:
                    continue
                edge = {0: "앞", n: "뒤"}.get(start, "") if start == end else ""
                edits.append(Edit(start, end, word + edge, word))
            some.append(Corrections(tuple(tokens), {0: tuple(sorted(edits))}))
    return sides


def cut(sentences: Sequence[Corrections], ends: Sequence[bool]) -> list[Corrections]:
    """Join neighbouring sentences, apart from those between which a border is kept."""
    parts: list[list[Corrections]] = [[]]
    for sentence, is_end in zip(sentences, ends, strict=True):
        parts[-1].append(sentence)
        if is_end:
            parts.append([])
    return [joined(part) for part in parts if part]


def check_cuts(
    sides: tuple[list[Corrections], list[Corrections]], data: st.DataObject, what: str
) -> None:
    """Cut both sides anew in any way, down to one sentence each, and compare the counts."""
    reference, hypothesis = sides
    expected = counts(reference, hypothesis, what=what)
    n = len(reference)
    ends = st.lists(st.booleans(), min_size=n, max_size=n)
    cuts = [cut(some, data.draw(ends)) for some in sides]
    assert counts(*cuts, what=what) == expected
    whole = [cut(some, [False] * n) for some in sides]
    assert counts(reference, whole[1], what=what) == expected
    assert counts(whole[0], hypothesis, what=what) == expected
    assert counts(*whole, what=what) == expected


@given(texts(), st.data(), st.sampled_from(("correction-span", "correction-type")))
def test_joining_changes_no_count_of_corrections(
    sides: tuple[list[Corrections], list[Corrections]], data: st.DataObject, what: str
) -> None:
    check_cuts(sides, data, what)


@given(texts(at_end=False), st.data(), st.sampled_from(("detection-span", "detection-token")))
def test_joining_changes_no_count_of_detections(
    sides: tuple[list[Corrections], list[Corrections]], data: st.DataObject, what: str
) -> None:
    """The place behind a sentence is the place before the next one, once they are joined."""
    check_cuts(sides, data, what)


@given(texts(), st.data())
def test_no_edit_is_lost(
    sides: tuple[list[Corrections], list[Corrections]], data: st.DataObject
) -> None:
    """With a sentence left out here or there, each edit is found, missed or spurious."""
    n = len(sides[0])
    kept = [data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in sides]
    some, other = (
        [one for one, keep in zip(of, keeps, strict=True) if keep]
        for of, keeps in zip(sides, kept, strict=True)
    )
    sizes = [sum(len(one.edits[0]) for one in of) for of in (some, other)]
    for one in groups(some, other):
        sizes[0] -= len(one.reference.edits[0])
        sizes[1] -= len(one.hypothesis.edits[0])
        assert one.reference.tokens == one.hypothesis.tokens
        for edit in (*one.reference.edits[0], *one.hypothesis.edits[0]):
            assert 0 <= edit.start <= edit.end <= len(one.reference.tokens)
    assert sizes == [0, 0]


@given(st.lists(st.sampled_from(["가", "나", "다라"]), max_size=8), st.data())
def test_moving_edits_keeps_the_target(tokens: list[str], data: st.DataObject) -> None:
    """An edit over other tokens of the same text makes the same text."""
    n = len(tokens)
    start, end = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    one = Corrections(
        tuple(tokens), {0: (Edit(start, end, data.draw(st.sampled_from(["x", ""]))),)}
    )
    text = "".join(tokens)
    borders = data.draw(st.sets(st.integers(1, max(len(text) - 1, 1))))
    ends = sorted({*borders, len(text)})
    other = tuple(text[a:b] for a, b in zip([0, *ends], ends, strict=False) if a < b)
    assert "".join(mapped(one, other).target()) == "".join(one.target())
