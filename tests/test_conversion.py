from __future__ import annotations

import gc
import io
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import pytest
from corpora import ASSEMBLER

import sejongud
from sejongud.api import convert
from sejongud.converters.jobs import Conversion, read
from sejongud.errors import FormatError, Incident, Report, UsageError
from sejongud.files import Source
from sejongud.formats import FORMATS, READERS, WRITERS, reader_class, recognise
from sejongud.formats.around import PREFIXES
from sejongud.formats.sejong import SejongReader
from sejongud.pipeline import Totals, convert_stream

if TYPE_CHECKING:
    from pathlib import Path

    from sejongud.formats.base import Block

TEXT = "눈이\t눈/NNG+이/JKS\n온다.\t오/VV+ㄴ다/EF+./SF\n\n"
BROKEN = "책을\t책/NNG+을\n\n"
TYPO = "책을\t책/NNGG+을/JKO\n\n"
TREE = """# sent_id = a
# text = 눈이 온다
1\t눈이\t눈+이\tNOUN\tNNG+JKS\tCase=Nom\t2\tnsubj\t_\t_
2\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t_\t_

"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in"


def written(path: Path, conversion: Conversion, jobs: int = 1) -> tuple[str, Totals, Report]:
    """What a conversion of a file writes."""
    out = io.StringIO()
    report = Report()
    with Source(path) as source:
        totals = convert_stream(conversion, source, out, report, jobs=jobs)
    return out.getvalue(), totals, report


def test_convert_writes_the_file_and_counts(path: Path, tmp_path: Path) -> None:
    path.write_text(TEXT * 3, encoding="utf-8")
    assert convert(path, tmp_path / "out") == Totals(3, 6)
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert text.count("# sent_id = ") == 3
    assert text.startswith("# sent_id = 1\n# text = 눈이 온다.\n1-2\t눈이\t")


def incidents_of(path: Path, conversion: Conversion, jobs: int = 1) -> list[Incident]:
    incidents: list[Incident] = []
    with Source(path) as source:
        convert_stream(conversion, source, io.StringIO(), Report(incidents.append), jobs=jobs)
    return incidents


def test_the_schemes_are_handed_on(path: Path, tmp_path: Path) -> None:
    path.write_text(TEXT, encoding="utf-8")
    convert(path, tmp_path / "out", level=2, upos="ud", lemmas="form")
    assert "1\t눈이\t눈+이\t" in (tmp_path / "out").read_text(encoding="utf-8")
    convert(path, tmp_path / "out", level=5, lemmas="form")
    assert "\tㄴ다\tㄴ다\tPART\tEF\t" in (tmp_path / "out").read_text(encoding="utf-8")


def test_an_error_leaves_no_file_and_says_where(path: Path, tmp_path: Path) -> None:
    path.write_text(TEXT + BROKEN + TEXT, encoding="utf-8")
    (tmp_path / "out").write_text("before", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        convert(path, tmp_path / "out")
    assert (caught.value.path, caught.value.line, caught.value.code) == (str(path), 4, "E103")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in", "out"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_came_before_an_error_is_reported(path: Path, jobs: int) -> None:
    path.write_text(TYPO + BROKEN + TYPO, encoding="utf-8")
    report = Report()
    with Source(path) as source, pytest.raises(FormatError, match="form/TAG"):
        convert_stream(Conversion("sejong"), source, io.StringIO(), report, jobs=jobs)
    assert report.counts == {"W101": 1}


def test_skip_leaves_the_sentence_out(path: Path, tmp_path: Path) -> None:
    path.write_text(TEXT + BROKEN + TEXT, encoding="utf-8")
    incidents: list[Incident] = []
    report = Report(incidents.append)
    assert convert(path, tmp_path / "out", on_error="skip", report=report) == Totals(2, 4)
    assert [(i.code, i.line, i.sent_id) for i in incidents] == [("E103", 4, "2")]
    assert "책" not in (tmp_path / "out").read_text(encoding="utf-8")


def test_keep_keeps_the_eojeol_marked(path: Path, tmp_path: Path) -> None:
    path.write_text(TEXT + BROKEN, encoding="utf-8")
    report = Report()
    assert convert(path, tmp_path / "out", on_error="keep", report=report) == Totals(2, 3)
    assert report.errors == 1
    row = "1\t책을\t책을\tX\tNA\t_\t_\t_\t_\tSejongud=E103\n"
    assert row in (tmp_path / "out").read_text(encoding="utf-8")


def test_what_has_no_place_is_reported(path: Path) -> None:
    path.write_text(TREE, encoding="utf-8")
    for to, level, lost in [("conllu", 2, False), ("conllu", 5, False), ("sejong", 2, True)]:
        incidents = incidents_of(path, Conversion("conllu", to, level=level, path="x"))
        assert [(i.code, i.path, i.sent_id) for i in incidents] == [("W301", "x", "a")] * lost


@pytest.mark.parametrize(
    ("to", "above"), [("sejong", []), ("sejong-line", [("W301", "not written: ids")])]
)
def test_all_kinds_that_have_no_place_are_named(
    path: Path, to: str, above: list[tuple[str, str]]
) -> None:
    path.write_text(TREE.replace("\t_\n", "\tNE=B-LC\n", 1), encoding="utf-8")
    told = incidents_of(path, Conversion("conllu", to))
    assert [(one.code, one.message) for one in told] == [
        ("W441", "눈+이 (LC) is not written: the format has no place for entities"),
        ("W301", "not written: UPOS, FEATS, HEAD, DEPREL, DEPS and MISC of the words"),
        *above,
    ]


@pytest.mark.parametrize(
    ("name", "mark", "text"),
    [("sejong", "# ", TEXT), ("sejong", "#", TEXT), ("conllu", "# ", TREE)],
)
def test_an_id_that_cannot_be_kept_is_reported(path: Path, name: str, mark: str, text: str) -> None:
    text = text.removeprefix("# sent_id = a\n")
    path.write_text(f"# a note\n{mark}sent_id = x 1\n{text}", encoding="utf-8")
    incidents: list[Incident] = []
    out = io.StringIO()
    with Source(path) as source:
        convert_stream(Conversion(name), source, out, Report(incidents.append))
    assert "# sent_id = 1\n" in out.getvalue()
    assert [(incident.code, incident.line) for incident in incidents] == [("W302", 2)]


def test_more_jobs_write_the_same_in_the_same_order(path: Path) -> None:
    # More than one batch for each process, with ids, a document and something to report in each.
    blocks = [
        f"BTXX{n // 1000:04}-{n:08}\t눈{'나' * (n % 7)}이\t눈{'나' * (n % 7)}/NNGG+이/JKS\n\n"
        for n in range(6_000)
    ]
    path.write_text("".join(blocks), encoding="utf-8")
    conversion = Conversion("sejong", deps="dummy")
    one, two = written(path, conversion), written(path, conversion, jobs=2)
    assert one == two
    assert one[1] == Totals(6_000, 6_000)
    assert one[2].counts == {"W101": 6_000}


def test_no_character_of_a_form_stands_for_its_id(path: Path) -> None:
    path.write_text("BTXX0001-00000001\ta\0b\ta\0b/NNG\n", encoding="utf-8")
    text, _, _ = written(path, Conversion("sejong", deps="dummy"))
    assert "1\ta\0b\ta\0b\tNOUN\tNNG\t_\t0\troot\t_\tId=BTXX0001-00000001\n" in text


@pytest.mark.parametrize(
    "cells", [("0\t_", "1\t_"), ("_\troot", "_\tdep"), ("0\troot", "1\t_"), ("0\tdep", "1\troot")]
)
def test_arcs_stay_though_they_are_or_resemble_a_dummy(path: Path, cells: tuple[str, str]) -> None:
    """UD Korean GSD has a sentence whose arcs are the very chain that --deps dummy writes."""
    text = "".join(
        [
            f"{at}\t{form}\t{form}\tNOUN\tNNG\t_\t{arc}\t_\t_\n"
            for at, (form, arc) in enumerate(zip("봄꽃", cells, strict=True), 1)
        ]
    )
    path.write_text(f"# sent_id = a\n# text = 봄 꽃\n{text}\n", encoding="utf-8")
    assert written(path, Conversion("conllu"))[0] == path.read_text("utf-8")
    dummy = text.replace(cells[0], "0\troot").replace(cells[1], "1\tdep")
    path.write_text(f"# sent_id = a\n# text = 봄 꽃\n{dummy}\n", encoding="utf-8")
    assert written(path, Conversion("conllu"))[0] == path.read_text("utf-8")


def test_an_empty_file_is_converted_to_one(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"")
    for to in WRITERS:
        assert convert(path, tmp_path / "out", to=to) == Totals(0, 0)
        assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_that_omits_ids_that_are_numbers_says_so(root: Path, name: str) -> None:
    """Several processes write the same file only if `numbered` of `FORMATS` is right."""
    # KLUE-DP needs heads, and the other formats of trees constituents.
    sample = "klue-dp.tsv" if name == "klue-dp" else "treebank.txt"
    sentence = next(iter(read(root / "samples" / sample)))
    conversion = Conversion("treebank", name, on_error="skip")
    writer = conversion.make_writer()
    texts = {writer.sentence(sentence.but(sent_id="7", number=n)) for n in (7, 8)}
    assert FORMATS[name].numbered == (len(texts) > 1)
    assert conversion.needs_order == FORMATS[name].numbered


def test_the_columns_of_conllu_plus_are_named_once(path: Path) -> None:
    path.write_text(TEXT * 2, encoding="utf-8")
    text, _, _ = written(path, Conversion("sejong", ne="column"))
    assert text.count("# global.columns = ID FORM ") == 1
    assert text.startswith("# global.columns")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 6}, "level 6"),
        ({"upos": "x"}, "UPOS scheme x"),
        ({"lemmas": "x"}, "lemma scheme x"),
        *[({"to": "x"}, "format x"), ({"from_": "x"}, "format x")],
        ({"on_error": "kepp"}, "on_error is one of stop, skip, keep, not kepp"),
        ({"jobs": -3}, "-3 is not a number of processes"),
    ],
)
def test_what_does_not_exist_is_wrong_usage(
    path: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        convert(path, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(path: Path, enabled: bool) -> None:
    path.write_text(TEXT + BROKEN, encoding="utf-8")
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(FormatError):
            written(path, Conversion("sejong"))
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_read_yields_sentences_as_they_come(path: Path) -> None:
    path.write_text(TEXT + BROKEN, encoding="utf-8")
    sentences = read(path)
    assert next(sentences).text == "눈이 온다."
    with pytest.raises(FormatError, match="form/TAG"):
        next(sentences)
    report = Report()
    assert len(list(sejongud.read(path, on_error="skip", report=report))) == 1
    assert report.counts == {"E103": 1}


def test_a_user_s_tables_are_laid_over(path: Path, tmp_path: Path) -> None:
    path.write_text(TEXT, encoding="utf-8")
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "lemmas.tsv").write_text(
        "scheme\tform\ttag\tlemma\tnote\nnormalised\t눈\tNNG\tsnow\t\n"
    )
    convert(path, tmp_path / "out", rules=rules)
    assert "1\t눈\tsnow\tNOUN\tNNG" in (tmp_path / "out").read_text(encoding="utf-8")


WHOLE = (
    *("modu", "etri", "spacy-json", "modu-ne", "label-studio", "brat"),
    *("nikl", "knct", "learner-xml"),
)
"""A file of one value of JSON, or of XML, is never empty, nor does brat do without its text."""


@pytest.mark.parametrize("name", [name for name in READERS if name not in WHOLE])
def test_every_reader_takes_an_empty_file(path: Path, name: str) -> None:
    path.write_bytes(b"")
    assert list(read(path, from_=name)) == []


@pytest.mark.parametrize("name", [name for name in READERS if FORMATS[name].reader])
def test_a_format_is_restored_and_described_by_its_name(name: str, root: Path) -> None:
    expected = name if name in PREFIXES else ""
    assert getattr(reader_class(name), "restored", "") == expected
    assert f"\n| `{name}` |" in (root / "README.md").read_text(encoding="utf-8")


def test_lines_are_looked_up_once_for_a_sentence() -> None:
    looked_up = []

    class Counting(SejongReader):
        def lines(self, block: Block) -> list[int]:
            looked_up.append(block)
            return super().lines(block)

    reader = Counting(ASSEMBLER)
    incidents: list[Incident] = []
    blocks = reader.blocks(["눈이\t눈/NNGG+이/JKS\n" * 50])
    list(reader.read(blocks, "x", "stop", Report(incidents.append)))
    assert [incident.line for incident in incidents] == list(range(1, 51))
    assert len(looked_up) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_file_comes_behind_those_before_it(path: Path, jobs: int) -> None:
    path.write_text(f"{BROKEN}{TEXT}# the end\n", encoding="utf-8")
    with pytest.raises(FormatError) as raised:
        written(path, Conversion("sejong"), jobs)
    assert (raised.value.code, raised.value.line) == ("E103", 1)
    path.write_text(f"{TEXT}{TYPO}# the end\n", encoding="utf-8")
    told: list[Incident] = []
    with pytest.raises(FormatError) as raised, Source(path) as source:
        convert_stream(Conversion("sejong"), source, io.StringIO(), Report(told.append), jobs=jobs)
    assert raised.value.code == "E106"
    assert [(one.code, one.line) for one in told] == [("W101", 4)]


@pytest.mark.parametrize("name", ["sejong", "conllu"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_document_that_begins_with_what_is_skipped_is_told(
    path: Path, name: str, jobs: int
) -> None:
    documents = [f"BTAA000{n}-00000001\t눈이\t눈/NNG+이/JKS\n\n" for n in (1, 2)]
    others = "BTAA0002-00000002\t눈이\t눈/NNG+이/JKS\n\n"
    path.write_text("".join(documents) + others, encoding="utf-8")
    text, _, _ = written(path, Conversion("sejong"))
    assert text.count("# newdoc") == 2
    if name == "conllu":
        begin = text.index("# newdoc id = BTAA0002")
        text = text[:begin] + text[begin:].replace("JKS\t_\t", "JKS\t", 1)
    else:
        text = documents[0] + documents[1].replace("/JKS", "") + others
    path.write_text(text, encoding="utf-8")
    told = incidents_of(path, Conversion(name, on_error="skip"), jobs)
    assert [one.code for one in told][1:] == ["W301"]
    assert "newdoc id = BTAA0002" in told[1].message


def test_a_scheme_that_is_asked_for_is_that_of_all_words(path: Path, tmp_path: Path) -> None:
    path.write_text(TREE.replace("NOUN", "PRON"), encoding="utf-8")
    found = []
    for upos, lemmas in ((None, None), ("sejong", None), (None, "normalised")):
        convert(path, tmp_path / "out", level=2, upos=upos, lemmas=lemmas)
        rows = (tmp_path / "out").read_text(encoding="utf-8").split("\n")[2:4]
        found.append((rows[0].split("\t")[3], rows[1].split("\t")[2]))
    assert found == [("PRON", "오+ㄴ다"), ("NOUN", "오+ㄴ다"), ("PRON", "오+는다")]


@pytest.mark.parametrize("to", ["sejong", "sejong-line"])
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("MSeg=오-ㄴ다", "MSeg=온다", "MSeg=온다, which has not the morphemes of VV+EF"),
        (
            "NNG\t_\t_\t_\t_\t_",
            "NNG\t_\t_\t_\t_\tMSeg=누-ㄴ",
            "UPOS, FEATS, HEAD, DEPREL, DEPS and MISC of the words",
        ),
        ("MSeg=오-ㄴ다", "MSeg=오-는다", ""),
    ],
)
def test_an_mseg_that_is_passed_over_is_told(
    path: Path, to: str, old: str, new: str, said: str
) -> None:
    path.write_text(TEXT, encoding="utf-8")
    text, _, _ = written(path, Conversion("sejong", level=3))
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    told = incidents_of(path, Conversion("conllu", to))
    lost = [one.message for one in told if one.code == "W301"]
    assert lost == ([f"not written: {said}"] if said else [])


@pytest.mark.parametrize("level", [1, 3, 5])
def test_columns_that_were_edited_are_told_at_another_level(path: Path, level: int) -> None:
    path.write_text(TEXT, encoding="utf-8")
    text, _, _ = written(path, Conversion("sejong", level=3))
    edited = text.replace("\tNOUN\t", "\tPROPN\t", 1).replace("오+는다", "오다", 1)
    assert edited != text
    path.write_text(edited, encoding="utf-8")
    told = incidents_of(path, Conversion("conllu", level=level))
    lost = [one.message.partition(",")[0] for one in told]
    assert lost == (["not written: UPOS or LEMMA of 2 words"] if level != 3 else [])


def test_dependencies_are_left_out_if_that_is_asked_for(path: Path) -> None:
    path.write_text(TREE, encoding="utf-8")
    text, _, _ = written(path, Conversion("conllu", level=2, deps="none"))
    rows = [line.split("\t") for line in text.split("\n")[2:4]]
    assert [row[5:9] for row in rows] == [["Case=Nom", "_", "_", "_"], ["_"] * 4]


def test_what_only_upos_and_lemma_say_is_kept(path: Path) -> None:
    path.write_text("1\t학교에\t학교+에\tNOUN\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    text, _, _ = written(path, Conversion("conllu", level=2))
    assert "1\t학교에\t학교+에\tNOUN\t_\t" in text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[속보] 나는 간다.\n", "text"),
        ("#속보 나는 간다.\n", "text"),
        ("{\n", "modu"),
        ('[{"id": 1}]\n', "modu"),
        ('[null, {"id": 1}]\n', "modu"),
        ("# a note\n", "conllu"),
        ("", "conllu"),
        ("; 주석\n(A 그룹) 나는 간다.\n", "text"),
        ("나는 나/NP+는/JX\n간다 가/VV + ㄴ다/EF\n", "sejong"),
        ("BTAA0001-00000001  나는  나/NP+는/JX\nBTAA0001-00000002  집  집/NNG\n", "sejong"),
        ("LG TV/DVD\n나는 간다\n", "text"),
        # Trees.
        ("; 새 책 /\n(NP\t(NP\t(NP 새/MM)\n\t\t(NP 책/NNG))\n\t(X //SP))\n", "treebank"),
        ("<tei.2>\n<text>\n; 책이\n(S (NP_SBJ 책/NNG + 이/JKS)\n", "treebank"),
        (
            '<!DOCTYPE tei.2 [\n\t<!ENTITY % a "b">\n]>\n<text>\n(S (NP_SBJ 책/NNG + 이/JKS)\n',
            "treebank",
        ),
        ("(S (NP (NNG 비)) (VP (VV 오)))\n", "brackets"),
        ("; 1\n(S (SP /))\n", "brackets"),
        (";;W1: 비가 와\n(S (NP 비/NNC+가/PCA) 오/VV)\n", "penn-korean"),
        ("# Sent 1\n(S (NP (NNG 비)) (VP (VV 오)))\n", "brackets"),
        ("%% Sent 1\n(S (NP (NNG 비)) (VP (VV 오)))\n", "brackets"),
        ("NULL\n(S\n  (NP (NNG 비)) (VP (VV 오)))\n(S (VP (VV 오)))\n", "brackets"),
        ("(명사구 (명사 비) (조사 가))\n", "brackets"),
        # Brackets and headings of a text.
        ("((주)한국)은 (서울 (본사)) 간다.\n", "text"),
        ("(서울 (본사)) 간다.\n", "text"),
        ("## 제목\n나는 간다.\n", "text"),
        ("## id\t나는 간다.\n", "klue-dp"),
        ("1\t비가 온다.\n2\t눈이 온다.\n", "sejong"),
        ("그(이름:철수)는 간다.\n", "text"),
        ("(비가 온다)\n", "text"),
        ("(서울=연합뉴스) 정부는 12일(현지시간) 발표했다.\n", "text"),
        ("(주)한국은\t(/SS+주/NNG+)/SS+한국/NNP+은/JX\n", "sejong"),
        ("(\t(/SS\n주\t주/NNG\n)\t)/SS\n", "sejong"),
        ("(/SS+주/NNG+)/SS+한국/NNP+은/JX 가/VV+ㄴ다/EF\n", "sejong-line"),
    ],
)
def test_what_a_text_looks_like(text: str, name: str) -> None:
    assert recognise(None, text).name == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("나\t나/NP\n집\t집/NNG\n", "sejong"),
        ("1\t나는\t나/NP+는/JX\n", "sejong"),
        ("에쓰오일은\nS-OIL\n비행기는 B-52\n좋다\n", "text"),
        ("프\tB-LC\n랑\tI-LC\n", "klue-ner"),
        (normalize("NFD", "프\tB-LC\n랑\tI-LC\n"), "klue-ner"),
        ("1\t나는\tPER_B\n", "naver"),
        ("<서울:LC>의\n", "inline"),
        ("프랑스 B-LC\n의 O\n", "columns"),
        ('{"document": [{"sentence": [{"NE": [], "morpheme": []}]}]}\n', "modu-ne"),
        ('{"document": [{"sentence": [{"morpheme": [{"id": 1}]}]}]}\n', "modu"),
    ],
)
def test_an_entity_corpus_is_told_from_text(text: str, name: str) -> None:
    found = recognise(None, text)
    assert found.name == name
    assert found.is_entities == (name not in ("sejong", "text", "modu"))


@pytest.mark.parametrize("text", ["<서울:LC>의\n", "1\t서울의\tLC_B\n\n"])
def test_an_entity_corpus_is_converted(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    out = path.with_name("out.conllu")
    assert convert(path, out) == Totals(1, 1)
    assert "1\t서울\t서울\tPROPN\tNNP\t_\t_\t_\t_\tNE=B-LC\n" in out.read_text(encoding="utf-8")
    [sentence] = read(path)
    assert sentence.entities == ((("B-LC", "O"),),)
    assert convert(path, out, from_="text").sentences == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("  \n나\t나/NP\n \n\t\n네\t네/NP\n\n\n \n \n", [1, 3, 4, 8, 9]),
        ("나\t나/NP\n\t\n네\t네/NP\n\n", [2]),
        ("나\t나/NP\n \n네\t네/NP\n\n", [2]),
        ("나\t 나/NP\n네\t네/NP \n는 \t는/NP\n 다\t다/NP\n\n", [1, 2, 3, 4]),
        ("# note\n\n나\t나/NP\n\n", [2]),
        ("나\t나/NP\n\t ", [2]),
    ],
)
def test_blanks_that_are_left_out_are_told(text: str, lines: list[int], path: Path) -> None:
    path.write_text(text, encoding="utf-8")
    told = incidents_of(path, Conversion("sejong"))
    assert [(one.code, one.line) for one in told] == [("W108", line) for line in lines]


def test_a_last_line_of_blanks_without_its_end_is_no_row(path: Path) -> None:
    path.write_text("1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n \t", encoding="utf-8")
    [sentence] = read(path)
    assert sentence.text == "나"


def test_columns_of_eojeols_without_a_tree_come_back(path: Path, tmp_path: Path) -> None:
    """UPOS and LEMMA of eojeols that no other column marks as a treebank's own."""
    words = (
        "나무가\t나무+가\tNOUN\tNNG+JKS",
        "예쁘게\t예쁘+게\tADV\tVA+EC",
        "커\t크+어\tVERB\tVA+EC",
    )
    rows = [f"{number}\t{word}\t_\t_\t_\t_\t_\n" for number, word in enumerate(words, 1)]
    path.write_text(
        "# sent_id = 1\n# text = 나무가 예쁘게 커\n" + "".join(rows) + "\n", encoding="utf-8"
    )
    told: list[Incident] = []
    convert(path, tmp_path / "5", from_="conllu", level=5, report=Report(told.append))
    assert not told and "WordUPOS=ADV" in (tmp_path / "5").read_text(encoding="utf-8")
    convert(tmp_path / "5", tmp_path / "2", from_="conllu", level=2)
    assert "예쁘게\t예쁘+게\tADV" in (tmp_path / "2").read_text(encoding="utf-8")
    assert sejongud.run("dep", "morph2word", str(tmp_path / "5")).output == path.read_text("utf-8")


