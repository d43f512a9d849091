"""The samples become what stands in samples/expected/, which was read by eye, and come back."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from sejongud.api import convert
from sejongud.converters.jobs import read
from sejongud.formats.sejong import SejongWriter
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SAMPLES = [
    "corpus-spoken.txt", "corpus-written.txt", "framenet.txt", "jsonl.jsonl", "klue-dp.tsv",
    "modu.json", "naver-ner.txt", "sejong-faults.txt", "sejong-ids.txt", "sejong-line.txt",
    "sejong-senses.txt", "text.txt", "ud.conllu",
]  # fmt: skip
TREES = [*[("treebank.txt", level) for level in LEVELS], ("penn-korean.fid", 5)]
LEVELLED = [("sejong.txt", level) for level in LEVELS]
GOLDEN = [*LEVELLED, *[(name, 5) for name in SAMPLES], *TREES]
FIGURE = "treebank-figure.txt"
LEARNER = {"m2": "learner.m2", "jsonl": "learner.jsonl", "conllu": "learner.5.conllu"}
BY_KIWI = {"sejong-line.txt", "text.txt"}
KIWI = f"kiwipiepy {version('kiwipiepy')}, kiwipiepy_model {version('kiwipiepy_model')}"


def expected(root: Path, name: str, level: int) -> Path:
    return root / "samples" / "expected" / f"{name.partition('.')[0]}.{level}.conllu"


def skip_if_by_another_kiwi(root: Path, name: str) -> None:
    if name in BY_KIWI and KIWI not in expected(root, "text.txt", 5).read_text(encoding="utf-8"):
        pytest.skip("made by another Kiwi")


def sejong(path: Path) -> str:
    """A file as Sejong text, without what that has no place for."""
    writer = SejongWriter()
    texts = []
    for sentence in read(path, on_error="keep"):
        sentence.arcs, sentence.entities, sentence.is_treebank = None, (), False
        texts.append(writer.sentence(sentence))
    return "".join(texts)


@pytest.mark.parametrize(("name", "level"), GOLDEN)
def test_a_sample_becomes_what_is_expected(
    root: Path, tmp_path: Path, name: str, level: int
) -> None:
    skip_if_by_another_kiwi(root, name)
    convert(root / "samples" / name, tmp_path / "out", level=level, on_error="keep")
    found = (tmp_path / "out").read_text(encoding="utf-8")
    assert found == expected(root, name, level).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "level"), GOLDEN)
def test_what_is_expected_comes_back(root: Path, name: str, level: int) -> None:
    skip_if_by_another_kiwi(root, name)
    assert sejong(expected(root, name, level)) == sejong(root / "samples" / name)


@pytest.mark.parametrize("level", LEVELS)
def test_the_tree_of_the_figure_has_five_views(root: Path, tmp_path: Path, level: int) -> None:
    """Figure 2.6 of the memoir, whose words are those of Table 2.1's levels."""
    convert(root / "samples" / FIGURE, tmp_path / "out", to="brackets", level=level)
    found = (tmp_path / "out").read_text(encoding="utf-8")
    assert found == view(root, level).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "back"), [("2.3b.txt", "treebank"), ("2.4.fid", "penn-korean")])
def test_trees_of_the_figures_need_no_line_of_text(
    cli: Cli, root: Path, name: str, back: str
) -> None:
    """Figures 2.3(b) and 2.4 of the memoir, with the text that their morphemes make."""
    figure = root / "tests" / "data" / "figures" / name
    done = cli("convert", figure, "a.conllu")
    assert f"detected format: {back}".encode() in done.stderr
    assert done.stderr.count(b"I107 the form was made") == 1
    golden = figure.with_name(f"{name.rpartition('.')[0]}.conllu").read_bytes()
    assert cli("convert", figure, "-", "-q").stdout == golden
    level = "2" if back == "penn-korean" else "5"
    assert (
        cli("convert", "a.conllu", "-", "--to", back, "--level", level).stdout
        == figure.read_bytes()
    )


