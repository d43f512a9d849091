"""Texts that differ: sentences that lack, are doubled, split, merged, or spelt otherwise."""

from __future__ import annotations

import random
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sejongud.evaluation.pos import TokensMetric, read_text
from sejongud.layers.matching import align_sentences, align_words, replaced_words
from sejongud.layers.subsequence import common_subsequence, same_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.layers.matching import Group

Text = list[list[str]]

USUAL = ("네 .", "아니요 .", "정말 ?", "그래요 .", "네 네 .")


def dialogue(seed: int, size: int) -> Text:
    """A text whose sentences are short and often the same."""
    rng = random.Random(seed)
    return [
        rng.choice(USUAL).split()
        if rng.random() < 0.7
        else [f"말{rng.randrange(size)}", "해요", "."]
        for _ in range(size)
    ]


def essay(seed: int, size: int) -> Text:
    """A text whose sentences all differ."""
    rng = random.Random(seed)
    return [
        [f"{rng.choice('가나다라마바사')}{rng.randrange(300)}" for _ in range(rng.randint(4, 9))]
        + ["."]
        for _ in range(size)
    ]


def counts(gold: Text, system: Text) -> dict[str, dict[str, float]]:
    """True positives and the two errors, of sentences and of tokens."""
    sides = [read_text([" ".join(words) for words in text]) for text in (gold, system)]
    [found] = TokensMetric().measure(*sides)
    return {score.name: dict(score.counts) for score in found.scores}


def size(group: Group) -> int:
    return max(len(group.gold), len(group.system))


def test_a_sentence_that_stands_twice_does_not_put_the_rest_out_of_step() -> None:
    gold = [["정말", "?"], ["네", "."], ["아니요", "."], ["네", "."]]
    assert counts(gold, gold[1:])["Tokens"] == {"tp": 6, "fp": 0, "fn": 2}
    assert counts(gold[1:], gold)["Tokens"] == {"tp": 6, "fp": 2, "fn": 0}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [dialogue, essay])
def test_lacking_sentences_lose_no_other(seed: int, make: Callable[[int, int], Text]) -> None:
    gold = make(seed, 300)
    rng = random.Random(seed)
    system = [words for words in gold if rng.random() >= 0.2]
    tokens = sum(map(len, system))
    found = counts(gold, system)
    assert found["Tokens"] == {"tp": tokens, "fp": 0, "fn": sum(map(len, gold)) - tokens}
    assert found["Sentences"] == {"tp": len(system), "fp": 0, "fn": len(gold) - len(system)}


def test_no_sentence_in_common_and_each_tenth_doubled() -> None:
    gold = essay(1, 400)
    rng = random.Random(1)
    system: Text = []
    for number, words in enumerate(gold):
        at = rng.randrange(len(words))
        changed = [word + "x" * (k == at) for k, word in enumerate(words)]
        system += [changed] * (1 + (number % 10 == 9))
    groups = align_sentences(gold, system)
    assert max(map(size, groups)) <= 2
    assert sum(group.one_to_one for group in groups) >= 360


def test_sentences_that_are_moved_and_doubled_keep_the_rest_in_step() -> None:
    gold = essay(2, 100)
    system = [*gold[:20], gold[60], *gold[20:60], *gold[61:], gold[3]]
    groups = align_sentences(gold, system)
    assert sum(group.match for group in groups) == 99


def test_a_group_is_cut_at_words_that_stand_alone() -> None:
    # No word is the same, but each side has two in two sentences.
    groups = align_sentences([["네"], ["간다"], ["끝"]], [["예"], ["갔다"], ["끝"]])
    assert [group.one_to_one for group in groups] == [True] * 3
    assert [group.match for group in groups] == [False, False, True]


def test_long_texts_are_compared_piece_by_piece() -> None:
    rng = random.Random(1)
    gold = [rng.choice("가나다라마") for _ in range(40_000)]
    system = [word for word in gold if rng.random() >= 0.05]
    pairs = common_subsequence(gold, system)
    assert len(pairs) >= len(system) * 0.99
    assert all(gold[i] == system[j] for i, j in pairs)


def test_a_long_text_and_a_short_one() -> None:
    rng = random.Random(1)
    gold = [rng.choice("가나") for _ in range(200_000)]
    pairs = common_subsequence(gold, gold[-4000:])
    assert len(pairs) == 4000


# --- properties -----------------------------------------------------------------------------------


def texts(*words: str) -> st.SearchStrategy[Text]:
    return st.lists(st.lists(st.sampled_from(words), min_size=1, max_size=4), max_size=8)


sentences = texts("a", "b", "c", "ab", "ba", "가", "나")


