"""EVALB: against real outputs of the C program, and each rule on its own."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from sejongud.arguments import Parser
from sejongud.commands.evaluate import Parse
from sejongud.errors import UsageError
from sejongud.evaluation.evalb import Parameters, atoi, evaluate, load_parameters, read_parameters

CASES = cases("evalb")

DATA = Path(__file__).parent / "data" / "eval"

COLLINS = load_parameters("COLLINS", Parameters())
NEW = load_parameters("new", Parameters())


def run(gold: str, test: str, parameters: Parameters = COLLINS) -> tuple[list[str], list[str], int]:
    """Rows (and what follows them, in debug mode), messages, exit status."""
    out, err = io.BytesIO(), io.BytesIO()
    status = evaluate(
        gold.encode().decode("latin-1").splitlines(),
        test.encode().decode("latin-1").splitlines(),
        parameters,
        out,
        err,
    )
    rows = out.getvalue().decode("latin-1").split("=\n")[1].split("\n")[:-1]
    return (
        [row for row in rows if not row.startswith("=")],
        err.getvalue().decode().splitlines(),
        status,
    )


def figures(row: str) -> list[float]:
    """Stat., recall, precision, matched, gold, test, crossing, words, tags, accuracy."""
    return [float(figure) for figure in row.split()[2:]]


# --- the C program's own outputs ------------------------------------------------------------------


def outputs(shared: Path) -> list[tuple[Path, Path, Path, Path]]:
    """Expected output, gold, test, parameter file."""
    directory = shared / "eval-cases" / "evalb"
    found = []
    for out in sorted(directory.glob("*/*.out")):
        stem, _, name = out.stem.partition(".")
        parameters = directory / f"{name}.prm" if name else out.with_suffix(".prm")
        found.append((out, out.parent / f"{stem}.gld", out.parent / f"{stem}.tst", parameters))
    return found


def evalb(*arguments: str | Path) -> int:
    """The command, with `--evalb`."""
    parser = Parser("eval parse")
    return Parse().run(parser.parse_args(["--evalb", *map(str, arguments)]))


def test_outputs_of_the_c_program(shared: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    found = outputs(shared)
    assert len(found) == 23
    for out, gold, test, parameters in found:
        status = evalb("-p", parameters, gold, test)
        printed = capsysbinary.readouterr()
        assert printed.out == out.read_bytes(), out
        assert printed.err == out.with_suffix(".err").read_bytes(), out
        expected = out.with_suffix(".rc")
        assert status == (int(expected.read_text()) if expected.exists() else 0), out


def test_sets_are_the_parameter_files(shared: Path) -> None:
    directory = shared / "eval-cases" / "evalb"
    for name, file in (("COLLINS", "COLLINS"), ("new", "new"), ("nk", "nk"), ("SPMRL", "spmrl")):
        lines = (directory / f"{file}.prm").read_text().split("\n")
        assert load_parameters(name, Parameters()) == read_parameters(
            lines, Parameters(), pytest.fail
        )


# --- a whole run ----------------------------------------------------------------------------------

GOLD = """\
(TOP (S (NP (NN rain)) (VP (VBZ falls) (ADVP (RB again))) (. .)))
(TOP (S (NP (PRP it)) (VP (VBD rained))))
(TOP (S (NP (DT a) (NN day))))
"""
TEST = """\
(TOP (S (NP (NN rain) (VBZ falls)) (PRT (RP again)) (. .)))
(TOP (S (NP (PRP it)) (VP (VBD rains))))
(TOP (. .))
(TOP (NN b))
"""
OUT = """\
  Sent.                        Matched  Bracket   Cross        Correct Tag
 ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy
============================================================================
   1    4    0   50.00  66.67     2      4    3      1      3     2    66.67
   2    2    1    0.00   0.00     0      0    0      0      0     0     0.00
   3    2    2    0.00   0.00     0      0    0      0      0     0     0.00
============================================================================
                 50.00  66.67      2     4     3      1      3     2    66.67
=== Summary ===

-- All --
Number of sentence        =      3
Number of Error sentence  =      1
Number of Skip  sentence  =      1
Number of Valid sentence  =      1
Bracketing Recall         =  50.00
Bracketing Precision      =  66.67
Bracketing FMeasure       =  57.14
Complete match            =   0.00
Average crossing          =   1.00
No crossing               =   0.00
2 or less crossing        = 100.00
Tagging accuracy          =  66.67

