"""How many trees a second are read and converted, beside NLTK's reader, and with which memory.

    pip install 'sejongud[benchmarks]'
    python benchmarks/trees.py KLUE-DP.tsv [--trees 50000] [--repeat 3]

The trees are those of KLUE-DP (`sejongud tree from-dependencies`), again and again with other
nouns, so that no tree is like another. Each run is a process of its own; rates are by the
processor's time, start-up included, medians of `--repeat`. The memory is the process's highest,
with a fifth of the trees and with all of them: it must not grow with the file.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

KEEP = ("--on-error", "keep")
COMMANDS = {
    "nltk: Tree.fromstring": ("read", "nltk", "{mrg}"),
    "formats.brackets: read": ("read", "brackets", "{mrg}"),
    "tree from-dependencies: KLUE-DP": ("tree", "from-dependencies", *KEEP, "{tsv}", "{out}"),
    "tree strip: brackets": ("tree", "strip", "--functions", "{mrg}", "{out}"),
    "tree level: treebank, level 3": ("tree", "level", "--level", "3", "{txt}", "{out}"),
    "convert: treebank → CoNLL-U": ("convert", "{txt}", "{out}"),
    "convert: CoNLL-U → treebank": ("convert", "--to", "treebank", "{conllu}", "{out}"),
    "tree extract: CoNLL-U, level 3": ("tree", "extract", "--level", "3", "{conllu}", "{out}"),
    "tree attach: brackets, CoNLL-U": ("tree", "attach", "{mrg}", "{conllu}", "{out}"),
    "tree dependencies: treebank": ("tree", "dependencies", "{txt}", "{out}"),
}


def read(way: str, path: Path) -> None:
    """Read all trees and keep none."""
    with path.open(encoding="utf-8") as lines:
        if way == "nltk":
            from nltk import Tree

            deque(map(Tree.fromstring, lines), maxlen=0)
        else:
            from sejongud.formats import brackets

            deque(brackets.read(lines), maxlen=0)


def sejongud(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "sejongud", *map(str, arguments), "-q", "--force"]
    subprocess.run(command, check=False, stderr=subprocess.DEVNULL)


def varied(text: str, count: int) -> Iterator[str]:
    """Yield sentences of KLUE-DP again and again, with other nouns first in their eojeols."""
    blocks = [block.split("\n") for block in text.split("\n\n") if block.strip()]
    rows = [[line.split("\t") for line in block if line[:1] != "#"] for block in blocks]
    nouns = [row[2].split(" ")[0] for block in rows for row in block if begins_with_noun(row)]
    other = random.Random(1)
    for at in range(count):
        yield f"## trees_{at}\n"
        for row in rows[at % len(rows)]:
            if begins_with_noun(row):
                old, new = row[2].split(" ")[0], other.choice(nouns)
                row = [row[0], *[new + cell.removeprefix(old) for cell in row[1:3]], *row[3:]]
            yield "\t".join(row) + "\n"
        yield "\n"


def begins_with_noun(row: list[str]) -> bool:
    if len(row) < 4 or row[3].split("+")[0] not in ("NNG", "NNP"):
        return False
    return row[1].startswith(row[2].split(" ")[0])


def make(treebank: Path, count: int, folder: Path) -> dict[str, Path]:
    """Write the trees in all formats and return the files."""
    names = ("tsv", "mrg", "txt", "conllu")
    files = {name: folder / f"{count}.{name}" for name in names}
    with files["tsv"].open("w", encoding="utf-8") as out:
        out.writelines(varied(treebank.read_text(encoding="utf-8"), count))
    formats = {"mrg": "brackets", "txt": "treebank", "conllu": "conllu"}
    for name, to in formats.items():
        made = ("tree", "from-dependencies", files["tsv"], files[name], "--to", to)
        sejongud(*made, "--root", "TOP", "--on-error", "keep")
    return files


def measured(arguments: tuple[str, ...], files: dict[str, Path]) -> tuple[float, float]:
    """Return the processor's time of a process in seconds, and its highest memory in MB."""
    given = [one.format(**files, out=os.devnull) for one in arguments]
    if given[0] == "read":
        command = [sys.executable, __file__, "--read", given[1], given[2]]
    else:
        command = [sys.executable, "-m", "sejongud", *given, "-q"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--trees", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read, arguments.treebank)
        return
    with tempfile.TemporaryDirectory() as folder:
        few, many = (
            make(arguments.treebank, count, Path(folder))
            for count in (arguments.trees // 5, arguments.trees)
        )
        print("", "trees/s", "beside nltk", "MB, a fifth", "MB, all", sep="\t")
        of_nltk = 0.0
        for name, command in COMMANDS.items():
            _, memory = measured(command, few)
            runs = [measured(command, many) for _ in range(arguments.repeat)]
            rate = arguments.trees / median([seconds for seconds, _ in runs])
            of_nltk = of_nltk or rate
            most = max([own for _, own in runs])
            row = (f"{rate:,.0f}", f"{rate / of_nltk:.2f}", f"{memory:.0f}", f"{most:.0f}")
            print(name, *row, sep="\t", flush=True)


if __name__ == "__main__":
    main()
