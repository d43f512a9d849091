"""A sentence as a picture (SVG) for notebooks and `sejongud draw`: the drawing of `show`.

The rows, their cells and the widths of their columns are those of `drawing.Show`; here stand only
the arcs above the words, the lines of constituents and the boxes. Colours follow the text around
the picture (`currentColor`), and styles are attributes, so that a notebook's own styles stay whole.
"""

from __future__ import annotations

from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.recut import recut_of
from sejongud.errors import require
from sejongud.formats.misc import word_views
from sejongud.report.drawing import Band, Cell, Show, Strip, columns
from sejongud.report.igt import Examples, tikz
from sejongud.report.views import Levels, tree_words
from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sejongud.model import Sentence
    from sejongud.rules import Rules

_CELL = 8
"""Pixels of a cell of the terminal."""
_LEFT = 104
_ARC, _HEIGHT, _FORM = 19, 16, 22
"""Pixels from an arc to the next one above it, of a row, and of a row of forms."""
_FONT = "'Noto Sans KR','Noto Sans CJK KR','Apple SD Gothic Neo','Malgun Gothic',sans-serif"
_COLOURS = ("#4a90d9", "#e0862e", "#3fa05f", "#a05fc8", "#d9534f", "#2aa5a5")
_OF_KIND = {
    "particle": "#2f7fd0",
    "ending": "#2c9158",
    "prefix": "#9955c0",
    "suffix": "#9955c0",
    "symbol": "#808890",
}
"""The colours of entities, and of morphemes by their kind: seen on white and on black."""
FORMATS = ("svg", "latex", "png")
"""The forms of a picture."""
_ZOOM = 3
"""Dots of a PNG for each pixel of the picture."""
_NO_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


class Arc(NamedTuple):
    """An arc: its dependent and its head as cells, its label, its height in steps."""

    word: Cell
    head: Cell | None
    label: str
    height: int


class Picture(Show):
    """Draws sentences as SVG; the arguments are those of `Show`."""

    def svg(self, sentence: Sentence, *, colour: str = "currentColor") -> str:
        """Return the picture of a sentence, in one line.

        Args:
            sentence: the sentence.
            colour: of lines and texts; a file of its own has no text around it.
        """
        levels = self.levels_of(sentence)
        cells, arcs, words = self._words(sentence, levels)
        bands = [*words, *self.bands(sentence, levels)] if sentence.eojeols else []
        count = sum([len(eojeol.morphemes) for eojeol in sentence.eojeols])
        labels = [
            cell._replace(text=f"{arc.label}  ") for cell, arc in zip(cells, arcs, strict=True)
        ]
        widths = columns([*bands, Band("", [Strip(labels)])], count)
        xs = [_LEFT + x * _CELL for x in accumulate(widths, initial=0)]
        styles = dict.fromkeys([c.style for band in bands for row in band.rows for c in row.cells])
        entities = [style for style in styles if style.startswith("entity")]
        colours = _OF_KIND | dict(zip(entities, _COLOURS * len(entities), strict=False))
        drawer = _Drawer(xs, colours)
        drawer.arcs(arcs)
        for band in bands:
            drawer.band(band)
        size = f'width="{xs[-1] + 8}" height="{drawer.y + 6}"'
        said = escape(clean(f"{sentence.sent_id}: {sentence.text}").translate(_NO_XML))
        told = escape(clean(_told(sentence), "\n").translate(_NO_XML))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {xs[-1] + 8}'
            f' {drawer.y + 6}" role="img" aria-label="{said}" color="{colour}"'
            f' font-family="{_FONT}" font-size="11" text-anchor="middle" fill="{colour}">'
            f"<title>{said}</title><desc>{told}</desc>{''.join(drawer.parts)}</svg>\n"
        )

    def _words(
        self, sentence: Sentence, levels: Sequence[Levels]
    ) -> tuple[list[Cell], list[Arc], list[Band]]:
        """Return the treebank's own words as cells, their arcs, and the band of the words."""
        if not sentence.is_treebank:
            return [], [], []
        words, _ = tree_words(sentence, levels)
        starts = list(accumulate([len(e.morphemes) for e in sentence.eojeols], initial=0))
        rows: list[list[Cell]] = [[] for _ in (None, *self.rows)]
        for word, behind in zip(words, [*words[1:], None], strict=True):
            begin, end = starts[word.eojeol] + word.first, starts[word.eojeol] + word.last
            gap = 1 if behind is not None and behind.eojeol == word.eojeol else 2
            self.add_word(rows, word, begin, end, gap, "")
        cells = rows[0]
        spans = [(i, w.head - 1) for i, w in enumerate(words) if 0 < w.head <= len(words)]
        heights: dict[int, int] = {}
        for at, head in sorted(spans, key=lambda span: (abs(span[0] - span[1]), min(span))):
            low, high = sorted((at, head))
            below = [
                heights[other]
                for other, its in spans
                if other in heights and min(other, its) < high and low < max(other, its)
            ]
            heights[at] = 1 + max(below, default=0)
        top = max(heights.values(), default=0) + 1
        governors = dict(spans)
        arcs = [
            Arc(
                cells[at],
                cells[governors[at]] if at in governors else None,
                clean(word.deprel),
                heights.get(at, top),
            )
            for at, word in enumerate(words)
            if word.head >= 0
        ]
        drawn = [arc.word for arc in arcs]
        return drawn, arcs, [Band("tree" if arcs else "words", list(map(Strip, rows)))]


