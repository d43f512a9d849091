"""Lines of a treebank straight to those of its morphemes, and back.

What becomes of a word, or of the morphemes of one, is a pure function of its lines but for numbers,
heads and relations. Where a sentence is nothing but such lines and a tree, no `UDSentence` is made:
a token that has been seen is one look-up, and what its place tells is filled in.
`sejongud.formats.direct` does the same for `convert`.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain, compress, count, repeat
from operator import add, eq, not_
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.morph2word import as_told, leaving_arc, own_items, without_own
from sejongud.converters.word2morph import with_items
from sejongud.formats.ud import Numbers, comments_end, range_rest, word_lines
from sejongud.memo import Memo
from sejongud.ud import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.converters.morph2word import Joiner, Morph2Word
    from sejongud.converters.word2morph import Splitter, Word2Morph
    from sejongud.formats.ud import Columns, UDBlock, UDReader
    from sejongud.model import Morpheme
    from sejongud.ud import UDToken, UDWord

__all__ = ["DirectJoin", "DirectSplit", "is_tree"]

_REMEMBERED = 48_000
_END = "_\t%s\t%s\t_\t_\n"
"""FEATS and what follows it in the line of a morpheme of which these say nothing."""
_Morphemes = tuple[str, ...]
"""The lines of a token: FORM to FEATS of each, then MISC of each."""

# Were a cell to go on in the next line, there would be fewer rows than lines: so not to exclude a
# line's end costs nothing, and is faster.
_CELL = r"[^\t]++"
# FORM to FEATS stay together: only a token that has not been seen is looked at more closely.
_INNER = r"\t".join([_CELL] * 5)
_REST = rf"\t({_INNER})\t({_CELL})\t({_CELL})\t_\t([^\t\n]++)$"
_find_words = re.compile(rf"^([0-9]++){_REST}", re.MULTILINE).findall
_find_morphemes = re.compile(rf"^([0-9]++)(?:-([0-9]++))?{_REST}", re.MULTILINE).findall


def is_tree(heads: Sequence[int]) -> bool:
    """Whether the words of a sentence are a tree.

    Args:
        heads: for each word, which word governs it, from 1; 0 the root.

    >>> is_tree([2, 0]), is_tree([0, 3, 2]), is_tree([0, 3])
    (True, False, False)
    """
    if heads.count(0) != 1 or min(heads) < 0 or max(heads) > len(heads):
        return False
    above = [0, *heads]
    # Twice as far up every time: in a tree all soon arrive at the root.
    for _ in range(len(heads).bit_length()):
        above = list(map(above.__getitem__, above))
        if not any(above):
            return True
    return False


class _Split(NamedTuple):
    """The morphemes of a word, wherever it stands."""

    lines: str
    """With `%s` for number, HEAD and DEPREL of each."""
    range_rest: str
    """The line of the range behind its ID; "" if there is none."""
    size: int
    head: int
    """The head morpheme, from 0."""
    deprels: tuple[str, ...]
    """Of each; that of the head morpheme is the word's."""


class _Pattern(NamedTuple):
    """What the tags of a word and its UPOS tell of its morphemes."""

    tags: tuple[str, ...]
    upos: tuple[str, ...]
    head: int
    deprels: tuple[str, ...]
    items: tuple[str, ...]


class _Patterns:
    """Finds what the tags of a word tell."""

    def __init__(self, splitter: Splitter) -> None:
        self._pattern = splitter.pattern

    def __call__(self, key: tuple[str, str]) -> _Pattern | None:
        """What XPOS and UPOS tell; None if they do not tell all."""
        xpos, upos = key
        tags = tuple(xpos.split("+"))
        found = None if "" in tags else self._pattern(tags, upos)
        return found and _Pattern(tags, found.upos, found.head, found.shape.deprels, found.items)


