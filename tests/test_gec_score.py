"""Scores of corrections: ERRANT's tables to the byte, annotators, types, output, bad input."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
from itertools import product
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import normalize

import pytest
from cases import cases

from sejongud.__main__ import main
from sejongud.errors import UsageError
from sejongud.gec import maxmatch, read_m2, score
from sejongud.gec.edits import Corrections, Edit, overlapping
from sejongud.gec.tokens import marks_apart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Rows = Sequence[tuple[str, Mapping[int, Sequence[tuple[Any, ...]]]]]

    from conftest import Cli

    from sejongud.evaluation.base import Evaluation

CASES = cases("gec_score")

DATA = Path(__file__).parent / "data" / "gec"
RUNS = re.split(r"^\$ ", (DATA / "errant.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


@pytest.fixture
def in_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the recorded files."""
    monkeypatch.chdir(DATA)


def side(rows: Rows) -> list[Corrections]:
    """Return sentences with the edits of their annotators."""
    return [
        Corrections(
            tuple(text.split()),
            {key: tuple(Edit(*one) for one in own) for key, own in annotators.items()},
        )
        for text, annotators in rows
    ]


def measured(reference: Rows, hypothesis: Rows, **options: Any) -> Evaluation:
    return score(side(hypothesis), side(reference), **options)


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["gec", "score", "-q", *arguments]) == 0
    return capsys.readouterr().out


# ERRANT


@pytest.mark.usefixtures("in_data")
def test_recorded_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """Runs of errant_compare 3.0.2 on files that were made up for it."""
    assert len(RUNS) >= 150
    for run in RUNS:
        arguments, _, expected = run.partition("\n")
        # Only `compare` lists the edits of each sentence.
        by_compare = {"-v", "--verbose"} & {*arguments.split()}
        command = ["compare"] if by_compare else ["score", "--errant"]
        assert main(["gec", *command, "-q", *arguments.split()]) == 0
        assert capsys.readouterr().out == expected, arguments


# What is counted

ONE = [("a b c d", {0: [(0, 1, "x", "R:N"), (2, 2, "y z", "M:V"), (3, 4, "", "U:N")]})]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("type", ["INSERTION", "M:V", "NOUN", "R:N", "U:N", "UNK"]),
        ("main", ["INSERTION", "N", "NOUN", "UNK", "V"]),
        # A type without an operation in front has the operation of its edit.
        ("operation", ["M", "R", "U", "UNK"]),
    ],
)
def test_rows(by: Any, names: list[str]) -> None:
    edits = [*ONE[0][1][0], (1, 2, "w", "NOUN"), (4, 4, ".", "INSERTION"), (2, 3, "c", "UNK")]
    reference = [("a b c d", {0: sorted(edits)})]
    evaluation = measured(reference, reference, by=by, what="detection-span")
    overall, *rows = evaluation.scores
    assert [row.name for row in rows] == names
    assert sum(row.counts["tp"] for row in rows) == overall.counts["tp"] == 6


@pytest.mark.parametrize("metric", ["errant", "maxmatch", "gleu"])
def test_rows_have_one_of_the_names(metric: str) -> None:
    with pytest.raises(UsageError, match="by is types; it should be one of: operation, main, type"):
        score([], [], metric, by="types")


@pytest.mark.parametrize("errant", [False, True])
def test_short_and_long_labels_are_the_same_types(errant: bool) -> None:
    long = ["INSERTION", "PARTICLE", "UNCLASSIFIED", "NOUN"]
    short = ["INS", "PART", "UNK", "NOUN"]
    sides: list[Rows] = [
        [("가 나 다 라", {0: [(at, at + 1, "마", name) for at, name in enumerate(names)]})]
        for names in (long, short)
    ]
    found = [
        [
            (score.name, *score.counts.values())
            for score in measured(*pair, what="correction-type", by="type", errant=errant).scores
        ]
        for pair in product(sides, repeat=2)
    ]
    if errant:
        assert found[1][0] == ("All edits", 1, 2, 3)
        return
    expected = [("All edits", 4, 0, 0), *((name, 1, 0, 0) for name in sorted(long))]
    assert found == [expected] * 4
    rest = measured(sides[0], sides[1], what="correction-type", without=["PART"])
    assert rest.totals == [3, 0, 0]


@pytest.mark.parametrize("metric", ["maxmatch", "gleu"])
@pytest.mark.parametrize("by", ["type", "main", "operation"])
def test_rows_by_type_are_the_scores_of_sentences_with_the_type(metric: str, by: Any) -> None:
    """The row of a type is the score of a file that has its sentences alone."""
    rng = random.Random(7)
    kinds = ["R:NOUN", "M:NOUN", "U:PART", "SPELL", "WS"]
    gold, system = [], []
    for _ in range(60):
        places = [at for at in range(8) if rng.random() < 0.2]
        edits = [Edit(at, at + 1, rng.choice("xyz"), rng.choice(kinds)) for at in places]
        wrong = [edit._replace(correction=rng.choice("xyzw"), type="") for edit in edits]
        tokens = tuple("abcdefgh")
        gold.append(Corrections(tokens, {0: tuple(edits)}))
        system.append(Corrections(tokens, {0: tuple(one for one in wrong if rng.random() < 0.7)}))
    overall, *rows = score(system, gold, metric, by=by).scores
    assert overall == score(system, gold, metric).scores[0]
    mains = {"NOUN": ["R:NOUN", "M:NOUN"], "PART": ["U:PART"], "SPELL": ["SPELL"], "WS": ["WS"]}
    names = {
        "type": {kind: [kind] for kind in kinds},
        "main": mains,
        "operation": {"M": ["M:NOUN"], "R": ["R:NOUN", "SPELL", "WS"], "U": ["U:PART"]},
    }[by]
    assert [row.name for row in rows] == sorted(names)
    for row in rows:
        own = [
            k for k, one in enumerate(gold) if any(e.type in names[row.name] for e in one.edits[0])
        ]
        assert 0 < len(own) < 60
        [alone] = score([system[k] for k in own], [gold[k] for k in own], metric).scores
        assert (row.counts, row.ratios) == (alone.counts, alone.ratios)
        assert row != overall._replace(name=row.name)


