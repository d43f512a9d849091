"""A conversion gives the same bytes by every way: another level, a pipe, the library, parts."""

from __future__ import annotations

import gzip
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import sejongud
from sejongud.formats import WRITERS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

CORPORA = {
    "pud": "ud-korean-pud/ko_pud-ud-test.conllu",
    "ksl": "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "kaist": "ud-korean-kaist/ko_kaist-ud-dev.conllu",
}
SENTENCES = 5


def with_layers(text: str) -> str:
    """Give some words of a treebank entities, in one layer and in two, and all of them DEPS."""
    lines = []
    for number, line in enumerate(text.split("\n")):
        cells = line.split("\t")
        if len(cells) == 10:
            cells[8] = f"{cells[6]}:{cells[7]}"
            spread = "+" in cells[4]
            items = ["NE=B-PS", *(["NEMorph=1:B-PS"] if spread else [])] if number % 3 else []
            items += ["NE2=B-LC", *(["NE2Morph=1:B-LC"] if spread else [])] if number % 5 else []
            cells[9] = "|".join(filter("_".__ne__, (cells[9], *items))) or "_"
        lines.append("\t".join(cells))
    return "\n".join(lines)


@pytest.fixture(params=["made", "made with layers", *CORPORA])
def corpus(request: pytest.FixtureRequest, root: Path, tmp_path: Path) -> Path:
    """The first sentences of a treebank, in a file of their own."""
    name = request.param
    path = root / "samples" / "ud.conllu"
    if not name.startswith("made"):
        path = request.getfixturevalue("shared") / "data" / CORPORA[name]
    if not path.is_file():
        pytest.skip(f"no {path.name}")
    blocks = path.read_text(encoding="utf-8").split("\n\n")[:SENTENCES]
    text = "\n\n".join([block for block in blocks if block.strip()]) + "\n\n"
    text = with_layers(text) if name.endswith("layers") else text
    (tmp_path / "in.conllu").write_text(text, encoding="utf-8")
    return tmp_path / "in.conllu"


