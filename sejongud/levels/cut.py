"""The segmentation of an eojeol at a level of granularity (memoir, ch. 2, Fig. 2.7).

    level 1  나섰다.        an eojeol is one word
    level 2  나섰다 .       external symbols are cut off
    level 3                + particles    웅가로 가
    level 4  나서 었 다 .   + endings      세계적이 ㄴ
    level 5                + everything   세계 적 이 ㄴ

From level 2 on, an eojeol is first cut at its external symbols into tokens, and each token is then
cut into words. Levels are cumulative: each level makes all cuts of the levels below it.

The lemmas that the morpheme before decides (rules/lemmas-behind.tsv).

사러      사/VV 러/EC       사+으러
푸르러    푸르/VA 러/EC     푸르+어

The symbols of an eojeol that are tokens of their own (rules/symbols.tsv; annotation scheme).
"""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from sejongud.errors import UsageError
from sejongud.levels.upos import UposScheme
from sejongud.memo import Memo, remembered, remembered_by
from sejongud.model import LEVELS, MORPHEMES, NOTHING, Eojeol, Morpheme, Span, Token, Word
from sejongud.rules.tables import ANY

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sejongud.rules import Rules


class Lemmas:
    """Finds the lemmas of the morphemes of a token.

    Args:
        rules: the tables.
        scheme: a scheme of lemmas.

    >>> from sejongud.model import Morpheme
    >>> from sejongud.rules import load
    >>> Lemmas(load(), "normalised").of([Morpheme("푸르", "VA"), Morpheme("러", "EC")])
    ['푸르', '어']
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        self._lemmas = rules.lemmas[scheme]
        self._in_sejong = rules.in_sejong
        self._behind = rules.lemmas_behind.get(scheme, {})
        self.uncertain = frozenset([form for _, _, form, _ in self._behind])
        """The forms whose lemma may hang on the morpheme before."""

    def of(self, morphemes: Sequence[Morpheme]) -> list[str]:
        """Return the lemma of each morpheme.

        Args:
            morphemes: of a token, in their order.
        """
        lemmas = [self._lemmas.get((m.form, m.tag), m.form) for m in morphemes]
        if not self.uncertain.isdisjoint([m.form for m in morphemes]):
            pairs = pairwise(self._in_sejong(tuple(morphemes)))
            for index, (before, morpheme) in enumerate(pairs, start=1):
                form, tag = before[:2]
                behind_any = self._behind.get((ANY, tag, *morpheme[:2]), lemmas[index])
                lemmas[index] = self._behind.get((form, tag, *morpheme[:2]), behind_any)
        return lemmas

    def mended(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Return the words of a token, whose lemmas are those of form and tag, with their lemmas.

        Args:
            words: of one token.
        """
        lemmas = iter(self.of([m for word in words for m in word.morphemes]))
        return tuple(
            [
                word._replace(lemma="+".join([next(lemmas) for _ in word.morphemes]) or word.lemma)
                for word in words
            ]
        )


# --- symbols --------------------------------------------------------------------------------------


