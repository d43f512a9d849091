from __future__ import annotations

import json
import re
import sys
import time
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sejongud
from sejongud import loads, read
from sejongud.__main__ import main
from sejongud.model import LEVELS, Sentence
from sejongud.report.drawing import Paint, Show
from sejongud.report.picture import Picture
from sejongud.report.views import draw_tree
from sejongud.rules import load
from sejongud.terminal import display_width

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

# The paper's sentence (Fig. 2.3), its last eojeols.
PAPER = """\
1  line 1
프랑스의 세계적인 의상 디자이너 엠마누엘 웅가로가 실내 장식용 직물 디자이너로 나섰다.

1 eojeols     프랑스의    세계적인          의상  디자이너  엠마누엘
              NNP+JKG     NNG+XSN+VCP+ETM   NNG   NNG       NNP
4 + endings   ╭프랑스의╮  ╭── 세계적인 ──╮
              프랑스 의   세계적이     ㄴ   의상  디자이너  엠마누엘
              NNP    JKG  NNG+XSN+VCP  ETM  NNG   NNG       NNP
5 morphemes   ╭프랑스의╮  ╭── 세계적인 ──╮
              프랑스 의   세계 적  이  ㄴ   의상  디자이너  엠마누엘
              NNP    JKG  NNG  XSN VCP ETM  NNG   NNG       NNP

1 eojeols     웅가로가    실내  장식용    직물  디자이너로    나섰다.
              NNP+JKS     NNG   NNG+XSN   NNG   NNG+JKB       VV+EP+EF+SF
4 + endings   ╭웅가로가╮                        ╭디자이너로╮  ╭ 나섰다 ╮
              웅가로 가   실내  장식용    직물  디자이너 로   나서 었 다 .
              NNP    JKS  NNG   NNG+XSN   NNG   NNG      JKB  VV   EP EF SF
5 morphemes   ╭웅가로가╮        ╭장식용╮        ╭디자이너로╮  ╭ 나섰다 ╮
              웅가로 가   실내  장식 용   직물  디자이너 로   나서 었 다 .
              NNP    JKS  NNG   NNG  XSN  NNG   NNG      JKB  VV   EP EF SF
"""

LABELLED = """\
# sent_id = x
1	서울	서울	PROPN	NNP	_	2	compound	_	NE=B-OG|NE2=B-LC
2-3	대학교의	_	_	_	_	_	_	_	_
2	대학교	대학교	NOUN	NNG	_	0	root	_	NE=I-OG
3	의	의	ADP	JKG	_	2	case	_	_

"""


