"""morph2word: the inverse of word2morph, and the rule for what a parser made."""

from __future__ import annotations

import random
from functools import cache, partial
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from cases import cases
from corpora import RULES, read_treebank
from hypothesis import given
from hypothesis import strategies as st
from portions import some, some_levels

from sejongud.converters.jobs import Conversion, DependencyConversion
from sejongud.converters.morph2word import Morph2Word
from sejongud.converters.word2morph import Word2Morph
from sejongud.errors import FormatError
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.layers.arcs import find_cycle, make_tree
from sejongud.model import LEVELS, Arcs, Sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

    from sejongud.pipeline import BatchResult

CASES = cases("morph2word")

TREEBANKS = [
    "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "ud-korean-gsd/older-train/ko_gsd-ud-train.conllu",
    "ud-korean-kaist/ko_kaist-ud-dev.conllu",
    "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "ud-korean-pud/ko_pud-ud-test.conllu",
]
OPTIONS = [
    {},
    {"scheme": "morphud"},
    {"bound_marker": "+"},
    {"level": 3},
    {"level": 4, "scheme": "morphud", "bound_marker": "+"},
    {"upos": "sejong", "lemmas": "morphud"},
]


read = partial(read_treebank, trees=False)
write = ConlluWriter(same_header=True).sentence


def is_tree(heads: tuple[int, ...]) -> bool:
    return heads.count(0) == 1 and min(heads) >= 0 and find_cycle(heads) < 0


# A word: FORM, LEMMA, UPOS, XPOS. In some LEMMA and XPOS do not fit each other.
WORDS = CASES["WORDS"]
RELATIONS = ["nsubj", "obj", "aux", "case", "punct", "goeswith", "flat:name", "fixed", "conj"]
MISC = ["_", "SpaceAfter=No", "Translit=a=b|SpaceAfter=No", "Gloss=x"]


@st.composite
def sentences(draw: st.DrawFn, *, plain: bool = False) -> str:
    """A sentence of a treebank: any words, any tree, ranges, an enhanced graph, empty nodes.

    Args:
        draw: of Hypothesis.
        plain: without ranges, enhanced graph and odd comments, and with at least two words.
    """
    count = draw(st.integers(2 if plain else 1, 8))
    order = draw(st.permutations(range(count)))
    heads = [0] * count
    for at, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, at - 1))] + 1
    enhanced = not plain and draw(st.booleans())
    range_at = -1 if plain else draw(st.integers(-1, count - 2))
    lines = (
        ["# sent_id = 1", "# text = any"]
        if plain
        else ["#sent_id=odd", f"# sent_id = {draw(st.integers(1, 99))}", "#", "#  text  =  a  b"]
    )
    if enhanced and draw(st.booleans()):
        lines.append("0.1\t무\t무\tX\tX\t_\t_\t_\t1:dep\t_")
    for at, head in enumerate(heads):
        form, lemma, upos, xpos = draw(st.sampled_from(WORDS))
        deprel = "root" if head == 0 else draw(st.sampled_from(RELATIONS))
        feats = draw(st.sampled_from(["_", "Number=Plur", "Typo=Yes"]))
        misc = draw(st.sampled_from(MISC))
        deps = "_"
        if enhanced:
            deps = draw(st.sampled_from([f"{head}:{deprel}", f"{head}:{deprel}|{count}:x", "_"]))
        if at == range_at:
            line = [f"{at + 1}-{at + 2}", "둘", *"___", feats, *"___", draw(st.sampled_from(MISC))]
            lines.append("\t".join(line))
        cells = (str(at + 1), form, lemma, upos, xpos, feats, str(head), deprel, deps, misc)
        lines.append("\t".join(cells))
        if enhanced and draw(st.booleans()):
            lines.append(f"{at + 1}.1\t무\t무\tX\tX\t_\t_\t_\t{at + 1}:dep\t_")
    return "\n".join(lines) + "\n\n"


@pytest.mark.parametrize("options", OPTIONS)
@given(text=sentences())
def test_word_morph_word_is_the_same_to_the_byte(options: dict[str, Any], text: str) -> None:
    (source,) = read(text)
    morphemes = write(Word2Morph(RULES, **options)(source))
    (between,) = read(morphemes)
    back = Morph2Word(RULES, bound_marker=options.get("bound_marker", ""))
    assert write(back(between)) == text


@pytest.fixture(scope="module", params=TREEBANKS)
def treebank(shared: Path, request: pytest.FixtureRequest) -> tuple[str, list[Sentence]]:
    """The text of a treebank, and its sentences."""
    text = some((shared / "data" / request.param).read_bytes().decode())
    return text, read_treebank(text)


@pytest.mark.parametrize("options", OPTIONS[:2])
def test_treebanks_come_back_to_the_byte(
    treebank: tuple[str, list[Sentence]], options: dict[str, Any]
) -> None:
    text, sentences = treebank
    split = Word2Morph(RULES, **options)
    back = Morph2Word(RULES, bound_marker=options.get("bound_marker", ""))
    morphemes = "".join([write(split(sentence)) for sentence in sentences])
    assert "".join([write(back(one)) for one in read(morphemes)]) == text


