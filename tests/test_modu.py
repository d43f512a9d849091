"""NIKL JSON: walked in pieces, its layers laid on the words, its oddities said."""

from __future__ import annotations

import json
import random
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import pytest
from cases import cases
from corpora import read_told

from sejongud.api import loads
from sejongud.errors import FormatError
from sejongud.formats import json_text
from sejongud.formats.modu import ModuReader
from sejongud.model import Arcs
from sejongud.morphology.eojeol import Assembler, write_analysis
from sejongud.rules import load

if TYPE_CHECKING:
    import re
    from pathlib import Path

    from conftest import Cli

    from sejongud.model import Sentence

CASES = cases("modu")


read = partial(read_told, ModuReader)


def sentence(form: str = "나는 간다", **layers: Any) -> dict[str, Any]:
    """A sentence with the layers of 나는 간다, unless others are given."""
    words = [
        {"id": 1, "form": "나는", "begin": 0, "end": 2},
        {"id": 2, "form": "간다", "begin": 3, "end": 5},
    ]
    pieces = [("나", "NP", 1), ("는", "JX", 1), ("가", "VV", 2), ("ㄴ다", "EF", 2)]
    morphemes = [{"form": form, "label": tag, "word_id": word} for form, tag, word in pieces]
    return {"id": "s", "form": form, "word": words, "morpheme": morphemes} | layers


def corpus(*sentences: Any) -> str:
    document = {"id": "d", "metadata": {}, "sentence": list(sentences)}
    return json.dumps({"id": "c", "metadata": {}, "document": [document]}, ensure_ascii=False)


def analyses(one: Sentence) -> list[str]:
    return [write_analysis(eojeol.morphemes) for eojeol in one.eojeols]


@pytest.fixture(scope="module")
def sample(root: Path) -> str:
    return (root / "samples" / "modu.json").read_text(encoding="utf-8")


def test_the_sample(sample: str) -> None:
    sentences, said = read(sample)
    assert [one.sent_id for one in sentences] == [f"SAMPLE0001.1.{n}" for n in (1, 3, 4, 5)]
    assert [one.comments for one in sentences] == [
        (
            "newdoc id = SAMPLE0001.1",
            'meta::corpus.title = 표본 {"따옴표"} [괄호]',
            "meta::corpus.annotation_level = 형태; 어휘 의미",
            "meta::title = 지어낸 글",
        ),
        (),
        ("newdoc id = SAMPLE0001.3",),
        (),
    ]
    assert analyses(sentences[0]) == [
        "그/MMD",
        "두/MMN",
        "사람__01/NNG+은/JX",
        "배__02/NNG+를/JKO",
        "타__05/VV+았/EP+다/EF+./SF",
    ]
    assert analyses(sentences[1]) == ["새/MMA", "옷__777/NNG+이/VCP+다/EF", "\\/SW", "좋/VA+네/EF"]
    assert sentences[1].text_orig == "새 옷이다  \\ 좋네"
    assert analyses(sentences[2]) == ["학교/NNG+/VCP+다/EF+./SF"]
    assert [one.split()[1] for one in said] == ["W322", "W322", "W323", "W321", "W321", "W103"]
    lines = sample.split("\n")
    at = {code: int(one.split()[0]) for one in said for code in [one.split()[1]]}
    assert lines[at["W103"] - 1].strip() == "{"
    assert '"SAMPLE0001.1.4"' in lines[at["W103"]]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_pieces_may_be_cut_anywhere(sample: str, size: int) -> None:
    reader = ModuReader(Assembler(load()))
    whole = list(reader.blocks([sample]))
    pieces = (sample[at : at + size] for at in range(0, len(sample), size))
    assert list(reader.blocks(pieces)) == whole
    minified = json.dumps(json.loads(sample))
    pieces = (minified[at : at + size] for at in range(0, len(minified), size))
    assert [json.loads(f.text) for f in reader.blocks(pieces)] == [
        json.loads(f.text) for f in whole
    ]


def test_a_sense_without_a_word_id_is_found_by_its_place() -> None:
    senses = [{"word": "가", "sense_id": 12, "pos": "VV", "begin": 3, "end": 4}]
    (one,), said = read(corpus(sentence(WSD=senses)))
    assert analyses(one) == ["나/NP+는/JX", "가__12/VV+ㄴ다/EF"]
    assert said == []


def test_a_sense_of_decomposed_hangul_is_that_of_its_morpheme(sample: str) -> None:
    composed, said = read(sample)
    decomposed, same = read(normalize("NFD", sample))
    assert same == said
    senses = [[morpheme.sense for morpheme in one.morphemes] for one in composed]
    assert senses == [[morpheme.sense for morpheme in one.morphemes] for one in decomposed]


def test_words_without_a_layer_are_the_texts() -> None:
    (one,), _ = read(corpus(sentence(word=None)))
    assert analyses(one) == ["나/NP+는/JX", "가/VV+ㄴ다/EF"]


