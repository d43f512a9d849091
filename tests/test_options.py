"""The conventions of the options: short names, aliases, what was meant, `help`, endings."""

from __future__ import annotations

import csv
import json
import re
import shlex
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest
from cases import cases

import sejongud
from sejongud.__main__ import main
from sejongud.arguments import commands, examples, options, options_of
from sejongud.files import Source
from sejongud.formats import FORMATS, WRITERS, output_format
from sejongud.morphology.kiwi import KiwiAnalyser

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

CASES = cases("options")

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
    assert "did you mean convert?" in cli("help", "cnovert").told(2)


def test_short_names(cli: Cli) -> None:
    assert cli("-V").stdout == f"sejongud {sejongud.__version__}\n".encode()
    assert cli("-V", "--versions").stdout.startswith(b"sejongud ")
    short, long = (cli("convert", option, "3", "-q", stdin=TEXT.encode()).stdout
                   for option in ("-l", "--level"))  # fmt: skip
    assert short == long != cli("convert", "-q", stdin=TEXT.encode()).stdout


OLDER = [
    ("convert in out --report log", "--report is spelled --log now"),
    ("gec stats learner.m2 --report=log", "--report is spelled --log now"),
    ("stats in --format json", "--format=json is spelled --json now"),
    ("gec stats learner.m2 --format=csv", "--format=csv is spelled --csv now"),
    ("ner eoj2morph naver.tsv --format naver -o out", "--format is spelled --from now"),
    ("ner morph2eoj naver.conllu --format naver -o out", "--format is spelled --to now"),
    ("ner eoj2morph naver.tsv --scheme bioes -o out", "--scheme is spelled --label-scheme now"),
    ("eval ner naver.tsv naver.tsv --format=naver", "--format is spelled --from now"),
    ("tree strip t.mrg --root drop", "--root=drop is spelled --root=none now"),
    ("tree strip t.mrg --root=ADD", "--root=ADD is spelled --root=TOP now"),
    ("gec annotate in in --unit char", "--unit=char is spelled --unit=character now"),
    (
        "gec annotate in in --split-punctuation all",
        "--split-punctuation=all is spelled --split-symbols now",
    ),
    ("gec apply learner.m2 --source", "--source is spelled --uncorrected now"),
    ("gec filter lang8 pairs.tsv --count eojeols", "--unit=eojeols is spelled --unit=eojeol now"),
    ("frame eoj2morph framenet.tsv --merge -o out", "--merge is spelled --merge-instances now"),
]


@pytest.mark.parametrize(("line", "note"), OLDER, ids=[row[0] for row in OLDER])
def test_older_spellings_say_what_to_type(
    line: str, note: str, files: Path, cli: Cli, tmp_path: Path
) -> None:
    for path in files.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "naver.tsv").write_bytes((files / "naver-ner.tsv").read_bytes())
    (tmp_path / "in").write_text(TEXT, encoding="utf-8")
    result = cli(*line.split())
    assert result.returncode == 0, result.stderr
    assert f"sejongud: {note}: the older spelling" in result.stderr.decode()
    older, newer = note.removesuffix(" now").split(" is spelled ")
    pattern = rf"{older.replace('=', '[= ]')}(?![\\w-])".replace("--unit", "(?:--unit|--count)")
    words = re.sub(pattern, newer, line).split()
    again = cli(*words, "--force")
    assert (again.returncode, again.stdout) == (0, result.stdout)
    assert b"is spelled" not in again.stderr
    assert b"is spelled" not in cli(*line.split(), "-q", "--force").stderr


def test_names_and_queries_that_begin_with_a_hyphen_stand_behind_two(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "-a.txt").write_text("-다\t-다/EF\n", encoding="utf-8")
    done = cli("convert", "-q", "--level", "3", "--", "-a.txt", "-")
    assert (done.returncode, done.stderr) == (0, b"") and "\t-다\t" in done.stdout.decode()
    assert cli("grep", "-q", "--", "-다", "-a.txt").stdout.decode().split()[0] == "[-다]"


def test_no_spelling_is_two_options_of_a_command() -> None:
    for name in commands():
        own = [option for option, _ in options_of(name).values() if option.type != "gone"]
        flags = [flag for option in own for flag in option.flags.split()]
        assert len(flags) == len(set(flags)), name
        named = [option.keyword for option in own if option.value and option.keyword != "settings"]
        assert len(named) == len(set(named)), name
    used = {option.name for name in commands() for option, _ in options_of(name).values()}
    assert used == set(options())


