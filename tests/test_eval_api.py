"""`sejongud.evaluation.evaluate`: what it takes, what it returns, and the commands' numbers."""

from __future__ import annotations

import json
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest

import sejongud
from sejongud import model
from sejongud.errors import UsageError
from sejongud.evaluation import evaluate, evaluate_all

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

GOLD = """\
# sent_id = 1
# text = 나는 간다
1-2\t나는\t_\t_\t_\t_\t_\t_\t_\t_
1\t나\t나\tPRON\tNP\t_\t3\tnsubj\t_\tNE=B-PS
2\t는\t는\tADP\tJX\t_\t1\tcase\t_\t_
3\t간다\t가다\tVERB\tVV+EF\t_\t0\troot\t_\t_

# sent_id = 2
# text = 너도 와
1-2\t너도\t_\t_\t_\t_\t_\t_\t_\t_
1\t너\t너\tPRON\tNP\t_\t3\tnsubj\t_\tNE=B-PS
2\t도\t도\tADP\tJX\t_\t1\tcase\t_\t_
3\t와\t오다\tVERB\tVV+EF\t_\t0\troot\t_\t_

"""
SYSTEM = GOLD.replace("3\tnsubj\t_\tNE=B-PS", "3\tobj\t_\t_", 1)
SEJONG = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n"
TREES = "(S (NP (N 나) (J 는)) (VP (V 간다)))\n"
SINICA = "S(agent:NP(Nh:他)|Head:VC:刊登)\n"
FRAMES = """\
#anno-id:1
#text:하늘은 어제 강연했다.
0\t하늘은\t_\t_\tB-Speaker
1\t어제\t_\t_\tB-Time
2\t강연했다.\t강연하다.v\tSpeak_on_topic\tO

"""
PAIRS = {
    "tokens": ("나 는 간다\n네\n", "나는 간다\n네\n"),
    "pos": (SEJONG, SEJONG.replace("VV", "VA")),
    "dep": (GOLD, SYSTEM),
    "ner": (GOLD, SYSTEM),
    "parse": (TREES, TREES.replace("VP", "XP")),
    "frame": (FRAMES, FRAMES.replace("B-Time", "B-Place")),
    "sighan": (SINICA, SINICA.replace("agent", "theme")),
}


@pytest.mark.parametrize("metric", PAIRS)
def test_the_numbers_are_those_of_the_command(cli: Cli, tmp_path: Path, metric: str) -> None:
    paths = [tmp_path / "gold.txt", tmp_path / "system.txt"]
    for path, text in zip(paths, PAIRS[metric], strict=True):
        path.write_text(text, encoding="utf-8")
    done = cli("eval", metric, "--json", "--sentences", *paths)
    assert done.returncode == 0, done.stderr.decode()
    of_files = evaluate(metric, paths[0], str(paths[1]))
    assert of_files.to_json(sentences=True) == done.stdout.decode()
    of_texts = json.loads(evaluate(metric, *PAIRS[metric]).to_json())
    assert of_texts["scores"] == json.loads(done.stdout)["scores"]
    assert (of_texts["gold"], of_texts["system"]) == ("gold", "system 1")


def test_scores_have_names() -> None:
    found = evaluate("dep", GOLD, SYSTEM)
    assert found.scores["UAS"].ratios["f1"] == 1
    assert found.scores["LAS"].counts == {"tp": 5, "fp": 1, "fn": 1}
    assert [one.name for one in found.scores][:3] == ["Tokens", "Sentences", "Words"]
    with pytest.raises(KeyError, match="there is no score ULAS: Tokens, Sentences"):
        found.scores["ULAS"]


def test_the_statistics_of_each_sentence() -> None:
    found = evaluate("dep", GOLD, SYSTEM)
    assert [one.scores["LAS"].counts["tp"] for one in found.by_sentence()] == [2, 3]
    assert [one.gold for one in found.by_sentence()] == [range(1), range(1, 2)]


def test_tables() -> None:
    found = evaluate("dep", GOLD, SYSTEM)
    table = found.to_dataframe().set_index("name")
    assert table.loc["LAS", "tp"] == 5
    assert table.loc["LAS", "f1"] == pytest.approx(5 / 6)
    table = found.to_dataframe(sentences=True)
    assert list(table[table["name"] == "LAS"]["tp"]) == [2, 3]
    assert next(iter(table["gold"])) == range(1)


def kinds() -> dict[str, Any]:
    sentences = sejongud.loads(GOLD)
    return {
        "sentences": sentences,
        "iterator": iter(sentences),
        "token lists": [sentence.to_tokenlist() for sentence in sentences],
    }


