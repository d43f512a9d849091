"""From a form and its morphemes to an eojeol: completed, aligned, with notes on what was done."""

from __future__ import annotations

import re
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.memo import Memo, lazy_pattern
from sejongud.model import Eojeol, Morpheme
from sejongud.morphology.hangul import compose_jamo, whole_syllables
from sejongud.morphology.notation import Analysis, write_analysis
from sejongud.morphology.surface import Aligner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sejongud.rules import Rules

_form, _tag = itemgetter(0), itemgetter(1)
_texts = itemgetter(slice(5))

LINE_BREAK = lazy_pattern(r"[\t\n\r]+")
"""Characters that no cell and no comment can hold."""
_ORDINARY = re.compile(r"(?! )[^(/]+(?<! )")
"""A form whose analysis can be read without it."""
LONGEST = 10_000
"""The most characters and morphemes of an eojeol that has to be aligned, which takes the square."""

MADE = Note("I107", "the form was made from the morphemes by Kiwi")
"""The note of an eojeol whose source has no surface."""


def unsure(rules: Rules, morphemes: tuple[Morpheme, ...]) -> tuple[Note, ...]:
    """Return the note of an eojeol whose surface is made of an unknown tag; () for any other.

    Kiwi contracts and conjugates by the tags, so such a surface may be no Korean.

    >>> from sejongud.rules import load
    >>> unsure(load(), (Morpheme("가", "V?"), Morpheme("ㄴ다", "EF")))[0].message
    'the form of 가/V?+ㄴ다/EF is made with 가 unchanged: no tag set has V?'
    """
    tags = rules.unknown([morpheme.tag for morpheme in morphemes])
    if not tags:
        return ()
    forms = ", ".join([morpheme.form for morpheme in morphemes if morpheme.tag in tags])
    message = f"the form of {write_analysis(morphemes)} is made with {forms} unchanged"
    return (Note("W117", f"{message}: no tag set has {', '.join(dict.fromkeys(tags))}"),)


