"""The notation of a word's morphemes in MISC and LEMMA of CoNLL-U, and words in their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from sejongud.errors import Note
from sejongud.formats.base import to_number
from sejongud.layers.labels import OUTSIDE, spread
from sejongud.memo import lazy_pattern
from sejongud.model import NOTHING, Arcs, Eojeol, Sentence, Span, Token, Word, with_items
from sejongud.morphology.eojeol import MADE
from sejongud.morphology.hangul import compose, decompose, is_syllable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


_ESCAPES = {"\\": "\\\\", "|": "\\p", " ": "\\s", "-": "\\-", ",": "\\c"}
_UNESCAPES = {written[1]: char for char, written in _ESCAPES.items()}
_ESCAPE = {more: lazy_pattern(rf"[\\| {more}]") for more in ("", "-", ",", ",-")}
_UNESCAPE = lazy_pattern(r"\\(.)")
_SEGMENT = lazy_pattern(r"((?:\\.|[^-])*)-", re.DOTALL)
"""A morpheme in `MSeg`, up to the next hyphen that is not escaped."""


def escape_misc(text: str, more: Literal["", "-", ",", ",-"] = "") -> str:
    r"""Escape the backslashes, pipes and spaces of a value for MISC, and `more` characters.

    >>> escape_misc("a|b c"), escape_misc("a-b", "-")
    ('a\\pb\\sc', 'a\\-b')
    """
    return _ESCAPE[more].sub(lambda m: _ESCAPES[m[0]], text)


def unescape_misc(text: str) -> str:
    r"""Invert `escape_misc`.

    >>> unescape_misc("a\\pb\\sc")
    'a|b c'
    """
    return _UNESCAPE.sub(lambda m: _UNESCAPES.get(m[1], m[0]), text) if "\\" in text else text


def join_segments(segments: Iterable[str]) -> str:
    r"""Return the value of `MSeg`: the morphemes joined by hyphens.

    >>> join_segments(["a-b", "의"])
    'a\\-b-의'
    """
    return "-".join([escape_misc(segment, "-") for segment in segments])


def split_segments(value: str) -> list[str]:
    r"""Split the value of `MSeg` into morphemes; the inverse of `join_segments`.

    >>> split_segments("a\\-b-의")
    ['a-b', '의']
    """
    if "\\" not in value:
        return value.split("-")
    return list(map(unescape_misc, _SEGMENT.findall(f"{value}-")))


def by_position(values: Sequence[str]) -> str:
    """Join the values of morphemes, each with its position; a single value stands alone.

    >>> by_position(["02", "", "01"])
    '1:02,3:01'
    """
    if len(values) == 1:
        return values[0]
    return ",".join([f"{number}:{value}" for number, value in enumerate(values, 1) if value])


def at_positions(value: str, count: int) -> list[str]:
    """Split the values of `by_position` by morpheme; items in another notation are ignored."""
    if count == 1:
        return [value]
    values = [""] * count
    for item in value.split(",") if value else ():
        position, _, part = item.partition(":")
        number = to_number(position)
        if number is not None and 0 < number <= count:
            values[number - 1] = part
    return values


def misc_items(misc: str) -> dict[str, str]:
    """Return the items of MISC by their keys.

    >>> misc_items("a=1|b=2=3"), misc_items("_")
    ({'a': '1', 'b': '2=3'}, {})
    """
    if misc in ("", NOTHING):
        return {}
    return dict([item.partition("=")[::2] for item in misc.split("|")])


def without_items(misc: str, is_dropped: Callable[[str], object]) -> str:
    """Return MISC without the items with some keys.

    >>> without_items("a=1|b=2", {"a"}.__contains__), without_items("a=1", {"a"}.__contains__)
    ('b=2', '_')
    """
    items = [item for item in misc.split("|") if not is_dropped(item.partition("=")[0])]
    return "|".join(items) or NOTHING


def word_label(labels: Sequence[str]) -> str:
    """Return the label of a word: its morphemes' first label inside an entity, or "".

    >>> word_label(("B-LC", "O")), word_label(("O",))
    ('B-LC', '')
    """
    return next((label for label in labels if label != OUTSIDE), "")


def label_key(layer: int) -> str:
    """Return the key of MISC for the labels of a layer, counted from 0.

    >>> label_key(0), label_key(1)
    ('NE', 'NE2')
    """
    return f"NE{layer + 1}" if layer else "NE"


def find_pieces(form: str, lemma: str, misc: Mapping[str, str], count: int) -> list[str] | None:
    """Return the morphemes of a word from the first source that has `count` pieces.

    The sources are MSeg, FORM (for a single morpheme), OrigLemma and LEMMA, in this order. None if
    every source has another number of pieces.
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


