from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import threading
import zlib
from argparse import Namespace
from contextlib import ExitStack
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from sejongud import read
from sejongud.__main__ import main
from sejongud.commands import show as report_command
from sejongud.converters.recut import recut_of, recuts
from sejongud.errors import Incident, Report
from sejongud.files import Source
from sejongud.formats import recognise
from sejongud.layers.labels import entity_layers
from sejongud.model import LEVELS
from sejongud.report import ReportOptions, make_report
from sejongud.report.chunks import SentenceData
from sejongud.report.views import Placed, read_placed
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Cli

    from sejongud.model import Sentence

TREE = """\
# sent_id = a
# text = 서울대학교의 연구는 😀끝났다.
# note = <b>&amp;</b>
1-3	서울대학교의	_	_	_	_	_	_	_	_
1	서울	서울	PROPN	NNP	_	2	compound	_	NE=B-OG|NE2=B-LC
2	대학교	대학교	NOUN	NNG	_	4	nmod	_	NE=I-OG
3	의	의	ADP	JKG	_	2	case	_	_
4-5	연구는	_	_	_	_	_	_	_	_
4	연구	연구	NOUN	NNG	Case=Nom	6	nsubj	_	Gloss=research
5	는	은	ADP	JX	_	4	case	_	_
6-8	😀끝났다	_	_	_	_	_	_	_	SpaceAfter=No
6	😀끝나	😀끝나	VERB	VV	_	0	root	_	NE=B-EV
7	았	었	PART	EP	_	6	aux	_	_
8	다	다	PART	EF	_	6	aux	_	_
9	.	.	PUNCT	SF	_	6	punct	_	_

"""

HOSTILE = "</script><img/src=x/onerror=alert(1)>"


def options(**more: Any) -> ReportOptions:
    return ReportOptions(**more)


def build(*paths: Path, report: Report | None = None, **more: Any) -> str:
    """The page of some files."""
    return "".join(make_report([*map(str, paths)], Source, options(**more), report or Report()))


def unpack(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS))


class Page(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag in ("script", "style"):
            self._open = attributes.get("id") or f"{tag} {len(self.texts)}"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open] = self.texts.get(self._open, "") + data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._open = ""

    @property
    def meta(self) -> Any:
        return json.loads(self.texts["meta"])

    @property
    def chunks(self) -> list[Any]:
        names = [name for name in self.texts if name.startswith("chunk-")]
        return [unpack(self.texts[name]) for name in names]

    @property
    def incidents(self) -> list[tuple[str, str]]:
        """Code and sentence of every incident that is with a sentence."""
        return [
            (chunk["incidents"][which][0], row[0])
            for chunk in self.chunks
            for row in chunk["sentences"]
            for which, *_ in (row[4] if len(row) > 4 else {}).get("incidents", ())
        ]


# --- the data -----------------------------------------------------------------------------------


def levels_of(chunk: Any, row: list[Any]) -> list[list[tuple[Any, ...]]]:
    """The tokens of a sentence at each level, as the page's script unpacks them."""
    found: list[list[tuple[Any, ...]]] = [[] for _ in LEVELS]
    for number in row[3]:
        before: Any = None
        for level, spec in enumerate(chunk["eojeols"][number][1:]):
            before = before if spec == 0 else spec
            for token in before:
                if isinstance(token, int):
                    words = [chunk["words"][token]]
                    found[level].append((words[0][0], *map(tuple, words)))
                else:
                    words = [chunk["words"][word] for word in token[1:]]
                    found[level].append((token[0], *map(tuple, words)))
    return found


def expected(sentence: Sentence) -> list[list[tuple[Any, ...]]]:
    """The words at each level, as `convert` writes them."""
    return [
        [
            (
                token.form,
                *[(w.form, w.lemma, w.upos, w.xpos, len(w.morphemes)) for w in token.words],
            )
            for eojeol in recut_of(level)(sentence).eojeols
            for token in eojeol.tokens
        ]
        for level in LEVELS
    ]


