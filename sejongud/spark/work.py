"""The library's readers and conversions as the tasks of Spark use them, and the rows of its tables.

A worker process reads blocks from such rows, converts them, and writes rows.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from sejongud import formats
from sejongud.converters.jobs import (
    Conversion,
    DependencyConversion,
    columns_of,
    is_analysed,
    level_of,
)
from sejongud.errors import ON_ERROR, FormatError, Incident, UsageError, require
from sejongud.files import Source
from sejongud.formats import FORMATS
from sejongud.formats.base import Block, Reader, text_blocks
from sejongud.morphology.hangul import without_surrogates
from sejongud.pipeline import Pipeline, batches, without_collector

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyarrow import RecordBatch, Schema


TREEBANK = "treebank"
"""The format of `DependencyConversion`: CoNLL-U that ends with a blank line."""

Job = Conversion | DependencyConversion


@dataclass(frozen=True)
class ReadOptions:
    """How files are read.

    Args:
        from_: the format; None detects that of each file.
        encoding: the encoding; None detects it.
        rules: the user's tables.
        options: more arguments of the format's reader.

    Raises:
        UsageError: there is no such format.
    """

    from_: str | None = None
    encoding: str | None = None
    rules: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.from_ is not None:
            self.reader(self.from_)  # Wrong usage is an error before any worker begins.

    def resolve(self, head: str) -> str:
        """Return the format of a text that begins with `head`.

        Raises:
            UsageError: see `formats.resolve`; or the format is of two files.
        """
        if self.from_ == TREEBANK:
            return TREEBANK
        name = formats.resolve(self.from_, head, rules=self.rules)
        found = formats.recognise(self.from_, head)
        if found.name == "brat" or found.is_corrections:
            raise UsageError(
                f"Spark reads the sentences of a file apart, and {found.name} does not have them"
                " apart: convert it first with `sejongud convert`"
            )
        return name

    def reader(self, name: str) -> Reader:
        """Make the reader of a format.

        Raises:
            UsageError: there is no such format.
        """
        options = self.options
        if name == TREEBANK:
            name, options = "conllu", {"aligned": False, "whole": True, **options}
        options = _with_one_thread(name, options)
        return Conversion(name, rules=self.rules, reader_options=options).make_reader()


def _with_one_thread(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a reader; Kiwi gets one thread, since a worker has one processor."""
    return {**options, "workers": 1} if is_analysed(name) else options


def absolute(rules: str | os.PathLike[str] | None) -> str | None:
    """Return the path of the user's tables as the workers need it."""
    return None if rules is None else str(Path(rules).resolve())


def pickled(job: Job) -> bytes:
    """Check a job and pack it for the workers.

    Raises:
        UsageError: there is no such format, level, scheme or `on_error`; or the job must convert
            the sentences one after the other.
    """
    if job.on_error not in ON_ERROR:
        raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {job.on_error}")
    job = job.but(path="", rules=absolute(job.rules))
    if isinstance(job, DependencyConversion):
        job.make_pipeline()
    else:
        if job.writer == "sejong" and job.on_error == "skip":
            raise UsageError(
                "Sejong text numbers its sentences, and a skipped sentence shifts the numbers of"
                " all that follow: convert to conllu first, or use on_error keep"
            )
        # Whether a scheme may stand without a level depends on each file's format (`pipeline_of`).
        job.but(level=level_of(job.reader, job.level)).make_writer()
    return pickle.dumps(job)


@lru_cache(maxsize=4)  # Each may hold some hundred megabytes.
def pipeline_of(job: bytes, name: str, columns: tuple[str, ...] = ()) -> Pipeline:
    """Return the pipeline of this process for a job; Spark uses a process for many tasks.

    Args:
        job: the job, pickled.
        name: the format of the sentences, for a `Conversion` that names none.
        columns: those of the layers of the file, for a `Conversion` that names none.
    """
    conversion: Job = pickle.loads(job)
    if isinstance(conversion, Conversion):
        reader = conversion.reader or name
        if not conversion.reader:
            conversion = conversion.but(level=level_of(reader, conversion.level))
        if conversion.writer == "conllu":
            conversion = conversion.but(columns=conversion.columns or columns)
        conversion = conversion.but(reader=reader, reader_options=_with_one_thread(reader, {}))
    return conversion.make_pipeline()


