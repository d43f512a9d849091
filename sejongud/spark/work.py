"""The conversion of framed sentences in a worker process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.morphology.kiwi import without_surrogates
from sejongud.pipeline import without_collector
from sejongud.spark.jobs import work_of
from sejongud.spark.rows import Row, cell_of, to_arrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyarrow import RecordBatch, Schema

    from sejongud.spark.ranges import Run


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