def png_of(svg: str) -> bytes:
    """Return a picture as PNG.

    Raises:
        MissingExtraError: resvg is not installed.
    """
    resvg = require("resvg_py", "png")
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=_ZOOM, background="#fff"))


def latex_of(sentence: Sentence, rules: Rules, level: int) -> str:
    """Return a sentence in LaTeX: an interlinear example, its dependencies, its constituents."""
    # Without \\noautomath of gb4e its other packages do not compile.
    head = "% \\usepackage{gb4e}\\noautomath, and a font that has Hangul\n"
    parts = [head + Examples(rules, "latex").sentence(sentence)]
    if sentence.arcs is not None:
        parts.append(tikz(tree_words(sentence, Picture(rules).levels_of(sentence))[0]))
    if sentence.constituents:
        tree = Examples(rules, "forest", level).sentence(sentence)
        parts.append("% \\usepackage{forest}\n" + tree)
    return "\n".join(parts)


def _told(sentence: Sentence) -> str:
    """Return the words and their arcs as lines, for readers of screens."""
    lines = []
    for word in word_views(recut_of(None)(sentence)):
        cells = [f"{word.number}", word.form, word.xpos, *([word.entity] if word.entity else [])]
        cells += [word.deprel, f"{word.head}"] if word.head >= 0 else []
        lines.append(" ".join(cells))
    return "\n".join(lines)


