"""Segmented text: words with blanks between them, and back to the text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER
from portions import some

from sejongud.converters.generate import Generation
from sejongud.converters.jobs import Conversion, read
from sejongud.errors import FormatError, Report
from sejongud.evaluation.inputs import TextSource
from sejongud.files import Source
from sejongud.formats import sniff
from sejongud.formats.tokens import TokensReader
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

FIGURE = "프랑스의\t프랑스/NNP+의/JKG\n세계적인\t세계/NNG+적/XSN+이/VCP+ㄴ/ETM\n"


def tokens(text: str, name: str = "sejong", **options: bool | int) -> tuple[str, list[str]]:
    """The segmented text of a corpus, and the codes of its incidents."""
    out, told = io.StringIO(), list[str]()
    job = Conversion(name, "tokens", **options)  # type: ignore[arg-type]
    convert_stream(job, TextSource(text, "x"), out, Report(lambda one: told.append(one.code)))
    return out.getvalue(), told


def joined(text: str) -> list[str]:
    out = io.StringIO()
    job = Generation("tokens", reader_options={"noted": False})
    convert_stream(job, TextSource(text, "x"), out, Report())
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("level", "plain", "marked", "codes"),
    [
        (1, "프랑스의 세계적인", "▁프랑스의/NNP+JKG ▁세계적인/NNG+XSN+VCP+ETM", []),
        (3, "프랑스 의 세계적인", "▁프랑스/NNP 의/JKG ▁세계적인/NNG+XSN+VCP+ETM", []),
        (4, "프랑스 의 세계적이 ㄴ", "▁프랑스/NNP 의/JKG ▁세계적이/NNG+XSN+VCP ㄴ/ETM", ["W301"]),
        (
            5,
            "프랑스 의 세계 적 이 ㄴ",
            "▁프랑스/NNP 의/JKG ▁세계/NNG 적/XSN 이/VCP ㄴ/ETM",
            ["W301"],
        ),
    ],
)
def test_the_words_of_a_level(level: int, plain: str, marked: str, codes: list[str]) -> None:
    assert tokens(FIGURE, level=level) == (f"{plain}\n", codes)
    assert tokens(FIGURE, level=level, mark=True, with_tags=True) == (f"{marked}\n", [])
    assert joined(marked) == ["프랑스의 세계적인"]


@pytest.mark.parametrize(
    ("options", "way"),
    [
        ((), "which --mark and --with-tags would keep"),
        (("--mark",), "which --with-tags would keep"),
        (("--with-tags",), "which --mark would keep"),
    ],
)
def test_the_way_to_keep_forms_is_told(options: tuple[str, ...], way: str, cli: Cli) -> None:
    assert way in cli("convert", "--to", "tokens", *options, stdin=FIGURE.encode()).told()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("▁돕/VV 아/EC ▁가/VV 았/EP 다/EF ./SF", "도와 갔다."),
        ("▁이사하/NNG+XSV 았/EP 다/EF", "이사했다"),
        ("▁책/NNG 는/JX", "책는"),
        ("▁나 ㄴ ▁가 ㄴ다 ▁하 ㅋㅋ", "난 간다 하ㅋㅋ"),
        ("▁ 나 는", "나는"),
        ("▁게▁것/NNB 이/JKS", "게"),
        (r"▁10\s000/SN \_/SW \\/SW //SP", r"10 000▁\/"),
    ],
)
def test_words_are_joined(line: str, text: str) -> None:
    assert joined(line) == [text]


def test_what_stands_in_words_is_escaped() -> None:
    text = "10 \\▁\t10 /SN+\\/SW+▁/SW\n가\t가/VV+아/EC\n"
    for level in LEVELS:
        written, _ = tokens(text, level=level, mark=True, with_tags=True)
        assert joined(written) == ["10 \\▁ 가"]


@pytest.mark.parametrize(
    ("line", "text", "codes"),
    [
        ("▁나서 었 다 . ▁돕 아 ▁하 았 다", "나섰다. 도와 했다", []),
        ("▁공부하 았 어 ▁크 어서 ▁가 시 었 습니다", "공부했어 커서 가셨습니다", []),
        ("▁보아 . ▁하였다 . ▁웅가로 가", "보아. 하였다. 웅가로가", []),
        ("▁아쉽 ㄴ", "아쉽ㄴ", ["W631"]),
    ],
)
def test_words_without_tags_are_analysed(line: str, text: str, codes: list[str]) -> None:
    told: list[str] = []
    out = io.StringIO()
    job = Generation("tokens", reader_options={"noted": False})
    convert_stream(job, TextSource(line, "x"), out, Report(lambda one: told.append(one.code)))
    assert (out.getvalue(), told) == (f"{text}\n", codes)


def test_text_that_nothing_joins_is_told(cli: Cli) -> None:
    done = cli("generate", "-", "-", stdin="프랑스 의 세계적\n".encode())
    assert b"W632 text has no morphemes to join: write segmented text with --mark" in done.stderr


def test_ids_and_comments_stand_beside_if_asked_for(cli: Cli, tmp_path: Path, root: Path) -> None:
    (tmp_path / "in.txt").write_text(
        "# newdoc id = d\n# sent_id = a\n" + FIGURE + "\n# sent_id = b\n" + FIGURE, encoding="utf-8"
    )
    run = ("convert", "in.txt", "out.txt", "--to", "tokens", "--level", "3", "--force")
    assert (
        cli(*run).stderr.decode().count("W630 ids and comments of sentences are not written") == 1
    )
    assert b"W630" not in cli(*run, "--ids", "ids.tsv").stderr
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "프랑스 의 세계적인\n" * 2
    beside = (tmp_path / "ids.tsv").read_text(encoding="utf-8")
    assert beside == 'a\t["newdoc id = d"]\nb\t[]\n'
    for option in (["--ids", "b.tsv"], ["--mark"], ["--with-tags"], ["--simplify"], ["--spaced"]):
        message = cli("convert", "in.txt", "-", *option).told_only()
        assert f"{option[0]} belongs to --to" in message, option
    assert not (tmp_path / "b.tsv").exists()
    # A sentence that cannot be read leaves neither file.
    (tmp_path / "in.txt").write_text(FIGURE + "봄\t봄\n", encoding="utf-8")
    cli("convert", "in.txt", "c.txt", "--to", "tokens", "--ids", "c.tsv")
    assert not list(tmp_path.glob("c.*"))


ABREAST = "# sent_id = a\n# newdoc id = d\n" + FIGURE + "\n# sent_id = b\n" + FIGURE


@pytest.mark.parametrize(
    ("options", "beside"),
    [
        (["--mark", "--with-tags"], ["--ids"]),
        (["--mark"], ["--tags", "--ids"]),
        ([], ["--tags", "--ids"]),
    ],
)
@pytest.mark.parametrize("change", [("", ""), ("\n", "\r\n"), ("프랑스", "法國")])
def test_files_abreast_come_back(
    cli: Cli, tmp_path: Path, options: list[str], beside: list[str], change: tuple[str, str]
) -> None:
    text = ABREAST.replace(*change) if "\n" not in change else ABREAST
    (tmp_path / "in.txt").write_text(text, encoding="utf-8")
    files = [cell for flag in beside for cell in (flag, f"{flag[2:]}.txt")]
    cli("convert", "in.txt", "words.txt", "--to", "tokens", *options, *files)
    for path in map(tmp_path.joinpath, ["words.txt", *files[1::2]]):
        crlf = path.read_bytes().replace(b"\n", b"\r\n")
        path.write_bytes(crlf if "\n" in change else path.read_bytes())
    back = cli("convert", "words.txt", "-", "--to", "sejong", *files)
    assert b"detected format: tokens" in back.stderr
    assert back.stdout.decode() == f"{text}\n"


@pytest.mark.parametrize(
    ("words", "tags", "status", "message"),
    [
        ("프랑스 의\n옷 이\n", "NNP JKG\nNNG JKS\n", 0, "W633 the words have no marks"),
        ("서울 은 크다\n", "B-LOC O O\n", 0, "detected format: naver lines"),
        ("프랑스 의\n옷 이\n", "NNP JKG\nNNG\n", 1, 'words.txt", line 2'),
        ("나는 집에\n나는 간다\n", "B-PER O\nO\n", 1, 'words.txt", line 2'),
        ("프랑스 의\n옷 이\n", "NNP JKG\n", 1, 'words.txt", line 2'),
        ("프랑스 의\n", "NNP JKG\nNNG\n", 1, 'tags.txt", line 2'),
        ("프랑스 의\n", None, 2, "--tags belongs to --to tokens or naver"),
    ],
)
def test_tags_beside_words(
    cli: Cli, tmp_path: Path, words: str, tags: str | None, status: int, message: str
) -> None:
    (tmp_path / "words.txt").write_text(words, encoding="utf-8")
    if tags is not None:
        (tmp_path / "tags.txt").write_text(tags, encoding="utf-8")
    done = cli("convert", "words.txt", "-", "--tags", "tags.txt", "--from", "tokens")
    if "B-" in (tags or "") or status == 0:
        done = cli("convert", "words.txt", "-", "--tags", "tags.txt")
    assert done.returncode == status, done.stderr.decode()
    assert message in done.stderr.decode()


def test_words_and_their_tags_are_joined_to_text(cli: Cli, tmp_path: Path) -> None:
    """Figure 2.6(b) of the memoir, the tags in a file of their own."""
    (tmp_path / "w.txt").write_text("프랑스 의 세계 적 이 ㄴ\n나 는 가 ㄴ다 .\n", encoding="utf-8")
    (tmp_path / "t.txt").write_text("NNP JKG NNG XSN VCP ETM\nNP JX VV EF SF\n", encoding="utf-8")
    done = cli("generate", "w.txt", "-", "--tags", "t.txt")
    assert done.stdout.decode() == "프랑스의 세계적인\n나는 간다.\n"


def test_labels_beside_words_come_back(cli: Cli, tmp_path: Path) -> None:
    words, tags = "프랑스의 옷은 비싸다\n서울에 간다\n", "B-LOC O O\nB-LOC O\n"
    (tmp_path / "words.txt").write_text(words, encoding="utf-8")
    (tmp_path / "tags.txt").write_text(tags, encoding="utf-8")
    cli("ner", "convert", "words.txt", "a.conllu", "--tags", "tags.txt")
    to = ("--to", "naver:lines B-PER", "--tags", "t.txt")
    cli("ner", "convert", "a.conllu", "w.txt", *to)
    assert (tmp_path / "w.txt").read_text(encoding="utf-8") == words
    assert (tmp_path / "t.txt").read_text(encoding="utf-8") == tags


def test_level_5_brings_the_morphemes_back(cli: Cli, root: Path) -> None:
    path = root / "samples" / "sejong.txt"
    there = cli("convert", path, "a.txt", "--to", "tokens", "--mark", "--with-tags")
    back = cli("convert", "a.txt", "-", "--to", "sejong")
    assert (there.returncode, back.returncode) == (0, 0)
    assert b"detected format: tokens" in back.stderr
    assert back.stdout == path.read_bytes()


@pytest.mark.parametrize("words", ["프랑스 의 세계 적 이 ㄴ", "오늘 가 ㅂ니다 .\n또 가 ㄴ다"])
def test_words_without_marks_are_refused(cli: Cli, words: str) -> None:
    message = cli("generate", "-", "-", stdin=f"{words}\n".encode()).told_only(1)
    assert "write the words with --mark" in message


def test_a_line_of_marks_has_its_line() -> None:
    reader = TokensReader(ASSEMBLER)
    with pytest.raises(FormatError) as caught:
        list(reader.read(reader.blocks(["▁가\n▁ ▁\n"]), "x", "stop", Report()))
    assert (caught.value.code, caught.value.line) == ("E621", 2)


def test_tags_of_words_go_before_those_of_kiwi(tmp_path: Path) -> None:
    """A tag of the same kind is kept; the tags of other morphemes are told."""
    (tmp_path / "a").write_text("▁봄이/NNG+JKC ▁봄이/NNG+EF\n", encoding="utf-8")
    told: list[str] = []
    [sentence] = read(tmp_path / "a", report=Report(lambda one: told.append(one.code)))
    tags = [[morpheme.tag for morpheme in eojeol.morphemes] for eojeol in sentence.eojeols]
    assert (tags, told) == ([["NNG", "JKC"], ["NNG", "JKS"]], ["W621"])


@pytest.mark.parametrize("level", [2, 3, 4, 5])
def test_words_with_tags_need_no_marks(cli: Cli, level: int) -> None:
    """As taggers print morphemes: KoNLPy, Komoran, MeCab."""
    text = "학교에\t학교/NNG+에/JKB\n갔다.\t가/VV+았/EP+다/EF+./SF\n"
    options = ("--to", "tokens", "--with-tags", "--level", level)
    there = cli("convert", "-", "-", *map(str, options), stdin=text.encode())
    back = cli("convert", "-", "-", "--to", "sejong", stdin=there.stdout)
    assert b"detected format: tokens" in back.stderr
    assert back.stdout.decode() == f"{text}\n"


@pytest.mark.parametrize("text", ["나는 ㄴ 자를 썼다.\n너는?\n그래.\n", "가/VV+ㄴ다/EF\n"])
def test_other_text_is_none(text: str) -> None:
    found = sniff(text)
    assert found is not None
    assert found.name != "tokens"


@pytest.mark.parametrize("level", [3, 4, 5])
@pytest.mark.parametrize("name", ["gsd", "ksl"])
def test_a_treebank_comes_back(root: Path, name: str, level: int, tmp_path: Path) -> None:
    whole = root / f"../shared/data/ud-korean-{name}/ko_{name}-ud-dev.conllu"
    if not whole.exists():
        pytest.skip(f"{whole} is not there")
    path = tmp_path / "a.conllu"
    path.write_text(some(whole.read_text(encoding="utf-8")), encoding="utf-8")
    out = io.StringIO()
    job = Conversion("conllu", "tokens", level=level, mark=True, with_tags=True)
    with Source(path) as source:
        convert_stream(job, source, out, Report())
    assert joined(out.getvalue()) == [sentence.text for sentence in read(path)]
