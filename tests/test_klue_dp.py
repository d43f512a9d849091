"""KLUE-DP: rows, heads, the rows that a spreadsheet has hurt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sejongud.converters.recut import Recut
from sejongud.errors import FormatError, OnError, Report
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.klue import KlueDpReader
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs
from sejongud.morphology.eojeol import Assembler
from sejongud.morphology.notation import write_analysis
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from sejongud.model import Sentence


RULES = load()


def read(text: str, on_error: OnError = "stop") -> tuple[list[Sentence], list[str]]:
    """The sentences, and the incidents as `line code`."""
    said: list[str] = []
    report = Report(lambda incident: said.append(f"{incident.line} {incident.code}"))
    reader = KlueDpReader(Assembler(load()), keep=on_error == "keep")
    return list(reader.read(reader.frame([text]), "x.tsv", on_error, report)), said


@pytest.fixture(scope="module")
def sample(root: Path) -> str:
    return (root / "samples" / "klue-dp.tsv").read_text(encoding="utf-8")


GOOD = """\
## head of the file
## 칼럼명 : INDEX\tWORD_FORM\tLEMMA\tPOS\tHEAD\tDEPREL
## id-1\t나는 (그) 간다.
1\t나는\t나 는\tNP+JX\t3\tNP_SBJ
2\t(그)\t( 그 )\tSS+NP+SS\t3\tNP
3\t간다.\t가 ㄴ다 .\tVV+EF+SF\t0\tVP
"""


def test_a_sentence() -> None:
    (sentence,), said = read(GOOD)
    assert said == []
    assert sentence.sent_id == "id-1"
    assert sentence.text == "나는 (그) 간다."
    assert sentence.text_orig == ""
    assert sentence.comments == ()
    assert sentence.arcs == Arcs((3, 3, 0), ("NP_SBJ", "NP", "VP"))
    assert [[w.morphemes for w in t.words] for e in sentence.eojeols for t in e.tokens] == [
        [eojeol.morphemes] for eojeol in sentence.eojeols
    ]
    assert write_analysis(sentence.eojeols[2].morphemes) == "가/VV+ㄴ다/EF+./SF"


def test_heads_are_written_at_level_1() -> None:
    (sentence,), _ = read(GOOD)
    writer = ConlluWriter(Recut(Granularity(load(), 1)))
    assert writer.loses(sentence) == []
    lines = writer.sentence(sentence).split("\n")
    rows = [line.split("\t") for line in lines if line[:1].isdigit()]
    assert [(row[1], row[4], row[6], row[7]) for row in rows] == [
        ("나는", "NP+JX", "3", "NP_SBJ"),
        ("(그)", "SS+NP+SS", "3", "NP"),
        ("간다.", "VV+EF+SF", "0", "VP"),
    ]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("2\t7%\t0\tSN+SW\t3\tNP", "E313"),
        ("2\t7%\t7 % 의\tSN+SW\t3\tNP", "E313"),
        ("2\t7%\t7 %\tSN+SW\t3", "E311"),
        ("2\t7%\t7 %\tSN+SW\t3\tNP\t_", "E311"),
        ("2", "E311"),
        ("2\t\t7 %\tSN+SW\t3\tNP", "E312"),
        ("2\t7%\t7 %\tSN+SW\t3\t ", "E312"),
        ("4\t7%\t7 %\tSN+SW\t3\tNP", "E312"),
        ("2\t7%\t7 %\tSN+SW\tx\tNP", "E314"),
        ("2\t7%\t7 %\tSN+SW\t9\tNP", "E314"),
        ("2\t7%\t7 %\tSN+SW\t2\tNP", "E314"),
        ("2\t7%\t7 %\tSN+SW\t²\tNP", "E314"),
    ],
)
def test_damaged_rows(row: str, code: str) -> None:
    lines = GOOD.split("\n")
    lines[4] = row
    text = "\n".join(lines) + "\n## id-2\t끝\n1\t끝\t끝\tNNG\t0\tNP\n"
    with pytest.raises(FormatError) as caught:
        read(text)
    assert (caught.value.code, caught.value.line, caught.value.text) == (code, 5, row)
    sentences, said = read(text, "skip")
    assert [sentence.sent_id for sentence in sentences] == ["id-2"]
    assert said == [f"5 {code}"]
    (kept, _), said = read(text, "keep")
    assert f"5 {code}" in said
    assert [m.tag for m in kept.eojeols[1].morphemes] == ["NA"]
    assert kept.arcs is not None
    assert [len(eojeol.tokens) for eojeol in kept.eojeols] == [1, 1, 1]
    place = (kept.arcs.heads[1], kept.arcs.deprels[1])
    assert place == ((3, "NP") if code == "E313" else (-1, "_"))
    assert kept.arcs.heads[::2] == (3, 0)


def test_the_sample(sample: str) -> None:
    with pytest.raises(FormatError, match="7%: 1 morpheme "):
        read(sample)
    sentences, said = read(sample, "keep")
    assert [sentence.sent_id for sentence in sentences] == [f"sample-dp_0000{n}" for n in range(3)]
    # Of its own; the alignment has something to say as well.
    assert [one for one in said if "31" in one.split()[1]] == ["18 W311", "24 E313"]
    assert [bool(sentence.text_orig) for sentence in sentences] == [False, True, False]


def test_ids_are_made_unique_or_made() -> None:
    sentence = "1\t끝\t끝\tNNG\t0\tNP\n\n"
    text = f"## a\t끝\n{sentence}## a\t끝\n{sentence}{sentence}## b c\t끝\n{sentence}"
    assert [s.sent_id for s in read(text)[0]] == ["a", "a-2", "3", "4"]


def test_the_five_rows_of_the_corpus(shared: Path) -> None:
    path = shared / "data" / "klue-dp" / "klue-dp-v1.1_dev.first1500.tsv"
    text = path.read_text(encoding="utf-8")
    sentences, said = read(text, "skip")
    damaged = [4154, 8923, 13074, 15226, 16835]
    assert [one for one in said if "E" in one] == [f"{line} E313" for line in damaged]
    assert len(sentences) == 1496
    kept, _ = read(text, "keep")
    assert len(kept) == 1501
    assert sum(len(list(sentence.words)) for sentence in kept) == 18994
    assert sum(bool(sentence.text_orig) for sentence in kept) == 6
