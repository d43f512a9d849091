"""Further public releases: recognised without a name, read, and back to the byte.

Each format has ten files or more, made of a small file by changes that real copies show.
"""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from cases import cases

from sejongud.formats import sniff
from sejongud.formats.treebank import simplified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Cli

CASES = cases("releases")

SPANS = [
    ("김하늘이 서울에 갔다.", [(0, 3, "PER"), (5, 7, "LOC")]),
    ("봄이 왔다.", []),
    ("부산시장이 말했다.", [(0, 2, "LOC"), (0, 4, "CIV")]),
]


def spans(key: str = "entities", **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "text": text,
            key: [
                {"start": start, "end": end, "label": name, **more} for start, end, name in found
            ],
        }
        for text, found in SPANS
    ]


def in_lines(records: list[dict[str, Any]], **style: Any) -> str:
    return "".join([json.dumps(one, ensure_ascii=False, **style) + "\n" for one in records])


def span_files() -> Iterator[str]:
    yield in_lines(spans())
    yield in_lines(spans("spans"))
    yield in_lines(spans("spans", token_start=0))
    yield in_lines(spans(), separators=(",", ":"))
    yield "".join([json.dumps(one) + "\n" for one in spans()])
    yield json.dumps(spans(), ensure_ascii=False)
    yield json.dumps(spans("spans"), ensure_ascii=False, indent=2) + "\n"
    yield in_lines([{"id": f"a-{n}", **one} for n, one in enumerate(spans())])
    yield in_lines([{**one, "meta": {"source": "뉴스"}} for one in spans()])
    yield in_lines([{**one, "entities": one["entities"][::-1]} for one in spans()])
    yield in_lines(spans()[1:] + spans()[:1])


def changed(text: str, *pairs: tuple[str, str]) -> Iterator[str]:
    yield text
    for old, new in pairs:
        assert old in text
        yield text.replace(old, new)


def klue(root: Path) -> str:
    text = (root / "samples" / "klue-ner.tsv").read_text(encoding="utf-8")
    lines = text.splitlines()
    ended = [line if line.startswith("##") or not line else f"{line}\t" for line in lines]
    return "\n".join([*ended, ""])


def klue_files(root: Path) -> Iterator[str]:
    text = klue(root)
    blocks = text.split("\n\n")
    yield from changed(text, ("-OG", "-OG_POLITICS"), ("-PS", "-PER"), ("\n\n", "\n\n\n"))
    yield "\n".join([line for line in text.split("\n") if not line.startswith("##")])
    for end in range(2, len(blocks) - 1):
        yield "\n\n".join([*blocks[:end], ""])


def data(root: Path, name: str) -> str:
    return (root / "tests" / "data" / name).read_text(encoding="utf-8")


def piece_files(root: Path) -> Iterator[str]:
    text = data(root, "ner/word-pieces.tsv")
    yield from changed(
        text,
        ("\t", " "),
        ("\n\n", "\n\n\n"),
        ("시장\t", "시\t"),
        ("I-LOC", "O"),
        ("B-", "B_"),
        ("서울\tB-LOC\n##에\tO", "서울\tO\n##에\tB-LOC"),
        ("갔\t", "[UNK]\t"),
        ("PER", "PS"),
    )
    yield "# id = 1\n" + text
    marked = [line[2:] if line[:2] == "##" else line and f"▁{line}" for line in text.split("\n")]
    yield "\n".join(marked)


def morpheme_files(root: Path) -> Iterator[str]:
    text = data(root, "ner/morpheme-columns.txt")
    yield from changed(
        text,
        (" ", "\t"),
        ("\n\n", "\n\n\n"),
        ("NNG I-LOC", "NNG O"),
        ("B-LOC", "B-LC"),
        ("봄 NNG O", "봄 NNG B-DAT"),
        ("이 JKS O", "이 JKS I-PER"),
        ("았 EP", "았었 EP"),
        ("ㄴ다 EF O\n", "ㄴ다 EF O\n. SF O\n"),
    )
    rows = [line.split(" ") for line in text.split("\n")]
    yield "\n".join([" ".join([*row[:2], "-", *row[2:]]) if len(row) > 2 else "" for row in rows])
    yield "\n".join(
        [
            " ".join([row[0], f"X-{row[1]}" if row[1][0] in "JEX" else row[1], *row[2:]])
            if len(row) > 2
            else ""
            for row in rows
        ]
    )


