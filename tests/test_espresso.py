"""Tagged text with BOS and EOS, read and written."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Report
from sejongud.evaluation.inputs import TextSource
from sejongud.formats import sniff
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    from conftest import Cli

    from sejongud.errors import OnError

FIRST = "달걀\tBOS\t달걀/NNG\n하고\t\t하고/JKB\n샀다.\tEOS\t사/VV+았/EP+다/EF+./SF\n"
ONE = '"1+1"\tBOS\t"/SS+1/SN++/SW+1/SN+"/SS\n'


def through(text: str, *names: str, on_error: OnError = "stop") -> tuple[str, list[str]]:
    """The text after conversions from format to format, and the incidents of the first."""
    told: list[str] = []
    report = Report(lambda one: told.append(f"{one.line} {one.code}"))
    for name, to in pairwise(names):
        out = io.StringIO()
        convert_stream(Conversion(name, to, on_error=on_error), TextSource(text, "x"), out, report)
        text, report = out.getvalue(), Report()
    return text, told


@pytest.mark.parametrize(
    ("text", "sentences", "told"),
    [
        (FIRST, 1, []),
        (FIRST + ONE + FIRST, 3, []),
        (FIRST + ONE.replace("BOS", "EOS") + ONE, 3, []),
        (ONE.replace("BOS", "BOS/EOS") + FIRST + ONE.replace("BOS", "BOSEOS"), 3, []),
        (FIRST.replace("EOS", "") + FIRST, 2, ["1 W131"]),
        (FIRST.replace("BOS", "") + ONE, 2, ["1 W131"]),
        (ONE + FIRST.replace("\tEOS", "\tEND"), 2, ["2 W131"]),
        ("#\tBOS\t#/SW\n＃1\tEOS\t＃/SW+1/SN\n", 1, []),
    ],
)
def test_it_comes_back(text: str, sentences: int, told: list[str]) -> None:
    found = sniff(text)
    assert found is not None
    assert found.name == "espresso"
    assert through(text, "espresso", "conllu", "espresso") == (text, told)
    assert through(text, "espresso", "sejong", "espresso") == (text, told)
    assert through(text, "espresso", "sejong")[0].count("\n\n") == sentences


def test_no_word_is_invented(cli: Cli) -> None:
    done = cli("convert", "-", "-", "--on-error", "keep", stdin=(FIRST + ONE).encode())
    assert (done.returncode, done.stdout.count(b"BOS")) == (0, 0)
    assert "# text = 달걀 하고 샀다.\n" in done.stdout.decode()


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("책\t책/NNG", "E101"),
        ("책\t\t\t책/NNG", "E101"),
        ("책\t\t책", "E103"),
        ("\t\t책/NNG", "E102"),
    ],
)
def test_a_fault_has_its_line(row: str, code: str) -> None:
    text = f"{ONE}{FIRST.replace('하고', row + chr(10) + '하고', 1)}"
    with pytest.raises(FormatError) as caught:
        through(text, "espresso", "sejong")
    assert (caught.value.code, caught.value.line) == (code, 3)
    left, told = through(text, "espresso", "espresso", on_error="skip")
    assert (left, told) == (ONE, [f"3 {code}"])


def test_what_is_not_written_is_told() -> None:
    _, told = through("# sent_id = a-1\n# mine\n봄\t봄/NNG\n\n", "sejong", "espresso")
    assert told == ["1 W301"]
