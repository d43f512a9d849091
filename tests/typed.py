"""Commands as they are typed: the blocks of a page, and a shell in small."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Cli

__all__ = ["Block", "blocks", "run_line"]


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    needs: tuple[str, ...]
    """The packages without which it is left out: the words behind the language."""
    text: str


def blocks(page: str, *languages: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page in some languages.

    >>> list(blocks("```sh spacy\\nls\\n```\\n", "sh"))
    [Block(language='sh', needs=('spacy',), text='ls\\n')]
    """
    for info, text in re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        language, *needs = info.split()
        if language in languages:
            yield Block(language, tuple(needs), text)


def run_line(line: str, folder: Path, cli: Cli) -> bytes:
    """Run a line of a shell block in a folder, `sejongud` in this process; return what it prints.

    Pipes and `> FILE` are known, and patterns of file names. Several processes would do the same
    as one, and each would load Kiwi.

    Raises:
        AssertionError: a command of the line fails.
    """
    command, _, target = line.replace("--jobs 2", "--jobs 1").partition(" > ")
    data = b""
    for stage in command.split(" | "):
        words = shlex.split(stage, comments=True)
        if not words:
            continue
        if words[0] == "sejongud":
            done: subprocess.CompletedProcess[bytes] = cli(*_found(words[1:], folder), stdin=data)
        else:
            # `python` is the one that runs the tests, whatever environment is active.
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-ec", stage],
                input=data,
                capture_output=True,
                cwd=folder,
                env={**os.environ, "PATH": path},
                check=False,
            )
        assert done.returncode == 0, (line, done.stderr.decode())
        data = done.stdout
    if target:
        (folder / target.strip()).write_bytes(data)
    return data


def _found(words: list[str], folder: Path) -> Iterator[str]:
    """Yield the words of a command, patterns replaced by the files that fit them."""
    for word in words:
        fitting = sorted(folder.glob(word)) if set(word) & set("*?[") else []
        yield from [str(path.relative_to(folder)) for path in fitting] or [word]
