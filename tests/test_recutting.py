from __future__ import annotations

from unicodedata import normalize

import pytest
from corpora import ASSEMBLER, RULES

from sejongud.errors import FormatError
from sejongud.layers.places import Recutter, places
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS

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
        (["봄이\t봄/NNG+이/JKS"], [normalize("NFD", "봄이")], ["봄/NNG+이/JKS"]),
        (["학교다\t학교/NNG+(이)/VCP+다/EF"], ["학교", "다"], ["학교/NNG+이/VCP", "다/EF"]),
    ],
)
def test_morphemes_go_where_their_characters_are(
    lines: list[str], forms: list[str], wanted: list[str]
) -> None:
    assert recut(lines, forms) == wanted


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("line", "forms"),
    [
        ("책을\t책/NNG+을/JKO", ["책을"]),
        ("(책을)\t(/SS+책/NNG+을/JKO+)/SS", ["(", "책을", ")"]),
        # Blanks keep a token whole, and only that one.
        ("할 수\t하/VV+ㄹ/ETM+수/NNB", ["할 수"]),
        ("간다. .\t가/VV+ㄴ다/EF+. ./SE", ["간다", ". ."]),
        # A symbol that shares its character is no token.
        ("…했-\tㄴ/ETM+,/SP+)/SS", ["…했-"]),
    ],
)
def test_the_shape_of_an_eojeol_is_that_of_its_words(
    line: str, forms: list[str], level: int
) -> None:
    granularity = Granularity(RULES, level)
    eojeol = ASSEMBLER[line]
    tokens = granularity.tokens(eojeol)
    assert [token.form for token in tokens] == (forms if level > 1 else [eojeol.form])
    assert [token.space_after for token in tokens] == [False] * (len(tokens) - 1) + [True]
    shape = [tuple([len(word.morphemes) for word in token.words]) for token in tokens]
    assert granularity.shape(eojeol) == tuple(shape)
    assert all([" " not in token.form or len(token.words) == 1 for token in tokens])


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        (["옷", "이다"], "another text"),
        (["옷이다"], "another text: '바지' where the corpus has '옷이다'"),
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
