"""Eojeols from Kiwi in which entities begin and end where morphemes do.

The paper puts spaces around the entities before the analysis. But a particle that stands alone is
often taken for something else (`180cm 가`: 가/VV), and 19 of 20 sentences do not need the spaces.
So a sentence is analysed as it is. It is analysed a second time, with its entities apart, only if
an entity begins or ends inside a morpheme; and only the eojeols with such a border are taken from
the second analysis. Names are told to Kiwi only if it does not find each of them by itself.
"""

from __future__ import annotations

import re
from itertools import accumulate, islice, tee
from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import Memo, remembered
from sejongud.morphology.hangul import to_compatibility
from sejongud.morphology.kiwi import KiwiAnalyser, Name, Pairs, Piece, Unit, sejong_morpheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.model import Eojeol, Morpheme, Span
    from sejongud.morphology.eojeol import Assembler

Pieces = dict[int, tuple[str, ...]]
"""The number of an eojeol, from 0 → the pieces into which the borders of entities cut it."""

Names = dict[int, tuple["Name", ...]]
"""The number of an eojeol, from 0 → the morphemes in it that are known."""

Spans = dict[int, tuple[tuple[int, int], ...]]
"""The number of an eojeol, from 0 → the span of each of its morphemes."""

_Given = tuple[list[str], Pieces, Names]
_Alone = tuple[_Given, list["Name"], list["Piece"]]

_BATCH = 64
"""The sentences after which those with names are analysed again, on all threads of Kiwi."""

_STOPGAP = "\N{OBJECT REPLACEMENT CHARACTER}"
_ODD = re.compile("[\u1100-\u11ff]|[^\\S ]")
"""Characters that Kiwi must not see in a form: jamo, which it would join, and white space."""


class Bordered(NamedTuple):
    """The analysis of a sentence."""

    eojeols: tuple[Eojeol, ...]
    spans: Spans
    """Of the morphemes in the eojeols that were cut."""
    changed: bool
    """Whether the text alone, without pieces and names, has another analysis."""


