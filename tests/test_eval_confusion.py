"""Confusion matrices of tags, relations and types of entities, with examples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sejongud.evaluation.scores import Confusion, draw

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

DEP = """\
1\t나는\t나\tPRON\tNP\t_\t2\tnsubj\t_\tNE=B-PS
2\t간다\t가다\tVERB\tVV\t_\t0\troot\t_\t_

1\t너도\t너\tPRON\tNP\t_\t2\tnsubj\t_\tNE=B-PS
2\t와\t오다\tVERB\tVV\t_\t0\troot\t_\t_

"""
SEJONG = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n너도\t너/NP+도/JX\n와\t오/VV+아/EF\n\n"
CASES = {
    "dep deprel": (DEP, DEP.replace("nsubj", "obj"), ("nsubj", "obj", 2, "나는")),
    "dep upos": (DEP, DEP.replace("VERB", "ADJ", 1), ("VERB", "ADJ", 1, "간다")),
    "ner types": (DEP, DEP.replace("B-PS", "B-LC"), ("PS", "LC", 2, "나는")),
    "pos tags": (SEJONG, SEJONG.replace("JX", "JKS"), ("JX", "JKS", 2, "는")),
}


@pytest.mark.parametrize("case", CASES)
def test_labels_that_are_confused(cli: Cli, tmp_path: Path, case: str) -> None:
    gold, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    gold.write_text(CASES[case][0], encoding="utf-8")
    system.write_text(CASES[case][1], encoding="utf-8")
    metric, kind = case.split()
    found = json.loads(cli("eval", metric, gold, system, "--confusion", kind, "--json").text())
    [example] = found["examples"]
    assert tuple(example[name] for name in ("gold", "system", "times", "text")) == CASES[case][2]
    assert example["place"] == f"{gold}:1"
    assert example["sentence"] == "나는 간다"
    row, column = (found["labels"].index(example[side]) for side in ("system", "gold"))
    assert found["counts"][row][column] == example["times"]
    said = cli("eval", metric, gold, system, "--confusion", kind).stdout.decode()
    assert "나는 간다" in said
    # The first table is the matrix: its heading names every label.
    assert set(found["labels"]) <= set(said.partition("\n")[0].split())


def test_entities_of_one_side(cli: Cli, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(DEP, encoding="utf-8")
    system.write_text(DEP.replace("NE=B-PS", "_", 1).replace("root\t_\t_", "root\t_\tNE=B-X", 1))
    found = json.loads(cli("eval", "ner", gold, system, "--confusion", "types", "--json").stdout)
    examples = [(one["gold"], one["system"], one["text"]) for one in found["examples"]]
    assert examples == [("PS", "-", "나는"), ("-", "X", "간다")]


def test_what_goes_together(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(DEP, encoding="utf-8")
    message = cli("eval", "dep", path, path, path, "--confusion", "deprel").told(2)
    assert "--confusion is of one system" in message
    for option in (("--by", "upos"), ("--enhanced",)):
        message = cli("eval", "dep", path, path, "--confusion", "deprel", *option).told(2)
        assert f"{option[0]} is for scores, which --confusion does not show" in message


def test_the_page_has_the_table(tmp_path: Path, cli: Cli, root: Path) -> None:
    gold = (root / "samples" / "ud.conllu").read_text(encoding="utf-8")
    (tmp_path / "gold").write_text(gold, encoding="utf-8")
    (tmp_path / "system").write_text(gold.replace("\tobl\t", "\tnmod\t"), encoding="utf-8")
    for metric, kind in (("dep", "deprel"), ("pos", "tags")):
        cli("eval", metric, "gold", "system", "--html", f"{metric}.html")
        page = (tmp_path / f"{metric}.html").read_text(encoding="utf-8")
        assert f"Confusion: {kind}" in page


def test_a_picture_of_long_and_of_korean_labels(tmp_path: Path) -> None:
    """Long ones stand upright below their columns; Korean ones need a font that has them."""
    fonts = pytest.importorskip("matplotlib.font_manager").fontManager.ttflist
    labels = ["dislocated", "obj"]
    if "Noto Sans CJK KR" in {font.name for font in fonts}:
        labels.append("인물")
    counts = [[1] * len(labels)] * len(labels)
    draw(Confusion("types", labels, counts, [], []), str(tmp_path / "a.svg"))
    upright = (tmp_path / "a.svg").read_text("utf-8").count("rotate(-90)")
    assert upright == len(labels) + 1  # and the name of the axis
