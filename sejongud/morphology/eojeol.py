"""From a form and its morphemes to an eojeol: completed, aligned, with notes on what was done.

The notation of an analysis: `프랑스/NNP+의/JKG`, in all its spellings.

The written corpus sets blanks around the plus, the spoken one does not. Both `+` and `/` occur as
morphemes (`3/SN++/SW+4/SN`, `//SP`), so that neither can simply be split at: a plus ends a morpheme
only behind a `/TAG`, and a morpheme ends at its last slash, as in the corpus itself.

Only blanks can be around the plus. Another space of Unicode is a part of the morpheme it begins,
but where such a space stands before the plus as well.
"""

from __future__ import annotations

import re
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.memo import Memo, lazy_pattern
from sejongud.model import Eojeol, Morpheme
from sejongud.morphology.hangul import compose_jamo, to_compatibility, whole_syllables
from sejongud.morphology.surface import Aligner

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.rules import Rules

NOT_PLAIN = Morpheme("\t", "")
"""Stands for a piece that cannot be read by itself; no form is like its form."""

_SENSE = lazy_pattern(r"(.+)__([x^]?\d+)", re.DOTALL)
# One of these characters is in every form that is not read as it is written, or has a blank.
_MARKED = re.compile("[ \t_(\u1100-\u11ff]")

_LENIENT_TAG = r"[A-Za-z?][A-Za-z0-9?\"_-]*"
# Any piece goes up to the first `/TAG` that a plus with something after it follows, or the end.
_PIECE = lazy_pattern(
    rf"[ \t]*(?![ \t])(?P<form>.*?)/(?P<tag>{_LENIENT_TAG})"
    r"(?:[ \t]*\+(?!\s*$)[ \t]*|\s*\+\s*(?=\S)|[\s+]*$)",
    re.DOTALL,
)
# What follows the form of a piece, up to the next.
_REST = lazy_pattern(rf"/(?P<tag>{_LENIENT_TAG})[ \t]*(?:\+[ \t]*|$)")


