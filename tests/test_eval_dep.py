from __future__ import annotations

import csv
import errno
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from unicodedata import normalize

import pytest

from sejongud.evaluation.dep import DepClasses, DepMetric, Trees
from sejongud.evaluation.inputs import Treebank
from sejongud.layers.trees import depths
from sejongud.rules import load

if TYPE_CHECKING:
    from conftest import Cli

    from sejongud.evaluation.base import Evaluation
    from sejongud.evaluation.dep import Classes
    from sejongud.evaluation.side import Annotation

Form = Literal["NFC", "NFD"]


def conllu(*sentences: str) -> str:
    """Sentences of `form;UPOS;head;deprel` or `form;UPOS;head;deprel;FEATS;LEMMA`."""
    blocks = []
    for sentence in sentences:
        lines = []
        for number, word in enumerate(sentence.split(), 1):
            form, upos, head, deprel, feats, lemma = [*word.split(";"), "_", "_"][:6]
            cells = [number, form, lemma, upos, "_", feats, head, deprel, "_", "_"]
            lines.append("\t".join(map(str, cells)) + "\n")
        blocks.append("".join(lines) + "\n")
    return "".join(blocks)


def trees(text: str) -> Annotation[Trees]:
    bank = Treebank.read([text], "file")
    found = Trees(bank, load())
    return bank.side(found, found.incidents)


def evaluate(gold: Annotation[Trees], system: Annotation[Trees]) -> Evaluation:
    [found] = DepMetric().measure(gold, system)
    return found


def figures(evaluation: Evaluation) -> dict[str, tuple[float, ...]]:
    return {score.name: tuple(score.counts.values()) for score in evaluation.scores}


GOLD = conllu(
    "나;PRON;3;nsubj;_;나 는;ADP;1;case 갔다;VERB;0;root;Mood=Ind|X=y;가다 .;PUNCT;3;punct",
    "집;NOUN;2;obl;_;집 갔다;VERB;0;root;_;가다",
)


def test_another_text() -> None:
    system = conllu(
        "끝;NOUN;0;root",
        "나;PRON;3;nsubj 눈;ADP;1;case 갔다;VERB;0;root .;PUNCT;3;punct",
        "집;NOUN;2;obl 갔다;VERB;0;root",
    )
    found = evaluate(trees(GOLD), trees(system))
    assert "|align:jp|" in found.signature()
    assert figures(found)["LAS"] == (5, 2, 1)
    assert found.differences


def test_what_is_no_tree_is_reported_and_scored() -> None:
    wrong = trees(
        conllu(
            "가;X;9;dep 나;X;0;root",
            "가;X;0;root 나;X;0;root",
            "가;X;2;dep 나;X;1;dep 다;X;0;root",
            "가;X;_;dep 나;X;0;root",
        )
    )
    assert [(incident.code, incident.line) for incident in wrong.incidents] == [
        ("E205", 1),
        ("W801", 4),
        ("W802", 7),
        ("E205", 11),
    ]
    assert [incident.message for incident in wrong.incidents] == [
        "HEAD 9 of word 1 is not a word of the sentence; the arc counts as wrong",
        "the sentence has 2 roots",
        "the HEAD column contains a cycle",
        "HEAD _ of word 1 is not a word of the sentence; the arc counts as wrong",
    ]
    # A HEAD that is none is right for nobody, not even compared with itself.
    assert figures(evaluate(wrong, wrong))["UAS"] == (7, 2, 2)
    [incident] = trees(conllu("가;X;_;_ 나;X;_;_")).incidents
    assert incident.code == "E802"


def test_depths() -> None:
    assert depths([0, 1, 2, 3]) == [0, 1, 2, 3]
    assert depths([2, 0, 2]) == [1, 0, 1]
    assert depths([2, 1, 0]) == [None, None, 0]