class _Lines:
    """Makes the line of a morpheme.

    Args:
        morpheme: what a piece of LEMMA with a tag is.
        word: what word a morpheme with a UPOS is.
    """

    def __init__(
        self,
        morpheme: Callable[[tuple[str, str]], Morpheme],
        word: Callable[[tuple[Morpheme, str]], UDWord],
    ) -> None:
        self._morpheme = morpheme
        self._word = word

    def __call__(self, key: tuple[str, str, str]) -> str:
        """The line of a piece with this tag and UPOS; "" if these do not tell all of it."""
        piece, tag, upos = key
        if not piece:
            return ""
        morpheme = self._morpheme((piece, tag))
        word = self._word((morpheme, upos))
        if word.misc != NOTHING or morpheme.tag != tag or morpheme.form != piece:
            return ""
        columns = f"{word.form}\t{word.lemma}\t{word.upos}\t{word.xpos}"
        return f"%s\t{_escaped(columns)}\t{_END}"


class _Splits:
    """Makes the morphemes of a word, wherever it stands."""

    def __init__(self, reader: UDReader, splitter: Splitter) -> None:
        self._read = reader.token
        self._split = splitter
        patterns = _Patterns(splitter)
        self._patterns: Memo[tuple[str, str], _Pattern | None] = Memo(patterns, size=_REMEMBERED)
        first, rest = [_Lines(reader.morpheme, made) for made in (splitter.first, splitter.rest)]
        self._first: Memo[tuple[str, str, str], str] = Memo(first, size=_REMEMBERED)
        self._rest: Memo[tuple[str, str, str], str] = Memo(rest, size=_REMEMBERED)

    def __call__(self, key: tuple[str, str]) -> _Split | None:
        """What becomes of a word.

        Args:
            key: the columns FORM to FEATS, and MISC.

        Returns:
            None if there is something to report of it.
        """
        inner, misc = key
        form, lemma, upos, xpos, feats = inner.split("\t")
        columns = (form, lemma, upos, xpos, feats, misc)
        if "MSeg=" in misc or "OrigLemma=" in misc or " " in form:
            return self._any(columns)
        return (self._several if "+" in xpos else self._one)(columns) or self._any(columns)

    def _any(self, columns: Columns) -> _Split | None:
        """The same in the way of all tokens."""
        source = self._read((columns,))
        if source.notes:
            return None
        token, shape = self._split(source)
        rest = range_rest(token) if len(token.words) > 1 else ""
        return _Split(word_lines(token), rest, shape.sizes[0], shape.heads[0], shape.deprels)

    def _one(self, columns: Columns) -> _Split | None:
        """The same for a word of one morpheme; None if it gets another lemma."""
        form, lemma, upos, xpos, feats, misc = columns
        line = self._first[form, xpos, upos]
        if not line.startswith(f"%s\t{form}\t{lemma}\t"):
            return None
        return tuple.__new__(_Split, (_with_end(line, feats, misc), "", 1, 0, ("",)))

    def _several(self, columns: Columns) -> _Split | None:
        """The same for a word of several; None if LEMMA and XPOS do not tell all of them."""
        form, lemma, upos, xpos, feats, misc = columns
        pattern = self._patterns[xpos, upos]
        pieces = lemma.split("+")
        if pattern is None or len(pieces) != len(pattern.tags):
            return None
        tags, uposes, head, deprels, items = pattern
        first, *others = zip(pieces, tags, uposes)  # noqa: B905
        lines = [self._first[first], *map(self._rest.__getitem__, others)]
        if "" in lines:
            return None
        if feats != NOTHING:
            lines[head] = _with_end(lines[head], feats, NOTHING)
        if items:
            misc = with_items(misc, items)
        rest = f"\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"
        text = "".join(lines)
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(_Split, (text, rest, len(tags), head, deprels))


def _with_end(line: str, feats: str, misc: str) -> str:
    """The line of a morpheme with these FEATS and MISC."""
    return f"{line.removesuffix(_END)}{_escaped(feats)}\t%s\t%s\t_\t{_escaped(misc)}\n"


def _escaped(cell: str) -> str:
    """A cell as it stands in a line with `%s`."""
    return cell.replace("%", "%%")


def _telling(line: str, item: str) -> str:
    """A line with one more item in its MISC."""
    others, _, misc = line.removesuffix("\n").rpartition("\t")
    return f"{others}\t{with_items(misc, [item])}\n"


