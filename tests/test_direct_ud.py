"""Lines of a treebank straight to lines: the same as reading the sentence and writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.converters.morph2word import Morph2Word
from sejongud.converters.word2morph import Word2Morph
from sejongud.direct_ud import DirectJoin, DirectSplit, is_tree
from sejongud.errors import FormatError
from sejongud.formats.ud import UDBlock, UDReader, find_cycle, write_ud
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

RULES = load()
READER = UDReader(RULES)
LOOSE = UDReader(RULES, trees=False)
SPLITTERS = [
    Word2Morph(RULES),
    Word2Morph(RULES, scheme="ud"),
    Word2Morph(RULES, scheme="ud", bound_marker="+"),
    Word2Morph(RULES, upos="ud", lemmas="morphud", bound_marker="%"),
]
SPLITS = [DirectSplit(READER, splitter) for splitter in SPLITTERS]
JOINERS = [Morph2Word(RULES), Morph2Word(RULES, bound_marker="+")]
JOINS = [DirectJoin(LOOSE, joiner) for joiner in JOINERS]

PLAIN = [
    "프랑스의 프랑스+의 PROPN NNP+JKG _ _",
    "의상 의상 NOUN NNG _ SpaceAfter=No",
    "나섰다 나서+었+다 VERB VV+EP+EF Mood=Ind _",
    "세계적인 세계+적+이+ㄴ NOUN NNG+XSN+VCP+ETM _ a=b|SpaceAfter=No",
    "있다 있+다 AUX VX+EF _ _",
    ". . PUNCT SF _ _",
    '." .+" PUNCT SF+SS _ _',
    "50%는 50+%+는 NOUN SN+SW+JX Case=% x=100%",
    "아 아 INTJ IC _ _",
    "로부터 로+부터 ADP ncn+jca _ _",
]
ODD = [
    "거야 거+(이)+야 NOUN NNB+VCP+EF _ _",
    "싶습니다 싶 AUX VX+EF _ _",
    "하다 하+다 VERB VVV+EF _ _",
    "모양 다른+것 NOUN NNG _ _",
    "가나다 가+나 NOUN NNG+JKS+EF _ _",
    "가나 가++나 NOUN NNG+JKS+EF _ _",
    "+ + SYM SW _ _",
    "3+4 3+++4 NUM SN+SW+SN _ _",
    "빈칸 빈+칸 NOUN VA+NNG _ MSeg=빈-칸",
    "대로 대로 ADV MAG _ OrigLemma=대+로",
    "빈~칸 빈+칸 NOUN NNG+NNG _ _",
    "의 의 X JKG++ _ _",
    "이 이 DET MM _ WordHead=1",
    "가 가+아 VERB VV+EC _ WordUPOS=X|WordLemma=가\\p",
    "%s %s X SL _ _",
    "다 다 X _ _ HeadMorpheme=2|WordSizes=1",
]
DEPRELS = ["root", "nsubj", "case", "punct", "aux:pass", "cc", "goeswith", "50%"]
ITEMS = ["_", "_", "SpaceAfter=No", "WordHead=2", "HeadMorpheme=2", "WordSizes=1,1", "MSeg=가"]


def row(number: int, word: str, head: int, deprel: str) -> list[str]:
    *columns, misc = word.split()
    return [
        str(number),
        *[cell.replace("~", " ") for cell in columns],
        str(head),
        deprel,
        "_",
        misc,
    ]


def text(rows: list[list[str]]) -> str:
    return "# 50% of %s\n" + "\n".join(["\t".join(cells) for cells in rows])


@st.composite
def trees(draw: st.DrawFn) -> list[list[str]]:
    """The rows of a sentence: each word below one that was there before."""
    words = draw(st.lists(st.sampled_from([*PLAIN, *PLAIN, *ODD]), min_size=1, max_size=7))
    order = draw(st.permutations(range(1, len(words) + 1)))
    heads = {order[0]: 0}
    for at, word in enumerate(order[1:], 1):
        heads[word] = draw(st.sampled_from(order[:at]))
    deprels = [draw(st.sampled_from(DEPRELS)) for _ in words]
    return [
        row(number, word, heads[number], deprel)
        for number, (word, deprel) in enumerate(zip(words, deprels, strict=True), 1)
    ]


@st.composite
def changed(draw: st.DrawFn, rows: list[list[str]]) -> list[list[str]]:
    """Rows with some cells that may be anything."""
    rows = [list(cells) for cells in rows]
    cells = {
        0: ["1", "2", "2-3", "01", "1.1", "x"],
        1: ["가", "%", ""],
        3: ["NOUN", "AUX"],
        4: ["NNG", "NNG+JKS", "+", "VVV"],
        5: ["_", "Typo=Yes"],
        6: ["0", "1", "2", "3", "99", "_", "01"],
        7: DEPRELS,
        8: ["_", "1:dep"],
        9: ITEMS,
    }
    for _ in range(draw(st.integers(0, 3))):
        column = draw(st.sampled_from([*cells, 6, 6, 9]))
        draw(st.sampled_from(rows))[column] = draw(st.sampled_from(cells[column]))
    return rows


def long_split(splitter: Word2Morph, block: UDBlock) -> tuple[str, int] | None:
    """The sentence split in the long way; None if it cannot be read or has notes."""
    try:
        sentence = READER.parse(block)
    except FormatError:
        return None
    made = splitter(sentence)
    noted = any(token.notes for token in sentence.tokens)
    return None if noted else (write_ud(made), len(made.heads))


def long_join(joiner: Morph2Word, block: UDBlock) -> tuple[str, int] | None:
    """The sentence joined in the long way; None if there is anything to report."""
    try:
        sentence = LOOSE.parse(block)
    except FormatError:
        return None
    made, mended = joiner.convert(sentence)
    noted = mended or any(token.notes for token in sentence.tokens)
    return None if noted else (write_ud(made), len(made.heads))


def left(block: UDBlock) -> bool:
    """Whether nothing takes a block."""
    split = any(direct(block) for direct in SPLITS)
    return not split and not any(direct(block) for direct in JOINS)


@given(trees().flatmap(changed))
def test_split_as_in_the_long_way(rows: list[list[str]]) -> None:
    block = UDBlock(1, text(rows))
    for splitter, direct in zip(SPLITTERS, SPLITS, strict=True):
        written = direct(block)
        if written is not None:
            assert written == long_split(splitter, block)


@given(trees(), st.data())
def test_joined_as_in_the_long_way(rows: list[list[str]], data: st.DataObject) -> None:
    sentence = READER.parse(UDBlock(1, text(rows)))
    for splitter in SPLITTERS:
        lines = write_ud(splitter(sentence)).strip("\n").split("\n")[1:]
        made = data.draw(changed([line.split("\t") for line in lines]))
        block = UDBlock(1, text(made))
        for joiner, direct in zip(JOINERS, JOINS, strict=True):
            written = direct(block)
            if written is not None:
                assert written == long_join(joiner, block)


@pytest.mark.parametrize("word", PLAIN)
def test_what_is_plain_goes_straight(word: str) -> None:
    block = UDBlock(1, text([row(1, PLAIN[1], 2, "nsubj"), row(2, word, 0, "root")]))
    for direct in SPLITS:
        assert direct(block) is not None
    for splitter, direct in zip(SPLITTERS[:2], SPLITS[:2], strict=True):
        made = direct(block)
        assert made is not None
        assert made == long_split(splitter, block)
        back = JOINS[0](UDBlock(1, made[0].rstrip("\n")))
        assert back == (f"{block.text}\n\n", 2)


@pytest.mark.parametrize("word", ODD)
def test_what_is_odd_is_as_in_the_long_way(word: str) -> None:
    block = UDBlock(1, text([row(1, PLAIN[1], 2, "nsubj"), row(2, word, 0, "root")]))
    for splitter, direct in zip(SPLITTERS, SPLITS, strict=True):
        assert direct(block) in (None, long_split(splitter, block))


@pytest.mark.parametrize("misc", ["_", "MSeg=거", "SpaceAfter=No"])
@pytest.mark.parametrize("told", ["_", "WordUPOS=X|WordLemma=거\\p야", "HeadMorpheme=2"])
def test_another_arc_as_in_the_long_way(misc: str, told: str) -> None:
    """Of a word whose head morpheme is attached within it."""
    block = UDBlock(
        1,
        "\n".join(
            [
                f"1-2\t거야\t_\t_\t_\t_\t_\t_\t_\t{told}",
                "1\t거\t거\tNOUN\tNNB\t_\t2\tdep\t_\t_",
                f"2\t야\t야\tPART\tEF\t_\t0\troot\t_\t{misc}",
            ]
        ),
    )
    for joiner, direct in zip(JOINERS, JOINS, strict=True):
        made = direct(block)
        assert made is not None
        assert made == long_join(joiner, block)


def test_punctuation_that_climbs_goes_straight() -> None:
    rows = [
        row(1, PLAIN[2], 0, "root"),
        row(2, PLAIN[4], 1, "aux"),
        row(3, PLAIN[6], 2, "punct"),
        row(4, PLAIN[5], 2, "punct"),
    ]
    block = UDBlock(1, text(rows))
    made = SPLITS[1](block)
    assert made is not None
    assert made == long_split(SPLITTERS[1], block)
    assert made[0].count("WordHead=2") == 2
    assert JOINS[0](UDBlock(1, made[0].rstrip("\n"))) == (f"{block.text}\n\n", 4)


@pytest.mark.parametrize(
    "lines",
    [
        ["1-3\t가\t_\t_\t_\t_\t_\t_\t_\t_", "2-3\t가\t_\t_\t_\t_\t_\t_\t_\t_"],
        ["1-2\t가\t_\t_\t_\t_\t_\t_\t_\t_"],
        ["2-3\t가\t_\t_\t_\t_\t_\t_\t_\t_"],
        ["1-1\t가\t_\t_\t_\t_\t_\t_\t_\t_"],
        ["01-2\t가\t_\t_\t_\t_\t_\t_\t_\t_"],
        ["1.1\t_\t_\t_\t_\t_\t_\t_\t1:x\t_"],
        [""],
    ],
)
def test_what_cannot_be_read_is_left(lines: list[str]) -> None:
    body = "\n".join([*lines, "\t".join(row(1, PLAIN[1], 0, "root"))])
    assert left(UDBlock(1, body))


def test_no_words_are_left() -> None:
    assert left(UDBlock(1, "# a\n# b"))


def test_files_as_in_the_long_way(root: Path) -> None:
    paths = [root / "samples" / "ud.conllu", *sorted((root / "tests" / "data").glob("*.conllu"))]
    straight = 0
    for path in paths:
        for block in LOOSE.blocks([path.read_text(encoding="utf-8")], whole=False):
            for splitter, split in zip(SPLITTERS, SPLITS, strict=True):
                made = split(block)
                assert made is None or made == long_split(splitter, block)
                between = block if made is None else UDBlock(1, made[0].rstrip("\n"))
                for joiner, join in zip(JOINERS, JOINS, strict=True):
                    back = join(between)
                    assert back is None or back == long_join(joiner, between)
                    straight += back is not None
    assert straight


@given(st.lists(st.integers(-1, 9), min_size=1, max_size=8))
def test_trees(heads: list[int]) -> None:
    whole = heads.count(0) == 1 and min(heads) >= 0 and max(heads) <= len(heads)
    assert is_tree(heads) == (whole and find_cycle(heads) < 0)