class SymbolRules:
    """Tell external symbols, which are tokens, from internal ones, which are parts of words.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules.symbols
        self._sejong_tags = rules.sejong_tags
        self.tags = rules.symbols.external
        """The Sejong tags of symbols."""
        self._among_symbols = any(
            not self.tags.isdisjoint(neighbours) for neighbours, _ in rules.symbols.between
        )

    def external(self, eojeol: Eojeol) -> Collection[int]:
        """Return the positions of the morphemes that are external symbols.

        >>> from sejongud.morphology.eojeol import Assembler
        >>> from sejongud.rules import load
        >>> eojeol = Assembler(load())["3.14는,\\t3/SN+./SF+14/SN+는/JX+,/SP"]
        >>> list(SymbolRules(load()).external(eojeol))
        [4]
        """
        symbols = self.tags
        tags = self._sejong_tags(eojeol.morphemes)
        marks = [tag in symbols for tag in tags]
        if True not in marks:
            return ()
        first = marks.index(True)
        # Symbols at the end are external by all rules: nearly every full stop.
        if False not in marks[first:]:
            return range(first, len(marks))
        inside = self._internal_spans(eojeol, marks)
        return frozenset(
            [
                i
                for i, mark in enumerate(marks)
                if mark
                and not self._is_between(eojeol.morphemes[i].form, tags[max(i - 1, 0) : i + 2])
                and not any([_covers(span, eojeol.spans[i]) for span in inside])
            ]
        )

    def may_be_internal(self, form: str) -> bool:
        """Return whether a symbol may be internal wherever it stands in a form.

        >>> from sejongud.rules import load
        >>> SymbolRules(load()).may_be_internal("“당신")
        False
        """
        rules = self._rules
        return bool(
            self._among_symbols or rules.inside.search(form) or rules.abbreviation.search(form)
        )

    def _is_between(self, form: str, tags: Sequence[str]) -> bool:
        """Return whether the neighbours of a symbol make it internal (3.14, R&D).

        Args:
            form: of the symbol.
            tags: of the morpheme before it, of itself, and of the morpheme behind it.
        """
        return len(tags) == 3 and any(
            tags[0] in neighbours and tags[2] in neighbours and form in chars
            for neighbours, chars in self._rules.between
        )

    def _internal_spans(self, eojeol: Eojeol, marks: Sequence[bool]) -> list[Span]:
        """Return the parts of the surface in which every symbol is internal.

        Args:
            eojeol: the eojeol.
            marks: for each morpheme whether it is a symbol.
        """
        if not self.may_be_internal(eojeol.form):
            return []
        places = [start for (start, _), mark in zip(eojeol.spans, marks, strict=True) if not mark]
        spans = []
        for match in self._rules.inside.finditer(eojeol.form):
            # An address does not end in a symbol: the pattern took that from what follows it.
            inner = [start for start in places if match.start() <= start < match.end()]
            if inner:
                spans.append((match.start(), inner[-1]))
        for match in self._rules.abbreviation.finditer(eojeol.form):
            # U.S.의: the last dot belongs to the word if that goes on, with no symbol.
            if match.end() in places:
                spans.append(match.span())
        return spans


def _covers(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


# --- segmentation ---------------------------------------------------------------------------------

_UPOS, _LEMMAS = "sejong", "normalised"
"""The default schemes."""

_REMEMBERED = 20_000
_form, _tag = itemgetter(0), itemgetter(1)

Piece = tuple[int, int]
"""A run of an eojeol's morphemes: start and end, the end exclusive."""

Shape = tuple[tuple[int, ...], ...]
"""The tokens of an eojeol: the number of morphemes of each of their words."""


