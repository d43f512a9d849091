"""The other formats of corrections: parallel text, TSV, JSON Lines and CoNLL-U."""

from __future__ import annotations

import io
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import normalize

import pytest
from corpora import read_corrections as read
from hypothesis import given
from hypothesis import strategies as st

from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import FormatError, Report, UsageError
from sejongud.files import Source
from sejongud.formats import corrections_format, sniff
from sejongud.formats.base import Block
from sejongud.formats.conllu import ConlluWriter
from sejongud.formats.conllu.corrections import forms_of, with_edits
from sejongud.formats.correction_json import GecJson
from sejongud.formats.corrections import together
from sejongud.gec.edits import Corrections, Edit, Pair
from sejongud.levels.cut import Granularity
from sejongud.model import Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


SPELL = Edit(1, 2, "갔다", "SPELL")
KEYS = [
    "id", "source", "targets", "annotators", "tokens", "edits", "comments",
]  # fmt: skip
EDIT_KEYS = [
    "annotator", "start", "end", "c_start", "c_end", "type", "correction", "required", "comment",
    "chars",
]  # fmt: skip


class TestTsv:
    def test_rows(self, tmp_path: Path) -> None:
        found, _ = read("나는 갓다\t나는 갔다\t나는 간다\n가\t\n", tmp_path, "tsv")
        assert found == [Pair("나는 갓다", ("나는 갔다", "나는 간다")), Pair("가", ("",))]
        writer = corrections_format("tsv")
        assert "".join(map(writer.sentence, found)) == "나는 갓다\t나는 갔다\t나는 간다\n가\t\n"

    def test_columns_by_number_and_by_name(self, tmp_path: Path) -> None:
        found, _ = read("1\t갔다\t갓다\n", tmp_path, "tsv", "3 2")
        assert found == [Pair("갓다", ("갔다",))]
        text = "id\tcorrect\terror\n1\t갔다\t갓다\n"
        assert read(text, tmp_path, "tsv", "error correct")[0] == found

    @pytest.mark.parametrize("columns", ["1", "0 1", "a", "1 0"])
    def test_wrong_columns(self, columns: str) -> None:
        with pytest.raises(UsageError, match="columns"):
            corrections_format("tsv", columns)

    def test_an_unknown_column(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="there is no column c: the first row has a, b"):
            read("a\tb\n", tmp_path, "tsv", "a c")

    def test_a_row_without_a_tab(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="2 are expected") as caught:
            read("가\t나\n다\n", tmp_path, "tsv")
        assert (caught.value.line, caught.value.code) == (2, "E508")
        found, incidents = read("가\t나\n다\n라\t마\n", tmp_path, "tsv", on_error="skip")
        assert ([item.source for item in found if isinstance(item, Pair)]) == ["가", "라"]
        assert [one.code for one in incidents] == ["E508"]

    def test_an_empty_pair_is_left_out_and_counted(self, tmp_path: Path) -> None:
        found, incidents = read("\t\n가\t나\n\n", tmp_path, "tsv")
        assert len(found) == 1
        assert [(one.code, one.line) for one in incidents] == [("W502", 1), ("W502", 3)]

    def test_a_text_that_it_cannot_hold(self) -> None:
        with pytest.raises(FormatError, match="jsonl"):
            corrections_format("tsv").sentence(Pair("가\t나", ("다",)))


