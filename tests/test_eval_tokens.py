from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import pytest

from sejongud.evaluation.pos import TokensMetric, Units, read_text
from sejongud.layers.subsequence import STRICT, Likeness, load_likeness

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.evaluation.base import Evaluation
    from sejongud.evaluation.side import Annotation

ENGLISH = load_likeness(["en"])


def cut(*lines: str) -> Annotation[Units]:
    return read_text(lines, "file")


def evaluate(
    gold: Annotation[Units], system: Annotation[Units], likeness: Likeness = STRICT
) -> Evaluation:
    [found] = TokensMetric().measure(gold, system, likeness=likeness)
    return found


def counts(evaluation: Evaluation) -> list[tuple[float, ...]]:
    return [tuple(score.counts.values()) for score in evaluation.scores]


def test_hebrew() -> None:
    found = evaluate(cut("B H CL FL HM H NEIM"), cut("B CL FL HM HNEIM"))
    tokens = found.scores[1]
    assert tokens.ratios["precision"] == 4 / 5
    assert tokens.ratios["recall"] == 4 / 7
    # That H NEIM and HNEIM are cut differently is no difference of the texts.
    assert found.differences == ["file:1 'H CL' – file:1 'CL'"]


def test_contractions() -> None:
    gold, system = cut("This ca n't be right"), cut("this can not be right")
    # The sentence has both its borders right, whatever its words are.
    assert counts(evaluate(gold, system)) == [(1, 0, 0), (3, 2, 2)]
    found = evaluate(gold, system, likeness=ENGLISH)
    assert counts(found) == [(1, 0, 0), (5, 0, 0)]
    assert "|align:jp|similarity:edit|exceptions:en|" in found.signature()


def test_a_partly_matched_sentence_is_none() -> None:
    # jp-preprocessing, Fig. 1 and 2: the begin of a sentence alone is no true positive.
    gold = cut("Click here To view it .", "He makes some good observations .")
    system = cut("Click here", "To view it .", "He makes some good observations .")
    assert counts(evaluate(gold, system)) == [(1, 2, 1), (12, 0, 0)]


def test_tokens_cut_in_another_place() -> None:
    # jp-preprocessing, Fig. 5.4: one text, one pair of tokens cut differently.
    gold, system = cut("When No. 1 Is n't the Best"), cut("When No. 1 Isn 't the Best")
    assert counts(evaluate(gold, system)) == [(1, 0, 0), (5, 2, 2)]


def test_what_is_only_on_one_side_is_listed_with_its_place() -> None:
    gold = cut("비가 왔다 .", "", "우산을 폈다 .", "집에 갔다 .")
    system = cut("비가 왔다 .", "집에 갔다 .", "끝")
    found = evaluate(gold, system)
    assert counts(found) == [(2, 1, 1), (6, 1, 3)]
    assert found.differences == [
        "file:3 only in gold: '우산을 폈다 .'",
        "file:3 only in the system: '끝'",
    ]


def test_the_same_text_in_another_normalisation() -> None:
    line = "한국의 각 도시에 갔다 ."
    found = evaluate(cut(line), cut(unicodedata.normalize("NFD", line)))
    assert counts(found) == [(1, 0, 0), (5, 0, 0)]
    assert len(found.differences) == 1


CONLLU = """\
# text = 나도 갔다.
1-2\t나도\t_\t_\t_\t_\t_\t_\t_\t_
1\t나\t나\tPRON\tNP\t_\t3\tnsubj\t_\t_
2\t도\t도\tADP\tJX\t_\t1\tcase\t_\t_
3\t갔다\t가+었+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_

"""


@pytest.mark.parametrize(
    ("unit", "name", "total"),
    [("token", "Tokens", 3), ("word", "Words", 4), ("morpheme", "Morphemes", 6)],
)
def test_units_of_conllu(cli: Cli, tmp_path: Path, unit: str, name: str, total: int) -> None:
    (tmp_path / "a.conllu").write_text(CONLLU, encoding="utf-8")
    text = cli("eval", "tokens", "--json", "--unit", unit, "a.conllu", "a.conllu").text()
    score = json.loads(text)["scores"][1]
    assert (score["name"], score["tp"], score["fp"], score["fn"]) == (name, total, 0, 0)