class Granularity:
    """Cuts eojeols into tokens and words.

    Args:
        rules: the tables.
        level: 1 to 5.
        upos: the name of the UPOS scheme; None for "sejong".
        lemmas: the name of the lemma scheme; None for "normalised".

    Raises:
        UsageError: there is no such level or scheme.

    >>> from sejongud.morphology.eojeol import Assembler
    >>> from sejongud.rules import load
    >>> rules = load()
    >>> eojeol = Assembler(rules)["나섰다.\\t나서/VV+었/EP+다/EF+./SF"]
    >>> [[word.form for word in token.words] for token in Granularity(rules, 4).tokens(eojeol)]
    [['나서', '었', '다'], ['.']]
    """

    def __init__(
        self,
        rules: Rules,
        level: int = MORPHEMES,
        *,
        upos: str | None = None,
        lemmas: str | None = None,
    ) -> None:
        upos, lemmas = upos or _UPOS, lemmas or _LEMMAS
        if level not in LEVELS:
            raise UsageError(f"there is no level {level!r}: the levels are 1 to {LEVELS[-1]}")
        if lemmas not in rules.lemmas:
            raise UsageError(f"there is no lemma scheme {lemmas}: {', '.join(rules.lemmas)}")
        self.rules = rules
        self.level = level
        self.upos_scheme, self.lemma_scheme = upos, lemmas
        self._lemmas = rules.lemmas[lemmas]
        of_stems = Lemmas(rules, lemmas)
        self._uncertain, self._mended = of_stems.uncertain, of_stems.mended
        self._upos = UposScheme(rules, upos)
        self._symbols = SymbolRules(rules)
        # At level 1 no symbol is cut off, and at level 5 every morpheme.
        symbols = self._symbols.tags if level > 1 else frozenset[str]()
        self._marks = frozenset([t for t in rules.kinds if rules.sejong_tag("", t) in symbols])
        self._sejong_tags = rules.sejong_tags
        levels = rules.cut_level
        by_tag = level < MORPHEMES
        self._cut_off = (
            frozenset([t for t in rules.tags if by_tag and levels[t] <= level]) - symbols
        )
        self._fold = {ord(char): same for char, same in rules.equivalents.items()}
        self._particles = frozenset([t for t in rules.kinds if rules.kind(t) == "particle"])
        self._allomorphs = rules.lemmas[_LEMMAS]
        self._in_context = self._upos.in_context
        self._by_morpheme = level >= MORPHEMES and not self._in_context
        self._word_of = self._single.__getitem__
        self._upos_of: Memo[tuple[tuple[Morpheme, ...], tuple[Piece, ...]], Sequence[str]] = (
            Memo.of(self, lambda cutter, key: cutter._upos.parts(*key), size=_REMEMBERED)
        )

    def tokens(self, eojeol: Eojeol) -> tuple[Token, ...]:
        """Return the tokens of an eojeol, with their words at this level."""
        morphemes = eojeol.morphemes
        has_marks = not self._marks.isdisjoint(map(_tag, morphemes))
        is_certain = self._uncertain.isdisjoint(map(_form, morphemes))
        if self._by_morpheme and eojeol.is_plain and is_certain and not has_marks:
            # Half of all eojeols: a word for each morpheme.
            words = tuple(map(self._word_of, morphemes))
            if " " not in eojeol.form:
                return (Token(eojeol.form, words, "_", "", was_read=False),)
        count = len(morphemes)
        tags, external = self._tags(eojeol), self._symbols.external(eojeol) if has_marks else ()
        tokens = []
        for form, piece in _pieces(eojeol, external):
            words = self._words_of(form, eojeol, tags, piece, external)
            if not (is_certain or self._uncertain.isdisjoint(map(_form, morphemes[slice(*piece)]))):
                words = self._mended(words)
            last = piece[1] == count
            tokens.append(Token(form, words, "_", "", was_read=False, space_after=last))
        return tuple(tokens)

    def sizes(self, tags: Sequence[str], sejong: Sequence[str]) -> tuple[int, ...]:
        """Return the number of morphemes of each word of a token, as far as its tags tell it.

        Args:
            tags: of its morphemes.
            sejong: their Sejong tags.

        Returns:
            () if a symbol may be external, which hangs on forms.
        """
        count = len(tags)
        if count == 1:
            return (1,)
        if self.level >= MORPHEMES:
            return (1,) * count
        if not self._marks.isdisjoint(tags):
            return ()
        return tuple([last - first for first, last in self._runs(sejong, (0, count), ())])

    def _tags(self, eojeol: Eojeol) -> Sequence[str]:
        """Return the Sejong tags of the morphemes; () if no word begins or ends by a tag."""
        return self._sejong_tags(eojeol.morphemes) if self._cut_off else ()

    def _external(self, eojeol: Eojeol) -> Collection[int]:
        """Return the positions of the morphemes that are external symbols."""
        has_marks = not self._marks.isdisjoint(map(_tag, eojeol.morphemes))
        return self._symbols.external(eojeol) if has_marks else ()

    def shape(self, eojeol: Eojeol) -> Shape:
        """Return the shape of the tokens of an eojeol; see `tokens`."""
        if len(eojeol.morphemes) == 1:
            return ((1,),)
        tags, external = self._tags(eojeol), self._external(eojeol)
        shapes = []
        for form, piece in _pieces(eojeol, external):
            runs = [piece] if " " in form else self._runs(tags, piece, external)
            shapes.append(tuple([last - first for first, last in runs]))
        return tuple(shapes)

    def are_words(self, eojeol: Eojeol, pieces: Sequence[Piece]) -> list[bool]:
        """Return for runs of an eojeol's morphemes whether no word begins or ends inside."""
        tags, external = self._tags(eojeol), self._external(eojeol)
        return [len(self._runs(tags, piece, external)) == 1 for piece in pieces]

    def _words_of(
        self,
        form: str,
        eojeol: Eojeol,
        tags: Sequence[str],
        piece: Piece,
        external: Collection[int],
    ) -> tuple[Word, ...]:
        """Return the words of a token, with the lemmas that form and tag tell."""
        morphemes = eojeol.morphemes[piece[0] : piece[1]]
        if self._by_morpheme and eojeol.is_plain and " " not in form:
            return tuple(map(self._word_of, morphemes))
        # CoNLL-U forbids a space in the FORM of a range, so a token with a space stays one word.
        whole = len(morphemes) == 1 or " " in form
        runs = [piece] if whole else self._runs(tags, piece, external)
        words = self._known(eojeol.morphemes, piece, runs)
        if len(words) == 1:
            return (_with_form(words[0], form),)
        if not eojeol.is_plain:
            words = [
                _with_form(word, self.form_of(eojeol, piece, run))
                for word, run in zip(words, runs, strict=True)
            ]
        return tuple(words)

    def _known(
        self, morphemes: tuple[Morpheme, ...], piece: Piece, runs: Sequence[Piece]
    ) -> list[Word]:
        """Return the words of a token, remembered, each with its joined forms as its FORM.

        Args:
            morphemes: of the eojeol.
            piece: the token.
            runs: its words.
        """
        pieces = [morphemes[first:last] for first, last in runs]
        start = piece[0]
        if self._in_context:
            places = tuple([(first - start, last - start) for first, last in runs])
            upos = self._upos_of[morphemes[start : piece[1]], places]
            return list(map(self._words.__getitem__, zip(pieces, upos, strict=True)))
        return [
            self._single[piece[0]] if len(piece) == 1 else self._words[piece, ""]
            for piece in pieces
        ]

    def _runs(self, tags: Sequence[str], piece: Piece, external: Collection[int]) -> list[Piece]:
        """Return the words of a token, as runs of morphemes."""
        first, last = piece
        if self.level >= MORPHEMES:
            return [(at, at + 1) for at in range(first, last)]
        # Below level 5 only external symbols are cut off.
        if not (external or self._cut_off):
            return [piece]
        runs: list[Piece] = []
        start = first
        for at in range(first, last):
            if at in external or (tags and tags[at] in self._cut_off):
                if start < at:
                    runs.append((start, at))
                runs.append((at, at + 1))
                start = at + 1
        if start < last or not runs:
            runs.append((start, last))
        return runs

    def form_of(self, eojeol: Eojeol, piece: Piece, run: Piece) -> str:
        """Return FORM of a word inside a range.

        For a single morpheme FORM is its part of the surface if both differ at most in case, width
        and the like, otherwise its own form. For several morphemes FORM is their part of the
        surface if no other morpheme of the token shares a syllable of it, otherwise their forms
        joined.
        """
        first, last = run
        spans = eojeol.spans
        start, end = spans[first][0], spans[last - 1][1]
        part = eojeol.form[start:end]
        if last - first > 1:
            joined = "".join([m.form for m in eojeol.morphemes[first:last]])
            left = first == piece[0] or spans[first - 1][1] <= start
            right = last == piece[1] or spans[last][0] >= end
            return part if part and left and right else joined or "_"
        own, tag = eojeol.morphemes[first][:2]
        if part and (part == own or self._same[part, own] or self._is_allomorph(part, own, tag)):
            return part
        return own or "_"

    def _is_allomorph(self, part: str, own: str, tag: str) -> bool:
        """Return whether a surface is another form of a particle: 와 of 과/PCJ (Penn Korean)."""
        if tag not in self._particles:
            return False
        return self._allomorphs.get((part, tag), part) == self._allomorphs.get((own, tag), own)

    @remembered_by(_REMEMBERED)
    def _same(self, one: str, other: str) -> bool:
        """Return whether two strings are equal but for case and rules/equivalents.tsv."""
        one, other = [text.translate(self._fold).casefold() for text in (one, other)]
        return one == other

    # Out of context, a morpheme that is a word gives an equal word at every place.
    @remembered(_REMEMBERED)
    def _single(self, morpheme: Morpheme) -> Word:
        """Return the word of one morpheme, whatever its context, with the form of the morpheme."""
        form, tag = morpheme[:2]
        one = (morpheme,)
        lemma = self._lemmas.get((form, tag), form) or NOTHING
        upos = self._upos.by_tag.get(tag) or self._upos.of(one)
        columns = (form or NOTHING, lemma, upos, tag, NOTHING, "", one)
        # The constructor of a NamedTuple takes twice as long.
        return tuple.__new__(Word, columns)

    @remembered_by(_REMEMBERED)
    def _words(self, morphemes: tuple[Morpheme, ...], upos: str) -> Word:
        """Return the word of several morphemes, with their joined forms as its FORM."""
        lemmas = self._lemmas
        lemma = "+".join([lemmas.get((m.form, m.tag), m.form) for m in morphemes])
        return Word(
            "".join([m.form for m in morphemes]) or "_",
            lemma or "_",
            upos or self._upos.of(morphemes),
            "+".join([m.tag for m in morphemes]),
            NOTHING,
            "",
            morphemes,
        )


