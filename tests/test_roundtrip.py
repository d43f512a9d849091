"""Nothing is lost: Sejong text → CoNLL-U of any level → Sejong text, to the byte.

And level k → level j is what direct conversion to j gives. On generated sentences with whatever may
stand in an eojeol, and on real ones.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, RULES, read_text, sejong_text
from hypothesis import example, given
from hypothesis import strategies as st
from portions import ALL, SOME

from sejongud.converters.jobs import read
from sejongud.converters.recut import CutWriter, Recut
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.sejong import SejongReader
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Sentence

if TYPE_CHECKING:
    from pathlib import Path


TAGS = sorted(RULES.tags)
PLAIN, DUMMY = (
    {
        level: CutWriter(
            Recut(Granularity(RULES, level)), ConlluWriter(deps="dummy" if deps else "")
        )
        for level in LEVELS
    }
    for deps in (False, True)
)


def conllu(sentences: list[Sentence], writer: CutWriter) -> str:
    return "".join(map(writer.sentence, sentences))


def assert_nothing_is_lost(text: str, writers: dict[int, CutWriter]) -> None:
    """A text as our own writer writes it comes back from every level, by every other."""
    sentences = read_text(SejongReader(ASSEMBLER), text)
    assert sejong_text(sentences) == text
    direct = {level: conllu(sentences, writer) for level, writer in writers.items()}
    for level in LEVELS:
        back = read_text(ConlluReader(ASSEMBLER), direct[level])
        assert sejong_text(back) == text, f"from level {level}"
        for other, writer in writers.items():
            assert conllu(back, writer) == direct[other], f"from level {level} to {other}"


# --- generated ----------------------------------------------------------------------------------

LETTERS = "가각갈한나다이았했의프랑스ㄴㄹㅂㅋ\u11ab\u11af\u119eaZﬁ大0²一"
SYMBOLS = "+/-|\\=%#_\"'“”‘’`.,:;!?…~∼·()[]{}<>@&*^$₩％（"
SPACES = "  \u3000\xa0"
texts = st.text(LETTERS * 3 + SYMBOLS + SPACES, min_size=1, max_size=6)
plain = st.text("가나다라말하이했", min_size=1, max_size=3)


forms = texts.filter(lambda text: bool(text.strip()))
elided = plain.map(lambda text: f"({text})")
morphemes = st.one_of(
    plain,
    plain,
    st.sampled_from('+/-|\\=%#_.,"“…~·'),
    st.sampled_from(
        ["ㄴ", "ㄹ", "\u11ab", "\u11af다", "하", "았", "이", "(이)", "++", "//", "1", "NBA"]
    ),
    elided,
    texts,
)
senses = st.sampled_from(["", "", "", "__01", "__1234567"])
tags = st.one_of(st.sampled_from(TAGS), st.sampled_from(["NNGG", "XYZ", "NNG?", "SW"]))


COMMENTS = ["# newdoc id = a", "# a note", "# text_orig = 가  나", "# 100 %", "#", r"#\ a\tb"]


@st.composite
def analyses(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A form, and morphemes that may or may not have to do with it."""
    parts = draw(st.lists(st.tuples(morphemes, senses, tags), min_size=1, max_size=5))
    joined = "".join([form for form, _, _ in parts])
    form = draw(st.one_of(st.just(joined), st.just(joined), forms))
    added = draw(st.sampled_from(["", "", "", ".", "?!", ".”", "…", "/"]))
    return form + added, [f"{form}{sense}/{tag}" for form, sense, tag in parts]


@st.composite
def corpora(draw: st.DrawFn) -> str:
    """A text that our own reader has read and our own writer has written."""
    with_ids = draw(st.booleans())
    number = 0
    lines: list[str] = []
    for sentence in range(draw(st.integers(1, 3))):
        document = draw(st.sampled_from(["BTXX0001", "BTXX0002", "5CT_0013"]))
        said = draw(st.lists(st.sampled_from(COMMENTS), max_size=3, unique=True))
        # CoNLL-U has the document before all others.
        lines += sorted(said, key=lambda comment: not comment.startswith("# newdoc"))
        if draw(st.integers(0, 4)) == 0:
            lines.append(f"# sent_id = s-{sentence}")
        for form, pieces in draw(st.lists(analyses(), min_size=1, max_size=4)):
            number += 1
            if with_ids:
                lines.append(f"{document}-{number:08}\t{form}\t{'+'.join(pieces)}")
            else:
                lines.append(f"{form}\t{'+'.join(pieces)}")
        lines.append("")
    return as_written("\n".join(lines) + "\n")


def as_written(text: str) -> str:
    """A text as our own writer writes it: read and written until nothing is left to be mended."""
    for _ in range(3):
        # A reader reads one file: it counts what it has skipped.
        text = sejong_text(read_text(SejongReader(ASSEMBLER), text, "skip"))
    return text


