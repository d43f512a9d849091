"""Borders of sentences: what counts as right, and what is said of sentences that do not align."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

ONE = "어제 비가 왔다 .\n네 .\n집에 간다 .\n"
SPELT = "어제 비가 왔다 .\n예 .\n집에 갔다 .\n"
MERGED = "어제 비가 왔다 . 네 .\n집에 간다 .\n"


Write = Callable[..., "list[Path]"]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_files(*texts: str) -> list[Path]:
        paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    return write_files


def sentences(cli: Cli, *args: Path) -> dict[str, float]:
    return dict(json.loads(cli("eval", "tokens", "--json", *args).text())["scores"][0])


def test_a_word_spelt_otherwise_is_no_fault_of_the_borders(cli: Cli, write: Write) -> None:
    assert sentences(cli, *write(ONE, SPELT))["f1"] == 1
    found = sentences(cli, *write("This ca n't be right .\n", "this can not be right .\n"))
    assert found["f1"] == 1


def test_a_merged_sentence_is(cli: Cli, write: Write) -> None:
    found = sentences(cli, *write(ONE, MERGED.replace("간다", "갔다")))
    assert (found["tp"], found["fp"], found["fn"]) == (1, 1, 2)


def test_the_groups_stand_in_every_output(cli: Cli, write: Write) -> None:
    files = write(ONE, MERGED)
    lines = cli("eval", "tokens", *files).stdout.decode().splitlines()
    assert "groups of sentences: 2, not one to one: 1" in lines
    found = json.loads(cli("eval", "tokens", "--json", *files).stdout)
    assert (found["groups"], found["not_one_to_one"]) == (2, 1)
    out = cli("eval", "tokens", "--csv", "--sentences", *files).stdout.decode()
    rows = [(row["groups"], row["not_one_to_one"]) for row in csv.DictReader(io.StringIO(out))]
    assert rows == [("2", "1")] * 2 + [("", "")] * 4


def test_a_large_group_is_named(cli: Cli, write: Write) -> None:
    files = write("처음\n" + ONE, "처음\n" + MERGED)
    said = cli("eval", "tokens", *files).stderr.decode()
    assert f"without a common border holds 60 % of the text: {files[0]}:2\n" in said
    assert cli("eval", "tokens", "-q", *files).stderr == b""
    assert "common border" not in cli("eval", "tokens", *write(ONE, SPELT)).stderr.decode()


def test_few_groups_are_too_few_for_samples(cli: Cli, write: Write) -> None:
    files = write(ONE, SPELT, MERGED)
    said = cli("eval", "tokens", *files[:2], "--bootstrap", "9").stderr.decode()
    assert "from only 3 groups of sentences" in said
    said = cli("eval", "tokens", *files[:2], "--compare", files[2]).stderr.decode()
    assert "from only 2 groups of sentences" in said
    many = "".join(f"말 {number} .\n" for number in range(30))
    said = cli("eval", "tokens", *write(many, many), "--bootstrap", "9").stderr.decode()
    assert "groups of sentences" not in said
