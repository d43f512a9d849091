"""Formats of other releases with one fault each: the check that it triggers, and its line.

A clean text of each format is read without that code. The same text with one change has it once, at
the line of the fault, and the sentence beside it stays.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from cases import cases

if TYPE_CHECKING:
    from conftest import Cli

CASES = cases("one_fault")

DATA = Path(__file__).parent / "data"


def data(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


CLEAN = {
    "tokens": "▁봄/NNG 이/JKS ▁오/VV ㄴ다/EF\n▁나/NP 는/JX ▁가/VV ㄴ다/EF\n▁또/MAG ▁봄/NNG\n",
    "tokens with tags apart": "▁봄 이\tNNG JKS\n▁나 는\tNP JX\n",
    "espresso": (
        "봄이\tBOS\t봄/NNG+이/JKS\n온다.\tEOS\t오/VV+ㄴ다/EF+./SF\n"
        "나는\tBOS\t나/NP+는/JX\n간다.\tEOS\t가/VV+ㄴ다/EF+./SF\n"
    ),
    "treebank": (
        "(S (NP_SBJ 봄/NNG + 이/JKS)\n   (VP 오/VV + ㄴ다/EF + ./SF))\n\n"
        "(S (NP_SBJ 나/NP + 는/JX)\n   (VP 가/VV + ㄴ다/EF + ./SF))\n"
    ),
    "framenet": data("framenet-0.8.tsv"),
    "columns ko:": "ko:김대중은\tB-PER\nko:서울에\tB-LOC\nko:갔다\tO\n\nko:봄이\tO\nko:왔다\tO\n\n",
    "naver": "1\t봄이\t-\n2\t온다\t-\n\n1\t서울은\tLOC_B\n\n",
    "klue-ner": (
        "## 나-1\t<김:PS>이 온다\n김\tB-PS\t\n이\tO\t\n \tO\t\n온\tO\t\n다\tO\t\n\n"
        "## 나-2\t봄\n봄\tO\t\n\n"
    ),
    "morpheme-columns": data("ner/morpheme-columns.txt"),
    "columns ##": data("ner/word-pieces.tsv"),
    "sinica": "S(agent:NP(Nh:他)|Head:VC:刊登)\n" + data("sinica.txt"),
    "spans": (
        '{"text": "김하늘이 간다", "entities": [{"start": 0, "end": 3, "label": "PER"}]}\n'
        '{"text": "봄이 온다", "entities": []}\n'
    ),
}


class Fault(NamedTuple):
    of: str
    old: str
    new: str
    code: str
    line: int
    message: str


FAULTS = [Fault(*row) for row in CASES["FAULTS"]]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.of} {fault.code}")
def test_one_fault_has_its_code_and_its_line(cli: Cli, tmp_path: Path, fault: Fault) -> None:
    text = CLEAN[fault.of]
    told = []
    changed = text.replace(fault.old, fault.new, 1)
    for content in (text, changed):
        (tmp_path / "a.txt").write_text(content, encoding="utf-8")
        result = cli("convert", "a.txt", "-", "--on-error", "skip")
        lines = re.findall(rf"(?m)^a\.txt:(\d+): {fault.code} (.*)$", result.stderr.decode())
        told.append((lines, result.returncode, result.stdout.count(b"# text = ")))
    (clean, status, count), ([(line, message), *more], after, left) = told
    assert (clean, status, more) == ([], 0, [])
    assert (int(line), fault.message in message) == (fault.line, True), message
    is_error = fault.code.startswith("E")
    # A sentence without its tree keeps its words.
    assert (after, left) == (is_error, count - (is_error and fault.of != "treebank"))
