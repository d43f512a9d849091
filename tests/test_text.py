"""Raw text through Kiwi to sentences."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from corpora import ASSEMBLER

from sejongud.converters.jobs import Conversion
from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import FormatError, Report
from sejongud.formats import OF_MORPHEMES
from sejongud.formats.base import Block
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.text import RecordsReader, TextReader
from sejongud.levels.cut import Granularity
from sejongud.morphology.kiwi import clean
from sejongud.rules import load
from sejongud.version import kiwi_versions

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from sejongud.model import Sentence
    from sejongud.pipeline import BatchResult


def read(text: str, **options: Any) -> list[Sentence]:
    reader = TextReader(ASSEMBLER, **options)
    return list(reader.read(reader.blocks([text]), "x.txt", "stop", Report()))


@pytest.mark.parametrize("to", OF_MORPHEMES)
def test_analyze_writes_every_format_of_morphemes(to: str, cli: Cli) -> None:
    text = "나는 간다.\n".encode()
    done = cli("analyze", "--to", to, stdin=text)
    assert done.returncode == 0, done.stderr
    assert done.stdout == cli("convert", "--from", "text", "--to", to, stdin=text).stdout != b""


def test_a_line_is_a_sentence() -> None:
    sentences = read("나는 간다. 너는 온다.\n\n  \n새 단락\n끝")
    assert [s.text for s in sentences] == ["나는 간다. 너는 온다.", "새 단락", "끝"]
    assert [s.sent_id for s in sentences] == ["1", "2", "3"]
    generator = f"generator = {', '.join(kiwi_versions())}"
    assert [s.comments for s in sentences] == [(generator,), ("newpar",), ()]
    assert all(s.text_orig == "" for s in sentences)


def test_split_makes_paragraphs_of_lines() -> None:
    sentences = read("나는 간다. 너는 온다.\n끝났다.\n", split=True)
    assert [s.text for s in sentences] == ["나는 간다.", "너는 온다.", "끝났다."]
    assert ["newpar" in s.comments for s in sentences] == [True, False, True]
    alone = read("나는 간다.\n너는 온다.\n끝났다.\n")
    assert [s.eojeols for s in sentences] == [s.eojeols for s in alone]


def test_the_lines_of_split_sentences() -> None:
    blocks = TextReader(ASSEMBLER, split=True).blocks(["\n하나. 둘이다.\n\n셋이다.\n"])
    assert [(block.line, block.text) for block in blocks] == [
        (2, "하나."),
        (2, "둘이다."),
        (4, "셋이다."),
    ]


@pytest.mark.parametrize(
    ("line", "original"),
    [
        ("나는 간다.", ""),
        ("  나는 간다.\t", ""),
        ("나는  간다.", "나는  간다."),
        ("나는\u00a0간다.", "나는\u00a0간다."),
        (unicodedata.normalize("NFD", "나는 간다."), unicodedata.normalize("NFD", "나는 간다.")),
        ("나\ud800는", ""),
    ],
)
def test_the_original_text_is_kept(line: str, original: str) -> None:
    (sentence,) = read(line)
    assert sentence.text_orig == original
    assert sentence.text == clean(line)


def test_parsing_a_frame_by_itself_is_the_same() -> None:
    reader = TextReader(ASSEMBLER)
    (sentence,) = reader.read([Block("나는 간다.", 1, 1, "1")], "x", "stop", Report())
    assert reader.parse(Block("나는 간다.", 1, 1, "1")) == sentence


def test_an_error_of_the_file_comes_out() -> None:
    def chunks() -> Any:
        yield "나는 간다.\n"
        raise FormatError("the line is too long", line=2)

    reader = TextReader(ASSEMBLER)
    with pytest.raises(FormatError, match="too long"):
        list(reader.read(reader.blocks(chunks()), "x", "stop", Report()))


def spelled(sentence: Sentence) -> list[tuple[Any, ...]]:
    """The eojeols but for their cut, which is another one at every level."""
    return [(e.form, e.morphemes, e.spans, e.notes) for e in sentence.eojeols]


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_the_sample_goes_to_conllu_and_back(root: Path, level: int) -> None:
    text = (root / "samples" / "text.txt").read_text(encoding="utf-8")
    sentences = read(text)
    assert [s.text_orig or s.text for s in sentences] == [x for x in text.split("\n") if x]
    writer = CutWriter(Recut(Granularity(load(), level)), ConlluWriter())
    written = "".join(map(writer.sentence, sentences))
    reader = ConlluReader(ASSEMBLER)
    again = list(reader.read(reader.blocks([written]), "x", "stop", Report()))
    assert [spelled(s) for s in again] == [spelled(s) for s in sentences]
    assert [s.text_orig for s in again] == [s.text_orig for s in sentences]


# Plain; a letter added in fun; a name of two eojeols; spaces; a misspelling, which has a note,
# twice; the sign of templates; decomposed letters.
KINDS = [
    "나는 간다.",
    "했어욥 ㅋㅋㅋ",
    "짐 캐리가 왔다 😀",
    "나는  간다.",
    "나는 됬다 간다 됬다",
    "100% 나는 %s",
    unicodedata.normalize("NFD", "나는 간다."),
]


@pytest.mark.parametrize("level", [1, 3, 5])
def test_known_eojeols_are_written_as_sentences_are(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the lane writes of a sentence, and what it reports, is what the writer makes of it."""
    text = "\n".join(["처음.", *KINDS, *KINDS])

    def done() -> BatchResult:
        pipeline = Conversion("text", level=level).make_pipeline()
        return pipeline(list(pipeline.reader.blocks([text])))

    fast = done()
    monkeypatch.setattr(TextReader, "units", lambda *_: None)
    assert fast == done()
    assert [incident.code for incident in fast.incidents].count("W107") == 4