class TestParallel:
    def pairs(self, folder: Path, *texts: str) -> tuple[list[Any], list[str]]:
        for number, text in enumerate(texts):
            (folder / str(number)).write_text(text, encoding="utf-8")
        codes: list[str] = []
        with ExitStack() as stack:
            paths = [folder / str(number) for number in range(len(texts))]
            sources = [stack.enter_context(Source(path)) for path in paths]
            return list(together(sources, Report(lambda one: codes.append(one.code)))), codes

    def test_lines_of_one_number_belong_together(self, tmp_path: Path) -> None:
        found, codes = self.pairs(tmp_path, "가\n나\n\n", "다\n\n\n", "라\n마\n\n")
        assert found == [(1, Pair("가", ("다", "라"))), (2, Pair("나", ("", "마")))]
        assert codes == ["W502"]

    def test_the_last_line_may_lack_its_end(self, tmp_path: Path) -> None:
        assert len(self.pairs(tmp_path, "가\n나", "다\n라\n")[0]) == 2

    @pytest.mark.parametrize(
        ("texts", "path", "line"),
        [
            (("가\n나\n", "다\n"), "0", 2),
            (("가\n", "다\n라\n마\n"), "1", 2),
            (("", "가\n"), "1", 1),
        ],
    )
    def test_the_first_line_without_a_counterpart(
        self, texts: tuple[str, str], path: str, line: int, tmp_path: Path
    ) -> None:
        with pytest.raises(FormatError, match="no counterpart") as caught:
            self.pairs(tmp_path, *texts)
        assert caught.value.path == str(tmp_path / path)
        assert (caught.value.line, caught.value.code) == (line, "E507")


class TestJson:
    def test_every_object_has_every_key(self) -> None:
        writer = GecJson()
        items: list[Corrections | Pair] = [
            Corrections(("나는", "갓다"), {0: (SPELL,), 1: ()}, "a", ("b",)),
            Corrections((), {0: ()}),
            Pair("나는  갓다", ("나는 갔다",)),
        ]
        for item in items:
            value = json.loads(writer.sentence(item))
            assert list(value) == KEYS
            for edit in value["edits"] or []:
                assert list(edit) == EDIT_KEYS

    def test_the_values(self) -> None:
        edits = (SPELL, Edit(2, 2, ".", "INSERTION"))
        value = json.loads(GecJson().sentence(Corrections(("나는", "갓다"), {0: edits, 2: ()})))
        assert value["source"] == "나는 갓다"
        assert value["targets"] == ["나는 갔다 .", "나는 갓다"]
        assert value["annotators"] == [0, 2]
        assert [edit["chars"] for edit in value["edits"]] == [[3, 5], [5, 5]]
        assert [(edit["c_start"], edit["c_end"]) for edit in value["edits"]] == [(1, 2), (2, 3)]

    def test_it_loads_as_one_table(self) -> None:
        json_of = pytest.importorskip("pyarrow.json")
        items: list[Corrections | Pair] = [
            Corrections(("가",), {0: ()}),
            Pair("가", ("나",)),
            Corrections(("나는", "갓다"), {0: (SPELL,), 1: (Edit(1, 2, "x"), Edit(1, 2, "y"))}),
        ]
        text = "".join(map(GecJson().sentence, items))
        table = json_of.read_json(io.BytesIO(text.encode()))
        assert table.column_names == KEYS
        assert table.num_rows == 3

    def test_overlapping_edits_have_no_target(self) -> None:
        item = Corrections(("가",), {0: (Edit(0, 1, "x"), Edit(0, 1, "y"))})
        value = json.loads(GecJson().sentence(item))
        assert value["targets"] == [None]
        assert value["edits"][0]["c_start"] is None

    def test_the_least_that_is_read(self, tmp_path: Path) -> None:
        text = '{"source": "갓다", "targets": ["갔다"]}\n\n{"tokens": ["가"], "edits": []}\n'
        found, _ = read(text, tmp_path, "gec-jsonl")
        assert found == [Pair("갓다", ("갔다",)), Corrections(("가",), {0: ()})]

    @pytest.mark.parametrize(
        "line",
        [
            "{", "[]", "1", '{"a": 1}', '{"source": 1, "targets": ["a"]}',
            '{"source": "a", "targets": []}', '{"source": "a", "targets": "b"}',
            '{"source": "a", "targets": [1]}', '{"source": "a", "targets": ["b"], "edits": 1}',
            '{"tokens": [1], "edits": []}', '{"tokens": ["a"], "edits": [1]}',
            '{"tokens": ["a"], "edits": [{"start": 0}]}',
            '{"tokens": ["a"], "edits": [{"start": 0, "end": 2}]}',
            '{"tokens": ["a"], "edits": [{"start": 1, "end": 0}]}',
            '{"tokens": ["a"], "edits": [{"start": true, "end": 1}]}',
            '{"tokens": ["a"], "edits": [{"start": 0, "end": 1, "correction": 1}]}',
            '{"tokens": ["a"], "edits": [{"start": 0, "end": 1, "annotator": -1}]}',
            '{"tokens": ["a"], "edits": [], "annotators": ["a"]}',
            '{"tokens": ["a"], "edits": [], "comments": [1]}',
            "[" * 5000, '{"source": "a", "targets": ' + "[" * 5000,
        ],
    )  # fmt: skip
    def test_a_fault_has_its_line(self, line: str, tmp_path: Path) -> None:
        with pytest.raises(FormatError) as caught:
            read(f"\n{line}\n", tmp_path, "gec-jsonl")
        assert caught.value.line == 2
        assert caught.value.code in ("E509", "E504")
        _, incidents = read(f"\n{line}\n", tmp_path, "gec-jsonl", on_error="skip")
        assert [one.line for one in incidents] == [2]

    def test_targets_that_the_edits_do_not_make(self, tmp_path: Path) -> None:
        text = '{"source": "a", "targets": ["b"], "edits": [], "tokens": ["a"]}\n'
        found, incidents = read(text, tmp_path, "gec-jsonl")
        assert found == [Corrections(("a",), {0: ()})]
        assert [one.code for one in incidents] == ["W504"]

    def test_a_source_that_is_not_its_tokens(self, tmp_path: Path) -> None:
        text = '{"source": "a b.", "tokens": ["a", "b", "."], "edits": []}\n'
        assert read(text, tmp_path, "gec-jsonl")[1] == []
        _, incidents = read(text.replace("a b", "a c"), tmp_path, "gec-jsonl")
        assert [(one.code, one.line) for one in incidents] == [("W504", 1)]

    def test_half_a_surrogate_pair_comes_back(self, tmp_path: Path) -> None:
        text = GecJson().sentence(Pair("\ud800", ("a",), "1"))
        assert read(text, tmp_path, "gec-jsonl")[0] == [Pair("\ud800", ("a",), "1")]

    def test_recognition(self) -> None:
        assert str(sniff(GecJson().sentence(Corrections(("가",))))) == "gec-jsonl"
        own = '{"sent_id": "1", "text": "가", "eojeols": [{"form": "가", "morphemes": []}]}\n'
        assert str(sniff(own)) == "jsonl"