# --- levels ---------------------------------------------------------------------------------------

KLUE = "klue-dp/klue-dp-v1.1_dev.first1500.tsv"
WAYS: dict[str, Any] = {
    **{f"convert {level}": Conversion("conllu", level=level) for level in LEVELS},
    **{f"split {level}": DependencyConversion("word2morph", level=level) for level in LEVELS[1:]},
    "join": DependencyConversion("morph2word"),
    **{f"klue {level}": Conversion("klue-dp", level=level, on_error="keep") for level in LEVELS},
}
PATHS = cache(lambda way: WAYS[way].make_pipeline())
GENERAL = cache(lambda way: WAYS[way].make_pipeline())


def made(way: str, text: str, works: Callable[[str], Any] = PATHS) -> BatchResult:
    """What a conversion makes of a text."""
    pipeline = works(way)
    if works is GENERAL:
        pipeline._fast_path = None
    done: BatchResult = pipeline(list(pipeline.reader.blocks([text])))
    return done


def by_way_of_levels(texts: dict[int, str]) -> None:
    """Compare each level with what comes of it by way of other levels."""
    for middle in some_levels():
        for level, text in texts.items():
            assert made(f"convert {level}", texts[middle]).text == text, f"{middle} to {level}"


@pytest.mark.parametrize("name", [name for name in (*TREEBANKS, KLUE) if "older" not in name])
def test_a_level_by_way_of_a_level_is_that_level(shared: Path, name: str) -> None:
    text = some((shared / "data" / name).read_bytes().decode())
    way = "klue" if name == KLUE else "convert"
    texts = {level: made(f"{way} {level}", text).text for level in LEVELS}
    by_way_of_levels(texts)
    if name == KLUE:
        return
    for level in some_levels():
        assert made("join", texts[level]).text == text, f"back from level {level}"
        if level > 1:
            assert made(f"split {level}", text).text == texts[level], f"dep word2morph, {level}"


@pytest.mark.parametrize("name", ["ud.conllu", "klue-dp.tsv", "expected/penn-korean.5.conllu"])
def test_samples_by_way_of_a_level(root: Path, name: str) -> None:
    text = (root / "samples" / name).read_text("utf-8")
    way = "klue" if name.startswith("klue") else "convert"
    by_way_of_levels({level: made(f"{way} {level}", text).text for level in LEVELS})


@given(sentences(plain=True), st.sampled_from(LEVELS), st.sampled_from(LEVELS))
def test_words_by_way_of_a_level(text: str, middle: int, level: int) -> None:
    direct = made(f"convert {level}", text).text
    assert made(f"convert {level}", made(f"convert {middle}", text).text).text == direct
    if level > 1:
        assert made(f"split {level}", text).text == direct
    assert made("join", direct).text == text


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("noun", "verb", "stop"),
    [
        ("NE=B-PS", "SpaceAfter=No|NE=B-LC", "_"),
        ("Gloss=Kim|NE=B-PS", "SpaceAfter=No|NE=O", "NE=O"),
        ("A=b|NE=B-PS|Z=z", "NE=I-PS|SpaceAfter=No", "NE=B-LC"),
        ("NE2=B-PS|NE=B-PS", "A=b|NE=B-LC|SpaceAfter=No", "A=b|NE=I-LC"),
        ("NE=B-PS|A=b", "SpaceAfter=No|NE=B-LC|A=b", "_"),
    ],
)
def test_labels_keep_their_place_in_misc(level: int, noun: str, verb: str, stop: str) -> None:
    text = (
        "# sent_id = 1\n# text = 민수는 간다.\n"
        f"1\t민수는\t민수+는\tPROPN\tNNP+JX\t_\t2\tnsubj\t_\t{noun}\n"
        f"2\t간다\t가+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t_\t{verb}\n"
        f"3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t{stop}\n\n"
    )
    converted = made(f"convert {level}", text).text
    assert made("convert 2", converted).text == text
    assert made("join", converted).text == text


def test_empty_nodes_keep_their_place_at_level_1() -> None:
    text = (
        "# sent_id = 1\n# text = “그는 온다.\n"
        "1\t“\t“\tPUNCT\tSS\t_\t3\tpunct\t3:punct\tSpaceAfter=No\n"
        "1.1\t내일\t_\tNOUN\tNNG\t_\t_\t_\t3:obl\t_\n"
        "2\t그는\t그+는\tPRON\tNP+JX\t_\t3\tnsubj\t3:nsubj\t_\n"
        "3\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t0:root\tSpaceAfter=No\n"
        "3.1\t비\t_\tNOUN\tNNG\t_\t_\t_\t3:obj\t_\n"
        "3.2\t꼭\t_\tADV\tMAG\t_\t_\t_\t3.1:advmod|3:advmod\tA=b\n"
        "4\t.\t.\tPUNCT\tSF\t_\t3\tpunct\t3:punct\t_\n"
        "4.1\t또\t_\tADV\tMAG\t_\t_\t_\t3.2:advmod\t_\n\n"
    )
    converted = made("convert 1", text)
    rows = [line.split("\t") for line in converted.text.split("\n")[2:-2]]
    assert [row[0] for row in rows] == ["1", "1.1", "2", "2.1", "2.2", "2.3"]
    assert [row[8] for row in rows[4:]] == ["2.1:advmod|2:advmod", "2.2:advmod"]
    assert not converted.incidents
    assert made("convert 2", converted.text).text == text
    assert made("join", converted.text).text == text


