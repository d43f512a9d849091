"""Columns of words on words that are cut another way."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from corpora import ASSEMBLER, RULES
from hypothesis import given
from hypothesis import strategies as st

import sejongud
from sejongud.converters import whole_eojeols
from sejongud.converters.recut import CutWriter, Recut, recuts
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.layers.arcs import find_cycle, is_tree, join_arcs
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Arcs, Eojeol, Sentence, Token

if TYPE_CHECKING:
    from pathlib import Path

READER = ConlluReader(ASSEMBLER)
RECUTS = {level: Recut(Granularity(RULES, level)) for level in LEVELS}
WRITERS = {level: CutWriter(recut, ConlluWriter()) for level, recut in RECUTS.items()}


PAPER = """\
# sent_id = a
# text = 프랑스의 디자이너가 나섰다.
1	프랑스의	프랑스+의	PROPN	NNP+JKG	Case=Gen	2	nmod	2:nmod	Gloss=France
2	디자이너가	디자이너+가	NOUN	NNG+JKS	_	3	nsubj	3:nsubj	_
3	나섰다	나서+었+다	VERB	VV+EP+EF	_	0	root	0:root	SpaceAfter=No
4	.	.	PUNCT	SF	_	3	punct	3:punct	_
"""


def read(text: str) -> Sentence:
    [frame] = READER.blocks([text])
    return READER.parse(frame)


def at(text: str, level: int) -> str:
    return WRITERS[level].sentence(read(text))


def lost(text: str, level: int) -> list[str]:
    """What a sentence has to report once it is cut at a level."""
    return [note.message for note in RECUTS[level](read(text)).notes]


def rows(text: str) -> list[list[str]]:
    """FORM, FEATS, HEAD, DEPREL, DEPS of the words."""
    cells = [line.split("\t") for line in text.split("\n") if line and line[0] != "#"]
    return [[c[1], *c[5:9]] for c in cells if "-" not in c[0]]


def test_parts_are_attached_to_the_one_with_the_head_morpheme() -> None:
    assert rows(at(PAPER, 5)) == [
        ["프랑스", "Case=Gen", "3", "nmod", "3:nmod"],
        ["의", "_", "1", "case", "1:case"],
        ["디자이너", "_", "5", "nsubj", "5:nsubj"],
        ["가", "_", "3", "case", "3:case"],
        ["나서", "_", "0", "root", "0:root"],
        ["었", "_", "5", "mark", "5:mark"],
        ["다", "_", "5", "mark", "5:mark"],
        [".", "_", "5", "punct", "5:punct"],
    ]


def test_words_put_together_have_the_columns_of_the_one_nearest_to_the_root() -> None:
    assert rows(at(PAPER, 1)) == [
        ["프랑스의", "Case=Gen", "2", "nmod", "2:nmod"],
        ["디자이너가", "_", "3", "nsubj", "3:nsubj"],
        ["나섰다.", "_", "0", "root", "0:root"],
    ]


def test_circles_of_joined_words_are_opened_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        "{}\t가\t가\tNOUN\tNNG\t_\t{}\tnmod\t_\tSpaceAfter=No",
        "{}\t,\t,\tPUNCT\tSP\t_\t{}\tpunct\t_\t_",
    ]
    rounds = []

    def joining(*given: Any) -> Any:
        rounds.append(given)
        return join_arcs(*given)

    monkeypatch.setattr(whole_eojeols, "join_arcs", joining)
    counts = []
    for pairs in (1, 9):
        rounds.clear()
        last = 4 * pairs + 1
        lines = [f"{last}\t간\t간\tNOUN\tNNG\t_\t0\troot\t_\t_\n"]
        for at in range(last - 4, 0, -4):
            heads = (at + 3, last, at + 1, at + 1)
            cells = zip(rows * 2, range(at, at + 4), heads, strict=True)
            lines[:0] = [row.format(*numbers) + "\n" for row, *numbers in cells]
        arcs = RECUTS[1](read("".join(lines))).arcs
        assert arcs is not None
        assert is_tree(arcs.heads)
        counts.append(len(rounds))
    assert counts[0] == counts[1]


def test_a_word_that_a_treebank_tags_as_a_mark_is_no_head_beside_another() -> None:
    """UD_Korean-GSD, dev-s550: 리(이소룡, 李小龍), where 이소룡 is PUNCT."""
    source = (
        "1\t리\t리\tNOUN\tNNB\t_\t0\troot\t_\tSpaceAfter=No\n"
        "2\t(\t(\tPUNCT\tSS\t_\t4\tpunct\t_\tSpaceAfter=No\n"
        "3\t수달\t수달\tPUNCT\tNNP\t_\t4\tpunct\t_\t_\n"
        "4\t여울\t여울\tSYM\tSH\t_\t1\tappos\t_\t_\n"
    )
    joined = at(source, 1)
    cells = [line.split("\t") for line in joined.splitlines() if line[:1].isdigit()]
    assert [(c[3], c[6]) for c in cells] == [("NOUN", "0"), ("SYM", "1")]
    assert [row[1:] for row in rows(at(joined, 2))] == [row[1:] for row in rows(source)]


JOINED = {
    "a nominal that is no predicate has no obl": (
        "기차에 NOUN 2 obl,늦은 ADJ 3 acl,-손님이 NOUN 4 nsubj,왔다 VERB 0 root",
        "기차에 2 nmod,늦은손님이 3 nsubj,왔다 0 root",
    ),
    "its subtype stays": (
        "어제 NOUN 2 obl:tmod,늦은 ADJ 3 acl,-손님이 NOUN 4 nsubj,왔다 VERB 0 root",
        "어제 2 nmod:tmod,늦은손님이 3 nsubj,왔다 0 root",
    ),
    "a predicate has": (
        "기차에 NOUN 2 obl,늦어 ADJ 3 advcl,-울었다 VERB 0 root",
        "기차에 2 obl,늦어울었다 0 root",
    ),
    "the subject of the outer clause": (
        "이는 PRON 4 nsubj,내가 PRON 3 nsubj,심은 VERB 4 acl,-나무 NOUN 0 root,-다 AUX 4 cop",
        "이는 3 nsubj:outer,내가 3 nsubj,심은나무다 0 root",
    ),
    "the object of the inner clause": (
        "물을 NOUN 3 obj,밥을 NOUN 4 obj,긷고 VERB 4 advcl,-지었다 VERB 0 root",
        "물을 3 obl,밥을 3 obj,긷고지었다 0 root",
    ),
    "a circle takes the arc nearest to the root": (
        "심고 VERB 4 acl,-나무가 NOUN 3 nsubj,클 VERB 1 conj,밭 NOUN 0 root",
        "심고나무가 3 acl,클 1 conj,밭 0 root",
    ),
}


@pytest.mark.parametrize(("words", "wanted"), JOINED.values(), ids=list(JOINED))
def test_the_relations_of_joined_words(words: str, wanted: str) -> None:
    """A hyphen stands before a word that is joined to the one before it."""
    lines = []
    for number, text in enumerate(words.split(","), 1):
        form, upos, head, deprel = text.removeprefix("-").split()
        space = "SpaceAfter=No" if f",{text},-" in f",{words}," else "_"
        tag = {"VERB": "VV", "ADJ": "VA", "PRON": "NP", "AUX": "VCP"}.get(upos, "NNG")
        cells = [str(number), form, form, upos, tag, "_", head, deprel, "_", space]
        lines.append("\t".join(cells) + "\n")
    source = "".join(lines) + "\n"
    joined = at(source, 1)
    assert ",".join([f"{row[0]} {row[2]} {row[3]}" for row in rows(joined)]) == wanted
    assert at(joined, 2).endswith(source)
    assert not lost(source, 1)


@pytest.mark.parametrize(
    ("word", "particle", "wanted"),
    [
        ("봄\tNOUN\tNNG\t_", "은\tPART\tJX\tCase=Nom", ["봄+은", "Case=Nom"]),
        ("_\tNOUN\tNNG\tA=b", "은\tPART\tJX\tCase=Nom", ["_", "A=b|Case=Nom"]),
        ("봄\tNOUN\tNNG\tCase=Acc", "은\tPART\tJX\tCase=Nom", ["봄+은", "Case=Acc"]),
        # UD permits Form of a noun, and no Mood.
        ("봄\tNOUN\tNNG\t_", "_\tAUX\tVCP\tForm=Adn|Mood=Ind", ["_", "Form=Adn"]),
        ("봄\tNOUN\tNNG\t_", ",\tPUNCT\tSP\tCase=Nom", ["봄+,", "_"]),
    ],
)
def test_lemma_and_feats_of_a_joined_word(word: str, particle: str, wanted: list[str]) -> None:
    source = (
        f"1\t봄\t{word}\t0\troot\t_\tSpaceAfter=No|LTranslit=.bom\n"
        f"2\t은\t{particle}\t1\tdep\t_\tLTranslit=.eun\n\n"
    )
    joined = at(source, 1)
    row = next(line for line in joined.split("\n") if line[:1] == "1").split("\t")
    assert [row[2], row[5]] == wanted
    assert ("LTranslit=.bom+.eun|" in row[9]) == (row[2] != "_")
    assert at(joined, 2).endswith(source)


def test_misc_stands_on_the_range_line() -> None:
    lines = at(PAPER, 3).split("\n")
    assert "1-2\t프랑스의\t_\t_\t_\t_\t_\t_\t_\tGloss=France" in lines
    assert "1\t프랑스\t프랑스\tPROPN\tNNP\tCase=Gen\t3\tnmod\t3:nmod\t_" in lines


PUNCTUATED = PAPER.replace("3:punct\t_", "3:punct\tGloss=stop")


def test_what_a_longer_word_has_no_place_for_is_counted() -> None:
    enhanced = PUNCTUATED.replace("3:punct\t", "1:punct|3:punct\t")
    assert lost(enhanced, 1) == [
        "not written: FEATS, DEPS or MISC of 1 word, now part of a longer one"
    ]
    assert not any([lost(enhanced, level) for level in (2, 3, 4, 5)])


def test_deps_that_repeat_the_tree_come_back_from_level_1() -> None:
    assert not lost(PUNCTUATED, 1)
    assert at(at(PUNCTUATED, 1), 2) == at(PUNCTUATED, 2)
    # Neither mark hangs on the head of its eojeol.
    rows = (
        "1\t“\t“\tPUNCT\tSS\t_\t3\tpunct\t3:punct\tSpaceAfter=No\n"
        "2\t나는\t나+는\tPRON\tNP+JX\t_\t3\tnsubj\t3:nsubj\t_\n"
        "3\t간다\t가+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t0:root\tSpaceAfter=No\n"
        "4\t”\t”\tPUNCT\tSS\t_\t2\tpunct\t2:punct\t_\n\n"
    )
    assert at(at(rows, 1), 2).endswith(rows)


@pytest.mark.parametrize("deps", ["3:nsubj|4:dep", "3:nsubj"])
def test_deps_on_a_word_inside_an_eojeol_are_told(deps: str) -> None:
    rows = (
        f"1\t나는\t나+는\tPRON\tNP+JX\t_\t3\tnsubj\t{deps}\t_\n"
        f"1.1\t너\t너\tPRON\tNP\t_\t_\t_\t{'4:dep' if '4' not in deps else '3:dep'}\t_\n"
        "2\t잘\t잘\tADV\tMAG\t_\t3\tadvmod\t3:advmod\t_\n"
        "3\t간다\t가+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t0:root\tSpaceAfter=No\n"
        "4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t3:punct\t_\n\n"
    )
    told = ["not written: FEATS, DEPS or MISC of 1 word, now part of a longer one"]
    assert lost(rows, 1) == told
    assert not lost(rows.replace("4:dep", "3:dep"), 1)


def test_an_empty_node_inside_an_eojeol_comes_back() -> None:
    rows = (
        "1\t간다\t가+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t0:root\tSpaceAfter=No\n"
        "1.1\t가\t가\tVERB\tVV\t_\t_\t_\t1:conj\t_\n"
        "2\t.\t.\tPUNCT\tSF\t_\t1\tpunct\t1:punct\t_\n\n"
    )
    assert not lost(rows, 1)
    assert not lost(rows, 5)
    assert at(at(rows, 1), 2).endswith(rows)


ENHANCED = """\
1-2\t나는\t_\t_\t_\t_\t_\t_\t_\t_
1\t나\t나\tPRON\tNP\t_\t3\tnsubj\t2:dep|3:nsubj|4:nsubj\t_
1.1\t그\t그\tPRON\tNP\t_\t_\t_\t3:dep\t_
2\t는\t은\tADP\tJX\t_\t1\tcase\t1:case|3:dep\t_
2.1\t저\t저\tPRON\tNP\t_\t_\t_\t1.1:dep\t_
3-4\t간다\t_\t_\t_\t_\t_\t_\t_\t_
3\t가\t가\tVERB\tVV\t_\t0\troot\t0:root|1.1:dep|2.1:dep\t_
4\tㄴ다\t는다\tPART\tEF\t_\t3\tmark\t3:mark\t_

