from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import UsageError
from sejongud.layers.matching import Group, align_sentences, align_words, count_common, pair_words
from sejongud.layers.subsequence import Likeness, Similarity, load_likeness, same_text

JARO = Likeness(similarity="jaro")
ENGLISH = load_likeness(["en", "*"])


def shape(groups: list[Group]) -> list[tuple[int, int]]:
    return [(len(group.gold), len(group.system)) for group in groups]


def split(*lines: str) -> list[list[str]]:
    return [line.split() for line in lines]


def covers(groups: list[Group], gold: int, system: int) -> bool:
    return (
        [i for group in groups for i in group.gold] == list(range(gold))
        and [j for group in groups for j in group.system] == list(range(system))
        and all(group.gold or group.system for group in groups)
        and all(shape([group]) == [(1, 1)] for group in groups if group.match)
    )


# --- the papers' examples (jp-evalb, Section 3 and Figure 1; jp-preprocessing) --------------------


def test_contractions_with_and_without_the_exception_list() -> None:
    gold, system = ["This", "ca", "n't", "be", "right"], ["this", "can", "not", "be", "right"]
    groups = align_words(gold, system, ENGLISH)
    assert shape(groups) == [(1, 1)] * 5
    assert len(pair_words(gold, system, groups, ENGLISH)) == 5
    groups = align_words(gold, system)
    assert shape(groups) == [(1, 1), (2, 2), (1, 1), (1, 1)]
    assert pair_words(gold, system, groups) == [(0, 0), (3, 3), (4, 4)]


def test_morphemes_that_are_no_inverse_of_concatenation() -> None:
    gold, system = ["B", "H", "CL", "FL", "HM", "H", "NEIM"], ["B", "CL", "FL", "HM", "HNEIM"]
    groups = align_words(gold, system)
    assert shape(groups) == [(1, 1), (2, 1), (1, 1), (1, 1), (2, 1)]
    assert pair_words(gold, system, groups) == [(0, 0), (2, 1), (3, 2), (4, 3)]


def test_a_split_sentence() -> None:
    gold = split("Click here To view it .", "He makes some good observations .")
    system = split("Click here", "To view it .", "He makes some good observations .")
    assert shape(align_sentences(gold, system)) == [(1, 2), (1, 1)]


# --- words ---------------------------------------------------------------------------------------


def test_a_word_that_is_not_there() -> None:
    gold, system = ["하나", "둘", "셋", "넷"], ["하나", "셋", "넷"]
    groups = align_words(gold, system)
    assert covers(groups, 4, 3)
    assert pair_words(gold, system, groups) == [(0, 0), (2, 1), (3, 2)]


def test_repeated_words_of_a_group_are_counted_as_often_as_both_have_them() -> None:
    gold, system = ["x", "a", "a", "b"], ["y", "b", "a", "z", "a", "a"]
    pairs = pair_words(gold, system, [Group(range(4), range(6), False)])
    assert pairs == [(1, 2), (2, 4), (3, 1)]


def test_in_one_text_only_the_place_counts() -> None:
    # The words ab and a are on both sides, at other places.
    gold, system = ["ab", "a", "c"], ["a", "b", "ac"]
    assert pair_words(gold, system, align_words(gold, system)) == []
    gold, system = ["ab", "a"], ["a", "ba"]
    assert count_common(gold, system) == 0


def test_case_normalisation_and_spaces_are_no_difference() -> None:
    assert same_text(["Cafe\u0301", "1 000"], ["CAFÉ", "1000"])
    assert not same_text(["Cafe"], ["Café"])
    assert shape(align_words(["각", "나"], ["\u1100\u1161", "\u11a8나"])) == [(2, 2)]
    assert count_common(["한국", "의"], ["\u1112\u1161\u11ab국", "의"]) == 2


def test_exceptions_of_no_language() -> None:
    with pytest.raises(UsageError, match="tlh"):
        load_likeness(["tlh"])


# --- sentences -----------------------------------------------------------------------------------

LINES = [
    "아침 에 비 가 왔다 .",
    "우산 을 두고 나왔다 .",
    "버스 는 늦게 도착 했다 .",
    "신발 이 다 젖었다 .",
    "저녁 에는 해 가 났다 .",
    "내일 은 맑을 것 이라고 한다 .",
]


def test_a_typo_in_the_last_sentence() -> None:
    gold = split(*LINES)
    system = [*gold[:-1], ["내일", "은", "맑은", "것", "이라고", "한다", "."]]
    groups = align_sentences(gold, system)
    assert shape(groups) == [(1, 1)] * 6
    assert groups[-1].match


def test_a_mismatch_that_lasts_to_the_end() -> None:
    gold = split("같은 문장 .", "전혀 다른 것", "또 하나")
    system = split("같은 문장 .", "무관한 말 이 길게 이어진다")
    groups = align_sentences(gold, system)
    assert groups[0].match
    assert covers(groups, 3, 2)
    assert not any(group.match for group in groups[1:])


@pytest.mark.parametrize("at", range(6))
def test_a_missing_sentence(at: int) -> None:
    gold = split(*LINES)
    system = gold[:at] + gold[at + 1 :]
    groups = align_sentences(gold, system)
    assert covers(groups, 6, 5)
    assert sum(group.match for group in groups) == 5


def test_missing_sentences_do_not_put_the_rest_out_of_step() -> None:
    gold = [[f"낱말{n}", f"다른{n * n}", "."] for n in range(200)]
    system = gold[:50] + gold[70:120] + [["덧붙은", "것"]] * 3 + gold[120:]
    groups = align_sentences(gold, system)
    assert covers(groups, 200, 183)
    assert sum(group.match for group in groups) == 180


