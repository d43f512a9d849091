"""A sentence in the terminal: five levels under one another, entities, the dependency tree.

    2 + symbols   나섰다                .
                  나서+었+다            .
                  VERB                  PUNCT
                  VV+EP+EF              SF
    5 morphemes   ╭───── 나섰다 ──────╮
                  나서     었    다     .

A column is a morpheme, as wide as what stands in it; a wide character takes two cells. A line of
eojeols that is wider than the terminal goes on below.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS
from sejongud.report.data import entity_layers, tree_words
from sejongud.terminal import clean, display_width, pad

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.layers.labels import Entity
    from sejongud.model import Sentence, Token, Word
    from sejongud.report.data import TreeWord
    from sejongud.rules import Rules

__all__ = ["ROWS", "Paint", "Show", "draw_tree"]

ROWS = ("lemma", "upos", "xpos")
"""What can stand below the form of a word."""

NAMES = ("eojeols", "+ symbols", "+ particles", "+ endings", "morphemes")
"""What each level makes words of, besides those of the levels before."""

_HEAD = 14
_SPACE, _JOINT = 2, 1
"""Cells between eojeols, and between words that no space parts."""


_STROKES = "╭╮╰╯├┤─│┼"
_ASCII = ".." + "''" + "||-|+"
"""The same in ASCII, one for one."""


# --- colour ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paint:
    """Colours for a terminal, or none.

    >>> Paint(on=True)("a", "bold"), Paint(on=False)("a", "bold")
    ('\\x1b[1ma\\x1b[0m', 'a')
    """

    on: bool = False

    def __call__(self, text: str, *styles: str) -> str:
        """A text in some styles."""
        codes = [_STYLES[style] for style in styles if style in _STYLES]
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.on and codes and text else text


_STYLES = {
    "bold": "1",
    "dim": "2",
    "head": "1;36",
    "particle": "34",
    "ending": "32",
    "symbol": "2",
    "prefix": "35",
    "suffix": "35",
    "deprel": "36",
    "incident": "33",
    "error": "31",
}
_STYLES |= {f"entity{n}": f"30;{code}" for n, code in enumerate((106, 103, 102, 105, 101, 104))}
"""Style → its codes. Those of a kind of morpheme have the name of the kind."""

_ENTITY_STYLES = tuple([name for name in _STYLES if name.startswith("entity")])


# --- the levels -----------------------------------------------------------------------------------


class _Cell(NamedTuple):
    """What stands over some columns."""

    begin: int
    end: int
    lines: tuple[str, ...]
    gap: int
    """Cells that stay free at its end."""
    styles: tuple[tuple[str, ...], ...]
    """Of each line."""


class _Band(NamedTuple):
    """A level, or another row of the figure: its name and cells below one another."""

    title: str
    brackets: list[_Cell]
    """What stands above the cells: multiword tokens."""
    cells: list[_Cell]
    open: bool = False
    """Whether a cell may go on in the next line: an entity."""


class Show:
    """Shows sentences.

    Args:
        rules: the tables.
        upos: the UPOS scheme of the levels.
        lemmas: their lemma scheme.
        levels: which are shown.
        rows: what stands below the form, of `ROWS`.
        width: cells of a line; 0 for lines as long as need be.
        paint: the colours.
        plain: whether lines are drawn with ASCII: some terminals give ─ two cells.

    Raises:
        UsageError: no such scheme.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        upos: str = "sejong",
        lemmas: str = "normalised",
        levels: Sequence[int] = LEVELS,
        rows: Sequence[str] = ROWS,
        width: int = 0,
        paint: Paint | None = None,
        plain: bool = False,
    ) -> None:
        self._granularities = [Granularity(rules, k, upos=upos, lemmas=lemmas) for k in LEVELS]
        self._rules = rules
        self._levels = levels
        self._rows = rows
        self._width = width
        self._paint = paint or Paint()
        self._strokes = _ASCII if plain else _STROKES
        self._types: dict[str, str] = {}

    def sentence(self, sentence: Sentence, *, line: int = 0, said: Iterable[str] = ()) -> str:
        """A sentence with all there is to see of it.

        Args:
            sentence: the sentence.
            line: where it begins in its file, 0 if that is not known.
            said: messages that stand below it.
        """
        paint = self._paint
        place = f"  line {line}" if line else ""
        lines = [paint(clean(sentence.sent_id), "head") + paint(place, "dim"), self._text(sentence)]
        if sentence.text_orig:
            lines.append(paint(f"in the source: {clean(sentence.text_orig)}", "dim"))
        levels = [tuple([g.tokens(e) for g in self._granularities]) for e in sentence.eojeols]
        lines += ["", *self._figure(sentence, levels)]
        if sentence.columns:
            words, level = tree_words(sentence, levels)
            if any([word.columns.head >= 0 for word in words]):
                name = f"of level {level}" if level in LEVELS else "of the file"
                lines += [paint(f"tree of the words {name}", "head"), *self._tree(words), ""]
        lines += [paint(clean(f"# {comment}"), "dim") for comment in sentence.comments]
        lines += [
            paint(clean(message), "error" if message.startswith("E") else "incident")
            for message in said
        ]
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join([one.rstrip(" ") for one in lines]) + "\n"

    def _style_of(self, type_: str) -> str:
        """The style of a type of entities: another one for each that comes."""
        at = len(self._types) % len(_ENTITY_STYLES)
        return self._types.setdefault(type_, _ENTITY_STYLES[at])

    def _text(self, sentence: Sentence) -> str:
        """The text; entities are coloured, the outermost ones."""
        layers = entity_layers(sentence)
        if not layers or not self._paint.on:
            return self._paint(clean(sentence.text), "bold")
        spans = _spans(sentence)
        text = sentence.text
        parts = []
        at = 0
        for entity in layers[0]:
            begin, end = spans[entity.begin][0], spans[entity.end - 1][1]
            if begin < at or begin >= end:
                continue
            parts.append(self._paint(clean(text[at:begin]), "bold"))
            parts.append(self._paint(clean(text[begin:end]), self._style_of(entity.type)))
            at = end
        return "".join([*parts, self._paint(clean(text[at:]), "bold")])

    # the figure

    def _figure(
        self, sentence: Sentence, levels: Sequence[tuple[tuple[Token, ...], ...]]
    ) -> Iterator[str]:
        """The levels under one another, in as many lines of eojeols as need be."""
        bands = []
        layers = entity_layers(sentence)
        ends = list(accumulate([len(eojeol.morphemes) for eojeol in sentence.eojeols]))
        for depth, entities in enumerate(layers):
            cells = [self._entity(entity, entity.end in ends) for entity in entities]
            bands.append(_Band("" if depth else "entities", [], cells, open=True))
        inside = _innermost(layers)
        for level in self._levels:
            bands.append(self._level(level, levels, inside))
        widths = _columns(bands, ends[-1])
        room = max(self._width - _HEAD, 20) if self._width else 0
        for begin, end in _lines(widths, ends, room):
            for band in bands:
                yield from self._band(band, widths, begin, end)
            yield ""

    def _entity(self, entity: Entity, at_end: bool) -> _Cell:
        gap = _SPACE if at_end else _JOINT
        styles = ((self._style_of(entity.type),),)
        return _Cell(entity.begin, entity.end, (clean(entity.type),), gap, styles)

    def _level(
        self,
        level: int,
        levels: Sequence[tuple[tuple[Token, ...], ...]],
        inside: Mapping[int, tuple[Entity, ...]],
    ) -> _Band:
        brackets, cells = [], []
        at = 0
        for eojeol in levels:
            tokens = eojeol[level - 1]
            for token in tokens:
                begin = at
                space = _SPACE if token is tokens[-1] else _JOINT
                for word in token.words:
                    gap = space if word is token.words[-1] else _JOINT
                    end = at + len(word.morphemes)
                    cells.append(self._word(word, at, end, gap, inside))
                    at = end
                if len(token.words) > 1:
                    name = (clean(token.form),)
                    brackets.append(_Cell(begin, at, name, space, (("bold",),)))
        return _Band(f"{level} {NAMES[level - 1]}", brackets, cells)

    def _word(
        self,
        word: Word,
        begin: int,
        end: int,
        gap: int,
        inside: Mapping[int, tuple[Entity, ...]],
    ) -> _Cell:
        lines = (word.form, *[getattr(word, row) for row in self._rows])
        kind = self._rules.kind(word.xpos) if end - begin == 1 else ""
        entity = next((e for e in inside.get(begin, ()) if e.begin <= begin and end <= e.end), None)
        form = (kind,) if entity is None else (self._style_of(entity.type),)
        styles = {"lemma": ("dim",), "upos": ("bold",), "xpos": ("dim",)}
        return _Cell(
            begin,
            end,
            tuple(map(clean, lines)),
            gap,
            (form, *[styles[row] for row in self._rows]),
        )

    def _band(self, band: _Band, widths: Sequence[int], begin: int, end: int) -> Iterator[str]:
        """The lines of a band, as far as it has anything in these columns."""
        cells = [cell for cell in band.cells if cell.begin < end and cell.end > begin]
        brackets = [cell for cell in band.brackets if begin <= cell.begin < end]
        if not cells:
            return
        title = self._paint(pad(band.title, _HEAD), "head")
        if brackets:
            corners = self._strokes[:2]
            yield title + self._row(brackets, widths, begin, end, 0, bracket=corners)
            title = " " * _HEAD
        for line in range(len(cells[0].lines)):
            corners = self._strokes[4:6] if band.open else ""
            yield title + self._row(cells, widths, begin, end, line, bracket=corners)
            title = " " * _HEAD

    def _row(
        self,
        cells: Sequence[_Cell],
        widths: Sequence[int],
        begin: int,
        end: int,
        line: int,
        *,
        bracket: str,
    ) -> str:
        parts = []
        at = begin
        for cell in cells:
            first, last = max(cell.begin, at), min(cell.end, end)
            if first >= last:
                continue
            parts.append(" " * sum(widths[at:first]))
            gap = cell.gap if last == cell.end else 0
            width = sum(widths[first:last]) - gap
            text = cell.lines[line]
            if bracket:
                stroke = self._strokes[6]
                left = bracket[0] if first == cell.begin else stroke
                right = bracket[1] if last == cell.end else stroke
                text = _bracket(text, width, left + stroke + right)
            style = cell.styles[line]
            painted = self._paint(text, *style)
            parts.append(painted + " " * (width - display_width(text) + gap))
            at = last
        return "".join(parts)

    # the tree

    def _tree(self, words: Sequence[TreeWord]) -> Iterator[str]:
        paint = self._paint
        heads = [word.columns.head for word in words]
        places = len(str(len(words)))
        strokes = str.maketrans(_STROKES, self._strokes)
        for at, (branch, word) in enumerate(zip(draw_tree(heads), words, strict=True)):
            c = word.columns
            number = paint(f"{at + 1:>{places}}", "dim")
            form, upos, deprel = clean(word.form), clean(c.upos), clean(c.deprel)
            relation = f"{deprel} {c.head}" if c.head > 0 else deprel
            parts = (
                number,
                paint(branch.translate(strokes), "dim"),
                form,
                paint(upos, "bold"),
                paint(relation, "deprel"),
            )
            yield " ".join([part for part in parts if part])


