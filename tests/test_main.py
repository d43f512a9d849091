from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sejongud
from sejongud import errors
from sejongud.__main__ import main
from sejongud.arguments import commands, count, homes, positive, resolved
from sejongud.errors import FormatError, SejongudError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Cli

COMMAND = '''"""Copy a text.

With more to say about it.
"""
import errno, sys, time
from sejongud.arguments import Command, Option, commands, options
from sejongud.commands import *
from sejongud.errors import *

ERRORS = {
    "sejongud": SejongudError("it is so"),
    "korean": SejongudError("한글"),
    "usage": UsageError("not so"),
    "format": FormatError("no tag", path="a", line=3),
    "memory": MemoryError(),
    "recursion": RecursionError(),
    "interrupt": KeyboardInterrupt(),
    "pipe": BrokenPipeError(errno.EPIPE, "Broken pipe"),
    "bug": ValueError(),
}

options()["raise"] = Option("raise", "--raise", "error", "ERROR")
options()["incidents"] = Option("incidents", "--incidents", "", "N", "count", "", "0")
options()["sleep"] = Option("sleep", "--sleep", "", "N", "number", "", "0")
commands()["copy"] = Command(
    "copy", about=__doc__, writes="conllu", fixed="joins=True",
    options="named; target; +common; raise; incidents; sleep",
)

def run(args):
    with reporting(args) as report, open_input(args) as source, open_output(args) as stream:
        for chunk in source.chunks():
            stream.write(chunk)
        stream.flush()
        for number in range(args.incidents):
            report.add(Incident("W101", f"number {number}", args.input, number + 1))
        time.sleep(args.sleep)
        if args.error == "surrogate":
            stream.write(chr(0xD800))
        elif args.error:
            raise ERRORS[args.error]
    return 1 if report.errors else 0
'''

