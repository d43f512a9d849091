"""The fast paths of the driver: sentences that consist of lines which are known.

The output of an eojeol is a pure function of its lines. A lane composes the functions of the
reader, the steps and the writer, and remembers the templates that they produce. It refuses a
sentence with anything else in it, which takes the general path of `sejongud.pipeline`. The lane of
a treebank also moves the arcs of its sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError
from sejongud.memo import Memo
from sejongud.model import NOTHING_SAID

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.errors import Note
    from sejongud.formats.base import Frame
    from sejongud.formats.conllu.write import Template
    from sejongud.model import Eojeol

_REMEMBERED = 80_000
_REFUSALS = 16
"""A lane that has refused so many more sentences than it wrote is of no use for its file."""

Written = tuple[str, int, list[tuple[int, tuple["Note", ...]]]]
"""The text of a sentence, its number of eojeols, and the positions and notes of eojeols."""

_Noted = tuple["Template", tuple["Note", ...]]
"""The template of an eojeol, and its notes."""


def lane_of(
    reader: Any, steps: Sequence[Any], writer: Any, *, count_words: bool
) -> Callable[[Frame], Written | None] | None:
    """Return the fast path, if the reader, the steps and the writer support units."""
    if all([hasattr(one, "tree") for one in (reader, *steps, writer)]) and len(steps) == 1:
        lane = TreeLane(reader, steps[0], writer, count_words=count_words)
        return lane if writer.has_trees else None
    units = [*steps, writer]
    if not hasattr(reader, "units") or not all([hasattr(one, "unit") for one in units]):
        return None
    return Lane(reader, steps, writer) if writer.has_units else None


class Lane:
    """Writes sentences that consist only of known lines.

    Args:
        reader: has `units`, which returns the lines of a frame, and `unit`, which returns the
            eojeol of a line, or None if the sentence must take the general path. Any key that
            tells all of an eojeol may stand for its line.
        steps: have `unit`, which converts an eojeol that nobody else has; it may change it.
        writer: has `unit`, which returns the template of an eojeol, and composes sentences from
            templates.
    """

    def __init__(self, reader: Any, steps: Sequence[Any], writer: Any) -> None:
        self._units = reader.units
        self._unit = reader.unit
        self._steps = [step.unit for step in steps]
        self._template = writer.unit
        self._compose = writer.compose_plain
        self._known: Memo[str, Template | None] = Memo.of(self, Lane._make, size=_REMEMBERED)
        self._noted: Memo[str, _Noted | None] = Memo.of(
            self,
            lambda lane, line: lane._fresh.pop(line, None) or lane._make_noted(line),
            size=_REMEMBERED // 4,
        )
        # Those with notes that were made in the present sentence, and are asked for there.
        self._fresh: dict[str, _Noted] = {}

    def __call__(self, frame: Frame) -> Written | None:
        """Return the written sentence of a frame; None if it must take the general path."""
        lines = self._units(frame)
        if lines is None:
            return None
        known = self._known
        self._fresh.clear()
        templates = [known[line] for line in lines]
        notes = []
        if None in templates:
            for at, line in enumerate(lines):
                if templates[at] is None:
                    found = self._noted[line]
                    if found is None:
                        return None
                    templates[at] = found[0]
                    notes.append((at, found[1]))
        return self._compose(frame.sent_id, templates), len(lines), notes

    def _make(self, line: str) -> Template | None:
        """Return the template of a line; None if the line has notes or an error."""
        found = self._make_noted(line)
        if found is None:
            return None
        template, notes = found
        if notes:
            self._fresh[line] = found
            return None
        return template

    def _make_noted(self, line: str) -> _Noted | None:
        """Return the template of a line and the notes of its eojeol; None if it has an error."""
        try:
            eojeol: Eojeol | None = self._unit(line)
        except FormatError:
            return None
        if eojeol is None:
            return None
        notes = eojeol.notes
        for step in self._steps:
            eojeol = step(eojeol)
        return self._template(eojeol), notes


class TreeLane:
    """Writes sentences that consist only of known lines and their arcs.

    Args:
        reader: has `trees`, which returns the keys of a frame's eojeols, its comment lines and its
            arcs, and `tree`, which returns the eojeol of a key.
        step: has `tree`, which converts an eojeol and returns the change of its words, and `move`,
            which returns the arcs of the new words.
        writer: has `tree`, which returns the template of an eojeol, and composes sentences from
            templates.
        count_words: whether totals count words rather than eojeols.
    """

    def __init__(self, reader: Any, step: Any, writer: Any, *, count_words: bool) -> None:
        self._trees = reader.trees
        self._units = reader.tree, step.tree, writer.tree
        self._move = step.move
        self._compose = writer.compose_trees
        self._count_words = count_words
        self._known: Memo[Any, tuple[Any, Any] | None] = Memo.of(
            self, TreeLane._make, size=_REMEMBERED
        )
        self._refusals = 0

    def __call__(self, frame: Frame) -> Written | None:
        """Return the text of a frame's sentence; None if it must take the general path.

        A level may join words in nearly every sentence of a file: these take the general path only.
        """
        if self._refusals > _REFUSALS:
            return None
        written = self._written(frame)
        self._refusals = self._refusals + 1 if written is None else max(self._refusals - 1, 0)
        return written

    def _written(self, frame: Frame) -> Written | None:
        """Return the text of a frame's sentence; None if it must take the general path."""
        found = self._trees(frame)
        if found is None:
            return None
        keys, header, arcs = found
        known = self._known
        units = [known[key] for key in keys]
        if None in units:
            return None
        templates, changes = zip(*units)  # noqa: B905
        moved = self._move(arcs, changes)
        if moved is None:
            return None
        count = len(moved.arcs.heads if self._count_words else keys)
        return header + self._compose(templates, moved.arcs), count, []

    def _make(self, key: Any) -> tuple[Any, Any] | None:
        """Return the template of an eojeol and the change of its words.

        None if the eojeol has an error, notes, an id or labels, or the step refuses it.
        """
        read, change, write = self._units
        try:
            eojeol = read(key)
        except FormatError:
            return None
        changed = None if eojeol.notes or eojeol.said != NOTHING_SAID else change(eojeol)
        return None if changed is None else (write(changed[0]), changed[1])
