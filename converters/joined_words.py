"""The item `Tokens` in MISC of a word of level 1, which brings back the words that it consists of.

    참여한다.    Tokens=3,1

It has an entry for each word, with a comma between: the number of morphemes, and behind hyphens the
columns that differ from the default. By default a word is a mark: PUNCT, attached to the head by
`punct`, and its other columns follow from its morphemes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.relations import ITEM as WORD_FEATS
from sejongud.converters.relations import Stems
from sejongud.formats.base import to_number
from sejongud.formats.conllu.sentence import labels_of_words
from sejongud.formats.misc import (
    HEAD_MORPHEME,
    NODE_AT,
    TOKENS,
    all_label_items,
    escape_misc,
    misc_items,
    other_items,
    split_segments,
    unescape_misc,
    with_labels,
    with_places_of_labels,
    without_items,
)
from sejongud.layers.arcs import GOVERNOR, Partition, basic_item, with_nodes
from sejongud.levels.heads import HeadRule
from sejongud.model import NO_OCCURRENCE, NOTHING, Arcs, EmptyNode, Eojeol, Morpheme, Token, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sejongud.layers.relabelling import WordUpos
    from sejongud.rules import Rules

LONGER = "now part of a longer one"
_CELLS = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "MISC")
MARK, _DEPREL = "PUNCT", "punct"
"""UPOS and DEPREL of a mark."""
SPACE = "SpaceAfter=No"
ROMANISED = {"Translit": ("FORM", ""), "LTranslit": ("LEMMA", "+")}
"""The items of MISC that are joined: the column that a mark repeats, and the text between."""

_Columns = dict[str, str]
Cells = tuple[tuple[str, str], ...]
Place = tuple[tuple[int, Cells], ...]
"""HEAD and DEPREL of words of an eojeol, from 0."""
_Entry = tuple[int, _Columns]
"""The number of morphemes of a word, and the columns that `Tokens` names."""


class Separated(NamedTuple):
    """An eojeol whose words have come back from `Tokens`."""

    eojeol: Eojeol
    split: Partition
    arcs: tuple[tuple[int, _Columns], ...]
    """The words, from 0, with the HEAD and DEPREL that `Tokens` names."""


class Separator:
    """Brings the words of a joined word back.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._heads = HeadRule(rules)
        self._sejong_tags = rules.sejong_tags
        self._stem = Stems(rules).of
        self._stems = Stems(rules).upos

    def __call__(self, eojeol: Eojeol) -> Separated | None:
        """Return an eojeol with the words that `Tokens` names; None if there are none that fit."""
        token, word = eojeol.tokens[0], eojeol.tokens[0].words[0]
        entries = _entries(token.misc) if len(eojeol.tokens) == 1 == len(token.words) else []
        sizes = [size for size, _ in entries]
        if not entries or sum(sizes) != len(word.morphemes):
            return None
        top, rows = 0, [{"MISC": without_items(token.misc, TOKENS.__eq__)}]
        if len(entries) > 1:
            top = self.top(word.morphemes, sizes, token.misc)
            rows = self._columns(word, entries, top, token.space_after)
            lemmas = [row["LEMMA"] for row in rows]
            first, last = sum(sizes[:top]), sum(sizes[: top + 1])
            stem = self._stem(word.upos, word.morphemes[first:last], "")
            if word.lemma not in ("+".join(lemmas), lemmas[top], stem, NOTHING):
                # Somebody has edited it.
                rows[top]["LEMMA"] = _between(word.lemma, lemmas[:top], lemmas[top + 1 :])
        layers = labels_of_words([word]) if "NE" in word.misc else ()
        tokens: list[Token] = []
        for (first, last), row in zip(pairwise(accumulate(sizes, initial=0)), rows, strict=True):
            cells = [row.get(*pair) for pair in zip(_CELLS, word, strict=False)]
            new = Word._make([*cells, word.morphemes[first:last]])
            if layers:
                items = all_label_items([layer[first:last] for layer in layers])
                new = new._replace(misc=with_labels(new.misc, items))
            space_after = token.space_after if len(tokens) == len(rows) - 1 else False
            tokens.append(Token(new.form, (new,), NOTHING, new.misc, space_after=space_after))
        if "".join([token.form for token in tokens]) != eojeol.form:
            return None
        arcs = [
            (at, told) for at, (_, told) in enumerate(entries) if "HEAD" in told or "DEPREL" in told
        ]
        separated = eojeol.but(tokens=tuple(tokens), occurrence=NO_OCCURRENCE)
        return Separated(separated, split_of(len(sizes), top), tuple(arcs))

    def top(self, morphemes: Sequence[Morpheme], sizes: Sequence[int], misc: str = "") -> int:
        """Return the word with the head morpheme, from 0.

        Args:
            morphemes: of the joined word.
            sizes: the number of morphemes of each of its words.
            misc: of the joined word; it may name the head morpheme.
        """
        told = to_number(misc_items(misc).get(HEAD_MORPHEME, "")) if HEAD_MORPHEME in misc else None
        head = told - 1 if told else self._heads.head(self._sejong_tags(morphemes))
        return word_with(head, sizes)

    def entries(
        self,
        word: Word,
        words: Sequence[Word],
        top: int,
        space_after: bool,
        place: Place,
    ) -> list[_Entry]:
        """Return the entries of `Tokens`.

        Args:
            word: the joined word.
            words: that it is joined of, each in a token of its own.
            top: the word, from 0, whose columns the joined word has.
            space_after: whether a space follows.
            place: HEAD and DEPREL of words, from 0, that the joined arcs do not tell.
        """
        entries: list[_Entry] = [(len(one.morphemes), {}) for one in words]
        for at, cells in place:
            entries[at][1].update(cells)
        defaults = self._columns(word, entries, top, space_after)
        # FORM and the romanisation of the head are the rest of those of the joined word.
        others = [at for at in range(len(words)) if at != top]
        if any([_tell(entries[at][1], words[at], defaults[at]) for at in others]):
            defaults = self._columns(word, entries, top, space_after)
        _tell(entries[top][1], words[top], defaults[top])
        return entries

    def _columns(
        self, word: Word, entries: Sequence[_Entry], top: int, space_after: bool
    ) -> list[_Columns]:
        """Return the columns of the words of a joined word."""
        items = misc_items("|".join(other_items(word)))
        items.pop(TOKENS, None)
        rows: list[_Columns] = []
        for (first, last), (_, told) in zip(
            pairwise(accumulate([size for size, _ in entries], initial=0)), entries, strict=True
        ):
            morphemes = word.morphemes[first:last]
            is_top = len(rows) == top
            row = {
                "FORM": "".join([m.form for m in morphemes]) or NOTHING,
                "LEMMA": "+".join([m.written for m in morphemes]) or NOTHING,
                "UPOS": word.upos if is_top else MARK,
                "XPOS": "+".join([m.tag for m in morphemes]),
                "FEATS": word.feats if is_top else NOTHING,
            }
            rows.append(row | told)
        head = rows[top]
        if "FORM" not in entries[top][1]:
            forms = [row["FORM"] for row in rows]
            head["FORM"] = _rest(word.form, (forms[:top], forms[top + 1 :]), "")
        romanised = [key for key in items if key in ROMANISED]
        for at, row in enumerate(rows):
            if at != top and "MISC" not in row:
                values = {key: row[ROMANISED[key][0]] for key in romanised}
                row["MISC"] = misc_with(values, at < len(rows) - 1 or not space_after)
        if "MISC" not in head:
            each = [
                misc_items(row["MISC"]) for at, row in enumerate(rows) if romanised and at != top
            ]
            for key in romanised:
                if ROMANISED[key][0] == "LEMMA" and word.upos in self._stems:
                    continue
                values_of = [[own.get(key) for own in part] for part in (each[:top], each[top:])]
                others = [[value for value in part if value] for part in values_of]
                items[key] = _rest(items[key], others, ROMANISED[key][1])
            head["MISC"] = misc_with(items, top < len(rows) - 1 or not space_after)
        return rows


