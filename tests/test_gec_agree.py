"""Acceptance and agreement of annotators, beside krippendorff, statsmodels and their tables."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from sejongud.gec.edits import Corrections, Edit
from sejongud.gec.judges import Judgements

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

JUDGES = 3
TYPES = ("WS", "SPELL", "PARTICLE")


def drawn(seed: int, *, missing: float = 0.0) -> list[Corrections]:
    """Sentences with the edits of a system, 0, of which three annotators keep some."""
    random = Random(seed)
    found = []
    for _ in range(random.randrange(30, 60)):
        edits = tuple(
            [Edit(at, at + 1, f"나{at}", random.choice(TYPES)) for at in range(random.randrange(3))]
        )
        hard = random.random()
        of_judges = {
            who: tuple([edit for edit in edits if random.random() < 0.9 - hard / 2])
            for who in range(1, JUDGES + 1)
            if random.random() >= missing
        }
        found.append(Corrections(("너",) * 4, {0: edits, **of_judges}))
    return found


def judged(sentences: list[Corrections]) -> list[list[int | None]]:
    """The judgements of each edit of the system: 1 if accepted, None if not seen."""
    return [
        [int(edit in one.edits[who]) if who in one.edits else None for who in range(1, JUDGES + 1)]
        for one in sentences
        for edit in one.edits[0]
    ]


def figures(sentences: list[Corrections]) -> dict[str, Any]:
    judgements = Judgements(proposals=0)
    for one in sentences:
        judgements.add(one)
    return judgements.to_dict()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_agreement_is_that_of_other_programs(seed: int, missing: float) -> None:
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    krippendorff = pytest.importorskip("krippendorff")
    sentences = drawn(seed, missing=missing)
    agreement = figures(sentences)["agreement"]
    rows = judged(sentences)
    whole = [row for row in rows if None not in row]
    counts = [[row.count(0), row.count(1)] for row in whole]
    assert agreement["fleiss"] == pytest.approx(raters.fleiss_kappa(counts), abs=1e-12)
    data = [
        [float("nan") if value is None else value for value in row]
        for row in zip(*rows, strict=True)
    ]
    alpha = krippendorff.alpha(data, level_of_measurement="nominal")
    assert agreement["alpha"] == pytest.approx(alpha, abs=1e-12)
    kappas = []
    for a, b in combinations(range(JUDGES), 2):
        both = [(row[a], row[b]) for row in rows if row[a] is not None and row[b] is not None]
        square = [[both.count((i, j)) for j in (0, 1)] for i in (0, 1)]
        kappas.append(raters.cohens_kappa(square, return_results=False))
        assert agreement[f"cohen {a + 1}-{b + 1}"] == pytest.approx(kappas[-1], abs=1e-12)
    assert agreement["cohen"] == pytest.approx(sum(kappas) / len(kappas), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_intervals_are_those_of_statsmodels(seed: int) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    found = figures(drawn(seed))
    assert set(found["types"]) == set(TYPES)
    for rate in [*found["accepted"].values(), *found["types"].values()]:
        low, high = proportion.proportion_confint(rate["count"], rate["of"], method="wilson")
        assert (rate["low"], rate["high"]) == pytest.approx((low, high), abs=1e-9)
        assert rate["rate"] == rate["count"] / rate["of"]


M2 = """\
S 나는 학교 에 갓다
A 1 3|||WS|||학교에|||REQUIRED|||-NONE-|||0
A 3 4|||SPELL|||갔다|||REQUIRED|||-NONE-|||0
A 1 3|||WS|||학교에|||REQUIRED|||-NONE-|||1
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2

S 봄 이 온다
A 0 2|||WS|||봄이|||REQUIRED|||-NONE-|||0
A 0 2|||WS|||봄이|||REQUIRED|||-NONE-|||1
A 0 2|||WS|||봄이|||REQUIRED|||-NONE-|||2
"""


def test_a_file_with_three_annotators(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.m2"
    path.write_text(M2, encoding="utf-8")
    found = json.loads(cli("gec", "agree", path, "--json").stdout)
    accepted = {key: (rate["count"], rate["of"]) for key, rate in found["accepted"].items()}
    assert accepted == {
        "all": (6, 9),
        "annotator 0": (3, 3),
        "annotator 1": (2, 3),
        "annotator 2": (1, 3),
    }
    assert {key: rate["of"] for key, rate in found["types"].items()} == {"WS": 6, "SPELL": 3}
    of_system = json.loads(cli("gec", "agree", path, "--json", "--proposals", "0").stdout)
    assert (of_system["judges"], of_system["accepted"]["all"]["count"]) == (2, 3)
    # Judges 1 and 2: yes yes no against no yes no: 2 of 3 alike, 4/9 by chance.
    assert of_system["agreement"]["cohen 1-2"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    text = cli("gec", "agree", path).stdout.decode()
    assert "annotator 1         2       3   66.67%   [20.77%, 93.85%]" in text
    rows = cli("gec", "agree", path, "--csv").stdout.decode().splitlines()
    assert "accepted.count,annotator 1,2" in rows


def test_a_single_annotator_agrees_with_nobody(cli: Cli, root: Path) -> None:
    found = json.loads(cli("gec", "agree", root / "samples" / "learner.m2", "--json").stdout)
    assert found["agreement"] == {"fleiss": None, "alpha": None, "cohen": None}