# --- runs of blocks -------------------------------------------------------------------------------


_LONGEST = 1 << 16
"""A file with a sentence of more characters is read as a whole: it may be no sentence at all."""

_SEARCHED = 1 << 20
"""The number of bytes that are searched for a place where a range can end."""


class Run(NamedTuple):
    """Sentences of one file that follow each other, or the error behind them."""

    path: str
    format: str
    blocks: list[Block]
    error: FormatError | None = None
    """The error that ended the file behind the sentences."""
    number: int = 0
    """The number that the sentence with the error would have."""
    columns: tuple[str, ...] = ()
    """The columns of CoNLL-U Plus for the layers of the file."""


@dataclass(frozen=True)
class FileRange:
    """A file, or a range of its bytes."""

    path: str
    size: int
    """The bytes of the whole file."""
    start: int = 0
    end: int = -1
    """The end of the range; -1 for the whole file."""
    lines: int = 0
    """The number of lines before the range."""
    sentences: int = 0
    """The number of sentences before the range; -1 if the file must be read as a whole."""
    format: str = ""
    """The format, for a range."""

    @property
    def length(self) -> int:
        """The number of bytes."""
        return self.size if self.end < 0 else self.end - self.start


def runs(
    path: str, name: str, blocks: Iterator[Block], columns: tuple[str, ...] = ()
) -> Iterator[Run]:
    """Yield blocks in batches, and the error that ends them."""
    number = 1
    try:
        for batch in batches(blocks):
            yield Run(path, name, batch, columns=columns)
            number = batch[-1].number + 1
    except FormatError as error:
        yield Run(path, name, [], error, number)


def read(read_options: ReadOptions, splits: Iterable[FileRange]) -> Iterator[Run]:
    """Yield the sentences of files and ranges.

    A file that cannot be read as its format yields its sentences up to there, and the error.

    Args:
        read_options: how they are read.
        splits: the files and ranges.

    Raises:
        OSError: a file cannot be opened.
    """
    reader = lru_cache(read_options.reader)
    for split in splits:
        if split.end >= 0:
            blocks = _blocks_of_range(reader(split.format), split)
            yield from runs(split.path, split.format, blocks)
            continue
        try:
            with Source(split.path, encoding=read_options.encoding) as source:
                head = source.head()
                name = read_options.resolve(head)
                blocks = reader(name).blocks_of(source)
                yield from runs(split.path, name, blocks, columns_of(name, head))
        except FormatError as error:  # of the beginning; a run has any later one
            yield Run(split.path, "", [], error, 1)


# --- ranges ---------------------------------------------------------------------------------------


def plan(
    read_options: ReadOptions,
    paths: Iterable[str],
    size: int,
    survey_all: Callable[[list[FileRange]], Iterable[FileRange]],
) -> list[list[FileRange]]:
    """Group files and ranges into tasks of about the same size.

    Args:
        read_options: how files are read.
        paths: the files, in the order in which they are to be read.
        size: the bytes of a task.
        survey_all: does `survey` for each of many ranges.

    Raises:
        OSError: a file does not exist.
    """
    files = [FileRange(path, Path(path).stat().st_size) for path in paths]
    ranges = [_ranges(read_options, file, size) for file in files]
    surveys = iter(survey_all([split for some in ranges for split in some]))
    groups: list[list[FileRange]] = []
    room = 0
    for file, some in zip(files, ranges, strict=True):
        for split in _placed(file, list(islice(surveys, len(some)))):
            if not groups or split.length > room:
                groups.append([])
                room = size
            groups[-1].append(split)
            room -= split.length
    return groups


def _ranges(read_options: ReadOptions, file: FileRange, size: int) -> list[FileRange]:
    """Return the rough ranges of a file; none if it must be read as a whole."""
    if file.size <= size or read_options.options or read_options.encoding not in (None, "utf-8"):
        return []
    try:
        with Source(file.path, encoding=read_options.encoding) as source:
            name = read_options.resolve(source.head())
    except FormatError:
        return []  # The task that reads the file reports the error.
    # TREEBANK is no format of the register.
    if name not in FORMATS or FORMATS[name].splitting is None:
        return []
    return [
        replace(file, start=start, end=min(start + size, file.size), format=name)
        for start in range(0, file.size, size)
    ]