class DirectSplit:
    """Splits the words of a sentence into their morphemes, from text to text.

    What it writes is what the reader, the splitter and the writer would.

    Args:
        reader: whose words are taken.
        splitter: what splits them.
    """

    def __init__(self, reader: UDReader, splitter: Word2Morph) -> None:
        self._splitter = splitter
        self._numbers = Numbers()
        splits = _Splits(reader, splitter.split)
        self._known: Memo[tuple[str, str], _Split | None] = Memo(splits, size=_REMEMBERED)

    def __call__(self, block: UDBlock) -> tuple[str, int] | None:
        """The lines of a sentence, the blank one behind it included, and how many words it has.

        Returns:
            None if the block must be read.
        """
        text = block.text
        begin = comments_end(text)
        rows = _find_words(text, begin)
        if not rows or len(rows) != text.count("\n", begin) + 1:
            return None
        numbers, inner, heads, deprels, misc = zip(*rows)  # noqa: B905
        known = self._numbers
        known.reach(len(numbers))
        if list(numbers) != known.written[1 : len(numbers) + 1]:
            return None
        governors = list(map(known.get, heads, repeat(-1)))
        if not is_tree(governors):
            return None
        tokens = list(map(self._known.__getitem__, zip(inner, misc)))  # noqa: B905
        splitter = self._splitter
        if None in tokens or splitter.undivided(deprels):
            return None
        lines, ranges, sizes, inside, inner_deprels = zip(*tokens)  # noqa: B905
        # Where the head morpheme of each word is, from 1; before the first, the root.
        where = [0, *map(add, accumulate(sizes, initial=1), inside)]
        above = splitter.above(governors, deprels, [size > 1 for size in sizes], where)
        climbing = splitter.climbing(governors, deprels, where, above)
        size = sum(sizes)
        known.reach(size)
        written = known.written
        shown = list(chain.from_iterable(map(repeat, [written[up] for up in above[1:]], sizes)))
        relations = list(chain.from_iterable(inner_deprels))
        for at, head, deprel in zip(where[1:], governors, deprels):  # noqa: B905
            shown[at - 1] = written[where[head]]
            relations[at - 1] = deprel
        if climbing:
            lines, ranges = list(lines), list(ranges)
            for at, head in climbing.items():
                shown[where[at] - 1] = written[above[head]]
                told = ranges if ranges[at - 1] else lines
                told[at - 1] = _telling(told[at - 1], f"WordHead={head}")
        ids = written[1 : size + 1]
        first = 0
        for many, line in zip(sizes, ranges):  # noqa: B905
            if line:
                number = ids[first]
                ids[first] = f"{number}-{written[first + many]}{line}{number}"
            first += many
        cells = [""] * (3 * size)
        cells[::3] = ids
        cells[1::3] = shown
        cells[2::3] = relations
        return f"{text[:begin]}{''.join(lines) % tuple(cells)}\n", size


class _Join(NamedTuple):
    """The word of some morphemes, wherever it stands."""

    line: str
    """With `%s` for number, HEAD and DEPREL."""
    size: int
    """How many morphemes it has."""
    head: int
    """The one where its arc is looked for, from 0."""
    governor: int
    """The word, from 1, that MISC names; 0 if it names none."""


class _Part(NamedTuple):
    """A morpheme of several, and what it is in the columns of their word."""

    tag: str
    lemma: str
    upos: str
    xpos: str
    feats: str


class _Parts:
    """Reads the line of a morpheme of several.

    Args:
        morpheme: what a form with a tag is.
        marker: what stands before the form.
    """

    def __init__(self, morpheme: Callable[[tuple[str, str]], Morpheme], marker: str) -> None:
        self._morpheme = morpheme
        self._marker = marker

    def __call__(self, inner: str) -> _Part | None:
        """What a line with these columns, FORM to FEATS, is; None if it is no single morpheme."""
        form, _, upos, xpos, feats = inner.split("\t")
        if "+" in xpos:
            return None
        morpheme = self._morpheme((form, xpos))
        written = (morpheme.source or morpheme.form).removeprefix(self._marker)
        return tuple.__new__(_Part, (morpheme.tag, written, upos, xpos, feats))