NER = {
    "spans": lambda root: span_files(),
    "klue-ner": klue_files,
    "columns": piece_files,
    "morpheme-columns": morpheme_files,
}


@pytest.mark.parametrize("name", ["klue-trailing.tsv", "spans.jsonl"])
def test_the_files_in_data_come_back(cli: Cli, root: Path, tmp_path: Path, name: str) -> None:
    path = root / "tests" / "data" / "ner" / name
    assert cli("ner", "syl2morph", path, tmp_path / "a.conllu", "--nested").returncode == 0
    cli("ner", "morph2syl", tmp_path / "a.conllu", tmp_path / "back.txt")
    assert (tmp_path / "back.txt").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", NER)
def test_entities_are_recognised_and_come_back(
    cli: Cli, root: Path, tmp_path: Path, name: str
) -> None:
    texts = list(NER[name](root))
    assert len(set(texts)) >= 10
    corpus, middle, back = (tmp_path / one for one in ("a.txt", "b.conllu", "c.txt"))
    way = ("eoj2morph", "morph2eoj") if name == "columns" else ("syl2morph", "morph2syl")
    for number, text in enumerate(texts):
        corpus.write_bytes(text.encode())
        found = sniff(text)
        assert found is not None, number
        assert found.name == name, (number, found)
        assert cli("ner", way[0], corpus, middle, "--nested", "--force").returncode == 0
        assert cli("ner", way[1], middle, back, "--force").returncode == 0
        assert back.read_bytes() == text.encode(), number


def test_pieces_become_words_and_morphemes_eojeols(cli: Cli, root: Path) -> None:
    folder = root / "tests" / "data" / "ner"
    pieces = cli("convert", folder / "word-pieces.tsv", "-").stdout.decode()
    assert "# text = 부산 시장에 봄이 온다\n" in pieces
    morphemes = cli("convert", folder / "morpheme-columns.txt", "-").stdout.decode()
    assert "# text = 김하늘이 서울에 갔다.\n" in morphemes
    assert "# text = (부산 시) 봄이 온다\n" in morphemes
    assert "NE=I-LOC" in morphemes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (in_lines([{**spans()[0], "entities": [{"start": 0, "end": 99, "label": "A"}]}]), "99"),
        (in_lines(spans()[:1]) + '{"text": "봄", "entities": [3]}\n', "an entity is an object"),
        (in_lines(spans()[:1]) + '{"text": "봄"}\n', "entities is missing"),
        ("서울\tB-LOC\n##에\tO\n갔\tO\n##다\n\n", "no label"),
        ("서울 NNP B-LOC\n에 JKB O\n가 VV O\n다 EF\n\n", ""),
    ],
)
def test_a_faulty_row_is_told(cli: Cli, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    told = cli("convert", path, "-", "--on-error", "skip").told(1)
    assert message in told
    assert "Traceback" not in told


# --- raw text in records ------------------------------------------------------------------------

RECORDS = CASES["RECORDS"]
BYTES: list[Callable[[str], bytes]] = [
    str.encode,
    lambda text: b"\xef\xbb\xbf" + text.encode(),
    lambda text: text.encode("utf-16"),
    lambda text: text.replace("\n", "\r\n").encode(),
    lambda text: text.replace("\n", "\r").encode(),
    lambda text: text.encode("cp949"),
    lambda text: gzip.compress(text.encode()),
]


@pytest.mark.parametrize(
    ("text", "encoded"),
    [*[(text, BYTES[0]) for text in RECORDS], *[(RECORDS[0], encoded) for encoded in BYTES[1:]]],
)
def test_the_named_field_alone_is_analysed(
    cli: Cli, text: str, encoded: Callable[[str], bytes]
) -> None:
    for command in ("analyze", "convert") if encoded is BYTES[0] else ("analyze",):
        lines = cli(command, "-", "-", "--field", "text", stdin=encoded(text)).text().split("\n")
        texts = [line for line in lines if line.startswith("# text = ")]
        assert texts == ["# text = 나는 간다.", "# text = 봄이 온다."]


def test_marks_in_columns_with_tabs_are_text(cli: Cli) -> None:
    """As in reviews of films, of which a cell may begin with a word in quotation marks."""
    text = 'id\tdocument\n7\t"봄"이 온다.\n8\t나는 "간다.\n9\t"나는 간다.\n'
    result = cli("analyze", "-", "-", "--field", "document", stdin=text.encode())
    texts = re.findall("# text = (.*)", result.stdout.decode())
    assert texts == ['"봄"이 온다.', '나는 "간다.', '"나는 간다.'], result.stderr.decode()


@pytest.mark.parametrize("text", RECORDS[:13])
def test_braces_are_never_analysed_as_korean(cli: Cli, text: str) -> None:
    for words in (("analyze", "-", "-"), ("convert", "-", "-"), ("stats", "-")):
        assert "--field" in cli(*words, stdin=text.encode()).told(2)


def test_other_members_and_ids_are_kept(cli: Cli) -> None:
    out = cli("analyze", "-", "-", "--field", "text", stdin=RECORDS[0].encode()).stdout.decode()
    assert '# record = {"id": 7, "label": 1}\n' in out
    assert "# sent_id = 7\n" in out
    assert "# sent_id = 8\n" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"text": "나는 간다."}\n{"id": 9}\n', "2: E640 the record has no text text"),
        ('{"text": "나는 간다."}\n{"text": 9}\n', "2: E640 text is a number: expected a text"),
        ('{"text": "나는 간다."}\n{bad\n', "2: E405 this is not JSON"),
        ('{"text": "나는 간다."}\n{"text": null}\n', "2: E640 text is null: expected a text"),
        ('{"text": "나는 간다."}\n{"text": ["봄"]}\n', "2: E640 text is a list: expected a text"),
        (
            '{"text": "나는 간다."}\n{"data": {"text": "봄"}}\n',
            "2: E640 the record has no text text, but only members that are no texts: data",
        ),
        ("id,text\n1,나는 간다.\n2\n", "3: E640 expected 2 cells as in the first row, found 1"),
    ],
)
def test_a_faulty_record_is_left_out_and_told(
    cli: Cli, tmp_path: Path, text: str, message: str
) -> None:
    words = ("convert", "-", "-", "--field", "text")
    skipped = cli(*words, "--on-error", "skip", stdin=text.encode())
    assert message in skipped.stderr.decode()
    assert skipped.stdout.decode().count("# text = 나는 간다.") == 1
    stopped = cli("convert", "-", "a.conllu", "--field", "text", stdin=text.encode())
    assert (stopped.returncode, (tmp_path / "a.conllu").exists()) == (1, False)


