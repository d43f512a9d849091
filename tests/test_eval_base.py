from __future__ import annotations

import csv
import io
import json
import os
from typing import TYPE_CHECKING, Any, get_args

import pytest

import sejongud
from sejongud.errors import UsageError
from sejongud.evaluation import evaluate, evaluate_all
from sejongud.evaluation.base import Evaluation, FScores
from sejongud.evaluation.scores import Test, Unit, f_score
from sejongud.evaluation.significance import compare, intervals

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.evaluation.side import Annotation
    from sejongud.files import Source


class Scores(FScores[None]):
    def read(self, source: Source) -> Annotation[None]:
        raise NotImplementedError


METRIC = Scores("tokens", ["Sentences", "Tags"], ["Tags"])


def evaluation(*counts: tuple[int, ...], gold: list[range] | None = None) -> Evaluation:
    places = gold or [range(n, n + 1) for n in range(len(counts))]
    units = [Unit(place, place, count) for place, count in zip(places, counts, strict=True)]
    return Evaluation(METRIC, {"align": "offset"}, units)


def test_scores_are_made_from_totals() -> None:
    first, second = evaluation((1, 1, 1, 2, 3, 4, 3), (0, 1, 1, 1, 3, 2, 1)).scores
    assert first == f_score("Sentences", 1, 2, 2)
    assert second.counts == {"tp": 3, "fp": 3, "fn": 3}
    assert second.ratios == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "accuracy": 0.75}


def test_a_share_of_nothing_is_nothing() -> None:
    assert set(f_score("Tokens", 0, 0, 0).ratios.values()) == {0.0}
    assert [score.ratios["f1"] for score in evaluation().scores] == [0.0, 0.0]
    assert intervals(evaluation(), 10, 1)[0]["f1"] == (0.0, 0.0)


def test_intervals_hold_the_figure_and_are_the_same_again() -> None:
    mixed = evaluation(*[(n % 2, 1, 1, n % 3, 3, 3, 3) for n in range(60)])
    ends = intervals(mixed, 200, 7)
    for score, of_score in zip(mixed.scores, ends, strict=True):
        for name, value in score.ratios.items():
            low, high = of_score[name]
            assert low < value < high
    assert ends == intervals(mixed, 200, 7)
    assert ends != intervals(mixed, 200, 8)


def test_intervals_of_what_does_not_vary_are_points() -> None:
    steady = evaluation(*[(1, 2, 2, 1, 1, 1, 1)] * 20)
    assert intervals(steady, 50, 1)[0]["f1"] == (0.5, 0.5)


@pytest.mark.parametrize("test", get_args(Test))
def test_paired_tests(test: str) -> None:
    good = evaluation(*[(1, 1, 1, 9, 10, 10, 10)] * 40)
    worse = evaluation(*[(1, 1, 1, 5 + n % 3, 10, 10, 10) for n in range(40)])
    sentences, tags = compare(good, worse, 500, 3, test)  # type: ignore[arg-type]
    assert (sentences.first, sentences.second, sentences.p) == (1.0, 1.0, 1.0)
    assert tags.figure == "f1"
    assert tags.first == 0.9
    assert tags.p < 0.01
    mixed = [(1, 1, 1, 5 + n % 5, 10, 10, 10) for n in range(40)]
    _, tags = compare(evaluation(*mixed), evaluation(*mixed[::-1]), 500, 3, test)  # type: ignore[arg-type]
    assert tags.p > 0.5


@pytest.mark.parametrize("test", get_args(Test))
@pytest.mark.parametrize(("differing", "least"), [(1, 1), (2, 0.5), (5, 0.06), (12, 0)])
def test_few_units_that_differ_prove_nothing(differing: int, least: float, test: Any) -> None:
    """The n units that differ can be exchanged in 2ⁿ ways, of which two are extreme."""
    good = evaluation(*[(1, 1, 1, 9, 9, 9, 9)] * 40)
    worse = evaluation(*[(1, 1, 1, 9 - (n < differing), 9, 9, 9) for n in range(40)])
    assert least <= compare(good, worse, 500, 3, test)[1].p
    assert differing < 6 or compare(good, worse, 500, 3, test)[1].p < 0.05