def tells_morphemes(misc: str) -> bool:
    """Return whether an item of MISC tells the morphemes of its word."""
    return "MSeg=" in misc or "OrigLemma=" in misc


def with_pieces(word: Word, stem: str) -> Word:
    """Return a word whose MISC tells the morphemes that it has, and no others.

    Args:
        word: MISC and LEMMA may tell the morphemes of before.
        stem: its LEMMA, if that was a morpheme of before.
    """
    written, items = [morpheme.written for morpheme in word.morphemes], misc_items(word.misc)
    columns = word.form, word.lemma
    told = find_pieces(*columns, items, len(written)) or complete_pieces(*columns, len(written))
    if told == written:
        return word
    before = [*(told or ()), *split_segments(items.get("MSeg", ""))]
    before += split_lemma(items.get("OrigLemma", ""))
    if word.lemma in before and word.lemma not in written:
        word = word._replace(lemma=stem)
    key, value = "MSeg", join_segments(written)
    if "OrigLemma" in items and key not in items:
        key, value = "OrigLemma", "+".join(written)
    if key not in items:
        return word._replace(misc=with_items(word.misc, [f"{key}={value}"]))
    own = [i if i.partition("=")[0] != key else f"{key}={value}" for i in word.misc.split("|")]
    return word._replace(misc="|".join(own))


def passed_over(misc: Mapping[str, str], count: int) -> list[str]:
    """Return the MSeg and OrigLemma items that `find_pieces` ignores for `count` morphemes.

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


LABEL_KEY = lazy_pattern(r"NE([2-9]|[1-9][0-9])?(Morph)?")
"""A key of MISC with entity labels: the layer, and `Morph` for labels morpheme by morpheme."""
KEPT = "Sejongud"
"""The key of MISC of an eojeol that was kept with an error."""
SURFACE_MADE = "Surface=Made"
"""The item of MISC of an eojeol whose surface was made from its morphemes."""
HEAD_MORPHEME = "HeadMorpheme"
"""The key of MISC that names the head morpheme of a token, from 1, if its tags give another."""
TREE_KEYS = TREE_HEAD, TREE_LABEL = "TreeHead", "TreeLabel"
"""Tell the arc of an eojeol in the treebank that UD was made of."""
TOKENS = "Tokens"
"""The key of MISC that names the words that an eojeol of level 1 is joined of."""
NODE_AT = "NodeAt"
"""The key of MISC of an empty node that names the word before it, from 1 in its eojeol, and its
number, where level 1 has joined the words: `1.2`."""
MORPHEME_KEYS = frozenset(
    {"MSeg", "OrigLemma", "Sense", "OrigXPOS", "Added", "Surface", HEAD_MORPHEME, KEPT}
)
"""The keys of MISC that describe morphemes."""
PLACE_KEYS = frozenset({"SpaceAfter", "Id"})
"""The keys of MISC that describe the place of a word."""
_OWN_KEYS = MORPHEME_KEYS | PLACE_KEYS


_FEATS_LABEL = lazy_pattern(r"[BIES]-[^=]+$")


def feats_label(feats: str) -> bool:
    """Return whether FEATS holds the label of an entity, as in the layout of Fig. 3.4.

    >>> feats_label("B-LC"), feats_label("Case=Nom"), feats_label("_")
    (True, False, False)
    """
    return feats[1:2] == "-" and _FEATS_LABEL.match(feats) is not None


def other_items(word: Word) -> list[str]:
    """Return the items in MISC of a word that only MISC holds, in order.

    An MSeg or OrigLemma with a wrong number of morphemes is such an item, unless the writer adds an
    MSeg of its own (`lost_segments`).
    """
    if word.misc in ("_", ""):
        return []
    items = _others(word.misc)
    if "MSeg=" in word.misc or "OrigLemma=" in word.misc:
        lost = lost_segments(word, unless_added=False)
        items += [item for item in _unfit(word) if item != lost]
    return items


def kept_items(eojeol: Eojeol) -> list[str]:
    """Return the items of MISC that tell how an eojeol came to its form or its analysis."""
    items = [SURFACE_MADE] if MADE in eojeol.notes else []
    codes = [note.code for note in eojeol.notes if note.code.startswith("E")]
    return [*items, f"{KEPT}={codes[0]}"] if codes else items


def word_misc(word: Word) -> list[str]:
    """Return the items of MISC that bring the corpus's own morphemes back."""
    morphemes = word.morphemes
    items = []
    written = [m.source or m.form for m in morphemes]
    if len(morphemes) > 1 or written[0] != word.form:
        items.append(f"MSeg={join_segments(written)}")
    senses = [m.sense for m in morphemes]
    if any(senses):
        items.append(f"Sense={by_position(senses)}")
    if any([m.source_tag for m in morphemes]):
        tags = "+".join([m.source_tag or m.tag for m in morphemes])
        items.append(f"OrigXPOS={escape_misc(tags)}")
    if any([m.added for m in morphemes]):
        items.append(f"Added={by_position(['Yes' if m.added else '' for m in morphemes])}")
    return items