def test_records_with_an_empty_text_are_told(cli: Cli) -> None:
    text = "id,text\n7,나는 간다.\n8,\n9,  \n10,봄이 온다.\n"
    result = cli("analyze", "-", "-", "--field", "text", stdin=text.encode())
    assert result.stdout.count(b"# text = ") == 2
    assert "W332 2 records with an empty text left out, at line 3, 4" in result.stderr.decode()


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("id,text\n7,봄\n", "body", "the first row names no column body, but id, text"),
        ("id;text\n7;봄\n", "body", "the first row names no column body, but id, text"),
        ("id\ttext\n7\t봄\n", "body", "the first row names no column body, but id, text"),
        ('{"id": "7", "text": "봄"}\n', "body", "the record has no text body, but id, text"),
        ('[{"id": 7, "text": "봄"}]\n', "body", "the record has no text body, but text"),
        ("text,text\n봄,눈\n", "text", "the first row names 2 columns text"),
        ('["봄이 온다."]', "text", "expected an object"),
    ],
)
def test_a_field_that_is_not_there_is_told(cli: Cli, text: str, field: str, message: str) -> None:
    result = cli("convert", "-", "-", "--field", field, stdin=text.encode())
    assert (result.returncode, message in result.stderr.decode()) == (1, True), result.stderr


@pytest.mark.parametrize(
    "text",
    [
        "form\tanalysis\n프랑스의\t프랑스/NNP+의/JKG\n",
        "나는\ttext\n간다\tO\n",
        "문서 text, 봄\n봄이, 온다\n",
        "sentence\tword\tlabel\n1\t한강\tB-LC\n1\t물\tO\n",
        "id\ttext\n1\n2\n3\t봄이 온다\n",
    ],
)
def test_tables_of_words_are_no_records(text: str) -> None:
    assert getattr(sniff(text), "name", "") != "records"


def test_text_with_commas_or_brackets_stays_text(cli: Cli) -> None:
    for text in ("나는, 오늘 간다.\n봄이, 온다.\n", "[속보] 봄이 온다.\n", "{봄}이 온다.\n"):
        assert cli("analyze", "-", "-", stdin=text.encode()).returncode == 0


# --- trees of the Sinica Treebank -----------------------------------------------------------------