-- len<=3 --
Number of sentence        =      2
Number of Error sentence  =      1
Number of Skip  sentence  =      1
Number of Valid sentence  =      0
Bracketing Recall         =   0.00
Bracketing Precision      =   0.00
Bracketing FMeasure       =   -nan
Complete match            =   0.00
Average crossing          =   0.00
No crossing               =   0.00
2 or less crossing        =   0.00
Tagging accuracy          =   0.00
"""
ERR = """\
2 : Words unmatch (rained|rains)
4 : Number of lines unmatch (too many lines in test file)
"""


def test_whole_run(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "gold").write_text(GOLD)
    # CRLF and a last line without its end are nothing to it.
    (tmp_path / "test").write_bytes(TEST.rstrip().replace("\n", "\r\n").encode())
    assert evalb("-p", "COLLINS", "-c3", tmp_path / "gold", tmp_path / "test") == 0
    assert capsysbinary.readouterr() == (OUT.encode(), ERR.encode())


def test_too_many_lines_in_gold() -> None:
    rows, messages, status = run("(S (N a))\n(S (N b))", "(S (N a))")
    assert [row.split()[0] for row in rows] == ["1"]
    assert messages == ["2 : Number of lines unmatch (too many lines in gold file)"]
    assert status == 0


# --- options and parameter files ------------------------------------------------------------------


def test_the_last_option_holds(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "p").write_text("DEBUG 0\nCUTOFF_LEN 7\n")
    (tmp_path / "t").write_text("(S (N a))\n")
    for options, debug, cutoff in (
        (["-D", "-p", "p"], False, 7),
        (["-p", "p", "-d"], True, 7),
        (["-c", "5", "-p", "p"], False, 7),
        (["-p", "p", "-c", "5"], False, 5),
    ):
        files = [tmp_path / "t", tmp_path / "t"]
        evalb(*[tmp_path / "p" if option == "p" else option for option in options], *files)
        printed = capsysbinary.readouterr().out.decode()
        assert ("-<1>---" in printed) == debug, options
        assert f"-- len<={cutoff} --" in printed, options


def test_parameter_file() -> None:
    messages: list[str] = []
    text = """\