RUN = """
import sys
from sejongud.__main__ import main
import command_of_the_test
if __name__ == "__main__":
    sys.exit(main(commands={"copy": "command_of_the_test:run", "other": "not_there:run"}))
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[list[str]]:
    """How to run a `sejongud` that has one command, `copy`."""
    place = tmp_path / "script"
    place.mkdir()
    (place / "command_of_the_test.py").write_text(COMMAND)
    (place / "main.py").write_text(RUN)
    yield [sys.executable, str(place / "main.py")]


def run(
    script: list[str], *args: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*script, *map(str, args)],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, **(env or {})},
    )


class TestWithoutCommand:
    def test_version(self, cli: Cli) -> None:
        result = cli("--version")
        assert result.stdout == f"sejongud {sejongud.__version__}\n".encode()
        assert (result.returncode, result.stderr) == (0, b"")

    @pytest.mark.parametrize(
        ("arguments", "slow"),
        [
            (["--version"], {"argparse", "json", "sejongud.rules"}),
            (["gec", "--help"], {"jinja2", "json", "sejongud.gec.annotator"}),
            (["gec", "score", *["samples/learner.m2"] * 2], {"jinja2", "sejongud.gec.annotator"}),
            (
                ["convert", "-q", "samples/sejong.txt", os.devnull],
                {"bz2", "copy", "dataclasses", "gzip", "inspect", "lzma", "shutil", "tempfile"}
                | {"json", "threading"}
                | {f"sejongud.converters.{name}" for name in ("relations", "word2morph")}
                | {f"sejongud.formats.{name}" for name in ("columns", "records", "treebank")},
            ),
        ],
    )
    def test_a_start_imports_nothing_slow(
        self, arguments: list[str], slow: set[str], root: Path
    ) -> None:
        slow |= {"conllu", "kiwipiepy", "numpy", "pandas", "tqdm"}
        code = f"""if 1:
            import sys
            from contextlib import suppress
            from sejongud.__main__ import main
            with suppress(SystemExit):
                assert not main({arguments})
            print(sorted({slow} & set(sys.modules)))
        """
        command = [sys.executable, "-c", code]
        result = subprocess.run(command, capture_output=True, check=True, cwd=root)
        assert result.stdout.splitlines()[-1] == b"[]"

    def test_versions(self, cli: Cli) -> None:
        pytest.importorskip("sejongud.rules")
        shown = dict(line.split(" ") for line in cli("--versions").stdout.decode().splitlines())
        assert set(shown) > {"sejongud", "python", "kiwipiepy", "kiwipiepy_model", "rules"}
        assert re.fullmatch("[0-9a-f]{12}", shown["rules"])

    def test_help_lists_the_commands(self, cli: Cli) -> None:
        shown = cli("--help").stdout.decode()
        for name in homes():
            assert re.search(rf"^  {name} +\w.*", shown, re.MULTILINE)

    def test_no_command(self, cli: Cli) -> None:
        result = cli()
        assert (result.returncode, result.stderr) == (0, b"")
        assert result.stdout == cli("--help").stdout

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("cpoy a --level 5", "did you mean copy?"),
            ("-q copy", "after the command"),
            ("copy --jobs many", "--jobs"),
        ],
    )
    def test_wrong_usage(self, script: list[str], line: str, message: str) -> None:
        result = run(script, *line.split())
        assert (result.returncode, result.stdout) == (2, b"")
        assert message in result.stderr.decode()

    @pytest.mark.parametrize(
        ("word", "command"),
        [
            ("kwic", "grep"), ("Concordance", "grep"), ("search", "grep"), ("frequency", "freq"),
            ("용례", "grep"), ("빈도", "freq"), ("평가", "eval"),
            ("keyness", "freq"), ("collocates", "freq"), ("statz", "stats"),
        ],
    )  # fmt: skip
    def test_words_of_linguists_are_told_the_command(
        self, word: str, command: str, cli: Cli
    ) -> None:
        message = cli(word, "a.txt").told_only()
        told = {"stats": "did you mean stats?"}.get(command, f"the command is sejongud {command}")
        assert f"no command {word!r}; {told}" in message

    def test_every_command_has_its_function(self) -> None:
        abouts = [row.about for name, row in commands().items() if name[0] != "+"]
        for about in [about for about in abouts if ":" in about and " " not in about]:
            work = resolved(about)
            assert callable(getattr(work, "run", work)), about


class TestCommand:
    def test_help_is_the_docstring(self, script: list[str]) -> None:
        shown = run(script, "copy", "--help").stdout.decode()
        assert shown.startswith("usage: sejongud copy ")
        assert "With more to say about it." in shown

    def test_only_its_module_is_imported(self, script: list[str]) -> None:
        # The other command of the table does not exist.
        assert run(script, "copy", stdin=b"a\n").stdout == b"a\n"

    def test_files(self, script: list[str], tmp_path: Path) -> None:
        (tmp_path / "in.txt").write_bytes("가\r\n".encode("cp949"))
        result = run(script, "copy", tmp_path / "in.txt", tmp_path / "out.txt")
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
        assert (tmp_path / "out.txt").read_bytes() == "가\n".encode()

    @pytest.mark.parametrize(
        "env",
        [
            {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
            {"PYTHONIOENCODING": "ascii"},
            {"PYTHONIOENCODING": "cp949"},
        ],
    )
    def test_locale_does_not_matter(
        self, script: list[str], tmp_path: Path, env: dict[str, str]
    ) -> None:
        result = run(script, "copy", stdin="한글 ㄴ\n".encode(), env=env)
        assert (result.stdout, result.stderr) == ("한글 ㄴ\n".encode(), b"")
        result = run(script, "copy", "--raise", "korean", env=env)
        assert (result.returncode, result.stderr) == (1, "한글\n".encode())


RUNS = [
    "convert sejong-faults.txt --on-error skip",
    "dep word2morph ud.conllu out.conllu --log incidents.jsonl --force",
    "release verify nothing",
]
"""Commands that write to each stream and file; tests/test_streams.py runs every command."""


@pytest.mark.parametrize("line", RUNS)
def test_a_process_does_what_main_does(
    line: str, root: Path, tmp_path: Path, cli: Cli, process: Cli
) -> None:
    for name in ("out.conllu", "incidents.jsonl"):
        (tmp_path / name).write_bytes(b"")
    for path in (root / "samples").iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    results = []
    for way in (cli, process):
        result = way(*line.split())
        made = [(tmp_path / name).read_bytes() for name in ("out.conllu", "incidents.jsonl")]
        results.append((result.returncode, result.stdout, result.stderr, made))
    assert results[0] == results[1]
    assert results[0][1] or results[0][2] or results[0][3][0]


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "status", "message"),
        [
            ("sejongud", 1, "it is so"),
            ("usage", 2, "sejongud: not so"),
            ("format", 1, 'File "a", line 3\nno tag'),
            ("memory", 1, "sejongud: not enough memory; fewer --jobs need less"),
            ("recursion", 1, "sejongud: the input is nested too deeply"),
            ("interrupt", 130, ""),
            ("pipe", 1, "sejongud: OUT: Broken pipe"),
            ("surrogate", 1, 'File "OUT"\nthe character U+D800 of the output is not text'),
        ],
    )
    def test_no_traceback(
        self, script: list[str], tmp_path: Path, error: str, status: int, message: str
    ) -> None:
        out = tmp_path / "out.txt"
        result = run(script, "copy", "-", out, "--raise", error, stdin=b"a\n")
        assert result.stderr.decode().rstrip("\n") == message.replace("OUT", str(out))
        assert result.returncode == status
        assert not out.exists()
        assert [path.name for path in tmp_path.iterdir()] == ["script"]

    def test_a_bug_has_a_traceback(self, script: list[str]) -> None:
        result = run(script, "copy", "--raise", "bug")
        assert result.returncode == 1
        assert result.stderr.startswith(b"Traceback")

    def test_all_errors_are_told_without_traceback(self) -> None:
        kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
        kinds = [kind for kind in kinds if issubclass(kind, Exception)]
        assert {SejongudError, UsageError, FormatError} <= set(kinds)
        assert all(issubclass(kind, SejongudError) for kind in kinds)

    def test_missing_file(self, script: list[str], tmp_path: Path) -> None:
        result = run(script, "copy", tmp_path / "없다.txt", tmp_path / "out.txt")
        assert result.returncode == 1
        expected = f"sejongud: {tmp_path / '없다.txt'}: No such file or directory\n"
        assert result.stderr.decode() == expected

    def test_directory(self, script: list[str], tmp_path: Path) -> None:
        for source, target in [(str(tmp_path), "-"), ("-", str(tmp_path))]:
            result = run(script, "copy", source, target)
            assert result.returncode == 1
            assert result.stderr.decode() == f"sejongud: {tmp_path}: Is a directory\n"

    def test_full_output(self, script: list[str]) -> None:
        with Path("/dev/full").open("wb") as full:
            result = subprocess.run(
                [*script, "copy"], input=b"a\n", stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert result.returncode == 1
        assert result.stderr == b"sejongud: standard output: No space left on device\n"

    @pytest.mark.parametrize(
        ("closed", "name"), [("<&-", "standard input"), (">&-", "standard output")]
    )
    def test_closed_stream(self, script: list[str], closed: str, name: str) -> None:
        result = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *script, "copy"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert result.returncode == 1
        assert result.stderr == f"sejongud: {name}: Bad file descriptor\n".encode()

    def test_closed_pipe(self, script: list[str], tmp_path: Path) -> None:
        (tmp_path / "in.txt").write_text("line\n" * 1_000_000)
        with subprocess.Popen(
            [*script, "copy", tmp_path / "in.txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 0

    @pytest.mark.parametrize(
        ("number", "status"),
        [
            *[(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
            *[(signal.SIGQUIT, 131), (signal.SIGUSR1, 138), (signal.SIGXCPU, 152)],
        ],
    )
    def test_signal_leaves_nothing(
        self, script: list[str], tmp_path: Path, number: int, status: int
    ) -> None:
        (tmp_path / "in").write_text("a")
        with subprocess.Popen(
            [*script, "copy", tmp_path / "in", tmp_path / "out", "--sleep", "60"],
            stderr=subprocess.PIPE,
        ) as process:
            deadline = time.monotonic() + 20
            while not list(tmp_path.glob(".out.*.tmp")):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(number)
            assert process.stderr is not None
            assert process.stderr.read() == b""
        assert process.returncode == status
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "script"]


REPORTS = [
    "convert X out",
    "convert in X",
    "analyze X out",
    "validate X in",
    "validate in X",
    "validate .",
    "stats in X",
    "report X page.html",
    "report in page.html",
    "show X",
    *[f"{metric} X in" for metric in commands() if metric[:5] == "eval "],
    *[f"{metric} in X" for metric in commands() if metric[:5] == "eval "],
    "gec score X in",
    "gec score in X",
    "gec score in in --source X",
    "gec score -hyp X -ref in",
    "eval tokens in in --compare X",
    "eval parse in in -p X",
    "eval parse in in --evalb -p X",
    "eval dep in in --confusion depth --picture X",
    *[f"ner {action} X out" for action in ("eoj2morph", "morph2eoj", "crf", "check")],
    *[f"ner {action} in out --morphemes X" for action in ("eoj2morph", "syl2morph", "check")],
    "ner crf in out --labels X",
    "dep word2morph X out",
    "dep morph2word in out --words X",
    "dep stats X",
    "release X",
    "release recipe.toml X",
    "release recipe.toml",
    "convert in out --rules tables",
]
"""Commands whose --log is one of their own files: X, or what else it is below."""


@pytest.mark.parametrize("line", REPORTS)
def test_no_report_on_a_file_of_the_command(
    line: str,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (root / "samples" / "sejong.txt").read_bytes()
    (tmp_path / "tables").mkdir()
    recipe = (
        b'name = "n"\ntitle = "t"\nversion = "1.0"\nlicence = "MIT"\nauthors = ["a"]\n'
        b'description = "d"\n[outputs]\nconllu = [5]\n'
        b'[[inputs]]\nname = "one"\ntitle = "One"\npath = "x.txt"\n'
    )
    files = {
        "in": text,
        "x.txt": text,
        "page.html": b"a page",
        "recipe.toml": recipe,
        "tables/equivalents.tsv": b"#",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    report = {
        "report in page.html": "page.html",
        "convert in out --rules tables": "tables/equivalents.tsv",
    }.get(line, "x.txt")
    # Another name of the same file.
    words = ["./x.txt" if word == "X" else word for word in line.split()]
    assert main([*words, "--log", report]) == 2
    said = capsys.readouterr()
    is_output = line in ("convert in X", "report in page.html") or "--picture" in line
    only = "is replaced only with --force"
    if line in ("validate .", "release recipe.toml"):
        # It is recognised before the folder and the recipe are read.
        said_of_it = f"exists and is recognised as sejong, a format that is read: it {only}"
    else:
        said_of_it = "is also the output" if is_output else f"is also an input: it {only}"
    assert said.err == f"sejongud: --log {report} {said_of_it}\n"
    assert said.out == ""
    assert {
        str(path.relative_to(tmp_path)): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file()
    } == files


def test_a_report_beside_the_files_of_a_folder(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("한강의\t한강/NNP+의/JKG\n\n", "utf-8")
    for _ in range(2):  # The second time the report is there already, and no corpus.
        assert cli("validate", ".", "--log", "report.jsonl").returncode == 0
        assert (tmp_path / "report.jsonl").exists()


def refused(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of wrong usage."""
    with pytest.raises(SystemExit) as ending:
        main(line.split())
    assert ending.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "least"),
    [
        ("validate --max", 0),
        ("report x.txt --limit", 0),
        ("report x.txt --max", 0),
        ("show x.txt --limit", 0),
        ("show x.txt --number", 0),
        ("show x.txt --width", 0),
        ("dep stats --limit", 0),
        ("stats --limit", 0),
        ("eval tokens a b --samples", 1),
        ("eval tokens a b --bootstrap", 1),
        ("eval tokens a b --seed", 0),
    ],
)
def test_numbers_are_counts(line: str, least: int, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (str(least - 1), "-3", "1.5", "³", "many"):
        # As one word: argparse would take a negative number for an option.
        message = refused(f"{line}={wrong}", capsys)
        assert f"{wrong} is not a whole number from {least} upwards" in message
    assert (count if least == 0 else positive)(str(least)) == least


@pytest.mark.parametrize(
    "line", ["validate --max", "eval tokens a b --seed", "convert --jobs", "analyze --jobs"]
)
@pytest.mark.parametrize("digits", [20, 5000])
def test_numbers_have_an_end(line: str, digits: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"at most 18 digits, not {digits}" in refused(f"{line}={'9' * digits}", capsys)


def test_processes_have_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    message = "at most 1000 processes can work, not 1001"
    assert message in refused("convert --jobs=1001", capsys)


@pytest.mark.parametrize(
    "line",
    [
        *("convert", "convert -", "convert --report", "convert --rules", "validate", "show"),
        *("report", "release", "release verify", "ner eoj2morph --morphemes"),
        *("dep morph2word --words", "eval tokens a b --compare", "eval parse a b -p"),
        "eval dep a b --confusion direction --picture",
    ],
)
def test_a_file_has_a_name(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*line.split(), ""]) == 2
    assert "the name of a file is empty: name a file" in capsys.readouterr().err


class TestReport:
    def test_shown_and_counted(self, script: list[str]) -> None:
        shown = run(script, "copy", "--incidents", "12").stderr.decode().splitlines()
        assert shown[:2] == ["-:1: W101 number 0", "-:2: W101 number 1"]
        assert len(shown) == 12
        assert shown[-2:] == [
            "(more of W101 are counted and not shown; -v shows them)",
            "incidents: W101 12",
        ]

    def test_verbose_and_quiet(self, script: list[str]) -> None:
        assert run(script, "copy", "--incidents", "12", "-v").stderr.count(b"W101") == 13
        assert run(script, "copy", "--incidents", "12", "-q").stderr == b""

    def test_file(self, script: list[str], tmp_path: Path) -> None:
        report = tmp_path / "report.jsonl"
        run(script, "copy", "--incidents", "12", "-q", "--log", report)
        records = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
        assert [record["line"] for record in records] == list(range(1, 13))

    def test_file_has_the_error_that_ended_the_run(self, script: list[str], tmp_path: Path) -> None:
        report = tmp_path / "report.jsonl"
        result = run(script, "copy", "--incidents", "1", "--log", report, "--raise", "format")
        assert result.returncode == 1
        assert result.stderr.count(b"no tag") == 1
        records = [json.loads(line) for line in report.read_text("utf-8").splitlines()]
        assert [record["message"] for record in records] == ["number 0", "no tag"]


class TestLazyNames:
    def test_every_public_name_is_there(self) -> None:
        assert set(sejongud._HOMES) == set(sejongud.__all__)
        for name, home in sejongud._HOMES.items():
            # A text, such as the version, has no module.
            assert getattr(getattr(sejongud, name), "__module__", "sejongud.version") == home

    def test_unknown_name(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            sejongud.nothing  # noqa: B018

    def test_import_is_cheap(self) -> None:
        code = "import sys, sejongud; print([m for m in sys.modules if m.startswith('sejongud.')])"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert result.stdout == b"[]\n"


def test_main_returns_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"sejongud {sejongud.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "state"), [("None", "True True"), ("['rules']", "True False")]
)
def test_only_the_start_of_a_process_goes_without_the_collector(arguments: str, state: str) -> None:
    code = (
        "import gc, sys; sys.argv[1:] = ['rules']; from sejongud.__main__ import main;"
        # Python 3.12 begins with some hundred frozen objects.
        f"before = gc.get_freeze_count(); main({arguments});"
        "print(gc.isenabled(), gc.get_freeze_count() > before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == state
