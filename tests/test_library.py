"""The library as users type it: sentences as sequences, copies, and errors for other values."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sejongud
from sejongud import UsageError, gec
from sejongud.evaluation import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud import Sentence

TEXT = "나는\t나/NP+는/JX\n간다.\t가/VV+ㄴ다/EF+./SF\n\n너도\t너/NP+도/JX\n"


def first() -> Sentence:
    return sejongud.loads(TEXT)[0]


def test_a_sentence_is_a_sequence_of_words() -> None:
    sentence = first()
    words = list(sentence)
    assert [sentence[0], sentence[-1]] == [words[0], words[-1]]
    assert [word.form for word in sentence[1:4]] == ["는", "가", "ㄴ다"]
    assert list(reversed(sentence)) == words[::-1]
    assert words[2] in sentence
    assert sentence.recut(2)[1].form == "간다"
    with pytest.raises(IndexError):
        sentence[5]


def test_sentences_are_equal_if_all_that_is_said_of_them_is() -> None:
    sentence, other = sejongud.loads(TEXT)
    for same in (first(), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert same == sentence
    assert sentence not in (other, sentence.recut(2), None)
    assert sentence.recut(2) == first().recut(2)


@pytest.mark.parametrize("name", ["klue-dp.tsv", "jsonl.jsonl", "ud.conllu", "modu.json"])
def test_every_word_has_its_columns(name: str, root: Path, tmp_path: Path) -> None:
    sentences = list(sejongud.read(root / "samples" / name, on_error="keep"))
    for sentence in sentences:
        assert all([word.form for word in sentence.words])
        assert all([token.form for token in sentence.tokens])
        for word in sentence:
            assert "" not in (word.form, word.lemma, word.upos, word.xpos)
    for to in ("conllu", "jsonl"):
        sejongud.write(sentences, tmp_path / f"a.{to}", to=to)
        again = list(sejongud.read(tmp_path / f"a.{to}"))
        words = [[word[:9] for word in sentence] for sentence in sentences]
        assert [[word[:9] for word in sentence] for sentence in again] == words


def test_a_sentence_is_shown_by_its_id_and_text() -> None:
    assert repr(first()) == "<Sentence 1: 나는 간다.>"
    long = sejongud.loads("나\t나/NP\n" * 50)[0]
    assert len(repr(long)) < 80
    assert repr(long).endswith("…>")


def annotated(texts: Any) -> object:
    return gec.annotate(texts, texts)


def written_to_nowhere(sentences: Any) -> int:
    return sejongud.write(sentences, "never.conllu")


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        (sejongud.loads, TEXT.encode(), "a text is a str, not a value of type bytes"),
        (sejongud.analyze, ["나는 간다."], "a text is a str, not a value of type list"),
        (sejongud.analyze, Path("a.txt"), r"`sejongud.read` takes the path of a file"),
        (annotated, ["나는 간다."], "a text is a str, not a value of type list"),
        (sejongud.surface, None, "not a value of type NoneType"),
        (sejongud.surface, [3], r"such as \('짓', 'VV'\), not 3"),
        (first().at_level, "3", "there is no level '3': the levels are 1 to 5"),
        (written_to_nowhere, first(), r"put this one into a list, \[sentence\]"),
        (written_to_nowhere, "a.conllu", "not a value of type str"),
    ],
)
def test_other_values_are_errors_of_usage(
    function: Callable[[Any], object], value: object, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        function(value)
    assert not Path("never.conllu").exists()


def test_a_source_is_an_eojeol_or_a_pair() -> None:
    eojeol = first().eojeols[1]
    assert sejongud.surface("가/VV+ㄴ다/EF", eojeol) == "간다"
    given: Any = "간다"
    with pytest.raises(UsageError, match="its surface and its morphemes"):
        sejongud.surface("가/VV+ㄴ다/EF", given)
    whole: Any = eojeol
    with pytest.raises(UsageError, match=r"\.morphemes of an eojeol"):
        sejongud.surface(whole)
    for wrong in ([("짓",)], ["짓/VV"]):
        items: Any = wrong
        with pytest.raises(UsageError, match="a morpheme is a form and a tag"):
            sejongud.surface(items)
    with pytest.raises(TypeError, match="given"):
        gec.annotate("나", "너", given=True)


def test_a_file_is_not_converted_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(UsageError, match=r"a\.txt is the source"):
        sejongud.convert(path, tmp_path / "." / "a.txt")
    assert path.read_text(encoding="utf-8") == TEXT


def test_an_evaluation_is_shown_by_its_scores() -> None:
    sentences = sejongud.loads(TEXT)
    shown = repr(evaluate("pos", sentences, sentences))
    assert shown.startswith("<Evaluation pos|align:offset|")
    assert "Words 1 100.00" in shown
    assert len(shown) < 1000
