"""Morphemes that are given once: sentences that memory does not hold come back from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpora import RULES

from sejongud.converters.blocks import SharedAnalysis
from sejongud.converters.jobs import read
from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import FormatError
from sejongud.formats.conllu import ConlluWriter
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS
from sejongud.morphology.eojeol import Assembler

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.model import Sentence

NAMES = ["framenet.txt", "sejong-ids.txt", "sejong-senses.txt", "sejong.txt", "ud.conllu",
         "expected/sejong.2.conllu", "klue-dp.tsv", "jsonl.jsonl"]  # fmt: skip


def forms_of(sentence: Sentence) -> list[str]:
    return [eojeol.form for eojeol in sentence.eojeols]


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_comes_back_as_it_was(root: Path, name: str) -> None:
    given = list(read(root / "samples" / name, on_error="skip"))
    assembler = Assembler(RULES)
    texts: dict[str, Sentence] = {}
    writers = [
        CutWriter(Recut(Granularity(RULES, level), retag=True, relemma=True), ConlluWriter())
        for level in LEVELS
    ]
    finder = SharedAnalysis(iter(given), assembler, capacity=0)
    for sentence in given:
        first = texts.setdefault("".join(forms_of(sentence)), sentence)
        finder.find(forms_of(sentence))
        again = finder.find(forms_of(sentence))
        assert again is not first
        assert again.is_treebank == first.is_treebank
        both = [one.but(sent_id="x", number=1, header=None) for one in (first, again)]
        for writer in writers:
            one, other = map(writer.sentence, both)
            assert one == other
    assert not finder.finder.has_more()


def test_what_is_not_there_is_missed(root: Path) -> None:
    given = read(root / "samples" / "framenet.txt")
    finder = SharedAnalysis(given, Assembler(RULES), capacity=1)
    with pytest.raises(FormatError):
        finder.find(["없는", "문장"])


@pytest.mark.parametrize("known", [0, 2])
def test_the_conversion_is_the_same_with_little_memory(
    root: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, known: int
) -> None:
    samples = root / "samples"
    corpus = (samples / "framenet.tsv").read_bytes()
    command: list[str | Path] = ["frame", "eoj2morph", "--morphemes", samples / "framenet.txt", "-"]
    usual = cli(*command, stdin=corpus * 3)
    monkeypatch.setattr(SharedAnalysis.__init__, "__defaults__", (known,))
    assert cli(*command, stdin=corpus * 3).stdout == usual.stdout
    # The morphemes of each instance may be given, too.
    made = cli("frame", "eoj2morph", "--morphemes", samples / "framenet.txt", "-", "made.conllu",
               stdin=corpus)  # fmt: skip
    assert made.returncode == 0
    command[3] = "made.conllu"
    assert cli(*command, stdin=corpus * 3).stdout == usual.stdout
