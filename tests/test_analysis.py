"""The notation of an analysis, read and written."""

from __future__ import annotations

from time import process_time
from unicodedata import normalize

import pytest
from cases import cases
from corpora import RULES
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import FormatError
from sejongud.model import Morpheme
from sejongud.morphology.eojeol import Analysis, spell, write_analysis

CASES = cases("analysis")

ANALYSIS = Analysis(RULES)


def parse(text: str, form: str = "") -> list[tuple[str, str]]:
    morphemes, _ = ANALYSIS.parse(text, form)
    return [(m.form, m.tag) for m in morphemes]


@pytest.mark.parametrize(
    ("text", "form", "expected"), CASES["test_plus_and_slash_are_morphemes_as_well"]
)
def test_plus_and_slash_are_morphemes_as_well(text: str, form: str, expected: str) -> None:
    found = parse(text, form)
    assert " ".join(f"{form} {tag}" for form, tag in found) == expected
    assert ANALYSIS.parse(text, form)[1] == ()


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2028", "\x0b"])
@pytest.mark.parametrize("plus", ["+", " + "])
def test_only_blanks_are_no_part_of_a_morpheme(space: str, plus: str) -> None:
    text = plus.join(["가/NNG", f"{space}/SW", f"{space}나{space}/NNG", f"{space}/SW"])
    morphemes, notes = ANALYSIS.parse(text, f"가{space}{space}나{space}{space}")
    assert [m.form for m in morphemes] == ["가", space, f"{space}나{space}", space]
    assert notes == ()


def test_other_spaces_on_both_sides_of_the_plus_part_as_well() -> None:
    assert parse("가/VV\u00a0+\u00a0았/EP+\u3000", "갔") == [("가", "VV"), ("았", "EP")]


def test_sense_numbers() -> None:
    (noun, particle), _ = ANALYSIS.parse("의상__01/NNG + 을/JKO", "의상을")
    assert noun == Morpheme("의상", "NNG", sense="01")
    assert particle.sense == ""
    # Not a sense: nothing before it, no number behind it.
    assert [m.sense for m in ANALYSIS.parse("__01/SW+a__b/SL", "__01a__b")[0]] == ["", ""]


def test_conjoining_jamo_become_compatibility_jamo_and_are_remembered() -> None:
    (_, ending), notes = ANALYSIS.parse("가/VV + \u11abᄃ/EF", "간")
    assert ending == Morpheme("ㄴㄷ", "EF", source="\u11abᄃ")
    assert notes == ()


def test_decomposed_syllables_are_composed_and_remembered() -> None:
    written = normalize("NFD", "한/NNG+(이)/VCP+\u11ab다/EF")
    morphemes, notes = ANALYSIS.parse(written, normalize("NFD", "한다"))
    assert [m.form for m in morphemes] == ["한", "이", "ㄴ다"]
    assert (write_analysis(morphemes), notes) == (written, ())


def test_parentheses_mark_elision_only_where_the_form_has_none() -> None:
    assert ANALYSIS.parse("거/NNB+(이)/VCP+야/EF", "거야")[0][1] == Morpheme("이", "VCP", "(이)")
    assert ANALYSIS.parse("(이)/NA", "(이)")[0][0] == Morpheme("(이)", "NA")
    assert spell("()", "가") == ("()", "")


@pytest.mark.parametrize("row", RULES.table("tag-typos"), ids=lambda row: f"{row['tag']}")
def test_every_known_typo_is_mended(row: dict[str, str]) -> None:
    form = "꽃" if row["form"] == "*" else row["form"]
    (morpheme,), notes = ANALYSIS.parse(f"{form}/{row['tag']}", form)
    assert (morpheme.form, morpheme.tag, morpheme.source_tag) == (form, row["right"], row["tag"])
    assert [note.code for note in notes] == ["W101"]
    assert write_analysis([morpheme]) == f"{form}/{row['tag']}"


def test_a_typo_of_one_form_is_none_of_another() -> None:
    assert parse("꽃/NN", "꽃") == [("꽃", "NN")]
    assert parse("./SF", ".") == [("./SF"[0], "SF")]


