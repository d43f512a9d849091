"""The validator of Universal Dependencies finds nothing in what `--deps dummy` writes.

Its level 1 is the format, level 2 the inventories of Universal Dependencies and the tree; levels 3
to 5 are about an annotation that a chain is not.

`python tests/test_udvalidate.py FILE …` validates all of some corpora, at all five levels of
granularity.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import is_normalized, normalize

import pytest
from portions import ALL, SOME, some, some_levels
from udtools import Validator

from sejongud import convert
from sejongud.converters.jobs import read
from sejongud.converters.recut import CutWriter, Recut
from sejongud.formats.conllu import ConlluWriter
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS
from sejongud.rules import load

if TYPE_CHECKING:
    from sejongud.model import Sentence

SAMPLES = [
    "sejong.txt", "sejong-ids.txt", "sejong-senses.txt", "sejong-faults.txt", "corpus-written.txt",
    "corpus-spoken.txt", "klue-dp.tsv", "modu.json",
]  # fmt: skip
CORPORA = [
    "klue-dp/klue-dp-v1.1_dev.first1500.tsv",
    "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "ud-korean-gsd/older-train/ko_gsd-ud-train.conllu",
    "ud-korean-ksl/ko_ksl-ud-dev.conllu",
]
UD_LEVEL = 2


VALIDATORS = cache(lambda level: Validator(lang="ko", level=level, output=None))
"""The validator at a level of its own, which is made in the time of ten validations."""


def count_errors(path: Path) -> int:
    """How many errors the validator tells at its highest level."""
    state = VALIDATORS(5).validate_files([str(path)])
    counts = [count for kind, count in state.error_counter.items() if kind.name == "ERROR"]
    return sum([number for count in counts for number in count.values()])


def complaints(sentences: list[Sentence], level: int, path: Path) -> str:
    """What the validator has to say."""
    writer = CutWriter(Recut(Granularity(load(), level)), ConlluWriter(deps="dummy"))
    text = "".join([writer.sentence(sentence) for sentence in sentences])
    # The validator wants NFC, in which what is read need not be: text is never normalised.
    path.write_text(
        text if is_normalized("NFC", text) else normalize("NFC", text), encoding="utf-8"
    )
    state = VALIDATORS(UD_LEVEL).validate_files([str(path)])
    if state.passed():
        return ""
    return f"{path.name}, level {level}: {state}"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_valid(root: Path, tmp_path: Path, name: str, level: int) -> None:
    sentences = list(read(root / "samples" / name, on_error="keep"))
    assert sentences
    assert not complaints(sentences, level, tmp_path / "out.conllu")


@pytest.mark.parametrize("level", LEVELS if ALL else (1, 3, 5))
@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_valid(shared: Path, tmp_path: Path, name: str, level: int) -> None:
    found = read(shared / "data" / name, on_error="skip")
    sentences = list(islice(found, 2 * SOME if ALL else SOME // 2))
    assert not complaints(sentences, level, tmp_path / "out.conllu")


@pytest.mark.parametrize(
    "name",
    ["gsd/ko_gsd-ud-dev", "kaist/ko_kaist-ud-dev", "ksl/ko_ksl-ud-dev", "pud/ko_pud-ud-test"],
)
def test_a_treebank_has_no_more_errors_at_any_level(
    shared: Path, tmp_path: Path, name: str
) -> None:
    source, out = tmp_path / "in.conllu", tmp_path / "out.conllu"
    text = (shared / "data" / f"ud-korean-{name}.conllu").read_text("utf-8")
    source.write_text(some(text), "utf-8")
    errors = count_errors(source)
    for level in some_levels():
        convert(source, out, level=level)
        assert count_errors(out) <= errors, level


def test_the_validator_would_have_something_to_say(root: Path, tmp_path: Path) -> None:
    sentences = list(read(root / "samples" / "sejong.txt"))
    sentences[1].sent_id = sentences[0].sent_id
    assert "rror" in complaints(sentences, 5, tmp_path / "out.conllu")


def validate_all(paths: list[str]) -> int:
    """Validate files whole; how many were not valid at some level."""
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for path in paths:
            sentences = list(read(path, on_error="skip"))
            for level in LEVELS:
                said = complaints(sentences, level, Path(directory) / "out.conllu")
                failed += bool(said)
                found = f"{path}, level {level}: {len(sentences):,} sentences"
                print(f"{found}, {said or 'valid'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(validate_all(sys.argv[1:]) > 0)
