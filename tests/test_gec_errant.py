"""The spans of ERRANT (Bryant et al. 2017), as recorded, and live where it is installed."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import TYPE_CHECKING

import errant_pairs
import pytest

from sejongud.errors import MissingExtraError, UsageError
from sejongud.gec.annotator import Annotator
from sejongud.gec.edits import AnalysedToken, Pair

if TYPE_CHECKING:
    from pathlib import Path


def spans(
    source: list[AnalysedToken], target: list[AnalysedToken], how: str, lev: bool
) -> list[list[int | None]]:
    annotator = Annotator(scheme="errant", merge=how, lev=lev)
    edits = annotator.edits(source, target)
    return [[edit.start, edit.end, edit.c_start, edit.c_end] for edit in edits]


def test_recorded_spans(root: Path) -> None:
    cases = (
        (root / "tests" / "data" / "gec" / "errant-3.0.2.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    for line in cases:
        case = json.loads(line)
        source, target = ([AnalysedToken(*t) for t in case[side]] for side in ("source", "target"))
        for how, expected in case["spans"].items():
            assert spans(source, target, how, case["lev"]) == expected, line
    assert len(cases) == 120


@pytest.mark.parametrize("lev", [False, True])
def test_spans_of_the_installed_program(lev: bool) -> None:
    errant, spacy = (pytest.importorskip(name) for name in ("errant", "spacy"))
    program = errant_pairs.errant_spans(errant, spacy)
    for source, target in errant_pairs.pairs(Random(5), 300, (1, 20), (1, 8)):
        for how, expected in program(source, target, lev).items():
            assert spans(source, target, how, lev) == expected


def test_without_errant_its_scheme_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "errant", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sejongud\[errant\]'"):
        Annotator(scheme="errant-en")
    with pytest.raises(UsageError, match="ERRANT has no merging alike"):
        Annotator(scheme="errant-en", merge="alike")


def test_errant_types_english_itself() -> None:
    errant = pytest.importorskip("errant")
    try:
        program = errant.load("en")
    except OSError:
        pytest.skip("spaCy's model of English is not installed")
    texts = ("I likes it .", "I liked the it !")
    theirs = program.annotate(*map(program.parse, texts))
    expected = [(e.o_start, e.o_end, e.type, e.c_str) for e in theirs]
    annotator = Annotator(scheme="errant-en")
    [found] = annotator.annotated([Pair(texts[0], texts[1:])])
    assert [(e.start, e.end, e.type, e.correction) for e in found.edits[0]] == expected
    assert "R:VERB:TENSE" in [e.type for e in found.edits[0]]
    untyped = found._replace(edits={0: tuple(e._replace(type="X") for e in found.edits[0])})
    assert list(annotator.retyped([untyped])) == [found]
