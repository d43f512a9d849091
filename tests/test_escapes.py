"""Data, file names and arguments cannot control the terminal, and CSV is no program."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from sejongud.__main__ import main
from sejongud.errors import Incident
from sejongud.terminal import clean, csv_cell, json_text, table

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

CLIPBOARD = "\x1b]52;c;cm0gLXJm\x07"
"""A sequence that writes the clipboard of many terminals."""
COLOUR = "\x9b31m"
"""The same kind of thing in one character, U+009B."""
TURNED = "\u202e"
"""The text behind this character runs from right to left."""
HARM = f"{CLIPBOARD}{COLOUR}{TURNED}"
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

NAME = f"evil{CLIPBOARD}.txt"

SEJONG = (
    f"나는{HARM}\t나{HARM}/NP+는/JX{HARM}\n간다{HARM}\t가/VV\n\n"
    f"간다\t가/VV+ㄴ다/\n\n# sent_id = {HARM}\n간다\t가/{HARM}+ㄴ다/EF\n\n"
)
CONLLU = f"""\
# sent_id = s1{HARM}
# text = 나는{HARM} 간다
1\t나는{HARM}\t나{HARM}+는\tPRON{HARM}\tNP+JX{HARM}\tA={HARM}\t2\tnsubj{HARM}\t_\tNE=B-PS{HARM}
2\t간다\t가+ㄴ다\t=VERB()\tVV+EF\t_\t0\troot\t_\tNE=B-=X()

# sent_id = s2
# text = 간다
1\t간다\t가+ㄴ다\tVERB\t=HYPERLINK()\t_\t9{HARM}\troot\t_\t_

