"""A build that is killed leaves a whole release or none: nothing that verifies and is not whole.

`SEJONGUD_MOMENTS=20 python -m pytest tests/test_release_kill.py` kills each build twenty times.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from portions import MOMENTS

from sejongud.errors import UsageError
from sejongud.release import build, verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECIPE = """
name = "killed"
title = "Killed"
version = "1.0"
licence = "MIT"
authors = ["an author"]
[[inputs]]
name = "ud"
path = "ud.conllu"
converter = "dep word2morph"
outputs = { words = true, conllu = [5], jsonl = [5] }
"""


def start(place: Path) -> subprocess.Popen[bytes]:
    """Begin a build in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "sejongud", "release", "-q", "r.toml", "out"],
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A folder with a recipe and its input."""
    folder = tmp_path_factory.mktemp("kill")
    shutil.copy(root / "samples" / "ud.conllu", folder)
    (folder / "r.toml").write_text(RECIPE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def whole(place: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, float]:
    """The release and its digest, and how long it takes to build."""
    begin = time.perf_counter()
    process = start(place)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    took = time.perf_counter() - begin
    found = verify(place / "out")
    assert found.ok
    built = tmp_path_factory.mktemp("whole") / "out"
    shutil.move(place / "out", built)
    return built, found.digest, took


def moments(number: int) -> Iterator[float]:
    """Parts of a build, from when it begins to write to after its end."""
    random = Random(number)
    for at in range(MOMENTS):
        yield 0.2 + (at + random.random()) / MOMENTS * 0.9


def folders(place: Path) -> list[Path]:
    return [path for path in place.iterdir() if path.is_dir()]


@pytest.mark.parametrize(
    ("name", "before"), [("SIGKILL", True), ("SIGTERM", True), ("SIGINT", False)]
)
def test_what_a_killed_build_leaves_is_whole_or_does_not_verify(
    place: Path, whole: tuple[Path, str, float], name: str, before: bool
) -> None:
    built, digest, took = whole
    number = getattr(signal, name)
    for part in moments(number + before):
        if before and not (place / "out").exists():
            shutil.copytree(built, place / "out")
        elif not before:
            shutil.rmtree(place / "out", ignore_errors=True)
        process = start(place)
        time.sleep(part * took)
        if process.poll() is None:
            os.kill(process.pid, number)
        _, said = process.communicate(timeout=60)
        assert b"Traceback" not in said or b"sejongud/release" not in said, said
        for folder in folders(place):
            try:
                found = verify(folder)
            except UsageError:
                # Nothing in it says that it is a release.
                continue
            assert not found.ok or found.digest == digest, f"{name} at {part:.2f} of the build"
        if name != "SIGKILL":
            assert {path.name for path in place.iterdir()} <= {"out", "r.toml", "ud.conllu"}
        if before:
            # What was there is there still, or again with the next build.
            kept = [path for path in folders(place) if path.name.endswith(("out", ".old"))]
            assert any([verify(path).ok for path in kept])
    assert build(place / "r.toml", place / "out").digest == digest
    assert sorted([path.name for path in place.iterdir()]) == ["out", "r.toml", "ud.conllu"]


STEPS = 6
"""How many of the last steps of a build are looked at one by one."""
SCRIPT = """
import os, shutil, sys
from pathlib import Path
from sejongud.errors import UsageError
from sejongud import release
from sejongud.release import build, verify

release.round_trips = lambda *args, **options: []
ends_at = None
done = 0

def counted(whole):
    def step(*args, **options):
        global done
        if done == ends_at:
            os._exit(9)
        done += 1
        return whole(*args, **options)
    return step

for name in ("mkdir", "rename", "replace", "unlink", "write_bytes"):
    setattr(Path, name, counted(getattr(Path, name)))
shutil.rmtree = counted(shutil.rmtree)
digest = build("r.toml", "out").digest
steps = done
assert steps > int(sys.argv[1])
for ends_at in range(steps - int(sys.argv[1]), steps + 2):
    for before in (False, True):
        done = -10**9
        if not before:
            shutil.rmtree("out")
        done = 0
        child = os.fork()
        if not child:
            build("r.toml", "out")
            os._exit(0)
        _, status = os.waitpid(child, 0)
        done = -10**9
        whole = []
        for folder in [path for path in Path().iterdir() if path.is_dir()]:
            try:
                if (found := verify(folder)).ok:
                    assert found.digest == digest, folder
                    whole.append(folder.name)
            except UsageError:
                pass
        print(ends_at - steps, before, os.waitstatus_to_exitcode(status), sorted(whole))
        assert whole or not before
        assert build("r.toml", "out").digest == digest
        assert sorted(os.listdir()) == ["naver-ner.tsv", "naver-ner.txt", "out", "r.toml"]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_build_that_ends_at_any_of_its_last_steps(root: Path, tmp_path: Path) -> None:
    for name in ("naver-ner.tsv", "naver-ner.txt"):
        shutil.copy(root / "samples" / name, tmp_path)
    recipe = RECIPE.replace("ud.conllu", "naver-ner.tsv").replace(
        'converter = "dep word2morph"\noutputs = { words = true, conllu = [5], jsonl = [5] }',
        'converter = "ner eoj2morph"\nmorphemes = "naver-ner.txt"\noutputs = { iob = [5] }',
    )
    (tmp_path / "r.toml").write_text(recipe, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(STEPS)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # Some ended before they were whole, and some did not end before their time.
    assert " 9 []" in done.stdout
    assert " 9 ['out']" in done.stdout
    assert " 0 ['out']" in done.stdout
