from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sejongud.converters.eoj2morph import Carriers, Eoj2Morph, eojeol_labels
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.model import Labels

RULES = load()
ASSEMBLER = Assembler(RULES)
PAPER = Eoj2Morph(RULES, exclusion="paper")
BORDERS = Eoj2Morph(RULES)


@pytest.mark.parametrize(
    ("tag", "step"),
    [
        *[(tag, 0) for tag in ("NNG", "NNP", "NNB", "NP", "NR", "SN", "SL", "SH", "SW")],
        *[(tag, 0) for tag in ("VA", "MAG", "IC", "XR", "NA", "??")],
        *[(tag, 1) for tag in ("VV", "VX", "VCP", "VCN")],
        *[(tag, 2) for tag in ("MM", "MMD", "EP", "EF", "EC", "ETM", "ETN", "XPN", "XSN", "XSV")],
        *[(tag, 3) for tag in ("JKS", "JKG", "JX", "JC")],
        *[(tag, 4) for tag in ("SF", "SP", "SS", "SE", "SO")],
        *[("nq", 0), ("pvg", 1), ("mma", 2), ("ef", 2), ("jcs", 3), ("sf", 4), ("su", 0)],
    ],
)
def test_when_a_tag_may_carry_a_label(tag: str, step: int) -> None:
    assert PAPER.step(tag) == step


@pytest.mark.parametrize("tag", RULES.tags)
def test_the_table_excludes_what_the_paper_does(tag: str) -> None:
    """The excluded UPOS of the paper, and of those no more and no fewer tags (Table 3.1)."""
    excluded = {"ADP", "PUNCT", "PART", "DET", "VERB"}
    upos = RULES.upos["table3.1"][tag]
    assert (PAPER.step(tag) > 0) == (upos in excluded)


@pytest.mark.parametrize(
    ("line", "carriers"),
    [
        ("프랑스의\t프랑스/NNP+의/JKG", (0, 1, 0)),
        ("“옷값이\t“/SS+옷/NNG+값/NNG+이/JKS", (1, 3, 0)),
        ("30%를\t30/SN+%/SW+를/JKO", (0, 2, 0)),
        ("1,000원\t1/SN+,/SP+000/SN+원/NNB", (0, 4, 0)),
        ("지난\t지나/VV+ㄴ/ETM", (0, 1, 1)),
        ("이번의\t이/MM+의/JKG", (0, 1, 2)),
        ("는데\t는데/EC", (0, 1, 2)),
        ("가\t가/JKS", (0, 1, 3)),
        (".\t./SF", (0, 1, 4)),
        ("30%를\t30/nnc+%/su+를/jco", (0, 2, 0)),
        ("미국에서\t미국/NNP+에서/CM", (0, 1, 0)),
        ("않다고\t않다/JX+고/QP", (0, 1, 1)),
    ],
)
def test_carriers(line: str, carriers: tuple[int, int, int]) -> None:
    assert PAPER.carriers(ASSEMBLER[line]) == Carriers(*carriers)


