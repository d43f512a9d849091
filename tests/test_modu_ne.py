"""NIKL JSON with entities: files that are made of the sentences of other formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from sejongud.errors import FormatError
from sejongud.formats.base import Block
from sejongud.formats.labelled import LabelFormat, Labelled
from sejongud.formats.modu import ModuNe
from sejongud.layers.labels import Entity, to_labels

if TYPE_CHECKING:
    from conftest import Cli


def sentence(text: str, sent_id: str, *comments: str) -> Labelled:
    """A text that begins with an entity of two characters."""
    labels = to_labels([Entity("LC", 0, 2)], len(text))
    return Labelled(tuple(text), (labels,), sent_id, comments)


def written(layout: LabelFormat, sentences: list[Labelled]) -> str:
    return "".join([*[layout.write(one) for one in sentences], layout.end()])


SENTENCES = [sentence("서울은", "a"), sentence("한강 물", "b"), sentence("독일의", "c")]


@pytest.mark.parametrize("indent", ["0", "1", "4"])
def test_sentences_of_another_format_make_a_file(indent: str) -> None:
    text = written(ModuNe(indent), SENTENCES)
    [document] = json.loads(text)["document"]
    assert [one["id"] for one in document["sentence"]] == ["a", "b", "c"]
    assert ModuNe.sniff(text) == indent
    layout = ModuNe(indent)
    read = [(block, layout.read(block)) for block in layout.blocks([text])]
    again = [one for _, one in read if one.tokens]
    assert [one.layers for one in again] == [one.layers for one in SENTENCES]
    # What stands behind the last sentence is no part of any, and comes back in a comment.
    assert text == written(ModuNe(indent), again) + read[-1][0].text


@pytest.mark.parametrize(("at", "end"), [(3, ""), (0, "]}]}")])
def test_a_file_has_one_frame(at: int, end: str) -> None:
    """That of its first sentence: its end comes with the last of its own file."""
    other = sentence("서울은", "d", "ner_prefix = " + json.dumps('{"document": [{"sentence": ['))
    text = written(ModuNe("0"), [*SENTENCES[:at], other, *SENTENCES[at:]])
    assert len(json.loads(text + end)["document"][0]["sentence"]) == 4


@pytest.mark.parametrize("text", ["[]", "[" * 100_000, '{"document": [', "", '"document"'])
def test_what_is_no_file_of_nikl(text: str) -> None:
    layout = ModuNe()
    [block] = layout.blocks([text])
    assert block.text == text
    with pytest.raises(FormatError, match="not JSON of a NIKL") as raised:
        layout.read(block)
    assert (raised.value.code, raised.value.line) == ("E322", 1)


def test_what_stands_behind_the_object() -> None:
    layout = ModuNe()
    text = '{"document": [{"sentence": [{"form": "서울", "NE": []}]}]}\n\n garbage'
    *blocks, last = layout.blocks([text])
    assert "".join([block.text for block in [*blocks, last]]) == text
    assert ["".join(layout.read(block).tokens) for block in blocks] == ["서울", ""]
    with pytest.raises(FormatError, match="a single object") as raised:
        layout.read(last)
    assert raised.value.line == 3


@pytest.mark.parametrize(
    ("ne", "code"),
    [
        ('[{"form": "서울", "label": "LC", "begin": -3, "end": -1}]', "E408"),
        ('[{"form": "서울", "label": "LC", "begin": 0.0, "end": 2}]', "E408"),
        ("[5]", "E408"),
        ('[{"form": "서울", "label": null, "begin": 0, "end": 2}]', "E322"),
        ('[{"form": "서울", "label": "A\\nB", "begin": 0, "end": 2}]', "E322"),
        ("5", "E322"),
        ('"LC"', "E322"),
    ],
)
def test_an_entity_that_is_none(ne: str, code: str) -> None:
    text = '{"form": "서울은", "NE": ' + ne + "}"
    with pytest.raises(FormatError) as raised:
        ModuNe().read(Block(text, 3, 1))
    assert (raised.value.code, raised.value.line) == (code, 3)


def test_a_fault_beside_an_empty_text_is_the_fault_of_the_file() -> None:
    text = '{"form": "", "NE": {"x": 1}}'
    with pytest.raises(FormatError, match="NE must be a list") as raised:
        ModuNe().read(Block(text, 3, 1))
    assert (raised.value.code, raised.value.line, raised.value.text) == ("E322", 3, text)


def annotated(word_id: int) -> bytes:
    """A file with a name that Kiwi does not take for one, and the layer of semantic roles."""
    tags = [("밥", "NNP", word_id), ("이", "JKS", 1), ("오", "VV", 2), ("ㄴ다", "EF", 2)]
    sentence: dict[str, Any] = {
        "id": "a.1",
        "form": "밥이 온다",
        "morpheme": [{"form": form, "label": tag, "word_id": word} for form, tag, word in tags],
        "NE": [{"id": 1, "form": "밥", "label": "PS", "begin": 0, "end": 1}],
        "DP": [
            {"word_id": 1, "head": 2, "label": "NP_SBJ"},
            {"word_id": 2, "head": -1, "label": "VP"},
        ],
        "SRL": [{"predicate": {"form": "오", "begin": 3, "end": 4}, "argument": []}],
        "ZA": [],
    }
    return json.dumps({"document": [{"sentence": [sentence]}]}, ensure_ascii=False).encode()


@pytest.mark.parametrize("command", [("convert",), ("ner", "syl2morph")])
def test_entities_stand_on_the_morphemes_of_their_file(cli: Cli, command: tuple[str, ...]) -> None:
    done = cli(*command, "-", "-", stdin=annotated(1))
    row = next(line for line in done.stdout.decode().split("\n") if line.startswith("1\t"))
    assert row == "1\t밥\t밥\tPROPN\tNNP\t_\t3\tNP_SBJ\t_\tNE=B-PS", done.stderr.decode()
    assert cli("ner", "morph2syl", "-", "-", stdin=done.stdout).stdout == annotated(1)


def test_morphemes_that_do_not_fit_are_told_and_kiwi_analyses_their_sentence(cli: Cli) -> None:
    done = cli("convert", "-", "-", stdin=annotated(9))
    assert "W425 the morpheme 밥/NNP has the word_id 9" in done.stderr.decode()
    assert "1\t밥\t밥\tPROPN\tNNP\t_\t_\t_\t_\tNE=B-PS\n" in done.stdout.decode()


def test_layers_that_are_left_out_are_told(cli: Cli) -> None:
    said = cli("convert", "--from", "modu", "-", "-", stdin=annotated(1)).stderr.decode()
    assert "W324 the layers NE, SRL are not read" in said
    assert "W324" not in cli("convert", "-", "-", stdin=annotated(1)).stderr.decode()
