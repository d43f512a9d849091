"""The result of recutting an eojeol, and the items of MISC that tell it.

`Cut` is the result of `sejongud.converters.recut` for one eojeol. Two items of MISC bring arcs back
that the parts of words cannot tell: `HeadMorpheme` and `HeadAt` (`sejongud.formats.misc`).
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import Note
from sejongud.formats.base import to_number
from sejongud.formats.misc import HEAD_AT, lost_segments, other_items
from sejongud.model import NOTHING, Eojeol, Token, Word, changed_token, telling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.layers.arcs import Split
    from sejongud.model import Arcs

_SEGMENTS = "MSeg="


class Cut(NamedTuple):
    """The result of recutting an eojeol, independent of its place."""

    eojeol: Eojeol
    """The eojeol, with the tokens of the level."""
    split: Split
    """The division of its own words."""
    sizes: tuple[int, ...]
    """The number of these parts in each new word."""
    heads: tuple[int, ...]
    """The head among the parts of each new word, from 0."""
    lost: int
    """The number of words whose FEATS or MISC a longer word has no place for."""
    notes: tuple[Note, ...] = ()
    """The other losses."""


class Part(NamedTuple):
    """A run of an eojeol's morphemes that neither cut divides."""

    own: int
    """The own word that it belongs to."""
    first: int
    last: int
    """Behind its last morpheme."""
    upos: str
    """UPOS, "" where the scheme of the level tells it."""
    is_head: bool
    deprel: str
    """Its relation to the head part of its word."""


def shape_of(tokens: Sequence[Token]) -> list[list[int]]:
    """Return the number of morphemes of each word, by token."""
    return [[len(word.morphemes) for word in token.words] for token in tokens]


def own_words(eojeol: Eojeol) -> Iterator[tuple[int, int, Word]]:
    """Iterate over the own words of an eojeol: first morpheme, behind the last one, the word.

    The last word has the symbols that the source lacks behind it.
    """
    words = [word for token in eojeol.tokens for word in token.words]
    start = 0
    for at, word in enumerate(words, 1):
        end = start + len(word.morphemes) if at < len(words) else len(eojeol.morphemes)
        yield start, end, word
        start = end


def with_misc(
    words: Sequence[Word], tops: Sequence[Part], own: Sequence[tuple[int, int, Word]]
) -> list[Word]:
    """Return the words with the MISC of the own word whose columns they have.

    Args:
        words: new ones.
        tops: for each of them the part whose columns it has.
        own: the own words of the eojeol.
    """
    found = []
    for word, top in zip(words, tops, strict=True):
        items = other_items(own[top.own][2]) if top.is_head else []
        if len(word.morphemes) > 1:
            items = [item for item in items if not item.startswith(_SEGMENTS)]
        found.append(word._replace(misc="|".join(items)))
    return found


def number_in(misc: str, key: str) -> int:
    """Return the number that an item of MISC holds, 0 for none."""
    if key not in misc:
        return 0
    pairs = [item.partition("=") for item in misc.split("|")]
    return next((to_number(value) or 0 for name, _, value in pairs if name == key), 0)


def tells_governor(eojeol: Eojeol) -> bool:
    """Test whether MISC of a word of an eojeol names its governor (`HeadAt`)."""
    for token in eojeol.tokens:
        if HEAD_AT in token.misc or (
            len(token.words) > 1 and any([HEAD_AT in word.misc for word in token.words])
        ):
            return True
    return False


def _without_place(token: Token) -> Token:
    """Return a token of one word without `HeadAt`; any other token stays as it is."""
    items = token.misc.split("|")
    kept = [item for item in items if not item.startswith(f"{HEAD_AT}=")]
    if len(token.words) > 1 or len(kept) == len(items):
        return token
    misc = "|".join(kept) or NOTHING
    return changed_token(token, (token.words[0]._replace(misc=misc),), token.feats, misc)


def restored(eojeols: Sequence[Eojeol], arcs: Arcs) -> tuple[tuple[Eojeol, ...], Arcs]:
    """Return a sentence with the governors that MISC names (`HeadAt`), and without these items.

    Args:
        eojeols: of the sentence.
        arcs: of its words.
    """
    heads = list(arcs.heads)
    words = [word for eojeol in eojeols for _, _, word in own_words(eojeol)]
    ends = list(accumulate([len(word.morphemes) for word in words]))
    for at, word in enumerate(words):
        if told := number_in(word.misc, HEAD_AT):
            heads[at] = min(bisect_left(ends, told), len(ends) - 1) + 1
    changed = [
        eojeol.but(tokens=tuple(map(_without_place, eojeol.tokens)))
        if tells_governor(eojeol)
        else eojeol
        for eojeol in eojeols
    ]
    return tuple(changed), arcs._replace(heads=tuple(heads))


