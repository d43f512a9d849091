"""What `eval` takes a file for, and what it says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

# Half of the tokens have one letter.
COLUMNS = "서울\tB-LC\n에\tO\n비\tO\n왔다\tO\n.\tO\n\n"
KLUE = "서\tB-LC\n울\tI-LC\n \tO\n비\tO\n\n"


def scores(cli: Cli, *paths: Path) -> dict[str, float]:
    text = cli("eval", "ner", "--json", *paths).text()
    return {one["name"]: one.get("f1", 0) for one in json.loads(text)["scores"]}


def test_columns_whose_tokens_are_short(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "columns.tsv"
    path.write_text(COLUMNS * 20, encoding="utf-8")
    assert scores(cli, path, path)["LC"] == 1
    assert "read as: columns, columns" in cli("eval", "ner", path, path).stdout.decode()
    done = cli("eval", "ner", path, path, "--json")
    assert json.loads(done.stdout)["formats"] == ["columns", "columns"]


def test_characters_are_klue_ner(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "characters.tsv"
    path.write_text(KLUE * 20, encoding="utf-8")
    assert scores(cli, path, path)["LC"] == 1
    assert "read as: klue-ner, klue-ner" in cli("eval", "ner", path, path).stdout.decode()


def test_every_command_says_what_it_reads(cli: Cli, tmp_path: Path) -> None:
    text, corpus = tmp_path / "a.txt", tmp_path / "b.txt"
    text.write_text("나는 간다\n", encoding="utf-8")
    corpus.write_text("나는\t나/NP+는/JX\n", encoding="utf-8")
    assert "read as: text, text\n" in cli("eval", "tokens", text, text).stdout.decode()
    assert "read as: sejong, sejong\n" in cli("eval", "pos", corpus, corpus).stdout.decode()


@pytest.mark.parametrize("command", ["eval tokens", "eval ner", "eval frame", "ner agree"])
def test_incidents_of_json_lines_are_told(
    cli: Cli, root: Path, tmp_path: Path, command: str
) -> None:
    assert cli("convert", root / "samples" / "framenet.tsv", "a.jsonl").returncode == 0
    text = (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(text.replace('"NNG"', '"ZZ"', 1) + "{}\n", encoding="utf-8")
    done = cli(*command.split(), "a.jsonl", "a.jsonl")
    said = done.stderr.decode()
    assert (done.returncode, done.stdout[:1]) == (1, b" ")
    assert "a.jsonl:1: W104 unknown tag ZZ" in said
    assert "a.jsonl:7: E331 eojeols is missing" in said


def test_a_file_without_frames_is_refused(cli: Cli, root: Path) -> None:
    path = root / "samples" / "ud.conllu"
    assert "ud.conllu has no frames" in cli("eval", "frame", path, path).told_only()


def test_repeated_errors_are_capped(cli: Cli, tmp_path: Path) -> None:
    path, log = tmp_path / "damaged.tsv", tmp_path / "log.jsonl"
    path.write_text(COLUMNS + "서울 시\n\n" * 50, encoding="utf-8")
    done = cli("eval", "ner", path, path, "--log", log)
    said = done.stderr.decode().splitlines()
    assert len([line for line in said if "does not end in a tag" in line]) < 20
    assert "(more of E801 are counted and not shown; -v shows them)" in said
    assert len(log.read_text(encoding="utf-8").splitlines()) == 50 * 2
    assert done.returncode == 1


def test_no_entity_at_all(cli: Cli, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text(COLUMNS, encoding="utf-8")
    system.write_text(COLUMNS.replace("B-LC", "O"), encoding="utf-8")
    done = cli("eval", "ner", gold, system)
    assert f"{system}: W805 there is no entity in this file" in done.stderr.decode()
    assert f"{gold}: W805" not in done.stderr.decode()
    assert done.returncode == 0


def test_files_in_two_formats_are_told_of_unit(cli: Cli, root: Path) -> None:
    corpus = root / "samples" / "klue-ner.tsv"
    assert cli("ner", "syl2morph", corpus, "k.conllu").returncode == 0
    said = b"--unit character and --unit eojeol compare the same tokens"
    assert said in cli("eval", "ner", corpus, "k.conllu").stderr
    for options in (["--quiet"], ["--unit", "character"]):
        assert said not in cli("eval", "ner", corpus, "k.conllu", *options).stderr
    assert said not in cli("eval", "ner", corpus, corpus).stderr
    # Levels 2 and 5 have the same tokens, and other words.
    assert cli("convert", "k.conllu", "k2.conllu", "--level", "2").returncode == 0
    assert said in cli("eval", "ner", "k.conllu", "k2.conllu").stderr


def test_a_file_without_the_unit_is_told(cli: Cli, tmp_path: Path) -> None:
    rows = {"gold": ["김하늘은", "간다"], "system": ["김하늘", "은", "간다"]}
    for name, tokens in rows.items():
        tags = ["B-PS", *["O"] * (len(tokens) - 1)]
        record = json.dumps({"tokens": tokens, "ner_tags": tags})
        (tmp_path / f"{name}.jsonl").write_text(f"{record}\n", encoding="utf-8")
    paths = [tmp_path / f"{name}.jsonl" for name in rows]
    told = "W806 there are no characters in 1 sentence of this file, whose own tokens are compared"
    assert f"gold.jsonl: {told}" in cli("eval", "ner", *paths, "--unit", "character").told()
    assert b"W806" not in cli("eval", "ner", *paths).stderr


@pytest.mark.parametrize(
    ("options", "inner", "sharing"),
    [
        ([], 1, 0),
        (["--nested"], 0, 0),
        (["--unit", "eojeol"], 1, 1),
        (["--nested", "--unit", "eojeol"], 0, 1),
    ],
)
def test_entities_that_are_not_compared_are_told(
    options: list[str], inner: int, sharing: int, cli: Cli, tmp_path: Path
) -> None:
    spans = [(0, 2, "LC"), (0, 4, "OG"), (5, 7, "PS"), (7, 9, "PS")]
    entities = [{"start": begin, "end": end, "label": name} for begin, end, name in spans]
    line = json.dumps({"text": "서울대학 철수영희가", "entities": entities})
    (tmp_path / "a.jsonl").write_text(f"{line}\n", encoding="utf-8")
    assert not cli("ner", "syl2morph", "--nested", "a.jsonl", "a.conllu").returncode
    told = cli("eval", "ner", "a.jsonl", "a.conllu", *options).told()
    for name in ("a.jsonl", "a.conllu"):
        assert told.count(f"{name}: W807 1 entity inside or across others is not") == inner
        assert told.count(f"{name}: W807 1 entity shares all its tokens") == sharing


@pytest.mark.parametrize("unit", ["word", "character", "eojeol"])
def test_labels_of_morphemes_alone_are_compared(cli: Cli, root: Path, unit: str) -> None:
    """The characters of such a file have no labels, and were compared without any entity."""
    corpus = root / "tests" / "data" / "ner" / "morpheme-columns.txt"
    done = cli("eval", "ner", corpus, corpus, "--unit", unit, "--json")
    [found] = [one for one in json.loads(done.stdout)["scores"] if one["name"] == "Entities"]
    assert (found["tp"], found["fp"], found["fn"]) == (3, 0, 0)
    assert (b"W806" in done.stderr) == (unit == "character")