@given(sentences, sentences)
def test_a_swap_swaps_the_groups(gold: Text, system: Text) -> None:
    def swapped(groups: list[Group]) -> list[tuple[range, range]]:
        return [(group.system, group.gold) for group in groups]

    def plain(groups: list[Group]) -> list[tuple[range, range]]:
        return [(group.gold, group.system) for group in groups]

    assert plain(align_sentences(gold, system)) == swapped(align_sentences(system, gold))
    ours, theirs = ([word for sentence in side for word in sentence] for side in (gold, system))
    assert plain(align_words(ours, theirs)) == swapped(align_words(theirs, ours))


@given(sentences, sentences)
def test_a_swap_swaps_precision_and_recall(gold: Text, system: Text) -> None:
    for name, found in counts(gold, system).items():
        other = counts(system, gold)[name]
        assert found == {"tp": other["tp"], "fp": other["fn"], "fn": other["fp"]}


@given(texts("a", "b", "c"), st.data())
def test_lacking_sentences_are_the_only_loss(gold: Text, data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(gold), max_size=len(gold)))
    system = [words for words, keep in zip(gold, kept, strict=True) if keep]
    found = counts(gold, system)["Tokens"]
    assert found["tp"] == sum(map(len, system))


@st.composite
def pairs(draw: st.DrawFn, *vocabulary: str) -> tuple[Text, Text]:
    """A text, and the same with sentences dropped, doubled, split and merged and words respelt."""
    gold = draw(texts(*vocabulary))
    system: Text = []
    for number, sentence in enumerate(gold):
        change = draw(
            st.sampled_from(["keep", "keep", "drop", "double", "split", "merge", "spell"])
        )
        if change == "spell":
            at = draw(st.integers(0, len(sentence) - 1))
            sentence = [word + f"{number}" * (k == at) for k, word in enumerate(sentence)]
        if change == "split":
            system += [sentence[:1], sentence[1:]] if len(sentence) > 1 else [sentence]
        elif change == "merge" and system:
            system[-1] = [*system[-1], *sentence]
        else:
            system += [sentence] * {"drop": 0, "double": 2}.get(change, 1)
    return gold, system


def is_one_text(gold: Text, system: Text) -> bool:
    return gold != system and same_text(*map(chain.from_iterable, (gold, system)))


@given(pairs("a", "b", "c"), pairs("x", "y", "z"))
def test_concatenation_adds_the_counts(first: tuple[Text, Text], last: tuple[Text, Text]) -> None:
    # The two parts have no word in common, and a sentence between them that both sides have. One
    # text in two segmentations is left out: it is aligned by offset only where it stands alone.
    assume(not any(is_one_text(*part) for part in (first, last)))
    border = [["end", "of", "file"]]
    one = counts([*first[0], *border], [*first[1], *border])
    other = counts([*border, *last[0]], [*border, *last[1]])
    whole = counts([*first[0], *border, *last[0]], [*first[1], *border, *last[1]])
    for name, found in whole.items():
        in_border = {"tp": 1 if name == "Sentences" else 3, "fp": 0, "fn": 0}
        expected = {key: one[name][key] + other[name][key] - in_border[key] for key in found}
        assert found == expected


@given(texts("a", "b", "c", "d"), st.data())
def test_an_added_error_never_raises_a_count(gold: Text, data: st.DataObject) -> None:
    system = [list(words) for words in gold]
    before = counts(gold, system)
    assert {found["fp"] + found["fn"] for found in before.values()} == {0}
    for number in range(data.draw(st.integers(1, 4))):
        places = [(at, k) for at, words in enumerate(system) for k in range(len(words))]
        if not places:
            break
        at, k = data.draw(st.sampled_from(places))
        # A word that gold does not have takes the place of a word, or the word is lost.
        system[at][k : k + 1] = data.draw(st.sampled_from([[f"x{number}"], []]))
        # A sentence that now equals another one of gold is taken for that one: of aaaa and aaa,
        # the sentences aaa and xaa find 3 words, and xaa and xaa 4.
        assume(system[at] not in gold)
        system = [words for words in system if words]
        after = counts(gold, system)
        assert after["Tokens"]["tp"] <= before["Tokens"]["tp"]
        before = after


@given(texts("a", "b", "c", "d"))
def test_gold_against_itself_is_perfect(gold: Text) -> None:
    assert {found["fp"] + found["fn"] for found in counts(gold, gold).values()} == {0}


@given(texts("a", "b", "c", "ab"), texts("a", "b", "c", "ab"))
def test_replaced_words_are_those_of_the_alignment(gold: Text, system: Text) -> None:
    for ours, theirs in zip(gold, system, strict=False):
        if same_text(ours, theirs) or (places := replaced_words(ours, theirs)) is None:
            continue
        groups = align_words(ours, theirs)
        assert [(group.gold.start, group.match) for group in groups] == [
            (at, at not in places) for at in range(len(ours))
        ]
