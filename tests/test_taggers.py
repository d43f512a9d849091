"""Output of taggers: rows of MeCab-ko, lists of KoNLPy and Kiwi."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Cli


MECAB = """\
나\tNP,*,F,나,*,*,*,*
는\tJX,*,T,는,*,*,*,*
갔\tVV+EP,*,T,갔,Inflect,VV,EP,가/VV/*+았/EP/*
다\tEF,*,F,다,*,*,*,*
.\tSF,*,*,*,*,*,*,*
EOS
큰길\tNNG,*,T,큰길,Compound,*,*,큰/NNG/*+길/NNG/*
,\tSC,*,*,*,*,*,*,*
세\tMM,~명수,F,세,*,*,*,*
명\tNNBC,*,T,명,*,*,*,*
EOS
"""


def morphemes(cli: Cli, text: str, *options: str) -> tuple[str, str]:
    """The morphemes of a text as segmented text, and the format."""
    done = cli("convert", "--to", "tokens", "--mark", "--with-tags", *options, stdin=text.encode())
    name = done.stderr.decode().partition("format: ")[2].partition(" (")[0]
    return done.stdout.decode(), name


def test_rows_of_mecab(cli: Cli) -> None:
    lines, name = morphemes(cli, MECAB)
    assert name == "mecab"
    assert lines == ("▁나/NP 는/JX ▁가/VV 았/EP 다/EF ./SF\n▁큰길/NNG ,/SC ▁세/MM ▁명/NNBC\n")
    assert "/SP ▁세/MM ▁명/NNB\n" in morphemes(cli, MECAB, "--xpos", "sejong")[0]
    text = cli("generate", stdin=cli("convert", stdin=MECAB.encode()).stdout).stdout.decode()
    assert text == "나는 갔다.\n큰길, 세 명\n"


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("갔\tVV+EP\n다\tEF\n\n나\tNP\n", "▁가/VV 았/EP 다/EF\n▁나/NP\n"),
        ("갔 VV+EP\n다 EF\n\n나 NP\n", "▁가/VV 았/EP 다/EF\n▁나/NP\n"),
        ("가\tVV\n았\tEP\n다\tEF\n", "▁가/VV 았/EP 다/EF\n"),
    ],
)
def test_rows_of_tags_alone(cli: Cli, rows: str, line: str) -> None:
    assert morphemes(cli, rows) == (line, "mecab")
    assert cli("generate", stdin=rows.encode()).stdout.decode().startswith("갔다\n")


def test_a_row_without_a_tag_names_its_line(cli: Cli) -> None:
    message = cli("convert", stdin=MECAB.replace("는\tJX,*,T,는,*,*,*,*", "는").encode()).told(1)
    assert "line 2" in message
    assert "expected a token, a tab and its tag" in message


@pytest.mark.parametrize(
    "text",
    [
        "[('나', 'NP'), ('는', 'JX'), ('가', 'VV'), ('았', 'EP'), ('다', 'EF'), (\"'\", 'SS')]\n",
        "['나/NP', '는/JX', '가/VV', '았/EP', '다/EF', \"'/SS\"]\n",
        '[["\\ub098", "NP"], ["는", "JX"], ["가", "VV"], ["았", "EP"], ["다", "EF"], '
        '["\'", "SS"]]\n',
        "[([Token(form='나', tag='NP', start=0, len=1), "
        "Token(form='는', tag='JX', start=1, len=1), "
        "Token(form='가', tag='VV', start=3, len=1), Token(form='았', tag='EP', start=3, len=1), "
        "Token(form='다', tag='EF', start=4, len=1), Token(form=\"'\", tag='SS', start=5, len=1)], "
        "-30.5), ([Token(form='나는', tag='NNG', start=0, len=2)], -40.1)]\n",
    ],
)
def test_lists(cli: Cli, text: str) -> None:
    line = "▁나/NP 는/JX ▁가/VV 았/EP 다/EF '/SS\n"
    assert morphemes(cli, text * 2) == (line * 2, "konlpy")
    nested = text[:-1] + ", " + text[:-1]
    if text.startswith("[["):
        assert morphemes(cli, f"[{nested}]") == (line * 2, "konlpy")
    assert "expected a list of morphemes and tags" in cli(
        "convert", "--from", "konlpy", stdin=text.replace("(", "<").replace("[", "<").encode()
    ).told(1)


@pytest.mark.parametrize(
    "text",
    [
        "나_NP 는_JX 가_VV 았_EP 다_EF\n",
        "나(NP) 는(JX) 가(VV) 았(EP) 다(EF)\n",
        "나는_NP+JX 갔다_VV+EP+EF\n",
    ],
)
def test_tags_behind_other_signs(cli: Cli, text: str) -> None:
    line = "▁나/NP 는/JX ▁가/VV 았/EP 다/EF\n"
    assert morphemes(cli, text * 2) == (line * 2, "konlpy")


def test_tags_of_kkma_have_nearest_sejong_tags(cli: Cli) -> None:
    text = "[('나', 'NP'), ('는', 'JX'), ('가', 'VV'), ('았', 'EPT'), ('다', 'EFN'), ('.', 'SF')]\n"
    assert morphemes(cli, text)[0] == "▁나/NP 는/JX ▁가/VV 았/EPT 다/EFN ./SF\n"
    assert morphemes(cli, text, "--xpos", "sejong")[0] == "▁나/NP 는/JX ▁가/VV 았/EP 다/EF ./SF\n"


def test_tokens_of_mecab_in_a_list_are_the_surface(cli: Cli) -> None:
    text = "[('피', 'VV'), ('었', 'EP'), ('다', 'EC'), ('갔', 'VV+EP'), ('다', 'EF')]\n"
    assert "# text = 피었다 갔다\n" in cli("convert", stdin=text.encode()).stdout.decode()


@pytest.mark.parametrize(
    "text",
    [
        "[('나', 'Noun'), ('는', 'Josa'), ('간다', 'Verb')]\n",
        "나/Noun 는/Josa 간다/Verb\n",
        "[('나', 'N'), ('는', 'J'), ('가', 'P'), ('ㄴ다', 'E')]\n",
    ],
)
def test_tags_of_no_morphemes_are_refused_and_never_analysed(cli: Cli, text: str) -> None:
    assert "are of no tag set that is known" in cli("convert", stdin=text.encode()).told_only(1)


@pytest.mark.parametrize(
    "text",
    [
        "[속보] '나'와 '너'\n",
        "[나/NP 는/JX] 간다\n",
        "[1] 봄\n",
        '["나는", "너는"]\n',
        "영화 SF\n봄\n",
        "유엔(UN)\n봄_NN 간다_VV\n",
    ],
)
def test_other_text_is_no_list(cli: Cli, text: str) -> None:
    assert morphemes(cli, text)[1] in ("text", "modu")
