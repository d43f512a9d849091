"""Kill commands at random moments, and see what they leave behind.

    python benchmarks/kills.py --kills 225 --seed 1

Each command writes for some seconds and gets one of five signals at a random moment: all of its
processes do, as from a terminal, or the first of them alone. Half of the runs have an output from
before. The output must then be the one from before, or whole, or absent where there was none; no
process may go on; and whatever else is left must be gone after the next run. The script prints a
line for each command and signal, and which files were left and which of them the next run cleared.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGKILL")
COMMANDS = {
    "convert": "convert --no-progress long.txt out",
    "convert --jobs 2": "convert --no-progress --jobs 2 long.txt out",
    "dep word2morph": "dep word2morph --no-progress in.conllu out",
    "ner eoj2morph": "ner eoj2morph --no-progress --morphemes entities.txt entities.tsv out",
    "report": "report --no-progress --limit 500 in.txt out.html",
    "release": "release --no-progress recipe.toml out",
    "validate --jobs 2": "validate --no-progress --jobs 2 --log out in.txt",
}
INPUTS = {
    "in.txt": ("sejong-ids.txt", 900),
    "long.txt": ("sejong-ids.txt", 2_000),
    "in.conllu": ("ud.conllu", 2_500),
    "entities.tsv": ("naver-ner.tsv", 1_500),
    "entities.txt": ("naver-ner.txt", 1_500),
    "release.txt": ("sejong.txt", 150),
}
RECIPE = """name = "killed"
title = "Killed"
version = "1.0"
licence = "MIT"
authors = ["an author"]
[[inputs]]
name = "a"
path = "release.txt"
outputs = { conllu = [1, 5], jsonl = [5] }
"""
OURS = re.compile(rb'File "[^"]*sejongud/(?:[^"]*)", line \d+, in (?!<module>)')
"""A line of a traceback from the program's own functions."""
RANDOM_PARTS = re.compile(r"(?<=\.)[0-9a-f]{8,}(?=\.)|(?<=pymp-)\w+|(?<=sejongud-)\w+")
END = 20
"""Seconds within which the processes must end."""


class Kill(NamedTuple):
    """What a killed run left."""

    command: str
    signal: str
    ended: bool
    """Whether the run had ended before the signal came."""
    output: str
    """`none`, `before` or `whole`; `HALF` is a fault."""
    faults: tuple[str, ...]
    cleared: tuple[str, ...]
    stays: tuple[str, ...]


def lay_out(place: Path) -> None:
    """Write the inputs, in a folder with a place for temporary files."""
    (place / "tmp").mkdir(parents=True)
    work = place / "work"
    work.mkdir()
    for name, (sample, times) in INPUTS.items():
        (work / name).write_bytes((SAMPLES / sample).read_bytes() * times)
    (work / "recipe.toml").write_text(RECIPE, encoding="utf-8")


