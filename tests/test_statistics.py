"""The figures of Table 2.1, counted by hand and by another program, and `sejongud stats`."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import TYPE_CHECKING

import conllu
import pytest
from corpora import ASSEMBLER, RULES
from hypothesis import given
from hypothesis import strategies as st
from portions import some, some_levels

import sejongud
from sejongud import statistics
from sejongud.api import convert
from sejongud.converters.jobs import read
from sejongud.errors import UsageError
from sejongud.model import LEVELS, Sentence, Target
from sejongud.statistics import _Distinct, collect
from sejongud.statistics.layers import LayerStatistics

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli
    from conllu.models import Token

# The sentence of Figure 2.3 of the memoir, the one that its levels are shown by.
PAPER = [
    "프랑스의\t프랑스/NNP+의/JKG",
    "세계적인\t세계/NNG+적/XSN+이/VCP+ᆫ/ETM",
    "의상\t의상/NNG",
    "디자이너\t디자이너/NNG",
    "엠마누엘\t엠마누엘/NNP",
    "웅가로가\t웅가로/NNP+가/JKS",
    "실내\t실내/NNG",
    "장식용\t장식/NNG+용/XSN",
    "직물\t직물/NNG",
    "디자이너로\t디자이너/NNG+로/JKB",
    "나섰다.\t나서/VV+었/EP+다/EF+./SF",
]


def sentence(lines: list[str]) -> Sentence:
    assembler = ASSEMBLER
    return Sentence(tuple([assembler[line] for line in lines]))


def test_table_2_1_of_the_papers_sentence() -> None:
    found = collect([sentence(PAPER)], RULES)
    words = {level: of.words for level, of in found.levels.items()}
    assert words == {1: 11, 2: 12, 3: 15, 4: 18, 5: 21}
    # 1: 프랑스의 세계적인 웅가로가 장식용 디자이너로 나섰다.; 2: the same, 나섰다 without its stop;
    # 3: 세계적인 장식용 나섰다; 4: 세계적이 장식용; 5: none.
    complex_words = {level: of.complex_words for level, of in found.levels.items()}
    assert complex_words == {1: 6, 2: 6, 3: 3, 4: 2, 5: 0}
    mcw = [f"{of.mcw:.4f}" for of in found.levels.values()]
    assert mcw == ["0.5455", "0.5000", "0.2000", "0.1111", "0.0000"]
    # 5: NNP JKG NNG XSN VCP ETM JKS JKB VV EP EF SF.
    nts = {level: of.immediate_nts for level, of in found.levels.items()}
    assert nts == {1: 8, 2: 9, 3: 9, 4: 12, 5: 12}
    assert found.levels[3].upos == {
        "PROPN": 3,
        "NOUN": 6,
        "VERB": 2,
        "ADP": 3,
        "PUNCT": 1,
    }
    assert found.levels[4].xpos["NNG+XSN+VCP"] == 1


def test_sentences_eojeols_and_lengths() -> None:
    found = collect([sentence(PAPER), sentence(PAPER[2:4]), sentence(PAPER[2:4])], RULES)
    assert (found.sentences, found.eojeols, found.distinct_eojeols) == (3, 15, 11)
    eojeols, morphemes, characters = found.lengths.values()
    assert (eojeols, morphemes) == ({11: 1, 2: 2}, {1: 5 + 4, 2: 4, 4: 2})
    assert characters == {2: 3 + 2, 3: 1, 4: 6 + 2, 5: 1}


def test_one_form_with_two_analyses_is_one_distinct_eojeol() -> None:
    found = collect([sentence(["나는\t나/NP+는/JX", "나는\t날/VV+는/ETM"])], RULES)
    assert (found.eojeols, found.distinct_eojeols) == (2, 1)
    assert found.levels[1].xpos == {"NP+JX": 1, "VV+ETM": 1}


def test_nothing() -> None:
    found = collect([], RULES)
    assert (found.sentences, found.eojeols, found.levels[1].mcw) == (0, 0, 0.0)


def test_no_such_scheme() -> None:
    with pytest.raises(UsageError):
        collect([], RULES, upos="none")


def test_counts_that_are_added_up_often_are_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "samples" / "sejong.txt"
    at_once = collect(read(path), RULES)
    monkeypatch.setattr(statistics, "_GATHERED", 3)
    monkeypatch.setattr(_Distinct, "_NEW", 10)
    assert collect(read(path), RULES) == at_once


@pytest.mark.parametrize("level", LEVELS)
def test_the_words_are_those_that_are_written(root: Path, tmp_path: Path, level: int) -> None:
    path = root / "samples" / "sejong-ids.txt"
    tokens = _written(path, tmp_path, level)
    of = collect(read(path), RULES).levels[level]
    assert of.words == len(tokens)
    assert of.upos == Counter(token["upos"] for token in tokens)
    assert of.xpos == Counter(token["xpos"] for token in tokens)
    assert of.complex_words == sum("+" in token["xpos"] for token in tokens)


@pytest.mark.parametrize("level", some_levels())
def test_the_arcs_of_a_treebank_tell_the_words_that_are_joined(
    shared: Path, tmp_path: Path, level: int
) -> None:
    text = (shared / "data" / "ud-korean-gsd" / "ko_gsd-ud-dev.conllu").read_text("utf-8")
    path = tmp_path / "in.conllu"
    path.write_text(some(text), "utf-8")
    tokens = _written(path, tmp_path, level)
    of = collect(read(path), RULES).levels[level]
    assert of.upos == Counter(token["upos"] for token in tokens)
    assert of.xpos == Counter(token["xpos"] for token in tokens)


def _written(path: Path, folder: Path, level: int) -> list[Token]:
    """Return the words that `convert` writes."""
    convert(path, folder / "out.conllu", level=level)
    return [
        token
        for parsed in conllu.parse((folder / "out.conllu").read_text(encoding="utf-8"))
        for token in parsed
        if isinstance(token["id"], int)
    ]


@given(st.lists(st.lists(st.text(max_size=2))))
def test_distinct_texts(parts: list[list[str]]) -> None:
    distinct = _Distinct()
    for part in parts:
        distinct.update(part)
        distinct._merge()
    assert len(distinct) == len({text for part in parts for text in part})


def test_a_number_a_row() -> None:
    found = collect([sentence(PAPER)], RULES)
    frame = found.to_dataframe(top=2)
    assert list(frame.columns) == ["statistic", "level", "key", "value"]
    xpos = frame[(frame.statistic == "XPOS") & (frame.level == 5)]
    assert list(zip(xpos.key, xpos.value, strict=True)) == [("NNG", 7), ("NNP", 3)]
    tokens = frame[frame.statistic == "tokens"]
    assert dict(zip(tokens.level, tokens.value, strict=True)) == {
        1: 11,
        2: 12,
        3: 15,
        4: 18,
        5: 21,
    }


def test_plain_values() -> None:
    found = collect([sentence(PAPER)], RULES).to_dict(top=1)
    assert found["levels"]["5"]["xpos"] == {"NNG": 7}
    assert found["levels"]["5"]["immediate_nts"] == 12
    assert found["lengths"]["eojeols a sentence"] == {"11": 1}


def test_the_frames_of_a_corpus_are_counted(root: Path) -> None:
    counts = LayerStatistics()
    read_back = list(counts.counted(sejongud.read(root / "samples" / "framenet.tsv")))
    found = counts.to_dict(top=1)["frames"]
    assert (found["instances"], found["sentences"], found["frames_a_sentence"]) == (6, 4, 1.5)
    assert (found["distinct_frames"], found["distinct_elements"]) == (6, 12)
    assert (found["names"], found["elements"]) == ({"Attention": 1}, {"Time": 2})
    assert ("frames: instances", 0, "", 6) in counts.rows()
    assert ("frames: lexical units", 0, "Verb", 4) in counts.rows()
    thirds = LayerStatistics()
    sentences = {sentence.text: sentence for sentence in read_back}
    for sentence in [*list(sentences.values())[:3], read_back[0]]:
        thirds.add(sentence)
    assert thirds.to_dict()["frames"]["frames_a_sentence"] == 1.333
    counts.frames.add(["강연한다."], [Target("강연하다.v", "Other")])
    assert counts.to_dict()["frames"]["frames_a_lexical_unit"] == 1.167


# --- the command ----------------------------------------------------------------------------------


TEXT = "봄이\t봄/NNG+이/JKS\n왔다.\t오/VV+았/EP+다/EF+./SF\n\n".encode()


def test_the_table_of_the_memoir(cli: Cli) -> None:
    result = cli("stats", stdin=TEXT)
    assert result.returncode == 0
    lines = result.stdout.decode().split("\n")
    assert lines[:3] == ["1 sentence", "2 eojeols", "2 distinct eojeols"]
    rows = [line.split() for line in lines]
    assert ["Token", "2", "3", "4", "6", "6"] in rows
    assert ["MCW", "1.0000", "0.6667", "0.2500", "0.0000", "0.0000"] in rows
    assert ["Immediate", "NT", "2", "3", "4", "6", "6"] in rows
    assert ["ADP", "1", "1", "1"] in rows
    assert b"detected format: sejong" in result.stderr


def test_json_and_csv_have_the_same_figures(cli: Cli, root: Path) -> None:
    path = root / "samples" / "sejong.txt"
    found = json.loads(cli("stats", "-q", "--json", path).stdout)
    text = cli("stats", "-q", "--csv", path).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.count("\r") == 0
    assert found["eojeols"] == int(next(r["value"] for r in rows if r["statistic"] == "eojeols"))
    totals = ("sentences", "eojeols", "distinct eojeols")
    assert [row["level"] for row in rows if row["statistic"] in totals] == ["0", "0", "0"]
    for level in "12345":
        upos = {
            row["key"]: int(row["value"])
            for row in rows
            if (row["statistic"], row["level"]) == ("UPOS", level)
        }
        assert upos == found["levels"][level]["upos"]
        assert sum(upos.values()) == found["levels"][level]["tokens"]


def test_several_inputs_are_counted_together(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    cli("convert", "-q", "--level", "3", "a.txt", "b.conllu")
    found = json.loads(cli("stats", "-q", "--json", "a.txt", "b.conllu").text())
    assert (found["sentences"], found["eojeols"], found["distinct_eojeols"]) == (2, 4, 2)
    assert found["levels"]["5"]["tokens"] == 12


def test_an_error_in_the_data(cli: Cli) -> None:
    text = TEXT + "꽃\n\n".encode()
    assert cli("stats", stdin=text).text(1) == ""
    skipped = cli("stats", "--on-error", "skip", stdin=text)
    assert skipped.returncode == 1
    assert skipped.stdout.startswith(b"1 sentence\n")
    assert b"E101" in skipped.stderr


def test_wrong_usage(cli: Cli) -> None:
    assert cli("stats", "--upos", "none", stdin=TEXT).returncode == 2
    assert cli("stats", "--xml", stdin=TEXT).returncode == 2


@pytest.mark.parametrize("command", ["stats", "validate"])
def test_of_many_files_the_formats_of_the_first_are_told(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.txt").write_bytes(TEXT)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    told = cli(command, *names).stderr.decode().splitlines()
    assert told[:11] == [
        *[f"{name}: detected format: sejong (override with --from)" for name in names[:10]],
        "(the formats of more files are detected and not shown; -v shows them)",
    ]
    assert cli(command, "-v", *names).stderr.count(b"detected format") == 12
