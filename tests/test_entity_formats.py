"""Every format of entities there and back on one set, and the commands that write and list them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpora import ASSEMBLER, read_corpus
from entity_list import DESCRIBED, example, listing
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st
from portions import SOME

from sejongud.converters.between import READ, OutputTarget
from sejongud.converters.entities_back import CorpusWriter
from sejongud.converters.eoj2morph import Eoj2Morph, eojeol_labels
from sejongud.converters.syl2morph import labelled_syllables
from sejongud.errors import FormatError, Report, UsageError
from sejongud.files import Source
from sejongud.formats import (
    ALIASES,
    ENTITY_FORMATS,
    FORMATS,
    _class,
    label_format,
    recognise,
    sniff,
)
from sejongud.formats.annotators import Doccano, LabelStudio
from sejongud.formats.base import Block
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.json_documents import SpacyJson
from sejongud.formats.labelled import LabelFormat, labelled_text
from sejongud.layers.labels import Entity, find_entities, flat_labels, to_text
from sejongud.model import Sentence
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Cli

DATA = Path(__file__).parent / "data"
SET = DATA / "ner-formats" / "set.conllu"
TEXTLESS = "morpheme-columns"
"""The format without the text: its surfaces are made of the morphemes."""
SETTINGS = [
    (name, one)
    for name, described in DESCRIBED.items()
    for one in described.settings or [""]
    if name != "brat"
]


def sentences_of(path: Path) -> list[Sentence]:
    reader = ConlluReader(ASSEMBLER)
    with Source(path) as source:
        return list(reader.read(reader.blocks_of(source), "-", "stop", Report()))


def written(sentences: list[Sentence], layout: LabelFormat) -> str:
    backward = CorpusWriter(layout, "")
    return "".join([*[backward.sentence(one.but()) for one in sentences], backward.end()])


def read(text: str, layout: LabelFormat, given: list[Sentence]) -> list[Sentence]:
    """The sentences of a file: with its own morphemes if it has any, else with the given ones."""
    own = layout.has_morphemes
    copies = iter([Sentence(one.eojeols, one.sent_id) for one in given])
    return read_corpus([text], layout, given=None if own else copies, nested=True)[1]


def again(sentences: list[Sentence], name: str, settings: str) -> list[Sentence]:
    """The sentences written in a format, whose file is then recognised and read."""
    layout = label_format(name, settings)
    text = written(sentences, layout)
    found = sniff(text, READ)
    assert found is not None and found.name == layout.name
    # A file does not tell the names of numbers, nor BMES where no entity has three eojeols.
    untold = "O,B-PS" in settings or settings == "spaced eojeol bmes"
    return read(text, layout if untold else label_format(*found), sentences)


def rows(sentence: Sentence) -> list[str]:
    return [f"{m.form}/{m.tag}" for m in sentence.morphemes]


def entities(sentence: Sentence) -> list[list[Entity]]:
    """The entities of each layer, in characters of the text: fused morphemes share some."""
    return [find_entities(layer) for layer in labelled_syllables(sentence)[1]]


@pytest.fixture(scope="module")
def made() -> list[Sentence]:
    return sentences_of(SET)


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_there_and_back(made: list[Sentence], name: str, settings: str) -> None:
    depth = 3 if DESCRIBED[name].nested else 1
    of_text = label_format(name, settings).unit == "syllable" and name != TEXTLESS
    for one, other in zip(made, again(made, name, settings), strict=True):
        assert rows(other) == rows(one)
        if settings.endswith("bare"):
            # The tags tell where eojeols begin, so that there may be others.
            flat = [[flat_labels(s.eojeols, layer) for layer in s.entities] for s in (one, other)]
            assert flat[1] == flat[0][:depth]
            continue
        assert other.entities == one.entities[:depth]
        # Eojeols do not tell how many spaces stand between them.
        text = one.text_orig if of_text else ""
        assert (other.text_orig or other.text) == (text or one.text)


def test_the_settings_of_a_file_are_found(made: list[Sentence]) -> None:
    """But for those that leave no trace in it."""
    silent = {
        "label-studio": {"annotations"},
        "inline": {"any-case"},
        # No entity of this file has three eojeols.
        "hf-jsonl": {"spaced eojeol O,B-PS,I-PS,B-LC,I-LC", "spaced eojeol bmes"},
        # Words are written whole.
        "columns": {"bmes", "tab B-PER bio ##", "tab B-PER bio ▁"},
        "morpheme-columns": {"bmes"},
    }
    for name, settings in SETTINGS:
        layout = label_format(name, settings)
        found = sniff(written(made, layout), READ)
        if settings not in silent.get(name, ()):
            assert str(found) == str(layout)


def test_klue_there_and_back_in_every_format(shared: Path) -> None:
    """Sentences whose labels fit eojeols as well, so that no format has to change them."""
    path = shared / "data/klue-ner/klue-ner-v1.1_dev.first3000.tsv"
    with Source(path) as source:
        text = "".join(source.chunks())
    blocks = list(label_format("klue-ner").blocks([text]))[:SOME]
    _, sentences = read_corpus([block.text for block in blocks], label_format("klue-ner"))
    project = Eoj2Morph(load())
    for sentence in sentences:
        sentence.comments = ()
        if sentence.entities:
            labels = eojeol_labels(sentence.entities[0])
            sentence.entities = (project.labels(sentence.eojeols, labels),)
    assert len(sentences) == SOME
    formats = [(name, "") for name in DESCRIBED if name not in ("brat", TEXTLESS)]
    formats += [("hf-jsonl", one) for one in ("syllable", "morpheme")]
    for name, settings in formats:
        for one, other in zip(sentences, again(sentences, name, settings), strict=True):
            assert entities(other) == entities(one), (name, settings, one.text)


SPANS = [
    *(
        ("konne", "array-2"),
        ("konne", "compact-ascii"),
        ("doccano", ""),
        ("doccano", "array-ascii"),
    ),
    *(("spans", ""), ("spans", "array-2 spans"), ("spans", "spaced entities entity_group")),
    *(("label-studio", ""), ("label-studio", "array min"), ("modu-ne", "0")),
]


@tried(max_examples=40)
@given(
    st.text('가나다 .+"\\{}[]<😊', min_size=1, max_size=12).filter(str.strip),
    st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6), st.sampled_from("AB")), max_size=4),
)
def test_any_text_with_any_entities(text: str, found: list[tuple[int, int, str]]) -> None:
    """Texts with the brackets and quotes of JSON, entities inside and across others."""
    entities = [Entity(of, at, at + size) for at, size, of in found if at + size <= len(text)]
    labelled = labelled_text(text, entities)._replace(sent_id="1")
    for name, said in SPANS:
        layout = label_format(name, said)
        [block, *rest] = layout.blocks([layout.write(labelled) + layout.end()])
        again = layout.read(block)
        assert (again.tokens, again.layers) == (labelled.tokens, labelled.layers)
        assert not any([layout.read(one).tokens for one in rest])


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]), min_size=1, max_size=8))
def test_any_labels_of_tokens_in_biluo(labels: list[str]) -> None:
    text = " ".join("가" * len(labels))
    found = to_text(find_entities(labels), [(at, at + 1) for at in range(0, 2 * len(labels), 2)])
    layout = SpacyJson("0 plain")
    [block, _] = layout.blocks([layout.write(labelled_text(text, found)) + layout.end()])
    assert layout.read(block).entities() == found


def test_every_format_is_described() -> None:
    assert set(DESCRIBED) == set(ENTITY_FORMATS)
    for name in ENTITY_FORMATS:
        values = {value for choice in label_format(name).choices for value in choice}
        settings = DESCRIBED[name].settings
        assert values <= {"", *settings, *" ".join(settings).split()}, name
        assert example(name)
    assert set(ALIASES.values()) <= set(ENTITY_FORMATS)


def test_the_page_is_the_list(root: Path) -> None:
    page = (root / "docs" / "entities.md").read_text("utf-8")
    assert page.endswith(listing())


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases(alias: str, name: str) -> None:
    assert label_format(alias).name == name
    assert recognise(alias, example(name), ENTITY_FORMATS).name == name


@pytest.mark.parametrize("name", [name for name, kind in FORMATS.items() if kind.hint])
def test_a_file_without_the_hint_of_a_format_is_not_of_the_format(name: str) -> None:
    """So its class need not be imported."""
    kind = FORMATS[name]
    of = _class(kind.reader or kind.entities or kind.frames or kind.corrections)
    files = [*(DATA.parent.parent / "samples").iterdir(), *DATA.rglob("*")]
    paths = [path for path in files if path.is_file()]
    heads = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    without = [not re.search(kind.hint, head, re.MULTILINE) for head in heads]
    trios = zip(paths, heads, without, strict=True)
    assert [path.name for path, head, lacks in trios if lacks and of.sniff(head) is not None] == []


@pytest.mark.parametrize("unit", ["\n", "1 ", "S(", "S(a:", "a, "])
def test_the_hint_of_a_format_looks_once_at_a_long_line(unit: str) -> None:
    """Patterns that began anew at each character or line needed minutes for these."""
    head = unit * 500_000
    hints = [FORMATS[name].hint for name in ("konlpy", "naver", "sinica")]
    assert not any([re.search(hint, head, re.MULTILINE) for hint in hints])


def test_an_alias_gives_way_to_a_format() -> None:
    assert recognise("modu", "", ("modu", "modu-ne")).name == "modu"


def first(layout: LabelFormat, text: str) -> Any:
    return layout.read(next(iter(layout.blocks([text]))))


DOCCANO = {
    "id": 7,
    "text": "프랑스의 옷",
    "entities": [{"id": 41, "label": "LC", "start_offset": 0, "end_offset": 3}],
    "relations": [{"id": 2, "from_id": 41, "to_id": 41, "type": "same"}],
    "Comments": ["a"],
}


@pytest.mark.parametrize(
    "record",
    [
        DOCCANO,
        {"id": 7, "data": "프랑스의 옷", "entities": DOCCANO["entities"]},
        {"id": 7, "text": "프랑스의 옷", "label": DOCCANO["entities"], "meta": {"a": 1}},
        {"id": 7, "text": "프랑스의 옷", "entities": [[0, 3, "LC"]]},
    ],
)
def test_exports_of_doccano(record: dict[str, Any]) -> None:
    text = json.dumps(record, ensure_ascii=False) + "\n"
    assert Doccano.sniff(text) == "spaced"
    found = first(Doccano(), text)
    assert [tuple(one) for one in found.all_entities()] == [("LC", 0, 3)]
    assert Doccano().write(found) == text


def test_members_of_another_format_are_none_of_doccano() -> None:
    line = '{"id": 1, "text": "서울에", "label": [[0, 2, "LC"]], "more": null}\n'
    written = label_format("doccano").write(label_format("konne").read(Block(line, 1, 1)))
    assert list(json.loads(written)) == ["id", "text", "more", "entities", "relations", "Comments"]


def test_labels_of_doccano_that_are_numbers() -> None:
    entity = {"label": 2, "start_offset": 0, "end_offset": 3}
    with pytest.raises(FormatError, match="the label 2 is a number: export the labels as texts"):
        Doccano().read(Block(json.dumps(DOCCANO | {"entities": [entity]}), 1, 1))


def task(*results: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": 12,
        "annotations": [
            {"id": 5, "completed_by": 1, "was_cancelled": True, "result": []},
            {"id": 6, "completed_by": 1, "result": list(results), "lead_time": 2.5},
        ],
        "data": {"review": "프랑스의 옷", "meta": {"source": "a"}},
        "project": 3,
    }


LABELS = {"from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"}
SPAN = {"start": 0, "end": 3, "text": "프랑스", "labels": ["LC"]}
CHOICE = {"value": {"choices": ["a"]}, "id": "c", "from_name": "kind", "type": "choices"}


def test_tasks_of_label_studio() -> None:
    text = json.dumps([task(CHOICE, {"value": SPAN, "id": "x", **LABELS})], ensure_ascii=False)
    assert LabelStudio.sniff(text) == "array tasks annotations"
    layout = LabelStudio("array")
    found = first(layout, text)
    assert [tuple(one) for one in found.all_entities()] == [("LC", 0, 3)]
    assert layout.write(found) + "]" == text
    relabelled = found._replace(layers=(("B-OG", "I-OG", "I-OG", "O", "O", "O"),))
    [again] = json.loads(LabelStudio("array").write(relabelled) + "]")
    results = again["annotations"][1]["result"]
    assert [one.get("value", {}).get("labels") for one in results] == [["OG"], None]
    assert results[1] == CHOICE


def test_places_of_label_studio_behind_emoji() -> None:
    """JavaScript counts an emoji twice, Python once; the text of an entity tells who counted."""
    for begin in (2, 3):
        span = SPAN | {"start": begin, "end": begin + 3}
        tasks = [
            {"data": {"text": "😀 프랑스의 😀"}, "annotations": [{"result": [{"value": span}]}]}
        ]
        short = {"id": 1, "text": "😀 프랑스의 😀", "label": [span]}
        for layout, value in ((LabelStudio("array"), tasks), (LabelStudio("spaced min"), short)):
            text = json.dumps(value, ensure_ascii=False)
            found = first(layout, text)
            assert [tuple(one) for one in found.all_entities()] == [("LC", 2, 5)]
            written = layout.write(found).rstrip() + "]" * isinstance(value, list)
            assert json.loads(written) == value


def test_predictions_of_label_studio() -> None:
    tasks = [{"data": {"text": "옷"}, "predictions": [{"result": []}]}]
    text = json.dumps(tasks, ensure_ascii=False)
    assert LabelStudio.sniff(text) == "array tasks predictions"
    assert first(LabelStudio("array tasks predictions"), text).layers == (("O",),)


def test_the_short_form_of_label_studio_becomes_tasks() -> None:
    [short, tasks] = LabelStudio("compact min"), LabelStudio("compact")
    found = first(short, json.dumps({"id": 7, "text": "프랑스", "label": [SPAN]}))
    made = json.loads(tasks.write(found))
    assert (made["id"], made["data"]["text"]) == (7, "프랑스")
    assert [one["value"] for one in made["annotations"][0]["result"]] == [SPAN]


def test_one_file_of_etri(made: list[Sentence]) -> None:
    """Offsets count bytes, ids of morphemes begin anew in each sentence, and the end is inside."""
    found = json.loads(written(made, label_format("etri")))["sentence"]
    assert [one["id"] for one in found] == ["s1", "s2", "s3", "s4", "s5"]
    assert found[0]["morp"][3] == {
        **{"id": 3, "lemma": "엠마누엘", "type": "NNP", "position": 26, "weight": 1}
    }
    assert found[0]["word"][1] == {"id": 1, "text": "디자이너", "type": "", "begin": 2, "end": 2}
    [_, person, _] = found[0]["NE"]
    assert (person["text"], person["begin"], person["end"]) == ("엠마누엘 웅가로", 3, 4)
    assert found[1]["morp"][0]["position"] == len(found[0]["text"].encode())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"end": 0, "weight"', '"end": 99, "weight"', "no morpheme has the id"),
        ('"morp"', '"morphs"', "'morp' is missing"),
        ('"type": "PS"', '"type": 5', "a label is a text such as PS, not 5"),
    ],
)
def test_layers_of_etri_that_do_not_fit(old: str, new: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        first(label_format("etri", "0"), example("etri", "0").replace(old, new, 1))
    assert raised.value.code == "E322"


def test_a_text_that_looks_like_nested_objects() -> None:
    """The place of a sentence is known: no brace before it is tried as its beginning."""
    braces = json.dumps(["{", *[":{"] * 5000])
    text = example("etri", "0").replace('{"sentence"', f'{{"note": {braces}, "sentence"', 1)
    assert len(first(label_format("etri", "0"), text).morphemes) == 3


def test_positions_of_etri_that_are_none() -> None:
    """The words tell the morphemes of each eojeol as well."""
    text = example("etri", "0").replace('"position": ', '"position": 7')
    found = first(label_format("etri", "0"), text)
    assert [len(own) for own in found.morphemes] == [2, 3, 3]


def test_tokens_of_spacy(made: list[Sentence]) -> None:
    """Pieces of the text: fused morphemes are one token, further spaces another."""
    layout = SpacyJson()
    [text] = [written(made[2:3], layout)]
    [paragraph] = json.loads(text)[0]["paragraphs"]
    [sent] = paragraph["sentences"]
    tokens = sent["tokens"]
    assert "".join([one["orth"] + one["space"] for one in tokens]) == paragraph["raw"]
    assert [one["orth"] for one in tokens[4:8]] == [" ", "오후", "2", "시"]
    # spaCy takes no sentence of which half has tags.
    assert all(one["tag"] and one["lemma"] for one in tokens)
    fused = next(one for one in tokens if one["orth"] == "갔")
    assert (fused["tag"], fused["lemma"], fused["pos"]) == ("VV+EP", "가+았", "VERB")
    assert [one["ner"] for one in tokens[:4]] == ["B-DT", "I-DT", "I-DT", "L-DT"]


def test_rows_of_hugging_face(made: list[Sentence]) -> None:
    [line] = written(made[:1], label_format("hf-jsonl", "morpheme")).splitlines()
    record = json.loads(line)
    assert list(record) == ["id", "text", "tokens", "ner_tags", "upos", "xpos", "spans"]
    assert record["tokens"][-4:] == ["오", "았", "다", "."]
    assert len({len(record[key]) for key in ("tokens", "ner_tags", "upos", "xpos", "spans")}) == 1
    places = [record["text"][begin:end] for begin, end in record["spans"]]
    assert places[:5] == ["프랑스", "의", "디자이너", "엠마누엘", "웅가로"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": None}, "text must be a string"),
        ({"xpos": ["NNP"]}, "xpos must be a list of 2 values"),
        ({"xpos": ["NNP", ""]}, "expected a tag in xpos"),
        ({"spans": [[0, 2], [2, 9]]}, "expected the place of a morpheme in a text of 3 characters"),
        ({"spans": [[2, 3], [0, 2]]}, "not before 2"),
        ({"spans": [[0, 2], 5]}, "expected a tag in xpos, and begin and end in spans"),
    ],
)
def test_rows_that_cannot_be_read(change: dict[str, Any], message: str) -> None:
    record: dict[str, Any] = {"text": "철수가", "tokens": ["철수", "가"], "ner_tags": ["B-PS", "O"]}
    record |= {"xpos": ["NNP", "JKS"], "upos": ["PROPN", "ADP"], "spans": [[0, 2], [2, 3]]}
    with pytest.raises(FormatError, match=re.escape(message)):
        label_format("hf-jsonl", "morpheme").read(Block(json.dumps(record | change), 1, 1))


@pytest.mark.parametrize(
    ("name", "said", "old", "new"),
    [
        ("etri", "0", '"lemma": "철수"', '"lemma": 5'),
        ("etri", "0", '"type": "NNP"', '"type": ""'),
        ("spacy-json", "0", '"lemma": "철수"', '"lemma": 5'),
        ("spacy-json", "0", '"ner": "U-PS"', '"ner": []'),
        ("spacy-json", "0", '"orth": "철수"', '"orth": null'),
        ("label-studio", "array", '"labels": ["PS"]', '"labels": 5'),
        ("label-studio", "array", '"start": 0', '"start": null'),
        ("doccano", "", '"end_offset": 2', '"end_offset": "2"'),
    ],
)
def test_values_of_another_type(name: str, said: str, old: str, new: str) -> None:
    layout = label_format(name, said)
    text = example(name, said)
    assert old in text
    with pytest.raises(FormatError) as raised:
        first(layout, text.replace(old, new, 1))
    assert raised.value.code in ("E322", "E406")


def test_senses_come_back() -> None:
    eojeol = ASSEMBLER["의상은\t의상__02/NNG+은/JX"]
    [other] = again([Sentence((eojeol,), "1")], "hf-jsonl", "morpheme")
    assert [morpheme.sense for morpheme in other.morphemes] == ["02", ""]
    [other] = again([Sentence((eojeol,), "1")], "etri", "")
    assert [morpheme.sense for morpheme in other.morphemes] == ["02", ""]


def test_a_list_that_is_cut_off() -> None:
    layout = label_format("konne", "array")
    blocks = list(layout.blocks(['[{"text": "옷", "label": []}, {"text": "값"']))
    assert layout.read(blocks[0]).tokens == ("옷",)
    with pytest.raises(FormatError, match="a part of it is missing") as raised:
        layout.read(blocks[1])
    assert raised.value.code == "E405"


def test_an_object_that_is_no_json_costs_one_sentence() -> None:
    layout = label_format("konne", "array")
    text = '[{"text": "옷", "label": []},\n{"text" "값"}, {"text": "물", "label": []}]\n'
    first, broken, last, end = layout.blocks([text])
    assert first.text + broken.text + last.text + end.text == text
    assert [layout.read(block).tokens for block in (first, last, end)] == [("옷",), ("물",), ()]
    with pytest.raises(FormatError, match="not JSON of such a corpus") as raised:
        layout.read(broken)
    assert (raised.value.code, raised.value.line) == ("E405", 2)


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize(
    ("name", "settings"),
    [("etri", "2 return_object"), ("konne", "array"), ("spacy-json", "1"), ("modu-ne", "4")],
)
def test_json_is_read_in_pieces_of_any_size(name: str, settings: str, size: int) -> None:
    text = example(name, settings)
    for whole in (text, text.rstrip() + "\n\n x", text[:-4], text.replace('"', "", 1)):
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        found = list(label_format(name, settings).blocks(pieces))
        assert found == list(label_format(name, settings).blocks([whole]))
        assert "".join([block.text for block in found]) == whole


def test_bytes_that_are_no_text_are_no_fault_of_json() -> None:
    def chunks() -> Iterator[str]:
        yield example("konne", "array")[:40]
        raise FormatError("these bytes are no text", code="E001")

    with pytest.raises(FormatError, match="these bytes are no text"):
        list(label_format("konne", "array").blocks(chunks()))


def test_convert_finds_its_way(cli: Cli, tmp_path: Path) -> None:
    """Eojeols to characters without a direction; the morphemes are given."""
    (tmp_path / "a.tsv").write_text("1\t한강의\tLOC_B\n2\t물\t-\n\n", encoding="utf-8")
    (tmp_path / "m.txt").write_text("한강의\t한강/NNP+의/JKG\n물\t물/NNG\n", encoding="utf-8")
    message = cli("ner", "convert", "a.tsv", "b.tsv", "--to", "klue", "--morphemes", "m.txt").told()
    assert "detected format: naver rows PER_B" in message
    text = (tmp_path / "b.tsv").read_text("utf-8")
    assert text.startswith("## 1\t<한강:LOC>의 물\n한\tB-LOC\n강\tI-LOC\n의\tO\n")


def test_convert_brat_with_its_text(cli: Cli, tmp_path: Path) -> None:
    assert cli("ner", "convert", SET, "a.ann").returncode == 0
    text = (tmp_path / "a.txt").read_text("utf-8")
    lines = [line.split("\t") for line in (tmp_path / "a.ann").read_text("utf-8").splitlines()]
    assert len(lines) == 11
    for _, place, shown in lines:
        _, begin, end = place.split(" ")
        assert text[int(begin) : int(end)] == shown
    back = cli("ner", "convert", "a.ann", "b.jsonl", "--to", "konne", "--morphemes", SET)
    assert back.returncode == 0
    single = cli("ner", "syl2morph", "a.ann", "c.conllu", "--nested", "--morphemes", SET)
    assert (single.returncode, b"11 entities" in single.stderr) == (0, True)
    lines_back = (tmp_path / "b.jsonl").read_text("utf-8").splitlines()
    spans = [json.loads(line)["label"] for line in lines_back]
    assert spans[1] == [[0, 3, "PS"], [5, 8, "PS"], [10, 15, "OG"], [10, 19, "OG"]]


def test_convert_tells_what_a_format_has_no_room_for(cli: Cli) -> None:
    done = cli("ner", "convert", SET, "a.tsv", "--to", "klue-ner")
    assert done.stderr.count(b"not written") == 2
    assert b": W441 " in done.stderr
    assert b"1 entity was not written: inside or across another entity, for which" in done.stderr
    spans = [name for name in ENTITY_FORMATS if label_format(name).has_spans]
    *names, last = sorted(spans)
    assert f"({', '.join(names)} and {last} have spans".encode() in done.stderr


def test_convert_with_a_card(cli: Cli, tmp_path: Path) -> None:
    done = cli("ner", "convert", SET, "a.jsonl", "--to", "hf:morpheme", "--card", "README.md")
    assert done.returncode == 0
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "          '0': \"O\"\n          '1': \"B-AF\"\n          '2': \"I-AF\"\n" in card
    assert 'data_files: "a.jsonl"' in card and "- name: spans" in card


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ner convert SET a.tsv", "name the format of OUT with --to"),
        ("ner convert SET a.tsv --to klu", "there is no format klu: "),
        ("ner convert SET - --to docbin", "a DocBin is no text"),
        ("ner convert SET a.spacy.gz", "a DocBin is compressed by itself"),
        ("ner convert SET a.tsv --to klue --card b", "--card is for the rows of Hugging Face"),
        ("ner convert - - --to klue", "looks like no entity corpus: name its format with --from"),
        ("ner check", "looks like no entity corpus: name its format with --from"),
        # The other convert says where to go.
        ("convert SET --to naver:PER-B", "`sejongud ner convert IN OUT --to naver:PER-B`"),
        ("convert SET --to none", "there is no format none: treebank, "),
        # A format that exists, for another command.
        ("convert SET --to corpus", "corpus cannot be written here; write treebank, "),
        ("analyze SET --to treebank", "treebank cannot be written here; write jsonl, "),
        ("ner check --from treebank", "treebank cannot be read here; read "),
    ],
)
def test_commands_that_are_refused(cli: Cli, line: str, message: str) -> None:
    words = [str(SET) if word == "SET" else word for word in line.split()]
    assert message in cli(*words, stdin="나는\t나/NP+는/JX\n".encode()).told_only()


def test_bioes(cli: Cli, tmp_path: Path) -> None:
    """Table 3.6 of the memoir: E- at the end of an entity, S- for a single morpheme."""
    columns = cli("ner", "crf", SET, "--label-scheme", "bioes").stdout.decode().split("\n")
    labels = [row.split("\t")[-1] for row in columns if row]
    assert labels[:7] == ["S-LC", "O", "O", "B-PS", "E-PS", "O", "S-LC"]
    assert labels[12:14] == ["S-PS", "O"]
    text = example("klue-ner", "none")
    (tmp_path / "m.txt").write_text(
        "철수가\t철수/NNP+가/JKS\n서울역에\t서울/NNP+역/NNG+에/JKB\n갔다\t가/VV+았/EP+다/EF\n",
        encoding="utf-8",
    )
    made = cli(
        *("ner", "syl2morph", "--label-scheme", "bioes", "--morphemes", "m.txt", "-q"),
        stdin=text.encode(),
    ).stdout.decode()
    assert re.findall("NE=(.*)", made) == ["S-PS", "B-LC", "E-LC"]
    assert cli("ner", "morph2syl", "-q", stdin=made.encode()).text() == text


def test_bioes_of_ill_formed_labels_comes_back(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("한강의\t한강/NNP+의/JKG\n", encoding="utf-8")
    corpus = "1\t한강의\tLOC_I\n\n".encode()
    made = cli("ner", "eoj2morph", "--label-scheme", "bioes", "--morphemes", "m.txt", stdin=corpus)
    assert b"NE=S-LOC" in made.stdout
    assert cli("ner", "morph2eoj", stdin=made.stdout).stdout == corpus


def test_a_docbin_without_spacy(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    message = cli("ner", "convert", SET, "a.spacy").told(2)
    assert "which is not installed: pip install 'sejongud[spacy]'" in message


@pytest.mark.filterwarnings("ignore")
def test_a_docbin_there_and_back(tmp_path: Path, cli: Cli, made: list[Sentence]) -> None:
    pytest.importorskip("spacy")
    assert cli("ner", "convert", SET, "a.spacy").returncode == 0
    assert cli("ner", "convert", "a.spacy", "b.conllu").returncode == 0
    for one, other in zip(made, sentences_of(tmp_path / "b.conllu"), strict=True):
        assert (other.sent_id, other.entities) == (one.sent_id, one.entities[:1])
        assert rows(other) == rows(one)


@pytest.mark.filterwarnings("ignore")
def test_a_file_that_is_no_docbin(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("spacy")
    (tmp_path / "a.spacy").write_bytes(b"text")
    assert "this is no DocBin of spaCy" in cli("ner", "convert", "a.spacy", "b.conllu").told(1)


def test_a_target_without_a_format() -> None:
    with pytest.raises(UsageError, match="name the format"):
        OutputTarget("a.txt", None, None, load())  # type: ignore[arg-type]
