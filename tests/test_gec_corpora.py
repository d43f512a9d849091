"""Corpora of corrections: the NIKL learner corpus, NIKL spelling correction and K-NCT."""

from __future__ import annotations

import random
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from cases import cases

from sejongud.errors import FormatError, Report
from sejongud.files import Source
from sejongud.formats import corrections_format, recognise
from sejongud.formats.correction_json import Knct
from sejongud.formats.learner_xml import LearnerXml
from sejongud.gec.edits import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Cli

    from sejongud.errors import Incident, OnError

CASES = cases("gec_corpora")

FILES = {"learner-xml": "samples/learner.xml", "nikl": "nikl.json", "knct": "knct.json"}


def path_of(root: Path, name: str) -> Path:
    file = FILES[name]
    return root / file if "/" in file else root / "tests" / "data" / "gec" / file


def pairs(path: Path, name: str, on_error: OnError = "stop") -> tuple[list[Pair], list[Incident]]:
    found: list[Incident] = []
    with Source(path) as source:
        layout = corrections_format(*name.partition(" ")[::2])
        items = [item for _, item in layout.numbered(source, on_error, Report(found.append))]
    assert all(isinstance(item, Pair) for item in items)
    return items, found  # type: ignore[return-value]


def learner(tmp_path: Path, body: str, head: str = "<SourceType>문어</SourceType>") -> Path:
    path = tmp_path / "learner.xml"
    path.write_text(f"<root><Header>{head}</Header>\n{body}\n</root>", encoding="utf-8")
    return path


def word(form: str, begin: int, *morphs: str) -> str:
    """A word; `어요/EF` is a morpheme of it, and `<Preserved>…` what is said of one."""
    found = []
    for number, text in enumerate(morphs, 1):
        inner, _, tag = (text, "", "") if text.startswith("<") else text.rpartition("/")
        inner, tag = (text, "") if text.startswith("<") else (inner, f' pos="{tag}"')
        place = f'from="{begin}" subsequence="{number}"'
        found.append(f"<morph {place}{tag}>{inner}</morph>")
    return f"<word><w>{form}</w>{''.join(found)}</word>"


def sentence(words: str, corrections: str, text: str = "") -> str:
    return (
        f"<SENTENCE><s>{text}</s><MorphemeAnnotations>{words}</MorphemeAnnotations>"
        f"<LearnerErrorAnnotations>{corrections}</LearnerErrorAnnotations></SENTENCE>"
    )


def replaced(form: str, tag: str, pattern: str = "REP") -> str:
    return f'<Proofread pos="{tag}">{form}</Proofread><ErrorPattern type="{pattern}"/>'


def wrong(form: str, tag: str) -> str:
    """A morpheme that is the right one, and has the wrong form in the word."""
    return replaced(form, tag, "MIF")


def kept(form: str) -> str:
    return f"<Preserved>{form}</Preserved>"


@pytest.mark.parametrize("name", FILES)
def test_the_format_is_recognised(root: Path, name: str) -> None:
    with Source(path_of(root, name)) as source:
        assert recognise(None, source.head()) == (name, "")


def test_the_learner_corpus(root: Path) -> None:
    found, told = pairs(path_of(root, "learner-xml"), "learner-xml")
    assert [pair.targets[0] for pair in found] == [
        "나는 바람개비를 만들어서 놀았다.",
        "친구가 친구를 만났어요.",
        "우리는 매우 많이 공부하였습니다.",
    ]
    assert [pair.sent_id for pair in found] == ["7001-1", "7001-2", "7001-3"]
    types = [[edit.type for edit in pair.given.edits[0]] for pair in found if pair.given]
    assert types == [["REP:VV"], ["OM:JKO"], ["ADD:MAG", "REP:EF"]]
    assert [(incident.code, incident.line) for incident in told] == [("W511", 107)]


