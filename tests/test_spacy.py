"""The tokenizer and the component of spaCy, in a pipeline that is trained on a file of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

spacy = pytest.importorskip("spacy")

SETTINGS = {"@tokenizers": "sejongud.Tokenizer.v1"}


def blank(level: int = 5) -> Any:
    return spacy.blank("ko", config={"nlp": {"tokenizer": {**SETTINGS, "level": level}}})


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (1, ["나는", "프랑스에", "갔다."]),
        (2, ["나는", "프랑스에", "갔다", "."]),
        (3, ["나", "는", "프랑스", "에", "갔다", "."]),
        (5, ["나", "는", "프랑스", "에", "갔", "다", "."]),
    ],
)
def test_tokens_are_the_words_of_a_level(level: int, words: list[str]) -> None:
    assert [token.text for token in blank(level)("나는 프랑스에 갔다.")] == words


@pytest.mark.parametrize("text", ["", " ", "  나는  간다\n\n갔다. ", "\t", "ㅋㅋ 🙂"])
def test_a_text_comes_back(text: str) -> None:
    assert blank()(text).text == text


def test_the_component_adds_morphemes_tags_and_features() -> None:
    nlp = blank()
    nlp.add_pipe("sejongud")
    went = nlp("나는 갔다")[2]
    assert (went.text, went.tag_, went.pos_, went.lemma_) == ("갔", "VV+EP", "VERB", "가+었")
    assert (str(went.morph), went._.morphemes) == ("Tense=Past", ("가/VV", "았/EP"))
    # The words of the tokenizer's level have tags, unless the component has a level of its own.
    words = blank(3)
    words.add_pipe("sejongud")
    assert [token.tag_ for token in words("나는 공부했다.")] == ["NP", "JX", "NNG+XSV+EP+EF", "SF"]
    words.replace_pipe("sejongud", "sejongud", config={"level": 5})
    assert [token.tag_ for token in words("나는 공부했다.")] == ["NP", "JX", "", "SF"]
    # Tokens of another tokenizer that are no words of the level stay as they are.
    other = spacy.blank("xx")
    other.add_pipe("sejongud")
    assert [token.tag_ for token in other("나 갔다")] == ["NP", ""]


def test_a_pipeline_is_trained_on_a_file_of_entities(cli: Cli, tmp_path: Path, root: Path) -> None:
    from spacy.tokens import DocBin
    from spacy.training import Example

    corpus = root / "samples" / "klue-ner.tsv"
    assert cli("ner", "convert", corpus, "train.spacy").returncode == 0
    nlp = blank()
    gold = list(DocBin().from_disk(tmp_path / "train.spacy").get_docs(nlp.vocab))
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in gold]
    # Kiwi finds the words of the file in most sentences: labels lie on whole tokens.
    same = [[t.text for t in one.x] == [t.text for t in one.y] for one in examples]
    assert 2 * sum(same) > len(same)
    nlp.add_pipe("sejongud")
    nlp.add_pipe("ner")
    nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples)
    scores = nlp.evaluate(examples)
    assert scores["ents_f"] > 0.5
    assert nlp(gold[0].text)[0].tag_ == gold[0][0].tag_
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    assert [ent.text for ent in again(gold[0].text).ents] == [
        ent.text for ent in nlp(gold[0].text).ents
    ]
