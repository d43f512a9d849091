"""Corpora that outgrow a machine: conversions and Kiwi's analysis as functions of Apache Spark.

    files → read_sentences ┐
    table → from_table     ┴→ Sentences → convert | analyze | run → a row a sentence → write_text

The rows, in the order of their paths and numbers, are to the byte what one process of the command
writes. Framing (which sentence of the file is this, what is its id) sees the whole of a file;
parsing and writing, which take the time, see one sentence. So a task frames a file, or a range of
one whose sentences have nothing but their numbers, and converts what it has framed: nothing is
shuffled. Each worker process has one work, and one Kiwi, for all of its tasks.

    from pyspark.sql import SparkSession
    from sejongud.spark import analyze, read_sentences, write_text

    session = SparkSession.builder.getOrCreate()
    sentences = read_sentences(session, "/corpus/*.txt", "text")
    write_text(analyze(sentences, level=5), "/corpus/analysed")

Errors are data: `incidents` has what `--report` has of a sentence, `error` what would have ended
the command, on which `write_text` raises. The driver and the workers need the extra `spark`.
"""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sejongud.errors import ON_ERROR, FormatError, Incident, MissingExtraError, UsageError
from sejongud.formats.base import Frame
from sejongud.formats.ud import UDBlock
from sejongud.morphology.kiwi import without_surrogates
from sejongud.pipeline import Conversion, DependencyConversion, without_collector
from sejongud.ranges import TREEBANK, Framing, Run, Split, Survey, plan, read, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame, SparkSession

    from sejongud.errors import OnError
    from sejongud.formats.conllu import NePlace
    from sejongud.pipeline import Done

    Work = Callable[[list[Any]], Done]

__all__ = [
    "FRAMES",
    "TREEBANK",
    "WRITTEN",
    "Sentences",
    "analyze",
    "convert",
    "from_table",
    "in_order",
    "incidents",
    "read_sentences",
    "run",
    "write_text",
]

_ERROR = "struct<code: string, message: string, path: string, line: bigint, column: bigint, {}>"
_STOPPED = _ERROR.format("text: string")
_INCIDENT = _ERROR.format("sent_id: string, token: string")

FRAMES = (
    "path string, number bigint, line bigint, format string, text string, sent_id string,"
    " comments array<string>, notes array<struct<line: bigint, code: string, message: string>>,"
    f" error {_STOPPED}"
)
"""The columns of sentences that are framed: what `Frame` has; `error` is of the file as a whole."""

WRITTEN = f"path string, number bigint, text string, incidents array<{_INCIDENT}>, error {_STOPPED}"
"""The columns of sentences that are written; `text` is null where a sentence is left out."""

_AT_ONCE = 64
"""How many sentences a work is given: of less each costs more, of more an error costs more."""

_LARGEST_SPLIT = 32 << 20
_SMALLEST_SPLIT = 64 << 10
_TASKS_EACH = 4
"""How many tasks there are for a processor, so that the last ones are not waited for long."""

_ENDS = {"conllu": "\n\n", "sejong": "\n\n", "jsonl": "\n", "sejong-line": "\n"}
"""Name of a format → what ends a sentence, and stands nowhere else."""


# --- between Python and Spark ---------------------------------------------------------------------


def _pyspark() -> Any:
    """Apache Spark.

    Raises:
        MissingExtraError: it is not installed, or pyarrow is not.
    """
    try:
        import pyspark.sql.functions
    except ModuleNotFoundError:
        raise MissingExtraError("pyspark", "spark") from None
    try:
        import pyarrow  # noqa: F401 (through which the rows go to Spark)
    except ModuleNotFoundError:
        raise MissingExtraError("pyarrow", "spark") from None
    return pyspark.sql


def _type(columns: str) -> Any:
    """The type of Arrow for columns as Spark writes them."""
    import pyarrow as pa

    tokens = re.findall(r"\w+|[<>]", columns)

    def one() -> Any:
        token = tokens.pop(0)
        if token == "string":
            return pa.string()
        if token == "bigint":
            return pa.int64()
        tokens.pop(0)
        found = pa.list_(one()) if token == "array" else fields()
        tokens.pop(0)
        return found

    def fields() -> Any:
        found = []
        while tokens and tokens[0] != ">":
            name = tokens.pop(0)
            found.append((name, one()))
        return pa.struct(found)

    return fields()


def _to_arrow(columns: Mapping[str, Any], types: Any) -> RecordBatch:
    import pyarrow as pa

    arrays = [pa.array(columns[column.name], column.type) for column in types]
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in types])


