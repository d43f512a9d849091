"""The agreement of two files on entities."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.evaluation.entities import Tagged
from sejongud.evaluation.ner import Agreement
from sejongud.evaluation.side import collect

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.evaluation.scores import Score

A = "김하늘 씨가 부산에서 3명\tPER-B O LOC-B NUM-B\n강물이 왔다\tO O\n"
B = "김하늘 씨가 부산에서 3명\tPER-B PER-I LOC-B O\n강물이 왔다\tPER-B O\n"


def scores(*sides: list[str], metric: Agreement | None = None) -> dict[str, Score]:
    """Agreement of two sequences of labels of the same words."""
    words = [str(at) for at in range(len(sides[0]))]
    first, second = (collect("-", [(1, words, Tagged(words, side))]) for side in sides)
    [evaluation] = (metric or Agreement()).measure(first, second)
    return {score.name: score for score in evaluation.scores}


def test_agree(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(A, encoding="utf-8")
    (tmp_path / "b.txt").write_text(B, encoding="utf-8")
    done = cli("ner", "agree", "a.txt", "b.txt")
    rows = [line.split() for line in done.stdout.decode().splitlines()]
    assert done.returncode == 0
    # Kappa of all types: 3 of 6 tokens, by chance (1·3 + 1·1 + 1·0 + 3·2) / 36.
    assert rows[1] == ["all", "types", "3", "3", "1", "2", "33.33", "66.67", "30.77"]
    assert rows[2] == ["borders", "alone", "3", "3", "1", "2", "33.33", "66.67", "0.00"]
    assert rows[3] == ["LOC", "1", "1", "1", "1", "100.00", "100.00", "100.00"]
    assert rows[4] == ["NUM", "1", "0", "0", "0", "0.00", "0.00", "0.00"]
    assert rows[5] == ["PER", "1", "2", "0", "1", "0.00", "66.67", "33.33"]
    found = json.loads(cli("ner", "agree", "a.txt", "b.txt", "--json", "--sentences").stdout)
    assert (found["metric"], len(found["sentences"])) == ("agreement", 2)


def test_the_same_borders_with_other_types() -> None:
    found = scores(["B-A", "I-A", "O", "B-B"], ["B-B", "I-B", "O", "B-B"])
    assert found["borders alone"].ratios == {"exact": 1.0, "partial": 1.0, "kappa": 1.0}
    assert found["all types"].counts == {"A": 2, "B": 2, "same": 1, "overlap": 1}
    assert found["all types"].ratios["kappa"] == pytest.approx((2 / 4 - 4 / 16) / (1 - 4 / 16))


def test_an_entity_takes_the_first_that_it_overlaps() -> None:
    """So the pairs of overlapping entities are as many as can be, and the same both ways."""
    one = ["B-A", *["I-A"] * 9, "B-A", "I-A"]
    other = ["B-A", "I-A", "I-A", "B-A", *["I-A"] * 7, "O"]
    for sides in ((one, other), (other, one)):
        assert scores(*sides)["A"].counts["overlap"] == 2


def test_units_that_differ(cli: Cli, tmp_path: Path) -> None:
    """A corpus of eojeols and one of its morphemes agree where their words are the same."""
    (tmp_path / "a.txt").write_text("강물 왔다\tLOC-B O\n", encoding="utf-8")
    columns = "1\t강물\t_\t_\t_\t_\t_\t_\t_\tNE=B-LOC\n2-3\t왔다" + "\t_" * 8 + "\n"
    columns += "2\t오\t_\t_\t_\t_\t_\t_\t_\t_\n3\t았다\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    (tmp_path / "b.conllu").write_text(columns, encoding="utf-8")
    done = cli("ner", "agree", "a.txt", "b.conllu")
    assert "LOC            1  1     1        1  100.00   100.00  100.00" in done.stdout.decode()


KLUE = "## 1\t<여긴:LC> <봄밤:DT>에 간 <신:PS><김:PS>이다\n" + "".join(
    f"{one}\t{label}\n"
    for one, label in zip(
        "여긴 봄밤에 간 신김이다",
        ["B-LC", "I-LC", "O", "B-DT", "I-DT", "O", "O", "O", "O", "B-PS", "B-PS", "O", "O"],
        strict=True,
    )
)
"""Two entities share an eojeol, and one ends inside a syllable: 여긴 is 여기 and ㄴ."""
MORPHEMES = "여긴\t여기/NP+ㄴ/JX\n봄밤에\t봄밤/NNG+에/JKB\n간\t가/VV+ㄴ/ETM\n"
MORPHEMES += "신김이다\t신/NNP+김/NNP+이/VCP+다/EF\n\n"


@pytest.mark.parametrize("level", range(1, 6))
def test_a_corpus_agrees_with_what_is_made_of_it(cli: Cli, tmp_path: Path, level: int) -> None:
    (tmp_path / "a.tsv").write_text(KLUE + "\n", encoding="utf-8")
    (tmp_path / "m.txt").write_text(MORPHEMES, encoding="utf-8")
    given = ("a.tsv", "--morphemes", "m.txt")
    cli("ner", "syl2morph", *given, "b.conllu", "--level", str(level), "--on-error", "keep")
    cli("ner", "syl2morph", *given, "c.conllu", "--on-error", "keep")
    cli("ner", "convert", *given, "naver.txt", "--to", "naver", "--on-error", "keep")
    for first in ("a.tsv", "c.conllu"):
        done = cli("ner", "agree", first, "b.conllu")
        assert "\nall types      4  4     4" in done.stdout.decode(), done.stdout.decode()
        assert done.stdout.decode().count(" 100.00   100.00  100.00\n") == 5
    done = cli("ner", "agree", "naver.txt", "b.conllu")
    assert "\nall types      3  3     3" in done.stdout.decode()
    assert "b.conllu: 1 entity shares all its tokens with another" in done.stderr.decode()
    # What a system has right does not depend on the level either.
    for unit, entities in {"character": 4, "eojeol": 3}.items():
        done = cli("eval", "ner", "--json", "--unit", unit, "a.tsv", "b.conllu")
        found = {score["name"]: score for score in json.loads(done.stdout)["scores"]}
        assert found["Entities"]["tp"] == entities
        assert found["Entities"]["fp"] == found["Entities"]["fn"] == 0
        assert found["Tokens"]["accuracy"] == 1


def test_a_file_without_the_unit_has_its_own_tokens(cli: Cli, tmp_path: Path) -> None:
    """Columns have tokens of any kind, here characters."""
    (tmp_path / "a.tsv").write_text("서 B-LC\n울 I-LC\n에 O\n", encoding="utf-8")
    rows = "1-2\t서울에\t_\t_\t_\t_\t_\t_\t_\t_\n1\t서울\t서울\tPROPN\tNNP\t_\t_\t_\t_\tNE=B-LC\n"
    rows += "2\t에\t에\tADP\tJKB\t_\t_\t_\t_\t_\n\n"
    (tmp_path / "b.conllu").write_text(rows, encoding="utf-8")
    done = cli("eval", "ner", "--json", "--unit", "character", "a.tsv", "b.conllu")
    found = json.loads(done.stdout)
    assert (found["scores"][0]["tp"], found["scores"][0]["fn"]) == (3, 0)
    assert "unit:character" in found["signature"]


def test_entities_that_are_not_compared_are_counted(cli: Cli, tmp_path: Path) -> None:
    row = '{"id": 1, "text": "서울대에", "label": [[0, 3, "OG"], [0, 2, "LC"]]}\n'
    (tmp_path / "a.jsonl").write_text(row, encoding="utf-8")
    cli("ner", "syl2morph", "a.jsonl", "b.conllu", "--nested")
    said = cli("ner", "agree", "a.jsonl", "b.conllu").stderr.decode()
    for name in ("a.jsonl", "b.conllu"):
        assert f"{name}: 1 entity inside or across others is not compared" in said


def test_a_file_without_entities(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("강물 왔다\tO O\n", encoding="utf-8")
    assert "W805" in cli("ner", "agree", "a.txt", "a.txt", "--from", "naver").told()


LABELS = st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]), min_size=6, max_size=6)


@given(LABELS, LABELS)
def test_agreement_is_the_same_both_ways(one: list[str], other: list[str]) -> None:
    forth, back = scores(one, other), scores(other, one)
    for name, score in forth.items():
        assert score.ratios["exact"] == back[name].ratios["exact"]
        assert score.ratios["kappa"] == pytest.approx(back[name].ratios["kappa"])
        assert score.counts["same"] <= score.counts["overlap"]
    if one == other:
        assert all(score.ratios["kappa"] == 1 for score in forth.values())
