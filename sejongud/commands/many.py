r"""Commands over many files: `sejongud convert IN … -o OUT/`, folders included.

    inputs → files → pairs (file, output) → one run each, in one process or several → one report

A command that converts a file into a file runs here once for each file, with one progress bar and
one report. The outputs stand in a folder, one each, or one behind the other in one file.

A run over a folder can be killed and started again. The file `.sejongud.json` of the folder of
outputs is written before the first output: for each output the input with its size and its time,
the options that matter, and the file that stood there before. An output appears when it is whole.
Therefore an output is finished if the journal names it and it is not the file from before.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import re
import signal
from argparse import Namespace
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.arguments import work_of
from sejongud.commands import guard_files, inform, reporting, say, say_skipped
from sejongud.errors import FormatError, Incident, Report, SejongudError, UsageError
from sejongud.files import COMPRESSED, atomic_output, escape_name, progress
from sejongud.formats import endings_of
from sejongud.formats.finding import File, input_files, named_once
from sejongud.pipeline import Tally, reuse_pipeline, reused_pipeline, without_collector
from sejongud.process import ENDING, end, list_once, listed_once, locked_folder, temporary_folder
from sejongud.process.parallel import ordered_map
from sejongud.rules import digest
from sejongud.terminal import counted, json_text
from sejongud.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO


_OF_ONE = ("morphemes", "words", "labels", "card", "analysis", "ids", "tags")
"""The options that name a file which belongs to one input."""


class _FileRun(NamedTuple):
    """The run of a command over a file, before it and after it; it pickles."""

    home: str
    args: Namespace
    file: File
    error: Exception | None = None


def run_many(home: str, args: Namespace) -> int:
    """Run a command over `args.inputs`; its outputs go to `args.target`.

    Args:
        home: the function of the command, as `work_of` takes it.
        args: its arguments.

    Returns:
        The exit status.

    Raises:
        UsageError: the inputs and outputs do not go together: a file is named twice, or an output
            is an input or stands in a folder that is read.
        FormatError: an error in the data, with `on_error` "stop".
        OSError: a file cannot be read or written.
    """
    for option in _OF_ONE:
        if getattr(args, option, None):
            raise UsageError(f"--{option} names a file that belongs to one input, not to several")
    joins = hasattr(args, "output")
    if joins and not getattr(args, "joins", False):
        raise UsageError(
            "the outputs of several inputs are no file together: name a folder for them, -o OUT/"
        )
    skipped: dict[str, str] = {}
    with without_collector():
        form = getattr(args, "from_", None) or getattr(args, "format", None)
        files = list(input_files(args.inputs, form, skipped))
    target = Path(args.target).resolve()
    if target in named_once(file.path for file in files):
        raise UsageError(f"{args.target} is also an input: name another output")
    for path in args.inputs:
        if path != "-" and Path(path).is_dir() and target.is_relative_to(Path(path).resolve()):
            raise UsageError(
                f"the output {args.target} is in {path}, which is read: name another output"
            )
    if not files:
        why = next((f": {path} is {reason}" for path, reason in skipped.items()), "")
        raise UsageError(f"there is no file to read in {', '.join(args.inputs)}{why}")
    run = _FileRuns(args, home, len(files), skipped)
    guard_files(args, [file.path for file in files])
    if joins:
        with reporting(args) as run.report, atomic_output(args.output) as out:
            run.join(files, out)
    else:
        with reporting(args) as run.report, outputs(args, files) as pairs:
            run.convert(pairs)
    return run.sum_up()


# --- the runs -------------------------------------------------------------------------------------


@dataclass
class _FileRuns:
    """The runs over all files, and their counts so far."""

    args: Namespace
    home: str
    total: int
    skipped: dict[str, str]
    report: Report = field(default_factory=Report)
    written: int = 0
    finished: int = 0
    tally: Tally = field(default_factory=Tally)
    failed: bool = False
    refused: UsageError | None = None

    def convert(self, pairs: list[tuple[File, str | None]]) -> None:
        """Make the output of each file that has none."""
        to_do = [(file, output) for file, output in pairs if output is not None]
        self.finished = len(pairs) - len(to_do)
        for output in sorted({Path(output).parent for _, output in to_do}):
            output.mkdir(parents=True, exist_ok=True)
        for _ in self._runs(to_do, joins=False):
            pass

    def join(self, files: list[File], out: TextIO) -> None:
        """Write the outputs of all files into one."""
        is_conllu = output_ending(self.args) in endings_of("conllu")
        names = document_names(files)
        columns, lacks = None, ""
        with temporary_folder() as folder:
            to_do = [(file, str(folder / f"{i}.out")) for i, file in enumerate(files)]
            for done in self._runs(to_do, joins=True):
                output = Path(done.args.output)
                with output.open(encoding="utf-8", newline="\n") as lines:
                    if is_conllu:
                        name = names[done.file.path]
                        columns = _add_document(out, lines, done.file, name, columns)
                    elif first := next(records := _as_records(lines, names[done.file.path]), ""):
                        out.writelines(chain((lacks, first), records))
                        lacks = done.args.tally.lacks
                output.unlink()

    def _runs(self, to_do: list[tuple[File, str]], *, joins: bool) -> Iterator[_FileRun]:
        """Run the command for files, and yield each run whose output is whole, in order."""
        args = self.args
        jobs = 1 if hasattr(args, "threads") or len(to_do) == 1 else getattr(args, "jobs", 1)
        shown = args.progress and not args.quiet
        with ExitStack() as stack:
            bar = progress(self.total, "files", " files") if shown else None
            if bar is not None:
                stack.callback(bar.close)
                bar.update(self.finished)
            folder = stack.enter_context(temporary_folder())
            stack.enter_context(reused_pipeline())
            stack.enter_context(without_collector())
            stack.enter_context(listed_once())
            own_jobs = getattr(args, "jobs", 1) if jobs == 1 else 1
            tasks = [
                self._task(file, output, str(folder / f"{i}.log"), own_jobs, joins)
                for i, (file, output) in enumerate(to_do)
            ]
            begin = None if jobs == 1 else _begin
            for done in ordered_map(_run_one, tasks, jobs, initializer=begin):
                if self._take(done):
                    self.written += 1
                    yield done
                if bar is not None:
                    bar.update(1)

    def _task(self, file: File, output: str, log: str, jobs: int, joins: bool) -> _FileRun:
        run = Namespace(**vars(self.args))
        run.input, run.output, run.report = file.path, output, log
        run.quiet, run.progress, run.verbose, run.jobs = True, False, False, jobs
        run.tally = Tally(joins=joins)
        if hasattr(run, "outputs"):
            run.inputs, run.outputs = [file.path], [output]
        return _FileRun(self.home, run, file)

    def _take(self, done: _FileRun) -> bool:
        """Add the incidents and counts of a run; return whether its output is whole.

        Raises:
            UsageError: the file is named, and the command cannot read it.
            FormatError: an error in the data, with `on_error` "stop".
            OSError: the file cannot be read or written, with `on_error` "stop".
        """
        error, path = done.error, done.file.path
        if isinstance(error, UsageError):
            message = str(error) if path in str(error) else f"{path}: {error}"
            self.refused = self.refused or UsageError(message)
            if not done.file.walked:
                raise self.refused
            self.skipped[path] = str(error)
            return False
        self._take_incidents(done)
        tally: Tally = done.args.tally
        self.tally.sentences += tally.sentences
        self.tally.words += tally.words
        self.tally.unit = tally.unit
        if error is None:
            return True
        args = self.args
        if getattr(args, "on_error", "stop") == "stop":
            if not args.quiet and not hasattr(args, "output") and hasattr(args, "on_error"):
                # The error itself is the last message.
                whole = self.written + self.finished
                say(
                    f"{whole:,} of {self.total:,} files stand in {args.target}; an error ended the"
                    " run. The same command with --on-error keep or skip goes on from there:"
                )
            raise error
        if not isinstance(error, FormatError):
            reason = error.strerror if isinstance(error, OSError) else error
            say(f"sejongud: {path}: {reason}")
        self.failed = True
        return False

    def _take_incidents(self, done: _FileRun) -> None:
        codes = Counter[str]()
        last = None
        for last in _incidents(done.args.report):
            codes[last.code] += 1
            self.report.add(last)
        # A message that is the same everywhere stands in the log once, and is counted each time.
        self.report.counts.update(done.args.tally.counts - codes)
        if isinstance(done.error, FormatError):
            error = done.error.incident()
            stops = getattr(self.args, "on_error", "stop") == "stop"
            if not stops and (last is None or error != last._replace(sent_id="", token="")):
                self.report.add(error)

    def sum_up(self) -> int:
        """Say what was done, and return the exit status.

        Raises:
            UsageError: none of the files can be read by the command.
        """
        if self.refused is not None and not (self.written or self.finished):
            raise self.refused
        args, tally = self.args, self.tally
        say_skipped(args, self.skipped)
        counts = [f"{counted(self.written, 'file[s]')} written to {args.target}"]
        if self.finished:
            counts.append(counted(self.finished, "[was|were] finished before"))
        if tally.sentences:
            sentences = counted(tally.sentences, "sentence[s]")
            counts.append(f"{sentences}, {counted(tally.words, tally.unit)}")
        inform(args, "; ".join(counts))
        return 1 if self.report.errors or self.failed else 0


def _begin() -> None:
    """Begin a worker: it removes its unfinished file when it is ended; Ctrl-C is for its parent."""
    reuse_pipeline()
    gc.disable()
    list_once()
    for name in ENDING:
        if name != "SIGINT" and hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def _run_one(run: _FileRun) -> _FileRun:
    """Run a command for a file, in this process or a worker."""
    error: Exception | None = None
    try:
        work_of(run.home, run.args)(run.args)
    except (SejongudError, OSError) as raised:
        # Its traceback would hold all that the run has read.
        error = raised.with_traceback(None)
    # One pass over the new objects; the collector itself would pass over all that is cached.
    gc.collect(0)
    return run._replace(error=error)


def _incidents(log: str) -> Iterator[Incident]:
    """Yield the incidents of a log, and remove it; there is none if the file was not opened."""
    path = Path(log)
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield Incident(**json.loads(line))
        path.unlink()


# --- one file of all ------------------------------------------------------------------------------


_COLUMNS = "# global.columns = "
_NUMBER = re.compile(r"# sent_id = (\d+)\n")
_EOJEOLS = ', "eojeols": ['
"""The border behind what a line of JSON Lines says of its sentence; no text has such quotes."""
_NUMBERED = tuple([f'{{"sent_id": "{digit}' for digit in range(10)])


def document_names(files: Sequence[File]) -> dict[str, str]:
    """Return the name of the document that each file becomes, by its path.

    It is the name of the file without its endings; equal names keep their endings. A byte that is
    not UTF-8 becomes its escape.

    >>> from sejongud.formats.finding import File
    >>> document_names([File("a b.txt", "a b.txt", False), File("x/c.txt", "c.txt", False),
    ...                 File("y/c.txt", "c.txt", False)])
    {'a b.txt': 'a_b', 'x/c.txt': 'x/c.txt', 'y/c.txt': 'y/c.txt'}
    """
    stems = [stem(file.name) for file in files]
    paths = [file.path for file in files]
    names = told_apart(told_apart(stems, [file.name for file in files]), paths)
    texts = [re.sub(r"\s", "_", escape_name(name)) for name in names]
    return dict(zip(paths, texts, strict=True))


def _add_document(out: TextIO, lines: TextIO, file: File, name: str, before: str | None) -> str:
    """Write the lines of an output in CoNLL-U behind others, and return the line of its columns.

    An output is a document (`# newdoc id`), and a sentence that has only its number gets the name
    of the document before it, since an id must stand for one sentence. The line of the columns is
    written once.

    Args:
        out: the stream of all outputs.
        lines: those of the output.
        file: what it was made of.
        name: the name of the document.
        before: the columns of the outputs before; None if there is none.

    Raises:
        UsageError: its columns are others than those of the outputs before.
    """
    first = next(lines, "")
    columns = first if first.startswith(_COLUMNS) else ""
    if before is None:
        out.write(columns)
    elif columns != before:
        raise UsageError(
            f"{file.path} has other columns than the files before it, and a file of"
            " CoNLL-U Plus has one kind: name a folder for them, -o OUT/"
        )
    out.writelines(_as_document(lines if columns else chain([first], lines), name))
    return columns


def _as_document(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield the lines of CoNLL-U as those of a document, with its name in ids that are numbers.

    >>> list(_as_document(["# sent_id = 1\\n", "1\\t나\\n", "\\n"], "a"))
    ['# newdoc id = a\\n', '# sent_id = a-1\\n', '1\\t나\\n', '\\n']
    """
    begun = False
    for line in lines:
        if not begun and not line.startswith("# newdoc"):
            yield f"# newdoc id = {name}\n"
        begun = True
        number = _NUMBER.fullmatch(line) if line.startswith("# s") else None
        yield f"# sent_id = {name}-{number[1]}\n" if number else line