def test_sentences_moved_to_another_place_stay_a_mismatch() -> None:
    a, b, c = split("가 나 다 라", "마 바 사 아", "자 차 카 타")
    groups = align_sentences([a, b, c], [c, a, b])
    assert covers(groups, 3, 3)
    assert sum(group.match for group in groups) == 2


@pytest.mark.parametrize(
    ("gold", "system", "shapes"),
    [
        # Of sentences that cross, the same one is a match after a swap of the sides.
        (["나", "가"], ["가", "나"], [(0, 1), (1, 1), (1, 0)]),
        (["가", "나"], ["나", "가"], [(1, 0), (1, 1), (0, 1)]),
        # A sentence that stands twice on one side is a match where the group before it ends.
        (["가", "라 라", "가"], ["나", "가", "다"], [(0, 1), (1, 1), (2, 1)]),
        (
            ["다", "나", "라", "라"],
            ["라", "라", "가 가", "가", "라"],
            [(2, 1), (1, 1), (0, 1), (0, 1), (1, 1)],
        ),
    ],
)
def test_sentences_that_cross_or_stand_twice(
    gold: list[str], system: list[str], shapes: list[tuple[int, int]]
) -> None:
    groups = align_sentences(split(*gold), split(*system))
    assert shape(groups) == shapes
    assert [group.match for group in groups] == [each == (1, 1) for each in shapes]


def test_one_side_is_empty() -> None:
    assert align_sentences([], []) == []
    assert align_sentences([["가"]], []) == [Group(range(1), range(0), False)]
    assert align_words(["", ""], []) == [Group(range(2), range(0), False)]
    # Sentences that a side lost are sentences of their own, also where they are neighbours.
    assert align_sentences([], [["가"], ["나"]]) == [
        Group(range(0), range(1), False),
        Group(range(0), range(1, 2), False),
    ]
    gold = split("가 나", "다 라", "마 바", "사 아")
    for kept in ([0, 3], [0, 2], [1, 2]):
        assert len(align_sentences(gold, [gold[i] for i in kept])) == 4
    assert align_words([], ["가"]) == [Group(range(0), range(1), False)]


def test_sentences_without_words_belong_to_the_one_before() -> None:
    groups = align_sentences([["가"], [], ["나"]], [["가"], ["나"]])
    assert shape(groups) == [(2, 1), (1, 1)]


def test_the_two_similarities() -> None:
    # One edit in ten characters is too many for `edit`, one in eleven is not. Jaro of the ten is
    # (0.9 + 0.9 + 1) / 3, and the affixes of four characters each bring it above 0.9.
    ten, eleven = ["가나다라마바사아자차"], ["가나다라마바사아자차카"]
    ten_off, eleven_off = ["가나다라마하사아자차"], ["가나다라마하사아자차카"]
    assert not align_sentences([ten], [ten_off])[0].match
    assert align_sentences([eleven], [eleven_off])[0].match
    assert align_sentences([ten], [ten_off], JARO)[0].match
    assert not align_sentences([["가나다라"]], [["마바사라"]], JARO)[0].match


def test_a_similar_pair_needs_a_neighbour_that_is_alike() -> None:
    gold = [["가나다라마바사아자차카"], ["끝"]]
    system = [["가나다라마바사아자차타"], ["전혀", "다른", "말"]]
    assert not align_sentences(gold, system)[0].match


def test_no_limit_of_size() -> None:
    gold = [[f"가{n}"] for n in range(20_000)]
    system = [[f"나{n}", "더"] for n in range(15_000)]
    assert covers(align_sentences(gold, system), 20_000, 15_000)


# --- properties ----------------------------------------------------------------------------------

words = st.text("abAB가나 ", min_size=1, max_size=3).filter(str.strip)
sentences = st.lists(st.lists(words, min_size=1, max_size=4), max_size=8)


@given(sentences, sentences)
def test_groups_cover_both_sides_in_order(gold: list[list[str]], system: list[list[str]]) -> None:
    for similarity in get_args(Similarity):
        groups = align_sentences(gold, system, Likeness(similarity=similarity))
        assert covers(groups, len(gold), len(system))
    ours, theirs = ([word for sentence in side for word in sentence] for side in (gold, system))
    groups = align_words(ours, theirs)
    assert covers(groups, len(ours), len(theirs))
    pairs = pair_words(ours, theirs, groups)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert count_common(ours, theirs) == len(pairs)


@given(sentences)
def test_a_text_is_aligned_with_itself(text: list[list[str]]) -> None:
    assert all(group.match for group in align_sentences(text, text))
    for sentence in text:
        assert all(group.match for group in align_words(sentence, sentence))


@given(st.text("ab", min_size=1, max_size=30), st.data())
def test_in_one_text_true_positives_are_equal_spans(text: str, data: st.DataObject) -> None:
    def cut() -> list[str]:
        cuts = data.draw(st.sets(st.integers(1, len(text)), max_size=8))
        borders = [0, *sorted(cuts - {len(text)}), len(text)]
        return [text[a:b] for a, b in pairwise(borders)]

    def spans(pieces: list[str]) -> set[tuple[int, int]]:
        ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
        return {(end - len(piece), end) for end, piece in zip(ends, pieces, strict=True)}

    gold, system = cut(), cut()
    expected = len(spans(gold) & spans(system))
    assert count_common(gold, system) == expected
    groups = align_words(gold, system)
    assert sum(group.match for group in groups) == expected
    groups = align_sentences([[piece] for piece in gold], [[piece] for piece in system])
    assert sum(group.match for group in groups) == expected
