"""Spark gives, to the byte, what one process of the command gives."""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from sejongud import spark as spark_room
from sejongud.__main__ import main
from sejongud.converters.jobs import DependencyConversion
from sejongud.errors import FormatError, Incident, MissingExtraError, UsageError
from sejongud.spark import (
    TREEBANK,
    analyze,
    convert,
    from_table,
    in_order,
    incidents,
    read_sentences,
    run,
    write_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# What pyspark and its libraries warn of is not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore:::pyspark"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.mark.parametrize("library", ["pyspark", "pyarrow"])
def test_what_is_not_installed_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if library == "pyarrow":
        pytest.importorskip("pyspark", reason="pyspark is not installed (the extra spark)")
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"{library} .*'sejongud\[spark\]'"):
        read_sentences(None, "a.txt")


# --- with Spark -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of two processors."""
    pytest.importorskip("pyspark", reason="pyspark is not installed (the extra spark)")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (the extra spark)")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java, which Spark needs")
    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The workers run this Python all the same.
        patch.delenv("PYSPARK_PYTHON", raising=False)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").appName("sejongud")
        settings = {
            # So little work is not worth compiling.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.codegen.wholeStage": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.local.dir": str(folder),
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        gateway = session.sparkContext._gateway
        session.stop()
        gateway.shutdown()


def written(folder: Path) -> str:
    """What the parts are, one behind the other."""
    return "".join([part.read_text(encoding="utf-8") for part in sorted(folder.glob("part-*"))])


def command(*args: str | Path) -> int:
    return main([*map(str, args), "-q", "--force"])


def reported(path: Path) -> list[Incident]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Incident(**json.loads(line)) for line in lines]


def found_incidents(table: Any) -> list[Incident]:
    """The incidents of a table, as a report has them."""
    rows = table.select("path", "number", "incidents").collect()
    rows.sort(key=lambda row: row[:2])
    return [Incident(**one.asDict()) for *_, some in rows for one in some]


def long_text(root: Path, sentences: int) -> str:
    """Sejong text without ids: sentences of the sample, and empty lines."""
    text = (root / "samples" / "sejong.txt").read_text(encoding="utf-8")
    some = [one for one in text.split("\n\n") if one.strip() and "#" not in one]
    some.append("#가\t#/SW+가/NNG")
    random = Random(1)
    chosen = [random.choice(some) + random.choice(["\n\n", "\n\n\n"]) for _ in some]
    return "".join([random.choice(chosen) for _ in range(sentences)])


