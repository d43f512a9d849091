from __future__ import annotations

import pytest

from sejongud.levels.upos import MorphemeUpos, UposScheme, upos_schemes
from sejongud.morphology.notation import Analysis
from sejongud.rules import load

RULES = load()
UD = UposScheme(RULES, "ud")


def upos(scheme: UposScheme, analysis: str, token: str = "") -> str:
    """The UPOS of a word in a token, both written as analyses."""
    parse = Analysis(RULES).parse
    context = scheme.context(parse(token or analysis, "")[0])
    return scheme.of(parse(analysis, "")[0], context)


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        ("가/VV", "VERB"),
        ("좋/VA", "ADJ"),
        ("았/EP", "PART"),
        ("ㄴ/ETM", "PART"),
        ("하/XSV", "PART"),
        ("적/XSN", "PART"),
        ("이/VCP", "AUX"),
        ("의/JKG", "ADP"),
        ("서울/NNG", "NOUN"),
    ],
)
def test_ud_knows_morphemes_that_are_no_words_of_ud(analysis: str, expected: str) -> None:
    assert upos(UD, analysis) == expected


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("공부/NNG+하/XSV", "VERB"),
        ("깨끗/XR+하/XSA", "ADJ"),
        ("학생/NNG+이/VCP", "VERB"),
        ("공부/NNG+하/XSV+았/EP", "VERB"),
    ],
)
def test_ud_knows_stems_that_are_cut_off_from_their_endings(stem: str, expected: str) -> None:
    assert upos(UD, stem) == expected


@pytest.mark.parametrize(
    ("sejong", "kaist"),
    [
        ("프랑스/NNG", "프랑스/ncn"),
        ("프랑스/NNG+의/JKG", "프랑스/ncn+의/jcm"),
        ("가/VV+다/EF", "가/pvg+다/ef"),
        ("가/VV", "가/pvg"),
    ],
)
def test_a_tag_of_kaist_is_its_nearest_sejong_tag(sejong: str, kaist: str) -> None:
    for name in set(upos_schemes(RULES)) - {"morphud"}:
        scheme = UposScheme(RULES, name)
        assert upos(scheme, kaist) == upos(scheme, sejong) != "X"


def test_morphud_has_a_list_of_its_own_for_tags_of_kaist() -> None:
    scheme = UposScheme(RULES, "morphud")
    of_words = MorphemeUpos(RULES, "morphud")
    for tag in RULES.nearest:
        token = f"가/{tag}+나/{tag}"
        assert upos(scheme, f"가/{tag}", token) == of_words.of([tag], "NOUN")[0]