class _Joins:
    """Makes the word of some morphemes, wherever it stands."""

    def __init__(self, reader: UDReader, joiner: Joiner) -> None:
        self._read = reader.token
        self._join = joiner
        first, rest = [_Parts(reader.morpheme, marker) for marker in ("", joiner.marker)]
        self._first: Memo[str, _Part | None] = Memo(first, size=_REMEMBERED)
        self._rest: Memo[str, _Part | None] = Memo(rest, size=_REMEMBERED)

    def __call__(self, key: _Morphemes) -> _Join | None:
        """What becomes of a token; None if it is not one word, or something is to be reported."""
        return (self._one if len(key) == 2 else self._several)(key) or self._any(key)

    def again(self, key: tuple[_Morphemes, int]) -> str:
        """The line of the word of a token, where it has the arc of the morpheme at a place."""
        token, place = key
        if found := self._several(token, place):
            return found.line
        source = self._token(token)
        return word_lines(self._join.again((source, (len(source.words),), (place,))))

    def _token(self, key: _Morphemes) -> UDToken:
        count = len(key) // 2
        rows = zip(key[:count], key[count:], strict=True)
        return self._read(tuple([_columns(inner, misc) for inner, misc in rows]))

    def _any(self, key: _Morphemes) -> _Join | None:
        """The same in the way of all tokens."""
        token = self._token(key)
        joined, sizes, heads, governors = self._join(token)
        if token.notes or len(sizes) > 1:
            return None
        governor = governors[-1][1] if governors else 0
        return _Join(word_lines(joined), sizes[0], heads[0], governor)

    def _one(self, key: _Morphemes) -> _Join | None:
        """The same for a single line; None if MISC or XPOS may tell more of it."""
        inner, misc = key
        if "+" in inner or "MSeg=" in misc or "OrigLemma=" in misc or own_items(misc):
            return None
        line = f"%s\t{_escaped(inner)}\t%s\t%s\t_\t{_escaped(misc)}\n"
        return tuple.__new__(_Join, (line, 1, 0, 0))

    def _several(self, key: _Morphemes, place: int = -1) -> _Join | None:
        """The same for a range; None if it is not one word, or a line not a single morpheme.

        Args:
            key: the lines.
            place: the morpheme whose arc the word has; -1 if that is its head morpheme.
        """
        count = len(key) // 2
        misc = key[count]
        own = own_items(misc)
        if "WordSizes" in own or "WordHead" in own or key[count + 1 :].count(NOTHING) < count - 1:
            return None
        parts = [self._first[key[1]], *map(self._rest.__getitem__, key[2:count])]
        if None in parts:
            return None
        tags, lemmas, all_upos, all_xpos, feats = zip(*parts)  # noqa: B905
        head = self._join.head(tags, own) if place < 0 else place
        if own:
            misc = without_own(misc)
        lemma, upos, xpos = as_told(own, "+".join(lemmas), all_upos[head], "+".join(all_xpos))
        form = key[0].partition("\t")[0]
        inner = _escaped(f"{form}\t{lemma}\t{upos}\t{xpos}\t{feats[head]}")
        line = f"%s\t{inner}\t%s\t%s\t_\t{_escaped(misc)}\n"
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(_Join, (line, count - 1, head, 0))


def _columns(inner: str, misc: str) -> Columns:
    """The columns of a line that a word's place does not change."""
    form, lemma, upos, xpos, feats = inner.split("\t")
    return form, lemma, upos, xpos, feats, misc