def survey(split: FileRange) -> FileRange:
    """Find the borders of a rough range, and count the lines and sentences in it.

    Args:
        split: the rough range; the next range begins where it ends.

    Returns:
        The range with its own numbers of `lines` and `sentences`.
    """
    kind = FORMATS[split.format]
    splitting = kind.splitting
    assert splitting is not None  # Other files have no ranges.
    with Path(split.path).open("rb") as file:
        start, end = [
            _border(file, place, split.size, splitting.cut) for place in (split.start, split.end)
        ]
        whole = replace(split, start=start, end=end, sentences=-1)
        if start < 0 or end < 0:
            return whole
        file.seek(start)
        data = file.read(end - start)
    # `Source` would do more than decode these, or they name a sentence.
    if b"\r" in data or b"\0" in data or data.startswith(b"\xef\xbb\xbf"):
        return whole
    if any([odd.search(b"\n" + data + b"\n") for odd in splitting.odd]):
        return whole
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return whole
    if kind.ends == "line":
        lengths = [len(line) for line in text.split("\n") if line.strip()]
    else:
        lengths = [len(block) for _, block in text_blocks([text])]
    if max(lengths, default=0) > _LONGEST:
        return whole
    return replace(whole, lines=text.count("\n"), sentences=len(lengths))


def _border(file: BinaryIO, offset: int, size: int, cut: re.Pattern[bytes]) -> int:
    """Return the first place from an offset on where a file can be cut; -1 if none is near."""
    if not 0 < offset < size:
        return min(offset, size)
    file.seek(offset)
    data = file.read(_SEARCHED)
    match = cut.search(data)
    if match is not None:
        return offset + match.end()
    return size if offset + len(data) >= size else -1


def _placed(file: FileRange, surveyed: Sequence[FileRange]) -> list[FileRange]:
    """Return the ranges of a file with the counts of all before them, or the whole file."""
    if any([split.sentences < 0 for split in surveyed]):
        return [file]
    ranges = []
    lines = sentences = 0
    for split in surveyed:
        if split.sentences:
            ranges.append(replace(split, lines=lines, sentences=sentences))
        lines += split.lines
        sentences += split.sentences
    return ranges or [file]


def _blocks_of_range(reader: Reader, split: FileRange) -> Iterator[Block]:
    """Yield the sentences of a range, with the numbers that they have in the file."""
    with Path(split.path).open("rb") as file:
        file.seek(split.start)
        text = file.read(split.length).decode("utf-8")
    if not split.start:
        yield from reader.blocks([text])
        return
    splitting = FORMATS[split.format].splitting
    assert splitting is not None  # Other files have no ranges.
    before = splitting.before
    lines = split.lines - before.count("\n")
    sentences = split.sentences - 1
    for block in islice(reader.blocks([before, text]), 1, None):
        number = block.number + sentences
        yield block._replace(line=block.line + lines, number=number, sent_id=str(number))


# --- rows -----------------------------------------------------------------------------------------


Row = dict[str, Any]

_ERROR = "struct<code: string, message: string, path: string, line: bigint, column: bigint, {}>"
_STOPPED = _ERROR.format("text: string")
_INCIDENT = _ERROR.format("sent_id: string, token: string")

BLOCKS = (
    "path string, number bigint, line bigint, format string, text string, sent_id string,"
    " comments array<string>, columns array<string>,"
    " notes array<struct<line: bigint, code: string, message: string>>,"
    f" error {_STOPPED}"
)
"""The columns of blocks: the fields of `Block`; `columns` and `error` are of the file."""

WRITTEN = f"path string, number bigint, text string, incidents array<{_INCIDENT}>, error {_STOPPED}"
"""The columns of written sentences; `text` is null where a sentence is left out."""

_NOTE = ("line", "code", "message")


def spark_sql() -> Any:
    """Import Apache Spark.

    Raises:
        MissingExtraError: pyspark or pyarrow is not installed.
    """
    for library in ("pyspark", "pyarrow"):  # Rows go to Spark through pyarrow.
        require(library, "spark")
    import pyspark.sql.functions

    return pyspark.sql


def take_own_python(spark: Any) -> None:
    """Let the workers of a session run the Python of the driver, which has the package.

    PySpark takes `python3` of the path. A Python that the user names by PYSPARK_PYTHON or
    spark.pyspark.python stays.

    Args:
        spark: the session.
    """
    context = spark.sparkContext
    named = os.environ.get("PYSPARK_PYTHON") or context.getConf().get("spark.pyspark.python")
    if not named:
        context.pythonExec = sys.executable