@pytest.mark.parametrize(
    "text",
    [
        "+피/VV+었/EP", "+ 피/VV+었/EP", "피/VV++었/EP", "피/VV + + 었/EP", "피/VV+었/EP+",
        "피/VV+었/EP + ",
    ],
)  # fmt: skip
def test_a_plus_that_joins_nothing_is_left_out(text: str) -> None:
    morphemes, notes = ANALYSIS.parse(text, "피었")
    assert [(m.form, m.tag) for m in morphemes] == [("피", "VV"), ("었", "EP")]
    assert [note.code for note in notes] == ["W102"]


@pytest.mark.parametrize(
    "text", [" " * 40_000 + "피", "\t" * 40_000 + "피/", "피/VV " * 40_000 + "/"]
)
def test_a_long_text_without_a_tag_is_refused_in_linear_time(text: str) -> None:
    begun = process_time()
    with pytest.raises(FormatError, match="expected form/TAG"):
        ANALYSIS.parse(text, "피")
    assert process_time() - begun < 2


def test_a_morpheme_without_a_form_stays() -> None:
    morphemes, notes = ANALYSIS.parse("피/VV+/NNG+었/EP", "피었")
    assert [(m.form, m.tag) for m in morphemes] == [("피", "VV"), ("", "NNG"), ("었", "EP")]
    assert [note.code for note in notes] == ["W103"]
    assert write_analysis(morphemes) == "피/VV+/NNG+었/EP"


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "E102", 1),
        ("   ", "E102", 1),
        ("피었다", "E103", 1),
        ("피/VV+었/EP+다", "E103", 11),
        ("피/VV + 었/EP + 다/", "E103", 15),
        ("피/VV+었+다/EF", "E103", 6),
        ("피/VV+었/+다/EF", "E103", 6),
        ("피/동사", "E103", 1),
        ("피/VV 었/EP 다/EF", "E103", 10),
        ("피/VV+었/EP 다/EF", "E103", 10),
    ],
)
def test_what_is_no_analysis(text: str, code: str, column: int) -> None:
    with pytest.raises(FormatError) as caught:
        ANALYSIS.parse(text, "피었다")
    error = caught.value
    assert (error.code, error.column, error.text) == (code, column, text)


def test_writing() -> None:
    morphemes = [
        Morpheme("의상", "NNG", sense="01"),
        Morpheme("이", "VCP", source="(이)"),
        Morpheme("다", "EF", source_tag="SF"),
        Morpheme(".", "SF", added=True),
    ]
    assert write_analysis(morphemes) == "의상__01/NNG+(이)/VCP+다/SF"
    assert write_analysis(morphemes, spaced=True) == "의상__01/NNG + (이)/VCP + 다/SF"


TAGS = sorted(RULES.tags)
FORMS = st.text("가힣ㄴㄹa1.-_()\u11ab\u3000", min_size=1, max_size=5) | st.sampled_from(["/", "+"])
MORPHEMES = st.lists(st.tuples(FORMS, st.sampled_from(TAGS)), min_size=1, max_size=6)


@given(MORPHEMES, st.booleans())
def test_what_is_written_is_read_again(pairs: list[tuple[str, str]], spaced: bool) -> None:
    surface = "".join(form for form, _ in pairs)
    morphemes = [ANALYSIS.morpheme(form, tag, surface) for form, tag in pairs]
    text = write_analysis(morphemes, spaced=spaced)
    found, _ = ANALYSIS.parse(text, surface)
    assert list(found) == morphemes
    assert write_analysis(found, spaced=spaced) == text


@given(st.text("가나+/ \u3000NGVSW.()_", max_size=20), st.text("가+/", max_size=4))
def test_any_text_is_an_analysis_or_a_format_error(text: str, form: str) -> None:
    try:
        morphemes, _ = ANALYSIS.parse(text, form)
    except FormatError as error:
        assert 1 <= error.column <= len(text) + 1
        return
    again, notes = ANALYSIS.parse(write_analysis(morphemes), form)
    assert [note for note in notes if note.code == "W102"] == []
    assert again == morphemes
