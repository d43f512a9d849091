from __future__ import annotations

import pytest

from sejongud.converters.eoj2morph import Carriers, Eoj2Morph
from sejongud.converters.morph2eoj import eojeol_labels, overridden
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

RULES = load()
ASSEMBLER = Assembler(RULES)


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
    assert Eoj2Morph(RULES).step(tag) == step


@pytest.mark.parametrize("tag", RULES.tags)
def test_the_table_excludes_what_the_paper_does(tag: str) -> None:
    """The excluded UPOS of the paper, and of those no more and no fewer tags (Table 3.1)."""
    excluded = {"ADP", "PUNCT", "PART", "DET", "VERB"}
    upos = RULES.upos["table3.1"][tag]
    assert (Eoj2Morph(RULES).step(tag) > 0) == (upos in excluded)


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
    ],
)
def test_carriers(line: str, carriers: tuple[int, int, int]) -> None:
    assert Eoj2Morph(RULES).carriers(ASSEMBLER[line]) == Carriers(*carriers)


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


def test_entities_that_share_an_eojeol_are_counted() -> None:
    assert overridden((("B-PER", "I-PER", "B-LOC"), (), ("I-LOC", "B-LOC"))) == 2
