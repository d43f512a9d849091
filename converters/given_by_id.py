"""Morphemes of another file, found by the id of the sentence: NIKL's entities and its morphemes.

The two files of a corpus may have their sentences in other orders, and one of them more than the
other. Sentences that the corpus has further down wait in a file without a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import finalize

from sejongud.converters.given import GivenMorphemes
from sejongud.converters.once import Shelf
from sejongud.errors import FormatError
from sejongud.layers.places import Recutter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.model import Eojeol, Sentence
    from sejongud.morphology.eojeol import Assembler


class GivenById(GivenMorphemes):
    """Finds the sentence with the morphemes for each sentence of a corpus, by its id.

    Args:
        sentences: with their morphemes.
        assembler: builds eojeols where the two files cut the text in different ways.
    """

    def __init__(self, sentences: Iterator[Sentence], assembler: Assembler) -> None:
        super().__init__(sentences, assembler)
        self._recut = Recutter(assembler).recut
        self._shelf = Shelf(assembler)
        finalize(self, self._shelf.close)
        self._waiting: set[str] = set()
        # JSON Lines do not hold all of their words.
        self._treebank: dict[str, Sentence] = {}

    def find(self, forms: Sequence[str], sent_id: str = "") -> tuple[Sentence, tuple[Eojeol, ...]]:
        """Return the sentence with an id, and its eojeols cut as the corpus has them.

        Args:
            forms: of the eojeols in the corpus.
            sent_id: the id.

        Raises:
            FormatError: there is no such sentence, or it has another text.
        """
        sentence = self._of_id(sent_id)
        if sentence is None:
            message = f"the file of the morphemes has no sentence {sent_id}"
            raise FormatError(message, code="E411")
        return sentence, self._recut(sentence.eojeols, forms)

    def _of_id(self, sent_id: str) -> Sentence | None:
        """Return the sentence with an id, which is read only once; None if there is none."""
        if sent_id in self._waiting:
            self._waiting.remove(sent_id)
            return self._treebank.pop(sent_id, None) or self._shelf.take(hash(sent_id))
        for sentence in self._sentences:
            if sentence.sent_id == sent_id:
                return sentence
            self._waiting.add(sentence.sent_id)
            if sentence.is_treebank or sentence.arcs:
                self._treebank[sentence.sent_id] = sentence
            else:
                self._shelf.put(hash(sentence.sent_id), sentence)
        return None

    def has_more(self) -> bool:
        """Test whether sentences are left that the corpus does not have."""
        return bool(self._waiting) or next(self._sentences, None) is not None