def _spans(sentence: Sentence) -> list[tuple[int, int]]:
    """What each morpheme covers of the text."""
    found = []
    offset = 0
    for eojeol in sentence.eojeols:
        found += [(offset + begin, offset + end) for begin, end in eojeol.spans]
        offset += len(eojeol.form) + 1
    return found


def _innermost(layers: Sequence[Sequence[Entity]]) -> dict[int, tuple[Entity, ...]]:
    """Morpheme → the entities that it is in, the innermost first."""
    found: dict[int, tuple[Entity, ...]] = {}
    for entities in layers:
        for entity in entities:
            for at in range(entity.begin, entity.end):
                found[at] = (entity, *found.get(at, ()))
    return found


def _bracket(text: str, width: int, strokes: str) -> str:
    """A text in the middle of a bracket, which is its left end, its line and its right end.

    >>> _bracket("나는", 10, "╭─╮"), _bracket("PS", 2, "├─┤")
    ('╭─ 나는 ─╮', 'PS')
    """
    left, line, right = tuple(strokes)
    room = width - display_width(text)
    if room < 2:
        return text
    if room < 4:
        return f"{left}{text}{right}" + " " * (room - 2)
    before = (room - 4) // 2
    return f"{left}{line * before} {text} {line * (room - 4 - before)}{right}"


