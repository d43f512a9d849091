"""Lines and raw text straight to rows: the same as reading the sentence and writing it."""

from __future__ import annotations

import os
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.conversion import Conversion, convert, convert_stream
from sejongud.errors import FormatError, Incident, Report
from sejongud.files import Source
from sejongud.formats.base import Frame, SentIds
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.corpus import CorpusReader
from sejongud.formats.direct import AnalysedRows, DirectRows, Written
from sejongud.formats.sejong import SejongReader
from sejongud.formats.text import TextReader
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

RULES = load()
READER = SejongReader(Assembler(RULES))
WRITERS = [ConlluWriter(Granularity(RULES, level)) for level in range(1, 6)]
WRITERS.append(ConlluWriter(Granularity(RULES, 5), dummy_deps=True))
WRITERS.append(ConlluWriter(Granularity(RULES, 2, upos="ud")))
DIRECT = [DirectRows(READER, writer) for writer in WRITERS]

LINES = [
    "프랑스의\t프랑스/NNP+의/JKG",
    "나섰다.\t나서/VV+었/EP+다/EF+./SF",
    "“50%는”\t“/SS+50/SN+%/SW+는/JX+”/SS",
    "3.14,\t3/SN+./SF+14/SN+,/SP",
    "a%sb\ta%sb/SL",
    "R&D팀\tR/SL+&/SW+D/SL+팀/NNG",
    '“아\t"/SS+아/IC',
    "IBM의\tibm/SL+의/JKG",
    "갔다.\t가/VV+았/EP+다/EF",
    "거야\t거/NNB+(이)/VCP+야/EF",
    "하다\t하/VVV+다/EF",
    "가나\t다라/NNG",
    "#1\t#/SW+1/SN",
    "의상\t의상__02/NNG",
    "모양\t모양",
    "모양",
    "\t모양/NNG",
    "빈 칸\t빈/VA+칸/NNG",
    "“당신이!”\t“/SS+당신/NP+이/JKS+!/SF+”/SS",
    "(개별한\t(/SS+개별/NNG+하/XSA+ㄴ/ETM",
    "했다고…\t하/VV+았/EP+다고/EF+…/SE",
    "(이)다.\t(이)/VCP+다/EF+./SF",
    '했다"고\t하/VV+았/EP+다/EF+"/SS+고/JKQ',
    "IBM한\tibm/SL+하/XSV+ㄴ/ETM",
    "거.\t것/NNB+./SF",
    "...\t./SF+./SF+./SF",
    "“…”\t“/SS+…/SE+”/SS",
    "(www.a.kr은\t(/SS+www.a.kr/SL+은/JX",
    "만드지.\t만들/VV+지/EC+./SF",
    "갔다..\t가/VV+았/EP+다/EF+./SF",
    "가 나다\t가 나/NNG+다/JX",
    "“”\t“/SS+이/VCP+이/VCP+”/SS",
    "”\t이/VCP+이/VCP+”/SS",
    "갔다。\t가/VV+았/EP+다/EF",
    "갔다．\t가/VV+았/EP+다/EF+./SF",
    "C/C++\tC/C++/SL",
    "a/SL+b\ta/SL+b/SL",
    "A/B\tA/SL+B/SL",
    normalize("NFD", "나는\t나/NP+는/JX"),
    normalize("NFD", "갔다.\t가/VV+았/EP+다/EF"),
    "다 \t다/NNG",
    "갔다. \t가/VV+았/EP+다/EF",
    " 갔다.\t가/VV+았/EP+다/EF+./SF",
    "다 \t다 /NNG",
    "가\u3000나\t가/NNG+\u3000/SW+나/NNG",
    "\u3000\t\u3000/SW",
    "\u00a0가다\t\u00a0가/VV + 다/EF",
]
IDS = ["BTAA0001-00000012", "7", "a b|c", ""]


def long_way(writer: ConlluWriter, frame: Frame) -> Written | None:
    """The rows of a frame, read and written, and its notes; None where it cannot be read."""
    try:
        sentence = READER.parse(frame)
    except FormatError:
        return None
    eojeols = sentence.eojeols
    notes = [(at, eojeol.notes) for at, eojeol in enumerate(eojeols) if eojeol.notes]
    return writer.sentence(sentence), len(eojeols), notes


@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=6),
    st.lists(st.sampled_from(IDS), min_size=6, max_size=6) | st.none(),
)
def test_the_same_as_the_long_way(lines: list[str], ids: list[str] | None) -> None:
    if ids is not None:
        lines = [f"{one}\t{line}" for one, line in zip(ids, lines, strict=False)]
    frame = Frame("\n".join(lines), 1, 1, "x")
    for writer, direct in zip(WRITERS, DIRECT, strict=True):
        written = direct(frame)
        if written is not None:
            assert written == long_way(writer, frame)


TEXT = """\
프랑스의 세계적인 의상 디자이너 엠마누엘 웅가가 실내 장식용 직물 디자이너로 나섰다.
“당신은 50%가  3.14라고 했다”고 R&D팀이 (www.a.kr에서) 말했습니다…

"추웠지만 IBM의 ＩＢＭ한 값을 도와줘서 ㅋㅋ 했어욥!?" 2024. 3. 5. 랠프 월도 에머슨은 갔다
a%s %d 100%
"""


