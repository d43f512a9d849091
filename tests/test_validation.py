"""Each check finds its fault, in a file of data/ that has no other; the rest of `validation`.

The files are named by the code. In those of CoNLL-U the second sentence, lines 12 to 21, has the
fault unless the table says otherwise.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.api import convert
from sejongud.errors import AREAS, CODES, Incident, Report, UsageError
from sejongud.files import Source
from sejongud.formats import resolve
from sejongud.formats.base import Block
from sejongud.formats.conllu.rows import parse
from sejongud.model import Sentence
from sejongud.rules import load
from sejongud.validation import (
    LAYOUT,
    Outcome,
    Validation,
    _BlankLines,
    codes,
    table,
    validate,
)
from sejongud.validation.checks import (
    CONLLU_CHECKS,
    EOJEOL_CHECKS,
    LINE_CHECKS,
    SENTENCE_CHECKS,
    CheckedBlock,
    Scheme,
)

CASES = cases("validation")

DATA = Path(__file__).parent / "data"
RULES = load()
TABLES = (LINE_CHECKS, EOJEOL_CHECKS, SENTENCE_CHECKS, CONLLU_CHECKS, LAYOUT)


def find(path: Path, *select: str, jobs: int = 1) -> tuple[list[Incident], Outcome]:
    incidents: list[Incident] = []
    with Source(path) as source:
        name = resolve(None, source.head())
        validation = Validation(name, select, "keep", "sejong", "normalised", path=str(path))
        outcome = validate(validation, source, Report(incidents.append), jobs=jobs)
    return incidents, outcome


class Fault(NamedTuple):
    name: str
    line: int
    said: str
    """Something of the message."""
    others: tuple[str, ...] | list[str] = ()
    """Codes that the same fault has as well."""


FAULTS = [Fault(*row) for row in CASES["FAULTS"]]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_and_nothing_else(fault: Fault) -> None:
    code = fault.name[:4]
    incidents, _ = find(DATA / fault.name)
    assert {incident.code for incident in incidents} == {code, *fault.others}
    [incident] = [incident for incident in incidents if incident.code == code]
    assert (incident.path, incident.line) == (str(DATA / fault.name), fault.line)
    assert fault.said in incident.message


def test_a_joiner_is_a_fault_but_between_emoji(tmp_path: Path) -> None:
    forms = ("\U0001f468\u200d\U0001f467", "\u2764\ufe0f\u200d\U0001f525", "가\u200d나")
    text = "".join([f"{form}\t{form}/SW\n" for form in forms])
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert [incident.line for incident in find(tmp_path / "a.txt", "W122")[0]] == [3]


def test_an_empty_node_is_no_fault() -> None:
    assert find(DATA / "W202-0.conllu")[0] == []


def test_every_file_is_tested_and_every_check_has_one() -> None:
    tested = {fault.name for fault in FAULTS} | {"W202-0.conllu", "clean-level-2.conllu"}
    there = {path.name for path in DATA.glob("*.conllu")}
    there |= {path.name for path in DATA.glob("W12*.txt")}
    assert there == tested
    checked = {code for checks in TABLES for code in checks}
    assert checked <= {fault.name[:4] for fault in FAULTS}


def test_ids_are_in_order_by_numbers_of_any_length(tmp_path: Path) -> None:
    text = (DATA / "W128-0.txt").read_text(encoding="utf-8")
    numbers = ("0", "9", "10", "1" + "0" * 5000)
    for number, new in zip(("1", "2", "4", "3"), numbers, strict=True):
        text = text.replace(f"BTXX0009-0000000{number}", f"BTXX0009-{new}")
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert find(tmp_path / "a.txt", "W128")[0] == []
    (tmp_path / "b.txt").write_text(text.replace("-10\t", "-2" + "0" * 5000 + "\t"))
    [incident] = find(tmp_path / "b.txt", "W128")[0]
    assert incident.line == 5


def test_a_clean_file() -> None:
    incidents, outcome = find(DATA / "clean-level-2.conllu")
    assert incidents == []
    assert (outcome.sentences, outcome.eojeols) == (1, 2)


@pytest.mark.parametrize("level", range(1, 6))
@pytest.mark.parametrize("name", ["sejong.txt", "sejong-ids.txt", "sejong-senses.txt"])
def test_what_we_write_is_what_we_check_for(
    root: Path, tmp_path: Path, name: str, level: int
) -> None:
    path = tmp_path / "out.conllu"
    convert(root / "samples" / name, path, level=level)
    incidents, outcome = find(path, "E", "W2")
    assert incidents == []
    assert outcome.eojeols > 0


def test_select_takes_beginnings_of_codes() -> None:
    path = DATA / "W204-0.conllu"
    assert {i.code for i in find(path, "W23", "E")[0]} == {"W236"}
    assert {i.code for i in find(path, "W204")[0]} == {"W204"}
    assert find(path, "E")[0] == []
    with pytest.raises(UsageError, match="W999"):
        Validation("conllu", ("W2", "W999"))
    with pytest.raises(UsageError, match="name it with --upos"):
        Validation("conllu", ("W237",))


def test_a_file_that_cannot_be_read_is_an_incident() -> None:
    incidents, outcome = find(DATA / "E107-no-sentence.txt")
    assert [incident.code for incident in incidents] == ["E107"]
    assert outcome.sentences == 0


def test_all_errors_of_a_file_are_found(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("가\t가/VV+아\n나\n\n다\t다/MAG\n라\n", encoding="utf-8")
    incidents, _ = find(path, "E")
    assert [(i.code, i.line) for i in incidents] == [("E103", 1), ("E101", 2), ("E101", 5)]


class TestCodes:
    def test_every_code_of_the_program_is_in_the_table(self, root: Path) -> None:
        used = set()
        for folder in ("sejongud", "converters", "rules"):
            for path in (root / folder).rglob("*.py"):
                used |= set(re.findall(r'"([EWI]\d{3})"', path.read_text(encoding="utf-8")))
        assert used <= set(codes())

    def test_no_code_is_given_twice(self) -> None:
        given = [*CODES, *(code for checks in TABLES for code in checks)]
        assert len(given) == len(set(given))

    def test_every_code_has_a_message_of_one_line_and_an_area(self) -> None:
        for code, message in codes().items():
            assert re.fullmatch(r"[EWI]\d{3}", code)
            assert code[1] in AREAS
            assert 5 < len(message) < 90
            assert not message.endswith(".")

    def test_the_table_has_them_all(self) -> None:
        assert re.findall(r"^  ([EWI]\d{3})  \S", table(), re.MULTILINE) == list(codes())
        assert list(codes()) == sorted(codes(), key=lambda code: (code[1], code))


def reaches_root(heads: list[int], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1]
        if not 0 < word <= len(heads):
            return True
    return False


@given(st.lists(st.integers(0, 7), min_size=1, max_size=7))
def test_circles_are_found_where_there_are_any(heads: list[int]) -> None:
    heads = [min(head, len(heads)) for head in heads]
    rows = [f"{n}\t꽃\t꽃\tNOUN\tNNG\t_\t{head}\tdep\t_\t_" for n, head in enumerate(heads, 1)]
    block = Block("\n".join(rows), 1, 1, "1")
    checked = CheckedBlock(block, parse(block.text), Sentence(()), Scheme(RULES))
    found = [int(finding.token) for finding in CONLLU_CHECKS["E207"](checked)]
    assert bool(found) == (not all(reaches_root(heads, n + 1) for n in range(len(heads))))
    assert not any(reaches_root(heads, word) for word in found)


@given(
    st.lists(st.sampled_from(["a", "", " ", "\t", "b c"]), max_size=12),
    st.booleans(),
    st.lists(st.booleans(), min_size=13, max_size=13),
)
def test_blank_lines_however_the_text_is_cut(
    lines: list[str], final: bool, cuts: list[bool]
) -> None:
    chunks = [""]
    for line, cut in zip(lines, cuts, strict=False):
        chunks[-1] += line + "\n"
        if cut:
            chunks.append("")
    chunks = [chunk for chunk in chunks if chunk]
    if chunks and not final and lines[-1]:
        chunks[-1] = chunks[-1][:-1]
    before = [True, *(not line.strip() for line in lines)]
    surplus = [
        number
        for number, line in enumerate(lines, 1)
        if not line.strip() and (line or before[number - 1])
    ]
    layout = _BlankLines()
    assert list(layout.watch(chunks)) == chunks
    assert (layout.blanks, layout.lines) == (surplus, len(lines))


def test_a_real_treebank(shared: Path) -> None:
    # One text has a space too many in the middle; everything else is as the checks want it.
    incidents, _ = find(shared / "data" / "ud-korean-ksl" / "ko_ksl-ud-dev.conllu", "E")
    assert [incident.code for incident in incidents] == ["E216"]
