"""Frames and constituents as `show`, `stats` and the page of `report` present them."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import sejongud
from sejongud.converters.recut import recuts
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.model import Constituent
from sejongud.report import ReportOptions, make_report
from sejongud.report.chunks import SentenceData
from sejongud.report.views import Placed, tree_nodes
from sejongud.rules import load
from sejongud.statistics.layers import LayerStatistics

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

# --- the terminal ---------------------------------------------------------------------------------

FRAMES = """\
frame 1       ├Speaker┤  ├──── Time ────┤  ├───── Place ─────┤  ├Speak_on_topic┤
                                                                강연하다.v
frame 2                                    ├Political_locales┤
                                           부산.n
                                           ├──── Locale ─────┤
frame 3                  ├Calendric_unit┤  ├────────────── Whole ──────────────┤
                         어제.adv
                         ├──── Unit ────┤
3 + particles ╭하늘은╮                     ╭─── 부산에서 ────╮
              하늘   은  어제              부산       에서      강연했다      .
              NNP    JX  MAG               NNP        JKB       NNG+XSV+EP+EF SF
"""
DISCONTINUOUS = """\
frame         ├Perceiver┤  ├Figure┤  ├─ Attention ─┤  ├ Degree ┤  ├─ Attention ─┤
                                     관심을_가지다.v              관심을_가지다.v
"""
TREE = """\
constituents  ╭─────────────────── S ───────────────────╮
              ╭NP_SBJ╮  ╭───────────── VP ──────────────╮
                        ╭AP╮  ╭────────── VP ───────────╮
                              ╭── NP_OBJ ──╮  ╭── VP ───╮
                              ╭DP╮  ╭NP_OBJ╮
3 + particles ╭동생은╮              ╭ 책을 ╮
              동생  은  어제  새    책   을   샀다     .
              NNG   JX  MAG   MM    NNG  JKO  VV+EP+EF SF
"""
NULLED = "(S (NP-SBJ *pro*) (S-COMP (NP-SBJ *pro*) (VP (ADVP (MAG 언제)) (VV 가))) (VP (VV 묻)))"
NULLS = """\
constituents  ╭──── S (NP-SBJ *pro*) ─────╮
              ╭S-COMP (NP-SBJ *pro*)╮  ╭VP╮
              ╭──────── VP ─────────╮
              ╭── ADVP ───╮
1 eojeols     언제           가        묻
              MAG            VV        VV