SINICA = [
    ("S(", "VP("),
    ("agent:NP", "experiencer:NP"),
    ("Nh:他)", "Nhaa:他)"),
    ("#1:3.[0] ", ""),
    (")#。(PERIODCATEGORY)", ")"),
    ("Head: VC:買 ", "Head:VC:買"),
    ("|", " | "),
    ("\n", "\n\n"),
    ("\n", "\r\n"),
    ("報紙", "報 紙"),
]


@pytest.mark.parametrize("level", [1, 5])
def test_sinica_trees_come_back(cli: Cli, root: Path, tmp_path: Path, level: int) -> None:
    text = data(root, "sinica.txt")
    path, middle, back = (tmp_path / name for name in ("a.txt", "b.conllu", "c.txt"))
    texts = list(changed(text, *SINICA))
    assert len(set(texts)) >= 10
    for number, one in enumerate(texts):
        assert str(sniff(one)) == "sinica", number
        path.write_bytes(one.encode())
        assert cli("convert", path, middle, "--level", str(level), "--force").returncode == 0
        cli("convert", middle, back, "--to", "sinica", "--force")
        assert back.read_bytes() == one.encode(), number


def test_sinica_trees_are_simplified_as_for_the_task(cli: Cli, root: Path) -> None:
    """The shape of the example of Tseng, Lee and Yu (2012, Section 3)."""
    path = root / "tests" / "data" / "sinica.txt"
    lines = cli("convert", path, "-", "--to", "sinica", "--simplify").stdout.decode().split("\n")
    assert lines[2] == (
        "#1:3.[0] S(theme:NP(Nb:小說)|Head:V_11:是|range:NP(Nc:我國|V‧的(VH:有名|DE:的)|Na:書))"
        "#。(PERIODCATEGORY)"
    )
    assert lines[0] == data(root, "sinica.txt").split("\n")[0]


@pytest.mark.parametrize(
    ("tag", "simple"),
    [
        ("Cbaa", "Cbb"),
        ("Cbab", "Cba"),
        ("Cbca", "Cbb"),
        ("Caa[P1]", "Caa"),
        ("VH16", "VHC"),
        ("VH11", "VH"),
        ("Dbab", "D"),
        ("Daa", "Da"),
        ("P31", "P"),
        ("PERIODCATEGORY", "PERIODCATEGORY"),
        ("DE", "DE"),
    ],
)
def test_tags_are_simplified_as_by_ckip(tag: str, simple: str) -> None:
    assert simplified(f"S(Head:{tag}:甲)") == f"S(Head:{simple}:甲)"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("S(agent:NP(Nh:他)|Head:VC:刊登", "closing brackets are missing: 1"),
        ("S(agent:NP(Nh:他)Head:VC:刊登)", "expected | or ) here"),
        ("S(agent:NP()|Head:VC:刊登)", "expected label(…) or tag:word here"),
    ],
)
def test_a_faulty_sinica_tree_is_told(
    cli: Cli, root: Path, tmp_path: Path, line: str, message: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(data(root, "sinica.txt") + line + "\n", encoding="utf-8")
    result = cli("convert", path, "-", "--to", "sinica", "--on-error", "skip")
    assert f"6: E603 {message}" in result.stderr.decode()
    assert result.stdout.count(b"\n") == 5


def test_klue_dp_with_a_trailing_tab_is_the_same(cli: Cli, root: Path, tmp_path: Path) -> None:
    text = (root / "samples" / "klue-dp.tsv").read_text(encoding="utf-8")
    rows = [line + "\t" if line[:1].isdigit() else line for line in text.split("\n")]
    path = tmp_path / "a.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    words = ("-", "--on-error", "skip")
    plain = cli("convert", root / "samples" / "klue-dp.tsv", *words).stdout
    made = cli("convert", path, *words).stdout
    # The lines with their tabs are kept beside each sentence, which brings them back.
    lines = [line for line in made.splitlines(True) if not line.startswith(b"# dp_source = ")]
    assert b"".join(lines) == b"".join(
        [line for line in plain.splitlines(True) if not line.startswith(b"# dp_source = ")]
    )
    assert plain
    kept = "\n".join(rows)
    kept = kept[: kept.index("## sample-dp_00002")]
    path.write_text(kept, encoding="utf-8")
    back = cli("convert", "--to", "klue-dp", stdin=cli("convert", path).stdout)
    assert back.stdout == path.read_bytes()
