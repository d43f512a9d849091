"""Conversions and Kiwi's analysis for Apache Spark: corpora that are too large for one machine.

    files → read_sentences ┐
    table → from_table     ┴→ Sentences → convert | analyze | run → one row a sentence → write_text

The rows, in the order of their paths and numbers, hold the bytes that one process of the command
writes. A sentence's number and id depend on everything before it in the file, so cutting sees the
whole file; parsing and writing take most of the time and see one sentence. A task therefore cuts
a file (or a range of a file whose sentences have only numbers) and converts the sentences that it
has cut: nothing is shuffled. Each worker process keeps one converter and one Kiwi for all of its
tasks.

    from pyspark.sql import SparkSession
    from sejongud.spark import analyze, read_sentences, write_text

    session = SparkSession.builder.getOrCreate()
    sentences = read_sentences(session, "/corpus/*.txt", "text")
    write_text(analyze(sentences, level=5), "/corpus/analysed")

Errors are data: the column `incidents` holds the incidents of a sentence, as `--log` writes
them; the column `error` holds the error that would have ended the command, and `write_text` raises
it. The driver and the workers need the extra `spark`.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict, dataclass, replace
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.converters.jobs import Conversion, columns_of
from sejongud.errors import FormatError, UsageError
from sejongud.formats import FORMATS
from sejongud.spark import work
from sejongud.spark.work import BLOCKS, TREEBANK, WRITTEN, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame, SparkSession


__all__ = [
    "BLOCKS",
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


# --- tables ---------------------------------------------------------------------------------------


_LARGEST_SPLIT = 32 << 20
_SMALLEST_SPLIT = 64 << 10


@dataclass(frozen=True)
class Sentences:
    """Sentences that are not cut into blocks yet: one pass of Python does that and converts them.

    Args:
        table: the files or texts.
        to_runs: makes blocks of their rows.
    """

    table: DataFrame
    to_runs: Callable[[Iterator[RecordBatch]], Iterator[work.Run]]

    def dataframe(self) -> DataFrame:
        """Return the sentences as a table with the columns `BLOCKS`.

        It can be filtered, counted, kept as Parquet, and converted: then the rows go through Python
        twice.
        """
        to_runs = self.to_runs
        schema = work.arrow_schema(self.table.sparkSession, BLOCKS)

        def rows(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
            for run in to_runs(batches):
                yield work.to_arrow(work.blocks_to_rows(run), schema)

        return self.table.mapInArrow(rows, BLOCKS)


# --- files ----------------------------------------------------------------------------------------


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
    """Read the sentences of files that the driver and all workers see under the same names.

    One task reads a file as the command reads it: any encoding, compressed or not. Several tasks
    read a file that is larger than `split_size`, if it is plain text in UTF-8 and nothing but its
    number names a sentence (raw text, sentence lines, Sejong text without ids and comments); a
    quick job then counts its sentences first.

    Args:
        spark: the session.
        paths: files, folders (all files in them but hidden ones) and patterns (`*.txt`).
        from_: the format; None detects that of each file; `TREEBANK` keeps dependencies.
        encoding: the encoding; None detects it.
        rules: a directory of tables laid over the built-in ones.
        split_size: bytes for one task; by default each processor gets four tasks, of 64 KiB to
            32 MiB.
        options: more arguments of the format's reader: `split` of raw text, `metadata` and `rejoin`
            of the corpus as distributed, `whole` of treebanks.

    Raises:
        OSError: a file does not exist.
        UsageError: there is no file at all, or Python cannot open it.
        MissingExtraError: pyspark is not installed.
    """
    work.spark_sql()
    work.take_own_python(spark)
    files = _files(paths)
    read_options = work.ReadOptions(from_, encoding, work.absolute(rules), options)
    if split_size is None:
        total = sum([Path(path).stat().st_size for path in files])
        split_size = min(max(total // number_of_tasks(spark), _SMALLEST_SPLIT), _LARGEST_SPLIT)
    groups = work.plan(read_options, files, split_size, lambda ranges: _surveyed(spark, ranges))

    def to_runs(batches: Iterator[RecordBatch]) -> Iterator[work.Run]:
        for number in _numbers(batches):
            yield from work.read(read_options, groups[number])

    return Sentences(_numbered(spark, len(groups)), to_runs)


def _numbered(spark: SparkSession, tasks: int) -> DataFrame:
    """Return a table with a number, from 0, for each task."""
    return spark.range(0, tasks, 1, tasks)


def _numbers(batches: Iterable[RecordBatch]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _surveyed(spark: SparkSession, ranges: list[work.FileRange]) -> list[work.FileRange]:
    """Survey ranges, each in a task."""
    if not ranges:
        return []
    columns = "at bigint, start bigint, end bigint, lines bigint, sentences bigint"
    schema = work.arrow_schema(spark, columns)

    def surveys(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        for number in _numbers(batches):
            yield work.to_arrow([{**asdict(work.survey(ranges[number])), "at": number}], schema)

    collected = _numbered(spark, len(ranges)).mapInArrow(surveys, columns).collect()
    rows = sorted([row.asDict() for row in collected], key=itemgetter("at"))
    return [replace(ranges[row.pop("at")], **row) for row in rows]


def _files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths and patterns name, each once, sorted."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    names = [os.fspath(path) for path in listed]
    files: set[str] = set()
    for path in names:
        if "://" in path:
            raise UsageError(
                f"{path} is not a file that Python can open: mount it, or read it with Spark"
                " (spark.read.text(…, wholetext=True)) and pass the table to from_table"
            )
        if Path(path).is_dir():
            files |= _inside(Path(path), "*")
        elif not Path(path).exists() and set(path) & set("*?["):
            top = Path(Path(path).anchor)
            files |= _inside(top, str(Path(path).relative_to(top)))
        else:
            files.add(path)
    if not files:
        raise UsageError(f"there is no file to read: {', '.join(names)}")
    return sorted(files)


def _inside(top: Path, pattern: str) -> set[str]:
    """Return the files of a pattern but the hidden ones; names of Spark's own begin with `_`."""
    return {str(path) for path in top.glob(pattern) if path.is_file() and path.name[0] not in "._"}


