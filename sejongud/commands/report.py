"""Show a corpus as one HTML file: its sentences at five levels, statistics, incidents.

The file needs no other file and no network. It shows every sentence at the five levels of
granularity under one another, with multiword tokens, entities, dependencies, frames and
constituents; it can be searched by form, lemma, tag, relation and the labels of its layers; the
incidents of `sejongud validate` are linked to their sentences. The page draws a chart above
each table.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

from sejongud.commands import SHOWN, corpora, logged, open_input, page_of, say, settings_of
from sejongud.errors import UsageError
from sejongud.files import atomic_output
from sejongud.files.scratch import put_by
from sejongud.pipeline import without_collector
from sejongud.report import ReportOptions, make_report

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sejongud.errors import Incident
    from sejongud.files import Source


@without_collector()
def run(args: argparse.Namespace) -> int:
    """Write the report of `args.files`.

    Raises:
        UsageError: no input is named, or the page would be shown on a terminal.
    """
    page = page_of(args)
    target = args.output or page or "-"
    paths = args.files[:-1] if page else args.files
    if not paths:
        raise UsageError(f"name a file to show: {target} is the file to write")
    if target == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("name the file to write: sejongud report FILE … OUT.html")
    paths = corpora(args, paths)
    options = ReportOptions(**settings_of(args, ReportOptions), most_incidents=args.limit_incidents)

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