def test_confusion_of_direction_and_depth() -> None:
    gold, system = (
        trees(GOLD),
        trees(
            conllu(
                "나;PRON;0;root 는;ADP;1;case 갔다;VERB;1;dep .;PUNCT;3;punct",
                "집;NOUN;2;obl 갔다;VERB;0;root",
            )
        ),
    )
    direction = DepMetric().confuse(gold, system, "direction")
    assert direction.labels == ["l", "r", "o"]
    assert direction.counts == [[2, 0, 1], [0, 1, 0], [0, 1, 1]]
    depth = DepMetric().confuse(gold, system, "depth")
    assert depth.labels == ["0", "1", "2"]
    assert depth.counts == [[1, 1, 0], [1, 1, 1], [0, 1, 0]]


def test_a_word_without_a_governor_has_no_direction_length_or_depth() -> None:
    gold = trees(conllu("나;PRON;2;nsubj 갔다;VERB;0;root .;PUNCT;2;punct"))
    system = trees(conllu("나;PRON;9;nsubj 갔다;VERB;0;root .;PUNCT;1;punct"))
    direction = DepMetric().confuse(gold, system, "direction")
    assert direction.labels == ["l", "r", "o", "-"]
    assert direction.counts == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]]
    for by in ("arc", "depth"):
        [found] = DepClasses(by).measure(gold, system)
        counts = {one.name: tuple(one.counts.values()) for one in found.scores}
        assert counts["0"] == (1, 0, 0)
        assert counts["-"] == (0, 1 + (by == "depth"), 0)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(GOLD, encoding="utf-8")
    system.write_text(GOLD.replace("\t3\tpunct", "\t1\tpunct"), encoding="utf-8")
    return gold, system


def test_the_command(cli: Cli, files: tuple[Path, Path]) -> None:
    text = cli("eval", "dep", *files).text()
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()[1:14]}
    assert rows["LAS"] == ["5", "1", "1", "83.33", "83.33", "83.33", "83.33"]
    assert rows["CLAS"] == ["4", "0", "0", "100.00", "100.00", "100.00", "100.00"]


def test_confusion_on_the_command_line(cli: Cli, files: tuple[Path, Path]) -> None:
    result = cli("eval", "dep", *files, "--confusion", "direction", "--csv")
    rows = list(csv.reader(io.StringIO(result.stdout.decode())))
    assert rows == [
        ["system \\ gold", "l", "r", "o"],
        ["l", "2", "0", "0"],
        ["r", "0", "2", "0"],
        ["o", "0", "0", "2"],
    ]
    found = json.loads(cli("eval", "dep", *files, "--confusion", "depth", "--json").stdout)
    assert found["kind"] == "depth"
    assert sum(map(sum, found["counts"])) == 6
    assert cli("eval", "dep", *files, "--picture", "x.png").returncode == 2


