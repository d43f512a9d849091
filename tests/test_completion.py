"""Completion in shells is made from the parsers."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from sejongud.arguments import homes, whole_parser

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


def test_the_whole_parser_has_every_command() -> None:
    [commands] = [
        action for action in whole_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    ]  # fmt: skip
    assert set(commands.choices) == set(homes())
    assert {"-l", "--scheme", "--log"} <= {
        name for action, _ in whole_parser().declared() for name in action.option_strings
    }


COMPLETED = [
    (("conv",), ["convert"]),
    (("convert", "--lev"), ["--level"]),
    (("convert", "--to", "con"), ["conllu"]),
    (("dep", "word2"), ["word2morph"]),
    (("dep", "word2morph", "--sche"), ["--scheme"]),
    (("convert", "corp"), ["corpus.txt"]),
    (("convert", "-o", "corp"), ["corpus.txt"]),
]


def test_bash(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("shtab", reason="shtab is not installed (the extra completion)")
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    (tmp_path / "script").write_bytes(cli("completion", "bash").stdout)
    (tmp_path / "corpus.txt").touch()
    lines = ["source ./script"]
    for words, _ in COMPLETED:
        typed = " ".join(["sejongud", *words])
        lines += [
            f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; COMPREPLY=(); _shtab_sejongud",
            'echo "${COMPREPLY[@]}"',
        ]
    found = subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, check=True
    )
    assert found.stdout.decode().splitlines() == [" ".join(names) for _, names in COMPLETED]


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_other_shells(shell: str, cli: Cli) -> None:
    pytest.importorskip("shtab", reason="shtab is not installed (the extra completion)")
    assert b"sejongud" in cli("completion", shell).stdout
