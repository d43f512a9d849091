from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import RulesError
from sejongud.model import Morpheme
from sejongud.morphology.surface import Aligner, MorphemeAlignment
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
EXAMPLES = [
    ("밥을", "밥/NNG 을/JKO", "밥 을"),
    # Fusion shares the syllable.
    ("했다", "하/XSV 았/EP 다/EF", "했 했 다"),
    ("간다", "가/VV ㄴ다/EF", "간 간다"),
    ("느긋한", "느긋하/VA ㄴ/ETM", "느긋한 한"),
    ("섰고", "서/VV 었/EP 고/EC", "섰 섰 고"),
    ("가", "가/VV 아/EC", "가 가"),
    ("와서", "오/VV 아서/EC", "와 와서"),
    ("됐지", "되/VV 었/EP 지/EF", "됐 됐 지"),
    ("던져졌다", "던지/VV 어/EC 지/VX 었/EP 다/EF", "던져 져 졌 졌 다"),
    ("산에선", "산/NNG 에서/JKB ㄴ/JX", "산 에선 선"),
    # A syllable of Old Hangul is three characters.
    ("\u1112\u119e\u11af씨", "\u1112\u119e/VV ㄹ씨/EC", "\u1112\u119e \u11af씨"),
    # The contractions of 시+에요 and 아니+야.
    ("괜찮으세요", "괜찮/VA 으시/EP 에요/EF", "괜찮 으세 세요"),
    ("아냐", "아니/VCN 야/EF", "아냐 냐"),
    ("난", "나/NP 는/JX", "난 난"),
    # A particle without a trace leaves the syllable to the noun.
    ("데다", "데/NNB 에/JKB 다/JX", "데 _ 다"),
    # Irregular stems.
    ("흘러", "흐르/VV 어/EC", "흘러 러"),
    ("이르러", "이르/VV 어/EC", "이르 러"),
    ("따라", "따르/VV 아/EC", "따라 라"),
    ("도와", "돕/VV 아/EC", "도와 와"),
    ("차가운", "차갑/VA ㄴ/ETM", "차가운 운"),
    ("더우면", "덥/VA 으면/EC", "더우 우면"),
    ("들어라", "듣/VV 어라/EF", "들 어라"),
    ("부어", "붓/VV 어/EC", "부 어"),
    ("노란", "노랗/VA ㄴ/ETM", "노란 란"),
    ("파래", "파랗/VA 아/EC", "파래 래"),
    ("노는", "놀/VV 는/ETM", "노 는"),
    ("논", "놀/VV ㄴ/ETM", "논 논"),
    ("노세요", "놀/VV 시/EP 어요/EF", "노 세 세요"),
    # The copula after a vowel.
    ("최고다", "최고/NNG 이/VCP 다/EF", "최고 _ 다"),
    ("종이다", "종이/NNG 이/VCP 다/EF", "종이 _ 다"),
    ("3인", "3/SN 이/VCP ㄴ/ETM", "3 인 인"),
    ("PC다", "PC/SL 이/VCP 다/EF", "PC _ 다"),
    ("누군가", "누구/NP 이/VCP ㄴ가/EC", "누군 군 군가"),
    ("가수였다", "가수/NNG 이/VCP 었/EP 다/EF", "가수 였 였 다"),
    ("가수예요", "가수/NNG 이/VCP 에요/EF", "가수 예 예요"),
    # Suppletive pairs.
    ("먹을게", "먹/VV 을/ETM 것/NNB 이/JKS", "먹 을 게 게"),
    ("이건", "이것/NP 은/JX", "이건 건"),
    ("겁니다", "것/NNB 이/VCP ㅂ니다/EF", "겁 겁 겁니다"),
    ("뭘", "무엇/NP 을/JKO", "뭘 뭘"),
    ("제", "저/NP 의/JKG", "제 제"),
    ("네게", "너/NP 에게/JKB", "네 게"),
    ("누가", "누구/NP 가/JKS", "누 가"),
    # Longer contractions and elisions.
    ("가야겠다", "가/VV 아야/EC 하/VX 겠/EP 다/EF", "가 가야 _ 겠 다"),
    ("간댔다", "가/VV ㄴ다/EF 하/VV 았/EP 다/EF", "간 간댔 댔 댔 다"),
    ("변변찮은", "변변/XR 하/XSA 지/EC 않/VX 은/ETM", "변변 찮 찮 찮 은"),
    # One allomorph written for another, as in the Kaist treebank.
    ("먹은", "먹/VV ㄴ/ETM", "먹 은"),
    ("하였다", "하/VV 었/EP 다/EF", "하 였 다"),
    # Endings that the spoken corpus cuts off within a syllable.
    ("갔어", "가/VV ㅏㅆ/EP 어/EF", "갔 갔 어"),
    ("했어", "하/VV ㅕㅆ/EP 어/EF", "했 했 어"),
    ("왔다", "오/VV ㅏㅆ/EP 다/EF", "왔 왔 다"),
    ("줬다", "주/VV ㅓㅆ/EP 다/EF", "줬 줬 다"),
    ("됐어", "되/VV ㅓㅆ/EP 어/EF", "됐 됐 어"),
    ("몰랐어", "모르/VV ㅏㅆ/EP 어/EF", "몰랐 랐 어"),
    ("썼다", "쓰/VV ㅓㅆ/EP 다/EF", "썼 썼 다"),
    ("추웠지", "춥/VA ㅓㅆ/EP 지/EF", "추웠 웠 지"),
    ("그랬어", "그렇/VA ㅐㅆ/EP 어/EF", "그랬 랬 어"),
    ("갔었다", "가/VV ㅏㅆ었/EP 다/EF", "갔 갔었 다"),
    ("도와", "돕/VV ㅏ/EF", "도와 와"),
    ("고마워", "고맙/VA ㅓ/EF", "고마워 워"),
    ("그래", "그렇/VA ㅐ/EF", "그래 래"),
    ("이래", "이러/VV ㅐ/EF", "이래 래"),
    # Characters that count as the same, letter case, spaces.
    ("“Kim”이", '"/SS kim/SL "/SS 이/JKS', "“ Kim ” 이"),
    ("할수 있다", "하/VV ㄹ/ETM 수/NNB 있/VV 다/EF", "할 할 수_ 있 다"),
    # Elided in the corpus.
    ("거야", "거/NNB (이)/VCP 야/EF", "거 _ 야"),
    ("것이야", "것/NNB (이)/VCP 야/EF", "것 이 야"),
    ("ㅋㅋㅋ", "ㅋㅋㅋ/IC", "ㅋㅋㅋ"),
]


