"""The types of Korean corrections, on invented sentences and on what KAGAS itself wrote."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.formats.m2 import read_m2
from sejongud.gec import annotate
from sejongud.gec.alignment import ALIGNERS, align
from sejongud.gec.edits import AnalysedToken, labels
from sejongud.gec.korean import chain_of_particles
from sejongud.gec.merging import merge
from sejongud.gec.tokens import analysed, analysed_token, group_of
from sejongud.gec.types import KoreanTypes
from sejongud.model import Morpheme
from sejongud.rules import load

CASES = cases("gec_types")

DEFAULT = KoreanTypes()
DETAILED = KoreanTypes(detail=True)
PUBLISHED = KoreanTypes(speller="none", compat=True, detail=True)


def token(analysis: str) -> AnalysedToken:
    """The eojeol of `먹/VV+었/EP+다/EF`."""
    pairs = [one.rpartition("/") for one in analysis.split("+")]
    morphemes = [Morpheme(form, tag) for form, _, tag in pairs]
    return analysed_token("".join([m.form for m in morphemes]), morphemes)


def test_many_particles_are_read_in_one_way() -> None:
    chain = chain_of_particles(load())
    assert chain.fullmatch("이나" * 20_000)
    assert not chain.fullmatch("이나" * 20_000 + "집")


def types(source: str, target: str, settings: KoreanTypes = DEFAULT) -> list[tuple[str, str]]:
    """The types of all edits between two sentences."""
    ours, theirs = analysed([source, target])
    return [
        settings.kagas(ours[op.start : op.end], theirs[op.c_start : op.c_end], op.kind)
        for op in merge(align(ours, theirs, ALIGNERS["kagas"]), ours, theirs, "spaces")
    ]


@pytest.mark.parametrize(("source", "target", "expected"), CASES["test_types"])
def test_types(source: str, target: str, expected: str) -> None:
    assert [type_ for type_, _ in types(source, target)] == [expected]


PAGE = Path(__file__).resolve().parent.parent / "docs" / "corrections.md"
REFINED = re.findall(r"\| `([MUR]:[A-Z+]+)` \| (.+?) → (.+?) \|", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("expected", "source", "target"), REFINED)
def test_refined_types_of_the_page(expected: str, source: str, target: str) -> None:
    assert [edit.type for edit in annotate(source, target, scheme="refined")] == [expected]


def test_the_page_has_every_part_of_refined_types() -> None:
    parts = {part for type_, *_ in REFINED for part in type_[2:].split("+")}
    assert parts == {row["type"] for row in load().table("gec-refined")} | {
        *("SPELL", "SHORTEN", "ALLOMORPH", "WB", "WO")
    }


@pytest.mark.parametrize(
    ("source", "target", "unit", "expected"),
    [
        ("나는갓다", "나는 갔다", "char", ["M:WB", "R:SPELL"]),
        ("ㅋㅋ 간다", "ㅎㅎ 간다", "eojeol", ["R:OTHER"]),
        ("나는 간다", "간다 나는", "eojeol", ["R:WO"]),
        ("나는", "", "eojeol", ["U:PRON"]),
    ],
)
def test_refined_types_of_other_units_and_odd_sides(
    source: str, target: str, unit: str, expected: list[str]
) -> None:
    found = annotate(source, target, scheme="refined", unit=unit)
    assert [edit.type for edit in found] == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("형은 우유를 샀다 .", "형은 우유를 마셨다 .", "R:VERB"),
        ("나는 강아지를 본다 .", "나는 고양이와 본다 .", "R:NOUN+PARTICLE"),
        ("나는 우유를 마신다 .", "나는 매일 우유를 마신다 .", "M:MODIFIER"),
        ("나는 강아지를 본다 .", "나는 본다 .", "U:NOUN+PARTICLE"),
        ("날씨가 너무 조아요 .", "날씨가 너무 좋아요 .", "R:ADJECTIVE+ENDING+SPELL"),
        ("벌써 저녁이 되었어요 .", "벌써 저녁이 됐어요 .", "R:SHORTEN"),
        ("도서관에서책을 읽는다 .", "도서관에서 책을 읽는다 .", "R:WS"),
    ],
)
def test_details(source: str, target: str, expected: str) -> None:
    assert [detail for _, detail in types(source, target, DETAILED)] == [expected]


@pytest.mark.parametrize(
    ("source", "target", "default", "published"), CASES["test_given_analyses_in_either_tag_set"]
)
def test_given_analyses_in_either_tag_set(
    source: str, target: str, default: str, published: str
) -> None:
    plain = KoreanTypes(speller="none", given=True)
    ours, theirs = [token(source)], [token(target)]
    assert plain.kagas(ours, theirs, "S")[0] == default
    assert PUBLISHED.kagas(ours, theirs, "S")[0] == published


def test_the_published_order() -> None:
    asked: list[tuple[str, str]] = []

    def speller(source: str, target: str) -> bool:
        asked.append((source, target))
        return True

    published = KoreanTypes(speller=speller, compat=True)
    period, mark, two = token("./SF"), token("?/SF"), token("집/NNG+에/JKB")
    assert published.kagas([period], [mark], "S")[0] == "SPELL"
    assert published.kagas([period], [two], "S")[0] == "UNCLASSIFIED"  # not as long
    assert asked == [(".", "?")]
    assert DEFAULT.kagas([period], [mark], "S")[0] == "PUNCT"
    four = [token(f"{char}/NNG") for char in "가나다라"]
    assert DEFAULT.kagas(four, four[::-1], "T")[0] == "WO"
    assert published.kagas(four, four[::-1], "T")[0] == "UNCLASSIFIED"
    assert published.kagas(four[:3], four[2::-1], "T")[0] == "WO"
    assert published.kagas(four, four[:1], "S")[0] == "UNCLASSIFIED"


def test_a_speller_of_the_callers_own() -> None:
    everything = KoreanTypes(speller=lambda source, target: (source, target) == ("밤", "낮"))
    assert types("밤 .", "낮 .", everything) == [("SPELL", "")]
    assert types("밤 .", "꿈 .", everything) == [("NOUN", "")]


def test_an_analysis_that_gives_no_type_is_doubted() -> None:
    ours, theirs = [token("가/VV+게/EC")], [token("서점/NNG")]
    given = KoreanTypes(speller="none", given=True)
    assert given.kagas(ours, theirs, "S")[0] == "UNCLASSIFIED"
    assert DETAILED.kagas(ours, theirs, "S") == ("NOUN", "R:NOUN")


def test_lemma_and_kind() -> None:
    [tokens] = analysed(["착한 아이는 선생님이고 노래를 불렀어요 ."])
    assert [(one.lemma, one.kind) for one in tokens] == [
        ("착하", "A"),
        ("", ""),
        ("선생님이", "A"),
        ("", ""),
        ("부르", "V"),
        ("", ""),
    ]


def test_texts_are_analysed_in_their_order_and_as_they_stand() -> None:
    texts = ["", "나는 간다 .", " 하늘이\t  푸르다", "하늘이"]
    forms = [[one.form for one in tokens] for tokens in analysed(texts)]
    assert forms == [text.split() for text in texts]


def test_every_tag_has_a_group_that_is_a_type() -> None:
    rules = load()
    listed = {row["tag"] for row in rules.table("gec-types")}
    assert set(rules.tags) <= listed
    groups = {group_of(Morpheme("가", tag), rules) for tag in listed | {"?"}}
    assert groups <= set(labels())
    assert len(set(labels().values())) == len(labels()) == 15


PIECE = st.text("가나다한국싸웠ㄱㅏ은는를이. !?a1", max_size=7).map(
    lambda text: "".join(text.split())
)


@given(st.lists(PIECE.filter(bool), max_size=4), st.lists(PIECE.filter(bool), max_size=4))
def test_any_pair_has_types(source: list[str], target: list[str]) -> None:
    for one in (DETAILED, PUBLISHED):
        for type_, detail in types(" ".join(source), " ".join(target), one):
            assert type_ in labels()
            assert detail[:2] in ("M:", "U:", "R:")


def test_tokens_without_an_analysis() -> None:
    bare = [AnalysedToken("밤")], [AnalysedToken("낮")]
    assert KoreanTypes(speller="none").kagas(*bare, "S")[0] == "UNCLASSIFIED"
    assert DEFAULT.kagas(bare[0], [token("낮/NNG")], "S")[0] == "NOUN"
    assert DEFAULT.kagas([], [], "S")[0] == "UNCLASSIFIED"


def test_an_eojeol_of_any_length() -> None:
    long = [token(f"{'가' * 20_000}/NNG+를/JKO")], [token(f"{'나' * 20_000}/NNG+를/JKO")]
    assert DEFAULT.kagas(*long, "S") == ("NOUN", "")


def test_kiwi_is_not_loaded_before_it_is_used() -> None:
    code = (
        "import sys; from sejongud.gec.types import KoreanTypes; KoreanTypes();"
        "sys.exit(bool({'kiwipiepy', 'numpy', 'pandas', 'rapidfuzz'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Measured(NamedTuple):
    """A development file beside the published program's output."""

    edits: float
    """F1 of spans and corrections."""
    same: float
    """The share of the same type, of the edits that both have."""
    unclassified: float
    human: dict[str, tuple[int, int]]
    """Class of a human annotator → expected types, and edits, of sentences with one edit."""


