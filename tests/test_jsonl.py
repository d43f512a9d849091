"""JSON Lines: every part of a sentence comes back."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import FormatError, OnError, Report
from sejongud.formats.jsonl import JsonlReader, JsonlWriter
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs, Eojeol, Sentence, Token, Word
from sejongud.morphology.eojeol import MADE, Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

ASSEMBLER = Assembler(load())


def read(text: str, on_error: OnError = "stop") -> list[Sentence]:
    reader = JsonlReader(ASSEMBLER, keep=on_error == "keep")
    return list(reader.read(reader.frame([text]), "x.jsonl", on_error, Report()))


def write(sentences: list[Sentence], level: int = 5) -> str:
    return "".join(map(JsonlWriter(Granularity(load(), level)).sentence, sentences))


def plain(sentence: Sentence) -> tuple[Any, ...]:
    """All of a sentence, with the eojeols spelled out."""
    eojeols = [
        (e.form, e.morphemes, e.spans, e.notes, [(t.form, t.words, t.misc) for t in e.tokens])
        for e in sentence.eojeols
    ]
    return eojeols, astuple(sentence)[1:]


@pytest.fixture(scope="module")
def sample(root: Path) -> str:
    return (root / "samples" / "jsonl.jsonl").read_text(encoding="utf-8")


def test_the_sample(sample: str) -> None:
    first, second = read(sample)
    assert first.ids == ("a-1-1", "a-1-2")
    assert first.comments == ("newdoc id = a",)
    assert [m.sense for m in first.eojeols[0].morphemes] == ["01", ""]
    assert first.eojeols[1].morphemes[-1].added
    assert second.eojeols[0].morphemes[1].source == "\u11ab"
    assert second.eojeols[1].morphemes[0].source_tag == "NNGG"
    assert second.eojeols[1].notes[0] == MADE
    assert second.arcs == Arcs((2, 0), ("acl", "root"))
    assert [word.misc for word in second.words] == ["Translit=keun", ""]
    assert second.entities == (((), ("B-AF", "O", "O")),)


@pytest.mark.parametrize("level", [1, 3, 5])
def test_the_sample_comes_back(sample: str, level: int) -> None:
    sentences = read(sample)
    again = read(write(sentences, level))
    assert [plain(s) for s in again] == [plain(s) for s in sentences]


def test_what_is_written() -> None:
    line = write([Sentence((ASSEMBLER["샀다.\t사/VV+았/EP+다/EF+./SF"],), "7", ("x",))])
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "sent_id": "7",
        "text": "샀다.",
        "eojeols": [
            {
                "id": "x",
                "form": "샀다.",
                "morphemes": [
                    {"form": "사", "tag": "VV", "span": [0, 1]},
                    {"form": "았", "tag": "EP", "span": [0, 1]},
                    {"form": "다", "tag": "EF", "span": [1, 2]},
                    {"form": ".", "tag": "SF", "span": [2, 3]},
                ],
                "tokens": [
                    {
                        "form": "샀다",
                        "words": [
                            {"form": "사", "lemma": "사", "upos": "VERB", "xpos": "VV"},
                            {"form": "았", "lemma": "었", "upos": "PART", "xpos": "EP"},
                            {"form": "다", "lemma": "다", "upos": "PART", "xpos": "EF"},
                        ],
                    },
                    {
                        "form": ".",
                        "words": [{"form": ".", "lemma": ".", "upos": "PUNCT", "xpos": "SF"}],
                    },
                ],
            }
        ],
    }


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), max_size=5)
ANALYSES = st.sampled_from(
    [
        "나는\t나/NP+는/JX",
        "+\t+/SW",
        '"\\"\t"/SS+\\/SW+"/SS',
        "거야\t거/NNB+(이)/VCP+야/EF",
        "큰\t크/VA+ᆫ/ETM",
    ]
)
EOJEOLS = st.builds(
    lambda line, made: Eojeol(
        (e := ASSEMBLER[line]).form, e.morphemes, e.spans, (MADE, *e.notes) if made else e.notes
    ),
    ANALYSES,
    st.booleans(),
)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    eojeols = tuple(draw(st.lists(EOJEOLS, min_size=1, max_size=3)))
    upos, lemma, xpos, feats, deprel, deps = [draw(TEXTS) for _ in range(6)]
    is_treebank = draw(st.booleans())
    arcs = None
    if is_treebank:
        words = []
        for eojeol in eojeols:
            misc = "|".join(draw(st.lists(TEXTS.map(in_misc), max_size=2)))
            words.append(Word("", lemma, upos, xpos, feats, misc, eojeol.morphemes))
        eojeols = tuple(
            [
                eojeol.but(tokens=(Token("", (word,), misc=word.misc, was_read=False),))
                for eojeol, word in zip(eojeols, words, strict=True)
            ]
        )
        count = len(eojeols)
        heads = tuple([draw(st.integers(-1, count)) for _ in eojeols])
        arcs = Arcs(heads, (deprel,) * count, () if deps == "_" else (deps,) * count)
        if max(heads) < 0 and deprel == deps == "_":
            arcs = None
    return Sentence(
        eojeols,
        draw(TEXTS.map(lambda t: "".join(t.split()) or "x")),
        tuple([draw(TEXTS.map(lambda t: t + "i")) for _ in eojeols]) if draw(st.booleans()) else (),
        tuple(draw(st.lists(TEXTS, max_size=2))),
        draw(TEXTS),
        1,
        arcs,
        tuple(
            [
                tuple([tuple([draw(TEXTS) for _ in eojeol.morphemes]) for eojeol in eojeols])
                for _ in range(draw(st.integers(0, 2)))
            ]
        ),
        is_treebank,
    )


def in_misc(text: str) -> str:
    """An item of MISC of this text."""
    return f"A={text.replace('|', '')}"


@given(sentences(), st.sampled_from([1, 2, 5]))
def test_what_is_written_is_read(sentence: Sentence, level: int) -> None:
    (again,) = read(write([sentence], level))
    assert plain(again) == plain(sentence)


GOOD = '{"eojeols": [{"form": "가", "morphemes": [{"form": "가", "tag": "VV"}]}]}'


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "5",
        '"eojeols"',
        "{}",
        '{"eojeols": []}',
        '{"eojeols": [5]}',
        '{"eojeols": [{"form": "가"}]}',
        '{"eojeols": [{"form": "가", "morphemes": []}]}',
        '{"eojeols": [{"form": "", "morphemes": [{"form": "가", "tag": "VV"}]}]}',
        '{"eojeols": [{"form": "가", "morphemes": [{"form": "가"}]}]}',
        '{"eojeols": [{"form": "가", "id": 5, "morphemes": [{"form": "가", "tag": "VV"}]}]}',
        GOOD.replace("]}]}", ']}], "comments": [1]}'),
        GOOD.replace("]}]}", ']}], "words": [{"eojeol": 1, "morphemes": [0, 1]}]}'),
        GOOD.replace("]}]}", ']}], "words": [{"eojeol": 0, "morphemes": [0, 2]}]}'),
        GOOD.replace("]}]}", ']}], "entities": [[["B"], []]]}'),
        "[" * 100_000,
    ],
)
def test_lines_that_are_no_sentence(line: str) -> None:
    text = f"{GOOD}\n\n{line}\n{GOOD}\n"
    with pytest.raises(FormatError) as caught:
        read(text)
    assert (caught.value.code, caught.value.line) == ("E331", 3)
    assert [s.sent_id for s in read(text, "skip")] == ["1", "3"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"eojeols": 5}', "eojeols: expected a list, found 5"),
        ('{"eojeols": [{"form": 5}]}', "form: expected a text, found 5"),
        (
            '{"eojeols": [{"form": "눈", "morphemes": [{"form": "눈", "tag": "NNG", "added": 1}'
            "]}]}",
            "added: expected true or false, found 1",
        ),
        (
            '{"eojeols": [{"form": "눈", "morphemes": [{"form": "눈", "tag": "NNG"}]}],'
            ' "words": [{"eojeol": "1"}]}',
            "eojeol: expected a whole number, found '1'",
        ),
    ],
)
def test_what_is_expected_is_said_in_words(line: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(line + "\n")
    assert caught.value.message == message


@pytest.mark.parametrize("more", ['"text_orig": "눈\\n"', '"words": [%s]'])
def test_what_would_break_the_lines_of_others(more: str) -> None:
    word = (
        '{"eojeol": 0, "morphemes": [0, 1], "upos": "NOUN", "lemma": "눈", "xpos": "NNG",'
        ' "feats": "_", "head": 99, "deprel": "obj", "deps": "_", "misc": []}'
    )
    eojeol = '{"form": "눈", "morphemes": [{"form": "눈", "tag": "NNG"}]}'
    line = f'{{"sent_id": "1", "eojeols": [{eojeol}], {more.replace("%s", word)}}}'
    reader = JsonlReader(Assembler(load()))
    [frame] = reader.frame([line + "\n"])
    with pytest.raises(FormatError, match=r"a line's end|head 99 is no word"):
        reader.parse(frame)


def test_the_text_as_it_was_may_have_a_tab() -> None:
    line = GOOD.replace("]}]}", ']}], "text_orig": "가\\t"}')
    assert [sentence.text_orig for sentence in read(line)] == ["가\t"]


# --- words of a treebank --------------------------------------------------------------------------

TREEBANK = """\
# sent_id = a
# text = 나는 나섰다.
1\t나는\t나+는\tPRON\tNP+JX\tCase=Nom\t2\tnsubj\t2:nsubj\tGloss=I
2\t나섰다\t나서+었+다\tVERB\tVV+EP+EF\tTense=Past\t0\troot\t0:root\tSpaceAfter=No|Ref=1
3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t2:punct\t_