@pytest.mark.parametrize(("form", "analysis", "covered"), EXAMPLES)
def test_what_each_morpheme_covers(form: str, analysis: str, covered: str) -> None:
    alignment = align(form, analysis)
    assert (alignment.unexplained, alignment.weak) == ("", ())
    check_spans(form, alignment, len(parse(analysis)))
    assert covers(form, alignment) == covered.split()


# Each: form, analysis, what the morphemes cover, the weak rules.
WEAK_EXAMPLES = [
    # Misspelt here or there.
    ("손가럭이", "손가락/NNG 이/JKS", "손가럭 이", ("a letter is misspelt",)),
    ("고무장갚", "고무장갑/NNG", "고무장갚", ("a letter is misspelt",)),
    ("천쩐히", "천천히/MAG", "천쩐히", ("a letter is misspelt",)),
    ("텔레미전은", "텔레비전/SL 은/JX", "텔레미전 은", ("a letter is misspelt",)),
    ("손가럭인", "손가락/NNG 이/VCP ㄴ/ETM", "손가럭 인 인", ("a letter is misspelt",)),
    ("되서", "되/VV 어서/EC", "되 되서", ("어 or 아 is left out after ㅚ or ㅟ",)),
    ("그레도", "그러/VV 어도/EC", "그레 레도", ("ㅔ is written for ㅐ",)),
    ("바껴서", "바뀌/VV 어서/EC", "바껴 껴서", ("ㅕ is written for 위 with 어",)),
    # Something left out of the analysis, or too much in it.
    ("보여도", "보/VV 아도/EC", "보 여도", ("the analysis leaves the suffix 이 out",)),
    ("섞였다", "섞/VV 었/EP 다/EF", "섞 였 다", ("the analysis leaves the suffix 이 out",)),
    ("숲으로부터는", "숲/NNG 부터/JX 는/JX", "숲 으로부터 는", ("부터 stands for 로부터",)),
    ("꽃밭", "꽃밭/NNG ,/SP", "꽃밭 _", ("a symbol of the analysis is not in the form",)),
    ("꽃밭", '"/SS 꽃밭/NNG', "_ 꽃밭", ("a symbol of the analysis is not in the form",)),
    (
        "꽃밭에",
        "꽃밭/NNG …/SE 에/JKB",
        "꽃밭 _ 에",
        ("a symbol of the analysis is not in the form",),
    ),
    ("산•들판", "산/NNG 들판/NNG", "산• 들판", ("a symbol of the form is not in the analysis",)),
    ("들~판이", "들판/NNG 이/JKS", "들~판 이", ("a symbol of the form is not in the analysis",)),
    ("'산'과", "'/SS 산/NNG 과/JC", "' 산' 과", ("a symbol of the form is not in the analysis",)),
    # One of the tags is wrong.
    (
        "눌러앉은",
        "누르/EC 어/EC 앉/VV 은/ETM",
        "눌러 러 앉 은",
        ("reu irregular holds for another tag",),
    ),
    ("가까운", "가깝/NNG ㄴ/ETM", "가까운 운", ("b irregular holds for another tag",)),
    ("통해", "통하/MAG 여/EC", "통해 해", ("ha contraction holds for another tag",)),
    ("배에요", "배/NNG 이/JKB 에요/EF", "배 _ 에요", ("zero copula holds for another tag",)),
    # Two things at once.
    (
        "손가럭•발가럭",
        "손가락/NNG 발가락/NNG",
        "손가럭• 발가럭",
        ("a letter is misspelt", "a symbol of the form is not in the analysis"),
    ),
]


