from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, RULES

from sejongud.errors import FormatError
from sejongud.formats.exports import (
    CrfRow,
    crf_text,
    labelled_sentences,
    read_labels,
    rows,
    with_labels,
)
from sejongud.layers.labels import entity_layers
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Sentence

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

EOJEOLS = tuple(
    ASSEMBLER[line]
    for line in (
        "엠마누엘\t엠마누엘/NNP",
        "웅가로가\t웅가로/NNP+가/JKS",
        "왔다.\t오/VV+았/EP+다/EF+./SF",
    )
)
ENTITIES = ((("B-PS",), ("I-PS", "O"), ()),)
LEVEL_5 = Granularity(RULES, 5)


def sentence() -> Sentence:
    return Sentence(EOJEOLS, "1", entities=ENTITIES)


def test_rows() -> None:
    assert rows(sentence(), LEVEL_5)[:3] == [
        CrfRow("엠마누엘", "PROPN", "NNP", "B-PS"),
        CrfRow("웅가로", "PROPN", "NNP", "I-PS"),
        CrfRow("가", "ADP", "JKS", "O"),
    ]
    assert [row.label for row in rows(Sentence(EOJEOLS), LEVEL_5)] == ["O"] * 7


@pytest.mark.parametrize("level", LEVELS)
def test_labels_there_and_back(level: int) -> None:
    granularity = Granularity(RULES, level)
    [(_, _, labels)] = read_labels(crf_text(sentence(), granularity).split("\n"))
    again = Sentence(EOJEOLS)
    with_labels(again, labels, granularity)
    assert [[row.label for row in rows(again, granularity)]] == labels
    # Particles and endings are no part of an entity's end, whatever word they are in.
    assert again.entities == ENTITIES


def test_a_word_that_is_a_no_break_space() -> None:
    spaced = Sentence((ASSEMBLER["26일\u00a0서울\t26/SN+일/NNB+\u00a0/SW+서울/NNP"],), "1")
    lines = crf_text(spaced, LEVEL_5).replace("NNP\tO", "NNP\tB-LC").split("\n")
    [labelled] = labelled_sentences([spaced], lines, LEVEL_5)
    assert labelled.entities == ((("O", "O", "O", "B-LC"),),)


def test_labels_of_another_sentence() -> None:
    with pytest.raises(FormatError, match="7 words and 2 labels"):
        with_labels(sentence(), [["O", "O"]], LEVEL_5)


NESTED = (*ENTITIES, (("B-LC",), ("O", "O"), ()), (("B-CV",), ("O", "O"), ()))
"""Three layers; the columns have one of each."""


def test_a_column_for_each_layer() -> None:
    nested = Sentence(EOJEOLS, "1", entities=NESTED)
    text = crf_text(nested, LEVEL_5, "bioes", layers=3)
    assert text.split("\n")[:3] == [
        "엠마누엘\tPROPN\tNNP\tB-PS\tS-LC\tS-CV",
        "웅가로\tPROPN\tNNP\tE-PS\tO\tO",
        "가\tADP\tJKS\tO\tO\tO",
    ]
    lines = crf_text(nested, LEVEL_5, layers=3).split("\n")
    [back] = labelled_sentences([Sentence(EOJEOLS)], lines, LEVEL_5, layers=3)
    assert [entity_layers(back)] == [entity_layers(nested)]
    # What several taggers add stands behind the columns that they have read.
    tagged = [line and "\t".join([line, "O", "O", "B-DT"]) for line in lines]
    [back] = labelled_sentences([Sentence(EOJEOLS)], tagged, LEVEL_5, layers=3)
    assert {entity.type for layer in entity_layers(back) for entity in layer} == {"DT"}


def test_a_row_without_a_label_of_each_layer() -> None:
    lines = ["B-PS\tO\tO", "I-PS\tO", *["O\tO\tO"] * 5]
    with pytest.raises(FormatError, match=r"label of layer 1 is missing") as raised:
        list(labelled_sentences([Sentence(EOJEOLS)], lines, LEVEL_5, layers=3))
    assert (raised.value.code, raised.value.line) == ("E421", 2)


