"""Show sentences in the terminal: five levels under one another, entities, the dependency tree.

SENT_ID names the sentence; without it the first few are shown. Everything that can be read can be
shown, corpora of entities included. Colours are used on a terminal, unless NO_COLOR is set.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, count, open_input, say
from sejongud.errors import Report, UsageError, json_lines
from sejongud.files import atomic_output
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.errors import Incident
    from sejongud.report.inputs import Placed
    from sejongud.show import Show

__all__ = ["register", "run"]

_FEW = 3
_WIDE = 100
"""Cells of a line where no terminal says how many there are."""
_NAMED = 5
"""How many ids are named if the wanted one is not there."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from sejongud.formats import FORMATS
    from sejongud.show import ROWS

    parser.add_argument("input", metavar="FILE", help="what to show; - for stdin")
    parser.add_argument("sent_id", metavar="SENT_ID", nargs="?", help="the id of a sentence")
    parser.add_argument(
        "--from", dest="from_", choices=tuple(FORMATS), metavar="FORMAT",
        help=f"format of the input: {', '.join(FORMATS)}",
    )  # fmt: skip
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--number", metavar="N", type=count, help="the sentence of this number")
    which.add_argument(
        "--limit",
        metavar="N",
        type=count,
        default=_FEW,
        help="how many sentences, if none is named; 0: all (%(default)s)",
    )
    parser.add_argument(
        "--levels", metavar="LIST", type=_levels, default=LEVELS, help="as in 1,5; all if left out"
    )
    parser.add_argument(
        "--rows",
        metavar="LIST",
        type=_rows,
        default=ROWS,
        help=f"what stands below a form: {','.join(ROWS)} (all)",
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours: on a terminal, if NO_COLOR is not set (%(default)s)",
    )
    parser.add_argument(
        "--width", metavar="N", type=count, help="cells of a line; 0: as long as need be"
    )
    parser.add_argument(
        "--ascii", action="store_true", help="for terminals that give ─ the room of two letters"
    )
    parser.add_argument(
        "--upos", metavar="SCHEME", default="sejong", help="sejong, table3.1, ud, morphud"
    )
    parser.add_argument(
        "--lemmas", metavar="SCHEME", default="normalised", help="normalised, morphud, form"
    )
    add_common_options(parser)
    parser.set_defaults(on_error="keep")


def _levels(text: str) -> tuple[int, ...]:
    names = [name for name in text.replace(" ", "").split(",") if name]
    if not all([name in map(str, LEVELS) for name in names]):
        raise argparse.ArgumentTypeError(f"{text}: the levels are 1 to 5, as in 1,5")
    return tuple(sorted({int(name) for name in names}))


def _rows(text: str) -> tuple[str, ...]:
    from sejongud.show import ROWS

    names = [name for name in text.replace(" ", "").lower().split(",") if name]
    for name in names:
        if name not in ROWS:
            raise argparse.ArgumentTypeError(f"there is no row {name}: {', '.join(ROWS)}")
    return tuple([row for row in ROWS if row in names])


def run(args: argparse.Namespace) -> int:
    """Show sentences of `args.input`.

    Raises:
        UsageError: the file has no such sentence.
    """
    from contextlib import nullcontext

    from sejongud.formats import recognise
    from sejongud.report.inputs import read_placed
    from sejongud.rules import load
    from sejongud.show import Paint, Show

    shower = Show(
        load(args.rules),
        upos=args.upos,
        lemmas=args.lemmas,
        levels=args.levels,
        rows=args.rows,
        width=_width() if args.width is None else args.width,
        paint=Paint(_in_colour(args.color)),
        plain=args.ascii,
    )
    said: list[Incident] = []
    with (
        open_input(args) as source,
        atomic_output(args.report) if args.report else nullcontext(None) as log,
    ):
        write = json_lines(log) if log else None

        def sink(incident: Incident) -> None:
            said.append(incident)
            if write is not None:
                write(incident)

        report = Report(sink)
        kind = recognise(args.from_, source.head())
        if args.from_ is None and not args.quiet:
            say(f"{source.path}: detected format: {kind} (override with --from)")
        placed = read_placed(source, kind, report, on_error=args.on_error, rules=args.rules)
        _show(args, placed, shower, said, sys.stdout.write)
    return 1 if report.errors else 0


def _show(
    args: argparse.Namespace,
    sentences: Iterator[Placed],
    shower: Show,
    said: list[Incident],
    write: Callable[[str], object],
) -> None:
    """Show the sentences that are wanted, as they are read.

    Raises:
        UsageError: there is none of this id or number.
    """
    named = args.sent_id is not None or args.number is not None
    ids: list[str] = []
    number = 0
    for number, placed in enumerate(sentences, 1):
        sentence = placed.sentence
        own = [i for i in said if i.sent_id == sentence.sent_id]
        _say_others(said, own)
        if args.sent_id not in (None, sentence.sent_id) or args.number not in (None, number):
            ids += [sentence.sent_id] * (len(ids) < _NAMED)
            continue
        if not named and args.limit and number > args.limit:
            if not args.quiet:
                say(f"(the first {args.limit} are shown; --limit 0 shows all)")
            return
        text = shower.sentence(
            sentence, line=placed.line, said=[f"{i.code} {i.message}" for i in own]
        )
        write(text if named or number == 1 else f"\n{text}")
        if named:
            return
    if named:
        wanted = args.sent_id if args.number is None else f"number {args.number}"
        shown = ", ".join(ids) + (", …" if number > len(ids) else "")
        raise UsageError(f"{args.input} has no sentence {wanted} among its {number:,}: {shown}")


def _say_others(said: list[Incident], own: list[Incident]) -> None:
    """Say what is to be said of sentences that are not there; forget all that was said."""
    for incident in said:
        if incident.is_error and incident not in own:
            say(str(incident))
    said.clear()


def _width() -> int:
    """Cells of a line of the terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        return shutil.get_terminal_size((_WIDE, 24)).columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) else _WIDE


def _in_colour(wanted: str) -> bool:
    """Whether to write colours (https://no-color.org)."""
    if wanted != "auto":
        return wanted == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()
