"""The counts of a conversion of entities, and what they mean for its user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.converters import riders

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping

    from sejongud.model import Labels

__all__ = ["TOLD_BACKWARD", "TOLD_FORWARD", "TOLD_RIDERS", "begun", "told"]

_BEGINS = ("B-", "B")
TOLD_FORWARD: Mapping[str, str] = {
    "begun otherwise": "of the entities begin with another label than B, as in the corpus",
    "inside": "entities inside another were not written (--nested keeps them)",
    "same": "entities over the span of another were not written (--nested keeps them)",
    "crossing": "entities that cross another were not written (--nested keeps them, in a layer of"
    " their own)",
    "shared morphemes": "entities were not written: other entities have all their morphemes"
    " (--nested keeps them, and Kiwi's morphemes end where entities do)",
    "no morpheme": "entities were not written: no morpheme stands for their characters",
    "spaces": "entities of nothing but spaces were not written",
    "skipped sentences": "sentences were left out (--on-error keep keeps them)",
    "skipped entities": "entities were in the sentences that were left out",
    "unread": "sentences could not be read, and none of their entities is counted",
    "edge spaces": "sentences had entities with spaces at their edges",
    "ill-formed labels": "labels of the corpus were ill-formed and are kept",
    "inside morphemes": "entities began or ended inside a morpheme",
}
"""What the counts of the way to morphemes mean, in the order in which they are told."""

TOLD_RIDERS: Mapping[str, str] = {
    riders.ROWS: f"sentences keep labels of rows in a comment ({riders.ROWS})",
    riders.LINES: f"sentences keep lines in a comment ({riders.LINES})",
    riders.BLOCK: f"sentences are kept whole in a comment ({riders.BLOCK})",
}
"""The same of comments, which CoNLL-U alone has."""

TOLD_BACKWARD: Mapping[str, str] = {
    "mended": "ill-formed labels were mended",
    "ill-formed": "ill-formed labels are kept (--repair mends)",
    "other eojeols": "sentences have other eojeols than their text: the labels are on those of the"
    " text",
    "overridden": "entities were not written: they begin in an eojeol with one before them",
    "other layers": "entities inside or across others were not written: the format has no place"
    " for them (brat, doccano, konne, label-studio and modu-ne have spans, which may overlap)",
    "shared characters": "entities were not written: other entities have all their characters,"
    " or the token (etri, kips and hf-jsonl:morpheme have labels of morphemes)",
    "comments of other labels": "sentences have comments that were made for other labels: these"
    " were not used",
}
"""The same of the way back."""


def begun(layers: Iterable[Labels]) -> int:
    """Count the labels that begin an entity as BIO does."""
    return sum([label[:2] in _BEGINS for layer in layers for own in layer if own for label in own])


def told(counts: Counter[str], meanings: Mapping[str, str]) -> list[str]:
    """Return the counts that are not zero, with what they count."""
    return [f"{counts[key]:,} {what}" for key, what in meanings.items() if counts[key]]
