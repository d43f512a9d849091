"""Particles behind text that is no Hangul, and stems that Kiwi joins by their tags."""

from __future__ import annotations

import pytest

import sejongud
from sejongud.morphology.eojeol import Analysis
from sejongud.morphology.generation import Generator
from sejongud.morphology.readings import Readings
from sejongud.rules import load

PARTICLES = """\
digit     0은 1은 2는 3은 4는 5는 6은 7은 8은 9는 10이
digit     21이 32가 43이 54가 65가 76이 87이 98이 2019가 1,000을 3.5를
digit     100과 205와 10으로 1로 7로 8로 2로 3으로 ６은 9로서 1로부터 10으로부터
letters   LG가 KBS는 PEG는 SL은 PDR은 UN은 FM이 IMF는 AI가 PC를 CEO와
letters   L은 R이 M을 N과 A는 URL로 TV로 VIP로 EU라고 SL이라고
words     google을 single은 team이 Japan은 king이 game은 phone을 cup은
words     cat이 book을 web을 rock은 idea는 salsa가 Steve는
units     5kg은 30g을 2t이 3km는 20m가 7cm를 9mm와 2L는 5ml가
units     60Hz를 8GB가 3MB는 10dB은 4kW는 ５㎏은 ６㎞는 10dB로 3kg으로
symbols   100%를 50%가 30℃는 9㎡를 5$는 α는 β가 Ⅲ은 Ⅱ는 Ⅶ로 ①이 ②가
quotes    '책'이 '나무'가 "물"로 ‘집’은 “비”는 「달」을 『해』를 《길》로 'LG'가
brackets  삼성(주)은 나무(木)가 책(冊)이 회사(A)는 (주)는 [집]은 물(H2O)로 엘지(LG)는
hanja     韓國은 學校는 木이 山과 水와 雨가 佛로 家로 國으로 日本은
"""
STEMS = """\
지어 짓/VV+어/EC
나아 낫/VV+아/EC
들어 듣/VV+어/EC
물어 묻/VV+어/EC
도와 돕/VV+아/EC
주워 줍/VV+어/EC
어려움 어렵/VA+ㅁ/ETN
누레 누렇/VA+어/EC
몰라 모르/VV+아/EC
이르러 이르/VV+어/EC
써 쓰/VV+어/EC
퍼 푸/VV+어/EC
"""
CASES = [
    (kind, surface)
    for kind, *surfaces in map(str.split, PARTICLES.splitlines())
    for surface in surfaces
]
PAIRS = [("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("이라고", "라고")]
PAIRS += [(f"으로{rest}", f"로{rest}") for rest in ("부터", "서", "")]


@pytest.fixture(scope="module")
def readings() -> Readings:
    return Readings(load())


def divided(surface: str) -> tuple[str, str, str]:
    """Return the text before a particle, and both forms of the particle, the right one first."""
    for pair in PAIRS:
        for form, other in (pair, pair[::-1]):
            if surface.endswith(form):
                return surface.removesuffix(form), form, other
    raise AssertionError(surface)


def test_a_particle_fits_the_reading(readings: Readings) -> None:
    for kind, surface in CASES:
        text, right, wrong = divided(surface)
        tag = {"은": "JX", "는": "JX", "이": "JKS", "가": "JKS", "을": "JKO", "를": "JKO"}.get(
            right, "JC" if right in "과와" else "JKQ" if right.endswith("라고") else "JKB"
        )
        for given in (right, wrong):
            found = readings.fitted([(text, "SL"), (given, tag)])
            assert found == [(text, "SL"), (right, tag)], kind


@pytest.mark.parametrize(
    ("surface", "analysis"),
    [
        ("PEG는", "PEG/SL+은/JX"), ("2가", "2/SN+이/JKS"), ("100%를", "100/SN+%/SW+을/JKO"),
        ("'책'이", "'/SS+책/NNG+'/SS+가/JKS"), ("삼성(주)은", "삼성/NNP+(/SS+주/NNG+)/SS+는/JX"),
        ("10으로", "10/SN+로/JKB"), ("韓國은", "韓國/SH+는/JX"), ("…는", "…/SE+는/JX"),
        *[tuple(line.split()) for line in STEMS.splitlines()],
    ],
)  # fmt: skip
def test_surfaces(surface: str, analysis: str) -> None:
    assert sejongud.surface(analysis) == surface
    [sentence] = sejongud.loads(f"{surface}\t{analysis}\n")
    assert not sentence.eojeols[0].notes


def test_a_bracket_over_several_eojeols_is_read_before_it() -> None:
    parse = Analysis(load()).parse
    eojeols = [parse(text, "")[0] for text in ("홈스타/NNP", "(/SS", "02-1/SN+)/SS+과/JC")]
    assert Generator(load()).surfaces(eojeols)[-1] == "02-1)와"
