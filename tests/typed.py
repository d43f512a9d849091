"""Commands as they are typed: a folder with the files that they name, and a shell in small."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from small import RECIPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Cli

__all__ = ["Block", "blocks", "lay_out", "run_line"]

_OTHERS = {
    "in.txt": ("sejong.txt", "", ""),
    "a.txt": ("sejong.txt", "", ""),
    "b.txt": ("sejong-ids.txt", "", ""),
    "more.txt": ("sejong-line.txt", "", ""),
    "bg.txt": ("treebank-figure.txt", "", ""),
    "a.conllu": ("ud.conllu", "", ""),
    "b.conllu": ("ud.conllu", "", ""),
    "klue.tsv": ("klue-ner.tsv", "", ""),
    "naver.tsv": ("naver-ner.tsv", "", ""),
    "other.txt": ("naver-ner.tsv", "", ""),
    "kfn.tsv": ("framenet.tsv", "", ""),
    "source.txt": ("learner.source.txt", "", ""),
    "target.txt": ("learner.target.txt", "", ""),
    "one.conllu": ("expected/naver-ner.5.conllu", "", ""),
    "gold.conllu": ("ud.conllu", "", ""),
    "system.conllu": ("ud.conllu", "\tobl\t", "\tnmod\t"),
    "other.conllu": ("ud.conllu", "\tnsubj\t", "\tobj\t"),
    "gold.mrg": ("expected/treebank-figure.5.mrg", "", ""),
    "system.mrg": ("expected/treebank-figure.5.mrg", "(NP-AJT ", "(NP "),
    "gold.tsv": ("naver-ner.tsv", "", ""),
    "system.tsv": ("naver-ner.tsv", "PER_B", "ORG_B"),
    "gold.txt": ("text.txt", "", ""),
    "system.txt": ("text.txt", " 날이 ", " 날 이 "),
    "frames.tsv": ("framenet.tsv", "B-Place", "O"),
    "in.conllu": ("expected/sejong.5.conllu", "# sent_id = 3\n", "# sent_id = dev-s3\n"),
    "system.m2": ("learner.m2", "|||WS|||", "|||SPELL|||"),
}
"""File → the sample that it is made of, and its first text that is replaced by another."""

_NIKL = (
    '{"id": "N", "document": [{"id": "N.1", "sentence":'
    ' [{"id": "N.1.1", "form": "하늘은 간다", %s}]}]}\n'
)
_FILES = {
    "recipe.toml": RECIPE,
    "nikl-ne.json": _NIKL
    % '"NE": [{"id": 1, "form": "하늘", "label": "PS_NAME", "begin": 0, "end": 2}]',
    "nikl-mp.json": _NIKL
    % (
        '"word": [{"id": 1, "form": "하늘은", "begin": 0, "end": 3},'
        ' {"id": 2, "form": "간다", "begin": 4, "end": 6}], "morpheme": ['
        '{"id": 1, "form": "하늘", "label": "NNP", "word_id": 1, "position": 1},'
        ' {"id": 2, "form": "은", "label": "JX", "word_id": 1, "position": 2},'
        ' {"id": 3, "form": "가", "label": "VV", "word_id": 2, "position": 1},'
        ' {"id": 4, "form": "ㄴ다", "label": "EF", "word_id": 2, "position": 2}]'
    ),
    "pairs.tsv": "나는 학교에 갓다.\t나는 학교에 갔다.\n밥을 먹었다.\t밥을 먹었다.\n",
    "gold.sinica": "S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(Na:小說))\n",
    "system.sinica": "S(agent:NP(Nh:他)|Head:VC:刊登|goal:NP(Na:小說))\n",
}


def lay_out(folder: Path, samples: Path, text: str) -> None:
    """Fill a folder with the samples that a text names, and with a system's output for gold files.

    Args:
        folder: the empty folder in which commands are typed.
        samples: the folder samples/ of the tree.
        text: the commands; patterns of names count, as in `cp *.txt`.
    """
    text += RECIPE if "recipe.toml" in text else ""
    patterns = [word for word in text.split() if "*" in word]

    def put(name: str, content: bytes) -> None:
        if name in text or any(fnmatch(name, pattern) for pattern in patterns):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)

    for path in samples.rglob("*"):
        if path.is_file():
            put(path.relative_to(samples).as_posix(), path.read_bytes())
    for name, (source, old, new) in _OTHERS.items():
        content = (samples / source).read_text(encoding="utf-8")
        assert old in content, name
        put(name, content.replace(old, new, 1).encode())
    klue = (samples / "klue-dp.tsv").read_text(encoding="utf-8")
    put("heads.tsv", (klue.partition("\n\n")[0] + "\n").encode())
    for name, content in _FILES.items():
        put(name, content.encode())


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

    Pipes and `> FILE` are known, and patterns of file names.

    Raises:
        AssertionError: a command of the line fails.
    """
    command, _, target = line.partition(" > ")
    data = b""
    for stage in command.split(" | "):
        words = shlex.split(stage, comments=True)
        if not words:
            continue
        if words[0] == "sejongud":
            done = cli(*_found(words[1:], folder), stdin=data)
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
