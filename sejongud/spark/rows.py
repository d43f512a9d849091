"""The columns of the tables, and rows of them as runs of sentences and back.

A worker process reads blocks from such rows, converts them, and writes rows.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Incident, require
from sejongud.formats.base import Block
from sejongud.morphology.kiwi import without_surrogates
from sejongud.pipeline import without_collector
from sejongud.spark.work import Run, pipeline_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyarrow import RecordBatch, Schema
    from pyspark.sql import DataFrame, SparkSession


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
                yield Run(path, name, list(map(_frame, rows)), columns=columns)
                continue
            for row in rows:
                yield Run(path, name, [], FormatError(**row["error"]), row["number"])


def _kind(row: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...], bool]:
    """Return the path, format and columns of a row, and whether it holds the error of a file."""
    columns = tuple(row.get("columns") or ())
    return row["path"], row.get("format") or "", columns, row.get("error") is not None


def _frame(row: Mapping[str, Any]) -> Block:
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


# --- output ---------------------------------------------------------------------------------------


_TASKS_EACH = 4
"""Tasks for each processor; several, so that no processor waits long for the last ones."""


def number_of_tasks(spark: SparkSession) -> int:
    """Return how many tasks keep all processors of a session at work."""
    return int(_TASKS_EACH * spark.sparkContext.defaultParallelism)


def in_order(table: DataFrame, partitions: int | None = None) -> DataFrame:
    """Sort a table of sentences by their paths and numbers, and spread it over tasks.

    Tables from elsewhere need this, such as Parquet, whose rows have no order; or a single large
    file that one task had to cut.

    Args:
        table: with the columns `BLOCKS`, or `path`, `number` and others.
        partitions: how many tasks; by default four for each processor.
    """
    count = partitions or number_of_tasks(table.sparkSession)
    order = ("path", "number")
    return table.repartitionByRange(count, *order).sortWithinPartitions(*order)


def incidents(written: DataFrame) -> DataFrame:
    """Return the incidents, one row each, with the fields of `Incident`.

    Every use of the result does the conversion again: keep `written` as Parquet if you want the
    texts as well.

    Args:
        written: the result of `convert`, `analyze` or `run`.
    """
    exploded = written.selectExpr("path", "number", "posexplode(incidents) AS (at, incident)")
    names = ("code", "message", "line", "column", "sent_id", "token")
    return exploded.select("path", "number", "at", *[f"incident.{name}" for name in names])


def write_text(written: DataFrame, target: str | os.PathLike[str], *, compression: str = "") -> int:
    """Write the texts of sentences to a folder, in parts: one behind the other they are the file.

    `cat TARGET/part-*` is the output of one process of the command for the files one after the
    other. The folder appears when all of it is written, or not at all.

    Args:
        written: the result of `convert`, `analyze` or `run`, its rows in order (see `in_order`).
        target: a folder that does not exist yet, on any file system that Spark knows.
        compression: of the parts, such as "gzip".

    Returns:
        How many sentences were written.

    Raises:
        FormatError: the first error that would have ended the command.
        FileExistsError: the folder exists.
        MissingExtraError: pyspark is not installed.
    """
    sql = spark_sql()
    context = written.sparkSession.sparkContext
    make_path = context._jvm.org.apache.hadoop.fs.Path
    folder = os.fspath(target).rstrip("/")
    error = FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), folder)
    path = make_path(folder)
    files = path.getFileSystem(context._jsc.hadoopConfiguration())
    if files.exists(path):
        raise error
    above, slash, name = folder.rpartition("/")
    unfinished = f"{above}{slash}.{name}.{os.urandom(6).hex()}.tmp"
    temporary = make_path(unfinished)
    seen = sql.Observation()
    functions = sql.functions
    # Not every version can observe a column that has parts.
    place = functions.struct("path", "number", functions.to_json("error").alias("error"))
    first = functions.min(functions.when(functions.col("error").isNotNull(), place))
    observed = written.observe(
        seen,
        functions.count("text").alias("sentences"),
        first.getField("error").alias("error"),
    )
    # Spark itself writes the last line's end.
    lines = observed.where("text IS NOT NULL").selectExpr("left(text, length(text) - 1) AS value")
    try:
        writer = lines.write.option("compression", compression) if compression else lines.write
        writer.text(unfinished)
        outcome = seen.get
        if outcome["error"] is not None:
            raise FormatError(**json.loads(outcome["error"]))
        if not files.rename(temporary, path):
            raise error
    finally:
        files.delete(temporary, True)
    return int(outcome["sentences"])