def with_told(arcs: Arcs, told: Iterable[tuple[int, Mapping[str, str]]]) -> Arcs:
    """Return the arcs of words, with the HEAD and DEPREL that `Tokens` names.

    Args:
        arcs: of the words, as the joined words have them.
        told: the words, from 0, each with its columns.
    """
    heads, deprels, deps = list(arcs.heads), list(arcs.deprels), list(arcs.deps)
    for at, columns in told:
        joined = heads[at], deprels[at]
        if head := columns.get("HEAD"):
            heads[at] = -1 if head == NOTHING else min(to_number(head) or 0, len(heads))
        deprels[at] = columns.get("DEPREL", deprels[at])
        if deps:
            # DEPS keeps the relation that the joined word may not have.
            before = {basic_item(joined[0], deprel) for deprel in (joined[1], deprels[at])}
            after = basic_item(heads[at], deprels[at])
            items = deps[at].split("|")
            deps[at] = "|".join([after if item in before else item for item in items])
    return arcs._replace(heads=tuple(heads), deprels=tuple(deprels), deps=tuple(deps))


def with_restored_nodes(arcs: Arcs, starts: Mapping[int, int]) -> Arcs:
    """Return arcs whose empty nodes have the places that their MISC tells.

    Args:
        arcs: of words that have come back.
        starts: for the end of each eojeol of such words, the number of words before it.
    """
    nodes = []
    for node in arcs.nodes:
        after, _, number = misc_items(node.cells[-1]).get(NODE_AT, "").partition(".")
        place = starts.get(node.after, node.after) + (to_number(after) or node.after)
        if place <= node.after and to_number(number):
            misc = without_items(node.cells[-1], NODE_AT.__eq__)
            node = EmptyNode(place, number, (*node.cells[:-1], misc))
        nodes.append(node)
    return with_nodes(arcs, nodes) if nodes else arcs