class Analysis:
    """Read analyses: mend tag typos, read jamo, senses and elided morphemes.

    Args:
        rules: the tag set and the tag typos.
    """

    def __init__(self, rules: Rules) -> None:
        self._typos = rules.typos
        self.misspelt = frozenset([tag for tag, _ in rules.typos])
        self._known = frozenset(filter(_TAG.fullmatch, rules.kinds))
        self._plain_tags = self._known - self.misspelt
        self.pieces: Memo[str, Morpheme] = Memo.of(self, Analysis._piece, size=30_000)
        """The morpheme of a piece between two plus signs, or `NOT_PLAIN`."""

    def parse(self, text: str, form: str) -> tuple[tuple[Morpheme, ...], tuple[Note, ...]]:
        """Read the morphemes of an analysis.

        Args:
            text: `프랑스/NNP+의/JKG`, blanks around the plus allowed.
            form: the surface of the eojeol, which tells a stray plus from a real one.

        Returns:
            The morphemes, and what had to be mended.

        Raises:
            FormatError: a piece has no tag, or there is no piece; with the column in `text`.

        >>> from sejongud.rules import load
        >>> morphemes, notes = Analysis(load()).parse("3/SN++/SW+4/SN", "3+4")
        >>> [(m.form, m.tag) for m in morphemes]
        [('3', 'SN'), ('+', 'SW'), ('4', 'SN')]
        """
        plain = tuple(map(self.pieces.__getitem__, text.split("+")))
        if (
            NOT_PLAIN in plain
            # A slash of the form may be one that seems to part a morpheme from its tag.
            or "/" in form
            # Parentheses that stand in the form are no mark of elision.
            or ("(" in form and any([morpheme.source for morpheme in plain]))
        ):
            return self._scan(text, form)
        return plain, ()

    def morpheme(self, form: str, tag: str, surface: str = "") -> Morpheme:
        """Return the morpheme of a form and a tag as the corpus writes them.

        Args:
            form: may hold a sense number (`의상__01`), conjoining jamo, parentheses (`(이)`).
            tag: may be a typo.
            surface: the form of the eojeol; parentheses that stand there are no mark of elision.
        """
        sense = ""
        if "__" in form and (match := _SENSE.fullmatch(form)):
            form, sense = match.groups()
        form, source = spell(form, surface)
        right = self.right_tag(form, tag)
        return Morpheme(form, right, source, sense, tag if right != tag else "")

    def right_tag(self, form: str, tag: str) -> str:
        """Return the tag, or the tag it is a typo of."""
        if tag not in self.misspelt:
            return tag
        return self._typos.get((tag, form)) or self._typos.get((tag, "*")) or tag

    def _piece(self, piece: str) -> Morpheme:
        """Return the morpheme of a piece that can be read by itself, else `NOT_PLAIN`."""
        form, _, tag = piece.partition("/")
        if tag in self._plain_tags and form and not _MARKED.search(form):
            # A NamedTuple's own constructor takes twice as long.
            return tuple.__new__(Morpheme, (form, tag, "", "", "", False))
        form, _, tag = piece.strip(" ").partition("/")
        if tag not in self._known or not form or form[-1] == " " or "\t" in form:
            return NOT_PLAIN
        morpheme = self.morpheme(form, tag)
        return NOT_PLAIN if morpheme.source_tag else morpheme

    def _scan(self, text: str, form: str) -> tuple[tuple[Morpheme, ...], tuple[Note, ...]]:
        """Read an analysis of any kind, as `parse` does."""
        pieces = _split(text)
        if "/" in form and "".join([piece for piece, _, _ in pieces]) != form:
            pieces = _split_by(form, text) or pieces
        morphemes: list[Morpheme] = []
        notes: list[Note] = []
        for piece, tag, position in pieces:
            if piece.startswith("+") and piece != "+" and (piece[1] in " \t" or "+" not in form):
                notes.append(Note("W102", "an empty item before or between two + is left out"))
                # A piece of nothing but plus signs is one plus sign.
                piece = piece.lstrip("+ ") or "+"
            if form and "+" in piece and piece != "+" and "+" not in form:
                raise _no_tag(piece.partition("+")[0], text, position)
            if " " in piece and "/" in piece and form and "/" not in form:
                first, _, rest = piece.rpartition(" ")
                message = f"expected a plus sign between {first[:40]} and {rest[:40]}"
                column = position + len(first) + 1
                raise FormatError(message, column=column, text=text, code="E103")
            morpheme = self.morpheme(piece, tag, form)
            if not piece:
                notes.append(Note("W103", f"a morpheme without a form, tagged {tag}"))
            if morpheme.source_tag:
                notes.append(Note("W101", f"tag {tag} of {piece} read as {morpheme.tag}"))
            morphemes.append(morpheme)
        if text.rstrip().endswith("+") and not (morphemes and morphemes[-1].form == "+"):
            notes.append(Note("W102", "an empty item behind the last + is left out"))
        return tuple(morphemes), tuple(notes)


def is_plain(text: str) -> bool:
    """Return whether text can be printed and every morpheme in it is written as its form."""
    return text.isprintable() and not _MARKED.search(text)


def spell(written: str, surface: str) -> tuple[str, str]:
    """Return the form of a morpheme that the corpus writes so, and the writing if it is another.

    >>> spell("(이)", "거야"), spell("의", "나의")
    (('이', '(이)'), ('의', ''))
    """
    if not _MARKED.search(written):
        return written, ""
    form = written
    if form[:1] == "(" and form[-1] == ")" and len(form) > 2 and form not in surface:
        form = form[1:-1]
    form = to_compatibility(compose_jamo(form)[0])
    return form, written if written != form else ""


def _no_tag(piece: str, text: str, position: int) -> FormatError:
    message = f"expected form/TAG, found {piece[:40]!r}: every morpheme needs a slash and a tag"
    if " " in piece and "/" not in piece:
        message += " (a source and its target: --from tsv)"
    return FormatError(message, column=position + 1, text=text, code="E103")


def _split(text: str) -> list[tuple[str, str, int]]:
    """Return the forms and tags of an analysis, and where each form begins."""
    pieces = []
    position = 0
    end = len(text.rstrip("+ \t"))
    while position < end:
        match = _PIECE.match(text, position)
        if match is None:
            raise _no_tag(text[position:].strip(), text, position)
        pieces.append((match["form"], match["tag"], match.start("form")))
        position = match.end()
    if not pieces:
        message = "expected form/TAG, found nothing: the analysis is empty"
        raise FormatError(message, column=1, text=text, code="E102")
    return pieces