def start(place: Path, words: list[str]) -> subprocess.Popen[bytes]:
    """Begin a command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "sejongud", *words],
        cwd=place / "work",
        env={**os.environ, "TMPDIR": str(place / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def words_of(command: str) -> list[str]:
    """The arguments of a command; they let it replace what is there, where it must be told."""
    words = COMMANDS[command].split()
    names = words[:2] if words[0] in ("dep", "ner") else words[:1]
    asked = [sys.executable, "-m", "sejongud", *names, "--help"]
    told = subprocess.run(asked, capture_output=True, check=True).stdout
    return [*words, "--force"] if b"--force" in told else words


def out_of(command: str) -> str:
    return next(word for word in COMMANDS[command].split() if word.startswith("out"))


def digest(path: Path) -> str:
    """What a file or a folder holds, "" if there is none."""
    if not path.exists():
        return ""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    found = [f"{file}\0".encode() + file.read_bytes() for file in files if file.is_file()]
    return hashlib.sha256(b"".join(found)).hexdigest()


def listing(place: Path) -> set[str]:
    """The files and folders that stand beside the output, and the temporary ones."""
    return {
        f"{folder}/{path.name}" for folder in ("work", "tmp") for path in (place / folder).iterdir()
    }


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def is_group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


class Command(NamedTuple):
    """A command that can be killed."""

    name: str
    words: list[str]
    whole: str
    """The digest of its output."""
    took: float


def measure(place: Path, name: str) -> Command:
    """Run a command to its end."""
    words = words_of(name)
    begin = time.perf_counter()
    process = start(place, words)
    _, said = process.communicate()
    took = time.perf_counter() - begin
    out = place / "work" / out_of(name)
    assert process.returncode in (0, 1), said.decode()
    assert out.exists(), said.decode()
    whole = digest(out)
    remove(out)
    return Command(name, words, whole, took)


def kill(place: Path, command: Command, name: str, has_before: bool, random: Random) -> Kill:
    """Kill a run, and see what is left."""
    out = place / "work" / out_of(command.name)
    remove(out)
    before = ""
    if has_before and command.name == "release":
        _, said = start(place, command.words).communicate()
        before = digest(out)
        assert before, said.decode()
    elif has_before:
        out.write_text("what was there before\n", encoding="utf-8")
        before = digest(out)
    there = listing(place) | {f"work/{out.name}"}
    faults = []
    process = start(place, command.words)
    time.sleep(random.uniform(0.1, 1.1) * command.took)
    ended = process.poll() is not None
    number = getattr(signal, name)
    with suppress(ProcessLookupError):
        (os.killpg if random.random() < 0.5 else os.kill)(process.pid, number)
    try:
        _, said = process.communicate(timeout=END)
    except subprocess.TimeoutExpired:
        faults.append(f"no end within {END} s")
        os.killpg(process.pid, signal.SIGKILL)
        _, said = process.communicate()
    if OURS.search(said):
        faults.append("a traceback")
    until = time.monotonic() + END
    while is_group_alive(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    if is_group_alive(process.pid):
        faults.append("a process goes on")
        os.killpg(process.pid, signal.SIGKILL)
    found = digest(out)
    output = {before: "before", command.whole: "whole", "": "none"}.get(found, "HALF")
    if output == "HALF" or (output == "none" and has_before):
        faults.append(f"output: {output}")
    if output == "none" and process.returncode == 0:
        faults.append("status 0 and no output")
    left = listing(place) - there
    stays: set[str] = set()
    if left:
        _, said = start(place, command.words).communicate()
        stays = listing(place) - there
        if digest(out) != command.whole:
            faults.append("the next run has another output")
        for path in stays:
            remove(place / path)
    names = [
        tuple(sorted({RANDOM_PARTS.sub("*", path) for path in some}))
        for some in (left - stays, stays)
    ]
    return Kill(command.name, name, ended, output, tuple(faults), *names)


def table(kills: list[Kill]) -> str:
    """A line for each command and signal, and the files that were left."""
    columns = ("kills", "too late", "none", "before", "whole", "left", "stays", "faults")
    rows = [f"{'command':18} {'signal':8}" + "".join([f"{name:>9}" for name in columns])]
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in kills:
        for key in ((one.command, one.signal), ("all", "")):
            counts[key].update(["kills", one.output])
            counts[key]["too late"] += one.ended
            counts[key]["left"] += bool(one.cleared or one.stays)
            counts[key]["stays"] += bool(one.stays)
            counts[key]["faults"] += bool(one.faults)
    for key, count in counts.items():
        if key[0] != "all":
            rows.append(f"{key[0]:18} {key[1]:8}" + "".join([f"{count[c]:9}" for c in columns]))
    rows.append(f"{'all':27}" + "".join([f"{counts['all', ''][c]:9}" for c in columns]))
    titles = {"cleared": "left, and cleared by the next run", "stays": "left, and stays"}
    for kind in ("cleared", "stays", "faults"):
        found = [(one.command, one.signal, name) for one in kills for name in getattr(one, kind)]
        rows.append(f"\n{titles.get(kind, kind)}:" + ("" if found else " none"))
        for (command, name, what), times in sorted(Counter(found).items()):
            rows.append(f"  {times:3} × {command}, {name}: {what}")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=225, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", default=",".join(COMMANDS), metavar="NAMES")
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
        # A shell has its background processes ignore them, and so would the commands.
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        lay_out(place)
        commands = [measure(place, name) for name in arguments.commands.split(",")]
        for command in commands:
            print(f"{command.name}: {command.took:.1f} s", file=sys.stderr)
        ways = list(product(commands, SIGNALS, (False, True)))
        kills = []
        for at in range(arguments.kills):
            command, name, has_before = ways[at % len(ways)]
            kills.append(kill(place, command, name, has_before, random))
            if kills[-1].faults:
                print(f"{at}: {kills[-1]}", file=sys.stderr, flush=True)
    kills.sort(key=lambda one: (list(COMMANDS).index(one.command), SIGNALS.index(one.signal)))
    print(table(kills))
    return 1 if any([one.faults or one.stays for one in kills]) else 0


if __name__ == "__main__":
    sys.exit(main())
