"""The label of an eojeol among those of its morphemes, where a system may have cut through it.

학교/NNG  O    에서/JKB  B-Place    만/JX  I-Place     →   학교에서만  B-Place
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.layers.labels import OUTSIDE, find_entities, flat_labels, going_on
from sejongud.layers.losses import shown
from sejongud.levels.heads import HeadRule
from sejongud.model import Target

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.layers.labels import Entity
    from sejongud.model import Eojeol, FrameInstance
    from sejongud.rules import Rules

Vote = Literal["first", "last", "any", "head"]
"""The morpheme whose label an eojeol takes: the first or the last one that has a label and is no
symbol, the first one that has a label, symbols included, or the head of the eojeol."""

_SYMBOL = "symbol"


class Verdict(NamedTuple):
    """The eojeols of a sentence with the target and the frame elements of an instance."""

    targets: tuple[Target | None, ...]
    labels: tuple[str, ...]
    conflicts: tuple[int, ...]
    """The eojeols, from 0, whose morphemes do not agree."""
    lost: tuple[str, ...] = ()
    """The frame elements that no eojeol takes, and the target if none takes it."""


class Voter:
    """Finds the label of an eojeol among those of its morphemes.

    Args:
        rules: the tables.
        vote: the morpheme that decides.
    """

    def __init__(self, rules: Rules, vote: Vote = "first") -> None:
        self._kind = rules.kind
        self._sejong_tags = rules.sejong_tags
        self._heads = HeadRule(rules)
        self._vote = vote

    def __call__(self, eojeols: Sequence[Eojeol], instance: FrameInstance) -> Verdict:
        """Return the target and the labels of the eojeols.

        The label begins a frame element in the first eojeol that takes it.
        """
        flat = flat_labels(eojeols, instance.labels)
        owners: list[Entity | None] = [None] * len(flat)
        for entity in find_entities(flat):
            owners[entity.begin : entity.end] = [entity] * (entity.end - entity.begin)
        seen: set[Entity] = set()
        targets: list[Target | None] = []
        labels: list[str] = []
        conflicts = []
        start = 0
        for at, (eojeol, target) in enumerate(zip(eojeols, instance.targets, strict=True)):
            own = owners[start : start + len(eojeol.morphemes)]
            start += len(own)
            marked: Collection[int] = ()
            if target is not None:
                marked = target.at or range(len(own))
            if target is None and not any(own):
                targets.append(None)
                labels.append(OUTSIDE)
                continue
            is_target, element, agree = self._elect(eojeol, own, marked)
            targets.append(Target(target.unit, target.frame) if target and is_target else None)
            labels.append(_label(flat, element, seen))
            if not agree:
                conflicts.append(at)
        forms = [morpheme.form for eojeol in eojeols for morpheme in eojeol.morphemes]
        every = dict.fromkeys(filter(None, owners))
        lost = [shown(element, forms) for element in every if element not in seen]
        target = next(filter(None, instance.targets), None)
        if target is not None and not any(targets):
            lost.insert(0, f"the target {target.unit} ({target.frame})")
        return Verdict(tuple(targets), tuple(labels), tuple(conflicts), tuple(lost))

    def _elect(
        self, eojeol: Eojeol, own: Sequence[Entity | None], marked: Collection[int]
    ) -> tuple[bool, Entity | None, bool]:
        """Return whether an eojeol belongs to the target, its frame element, and whether all agree.

        Args:
            eojeol: the eojeol.
            own: the frame element of each morpheme.
            marked: the morphemes that belong to the target.
        """
        tags = self._sejong_tags(eojeol.morphemes)
        symbols = [self._kind(tag) == _SYMBOL for tag in tags]
        every = range(len(own))
        words = [n for n in every if not symbols[n]] or list(every)
        labelled = [n for n in every if own[n] is not None or n in marked]
        if self._vote == "head":
            head = self._heads.head(tags)
            labelled = [n for n in labelled if n == head]
        elif self._vote != "any":
            labelled = [n for n in labelled if n in words]
        if self._vote == "last":
            labelled.reverse()
        is_target = bool(labelled) and labelled[0] in marked
        # The frame element that a target carries is that of its own morphemes.
        side = [own[n] for n in labelled if (n in marked) == is_target]
        element = next((entity for entity in side if entity is not None), None)
        agree = len({(n in marked, own[n]) for n in words}) == 1
        return is_target, element, agree


def _label(flat: Sequence[str], element: Entity | None, seen: set[Entity]) -> str:
    """Return the label of an eojeol that has a frame element; None is no element."""
    if element is None:
        return OUTSIDE
    label = flat[element.begin]
    if element in seen:
        return going_on(label)
    seen.add(element)
    return label