# --- tables of documents --------------------------------------------------------------------------


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
    """Read the sentences of a table (Parquet, or anything Spark reads) of the texts of documents.

    A row can be a sentence or a whole document. The rows of a document, in the order of their
    numbers, are read like a file: their texts follow each other, each ended by a line's end, or by
    a blank line in formats where that ends a sentence. One task reads a document, so its sentences
    get the numbers and ids that the file would give them.

    Args:
        table: the rows, in any order.
        from_: the format; None detects that of each document; `TREEBANK` keeps dependencies.
        document: the column with the name of the document.
        number: the column with the place of the text in it.
        text: the column with the text; null is an empty text.
        partitions: how many tasks; by default four for each processor.
        rules: a directory of tables laid over the built-in ones.
        options: more arguments of the format's reader, as for `read_sentences`.

    Raises:
        UsageError: the table lacks one of the columns.
        MissingExtraError: pyspark is not installed.
    """
    functions = work.spark_sql().functions
    work.take_own_python(table.sparkSession)
    _check_columns(table, [document, number, text])
    read_options = work.ReadOptions(from_, None, work.absolute(rules), options)
    chosen = table.select(
        functions.coalesce(functions.col(document).cast("string"), functions.lit("")).alias("path"),
        functions.col(number).cast("bigint").alias("number"),
        functions.col(text).cast("string").alias("text"),
    )
    count = partitions or number_of_tasks(table.sparkSession)
    # Partitions by ranges keep the documents in the order of their names.
    ordered = chosen.repartitionByRange(count, "path").sortWithinPartitions("path", "number")

    def to_runs(batches: Iterator[RecordBatch]) -> Iterator[work.Run]:
        rows = (row for batch in batches for row in batch.to_pylist())
        for path, some in groupby(rows, key=itemgetter("path")):
            yield from _read_texts(read_options, path, (row["text"] for row in some if row["text"]))

    return Sentences(ordered, to_runs)


