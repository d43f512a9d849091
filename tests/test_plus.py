"""Layers in columns of CoNLL-U Plus of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER

from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import FormatError
from sejongud.evaluation.inputs import Treebank
from sejongud.formats.conllu import ConlluReader, ConlluWriter, plus
from sejongud.formats.conllu.plus import Cells, Layer
from sejongud.levels.cut import Granularity
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.model import Sentence

COLUMNS = ("TONE:PITCH", "TONE:LENGTH", "TONE:PITCH2", "TONE:LENGTH2")
TEXT = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC \
SEJONGUD:NE TONE:PITCH TONE:LENGTH TONE:PITCH2 TONE:LENGTH2
# sent_id = 1
# text = 나는 간다
1-2\t나는\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_
1\t나\t나\tPRON\tNP\t_\t_\t_\t_\tBy=a\\sb\tB-PS\thigh\t_\tlow\t_
2\t는\t은\tADP\tJX\t_\t_\t_\t_\t_\tI-PS\t_\tlong\t_\t_
3-4\t간다\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_
3\t가\t가다\tVERB\tVV\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_
4\tㄴ다\tㄴ다\tPART\tEF\t_\t_\t_\t_\tBy2=c\t_\t_\t_\t_\tshort

"""


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[list[Cells]]:
    """The cells that a made-up layer was given; it returns the last of them."""
    found: list[list[Cells]] = []
    layer = Layer(
        "frames",
        ("TONE:PITCH", "TONE:LENGTH"),
        ("By",),
        lambda _: found[-1],
        lambda _, cells: found.append(cells),
    )
    monkeypatch.setattr(plus, "LAYERS", (layer,))
    return found


def read(text: str) -> Sentence:
    reader = ConlluReader(ASSEMBLER)
    [frame] = reader.blocks([text])
    return reader.parse(frame)


def test_a_layer_is_given_the_cells_of_its_words(given: list[list[Cells]]) -> None:
    sentence = read(TEXT)
    first: Cells = [("high", "_", "a b"), ("_", "long", "_"), ("_", "_", "_"), ("_", "_", "_")]
    second: Cells = [("low", "_", "_"), ("_", "_", "_"), ("_", "_", "_"), ("_", "short", "c")]
    assert given == [[first, second]]
    assert sentence.entities == ((("B-PS", "I-PS"), ()),)
    # Items of a layer say nothing of a treebank.
    assert not sentence.is_treebank


def test_the_cells_of_a_layer_come_back(given: list[list[Cells]]) -> None:
    sentence = read(TEXT)
    writer = CutWriter(Recut(Granularity(load(), 5)), ConlluWriter(ne="column", columns=COLUMNS))
    back = writer.preamble + writer.sentence(sentence)
    assert [line.split("\t")[9:] for line in back.split("\n")] == [
        line.split("\t")[9:] for line in TEXT.split("\n")
    ]


def test_an_instance_that_a_sentence_lacks_is_blank(given: list[list[Cells]]) -> None:
    sentence = read(TEXT)
    del given[-1][1]
    writer = ConlluWriter(columns=COLUMNS)
    rows = [line.split("\t") for line in writer.sentence(sentence).split("\n")]
    assert {tuple(row[12:]) for row in rows if len(row) > 1} == {("_", "_")}


def test_comments_of_a_layer_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = Layer("frames", ("A",), (), lambda _: [], lambda *_: None, lambda _: ("a = 1",))
    monkeypatch.setattr(plus, "LAYERS", (layer,))
    sentence = read("1\t나\t나\tPRON\tNP" + "\t_" * 5 + "\n\n")
    assert "# a = 1\n" in ConlluWriter(columns=["A"]).sentence(sentence)


@pytest.mark.parametrize(
    "names",
    [
        "TONE:LENGTH TONE:PITCH",
        "TONE:PITCH",
        "TONE:PITCH TONE:LENGTH TONE:PITCH3 TONE:LENGTH3",
        "TONE:PITCH TONE:LENGTH SEJONGUD:NE",
    ],
)
def test_columns_that_are_incomplete_or_out_of_order(given: list[list[Cells]], names: str) -> None:
    text = TEXT.replace("SEJONGUD:NE TONE:PITCH TONE:LENGTH TONE:PITCH2 TONE:LENGTH2", names)
    with pytest.raises(FormatError, match="SEJONGUD:NE, SEJONGUD:NE2 … or TONE:PITCH TONE:LENGTH"):
        read(text)


def test_a_row_of_ten_columns_has_no_layer(given: list[list[Cells]]) -> None:
    read(re.sub(r"(?m)^(1\t.*By=a\\sb)\t.*$", r"\1", TEXT))
    assert given[-1][0][0] == ("_", "_", "a b")


def test_an_evaluation_reads_the_ten_columns(given: list[list[Cells]]) -> None:
    bank = Treebank.read([TEXT])
    assert bank.tokens == ["나는", "간다"]
    assert not bank.incidents


MULTIWORD = """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC PARSEME:MWE X:NOTE
# sent_id = 1
# text = 그는 영향을 미쳤다.
1\t그는\t그+는\tPRON\tNP+JX\t_\t3\tnsubj\t_\t_\t*\t_
2\t영향을\t영향+을\tNOUN\tNNG+JKO\t_\t3\tobj\t_\tGloss=x\t1:LVC.full;2\ta b|c
3\t미쳤다\t미치+었+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No\t1;2:VID\t_
3.1\t꼭\t_\tADV\tMAG\t_\t_\t_\t3:advmod\t_\t*\tn
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_\t_\tz

"""


@pytest.mark.parametrize("level", "12345")
def test_other_columns_come_back_from_every_level(cli: Cli, tmp_path: Path, level: str) -> None:
    (tmp_path / "a.conllu").write_text(MULTIWORD, encoding="utf-8")
    assert "W301" not in cli("convert", "--level", level, "a.conllu", "b.conllu").told()
    text = (tmp_path / "b.conllu").read_text(encoding="utf-8")
    assert "PARSEME:MWE=1" not in text
    if level == "5":
        assert "4\t을\t을\tADP\tJKO\t_\t3\tcase\t_\t_\t*\t_\n" in text
        assert "3-4\t영향을\t_\t_\t_\t_\t_\t_\t_\tGloss=x\t*\t_\n3\t영향\t" in text
    for command in ("convert --level 2", "dep morph2word"):
        assert cli(*command.split(), "b.conllu").stdout.decode() == MULTIWORD


def test_the_words_of_a_range_keep_their_other_columns(cli: Cli) -> None:
    text = MULTIWORD.replace(
        "1\t그는\t그+는\tPRON\tNP+JX\t_\t3\tnsubj\t_\t_\t*\t_\n2\t",
        "1-2\t그는 영향을\t_\t_\t_\t_\t_\t_\t_\t_\t*\tr\n"
        "1\t그는\t그+는\tPRON\tNP+JX\t_\t3\tnsubj\t_\t_\t2\tq\n2\t",
    )
    words = cli("dep", "word2morph", stdin=text.encode()).stdout
    assert b"WordSizes=2,2\t*\tr\n" in words
    assert cli("dep", "morph2word", stdin=words).stdout.decode() == text


@pytest.mark.parametrize("name", ["SEJONGUD:NE2", "TREE:CLOSE", "A=b", "MISC", "PARSEME:MWE"])
def test_columns_that_cannot_be_carried(cli: Cli, name: str) -> None:
    done = cli("convert", "--from", "conllu", stdin=MULTIWORD.replace("X:NOTE", name).encode())
    assert done.returncode == 1
    assert "those that can be read are the ten of CoNLL-U" in done.stderr.decode()
