from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import RulesError
from sejongud.model import Morpheme
from sejongud.morphology.surface import Aligner, MorphemeAlignment
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CASES = cases("alignment")

RULES = load()
ALIGNER = Aligner(RULES)
ROWS = RULES.table("alignment")


def parse(analysis: str) -> list[Morpheme]:
    """The morphemes of `하/VV 았/EP`; of `(이)/VCP` one that is elided."""
    pieces = [piece.rsplit("/", 1) for piece in analysis.split()]
    return [
        Morpheme(form.strip("()"), tag, source=form if form.startswith("(") else "")
        for form, tag in pieces
    ]


def align(form: str, analysis: str) -> MorphemeAlignment:
    return ALIGNER.align(form, parse(analysis))


def check_spans(form: str, alignment: MorphemeAlignment, count: int) -> None:
    """Spans are in order and leave nothing of the form uncovered."""
    spans = alignment.spans
    assert len(spans) == count
    assert all(0 <= begin <= end <= len(form) for begin, end in spans)
    assert [begin for begin, _ in spans] == sorted(begin for begin, _ in spans)
    assert [end for _, end in spans] == sorted(end for _, end in spans)
    if spans:
        assert spans[0][0] == 0
        assert spans[-1][1] == len(form)
    for (_, end), (begin, _) in pairwise(spans):
        assert begin <= end


def covers(form: str, alignment: MorphemeAlignment) -> list[str]:
    """What each morpheme covers, `_` for a space and for nothing."""
    return [form[begin:end].replace(" ", "_") or "_" for begin, end in alignment.spans]


# Each: form, analysis, what the morphemes cover (`_` nothing).
EXAMPLES = CASES["EXAMPLES"]


@pytest.mark.parametrize(("form", "analysis", "covered"), EXAMPLES)
def test_what_each_morpheme_covers(form: str, analysis: str, covered: str) -> None:
    alignment = align(form, analysis)
    assert (alignment.unexplained, alignment.weak) == ("", ())
    check_spans(form, alignment, len(parse(analysis)))
    assert covers(form, alignment) == covered.split()


# Each: form, analysis, what the morphemes cover, the weak rules.
WEAK_EXAMPLES = CASES["WEAK_EXAMPLES"]


@pytest.mark.parametrize(("form", "analysis", "covered", "weak"), WEAK_EXAMPLES)
def test_weak_rules_find_the_spans_and_are_told(
    form: str, analysis: str, covered: str, weak: list[str]
) -> None:
    alignment = align(form, analysis)
    assert (alignment.unexplained, list(alignment.weak)) == ("", weak)
    assert set(weak) <= set(alignment.rules)
    check_spans(form, alignment, len(parse(analysis)))
    assert covers(form, alignment) == covered.split()


def test_strict_rules_are_preferred() -> None:
    for form, analysis in [
        ("써", "쓰/VV 어/EC"),
        ("그래", "그렇/VA 어/EF"),
        ("죽여", "죽이/VV 어/EC"),
    ]:
        assert align(form, analysis).weak == ()
    # What is elided is read in the way that needs no weak rule.
    assert align("꽃밭", "꽃밭/NNG (,)/SP").weak == ()
    assert align("꽃밭,", "꽃밭/NNG (,)/SP")[1:] == ((), "", ())


def test_a_rule_is_weak_in_all_its_rows_or_in_none() -> None:
    weak = {row["name"] for row in ROWS if row["weak"]}
    strict = {row["name"] for row in ROWS if not row["weak"]}
    assert weak
    assert strict
    assert not weak & strict


def test_example_of_a_row_needs_that_row_alone() -> None:
    for row in ROWS:
        form, analysis = row["example"].split(" ")
        alignment = align(form, analysis.replace("+", " "))
        weak = (row["name"],) if row["weak"] else ()
        assert alignment[1:] == ((row["name"],), "", weak), row["example"]


# Each: form, analysis, what is said.
UNEXPLAINED = CASES["UNEXPLAINED"]


@pytest.mark.parametrize(("form", "analysis", "reason"), UNEXPLAINED)
def test_what_no_rule_explains_is_told(form: str, analysis: str, reason: str) -> None:
    alignment = align(form, analysis)
    assert alignment.unexplained == reason
    check_spans(form, alignment, len(parse(analysis)))


def test_unexplained_surface_belongs_to_the_morpheme_before() -> None:
    assert align("큰친구들이오", "친구/NNG 오/JX").spans == ((0, 5), (5, 6))


def test_unknown_tag_satisfies_every_condition() -> None:
    assert align("가까운", "가깝/paa ㄴ/etm").unexplained == ""


def test_empty_morphemes_and_forms() -> None:
    assert ALIGNER.align("", []) == ((), (), "", ())
    assert ALIGNER.align("가", []).unexplained == "no morpheme explains 가"
    empty = Morpheme("", "NNG")
    assert ALIGNER.align("가", [empty]).spans == ((0, 1),)
    assert ALIGNER.align("가나", [Morpheme("가나", "NNG"), empty]).spans == ((0, 2), (2, 2))
    # Between two that share a syllable.
    fused = ALIGNER.align("간", [Morpheme("가", "VV"), empty, Morpheme("ㄴ", "ETM")])
    assert fused == (((0, 1), (0, 1), (0, 1)), ("coda fusion",), "", ())


