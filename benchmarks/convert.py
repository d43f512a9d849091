"""How fast `sejongud convert` and `analyze` are, with which memory, beside other programs.

    python benchmarks/convert.py TREEBANK.conllu [--simon FILE …] [--runs 5]

measures, each run in a process of its own and without its start-up (imports and tables, which are
reported apart):

    (a) the sentences of the treebank as Sejong text, once;
    (b) the same, shuffled and repeated to a million eojeols;
    (c) every file that `--simon` names (see simon.py), also with `--jobs 2`;
    conllu and pyconll reading and writing the first `--rows` rows of what (b) wrote;
    `analyze` and Kiwi alone on the text of the treebank, 2 workers each.

All of it is Sejong text → level 5, to a file. Figures are medians: seconds of the clock, and of the
processor, by which the rates are reckoned, as other work on the machine moves them less; memory is
the largest resident set. `--jobs 2` can only be timed by the clock.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import sejongud
from sejongud.converters.jobs import Conversion
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.formats.sejong import SejongWriter
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATED = 1_000_000
WORKERS = 2


class Run(NamedTuple):
    """What one run took, and what it did."""

    clock: float
    processor: float
    megabytes: float
    eojeols: int
    rows: int


# --- what is measured, in a process of its own ----------------------------------------------------


def convert(path: str, out: str, jobs: int = 1, reader: str = "sejong") -> int:
    """Convert a file; how many eojeols it has."""
    options = {"workers": WORKERS} if reader == "text" else {}
    with Source(path) as source, Path(out).open("w", encoding="utf-8", newline="\n") as stream:
        conversion = Conversion(reader, path=path, reader_options=options)
        return convert_stream(conversion, source, stream, Report(), jobs=jobs).words


def convert_with_two_jobs(path: str, out: str) -> int:
    return convert(path, out, jobs=2)


def analyze(path: str, out: str) -> int:
    return convert(path, out, reader="text")


def kiwi(path: str, _out: str) -> int:
    """What Kiwi needs to say of every eojeol what `analyze` writes of it."""
    from kiwipiepy import Kiwi

    analyser = Kiwi(num_workers=WORKERS, integrate_allomorph=False)
    next(iter(analyser.tokenize(["나는 간다."])))
    begin_again()
    with Path(path).open(encoding="utf-8") as lines:
        for _ in analyser.tokenize(lines):
            pass
    return 0


def conllu(path: str, out: str) -> int:
    from conllu import parse_incr

    with (
        Path(path).open(encoding="utf-8") as stream,
        Path(out).open("w", encoding="utf-8") as written,
    ):
        for sentence in parse_incr(stream):
            written.write(sentence.serialize())
    return 0


def pyconll(path: str, out: str) -> int:
    from pyconll.load import load_from_file

    loaded = load_from_file(path)
    with Path(out).open("w", encoding="utf-8") as written:
        loaded.write(written)
    return 0


WORKS: dict[str, Callable[[str, str], int]] = {
    work.__name__: work for work in (convert, convert_with_two_jobs, analyze, kiwi, conllu, pyconll)
}

_begun: tuple[float, float] = (0.0, 0.0)


def begin_again() -> None:
    """What was done until now was start-up."""
    global _begun
    _begun = time.perf_counter(), time.process_time()


def work(name: str, path: str, out: str) -> None:
    """Do one run, and print what it took."""
    if name == "analyze":
        # Load Kiwi.
        small = Path(out).with_suffix(".small")
        small.write_text("나는 간다.\n", encoding="utf-8")
        analyze(str(small), out)
    elif name.startswith("convert"):
        Conversion("sejong").make_reader()
        Conversion("sejong").make_writer()
    begin_again()
    eojeols = WORKS[name](path, out)
    took = time.perf_counter() - _begun[0], time.process_time() - _begun[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([*took, peak, eojeols]))


# --- measuring ------------------------------------------------------------------------------------


def rows_of(path: Path) -> int:
    """How many rows a CoNLL-U file has."""
    with path.open("rb") as lines:
        return sum(line[:1].isdigit() for line in lines)


def measure(name: str, path: Path, out: Path, runs: int) -> Run:
    """The medians of some runs."""
    found = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--work", name, str(path), str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout))
    rows = rows_of(out) if name.startswith("convert") else 0
    clock, processor, megabytes, eojeols = (
        statistics.median(column) for column in zip(*found, strict=True)
    )
    return Run(clock, processor, megabytes, int(eojeols), rows)


def report(label: str, run: Run, rows: int = 0) -> None:
    rows = rows or run.rows
    figures = [f"{label:28}", f"{run.clock:8.2f} s", f"{run.processor:8.2f} s"]
    figures.append(f"{run.megabytes:6.0f} MB")
    figures.append(f"{run.eojeols / run.processor:11,.0f} eojeols/s" if run.eojeols else " " * 21)
    if rows:
        figures.append(f"{rows / run.processor:11,.0f} rows/s")
    print(" ".join(figures), flush=True)


def start_up(runs: int, *arguments: str) -> float:
    """Seconds of the clock that a run of the command takes that has nothing to do."""
    found = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "sejongud", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        found.append(time.perf_counter() - begin)
    return statistics.median(found)


def make_texts(treebank: str, directory: Path) -> tuple[Path, Path, Path]:
    """The treebank as Sejong text; shuffled and repeated; and as raw text."""
    writer = SejongWriter()
    sentences = []
    texts = []
    eojeols = 0
    for sentence in sejongud.read(treebank, on_error="skip"):
        # What Sejong text has no place for, and ids, of which a shuffled file has too many.
        sentence.comments = ()
        sentence.text_orig, sentence.sent_id = "", str(sentence.number)
        sentences.append(writer.sentence(sentence))
        texts.append(sentence.text + "\n")
        eojeols += len(sentence.eojeols)
    once, often, raw = (directory / name for name in ("once.txt", "often.txt", "raw.txt"))
    once.write_text("".join(sentences), encoding="utf-8")
    raw.write_text("".join(texts), encoding="utf-8")
    random = Random(1)
    with often.open("w", encoding="utf-8") as stream:
        for _ in range(-(-REPEATED // eojeols)):
            random.shuffle(sentences)
            stream.write("".join(sentences))
    return once, often, raw


def first_rows(path: Path, target: Path, rows: int) -> int:
    """Copy the first sentences of a file, up to about so many rows; how many they are."""
    with path.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        out.writelines(islice(lines, rows))
        for line in lines:
            out.write(line)
            if line == "\n":
                break
    return rows_of(target)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("treebank", help="CoNLL-U, such as the training part of UD Korean GSD")
    parser.add_argument("--simon", nargs="*", default=[], metavar="FILE", help="of simon.py")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300_000, help="for conllu and pyconll")
    args = parser.parse_args()
    runs = args.runs
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        out = directory / "out.conllu"
        print(f"sejongud --version           {start_up(runs, '--version'):8.3f} s")
        print(f"sejongud convert, no input   {start_up(runs, 'convert', '-q'):8.3f} s")
        print(f"{'':28} {'clock':>10} {'processor':>10} {'peak':>9}")
        once, often, raw = make_texts(args.treebank, directory)
        report("(a) treebank once", measure("convert", once, out, runs))
        repeated = measure("convert", often, out, runs)
        report("(b) treebank repeated", repeated)
        part = directory / "part.conllu"
        rows = first_rows(out, part, args.rows)
        ours = repeated.rows / repeated.processor
        for peer in ("conllu", "pyconll"):
            run = measure(peer, part, out, runs)
            report(f"    {peer}, {rows:,} rows", run, rows)
            print(f"    sejongud writes {ours / (rows / run.processor):.1f} times as many rows")
        for path in map(Path, args.simon):
            alone = measure("convert", path, out, runs)
            report(f"(c) {path.name}", alone)
            # Its workers are no children of the process: their part cannot be seen from there.
            together = measure("convert_with_two_jobs", path, out, runs)
            ratio = alone.clock / together.clock
            print(f"    --jobs 2 {together.clock:27.2f} s, {ratio:.2f} times as fast by the clock")
        analysed, without = (measure(name, raw, out, runs) for name in ("analyze", "kiwi"))
        report("analyze", analysed)
        report("Kiwi alone", without)
        print(f"    analyze takes {analysed.clock / without.clock - 1:+.1%} by the clock")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main()