def _error_row(error: FormatError, path: str) -> dict[str, object]:
    return {
        "code": error.code,
        "message": error.message,
        "path": error.path or path,
        "line": error.line,
        "column": error.column,
        "text": error.text,
    }


def _incident_row(incident: Incident, path: str) -> dict[str, object]:
    return {
        "code": incident.code,
        "message": incident.message,
        "path": incident.path or path,
        "line": incident.line,
        "column": incident.column,
        "sent_id": incident.sent_id,
        "token": incident.token,
    }


def _frames_to_arrow(runs: Iterable[Run]) -> Iterator[RecordBatch]:
    """Runs as rows of `FRAMES`."""
    types = _type(FRAMES)
    for run in runs:
        frames = run.frames
        columns: dict[str, list[Any]] = {
            "path": [run.path] * len(frames),
            "number": [frame.number for frame in frames],
            "line": [frame.line for frame in frames],
            "format": [run.format] * len(frames),
            "text": [frame.text for frame in frames],
            "sent_id": [frame.sent_id for frame in frames],
            "comments": [frame.comments or None for frame in frames],
            "notes": [_notes_row(frame) for frame in frames],
            "error": [None] * len(frames),
        }
        if run.error is not None:
            last = {
                "path": run.path,
                "number": run.number,
                "format": run.format,
                "error": _error_row(run.error, run.path),
            }
            for name, column in columns.items():
                column.append(last.get(name))
        yield _to_arrow(columns, types)


def _notes_row(frame: Frame) -> list[dict[str, object]] | None:
    return [{"line": n, "code": code, "message": text} for n, code, text in frame.notes] or None


def _frames_from_arrow(batches: Iterable[RecordBatch]) -> Iterator[Run]:
    """Rows of `FRAMES` as runs; what a row has not is what a sentence by itself would have."""
    for batch in batches:
        rows = batch.to_pylist()
        for (path, name), some in groupby(rows, key=lambda row: (row["path"], row.get("format"))):
            frames: list[Frame] = []
            for row in some:
                if row.get("error") is not None:
                    yield Run(path, name or "", frames, FormatError(**row["error"]), row["number"])
                    frames = []
                else:
                    frames.append(_frame(row))
            if frames:
                yield Run(path, name or "", frames)


def _frame(row: Mapping[str, Any]) -> Frame:
    number = row["number"]
    return Frame(
        row["text"] or "",
        row.get("line") or 0,
        number,
        row.get("sent_id") or str(number),
        tuple(row.get("comments") or ()),
        tuple([(n["line"], n["code"], n["message"]) for n in row.get("notes") or ()]),
    )


# --- the work -------------------------------------------------------------------------------------


_works: dict[tuple[str, str], Work] = {}
"""The works of this process, which Spark uses again for other tasks."""

_WORKS = 4
"""How many are remembered; each may hold some hundred megabytes."""


def _work_of(key: str, job: Conversion | DependencyConversion, name: str) -> Work:
    """The work of this process for a job and the format of its input."""
    known = _works.pop((key, name), None)
    if known is None:
        if isinstance(job, Conversion):
            # A worker has one processor.
            options = {"workers": 1} if name == "text" else {}
            job = replace(job, reader=name, reader_options=options)
        known = job.make_work()
    _works[key, name] = known
    while len(_works) > _WORKS:
        del _works[next(iter(_works))]
    return known


class _Written(NamedTuple):
    """What came of a sentence."""

    text: str | None
    incidents: list[Incident]
    error: FormatError | None = None


def _each(work: Work, items: list[Any], frames: list[Frame], end: str) -> Iterator[_Written]:
    """What comes of each sentence.

    Args:
        work: what writes them; sentences by the dozen faster than one by one.
        items: what the work takes.
        frames: the sentences.
        end: what ends a sentence.
    """
    done = work(items)
    texts = done.text.split(end)
    found: dict[str, list[Incident]] = {frame.sent_id: [] for frame in frames}
    if (
        done.error is None
        and done.totals.sentences == len(items) == len(texts) - 1
        and (not done.incidents or len(found) == len(frames))
        and found.keys() >= {incident.sent_id for incident in done.incidents}
    ):
        for incident in done.incidents:
            found[incident.sent_id].append(incident)
        for text, frame in zip(texts, frames, strict=False):
            yield _Written(text + end, found[frame.sent_id])
        return
    # Which of them has what can only be told of one by itself.
    for item in items:
        done = work([item])
        left_out = done.error is not None or not done.totals.sentences
        yield _Written(None if left_out else done.text, done.incidents, done.error)


