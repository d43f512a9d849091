from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cases import cases
from corpora import ASSEMBLER, RULES

from sejongud.converters.eoj2morph import Carriers, Eoj2Morph, eojeol_labels

if TYPE_CHECKING:
    from sejongud.model import Labels

CASES = cases("eoj2morph")

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


@pytest.mark.parametrize(("line", "carriers"), CASES["test_carriers"])
def test_carriers(line: str, carriers: tuple[int, int, int]) -> None:
    assert PAPER.carriers(ASSEMBLER[line]) == Carriers(*carriers)


@pytest.mark.parametrize(("analysis", "label", "covered"), CASES["test_borders"])
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
