"""Check a corpus: format, tags, alignment, annotation, and whether nothing is lost on the way back.

What is found goes to standard output, a line each, `path:line: CODE message [sent_id token]`. All
formats that can be read can be checked; of CoNLL-U every column is looked at, as this program
would have written it (--upos and --lemmas name the schemes it should be in). A code is stable: E is
an error and makes the exit status 1, W is worth a look, I is information.

With --roundtrip every sentence is written as CoNLL-U of all five levels, read back, and its Sejong
text compared to the byte.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from sejongud.commands import add_common_options, open_input, say
from sejongud.errors import Report, json_lines
from sejongud.files import atomic_output
from sejongud.formats import READERS, resolve
from sejongud.model import LEVELS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sejongud.errors import Incident
    from sejongud.validation import Outcome

__all__ = ["register", "run"]

_SHOWN = 20
"""How many incidents of one code are shown."""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; the codes stand at the end of the help."""
    from sejongud.validation import table

    parser.add_argument(
        "inputs", metavar="IN", nargs="*", default=["-"], help="input files; - or nothing: stdin"
    )
    parser.add_argument("--from", dest="from_", choices=list(READERS), help="format of the input")
    parser.add_argument(
        "--select", metavar="CODES", default="", help="only codes that begin so: E,W305"
    )
    parser.add_argument(
        "--roundtrip", action="store_true", help="see that nothing is lost at any level"
    )
    parser.add_argument(
        "--max",
        metavar="N",
        type=int,
        default=_SHOWN,
        help="lines of one code (%(default)s); 0: all",
    )
    parser.add_argument(
        "--json", action="store_true", help="all of it, one JSON object a line; then the counts"
    )
    schemes = parser.add_argument_group("what CoNLL-U is compared with")
    schemes.add_argument(
        "--upos", metavar="SCHEME", default="sejong", help="sejong, table3.1, ud, morphud"
    )
    schemes.add_argument(
        "--lemmas", metavar="SCHEME", default="normalised", help="normalised, morphud, form"
    )
    add_common_options(parser)
    # A validator reads on, and says all there is to say.
    parser.set_defaults(on_error="keep")
    parser.epilog = f"codes:\n\n{table()}"


def run(args: argparse.Namespace) -> int:
    """Validate the inputs, one after another.

    Returns:
        1 if there was an error, or something did not come back as it was.
    """
    from contextlib import nullcontext

    from sejongud.validation import Outcome, Validation, validate

    total = Outcome()
    file = atomic_output(args.report) if args.report else nullcontext(None)
    with file as stream:
        report = Report(_sink(args, json_lines(stream) if stream else None))
        for path in args.inputs:
            with open_input(args, path) as source:
                name = resolve(args.from_, source.head())
                if args.from_ is None and not args.quiet:
                    say(f"{source.path}: read as {name} (--from says otherwise)")
                validation = Validation(
                    name,
                    select=tuple([code for code in args.select.split(",") if code]),
                    on_error=args.on_error,
                    round_trip=args.roundtrip,
                    upos=args.upos,
                    lemmas=args.lemmas,
                    rules=args.rules,
                    path=source.path,
                )
                total.add(validate(validation, source, report, jobs=args.jobs))
            if total.stopped:
                break
    if args.json:
        _print_json(args, report, total)
    elif args.roundtrip:
        sys.stdout.writelines(_round_trip(total))
    if not args.quiet:
        _sum_up(report, total)
    return 1 if report.errors or total.differing else 0


def _sink(
    args: argparse.Namespace, write: Callable[[Incident], None] | None
) -> Callable[[Incident], None]:
    """What shows an incident on standard output and writes it to the report."""
    shown: dict[str, int] = {}
    most = 0 if args.verbose else args.max
    out = json_lines(sys.stdout)

    def sink(incident: Incident) -> None:
        if write is not None:
            write(incident)
        if args.json:
            out(incident)
            return
        count = shown[incident.code] = shown.get(incident.code, 0) + 1
        if not most or count <= most:
            sys.stdout.write(f"{incident}\n")
        elif count == most + 1 and not args.quiet:
            say(f"(more of {incident.code} are counted and not shown; --max 0 shows them)")

    return sink


def _round_trip(total: Outcome) -> list[str]:
    """The counts of the way back, and of each level the first line that differs."""
    lines = [f"level {'sentences':>12} {'identical':>12} {'differing':>12}\n"]
    for level in LEVELS:
        differing = total.differing[level]
        identical = total.sentences - differing
        lines.append(f"{level:>5} {total.sentences:>12,} {identical:>12,} {differing:>12,}\n")
    for level, (sent_id, difference) in sorted(total.first.items()):
        lines.append(f"\nlevel {level}, sentence {sent_id}\n")
        lines.append(f"  {difference.written}  |  {difference.back}\n")
    return lines


def _print_json(args: argparse.Namespace, report: Report, total: Outcome) -> None:
    counts: dict[str, object] = {
        "sentences": total.sentences,
        "eojeols": total.eojeols,
        "counts": dict(sorted(report.counts.items())),
    }
    if args.roundtrip:
        counts["differing"] = {str(level): total.differing[level] for level in LEVELS}
    print(json.dumps(counts, ensure_ascii=False))


def _sum_up(report: Report, total: Outcome) -> None:
    """Say on standard error how often each code occurred, and what it is."""
    from sejongud.validation import codes

    sys.stdout.flush()
    known = codes()
    for code in sorted(report.counts):
        say(f"{report.counts[code]:>9,}  {code}  {known.get(code, '')}")
    say(f"{total.sentences:,} sentences, {total.eojeols:,} eojeols, {report.errors:,} errors")
