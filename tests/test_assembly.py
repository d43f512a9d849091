"""From a line to an eojeol."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sejongud.errors import FormatError
from sejongud.model import Morpheme
from sejongud.morphology.eojeol import NOT_PLAIN, Assembler, write_analysis
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.model import Eojeol, Span

RULES = load()
ASSEMBLER = Assembler(RULES)


def test_an_eojeol_of_a_line() -> None:
    eojeol = ASSEMBLER["나섰다.\t나서/VV+었/EP+다/EF+./SF"]
    assert eojeol.form == "나섰다."
    assert [m.form for m in eojeol.morphemes] == ["나서", "었", "다", "."]
    assert eojeol.spans == ((0, 2), (1, 2), (2, 3), (3, 4))
    assert eojeol.notes == ()


def test_an_eojeol_is_made_once() -> None:
    line = "책을\t책/NNG+을/JKO"
    assert ASSEMBLER[line] is ASSEMBLER[line] is ASSEMBLER.by_line[line]
    morphemes = (Morpheme("책", "NNG"), Morpheme("을", "JKO"))
    assert ASSEMBLER.eojeol("책을", morphemes) is ASSEMBLER.eojeol("책을", morphemes)


def test_plain_is_what_needs_no_alignment() -> None:
    assert ASSEMBLER["책을\t책/NNG+을/JKO"].is_plain
    assert not ASSEMBLER["간\t가/VV+ㄴ/ETM"].is_plain


def test_unanalysed() -> None:
    eojeol = ASSEMBLER.unanalysed("꽃이", "E103", "no tag")
    assert [(m.form, m.tag) for m in eojeol.morphemes] == [("꽃이", RULES.unknown_tag)]
    assert eojeol.spans == ((0, 2),)
    assert [note.code for note in eojeol.notes] == ["E103"]


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("책", "E101", 0),
        ("책\t책/NNG\t끝", "E101", 0),
        ("", "E101", 0),
        ("\t책/NNG", "E102", 1),
        (" \t책/NNG", "E102", 1),
        ("책\t", "E102", 3),
        ('"온다."""\t"오/VV+ㄴ다/EF+./SF+""/SS"', "E101", 9),
        ("책\t책", "E103", 3),
        ("책을\t책/NNG + 을", "E103", 12),
    ],
)
def test_what_is_no_eojeol(line: str, code: str, column: int) -> None:
    with pytest.raises(FormatError) as caught:
        ASSEMBLER[line]
    error = caught.value
    assert (error.code, error.column, error.text) == (code, column, line)
    # An error is not remembered as a result.
    with pytest.raises(FormatError):
        ASSEMBLER[line]


def test_a_blank_at_the_edge_is_no_part_of_the_form() -> None:
    eojeol = ASSEMBLER["  나 다 \t나/NP+다/JX"]
    assert (eojeol.form, eojeol.spans) == ("나 다", ((0, 1), (1, 3)))
    assert [note.code for note in eojeol.notes] == ["W108"]
    # It hides no symbol.
    ended = ASSEMBLER["갔다. \t가/VV+았/EP+다/EF"]
    assert (ended.form, ended.morphemes[-1]) == ("갔다.", Morpheme(".", "SF", added=True))
    assert [note.code for note in ended.notes] == ["W108", "W105"]


@pytest.mark.parametrize("analysis", [" 나/NP+는/JX", "나/NP+는/JX ", "나/NP+는/JX  "])
def test_a_blank_at_the_edge_of_an_analysis_is_told(analysis: str) -> None:
    eojeol = ASSEMBLER[f"나는\t{analysis}"]
    assert eojeol.morphemes == (Morpheme("나", "NP"), Morpheme("는", "JX"))
    assert [note.code for note in eojeol.notes] == ["W108"]


def test_a_form_may_be_a_space_that_is_no_blank() -> None:
    eojeol = ASSEMBLER["\u3000\t\u3000/SW"]
    assert (eojeol.form, eojeol.morphemes) == ("\u3000", (Morpheme("\u3000", "SW"),))
    assert eojeol.notes == ()


def test_unknown_tags_are_noted() -> None:
    eojeol = ASSEMBLER["책을\t책/QQQ+을/JKO"]
    assert [m.tag for m in eojeol.morphemes] == ["QQQ", "JKO"]
    assert [(note.code, note.message) for note in eojeol.notes] == [("W104", "unknown tag QQQ")]


