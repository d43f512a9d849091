"""The commands, one module each, and their common options, input, output and report.

The docstring of a command module is its description; the first line is its short help. The module
has two functions: `register(parser)` adds its arguments, and `run(args)` does the work and returns
the exit status, which is 0 for success and 1 if the data had errors.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sejongud.errors import ON_ERROR, FormatError, Incident, Report, UsageError, json_lines
from sejongud.files import Source, atomic_output
from sejongud.files.layout import PLAIN
from sejongud.process.streams import OUTPUT_NAMES
from sejongud.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import TextIO

    from sejongud.files.layout import Layout

__all__ = [
    "SHOWN",
    "UPOS_SCHEMES",
    "CleanParser",
    "Parser",
    "add_common_options",
    "add_input_output",
    "count",
    "guard_files",
    "guard_inputs",
    "open_input",
    "open_output",
    "page_of",
    "positive",
    "report_file",
    "reporting",
    "say",
    "say_format",
]

UPOS_SCHEMES = "sejong, table3.1, ud, ud-gsd, ud-ksl, ud-kaist, morphud"
"""The schemes of --upos, for help: the tables name them when a command runs."""

_ONCE = frozenset({"W104", "I107"})
"""Codes whose messages are equal at every place: each message is reported once."""

_IN_REPORT = frozenset({"I521"})
"""Codes of what the user asked for, which the file of --report has, and -v shows."""

_INPUTS = (
    *("input", "inputs", "gold", "system", "others", "compare"),
    *("words", "morphemes", "labels", "recipe", "folder", "hyp", "ref", "sources", "analysis"),
)
"""The arguments of all commands that name a file or a list of files to read; or a folder."""

_PAGES = (".html", ".htm")
"""The endings of the page that `report` writes."""

_DIGITS = 18
"""The most digits of a number in an option: the number fits into a word of the machine."""

_MOST_JOBS = 1000
"""The greatest number of processes or of threads of Kiwi; each needs memory of its own."""

SHOWN = 10
"""The number of incidents of each code that are shown without -v."""


class CleanParser(argparse.ArgumentParser):
    """A parser whose errors cannot control the terminal."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        super().error(clean(message))