@given(sentences(), st.sampled_from([way for way in WAYS if not way.startswith("klue")]))
def test_the_fast_path_is_the_general_path(text: str, way: str) -> None:
    assert made(way, text) == made(way, text, GENERAL)


@pytest.mark.parametrize("name", TREEBANKS)
def test_the_fast_path_is_the_general_path_on_treebanks(shared: Path, name: str) -> None:
    text = some((shared / "data" / name).read_bytes().decode())
    for level in some_levels():
        for way in (f"convert {level}", f"split {level}"):
            if way in WAYS:
                assert made(way, text) == made(way, text, GENERAL), way
        parts = made(f"convert {level}", text).text
        assert made("join", parts) == made("join", parts, GENERAL), level


@pytest.mark.parametrize("level", LEVELS[1:])
@pytest.mark.parametrize(
    ("form", "lemma", "xpos", "misc"),
    [
        ("예쁘게", "예쁘+게", "paa+ecs", "_"),
        ("이라고", "이+라+고", "jp+ef+jcr", "SpaceAfter=No"),
        ("갔던", "가", "px+ep+etm", "OrigLemma=가+았+던"),
        ("청소했으며", "청소+하+었+으며", "ncpa+xsv+ep+ecs", "_"),
        ("오리와", "오리+과", "NNG+JC", "_"),
    ],
)
def test_a_new_token_of_any_kind_is_compiled(
    level: int, form: str, lemma: str, xpos: str, misc: str
) -> None:
    pipeline = PATHS(f"convert {level}")
    key = "\t".join((form, lemma, "VERB", xpos, "_")), misc
    assert pipeline._fast_path._compiler(key) is not None
    row = f"1\t{form}\t{lemma}\tVERB\t{xpos}\t_\t0\troot\t_\t{misc}"
    text = f"# sent_id = 1\n# text = {form}\n{row}\n\n"
    assert made(f"convert {level}", text) == made(f"convert {level}", text, GENERAL)


_VERB = "간다\t가+ㄴ다\tVERB\tVV+EF\tMood=Ind", "SpaceAfter=No|Translit=.gan.da|LTranslit=.ga+ㄴ.da"
_STOP = ".\t.\tPUNCT\tSF\t_", "Translit=.|LTranslit=."


@pytest.mark.parametrize(
    ("tokens", "is_compiled"),
    [
        ([_VERB, _STOP], True),
        ([('"\t"\tPUNCT\tSS\t_', 'SpaceAfter=No|Translit="|LTranslit="'), _VERB, _STOP], True),
        ([("1\t1\tNUM\tSN\t_", "SpaceAfter=No"), (",\t,\tPUNCT\tSP\t_", "SpaceAfter=No")], True),
        # A symbol may be a word, and the head of none.
        ([("%\t%\tNOUN\tSW\t_", "SpaceAfter=No"), (".\t.\tPUNCT\tSF\t_", "_")], False),
        ([("㎏\t㎏\tNOUN\tSW\t_", "SpaceAfter=No"), (".\t.\tPUNCT\tSF\t_", "_")], True),
        ([_VERB, (_STOP[0], "_")], False),
        ([_VERB, (_STOP[0], "Translit=.|LTranslit=.|Gloss=x")], False),
        ([_VERB, (".\t.\tPUNCT\tSF\tTypo=Yes", _STOP[1])], False),
        ([_VERB, (".\t·\tPUNCT\tSF\t_", _STOP[1])], False),
        ([_VERB, ("+\t+\tPUNCT\tSW\t_", "Translit=+|LTranslit=+")], False),
        ([_VERB, ("…\t…\tPUNCT\tXX\t_", "Translit=…|LTranslit=…")], False),
        ([_VERB, ("..\t..\tPUNCT\tSP+SP\t_", "Translit=..|LTranslit=..")], False),
        ([_VERB, _VERB, _STOP], False),
        ([("나\t너\tPRON\tNP\t_", "SpaceAfter=No"), (",\t,\tPUNCT\tSP\t_", "_")], False),
        ([("나\t나\tPRON\tNP\t_", "Gloss=x|SpaceAfter=No"), (",\t,\tPUNCT\tSP\t_", "_")], False),
        ([("했다\t하\tAUX\tVX+EP+EF\t_", "SpaceAfter=No|OrigLemma=하+았+다"), _STOP], False),
        ([(_STOP[0], "SpaceAfter=No"), _STOP], False),
    ],
)
def test_a_word_and_its_marks_are_compiled(
    tokens: list[tuple[str, str]], *, is_compiled: bool
) -> None:
    pipeline = PATHS("convert 1")
    assert (pipeline._fast_path._compiler(tuple(tokens)) is not None) == is_compiled
    rows = [
        f"{at}\t{text}\t{1 if at > 1 else 0}\t{'punct' if at > 1 else 'root'}\t_\t{misc}"
        for at, (text, misc) in enumerate(tokens, 1)
    ]
    text = "\n".join(["# sent_id = 1", "# text = x", *rows, "", ""])
    assert made("convert 1", text) == made("convert 1", text, GENERAL)


