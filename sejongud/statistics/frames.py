"""Counts of a corpus of frames: Tables 3.9, 3.10 and 3.11 of the memoir."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sejongud.terminal import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sejongud.model import Target

_PARTS = {"n": "Noun", "v": "Verb", "a": "Adjective"}
"""The part of speech of a lexical unit, by its suffix."""
_OTHERS = "Others"
PARTS = (*_PARTS.values(), _OTHERS)
"""The parts of speech that are counted."""
_ALL = "all"


class FrameCounts:
    """Counts the lexical units, frames, sentences and instances of a corpus."""

    def __init__(self) -> None:
        self.instances = 0
        # Hashes of 64 bits: the texts of a corpus would take its size.
        self._texts: set[int] = set()
        self._frames: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, forms: Iterable[str], targets: Iterable[Target | None]) -> None:
        """Count an instance.

        Args:
            forms: the eojeols of its sentence.
            targets: the target at each eojeol.
        """
        self.instances += 1
        self._texts.add(hash(" ".join(forms)))
        for target in targets:
            if target is not None:
                self._frames[target.unit].add(target.frame)

    def update(self, counts: FrameCounts) -> None:
        """Count the instances of another part of the corpus."""
        self.instances += counts.instances
        self._texts |= counts._texts
        for unit, frames in counts._frames.items():
            self._frames[unit] |= frames

    def to_dict(self) -> dict[str, Any]:
        """Return the counts of `as_text`, unrounded."""
        parts = {"": _ALL, **{part: part for part in PARTS}}
        return {
            "sentences": self.sentences,
            "instances": self.instances,
            "units": {name: self.units(part) for part, name in parts.items()},
            "frames_a_unit": {name: self.frames_a_unit(part) for part, name in parts.items()},
        }

    @property
    def sentences(self) -> int:
        """The number of different sentences."""
        return len(self._texts)

    def units(self, part: str = "") -> int:
        """Return the number of different lexical units.

        Args:
            part: a part of speech, "" for all of them.
        """
        return len([unit for unit in self._frames if part in ("", part_of_speech(unit))])

    def frames_a_unit(self, part: str = "") -> float:
        """Return the mean number of different frames of a lexical unit, 0 if there are none."""
        frames_of_units = [
            frames for unit, frames in self._frames.items() if part in ("", part_of_speech(unit))
        ]
        return sum(map(len, frames_of_units)) / len(frames_of_units) if frames_of_units else 0.0

    @property
    def frames_a_sentence(self) -> float:
        """The mean number of instances of a sentence, 0 if there are none."""
        return self.instances / self.sentences if self._texts else 0.0


def part_of_speech(unit: str) -> str:
    """Return the part of speech of a lexical unit.

    >>> part_of_speech("거주하다.v"), part_of_speech("빨리.adv")
    ('Verb', 'Others')
    """
    return _PARTS.get(unit.rpartition(".")[2], _OTHERS)


def as_text(files: Mapping[str, FrameCounts]) -> str:
    """Return the three tables, with a column for each file and one for all of them.

    Args:
        files: the counts by the name of the file.
    """
    columns = dict(files)
    if len(files) > 1:
        columns[_ALL] = FrameCounts()
        for counts in files.values():
            columns[_ALL].update(counts)
    each = columns.values()
    units = [[part, *[f"{counts.units(part):,}" for counts in each]] for part in PARTS]
    units.append(["Total", *[f"{counts.units():,}" for counts in each]])
    frames = [[part, *[f"{counts.frames_a_unit(part):.3f}" for counts in each]] for part in PARTS]
    frames.append(["Overall", *[f"{counts.frames_a_unit():.3f}" for counts in each]])
    sizes = [
        ["sentences", *[f"{counts.sentences:,}" for counts in each]],
        ["instances", *[f"{counts.instances:,}" for counts in each]],
        ["frames per sentence", *[f"{counts.frames_a_sentence:.3f}" for counts in each]],
    ]
    tables = {"lexical units": units, "frames per lexical unit": frames, "": sizes}
    return "\n".join([table(rows, header=[name, *columns]) for name, rows in tables.items()])
