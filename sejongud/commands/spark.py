"""Convert corpora on a cluster of Apache Spark, or on the processors of one machine.

`spark convert IN … OUT` writes the folder OUT, whose parts, one behind the other, are what one
process of `sejongud convert` writes; it appears when all of it is written. IN is a file, a folder
or a pattern ('corpus/*.txt'). Raw text is read with --from text. Under spark-submit, which takes a
script of Python, the command is

    spark-submit --master … "$(sejongud spark script)" convert IN … OUT --level 5

The workers need the package as well. They run the Python of the driver, unless PYSPARK_PYTHON or
spark.pyspark.python names another.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sejongud.commands import say, settings_of
from sejongud.commands.convert import feats_of
from sejongud.converters.jobs import Conversion
from sejongud.errors import SejongudError, require
from sejongud.terminal import counted

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

_CONVERT, _SCRIPT = "convert", "script"


def run(args: argparse.Namespace) -> int:
    """Convert `args.inputs` to `args.output`, or print the path of the script."""
    if args.action == _SCRIPT:
        import sejongud.spark

        print(Path(sejongud.spark.__file__).with_name("submit.py"))
        return 0
    session = _session(args.master)
    try:
        return _convert(args, session)
    finally:
        session.stop()


def _session(master: str | None) -> SparkSession:
    """Return the session of spark-submit, or a new one.

    Raises:
        MissingExtraError: pyspark is not installed.
        SejongudError: there is no Java.
    """
    sql = require("pyspark.sql", "spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise SejongudError("Spark needs Java 17 or later: install it, or set JAVA_HOME")
    builder = sql.SparkSession.builder.appName("sejongud")
    session: SparkSession = (builder.master(master) if master else builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _convert(args: argparse.Namespace, session: SparkSession) -> int:
    from pyspark.sql import Observation

    from sejongud.spark import convert, read_sentences, write_text

    sentences = read_sentences(
        session, args.inputs, args.from_, encoding=args.encoding, rules=args.rules
    )
    options = settings_of(args, Conversion) | {"feats": feats_of(args)}
    written = convert(sentences, to=args.to, **options)
    seen = Observation()
    count = write_text(_counted(written, seen), args.output)
    found: dict[str, Any] = seen.get
    errors = found["errors"] or 0
    if not args.quiet:
        said = f"{counted(count, 'sentence[s]')} in {args.output}"
        said += f", {counted(found['incidents'] or 0, 'incident[s]')}"
        said += f", {counted(errors, 'of them [an error|errors]')}"
        say(f"{said}: sejongud.spark.incidents lists them")
    return 1 if errors else 0


def _counted(written: DataFrame, seen: Any) -> DataFrame:
    """Return a table whose incidents and errors are counted while it is written."""
    from pyspark.sql import functions

    errors = "size(filter(incidents, one -> one.code LIKE 'E%'))"
    return written.observe(
        seen,
        functions.sum(functions.expr("size(incidents)")).alias("incidents"),
        functions.sum(functions.expr(errors)).alias("errors"),
    )
