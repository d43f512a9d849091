"""The samples say what they seem to say: nothing in them has to be mended, and they come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, RULES, conllu_text, read_text, sejong_text

from sejongud import read
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.sejong import SejongReader
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["sejong.txt", "sejong-ids.txt", "sejong-senses.txt"])
def test_a_sample_is_clean_and_comes_back_from_every_level(root: Path, name: str) -> None:
    path = root / "samples" / name
    report = Report()
    reader = SejongReader(ASSEMBLER)
    with Source(path) as source:
        sentences = list(reader.read(reader.blocks(source.chunks()), name, "stop", report))
    assert report.counts == {}
    assert sejong_text(sentences) == path.read_text(encoding="utf-8")
    for level in LEVELS:
        text = conllu_text(sentences, level)
        found = read_text(ConlluReader(ASSEMBLER), text, report=report)
        assert sejong_text(found) == path.read_text(encoding="utf-8")
    assert report.counts == {}


def test_the_sentence_of_the_paper_has_the_paper_s_numbers_of_words(root: Path) -> None:
    reader = SejongReader(ASSEMBLER)
    with Source(root / "samples" / "sejong.txt") as source:
        first = next(reader.read(reader.blocks(source.chunks()), "-", "stop", Report()))
    counts = []
    for level in LEVELS:
        tokens = [token for e in first.eojeols for token in Granularity(RULES, level).tokens(e)]
        counts.append(sum(len(token.words) for token in tokens))
    assert counts == [11, 12, 15, 18, 21]


@pytest.mark.parametrize("name", ["sejong.txt", "corpus-spoken.txt"])
def test_the_shape_of_an_eojeol_is_that_of_its_tokens(root: Path, name: str) -> None:
    eojeols = {eojeol for sentence in read(root / "samples" / name) for eojeol in sentence.eojeols}
    for granularity in [Granularity(RULES, level) for level in LEVELS]:
        for eojeol in eojeols:
            tokens = granularity.tokens(eojeol)
            shape = [tuple([len(word.morphemes) for word in token.words]) for token in tokens]
            assert granularity.shape(eojeol) == tuple(shape)
