"""Constituents over words that only one side has, or that are spelt otherwise."""

from __future__ import annotations

import random
import re
import time

import pytest

from sejongud.evaluation.evalb import load_parameters
from sejongud.evaluation.parse import ParseMetric, read_trees

LABELS = ("NP", "VP", "PP", "S", "ADJP")


def score(gold: str, system: str) -> dict[str, float]:
    """Precision, recall and F1 of constituents in percent, and how many cross."""
    sides = [read_trees(text.split("\n")) for text in (gold, system)]
    [found] = ParseMetric().measure(*sides)
    constituents, _, sentences = found.scores
    return {
        **{name: round(100 * ratio, 2) for name, ratio in constituents.ratios.items()},
        "crossing": sentences.counts["crossing"],
    }


def phrase(rng: random.Random, leaves: list[str]) -> str:
    """A tree over some leaves, with commas and quotes between its parts."""
    if len(leaves) < 3:
        return f"({rng.choice(LABELS)} {' '.join(leaves)})"
    at = rng.randrange(1, len(leaves))
    left, right = phrase(rng, leaves[:at]), phrase(rng, leaves[at:])
    inside = f"{left} {rng.choice(['', '', '(, ,)'])} {right}"
    if rng.random() < 0.1:
        inside = f"(`` ``) {inside} ('' '')"
    return f"({rng.choice(LABELS)} {inside})"


def trees(seed: int, size: int = 60) -> str:
    rng = random.Random(seed)
    rows = []
    for _ in range(size):
        leaves = [f"(N w{int(300 ** rng.random())})" for _ in range(rng.randint(4, 25))]
        rows.append(f"(S {phrase(rng, leaves)} (. .))")
    return "\n".join(rows)


RUNS = "(S (NP (N John)) (VP (V runs)))"
PERFECT = {"precision": 100, "recall": 100, "f1": 100, "crossing": 0}


@pytest.mark.parametrize(
    ("gold", "system", "wanted"),
    [
        # A comma that only gold has, beside a constituent and within one.
        ("(S (NP (N John)) (, ,) (VP (V runs)))", RUNS, PERFECT),
        ("(S (NP (N John) (, ,)) (VP (V runs)))", RUNS, PERFECT),
        # A constituent of words that only one side has.
        ("(S (NP (N John)) (PRN (, ,) (, ,)) (VP (V runs)))", RUNS,
         PERFECT | {"recall": 75, "f1": 85.71}),
        # A group of words of which some are common.
        ("(S (NP (D the) (N dogs)) (VP (V have) (VP (V barked) (ADVP (R loudly)))))",
         "(S (NP (D da) (N dogs)) (VP (V ve) (VP (V barkt) (ADVP (R loudli)))))", PERFECT),
    ],
)  # fmt: skip
def test_words_and_constituents_of_one_side(
    gold: str, system: str, wanted: dict[str, float]
) -> None:
    assert score(gold, system) == wanted


@pytest.mark.parametrize("seed", range(3))
def test_trees_without_punctuation(seed: int) -> None:
    gold = trees(seed)
    commas = gold.replace("(, ,)", "")
    assert score(gold, commas) == score(commas, gold) == PERFECT
    marks = re.sub(r"\((,|``|''|\.) [^\s()]+\)", "", gold)
    assert score(gold, marks) == PERFECT


@pytest.mark.parametrize("seed", range(3))
def test_words_spelt_otherwise(seed: int) -> None:
    gold = trees(seed)
    rng = random.Random(seed)
    words = re.split(r"(w\d+)", gold)
    words = [one + "x" if one[:1] == "w" and rng.random() < 0.1 else one for one in words]
    assert score(gold, "".join(words))["f1"] > 99


def test_one_long_tree_does_not_take_long() -> None:
    rng = random.Random(1)
    leaves = [f"(N w{n})" for n in range(6000)]
    one, other = (f"(S {phrase(rng, leaves)})" for _ in range(2))
    began = time.process_time()
    score(one, other)
    assert time.process_time() - began < 5


def test_the_length_is_that_of_words_whose_tags_count_in_it() -> None:
    # -NONE- does not count in the length of a sentence, punctuation does (rules/evalb.toml).
    metric = ParseMetric(load_parameters("COLLINS"), "COLLINS")
    text = "(S (NP (N a) (-NONE- *)) (, ,) (VP (V b)) (. .))"
    [found] = metric.measure(read_trees([text]), read_trees([text]))
    assert found.totals[6] == 4
