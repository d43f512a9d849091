from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cases import cases
from corpora import RULES

from sejongud.api import read
from sejongud.levels.upos import MorphemeUpos, UposScheme, upos_schemes
from sejongud.morphology.eojeol import Analysis

if TYPE_CHECKING:
    from pathlib import Path

CASES = cases("upos")

UD = UposScheme(RULES, "ud-unidive")
GUIDELINES = UposScheme(RULES, "ud")


def upos(scheme: UposScheme, analysis: str, token: str = "") -> str:
    """The UPOS of a word at the beginning of a token, both written as analyses."""
    parse = Analysis(RULES).parse
    word, whole = parse(analysis, "")[0], parse(token or analysis, "")[0]
    return scheme.parts(whole, [(0, len(word)), *([(len(word), len(whole))] if token else [])])[0]


@pytest.mark.parametrize(
    ("analysis", "expected"), CASES["test_ud_follows_from_the_morphemes_alone"]
)
def test_ud_follows_from_the_morphemes_alone(analysis: str, expected: str) -> None:
    morphemes = Analysis(RULES).parse(analysis, "")[0]
    runs = [(at, at + 1) for at in range(len(morphemes))]
    alone = " ".join(GUIDELINES.parts(morphemes, runs))
    assert f"{alone} = {GUIDELINES.of(morphemes)}" == expected


@pytest.mark.parametrize(("analysis", "expected"), CASES["test_ud_of_a_morpheme"])
def test_ud_of_a_morpheme(analysis: str, expected: str) -> None:
    assert upos(GUIDELINES, analysis) == expected


@pytest.mark.parametrize(
    ("sejong", "kaist"),
    [
        ("프랑스/NNG", "프랑스/ncn"),
        ("프랑스/NNG+의/JKG", "프랑스/ncn+의/jcm"),
        ("가/VV+다/EF", "가/pvg+다/ef"),
        ("가/VV", "가/pvg"),
        ("1990/SN", "1990/nnc"),
        ("구매/NNG+를/JKO", "구매/NNC+를/PCA"),
        ("구매/NNG+를/JKO", "구매/NN+를/CM"),
        ("않다/VX", "않다/JX"),
        ("않다/VX+고/JKQ", "않다/JX+고/QP"),
        ("짓/VV+어/EC", "짓/VV-I+어/EC"),
    ],
)
def test_a_tag_of_another_set_is_its_sejong_tag(sejong: str, kaist: str) -> None:
    for name in set(upos_schemes(RULES)) - {"morphud"}:
        scheme = UposScheme(RULES, name)
        assert upos(scheme, kaist) == upos(scheme, sejong) != "X"


def test_the_negative_copula_is_no_punctuation() -> None:
    """In UD Korean GSD the copula alone (이다) is PUNCT, behind quotation marks."""
    assert upos(UposScheme(RULES, "ud-gsd"), "아니/VCN+었/EP+다/EF") == "ADJ"
    assert upos(UposScheme(RULES, "ud-gsd"), "이/VCP+다/EF") == "PUNCT"


def test_upos_of_pud(shared: Path) -> None:
    """The words of UD_Korean-PUD, by their tags and by the treebank."""
    path = shared / "data" / "ud-korean-pud" / "ko_pud-ud-test.conllu"
    words = [word for sentence in read(path) for word in sentence.words]
    for scheme, least in (("sejong", 0.92), ("ud-unidive", 0.92), ("ud", 0.94)):
        by_tags = UposScheme(RULES, scheme)
        found = [by_tags.of(word.morphemes) for word in words]
        assert found.count("X") / len(words) < 0.02
        same = [upos == word.upos for upos, word in zip(found, words, strict=True)]
        assert sum(same) / len(words) > least, scheme


def test_morphud_has_a_list_of_its_own_for_tags_of_kaist() -> None:
    scheme = UposScheme(RULES, "morphud")
    of_words = MorphemeUpos(RULES, "morphud")
    for tag in [row["tag"] for row in RULES.table("kaist-tags")]:
        token = f"가/{tag}+나/{tag}"
        assert upos(scheme, f"가/{tag}", token) == of_words.of([tag], "NOUN")[0]


@pytest.mark.parametrize("name", ["sejong", "table3.1"])
@pytest.mark.parametrize(
    ("analysis", "expected"), CASES["test_derivation_decides_the_upos_of_a_word-2"]
)
def test_derivation_decides_the_upos_of_a_word(name: str, analysis: str, expected: str) -> None:
    assert upos(UposScheme(RULES, name), analysis) == expected


@pytest.mark.parametrize(
    ("analysis", "expected"), CASES["test_ud_follows_the_guidelines_and_k_unidive"]
)
def test_ud_follows_the_guidelines_and_k_unidive(analysis: str, expected: str) -> None:
    assert upos(UD, analysis) == expected


@pytest.mark.parametrize("name", ["ud", "ud-unidive", "ud-gsd", "ud-ksl", "ud-kaist"])
def test_a_tag_of_nikl_is_its_nearest_sejong_tag(name: str) -> None:
    scheme = UposScheme(RULES, name)
    for form, tag, nearest in (("한", "MMN", "MM"), ("이", "MMD", "MM"), ("새", "MMA", "MM")):
        assert upos(scheme, f"{form}/{tag}") == upos(scheme, f"{form}/{nearest}")


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [("가/pvg+고/ecc", "CCONJ"), ("하/pvg+어/ecs", "SCONJ"), ("집/ncn+에/jca", "ADV")],
)
def test_ud_kaist_knows_the_tags_of_kaist(analysis: str, expected: str) -> None:
    assert upos(UposScheme(RULES, "ud-kaist"), analysis) == expected


def test_a_stem_in_kaist_tags_is_looked_up_with_an_ending_of_kaist() -> None:
    scheme = UposScheme(RULES, "ud-kaist")
    assert upos(scheme, "공부/ncpa+하/xsv") == "VERB"


@pytest.mark.parametrize("name", ["ud", "ud-unidive", "ud-gsd", "ud-ksl", "ud-kaist"])
@pytest.mark.parametrize(
    ("joined", "word"),
    [
        ("발견/NNG+하/XSV+였/EP+다/EF+./SF", "발견/NNG+하/XSV+였/EP+다/EF"),
        ("“/SS+행복/NNG+하/XSA+고/EC+,/SP", "행복/NNG+하/XSA+고/EC"),
        ("완벽/NNG+하/XSA+였/EP+네/EF+요/JX+!/SF+!/SF", "완벽/NNG+하/XSA+였/EP+네/EF"),
        ("날/NNG+들/XSN+…/SE", "날/NNG+들/XSN"),
    ],
)
def test_symbols_around_a_word_and_its_polite_particle_do_not_change_it(
    name: str, joined: str, word: str
) -> None:
    scheme = UposScheme(RULES, name)
    assert upos(scheme, joined) == upos(scheme, word)
    assert upos(UD, "./SF") == upos(UD, "?/SF+!/SF") == "PUNCT"


def test_the_particle_of_a_noun_is_no_polite_one() -> None:
    assert upos(UD, "서울/NNP+은/JX") == "PROPN"
    assert upos(UD, "가/VV+았/EP+네/EF+요/JX") == "VERB"
