"""Make the text of a corpus from its morphemes, a sentence a line.

The input has any format that `convert` reads: lines of analyses (나/NP+는/JX 가/VV+ㄴ다/EF), Sejong
text, CoNLL-U of any level … The surface forms in the input are ignored. Kiwi conjugates and
contracts the morphemes, and rules/joins.tsv corrects the result. If two surface forms are right
(했다, 하였다), the more frequent form is written. The function `sejongud.surface` of the library
can also take a source text, and then keeps the forms that the source has chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.commands import format_in, run_file, told_totals
from sejongud.converters.generate import WITHOUT_SURFACE, Generation
from sejongud.errors import Incident
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source


def run(args: argparse.Namespace) -> int:
    """Write the surfaces of `args.input` to `args.output`."""
    return run_file(args, _generate)


def _generate(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    name = format_in(args, source)
    if name == "text":
        message = "text has no morphemes to join: write segmented text with --mark, or with tags"
        report.add(Incident("W632", message, source.path))
    generation = Generation(
        name,
        on_error=args.on_error,
        rules=args.rules,
        path=source.path,
        reader_options={"noted": False} if name in WITHOUT_SURFACE else {},
    )
    return told_totals(args, convert_stream(generation, source, out, report, jobs=args.jobs))
