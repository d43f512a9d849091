"""How fast `sejongud ner` is and with which memory: morphemes given, and by Kiwi beside Kiwi alone.

    python benchmarks/ner_speed.py KLUE-NER.tsv

The sentences of a KLUE-NER file, with entities of eojeols in the layout of NAVER, are repeated to
`--sentences` (90,000, the size of NAVER's corpus) and to half as many. Each run is a process of its
own that has done a small conversion before, so that start-up is no part of it. Morphemes given: one
process, a file of Sejong text beside the corpus. With Kiwi: `--analysed` sentences, 2 workers, by
the clock and by the processor; eoj2morph on the corpus in NAVER's layout, syl2morph on KLUE's own.
Figures are medians of `--runs`; memory is the largest resident set.
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

from sejongud.__main__ import main as sejongud

WORKERS = "2"


def blocks(path: Path) -> list[str]:
    """The sentences of a file, without comments."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join([line for line in lines if not line.startswith("# ")])
    return [f"{block}\n\n" for block in text.split("\n\n") if block.strip()]


def repeated(sentences: list[str], count: int, path: Path) -> Path:
    """Write so many sentences, beginning again as often as needed."""
    with path.open("w", encoding="utf-8") as out:
        for done in range(0, count, len(sentences)):
            out.writelines(islice(sentences, count - done))
    return path


# --- what is measured, in a process of its own ----------------------------------------------------


def kiwi(path: str) -> int:
    """What Kiwi needs for every eojeol that `ner` has it analyse."""
    from kiwipiepy import Kiwi

    analyser = Kiwi(num_workers=int(WORKERS), integrate_allomorph=False)
    next(iter(analyser.tokenize(["나는 간다."])))
    begin = time.perf_counter(), time.process_time()
    with Path(path).open(encoding="utf-8") as lines:
        for _ in analyser.tokenize(lines):
            pass
    took = time.perf_counter() - begin[0], time.process_time() - begin[1]
    print(json.dumps([*took, 0]))
    return 0


def work(small: list[str], arguments: list[str]) -> int:
    """Do one run of the command, and print what it took."""
    sejongud(small)
    begin = time.perf_counter(), time.process_time()
    status = sejongud(arguments)
    took = time.perf_counter() - begin[0], time.process_time() - begin[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([*took, peak]))
    return status


# --- measuring ------------------------------------------------------------------------------------


def measure(runs: int, *arguments: str) -> list[float]:
    """Medians of seconds by the clock, seconds of the processor, and megabytes."""
    found = []
    for _ in range(runs):
        command = [sys.executable, __file__, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return [statistics.median(column) for column in zip(*found, strict=True)]


def prepare(arguments: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "sejongud", *arguments], capture_output=True, check=False)


def command(action: str, source: Path, out: Path, *options: str | Path) -> list[str]:
    return ["ner", action, "-q", "--force", *map(str, options), str(source), str(out)]


def report(label: str, run: list[float], eojeols: int) -> None:
    clock, processor, megabytes = run
    figures = f"{clock:7.2f} s {processor:7.2f} s {megabytes:5.0f} MB"
    print(f"{label:34} {figures} {eojeols / processor:9,.0f} eojeols/s", flush=True)


def rows(sentences: list[str]) -> int:
    """How many eojeols sentences have."""
    return sum([len(sentence.split("\n")) - 2 for sentence in sentences])


def surface(sentence: str) -> str:
    """A sentence of NAVER's layout as raw text."""
    return " ".join([row.split("\t")[1] for row in sentence.split("\n") if row]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="KLUE-NER")
    parser.add_argument("--sentences", type=int, default=90_000)
    parser.add_argument("--analysed", type=int, default=9_000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        klue, naver, text, out = (directory / part for part in ("klue", "naver", "text", "out"))
        # In processes of their own: what they need is not to count as need of what is measured.
        prepare(command("syl2morph", args.corpus, klue))
        prepare(command("morph2eoj", klue, naver, "--to", "naver"))
        prepare(["convert", "-q", "--to", "sejong", str(klue), str(text)])
        labels, morphemes = blocks(naver), blocks(text)
        few = repeated(labels, 9, directory / "few"), repeated(morphemes, 9, directory / "few.txt")
        first = json.dumps(command("eoj2morph", few[0], out, "--morphemes", few[1]))
        corpus, forth, back = (directory / part for part in ("corpus", "forth", "back"))
        print(f"{'':34} {'clock':>9} {'processor':>9} {'peak':>8}")
        for count in (args.sentences // 2, args.sentences):
            times, rest = divmod(count, len(labels))
            eojeols = times * rows(labels) + rows(labels[:rest])
            repeated(labels, count, corpus)
            given = "--morphemes", repeated(morphemes, count, directory / "morphemes")
            run = measure(
                args.runs, "--work", first, json.dumps(command("eoj2morph", corpus, forth, *given))
            )
            report(f"eoj2morph, {count:,} sentences", run, eojeols)
            run = measure(args.runs, "--work", first, json.dumps(command("morph2eoj", forth, back)))
            report(f"morph2eoj, {count:,} sentences", run, eojeols)
            same = back.read_bytes() == corpus.read_bytes()
            print(f"    {'identical to' if same else 'NOT'} what was given")

        raw = directory / "raw"
        originals = blocks(args.corpus)
        for action, given in (("eoj2morph", labels), ("syl2morph", originals)):
            repeated(given, args.analysed, corpus)
            # The same sentences for both: KLUE's have their eojeols in NAVER's layout as well.
            texts = map(surface, blocks(repeated(labels, args.analysed, directory / "surfaces")))
            raw.write_text("".join(texts), encoding="utf-8")
            repeated(given, 9, few[0])
            options = ["--jobs", WORKERS, "--from", "klue-ner"][: 2 if given is labels else 4]
            first = json.dumps(command(action, few[0], out, *options))
            run = measure(
                args.runs, "--work", first, json.dumps(command(action, corpus, out, *options))
            )
            kiwi_run = measure(args.runs, "--kiwi", str(raw))
            shares = [of / kiwi - 1 for of, kiwi in zip(run[:2], kiwi_run[:2], strict=True)]
            print(f"{action} with Kiwi, {args.analysed:,} sentences", end=" ")
            print(f"{run[0]:.2f} s, {run[1]:.2f} s, {run[2]:.0f} MB; Kiwi alone", end=" ")
            print(f"{kiwi_run[0]:.2f} s, {kiwi_run[1]:.2f} s:", end=" ")
            print("{:+.1%} by the clock, {:+.1%} by the processor".format(*shares))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        sys.exit(work(*map(json.loads, sys.argv[2:])))
    if sys.argv[1:2] == ["--kiwi"]:
        sys.exit(kiwi(sys.argv[2]))
    main()
