"""How fast real files are converted the first time, beside other programs that read and write them.

    python benchmarks/cold.py TREEBANK.conllu [--runs 5] [--only convert dep text analyze start]

Cold is the treebank as it is; warm is the treebank eight times, with ids of its own for each time.
A figure is processor time: the median of some runs, each in a process of its own, of which imports
and tables are no part (but for `start`, which is nothing else). Ours and a peer's take turns.

    convert   CoNLL-U → levels 1 to 5, beside conllu's parse and serialise of the same file
    dep       `dep word2morph` and back, beside udapi's reader and writer of the same file
    text      Sejong text → level 5: without ids, with `# sent_id`, and with a comment beside it,
              beside conllu's parse and serialise of the output; `--simon FILE` (see simon.py) is
              the text, `--eojeols` how many of its eojeols
    analyze   raw text → level 5, beside Kiwi alone with as many workers
    start     the start of Python and 22 sentences, beside `import conllu`
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Work = tuple[str, Path, Path]
"""The name of a work, its input and its output."""
TIMES = 8
WORKERS = 2


def ours(name: str, *arguments: Any, **settings: Any) -> Callable[[str, str], None]:
    """Return the work of a conversion of sejongud.converters.jobs, tables and imports done."""
    from sejongud.converters import jobs
    from sejongud.errors import Report
    from sejongud.files import Source
    from sejongud.pipeline import convert_stream

    conversion = getattr(jobs, name)(*arguments, **settings)

    def run(path: str, out: str) -> None:
        with Source(path) as source, Path(out).open("w", encoding="utf-8", newline="\n") as stream:
            convert_stream(conversion, source, stream, Report())

    # A first run, of a sentence that no file has, loads tables and Kiwi.
    small = Path(tempfile.mkstemp()[1])
    text = {
        "sejong": "뷁뷁이\t뷁뷁/NNP+이/JKS\n\n",
        "text": "나는 간다.\n",
    }.get(arguments[0], "1\t뷁뷁이\t뷁뷁+이\tNOUN\tNNP+JKS\t_\t0\troot\t_\t_\n\n")
    small.write_text(text, encoding="utf-8")
    run(str(small), os.devnull)
    small.unlink()
    return run


def conllu() -> Callable[[str, str], None]:
    from conllu import parse_incr

    def run(path: str, out: str) -> None:
        with Path(path).open(encoding="utf-8") as lines, Path(out).open("w") as written:
            for sentence in parse_incr(lines):
                written.write(sentence.serialize())

    return run


def udapi() -> Callable[[str, str], None]:
    from udapi.block.read.conllu import Conllu as Reader
    from udapi.block.write.conllu import Conllu as Writer
    from udapi.core.document import Document

    def run(path: str, out: str) -> None:
        document = Document()
        with Path(out).open("w") as written, contextlib.redirect_stdout(written):
            with contextlib.redirect_stderr(io.StringIO()):
                Reader(files=path).process_document(document)
            Writer().process_document(document)

    return run


def kiwi() -> Callable[[str, str], None]:
    from kiwipiepy import Kiwi

    analyser = Kiwi(num_workers=WORKERS, integrate_allomorph=False)

    def run(path: str, out: str) -> None:
        with Path(path).open(encoding="utf-8") as lines:
            for _ in analyser.tokenize(lines):
                pass

    next(iter(analyser.tokenize(["나는 간다."])))
    return run


def make(name: str) -> Callable[[str, str], None]:
    """Return the work of a name, ready to run."""
    if name.startswith("convert"):
        return ours("Conversion", "conllu", level=int(name[-1]))
    if name.startswith("text"):
        return ours("Conversion", "sejong", level=5)
    if name == "analyze":
        return ours("Conversion", "text", level=5, reader_options={"workers": WORKERS})
    if name in {"word2morph", "morph2word"}:
        return ours("DependencyConversion", name)
    peers: dict[str, Callable[[], Callable[[str, str], None]]] = {
        "conllu": conllu,
        "udapi": udapi,
        "kiwi": kiwi,
    }
    return peers[name]()


def work(name: str, path: str, out: str) -> None:
    """Do one run in this process, and print its processor time and memory."""
    run = make(name)
    begun = time.process_time()
    run(path, out)
    took = time.process_time() - begun
    # `ru_maxrss` would count what the process that started this one had, before it was replaced.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = int(status.partition("VmHWM:")[2].split()[0])
    print(json.dumps([took, peak / 1024]))


def alternate(runs: int, *works: Work) -> list[tuple[float, float]]:
    """Return the median seconds and megabytes of each of some works, which take turns."""
    figures: list[list[list[float]]] = [[] for _ in works]
    for _ in range(runs):
        for figure, (name, path, out) in zip(figures, works, strict=True):
            command = [sys.executable, __file__, "--work", name, str(path), str(out)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            figure.append(json.loads(done.stdout))
    medians = [[statistics.median(column) for column in zip(*one, strict=True)] for one in figures]
    return [(seconds, megabytes) for seconds, megabytes in medians]


def report(runs: int, label: str, peer: Work, *works: Work) -> None:
    """Print the figures of some works beside those of a peer."""
    (least, memory), *others = alternate(runs, peer, *works)
    print(f"{label}: {peer[0]} {least:.2f} s, {memory:.0f} MB", flush=True)
    for (name, _, _), (seconds, megabytes) in zip(works, others, strict=True):
        ratio = f"{seconds / least:5.2f} of {peer[0]}, {least / seconds:4.1f} times as fast"
        print(f"    {name:13} {seconds:6.2f} s  {ratio}  {megabytes:.0f} MB", flush=True)


def start(runs: int, sample: Path) -> None:
    """Print what a start and 22 sentences take beside `import conllu`."""

    def took(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    both: list[list[float]] = [[], []]
    for _ in range(2 * runs):
        both[0].append(took("-c", "import conllu"))
        both[1].append(took("-m", "sejongud", "convert", "-q", str(sample)))
    peer, mine = map(statistics.median, both)
    print(f"start: {mine:.3f} s, {mine / peer:.2f} of import conllu ({peer:.3f} s)")


def rows(path: Path) -> int:
    with path.open("rb") as lines:
        return sum(line[:1].isdigit() for line in lines)


def repeat(path: Path, target: Path) -> None:
    """Write a treebank eight times, each time with ids of its own."""
    text = path.read_text(encoding="utf-8")
    with target.open("w", encoding="utf-8") as out:
        for number in range(TIMES):
            out.write(text.replace("# sent_id = ", f"# sent_id = {number}-"))


def first_eojeols(path: Path, target: Path, limit: int, comments: str) -> int:
    """Copy the first sentences of Sejong text below comments; how many eojeols they are.

    Args:
        path: the text.
        target: the copy.
        limit: about how many eojeols.
        comments: the lines above each sentence, with a place for its number.
    """
    count = number = 0
    with path.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        starts = True
        for line in lines:
            if starts and line.strip():
                number += 1
                out.write(comments.format(number))
            starts = not line.strip()
            count += not starts
            out.write(line)
            if starts and count >= limit:
                break
    return count


TEXTS = {
    "text bare": "",
    "text ids": "# sent_id = s{}\n",
    "text comments": "# sent_id = s{0}\n# source = {0}\n",
}
"""The comments above each sentence of a text."""


def texts(runs: int, simon: Path, limit: int, folder: Path) -> None:
    """Print what the first eojeols of Sejong text take beside conllu on what is made of them."""
    level5 = folder / "level5"
    works = []
    for name, comments in TEXTS.items():
        path = folder / name
        count = first_eojeols(simon, path, limit, comments)
        works.append((name, path, folder / "out"))
    make("text")(str(path), str(level5))
    label = f"text, {count:,} eojeols, {rows(level5):,} rows"
    report(runs, label, ("conllu", level5, folder / "out"), *works)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = ["convert", "dep", "text", "analyze", "start"]
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--simon", type=Path, help="Sejong text of simon.py")
    parser.add_argument("--eojeols", type=int, nargs="*", default=[125_000, 500_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=kinds, default=kinds)
    args = parser.parse_args()
    runs, only = args.runs, args.only
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warm, out, raw = (folder / name for name in ("warm.conllu", "out", "raw"))
        repeat(args.treebank, warm)
        for label, path in ("cold", args.treebank), ("warm", warm):
            if "convert" in only:
                works = [(f"convert {level}", path, out) for level in range(1, 6)]
                report(runs, f"convert, {label}", ("conllu", path, out), *works)
            if "dep" in only:
                words = folder / "words"
                make("word2morph")(str(path), str(words))
                report(
                    runs,
                    f"dep, {label}",
                    ("udapi", path, out),
                    ("word2morph", path, out),
                    ("morph2word", words, folder / "back"),
                )
                same = (folder / "back").read_bytes() == path.read_bytes()
                print("    back to the byte:", "yes" if same else "no")
        if "text" in only and args.simon:
            for limit in args.eojeols:
                texts(runs, args.simon, limit, folder)
        if "analyze" in only:
            lines = args.treebank.read_text(encoding="utf-8").splitlines()
            sentences = [line[9:] for line in lines if line.startswith("# text = ")]
            raw.write_text("\n".join(sentences) + "\n", encoding="utf-8")
            report(runs, "analyze", ("kiwi", raw, out), ("analyze", raw, out))
        if "start" in only:
            start(runs, Path(__file__).parents[1] / "samples" / "sejong.txt")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main()
