"""The conventions of the options: short names, aliases, what was meant, `help`, endings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sejongud

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TEXT = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n"

MEANT = [
    ("convert a --levle=3", "--levle=3; did you mean --level?"),
    ("convert a --form=sejong", "--form=sejong; did you mean --from?"),
    ("analyze --lemma-scheme x", "--lemma-scheme; did you mean --lemmas?"),
    ("dep word2morph a --schema ud", "--schema ud; did you mean --scheme?"),
    ("ner eoj2morph a --inherits", "--inherits; did you mean --inherit?"),
    ("gec annotate a --shceme errant", "--shceme errant; did you mean --scheme?"),
    ("eval dep a b --bootstap=9", "--bootstap=9; did you mean --bootstrap?"),
    ("convert a --zzz", "--zzz\n"),
]


@pytest.mark.parametrize(("line", "message"), MEANT)
def test_the_option_that_was_meant(line: str, message: str, cli: Cli) -> None:
    result = cli(*line.split())
    assert (result.returncode, result.stdout) == (2, b"")
    command = " ".join(line.split()[: 1 + (line.split()[0] in ("dep", "ner", "gec", "eval"))])
    said = result.stderr.decode()
    assert f"sejongud {command}: error: unrecognized arguments: {message}" in said
    assert said.startswith(f"usage: sejongud {command} ")


@pytest.mark.parametrize("words", [["convert"], ["dep", "word2morph"], []])
def test_help(words: list[str], cli: Cli) -> None:
    result = cli("help", *words)
    assert (result.returncode, result.stdout) == (0, cli(*words, "--help").stdout)


def test_help_of_what_does_not_exist(cli: Cli) -> None:
    result = cli("help", "cnovert")
    assert result.returncode == 2
    assert b"did you mean convert?" in result.stderr


def test_short_names(cli: Cli) -> None:
    assert cli("-V").stdout == f"sejongud {sejongud.__version__}\n".encode()
    assert cli("-V", "--versions").stdout.startswith(b"sejongud ")
    short, long = (cli("convert", option, "3", "-q", stdin=TEXT.encode()).stdout
                   for option in ("-l", "--level"))  # fmt: skip
    assert short == long != cli("convert", "-q", stdin=TEXT.encode()).stdout


@pytest.mark.parametrize("option", ["--log", "--report"])
@pytest.mark.parametrize("line", ["convert in", "validate in", "gec stats learner.m2"])
def test_the_log_has_two_names(
    option: str, line: str, root: Path, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "in").write_text(TEXT.replace("NP", "NX"), encoding="utf-8")
    (tmp_path / "learner.m2").write_bytes((root / "samples" / "learner.m2").read_bytes())
    assert cli(*line.split(), option, "log").returncode in (0, 1)
    assert (tmp_path / "log").is_file()
    assert "--report" not in cli(*line.split()[:-1], "--help").stdout.decode()


def test_the_format_of_the_input_has_two_names(root: Path, cli: Cli) -> None:
    path = root / "samples" / "naver-ner.tsv"
    line = ("ner", "eoj2morph", path, "--morphemes", root / "samples" / "naver-ner.txt", "-q")
    made = [cli(*line, option, "naver").stdout for option in ("--from", "--format")]
    assert made[0] == made[1] == cli(*line).stdout != b""
    back = [
        cli("ner", "morph2eoj", "-q", option, "naver:PER-B", stdin=made[0])
        for option in ("--to", "--format")
    ]
    assert back[0].stdout == back[1].stdout != b""
    score = [cli("eval", "ner", path, path, option, "naver") for option in ("--from", "--format")]
    assert score[0].stdout == score[1].stdout != b""
    for command in ("ner eoj2morph", "ner morph2eoj", "eval ner"):
        assert "--format" not in cli("help", *command.split()).stdout.decode()


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("convert in out.jsonl", "{"),
        ("convert in -o out.jsonl.gz", "\x1f"),
        ("convert in out.jsonl --to sejong", "나는\t"),
        ("convert in out.conllu", "# sent_id"),
        ("convert in out.txt", "# sent_id"),
        ("convert in out", "# sent_id"),
        ("convert out.trees.conllu -o out.mrg", "("),
    ],
)
def test_the_format_follows_the_ending(
    line: str, start: str, root: Path, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "in").write_text(TEXT, encoding="utf-8")
    trees = (root / "samples" / "expected" / "treebank.5.conllu").read_bytes()
    (tmp_path / "out.trees.conllu").write_bytes(trees)
    result = cli(*line.split(), "-q")
    assert not result.stdout
    made = tmp_path / next(word for word in reversed(line.split()) if word.startswith("out"))
    assert made.read_bytes().decode("latin-1").startswith(start.encode().decode("latin-1"))