@pytest.mark.parametrize("kind", ["sentences", "iterator", "token lists"])
def test_objects_are_measured_as_their_files(kind: str) -> None:
    found = evaluate("dep", kinds()[kind], SYSTEM)
    assert list(found.scores) == list(evaluate("dep", GOLD, SYSTEM).scores)
    assert evaluate("ner", kinds()[kind], SYSTEM).scores["PS"].counts["fn"] == 1


@pytest.mark.parametrize(
    ("metric", "option"),
    [
        ("tokens", "unit"),
        ("tokens", "from_"),
        ("ner", "unit"),
        ("frame", "unit"),
        ("dep-classes", "by"),
        ("dep", "similarity"),
    ],
)
def test_an_option_has_the_values_of_the_command(metric: str, option: str) -> None:
    """Another unit was measured as the usual one, and named in the scores."""
    options: dict[str, Any] = {option: "eojol"}
    with pytest.raises(UsageError, match=f"{option} is eojol; it should be one of: "):
        evaluate(metric, GOLD, GOLD, **options)


def test_a_test_has_the_values_of_the_command() -> None:
    same: Any = evaluate("tokens", "나는 간다\n", "나는 간다\n")
    wrong: list[dict[str, str]] = [{"test": "t"}, {"resample": "lines"}]
    for options in wrong:
        with pytest.raises(UsageError, match="it should be one of: "):
            same.compare(same, **options)
    with pytest.raises(UsageError, match="it should be one of: "):
        same.intervals(resample="lines")


def test_systems_against_other_gold_are_not_compared() -> None:
    first = evaluate("tokens", "나는 간다\n너는 온다\n", "나는 간다\n너는 온다\n")
    second = evaluate("tokens", "나 는 간다\n너는 온다\n", "나는 간다\n너는 온다\n")
    with pytest.raises(UsageError, match="were not measured against the same gold"):
        first.compare(second)


def test_the_lines_of_an_open_file_are_its_text() -> None:
    """They have their line ends, between which no blank lines stand."""
    found = evaluate("dep", GOLD.splitlines(keepends=True), GOLD)
    assert found.scores["LAS"].counts["fn"] == found.scores["Sentences"].counts["fn"] == 0


def test_lists_of_tokens_and_lines() -> None:
    for given in ([["나는", "간다"], ["네"]], ["나는 간다", "네"], (("나는", "간다"), ("네",))):
        found = evaluate("tokens", given, "나는 간다\r\n네\r\n")
        assert found.scores["Tokens"].counts == {"tp": 3, "fp": 0, "fn": 0}
    with pytest.raises(UsageError, match="int is no sentence that can be measured"):
        evaluate("tokens", [1], [2])  # type: ignore[list-item]


def model_of(sentence: sejongud.Sentence) -> model.Sentence:
    return model.Sentence(**vars(sentence))


@pytest.mark.parametrize("metric", ["frame", "parse"])
def test_sentences_are_measured_with_their_frames_and_constituents(metric: str) -> None:
    gold, system = PAIRS[metric]
    found = evaluate(metric, sejongud.loads(gold), map(model_of, sejongud.loads(system)))
    assert list(found.scores) == list(evaluate(metric, gold, system).scores)


def test_a_token_of_a_list_is_one_token_with_blanks_as_well() -> None:
    found = evaluate("tokens", [["제 1 장", "이다"]], [["제", "1", "장", "이다"]])
    assert found.scores["Tokens"].counts == {"tp": 1, "fp": 3, "fn": 1}


def test_numbers_of_samples_and_seeds() -> None:
    same: Any = evaluate("tokens", "나는 간다\n", "나는 간다\n")
    for numbers, message in (({"samples": 0}, "samples is 0"), ({"seed": -1}, "seed is -1")):
        for function in (same.intervals, lambda **n: same.compare(same, **n)):
            with pytest.raises(UsageError, match=f"{message}; it should be a whole number from"):
                function(**numbers)


def test_several_systems_are_no_name() -> None:
    with pytest.raises(UsageError, match="takes several systems: put this one into a list"):
        evaluate_all("tokens", "나는\n", "나는\n")


@pytest.mark.parametrize("metric", PAIRS)
def test_an_evaluation_comes_back_from_another_process(metric: str) -> None:
    found = evaluate(metric, *PAIRS[metric])
    found.intervals(10)
    again = pickle.loads(pickle.dumps(found))
    assert (again.scores, again.differences) == (found.scores, found.differences)
    if found.confuse:
        assert again.confusion() == found.confusion()


