"""Convert between Sejong text, CoNLL-U and other formats, at five levels of granularity.

The option --from names the format of the input; without it the format is detected. CoNLL-U input
can have any level, and converting it to Sejong text restores the original byte for byte. At level 1
a word is an eojeol. Level 2 cuts off symbols, level 3 also particles, level 4 also endings, and at
level 5 every morpheme is a word.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from sejongud.commands import format_in, lines_beside, run_file, settings_of, told_totals
from sejongud.converters.jobs import Conversion, level_of, tree_settings, with_columns
from sejongud.errors import UsageError
from sejongud.formats import ABREAST, RAW, check_output, recognise, sniff
from sejongud.formats.around import layout_for
from sejongud.formats.base import data_rows
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.errors import Report
    from sejongud.files import Source

_NONE = "none"
_RECORDS = "records"


def feats_of(args: argparse.Namespace) -> str:
    """Return the value of --feats as conversions take it: "" for none."""
    return "" if args.feats == _NONE else str(args.feats)


def run(args: argparse.Namespace) -> int:
    """Convert `args.input` to `args.output`; `analyze` is the conversion of raw text."""
    check_output(args.to)
    return run_file(args, _convert, layout_for=partial(layout_for, args.to))


def _convert(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    name = _RECORDS if args.field else format_in(args, source)
    options: dict[str, object] = {}
    jobs = args.jobs
    if args.analyzes and not args.field and sniff(source.head(), (_RECORDS,)):
        raise UsageError(
            f"{source.path} looks like JSON or CSV, and not like raw text: name the member or the"
            " column with the text by --field (`convert --from text` reads it as text all the same)"
        )
    rows = data_rows(source.head()) if args.analyzes and not args.field else []
    if len(rows) > 1 and all(["\t" in row for row in rows]):
        found = recognise(None, source.head()).name
        raise UsageError(
            f"{source.path} looks like {'a table' if found in RAW else found}, and not like raw"
            " text: `sejongud convert` reads corpora, and --field names the column with the text of"
            " a table (`convert --from text` reads it as text all the same)"
        )
    if name in RAW:
        # Kiwi has threads of its own; every further process would load the model again.
        options = {"workers": jobs or None, "split": args.split}
        options |= {"field": args.field} if name == _RECORDS else {}
        jobs = 1
    with with_columns(name, args.to, source) as (whole, columns):
        own = {
            "level": level_of(name, args.level),
            "feats": feats_of(args),
            **tree_settings(columns, args.trees),
            "path": source.path,
            "reader_options": options,
        }
        divided = args.to in ABREAST
        own |= {key: divided and getattr(args, key) is not None for key in ("tags", "ids")}
        conversion = Conversion(name, args.to, **settings_of(args, Conversion) | own)
        with ExitStack() as stack:
            stream = lines_beside(args, out, stack)
            return told_totals(args, convert_stream(conversion, whole, stream, report, jobs=jobs))
