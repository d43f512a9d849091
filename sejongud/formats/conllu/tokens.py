"""Make tokens of the lines of a sentence, the same object for the same lines.

A word carries its morphemes in LEMMA and XPOS (`프랑스+의`, `NNP+JKG`), or in MISC: they are taken
from `MSeg`, FORM (for a single morpheme), `OrigLemma` or LEMMA, the first that has as many pieces
as XPOS (`find_pieces` of `sejongud.formats.misc`). What has another number is passed over.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from sejongud.errors import Note
from sejongud.formats.conllu.rows import FORM, HEAD, MISC, Rows
from sejongud.formats.misc import (
    at_positions,
    complete_pieces,
    find_pieces,
    misc_items,
    unescape_misc,
)
from sejongud.memo import Memo
from sejongud.model import NOTHING, Morpheme, Token, Word
from sejongud.morphology.eojeol import Assembler, spell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


Columns = tuple[str, str]
"""FORM to FEATS of a line, with tabs between, and MISC: the columns that no place changes."""

_JOINED = "SpaceAfter=No"
"""The item of MISC of a token that is joined to the next one."""
_OF_MORPHEMES = ("Sense=", "OrigXPOS=", "Added=", "MSeg=", "OrigLemma=")
"""The keys of MISC that tell something of the morphemes; the last two tell their forms."""
_REMEMBERED = 48_000


class TokenReader:
    """Makes tokens of the lines of a sentence, the same object for the same lines.

    Args:
        assembler: knows the tags and their typos.
    """

    def __init__(self, assembler: Assembler) -> None:
        # No memo refers to itself through the function it calls: so its memory is free as soon as
        # the reader is dropped, and nobody has to search it for circles.
        words = _Words(assembler)
        known = Memo(words, size=_REMEMBERED)

        def token(lines: Any) -> Token:
            if not isinstance(lines[0], str):
                return _of_range(lines, known)
            word, notes = words(lines)
            misc = word.misc
            return Token(word.form, (word,), NOTHING, misc, notes, space_after=_space_after(misc))

        self.token: Callable[[Any], Token] = token
        """Makes the token of a line, or of that of a range and those of its words."""
        self.known = Memo[Any, Token](self.token, size=_REMEMBERED).__getitem__
        """Like `token`, remembered."""

    def lines(self, rows: Rows) -> list[Columns | tuple[Columns, ...]]:
        """Return the lines of each token: one line, or that of a range and those of its words."""
        columns = rows.columns
        texts = map("\t".join, zip(*columns[FORM:HEAD]))  # noqa: B905
        lines: list[Any] = list(zip(texts, columns[MISC]))  # noqa: B905
        if not rows.ranges:
            return lines
        grouped = []
        done = 0
        for first, last, cells in rows.ranges:
            grouped += lines[done : first - 1]
            grouped.append((("\t".join(cells[FORM:HEAD]), cells[MISC]), *lines[first - 1 : last]))
            done = last
        return grouped + lines[done:]

    def tokens(self, rows: Rows) -> list[Token]:
        """Return the tokens of a sentence."""
        return list(map(self.known, self.lines(rows)))


class _Words:
    """Makes the word of a line."""

    def __init__(self, assembler: Assembler) -> None:
        self._unknown = assembler.rules.unknown_tag
        self._right = assembler.analysis.right_tag
        self._known = Memo.of(self, _Words._piece, size=_REMEMBERED).__getitem__

    def _piece(self, pair: tuple[str, str], surface: str = "") -> Morpheme:
        """Return the morpheme of a piece of LEMMA and a tag.

        FORM of its word tells whether brackets are part of it.
        """
        written, tag = pair
        form, source = spell(written, surface)
        known = self._right(form, tag)
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(
            Morpheme, (form, known, source, "", tag if known != tag else "", False)
        )

    def __call__(self, columns: Columns) -> tuple[Word, tuple[Note, ...]]:
        """Return the word of a line, and what there is to report of it."""
        text, misc = columns
        form, lemma, upos, xpos, feats = text.split("\t")
        tags = xpos.split("+")
        pieces = lemma.split("+") if len(tags) > 1 else [form]
        notes: tuple[Note, ...] = ()
        # Nearly always: MISC tells nothing of the morphemes, and there is no plus sign among them.
        plain = len(pieces) == len(tags) and xpos != NOTHING and "" not in pieces and "" not in tags
        # A pattern takes several times as long.
        says_more = misc != NOTHING and any([key in misc for key in _OF_MORPHEMES])
        if not plain or says_more:
            pieces, tags, notes = self._hard(form, lemma, xpos, misc)
        pairs = zip(pieces, tags)  # noqa: B905
        if "(" in form:
            morphemes = tuple([self._piece(pair, form) for pair in pairs])
        else:
            morphemes = tuple(map(self._known, pairs))
        if says_more and any([key in misc for key in _OF_MORPHEMES[:3]]):
            morphemes = _with_more(morphemes, misc)
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(Word, (form, lemma, upos, xpos, feats, misc, morphemes)), notes

    def _hard(
        self, form: str, lemma: str, xpos: str, misc: str
    ) -> tuple[list[str], list[str], tuple[Note, ...]]:
        """Return the forms and tags of a word's morphemes."""
        items = misc_items(misc)
        tags = [tag for tag in xpos.split("+") if tag] if xpos != NOTHING else []
        tags = tags or [self._unknown]
        pieces = find_pieces(form, lemma, items, len(tags))
        if pieces is not None:
            return pieces, tags, ()
        pieces = complete_pieces(form, lemma, len(tags))
        if pieces is not None:
            return pieces, tags, (Note("W204", f"{form}: {pieces[-1]} taken from the form"),)
        message = f"{form}: no {len(tags)} morphemes for {xpos}, kept as {self._unknown}"
        return [form], [self._unknown], (Note("W205", message),)