@given(st.lists(st.text(min_size=1), min_size=1))
def test_morphemes_that_stand_one_after_another(forms: list[str]) -> None:
    morphemes = [Morpheme(form, "NNG") for form in forms]
    alignment = ALIGNER.align("".join(forms), morphemes)
    assert alignment.unexplained == ""
    assert alignment.rules == ()
    check_spans("".join(forms), alignment, len(forms))


SYLLABLES = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)
HANGUL = st.text(SYLLABLES | st.sampled_from("가이하ㄴㄹ"))


@given(
    st.text() | HANGUL,
    st.lists(st.tuples(st.text() | HANGUL, st.sampled_from([*RULES.tags, "?"]), st.booleans())),
)
def test_anything_has_spans(form: str, pieces: list[tuple[str, str, bool]]) -> None:
    morphemes = [
        Morpheme(text, tag, source=f"({text})" if elided else "") for text, tag, elided in pieces
    ]
    alignment = ALIGNER.align(form, morphemes)
    check_spans(form, alignment, len(morphemes))
    assert ALIGNER.align(form, morphemes) == alignment


def test_thousands_of_characters_do_not_hang() -> None:
    noise = "".join([chr(0xAC00 + k * 7919 % 11172) for k in range(4_000)])
    start = time.process_time()
    for form, pieces in [
        (noise, [noise[::-1]]),
        ("나" + noise + "했", ["다" + noise, "하", "았"]),
    ]:
        morphemes = [Morpheme(piece, "VV") for piece in pieces]
        check_spans(form, ALIGNER.align(form, morphemes), len(pieces))
    assert time.process_time() - start < 30


HEADER = "\t".join(ROWS[0])


def with_row(directory: Path, **columns: str) -> Aligner:
    row = {
        "name": "my rule",
        "underlying": "먹+음#",
        "surface": "먹+이",
        "tags": "VV+ETN",
        "follows": "",
        "cost": "1",
        "weak": "",
        "example": "",
        "source": "",
    }
    text = f"{HEADER}\n" + "\t".join((row | columns).values()) + "\n"
    (directory / "alignment.tsv").write_text(text, encoding="utf-8")
    return Aligner(Rules(directory))


def test_rule_of_the_user(tmp_path: Path) -> None:
    morphemes = parse("먹/VV 음/ETN 가/JKS")
    assert ALIGNER.align("먹이가", morphemes).unexplained == "no rule makes 이 of 음/ETN"
    assert with_row(tmp_path).align("먹이가", morphemes) == (
        ((0, 1), (1, 2), (2, 3)),
        ("my rule",),
        "",
        (),
    )


@pytest.mark.parametrize(("columns", "message"), CASES["test_row_that_cannot_be_used"])
def test_row_that_cannot_be_used(tmp_path: Path, columns: dict[str, str], message: str) -> None:
    with pytest.raises(RulesError, match=message) as caught:
        with_row(tmp_path, **columns)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "alignment.tsv"), 2)
    assert caught.value.message.startswith("my rule: ")


def klue(path: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            _, form, morphemes, tags, *_ = line.split("\t")
            yield form, morphemes.split(" "), tags.split("+")


def conllu(path: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if columns[0].isdigit():
            form, lemma, xpos = columns[1], columns[2], columns[4]
            for item in columns[9].split("|"):
                if item.startswith("OrigLemma="):
                    lemma = item.partition("=")[2]
            yield form, lemma.split("+") if lemma != "+" else ["+"], xpos.split("+")


@pytest.mark.parametrize(
    ("path", "tolerated"),
    [
        ("klue-dp/klue-dp-v1.1_dev.first1500.tsv", 0.001),
        ("ud-korean-gsd/ko_gsd-ud-dev.conllu", 0.001),
        ("ud-korean-kaist/ko_kaist-ud-dev.conllu", 0.0015),
        ("ud-korean-ksl/ko_ksl-ud-dev.conllu", 0.0035),
    ],
)
def test_real_eojeols(shared: Path, path: str, tolerated: float) -> None:
    """Few are left, and those are errors of the annotation (learners' spelling in KSL)."""
    file = shared / "data" / path
    eojeols: Counter[tuple[str, tuple[Morpheme, ...]]] = Counter()
    for form, forms, tags in klue(file) if file.suffix == ".tsv" else conllu(file):
        if len(forms) == len(tags) and tags != ["_"]:
            morphemes = [Morpheme(*pair) for pair in zip(forms, tags, strict=True)]
            eojeols[form, tuple(morphemes)] += 1
    unexplained = weak = 0
    for (form, analysis), count in eojeols.items():
        alignment = ALIGNER.align(form, analysis)
        check_spans(form, alignment, len(analysis))
        unexplained += count * bool(alignment.unexplained)
        weak += count * bool(alignment.weak)
    assert unexplained <= tolerated * eojeols.total()
    # What is weak explains slips, not the language.
    assert weak <= 0.0015 * eojeols.total()