def test_rows_by_type_count_all_edits_of_their_sentences() -> None:
    """The one edit of WS is missed, and the edit of SPELL beside it is found: a recall of 1/2."""
    gold = [Corrections(tuple("abcdef"), {0: (Edit(0, 1, "x", "WS"), Edit(1, 2, "y", "SPELL"))})]
    system = [Corrections(tuple("abcdef"), {0: (Edit(1, 2, "y"),)})]
    ws = score(system, gold, "maxmatch", by="type").scores["WS"]
    assert (ws.counts, ws.ratios["recall"]) == ({"correct": 1, "proposed": 1, "gold": 2}, 0.5)
    # Two references that are the same are as good as one.
    twice = [Corrections(one.tokens, {0: one.edits[0], 1: one.edits[0]}) for one in gold]
    one, two = [score(system * 3, some * 3, "gleu", by="type").scores for some in (gold, twice)]
    assert [row.ratios["gleu"] for row in two] == pytest.approx([row.ratios["gleu"] for row in one])
    assert one["WS"].ratios["gleu"] > 0


def test_types_that_do_not_count_have_no_row() -> None:
    """The second annotator is not chosen, so that the type of his edit does not occur."""
    reference = [("a b", {0: [(0, 1, "x", "R:N")], 1: [(1, 2, "y", "R:V")]})]
    hypothesis = [("a b", {0: [(0, 1, "x", "R:Q")]})]
    evaluation = measured(reference, hypothesis, by="type")
    assert [row.name for row in evaluation.scores] == ["All edits", "R:N"]
    assert evaluation.totals == [1, 0, 0, 1, 0, 0]


def test_macro_average() -> None:
    """R:N has P 1, R 0.5; R:V has P 0, R 1: the means are 0.5 and 0.75."""
    reference = [("a b c", {0: [(0, 1, "x", "R:N"), (1, 2, "y", "R:N")]})]
    hypothesis = [("a b c", {0: [(0, 1, "x", "R:N"), (2, 3, "z", "R:V")]})]
    overall, macro = measured(reference, hypothesis, average="macro").scores
    assert overall.counts == {"tp": 1, "fp": 1, "fn": 1}
    f = 1.25 * 0.5 / (0.25 + 0.5)
    assert macro.ratios == pytest.approx({"precision": 0.5, "recall": 0.75, "f0.5": f / 2})


def test_average_and_weighted() -> None:
    """Two annotators: TP 1 FP 1 FN 0, and TP 0 FP 2 FN 1; F0.5 is 0.5556 and 0."""
    reference = [("a b c", {0: [(0, 1, "x", "N")], 1: [(2, 3, "z", "V")]})]
    hypothesis = [("a b c", {0: [(0, 1, "x", "N"), (1, 2, "y", "V")]})]
    assert measured(reference, hypothesis).totals == [1, 1, 0]
    average = measured(reference, hypothesis, strategy="average", by="type")
    assert average.totals == pytest.approx([0.5, 1.5, 0.5, 0.5, 0.5, 0, 0, 1, 0.5])
    weight = exp(5.556) / (exp(5.556) + 1)
    weighted = measured(reference, hypothesis, strategy="weighted").totals
    assert weighted == pytest.approx([weight, weight + 2 * (1 - weight), 1 - weight])


def test_a_perfect_annotator_counts_alone() -> None:
    reference = [("a b", {0: [(0, 1, "x")], 1: [(1, 2, "y")]})]
    hypothesis = [("a b", {0: [(0, 1, "x")]})]
    for strategy in ("average", "weighted"):
        assert measured(reference, hypothesis, strategy=strategy).totals == [1, 0, 0]