@pytest.mark.parametrize(
    ("positions", "analysis"),
    [((2, 1), "나/NP+는/JX"), ((1, 2), "는/JX+나/NP"), ((2, None), "는/JX+나/NP")],
)
def test_positions_tell_the_order_of_morphemes(
    positions: tuple[int | None, ...], analysis: str
) -> None:
    said = zip([("는", "JX"), ("나", "NP")], positions, strict=True)
    morphemes = [
        {"form": form, "label": tag, "word_id": 1, "position": at} for (form, tag), at in said
    ]
    (one,), _ = read(corpus(sentence("나는", word=None, morpheme=morphemes)))
    assert analyses(one) == [analysis]


def test_the_order_of_ids_is_free() -> None:
    words = [{"id": 2, "form": "나는"}, {"id": 1, "form": "간다"}]
    morphemes = [
        {"form": "가", "label": "VV", "word_id": 1},
        {"form": "나", "label": "NP", "word_id": 2},
        {"form": "는", "label": "JX", "word_id": 2},
        {"form": "ㄴ다", "label": "EF", "word_id": 1},
    ]
    (one,), _ = read(corpus(sentence(word=words, morpheme=morphemes)))
    assert analyses(one) == ["나/NP+는/JX", "가/VV+ㄴ다/EF"]


@pytest.mark.parametrize(("layers", "code"), CASES["test_layers_that_are_not_as_they_should_be"])
def test_layers_that_are_not_as_they_should_be(layers: dict[str, Any], code: str) -> None:
    text = corpus(sentence(**layers), sentence(id="d.2"))
    with pytest.raises(FormatError) as caught:
        read(text)
    assert (caught.value.code, caught.value.line) == (code, 1)
    sentences, said = read(text, "skip")
    assert len(sentences) == 1
    assert said == [f"1 {code}"]


def test_keep_keeps_words_without_morphemes() -> None:
    (one,), said = read(corpus(sentence(morpheme=[])), "keep")
    assert analyses(one) == ["나는/NA", "간다/NA"]
    assert said == ["1 E323", "1 E323"]


@pytest.mark.parametrize(("text", "line"), CASES["test_files_that_are_no_corpus"])
def test_files_that_are_no_corpus(text: str, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert (caught.value.code, caught.value.line) == ("E321", line)


def test_the_line_of_broken_json() -> None:
    text = '{"document": [{"id": "d", "sentence": [\n{"id": "a",\n "form": "가" 1}]}]}'
    with pytest.raises(FormatError) as caught:
        read(text)
    assert (caught.value.code, caught.value.line) == ("E322", 3)
    assert caught.value.text == ' "form": "가" 1}'


def test_a_bracket_that_is_never_closed_needs_no_more_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_text, "MAX_SENTENCE", 100_000)
    taken = 0

    def pieces() -> Any:
        nonlocal taken
        yield '{"document": [{"sentence": [{"id": 1, '
        while True:
            taken += 1
            yield '"a": [1, 2], ' * 1000

    with pytest.raises(FormatError, match="not closed"):
        list(ModuReader(Assembler(load())).blocks(pieces()))
    assert taken < 20


