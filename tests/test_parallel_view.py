"""The page of gold beside a system."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from test_report import HOSTILE, TREE, Page

from sejongud import loads
from sejongud.converters.recut import recut_of
from sejongud.report.parallel_view import Layer, Marks, compare

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

MORPHEMES = recut_of(5)


def marks(gold: str, system: str, layer: Layer) -> tuple[Marks, Marks]:
    [one], [other] = loads(gold), loads(system)
    return compare(one, other, layer, MORPHEMES)


@pytest.mark.parametrize("layer", ["dep", "pos", "ner"])
def test_a_sentence_is_its_own_equal(layer: Layer) -> None:
    assert marks(TREE, TREE, layer) == ({}, {})


def test_differences_of_words() -> None:
    other = TREE.replace("6	nsubj", "2	obj").replace("6	punct", "5	punct")
    other = other.replace("2	case", "2	dep")
    found = {2: "relation", 3: "head and relation", 8: "head"}
    assert marks(TREE, other, "dep") == (found, found)
    assert marks(TREE, other, "pos") == ({}, {})
    other = TREE.replace("ADP	JKG", "PART	JKG").replace("VERB	VV", "VERB	VX")
    assert marks(TREE, other, "pos")[0] == {2: "UPOS", 5: "XPOS"}
    lines = TREE.split("\n")
    [at] = [at for at, line in enumerate(lines) if line.startswith("4-5")]
    joined = [*lines[:at], "4\t연구는\t연구+는\tNOUN\tNNG+JX\t_\t5\tnsubj\t_\t_"]
    joined += [
        "5-7\t😀끝났다" + "\t_" * 7 + "\tSpaceAfter=No",
        "5\t😀끝나\t😀끝나\tVERB\tVV\t_\t0\troot\t_\tNE=B-EV",
        "6\t았\t었\tPART\tEP\t_\t5\taux\t_\t_",
        "7\t다\t다\tPART\tEF\t_\t5\taux\t_\t_",
        "8\t.\t.\tPUNCT\tSF\t_\t5\tpunct\t_\t_",
    ]
    gold, system = marks(TREE, "\n".join(joined) + "\n\n", "dep")
    # The governor of 대학교 is no word that both sides have.
    assert gold == {1: "head", 3: "word", 4: "word"}
    assert system == {1: "head", 3: "word"}


def test_differences_of_entities() -> None:
    other = TREE.replace("NE=B-EV", "NE=B-DT").replace("NE2=B-LC", "NE2=B-LC")
    assert marks(TREE, other, "ner") == ({1: "entity"}, {1: "entity"})
    assert marks(TREE, TREE.replace("NE=B-EV", "_"), "ner") == ({1: "entity"}, {})
    # In texts that differ, entities are equal by their type and their text.
    longer = TREE.replace("는	은	ADP", "만	만	ADP").replace("연구는", "연구만")
    assert marks(TREE, longer, "ner") == ({}, {})


# What the figures of two trees do not count: functions, roots, the order of what is the same.
TREES = """\
(TOP (S (NP-SBJ (NNG 집)) (VP (NP-OBJ (-NONE- *pro*)) (VV 오) (EF 다)) (SF .)))
(S (NP (NNP+JKS 웅가로가)) (VP (VV+EP+EF 나섰다)))
(S (NP (NNG 비)) (, ,) (PRT (VV 오) (EC 고)))
(S (NP (NNG 눈)) (VP (VV 오) (EF 다)))
(S (NP (NNG 나) (SF .)) (VP (VV 가)))
"""
SYSTEM_TREES = """\
(S (NP-OBJ (NNG 집)) (VP (VP (-NONE- *pro*) (VV 오)) (EC 다)) (SF .))
(S (NP (NNP+JKS 웅가로가)) (VP (VV+EP+EF 나섰다)))
(S (NP (NNG 비)) (ADVP (, ,) (VV 오고))) (S (NP (NNG 눈)) (VP (VP (VV 오) (EF 다))))
"""


@pytest.mark.parametrize("options", [(), ("-p", "COLLINS"), ("--by", "length")])
def test_trees_are_marked_where_the_figures_count_something_wrong(
    options: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    """The marks of gold are what is missed, those of the system what is spurious."""
    (tmp_path / "gold.txt").write_text(TREES, "utf-8")
    (tmp_path / "system.txt").write_text(SYSTEM_TREES, "utf-8")
    run = ("eval", "parse", "gold.txt", "system.txt", *options, "--html", "out.html", "--json")
    found = json.loads(cli(*run).stdout)
    scores = {score["name"]: score for score in found["scores"]}
    page = Page((tmp_path / "out.html").read_text("utf-8"))
    shown = rows(page)
    assert len(shown) == 5
    sides = [row[4] for row in shown], [row[4]["system"][4] for row in shown if "system" in row[4]]
    marked = [[extra.get("marks", {}) for extra in side] for side in sides]
    constituents, words = (
        [sum(len(marks.get(unit, {})) for marks in side) for side in marked]
        for unit in ("constituents", "words")
    )
    counted = [one for name, one in scores.items() if name not in ("Tags", "Sentences")]
    assert constituents == [sum(one[key] for one in counted) for key in ("fn", "fp")]
    if not options:
        assert words[0] == scores["Tags"]["words"] - scores["Tags"]["correct"]
        # TOP and the functions do not count; the last sentence has no counterpart.
        assert [side.get("constituents") for side in marked[0]] == [
            {"4": "constituent"},
            None,
            {"2": "constituent"},
            None,
            dict.fromkeys("012", "constituent"),
        ]


def test_trees_that_differ_in_functions_alone(cli: Cli, tmp_path: Path) -> None:
    gold = "(TOP (S (NP-SBJ (NNG 집)) (VP (VV 오) (EF 다))))\n"
    (tmp_path / "gold.txt").write_text(gold, "utf-8")
    (tmp_path / "system.txt").write_text(gold.replace("-SBJ", "").replace("TOP", "S1"), "utf-8")
    assert cli("eval", "parse", "gold.txt", "system.txt", "--html", "out.html").returncode == 0
    text = (tmp_path / "out.html").read_text("utf-8")
    assert "0 differences in 0 of 1 sentences" in unescape(text)


def test_lines_of_trees_are_those_of_brackets(cli: Cli, tmp_path: Path) -> None:
    """A treebank becomes brackets before it is read, and the lines on the page are theirs."""
    tree = "(S (NP (NNG 눈)) (VP (VV 오) (EF 다)))\n"
    (tmp_path / "system.txt").write_text(tree, "utf-8")
    assert cli("convert", "system.txt", "gold.conllu").returncode == 0
    run = ("eval", "parse", "gold.conllu", "system.txt", "--html", "out.html")
    assert cli(*run).returncode == 0
    page = Page((tmp_path / "out.html").read_text("utf-8"))
    assert page.meta["files"] == ["gold.conllu as brackets", "system.txt"]


def rows(page: Page) -> list[Any]:
    return [row for chunk in page.chunks for row in chunk["sentences"]]


def test_a_page_has_both_sides(cli: Cli, tmp_path: Path) -> None:
    second = TREE.replace("sent_id = a", "sent_id = b").replace("연구", "공부")
    (tmp_path / "gold.conllu").write_text(TREE + second, "utf-8")
    system = TREE.replace("nsubj", HOSTILE).replace("VERB	VV", "VERB	VX")
    (tmp_path / "system.conllu").write_text(system, "utf-8")
    plain = cli("eval", "dep", "gold.conllu", "system.conllu")
    done = cli("eval", "dep", "gold.conllu", "system.conllu", "--html", "out.html")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    text = (tmp_path / "out.html").read_text("utf-8")
    page = Page(text)
    scripts = [a.get("id") or a.get("type") for tag, a in page.elements if tag == "script"]
    assert sorted(map(str, scripts)) == ["None", "chunk-0", "korean", "meta"]
    assert "img" not in [tag for tag, _ in page.elements]
    assert page.meta["beside"] == ["Gold", "System"]
    assert page.meta["types"] == ["EV", "LC", "OG"]
    first, alone = rows(page)
    assert first[4]["marks"] == {"words": {"3": "relation"}} == first[4]["system"][4]["marks"]
    assert (first[1], first[4]["system"][1], alone[0]) == (0, 1, "b")
    assert alone[4]["marks"] == {"words": {"-1": "sentence"}}
    assert "2 differences in 2 of 2 sentences" in unescape(text)
    assert ("td", {"class": "n"}) in page.elements
    _, row, *_ = re.findall(r"<tr>.*?</tr>", text.partition('id="figure-scores"')[2])
    assert re.findall(r">([^<]+)<", row)[:4] == ["Tokens", "4", "0", "4"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dep", "a", "b", "c", "--html", "x.html"], "--html is for one system"),
        (["dep", "a", "b", "--html", "x.html", "--confusion", "deprel"], "--confusion is of one"),
        (["parse", "a", "b", "--html", "x.html", "--evalb"], "exclude each other"),
        (["dep", "-", "b", "--html", "x.html"], "name files instead of pipes and -"),
        (["dep", "a", "pipe", "--html", "x.html"], "name files instead of pipes and -"),
        (["dep", "a", "b", "--html", "a"], "is also an input"),
    ],
)
def test_wrong_usage(cli: Cli, tmp_path: Path, arguments: list[str], message: str) -> None:
    for name in "abc":
        (tmp_path / name).write_text(TREE, "utf-8")
    os.mkfifo(tmp_path / "pipe")
    assert message in cli("eval", *arguments).told(2)
    assert not (tmp_path / "x.html").exists()


def test_a_tag_page_and_an_entity_page(cli: Cli, root: Path, tmp_path: Path) -> None:
    sample = root / "samples" / "klue-ner.tsv"
    assert cli("eval", "ner", sample, sample, "--html", "ner.html").returncode == 0
    text = (tmp_path / "ner.html").read_text("utf-8")
    assert "0 differences in 0 of 8 sentences" in text
    assert all("system" in row[4] for row in rows(Page(text)))


def summary(path: Path) -> str:
    [found] = re.findall(r"<p>(.*? differences? in .*?)</p>", path.read_text("utf-8"))
    return str(found)


@pytest.mark.parametrize("levels", [("1", "5"), ("5", "2"), ("3", "4")])
def test_tags_of_words_of_two_levels_are_those_of_their_morphemes(
    levels: tuple[str, str], cli: Cli, tmp_path: Path
) -> None:
    """The figures compare them at every level: what is right there is not marked."""
    gold, system = (f"{level}.conllu" for level in levels)
    for name in (gold, system):
        assert cli("convert", "--level", name[0], "-", name, stdin=TREE.encode()).returncode == 0
    assert cli("eval", "pos", gold, system, "--html", "out.html").returncode == 0
    assert summary(tmp_path / "out.html") == "0 differences in 0 of 1 sentences"
    other = (tmp_path / system).read_text("utf-8").replace("EP", "EC")
    (tmp_path / system).write_text(other, "utf-8")
    assert cli("eval", "pos", gold, system, "--html", "out.html").returncode == 0
    [row] = rows(Page((tmp_path / "out.html").read_text("utf-8")))
    for side in (row[4], row[4]["system"][4]):
        [at] = map(int, side["marks"]["words"])
        sizes = side["tree"]["sizes"]
        # 았 is the seventh morpheme.
        assert sum(sizes[:at]) <= 6 < sum(sizes[: at + 1])


def test_tags_of_two_tag_sets_are_compared_as_the_figures_compare_them(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(TREE, "utf-8")
    (tmp_path / "b").write_text(
        TREE.replace("NOUN\tNNG", "X\tncn").replace("\tJX", "\tjxt"), "utf-8"
    )
    for options, count in (((), 3), (("--xpos", "sejong"), 0)):
        assert cli("eval", "pos", "a", "b", *options, "--html", "out.html").returncode == 0
        assert summary(tmp_path / "out.html").startswith(f"{count} differences in")


@pytest.mark.parametrize("command", ["dep", "pos"])
def test_punctuation_that_does_not_count_is_not_marked(
    command: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(TREE, "utf-8")
    (tmp_path / "b").write_text(TREE.replace("SF\t_\t6", "SE\t_\t3"), "utf-8")
    for options, count in (
        ((), "1 difference in 1"),
        (("--no-punctuation",), "0 differences in 0"),
    ):
        assert cli("eval", command, "a", "b", *options, "--html", "out.html").returncode == 0
        assert summary(tmp_path / "out.html").startswith(count)
