"""Show a corpus as one HTML file: its sentences at five levels, statistics, incidents.

The file needs no other and no network. It shows every sentence at the five levels of granularity
under one another, with multiword tokens, entities and dependencies; it can be searched by form,
lemma, tag and relation; what `sejongud validate` finds is linked to its sentences. Charts are drawn
by matplotlib (pip install 'sejongud[plots]'); --no-charts has tables instead.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, count, open_input, say
from sejongud.errors import Report, UsageError, json_lines
from sejongud.files import atomic_output
from sejongud.formats import FORMATS
from sejongud.report.build import LIMIT, MOST_INCIDENTS
from sejongud.validation.scratch import put_by

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from sejongud.files import Source
    from sejongud.validation.scratch import Scratch

__all__ = ["register", "run"]

_ENDINGS = (".html", ".htm")


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = "%(prog)s [options] FILE … [OUT.html]"
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="what to show, of any format that can be read, - for stdin; the last one, if it ends"
        " in .html, is the file to write, else the page goes to stdout",
    )
    parser.add_argument(
        "--from", dest="from_", choices=tuple(FORMATS), metavar="FORMAT",
        help=f"format of the input: {', '.join(FORMATS)}",
    )  # fmt: skip
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        default=LIMIT,
        help="how many sentences are shown, the first ones; 0: all (%(default)s); the statistics"
        " are of all sentences",
    )
    parser.add_argument(
        "--max",
        metavar="N",
        type=count,
        default=MOST_INCIDENTS,
        help="incidents of one code that are listed; 0: all (%(default)s)",
    )
    parser.add_argument(
        "--no-charts", dest="charts", action="store_false", help="tables instead of charts"
    )
    parser.add_argument("--title", default="", help="title of the page, if not the files' names")
    parser.add_argument(
        "--upos", metavar="SCHEME", default="sejong", help="sejong, table3.1, ud, morphud"
    )
    parser.add_argument(
        "--lemmas", metavar="SCHEME", default="normalised", help="normalised, morphud, form"
    )
    add_common_options(parser)
    # What cannot be read is one of the things to be shown.
    parser.set_defaults(on_error="keep")


def run(args: argparse.Namespace) -> int:
    """Write the report of `args.files`.

    Raises:
        UsageError: no input is named, or the page would be shown on a terminal.
    """
    from sejongud.report import Options, make_report

    paths, target = list(args.files), "-"
    if Path(paths[-1]).suffix.lower() in _ENDINGS:
        target = paths.pop()
    if not paths:
        raise UsageError(f"which file is to be shown? {target} is the file to write")
    if target == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("name the file to write: sejongud report FILE … OUT.html")
    options = Options(
        from_=args.from_,
        limit=args.limit,
        most_incidents=args.max,
        charts=args.charts,
        upos=args.upos,
        lemmas=args.lemmas,
        title=args.title,
        on_error=args.on_error,
        rules=args.rules,
        jobs=args.jobs,
    )
    with ExitStack() as stack:
        log = stack.enter_context(atomic_output(args.report) if args.report else nullcontext(None))
        open_source = stack.enter_context(_opener(args))
        out = stack.enter_context(atomic_output(target))
        report = Report(json_lines(log) if log else None)
        told = (lambda _: None) if args.quiet else say
        for part in make_report(paths, open_source, options, report, told=told):
            out.write(part)
    if not args.quiet:
        shown = ", ".join([f"{code} {n:,}" for code, n in sorted(report.counts.items())])
        say(f"incidents: {shown}" if shown else "no incidents")
    return 1 if report.errors else 0


@contextmanager
def _opener(args: argparse.Namespace) -> Iterator[Callable[[str], Source]]:
    """What opens a file as often as it is wanted; what can be read only once is put by."""
    with ExitStack() as stack:
        texts: dict[str, Scratch | None] = {}

        def open_source(path: str) -> Source:
            if path not in texts:
                text = texts[path] = put_by(path, args.encoding)
                if text is not None:
                    stack.callback(text.close)
            text = texts[path]
            return open_input(args, path) if text is None else text.open()

        yield open_source
