"""Show a corpus as one HTML file: its sentences at five levels, statistics, incidents.

The file needs no other file and no network. It shows every sentence at the five levels of
granularity under one another, with multiword tokens, entities, dependencies, frames and
constituents; it can be searched by form, lemma, tag, relation and the labels of its layers; the
incidents of `sejongud validate` are linked to their sentences. The page draws charts from tables;
--no-charts shows the tables instead.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

from sejongud.arguments import count
from sejongud.commands import (
    SHOWN,
    add_common_options,
    add_from,
    add_own_upos,
    logged,
    open_input,
    page_of,
    say,
    settings_of,
)
from sejongud.errors import UsageError
from sejongud.files import atomic_output
from sejongud.files.scratch import put_by
from sejongud.formats import FORMATS
from sejongud.pipeline import without_collector
from sejongud.report import Options, make_report
from sejongud.report.build import LIMIT, MOST_INCIDENTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sejongud.errors import Incident
    from sejongud.files import Source


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = "%(prog)s [options] FILE … [OUT.html]"
    parser.add_argument(
        "files", metavar="FILE", nargs="+",
        help="files of any format that can be read, - for stdin; the last one, if it ends in"
        " .html, is the file to write; without it the page goes to stdout",
    )  # fmt: skip
    parser.add_argument(
        "--limit", metavar="N", type=count, default=LIMIT,
        help="show the first N sentences; 0 shows all (%(default)s); the statistics count all",
    )  # fmt: skip
    parser.add_argument(
        "--max", dest="most_incidents", metavar="N", type=count, default=MOST_INCIDENTS,
        help="list the first N incidents of each code; 0 lists all (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--no-charts", dest="charts", action="store_false", help="show tables instead of charts"
    )
    parser.add_argument("--title", default="", help="title of the page (default: the files' names)")
    add_view_options(parser)


def add_view_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that show sentences: `from_`, `upos`, `lemmas`, and the common.

    Sentences with errors are kept by default: they are worth showing.
    """
    add_from(parser, FORMATS)
    add_own_upos(parser)
    parser.add_argument(
        "--lemmas",
        metavar="SCHEME",
        help="normalised, morphud, form (default: a treebank's own LEMMA, and else normalised)",
    )
    add_common_options(parser)
    parser.set_defaults(on_error="keep")


@without_collector()
def run(args: argparse.Namespace) -> int:
    """Write the report of `args.files`.

    Raises:
        UsageError: no input is named, or the page would be shown on a terminal.
    """
    target = page_of(args) or "-"
    paths = args.files if target == "-" else args.files[:-1]
    if not paths:
        raise UsageError(f"name a file to show: {target} is the file to write")
    if target == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("name the file to write: sejongud report FILE … OUT.html")
    options = Options(**settings_of(args, Options))

    def show(incident: Incident) -> None:
        # The page lists all incidents; an error makes the exit status 1.
        if incident.is_error and report.counts[incident.code] <= SHOWN:
            say(str(incident))

    with ExitStack() as stack:
        report = stack.enter_context(logged(args, show))
        open_source = _opener(args, stack)
        out = stack.enter_context(atomic_output(target))
        told = (lambda _: None) if args.quiet else say
        out.writelines(make_report(paths, open_source, options, report, announce=told))
    if report.errors or not args.quiet:
        shown = ", ".join([f"{code} {n:,}" for code, n in sorted(report.counts.items())])
        say(f"incidents: {shown}" if shown else "no incidents")
    return 1 if report.errors else 0


def _opener(args: argparse.Namespace, stack: ExitStack) -> Callable[[str], Source]:
    """Return a function that opens a file any number of times; the stack keeps text of a pipe."""
    kept = cache(lambda path: put_by(path, args.encoding, stack))

    def open_source(path: str) -> Source:
        text = kept(path)
        return open_input(args, path) if text is None else text.open()

    return open_source
