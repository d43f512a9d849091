"""Charts, drawn by matplotlib, as SVG that stands in a page.

An SVG of matplotlib is a file of its own, with styles and a date. Here its text stays text, its
colours become classes, so that the page's style sheet gives them for light and for dark, and its
ids begin with the chart's name. The same figures give the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

from sejongud.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Panel", "bars", "columns", "inline"]

_COLOURS = {"ink": "#010203", "soft": "#020304", "grid": "#030405"} | {
    f"c{n}": f"#0{n}0{n}0{n}" for n in range(4, 8)
}
"""Class → the colour that stands for it while a chart is drawn."""

_SERIES = tuple([name for name in _COLOURS if name.startswith("c")])
_CLASSES = {colour: name for name, colour in _COLOURS.items()}

_SETTINGS: Any = {
    "svg.hashsalt": "sejongud",
    "svg.fonttype": "none",
    "font.size": 10,
    "font.family": ["DejaVu Sans"],
    "axes.edgecolor": _COLOURS["grid"],
    "axes.labelcolor": _COLOURS["soft"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlecolor": _COLOURS["ink"],
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "grid.color": _COLOURS["grid"],
    "grid.linewidth": 0.6,
    "text.color": _COLOURS["ink"],
    "xtick.color": _COLOURS["grid"],
    "ytick.color": _COLOURS["grid"],
    "xtick.labelcolor": _COLOURS["soft"],
    "ytick.labelcolor": _COLOURS["ink"],
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}

_WIDTH = 6.4
_ROW = 0.2
_LONGEST = 24
_THOUSANDS = 100_000
_REFERRED = ("clipPath", "path")
"""What others name by its id."""
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"


class Panel(NamedTuple):
    """One of the parts of a chart that stand beside one another."""

    title: str
    values: Mapping[str, float]
    """What stands below or beside a bar → how long it is."""
    label: str = ""
    """What the values are."""


def bars(panels: Sequence[Panel], *, share: bool = False) -> Figure:
    """Bars from left to right, a row for each name; the panels share the names.

    Args:
        panels: all with the same names, in the same order.
        share: whether the values are shares, to be written as percentages.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    names = list(panels[0].values)
    top = max([max(panel.values.values(), default=0) for panel in panels], default=0) or 1
    with _styled():
        figure, axes = _figure(len(panels), 0.75 + _ROW * len(names), share_y=True)
        for at, (panel, axis) in enumerate(zip(panels, axes, strict=True)):
            values = list(panel.values.values())
            rows = range(len(names))
            axis.barh(rows, values, height=0.72, color=_COLOURS[_SERIES[0]], linewidth=0)
            for row, value in enumerate(values):
                said = f"{value:.1%}" if share else f"{value:,.0f}"
                place = value + top * 0.012
                axis.text(place, row, said, va="center", fontsize=8, color=_COLOURS["soft"])
            axis.set_xlim(0, top * (1.5 if len(panels) > 1 else 1.12))
            axis.set_ylim(len(names) - 0.4, -0.6)
            axis.set_title(panel.title)
            axis.set_yticks(rows, [_label(name) for name in names], parse_math=False)
            axis.tick_params(axis="y", length=0, labelleft=at == 0)
            axis.set_xticks([])
            axis.spines["bottom"].set_visible(False)
    return figure


def columns(panels: Sequence[Panel], *, height: float = 2.2, written: bool = False) -> Figure:
    """Bars that stand, each panel with an axis of its own.

    Args:
        panels: names that are numbers are placed on a scale; others stand side by side.
        height: in inches.
        written: whether the value stands above each bar.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with _styled():
        figure, axes = _figure(len(panels), height)
        for at, (panel, axis) in enumerate(zip(panels, axes, strict=True)):
            _draw_columns(axis, panel, _COLOURS[_SERIES[at % len(_SERIES)]], written=written)
    return figure


def _draw_columns(axis: Axes, panel: Panel, colour: str, *, written: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    names = list(panel.values)
    values = list(panel.values.values())
    on_scale = bool(names) and all([name.isdecimal() for name in names])
    places = [int(name) for name in names] if on_scale else list(range(len(names)))
    axis.bar(places, values, width=0.9 if on_scale else 0.62, color=colour, linewidth=0)
    if on_scale:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        axis.set_xticks(places, [_label(name) for name in names], parse_math=False)
    if written:
        for place, value in zip(places, values, strict=True):
            axis.text(place, value, _short(value), ha="center", va="bottom", fontsize=8)
    axis.set_title(panel.title)
    axis.set_xlabel(panel.label)
    axis.grid(axis="y")
    axis.tick_params(length=0)
    axis.tick_params(axis="y", labelcolor=_COLOURS["soft"])
    axis.yaxis.set_major_formatter(_number)
    axis.spines["left"].set_visible(False)
    axis.set_ylim(0, (max(values, default=0) or 1) * 1.12)


def _short(value: float) -> str:
    """A value as it fits above a bar; the tables have all digits.

    >>> _short(0.30612), _short(92012), _short(204394), _short(0)
    ('0.3061', '92,012', '204k', '0')
    """
    if value >= _THOUSANDS:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if value > 1 or not value else f"{value:.4f}"


def _label(name: str) -> str:
    """A name as it is written beside its bar: text, and not too long.

    >>> _label("a\\x01b"), _label("프" * 30)
    ('a\ufffdb', '프프프프프프프프프프프프프프프프프프프프프프프…')
    """
    text = "".join([char if char.isprintable() else "\ufffd" for char in name])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _number(value: float, _: object = None) -> str:
    """How a number is written on an axis.

    >>> _number(12000.0), _number(0.25)
    ('12,000', '0.25')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:.2f}".rstrip("0")


