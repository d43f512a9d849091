"""Every kind of corpus is read by every command that reads sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sejongud
from sejongud.terminal import counted

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SENTENCES = {
    "samples/sejong.txt": 22,
    "samples/jsonl.jsonl": 2,
    "samples/expected/sejong.3.conllu": 22,
    "samples/klue-ner.tsv": 8,
    "samples/naver-ner.tsv": 8,
    "samples/framenet.tsv": 6,
    "tests/data/ner/kips.txt": 2,
    "tests/data/ner/etri.json": 1,
    "tests/data/ner/brat.ann": 3,
    "samples/learner.m2": 12,
    "samples/learner.xml": 3,
    "samples/expected/learner.jsonl": 12,
}
COMMANDS = {
    "convert": ("{}", "-"),
    "generate": ("{}", "-"),
    "validate": ("{}",),
    "stats": ("{}",),
    "show": ("{}", "--limit", "1"),
    "grep": ("form=/./", "{}"),
    "report": ("{}",),
}
"""The arguments of each command that writes to standard output."""


@pytest.mark.parametrize("name", SENTENCES)
def test_every_command_reads_every_corpus(cli: Cli, root: Path, name: str) -> None:
    path = str(root / name)
    count = SENTENCES[name]
    said = {
        command: cli(command, *[path if word == "{}" else word for word in words])
        for command, words in COMMANDS.items()
    }
    assert {command: done.returncode for command, done in said.items()} == dict.fromkeys(said, 0)
    assert all([done.stdout for command, done in said.items() if command != "validate"])
    for command in ("convert", "generate", "validate"):
        assert f"\n{counted(count, 'sentence[s]')}, ".encode() in b"\n" + said[command].stderr
    assert len(list(sejongud.read(path))) == count


@pytest.mark.parametrize("name", ["samples/learner.m2", "samples/expected/learner.jsonl"])
def test_corrections_come_back_from_every_level(cli: Cli, root: Path, name: str) -> None:
    path = root / name
    done = cli("validate", "--roundtrip", "--select", "E9", path)
    row = done.stdout.decode().splitlines()[1].split()
    assert (done.returncode, row[:5]) == (0, ["gec", "level", "1-5", "12", "12"])


def test_convert_writes_edits_as_gec_convert_does(cli: Cli, root: Path, tmp_path: Path) -> None:
    path = root / "samples" / "learner.m2"
    assert cli("convert", path, "a.conllu").returncode == 0
    assert cli("gec", "convert", path, "-o", "b.conllu", "--to", "conllu").returncode == 0
    made = (tmp_path / "a.conllu").read_bytes()
    assert b"# m2 = A 2 4|||WS|||" in made
    assert made == (tmp_path / "b.conllu").read_bytes()