@pytest.mark.parametrize(
    ("analysis", "label", "covered"),
    [
        # Determiners and prefixes belong to amounts and to names.
        ("한/MM+명/NNB+이/JKS", "B-QT", "한 명"),
        ("제/XPN+12/SN+회/NNB", "B-NUM", "제 12 회"),
        ("이/MM+서준/NNG+은/JX", "B-PER", "이 서준"),
        # Symbols cut, and the part with the sign of the class is the entity.
        ("나루마을/NNP+(/SS+제주/NNP+)/SS+에서/JKB", "B-LC", "나루마을"),
        ("타율/NNG+(/SS+0.31/SN+)/SS+을/JKO", "B-QT", "0.31"),
        ("“/SS+김하늘/NNP+”/SS+은/JX", "B-PS", "김하늘"),
        ("새벽/NNG+./SF+김하늘/NNP+이/JKS", "B-PS", "김하늘"),
        # … but not between two signs, nor around Chinese characters in a name of a place.
        ("7/SN+일/NNB+∼/SO+9/SN+일/NNB+에/JKB", "B-DT", "7 일 ∼ 9 일"),
        ("1/SN+,/SP+500/SN+원/NNB+을/JKO", "B-QT", "1 , 500 원"),
        ("나루/NNG+(/SS+津/SH+)/SS+마을/NNG+로/JKB", "B-LC", "나루 ( 津 ) 마을"),
        ("K/SL+&/SW+B/SL+는/JX", "B-ORG", "K & B"),
        # What surrounds a name or an amount is outside.
        ("김/NNP+씨/NNB+는/JX", "B-PER", "김"),
        ("박/NNP+모/NP+씨/NNB", "B-PS_NAME", "박"),
        ("하늘/NNG+엄마/NNG+와/JC", "B-PS", "하늘"),
        ("역시/MAJ+김하늘/NNP+이/JKS", "B-PS", "김하늘"),
        ("제주/NNP+시민/NNG+이/JKS", "B-LC", "제주"),
        ("평점/NNG+7.4/SN+점/NNB+대/XSN", "B-QT", "7.4 점"),
        ("12/SN+살/NNB+때/NNG", "B-QT", "12 살"),
        ("3/SN+년/NNB+만/NNB+에/JKB", "B-DT", "3 년"),
        ("5/SN+시/NNB+께/XSN", "B-TI", "5 시"),
        ("10/SN+여/XSN+분/NNB+만/JX", "B-TI", "10 여 분"),
        ("2/SN+권/NNB+을/JKO", "B-QT", "2 권"),
        ("5/SN+위/NNB+권/XSN+에/JKB", "B-QT", "5 위"),
        ("톱/NNG+10/SN+을/JKO", "B-QT", "톱 10"),
        ("중/NNG+2/SN+때/NNG", "B-QT", "중 2"),
        ("part/SL+3/SN+은/JX", "B-QT", "part 3"),
        ("8/SN+대/NNG+명산/NNG+을/JKO", "B-QT", "8 대"),
        ("16/SN+강/NNG+전/NNG+에서/JKB", "B-QT", "16 강"),
        ("+/SW+2/SN+점/NNB", "B-QT", "2 점"),
        # A determiner that may stand in front of a number is left out only there.
        ("한/MM+20/SN+분/NNB", "B-TI", "20 분"),
        ("한/MM+분/NNB", "B-TI", "한 분"),
        ("별/MM+세/MM+개/NNB+도/JX", "B-QT", "세 개"),
        # A middle dot joins the month and the day of a date with a meaning.
        ("6/SN+·/SP+10/SN", "B-OG", "6 · 10"),
        ("6/SN+ㆍ/SW+10/SN", "B-DT", "6 ㆍ 10"),
        # Behind its sign an entity ends at the first particle or ending.
        ("한/MM+편/NNB+의/JKG+동화/NNG+를/JKO", "B-QT", "한 편"),
        ("재미있/VA+는데/EC+김하늘/NNP+이/JKS", "B-PS", "김하늘"),
        # A name without a sign keeps what the analyser takes for particles and endings in it.
        ("여/NNG+미/JKB+나/NNG+를/JKO", "B-PS", "여 미 나"),
        # Titles, prefixes and suffixes of names; words for about behind amounts and dates.
        ("남/NNP+경사/NNG+는/JX", "B-PS", "남"),
        ("친/XPN+하늘/NNP+계/XSN+가/JKS", "B-PS", "하늘"),
        ("반/XPN+한국/NNP+적/XSN+이/VCP+ㄴ/ETM", "B-LC", "한국"),
        ("나루당/NNP+쪽/NNB+에서/JKB", "B-OG", "나루당"),
        ("5/SN+일/NNB+경/XSN+에/JKB", "B-DT", "5 일"),
        ("3/SN+시간/NNB+여/XSN+를/JKO", "B-TI", "3 시간"),
        ("20/SN+여/XSN+명/NNB+쯤/NNB", "B-QT", "20 여 명"),
        # A noun behind a unit, or behind an ordinal, is outside; others are units themselves.
        ("5000/SN+원/NNB+권/NNG+을/JKO", "B-QT", "5000 원"),
        ("제/XPN+1/SN+위원장/NNG", "B-QT", "제 1"),
        ("제/XPN+2/SN+라운드/NNG", "B-QT", "제 2 라운드"),
        ("-/SO+6/SN", "B-QT", "- 6"),
        # A particle that no name has behind it is a syllable of the name; verbs are behind it.
        ("배두/NNG+나/JC", "B-PS", "배두 나"),
        ("와이드/NNG+먼/EC+은/JX", "B-PS", "와이드 먼"),
        ("나루/NNG+이/VCP+라고/EC", "B-PS", "나루"),
        # Without a sign the name is the last part.
        ("액션/NNG+../SE+여/NNG+미나/NNG", "B-PS", "여 미나"),
        # A gloss in brackets belongs to the name, if its bracket is closed.
        ("베이징/NNP+(/SS+北京/SH+)/SS+에/JKB", "B-LC", "베이징 ( 北京 )"),
        ("베이징/NNP+(/SS+北京/SH", "B-LC", "베이징"),
        # If nothing else is left, an excluded morpheme carries the label.
        ("지나/VV+ㄴ/ETM", "B-DT", "지나"),
        ("./SF", "B-PS", "."),
        # A class without signs is cut at brackets alone.
        ("봄날/NNG+의/JKG+노래/NNG+(/SS+1990/SN+)/SS", "B-AFW", "봄날 의 노래"),
        ("./SF+옷/NNG+은/JX", "B", "옷"),
    ],
)
def test_borders(analysis: str, label: str, covered: str) -> None:
    form = "".join(part.rpartition("/")[0] for part in analysis.split("+"))
    eojeol = ASSEMBLER[f"{form}\t{analysis}"]
    [labels] = BORDERS.labels([eojeol], [label])
    inside = [m.form for m, own in zip(eojeol.morphemes, labels, strict=True) if own != "O"]
    assert " ".join(inside) == covered