def _with_more(morphemes: tuple[Morpheme, ...], misc: str) -> tuple[Morpheme, ...]:
    """Return the morphemes of a word with their senses, own tags, and which were added."""
    items = misc_items(misc)
    count = len(morphemes)
    senses = at_positions(items.get("Sense", ""), count)
    added = at_positions(items.get("Added", ""), count)
    tags = unescape_misc(items.get("OrigXPOS", "")).split("+")
    if len(tags) != count:
        tags = [m.tag for m in morphemes]
    found = []
    for m, sense, is_added, tag in zip(morphemes, senses, added, tags, strict=True):
        source_tag = tag if tag != m.tag else m.source_tag
        found.append(m._replace(sense=sense, added=is_added == "Yes", source_tag=source_tag))
    return tuple(found)


def _of_range(
    lines: tuple[Columns, ...], known: Memo[Columns, tuple[Word, tuple[Note, ...]]]
) -> Token:
    """Return the token of a range and the words in it."""
    text, misc = lines[0]
    form, *_, feats = text.split("\t")
    words, found = zip(*[known[columns] for columns in lines[1:]], strict=True)
    notes = tuple(chain.from_iterable(found))
    # Published files say SpaceAfter=No on the last word of a range.
    space_after = _space_after(misc) and _space_after(words[-1].misc)
    return Token(form, words, feats, misc, notes, space_after=space_after)


def _space_after(misc: str) -> bool:
    return _JOINED not in misc or _JOINED not in misc.split("|")


def eojeols_of(lines: Iterable[Any]) -> list[Columns | tuple[Columns, ...]]:
    """Return the lines of each eojeol: one line, or those of the tokens that it is joined of."""
    eojeols: list[Columns | tuple[Columns, ...]] = []
    joined: list[Columns] = []
    for line in lines:
        if not _space_after(line[1]):
            joined.append(line)
        elif joined:
            eojeols.append((*joined, line))
            joined = []
        else:
            eojeols.append(line)
    if joined:
        eojeols.append(joined[0] if len(joined) == 1 else tuple(joined))
    return eojeols
