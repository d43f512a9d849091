"""How fast word2morph and morph2word are, beside udapi reading and writing the same file.

    pip install udapi
    python benchmarks/dep_speed.py TREEBANK.conllu [--runs 3]

Words of the treebank a second, in one process, from file to file, everything that happens for the
file counted (nothing is remembered from the run before) and the start of Python left out. The best
of the runs. The published program does 10,000 to 17,000 (reference: its own measurement).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sejongud.errors import Report
from sejongud.files import Source
from sejongud.pipeline import DependencyConversion, convert_stream

if TYPE_CHECKING:
    from collections.abc import Callable


def count_words(path: Path) -> int:
    with path.open(encoding="utf-8") as lines:
        return sum(line.partition("\t")[0].isdecimal() for line in lines)


def run(conversion: DependencyConversion, source: Path, target: Path) -> None:
    with Source(source) as opened, target.open("w", encoding="utf-8", newline="\n") as out:
        convert_stream(conversion, opened, out, Report())


def run_udapi(source: Path, target: Path) -> None:
    from udapi.block.read.conllu import Conllu as Reader
    from udapi.block.write.conllu import Conllu as Writer
    from udapi.core.document import Document

    document = Document()
    Reader(files=str(source)).process_document(document)
    with target.open("w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        Writer().process_document(document)


def best(function: Callable[[], None], runs: int) -> float:
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        function()
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    words = count_words(arguments.treebank)
    directory = Path(tempfile.mkdtemp())
    morphemes = directory / "morphemes.conllu"
    back = directory / "words.conllu"
    jobs: list[tuple[str, Callable[[], None]]] = []
    for scheme in ("ud", "morphud"):
        split = DependencyConversion("word2morph", scheme=scheme)
        jobs.append(
            (
                f"word2morph --scheme {scheme}",
                lambda split=split: run(split, arguments.treebank, morphemes),  # type: ignore[misc]
            )
        )
    jobs.append(("morph2word", lambda: run(DependencyConversion("morph2word"), morphemes, back)))
    print(f"{words:,} words")
    print("", "words/s", "seconds", "peak MB", sep="\t")
    for name, job in jobs:
        seconds = best(job, arguments.runs)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(name, f"{words / seconds:,.0f}", f"{seconds:.2f}", f"{peak:.0f}", sep="\t")
    same = back.read_bytes() == arguments.treebank.read_bytes()
    print("back to the byte:", "yes" if same else "no")
    with contextlib.redirect_stderr(io.StringIO()):
        seconds = best(lambda: run_udapi(arguments.treebank, back), arguments.runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("udapi read, write", f"{words / seconds:,.0f}", f"{seconds:.2f}", f"{peak:.0f}", sep="\t")


if __name__ == "__main__":
    main()
