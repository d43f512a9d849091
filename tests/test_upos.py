from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sejongud.api import read
from sejongud.levels.upos import MorphemeUpos, UposScheme, upos_schemes
from sejongud.morphology.eojeol import Analysis
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

RULES = load()
UD = UposScheme(RULES, "ud-unidive")
GUIDELINES = UposScheme(RULES, "ud")


def upos(scheme: UposScheme, analysis: str, token: str = "") -> str:
    """The UPOS of a word at the beginning of a token, both written as analyses."""
    parse = Analysis(RULES).parse
    word, whole = parse(analysis, "")[0], parse(token or analysis, "")[0]
    return scheme.parts(whole, [(0, len(word)), *([(len(word), len(whole))] if token else [])])[0]


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        # (word by word at level 5, and as one word): the tables of the guidelines.
        ("한국/NNP+에서/JKB", "PROPN ADP = PROPN"),
        ("학생/NNG+이/VCP+다/EF", "NOUN AUX PART = NOUN"),
        ("물론/MAG+이/VCP+죠/EF", "ADV AUX PART = ADV"),
        ("세계/NNG+적/XSN+이/VCP+ㄴ/ETM", "ADJ PART AUX PART = ADJ"),
        ("공부/NNG+하/XSV+았/EP+다/EF", "VERB PART PART PART = VERB"),
        ("공부/NNG+하/XSV+기/ETN+로/JKB", "VERB PART PART ADP = VERB"),
        ("완전/ncps+히/xsa", "ADV PART = ADV"),
        ("좋/VA+아/EC+지/VX+었/EP+다/EF", "VERB PART VERB PART PART = VERB"),
        ("슬프/VA+어/EC+하/VX+ㄴ다/EF", "VERB PART AUX PART = VERB"),
        ("좋/VA+지/EC+않/VX+다/EF", "ADJ PART AUX PART = ADJ"),
        ("재미/NNG+있/VA+는/ETM", "ADJ ADJ PART = ADJ"),
        ("힘/NNG+들/VV+다/EF", "VERB VERB PART = VERB"),
        ("하/VV+ㄹ/ETM+것/NNB+이/VCP+다/EF", "VERB PART NOUN AUX PART = NOUN"),
        ("최/NNP+씨/NNB+가/JKS", "PROPN PROPN ADP = PROPN"),
        ("우리/NP+네/NNB", "PRON PRON = PRON"),
        ("30/SN+대/XSN+의/JKG", "NOUN PART ADP = NOUN"),
        ("31/SN+m/SL", "NUM NOUN = NOUN"),
        ("13/SN+만/NR", "NUM NUM = NUM"),
        ("좋/VA+네/EF+요/JX", "ADJ PART PART = ADJ"),
        ("서울/NNP+요/JX", "PROPN PART = PROPN"),
        ("가/VV+ㄴ다/EF+고/JKQ", "VERB PART SCONJ = VERB"),
        ("하/XSV+았/EP+다/EF", "VERB PART PART = VERB"),
        ("이/VCP+다/EF", "AUX PART = AUX"),
        ("“/SS+행복/NNG+하/XSA+고/EC+,/SP", "PUNCT ADJ PART PART PUNCT = ADJ"),
        ("있/px+다/ef", "AUX PART = AUX"),
        ("보/VX+다/EF", "VERB PART = VERB"),
        ("한/MM+번/NNB", "NUM NOUN = NOUN"),
    ],
)
def test_ud_follows_from_the_morphemes_alone(analysis: str, expected: str) -> None:
    morphemes = Analysis(RULES).parse(analysis, "")[0]
    runs = [(at, at + 1) for at in range(len(morphemes))]
    alone = " ".join(GUIDELINES.parts(morphemes, runs))
    assert f"{alone} = {GUIDELINES.of(morphemes)}" == expected


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        ("있/VX", "AUX"),
        ("주/VX", "VERB"),
        ("아니/VCN", "ADJ"),
        ("그/MMD", "DET"),
        ("새/MM", "ADJ"),
        ("옛/mma", "ADJ"),
        ("여러/mma", "DET"),
        ("모든/MMN", "DET"),
        ("한/MM", "NUM"),
        ("첫/MMN", "ADJ"),
        ("그리고/MAJ", "CCONJ"),
        ("과/JC", "ADP"),
        ("첫째/NR", "NUM"),
        ("KBS/SL", "NOUN"),
        ("韓國/SH", "NOUN"),
        ("언제/NP", "PRON"),
        ("언제/MAG", "ADV"),
        ("그레서/NA", "X"),
    ],
)
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


@pytest.mark.parametrize(
    ("scheme", "least"), [("sejong", 0.92), ("ud-unidive", 0.92), ("ud", 0.94)]
)
def test_upos_of_pud(shared: Path, scheme: str, least: float) -> None:
    """The words of UD_Korean-PUD, by their tags and by the treebank."""
    path = shared / "data" / "ud-korean-pud" / "ko_pud-ud-test.conllu"
    by_tags = UposScheme(RULES, scheme)
    words = [word for sentence in read(path) for word in sentence.words]
    found = [by_tags.of(word.morphemes) for word in words]
    assert found.count("X") / len(words) < 0.02
    same = [upos == word.upos for upos, word in zip(found, words, strict=True)]
    assert sum(same) / len(words) > least


def test_morphud_has_a_list_of_its_own_for_tags_of_kaist() -> None:
    scheme = UposScheme(RULES, "morphud")
    of_words = MorphemeUpos(RULES, "morphud")
    for tag in [row["tag"] for row in RULES.table("kaist-tags")]:
        token = f"가/{tag}+나/{tag}"
        assert upos(scheme, f"가/{tag}", token) == of_words.of([tag], "NOUN")[0]


