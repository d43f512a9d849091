"""A treebank comes back with its encoding, its byte order mark and its line ends."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest
from corpora import ASSEMBLER, read_text
from hypothesis import given
from hypothesis import strategies as st

from sejongud.api import convert
from sejongud.converters.recut import CutWriter, recut_at
from sejongud.errors import FormatError, Incident, Report
from sejongud.files import Source, atomic_output
from sejongud.files.layout import PLAIN, Layout, with_lf
from sejongud.formats.conllu.sentence import ConlluReader
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.formats.sejong import SejongReader, SejongWriter
from sejongud.model import Sentence

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


TEXT = """\
<title> 지어낸 글 </title>
; 비가 온다 /
(S\t(NP_SBJ 비/NNG + 가/JKS)
\t(VP\t(VP 오/VV + ㄴ다/EF)
\t\t(X //SP)))

; 꽃이  진다
(S (NP_SBJ 꽃/NNG + 이/JKS)
   (VP 지/VV + ㄴ다/EF))

"""
LAYOUTS = [
    ("utf-8", b"", "\n"),
    ("utf-8", codecs.BOM_UTF8, "\r\n"),
    ("utf-16-le", codecs.BOM_UTF16_LE, "\r\n"),
    ("utf-16-be", codecs.BOM_UTF16_BE, "\n"),
    ("utf-16-le", b"", "\r\n"),
    ("utf-32-be", codecs.BOM_UTF32_BE, "\r\n"),
    ("cp949", b"", "\r\n"),
    ("cp949", b"", "\r"),
]


def bytes_of(encoding: str, mark: bytes, end: str) -> bytes:
    return mark + TEXT.replace("\n", end).encode(encoding)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_treebank_comes_back_to_the_byte(
    tmp_path: Path, cli: Cli, layout: tuple[str, bytes, str]
) -> None:
    (tmp_path / "in.txt").write_bytes(bytes_of(*layout))
    convert(tmp_path / "in.txt", tmp_path / "a.conllu", level=3)
    assert b"\r" not in (tmp_path / "a.conllu").read_bytes()
    convert(tmp_path / "a.conllu", tmp_path / "b.conllu", level=1)
    convert(tmp_path / "b.conllu", tmp_path / "back.txt", to="treebank")
    assert (tmp_path / "back.txt").read_bytes() == bytes_of(*layout)
    done = cli("convert", "--to", "treebank", "a.conllu", "-q")
    assert (done.returncode, done.stdout) == (0, bytes_of(*layout))


@pytest.mark.parametrize("layout", LAYOUTS[:5])
@pytest.mark.parametrize(
    ("name", "there", "back"),
    [
        ("samples/sejong.txt", "convert --level 3", "convert --to sejong"),
        ("tests/data/sinica.txt", "convert --level 1", "convert --to sinica"),
        ("samples/penn-korean.fid", "convert --level 3", "convert --to penn-korean --level 2"),
        ("tests/data/framenet-0.8.tsv", "convert", "frame morph2eoj"),
        ("samples/framenet.tsv", "frame eoj2morph", "frame morph2eoj"),
    ],
)
def test_other_formats_come_back_to_the_byte(
    cli: Cli, root: Path, layout: tuple[str, bytes, str], name: str, there: str, back: str
) -> None:
    encoding, mark, end = layout
    text = (root / name).read_text(encoding="utf-8")
    content = mark + text.replace("\n", end).encode(encoding)
    middle = cli(*there.split(), "-", "-", "--on-error", "keep", stdin=content).stdout
    assert cli(*back.split(), "-", "-", stdin=middle).stdout == content


FIRST = "나는\t나/NP+는/JX\n간다.\t가/VV+ㄴ다/EF+./SF\n"
SECOND = "# a note\n너도\t너/NP+도/JX\n온다.\t오/VV+ㄴ다/EF+./SF\n"
SINICA = "S(agent:NP(Nh:他)|Head:VC:刊登)\n"
ESPRESSO = "나는\tBOS\t나/NP+는/JX\n간다.\tEOS\t가/VV+ㄴ다/EF+./SF\n"


@pytest.mark.parametrize("layout", [LAYOUTS[0], LAYOUTS[2], LAYOUTS[6]])
@pytest.mark.parametrize("level", ["1", "5"])
@pytest.mark.parametrize(
    ("to", "text"),
    [
        ("sejong", f"{FIRST}\n{SECOND}"),
        ("sejong", f"{FIRST}\n{SECOND}"[:-1]),
        ("sejong", f"\n{FIRST}\n\n{SECOND}\n\n\n"),
        ("sejong", f"\n\n{SECOND}\n{FIRST}"),
        ("sejong", f"# sent_id = a\n# text = 나는 간다.\n{FIRST}\n# text = 너도\n{SECOND}\n"),
        ("sejong", f"# a\n#\n#b\n{FIRST}#\t#/SW\n# c\n#d\n\n{SECOND}\n"),
        ("sejong", f"# newdoc id = d\n# text_orig = 나\n# sent_id = a\n{FIRST}\n#b\n{SECOND}\n"),
        ("sinica", f"{SINICA}\n\n{SINICA}{SINICA}"[:-1]),
        ("espresso", ESPRESSO * 2),
        ("espresso", (ESPRESSO * 2)[:-1]),
        ("espresso", f"\n{ESPRESSO}\n{ESPRESSO}\n"),
    ],
)
def test_the_lines_between_sentences_come_back(
    cli: Cli, layout: tuple[str, bytes, str], level: str, to: str, text: str
) -> None:
    encoding, mark, end = layout
    content = mark + text.replace("\n", end).encode(encoding)
    middle = cli("convert", "--from", to, "--level", level, "-", "-", stdin=content).stdout
    assert cli("convert", "--to", to, "-", "-", stdin=middle).stdout == content


@pytest.mark.parametrize(
    ("name", "there", "back"),
    [
        ("sejong.txt", "convert", "convert --to sejong"),
        ("treebank.txt", "convert", "convert --to treebank"),
        ("klue-dp.tsv", "convert", "convert --to klue-dp"),
        ("naver-ner.tsv", "ner eoj2morph", "ner morph2eoj"),
        ("klue-ner.tsv", "ner syl2morph", "ner morph2syl"),
        ("framenet.tsv", "frame eoj2morph", "frame morph2eoj"),
    ],
)
def test_a_sentence_without_its_end_is_parted_from_the_next(
    cli: Cli, root: Path, tmp_path: Path, name: str, there: str, back: str
) -> None:
    content = (root / "samples" / name).read_bytes()
    wide = b"\0" in content
    text = content.decode("utf-16" if wide else "utf-8").replace("\r\n", "\n").rstrip("\n")
    for path in ("a.txt", "b.txt"):
        (tmp_path / path).write_text(text, encoding="utf-8")
    keep = ("--on-error", "keep", "--force")
    both = cli(*there.split(), "a.txt", "b.txt", "-o", "ab.conllu", *keep)
    assert both.returncode <= 1
    assert cli(*back.split(), "ab.conllu", "back.txt", *keep).returncode <= 1
    last = "\n".join(text.split("\n")[-4:])
    middle, end = (tmp_path / "back.txt").read_text(encoding="utf-8").split(last)[1:]
    assert middle.startswith("\n" if name == "treebank.txt" else "\n\n")
    assert end == ""


@pytest.mark.parametrize("change", [("나/NPN", "너/NPN"), ("(VP ", "(AP "), (" 비가", " 눈이")])
def test_a_changed_tree_is_laid_out_anew(cli: Cli, root: Path, change: tuple[str, str]) -> None:
    text = (
        (root / "samples" / "penn-korean.fid").read_text(encoding="utf-8").partition(";;W0002")[0]
    )
    wide = text.replace("(S-ADV", "   (S-ADV")
    middle = cli("convert", "-", "-", stdin=wide.encode()).stdout.decode()
    assert middle.count("# penn_source = ") == 1
    source = next(row for row in middle.split("\n") if row.startswith("# penn_source"))
    middle = middle.replace(source, source.replace(*change))
    back = cli("convert", "-", "-", "--to", "penn-korean", "--level", "2", stdin=middle.encode())
    assert "   (S-ADV" not in back.stdout.decode()
    assert change[1] not in back.stdout.decode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-8"])
def test_the_mark_tells_the_encoding_that_the_user_names(
    tmp_path: Path, cli: Cli, encoding: str
) -> None:
    given = TEXT.replace("\n", "\r\n").encode("utf-8-sig" if encoding == "utf-8" else encoding)
    (tmp_path / "in.txt").write_bytes(given)
    run = ("convert", "--encoding", encoding, "in.txt", "a.conllu", "-q")
    assert cli(*run).returncode == 0
    assert cli("convert", "--to", "treebank", "a.conllu", "-q").stdout == given


def test_a_plain_file_has_no_comment_of_its_layout(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(TEXT, encoding="utf-8")
    convert(tmp_path / "in.txt", tmp_path / "a.conllu")
    assert "tree_file" not in (tmp_path / "a.conllu").read_text(encoding="utf-8")


@pytest.mark.parametrize("comment", ["", "# tree_file = base64 lf\n", "# tree_file = utf-16\n"])
def test_without_a_layout_the_output_is_plain(tmp_path: Path, comment: str) -> None:
    (tmp_path / "in.txt").write_bytes(bytes_of(*LAYOUTS[2]))
    convert(tmp_path / "in.txt", tmp_path / "a.conllu")
    text = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    own = "# tree_file = utf-16-le bom crlf\n"
    assert text.count(own) == 1
    (tmp_path / "a.conllu").write_text(text.replace(own, comment), encoding="utf-8")
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert (tmp_path / "b.txt").read_bytes().decode() == TEXT


def test_line_ends_of_several_kinds_are_told(tmp_path: Path) -> None:
    mixed = TEXT.replace("\n", "\r\n", 3)
    (tmp_path / "in.txt").write_bytes(mixed.encode())
    found: list[Incident] = []
    convert(tmp_path / "in.txt", tmp_path / "a.conllu", report=Report(found.append))
    told = [str(one) for one in found if one.code == "W614"]
    assert len(told) == 1
    assert "in.txt:7: W614 not written back as they are: line ends, of which" in told[0]
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert (tmp_path / "b.txt").read_bytes() == TEXT.replace("\n", "\r\n").encode()


def test_a_line_end_of_old_macs_in_a_line_does_not_decide(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(TEXT.replace("\n", "\r", 1).encode())
    convert(tmp_path / "in.txt", tmp_path / "a.conllu")
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert (tmp_path / "b.txt").read_bytes() == TEXT.encode()


@pytest.mark.parametrize(
    ("line_end", "end"), [("\r\r\n", ""), ("\r\n", "\x1a"), ("\n", "\x1a\x1a"), ("\r\r\n", "\x1a")]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_of_windows_and_dos_end_once(
    tmp_path: Path, line_end: str, end: str, encoding: str
) -> None:
    """A program that ends lines by CRLF itself may have them ended once more; DOS marks the end."""
    (tmp_path / "in.txt").write_bytes((TEXT.replace("\n", line_end) + end).encode(encoding))
    for size in (1, 3, 1000):
        with Source(tmp_path / "in.txt", block_size=size) as source:
            assert source.text() == TEXT
            assert source.has_mixed_line_ends
    found: list[Incident] = []
    convert(tmp_path / "in.txt", tmp_path / "a.conllu", report=Report(found.append))
    assert [one.code for one in found] == ["W614"]
    convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert with_lf((tmp_path / "b.txt").read_bytes().decode(encoding)) == TEXT


@pytest.mark.parametrize("mark", ["\r", "\x1a"])
def test_ends_alone_are_not_held(tmp_path: Path, mark: str) -> None:
    (tmp_path / "in.txt").write_text(mark * 2_000, "utf-8", newline="")
    with Source(tmp_path / "in.txt", block_size=500) as source:
        first = next(source.pieces())
        assert 370 <= len(first) <= 500 - 128
        # DOS fills the last block of a file with its mark.
        assert len(first) + len(source.text()) == {"\r": 2_000, "\x1a": 2_000 - 128}[mark]


def test_a_character_without_a_place_in_the_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(bytes_of("cp949", b"", "\n"))
    convert(tmp_path / "in.txt", tmp_path / "a.conllu")
    text = (tmp_path / "a.conllu").read_text(encoding="utf-8").replace("꽃", "🌷")
    (tmp_path / "a.conllu").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"U\+1F337 of the output has no place in cp949"):
        convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="treebank")
    assert not (tmp_path / "b.txt").exists()


@given(
    st.sampled_from(["utf-8", "utf-16-le", "cp949"]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_a_layout_is_read_as_it_is_written(encoding: str, has_mark: bool, end: str) -> None:
    layout = Layout(encoding, has_mark, end)
    assert Layout.read(str(layout)) == layout


def test_compressed_files_have_a_layout_too(tmp_path: Path) -> None:
    import gzip

    with atomic_output(tmp_path / "a.gz", Layout("utf-16-le", True, "\r\n")) as out:
        out.write("가\n")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == "\ufeff가\r\n".encode("utf-16-le")
    assert Layout.read("") is None
    assert Layout.read(str(PLAIN)) == PLAIN


COMMENTS = (
    *("#", "# ", "# a", "#a", "#  b", "#\\ a\\tb", "# sent_id = x", "# sent_id = y", "# text = 나"),
    *(
        "# newdoc id = d",
        "# newdoc id = BTAA0001",
        "# newpar",
        "# text_orig = 나",
        "#text_orig = 너",
        "#sent_id = z",
        "# meta::x = 1",
        "# global.columns = ID FORM",
    ),
)


ROWS = "너\t너/NP", "BTAA0001-00000001\t너\t너/NP", "#\t#/SW"


@given(st.lists(st.sampled_from((*COMMENTS, *ROWS)), max_size=6), st.data())
def test_comments_of_sejong_text_come_back(lines: list[str], data: st.DataObject) -> None:
    lines.insert(data.draw(st.integers(0, len(lines))), "나\t나/NP")
    text = "\n".join(lines) + "\n\n너\t너/NP\n\n"
    assembler = ASSEMBLER
    sentences = read_text(SejongReader(assembler), text)
    middle = "".join(map(CutWriter(recut_at(5), ConlluWriter()).sentence, sentences))
    back = read_text(ConlluReader(assembler), middle)
    assert "".join(map(SejongWriter().sentence, back)) == text


def test_a_writer_that_inherits_restores_what_its_reader_keeps() -> None:
    class Other(SejongWriter):
        restored = "espresso"

    comments = ('espresso_before = "\\n"', "a note")
    sentence = Sentence((), "1", comments=comments, number=1)
    assert Other().sentence(sentence) == "\n# a note\n\n"