class Assembler:
    """Build eojeols, the same object for the same form and analysis.

    Args:
        rules: the tables.

    >>> from sejongud.rules import load
    >>> Assembler(load())["갔다.\\t가/VV+았/EP+다/EF"].morphemes[-1]
    Morpheme(form='.', tag='SF', source='', sense='', source_tag='', added=True)
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.analysis = Analysis(rules)
        self._piece = self.analysis.pieces.__getitem__
        self.aligner = Aligner(rules)
        self._are_known = (rules.kinds.keys() - rules.of_pud).issuperset
        self._symbols = frozenset(tag for tag, kind in rules.kinds.items() if kind == "symbol")
        self._equivalents = {ord(char): same for char, same in rules.equivalents.items()}
        self._final_symbols = rules.final_symbols
        self.by_line: Memo[str, Eojeol] = Memo.of(self, Assembler.read, size=48_000)
        """The memory behind `assembler[line]`, for loops that cannot afford a call."""
        self._by_morphemes: Memo[tuple[str, tuple[Morpheme, ...]], Eojeol] = Memo.of(
            self, lambda assembler, key: assembler._checked(*key), size=48_000
        )

    def __getitem__(self, line: str) -> Eojeol:
        """Return the eojeol of a line `form<TAB>analysis`, remembered.

        Raises:
            FormatError: not two columns, an empty one, or a piece without a tag.
        """
        return self.by_line[line]

    def read(self, line: str) -> Eojeol:
        """Like `assembler[line]`, uncached: for callers that cache the result.

        Raises:
            FormatError: as `assembler[line]`.
        """
        form, _, analysis = line.partition("\t")
        morphemes = tuple(map(self._piece, analysis.split("+")))
        joined = "".join(map(_form, morphemes))
        if len(line) <= LONGEST and analysis[:1] != " " and analysis[-1:] != " ":
            # Four of five eojeols: the morphemes one after another.
            if joined == form and "(" not in form:
                return Eojeol(form, morphemes)
            if "\t" not in joined and _ORDINARY.fullmatch(form):
                return self._aligned(form, morphemes, joined, ())
        return self._read_any(line)

    def eojeol(self, form: str, morphemes: Iterable[Morpheme]) -> Eojeol:
        """Return the eojeol of a form and its morphemes, remembered.

        Raises:
            FormatError: no form, a morpheme without a tag, or a character that no line can hold.
        """
        return self._by_morphemes[form, tuple(morphemes)]

    def made(self, form: str, morphemes: tuple[Morpheme, ...], *, completes: bool = True) -> Eojeol:
        """Like `eojeol`, uncached: for callers that cache the result.

        Args:
            form: the surface.
            morphemes: in order.
            completes: whether final symbols that the morphemes lack are added; else they belong to
                the last morpheme.
        """
        return self._checked(form, morphemes, completes)

    def trusted(self, form: str, morphemes: tuple[Morpheme, ...]) -> Eojeol:
        """Like `made`, unchecked: for texts without line ends and tags that the tag set has."""
        return self._build(form, morphemes, ())

    def unanalysed(self, form: str, code: str, message: str) -> Eojeol:
        """Return an eojeol whose analysis could not be read: its form as one unknown morpheme."""
        form = LINE_BREAK.sub(" ", form).strip() or "_"
        unknown = Morpheme(form, self.rules.unknown_tag)
        return Eojeol(form, (unknown,), None, (Note(code, message),))

    def _checked(
        self, form: str, morphemes: tuple[Morpheme, ...], completes: bool = True
    ) -> Eojeol:
        """Return the eojeol of a form and morphemes of another format, which may be anything."""
        if not form:
            raise FormatError("an eojeol without a form", code="E102")
        texts = [form, *chain.from_iterable(map(_texts, morphemes))]
        if not "".join(texts).isprintable() and any(map(LINE_BREAK.search, texts)):
            text = next(filter(LINE_BREAK.search, texts))
            raise FormatError(f"a tab or a line's end in {text!r:.40}", code="E108")
        if self._are_known(map(_tag, morphemes)):
            return self._build(form, morphemes, (), completes)
        if not all(map(_tag, morphemes)):
            untagged = next(m for m in morphemes if not m.tag)
            raise FormatError(f"the morpheme {untagged.form} has no tag", code="E103")
        if "+" in "".join(map(_tag, morphemes)):
            # It parts the tags of a word.
            odd = next(m for m in morphemes if "+" in m.tag)
            raise FormatError(f"the tag {odd.tag} of {odd.form} has a plus sign in it", code="E103")
        return self._build(form, morphemes, self._unknown(morphemes), completes)

    def _read_any(self, line: str) -> Eojeol:
        """Return the eojeol of a line of any kind."""
        form, tab, analysis = line.partition("\t")
        if not tab or "\t" in analysis:
            columns = line.count("\t") + 1
            message = f"expected two columns with a tab between, form and analysis, found {columns}"
            raise FormatError(message, text=line, code="E101")
        bare = form.strip(" ")
        if not bare:
            raise FormatError("the form is empty", column=1, text=line, code="E102")
        try:
            morphemes, notes = self.analysis.parse(analysis, bare)
        except FormatError as error:
            column = len(form) + 1 + error.column
            raise FormatError(error.message, column=column, text=line, code=error.code) from None
        joined = "".join(map(_form, morphemes))
        if joined != bare and max(len(bare), len(joined), len(morphemes)) > LONGEST:
            message = f"{len(line):,} characters are no eojeol: are the spaces missing?"
            raise FormatError(message, text=line, code="E109")
        # A plus at an edge is told with its blanks.
        edges = bare != form or analysis != analysis.strip(" \t")
        if edges and "W102" not in [note.code for note in notes]:
            notes = (Note("W108", f"a blank at the edge of {bare!r} is left out"), *notes)
        return self._build(bare, morphemes, notes + self._unknown(morphemes))

    def _unknown(self, morphemes: tuple[Morpheme, ...]) -> tuple[Note, ...]:
        """Return a note for each tag that is in no table."""
        unknown = self.rules.unknown(list(map(_tag, morphemes)))
        return tuple([Note("W104", f"unknown tag {tag}") for tag in unknown])

    def _build(
        self,
        form: str,
        morphemes: tuple[Morpheme, ...],
        notes: tuple[Note, ...],
        completes: bool = True,
    ) -> Eojeol:
        """Return the eojeol of a form and its morphemes, with notes on what they lack."""
        joined = "".join(map(_form, morphemes))
        if joined == form:
            return Eojeol(form, morphemes, None, notes)
        return self._aligned(form, morphemes, joined, notes, completes)

    def _aligned(
        self,
        form: str,
        morphemes: tuple[Morpheme, ...],
        joined: str,
        notes: tuple[Note, ...],
        completes: bool = True,
    ) -> Eojeol:
        """Return the eojeol of morphemes that do not simply stand one after another."""
        if form[-1] in self._final_symbols and (
            added := self._missing_symbols(form, joined, morphemes[-1].tag)
        ):
            symbols = "".join(map(_form, added))
            missing = f"final {symbols} of {form} is missing in the analysis"
            if not completes:
                stem = self._build(form[: -len(symbols)], morphemes, ())
                *others, (begin, _) = stem.spans
                notes += (Note("W105", missing), *stem.notes)
                return Eojeol(form, morphemes, (*others, (begin, len(form))), notes)
            notes += (Note("W105", f"{missing}, added"),)
            morphemes += added
            joined += symbols
        size = max(len(form), len(joined))
        if size > LONGEST:
            # An alignment that takes minutes is of no use to anybody.
            spans = ((0, len(form)), *[(len(form), len(form))] * (len(morphemes) - 1))
            message = f"{size:,} characters are no eojeol, and are not aligned"
            return Eojeol(form, morphemes, spans, (*notes, Note("W106", message)))
        # Morphemes are of syllables where the source has jamo (NFD); the form stays as it is.
        composed, places = compose_jamo(form)
        alignment = self.aligner.align(composed, morphemes)
        spans = alignment.spans
        if composed != form:
            spans = tuple([(places[begin], places[end]) for begin, end in spans])
        spans = whole_syllables(form, spans)
        if alignment.unexplained or alignment.weak:
            analysed = f"{form}: {write_analysis(morphemes)}"
        if alignment.unexplained:
            notes += (Note("W106", f"{analysed}: {alignment.unexplained}"),)
        if alignment.weak:
            rules = " and ".join(alignment.weak)
            notes += (Note("W107", f"{analysed} fits only if {rules}; worth a look"),)
        return Eojeol(form, morphemes, spans, notes)

    def _missing_symbols(self, form: str, joined: str, last_tag: str) -> tuple[Morpheme, ...]:
        """Return the symbols that end the form and that the analysis lacks."""
        tags = self._final_symbols
        start = len(form)
        while start > 0 and form[start - 1] in tags:
            start -= 1
        if start == 0:
            return ()
        tail = form[start:].translate(self._equivalents)
        analysed = joined.translate(self._equivalents)
        # The analysis may have the first of several: `."` with only `./SF`.
        present = next(n for n in range(len(tail), -1, -1) if analysed.endswith(tail[:n]))
        if present == 0 and last_tag in self._symbols:
            return ()
        return tuple(Morpheme(char, tags[char], added=True) for char in form[start + present :])