COLUMNS = crf_text(sentence(), LEVEL_5)


def test_labels_of_all_sentences() -> None:
    lines = (COLUMNS * 2).split("\n")
    found = list(labelled_sentences([Sentence(EOJEOLS), Sentence(EOJEOLS)], lines, LEVEL_5))
    assert [one.entities for one in found] == [ENTITIES, ENTITIES]


@pytest.mark.parametrize(
    ("columns", "line", "message"),
    [
        (COLUMNS * 3, 17, "more sentences than the file has"),
        (COLUMNS, 0, "the labels end before sentence 2"),
        (COLUMNS + COLUMNS.partition("\n")[2], 9, "sentence 2 has 7 words and 6 labels"),
    ],
)
def test_labels_of_another_file(columns: str, line: int, message: str) -> None:
    sentences = [Sentence(EOJEOLS, "1"), Sentence(EOJEOLS, "2")]
    with pytest.raises(FormatError, match=message) as raised:
        list(labelled_sentences(sentences, columns.split("\n"), LEVEL_5, "tagged.txt"))
    error = raised.value
    assert (error.code, error.path, error.line) == ("E415", "tagged.txt", line)


@pytest.mark.parametrize(
    ("row", "other", "code", "message"),
    [
        (
            "웅가로\tPROPN\tNNP\tI-PS",
            "옷\tPROPN\tNNP\tI-PS",
            "E420",
            "the word is 옷 here and 웅가로",
        ),
        ("웅가로\tPROPN\tNNP\tI-PS", "웅가로\tPROPN\tNNP", "E421", "NNP is no label"),
        ("웅가로\tPROPN\tNNP\tI-PS", "웅가로\tPROPN\tNNP\tB-", "E421", "B- is no label"),
    ],
)
def test_rows_that_are_of_another_file_or_have_no_label(
    row: str, other: str, code: str, message: str
) -> None:
    assert row in COLUMNS
    columns = (COLUMNS + COLUMNS.replace(row, other)).split("\n")
    sentences = [Sentence(EOJEOLS, "1"), Sentence(EOJEOLS, "2")]
    with pytest.raises(FormatError, match=message) as raised:
        list(labelled_sentences(sentences, columns, LEVEL_5, "tagged.txt"))
    assert (raised.value.code, raised.value.path, raised.value.line) == (code, "tagged.txt", 10)


def test_labels_alone_need_no_words() -> None:
    labels = [row.rpartition("\t")[2] for row in COLUMNS.split("\n")]
    found = list(labelled_sentences([Sentence(EOJEOLS)], labels, LEVEL_5))
    assert [one.entities for one in found] == [ENTITIES]


def test_the_template_of_crf_pp(cli: Cli, root: Path, tmp_path: Path) -> None:
    """Its features are cells of the columns that are written, in a window of two on each side."""
    columns, template = tmp_path / "train.tsv", tmp_path / "template"
    done = cli("ner", "crf", root / "samples" / "ud.conllu", columns, "--template", template)
    assert done.returncode == 0, done.stderr.decode()
    lines = template.read_text(encoding="utf-8").splitlines()
    features = [line.partition(":")[2] for line in lines if line.startswith("U")]
    macros = [
        tuple(map(int, pair)) for one in features for pair in re.findall(r"%x\[(-?\d),(\d)\]", one)
    ]
    width = columns.read_text(encoding="utf-8").split("\n")[0].count("\t")
    assert set(macros) == {(at, column) for at in range(-2, 3) for column in range(width)}
    assert len(set(features)) == len(features) == 27
    assert len({line.partition(":")[0] for line in lines if line.startswith("U")}) == 27
    assert lines[2:7] == [f"U0{n}:%x[{n - 2},0]" for n in range(5)]
    assert "U06:%x[-1,0]/%x[0,0]" in lines
    assert lines[-2:] == ["# Bigram", "B"]