def test_words_of_level_1_that_were_split_come_back_as_words_of_level_1() -> None:
    """The words that `Tokens` names come back in a step of their own (`Tokens=1-HEAD=5`)."""
    rows = ["1\t봄\t봄\tNOUN\tNNG\t_\t2\tnmod\t_\tTokens=1-HEAD=5"]
    rows += ["2\t꽃,\t꽃+,\tNOUN\tNNG+SP\t_\t3\tnsubj\t_\tTokens=1,1"]
    rows += ["3\t피었다.\t피+었+다+.\tVERB\tVV+EP+EF+SF\t_\t0\troot\t_\tTokens=3,1", "", ""]
    [sentence] = read("\n".join(["# text = 봄 꽃, 피었다.", *rows]))
    split = write(Word2Morph(RULES)(sentence))
    assert "2-3\t꽃," in split
    assert write(Morph2Word(RULES)(read(split)[0])) == write(sentence)


@pytest.mark.parametrize("misc", ["WordUPOS=ADV", "WordHead=1", "WordUPOS=ADV|WordSizes=1,1|X=1"])
def test_ranges_of_a_level_come_back_with_what_brings_their_words_back(misc: str) -> None:
    """A file that `convert --level 3` made has items of its ranges before it is split further."""
    rows = [f"1-2\t한국에서\t_\t_\t_\t_\t_\t_\t_\t{misc}"]
    rows += [
        "1\t한국\t한국\tPROPN\tNNP\t_\t3\tobl\t_\t_",
        "2\t에서\t에서\tADP\tJKB\t_\t1\tcase\t_\t_",
    ]
    rows += ["3\t산다\t살+는다\tVERB\tVV+EF\t_\t0\troot\t_\t_", "", ""]
    [sentence] = read("\n".join(["# text = 한국에서 산다", *rows]))
    split = Word2Morph(RULES)(sentence)
    assert write(split) != write(sentence)
    assert write(Morph2Word(RULES)(read(write(split))[0])) == write(sentence)


EDITED = """\
# text = 그 보좌관은 말한다는 걸 싶습니다
1\t그\t그\tDET\tMM\t_\t2\tdet\t_\t_
2\t보좌관은\t보좌관\tNOUN\tNNG+JX\t_\t3\tnsubj\t_\tMSeg=보좌-관은|Gloss=a
3\t말한다는\t말하\tVERB\tVV+ETM\t_\t4\tacl\t_\tX|OrigLemma=말하+ㄴ다는|X
4\t걸\t것+ㄹ\tNOUN\tNNB+JKO\t_\t5\tobj\t_\t_
5\t싶습니다\t싶\tVERB\tVX+EF\t_\t0\troot\t_\t_

"""


