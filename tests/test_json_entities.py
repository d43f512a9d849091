"""Entities in JSON Lines: what is wrong with an object is said in the words of its format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sejongud.errors import FormatError, UsageError
from sejongud.formats import label_format
from sejongud.formats.base import Block
from sejongud.formats.json_entities import HfJsonl, SpanJsonl
from sejongud.formats.marked import Kmou
from sejongud.formats.modu import ModuNe

if TYPE_CHECKING:
    from conftest import Cli

    from sejongud.formats.labelled import LabelFormat


@pytest.mark.parametrize(
    ("settings", "record", "message"),
    [
        ("konne", {"text": "옷", "label": None}, "label must be a list, not null"),
        ("konne", {"text": "옷", "labels": 5}, "labels must be a list, not 5"),
        ("konne", {"text": None, "label": []}, "text must be a string, not null"),
        ("konne", {"label": []}, "text is missing"),
        ("konne", {"text": "옷", "label": [[1, 2]]}, r"expected \[begin, end, label\]"),
        ("konne", {"text": "옷", "label": [5]}, r"expected \[begin, end, label\]"),
        ("konne", {"text": "옷", "label": [["0", 1, "A"]]}, "expected begin and end"),
        ("konne", {"text": "옷", "label": [[-1, 1, "A"]]}, "expected begin and end"),
        ("konne", {"text": "옷", "label": [[0, 1, None]]}, "a label is a text such as PS"),
        ("konne", {"text": "옷", "label": [[0, 1, "A\tB"]]}, "a tab, a line's end"),
        ("konne", {"text": "옷", "label": [[0, 1, "A\nB"]]}, "a tab, a line's end"),
        ("konne", {"text": "옷", "label": [[0, 1, "\ud800"]]}, "half a character"),
        ("hf-jsonl", {"tokens": None, "ner_tags": []}, "tokens must be a list, not null"),
        ("hf-jsonl", {"tokens": "옷", "ner_tags": ["O"]}, "tokens must be a list"),
        ("hf-jsonl", {"tokens": ["옷"], "ner_tags": None}, "ner_tags must be a list, not null"),
        ("hf-jsonl", {"tokens": [None], "ner_tags": ["O"]}, "token 1 must be a string, not null"),
        ("hf-jsonl", {"tokens": ["옷", " "], "ner_tags": ["O", "O"]}, "token 2 is empty"),
        ("hf-jsonl", {"tokens": ["옷"], "ner_tags": [None]}, "a label is a text such as PS"),
        ("hf-jsonl", {"tokens": ["옷"], "ner_tags": [True]}, "a label is a text such as PS"),
        ("hf-jsonl", {"tokens": ["옷"], "ner_tags": [""]}, "a tag is empty"),
        ("hf-jsonl", {"tokens": ["옷"], "ner_tags": ["B-\t"]}, "a tab, a line's end"),
        ("hf-jsonl", {"tokens": ["옷", "값"], "ner_tags": ["O"]}, "2 tokens and 1 ner_tag"),
        ("hf-jsonl", {"tokens": ["옷"], "ner_tags": [0]}, "give the names of their tags"),
        (
            "hf-jsonl spaced syllable",
            {"tokens": ["옷", "값이"], "ner_tags": ["O", "O"]},
            'token 2 is "값이"',
        ),
        ("hf-jsonl spaced eojeol O,B-LC", {"tokens": ["옷"], "ner_tags": [2]}, "0 to 1 are named"),
        (
            "hf-jsonl array-2 syllable",
            {"tokens": ["옷", " "], "ner_tags": [2, 0]},
            "--from 'hf-jsonl:array-2 syllable O,B-PS,I-PS'",
        ),
        (
            "hf-jsonl spaced eojeol O,B-LC",
            {"tokens": ["옷"], "ner_tags": [-1]},
            "tag -1 has no name",
        ),
        ("hf-jsonl spaced eojeol O,B-LC", {"tokens": ["옷"], "ner_tags": [-100]}, "is no label"),
    ],
)
def test_what_cannot_be_read(settings: str, record: object, message: str) -> None:
    name, _, rest = settings.partition(" ")
    with pytest.raises(FormatError, match=message) as raised:
        label_format(name, rest).read(Block(json.dumps(record) + "\n", 7, 7))
    assert (raised.value.code, raised.value.line) == ("E406", 7)


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(FormatError) as raised:
        SpanJsonl().read(Block(json.dumps({"text": "옷", "label": "가" * 999}), 1, 1))
    assert raised.value.message.endswith("가…")
    assert len(raised.value.message) < 200


def test_a_no_break_space_is_a_token() -> None:
    line = '{"tokens": ["26일", "\u00a0", "밴쿠버"], "ner_tags": ["O", "O", "B-LC"]}\n'
    assert HfJsonl("spaced eojeol").read(Block(line, 1, 1)).layers == (("O", "O", "B-LC"),)


@pytest.mark.parametrize("names", ["O,B-LC", "O, B-LC", "O , B-LC"])
def test_names_of_tags(names: str) -> None:
    layout = HfJsonl(f"spaced eojeol {names}")
    line = '{"tokens": ["옷", "값"], "ner_tags": [0, 1]}\n'
    assert layout.read(Block(line, 1, 1)).layers == (("O", "B-LC"),)
    assert layout.write(layout.read(Block(line, 1, 1))) == line
    assert layout.settings == "spaced eojeol O,B-LC"


@pytest.mark.parametrize("names", ["O,", "O,,B-LC", "O B-LC", ","])
def test_names_that_are_none(names: str) -> None:
    with pytest.raises(UsageError, match="with a comma between"):
        HfJsonl(f"spaced eojeol {names}")


@pytest.mark.parametrize("layout", [SpanJsonl(), HfJsonl("spaced syllable"), ModuNe("0")])
def test_rows_of_kmou_are_no_object(layout: LabelFormat) -> None:
    """Both ride along under one key, and a file may be written in another format."""
    kmou = "## 1\n## 옷\n## <옷:AF>\n옷\t옷\tNNG\tB-AF\n\n"
    one = Kmou().read(Block(kmou, 1, 1))
    written = layout.write(one) + layout.end()
    again = next(iter(layout.blocks([written])))
    assert layout.read(again).layers == one.layers
    assert "옷\t_\t_\tB-AF" in Kmou().write(layout.read(again))


def test_an_object_of_another_format_leaves_its_text_and_labels_there() -> None:
    line = '{"id": 1, "note": null, "text": "옷", "label": [[0, 1, "AF"]], "tokens": 1}\n'
    one = SpanJsonl().read(Block(line, 1, 1))
    assert SpanJsonl().write(one) == line
    written = HfJsonl("spaced syllable").write(one)
    assert written == '{"id": 1, "note": null, "tokens": ["옷"], "ner_tags": ["B-AF"]}\n'
    layout = ModuNe("0")
    [sentence] = json.loads(layout.write(one) + layout.end())["document"][0]["sentence"]
    assert list(sentence) == ["id", "note", "tokens", "form", "NE"]


@pytest.mark.parametrize(
    ("scheme", "tags", "labels"),
    [
        ("bilou", ["U-PS", "O", "B-LC", "I-LC", "L-LC"], ("B-PS", "O", "B-LC", "I-LC", "I-LC")),
        ("bmes", ["S-PS", "O", "B-LC", "M-LC", "E-LC"], ("B-PS", "O", "B-LC", "I-LC", "I-LC")),
        ("", ["S-PS", "O", "B-LC", "I-LC", "E-LC"], ("S-PS", "O", "B-LC", "I-LC", "E-LC")),
    ],
)
def test_tags_in_other_schemes(scheme: str, tags: list[str], labels: tuple[str, ...]) -> None:
    lines = [
        json.dumps({"id": number, "tokens": own, "ner_tags": own_tags}, ensure_ascii=False) + "\n"
        for number, own, own_tags in (
            ("1", ["꽃이", "핀다"], ["O", "O"]),
            ("2", ["나는", "또", "북한산", "둘레", "길에"], tags),
        )
    ]
    settings = HfJsonl.sniff("".join(lines))
    assert settings == f"spaced eojeol {scheme}".rstrip()
    layout = HfJsonl(settings)
    _, found = map(layout.read, layout.blocks(lines))
    assert found.labels == labels
    assert layout.write(found) == lines[1]
    named = HfJsonl(f"{settings} O,{','.join(sorted(set(tags) - {'O'}))}")
    assert json.loads(named.write(found))["ner_tags"][1] == 0
    assert named.read(Block(named.write(found), 1, 1)).labels == labels


def test_data_that_is_no_object_is_told(cli: Cli) -> None:
    task = b'[{"id": 1, "data": "\xea\xb0\x80", "annotations": []}]'
    done = cli("ner", "check", "--from", "label-studio", "--on-error", "skip", stdin=task)
    assert 'data must be an object, not "가"' in done.stderr.decode()