def test_a_file_in_ranges(spark: Any, root: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(long_text(root, 120), encoding="utf-8")
    sentences = read_sentences(spark, source, "sejong", split_size=3000)
    assert sentences.table.rdd.getNumPartitions() > 3
    for options in ({"level": 3, "upos": "ud"}, {"to": "jsonl", "lemmas": "form"}):
        folder = tmp_path / "".join(options)
        assert write_text(convert(sentences, **options), folder) == 120
        switches = [f"--{key}={value}" for key, value in options.items()]
        assert command("convert", *switches, source, tmp_path / "one") == 0
        assert written(folder) == (tmp_path / "one").read_text(encoding="utf-8")


SAMPLES = (
    "corpus-spoken.txt",
    "corpus-written.txt",
    "expected/framenet.frames.conllu",
    "expected/treebank.5.conllu",
    "jsonl.jsonl",
    "klue-dp.tsv",
    "modu.json",
    "sejong-ids.txt",
    "sejong-line.txt",
    "sejong-senses.txt",
    "sejong.txt",
    "ud.conllu",
)


KEEP = ("--on-error", "keep")


def test_every_format(spark: Any, root: Path, tmp_path: Path) -> None:
    paths = [root / "samples" / name for name in SAMPLES]
    table = convert(read_sentences(spark, paths), on_error="keep").cache()
    rows = sorted(table.collect(), key=lambda row: row[:2])
    for path in paths:
        made = "".join([row.text for row in rows if row.path == str(path)])
        report = tmp_path / "report"
        assert command("convert", *KEEP, "--log", report, path, tmp_path / "one") < 2
        assert made == (tmp_path / "one").read_text(encoding="utf-8")
        own = [row for row in rows if row.path == str(path)]
        incidents_of = [Incident(**one.asDict()) for row in own for one in row.incidents]
        # A report has what is the same everywhere only once.
        assert set(incidents_of) >= set(reported(report))
        others = {one.code for one in set(incidents_of) - set(reported(report))}
        assert others <= {"W104", "I107"}
    assert write_text(table, tmp_path / "all") == len(rows)
    assert written(tmp_path / "all") == "".join([row.text for row in rows])


def test_a_column_of_labels_is_announced_once(spark: Any, root: Path, tmp_path: Path) -> None:
    source = root / "samples" / "sejong.txt"
    table = convert(read_sentences(spark, source, "sejong", split_size=1000), ne="column")
    write_text(table, tmp_path / "all")
    assert command("convert", "--ne", "column", source, tmp_path / "one") == 0
    assert written(tmp_path / "all") == (tmp_path / "one").read_text(encoding="utf-8")


@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_errors_are_data(spark: Any, root: Path, tmp_path: Path, on_error: str) -> None:
    source = root / "samples" / "sejong-faults.txt"
    sentences = read_sentences(spark, source)
    table = convert(sentences, on_error=on_error).cache()
    count = write_text(table, tmp_path / "all")
    options = ("--on-error", on_error, "--log", tmp_path / "report")
    assert command("convert", *options, source, tmp_path / "one") == 1
    assert written(tmp_path / "all") == (tmp_path / "one").read_text(encoding="utf-8")
    assert count == table.where("text IS NOT NULL").count()
    expected = reported(tmp_path / "report")
    found = found_incidents(table)
    assert [one for one in found if one.code != "W104"] == [
        one for one in expected if one.code != "W104"
    ]
    assert any([one.is_error for one in found])
    rows = incidents(table).orderBy("number", "at").collect()
    assert [row.message for row in rows] == [one.message for one in found]
    ids = {row.number: row.sent_id for row in sentences.dataframe().collect()}
    assert [row.sent_id for row in rows] == [ids[row.number] for row in rows]


def test_the_first_error_stops(
    spark: Any, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = root / "samples" / "sejong-faults.txt"
    table = convert(read_sentences(spark, source))
    with pytest.raises(FormatError) as raised:
        write_text(table, tmp_path / "all")
    assert command("convert", source, tmp_path / "one") == 1
    assert str(raised.value) in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert table.where("error IS NOT NULL").count() > 1


def test_errors_of_files(spark: Any, tmp_path: Path) -> None:
    good, bad, worse = (tmp_path / name for name in ("a.txt", "b.txt", "c.txt"))
    good.write_text("나는\t나/NP+는/JX\n", encoding="utf-8")
    bad.write_text("나는\t나/NP+는/JX\n\n# 끝\n", encoding="utf-8")
    worse.write_bytes(b"\xff\xff\n")
    sentences = read_sentences(spark, tmp_path, "sejong")
    rows = convert(sentences, on_error="keep").orderBy("path", "number").collect()
    assert [(Path(row.path).name, row.number, row.text is None) for row in rows] == [
        ("a.txt", 1, False),
        ("b.txt", 1, False),
        ("b.txt", 2, True),
        ("c.txt", 1, True),
    ]
    assert [row.error and row.error.code for row in rows] == [None, None, "E106", "E000"]
    with pytest.raises(FormatError, match=r"b\.txt") as raised:
        write_text(convert(sentences.dataframe(), on_error="keep"), tmp_path / "all")
    assert raised.value.code == "E106"


def test_what_no_file_can_hold_is_an_error(spark: Any, tmp_path: Path) -> None:
    morpheme = '{"form": "%s", "morphemes": [{"form": "%s", "tag": "NNG"}]}'
    lines = [f'{{"eojeols": [{morpheme % (form, form)}]}}\n' for form in ("가", "\\ud800", "다")]
    (tmp_path / "in.jsonl").write_text("".join(lines), encoding="utf-8")
    table = convert(read_sentences(spark, tmp_path / "in.jsonl", "jsonl"), on_error="keep")
    assert [row.text is None for row in table.orderBy("number").collect()] == [False, True, False]
    with pytest.raises(FormatError, match=r"U\+D800"):
        write_text(table, tmp_path / "all")
    assert command("convert", *KEEP, tmp_path / "in.jsonl", tmp_path / "one") == 1


def test_tables(spark: Any, root: Path, tmp_path: Path) -> None:
    """Documents as Parquet, in any order; sentences as Parquet, in any order."""
    texts = {
        name: (root / "samples" / name).read_text(encoding="utf-8")
        for name in ("sejong.txt", "sejong-ids.txt", "sejong-senses.txt")
    }
    rows = [
        (name, at, text)
        for name, whole in texts.items()
        for at, text in enumerate(whole.split("\n\n"))
    ]
    expected = ""
    for name in sorted(texts):
        assert command("convert", root / "samples" / name, tmp_path / "one") == 0
        expected += (tmp_path / "one").read_text(encoding="utf-8")
    Random(1).shuffle(rows)
    table = spark.createDataFrame(rows, "document string, number int, text string")
    table.write.parquet(str(tmp_path / "documents"))
    documents = from_table(spark.read.parquet(str(tmp_path / "documents")), partitions=2)
    write_text(convert(documents), tmp_path / "all")
    assert written(tmp_path / "all") == expected

    documents.dataframe().repartition(3).write.parquet(str(tmp_path / "frames"))
    frames = spark.read.parquet(str(tmp_path / "frames"))
    write_text(convert(in_order(frames, 3)), tmp_path / "again")
    assert written(tmp_path / "again") == expected

    with pytest.raises(UsageError, match="no column text"):
        from_table(table.select("document", "number"))
    with pytest.raises(UsageError, match="no column path, format, sent_id"):
        convert(table)


TEXT = "나는 집에 간다.\n너는\t안  가니?\n\n하늘이 푸르다\n\n\n비가 오면 우산을 쓰세욥ㅋㅋ!\n"


def test_analysis(spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(TEXT * 6, encoding="utf-8")
    sentences = read_sentences(spark, source, "text", split_size=200)
    assert sentences.table.rdd.getNumPartitions() > 2
    write_text(analyze(sentences, level=4), tmp_path / "all")
    assert command("analyze", "--level", "4", source, tmp_path / "one") == 0
    expected = (tmp_path / "one").read_text(encoding="utf-8")
    assert written(tmp_path / "all") == expected

    paragraphs = read_sentences(spark, source, "text", split=True)
    write_text(analyze(paragraphs), tmp_path / "split")
    assert command("analyze", "--split", source, tmp_path / "one") == 0
    assert written(tmp_path / "split") == (tmp_path / "one").read_text(encoding="utf-8")

    # Any table of texts will do; it has no first sentence to say which Kiwi it was.
    lines = [("a", at, line) for at, line in enumerate(TEXT.splitlines(), 1) if line]
    table = spark.createDataFrame(lines, "path string, number bigint, text string")
    rows = analyze(table, level=4).orderBy("number").collect()
    assert rows[1].text in expected.replace("# sent_id = 3\n", "# sent_id = 4\n")
    assert rows[1].text.startswith("# sent_id = 2\n")


def test_dependencies(spark: Any, root: Path, tmp_path: Path) -> None:
    source = root / "samples" / "ud.conllu"
    there = run(read_sentences(spark, source, TREEBANK), DependencyConversion("word2morph"))
    write_text(there, tmp_path / "morphemes")
    assert command("dep", "word2morph", source, tmp_path / "one") == 0
    assert written(tmp_path / "morphemes") == (tmp_path / "one").read_text(encoding="utf-8")
    back = run(
        read_sentences(spark, tmp_path / "one", TREEBANK), DependencyConversion("morph2word")
    )
    write_text(back, tmp_path / "words")
    assert written(tmp_path / "words") == source.read_text(encoding="utf-8")


def test_the_command(
    spark: Any, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    # The session is that of all tests here.
    monkeypatch.setattr(type(spark), "stop", lambda _: None)
    source, folder = root / "samples" / "sejong.txt", tmp_path / "all"
    assert main(["spark", "convert", str(source), str(folder), "-l", "3", "--upos", "ud"]) == 0
    assert command("convert", "-l", "3", "--upos", "ud", source, tmp_path / "one") == 0
    assert written(folder) == (tmp_path / "one").read_text(encoding="utf-8")
    said = capsys.readouterr().err
    assert f"22 sentences in {folder}, " in said
    assert main(["spark", "convert", str(source), str(folder)]) == 1
    assert "File exists" in capsys.readouterr().err
    faults = [str(root / "samples" / "sejong-faults.txt"), str(tmp_path / "faults")]
    assert main(["spark", "convert", *faults]) == 1
    assert not (tmp_path / "faults").exists()
    assert main(["spark", "convert", *faults, "--on-error", "keep", "-q"]) == 1
    assert command("convert", *KEEP, faults[0], tmp_path / "one") == 1
    assert written(tmp_path / "faults") == (tmp_path / "one").read_text(encoding="utf-8")


def test_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spark", "script"]) == 0
    path = Path(capsys.readouterr().out.rstrip("\n"))
    assert (path.name, path.is_file()) == ("submit.py", True)


def test_without_java(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed (the extra spark)")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert main(["spark", "convert", "a", "b"]) == 1
    assert "Spark needs Java" in capsys.readouterr().err


def test_wrong_usage_is_said_at_once(spark: Any, root: Path, tmp_path: Path) -> None:
    source = root / "samples" / "sejong.txt"
    sentences = read_sentences(spark, source)
    with pytest.raises(UsageError, match="no format xml"):
        read_sentences(spark, source, "xml")
    with pytest.raises(UsageError, match="from_table"):
        read_sentences(spark, "s3://bucket/a.txt")
    with pytest.raises(UsageError, match="no file to read"):
        read_sentences(spark, tmp_path)
    with pytest.raises(FileNotFoundError):
        read_sentences(spark, tmp_path / "nothing.txt")
    with pytest.raises(UsageError, match="no format xml"):
        convert(sentences, to="xml")
    with pytest.raises(UsageError, match="shifts the numbers"):
        convert(sentences, to="sejong", on_error="skip")
    with pytest.raises(UsageError, match="not never"):
        convert(sentences, on_error="never")
    with pytest.raises(FileExistsError):
        write_text(convert(sentences), tmp_path)


def test_patterns_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.txt", "a.txt", "c.tsv", ".hidden.txt", "_SUCCESS"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    files = spark_room._files
    assert files(tmp_path / "*.txt") == [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    assert files("*.txt") == ["a.txt", "b.txt"]
    assert files(["c.tsv", "*.txt", "a.txt"]) == ["a.txt", "b.txt", "c.tsv"]
    assert files(".") == ["a.txt", "b.txt", "c.tsv"]
