"""The manual has all that the registers have, and its examples run as they stand there."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest
from made import DOCS, cells, cures, expanded, help_pages, recipe_tables
from typed import Block, blocks, run_line

from sejongud.arguments import homes
from sejongud.converters.joined_words import OWN_KEYS as OF_WORDS
from sejongud.formats import FORMATS
from sejongud.formats.misc import MORPHEME_KEYS, PLACE_KEYS
from sejongud.gec import maxmatch
from sejongud.release.keys import KEYS
from sejongud.rules import load
from sejongud.validation import codes

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

HANGUL = re.compile("[가-힣]")
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path for path in sorted(DOCS.rglob("*.md"))
}
"""Name of a page of the manual, `ko/` before the Korean ones → its file."""


@cache
def page(name: str) -> str:
    return expanded(PAGES[name].read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_page_is_made_and_in_the_contents(name: str) -> None:
    text = page(name)
    assert "<!-- made:" not in text
    folder, _, own = name.rpartition("/")
    contents = page(f"{folder}/index" if folder and own != "index" else "index").splitlines()
    assert name == "index" or (name if own == "index" else own) in contents


def test_every_format() -> None:
    text = page("formats")
    for name in FORMATS:
        assert f"[{name}](#format-{name})" in text
        own = text.partition(f"(format-{name})=\n## {name}\n")[2].partition("\n(format-")[0]
        assert "Commands: `" in own, name
        assert "\n````" in own or "`" in own.replace("Commands: `", "", 1), name


def test_every_key_of_misc() -> None:
    text = page("formats")
    keys = MORPHEME_KEYS | PLACE_KEYS | OF_WORDS
    assert [key for key in sorted(keys) if f"`{key}=" not in text] == []


def test_every_code_has_a_cause_and_a_cure() -> None:
    text = page("codes")
    for code, meaning in codes().items():
        cure = cures().get(code, "")
        assert cure.endswith("."), f"docs/cures.tsv has no row for {code} ({meaning})"
        assert f"| **{code}** | " in text
    assert set(cures()) == set(codes())


def test_korean_cures_of_codes() -> None:
    rows = re.findall(r"^\| \*\*(\w+)\*\* \| (.+) \| (.+) \|$", page("ko/codes"), re.MULTILINE)
    names = [code for code, *_ in rows]
    assert len(names) == len(set(names)) >= 40
    assert set(names) <= set(codes())
    assert [code for code, *texts in rows if not all(map(HANGUL.search, texts))] == []
    assert [code for code, _, cure in rows if not cure.endswith(".")] == []


def test_search_finds_words_of_korean() -> None:
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    split = import_module("conf").SearchKorean({}).split
    words = {"어절을", "형태소에서는", "개체명의", "말뭉치이며", "words"}
    assert {*split("어절을 형태소에서는 개체명의 말뭉치이며 words")} == {
        *words,
        *("어절", "형태소", "개체명", "말뭉치"),
    }


def test_every_key_of_a_recipe() -> None:
    text = page("recipes")
    for place, keys in recipe_tables(KEYS):
        own = text.partition(f"## {place}\n")[2].partition("\n## ")[0]
        for name in keys if place != "types" else ():
            assert f"| `{name}`" in own, (place, name)


def test_every_command_has_its_use() -> None:
    text = PAGES["index"].read_text(encoding="utf-8")
    assert [name for name in homes() if f"`sejongud {name}" not in text] == []


def test_every_command_and_option() -> None:
    text = page("commands")
    for words, shown in help_pages().items():
        assert f"# {words}\n\n````text\n{shown.rstrip()}\n````" in text
        assert re.search(r"^  -h, --help ", shown, re.MULTILINE), words


@pytest.mark.parametrize("package", ["sejongud", "sejongud.evaluation", "sejongud.gec"])
def test_every_public_name(package: str) -> None:
    module = import_module(package)
    text = page("api")
    for name in module.__all__:
        assert f":: {package}.{name}\n" in text or not callable(getattr(module, name)), name


def test_every_table_of_the_rules() -> None:
    text = page("scheme")
    assert [name for name in load().names if f"| `{name}` |" not in text] == []


def missing(block: Block) -> str:
    """Return the libraries without which a block is left out: those that it names or imports."""
    names = set(block.needs)
    if block.language == "python":
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module or "")
    return ", ".join(name for name in sorted(names) if find_spec(name.partition(".")[0]) is None)


READMES = [DOCS.parent / name for name in ("README.md", "README.ko.md")]


# The tutorial of corrections is run, and its outputs compared, by tests/test_gec_command.py.
@pytest.mark.usefixtures("few_trips")
@pytest.mark.parametrize(
    "path",
    [*[path for name, path in PAGES.items() if name != "corrections"], *READMES],
    ids=lambda path: path.relative_to(DOCS.parent).as_posix(),
)
def test_commands_of_a_page_run(
    path: Path, root: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GLEU over several references draws among them, for each sample of a test of significance.
    monkeypatch.setattr(maxmatch, "_DRAWS", 20)
    text = path.read_text(encoding="utf-8")
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    for block in blocks(text, "sh", "powershell", "python"):
        # A cluster is asked for by tests/test_spark.py.
        if missing(block) or "pyspark" in block.text:
            continue
        if block.language == "python":
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(tmp_path)
                exec(compile(block.text, path.name, "exec"), {})
            continue
        for line in block.text.splitlines():
            # .ci/run has the lines of installation, which only READMEs have.
            if path not in READMES or line.startswith("sejongud "):
                run_line(line, tmp_path, cli)


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_outputs_of_readme(path: Path, root: Path, tmp_path: Path, cli: Cli) -> None:
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    for command, output in re.findall(
        r"^```text\n\$ (.+)\n((?s:.*?))^```$", path.read_text(encoding="utf-8"), re.MULTILINE
    ):
        assert run_line(command, tmp_path, cli).decode() == output


def test_outputs_on_the_page_of_evaluation(root: Path, tmp_path: Path, cli: Cli) -> None:
    """The table that stands behind commands is what the last of them prints."""
    text = PAGES["evaluation"].read_text(encoding="utf-8")
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    printed = b""
    for block in blocks(text, "sh", "text"):
        if block.language == "text":
            assert printed.decode() == block.text
        for line in block.text.splitlines() if block.language == "sh" else ():
            printed = run_line(line, tmp_path, cli)
    for options, right in ((["--unit", "character"], 16), ([], 15)):
        done = cli("eval", "ner", "--json", *options, "klue-ner.tsv", "klue.conllu")
        found = {score["name"]: score for score in json.loads(done.stdout)["scores"]}["Entities"]
        assert (found["tp"], found["fn"]) == (right, 16 - right)


def test_messages_on_the_korean_page_of_errors(root: Path, tmp_path: Path, cli: Cli) -> None:
    text = PAGES["ko/errors"].read_text(encoding="utf-8")
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    [block] = blocks(text, "text")
    command, *messages = block.text.splitlines()
    assert {*messages} <= {*cli(*command.removeprefix("$ sejongud ").split()).told(1).splitlines()}
    assert "Sejongud=" in (tmp_path / "kept.conllu").read_text(encoding="utf-8")


def test_cells_of_the_notebook_run(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    shown: list[Any] = []
    for kind, text in cells("notebook.ipynb"):
        if kind == "code":
            tree = ast.parse(text)
            last = tree.body.pop()
            exec(compile(tree, text, "exec"), names)
            assert isinstance(last, ast.Expr)
            shown.append(eval(compile(ast.Expression(last.value), text, "eval"), names))
    assert shown[0][0] == 22
    cells_of_code = json.loads((DOCS / "notebook.ipynb").read_text("utf-8"))["cells"]
    outputs = [cell["outputs"][0]["data"] for cell in cells_of_code if cell["cell_type"] == "code"]
    texts = ["".join(data["text/plain"]) for data in outputs]
    assert [ast.literal_eval(texts[n]) for n in (0, 3)] == [shown[0], shown[3]]
    assert "".join(outputs[1]["text/html"]) == shown[1]._repr_html_()
    # Other versions of pandas write other markup.
    assert all("<table" in "".join(outputs[n]["text/html"]) for n in (2, 4, 5))
    assert shown[3][4] == ["세계적이", "ㄴ"]
    assert shown[4].loc[5, "complex"] == 0


def test_every_promise_names_a_test_or_a_script_that_exists() -> None:
    parts = page("promises").split("\n## ")[1:]
    named = [re.findall(r"(?:tests|benchmarks)/\w+\.py", part) for part in parts]
    assert len(parts) > 4
    assert all(named)
    assert [name for names in named for name in names if not (DOCS.parent / name).is_file()] == []