"""


@pytest.fixture
def merged(root: Path, cli: Cli, tmp_path: Path) -> Path:
    samples = root / "samples"
    cli("frame", "eoj2morph", "--merge-instances", "--morphemes", samples / "framenet.txt",
        samples / "framenet.tsv", "merged.conllu")  # fmt: skip
    return tmp_path / "merged.conllu"


def shown(cli: Cli, *args: str | Path) -> str:
    return cli("show", "-q", "--rows", "xpos", "--width", "100", *args).text()


def test_a_frame_is_a_row_of_its_target_and_its_elements(cli: Cli, merged: Path) -> None:
    drawn = shown(cli, "--levels", "3", "--limit", "0", merged)
    assert FRAMES in drawn
    assert DISCONTINUOUS in drawn


def test_a_tree_stands_over_the_words_of_a_level(cli: Cli, root: Path, tmp_path: Path) -> None:
    assert TREE in shown(cli, "--levels", "3", root / "samples" / "treebank.txt")
    (tmp_path / "nulls.mrg").write_text(f"{NULLED}\n", encoding="utf-8")
    assert NULLS in shown(cli, "--levels", "1", "nulls.mrg")


def test_a_wide_tree_is_broken_between_eojeols(cli: Cli, root: Path) -> None:
    path = root / "samples" / "treebank.txt"
    lines = shown(cli, "--levels", "1", "--width", "50", "--ascii", path, "2").split("\n")
    trees = [line for line in lines if line.startswith("constituents")]
    assert trees == ["constituents  .------------- S ---------------", "constituents  ---- S ---."]


def test_a_corpus_of_frames_is_shown_as_it_is(cli: Cli, root: Path) -> None:
    drawn = shown(cli, "--number", "1", root / "samples" / "framenet.tsv")
    assert "├Speaker┤" in drawn
    assert "강연하다.v" in drawn


def test_null_elements_stand_in_the_label_around_them() -> None:
    rows = [
        ("TOP", 0, 2, 0), ("S", 0, 2, 1), ("NP", 0, 0, 2), ("NP", 0, 0, 3), ("*pro*", 0, 0, 4),
        ("*T*-1", 0, 0, 3), ("VP", 0, 2, 2), ("V", 0, 2, 3), ("*e*", 2, 2, 2), ("NP", 2, 2, 2),
        ("*op*", 2, 2, 3),
    ]  # fmt: skip
    nodes = tree_nodes([Constituent(*row) for row in rows])
    assert [(node.label, node.depth) for node in nodes] == [
        ("TOP", 0), ("S (NP (NP *pro*) *T*-1) *e* (NP *op*)", 1), ("VP", 2), ("V", 3),
    ]  # fmt: skip
    assert tree_nodes([Constituent("*pro*", 0, 0, 0)]) == []


def test_a_deep_tree_and_many_null_elements_take_no_time(cli: Cli, tmp_path: Path) -> None:
    deep = "".join([f"(X{at} (NNG 꽃) " for at in range(1_200)]) + ")" * 1_200
    (tmp_path / "deep.mrg").write_text(f"(TOP {deep})\n", encoding="utf-8")
    drawn = shown(cli, "--levels", "5", "deep.mrg")
    assert " X98 " in drawn
    assert " X99 " not in drawn
    assert "constituents inside of 100 others are not shown" in drawn
    layer = [Constituent("S", 0, 1, 0), *[Constituent("*pro*", 0, 0, 1)] * 30_000]
    [node] = tree_nodes(layer)
    assert len(node.label) == 1 + 6 * 30_000


# --- statistics -----------------------------------------------------------------------------------


def test_stats_count_frames(cli: Cli, merged: Path) -> None:
    found = json.loads(cli("stats", "--json", merged).stdout)["frames"]
    assert {name: value for name, value in found.items() if name not in ("names", "elements")} == {
        "instances": 6,
        "sentences": 4,
        "frames_a_sentence": 1.5,
        "lexical_units": {"Noun": 1, "Verb": 4, "Adjective": 0, "Others": 1},
        "frames_a_lexical_unit": 1.0,
        "distinct_frames": 6,
        "distinct_elements": 12,
    }
    assert found["names"]["Attention"] == 1
    assert next(iter(found["elements"].items())) == ("Time", 2)


def test_stats_count_constituents(cli: Cli, root: Path) -> None:
    path = root / "samples" / "treebank.txt"
    found = json.loads(cli("stats", "--json", "--top", "2", path).stdout)
    assert found["constituents"] == {
        "trees": 11,
        "constituents": 75,
        "null_elements": 0,
        "mean_depth": 3.727,
        "greatest_depth": 7,
        "distinct_labels": 18,
        "labels": {"VP": 14, "NP": 12},
    }
    rows = cli("stats", "--csv", "--top", "2", path).stdout.decode().splitlines()
    assert rows[-2:] == ["constituents: labels,0,VP,14", "constituents: labels,0,NP,12"]
    text = cli("stats", path).stdout.decode()
    assert "\nConstituents\ntrees               11\n" in text
    assert "mean depth       3.727" in text


def test_stats_of_other_corpora_are_as_before(cli: Cli, root: Path) -> None:
    found = cli("stats", "--json", root / "samples" / "sejong.txt")
    assert not {"frames", "constituents"} & set(json.loads(found.stdout))
    layers = LayerStatistics()
    assert (layers.to_dict(), layers.rows(), layers.as_text(5)) == ({}, [], "")


# --- the page -------------------------------------------------------------------------------------


def chunk_of(path: Path) -> dict[str, Any]:
    data = SentenceData(recuts(load()))
    for sentence in sejongud.read(path, report=Report()):
        data.add(Placed(sentence, 0, lambda _: 0), 0, ())
    data.finish()
    [text] = data.packed.values()
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text), -15))
    return found


def test_a_page_has_both_layers(merged: Path, root: Path) -> None:
    first = chunk_of(merged)["sentences"][0][4]
    assert first["frames"][1:] == [
        [["Political_locales", "부산.n", 3, 5, 0], ["Locale", "", 3, 5, 1]],
        [
            ["Calendric_unit", "어제.adv", 2, 3, 0],
            ["Whole", "", 3, 10, 0],
            ["Unit", "", 2, 3, 1],
        ],
    ]
    second = chunk_of(root / "samples" / "treebank.txt")["sentences"][1][4]
    assert second["constituents"][:3] == [
        ["S", 0, 10, 0],
        ["NP_SBJ", 0, 2, 1],
        ["VP", 2, 10, 1],
    ]


def test_a_page_counts_both_layers(merged: Path, root: Path) -> None:
    paths = [str(merged), str(root / "samples" / "treebank.txt")]
    page = "".join(make_report(paths, Source, ReportOptions(), Report()))
    for name, count in (("frames", 6), ("constituents", 75)):
        assert f"<dt>{name}</dt><dd>{count}</dd>" in page
    for name in ("frames", "elements", "labels"):
        assert f'id="figure-{name}"' in page


def test_a_page_of_a_corpus_of_frames(root: Path) -> None:
    paths = [str(root / "samples" / "framenet.tsv")]
    page = "".join(make_report(paths, Source, ReportOptions(), Report()))
    assert "<dt>frames</dt><dd>6</dd>" in page