def _columns(bands: Sequence[_Band], count: int) -> list[int]:
    """The width of each column, so that all cells fit."""
    wanted = []
    for band in bands:
        for cell in band.cells:
            extra = 2 if band.open else 0
            width = max(map(display_width, cell.lines)) + cell.gap + extra
            wanted.append((cell.end - cell.begin, cell.begin, width))
        for cell in band.brackets:
            width = display_width(cell.lines[0]) + 2 + cell.gap
            wanted.append((cell.end - cell.begin, cell.begin, width))
    widths = [1] * count
    for span, begin, width in sorted(wanted):
        lack = width - sum(widths[begin : begin + span])
        for at in range(begin, begin + span):
            if lack <= 0:
                break
            share = -(-lack // (begin + span - at))
            widths[at] += share
            lack -= share
    return widths


def _lines(widths: Sequence[int], ends: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """The columns of each line; a line ends where an eojeol does.

    >>> list(_lines([4, 4, 4, 4], [1, 3, 4], 9))
    [(0, 1), (1, 3), (3, 4)]
    """
    begin = last = 0
    for end in ends:
        if room and last > begin and sum(widths[begin:end]) > room:
            yield begin, last
            begin = last
        last = end
    yield begin, last


# --- trees ----------------------------------------------------------------------------------------


class _Bough(NamedTuple):
    """The upright line of a governor, in a column of its own or shared with others elsewhere."""

    column: int
    first: int
    last: int


def draw_tree(heads: Sequence[int]) -> list[str]:
    """The lines of a dependency tree: a word each, in their order.

    Args:
        heads: for each word, from 1; 0 the root, -1 none. What is no tree is drawn as far as it is
            one; a word that no root is above stands as one.

    >>> print("\\n".join(draw_tree([2, 3, 0, 3])))
      ╭─
    ╭─╯
    ├
    ╰─
    """
    count = len(heads)
    above = _governors(heads)
    below: list[list[int]] = [[] for _ in heads]
    for at, head in enumerate(above):
        if head >= 0:
            below[head].append(at)
    boughs: dict[int, _Bough] = {}
    roots = [at for at, head in enumerate(above) if head < 0]
    level = [at for at in roots if below[at]]
    while level:
        for at in sorted(level, key=lambda one: (_reach(one, below), one)):
            first, last = min(at, below[at][0]), max(at, below[at][-1])
            least = boughs[above[at]].column + 1 if above[at] >= 0 else 0
            boughs[at] = _Bough(_free(boughs.values(), least, first, last), first, last)
        level = [dependent for at in level for dependent in below[at] if below[dependent]]
    return [_branch(at, above[at], boughs) for at in range(count)]


def _reach(at: int, below: Sequence[Sequence[int]]) -> int:
    """How far the upright line of a governor reaches."""
    return max(at, below[at][-1]) - min(at, below[at][0])


def _governors(heads: Sequence[int]) -> list[int]:
    """For each word its governor, from 0; -1 where there is none, or where a circle is cut."""
    count = len(heads)
    above = [head - 1 if 0 < head <= count else -1 for head in heads]
    for start in range(count):
        met = {start}
        at = start
        while above[at] >= 0:
            if above[at] in met:
                above[at] = -1
                break
            at = above[at]
            met.add(at)
    return above


def _free(boughs: Iterable[_Bough], least: int, first: int, last: int) -> int:
    """The first column from `least` on in which no other line stands in the way."""
    taken = {b.column for b in boughs if b.first <= last and first <= b.last}
    column = least
    while column in taken:
        column += 1
    return column


def _branch(at: int, head: int, boughs: Mapping[int, _Bough]) -> str:
    """What stands left of a word: the lines that pass, its own arc, and its own bough."""
    passing = {
        bough.column
        for of, bough in boughs.items()
        if bough.first <= at <= bough.last and of not in (at, head)
    }
    own, governor = boughs.get(at), boughs.get(head)
    start = governor.column if governor else -1
    last = max([start, own.column if own else -1, *passing])
    # The arc goes to the word's own line, or to the word.
    arc = range(start, own.column if own else last + 1) if governor else range(0)
    chars = []
    for column in range(last + 1):
        if own and column == own.column:
            chars.append(_knot(at, own, arrives=governor is not None))
        elif governor and column == start:
            chars.append(_corner(at, governor))
        elif column in passing:
            chars.append("┼" if column in arc else "│")
        else:
            chars.append("─" if column in arc else " ")
        chars.append("─" if column in arc else " ")
    return "".join(chars).rstrip(" ")


def _corner(at: int, bough: _Bough) -> str:
    """Where an arc leaves the line of its governor."""
    return "╭" if at == bough.first else "╰" if at == bough.last else "├"


def _knot(at: int, bough: _Bough, *, arrives: bool) -> str:
    """Where a word stands on its own line."""
    if at == bough.first:
        return "╮" if arrives else "╭"
    if at == bough.last:
        return "╯" if arrives else "╰"
    return "┤" if arrives else "├"