@pytest.mark.parametrize(
    "name", ["sejong.txt", "sejong-senses.txt", "corpus-written.txt", "ud.conllu", "jsonl.jsonl"]
)
def test_chunks_hold_every_level(root: Path, name: str) -> None:
    path = root / "samples" / name
    sentences = list(read(path))
    data = SentenceData(recuts(load()))
    for sentence in sentences:
        data.add(Placed(sentence, 0, lambda at: 0), 0, ())
    data.finish()
    rows = [
        (row, levels_of(chunk, row))
        for chunk in map(unpack, data.packed.values())
        for row in chunk["sentences"]
    ]
    assert sum(data.sizes) == len(sentences) > 1
    for sentence, (row, levels) in zip(sentences, rows, strict=True):
        assert row[0] == sentence.sent_id
        assert levels == expected(sentence)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree.conllu"
    path.write_text(TREE, "utf-8")
    return path


def test_trees_entities_and_comments(tree: Path) -> None:
    [chunk] = Page(build(tree)).chunks
    [[sent_id, file, line, _, more]] = chunk["sentences"]
    assert (sent_id, file, line) == ("a", 0, 1)
    words = [chunk["treeWords"][word] for word in more["tree"]["words"]]
    assert [word[0] for word in words] == [
        *("서울", "대학교", "의", "연구", "는", "😀끝나", "았", "다", "."),
    ]
    assert words[3] == ["연구", "연구", "NOUN", "NNG", "Case=Nom", "Gloss=research"]
    assert more["tree"]["level"] == 5
    assert more["tree"]["heads"] == [2, 4, 2, 6, 4, 0, 6, 6, 6]
    assert more["tree"]["deprels"][:2] == ["compound", "nmod"]
    text = "서울대학교의 연구는 😀끝났다."
    wide = text.encode("utf-16-le")
    found = {
        (layer, of): wide[2 * begin : 2 * end].decode("utf-16-le")
        for layer, of, _, _, begin, end in more["entities"]
    }
    assert found == {(0, "OG"): "서울대학교", (0, "EV"): "😀끝났", (1, "LC"): "서울"}
    assert "note = <b>&amp;</b>" in more["comments"]


def test_words_that_are_of_no_level(tmp_path: Path) -> None:
    # 서울+대학교 is one word, 의 another: level 3; 연구+는 one word: level 2; no level has both.
    lines = [
        "1-2	서울대학교의" + "	_" * 8,
        "1	서울대학교	서울+대학교	NOUN	NNP+NNG	_	2	nmod	_	_",
        "2	의	의	ADP	JKG	_	0	root	_	_",
        "3	연구는	연구+는	NOUN	NNG+JX	_	2	dep	1:dep	_",
    ]
    path = tmp_path / "a.conllu"
    path.write_text("# sent_id = 1\n" + "\n".join(lines) + "\n\n", "utf-8")
    [chunk] = Page(build(path)).chunks
    more = chunk["sentences"][0][4]["tree"]
    assert "level" not in more
    assert more["deps"] == ["_", "_", "1:dep"]
    assert more["sizes"] == [2, 1, 2]
    assert [chunk["treeWords"][n][0] for n in more["words"]] == ["서울대학교", "의", "연구는"]


def test_limit_is_said(root: Path) -> None:
    path = root / "samples" / "sejong.txt"
    total = len(list(read(path)))
    text = build(path, limit=2)
    page = Page(text)
    assert sum(page.meta["chunks"]) == 2
    assert f"The first 2 of {total} sentences are shown" in text
    assert f"<dt>sentences</dt><dd>{total}</dd>" in text
    assert not re.search(r"The first \d", build(path, limit=0))
    assert sum(Page(build(path, limit=0)).meta["chunks"]) == total


# --- incidents ----------------------------------------------------------------------------------


