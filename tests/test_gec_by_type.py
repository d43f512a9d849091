"""Rows by type of MaxMatch and GLEU beside a computation from their definitions.

Sixty made sentences go through `gec score` as M2. The other side takes the sentences that have an
edit of the type, finds the best edits by a search through all of them (MaxMatch, Dahlmeier and Ng
2012), and counts n-grams (GLEU, Napoles and others 2015 and 2016).
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import compress
from math import exp, log
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest
from test_gec_gleu import naive
from test_gec_maxmatch import slowly

from sejongud.formats.m2 import M2
from sejongud.gec.edits import Corrections, Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from conftest import Cli

    Figures = Callable[[Sequence[bool]], dict[str, float]]

WORDS = ["나는", "너는", "어제", "오늘", "학교에", "집에", "밥을", "책을", "먹었다", "읽었다", "."]
TYPES = ["WS", "SPELL", "R:PART", "M:PUNCT", "U:NOUN"]


class Made(NamedTuple):
    """A sentence, the edits of each annotator, and those of the system."""

    source: list[str]
    annotators: list[list[Edit]]
    system: list[Edit]


def some_edits(rng: Random, source: Sequence[str]) -> list[Edit]:
    """Return edits two words apart at least, each of a word or in front of one."""
    edits = []
    for at in range(rng.randrange(2), len(source), 2):
        if rng.random() < 0.4:
            others = [word for word in WORDS if word != source[at]]
            correction = " ".join(rng.sample(others, rng.choice((0, 1, 1, 2))))
            start = at if correction and rng.random() < 0.3 else at + 1
            edits.append(Edit(at, start, correction, rng.choice(TYPES)))
    return edits


def made(annotators: int) -> list[Made]:
    rng = Random(annotators)
    sentences = []
    for _ in range(60):
        source = rng.choices(WORDS, k=rng.randint(4, 9))
        gold = [some_edits(rng, source) for _ in range(annotators)]
        kept = [edit for edit in rng.choice(gold) if rng.random() < 0.6]
        sentences.append(Made(source, gold, kept or some_edits(rng, source)))
    return sentences


def m2(source: Sequence[str], annotators: Sequence[Sequence[Edit]]) -> str:
    numbered = enumerate(annotators)
    edits = {by: tuple([edit._replace(annotator=by) for edit in own]) for by, own in numbered}
    return M2().sentence(Corrections(tuple(source), edits))


def corrected(source: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    words = list(source)
    for edit in reversed(edits):
        words[edit.start : edit.end] = edit.correction.split()
    return words


def maxmatch(sentences: Sequence[Made]) -> Figures:
    """Return the figures of chosen sentences; annotators are chosen over all of them."""
    sums, best_of_each = [0, 0, 0], []
    for sentence in sentences:
        system = corrected(sentence.source, sentence.system)
        ranked = []
        for gold in sentence.annotators:
            met, _, others = slowly(sentence.source, system, gold, 2)
            counts = [-met, others - met, len(gold)]
            correct, proposed, right = (a + b for a, b in zip(sums, counts, strict=True))
            size = proposed + Fraction(1, 4) * right
            f = Fraction(5, 4) * correct / size if size else Fraction(1)
            ranked.append(((f, correct, -size), counts))
        best = max(ranked, key=lambda one: one[0])[1]
        best_of_each.append(best)
        sums = [a + b for a, b in zip(sums, best, strict=True)]

    def figures(chosen: Sequence[bool]) -> dict[str, float]:
        own = compress(best_of_each, chosen)
        correct, proposed, right = (sum(column) for column in zip(*own, strict=True))
        p = correct / proposed if proposed else 1.0
        r = correct / right if right else 1.0
        f = 1.25 * p * r / (0.25 * p + r) if p or r else 0.0
        counts = {"correct": correct, "proposed": proposed, "gold": right}
        return {**counts, "precision": p, "recall": r, "f0.5": f}

    return figures


def gleu(sentences: Sequence[Made]) -> Figures:
    """Return the mean of draws, one reference a sentence; rows by type are of fewer draws."""
    last = len(sentences[0].annotators) - 1
    of_references = []
    for sentence in sentences:
        system, *golds = (
            corrected(sentence.source, edits) for edits in [sentence.system, *sentence.annotators]
        )
        sides = [map(" ".join, (sentence.source, system, gold)) for gold in golds]
        of_references.append([naive(*texts) for texts in sides])

    def figures(chosen: Sequence[bool]) -> dict[str, float]:
        drawn = []
        for draw in range(1 if not last else 500 if all(chosen) else 20):
            rng = Random(101 * draw)
            own = [counts[rng.randint(0, last) if last else 0] for counts in of_references]
            sums = [sum(column) for column in zip(*compress(own, chosen), strict=True)]
            system, reference, *kept = sums
            shares = [log(kept[at] / kept[at + 1]) / 4 for at in range(0, 8, 2)]
            drawn.append(exp(min(0, 1 - reference / system) + sum(shares)) if all(sums) else 0.0)
        return {"gleu": sum(drawn) / len(drawn)}

    return figures


@pytest.mark.parametrize("annotators", [1, 2])
@pytest.mark.parametrize("metric", ["maxmatch", "gleu"])
def test_rows_by_type_are_those_of_the_definition(
    cli: Cli, tmp_path: Path, metric: str, annotators: int
) -> None:
    sentences = made(annotators)
    reference = "".join([m2(one.source, one.annotators) for one in sentences])
    hypothesis = "".join([m2(one.source, [one.system]) for one in sentences])
    (tmp_path / "ref.m2").write_text(reference, encoding="utf-8")
    (tmp_path / "hyp.m2").write_text(hypothesis, encoding="utf-8")
    words = ("gec", "score", "hyp.m2", "ref.m2", "--metric", metric, "--by", "type", "--json")
    rows = json.loads(cli(*words).text())["scores"]
    assert [row["name"] for row in rows[1:]] == sorted(TYPES)
    figures = (maxmatch if metric == "maxmatch" else gleu)(sentences)
    for row in rows:
        chosen = [
            row is rows[0] or any(e.type == row["name"] for gold in one.annotators for e in gold)
            for one in sentences
        ]
        assert row is rows[0] or 0 < sum(chosen) < 60
        expected = figures(chosen)
        found = {name: row[name] for name in expected}
        assert found == pytest.approx(expected, abs=1e-12), row["name"]
