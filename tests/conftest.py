"""What the tests share: where things are, and the command line as a process."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# The machine may be busy: how long one example takes says nothing about the code.
settings.register_profile("sejongud", deadline=None)
settings.load_profile("sejongud")


@pytest.fixture(scope="module", autouse=True)
def _nothing_old_is_collected() -> None:
    """Conversions collect garbage, and need not look through what all modules before have left."""
    gc.collect()
    gc.freeze()


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


class Cli(Protocol):
    """Run `sejongud` with these arguments and this standard input."""

    def __call__(
        self, *args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]: ...


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line, run as a process in `tmp_path`; what comes out are bytes."""

    def run(
        *args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "sejongud", *map(str, args)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            check=False,
            timeout=300,
        )

    return run