def test_an_eojeol_with_a_note_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def unit(reader: TextReader, unit: Any) -> Any:
        made.append(unit[0])
        return reader.analyser.eojeol(unit, reader.assembler)

    monkeypatch.setattr(TextReader, "unit", unit)
    pipeline = Conversion("text").make_pipeline()
    pipeline(list(pipeline.reader.blocks(["처음.\n나는 됬다 간다 됬다\n"])))
    assert made.count("됬다") == 1


def test_incidents_have_their_place() -> None:
    said: list[str] = []
    reader = TextReader(ASSEMBLER)
    # A misspelling, which Kiwi's forms do not explain.
    blocks = reader.blocks(["\n나는 됬다 간다\n"])
    list(reader.read(blocks, "x", "stop", Report(lambda i: said.append(str(i)))))
    assert said
    assert all(one.startswith("x:2: W107") and one.endswith("[1 2]") for one in said)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.conllu", "1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n" * 2, "looks like conllu,"),
        ("a.txt", "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n", "looks like sejong, and not"),
        ("a.txt", "나/NP+는/JX 가/VV+ㄴ다/EF\n", "looks like sejong-line, and not"),
        ("a.txt", "; 가자.\n(VP \t(VP 가/VV + 자/EF)\n\t(X ./SF))\n", "looks like treebank,"),
        ("a.mrg", "(S (NP-SBJ (NP 나) (JX 는)) (VP (VV 가) (EF ㄴ다)))\n", "looks like brackets,"),
        ("a.m2", "S 나는 갓다\nA 1 2|||R|||갔다|||REQUIRED|||-NONE-|||0\n\n", "looks like m2,"),
        ("a.tsv", "번호\t글월\n1\t나는 간다.\n", "--field names the column"),
        ("a.csv", "번호,본문\n1,나는 간다.\n", "a.csv looks like JSON or CSV"),
        ("b.csv", "번호,글월\n1,나는 간다.\n", "b.csv is a table in no known format"),
        ("a.json", '{\n "document": [\n  {"sentence": []}\n ]\n}\n', "looks like modu, and not"),
    ],
)  # fmt: skip
def test_what_is_no_raw_text_is_not_analysed(
    name: str, text: str, message: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    done = cli("analyze", name, "out.conllu")
    assert (done.returncode, (tmp_path / "out.conllu").exists()) == (2, False)
    assert message in done.stderr.decode()


def test_a_table_is_no_raw_text_of_other_commands(cli: Cli, tmp_path: Path) -> None:
    """CoNLL-U with commas between its columns."""
    row = ",".join(["1", "나", "나", "PRON", "NP", "_", "0", "root", "_", "_"])
    (tmp_path / "a.csv").write_text(f"{row}\n\n", "utf-8")
    for command in ("convert", "stats"):
        assert "columns of a corpus have tabs between them" in cli(command, "a.csv").told_only()
    assert cli("stats", "--from", "text", "a.csv").returncode == 0
    (tmp_path / "a.csv").write_text("나는 간다.\n", "utf-8")
    assert cli("convert", "a.csv").returncode == 0


@pytest.mark.parametrize(
    "line", ["나는\t간다.", "## 제목", "(웃음) 나는 (박수)", "[봄](http://a.b)"]
)
def test_marks_in_a_line_leave_it_raw_text(cli: Cli, line: str) -> None:
    assert cli("analyze", stdin=f"{line}\n".encode()).returncode == 0


def test_lines_of_records_count_from_the_beginning_of_the_file() -> None:
    reader = RecordsReader(ASSEMBLER, field="text")
    assert [block.line for block in reader.blocks(["\n", '{"id": x, "text": "봄이 온다."'])] == [2]


NIKL: dict[str, Any] = {
    "id": "SDRW1",
    "metadata": {"title": "일상 대화"},
    "document": [
        {
            "id": "SDRW1.1",
            "metadata": {"topic": "우정"},
            "utterance": [
                {"id": "SDRW1.1.1", "form": "", "speaker_id": "A"},
                {
                    "id": "SDRW1.1.2",
                    "form": "나는 간다.",
                    "original_form": "난 간다.",
                    "speaker_id": "B",
                },
            ],
        },
        {"id": "SDRW1.2", "paragraph": [{"id": "SDRW1.2.1", "form": "봄이 온다. 또 봄이다."}]},
        {"id": "SDRW1.3", "utterance": []},
    ],
}


@pytest.mark.parametrize("indent", [None, 4])
def test_paragraphs_and_utterances_of_nikl_are_raw_text(cli: Cli, indent: int | None) -> None:
    text = json.dumps(NIKL, ensure_ascii=False, indent=indent).encode()
    done = cli("analyze", "-", "-", "--split", stdin=text)
    comments = [line[2:] for line in done.stdout.decode().split("\n") if line[:2] == "# "]
    assert [line for line in comments if not line.startswith("generator")] == [
        "newdoc id = SDRW1.1",
        "meta::corpus.title = 일상 대화",
        "meta::topic = 우정",
        "newpar",
        "sent_id = SDRW1.1.2",
        "text = 나는 간다.",
        'record = {"id": "SDRW1.1.2", "original_form": "난 간다.", "speaker_id": "B"}',
        "newdoc id = SDRW1.2",
        "newpar",
        "sent_id = SDRW1.2.1",
        "text = 봄이 온다.",
        'record = {"id": "SDRW1.2.1"}',
        "sent_id = SDRW1.2.1-2",
        "text = 또 봄이다.",
    ]
    said = done.stderr.decode()
    assert "W332 1 record with an empty text left out" in said
    assert "W321 the document SDRW1.3 has no sentences, at line" in said
    assert cli("convert", "-", "-", stdin=text).stdout.count(b"# sent_id = ") == 2
    assert cli("grep", "lemma=봄", "-", stdin=text).stdout.count(b"[") == 2
    other = cli("convert", "-", "-", "--field=original_form", "--on-error=skip", stdin=text)
    assert "# text = 난 간다.\n" in other.stdout.decode()
    assert other.stderr.decode().count("E640 the record has no text original_form") == 1


def test_a_folder_of_nikl_texts_is_converted(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.json").write_text(json.dumps(NIKL), encoding="utf-8")
    done = cli("convert", "in", "-o", "out/")
    assert (done.returncode, done.stderr.count(b"W332 1 record")) == (0, 2)
    first, second = ((tmp_path / "out" / f"{one}.conllu").read_bytes() for one in ("a", "b"))
    assert first == second
    assert "나는 간다.".encode() in first


def test_a_document_without_texts_opens_no_other(cli: Cli) -> None:
    bare = {"id": "SDRW1.0", "metadata": {"topic": "봄"}, "utterance": [{"id": "x", "form": "a"}]}
    text = json.dumps(NIKL | {"document": [bare, *NIKL["document"]]}).encode()
    done = cli("analyze", "-", "-", "--field=original_form", "--on-error=skip", stdin=text)
    opening = [
        line for line in done.stdout.decode().split("\n") if line[:6] in ("# newd", "# meta")
    ]
    title = "# meta::corpus.title = 일상 대화"
    assert opening == [title, "# newdoc id = SDRW1.1", "# meta::topic = 우정"]


def test_records_of_one_line_keep_their_members_when_split(cli: Cli) -> None:
    records = [
        {"id": "a", "text": "봄이 온다. 또 봄이다.", "k": 1},
        {"id": "b", "text": "봄.", "k": 2},
    ]
    text = json.dumps(records, ensure_ascii=False).encode()
    out = cli("analyze", "-", "-", "--split", "--field", "text", stdin=text).stdout.decode()
    assert re.findall("# sent_id = (.*)", out) == ["a", "a-2", "b"]
    assert re.findall("# record = (.*)", out) == ['{"id": "a", "k": 1}', '{"id": "b", "k": 2}']


def test_columns_that_a_text_names_are_text(cli: Cli) -> None:
    names = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC A:B"
    out = cli("analyze", stdin=f"# global.columns = {names}\n나는 간다.\n".encode()).stdout.decode()
    assert out.startswith("# sent_id = 1\n")
    assert {row.count("\t") for row in out.split("\n") if row and row[0] != "#"} == {9}