def test_a_picture(cli: Cli, files: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert cli("eval", "dep", *files, "--confusion", "depth", "--picture", "x.svg").returncode == 0
    assert "<svg" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_a_picture_on_a_full_disk(
    cli: Cli, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = pytest.importorskip("matplotlib.figure")

    def fill(self: object, target: str | io.BytesIO, **_: object) -> None:
        """Write half of a picture, wherever it goes, and find the disk full."""
        if isinstance(target, str):
            Path(target).write_bytes(b"half")
        else:
            target.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(figure.Figure, "savefig", fill)
    (tmp_path / "x.png").write_bytes(b"the picture before")
    message = cli("eval", "dep", *files, "--confusion", "depth", "--picture", "x.png").told_only(1)
    assert message == "sejongud: x.png: No space left on device\n"
    assert (tmp_path / "x.png").read_bytes() == b"the picture before"
    assert {path.name for path in tmp_path.iterdir()} == {"x.png", *[path.name for path in files]}


def test_bad_lines_are_said_and_the_rest_scored(cli: Cli, files: tuple[Path, Path]) -> None:
    text = files[1].read_text(encoding="utf-8")
    files[1].write_text("1\t나\n\n" + text, encoding="utf-8")
    result = cli("eval", "dep", *files, "--json")
    assert result.returncode == 1
    assert "system.conllu:1: E201 " in result.stderr.decode()
    assert json.loads(result.stdout)["scores"][1]["tp"] == 2


@pytest.mark.parametrize("ours", ["NFC", "NFD"])
@pytest.mark.parametrize("theirs", ["NFC", "NFD"])
def test_unicode_normalisation_is_no_difference(ours: Form, theirs: Form) -> None:
    # Words of a range are aligned by their forms, words outside by their places.
    text = (
        "1-2\t나는\t_\t_\t_\t_\t_\t_\t_\t_\n1\t나\t나\tPRON\tNP\t_\t3\tnsubj\t_\t_\n"
        "2\t는\t는\tADP\tJX\t_\t1\tcase\t_\t_\n3\t갔다\t가다\tVERB\tVV\t_\t0\troot\t_\t_\n\n"
    )
    sides = trees(normalize(ours, text)), trees(normalize(theirs, text))
    assert {score.ratios["f1"] for score in evaluate(*sides).scores} == {1.0}
    # The same where the texts differ.
    longer = text + text.replace("갔다", "왔다")
    found = evaluate(trees(normalize(ours, longer)), sides[1])
    assert [figures(found)[name][0] for name in ("Words", "Lemmas", "LAS")] == [3, 3, 3]


def test_punctuation_left_out(cli: Cli, tmp_path: Path) -> None:
    gold = conllu("나;PRON;2;nsubj 갔다;VERB;0;root .;PUNCT;2;punct")
    system = conllu("나;PRON;2;nsubj 갔다;NOUN;0;root .;NOUN;1;dep")
    paths = [tmp_path / "gold.conllu", tmp_path / "system.conllu"]
    for path, text in zip(paths, (gold, system), strict=True):
        path.write_text(text, encoding="utf-8")
    found = json.loads(cli("eval", "dep", "--json", "--no-punctuation", *paths).stdout)
    counts = {one["name"]: (one["tp"], one["fp"], one["fn"]) for one in found["scores"]}
    assert counts["Tokens"] == (3, 0, 0)
    assert counts["Words"] == (2, 0, 0)
    assert counts["UPOS"] == (1, 1, 1)
    assert counts["LAS"] == (2, 0, 0)
    assert "|punctuation:no|" in found["signature"]
    done = cli("eval", "dep", "--json", "--no-punctuation", "--by", "deprel", *paths)
    found = json.loads(done.stdout)
    assert {one["name"]: one["tp"] for one in found["scores"]} == {"nsubj": 1, "root": 1}
    assert "|punctuation:no|" in found["signature"]
    done = cli("eval", "dep", "--json", "--no-punctuation", "--confusion", "upos", *paths)
    assert sorted(json.loads(done.stdout)["labels"]) == ["NOUN", "PRON", "VERB"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "upos", "--enhanced"], b"--enhanced adds other scores"),
        (["--confusion", "upos", "--bootstrap"], b"--bootstrap is for scores"),
        (["--confusion", "upos", "--folds"], b"--folds is for scores"),
    ],
)
def test_an_option_without_effect_is_refused(
    cli: Cli, files: tuple[Path, Path], options: list[str], message: bytes
) -> None:
    done = cli("eval", "dep", *files, *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr


def test_las_of_classes(cli: Cli, files: tuple[Path, Path]) -> None:
    whole = json.loads(cli("eval", "dep", "--json", *files).stdout)
    las = next(one for one in whole["scores"] if one["name"] == "LAS")
    for by in ("deprel", "upos", "length", "arc", "depth"):
        found = json.loads(cli("eval", "dep", "--json", "--by", by, *files).stdout)
        assert f"|by:{by}|" in found["signature"]
        assert sum(one["tp"] + one["fn"] for one in found["scores"]) == las["tp"] + las["fn"]
        assert sum(one["tp"] for one in found["scores"]) == las["tp"]
        assert sum(one["fp"] for one in found["scores"]) == las["fp"]
    found = json.loads(cli("eval", "dep", "--json", "--by", "arc", files[0], files[0]).stdout)
    assert {one["f1"] for one in found["scores"]} == {1}
    assert found["scores"][0]["name"] == "0"


def test_a_right_arc_counts_in_the_class_of_gold() -> None:
    # The system has another head of 나, so that 는 is deeper, and another tag of 집.
    gold = trees(GOLD)
    system = trees(GOLD.replace("\t3\tnsubj", "\t4\tnsubj").replace("NOUN", "PROPN"))
    cases: dict[Classes, dict[str, tuple[int, int, int]]] = {
        "depth": {"0": (2, 0, 0), "1": (2, 0, 1), "2": (1, 1, 0)},
        "upos": {"NOUN": (1, 0, 0), "PROPN": (0, 0, 0), "PRON": (0, 1, 1)},
    }
    for by, expected in cases.items():
        [found] = DepClasses(by).measure(gold, system)
        assert figures(found).items() >= expected.items(), by


def test_a_file_without_enhanced_dependencies_is_told(cli: Cli, tmp_path: Path) -> None:
    row = "1\t가\t가\tNOUN\tNNG\t_\t0\troot\t{}\t_\n\n"
    (tmp_path / "gold").write_text(row.format("0:root"), encoding="utf-8")
    (tmp_path / "system").write_text(row.format("_"), encoding="utf-8")
    told = "no word has DEPS: there are no enhanced dependencies to measure in this file"
    message = cli("eval", "dep", "--enhanced", "gold", "system").told(1)
    assert message.startswith(f"system: E802 {told}\n")
    assert cli("eval", "dep", "gold", "system").returncode == 0


def test_a_run_that_stops_leaves_nothing_out(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("1\t가" + 7 * "\t_" + "\n\n", encoding="utf-8")
    message = cli("eval", "dep", "--on-error", "stop", "gold", "gold").told(1)
    assert "expected 10 columns" in message
    assert "left out" not in message


def test_levels_are_advised_by_words_for_a_character(cli: Cli, tmp_path: Path) -> None:
    gold = conllu("나는;PRON;2;nsubj 갔다;VERB;0;root", "비가;NOUN;2;nsubj 온다;VERB;0;root")
    marked = "1-2\t나는\t_\t_\t_\t_\t_\t_\t_\t_\n"
    split = marked + conllu("나;PRON;3;nsubj 는;ADP;1;case 갔다;VERB;0;root")
    split += marked.replace("나는", "비가") + conllu(
        "비;NOUN;3;nsubj 가;ADP;1;case 온다;VERB;0;root"
    )
    systems = {
        "levels": (split, True),
        "half": (gold[: gold.index("\n\n") + 2], False),
        "empty": ("", False),
        "nfd": (normalize("NFD", gold), False),
    }
    (tmp_path / "gold.conllu").write_text(gold, encoding="utf-8")
    for name, (text, advised) in systems.items():
        (tmp_path / f"{name}.conllu").write_text(text, encoding="utf-8")
        result = cli("eval", "dep", "gold.conllu", f"{name}.conllu")
        assert ("as if they were cut at two levels" in result.stderr.decode()) is advised, name


KLUE = """\
## klue-dp-1\t나는 학교에 간다.
1\t나는\t나 는\tNP+JX\t3\tNP_SBJ
2\t학교에\t학교 에\tNNG+JKB\t3\tNP_AJT
3\t간다.\t가 ㄴ다 .\tVV+EF+SF\t0\tVP

"""


def test_corpora_with_dependencies(cli: Cli, tmp_path: Path) -> None:
    """Their arcs are those of eojeols: a full stop has none that could be right by itself."""
    (tmp_path / "gold.tsv").write_text(KLUE, "utf-8")
    (tmp_path / "rows.tsv").write_text(KLUE.replace("NP_AJT", "NP_OBJ"), "utf-8")
    record = {
        "sentence": "나는 학교에 간다.", "index": [1, 2, 3],
        "word_form": ["나는", "학교에", "간다."],
        "lemma": ["나 는", "학교 에", "가 ㄴ다 ."], "pos": ["NP+JX", "NNG+JKB", "VV+EF+SF"],
        "head": [2, 3, 0], "deprel": ["NP_SBJ", "NP_AJT", "VP"],
    }  # fmt: skip
    (tmp_path / "face.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    arcs = zip((1, 2, 3), record["head"], record["deprel"], strict=True)
    nikl = [{"word_id": at, "head": head or -1, "label": label} for at, head, label in arcs]
    sentence = {"id": "a", "form": record["sentence"], "DP": nikl}
    corpus = {"id": "c", "document": [{"id": "d", "sentence": [sentence]}]}
    (tmp_path / "nikl.json").write_text(json.dumps(corpus), "utf-8")
    cli("convert", "--level", "1", "rows.tsv", "rows.conllu")
    expected = {
        "rows.tsv": [3, 2],
        "rows.conllu": [3, 2],
        "face.jsonl": [2, 2],
        "nikl.json": [2, 2],
    }
    for name, right in expected.items():
        done = cli("eval", "dep", "--json", "gold.tsv", name)
        scores = {score["name"]: score["tp"] for score in json.loads(done.stdout)["scores"]}
        assert [scores[row] for row in ("Words", "UAS", "LAS")] == [3, *right], name
    assert b"I325" in done.stderr  # Kiwi's tags are counted.
    for folder in ("gold", "system"):
        (tmp_path / folder).mkdir()
        for name in ("1.json", "2.json", "3.tsv"):
            text = KLUE if name == "3.tsv" else json.dumps(corpus)
            (tmp_path / folder / name).write_text(text, "utf-8")
    done = cli("eval", "dep", "--json", "gold", "system")
    scores = {score["name"]: score["tp"] for score in json.loads(done.stdout)["scores"]}
    assert scores["Words"] == 9, done.stderr
    for folder in ("gold", "system"):
        (tmp_path / folder / "2.json").write_text('{"id": "c", "document": [', "utf-8")
    assert b"2.json: skipped: " in cli("eval", "dep", "gold", "system").stderr
    (tmp_path / "rows.tsv").write_text(KLUE.replace("\t가 ㄴ다 .\t", "\t가 .\t"), "utf-8")
    done = cli("eval", "dep", "gold.tsv", "rows.tsv", "--on-error", "stop")
    assert done.returncode == 1
    assert b'rows.tsv", line 4' in done.stderr
    (tmp_path / "gold.tsv").write_text(KLUE, "utf-8")
    cli("convert", "--scheme", "ud", "--level", "1", "gold.tsv", "ud.conllu")
    done = cli("eval", "dep", "gold.tsv", "ud.conllu")
    assert b"one side alone has NP_AJT, NP_SBJ, VP, which are no relations of UD" in done.stderr
    (tmp_path / "empty.tsv").write_text("", "utf-8")
    assert b"one side" not in cli("eval", "dep", "gold.tsv", "empty.tsv").stderr


def test_the_rules_of_the_user_are_those_of_a_corpus(cli: Cli, tmp_path: Path) -> None:
    """A corpus becomes CoNLL-U before it is measured, as `convert` makes it."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "upos.tsv").write_text(
        "tag\tsejong\ttable3.1\tud\nNP\tNUM\tNUM\tNUM\n", "utf-8"
    )
    (tmp_path / "gold.tsv").write_text(KLUE, "utf-8")
    cli("convert", "--level", "1", "gold.tsv", "gold.conllu", "--rules", "rules")
    done = cli("eval", "dep", "--json", "gold.tsv", "gold.conllu", "--rules", "rules")
    scores = {score["name"]: score["tp"] for score in json.loads(done.stdout)["scores"]}
    assert (scores["Words"], scores["UPOS"]) == (3, 3)
