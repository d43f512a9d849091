"""Trees in the format of the Sinica Treebank, scored as at SIGHAN 2012."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sejongud.arguments import Parser
from sejongud.commands.evaluate import Sighan
from sejongud.errors import FormatError
from sejongud.evaluation.parseval import SighanMetric, parse, read_trees

if TYPE_CHECKING:
    from pathlib import Path

# The worked examples of Tseng, Lee and Yu (2012), Section 4, spaces and all.
PARSED = (
    "S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告)|"
    "location:PP(P:在|GP(NP(Na:報紙)|Ng:上)))",
    "S(agent:NP(Nh:他) | Head:VC:刊登| theme:NP(DM:一則| Na:廣告) |"
    " location:PP(P:在|NP(Na:報紙|Nc:上)))",
)
LABELED = (
    "S(agent:NP(Na:母親)|Head:VC: 帶 |theme:NP(Nh:他們)|location:PP(P:到 |NP(Na:溪 |Ncd:邊))"
    "|complement:VP(D: 去|VA:釣魚))",
    "S(agent:NP(Na:母親) | Head:VC:帶|agent:NP(Nh:他們)|location:PP(P: 到|Na:溪邊)"
    "|deontics:D:去|Head:VA:釣魚)",
)


def scores(gold: list[str], system: list[str]) -> dict[str, list[float]]:
    """Precision, recall and F1 of each score, to four places."""
    [found] = SighanMetric().measure(read_trees(gold), read_trees(system))
    return {one.name: [round(value, 4) for value in one.ratios.values()] for one in found.scores}


C, C_MACRO, R, R_MACRO = (
    f"{what} ({how})" for what in ("Constituents", "Roles") for how in ("micro", "macro")
)
SHORT = "S(agent:NP(Na:母親)|Head:VC:帶|theme:NP(Nh:他們))"


@pytest.mark.parametrize(
    ("gold", "system", "wanted"),
    [
        # The paper's examples.
        (PARSED[:1], PARSED[1:2], {C: [0.8, 0.6667, 0.7273]}),
        (LABELED[:1], LABELED[1:2], {R: [0.5, 0.6, 0.5455]}),
        # 4 of 5 and 4 of 6; 4 of 4 (the system has no NP over 溪邊 and no VP) and 4 of 6.
        ([PARSED[0], LABELED[0]], [PARSED[1], LABELED[1]],
         {C: [0.8889, 0.6667, 0.7619], C_MACRO: [0.9, 0.6667, 0.766],
          R: [0.7, 0.7778, 0.7368], R_MACRO: [0.75, 0.8, 0.7742]}),
        # A sentence that could not be parsed counts.
        ([PARSED[0], LABELED[0]], ["", LABELED[0]],
         {C: [1, 0.5, 0.6667], C_MACRO: [0.5, 0.5, 0.5]}),
        # Sentences that are missing are aligned, at the end as well.
        ([PARSED[0], LABELED[0], PARSED[0]], [LABELED[0], PARSED[0]], {C: [1, 0.6667, 0.8]}),
        ([PARSED[0], LABELED[0]], PARSED[:1], {R: [1.0, 0.4444, 0.6154]}),
        # 母 for 母親; all constituents are there, and all roles.
        ([SHORT], [SHORT.replace("母親", "母")], {C: [1, 1, 1], R: [1, 1, 1]}),
        # Borders are places in the text.
        (["S(agent:NP(Na:溪|Ncd:邊)|Head:V:有|theme:NP(Na:花))"],
         ["S(agent:NP(Na:溪邊)|theme:NP(V:有|Na:花))"], {C: [0.6667, 0.6667, 0.6667]}),
    ],
)  # fmt: skip
def test_scores(gold: list[str], system: list[str], wanted: dict[str, list[float]]) -> None:
    found = scores(gold, system)
    assert {name: found[name] for name in wanted} == wanted


def test_other_labels_do_not_count() -> None:
    gold = "S(theme:NP(V‧的(VH:著名|DE:的)|Na:小說)|Head:V_11:好)"
    assert [label for *_, label in parse(gold).phrases] == ["S", "NP", "V‧的"]
    assert scores([gold], [gold.replace("V‧的(", "X(")])["Constituents (micro)"] == [1, 1, 1]


def test_a_word_may_be_a_colon() -> None:
    assert parse("S(COLON::|Head:COLON::)").words == [":", ":"]
    assert parse("S(COLON::|Head:COLON::)").roles == [(1, 2, "Head")]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("S(NP(Na:花)", 11, "closing brackets are missing: 1"),
        ("S(Na:花))", 8, "the end of the line"),
        ("S(Na:花)S(Na:花)", 8, "the end of the line"),
        ("S(NP(Na:花)Na:花)", 11, r"\| or \)"),
        ("S(Na:花|)", 8, "tag:word"),
        ("S(花)", 3, "tag:word"),
        ("Na:花", 1, "tag:word"),
        ("", 1, "missing"),
    ],
)
def test_errors_have_their_place(text: str, column: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse(text)
    assert caught.value.column == column


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold").write_text(f"{PARSED[0]}\n{LABELED[0]}\n", encoding="utf-8")
    (tmp_path / "system").write_text(f"{PARSED[1]}\nS(NP\n", encoding="utf-8")
    parser = Parser("eval sighan")
    arguments = ["--json", "--sentences", str(tmp_path / "gold"), str(tmp_path / "system")]
    assert Sighan().run(parser.parse_args(arguments)) == 1
    out, err = capsys.readouterr()
    assert f"{tmp_path / 'system'}:2: E603" in err
    found = json.loads(out)
    assert found["scores"][0]["precision"] == 0.8
    assert len(found["sentences"]) == 2