def tell_governors(cuts: Sequence[Cut], arcs: Arcs, climbed: Mapping[int, int]) -> list[Cut]:
    """Say in MISC (`HeadAt`) where the governor of punctuation begins that is attached elsewhere.

    Args:
        cuts: of the eojeols; no words are joined.
        arcs: of the words, as they were.
        climbed: the punctuation, from 0 among these words, and its governor, from 1.
    """
    parts = [len(word.morphemes) for cut in cuts for t in cut.eojeol.tokens for word in t.words]
    starts = list(accumulate(parts, initial=1))
    sizes = [size for cut in cuts for size in cut.split.sizes]
    inside = [head for cut in cuts for head in cut.split.heads]
    where = list(map(add, accumulate(sizes, initial=0), inside))
    told = {where[at]: starts[where[head - 1]] for at, head in climbed.items()}
    found = []
    word = 0
    for cut in cuts:
        tokens = []
        for token in cut.eojeol.tokens:
            if (place := told.get(word)) and len(token.words) == 1:
                token = telling(token, f"{HEAD_AT}={place}")
            tokens.append(token)
            word += len(token.words)
        same = tuple(tokens) == cut.eojeol.tokens
        found.append(cut if same else cut._replace(eojeol=cut.eojeol.but(tokens=tuple(tokens))))
    return found


def filled(eojeol: Eojeol, tokens: Sequence[Token], *, retag: bool, relemma: bool) -> Eojeol:
    """Return an eojeol with its own tokens, in which blank columns are filled.

    Args:
        eojeol: with its own tokens.
        tokens: of the level, with the same words.
        retag: whether UPOS is that of the level in any case.
        relemma: whether LEMMA is.
    """
    changed = []
    for own, new in zip(eojeol.tokens, tokens, strict=True):
        words = tuple(
            [
                one._replace(
                    form=one.form or other.form,
                    lemma=other.lemma if relemma else one.lemma or other.lemma,
                    upos=other.upos if retag else one.upos or other.upos,
                    xpos=one.xpos or other.xpos,
                )
                for one, other in zip(own.words, new.words, strict=True)
            ]
        )
        if own.form and words == own.words:
            changed.append(own)
        else:
            columns = own.form or new.form, words, own.feats, own.misc, own.notes
            space_after = own.space_after
            changed.append(Token(*columns, was_read=own.was_read, space_after=space_after))
    return eojeol if tuple(changed) == eojeol.tokens else eojeol.but(tokens=tuple(changed))


def segment_notes(own: Sequence[tuple[int, int, Word]]) -> tuple[Note, ...]:
    """Return a note for each own word with an MSeg that does not fit its XPOS."""
    return tuple(
        [
            Note("W301", f"{word.form}: {lost} has not the morphemes of {word.xpos}, left out")
            for _, _, word in own
            if (lost := lost_segments(word))
        ]
    )


def own_token(eojeol: Eojeol, first: int, last: int) -> Token | None:
    """Return the own token of an eojeol that has just these morphemes, None if none has."""
    start = 0
    for at, token in enumerate(eojeol.tokens, 1):
        end = start + sum([len(word.morphemes) for word in token.words])
        if at == len(eojeol.tokens):
            end = len(eojeol.morphemes)
        if (start, end) == (first, last):
            return token
        start = end
    return None


def count_lost(
    word: Word, parts: Sequence[Part], head: int, own: Sequence[tuple[int, int, Word]]
) -> int:
    """Return how many own words have FEATS or MISC that a joined word has no place for.

    Args:
        word: the joined word, of which we write an MSeg of our own.
        parts: that it is joined of.
        head: the part whose columns it has.
        own: the own words of the eojeol.
    """
    kept = parts[head].own
    others = {part.own for part in parts if part.is_head and part.own != kept}
    words = [own[at][2] for at in others]
    lost = sum([one.feats != NOTHING or bool(other_items(one)) for one in words])
    if len(word.morphemes) > 1 and parts[head].is_head:
        lost += any([item.startswith(_SEGMENTS) for item in other_items(own[kept][2])])
    return lost
