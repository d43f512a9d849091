"""Draw a sentence as a picture: SVG, PNG, or LaTeX.

The picture has what `show` draws: the five levels with multiword tokens, dependencies, entities,
frames and constituents. The ending of OUT chooses the format. LaTeX has an interlinear example for
gb4e, and trees for tikz-dependency and forest; PNG needs resvg (pip install 'sejongud[png]').
Without SENT_ID and --number the first sentence is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.api import draw
from sejongud.commands.show import for_each

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sejongud.model import Sentence
    from sejongud.report.views import Placed


def run(args: argparse.Namespace) -> int:
    """Write the picture of a sentence of `args.input` to `args.output`.

    Raises:
        MissingExtraError: a PNG is wanted, and resvg is not installed.
        UsageError: the file does not have the sentence.
    """
    if args.sent_id is None and args.number is None:
        args.number = 1
    drawn: list[Sentence] = []

    def take(placed: Placed, _: Sequence[str]) -> str:
        drawn.append(placed.sentence)
        return ""

    status = for_each(args, take)
    names = ("to", "levels", "rows", "upos", "lemmas", "rules")
    options: dict[str, Any] = {name: getattr(args, name) or None for name in names}
    draw(drawn[0], args.output, **options)
    return status
