"""brat: offsets into a text of its own file, and what tells that they are of another text."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest

from sejongud.errors import FormatError
from sejongud.formats.annotators import Brat
from sejongud.formats.labelled import Labelled
from sejongud.layers.labels import Entity, to_labels

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "프랑스의 옷\n한강 물\n"
ANN = "T1\tLC 0 3\t프랑스\nT2\tLC 7 9\t한강\n"


def entities(path: Path, text: bytes, ann: str) -> list[Entity]:
    """The entities that `.ann` has, with their places in the lines of the text."""
    txt = path / "a.txt"
    txt.write_bytes(text)
    layout = Brat(str(txt))
    found = [entity for block in layout.blocks([ann]) for entity in layout.read(block).entities()]
    return found


CRLF = TEXT.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "ann"),
    [
        (TEXT.encode(), ANN),
        (codecs.BOM_UTF8 + TEXT.encode(), ANN),
        (TEXT.encode("cp949"), ANN),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), ANN),
        # Two characters end a line.
        (CRLF.encode(), ANN.replace("7 9", "8 10")),
    ],
    ids=["utf-8", "byte order mark", "cp949", "utf-16", "crlf"],
)
def test_the_text_is_read_as_other_inputs_are(tmp_path: Path, text: bytes, ann: str) -> None:
    assert entities(tmp_path, text, ann) == [Entity("LC", 0, 3), Entity("LC", 0, 2)]


def test_a_text_that_no_encoding_can_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="0xFF") as raised:
        entities(tmp_path, b"\xea\xb0\x80\n\xff\xff", ANN)
    assert (raised.value.path, raised.value.line) == (str(tmp_path / "a.txt"), 2)


@pytest.mark.parametrize(
    ("line", "entity"),
    [
        # An entity in pieces has no labels, or the text between the pieces would have them, too.
        ("T1\tLC 0 3;5 6\t프랑스 옷", None),
        # In any order of the pieces.
        ("T1\tLC 5 6;0 3\t옷 프랑스", None),
        ("T1\tLC 0 3\t프랑스\t나라", Entity("LC", 0, 3)),
    ],
)
def test_what_the_third_column_may_hold(tmp_path: Path, line: str, entity: Entity | None) -> None:
    assert entities(tmp_path, TEXT.encode(), line + "\n") == list(filter(None, [entity]))


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("T2\tLC 1 4\t프랑스", "E408", "the text has 랑스의 at 1 4, not 프랑스"),
        ("T2\tLC 0 3;5 6\t프랑스의 옷", "E408", "the text has 프랑스 옷"),
        ("T2\tLC 3 3\t", "E408", "behind its line"),
        ("T2\tLC ten 12\t서울", "E418", "type with begin and end"),
        ("T2\tLC 10 12", "E418", "type with begin and end"),
        (f"T2\tLC {'9' * 5000} 12\t서울", "E418", "type with begin and end"),
        (f"T2\tLC 0 {'9' * 5000}\t서울", "E418", "type with begin and end"),
    ],
)
def test_an_entity_that_is_not_in_the_text(
    tmp_path: Path, line: str, code: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        entities(tmp_path, TEXT.encode(), f"{ANN}R1\tFrom Arg1:T2 Arg2:T1\n{line}\n")
    assert (raised.value.code, raised.value.line) == (code, 4)


def test_other_lines_are_notes(tmp_path: Path) -> None:
    notes = "R1\tA Arg1:T1 Arg2:T2\nE1\tB:T1\nA1\tC T1\n#1\tNote T1\t\u2028\n*\tEquiv T1 T2\n\n"
    assert len(entities(tmp_path, TEXT.encode(), ANN + notes)) == 2


def sentence(text: str, *comments: str) -> Labelled:
    """A text that begins with an entity of two characters."""
    return Labelled(tuple(text), (to_labels([Entity("LC", 0, 2)], len(text)),), comments=comments)


def test_offsets_count_from_the_beginning_of_the_text(tmp_path: Path) -> None:
    texts = ("한강 물", "독일의 옷", "서울")
    layout = Brat()
    written = "".join([layout.write(sentence(text)) for text in texts])
    assert [line.split("\t")[1] for line in written.split("\n")[:-1]] == [
        *("LC 0 2", "LC 5 7", "LC 11 13"),
    ]
    (tmp_path / "a.txt").write_text("\n".join(texts), encoding="utf-8")
    layout = Brat(str(tmp_path / "a.txt"))
    again = [layout.read(block) for block in layout.blocks([written])]
    assert ["".join(one.tokens) for one in again] == list(texts)
    layout = Brat()
    assert "".join([layout.write(one) for one in again]) == written


def test_a_sentence_that_knows_its_place_is_written_there() -> None:
    layout = Brat()
    lines = [
        layout.write(sentence("한강 물", "ner_offset = 7")),
        layout.write(sentence("서울")),
        layout.write(sentence("서울", "ner_offset = somewhere")),
    ]
    assert [line.split("\t")[1] for line in lines] == ["LC 7 9", "LC 12 14", "LC 15 17"]