def test_first_annotator_of_the_file_counts_among_equals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in errant_compare: annotator 3 stands before annotator 1, and both agree as well."""
    line = "A 0 1|||{}|||x|||REQUIRED|||-NONE-|||{}\n"
    reference = "S a\n" + line.format("R:V", 3) + line.format("R:N", 1) + "\n"
    (tmp_path / "ref.m2").write_text(reference, encoding="utf-8")
    found = output(capsys, str(tmp_path / "ref.m2"), str(tmp_path / "ref.m2"), "--by", "type")
    assert "R:V" in found and "R:N" not in found


def test_scores_in_memory() -> None:
    """Edits beyond their sentence are told, and MaxMatch and GLEU leave them out."""
    reference = side([("a b c d", {0: [(0, 1, "x"), (4, 6, "y")]})])
    hypothesis = side([("a b c d", {0: [(0, 1, "x")]})])
    evaluation = score(hypothesis, reference, "maxmatch")
    assert evaluation.totals == [1, 1, 1]
    assert [(one.code, one.path, one.line) for one in evaluation.incidents] == [
        ("W804", "reference", 1)
    ]
    assert score(hypothesis, reference, "gleu").scores[0].ratios["gleu"] == 1
    assert score(hypothesis, reference, beta=1.0).totals == [1, 0, 1]
    with pytest.raises(UsageError, match=r"there is no metric gleo.*did you mean gleu"):
        score(hypothesis, reference, "gleo")
    with pytest.raises(UsageError, match=r"gec\.read_m2` reads"):
        score([1], reference)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="2 corrected texts need as many texts"):
        score(["나는", "갔다"], reference)


def test_library_of_files_and_texts(tmp_path: Path) -> None:
    """What was an error before: a path, M2 itself and corrected texts are read."""
    m2 = "S 나는 갓다 .\nA 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n\n"
    path = tmp_path / "a.m2"
    path.write_text(m2, encoding="utf-8")
    given: list[Any] = [path, str(path), m2, ["나는 갔다 ."]]
    for hypothesis, reference in product(given, given[:3]):
        assert score(hypothesis, reference).totals == [1, 0, 0]
    found = score(["나는 간다."], ["나는 갔다."], source=["나는 갓다."], similarity="jaro")
    own = score(["나는 간다."], ["나는 갔다."], source=["나는 갓다."], unit="character")
    assert own.scores[0].ratios == found.scores[0].ratios
    with pytest.raises(UsageError, match="errant has no option betta: what, beta"):
        score(["나는 간다."], ["나는 갔다."], source=["나는 갓다."], betta=1)
    # The settings by which edits were found stand in the signature, as in that of the shell.
    assert "|scheme:kagas|unit:eojeol|speller:kiwi|split:published|kiwipiepy:" in found.signature()
    assert "|unit:char|" in own.signature()
    with pytest.raises(UsageError, match="the source is one text"):
        score(["나", "너", "그"], ["나", "너", "그"], source="abc")
    assert found.totals == [0, 1, 1]
    assert [(one["error"], one["edit"], one["sentence"]) for one in found.errors()] == [
        ("spurious", found.notes[0]["spurious"][0], "나는 갓다 ."),  # type: ignore[index]
        ("missed", "1 2 SPELL 갔다", "나는 갓다 ."),
    ]
    with pytest.raises(OSError, match="no-such"):
        score("no-such.m2", m2)
    assert [edit.to_m2() for edit in next(read_m2(m2)).edits[0]] == [m2.split("\n")[1]]


def test_a_deletion_is_one_however_files_write_it() -> None:
    line = "S 나는 그 갓다\nA 1 2|||DELETION|||{}|||REQUIRED|||-NONE-|||0\n"
    spelt = "A 2 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n\n"
    reference = line.format("-NONE-") + spelt
    for hypothesis in (line.format("") + "\n", ["나는 갓다"]):
        assert score(hypothesis, reference).totals == [1, 0, 1]
    assert score(line.format(""), reference, errant=True).totals == [0, 1, 2]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        # A number with its mark is a token, and the full stop behind it another.
        (["값은 3.5%이다 .", "나는 갔다 ."], ["값은 3.5%이다.", "나는 갔다."]),
        # Learners put a space before a picture, or none.
        (["조아요😀 !", "안녕 😀", "네 😀"], ["조아요😀!", "안녕 😀", "네 😀"]),
    ],
)
def test_marks_of_a_text_stand_where_those_of_the_reference_do(
    tokens: list[str], text: list[str]
) -> None:
    edit = "A 0 1|||NOUN|||나|||REQUIRED|||-NONE-|||0\n\n"
    reference = "".join([f"S {line}\n{edit}" for line in tokens])
    assert score(text, reference).totals == [0, 0, len(text)]


@pytest.mark.parametrize("unit", ["eojeol", "character"])
def test_texts_have_the_figures_of_the_command(
    unit: str, cli: Cli, root: Path, tmp_path: Path
) -> None:
    """They get the tokens of a reference, and its edits where they are its correction."""
    source, target, ref = [
        root / "samples" / f"learner.{n}.txt" for n in ("source", "target", "ref2")
    ]
    assert not cli("gec", "annotate", source, ref, "-o", "ref.m2", "--unit", unit).returncode
    texts = target.read_text("utf-8").splitlines()
    found = score(texts, tmp_path / "ref.m2")
    of_command = json.loads(cli("gec", "score", target, "ref.m2", "--json").stdout)
    assert of_command["signature"] == found.signature()
    assert {**of_command["scores"][0], **found.scores[0].counts} == of_command["scores"][0]
    whole = "S 나는 학교 에 갓다\nA 0 4|||OTHER|||나는 학교에 갔다|||REQUIRED|||-NONE-|||0\n\n"
    assert score(["나는 학교에 갔다"], whole).totals == [1, 0, 0]
    # A sentence of one word has no token for a space.
    line = "A {} {}|||SPELL|||{}|||REQUIRED|||-NONE-|||0\n\n".format
    chars = f"S 안 녕 하 세 오\n{line(4, 5, '요')}S 나 는 ▁ 간 다\n{line(3, 4, '갔')}"
    assert score(["안녕하시오", "나는 갔다"], chars).totals == [1, 1, 1]


# The command


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reference with two annotators, and a hypothesis that finds one edit of three."""
    monkeypatch.chdir(tmp_path)
    rest = "REQUIRED|||-NONE-|||0"
    (tmp_path / "ref.m2").write_text(
        f"S 저는 친구을 만나요\nA 1 2|||PARTICLE|||친구를|||{rest}\n\n"
        f"S 날씨가 춥읍니다\nA 1 2|||SPELL|||춥습니다|||{rest}\nA 2 2|||INSERTION|||.|||{rest}\n\n",
        encoding="utf-8",
    )
    (tmp_path / "hyp.m2").write_text(
        f"S 저는 친구을 만나요\nA 1 2|||NOUN|||친구를|||{rest}\n\n"
        f"S 날씨가 춥읍니다\nA 1 2|||SPELL|||추워요|||{rest}\n\n",
        encoding="utf-8",
    )
    return tmp_path


