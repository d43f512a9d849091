"""A sentence in the terminal: five levels under one another, the layers, the dependency tree.

    2 + symbols   나섰다                .
                  나서+었+다            .
                  VERB                  PUNCT
                  VV+EP+EF              SF
    5 morphemes   ╭───── 나섰다 ──────╮
                  나서     었    다     .

A column of the figure is a morpheme. Entities, frames and constituents are brackets above the
levels: a frame is a row of its target and its elements, with the lexical unit below the target, and
each constituent stands below the one that it is a part of. A figure that is wider than the terminal
is broken between eojeols.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import accumulate, cycle
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.recut import recuts
from sejongud.layers.labels import Entity, entities_around, entity_layers
from sejongud.layers.places import morpheme_spans
from sejongud.model import LEVEL_NAMES, LEVELS, Sentence, Word
from sejongud.report.views import (
    DEEPEST,
    STROKES,
    Levels,
    cut_at,
    draw_tree,
    frame_boxes,
    tree_nodes,
    tree_words,
)
from sejongud.terminal import clean, counted, display_width, pad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.formats.misc import WordView
    from sejongud.rules import Rules

    _MakeCell = Callable[[int, int, str, str], "Cell"]
    """Makes a cell of its first column, its end, its text and its style."""

ROWS = ("lemma", "upos", "xpos")
"""The rows that can stand below the form of a word."""

_HEAD = 14
"""Cells of the titles left of the figure."""
_SPACE, _JOINT = 2, 1
"""Cells between eojeols, and between words without a space between them."""

_ASCII = ".." + "''" + "||-|+"
"""The characters of `STROKES` in ASCII, in the same order."""


# --- colour ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paint:
    """Colours for a terminal, or none.

    >>> Paint(on=True)("a", "bold"), Paint(on=False)("a", "bold")
    ('\\x1b[1ma\\x1b[0m', 'a')
    """

    on: bool = False

    def __call__(self, text: str, style: str) -> str:
        """Return a text in a style."""
        code = _STYLES.get(style)
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and code and text else text


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
    "target": "1;7",
    "incident": "33",
    "error": "31",
}
_STYLES |= {f"entity{n}": f"30;{code}" for n, code in enumerate((106, 103, 102, 105, 101, 104))}
"""Style → its codes. The style of a morpheme is named like its kind."""

_ENTITY_STYLES = tuple([name for name in _STYLES if name.startswith("entity")])
ROW_STYLES = {"lemma": "dim", "upos": "bold", "xpos": "dim"}
"""Row → its style."""


# --- the levels -----------------------------------------------------------------------------------


class Cell(NamedTuple):
    """A text over some columns."""

    begin: int
    end: int
    text: str
    gap: int
    """The cells that stay free at its end."""
    style: str


class Strip(NamedTuple):
    """The cells of one line, with the ends of their brackets if they have any."""

    cells: Sequence[Cell]
    ends: str = ""


class Band(NamedTuple):
    """The rows of a level or of another layer, with the title of the first."""

    title: str
    rows: Sequence[Strip]


@dataclass
class Show:
    """Shows sentences.

    Args:
        rules: the tables.
        upos: the UPOS scheme of the levels.
        lemmas: the lemma scheme of the levels.
        levels: the levels to show.
        rows: the rows below the form, from `ROWS`.
        width: the cells of a line; 0 for lines of any length.
        paint: the colours.
        plain: whether to draw lines with ASCII; some terminals give ─ two cells.

    Raises:
        UsageError: there is no such scheme.
    """

    rules: Rules
    _: KW_ONLY
    upos: str | None = None
    lemmas: str | None = None
    levels: Sequence[int] = LEVELS
    rows: Sequence[str] = ROWS
    width: int = 0
    paint: Paint = Paint()
    plain: bool = False

    def __post_init__(self) -> None:
        self.levels_of = partial(cut_at, recuts(self.rules, self.upos, self.lemmas))
        self._strokes = _ASCII if self.plain else STROKES
        self._styles: defaultdict[str, str] = defaultdict(cycle(_ENTITY_STYLES).__next__)
        """Type of entities → its style; each new type takes the next style."""

    def sentence(self, sentence: Sentence, *, line: int = 0, messages: Iterable[str] = ()) -> str:
        """Return the drawing of a sentence.

        Args:
            sentence: the sentence.
            line: its first line in the file, 0 if unknown.
            messages: the messages that stand below it.
        """
        paint = self.paint
        place = f"  line {line}" if line else ""
        lines = [paint(clean(sentence.sent_id), "head") + paint(place, "dim"), self._text(sentence)]
        if sentence.text_orig:
            lines.append(paint(f"in the source: {clean(sentence.text_orig)}", "dim"))
        levels = self.levels_of(sentence)
        lines += ["", *self._figure(sentence, levels)]
        if max([node.depth for node in sentence.constituents], default=0) >= DEEPEST:
            lines.append(paint(f"constituents inside of {DEEPEST} others are not shown", "dim"))
        if sentence.is_treebank:
            words, level = tree_words(sentence, levels)
            if any([word.head >= 0 for word in words]):
                name = f"of level {level}" if level else "of the file"
                lines += [paint(f"tree of the words {name}", "head"), *self._tree(words), ""]
        lines += [paint(clean(f"# {comment}"), "dim") for comment in sentence.comments]
        lines += [
            paint(clean(message), "error" if message.startswith("E") else "incident")
            for message in messages
        ]
        return "\n".join([row.rstrip(" ") for row in lines]).rstrip("\n") + "\n"

    def _text(self, sentence: Sentence) -> str:
        """Return the text with its outermost entities in colour."""
        layers = entity_layers(sentence)
        spans = morpheme_spans(sentence)
        text = sentence.text
        parts = []
        position = 0
        for entity in layers[0] if layers and self.paint.on else ():
            begin, end = spans[entity.begin][0], spans[entity.end - 1][1]
            if position <= begin < end:
                parts.append(self.paint(clean(text[position:begin]), "bold"))
                parts.append(self.paint(clean(text[begin:end]), self._styles[entity.type]))
                position = end
        return "".join([*parts, self.paint(clean(text[position:]), "bold")])

    def _figure(self, sentence: Sentence, levels: Sequence[Levels]) -> Iterator[str]:
        """Yield the lines of the levels, in as many blocks as the width requires."""
        if not sentence.eojeols:
            return
        bands = self.bands(sentence, levels)
        ends = list(accumulate([len(eojeol.morphemes) for eojeol in sentence.eojeols]))
        widths = columns(bands, ends[-1])
        room = max(self.width - _HEAD, 20) if self.width else 0
        for begin, end in _blocks(widths, ends, room):
            for band in bands:
                title = self.paint(pad(band.title, _HEAD), "head")
                for row, corners in band.rows:
                    # Cells stand in order; a long sentence has many of them and many blocks.
                    first = bisect_right(row, begin, key=attrgetter("end"))
                    cut = row[first : bisect_left(row, end, lo=first, key=attrgetter("begin"))]
                    if cut:
                        yield title + self._row(cut, widths, begin, end, corners)
                        title = " " * _HEAD
            yield ""

    def bands(self, sentence: Sentence, levels: Sequence[Levels]) -> list[Band]:
        """Return the rows of the layers and of the levels, whose columns are morphemes."""
        layers = entity_layers(sentence)
        ends = set(accumulate([len(eojeol.morphemes) for eojeol in sentence.eojeols]))

        def cell(begin: int, end: int, text: str, style: str) -> Cell:
            return Cell(begin, end, clean(text), _SPACE if end in ends else _JOINT, style)

        bands = []
        for depth, entities in enumerate(layers):
            cells = [cell(e.begin, e.end, e.type, self._styles[e.type]) for e in entities]
            bands.append(Band("" if depth else "entities", [Strip(cells, self._strokes[4:6])]))
        bands += [*self._frames(sentence, cell), self._constituents(sentence, cell)]
        inside = entities_around(layers)
        bands += [self._level(level, levels, inside) for level in self.levels]
        return bands

    def _frames(self, sentence: Sentence, cell: _MakeCell) -> Iterator[Band]:
        """Yield the band of each instance of a frame: its boxes, and the units of its target."""
        for number, boxes in enumerate(frame_boxes(sentence), 1):
            rows: list[list[Cell]] = [[], [], []]
            for name, unit, begin, end, row in boxes:
                style = "target" if unit else self._styles[name]
                rows[2 * row].append(cell(begin, end, name, style))
                if unit:
                    rows[1].append(cell(begin, end, unit, "dim"))
            corners = self._strokes[4:6]
            title = f"frame {number}" if len(sentence.frames) > 1 else "frame"
            yield Band(title, [Strip(rows[0], corners), Strip(rows[1]), Strip(rows[2], corners)])

    def _constituents(self, sentence: Sentence, cell: _MakeCell) -> Band:
        """Return the band of the phrase structure: a row for each depth, the root first."""
        rows: defaultdict[int, list[Cell]] = defaultdict(list)
        for label, begin, end, depth in tree_nodes(sentence.constituents):
            if depth < DEEPEST:
                rows[depth].append(cell(begin, end, label, "head"))
        return Band("constituents", [Strip(rows[d], self._strokes[:2]) for d in sorted(rows)])

    def _level(
        self, level: int, levels: Sequence[Levels], inside: Mapping[int, Sequence[Entity]]
    ) -> Band:
        brackets = []
        rows: list[list[Cell]] = [[] for _ in (None, *self.rows)]
        start = 0
        for eojeol in levels:
            tokens = eojeol[level - 1]
            for token in tokens:
                begin = start
                space = _SPACE if token is tokens[-1] else _JOINT
                for word in token.words:
                    gap = space if word is token.words[-1] else _JOINT
                    first, start = start, start + len(word.morphemes)
                    of_form = self._style_of_form(word, inside.get(first, ()), first, start)
                    self.add_word(rows, word, first, start, gap, of_form)
                if len(token.words) > 1:
                    brackets.append(Cell(begin, start, clean(token.form), space, "bold"))
        above = Strip(brackets, self._strokes[:2])
        return Band(f"{level} {LEVEL_NAMES[level - 1]}", [above, *map(Strip, rows)])

    def add_word(
        self,
        rows: list[list[Cell]],
        word: Word | WordView,
        begin: int,
        end: int,
        gap: int,
        style: str,
    ) -> None:
        """Add the cells of a word to the rows of a level: its form in a style, and `self.rows`."""
        texts = (word.form, *[getattr(word, row) for row in self.rows])
        styles = (style, *map(ROW_STYLES.__getitem__, self.rows))
        for row, text, of_text in zip(rows, texts, styles, strict=True):
            row.append(Cell(begin, end, clean(text), gap, of_text))

    def _style_of_form(self, word: Word, inside: Sequence[Entity], begin: int, end: int) -> str:
        """Return the style of the innermost entity around a word, or of its kind of morpheme."""
        for entity in inside:
            if entity.begin <= begin and end <= entity.end:
                return self._styles[entity.type]
        return self.rules.kind(word.xpos) if end - begin == 1 else ""

    def _row(
        self, cells: Sequence[Cell], widths: Sequence[int], begin: int, end: int, corners: str
    ) -> str:
        """Return the cells of a row, as far as they stand in some columns."""
        parts = []
        column = begin
        stroke = self._strokes[6]
        for cell in cells:
            first, last = max(cell.begin, column), min(cell.end, end)
            if first >= last:
                continue
            gap = cell.gap if last == cell.end else 0
            width = sum(widths[first:last]) - gap
            text = cell.text
            if corners:
                left = corners[0] if first == cell.begin else stroke
                right = corners[1] if last == cell.end else stroke
                text = _bracket(text, width, left + stroke + right)
            blanks = " " * (width - display_width(text) + gap)
            parts += [" " * sum(widths[column:first]), self.paint(text, cell.style), blanks]
            column = last
        return "".join(parts)

    def _tree(self, words: Sequence[WordView]) -> Iterator[str]:
        """Yield a line for each word, with the tree to the left."""
        paint = self.paint
        places = len(str(len(words)))
        strokes = str.maketrans(STROKES, self._strokes)
        branches, hidden = draw_tree([word.head for word in words])
        for branch, word in zip(branches, words, strict=True):
            deprel = clean(word.deprel)
            parts = (
                paint(f"{word.number:>{places}}", "dim"),
                paint(branch.translate(strokes), "dim"),
                clean(word.form),
                paint(clean(word.upos), "bold"),
                paint(f"{deprel} {word.head}" if word.head > 0 else deprel, "deprel"),
            )
            yield " ".join([part for part in parts if part])
        if hidden:
            message = f"{counted(hidden, 'arc[s]')} below {DEEPEST} others not drawn"
            yield paint(message, "dim")


def _bracket(text: str, width: int, strokes: str) -> str:
    """Put a text in the middle of a bracket, as far as there is room.

    Args:
        text: the text.
        width: the cells of the bracket.
        strokes: its left end, its line and its right end.

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


def columns(bands: Sequence[Band], count: int) -> list[int]:
    """Return the width of each column, so that the cells of all bands fit."""
    wanted: dict[tuple[int, int, int, str], int] = {}
    for number, band in enumerate(bands):
        for cells, corners in band.rows:
            for cell in cells:
                key = (cell.end - cell.begin, cell.begin, number, corners)
                width = display_width(cell.text) + cell.gap + len(corners)
                wanted[key] = max(width, wanted.get(key, 0))
    widths = [1] * count
    for span, begin, width in sorted([(*key[:2], width) for key, width in wanted.items()]):
        lack = width - sum(widths[begin : begin + span])
        for column in range(begin, begin + span):
            if lack <= 0:
                break
            share = -(-lack // (begin + span - column))
            widths[column] += share
            lack -= share
    return widths


def _blocks(widths: Sequence[int], ends: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yield the columns of each block; a block ends at the end of an eojeol.

    >>> list(_blocks([4, 4, 4, 4], [1, 3, 4], 9))
    [(0, 1), (1, 3), (3, 4)]
    """
    begin = last = 0
    for end in ends:
        if room and last > begin and sum(widths[begin:end]) > room:
            yield begin, last
            begin = last
        last = end
    yield begin, last