class DirectJoin:
    """Joins the morphemes of a sentence to words, from text to text.

    What it writes is what the reader, the joiner and the writer would.

    Args:
        reader: whose morphemes are taken.
        joiner: what joins them.
    """

    def __init__(self, reader: UDReader, joiner: Morph2Word) -> None:
        self._numbers = Numbers()
        joins = _Joins(reader, joiner.join)
        self._known: Memo[_Morphemes, _Join | None] = Memo(joins, size=_REMEMBERED)
        self._others: Memo[tuple[_Morphemes, int], str] = Memo(joins.again, size=_REMEMBERED)

    def __call__(self, block: UDBlock) -> tuple[str, int] | None:
        """The lines of a sentence, the blank one behind it included, and how many words it has.

        Returns:
            None if the block must be read.
        """
        text = block.text
        begin = comments_end(text)
        rows = _find_morphemes(text, begin)
        if not rows or len(rows) != text.count("\n", begin) + 1:
            return None
        numbers, ends, inner, all_heads, all_deprels, misc = zip(*rows)  # noqa: B905
        known = self._numbers
        known.reach(len(numbers))
        written = known.written
        is_word = list(map(not_, ends))
        if list(compress(numbers, is_word)) != written[1 : sum(is_word) + 1]:
            return None
        keys = self._keys(numbers, ends, inner, misc)
        source = list(map(known.get, compress(all_heads, is_word), repeat(-1)))
        if not keys or min(source) < 0 or max(source) > len(source):
            return None
        tokens = list(map(self._known.__getitem__, keys))
        if None in tokens:
            return None
        lines, sizes, inside, governors = zip(*tokens)  # noqa: B905
        # For each morpheme, from 1, its word; for each word the morpheme, from 0, whose arc it has.
        owner = [0, *chain.from_iterable(map(repeat, count(1), sizes))]
        chosen = list(map(add, accumulate(sizes, initial=0), inside))
        heads = [owner[source[at]] for at in chosen]
        if any(map(eq, heads, count(1))):
            lines = self._go_up(keys, lines, sizes, source, owner, chosen, heads)
        if any(governors):
            heads = [min(named, len(heads)) or up for named, up in zip(governors, heads)]  # noqa: B905
        if not is_tree(heads):
            return None
        deprels = list(compress(all_deprels, is_word))
        cells = [""] * (3 * len(heads))
        cells[::3] = written[1 : len(heads) + 1]
        cells[1::3] = [written[head] for head in heads]
        cells[2::3] = [deprels[at] for at in chosen]
        return f"{text[:begin]}{''.join(lines) % tuple(cells)}\n", len(heads)

    def _keys(
        self,
        numbers: Sequence[str],
        ends: Sequence[str],
        inner: tuple[str, ...],
        misc: tuple[str, ...],
    ) -> list[_Morphemes]:
        """The lines of each token; none if the ranges are not what they may be.

        Args:
            numbers: the ID of each line, or where its range begins.
            ends: where its range ends; "" for a word.
            inner: FORM to FEATS of each.
            misc: of each.
        """
        known = self._numbers
        keys: list[_Morphemes] = []
        at = first = 0
        while at < len(ends):
            if not ends[at]:
                keys.append((inner[at], misc[at]))
                at += 1
                first += 1
                continue
            last = known.get(ends[at], 0)
            stop = at + 1 + last - first
            if last < first + 2 or stop > len(ends) or numbers[at] != numbers[at + 1]:
                return []
            keys.append(inner[at:stop] + misc[at:stop])
            at = stop
            first = last
        # There are fewer words than counted where a line of a range is a range itself.
        return keys if first == ends.count("") else []

    def _go_up(
        self,
        keys: Sequence[_Morphemes],
        lines: Sequence[str],
        sizes: Sequence[int],
        source: Sequence[int],
        owner: Sequence[int],
        chosen: list[int],
        heads: list[int],
    ) -> list[str]:
        """Find the arcs of words whose head morpheme is attached within its word.

        Args:
            keys: the tokens.
            lines: of the words.
            sizes: how many morphemes each word has.
            source: the heads of the morphemes.
            owner: for each morpheme, from 1, the word it is in.
            chosen: for each word the morpheme, from 0, whose arc it has; changed.
            heads: for each word, from 1; changed. None is found where a word has no arc.

        Returns:
            The lines.
        """
        changed = list(lines)
        starts = list(accumulate(sizes, initial=0))
        for word in [at for at, head in enumerate(heads) if head == at + 1]:
            first, last = starts[word], starts[word + 1]
            arc = leaving_arc(source, first, last, chosen[word])
            if arc >= 0:
                heads[word] = owner[source[arc]]
                chosen[word] = arc
                changed[word] = self._others[keys[word], arc - first]
        return changed