WORD = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)


@given(
    st.lists(WORD, max_size=4),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), WORD, WORD, st.integers(0, 2))),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=3),
)
def test_any_corrections_come_back_from_json(
    tokens: list[str], values: list[tuple[int, int, str, str, int]], sent_id: str
) -> None:
    edits: dict[int, list[Edit]] = {0: []}
    for begin, end, correction, kind, annotator in sorted(values, key=lambda value: value[:2]):
        if begin <= end <= len(tokens):
            edit = Edit(begin, end, correction, kind, annotator)
            edits.setdefault(annotator, []).append(edit)
    item = Corrections(
        tuple(tokens), {by: tuple(own) for by, own in edits.items()}, sent_id, ("a",)
    )
    line = GecJson().sentence(item)
    [(_, found)] = GecJson().parse(
        Block(line, 1, 1), lambda error: pytest.fail(str(error)), Report()
    )
    assert isinstance(found, Corrections)
    bare = {
        by: tuple([e._replace(c_start=None, c_end=None) for e in own])
        for by, own in found.edits.items()
    }
    assert found._replace(edits=bare) == item
    # The annotators stay in the order of the file.
    assert list(found.edits) == list(edits)


@pytest.fixture(scope="module")
def sentence() -> Sentence:
    assembler = Assembler(load())
    rows = ("나는\t나/NP+는/JX", "학교에\t학교/NNG+에/JKB", "갓다.\t가/VV+었/EP+다/EF+./SF")
    return Sentence(tuple([assembler[row] for row in rows]), "a", number=1)