def as_read(tokens: Sequence[Token], eojeol: Eojeol) -> tuple[Token, ...]:
    """Return the tokens of an eojeol with all items of MISC, as if they came from CoNLL-U.

    Args:
        tokens: those that were not read lack what MISC says of place and morphemes.
        eojeol: tells how it came to its form or its analysis.
    """
    kept = kept_items(eojeol)
    return tuple([_as_read(token, () if at else kept) for at, token in enumerate(tokens)])


def _as_read(token: Token, kept: Sequence[str]) -> Token:
    if token.was_read:
        return token
    opening = [*([] if token.space_after else ["SpaceAfter=No"]), *kept]
    ranged = len(token.words) > 1
    own = [] if ranged else opening
    told = [_misc([*own, *_untold(word)], word.misc) for word in token.words]
    words = tuple([word._replace(misc=m) for word, m in zip(token.words, told, strict=True)])
    misc = _misc(opening, token.misc) if ranged else words[0].misc
    return Token(token.form, words, token.feats, misc, token.notes, space_after=token.space_after)


def _untold(word: Word) -> list[str]:
    """Return the items of MISC that bring the morphemes back which LEMMA and XPOS do not tell."""
    written = [morpheme.written for morpheme in word.morphemes]
    told = find_pieces(word.form, word.lemma, {}, len(written)) == written
    return [item for item in word_misc(word) if not (told and item.startswith("MSeg="))]


def _misc(items: Sequence[str], misc: str) -> str:
    """Return MISC with items before its own."""
    return "|".join([*items, *([misc] if misc not in ("", NOTHING) else [])]) or NOTHING


def range_items(token: Token) -> list[str]:
    """Return the items in MISC of a range that only MISC holds, in order."""
    return _others(token.misc) if token.misc not in ("_", "") else []


def lost_segments(word: Word, *, unless_added: bool = True) -> str:
    """Return the source's MSeg of a word if it clashes with the writer's MSeg, or "".

    It clashes if its number of morphemes is wrong and the writer adds an MSeg of its own.

    Args:
        word: a word with MISC.
        unless_added: whether to ignore words to which a reader added a missing symbol (`Added`).
    """
    if "MSeg=" not in word.misc:
        return ""
    over = _unfit(word)
    if not over or not over[0].startswith("MSeg=") or (unless_added and "Added=" in word.misc):
        return ""
    several = len(word.morphemes) > 1 or word.morphemes[0].source
    return over[0] if several else ""


def all_lost_segments(eojeol: Eojeol) -> list[tuple[Word, str]]:
    """Return the words of an eojeol with an MSeg that clashes, which stands behind each."""
    words = [word for token in eojeol.tokens for word in token.words]
    return [(word, lost) for word in words if (lost := lost_segments(word))]


def lost_notes(eojeol: Eojeol) -> tuple[Note, ...]:
    """Return a note for each word with an MSeg that does not fit its XPOS."""
    passed = "{}: {} has not the morphemes of {}, passed over".format
    lost = all_lost_segments(eojeol)
    return tuple([Note("W301", passed(word.form, one, word.xpos)) for word, one in lost])


def _unfit(word: Word) -> list[str]:
    return passed_over(misc_items(word.misc), len(word.morphemes))


def _others(misc: str) -> list[str]:
    others = [item for item in misc.split("|") if item.partition("=")[0] not in _OWN_KEYS]
    return [item for item in others if not _is_label(item)]


def _is_label(item: str) -> bool:
    key, _, value = item.partition("=")
    return bool(value) and key.startswith("NE") and LABEL_KEY.fullmatch(key) is not None


def with_labels(misc: str, labels: Iterable[str]) -> str:
    """Return MISC with other entity labels, each at the place of the one that it had.

    New ones follow those, or else the items that this package writes first.

    >>> with_labels("A=b|NE=O|SpaceAfter=No", ["NE=B-LC"]), with_labels("A=b", ["NE=B-LC"])
    ('A=b|NE=B-LC|SpaceAfter=No', 'NE=B-LC|A=b')
    """
    told = {item.partition("=")[0]: item for item in labels}
    items = []
    end = start = 0
    for item in misc.split("|") if misc not in ("", NOTHING) else ():
        key, _, value = item.partition("=")
        if not _is_label(item):
            items.append(item)
            start += len(items) == start + 1 and key in _OWN_KEYS
        elif key in told or value == OUTSIDE:
            items.append(told.pop(key, item))
            end = len(items)
    end = end or start
    return "|".join([*items[:end], *told.values(), *items[end:]]) or NOTHING


