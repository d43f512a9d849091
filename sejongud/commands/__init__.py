"""The commands, several to a module, and their common options, input, output and report.

The row of a command in `commands.tsv` names its arguments, and the function or the class that does
its work and returns the exit status, 0 for success and 1 if the data had errors. The docstring of
that function or class is the description of the command; its first line is the short help.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager, nullcontext
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.arguments import files_of, options_of, resolved
from sejongud.errors import FormatError, Incident, Report, UsageError, similar
from sejongud.files import Source, atomic_output, checked_name, file_ending
from sejongud.files.layout import PLAIN, Layout
from sejongud.files.texts import Abreast, divided
from sejongud.process import OUTPUT_NAMES
from sejongud.terminal import clean, counted, json_text

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager, ExitStack
    from typing import TextIO

    from sejongud.pipeline import Tally, Totals

    Act = Callable[[Namespace, Source, TextIO, Report], Sequence[str]]

_ONCE = frozenset({"W104", "I107", "W324", "I325", "W630", "W633"})
"""Codes whose messages are equal at every place: each message is reported once."""

_IN_REPORT = frozenset({"I443", "I521", "I522", "I523"})
"""The codes of incidents that the user asked for, or that are many: --log has them, -v shows them."""

SHOWN = 10
"""The number of incidents of each code that are shown without -v."""


def named_files(args: Namespace) -> None:
    """Find the inputs and the output among the files that are named: IN OUT, or IN … -o OUT.

    A command with several `outputs` has a folder of outputs if that is the only one of them. The
    last of the `files` of `report` is the output if it is a page.

    Sets `input` and `output`; or for `sejongud.commands.many` `inputs`, `many`, and `output`
    if that is one file.

    Raises:
        UsageError: it is not clear which of the files is the output.
    """
    _take_page(args)
    if (last := vars(args).pop("last", None)) is not None:
        if args.output != "-":
            raise UsageError(f"two outputs are named: {last} and {args.output}")
        args.output = last
    if "patterns" in options_of(args.declared) and args.output is None:
        if len(args.inputs) < 2:
            raise UsageError("name the folder to write: IN … OUT, or -o OUT")
        args.output = args.inputs.pop()
    names: list[str] | None = getattr(args, "named", None)
    if names is None:
        outputs: list[str] = getattr(args, "outputs", None) or []
        if len(outputs) == 1 and _names_folder(outputs[0]):
            args.target, args.outputs, args.many = outputs[0], None, True
        return
    if args.target is None:
        if len(names) > 2:
            raise UsageError(
                f"{len(names)} files are named, and which of them is written is not clear: name the"
                " output with -o, a file (-o OUT) or a folder (-o OUT/)"
            )
        if names and _is_folder(names[0]) and names[-1] != "-":
            raise UsageError(f"{names[0]} is a folder: name the output with -o OUT or -o OUT/")
        args.input, args.output = [*names, "-", "-"][:2]
    elif _names_folder(args.target):
        args.inputs, args.many = names, True
    else:
        args.output = args.target
        if len(names) > 1 or (names and _is_folder(names[0])):
            args.inputs, args.many = names, True
        else:
            args.input = names[0] if names else "-"


def _take_page(args: Namespace) -> None:
    """Make the last of the files of `report` the output if it is a page."""
    from sejongud.formats import endings_of

    files: list[str] = getattr(args, "files", [])
    if files and args.output is None and file_ending(files[-1]) in endings_of("html"):
        args.output = files.pop()


def choose_format(args: Namespace) -> None:
    """Choose the format of each output: the one that an option names, or that of its ending.

    A command has the names of the formats that it writes (`writes`), the one that it writes if
    neither tells (`usual`), and `to`: the format that the user names, if he can, which becomes the
    chosen one.

    Raises:
        UsageError: the command cannot write this format, or a file with this ending.
    """
    from sejongud.formats import output_format

    for name in ("from_", "to"):
        _check_format(args, name, getattr(args, name, None))
    if names := written(args):
        path = getattr(args, "output", None) or [*(getattr(args, "outputs", None) or ()), "-"][0]
        args.to = output_format(path, names, getattr(args, "to", None), args.usual)
    for option, path in files_of(args, "out"):
        kind = option.type.partition(":")[2]
        output_format(path, (kind,), usual=kind)


def _check_format(args: Namespace, keyword: str, named: str | None) -> None:
    """Check that an option names one of its formats.

    Raises:
        UsageError: it names another one, or none.
    """
    from sejongud.formats import ALIASES, FORMATS, READERS, WRITERS, no_format

    row = options_of(args.declared).get(keyword.rstrip("_"))
    if named is None or row is None:
        return
    name, names = named.partition(":")[0], tuple(row[0].values())
    if keyword == "to" and named in options_of(args.declared):
        return  # An option such as --json has chosen it.
    known = ALIASES.get(name, name)
    # Commands of sentences say themselves which command has a format of other data.
    explained = known in FORMATS and names in (tuple(READERS), tuple(WRITERS))
    if not {name, known} & set(names) and not explained:
        hint = similar(name, names)
        raise UsageError(no_format(name, names, is_read=keyword != "to") + hint)


def written(args: Namespace) -> Sequence[str]:
    """Return the formats that a command writes, the usual one first."""
    writes: str = getattr(args, "writes", "")
    if not writes.startswith("@"):
        return writes.split()
    names = resolved(writes)
    return tuple(names(args) if callable(names) else names)


def upos_names() -> tuple[str, ...]:
    """Return the schemes of --upos in the package's own tables, for help."""
    from sejongud.levels.upos import upos_schemes
    from sejongud.rules import load

    return upos_schemes(load())


