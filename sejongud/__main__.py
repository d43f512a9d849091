"""The command line: `sejongud COMMAND …`.

The exit status is 0 for success, 1 if the data had errors or could not be read or written, 2 for
wrong usage and 130 after an interrupt. If the reader of standard output closes it early
(`sejongud … | head`), the status is 0 once every named file stands.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.process import ENDING, end, is_closed_pipe, standard_streams, temporary_folder
from sejongud.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sejongud.errors import Report


def main(argv: Sequence[str] | None = None, commands: Mapping[str, str] | None = None) -> int:
    """Run a command and return its exit status.

    Args:
        argv: the arguments, without the name of the program; None takes those of the process.
        commands: module:function of each command; None takes those of the table.
    """
    if (parallel := sys.modules.get("sejongud.process.parallel")) is not None:
        parallel.abandoned.clear()  # An earlier run in this process may have set it.
    try:
        with standard_streams():
            try:
                status = _guarded(argv, commands)
            except SystemExit as ending:
                _leave_pool(ending.code)
                raise
            _leave_pool(status)
            return status
    except KeyboardInterrupt:
        # Ctrl-C came before signals were handled.
        return 130


class Ran(NamedTuple):
    """The result of a command that ran in this process."""

    status: int
    """The exit status: 0, or 1 if the data had errors or nothing was found."""
    output: str
    """The text on standard output; "" if the output is a file."""
    messages: str
    """The text on standard error."""


def run(
    command: str, *arguments: str | os.PathLike[str], report: Report | None = None, **options: Any
) -> Ran:
    """Do what a command of the shell does, in this process; commands of several threads wait.

    Args:
        command: its name, such as "dep morph2word".
        *arguments: its files and other arguments, in the order of the shell.
        report: receives an incident for everything that was mended or left out; None logs them.
        **options: its options by their long names, with `_` for a hyphen, and behind a word of
            Python (`from_`): True for an option without a value, a list for several values, None or
            False for an option that is not given; `punctuation=False` is `--no-punctuation`.

    Raises:
        UsageError: there is no such command or option, or a value is wrong.
        FormatError: an error in the data, with `on_error` "stop".
        OSError: a file cannot be read or written.
    """
    import io
    import json
    from contextlib import redirect_stderr, redirect_stdout
    from pathlib import Path

    from sejongud import arguments as declared
    from sejongud.api import report_of
    from sejongud.errors import Incident, UsageError
    from sejongud.files import Source
    from sejongud.process.parallel import running

    with temporary_folder() as folder:
        log = Path(options.get("log") or folder / "log.jsonl")
        before = log.exists() and log.stat().st_ino  # The log of a run is a new file.
        named = declared.options_of(command) if command in declared.commands() else {}
        if "log" in named:
            options["log"] = log
        argv = [*command.split(), *[os.fspath(argument) for argument in arguments]]
        for keyword, value in options.items():
            name = keyword.rstrip("_").replace("_", "-")
            if value is False and f"no-{name}" in named:
                name, value = f"no-{name}", True
            if named and name not in named and value in (None, False):
                raise UsageError(f"unrecognized arguments: --{name}")
            option = named.get(name, (declared.Option(name, f"--{name}"), ""))[0]
            values = list(value) if isinstance(value, list | tuple) else [value]
            if option.value[-1:] in ("*", "+"):
                argv += [option.flag, *map(str, values)]
            elif value is True:
                argv.append(option.flag)
            elif value is not None and value is not False:
                argv += [option.flag, ",".join(map(str, values))]
        written = io.BytesIO(), io.BytesIO()
        out, err = (
            io.TextIOWrapper(binary, "utf-8", errors, "\n", write_through=True)
            for binary, errors in zip(written, ("strict", "backslashreplace"), strict=True)
        )
        try:
            with running, redirect_stdout(out), redirect_stderr(err):
                status = _run(argv, None)
        except SystemExit as ended:  # argparse has written a help or an error.
            status = int(ended.code or 0)
        finally:
            if log.is_file() and log.stat().st_ino != before:
                with Source(log, encoding="utf-8") as source:
                    for line in source.lines():
                        report_of(report).add(Incident(**json.loads(line)))
    output, messages = (binary.getvalue().decode() for binary in written)
    if status == 2:
        raise UsageError(messages.rpartition(": error: ")[2].strip())
    return Ran(status, output, messages)


def _leave_pool(status: object) -> None:
    """End the process at once if Python would wait for the threads of an abandoned pool."""
    parallel = sys.modules.get("sejongud.process.parallel")
    if parallel is None or not parallel.abandoned.is_set():
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(status if isinstance(status, int) else 1)


def _guarded(argv: Sequence[str] | None, commands: Mapping[str, str] | None) -> int:
    """Run a command, print its error if it fails, and return the exit status."""
    try:
        with _ending_on_signals():
            try:
                status = _run(argv, commands)
            except SystemExit:  # argparse has written a help or an error.
                sys.stdout.flush()
                raise
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if is_closed_pipe(error):
            return 0
        status, message = _explain(error)
        from sejongud.commands import say

        with suppress(OSError):  # The data before the error; another error is not the first one.
            sys.stdout.flush()
        say(message)
    return status


def _run(argv: Sequence[str] | None, commands: Mapping[str, str] | None) -> int:
    is_process = argv is None
    if argv is None:
        argv = sys.argv[1:]
        # Modules, parsers and tables are no garbage: a twelfth of a start would be spent on them.
        gc.disable()
        atexit.register(gc.freeze)
    if list(argv) in (["--version"], ["-V"]):
        print(f"sejongud {__version__}")
        return 0
    from sejongud.arguments import Parser, homes, work_of

    commands = commands or homes()
    if argv and argv[0] == "help":
        known = len(argv) == 1 or argv[1] in commands
        argv = [*argv[1:], "--help"] if known else argv[1:]
    if argv and argv[0] in commands:
        from sejongud.commands import choose_format, guard_files, guard_inputs, named_files, say

        args = Parser(argv[0]).parse_args(argv[1:])
        for note in vars(args).pop("renamed", ()) if not getattr(args, "quiet", False) else ():
            say(f"sejongud: {note}")
        named_files(args)
        guard_inputs(args)
        guard_files(args)
        choose_format(args)
        if getattr(args, "many", False):
            from sejongud.commands.many import run_many

            work: Callable[[argparse.Namespace], int] = partial(run_many, commands[argv[0]])
        else:
            work = work_of(commands[argv[0]], args)
        if is_process:
            gc.freeze()
            gc.enable()
        return work(args)
    return _without_command(argv, commands)


def _without_command(argv: Sequence[str], commands: Mapping[str, str]) -> int:
    """Print the help or the versions, or explain the wrong usage."""
    from sejongud import arguments
    from sejongud.arguments import PROGRAM, Parser

    parser = Parser(PROGRAM, prog=PROGRAM)
    if {"-h", "--help"} & set(argv):
        parser.epilog = _listing(commands)
    args, _ = parser.parse_known_args(argv)
    if args.version or args.versions:
        print(f"sejongud {__version__}")
        if args.versions:
            print("\n".join(_versions()))
        return 0
    if args.command is None:
        parser.epilog = _listing(commands)
        parser.print_help()
        return 0
    if args.command in commands:
        parser.error(f"write the options after the command: sejongud {args.command} …")
    from sejongud.errors import similar

    word = args.command.lower()
    rows = arguments.commands().values()
    meant = [f"; the command is sejongud {row.name}" for row in rows if word in row.meant.split()]
    if not meant and not word.isascii():
        meant = [f"; to find a word: sejongud grep {args.command} FILE"]
    hint = "".join(meant) or similar(args.command, commands) or "; sejongud --help lists them"
    parser.error(f"no command {args.command!r}{hint}")


def _listing(commands: Mapping[str, str]) -> str:
    """Return the list of commands, each with the first line of its docstring."""
    from sejongud import arguments

    width = max(map(len, commands), default=0)
    table = arguments.commands()
    named = [(name, table[name].description().partition("\n")[0]) for name in commands]
    rows = "".join([f"  {name:{width}}  {summary}\n" for name, summary in named])
    about = "sejongud help COMMAND, or sejongud COMMAND --help, describes a command."
    return f"commands:\n{rows}\n{about}"


def _versions() -> list[str]:
    """Return the versions that results depend on: Python, the libraries and the tables."""
    import platform
    from importlib.metadata import version

    from sejongud.rules import digest

    libraries = ("kiwipiepy", "kiwipiepy_model", "conllu", "pandas", "rapidfuzz")
    return [
        f"python {platform.python_version()}",
        *(f"{library} {version(library)}" for library in libraries),
        f"rules {digest()}",
    ]


@contextmanager
def _ending_on_signals() -> Iterator[None]:
    """Handle signals that end the process: remove what is unfinished, then end it at once."""
    import signal

    before = {}
    with suppress(ValueError):  # Only the main thread may handle signals.
        for name in ENDING:
            number = getattr(signal, name, None)
            # A process that was told to ignore a signal (nohup) goes on ignoring it.
            usual = (signal.SIG_DFL, signal.default_int_handler)
            if number is not None and signal.getsignal(number) in usual:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _explain(error: Exception) -> tuple[int, str]:
    """Return the exit status and the message of an expected error.

    Raises:
        Exception: `error` itself, if it is a bug of the program.
    """
    from sejongud.errors import SejongudError, UsageError

    match error:
        case UsageError():
            return 2, f"sejongud: {error}"
        case SejongudError():
            return 1, f"{error}"
        case UnicodeEncodeError():
            char = error.object[error.start]
            return 1, f"sejongud: the character U+{ord(char):04X} of the output is not text"
        case MemoryError():
            return 1, "sejongud: not enough memory; fewer --jobs need less"
        case RecursionError():
            return 1, "sejongud: the input is nested too deeply"
        case OSError() if error.strerror:
            name = error.filename if isinstance(error.filename, str | bytes) else ""
            return 1, ": ".join(filter(None, ["sejongud", os.fsdecode(name), error.strerror]))
        case _:
            raise error


if __name__ == "__main__":
    sys.exit(main())
