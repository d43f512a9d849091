"""One command over many files: `IN … -o OUT/`, and `-o OUT` for one file of all."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from cases import cases

from sejongud import pipeline, process
from sejongud.commands import many
from sejongud.converters.jobs import Conversion
from sejongud.formats.finding import find_files
from sejongud.formats.sejong import SejongReader
from sejongud.process import locked_folder

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.formats.base import Block
    from sejongud.model import Sentence
    from sejongud.pipeline import Pipeline

CASES = cases("many")

A = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n비가\t비/NNG+가/JKS\n온다\t오/VV+ㄴ다/EF\n\n"
B = "한강의\t한강/NNP+의/JKG\n물\t물/NNG\n\n"
BAD = "나는\t나/NP+는\n\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files in a folder and one below it, with a file that is no corpus."""
    (tmp_path / "in" / "2.5판").mkdir(parents=True)
    for name, text in (("a.txt", A), ("b.txt", B), ("2.5판/c.txt", A), (".hidden.txt", A)):
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    (tmp_path / "in" / "README.md").write_text("About this corpus.\n", encoding="utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != many.JOURNAL
    }


def test_a_folder_becomes_a_folder(folder: Path, cli: Cli) -> None:
    said = cli("convert", "in", "-o", "out/", "-l", "3").told()
    assert said.endswith(
        "in/README.md: skipped: in no format that is known, nor Korean text\n"
        "3 files written to out/; 5 sentences, 10 words\n"
    )
    expected = {
        name: cli("convert", "-q", "-l", "3", f"in/{source}").stdout
        for source, name in (
            ("2.5판/c.txt", "2.5판/c.conllu"),
            ("a.txt", "a.conllu"),
            ("b.txt", "b.conllu"),
        )
    }
    assert contents(folder / "out") == expected


