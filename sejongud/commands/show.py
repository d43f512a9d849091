"""The commands that show sentences: `show`, `draw` and `report`."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentTypeError, Namespace
from contextlib import ExitStack, redirect_stdout
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from sejongud.commands import (
    SHOWN,
    corpora,
    inform,
    logged,
    open_input,
    open_output,
    say,
    say_format,
    settings_of,
)
from sejongud.errors import Incident, Report, UsageError
from sejongud.files import Source, atomic_output
from sejongud.files.texts import put_by
from sejongud.formats import expect_known_unit, recognise
from sejongud.model import LEVELS, Sentence
from sejongud.pipeline import without_collector
from sejongud.report import ReportOptions, make_report
from sejongud.report.drawing import ROWS, Paint, Show
from sejongud.report.igt import Examples
from sejongud.report.views import Placed, read_placed
from sejongud.rules import load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


# --- show -----------------------------------------------------------------------------------------


_WIDE = 100
"""The cells of a line where there is no terminal."""
_NAMED = 5
"""The number of ids that a message names if the wanted id does not exist."""


def levels(text: str) -> tuple[int, ...]:
    """Return the value of --levels.

    Raises:
        ArgumentTypeError: the text is no list of levels.
    """
    names = [name for name in text.replace(" ", "").split(",") if name]
    if not all([name in map(str, LEVELS) for name in names]):
        last = LEVELS[-1]
        message = f"{text} is not a list of levels from 1 to {last}, such as 1,{last}"
        raise ArgumentTypeError(message)
    return tuple(sorted({int(name) for name in names}))


def rows(text: str) -> tuple[str, ...]:
    """Return the value of --rows.

    Raises:
        ArgumentTypeError: there is no such row.
    """
    names = [name for name in text.replace(" ", "").lower().split(",") if name]
    if unknown := [name for name in names if name not in ROWS]:
        raise ArgumentTypeError(f"there is no row {unknown[0]}; choose from {', '.join(ROWS)}")
    return tuple([row for row in ROWS if row in names])


def show(args: Namespace) -> int:
    """Show sentences in the terminal: five levels under one another, the layers, the dependency tree.

    Entities, frames and constituents stand above the words; --levels 3 shows a tree over the words of
    level 3. SENT_ID names the sentence; without it the first three are shown. FILE may have any format
    that can be read, corpora of entities and of frames included. Colours are used on a terminal, unless
    NO_COLOR is set.

    --to igt writes interlinear examples: the text, its morphemes in the Revised Romanisation, their
    glosses, and the translation of a comment `text_en`. The folder of --rules may have the glosses of
    your words (lexical-glosses.tsv). --to latex and expex write such examples for LaTeX.
    """
    width = terminal_width() if args.width is None else args.width
    rules = load(args.rules)
    if args.to is not None:
        level = max(args.levels or LEVELS)
        examples = Examples(rules, args.to, level, width)
    shower = Show(
        rules,
        upos=args.upos,
        lemmas=args.lemmas,
        levels=args.levels or LEVELS,
        rows=args.rows or ROWS,
        width=width,
        paint=Paint(_in_colour(args.color)),
        plain=args.ascii,
    )

    def text(placed: Placed, own: Sequence[Incident]) -> str:
        if args.to is not None:
            return examples.sentence(placed.sentence)
        messages = [f"{incident.code} {incident.message}" for incident in own]
        return shower.sentence(placed.sentence, line=placed.line, messages=messages)

    with open_output(args) as out, redirect_stdout(out):
        return for_each(args, text)


def for_each(args: Namespace, text: Callable[[Placed, Sequence[Incident]], str]) -> int:
    """Write the text of each wanted sentence of `args.input`, and return the exit status.

    Args:
        args: the arguments of the command.
        text: returns the text of a sentence with its incidents.

    Raises:
        UsageError: the file does not have the named sentence, or the sentence is named twice.
    """
    if args.sent_id is not None and args.number is not None:
        raise UsageError("name the sentence by SENT_ID or by --number, not by both")
    named = args.sent_id is not None or args.number is not None
    said: list[Incident] = []
    ids: list[str] = []
    number = 0
    with logged(args, said.append) as report:
        files = [placed_in(args, path, report) for path in corpora(args, [args.input])]
        for number, placed in enumerate(chain.from_iterable(files), 1):
            sent_id = placed.sentence.sent_id
            own = [incident for incident in said if incident.sent_id == sent_id]
            _say_errors([incident for incident in said if incident.sent_id != sent_id])
            said.clear()
            if args.sent_id not in (None, sent_id) or args.number not in (None, number):
                ids += [sent_id] * (len(ids) < _NAMED)
                continue
            if not named and args.limit and number > args.limit:
                first = counted(args.limit, "sentence[s] [is|are]")
                inform(args, f"only the first {first} shown; --limit 0 shows all")
                break
            shown = text(placed, own)
            sys.stdout.write(shown if named or number == 1 else f"\n{shown}")
            if named:
                break
        else:
            _say_errors(said)
            if named:
                raise _no_sentence(args, number, ids)
    return 1 if report.errors else 0


def _no_sentence(args: Namespace, number: int, ids: Sequence[str]) -> UsageError:
    """Return the error of a file of so many sentences, the first with these ids."""
    if not number:
        return UsageError(f"{args.input} has no sentences")
    wanted = args.sent_id if args.number is None else f"number {args.number}"
    shown = ", ".join(ids) + (", …" if number > len(ids) else "")
    sizes = counted(number, "sentence[s] [is|are]")
    return UsageError(f"{args.input} has no sentence {wanted}; its {sizes} {shown}")


def placed_in(args: Namespace, path: str, report: Report) -> Iterator[Placed]:
    """Yield the sentences of a file.

    Raises:
        UsageError: its tokens are those of another unit than eojeols or characters.
    """
    with open_input(args, path) as source:
        kind = recognise(args.from_, source.head())
        if args.from_ is None:
            expect_known_unit(kind, source.head(), source.path, load(args.rules))
        say_format(args, source.path, kind)
        yield from read_placed(source, kind, report, on_error=args.on_error, rules=args.rules)


def _say_errors(incidents: Iterable[Incident]) -> None:
    """Say the errors that stand in no drawing."""
    for incident in incidents:
        if incident.is_error:
            say(str(incident))


def terminal_width() -> int:
    """Return the cells of a line of the terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        return shutil.get_terminal_size((_WIDE, 24)).columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else _WIDE


