"""Morphemes that are given once for all instances of a sentence.

The instances of a sentence may stand anywhere in a corpus of frames, and the file of the morphemes
may have the sentence once or several times. Memory holds the sentences that were used last, and
those of treebanks; the others stand in a file without a name, of which memory holds a number and a
place for each sentence.
"""

from __future__ import annotations

from collections import OrderedDict
from os import SEEK_END
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from sejongud.converters.given import GivenMorphemes
from sejongud.formats.base import Frame
from sejongud.formats.jsonl import JsonlReader, JsonlWriter
from sejongud.levels.cut import Granularity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO, Self

    from sejongud.model import Sentence
    from sejongud.morphology.eojeol import Assembler

_KNOWN = 1_000
"""The number of sentences that are held in memory."""


class GivenOnce:
    """Finds the sentence with the morphemes for each instance of a corpus; to be used in a `with`.

    Args:
        sentences: with their morphemes, in the order in which the corpus has them for the first
            time.
        assembler: builds eojeols.
        known: the number of sentences that are held in memory.
    """

    def __init__(
        self, sentences: Iterator[Sentence], assembler: Assembler, known: int = _KNOWN
    ) -> None:
        self._known: OrderedDict[int, Sentence] = OrderedDict()
        # JSON Lines do not hold all of their words.
        self._treebank: dict[int, Sentence] = {}
        self._most = known
        self._shelf = Shelf(assembler)
        self._finder = GivenMorphemes(_first_of_each(sentences), assembler)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._shelf.close()

    def find(self, forms: Sequence[str]) -> Sentence:
        """Return the sentence with the morphemes of a sentence, which is not to be changed.

        Args:
            forms: of the eojeols in the corpus.

        Raises:
            FormatError: no sentence fits, or there are no more.
        """
        key = hash("".join(forms))
        if key in self._treebank:
            return self._treebank[key]
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        found = self._shelf.take(key)
        if found is None:
            found = self._finder.find(list(forms))[0]
        if found.is_treebank or found.arcs:
            self._treebank[key] = found
            return found
        self._known[key] = found
        if len(self._known) > self._most:
            self._shelf.put(*self._known.popitem(last=False))
        return found

    @property
    def finder(self) -> GivenMorphemes:
        """The finder of each sentence's first instance."""
        return self._finder


def _first_of_each(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences whose text has not occurred before."""
    # Hashes of 64 bits: the texts would take the memory of the file.
    seen: set[int] = set()
    for sentence in sentences:
        key = hash("".join([eojeol.form for eojeol in sentence.eojeols]))
        if key not in seen:
            seen.add(key)
            yield sentence


class Shelf:
    """Sentences as JSON Lines in a file without a name: nothing of it is left behind.

    Args:
        assembler: builds eojeols.
    """

    def __init__(self, assembler: Assembler) -> None:
        self._file: BinaryIO = TemporaryFile()  # noqa: SIM115
        self._places: dict[int, tuple[int, int]] = {}
        """The start and the size of each sentence."""
        self._writer = JsonlWriter(Granularity(assembler.rules, 1))
        self._reader = JsonlReader(assembler)

    def close(self) -> None:
        """Close the file, which is gone then."""
        self._file.close()

    def put(self, key: int, sentence: Sentence) -> None:
        """Put a sentence away, unless it has been here before."""
        if key in self._places:
            return
        data = self._writer.sentence(sentence).encode("utf-8", "surrogatepass")
        self._places[key] = self._file.seek(0, SEEK_END), len(data)
        self._file.write(data)

    def take(self, key: int) -> Sentence | None:
        """Return a sentence that was put away, None if there is none."""
        place = self._places.get(key)
        if place is None:
            return None
        self._file.seek(place[0])
        line = self._file.read(place[1]).decode("utf-8", "surrogatepass")
        return self._reader.parse(Frame(line, 1, 1, ""))
