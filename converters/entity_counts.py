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
    "begun otherwise": "of the entities begin[s|] with another label than B, as in the corpus",
    "inside": "entit[y|ies] inside another [was|were] not written (--nested keeps [it|them])",
    "same": "entit[y|ies] over the span of another [was|were] not written (--nested"
    " keeps [it|them])",
    "crossing": "entit[y that crosses|ies that cross] another [was|were] not written (--nested"
    " keeps [it|them], in a layer of [its|their] own)",
    "shared morphemes": "entit[y was|ies were] not written: other entities have all"
    " [its|their] morphemes (--nested keeps [it|them], and Kiwi's morphemes end where entities do)",
    "no morpheme": "entit[y was|ies were] not written: no morpheme stands for"
    " [its|their] characters",
    "spaces": "entit[y|ies] of nothing but spaces [was|were] not written",
    "skipped sentences": "sentence[s] [was|were] left out (--on-error keep keeps them)",
    "skipped entities": "entit[y was|ies were] in the sentences that were left out",
    "unread": "sentence[s] could not be read, and none of [its|their] entities is counted",
    "edge spaces": "sentence[s] had entities with spaces at their edges",
    "ill-formed labels": "label[s] of the corpus [was|were] ill-formed and [is|are] kept",
    "inside morphemes": "entit[y|ies] began or ended inside a morpheme",
}
"""The meanings of the counts of the way to morphemes, in the order of the summary."""

NOT_WRITTEN = ("inside", "same", "crossing", "shared morphemes", "no morpheme", "spaces")
"""The counts of entities in a sentence of the corpus that no label of its morphemes stands for."""

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
    "overridden": "entit[y was not written: it begins|ies were not written: they begin] in an"
    " eojeol with one before [it|them]",
    "other layers": "entit[y|ies] inside or across others [was|were] not written: the format has no"
    " place for [it|them] (brat, doccano, etri, konne, label-studio and modu-ne have"
    " spans, which may overlap)",
    "shared characters": "entit[y was|ies were] not written: other entities have all"
    " [its|their] characters, or the token (etri, kips and hf-jsonl:morpheme have labels of"
    " morphemes)",
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