@pytest.mark.parametrize(("form", "analysis", "covered", "weak"), WEAK_EXAMPLES)
def test_weak_rules_find_the_spans_and_are_told(
    form: str, analysis: str, covered: str, weak: tuple[str, ...]
) -> None:
    alignment = align(form, analysis)
    assert (alignment.unexplained, alignment.weak) == ("", weak)
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


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['name']} {row['underlying']}" for row in ROWS])
def test_example_of_a_row_needs_that_row_alone(row: dict[str, str]) -> None:
    form, analysis = row["example"].split(" ")
    alignment = align(form, analysis.replace("+", " "))
    weak = (row["name"],) if row["weak"] else ()
    assert alignment[1:] == ((row["name"],), "", weak)


# Each: form, analysis, what is said.
UNEXPLAINED = [
    ("친구들이", "친구/NNG 들/XSN", "no morpheme explains 이"),
    ("친구", "친구/NNG 들/XSN", "the form lacks 들/XSN"),
    ("먹다", "막/VV 다/EF", "no rule makes 먹 of 막/VV"),
    # The copula is lost after a vowel only.
    ("집다", "집/NNG 이/VCP 다/EF", "the form lacks 이/VCP"),
    ("밭면", "밭/NNG 이/VCP 면/EC", "the form lacks 이/VCP"),
    # Only one tag can be set aside, only of a rule for several morphemes, and not of a weak one.
    ("해", "하/NNG 아/NNG", "no rule makes 해 of 하/NNG+아/NNG"),
    ("코가", "코/NNG 이/XSN", "no rule makes 가 of 이/XSN"),
    ("소리였다", "소리/NNG 었/EP 다/EF", "no rule makes 였 of 었/EP"),
    # By this one a verb before any other ending could be taken away.
    ("꽃밭과", "꽃밭/NNG 하/XSV 과/JC", "the form lacks 하/XSV"),
    # More than a misspelling, or too little to tell; a verb; another kind of jamo.
    ("손거럭", "손가락/NNG", "no rule makes 거럭 of 손가락/NNG"),
    ("소", "조/NNG", "no rule makes 소 of 조/NNG"),
    ("소리", "조리/NNG", "no rule makes 소 of 조리/NNG"),
    ("비꼰다", "비꾀/VV ㄴ다/EF", "no rule makes 꼰 of 비꾀/VV"),
    ("손가라", "손가락/NNG", "the form lacks a part of 손가락/NNG"),
    ("손가락에께", "손가락/NNG 에게/JKB", "no rule makes 께 of 에게/JKB"),
    ("꽃밭에", "꽃/NNG 밭/NNG", "no morpheme explains 에"),
    # A symbol is not another symbol, nor in another place, nor at an end, nor a letter.
    ("산,들", "산/NNG ./SP 들/NNG", "no rule makes , of ./SP"),
    ("산,들", "산/NNG 들/NNG ,/SP", "no rule makes , of ,/SP"),
    ("산♪", "산/NNG", "no morpheme explains ♪"),
    ("산", "산/NNG A/SW", "the form lacks A/SW"),
    ("산", "산/NNG ./NNG", "the form lacks ./NNG"),
    ("", "가/NNG", "the form lacks 가/NNG"),
]


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


def test_ten_thousand_characters_do_not_hang() -> None:
    noise = "".join([chr(0xAC00 + k * 7919 % 11172) for k in range(10_000)])
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


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"tags": "VV"}, "tags is for 1 morpheme, underlying has 2"),
        ({"surface": "먹+이+다"}, "surface is of 3 morphemes, underlying has 2"),
        ({"underlying": "()", "tags": "VV"}, "underlying rewrites nothing"),
        ({"surface": "[ㄱㄴ]"}, "a set of surface has not as many members"),
        ({"tags": "VVV+ETN"}, "no tag and no kind 'VVV'"),
        ({"underlying": "", "tags": "VV"}, "underlying rewrites nothing"),
        ({"underlying": "{jamo}", "weak": "yes"}, "a class in braces stands as in"),
        ({"underlying": "{jamo}", "surface": "{jamo}"}, "a class in braces has to be weak"),
        (
            {"underlying": "", "surface": "{symbol}", "follows": "coda", "weak": "yes"},
            "a class in braces has no condition in follows",
        ),
        ({"follows": "vowels"}, "follows should be of: coda, other, vowel"),
        # A row that no form fits would be passed over without a word.
        ({"underlying": "먹/VV+음/ETN"}, "no form has 'V' when it is compared"),
        ({"underlying": "먹 + 음"}, "no form has ' ' when it is compared"),
        ({"surface": "먹 이"}, "no form has ' ' when it is compared"),
    ],
)
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
        ("ud-korean-gsd/older-train/ko_gsd-ud-train.conllu", 0.001),
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
