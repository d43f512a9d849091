"""The inputs of a command over many files, and their outputs: in a folder, or in one file."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud import __version__
from sejongud.commands import say
from sejongud.errors import FormatError, SejongudError, UsageError
from sejongud.files import COMPRESSED, atomic_output, escape_name
from sejongud.formats import endings_of
from sejongud.process import locked_folder
from sejongud.rules import digest
from sejongud.terminal import counted, json_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from sejongud.formats.finding import File


_COLUMNS = "# global.columns = "
_NUMBER = re.compile(r"# sent_id = (\d+)\n")


def is_conllu(args: argparse.Namespace) -> bool:
    """Return whether a command writes CoNLL-U."""
    return output_ending(args) in endings_of("conllu")


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


@dataclass
class Joined:
    """Joins outputs, one behind the other, in one file.

    In CoNLL-U an output is a document (`# newdoc id`), and a sentence that has only its number gets
    the name of the document before it, since an id must stand for one sentence. The line of the
    columns is written once.
    """

    out: TextIO
    names: dict[str, str]
    """The name of the document that each input becomes, by its path."""
    is_conllu: bool
    columns: str | None = None

    def add(self, file: File, output: str) -> None:
        """Write an output.

        Args:
            file: what it was made of.
            output: its path.

        Raises:
            UsageError: its columns are others than those of the outputs before.
        """
        with Path(output).open(encoding="utf-8", newline="\n") as lines:
            if not self.is_conllu:
                self.out.writelines(lines)
                return
            first = next(lines, "")
            columns = first if first.startswith(_COLUMNS) else ""
            if self.columns is None:
                self.out.write(columns)
            elif columns != self.columns:
                raise UsageError(
                    f"{file.path} has other columns than the files before it, and a file of"
                    " CoNLL-U Plus has one kind: name a folder for them, -o OUT/"
                )
            self.columns = columns
            name = self.names[file.path]
            rest = lines if columns else chain([first], lines)
            self.out.writelines(_as_document(rest, name))


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


JOURNAL = ".sejongud.json"
"""The file in the folder of outputs that names their inputs and options."""

_NOT_SETTINGS = frozenset(
    ("named", "target", "input", "inputs", "output", "many", "tally", "joins", "writes")
) | frozenset(("quiet", "verbose", "report", "force", "jobs", "progress", "threads"))
"""The arguments that no output depends on, or that the journal has elsewhere."""


# --- the inputs -----------------------------------------------------------------------------------


def check_inputs(args: argparse.Namespace, files: Iterable[File]) -> None:
    """Check that each file is named once, and that no output can become an input.

    Raises:
        UsageError: a file is named twice, an output is an input, or outputs stand in a folder that
            is read.
    """
    seen = named_once(file.path for file in files)
    target = Path(args.target).resolve()
    if target in seen:
        raise UsageError(f"{args.target} is also an input: name another output")
    for path in args.inputs:
        if path != "-" and Path(path).is_dir() and target.is_relative_to(Path(path).resolve()):
            raise UsageError(
                f"the output {args.target} is in {path}, which is read: name another output"
            )


def named_once(files: Iterable[str]) -> dict[Path, str]:
    """Return the paths of files by their real paths.

    Raises:
        UsageError: a file is named twice.
    """
    seen: dict[Path, str] = {}
    for path in files:
        if path == "-":
            continue
        real = Path(path).resolve()
        if real in seen:
            raise UsageError(f"{path} is an input twice, as {seen[real]} as well")
        seen[real] = path
    return seen


# --- the outputs ----------------------------------------------------------------------------------


@contextmanager
def outputs(args: argparse.Namespace, files: list[File]) -> Iterator[list[tuple[File, str | None]]]:
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


def _names(args: argparse.Namespace, files: Iterable[File]) -> list[str]:
    """Return the name of the output of each file, in the folder of outputs.

    Raises:
        UsageError: standard input has no name, or two inputs have the same output.
    """
    ending = output_ending(args)
    files = list(files)
    if any(file.path == "-" for file in files):
        raise UsageError("standard input has no name for its output in a folder: name a file")
    usual = [stem(file.name) + (ending or _ending(file.name)) for file in files]
    names = told_apart(usual, [file.name + ending for file in files])
    paths: dict[str, str] = {}
    for file, name in zip(files, names, strict=True):
        if name in paths:
            raise UsageError(
                f"{paths[name]} and {file.path} would both be written to {name}: convert them into"
                " two folders"
            )
        paths[name] = file.path
    if not args.quiet:
        _say_names(usual, names, list(paths.values()))
    return names


def _say_names(usual: list[str], names: list[str], paths: list[str]) -> None:
    """Say by an example that some outputs have the whole name of their input."""
    changed = [i for i, name in enumerate(names) if name != usual[i]]
    if changed:
        first = changed[0]
        alike = [paths[i] for i in changed if usual[i] == usual[first]]
        more = f" ({len(changed):,} outputs have such names)" if len(changed) > len(alike) else ""
        how_many = "both" if len(alike) == 2 else "all"
        say(
            f"{', '.join(alike[:-1])} and {alike[-1]} would {how_many} be written to"
            f" {usual[first]}, so their outputs keep the ending of the input: {names[first]}{more}"
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


def output_ending(args: argparse.Namespace) -> str:
    """Return the ending of the names of outputs; "" for that of the input."""
    to = getattr(args, "to", None) or args.usual or getattr(args, "in_folder", None)
    # A format that does not exist is refused where it is used.
    return [*(endings_of(to) if to else ()), ""][0]


def stem(name: str) -> str:
    """Return a path without the endings of its name.

    >>> stem("a/x.txt.gz"), stem("2.5판.txt"), stem("원고")
    ('a/x', '2.5판', '원고')
    """
    path = Path(name)
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return str(path.with_suffix(""))


def _ending(name: str) -> str:
    """Return the ending of a name, without the ending of a compressed file."""
    path = Path(name)
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSED else path).suffix


def _settings(args: argparse.Namespace, **more: str) -> str:
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