@pytest.mark.parametrize(
    ("edit", "row", "expected"),
    [
        (("2\t보좌\t", "2\t보좌관\t", "3\t관은\t", "3\t은\t"), 2, "MSeg=보좌관-은|Gloss=a"),
        (("\tㄴ다는\t", "\t는다는\t"), 3, "X|OrigLemma=말하+는다는|X"),
        (("\tㄹ\t", "\t을\t"), 4, "_"),
        (("\t습니다\t", "\tㅂ니다\t"), 5, "MSeg=싶-ㅂ니다"),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_morphemes_that_were_edited_arrive_in_the_words(
    edit: tuple[str, ...], row: int, expected: str, *, fast: bool
) -> None:
    """What MISC of the range told of them before came back instead, in silence."""
    text = made("split 5", EDITED).text
    assert made("join", text).text == EDITED
    for old, new in zip(edit[::2], edit[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    cells = made("join", text, *([] if fast else [GENERAL])).text.split("\n")[row].split("\t")
    assert cells[9] == expected
    again = made("split 5", made("join", text).text).text
    assert [line.split("\t")[1] for line in again.split("\n")[1:-2]] == [
        line.split("\t")[1] for line in text.split("\n")[1:-2]
    ]


@pytest.mark.parametrize(
    ("misc", "way", "columns"),
    [
        ("WordXPOS=pvg+ef", "join", "오+ㄴ+다 VERB VV+EP+EF"),
        ("WordSizes=1,1", "join", "오+ㄴ+다 VERB VV+EP+EF"),
        ("WordSizes=2,1|WordXPOS=x", "join", "오+ㄴ VERB VV+EP"),
        ("HeadMorpheme=4", "join", "오+ㄴ+다 VERB VV+EP+EF"),
        ("Tokens=1,1", "convert 2", "오+ㄴ+다 VERB VV+EP+EF"),
    ],
)
def test_items_of_other_morphemes_are_told(misc: str, way: str, columns: str) -> None:
    """Somebody has inserted a morpheme: XPOS had the tags of before, and the rest went unsaid."""
    rows = [
        f"1-3\t온다\t_\t_\t_\t_\t_\t_\t_\t{misc.partition('|')[0]}",
        f"1\t오\t오\tVERB\tVV\t_\t0\troot\t_\t{misc.partition('|')[2] or '_'}",
        "2\tㄴ\tㄴ\tPART\tEP\t_\t1\tmark\t_\t_",
        "3\t다\t다\tPART\tEF\t_\t1\tmark\t_\t_",
    ]
    if way != "join":
        rows = [f"1\t온다\t오+ㄴ+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t{misc}"]
    text = "\n".join(["# text = 온다", *rows, "", ""])
    done = made(way, text)
    assert done == made(way, text, GENERAL)
    assert "\t".join(["", *columns.split(), ""]) in done.text
    [told] = done.incidents
    item = misc.rpartition("|")[2]
    item = item if way == "join" else "Tokens"
    assert told.message == f"not used: {item} of 온다, whose morphemes were edited"


CLIMBED = """\
# text = 한국에서 가지 않았다, 집
1\t한국에서\t한국+에서\tADV\tNNP+JKB\t_\t2\tadvmod\t_\t_
2\t가지\t가+지\tVERB\tVV+EC\t_\t0\troot\t_\t_
3\t않았다\t않+았+다\tAUX\tVX+EP+EF\t_\t2\taux\t_\tSpaceAfter=No
4\t,\t,\tPUNCT\tSP\t_\t3\tpunct\t_\t_
5\t집\t집\tNOUN\tNNG\t_\t2\tobl\t_\t_

"""


@pytest.mark.parametrize(
    ("old", "new", "row", "arc"),
    [
        ("3\tobl\t", "3\tnsubj\t", 1, "2\tnsubj"),
        ("\tSP\t_\t3\t", "\tSP\t_\t9\t", 4, "5\tpunct"),
        ("\tWordHead=3", "\tWordHead=1", 4, "2\tpunct"),
        ("\tWordHead=3", "\tWordHead=77", 4, "2\tpunct"),
    ],
)
def test_arcs_that_were_edited_are_not_those_that_misc_tells(
    old: str, new: str, row: int, arc: str
) -> None:
    """The numbers in MISC are wrong where words were deleted or inserted."""
    text = made("split 5", CLIMBED).text
    assert "WordDeprel=advmod" in text and "WordHead=3" in text
    assert old in text and made("join", text).text == CLIMBED
    edited = text.replace(old, new, 1)
    done = made("join", edited)
    assert f"\t{arc}\t" in done.text.split("\n")[row]
    [told] = done.incidents
    assert (told.code, done) == ("W301", made("join", edited, GENERAL))
    assert "WordHead or WordDeprel of 1 word, whose HEAD or DEPREL was edited" in told.message


@pytest.mark.parametrize(
    ("misc", "part_misc", "is_compiled"),
    [
        ("_", "_", True),
        ("SpaceAfter=No|WordUPOS=ADV|WordLemma=한국+에서|HeadMorpheme=2", "_", True),
        ("WordFeats=Case=Nom|WordXPOS=a%s", "_", False),
        ("WordHead=2", "_", False),
        ("WordSizes=1,1", "_", False),
        ("_", "MSeg=한-국", False),
    ],
)
def test_a_new_range_is_compiled_if_it_is_plain(
    misc: str, part_misc: str, *, is_compiled: bool
) -> None:
    parts = ["한국\t한국\tPROPN\tNNP\t_", "에서\t에서\tADP\tJKB\t_"]
    key = ("한국에서\t_\t_\t_\t_", misc), (parts[0], part_misc), (parts[1], "_")
    assert (PATHS("join")._fast_path._compiler(key) is not None) == is_compiled
    rows = [f"1-2\t{key[0][0]}\t_\t_\t_\t{misc}", f"1\t{parts[0]}\t0\troot\t_\t{part_misc}"]
    text = "\n".join([*rows, f"2\t{parts[1]}\t1\tcase\t_\t_", "", ""])
    assert made("join", text) == made("join", text, GENERAL)


MORPHEMES = """\
# sent_id = 1
1-2\t집에\t_\t_\t_\t_\t_\t_\t_\t_
1\t집\t집\tNOUN\tNNG\t_\t{}\tobl\t_\t_
2\t에\t에\tADP\tJKB\t_\t{}\tcase\t_\t_
3-5\t갔다\t_\t_\t_\t_\t_\t_\t_\t_
3\t가\t가\tVERB\tVV\t_\t{}\troot\t_\t_
4\t았\t었\tAUX\tEP\t_\t{}\taux\t_\t_
5\t다\t다\tPART\tEF\t_\t{}\tdep\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\tSF\t_\t{}\tpunct\t_\t_

"""


@pytest.mark.parametrize(("heads", "expected"), CASES["test_the_rule"])
def test_the_rule(heads: list[int], expected: list[list[object]]) -> None:
    text = MORPHEMES.format(*["_" if head < 0 else head for head in heads])
    (sentence,) = read(text)
    words = Morph2Word(RULES)(sentence)
    assert words.arcs is not None
    if heads[2] == 6 and heads[5] == 1:
        # A circle of all three words: its first one is the root.
        assert is_tree(words.arcs.heads)
        assert words.arcs.heads[0] == 0
        return
    arcs = zip(words.arcs.heads, words.arcs.deprels, strict=True)
    assert list(map(list, arcs)) == expected
    assert is_tree(words.arcs.heads)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("\t한국\tPROPN", "\t한국\tNUM", 1),
        ("\t한국\tPROPN", "\t한국이다\tVERB", 1),
        ("\t에서\tADP", "\t에\tADP", 1),
        ("\t지\tPART", "\t지다\tVERB", 1),
        # The word has no UPOS of its own.
        ("\t가\tVERB", "\t가\tADJ", 0),
        # LEMMA and UPOS of another scheme.
        ("\t었\tPART", "\t았\tAUX", 0),
    ],
)
def test_upos_and_lemma_that_were_edited_are_told(old: str, new: str, lost: int) -> None:
    text = made("split 5", CLIMBED).text
    assert old in text and not made("join", text).incidents
    edited = text.replace(old, new)
    done = made("join", edited)
    assert done == made("join", edited, GENERAL)
    assert [one.message for one in done.incidents] == [
        "not written: UPOS or LEMMA of 1 word, now part of a longer one"
    ] * lost
    assert (done.text == CLIMBED) == (new != "\t가\tADJ")


@pytest.mark.parametrize(
    ("old", "new", "feats"),
    [
        ("\tMood=Ind\t", "\tMood=Imp\t", "Mood=Imp|Tense=Past|Voice=Cau"),
        ("\tTense=Past\t", "\t_\t", "Mood=Ind|Voice=Cau"),
        (
            "\tVoice=Cau\t",
            "\tPolarity=Neg|Voice=Cau\t",
            "Mood=Ind|Polarity=Neg|Tense=Past|Voice=Cau",
        ),
    ],
)
def test_feats_that_were_edited_arrive_in_the_words(old: str, new: str, feats: str) -> None:
    """`WordFeats` of the range brought those of before back, in silence."""
    told = "Mood=Ind|Tense=Past|Voice=Cau"
    word = f"# text = 보냈다\n1\t보냈다\t보내+었+다\tVERB\tVV+EP+EF\t{told}\t0\troot\t_\t_\n\n"
    text = made("split 5", word).text
    assert "WordFeats=" in text and old in text and made("join", text).text == word
    edited = text.replace(old, new)
    for way in ("join", "convert 2"):
        assert made(way, edited).text.partition("1\t")[2] == word.partition("1\t")[2].replace(
            told, feats
        )
    assert made("join", edited) == made("join", edited, GENERAL)


@pytest.mark.parametrize("misc", ["OrigLemma=하+았+다", "MSeg=하-았-다"])
def test_a_stem_that_was_edited_is_the_lemma_of_the_word(misc: str) -> None:
    """`WordLemma` is the stem of before."""
    text = f"# text = 했다\n1\t했다\t하\tAUX\tVX+EP+EF\t_\t0\troot\t_\t{misc}\n\n"
    split = made("split 5", text).text
    assert "\t하\t하\tAUX" in split and made("join", split).text == text
    edited = split.replace("\t하\t하\tAUX", "\t되\t되\tAUX")
    for way in ("join", "convert 2"):
        [row] = [line for line in made(way, edited).text.split("\n") if line[:1] == "1"]
        assert row.split("\t")[2] == "되" and row.endswith(misc.replace("하", "되"))
    assert made("join", edited) == made("join", edited, GENERAL)


@pytest.mark.parametrize(
    ("lemma", "joined", "new", "expected"),
    [
        ("가+았+다", '"+가+았+다+.', '"+가다+.', "가다"),
        ("가+았+다", '"+가+았+다+.', "가다", "가다"),
        ("가", "가", "가다", "가다"),
    ],
)
def test_a_lemma_that_was_edited_at_level_1_arrives(
    lemma: str, joined: str, new: str, expected: str
) -> None:
    """It was put together anew of the morphemes, in silence."""
    upos = "VERB" if "+" in lemma else "AUX"
    rows = [
        '1\t"\t"\tPUNCT\tSS\t_\t2\tpunct\t_\tSpaceAfter=No',
        f"2\t갔다\t{lemma}\t{upos}\tVX+EP+EF\t_\t0\troot\t_\tOrigLemma=가+았+다|SpaceAfter=No",
        "3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_",
    ]
    text = "\n".join(["# sent_id = 1", '# text = "갔다.', *rows, "", ""])
    whole = made("convert 1", text).text
    assert f"\t{joined}\t" in whole and made("convert 2", whole).text == text
    edited = made("convert 2", whole.replace(f"\t{joined}\t", f"\t{new}\t")).text
    assert edited == text.replace(f"\t{lemma}\t", f"\t{expected}\t")


@pytest.mark.parametrize("row", [1, 2])
def test_feats_are_lost_where_another_morpheme_has_the_arc_of_the_word(row: int) -> None:
    """Those of the head that the tags tell were said to be lost, and others were in silence."""
    lines = MORPHEMES.format(2, 3, 0, 3, 3, 3).split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith(f"{row}\t"))
    lines[at] = lines[at].replace("\t_\t", "\tCase=Loc\t", 1)
    [sentence] = read("\n".join(lines))
    joined = Morph2Word(RULES)(sentence)
    assert next(joined.words).feats == ("Case=Loc" if row == 2 else "_")
    assert [note.code for note in joined.notes] == ["W301"] * (row == 1)


def test_words_of_a_parse_without_our_misc() -> None:
    (sentence,) = read(MORPHEMES.format(3, 1, 0, 3, 3, 3))
    words = list(Morph2Word(RULES)(sentence).words)
    assert [(w.form, w.lemma, w.upos, w.xpos, w.misc) for w in words] == [
        ("집에", "집+에", "NOUN", "NNG+JKB", "_"),
        # SpaceAfter=No on the last morpheme, as in the published files.
        ("갔다", "가+았+다", "VERB", "VV+EP+EF", "SpaceAfter=No"),
        (".", ".", "PUNCT", "SF", "_"),
    ]


def test_words_of_the_treebank() -> None:
    (sentence,) = read(MORPHEMES.format(3, 1, 0, 3, 3, 1))
    text = "# text = 집에 갔다.\n1\t집에\t집\tADV\tNNG+JKB\t_\t2\tobl\t_\tA=1\n"
    text += "2\t갔다\t가다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No\n"
    gold = text + "3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_\n\n"
    (words,) = read(gold)
    expected = gold.replace("2\tpunct", "1\tpunct")
    assert write(Morph2Word(RULES)(sentence, words)) == expected
    (fewer,) = read(text + "\n")
    with pytest.raises(FormatError, match="3 words where the treebank has 2"):
        Morph2Word(RULES)(sentence, fewer)


SENTENCE = """\
# sent_id = 1
1\t친구의\t친구+의\tNOUN\tNNG+JKG\t_\t2\tnmod\t_\t_
2\t책을\t책+을\tNOUN\tNNG+JKO\t_\t3\tobj\t_\t_
3\t읽었습니다만\t읽+었+습니다만\tVERB\tVV+EP+EC\t_\t6\tadvcl\t_\tSpaceAfter=No
4\t,\t,\tPUNCT\tSP\t_\t3\tpunct\t_\t_
5\t재미가\t재미+가\tNOUN\tNNG+JKS\t_\t6\tnsubj\t_\t_
6\t없었다\t없+었+다\tADJ\tVA+EP+EF\t_\t0\troot\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\tSF\t_\t6\tpunct\t_\t_

"""


@pytest.mark.parametrize("scheme", ["morphud", "ud"])
def test_a_thousand_damaged_trees(scheme: str) -> None:
    rng = random.Random(5)
    (source,) = read(SENTENCE)
    whole = Word2Morph(RULES, scheme=scheme)(source)
    assert whole.arcs is not None
    back = Morph2Word(RULES)
    mended = 0
    for _ in range(1000):
        heads = list(whole.arcs.heads)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(heads))
            # Anywhere, to the root, to nothing, to itself.
            heads[at] = rng.choice([rng.randint(0, len(heads)), 0, -1, at + 1])
        words = back(whole.but(arcs=Arcs(tuple(heads), whole.arcs.deprels)))
        assert words.arcs is not None
        changed = [note.code for note in words.notes] == ["W210"]
        mended += changed
        assert is_tree(words.arcs.heads)
        assert [token.form for token in words.tokens] == [token.form for token in source.tokens]
        if changed:
            assert words.arcs.deprels.count("root") == 1
            assert words.arcs.deprels[words.arcs.heads.index(0)] == "root"
    assert mended > 500