def sample(root: Path, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    path = root / "samples" / "sejong.txt"
    assert main(["show", "-q", "--no-progress", str(path), *args]) == 0
    return capsys.readouterr().out


def test_the_sentence_of_the_paper(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = sample(root, capsys, "1", "--levels", "1,4,5", "--rows", "xpos", "--width", "78")
    assert out == PAPER


def test_an_example_has_the_glosses_of_the_user(cli: Cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "lexical-glosses.tsv").write_text(
        "morphemes\tgloss\n빨리/MAG\tquick_ly\n빨리/MAG+요/JX\tbe quick\n", encoding="utf-8"
    )
    text = "빨리\t빨리/MAG\n빨리요\t빨리/MAG+요/JX\n[50%!]\t[/SS+50/SN+%/SW+!/SF+]/SS\n"
    text += "ㅂ니다\tㅂ니다/EF\n?\t?/SF\n"
    run = ("show", "-", "--from", "sejong", "-q", "--rules", rules, "--to")
    assert cli(*run, "igt", "--width", "30", stdin=text.encode()).stdout.decode() == (
        "빨리      빨리요     [50%!]\nppalli    ppalli-yo  [50%!]\nquick_ly  be quick   50\n"
        "\nㅂ니다  ?\npnida   ?\ndecl    ?\n"
    )
    latex = cli(*run, "latex", stdin=text.encode()).stdout.decode()
    assert "\\glll 빨리 빨리요 {[}50\\%!] ㅂ니다 ? \\\\\n" in latex
    assert "     quick\\_ly {be quick} 50 \\textsc{decl} ? \\\\\n" in latex
    assert cli(*run, "forest", stdin=text.encode()).stdout == b"% 1: no constituents\n"


def test_columns_stand_under_one_another(root: Path) -> None:
    show = Show(load())
    for sentence in read(root / "samples" / "sejong.txt"):
        lines = show.sentence(sentence).split("\n")
        for level in LEVELS:
            [at] = [n for n, line in enumerate(lines) if line.startswith(f"{level} ")]
            words = [w for token in sentence.at_level(level) for w in token.words]
            rows = lines[at : at + 5]
            if not any(len(token.words) > 1 for token in sentence.at_level(level)):
                rows = rows[:4]
            forms, _, upos, xpos = rows[-4:]
            starts = []
            for row, cells in (
                (forms, [w.form for w in words]),
                (upos, [w.upos for w in words]),
                (xpos, [w.xpos for w in words]),
            ):
                found, place = [], 14
                for cell in cells:
                    place = row.index(cell, place)
                    found.append(display_width(row[:place]))
                    place += len(cell)
                starts.append(found)
            assert starts[0] == starts[1] == starts[2]


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_no_line_is_wider_than_the_terminal(
    root: Path, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    out = sample(root, capsys, "--limit", "0", "--width", str(width))
    figure = [line for line in out.split("\n") if re.match(r"[1-5 ] ", line)]
    assert len(figure) > 50
    # One eojeol of the sample, with an address in it, is as wide as that.
    assert max(map(display_width, figure)) <= max(width, 81)


def test_a_long_sentence_takes_no_time_in_the_square_of_its_length(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in"
    path.write_text("나는\t나/NP+는/JX\n" * 10_000, encoding="utf-8")
    begin = time.process_time()
    assert main(["show", "-q", "--width", "40", "--levels", "5", str(path)]) == 0
    # In the square of its length it took 35 seconds.
    assert time.process_time() - begin < 10
    assert capsys.readouterr().out.count("╭ 나는 ╮") == 10_000


def test_entities_and_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(LABELLED, "utf-8")
    assert main(["show", "-q", str(path), "--levels", "5", "--rows", "upos"]) == 0
    assert capsys.readouterr().out == (
        "x  line 1\n"
        "서울 대학교의\n"
        "\n"
        "entities      ├─── OG ────┤\n"
        "              ├LC┤\n"
        "5 morphemes          ╭대학교의╮\n"
        "              서울   대학교 의\n"
        "              PROPN  NOUN   ADP\n"
        "\n"
        "tree of the words of level 5\n"
        "1 ╭─ 서울 PROPN compound 2\n"
        "2 ├ 대학교 NOUN root\n"
        "3 ╰─ 의 ADP case 2\n"
    )
    assert main(["show", "-q", "--ascii", str(path)]) == 0
    assert not set(capsys.readouterr().out) & set("╭╮╰╯├┤─│┼")


def test_colours(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.conllu").write_text(LABELLED, "utf-8")
    plain = cli("show", "a.conllu").stdout
    assert b"\x1b" not in plain
    assert b"\x1b" not in cli("show", "a.conllu", "--color", "never").stdout
    painted = cli("show", "a.conllu", "--color", "always", env={"NO_COLOR": "1"}).stdout
    # The styles change nothing but the blanks at the ends of lines.
    bare = re.sub(rb"\x1b\[[\d;]+m", b"", painted)
    assert b"\x1b[" in painted
    assert [line.rstrip() for line in bare.split(b"\n")] == plain.split(b"\n")


@pytest.mark.parametrize(
    ("environment", "colours"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)],
)
def test_colours_of_a_terminal(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], colours: bool
) -> None:
    import sys

    from sejongud.commands.show import _in_colour

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert _in_colour("auto") is colours


def test_text_cannot_steer_the_terminal(tmp_path: Path, cli: Cli) -> None:
    text = LABELLED.replace("서울", "서\x1b]0;x\x07울\x9b31m").replace("compound", "c\x1b[1m")
    (tmp_path / "a.conllu").write_text(text, "utf-8")
    out = cli("show", "-q", "a.conllu").stdout.decode()
    assert not set(out) & {"\x1b", "\x07", "\x9b"}
    assert "서␛]0;x␇울" in out


def test_which_sentences(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def ids(*args: str) -> list[str]:
        out = sample(root, capsys, *args, "--levels", "1", "--rows", "")
        return re.findall(r"^(\S+)  line \d+$", out, re.MULTILINE)

    every = [sentence.sent_id for sentence in read(root / "samples" / "sejong.txt")]
    assert len(every) > 3
    assert ids() == every[:3]
    assert ids("--limit", "0") == every
    assert ids("--limit", "2") == every[:2]
    assert ids("--number", "2") == [every[1]]
    assert ids(every[2]) == [every[2]]


def test_no_such_sentence(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = root / "samples" / "sejong.txt"
    for wanted in (["zz"], ["--number", "99"]):
        assert main(["show", "-q", str(path), *wanted]) == 2
        said = capsys.readouterr().err
        assert f"has no sentence {'zz' if wanted == ['zz'] else 'number 99'}" in said
        assert "1, 2, 3" in said


def test_what_there_is_to_say(root: Path, cli: Cli, tmp_path: Path) -> None:
    path = root / "samples" / "sejong-faults.txt"
    done = cli("show", "--limit", "0", "--log", "log.jsonl", path)
    assert done.returncode == 1
    codes = [json.loads(one)["code"] for one in (tmp_path / "log.jsonl").read_text().splitlines()]
    shown = re.findall(r"^([EWI]\d{3}) ", done.stdout.decode(), re.MULTILINE)
    said = re.findall(r": ([EWI]\d{3}) ", done.stderr.decode())
    assert sorted([*shown, *said]) == sorted(codes)


def test_corpora_of_entities(root: Path, cli: Cli) -> None:
    done = cli("show", "--limit", "1", root / "samples" / "klue-ner.tsv")
    assert done.returncode == 0
    assert b"detected format: klue-ner" in done.stderr
    assert "\nentities " in done.stdout.decode()


def test_a_sentence_is_named_in_one_way(cli: Cli, root: Path) -> None:
    message = cli("show", root / "samples" / "sejong.txt", "1", "--number", "2").told(2)
    assert "name the sentence by SENT_ID or by --number, not by both" in message


def test_levels_and_rows_that_are_not_there(root: Path) -> None:
    for wrong in (["--levels", "6"], ["--rows", "feats"], ["--number", "-1"]):
        with pytest.raises(SystemExit):
            main(["show", str(root / "samples" / "sejong.txt"), *wrong])


# --- trees ----------------------------------------------------------------------------------------


def test_paint_leaves_what_is_not_there() -> None:
    assert Paint(on=True)("", "bold") == ""
    assert Paint(on=True)("a", "noun") == "a"


def arcs(lines: list[str]) -> list[tuple[int, int]]:
    """Which word hangs on which, read off the drawing by following its lines."""
    up, down, left, right = set("╰╯├┤│┼"), set("╭╮├┤│┼"), set("─╮╯┤┼"), set("─╭╰├┼")
    grid = {(y, x): char for y, line in enumerate(lines) for x, char in enumerate(line)}
    found = []
    for y, line in enumerate(lines):
        corners = [x for x, char in enumerate(line) if char in "╭╰├" and x + 1 < len(line)]
        for x in [x for x in corners if line[x + 1] == "─"][:1]:
            for by, out, back in ((-1, up, down), (1, down, up)):
                at = y
                while grid[at, x] in out and grid.get((at + by, x), " ") in back:
                    at += by
                    ends = grid[at, x]
                    if ends in "╮╯┤" or (ends in "╭╰├" and grid.get((at, x + 1), " ") == " "):
                        found.append((y, at))
                        break
                assert left and right
    return found


def test_tree() -> None:
    heads = [2, 4, 2, 0, 4, 7, 4]
    lines, _ = draw_tree(heads)
    assert lines == [
        "  ╭─",
        "╭─┤",
        "│ ╰─",
        "├",
        "├─",
        "│ ╭─",
        "╰─╯",
    ]
    assert arcs(lines) == [(at, head - 1) for at, head in enumerate(heads) if head]


@given(st.lists(st.integers(-2, 30), max_size=25))
def test_anything_is_drawn(heads: list[int]) -> None:
    lines, _ = draw_tree(heads)
    assert len(lines) == len(heads)
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.parametrize("size", [101, 2_000, 20_000])
def test_a_deep_tree_grows_no_wider(cli: Cli, tmp_path: Path, size: int) -> None:
    lines, hidden = draw_tree(range(size))
    assert len(lines) == size
    assert hidden == size - 101
    assert max(map(len, lines)) == 200
    if size == 2_000:
        rows = [f"{n}\t꽃\t꽃\tNOUN\tNNG\t_\t{n - 1}\tobj\t_\t_\n" for n in range(1, size + 1)]
        (tmp_path / "deep.conllu").write_text("".join(rows) + "\n", encoding="utf-8")
        drawn = cli("show", "--levels", "3", "deep.conllu").stdout.decode()
        assert "\n1,899 arcs below 100 others not drawn\n" in drawn


@st.composite
def projective(draw: st.DrawFn, size: int = 12) -> list[int]:
    """The heads of a tree without crossing arcs."""
    heads: list[int] = []

    def build(first: int, last: int, above: int) -> None:
        if first > last:
            return
        root = draw(st.integers(first, last))
        heads[root - 1] = above
        for low, high in ((first, root - 1), (root + 1, last)):
            while low <= high:
                end = draw(st.integers(low, high))
                build(low, end, root)
                low = end + 1

    count = draw(st.integers(1, size))
    heads = [0] * count
    build(1, count, 0)
    return heads


@given(projective())
def test_trees_can_be_read_off(heads: list[int]) -> None:
    wanted = [(at, head - 1) for at, head in enumerate(heads) if head]
    assert arcs(draw_tree(heads)[0]) == wanted


def test_a_sentence_without_eojeols_is_shown() -> None:
    # A corpus may have an id without a text.
    assert Show(load()).sentence(Sentence((), "a")).split() == ["a"]


def drawn(text: str) -> tuple[list[str], dict[str, int], list[str]]:
    """Return the texts of a picture, the number of its boxes and lines, and what it tells."""
    picture = ElementTree.fromstring(text)
    parts = [(node.tag.rpartition("}")[2], node.text or "") for node in picture.iter()]
    counts = {name: sum([tag == name for tag, _ in parts]) for name in ("rect", "path")}
    [told] = [found for tag, found in parts if tag == "desc"]
    return [found for tag, found in parts if tag == "text"], counts, told.split("\n")


def test_a_picture_of_dependencies(cli: Cli, root: Path, tmp_path: Path) -> None:
    cli(
        "draw", root / "samples" / "ud.conllu", "sample-ud-3", "-o", "a.svg", "--rows", "upos", "-q"
    )
    svg = tmp_path.joinpath("a.svg").read_text("utf-8")
    # The lowest arcs, too, bend above the tips of their arrows.
    bends = re.findall(r'd="M\S+ \S+V(\d+)q[^"]*V(\d+)"', svg)
    assert [int(bend) < int(tip) for bend, tip in bends] == [True] * 5
    texts, counts, told = drawn(svg)
    relations = ["nsubj", "acl:relcl", "nsubj", "advmod", "root", "punct"]
    words = ["동생이", "만든", "국수는", "정말", "맛있다", "."]
    assert texts[:13] == [*relations, "tree", *words]
    at = texts.index("5 morphemes")
    morphemes = ["동생", "이", "만들", "ㄴ", "국수", "는", "정말", "맛있", "다", "."]
    assert texts[at + 1 : at + 15] == ["동생이", "만든", "국수는", "맛있다", *morphemes]
    # Boxes of 2, 4 and 4 multiword tokens; a line and a tip of each arc, a line below each band.
    assert counts == {"rect": 10, "path": 12 + 6}
    assert told[0] == "1 동생이 NNG+JKS nsubj 2"


def test_a_picture_of_entities_frames_and_constituents(root: Path) -> None:
    [sentence] = loads(LABELLED, from_="conllu")
    svg = Picture(load(), levels=(1,), rows=()).svg(sentence)
    assert re.findall(r'<text x="(\S+)"[^>]*>(tree|entities)<', svg) == [
        ("0", "tree"),
        ("0", "entities"),
    ]
    texts, counts, told = drawn(svg)
    assert texts[:7] == ["compound", "root", "case", "tree", "서울", "대학교", "의"]
    assert texts[7:11] == ["entities", "OG", "LC", "1 eojeols"]
    assert told[0] == "1 서울 NNP B-OG compound 2"
    # Both entities, and the box of 서울 itself.
    assert counts["rect"] == 3
    tree = next(read(root / "samples" / "treebank-figure.txt"))
    texts, counts, _ = drawn(Picture(load(), levels=(1,), rows=()).svg(tree))
    assert texts[0] == "constituents"
    # Each constituent but the root has a line from above, each word another, and the level ends.
    assert counts["path"] == len(tree.constituents) - 1 + len(tree.eojeols) + 1


HOSTILE = "</text><script>alert(1)</script>\x1b[31m\ufffe&amp;"


def test_hostile_text_in_a_picture_stays_text() -> None:
    text = LABELLED.replace("서울\t서울", f"{HOSTILE}\t{HOSTILE}").replace("B-LC", "B-<LC>")
    [sentence] = loads(text.replace("compound", "<x>"), from_="conllu")
    svg = Picture(load()).svg(sentence)
    texts, _, _ = drawn(svg)
    assert {"<x>", "<LC>", "</text><script>alert(1)</script>␛[31m\ufffd&amp;"} <= {*texts}
    assert "<script" not in svg
    assert "<script" not in sentence._repr_html_()


def test_a_notebook_shows_the_picture_and_a_table(root: Path) -> None:
    shown = next(read(root / "samples" / "sejong.txt"))._repr_html_()
    assert shown.count("<svg ") == 1
    assert shown.count("<table>") == 1
    assert "5 morphemes" in shown


@pytest.mark.parametrize("name", ["a.svg", "a.tex", "a.png"])
def test_the_ending_chooses_the_picture(cli: Cli, root: Path, tmp_path: Path, name: str) -> None:
    if name == "a.png":
        pytest.importorskip("resvg_py", reason="resvg is not installed")
    done = cli("draw", root / "samples" / "treebank.txt", "-o", name, "--levels", "5", "-q")
    assert (done.returncode, done.stdout) == (0, b"")
    start = {
        "a.svg": b"<svg xmlns",
        "a.tex": b"% \\usepackage{gb4e}\\noautomath",
        "a.png": b"\x89PNG\r\n",
    }[name]
    data = tmp_path.joinpath(name).read_bytes()
    assert data.startswith(start)
    assert name != "a.tex" or b"\\begin{forest}" in data
    text = sejongud.draw(root / "samples" / "treebank.txt", tmp_path / f"b{name}", levels=[5])
    assert tmp_path.joinpath(f"b{name}").read_bytes() == data
    assert name == "a.png" or text.encode() == data


def test_the_error_of_a_sentence_that_is_drawn_is_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\t봄\n봄\t봄/NNG\n\n", encoding="utf-8")
    done = cli("draw", "a.txt", "-o", "a.svg", "-q")
    assert (done.returncode, done.stderr[:20]) == (1, b"a.txt:1: E103 expect")


def test_pictures_that_cannot_be_drawn(
    cli: Cli, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = root / "samples" / "ud.conllu"
    done = cli("draw", source, "-o", "a.pdf")
    assert b".pdf cannot be written here; write .svg, .tex, .png" in done.stderr
    assert b"has no sentence nothing" in cli("draw", source, "nothing", "-o", "a.svg").stderr
    (tmp_path / "empty.conllu").touch()
    assert cli("draw", "empty.conllu").stderr.endswith(b"empty.conllu has no sentences\n")
    (tmp_path / "empty.conllu").unlink()
    for options, message in (
        ({"sent_id": "nothing"}, "has no sentence nothing"),
        ({"number": 11}, "has no sentence number 11"),
        ({"levels": [1, 6]}, "6 is no level"),
        ({"rows": ["tag"]}, "tag is no level"),
        ({"target": tmp_path / "a.pdf"}, ".pdf cannot be written here"),
        ({"to": "pdf", "target": tmp_path / "a.pdf"}, "to is pdf; it should be one of: svg, latex"),
    ):
        with pytest.raises(sejongud.UsageError, match=message):
            sejongud.draw(source, **options)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    done = cli("draw", source, "-o", "a.png")
    assert b"resvg_py is not installed: pip install 'sejongud[png]'" in done.stderr
    assert list(tmp_path.iterdir()) == []
