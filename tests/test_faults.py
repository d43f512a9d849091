"""What the readers do with each fault of a Sejong-style file: one file in data/ a fault.

A file is named by the code that it is reported with; `clean` files hold something unusual that is
no fault. Most have three sentences, and the fault in line 5, the second eojeol of the second one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from corpora import ASSEMBLER, RULES, conllu_text, read_text, sejong_text

from sejongud.errors import EncodingError, FormatError, Incident, OnError, Report
from sejongud.files import Source
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.corpus import SejongCorpusReader
from sejongud.formats.sejong import SejongReader
from sejongud.model import LEVELS, Sentence

if TYPE_CHECKING:
    from conftest import Cli

    from sejongud.formats.base import Reader

DATA = Path(__file__).parent / "data"

FAULT_LINE = 5
FAULT = (1, 1)
"""Which sentence and which eojeol of it that line is, from 0."""


def read(
    name: str, on_error: OnError = "stop", kind: type[Reader] = SejongReader
) -> tuple[list[Sentence], list[Incident]]:
    path = DATA / f"{name}.txt"
    incidents: list[Incident] = []
    reader = kind(ASSEMBLER, keep=on_error == "keep")
    with Source(path) as source:
        frames = reader.blocks(source.chunks())
        sentences = list(reader.read(frames, str(path), on_error, Report(incidents.append)))
    return sentences, incidents


def way_back(sentences: list[Sentence], level: int) -> str:
    """Sejong text, by way of CoNLL-U."""
    return sejong_text(read_text(ConlluReader(ASSEMBLER), conllu_text(sentences, level)))


def code_of(name: str) -> str:
    return name.partition("-")[0]


class Mended(NamedTuple):
    name: str
    back: str
    """The line as the way back writes it."""
    words: str
    """The words at level 5, form/tag."""
    misc: str = ""
    """What MISC says of it."""


def same(name: str) -> str:
    """The line as the file has it."""
    return (DATA / f"{name}.txt").read_text(encoding="utf-8").split("\n")[FAULT_LINE - 1]


ENDED = "피/VV+었/EP+다/EF"
피었다 = f"피었다\t{ENDED}"
MENDED = [
    Mended("W101-tag-typo", "피었다\t피/VV+었/EP+다/SF", "피/VV 었/EP 다/EF", "OrigXPOS=SF"),
    Mended(
        "W101-tag-typo-inside", same("W101-tag-typo-inside"), "꽃밭/NNG 이/JKS", "OrigXPOS=NNGG"
    ),
    Mended("W102-leading-plus", 피었다, "피/VV 었/EP 다/EF"),
    Mended("W102-trailing-plus", 피었다, "피/VV 었/EP 다/EF"),
    Mended("W102-double-plus", 피었다, "피/VV 었/EP 다/EF"),
    Mended("W103-no-form", same("W103-no-form"), "피/VV _/NNG 었/EP 다/EF", "MSeg="),
    Mended("W104-unknown-tag", same("W104-unknown-tag"), "피/VV 었/EP 다/XYZ"),
    Mended("W104-unknown-tag-inside", same("W104-unknown-tag-inside"), "피/XYZ 었/EP 다/EF"),
    Mended("W105-full-stop", f"피었다.\t{ENDED}", "피/VV 었/EP 다/EF ./SF", "Added=Yes"),
    Mended("W105-question-mark", f"피었다?\t{ENDED}", "피/VV 었/EP 다/EF ?/SF", "Added=Yes"),
    Mended("W105-exclamation-mark", f"피었다!\t{ENDED}", "피/VV 었/EP 다/EF !/SF", "Added=Yes"),
    Mended("W105-comma", "피고,\t피/VV+고/EC", "피/VV 고/EC ,/SP", "Added=Yes"),
    Mended("W105-slash", "꽃/\t꽃/NNG", "꽃/NNG //SP", "Added=Yes"),
    Mended("W105-colon", "꽃:\t꽃/NNG", "꽃/NNG :/SP", "Added=Yes"),
    Mended("W105-quote", same("W105-quote"), "피/VV 었/EP 다/EF ./SF ”/SS", "Added=Yes"),
    Mended("W105-bracket", f"피었다)\t{ENDED}", "피/VV 었/EP 다/EF )/SS", "Added=Yes"),
    Mended("W105-ellipsis", f"피었다…\t{ENDED}", "피/VV 었/EP 다/EF …/SE", "Added=Yes"),
    Mended("W105-hyphen", "꽃-\t꽃/NNG", "꽃/NNG -/SO", "Added=Yes"),
    Mended("W105-tilde", f"피었다~\t{ENDED}", "피/VV 었/EP 다/EF ~/SO", "Added=Yes"),
    Mended("W106-too-much-form", same("W106-too-much-form"), "꽃/NNG 이/JKS"),
    Mended("W106-too-many-morphemes", same("W106-too-many-morphemes"), "꽃/NNG 밭/NNG 이/JKS"),
    Mended("clean-space-in-form", same("clean-space-in-form"), "피어 났다/VV+EC+VX+EP+EF"),
    Mended("clean-space-in-morpheme", same("clean-space-in-morpheme"), "피어 났다/VV+EP+EF", r"\s"),
    Mended("clean-quotes", same("clean-quotes"), "“/SS 꽃/NNG ”/SS 이/JKS", 'MSeg="'),
    Mended("clean-width", same("clean-width"), "ＮＢＡ/SL 에/JKB", "MSeg=NBA"),
    Mended("clean-case", same("clean-case"), "NBA/SL 에/JKB", "MSeg=nba"),
    Mended("clean-tilde", same("clean-tilde"), "1/SN ∼/SO 2/SN", "MSeg=~"),
    Mended("clean-conjoining-jamo", same("clean-conjoining-jamo"), "피/VV ㄴ/ETM", "MSeg=ᆫ"),
    Mended("clean-elided", same("clean-elided"), "거/NNB 이/VCP 야/EF", "MSeg=(이)"),
    Mended("clean-plus", same("clean-plus"), "3/SN +/SW 4/SN"),
    Mended("clean-slash", same("clean-slash"), "A/SL //SP B/SL"),
    Mended("clean-pronunciation", same("clean-pronunciation"), "굳+이->[구지]/NA"),
]


@pytest.mark.parametrize("fault", MENDED, ids=lambda fault: fault.name)
@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_what_can_be_mended_is_mended_whatever_is_done_with_errors(
    fault: Mended, on_error: OnError
) -> None:
    sentences, incidents = read(fault.name, on_error)
    assert [sentence.text.split(" ")[0] for sentence in sentences] == ["봄이", "꽃이", "여름은"]
    if code_of(fault.name) == "clean":
        assert incidents == []
    else:
        place = (code_of(fault.name), FAULT_LINE, sentences[1].sent_id)
        assert [(i.code, i.line, i.sent_id) for i in incidents] == [place]
        assert not incidents[0].is_error
    rows = [line.split("\t") for line in conllu_text(sentences).split("\n\n")[1].split("\n")[2:]]
    words = [row for row in rows if "-" not in row[0]][2:]
    assert " ".join([f"{row[1]}/{row[4]}" for row in words]) == fault.words
    assert fault.misc in " ".join([row[9] for row in words])
    assert all("=" not in row[9] for row in words) or fault.misc or " " in fault.words


@pytest.mark.parametrize("fault", MENDED, ids=lambda fault: fault.name)
def test_the_way_back_of_what_was_mended(fault: Mended) -> None:
    sentences, _ = read(fault.name)
    text = sejong_text(sentences)
    assert text.split("\n")[FAULT_LINE - 1] == fault.back
    for level in LEVELS:
        assert way_back(sentences, level) == text


class Bad(NamedTuple):
    name: str
    line: int
    column: int
    kept: str
    """The form with which `keep` keeps the eojeol."""
    kind: type[Reader] = SejongReader


BAD = [
    Bad("E101-one-column", 5, 0, "피었다"),
    Bad("E101-four-columns", 5, 0, "피었다"),
    Bad("E102-no-analysis", 5, 5, "피었다"),
    Bad("E102-no-form", 5, 1, "피/VV+었/EP+다/EF"),
    Bad("E103-no-tag", 5, 15, "피었다"),
    Bad("E103-no-tag-inside", 5, 10, "피었다"),
    Bad("E103-no-slash", 5, 5, "피었다"),
    Bad("E101-in-corpus", 8, 0, "피었다", SejongCorpusReader),
    Bad("E101-text-in-markup", 8, 0, "<p>피었다.</p>", SejongCorpusReader),
    Bad("E102-in-corpus", 8, 23, "피었다", SejongCorpusReader),
    Bad("E103-in-corpus", 9, 37, "피었다", SejongCorpusReader),
]


@pytest.mark.parametrize("fault", BAD, ids=lambda fault: fault.name)
def test_an_error_ends_the_reading(fault: Bad) -> None:
    with pytest.raises(FormatError) as caught:
        read(fault.name, "stop", fault.kind)
    error = caught.value
    assert (error.code, error.line, error.column) == (code_of(fault.name), fault.line, fault.column)
    path = DATA / f"{fault.name}.txt"
    assert error.path == str(path)
    assert error.text == path.read_text(encoding="utf-8").split("\n")[fault.line - 1]
    assert "expected" in error.message or "empty" in error.message


@pytest.mark.parametrize("fault", BAD, ids=lambda fault: fault.name)
def test_an_error_costs_its_sentence_with_skip(fault: Bad) -> None:
    sentences, incidents = read(fault.name, "skip", fault.kind)
    kept = [sentence.text.split(" ")[0] for sentence in sentences]
    assert kept == (["봄이", "여름은"] if fault.kind is SejongReader else ["봄이"])
    place = (code_of(fault.name), fault.line, fault.column)
    assert [(i.code, i.line, i.column) for i in incidents] == [place]
    assert incidents[0].is_error


@pytest.mark.parametrize("fault", BAD, ids=lambda fault: fault.name)
def test_an_error_makes_its_eojeol_unknown_with_keep(fault: Bad) -> None:
    sentences, incidents = read(fault.name, "keep", fault.kind)
    assert [(i.code, i.line) for i in incidents] == [(code_of(fault.name), fault.line)]
    assert incidents[0].is_error
    eojeol = sentences[FAULT[0]].eojeols[FAULT[1]]
    assert eojeol.form == fault.kept
    assert [(m.form, m.tag) for m in eojeol.morphemes] == [(fault.kept, RULES.unknown_tag)]
    assert f"Sejongud={code_of(fault.name)}" in conllu_text(sentences)
    for level in LEVELS:
        assert way_back(sentences, level) == sejong_text(sentences)


class Markup(NamedTuple):
    name: str
    line: int
    texts: list[str]
    """The sentences that come out."""


MARKUP = [
    Markup("W110-cut-number", 7, ["나는 4.6판 책을 샀다.", "꽃이 피었다."]),
    Markup("W110-cut-abbreviation", 6, ["S.M.오너 클럽이 섰다.", "꽃이 피었다."]),
    Markup("W111-text-after-end", 9, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("W112-second-header", 11, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("W112-open-header", 4, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("W113-unknown-markup", 8, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("W114-not-closed", 5, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("W115-closes-nothing", 6, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("W116-outside", 6, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("clean-metadata", 0, ["봄이 왔다.", "꽃이 피었다."]),
    Markup("clean-angle-brackets", 0, ["< 꽃>이 >", "봄이 왔다."]),
    Markup("clean-id-line", 0, ["봄이 왔다."]),
    Markup("clean-spoken", 0, ["봄이 왔어.", "꽃이 폈어."]),
]


@pytest.mark.parametrize("fault", MARKUP, ids=lambda fault: fault.name)
@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_faults_of_the_markup_are_mended(fault: Markup, on_error: OnError) -> None:
    sentences, incidents = read(fault.name, on_error, SejongCorpusReader)
    assert [sentence.text for sentence in sentences] == fault.texts
    found = {(i.code, i.line) for i in incidents if i.code == code_of(fault.name)}
    assert found == ({(code_of(fault.name), fault.line)} if fault.line else set())
    if not fault.line:
        assert incidents == []
    assert not any(incident.is_error for incident in incidents)
    for level in LEVELS:
        assert way_back(sentences, level) == sejong_text(sentences)


def test_a_duplicate_id_is_kept_and_the_sentences_have_ids_of_their_own() -> None:
    sentences, incidents = read("clean-duplicate-id")
    same_id = "BTXX0009-00000001"
    assert [sentence.ids for sentence in sentences] == [(same_id,)] * 3
    assert [sentence.sent_id for sentence in sentences] == [same_id, same_id + "-2", same_id + "-3"]
    found = [(incident.code, incident.line, incident.sent_id) for incident in incidents]
    assert found == [("W129", 3, same_id + "-2"), ("W129", 5, same_id + "-3")]


def test_comments_that_no_sentence_follows() -> None:
    with pytest.raises(FormatError) as caught:
        read("E106-comments-at-end")
    assert (caught.value.code, caught.value.line) == ("E106", 7)


def test_a_corpus_file_without_a_sentence() -> None:
    with pytest.raises(FormatError, match="no sentence") as caught:
        read("E107-no-sentence", kind=SejongCorpusReader)
    assert caught.value.code == "E107"


def test_undecodable_bytes() -> None:
    with pytest.raises(EncodingError) as caught:
        read("E000-undecodable-bytes")
    assert caught.value.line == 2
    assert "offset 23" in caught.value.message
    assert "utf-8 or cp949" in caught.value.message
    assert caught.value.code == code_of("E000-undecodable-bytes")


def test_every_file_in_data_is_read_by_a_test() -> None:
    tested = {fault.name for fault in MENDED} | {fault.name for fault in BAD}
    tested |= {fault.name for fault in MARKUP}
    tested |= {"clean-duplicate-id", "E106-comments-at-end", "E107-no-sentence"}
    tested |= {"E000-undecodable-bytes"}
    codes = ("E0", "E10", "W10", "W11", "clean")
    assert {path.stem for path in DATA.glob("*.txt") if path.stem.startswith(codes)} == tested


def test_the_sample_of_faults_has_every_one(root: Path) -> None:
    reader = SejongReader(ASSEMBLER, keep=True)
    report = Report()
    path = root / "samples" / "sejong-faults.txt"
    with Source(path) as source:
        sentences = list(reader.read(reader.blocks(source.chunks()), str(path), "keep", report))
    assert set(report.counts) == {
        "E101", "E102", "E103", "W101", "W102", "W103", "W104", "W105", "W106", "W129",
    }  # fmt: skip
    for level in LEVELS:
        assert way_back(sentences, level) == sejong_text(sentences)


# --- ids that occur twice -------------------------------------------------------------------------

REPEATED = {
    "sejong": ("# sent_id = a\n나\t나/NP\n\n" * 2, 5),
    "corpus": ("<text>\n<p>\nBTAA0001-00000001\t나\t나/NP\n</p>\n</text>\n" * 2, 8),
    "klue-dp": ("## a\t나\n1\t나\t나\tNP\t0\tVNP\n\n" * 2, 5),
    "conllu": ("# sent_id = a\n1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n" * 2, 5),
    "jsonl": (
        '{"sent_id": "a", "eojeols": [{"form": "나", "morphemes": [{"form": "나", "tag": "NP"}]}]}'
        '\n{"sent_id": "a", "eojeols": []}\n',
        2,
    ),
    "modu": (
        '{"document": [{"sentence": [\n{"id": "a", "form": "나"},\n{"id": "a", "form": "나"}]}]}',
        3,
    ),
    "penn-korean": (";;a: 봄이\n\n(S 봄/NNC+이/PCA)\n\n;;a: 봄이\n\n(S 봄/NNC+이/PCA)\n", 5),
}
"""Format → a file whose two sentences have one id, and the line of the second one."""


@pytest.mark.parametrize("command", ["convert", "validate"])
@pytest.mark.parametrize("name", REPEATED)
def test_an_id_that_occurs_twice_is_reported_once(
    name: str, command: str, tmp_path: Path, cli: Cli
) -> None:
    text, line = REPEATED[name]
    (tmp_path / "in").write_text(text, encoding="utf-8")
    result = cli(command, "--on-error", "keep", "--from", name, "in")
    said = (result.stdout if command == "validate" else result.stderr).decode()
    sent_id = "BTAA0001-00000001-2" if name == "corpus" else "a-2"
    message = f"in:{line}: W129 the id of the sentence occurred before in this file"
    assert f"{message}: read as {sent_id} [{sent_id}]\n" in said
    assert said.count("W129 the id") == 1


# --- JSON with too many brackets ------------------------------------------------------------------

NESTED = {
    "hf-jsonl": (
        ("ner", "eoj2morph"),
        '{"id": "ID", "tokens": ["나는"], "ner_tags": ["O"], "more": VALUE}\n',
        "[]",
    ),
    "konne": (("ner", "syl2morph"), '{"id": "ID", "text": "나는", "label": VALUE}\n', "[]"),
    "jsonl": (
        ("convert",),
        '{"sent_id": "ID", "eojeols": VALUE}\n',
        '[{"form": "나", "morphemes": [{"form": "나", "tag": "NP"}]}]',
    ),
    "modu": (
        ("convert", "--from", "modu"),
        '{"id": "ID", "form": "나는", "morpheme": VALUE}\n',
        '[{"form": "나", "label": "NP", "word_id": 1}]',
    ),
}
"""Format → the command that reads it, a sentence of it, and its value that can be nested."""


@pytest.mark.parametrize("depth", [150, 950, 200_000])
@pytest.mark.parametrize("name", NESTED)
def test_deep_brackets_cost_their_sentence_alone(
    name: str, depth: int, tmp_path: Path, cli: Cli
) -> None:
    command, sentence, value = NESTED[name]
    values = {"a": value, "b": "[" * depth + "]" * depth, "c": value}
    lines = [sentence.replace("ID", key).replace("VALUE", of) for key, of in values.items()]
    text = "".join(lines)
    if name == "modu":
        text = '{"document": [{"sentence": [' + ",".join(lines) + "]}]}\n"
    (tmp_path / "in.json").write_text(text, encoding="utf-8")
    message = cli(*command, "in.json", "out.conllu", "--on-error", "skip").told(1)
    assert "in.json:2: E" in message
    assert depth < 200_000 or "nested too deeply" in message
    written = (tmp_path / "out.conllu").read_text(encoding="utf-8")
    ids = [line for line in written.split("\n") if line.startswith("# sent_id = ")]
    assert ids == ["# sent_id = a", "# sent_id = c"]