@pytest.mark.parametrize("name", ["sejong", "table3.1"])
@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        ("공부/NNG+하/XSV+았/EP+다/EF", "VERB"),
        ("공부/NNG+하/XSV", "VERB"),
        ("행복/NNG+하/XSA+게/EC", "ADJ"),
        ("물론/MAG+이/VCP+죠/EF", "VERB"),
        ("잘/MAG+하/XSV+다/EF", "VERB"),
        ("宣言/SH+하/XSV+였/EP+다/EF", "VERB"),
        ("하/XSV+ㅂ니다/EF", "VERB"),
        ("OK/SL+이/VCP+다/EF", "VERB"),
        ("공부/NNG+하/XSV+기/ETN", "NOUN"),
        ("공부/NNG+하/XSV+기/ETN+에/JKB", "NOUN"),
        ("공부/NNG+하/XSV+는/ETM+것/NNB", "NOUN"),
        ("재미/NNG+있/VA+는/ETM", "ADJ"),
        ("세계/NNG+적/XSN+이/VCP+ㄴ/ETM", "VERB"),
        ("KBS/SL+1/SN+TV/SL+가/JKS", "X"),
        ("코로나/NNG+19/SN+로/JKB", "NOUN"),
        ("아이패드/NNP+2/SN+의/JKG", "PROPN"),
        ("3/SN+개/NNB", "NOUN"),
        ("1/SN+%/SW", "NUM"),
        ("공부/ncpa+하/xsv+다/ef", "VERB"),
        ("최/NNP+씨/NNB+가/JKS", "PROPN"),
        ("회원/NNG+최/NNP+씨/NNB", "PROPN"),
        ("최/NNP+회원/NNG+등/NNB", "NOUN"),
        ("우리/NP+네/NNB", "PRON"),
        ("30/SN+대/XSN+의/JKG", "NOUN"),
        ("31/SN+m/SL+는/JX", "NOUN"),
        ("60/SN+여/XSN+m/SL", "NOUN"),
        ("1/SN+천/NR+200/SN+여/XSN", "NOUN"),
        ("13/SN+만/NR+을/JKO", "NUM"),
        ("24/SN+만/NR+5,096/SN", "NUM"),
        ("13/SN+만/NR+원/NNB", "NOUN"),
        ("13/SN+만/NR+이/VCP+다/EF", "VERB"),
    ],
)
def test_derivation_decides_the_upos_of_a_word(name: str, analysis: str, expected: str) -> None:
    assert upos(UposScheme(RULES, name), analysis) == expected


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        ("서울/NNP", "PROPN"),
        ("네/IC", "INTJ"),
        ("😀/SW", "SYM"),
        ("%/SW", "SYM"),
        ("=/SW", "SYM"),
        ("孫權/SH", "X"),
        ("이/MM", "DET"),
        ("새/MMA", "ADJ"),
        ("한/MMN", "NUM"),
        ("만/NR", "NUM"),
        ("하나/NR+가/JKS", "NUM"),
        ("57/SN+./SP+14/SN", "NUM"),
        ("43/SN+./SP+6/SN+∼/SO+50/SN+./SP+6/SN", "NUM"),
        ("3/SN+./SF+5/SN+m/SL", "NOUN"),
        ("세/MMN", "NUM"),
        ("세/MMN+마리/NNB", "NOUN"),
        ("유럽/NNP+여행/NNG+하/XSV+면서/EC", "VERB"),
        ("하나/NR+의/JKG", "NUM"),
        ("하나/NR+로/JKB", "ADV"),
        ("가/VV+ㄴ다/EF+고/JKQ", "VERB"),
        ("성공/NNG+하/XSV+았/EP+다/EF+고/JKQ", "VERB"),
        ("학생/NNG+이/VCP+라/EF+고/JKQ", "VERB"),
        ("좋/VA+다/EF+고/JKQ", "ADJ"),
        ("행복/NNG+하/XSA+다/EF+고/JKQ", "ADJ"),
        ("관통/NNG+하/XSV+지/EC+는/JX", "VERB"),
        ("진행/NNG+되/XSV+었/EP+는지/EC+는/JX", "VERB"),
        ("행복/NNG+하/XSA+면서/EC+도/JX", "ADJ"),
        ("학생/NNG+이/VCP+지/EC+는/JX", "VERB"),
        ("공부/NNG+하/XSV+기/ETN+는/JX", "NOUN"),
        ("13/SN+만/NR", "NUM"),
        ("이/MMD", "DET"),
        ("그레서/NAP", "X"),
        ("있/VX", "AUX"),
        ("않/VX", "AUX"),
        ("하/VX", "AUX"),
        ("싶/VX", "AUX"),
        ("보/VX", "VERB"),
        ("이/VCP+다/EF", "VERB"),
        ("세계/NNG+적/XSN+이/VCP+ㄴ/ETM", "ADJ"),
        ("세계/NNG+적/XSN+이/VCP", "ADJ"),
        # Morphemes that are no words of UD.
        ("가/VV", "VERB"),
        ("좋/VA", "ADJ"),
        ("았/EP", "PART"),
        ("ㄴ/ETM", "PART"),
        ("하/XSV", "PART"),
        ("적/XSN", "PART"),
        ("이/VCP", "AUX"),
        ("의/JKG", "ADP"),
        ("서울/NNG", "NOUN"),
        # Stems that are cut off from their endings.
        ("공부/NNG+하/XSV", "VERB"),
        ("깨끗/XR+하/XSA", "ADJ"),
        ("학생/NNG+이/VCP", "VERB"),
        ("공부/NNG+하/XSV+았/EP", "VERB"),
    ],
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