def _split_by(form: str, text: str) -> list[tuple[str, str, int]]:
    """Return the pieces of an analysis that stand one after another in the form, if all do.

    Where a piece could end in several places it is as long as it can be.
    """
    pieces = []
    done = 0
    position = len(text) - len(text.lstrip(" \t"))
    while position < len(text):
        end = None
        for match in _REST.finditer(text, position + 1):
            if not form.startswith(text[position : match.start()], done):
                break
            end = match
        if end is None:
            return []
        pieces.append((text[position : end.start()], end["tag"], position))
        done += end.start() - position
        position = end.end()
    return pieces if done == len(form) else []


def write_analysis(morphemes: Iterable[Morpheme], *, spaced: bool = False) -> str:
    """Write an analysis as the corpus had it: source spelling and tags, added symbols left out.

    Args:
        morphemes: of one eojeol.
        spaced: blanks around the plus, as in the written corpus.

    >>> write_analysis([Morpheme("프랑스", "NNP"), Morpheme("의", "JKG", sense="02")])
    '프랑스/NNP+의__02/JKG'
    """
    return (" + " if spaced else "+").join(
        [
            f"{m.source or m.form}{'__' + m.sense if m.sense else ''}/{m.source_tag or m.tag}"
            for m in morphemes
            if not m.added
        ]
    )


_TAG = re.compile(_LENIENT_TAG)


def unreadable_tags(morphemes: Iterable[Morpheme]) -> tuple[str, ...]:
    """Return the tags of morphemes that an analysis cannot hold, as a reader would refuse them.

    >>> unreadable_tags([Morpheme("비", "NNG"), Morpheme(".", ".")])
    ('.',)
    """
    tags = [morpheme.source_tag or morpheme.tag for morpheme in morphemes]
    return tuple([tag for tag in tags if not _TAG.fullmatch(tag)])


def checked_analysis(
    morphemes: Sequence[Morpheme], *, spaced: bool = False, surface: str = "+"
) -> str:
    """Return an analysis that can be read again; see `write_analysis`.

    Args:
        morphemes: of one eojeol.
        spaced: blanks around the plus, as in the written corpus.
        surface: of the eojeol; a morpheme has a plus sign in it only if this has one as well.

    Raises:
        FormatError: a tag has characters that tags of the notation do not have, or a form a plus
            sign that would part it in two.

    >>> checked_analysis([Morpheme("비", "N+G")])
    Traceback (most recent call last):
    sejongud.errors.FormatError: the tag N+G cannot be written as form/TAG: it must begin with a \
letter and have only letters, digits, -, _, ? and "
    """
    if tags := unreadable_tags(morphemes):
        raise FormatError(
            f"the tag {tags[0]} cannot be written as form/TAG: it must begin with a letter and"
            ' have only letters, digits, -, _, ? and "',
            code="E301",
        )
    parted = [m.form for m in morphemes if m.form != "+" and "+" in m.form and "+" not in surface]
    if parted:
        raise FormatError(
            f"the form {parted[0]} has a plus sign that {surface} does not have: is a slash missing"
            " in its analysis?",
            code="E301",
        )
    return write_analysis(morphemes, spaced=spaced)


# --- eojeols --------------------------------------------------------------------------------------

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
        self.by_line: Memo[str, Eojeol] = Memo.of(self, Assembler.read)
        """The memory behind `assembler[line]`, for loops that cannot afford a call."""
        self._by_morphemes: Memo[tuple[str, tuple[Morpheme, ...]], Eojeol] = Memo.of(
            self, lambda assembler, key: assembler.made(*key)
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

        Raises:
            FormatError: as `eojeol`.
        """
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

    def trusted(self, form: str, morphemes: tuple[Morpheme, ...]) -> Eojeol:
        """Like `made`, unchecked: for texts without line ends and tags that the tag set has."""
        return self._build(form, morphemes, ())

    def unanalysed(self, form: str, code: str, message: str) -> Eojeol:
        """Return an eojeol whose analysis could not be read: its form as one unknown morpheme."""
        form = LINE_BREAK.sub(" ", form).strip() or "_"
        unknown = Morpheme(form, self.rules.unknown_tag)
        return Eojeol(form, (unknown,), None, (Note(code, message),))

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
        if analysis[:1] == analysis[-1:] == '"':
            message = "the analysis stands in quotation marks: a spreadsheet wrote this file; take"
            message += " its quotation marks away"
            raise FormatError(message, column=len(form) + 2, text=line, code="E101")
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