def _in_colour(wanted: str) -> bool:
    """Return whether to write colours (https://no-color.org)."""
    if wanted != "auto":
        return wanted == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


# --- draw -----------------------------------------------------------------------------------------


def draw(args: Namespace) -> int:
    """Draw a sentence as a picture: SVG, PNG, or LaTeX.

    The picture has what `show` draws: the five levels with multiword tokens, dependencies, entities,
    frames and constituents. The ending of OUT chooses the format. LaTeX has an interlinear example for
    gb4e, and trees for tikz-dependency and forest; PNG needs resvg (pip install 'sejongud[png]').
    Without SENT_ID and --number the first sentence is drawn.
    """
    if args.sent_id is None and args.number is None:
        args.number = 1
    drawn: list[Sentence] = []

    def take(placed: Placed, own: Sequence[Incident]) -> str:
        _say_errors(own)
        drawn.append(placed.sentence)
        return ""

    status = for_each(args, take)
    names = ("to", "levels", "rows", "upos", "lemmas", "rules")
    options: dict[str, Any] = {name: getattr(args, name) or None for name in names}
    from sejongud import api

    api.draw(drawn[0], args.output, **options)
    return status


# --- report ---------------------------------------------------------------------------------------


@without_collector()
def report(args: Namespace) -> int:
    """Show a corpus as one HTML file: its sentences at five levels, statistics, incidents.

    The file needs no other file and no network. It shows every sentence at the five levels of
    granularity under one another, with multiword tokens, entities, dependencies, frames and
    constituents; it can be searched by form, lemma, tag, relation and the labels of its layers; the
    incidents of `sejongud validate` are linked to their sentences. The page draws a chart above
    each table.
    """
    target = args.output or "-"
    if not args.files:
        raise UsageError(f"name a file to show: {target} is the file to write")
    if target == "-" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("name the file to write: sejongud report FILE … OUT.html")
    paths = corpora(args, args.files)
    options = ReportOptions(**settings_of(args, ReportOptions), most_incidents=args.limit_incidents)

    def show(incident: Incident) -> None:
        # The page lists all incidents; an error makes the exit status 1.
        if incident.is_error and log.counts[incident.code] <= SHOWN:
            say(str(incident))

    with ExitStack() as stack:
        log = stack.enter_context(logged(args, show))
        open_source = _opener(args, stack)
        out = stack.enter_context(atomic_output(target))
        told = (lambda _: None) if args.quiet else say
        out.writelines(make_report(paths, open_source, options, log, announce=told))
    if log.errors or not args.quiet:
        shown = ", ".join([f"{code} {n:,}" for code, n in sorted(log.counts.items())])
        say(f"incidents: {shown}" if shown else "no incidents")
    return 1 if log.errors else 0


def _opener(args: Namespace, stack: ExitStack) -> Callable[[str], Source]:
    """Return a function that opens a file any number of times; the stack keeps text of a pipe."""
    kept = cache(lambda path: put_by(path, args.encoding, stack))

    def open_source(path: str) -> Source:
        text = kept(path)
        return open_input(args, path) if text is None else text.open()

    return open_source
