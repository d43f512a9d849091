"""Formats of other releases with one fault each: the check that it triggers, and its line.

A clean text of each format is read without that code. The same text with one change has it once, at
the line of the fault, and the sentence beside it stays.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from conftest import Cli

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


FAULTS = [
    Fault("tokens", "▁나/NP 는/JX ▁가/VV ㄴ다/EF", "▁ ▁", "E621", 2, "marks only"),
    Fault("tokens", "는/JX", "는", "E103", 2, "expected form/TAG, found '는'"),
    Fault("tokens", "는/JX", "는/", "E103", 2, "expected form/TAG, found '는/'"),
    Fault("tokens", "는/JX", "/JX", "E103", 2, "expected form/TAG, found '/JX'"),
    Fault("tokens", "는/JX", "는/QQ", "W104", 2, "unknown tag QQ"),
    Fault("tokens", "오/VV ㄴ다/EF", "온다/NNG+JX", "W621", 1, "instead of NNG+JX"),
    Fault("tokens", "▁나/NP 는", "나/NP 는", "E621", 2, "the first word has no mark"),
    Fault("tokens", "▁나/NP 는/JX ▁가", "나/NP 는/JX 가", "W633", 2, "the words have no marks"),
    Fault("tokens with tags apart", "NP JX", "NP", "E404", 2, "2 words and 1 tag"),
    Fault("espresso", "나는\tBOS\t", "나는\t", "E101", 3, "found 2"),
    Fault("espresso", "나는\tBOS\t", "나는\tBOS\t\t", "E101", 3, "found 4"),
    Fault("espresso", "나/NP+는/JX", "나는", "E103", 3, "expected form/TAG"),
    Fault("espresso", "나는\t", "\t", "E102", 3, "the form is empty"),
    Fault("espresso", "온다.\tEOS", "온다.\t", "W131", 1, "are BOS -, not BOS EOS"),
    Fault("espresso", "나는\tBOS", "나는\t", "W131", 3, "are - EOS, not BOS EOS"),
    Fault("espresso", "나는\tBOS", "나는\tXXX", "W131", 3, "are XXX EOS, not BOS EOS"),
    Fault("espresso", "는/JX", "는/QQ", "W104", 3, "unknown tag QQ"),
    Fault("treebank", "./SF))\n\n", "./SF)\n\n", "E601", 1, "1 closing bracket is missing"),
    Fault("treebank", "./SF))\n\n", "./SF)))\n\n", "E601", 1, "closes nothing"),
    Fault("treebank", "(NP_SBJ 나", "(나", "E601", 4, "closes nothing"),
    Fault("treebank", "(NP_SBJ 나", "봄 (NP_SBJ 나", "E601", 4, "봄 has no tag of its own"),
    Fault("treebank", "(NP_SBJ 나/NP + 는/JX)", "(NP_SBJ )", "E605", 4, "neither words nor null"),
    Fault("treebank", "나/NP", "/NP", "W103", 4, "a morpheme without a form"),
    Fault("treebank", "나/NP", "나/QQ", "W104", 4, "unknown tag QQ"),
    Fault("framenet", "살/VV+았/EP+다/EF+./SF\t", "", "E419", 7, "expected 15 columns"),
    Fault("framenet", "_\t_\t-1\t-1", "_\t_\t9\t9", "E419", 7, "HEAD 9: expected the number"),
    Fault("framenet", "_\t_\t-1\t-1", "_\t_\t4\t4", "E419", 7, "HEAD 4: expected the number"),
    Fault("framenet", "_\t_\t-1\t-1", "_\t_\tx\tx", "E419", 7, "HEAD x: expected the number"),
    Fault("framenet", "S-Resident", "Resident", "E419", 3, "no frame element in BIO"),
    Fault("framenet", "\tNP_SBJ\tNP_SBJ", "\t\tNP_SBJ", "E419", 3, "an empty one"),
    Fault("framenet", "살/VV+았/EP", "살+았/EP", "E103", 7, "expected form/TAG, found '살'"),
    Fault("framenet", "마을/NNG", "마을/QQ", "W104", 6, "unknown tag QQ"),
    Fault("columns ko:", "ko:봄이\tO", "ko:봄이", "E404", 5, "found no label"),
    Fault("columns ko:", "ko:봄이\tO", "ko:봄이\t", "E404", 5, "found an empty column"),
    Fault("klue-ner", "봄\tO\t", "봄\t\t", "E403", 9, "one character and its label"),
    Fault("klue-ner", "봄\tO\t", "봄", "E403", 9, "one character and its label"),
    Fault("klue-ner", "봄\tO\t", "봄이\tO\t", "E403", 9, "one character and its label"),
    Fault("klue-ner", "봄\tO\t", "봄\tO\tx", "E403", 9, "one character and its label"),
    Fault("morpheme-columns", "이 JKS O", "이 JKS", "E103", 1, "the morpheme 이 has no tag"),
    Fault("morpheme-columns", "이 JKS O", "이 QQ O", "W104", 1, "unknown tag QQ"),
    Fault("columns ##", "서울\tB-LOC", "서울", "E404", 4, "found no label"),
    Fault("sinica", "Head:VC:刊登)\n", "Head:VC:刊登\n", "E603", 1, "closing brackets are missing"),
    Fault("sinica", "他)|Head:VC:刊登)\n", "他)Head:VC:刊登)\n", "E603", 1, "expected | or )"),
    Fault("sinica", "Nh:他)|Head:VC:刊登)\n", ")|Head:VC:刊登)\n", "E603", 1, "expected label"),
    Fault("spans", '"end": 3', '"end": 99', "E406", 1, "[0, 99]: the text has 7 characters"),
    Fault("spans", '0, "end": 3', '3, "end": 0', "E406", 1, "the end later"),
    Fault("spans", '"end": 3', '"end": "3"', "E406", 1, "begin and end, in characters"),
    Fault("spans", '"entities": []', '"entities": [3]', "E406", 2, "an entity is an object"),
    Fault("spans", ', "entities": []', "", "E406", 2, "entities is missing"),
    Fault("spans", '"text": "봄이 온다", ', "", "E406", 2, "text is missing"),
    Fault("spans", '{"text": "봄이', '{"text": 봄이', "E405", 2, "this is not JSON"),
]


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