@given(st.lists(st.integers(-1, 12), min_size=1, max_size=12))
def test_make_tree_makes_trees(heads: list[int]) -> None:
    heads = [head if head <= len(heads) else 0 for head in heads]
    before = list(heads)
    deprels = ["root" if head == 0 else "x" for head in heads]
    make_tree(heads, deprels)
    assert is_tree(tuple(heads))
    assert deprels.count("root") == 1
    if is_tree(tuple(before)):
        assert heads == before


def test_many_cycles_are_mended_in_linear_time() -> None:
    heads = [at + 2 - at % 2 * 2 for at in range(20_000)]
    started = process_time()
    make_tree(heads, ["x"] * len(heads))
    assert process_time() - started < 2
    assert is_tree(tuple(heads))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_find_cycle(heads: list[int]) -> None:
    heads = [head if head <= len(heads) else 0 for head in heads]

    def reaches_root(at: int) -> bool:
        for _ in heads:
            if heads[at] == 0:
                return True
            at = heads[at] - 1
        return False

    found = find_cycle(heads)
    if found < 0:
        assert all(map(reaches_root, range(len(heads))))
    else:
        assert not reaches_root(found)


@pytest.mark.parametrize("level", [3, 4, 5])
def test_entities_of_parts_are_those_of_the_word(cli: Cli, level: int) -> None:
    rows = (
        "# sent_id = 1\n# text = 서울에서 놀았다.\n"
        "1\t서울에서\t서울+에서\tADV\tNNP+JKB\t_\t2\tadvmod\t_\tNE=B-LC|NEMorph=1:B-LC\n"
        "2\t놀았다\t놀+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\tSpaceAfter=No\n"
        "3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_\n\n"
    )
    parts = cli("convert", "--level", str(level), stdin=rows.encode())
    assert "NE=B-LC\n2\t에서" in parts.stdout.decode()
    assert cli("dep", "morph2word", stdin=parts.stdout).stdout.decode() == rows
    assert cli("dep", "word2morph", "--level", str(level), stdin=rows.encode()).stdout == (
        parts.stdout
    )


