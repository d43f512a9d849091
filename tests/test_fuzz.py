"""Damaged input ends in a message, never in a traceback, a hang or half a file.

`python tests/fuzz.py --help` runs as many cases as one likes; the cases here are the first of them.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from damage import WITH_KIWI
from fuzz import WAYS, failure_of, make, watchdog
from losses import VISIBLE, Piece, missing

from sejongud.arguments import homes
from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Report
from sejongud.files import Source
from sejongud.formats import FORMATS, READERS
from sejongud.formats.conllu import ConlluWriter
from sejongud.levels.cut import Granularity
from sejongud.model import Eojeol, Morpheme
from sejongud.morphology.eojeol import Assembler, write_analysis
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 0
EACH = 2
"""How many cases of each way there are."""


# Processes take long to start: those of `--jobs` are damaged by `python tests/fuzz.py` alone.
@pytest.mark.parametrize(
    "way", [way for way, line in enumerate(WAYS) if "--jobs" not in line], ids=WAYS.__getitem__
)
def test_damaged_input(way: int, tmp_path: Path) -> None:
    for number in range(way, EACH * len(WAYS), len(WAYS)):
        case = make(SEED, number)
        _, failure = failure_of(case, tmp_path)
        assert not failure, f"case {number}: {case.seed.name}: {' '.join(case.words)}: {failure}"


def test_every_command_is_damaged() -> None:
    # `completion` reads nothing, what `spark` reads is read by `convert` as well, and `serve` has
    # tests of its own in test_report_browser.
    others = {"spark", "completion", "serve"}
    assert {way.split()[1] for way in WAYS} == {"library", *homes()} - others


def test_a_sentence_that_no_incident_names_is_missed() -> None:
    given = VISIBLE["sejong"]("나는\t나/NP+는/JX\n\n가다\t가/VV+다/EF\n\n오다\t오/VV+다/EF\n")
    written = VISIBLE["conllu"]("1\t나는\t_\n\n1-2\t오다\t_\n1\t오\t_\n2\t다\t_\n")
    assert missing(given, written, []) == [Piece(3, 3, "가다")]
    assert missing(given, written, [{"line": 3}]) == []


def huge(length: int) -> Iterator[bytes]:
    """Inputs of that many bytes that are one thing too long."""
    yield b"a" * length
    yield b" " * length
    yield b"\0" * length
    yield b"\t" * length
    # Formats with a sentence a line report every line.
    yield "가\t가/NNG\n".encode() * (length // 56)
    yield b"\n" * (length >> 4)


@pytest.mark.parametrize(
    "name", [name for name in READERS if FORMATS[name].reader and name not in WITH_KIWI]
)
def test_huge_input_is_read_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sejongud.files.MAX_LINE", 1 << 18)
    for data in huge(9 << 15):
        path = tmp_path / "in"
        path.write_bytes(data)
        options = {"field": "text"} if name == "records" else {}
        reader = Conversion(name, reader_options=options).make_reader()
        with Source(path) as source, contextlib.suppress(FormatError):
            for _ in reader.read(reader.blocks_of(source), "in", "skip", Report()):
                pass


@pytest.mark.parametrize("level", [2, 5])
@pytest.mark.parametrize("pattern", ["(/SS", "a/SL 1/SN", "들/XSN", "1/SN ./SP"])
def test_an_eojeol_of_many_morphemes_is_cut_in_time(pattern: str, level: int) -> None:
    """The work for each of its tokens and morphemes does not grow with their number."""
    some = [Morpheme(form, tag) for form, _, tag in [p.partition("/") for p in pattern.split()]]
    morphemes = tuple(some * (20_000 // len(some)))
    with watchdog():
        tokens = Granularity(load(), level).tokens(
            Eojeol("".join([m.form for m in morphemes]), morphemes)
        )
    words = [word for token in tokens for word in token.words]
    assert sum(len(word.morphemes) for word in words) == len(morphemes)


def test_an_eojeol_of_many_tokens_is_written_in_time() -> None:
    eojeol = Eojeol("(" * 40_000, (Morpheme("(", "SS"),) * 40_000)
    tokens = tuple(Granularity(load(), 2).tokens(eojeol))
    with watchdog():
        assert ConlluWriter().unit(eojeol.but(tokens=tokens))[1] == len(tokens)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"{'(' * 18_000}\t{'(' * 18_000}/SS", ""),
        (f"{'가' * 18_000}\t{'+'.join(['가/NNG'] * 18_000)}", ""),
        (f"가\t{'(' * 18_000}/SS", "E109"),
        (f"가\t{'/NNG+' * 18_000}", "E109"),
    ],
    ids=["one morpheme", "many morphemes", "other morphemes", "empty morphemes"],
)
def test_an_eojeol_of_any_length_is_read_if_it_is_its_morphemes(line: str, code: str) -> None:
    """The library writes such lines; to align others would take the square of their length."""
    with pytest.raises(FormatError) if code else contextlib.nullcontext() as caught, watchdog():
        eojeol = Assembler(load())[line]
    if caught is None:
        assert f"{eojeol.form}\t{write_analysis(eojeol.morphemes)}" == line
    else:
        assert caught.value.code == code
