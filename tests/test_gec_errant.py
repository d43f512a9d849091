"""The spans of ERRANT (Bryant et al. 2017), as recorded, and live where it is installed."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING

import errant_pairs
import pytest

from sejongud.errors import MissingExtraError, UsageError
from sejongud.gec.annotator import Annotator
from sejongud.gec.edits import AnalysedToken, Pair

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


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


# The commands of its README. errant-en/ has its inputs and what ERRANT 3.0.2 wrote, with
# en_core_web_sm 3.8.0; errant_compare is recorded in errant.txt, for test_gec_score.

COMMANDS = {
    "out.m2": "parallel -orig orig -cor cor1 cor2 -out OUT",
    "auto.m2": "m2 -auto in.m2 -out OUT",
    "gold.m2": "m2 -gold in.m2 -out OUT",
}


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    for path in (root / "tests" / "data" / "gec" / "errant-en").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_english_is_the_installed_program(name: str, folder: Path, cli: Cli) -> None:
    errant = pytest.importorskip("errant")
    try:
        errant.load("en")
    except OSError:
        pytest.skip("the model of spaCy is not installed")
    text = cli("gec", *COMMANDS[name].replace("OUT", "made.m2").split()).text()
    assert text.startswith("Loading resources...\nProcessing ")
    assert (folder / "made.m2").read_bytes() == (folder / name).read_bytes()


def test_english_without_the_program(cli: Cli, folder: Path) -> None:
    if find_spec("errant") is not None:
        pytest.skip("errant is installed")
    done = cli("gec", *COMMANDS["out.m2"].replace("OUT", "made.m2").split())
    assert done.returncode != 0
    assert b"errant" in done.stderr
    assert not (folder / "made.m2").exists()


def test_korean(cli: Cli, tmp_path: Path) -> None:
    texts = {
        "s": "나는 학교에 갓다.\n\n밥을 먹었다.\n",
        "t": "나는 학교에 갔다.\n음\n밥을 먹었다.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    line = "A {}|||{}|||{}|||REQUIRED|||-NONE-|||{}\n".format
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}\n".format
    done = cli("gec", *["parallel", "-orig", "s", "-cor", "t", "s", "-out", "a.m2", "-lang", "ko"])
    assert done.stdout.decode() == "Loading resources...\nProcessing parallel files...\n"
    assert b"s:2: W502" in done.stderr
    assert (tmp_path / "a.m2").read_text(encoding="utf-8") == (
        "S 나는 학교에 갓다.\n" + line("2 3", "SPELL", "갔다.", 0) + noop(1) + "\n"
        "S 밥을 먹었다.\n" + noop(0) + noop(1) + "\n"
    )
    cli("gec", *["parallel", "-orig", "s", "-cor", "t", "-out", "b.m2", "-tok", "-lang", "ko"])
    assert line("2 3", "SPELL", "갔다", 0) in (tmp_path / "b.m2").read_text(encoding="utf-8")
    given = (
        "S 나는 학교에 갓다\n"
        + line("1 2", "UNK", "", 0)
        + line("0 3", "X", "나는 학교에 갔다", 0)
        + "\n"
    )
    (tmp_path / "in.m2").write_text(given, encoding="utf-8")
    kept = "S 나는 학교에 갓다\n" + line("1 2", "UNK", "", 0)
    for options, expected in (
        ("-auto", kept + line("2 3", "SPELL", "갔다", 0)),
        ("-gold", kept + line("2 3", "SPELL", "갔다", 0)),
        ("-gold -old_cats", kept + line("2 3", "X", "갔다", 0)),
        (
            "-gold -old_cats -no_min",
            "S 나는 학교에 갓다\n"
            + line("0 3", "X", "나는 학교에 갔다", 0)
            + line("1 2", "UNK", "", 0),
        ),
    ):
        done = cli(
            "gec", "m2", *options.split(), *["in.m2", "-out", "c.m2", "-lang", "ko", "--force"]
        )
        assert done.returncode == 0, done.stderr.decode()
        assert (tmp_path / "c.m2").read_text(encoding="utf-8") == expected + "\n"


def test_arguments_that_are_missing(cli: Cli, folder: Path) -> None:
    for words, message in (
        ("parallel -orig orig -out x", "-cor is required"),
        ("m2 in.m2 -out x", "-auto -gold is required"),
        ("compare -hyp in.m2", "-ref is required"),
        ("score -filt A B in.m2 in.m2", "score HYP REF -filt TYPE TYPE"),
    ):
        assert message in cli("gec", *words.split()).told(2)
