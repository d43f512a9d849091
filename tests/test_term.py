"""TERM ends a command within two seconds, whatever it does.

A busy machine has more time; what never ends, or ends by itself, fails.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
import small

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = Path(__file__).parent.parent / "samples"
PATIENCE = 15
"""Seconds that a busy machine may take."""
BEGUN = 0.6
"""Seconds after which a command has begun its work."""
COSTLY = "(a|aa)+$"
"""A pattern that tries millions of ways for `_slow`."""

AT_WORK = {
    "convert of a pipe": ("convert --from sejong - out", "sejong.txt"),
    "convert by two": ("convert --from sejong --jobs 2 - out", "sejong.txt"),
    "convert of many files": ("convert large larger -o folder --jobs 2", ""),
    "analyze": ("analyze - out", "text.txt"),
    "validate": ("validate --roundtrip large", ""),
    "grep": (f"grep form=/{COSTLY}/ slow", ""),
    "eval dep": ("eval dep treebank treebank --bootstrap 1000", ""),
    "gec annotate": ("gec annotate --from parallel source target -o out", ""),
    "release": ("release recipe.toml out", ""),
    "rules": ("convert --from sejong --rules tables marked out", ""),
    "serve": ("serve --no-browser", ""),
}
"""What is run, and the sample that its standard input gives over and over.

One for each kind of work: a pipe, a pool, many files, Kiwi, patterns, numbers, a folder, a page.
"""


def _slow(number: int) -> str:
    """Return a text for which the pattern takes some tenths of a second."""
    return "a" * 27 + f"b{number}"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with inputs that take longer than anybody waits."""
    folder = tmp_path_factory.mktemp("term")
    small.fill(folder, SAMPLES, small.RECIPE.partition("split")[0].replace("sejong.txt", "large"))
    text = (SAMPLES / "sejong.txt").read_text(encoding="utf-8")
    for name in ("large", "larger"):
        (folder / name).write_text(text * 10_000, encoding="utf-8")
    treebank = (SAMPLES / "ud.conllu").read_text(encoding="utf-8")
    (folder / "treebank").write_text(treebank * 8_000, encoding="utf-8")
    slow = [f"{_slow(at)}\t{_slow(at)}/SL\n" for at in range(500)]
    (folder / "slow").write_text("\n".join(slow), encoding="utf-8")
    marked = [f"{_slow(at)}.은\t{_slow(at)}/SL+./SF+은/JX\n" for at in range(500)]
    (folder / "marked").write_text("\n".join(marked), encoding="utf-8")
    (folder / "tables").mkdir()
    table = f"rule\tname\ttags\ttext\tnote\ninside\tslow\t*\t{COSTLY}\t\n"
    (folder / "tables" / "symbols.tsv").write_text(table, encoding="utf-8")
    for name in ("source", "target"):
        text = (SAMPLES / f"learner.{name}.txt").read_text(encoding="utf-8")
        (folder / name).write_text(text * 3_000, encoding="utf-8")
    return folder


def _feed(process: subprocess.Popen[bytes], sample: bytes) -> None:
    """Give a process its input until it ends."""
    assert process.stdin is not None
    with suppress(OSError), process.stdin as stream:
        for part in cycle([sample]):
            stream.write(part)


@pytest.fixture
def started(work: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    """A command that has begun its work."""
    line, sample = AT_WORK[request.param]
    (work / "out").unlink(missing_ok=True)
    with (work / "said").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "sejongud", *line.split()], cwd=work, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said,
            start_new_session=True, env={**os.environ, "TMPDIR": str(work)},
        )  # fmt: skip
    given = (SAMPLES / sample).read_bytes() if sample else b"\n"
    feeder = Thread(target=_feed, args=(process, given))
    feeder.start()
    time.sleep(BEGUN)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    feeder.join()


@pytest.mark.skipif(os.name != "posix", reason="without signals")
@pytest.mark.parametrize("started", AT_WORK, indirect=True)
def test_term_ends_a_command_at_work(started: subprocess.Popen[bytes], work: Path) -> None:
    assert started.poll() is None, (work / "said").read_text(encoding="utf-8")[-500:]
    before = time.perf_counter()
    started.terminate()
    status = started.wait(PATIENCE)
    took = time.perf_counter() - before
    print(f"{took:.2f} s")
    assert status in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert not (work / "out").exists()
    assert [path.name for path in work.iterdir() if path.name[0] == "."] == []
