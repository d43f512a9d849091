"""Tables of written sentences: their order, their incidents and their texts as files."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.spark.rows import spark_sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TASKS_EACH = 4
"""Tasks for each processor; several, so that no processor waits long for the last ones."""


def number_of_tasks(spark: SparkSession) -> int:
    """Return how many tasks keep all processors of a session at work."""
    return int(_TASKS_EACH * spark.sparkContext.defaultParallelism)


def in_order(frames: DataFrame, partitions: int | None = None) -> DataFrame:
    """Sort a table of sentences by their paths and numbers, and spread it over tasks.

    Tables from elsewhere need this, such as Parquet, whose rows have no order; or a single large
    file that one task had to frame.

    Args:
        frames: a table with the columns `FRAMES`, or `path`, `number` and others.
        partitions: how many tasks; by default four for each processor.
    """
    count = partitions or number_of_tasks(frames.sparkSession)
    order = ("path", "number")
    return frames.repartitionByRange(count, *order).sortWithinPartitions(*order)


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
