"""The fast paths of the driver: sentences that consist of lines which are known.

The output of a line is a pure function of the line. A fast path composes the functions of the
reader, the steps and the writer, and remembers the templates that they produce. It refuses a
sentence with anything else in it, which takes the general path of `sejongud.pipeline`. The path of
a treebank works token by token and also moves the arcs of its sentences.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.layers.arcs import by_token
from sejongud.memo import remembered, remembered_by
from sejongud.model import NO_OCCURRENCE, Eojeol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.formats.base import Block
    from sejongud.formats.conllu.write import Template

_REMEMBERED = 80_000
Written = tuple[str, int, list[tuple[int, tuple["Note", ...]]]]
"""The text of a sentence, its number of eojeols, and the positions and notes of eojeols."""

_Noted = tuple["Template", tuple["Note", ...]]
"""The template of an eojeol, and its notes."""


def fast_path(
    reader: Any, steps: Sequence[Any], writer: Any, *, count_words: bool
) -> Callable[[Block], Written | None] | None:
    """Return the fast path, if the reader, the steps and the writer support units."""
    if all([hasattr(one, "tree") for one in (reader, *steps, writer)]) and len(steps) == 1:
        path = TreeFastPath(reader, steps[0], writer, count_words=count_words)
        return path if writer.has_trees else None
    units = [*steps, writer]
    if not hasattr(reader, "units") or not all([hasattr(one, "unit") for one in units]):
        return None
    return FastPath(reader, steps, writer) if writer.has_units else None


class FastPath:
    """Writes sentences that consist only of known lines.

    Args:
        reader: has `units`, which returns the lines of a block with its original text and its
            comments, and `unit`, which returns the eojeol of a line; both return None if the
            sentence must take the general path. Any key that tells all of an eojeol may stand
            for its line.
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
        # Those with notes that were made in the present sentence, and are asked for there.
        self._fresh: dict[str, _Noted] = {}

    def __call__(self, block: Block) -> Written | None:
        """Return the written sentence of a block; None if it must take the general path."""
        units = self._units(block)
        if units is None:
            return None
        lines, *above = units
        self._fresh.clear()
        templates = list(map(self._known.__getitem__, lines))
        notes = []
        if not all(templates):
            for at, line in enumerate(lines):
                if templates[at] is None:
                    found = self._noted[line]
                    if found is None:
                        return None
                    templates[at] = found[0]
                    notes.append((at, found[1]))
        return self._compose(block.sent_id, templates, *above), len(lines), notes

    @remembered(_REMEMBERED)
    def _known(self, line: str) -> Template | None:
        """Return the template of a line; None if the line has notes or an error."""
        found = self._make_noted(line)
        if found is None:
            return None
        template, notes = found
        if notes:
            self._fresh[line] = found
            return None
        return template

    @remembered(_REMEMBERED // 4)
    def _noted(self, line: str) -> _Noted | None:
        """Return the template of a line with notes, as `_make_noted` does."""
        return self._fresh.pop(line, None) or self._make_noted(line)

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


class Compiled(NamedTuple):
    """The output of a token of a treebank, independent of its place."""

    lines: Any
    """Its lines, as a template of the writer."""
    change: Any
    """The change of its words."""
    words: int
    """The number of its words in the treebank."""
    ends: bool
    """Whether it ends its eojeol."""
    notes: tuple[Note, ...]
    stands_alone: bool
    """Whether its notes are only right for a token that is an eojeol by itself."""


class TreeFastPath:
    """Writes sentences of a treebank token by token, or eojeol by eojeol.

    Args:
        reader: has `keys`, which returns the keys of a block's tokens, its comment lines and its
            arcs, and `tree`, which returns the eojeol of a key.
        step: has `tree`, which converts an eojeol and returns the change of its words, and `move`,
            which returns the arcs of the new words; `telling` converts an eojeol whose MISC must
            tell the arcs of some words. `by_eojeol` tells whether it joins tokens;
            `compiler` returns a function of the key of a token that gives the same for a plain one
            and None for others, if there is any.
        writer: has `tree`, which returns the template of an eojeol, and composes sentences from
            templates.
        count_words: whether totals count words rather than eojeols.
    """

    def __init__(self, reader: Any, step: Any, writer: Any, *, count_words: bool) -> None:
        self._keys = partial(reader.keys, by_eojeol=True) if step.by_eojeol else reader.keys
        self._functions = reader.tree, step.tree, writer.tree
        self._move, self._told = step.move, step.telling
        self._compiler = step.compiler(reader)
        self._compose = writer.compose_trees
        self._count_words = count_words

    def __call__(self, block: Block) -> Written | None:
        """Return the text of a block's sentence; None if it must take the general path."""
        parts = self._keys(block)
        if parts is None:
            return None
        keys, header, arcs = parts
        compiled = self._compiled
        tokens = [compiled[key] for key in keys]
        if None in tokens:
            return None
        templates, changes, sizes, ends, noted, alone = zip(*tokens)  # noqa: B905
        moved = self._move(arcs, changes)
        if moved is None or (True in alone and not _stand_alone(alone, ends)):
            return None
        arcs, untold = moved
        if untold:
            templates = list(templates)
            for token, place in by_token(untold, sizes).items():
                templates[token] = self._telling[keys[token], place]
        notes = []
        if any(noted):
            eojeols = accumulate(ends, initial=0)
            notes = [pair for pair in zip(eojeols, noted, strict=False) if pair[1]]
        count = len(arcs.heads) if self._count_words else sum(ends[:-1]) + 1
        return header + self._compose(templates, arcs), count, notes

    @remembered(_REMEMBERED)
    def _compiled(self, key: Any) -> Compiled | None:
        """Return the output of a token.

        None if it has an error, an id or labels, or the step refuses it.
        """
        if self._compiler and (plain := self._compiler(key)):
            # A NamedTuple's own constructor takes twice as long.
            return tuple.__new__(Compiled, (*plain, (), False))
        read, change, write = self._functions
        try:
            eojeol = read(key)
        except FormatError:
            return None
        if eojeol.occurrence != NO_OCCURRENCE or (changed := change(eojeol)) is None:
            return None
        tokens, notes = eojeol.tokens, eojeol.notes
        words = sum([len(token.words) for token in tokens])
        stands_alone = len(tokens) == 1 and len(notes) > len(tokens[0].notes)
        place = words, tokens[-1].space_after, notes, stands_alone
        return Compiled(write(changed[0]), changed[1], *place)

    @remembered_by(_REMEMBERED // 8)
    def _telling(self, lines: Any, place: Any) -> Any:
        """Return the template of a token that tells the arcs of some of its words."""
        read, _, write = self._functions
        return write(self._told(read(lines), place))


def _stand_alone(alone: Sequence[bool], ends: Sequence[bool]) -> bool:
    """Whether each of some tokens is an eojeol by itself."""
    starts = (True, *ends)
    last = len(ends) - 1
    return all(
        [starts[at] and (ends[at] or at == last) for at, is_marked in enumerate(alone) if is_marked]
    )
