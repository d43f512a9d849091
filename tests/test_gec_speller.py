"""Misspellings: which morphemes may stand together, which form they make, and who says so."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sejongud.errors import MissingExtraError, RulesError, UsageError
from sejongud.gec.korean import Builder, Particles
from sejongud.gec.speller import HUNSPELL, Junctions, KiwiSpeller, core_of, load_speller
from sejongud.gec.tokens import analyser
from sejongud.model import Morpheme
from sejongud.morphology.kiwi import KiwiAnalyser
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.morphology.kiwi import Alone

RULES = load()


def pairs(analysis: str) -> tuple[tuple[str, str], ...]:
    """The forms and tags of `꽃/NNG+은/JX`."""
    return tuple((form, tag) for form, tag in (one.split("/") for one in analysis.split("+")))


@pytest.fixture(scope="module")
def builder() -> Builder:
    return Builder(RULES, KiwiAnalyser(RULES))


@pytest.fixture(scope="module")
def speller() -> KiwiSpeller:
    return KiwiSpeller(RULES, analyser(RULES).kiwi)


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        ("나무/NNG+는/JX", True),
        ("나무/NNG+는/ETM", False),
        ("먹/VV+었/EP+겠/EP+다/EF", True),
        ("가/VV+아야/EC+겠/EP+다/EF", True),
        ("가/VV+아야/EC+었/EP+다/EF", False),
        ("예쁘/VA+ㄴ다/EF", False),
        ("뛰/VV+ㄴ다/EF", True),
        ("책/NNG+이/VCP+요/EF", True),
        ("먹/VV+었/EP+요/EF", False),
        ("파/NNG+란/NNG", False),  # two syllables that would make a word
        ("파란/NNG+색/NNG", True),
        ("글/NNG+로/JKB+발/NNG", False),
        ("먹/VV+밥/NNG", False),
        ("한/MM+층/NNG", True),  # a matter of spaces
        ("빨리/MAG+도/JX", True),
        ("우산/NNG+빨리/MAG", False),
        ("우산/NNG+도/JX+접/VV+고/EC", False),
        ("이/MM+접/VV+고/EC", False),
        ("안/MAG+접/VV+고/EC", True),
        ("먹/VV", False),
        ("에/JKB", True),
        ("ㄴ다/EF", True),
    ],
)
def test_junctions(analysis: str, expected: bool) -> None:
    assert Junctions(RULES).hold(pairs(analysis)) is expected


@pytest.mark.parametrize(
    ("analysis", "good", "bad"),
    [
        ("되/VV+었/EP+다/EF", "됐다 되었다", "됬다 돼었다"),
        ("하/VV+였/EP+어요/EF", "했어요 하였어요", "햇어요 하엿어요"),
        ("춥/VA+어요/EF", "추워요", "춥어요 추어요"),
        ("살/VV+아요/EF", "살아요", "살어요"),
        ("가/VV+아서/EC", "가서", "가아서"),
        ("크/VA+었/EP+다/EF", "컸다", "크었다 컷다"),
        ("놀/VV+는/ETM", "노는", "놀는"),
        ("먹/VV+으면/EC", "먹으면", "먹면"),
        ("보/VV+아/EC", "봐 보아", "보어"),
        ("것/NNB+이/JKS", "것이 게", "겟이"),
        ("나/NP+의/JKG", "나의 내", "나으"),
        ("처음/NNG+이/VCP+었/EP+다/EF", "처음이었다", "처음이엇다"),
        ("처음/NNG+이/VCP+였/EP+다/EF", "", "처음이였다"),
        ("책/NNG+이/VCP+예요/EF", "", "책이예요"),
        ("아이/NNG+이/VCP+예요/EF", "아이예요", "아이이예요"),
        ("학교/NNG+이/VCP+에요/EF", "학교이에요 학교예요", "학교에요"),
        ("소파/NNG+이/VCP+어서/EC", "소파이어서 소파여서", "소파어서"),
        ("책/NNG+이/VCP+에요/EF", "책이에요", "책에요"),
        ("USB/SL+를/JKO", "USB를", "USB를를"),
        ("빵/NNG+을/JKO", "빵을", "빵를"),
        ("사/VV+려고/EC+하/VX+는/ETM", "사려는 사려고하는", "사려논"),
    ],
)
def test_what_morphemes_make(builder: Builder, analysis: str, good: str, bad: str) -> None:
    morphemes = [Morpheme(*pair) for pair in pairs(analysis)]
    assert [form for form in good.split() if not builder.makes(form, morphemes)] == []
    assert [form for form in bad.split() if builder.makes(form, morphemes)] == []


def test_nothing_makes_a_form_without_morphemes(builder: Builder) -> None:
    assert not builder.makes("", [])
    assert not builder.makes("밥", [])
    assert not builder.makes("밥" * 100, [Morpheme("밥" * 100, "NNG")])
    assert builder.borders("밥" * 100, [Morpheme("밥", "NNG")] * 100) == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("조아요", "좋아요"),
        ("됬어요", "됐어요"),
        ("학꾜에", "학교에"),
        ("갈께요", "갈게요"),  # an old spelling, however common
        ("몰랏다", "몰랐다"),
        ("바ㄱ에", "밖에"),  # a letter outside a syllable
        ("갑장을", "장갑을"),  # syllables in another order
        ("사람이ㅁ", "사람임"),
        ("나무가지", "나뭇가지"),  # the letter between two nouns
        ("촛점을", "초점을"),
        ("살람이", "사람이"),  # a name where a word is meant
        ("글로발", "글로벌"),
        ("“조아요!”", "“좋아요!”"),
    ],
)
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


def test_a_distinct_eojeol_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kiwi = KiwiAnalyser(RULES)
    asked: list[str] = []
    alone = KiwiAnalyser.alone

    def counted(self: KiwiAnalyser, form: str) -> Alone:
        asked.append(form)
        return alone(self, form)

    monkeypatch.setattr(KiwiAnalyser, "alone", counted)
    speller = KiwiSpeller(RULES, kiwi)
    for _ in range(3):
        assert speller("조아요", "좋아요")
        assert speller("조아여", "좋아요")
    assert sorted(asked) == ["조아여", "조아요", "좋아요"]


TEXT = st.text("가나다한글날싸웠ㄱㅏ은는를이. !?“a1\u0301", max_size=9)


@settings(max_examples=60)
@given(TEXT, TEXT)
def test_any_text_is_judged(source: str, target: str) -> None:
    speller = load_speller("kiwi", RULES, analyser(RULES).kiwi)
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
    found = KiwiAnalyser(RULES).alone(form)
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
    speller = load_speller(hunspell, RULES, KiwiAnalyser(RULES))
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
    speller = load_speller("hunspell", RULES, KiwiAnalyser(RULES))
    assert speller is not None
    assert speller("학꾜", "학교")
    assert not speller("학교", "학꾜")


def test_hunspell_without_its_dictionary(hunspell: str, tmp_path: Path) -> None:
    (tmp_path / "ko.aff").unlink()
    with pytest.raises(UsageError, match=r"ko\.aff: no such file\. Install the Korean dictionary"):
        load_speller(hunspell, RULES, KiwiAnalyser(RULES))


def test_hunspell_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hunspell", None)
    with pytest.raises(MissingExtraError, match=r"sejongud\[hunspell\]"):
        load_speller("hunspell", RULES, KiwiAnalyser(RULES))


@pytest.mark.parametrize("name", ["aspell", "hunspell:", "", "Kiwi", "none:x"])
def test_unknown_spellers(name: str) -> None:
    with pytest.raises(UsageError, match="there are: kiwi, hunspell, hunspell:DIR, none"):
        load_speller(name, RULES, KiwiAnalyser(RULES))


def test_no_speller() -> None:
    assert load_speller("none", RULES, KiwiAnalyser(RULES)) is None


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