def _tell(columns: _Columns, word: Word, default: _Columns) -> bool:
    """Add the columns of a word that differ from the default; return whether there are any."""
    misc = word.misc or NOTHING
    if "Id" in misc or "NE" in misc:
        # The writer writes them anew.
        misc = with_places_of_labels(without_items(misc, "Id".__eq__))
    cells = zip(_CELLS, (*word[:5], misc), strict=True)
    columns.update(told := {name: cell for name, cell in cells if default[name] != cell})
    return bool(told)


_XPOS, _SIZES = "WordXPOS", "WordSizes"
OWN_KEYS = frozenset(
    (
        *("WordUPOS", _XPOS, "WordLemma", GOVERNOR, "WordDeprel", WORD_FEATS),
        *("WordForm", _SIZES, HEAD_MORPHEME),
    )
)
"""The items of a split word that bring its columns back."""
_COUNTED = frozenset((_XPOS, _SIZES, HEAD_MORPHEME))
_OWN_SEGMENTS = re.compile(r"((?:^|\|)WordLemma=[^|]*)\|MSeg=[^|]*")
_OF_EOJEOL = re.compile(rf"(?:.*\|)?{TOKENS}=[^|]*(?:\||$)")
"""The items of a word of level 1, of which HeadMorpheme may be one."""


def with_restored_columns(
    own: Mapping[str, str], lemma: str, upos: str, xpos: str
) -> tuple[str, str, str]:
    """Return LEMMA, UPOS and XPOS of a word; the items in MISC override the given values."""
    if not own:
        return lemma, upos, xpos
    if _XPOS in own and _fits(own[_XPOS], len(_tags(xpos))):
        xpos = unescape_misc(own[_XPOS])
    return unescape_misc(own.get("WordLemma", lemma)), own.get("WordUPOS", upos), xpos


def unfit_items(own: Mapping[str, str], parts: int, count: int) -> list[str]:
    """Return the items of a split word that other parts or morphemes had.

    Args:
        own: its items (`restoring_items`).
        parts: the number of its parts.
        count: the number of its morphemes.
    """
    if own.keys().isdisjoint(_COUNTED):
        return []
    sizes = [to_number(size) or 0 for size in own.get(_SIZES, f"{parts}").split(",")]
    are_unfit = {
        _XPOS: _XPOS in own and not _fits(own[_XPOS], count),
        _SIZES: sum(sizes) != parts or 0 in sizes,
        HEAD_MORPHEME: (to_number(own.get(HEAD_MORPHEME, "1")) or count + 1) > count,
    }
    return [f"{key}={own[key]}" for key, is_unfit in are_unfit.items() if is_unfit]


def _fits(told: str, count: int) -> bool:
    return told == NOTHING or len(_tags(unescape_misc(told))) == count


def _tags(xpos: str) -> list[str]:
    return [tag for tag in xpos.split("+") if tag]


def restoring_items(misc: str) -> dict[str, str]:
    """Return the items of MISC that word2morph wrote."""
    if "Word" not in misc and "HeadMorpheme" not in misc:
        return {}
    return {key: value for key, value in misc_items(misc).items() if key in OWN_KEYS}


