"""Groups of aligned units, and those of two segmentations of one text."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.layers.likeness import canonical, decomposed, spaceless, spelt_lengths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Group(NamedTuple):
    """Neighbours of the gold side aligned with neighbours of the system side.

    One of the two ranges is empty if the other side has nothing left to align with.
    """

    gold: range
    system: range
    match: bool
    """Whether each side has one unit and the two units are the same: a true positive."""

    @property
    def one_to_one(self) -> bool:
        """Whether each side has one unit, which the other side may spell otherwise."""
        return len(self.gold) == 1 == len(self.system)

    @property
    def grows(self) -> bool:
        """Whether both sides have units, and one of them has several."""
        return len(self.gold) + len(self.system) > 2 and bool(self.gold) and bool(self.system)

    def moved(self, gold: int, system: int) -> Group:
        """Return the group with other numbers of its first units."""
        return Group(
            range(self.gold.start + gold, self.gold.stop + gold),
            range(self.system.start + system, self.system.stop + system),
            self.match,
        )


def align_by_offset(gold: Sequence[str], system: Sequence[str]) -> list[Group] | None:
    """Return the groups of two segmentations of one text; None if the texts differ."""
    gold_text, system_text = "".join(gold), "".join(system)
    if spaceless(gold_text) == spaceless(system_text):
        spell = spaceless
    elif canonical(gold_text) == canonical(system_text):
        spell = decomposed
    else:
        return None
    return by_offset(spelt_lengths(gold, spell), spelt_lengths(system, spell))


def by_offset(
    gold_lengths: Iterable[int], system_lengths: Iterable[int], i: int = 0, j: int = 0
) -> list[Group]:
    """Return the groups between the borders that two segmentations of one text have in common.

    Args:
        gold_lengths: the length of each gold unit in characters.
        system_lengths: the length of each system unit; the sums are equal.
        i: the number of the first gold unit.
        j: the number of the first system unit.
    """
    # A unit without text ends at the end of its neighbour before it; the last such unit counts.
    gold_cuts = {end: k for k, end in enumerate(accumulate(gold_lengths), i + 1)}
    system_cuts = {end: k for k, end in enumerate(accumulate(system_lengths), j + 1)}
    groups: list[Group] = []
    for end, i_end in gold_cuts.items():
        j_end = system_cuts.get(end)
        if j_end is not None:
            single = i_end - i == 1 == j_end - j
            groups.append(Group(range(i, i_end), range(j, j_end), single))
            i, j = i_end, j_end
    i_end, j_end = max(gold_cuts.values(), default=i), max(system_cuts.values(), default=j)
    if i < i_end or j < j_end:  # one side has only units without text
        groups.append(Group(range(i, i_end), range(j, j_end), False))
    return groups
