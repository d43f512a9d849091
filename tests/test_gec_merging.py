"""Merging of operations into edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.gec.alignment import ALIGNERS, Operation, align
from sejongud.gec.edits import AnalysedToken, Edit, applied
from sejongud.gec.merging import MERGES, merge

TAGS = st.sampled_from(["NOUN", "VERB", "AUX", "DET", "PUNCT", ""])
TOKENS = st.builds(
    AnalysedToken,
    st.sampled_from(["할", "수", "할수", "있다", "수있다", "a", "A", "aB", "a-b", ".", "'s"]),
    st.sampled_from(["할", "a"]),
    TAGS,
    st.sampled_from(["NN", "POS"]),
)
SENTENCES = st.lists(TOKENS, max_size=8)


def tokens(text: str) -> list[AnalysedToken]:
    """Return the tokens of a text such as `cat/NOUN 's/PART/POS`."""
    parts = [(*cell.split("/"), "", "")[:3] for cell in text.split()]
    return [AnalysedToken(form, form.lower(), upos, xpos) for form, upos, xpos in parts]


def merged(source: str, target: str, how: str, scheme: str = "kagas") -> list[str]:
    ours, theirs = tokens(source), tokens(target)
    changes = merge(align(ours, theirs, ALIGNERS[scheme]), ours, theirs, how)
    return [
        f"{op.kind} {op.start}:{op.end}"
        f" {' '.join(token.form for token in theirs[op.c_start : op.c_end])}".rstrip()
        for op in changes
    ]


@given(SENTENCES, SENTENCES, st.sampled_from(sorted(MERGES)), st.sampled_from(sorted(ALIGNERS)))
def test_changes_applied_to_the_source_are_the_target(
    source: list[AnalysedToken], target: list[AnalysedToken], how: str, scheme: str
) -> None:
    for aligner in (ALIGNERS[scheme], ALIGNERS[scheme].plain()):
        changes = merge(align(source, target, aligner), source, target, how)
        forms = [token.form for token in target]
        edits = [
            Edit(op.start, op.end, " ".join(forms[op.c_start : op.c_end]), op.kind)
            for op in changes
        ]
        assert applied([token.form for token in source], edits) == tuple(forms)
        assert [edit[:2] for edit in edits] == sorted(edit[:2] for edit in edits)
        assert not any(op.kind == "M" for op in changes)
        assert [op.c_start for op in changes] == sorted(op.c_start for op in changes)


@given(SENTENCES, SENTENCES)
def test_a_sentence_has_no_change_against_itself(
    source: list[AnalysedToken], target: list[AnalysedToken]
) -> None:
    for how in MERGES:
        assert merge(align(source, source, ALIGNERS["kagas"]), source, source, how) == []


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("all-split", ["I 0:0 할", "I 0:0 수", "S 0:1 있다", "D 2:3"]),
        ("all-merge", ["WS 0:1 할 수 있다", "D 2:3"]),
        ("all-equal", ["I 0:0 할 수", "S 0:1 있다", "D 2:3"]),
        ("spaces", ["WS 0:1 할 수 있다", "D 2:3"]),
        ("published", ["WS 0:1 할 수 있다", "D 2:3"]),
    ],
)
def test_ways_of_merging(how: str, expected: list[str]) -> None:
    assert merged("할수있다 정말 .", "할 수 있다 정말", how) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # The published program merges two or three operations only.
        ("나 는 간 다", "나는간다", ["WS 0:4 나는간다"]),
        ("나는간다", "나 는 간 다", ["WS 0:1 나 는 간 다"]),
        # Two changes of spaces next to each other are two edits: the shortest stretch.
        # (Without analyses 어 is aligned with 수업할, so that here no shorter one is there.)
        ("한국 어 수업할때", "한국어 수업할 때", ["WS 0:3 한국어 수업할 때"]),
        ("이 번 토요일에 는", "이번 토요일에는", ["WS 0:2 이번", "WS 2:4 토요일에는"]),
        ("나 는 새책 을", "나는 책을", ["WS 0:2 나는", "D 2:3", "S 3:4 책을"]),
    ],
)
def test_spaces_merge_the_shortest_stretch(source: str, target: str, expected: list[str]) -> None:
    assert merged(source, target, "spaces") == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("시잔 해요", "시작해요", ["S 0:2 시작해요"]),
        ("오빠들 처름 컴퓨타 산다", "오빠들처럼 컴퓨터 산다", ["S 0:2 오빠들처럼", "S 2:3 컴퓨터"]),
        ("안됍니다", "안 됩니다", ["S 0:1 안 됩니다"]),
        ("나 는 시잔 해요", "나는 시작해요", ["WS 0:2 나는", "S 2:4 시작해요"]),
        # What is inserted has no part in the replacement, whose sides are alike by themselves.
        ("배우들을 본다", "남자 배우들은 본다", ["I 0:0 남자", "S 0:1 배우들은"]),
        ("깨끗하요", "깨끗해요 .", ["S 0:1 깨끗해요", "I 1:1 ."]),
    ],
)
def test_words_left_over_beside_a_replacement_belong_to_it(
    source: str, target: str, expected: list[str]
) -> None:
    assert merged(source, target, "alike") == expected


def test_published_merging_reaches_over_matches() -> None:
    source, target = "가 나 다 라", "가나 다라"
    assert merged(source, target, "published") == ["WS 0:2 가나", "WS 2:4 다라"]
    operations = [
        Operation("D", 0, 1, 0, 0),
        Operation("M", 1, 2, 0, 1),
        Operation("I", 2, 2, 1, 2),
    ]
    same = tokens("x x"), tokens("x x")
    assert merge(operations, *same, "published") == [Operation("WS", 0, 2, 0, 2)]
    assert merge(operations, *same, "spaces") == [operations[0], operations[2]]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # 1 and 2
        ("friends/NOUN", "friend/NOUN 's/PART/POS", ["S 0:1 friend 's"]),
        # 3a
        ("Cat/NOUN", "The/DET big/ADJ cat/NOUN", ["S 0:1 The big cat"]),
        # 3b
        (",/PUNCT we/PRON", "./PUNCT We/PRON", ["S 0:2 . We"]),
        # 4
        ("sub/NOUN -/PUNCT way/NOUN", "subway/NOUN", ["S 0:3 subway"]),
        # 5
        ("to/PART eat/VERB", "eating/VERB", ["S 0:2 eating"]),
        # 7
        ("in/ADP", "of/ADP the/DET", ["S 0:1 of", "I 1:1 the"]),
    ],
)
def test_rules_of_errant(source: str, target: str, expected: list[str]) -> None:
    assert merged(source, target, "rules", "errant") == expected


def test_a_long_run_is_divided_in_quadratic_time() -> None:
    """Every pair of these operations is a cut, so each cut leaves a run that is shorter by one."""
    source = [AnalysedToken(f"a{k}", upos="ADP") for k in range(400)]
    target = [AnalysedToken(f"{k}b", upos="X") for k in range(400)]
    operations = [Operation("S", k, k + 1, k, k + 1) for k in range(400)]
    assert merge(operations, source, target, "rules") == operations
