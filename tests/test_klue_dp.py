"""KLUE-DP: rows, heads, the rows that a spreadsheet has hurt."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from corpora import read_told

import sejongud
from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import FormatError
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.klue import KlueDpReader
from sejongud.levels.cut import Granularity
from sejongud.model import Arcs
from sejongud.morphology.eojeol import write_analysis
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


read = partial(read_told, KlueDpReader)


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
    head = "## head of the file\\n## 칼럼명 : INDEX\\tWORD_FORM\\tLEMMA\\tPOS\\tHEAD\\tDEPREL\\n"
    assert sentence.comments == (f'dp_before = "{head}"', 'dp_behind = ""')
    assert sentence.arcs == Arcs((3, 3, 0), ("NP_SBJ", "NP", "VP"))
    assert [[w.morphemes for w in t.words] for e in sentence.eojeols for t in e.tokens] == [
        [eojeol.morphemes] for eojeol in sentence.eojeols
    ]
    assert write_analysis(sentence.eojeols[2].morphemes) == "가/VV+ㄴ다/EF+./SF"


def test_heads_are_written_at_level_1() -> None:
    (sentence,), _ = read(GOOD)
    writer = CutWriter(Recut(Granularity(load(), 1)), ConlluWriter())
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


# --- the way back ---------------------------------------------------------------------------------

ROWS = "\n".join(GOOD.split("\n")[2:])
BAD = "## id-3\t7% 끝\n1\t7%\t0\tSN+SW\t2\tNP_AJT\n2\t끝\t끝\tNNG\t0\tNP\n\n"
FILES = {
    "head": GOOD + "\n" + ROWS.replace("id-1", "id-2") + "\n",
    "no blank line at the end": GOOD,
    "no line end": GOOD[:-1],
    "blank lines": f"\n\n{GOOD}\n \n\n## a note\n\n{ROWS}\n\t\n## the end\n",
    "an id twice": f"{ROWS}\n{ROWS}\n",
    "no lines above the rows": ROWS.partition("\n")[2] + "\n",
    "another text above": ROWS.replace("나는 (그)", "나는  그") + "\n",
    "damaged": f"{ROWS}\n{BAD}",
    "no heads": ROWS.replace("\t3\tNP\n", "\tx\tNP\n") + "\n",
    "crlf": (GOOD + "\n" + ROWS).replace("\n", "\r\n"),
    "mark": "\ufeff" + GOOD + "\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("ways", ["1", "5", "2 --scheme ud", "5 --scheme ud,1", "5,1,3"])
def test_a_file_comes_back(cli: Cli, tmp_path: Path, name: str, ways: str) -> None:
    (tmp_path / "in.tsv").write_bytes(FILES[name].encode())
    source = "in.tsv"
    for at, way in enumerate(ways.split(",")):
        run = ("convert", source, f"{at}.conllu", "--on-error", "keep", "--level", *way.split())
        cli(*run, "--from", "conllu" if at else "klue-dp")
        source = f"{at}.conllu"
    cli("convert", source, "out.tsv", "--to", "klue-dp", "--on-error", "keep")
    assert (tmp_path / "out.tsv").read_bytes() == (tmp_path / "in.tsv").read_bytes()


def test_rows_without_a_line_above_them_are_recognised(cli: Cli) -> None:
    rows = FILES["no lines above the rows"]
    done = cli("convert", "-", "-", "--to", "klue-dp", stdin=rows.encode())
    assert b"detected format: klue-dp" in done.stderr
    assert done.stdout.decode() == rows


def test_what_was_changed_is_written_anew(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text(BAD, encoding="utf-8")
    cli("convert", "in.tsv", "a.conllu", "--on-error", "keep", "--level", "1")
    text = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    (tmp_path / "a.conllu").write_text(text.replace("\tNP_AJT\t", "\tNP_SBJ\t"), encoding="utf-8")
    cli("convert", "a.conllu", "b.tsv", "--to", "klue-dp")
    written = "## id-3\t7% 끝\n1\t7%\t7%\tNA\t2\tNP_SBJ\n2\t끝\t끝\tNNG\t0\tNP\n\n"
    assert (tmp_path / "b.tsv").read_text(encoding="utf-8") == written


def test_a_sentence_without_heads_is_no_klue_dp(cli: Cli, tmp_path: Path) -> None:
    done = cli("convert", "--to", "klue-dp", stdin="끝\t끝/NNG\n\n".encode())
    assert (done.returncode, b"KLUE-DP has a head for each eojeol" in done.stderr) == (1, True)


def test_layers_without_a_place_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text(GOOD, encoding="utf-8")
    cli("convert", "in.tsv", "a.conllu")
    text = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    (tmp_path / "a.conllu").write_text(
        text.replace(
            "1\t나\t나\tPRON\tNP\t_\t6\tNP_SBJ\t_\t_",
            "1\t나\t나\tPRON\tNP\t_\t6\tNP_SBJ\t_\tNE=B-PS",
        ),
        encoding="utf-8",
    )
    assert b"W441" in cli("convert", "a.conllu", "b.tsv", "--to", "klue-dp").stderr
    assert (tmp_path / "b.tsv").read_text(encoding="utf-8") == GOOD


def test_trees_and_ud_are_written(root: Path, cli: Cli, tmp_path: Path) -> None:
    source = root / "samples" / "treebank-figure.txt"
    cli("tree", "dependencies", source, "--scheme", "ud", "--trees", "none", "ud.conllu")
    for name in (source, "ud.conllu"):
        rows = cli("convert", name, "--to", "klue-dp").stdout.decode().split("\n")
        assert rows[1:4] == [
            "1\t프랑스의\t프랑스 의\tNNP+JKG\t4\tNP-MOD",
            "2\t세계적인\t세계 적 이 ㄴ\tNNG+XSN+VCP+ETM\t4\tVNP-MOD",
            "3\t의상\t의상\tNNG\t4\tNP",
        ]


def test_heads_beside_a_tree_are_written(cli: Cli, tmp_path: Path) -> None:
    """The tree of 했다 . has its head on the right, the dependencies on the left."""
    rows = "## a\t했다 .\n1\t했다\t하 었 다\tVV+EP+EF\t0\tVP\n2\t.\t.\tSF\t1\tX\n\n"
    (tmp_path / "a.tsv").write_text(rows, encoding="utf-8")
    tree = "; 했다 .\n(VP (VP 하/VV + 었/EP + 다/EF)\n\t(X ./SF))\n\n"
    (tmp_path / "tree.txt").write_text(tree, encoding="utf-8")
    cli("join", "a.tsv", "tree.txt", "-o", "both.conllup")
    assert cli("convert", "both.conllup", "--to", "klue-dp").stdout.decode() == rows


def test_join_and_the_library_write_it_of_any_words(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text(GOOD, encoding="utf-8")
    cli("convert", "--level", "3", "in.tsv", "words.conllu")
    assert cli("join", "words.conllu", "in.tsv", "--to", "klue-dp").stdout.decode() == GOOD
    sejongud.write(sejongud.read(tmp_path / "words.conllu"), tmp_path / "out.tsv", to="klue-dp")
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8") == GOOD


HUGGING_FACE = {
    "sentence": "나는 (그) 간다.",
    "index": [1, 2, 3],
    "word_form": ["나는", "(그)", "간다."],
    "lemma": ["나 는", "( 그 )", "가 ㄴ다 ."],
    "pos": ["NP+JX", "SS+NP+SS", "VV+EF+SF"],
    "head": [3, 3, 0],
    "deprel": ["NP_SBJ", "NP", "VP"],
}


@pytest.mark.parametrize("indent", [None, 1])
def test_json_of_hugging_face_is_the_same_as_its_rows(cli: Cli, indent: int | None) -> None:
    records = [HUGGING_FACE | {"guid": "a", "source": "wiki"}, HUGGING_FACE]
    lines = "".join([json.dumps(record) + "\n" for record in records])
    text = lines if indent is None else json.dumps(records, indent=indent)
    done = cli("convert", stdin=text.encode())
    assert b"detected format: klue-dp-json" in done.stderr
    rows = "\n".join(GOOD.split("\n")[3:])
    expected = f"## a\t나는 (그) 간다.\n{rows}\n## 2\t나는 (그) 간다.\n{rows}\n"
    assert cli("convert", "--to", "klue-dp", stdin=done.stdout).stdout.decode() == expected
    assert b'# record = {"source": "wiki"}' in done.stdout
    assert b"nsubj" in cli("convert", "--scheme", "ud", stdin=text.encode()).stdout


def test_faults_of_json_name_their_line(cli: Cli) -> None:
    short = HUGGING_FACE | {"pos": ["NP+JX"]}
    odd = HUGGING_FACE | {"lemma": ["나 는", "( 그 )", "0"]}
    text = "".join([json.dumps(record) + "\n" for record in (HUGGING_FACE, short, odd)]) + "{\n"
    done = cli("convert", "--on-error", "keep", stdin=text.encode())
    incidents = re.findall(r"-:(\d): (E\d+)", done.stderr.decode())
    assert incidents == [("2", "E311"), ("3", "E313"), ("4", "E405")]
    assert done.stdout.count(b"# sent_id") == 2


@pytest.mark.parametrize(
    "change",
    [{"index": 3}, {"index": [1, None, 3]}, {"word_form": 3}, {"lemma": [None, "( 그 )", "가"]}],
)
def test_json_whose_lists_are_no_columns_is_an_error(cli: Cli, change: dict[str, object]) -> None:
    done = cli("convert", stdin=(json.dumps(HUGGING_FACE | change) + "\n").encode())
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"E311" in done.stderr or b'File "-", line 1' in done.stderr


def test_ids_of_json_are_kept_or_told(cli: Cli) -> None:
    records = [HUGGING_FACE | {"guid": own} for own in ("a b", 7, 7)]
    text = "".join([json.dumps(record) + "\n" for record in records])
    done = cli("convert", stdin=text.encode())
    assert re.findall("# sent_id = (.*)", done.stdout.decode()) == ["1", "7", "7-2"]
    assert b'# record = {"guid": "a b"}' in done.stdout
    assert b"-:3: W129" in done.stderr
