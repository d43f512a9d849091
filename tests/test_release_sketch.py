"""A sketched recipe builds, and every line of it is TOML once its # is removed."""

from __future__ import annotations

import shutil
import tomllib
from typing import TYPE_CHECKING

import pytest

from sejongud.errors import UsageError
from sejongud.release import build, sketch
from sejongud.release.keys import KEYS
from sejongud.release.recipe import load_recipe

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SAMPLES = (
    "sejong.txt",
    "ud.conllu",
    "naver-ner.tsv",
    "klue-ner.tsv",
    "framenet.tsv",
    "treebank.txt",
)


def test_the_files_decide_the_converters(root: Path, tmp_path: Path, cli: Cli) -> None:
    for name in SAMPLES:
        shutil.copy(root / "samples" / name, tmp_path)
    done = cli("release", "init", "-o", "recipe.toml", *SAMPLES)
    assert (done.returncode, done.stdout) == (0, b"")
    recipe = load_recipe(tmp_path / "recipe.toml")
    found = [(corpus.name, corpus.converter, corpus.paths) for corpus in recipe.corpora]
    assert found == [
        ("sejong", "convert", ("sejong.txt",)),
        ("ud", "dep word2morph", ("ud.conllu",)),
        ("naver-ner", "ner eoj2morph", ("naver-ner.tsv",)),
        ("klue-ner", "ner syl2morph", ("klue-ner.tsv",)),
        ("framenet", "frame eoj2morph", ("framenet.tsv",)),
        ("treebank", "convert", ("treebank.txt",)),
    ]
    # What is there is replaced only if that is said.
    assert cli("release", "init", "-o", "recipe.toml", "ud.conllu").returncode == 2
    assert cli("release", "init", "-o", "recipe.toml", "--force", "ud.conllu").returncode == 0
    release = build(tmp_path / "recipe.toml", tmp_path / "out")
    assert [one.sentences for one in release.corpora] == [10]


def test_folders_are_walked(root: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "in" / "more").mkdir(parents=True)
    for name in ("sejong.txt", "learner.m2", "release.toml"):
        shutil.copy(root / "samples" / name, tmp_path / "in")
    shutil.copy(root / "samples" / "sejong-ids.txt", tmp_path / "in" / "more")
    done = cli("release", "init", "in", "in/sejong.txt", "-o", "r.toml")
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [
        "in/learner.m2: skipped: in/learner.m2 has corrections (m2), which no release holds",
        "in/release.toml: skipped: in no format that is known, nor Korean text",
    ]
    corpora = load_recipe(tmp_path / "r.toml").corpora
    assert [one.paths for one in corpora] == [("in/more/sejong-ids.txt",), ("in/sejong.txt",)]
    (tmp_path / "none").mkdir()
    assert cli("release", "init", "none").returncode == 2


def test_every_key_is_there_and_every_line_is_toml(root: Path) -> None:
    text = sketch([root / "samples" / name for name in SAMPLES], root)
    tomllib.loads(text)
    lines = [line for line in text.splitlines() if line.startswith("# ") and " = " in line]
    for line in lines:
        tomllib.loads(line[2:])
    keys = {line.removeprefix("# ").partition(" = ")[0] for line in text.splitlines()}
    options = {f"options.{key}" for own in KEYS["options"].values() for key in own}
    for wanted in (KEYS["recipe"], KEYS["split"], KEYS["input"], options):
        assert set(wanted) - {"split", "outputs", "inputs", "options", "path", "paths"} <= keys


def test_files_that_are_parts_are_one_input(root: Path, tmp_path: Path) -> None:
    text = (root / "samples/ud.conllu").read_bytes()
    for name in (
        "x-ud-train-a.conllu",
        "x-ud-train-b.conllu",
        "x-ud-valid.conllu",
        "trained.conllu",
    ):
        (tmp_path / name).write_bytes(text)
    # Three corpora of one name.
    for name in ("sejong.txt", "naver-ner.tsv"):
        shutil.copy(root / "samples" / name, tmp_path / f"trained{name[-4:]}")
    (tmp_path / "r.toml").write_text(sketch(sorted(tmp_path.iterdir()), tmp_path), "utf-8")
    corpora = load_recipe(tmp_path / "r.toml").corpora
    assert [(one.name, one.paths, one.split.files) for one in corpora] == [
        ("trained", ("trained.conllu",), ()),
        ("trained-2", ("trained.tsv",), ()),
        ("trained-3", ("trained.txt",), ()),
        ("x-ud-a", ("x-ud-train-a.conllu",), ()),
        ("x-ud-b", ("x-ud-train-b.conllu",), ()),
        ("x-ud", ("x-ud-valid.conllu",), ()),
    ]


def test_parts_of_one_corpus(root: Path, tmp_path: Path) -> None:
    text = (root / "samples/ud.conllu").read_bytes()
    for name in ("dev.conllu", "test.conllu", "train.conllu"):
        (tmp_path / name).write_bytes(text)
    (tmp_path / "r.toml").write_text(sketch(sorted(tmp_path.iterdir()), tmp_path), "utf-8")
    (corpus,) = load_recipe(tmp_path / "r.toml").corpora
    assert corpus.split.files == ("train", "dev", "test")
    assert (corpus.name, corpus.paths[0]) == ("corpus", "train.conllu")


def test_what_no_release_can_hold_is_said(root: Path, tmp_path: Path, cli: Cli) -> None:
    with pytest.raises(UsageError, match="name the files"):
        sketch([])
    with pytest.raises(UsageError, match=r"learner\.m2 has corrections \(m2\), which no release"):
        sketch([root / "samples/learner.m2"])
    assert (
        b"--inputs no longer exists: build the recipe again"
        in cli("release", "init", "--inputs", "x", "y").stderr
    )
    assert cli("release", "init", "missing.txt").returncode != 0
    assert b"one folder too many: c" in cli("release", "verify", "b", "c").stderr