class Parser(CleanParser):
    """A parser that accepts options between the files as well: `IN --level 2 OUT`."""

    _mixing = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the parsed arguments and the unknown arguments."""
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def add_input_output(parser: argparse.ArgumentParser) -> None:
    """Add the arguments IN and OUT (`args.input`, `args.output`), whose default is `-`."""
    parser.add_argument(
        "input", metavar="IN", nargs="?", default="-", help="input file; - is stdin (default: -)"
    )
    parser.add_argument(
        "output",
        metavar="OUT",
        nargs="?",
        default="-",
        help="output file; - is stdout (default: -)",
    )


def add_common_options(parser: argparse.ArgumentParser, *only: str) -> None:
    """Add the options of all commands.

    The options set `quiet`, `verbose`, `on_error`, `report`, `force`, `jobs`, `rules`, `progress`
    and `encoding`.

    Args:
        parser: the parser of the command.
        only: the long names of the options that the command has; none for all of them.
    """
    group = parser.add_argument_group("common options")

    def add(*flags: str, **options: Any) -> None:
        if not only or flags[-1] in only:
            group.add_argument(*flags, **options)

    add("-q", "--quiet", action="store_true", help="print errors only")
    add("-v", "--verbose", action="store_true", help="show every incident")
    add(
        "--on-error",
        choices=ON_ERROR,
        default="stop",
        help="treatment of a sentence with an error: stop there, skip the sentence, or keep its"
        " usable parts (default: %(default)s)",
    )
    add("--report", metavar="FILE", help="write all incidents to FILE, one JSON object a line")
    add(
        "--force",
        action="store_true",
        help="replace a file even if it is an input, or a corpus that exists",
    )
    add(
        "--jobs",
        metavar="N",
        type=number_of_jobs,
        default=1,
        help="number of processes; auto starts one for each processor",
    )
    add("--rules", metavar="DIR", help="folder of tables that change or extend the built-in ones")
    add("--no-progress", dest="progress", action="store_false", help="show no progress bar")
    add("--encoding", metavar="NAME", help="encoding of the input (default: detect it)")


def count(text: str, *, least: int = 0) -> int:
    """Return the value of an option that takes a number from `least` on.

    Raises:
        ArgumentTypeError: the text is no such number, or has too many digits.
    """
    if text.isascii() and text.isdigit() and len(text) > _DIGITS:
        raise argparse.ArgumentTypeError(f"a number has at most {_DIGITS} digits, not {len(text)}")
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text} is no number from {least} on")
    return int(text)


def positive(text: str) -> int:
    """Return the value of an option that takes a number from 1 on."""
    return count(text, least=1)


def number_of_jobs(text: str) -> int:
    """Return the value of --jobs; 0 for `auto`.

    Raises:
        ArgumentTypeError: the text is neither such a number nor `auto`.
    """
    if text == "auto":
        return 0
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text} is neither a number of processes nor auto")
    if (jobs := count(text)) > _MOST_JOBS:
        raise argparse.ArgumentTypeError(f"at most {_MOST_JOBS} processes can work, not {text}")
    return jobs


def open_input(
    args: argparse.Namespace, path: str | None = None, *, line_ends: bool = True
) -> Source:
    """Open the input with the encoding and the progress bar that the options request.

    Args:
        args: the arguments of the command.
        path: the file; None for `args.input`.
        line_ends: whether CRLF and CR are read as LF.
    """
    return Source(
        args.input if path is None else path,
        encoding=args.encoding,
        progress=args.progress and not args.quiet,
        line_ends=line_ends,
    )


def open_output(args: argparse.Namespace, layout: Layout = PLAIN) -> AbstractContextManager[TextIO]:
    """Open the output `args.output`; see `sejongud.files.atomic_output`."""
    return atomic_output(args.output, layout)


def say_format(args: argparse.Namespace, path: str, found: object) -> None:
    """Say which format was detected, unless `--from` named one."""
    if args.from_ is None and not args.quiet:
        say(f"{path}: detected format: {found} (override with --from)")


@contextmanager
def report_file(args: argparse.Namespace) -> Iterator[Callable[[Incident], None]]:
    """Provide a function that writes incidents to the file of `--report`, if there is one.

    An error that ends the run is written to the file as well and raised again.

    Raises:
        FormatError: the error that the block raised.
        OSError: the file cannot be written.
    """
    failure: FormatError | None = None
    with atomic_output(args.report) if args.report else nullcontext(None) as stream:
        to_file = json_lines(stream) if stream else lambda _: None
        last: Incident | None = None

        def write(incident: Incident) -> None:
            nonlocal last
            to_file(last := incident)

        try:
            yield write
        except FormatError as error:
            # The caller that catches the error prints it; the block may have written it.
            found = error.incident()
            if last is None or found != replace(last, sent_id="", token=""):
                to_file(found)
            failure = error
    if failure is not None:
        raise failure


@contextmanager
def reporting(args: argparse.Namespace, *, cap_errors: bool = False) -> Iterator[Report]:
    """Provide the report of a run: on standard error, in the file of `--report`, with a summary.

    Args:
        args: the arguments.
        cap_errors: whether of errors, too, only the first of each code are shown.

    Raises:
        FormatError: the error that the block raised.
        OSError: the file of `--report` cannot be written.
    """
    failure: FormatError | None = None
    try:
        with report_file(args) as write:

            def sink(incident: Incident) -> None:
                write(incident)
                if incident.code in _IN_REPORT and not args.verbose:
                    return
                times = report.counts[incident.code]
                always = incident.is_error and (times <= SHOWN or not cap_errors)
                if args.verbose or (times <= SHOWN and not args.quiet) or always:
                    say(str(incident))
                elif times == SHOWN + 1 and not args.quiet:
                    say(f"(more of {incident.code} are counted and not shown; -v shows them)")

            report = Report(sink, once=_ONCE)
            yield report
    except FormatError as error:
        failure = error
    if report.counts and not args.quiet:
        say("incidents: " + ", ".join(f"{code} {n}" for code, n in sorted(report.counts.items())))
    if failure is not None:
        raise failure


def guard_inputs(args: argparse.Namespace) -> None:
    """Check that each file has a name, and that standard input is one of the inputs only.

    Raises:
        UsageError: a name is empty, as from an unset variable, or two inputs are `-`.
    """
    inputs = list(_inputs(args))
    own = [getattr(args, name, None) for name in ("output", "picture", "html", "report", "rules")]
    own += getattr(args, "outputs", None) or ()
    if "" in [*inputs, *own]:
        raise UsageError("the name of a file is empty: name a file, or - for a standard stream")
    if inputs.count("-") > 1:
        raise UsageError(
            "- is named for two inputs, but standard input can be read only once: name a file, or"
            " another pipe as <(command)"
        )


def guard_files(args: argparse.Namespace, more: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Check that no file that the command writes is lost, or takes the place of a corpus.

    The check of the arguments runs before every command; a command calls it again for files that
    it finds by itself. Devices and pipes are written into, so nothing takes their place.

    Args:
        args: the arguments of the command.
        more: files that the command found by itself and reads.

    Raises:
        UsageError: two files to write are the same; or, without `--force`, a file to write is also
            an input, or exists and is recognised as a corpus.
        OSError: a file to write exists and cannot be read.
    """
    outputs = list(_outputs(args))
    for (_, path), (name, other) in combinations(outputs, 2):
        if _is_same(_identity(path, sys.stdout), _identity(other, sys.stdout)):
            raise UsageError(f"{name} is also the output")
    if getattr(args, "force", False):
        return
    inputs = [_identity(path, sys.stdin) for path in chain(_inputs(args), map(str, more))]
    for name, path in outputs:
        own = _identity(path, sys.stdout)
        if any([_is_same(own, identity) for identity in inputs]):
            raise UsageError(f"{name} is also an input: it is replaced only with --force")
        if path not in OUTPUT_NAMES and Path(path).is_file():
            from sejongud.formats.finding import corpus_format

            if found := corpus_format(path):
                raise UsageError(
                    f"{name} exists and is recognised as {found}, a format that is read: it is"
                    " replaced only with --force"
                )


