"""Morphemes of an entity corpus that Kiwi need not find: the corpus has them, or another file.

The other file may lack sentences or have more of them: each sentence of the corpus gets the next
one of the same text.
"""

from __future__ import annotations

from collections import deque
from itertools import chain, islice
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.formats.labelled import MorphemeRow
from sejongud.layers.labels import OUTSIDE, inside
from sejongud.layers.places import Recutter, places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.model import Eojeol, Labels, Morpheme, Sentence, Span
    from sejongud.morphology.eojeol import Assembler

    Rows = tuple[tuple[MorphemeRow, ...], ...]

_OTHER_TEXT = "E412"
_PASSED = 50
"""The greatest distance between the sentences of the corpus and those of their morphemes."""


class GivenMorphemes:
    """Finds the sentence with the morphemes for each sentence of a corpus.

    Args:
        sentences: with their morphemes.
        assembler: builds eojeols where the two files cut the text in different ways.
    """

    def __init__(self, sentences: Iterator[Sentence], assembler: Assembler) -> None:
        self._sentences = sentences
        self._recutter = Recutter(assembler)
        # They belong to a sentence of the corpus that could not be read, or further down.
        self._passed: deque[Sentence] = deque(maxlen=_PASSED)
        self._without = 0

    def miss(self) -> None:
        """Note that a sentence of the corpus goes without its morphemes."""
        self._without = min(self._without + 1, _PASSED)

    def find(self, forms: Sequence[str], sent_id: str = "") -> tuple[Sentence, tuple[Eojeol, ...]]:
        """Return the next sentence of the same text, and its eojeols cut as the corpus has them.

        One sentence is tried, and one more for each sentence that went without its morphemes.

        Args:
            forms: of the eojeols in the corpus.
            sent_id: the id of the sentence in the corpus, which may be another one here.

        Raises:
            FormatError: no sentence fits, or there are no more.
        """
        failed = FormatError(
            "there are no morphemes for this sentence and those behind it: the file of the"
            " morphemes has fewer sentences",
            code="E411",
        )
        known = len(self._passed)
        ahead = islice(self._sentences, 1 + self._without)
        for at, sentence in enumerate(chain(tuple(self._passed), ahead)):
            error = None
            try:
                eojeols = self._recutter.recut(sentence.eojeols, forms)
            except FormatError as raised:
                error = raised
            if error is not None and error.code == _OTHER_TEXT:
                failed = error
                if at >= known:
                    self._passed.append(sentence)
                continue
            # Nothing else fits the sentences before this one.
            for _ in range(min(at + 1, len(self._passed))):
                self._passed.popleft()
            self._without = 0
            if error is not None:
                raise error
            return sentence, eojeols
        self.miss()
        raise failed

    def has_more(self) -> bool:
        """Test whether more sentences are left than went without their morphemes."""
        left = len(self._passed) + len(list(islice(self._sentences, self._without + 1)))
        return left > self._without


def eojeols_of_rows(assembler: Assembler, forms: Sequence[str], rows: Rows) -> tuple[Eojeol, ...]:
    """Return the eojeols with these forms, whose morphemes are rows of the corpus."""
    morpheme = assembler.analysis.morpheme
    return tuple(
        [
            assembler.eojeol(form, [morpheme(row.form, row.tag, form) for row in own])
            for form, own in zip(forms, rows, strict=True)
        ]
    )


def labels_of_rows(eojeols: Sequence[Eojeol], rows: Rows, layer: int = 0) -> Labels:
    """Return the labels of the rows of each eojeol, which may have more morphemes than rows.

    Args:
        eojeols: with their morphemes.
        rows: the rows of each of them.
        layer: 0 for the outermost entities.
    """
    found = []
    for eojeol, own in zip(eojeols, rows, strict=True):
        labels = [(row.label, *row.inner)[layer] for row in own]
        outside = (OUTSIDE,) * (len(eojeol.morphemes) - len(labels))
        found.append(inside((*labels, *outside)))
    return tuple(found)


def rows_of(sentence: Sentence) -> Rows:
    """Return the morphemes of each eojeol as rows of a corpus, with their labels in all layers."""
    layers = sentence.entities or (((),) * len(sentence.eojeols),)
    found = []
    for eojeol, *of_layers in zip(sentence.eojeols, *layers, strict=True):
        none = (OUTSIDE,) * len(eojeol.morphemes)
        each = zip(*[own or none for own in of_layers], strict=True)
        rows = [
            MorphemeRow(
                _with_sense(morpheme), morpheme.source_tag or morpheme.tag, label, (*inner,)
            )
            for morpheme, (label, *inner) in zip(eojeol.morphemes, each, strict=True)
            if not morpheme.added
        ]
        found.append(tuple(rows))
    return tuple(found)


def spans_of(sentence: Sentence) -> tuple[tuple[Span, ...], ...]:
    """Return the places of the morphemes that `rows_of` returns, in the text of the sentence."""
    forms = [eojeol.form for eojeol in sentence.eojeols]
    where = places(sentence.text_orig or " ".join(forms), forms)
    return tuple(
        [
            tuple(
                [
                    (min(begin + first, end), min(begin + last, end))
                    for morpheme, (first, last) in zip(eojeol.morphemes, eojeol.spans, strict=True)
                    if not morpheme.added
                ]
            )
            for eojeol, (begin, end) in zip(sentence.eojeols, where, strict=True)
        ]
    )


def _with_sense(morpheme: Morpheme) -> str:
    return f"{morpheme.written}__{morpheme.sense}" if morpheme.sense else morpheme.written