def _names_folder(name: str) -> bool:
    return name.endswith(("/", os.sep)) or _is_folder(name)


def _is_folder(name: str) -> bool:
    return bool(name) and Path(name).is_dir()


def open_input(args: Namespace, path: str | None = None, *, line_ends: bool = True) -> Source:
    """Open the input with the encoding and the progress bar that the options request.

    Args:
        args: the arguments of the command.
        path: the file; None for `args.input`.
        line_ends: whether CRLF and CR are read as LF.
    """
    options: dict[str, Any] = {
        "encoding": args.encoding,
        "progress": args.progress and not args.quiet,
        "line_ends": line_ends,
    }
    from sejongud.formats import ABREAST

    beside = list(files_of(args, "beside"))
    for option, name in beside:
        if not Path(name).exists():
            owners = f"--to {' or '.join(ABREAST)}, which write it, or to an IN beside which it"
            raise UsageError(f"{option.flag} belongs to {owners} stands; there is no file {name}")
    if beside:
        return Abreast(args.input, [name for _, name in beside], **options)
    return Source(args.input if path is None else path, **options)


def lines_beside(args: Namespace, out: TextIO, stack: ExitStack) -> TextIO:
    """Return the stream of an output whose lines are divided among the files that options name.

    The files appear under their names when the stack closes them.
    """
    files = [name for option, name in files_of(args, "out") if option.type.startswith("beside")]
    return divided(out, files, stack)


def is_pipe(path: str) -> bool:
    """Test whether an input can be read only once: standard input, a pipe or a device."""
    return path == "-" or Path(path).is_fifo() or Path(path).is_char_device()


def open_output(args: Namespace, layout: Layout = PLAIN) -> AbstractContextManager[TextIO]:
    """Open the output `args.output`; see `sejongud.files.atomic_output`.

    A file of CSV begins with a byte order mark, by which a spreadsheet knows UTF-8.
    """
    tally: Tally | None = getattr(args, "tally", None)
    if getattr(args, "to", None) == "csv" and args.output not in OUTPUT_NAMES:
        layout = layout._replace(has_mark=True)
    return atomic_output(args.output, PLAIN if tally is not None and tally.joins else layout)


