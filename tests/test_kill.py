"""A conversion that is killed leaves no output or a whole one; a closed pipe is quiet.

`SEJONGUD_MOMENTS=20 python -m pytest tests/test_kill.py` kills each conversion twenty times.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from portions import MOMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SENTENCES = 4_000
OURS = re.compile(rb"__main__\.py\", line \d+, in (?!<module>)")
"""A line of a traceback that the program itself should not have printed."""


def start(directory: Path, *options: str) -> subprocess.Popen[bytes]:
    """Begin a conversion in a process group of its own, with a folder for temporary files."""
    (directory / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "sejongud", "convert", "--no-progress", *options, "in", "out"],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(directory / "tmp")},
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A directory with an input that takes a while."""
    directory = tmp_path_factory.mktemp("kill")
    text = (root / "samples" / "sejong.txt").read_text(encoding="utf-8")
    (directory / "in").write_text(text * (SENTENCES // text.count("\n\n")), encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def whole(source: Path) -> tuple[bytes, float]:
    """What comes out if nobody interferes, and how long that takes."""
    begin = time.perf_counter()
    process = start(source)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    took = time.perf_counter() - begin
    out = source / "out"
    text = out.read_bytes()
    out.unlink()
    return text, took


def moments(number: int) -> Iterator[float]:
    """Parts of a run, from before its beginning to after its end."""
    random = Random(number)
    for at in range(MOMENTS):
        yield (at + random.random()) / MOMENTS * 1.2


@pytest.mark.parametrize(
    ("name", "jobs", "before"),
    [
        ("SIGKILL", "2", b"what was there before\n"),
        ("SIGTERM", "1", b"what was there before\n"),
        ("SIGINT", "1", None),
        ("SIGHUP", "2", None),
    ],
)
def test_a_killed_conversion_leaves_no_output_or_a_whole_one(
    source: Path, whole: tuple[bytes, float], name: str, jobs: str, before: bytes | None
) -> None:
    text, took = whole
    number = getattr(signal, name)
    out = source / "out"
    for part in moments(number + int(jobs)):
        out.unlink(missing_ok=True)
        if before is not None:
            out.write_bytes(before)
        process = start(source, "--jobs", jobs)
        time.sleep(part * took)
        # As a terminal does it, to all its processes; what kills one of them kills that one.
        if process.poll() is None:
            (os.kill if name == "SIGKILL" else os.killpg)(process.pid, number)
        _, said = process.communicate(timeout=60)
        if out.exists():
            assert out.read_bytes() in (text, before), f"{name} at {part:.2f} of the run"
        else:
            assert before is None
            assert process.returncode != 0
        if name != "SIGKILL":
            # Until the program has begun, Python says what it says.
            assert not OURS.search(said), said
            assert b"resource_tracker" not in said
            assert [*source.glob(".*"), *(source / "tmp").iterdir()] == []
    # What SIGKILL leaves, the next run clears.
    start(source).communicate(timeout=60)
    assert sorted([path.name for path in source.iterdir()]) == ["in", "out", "tmp"]
    assert list((source / "tmp").iterdir()) == []


def test_a_closed_pipe_is_quiet(source: Path, whole: tuple[bytes, float]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "sejongud", "convert", "--quiet", "in"],
        cwd=source,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline()
    process.stdout.close()
    assert whole[0].startswith(first)
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0
