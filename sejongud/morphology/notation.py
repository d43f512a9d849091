"""The notation of an analysis: `프랑스/NNP+의/JKG`, in all its spellings.

The written corpus sets blanks around the plus, the spoken one does not. Both `+` and `/` occur as
morphemes (`3/SN++/SW+4/SN`, `//SP`), so that neither can simply be split at: a plus ends a morpheme
only behind a `/TAG`, and a morpheme ends at its last slash, as in the corpus itself.

Only blanks can be around the plus. Another space of Unicode is a part of the morpheme it begins,
but where such a space stands before the plus as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Note
from sejongud.memo import Memo, lazy_pattern
from sejongud.model import Morpheme
from sejongud.morphology.hangul import compose_jamo, to_compatibility

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
                raise _no_plus(piece, text, position)
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
    """The form of a morpheme that the corpus writes so, and the writing where it is another.

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
    return FormatError(message, column=position + 1, text=text, code="E103")


def _no_plus(piece: str, text: str, position: int) -> FormatError:
    first, _, rest = piece.rpartition(" ")
    message = f"expected a plus sign between {first[:40]} and {rest[:40]}"
    return FormatError(message, column=position + len(first) + 1, text=text, code="E103")


def _split(text: str) -> list[tuple[str, str, int]]:
    """The forms and tags of an analysis, and where each form begins."""
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
    """The pieces of an analysis that stand one after another in the form; none if not all of it.

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
    """The analysis as the corpus had it: source spelling and tags, added symbols left out.

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