def test_the_interval_of_a_difference() -> None:
    first = evaluation(*[(1, 1, 1, 2 + n % 2, 3, 3, 3) for n in range(60)])
    second = evaluation(*[(1, 1, 1, 1 + n % 3, 3, 3, 3) for n in range(60)])
    same, tags = first.compare(second, samples=200)
    assert (same.low, same.high) == (0, 0)
    assert tags.low is not None and tags.high is not None
    assert 0 < tags.low < tags.first - tags.second < tags.high
    other = second.compare(first, samples=200)[1]
    assert (other.low, other.high) == pytest.approx((-tags.high, -tags.low))
    assert {(one.low, one.high) for one in first.compare(second, test="randomisation")} == {
        (None, None)
    }


def test_the_interval_of_a_difference_is_told(cli: Cli, tmp_path: Path) -> None:
    for name, text in (("gold", "나 는\n너\n"), ("system", "나 는\n너\n"), ("other", "나는\n너\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = ("eval", "tokens", "gold", "system", "--compare", "other")
    assert "+60.00 [+0.00, +100.00]" in cli(*run).stdout.decode()
    row = next(csv.DictReader(cli(*run, "--csv").stdout.decode().splitlines()[:3:2]))
    assert (row["difference_low"], row["difference_high"]) == ("0.0", "1.0")


def test_a_paired_test_merges_units_until_both_have_the_same_gold() -> None:
    one = (1, 1, 1, 1, 1, 1, 1)
    first = evaluation(one, one, one, gold=[range(1), range(1, 3), range(3, 4)])
    second = evaluation(one, one, one, one, gold=[range(2), range(2, 3), range(3, 3), range(3, 4)])
    assert [result.p for result in compare(first, second, 20, 1)] == [1.0, 1.0]
    with pytest.raises(UsageError, match="same gold"):
        compare(first, evaluation(one), 20, 1)


# --- the output, by way of `eval tokens` ---------------------------------------------------------

GOLD = "나는 밥을 먹었다 .\n물도 마셨다 .\n잤다 .\n"
SYSTEM = "나는 밥을 먹었다 . 물도 마셨다 .\n잤다.\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    gold.write_text(GOLD, encoding="utf-8")
    system.write_text(SYSTEM, encoding="utf-8")
    return gold, system


def test_json_has_everything(cli: Cli, files: tuple[Path, Path]) -> None:
    options = ("--json", "--sentences", "--bootstrap", "50", "--compare", files[0])
    found = json.loads(cli("eval", "tokens", *files, *options).text())
    assert found["signature"].startswith("tokens|unit:token|align:offset|")
    assert "|test:bootstrap:1000|seed:12345|" in found["signature"]
    assert [score["name"] for score in found["scores"]] == ["Sentences", "Tokens"]
    for at, score in enumerate(found["scores"]):
        for count in ("tp", "fp", "fn"):
            per_sentence = [one["scores"][at][count] for one in found["sentences"]]
            assert sum(per_sentence) == score[count]
        assert set(score["intervals"]) == {"precision", "recall", "f1"}
    assert [one["gold"] for one in found["sentences"]] == ["1-2", "3"]
    assert [one["second"] for one in found["comparison"]] == [1.0, 1.0]


def test_csv_signs_every_row(cli: Cli, files: tuple[Path, Path]) -> None:
    result = cli("eval", "tokens", *files, "--csv", "--sentences", "--bootstrap", "20")
    rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
    assert [(row["gold"], row["name"]) for row in rows] == [
        ("all", "Sentences"),
        ("all", "Tokens"),
        ("1-2", "Sentences"),
        ("1-2", "Tokens"),
        ("3", "Sentences"),
        ("3", "Tokens"),
    ]
    assert len({row["signature"] for row in rows}) == 1
    assert (rows[1]["tp"], rows[1]["fp"], rows[1]["fn"]) == ("7", "1", "2")
    assert float(rows[1]["f1_low"]) <= float(rows[1]["f1"]) <= float(rows[1]["f1_high"])


def test_the_table(cli: Cli, files: tuple[Path, Path]) -> None:
    lines = cli("eval", "tokens", *files).stdout.decode().splitlines()
    assert lines[0].split() == ["tp", "fp", "fn", "precision", "recall", "f1"]
    assert lines[1].split() == ["Sentences", "1", "1", "2", "50.00", "33.33", "40.00"]
    assert lines[2].split() == ["Tokens", "7", "1", "2", "87.50", "77.78", "82.35"]
    assert lines[-1].startswith("tokens|unit:token|align:offset|version:")


def test_usage(cli: Cli, files: tuple[Path, Path]) -> None:
    assert cli("eval", "tokens", files[0]).returncode == 2
    assert cli("eval", "nothing", *files).returncode == 2
    assert cli("eval", "tokens", *files, "--bootstrap", "0").returncode == 2
    message = cli("eval", "tokens", *files, "--exceptions", "tlh").told(2)
    assert "word-exceptions.tsv has *, en" in message
    message = cli("eval", "tokens", files[0], "nowhere.txt").told(1)
    assert "nowhere.txt" in message
    assert "Traceback" not in message


@pytest.mark.parametrize("metric", ["tokens", "parse", "pos", "dep", "ner", "frame", "sighan"])
@pytest.mark.parametrize("test", get_args(Test))
def test_two_systems_without_a_sentence_do_not_differ(
    cli: Cli, tmp_path: Path, metric: str, test: str
) -> None:
    (tmp_path / "empty").write_bytes(b"")
    done = cli("eval", metric, "empty", "empty", "--compare", "empty", "--test", test, "--json")
    assert done.returncode == 1
    assert b"there is no sentence in this file" in done.stderr
    assert {one["p"] for one in json.loads(done.stdout)["comparison"]} == {1.0}


# --- standard input and pipes ---------------------------------------------------------------------

BOTH = {
    ("tokens",): "나는 갔다\n",
    ("pos",): "나는\t나/NP+는/JX\n\n",
    ("dep",): "1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n",
    ("ner",): "나는\tO\n한강\tB-LC\n\n",
    ("parse",): "(S (NP (N a)) (VP (V b)))\n",
    ("parse", "--evalb"): "(S (NP (N a)) (VP (V b)))\n",
    ("sighan",): "S(agent:NP(Nh:他)|Head:VC:刊登)\n",
}
"""Metric → a file that it reads."""


def pipe_of(data: bytes) -> int:
    """Return the file descriptor of a pipe that holds some data, which fit into its buffer."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading


@pytest.mark.parametrize("metric", BOTH, ids=" ".join)
def test_standard_input_and_pipes_are_read(
    metric: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    data = BOTH[metric].encode()
    (tmp_path / "a").write_bytes(data)
    expected = cli("eval", *metric, "a", "a")
    assert (expected.returncode, expected.stderr) == (0, b"")
    pipes = [pipe_of(data), pipe_of(data)]
    found = [
        cli("eval", *metric, "-", "a", stdin=data),
        cli("eval", *metric, "a", "-", stdin=data),
        cli("eval", *metric, *[f"/dev/fd/{pipe}" for pipe in pipes]),
    ]
    for pipe in pipes:
        os.close(pipe)
    assert [(one.returncode, one.stdout) for one in found] == [(0, expected.stdout)] * 3


@pytest.mark.parametrize(
    "arguments",
    [
        *[("eval", *metric, "-", "-") for metric in BOTH],
        ("eval", "dep", "a", "-", "--compare", "-"),
        ("dep", "morph2word", "-", "out", "--words", "-"),
        ("ner", "eoj2morph", "--morphemes", "-"),
        ("validate", "-", "-"),
    ],
    ids=" ".join,
)
def test_standard_input_is_only_one_input(arguments: tuple[str, ...], cli: Cli) -> None:
    message = cli(*arguments, stdin=BOTH[("dep",)].encode()).told_only()
    assert "standard input can be read only once" in message


@pytest.mark.parametrize("option", ["--bootstrap", "--samples"])
def test_samples_that_would_never_end_are_refused(cli: Cli, option: str) -> None:
    message = cli("eval", "tokens", "a", "b", option, "9" * 9).told(2)
    assert "999,999,999 samples are too many: 1,000,000 at most" in message


# --- documents ------------------------------------------------------------------------------------

WORD = "1\t{}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


def treebank(upos: str, *, marks: bool = True) -> str:
    """Return 40 sentences in four documents, the last of which has the tag that is given."""
    rows = []
    for n in range(40):
        id_ = f"# sent_id = {n}\n"
        rows.append(id_ + ("# newdoc\n" if marks and n % 10 == 0 else "") + WORD.format(n))
        rows[-1] = rows[-1].replace("NOUN", upos if n >= 30 else "NOUN")
    return "".join(rows)


def test_documents_are_drawn(cli: Cli, tmp_path: Path) -> None:
    for folder, upos in (("gold", "NOUN"), ("system", "VERB")):
        (tmp_path / f"{folder}.conllu").write_text(treebank(upos), encoding="utf-8")
        (tmp_path / folder).mkdir()
        parts = treebank(upos, marks=False).split("# sent_id = ")[1:]
        for k in range(4):
            text = "".join([f"# sent_id = {part}" for part in parts[10 * k : 10 * k + 10]])
            (tmp_path / folder / f"{k}.conllu").write_text(text, encoding="utf-8")
    found = []
    options = ("--bootstrap", "200", "--compare")
    for gold, system in (("gold.conllu", "system.conllu"), ("gold", "system")):
        run = ("eval", "dep", gold, system, *options, gold, "--json", "--resample", "documents")
        done = cli(*run)
        assert "only 4 documents" in done.stderr.decode()
        data = json.loads(done.stdout)
        assert "|resample:documents|seed:" in data["signature"]
        upos = next(row for row in data["scores"] if row["name"] == "UPOS")
        tests = {row["name"]: row["p"] for row in data["comparison"]}
        found.append((upos["intervals"]["f1"], tests["UPOS"]))
    assert found[0] == found[1] == ([0.25, 1.0], 1.0)
    gold, same, other = (treebank(upos) for upos in ("NOUN", "NOUN", "VERB"))
    documents = sejongud.loads(gold)
    for given in (gold, tmp_path / "gold.conllu", iter(documents)):
        first, second = evaluate_all("dep", given, [other, same])
        number = [score.name for score in first.scores].index("UPOS")
        assert first.intervals(200, resample="documents")[number]["f1"] == (0.25, 1.0)
        assert first.compare(second, samples=200, resample="documents")[number].p == 1.0
        assert first.compare(second, samples=200)[number].p < 0.05
    with pytest.raises(sejongud.UsageError, match="gold has 0 documents"):
        evaluate("dep", documents[1:10], documents[1:10]).intervals(resample="documents")
    by_sentence = cli(
        "eval", "dep", "gold.conllu", "system.conllu", *options, "gold.conllu", "--json"
    )
    data = json.loads(by_sentence.stdout)
    assert next(row["p"] for row in data["comparison"] if row["name"] == "UPOS") < 0.05


def test_documents_of_trees_in_conllu(cli: Cli, tmp_path: Path) -> None:
    """They are read as brackets, which have other lines."""
    tree = "(S (NP (NNG 집)) (VP (VV 가) (EF 다)))\n"
    for name, last in (("gold", tree), ("system", tree.replace("NP", "X"))):
        trees = (tree * 30 + last * 10).encode()
        text = cli("convert", "--from", "brackets", "--to", "conllu", "-", stdin=trees).text()
        blocks = [
            block if n % 10 else block.replace("# text", "# newdoc\n# text")
            for n, block in enumerate(text.split("\n\n"))
        ]
        (tmp_path / f"{name}.conllu").write_text("\n\n".join(blocks), "utf-8")
    run = ("eval", "parse", "gold.conllu", "system.conllu", "--bootstrap", "200", "--json")
    done = cli(*run, "--resample", "documents")
    assert "only 4 documents" in done.stderr.decode()
    low, high = json.loads(done.stdout)["scores"][0]["intervals"]["f1"]
    assert (round(low, 2), high) == (0.75, 1.0)
    text = (tmp_path / "gold.conllu").read_text("utf-8")
    (tmp_path / "gold.conllu").write_text(f"{text}# newdoc\n{WORD}", "utf-8")
    assert "needs all of them" in cli(*run, "--resample", "documents").told(2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("gold",), "--resample tells what --bootstrap and --compare draw"),
        (("gold", "--bootstrap"), "gold has 0 documents"),
        (("-", "--bootstrap"), "reads GOLD once more"),
    ],
)
def test_documents_that_cannot_be_drawn(
    options: tuple[str, ...], message: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "gold").write_text(treebank("NOUN", marks=False), encoding="utf-8")
    done = cli("eval", "dep", options[0], "gold", *options[1:], "--resample", "documents")
    assert done.returncode == 2
    assert message in done.stderr.decode()
