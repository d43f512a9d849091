"""The ranges of a treebank of morphemes, joined to words: what `morph2word` makes of a token.

A plain range is joined from its columns, without objects between (`RangeCompiler`); any other one
takes the general way of `sejongud.converters.morph2word`, with the same result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.converters.joined_words import (
    SPACE,
    Separated,
    restoring_items,
    unfit_items,
    with_restored_columns,
    without_own,
)
from sejongud.converters.relations import ITEM as WORD_FEATS
from sejongud.formats.conllu.write import ARC, TreeTemplate
from sejongud.formats.misc import find_pieces, misc_items, tells_morphemes
from sejongud.layers.arcs import GOVERNOR
from sejongud.memo import Memo
from sejongud.model import NOTHING, Eojeol, Morpheme, Token, Word
from sejongud.morphology.eojeol import is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sejongud.converters.edits import Edits

    Head = Callable[[tuple[str, ...], Mapping[str, str]], int]

ARC_KEYS = frozenset((GOVERNOR, "WordDeprel"))
_ODD = ARC_KEYS | {"WordSizes", WORD_FEATS}
"""The keys of items that need the general way."""
Named = tuple[int, int | str]


class Joined(NamedTuple):
    """A joined token, independent of its place."""

    token: Token
    """The token with its words, which have the columns of their head morphemes."""
    sizes: tuple[int, ...]
    """The number of morphemes of each word."""
    heads: tuple[int, ...]
    """The head morpheme of each word, from 0."""
    arcs: tuple[Named, ...]
    """The words, from 0, whose arc MISC names, each with its governor, from 1, or its relation."""
    lost: int
    """The number of morphemes with FEATS or MISC that the words have no place for."""
    unfit: tuple[str, ...]
    """The items of MISC that bring nothing back, since somebody has edited the morphemes."""
    edited: int
    """The number of morphemes with a UPOS or LEMMA that the words have no place for."""


class JoinedEojeol(NamedTuple):
    """A joined eojeol, independent of its place."""

    eojeol: Eojeol
    joined: tuple[Joined, ...]
    """The joined tokens of the eojeol."""
    sizes: tuple[int, ...]
    """The number of morphemes of each word."""
    heads: tuple[int, ...]
    """The head morpheme of each word, from 0."""
    arcs: tuple[Named, ...]
    """The words, from 0, whose arc MISC names, each with its governor, from 1, or its relation."""
    lost: int
    """The number of morphemes with FEATS or MISC that the words have no place for."""
    unfit: tuple[str, ...] = ()
    """The items of MISC that bring nothing back, since somebody has edited the morphemes."""
    edited: int = 0
    """The number of morphemes with a UPOS or LEMMA that the words have no place for."""
    separated: Separated | None = None
    """The eojeol as it was joined, if its words came back from `Tokens`."""


class RangeCompiler:
    """Makes the lines of words that plain ranges are joined to, without objects between.

    Any other range takes the general way, with the same result.

    Args:
        reader: of CoNLL-U.
        head: finds the head morpheme of a word (`Joiner.head`).
        edits: finds what is lost of the parts, if that is told.
    """

    def __init__(self, reader: Any, head: Head, edits: Edits | None) -> None:
        assembler = reader.assembler
        self._misspelt = assembler.analysis.misspelt
        self._sejong_tag = assembler.rules.sejong_tag
        self._head, self._edits = head, edits
        self._joined: Memo[tuple[int, int], JoinedEojeol] = Memo(_joined)

    def __call__(self, lines: Any) -> tuple[TreeTemplate, JoinedEojeol, int, bool] | None:
        """Return the template of a word, its details, its number of parts and if a space follows.

        Args:
            lines: of the range and of its words: FORM to FEATS, with tabs between, and MISC.

        Returns:
            None for any other token, for a range that has FEATS or whose MISC names arcs or several
            words, and for one with a part that has several morphemes, FEATS or MISC.
        """
        if isinstance(lines[0], str) or any([own_misc != NOTHING for _, own_misc in lines[1:]]):
            return None
        (text, misc), *parts = lines
        forms, lemmas, all_upos, tags, feats = zip(
            *[part.split("\t") for part, _ in parts], strict=True
        )
        joined, xpos = "".join(forms), "+".join(tags)
        if feats.count(NOTHING) < len(parts) or xpos.count("+") >= len(parts) or NOTHING in tags:
            return None
        ends = SPACE not in misc
        items = restoring_items(misc) if misc != NOTHING else {}
        is_odd = items and not items.keys().isdisjoint(_ODD)
        if is_odd or not text.endswith("\t_") or not (ends or SPACE in misc.split("|")):
            return None
        if not is_plain(joined) or not self._misspelt.isdisjoint(tags):
            return None
        if items and unfit_items(items, len(parts), len(parts)):
            return None
        sejong = tuple(map(self._sejong_tag, forms, tags))
        head = self._head(sejong, items)
        lemma, upos, xpos = with_restored_columns(items, "+".join(forms), all_upos[head], xpos)
        misc = without_own(misc) if items else misc
        may_differ = "WordLemma" in items or tells_morphemes(misc)
        if may_differ and find_pieces(joined, lemma, misc_items(misc), len(parts)) != list(forms):
            return None
        stated = items.get("WordUPOS", "")
        texts = [part for part, _ in parts]
        given = (tags, sejong), all_upos, (forms, lemmas, lemma, upos), stated
        if self._edits and not self._edits.are_none(texts, *given):
            morphemes = tuple(map(Morpheme, forms, tags))
            word = Word(joined, lemma, upos, xpos, NOTHING, misc, morphemes)
            rows = zip(forms, lemmas, all_upos, tags, feats, feats, zip(morphemes), strict=True)
            if self._edits(word, tuple(map(Word._make, rows)), stated):
                return None
        columns = "\t".join((text.partition("\t")[0], lemma, upos, xpos, NOTHING))
        if "%" in columns or "%" in misc:
            return None
        template = tuple.__new__(TreeTemplate, (f"%s\t{columns}{ARC}{misc}\n", 1, ()))
        return template, self._joined[len(parts), head], len(parts), ends


def _joined(key: tuple[int, int]) -> JoinedEojeol:
    """Return what moves the arcs of a word: the number of its morphemes, and its head."""
    return JoinedEojeol(Eojeol("", ()), (), key[:1], key[1:], (), 0)
