"""Standard streams that cannot be written: a closed pipe, a full disk, a closed descriptor."""

from __future__ import annotations

import io
import os
import re
import resource
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import pytest
from cases import cases
from small import RECIPE, fill

from sejongud.__main__ import main
from sejongud.arguments import homes

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = cases("streams")

RUNS = CASES["RUNS"]
"""A run of each command, with a named file where the command writes any."""

WRITING = RUNS | {
    "grep": "grep tag=N* sejong-faults.txt -o out",
    "freq": "freq sejong-faults.txt -o out",
    "ner split": "ner split klue-ner.tsv -o parts",
    "stats": "stats sejong-faults.txt --on-error keep --log incidents",
    "dep": "dep word2morph ud.conllu out",
    "gec clean": "gec clean learner.raw.txt out",
    "gec parallel": "gec parallel -orig learner.source.txt -cor learner.target.txt -lang ko -out o",
}
for _name in ("spark", "rules", "completion", "serve"):
    del WRITING[_name]
"""A run of each command that writes a file, of some several."""


class Result(NamedTuple):
    """What a run did."""

    status: int
    out: bytes
    said: bytes
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def samples(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    fill(folder, root / "samples")
    return folder


@pytest.fixture
def folder(samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the samples, from which each run takes away what it has made."""
    monkeypatch.chdir(samples)
    return samples


def run(line: str, folder: Path, out: TextIO | None = None, err: TextIO | None = None) -> Result:
    """Run a command in this process on these streams, and take away the files that it made."""
    before = set(folder.rglob("*"))
    streams = out, err
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        for stream in filter(None, streams):
            stack.enter_context(stream)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            status = main(line.split())
        except SystemExit as ending:
            assert isinstance(ending.code, int)
            status = ending.code
        written, said = map(_text, streams)
    made = sorted(set(folder.rglob("*")) - before, reverse=True)
    files = {str(path.relative_to(folder)): path.read_bytes() for path in made if path.is_file()}
    for path in made:
        path.rmdir() if path.is_dir() else path.unlink()
    return Result(status, written, said, files)


UNDISTURBED: dict[str, Result] = {}


def undisturbed(name: str, folder: Path) -> Result:
    """Run a command of `RUNS` on streams that can be written; once for all tests."""
    if name not in UNDISTURBED:
        UNDISTURBED[name] = run(RUNS[name], folder, kept(), kept())
    return UNDISTURBED[name]


def _text(stream: TextIO | None) -> bytes:
    """Return the bytes that a stream has kept."""
    if stream is None or not isinstance(stream.buffer, io.BytesIO):
        return b""
    stream.flush()
    return stream.buffer.getvalue()


def kept() -> TextIO:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def unread() -> TextIO:
    """Return a pipe whose reader has gone away."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w", encoding="utf-8")


def full() -> TextIO:
    return Path("/dev/full").open("w", encoding="utf-8")


def test_every_command_is_run() -> None:
    assert [line.split()[0] for line in RUNS.values()] == list(homes())


@pytest.mark.parametrize("name", RUNS)
def test_standard_error_decides_nothing(name: str, folder: Path) -> None:
    usual = undisturbed(name, folder)
    # What a stream refuses is told of in one place: each command has one of the kinds.
    stream = (unread, full, lambda: None)[list(RUNS).index(name) % 3]
    found = run(RUNS[name], folder, kept(), stream())
    assert found == usual._replace(said=b"")
    assert usual.out or usual.files


@pytest.mark.parametrize("name", RUNS)
def test_a_closed_pipe_leaves_every_named_file(name: str, folder: Path) -> None:
    usual = undisturbed(name, folder)
    found = run(RUNS[name], folder, unread(), kept())
    assert found.files == usual.files
    # A run that writes a named file goes on, and may find errors in the data.
    assert found.status in (0, usual.status)
    assert usual.said.startswith(found.said)


@pytest.mark.parametrize(
    ("name", "stream", "reason"),
    [
        *[(name, full, b"No space left on device") for name in RUNS],
        *[(name, lambda: None, b"Bad file descriptor") for name in ("convert", "validate", "gec")],
    ],
)
def test_data_that_cannot_be_written(
    name: str, stream: Callable[[], TextIO | None], reason: bytes, folder: Path
) -> None:
    usual = undisturbed(name, folder)
    found = run(RUNS[name], folder, stream(), kept())
    if usual.out:
        assert found.status == 1
        assert found.said.endswith(b"sejongud: standard output: " + reason + b"\n")
    else:
        assert found == usual


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_leaves_no_half_of_a_file(name: str, folder: Path) -> None:
    same = WRITING[name] == RUNS.get(name)
    usual = undisturbed(name, folder) if same else run(WRITING[name], folder, kept(), kept())
    # A limit on the size of files is as good as a full disk; SIGXFSZ is ignored by Python.
    size = max(map(len, usual.files.values())) - 1
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        found = run(WRITING[name], folder, kept(), kept())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert found.status == 1
    assert re.search(rb"sejongud: (?!\S*\.[0-9a-f]{12}\.)\S+: File too large\n$", found.said)
    # Several files appear one after the other, each of them whole.
    assert found.files.items() < usual.files.items()


@pytest.mark.parametrize("line", ["--version", "--versions", "--help", "convert --help"])
def test_help_that_cannot_be_written(line: str, folder: Path) -> None:
    assert run(line, folder, full(), kept())[:3] == (
        1, b"", b"sejongud: standard output: No space left on device\n"
    )  # fmt: skip
    assert run(line, folder, unread(), kept())[:3] == (0, b"", b"")


@pytest.mark.parametrize("ending", ["2>&1 | head -n 1", "2>&- >&-", "2>/dev/full"])
def test_a_process_without_standard_error(ending: str, folder: Path, tmp_path: Path) -> None:
    usual = run("convert sejong.txt out -q", folder, kept(), kept())
    line = f"{sys.executable} -m sejongud convert sejong.txt {tmp_path}/out {ending}"
    line += "; echo ${PIPESTATUS[0]}"
    found = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=True)
    assert found.stdout.endswith(b"0\n")
    assert (tmp_path / "out").read_bytes() == usual.files["out"]


