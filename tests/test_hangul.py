from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.morphology.hangul import (
    CODAS,
    LEADS,
    VOWELS,
    compose,
    compose_jamo,
    decompose,
    is_syllable,
    to_compatibility,
)

SYLLABLES = st.characters(min_codepoint=ord("가"), max_codepoint=ord("힣"))


@pytest.mark.parametrize(
    ("syllable", "jamo"),
    [
        ("가", ("ㄱ", "ㅏ", "")),
        ("각", ("ㄱ", "ㅏ", "ㄱ")),
        ("닭", ("ㄷ", "ㅏ", "ㄺ")),
        ("쀍", ("ㅃ", "ㅞ", "ㄺ")),
        ("힣", ("ㅎ", "ㅣ", "ㅎ")),
    ],
)
def test_decompose_by_hand(syllable: str, jamo: tuple[str, str, str]) -> None:
    assert decompose(syllable) == jamo


@given(SYLLABLES)
def test_compose_undoes_decompose(syllable: str) -> None:
    assert compose(*decompose(syllable)) == syllable


@given(st.sampled_from(LEADS), st.sampled_from(VOWELS), st.sampled_from(CODAS))
def test_decompose_undoes_compose(lead: str, vowel: str, coda: str) -> None:
    assert decompose(compose(lead, vowel, coda)) == (lead, vowel, coda)


@given(SYLLABLES)
def test_decompose_agrees_with_unicode(syllable: str) -> None:
    jamo = unicodedata.normalize("NFD", syllable)
    assert tuple(map(to_compatibility, jamo)) == tuple(filter(None, decompose(syllable)))


@given(SYLLABLES)
def test_a_syllable_of_jamo_stays_whole(syllable: str) -> None:
    jamo = unicodedata.normalize("NFD", syllable)
    assert to_compatibility(f"가{jamo}") == f"가{jamo}"
    assert to_compatibility("ᄒᆞᆫ글") == "ᄒᆞᆫ글"


@given(st.text(SYLLABLES | st.sampled_from("ㄴa é") | st.sampled_from("\u119e\u11eb")))
def test_compose_jamo_undoes_decomposition(text: str) -> None:
    parts = [unicodedata.normalize("NFD", char) if is_syllable(char) else char for char in text]
    composed, places = compose_jamo("".join(parts))
    assert composed == text
    assert [end - begin for begin, end in pairwise(places)] == [len(part) for part in parts]


@pytest.mark.parametrize("text", ["\u11ab", "가\u11ab", "\u1100", "\u1100ㅏ", "e\u0301\u1161"])
def test_what_is_no_syllable_is_not_composed(text: str) -> None:
    assert compose_jamo(text) == (text, [*range(len(text) + 1)])


@pytest.mark.parametrize("text", ["", "ㄱ", "ㅏ", "a", "\u1100", "가나", "豈", "\ud7a4"])
def test_decompose_refuses_what_is_no_syllable(text: str) -> None:
    assert not is_syllable(text)
    with pytest.raises(ValueError, match="not one Hangul syllable"):
        decompose(text)


@pytest.mark.parametrize(
    "jamo", [("ㅏ", "ㄱ", ""), ("ㄱ", "ㄱ", ""), ("ㄱ", "ㅏ", "ㅃ"), ("", "ㅏ", "")]
)
def test_compose_refuses_a_jamo_out_of_place(jamo: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match="not in"):
        compose(*jamo)


@pytest.mark.parametrize(
    ("conjoining", "compatibility"),
    [
        ("\u11ab", "ㄴ"),
        ("\u1102", "ㄴ"),
        ("\u1162", "ㅐ"),
        ("\u11b9", "ㅄ"),
        ("가\u11ab", "가ㄴ"),
        ("가\u11f0", "가\u11f0"),
        ("\u119e", "ㆍ"),
        ("\u111d", "ㅱ"),
        ("\u110f\u110f", "ㅋㅋ"),
    ],
)
def test_to_compatibility(conjoining: str, compatibility: str) -> None:
    assert to_compatibility(conjoining) == compatibility


@given(st.text())
def test_to_compatibility_keeps_the_length_and_is_done_once(text: str) -> None:
    once = to_compatibility(text)
    assert len(once) == len(text)
    assert to_compatibility(once) == once


@given(st.text(st.characters(max_codepoint=0x10FF)) | st.text(st.characters(min_codepoint=0x1200)))
def test_to_compatibility_leaves_everything_else(text: str) -> None:
    assert to_compatibility(text) == text