def test_labels_in_feats_stay_there(cli: Cli) -> None:
    rows = "# sent_id = 1\n1\t서울에서\t서울+에서\tADV\tNNP+JKB\tB-LC\t0\troot\t_\t_\n\n"
    parts = cli("dep", "word2morph", stdin=rows.encode()).stdout
    assert cli("dep", "morph2word", stdin=parts).stdout.decode() == rows


def test_labels_of_a_range_are_those_of_its_morphemes(cli: Cli) -> None:
    rows = (
        "# sent_id = 1\n# text = 구(舊)서울에서\n"
        "1-4\t구(舊)서울에서\t_\t_\t_\t_\t_\t_\t_\tNE=B-LC|NEMorph=5:B-LC\n"
        "1\t구\t구\tNOUN\tNNG\t_\t_\t_\t_\t_\n2\t(舊)\t(+舊+)\tX\tSS+SH+SS\t_\t_\t_\t_\t_\n"
        "3\t서울\t서울\tPROPN\tNNP\t_\t_\t_\t_\t_\n4\t에서\t에서\tADP\tJKB\t_\t_\t_\t_\t_\n\n"
    )
    words = cli("convert", stdin=rows.encode()).stdout.decode().split("\n")
    assert [line.split("\t")[1] for line in words if "NE=B" in line] == ["서울"]


