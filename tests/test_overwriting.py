"""A file that a command writes takes the place of an input or a corpus only with --force."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from small import RECIPE, fill

from sejongud.formats.finding import corpus_format

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TEXT = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n"
OTHER = "한강의\t한강/NNP+의/JKG\n\n"


@pytest.fixture
def folder(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    recipe = RECIPE.replace("sejong.txt", "a1.txt").replace("[50, 25, 25]", "[100, 0, 0]")
    fill(tmp_path, root / "samples", recipe)
    for name, text in [("a1.txt", TEXT), ("a2.txt", OTHER), ("page.html", TEXT)]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "confusion.png").write_text(OTHER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRITING = [
    ("convert a1.txt a2.txt", "a2.txt"),
    ("analyze text.txt a2.txt", "a2.txt"),
    ("report a1.txt page.html", "page.html"),
    ("eval dep ud.conllu ud.conllu --confusion depth --picture confusion.png", "confusion.png"),
    ("ner eoj2morph naver-ner.tsv a2.txt --morphemes naver-ner.txt", "a2.txt"),
    ("ner crf ud.conllu a2.txt", "a2.txt"),
    ("ner check ud.conllu a2.txt", "a2.txt"),
    ("dep word2morph ud.conllu a2.txt", "a2.txt"),
    *[
        (f"{line} --log a2.txt", "a2.txt")
        for line in (
            "convert a1.txt",
            "validate a1.txt",
            "stats a1.txt",
            "report a1.txt",
            "show a1.txt",
            "eval pos a1.txt a1.txt",
            "dep stats ud.conllu",
            "release recipe.toml out",
        )
    ],
]


@pytest.mark.parametrize(("line", "name"), WRITING)
def test_a_corpus_that_exists(line: str, name: str, folder: Path, cli: Cli) -> None:
    before = (folder / name).read_bytes()
    files = sorted(folder.rglob("*"))
    message = cli(*line.split()).told_only()
    assert message.endswith(
        f"{name} exists and is recognised as sejong, a format that is read:"
        " it is replaced only with --force\n"
    )
    assert (folder / name).read_bytes() == before
    assert sorted(folder.rglob("*")) == files
    assert cli(*line.split(), "--force").returncode == 0
    assert (folder / name).read_bytes() != before


INPUTS = [
    ("convert x x", ""),
    ("convert x hard", ""),
    ("convert x soft", ""),
    ("convert soft x", ""),
    ("convert x ./x", ""),
    ("analyze x x", ""),
    ("dep morph2word ud.conllu x --words x", ""),
    ("ner crf ud.conllu x --labels x", ""),
    ("stats x --log hard", "--log "),
    ("eval tokens x x --log x", "--log "),
]


@pytest.mark.parametrize(("line", "option"), INPUTS)
def test_an_input_under_any_name(line: str, option: str, folder: Path, cli: Cli) -> None:
    # In no format that is recognised: only its identity tells that it is an input.
    (folder / "x").write_bytes(b"plain text\n")
    (folder / "hard").hardlink_to(folder / "x")
    (folder / "soft").symlink_to("x")
    result = cli(*line.split())
    name = next(word for word in reversed(line.split()) if word in ("x", "./x", "hard", "soft"))
    name = "x" if "--words" in line or "--labels" in line else name
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode() == (
        f"sejongud: {option}{name} is also an input: it is replaced only with --force\n"
    )
    assert (folder / "x").read_bytes() == b"plain text\n"


def test_the_input_is_replaced_with_force(folder: Path, cli: Cli) -> None:
    expected = cli("convert", "-q", "a1.txt").stdout
    assert cli("convert", "-q", "a1.txt", "a1.txt", "--force").returncode == 0
    assert (folder / "a1.txt").read_bytes() == expected


def test_standard_streams_that_are_files(folder: Path) -> None:
    for line in (
        "convert - a1.txt <a1.txt",
        "convert a1.txt >>a1.txt",
        "convert <a1.txt >>a1.txt",
        "convert a1.txt /dev/stdout >>a1.txt",
    ):
        command = f"{sys.executable} -m sejongud {line}"
        result = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, check=False)
        assert result.returncode == 2, line
        assert b"is also an input: it is replaced only with --force\n" in result.stderr
        assert (folder / "a1.txt").read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize("text", ["", "\n\n", "notes on nothing\n", "\0\x01\xff\xfe\x80"])
def test_files_that_are_no_corpora_are_replaced(text: str, folder: Path, cli: Cli) -> None:
    (folder / "out").write_bytes(text.encode("latin-1"))
    assert cli("convert", "-q", "a1.txt", "out").returncode == 0
    assert corpus_format("out") == "conllu"


@pytest.mark.parametrize(
    "line",
    [
        "convert sejong-faults.txt --on-error skip --log faults",
        "report sejong-faults.txt made.html",
        "report ud.conllu made.html",
        "eval dep ud.conllu ud.conllu --confusion depth --picture made.svg",
        "eval dep ud.conllu ud.conllu --confusion depth --picture made.png",
        "ner check ud.conllu made",
    ],
)
def test_what_is_no_corpus_is_made_again(line: str, folder: Path, cli: Cli) -> None:
    first, second = cli(*line.split()), cli(*line.split())
    assert first.returncode in (0, 1)
    assert (second.returncode, second.stderr) == (first.returncode, first.stderr)


def test_a_conversion_is_not_made_again_by_accident(folder: Path, cli: Cli) -> None:
    for name in ("out.conllu", "out.conllu.gz"):
        assert cli("convert", "-q", "a1.txt", name).returncode == 0
        made = (folder / name).read_bytes()
        message = cli("convert", "-q", "a2.txt", name).told(2)
        assert f"sejongud: {name} exists and is recognised as conllu" in message
        assert (folder / name).read_bytes() == made
        assert cli("convert", "-q", "a2.txt", name, "--force").returncode == 0
        assert (folder / name).read_bytes() != made


def test_devices_and_pipes_are_no_files_to_keep(folder: Path, cli: Cli) -> None:
    expected = cli("convert", "-q", "a1.txt").stdout
    for name in ("/dev/null", "/dev/stdout"):
        assert cli("convert", "-q", "a1.txt", name).returncode == 0
    both = ("convert", "-q", "a1.txt", "/dev/null", "--log", "/dev/null")
    assert cli(*both).returncode == 0
    assert cli("convert", "-q", "/dev/null", "/dev/null", "--from", "sejong").returncode == 0
    os.mkfifo(folder / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()))
    reader.start()
    assert cli("convert", "-q", "a1.txt", "pipe").returncode == 0
    reader.join(timeout=20)
    assert read == [expected]


def test_two_files_to_write_are_never_one(folder: Path, cli: Cli) -> None:
    for line in (
        "convert a1.txt out --log ./out",
        "report a1.txt p.html --log p.html",
        "convert a1.txt --log -",
        "convert a1.txt - --log /dev/stdout",
    ):
        assert "is also the output\n" in cli(*line.split(), "--force").told(2)


def test_what_counts_as_a_corpus(root: Path, folder: Path) -> None:
    found = {path.name: corpus_format(path) for path in (root / "samples").glob("*.[!t]*")}
    assert not [name for name, kind in found.items() if not kind]
    (folder / "raw.txt").write_text("한강은 흐른다.\n" * 3, encoding="cp949")
    assert corpus_format(folder / "raw.txt") == "text"
    assert corpus_format(folder / "recipe.toml") == ""
    (folder / "treebank.txt").write_text("; 나는\n(NP 나/NP + 는/JX)\n", encoding="utf-8")
    assert corpus_format(folder / "treebank.txt") == "treebank"