# Labels without words, as seqeval takes them. Each: gold, system, and the entities that both have,
# that the system has alone, and that gold has alone.
LABELS = [
    ([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]], [1, 0, 0]),
    (
        [["B-PER", "I-PER", "O"], ["B-LOC", "O"]],
        (("B-PER", "O", "O"), ("B-LOC", "B-PER")),
        [1, 2, 1],
    ),
    # Other spellings: the type first, and BILOU.
    ([["PER-B", "PER-I", "O"]], [["B-PER", "I-PER", "O"]], [1, 0, 0]),
    ([["U-PER", "B-LOC", "L-LOC"]], [["S-PER", "B-LOC", "E-LOC"]], [2, 0, 0]),
    ([[], ["O", "B-PER"]], [[], ["O", "O"]], [0, 0, 1]),
]


@pytest.mark.parametrize(("gold", "system", "expected"), LABELS)
def test_labels_without_words(gold: Any, system: Any, expected: list[int]) -> None:
    found = evaluate("ner", gold, system)
    assert [found.scores["Entities"].counts[key] for key in ("tp", "fp", "fn")] == expected
    assert found.scores["Tokens"].counts["tp"] + found.scores["Tokens"].counts["fn"] == sum(
        map(len, gold)
    )


@pytest.mark.parametrize(
    ("metric", "gold", "system", "message"),
    [
        ("ner", [["PER", "O"]], [["PER", "O"]], "gold: 'PER' is no label: O, or B-"),
        ("ner", [["B-PER"]], [["B-PER", "O"]], "sentence 1 has 1 label in gold and 2 in system 1"),
        ("ner", [["O"], ["O"]], [["O"]], "sentence 2 has 1 label in gold and 0 in system 1"),
        ("ner", [["B-PER"]], GOLD, "gold has labels without words"),
        ("ner", GOLD, [["B-PER"]], "system 1 has labels without words"),
        ("dep", [["나는", "간다"]], [["나는", "간다"]], "list is no sentence that can be measured"),
    ],
)
def test_lists_that_cannot_be_measured(metric: str, gold: Any, system: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(metric, gold, system)


def test_nothing_that_can_be_measured() -> None:
    with pytest.raises(UsageError, match=r"gold: .*does not end in a tag"):
        evaluate("ner", ["B-PER", "O"], ["B-PER", "O"])
    with pytest.raises(UsageError, match="system 1: there is no sentence"):
        evaluate("tokens", "나는\n", "\n")


def test_faults_of_the_files_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    faulty = GOLD.replace("3\t와", "7\t와")
    caplog.set_level("INFO", "sejongud")
    found = evaluate("dep", GOLD, faulty)
    assert [record.getMessage() for record in caplog.records] == [str(found.incidents[0])]
    assert "E203" in caplog.text
    told: list[sejongud.Incident] = []
    evaluate_all("dep", GOLD, [faulty, faulty], report=sejongud.Report(told.append))
    assert [fault.path for fault in told] == ["system 1", "system 2"]
    assert len(caplog.records) == 1


def test_a_path_that_is_no_file() -> None:
    with pytest.raises(FileNotFoundError):
        evaluate("tokens", "no such file", "나는\n")


def test_systems_that_are_compared() -> None:
    first, second = evaluate_all("ner", GOLD, [GOLD, SYSTEM])
    [_, entities, *_] = first.compare(second, samples=50, test="randomisation")
    assert [entities.first, entities.second] == pytest.approx([1, 2 / 3])
    assert [set(one) for one in first.intervals(20)][1] == {"precision", "recall", "f1"}
    other = evaluate("ner", GOLD, GOLD.replace("B-PS", "B-LC"))
    with pytest.raises(UsageError, match="measure them together, with evaluate_all"):
        first.compare(other)


def test_parameters_by_their_name() -> None:
    text = "(TOP (S (NP (N 나)) (, ,) (VP (V 간다))))\n"
    assert evaluate("parse", text, text, parameters="COLLINS").scores["Tags"].counts["words"] == 2
    assert "|parameters:COLLINS|" in evaluate("parse", text, text, parameters="COLLINS").signature()


def test_an_evaluation_in_a_notebook() -> None:
    found = evaluate("dep", GOLD, SYSTEM)
    assert found["LAS"] == found.scores["LAS"]
    with pytest.raises(KeyError, match="there is no score LA: "):
        found["LA"]
    assert found._repr_html_() == found.to_html()
    assert "<tr><td>UAS</td><td>6</td><td>0</td><td>0</td><td>100.00</td>" in found.to_html()
    assert found.signature() in found.to_html()
    confusion = found.confusion("deprel")
    row = confusion.counts[list(confusion.labels).index("obj")]
    assert dict(zip(confusion.labels, row, strict=True))["nsubj"] == 1
    assert found.errors("deprel") == [
        {
            "gold": "nsubj",
            "system": "obj",
            "times": 1,
            "place": "gold:1",
            "text": "나",
            "sentence": "나는 간다",
        }
    ]
    with pytest.raises(UsageError, match="dep has no labels tags to confuse: direction"):
        found.confusion("tags")
    with pytest.raises(UsageError, match="tokens has no labels"):
        evaluate("tokens", *PAIRS["tokens"]).errors()


def test_systems_have_names() -> None:
    found = evaluate_all("dep", GOLD, {"a": GOLD, "<b>": SYSTEM})
    assert [one.paths[1] for one in found] == ["a", "<b>"]
    assert [one["LAS"].ratios["f1"] for one in found] == [1.0, 5 / 6]


@pytest.mark.parametrize(
    ("by", "rows"),
    [("xpos", {"NP": (1, 1, 1), "JX": (2, 0, 0), "VV+EF": (2, 0, 0)}), ("feats", {"_": (5, 1, 1)})],
)
def test_classes_by_column(by: str, rows: dict[str, tuple[int, int, int]]) -> None:
    scores = evaluate("dep-classes", GOLD, SYSTEM, by=by).scores
    assert {one.name: tuple(one.counts.values()) for one in scores} == rows


@pytest.mark.parametrize(
    ("metric", "name", "way"),
    [
        ("dep", "sejong.txt", "sejong, which is not measured here: `sejongud convert` makes CoNLL"),
        ("dep", "treebank.txt", "treebank, which is not measured here"),
        ("tokens", "modu.json", "modu, which is not measured here: `sejongud convert` makes CoNLL"),
        ("tokens", "penn-korean.fid", "penn-korean, which is not measured here"),
        ("tokens", "nikl/ne.json", "modu-ne, which is not measured here"),
        ("tokens", "learner.m2", "m2, which is not measured here"),
        ("tokens", "learner.xml", "learner-xml, which is not measured here"),
        ("parse", "jsonl.jsonl", "jsonl, which is not measured here: it has no constituents"),
        ("parse", "sejong.txt", "sejong, which is not measured here: it has no constituents"),
        ("parse", "klue-dp.tsv", "klue-dp, which is not measured here: it has no constituents"),
        ("parse", "ud.conllu", "conllu, which is not measured here: it has no constituents"),
        ("parse", "klue-ner.tsv", "klue-ner, which is not measured here: it has no const"),
        ("dep", "naver-ner.tsv", "naver, which is not measured here"),
        ("dep", "penn-korean.fid", "penn-korean, which is not measured here"),
        ("ner", "sejong.txt", "sejong, which is not measured here: it has no entities"),
        ("ner", "klue-dp.tsv", "klue-dp, which is not measured here: it has no entities"),
        ("sighan", "treebank.txt", "treebank, which is not measured here: its trees are not S"),
    ],
)
def test_a_format_that_would_be_scored_as_nothing_is_refused(
    root: Path, metric: str, name: str, way: str
) -> None:
    path = str(root / "samples" / name)
    with pytest.raises(UsageError, match=f"{name} looks like {way}"):
        evaluate(metric, path, path)


def test_settings_that_change_figures_stand_in_the_signature(
    cli: Cli, root: Path, tmp_path: Path
) -> None:
    """Tables of the user, here one that corrects a tag of a treebank, and the unit of frames."""
    tables, gold, system = (tmp_path / name for name in ("rules", "gold", "system"))
    tables.mkdir()
    (tables / "tag-typos.tsv").write_text("tag\tform\tright\tsource\nNNX\t*\tNNG\tours\n", "utf-8")
    text = (root / "samples" / "treebank-figure.txt").read_text("utf-8")
    gold.write_text(text, "utf-8")
    system.write_text(text.replace("NNG", "NNX"), "utf-8")
    own, other = [evaluate("parse", gold, system, rules=folder) for folder in (tables, None)]
    assert own["Tags"].ratios["accuracy"] == 1.0 > other["Tags"].ratios["accuracy"]
    assert "|rules:" in own.signature()
    assert re.sub(r"\|rules:\w{12}", "", own.signature(), count=1) == other.signature()
    run = ("eval", "parse", gold, system, "--rules", tables, "--json")
    found = json.loads(cli(*run).stdout)
    assert (found["signature"], found["scores"][1]["accuracy"]) == (own.signature(), 1.0)
    assert "|rules:" in json.loads(cli(*run, "--by", "label").stdout)["signature"]
    (tmp_path / "frames").write_bytes((root / "samples" / "framenet.tsv").read_bytes())
    assert not cli("frame", "eoj2morph", "frames", "frames.conllu").returncode
    frames = [tmp_path / "frames.conllu"] * 2
    signatures = [evaluate("frame", *frames, unit=unit).signature() for unit in ("eojeol", "word")]
    assert ["|unit:word|" in signature for signature in signatures] == [False, True]