def converted(cli: Cli, *args: str | Path, stdin: bytes = b"") -> bytes:
    done = cli("convert", "-q", *args, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


LEVELS = "12345"


# Those of real treebanks: tests/test_morph2word.py.
@pytest.mark.parametrize("corpus", ["made with layers"], indirect=True)
def test_every_level_is_the_same_by_way_of_another(corpus: Path, cli: Cli) -> None:
    for level in LEVELS:
        (corpus.parent / level).write_bytes(converted(cli, "--level", level, corpus))
    for level in LEVELS:
        wanted = (corpus.parent / level).read_bytes()
        for other in LEVELS:
            assert converted(cli, "--level", level, corpus.parent / other) == wanted, (other, level)


def test_json_lines_are_the_same_sentences(corpus: Path, cli: Cli) -> None:
    for level in ("1", "3", "5"):
        wanted = converted(cli, "--level", level, corpus)
        lines = converted(cli, "--level", level, "--to", "jsonl", corpus)
        assert converted(cli, "--from", "jsonl", stdin=lines) == wanted, level


LAYERS = {
    "ud": ["convert", "ud.conllu"],
    "eojeols": ["ner", "eoj2morph", "naver-ner.tsv"],
    "entities": ["ner", "syl2morph", "klue-ner.tsv"],
    "frames": ["frame", "eoj2morph", "framenet.tsv"],
}


@pytest.mark.parametrize(
    ("layer", "command"),
    [
        *[("ud", f"dep {action}") for action in ("word2morph", "morph2word", "stats")],
        *[("entities", f"ner {action}") for action in ("morph2syl", "crf")],
        ("eojeols", "ner morph2eoj"),
        *[("frames", f"frame {action}") for action in ("morph2eoj", "stats")],
        *[("ud", f"eval {metric}") for metric in ("dep", "tokens")],
        ("entities", "eval ner"),
        ("frames", "eval frame"),
    ],
)
def test_commands_read_json_lines_as_conllu(
    layer: str, command: str, root: Path, tmp_path: Path, cli: Cli
) -> None:
    action, *names = LAYERS[layer]
    made = [root / "samples" / name if "." in name else name for name in names]
    assert cli(action, *made, "-q", "-o", "a.conllu").returncode == 0
    lines = converted(cli, "a.conllu", "--to", "jsonl")
    # The names are as long, since tables are as wide as they are.
    (tmp_path / "ab.jsonl").write_bytes(lines)
    inputs = 2 if command.startswith("eval") else 1
    wanted, done = [
        cli(*command.split(), *[name] * inputs, "-q") for name in ("a.conllu", "ab.jsonl")
    ]
    assert wanted.returncode == 0 and wanted.stdout, wanted.stderr
    assert done.stdout.replace(b"ab.jsonl", b"a.conllu") == wanted.stdout, done.stderr


@pytest.mark.parametrize(
    ("there", "back", "name"),
    [
        ("ner syl2morph", "ner morph2syl", "klue-ner.tsv"),
        ("ner eoj2morph", "ner morph2eoj", "naver-ner.tsv"),
        ("frame eoj2morph", "frame morph2eoj", "framenet.tsv"),
    ],
)
def test_a_corpus_comes_back_from_json_lines_with_its_layout(
    there: str, back: str, name: str, root: Path, tmp_path: Path, cli: Cli
) -> None:
    text = (root / "samples" / name).read_text("utf-8").replace("\n", "\r\n")
    (tmp_path / name).write_bytes(text.encode("utf-16"))
    assert cli(*there.split(), "-q", name, "-o", "a.conllu").returncode == 0
    assert cli("convert", "-q", "a.conllu", "-o", "a.jsonl").returncode == 0
    assert cli(*back.split(), "-q", "a.jsonl", "-o", "back").returncode == 0
    assert (tmp_path / "back").read_bytes() == (tmp_path / name).read_bytes()


def test_a_fault_in_json_lines_is_named_where_it_stands(tmp_path: Path, cli: Cli) -> None:
    text = converted(cli, "--to", "jsonl", stdin="나는\t나/NP+는/JX\n".encode())
    (tmp_path / "in.jsonl").write_bytes(text + b"{\n")
    done = cli("dep", "word2morph", "in.jsonl")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b'File "in.jsonl", line 2' in done.stderr


@pytest.mark.parametrize("corpus", ["made with layers"], indirect=True)
def test_two_files_are_the_same_together_and_apart(corpus: Path, cli: Cli) -> None:
    blocks = corpus.read_text(encoding="utf-8").removesuffix("\n\n").split("\n\n")
    half = len(blocks) // 2
    parts = {"a": blocks[:half], "b": blocks[half:]}
    for name, part in parts.items():
        text = "\n\n".join(part) + "\n\n"
        (corpus.parent / f"{name}.conllu").write_text(text, encoding="utf-8")
    wanted = converted(cli, "--level", "4", corpus)
    converted(cli, "--level", "4", "a.conllu", "b.conllu", "-o", "out/")
    apart = [(corpus.parent / "out" / f"{name}.conllu").read_bytes() for name in parts]
    assert b"".join(apart) == wanted


SAMPLES = (
    *("sejong-ids.txt", "sejong-line.txt", "sejong-senses.txt", "corpus-written.txt"),
    *("jsonl.jsonl", "ud.conllu", "treebank.txt", "penn-korean.fid", "klue-dp.tsv", "modu.json"),
)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_carries_a_sample_or_tells(
    name: str, root: Path, tmp_path: Path, cli: Cli
) -> None:
    """The CoNLL-U of a file is the same by way of another format, or the log has an incident."""
    source = root / "samples" / name
    keep = ["-q", "--on-error", "keep", "--force"]
    cli("convert", *keep, "--level", "5", source, "-o", "direct")
    carrying = []
    for other in WRITERS:
        logs = [tmp_path / f"{other}.{way}.log" for way in ("there", "back")]
        steps: list[list[str | Path]] = [
            [source, "-o", other, "--to", other],
            [other, "-o", "back", "--from", other, "--to", "conllu", "--level", "5"],
        ]
        done = [
            cli("convert", *keep, *step, "--log", log)
            for step, log in zip(steps, logs, strict=True)
        ]
        if done[0].returncode == 2:
            continue  # The format has no place for such a file, which the message says.
        same = (tmp_path / "back").read_bytes() == (tmp_path / "direct").read_bytes()
        assert same or any([log.read_bytes() for log in logs]), (other, done)
        carrying += [other] if same else []
    assert {"conllu", "jsonl"} <= {*carrying}


@pytest.mark.parametrize("corpus", ["made with layers", "kaist"], indirect=True)
def test_every_door_is_the_same(corpus: Path, cli: Cli) -> None:
    wanted = converted(cli, "--level", "5", corpus)
    data = corpus.read_bytes()
    (corpus.parent / "in.conllu.gz").write_bytes(gzip.compress(data))
    assert converted(cli, "--level", "5", stdin=data) == wanted
    assert converted(cli, "--level", "5", "in.conllu.gz") == wanted
    sejongud.convert(corpus, corpus.parent / "out.conllu", level=5)
    assert (corpus.parent / "out.conllu").read_bytes() == wanted
    blocks = data.decode().removesuffix("\n\n").split("\n\n")
    apart = [converted(cli, "--level", "5", stdin=f"{block}\n\n".encode()) for block in blocks]
    assert b"".join(apart) == wanted


@pytest.mark.parametrize("corpus", ["made with layers"], indirect=True)
@pytest.mark.parametrize(
    ("command", "arguments", "options", "typed"),
    [
        ("dep word2morph", ["in.conllu"], {"level": 3}, ["--level", "3"]),
        ("stats", ["in.conllu"], {"json": True, "on_error": None}, ["--json"]),
        ("validate", ["in.conllu"], {"select": ["E", "W3"]}, ["--select", "E,W3"]),
        ("grep", ["upos=NOUN", "in.conllu"], {"limit": 2, "from_": "conllu"},
         ["--limit", "2", "--from", "conllu"]),
        ("eval ner", ["in.conllu", "in.conllu"], {"json": True}, ["--json"]),
        ("ner check", ["in.conllu"], {"quiet": True}, ["-q"]),
    ],
)  # fmt: skip
def test_a_command_runs_in_python(
    command: str,
    arguments: list[str],
    options: dict[str, Any],
    typed: list[str],
    corpus: Path,
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (corpus.parent / "in.txt").write_text("나는 간다.\n", encoding="utf-8")
    done = cli(*command.split(), *arguments, *typed)
    monkeypatch.chdir(corpus.parent)
    ran = sejongud.run(command, *arguments, **options)
    wanted = done.returncode, done.stdout.decode(), done.stderr.decode()
    assert (ran.status, ran.output, ran.messages) == wanted


def test_a_command_in_python_raises_its_errors(root: Path, tmp_path: Path) -> None:
    faulty, report = root / "samples" / "sejong-faults.txt", sejongud.Report()
    with pytest.raises(sejongud.FormatError, match="expected two columns"):
        sejongud.run("convert", faulty, tmp_path / "out.conllu", report=report)
    assert report.counts["W102"] == 3
    assert not (tmp_path / "out.conllu").exists()
    kept = sejongud.Report()
    ran = sejongud.run("convert", faulty, tmp_path / "out.conllu", on_error="keep", report=kept)
    assert (ran.status, ran.output, kept.counts["E101"]) == (1, "", 2)
    again: dict[str, Any] = {"on_error": "keep", "force": True}
    for name in ("a.jsonl", "a.jsonl", "b.jsonl.gz", None):  # A log beside it changes nothing.
        logged, log = sejongud.Report(), name and tmp_path / name
        sejongud.run("convert", faulty, tmp_path / "out", report=logged, log=log, **again)
        assert logged.counts == kept.counts
    with pytest.raises(sejongud.UsageError):
        sejongud.run(
            "convert", report=(none := sejongud.Report()), log=tmp_path / "a.jsonl", level=9
        )
    assert not none.counts
    wrong: dict[str, dict[str, Any]] = {
        "dep morph2words": {},
        "convert": {"levels": 3},
        "stats": {"levels": None},
        "analyze": {"level": 0},
        "nothing": {},
    }
    for command, options in wrong.items():
        with pytest.raises(sejongud.UsageError, match=r"(?s)^(?!.*usage:).+"):
            sejongud.run(command, faulty, **options)
    with pytest.raises(FileNotFoundError):
        sejongud.run("stats", "nothing.txt")
    gold = root / "samples" / "eval" / "gold.conllu"
    ran = sejongud.run("eval dep", gold, gold, punctuation=False)
    assert "|punctuation:no|" in ran.output


@pytest.mark.parametrize("corpus", ["made with layers"], indirect=True)
def test_commands_of_several_threads_keep_their_output(corpus: Path) -> None:
    stream = sys.stdout
    (corpus.parent / "one.txt").write_text("나는\t나/NP+는/JX\n" * 2_000, encoding="utf-8")
    files = [corpus, corpus.parent / "one.txt"] * 3
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda file: sejongud.run("stats", file, json=True).output, files))
    assert sys.stdout is stream
    assert found == [sejongud.run("stats", file, json=True).output for file in files]


@pytest.mark.parametrize("corpus", ["made with layers"], indirect=True)
def test_nothing_opens_a_connection(
    corpus: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert converted(cli, "--level", "5", corpus)
    assert cli("report", "-q", corpus, "page.html").returncode == 0
    assert cli("analyze", "-q", stdin="나는 간다.\n".encode()).returncode == 0