@given(corpora())
@example("a|b\\c=d-e%s\ta|b\\c=d-e%s/SL\n\n")
@example("3+4=7\t3/SN++/SW+4/SN+=/SW+7/SN\n\n")
@example("1/2\t1/SN+//SP+2/SN\n\n")
@example("거야.\t거/NNB+(이)/VCP+야/EF+./SF\n\n")
@example("피어 났다\t피어 났/VV+다/EF\n\n")
@example("BTXX0001-00000001\t간\t가__02/VV+\u11ab/ETM\n\n")
@example("피었다.”\t피/VV+었/EP+다/EF\n\n")
@example("편지를\t편지/NNG+/NNG+를/JKO\n\n")
@example("가가\t가/XYZ+가/VCN\n\n")
# A form like an id is no id.
@example("BTXX0001-00000001\t가\t가/NNG\n\tBTXX0001-00000002\tBTXX0001-00000002/SL\n\n")
def test_generated_sentences_come_back(text: str) -> None:
    assert_nothing_is_lost(text, PLAIN)
    assert_nothing_is_lost(text, DUMMY)


def test_a_comment_with_a_tab_comes_back() -> None:
    comment, original = "# gloss\t\\t\tgo/VV\n", "# text_orig = 눈이\t온다\n"
    rows = conllu(
        read_text(SejongReader(ASSEMBLER), "눈이\t눈/NNG+이/JKS\n온다\t오/VV+ㄴ다/EF\n\n"), PLAIN[5]
    )
    lines = rows.split("\n", 2)
    there = "\n".join(lines[:2]) + f"\n{original}{comment}{lines[2]}"
    text = sejong_text(read_text(ConlluReader(ASSEMBLER), there))
    assert text.count("\t") == 2
    assert conllu(read_text(SejongReader(ASSEMBLER), text), PLAIN[5]) == there


@pytest.mark.parametrize("deps", [False, True])
@pytest.mark.parametrize("ne", [[], [(), ("B-LC", "O")], [("O", "B-LC"), ("B-LC", "O")]])
def test_ids_of_some_eojeols_come_back(ne: list[tuple[str, ...]], deps: bool) -> None:
    text = "BTXX0001-00000001\t100%는\t100%/SN+는/JX\n가”\t가/NNG+”/SS\n\n"
    [sentence] = read_text(SejongReader(ASSEMBLER), text)
    assert sejong_text([sentence]) == text
    sentence.entities = (tuple(ne),) if ne else ()
    for level in LEVELS:
        there = conllu(
            [sentence],
            CutWriter(Recut(Granularity(RULES, level)), ConlluWriter(deps="dummy" if deps else "")),
        )
        assert there.count("Id=") == 1
        assert sejong_text(read_text(ConlluReader(ASSEMBLER), there)) == text


def test_ids_of_some_eojeols_with_a_column_of_labels() -> None:
    text = "가\t가/NNG\nBTXX0001-00000002\t나\t나/NP\n\n"
    there = conllu(
        read_text(SejongReader(ASSEMBLER), text),
        CutWriter(Recut(Granularity(RULES)), ConlluWriter(ne="column")),
    )
    assert [row.split("\t")[9:] for row in there.split("\n")[2:4]] == [
        ["_", "_"], ["Id=BTXX0001-00000002", "_"]
    ]  # fmt: skip


def test_an_empty_comment_has_no_blank_behind_it() -> None:
    text = "#\n# a note\n눈\t눈/NNG\n\n"
    sentences = read_text(SejongReader(ASSEMBLER), text)
    assert sejong_text(sentences) == text
    assert conllu(sentences, PLAIN[5]).startswith("# sent_id = 1\n# text = 눈\n#\n# a note\n1\t")


# --- real ---------------------------------------------------------------------------------------

CORPORA = {
    "gsd": "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "ksl": "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "gsd-train": "ud-korean-gsd/older-train/ko_gsd-ud-train.conllu",
    "klue-dp": "klue-dp/klue-dp-v1.1_dev.first1500.tsv",
}


@pytest.mark.parametrize("corpus", CORPORA)
def test_real_sentences_come_back(shared: Path, corpus: str) -> None:
    found = read(shared / "data" / CORPORA[corpus], on_error="skip")
    sentences = list(islice(found, None if ALL else SOME))
    for sentence in sentences:
        # Sejong text has no place for what a treebank says of its words.
        sentence.arcs, sentence.is_treebank = None, False
    text = as_written(sejong_text(sentences))
    assert text.count("\t") == sum(len(sentence.eojeols) for sentence in sentences)
    assert_nothing_is_lost(text, DUMMY if ALL else PLAIN)
