"""Types of entities in another tag set: 150 → 15 → 6 types of NIKL and KLUE, NAVER ↔ KLUE.

    OGG_ECONOMY → OG,  PER → PS,  EVT → O: no entity any more

A map is one of rules/ne-map.tsv, or a file of the user's with two columns.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.errors import Note, RulesError, UsageError
from sejongud.files import Source
from sejongud.layers.labels import (
    OUTSIDE,
    by_eojeol,
    entity_layers,
    find_entities,
    flat_labels,
    layers,
    split_label,
    to_labels,
)
from sejongud.layers.losses import UNMAPPED, shown
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.model import Eojeol, Labels, Sentence
    from sejongud.rules import Rules


class TypeMap:
    """Gives entities the types of another tag set.

    Args:
        types: a type → the type in the other tag set; O for no entity.

    >>> TypeMap({"PER": "PS", "EVT": "O"}).label("I-PER")
    'I-PS'
    """

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self.dropped: Counter[str] = Counter()
        """The number of entities of each type that became none."""
        self.unknown: Counter[str] = Counter()
        """The number of entities of each type that the map does not name."""

    def label(self, label: str) -> str:
        """Return a label with the type of the other tag set; O if it becomes no entity."""
        prefix, name = split_label(label)
        mapped = self._types.get(name, name)
        return label if mapped == name else OUTSIDE if mapped == OUTSIDE else f"{prefix}-{mapped}"

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return a sentence whose entities have the types of the other tag set."""
        eojeols = sentence.eojeols
        notes = sentence.notes
        forms = [morpheme.form for morpheme in sentence.morphemes]
        for entity in [entity for layer in entity_layers(sentence) for entity in layer]:
            name = entity.type
            self.unknown[name] += bool(name) and name not in self._types
            if self._types.get(name) == OUTSIDE:
                self.dropped[name] += 1
                message = f"{shown(entity, forms)} is no entity in the other tag set"
                notes += (Note(UNMAPPED, message),)
        entities = tuple([self._layer(eojeols, layer) for layer in sentence.entities])
        if len(entities) > 1 and any(map(any, entities)):
            entities = _lifted(sentence, entities)
        left = tuple([layer for layer in entities if any(layer)])
        return sentence.but(entities=left, notes=notes)

    def _layer(self, eojeols: Sequence[Eojeol], layer: Labels) -> Labels:
        """Return a layer of labels with the types of the other tag set."""
        flat = flat_labels(eojeols, layer)
        mapped: Sequence[str] = list(map(self.label, flat))
        types = [(self._types.get(e.type, e.type), e) for e in find_entities(flat)]
        left = [e._replace(type=name) for name, e in types if name != OUTSIDE]
        if len(find_entities(mapped)) != len(left):
            # Neighbours that have one type now, of which the second had no B.
            mapped = to_labels(left, len(flat))
        return by_eojeol(eojeols, mapped)

    def summary(self, _: Mapping[str, int] | None = None) -> list[str]:
        """Return what became of types without a counterpart, in lines."""
        counts_of = {
            "entit[y is|ies are] none in the other tag set": +self.dropped,
            "entit[y keeps|ies keep] a type that the map does not name": +self.unknown,
        }
        return [
            f"{counted(counts.total(), what)}: "
            + ", ".join([f"{name} {n:,}" for name, n in sorted(counts.items())])
            for what, counts in counts_of.items()
            if counts
        ]


def _lifted(sentence: Sentence, entities: tuple[Labels, ...]) -> tuple[Labels, ...]:
    """Return layers in which an inner entity is the outermost if the outer one is no more."""
    flat = [flat_labels(sentence.eojeols, layer) for layer in entities]
    merged = layers([entity for labels in flat for entity in find_entities(labels)])
    # An entity ends in E- or S- in BIOES alone.
    is_bioes = any([label.startswith(("E-", "S-")) for labels in flat for label in labels])
    result = [to_labels(layer, len(flat[0]), "bioes" if is_bioes else "bio") for layer in merged]
    return tuple([by_eojeol(sentence.eojeols, labels) for labels in result])


def load_map(name: str, rules: Rules) -> TypeMap:
    """Return a map of types.

    Args:
        name: a map of rules/ne-map.tsv, or the path of a file: the type, a tab, the type that it
            becomes (O or nothing for no entity), a row a line; `#` begins a comment.
        rules: the tables.

    Raises:
        UsageError: there is no such map, and no such file.
        RulesError: a row of the file has no two columns, or names a type a second time.
    """
    rows = rules.table("ne-map")
    mapping = {row["from"]: row["to"] for row in rows if row["map"] == name}
    if mapping:
        return TypeMap(mapping)
    if not Path(name).exists():
        names = ", ".join(dict.fromkeys([row["map"] for row in rows]))
        raise UsageError(f"{name} is neither a file nor a map of types; the maps are: {names}")
    with Source(name) as source:
        for number, line in enumerate(source.lines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            type_, *targets = [cell.strip() for cell in line.split("\t")]
            if not type_ or len(targets) != 1:
                fault = "a row of a map is a type, a tab, and the type that it becomes, or O"
                raise RulesError(fault, path=name, line=number, text=line)
            if type_ in mapping:
                fault = f"the type {type_} has a row already: take one of them out"
                raise RulesError(fault, path=name, line=number, text=line)
            mapping[type_] = targets[0] or OUTSIDE
    return TypeMap(mapping)