def _as_records(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield the lines of JSON Lines as those of a document, as `_as_document`; others as they are.

    >>> list(_as_records(['{"sent_id": "1", "text": "나", "eojeols": []}\\n'], "a"))
    ['{"sent_id": "a-1", "text": "나", "comments": ["newdoc id = a"], "eojeols": []}\\n']
    """
    begun = False
    for line in lines:
        head, eojeols, rest = line.partition(_EOJEOLS)
        if eojeols and (not begun or head.startswith(_NUMBERED)):
            record = json.loads(f"{head}}}")
            if record["sent_id"].isdecimal():
                record["sent_id"] = f"{name}-{record['sent_id']}"
            comments = record.get("comments", [])
            if not begun and not any([comment.startswith("newdoc") for comment in comments]):
                record["comments"] = [f"newdoc id = {name}", *comments]
            head = json.dumps(record, ensure_ascii=False)[:-1]
        begun = True
        yield f"{head}{eojeols}{rest}"


JOURNAL = ".sejongud.json"
"""The file in the folder of outputs that names their inputs and options."""

_NOT_SETTINGS = frozenset(
    ("named", "target", "input", "inputs", "output", "many", "tally", "joins", "writes")
) | frozenset(("quiet", "verbose", "report", "force", "jobs", "progress", "threads"))
"""The arguments that no output depends on, or that the journal has elsewhere."""


# --- the outputs ----------------------------------------------------------------------------------


@contextmanager
def outputs(args: Namespace, files: list[File]) -> Iterator[list[tuple[File, str | None]]]:
    """Provide each file with the output that it gets, or None for one that is finished.

    The journal is written, and the folder is locked for other runs, until the block ends.

    Raises:
        UsageError: two inputs have the same output, or an output stands there and is not finished,
            without `--force`.
        SejongudError: another run writes into the folder.
    """
    top = Path(args.target)
    names = _names(args, files)
    inputs = {os.path.realpath(file.path): file.path for file in files}
    log = os.path.realpath(args.report) if args.report else None
    settings = _settings(args)
    # A file that errors did not stop has none, so that its output is the same with --on-error.
    strict = _settings(args, on_error="stop")
    top.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked_folder(top))
        except BlockingIOError:
            message = f"{top}: another run writes into this folder: wait until it has ended"
            raise SejongudError(message) from None
        journal = _journal(top / JOURNAL)
        now = dict(journal)
        pairs: list[tuple[File, str | None]] = []
        strange: list[Path] = []
        for file, name in zip(files, names, strict=True):
            output = top / name
            if (input_path := inputs.get(os.path.realpath(output))) is not None:
                raise UsageError(f"{output} is also an input ({input_path}): name another folder")
            if log is not None and log == os.path.realpath(output):
                raise UsageError(f"--log {args.report} is also the output")
            identity = [settings, *_identity(file)]
            stamp = _stamp(output)
            before = journal.get(name)
            made_so = before is not None and before["of"] in (identity, [strict, *identity[1:]])
            if stamp and before and made_so and before["stood"] != stamp:
                pairs.append((file, None))
                continue
            if stamp:
                strange.append(output)
            now[name] = {"of": identity, "stood": stamp}
            pairs.append((file, str(output)))
        if strange and not args.force:
            more = f" and {counted(len(strange) - 1, 'more file[s]')}" if len(strange) > 1 else ""
            raise UsageError(
                f"{strange[0]}{more} exist already, and not from this command with these options"
                " and inputs: they are replaced only with --force"
            )
        with atomic_output(top / JOURNAL) as out:
            out.write(json_text(dict(sorted(now.items())), indent=0))
        yield pairs


def _names(args: Namespace, files: Iterable[File]) -> list[str]:
    """Return the name of the output of each file, in the folder of outputs.

    Raises:
        UsageError: standard input has no name, or two inputs have the same output.
    """
    ending = output_ending(args)
    files = list(files)
    if any(file.path == "-" for file in files):
        raise UsageError("standard input has no name for its output in a folder: name a file")
    inputs = [_uncompressed(file.name) for file in files]
    usual = [str(path.with_suffix(ending or path.suffix)) for path in inputs]
    names = told_apart(usual, [file.name + ending for file in files])
    paths: dict[str, str] = {}
    for file, name in zip(files, names, strict=True):
        if name in paths:
            raise UsageError(
                f"{paths[name]} and {file.path} would both be written to {name}: convert them into"
                " two folders"
            )
        paths[name] = file.path
    _tell_names(args, usual, names, list(paths.values()))
    return names


def _tell_names(args: Namespace, usual: list[str], names: list[str], paths: list[str]) -> None:
    """Tell by an example that some outputs have the whole name of their input."""
    changed = [i for i, name in enumerate(names) if name != usual[i]]
    if changed:
        first = changed[0]
        alike = [paths[i] for i in changed if usual[i] == usual[first]]
        more = f" ({len(changed):,} outputs have such names)" if len(changed) > len(alike) else ""
        how_many = "both" if len(alike) == 2 else "all"
        inform(
            args,
            f"{', '.join(alike[:-1])} and {alike[-1]} would {how_many} be written to"
            f" {usual[first]}, so their outputs keep the ending of the input: {names[first]}{more}",
        )


def told_apart(names: list[str], longer: list[str]) -> list[str]:
    """Return names; of equal names each is replaced by its longer name if that is unique.

    >>> told_apart(["a", "b", "a", "c", "c"], ["a.txt", "b.txt", "a.tsv", "c.txt", "c.txt"])
    ['a.txt', 'b', 'a.tsv', 'c', 'c']
    """
    times, longer_times = Counter(names), Counter(longer)
    return [
        long if times[name] > 1 and longer_times[long] == 1 else name
        for name, long in zip(names, longer, strict=True)
    ]


def output_ending(args: Namespace) -> str:
    """Return the ending of the names of outputs; "" for that of the input."""
    to = getattr(args, "to", None) or args.usual or getattr(args, "in_folder", None)
    # A format that does not exist is refused where it is used.
    return [*(endings_of(to) if to else ()), ""][0]


def stem(name: str) -> str:
    """Return a path without the endings of its name.

    >>> stem("a/x.txt.gz"), stem("2.5판.txt"), stem("원고")
    ('a/x', '2.5판', '원고')
    """
    return str(_uncompressed(name).with_suffix(""))


def _uncompressed(name: str) -> Path:
    """Return a path without the ending of a compressed file."""
    path = Path(name)
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path


def _settings(args: Namespace, **more: str) -> str:
    """Return a digest of all that the outputs depend on apart from the inputs.

    Args:
        args: the arguments of the command.
        more: options that take the place of its own.
    """
    options = {name: value for name, value in vars(args).items() if name not in _NOT_SETTINGS}
    options |= {name: value for name, value in more.items() if name in options}
    parts = [options, __version__, digest()]
    sums = hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode())
    if rules := getattr(args, "rules", None):
        for path in sorted(Path(rules).iterdir()):
            if path.is_file():
                sums.update(path.read_bytes())
    return sums.hexdigest()[:16]


def _identity(file: File) -> tuple[str, int, int]:
    status = Path(file.path).stat()
    return file.name, status.st_size, status.st_mtime_ns


def _stamp(path: Path) -> list[int] | None:
    """Return inode, size and time of a file, which change if it is replaced; None if it is gone."""
    if not path.exists():
        return None
    status = path.stat()
    return [status.st_ino, status.st_size, status.st_mtime_ns]


def _journal(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of the journal of a folder, by the names of the outputs.

    Raises:
        FormatError: the file is no such journal.
    """
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_text("utf-8"))
        return {name: {"of": row["of"], "stood": row["stood"]} for name, row in entries.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        message = "this is no journal of a folder of outputs: remove it, and start again"
        raise FormatError(message, path=str(path)) from None