def say_format(args: Namespace, path: str, found: object) -> None:
    """Say which format was detected, unless `--from` named it; only for the first of many files."""
    if args.from_ is not None or args.quiet:
        return
    args.formats = getattr(args, "formats", 0) + 1
    if args.formats <= SHOWN or args.verbose:
        say(f"{path}: detected format: {found} (override with --from)")
    elif args.formats == SHOWN + 1:
        say("(the formats of more files are detected and not shown; -v shows them)")


def format_in(args: Namespace, source: Source) -> str:
    """Return the format of a source that `convert` reads, and say it if it was detected.

    Raises:
        UsageError: there is no such format, or the source looks like none.
    """
    from sejongud.formats import resolve

    name = resolve(args.from_, source.head(), source.path, args.rules)
    say_format(args, source.path, name.replace(":", " ", 1))
    return name


def _log(args: Namespace) -> AbstractContextManager[TextIO | None]:
    """Open the file of `--log`; the log of one of many files stands in a temporary folder."""
    if not args.report:
        return nullcontext(None)
    if getattr(args, "tally", None) is not None:
        return Path(args.report).open("w", encoding="utf-8", newline="\n")
    return atomic_output(args.report)


@contextmanager
def logged(args: Namespace, show: Callable[[Incident], object]) -> Iterator[Report]:
    """Provide a report that writes its incidents to the file of `--log`, if there is one.

    An error that ends the run is written to the file as well and raised again.

    Args:
        args: the arguments of the command.
        show: called with each incident.

    Raises:
        FormatError: the error that the block raised.
        OSError: the file cannot be written.
    """
    failure: FormatError | None = None
    with _log(args) as stream:
        last: Incident | None = None

        def to_file(incident: Incident) -> None:
            if stream:
                stream.write(f"{incident.to_json()}\n")

        def sink(incident: Incident) -> None:
            nonlocal last
            to_file(last := incident)
            show(incident)

        try:
            yield Report(sink)
        except FormatError as error:
            # The caller that catches the error prints it; the block may have written it.
            found = error.incident()
            if last is None or found != last._replace(sent_id="", token=""):
                to_file(found)
            failure = error
    if failure is not None:
        raise failure


@contextmanager
def reporting(args: Namespace, *, cap_errors: bool = False) -> Iterator[Report]:
    """Provide the report of a run: on standard error, in the file of `--log`, with a summary.

    Args:
        args: the arguments; with a `tally` that alone is filled, beside the file.
        cap_errors: whether of errors, too, only the first of each code are shown.

    Raises:
        FormatError: the error that the block raised.
        OSError: the file of `--log` cannot be written.
    """
    tally: Tally | None = getattr(args, "tally", None)

    def show(incident: Incident) -> None:
        if tally is not None or (incident.code in _IN_REPORT and not args.verbose):
            return
        times = report.counts[incident.code]
        always = incident.is_error and (times <= SHOWN or not cap_errors)
        if args.verbose or (times <= SHOWN and not args.quiet) or always:
            say(str(incident))
        elif times == SHOWN + 1 and not args.quiet:
            say(f"(more of {incident.code} are counted and not shown; -v shows them)")

    failure: FormatError | None = None
    try:
        with logged(args, show) as report:
            report.once = _ONCE
            if tally is not None:
                report.counts = tally.counts
            yield report
    except FormatError as error:
        failure = error
    if report.counts and not args.quiet:
        say("incidents: " + ", ".join(f"{code} {n}" for code, n in sorted(report.counts.items())))
    if failure is not None:
        raise failure


def run_file(
    args: Namespace,
    act: Act,
    *,
    line_ends: bool = True,
    layout_for: Callable[[str], Layout] = lambda _: PLAIN,
    conllu: str = "",
) -> int:
    """Do an action that reads `args.input` and writes `args.output`, and say what was done.

    Args:
        args: the arguments of the command.
        act: reads a source, writes to a stream, and returns lines to say about it.
        line_ends: whether the line ends of the source become LF.
        layout_for: returns the layout of the output from the beginning of the source.
        conllu: the name of a command that reads CoNLL-U alone (`as_conllu`); "" for any other.

    Returns:
        The exit status.
    """
    from sejongud.converters.jobs import as_conllu
    from sejongud.pipeline import without_collector

    with (
        open_input(args, line_ends=line_ends) as opened,
        reporting(args) as report,
        as_conllu(opened, report, on_error=args.on_error, rules=args.rules, command=conllu)
        if conllu
        else nullcontext(opened) as source,
        open_output(args, layout_for(source.head())) as out,
        without_collector(),
    ):
        inform(args, *act(args, source, out, report))
    return 1 if report.errors else 0


