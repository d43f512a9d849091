from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sejongud import process
from sejongud.files import atomic_output
from sejongud.process import clear, temporary_folder, undisturbed, unfinished_file

ANY = re.compile(".*")


class EndedError(Exception):
    """The process would have ended."""


@pytest.fixture(autouse=True)
def _ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(status: int) -> None:
        raise EndedError(status)

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def names(folder: Path) -> list[str]:
    return sorted([path.name for path in folder.iterdir()])


def test_a_signal_removes_files_and_folders(tmp_path: Path) -> None:
    with temporary_folder() as folder, atomic_output(tmp_path / "out") as stream:
        (folder / "below").mkdir()
        (folder / "below" / "file").write_text("a")
        stream.write("a")
        assert len(names(tmp_path)) == 2
        with pytest.raises(EndedError, match="143"):
            process.end(signal.SIGTERM)
        assert names(tmp_path) == []
        # The process is still there only in this test.
        Path(str(tmp_path / "out")).write_text("")
        hidden = next(iter(reversed(process._paths)))
        hidden.write_text("")
    assert names(tmp_path) == ["out"]


def test_a_temporary_folder_ends_with_its_block(tmp_path: Path) -> None:
    with temporary_folder() as folder:
        (folder / "file").write_text("a")
    assert names(tmp_path) == []


def test_a_signal_waits_for_a_change_of_several_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    with pytest.raises(EndedError, match="130"), undisturbed():
        with undisturbed():
            process.end(signal.SIGINT)
            steps.append(1)
        steps.append(2)
    assert steps == [1, 2]
    monkeypatch.setattr(process, "_late", 0)


def test_what_a_dead_process_left_is_cleared(tmp_path: Path) -> None:
    names_of_dead = [".out.0123456789ab.tmp", "sejongud-0123456789ab"]
    others = [".out.0123456789ab.tmpx", ".out2.0123456789ab.tmp", "sejongud-0123456789abc"]
    (tmp_path / names_of_dead[0]).write_text("half")
    (tmp_path / names_of_dead[1]).mkdir()
    (tmp_path / names_of_dead[1] / "file").write_text("half")
    (tmp_path / ".out.00000000000a.tmp").symlink_to("nowhere")
    for name in others:
        (tmp_path / name).write_text("of somebody else")
    with atomic_output(tmp_path / "out") as stream:
        stream.write("whole")
    with temporary_folder():
        assert names_of_dead[1] not in names(tmp_path)
    assert names(tmp_path) == sorted([*others, ".out.00000000000a.tmp", "out"])


def test_what_a_process_still_writes_stays(tmp_path: Path) -> None:
    with temporary_folder() as folder, unfinished_file(tmp_path / "a") as raw:
        clear(tmp_path, ANY)
        assert names(tmp_path) == sorted(["a", folder.name])
        # The lock outlives the stream.
        raw.close()
        clear(tmp_path, ANY)
        assert names(tmp_path) == sorted(["a", folder.name])
    assert names(tmp_path) == []


def test_without_locks_nothing_is_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "fcntl", None)
    (tmp_path / ".out.0123456789ab.tmp").write_text("half")
    with atomic_output(tmp_path / "out") as stream, temporary_folder():
        stream.write("whole")
    assert names(tmp_path) == [".out.0123456789ab.tmp", "out"]


WRITING = """
import sys
from sejongud.files import atomic_output
for number in range(300):
    with atomic_output("out") as stream:
        stream.write(sys.argv[1] * 1000)
"""


def test_processes_that_write_one_file_do_not_clear_each_others(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITING, name], cwd=tmp_path) for name in "abc"
    ]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() in [name * 1000 for name in "abc"]