def test_a_named_pipe_without_a_reader_is_an_error(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    found = run(f"convert -q sejong.txt /dev/fd/{writer}", folder, kept(), kept())
    os.close(writer)
    assert found.status == 1
    assert found.said == f"sejongud: /dev/fd/{writer}: Broken pipe\n".encode()


DAMAGED = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n" * 4 + "가\t가/\n\n"
"""Sejong text whose last sentence cannot be read."""
ERROR = b"damaged.txt:13: E103 expected form/TAG, found '\xea\xb0\x80/': every morpheme needs a"


@pytest.mark.parametrize(
    "line",
    [
        "convert damaged.txt out --on-error skip",
        "stats damaged.txt --on-error skip",
        "report damaged.txt page.html",
        "report damaged.txt page.html --on-error skip",
        "show damaged.txt --limit 0 --on-error skip",
        "show damaged.txt 9 --on-error skip",
        "release damaged.toml out",
    ],
)
def test_an_error_that_decides_the_exit_is_said(line: str, folder: Path) -> None:
    (folder / "damaged.txt").write_text(DAMAGED, encoding="utf-8")
    recipe = RECIPE.replace("sejong.txt", "damaged.txt") + 'on_error = "skip"\n'
    (folder / "damaged.toml").write_text(recipe)
    found = run(f"{line} -q", folder, kept(), kept())
    assert found.status == (2 if "show damaged.txt 9" in line else 1)
    assert ERROR in found.said
    assert found.said.count(b"E103 expected") == 1


@pytest.mark.parametrize("command", ["show", "validate", "stats", "report"])
def test_the_error_that_ends_a_run_is_in_the_report(command: str, folder: Path) -> None:
    (folder / "damaged.txt").write_text(DAMAGED, encoding="utf-8")
    line = f"{command} damaged.txt --limit 0" if command == "show" else f"{command} damaged.txt"
    found = run(f"{line} --on-error stop --log faults", folder, kept(), kept())
    assert found.status == 1
    assert found.files["faults"].count(b"E103") == 1
    assert b"E103" in found.out + found.said or b"every morpheme needs" in found.said
