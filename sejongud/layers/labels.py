"""Label sequences and the spans they stand for: BIO, BIOES and IOB1.

    프랑스  의  세계        엠마누엘  웅가로  가
    B-LC   O   O         B-PS    I-PS   O         two entities: LC 0-1, PS 3-5

All three schemes are read as conlleval reads them (Tjong Kim Sang and Buchholz 2000): I or E
continues an entity if B or I of the same type precedes it, and begins an entity otherwise. So every
sequence has a reading, even an ill-formed one.

The entities and frames that a conversion does not write: each of them is an incident.

The readers of corpora and the writers return a `Note` for each; the driver reports the notes with
the file, the line and the id of the sentence. So the entities of the input are those of the output
and those of the log.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.errors import Note
from sejongud.memo import Memo
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.model import Eojeol, FrameInstance, Labels, Sentence, Span

LabelScheme = Literal["bio", "bioes", "iob1"]
"""bio: B begins and I continues. bioes: E ends, and S stands alone. iob1: B begins only an entity
that directly follows another of its type."""

LABEL_SCHEMES: tuple[LabelScheme, ...] = get_args(LabelScheme)

OUTSIDE = "O"
"""The label outside every entity."""

_BEGIN, _INSIDE, _END, _SINGLE = "B", "I", "E", "S"
_PREFIXES = frozenset((_BEGIN, _INSIDE, _END, _SINGLE))
_GOES_ON = frozenset((_INSIDE, _END))
_OPEN = frozenset((_BEGIN, _INSIDE))
_OPENING = frozenset((_BEGIN, _SINGLE))
_REPEATED = frozenset((OUTSIDE, _INSIDE))
"""The prefixes of labels that change nothing where they stand twice."""
_OF_MORPHEMES = (f"{_END}-", f"{_SINGLE}-")


class Entity(NamedTuple):
    """A run of tokens, or of characters, that is one entity."""

    type: str
    begin: int
    end: int
    """The position after its last token or character."""


def split_label(label: str) -> tuple[str, str]:
    """Return the prefix and the type of a label; a text that is not a label is its own prefix.

    >>> split_label("B-PS"), split_label("O"), split_label("I"), split_label("PS")
    (('B', 'PS'), ('O', ''), ('I', ''), ('PS', ''))
    """
    prefix, hyphen, type_ = label.partition("-")
    return (prefix, type_) if hyphen and prefix in _PREFIXES else (label, "")


parts: Memo[str, tuple[str, str]] = Memo(split_label, size=10_000)
"""`split_label`, remembered: a corpus has few labels and uses them often."""


def going_on(label: str) -> str:
    """Return the label that continues the entity of a label.

    >>> going_on("B-PS"), going_on("I-PS"), going_on("PS")
    ('I-PS', 'I-PS', 'PS')
    """
    prefix, type_ = parts[label]
    return f"{_INSIDE}-{type_}" if type_ else _INSIDE if prefix in _PREFIXES else label


def with_types(labels: Iterable[str]) -> list[str]:
    """Return labels in which a bare I has the type of the label before it.

    >>> with_types(["B-PS", "I", "O", "I"])
    ['B-PS', 'I-PS', 'O', 'I']
    """
    filled = [OUTSIDE]
    for label in labels:
        bare = label == _INSIDE and filled[-1] != OUTSIDE
        filled.append(going_on(filled[-1]) if bare else label)
    return filled[1:]


def without_types(labels: Sequence[str]) -> list[str]:
    """Return a bare I for each label that goes on with the one before it: inverts `with_types`."""
    return [
        _INSIDE
        if before != OUTSIDE and label == going_on(before) and parts[label][0] == _INSIDE
        else label
        for before, label in pairwise([OUTSIDE, *labels])
    ]


continuation: Memo[str, str] = Memo(going_on, size=10_000)
"""`going_on`, remembered: a look-up costs less than a call."""


def spread(label: str, count: int) -> tuple[str, ...]:
    """Return the labels of several units that take the place of one unit with a label.

    Args:
        label: of any scheme.
        count: the number of units, at least one.

    >>> spread("B-PS", 3), spread("S-PS", 3), spread("E-PS", 2), spread("S-PS", 1)
    (('B-PS', 'I-PS', 'I-PS'), ('B-PS', 'I-PS', 'E-PS'), ('I-PS', 'E-PS'), ('S-PS',))
    """
    prefix, type_ = parts[label]
    inside = (going_on(label),) * (count - 1)
    if not inside or prefix not in (_END, _SINGLE):
        return (label, *inside)
    tail = f"-{type_}" if type_ else ""
    first = _BEGIN + tail if prefix == _SINGLE else inside[0]
    return (first, *inside[1:], _END + tail)


def find_entities(labels: Sequence[str]) -> list[Entity]:
    """Return the entities of a sequence of labels of any scheme, well-formed or not.

    Args:
        labels: one for each token.

    >>> find_entities(["B-PS", "I-PS", "O", "I-LC", "B-LC"])
    [Entity(type='PS', begin=0, end=2), Entity(type='LC', begin=3, end=4), \
Entity(type='LC', begin=4, end=5)]
    """
    entities: list[Entity] = []
    begin = 0
    before, prefix_before, type_before = OUTSIDE, OUTSIDE, ""
    # Most labels are equal to the one before them, O or I-.
    same: str | None = OUTSIDE
    for i, label in enumerate((*labels, OUTSIDE)):
        if label == same:
            continue
        prefix, type_ = parts[label]
        if not (prefix in _GOES_ON and prefix_before in _OPEN and type_ == type_before):
            if before != OUTSIDE:
                # A label may be only a type, or only a prefix.
                alone = "" if prefix_before in _PREFIXES else prefix_before
                entities.append(Entity(type_before or alone, begin, i))
            begin = i
        before, prefix_before, type_before = label, prefix, type_
        same = label if prefix in _REPEATED else None
    return entities


def to_labels(
    entities: Iterable[Entity], length: int, scheme: LabelScheme = "bio"
) -> tuple[str, ...]:
    """Return the labels of entities, the inverse of `find_entities`.

    Args:
        entities: in order, without overlaps.
        length: the number of tokens.
        scheme: of the labels.

    Raises:
        ValueError: an entity is empty, overlaps the one before it, or ends behind the last token.

    >>> to_labels([Entity("PS", 0, 2), Entity("PS", 2, 3)], 4, "iob1")
    ('I-PS', 'I-PS', 'B-PS', 'O')
    """
    labels = [OUTSIDE] * length
    last = Entity("", 0, 0)
    for entity in entities:
        type_, begin, end = entity
        if not last.end <= begin < end <= length:
            raise ValueError(f"{entity} overlaps {last}, is empty or ends behind {length}")
        tail = f"-{type_}" if type_ else ""
        labels[begin:end] = [_INSIDE + tail] * (end - begin)
        if scheme != "iob1" or (last.type == type_ and last.end == begin and begin > 0):
            labels[begin] = _BEGIN + tail
        if scheme == "bioes":
            labels[end - 1] = (_SINGLE if end - begin == 1 else _END) + tail
        last = entity
    return tuple(labels)


def recode(labels: Sequence[str], scheme: LabelScheme) -> tuple[str, ...]:
    """Return a sequence of labels in another scheme.

    >>> recode(["B-PS", "I-PS", "O", "B-LC"], "bioes")
    ('B-PS', 'E-PS', 'O', 'S-LC')
    """
    return to_labels(find_entities(labels), len(labels), scheme)


def repair(labels: Sequence[str]) -> tuple[str, ...]:
    """Return well-formed BIO with the entities that conlleval reads in these labels.

    >>> repair(["I-PS", "I-LC", "O"])
    ('B-PS', 'B-LC', 'O')
    """
    return recode(labels, "bio")


def ill_formed(labels: Sequence[str]) -> list[int]:
    """Return the positions of labels that continue no entity, or are not labels.

    >>> ill_formed(["I-PS", "I-PS", "I-LC", "B-LC", "X"])
    [0, 2, 4]
    """
    begins = [entity.begin for entity in find_entities(labels)]
    return [at for at in begins if parts[labels[at]][0] not in _OPENING]


def layers(entities: Iterable[Entity]) -> list[list[Entity]]:
    """Return entities in layers without overlaps: nested ones, the outermost first, then crossing.

    Each layer lies inside the one before it, up to the first entity that crosses another. Those
    that cross one before them make layers of their own in the same way, behind all others.

    Args:
        entities: in any order; of two with the same span the later one lies inside.

    >>> layers([Entity("LC", 0, 2), Entity("OG", 0, 5)])
    [[Entity(type='OG', begin=0, end=5)], [Entity(type='LC', begin=0, end=2)]]
    >>> layers([Entity("OG", 0, 5), Entity("PS", 3, 6)])
    [[Entity(type='OG', begin=0, end=5)], [Entity(type='PS', begin=3, end=6)]]
    """
    layered: list[list[Entity]] = []
    left = sorted(entities, key=lambda e: (e.begin, -e.end))
    while left:
        nested: list[list[Entity]] = []
        around: list[Entity] = []
        crossing = []
        for entity in left:
            while around and around[-1].end <= entity.begin:
                around.pop()
            if around and around[-1].end < entity.end:
                crossing.append(entity)
                continue
            if len(around) == len(nested):
                nested.append([])
            nested[len(around)].append(entity)
            around.append(entity)
        layered += nested
        left = crossing
    return layered


def to_text(entities: Iterable[Entity], spans: Sequence[Span]) -> list[Entity]:
    """Return entities over characters for entities over tokens.

    Args:
        entities: begin and end are tokens.
        spans: of the tokens in the text, in order.

    >>> to_text([Entity("PS", 1, 3)], [(0, 2), (3, 5), (5, 6)])
    [Entity(type='PS', begin=3, end=6)]
    """
    return [Entity(name, spans[begin][0], spans[end - 1][1]) for name, begin, end in entities]


def flat_labels(eojeols: Sequence[Eojeol], labels: Labels) -> list[str]:
    """Return the label of each morpheme of a sentence.

    >>> from sejongud.model import Eojeol, Morpheme
    >>> flat_labels([Eojeol("나", (Morpheme("나", "NP"),))], ((),))
    ['O']
    """
    pairs = zip(eojeols, labels, strict=True)
    return [label for eojeol, row in pairs for label in row or (OUTSIDE,) * len(eojeol.morphemes)]


def entity_layers(sentence: Sentence) -> list[list[Entity]]:
    """Return the entities of a sentence over its morphemes, layer by layer."""
    return [find_entities(flat_labels(sentence.eojeols, layer)) for layer in sentence.entities]


def entities_around(layers: Iterable[Iterable[Entity]]) -> dict[int, tuple[Entity, ...]]:
    """Return the entities that each morpheme, from 0, stands in, the innermost first.

    >>> entities_around([[Entity("OG", 0, 2)], [Entity("LC", 1, 2)]])[1][0].type
    'LC'
    """
    around: dict[int, tuple[Entity, ...]] = {}
    for entities in layers:
        for entity in entities:
            for i in range(entity.begin, entity.end):
                around[i] = (entity, *around.get(i, ()))
    return around


def by_eojeol(eojeols: Sequence[Eojeol], labels: Iterable[str]) -> Labels:
    """Return the layer of the labels of all morphemes: the inverse of `flat_labels`."""
    each = iter(labels)
    return tuple([inside(islice(each, len(eojeol.morphemes))) for eojeol in eojeols])


def inside(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of an eojeol's morphemes, () if all are outside.

    >>> inside(["B-LC", "O"]), inside(["O"])
    (('B-LC', 'O'), ())
    """
    as_tuple = tuple(labels)
    return as_tuple if first_label(as_tuple) != OUTSIDE else ()


