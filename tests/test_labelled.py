"""The formats of entity corpora: what is written is read again, whatever the labels are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import FormatError, UsageError
from sejongud.formats import ENTITY_FORMATS, label_format
from sejongud.formats.base import Block
from sejongud.formats.labelled import LabelFormat, Labelled, exact_blocks, line_blocks
from sejongud.formats.schemes import SPELLINGS, guess_spelling
from sejongud.layers.labels import Entity, layers, to_labels

EOJEOLS = [
    *("naver rows PER-B/-", "columns tab B-PER/- bio", "naver rows PER_B/O"),
    *("naver rows PER_B", "naver rows B-PER", "naver lines PER-B", "hf-jsonl spaced eojeol"),
    *("columns tab B-PER bio", "columns space B-PER bioes eoj -", "columns tab PER-B iob1"),
    "hf-jsonl compact eojeol O,B-PS,I-PS,B-LC,I-LC,B-OG_X,I-OG_X",
]
SYLLABLES = ["klue-ner marked", "klue-ner plain", "klue-ner none", "kmou typed", "kmou bare"]
NESTED = ["konne spaced", "konne compact-ascii"]


def layout(settings: str) -> LabelFormat:
    name, _, rest = settings.partition(" ")
    return label_format(name, rest)


@st.composite
def labelled(draw: st.DrawFn, tokens: list[str], *, nested: bool = False) -> Labelled:
    """Tokens with entities."""
    made = []
    for _ in range(draw(st.integers(0, 5))):
        begin = draw(st.integers(0, len(tokens) - 1))
        end = draw(st.integers(begin + 1, len(tokens)))
        made.append(Entity(draw(st.sampled_from(["PS", "LC", "OG_X"])), begin, end))
    found = layers(sorted(set(made)))[: None if nested else 1]
    labels = tuple(to_labels(layer, len(tokens)) for layer in found)
    return Labelled(tuple(tokens), labels or (("O",) * len(tokens),), "made-1")


WORDS = st.lists(st.text("가나-O_<>:'１Ａａ.", min_size=1, max_size=4), min_size=1, max_size=8)
TEXTS = st.text("가나다 <>:-ㅋ１a😀", min_size=1, max_size=12).filter(lambda t: bool(t.strip()))


def there_and_back(form: LabelFormat, sentences: list[Labelled]) -> None:
    text = "".join([form.write(one) for one in sentences])
    again = [form.read(block) for block in form.blocks([text])]
    assert [one.layers for one in again] == [one.layers for one in sentences]
    assert [one.tokens for one in again] == [one.tokens for one in sentences]
    assert "".join([form.write(one) for one in again]) == text


@pytest.mark.parametrize("settings", EOJEOLS)
@given(st.data())
def test_eojeols(settings: str, data: st.DataObject) -> None:
    there_and_back(layout(settings), [data.draw(labelled(data.draw(WORDS))) for _ in range(2)])


@pytest.mark.parametrize("settings", SYLLABLES)
@given(st.data())
def test_syllables(settings: str, data: st.DataObject) -> None:
    texts = [list(data.draw(TEXTS)) for _ in range(2)]
    there_and_back(layout(settings), [data.draw(labelled(text)) for text in texts])


@pytest.mark.parametrize("settings", NESTED)
@given(st.data())
def test_nested(settings: str, data: st.DataObject) -> None:
    texts = [list(data.draw(TEXTS)) for _ in range(2)]
    there_and_back(layout(settings), [data.draw(labelled(text, nested=True)) for text in texts])


@given(st.data())
def test_marks_in_the_text(data: st.DataObject) -> None:
    text = data.draw(st.text("가나다 -ㅋ１a", min_size=1, max_size=12))
    there_and_back(layout("inline"), [data.draw(labelled(list(text)))])


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name: str) -> None:
    spelling = SPELLINGS[name]
    for label in ("O", "B-PER", "I-OG_X", "I", "PER"):
        assert spelling.read(spelling.write(label)) == label
    assert spelling.write("B-PER") == name.partition("/")[0] or spelling.behind
    assert guess_spelling([spelling.write(label) for label in ("B-PER", "O", "I-LC")]) == name


@pytest.mark.parametrize(
    ("tags", "labels"),
    [
        ("PER-B LOC-B -", "B-PER B-LOC O"),
        ("B-PER B-LOC -", "B-PER B-LOC O"),
        ("B_PER B_LOC -", "B-PER B-LOC O"),
        # Beside O it is a tag of its own.
        ("PER-B - O", "B-PER - O"),
        ("B-PER O -", "B-PER O -"),
    ],
)
def test_a_hyphen_is_o(tags: str, labels: str) -> None:
    spelling = SPELLINGS[guess_spelling(tags.split())]
    assert [spelling.read(tag) for tag in tags.split()] == labels.split()
    assert [spelling.write(label) for label in labels.split()] == tags.split()


@given(st.lists(st.sampled_from(["가\n", " \tO\n", "\n", " \n"])).map("".join))
def test_nothing_lies_between_blocks(text: str) -> None:
    for blocks in (exact_blocks, line_blocks):
        found = list(blocks([text]))
        assert "".join([block.text for block in found]) == text
        line = 1
        for block in found:
            assert block.line == line
            line += block.text.count("\n")


@given(st.lists(st.sampled_from(["가\n", "\n"]), min_size=1), st.integers(0, 9))
def test_chunks_do_not_matter(lines: list[str], cut: int) -> None:
    whole = [block.text for block in exact_blocks(["".join(lines)])]
    pieces = ["".join(lines[:cut]), "".join(lines[cut:])]
    assert [block.text for block in exact_blocks([one for one in pieces if one])] == whole


@pytest.mark.parametrize("name", ENTITY_FORMATS)
def test_settings_that_there_are_not(name: str) -> None:
    assert label_format(name).name == name
    if name != "brat":
        with pytest.raises(UsageError):
            label_format(name, "nothing like it")


@pytest.mark.parametrize("line", [" ", "\t", " \t", "\t\t"])
def test_a_line_of_blanks_is_a_row_of_klue_without_its_label(line: str) -> None:
    layout = label_format("klue-ner", "none")
    blocks = list(layout.blocks(["옷\tO\n", f"{line}\n값\tO\n\n", "물\tO\n\n"]))
    assert [block.line for block in blocks] == [1, 5]
    with pytest.raises(FormatError, match="one character and its label") as raised:
        layout.read(blocks[0])
    assert (raised.value.code, raised.value.line) == ("E403", 2)


def test_a_file_without_blank_lines() -> None:
    with pytest.raises(FormatError, match="blank lines"):
        list(exact_blocks(["가\tO\n" * (6 << 20)]))


def test_blank_lines_without_end() -> None:
    """They were searched again with every chunk."""
    blank = "\n" * 1000
    chunks = ["가\n", *[blank] * 2000, "나\n"]
    first, second = exact_blocks(chunks)
    assert (first.text.count("\n"), second) == (2_000_001, Block("나\n", 2_000_002, 2))


@pytest.mark.parametrize("row", ["옷 B-A\tB", "옷\t값 O", "옷", "옷 "])
def test_a_row_of_columns_that_is_none(row: str) -> None:
    with pytest.raises(FormatError, match="a token first and its label last") as raised:
        label_format("columns", "space").read(Block(f"옷 O\n{row}\n", 4, 1))
    assert (raised.value.code, raised.value.line) == ("E404", 5)


def test_the_rows_of_kmou_are_those_of_its_text_only() -> None:
    layout = label_format("kmou")
    block = Block("## 1\n## 그는\n## <그:PS>는\n그\t그\tNP\tB-PS\n는\t는\tJX\tO\n\n", 1, 1)
    labelled = layout.read(block)
    assert layout.write(labelled) == block.text
    other = labelled._replace(tokens=tuple("우리는"), layers=(("B-PS", "I-PS", "O"),))
    rows = [line for line in layout.write(other).split("\n") if "\t" in line]
    assert rows == ["우\t_\t_\tB-PS", "리\t_\t_\tI-PS", "는\t_\t_\tO"]


def test_a_low_line_in_kmou_is_no_space() -> None:
    layout = label_format("kmou")
    labelled = Labelled(tuple("가_ 나"), (("O", "B-PS", "O", "O"),))
    assert layout.read(Block(layout.write(labelled), 1, 1)).tokens == labelled.tokens