class TestConllu:
    @pytest.mark.parametrize(
        ("unit", "tokens"),
        [
            ("1", "나는 학교에 갓다."),
            ("2", "나는 학교에 갓다 ."),
            ("3", "나 는 학교 에 갓다 ."),
            ("5", "나 는 학교 에 가 았 다 ."),
            ("char", " ".join("나는▁학교에▁갓다.")),
        ],
    )
    def test_the_forms_of_a_level(self, sentence: Sentence, unit: str, tokens: str) -> None:
        if unit != "5":
            assert " ".join(forms_of(sentence, unit)) == tokens
        assert len(forms_of(sentence, unit)) == len(tokens.split())

    @pytest.mark.parametrize("unit", ["1", "2", "3", "4", "5", "char"])
    def test_edits_stay_with_the_sentence_at_every_level(
        self, unit: str, sentence: Sentence, tmp_path: Path, cli: Cli
    ) -> None:
        tokens = forms_of(sentence, unit)
        item = Corrections(
            tokens, {0: (Edit(1, 2, "가 나", "X"), Edit(len(tokens), len(tokens), "!")), 1: ()}
        )
        text = CutWriter(Recut(Granularity(load())), ConlluWriter()).sentence(
            with_edits(sentence, item, unit)
        )
        for level in ("1", "3", "5"):
            (tmp_path / "a.conllu").write_text(text, encoding="utf-8")
            done = cli("convert", "a.conllu", "--level", level, "-q")
            found, _ = read(done.stdout.decode(), tmp_path, "conllu")
            assert isinstance(found[0], Corrections)
            assert found[0][:3] == (tokens, item.edits, "a")

    def test_other_tokens_than_those_of_the_level(self, sentence: Sentence) -> None:
        with pytest.raises(FormatError, match="from token 1 on") as caught:
            with_edits(sentence, Corrections(("나는", "x")), "1")
        assert caught.value.code == "E510"

    @pytest.mark.parametrize(
        ("comment", "code"),
        [
            ("# m2 = A 0 9|||X|||a|||REQUIRED|||-NONE-|||0", "E504"),
            ("# m2 = A 0", "E503"),
            ("# m2_level = 7", "E510"),
        ],
    )
    def test_a_fault_has_its_line(self, comment: str, code: str, tmp_path: Path) -> None:
        text = f"# sent_id = 1\n{comment}\n1\t나\t나\tPRON\tNP\t_\t_\t_\t_\t_\n\n"
        with pytest.raises(FormatError) as caught:
            read(text, tmp_path, "conllu")
        assert (caught.value.code, caught.value.line) == (code, 2)

    def test_a_heading_opens_a_document(self, tmp_path: Path, cli: Cli) -> None:
        text = "S # 0123\nA -1 -1|||noop||||||REQUIRED|||-NONE-|||0\n\n"
        (tmp_path / "a.m2").write_text(text, encoding="utf-8")
        assert cli("gec", "convert", "a.m2", "a.conllu", "--to", "conllu").returncode == 0
        assert "# newdoc id = 0123\n" in (tmp_path / "a.conllu").read_text(encoding="utf-8")
        assert cli("gec", "convert", "a.conllu", "--to", "m2").text() == text

    @pytest.mark.parametrize("unit", ["eojeol", "word", "char"])
    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_empty_sources_and_any_form_of_unicode_come_back(
        self, form: Literal["NFC", "NFD"], unit: str, root: Path, tmp_path: Path, cli: Cli
    ) -> None:
        """To the byte from CoNLL-U at every level; every block of the file has a word."""
        texts = [
            (root / "samples" / f"learner.{side}.txt").read_text(encoding="utf-8")
            for side in ("source", "target")
        ]
        for name, text in zip(("s.txt", "t.txt"), texts, strict=True):
            empty = "\n" if name == "s.txt" else "새 문장이다.\n"
            (tmp_path / name).write_text(empty + text + empty, encoding="utf-8")
        done = cli("gec", "annotate", "--unit", unit, "s.txt", "t.txt", "--to", "jsonl")
        lines = normalize(form, done.stdout.decode())
        (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
        assert cli("gec", "convert", "a.jsonl", "a.m2", "--to", "m2").returncode == 0
        edits = (tmp_path / "a.m2").read_bytes()
        assert edits.startswith(b"S\nA 0 0|||INSERTION|||")
        assert cli("gec", "convert", "a.jsonl", "a.conllu", "--to", "conllu").returncode == 0
        assert cli("validate", "-q", "a.conllu").returncode == 0
        for level in ("1", "3", "5"):
            run = ("convert", "a.conllu", "b.conllu", "--level", level, "--force")
            assert cli(*run).returncode == 0
            assert cli("gec", "convert", "b.conllu", "--to", "m2").stdout == edits
            again = cli("gec", "convert", "b.conllu", "--to", "conllu", "-q")
            assert again.stdout == (tmp_path / "a.conllu").read_bytes()


@pytest.mark.parametrize("to", ["conllu", "conllu --deps dummy", "sejong", "jsonl"])
def test_a_pair_with_an_empty_source_has_a_word(to: str, tmp_path: Path, cli: Cli) -> None:
    """No format has a place for a sentence without words."""
    (tmp_path / "a.tsv").write_text("나는\t나는\n \t갔다\n너는\t너는\n", encoding="utf-8")
    assert cli("convert", "a.tsv", "b", "--from", "tsv", "--to", *to.split()).returncode == 0
    back = cli("convert", "-q", "b", "--to", "sejong").stdout.decode()
    assert back.split("\n\n")[1] == "# target = 갔다\n# m2_level = empty\n_\t_/NA"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("a.tsv", ("annotate",)),
        ("a.m2", ("annotate",)),
        ("a.tsv", ("filter", "lang8", "--without", "tokens")),
    ],
)
def test_texts_that_become_nfc_are_told(
    name: str, command: tuple[str, ...], tmp_path: Path, cli: Cli
) -> None:
    rest = "REQUIRED|||-NONE-|||0"
    texts = {
        "a.tsv": "나는 어제 학교에 빨리 갓다\t나는 어제 학교에 빨리 갔다\n",
        "a.m2": f"S 나는 학교에 갓다\nA 2 3|||SPELL|||갔다|||{rest}\n\n",
    }
    (tmp_path / name).write_text(texts[name], encoding="utf-8")
    composed = cli("gec", *command, name)
    assert b"W507" not in composed.stderr
    (tmp_path / name).write_text(normalize("NFD", texts[name]), encoding="utf-8")
    done = cli("gec", *command, name)
    assert f"{name}:1: W507 the text is not in Unicode's form NFC" in done.stderr.decode()
    assert done.stdout == composed.stdout != b""


