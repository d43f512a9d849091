"""Spark on one machine beside the command: the same bytes, at which rate.

    pip install 'sejongud[spark]'        # and a Java 17
    python benchmarks/spark.py TREEBANK.conllu … [--sentences 200000] [--texts 5000] [--rounds 3]

The sentences of the treebanks, as Sejong text without ids, shuffled and repeated, are converted to
level 5 by `sejongud convert --jobs 1` and `--jobs 2` and by Spark with two workers, in turns; then
some of them, as raw text, are analysed by `sejongud analyze` with one thread of Kiwi and with two,
and by Spark. Seconds are by the clock and, for a machine that has other things to do, of the
processor: what all processes used. Both are the best of the rounds. The starts of Python are part
of those of the command; the start of Spark's session is told apart, as is its first round, in which
Java compiles what it runs. The outputs are compared by their SHA-256.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import sejongud
from sejongud.formats.sejong import SejongWriter
from sejongud.spark import analyze, convert, read_sentences, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PROCESSORS = 2


def make_texts(treebanks: list[str], sentences: int, texts: int, folder: Path) -> tuple[Path, Path]:
    """Sejong text and raw text of so many sentences."""
    writer = SejongWriter()
    found = []
    for treebank in treebanks:
        for sentence in sejongud.read(treebank, on_error="skip"):
            # What Sejong text has no place for, and ids, of which a shuffled file has too many.
            sentence.comments = sentence.entities = sentence.ids = ()
            sentence.text_orig, sentence.sent_id = "", str(sentence.number)
            found.append((writer.sentence(sentence), sentence.text))
    random = Random(1)
    chosen = [
        one for _ in range(-(-sentences // len(found))) for one in random_order(found, random)
    ]
    annotated, raw = folder / "sejong.txt", folder / "raw.txt"
    annotated.write_text("".join([text for text, _ in chosen[:sentences]]), encoding="utf-8")
    raw.write_text("".join([f"{text}\n" for _, text in chosen[:texts]]), encoding="utf-8")
    return annotated, raw


def random_order(items: list[Any], random: Random) -> list[Any]:
    return random.sample(items, len(items))


def digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest()


class Processors(Thread):
    """What this process and all below it use, also those that nobody waits for (Linux)."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ended = Event()
        self._before = self._used()
        self._after = dict(self._before)

    def run(self) -> None:
        while not self._ended.wait(0.2):
            self._after |= self._used()

    def seconds(self) -> float:
        """End, and say how many they were since the beginning."""
        self._ended.set()
        self.join()
        self._after |= self._used()
        ticks = sum([used - self._before.get(key, 0) for key, used in self._after.items()])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _used(self) -> dict[tuple[int, str], int]:
        """Processes, which began when they did, and what each of them has used by itself."""
        above: dict[int, int] = {}
        found: dict[tuple[int, str], int] = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                try:
                    cells = (folder / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # It has ended meanwhile.
                above[int(folder.name)] = int(cells[1])
                found[int(folder.name), cells[19]] = int(cells[11]) + int(cells[12])
        return {key: used for key, used in found.items() if self._is_below(key[0], above)}

    def _is_below(self, process: int, above: dict[int, int]) -> bool:
        while process in above and process != os.getpid():
            process = above[process]
        return process == os.getpid()


def session(folder: Path) -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local[{PROCESSORS}]").appName("sejongud")
    settings = {
        "spark.driver.memory": "2g",
        "spark.local.dir": str(folder / "spark"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


class Table:
    """What was measured, by name."""

    def __init__(self, sentences: int) -> None:
        self.sentences = sentences
        self.rounds: dict[str, list[tuple[float, float]]] = {}
        self.digests: dict[str, str] = {}

    def measure(self, name: str, work: Callable[[], Iterable[Path]]) -> None:
        processors = Processors()
        processors.start()
        begun = time.perf_counter()
        paths = work()
        took = time.perf_counter() - begun
        self.rounds.setdefault(name, []).append((took, processors.seconds()))
        found = digest(paths)
        if self.digests.setdefault(name, found) != found:
            raise SystemExit(f"{name} gave two outputs")

    def show(self) -> None:
        print(f"{self.sentences:,} sentences", "clock", "sentences/s", "processor", sep="\t")
        for name, rounds in self.rounds.items():
            took, used = (min(column) for column in zip(*rounds, strict=True))
            rate = f"{self.sentences / took:,.0f}"
            print(name, f"{took:.2f}", rate, f"{used:.2f}", sep="\t")
        same = len(set(self.digests.values())) == 1
        for name, found in self.digests.items():
            print(f"{found[:16]}  {name}")
        print("the same bytes:", "yes" if same else "NO", flush=True)


def command(*args: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "sejongud", *map(str, args)], check=True)


def with_command(name: str, jobs: int, source: Path, target: Path) -> list[Path]:
    command(name, "-q", "--force", "--jobs", str(jobs), source, target)
    return [target]


def with_spark(spark: Any, name: str, source: Path, target: Path) -> list[Path]:
    shutil.rmtree(target, ignore_errors=True)
    if name == "convert":
        written = convert(read_sentences(spark, source, "sejong"))
    else:
        written = analyze(read_sentences(spark, source, "text"))
    write_text(written, target)
    return sorted(target.glob("part-*"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", nargs="+", help="CoNLL-U, such as UD Korean GSD")
    parser.add_argument("--sentences", type=int, default=200_000)
    parser.add_argument("--texts", type=int, default=5_000, help="sentences for Kiwi")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        annotated, raw = make_texts(args.treebank, args.sentences, args.texts, folder)
        begun = time.perf_counter()
        spark = session(folder)
        print(f"start of Spark: {time.perf_counter() - begun:.1f} s")
        for what, source, count in (
            ("convert", annotated, args.sentences),
            ("analyze", raw, args.texts),
        ):
            table = Table(count)
            target = folder / what
            table.measure("Spark, first", lambda: with_spark(spark, what, source, target))  # noqa: B023
            for _ in range(args.rounds):
                for jobs in (1, 2):
                    label = f"{what} --jobs {jobs}"
                    one = folder / "one.conllu"
                    table.measure(label, lambda: with_command(what, jobs, source, one))  # noqa: B023
                table.measure("Spark", lambda: with_spark(spark, what, source, target))  # noqa: B023
            table.show()
        spark.stop()


if __name__ == "__main__":
    main()
