"""Annotation of corrections: tokens, types by parts of speech, whole pairs."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sejongud
from sejongud import gec
from sejongud.errors import Report, UsageError
from sejongud.gec import alignment
from sejongud.gec.annotator import Annotator, annotate
from sejongud.gec.edits import AnalysedToken, Corrections, Edit, Pair, applied
from sejongud.gec.merging import MERGES
from sejongud.gec.tokens import split_punctuation, tokens_of
from sejongud.gec.types import ud_type

if TYPE_CHECKING:
    from pathlib import Path

    from sejongud.sentence import Sentence

NFD = "\u1112\u1161\u11ab\u1100\u116e\u11a8"


def tagged(text: str) -> list[AnalysedToken]:
    """Return the tokens of a text such as `The/DET cat/NOUN`."""
    pairs = [cell.rpartition("/") for cell in text.split()]
    return [AnalysedToken(form, form.lower(), upos, upos.lower()) for form, _, upos in pairs]


def sentence_of(rows: str) -> Sentence:
    """Return the sentence of CoNLL-U rows such as `1 The the DET DT`; `1-2 du` is a range."""
    lines = []
    for row in rows.strip().split("\n"):
        number, form, *cells = row.split()
        lemma, upos, xpos = cells or ("_",) * 3
        head = "_" if "-" in number else "0" if number == "1" else "1"
        relation = {"_": "_", "0": "root", "1": "dep"}[head]
        lines.append("\t".join([number, form, lemma, upos, xpos, "_", head, relation, "_", "_"]))
    [sentence] = sejongud.loads("\n".join(lines) + "\n\n", from_="conllu")
    return sentence


# --- tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "published", "everything"),
    [
        ("갔어.", "갔어 .", "갔어 ."),
        ("...", ". . .", ". . ."),
        ("“아, 네!”", "“아 , 네 ! ”", "“ 아 , 네 ! ”"),
        ("3.5%", "3 . 5 %", "3 . 5 %"),
        ("a_b·c", "a_b·c", "a _ b · c"),
        ("ㅋㅋㆍㅎ", "ㅋㅋ ㆍ ㅎ", "ㅋㅋ ㆍ ㅎ"),
        ("안녕👋🏽하세요❤️", "안녕👋🏽하세요❤️", "안녕 👋🏽 하세요 ❤️"),
        ("👨‍👩‍👧🇰🇷", "👨‍👩‍👧🇰🇷", "👨‍👩‍👧 🇰🇷"),
        (f" {NFD}\u00a0\t것. ", "한국 것 .", "한국 것 ."),
        ("", "", ""),
    ],
)
def test_split_punctuation(text: str, published: str, everything: str) -> None:
    assert split_punctuation(text) == published
    assert split_punctuation(text, "all") == everything


@given(st.text())
def test_split_punctuation_adds_only_spaces_and_is_its_own_result(text: str) -> None:
    for which in ("published", "all"):
        split = split_punctuation(text, which)
        assert split.split() == split.split(" ") or not split
        assert split_punctuation(split, which) == split
        assert split.replace(" ", "") == "".join(split_punctuation(text).split())


def test_tokens_of_a_treebank_are_the_words_inside_ranges() -> None:
    sentence = sentence_of(
        """
        1-2 du _ _ _
        1 de de ADP P
        2 le le DET _
        3 vin vin NOUN N
        """
    )
    tokens = tokens_of(sentence)
    assert [token[:4] for token in tokens] == [
        ("de", "de", "ADP", "P"),
        ("le", "le", "DET", ""),
        ("vin", "vin", "NOUN", "N"),
    ]


@pytest.mark.parametrize(
    ("unit", "level", "expected"),
    [
        ("eojeol", 5, ["학교에서", "배웠다."]),
        ("word", 1, ["학교에서", "배웠다."]),
        ("word", 2, ["학교에서", "배웠다", "."]),
        ("word", 3, ["학교", "에서", "배웠다", "."]),
        ("word", 5, ["학교", "에서", "배우", "었", "다", "."]),
        ("token", 5, ["학교에서", "배웠다."]),
        ("char", 5, ["학", "교", "에", "서", "▁", "배", "웠", "다", "."]),
    ],
)
def test_units_of_an_analysed_sentence(unit: str, level: int, expected: list[str]) -> None:
    text = "학교에서\t학교/NNG+에서/JKB\n배웠다.\t배우/VV+었/EP+다/EF+./SF\n"
    [sentence] = sejongud.loads(text)
    for korean in (True, False):
        tokens = tokens_of(sentence, unit, level=level, korean=korean)
        assert [token.form for token in tokens] == expected


def test_a_form_with_a_space_is_one_token() -> None:
    row = "1\t10 000\t10 000\tNUM\t_\t_\t0\troot\t_\t_\n\n"
    [sentence] = sejongud.loads(row, from_="conllu")
    assert [token.form for token in tokens_of(sentence)] == ["10▁000"]


# --- types by parts of speech ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "", "UNK"),
        ("a/DET", "a/DET", "UNK"),
        ("", "有/VERB", "M:VERB"),
        ("한국어수업할때/NOUN", "한국어/NOUN 수업할/VERB 때/NOUN", "R:NOUN VERB NOUN"),
        ("the/DET very/ADV", "", "U:DET ADV"),
        ("our/DET", "your/PRON", "R:PRON"),
        (",/PUNCT it/PRON", "./PUNCT It/PRON", "R:PUNCT"),
        ("Cat/NOUN", "The/DET big/ADJ cat/NOUN", "M:DET ADJ"),
        ("The/DET cat/NOUN", "Cat/NOUN", "U:DET"),
        ("cat/NOUN", "Cat/PROPN", "R:PROPN"),
        ("a/", "b/", "R:X"),
    ],
)
def test_types(source: str, target: str, expected: str) -> None:
    assert ud_type(tagged(source), tagged(target)) == expected


# --- pairs ----------------------------------------------------------------------------------------

TOKENS = st.builds(
    AnalysedToken,
    st.sampled_from(["the", "The", "cat", "cats", "sub-way", "subway", "'s", ".", "go", "to"]),
    st.sampled_from(["a", "b"]),
    st.sampled_from(["NOUN", "VERB", "AUX", "PART", "DET", "PUNCT", ""]),
    st.sampled_from(["POS", "NN"]),
)
SENTENCES = st.lists(TOKENS, max_size=9)


@given(SENTENCES, SENTENCES, st.sampled_from([None, *MERGES]), st.booleans())
def test_edits_applied_to_the_source_give_the_target(
    source: list[AnalysedToken], target: list[AnalysedToken], merge: str | None, lev: bool
) -> None:
    edits = Annotator(scheme="errant", merge=merge, lev=lev).edits(source, target)
    forms = [token.form for token in target]
    assert applied([token.form for token in source], edits) == tuple(forms)
    for edit in edits:
        assert edit.correction.split() == forms[edit.c_start : edit.c_end]
        assert edit.type[:2] in ("M:", "U:", "R:", "UN")


KOREAN = [
    ("한국어수업할때 너무 자고 싶었다", "한국어 수업할 때 너무 자고 싶었다."),
    ("나 는 학교를 갓다", "나는 학교에 갔다"),
    ("의견에 당신 반대합니다.", "당신 의견에 반대합니다!"),
    ("", "안녕하세요"),
    ("안녕하세요", ""),
    ("책을  읽었다", "책을 읽었다"),
]


@pytest.mark.parametrize("scheme", ["kagas", "errant"])
@pytest.mark.parametrize(("unit", "level"), [("eojeol", 5), ("word", 2), ("word", 5), ("char", 5)])
def test_every_unit_gives_the_target_back(scheme: str, unit: str, level: int) -> None:
    for merge in MERGES:
        annotator = Annotator(scheme=scheme, unit=unit, level=level, merge=merge)
        pairs = [Pair(source, (target, source)) for source, target in KOREAN]
        for found, (source, target) in zip(annotator.annotated(pairs), KOREAN, strict=True):
            same = annotator.normalised(source) == annotator.normalised(target)
            assert (not found.edits[0]) == same
            assert found.edits[1] == ()
            texts = [annotator.normalised(target)] if target else [""]
            [expected] = annotator.tokens(texts)
            if not same:
                assert found.target(0) == tuple(token.form for token in expected)


def test_default_of_splitting_marks() -> None:
    assert Annotator().normalised("갔다.") == "갔다 ."
    assert Annotator(split_punctuation=False).normalised("갔다.") == "갔다."
    assert Annotator(split_punctuation="all").normalised("“갔다") == "“ 갔다"
    for other in (Annotator(unit="char"), Annotator(unit="word"), Annotator(scheme="errant")):
        assert other.normalised(f"{NFD}  갔다.") == "한국 갔다."


def test_types_of_characters() -> None:
    def types(source: str, target: str) -> list[tuple[str, str]]:
        return [(edit.correction, edit.type) for edit in annotate(source, target, unit="char")]

    assert types("할수 있다", "할 수 있다") == [("▁", "WS")]
    assert types("갓다", "갔다") == [("갔", "SPELL")]
    assert types("갔다.", "갔다!") == [("!", "PUNCT")]
    assert types("갔다", "갔었다") == [("었", "INSERTION")]


def test_analyses_take_the_place_of_texts() -> None:
    source = sentence_of("1 Cat cat NOUN NN\n2 sleep sleep VERB VB")
    target = sentence_of("1 The the DET DT\n2 cat cat NOUN NN\n3 sleeps sleep VERB VBZ")
    edits = annotate("", "", scheme="errant", unit="token", analyses=(source, target))
    assert [edit[:4] for edit in edits] == [(0, 1, "The cat", "M:DET"), (1, 2, "sleeps", "R:VERB")]


def test_types_anew() -> None:
    tokens = ("나 는", "한국어수업할때", "갓다")
    given_edits = (Edit(1, 2, "한국어 수업할 때", "X"), Edit(2, 2, "꼭", "X"), Edit(2, 3, "", "X"))
    given = Corrections(("나는", *tokens[1:]), {0: given_edits, 3: ()}, "s1")
    [found] = Annotator().retyped([given])
    assert [edit.type for edit in found.edits[0]] == ["WS", "INSERTION", "DELETION"]
    assert [edit[:3] for edit in found.edits[0]] == [edit[:3] for edit in given_edits]
    assert found.edits[3] == ()
    moved = Corrections(("의견에", "당신"), {0: (Edit(0, 2, "당신 의견에"),)})
    [found] = Annotator().retyped([moved])
    assert found.edits[0][0].type == "WO"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scheme": "kaga"}, "did you mean kagas"),
        ({"unit": "words"}, "eojeol, token, word, char; did you mean word"),
        ({"merge": "space"}, "all-split.*did you mean spaces"),
        ({"speller": "aspell"}, "no speller 'aspell'"),
        ({"split_punctuation": "some"}, "published, all"),
        ({"level": 6}, "the levels are 1 to 5"),
        ({"scheme": "errant", "compat": True}, "the scheme is errant"),
    ],
)
def test_settings_without_such_a_value(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Annotator(**settings)


def test_tables_of_the_users_own(tmp_path: Path) -> None:
    rows = {
        "gec-punctuation": "char\tname\n·\tmiddle dot\n",
        "gec-types": "tagset\ttag\tform\tgroup\tnote\nsejong\tNNG\t\tMODIFIER\t\n",
        "gec-upos": "class\ttag\ncontent\tX\n",
    }
    for name, text in rows.items():
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    texts = "형은 우유·물을 샀다", "형은 과자·물을 샀다"
    [own] = annotate(*texts, rules=tmp_path)
    [usual] = annotate(*texts)
    assert own[:4] == (1, 2, "과자", "MODIFIER")
    assert usual[:4] == (1, 2, "과자·물을", "NOUN")
    source, target = tuple(tagged("a/X b/Y")), tuple(tagged("c/Z"))
    edits = [
        annotate("", "", scheme="errant", analyses=(source, target), rules=rules)
        for rules in (None, tmp_path)
    ]
    assert [len(one) for one in edits] == [2, 1]


def test_the_merging_of_the_program() -> None:
    assert Annotator(compat=True).how == "published"
    assert Annotator().how == "spaces"
    assert Annotator(scheme="errant").how == "rules"


def test_an_annotator_goes_to_a_worker() -> None:
    annotator = Annotator(scheme="errant")
    annotator.edits(tagged("a/X"), tagged("b/X"))
    assert pickle.loads(pickle.dumps(annotator)) == annotator


def test_spaces_beside_marks_that_change_are_told() -> None:
    pairs = [
        Pair("'안녕' 이라고 했다.", ("'안녕'이라고 했다.", "'안녕' 이라고 했다!")),
        Pair("한국 음식이 좋아", ("한국음식이 좋아.",)),
    ]
    for split, expected in ((None, {"I523": 1}), (False, {})):
        report = Report()
        assert len([*Annotator(split_punctuation=split).annotated(pairs, report)]) == 2
        assert report.counts == expected


def test_a_pair_of_too_many_tokens_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "CELLS", 20)
    report = Report()
    pair = Pair("가 나 다 라 마", ("가 나 다 마 바",), "s7")
    [found] = Annotator(unit="char").annotated([pair], report)
    assert found.target(0) == ("가", "▁", "나", "▁", "다", "▁", "마", "▁", "바")
    assert report.counts == {"W505": 1}


def test_public_names() -> None:
    assert gec.annotate is annotate
    assert gec.Annotator is Annotator
    with pytest.raises(AttributeError):
        _ = gec.nothing
