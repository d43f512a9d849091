"""A sentence a line, without a surface: written and read again, made by Kiwi."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER
from hypothesis import given
from hypothesis import strategies as st

from sejongud import loads
from sejongud.errors import FormatError, OnError, Report
from sejongud.formats.sejong import LineReader, LineWriter
from sejongud.model import Eojeol, Morpheme, Sentence
from sejongud.morphology.eojeol import MADE

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str, on_error: OnError = "stop") -> tuple[list[Sentence], list[str]]:
    """The sentences, and the incidents, but those of the surface, as `line code`."""
    said: list[str] = []
    report = Report(lambda i: None if i.code == MADE.code else said.append(f"{i.line} {i.code}"))
    reader = LineReader(ASSEMBLER, keep=on_error == "keep")
    return list(reader.read(reader.blocks([text]), "x.txt", on_error, report)), said


def write(sentences: list[Sentence]) -> str:
    return "".join(map(LineWriter().sentence, sentences))


def test_the_sample_comes_back(root: Path) -> None:
    text = (root / "samples" / "sejong-line.txt").read_text(encoding="utf-8")
    sentences, said = read(text)
    assert said == []
    assert write(sentences) == text
    assert [sentence.text for sentence in sentences] == [
        "나는 아침마다 공원을 걷는다.",
        "그것은 도와 준 이 친구의 가방이다.",
        "A/B는 3+4이라고 했다",
        "빈센트 반 고흐는 거야 +",
    ]
    assert all(MADE in eojeol.notes for s in sentences for eojeol in s.eojeols)


@pytest.mark.parametrize("line", ["책/ncn+을/jco 샀/pvg+다/ef+./sf", "책/NNC+을/PCA", "책/NN ./."])
def test_lines_with_other_tags_are_recognised(line: str) -> None:
    assert LineReader.sniff(f"{line}\n") == ""
    assert LineReader.sniff(f"{line} km/h\n") is None


def test_numbers_and_blank_lines() -> None:
    sentences, _ = read("\n가/VV+ㄴ다/EF\n\n  \n오/VV+ㄴ다/EF")
    found = [(s.sent_id, s.number, s.text) for s in sentences]
    assert found == [("1", 1, "간다"), ("2", 2, "온다")]


@pytest.mark.parametrize(
    ("line", "written", "said"),
    [
        ("나/NP + 는/JX  가/VV +  ㄴ다/EF", "나/NP+는/JX 가/VV+ㄴ다/EF", []),
        ("\t나/NP\u3000너/NP ", "나/NP 너/NP", []),
        ("+ 나/NP 가/VV +", "나/NP 가/VV", ["1 W102", "1 W102"]),
        ("나/NP+ 는/JX", "나/NP+는/JX", []),
        ("+/SW +/SW 1/SN++/SW+2/SN", "+/SW +/SW 1/SN++/SW+2/SN", []),
        ("나/NNGG", "나/NNGG", ["1 W101"]),
        ("나/FOO", "나/FOO", ["1 W104", "1 W117"]),
        ("나__02/NP+/JX", "나__02/NP+/JX", ["1 W103", "1 W106"]),
    ],
)
def test_spellings(line: str, written: str, said: list[str]) -> None:
    sentences, incidents = read(line)
    assert write(sentences) == written + "\n"
    assert [one for one in incidents if not one.endswith("W106")] == [
        one for one in said if not one.endswith("W106")
    ]


def test_a_missing_tag_is_an_error_with_its_place() -> None:
    text = "나/NP\n나/NP+는/JX 학교 가/VV\n"
    with pytest.raises(FormatError) as caught:
        read(text)
    error = caught.value
    assert (error.code, error.line, error.column) == ("E103", 2, 11)
    assert error.text[error.column - 1 :].startswith("학교")
    sentences, said = read(text, "skip")
    assert (len(sentences), said) == (1, ["2 E103"])
    sentences, said = read(text, "keep")
    assert said == ["2 E103"]
    assert [m.tag for m in sentences[1].morphemes] == ["NP", "JX", "NA", "VV"]


TAGS = st.sampled_from(["NNG", "NNP", "SW", "SP", "EF", "VV", "JX", "SN", "MMD", "NA"])
FORMS = st.text("가나ㄴᆫ ab1+-|=\\%_(.)", max_size=5) | st.sampled_from(
    ["+", "/", "\\s", " ", "a\u00a0b"]
)
MORPHEMES = st.builds(
    lambda form, tag, sense: ASSEMBLER.analysis.morpheme(form, tag)._replace(sense=sense),
    # Sejong notation cannot tell these apart: an empty item from the plus sign before a form, a
    # sense from an underscored number.
    FORMS.filter(lambda f: (f == "+" or not f.startswith("+")) and "_" not in f),
    TAGS,
    st.sampled_from(["", "", "", "02"]),
).filter(lambda m: m.form or not m.sense)


@given(st.lists(st.lists(MORPHEMES, min_size=1, max_size=4), min_size=1, max_size=4))
def test_what_is_written_is_read(eojeols: list[list[Morpheme]]) -> None:
    sentence = Sentence(tuple([Eojeol("x", tuple(morphemes)) for morphemes in eojeols]), "1")
    (again,), _ = read(LineWriter().sentence(sentence))
    read_again = [[m for m in eojeol.morphemes if not m.added] for eojeol in again.eojeols]
    assert read_again == eojeols


@pytest.mark.parametrize("mark", " ,;|")
@pytest.mark.parametrize("names", ["", "어절{}분석\n"])
def test_columns_with_another_mark_between_are_no_lines_of_analyses(mark: str, names: str) -> None:
    """A spreadsheet writes CSV."""
    rows = [f"나는{mark}나/NP+는/JX\n", f"간다.{mark}가/VV+ㄴ다/EF+./SF\n"]
    with pytest.raises(FormatError, match="expected two columns with a tab between"):
        loads("".join([names.format(mark), *rows]))