class Counted:
    """A pattern that counts the characters before it which it may look at."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.seen = 0

    def match(self, text: str, at: int) -> re.Match[str] | None:
        self.seen += len(text) - at
        return self.pattern.match(text, at)


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ('{"document": [{"sentence": [{"id": 1,\n"form": "', "_TO_BRACKET"),
        ('{\n"id": "', "_STRING"),
    ],
)
def test_a_string_that_never_ends_is_searched_in_linear_time(
    before: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(getattr(json_text, name))
    monkeypatch.setattr(json_text, name, counted)
    pieces = [before, *["가나다라 " * 1000] * 300]
    with pytest.raises(FormatError, match="the string that opens here is not closed") as caught:
        list(ModuReader(Assembler(load())).blocks(pieces))
    assert (caught.value.code, caught.value.line) == ("E321", 2)
    assert counted.seen < 4 * 300 * 5000


@pytest.mark.parametrize("value", ['"가나"', r'"\uac00\n"'])
def test_many_strings_take_little_memory(value: str) -> None:
    text = f'["{value[1:-1] * 100_000}", {", ".join([value] * 100_000)}]'
    tracemalloc.start()
    try:
        assert json_text.Walk([text], "E321").take() == text
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()


def test_the_sentence_before_a_string_that_never_ends_is_read() -> None:
    text = '{"document": [{"sentence": [{"id": "a", "form": "나는"}, {"id": "b", "form": "'
    blocks = ModuReader(Assembler(load())).blocks([text])
    assert next(blocks).sent_id == "a"
    with pytest.raises(FormatError, match="not closed"):
        next(blocks)


def test_mutated_files_give_errors_of_format(sample: str) -> None:
    randomness = random.Random(1)
    for _ in range(300):
        chars = list(sample)
        for _ in range(randomness.randint(1, 4)):
            at = randomness.randrange(len(chars))
            chars[at : at + randomness.choice([0, 1, 300])] = randomness.choice(
                ["", "{", "}", "[", "]", '"', ",", ":", "\\", "\0", "null", "1e400", "\\ud800"]
            )
        try:
            sentences, _ = read("".join(chars), randomness.choice(["stop", "skip", "keep"]))
        except FormatError as error:
            assert error.line
        else:
            assert all(one.eojeols for one in sentences)


def test_a_text_of_two_lines_is_one_comment() -> None:
    layers = {
        "id": "a.1",
        "form": "나는\n간다",
        "word": [
            {"id": 1, "form": "나는", "begin": 0, "end": 2},
            {"id": 2, "form": "간다", "begin": 3, "end": 5},
        ],
    }
    corpus = json.dumps({"id": "X", "document": [{"id": "D", "sentence": [layers]}]})
    reader = ModuReader(Assembler(load()), keep=True)
    [block] = reader.blocks([corpus])
    assert reader.parse(block).text_orig == ""


def dependencies(*heads: int) -> list[dict[str, Any]]:
    labels = ("NP_SBJ", "VP")
    return [
        {"word_id": at, "head": head, "label": label, "dependent": []}
        for at, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
    ]


def test_dependencies_are_those_of_the_eojeols() -> None:
    text = corpus(sentence(DP=dependencies(2, -1)), sentence(id="t", DP=None))
    [one, other], said = read(text)
    assert not said
    assert one.arcs == Arcs((2, 0), ("NP_SBJ", "VP"))
    assert other.arcs is None
    [public, _] = loads(text, from_="modu")
    rows = [(word.form, word.head, word.deprel) for word in public.recut(5)]
    assert rows == [("나", 3, "NP_SBJ"), ("는", 1, "case"), ("가", 0, "VP"), ("ㄴ다", 3, "mark")]


def test_dependencies_need_no_morphemes() -> None:
    """The corpus of dependencies has none, and no layer of words."""
    arcs = dependencies(2, -1)
    (one,), said = read(corpus({"id": "s", "form": "나는 간다", "DP": arcs}))
    assert (analyses(one), said) == (["나/NP+는/JX", "가/VV+ㄴ다/EC"], ["1 I325"])
    assert one.arcs == Arcs((2, 0), ("NP_SBJ", "VP"))


def test_dependencies_become_those_of_ud(cli: Cli) -> None:
    """NIKL has the labels of KLUE-DP."""
    text = corpus(sentence(DP=dependencies(2, -1)), sentence(id="t", DP=None))
    done = cli("convert", "--scheme", "ud", "--level", "2", stdin=text.encode())
    rows = [line.split("\t") for line in done.stdout.decode().splitlines() if "\t" in line]
    arcs = [(row[1], *row[6:8]) for row in rows]
    assert arcs[:2] == [("나는", "2", "nsubj"), ("간다", "0", "root")]
    assert b"W617 no UD relations: an eojeol has no HEAD [t]" in done.stderr


def test_layers_that_are_not_read_are_told() -> None:
    _, said = read(corpus(sentence(NE=[{"label": "PS"}], SRL=[], ZA=None)))
    assert said == ["1 W324"]
    _, said = read(corpus(sentence()).replace('"sentence":', '"ZA": [],\n"CR": [1], "sentence":'))
    assert said == ["2 W324"]


@pytest.mark.parametrize("heads", [(3, -1), (1, -1)])
def test_a_head_that_is_no_other_word(heads: tuple[int, int]) -> None:
    with pytest.raises(FormatError, match=r"word_id 1 has the head \d: expected the ids") as caught:
        read(corpus(sentence(DP=dependencies(*heads))))
    assert caught.value.code == "E324"


@pytest.mark.parametrize(("stated", "sent_id"), [("a-7", "a-7"), (7, "7"), (None, "1")])
def test_the_id_of_a_sentence_may_stand_anywhere_and_be_a_number(
    stated: object, sent_id: str
) -> None:
    layers = sentence()
    layers.pop("id", None)
    sentences, _ = read(corpus({**layers, "id": stated}))
    assert [one.sent_id for one in sentences] == [sent_id]


def test_words_in_another_order_stand_at_their_places() -> None:
    (found,), _ = read(corpus(sentence(word=sentence()["word"][::-1])))
    assert (found.text, found.text_orig) == ("나는 간다", "")


def test_metadata_of_a_corpus_are_told_or_taken() -> None:
    metadata, comment = {"title": "말뭉치"}, "meta::corpus.title = 말뭉치"
    documents = [{"id": "a", "sentence": []}, {"id": "b", "sentence": [sentence()]}]
    for text, comments in (
        ({"metadata": metadata, "document": documents}, ("newdoc id = b", comment)),
        ({"document": documents, "metadata": metadata}, ("newdoc id = b",)),
    ):
        (found,), said = read(json.dumps(text, ensure_ascii=False))
        assert found.comments == comments
        # The document without sentences is told in both.
        assert [one.split()[1] for one in said].count("W321") == 3 - len(comments)


@pytest.mark.parametrize(
    "document",
    [
        [],
        [None],
        [{"id": "d", "sentence": []}],
        [{"id": "d", "utterance": [{"form": "나는 간다"}]}],
    ],
)
def test_a_corpus_without_sentences_is_an_error(document: list[Any]) -> None:
    with pytest.raises(FormatError) as caught:
        read(json.dumps({"document": document}))
    assert caught.value.code == "E107"