@pytest.mark.usefixtures("files")
def test_table_with_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    found = output(capsys, "hyp.m2", "ref.m2", "--by", "type", "--sentences")
    assert re.search(r"^All edits +1 +1 +2 +50.00 +33.33 +45.45$", found, re.MULTILINE)
    assert re.search(r"^PARTICLE +1 +0 +0 +100.00 +100.00 +100.00$", found, re.MULTILINE)
    assert "errant|what:correction-span|beta:0.5|strategy:best|version:" in found
    assert found.endswith(
        "\n1: 저는 친구을 만나요\n  found: 1 2 PARTICLE 친구를\n"
        "\n2: 날씨가 춥읍니다\n  spurious: 1 2 SPELL 추워요\n"
        "  missed: 1 2 SPELL 춥습니다\n  missed: 2 2 INSERTION .\n"
    )


@pytest.mark.usefixtures("files")
def test_json_and_csv(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capsys, "hyp.m2", "ref.m2", "--json", "--sentences"))
    assert found["metric"] == "errant"
    assert found["gold"] == "ref.m2" and found["system"] == "hyp.m2"
    assert found["scores"][0]["recall"] == 1 / 3
    assert found["sentences"][1] == {
        "gold": "2",
        "system": "2",
        "source": "날씨가 춥읍니다",
        "found": [],
        "spurious": ["1 2 SPELL 추워요"],
        "missed": ["1 2 SPELL 춥습니다", "2 2 INSERTION ."],
        "scores": [
            {"name": "All edits", "tp": 0, "fp": 1, "fn": 2}
            | {"precision": 0.0, "recall": 0.0, "f0.5": 0.0}
        ],
    }
    text = output(capsys, "hyp.m2", "ref.m2", "--csv", "--sentences")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["missed"] for row in rows] == ["", "", "1 2 SPELL 춥습니다; 2 2 INSERTION ."]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("metric", "row"), [("errant", "All edits | f0.5 | 45.45"), ("gleu", "GLEU | gleu | 0.00")]
)
def test_a_table_for_a_document(metric: str, row: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "hyp.m2", "ref.m2", "--metric", metric, "--markdown").splitlines()
    assert lines[:3] == ["|  |  | hyp.m2 |", "|---|---|---|", f"| {row} |"]
    assert lines[-1].startswith(f"{metric}|")


@pytest.mark.usefixtures("files")
def test_intervals_and_paired_test(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--bootstrap", "50", "--compare", "ref.m2", "--samples", "50", "--json")
    found = json.loads(output(capsys, "hyp.m2", "ref.m2", *options))
    low, high = found["scores"][0]["intervals"]["f0.5"]
    assert low == 0 and high == 1
    [compared] = found["comparison"]
    assert compared["figure"] == "f0.5" and compared["second"] == 1 and 0 < compared["p"] <= 1
    assert "intervals:95%:50|test:bootstrap:50|seed:12345" in found["signature"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("", "W803 annotator 0 has the edit 1 2 '추워요' 2 times"),
        ("몹시 ", "W503 the edits '0 2 SPELL 몹시 추워요' and"),
    ],
)
def test_edits_that_stand_twice_or_overlap_are_told(
    change: str, told: str, files: Path, cli: Cli
) -> None:
    text = (files / "hyp.m2").read_text(encoding="utf-8")
    line = "A 1 2|||SPELL|||추워요|||REQUIRED|||-NONE-|||0\n"
    other = line.replace("1 2|||SPELL|||", f"0 2|||SPELL|||{change}") if change else line
    (files / "odd.m2").write_text(text.replace(line, other + line), encoding="utf-8")
    result = cli("gec", "score", "odd.m2", "ref.m2", "--json")
    assert result.returncode == 0
    assert f"odd.m2:4: {told}" in result.stderr.decode()
    assert json.loads(result.stdout)["scores"][0]["fp"] == 2
    lines = cli("gec", "score", "odd.m2", "ref.m2", "--sentences").stdout.decode().splitlines()
    assert len([line for line in lines if line.startswith("  spurious: ")]) == 2


