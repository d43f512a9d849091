"""Memory: a command leaves nothing that only a collector could free, however often it runs."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sejongud.memo import Memo
from sejongud.model import Eojeol, Sentence, Token, Word

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

_COMMANDS = """
convert sejong.txt
convert --level 3 ud.conllu
convert --to sejong expected/sejong.5.conllu
convert --to jsonl sejong-senses.txt
convert klue-dp.tsv
convert modu.json
convert corpus-written.txt
convert sejong-line.txt
convert --on-error skip sejong-faults.txt
analyze text.txt
dep word2morph ud.conllu
dep word2morph --scheme ud ud.conllu
ner eoj2morph naver-ner.tsv
ner syl2morph klue-ner.tsv
validate sejong.txt
validate --roundtrip ud.conllu
stats sejong.txt
show sejong.txt
grep head.tag=NNG ud.conllu
grep tag=N* sejong.txt --count lemma
freq sejong.txt --ngrams 2
eval tokens ud.conllu ud.conllu
eval dep ud.conllu ud.conllu
gec annotate learner.source.txt learner.target.txt
gec convert learner.m2 --to jsonl
report sejong.txt OUT/report.html
release release.toml OUT/dataset
"""


def _garbage() -> list[str]:
    """Return the classes of caches and of parts of sentences that only the collector can free."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        found = [
            one for one in gc.garbage if isinstance(one, (Memo, Sentence, Eojeol, Token, Word))
        ]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    return sorted({type(one).__name__ for one in found})


@pytest.mark.usefixtures("few_trips")
@pytest.mark.parametrize("command", _COMMANDS.strip().split("\n"))
def test_a_command_leaves_no_garbage(cli: Cli, root: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "samples").symlink_to(root / "samples")
    arguments = []
    for word in command.split():
        if (root / "samples" / word).is_file():
            word = f"samples/{word}"
        arguments.append(word.replace("OUT", str(tmp_path)))
    gc.collect()
    gc.disable()
    try:
        assert cli(*arguments).returncode in (0, 1)
        assert _garbage() == []
    finally:
        gc.enable()


_RESIDENT = """
import resource, sys

def resident():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20)
"""
_CALLS = """
import sejongud

for call in range(301):
    sejongud.convert("in.txt", "out.conllu")
    if call == 30:
        before = resident()
print(resident() - before)
"""
_GROWTH = 5
"""The most mebibytes by which a process may grow while it does the same again and again."""


def _grown(script: str, folder: Path) -> float:
    """Return by how many mebibytes a process has grown that runs a script."""
    done = subprocess.run(
        [sys.executable, "-c", _RESIDENT + script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="no getrusage")
def test_many_conversions_take_no_more_memory(root: Path, tmp_path: Path) -> None:
    text = (root / "samples" / "sejong.txt").read_text(encoding="utf-8")
    (tmp_path / "in.txt").write_text("\n\n".join([*text.split("\n\n")[:6], ""]), encoding="utf-8")
    assert _grown(_CALLS, tmp_path) < _GROWTH