def test_a_sentence_that_is_left_out_last_is_told(root: Path, tmp_path: Path, cli: Cli) -> None:
    for command in ("convert", "gec convert"):
        run = (root / "samples" / "learner.xml", "out", "--to", "conllu")
        assert cli(*command.split(), *run, "--log", "log", "--force").returncode == 0
        log = (tmp_path / "log").read_text(encoding="utf-8")
        assert '"W511"' in log
        assert '"sent_id": "7001-4"' in log


def test_the_edits_that_are_given_make_the_target(root: Path) -> None:
    for name in FILES:
        for pair in pairs(path_of(root, name), name)[0]:
            for annotator in pair.given.edits if pair.given else ():
                assert pair.given
                assert " ".join(pair.given.target(annotator)) == pair.targets[0]
                for edit in pair.given.edits[annotator]:
                    own = pair.targets[0].split()[edit.c_start : edit.c_end]
                    assert own == edit.correction.split()


def test_nikl(root: Path) -> None:
    found, told = pairs(path_of(root, "nikl"), "nikl")
    assert [pair[:3] for pair in found] == [
        ("오늘은 날시가 조아요", ("오늘은 날씨가 좋아요",), "EXSC0001.1.1"),
        ("고칠 데가 없다.", ("고칠 데가 없다.",), "EXSC0001.1.2"),
        ("머해?", ("뭐 해?",), "MXSC0001.1.1"),
    ]
    assert [(incident.code, incident.line) for incident in told] == [("W511", 7), ("W502", 11)]


def test_knct(root: Path) -> None:
    found, told = pairs(path_of(root, "knct"), "knct")
    assert [(pair.source, pair.sent_id) for pair in found] == [
        *[("아침에 밥를 먹었다.", "1"), ("내일비가 옴니다", "2"), ("집에 갔다", "3")],
    ]
    given = [pair.given.edits for pair in found if pair.given]
    assert [[edit[:4] for edit in edits[1]] for edits in given] == [
        [(1, 2, "밥을", "postposition")],
        [(0, 2, "내일 비가 옵니다", "spacing+G2P")],
        [(2, 2, ".", "punctuation")],
    ]
    assert not told


