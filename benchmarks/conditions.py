"""Run every command where something is wrong with its streams, folders or names; print a table.

A cell has the exit status and the state of the named files: `whole` as in a usual run, `none` not
written, `other` anything else; in a terminal, the cells of the widest line of data. With
`--messages` the last line of standard error stands below the table for each cell. A read-only
folder binds root only without a capability, which `setpriv` takes away.

`--platforms` prints another table: locales, no home, and a disk that is full when half of the
largest file is written. `--python` names the interpreter, as that of an environment in which
nothing can be written. A cell has `whole` where the data and all files are as in a usual run.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import NamedTuple

from sejongud.terminal import display_width

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import small

SAMPLES = Path(__file__).resolve().parent.parent / "samples"

COMMANDS = {
    "convert": ("convert IN:sejong.txt", "OUT"),
    "analyze": ("analyze IN:text.txt", "OUT"),
    "validate": ("validate IN:sejong-faults.txt", "--log OUT"),
    "stats": ("stats IN:sejong-faults.txt --on-error keep", "--log OUT"),
    "report": ("report IN:sejong.txt --title t", "OUT.html"),
    "show": ("show IN:sejong-faults.txt --limit 0", "--log OUT"),
    "grep": ("grep tag=NNG IN:sejong.txt", "-o OUT"),
    "freq": ("freq IN:sejong.txt", "-o OUT"),
    "eval": ("eval dep IN:ud.conllu IN:ud.conllu", "--confusion depth --picture OUT.png"),
    "ner": ("ner check IN:naver-ner.tsv --morphemes naver-ner.txt", "OUT"),
    "ner split": ("ner split IN:klue-ner.tsv", "-o OUT"),
    "dep": ("dep word2morph IN:ud.conllu", "OUT"),
    "tree": ("tree level IN:treebank-figure.txt", "OUT"),
    "frame": ("frame eoj2morph IN:framenet.tsv --morphemes framenet.txt", "OUT"),
    "generate": ("generate IN:sejong-line.txt", "OUT"),
    "join": ("join IN:sejong.txt IN:sejong.txt", "-o OUT"),
    "gec": ("gec apply IN:learner.m2", "OUT"),
    "gec clean": ("gec clean IN:learner.raw.txt", "OUT"),
    "gec parallel": (
        "gec parallel -lang ko -orig IN:learner.source.txt -cor IN:learner.target.txt",
        "-out OUT",
    ),
    "release": ("release IN:recipe.toml", "OUT"),
    "spark": ("spark script", ""),
    "rules": ("rules", ""),
    "completion": ("completion --help", ""),
}
"""The data of each command, and the arguments that name a file; IN:NAME is an input."""

CP949 = os.fsdecode("한글".encode("cp949"))
"""A name as old archives have it, which is no UTF-8."""

CAPABILITIES = "--bounding-set=-dac_override,-dac_read_search"
NARROW = ["setpriv", CAPABILITIES] if os.geteuid() == 0 else ["env"]

ONLY_NAMED = ("release", "ner split", "gec parallel")
"""The commands that have no data without their file or folder."""

PLATFORMS = {
    "LC_ALL=C": "LC_ALL=C",
    "LC_ALL=C, ASCII streams": "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0",
    "LC_ALL=tr_TR.UTF-8": "LC_ALL=tr_TR.UTF-8",
    "no HOME": "--unset=HOME",
    "HOME is no folder": "HOME=/dev/null",
}
"""The header of a column: what `env` takes."""


class Outcome(NamedTuple):
    """What a run did."""

    status: int
    out: bytes
    said: str
    files: dict[str, bytes]


class Place:
    """A folder with the inputs and an empty folder `w` for the outputs."""

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.folder = folder
        self.program = [python, "-m", "sejongud"]
        small.fill(folder, SAMPLES, small.RECIPE.partition("split")[0])
        for path in [*folder.iterdir()]:
            shutil.copy(path, path.with_name(f"{CP949}-{path.name}"))
        self.work = folder / "w"

    def arguments(
        self, name: str, *, named: bool, out: str = "w/out", prefix: str = ""
    ) -> list[str]:
        """Return the arguments of a command."""
        line, more = COMMANDS[name]
        words = [*line.split(), *(more.split() if named else [])]
        words = [word.replace("IN:", prefix) for word in words]
        return [word.replace("OUT", out) if word[:3] == "OUT" else word for word in words]

    def run(
        self, arguments: list[str], shell: str = "", *before: str, mode: int = 0o755
    ) -> Outcome:
        """Run a command in an empty `w`; `shell` redirects its streams."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(mode=mode)
        command = [*before, "sh", "-c", f'"$@" {shell}', "sh"]
        done = subprocess.run(
            [*command, *self.program, *arguments],
            cwd=self.folder, capture_output=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return Outcome(done.returncode, done.stdout, _last(done.stderr), self._made())

    def run_in_terminal(self, arguments: list[str], columns: int) -> Outcome:
        """Run a command on a terminal; its output stands in `out`."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*self.program, *arguments],
            cwd=self.folder, stdin=side, stdout=side, stderr=subprocess.DEVNULL,
            env={**os.environ, "NO_COLOR": "1"},
        )  # fmt: skip
        os.close(side)
        parts = []
        while True:
            try:
                parts.append(os.read(main, 1 << 16))
            except OSError:  # The last program has left the terminal.
                break
        os.close(main)
        return Outcome(process.wait(), b"".join(parts), "", self._made())

    def _made(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.work)).replace(CP949, "out"): path.read_bytes()
            for path in sorted(self.work.rglob("*"))
            if path.is_file()
        }


def _last(said: bytes) -> str:
    return (said.decode().splitlines() or [""])[-1]


def cell(found: Outcome, usual: Outcome) -> str:
    """Return the status, and the state of the files where the command writes any."""
    if not usual.files:
        return str(found.status)
    state = "none" if not found.files else "whole" if found.files == usual.files else "other"
    return f"{found.status} {state}"


def row(place: Place, name: str) -> tuple[list[str], list[str]]:
    """Return the cells of a command, and the messages."""
    has_file = bool(COMMANDS[name][1])
    named = place.arguments(name, named=has_file)
    printed = place.arguments(name, named=name in ONLY_NAMED)
    usual, data = place.run(named), place.run(printed)
    cells, messages = [], []

    def add(found: Outcome | None, usual: Outcome) -> None:
        cells.append("" if found is None else cell(found, usual))
        messages.append("" if found is None else found.said)

    add(place.run(named, "2>&-"), usual)
    add(place.run(printed, ">&-"), data)
    add(place.run(printed, ">/dev/full"), data)
    # A page, a picture and a release are no device.
    direct = COMMANDS[name][1].endswith("OUT") and name not in ONLY_NAMED
    full = place.run(place.arguments(name, named=True, out="/dev/full")) if direct else None
    add(full, data)
    add(place.run(named, "", *NARROW, mode=0o555) if has_file else None, usual)
    old = place.arguments(name, named=True, out=f"w/{CP949}", prefix=f"{CP949}-")
    found = place.run(old) if has_file else None
    # Reports, pages and manifests hold the names of the inputs.
    if found is not None and found.files.keys() == usual.files.keys():
        found = found._replace(files=usual.files)
    add(found, usual)
    found = place.run_in_terminal(named if name == "report" else printed, 20)
    widest = max([display_width(line) for line in found.out.decode().splitlines()], default=0)
    cells.append(f"{found.status}, {widest} cells")
    return cells, messages


def platform_row(place: Place, name: str) -> tuple[list[str], list[str]]:
    """Return the cells of a command in other environments, and the messages."""
    named = place.arguments(name, named=bool(COMMANDS[name][1]))
    printed = place.arguments(name, named=name in ONLY_NAMED)
    usual, data = place.run(named, "", *NARROW), place.run(printed, "", *NARROW)
    cells, messages = [], []
    for words in PLATFORMS.values():
        found = place.run(named, "", *NARROW, "env", *words.split())
        same = (found.files, place.run(printed, "", *NARROW, "env", *words.split()).out)
        cells.append(f"{found.status} {'whole' if same == (usual.files, data.out) else 'other'}")
        messages.append(found.said)
    if usual.files:
        half = max(map(len, usual.files.values())) // 2
        found = place.run(named, "", *NARROW, "prlimit", f"--fsize={half}")
        cells.append(cell(found, usual))
        messages.append(found.said)
    else:
        cells.append("")
    return cells, messages


HEADER = (
    *("command", "standard error closed", "standard output closed", "standard output full"),
    *("OUT full", "read-only folder", "CP949 names", "20 columns"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", action="store_true", help="print the messages as well")
    parser.add_argument("--platforms", action="store_true", help="print the table of platforms")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the runs")
    args = parser.parse_args()
    header = ("command", *PLATFORMS, "disk full") if args.platforms else HEADER
    print("|", " | ".join(header), "|")
    print("|", " | ".join(["---"] * len(header)), "|", sep="")
    told = []
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), args.python)
        for name in COMMANDS:
            cells, messages = (platform_row if args.platforms else row)(place, name)
            print("|", " | ".join([f"`{name}`", *cells]), "|", flush=True)
            told += [
                f"{name}, {condition}: {message}"
                for condition, message in zip(header[1:], messages, strict=False)
            ]
    if args.messages:
        print("", *told, sep="\n")


if __name__ == "__main__":
    main()