"""


def test_enhanced_relations_between_morphemes_make_a_graph_of_words() -> None:
    """No word governs itself, no arc stands twice, and no two empty nodes have one number."""
    lines = [line.split("\t") for line in at(ENHANCED, 2).split("\n") if "\t" in line]
    assert [(line[0], line[8]) for line in lines] == [
        ("1", "2:nsubj"),
        ("1.1", "2:dep"),
        ("1.2", "1.1:dep"),
        ("2", "0:root|1.1:dep|1.2:dep"),
    ]
    assert lost(ENHANCED, 2) == [
        OF_RANGES.replace("1 word", "3 words"),
        "not written: the place or DEPS of 2 empty nodes inside ranges",
    ]
    assert at(ENHANCED, 5).endswith(ENHANCED) and not lost(ENHANCED, 5)


ROMANISED = """\
# sent_id = a
# text = 비가 온다, (간다).
1\t비가\t비+가\tNOUN\tNNG+JKS\t_\t2\tnsubj\t_\tTranslit=.bi.ga|LTranslit=.bi+.ga
2\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t5\tadvcl\t_\tSpaceAfter=No|Translit=.on.da|LTranslit=.o+ㄴ.da
3\t,\t,\tPUNCT\tSP\t_\t1\tpunct\t_\tTranslit=,|LTranslit=,
4\t(\t(\tPUNCT\tSS\t_\t5\tpunct\t_\tSpaceAfter=No|Translit=(|LTranslit=(
5\t간다\t가+ㄴ다\tVERB\tVV+EF\tA=b\t0\troot\t_\tSpaceAfter=No|Translit=.gan.da|LTranslit=.ga+ㄴ.da
6\t)\t)\tSYM\tSS\t_\t5\tpunct\t_\tSpaceAfter=No|Gloss=close
7\t.\t.\tPUNCT\tSF\t_\t5\tpunct\t_\tSpaceAfter=No|Translit=.|LTranslit=.

"""


def test_a_word_of_level_1_tells_the_words_that_it_is_joined_of() -> None:
    text = at(ROMANISED, 1)
    cells = [line.split("\t") for line in text.split("\n") if line[:1].isdigit()]
    assert [(c[1], c[2], c[3]) for c in cells] == [
        ("비가", "비+가", "NOUN"),
        ("온다,", "오+ㄴ다+,", "VERB"),
        ("(간다).", "(+가+ㄴ다+)+.", "VERB"),
    ]
    joined, last = [dict([i.split("=", 1) for i in c[9].split("|")]) for c in cells[1:]]
    assert (joined["Translit"], joined["LTranslit"]) == (".on.da,", ".o+ㄴ.da+,")
    assert joined["Tokens"] == "2,1-HEAD=1"
    assert last["Tokens"] == "1,2,1-UPOS=SYM-MISC=SpaceAfter=No\\pGloss=close,1"
    assert last["SpaceAfter"] == "No"
    assert at(text, 2) == ROMANISED
    assert not lost(ROMANISED, 1)


@pytest.mark.parametrize("value", ["3", "2,x", "2,1-HEAD=x", "1,1", "2,1-FORM=.", ""])
def test_words_that_do_not_fit_are_not_brought_back(value: str) -> None:
    text = at(ROMANISED, 1).replace("Tokens=2,1-HEAD=1", f"Tokens={value}")
    assert [row[0] for row in rows(at(text, 1))] == ["비가", "온다,", "(간다)."]


OF_JOINED = "not written: FEATS or MISC of 1 word, now part of a longer one"
OF_RANGES = (
    "not written: UPOS, LEMMA, HEAD, DEPREL or DEPS of 1 word of ranges, which this level cuts in"
    " its own way"
)


def test_words_that_are_edited_at_a_level_stay() -> None:
    edited = at(PAPER, 5).replace("ADP\tJKG\t_\t1\tcase", "PART\tJKG\tA=b\t1\tdep")
    assert edited != at(PAPER, 5) and at(edited, 5) == edited
    assert lost(edited, 2) == [OF_JOINED, OF_RANGES]


TWO = """\
1\t비가\t비+가\tNOUN\tNNG+JKS\t_\t3\tnsubj\t_\t_
2-3\t온다고했다\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\t온다고\t오+ㄴ다고\tVERB\tVV+EC\t_\t3\tccomp\t_\t_
3\t했다\t하+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t_\t_
"""


def test_words_of_ranges_that_no_level_makes_are_counted() -> None:
    assert lost(TWO, 2) == [OF_RANGES.replace("1 word", "2 words")]


PASSED = """\
1\t그\t그\tDET\tMM\t_\t2\tdet\t_\t_
2-3\t적에는\t_\t_\t_\t_\t_\t_\t_\t_
2\t적에\t적\tADV\tncn\t_\t0\troot\t_\tMSeg=적-에
3\t는\t는\tADP\tJX\t_\t2\tcase\t_\t_
4\t있는\t있\tAUX\tVX\t_\t2\taux\t_\tOrigLemma=있+는
"""


@pytest.mark.parametrize("level", [3, 5])
def test_pieces_that_tell_no_morphemes_ride_along(level: int) -> None:
    text = at(PASSED, level)
    assert "ncn\t_\t0\troot\t_\tMSeg=적-에\n" in text
    assert "\tOrigLemma=있+는\n" in text
    assert at(text, level) == text


def test_an_mseg_that_clashes_with_our_own_is_told() -> None:
    assert "적-에\n" not in at(PASSED, 1)
    assert lost(PASSED, 1) == [OF_JOINED, OF_RANGES]


def test_an_mseg_of_a_word_of_several_morphemes_is_told() -> None:
    text = (
        "1\t안\t안\tADV\tMAG\t_\t2\tadvmod\t_\t_\n"
        "2\t갔다\t가+았다\tVERB\tVV+EF\t_\t0\troot\t_\tMSeg=가-았-다\n"
    )
    assert lost(text, 5) == ["갔다: MSeg=가-았-다 has not the morphemes of VV+EF, passed over"]
    assert "2-3\t갔다\t_\t_\t_\t_\t_\t_\t_\tMSeg=가-았-다\n" in at(text, 5)
    misspelt = "3\t요\t요\tPART\tJX\t_\t1\tgoeswith\t_\t_\n"
    assert lost(text + misspelt, 5) == lost(text, 5)
    assert lost(text, 2) == []
    assert text in at(text, 2) == at(at(text, 5), 2)


@pytest.mark.parametrize("middle", [3, 4, 5])
def test_there_and_back(middle: int) -> None:
    assert rows(at(at(PAPER, middle), 2)) == rows(PAPER)


def test_no_head_stays_none() -> None:
    text = PAPER.replace("\t2\tnmod\t2:nmod", "\t_\t_\t_")
    assert rows(at(text, 5))[:2] == [
        ["프랑스", "Case=Gen", "_", "_", "_"],
        ["의", "_", "_", "_", "_"],
    ]


NODES = PAPER.replace("3:nsubj\t_", "3:nsubj|2.1:obj\t_").replace("3:punct\t_", "2.1:punct\t_")
NODES = NODES.replace("3\t나섰다", "2.1\t갔다\t_\t_\t_\t_\t_\t_\t0:root\t_\n3\t나섰다")


@pytest.mark.parametrize(
    ("level", "deps"),
    [
        (2, "2:nmod 3:nsubj|2.1:obj 0:root 0:root 2.1:punct"),
        (5, "3:nmod 1:case 5:nsubj|4.1:obj 3:case 0:root 0:root 5:mark 5:mark 4.1:punct"),
    ],
)
def test_empty_nodes_and_relations_to_them_are_kept(level: int, deps: str) -> None:
    assert [row[4] for row in rows(at(NODES, level))] == deps.split()
    assert not read(NODES).eojeols[0].notes
    assert not lost(NODES, level)


LINES = [
    "프랑스의\t프랑스/NNP+의/JKG",
    "세계적인\t세계/NNG+적/XSN+이/VCP+ㄴ/ETM",
    "나섰다.\t나서/VV+었/EP+다/EF+./SF",
    "“50%는”\t“/SS+50/SN+%/SW+는/JX+”/SS",
    "3.14,\t3/SN+./SF+14/SN+,/SP",
    "함께\t함께/MAG",
    "거야\t거/NNB+(이)/VCP+야/EF",
]


@st.composite
def trees(draw: st.DrawFn) -> tuple[Sentence, int]:
    """A sentence with a random tree over its words of some level, and that level."""
    level = draw(st.sampled_from(LEVELS))
    lines = draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=5))
    random = Random(draw(st.integers(0, 10_000)))
    assembler = READER.assembler
    eojeols = tuple([assembler[line] for line in lines])
    cut = RECUTS[level](Sentence(eojeols))
    order = list(range(1, len(list(cut.words)) + 1))
    random.shuffle(order)
    heads = dict.fromkeys(order, 0)
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[random.randrange(place)]
    arcs = Arcs(
        tuple([heads[n] for n in sorted(heads)]),
        tuple([f"r{n}" if heads[n] else "root" for n in sorted(heads)]),
    )
    return Sentence(treebank(cut), arcs=arcs, is_treebank=True), level


def treebank(cut: Sentence) -> tuple[Eojeol, ...]:
    """The eojeols of a sentence as if a treebank had these words, each with FEATS of its own."""
    number = 0
    eojeols = []
    for eojeol in cut.eojeols:
        tokens = []
        for token in eojeol.tokens:
            words = []
            for word in token.words:
                number += 1
                words.append(word._replace(upos="X", feats=f"N={number}", misc="_"))
            tokens.append(Token(token.form, tuple(words), space_after=token.space_after))
        eojeols.append(eojeol.but(tokens=tuple(tokens)))
    return tuple(eojeols)


def arcs_of(sentence: Sentence) -> Arcs:
    assert sentence.arcs is not None
    return sentence.arcs


@given(trees(), st.sampled_from(LEVELS))
def test_a_tree_stays_a_tree(tree: tuple[Sentence, int], level: int) -> None:
    sentence, _ = tree
    arcs = arcs_of(RECUTS[level](sentence))
    assert arcs.heads.count(0) == 1
    assert find_cycle(arcs.heads) < 0
    roots = zip(arcs.heads, arcs.deprels, strict=True)
    assert [deprel for head, deprel in roots if head == 0] == ["root"]


@given(trees(), st.sampled_from(LEVELS))
def test_cut_up_and_put_together_again(tree: tuple[Sentence, int], level: int) -> None:
    sentence, own = tree
    if level < own:
        return
    before = arcs_of(sentence), [word.feats for word in sentence.words]
    there = RECUTS[level](sentence)
    assert not there.notes
    back = RECUTS[own](there)
    assert (arcs_of(back), [word.feats for word in back.words]) == before


def test_a_symbol_that_the_source_lacks_is_no_word() -> None:
    text = PAPER.replace("나섰다\t", "나섰다.\t").replace("SpaceAfter=No", "_")
    text = text[: text.index("4\t.")]
    assert [row[:1] + row[2:4] for row in rows(at(text, 2))][2:] == [["나섰다.", "0", "root"]]
    assert [row[0] for row in rows(at(text, 5))][4:] == ["나서", "었", "다"]
    assert [note.code for note in read(text).eojeols[-1].notes] == ["W105"]


def test_a_single_word_keeps_its_root() -> None:
    text = "1\t네\t네\tINTJ\tIC\t_\t0\troot\t_\t_\n"
    assert rows(at(text, 1)) == [["네", "_", "0", "root", "_"]]


def test_what_was_kept_stays_marked() -> None:
    text = "1\t책을\t책을\tX\tNA\t_\t_\t_\t_\tSejongud=E101\n"
    assert at(text, 3).endswith("\tSejongud=E101\n\n")


def test_circles_and_heads_out_of_range_are_no_crash() -> None:
    text = PAPER.replace("\t3\tnsubj", "\t1\tnsubj")
    assert [row[2] for row in rows(at(text, 5))][:4] == ["3", "1", "1", "3"]


QUOTED = """\
# sent_id = a
# text = "디자이너" 나섰다 갔다
1\t"\t"\tPUNCT\tSS\t_\t5\tpunct\t_\tSpaceAfter=No
2\t디자이너\t디자이너\tNOUN\tNNG\tCase=Nom\t4\tnsubj\t_\tSpaceAfter=No
3\t"\t"\tPUNCT\tSS\t_\t2\tpunct\t_\t_
4\t나섰다\t나서+었+다\tVERB\tVV+EP+EF\t_\t5\tadvcl\t_\t_
5\t갔다\t가+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_
"""


def test_a_quotation_mark_does_not_stand_for_its_word() -> None:
    """It is nearer to the root."""
    assert rows(at(QUOTED, 1))[0] == ['"디자이너"', "Case=Nom", "2", "nsubj", "_"]


def test_a_mark_that_governs_a_word_keeps_its_place() -> None:
    """Passing it over could make a circle."""
    text = QUOTED.replace("\t4\tnsubj", "\t1\tnsubj")
    assert rows(at(text, 1))[0] == ['"디자이너"', "_", "3", "punct", "_"]


def test_of_unknown_tags_only_the_word_tells_the_upos() -> None:
    text = "1\t보좌관은\t보좌관+은\tNOUN\tQN+QM\t_\t0\troot\t_\t_\n"
    cells = [line.split("\t") for line in at(text, 5).split("\n")]
    assert [(c[1], c[3]) for c in cells if c[0] in ("1", "2")] == [("보좌관", "NOUN"), ("은", "X")]
    # Those of UD Korean PUD are known.
    cells = [line.split("\t") for line in at(text.replace("QN+QM", "NN+CM"), 5).split("\n")]
    assert [c[3] for c in cells if c[0] in ("1", "2")] == ["NOUN", "ADP"]


@pytest.mark.parametrize("name", ["ud", "klue-dp", "sejong"])
@pytest.mark.parametrize("upos", [None, "ud"])
def test_five_levels_together_are_those_of_each(root: Path, name: str, upos: str | None) -> None:
    """A level takes over what the level before has made of an eojeol that both cut alike."""
    [path] = (root / "samples").glob(f"{name}.*")
    sentences = list(sejongud.read(path, on_error="skip"))
    for level, together in zip(LEVELS, recuts(RULES, upos), strict=True):
        granularity = Granularity(RULES, level, upos=upos)
        alone = Recut(granularity, retag=upos is not None)
        for sentence in sentences:
            pairs = zip(together.tokens(sentence), alone.tokens(sentence), strict=True)
            assert all([list(map(columns, own)) == list(map(columns, of)) for own, of in pairs])


def columns(token: Token) -> tuple[object, ...]:
    return token.form, token.words, token.feats, token.misc, token.space_after