class BorderedEojeols:
    """Analyses the eojeols of sentences so that given pieces of them end where morphemes do.

    Args:
        assembler: builds the eojeols.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
    """

    def __init__(self, assembler: Assembler, workers: int | None) -> None:
        self._assembler = assembler
        self._analyser = KiwiAnalyser(assembler.rules, workers=workers)
        self._known: Memo[Unit, Eojeol | None] = Memo.of(
            self, lambda this, unit: this._analyser.eojeol(unit, this._assembler), size=48_000
        )

    def of(self, sentences: Iterable[_Given]) -> Iterator[Bordered]:
        """Yield the analysis of each sentence.

        Up to 64 sentences and some more are taken ahead of the results.

        Args:
            sentences: the forms of the eojeols of each sentence, the pieces of some of them, and
                the names in some of them, none of which crosses the border of a piece.
        """
        alone = self._alone(sentences)
        while batch := list(islice(alone, _BATCH)):
            with_names = self._with_names(batch)
            for (forms, pieces, names), placed, analysed in batch:
                eojeols, changed = self._eojeols(analysed), False
                if placed:
                    own, eojeols = eojeols, self._eojeols(next(with_names))
                    changed = eojeols != own
                if [eojeol.form for eojeol in eojeols] != forms:
                    eojeols = list(map(self._written, forms, eojeols))
                spans = self._analyse_apart(forms, pieces, names, eojeols) if pieces else {}
                yield Bordered(tuple(eojeols), spans, changed or bool(spans))

    def _alone(self, sentences: Iterable[_Given]) -> Iterator[_Alone]:
        """Yield sentences, the names that Kiwi does not find by itself, and its analysis."""
        sentences, texts = tee(sentences)
        analyses = self._analyser.tokenized(_plain(forms) for forms, *_ in texts)
        for sentence, analysed in zip(sentences, analyses, strict=True):
            placed = _placed(sentence[0], sentence[2])
            if placed and self._analyser.holds(analysed, placed):
                placed = []
            yield sentence, placed, analysed

    def _with_names(self, batch: Iterable[_Alone]) -> Iterator[list[Piece]]:
        """Return the analyses of the sentences of a batch that have names, with their names."""
        named = [(_plain(forms), placed) for (forms, _, _), placed, _ in batch if placed]
        return self._analyser.tokenized([text for text, _ in named], [names for _, names in named])

    def _eojeols(self, pieces: list[Piece]) -> list[Eojeol]:
        """Return the eojeols of a text that Kiwi has analysed."""
        cache, build = self._known, self._assembler.eojeol
        eojeols = [cache[unit] for unit in self._analyser.units(pieces) or ()]
        if eojeols and None not in eojeols:
            return eojeols  # type: ignore[return-value]
        return [build(form, morphemes) for form, morphemes in self._analyser.eojeols(pieces)]

    def _analyse_apart(
        self, forms: list[str], pieces: Pieces, names: Names, eojeols: list[Eojeol]
    ) -> Spans:
        """Replace the eojeols in which a piece ends inside a morpheme by another analysis.

        Args:
            forms: of the eojeols of a sentence.
            pieces: of some of them.
            names: in some of them.
            eojeols: the first analysis, which is changed.

        Returns:
            The spans of the morphemes in the eojeols that were replaced.
        """
        first = [eojeols[i].spans for i in pieces]
        pairs = zip(pieces.items(), first, strict=True)
        apart = {i for (i, parts), spans in pairs if not _ends_at(parts, spans)}
        spans: Spans = {}
        if apart:
            wanted = [pieces[i] if i in apart else (form,) for i, form in enumerate(forms)]
            words = [piece for units in wanted for piece in units]
            placed = _placed(words, _in_pieces(wanted, names))
            again = iter(next(self._analyser.of([_plain(words)], [placed])))
            for i, units in enumerate(wanted):
                analysed = tuple(
                    [(piece, tuple([m[:2] for m in next(again)[1]])) for piece in units]
                )
                if i in apart:
                    eojeols[i], spans[i] = self._cut[analysed]
        return spans

    def _written(self, form: str, eojeol: Eojeol) -> Eojeol:
        """Return an eojeol in the form of the corpus, if Kiwi was shown another form."""
        if eojeol.form == form:
            return eojeol
        odd = iter([c for c in form if c.isspace()])
        morphemes = []
        for morpheme in eojeol.morphemes:
            written = "".join([next(odd, c) if c == _STOPGAP else c for c in morpheme.form])
            morphemes.append(morpheme._replace(form=written))
        return self._assembler.eojeol(form, tuple(morphemes))

    @remembered(10_000)
    def _cut(self, pieces: tuple[tuple[str, Pairs], ...]) -> tuple[Eojeol, tuple[Span, ...]]:
        """Return the eojeol that some analysed pieces make, and the spans of its morphemes."""
        morphemes: list[Morpheme] = []
        spans: list[Span] = []
        offset = 0
        for form, pairs in pieces:
            seen = self._assembler.eojeol(_plain([form]), map(sejong_morpheme, pairs))
            piece = self._written(form, seen)
            morphemes += piece.morphemes
            spans += [(offset + begin, offset + end) for begin, end in piece.spans]
            offset += len(form)
        whole = self._assembler.eojeol("".join([form for form, _ in pieces]), tuple(morphemes))
        return whole, (*spans, *whole.spans[len(spans) :])


def _placed(forms: Sequence[str], names: Names) -> list[Name]:
    """Return the spans of names in the text of some eojeols as Kiwi sees it (`_plain`)."""
    if not names:
        return []
    starts = list(accumulate([len(form) + 1 for form in forms], initial=0))
    return [
        (starts[i] + begin, starts[i] + end, tag)
        for i in sorted(names)
        for begin, end, tag in names[i]
    ]


def _in_pieces(pieces: Sequence[Sequence[str]], names: Names) -> Names:
    """Return the names in each of the pieces of some eojeols.

    >>> _in_pieces([("나루", "에서"), ("하늘", "이")], {1: ((0, 2, "NNP"),)})
    {2: ((0, 2, 'NNP'),)}
    """
    inner: dict[int, tuple[Name, ...]] = {}
    number = 0
    for i, units in enumerate(pieces):
        offset = 0
        for piece in units:
            end = offset + len(piece)
            inside = [name for name in names.get(i, ()) if offset <= name[0] < end]
            if inside:
                inner[number] = tuple(
                    [(first - offset, last - offset, tag) for first, last, tag in inside]
                )
            number += 1
            offset = end
    return inner


def _ends_at(pieces: tuple[str, ...], spans: Sequence[Span]) -> bool:
    """Test whether every piece ends where a morpheme does."""
    border = 0
    for piece in pieces[:-1]:
        border += len(piece)
        if any([begin < border < end for begin, end in spans]):
            return False
    return True


def _plain(forms: Sequence[str]) -> str:
    """Return a text in which Kiwi sees each form as one eojeol, of as many characters."""
    text = " ".join(forms)
    if text.count(" ") == len(forms) - 1 and not _ODD.search(text):
        return text
    return " ".join([to_compatibility(re.sub(r"\s", _STOPGAP, form)) for form in forms])