@pytest.mark.parametrize("writer", WRITERS, ids=range(len(WRITERS)))
def test_text_too(writer: ConlluWriter) -> None:
    reader = TextReader(Assembler(RULES), workers=1)
    frames = list(reader.frame([TEXT]))
    told: list[Incident] = []
    written = []
    for frame, (text, count, notes) in AnalysedRows(reader, writer).each(frames):
        written.append((text, count))
        reader.report_notes(frame, notes, "-", Report(told.append), frame.sent_id)
    expected: list[Incident] = []
    sentences = list(reader.read(frames, "-", "stop", Report(expected.append)))
    assert written == [(writer.sentence(one), len(one.eojeols)) for one in sentences]
    assert told == expected


@pytest.mark.parametrize("line", LINES[:10])
@pytest.mark.parametrize("prefix", ["", "BTAA0001-00000012\t"])
def test_what_can_be_read_goes_straight(prefix: str, line: str) -> None:
    assert all(direct(Frame(prefix + line, 1, 1, "x")) is not None for direct in DIRECT)


@pytest.mark.parametrize(
    "line", [line for line in LINES if long_way(WRITERS[0], Frame(line, 1, 1, "x")) is None]
)
def test_what_cannot_is_read(line: str) -> None:
    assert all(direct(Frame(line, 1, 1, "x")) is None for direct in DIRECT)


@pytest.mark.parametrize(
    "text", ["# a note\n가\t가/VV", "가\t가/VV\n# a note", "가\t가/VV\n나\t나/NP\t"]
)
def test_comments_are_read(text: str) -> None:
    assert DIRECT[-1](Frame(text, 1, 1, "x")) is None


def test_labels_have_their_column(tmp_path: Path) -> None:
    text, written = tmp_path / "a.txt", tmp_path / "a.conllu"
    text.write_text(LINES[0] + "\n", encoding="utf-8")
    with Source(text) as source, written.open("w", encoding="utf-8") as out:
        convert_stream(Conversion("sejong", ne="column"), source, out, Report())
    first, *_, row = written.read_text(encoding="utf-8").rstrip().split("\n")
    assert len(first.split()) - 3 == len(row.split("\t")) == 11


def test_comments_of_the_frame_are_read() -> None:
    frame = Frame(LINES[0], 1, 1, "x", ("newdoc id = 1",))
    assert DIRECT[-1](frame) is None


def test_markup_is_read(root: Path) -> None:
    reader = CorpusReader(Assembler(RULES))
    direct = DirectRows(reader, WRITERS[4])
    for name in ("corpus-written.txt", "corpus-spoken.txt"):
        with Source(root / "samples" / name) as source:
            for frame in reader.frame(source.chunks()):
                written = direct(frame)
                if written is not None:
                    assert written[0] == WRITERS[4].sentence(reader.parse(frame))


MENDED = sorted((Path(__file__).parent / "data").glob("W11*.txt"))


@pytest.mark.parametrize("path", MENDED, ids=lambda path: path.stem)
def test_what_framing_mends_is_reported(path: Path) -> None:
    """Also where no sentence is read."""
    told: list[Incident] = []
    convert(path, os.devnull, report=Report(told.append))
    with Source(path) as source:
        reader = CorpusReader(Assembler(RULES))
        expected: list[Incident] = []
        frames = reader.frame(source.chunks())
        assert list(reader.read(frames, str(path), "stop", Report(expected.append)))
    assert told == expected
    assert path.stem[:4] in {incident.code for incident in told}


class TestRunningIds:
    def test_alone(self) -> None:
        ids = SentIds()
        assert [ids.running(1), ids.running(2), ids.running(3)] == ["1", "2", "3"]

    def test_an_id_that_is_such_a_number(self) -> None:
        ids = SentIds()
        assert [ids.running(1), ids.running(2)] == ["1", "2"]
        assert [ids.unique("2"), ids.unique("02"), ids.unique("a")] == ["2-2", "02", "a"]
        assert [ids.unique("3"), ids.running(4), ids.running(5)] == ["3", "4", "5"]
        assert ids.unique("5") == "5-2"

    def test_behind_others(self) -> None:
        ids = SentIds()
        assert [ids.unique("2"), ids.running(2)] == ["2", "2-2"]


def test_a_user_s_symbols_between_symbols(tmp_path: Path) -> None:
    """With the built-in tables a symbol before all words is none of theirs."""
    (tmp_path / "symbols.toml").write_text(
        '[between.signs]\nneighbours = ["SN", "SO"]\nchars = ["."]\n', encoding="utf-8"
    )
    rules = load(tmp_path)
    reader, writer = SejongReader(Assembler(rules)), ConlluWriter(Granularity(rules))
    frame = Frame("-.5는\t-/SO+./SF+5/SN+는/JX", 1, 1, "x")
    expected = writer.sentence(reader.parse(frame))
    assert "\n2-4\t.5는\t" in expected
    written = DirectRows(reader, writer)(frame)
    assert written is not None
    assert written[0] == expected
