"""The commands, one module each, and what they share: options, input, output, report.

A command module has a docstring, whose first line is its short help and the rest its description,
and two functions: `register(parser)` adds its arguments, `run(args)` does the work and returns the
exit status, 0 if all was fine and 1 if the data had errors.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.errors import ON_ERROR, FormatError, Incident, Report, UsageError, json_lines
from sejongud.files import Source, atomic_output

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import TextIO

__all__ = [
    "Parser",
    "add_common_options",
    "add_input_output",
    "count",
    "guard_report",
    "number_of_jobs",
    "open_input",
    "open_output",
    "positive",
    "reporting",
    "say",
]

_ONCE = frozenset({"W104", "I107"})
"""Codes that say the same at every place: each message is reported once."""

_FILES = (
    *("input", "output", "inputs", "files", "gold", "system", "compare", "picture"),
    *("words", "morphemes", "labels", "recipe", "folder"),
)
"""The arguments, of any command, that name a file (or a list of files) to read or to write."""

_SHOWN = 10
"""How many incidents of one code are shown without -v."""


class Parser(argparse.ArgumentParser):
    """A parser for which options may also stand between the files: `IN --level 2 OUT`."""

    _mixing = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """The arguments, and those that nobody knows."""
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def add_input_output(parser: argparse.ArgumentParser) -> None:
    """Add the arguments IN and OUT (`args.input`, `args.output`), `-` where left out."""
    parser.add_argument(
        "input", metavar="IN", nargs="?", default="-", help="input file; - or nothing: stdin"
    )
    parser.add_argument(
        "output", metavar="OUT", nargs="?", default="-", help="output file; - or nothing: stdout"
    )


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all commands understand.

    They set `quiet`, `verbose`, `on_error`, `report`, `jobs`, `rules`, `progress` and `encoding`.
    """
    group = parser.add_argument_group("common options")
    group.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    group.add_argument("-v", "--verbose", action="store_true", help="show every incident")
    group.add_argument(
        "--on-error",
        choices=ON_ERROR,
        default="stop",
        help="a sentence with an error: stop there, skip it, or keep what can be (%(default)s)",
    )
    group.add_argument(
        "--report", metavar="FILE", help="write all incidents to FILE, one JSON object a line"
    )
    group.add_argument(
        "--jobs",
        metavar="N",
        type=number_of_jobs,
        default=1,
        help="processes; auto: one a processor",
    )
    group.add_argument("--rules", metavar="DIR", help="tables that are laid over the built-in ones")
    group.add_argument(
        "--no-progress", dest="progress", action="store_false", help="no progress bar"
    )
    group.add_argument("--encoding", metavar="NAME", help="encoding of the input, if not guessed")


def count(text: str) -> int:
    """The value of an option that is a number from 0 on.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 on")
    return int(text)


def positive(text: str) -> int:
    """The value of an option that is a number from 1 on.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not (text.isascii() and text.isdigit() and text.strip("0")):
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


def number_of_jobs(text: str) -> int:
    """The value of --jobs; 0 for `auto`.

    Raises:
        ArgumentTypeError: it is no number.
    """
    if text != "auto" and not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a number of processes, nor auto")
    return 0 if text == "auto" else int(text)


def open_input(args: argparse.Namespace, path: str | None = None) -> Source:
    """The input as the options want it read.

    Args:
        args: the arguments of the command.
        path: which file, if not `args.input`.
    """
    return Source(
        args.input if path is None else path,
        encoding=args.encoding,
        progress=args.progress and not args.quiet,
    )


def open_output(args: argparse.Namespace) -> AbstractContextManager[TextIO]:
    """The output; see `sejongud.files.atomic_output`."""
    return atomic_output(args.output)


@contextmanager
def reporting(args: argparse.Namespace) -> Iterator[Report]:
    """A report for one run: shown on standard error, written to `--report`, summed up at the end.

    An error that ends the run is written to the report as well, and raised on.

    Raises:
        FormatError: what the block raised.
        OSError: the file of `--report` cannot be written.
    """
    file = atomic_output(args.report) if args.report else nullcontext(None)
    failure: FormatError | None = None
    with file as stream:
        write = json_lines(stream) if stream else None

        def sink(incident: Incident) -> None:
            if write is not None:
                write(incident)
            times = report.counts[incident.code]
            if args.verbose or (times <= _SHOWN and not args.quiet) or incident.is_error:
                say(str(incident))
            elif times == _SHOWN + 1 and not args.quiet:
                say(f"(more of {incident.code} are counted and not shown; -v shows them)")

        report = Report(sink, once=_ONCE)
        try:
            yield report
        except FormatError as error:
            # Whoever catches it prints it.
            if write is not None:
                write(error.incident())
            failure = error
    if report.counts and not args.quiet:
        say("incidents: " + ", ".join(f"{code} {n}" for code, n in sorted(report.counts.items())))
    if failure is not None:
        raise failure


def guard_report(args: argparse.Namespace, more: Iterable[str | os.PathLike[str]] = ()) -> None:
    """See that `--report` would not replace what the command reads or writes.

    The arguments of every command are seen to before it begins; a command does so again for files
    that it finds by itself.

    Args:
        args: the arguments of the command.
        more: such files.

    Raises:
        UsageError: it would.
    """
    report = getattr(args, "report", None)
    if not report:
        return
    target = Path(report).resolve()
    for file in chain(_named_files(args), more):
        if file != "-" and Path(file).resolve() == target:
            raise UsageError(f"--report {report} is also an input or the output")


def _named_files(args: argparse.Namespace) -> Iterator[str]:
    """The files that the arguments name."""
    for name in _FILES:
        value = getattr(args, name, None)
        yield from value if isinstance(value, list) else [value] if value else []
    # Of `eval parse`, which takes the options of EVALB in their order.
    for option, value in getattr(args, "settings", None) or ():
        if option == "-p":
            yield value
    rules = getattr(args, "rules", None)
    if rules and Path(rules).is_dir():
        yield from map(str, Path(rules).iterdir())


def say(message: str) -> None:
    """Print a message on standard error, above the progress bar if there is one."""
    if "tqdm" in sys.modules:
        from tqdm import tqdm

        tqdm.write(message, file=sys.stderr)
    else:
        print(message, file=sys.stderr)