# a comment
DEBUG 1
MAX_ERROR   7 errors
DELETE_LABEL two words  \t
DELETE_LABEL X
DELETE_LABEL_FOR_LENGTH -NONE-
QUOTE_LABEL ''
EQ_LABEL A   B
EQ_LABEL A B C
EQ_WORD It it
EQ_WORD It
LABEL 1
DEBUG
x
"""
    found = read_parameters(text.split("\n"), Parameters(delete_label=("TOP",)), messages.append)
    assert found == Parameters(
        debug=1,
        max_error=7,
        delete_label=("TOP", "two words", "X"),
        delete_label_for_length=("-NONE-",),
        quote_label=("''",),
        eq_label=(("A", "B"),),
        eq_word=(("It", "it"),),
    )
    assert messages == [
        "EQ_LABEL requires two values",
        "EQ_WORD requires two values",
        "Unknown keyword (LABEL 1) in parameter file",
        "Empty value in parameter file (13)",
    ]


def test_atoi() -> None:
    assert [atoi(text) for text in ("12", " -3x", "+4", "x5", "")] == [12, -3, 4, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no", "t"], "Can't open gold file (no)\n"),
        (["t", "no"], "Can't open test file (no)\n"),
        (["-p", "no.prm", "t", "t"], "Can't open parameter file (no.prm)\n"),
        (["-p", "no", "t", "t"], "Can't open parameter file (no)\n"),
    ],
)
def test_files_that_are_not_there(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t").write_text("(S (N a))\n")
    assert evalb(*arguments) == 1
    assert capsysbinary.readouterr() == (b"", message.encode())


def test_other_outputs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--json"):
        evalb("--json", tmp_path, tmp_path)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gold", "test", "change", "expected"), CASES["test_rule"])  # fmt: skip
def test_rule(gold: str, test: str, change: dict[str, Any], expected: list[float]) -> None:
    rows, _, status = run(gold, test, replace(COLLINS, **change))
    assert (figures(rows[0]), status) == (expected, 0)


def test_max_error() -> None:
    gold, test = "(S (N a))\n" * 20, "(S (N b))\n" * 20
    rows, messages, status = run(gold, test)
    assert (len(rows), len(messages), status) == (11, 12, 1)


# --- what is not well-formed ----------------------------------------------------------------------


@pytest.mark.parametrize(("line", "messages", "row"), CASES["test_unbalanced"])  # fmt: skip
def test_unbalanced(line: str, messages: list[str], row: list[float]) -> None:
    rows, found, status = run(f"{line}\n(S (N a))", f"{line}\n(S (N a))")
    assert found == [f"1 : {message}" for message in messages] * 2
    assert figures(rows[0]) == row
    assert figures(rows[1]) == [0, 100, 100, 1, 1, 1, 0, 1, 1, 100]
    assert status == 0


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("(S (N a b))", ["More than two elements in a bracket"]),
        ("(S (N a) b)", []),
        ("(S b(N a))", []),
        ("b", []),
    ],
)
def test_a_stray_word_ends_everything(line: str, first: list[str]) -> None:
    rows, messages, status = run(f"(S (N a))\n{line}", "(S (N a))\n(S (N a))")
    assert messages == [f"2 : {message}" for message in (first + ["Reading sentence"] * 12)[:12]]
    assert (len(rows), status) == (1, 1)


@given(st.lists(st.text("()NPa .-='\t"), max_size=4), st.lists(st.text("()NPa .-='\t"), max_size=4))
def test_nothing_crashes(gold: list[str], test: list[str]) -> None:
    for debug in range(3):
        out, err = io.BytesIO(), io.BytesIO()
        status = evaluate(gold, test, replace(NEW, debug=debug), out, err)
        messages = err.getvalue().count(b"\n")
        assert status == (messages == NEW.max_error + 2)
        assert (b"=== Summary ===" in out.getvalue()) == (status == 0)


def test_no_limits() -> None:
    for line in (
        "(S " + " ".join(f"(NP (N w{i}))" for i in range(1000)) + ")",
        "(X " * 5000 + "(N a)" + ")" * 5000,
        f"(S ({'L' * 300} (N {'가' * 300})))",
    ):
        rows, messages, status = run(line, line)
        assert (messages, status) == ([], 0)
        stat, recall, precision, *_ = figures(rows[0])
        assert (stat, recall, precision) == (0, 100, 100)


# --- debug mode -----------------------------------------------------------------------------------


def test_debug_outputs_of_the_c_program(
    shared: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    directory = shared / "eval-cases" / "evalb-debug"
    with (directory / "cases.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == 120
    for row in rows:
        case, option = row["case"], row["option"]
        name = row["parameters"]
        given = () if name == "-" else ("-p", directory.parent / "evalb" / name)
        pair = directory / f"{case}.gld", directory / f"{case}.tst"
        status = evalb(*given, option, *pair)
        printed = capsysbinary.readouterr()
        assert printed.out == (directory / f"{case}{option}.out").read_bytes(), row
        assert printed.err == (directory / f"{case}{option}.err").read_bytes(), row
        assert status == int(row["status"]), row


def test_random_pairs_as_the_c_program_prints_them(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """218 invented pairs and the recorded outputs of EVALB 20131124 (gcc, x86-64) with -d and -D.

    Among them are empty nodes, empty roots, quotation marks that are put back, odd labels, tabs,
    and files of different lengths.
    """
    runs = json.loads((DATA / "evalb.json").read_text(encoding="utf-8"))
    assert sum(min(len(run["gold"]), len(run["test"])) for run in runs) == 218
    for run in runs:
        paths = [tmp_path / name for name in ("parameters", "gold", "test")]
        for path in paths:
            path.write_text("".join(f"{line}\n" for line in run[path.name]), encoding="utf-8")
        for option, printed in run["printed"].items():
            status = evalb("-p", paths[0], option, *paths[1:])
            out, err = capsysbinary.readouterr()
            assert out.decode().split("\n") == printed["out"], (run["parameters"], option)
            assert err.decode().split("\n") == printed["err"], (run["parameters"], option)
            assert status == printed["status"]
