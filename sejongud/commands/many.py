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

import argparse
import gc
import json
import signal
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sejongud.arguments import work_of
from sejongud.commands import Tally, guard_files, reporting, say, say_skipped
from sejongud.commands.many_files import (
    Joined,
    check_inputs,
    document_names,
    is_conllu,
    outputs,
)
from sejongud.errors import FormatError, Incident, Report, SejongudError, UsageError
from sejongud.files import atomic_output, progress
from sejongud.formats.finding import File, input_files
from sejongud.pipeline import reuse_pipeline, reused_pipeline, without_collector
from sejongud.process import ENDING, end, list_once, listed_once, temporary_folder
from sejongud.process.parallel import ordered_map
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO


_OF_ONE = ("morphemes", "words", "labels", "card", "analysis", "ids", "tags")
"""The options that name a file which belongs to one input."""


class _FileTask(NamedTuple):
    """The run of a command over a file; it pickles."""

    home: str
    args: argparse.Namespace
    file: File


class _Done(NamedTuple):
    """The result of a run."""

    file: File
    output: str
    log: str
    tally: Tally
    error: Exception | None


def run_many(home: str, args: argparse.Namespace) -> int:
    """Run a command over `args.inputs`; its outputs go to `args.target`.

    Args:
        home: the function of the command, as `work_of` takes it.
        args: its arguments.

    Returns:
        The exit status.

    Raises:
        UsageError: the inputs and outputs do not go together.
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
    check_inputs(args, files)
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

    args: argparse.Namespace
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
        joined = Joined(out, document_names(files), is_conllu=is_conllu(self.args))
        with temporary_folder() as folder:
            to_do = [(file, str(folder / f"{i}.out")) for i, file in enumerate(files)]
            for done in self._runs(to_do, joins=True):
                joined.add(done.file, done.output)
                Path(done.output).unlink()

    def _runs(self, to_do: list[tuple[File, str]], *, joins: bool) -> Iterator[_Done]:
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

    def _task(self, file: File, output: str, log: str, jobs: int, joins: bool) -> _FileTask:
        run = argparse.Namespace(**vars(self.args))
        run.input, run.output, run.report = file.path, output, log
        run.quiet, run.progress, run.verbose, run.jobs = True, False, False, jobs
        run.tally = Tally(joins=joins)
        if hasattr(run, "outputs"):
            run.inputs, run.outputs = [file.path], [output]
        return _FileTask(self.home, run, file)

    def _take(self, done: _Done) -> bool:
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
        self.tally.sentences += done.tally.sentences
        self.tally.words += done.tally.words
        self.tally.unit = done.tally.unit
        if error is None:
            return True
        if getattr(self.args, "on_error", "stop") == "stop":
            self._say_stop()
            raise error
        if not isinstance(error, FormatError):
            reason = error.strerror if isinstance(error, OSError) else error
            say(f"sejongud: {path}: {reason}")
        self.failed = True
        return False

    def _say_stop(self) -> None:
        """Say how to go on after an error; the error itself is the last message."""
        args = self.args
        if not args.quiet and not hasattr(args, "output") and hasattr(args, "on_error"):
            done = self.written + self.finished
            say(
                f"{done:,} of {self.total:,} files stand in {args.target}; an error ended the run."
                " The same command with --on-error keep or skip goes on from there:"
            )

    def _take_incidents(self, done: _Done) -> None:
        codes = Counter[str]()
        last = None
        for last in _incidents(done.log):
            codes[last.code] += 1
            self.report.add(last)
        # A message that is the same everywhere stands in the log once, and is counted each time.
        self.report.counts.update(done.tally.counts - codes)
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
        if not args.quiet:
            say_skipped(args, self.skipped)
            counts = [f"{counted(self.written, 'file[s]')} written to {args.target}"]
            if self.finished:
                counts.append(counted(self.finished, "[was|were] finished before"))
            if tally.sentences:
                sentences = counted(tally.sentences, "sentence[s]")
                counts.append(f"{sentences}, {counted(tally.words, tally.unit)}")
            say("; ".join(counts))
        return 1 if self.report.errors or self.failed else 0


def _begin() -> None:
    """Begin a worker: it removes its unfinished file when it is ended; Ctrl-C is for its parent."""
    reuse_pipeline()
    gc.disable()
    list_once()
    for name in ENDING:
        if name != "SIGINT" and hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def _run_one(task: _FileTask) -> _Done:
    """Run a command for a file, in this process or a worker."""
    args = task.args
    error: Exception | None = None
    try:
        work_of(task.home, args)(args)
    except (SejongudError, OSError) as raised:
        # Its traceback would hold all that the run has read.
        error = raised.with_traceback(None)
    # One pass over the new objects; the collector itself would pass over all that is cached.
    gc.collect(0)
    return _Done(task.file, args.output, args.report, args.tally, error)


def _incidents(log: str) -> Iterator[Incident]:
    """Yield the incidents of a log, and remove it; there is none if the file was not opened."""
    path = Path(log)
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield Incident(**json.loads(line))
        path.unlink()
