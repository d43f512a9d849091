"""KIPS and KMOU: entity corpora that have morphemes of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, RULES, read_corpus, read_text
from hypothesis import given
from hypothesis import strategies as st

from sejongud.converters.entities_back import CorpusWriter
from sejongud.converters.recut import CutWriter, Recut
from sejongud.converters.restoring import labelled_of
from sejongud.converters.syl2morph import cut, labels_of, without_edge_spaces
from sejongud.errors import FormatError, Report, UsageError
from sejongud.formats import label_format
from sejongud.formats.base import Block
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.labelled import Labelled, MorphemeRow
from sejongud.formats.marked import Kips
from sejongud.levels.cut import Granularity

if TYPE_CHECKING:
    from sejongud.converters.entities import CorpusReader
    from sejongud.model import Sentence

DATA = Path(__file__).parent / "data" / "ner"


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8-sig")


def sentences_of(name: str) -> tuple[CorpusReader, list[Sentence]]:
    layout = label_format(name.partition("-")[0].removesuffix(".txt"), settings_of(name))
    return read_corpus([text_of(name)], layout)


def settings_of(name: str) -> str:
    found = Kips.sniff(text_of(name))
    return "typed" if found is None else found


def test_the_rows_are_the_morphemes() -> None:
    _, (first, second) = sentences_of("kips.txt")
    assert [f"{m.form}/{m.tag}" for m in first.morphemes][:6] == [
        *("프랑스/NNP", "의/JKG", "디자이너/NNG"),
        *("엠마누엘/NNP", "웅가로/NNP", "가/JKS"),
    ]
    assert first.entities == (
        (
            *(("B-LC", "O"), (), ("B-PS",), ("I-PS", "O")),
            *(("B-DT", "I-DT"), ("I-DT", "I-DT"), (), ()),
        ),
    )
    assert [m.form for m in second.eojeols[1].morphemes] == ["3", "+", "4", "만"]


@pytest.mark.parametrize("name", ["kips.txt", "kips-typed.txt", "kips-contracted-entity.txt"])
def test_the_marks_projected_on_the_morphemes_are_the_labels_of_the_rows(name: str) -> None:
    """Rows and marks say the same in two ways: the one is gold for what makes it of the other."""
    layout = label_format("kips", settings_of(name))
    _, sentences = sentences_of(name)
    blocks = layout.blocks([text_of(name)])
    for block, sentence in zip(blocks, sentences, strict=True):
        one = layout.read(block)
        text = "".join(one.tokens)
        marks = without_edge_spaces(text, one.entities())
        assert labels_of(sentence.eojeols, cut(text, marks).where, marks) == (
            sentence.entities[0],
            [],
            [],
        )
        assert labelled_of(sentence, layout).layers == one.layers


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("kmou-contracted.txt", "NNP JKS VV EC"),
        ("kmou.txt", "NNP JKG NNG JKS VV EP EC"),
        # The rows of the second sentence are not used.
        ("kmou-lost-morpheme.txt", "NNP NNP JKS VV EP EF"),
    ],
)
def test_the_morphemes_of_kmou(name: str, tags: str) -> None:
    _, (sentence, *_) = sentences_of(name)
    assert " ".join([m.tag for m in sentence.morphemes]) == tags


def test_kiwi_analyses_where_a_row_has_lost_its_first_morpheme() -> None:
    _, (_, second) = sentences_of("kmou-lost-morpheme.txt")
    assert [m.form for m in second.eojeols[1].morphemes] == ["말", "하", "였", "다"]
    assert second.entities == ((("B-LOC", "O"), ()),)


def test_a_symbol_that_the_rows_lack_is_added_and_not_written() -> None:
    layout = label_format("kips")
    block = "; 옷이다.\n$<옷:AF>이다.\n1\t옷\tNNG\tB_AF\n1\t이\tVCP\tO\n1\t다\tEF\tO\n\n"
    forward, [sentence] = read_corpus([block], layout, report=(report := Report()))
    assert [m.form for m in sentence.morphemes] == ["옷", "이", "다", "."]
    assert report.counts == {"W105": 1}
    assert CorpusWriter(None, "kips").sentence(sentence) == block
    assert forward.counts["ner_lines"] == forward.counts["ner_block"] == 0


def test_marks_of_a_longer_sentence_are_not_read() -> None:
    """The mark of 부산 lies behind the end of the sentence."""
    block = "; 서울\n$서울에 <부산:LC>\n1\t서울\tNNP\tB_LC\n\n"
    labelled = Kips().read(Block(block, 1, 1))
    assert labelled.layers == ()
    assert [note.code for note in labelled.notes] == ["W433"]
    assert labelled.morphemes[0][0].label == "B-LC"


def test_a_system_labels_the_rows_anew() -> None:
    _, (first, _) = sentences_of("kips.txt")
    written = CutWriter(Recut(Granularity(RULES, 5)), ConlluWriter()).sentence(first)
    labelled = written.replace("NE=B-LC", "NE=B-OG").replace("NE=I-PS", "NE=I-LC")
    [again] = read_text(ConlluReader(ASSEMBLER), labelled)
    lines = CorpusWriter(None, "kips").sentence(again).split("\n")
    assert lines[1].startswith("$<프랑스:OG>의 디자이너 <엠마누엘:PS> <웅가로:LC>가 <지난 3월:DT>")
    # What goes on without having begun keeps its type.
    assert lines[2:8:5] == ["1\t프랑스\tNNP\tB_OG", "4\t가\tJKS\tO"]
    assert lines[6] == "4\t웅가로\tNNP\tI_LC"
    assert Kips().read(Block("\n".join(lines), 1, 1)).morphemes[3][0].label == "I-LC"
    mended = CorpusWriter(None, "kips", mend=True).sentence(again).split("\n")
    assert mended[6] == "4\t웅가로\tNNP\tB_LC"


@pytest.mark.parametrize(
    ("head", "settings"),
    [
        ("; 옷\n$옷\n1\t옷\tNNG\tO\n", "bare"),
        ("; 옷\n$옷\n1\t옷\tNNG\tB_AF\n1\t이\tJKS\tI_AF\n", "typed"),
        ("; 옷\n1\t옷\tNNG\tO\n", None),
        ("$옷\n옷\tNNG\tO\n", None),
    ],
)
def test_what_a_file_looks_like(head: str, settings: str | None) -> None:
    assert Kips.sniff(head) == settings


@pytest.mark.parametrize(
    ("block", "code", "line"),
    [
        ("; 옷\n; 옷\n$옷\n1\t옷\tNNG\tO\n", "E416", 1),
        ("; 옷\n$옷\n1\t옷\tNNG\n", "E416", 3),
        ("; 옷\n$옷\nx\t옷\tNNG\tO\n", "E416", 3),
        ("1\t옷\tNNG\tO\n", "E416", 1),
        ("; 옷 값\n$옷\n1\t옷\tNNG\tO\n", "E417", 1),
    ],
)
def test_what_cannot_be_read(block: str, code: str, line: int) -> None:
    with pytest.raises(FormatError) as raised:
        Kips().read(Block(block, 1, 1))
    assert (raised.value.code, raised.value.line) == (code, line)


def test_a_setting_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="bare, typed"):
        Kips("other")


FORMS = st.text("가나다+$;<>:1", min_size=1, max_size=3)
ROWS = st.lists(
    st.lists(st.tuples(FORMS, st.sampled_from(["NNG", "SW", "JKS"])), min_size=1, max_size=3),
    min_size=1,
    max_size=4,
)


@given(ROWS, st.sampled_from(["bare", "typed"]), st.data())
def test_rows_there_and_back(
    rows: list[list[tuple[str, str]]], settings: str, data: st.DataObject
) -> None:
    count = sum(map(len, rows))
    labels = st.sampled_from(["O", "O", "B-PS", "I-PS", "I-LC", "B-LC"])
    given_labels = iter(data.draw(st.lists(labels, min_size=count, max_size=count)))
    morphemes = tuple(
        tuple(MorphemeRow(form, tag, next(given_labels)) for form, tag in own) for own in rows
    )
    text = " ".join(["".join([form for form, _ in own]) for own in rows])
    form = Kips(settings)
    one = Labelled(tuple(text), (("O",) * len(text),), morphemes=morphemes)
    written = form.write(one)
    [block] = form.blocks([written])
    again = form.read(block)
    assert again.morphemes == morphemes
    assert again.tokens == one.tokens
    assert form.write(again) == written
