"""Misspellings: which morphemes may stand together, which form they make, and who says so."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from sejongud.errors import MissingExtraError, RulesError, UsageError
from sejongud.gec.korean import Builder, Particles
from sejongud.gec.speller import HUNSPELL, Junctions, KiwiSpeller, core_of, load_speller
from sejongud.gec.tokens import analyser
from sejongud.model import Morpheme
from sejongud.morphology.joining import KiwiJoiner
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.morphology.joining import Alone

CASES = cases("gec_speller")

RULES = load()


def pairs(analysis: str) -> tuple[tuple[str, str], ...]:
    """The forms and tags of `꽃/NNG+은/JX`."""
    return tuple((form, tag) for form, tag in (one.split("/") for one in analysis.split("+")))


@pytest.fixture(scope="module")
def builder() -> Builder:
    return Builder(RULES, KiwiJoiner(RULES))


@pytest.fixture(scope="module")
def speller() -> KiwiSpeller:
    return KiwiSpeller(RULES, analyser(RULES))


@pytest.mark.parametrize(("analysis", "expected"), CASES["test_junctions"])
def test_junctions(analysis: str, expected: bool) -> None:
    assert Junctions(RULES).hold(pairs(analysis)) is expected


@pytest.mark.parametrize(("analysis", "good", "bad"), CASES["test_what_morphemes_make"])
def test_what_morphemes_make(builder: Builder, analysis: str, good: str, bad: str) -> None:
    morphemes = [Morpheme(*pair) for pair in pairs(analysis)]
    assert [form for form in good.split() if not builder.makes(form, morphemes)] == []
    assert [form for form in bad.split() if builder.makes(form, morphemes)] == []


def test_nothing_makes_a_form_without_morphemes(builder: Builder) -> None:
    assert not builder.makes("", [])
    assert not builder.makes("밥", [])
    assert not builder.makes("밥" * 100, [Morpheme("밥" * 100, "NNG")])
    assert builder.borders("밥" * 100, [Morpheme("밥", "NNG")] * 100) == []


@pytest.mark.parametrize(("source", "target"), CASES["test_misspellings"])
def test_misspellings(speller: KiwiSpeller, source: str, target: str) -> None:
    assert speller(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("학교를", "학교에"),
        ("사과가", "사자가"),  # a word for a word
        ("먹어요", "마셔요"),
        ("좋아요", "조아요"),
        ("좋아요", "좋아요"),
        ("강아지는", "강아지는요"),  # one morpheme more
        ("강아지러", "강아지"),
        ("책를", "책을"),  # only the particle
        ("되어요", "돼요"),
        ("", "밥"),
        ("밥", ""),
        ("!", "?"),
        ("가" * 5000, "가" * 4999 + "나"),
    ],
)
def test_what_is_no_misspelling(speller: KiwiSpeller, source: str, target: str) -> None:
    assert not speller(source, target)


@pytest.mark.parametrize(
    ("form", "expected"), [("갓다", True), ("안녕하세욧", False), ("학교에서ㅋㅋ", False)]
)
def test_what_is_in_the_dictionary(speller: KiwiSpeller, form: str, expected: bool) -> None:
    assert speller.judged[form].in_dictionary == expected


def test_a_distinct_eojeol_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kiwi = KiwiJoiner(RULES)
    asked: list[str] = []
    alone = KiwiJoiner.alone

    def counted(self: KiwiJoiner, form: str) -> Alone:
        asked.append(form)
        return alone(self, form)

    monkeypatch.setattr(KiwiJoiner, "alone", counted)
    speller = KiwiSpeller(RULES, kiwi)
    for _ in range(3):
        assert speller("조아요", "좋아요")
        assert speller("조아여", "좋아요")
    assert sorted(asked) == ["조아여", "조아요", "좋아요"]


TEXT = st.text("가나다한글날싸웠ㄱㅏ은는를이. !?“a1\u0301", max_size=9)


@settings(max_examples=60)
@given(TEXT, TEXT)
def test_any_text_is_judged(source: str, target: str) -> None:
    speller = load_speller("kiwi", RULES, analyser(RULES))
    assert speller is not None
    assert speller(source, target) in (True, False)
    assert not speller(source, source)
    assert core_of(core_of(source)) == core_of(source)


@pytest.mark.parametrize(
    ("source", "target", "analysis", "differ", "misspelt"),
    [
        ("우산가", "우산이", "우산/NNG+이/JKS", True, False),
        ("우산에서", "우산이", "우산/NNG+이/JKS", True, False),
        ("우산", "우산이", "우산/NNG+이/JKS", True, False),
        ("우산이", "우산", "우산/NNG", True, False),
        ("우산으", "우산을", "우산/NNG+을/JKO", False, True),
        ("우산장수", "우산을", "우산/NNG+을/JKO", False, False),
        ("우신을", "우산을", "우산/NNG+을/JKO", False, False),
        ("우산을", "우산을", "우산/NNG+을/JKO", False, True),
        ("먹지가", "먹지를", "먹/VV+지/EC+를/JKO", False, False),
        ("나는", "난", "나/NP+ㄴ/JX", False, False),
    ],
)
def test_what_stands_behind_a_noun(
    source: str, target: str, analysis: str, differ: bool, misspelt: bool
) -> None:
    particles = Particles(RULES)
    assert particles.differ(source, target, pairs(analysis)) is differ
    assert particles.are_misspelt(source, target, pairs(analysis)) is misspelt


def test_a_long_chain_of_particles_is_read_once() -> None:
    particles = Particles(RULES)
    assert particles.differ("우산" + "이나" * 20_000, "우산이", pairs("우산/NNG+이/JKS"))
    assert not particles.differ("우산" + "이나" * 20_000 + "!", "우산이", pairs("우산/NNG+이/JKS"))


@pytest.mark.parametrize(
    ("form", "known", "surface"),
    [
        ("우산은", True, "우산은"),
        ("춥어요", True, "추워요"),
        ("했어욥", False, "하였어욥"),  # a consonant in fun
        ("뷁쉙", False, "뷁쉙"),
        ("", False, ""),
        ("가" * 5000, False, ""),
    ],
)
def test_an_eojeol_alone(form: str, known: bool, surface: str) -> None:
    found = KiwiJoiner(RULES).alone(form)
    assert (found.in_dictionary, found.surface) == (known, surface)
    assert all(tag in RULES.tags for _, tag in found.pairs)


class HunSpell:
    """A hunspell whose dictionary has one word."""

    def __init__(self, words: str, rules: str) -> None:
        assert words.endswith("ko.dic")
        assert rules.endswith("ko.aff")

    def suggest(self, form: str) -> list[str]:
        return {"밥믈": ["밥물", "밥"], "밥물": ["밥물"]}.get(form, [])


@pytest.fixture
def hunspell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    for name in ("ko.dic", "ko.aff"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, "hunspell", SimpleNamespace(HunSpell=HunSpell))
    return f"hunspell:{tmp_path}"


def test_hunspell_is_asked_as_the_published_program_asks_it(hunspell: str) -> None:
    speller = load_speller(hunspell, RULES, KiwiJoiner(RULES))
    assert speller is not None
    assert speller("밥믈", "밥물")
    assert not speller("밥믈", "밥을")  # no suggestion
    assert not speller("밥물", "밥믈")  # the source is a word
    assert speller("없믈", "없물")  # nothing is suggested at all
    assert not speller("밥믈", "밥물을")  # another number of syllables


def test_the_real_hunspell() -> None:
    pytest.importorskip("hunspell")
    if not Path(HUNSPELL, "ko.dic").is_file():
        pytest.skip("no Korean dictionary of hunspell")
    speller = load_speller("hunspell", RULES, KiwiJoiner(RULES))
    assert speller is not None
    assert speller("학꾜", "학교")
    assert not speller("학교", "학꾜")


def test_hunspell_without_its_dictionary(hunspell: str, tmp_path: Path) -> None:
    (tmp_path / "ko.aff").unlink()
    with pytest.raises(UsageError, match=r"ko\.aff: no such file\. Install the Korean dictionary"):
        load_speller(hunspell, RULES, KiwiJoiner(RULES))


def test_hunspell_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hunspell", None)
    with pytest.raises(MissingExtraError, match=r"sejongud\[hunspell\]"):
        load_speller("hunspell", RULES, KiwiJoiner(RULES))


@pytest.mark.parametrize("name", ["aspell", "hunspell:", "", "Kiwi", "none:x"])
def test_unknown_spellers(name: str) -> None:
    with pytest.raises(UsageError, match="there are: kiwi, hunspell, hunspell:DIR, none"):
        load_speller(name, RULES, KiwiJoiner(RULES))


def test_no_speller() -> None:
    assert load_speller("none", RULES, KiwiJoiner(RULES)) is None


@pytest.mark.parametrize(
    ("table", "row", "message"),
    [
        ("gec-junctions", "JX\t\tbefore\tNNG\tx", "relation is 'before'; it should be behind or"),
        ("gec-junctions", "JX\t\tbehind\tNOUN\tx", "hosts is 'NOUN'; it should be a tag of"),
        ("gec-junctions", "JXX\t\tbehind\tNNG.\tx", "tag is 'JXX'; it should be a tag of"),
        ("gec-contractions", "short\t거\tNNB\t것\t", "kind is 'short'; it should be double or"),
        ("gec-particles", "에서\tJKBB\t", "tag is 'JKBB'; it should be a tag of tagset.tsv"),
        ("gec-types", "sejong\tNNM\t\tNOUN\t", "tag is 'NNM'; it should be a tag of tagset.tsv"),
        ("gec-types", "kkma\tNNG\t\tNOUN\t", "it should be a tag of kkma that tagset.tsv does not"),
        ("gec-types", "kkma\tEPX\t\tTENSE\t", "group is 'TENSE'; it should be ADJECTIVE or"),
        ("gec-labels", "NEW LABEL\tNEW\tx", "it should be something without a space"),
    ],
)
def test_rows_that_cannot_be_used(tmp_path: Path, table: str, row: str, message: str) -> None:
    header = "\t".join(RULES.table(table)[0])
    (tmp_path / f"{table}.tsv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    with pytest.raises(RulesError, match=message):
        load(tmp_path)