def arrow_schema(spark: Any, columns: str) -> Schema:
    """Return the schema of Arrow for columns as Spark writes them, such as `BLOCKS`.

    Args:
        spark: the session; the driver makes the schema and the workers get it.
        columns: names and types.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(spark.createDataFrame([], columns).schema)


def to_arrow(rows: list[Row], schema: Schema) -> RecordBatch:
    """Return rows as Spark takes them; a missing cell is null."""
    import pyarrow as pa

    return pa.RecordBatch.from_pylist(rows, schema)


def cell_of(fault: FormatError | Incident, path: str) -> Row:
    """Return an error or an incident as a cell."""
    cells = fault._asdict() if isinstance(fault, Incident) else vars(fault)
    return cells | {"path": fault.path or path}


def blocks_to_rows(run: Run) -> list[Row]:
    """Return the rows of `BLOCKS` of a run."""
    place = {"path": run.path, "format": run.format, "columns": run.columns or None}
    rows = [
        {
            **block._asdict(),
            **place,
            "comments": block.comments or None,
            "notes": [dict(zip(_NOTE, note, strict=True)) for note in block.notes] or None,
        }
        for block in run.blocks
    ]
    if run.error is not None:
        rows.append({**place, "number": run.number, "error": cell_of(run.error, run.path)})
    return rows


def rows_to_blocks(batches: Iterable[RecordBatch]) -> Iterator[Run]:
    """Return the runs of rows of `BLOCKS`; columns but path, number and text may be missing."""
    for batch in batches:
        for (path, name, columns, failed), rows in groupby(batch.to_pylist(), key=_kind):
            if not failed:
                yield Run(path, name, list(map(_block, rows)), columns=columns)
                continue
            for row in rows:
                yield Run(path, name, [], FormatError(**row["error"]), row["number"])


def _kind(row: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...], bool]:
    """Return the path, format and columns of a row, and whether it holds the error of a file."""
    columns = tuple(row.get("columns") or ())
    return row["path"], row.get("format") or "", columns, row.get("error") is not None


def _block(row: Mapping[str, Any]) -> Block:
    number = row["number"]
    return Block(
        row["text"] or "",
        row.get("line") or 0,
        number,
        row.get("sent_id") or str(number),
        tuple(row.get("comments") or ()),
        tuple([tuple([note[key] for key in _NOTE]) for note in row.get("notes") or ()]),
    )


def write_runs(runs: Iterable[Run], job: bytes, schema: Schema) -> Iterator[RecordBatch]:
    """Convert runs of sentences.

    Args:
        runs: the sentences.
        job: the conversion, pickled.
        schema: of the columns `WRITTEN`.
    """
    with without_collector():
        for run in runs:
            rows = list(_rows(run, job))
            try:
                yield to_arrow(rows, schema)
            except UnicodeEncodeError:
                yield to_arrow([_encodable(row) for row in rows], schema)


def _rows(run: Run, job: bytes) -> Iterator[Row]:
    """Yield the rows of `WRITTEN` of a run: one for each sentence, or one for the error."""
    if run.error is not None:
        yield {
            "path": run.path,
            "number": run.number,
            "incidents": [],
            "error": cell_of(run.error, run.path),
        }
        return
    pipeline = pipeline_of(job, run.format, run.columns)
    for block in run.blocks:
        done = pipeline([block])
        preamble = pipeline.preamble if block.number == 1 else ""
        left_out = done.error is not None or not done.totals.sentences
        yield {
            "path": run.path,
            "number": block.number,
            "text": (preamble or None) if left_out else preamble + done.text,
            "incidents": [cell_of(incident, run.path) for incident in done.incidents],
            "error": done.error and cell_of(done.error, run.path),
        }


def _encodable(row: Row) -> Row:
    """Return a row without halves of surrogate pairs; one in the output is an error."""
    odd = [char for char in row.get("text") or "" if char != without_surrogates(char)]
    if odd:
        error = FormatError(f"the character U+{ord(odd[0]):04X} of the output is not text")
        row = {**row, "text": None, "error": cell_of(error, row["path"])}
    cleaned: Row = json.loads(without_surrogates(json.dumps(row, ensure_ascii=False)))
    return cleaned
