"""`sejongud stats`."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TEXT = "봄이\t봄/NNG+이/JKS\n왔다.\t오/VV+았/EP+다/EF+./SF\n\n".encode()


def test_the_table_of_the_memoir(cli: Cli) -> None:
    result = cli("stats", stdin=TEXT)
    assert result.returncode == 0
    lines = result.stdout.decode().split("\n")
    assert lines[:3] == ["1 sentence", "2 eojeols", "2 distinct eojeols"]
    rows = [line.split() for line in lines]
    assert ["Token", "2", "3", "4", "6", "6"] in rows
    assert ["MCW", "1.0000", "0.6667", "0.2500", "0.0000", "0.0000"] in rows
    assert ["Immediate", "NT", "2", "3", "4", "6", "6"] in rows
    assert ["ADP", "1", "1", "1"] in rows
    assert b"detected format: sejong" in result.stderr


def test_json_and_csv_have_the_same_figures(cli: Cli, root: Path) -> None:
    path = root / "samples" / "sejong.txt"
    found = json.loads(cli("stats", "-q", "--json", path).stdout)
    text = cli("stats", "-q", "--csv", path).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.count("\r") == 0
    assert found["eojeols"] == int(next(r["value"] for r in rows if r["statistic"] == "eojeols"))
    totals = ("sentences", "eojeols", "distinct eojeols")
    assert [row["level"] for row in rows if row["statistic"] in totals] == ["0", "0", "0"]
    for level in "12345":
        upos = {
            row["key"]: int(row["value"])
            for row in rows
            if (row["statistic"], row["level"]) == ("UPOS", level)
        }
        assert upos == found["levels"][level]["upos"]
        assert sum(upos.values()) == found["levels"][level]["tokens"]


def test_several_inputs_are_counted_together(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    cli("convert", "-q", "--level", "3", "a.txt", "b.conllu")
    result = cli("stats", "-q", "--json", "a.txt", "b.conllu")
    found = json.loads(result.stdout)
    assert (found["sentences"], found["eojeols"], found["distinct_eojeols"]) == (2, 4, 2)
    assert found["levels"]["5"]["tokens"] == 12


def test_an_error_in_the_data(cli: Cli) -> None:
    text = TEXT + "꽃\n\n".encode()
    stopped = cli("stats", stdin=text)
    assert (stopped.returncode, stopped.stdout) == (1, b"")
    skipped = cli("stats", "--on-error", "skip", stdin=text)
    assert skipped.returncode == 1
    assert skipped.stdout.startswith(b"1 sentence\n")
    assert b"E101" in skipped.stderr


def test_wrong_usage(cli: Cli) -> None:
    assert cli("stats", "--upos", "none", stdin=TEXT).returncode == 2
    assert cli("stats", "--xml", stdin=TEXT).returncode == 2


@pytest.mark.parametrize("command", ["stats", "validate"])
def test_of_many_files_the_formats_of_the_first_are_told(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.txt").write_bytes(TEXT)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    told = cli(command, *names).stderr.decode().splitlines()
    assert told[:11] == [
        *[f"{name}: detected format: sejong (override with --from)" for name in names[:10]],
        "(the formats of more files are detected and not shown; -v shows them)",
    ]
    assert cli(command, "-v", *names).stderr.count(b"detected format") == 12