"""


def columns(text: bytes) -> list[list[str]]:
    """The rows of words, without the MSeg that a writer adds."""
    rows = [line.split("\t") for line in text.decode().split("\n") if line[:1].isdigit()]
    for row in rows:
        items = [item for item in row[9].split("|") if not item.startswith("MSeg=")]
        row[9] = "|".join(items) or "_"
    return rows


@pytest.mark.parametrize("level", ["2", "3", "4", "5"])
def test_words_of_a_treebank_come_back(level: str, cli: Cli) -> None:
    written = cli("convert", "--to", "jsonl", stdin=TREEBANK.encode())
    assert b"W301" not in written.stderr
    back = cli("convert", "--from", "jsonl", "--level", level, stdin=written.stdout)
    straight = cli("convert", "--level", level, stdin=TREEBANK.encode())
    assert columns(back.stdout) == columns(straight.stdout)
    again = cli("convert", "--level", level, stdin=back.stdout)
    assert "# text = 나는 나섰다.\n" in again.stdout.decode()


def test_punctuation_whose_governor_changes_stays_in_its_eojeol(cli: Cli) -> None:
    text = """\
1\t5\t5\tNUM\tSN\t_\t0\troot\t_\tSpaceAfter=No
2\t%\t%\tPUNCT\tSW\t_\t3\tpunct\t_\tSpaceAfter=No
3\t이고\t이+고\tAUX\tVCP+EC\t_\t1\tcop\t_\t_

