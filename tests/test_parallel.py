from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from sejongud.errors import FormatError, SejongudError
from sejongud.process.parallel import ordered_map

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A worker imports the function it runs, so these stand in a module of their own.
WORK = """
import os, signal, time
from sejongud.errors import FormatError

offset = 0

def set_offset(number):
    global offset
    offset = number

def add(number):
    return number + offset

def slow_if_even(number):
    time.sleep(0.02 * (number % 2 == 0))
    return number

def fail_at_3(number):
    if number == 3:
        raise FormatError("three", path="a.txt", line=7, column=1, text="3")
    return number

def die_at_3(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number

def process(number):
    return os.getpid()

def sleep(seconds):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(seconds)
"""

MAIN = """
import sys
from sejongud.process.parallel import ordered_map
from work_of_the_test import sleep

if __name__ == "__main__":
    try:
        list(ordered_map(sleep, [60] * 9, 2))
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "work_of_the_test.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("work_of_the_test")
    del sys.modules["work_of_the_test"]


@pytest.fixture
def sleeping(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A process group of its own that maps in two workers, and their ids."""
    (tmp_path / "work_of_the_test.py").write_text(WORK)
    (tmp_path / "main.py").write_text(MAIN)
    with subprocess.Popen(
        [sys.executable, tmp_path / "main.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            workers = [int(process.stdout.readline()) for _ in range(2)]
            yield process, workers
        finally:
            process.kill()


def ended(process: int, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_order_is_kept(work: Any, jobs: int) -> None:
    assert list(ordered_map(work.slow_if_even, range(30), jobs)) == list(range(30))


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_items(work: Any, jobs: int) -> None:
    assert list(ordered_map(work.add, [], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_initializer(work: Any, jobs: int) -> None:
    results = ordered_map(work.add, [1, 2], jobs, initializer=partial(work.set_offset, 40))
    assert list(results) == [41, 42]


def test_one_job_is_this_process(work: Any) -> None:
    assert set(ordered_map(work.process, range(9), 1)) == {os.getpid()}


def test_jobs_are_processes(work: Any) -> None:
    processes = set(ordered_map(work.process, range(9), 2))
    assert os.getpid() not in processes
    assert len(processes) <= 2


def test_all_processors(work: Any) -> None:
    assert list(ordered_map(work.add, range(9), 0)) == list(range(9))


@pytest.mark.parametrize("jobs", [1, 2])
def test_error_comes_in_its_place(work: Any, jobs: int) -> None:
    results = ordered_map(work.fail_at_3, range(30), jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(FormatError) as caught:
        next(results)
    assert (caught.value.line, caught.value.text, caught.value.message) == (7, "3", "three")


@pytest.mark.parametrize("jobs", [1, 2])
def test_error_of_the_items_comes_in_its_place(work: Any, jobs: int) -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise FormatError("the end")

    results = ordered_map(work.slow_if_even, items(), jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(FormatError, match="the end"):
        next(results)


def test_items_are_not_taken_far_ahead(work: Any) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(1, 1001):
            taken = number
            yield number

    results = ordered_map(work.add, items(), 2)
    for done in range(1, 101):
        assert next(results) == done
        assert taken - done <= 6
    results.close()  # type: ignore[attr-defined]
    assert taken <= 107


def test_killed_worker(work: Any) -> None:
    with pytest.raises(SejongudError, match="fewer --jobs"):
        list(ordered_map(work.die_at_3, range(30), 2))


def test_ctrl_c_is_quiet(sleeping: tuple[subprocess.Popen[str], list[int]]) -> None:
    main, workers = sleeping
    os.killpg(main.pid, signal.SIGINT)
    assert main.stderr is not None
    assert main.stderr.read() == ""
    assert main.wait(10) == 130
    assert all(ended(worker) for worker in workers)


def test_ctrl_c_is_quiet_if_it_reaches_the_workers_first(
    sleeping: tuple[subprocess.Popen[str], list[int]],
) -> None:
    main, workers = sleeping
    for worker in workers:
        os.kill(worker, signal.SIGINT)
    time.sleep(0.5)
    main.send_signal(signal.SIGINT)
    assert main.stderr is not None
    assert main.stderr.read() == ""
    assert main.wait(10) == 130
    assert all(ended(worker) for worker in workers)


def test_workers_end_with_a_killed_parent(
    sleeping: tuple[subprocess.Popen[str], list[int]],
) -> None:
    main, workers = sleeping
    main.kill()
    main.wait()
    assert all(ended(worker) for worker in workers)
