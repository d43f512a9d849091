"""Names of files that are not UTF-8, such as names in CP949 from old archives."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

NAME = os.fsdecode("강물".encode("cp949"))
SHOWN = r"\udcb0\udcad\udcb9\udcb0"
FAULTS = "sejong-faults.txt"


@pytest.fixture(autouse=True)
def _samples(root: Path, tmp_path: Path) -> None:
    try:
        (tmp_path / NAME).mkdir()
    except OSError:
        pytest.skip("the file system has names in UTF-8 alone")
    for name in (FAULTS, "ud.conllu"):
        shutil.copy(root / "samples" / name, tmp_path / NAME)


@pytest.mark.parametrize(
    "command",
    [
        f"validate {NAME}/{FAULTS}",
        f"validate --roundtrip {NAME}/{FAULTS}",
        f"validate {NAME}",
        f"stats {NAME}/{FAULTS} {NAME}/ud.conllu --on-error skip",
        f"grep form=* {NAME} --tsv -o {NAME}/out --on-error skip",
        f"convert --on-error skip {NAME}/{FAULTS} {NAME}/out --log log",
        f"report {NAME}/{FAULTS} {NAME}/out.html --log log",
        f"eval parse {NAME}/{FAULTS} {NAME}/{FAULTS}",
        f"dep word2morph {NAME}/ud.conllu {NAME}/out --log log",
    ],
)
def test_a_command_has_the_same_output_as_for_any_name(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    found: list[object] = []
    usual: list[object] = []
    for outcome, name in ((usual, "plain"), (found, NAME)):
        shutil.copytree(tmp_path / NAME, tmp_path / "plain", dirs_exist_ok=True)
        done = cli(*command.replace(NAME, name).split())
        log = tmp_path / "log"
        said = [done.stdout.decode(), done.stderr.decode()]
        said.append(log.read_text(encoding="utf-8") if log.exists() else "")
        outcome += [done.returncode, *[text.replace(SHOWN, "plain") for text in said]]
        (tmp_path / NAME / "out").unlink(missing_ok=True)
    assert found == usual


@pytest.mark.parametrize("command", ["validate --json", "validate --roundtrip --json"])
def test_json_has_the_name_itself(cli: Cli, command: str) -> None:
    path = f"{NAME}/{FAULTS}"
    lines = cli(*command.split(), path).stdout.decode().splitlines()
    assert {json.loads(line)["path"] for line in lines[:-1]} == {path}


def test_the_evaluation_in_json_has_the_name_itself(cli: Cli) -> None:
    path = f"{NAME}/ud.conllu"
    found = json.loads(cli("eval", "tokens", "--json", "--compare", path, path, path).text())
    assert [found[key] for key in ("gold", "system", "other")] == [path] * 3


def test_a_page_has_the_name_in_its_title(cli: Cli, tmp_path: Path) -> None:
    shutil.copy(tmp_path / NAME / FAULTS, tmp_path / f"{NAME}.txt")
    assert cli("report", f"{NAME}.txt", "out.html").returncode == 1
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert f"<title>{SHOWN}.txt" in page
    assert cli("report", f"{NAME}.txt", "out.html", "--title", NAME).returncode == 1
    assert f"<title>{SHOWN}" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_a_release_with_such_a_file_has_a_verdict(cli: Cli, tmp_path: Path) -> None:
    recipe = """
        name = "named"
        title = "Named"
        version = "1.0"
        licence = "MIT"
        authors = ["an author"]
        [[inputs]]
        name = "ud"
        path = "ud.conllu"
        converter = "dep word2morph"
        outputs = { words = true }
    """
    (tmp_path / NAME / "r.toml").write_text(recipe, encoding="utf-8")
    text = cli("release", f"{NAME}/r.toml", f"{NAME}/out").text()
    assert text.endswith(f"  {SHOWN}/out/SHA256SUMS\n")
    (tmp_path / NAME / "out" / NAME).write_bytes(b"")
    done = cli("release", "verify", f"{NAME}/out")
    assert done.returncode == 1
    assert done.stdout.decode().startswith(f"{SHOWN}: added")
    assert b"not whole: 1 finding" in done.stderr


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """A folder of three files, of which two have such names."""
    for name in ("a.txt", f"{NAME}.txt", f"{NAME}/b.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "samples" / "sejong.txt", path)
    return tmp_path / "in"


def test_a_folder_with_such_names_is_converted_and_gone_on_with(
    cli: Cli, root: Path, folder: Path
) -> None:
    command = ("convert", "in", "-o", "out/", "--jobs", "2")
    assert cli(*command).returncode == 0
    out = folder.with_name("out")
    outputs = [out / name for name in ("a.conllu", f"{NAME}.conllu", f"{NAME}/b.conllu")]
    expected = (root / "samples" / "expected" / "sejong.5.conllu").read_bytes()
    assert [path.read_bytes() for path in outputs] == [expected] * 3
    journal = (out / ".sejongud.json").read_text(encoding="utf-8")
    assert f'"{SHOWN}.conllu"' in journal
    assert [*json.loads(journal)] == [str(path.relative_to(out)) for path in outputs]
    assert b"0 files written to out/; 3 were finished before" in cli(*command).stderr
    outputs[-1].unlink()
    assert b"1 file written to out/; 2 were finished before" in cli(*command).stderr
    assert outputs[-1].read_bytes() == expected


@pytest.mark.usefixtures("folder")
def test_a_document_has_the_name_of_its_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in" / f"{NAME}.txt").rename(tmp_path / "in" / f"a\\1{NAME}.txt")
    assert cli("convert", "in", "-o", "out.conllu").returncode == 0
    lines = (tmp_path / "out.conllu").read_text(encoding="utf-8").splitlines()
    documents = [line.split(" = ")[1] for line in lines if line.startswith("# newdoc id")]
    assert documents == ["a", f"a\\1{SHOWN}", f"{SHOWN}/b"]
    ids = [line.split(" = ")[1] for line in lines if line.startswith("# sent_id")]
    assert [*dict.fromkeys(one.rpartition("-")[0] for one in ids)] == documents


@pytest.mark.usefixtures("folder")
def test_a_recipe_is_sketched_and_built(cli: Cli, tmp_path: Path) -> None:
    assert cli("release", "init", "in", "-o", "r.toml").returncode == 0
    recipe = (tmp_path / "r.toml").read_text(encoding="utf-8")
    assert f"in/{SHOWN}.txt" in recipe.replace("\\\\", "\\")
    assert cli("release", "r.toml", "out").returncode == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert [*manifest["inputs"]] == ["in/a.txt", f"in/{SHOWN}.txt", f"in/{SHOWN}/b.txt"]
    assert cli("release", "verify", "out").returncode == 0


def test_a_page_of_corrections_has_the_name_in_its_title(
    cli: Cli, root: Path, tmp_path: Path
) -> None:
    for name in ("a.m2", f"{NAME}.m2"):
        shutil.copy(root / "samples" / "learner.m2", tmp_path / name)
    assert cli("gec", "score", "a.m2", f"{NAME}.m2", "--html", "out.html").returncode == 0
    assert f"<title>{SHOWN}.m2: a.m2</title>" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_a_character_that_is_no_text_is_told_with_the_file(cli: Cli, tmp_path: Path) -> None:
    morphemes = [{"form": "\ud800", "tag": "NNG"}]
    sentence = {"sent_id": "1", "eojeols": [{"form": "\ud800", "morphemes": morphemes}]}
    (tmp_path / "in.jsonl").write_text(json.dumps(sentence) + "\n", encoding="utf-8")
    done = cli("convert", "--from", "jsonl", "in.jsonl", "out.conllu")
    assert done.returncode == 1
    assert b'File "out.conllu"\nthe character U+D800 of the output is not text' in done.stderr