def _with_form(word: Word, form: str) -> Word:
    """Return a word with another FORM."""
    if word[0] == form:
        return word
    # The `_replace` of a NamedTuple takes several times as long.
    return tuple.__new__(Word, (form, *word[1:]))


def _pieces(eojeol: Eojeol, external: Collection[int]) -> list[tuple[str, Piece]]:
    """Return form and morphemes of each token of an eojeol; each external symbol is a token.

    A symbol without a surface of its own belongs to the token before it, or, at the start of the
    eojeol, to the token after it.
    """
    form, count = eojeol.form, len(eojeol.morphemes)
    if not external:
        return [(form, (0, count))]
    spans = eojeol.spans
    borders = [0]
    for at in sorted(external):
        if _stands_alone(spans, at):
            # A token must have a surface, so a border needs surface since the last border.
            if spans[at][0] > spans[borders[-1]][0]:
                borders.append(at)
            if at + 1 < count and spans[at + 1][0] > spans[borders[-1]][0]:
                borders.append(at + 1)
    if len(borders) > 1 and spans[borders[-1]][0] == len(form):
        borders.pop()
    starts = [0, *[spans[at][0] for at in borders[1:]], len(form)]
    forms = [form[start:end] for start, end in pairwise(starts)]
    return list(zip(forms, pairwise([*borders, count]), strict=True))


def _stands_alone(spans: tuple[Span, ...], at: int) -> bool:
    """Return whether a morpheme has a surface that no neighbour shares."""
    start, end = spans[at]
    left = at == 0 or spans[at - 1][1] <= start
    right = at + 1 == len(spans) or spans[at + 1][0] >= end
    return start < end and left and right