def without_own(misc: str) -> str:
    """Return MISC without the items that word2morph wrote.

    They stand behind the word's own, and so does MSeg of a word whose LEMMA is now its stem.

    >>> without_own("HeadMorpheme=3|Tokens=1,1,1|HeadMorpheme=3")
    'HeadMorpheme=3|Tokens=1,1,1'
    """
    if TOKENS in misc and (whole := _OF_EOJEOL.match(misc)):
        behind = without_own(misc[whole.end() :] or NOTHING)
        return whole[0].removesuffix("|") if behind == NOTHING else whole[0] + behind
    if "WordLemma=" in misc and "MSeg=" in misc:
        misc = _OWN_SEGMENTS.sub(r"\1", misc)
    return without_items(misc, OWN_KEYS.__contains__)


_OF_RANGE = re.compile(r"WordSizes=|Word(?:Head|Deprel)=[1-9][0-9]{0,8}:")
"""The items that a split range gets; those of words without number are the range's own."""


def split_misc(misc: str) -> tuple[str, str]:
    """Return MISC that a split range had before, and the items that it got for its words.

    A range that was split twice has `WordSizes` twice: the first is that of the split before.

    >>> split_misc("WordUPOS=ADV|WordSizes=1,2|WordHead=2:5")
    ('WordUPOS=ADV', 'WordSizes=1,2|WordHead=2:5')
    """
    items = misc.split("|")
    sizes = [at for at, item in enumerate(items) if item.startswith("WordSizes=")]
    first = sizes[-2] + 1 if len(sizes) > 1 else 0
    told = [at for at, item in enumerate(items) if at >= first and _OF_RANGE.match(item)]
    source = "|".join([item for at, item in enumerate(items) if at not in told])
    return source or NOTHING, "|".join([items[at] for at in told])


def word_with(morpheme: int, sizes: Sequence[int]) -> int:
    """Return the word that has a morpheme, from 0; the last one for a morpheme behind it."""
    return next((at for at, end in enumerate(accumulate(sizes)) if morpheme < end), len(sizes) - 1)


@lru_cache(maxsize=1_000)
def split_of(size: int, top: int, *words: WordUpos) -> Partition:
    """Return the division of an eojeol into its head and the marks around it."""
    deprels = tuple(["" if at == top else _DEPREL for at in range(size)])
    return Partition((size,), (top,), deprels, words)


def misc_with(items: dict[str, str], joined: bool) -> str:
    """Return MISC with some items; `joined` tells whether no space follows."""
    pairs = [f"{key}={value}" for key, value in items.items()]
    return "|".join([SPACE, *pairs] if joined else pairs) or NOTHING


def _rest(joined: str, others: Sequence[Sequence[str]], between: str) -> str:
    """Return what a joined value has between the values before the head and those behind it."""
    before, behind = [sum([len(value) + len(between) for value in values]) for values in others]
    return joined[before : len(joined) - behind]


def _between(lemma: str, before: Sequence[str], behind: Sequence[str]) -> str:
    """Return LEMMA of the head in that of a joined word, which may be its own alone."""
    start, end = "".join([f"{own}+" for own in before]), "".join([f"+{own}" for own in behind])
    has_both = lemma.startswith(start) and lemma.endswith(end) and len(start + end) < len(lemma)
    return lemma[len(start) : len(lemma) - len(end)] if has_both else lemma


def write_entries(entries: Sequence[_Entry]) -> str:
    """Return the item `Tokens` of MISC."""
    texts = []
    for size, columns in entries:
        cells = [f"-{name}={escape_misc(cell, ',-')}" for name, cell in columns.items()]
        texts.append(f"{size}{''.join(cells)}")
    return f"{TOKENS}={','.join(texts)}"


def _entries(misc: str) -> list[_Entry]:
    """Return the entries of `Tokens` in MISC; [] if there is none, or one that cannot be read."""
    entries = []
    for text in misc_items(misc).get(TOKENS, "").split(","):
        size, *cells = split_segments(text)
        columns = dict([cell.partition("=")[::2] for cell in cells])
        heads = columns.get("HEAD", NOTHING)
        if not to_number(size) or (heads != NOTHING and to_number(heads) is None):
            return []
        entries.append((int(size), columns))
    return entries
