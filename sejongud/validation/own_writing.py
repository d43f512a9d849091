"""Whether a file is as our own writer has it, and what the writer was told to do.

That is seen by its first sentences: they are read, and written in every way there is. What most of
them are written in is how the file was; the others have been changed since, or are damaged.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice, product
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.formats import WRITERS
from sejongud.formats.labelled import exact_blocks, line_blocks
from sejongud.levels.upos import upos_schemes
from sejongud.model import LEVELS
from sejongud.pipeline import Conversion
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.formats.conllu import NePlace
    from sejongud.formats.labelled import Block
    from sejongud.model import Sentence

__all__ = ["blocks_of", "own_writer", "word_lines"]

_SAMPLE = 50
"""How many sentences are looked at."""
_DECIDING = (0, 2, 8)
"""Behind which of them only the likeliest ways to write are kept."""

_BY_LINES = frozenset({"jsonl", "sejong-line"})
"""Formats with a sentence a line."""


def blocks_of(name: str) -> Callable[[Iterable[str]], Iterator[Block]]:
    """What cuts a file of a format into pieces, mostly a sentence each."""
    return line_blocks if name in _BY_LINES else exact_blocks


def word_lines(head: str) -> list[list[str]]:
    """The columns of the word lines of some CoNLL-U."""
    rows = [line.split("\t") for line in head.split("\n")]
    return [cells for cells in rows if len(cells) >= 10 and cells[0].isdigit()]


def own_writer(name: str, head: str, rules: str | None = None) -> Conversion | None:
    """The conversion that writes a file as it is, None if it is not as our own writer writes.

    Args:
        name: of the file's format.
        head: its beginning.
        rules: the user's tables.
    """
    if name not in WRITERS:
        return None
    samples = list(islice(_samples(Conversion(name, rules=rules), head), _SAMPLE))
    if name == "conllu" and any([sentence.columns for sentence, _ in samples]):
        # A tree is projected on the words of a level, and what is within them is lost.
        return None
    ways = [_Way(conversion) for conversion in _ways_to_write(name, head, rules)]
    for at, (sentence, text) in enumerate(samples):
        for way in ways:
            way.look(sentence, text)
        if at in _DECIDING:
            most = max([way.score for way in ways])
            ways = [way for way in ways if way.score == most]
    best = max(ways, key=lambda way: way.score)
    # That Sejong text comes back is a promise; what is not as it should be in it will be seen.
    return best.conversion if name == "sejong" or 2 * best.score > len(samples) else None


class _Way:
    """A way to write a file, and how many of its sentences are written so."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        self.score = 0
        self._writer = conversion.make_writer()
        self._before = getattr(self._writer, "preamble", "")

    def look(self, sentence: Sentence, text: str) -> None:
        """Look at the next sentence and its text."""
        self.score += self._before + self._writer.sentence(sentence) == text
        self._before = ""


def _samples(conversion: Conversion, head: str) -> Iterator[tuple[Sentence, str]]:
    """The first sentences of a file, each with its text."""
    reader = conversion.make_reader()
    texts = {block.line: block.text for block in blocks_of(conversion.reader)([head])}
    try:
        for frame in reader.frame([head]):
            with suppress(FormatError):
                yield reader.parse(frame), texts.get(frame.line, "")
    except FormatError:
        # What the beginning of a file ends in is cut off.
        return


def _ways_to_write(name: str, head: str, rules: str | None) -> Iterator[Conversion]:
    """All that our own writer of a format can be told to do."""
    if name == "sejong":
        yield from [Conversion(name, name, spaced=spaced, rules=rules) for spaced in (False, True)]
    elif name == "sejong-line":
        yield Conversion(name, name, rules=rules)
    else:
        known = load(rules)
        rows = word_lines(head) if name == "conllu" else []
        ne: NePlace = "feats" if any([row[5] != "_" for row in rows]) else "misc"
        if head.startswith("# global.columns"):
            ne = "column"
        # At level 5 first: where a text is the same at several, it does not matter which.
        # None: by the usual scheme, but for the words of a treebank.
        schemes = product(LEVELS[::-1], (*upos_schemes(known), None), (*known.lemmas, None))
        for level, upos, lemmas in schemes:
            yield Conversion(
                name,
                name,
                level=level,
                upos=upos,
                lemmas=lemmas,
                dummy_deps=any([row[6] != "_" for row in rows]),
                ne=ne,
                rules=rules,
            )