_HUMAN = {
    "spacing": {"WS"},
    "punctuation": {"DELETION", "INSERTION", "PUNCT"},
    "spelling": {"SPELL"},
    "postposition": {"PARTICLE"},
    "polite_speech": {"ENDING", "CONJUGATION"},
    "tense": {"ENDING", "CONJUGATION", "INSERTION", "DELETION"},
    "element": {"INSERTION", "DELETION", "WO"},
    "suffix": {"ENDING", "CONJUGATION", "SPELL"},
}


def measured(folder: Path) -> Measured:
    """Type the pairs of a folder anew, and compare."""
    names = ("source.txt", "target.txt")
    texts = [(folder / name).read_text(encoding="utf-8").splitlines() for name in names]
    counts: Counter[str] = Counter()
    human: dict[str, tuple[int, int]] = {}
    classes = folder / "human-class.tsv"
    lines = classes.read_text(encoding="utf-8").splitlines() if classes.exists() else []
    recorded = read_m2(folder / "kagas.m2")
    for at, (source, target, one) in enumerate(zip(*map(analysed, texts), recorded, strict=True)):
        gold = {edit[:3]: edit.type for edit in one.edits[0]}
        found = {
            (op.start, op.end, " ".join([one.form for one in target[op.c_start : op.c_end]])): (
                DEFAULT.kagas(source[op.start : op.end], target[op.c_start : op.c_end], op.kind)[0]
            )
            for op in merge(align(source, target, ALIGNERS["kagas"]), source, target, "spaces")
        }
        both = gold.keys() & found.keys()
        counts["both"] += 2 * len(both)
        counts["edits"] += len(gold) + len(found)
        counts["same"] += sum([gold[key] == found[key] for key in both])
        counts["found"] += len(found)
        counts["unclassified"] += Counter(found.values())["UNCLASSIFIED"]
        name = lines[at].split("\t")[1] if lines else ""
        if name in _HUMAN and len(found) == 1:
            good, total = human.get(name, (0, 0))
            human[name] = good + (not _HUMAN[name].isdisjoint(found.values())), total + 1
    return Measured(
        counts["both"] / counts["edits"],
        2 * counts["same"] / counts["both"],
        counts["unclassified"] / counts["found"],
        human,
    )


@pytest.mark.parametrize(
    ("name", "edits", "same", "unclassified"),
    [("k-nct", 0.998, 0.74, 0.043), ("kolla-ref2", 0.98, 0.77, 0.060)],
)
def test_beside_the_published_program(
    shared: Path, name: str, edits: float, same: float, unclassified: float
) -> None:
    folder = shared / "data" / "gec-dev" / name
    if not folder.is_dir():
        pytest.skip("no development data")
    result = measured(folder)
    assert result.edits >= edits
    assert result.same >= same
    assert result.unclassified <= unclassified
    if name == "k-nct":
        good, total = map(sum, zip(*result.human.values(), strict=True))
        assert good / total >= 0.88
        shares = {name: good / total for name, (good, total) in result.human.items()}
        assert shares["spelling"] >= 0.81
        assert shares["postposition"] >= 0.71
