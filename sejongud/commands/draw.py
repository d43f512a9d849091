"""Draw a sentence as a picture: SVG, PNG, or LaTeX.

The picture has what `show` draws: the five levels with multiword tokens, dependencies, entities,
frames and constituents. The ending of OUT chooses the format. LaTeX has an interlinear example for
gb4e, and trees for tikz-dependency and forest; PNG needs resvg (pip install 'sejongud[png]').
Without SENT_ID and --number the first sentence is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands.show import for_each
from sejongud.errors import require
from sejongud.files import atomic_binary, atomic_output
from sejongud.model import LEVELS
from sejongud.report.drawing import ROWS
from sejongud.report.picture import Picture, latex_of
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sejongud.model import Sentence
    from sejongud.report.views import Placed

_ZOOM = 3
"""Dots of a PNG for each pixel of the picture."""


def run(args: argparse.Namespace) -> int:
    """Write the picture of a sentence of `args.input` to `args.output`.

    Raises:
        MissingExtraError: a PNG is wanted, and resvg is not installed.
        UsageError: the file does not have the sentence.
    """
    resvg = require("resvg_py", "png") if args.to == "png" else None
    rules = load(args.rules)
    levels, rows = args.levels or LEVELS, args.rows or ROWS
    if args.sent_id is None and args.number is None:
        args.number = 1
    drawn: list[Sentence] = []

    def take(placed: Placed, _: Sequence[str]) -> str:
        drawn.append(placed.sentence)
        return ""

    status = for_each(args, take)
    if args.to == "latex":
        text = latex_of(drawn[0], rules, max(levels))
    else:
        drawer = Picture(rules, upos=args.upos, lemmas=args.lemmas, levels=levels, rows=rows)
        text = drawer.svg(drawn[0], colour="#000")
    if resvg is None:
        with atomic_output(args.output) as out:
            out.write(text)
    else:
        image = resvg.svg_to_bytes(svg_string=text, zoom=_ZOOM, background="#fff")
        with atomic_binary(args.output) as raw:
            raw.write(image)
    return status