def _read_texts(
    read_options: work.ReadOptions, path: str, texts: Iterator[str]
) -> Iterator[work.Run]:
    """Yield the sentences of a document."""
    head = next(texts, "")
    try:
        name = read_options.resolve(head)
        end = "\n\n" if FORMATS[name.partition(":")[0]].ends == "blank line" else "\n"
        pieces = (_ended(text, end) for text in chain([head], texts))
        columns = columns_of(name, head)
        yield from work.runs(path, name, read_options.reader(name).blocks(pieces), columns)
    except FormatError as error:
        yield work.Run(path, "", [], error, 1)


def _ended(text: str, end: str) -> str:
    r"""Return a text with an end.

    >>> _ended("a\nb\n", "\n\n"), _ended("a", "\n")
    ('a\nb\n\n', 'a\n')
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return text if text.endswith(end) else text.rstrip("\n") + end


def _check_columns(table: DataFrame, names: Iterable[str], hint: str = "") -> None:
    """Check that a table has columns.

    Raises:
        UsageError: a column is missing.
    """
    missing = [name for name in names if name not in table.columns]
    if missing:
        existing = ", ".join(table.columns)
        raise UsageError(f"the table has no column {', '.join(missing)}; it has {existing}{hint}")


# --- conversion -----------------------------------------------------------------------------------


def run(sentences: Sentences | DataFrame, job: Job) -> DataFrame:
    """Do a job with every sentence.

    Args:
        sentences: from files or documents; or a table with the columns `BLOCKS`.
        job: a `Conversion`, whose reader may be "": then each sentence is read as the format that
            it was cut as; or `DependencyConversion("word2morph")` for sentences that were read
            as `TREEBANK`.

    Returns:
        A row for each sentence, with the columns `WRITTEN`, in the order of the sentences.

    Raises:
        UsageError: there is no such format, level or scheme; or the job must convert the sentences
            one after the other.
        MissingExtraError: pyspark is not installed.
    """
    work.spark_sql()
    packed = work.pickled(job)
    if isinstance(sentences, Sentences):
        table, to_runs = sentences.table, sentences.to_runs
    else:
        needed = ["path", "number", "text"]
        if isinstance(job, Conversion) and not job.reader:
            needed += ["format", "sent_id"]
        _check_columns(sentences, needed, "; read a table of documents with from_table first")
        table, to_runs = sentences, work.rows_to_blocks
    work.take_own_python(table.sparkSession)
    schema = work.arrow_schema(table.sparkSession, WRITTEN)

    def written(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        return work.write_runs(to_runs(batches), packed, schema)

    return table.mapInArrow(written, WRITTEN)


def convert(sentences: Sentences | DataFrame, *, to: str = "conllu", **options: Any) -> DataFrame:
    """Convert sentences, as `sejongud convert` does.

    Args:
        sentences: from files or documents; or a table with the columns `BLOCKS`.
        to: the format to write.
        options: other fields of `Conversion`: `level`, `upos`, `lemmas`, `deps`, `ne`,
            `spaced`, `rules`, and `on_error`; with "stop" the row of the sentence gets the `error`.

    Returns:
        A row for each sentence, with the columns `WRITTEN`.

    Raises:
        UsageError: there is no such format, level or scheme.
        MissingExtraError: pyspark is not installed.
    """
    return run(sentences, Conversion("", to, **{"level": None, **options}))


def analyze(sentences: Sentences | DataFrame, *, to: str = "conllu", **options: Any) -> DataFrame:
    """Analyse raw text with Kiwi, as `sejongud analyze` does.

    Args:
        sentences: read as "text"; or a table with a row for each sentence and at least the columns
            `path`, `number` and `text`.
        to: the format to write.
        options: other fields of `Conversion`: `level`, `upos`, `lemmas`, `rules`.

    Returns:
        A row for each sentence, with the columns `WRITTEN`.

    Raises:
        UsageError: there is no such format, level or scheme.
        MissingExtraError: pyspark is not installed.
    """
    return run(sentences, Conversion("text", to, **options))


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
    sql = work.spark_sql()
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