def _outputs(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the name in messages and the path of each file that the command writes."""
    if output := getattr(args, "output", None) or page_of(args):
        yield "standard output" if output == "-" else output, output
    for path in getattr(args, "outputs", None) or ():
        yield "standard output" if path == "-" else path, path
    for option in ("picture", "html", "report"):
        if path := getattr(args, option, None):
            yield f"--{option} {path}", path


def page_of(args: argparse.Namespace) -> str:
    """Return the page that `report` writes, the last of its files, "" if it is none."""
    last = getattr(args, "files", [""])[-1]
    return last if Path(last).suffix.lower() in _PAGES else ""


def _inputs(args: argparse.Namespace) -> Iterator[str]:
    """Yield the files that the arguments name, apart from those of `_outputs`."""
    for name in _INPUTS:
        value = getattr(args, name, None)
        yield from value if isinstance(value, list) else [] if value is None else [value]
    files = getattr(args, "files", [])
    yield from files[:-1] if page_of(args) else files
    # `eval parse` takes the options of EVALB in their order.
    for option, value in getattr(args, "settings", None) or ():
        if option == "-p":
            yield value
    rules = getattr(args, "rules", None)
    if rules and Path(rules).is_dir():
        yield from map(str, Path(rules).iterdir())


def _identity(path: str, standard: TextIO | None) -> tuple[int, int] | Path | None:
    """Return what is equal for all names of a file, links included; None for a device or a pipe.

    Args:
        path: the file; `-` for the standard stream.
        standard: the standard stream.
    """
    try:
        if path != "-":
            found = Path(path).stat()
        elif standard is not None:
            found = os.fstat(standard.fileno())
        else:
            return None
    except (OSError, ValueError):  # There is no such file, or the stream has no descriptor.
        return None if path == "-" else Path(path).resolve()
    replaceable = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return (found.st_dev, found.st_ino) if replaceable else None


def _is_same(one: object, other: object) -> bool:
    return one is not None and one == other


def say(message: str) -> None:
    """Print a message on standard error, above a progress bar; it cannot control the terminal."""
    message = clean(message, "\n\t")
    if "tqdm" in sys.modules:
        from tqdm import tqdm

        tqdm.write(message, file=sys.stderr)
    else:
        print(message, file=sys.stderr)