def test_edits_of_nfd_that_are_kept(tmp_path: Path, cli: Cli) -> None:
    rest = "REQUIRED|||-NONE-|||0"
    text = normalize("NFD", f"S 나는 갓다\nA 1 2|||SPELL|||갔다|||{rest}\n\n")
    (tmp_path / "a.m2").write_text(text, encoding="utf-8")
    done = cli("gec", "annotate", "--keep-edits", "a.m2")
    assert (done.stdout.decode(), b"W507" in done.stderr) == (text, False)


@pytest.mark.parametrize("to", ["m2", "jsonl", "conllu", "conllu of convert"])
@pytest.mark.parametrize(
    ("encoding", "line_end"), [("utf-8-sig", "\r\n"), ("utf-16", "\n"), ("cp949", "\r\n")]
)
def test_m2_comes_back_with_its_layout(
    tmp_path: Path, cli: Cli, to: str, encoding: str, line_end: str
) -> None:
    lines = ("S 나는 학교에 갓다", "A 2 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0", "", "")
    source = tmp_path / "a.m2"
    source.write_bytes((line_end.join(lines) * 2).encode(encoding))
    middle = tmp_path / f"b.{to.split(' ', 1)[0]}"
    commands = ("convert",) if to.endswith("of convert") else ("gec", "convert")
    assert cli(*commands, source, "-o", middle).returncode == 0
    assert cli("gec", "convert", middle, "-o", tmp_path / "c.m2").returncode == 0
    assert (tmp_path / "c.m2").read_bytes() == source.read_bytes()
