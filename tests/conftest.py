"""What the tests share: where things are, and the command line."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

import pytest
from hypothesis import settings
from portions import EXAMPLES

from sejongud.__main__ import main
from sejongud.morphology import kiwi
from sejongud.validation import round_trip, trips

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# The machine may be busy: how long one example takes says nothing about the code.
settings.register_profile("sejongud", deadline=None, max_examples=EXAMPLES)
settings.load_profile("sejongud")


def pytest_configure() -> None:
    """Let signals end the processes that tests start.

    A shell's background job ignores SIGINT and SIGQUIT, and a run under `nohup` ignores SIGHUP; a
    process inherits that.
    """
    for name in ("SIGQUIT", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)  # Windows has SIGINT alone.
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            is_interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if is_interrupt else signal.SIG_DFL)


def pytest_sessionstart() -> None:
    """Collect no garbage while tests are collected: a million objects stay, and none is garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def _nothing_old_is_collected() -> None:
    """Conversions collect garbage, and need not look through what all modules before have left."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _frozen_objects_are_not_counted() -> Iterator[None]:
    """Every conversion asks whether anything is frozen, and Python counts a million objects."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "get_freeze_count", lambda: 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def _processes_share_bytecode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the many processes that are started compile every module once, whatever the settings."""
    if not sys.dont_write_bytecode:
        # It stands beside the modules already.
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_slow_that_no_test_sees() -> Iterator[None]:
    """No crash of the machine is waited for, nor a translation of argparse looked for in files.

    Round trips of small files take little memory, and need not look through what all tests hold.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(round_trip, "gc", SimpleNamespace(collect=lambda: None))
        patch.setattr(argparse, "_", str)
        patch.setattr(argparse, "ngettext", lambda one, more, count: one if count == 1 else more)
        yield


@pytest.fixture(scope="session", autouse=True)
def _kiwi_is_loaded_once() -> Iterator[None]:
    """Share one Kiwi, whose analyses are the same with any number of threads."""
    whole = kiwi._kiwi
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kiwi, "_kiwi", lambda _: whole(-1))
        yield


@pytest.fixture
def few_trips(monkeypatch: pytest.MonkeyPatch) -> None:
    """Round trips to two levels, for pages of examples: tests/test_round_trip.py makes all."""
    monkeypatch.setattr(trips, "LEVELS", (1, 5))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the tree."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real corpora and the outputs of other programs, beside the tree; not everybody has them."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside the tree")
    return SHARED


class Done(subprocess.CompletedProcess[bytes]):
    """A command that has ended, and what it wrote."""

    def text(self, status: int = 0) -> str:
        """What went to standard output, of a command that must end with this status."""
        assert self.returncode == status, self.stderr.decode()
        return self.stdout.decode()

    def told(self, status: int = 0) -> str:
        """What went to standard error, of a command that must end with this status."""
        assert self.returncode == status, self.stderr.decode()
        return self.stderr.decode()

    def told_only(self, status: int = 2) -> str:
        """What went to standard error, of a command that must end so and print nothing else."""
        assert (self.returncode, self.stdout) == (status, b""), self.stderr.decode()
        return self.stderr.decode()


class Cli(Protocol):
    """Run `sejongud` with these arguments and this standard input."""

    def __call__(
        self, *args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> Done: ...


@pytest.fixture
def process(tmp_path: Path) -> Cli:
    """The command line as a process of its own in `tmp_path`; output is bytes."""

    def run(*args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Done:
        ended = subprocess.run(
            [sys.executable, "-m", "sejongud", *map(str, args)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            check=False,
            timeout=300,
        )
        return Done(ended.args, ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture
def cli(tmp_path: Path, process: Cli) -> Cli:
    """The command line in `tmp_path`, run in this process where it starts none; output is bytes."""

    def run(*args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Done:
        if "--jobs" in args and args[args.index("--jobs") + 1] != "1":
            return process(*args, stdin=stdin, env=env)
        with pytest.MonkeyPatch.context() as patch, TemporaryFile() as given:
            given.write(stdin)
            given.seek(0)
            out, err = BytesIO(), BytesIO()
            for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
                patch.setattr(sys, name, TextIOWrapper(cast("BinaryIO", stream), encoding="utf-8"))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            patch.chdir(tmp_path)
            try:
                status = main([str(argument) for argument in args])
            except SystemExit as ending:
                status = cast("int", ending.code)
            for text in (sys.stdout, sys.stderr):
                text.flush()
            return Done(args, status, out.getvalue(), err.getvalue())

    return run
