"""The corpus as distributed: framing by markup, metadata, events; faults are in test_faults.py."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from cases import cases
from corpora import ASSEMBLER
from hypothesis import given
from hypothesis import strategies as st

from sejongud.errors import FormatError, Incident, Report
from sejongud.files import Source
from sejongud.formats.corpus import SejongCorpusReader, looks_like_corpus
from sejongud.formats.sejong import SejongWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sejongud.model import Sentence

CASES = cases("corpus")


def read(
    text: str | Iterable[str], *, metadata: bool = False, rejoin: bool = True
) -> tuple[list[Sentence], list[Incident]]:
    incidents: list[Incident] = []
    reader = SejongCorpusReader(ASSEMBLER, metadata=metadata, rejoin=rejoin)
    blocks = reader.blocks([text] if isinstance(text, str) else text)
    return list(reader.read(blocks, "-", "stop", Report(incidents.append))), incidents


def texts(sentences: list[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def numbered(*lines: str) -> str:
    """Lines of the written corpus: those with a tab get an id, by the number of the line."""
    return "".join(
        f"BTXX0009-{at:08d}\t{line}\n" if "\t" in line else f"{line}\n"
        for at, line in enumerate(lines, 1)
    )


def spoken(*lines: str) -> str:
    """Lines of the spoken corpus: all of them get an id."""
    return "".join(f"5CT_0009-{at * 10:07d}\t{line}\n" for at, line in enumerate(lines, 1))


BOOK = "책을\t책/NNG + 을/JKO"
READ = "읽었다.\t읽/VV + 었/EP + 다/EF + ./SF"
CAME = "왔다.\t오/VV + 았/EP + 다/EF + ./SF"
CUT = "4.6판\t4/SN + ./SF + 6/SN + 판/NNG"


# --- samples -------------------------------------------------------------------------------------


def sample(path: Path) -> tuple[list[Sentence], list[Incident]]:
    with Source(path) as source:
        assert source.encoding == "utf-8"
        assert looks_like_corpus(source.head())
        assert source.encoding == "utf-16-le"
        return read(source.chunks())


def test_written_sample(root: Path) -> None:
    sentences, incidents = sample(root / "samples" / "corpus-written.txt")
    assert len(sentences) == 13
    assert [incident.code for incident in incidents] == ["W110", "W110"]
    assert sentences[0].comments == (
        "newdoc id = BTXX0003",
        "meta::title = 형태소 분석 보기, 글말",
        "meta::author = sejongud",
        "meta::extent = 59어절",
        "meta::idno = BTXX0003.txt, 원본:BRXX0003.txt",
        "meta::sourceDesc = 지어낸 글 / 출판된 적 없음",
        "date = 2024/03/15",
        "page = 7",
    )
    assert sentences[0].sent_id == sentences[0].ids[0] == "BTXX0003-00000003"
    assert texts(sentences)[6] == "x > 3이고 y < 5이면 식이 섭니다."
    assert sentences[2].eojeols[0].form == "“혼자"


def test_spoken_sample(root: Path) -> None:
    sentences, incidents = sample(root / "samples" / "corpus-spoken.txt")
    assert incidents == []
    assert len(sentences) == 12
    assert sentences[0].comments[0] == "newdoc id = 9CT_0001"
    assert sentences[0].comments[-2:] == (
        "meta::sourceDesc = 지어낸 글 / 출판된 적 없음",
        "speaker = P1",
    )
    assert sentences[1].comments == (
        "speaker = P2",
        'event = 0 <vocal desc="웃음"/>',
        "transcription = 1 어::",
    )
    assert sentences[-1].comments[-1] == 'event = 1 <vocal desc="웃음"/>'
    assert "<name1>이랑" in [eojeol.form for eojeol in sentences[7].eojeols]


@pytest.mark.parametrize("name", ["sejong.txt", "sejong-ids.txt", "sejong-senses.txt"])
def test_samples_that_are_not_the_corpus(root: Path, name: str) -> None:
    assert not looks_like_corpus((root / "samples" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(("head", "expected"), CASES["test_what_looks_like_the_corpus"])
def test_what_looks_like_the_corpus(head: str, expected: bool) -> None:
    assert looks_like_corpus(head) is expected


# --- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "wanted", "told"),
    [
        # Paragraphs, heads and lines of poetry are sentences.
        (["<text>", "<head>", BOOK, "</head>", "<p>", READ, "</p>", "<lg>", "<l>", CAME, "</l>",
          "</lg>", "</text>"], ["책을", "읽었다.", "왔다."], []),
        (['<P n="1">', BOOK, "</P>"], ["책을"], []),
        # A line may hold several elements.
        (["<text><body><p>", BOOK, "</p><p>", READ, "</p></body>"], ["책을", "읽었다."], []),
        # Empty sentences are none, blank lines nothing.
        (["<p>", "</p>", "<head>", "</head>", "<p>", BOOK, "</p>"], ["책을"], []),
        (["", "<p>", "", BOOK, "", "", READ, "", "</p>", ""], ["책을 읽었다."], []),
        # A sentence ends where one in it begins.
        (["<p>", BOOK, "<l>", READ, "</l>", CAME, "</p>"], ["책을", "읽었다.", "왔다."], []),
        # What closes nothing does not end a sentence.
        (["<p>", BOOK, "</head>", READ, "</p>"], ["책을 읽었다."], [("W115", 3)]),
        # Nothing stands in one of its own kind.
        (["<p>", BOOK, "<l>", READ, "<p>", CAME, "</p>"], ["책을", "읽었다.", "왔다."],
         [("W114", 5), ("W114", 5)]),
        # What is open ends with the text.
        (["<p>", BOOK, "</text>", "<text>", "<p>", READ], ["책을", "읽었다."],
         [("W114", 3), ("W114", 6)]),
        # A sentence cut more than once.
        (["<p>", CUT, "</p>", "<p>", CUT, "</p>", "<p>", BOOK, "</p>", "<p>", READ, "</p>"],
         ["4.6판 4.6판 책을", "읽었다."], [("W110", 5), ("W110", 8)]),
    ],
)  # fmt: skip
def test_what_is_a_sentence(
    lines: list[str], wanted: list[str], told: list[tuple[str, int]]
) -> None:
    sentences, incidents = read(numbered(*lines))
    assert texts(sentences) == wanted
    assert [(incident.code, incident.line) for incident in incidents] == told
    assert [sentence.number for sentence in sentences] == list(range(1, len(wanted) + 1))


def test_blanks_of_the_written_corpus_are_not_part_of_the_analysis() -> None:
    (sentence,), _ = read(numbered("<p>", BOOK, "</p>"))
    assert SejongWriter().sentence(sentence) == "BTXX0009-00000002\t책을\t책/NNG+을/JKO\n\n"


def test_eojeols_may_lack_an_id() -> None:
    sentences, incidents = read(f"<text>\n<p>\n{BOOK}\n{READ}\n</p>\n<p>\n{CAME}\n</p>\n")
    assert (texts(sentences), incidents) == (["책을 읽었다.", "왔다."], [])
    assert [(s.sent_id, s.ids) for s in sentences] == [("1", ()), ("2", ())]


# --- documents -----------------------------------------------------------------------------------


HEADER = "<tei.2>\n<teiHeader>\n<idno>BTXX0008.txt, 원본:BRXX0008.txt</idno>\n</teiHeader>\n"


IDNO = "meta::idno = BTXX0008.txt, 원본:BRXX0008.txt"
NEWDOC = "newdoc id = BTXX0009"


@pytest.mark.parametrize(
    ("text", "comments", "told"),
    [
        # The ids name the document; the header does where there are none.
        (f"{HEADER}<text>\n" + numbered("<p>", BOOK, "</p>", "<p>", READ, "</p>"),
         [(NEWDOC, IDNO), ()], []),
        (f"{HEADER}<text>\n<p>\n{BOOK}\n</p>\n<p>\n{READ}\n</p>\n",
         [("newdoc id = BTXX0008", IDNO), ()], []),
        # Metadata behind the last sentence, in one line, and not closed.
        (numbered("<p>", BOOK, "</p>", "<page>", "8\t8/SN", "</page>"), [(NEWDOC, "page = 8")], []),
        ("<text>\n<date>1993</date>\n" + numbered("<p>", BOOK, "</p>"),
         [(NEWDOC, "date = 1993")], []),
        (numbered("<source>", "<date>", BOOK, "<p>", READ, "</p>"),
         [(NEWDOC, "date = 책을")], [("W114", 4), ("W114", 4)]),
        # Text in a line of markup is kept.
        (numbered("<text>안내</text>", "<p>", BOOK, "</p>"),
         [(NEWDOC, "event = 0 <text>안내</text>")], []),
    ],
)  # fmt: skip
def test_documents_and_metadata_are_comments(
    text: str, comments: list[tuple[str, ...]], told: list[tuple[str, int]]
) -> None:
    sentences, incidents = read(text)
    assert [sentence.comments for sentence in sentences] == comments
    assert [(incident.code, incident.line) for incident in incidents] == told


def test_several_files_in_one() -> None:
    first = '<!DOCTYPE tei.2 SYSTEM "tei2.dtd" [\n<!ENTITY % a "INCLUDE">\n]>\n' + HEADER
    one = first + "<text>\n" + numbered("<p>", BOOK, "</p>") + "</text>\n</tei.2>\n"
    two = one.replace("BTXX0009", "BTXX0010")
    sentences, incidents = read(one + "\ufeff" + two)
    assert [s.comments for s in sentences] == [
        ("newdoc id = BTXX0009", IDNO),
        ("newdoc id = BTXX0010", IDNO),
    ]
    assert {incident.code for incident in incidents} == {"W111", "W112"}


def test_nothing_of_a_header_is_text() -> None:
    header = "<teiHeader>\n<p>머리말</p>\n책\t책/NNG\n<date>\n</teiHeader>\n<text>\n"
    sentences, incidents = read(header + numbered("<p>", BOOK, "</p>"))
    assert (texts(sentences), incidents) == (["책을"], [])
    assert sentences[0].comments == (
        "newdoc id = BTXX0009",
        "meta::teiHeader = 머리말",
        "meta::teiHeader = 책 책/NNG",
    )


def test_elements_of_a_header_may_be_left_open_or_stand_in_one_line() -> None:
    header = (
        "<tei.2><teiHeader type=text><fileDesc><titleStmt><title>봄, 전자파일</title>\n"
        "<sponsor>대한민국\n문화관광부\n<respStmt><resp>분석</resp><name>가나</name></respStmt>\n"
        "<publisher>다라\n<publisher>마바\n<date></date><date>1993\n"
        '<catRef scheme="SJ21" target="M2132">\n</fileDesc>끝</teiHeader><text>\n'
    )
    sentences, incidents = read(header + numbered("<p>", BOOK, "</p>"))
    assert incidents == []
    assert sentences[0].comments == (
        "newdoc id = BTXX0009",
        "meta::teiHeader = type=text",
        "meta::title = 봄, 전자파일",
        "meta::sponsor = 대한민국",
        "meta::sponsor = 문화관광부",
        "meta::resp = 분석",
        "meta::name = 가나",
        "meta::publisher = 다라",
        "meta::publisher = 마바",
        "meta::date = 1993",
        "meta::genre = M2132",
        "meta::teiHeader = 끝",
    )


def test_a_header_that_is_too_long_is_cut_and_that_is_said() -> None:
    header = "<teiHeader>\n" + "<p>머리말\n" * 300 + "</teiHeader>\n<text>\n"
    sentences, incidents = read(header + numbered("<p>", BOOK, "</p>"))
    assert len(sentences[0].comments) == 201
    assert [incident.code for incident in incidents] == ["W112"]


@pytest.mark.parametrize("before", ["", "<!DOCTYPE tei.2>\n", "<teiHeader>\n</teiHeader>\n"])
def test_eojeols_above_the_text_are_text(before: str) -> None:
    sentences, incidents = read(f"{before}{BOOK}\n{READ}\n<p>\n{CAME}\n</p>\n")
    assert texts(sentences) == ["책을 읽었다.", "왔다."]
    assert [incident.code for incident in incidents] == ["W116"]


# --- metadata ------------------------------------------------------------------------------------


METADATA = [
    "<text>", "<source>", "어느\t어느/MM", "신문\t신문/NNG", "<date>", "3월\t3/SN + 월/NNB",
    "</date>", "</source>", "<author>", "김\t김/NNP", "</author>",
]  # fmt: skip


def test_metadata_are_comments_of_the_next_sentence() -> None:
    sentences, incidents = read(numbered(*METADATA, "<p>", BOOK, "</p>", "<p>", READ, "</p>"))
    newdoc = "newdoc id = BTXX0009"
    expected = (newdoc, "source = 어느 신문", "date = 3월", "author = 김")
    assert [sentence.comments for sentence in sentences] == [expected, ()]
    assert sentences[0].sent_id == "BTXX0009-00000013"
    assert incidents == []


def test_metadata_as_sentences() -> None:
    sentences, incidents = read(numbered(*METADATA, "<p>", BOOK, "</p>"), metadata=True)
    assert texts(sentences) == ["어느 신문", "3월", "김", "책을"]
    marks = [sentence.comments[-1:] for sentence in sentences]
    assert sentences[0].comments[0] == "newdoc id = BTXX0009"
    assert marks == [("metadata = source",), ("metadata = date",), ("metadata = author",), ()]
    assert incidents == []


def test_a_date_inside_a_sentence_is_part_of_it() -> None:
    text = numbered("<p>", BOOK, "<date>", READ, "</date>", CAME, "</p>")
    for metadata in (False, True):
        (sentence,), incidents = read(text, metadata=metadata)
        assert sentence.text == "책을 읽었다. 왔다."
        assert sentence.comments[1:] == ("event = 1 <date>", "event = 2 </date>")
        assert incidents == []


# --- sentences that were cut ---------------------------------------------------------------------


def test_no_rejoin() -> None:
    text = numbered("<p>", CUT, "</p>", "<p>", BOOK, "</p>")
    assert texts(read(text)[0]) == ["4.6판 책을"]
    sentences, incidents = read(text, rejoin=False)
    assert texts(sentences) == ["4.6판", "책을"]
    assert incidents == []


@pytest.mark.parametrize(
    "last",
    [
        "4.6.\t4/SN + ./SF + 6/SN + ./SF",
        "4.6”\t4/SN + ./SF + 6/SN + ”/SS",
        "1,000원\t1/SN + ,/SP + 000/SN + 원/NNB",
        "책.6\t책/NNG + ./SF + 6/SN",
        "4.\t4/SN + ./SF",
        "책\t책/NNG",
    ],
)
def test_what_is_not_cut(last: str) -> None:
    sentences, incidents = read(numbered("<p>", last, "</p>", "<p>", BOOK, "</p>"))
    assert len(sentences) == 2
    assert incidents == []


@pytest.mark.parametrize(
    "between", [["</p>", "<head>"], ["</p>", "<page>", "8\t8/SN", "</page>", "<p>"]]
)
def test_what_stands_between_keeps_apart(between: list[str]) -> None:
    sentences, _ = read(numbered("<p>", CUT, *between, BOOK, "</p>"))
    assert texts(sentences) == ["4.6판", "책을"]


# --- what was heard ------------------------------------------------------------------------------


def test_events_have_a_place() -> None:
    laughs = '<vocal desc="웃음"/>'
    (first, second), incidents = read(
        spoken("<text>", laughs, '<u who="P1">', "<s>", "<pause/>", BOOK, laughs, READ, "</s>",
               laughs, "<s>", laughs, "</s>", '<u who="P2">', '<s n="3">', CAME, "</s>", "</u>",
               "<pause/>")
    )  # fmt: skip
    newdoc = "newdoc id = 5CT_0009"
    assert first.comments == (newdoc, "speaker = P1", f"event = 0 {laughs}", "event = 0 <pause/>",
                              f"event = 1 {laughs}")  # fmt: skip
    assert second.comments == (
        "speaker = P2", f"event = 0 P1: {laughs}", f"event = 0 P1: {laughs}", "event = 1 <pause/>"
    )  # fmt: skip
    assert incidents == []


@pytest.mark.parametrize(
    ("line", "form", "transcription"), CASES["test_what_is_heard_is_no_part_of_the_form"]
)
def test_what_is_heard_is_no_part_of_the_form(line: str, form: str, transcription: str) -> None:
    (sentence,), incidents = read(spoken("<s>", READ, line, "</s>"))
    assert [eojeol.form for eojeol in sentence.eojeols] == ["읽었다.", form]
    heard = [c for c in sentence.comments if c.startswith("transcription")]
    assert heard == ([f"transcription = 2 {transcription}"] if transcription else [])
    assert incidents == []
    assert "<pause" not in "".join(m.form for m in sentence.morphemes)


@pytest.mark.parametrize(
    ("tag", "speaker"),
    [
        ('<u who="P1">', "P1"),
        ("<u who='P1 P2'>", "P1 P2"),
        ("<u who=P1>", "P1"),
        ('<u who="P1" n="3">', "P1"),
        ('<u n="3" who=P1 >', "P1"),
    ],
)
def test_speakers(tag: str, speaker: str) -> None:
    first, second = read(spoken(tag, "<s>", BOOK, "</s>", "</u>", "<s>", READ, "</s>"))[0]
    assert first.comments[1:] == (f"speaker = {speaker}",)
    assert second.comments == ()


def test_what_is_heard_of_another_speaker_names_them() -> None:
    empty = ["<s>", "<pause/>", "</s>", "</u>"]
    lines = ["<u who=P1>", *empty, "<u who=P2>", "<s>", CAME, "</s>", "</u>", "<u who=P1>", *empty]
    (sentence,), _ = read(spoken(*lines))
    events = ("event = 0 P1: <pause/>", "event = 1 P1: <pause/>")
    assert sentence.comments[1:] == ("speaker = P2", *events)


def test_what_is_heard_of_the_same_speaker_does_not_name_them() -> None:
    lines = ["<u who=P1>", "<s>", "<pause/>", "</s>", "</u>", "<u who=P1>", "<s>", CAME, "</s>"]
    (sentence,), _ = read(spoken(*lines))
    assert sentence.comments[1:] == ("speaker = P1", "event = 0 <pause/>")


# --- memory --------------------------------------------------------------------------------------


def peak(chunks: Iterable[str]) -> int:
    """The memory that framing takes at most, in bytes."""
    reader = SejongCorpusReader(ASSEMBLER)
    tracemalloc.start()
    try:
        for _ in reader.blocks(chunks):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_header_of_any_length_takes_no_memory() -> None:
    def chunks() -> Iterator[str]:
        yield "<teiHeader>\n"
        for _ in range(100):
            yield "<p>머리말 / 없음</p>\n" * 100
        yield "</teiHeader>\n<text>\n" + numbered("<p>", BOOK, "</p>")

    assert peak(chunks()) < 100_000


def test_many_sentences_take_no_memory() -> None:
    def chunks() -> Iterator[str]:
        yield "<text>\n"
        for at in range(200):
            yield numbered(*["<p>", BOOK, READ, "</p>"] * 25).replace("0009-", f"{at:04d}-")

    assert peak(chunks()) < 400_000


def test_a_paragraph_that_never_ends() -> None:
    def chunks() -> Iterator[str]:
        yield "<text>\n<p>\n책을\t책/NNG\n</p>\n<p>\n"
        while True:
            yield f"{BOOK}\n" * 40_000

    with pytest.raises(FormatError, match="</p> missing") as caught:
        read(chunks())
    assert (caught.value.code, caught.value.line) == ("E105", 5)


def test_events_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def chunks() -> Iterator[str]:
        while True:
            yield spoken("<s>", *["<vocal/>"] * 2_000)

    monkeypatch.setattr("sejongud.formats.corpus.MAX_SENTENCE", 100_000)
    with pytest.raises(FormatError) as caught:
        read(chunks())
    assert caught.value.code == "E105"


# --- properties ----------------------------------------------------------------------------------


EOJEOLS = st.sampled_from([BOOK, READ, CAME, CUT, "<\t</SS", ">\t>/SS", "+\t+/SW", "/\t//SP"])
SENTENCES = st.lists(st.lists(EOJEOLS, min_size=1, max_size=4), min_size=1, max_size=6)


@given(SENTENCES, st.sampled_from(["p", "head", "l"]))
def test_written_sentences_come_back(sentences: list[list[str]], element: str) -> None:
    lines = [line for s in sentences for line in (f"<{element}>", *s, f"</{element}>")]
    found, incidents = read(numbered("<text>", *lines, "</text>"), rejoin=False)
    assert texts(found) == [" ".join(line.partition("\t")[0] for line in s) for s in sentences]
    assert incidents == []


@given(SENTENCES)
def test_spoken_sentences_come_back(sentences: list[list[str]]) -> None:
    lines = [line for s in sentences for line in ("<s>", *s, "</s>")]
    found, incidents = read(spoken(*lines))
    assert texts(found) == [" ".join(line.partition("\t")[0] for line in s) for s in sentences]
    assert incidents == []


MARKUP = ["<p>", "</p>", "<head>", "</head>", "<l>", "</l>", "<s>", "</s>", "<source>", "</source>",
          "<date>", "</date>", "<text>", "</text>", "</tei.2>", "<u who=P1>", "</u>", "<pause/>",
          "<x>", "<div>", ""]  # fmt: skip
LINES = st.lists(st.sampled_from([BOOK, READ, CUT, "<\t</SS", *MARKUP]), max_size=25)


@given(LINES, st.booleans())
def test_whatever_the_markup_no_eojeol_is_lost_and_every_line_is_known(
    lines: list[str], rejoin: bool
) -> None:
    text = numbered("<text>", *lines, "<p>", BOOK, "</p>")
    raw = text.split("\n")
    expected = [line.partition("\t")[0] for line in raw if "\t" in line]
    reader = SejongCorpusReader(ASSEMBLER, metadata=True, rejoin=rejoin)
    found: list[str] = []
    for block in reader.blocks([text]):
        sentence = reader.parse(block)
        assert raw[block.line - 1].startswith(sentence.ids[0])
        for at, corpus_id in enumerate(sentence.ids):
            assert raw[reader.line_of(block, at) - 1].startswith(corpus_id)
        for line, _, _ in block.notes:
            assert 1 <= line <= len(raw)
        found += sentence.ids
    assert found == expected


@given(LINES, st.lists(st.integers(0, 28)))
def test_framing_does_not_depend_on_the_chunks(lines: list[str], cuts: list[int]) -> None:
    raw = numbered("<text>", *lines, "<p>", BOOK, "</p>").splitlines(keepends=True)
    borders = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    chunks = ["".join(raw[start:end]) for start, end in pairwise(borders)]
    reader = SejongCorpusReader(ASSEMBLER)
    assert list(reader.blocks(chunks)) == list(reader.blocks(["".join(raw)]))


@given(LINES)
def test_parsing_is_a_function_of_the_frame(lines: list[str]) -> None:
    text = numbered("<text>", *lines, "<p>", BOOK, "</p>")
    blocks = list(SejongCorpusReader(ASSEMBLER).blocks([text]))
    sentences, _ = read(text)
    other = SejongCorpusReader(ASSEMBLER)
    again = [other.parse(block) for block in reversed(blocks)][::-1]
    assert again == sentences
