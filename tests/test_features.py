"""FEATS of words, from the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cases import cases
from corpora import RULES

from sejongud.converters.features import Features
from sejongud.errors import UsageError
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

CASES = cases("features")


def feats(cli: Cli, text: str, *options: str) -> list[str]:
    """FEATS of the words of Sejong text, a line for each eojeol."""
    output = cli("convert", "-q", "--from", "sejong", *options, stdin=f"{text}\n".encode()).text()
    rows = [line.split("\t") for line in output.split("\n") if "\t" in line]
    return [row[5] for row in rows if "-" not in row[0]]


@pytest.mark.parametrize(
    ("text", "ud", "full"), CASES["test_a_word_has_the_features_of_its_morphemes"]
)
def test_a_word_has_the_features_of_its_morphemes(cli: Cli, text: str, ud: str, full: str) -> None:
    assert feats(cli, text, "--level", "2", "--feats", "ud") == [ud]
    assert feats(cli, text, "--level", "2", "--feats", "full") == [full or ud]
    assert feats(cli, text, "--level", "2") == ["_"]


@pytest.mark.parametrize(("stem", "tense"), [("먹/VV", "Past"), ("좋/VA", "Pres")])
def test_an_auxiliary_has_the_class_of_the_word_before(cli: Cli, stem: str, tense: str) -> None:
    text = f"{stem[0]}지\t{stem}+지/EC\n않은\t않/VX+은/ETM"
    words = feats(cli, text, "--level", "2", "--feats", "full")
    assert words[1] == f"Polarity=Neg|Tense={tense}|VerbForm=Part"
    assert feats(cli, text, "--level", "5", "--feats", "full")[3] == f"Tense={tense}|VerbForm=Part"


@pytest.mark.parametrize(
    ("verb", "mood"), [("하/VX", "Nec"), ("되/VV", "Nec"), ("있/VX", "Cnd"), ("자/VV", "Cnd")]
)
def test_eoya_before_hada_is_necessity(cli: Cli, verb: str, mood: str) -> None:
    text = f"가야만\t가/VV+아야/EC+만/JX\n{verb[0]}고\t{verb}+고/EC"
    words = feats(cli, text, "--level", "2", "--feats", "full")
    assert words[0] == f"Mood={mood}|VerbForm=Conv"


def test_a_value_that_ud_does_not_have_is_refused(cli: Cli, tmp_path: Path) -> None:
    head, row = "lemma\ttag\tstem\tnext\tud\tfull\tnote", "었\tEP\t*\t*\tTense=Presnt\t_\t"
    (tmp_path / "feats.tsv").write_text(f"{head}\n{row}\n", encoding="utf-8")
    done = cli("convert", "--feats", "ud", "--rules", tmp_path, stdin="가\t가/VV\n".encode())
    assert (done.returncode, "without Tense=Presnt" in done.stderr.decode()) == (1, True)


@pytest.mark.parametrize(
    ("behind", "expected"),
    [("있다\t있/VX+다/EF", "Form=Aux"), ("잔다\t자/VV+ㄴ다/EF", "Form=Compl")],
)
def test_an_ending_looks_at_the_next_word(cli: Cli, behind: str, expected: str) -> None:
    text = f"먹고\t먹/VV+고/EC\n{behind}"
    assert feats(cli, text, "--level", "2", "--feats", "ud")[0] == expected
    assert feats(cli, text, "--level", "5", "--feats", "ud")[:2] == ["_", expected]
    text = f"먹지는\t먹/VV+지/EC+는/JX\n{behind}"
    assert feats(cli, text, "--level", "2", "--feats", "ud")[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("막지\t막/VV+지/EC\n못했다\t못/MAG+하/XSV+였/EP+다/EF", "Form=Aux"),
        ("막지\t막/VV+지/EC\n잘\t잘/MAG", "Form=Compl"),
        ("막지\t막/VV+지/EC\n못\t못/NNG", "Form=Compl"),
        ("막으려\t막/VV+으려/EC\n했다\t하/VX+였/EP+다/EF", "Form=Aux"),
        ("가려고\t가/VV+려고/EC\n했다\t하/VX+였/EP+다/EF", "Form=Aux"),
        ("가려고\t가/VV+려고/EC\n왔다\t오/VX+았/EP+다/EF", "Form=Compl"),
        ("가면\t가/VV+면/EC\n싶다\t싶/VX+다/EF", "Form=Aux"),
        ("가나\t가/VV+나/EC\n보다\t보/VX+다/EF", "Form=Aux"),
        ("가나\t가/VV+나/EC\n말았다\t말/VX+았/EP+다/EF", "Form=Compl"),
    ],
)
def test_an_ending_looks_at_the_form_of_the_next_word(cli: Cli, text: str, expected: str) -> None:
    assert feats(cli, text, "--level", "2", "--feats", "ud")[0] == expected
    assert feats(cli, text, "--level", "5", "--feats", "ud")[1] == expected


def test_a_feature_stands_on_the_word_whose_morpheme_has_it(cli: Cli) -> None:
    text = "갔다\t가/VV+았/EP+다/EF"
    found = ["_", "Tense=Past", "Mood=Ind|VerbForm=Fin"]
    assert feats(cli, text, "--level", "5", "--feats", "ud") == found
    # A particle is ADP, for which UD has no Case in Korean.
    assert feats(cli, "학교가\t학교/NNG+가/JKS", "--level", "3", "--feats", "ud") == ["_", "_"]
    assert feats(cli, "학교가\t학교/NNG+가/JKS", "--level", "3", "--feats", "full")[1] == "Case=Nom"


@pytest.mark.parametrize(
    "options",
    [
        ("--feats", "ud", "--upos", "sejong", "--translit", "-q"),
        ("--feats", "full", "--upos", "ud", "--gloss", "-q"),
    ],
)
def test_every_level_becomes_others(
    cli: Cli, root: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    source = root / "samples" / "sejong.txt"
    for level in LEVELS:
        cli("convert", "--level", str(level), *options, source, f"{level}.conllu")
    text = cli("convert", "--to", "sejong", "-q", "1.conllu").stdout
    for level in LEVELS:
        path = tmp_path / f"{level}.conllu"
        for other in {1, 6 - level, 5}:
            done = cli("convert", "--level", str(other), *options, path)
            assert done.stdout == (tmp_path / f"{other}.conllu").read_bytes(), (level, other)
        assert cli("convert", "--to", "sejong", "-q", path).stdout == text


def test_feats_of_a_treebank_stay(cli: Cli) -> None:
    rows = "1\t갔다\t가+았+다\tVERB\tVV+EP+EF\tMood=Cnd\t0\troot\t_\tSpaceAfter=No\n"
    rows += "2\t.\t.\tPUNCT\tSF\t_\t1\tpunct\t_\t_\n\n"
    done = cli(
        "convert", "-q", "--level", "2", "--feats", "ud", stdin=f"# text = 갔다.\n{rows}".encode()
    )
    assert [line.split("\t")[5] for line in done.stdout.decode().split("\n") if "\t" in line] == [
        "Mood=Cnd",
        "_",
    ]


def test_there_are_two_schemes() -> None:
    with pytest.raises(UsageError, match="there are no FEATS ud2: ud, full"):
        Features(RULES, "ud2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("밝혀지다\t밝히/VV+어/EC+지/VX+다/EF", "Voice=Pass"),
        ("좋아지다\t좋/VA+아/EC+지/VX+다/EF", "_"),
        ("가야하다\t가/VV+아야/EC+하/VX+다/EF", "_"),
    ],
)
def test_an_auxiliary_has_a_feature_if_form_and_stem_tell_it(
    cli: Cli, text: str, expected: str
) -> None:
    assert feats(cli, text, "--feats", "full")[2] == expected


def test_every_feature_of_ud_is_registered_for_some_upos() -> None:
    known = {f"{row['feature']}={row['value']}" for row in RULES.table("feats-ud")}
    of_table = {item for row in RULES.table("feats") for item in row["ud"].split("|")} - {"_"}
    assert of_table <= known


def test_the_lemmas_of_the_table_are_canonical() -> None:
    lemmas = RULES.lemmas["normalised"]
    behind = {(row["lemma"], row["tag"]) for row in RULES.table("lemmas-behind")}
    keys = {(row["lemma"], row["tag"]) for row in RULES.table("feats")} - behind
    assert [key for key in keys if lemmas.get(key, key[0]) != key[0]] == []


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("text", "lemmas", "mood"),
    [
        ("푸르러\t푸르/VA+러/EC", ["푸르", "어"], ""),
        ("이르러\t이르/VV+러/EC", ["이르", "어"], ""),
        ("푸르렀다\t푸르/VA+렀/EP+다/EC", ["푸르", "었", "다"], "Ind"),
        ("사러\t사/VV+러/EC", ["사", "으러"], "Prp"),
        ("가라고\t가/VV+라고/EC", ["가", "으라고"], "Imp"),
        ("가시라며\t가/VV+시/EP+라며/EC", ["가", "으시", "으라며"], "Imp"),
        ("것이라\t것/NNB+이/VCP+라/EF", ["것", "이", "라"], "Ind"),
        ("서울서\t서울/NNP+서/JKB", ["서울", "에서"], ""),
        ("혼자서\t혼자/NNG+서/JKB", ["혼자", "서"], ""),
        ("내게\t내/NP+게/JKB", ["내", "에게"], ""),
    ],
)
def test_the_stem_tells_the_lemma_of_an_ending(
    cli: Cli, level: int, text: str, lemmas: list[str], mood: str
) -> None:
    options = ("--level", str(level), "--feats", "full", "--from", "sejong", "-q")
    lines = cli("convert", *options, stdin=f"{text}\n".encode()).stdout.decode().split("\n")
    rows = [line.split("\t") for line in lines if "\t" in line and "-" not in line.split("\t")[0]]
    assert "+".join([row[2] for row in rows]) == "+".join(lemmas)
    assert (f"Mood={mood}" in rows[-1][5]) == bool(mood) == ("Mood=" in rows[-1][5])


def test_the_stem_tells_the_lemma_of_a_part_of_a_treebank_word(cli: Cli) -> None:
    word = "1\t이르러\t이르+러\tVERB\tVV+EC\t_\t0\troot\t_\t_\n\n"
    done = cli("dep", "word2morph", "-q", stdin=f"# text = 이르러\n{word}".encode())
    assert "\t러\t어\tPART\tEC\t" in done.stdout.decode()
    assert cli("dep", "morph2word", "-q", stdin=done.stdout).text().endswith(word)