# Each: the form of the learner, its morphemes, what is said of them, the correction.
WORDS = [
    ("옷어서", ("옷/VV", "어서/EC"), (replaced("웃", "VV"), kept("어서")), "웃어서"),
    # The letters in front stay, and the learner's choice of 하였.
    ("공부하였다", ("공부/NNG", "하/XSV", "았/EP", "다/EF"),
     (kept("공부"), kept("하"), kept("았"), replaced("어요", "EF")), "공부하였어요"),
    ("갔어요", ("가/VV", "았/EP", "어요/EF"),
     (replaced("들어오", "VV"), kept("았"), kept("어요")), "들어왔어요"),
    ("어렵어요", ("어렵/VA", "어요/EF"), (kept("어렵"), replaced("ㄴ", "ETM")), "어려운"),
    # A morpheme that was left out has no morpheme of the source.
    ("밥", ("밥/NNG",), (kept("밥"), replaced("을", "JKO", "OM")), "밥을"),
    ("걸었다", ("걷/VV", "었/EP", "다/EF"),
     (replaced("안", "MAG", "OM"), kept("걷"), kept("었"), replaced("는데", "EC")), "안걸었는데"),
    ("집에서", ("집/NNG", "에/JKB", "서/JKB"), (kept("집"), kept("에"), "<Removed/>"), "집에"),
    # The corrected morphemes are the learner's, and the word is not: misformations (MIF).
    ("어렵어요", ("어렵/VA", "어요/EF"), (wrong("어렵", "VA"), kept("어요")), "어려워요"),
    ("어렵어요", ("어렵/VA", "어요/EF"), (kept("어렵"), wrong("어요", "EF")), "어려워요"),
    ("덥었어요", ("덥/VA", "었/EP", "어요/EF"),
     (wrong("덥", "VA"), kept("었"), kept("어요")), "더웠어요"),
    ("짓었어요", ("짓/VV", "었/EP", "어요/EF"),
     (kept("짓"), wrong("었", "EP"), kept("어요")), "지었어요"),
    ("모르아요.", ("모르/VV", "아요/EF", "./SF"),
     (wrong("모르", "VV"), kept("아요"), kept(".")), "몰라요."),
    ("듣었어요", ("듣/VV", "었/EP", "어요/EF"),
     (wrong("듣", "VV"), wrong("었", "EP"), kept("어요")), "들었어요"),
    ("쓰었어요", ("쓰/VV", "었/EP", "어요/EF"),
     (wrong("쓰", "VV"), kept("었"), kept("어요")), "썼어요"),
    ("돕아요", ("돕/VV", "아요/EF"), (wrong("돕", "VV"), kept("아요")), "도와요"),
    ("빨갛어요", ("빨갛/VA", "어요/EF"), (wrong("빨갛", "VA"), kept("어요")), "빨개요"),
    ("학생예요", ("학생/NNG", "이/VCP", "에요/EF"),
     (kept("학생"), kept("이"), wrong("에요", "EF")), "학생이에요"),
    ("학생예요", ("학생/NNG", "예요/EF"), (kept("학생"), wrong("예요", "EF")), "학생이에요"),
    ("만나았어요", ("만나/VV", "았/EP", "어요/EF"),
     (kept("만나"), wrong("았", "EP"), kept("어요")), "만났어요"),
    ("의사이었어요", ("의사/NNG", "이/VCP", "었/EP", "어요/EF"),
     (kept("의사"), wrong("이", "VCP"), wrong("었", "EP"), kept("어요")), "의사였어요"),
    ("빵를", ("빵/NNG", "를/JKO"), (kept("빵"), wrong("를", "JKO")), "빵을"),
    # Another morpheme is wrong: the conjugation is made anew, and no misspelt one is a choice.
    ("덥었어요", ("덥/VA", "었/EP", "어요/EF"),
     (kept("덥"), kept("었"), replaced("습니다", "EF")), "더웠습니다"),
    ("짓었어요", ("짓/VV", "었/EP", "어요/EF"),
     (kept("짓"), kept("었"), replaced("습니다", "EF")), "지었습니다"),
    ("막었어요", ("막/VV", "었/EP", "어요/EF"),
     (kept("막"), kept("었"), replaced("습니다", "EF")), "막았습니다"),
    ("만나았다", ("만나/VV", "았/EP", "다/EF"),
     (kept("만나"), kept("았"), replaced("어요", "EF")), "만났어요"),
    ("나오았다", ("나오/VV", "았/EP", "다/EF"),
     (kept("나오"), kept("았"), replaced("어요", "EF")), "나왔어요"),
    # Right surfaces are choices.
    ("보았다", ("보/VV", "았/EP", "다/EF"),
     (kept("보"), kept("았"), replaced("어요", "EF")), "보았어요"),
    ("봤다", ("보/VV", "았/EP", "다/EF"),
     (kept("보"), kept("았"), replaced("어요", "EF")), "봤어요"),
    # The letters of nominals in front stay.
    ("핵교에", ("학교/NNG", "에/JKB"), (kept("학교"), replaced("에서", "JKB")), "핵교에서"),
    # Preserved morphemes have no tag, and 았 follows the stem (Yoon et al. 2023, A.4.1, A.4.3); W
    # is no tag.
    *[
        ("들었어요.", ("들/VV", "었/EP", "어요/EF", "./SF"),
         (replaced("들어오", tag), second, kept("어요"), kept(".")), "들어왔어요.")
        for tag in ("VV", "W")
        for second in (kept("았"), kept("었"), replaced("았", "EP"))
    ],
    # Nothing of the word is changed.
    ("먹엇다", ("먹/VV", "었/EP", "다/EF"), (kept("먹"), kept("었"), kept("다")), "먹엇다"),
    # Nothing of the word is left; a correction of two words.
    ("잘", ("잘/MAG",), ("<Removed>잘</Removed>",), ""),
    ("할수", ("하/VV", "ㄹ/ETM", "수/NNB"), (replaced("할 수", "NNB"),), "할 수"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "morphemes", "said", "expected"), WORDS)