@pytest.mark.parametrize("row", RULES.table("final-symbols"), ids=lambda row: row["char"])
def test_a_final_symbol_that_is_missing_is_added(row: dict[str, str]) -> None:
    eojeol = ASSEMBLER[f"책{row['char']}\t책/NNG"]
    assert eojeol.morphemes[-1] == Morpheme(row["char"], row["tag"], added=True)
    assert eojeol.spans == ((0, 1), (1, 2))
    assert [note.code for note in eojeol.notes] == ["W105"]
    assert write_analysis(eojeol.morphemes) == "책/NNG"


@pytest.mark.parametrize(
    ("line", "added"),
    [
        ("했다.”\t하/VV+았/EP+다/EF", ".”"),
        ("했다.”\t하/VV+았/EP+다/EF+./SF", "”"),
        # Full-width, as the surface has them.
        ("했다．\t하/VV+았/EP+다/EF", "．"),
        ("했다。\t하/VV+았/EP+다/EF", "。"),
        ("했다？！\t하/VV+았/EP+다/EF", "？！"),
        ("하고，\t하/VV+고/EC", "，"),
        ("했다．”\t하/VV+았/EP+다/EF+./SF", "”"),
        ("했다。\t하/VV+았/EP+다/EF+./SF", ""),
        ("했다!!\t하/VV+았/EP+다/EF+!/SF", "!"),
        # There, if in another spelling.
        ('했다”\t하/VV+았/EP+다/EF+"/SS', ""),
        ("했다…\t하/VV+았/EP+다/EF+.../SE", ""),
        ('“\t"/SS', ""),
        # Not at the end, or nothing else.
        ("3.5\t3/SN+5/SN", ""),
        ("...\t./SF", ""),
    ],
)
def test_which_symbols_are_added(line: str, added: str) -> None:
    morphemes = ASSEMBLER[line].morphemes
    assert "".join([m.form for m in morphemes if m.added]) == added


def test_what_no_rule_explains_is_noted() -> None:
    eojeol = ASSEMBLER["꽃밭이\t꽃/NNG+이/JKS"]
    assert eojeol.spans == ((0, 2), (2, 3))
    (note,) = eojeol.notes
    assert note.code == "W106"
    assert note.message == "꽃밭이: 꽃/NNG+이/JKS: no morpheme explains 밭"


def test_a_decomposed_form_is_aligned_as_it_is() -> None:
    line = normalize("NFD", "갔다.\t가/VV+았/EP+다/EF")
    eojeol = ASSEMBLER[line]
    assert eojeol.form == normalize("NFD", "갔다.")
    assert eojeol.spans == ((0, 3), (0, 3), (3, 5), (5, 6))
    assert [note.code for note in eojeol.notes] == ["W105"]
    assert write_analysis(eojeol.morphemes) == line.partition("\t")[2]


@pytest.mark.parametrize(
    ("line", "spans"),
    [
        ("ᄒᆞᆫ글이\tᄒᆞᆫ글/NNP+이/JKS", ((0, 4), (4, 5))),
        ("말ᄊᆞ미\t말ᄊᆞᆷ/NNG+이/JKS", ((0, 4), (3, 4))),
        ("ᄇᆞᄅᆞ매\tᄇᆞᄅᆞᆷ/NNG+애/JKB", ((0, 5), (4, 5))),
        ("ᄆᆞᅀᆞᄆᆞᆯ\tᄆᆞᅀᆞᆷ/NNG+ᄋᆞᆯ/JKO", ((0, 7), (4, 7))),
    ],
)
def test_old_hangul_stays_in_whole_syllables(line: str, spans: tuple[Span, ...]) -> None:
    eojeol = ASSEMBLER[line]
    assert (eojeol.spans, eojeol.notes) == (spans, ())
    assert [m.form for m in eojeol.morphemes] == [
        part.rpartition("/")[0] for part in line.partition("\t")[2].split("+")
    ]


def test_what_a_weak_rule_explains_is_noted() -> None:
    eojeol = ASSEMBLER["손가럭이\t손가락/NNG+이/JKS"]
    assert eojeol.spans == ((0, 3), (3, 4))
    (note,) = eojeol.notes
    assert (note.code, note.message) == (
        "W107",
        "손가럭이: 손가락/NNG+이/JKS fits only if a letter is misspelt; worth a look",
    )