@pytest.mark.usefixtures("files")
def test_page(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row has the edits of the reference and those of the hypothesis, in three colours."""
    output(capsys, "hyp.m2", "ref.m2", "--html", "page.html")
    page = (files / "page.html").read_text(encoding="utf-8")
    rows = re.findall(r'<article class="pair data".*?</article>', page, re.DOTALL)
    found = [
        re.findall(r'data-by="(\w+)"|data-state="(\w+)"|<ins>(.*?)</ins>', row) for row in rows
    ]
    assert [["".join(one) for one in row] for row in found] == [
        ["reference", "found", "친구를", "hypothesis", "found", "친구를"],
        ["reference", "missed", "춥습니다", "missed", ".", "hypothesis", "spurious", "추워요"],
    ]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("systems", [(), ("--systems",)])
def test_a_page_shows_what_the_hypothesis_has(
    systems: tuple[str, ...], files: Path, cli: Cli
) -> None:
    """Of an edit that is found it has the type, and with -ds the correction, and each as often."""
    text = (files / "hyp.m2").read_text(encoding="utf-8")
    edit = text.split("\n")[1]
    (files / "twice.m2").write_text(text.replace(edit, f"{edit}\n{edit}"), encoding="utf-8")
    names = ("ref.m2", *systems, "twice.m2") if systems else ("twice.m2", "ref.m2")
    assert cli("gec", "score", *names, "-ds", "--metric", "errant", "--html", "page.html").told(0)
    page = (files / "page.html").read_text(encoding="utf-8")
    lines = [line for line in page.split("\n") if line.startswith('<p class="edits"')]
    found = [
        re.findall(r'type="(\w+)" data-state="(\w+)".*?<ins>(.*?)</ins>', one) for one in lines
    ]
    assert found == [
        [("PARTICLE", "found", "친구를")],
        [("NOUN", "found", "친구를")] * 2,
        [("SPELL", "found", "춥습니다"), ("INSERTION", "missed", ".")],
        [("SPELL", "found", "추워요")],
    ]


def test_page_of_an_edit_that_stands_twice(tmp_path: Path, cli: Cli) -> None:
    """One of the two tells its place in the target, and the other does not."""
    edit = {"start": 0, "end": 1, "correction": "b", "type": "X"}
    edits = [{**edit, "c_start": 0, "c_end": 1}, edit]
    (tmp_path / "a.jsonl").write_text(json.dumps({"tokens": ["a"], "edits": edits}) + "\n")
    assert cli("gec", "score", "a.jsonl", "a.jsonl", "--html", "page.html").returncode == 0
    assert (tmp_path / "page.html").read_text("utf-8").count('data-state="found" tabindex') == 4


@pytest.mark.usefixtures("files")
def test_maxmatch_and_gleu(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capsys, "hyp.m2", "ref.m2", "--metric", "maxmatch", "--json"))
    assert [found["scores"][0][key] for key in ("correct", "proposed", "gold")] == [1, 2, 3]
    assert found["signature"].startswith("maxmatch|beta:0.5|unchanged:2|")
    text = output(capsys, "ref.m2", "ref.m2", "--metric", "gleu")
    assert text.startswith("GLEU 0.000000\n")  # no sentence has four tokens
    assert "gleu|references:1|draws:1|" in text


@pytest.mark.usefixtures("files")
def test_texts(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text of a system, with the sources of the reference or of a file."""
    (files / "hyp.txt").write_text("저는 친구를 만나요\n날씨가 추워요\n", encoding="utf-8")
    (files / "ref.txt").write_text("저는 친구를 만나요\n날씨가 춥습니다 .\n", encoding="utf-8")
    (files / "src.txt").write_text("저는 친구을 만나요\n날씨가 춥읍니다\n", encoding="utf-8")

    def table(*arguments: str) -> str:
        return output(capsys, *arguments).partition("\n\ngroups")[0]

    of_m2 = table("hyp.m2", "ref.m2", "--metric", "maxmatch")
    assert table("hyp.txt", "ref.m2", "--metric", "maxmatch") == of_m2
    source = ("--source", "src.txt")
    assert table("hyp.txt", "ref.m2", "--metric", "maxmatch", *source) == of_m2
    of_m2 = table("hyp.m2", "ref.m2", "--metric", "gleu")
    assert table("hyp.txt", "ref.txt", "--metric", "gleu", *source) == of_m2
    found = output(capsys, "hyp.txt", "ref.txt", "src.txt", "--metric", "gleu", *source)
    assert "gleu|references:2|draws:500|" in found


@pytest.mark.usefixtures("files")
def test_marks_of_texts_are_put_apart(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are apart as the reference has them, unless an option says otherwise."""
    (files / "hyp.txt").write_text("저는 친구를 만나요\n날씨가 춥습니다.\n", encoding="utf-8")
    run = ("hyp.txt", "ref.m2", "--metric", "maxmatch", "--json")
    correct = [
        json.loads(output(capsys, *run, *options))["scores"][0]["correct"]
        for options in (
            *((), ("--no-split-punctuation",), ("--split-punctuation",)),
            ("--split-punctuation", "all"),
        )
    ]
    assert correct == [3, 1, 3, 3]


# A corrected text that is the correction of the reference

# Each: the file; for one that `gec annotate` makes of the sample its options; the unit and the
# marks that stand apart in the signature.
REFERENCES = CASES["REFERENCES"]
TEXT = "samples/learner.target.txt"


@pytest.mark.parametrize(
    ("name", "options", "unit", "split", "metric"),
    [
        (*row, metric)
        for row in REFERENCES
        for metric in ("errant", "maxmatch", "gleu")
        # Each metric has each unit and a text; how a reference is read is the same for all.
        if metric == "errant" or row[0] in ("edits.m2", "chars.m2", "words.jsonl", TEXT)
    ],
)
def test_the_correction_of_the_reference_is_perfect(
    name: str,
    options: str,
    unit: str,
    split: str,
    metric: str,
    root: Path,
    tmp_path: Path,
    cli: Cli,
) -> None:
    """Whatever the reference's format and tokens are: as a text, and as the reference itself."""
    texts = [root / "samples" / f"learner.{side}.txt" for side in ("source", "target")]
    source: tuple[str | Path, ...] = ()
    if "/" in name:
        reference = root / name
        if reference == texts[1]:
            source = ("--source", texts[0])
        else:
            made = [tmp_path / "source.txt", tmp_path / "target.txt"]
            cli("gec", "convert", reference, "--to", "parallel", "-o", made[0], "-o", made[1])
            texts = made
    elif name.startswith("pairs"):
        reference = tmp_path / name
        lines = [text.read_text(encoding="utf-8").splitlines() for text in texts]
        rows = list(zip(*lines, strict=True))
        for_json = [json.dumps({"source": a, "targets": [b]}) for a, b in rows]
        made_of = for_json if name.endswith("jsonl") else ["\t".join(row) for row in rows]
        reference.write_text("\n".join([*made_of, ""]), encoding="utf-8")
    else:
        reference = tmp_path / name
        assert cli("gec", "annotate", *options.split(), *texts, "-o", reference).returncode == 0
    for hypothesis in (texts[1], reference):
        run = (hypothesis, reference, *source, "--metric", metric, "--json")
        found = json.loads(cli("gec", "score", "-q", *run).stdout)
        [row] = found["scores"]
        assert row["gleu" if metric == "gleu" else "f0.5"] == 1
        if hypothesis == texts[1]:
            assert f"|unit:{unit}|" in found["signature"]
            assert f"|split:{split}|" in found["signature"]


def test_a_corrected_text_of_real_references(shared: Path, cli: Cli, tmp_path: Path) -> None:
    """The edits of KAGAS itself, and corrected texts with their marks apart and joined."""
    for name, metric in (("k-nct", "errant"), ("kolla-ref1", "maxmatch"), ("kolla-ref2", "gleu")):
        folder = shared / "data" / "gec-dev" / name
        text = (folder / "target.txt").read_text(encoding="utf-8")
        (tmp_path / "joined.txt").write_text(re.sub(r" (?=[.?!,])", "", text), encoding="utf-8")
        for path in (folder / "target.txt", "joined.txt"):
            run = ("gec", "score", path, folder / "kagas.m2", "--metric", metric, "--json")
            [row] = json.loads(cli(*run).stdout)["scores"]
            assert row["gleu" if metric == "gleu" else "f0.5"] == 1, (name, metric, path)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("나는 갔다 . 왔다 !", ("published", set())),
        ("나는 갔다. 왔다!", ("", set())),
        ("나는 갔다", ("published", set())),
        # Most of the marks decide, and the tokens that hold marks all the same stay whole.
        ("나는 3.5%를 갔다 . 왔다 !", ("published", {"3.5%를"})),
        ("나는 갔다 ... 왔다 ?!", ("published", {"...", "?!"})),
        ("“ 나는 ” 갔다 .", ("all", set())),
        ("“나는” 갔다 . 왔다 .", ("published", set())),
        # In other languages marks are parts of words.
        ("I like it .", ("published", set())),
        ("I do n't like it . No !", ("", set())),
    ],
)
def test_the_marks_of_a_reference(tokens: str, expected: tuple[str, set[str]]) -> None:
    which, whole = marks_apart(tokens.split())
    assert (which, set(whole)) == expected


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_tokens_that_hold_marks_stay_whole(
    form: Literal["NFC", "NFD"], tmp_path: Path, cli: Cli
) -> None:
    """The reference has its full stops apart, and the point of a number in a word."""
    rest = "REQUIRED|||-NONE-|||0"
    reference = f"S 3.5%를 받앗다 ...\nA 1 2|||SPELL|||받았다|||{rest}\n\nS 나는 갔다 .\n\n"
    (tmp_path / "ref.m2").write_text(normalize(form, reference), encoding="utf-8")
    text = normalize(form, "3.5%를 받았다...\n나는 왔다.\n")
    (tmp_path / "hyp.txt").write_text(text, encoding="utf-8")
    result = cli("gec", "score", "hyp.txt", "ref.m2", "--metric", "maxmatch", "--json")
    [row] = json.loads(result.stdout)["scores"]
    assert [row[key] for key in ("correct", "proposed", "gold")] == [1, 2, 1]
    run = ("gec", "score", "hyp.txt", "hyp.txt", "--source", "hyp.txt", "--metric", "gleu")
    assert "|split:published|" in cli(*run).stdout.decode()