def test_a_corrected_word(
    tmp_path: Path, form: str, morphemes: tuple[str, ...], said: tuple[str, ...], expected: str
) -> None:
    words = word("그는", 0, "그/NP", "는/JX") + word(form, 3, *morphemes)
    path = learner(tmp_path, sentence(words, word(form, 3, *said)))
    ((pair,), _) = pairs(path, "learner-xml")
    assert pair.source == f"그는 {form}"
    assert pair.targets == (f"그는 {expected}".strip(),)


def test_of_two_equal_words_one_is_corrected(tmp_path: Path) -> None:
    words = word("친구", 0, "친구/NNG") + word("친구", 3, "친구/NNG")
    said = word("친구", 3, kept("친구"), replaced("를", "JKO", "OM"))
    ((pair,), _) = pairs(learner(tmp_path, sentence(words, said)), "learner-xml")
    assert pair.targets == ("친구 친구를",)


def test_morphemes_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    said = (
        '<word><w>밥</w><morph from="0" subsequence="2"><Proofread pos="JKO">을</Proofread></morph>'
        '<morph from="0" subsequence="1"><Preserved>밥</Preserved></morph></word>'
    )
    ((pair,), _) = pairs(learner(tmp_path, sentence(word("밥", 0, "밥/NNG"), said)), "learner-xml")
    assert pair.targets == ("밥을",)


def test_a_sentence_without_morphemes_of_its_own(tmp_path: Path) -> None:
    """The words are those of the text, which `from` counts from that of the sentence."""
    body = (
        '<SENTENCE from="20" to="26"><s>나는 밥 먹다.</s><LearnerErrorAnnotations>'
        f"{word('밥', 23, kept('밥'), replaced('을', 'JKO', 'OM'))}"
        "</LearnerErrorAnnotations></SENTENCE>"
    )
    ((pair,), _) = pairs(learner(tmp_path, body), "learner-xml")
    assert pair.targets == ("나는 밥을 먹다.",)


@pytest.mark.parametrize(
    ("head", "attribute", "is_spoken"),
    [
        ("<SourceType>구어</SourceType>", "", True),
        ("<SourceType>문어</SourceType>", "", False),
        ("", "", False),
        ("", ' type="구어"', True),
        ("<SourceType>구어</SourceType>", ' type="문어"', False),
        ('<TEXT type="구어 발표"></TEXT>', "", True),
    ],
)
def test_spoken_texts(tmp_path: Path, head: str, attribute: str, is_spoken: bool) -> None:
    body = sentence(word("밥", 0, "밥/NNG"), word("밥", 0, replaced("죽", "NNG")))
    path = learner(tmp_path, body.replace("<SENTENCE", f"<SENTENCE{attribute}"), head)
    found, told = pairs(path, "learner-xml")
    assert len(found) == 1 - is_spoken
    assert [incident.code for incident in told] == ["W512"] * is_spoken
    assert len(pairs(path, "learner-xml spoken")[0]) == 1


def test_the_example_of_the_paper_without_morphemes_of_the_learner(tmp_path: Path) -> None:
    """Paper 002, A.4.1, prints no morphemes: Kiwi tells the tags of those that are preserved."""
    said = word("들었어요.", 157, replaced("들어오", "VV"), kept("았"), kept("어요"), kept("."))
    body = (
        '<SENTENCE from="145" to="162"><s>오후 5시 반에 집에 들었어요.</s>'
        f"<LearnerErrorAnnotations>{said}</LearnerErrorAnnotations></SENTENCE>"
    )
    ((pair,), _) = pairs(learner(tmp_path, body), "learner-xml")
    assert pair.targets == ("오후 5시 반에 집에 들어왔어요.",)
    assert pair.given and pair.given.edits[0][0][:4] == (4, 5, "들어왔어요.", "REP:VV")