def test_an_empty_id_is_told(path: Path) -> None:
    ids = "BTAA0001-00000001\t눈이\t눈/NNG+이/JKS\n\t온다\t오/VV+ㄴ다/EF\n\n"
    path.write_text(ids, encoding="utf-8")
    incidents = incidents_of(path, Conversion("sejong"))
    assert [(incident.code, incident.line) for incident in incidents] == [("W109", 2)]


def test_morphemes_of_our_own_file_are_no_loss(path: Path, tmp_path: Path) -> None:
    """The XPOS of a treebank has no tag for the symbol that we add."""
    word = "1\t간다.\t적+에\tNOUN\tNP+JX\t_\t0\troot\t_\tOrigLemma=적+에\n\n"
    path.write_text(word, encoding="utf-8")
    convert(path, tmp_path / "own", from_="conllu", level=1)
    incidents: list[Incident] = []
    report = Report(incidents.append)
    convert(tmp_path / "own", tmp_path / "again", from_="conllu", level=1, report=report)
    assert "W301" not in [incident.code for incident in incidents]
    assert (tmp_path / "again").read_bytes() == (tmp_path / "own").read_bytes()


@pytest.mark.parametrize(("lemma", "deprel"), [("가", "aux"), ("가다", "mark")])
def test_columns_of_ranges_of_another_program_are_told_where_a_level_joins_their_words(
    path: Path, lemma: str, deprel: str
) -> None:
    """An ending that a published conversion calls PART and aux; a LEMMA that somebody edited."""
    rows = [
        "1-2\t갈\t_\t_\t_\t_\t_\t_\t_\t_",
        f"1\t가\t{lemma}\tVERB\tVV\t_\t3\tacl\t_\t_",
        f"2\tㄹ\t을\tPART\tETM\t_\t1\t{deprel}\t_\t_",
        "3\t옷\t옷\tNOUN\tNNG\t_\t0\troot\t_\t_",
    ]
    source = "\n".join(["# sent_id = a", "# text = 갈 옷", *rows, "", ""])
    path.write_text(source, encoding="utf-8")
    for level in range(1, 6):
        told: list[Incident] = []
        out = io.StringIO()
        with Source(path) as stream:
            convert_stream(Conversion("conllu", level=level), stream, out, Report(told.append))
        lost = (
            "UPOS, LEMMA, HEAD, DEPREL or DEPS of 1 word of ranges, which this level cuts in its"
            " own way"
        )
        assert [one.message for one in told] == [f"not written: {lost}"] * (level < 4)
        assert (out.getvalue() == source) == (level >= 4)
