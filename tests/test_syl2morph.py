from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER
from hypothesis import given
from hypothesis import strategies as st

from sejongud.converters.syl2morph import (
    Eojeols,
    cut,
    labels_of,
    names_in,
    syllable_labels,
    without_edge_spaces,
)
from sejongud.layers.labels import Entity, find_entities, to_labels
from sejongud.model import Eojeol, Morpheme, Span

if TYPE_CHECKING:
    from sejongud.morphology.kiwi import Name


def test_an_entity_of_spaces_is_none() -> None:
    entities = [Entity("A", 0, 1), Entity("B", 1, 5)]
    assert without_edge_spaces("  나 는 ", entities) == [Entity("B", 2, 5)]


def test_eojeols_are_cut_at_borders() -> None:
    text = " 서울특별시청에서  왔다"
    entities = [Entity("OG", 1, 7), Entity("LC", 1, 3), Entity("X", 8, 12)]
    assert cut(text, entities) == Eojeols(
        ["서울특별시청에서", "왔다"],
        [(1, 9), (11, 13)],
        {0: ("서울", "특별시청", "에", "서"), 1: ("왔", "다")},
    )


@pytest.mark.parametrize(
    ("entities", "names"),
    [
        ([Entity("PS", 1, 3)], {0: ((0, 2, "NNP"),)}),
        ([Entity("PS", 1, 9)], {0: ((0, 4, "NNP"),), 1: ((0, 3, "NNP"),)}),
        ([Entity("PS", 1, 3), Entity("PS", 3, 5)], {0: ((0, 2, "NNP"), (2, 4, "NNP"))}),
        # An entity of letters, of no name, and one with another inside.
        ([Entity("PS", 10, 11)], {}),
        ([Entity("LC", 1, 3)], {}),
        ([Entity("PS", 1, 5), Entity("LC", 1, 3)], {}),
        ([Entity("PS", 1, 5), Entity("PS", 1, 3)], {0: ((0, 2, "NNP"),)}),
    ],
)
def test_names(entities: list[Entity], names: dict[int, tuple[Name, ...]]) -> None:
    eojeols = cut(" 나루하늘 여름비 B씨", entities)
    assert names_in(eojeols, entities, {"PS": {"name": "NNP"}, "LC": {}}) == names


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, list[Eojeol], list[Span], list[Entity]]:
    """A text of plain eojeols, and entities that begin and end where morphemes do."""
    eojeols = []
    where: list[Span] = []
    borders: list[Span] = []
    text = ""
    for _ in range(draw(st.integers(1, 5))):
        text += " " * draw(st.integers(1 if text else 0, 2))
        forms = draw(st.lists(st.text("가나다라", min_size=1, max_size=3), min_size=1, max_size=4))
        start = len(text)
        for form in forms:
            borders.append((len(text), len(text) + len(form)))
            text += form
        where.append((start, len(text)))
        eojeols.append(Eojeol("".join(forms), tuple(Morpheme(form, "NNG") for form in forms)))
    entities = []
    at = 0
    while at < len(borders):
        last = draw(st.integers(at, len(borders) - 1))
        if draw(st.booleans()):
            entities.append(Entity(draw(st.sampled_from("AB")), borders[at][0], borders[last][1]))
        at = last + 1
    return text, eojeols, where, entities


@given(sentences())
def test_there_and_back(made: tuple[str, list[Eojeol], list[Span], list[Entity]]) -> None:
    text, eojeols, where, entities = made
    labels, inexact, _ = labels_of(eojeols, where, entities)
    assert inexact == []
    assert syllable_labels(text, eojeols, where, labels) == list(to_labels(entities, len(text)))


def test_a_shared_syllable_belongs_to_the_first() -> None:
    eojeol = ASSEMBLER["한강엔\t한강/NNG+에/JKB+ㄴ/JX"]
    labels, inexact, _ = labels_of([eojeol], [(0, 3)], [Entity("LC", 0, 3)])
    assert labels == (("B-LC", "I-LC", "I-LC"),)
    assert inexact == []
    labels, inexact, _ = labels_of([eojeol], [(0, 3)], [Entity("LC", 0, 1)])
    assert labels == (("B-LC", "O", "O"),)
    assert inexact == [Entity("LC", 0, 1)]


def test_a_morpheme_without_a_surface_at_an_edge_stays_outside() -> None:
    eojeol = ASSEMBLER["학교다\t학교/NNG+(이)/VCP+다/EF"]
    labels, inexact, _ = labels_of([eojeol], [(0, 3)], [Entity("OG", 0, 2)])
    assert labels == (("B-OG", "O", "O"),)
    assert inexact == []
    assert syllable_labels("학교다", [eojeol], [(0, 3)], labels) == ["B-OG", "I-OG", "O"]


def test_two_entities_in_one_morpheme() -> None:
    eojeol = ASSEMBLER["한강물\t한강물/NNG"]
    entities = [Entity("A", 0, 1), Entity("B", 1, 3)]
    labels, inexact, _ = labels_of([eojeol], [(0, 3)], entities)
    assert labels == (("B-A",),)
    assert inexact == entities


def test_labels_of_a_system_by_the_character() -> None:
    eojeols = [ASSEMBLER[line] for line in ("한강의\t한강/NNG+의/JKG", "물\t물/NNG", "옷\t옷/NNG")]
    where = [(0, 3), (4, 5), (6, 7)]
    labels = (("O", "I-A"), ("I-A",), ("I-B",))
    made = syllable_labels("한강의 물 옷", eojeols, where, labels)
    assert made == ["O", "O", "I-A", "I-A", "I-A", "O", "I-B"]
    assert find_entities(made) == [Entity("A", 2, 5), Entity("B", 6, 7)]