def test_incidents_are_those_of_validation(root: Path, cli: Cli) -> None:
    path = root / "samples" / "sejong-faults.txt"
    counts = json.loads(cli("validate", "--json", "-q", path).stdout.splitlines()[-1])["counts"]
    report = Report()
    page = Page(build(path, report=report))
    assert dict(report.counts) == counts
    assert {code: count for code, (_, count) in page.meta["codes"].items()} == counts
    elsewhere = unpack(page.texts["elsewhere"]) if "elsewhere" in page.texts else []
    assert len(page.incidents) + len(elsewhere) == sum(counts.values()) > 5
    ids = {row[0] for chunk in page.chunks for row in chunk["sentences"]}
    assert {sent_id for _, sent_id in page.incidents} <= ids


def test_incidents_of_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    broken = TREE.replace("# sent_id = a", "# sent_id = b").replace("4	연구	", "4	")
    path.write_text(TREE + broken, "utf-8")
    page = Page(build(path))
    assert [row[0] for chunk in page.chunks for row in chunk["sentences"]] == ["a"]
    codes = [(code, sent_id) for code, _, _, _, sent_id, _ in unpack(page.texts["elsewhere"])]
    assert codes == [("E201", "b")]


def test_most_incidents_are_counted_and_not_listed(root: Path) -> None:
    path = root / "samples" / "sejong-faults.txt"
    full = Report()
    build(path, report=full)
    code, many = full.counts.most_common(1)[0]
    assert many > 1
    text = build(path, most_incidents=1)
    page = Page(text)
    assert page.meta["codes"][code][1] == many
    assert [c for c, _ in page.incidents].count(code) == 1
    assert "the first 1 incidents are listed (--limit-incidents); the counts are of all" in text


def test_incidents_name_their_eojeol(tmp_path: Path) -> None:
    path = tmp_path / "own.conllu"
    path.write_text(TREE.replace("	_	2	compound", "	_	_	_"), "utf-8")
    report = Report()
    with Source(path) as source:
        placed = next(read_placed(source, recognise(None, source.head()), report, on_error="keep"))
    # Of a word of CoNLL-U, with and without columns of a treebank; of an eojeol.
    word = Incident("W236", "", line=9, token="4")
    assert placed.eojeol_of(word) == 2
    assert placed.eojeol_of(Incident("W106", "", line=9, token="3")) == 3
    assert placed.eojeol_of(Incident("W106", "", token="33")) == 0
    plain = placed._replace(sentence=next(iter(read(path))))
    plain.sentence.arcs = None
    assert plain.eojeol_of(word) == 2
    assert plain.eojeol_of(Incident("W236", "", line=5, token="1")) == 1
    assert plain.eojeol_of(Incident("W215", "", line=1)) == 0


# --- the page -----------------------------------------------------------------------------------


def test_nothing_comes_from_elsewhere(tree: Path) -> None:
    text = "".join(make_report([str(tree)], Source, ReportOptions(), Report()))
    page = Page(text)
    [policy] = [a["content"] or "" for _, a in page.elements if "http-equiv" in a]
    assert policy.startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        own = [t for name, t in page.texts.items() if name.startswith(f"{kind} ")]
        digests = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in own]
        assert len(own) == 1
        assert f"{kind}-src 'sha256-{digests[0]}'" in policy
    for tag, attributes in page.elements:
        assert "style" not in attributes, tag
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:,")), (tag, value)
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    script = next(t for name, t in page.texts.items() if name.startswith("script "))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", script)
    assert "url(" not in next(t for name, t in page.texts.items() if name.startswith("style "))
    charts = [a["data-chart"] for tag, a in page.elements if tag == "figure"]
    assert charts == ["columns", "shares", "histogram", *["bars"] * 4]


def test_hostile_text_is_text(tmp_path: Path) -> None:
    path = tmp_path / f"{HOSTILE.replace('/', '_')}.conllu"
    text = TREE.replace("연구", HOSTILE).replace("NE=B-OG", f"NE=B-{HOSTILE}")
    path.write_text(text.replace("nsubj", HOSTILE).replace("Gloss", HOSTILE), "utf-8")
    page = Page(build(path, title=HOSTILE))
    scripts = [a.get("id") or a.get("type") for tag, a in page.elements if tag == "script"]
    assert sorted(map(str, scripts)) == ["None", "chunk-0", "korean", "meta"]
    assert "img" not in [tag for tag, _ in page.elements]
    assert HOSTILE in page.meta["types"]
    assert HOSTILE in [word[0] for chunk in page.chunks for word in chunk["words"]]


