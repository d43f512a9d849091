"""Every kind of corpus is read by every command that reads sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sejongud
from sejongud.converters.jobs import Conversion, read
from sejongud.formats.conllu.layers import FRAME_COLUMNS, TREE_COLUMNS
from sejongud.model import Arcs, Constituent
from sejongud.terminal import counted

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SENTENCES = {
    "samples/sejong.txt": 22,
    "samples/jsonl.jsonl": 2,
    "samples/expected/sejong.3.conllu": 22,
    "samples/klue-ner.tsv": 8,
    "samples/naver-ner.tsv": 8,
    "samples/framenet.tsv": 6,
    "tests/data/ner/kips.txt": 2,
    "tests/data/ner/etri.json": 1,
    "tests/data/ner/brat.ann": 3,
    "samples/learner.m2": 12,
    "samples/learner.xml": 3,
    "samples/expected/learner.jsonl": 12,
}
COMMANDS = {
    "convert": ("{}", "-"),
    "generate": ("{}", "-"),
    "validate": ("{}",),
    "stats": ("{}",),
    "show": ("{}", "--limit", "1"),
    "grep": ("form=/./", "{}"),
    "freq": ("{}",),
    "report": ("{}",),
}
"""The arguments of each command that writes to standard output."""


@pytest.mark.parametrize("name", SENTENCES)
def test_every_command_reads_every_corpus(cli: Cli, root: Path, name: str) -> None:
    path = str(root / name)
    count = SENTENCES[name]
    said = {
        command: cli(command, *[path if word == "{}" else word for word in words])
        for command, words in COMMANDS.items()
    }
    assert {command: done.returncode for command, done in said.items()} == dict.fromkeys(said, 0)
    assert all([done.stdout for command, done in said.items() if command != "validate"])
    for command in ("convert", "generate", "validate"):
        assert f"\n{counted(count, 'sentence[s]')}, ".encode() in b"\n" + said[command].stderr
    assert len(list(sejongud.read(path))) == count


@pytest.mark.parametrize("name", ["samples/learner.m2", "samples/expected/learner.jsonl"])
def test_corrections_come_back_from_every_level(cli: Cli, root: Path, name: str) -> None:
    path = root / name
    done = cli("validate", "--roundtrip", "--select", "E9", path)
    row = done.stdout.decode().splitlines()[1].split()
    assert (done.returncode, row[:5]) == (0, ["gec", "level", "1-5", "12", "12"])


def test_convert_writes_edits_as_gec_convert_does(cli: Cli, root: Path, tmp_path: Path) -> None:
    path = root / "samples" / "learner.m2"
    assert cli("convert", path, "a.conllu").returncode == 0
    assert cli("gec", "convert", path, "-o", "b.conllu", "--to", "conllu").returncode == 0
    made = (tmp_path / "a.conllu").read_bytes()
    assert b"# m2 = A 2 4|||WS|||" in made
    assert made == (tmp_path / "b.conllu").read_bytes()


@pytest.mark.parametrize("to", ["conllu", "jsonl", "sejong"])
def test_targets_without_edits_stay_in_comments(cli: Cli, to: str) -> None:
    pairs = "나는 갓다.\t나는 갔다.\t나도 갔다.\n".encode()
    done = cli("convert", "--from", "tsv", "--to", to, stdin=pairs)
    text = done.stdout.decode()
    assert done.stderr.decode() == "1 sentence, 2 eojeols\n"
    assert text.index("target = 나는 갔다.") < text.index("target = 나도 갔다.")


@pytest.fixture
def layered(root: Path, tmp_path: Path) -> Path:
    """CoNLL-U Plus with every layer: dependencies, entities, frames, constituents, comments."""
    [sentence, *_] = read(root / "samples" / "framenet.tsv")
    sentence = Conversion("conllu", level=5).make_recut()(sentence)
    first, *others = sentence.eojeols
    words = len(list(sentence.words))
    inside = len(first.morphemes)
    sentence.arcs = Arcs((*range(2, words + 1), 0), (*["dep"] * (words - 1), "root"))
    sentence.entities = ((("B-PS", *["O"] * (inside - 1)), *[() for _ in others]),)
    sentence.constituents = (
        Constituent("S", 0, words, 0),
        Constituent("NP-SBJ", 0, inside, 1),
        Constituent("VP", inside, words, 1),
    )
    sentence.sent_id, sentence.comments = "my-1", ("newdoc id = d", "mine = x")
    conversion = Conversion("conllu", columns=(*FRAME_COLUMNS, *TREE_COLUMNS))
    writer = conversion.make_writer()
    path = tmp_path / "all.conllu"
    text = conversion.make_pipeline().preamble + writer.sentence(sentence)
    path.write_text(text, encoding="utf-8")
    return path


LAYERS = ("# newdoc id = d", "# mine = x", "\troot\t", "B-FrameTarget", "(S")


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "all.conllu", "out.conllu", "--level", "3"),
        ("ner", "syl2morph", "ents.tsv", "out.conllu", "--morphemes", "all.conllu"),
        ("ner", "eoj2morph", "ents.naver", "out.conllu", "--morphemes", "all.conllu"),
        ("ner", "merge", "ents.tsv", "all.conllu", "out.conllu"),
        ("ner", "convert", "all.conllu", "out.conllu"),
        ("ner", "crf", "all.conllu", "out.conllu", "--labels", "columns.txt"),
        ("frame", "eoj2morph", "frames.tsv", "out.conllu", "--morphemes", "all.conllu"),
        ("dep", "word2morph", "all.conllu", "out.conllu"),
        ("dep", "word2morph", "all.conllu", "out.conllu", "--level", "3"),
        ("tree", "strip", "all.conllu", "out.conllu"),
        ("gec", "convert", "all.conllu", "-o", "out.conllu", "--to", "conllu"),
    ],
    ids=" ".join,
)
def test_no_command_drops_a_layer(cli: Cli, layered: Path, words: tuple[str, ...]) -> None:
    before = (
        ("ner", "morph2syl", "all.conllu", "ents.tsv"),
        ("ner", "morph2eoj", "all.conllu", "ents.naver", "--to", "naver"),
        ("frame", "morph2eoj", "all.conllu", "frames.tsv"),
        ("ner", "crf", "all.conllu", "columns.txt"),
    )
    for made in before:
        if made[-1] in words or made[3] in words:
            assert cli(*made).returncode == 0
    message = cli(*words).told()
    text = layered.with_name("out.conllu").read_text(encoding="utf-8")
    lacking = [layer for layer in (*LAYERS, "NE=B-PS") if text.count(layer) != 1]
    # No level makes the chain of arcs inside the ranges, and level 3 joins some of their words.
    assert (lacking, "not written" in message) == ([], words[0] == "convert")
    assert text.count("# sent_id = ") == text.count("\n\n") == 1
    if words[0] != "frame":  # The instance of a frame has an id of its own.
        assert "# sent_id = my-1\n" in text


def test_entities_that_are_replaced_are_told(cli: Cli, layered: Path) -> None:
    assert cli("ner", "morph2syl", "all.conllu", "ents.tsv").returncode == 0
    old = layered.read_text(encoding="utf-8").replace("NE=B-PS", "NE=B-LC")
    layered.write_text(old, encoding="utf-8")
    assert "W441 하늘 (LC) is not written: the corpus has other entities there" in (
        cli("ner", "syl2morph", "ents.tsv", "out.conllu", "--morphemes", "all.conllu").told()
    )


@pytest.mark.parametrize("name", ["klue-ner.tsv", "framenet.tsv", "learner.m2", "text.txt"])
def test_tags_of_kiwi_are_no_gold(cli: Cli, root: Path, name: str) -> None:
    path = root / "samples" / name
    assert "no morphemes" in cli("eval", "pos", path, path).told(2)
