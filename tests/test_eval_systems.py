"""Several systems in one table."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from sejongud.evaluation import evaluate_all
from sejongud.evaluation.tables import write_runs

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

GOLD = "나 는 간다 .\n" * 40


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    texts = {"gold": GOLD, "a_1": GOLD, "b": GOLD.replace("나 는", "나는"), "c": GOLD}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / name for name in texts]


@pytest.mark.parametrize("kind", [("tokens", "--unit", "word"), ("dep",)])
def test_words_of_two_levels_are_told(
    kind: tuple[str, ...], cli: Cli, root: Path, tmp_path: Path
) -> None:
    gold = root / "samples" / "ud.conllu"
    assert cli("convert", gold, "b.conllu", "--level", "5").returncode == 0
    said = [cli("eval", *kind, gold, name).stderr.decode() for name in (gold, "b.conllu")]
    assert ["sejongud convert --level" in text for text in said] == [False, True]


def test_a_table_of_three(cli: Cli, files: list[Path]) -> None:
    rows = cli("eval", "tokens", *files).text().splitlines()
    assert rows[0].split() == [str(path) for path in files[1:]]
    assert rows[2].split() == ["Tokens", "f1", "100.00", "57.14*", "100.00"]
    assert f"* p < 0.05 against {files[1]}" in rows
    assert "|test:bootstrap:1000|correction:holm|seed:12345|" in rows[-1]


def test_every_layout(cli: Cli, files: list[Path]) -> None:
    out = cli("eval", "tokens", *files, "--markdown").stdout.decode()
    assert "| Tokens | f1 | 100.00 | 57.14* | 100.00 |" in out
    out = cli("eval", "tokens", *files, "--latex").stdout.decode()
    assert r"Tokens & f1 & 100.00 & 57.14* & 100.00 \\" in out
    assert r"a\_1" in out
    out = cli("eval", "tokens", *files, "--csv").stdout.decode()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["value"] for row in rows[1::2]] == ["1.0", "0.5714285714285714", "1.0"]
    assert rows[1]["p"] == ""
    found = json.loads(cli("eval", "tokens", *files, "--json").stdout)
    assert [one["scores"][1]["tp"] for one in found["systems"]] == [160, 80, 160]


def test_no_name_of_a_system_is_markup(cli: Cli, tmp_path: Path) -> None:
    name = "[2em] <img src=x onerror=alert(1)> a|b&c"
    for path in ("gold", name, "b"):
        (tmp_path / path).write_text(GOLD, encoding="utf-8")
    (tmp_path / "b").write_text(GOLD.replace("간다", "온다"), encoding="utf-8")
    out = cli("eval", "tokens", "gold", name, "b", "--markdown").stdout.decode()
    shown = r"[2em] &lt;img src=x onerror=alert(1)&gt; a\|b&amp;c"
    assert out.splitlines()[0] == f"|  |  | {shown} | b |"
    assert "<" not in out.replace("p &lt; 0.05", "")
    out = cli("eval", "tokens", "gold", name, "b", "--latex").stdout.decode()
    assert "& {[}2em]" in out
    assert r"\\" not in out.replace("\\\\\n", "")
    # The row of a system begins with its name, behind the \\ of another row.
    chosen = ("--metrics", "Tokens", "--latex")
    out = cli("eval", "tokens", "gold", "b", name, *chosen).stdout.decode()
    assert "\\\\\n{[}2em] <img src=x onerror=alert(1)> a|b\\&c & 100.00" in out


def test_a_layout_of_one_system(cli: Cli, files: list[Path]) -> None:
    out = cli("eval", "tokens", *files[:2], "--markdown").stdout.decode()
    assert "| Tokens | f1 | 100.00 |\n" in out
    assert "p <" not in out


def test_chosen_scores_with_a_row_for_each_system(cli: Cli, files: list[Path]) -> None:
    chosen = ("--metrics", "Tokens,Sentences", "--names", "A,B&,C")
    out = cli("eval", "tokens", *files, *chosen).stdout.decode()
    assert [row.split() for row in out.splitlines()[:4]] == [
        ["Tokens", "Sentences"],
        ["A", "100.00", "100.00"],
        ["B&", "57.14*", "100.00"],
        ["C", "100.00", "100.00"],
    ]
    out = cli("eval", "tokens", *files, *chosen, "--latex").stdout.decode()
    assert out.startswith(
        "\\begin{tabular}{lrr}\n\\toprule\n & Tokens & Sentences \\\\\n\\midrule\n"
        "A & 100.00 & 100.00 \\\\\n"
    )
    assert "\\bottomrule\n\\end{tabular}\n% \\usepackage{booktabs}\n" in out
    out = cli("eval", "tokens", *files[:2], "--metrics", "Tokens", "--markdown").stdout.decode()
    assert out.startswith("|  | Tokens |\n|---|---|\n")
    for options, message in (
        (("--metrics", "LAS"), "there is no score LAS: Sentences, Tokens"),
        (("--names", "A"), "there are 3 systems, and 1 names of them"),
    ):
        assert message in cli("eval", "tokens", *files, *options).told(2)


def test_chosen_scores_and_names_as_data_and_of_runs(cli: Cli, files: list[Path]) -> None:
    chosen = ("--metrics", "Tokens", "--names", "A,B&,C")
    out = cli("eval", "tokens", *files, *chosen, "--csv").stdout.decode()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["system"], row["name"]) for row in rows] == [
        (n, "Tokens") for n in ("A", "B&", "C")
    ]
    found = json.loads(cli("eval", "tokens", *files, *chosen, "--json").stdout)["systems"]
    assert [one["system"] for one in found] == ["A", "B&", "C"]
    assert [[row["name"] for row in one["scores"]] for one in found] == [["Tokens"]] * 3
    assert [row["name"] for row in found[1]["comparison"]] == ["Tokens"]
    out = cli("eval", "tokens", "--runs", *files, "--metrics", "Tokens", "--csv").stdout.decode()
    assert {row["name"] for row in csv.DictReader(io.StringIO(out))} == {"Tokens"}
    for options in (("--json",), ("--csv",), ("--runs",), ("--runs", "--json")):
        message = cli("eval", "tokens", *files, "--metrics", "LAS", *options).told(2)
        assert "there is no score LAS: Sentences, Tokens" in message
    for option in (("--names", "A"), ("--bootstrap", "9")):
        message = cli("eval", "tokens", "--runs", *files, *option).told(2)
        assert f"--runs prints means, without {option[0]}" in message


def test_intervals_in_a_table(cli: Cli, files: list[Path]) -> None:
    done = cli("eval", "tokens", *files, "--bootstrap", "100")
    assert "57.14* [57.14, 57.14]" in done.stdout.decode()
    assert "|intervals:95%:100|" in done.stdout.decode()
    found = json.loads(cli("eval", "tokens", *files, "--bootstrap", "100", "--json").stdout)
    assert len(found["systems"][2]["scores"][1]["intervals"]["f1"]) == 2
    out = cli("eval", "tokens", *files, "--bootstrap", "9", "--csv").stdout.decode()
    rows = csv.DictReader(io.StringIO(out))
    assert [row["low"] for row in rows][3] == "0.5714285714285714"


def test_tests_of_several_systems_are_corrected(cli: Cli, files: list[Path]) -> None:
    found = json.loads(cli("eval", "tokens", *files, "--json").stdout)["systems"]
    tested = [one["comparison"][1]["p"] for one in found[1:]]
    assert tested == [pytest.approx(2 / 1001), 1.0]


def test_options_of_a_single_system(cli: Cli, files: list[Path]) -> None:
    assert "--sentences is for one system" in cli("eval", "tokens", *files, "--sentences").told(2)


def test_each_system_has_its_own_alignment(cli: Cli, tmp_path: Path) -> None:
    for name, text in {"gold": GOLD, "a": GOLD, "b": GOLD.replace("간다", "온다")}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = ("eval", "tokens", "gold", "a", "b")
    below = cli(*run).stdout.decode().splitlines()[-2:]
    assert below[0].startswith("a: tokens|unit:token|align:offset|test:")
    assert below[1].startswith("b: tokens|unit:token|align:jp|")
    of_latex = cli(*run, "--latex").stdout.decode().splitlines()[-2:]
    assert of_latex == [f"% {line}" for line in below]
    rows = list(csv.DictReader(io.StringIO(cli(*run, "--csv").stdout.decode())))
    assert ["align:jp" in row["signature"] for row in rows] == [False, False, True, True]
    found = json.loads(cli(*run, "--json").stdout)
    assert ["align:jp" in one["signature"] for one in found["systems"]] == [False, True]


def test_the_differences_and_the_intervals_of_each_system(cli: Cli, tmp_path: Path) -> None:
    for name, text in {"gold": GOLD, "a": GOLD, "b": GOLD.replace("간다", "온다", 1)}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = ("eval", "tokens", "gold", "a", "b")
    difference = "gold:1 '간다' – b:1 '온다'"
    said = cli(*run).stderr.decode().splitlines()
    assert said == ["the texts differ in one place:", f"  {difference}"]
    assert not cli(*run, "--quiet").stderr
    found = json.loads(cli(*run, "--json").stdout)
    assert [one["differences"] for one in found["systems"]] == [[], [difference]]
    rows = list(csv.DictReader(io.StringIO(cli(*run, "--csv").stdout.decode())))
    assert rows[1]["difference_low"] == ""
    ends = [float(rows[3][f"difference_{end}"]) for end in ("low", "high")]
    assert ends == [found["systems"][1]["comparison"][1][end] for end in ("low", "high")]
    (tmp_path / "short").write_text("나 는\n", encoding="utf-8")
    done = cli("eval", "tokens", "short", "short", "short")
    assert b"drawn from only 1 group of sentences" in done.stderr


def test_means_of_runs_are_those_of_numpy(cli: Cli, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    gold, *runs = (tmp_path / f"{name}.txt" for name in ("gold", "a", "b", "c"))
    gold.write_text("나 는 간다\n봄 이 온다\n", encoding="utf-8")
    texts = ["나 는 간다\n봄 이 온다\n", "나는 간다\n봄 이 온다\n", "나는 간다\n봄이 온다\n"]
    for run, text in zip(runs, texts, strict=True):
        run.write_text(text, encoding="utf-8")
    each = [
        {
            score["name"]: score
            for score in json.loads(cli("eval", "tokens", gold, run, "--json").stdout)["scores"]
        }
        for run in runs
    ]
    pairs = [path for run in runs for path in (gold, run)]
    ways: list[list[str | Path]] = [["--runs", gold, *runs], ["--folds", *pairs]]
    for words in ways:
        found = json.loads(cli("eval", "tokens", "--json", *words).stdout)
        assert len(found["scores"]) == 6
        for row in found["scores"]:
            values = [run[row["name"]][row["figure"]] for run in each]
            assert row["mean"] == pytest.approx(numpy.mean(values))
            assert row["sd"] == pytest.approx(numpy.std(values, ddof=1))
            assert (row["lowest"], row["highest"], row["n"]) == (min(values), max(values), 3)
    text = cli("eval", "tokens", "--runs", gold, *runs).stdout.decode()
    [row] = [row for row in found["scores"] if (row["name"], row["figure"]) == ("Tokens", "f1")]
    assert f"f1  {100 * row['mean']:.2f} ± {100 * row['sd']:.2f}" in text
    message = cli("eval", "tokens", "--folds", gold, *runs[:2]).told(2)
    assert "--folds takes pairs of files" in message


def test_runs_have_the_signatures_of_all_of_them() -> None:
    found = evaluate_all("tokens", "나 는\n네\n", ["나는\n네\n", "나 는\n"])
    _, *rows = csv.reader(io.StringIO(write_runs(found, "csv")))
    signatures = "; ".join([one.signature() for one in found])
    assert "align:offset" in signatures
    assert "align:jp" in signatures
    assert {row[-1] for row in rows} == {signatures}


def test_folds_with_other_types_have_their_own_rows(cli: Cli, tmp_path: Path) -> None:
    """A measurement does not change the rows of one before it, which the metric made."""
    folds = "김 B-PS\n은 O\n\n서 B-LC\n울 I-LC\n", "김 B-OG\n은 O\n"
    systems = "김 B-PS\n은 O\n\n서 O\n울 B-LC\n", "김 B-OG\n은 O\n"
    paths = []
    for number, texts in enumerate(zip(folds, systems, strict=True)):
        for name, text in zip(("gold", "system"), texts, strict=True):
            paths.append(tmp_path / f"{name}{number}.txt")
            paths[-1].write_text(text, encoding="utf-8")
    done = cli("eval", "ner", "--folds", *paths, "--json")
    found = {(row["name"], row["figure"]): row for row in json.loads(done.stdout)["scores"]}
    assert [found[name, "f1"]["mean"] for name in ("Entities", "LC", "OG")] == [0.75, 0, 1]
    assert [found[name, "f1"]["n"] for name in ("Entities", "LC", "OG")] == [2, 1, 1]