def write_output(args: Namespace, content: str | Mapping[str, object]) -> None:
    """Write a text, or values as a JSON object, to `args.output`."""
    with open_output(args) as out:
        out.write(content if isinstance(content, str) else json_text(content, indent=2) + "\n")


def settings_of(args: Namespace, kind: Any) -> dict[str, Any]:
    """Return the arguments that are given and are fields of a class, by their names.

    Other fields have the defaults of the class, which is a record, a dataclass or a named tuple.

    >>> from argparse import Namespace
    >>> from sejongud.errors import Incident
    >>> settings_of(Namespace(jobs=1, code="E101"), Incident)
    {'code': 'E101'}
    """
    # Fields of a dataclass that have names only are not matched by their place.
    names = getattr(kind, "__dataclass_fields__", kind.__match_args__)
    return {name: getattr(args, name) for name in names if getattr(args, name, None) is not None}


def told_totals(args: Namespace, totals: Totals, words: str = "eojeol[s]") -> tuple[str, ...]:
    """Return the line about how much was converted; none for one of many files, which tallies it.

    Args:
        args: the arguments of the command.
        totals: the numbers of sentences and words.
        words: the name of the words, for `counted`.
    """
    if (tally := getattr(args, "tally", None)) is not None:
        tally.sentences += totals.sentences
        tally.words += totals.words
        keep_end(args, totals)
        return ()
    return (f"{counted(totals.sentences, 'sentence[s]')}, {counted(totals.words, words)}",)


def keep_end(args: Namespace, totals: Totals) -> None:
    """Keep what the output of one of many files lacks if another one follows."""
    if (tally := getattr(args, "tally", None)) is not None:
        tally.lacks = totals.lacks


def corpora(
    args: Namespace,
    paths: Sequence[str],
    reads: Callable[[str, str], bool] = lambda name, head: True,
) -> list[str]:
    """Return the files that are named, and those of the folders that are; say which are left out.

    Args:
        args: the arguments of the command, whose outputs may be none of the files.
        paths: the files and folders.
        reads: tells of the format and the head of a file in a folder whether the command reads it.

    Raises:
        UsageError: the folders have no file that is read, or an output is one of the files.
    """
    from sejongud.formats import recognise
    from sejongud.formats.finding import input_files

    skipped: dict[str, str] = {}
    files: list[str] = []
    for path, _, walked in input_files(paths, getattr(args, "from_", None), skipped):
        if walked:
            with Source(path) as source:
                head = source.head()
            if not reads(name := recognise(None, head).name, head):
                skipped[path] = f"{name}, which this command does not read"
                continue
        files.append(path)
    say_skipped(args, skipped)
    if not files:
        raise no_corpus(paths)
    guard_files(args, files)
    return files


def opened_corpora(
    args: Namespace, paths: Sequence[str], reads: Callable[[str, str], bool]
) -> Iterator[Source]:
    """Yield the files of `corpora`, each of them open until the next."""
    for path in corpora(args, paths, reads):
        with open_input(args, path) as source:
            yield source


def no_corpus(paths: Sequence[str]) -> UsageError:
    """Return the error of folders in which there is nothing to read."""
    return UsageError(f"no file in {', '.join(paths)} is a corpus that this command reads")


def say_skipped(args: Namespace, skipped: Mapping[str, str]) -> None:
    """Say which files of folders were left out, and the reason of each; without -v the first."""
    if args.quiet:
        return
    shown = None if args.verbose else SHOWN
    for path, why in list(skipped.items())[:shown]:
        say(f"{path}: skipped: {why}")
    if shown and len(skipped) > shown:
        more = counted(len(skipped) - shown, "more file[s] [is|are] skipped")
        say(f"({more}; -v lists them)")


