"""The driver of conversions: an error of a step or of the writer costs one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Incident, Note, Report
from sejongud.files import Source
from sejongud.formats.sejong import SejongReader, SejongWriter
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import Pipeline, convert_stream
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from sejongud.errors import OnError
    from sejongud.model import Sentence

TEXT = "나는\t나/NP+는/JX\n\n비가\t비/NNG+가/JKS\n\n너는\t너/NP+는/JX\n\n"


class Refusing(SejongWriter):
    """A writer that has no place for the second sentence, and no fast path."""

    has_units = False

    def sentence(self, sentence: Sentence) -> str:
        if sentence.text == "비가":
            raise FormatError("there is no place for 비가", code="E602")
        return super().sentence(sentence)

    def loses(self, sentence: Sentence) -> list[Note]:
        return [Note("W301", f"not written: the rain of {sentence.text}")]


@dataclass(frozen=True)
class Job:
    on_error: OnError
    path: str
    by_step: bool
    needs_order: bool = False

    def make_pipeline(self) -> Pipeline:
        reader = SejongReader(Assembler(load()))
        if not self.by_step:
            return Pipeline(self, reader, [_same], Refusing())
        return Pipeline(self, reader, [_refused], SejongWriter())


def _same(sentence: Sentence) -> Sentence:
    return sentence


def _refused(sentence: Sentence) -> Sentence:
    Refusing().sentence(sentence)
    return sentence


@pytest.mark.parametrize("by_step", [True, False])
def test_an_error_of_a_step_or_of_the_writer_costs_its_sentence(
    tmp_path: Path, by_step: bool
) -> None:
    path = tmp_path / "in.txt"
    path.write_text(TEXT, encoding="utf-8")
    for on_error in ("skip", "keep"):
        found: list[Incident] = []
        with Source(path) as source, (tmp_path / "out").open("w", encoding="utf-8") as out:
            job = Job(on_error, str(path), by_step)
            totals = convert_stream(job, source, out, Report(found.append))
        assert totals == (2, 2)
        assert (tmp_path / "out").read_text(encoding="utf-8") == TEXT.replace(
            "비가\t비/NNG+가/JKS\n\n", ""
        )
        places = [(one.code, one.path, one.line, one.sent_id) for one in found if one.is_error]
        assert places == [("E602", str(path), 3, "2")]
        # What is not written loses nothing.
        told = [one.code for one in found if one.code == "W301"]
        assert len(told) == (0 if by_step else 2)


@pytest.mark.parametrize("by_step", [True, False])
def test_an_error_ends_the_run_with_its_place(tmp_path: Path, by_step: bool) -> None:
    path = tmp_path / "in.txt"
    path.write_text(TEXT, encoding="utf-8")
    with (
        Source(path) as source,
        (tmp_path / "out").open("w", encoding="utf-8") as out,
        pytest.raises(FormatError, match="no place for 비가") as raised,
    ):
        convert_stream(Job("stop", str(path), by_step), source, out, Report())
    assert (raised.value.path, raised.value.line) == (str(path), 3)


@pytest.mark.parametrize("level", [1, 5])
@pytest.mark.parametrize(
    ("comment", "is_fast"),
    [("# sent_id = a-1", True), ("# sent_id = a 1", True), ("# sent_id =", True),
     ("# sent_id = a\tb", False), ("# other = a", True), ("#\n# 50 %", True),
     ("# newdoc id = d\n# sent_id = a\n# newpar", True), ("# of a file\n\n# sent_id = a", True),
     ("# sent_id = a\n# text_orig = b", True), ("#\\ a\\tb\\\\", True),
     ('# comments_before = ["# b"]\n# comments_behind = ["# c"]', True),
     ("봄\t봄/NNG\n# inside\n#\t#/SW\n# sent_id = inside", True)],
)  # fmt: skip
def test_a_sentence_with_comments_takes_the_fast_path(
    comment: str, is_fast: bool, level: int
) -> None:
    text = f"{comment}\n나는\t나/NP+는/JX\n갔다.\t가/VV+았/EP+다/EF\n\n" * 2
    agree("sejong", text, [is_fast] * 2, level)


@pytest.mark.parametrize(
    ("name", "text", "is_fast"),
    [
        ("espresso", "나는\tBOS\tx\t나/NP+는/JX\n간다\tEOS\t가/VV+ㄴ다/EF\n", False),
        ("espresso", "나는\tBOS\t나/NP+는/JX\n간다\t\t가/VV+ㄴ다/EF\n", True),
        ("corpus", "<p>\n봄::이\t봄/NNG+이/JKS\n</p>\n", False),
        ("corpus", "<date>1990</date>\n<p>\n봄이\t봄/NNG+이/JKS\n</p>\n", True),
    ],
)
def test_a_reader_that_reads_more_than_lines_leaves_the_fast_path(
    name: str, text: str, is_fast: bool
) -> None:
    agree(name, text, [is_fast])


def agree(name: str, text: str, are_fast: list[bool], level: int = 5) -> None:
    """Assert that the fast path takes these blocks, and gives what the general path gives."""
    pipeline, general = [
        Conversion(name, level=level, on_error="keep").make_pipeline() for _ in range(2)
    ]
    blocks = list(pipeline.reader.blocks([text]))
    assert pipeline._fast_path is not None
    assert [pipeline._fast_path(block) is not None for block in blocks] == are_fast
    general._fast_path = None
    assert pipeline(blocks) == general(blocks)