def test_a_folder_is_named_with_the_separator_of_windows(
    folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sep", "\\")
    cli("convert", "in", "-o", "out\\", "-l", "3").told()
    assert sorted(contents(folder / "out\\")) == ["2.5판/c.conllu", "a.conllu", "b.conllu"]


def test_what_the_program_wrote_is_passed_over(folder: Path, cli: Cli) -> None:
    assert cli("report", "in/a.txt", "in/page.html").returncode == 0
    (folder / "in" / "log.jsonl").write_text('{"code": "W106", "message": "x"}\n', "utf-8")
    said = cli("convert", "in", "-o", "out/").told()
    for name in ("page.html", "log.jsonl"):
        assert f"in/{name}: skipped: a page, a picture, a table or a list of incidents, as" in said
    assert set(contents(folder / "out")) == {"2.5판/c.conllu", "a.conllu", "b.conllu"}


def test_corrections_of_a_folder_are_read(folder: Path, cli: Cli, root: Path) -> None:
    (folder / "in" / "e.m2").write_bytes((root / "samples" / "learner.m2").read_bytes())
    said = cli("convert", "in", "-o", "out/").told()
    assert "e.m2: skipped" not in said
    assert set(contents(folder / "out")) == {"2.5판/c.conllu", "a.conllu", "b.conllu", "e.conllu"}
    assert "# m2 = A 2 4|||WS|||" in (folder / "out" / "e.conllu").read_text(encoding="utf-8")
    for options in ((), ("--roundtrip", "--no-progress")):
        assert "e.m2: skipped" not in cli("validate", *options, "in").told()
    assert "12 sentences, 59 eojeols, 0 errors\n" in cli("validate", "in/e.m2").told()
    assert (
        "59 matches in 12 of 12 sentences"
        in cli("grep", "--level", "1", "form=*", "in/e.m2").told()
    )


@pytest.mark.parametrize("action", ["convert --to jsonl", "apply", "annotate --to m2"])
def test_corrections_of_a_folder_are_written(
    action: str, tmp_path: Path, cli: Cli, root: Path
) -> None:
    (tmp_path / "in" / "b").mkdir(parents=True)
    files = {"a.m2": "learner.m2", "b/c.xml": "learner.xml"}
    for name, sample in files.items():
        (tmp_path / "in" / name).write_bytes((root / "samples" / sample).read_bytes())
    run = ("gec", *action.split(), "in", "-o", "out/")
    said = cli(*run).told()
    assert "W511" in said
    assert "2 files written to out/; 15 sentences, " in said
    alone = [cli("gec", *action.split(), f"in/{name}", "-q").stdout for name in files]
    assert list(contents(tmp_path / "out").values()) == alone
    assert "0 files written to out/; 2 were finished before" in cli(*run).told()


def test_inputs_of_one_name_keep_their_endings(folder: Path, cli: Cli) -> None:
    """Only outputs that would be the same file get longer names; the run tells so once."""
    (folder / "in" / "a.tsv").write_text(B, encoding="utf-8")
    (folder / "in" / "b.jsonl").write_bytes(
        cli("convert", "-q", "--to", "jsonl", "in/b.txt").stdout
    )
    names = ["2.5판/c", "a.tsv", "a.txt", "b.jsonl", "b.txt"]
    said = cli("convert", "in", "-o", "out/").told()
    assert said.count("keep the ending") == 1
    assert (
        "in/a.tsv and in/a.txt would both be written to a.conllu, so their outputs keep the ending"
        " of the input: a.tsv.conllu (4 outputs have such names)\n"
    ) in said
    assert sorted(contents(folder / "out")) == [f"{name}.conllu" for name in names]
    assert contents(folder / "out")["a.tsv.conllu"] == cli("convert", "-q", "in/a.tsv").stdout
    assert "5 were finished before" in cli("convert", "in", "-o", "out/").told()
    # In one file of all, a document has such a name, and an id stands for one sentence.
    cli("convert", "in", "-o", "all.conllu", "-q").told()
    lines = (folder / "all.conllu").read_text("utf-8").splitlines()
    assert [line.split(" = ")[1] for line in lines if "newdoc" in line] == names
    ids = [line for line in lines if line.startswith("# sent_id")]
    assert len(set(ids)) == len(ids) == 7


def test_a_run_that_an_error_ended_goes_on(folder: Path, cli: Cli) -> None:
    (folder / "in" / "ab.txt").write_text(BAD + A, encoding="utf-8")
    said = cli("convert", "in", "-o", "out/").told(1)
    assert "2 of 4 files stand in out/; an error ended the run. The same command with" in said
    said = cli("convert", "in", "-o", "out/", "--on-error", "skip").told(1)
    assert "2 files written to out/; 2 were finished before" in said
    said = cli("convert", "in", "-o", "out/").told(2)
    assert "out/ab.conllu and 1 more file exist already" in said


def test_processes_give_the_same(folder: Path, cli: Cli) -> None:
    (folder / "in" / "d.txt").write_text(B + B + BAD, encoding="utf-8")
    options = ("--on-error", "keep", "--log")
    said = cli("convert", "in", "-o", "one/", *options, "one.log").told(1)
    again = cli("convert", "in", "-o", "two/", *options, "two.log", "--jobs", "2").told(1)
    assert again == said.replace("one/", "two/")
    assert contents(folder / "one") == contents(folder / "two")
    assert (folder / "one.log").read_bytes() == (folder / "two.log").read_bytes()


def test_equal_conversions_share_what_they_remember(
    folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One work serves the files of one format, and begins each of them anew."""
    more = {"ab.txt": BAD + A, "d.conllu": cli("convert", "-q", "in/a.txt").stdout.decode()}
    for name, text in {**more, "e.txt": BAD + B + B}.items():
        (folder / "in" / name).write_text(text, encoding="utf-8")
    made = []
    make_pipeline = Conversion.make_pipeline

    def counted(job: Conversion) -> Pipeline:
        made.append(job.reader)
        return make_pipeline(job)

    options = ("--on-error", "skip", "-l", "3")
    with monkeypatch.context() as patch:
        patch.setattr(Conversion, "make_pipeline", counted)
        cli("convert", "in", "-o", "out/", *options).told(1)
    assert made == ["sejong", "conllu", "sejong"]
    cli("convert", "in", "-o", "two/", *options, "--jobs", "2").told(1)
    for name in ("2.5판/c.txt", "a.txt", "ab.txt", "b.txt", "d.conllu", "e.txt"):
        expected = cli("convert", "-q", *options, f"in/{name}").stdout
        output = f"{many.stem(name)}.conllu"
        assert contents(folder / "out")[output] == contents(folder / "two")[output] == expected
    assert pipeline._kept is None


def test_the_work_for_a_file_does_not_grow_with_their_number(
    folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of outputs is listed once, and to find a file takes three of its sentences."""
    listed, parsed = Counter[str](), 0
    entries, parse = process._entries, SejongReader.parse

    def counted(path: Path) -> list[str]:
        listed[path.name] += 1
        return entries(path)

    def counted_parse(reader: SejongReader, frame: Block) -> Sentence:
        nonlocal parsed
        parsed += 1
        return parse(reader, frame)

    for number in range(5):
        (folder / "in" / f"{number}.txt").write_text(A * 9, encoding="utf-8")
    monkeypatch.setattr(process, "_entries", counted)
    with monkeypatch.context() as patch:
        patch.setattr(SejongReader, "parse", counted_parse)
        assert [why for _, why in find_files(folder / "in")].count("") == 8
    assert parsed == 5 * 3 + 2 + 2 + 1
    (folder / "out").mkdir()
    left = folder / "out" / ".3.conllu.0123456789ab.tmp"  # A run that was killed left it.
    left.write_text("", encoding="utf-8")
    cli("convert", "in", "-o", "out/").told()
    assert listed["out"] <= 2
    assert not left.exists()


def test_files_become_one_file(folder: Path, cli: Cli) -> None:
    cli("convert", "in/a.txt", "in/b.txt", "-o", "all.conllu").told()
    made = (folder / "all.conllu").read_text("utf-8")
    one, other = [cli("convert", "-q", f"in/{name}.txt").stdout.decode() for name in "ab"]
    for name in "ab":
        one, other = (text.replace("# sent_id = ", f"# sent_id = {name}-", 9) if name in which
                      else text for which, text in (("a", one), ("b", other)))  # fmt: skip
    assert made == f"# newdoc id = a\n{one}# newdoc id = b\n{other}"
    cli("convert", "in/a.txt", "in/b.txt", "-o", "all.jsonl", "-q").told()
    objects = [json.loads(line) for line in (folder / "all.jsonl").read_text("utf-8").splitlines()]
    assert len(objects) == 3
    # Their ids stood twice, and nothing named their files.
    assert cli("convert", "all.jsonl", "-", "-q").stdout.decode() == made
    result = cli("convert", "in/b.txt", "in/a.txt", "-o", "-", "-q")
    assert result.stdout.decode().startswith(f"# newdoc id = b\n{other}")


@pytest.mark.parametrize(
    ("there", "back", "text"),
    [
        ("convert", "convert --to sejong", "나는\t나/NP+는/JX\n\n끝\t끝/NNG\n"),
        ("convert", "convert --to klue-dp", "## a\t끝\n1\t끝\t끝\tNNG\t0\tNP\n"),
        ("ner eoj2morph", "ner convert --to naver", "1\t민수\tPER_B\n2\t끝\t-"),
        (
            "frame eoj2morph",
            "frame morph2eoj",
            "#sentid:1\n#text:집에 살다\n0\t집에\t_\t_\tB-Place\n1\t살다\t살다.v\tResidence\tO",
        ),
    ],
)
def test_a_file_without_its_last_line_end_is_parted_from_the_next(
    there: str, back: str, text: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "a.tsv").write_text(text, encoding="utf-8")
    for name in ("a.conllu", "b.conllu"):
        cli(*there.split(), "a.tsv", name)
    cli(*back.split(), "a.conllu", "b.conllu", "-o", "all.tsv")
    between = "\n\n" if not text.endswith("\n") else "\n"
    assert (tmp_path / "all.tsv").read_text(encoding="utf-8") == f"{text}{between}{text}"


def test_columns_are_told_once(folder: Path, cli: Cli) -> None:
    options = ("--ne", "column", "-q")
    cli("convert", "in/a.txt", "in/b.txt", "-o", "all.conllu", *options).told()
    made = (folder / "all.conllu").read_text("utf-8")
    assert made.count("# global.columns") == 1
    assert made.index("# global.columns") == 0
    (folder / "plus.conllu").write_text(made, encoding="utf-8")
    (folder / "tree.txt").write_text("; 나는\n(NP 나/NP + 는/JX)\n", encoding="utf-8")
    said = cli("convert", "in/a.txt", "tree.txt", "-o", "two.conllu", "-q").told(2)
    assert "tree.txt has other columns than the files before it" in said
    assert not (folder / "two.conllu").exists()


# --- what is refused ------------------------------------------------------------------------------

REFUSED = CASES["REFUSED"]


@pytest.mark.parametrize(("line", "start", "end"), REFUSED)
def test_usage(line: str, start: str, end: str, folder: Path, cli: Cli) -> None:
    (folder / "link.txt").symlink_to("in/a.txt")
    (folder / "in" / "2.5판" / "a.txt").write_text(B, encoding="utf-8")
    (folder / "empty").mkdir()
    before = contents(folder / "in")
    if not start:  # --force alone lets a log take the place of an input.
        assert cli(*line.split()).returncode == 0
        return
    message = cli(*line.split()).told_only()
    assert start in message
    assert end in message
    assert contents(folder / "in") == before
    assert not [path for path in folder.glob("out/**/*") if path.is_file()]


def test_what_stands_there_is_kept(folder: Path, cli: Cli) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "b.conllu").write_text("my notes\n", encoding="utf-8")
    said = cli("convert", "in", "-o", "out").told(2)
    assert "out/b.conllu exist already" in said
    assert contents(folder / "out") == {"b.conllu": b"my notes\n"}
    cli("convert", "in", "-o", "out", "--force").told()
    assert len(contents(folder / "out")) == 3
    assert b"my notes" not in contents(folder / "out")["b.conllu"]


# --- a run that goes on ---------------------------------------------------------------------------


def killed_after(monkeypatch: pytest.MonkeyPatch, runs: int) -> pytest.MonkeyPatch:
    """Let the next command end by Ctrl-C before it has done more files."""
    run, done = many._run_one, [0]

    def run_some(task: Any) -> Any:
        done[0] += 1
        if done[0] > runs:
            raise KeyboardInterrupt
        return run(task)

    monkeypatch.setattr(many, "_run_one", run_some)
    return monkeypatch


def stamps(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.conllu")}


def test_a_run_goes_on(folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        killed_after(patch, 2)
        cli("convert", "in", "-o", "out/").told(130)
    before = stamps(folder / "out")
    assert list(before) == ["c.conllu", "a.conllu"] or len(before) == 2
    said = cli("convert", "in", "-o", "out/", "--jobs=1").told()
    assert said.endswith("1 file written to out/; 2 were finished before; 1 sentence, 2 words\n")
    assert before.items() < stamps(folder / "out").items()
    before = stamps(folder / "out")
    said = cli("convert", "in", "-o", "out/").told()
    assert said.endswith("0 files written to out/; 3 were finished before\n")
    assert stamps(folder / "out") == before
    # A file that is new, or whose output was removed, is done; no other is.
    (folder / "in" / "d.txt").write_text(B, encoding="utf-8")
    (folder / "out" / "b.conllu").unlink()
    assert "2 files written to out/; 2 were finished" in cli("convert", "in", "-o", "out/").told()


def test_a_signal_leaves_whole_outputs(folder: Path, root: Path, cli: Cli) -> None:
    text = (root / "samples" / "sejong.txt").read_bytes() * 9
    for number in range(30):
        (folder / "in" / f"{number:02}.txt").write_bytes(text)
    line = [sys.executable, "-m", "sejongud", "convert", "in", "-o", "out/", "--jobs", "2"]
    with subprocess.Popen(line, cwd=folder, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while len(stamps(folder / "out")) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.terminate()
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 143
    while hidden := list((folder / "out").rglob(".*.tmp")):  # The workers end after their parent.
        assert time.monotonic() < deadline, hidden
        time.sleep(0.01)
    before = stamps(folder / "out")
    cli("convert", "in", "-o", "out/").told()
    assert before.items() < stamps(folder / "out").items()
    assert len(stamps(folder / "out")) == 33
    expected = cli("convert", "-q", "in/07.txt").stdout
    assert {(folder / "out" / f"{at:02}.conllu").read_bytes() for at in range(30)} == {expected}


@pytest.mark.parametrize("change", ["options", "input", "output"])
def test_what_was_made_otherwise_is_not_finished(change: str, folder: Path, cli: Cli) -> None:
    cli("convert", "in", "-o", "out/").told()
    options = ["--level", "2"] if change == "options" else []
    if change == "input":
        (folder / "in" / "a.txt").write_text(A + B, encoding="utf-8")
    before = contents(folder / "out")
    if change == "output":  # The user's own work on an output is left alone.
        (folder / "out" / "a.conllu").write_text("mended\n", encoding="utf-8")
        assert "3 were finished before" in cli("convert", "in", "-o", "out/").told()
        assert contents(folder / "out")["a.conllu"] == b"mended\n"
        return
    said = cli("convert", "in", "-o", "out/", *options).told(2)
    assert "replaced only with --force" in said
    assert contents(folder / "out") == before
    cli("convert", "in", "-o", "out/", *options, "--force").told()
    assert contents(folder / "out") != before


def test_with_force_a_file_from_before_is_not_finished(
    folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "b.conllu").write_text("my notes\n", encoding="utf-8")
    with monkeypatch.context() as patch:
        killed_after(patch, 1)
        cli("convert", "in", "-o", "out/", "--force").told(130)
    said = cli("convert", "in", "-o", "out/").told(2)
    assert "out/b.conllu exist already" in said
    assert "2 files written to out; 1 was" in cli("convert", "in", "-o", "out", "--force").told()
    assert "# text = 한강의 물" in (folder / "out" / "b.conllu").read_text("utf-8")


def test_a_journal_that_is_none(folder: Path, cli: Cli) -> None:
    cli("convert", "in", "-o", "out/").told()
    for text in ("{", "[]", '{"a.conllu": 1}', '{"a.conllu": {}}'):
        (folder / "out" / many.JOURNAL).write_text(text, encoding="utf-8")
        said = cli("convert", "in", "-o", "out/").told(1)
        assert "no journal of a folder of outputs: remove it" in said


def test_two_runs_do_not_share_a_folder(folder: Path, cli: Cli) -> None:
    (folder / "out").mkdir()
    with locked_folder(folder / "out"):
        said = cli("convert", "in", "-o", "out/").told(1)
    assert said == "out: another run writes into this folder: wait until it has ended\n"
    assert "3 files" in cli("convert", "in", "-o", "out/").told()


# --- errors, incidents, progress ------------------------------------------------------------------


def test_an_error_stops_unless_it_is_kept(folder: Path, cli: Cli) -> None:
    (folder / "in" / "aa.txt").write_text(B + BAD, encoding="utf-8")
    (folder / "in" / "ab.txt").write_bytes(B.encode() + b"\xff\xff\xff")
    said = cli("convert", "in", "-o", "out/", "--from", "sejong").told(1)
    assert 'File "in/README.md"' in said
    (folder / "in" / "README.md").unlink()
    said = cli("convert", "in", "-o", "out/", "--from", "sejong").told(1)
    assert 'File "in/aa.txt", line 4' in said
    assert "Traceback" not in said
    assert sorted(contents(folder / "out")) == ["2.5판/c.conllu", "a.conllu"]
    options = ("--from", "sejong", "--on-error", "skip", "--log", "log")
    said = cli("convert", "in", "-o", "new/", *options).told(1)
    assert "4 files written to new/" in said
    log = [json.loads(line) for line in (folder / "log").read_text("utf-8").splitlines()]
    assert {one["path"] for one in log if one["code"][0] == "E"} == {"in/aa.txt", "in/ab.txt"}


def test_incidents_are_those_of_single_runs(root: Path, tmp_path: Path, cli: Cli) -> None:
    for number in range(2):
        text = (root / "samples" / "sejong-faults.txt").read_bytes()
        (tmp_path / f"{number}.txt").write_bytes(text)
    options = ("--on-error", "keep", "--log", "log")
    single = cli("convert", "0.txt", *options).stderr.decode().splitlines()
    counts = dict(pair.split() for pair in single[-1].removeprefix("incidents: ").split(", "))
    logged = (tmp_path / "log").read_text("utf-8")
    said = cli("convert", "0.txt", "1.txt", "-o", "out/", *options).told(1).splitlines()
    twice = ", ".join(f"{code} {2 * int(times)}" for code, times in counts.items())
    assert said[-2] == f"incidents: {twice}"
    log = (tmp_path / "log").read_text("utf-8")
    assert log.startswith(logged)


def test_one_bar(folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[list[Any]] = []

    class Bar:
        def update(self, n: float) -> None:
            bars[-1].append(n)

        def close(self) -> None:
            bars[-1].append("closed")

    def progress(*args: Any) -> Bar:
        bars.append([args])
        return Bar()

    monkeypatch.setattr("sejongud.files.progress", progress)
    monkeypatch.setattr(many, "progress", progress)
    cli("convert", "in/a.txt", "-o", "out/").told()
    cli("convert", "in/a.txt", "in/b.txt", "in/2.5판/c.txt", "-o", "out/").told()
    assert bars[-1] == [(3, "files", " files"), 1, 1, 1, "closed"]
    assert len(bars) == 2
    cli("convert", "in/a.txt", "in/b.txt", "-o", "new/", "--no-progress").told()
    assert len(bars) == 2


# --- the other commands ---------------------------------------------------------------------------

COMMANDS = [
    ("analyze text.txt other.txt", ".conllu"),
    ("generate sejong.txt sejong-line.txt", ".txt"),
    ("dep word2morph ud.conllu other.conllu", ".conllu"),
    ("ner eoj2morph naver-ner.tsv other.tsv --inherit", ".conllu"),
    ("ner crf ud.conllu other.conllu", ".txt"),
    ("tree level treebank.txt penn-korean.fid", ".mrg"),
    ("tree strip --unary treebank.txt other.conllu", ""),
    ("frame eoj2morph framenet.tsv other.tsv", ".conllu"),
]


@pytest.mark.parametrize(("line", "ending"), COMMANDS)
def test_every_conversion(line: str, ending: str, root: Path, tmp_path: Path, cli: Cli) -> None:
    words = line.split()
    inputs = [word for word in words if "." in word]
    rest = [word for word in words if word not in inputs]
    samples = root / "samples"
    first = samples / inputs[0]
    for name in inputs:
        source = samples / name if (samples / name).is_file() else first
        if name == "other.conllu" and "tree" in rest:
            source = samples / "expected" / "treebank.5.conllu"
        (tmp_path / name).write_bytes(source.read_bytes())
    # The sample of the treebank has faults.
    cli(*rest, *inputs, "-q", "-o", "out/").told(int("tree" in rest))
    expected = {}
    for name in inputs:
        stem, _, own = name.rpartition(".")
        expected[f"{stem}{ending or f'.{own}'}"] = cli(*rest, name, "-q").stdout
    assert contents(tmp_path / "out") == expected
    assert all(expected.values())


def test_one_input_with_an_output(folder: Path, cli: Cli) -> None:
    expected = cli("convert", "-q", "in/a.txt").stdout
    cli("convert", "in/a.txt", "-o", "x.conllu").told()
    assert (folder / "x.conllu").read_bytes() == expected
    assert cli("convert", "-q", "-o", "y.conllu", stdin=A.encode()).returncode == 0
    assert (folder / "y.conllu").read_bytes() == expected
    assert "is recognised as conllu" in cli("convert", "in/a.txt", "-o", "x.conllu").told(2)