def test_same_input_same_bytes(tree: Path, process: Cli, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        done = process("report", "-q", tree, f"{seed}.html", env={"PYTHONHASHSEED": seed})
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()


def test_what_the_template_wants_is_there(tree: Path) -> None:
    text = build(tree)
    assert "{{" not in text.partition("<script>")[0]
    script = text.partition("<script>")[2].partition("</script>")[0]
    # The script asks for elements by their ids.
    wanted = set(re.findall(r'byId\("([\w-]+)"\)', script))
    assert wanted - {"figure", "text", "printed", "elsewhere"} <= set(
        re.findall(r' id="([\w-]+)"', text)
    )


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("", "utf-8")
    assert Page(build(path)).meta["chunks"] == []


# --- inputs -------------------------------------------------------------------------------------


def test_corpora_of_entities(root: Path) -> None:
    page = Page(build(root / "samples" / "klue-ner.tsv"))
    assert page.meta["types"]
    rows = [row for chunk in page.chunks for row in chunk["sentences"] if len(row) > 4]
    types = {entity[1] for row in rows for entity in row[4].get("entities", ())}
    assert types == set(page.meta["types"])


def test_several_files_compressed(root: Path, tmp_path: Path, tree: Path) -> None:
    packed = tmp_path / "sejong.txt.gz"
    packed.write_bytes(gzip.compress((root / "samples" / "sejong.txt").read_bytes()))
    page = Page(build(packed, tree))
    assert page.meta["files"] == ["sejong.txt.gz", "tree.conllu"]
    files = [row[1] for chunk in page.chunks for row in chunk["sentences"]]
    assert files == sorted(files)
    assert files[-2:] == [0, 1]


def test_entities_that_look_wrong_are_incidents(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(
        TREE.replace("JKG	_	2	case	_	_", "JKG	_	2	case	_	NE=I-OG"),
        "utf-8",
    )
    report = Report()
    build(path, report=report)
    assert report.counts["W422"] == 1
    assert [layer[0].type for layer in entity_layers(next(iter(read(path))))] == ["OG", "LC"]


def test_incidents_of_entities_have_the_line_of_their_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("; 옷\n$옷\n1\t옷\tNNG\tO\n\n; 서울\n$서울\n1\t서울\tNNP\tI\n\n", "utf-8")
    found: list[Incident] = []
    build(path, report=Report(found.append))
    assert [(one.code, one.line) for one in found if one.code == "W421"] == [("W421", 5)]


# --- the command --------------------------------------------------------------------------------


def run(*args: str | Path) -> int:
    return main(["report", "--no-progress", *map(str, args)])


def test_command(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.html"
    assert run(tree, out) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "detected format: conllu" in said.err
    assert "incidents: " in said.err
    assert run("-q", tree) == 0
    said = capsys.readouterr()
    assert said.out == out.read_text("utf-8")
    assert said.err == ""


def test_standard_input(tree: Path, cli: Cli, process: Cli) -> None:
    page = Page(cli("report", "-", stdin=gzip.compress(tree.read_bytes())).text())
    assert page.meta["files"] == ["standard input"]
    assert sum(page.meta["chunks"]) == 1
    broken = process("report", "-", stdin="나는\t나/NP".encode("cp949") + b"\xff\xff\n")
    assert broken.returncode == 1
    assert b'File "-"' in broken.stderr
    assert b"sejongud-" not in broken.stderr


def test_what_can_be_read_only_once_is_read_twice_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("가\n".encode("cp949"))))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("나\n", "utf-8"))
    writer.start()
    args = Namespace(encoding=None, progress=False, quiet=True)
    with ExitStack() as stack:
        open_source = report_command._opener(args, stack)
        for path, text in (("-", "가\n"), (str(pipe), "나\n")):
            for _ in range(2):
                with open_source(path) as source:
                    assert (source.path, source.text()) == (path, text)
        # A process that is killed now has nothing there to leave behind.
        assert not list(place.iterdir())
    writer.join()


