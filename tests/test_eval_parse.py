"""Trees whose words and sentences need not be the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.arguments import Parser
from sejongud.commands.evaluate import Parse
from sejongud.errors import UsageError
from sejongud.evaluation.evalb import Parameters, load_parameters
from sejongud.evaluation.parse import ParseMetric, read_trees
from sejongud.evaluation.parseval import format_rows
from sejongud.layers.subsequence import STRICT, Likeness, load_likeness

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

ALIGNED = load_parameters("aligned", Parameters())
COLLINS = load_parameters("COLLINS", Parameters())
ENGLISH = load_likeness(["en"])


def totals(
    gold: str, system: str, parameters: Parameters = ALIGNED, likeness: Likeness = STRICT
) -> list[float]:
    """Matched, gold, system, crossing, words, tags, aligned words, groups of sentences."""
    sides = [read_trees(text.split("\n")) for text in (gold, system)]
    [evaluation] = ParseMetric(parameters).measure(*sides, likeness=likeness)
    return evaluation.totals[:8]


def lines(*sentences: str) -> str:
    return "\n".join(sentences)


# --- the examples of the papers -------------------------------------------------------------------

CANT = "(S (NP (DT This)) (VP (MD ca) (RB n't) (VP (VB be) (AdjP (JJ right)))))"
CANNOT = "(S (NP (DT this)) (VP (MD can) (RB not) (VP (VB be) (AdjP (JJ right)))))"


def test_cannot() -> None:
    # jp-evalb, Figure 1(a): 5/5 and 5/5, without and with the list of exceptions.
    assert totals(CANT, CANNOT) == [5, 5, 5, 0, 5, 3, 4, 1]
    assert totals(CANT, CANNOT, likeness=ENGLISH) == [5, 5, 5, 0, 5, 5, 5, 1]


def test_hebrew() -> None:
    # jp-evalb, Figure 1(b): precision 4/4, recall 4/6.
    gold = (
        "(PP (IN B) (NP (NP (NP (DT H) (NN CL)) (PP (POS FL) (PRN HM))) (AdjP (DT H) (JJ NEIM))))"
    )
    system = "(PP (IN B) (NP (NP (NN CL) (PP (POS FL) (PRN HM))) (JJ HNEIM)))"
    assert totals(gold, system) == [4, 6, 4, 0, 7, 4, 5, 1]


def test_click_here() -> None:
    # jp-evalb, Figure 1(c): precision 5/8, recall 5/7, for one gold sentence and two of the system.
    gold = "(S (S (VB Click) (AdvP (RB here)) (S (VP (TO To) (VP (VB view) (NP (PRP it)))))) (. .))"
    system = lines(
        "(S (VP (VB Click) (AdvP (RB here))))",
        "(S (S (VP (TO To) (VP (VB view) (NP (PRP it))))) (. .))",
    )
    assert totals(gold, system) == [5, 7, 8, 1, 6, 6, 6, 1]


def test_black_monday() -> None:
    # jp-evalb, Figure 2: eight words, punctuation and all, or six as EVALB counts them.
    gold = (
        "(TOP (S (INTJ (RB No)) (, ,) (NP (PRP it))"
        " (VP (VBD was) (RB n't) (NP (NNP Black) (NNP Monday))) (. .)))"
    )
    system = gold.replace("RB No", "UH No")
    assert totals(gold, system) == [5, 5, 5, 0, 8, 7, 8, 1]
    # The length of the sentence is 8 with COLLINS too (memoir, Fig. 5.6): only -NONE- is no word.
    assert totals(gold, system, COLLINS) == [5, 5, 5, 0, 6, 5, 8, 1]


def test_bug_cases(shared: Path) -> None:
    # jp-evalb, Figure 4, but for two things: S1, which only the system has, does not count, and
    # tags are compared word by word (the paper's 43 takes one quotation mark for another).
    directory = shared / "eval-cases" / "evalb" / "bug"
    gold, system = (
        read_trees((directory / f"bug.{name}").read_text().split("\n")) for name in ("gld", "tst")
    )
    [evaluation] = ParseMetric().measure(gold, system)
    rows = format_rows(evaluation).splitlines()[3:9]
    assert rows == [
        "   1   37    0   77.27  65.38    17     22   26      5     37    30    81.08",
        "   2   21    0   69.23  64.29     9     13   14      2     21    17    80.95",
        "   3   47    0   77.78  82.35    28     36   34      4     48    42    87.50",
        "   4   26    0   33.33  37.50     6     18   16      8     27    19    70.37",
        "   5   44    0   42.31  33.33    11     26   33     17     44    33    75.00",
        "=" * 76,
    ]


def test_sample(shared: Path) -> None:
    directory = shared / "eval-cases" / "evalb" / "sample"
    gold, system = (
        read_trees((directory / f"sample.{name}").read_text().split("\n"))
        for name in ("gld", "tst")
    )
    [evaluation] = ParseMetric().measure(gold, system)
    rows = [unit.counts[:7] for unit in evaluation.units]
    # As in EVALB, up to the line that has other words.
    assert rows[:10] == [
        (4, 4, 4, 0, 4, 4, 4),
        (3, 4, 4, 0, 4, 4, 4),
        (4, 4, 4, 0, 4, 3, 4),
        (3, 4, 4, 0, 4, 3, 4),
        (3, 4, 4, 0, 4, 4, 4),
        (2, 4, 3, 1, 4, 4, 4),
        (1, 4, 1, 0, 4, 4, 4),
        (0, 4, 0, 0, 4, 4, 4),
        (4, 4, 5, 0, 4, 4, 4),
        (4, 4, 8, 0, 4, 4, 4),
    ]
    # 11 and 12 against `this was a test`, `this is not a test`: both end in an aligned word, so
    # they are two pairs. Each has an S, A, B, A of gold and one more A; `was` is no `is`.
    assert [(unit.gold, unit.system) for unit in evaluation.units[10:12]] == [
        (range(10, 11), range(10, 11)),
        (range(11, 12), range(11, 12)),
    ]
    assert rows[10:12] == [(4, 4, 5, 0, 4, 3, 4), (4, 4, 5, 0, 4, 4, 4)]
    assert sum(len(unit.gold) for unit in evaluation.units) == 24
    assert sum(len(unit.system) for unit in evaluation.units) == 22


# --- words and sentences that differ --------------------------------------------------------------

A = "(S (NP (N a) (N b)) (VP (V c)))"  # 3 constituents, 3 words
B = "(S (NP (N d)) (VP (V e) (NP (N f))))"  # 4, 3
C = "(S (NP (N g)) (VP (V h)))"  # 3, 2
D = "(S (S (N a) (V b)) (S (N c) (V d)))"  # 3, 4
D1, D2 = "(S (N a) (V b))", "(S (N c) (V d))"
X = "(S (NP (N x) (N y)) (VP (V z)))"
INDENTED = "(S\n  (NP (N a)\n      (N b))\n  (VP (V c)))"


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        # matched, gold, system, crossing, words, tags, aligned words, groups of sentences
        pytest.param(lines(A, B, C), lines(A, B, C), [10, 10, 10, 0, 8, 8, 8, 3], id="same"),
        pytest.param(lines(A, B, C), lines(A, C), [6, 10, 6, 0, 8, 5, 8, 3], id="one missing"),
        pytest.param(lines(A, B), lines(A, B, C), [7, 7, 10, 0, 6, 6, 8, 3], id="last extra"),
        pytest.param(D, lines(D1, D2), [2, 3, 2, 0, 4, 4, 4, 1], id="split"),
        pytest.param(
            lines(A, D1, D2),
            lines(A, D.replace("d", "x")),
            [5, 5, 6, 0, 7, 6, 7, 2],
            id="merged at end with a typo",
        ),
        # One group of words, which no constituent covers alone.
        pytest.param(
            lines(A, B), lines(X, "(S (N u) (N v))"), [0, 7, 4, 0, 6, 0, 1, 1], id="mismatch to end"
        ),
        # As many words on each side are aligned one to one, whatever they are.
        pytest.param(A, X, [3, 3, 3, 0, 3, 0, 1, 1], id="nothing the same"),
        # The root is right if its label is, whatever the words (assumption i).
        pytest.param(A, "(S (NP (N x)) (VP (V z)))", [1, 3, 3, 0, 3, 0, 1, 1], id="fewer words"),
        # C stands for C; A is missing here, and extra there.
        pytest.param(lines(A, C), lines(C, A), [3, 6, 6, 0, 5, 2, 8, 3], id="swapped"),
        pytest.param(
            "(S (NP (N ab)) (VP (V c)))", A, [3, 3, 3, 0, 2, 1, 2, 1], id="a word cut in two"
        ),
        pytest.param(
            "(S (NP (N a)) (VP (V bc)))",
            "(S (NP (N ab)) (VP (V c)))",
            [1, 3, 3, 0, 2, 0, 1, 1],
            id="words cut across",
        ),
        # NP(a) goes up to the end of the group: b c of gold and bc of the system are one.
        pytest.param(
            "(S (NP (N a) (N b)) (VP (V c) (V d)))",
            "(S (NP (N a) (N bc)) (VP (V d)))",
            [2, 3, 3, 0, 4, 2, 3, 1],
            id="a phrase that ends within a group",
        ),
        pytest.param(
            lines(A, "", C),
            lines("", INDENTED, "", "", C, ""),
            [6, 6, 6, 0, 5, 5, 5, 2],
            id="blank",
        ),
        pytest.param(A, "", [0, 3, 0, 0, 3, 0, 3, 1], id="system empty"),
        pytest.param("", A, [0, 0, 3, 0, 0, 0, 3, 1], id="gold empty"),
        # As if the sentence were missing.
        pytest.param(
            lines(A, B),
            lines(A, B + ")"),
            [3, 7, 3, 0, 6, 3, 6, 2],
            id="bracket too many, at the end",
        ),
        pytest.param(f"(TOP {A})", f"(S1 {A})", [3, 3, 3, 0, 3, 3, 3, 1], id="roots do not count"),
        pytest.param(
            "(S (A (N a) (N b)) (N c))",
            "(S (N a) (B (N b) (N c)))",
            [1, 2, 2, 1, 3, 3, 3, 1],
            id="crossing",
        ),
    ],
)
def test_mismatch(gold: str, system: str, expected: list[float]) -> None:
    assert totals(gold, system) == expected


TREE = st.recursive(
    st.tuples(st.sampled_from("NV"), st.text("abc", min_size=1, max_size=3)).map(" ".join),
    lambda node: st.lists(node, min_size=1, max_size=3).map(
        lambda nodes: f"X {' '.join(f'({one})' for one in nodes)}"
    ),
    max_leaves=6,
).map(lambda node: f"(S ({node}))")
TREES = st.lists(TREE, max_size=6).map("\n".join)


@given(TREES, TREES)
def test_nothing_is_lost_or_found_twice(gold: str, system: str) -> None:
    matched, n, m, crossing, words, tags, *_ = totals(gold, system)
    assert n == gold.count("(S") + gold.count("(X")
    assert m == system.count("(S") + system.count("(X")
    assert words == gold.count("(N") + gold.count("(V")
    assert matched <= min(n, m)
    assert crossing <= m - matched
    assert tags <= words


@given(TREES)
def test_gold_against_itself(gold: str) -> None:
    matched, n, m, crossing, words, tags, *_ = totals(gold, gold)
    assert (matched, crossing, tags) == (n, 0, words)
    assert n == m


def test_many_sentences_that_all_differ_a_little() -> None:
    # Each is like the other and so is the next pair, all through: no recursion over them.
    word = "abcdefghijklmnopqrst"
    gold = "\n".join(f"(S (N {word}{i}))" for i in range(3000))
    system = gold.replace("t", "u")
    assert totals(gold, system)[:3] == [3000, 3000, 3000]


def test_order_does_not_count_for_tags_of_one_word() -> None:
    # The published program compares bags of (tag, word): it would find both tags here.
    assert totals("(S (X a) (Y a) (Z b))", "(S (Y a) (X a) (Z b))") == [1, 1, 1, 0, 3, 1, 3, 1]


def test_parameters() -> None:
    gold, system = "(S (ADVP (A a)) (, ,))", "(S (PRT (A a)))"
    assert totals(gold, system) == [1, 2, 2, 0, 2, 1, 1, 1]
    assert totals(gold, system, COLLINS) == [2, 2, 2, 0, 1, 1, 1, 1]


# --- the command ----------------------------------------------------------------------------------


def run(*arguments: str | Path) -> int:
    return Parse().run(Parser("eval parse").parse_args(list(map(str, arguments))))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "gold", tmp_path / "system"]
    for path, text in zip(paths, (lines(A, B, C), lines(A, B[:-1], C)), strict=True):
        path.write_text(text + "\n")
    return paths


def test_table_and_messages(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*files) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[3:8] == [
        "   1    3    0  100.00 100.00     3      3    3      0      3     3   100.00",
        "   2    3    2    0.00   0.00     0      4    0      0      3     0     0.00",
        "   3    2    0  100.00 100.00     3      3    3      0      2     2   100.00",
        "=" * 76,
        "                 60.00 100.00      6    10     6      0      8     5    62.50",
    ]
    assert out.rstrip().rpartition("\n")[2].startswith("parse|parameters:aligned|align:jp|")
    assert f"{files[1]}:2: E601 1 closing bracket is missing" in err


def test_json_has_every_sentence(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    run("--json", "--sentences", *files)
    found = json.loads(capsys.readouterr().out)
    assert [(s["gold"], s["system"]) for s in found["sentences"]] == [
        ("1", "1"),
        ("2", ""),
        ("3", "2"),
    ]
    counts = {"name": "Constituents", "tp": 6, "fp": 0, "fn": 4}
    assert found["scores"][0] == {**counts, "precision": 1, "recall": 0.6, "f1": 0.75}
    assert found["scores"][1]["accuracy"] == 5 / 8


@pytest.mark.parametrize(("encoding", "line_end"), [("utf-8", "\n"), ("cp949", "\r\n")])
def test_parameter_file(
    encoding: str, line_end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parameters = line_end.join(("DELETE_LABEL 명사구", "EQ_LABEL A", ""))
    (tmp_path / "own.prm").write_bytes(parameters.encode(encoding))
    (tmp_path / "t").write_text("(S (명사구 (N a)))\n", encoding="utf-8")
    assert run("-p", tmp_path / "own.prm", tmp_path / "t", tmp_path / "t") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[3].split()[5:8] == ["1", "1", "1"]
    assert "|parameters:own.prm|" in out
    assert "EQ_LABEL requires two values" in err


@pytest.mark.parametrize("evalb", [[], ["--evalb"]])
def test_a_cutoff_of_many_digits(tmp_path: Path, evalb: list[str], cli: Cli) -> None:
    (tmp_path / "t").write_text("(S (N a))\n", encoding="utf-8")
    assert cli("eval", "parse", *evalb, "-c", "9" * 5000, "t", "t").told() == ""


def test_wrong_usage(files: list[Path]) -> None:
    with pytest.raises(UsageError, match="-d is an option of EVALB"):
        run("-d", *files)
    with pytest.raises(FileNotFoundError, match=r"neither a file nor a set .*COLLINS"):
        run("-p", "none", *files)


def test_the_scores_are_printed_once(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "gold.mrg"
    path.write_text(lines(A, B, C) + "\n", encoding="utf-8")
    said = cli("eval", "parse", path, path).stdout.decode()
    assert "Bracketing FMeasure       = 100.00" in said
    assert "Constituents" not in said
    assert max(map(len, said.splitlines())) < 100
    said = cli("eval", "parse", path, path, "--bootstrap", "9").stdout.decode()
    assert "100.00 [100.00, 100.00]" in said
    said = cli("eval", "parse", path, path, "--compare", path).stdout.decode()
    assert "difference" in said


@pytest.mark.parametrize(
    ("left_out", "status", "f1"), [("system", "2", 80.0), ("gold", "1", 80.0), ("", "0", 100.0)]
)
def test_a_sentence_of_one_side_is_neither_valid_nor_without_crossing(
    cli: Cli, tmp_path: Path, left_out: str, status: str, f1: float
) -> None:
    trees = ["(S (NP (N a)) (VP (V b)))", "(S (NP (N c)) (VP (V d)))", "(S (NP (N e)) (VP (V f)))"]
    for name in ("gold", "system"):
        kept = [tree for at, tree in enumerate(trees) if at != 1 or name != left_out]
        (tmp_path / name).write_text(lines(*kept) + "\n", encoding="utf-8")
    done = cli("eval", "parse", "gold", "system").stdout.decode()
    assert [row.split()[2] for row in done.splitlines()[3:6]] == ["0", status, "0"]
    pairs = [line.split(" = ") for line in done.partition("-- len<=40")[0].splitlines()]
    found = {pair[0].strip(): float(pair[1]) for pair in pairs if len(pair) == 2}
    assert found["Number of Skip  sentence"] == (status == "2")
    assert found["Number of Error sentence"] == (status == "1")
    assert found["Number of Valid sentence"] == 3 - bool(left_out)
    assert found["Bracketing FMeasure"] == f1
    assert found["Complete match"] == (66.67 if left_out else 100)
    assert found["No crossing"] == found["2 or less crossing"] == 100
    [_, _, sentences] = json.loads(cli("eval", "parse", "--json", "gold", "system").stdout)[
        "scores"
    ]
    assert round(sentences["complete"] * 100, 2) == found["Complete match"]
    assert sentences["no crossing"] == 1


def test_one_word_that_the_system_lacks_is_not_complete() -> None:
    sides = [read_trees(side) for side in (["(N a)", "(N b)"], ["(N a)"])]
    assert ParseMetric().measure(*sides)[0].scores["Sentences"].ratios["complete"] == 0.5


def test_a_sentence_of_deleted_words_is_skipped_as_in_evalb() -> None:
    side = read_trees(["(S (NP (N a)))", "(S (. .))"])
    [found] = ParseMetric("COLLINS").measure(side, side)
    assert found.scores["Sentences"].ratios["complete"] == 1
    assert "Number of Skip  sentence  =      1\n" in format_rows(found)
    assert "Complete match            = 100.00\n" in format_rows(found)


def test_constituents_by_label(cli: Cli, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.mrg", tmp_path / "system.mrg"
    gold.write_text(lines(A, B, C) + "\n", encoding="utf-8")
    system.write_text(lines(A, B.replace("VP", "XP"), C) + "\n", encoding="utf-8")
    found = json.loads(cli("eval", "parse", "--by", "label", "--json", gold, system).stdout)
    counts = {one["name"]: (one["tp"], one["fp"], one["fn"]) for one in found["scores"]}
    assert counts == {"NP": (4, 0, 0), "S": (3, 0, 0), "VP": (2, 0, 1), "XP": (0, 1, 0)}
    assert "|by:label|" in found["signature"]
    assert "VP" in cli("eval", "parse", "--by", "label", gold, system).stdout.decode()


def test_constituents_by_length(cli: Cli, tmp_path: Path) -> None:
    long = " ".join(f"(N w{at})" for at in range(9))
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text(f"(S (NP (N a)) (VP (V b)))\n(S (NP (N a)) (VP (V b) {long}))\n", "utf-8")
    system.write_text(f"(S (NP (N a)) (X (V b)))\n(S (NP (N a)) (VP (V b) {long}))\n", "utf-8")
    found = json.loads(cli("eval", "parse", "--by", "length", "--json", gold, system).stdout)
    counts = {one["name"]: (one["tp"], one["fp"], one["fn"]) for one in found["scores"]}
    assert counts.pop("1-9") == (2, 1, 1)
    assert counts.pop("10-19") == (3, 0, 0)
    assert list(counts) == ["20-29", "30-39", "40-59", "60+"]
    assert set(counts.values()) == {(0, 0, 0)}
    assert "|by:length|" in found["signature"]


def test_a_right_constituent_counts_in_the_length_of_gold(cli: Cli, tmp_path: Path) -> None:
    words = " ".join(f"(N w{at})" for at in range(8))
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text(f"(S (NP {words}) (VP (V b)))\n", "utf-8")
    system.write_text(f"(S (NP {words}) (VP (V b)) (SF .))\n", "utf-8")
    found = json.loads(cli("eval", "parse", "--by", "length", "--json", gold, system).stdout)
    counts = {one["name"]: (one["tp"], one["fp"], one["fn"]) for one in found["scores"]}
    assert (counts["1-9"], counts["10-19"]) == ((3, 0, 0), (0, 0, 0))


def test_lengths_by_the_counted_words(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_text(f"(S (NP (N a)) {'(-NONE- 0)' * 12} (VP (V b)))\n", "utf-8")
    for parameters, row in (((), "10-19"), (("-p", "COLLINS"), "1-9")):
        done = cli("eval", "parse", "--by", "length", "--json", *parameters, path, path)
        scores = {one["name"]: one for one in json.loads(done.stdout)["scores"]}
        assert scores[row]["tp"] > 0


@pytest.mark.parametrize("name", ["treebank.txt", "penn-korean.fid", "eval/gold.sinica"])
def test_corpora_with_constituents(cli: Cli, root: Path, tmp_path: Path, name: str) -> None:
    corpus = root / "samples" / name
    for to, ending in (("brackets", "mrg"), ("conllu", "conllu"), ("jsonl", "jsonl")):
        cli("convert", corpus, f"out.{ending}", "--to", to)
    scores = []
    for system in (corpus, "out.mrg", "out.conllu", "out.jsonl"):
        done = cli("eval", "parse", "--json", corpus, system)
        scores.append(json.loads(done.stdout)["scores"][0])
    assert scores[0]["tp"] > 2
    assert all(score == scores[0] and score["fp"] == score["fn"] == 0 for score in scores)


def test_other_layers_of_a_treebank_are_not_told(cli: Cli, tmp_path: Path) -> None:
    names = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC TREE:OPEN TREE:CLOSE"
    row = "1\t서울\t서울\tPROPN\tNNP\t_\t0\troot\t_\tNE=B-LC\t(NP\t)\n\n"
    text = f"# global.columns = {names}\n# sent_id = 1\n{row}"
    (tmp_path / "a.conllup").write_text(text, encoding="utf-8")
    done = cli("eval", "parse", "a.conllup", "a.conllup")
    assert (done.returncode, b"not written" in done.stderr + done.stdout) == (0, False)