def guard_inputs(args: Namespace) -> None:
    """Check that each file has a name, and that standard input is one of the inputs only.

    Raises:
        UsageError: a name is empty, as from an unset variable, or two inputs are `-`.
    """
    inputs = list(_inputs(args))
    own = [getattr(args, name, None) for name in ("output", "target")]
    own += getattr(args, "outputs", None) or ()
    own += [path for kind in ("out", "folder") for _, path in files_of(args, kind)]
    if "" in [*inputs, *own]:
        checked_name("")
    if inputs.count("-") > 1:
        raise UsageError(
            "- is named for two inputs, but standard input can be read only once: name a file, or"
            " another pipe as <(command)"
        )


def guard_files(args: Namespace, more: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Check that the outputs replace no input, no corpus and no other output.

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
        both_standard = {path, other} <= set(OUTPUT_NAMES)
        if both_standard or _identity(path, sys.stdout) == _identity(other, sys.stdout):
            raise UsageError(f"{name} is also the output")
    if getattr(args, "force", False):
        return
    inputs = [_identity(path, sys.stdin) for path in chain(_inputs(args), map(str, more))]
    for name, path in outputs:
        if _identity(path, sys.stdout) in inputs:
            raise UsageError(f"{name} is also an input: it is replaced only with --force")
        if path not in OUTPUT_NAMES and Path(path).is_file():
            from sejongud.formats.finding import corpus_format

            if found := corpus_format(path):
                raise UsageError(
                    f"{name} exists and is recognised as {found}, a format that is read: it is"
                    " replaced only with --force"
                )


def _outputs(args: Namespace) -> Iterator[tuple[str, str]]:
    """Yield the name in messages and the path of each file that the command writes."""
    if output := getattr(args, "output", None):
        yield "standard output" if output == "-" else output, output
    for path in getattr(args, "outputs", None) or ():
        yield "standard output" if path == "-" else path, path
    yield from [(f"{option.flag} {path}", path) for option, path in files_of(args, "out")]


def _inputs(args: Namespace) -> Iterator[str]:
    """Yield the files that the arguments name, apart from those of `_outputs`."""
    declared = [option.keyword for option, _ in files_of(args, "in")]
    for name in ("input", "inputs"):
        value = getattr(args, name, None)
        if name not in declared and value is not None:
            yield from value if isinstance(value, list) else [value]
    yield from [path for _, path in files_of(args, "in")]
    yield from getattr(args, "files", ())
    # `eval parse` takes the options of EVALB in their order.
    for option, value in getattr(args, "settings", None) or ():
        if option == "-p":
            yield value
    for _, folder in files_of(args, "folder"):
        if Path(folder).is_dir():
            yield from map(str, Path(folder).iterdir())


def _identity(path: str, standard: TextIO | None) -> object:
    """Return the identity that all names of a file share, links included.

    Args:
        path: the file; `-` for the standard stream.
        standard: the standard stream.

    Returns:
        Device and inode, or the path of a file that does not exist; for a device or a pipe, what
        is equal to nothing.
    """
    try:
        if path != "-":
            found = Path(path).stat()
        elif standard is not None:
            found = os.fstat(standard.fileno())
        else:
            return object()
    except (OSError, ValueError):  # There is no such file, or the stream has no descriptor.
        return object() if path == "-" else Path(path).resolve()
    replaceable = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return (found.st_dev, found.st_ino) if replaceable else object()


def say(message: str) -> None:
    """Print a message on standard error, above a progress bar; it cannot control the terminal."""
    message = clean(message, "\n\t")
    if "tqdm" in sys.modules:
        from tqdm import tqdm

        tqdm.write(message, file=sys.stderr)
    else:
        print(message, file=sys.stderr)


def inform(args: Namespace, *messages: str) -> None:
    """Print messages as `say` does, unless --quiet is given."""
    for message in () if args.quiet else messages:
        say(message)