def test_english_texts_keep_their_tokens(tmp_path: Path, cli: Cli) -> None:
    """GLEU counts the tokens between spaces there, as the published program does."""
    for name, verb in (("src", "do"), ("ref", "does"), ("hyp", "did")):
        (tmp_path / f"{name}.txt").write_text(f"He {verb} n't go .\n", encoding="utf-8")
    command = "gec score hyp.txt ref.txt --source src.txt --metric gleu --json"
    found = json.loads(cli(*command.split()).stdout)
    assert found["scores"][0]["tokens"] == 5
    assert "|split:no|" in found["signature"]


@pytest.mark.parametrize("metric", ["errant", "maxmatch", "gleu"])
def test_edits_with_joined_marks_against_marks_apart(metric: str, root: Path, cli: Cli) -> None:
    """M2 of `만나요.` is mapped to the tokens `만나요 .` of the reference, with its corrections."""
    texts = [root / "samples" / f"learner.{side}.txt" for side in ("source", "target")]
    cli("gec", "annotate", "--no-split-punctuation", *texts, "-o", "joined.m2")
    run = ("gec", "score", "joined.m2", root / "samples" / "learner.m2", "--metric", metric)
    found = json.loads(cli(*run, "--json").stdout)
    assert found["scores"][0]["gleu" if metric == "gleu" else "f0.5"] == 1
    assert "|split:published|" in found["signature"]


def test_texts_in_nfd(files: Path, cli: Cli) -> None:
    for name in ("ref.m2", "hyp.m2"):
        text = (files / name).read_text(encoding="utf-8")
        (files / f"nfd-{name}").write_text(normalize("NFD", text), encoding="utf-8")
    for pair in (("hyp.m2", "nfd-ref.m2"), ("nfd-hyp.m2", "ref.m2"), ("nfd-hyp.m2", "nfd-ref.m2")):
        [row] = json.loads(cli("gec", "score", *pair, "--json").stdout)["scores"]
        assert [row[key] for key in ("tp", "fp", "fn")] == [1, 1, 2]


