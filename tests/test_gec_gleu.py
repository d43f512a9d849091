"""GLEU against its formula, in cases computed apart."""

from __future__ import annotations

import random
from collections import Counter
from math import exp, log
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.gec.edits import Corrections, Edit, Pair
from sejongud.gec.maxmatch import gleu, statistics
from sejongud.gec.scoring import score, whole

if TYPE_CHECKING:
    from collections.abc import Sequence


def gleu_of(source: Sequence[str], system: Sequence[str], *references: Sequence[str]) -> float:
    """Return GLEU of texts, a sentence an item."""
    gold = [whole(Pair(one, tuple(refs))) for one, *refs in zip(source, *references, strict=True)]
    found = [whole(Pair(one, (other,))) for one, other in zip(source, system, strict=True)]
    return score(found, gold, "gleu").scores[0].ratios["gleu"]


def of_texts(source: str, system: str, reference: str) -> list[int]:
    """Return the statistics of a sentence."""
    return statistics(source.split(), system.split(), reference.split()).tolist()


def test_statistics_of_a_sentence() -> None:
    """Of the 1-grams the, cat, on and mat are kept: 4 of 5.

    Of the 2-grams 'the cat' is kept, and 'on mat' is in source and system, not in the reference:
    1 - 1 = 0 of 4. Of the 3-grams and 4-grams none is kept.
    """
    found = of_texts("the cat sit on mat", "the cat sits on mat", "the cat sat on the mat")
    assert found == [5, 6, 4, 5, 0, 4, 0, 3, 0, 2]


def test_an_n_gram_counts_as_often_as_both_have_it() -> None:
    """System a a a b, reference a a c, source a a a d: 2 of 4, less nothing, for a is kept."""
    found = of_texts("a a a d", "a a a b", "a a c")
    # 2-grams: system aa aa ab; reference aa ac: 1 kept; of the source aa is in the reference.
    # 3-grams: system aaa aab, reference aac: none; aaa is the source's alone: 0 - 1, at least 0.
    assert found == [4, 3, 2, 4, 1, 3, 0, 2, 0, 1]


def test_formula() -> None:
    """1-grams 7 of 8, 2-grams 5 of 7, 3-grams 3 of 6, 4-grams 1 of 5; one word shorter."""
    expected = exp(1 - 9 / 8 + (log(7 / 8) + log(5 / 7) + log(3 / 6) + log(1 / 5)) / 4)
    assert gleu([8, 9, 7, 8, 5, 7, 3, 6, 1, 5]) == pytest.approx(expected, abs=1e-12)
    # A longer system is not punished for its length.
    expected = exp((log(7 / 8) + log(5 / 7) + log(3 / 6) + log(1 / 5)) / 4)
    assert gleu([8, 7, 7, 8, 5, 7, 3, 6, 1, 5]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("at", range(10))
def test_a_sum_of_nothing_makes_nothing(at: int) -> None:
    assert gleu([0 if k == at else 5 for k in range(10)]) == 0


def test_text_with_one_reference() -> None:
    """The sums of two sentences: lengths 5 + 6 and 6 + 6; see the first test for the first.

    The second sentence is right: 6 of 6, 5 of 5, 4 of 4, 3 of 3. Its source differs in one word,
    whose n-grams the system has not.
    """
    figure = gleu_of(
        ["the cat sit on mat", "he go to school by bus"],
        ["the cat sits on mat", "he goes to school by bus"],
        ["the cat sat on the mat", "he goes to school by bus"],
    )
    shares = log(10 / 11) + log(5 / 9) + log(4 / 7) + log(3 / 5)
    assert figure == pytest.approx(exp(1 - 12 / 11 + shares / 4), abs=1e-12)


def test_equal_texts() -> None:
    assert gleu_of(["a b c d"], ["a b c e"], ["a b c e"]) == 1
    assert gleu_of(["a b c"], ["a b c"], ["a b c"]) == 0  # there is no 4-gram
    assert gleu_of([], [], []) == 0


def test_several_references() -> None:
    """Draw j takes, with the seed 101 j, a reference for each sentence in order."""
    source = ["나는 어제 학교에 갓다 .", "비가 많이 왓다 어제 .", "그는 밥 먹었다 집에서 ."]
    system = ["나는 어제 학교에 갔다 .", "비가 많이 왔다 어제 .", "그는 밥을 먹었다 집에서 ."]
    references = [
        ["나는 어제 학교에 갔다 .", "어제 비가 많이 왔다 .", "그는 밥을 먹었다 집에서 ."],
        ["어제 나는 학교에 갔다 .", "비가 많이 왔다 어제 .", "그는 집에서 밥을 먹었다 ."],
        source,
    ]
    figures = []
    for j in range(500):
        random.seed(101 * j)
        sums = [0] * 10
        for k in range(3):
            reference = references[random.randint(0, 2)][k]
            sums = [
                a + b for a, b in zip(sums, naive(source[k], system[k], reference), strict=True)
            ]
        figures.append(gleu(sums))
    expected = sum(figures) / 500
    assert 0.3 < expected < 0.9
    assert gleu_of(source, system, *references) == pytest.approx(expected, abs=1e-12)


def test_an_annotator_who_is_lacking_changed_nothing() -> None:
    gold = [
        Corrections(("a", "b", "c", "d"), {0: (Edit(3, 4, "x"),), 1: ()}),
        Corrections(("e", "f", "g", "h"), {0: (Edit(0, 1, "y"),)}),
    ]
    system = [Corrections(one.tokens) for one in gold]
    evaluation = score(system, gold, "gleu")
    assert evaluation.settings["references"] == "2"
    texts = ["a b c d", "e f g h"]
    both = gleu_of(texts, texts, ["a b c x", "y f g h"], texts)
    assert evaluation.scores[0].ratios["gleu"] == pytest.approx(both, abs=1e-12)


def naive(source: str, system: str, reference: str) -> list[int]:
    """Return the statistics by counting lists, written from the formula."""
    h, r, s = (text.split() for text in (system, reference, source))
    found = [len(h), len(r)]
    for n in range(1, 5):
        grams = [[tuple(one[k : k + n]) for k in range(len(one) - n + 1)] for one in (h, r, s)]
        of_h, of_r, of_s = map(Counter, grams)
        kept = sum(min(times, of_r[one]) for one, times in of_h.items())
        wrong = sum(min(times, of_s[one]) for one, times in of_h.items() if not of_r[one])
        found += [max(kept - wrong, 0), max(len(h) + 1 - n, 0)]
    return found


texts = st.lists(st.sampled_from("abc"), max_size=8)


@given(texts, texts, texts)
def test_statistics_are_those_of_the_formula(s: list[str], h: list[str], r: list[str]) -> None:
    case = " ".join(s), " ".join(h), " ".join(r)
    assert of_texts(*case) == naive(*case)