def test_an_error_ends_it_if_that_is_wanted(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.write_text(TREE.replace("4	연구	", "4	"), "utf-8")
    out = tmp_path / "out.html"
    assert run("--on-error", "stop", tree, out) == 1
    assert "line 9" in capsys.readouterr().err
    assert not out.exists()
    log = tmp_path / "log.jsonl"
    assert run("--log", log, tree, out) == 1
    assert out.exists()
    assert [json.loads(line)["code"] for line in log.read_text("utf-8").splitlines()] == ["E201"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["out.html"], "out.html is the file to write"),
        (["a.txt", "a.txt", "out.html"], "named twice"),
    ],
)
def test_wrong_usage(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*args) == 2
    assert said in capsys.readouterr().err


def test_a_terminal_is_no_place_for_a_page(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(tree) == 2
    assert "OUT.html" in capsys.readouterr().err


def test_charts_are_tables_for_the_script(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("-q", tree) == 0
    drawn = capsys.readouterr().out
    # The script closes the tables that it draws; without a script they are there to be read.
    assert drawn.count("<details open><summary>Table</summary>") == drawn.count(" data-chart=") == 7
    head, row, *_ = re.findall(r"<tr>.*?</tr>", drawn.partition('id="figure-words"')[2])
    assert re.findall(r">([^<]+)<", head) == ["level", "words", "complex words (MCW)", "tags"]
    assert re.findall(r">([^<]+)<", row) == ["1", "3", "1.0000", "3"]
    head, *rows = re.findall(r"<tr>.*?</tr>", drawn.partition('id="figure-types"')[2])
    assert re.findall(r">([^<]+)<", head) == ["type", "entities", "inside others"]
    cells = [re.findall(r">([^<]+)<", row) for row in rows[:3]]
    assert cells == [["EV", "1", "0"], ["LC", "0", "1"], ["OG", "1", "0"]]
    relations = drawn.partition('id="figure-deprels"')[2].partition("</table>")[0]
    assert "root" in re.findall(r">([^<]+)<", relations)


@pytest.fixture(scope="session")
def sixty(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The first sentences of a real treebank."""
    text = (shared / "data/ud-korean-gsd/ko_gsd-ud-dev.conllu").read_text("utf-8")
    path = tmp_path_factory.mktemp("gsd") / "gsd.conllu"
    path.write_text("\n\n".join(text.split("\n\n")[:60]) + "\n\n", "utf-8")
    yield path


def test_a_real_treebank(sixty: Path) -> None:
    page = Page(build(sixty))
    [chunk] = page.chunks
    sentences = list(read(sixty))
    # A treebank has its own UPOS and LEMMA: nobody asked for another scheme.
    assert not page.meta["codes"].keys() & {"W236", "W237"}
    for row, sentence in zip(chunk["sentences"], sentences, strict=True):
        assert levels_of(chunk, row) == expected(sentence)
        tree = row[4]["tree"]
        assert tree["level"] in (1, 2)
        assert tree["heads"] == list(sentence.arcs.heads if sentence.arcs else ())


@pytest.mark.parametrize(
    ("asked", "codes"),
    [({"upos": "sejong"}, {"W237"}), ({"lemmas": "form"}, {"W236"}), ({}, set[str]())],
)
def test_a_scheme_is_compared_where_it_is_asked_for(
    tree: Path, asked: dict[str, Any], codes: set[str]
) -> None:
    other = TREE.replace("연구	연구	NOUN", "연구	연구하	VERB")
    tree.write_text(other, "utf-8")
    page = Page(build(tree, **asked))
    assert page.meta["codes"].keys() & {"W236", "W237"} == codes