def _written(run: Run, job: Conversion | DependencyConversion, key: str) -> Iterator[_Written]:
    """What comes of the sentences of a run."""
    if isinstance(job, DependencyConversion):
        work = _work_of(key, job, "")
        items: list[Any] = [(UDBlock(frame.line, frame.text), None) for frame in run.frames]
        end = _ENDS["conllu"]
    else:
        work = _work_of(key, job, job.reader or run.format)
        items = run.frames
        end = _ENDS[job.writer]
    preamble = getattr(work, "preamble", "") if run.frames[0].number == 1 else ""
    for at in range(0, len(items), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        for one in _each(work, items[some], run.frames[some], end):
            yield one._replace(text=preamble + (one.text or "")) if preamble else one
            preamble = ""


def _written_to_arrow(
    runs: Iterable[Run], job: Conversion | DependencyConversion, key: str
) -> Iterator[RecordBatch]:
    """What comes of runs as rows of `WRITTEN`."""
    types = _type(WRITTEN)
    with without_collector():
        for run in runs:
            numbers = [frame.number for frame in run.frames]
            written = list(_written(run, job, key)) if numbers else []
            if run.error is not None:
                numbers.append(run.number)
                written.append(_Written(None, [], run.error))
            try:
                rows = _to_arrow(_columns(run.path, numbers, written), types)
            except UnicodeEncodeError:
                written = [_encodable(one) for one in written]
                rows = _to_arrow(_columns(run.path, numbers, written), types)
            yield rows


def _columns(path: str, numbers: list[int], written: list[_Written]) -> dict[str, list[Any]]:
    return {
        "path": [path] * len(numbers),
        "number": numbers,
        "text": [one.text for one in written],
        "incidents": [[_incident_row(i, path) for i in one.incidents] for one in written],
        "error": [one.error and _error_row(one.error, path) for one in written],
    }


def _encodable(one: _Written) -> _Written:
    """What came of a sentence; half a surrogate pair, which no file can hold, is an error."""
    clean = without_surrogates
    error = one.error
    if one.text is not None and clean(one.text) != one.text:
        char = next(a for a, b in zip(one.text, clean(one.text), strict=True) if a != b)
        error = FormatError(f"the character U+{ord(char):04X} of the output is not text")
    if error is not None:
        error.message, error.text = clean(error.message), clean(error.text)
    incidents = [
        replace(i, message=clean(i.message), sent_id=clean(i.sent_id), token=clean(i.token))
        for i in one.incidents
    ]
    return _Written(None if error else one.text, incidents, error)


# --- what is offered ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sentences:
    """Sentences that are still to be framed, so that one pass of Python does both.

    Args:
        table: the files or texts.
        frame: makes sentences of their rows.
    """

    table: DataFrame
    frame: Callable[[Iterator[RecordBatch]], Iterator[Run]]

    def dataframe(self) -> DataFrame:
        """The sentences as a table with the columns `FRAMES`: to filter, count, or keep as Parquet.

        It can be converted as well, at the price of going through Python once more.
        """
        frame = self.frame

        def framed(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
            return _frames_to_arrow(frame(batches))

        return self.table.mapInArrow(framed, FRAMES)


def read_sentences(
    spark: SparkSession,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    from_: str | None = None,
    *,
    encoding: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    split_size: int | None = None,
    **options: Any,
) -> Sentences:
    """The sentences of files that the driver and all workers see under the same names.

    A file is read by one task, as the command reads it: any encoding, compressed or not. One that
    is larger than `split_size` is read by several if it is plain text in UTF-8, a format of which
    nothing but its number names a sentence (raw text, sentence lines, Sejong text without ids and
    comments); a quick job counts its sentences for that.

    Args:
        spark: the session.
        paths: files, folders (the files in them that are not hidden) and patterns (`*.txt`).
        from_: the format, None to find out that of each file, `TREEBANK` for dependencies.
        encoding: None to find it out.
        rules: a directory of tables laid over the built-in ones.
        split_size: bytes that are worth a task; without it, such that each processor has four
            tasks, from 64 KiB to 32 MiB.
        options: what the reader of the format understands beyond this: `split` of raw text,
            `metadata` and `rejoin` of the corpus as distributed, `whole` of treebanks.

    Raises:
        OSError: a file is not there.
        UsageError: there is no file at all, or it is not one that Python can open.
        MissingExtraError: pyspark is not installed.
    """
    _pyspark()
    files = _files(paths)
    framing = _framing(from_, encoding, rules, options)
    if split_size is None:
        total = sum([Path(path).stat().st_size for path in files])
        split_size = total // _tasks(spark)
        split_size = min(max(split_size, _SMALLEST_SPLIT), _LARGEST_SPLIT)

    def survey_all(ranges: list[Split]) -> list[Survey]:
        return _surveyed(spark, ranges)

    groups = plan(framing, files, split_size, survey_all)

    def frame(batches: Iterator[RecordBatch]) -> Iterator[Run]:
        for batch in batches:
            for at in batch.column(0).to_pylist():
                yield from read(framing, groups[at])

    return Sentences(spark.range(0, len(groups), 1, len(groups)), frame)


def _framing(
    from_: str | None,
    encoding: str | None,
    rules: str | os.PathLike[str] | None,
    options: Mapping[str, Any],
) -> Framing:
    framing = Framing(from_, encoding, _absolute(rules), options)
    if from_ is not None:
        framing.reader(from_)  # Wrong usage is said before any worker begins.
    return framing


def _tasks(spark: SparkSession) -> int:
    return int(_TASKS_EACH * spark.sparkContext.defaultParallelism)


def _surveyed(spark: SparkSession, ranges: list[Split]) -> list[Survey]:
    """The surveys of ranges, each by a task."""
    if not ranges:
        return []
    columns = "at bigint, start bigint, end bigint, lines bigint, sentences bigint"

    def surveys(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        types = _type(columns)
        for batch in batches:
            for at in batch.column(0).to_pylist():
                row = (at, *survey(ranges[at]))
                yield _to_arrow({c.name: [cell] for c, cell in zip(types, row, strict=True)}, types)

    table = spark.range(0, len(ranges), 1, len(ranges)).mapInArrow(surveys, columns)
    return [Survey(*row[1:]) for row in sorted(table.collect(), key=itemgetter(0))]


def _files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that are meant, each once, in the order of their names."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    names = [os.fspath(path) for path in given]
    found: set[str] = set()
    for path in names:
        if "://" in path:
            raise UsageError(
                f"{path} is not a file that Python can open: mount it, or read it with Spark"
                " (spark.read.text(…, wholetext=True)) and hand it to from_table"
            )
        if Path(path).is_dir():
            found |= _inside(Path(path), "*")
        elif not Path(path).exists() and set(path) & set("*?["):
            top = Path(Path(path).anchor)
            found |= _inside(top, str(Path(path).relative_to(top)))
        else:
            found.add(path)
    if not found:
        raise UsageError(f"there is no file to read: {', '.join(names)}")
    return sorted(found)


def _inside(top: Path, pattern: str) -> set[str]:
    """The files that a pattern means, without those that are hidden (Spark's own begin with _)."""
    return {str(one) for one in top.glob(pattern) if one.is_file() and one.name[0] not in "._"}


def _absolute(rules: str | os.PathLike[str] | None) -> str | None:
    return None if rules is None else str(Path(rules).resolve())


def from_table(
    table: DataFrame,
    from_: str | None = None,
    *,
    document: str = "document",
    number: str = "number",
    text: str = "text",
    partitions: int | None = None,
    rules: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Sentences:
    """The sentences of a table (Parquet, or whatever Spark reads) with the texts of documents.

    The rows of a document, in the order of their numbers, are read as a file would be that has
    their texts one behind the other, each with an end of line behind it, and a blank line where
    that is what ends a sentence. A row can be a sentence, or a document. A document is read by one
    task, so that its sentences have the numbers and ids that the file would give them.

    Args:
        table: of any order.
        from_: the format, None to find out that of each document, `TREEBANK` for dependencies.
        document: the column with the name of the document.
        number: the column with the place of the text in it.
        text: the column with the text; null is as good as empty.
        partitions: in how many tasks; without it, four for each processor.
        rules: a directory of tables laid over the built-in ones.
        options: as for `read_sentences`.

    Raises:
        UsageError: the table has no such column.
        MissingExtraError: pyspark is not installed.
    """
    functions = _pyspark().functions
    for name in (document, number, text):
        if name not in table.columns:
            raise UsageError(f"the table has no column {name}: {', '.join(table.columns)}")
    framing = _framing(from_, None, rules, options)
    chosen = table.select(
        functions.coalesce(functions.col(document).cast("string"), functions.lit("")).alias("path"),
        functions.col(number).cast("bigint").alias("number"),
        functions.col(text).cast("string").alias("text"),
    )
    count = partitions or _tasks(table.sparkSession)
    # By ranges, so that the documents stay in the order of their names.
    ordered = chosen.repartitionByRange(count, "path").sortWithinPartitions("path", "number")

    def frame(batches: Iterator[RecordBatch]) -> Iterator[Run]:
        rows = (row for batch in batches for row in batch.to_pylist())
        for path, some in groupby(rows, key=itemgetter("path")):
            yield from _read_rows(framing, path, (row["text"] for row in some if row["text"]))

    return Sentences(ordered, frame)


_WITHOUT_BLANK_LINES = frozenset({"text", "sejong-line", "jsonl", "modu", "corpus"})
"""The formats in which no blank line ends a sentence."""


def _read_rows(framing: Framing, path: str, texts: Iterator[str]) -> Iterator[Run]:
    """The sentences of a document whose texts are these."""
    head = next(texts, "")
    try:
        name = framing.resolve(head)
        end = "\n" if name in _WITHOUT_BLANK_LINES else "\n\n"

        def pieces() -> Iterator[str]:
            yield _ended(head, end)
            for text in texts:
                yield _ended(text, end)

        yield from framing.runs(path, name, pieces())
    except FormatError as error:
        yield Run(path, "", [], error, 1)


def _ended(text: str, end: str) -> str:
    r"""A text that ends so.

    >>> _ended("a\nb\n", "\n\n"), _ended("a", "\n")
    ('a\nb\n\n', 'a\n')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return text if text.endswith(end) else text.rstrip("\n") + end


def in_order(frames: DataFrame, partitions: int | None = None) -> DataFrame:
    """A table of sentences in the order of their paths and numbers, spread over tasks.

    For what comes from elsewhere, such as Parquet, whose rows have no order; or from a single
    large file that one task had to frame.

    Args:
        frames: with the columns `FRAMES`, or `path`, `number` and others.
        partitions: how many tasks; without it, four for each processor.
    """
    count = partitions or _tasks(frames.sparkSession)
    order = ("path", "number")
    return frames.repartitionByRange(count, *order).sortWithinPartitions(*order)


def run(sentences: Sentences | DataFrame, job: Conversion | DependencyConversion) -> DataFrame:
    """Do a job with every sentence.

    Args:
        sentences: from files or documents; or a table with the columns `FRAMES`.
        job: `DependencyConversion("word2morph")` for sentences that were read as `TREEBANK`. A
            `Conversion` whose reader is "" takes each sentence for what it was framed as.

    Returns:
        A row for each sentence, with the columns `WRITTEN`, in the order of the sentences.

    Raises:
        UsageError: there is no such format, level or scheme; or the sentences must be converted
            one after the other.
        MissingExtraError: pyspark is not installed.
    """
    _pyspark()
    if job.on_error not in ON_ERROR:
        raise UsageError(f"on_error is one of {', '.join(ON_ERROR)}, not {job.on_error}")
    job = replace(job, path="", rules=_absolute(job.rules))
    # Wrong usage is said before any worker begins.
    if isinstance(job, Conversion):
        if job.writer == "sejong" and job.on_error == "skip":
            raise UsageError(
                "in Sejong text the sentences behind one that is left out have other numbers:"
                " convert to conllu first, or take on_error keep"
            )
        job.make_writer()
    else:
        job.make_work()
    key = repr(job)
    if isinstance(sentences, Sentences):
        table, frame = sentences.table, sentences.frame
    else:
        _check_columns(sentences, job)
        table, frame = sentences, _frames_from_arrow

    def written(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        return _written_to_arrow(frame(batches), job, key)

    return table.mapInArrow(written, WRITTEN)


def _check_columns(table: DataFrame, job: Conversion | DependencyConversion) -> None:
    needed = ["path", "number", "text"]
    if isinstance(job, Conversion) and not job.reader:
        needed += ["format", "sent_id"]
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise UsageError(
            f"the table has no column {', '.join(missing)}: a table of documents is read by"
            " from_table first"
        )


def convert(
    sentences: Sentences | DataFrame,
    *,
    to: str = "conllu",
    level: int = 5,
    upos: str | None = None,
    lemmas: str | None = None,
    dummy_deps: bool = False,
    ne: NePlace = "misc",
    spaced: bool = False,
    on_error: OnError = "stop",
    rules: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """Convert sentences, as `sejongud convert` does.

    Args:
        sentences: from files or documents; or a table with the columns `FRAMES`.
        to: the format to write.
        level: of granularity, 1 to 5.
        upos: UPOS scheme, None for the usual one and for what a treebank says of its words.
        lemmas: lemma scheme, likewise.
        dummy_deps: a well-formed chain in HEAD and DEPREL (conllu).
        ne: where the labels of entities go (conllu).
        spaced: blanks around the plus (sejong).
        on_error: "stop", "skip" or "keep"; with "stop" the row of the sentence has the `error`.
        rules: a directory of tables laid over the built-in ones.

    Returns:
        A row for each sentence, with the columns `WRITTEN`.

    Raises:
        UsageError: there is no such format, level or scheme.
        MissingExtraError: pyspark is not installed.
    """
    job = Conversion(
        "",
        to,
        level=level,
        upos=upos,
        lemmas=lemmas,
        dummy_deps=dummy_deps,
        ne=ne,
        spaced=spaced,
        on_error=on_error,
        rules=None if rules is None else str(rules),
    )
    return run(sentences, job)


def analyze(
    sentences: Sentences | DataFrame,
    *,
    to: str = "conllu",
    level: int = 5,
    upos: str | None = None,
    lemmas: str | None = None,
    rules: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """Analyse raw text with Kiwi, as `sejongud analyze` does.

    Args:
        sentences: read as "text"; or a table in which every row is a sentence, with at least the
            columns `path`, `number` and `text`.
        to: the format to write.
        level: of granularity, 1 to 5.
        upos: UPOS scheme, None for the usual one and for what a treebank says of its words.
        lemmas: lemma scheme, likewise.
        rules: a directory of tables laid over the built-in ones.

    Returns:
        A row for each sentence, with the columns `WRITTEN`.

    Raises:
        UsageError: there is no such format, level or scheme.
        MissingExtraError: pyspark is not installed.
    """
    given = None if rules is None else str(rules)
    return run(
        sentences, Conversion("text", to, level=level, upos=upos, lemmas=lemmas, rules=given)
    )


def incidents(written: DataFrame) -> DataFrame:
    """What was mended or left out, a row each, with the fields of `Incident`.

    Every look at it does the work again: keep `written` as Parquet if you want the texts as well.

    Args:
        written: what `convert`, `analyze` or `run` gave.
    """
    exploded = written.selectExpr("path", "number", "posexplode(incidents) AS (at, incident)")
    fields = [f"incident.{name}" for name in ("code", "message", "line", "column")]
    return exploded.select("path", "number", "at", *fields, "incident.sent_id", "incident.token")


def write_text(written: DataFrame, target: str | os.PathLike[str], *, compression: str = "") -> int:
    """Write the texts of sentences to a folder, in parts: one behind the other they are the file.

    `cat TARGET/part-*` is what one process of the command writes for the files one after the other.
    The folder appears when all of it is written, or not at all.

    Args:
        written: what `convert`, `analyze` or `run` gave, its rows in order (see `in_order`).
        target: a folder that is not there yet, on any file system that Spark knows.
        compression: of the parts, such as "gzip".

    Returns:
        How many sentences were written.

    Raises:
        FormatError: the first error that would have ended the command.
        FileExistsError: the folder is there.
        MissingExtraError: pyspark is not installed.
    """
    sql = _pyspark()
    spark = written.sparkSession
    folder = os.fspath(target).rstrip("/")
    jvm = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path(folder)
    files = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    if files.exists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), folder)
    above, slash, name = folder.rpartition("/")
    unfinished = f"{above}{slash}.{name}.{os.urandom(6).hex()}.tmp"
    temporary = jvm.org.apache.hadoop.fs.Path(unfinished)
    seen = sql.Observation()
    functions = sql.functions
    # Not every version can observe what has parts.
    place = functions.struct("path", "number", functions.to_json("error").alias("error"))
    first = functions.min(functions.when(functions.col("error").isNotNull(), place))
    observed = written.observe(
        seen,
        functions.count("text").alias("sentences"),
        first.getField("error").alias("error"),
    )
    # Spark puts the last end of line itself.
    lines = observed.where("text IS NOT NULL").selectExpr("left(text, length(text) - 1) AS value")
    try:
        writer = lines.write.option("compression", compression) if compression else lines.write
        writer.text(unfinished)
        found = seen.get
        if found["error"] is not None:
            raise FormatError(**json.loads(found["error"]))
        if not files.rename(temporary, path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), folder)
    finally:
        files.delete(temporary, True)
    return int(found["sentences"])
