"""What MISC and LEMMA of CoNLL-U say of the morphemes of a word, and how."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.formats.base import to_number
from sejongud.layers.labels import OUTSIDE
from sejongud.morphology.hangul import compose, decompose, is_syllable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.model import Token, Word

__all__ = [
    "at_positions",
    "by_position",
    "complete_pieces",
    "escape_misc",
    "feats_label",
    "find_pieces",
    "join_segments",
    "label_key",
    "labels_by_position",
    "lost_segments",
    "other_items",
    "passed_over",
    "range_items",
    "split_lemma",
    "split_segments",
    "unescape_misc",
    "word_label",
]

_ESCAPES = {"\\": "\\\\", "|": "\\p", " ": "\\s", "-": "\\-", ",": "\\c"}
_UNESCAPES = {written[1]: char for char, written in _ESCAPES.items()}
_ESCAPE = re.compile(r"[\\| -]")
_ESCAPE_KEEP_HYPHEN = re.compile(r"[\\| ]")
_ESCAPE_COMMA = re.compile(r"[\\| ,]")
_UNESCAPE = re.compile(r"\\(.)")


def escape_misc(text: str, *, hyphen: bool = False) -> str:
    r"""A value as it may stand in MISC: no pipe, no space; with `hyphen` no hyphen either.

    >>> escape_misc("a|b c")
    'a\\pb\\sc'
    """
    return (_ESCAPE if hyphen else _ESCAPE_KEEP_HYPHEN).sub(lambda m: _ESCAPES[m[0]], text)


def unescape_misc(text: str) -> str:
    r"""The inverse of `escape_misc`.

    >>> unescape_misc("a\\pb\\sc")
    'a|b c'
    """
    return _UNESCAPE.sub(lambda m: _UNESCAPES.get(m[1], m[0]), text) if "\\" in text else text


def join_segments(segments: Iterable[str]) -> str:
    r"""The value of `MSeg`: morphemes joined by hyphens.

    >>> join_segments(["a-b", "의"])
    'a\\-b-의'
    """
    return "-".join([escape_misc(segment, hyphen=True) for segment in segments])


def split_segments(value: str) -> list[str]:
    r"""The inverse of `join_segments`.

    >>> split_segments("a\\-b-의")
    ['a-b', '의']
    """
    if "\\" not in value:
        return value.split("-")
    segments = []
    start = 0
    at = 0
    while at < len(value):
        if value[at] == "\\":
            at += 2
        elif value[at] == "-":
            segments.append(value[start:at])
            at = start = at + 1
        else:
            at += 1
    segments.append(value[start:])
    return [unescape_misc(segment) for segment in segments]


def by_position(values: Sequence[str]) -> str:
    """The value itself for a single morpheme, else `1:02,3:01`.

    >>> by_position(["02", "", "01"])
    '1:02,3:01'
    """
    if len(values) == 1:
        return values[0]
    return ",".join([f"{at}:{value}" for at, value in enumerate(values, 1) if value])


def at_positions(value: str, count: int) -> list[str]:
    """The inverse of `by_position`; what is not of that form belongs to no morpheme."""
    if count == 1:
        return [value]
    values = [""] * count
    for item in value.split(",") if value else ():
        at, _, one = item.partition(":")
        number = to_number(at)
        if number is not None and 0 < number <= count:
            values[number - 1] = one
    return values


def word_label(labels: Sequence[str]) -> str:
    """The label of a word whose morphemes have these: the first that is in an entity, "" for none.

    >>> word_label(("B-LC", "O")), word_label(("O",))
    ('B-LC', '')
    """
    return next((label for label in labels if label != OUTSIDE), "")


def label_key(layer: int) -> str:
    """The key of MISC for the labels of a layer, from 0.

    >>> label_key(0), label_key(1)
    ('NE', 'NE2')
    """
    return f"NE{layer + 1}" if layer else "NE"


def find_pieces(form: str, lemma: str, misc: Mapping[str, str], count: int) -> list[str] | None:
    """The morphemes of a word: the first of MSeg, OrigLemma, LEMMA and FORM with `count` pieces.

    None if none has.
    """
    if "MSeg" in misc:
        segments = split_segments(misc["MSeg"])
        if len(segments) == count:
            return segments
    if count == 1:
        return [form]
    for joined in (misc.get("OrigLemma", ""), lemma):
        pieces = split_lemma(joined)
        if len(pieces) == count:
            return pieces
    return None


def passed_over(misc: Mapping[str, str], count: int) -> list[str]:
    """The items, of MSeg and OrigLemma, that `find_pieces` does not take for so many morphemes.

    >>> passed_over({"MSeg": "적-에"}, 1), passed_over({"MSeg": "적-에", "OrigLemma": "적+에"}, 2)
    (['MSeg=적-에'], ['OrigLemma=적+에'])
    """
    pieces = [("MSeg", split_segments, 1), ("OrigLemma", split_lemma, 2)]
    taken = False
    items = []
    for key, split, least in pieces:
        if key not in misc:
            continue
        if not taken and least <= count == len(split(misc[key])):
            taken = True
        else:
            items.append(f"{key}={misc[key]}")
    return items


LABEL_KEY = re.compile(r"NE([2-9]?)(Morph)?")
"""A key of MISC that labels entities: which layer, and whether morpheme by morpheme."""
KEPT = "Sejongud"
"""The key of MISC of an eojeol that was kept with an error."""
HEAD_MORPHEME = "HeadMorpheme"
"""The key of MISC that names the head morpheme of a token, from 1, where its tags do not."""
HEAD_AT = "HeadAt"
"""The key of MISC that names the morpheme of the sentence, from 1, at which the governor of a
punctuation mark begins, where HEAD is another one for the sake of valid UD."""
MORPHEME_KEYS = frozenset(
    {"MSeg", "OrigLemma", "Sense", "OrigXPOS", "Added", "Surface", HEAD_MORPHEME, HEAD_AT, KEPT}
)
"""The keys of MISC that speak of morphemes."""
PLACE_KEYS = frozenset({"SpaceAfter", "Id"})
"""The keys of MISC that speak of the place of a word."""


_FEATS_LABEL = re.compile(r"[BIES]-[^=]+$")


def feats_label(feats: str) -> bool:
    """Whether FEATS holds the label of an entity, the layout of Fig. 3.4.

    >>> feats_label("B-LC"), feats_label("Case=Nom"), feats_label("_")
    (True, False, False)
    """
    return feats[1:2] == "-" and _FEATS_LABEL.match(feats) is not None


def other_items(word: Word) -> list[str]:
    """Return the items of MISC of a word that the model does not hold elsewhere, in order.

    An MSeg or OrigLemma that does not fit its morphemes is such an item, unless an MSeg of our own
    will stand beside it (`lost_segments`).
    """
    if word.misc in ("_", ""):
        return []
    items = word.misc.split("|")
    others = _others(items)
    if "MSeg=" in word.misc or "OrigLemma=" in word.misc:
        lost = lost_segments(word, told=False)
        others += [item for item in _unfit(items, word) if item != lost]
    return others


def range_items(token: Token) -> list[str]:
    """Return the items of MISC of a range that the model does not hold elsewhere, in order."""
    return _others(token.misc.split("|")) if token.misc not in ("_", "") else []


def lost_segments(word: Word, *, told: bool = True) -> str:
    """Return the MSeg of a word that does not fit its morphemes and would be taken for ours.

    Args:
        word: with MISC.
        told: whether to leave out one of a word that lacks a symbol which was added.
    """
    if "MSeg=" not in word.misc:
        return ""
    over = _unfit(word.misc.split("|"), word)
    if not over or not over[0].startswith("MSeg=") or (told and "Added=" in word.misc):
        return ""
    several = len(word.morphemes) > 1 or word.morphemes[0].source
    return over[0] if several else ""


def _unfit(items: list[str], word: Word) -> list[str]:
    pairs = dict([item.partition("=")[::2] for item in items])
    return passed_over(pairs, len(word.morphemes))


def _others(items: Iterable[str]) -> list[str]:
    others = []
    for item in items:
        key, _, value = item.partition("=")
        labels = value and key.startswith("NE") and LABEL_KEY.fullmatch(key)
        if key not in MORPHEME_KEYS and key not in PLACE_KEYS and not labels:
            others.append(item)
    return others


_LEMMA_PIECE = re.compile(r"(.[^+]*)(?:\+|$)", re.DOTALL)


def labels_by_position(labels: Sequence[str]) -> str:
    """The labels of a word's morphemes where its own does not tell them: `1:B-LC`.

    >>> labels_by_position(("O", "B-LC"))
    '2:B-LC'
    """
    escaped = [_ESCAPE_COMMA.sub(lambda m: _ESCAPES[m[0]], label) for label in labels]
    return ",".join([f"{n}:{one}" for n, one in enumerate(escaped, 1) if one != OUTSIDE])


def split_lemma(lemma: str) -> list[str]:
    """The pieces of a lemma joined by `+`, which may itself be one.

    >>> split_lemma("프랑스+의"), split_lemma("3+++4"), split_lemma("+")
    (['프랑스', '의'], ['3', '+', '4'], ['+'])
    """
    return _LEMMA_PIECE.findall(lemma)


def complete_pieces(form: str, lemma: str, count: int) -> list[str] | None:
    """The morphemes of a word whose LEMMA lacks the last one: the rest of the form.

    >>> complete_pieces("싶습니다", "싶", 2)
    ['싶', '습니다']
    >>> complete_pieces("한다", "하", 2)
    ['하', 'ㄴ다']
    """
    pieces = split_lemma(lemma)
    stem = "".join(pieces)
    if len(pieces) != count - 1 or not stem:
        return None
    if form.startswith(stem) and len(form) > len(stem):
        return [*pieces, form[len(stem) :]]
    last = form[len(stem) - 1 : len(stem)]
    if form.startswith(stem[:-1]) and is_syllable(last):
        lead, vowel, coda = decompose(last)
        if coda and compose(lead, vowel) == stem[-1]:
            return [*pieces, coda + form[len(stem) :]]
    return None