def test_text_against_conllu(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(CONLLU, encoding="utf-8")
    result = cli("eval", "tokens", "--json", "a.conllu", "-", stdin="나도 갔다.\n".encode())
    tokens = json.loads(result.stdout)["scores"][1]
    assert (tokens["tp"], tokens["fp"], tokens["fn"]) == (1, 1, 2)


def test_bad_input_is_said_with_its_place_and_the_rest_scored(cli: Cli, tmp_path: Path) -> None:
    broken = CONLLU + "1\t하나\n2\t둘\n\n" + CONLLU
    (tmp_path / "good.conllu").write_text(CONLLU * 2, encoding="utf-8")
    (tmp_path / "bad.conllu").write_text(broken, encoding="utf-8")
    (tmp_path / "empty.conllu").write_text("\n", encoding="utf-8")
    result = cli("eval", "tokens", "--json", "good.conllu", "bad.conllu")
    assert result.returncode == 1
    assert "bad.conllu:8: E201 " in result.stderr.decode()
    assert json.loads(result.stdout)["scores"][0]["tp"] == 2
    result = cli("eval", "tokens", "--json", "good.conllu", "empty.conllu")
    assert result.returncode == 1
    assert "empty.conllu: E801 there is no sentence" in result.stderr.decode()
    assert json.loads(result.stdout)["scores"][0]["fn"] == 2
    message = cli("eval", "tokens", "good.conllu", "bad.conllu", "--on-error", "stop").told_only(1)
    assert "Traceback" not in message


def test_plain_text_has_no_words(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("나도 갔다 .\n", encoding="utf-8")
    for unit in ("word", "morpheme"):
        message = cli("eval", "tokens", "--unit", unit, "a.txt", "a.txt").told(2)
        assert "a.txt is plain text" in message


def test_sejong_text_is_no_text_of_tokens(cli: Cli, tmp_path: Path) -> None:
    text = "나도\t나/NP+도/JX\n갔다\t가/VV+았/EP+다/EF\n"
    for name, rows in (("espresso", "나도\tBOS\t나/NP+도/JX\n"), ("sejong", text)):
        (tmp_path / "a.txt").write_text(rows, encoding="utf-8")
        for unit in ("token", "word"):
            message = cli("eval", "tokens", "--unit", unit, "a.txt", "a.txt").told(2)
            assert f"a.txt looks like {name}, of which" in message
    (tmp_path / "b.txt").write_text("1\t한강의\tLOC_B\n2\t물\t-\n", encoding="utf-8")
    result = cli("eval", "tokens", "b.txt", "a.txt")
    assert b"b.txt looks like naver, which is not measured here" in result.stderr
    result = cli("eval", "tokens", "--json", "--from", "text", "a.txt", "a.txt")
    assert [score["tp"] for score in json.loads(result.stdout)["scores"]] == [2, 4]
    result = cli("eval", "tokens", "--json", "--unit", "morpheme", "a.txt", "a.txt")
    assert [score["tp"] for score in json.loads(result.stdout)["scores"]] == [1, 5]


def test_english_has_the_quotes_too() -> None:
    gold, system = cut("`` Yes '' , he ca n't ."), cut('" Yes " , he can not .')
    found = evaluate(gold, system, likeness=load_likeness(["en"]))
    assert counts(found) == [(1, 0, 0), (8, 0, 0)]
    assert "|exceptions:en|" in found.signature()


def test_every_difference_names_its_own_line() -> None:
    gold = cut("비가 왔다 그리고", "우산을 폈다 .", "집에 갔다 .")
    system = cut("비가 온다 그리고 우산을 편다 .", "집에 간다 .")
    found = evaluate(gold, system)
    assert found.differences == [
        "file:1 '왔다' – file:1 '온다'",
        "file:2 '폈다' – file:1 '편다'",
        "file:3 '갔다' – file:2 '간다'",
    ]
