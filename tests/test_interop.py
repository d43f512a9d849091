"""Sentences as objects of conllu and pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import conllu
import pytest
from corpora import ASSEMBLER, read_text

from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import FormatError, Report
from sejongud.formats.around import opening_first
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.sejong import SejongReader
from sejongud.interop import from_tokenlist, to_dataframe, to_tokenlist
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Sentence
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path


TEXT = """\
# newdoc id = BTAA0001
# free text
BTAA0001-00000012\t"새로운\t"/SS + 새롭/VA + ᆫ/ETM
BTAA0001-00000013\t배는\t배__02/NNG + 는/JX
BTAA0001-00000014\tA|B=C\tA|B=C/SL
BTAA0001-00000015\t떠났다"고\t떠나/VV + 았/EP + 다/EF + "/SS + 고/JKQ
BTAA0001-00000016\t50%_였다.\t50/SN + %/SW + _/SW + 이/VCP + 었/EP + 다/EF

"""

UD = """\
# sent_id = 1
# text = 큰 배가 왔다.
# text_en = A big ship came.
1\t큰\t크+ㄴ\tADJ\tVA+ETM\tCase=Gen|Polite=Form\t2\tacl\t2:acl|3:x:y\tTranslit=a=b|Flag
2\t배가\t배+가\tNOUN\tNNG+JKS\t_\t3\tnsubj\t_\t_
3\t왔다\t오+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_

"""


def sejong() -> Sentence:
    return read_text(SejongReader(ASSEMBLER), TEXT)[0]


def ud() -> Sentence:
    return read_text(ConlluReader(ASSEMBLER), UD)[0]


@pytest.mark.parametrize("level", LEVELS)
def test_a_token_list_is_serialised_as_our_lines(level: int) -> None:
    granularity = Granularity(load(), level)
    for sentence in (sejong(), ud()):
        tokens = to_tokenlist(sentence, granularity)
        assert isinstance(tokens, conllu.TokenList)
        assert tokens.serialize() == CutWriter(Recut(granularity), ConlluWriter()).sentence(
            sentence
        )


def test_the_conllu_library_reads_the_same() -> None:
    granularity = Granularity(load(), 5)
    tokens = to_tokenlist(sejong(), granularity)
    (parsed,) = conllu.parse(CutWriter(Recut(granularity), ConlluWriter()).sentence(sejong()))
    assert [dict(token) for token in tokens] == [dict(token) for token in parsed]
    tokens = to_tokenlist(ud(), Granularity(load(), 2))
    assert tokens[0]["feats"] == {"Case": "Gen", "Polite": "Form"}
    assert tokens[0]["deps"] == [("acl", 2), ("x:y", 3)]
    assert tokens[0]["misc"]["Translit"] == "a=b"
    assert tokens[2]["head"] == 0


@pytest.mark.parametrize("level", LEVELS)
def test_a_token_list_comes_back(level: int) -> None:
    sentence = sejong()
    again = from_tokenlist(to_tokenlist(sentence, Granularity(load(), level)), ASSEMBLER)
    assert [e.morphemes for e in again.eojeols] == [e.morphemes for e in sentence.eojeols]
    assert (again.sent_id, again.ids) == (sentence.sent_id, sentence.ids)
    assert again.comments == tuple(opening_first(sentence.comments))
    again = from_tokenlist(to_tokenlist(ud(), Granularity(load(), 2)), ASSEMBLER)
    assert again.arcs == ud().arcs
    assert list(again.words) == list(ud().words)


def test_empty_nodes_are_those_of_the_conllu_library() -> None:
    text = UD.replace("3:x:y", "2.1:x:y").replace("3\t왔다", "2.1\t갔다" + "\t_" * 8 + "\n3\t왔다")
    [sentence] = read_text(ConlluReader(ASSEMBLER), text)
    tokens = to_tokenlist(sentence, Granularity(load(), 2))
    (parsed,) = conllu.parse(text)
    assert [token["id"] for token in tokens] == [token["id"] for token in parsed]
    assert tokens[0]["deps"] == parsed[0]["deps"] == [("acl", 2), ("x:y", (2, ".", 1))]
    assert tokens.serialize() == text


def test_features_without_a_name_leave_no_empty_cell() -> None:
    [sentence] = read_text(ConlluReader(ASSEMBLER), UD.replace("\t_\t3\tnsubj", "\t|\t3\tnsubj"))
    assert to_tokenlist(sentence).serialize() == to_tokenlist(ud()).serialize()


def test_a_bad_token_list_is_an_error_of_format() -> None:
    with pytest.raises(FormatError, match="10 columns"):
        from_tokenlist(conllu.TokenList([conllu.Token(id=1, form="가")]), ASSEMBLER)


@pytest.mark.parametrize("level", LEVELS)
def test_a_table_has_a_row_a_word(level: int) -> None:
    granularity = Granularity(load(), level)
    both = [sejong(), ud()]
    table = to_dataframe(both, level=level)
    lines = "".join(map(CutWriter(Recut(granularity), ConlluWriter()).sentence, both)).split("\n")
    rows = [line.split("\t") for line in lines if line[:1].isdigit()]
    rows = [row for row in rows if row[0].isdigit()]
    assert list(table["word"]) == [int(row[0]) for row in rows]
    assert list(table["form"]) == [row[1] for row in rows]
    assert list(table["xpos"])[: len(rows)] == [row[4] for row in rows]


def test_the_columns_of_a_table() -> None:
    table = to_dataframe([sejong()], level=5)
    row = table.iloc[2]
    assert row["sent_id"] == "BTAA0001-00000012"
    assert (row["eojeol"], row["token"], row["word"]) == (1, 2, 3)
    assert row["id"] == "BTAA0001-00000012"
    assert (row["eojeol_form"], row["token_form"]) == ('"새로운', "새로운")
    assert (row["form"], row["lemma"], row["upos"], row["xpos"]) == ("ㄴ", "은", "PART", "ETM")
    empty = to_dataframe([], level=5)
    assert list(empty.columns) == list(table.columns)
    assert len(empty) == 0


def test_real_sentences(shared: Path) -> None:
    path = shared / "data" / "ud-korean-gsd" / "ko_gsd-ud-dev.conllu"
    reader = ConlluReader(ASSEMBLER)
    granularity = Granularity(load(), 2)
    writer = CutWriter(Recut(granularity), ConlluWriter())
    blocks = reader.blocks([path.read_text(encoding="utf-8")])
    for number, sentence in enumerate(reader.read(blocks, "x", "stop", Report())):
        if number % 10 == 0:
            assert to_tokenlist(sentence, granularity).serialize() == writer.sentence(sentence)