@pytest.mark.usefixtures("files")
def test_texts_whose_edits_are_found(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Marks are apart as the reference has them; a source may have other sentences."""
    (files / "hyp.txt").write_text("저는 친구를 만나요\n날씨가 춥습니다.\n", encoding="utf-8")
    found = json.loads(output(capsys, "hyp.txt", "ref.m2", "--json", "--sentences"))
    assert [one["found"] for one in found["sentences"]] == [
        ["1 2 PARTICLE 친구를"],
        ["1 2 SPELL 춥습니다", "2 2 INSERTION ."],
    ]
    assert "|scheme:kagas|unit:eojeol|speller:kiwi|split:published|kiwipiepy:" in found["signature"]
    (files / "src.txt").write_text("저는 친구을 만나요 날씨가 춥읍니다\n", encoding="utf-8")
    (files / "hyp.txt").write_text("저는 친구를 만나요 날씨가 춥읍니다.\n", encoding="utf-8")
    options = ("--source", "src.txt", "--json", "--sentences")
    found = json.loads(output(capsys, "hyp.txt", "ref.m2", *options))
    assert found["scores"][0]["tp"] == 2 and found["scores"][0]["fn"] == 1
    assert found["sentences"][0]["gold"] == "1-2" and found["sentences"][0]["system"] == "1"
    (files / "ref.txt").write_text("저는 친구를 만나요 날씨가 춥습니다.\n", encoding="utf-8")
    found = json.loads(output(capsys, "hyp.txt", "ref.txt", *options))
    assert found["scores"][0]["tp"] == 2 and found["scores"][0]["fn"] == 1


@pytest.mark.parametrize(("arguments", "message"), CASES["test_wrong_use"])
def test_wrong_use(arguments: str, message: str, files: Path, cli: Cli) -> None:
    (files / "one.txt").write_text("저는 친구를 만나요\n", encoding="utf-8")
    text = (files / "hyp.m2").read_text(encoding="utf-8")
    (files / "one.m2").write_text(text.split("\n\n")[0] + "\n\n", encoding="utf-8")
    result = cli("gec", "score", *arguments.split())
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert not result.stdout


@pytest.mark.parametrize("metric", ["errant", "maxmatch", "gleu"])
@pytest.mark.parametrize(
    ("reference", "hypothesis", "options", "told"),
    [
        ("eojeol", "target", ["--unit", "character"], "leave out --unit"),
        ("character", "target", ["--unit", "eojeol"], "leave out --unit"),
        ("character", "target", ["--unit", "character"], ""),
        ("character", "target", [], ""),
        ("eojeol", "target", ["--unit", "eojeol"], ""),
        ("eojeol", "character.m2", [], "gec annotate --unit"),
        ("character", "eojeol.m2", [], "gec annotate --unit"),
        ("eojeol", "eojeol.m2", [], ""),
        (
            "word",
            "target",
            [],
            "--unit word and --level, with --source, cut a text as word.m2 is cut",
        ),
        ("word", "target", ["--unit", "word"], ""),
        ("eojeol", "target", ["--unit", "word"], "leave out --unit"),
        ("eojeol", "word.m2", [], "gec annotate --unit"),
        ("eojeol", "wide", [], ""),
    ],
)
def test_units_that_differ_are_told(
    reference: str, hypothesis: str, options: list[str], told: str, metric: str, root: Path,
    tmp_path: Path, cli: Cli,
) -> None:  # fmt: skip
    for side in ("source", "target"):
        shutil.copy(root / "samples" / f"learner.{side}.txt", tmp_path / side)
    text = (tmp_path / "target").read_text("utf-8")
    (tmp_path / "wide").write_text(re.sub("[.?]", "．", text), encoding="utf-8")
    for unit in ("eojeol", "character", "word"):
        cli("gec", "annotate", "source", "target", "-o", f"{unit}.m2", "--unit", unit, "-q")
    done = cli("gec", "score", hypothesis, f"{reference}.m2", "--metric", metric, *options)
    assert done.returncode == 0
    assert told in done.stderr.decode()
    assert bool(told) == ("are not the same" in done.stderr.decode())


def test_words_that_do_not_tell_their_text_are_told_of_source(cli: Cli, tmp_path: Path) -> None:
    for name, text in (("source", "친구를 생각합니다."), ("system", "친구가 생각합니다.")):
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    cli("gec", "annotate", "source", "system", "-o", "ref.m2", "--unit", "word")
    command = ("gec", "score", "source", "ref.m2", "--unit", "word", "--csv")
    told = b"the words of ref.m2 alone do not tell how its source is cut: name the text"
    assert told in cli(*command).stderr
    done = cli(*command, "--source", "source")
    assert told not in done.stderr and b"All edits,0,0,1," in done.stdout


def test_text_of_other_length(files: Path, cli: Cli) -> None:
    (files / "one.txt").write_text("저는 친구를 만나요\n", encoding="utf-8")
    message = cli("gec", "score", "one.txt", "ref.m2", "--metric", "gleu").told(1)
    assert "the text has 1 line and ref.m2 has 2 sentences: line 2" in message


def test_faulty_edits_are_left_out_and_told(files: Path, cli: Cli) -> None:
    text = (files / "ref.m2").read_text(encoding="utf-8")
    (files / "bad.m2").write_text(text.replace("A 2 2", "A 2 7"), encoding="utf-8")
    result = cli("gec", "score", "hyp.m2", "bad.m2", "--json")
    assert result.returncode == 1
    assert "bad.m2:6: E504" in result.stderr.decode()
    assert json.loads(result.stdout)["scores"][0]["fn"] == 1
    result = cli("gec", "score", "hyp.m2", "bad.m2", "--on-error", "stop")
    assert result.returncode == 1 and not result.stdout


def test_systems_against_a_reference_without_sentences(files: Path, cli: Cli) -> None:
    (files / "empty.m2").write_text("", encoding="utf-8")
    words = "empty.m2", "--systems", "hyp.m2", "empty.m2", "hyp.m2", "--metric", "errant"
    done = cli("gec", "score", *words, "--csv")
    assert done.returncode == 1 and b"empty.m2: E801" in done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout.decode()))
    figures = [(row["system"], row["value"]) for row in rows if row["name"] == "All edits"]
    assert figures == [("hyp.m2", "0.0"), ("empty.m2", "1.0"), ("hyp.m2", "0.0")]


# Several systems


@pytest.fixture
def systems(root: Path, tmp_path: Path) -> Path:
    for path in (root / "samples").glob("learner.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    good = (tmp_path / "learner.target.txt").read_text(encoding="utf-8")
    lines = good.replace("정말", "아주").replace("커요", "많아요").splitlines()
    (tmp_path / "a").write_text(good, encoding="utf-8")
    (tmp_path / "b").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "c").write_text(" ".join(lines[:2]) + "\n" + "\n".join(lines[2:]), encoding="utf-8")
    return tmp_path


def test_systems_by_every_metric_and_type(
    systems: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maxmatch, "_DRAWS", 20)
    words = ("gec", "score", "learner.m2", "--systems", "a", "b", "c", "--align")
    done = cli(*words, "--html", "page.html", "--bootstrap", "50")
    rows = {line[:21].strip(): line for line in done.stdout.decode().splitlines()}
    assert done.returncode == 0, done.stderr.decode()
    for name in ("errant: All edits", "errant: MODIFIER", "maxmatch: All edits", "gleu: GLEU"):
        assert " 100.00 [100.00, 100.00]" in rows[name]
    assert rows["errant: All edits"].count("97.22") == 2
    assert "correction:holm|intervals:95%:50|" in done.stdout.decode()
    alone = cli("gec", "score", "b", "learner.m2", "--metric", "gleu", "--json")
    [score] = json.loads(alone.stdout)["scores"]
    assert f"{100 * score['gleu']:.2f}" in rows["gleu: GLEU"]
    page = (systems / "page.html").read_text(encoding="utf-8")
    for name in ("reference 0", "a", "b", "c"):
        # Two sentences of c are one, and two whose border has changed are aligned together.
        assert page.count(f'data-by="{name}"') == 10
    assert page.count('data-state="spurious" tabindex') == 0
    assert page.count('data-state="missed" tabindex') == 0  # a has found them all
    assert page.count('data-state="found" tabindex') == 16 + 16 + 14 + 14
    for layout, text in (
        ("--markdown", "| All edits | f0.5 | 100.00 | 97.22 | 97.22 |"),
        ("--latex", "All edits & f0.5 & 100.00 & 97.22 & 97.22"),
        ("--csv", "b,All edits,f0.5,0.97222222222222"),
    ):
        assert text in cli(*words, "--metric", "errant", layout).stdout.decode()
    found = json.loads(cli(*words, "--json").stdout)
    assert [one["metric"] for one in found] == ["errant", "maxmatch", "gleu"]
    one = cli(*words, "--metric", "maxmatch").stdout.decode()
    assert one.splitlines()[1].split() == ["All", "edits", "f0.5", "100.00", "97.22", "97.22"]


def test_systems_need_a_reference(systems: Path, cli: Cli) -> None:
    assert "score REF --systems" in cli("gec", "score", "--systems", "a", "b").told(2)


# Swap, permutation, concatenation


@pytest.mark.usefixtures("in_data")
@pytest.mark.parametrize("language", ["english", "korean"])
def test_swap_permutation_and_concatenation(language: str) -> None:
    hypothesis, reference = (
        list(read_m2(f"{language}-{side}.m2")) for side in ("hypothesis", "reference")
    )
    # Of several annotators the best by the sentences before counts, so that order matters; and
    # edits without a correction, repeated or overlapping ones count as in the programs.
    sides = [
        [
            one._replace(edits={0: tuple(edit for edit in first if edit.type != "UNK")})
            for one in some
            for first in list(one.edits.values())[:1]
        ]
        for some in (hypothesis, reference)
    ]
    plain = [
        i
        for i, both in enumerate(zip(*sides, strict=True))
        if all(overlapping(one.edits[0]) is None for one in both)
        and all(len({edit[:2] for edit in one.edits[0]}) == len(one.edits[0]) for one in both)
    ]
    sides = [[side[i] for i in plain] for side in sides]
    ours, theirs = sides
    tp, fp, fn = score(ours, theirs).totals
    assert tp and fp and fn
    assert score(theirs, ours).totals == [tp, fn, fp]
    order = random.Random(7).sample(range(len(ours)), len(ours))
    shuffled = [[side[i] for i in order] for side in sides]
    for metric in ("errant", "maxmatch", "gleu"):
        before = score(ours, theirs, metric)
        assert score(shuffled[0], shuffled[1], metric).totals == before.totals
        twice = score(ours + ours, theirs + theirs, metric)
        assert twice.totals == [2 * total for total in before.totals]
        assert twice.scores[0].ratios == pytest.approx(before.scores[0].ratios)
        perfect = score(theirs, theirs, metric).scores[0].ratios
        assert set(perfect.values()) == {1.0}