def test_a_correction_that_changes_nothing_is_told(tmp_path: Path) -> None:
    body = sentence(
        word("먹다", 0, "먹/VV", "다/EF"), word("먹다", 0, wrong("먹", "VV"), kept("다"))
    )
    found, told = pairs(learner(tmp_path, body), "learner-xml")
    assert found[0].targets == ("먹다",)
    assert [(incident.code, incident.line) for incident in told] == [("W515", 2)]


def test_misformations_are_edits(tmp_path: Path, cli: Cli) -> None:
    """They were noop, since the corrected morphemes are those of the learner."""
    words = word("어렵어요", 0, "어렵/VA", "어요/EF")
    body = sentence(words, word("어렵어요", 0, wrong("어렵", "VA"), kept("어요")))
    assert cli("gec", "annotate", learner(tmp_path, body), "--types", "given").text() == (
        "S 어렵어요\nA 0 1|||MIF:VA|||어려워요|||REQUIRED|||-NONE-|||0\n\n"
    )


def test_text_and_words_that_differ(tmp_path: Path) -> None:
    body = sentence(word("밥", 0, "밥/NNG"), word("밥", 0, replaced("죽", "NNG")), "밥 ?")
    found, told = pairs(learner(tmp_path, body), "learner-xml")
    assert found[0].source == "밥"
    assert [incident.code for incident in told] == ["W513"]


# Each: the corrections of the word 밥, and what the message says.
FAULTS = [
    (word("밥", 0, replaced("ADD", "NNG")), "the text ADD", "E513"),
    (word("밥", 0, replaced("DELETE", "NNG")), "the text DELETE", "E513"),
    (word("밥", 0, replaced("", "NNG")), "no text", "E513"),
    (word("밥", 0, '<ErrorPattern type="REP"/>'), "this one is none", "E513"),
    (word("밥", 0, kept("밥") + "<Removed/>"), "Preserved, Removed", "E513"),
    (word("밥", 1, kept("밥")), "no word of the sentence begins", "E512"),
    (word("밥", 0, kept("밥")) * 2, "another one stands", "E512"),
    (word("밥 죽", 0, kept("밥")), "an eojeol is expected", "E512"),
    ("<word><w>밥</w>", "no XML: mismatched tag", "E511"),
    ("<word><w>&unknown;</w></word>", "no XML: undefined entity", "E511"),
]


@pytest.mark.parametrize(("said", "message", "code"), FAULTS)
def test_a_faulty_sentence(tmp_path: Path, said: str, message: str, code: str) -> None:
    good = sentence(word("밥", 0, "밥/NNG"), word("밥", 0, replaced("죽", "NNG")))
    bad = sentence(word("밥", 0, "밥/NNG"), said)
    path = learner(tmp_path, f"{good}\n{bad}\n{good}")
    with pytest.raises(FormatError, match=message) as caught:
        pairs(path, "learner-xml")
    assert (caught.value.code, caught.value.line, caught.value.path) == (code, 3, str(path))
    found, told = pairs(path, "learner-xml", "skip")
    assert [pair.targets for pair in found] == [("죽",), ("죽",)]
    assert [(incident.code, incident.line) for incident in told] == [(code, 3)]


BOMB = """<!DOCTYPE root [<!ENTITY a "가가가가가가가가"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<root>&b;<SENTENCE><s>밥</s></SENTENCE></root>"""
OUTSIDE = """<!DOCTYPE root [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<root>&a;<SENTENCE><s>밥</s></SENTENCE></root>"""


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (BOMB, "declares the entity a", 1),
        (OUTSIDE, "declares the entity a", 1),
        ("<root>\n<SENTENCE><s>밥</s></SENTENCE>\n</other>", "mismatched tag", 3),
        ("<root>\n<SENTENCE><s>밥</s></SENTENCE>\n", "no element found", 3),
        ("<root>\n<SENTENCE><s>밥</s>\n", "the sentence is no XML: no element found", 3),
        ("<root>\n<!-- <SENTENCE> </root>\n", "unclosed token", 2),
        ("<root></root>", "no element SENTENCE", 0),
        ("", "no element found", 1),
    ],
)
def test_a_file_that_is_no_corpus(tmp_path: Path, text: str, message: str, line: int) -> None:
    path = tmp_path / "in.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        pairs(path, "learner-xml")
    assert (caught.value.code, caught.value.line) == ("E511", line)


