"""The counts of a conversion of entities, and what they mean for its user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.converters import riders
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping

    from sejongud.model import Labels

_BEGINS = ("B-", "B")
SIZES: Mapping[str, str] = {
    "sentences": "sentence[s]",
    "eojeols": "eojeol[s]",
    "entities": "entit[y|ies]",
}
"""The counts of a corpus, with the names of the things counted."""

TOLD_FORWARD: Mapping[str, str] = {
    "hidden": "more entit[y is|ies are] in NEMorph= alone: another entity begins before"
    " [it|them] in the same word",
    "begun otherwise": "of the entities begin[s|] with another label than B, as in the corpus",
    "skipped sentences": "sentence[s] [was|were] left out (--on-error keep keeps them)",
    "unread": "sentence[s] could not be read, and none of [its|their] entities is counted",
    "edge spaces": "sentence[s] had entities with spaces at their edges",
    "ill-formed labels": "label[s] of the corpus [was|were] ill-formed and [is|are] kept",
    "inside morphemes": "entit[y|ies] began or ended inside a morpheme",
}
"""The meanings of the counts of the way to morphemes, in the order of the summary."""

TOLD_RIDERS: Mapping[str, str] = {
    riders.ROWS: f"sentence[s] keep[s|] labels of rows in a comment ({riders.ROWS})",
    riders.LINES: f"sentence[s] keep[s|] lines in a comment ({riders.LINES})",
    riders.BLOCK: f"sentence[s] [is|are] kept whole in a comment ({riders.BLOCK})",
}
"""The meanings of the counts of comments, which CoNLL-U alone has."""

TOLD_BACKWARD: Mapping[str, str] = {
    "mended": "ill-formed label[s] [was|were] mended",
    "ill-formed": "ill-formed label[s] [is|are] kept (--repair mends)",
    "other eojeols": "sentence[s] [has|have] other eojeols than [its|their] text: the labels are"
    " on those of the text",
    "only in comments": "entit[y|ies] that only the kept text of the corpus has [was|were] not"
    " written: the labels or the format are others now (--nested gives entities that overlap"
    " labels)",
    "ids": "id[s] of sentences [was|were] not written: the format has no place for [it|them]",
    "comments": "sentence[s] [has|have] comments, or members of [its|their] own format, that were"
    " not written: CoNLL-U keeps them",
    "dependencies": "sentence[s] [has|have] dependencies, which were not written: CoNLL-U keeps"
    " them",
    "comments of other labels": "sentence[s] [has|have] comments that were made for other labels:"
    " these were not used",
}
"""The meanings of the counts of the way back."""


def begun(layers: Iterable[Labels]) -> int:
    """Count the labels that begin an entity as BIO does."""
    return sum([label[:2] in _BEGINS for layer in layers for own in layer if own for label in own])


def told(counts: Counter[str], meanings: Mapping[str, str]) -> list[str]:
    """Return the counts that are not zero, with what they count."""
    return [counted(counts[key], what) for key, what in meanings.items() if counts[key]]
