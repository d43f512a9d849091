"""Each check finds its fault, in a file of data/ that has no other; the rest and the command.

The files are named by the code. In those of CoNLL-U the second sentence, lines 12 to 21, has the
fault unless the table says otherwise.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from cases import cases
from corpora import RULES
from hypothesis import given
from hypothesis import strategies as st

from sejongud.api import convert
from sejongud.errors import AREAS, CODES, Incident, Report, UsageError
from sejongud.files import Source
from sejongud.formats import resolve
from sejongud.formats.base import Block
from sejongud.formats.conllu.rows import parse
from sejongud.model import Sentence
from sejongud.validation import LAYOUT, Outcome, Validation, _BlankLines, codes, table, validate
from sejongud.validation.checks import (
    CONLLU_CHECKS,
    EOJEOL_CHECKS,
    LINE_CHECKS,
    SENTENCE_CHECKS,
    CheckedBlock,
    Scheme,
)

if TYPE_CHECKING:
    from conftest import Cli

CASES = cases("validation")

DATA = Path(__file__).parent / "data"
TABLES = (LINE_CHECKS, EOJEOL_CHECKS, SENTENCE_CHECKS, CONLLU_CHECKS, LAYOUT)


def find(path: Path, *select: str, jobs: int = 1) -> tuple[list[Incident], Outcome]:
    incidents: list[Incident] = []
    with Source(path) as source:
        name = resolve(None, source.head())
        validation = Validation(name, select, "keep", "sejong", "normalised", path=str(path))
        outcome = validate(validation, source, Report(incidents.append), jobs=jobs)
    return incidents, outcome


class Fault(NamedTuple):
    name: str
    line: int
    said: str
    """Something of the message."""
    others: tuple[str, ...] | list[str] = ()
    """Codes that the same fault has as well."""


FAULTS = [Fault(*row) for row in CASES["FAULTS"]]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_and_nothing_else(fault: Fault) -> None:
    code = fault.name[:4]
    incidents, _ = find(DATA / fault.name)
    assert {incident.code for incident in incidents} == {code, *fault.others}
    [incident] = [incident for incident in incidents if incident.code == code]
    assert (incident.path, incident.line) == (str(DATA / fault.name), fault.line)
    assert fault.said in incident.message


def test_a_joiner_is_a_fault_but_between_emoji(tmp_path: Path) -> None:
    forms = ("\U0001f468\u200d\U0001f467", "\u2764\ufe0f\u200d\U0001f525", "가\u200d나")
    text = "".join([f"{form}\t{form}/SW\n" for form in forms])
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert [incident.line for incident in find(tmp_path / "a.txt", "W122")[0]] == [3]


def test_an_empty_node_is_no_fault() -> None:
    assert find(DATA / "W202-0.conllu")[0] == []


def test_every_file_is_tested_and_every_check_has_one() -> None:
    tested = {fault.name for fault in FAULTS} | {"W202-0.conllu", "clean-level-2.conllu"}
    there = {path.name for path in DATA.glob("*.conllu")}
    there |= {path.name for path in DATA.glob("W12*.txt")}
    assert there == tested
    checked = {code for checks in TABLES for code in checks}
    assert checked <= {fault.name[:4] for fault in FAULTS}


def test_ids_are_in_order_by_numbers_of_any_length(tmp_path: Path) -> None:
    text = (DATA / "W128-0.txt").read_text(encoding="utf-8")
    numbers = ("0", "9", "10", "1" + "0" * 5000)
    for number, new in zip(("1", "2", "4", "3"), numbers, strict=True):
        text = text.replace(f"BTXX0009-0000000{number}", f"BTXX0009-{new}")
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert find(tmp_path / "a.txt", "W128")[0] == []
    (tmp_path / "b.txt").write_text(text.replace("-10\t", "-2" + "0" * 5000 + "\t"))
    [incident] = find(tmp_path / "b.txt", "W128")[0]
    assert incident.line == 5


def test_a_clean_file() -> None:
    incidents, outcome = find(DATA / "clean-level-2.conllu")
    assert incidents == []
    assert (outcome.sentences, outcome.eojeols) == (1, 2)


@pytest.mark.parametrize("level", range(1, 6))
@pytest.mark.parametrize("name", ["sejong.txt", "sejong-ids.txt", "sejong-senses.txt"])
def test_what_we_write_is_what_we_check_for(
    root: Path, tmp_path: Path, name: str, level: int
) -> None:
    path = tmp_path / "out.conllu"
    convert(root / "samples" / name, path, level=level)
    incidents, outcome = find(path, "E", "W2")
    assert incidents == []
    assert outcome.eojeols > 0


def test_select_takes_beginnings_of_codes() -> None:
    path = DATA / "W204-0.conllu"
    assert {i.code for i in find(path, "W23", "E")[0]} == {"W236"}
    assert {i.code for i in find(path, "W204")[0]} == {"W204"}
    assert find(path, "E")[0] == []
    with pytest.raises(UsageError, match="W999"):
        Validation("conllu", ("W2", "W999"))
    with pytest.raises(UsageError, match="name it with --upos"):
        Validation("conllu", ("W237",))


def test_a_file_that_cannot_be_read_is_an_incident() -> None:
    incidents, outcome = find(DATA / "E107-no-sentence.txt")
    assert [incident.code for incident in incidents] == ["E107"]
    assert outcome.sentences == 0


def test_all_errors_of_a_file_are_found(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("가\t가/VV+아\n나\n\n다\t다/MAG\n라\n", encoding="utf-8")
    incidents, _ = find(path, "E")
    assert [(i.code, i.line) for i in incidents] == [("E103", 1), ("E101", 2), ("E101", 5)]


class TestCodes:
    def test_every_code_of_the_program_is_in_the_table(self, root: Path) -> None:
        used = set()
        for folder in ("sejongud", "converters", "rules"):
            for path in (root / folder).rglob("*.py"):
                used |= set(re.findall(r'"([EWI]\d{3})"', path.read_text(encoding="utf-8")))
        assert used <= set(codes())

    def test_no_code_is_given_twice(self) -> None:
        given = [*CODES, *(code for checks in TABLES for code in checks)]
        assert len(given) == len(set(given))

    def test_every_code_has_a_message_of_one_line_and_an_area(self) -> None:
        for code, message in codes().items():
            assert re.fullmatch(r"[EWI]\d{3}", code)
            assert code[1] in AREAS
            assert 5 < len(message) < 90
            assert not message.endswith(".")

    def test_the_table_has_them_all(self) -> None:
        assert re.findall(r"^  ([EWI]\d{3})  \S", table(), re.MULTILINE) == list(codes())
        assert list(codes()) == sorted(codes(), key=lambda code: (code[1], code))


def reaches_root(heads: list[int], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1]
        if not 0 < word <= len(heads):
            return True
    return False


@given(st.lists(st.integers(0, 7), min_size=1, max_size=7))
def test_circles_are_found_where_there_are_any(heads: list[int]) -> None:
    heads = [min(head, len(heads)) for head in heads]
    rows = [f"{n}\t꽃\t꽃\tNOUN\tNNG\t_\t{head}\tdep\t_\t_" for n, head in enumerate(heads, 1)]
    block = Block("\n".join(rows), 1, 1, "1")
    checked = CheckedBlock(block, parse(block.text), Sentence(()), Scheme(RULES))
    found = [int(finding.token) for finding in CONLLU_CHECKS["E207"](checked)]
    assert bool(found) == (not all(reaches_root(heads, n + 1) for n in range(len(heads))))
    assert not any(reaches_root(heads, word) for word in found)


@given(
    st.lists(st.sampled_from(["a", "", " ", "\t", "b c"]), max_size=12),
    st.booleans(),
    st.lists(st.booleans(), min_size=13, max_size=13),
)
def test_blank_lines_however_the_text_is_cut(
    lines: list[str], final: bool, cuts: list[bool]
) -> None:
    chunks = [""]
    for line, cut in zip(lines, cuts, strict=False):
        chunks[-1] += line + "\n"
        if cut:
            chunks.append("")
    chunks = [chunk for chunk in chunks if chunk]
    if chunks and not final and lines[-1]:
        chunks[-1] = chunks[-1][:-1]
    before = [True, *(not line.strip() for line in lines)]
    surplus = [
        number
        for number, line in enumerate(lines, 1)
        if not line.strip() and (line or before[number - 1])
    ]
    layout = _BlankLines()
    assert list(layout.watch(chunks)) == chunks
    assert (layout.blanks, layout.lines) == (surplus, len(lines))


def test_a_real_treebank(shared: Path) -> None:
    # One text has a space too many in the middle; everything else is as the checks want it.
    incidents, _ = find(shared / "data" / "ud-korean-ksl" / "ko_ksl-ud-dev.conllu", "E")
    assert [incident.code for incident in incidents] == ["E216"]


# --- the command ----------------------------------------------------------------------------------


TEXT = "봄이\t봄/NNG+이/JKS\n왔다.\t오/VV+았/EP+다/EF+./SF\n\n".encode()
WITH_WARNING = TEXT + "꽃이\t꽃/NNZ+이/JKS\n\n".encode()
WITH_ERROR = WITH_WARNING + "꽃\n\n".encode()


def test_nothing_to_say(cli: Cli) -> None:
    assert "1 sentence, 2 eojeols, 0 errors" in cli("validate", stdin=TEXT).told_only(0)
    assert cli("validate", "-q", stdin=TEXT).stderr == b""


def test_a_warning_is_no_error(cli: Cli) -> None:
    result = cli("validate", stdin=WITH_WARNING)
    assert result.returncode == 0
    assert result.stdout.decode() == "-:4: W104 unknown tag NNZ [2 1]\n"
    assert "1  W104  a tag that is not in the tag set, kept" in result.stderr.decode()


def test_an_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(WITH_ERROR)
    (tmp_path / "b.txt").write_bytes(WITH_WARNING)
    lines = cli("validate", "-q", "a.txt", "b.txt").text(1).splitlines()
    assert [line.split(" ")[:2] for line in lines] == [
        ["a.txt:4:", "W104"],
        ["a.txt:6:", "E101"],
        ["b.txt:4:", "W104"],
    ]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ((), []),
        (("--upos", "sejong"), ["W237"]),
        (("--lemmas", "normalised"), ["W236"]),
        (("--upos", "sejong", "--lemmas", "normalised"), ["W236", "W237"]),
    ],
)
def test_upos_and_lemmas_are_compared_with_a_scheme_that_is_named(
    cli: Cli, root: Path, options: tuple[str, ...], codes: list[str]
) -> None:
    text = cli("validate", *options, "--select", "W23", root / "samples" / "ud.conllu").text()
    assert sorted({line.split()[1] for line in text.splitlines()}) == codes


def test_annotations_of_github(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a,b.txt").write_bytes(WITH_ERROR)
    assert cli("validate", "--format", "github", "a,b.txt").text(1).splitlines() == [
        "::warning file=a%2Cb.txt,line=4,title=W104::unknown tag NNZ [2 1]",
        "::error file=a%2Cb.txt,line=6,title=E101::expected two columns with a tab between,"
        " form and analysis, found 1 [3 1]",
    ]
    # A name of a format is the older spelling of another option, as in the other commands.
    old = cli("validate", "--format", "sejong", "a,b.txt")
    assert (old.returncode, b"--format is spelled --from now" in old.stderr) == (1, True)
    assert cli("validate", "--format", "json", stdin=TEXT).stdout[:1] == b"{"


def test_annotations_need_files(cli: Cli, tmp_path: Path) -> None:
    """Without files a step of a workflow would read an empty standard input, and pass."""
    for names in ((), ("-",)):
        message = cli("validate", "--format", "github", *names, stdin=TEXT).told_only()
        assert "annotations stand at the lines of files: name files or folders" in message


def test_damaged_conllu_in_a_folder_is_checked(cli: Cli, tmp_path: Path) -> None:
    """Other files of a folder are passed over, but none whose name says that it is CoNLL-U."""
    row = "1\t나는\t나+는\tPRON\tNP+JX\t_\t0\troot\t_"
    (tmp_path / "in").mkdir()
    for name in ("a.conllu", "b.txt"):
        (tmp_path / "in" / name).write_text(f"# text = 나는\n{row}\n\n", "utf-8")
    (tmp_path / "in" / "c.txt").write_bytes(TEXT)
    result = cli("validate", "--select", "E", "in")
    assert result.returncode == 1
    assert result.stdout.startswith(b"in/a.conllu:2: E201 ")


def test_the_action_annotates_a_corpus(root: Path, tmp_path: Path, cli: Cli) -> None:
    """The last command of action.yml runs with its inputs; the hook of pre-commit as well."""
    (tmp_path / "a.txt").write_bytes(WITH_WARNING)
    action = (root / "action.yml").read_text("utf-8")
    *_, command = re.findall(r"run: sejongud (.*)", action)
    for name, value in {"OPTIONS": "--select W1", "FILES": "a.txt"}.items():
        assert f"{name}: ${{{{ inputs.{name.lower()} }}}}" in action
        command = command.replace(f"${name}", value)
    assert cli(*command.split()).stdout.startswith(b"::warning file=a.txt,line=4,title=W104::")
    hooks = (root / ".pre-commit-hooks.yaml").read_text("utf-8")
    for entry in re.findall(r"entry: sejongud (.*)", hooks):
        assert cli(*entry.split(), "a.txt").returncode == 0


def test_select(cli: Cli) -> None:
    assert cli("validate", "--select", "W2,W105", stdin=WITH_ERROR).stdout == b""
    # What was not asked for does not decide the status either.
    assert cli("validate", "--select", "W", stdin=WITH_ERROR).returncode == 0
    assert "no code begins with 'X'" in cli("validate", "--select", "X", stdin=TEXT).told(2)


def test_on_error(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT + "나\n은\t은/JX\n\n다\n".encode())
    (tmp_path / "b.txt").write_bytes(WITH_WARNING)

    def found(*options: str) -> list[str]:
        text = cli("validate", "-q", *options, "a.txt", "b.txt").text(1)
        return [line.split()[1] for line in text.splitlines()]

    assert found() == ["E101", "W126", "E101", "W104"]
    assert found("--on-error", "skip") == ["E101", "E101", "W104"]
    assert found("--on-error", "stop") == ["E101"]


def test_no_more_than_asked_for_is_shown(cli: Cli) -> None:
    text = "".join([f"꽃\t꽃/Q{c}\n" for c in "ABCDEFGH"]).encode()
    few = cli("validate", "--max", "3", stdin=text)
    assert few.stdout.count(b"\n") == 3
    assert b"8  W104" in few.stderr
    assert cli("validate", "--max", "0", stdin=text).stdout.count(b"\n") == 8
    assert cli("validate", "-v", "--max", "3", stdin=text).stdout.count(b"\n") == 8


def test_json_lines(cli: Cli, tmp_path: Path) -> None:
    result = cli("validate", "--json", "--roundtrip", "--log", "r.jsonl", stdin=WITH_ERROR)
    *found, counts = [json.loads(line) for line in result.stdout.splitlines()]
    incidents = [one for one in found if "code" in one]
    assert [(i["code"], i["line"]) for i in incidents] == [("W104", 4), ("E101", 6), ("E901", 6)]
    file, *levels = [one for one in found if "trip" in one]
    assert file == {
        "path": "-",
        "format": "sejong",
        "trip": "sejong file",
        "ok": False,
        "sentences": 3,
        "identical": 2,
        "words": 4,
        "helped": 0,
        "first": {"line": 6, "expected": "꽃", "got": "꽃\t꽃/NA", "column": 2, "sent_id": ""},
        "error": "",
    }
    names = [f"{way} level {level}" for way in ("sejong", "jsonl") for level in range(1, 6)]
    assert [one["trip"] for one in levels] == names
    assert all(one["ok"] and one["identical"] == 3 for one in levels)
    assert counts == {
        "sentences": 3,
        "eojeols": 4,
        "counts": {"E101": 1, "E901": 1, "W104": 1},
        "trips": 11,
        "differing": 1,
    }
    report = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in report] == incidents


def test_round_trip(cli: Cli, root: Path) -> None:
    path = root / "samples" / "sejong-ids.txt"
    result = cli("validate", "-q", "--roundtrip", path)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode().splitlines() == [
        "conversion        sentences  identical  words  helped    file",
        f"sejong file              10         10     53            {path}",
        f"sejong level 1-5         10         10     53            {path}",
        f"jsonl level 1-5          10         10     53            {path}",
    ]


def test_what_does_not_come_back_is_an_error(cli: Cli) -> None:
    # In XPOS a low line says that there is none.
    morphemes = [{"form": "꽃", "tag": "_"}]
    sentence = {"sent_id": "1", "eojeols": [{"form": "꽃", "morphemes": morphemes}]}
    text = json.dumps(sentence).encode()
    assert cli("validate", "--from", "jsonl", stdin=text).returncode == 0
    lines = cli("validate", "-q", "--from", "jsonl", "--roundtrip", stdin=text).text(1).splitlines()
    assert [line.split()[:5] for line in lines if "E901" in line] == [
        ["-:1:", "E901", "sejong", "level", f"{level}:"] for level in range(1, 6)
    ]
    assert ["sejong", "level", "1-5", "1", "0", "1", "differs", "-"] in [
        line.split() for line in lines
    ]
    shown = lines[lines.index("sejong level 1-5, -") :]
    assert shown[1] == "  line 1 [1]"
    assert shown[2].split() == ["expected", "|", "came", "back"]
    assert shown[3].split() == ["1", "꽃", "|", "꽃"]
    assert shown[4].startswith("  >  2 꽃/_     | 꽃")


def test_a_folder(cli: Cli, tmp_path: Path, root: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.txt").write_bytes(TEXT)
    naver = "1\t한강의\tLOC_B\n2\t물\t-\n\n"
    (folder / "deep" / "naver.tsv").write_text(naver, encoding="utf-8")
    (folder / "README.md").write_bytes(b"Nothing\n")
    plain = cli("validate", "in")
    assert plain.returncode == 0
    assert b"skipped" not in plain.stderr.replace(b"in/README.md: skipped", b"")
    assert b"2 sentences, 4 eojeols" in plain.stderr
    result = cli("validate", "--roundtrip", "--select", "E9", "in", "in/b.txt")
    assert result.returncode == 0
    said = result.stderr.decode().splitlines()
    assert said == [
        "in/README.md: skipped: in no format that is known, nor Korean text",
        "2 files, 23 conversions there and back, 0 differ",
    ]
    rows = [line.split() for line in result.stdout.decode().splitlines()[1:]]
    assert [(row[:2], row[-1]) for row in rows] == [
        (["sejong", "file"], "in/b.txt"),
        (["sejong", "level"], "in/b.txt"),
        (["jsonl", "level"], "in/b.txt"),
        (["ner", "eoj2morph"], "in/deep/naver.tsv"),
        (["sejong", "file"], "in/b.txt"),
        (["sejong", "level"], "in/b.txt"),
        (["jsonl", "level"], "in/b.txt"),
    ]
    # The sentences of a corpus of entities stand in the table alone.
    corpus = cli("validate", "--roundtrip", "in/deep/naver.tsv")
    assert corpus.stderr == b"1 file, 1 conversion there and back, 0 differ\n"


def test_what_cannot_be_converted_is_a_row_with_its_reason(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_bytes(b"\xec\xff\xff\n")
    (tmp_path / "c.tsv").write_text("1\t한강의\n\n", encoding="utf-8")
    result = cli("validate", "--roundtrip", "none.txt", "b.txt", "a.txt")
    assert result.returncode == 1
    text = result.stdout.decode()
    assert text.count("error") == 2
    assert "-, none.txt\n  No such file or directory\n" in text
    assert "name the encoding of the file with --encoding" in text
    assert "sejong level 1-5" in text
    assert b"Traceback" not in result.stderr
    # What is found in a corpus of entities has its code.
    options = ("--from", "naver:rows PER_B", "--morphemes", "a.txt")
    output = cli("validate", "--roundtrip", *options, "c.tsv").text(1)
    assert "c.tsv:1: E401 " in output
    assert "a sentence could not be read: c.tsv:1: E401" in output


def test_given_morphemes(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("한강의\t한강/NNP+의/JKG\n", encoding="utf-8")
    (tmp_path / "a.tsv").write_text("1\t한강의\tLOC_B\n\n", encoding="utf-8")
    result = cli("validate", "-q", "--roundtrip", "--morphemes", "m.txt", "a.tsv")
    assert (result.returncode, b"eoj2morph" in result.stdout) == (0, True)
    assert cli("validate", "--roundtrip", "--morphemes", "m.txt", "a.tsv", "a.tsv").returncode == 2


def test_formats_that_there_are_not(cli: Cli) -> None:
    for options in (
        ("--from", "parallel"),
        ("--from", "nobody"),
        ("--roundtrip", "--from", "nobody"),
    ):
        assert options[-1] in cli("validate", *options, stdin=TEXT).told(2)


def test_a_file_that_is_not_there(cli: Cli) -> None:
    message = cli("validate", "none.txt").told(1)
    assert "none.txt" in message
    assert "Traceback" not in message


def test_the_help_lists_the_codes(cli: Cli) -> None:
    text = cli("validate", "--help").stdout.decode()
    assert "  E101  " in text
    assert "  W236  LEMMA is not that of the scheme" in text


def test_findings_are_in_the_order_of_the_lines_with_any_number_of_processes(
    cli: Cli, tmp_path: Path
) -> None:
    row = "1\t나는\t나+는\tNOUN\tNP+JX\t_\t0\troot\t_\tMSeg=나-는\n"
    sentences = [
        f"# sent_id = s{at}\n# text = 나는\n{row}" + "\n" * (1 + at % 3) for at in range(3000)
    ]
    (tmp_path / "in.conllu").write_text("".join(sentences), encoding="utf-8")
    one, two = [
        cli("validate", "--select", "W2", "--max", "0", "--jobs", jobs, "in.conllu")
        for jobs in ("1", "2")
    ]
    assert one.stdout == two.stdout
    lines = [int(line.split(b":")[1]) for line in one.stdout.splitlines()]
    assert lines == sorted(lines)
    assert one.stdout.count(b"W217") == 3000
