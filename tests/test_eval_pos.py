from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import sejongud

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SEJONG = """\
나는\t나/NP+는/JX
학교에\t학교/NNG+에/JKB
갔다.\t가/VV+았/EP+다/EF+./SF

"""


def figures(result: bytes) -> dict[str, tuple[int, int, int]]:
    return {
        score["name"]: (score["tp"], score["fp"], score["fn"])
        for score in json.loads(result)["scores"]
    }


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.txt"
    path.write_text(SEJONG, encoding="utf-8")
    return path


def test_every_level_by_hand(cli: Cli, gold: Path, tmp_path: Path) -> None:
    system = SEJONG.replace("나/NP+는/JX", "날/VV+는/ETM").replace("에/JKB", "에/JKG")
    (tmp_path / "system.txt").write_text(system, encoding="utf-8")
    result = cli("eval", "pos", "--json", gold, "system.txt")
    assert result.returncode == 0, result.stderr.decode()
    found = figures(result.stdout)
    assert found["Sentences"] == (1, 0, 0)
    # Level 1: three eojeols, the tags of one of which are right. Level 2: the period is cut off.
    assert (found["Words 1"], found["Tags 1"]) == ((3, 0, 0), (1, 2, 2))
    assert (found["Words 2"], found["Tags 2"]) == ((4, 0, 0), (2, 2, 2))
    # Level 3: particles are cut off, so that gold has 나 는 학교 에 갔다 . and the system 나는.
    assert (found["Words 3"], found["Tags 3"]) == ((4, 1, 2), (3, 2, 3))
    # Level 5: 나 는 학교 에 가 았 다 . against 날 는 학교 에 가 았 다 .
    assert (found["Words 5"], found["Tags 5"]) == ((7, 1, 1), (5, 3, 3))
    assert found["Analyses"] == (1, 2, 2)


@pytest.mark.parametrize("level", "12345")
def test_a_system_of_any_level_is_its_own_gold(cli: Cli, gold: Path, level: str) -> None:
    converted = cli("convert", "--level", level, gold)
    assert converted.returncode == 0, converted.stderr.decode()
    result = cli("eval", "pos", "--json", gold, "-", stdin=converted.stdout)
    assert result.returncode == 0, result.stderr.decode()
    found = figures(result.stdout)
    assert {fp + fn for _, fp, fn in found.values()} == {0}
    assert found["Words 5"][0] == 8


def test_other_spaces(cli: Cli, gold: Path) -> None:
    system = SEJONG.replace(
        "나는\t나/NP+는/JX\n학교에\t학교/NNG+에/JKB", "나는학교에\t나/NP+는/JX+학교/NNG+에/JKB"
    )
    found = figures(cli("eval", "pos", "--json", gold, "-", stdin=system.encode()).stdout)
    assert found["Words 1"] == (1, 1, 2)
    assert found["Words 5"] == found["Tags 5"] == (8, 0, 0)


def test_bad_input(cli: Cli, gold: Path) -> None:
    system = SEJONG.replace("나/NP+는/JX", "나NP") + SEJONG
    result = cli("eval", "pos", "--json", gold, "-", stdin=system.encode())
    assert result.returncode == 1
    assert result.stderr.decode().startswith("-:1: E")
    assert figures(result.stdout)["Words 1"][0] == 3
    message = cli("eval", "pos", gold, "-", stdin="나는 학교에 갔다.\n".encode()).told(2)
    assert "plain text" in message


@pytest.mark.parametrize(
    ("old", "new"),
    [("\t2\tobl", "\t9\tobl"), ("\t0\troot", "\t1\troot"), ("\t2\tobl\t_", "\tx\tobl\ty")],
)
def test_heads_are_no_part_of_an_analysis(cli: Cli, tmp_path: Path, old: str, new: str) -> None:
    rows = "1\t집에\t집+에\tNOUN\tNNG+JKB\t_\t2\tobl\t_\t_\n2\t가\t가\tVERB\tVV\t_\t0\troot\t_\t_\n"
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(f"# text = 집에 가\n{rows}\n", encoding="utf-8")
    system.write_text(f"# text = 집에 가\n{rows.replace(old, new)}\n", encoding="utf-8")
    result = cli("eval", "pos", "--json", gold, system)
    assert result.returncode == 0
    assert figures(result.stdout)["Analyses"] == (2, 0, 0)
    # Another fault is told.
    system.write_text(f"{rows.replace(old, new).replace('VERB', '')}\n", encoding="utf-8")
    result = cli("eval", "pos", "--json", gold, system)
    assert b":2: E202 UPOS is empty" in result.stderr
    assert figures(result.stdout)["Analyses"] == (0, 0, 2)


def test_tags_are_scored_as_they_are_written(cli: Cli, gold: Path, tmp_path: Path) -> None:
    # rules/tag-typos.tsv mends 다/SF and NNGG when a corpus is converted.
    system = tmp_path / "system.txt"
    system.write_text(SEJONG.replace("다/EF", "다/SF").replace("NNG", "NNGG"), encoding="utf-8")
    found = figures(cli("eval", "pos", "--json", gold, system).stdout)
    assert found["Words 5"] == (8, 0, 0)
    assert found["Tags 5"] == (6, 2, 2)
    assert found["Analyses"] == (1, 2, 2)
    converted = cli("convert", "--level", "5", system).stdout
    for name, stdin in ((system, b""), ("-", converted)):
        found = figures(cli("eval", "pos", "--json", system, name, stdin=stdin).stdout)
        assert {fp + fn for _, fp, fn in found.values()} == {0}


def test_punctuation_left_out(cli: Cli, gold: Path, tmp_path: Path) -> None:
    system = tmp_path / "system.txt"
    system.write_text(SEJONG.replace("./SF", "./SW"), encoding="utf-8")
    found = figures(cli("eval", "pos", "--json", "--no-punctuation", gold, system).stdout)
    # Level 1 has the full stop within a word, level 2 cuts it off.
    assert (found["Tags 1"], found["Tags 2"]) == ((2, 1, 1), (3, 0, 0))
    assert found["Words 5"] == found["Tags 5"] == (7, 0, 0)


def test_tags_of_two_tag_sets(cli: Cli, gold: Path, tmp_path: Path) -> None:
    """The tag set of KAIST has other names for the tags of Sejong."""
    pairs = {"NP": "npp", "JX": "jxt", "NNG": "ncn", "JKB": "jca", "VV": "pvg", "EP": "ep"}
    text = SEJONG.replace("EF", "ef").replace("SF", "sf")
    for tag, other in pairs.items():
        text = text.replace(f"/{tag}", f"/{other}")
    system = tmp_path / "system.txt"
    system.write_text(text, encoding="utf-8")
    done = cli("eval", "pos", "--json", gold, system)
    assert figures(done.stdout)["Tags 5"] == (0, 8, 8)
    assert b"one side alone has the tags ef, ep, jca, jxt, ncn, npp, pvg, sf, which" in done.stderr
    done = cli("eval", "pos", "--json", "--xpos", "sejong", gold, system)
    assert figures(done.stdout)["Tags 5"] == (8, 0, 0)
    assert not done.stderr
    assert json.loads(done.stdout)["signature"].startswith("pos|xpos:sejong|")
    with pytest.raises(sejongud.UsageError, match="no tag set kaist"):
        sejongud.evaluate("pos", gold, system, xpos="kaist")
