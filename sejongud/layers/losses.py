"""The entities and frames that a conversion does not write: each of them is an incident.

The readers of corpora and the writers return a `Note` for each; the driver reports the notes with
the file, the line and the id of the sentence. So the entities of the input are those of the output
and those of the log.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from sejongud.errors import Note
from sejongud.layers.labels import OUTSIDE, entity_layers, find_entities, first_label
from sejongud.lazy import NamedTuple
from sejongud.memo import Memo
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.layers.labels import Entity
    from sejongud.model import FrameInstance, Sentence

LOST = "W441"
HIDDEN = "I442"
UNMAPPED = "I443"
LOST_FRAME = "W427"

REASONS: Mapping[str, str] = {
    "inside": "inside another entity (--nested keeps such entities)",
    "same": "over the span of another entity (--nested keeps such entities)",
    "crossing": "across the border of another entity (--nested keeps such entities, in a layer of"
    " their own)",
    "shared morphemes": "all morphemes belong to other entities (--nested keeps such entities, and"
    " Kiwi's morphemes end where entities do)",
    "no morpheme": "no morpheme stands for the characters",
    "spaces": "nothing but spaces",
    "skipped": "the sentence is left out (--on-error keep keeps it)",
    "no layers": "inside or across another entity, for which the format has no place (brat,"
    " doccano, etri, konne, label-studio, modu-ne and spans have spans, which may overlap)",
    "same token": "another entity begins before it in the same eojeol or word",
    "shared characters": "all characters, or the token, belong to other entities (etri, kips and"
    " hf-jsonl:morpheme have labels of morphemes)",
    "type": "the format cannot write its type",
    "replaced": "the corpus has other entities there",
    "no entities": "the format has no place for entities",
}
"""The reasons for which an entity is not written, as the log and the summary of a run name them."""


class Loss(NamedTuple):
    """An entity that is not written."""

    shown: str
    """Its text and its type."""
    reason: str
    """A key of `REASONS`."""

    @property
    def note(self) -> Note:
        """The incident; the summary of the run tells the options as well."""
        return Note(LOST, f"{self.shown} is not written: {REASONS[self.reason].partition(' (')[0]}")


def lines_of(counts: Counter[str]) -> list[str]:
    """Return the numbers of entities that were not written, by their reasons, in lines.

    >>> from collections import Counter
    >>> lines_of(Counter({"spaces": 2, "sentences": 4}))
    ['2 entities were not written: nothing but spaces']
    """
    what = "entit[y was|ies were] not written"
    return [f"{counted(counts[key], what)}: {why}" for key, why in REASONS.items() if counts[key]]


def shown(entity: Entity, forms: Sequence[str], joint: str = "+") -> str:
    """Return the text and the type of an entity over tokens with these forms.

    >>> from sejongud.layers.labels import Entity
    >>> shown(Entity("LC", 0, 2), ["서울", "역", "에"])
    '서울+역 (LC)'
    """
    return f"{joint.join(forms[entity.begin : entity.end])} ({entity.type})"


def all_lost(sentence: Sentence, reason: str = "no entities") -> list[Loss]:
    """Return the losses of a sentence none of whose entities is written."""
    if not sentence.entities:
        return []
    forms = [morpheme.form for morpheme in sentence.morphemes]
    entities = [entity for layer in entity_layers(sentence) for entity in layer]
    return [Loss(shown(entity, forms), reason) for entity in entities]


def lost_frames(instances: Iterable[FrameInstance], why: str) -> list[Note]:
    """Return the incidents of frames that are not written.

    Args:
        instances: the frames.
        why: the reason.
    """
    notes = []
    for instance in instances:
        target = next(filter(None, instance.targets), None)
        name = f"{target.frame} ({target.unit})" if target else "without a target"
        notes.append(Note(LOST_FRAME, f"the frame {name} is not written: {why}"))
    return notes


def notes_of_skipped(sentence: Sentence) -> list[Note]:
    """Return the incidents of the layers of a sentence that is left out."""
    notes = [loss.note for loss in all_lost(sentence, "skipped")]
    return [*notes, *lost_frames(sentence.frames, REASONS["skipped"])]


def layer_notes(sentence: Sentence) -> list[Note]:
    """Return the incidents of a format that has a place neither for entities nor for frames."""
    return [*[loss.note for loss in all_lost(sentence)], *frame_notes(sentence)]


def frame_notes(sentence: Sentence) -> list[Note]:
    """Return the incidents of a format that has no place for frames."""
    return lost_frames(sentence.frames, "the format has no place for frames")


def tree_notes(sentence: Sentence) -> list[Note]:
    """Return the incident of a format that has no place for dependencies and constituents."""
    named = {"dependencies": sentence.arcs is not None, "constituents": sentence.constituents}
    return not_written([name for name, has in named.items() if has])


def not_written(parts: Iterable[str]) -> list[Note]:
    """Return the incident of further parts of a sentence that are not written, if there are any.

    >>> [note.message for note in not_written(["ids", "comments"])]
    ['not written: ids; comments']
    """
    named = "; ".join(parts)
    return [Note("W301", f"not written: {named}")] if named else []


def labels_of_units(labels: Sequence[str], sizes: Iterable[int]) -> tuple[list[str], list[Entity]]:
    """Return the labels of units of several morphemes, and the entities that they do not show.

    A unit has the label of its first morpheme that is in an entity. An entity that begins behind
    that one in a unit is not shown, in the units behind it either: it would have no beginning.

    Args:
        labels: of the morphemes of a sentence, in a layer.
        sizes: the number of morphemes of each unit.

    >>> labels_of_units(["B-PS", "B-LC", "I-LC", "O"], [2, 2])
    (['B-PS', 'O'], [Entity(type='LC', begin=1, end=3)])
    """
    borders = list(accumulate(sizes, initial=0))
    of_units = [first_label(labels[begin:end]) for begin, end in pairwise(borders)]
    behind = []
    for entity in find_entities(labels):
        unit = bisect_right(borders, entity.begin) - 1
        if any([label != OUTSIDE for label in labels[borders[unit] : entity.begin]]):
            behind.append(entity)
            while (unit := unit + 1) < len(of_units) and borders[unit] < entity.end:
                of_units[unit] = OUTSIDE
    return of_units, behind


are_several: Memo[tuple[str, ...], bool] = Memo(
    lambda labels: len(find_entities(labels)) > 1, size=20_000
)
"""Whether the morphemes of an eojeol that have these labels belong to several entities."""


def unmatched(before: Sequence[Entity], written: Iterable[Entity]) -> list[int]:
    """Return the numbers, from 0, of the entities for which none of those that were written stands.

    An entity that was written stands for an equal one, or for the one that it is most like: its
    borders may have moved. Each stands for one entity.

    Args:
        before: the entities.
        written: those of the output, over the same tokens.

    >>> from sejongud.layers.labels import Entity
    >>> unmatched([Entity("PS", 0, 2), Entity("LC", 1, 3)], [Entity("LC", 2, 3)])
    [0]
    """
    left = dict(enumerate(before))
    moved = []
    for entity in written:
        same = next((i for i, left_entity in left.items() if left_entity == entity), None)
        if same is None:
            moved.append(entity)
        else:
            del left[same]
    for entity in moved[: len(left)]:
        del left[max(left, key=partial(_likeness, entity, left))]
    return list(left)


def _likeness(entity: Entity, candidates: Mapping[int, Entity], index: int) -> tuple[bool, int]:
    """Return whether two entities share tokens and a type, and how many tokens they share."""
    candidate = candidates[index]
    shared = min(entity.end, candidate.end) - max(entity.begin, candidate.begin)
    return shared > 0 and entity.type == candidate.type, shared
