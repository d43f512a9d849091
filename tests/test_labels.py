from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.layers.labels import (
    LABEL_SCHEMES,
    OUTSIDE,
    Entity,
    LabelScheme,
    find_entities,
    going_on,
    ill_formed,
    layers,
    recode,
    repair,
    split_label,
    to_labels,
)
from sejongud.layers.places import overlaps

TYPES = st.sampled_from(["PS", "LC", "OGG_POLITICS", "A-B"])
LABELS = st.lists(
    st.one_of(
        st.just(OUTSIDE),
        st.builds("{}-{}".format, st.sampled_from("BIES"), TYPES),
        st.sampled_from(["I", "B", "PS", "X-PS", "-"]),
    )
)


@st.composite
def chunks(draw: st.DrawFn) -> tuple[list[Entity], int]:
    """Entities that do not overlap, and how many tokens there are."""
    entities = []
    at = draw(st.integers(0, 3))
    for _ in range(draw(st.integers(0, 6))):
        length = draw(st.integers(1, 4))
        entities.append(Entity(draw(TYPES), at, at + length))
        at += length + draw(st.integers(0, 2))
    return entities, at + draw(st.integers(0, 2))


@given(chunks(), st.sampled_from(LABEL_SCHEMES))
def test_labels_and_spans(found: tuple[list[Entity], int], scheme: LabelScheme) -> None:
    entities, length = found
    labels = to_labels(entities, length, scheme)
    assert len(labels) == length
    assert find_entities(labels) == entities


@given(chunks(), st.sampled_from(LABEL_SCHEMES), st.sampled_from(LABEL_SCHEMES))
def test_every_scheme_and_back(
    found: tuple[list[Entity], int], first: LabelScheme, second: LabelScheme
) -> None:
    labels = to_labels(*found, first)
    assert recode(recode(labels, second), first) == labels


@given(LABELS)
def test_repair_is_well_formed_and_says_the_same(labels: list[str]) -> None:
    mended = repair(labels)
    assert ill_formed(mended) == []
    assert find_entities(mended) == find_entities(labels)
    assert repair(mended) == mended


@given(chunks())
def test_bio_is_never_ill_formed(found: tuple[list[Entity], int]) -> None:
    assert ill_formed(to_labels(*found)) == []
    assert repair(to_labels(*found)) == to_labels(*found)


@pytest.mark.parametrize(
    ("labels", "mended", "faults"),
    [
        ("I-PS I-PS", "B-PS I-PS", [0]),
        ("B-PS I-LC", "B-PS B-LC", [1]),
        ("B-PS O I-PS", "B-PS O B-PS", [2]),
        ("B-PS B-PS", "B-PS B-PS", []),
        ("I I", "B I", [0]),
        ("B I", "B I", []),
        ("PS PS", "B-PS B-PS", [0, 1]),
        ("E-PS S-LC", "B-PS B-LC", [0]),
    ],
)
def test_what_conlleval_reads(labels: str, mended: str, faults: list[int]) -> None:
    assert repair(labels.split()) == tuple(mended.split())
    assert ill_formed(labels.split()) == faults


@pytest.mark.parametrize(
    "entities",
    [[Entity("PS", 1, 1)], [Entity("PS", 0, 3)], [Entity("PS", 0, 2), Entity("LC", 1, 2)]],
    ids=["empty", "too long", "overlapping"],
)
def test_entities_that_cannot_be_labels(entities: list[Entity]) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        to_labels(entities, 2)


@given(LABELS)
def test_what_goes_on_goes_on(labels: list[str]) -> None:
    for label in labels:
        if label != OUTSIDE:
            assert going_on(going_on(label)) == going_on(label)
            assert split_label(going_on(label))[1] == split_label(label)[1]


@given(
    st.lists(
        st.builds(lambda t, b, n: Entity(t, b, b + n), TYPES, st.integers(0, 9), st.integers(1, 5))
    )
)
def test_layers_keep_all_and_do_not_overlap(entities: list[Entity]) -> None:
    found = layers(entities)
    assert sorted(entity for layer in found for entity in layer) == sorted(entities)
    for layer in found:
        for before, entity in pairwise(layer):
            assert before.end <= entity.begin
    assert all([entity.begin < other.end for entity, other, _ in overlaps(entities)])


def test_the_outermost_is_the_first_layer() -> None:
    inner, outer, behind = Entity("LC", 0, 2), Entity("OG", 0, 5), Entity("PS", 6, 7)
    assert layers([inner, behind, outer]) == [[outer, behind], [inner]]


def test_an_entity_overlaps_the_last_one_around_it() -> None:
    outer, inner, last = Entity("OG", 0, 5), Entity("LC", 2, 5), Entity("PS", 3, 5)
    assert [other for _, other, _ in overlaps([last, inner, outer])] == [outer, inner]
