"""M2: what is well formed comes back byte for byte, and every fault is told with its line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from corpora import read_corrections
from hypothesis import given
from hypothesis import strategies as st

from sejongud import gec
from sejongud.errors import FormatError, Report
from sejongud.files import Source
from sejongud.formats import corrections_format, recognise, sniff
from sejongud.formats.m2 import M2, read_edit
from sejongud.gec.edits import Corrections, Edit

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


EDIT = "A 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n"
NOOP = "A -1 -1|||noop||||||REQUIRED|||-NONE-|||0\n"
ERRANT = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
KEPT = [
    f"S 나는 갓다\n{EDIT}\n",
    f"S 나는 간다\n{NOOP}\n",
    f"S 나는 간다\n{ERRANT}\n",
    f"S 나는 간다\n\nS 나는 갓다\n{EDIT}\n",
    f"S 나는 갓다\n{EDIT}{NOOP.replace('|||0', '|||1')}\n",
    f"S 나는 갓다\n{EDIT.replace('|||0', '|||3')}\n",
    f"S 나는 갓다\nT0-A0 나는 갔다\n{EDIT}T1-A1 나는 간다\n{EDIT.replace('|||0', '|||1')}\n",
    f"# 0123\nS 나는 갓다\nI 17\n{EDIT}\n",
    f"# 0123\n\nS 나는 갓다\n{EDIT}\n",
    f"S # 0123\n{NOOP}\nS 나는 갓다\n{EDIT}\n",
    f"S 나는 갓다\n{EDIT.replace('REQUIRED', 'OPTIONAL').replace('-NONE-', '왜')}\n",
    f"S 나는 갓다\n{EDIT.replace('갔다', '갔다||가다')}\n",
    f"S 나는 갓다\n{EDIT.replace('갔다', '-NONE-')}\n",
    f"S 나는 갓다\n{EDIT.replace('갔다', '')}{EDIT.replace('1 2', '2 2')}\n",
    f"S 나는  갓다 \n{EDIT}\n",
    f"S\n{EDIT.replace('1 2', '0 0')}\n",
    f"S 나는 갓다\n{EDIT}{EDIT.replace('1 2', '0 1')}\n",
    f"S 나|||는 갓다\n{EDIT}\n",
    f"S 나는 간다\n{ERRANT}\nS 나는 간다\n{NOOP}\n",
    f"\n\nS 나는 갓다\n{EDIT}\n\n\nS 나는 간다\n{NOOP} \n\nS 나는 간다\n{NOOP}\n\t\n",
]
"""Files that M2 to M2 leaves as they are."""


read = partial(read_corrections, name="m2")


@pytest.mark.parametrize("text", KEPT)
def test_a_well_formed_file_comes_back(text: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "a.m2").write_bytes(text.encode())
    assert cli("gec", "convert", "--from", "m2", "--to", "m2", "a.m2").text() == text


@pytest.mark.parametrize("text", KEPT)
@pytest.mark.parametrize("name", ["jsonl", "conllu"])
def test_it_comes_back_through_other_formats(
    text: str, name: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "a.m2").write_bytes(text.encode())
    assert cli("gec", "convert", "--to", name, "--from", "m2", "a.m2", "b").returncode == 0
    done = cli("gec", "convert", "--from", name, "--to", "m2", "b")
    if name == "conllu" and "S\n" in text:
        return  # CoNLL-U has no sentence without words.
    assert done.stdout.decode() == text


def test_all_kinds_of_lines_stand_in_one_file(tmp_path: Path) -> None:
    found, incidents = read("".join(KEPT), tmp_path)
    assert "".join(map(M2().sentence, found)) == "".join(KEPT)
    assert not incidents


@pytest.mark.parametrize(
    "text",
    [
        f"S 나는 갓다\r\n{EDIT.strip()}\r\n\r\n",
        f"\ufeffS 나는 갓다\n{EDIT}\n",
        f"S 나는 갓다\n{EDIT}",
        f"S 나는 갓다\n{EDIT.strip()}",
        f"\n\nS 나는 갓다\n{EDIT}\n\n\n",
        f"S 나는 갓다\n{EDIT} \t\n",
    ],
)
def test_line_ends_marks_and_blank_lines(text: str, tmp_path: Path) -> None:
    found, incidents = read(text, tmp_path)
    assert [item.target() for item in found] == [("나는", "갔다")]
    assert not incidents


@pytest.mark.parametrize("text", KEPT)
def test_it_is_read_as_a_file_or_as_a_text(text: str, tmp_path: Path) -> None:
    expected, _ = read(text, tmp_path)
    path = tmp_path / "in"
    assert list(gec.read_m2(path)) == list(gec.read_m2(str(path))) == expected
    assert list(gec.read_m2(text)) == list(gec.read_m2(text.rstrip("\n") + "\n")) == expected


def test_a_fault_of_a_text_has_its_line() -> None:
    text = "S 나는 갓다\nA 7 8|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n"
    with pytest.raises(FormatError, match="the edit goes from 7 to 8") as raised:
        list(gec.read_m2(text))
    assert (raised.value.path, raised.value.line) == ("-", 2)
    report = Report()
    [found] = gec.read_m2(text, on_error="skip", report=report)
    assert found[:2] == (("나는", "갓다"), {0: ()})
    assert report.counts == {"E504": 1}


def test_unsorted_edits_are_sorted_and_annotators_stay_in_order(tmp_path: Path) -> None:
    lines = ["A 1 2|||a|||x|||R|||-|||1", "A 0 0|||b|||y|||R|||-|||0", "A 0 1|||c|||z|||R|||-|||1"]
    found, _ = read("S 나는 간다\n" + "\n".join(lines), tmp_path)
    assert [
        (annotator, [edit.type for edit in edits]) for annotator, edits in found[0].edits.items()
    ] == [(1, ["c", "a"]), (0, ["b"])]


FAULTS = [
    (EDIT, 1, "E502", "S first"),
    (f"S a\nS b\n\n{EDIT}", 4, "E502", "S first"),
    ("S 나는 갓다\nX 1\n" + EDIT, 2, "E501", "expected: S, A, T0-A0, I or #"),
    ("S 나는 갓다\nA 1 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n", 2, "E504", "from 0 to 2"),
    ("S 나는 갓다\nA 2 1|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n", 2, "E504", "from 2 to 1"),
    ("S 나는 갓다\nA -1 1|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n", 2, "E504", "from -1 to 1"),
    ("S 나는 갓다\nA 1|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n", 2, "E503", "two numbers"),
    ("S 나는 갓다\nA 1 b|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n", 2, "E503", "two numbers"),
    ("S 나는 갓다\nA 1 ²|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n", 2, "E503", "two numbers"),
    (f"S a\nA 1 {'9' * 5000}|||T|||a|||REQUIRED|||-NONE-|||0\n", 2, "E503", "two numbers"),
    ("S 나는 갓다\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-\n", 2, "E503", "6 are expected"),
    ("S 나는 갓다\nA 1 2|||SPELL|||갔|||다|||REQUIRED|||-NONE-|||0\n", 2, "E503", "7 fields"),
    ("S 나는 갓다\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||x\n", 2, "E503", "number from 0"),
    ("S 나는 갓다\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||-1\n", 2, "E503", "number from 0"),
    (f"S 나는 갓다\n{EDIT}\n# 1\n", 4, "E106", "no sentence"),
]


@pytest.mark.parametrize(("text", "line", "code", "said"), FAULTS)
def test_a_fault_has_its_line_and_what_is_expected(
    text: str, line: int, code: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as caught:
        read(text, tmp_path)
    assert (caught.value.line, caught.value.code) == (line, code)
    assert said in caught.value.message
    assert caught.value.path == str(tmp_path / "in")


def test_skip_leaves_the_edit_out_and_tells_it(tmp_path: Path) -> None:
    text = f"S 나는 갓다\n{EDIT}A 5 6|||SPELL|||x|||REQUIRED|||-NONE-|||0\n\nS 나는 간다\n{NOOP}\n"
    found, incidents = read(text, tmp_path, on_error="skip")
    assert [item.edits for item in found] == [{0: (read_edit(EDIT.strip(), 2),)}, {0: ()}]
    assert [(one.code, one.line) for one in incidents] == [("E504", 3)]


def test_a_sentence_without_a_blank_line_before_it_is_read_with_a_warning(tmp_path: Path) -> None:
    found, incidents = read(f"S 나는 갓다\n{EDIT}S 나는 간다\n{NOOP}\n", tmp_path)
    assert [item.tokens[1] for item in found] == ["갓다", "간다"]
    assert [(one.code, one.line) for one in incidents] == [("W501", 3)]


@pytest.mark.parametrize(
    "item",
    [
        Corrections(("나|||는",), {0: (Edit(0, 1, "나"),)}),
        Corrections(("나는", ""), {0: ()}),
        Corrections(("나 는",), {0: ()}),
        Corrections(("나\n는",), {0: ()}),
        Corrections(("나는",), {0: (Edit(0, 1, "나|||는"),)}),
        Corrections(("나는",), {0: (Edit(0, 1, "나", "T|||"),)}),
        Corrections(("나는",), {0: (Edit(0, 1, "나\n는"),)}),
    ],
)
def test_it_cannot_be_m2(item: Corrections) -> None:
    with pytest.raises(FormatError) as caught:
        M2().sentence(item)
    assert caught.value.code == "E506"


def test_a_sentence_has_the_line_of_its_source(tmp_path: Path) -> None:
    path = tmp_path / "a.m2"
    path.write_text(f"# 1\nS a\n\n\nS 나는 갓다\n{EDIT}S b\n", encoding="utf-8")
    with Source(path) as source:
        found = corrections_format("m2").numbered(source, "stop", Report())
        assert [line for line, _ in found] == [2, 5, 7]


def test_a_changed_sentence_keeps_its_headings(tmp_path: Path) -> None:
    found, _ = read(f"# 0123\nS 나는 갓다\nI 17\nT0-A0 나는 갔다\n{EDIT}\n", tmp_path)
    changed = found[0]._replace(edits={0: ()})
    assert M2().sentence(changed) == f"# 0123\nS 나는 갓다\nI 17\n{NOOP}\n"


def test_a_comment_that_somebody_changed_decides_nothing() -> None:
    for value in ("null", '["S a b\\n"]', '["A 0 1"]', "[1]", '["S 나는 갓다\\nS"]'):
        item = Corrections(("나는",), {0: ()}, comments=(f"m2_block = {value}",))
        assert M2().sentence(item) == f"S 나는\n{NOOP}\n"


def test_recognition() -> None:
    assert str(sniff(f"S 나는 갓다\n{EDIT}\n")) == "m2 kagas"
    assert str(sniff(f"# 1\nS 나는 갓다\n{ERRANT}\n")) == "m2 errant"
    assert str(recognise("m2", "S 나는 갓다\n")) == "m2 kagas"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="|"), max_size=5)
WORD = TEXT.map(lambda text: "".join(text.split())).filter(bool)
FIELD = TEXT.filter(lambda text: not set(text) & set("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))


@st.composite
def sentences(draw: st.DrawFn) -> Corrections:
    tokens = draw(st.lists(WORD, max_size=5))
    annotators = draw(st.sets(st.integers(0, 3), min_size=1))
    edits = {}
    for annotator in sorted(annotators):
        places = st.tuples(st.integers(0, len(tokens)), st.integers(0, len(tokens)))
        spans = sorted({(min(pair), max(pair)) for pair in draw(st.lists(places, max_size=3))})
        edits[annotator] = tuple(
            [
                Edit(begin, end, draw(FIELD), draw(FIELD), annotator, draw(FIELD), draw(FIELD))
                for begin, end in spans
            ]
        )
    return Corrections(tuple(tokens), edits)


@given(sentences())
def test_any_sentence_comes_back(item: Corrections) -> None:
    text = M2().sentence(item)
    lines = text.split("\n")
    found = M2()._sentence(lines, 1, lambda error: pytest.fail(str(error)))
    assert found is not None
    assert found[:2] == item[:2]
    assert M2().sentence(found) == text


def test_no_edits_in_the_published_programs() -> None:
    for style, line in (("kagas", NOOP), ("errant", ERRANT)):
        assert M2(style).sentence(Corrections(("가",))) == f"S 가\n{line}\n"