@contextmanager
def _styled() -> Iterator[None]:
    """The settings of matplotlib for all charts.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context, rcdefaults, rcParams
    except ModuleNotFoundError:
        raise MissingExtraError("matplotlib", "plots") from None
    with rc_context():
        rcdefaults()  # whatever the user's own are
        rcParams.update(_SETTINGS)
        yield


def _figure(count: int, height: float, *, share_y: bool = False) -> tuple[Figure, list[Axes]]:
    """An empty figure with some axes beside one another."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, list(figure.subplots(1, count, sharey=share_y, squeeze=False)[0])


def inline(figure: Figure, name: str, label: str) -> str:
    """A figure as an SVG element for a page.

    Args:
        figure: what to draw.
        name: begins its ids; of letters.
        label: what is read out instead of it.

    >>> svg = inline(columns([Panel("", {"a": 1})]), "lengths", "Lengths")
    >>> svg[:4], "style=" in svg, "<script" in svg
    ('<svg', False, False)
    """
    file = io.BytesIO()
    with _styled(), warnings.catch_warnings():
        # A name in Korean is drawn by the reader's fonts, not by those of matplotlib.
        warnings.filterwarnings("ignore", message=r"Glyph \d+")
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(file.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        _restyle(element, name)
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.attrib.pop("version", None)
    _without_empty(root)
    root.set("role", "img")
    root.set("aria-label", label)
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r"\n\s*", "\n", text.replace(' xmlns:ns0="http://www.w3.org/1999/xlink"', ""))


def _restyle(element: ElementTree.Element, name: str) -> None:
    """Attributes and classes for the style of an element; ids with the chart's name."""
    attributes: dict[str, str] = {}
    for key, value in element.attrib.items():
        if key == "style":
            attributes |= _declarations(value)
        elif key == "id":
            if element.tag in _REFERRED:
                attributes["id"] = f"{name}-{value}"
        elif key in (f"{{{_XLINK}}}href", "href"):
            attributes["href"] = f"#{name}-{value.removeprefix('#')}"
        else:
            attributes[key] = value.replace("url(#", f"url(#{name}-")
    classes = []
    for key in ("fill", "stroke"):
        colour = attributes.get(key, "")
        if colour in _CLASSES:
            classes.append(f"{key}-{_CLASSES[colour]}")
            del attributes[key]
    if classes:
        attributes["class"] = " ".join(classes)
    element.attrib.clear()
    element.attrib.update(attributes)


def _without_empty(root: ElementTree.Element) -> None:
    """Take out the groups and definitions in which nothing is drawn."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("g", "defs"):
                _without_empty(child)
                if not len(child):
                    parent.remove(child)


_FONT = re.compile(r"(?:\w+ )*?([\d.]+px) .*")


def _declarations(style: str) -> dict[str, str]:
    """A style as attributes, without the font's family: the page has its own.

    >>> _declarations("fill: #010203; font: 8px 'DejaVu Sans', sans-serif")
    {'fill': '#010203', 'font-size': '8px'}
    """
    found = {}
    for declaration in style.split(";"):
        key, _, value = declaration.partition(":")
        key, value = key.strip(), value.strip()
        if key == "font" and (font := _FONT.fullmatch(value)):
            found["font-size"] = font[1]
        elif key and key not in ("font", "font-family"):
            found[key] = value
    return found
