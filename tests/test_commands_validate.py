"""`sejongud validate` as a process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TEXT = "봄이\t봄/NNG+이/JKS\n왔다.\t오/VV+았/EP+다/EF+./SF\n\n".encode()
WITH_WARNING = TEXT + "꽃이\t꽃/NNX+이/JKS\n\n".encode()
WITH_ERROR = WITH_WARNING + "꽃\n\n".encode()


def test_nothing_to_say(cli: Cli) -> None:
    result = cli("validate", stdin=TEXT)
    assert (result.returncode, result.stdout) == (0, b"")
    assert b"1 sentences, 2 eojeols, 0 errors" in result.stderr
    assert cli("validate", "-q", stdin=TEXT).stderr == b""


def test_a_warning_is_no_error(cli: Cli) -> None:
    result = cli("validate", stdin=WITH_WARNING)
    assert result.returncode == 0
    assert result.stdout.decode() == "-:4: W104 unknown tag NNX [2 1]\n"
    assert "1  W104  a tag that is not in the tag set, kept" in result.stderr.decode()


def test_an_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(WITH_ERROR)
    (tmp_path / "b.txt").write_bytes(WITH_WARNING)
    result = cli("validate", "-q", "a.txt", "b.txt")
    assert result.returncode == 1
    lines = result.stdout.decode().splitlines()
    assert [line.split(" ")[:2] for line in lines] == [
        ["a.txt:4:", "W104"],
        ["a.txt:6:", "E101"],
        ["b.txt:4:", "W104"],
    ]


def test_select(cli: Cli) -> None:
    assert cli("validate", "--select", "W2,W105", stdin=WITH_ERROR).stdout == b""
    # What was not asked for does not decide the status either.
    assert cli("validate", "--select", "W", stdin=WITH_ERROR).returncode == 0
    wrong = cli("validate", "--select", "X", stdin=TEXT)
    assert wrong.returncode == 2
    assert b"no code begins with 'X'" in wrong.stderr


def test_on_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT + "나\n은\t은/JX\n\n다\n".encode())
    (tmp_path / "b.txt").write_bytes(WITH_WARNING)

    def found(*options: str) -> list[str]:
        result = cli("validate", "-q", *options, "a.txt", "b.txt")
        assert result.returncode == 1
        return [line.split()[1] for line in result.stdout.decode().splitlines()]

    assert found() == ["E101", "W126", "E101", "W104"]
    assert found("--on-error", "skip") == ["E101", "E101", "W104"]
    assert found("--on-error", "stop") == ["E101"]


def test_no_more_than_asked_for_is_shown(cli: Cli) -> None:
    text = "".join([f"꽃\t꽃/Q{c}\n" for c in "ABCDEFGH"]).encode()
    few = cli("validate", "--max", "3", stdin=text)
    assert few.stdout.count(b"\n") == 3
    assert b"8  W104" in few.stderr
    assert cli("validate", "--max", "0", stdin=text).stdout.count(b"\n") == 8
    assert cli("validate", "-v", "--max", "3", stdin=text).stdout.count(b"\n") == 8


def test_json_lines(cli: Cli, tmp_path: Path) -> None:
    result = cli("validate", "--json", "--roundtrip", "--report", "r.jsonl", stdin=WITH_ERROR)
    *incidents, counts = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(i["code"], i["line"]) for i in incidents] == [("W104", 4), ("E101", 6)]
    assert counts == {
        "sentences": 3,
        "eojeols": 4,
        "counts": {"E101": 1, "W104": 1},
        "differing": {str(level): 0 for level in range(1, 6)},
    }
    report = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in report] == incidents


def test_round_trip(cli: Cli, root: Path) -> None:
    result = cli("validate", "-q", "--roundtrip", root / "samples" / "sejong-ids.txt")
    assert result.returncode == 0
    header, *rows = [line.split() for line in result.stdout.decode().splitlines()]
    assert header == ["level", "sentences", "identical", "differing"]
    assert [(row[0], row[3]) for row in rows] == [(str(level), "0") for level in range(1, 6)]
    assert all(row[1] == row[2] != "0" for row in rows)


def test_what_does_not_come_back_is_an_error(cli: Cli) -> None:
    # XPOS is joined by plus signs: a tag that has one becomes two.
    morphemes = [{"form": "꽃", "tag": "N+G"}]
    sentence = {"sent_id": "1", "eojeols": [{"form": "꽃", "morphemes": morphemes}]}
    text = json.dumps(sentence).encode()
    assert cli("validate", "--from", "jsonl", stdin=text).returncode == 0
    result = cli("validate", "-q", "--from", "jsonl", "--roundtrip", stdin=text)
    assert result.returncode == 1
    lines = result.stdout.decode().splitlines()
    assert [line.split()[:4] for line in lines if "E901" in line] == [
        ["-:1:", "E901", "level", f"{level}:"] for level in range(1, 6)
    ]
    assert ["5", "1", "0", "1"] in [line.split() for line in lines]
    assert any(line.startswith("  꽃\t꽃/N+G  |  ") for line in lines)


def test_several_processes(cli: Cli, root: Path) -> None:
    path = root / "samples" / "corpus-written.txt"
    assert cli("validate", "--jobs", "2", path).stdout == cli("validate", path).stdout


def test_a_file_that_is_not_there(cli: Cli) -> None:
    result = cli("validate", "none.txt")
    assert result.returncode == 1
    assert b"none.txt" in result.stderr
    assert b"Traceback" not in result.stderr


def test_the_help_lists_the_codes(cli: Cli) -> None:
    text = cli("validate", "--help").stdout.decode()
    assert "  E101  " in text
    assert "  W236  LEMMA is not that of the scheme" in text