def test_each_option_is_declared_once() -> None:
    rows = [flag for option in options().values() if option.type != "gone"
            for flag in option.flags.split() if flag.startswith("--")]  # fmt: skip
    assert {flag for flag in rows if rows.count(flag) > 1} == {"--output"}


def test_an_option_that_is_gone_says_what_to_do(cli: Cli) -> None:
    for page in [name for name in commands() if name[0] != "+" and name != "sejongud"]:
        for option, _ in options_of(page).values():
            for flag in option.flags.split() if option.type == "gone" else ():
                result = cli(*page.split(), *flag.split("="))
                said = f"{flag} no longer exists: {option.help}"
                assert (result.returncode, result.stdout) == (2, b"")
                assert said in result.stderr.decode()


WITH_JOBS = [page for page in commands() if page[0] != "+" and "jobs" in options_of(page)]


@pytest.mark.usefixtures("few_trips")
@pytest.mark.parametrize("page", WITH_JOBS)
def test_the_help_of_jobs_names_the_commands_without_effect(
    page: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[int | None] = []

    def pooled(function: Any, items: Any, jobs: int, initializer: Any) -> Any:
        reached.append(jobs)
        if initializer is not None:
            initializer()
        return map(function, items)

    def begun(self: Any, rules: Any, *, workers: int | None = None) -> None:
        reached.append(workers)
        whole(self, rules, workers=workers)

    whole = KiwiAnalyser.__init__
    monkeypatch.setattr(KiwiAnalyser, "__init__", begun)
    monkeypatch.setattr("sejongud.process.parallel._pooled", pooled)
    monkeypatch.setattr("sejongud.release._WORTH_A_POOL", 0)
    copytree(root / "samples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for command, _ in examples()[f"sejongud {page}"]:
        _, *words = shlex.split(command.partition(" > ")[0].partition(" | ")[0])
        own = words[: len(page.split())] == page.split()
        main([*words, *["--jobs", "7"][: 2 * own]])
        if 7 in reached:
            break
    # Commands that write many files can make each in a process of its own.
    has_effect = 7 in reached or "named" in options_of(page)
    listed = options()["jobs"].help.rpartition("(")[2].removesuffix(" use one in any case)")
    without = re.split(", | and ", listed)
    assert has_effect is not (page in without or page.split()[0] in without)


FORMATS_OF = [
    f"{page} --{option.name}"
    for page in commands()
    for option, _ in options_of(page).values()
    if option.name in ("from", "to") and page[0] != "+" and not page.startswith("spark")
]


@pytest.mark.parametrize("line", FORMATS_OF)
def test_a_format_that_does_not_exist(line: str, files: Path, cli: Cli, tmp_path: Path) -> None:
    inputs = {
        "ner": "naver-ner.tsv", "frame": "framenet.tsv", "gec": "learner.m2",
        "tree": "treebank.txt", "eval": "ud.conllu ud.conllu", "grep": "tag=N* sejong.txt",
    }  # fmt: skip
    command, *more = line.split()
    given = inputs.get(command, "sejong.txt").split()
    if "morph2" in line or "ner crf" in line:
        given = ["naver.conllu"]
    if command == "join" or "merge" in line or "attach" in line or "agree" in line:
        given = [*given, *given]
    if "from-dependencies" in line:
        given = ["klue-dp.tsv"]
    at = ["lang8"] if "filter" in line else []
    words = [command, *more[:-1], *at, *[str(files / name) if "=" not in name else name
                                         for name in given]]  # fmt: skip
    message = cli(*words, more[-1], "nonesuch").told_only()
    assert "nonesuch" in message
    assert "Traceback" not in message


# --- the format of an output --------------------------------------------------------------------

WRITES = CASES["WRITES"]
"""The command before the name of its output; the format of a file whose name tells none, "" for an
error; and the formats of the endings that the command knows."""

OTHERS = (".csv", ".json", ".jsonl", ".xlsx", ".parquet", ".html", ".m2", ".conllu", ".tsv", ".md")
"""Some endings of formats, which a command refuses unless it writes them."""


def format_of(text: str) -> str:
    """Return the format that a text has, whatever its file is called."""
    lines = text.splitlines()
    starts: dict[str, str | tuple[str, ...]] = {
        "conllu": ("# global.columns", "# sent_id", "# newdoc", "# text", "# generator"),
        "log": '{"code": ', "html": "<!DOCTYPE html>", "m2": "S ", "latex": r"\begin{tabular}",
        "markdown": ("| ", "## etri"), "trees": ("(", ";"), "brat": "T1\t",
        "toml": ("# A recipe", "\n[aligned]"),
    }  # fmt: skip
    for name, start in starts.items():
        if text.startswith(start):
            return name
    if text[0] in "{[":
        try:
            json.loads(text)
        except ValueError:
            return "jsonl"
        return "json"
    if "\t" in text:
        return "sejong" if "/" in lines[0] else "rows"
    is_csv = len({len(row) for row in csv.reader(lines)}) == 1 and "," in lines[0]
    return "csv" if is_csv else "text"


@pytest.fixture(scope="module")
def files(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, and files that are made of them, which other commands read."""
    folder = tmp_path_factory.mktemp("files")
    samples, tests = root / "samples", root / "tests" / "data"
    for path in samples.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    for name, path in {
        "frames.conllu": samples / "expected" / "framenet.frames.conllu",
        "konne.jsonl": tests / "ner" / "konne.jsonl",
    }.items():
        (folder / name).write_bytes(path.read_bytes())
    heads = (samples / "klue-dp.tsv").read_text("utf-8").partition("\n\n")[0] + "\n\n"
    (folder / "heads.tsv").write_text(heads, encoding="utf-8")
    (folder / "pairs.tsv").write_text("나는 간다.\t나는 갔다.\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "ner eoj2morph naver-ner.tsv naver.conllu --morphemes naver-ner.txt",
            "ner syl2morph klue-ner.tsv klue.conllu",
            "ner syl2morph konne.jsonl konne.conllu",
            "ner crf naver.conllu columns.tsv",
            "tree level treebank-figure.txt t.mrg",
            "convert treebank-figure.txt trees.conllu",
        ):
            assert main([*line.split(), "-q"]) == 0
    return folder


@pytest.mark.parametrize(("line", "usual", "known"), WRITES, ids=[row[0] for row in WRITES])
def test_the_format_follows_the_ending(
    line: str, usual: str, known: dict[str, str], files: Path, tmp_path: Path, cli: Cli
) -> None:
    for path in files.iterdir():
        (tmp_path / path.name).hardlink_to(path)
    expected = {
        **dict.fromkeys(OTHERS),
        **({} if usual == "not tried" else {".txt": usual}),
        **known,
    }
    if " --to " in line or "--json " in line:
        # An option that names the format is obeyed whatever the ending is.
        expected = dict(known)
    found: dict[str, str | None] = {}
    refused: list[str] = []
    for ending in expected:
        out = tmp_path / f"out{ending}"
        result = cli(*line.split(), out.name, *["--force"][: "spark" not in line])
        said = result.stderr.decode()
        if f"out{ending}: {ending} cannot be written here" in said:
            assert (result.returncode, result.stdout) == (2, b""), said
            refused.append(said)
            found[ending] = None
        else:
            is_bytes = out.exists() and out.read_bytes().startswith((b"PK", b"PAR1"))
            text = out.read_text("utf-8-sig") if out.exists() and not is_bytes else ""
            found[ending] = "bytes" if is_bytes else format_of(text) if text else ""
            assert found[ending] or result.returncode, said
    assert found == expected
    for said in refused:
        assert all(ending in said for ending in known)


@pytest.mark.parametrize("ending", ["", ".out", ".txt", ".2판"])
def test_a_name_that_tells_no_format(ending: str, files: Path, cli: Cli, tmp_path: Path) -> None:
    for line, start in (("convert", b"# sent_id"), ("stats", b"22 sentences")):
        out = tmp_path / f"out{ending}"
        assert cli(line, files / "sejong.txt", "-q", "-o", out, "--force").returncode == 0
        assert out.read_bytes().startswith(start)


@pytest.mark.parametrize("ending", [".gz", ".XZ", ".bz2"])
def test_a_compressed_file_has_the_format_of_its_inner_ending(
    ending: str, files: Path, cli: Cli, tmp_path: Path
) -> None:
    for line, inner, kind in (
        ("convert", ".jsonl", "jsonl"),
        ("stats", ".csv", "csv"),
        ("convert", ".CSV", None),
    ):
        out = tmp_path / f"out{inner}{ending}"
        result = cli(line, files / "sejong.txt", "-q", "-o", out)
        assert (result.returncode == 2) == (kind is None) != out.exists()
        if kind is not None:
            with Source(out) as source:
                assert format_of(source.text()) == kind


def test_the_outputs_in_a_folder_have_the_ending_of_their_format(
    files: Path, cli: Cli, tmp_path: Path
) -> None:
    for line, kind in (
        ("convert --to jsonl", ".jsonl"),
        ("convert --to sejong", ".txt"),
        ("analyze --to jsonl", ".jsonl"),
        ("tree level --to penn-korean", ".fid"),
        ("tree strip --to brackets", ".mrg"),
        ("ner morph2syl --to konne", ".jsonl"),
        ("ner convert --to doccano", ".jsonl"),
        ("ner convert", ".conllu"),
        ("ner check", ".tsv"),
        ("gec filter native", ".tsv"),
    ):
        name = {
            "analyze": "text.txt", "tree": "treebank-figure.txt", "ner": "klue-ner.tsv",
            "gec": "learner.m2",
        }.get(line.split()[0], "sejong.txt")  # fmt: skip
        name = "klue.conllu" if "morph2syl" in line else name
        assert cli(*line.split(), files / name, "-q", "-o", f"{line}/").returncode == 0
        [made] = [path for path in (tmp_path / line).iterdir() if path.name[0] != "."]
        assert made.suffix == kind


def test_nothing_is_read_for_a_file_that_cannot_be_written(cli: Cli, tmp_path: Path) -> None:
    for line in ("convert none out.csv", "stats none -o out.xlsx", "convert none none -o out.m2"):
        assert b"cannot be written here" in cli(*line.split()).stderr
    assert not list(tmp_path.iterdir())


def test_the_library_writes_the_format_of_the_ending(files: Path, tmp_path: Path) -> None:
    sentences = list(sejongud.read(files / "sejong.txt"))
    for name, kind in (("a.jsonl", "jsonl"), ("a.conllu", "conllu"), ("a.txt", "conllu")):
        sejongud.write(sentences, tmp_path / name)
        assert format_of((tmp_path / name).read_text("utf-8")) == kind
        sejongud.convert(files / "sejong.txt", tmp_path / name)
        assert format_of((tmp_path / name).read_text("utf-8")) == kind
    sejongud.write(sentences, tmp_path / "b.jsonl", to="sejong")
    assert format_of((tmp_path / "b.jsonl").read_text("utf-8")) == "sejong"
    message = r"\.csv cannot be written here.*\.jsonl"
    with pytest.raises(sejongud.UsageError, match=message):
        sejongud.write(sentences, tmp_path / "c.csv")
    with pytest.raises(sejongud.UsageError, match=message):
        sejongud.convert(files / "sejong.txt", tmp_path / "c.csv")


def test_every_ending_of_a_format_that_convert_writes_names_it() -> None:
    for name in WRITERS:
        for ending in FORMATS[name].endings:
            expected = None if ending == ".txt" else name
            assert output_format(f"a/b{ending}", WRITERS) == expected
            assert output_format(f"a/b{ending.upper()}.gz", WRITERS) == expected
    assert output_format("a.conllu.b", WRITERS) is None
    assert output_format("conllu", WRITERS) is None


@pytest.mark.parametrize("table", ["options.tsv", "commands.tsv"])
def test_no_name_stands_twice(root: Path, table: str) -> None:
    """A second row of a name would take the place of the first one."""
    text = (root / "sejongud" / "commands" / table).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    names = [line.split("\t")[0] for line in lines[1:]]
    assert len(names) > 30
    assert sorted(names) == sorted({*names})


# --- one habit for all commands -----------------------------------------------------------------


def flags_of(page: str) -> set[str]:
    rows = [option for option, _ in options_of(page).values() if option.type != "gone"]
    return {flag for option in rows for flag in option.flags.split()}


RUN = [page for page in commands() if page[0] != "+" and page != "sejongud"
       and not any(other.startswith(f"{page} ") for other in commands())]  # fmt: skip


@pytest.mark.parametrize("page", [p for p in RUN if p not in ("spark script", "serve")])
def test_every_command_that_writes_has_the_same_options(page: str) -> None:
    flags = flags_of(page)
    assert {"-o", "--output"} <= flags
    data = {"json", "csv", "tsv"} & set(commands()[page].writes.split())
    if data > {"tsv"} or page == "grep":
        assert {f"--{name}" for name in data} <= flags
    assert not flags & {"--top", "--max", "--most", "--count-limit"}


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("stats sejong.txt --top 3", "--top is spelled --limit now"),
        ("dep stats ud.conllu --top=3", "--top is spelled --limit now"),
        ("validate sejong.txt --max 1", "--max is spelled --limit now"),
        ("report sejong.txt --max 1", "--max is spelled --limit-incidents now"),
        ("freq sejong.txt --to json", "--to=json is spelled --json now"),
        ("grep tag=NNG sejong.txt --to=csv", "--to=csv is spelled --csv now"),
    ],
)
def test_older_spellings_of_the_habit(line: str, note: str, files: Path, cli: Cli) -> None:
    line = line.replace("sejong.txt", f"{files}/sejong.txt").replace("ud.c", f"{files}/ud.c")
    older, newer = note.removesuffix(" now").split(" is spelled ")
    old = cli(*line.split())
    new = cli(*re.sub(older.replace("=", "[= ]"), newer, line).split())
    assert (old.returncode, old.stdout) == (0, new.stdout)
    assert note in old.stderr.decode()
    assert b"is spelled" not in new.stderr


@pytest.mark.parametrize(
    "line",
    [
        "stats IN",
        "validate -q IN",
        "show --limit 0 IN",
        "report --title t IN",
        "dep stats --json IN",
        "freq --json IN",
        "grep upos=NOUN IN",
        "eval dep IN IN",
        "eval tokens IN IN",
        "eval pos --json IN IN",
        "completion bash",
    ],
)
def test_folders_are_read_and_o_names_the_output(
    line: str, files: Path, cli: Cli, tmp_path: Path
) -> None:
    """A folder of two files is read as both; -o writes what goes to standard output."""
    if line.startswith("completion"):
        pytest.importorskip("shtab", reason="shtab is not installed")
    both = (files / "ud.conllu").read_bytes()
    for name in ("in/a.conllu", "in/deep/b.conllu", "both.conllu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(both)
    (tmp_path / "in" / "README.md").write_text("no corpus\n", encoding="utf-8")
    printed = cli(*line.replace("IN", "in").split())
    assert printed.returncode == 0, printed.stderr
    one = cli(*line.replace("IN", "both.conllu").split())
    assert (printed.stdout == one.stdout) == line.startswith(("completion", "validate"))
    assert cli(*line.replace("IN", "in").split(), "-o", "out").text() == ""
    assert (tmp_path / "out").read_bytes() == printed.stdout


def test_folders_of_gold_and_system_have_the_same_files(
    files: Path, cli: Cli, tmp_path: Path
) -> None:
    text = (files / "ud.conllu").read_text(encoding="utf-8")
    for name in ("gold/a.conllu", "gold/b.conllu", "system/a.conllu", "system/b.conllu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    lines = text.splitlines(keepends=True)
    lines[3] = lines[3].rpartition("\t")[0] + "\n"
    (tmp_path / "system" / "b.conllu").write_text("".join(lines), encoding="utf-8")
    assert b"system/b.conllu:4: E201 " in cli("eval", "dep", "gold", "system").stderr
    (tmp_path / "system" / "a.conllu").unlink()
    message = cli("eval", "dep", "gold", "system").told_only()
    assert "a.conllu is in only one of the folders gold and system" in message


def test_a_folder_without_a_corpus(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "README.md").write_text("no corpus\n", encoding="utf-8")
    validation = ("validate", "validate --json", "validate --format github", "validate --roundtrip")
    counts = ("stats", "gec stats", "tree stats", "freq", "freq in/none.txt --against", "grep 나무")
    for command in (*validation, *counts, "show", "report"):
        (tmp_path / "in" / "none.txt").touch()
        result = cli(*command.split(), "in")
        assert (result.returncode, result.stdout) == (2, b""), command
        assert b"no file in in is a corpus that this command reads" in result.stderr


def test_two_outputs(files: Path, cli: Cli) -> None:
    result = cli("tree", "attach", files / "t.mrg", files / "trees.conllu", "a.out", "-o", "b.out")
    assert (result.returncode, b"two outputs are named" in result.stderr) == (2, True)


def test_a_korean_word_in_place_of_a_command(cli: Cli) -> None:
    assert "to find a word: sejongud grep 나무 FILE" in cli("나무", "a.txt").told(2)