def test_no_tree_is_made_of_words_without_heads(cli: Cli) -> None:
    rows = (
        "# sent_id = 1\n1\t가\t가\tVERB\tVV\t_\t_\t_\t_\t_\n2\t나\t나\tPRON\tNP\t_\t_\t_\t_\t_\n\n"
    )
    made = cli("dep", "morph2word", stdin=rows.encode())
    assert (made.stdout.decode(), "W210" in made.stderr.decode()) == (rows, False)


def test_feats_of_a_range_stay_with_its_word_at_every_level(cli: Cli) -> None:
    text = (
        "# sent_id = a\n# text = 먹엇어요\n1-2\t먹엇어요\t_\t_\t_\tTypo=Yes\t_\t_\t_\t_\n"
        "1\t먹엇어\t먹+었+어\tVERB\tVV+EP+EF\tMood=Ind\t0\troot\t_\t_\n"
        "2\t요\t요\tPART\tJX\t_\t1\tdiscourse\t_\t_\n\n"
    )
    for level, end in (("1", "1"), ("2", "1"), ("3", "2"), ("5", "4")):
        done = cli("convert", "--level", level, stdin=text.encode()).stdout.decode()
        rows = [line.split("\t") for line in done.split("\n") if "\t" in line]
        feats = "Mood=Ind|Typo=Yes" if end == "1" else "Typo=Yes"
        first = "1" if end == "1" else f"1-{end}"
        assert (rows[0][0], rows[0][1], rows[0][5]) == (first, "먹엇어요", feats)
        assert rows[-1][0] == end
    words = cli("dep", "morph2word", stdin=text.encode()).stdout.decode()
    assert "\tVV+EP+EF+JX\tMood=Ind|Typo=Yes\t0\troot\t" in words


@pytest.mark.parametrize("run", ["convert --level 2", "convert --level 5", "dep morph2word"])
@pytest.mark.parametrize("column", [2, 3, 4, 6, 7])
def test_other_columns_of_a_range_are_told(cli: Cli, run: str, column: int) -> None:
    cells = ["1-2", "나는", *["_"] * 8]
    cells[column] = "x"
    rows = "1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n2\t는\t는\tADP\tJX\t_\t1\tcase\t_\t_\n\n"
    text = "# sent_id = a\n# text = 나는\n" + "\t".join(cells) + f"\n{rows}"
    done = cli(*run.split(), stdin=text.encode())
    assert "W301 not written: other columns of 1-2" in done.stderr.decode()
