from __future__ import annotations

from corpora import ASSEMBLER, RULES

from sejongud.errors import Incident, Report
from sejongud.model import Sentence
from sejongud.validation.corpus_entities import EntityCheck

LINES = (
    "프로페셔널의\t프로페셔널/NNP+의/JKG",
    "원칙을\t원칙/NNG+을/JKO",
    "프랑스의\t프랑스/NNP+의/JKG",
    "한강엔\t한강/NNG+에/JKB+ㄴ/JX",
    # The syllable that two morphemes share is only the first of the second.
    "가서\t가/VV+아서/EC",
)
LABELS = (("B-AF", "I-AF"), ("I-AF", "O"), ("B-LC", "I-LC"), ("O", "I-LC", "O"), ("O", "B-LC"))


def test_what_is_counted_and_what_looks_wrong() -> None:
    incidents: list[Incident] = []
    check = EntityCheck(RULES, Report(incidents.append), "a.conllu")
    sentence = Sentence(tuple(ASSEMBLER[line] for line in LINES), "1", entities=(LABELS,))
    check.add(sentence, lambda eojeol: 100 + eojeol)
    check.add(Sentence(sentence.eojeols, "2"))
    assert [(incident.code, incident.token, incident.line) for incident in incidents] == [
        ("W421", "4", 103),
        ("W422", "3", 102),
        ("W422", "4", 103),
        ("W423", "4", 103),
        ("W423", "5", 104),
    ]
    assert "프랑스+의 (LC) ends in a particle" in str(incidents[1])
    assert [line.split("\t") for line in check.table().splitlines()[1:]] == [
        ["AF", "1", "0", "0", "0", "3", "2", "1", "0", "0"],
        ["LC", "3", "0", "0", "0", "4", "3", "0", "2", "2"],
        ["all", "4", "0", "0", "0", "7", "5", "1", "2", "2"],
    ]


def test_layers_of_entities_are_compared() -> None:
    incidents: list[Incident] = []
    check = EntityCheck(RULES, Report(incidents.append), "a.conllu")
    layers = (
        (("B-AF", "I-AF"), ("I-AF", "O"), (), ()),
        (("B-PS", "O"), (), (), ()),
        (("B-CV", "O"), ("B-LC", "I-LC"), ("I-LC", "O"), ()),
    )
    check.add(Sentence(tuple(ASSEMBLER[line] for line in LINES[:4]), "1", entities=layers))
    overlaps = [one for one in incidents if one.code in ("W431", "W432")]
    assert [(one.code, one.token, one.message) for one in overlaps] == [
        ("W432", "1", "프로페셔널 (CV) has the span of 프로페셔널 (PS)"),
        ("W431", "2", "원칙+을+프랑스 (LC) crosses 프로페셔널+의+원칙 (AF)"),
    ]
    rows = [line.split("\t")[:5] for line in check.table().splitlines()]
    assert rows[0] == ["type", "entities", "inside", "crossing", "same"]
    assert rows[-1] == ["all", "4", "1", "1", "1"]