def test_borders_of_an_entity_of_several_eojeols() -> None:
    lines = (
        "‘나루\t‘/SS+나루/NNG",
        "(하늘)의\t(/SS+하늘/NNG+)/SS+의/JKG",
        "마을’에서\t마을/NNG+’/SS+에서/JKB",
    )
    eojeols = [ASSEMBLER[line] for line in lines]
    labels = BORDERS.labels(eojeols, ["B-LC", "I-LC", "I-LC"])
    assert labels == (("O", "B-LC"), ("I-LC",) * 4, ("I-LC", "O", "O"))


SENTENCE = [
    ASSEMBLER[line]
    for line in (
        "프로페셔널의\t프로페셔널/NNP+의/JKG",
        "첫째와\t첫째/NR+와/JC",
        "원칙은\t원칙/NNG+은/JX",
        "프랑스에서\t프랑스/NNP+에서/JKB",
    )
]


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ("B-AFW I-AFW I-AFW B-LOC", "B-AFW I-AFW|I-AFW I-AFW|I-AFW O|B-LOC O"),
        ("B-AFW B-AFW I-AFW O", "B-AFW O|B-AFW I-AFW|I-AFW O|"),
        ("I-AFW I-AFW O I-LOC", "I-AFW I-AFW|I-AFW O||I-LOC O"),
        ("B-AFW I-LOC I-LOC O", "B-AFW O|I-LOC I-LOC|I-LOC O|"),
        ("O O O O", "|||"),
        ("AFW O O B", "AFW O|||B O"),
    ],
)
def test_labels_of_morphemes_and_back(labels: str, wanted: str) -> None:
    made = Eoj2Morph(RULES).labels(SENTENCE, labels.split())
    assert made == tuple(tuple(part.split()) for part in wanted.split("|"))
    assert eojeol_labels(made) == tuple(labels.split())


def test_inherit() -> None:
    made = Eoj2Morph(RULES, inherit=True).labels(SENTENCE, ["B-A", "O", "O", "I-B"])
    assert made == (("B-A", "I-A"), (), (), ("I-B", "I-B"))


def test_steps_are_counted() -> None:
    eoj2morph = Eoj2Morph(RULES)
    eoj2morph.labels([ASSEMBLER["지난\t지나/VV+ㄴ/ETM"], *SENTENCE[:1]], ["B-DT", "B-AF"])
    assert dict(eoj2morph.steps) == {0: 1, 1: 1}


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ((("B-PER", "I-PER", "B-LOC"), (), ("I-LOC", "B-LOC")), "B-PER O I-LOC"),
        # An entity without its first eojeol would be another one.
        ((("B-PER", "B-LOC"), ("I-LOC", "I-LOC"), ("I-LOC",), ("B-LOC",)), "B-PER O O B-LOC"),
        ((("B-PER", "B-PER"), ("I-PER",)), "B-PER O"),
    ],
)
def test_an_entity_that_begins_behind_another_in_an_eojeol_has_no_label(
    labels: Labels, wanted: str
) -> None:
    assert " ".join(eojeol_labels(labels)) == wanted