@pytest.mark.parametrize("to", ["igt", "latex", "expex"])
def test_the_example_of_the_memoir(cli: Cli, root: Path, to: str) -> None:
    """Example (2.1) as printed, the columns of `igt` drawn together; for gb4e and expex."""
    figure = root / "tests" / "data" / "figures" / "2.1.sejong"
    shown = cli("show", figure, "--to", to, "--width", "1000", "-q").stdout.decode()
    printed = figure.with_suffix(".txt" if to == "igt" else f".{to}").read_text(encoding="utf-8")
    assert (re.sub(" +", " ", shown) if to == "igt" else shown) == printed


def test_the_tree_of_the_figure_in_latex(cli: Cli, root: Path) -> None:
    """Figure 2.6(a), for the package forest."""
    shown = cli("show", root / "samples" / FIGURE, "--to", "forest", "-q").stdout
    assert shown == (root / "tests" / "data" / "figures" / "2.6a.forest").read_bytes()


def test_the_segmented_text_of_the_figure(cli: Cli, root: Path) -> None:
    """Figure 2.6(b) as printed: the sentence, and its morphemes as input of translation."""
    figures = root / "tests" / "data" / "figures"
    text, tokens = (figures / "2.6b.txt").read_text(encoding="utf-8").splitlines()
    done = cli("convert", figures / "2.1.sejong", "-", "--to", "tokens", "-q")
    assert done.stdout.decode() == f"{tokens}\n"
    cli("convert", figures / "2.1.sejong", "marked.txt", "--to", "tokens", "--mark", "-q")
    assert cli("generate", "marked.txt", "-", "-q").stdout.decode() == f"{text}\n"


def view(root: Path, level: int) -> Path:
    return root / "samples" / "expected" / f"treebank-figure.{level}.mrg"


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_expected_becomes_what_is_expected_at_the_other_levels(
    root: Path, tmp_path: Path, level: int
) -> None:
    for other in LEVELS:
        convert(expected(root, "sejong.txt", level), tmp_path / "out", level=other)
        found = (tmp_path / "out").read_text(encoding="utf-8")
        assert found == expected(root, "sejong.txt", other).read_text(encoding="utf-8")


@pytest.mark.parametrize("to", LEARNER)
def test_learner_text_becomes_edits(root: Path, cli: Cli, to: str) -> None:
    skip_if_by_another_kiwi(root, "text.txt")
    samples = root / "samples"
    texts = [samples / f"learner.{side}.txt" for side in ("source", "target")]
    done = cli("gec", "annotate", *texts, "--to", to, "-q")
    folder = samples if to == "m2" else samples / "expected"
    assert done.stdout.decode() == (folder / LEARNER[to]).read_text(encoding="utf-8")


def test_every_sample_has_an_expected_output(root: Path) -> None:
    # Corpora of entities, of frames and of corrections, recipes of releases.
    others = ("-ner.tsv", "framenet.tsv", ".toml")
    files = [path.name for path in (root / "samples").iterdir() if path.is_file()]
    files = [name for name in files if not name.endswith(others) and "learner." not in name]
    known = {FIGURE, *[name for name, _ in GOLDEN]}
    assert set(files) - known == set(), "samples/ has files that SAMPLES or TREES do not name"
    assert known - set(files) == set(), "SAMPLES or TREES name files that samples/ has not"
    outputs = {expected(root, name, level).name for name, level in GOLDEN}
    outputs.add("framenet.frames.conllu")  # see test_frames
    outputs |= {name for name in LEARNER.values() if name != "learner.m2"}
    outputs |= {view(root, level).name for level in LEVELS}
    found = {path.name for path in (root / "samples" / "expected").iterdir()}
    assert found - outputs == set(), "samples/expected/ has outputs of no sample"
    assert outputs - found == set(), "outputs of samples are missing from samples/expected/"
