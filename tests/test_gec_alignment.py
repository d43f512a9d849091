"""Alignment of corrections: against the rules of the specification, written out plainly."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.gec import alignment
from sejongud.gec.alignment import ALIGNERS, Operation, TokenAligner, align, is_long
from sejongud.gec.edits import AnalysedToken
from sejongud.model import Morpheme

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Cell = tuple[int, int]
Kept = dict[Cell, list[tuple[str, Cell]]]

FORMS = st.sampled_from(["가", "가나", "나", "나가", "A", "a", "aB", "Ab", "b", "."])
TAGS = st.sampled_from(["NOUN", "VERB", "DET", ""])
MORPHEMES = st.sampled_from([(), (("가", "NNG"),), (("가", "NNG"), ("이", "JKS")), (("a", "SL"),)])


@st.composite
def analysed(draw: st.DrawFn) -> AnalysedToken:
    morphemes = tuple(Morpheme(*pair) for pair in draw(MORPHEMES))
    lemma, kind = draw(st.sampled_from(["", "가", "b"])), draw(st.sampled_from(["V", "A"]))
    return AnalysedToken(draw(FORMS), lemma, draw(TAGS), "", morphemes, kind)


SENTENCES = st.lists(analysed(), max_size=7)


def tokens(text: str) -> list[AnalysedToken]:
    return [AnalysedToken(form, form.lower(), "NOUN") for form in text.split()]


def kinds(operations: list[Operation]) -> str:
    return "".join(operation.kind for operation in operations)


def every_cheapest(
    source: list[AnalysedToken], target: list[AnalysedToken], aligner: TokenAligner
) -> Kept:
    """Return the table of all cheapest operations: cell → [(kind, cell before)], in any order."""
    forms, others = [t.form for t in source], [t.form for t in target]
    rows = list(aligner.rows(source, target)) if source else []
    cost = {(0, 0): 0.0}
    kept: Kept = {(0, 0): []}
    for i in range(len(forms) + 1):
        for j in range(len(others) + 1):
            found: list[tuple[float, str, Cell]] = []
            if i and j and forms[i - 1] == others[j - 1]:
                cost[i, j], kept[i, j] = cost[i - 1, j - 1], [("M", (i - 1, j - 1))]
                continue
            if i:
                found.append((cost[i - 1, j] + 1, "D", (i - 1, j)))
            if j:
                found.append((cost[i, j - 1] + 1, "I", (i, j - 1)))
            if i and j:
                found.append((cost[i - 1, j - 1] + rows[i - 1][j - 1], "S", (i - 1, j - 1)))
                if aligner.transpositions:
                    found += transposition(forms, others, cost, i, j, aligner.rising)
            if not found:
                continue
            least = min(found)[0]
            cost[i, j] = least
            kept[i, j] = [(kind, before) for value, kind, before in found if value == least]
    return kept


def transposition(
    forms: list[str], others: list[str], cost: dict[Cell, float], i: int, j: int, rising: bool
) -> Iterator[tuple[float, str, Cell]]:
    k = 1
    while i - k >= 1 and j - k >= 1:
        step = cost[i - k, j - k] - cost[i - k - 1, j - k - 1]
        if step == 0 or (rising and step < 0):
            return
        ours = Counter(form.lower() for form in forms[i - k - 1 : i])
        if ours == Counter(form.lower() for form in others[j - k - 1 : j]):
            before = i - k - 1, j - k - 1
            yield cost[before] + k, "T", before
            return
        k += 1


def walked(
    kept: Kept, cell: Cell, order: str, steps: dict[Cell, int] | None = None
) -> list[Operation]:
    path = []
    while cell != (0, 0):
        ways = kept[cell]
        if steps:
            fewest = min(steps[before] for _, before in ways)
            ways = [way for way in ways if steps[way[1]] == fewest]
        kind, before = min(ways, key=lambda way: order.index(way[0]))
        path.append(Operation(kind, before[0], cell[0], before[1], cell[1]))
        cell = before
    return path[::-1]


def fewest_steps(kept: Kept) -> dict[Cell, int]:
    steps = {(0, 0): 0}
    for cell in sorted(kept):
        if cell != (0, 0):
            steps[cell] = 1 + min(steps[before] for _, before in kept[cell])
    return steps


@given(SENTENCES, SENTENCES)
def test_errant_takes_the_first_cheapest_operation_of_each_cell(
    source: list[AnalysedToken], target: list[AnalysedToken]
) -> None:
    kept = every_cheapest(source, target, ALIGNERS["errant"])
    expected = walked(kept, (len(source), len(target)), "MTSID")
    assert align(source, target, ALIGNERS["errant"]) == expected


@given(SENTENCES, SENTENCES)
def test_kagas_takes_the_path_with_the_fewest_operations(
    source: list[AnalysedToken], target: list[AnalysedToken]
) -> None:
    kept = every_cheapest(source, target, ALIGNERS["kagas"])
    steps = fewest_steps(kept)
    expected = walked(kept, (len(source), len(target)), "MDIST", steps)
    assert align(source, target, ALIGNERS["kagas"]) == expected


@given(st.text("가나다b", max_size=9), st.text("가나다b", max_size=9))
def test_characters_and_plain_alignment_follow_the_rules(text: str, other: str) -> None:
    source, target = ([AnalysedToken(char) for char in side] for side in (text, other))
    for aligner in (ALIGNERS["char"], ALIGNERS["char"].plain()):
        kept = every_cheapest(source, target, aligner)
        expected = walked(kept, (len(source), len(target)), "MTSID")
        assert align(source, target, aligner) == expected


@given(SENTENCES, SENTENCES, st.sampled_from(sorted(ALIGNERS)))
def test_operations_cover_both_sides(
    source: list[AnalysedToken], target: list[AnalysedToken], scheme: str
) -> None:
    assert_covers(align(source, target, ALIGNERS[scheme]), source, target)


def assert_covers(
    operations: list[Operation], source: list[AnalysedToken], target: list[AnalysedToken]
) -> None:
    ends = [(0, 0), *[(op.end, op.c_end) for op in operations]]
    assert [(op.start, op.c_start) for op in operations] == ends[:-1]
    assert ends[-1] == (len(source), len(target))
    for op in operations:
        if op.kind == "M":
            assert source[op.start].form == target[op.c_start].form


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "", ""),
        ("a b", "", "DD"),
        ("", "a b", "II"),
        ("a b", "a a b", "IMM"),  # a common beginning does not match at any price
        ("a b c d", "d c b a", "T"),
        ("a b c x", "b c a x", "TM"),
        ("a b c d x", "b c d a x", "DMMMIM"),
        ("A b", "a b", "SM"),
        ("x y", "Y X", "T"),
    ],
)
def test_cases_by_hand(source: str, target: str, expected: str) -> None:
    assert kinds(align(tokens(source), tokens(target), ALIGNERS["errant"])) == expected


def test_a_transposition_of_any_length_is_one_operation() -> None:
    """The tokens are upper case on one side, so that none of them is equal to one of the other."""
    source = [AnalysedToken(f"t{k}", f"t{k}", f"{k}") for k in range(200)]
    target = [AnalysedToken(f"T{k}", f"T{k}", f"T{k}") for k in reversed(range(200))]
    assert kinds(align(source, target, ALIGNERS["errant"])) == "T"


@pytest.mark.parametrize(
    ("one", "other", "cost"),
    [
        ("가", "각", 1 / 3),
        ("가", "너", 2 / 3),
        ("가", "넋", 1.0),
        ("가", "▁", 1.5),
        ("▁", "a", 1.5),
        ("가", "a", 1.0),
        ("A", "a", 0.0),
    ],
)
def test_cost_of_characters(one: str, other: str, cost: float) -> None:
    rows = ALIGNERS["char"].rows([AnalysedToken(one)], [AnalysedToken(other)])
    assert [list(row) for row in rows] == [pytest.approx([cost])]


def test_cost_of_eojeols() -> None:
    go, went = Morpheme("가", "VV"), Morpheme("었", "EP")
    one = AnalysedToken("가니", "가", morphemes=(go, Morpheme("니", "EF")), kind="V")
    for other, expected in (
        (AnalysedToken("갔니", "가", morphemes=(go, went, Morpheme("니", "EF")), kind="V"), 0.6),
        (AnalysedToken("가니", "가", morphemes=one.morphemes, kind="A"), 0.1),
        (AnalysedToken("책", "", morphemes=(Morpheme("책", "NNG"),)), 0.499 + 0.5 + 1),
    ):
        (row,) = ALIGNERS["kagas"].rows([one], [other])
        assert list(row) == pytest.approx([expected])


def test_a_long_pair_is_aligned_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "CELLS", 2_000)
    monkeypatch.setattr(alignment, "_BLOCK", 20)
    source = tokens(" ".join(f"t{k % 17}.{k}" for k in range(300)))
    target = [token for k, token in enumerate(source) if k % 7]
    target[100:140] = tokens(" ".join(f"new{k}" for k in range(90)))
    operations = align(source, target, ALIGNERS["errant"])
    assert is_long(source, target)
    assert_covers(operations, source, target)
    assert sum(op.kind == "M" for op in operations) == 257 - 40


def test_the_time_of_a_long_line_grows_with_its_length() -> None:
    def seconds(size: int) -> float:
        source = [AnalysedToken(chr(ord("가") + k)) for k in range(size)]
        target = [AnalysedToken(chr(ord("가") + k + 3_000 * (k % 3 == 0))) for k in range(size)]
        times = []
        for _ in range(3):
            alignment._syllable_cost.cache_clear()
            begin = time.process_time()
            found = align(source, target, ALIGNERS["kagas"])
            assert sum(op.kind == "M" for op in found) > size // 2
            times.append(time.process_time() - begin)
        return min(times)

    assert seconds(800) <= 4.5 * seconds(200)


def test_blocks_have_the_operations_of_the_whole(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared / "data" / "gec-dev" / "kolla-ref1"
    if not folder.is_dir():
        pytest.skip("no development data")
    source, target = (
        [
            AnalysedToken(form)
            for line in (folder / name).read_text(encoding="utf-8").splitlines()[:60]
            for form in line.split()
        ]
        for name in ("source.txt", "target.txt")
    )
    monkeypatch.setattr(alignment, "CELLS", 10_000)
    blocks = align(source, target, ALIGNERS["kagas"])
    assert is_long(source, target)
    monkeypatch.setattr(alignment, "CELLS", 10_000_000)
    assert blocks == align(source, target, ALIGNERS["kagas"])


@given(st.lists(FORMS, max_size=60), st.lists(FORMS, max_size=60), st.integers(1, 9))
def test_borders_of_blocks_rise_and_cover_both_sides(
    source: list[str], target: list[str], block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "_BLOCK", block)
        ours, theirs = ([AnalysedToken(form) for form in side] for side in (source, target))
        cuts = list(alignment._cuts(ours, theirs))
    assert cuts[0] == (0, 0)
    assert cuts[-1] == (len(source), len(target))
    for (i, j), (i_end, j_end) in pairwise(cuts):
        assert i <= i_end
        assert j <= j_end


def test_long_tokens_are_compared_in_time() -> None:
    """No table of all pairs of their syllables is filled."""
    long = AnalysedToken("0" * 20_000)
    started = time.process_time()
    found = align([long, AnalysedToken("가")], [AnalysedToken(f"{long.form}나")], ALIGNERS["kagas"])
    assert found
    assert time.process_time() - started < 2