"""
    written = cli("convert", "--to", "jsonl", stdin=text.encode())
    back = columns(cli("convert", "--from", "jsonl", stdin=written.stdout).stdout)
    assert back == columns(cli("convert", stdin=text.encode()).stdout)
    assert back[1][9] == "SpaceAfter=No|HeadAt=3"


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("2:punct\t_", "2:punct\tSpaceAfter=No", "SpaceAfter=No of the last word"),
        ("Gloss=I", "Gloss=I|HeadMorpheme=2", "HeadMorpheme=2 in MISC"),
        ("Gloss=I", "Gloss=I|HeadAt=3", "HeadAt=3 in MISC"),
        (
            "2\t나섰다\t나서+었+다\tVERB\tVV+EP+EF\tTense=Past\t0\troot\t0:root\tSpaceAfter=No|Ref=1\n3",
            "2-3\t나섰다\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
            "2\t나섯\t나서+었\tVERB\tVV+EP\tTense=Past\t0\troot\t0:root\tRef=1\n"
            "3\t다\t다\tPART\tEF\t_\t2\tdep\t2:dep\t_\n4",
            "FORM of 1 word that no level cuts so",
        ),
    ],
)
def test_what_does_not_come_back_is_reported(old: str, new: str, lost: str, cli: Cli) -> None:
    assert old in TREEBANK
    result = cli("convert", "--to", "jsonl", stdin=TREEBANK.replace(old, new).encode())
    assert result.stderr.decode().count(f"-:1: W301 not written: {lost} [a]\n") == 1