def with_places_of_labels(misc: str) -> str:
    """Return MISC with O for each label that `with_labels` would not put back at its place.

    >>> with_places_of_labels("A=b|NE=B-LC"), with_places_of_labels("NE=B-LC|A=b")
    ('A=b|NE=O', 'A=b')
    """
    items = misc.split("|")
    labels = sorted(filter(_is_label, items), key=lambda item: LABEL_KEY.findall(item)[0])
    rest = "|".join([item for item in items if not _is_label(item)]) or NOTHING
    outside = any([item.endswith(f"={OUTSIDE}") for item in labels])
    if not outside and with_labels(rest, labels) == misc:
        return rest
    return "|".join([f"{i.partition('=')[0]}={OUTSIDE}" if _is_label(i) else i for i in items])


_LEMMA_PIECE = lazy_pattern(r"(.[^+]*)(?:\+|$)", re.DOTALL)


def label_items(key: str, labels: Sequence[str]) -> list[str]:
    """Return the items of MISC for the labels of a word's morphemes in a layer.

    Args:
        key: of the layer.
        labels: of the morphemes.

    >>> label_items("NE", ("B-LC", "I-LC")), label_items("NE", ("B-LC", "O"))
    (['NE=B-LC'], ['NE=B-LC', 'NEMorph=1:B-LC'])
    """
    value = word_label(labels)
    items = [f"{key}={escape_misc(value)}"] if value else []
    if value and spread(value, len(labels)) != tuple(labels):
        items.append(f"{key}Morph={labels_by_position(labels)}")
    return items


def all_label_items(layers: Sequence[Sequence[str]]) -> list[str]:
    """Return the items of MISC for the labels of a word's morphemes in all layers."""
    return [i for at, labels in enumerate(layers) for i in label_items(label_key(at), labels)]


def labels_by_position(labels: Sequence[str]) -> str:
    """Return the entity labels of a word's morphemes, each with its position.

    >>> labels_by_position(("O", "B-LC"))
    '2:B-LC'
    """
    numbered = enumerate(labels, 1)
    return ",".join([f"{n}:{escape_misc(one, ',')}" for n, one in numbered if one != OUTSIDE])


def split_lemma(lemma: str) -> list[str]:
    """Split a lemma at its pluses; a piece may itself be a plus.

    >>> split_lemma("프랑스+의"), split_lemma("3+++4"), split_lemma("+")
    (['프랑스', '의'], ['3', '+', '4'], ['+'])
    """
    return _LEMMA_PIECE.findall(lemma)


def complete_pieces(form: str, lemma: str, count: int) -> list[str] | None:
    """Return the morphemes of a word whose LEMMA lacks the last one, which FORM supplies.

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


# --- words in their places ------------------------------------------------------------------------


class WordView(NamedTuple):
    """A word in its sentence."""

    number: int
    """From 1."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    """The number of its governor; 0 for the root, -1 if the sentence has no dependencies."""
    deprel: str
    deps: str
    misc: tuple[str, ...]
    """The items of MISC that nothing else here says."""
    entity: str
    """The label of the outermost entity it is part of, "" for none."""
    eojeol: int
    """Its eojeol, from 0."""
    token: int
    """Its token in the sentence, from 0."""
    first: int
    """Its first morpheme in the eojeol, from 0."""
    last: int
    """Behind its last morpheme."""


def word_span(eojeol: Eojeol, word: WordView) -> Span:
    """Return the characters of a word in its eojeol; those of a fused syllable are shared."""
    spans = eojeol.spans[word.first : word.last] or ((0, len(eojeol.form)),)
    return min([span[0] for span in spans]), max([span[1] for span in spans])


def word_views(sentence: Sentence) -> Iterator[WordView]:
    """Iterate over the words of a sentence's own cut."""
    count = len(list(sentence.words))
    arcs = sentence.arcs or Arcs((-1,) * count, (NOTHING,) * count)
    every = zip(arcs.heads, arcs.deprels, arcs.deps or (NOTHING,) * count, strict=True)
    number = tokens = 0
    for index, eojeol in enumerate(sentence.eojeols):
        labels = sentence.entities[0][index] if sentence.entities else ()
        start = 0
        for token in eojeol.tokens:
            misc: list[str] = []
            if len(token.words) > 1:
                # Items of a range have no other place.
                misc = [f"Feats={token.feats}"] if token.feats != NOTHING else []
                misc += range_items(token)
            for word in token.words:
                end = start + len(word.morphemes)
                number += 1
                feats = NOTHING if feats_label(word.feats) else word.feats
                columns = *word[:4], feats, *next(every), (*misc, *other_items(word))
                entity = word_label(labels[start:end])
                yield WordView(number, *columns, entity, index, tokens, start, end)
                misc = []
                start = end
            tokens += 1