def first_label(labels: Iterable[str]) -> str:
    """Return the first label inside an entity, `O` if there is none.

    >>> first_label(["O", "B-LC"]), first_label([])
    ('B-LC', 'O')
    """
    return next((label for label in labels if label != OUTSIDE), OUTSIDE)


def in_bio(eojeols: Sequence[Eojeol], labels: Labels) -> Labels:
    """Return a layer without E and S, which only morphemes have; an ill-formed layer as it is."""
    if not any([label[:2] in _OF_MORPHEMES for of_eojeol in labels for label in of_eojeol]):
        return labels
    return by_eojeol(eojeols, without_ends(flat_labels(eojeols, labels)))


def without_ends(labels: Sequence[str]) -> Sequence[str]:
    """Return labels without E and S; ill-formed ones as they are.

    >>> without_ends(["B-PS", "E-PS", "S-LC"]), without_ends(["I-PS", "O"])
    (('B-PS', 'I-PS', 'B-LC'), ['I-PS', 'O'])
    """
    has_ends = any([label[:2] in _OF_MORPHEMES for label in labels])
    return repair(labels) if has_ends and not ill_formed(labels) else labels


def recode_layer(eojeols: Sequence[Eojeol], labels: Labels, scheme: LabelScheme) -> Labels:
    """Return a layer of labels of morphemes in another scheme (see `recode`)."""
    return by_eojeol(eojeols, recode(flat_labels(eojeols, labels), scheme))


def repair_layer(eojeols: Sequence[Eojeol], labels: Labels) -> tuple[Labels, int]:
    """Return a layer with well-formed labels (see `repair`), and how many were ill-formed."""
    flat = flat_labels(eojeols, labels)
    return by_eojeol(eojeols, repair(flat)), len(ill_formed(flat))


# --- what is not written --------------------------------------------------------------------------

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
    "other borders": "the corpus has other eojeols",
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
