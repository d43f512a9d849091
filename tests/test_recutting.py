from __future__ import annotations

import pytest

from sejongud.errors import FormatError
from sejongud.layers.places import Recutter, places
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

ASSEMBLER = Assembler(load())
RECUTTER = Recutter(ASSEMBLER)


def recut(lines: list[str], forms: list[str]) -> list[str]:
    made = RECUTTER.recut(tuple(ASSEMBLER[line] for line in lines), forms)
    assert [eojeol.form for eojeol in made] == forms
    return ["+".join(f"{m.form}/{m.tag}" for m in eojeol.morphemes) for eojeol in made]


def test_the_same_eojeols_stay_the_same() -> None:
    eojeols = (ASSEMBLER["옷이\t옷/NNG+이/JKS"],)
    assert RECUTTER.recut(eojeols, ["옷이"]) is eojeols


@pytest.mark.parametrize(
    ("lines", "forms", "wanted"),
    [
        (["왔다.\t오/VV+았/EP+다/EF+./SF"], ["왔다", "."], ["오/VV+았/EP+다/EF", "./SF"]),
        (["왔다\t오/VV+았/EP+다/EF", ".\t./SF"], ["왔다."], ["오/VV+았/EP+다/EF+./SF"]),
        (["CJ와\tcj/SL+와/JC"], ["cj", "와"], ["cj/SL", "와/JC"]),
        (["“옷”\t“/SS+옷/NNG+”/SS"], ['"', "옷", '"'], ["“/SS", "옷/NNG", "”/SS"]),
        (["학교다\t학교/NNG+(이)/VCP+다/EF"], ["학교", "다"], ["학교/NNG+이/VCP", "다/EF"]),
    ],
)
def test_morphemes_go_where_their_characters_are(
    lines: list[str], forms: list[str], wanted: list[str]
) -> None:
    assert recut(lines, forms) == wanted


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        (["옷", "이다"], "another text"),
        (["옷이다"], "another text"),
        (["바", "지"], "바 ends inside"),
    ],
)
def test_what_does_not_fit(forms: list[str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        recut(["바지\t바지/NNG"], forms)


@pytest.mark.parametrize(
    ("text", "forms", "wanted"),
    [
        ("나는 간다", ["나는", "간다"], [(0, 2), (3, 5)]),
        ("  나  나 ", ["나", "나"], [(2, 3), (5, 6)]),
        ("나는 간다", ["간다"], [(3, 5)]),
        ("나는 간다", ["너는", "간다"], [(0, 0), (3, 5)]),
        # The place of a missing eojeol is the end of the one before it.
        ("나는  간다", ["나는", "너는", "간다"], [(0, 2), (2, 2), (4, 6)]),
    ],
)
def test_places(text: str, forms: list[str], wanted: list[tuple[int, int]]) -> None:
    assert places(text, forms) == wanted
