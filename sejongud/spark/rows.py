"""The columns of the tables, and rows of them as runs of sentences and back.

A worker process reads framed sentences from such rows, converts them, and writes rows.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sejongud.errors import FormatError, Incident, require
from sejongud.formats.base import Frame
from sejongud.morphology.kiwi import without_surrogates
from sejongud.pipeline import without_collector
from sejongud.spark.jobs import work_of
from sejongud.spark.ranges import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyarrow import RecordBatch, Schema


Row = dict[str, Any]

_ERROR = "struct<code: string, message: string, path: string, line: bigint, column: bigint, {}>"
_STOPPED = _ERROR.format("text: string")
_INCIDENT = _ERROR.format("sent_id: string, token: string")

FRAMES = (
    "path string, number bigint, line bigint, format string, text string, sent_id string,"
    " comments array<string>, columns array<string>,"
    " notes array<struct<line: bigint, code: string, message: string>>,"
    f" error {_STOPPED}"
)
"""The columns of framed sentences: the fields of `Frame`; `columns` and `error` are of the file."""

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
    """Return the schema of Arrow for columns as Spark writes them, such as `FRAMES`.

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


def frames_to_rows(run: Run) -> list[Row]:
    """Return the rows of `FRAMES` of a run."""
    place = {"path": run.path, "format": run.format, "columns": run.columns or None}
    rows = [
        {
            **frame._asdict(),
            **place,
            "comments": frame.comments or None,
            "notes": [dict(zip(_NOTE, note, strict=True)) for note in frame.notes] or None,
        }
        for frame in run.frames
    ]
    if run.error is not None:
        rows.append({**place, "number": run.number, "error": cell_of(run.error, run.path)})
    return rows


def rows_to_frames(batches: Iterable[RecordBatch]) -> Iterator[Run]:
    """Return the runs of rows of `FRAMES`; columns but path, number and text may be missing."""
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


def _frame(row: Mapping[str, Any]) -> Frame:
    number = row["number"]
    return Frame(
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
    work = work_of(job, run.format, run.columns)
    for frame in run.frames:
        done = work([frame])
        preamble = work.preamble if frame.number == 1 else ""
        left_out = done.error is not None or not done.totals.sentences
        yield {
            "path": run.path,
            "number": frame.number,
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