"""
TREES = f"(S{HARM} (NP{HARM} (N{HARM} 나는{HARM})) (VP (V 간다)))\n"


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    for name in ("sejong.txt", "naver-ner.tsv", "naver-ner.txt"):
        (tmp_path / name).write_bytes((root / "samples" / name).read_bytes())
    for name, text in [(NAME, SEJONG), ("evil.conllu", CONLLU), ("evil.mrg", TREES)]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    other = CONLLU.replace("간다\t가", f"온다{HARM}\t오")
    (tmp_path / "other.conllu").write_text(other, encoding="utf-8")
    (tmp_path / f"good{HARM}.txt").write_text("나\t나/NP\n\n", encoding="utf-8")
    (tmp_path / f"rules{HARM}").mkdir()
    (tmp_path / f"rules{HARM}" / "lemmas.tsv").write_text(f"# x\nform{HARM}\n", encoding="utf-8")
    return tmp_path


LINES = [
    *["convert X --on-error skip -v", "convert X out --on-error stop", "convert no/X out"],
    *["validate X --select E", "validate evil.conllu -v", "validate evil.conllu --json"],
    *["validate --roundtrip X", "validate --roundtrip evil.conllu --json"],
    *["stats X --on-error keep", "stats evil.conllu", "stats evil.conllu --json"],
    *["report X page.html", "show X", "show evil.conllu", "show X nothing"],
    *[f"eval dep evil.conllu other.conllu {form}" for form in ("", "--json", "--sentences")],
    *["eval dep evil.conllu other.conllu --confusion depth --json", "eval pos X X --json"],
    *[f"eval ner evil.conllu other.conllu {form}" for form in ("", "--conlleval", "--json")],
    *["eval parse evil.mrg evil.mrg", "eval parse evil.mrg evil.mrg --json"],
    *["eval parse --evalb X X -p no/X", "eval parse --evalb evil.mrg no/X"],
    *["ner check evil.conllu -v", "ner check X", "dep stats evil.conllu -v"],
    *["dep stats evil.conllu --json --on-error skip", "dep word2morph evil.conllu out"],
    *["release X", "release init G", "release verify X"],
    *["rules --rules R", "rules show lemmas --rules R"],
    *[
        "convert --jobs X",
        "eval dep a b --samples X",
        "eval H",
        "H",
        "rules show H",
        "convert a b X",
    ],
]


@pytest.mark.parametrize("line", LINES)
def test_nothing_controls_the_terminal(line: str, folder: Path, cli: Cli) -> None:
    words = {
        "X": NAME,
        "no/X": f"no/{NAME}",
        "R": f"rules{HARM}",
        "H": HARM,
        "G": f"good{HARM}.txt",
    }
    result = cli(*[words.get(word, word) for word in line.split()])
    said = result.stderr.decode()
    if not line.startswith("convert X --on-error skip"):  # whose output is that of a conversion
        said += result.stdout.decode()
    assert said
    assert not HARMFUL.search(said), repr(said)


def test_a_conversion_changes_no_character(folder: Path, cli: Cli) -> None:
    text = f"나는{HARM}\t나{HARM}/NP+는/JX\n=1\t=1/SN\n\n"
    (folder / NAME).write_text(text, encoding="utf-8")
    for to in ("conllu", "jsonl"):
        out = cli("convert", "-q", "--from", "sejong", "--to", to, NAME, f"out.{to}")
        assert out.returncode == 0, out.stderr
    assert HARM in (folder / "out.conllu").read_text(encoding="utf-8")
    assert cli("convert", "-q", "--to", "sejong", "out.conllu").stdout.decode() == text


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize(
    "line",
    [
        "convert -q lines.txt",
        "generate -q lines.txt",
        "tree level -q evil.mrg --level 5 --to brackets",
        "grep -q form=*나* evil.conllu --to conllu",
    ],
)
def test_a_corpus_does_not_control_the_terminal(
    line: str, folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "lines.txt").write_text(f"나는{HARM}\t나{HARM}/NP+는/JX\n\n", encoding="utf-8")
    (folder / "evil.conllu").write_text(CONLLU.replace(f"9{HARM}", "0"), encoding="utf-8")
    text = cli(*line.split()).text()
    assert CLIPBOARD in text
    ours, its = os.openpty()
    monkeypatch.chdir(folder)
    with os.fdopen(ours, "rb", buffering=0) as terminal, os.fdopen(its, "w") as stdout:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stdout)
            assert main(line.split()) == 0
        stdout.flush()
        shown = terminal.read(65536).decode().replace("\r\n", "\n")
    assert not HARMFUL.search(shown), repr(shown)
    assert shown == clean(text, keep="\n\t")


def test_json_says_the_same() -> None:
    value = {"form": f"나{HARM}\U000e0001", "name": "\udcc7.txt", "n": [1.5, None]}
    for indent in (None, 2):
        text = json_text(value, indent)
        assert json.loads(text) == value
        assert not HARMFUL.search(text)
        text.encode()
    incident = Incident("W101", HARM, "\udcc7.txt")
    assert Incident(**json.loads(incident.to_json())) == incident


def test_names_that_are_not_unicode_can_be_printed() -> None:
    assert clean("\udcc7\udcd1.txt") == "\\udcc7\\udcd1.txt"
    assert clean("a\n\tb\x1b", keep="\n\t") == "a\n\tb␛"
    assert table([["a\x1b", "b"]]) == "a␛  b\n"


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t=", "\r="])
def test_no_spreadsheet_runs_a_cell(begin: str) -> None:
    assert csv_cell(f"{begin}HYPERLINK()")[0] in "'␉␍"
    assert csv_cell(-1) == -1


@pytest.mark.parametrize(
    "line",
    [
        "stats evil.conllu --csv",
        "eval ner evil.conllu other.conllu --csv",
        "eval ner evil.conllu other.conllu --csv --sentences",
        "grep form=* evil.conllu --to csv",
        "grep form=* evil.conllu --to tsv",
        "grep form=* evil.conllu --count upos --to tsv",
        "freq evil.conllu --of upos,form --to csv",
        "freq evil.conllu --of upos,form --to tsv",
    ],
)
def test_csv_holds_no_formula(line: str, folder: Path, cli: Cli) -> None:
    (folder / "evil.conllu").write_text(CONLLU.replace(f"9{HARM}", "0"), encoding="utf-8")
    text = cli(*line.split()).stdout.decode()
    rows = list(csv.reader(io.StringIO(text), "excel-tab" if "tsv" in line else "excel"))
    cells = [cell for row in rows for cell in row]
    assert any([cell.startswith("'=") for cell in cells])
    assert not [
        cell
        for cell in cells
        if re.match("[=+@＝＋－＠]|-(?![0-9.]+$)", cell) or HARMFUL.search(cell)
    ]