def test_a_sentence_in_a_comment_is_none(tmp_path: Path) -> None:
    good = sentence(word("밥", 0, "밥/NNG"), word("밥", 0, replaced("죽", "NNG")))
    assert len(pairs(learner(tmp_path, f"<!-- {good} -->\n{good}"), "learner-xml")[0]) == 1


def test_pieces_that_are_cut_anywhere(root: Path) -> None:
    text = path_of(root, "learner-xml").read_text(encoding="utf-8")
    layout = LearnerXml()
    whole = list(layout.blocks([text]))
    for size in (1, 7, 100):
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(layout.blocks(cut)) == whole
    assert [block.line for block in whole] == [8, 41, 69, 107]


def endless(size: int) -> Iterator[str]:
    yield "<root>"
    body = sentence(word("밥", 0, "밥/NNG"), word("밥", 0, kept("밥")))
    for _ in range(size):
        yield body
    yield "</root>"


def test_memory_is_constant() -> None:
    layout = LearnerXml()
    peaks = []
    for size in (200, 4000):
        tracemalloc.start()
        assert sum(1 for _ in layout.blocks(endless(size))) == size
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


JSON_FAULTS = CASES["JSON_FAULTS"]


@pytest.mark.parametrize(("name", "text", "message"), JSON_FAULTS)
def test_faulty_json(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / "in.json"
    path.write_text(f"\n{text}", encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        pairs(path, name)
    assert caught.value.code in {"E511", "E512"}
    assert caught.value.line == 2
    assert caught.value.path == str(path)


@pytest.mark.parametrize(("source", "target", "classes", "expected"), CASES["test_marks_of_knct"])
def test_marks_of_knct(
    source: str, target: str, classes: dict[str, str], expected: list[list[object]]
) -> None:
    found = {"error_sentence": source, "correct_sentence": target, "error_type": classes}
    given = Knct().pair(found).given
    assert given
    assert [list(edit[:4]) for edit in given.edits[1]] == expected


@pytest.mark.parametrize("name", FILES)
def test_mutated_files_give_errors_of_format(root: Path, tmp_path: Path, name: str) -> None:
    sample = path_of(root, name).read_text(encoding="utf-8")
    randomness = random.Random(3)
    path = tmp_path / "in"
    for _ in range(60):
        chars = list(sample)
        for _ in range(randomness.randint(1, 4)):
            at = randomness.randrange(len(chars))
            chars[at : at + randomness.randrange(3)] = randomness.choice(
                ["", "<", '"', "{", "가", "9"]
            )
        path.write_text("".join(chars), encoding="utf-8")
        try:
            pairs(path, name, "skip")
        except FormatError as error:
            assert error.code in {"E511", "E512"}


def test_commands_read_them(cli: Cli, root: Path) -> None:
    for name in FILES:
        run = cli("gec", "convert", "--to", "tsv", "--from", name, path_of(root, name))
        assert run.returncode == 0
        assert run.stdout.count(b"\t") == 3


def test_spoken_texts_by_the_command(cli: Cli, tmp_path: Path) -> None:
    body = sentence(word("밥", 0, "밥/NNG"), word("밥", 0, replaced("죽", "NNG")))
    path = learner(tmp_path, body, "<SourceType>구어</SourceType>")
    assert "--spoken reads it" in cli("gec", "convert", "--to", "tsv", path).told_only(0)
    assert cli("gec", "convert", "--to", "tsv", "--spoken", path).stdout.decode() == "밥\t죽\n"
