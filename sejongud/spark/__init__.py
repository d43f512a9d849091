"""Conversions and Kiwi's analysis for Apache Spark: corpora that are too large for one machine.

    files → read_sentences ┐
    table → from_table     ┴→ Sentences → convert | analyze | run → one row a sentence → write_text

The rows, in the order of their paths and numbers, hold the bytes that one process of the command
writes. A sentence's number and id depend on everything before it in the file, so framing sees the
whole file; parsing and writing take most of the time and see one sentence. A task therefore frames
a file (or a range of a file whose sentences have only numbers) and converts the sentences that it
has framed: nothing is shuffled. Each worker process keeps one converter and one Kiwi for all of its
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

from sejongud.spark.jobs import TREEBANK
from sejongud.spark.output import in_order, incidents, write_text
from sejongud.spark.rows import FRAMES, WRITTEN
from sejongud.spark.tables import Sentences, analyze, convert, from_table, read_sentences, run

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
