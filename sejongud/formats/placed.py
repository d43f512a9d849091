"""Morphemes with their places in the text, as formats with offsets have them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from sejongud.formats.labelled import Labelled, MorphemeRow, labelled_text
from sejongud.layers.labels import find_entities, to_text
from sejongud.levels.upos import UposScheme
from sejongud.model import Morpheme
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Span
    from sejongud.rules import Rules

EOJEOL = re.compile("[^ ]+")
_SENSE = re.compile(r"(.+)__([x^]?\d+)", re.DOTALL)


def split_sense(form: str) -> tuple[str, str]:
    """Return the form of a morpheme and its sense number, "" if it has none.

    >>> split_sense("의상__02"), split_sense("의상")
    (('의상', '02'), ('의상', ''))
    """
    match = _SENSE.fullmatch(form)
    return (match[1], match[2]) if match else (form, "")


def with_sense(form: str, sense: str) -> str:
    """Return the form with its sense number: the inverse of `split_sense`."""
    return f"{form}__{sense}" if sense else form


def labelled_rows(text: str, rows: Sequence[MorphemeRow], spans: Sequence[Span]) -> Labelled:
    """Return the sentence of a text and its morphemes, whose labels are those of the characters.

    Args:
        text: eojeols with spaces between them.
        rows: the morphemes, in order.
        spans: their places in the text.

    Raises:
        ValueError: a place is not in the text, or stands before the one before it.

    >>> rows = [MorphemeRow("프랑스", "NNP", "B-LC"), MorphemeRow("의", "JKG", "O")]
    >>> labelled_rows("프랑스의", rows, [(0, 3), (3, 4)]).layers
    (('B-LC', 'I-LC', 'I-LC', 'O'),)
    """
    before = 0
    for begin, end in spans:
        if not before <= begin <= end <= len(text):
            raise ValueError(
                f"[{begin}, {end}]: expected the place of a morpheme in a text of {len(text)}"
                f" characters, not before {before}"
            )
        before = begin
    flat = [[row.label for row in rows], *zip(*[row.inner for row in rows], strict=True)]
    entities = [entity for labels in flat for entity in to_text(find_entities(labels), spans)]
    labelled = labelled_text(text, [entity for entity in entities if entity.begin < entity.end])
    eojeols = [match.end() for match in EOJEOL.finditer(text)]
    groups: list[list[tuple[MorphemeRow, Span]]] = [[] for _ in eojeols]
    index = 0
    for row, (begin, end) in zip(rows, spans, strict=True):
        while index < len(eojeols) and (eojeols[index] < begin or eojeols[index] == begin < end):
            index += 1
        if index == len(eojeols):
            return labelled
        groups[index].append((row, (begin, end)))
    if not all(groups):
        # An eojeol without morphemes cannot be used.
        return labelled
    return labelled._replace(
        morphemes=tuple([tuple([row for row, _ in pairs]) for pairs in groups]),
        spans=tuple([tuple([span for _, span in pairs]) for pairs in groups]),
    )


def placed_rows(labelled: Labelled) -> Iterator[tuple[MorphemeRow, Span]]:
    """Yield the morphemes of a sentence with their places in its text."""
    rows = chain.from_iterable(labelled.morphemes)
    return zip(rows, chain.from_iterable(labelled.spans), strict=True)


def upos_of(rows: Iterable[MorphemeRow], rules: Rules | None) -> str:
    """Return the UPOS of a word of one morpheme or more.

    Args:
        rows: its morphemes, at least one.
        rules: the tables; None for the package's own.

    >>> upos_of([MorphemeRow("프랑스", "NNP", "O")], None)
    'PROPN'
    """
    return _scheme(rules).of(tuple([Morpheme(row.form, row.tag) for row in rows]))


@lru_cache(maxsize=2)
def _scheme(rules: Rules | None) -> UposScheme:
    return UposScheme(rules or load(), "sejong")


def same_or_new(
    old: object, new: Sequence[dict[str, Any]], keys: Sequence[str]
) -> list[dict[str, Any]]:
    """Return new items, each replaced by the old item that has the same values, if there is one.

    So ids, weights and the like are kept that nobody has changed.

    Args:
        old: the list of the file, if it is one.
        new: the items to write.
        keys: the members that are compared.

    >>> same_or_new([{"type": "LC", "weight": 0.4}], [{"type": "LC", "weight": 1}], ["type"])
    [{'type': 'LC', 'weight': 0.4}]
    """
    by_values: dict[str, list[dict[str, Any]]] = {}
    for item in old if isinstance(old, list) else []:
        if isinstance(item, dict):
            by_values.setdefault(repr([item.get(key) for key in keys]), []).append(item)
    items = []
    for item in new:
        same = by_values.get(repr([item.get(key) for key in keys]))
        items.append(same.pop(0) if same else item)
    return items