LINES = st.text('가각간책1a.,"“() +/\t', max_size=12)
PIECES = st.lists(
    st.tuples(st.text("가각ㄴ1a.(", max_size=3), st.sampled_from(["NNG", "SN", "SF", "EF", "XYZ"])),
    min_size=1,
    max_size=4,
)


@given(st.text('가각간책1a.,"“(', min_size=1, max_size=6), PIECES)
def test_spans_cover_the_form_in_order(form: str, pieces: list[tuple[str, str]]) -> None:
    analysis = "+".join(f"{piece}/{tag}" for piece, tag in pieces)
    eojeol = ASSEMBLER[f"{form}\t{analysis}"]
    spans = eojeol.spans
    assert len(spans) == len(eojeol.morphemes) >= len(pieces)
    assert (spans[0][0], spans[-1][1]) == (0, len(form))
    covered = 0
    for (start, end), (following, _) in zip(spans, [*spans[1:], (len(form), 0)], strict=True):
        assert 0 <= start <= end <= len(form)
        assert start <= following <= max(covered := max(covered, end), following)
        assert following <= covered
    assert write_analysis(eojeol.morphemes) == analysis


@given(LINES)
def test_any_line_is_an_eojeol_or_a_format_error(line: str) -> None:
    try:
        eojeol = ASSEMBLER[line]
    except FormatError as error:
        assert error.text == line
        assert 0 <= error.column <= len(line) + 1
    else:
        assert eojeol.form == line.partition("\t")[0].strip(" ")
        assert eojeol.morphemes


def test_the_tags_of_kaist_are_known() -> None:
    morphemes = [Morpheme("책", "ncn"), Morpheme("을", "jco")]
    assert Assembler(load()).eojeol("책을", morphemes).notes == ()


def test_a_plus_sign_in_a_tag_would_part_it() -> None:
    with pytest.raises(FormatError, match=r"the tag SL\+ of org has a plus sign"):
        ASSEMBLER.eojeol("org", [Morpheme("org", "SL+")])


@pytest.mark.parametrize(("form", "noun"), [("가나" * 6_000, "가"), ("가나", "가" * 12_000)])
def test_what_is_far_too_long_is_not_aligned(form: str, noun: str) -> None:
    eojeol = ASSEMBLER.eojeol(form, [Morpheme(noun, "NNG"), Morpheme("다", "JX")])
    assert eojeol.spans == ((0, len(form)), (len(form), len(form)))
    assert [note.code for note in eojeol.notes] == ["W106"]


ITEMS = st.sampled_from(
    [
        "가/VV",
        "ㄴ/ETM",
        "ᆫ/ETM",
        "(이)/VCP",
        "이/VCP",
        "(/SS",
        ")/SS",
        "/",
        "//SP",
        "+/SW",
        "책/ncn",
        "책__01/NNG",
        " 을/JKO ",
        "가 /VV",
        "가\t/VV",
        "다/EFF",
        "?/SF",
        "",
        "책",
        "책/NNGG",
    ]
)
SURFACES = st.text("가간책을이(/)+ .", max_size=6)


@example("(이)이", "(/SS+이/VCP+)/SS+(이)/VCP")
@given(SURFACES, st.lists(ITEMS, min_size=1, max_size=4).map("+".join))
def test_a_line_is_read_by_pieces_as_it_is_read_whole(form: str, analysis: str) -> None:
    def found(read: Callable[[str], Eojeol]) -> tuple[object, ...]:
        try:
            eojeol = read(f"{form}\t{analysis}")
        except FormatError as error:
            return error.code, error.message, error.column
        return eojeol.form, eojeol.morphemes, eojeol.spans, eojeol.notes

    assert found(ASSEMBLER.read) == found(ASSEMBLER._read_any)
    plain = tuple(map(ASSEMBLER.analysis.pieces.__getitem__, analysis.split("+")))
    if NOT_PLAIN not in plain and not {*"(/"} & {*form}:
        assert ASSEMBLER.analysis._scan(analysis, form) == (plain, ())


@pytest.mark.parametrize("sense", ["16", "x16", "^03"])
def test_a_sense_has_digits_behind_a_mark(sense: str) -> None:
    (morpheme,) = ASSEMBLER[f"배\t배__{sense}/NNG"].morphemes
    assert (morpheme.form, morpheme.sense) == ("배", sense)
    assert write_analysis((morpheme,)) == f"배__{sense}/NNG"