class _Drawer:
    """Collects the elements of a picture from the top to the bottom.

    Args:
        xs: the left edge of each column in pixels, and the right edge of the last.
        colours: the colours of styles.
    """

    def __init__(self, xs: Sequence[int], colours: Mapping[str, str]) -> None:
        self.parts: list[str] = []
        self.y = 4
        self._xs, self._colours = xs, colours
        self._leaves: list[tuple[Cell, float]] = []
        """The constituents whose words have no lines yet, and their places."""

    def _edges(self, cell: Cell) -> tuple[float, float]:
        begin, end = self._xs[cell.begin], self._xs[cell.end]
        return begin, max(end - cell.gap * _CELL * 0.7, begin)

    def _middle(self, cell: Cell) -> float:
        return sum(self._edges(cell)) / 2

    def _text(self, x: float, y: float, text: str, more: str = "") -> None:
        shown = escape(text.translate(_NO_XML))
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{more}>{shown}</text>')

    def _line(self, path: str, more: str = "") -> None:
        line = 'fill="none" stroke="currentColor" stroke-opacity=".55"'
        self.parts.append(f'<path d="{path}" {line}{more}/>')

    def _box(self, cell: Cell, top: float, height: float, fill: str, line: float = 0) -> None:
        begin, end = self._edges(cell)
        self.parts.append(
            f'<rect x="{begin:g}" y="{top:g}" width="{end - begin:g}" height="{height:g}" rx="5"'
            f' fill="{fill}" fill-opacity="{0.06 if line else 0.28}" stroke="currentColor"'
            f' stroke-opacity="{line}"/>'
        )

    def arcs(self, arcs: Sequence[Arc]) -> None:
        """Draw the arcs above the words."""
        base = self.y + max([arc.height for arc in arcs], default=0) * _ARC + 6 * bool(arcs)
        for arc in arcs:
            y = base - arc.height * _ARC + 5
            to = self._middle(arc.word)
            middle = to
            if arc.head is None:
                path = f"M{to:g} {y + 3:g}V{base - 5:g}"
            else:
                # An arc leaves its head a little towards its dependent; so two do not coincide.
                side = 5 if self._middle(arc.head) < to else -5
                start = self._middle(arc.head) + side
                middle = (start + to) / 2
                path = (
                    f"M{start:g} {base:g}V{y + 6:g}q0 -6 {side * 1.2:g} -6H{to - side * 1.2:g}"
                    f"q{side * 1.2:g} 0 {side * 1.2:g} 6V{base - 5:g}"
                )
            self._line(path)
            self.parts.append(f'<path d="M{to:g} {base:g}l-3 -6h6z" fill-opacity=".7"/>')
            self._text(middle, y - 3, arc.label)
        self.y = base + 2 * bool(arcs)

    def band(self, band: Band) -> None:
        """Draw the rows of a level or of a layer."""
        if not any([strip.cells for strip in band.rows]):
            return
        is_level = band.title[:1].isdigit()
        is_layer = not is_level and bool(band.rows[0].ends)
        if band.title == "constituents":
            self._constituents(band)
            return
        top = self.y + 4
        if band.title:
            self._text(0, top + 13, band.title, ' text-anchor="start" font-weight="bold"')
        boxed: Sequence[Cell] = band.rows[0].cells if is_level else ()
        for number, strip in enumerate(band.rows):
            if not strip.cells:
                continue
            form = not is_layer and number == int(is_level)
            if form:
                self._leaf_lines(strip.cells, boxed)
            self._row(strip, form=form, is_layer=is_layer)
        for cell in boxed:
            self._box(cell, top, self.y - top + 3, "currentColor", 0.5)
        self.y += 6
        self._line(f"M0 {self.y:g}H{self._xs[-1]:g}", ' stroke-width=".3"')

    def _row(self, strip: Strip, *, form: bool, is_layer: bool) -> None:
        """Draw a row of a level or of a layer; `form` tells whether its cells are forms."""
        height = _FORM if form or strip.ends else _HEIGHT
        for cell in strip.cells:
            is_entity = form and cell.style.startswith("entity")
            if is_entity or (is_layer and strip.ends):
                self._box(cell, self.y + 4, height - 3, self._colours.get(cell.style, "#888"))
            bold = cell.style in ("bold", "target")
            size = 15 if form else 12 if strip.ends and not is_layer else 10 if bold else 11
            more = f' font-size="{size}"' + ' font-weight="bold"' * bold
            if form and cell.style in _OF_KIND:
                more += f' fill="{_OF_KIND[cell.style]}"'
            self._text(self._middle(cell), self.y + height - 4, cell.text, more)
        self.y += height

    def _constituents(self, band: Band) -> None:
        """Draw the constituents, each with a line to the one around it."""
        self._text(0, self.y + 17, band.title, ' text-anchor="start" font-weight="bold"')
        above: Sequence[Cell] = ()
        for cells, _ in band.rows:
            for cell in cells:
                x = self._middle(cell)
                self._text(x, self.y + 17, cell.text)
                for outer in above:
                    if outer.begin <= cell.begin and cell.end <= outer.end:
                        start = self._middle(outer)
                        self._line(f"M{start:g} {self.y - 6:g}L{x:g} {self.y + 7:g}")
                self._leaves.append((cell, self.y + 20))
            above = cells
            self.y += 26
        self.y += 6

    def _leaf_lines(self, cells: Sequence[Cell], boxed: Sequence[Cell]) -> None:
        """Draw the lines from the constituents to the words of the first level."""
        for cell in cells if self._leaves else ():
            around = [leaf for leaf in self._leaves if leaf[0].begin <= cell.begin < leaf[0].end]
            if around:
                owner, y = around[-1]
                inside = any([box.begin <= cell.begin < box.end for box in boxed])
                to = self.y + 5 - (_FORM if inside else 0)
                self._line(f"M{self._middle(owner):g} {y:g}L{self._middle(cell):g} {to:g}")
        self._leaves = []
