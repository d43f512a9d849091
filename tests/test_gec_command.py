"""The sub-commands of `gec` that make and move edits: annotate, convert, apply, stats."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from sejongud.arguments import commands
from sejongud.gec import alignment

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SOURCES = """\
저는 어제 친구 를 만나요.
우리는 공원에서 놀았습니다.
나는 학교에 갓다.
주말에 공원을 갔어요
"""
TARGETS = """\
저는 어제 친구를 만났어요.
우리는 공원에서 놀았습니다.
나는 학교에 갔다.

"""
M2 = """\
S 나는 학교에 갓다 .
A 2 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0
A -1 -1|||noop||||||REQUIRED|||-NONE-|||1

"""
OVERLAPPING = """\
S 나는 갓다
A 0 2|||X|||나도 갔다|||REQUIRED|||-NONE-|||0
A 1 2|||SPELL|||갔다|||REQUIRED|||-NONE-|||0

"""


LAYERS = {
    "entities": ("ner syl2morph", "klue-ner.tsv", "W441"),
    "frames": ("frame eoj2morph", "framenet.tsv", "W427"),
    "constituents": ("convert", "treebank.txt", "W301"),
    "dependencies": ("convert", "ud.conllu", "W301"),
}
"""Layer → the command that makes CoNLL-U with it, of a sample, and the code of its loss."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = [("s", SOURCES), ("t", TARGETS), ("a.m2", M2), ("over.m2", OVERLAPPING)]
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


class TestAnnotate:
    def test_parallel_text_becomes_m2(self, folder: Path, cli: Cli) -> None:
        found = cli("gec", "annotate", "s", "t", "-q").text()
        assert found == (
            "S 저는 어제 친구 를 만나요 .\n"
            "A 2 4|||WS|||친구를|||REQUIRED|||-NONE-|||0\n"
            "A 4 5|||ENDING|||만났어요|||REQUIRED|||-NONE-|||0\n\n"
            "S 우리는 공원에서 놀았습니다 .\n"
            "A -1 -1|||noop||||||REQUIRED|||-NONE-|||0\n\n"
            "S 나는 학교에 갓다 .\n"
            "A 2 3|||SPELL|||갔다|||REQUIRED|||-NONE-|||0\n\n"
            "S 주말에 공원을 갔어요\n"
            "A 0 1|||DELETION||||||REQUIRED|||-NONE-|||0\n"
            "A 1 2|||DELETION||||||REQUIRED|||-NONE-|||0\n"
            "A 2 3|||DELETION||||||REQUIRED|||-NONE-|||0\n\n"
        )

    def test_a_second_target_is_annotator_1(self, folder: Path, cli: Cli) -> None:
        found = cli("gec", "annotate", "s", "s", "t", "-q").text()
        assert found.startswith(
            "S 저는 어제 친구 를 만나요 .\n"
            "A -1 -1|||noop||||||REQUIRED|||-NONE-|||0\n"
            "A 2 4|||WS|||친구를|||REQUIRED|||-NONE-|||1\n"
        )

    @pytest.mark.parametrize("unit", ["eojeol", "word", "char"])
    @pytest.mark.parametrize("scheme", ["kagas", "errant"])
    @pytest.mark.parametrize("to", ["m2", "jsonl"])
    def test_the_edits_applied_give_the_target(
        self, unit: str, scheme: str, to: str, folder: Path, cli: Cli
    ) -> None:
        options = ("--unit", unit, "--level", "3", "--scheme", scheme, "--to", to)
        assert cli("gec", "annotate", "s", "t", "-o", "out", *options).returncode == 0
        given = cli("gec", "apply", "out", "-q").text().replace(" ", "").replace("▁", "")
        assert given == TARGETS.replace(" ", "")

    def test_every_format_says_the_same(self, folder: Path, cli: Cli) -> None:
        usual = cli("gec", "annotate", "s", "t", "-q").text()
        for to in ("jsonl", "conllu"):
            assert cli("gec", "annotate", "s", "t", "-o", "out", "--to", to).returncode == 0
            assert cli("gec", "convert", "out", "--to", "m2", "-q").text() == usual
            (folder / "out").unlink()
        cli("gec", "annotate", "s", "t", "-o", "out", "--to", "tsv")
        assert cli("gec", "annotate", "--from", "tsv", "out", "-q").text() == usual

    def test_several_processes_write_the_same(self, folder: Path, process: Cli) -> None:
        for name, text in (("s", SOURCES), ("t", TARGETS)):
            (folder / name).write_text(text * 150, encoding="utf-8")
        options = ("gec", "annotate", "s", "t", "--to", "jsonl", "--unit", "char")
        alone = process(*options, "--speller", "none")
        several = process(*options, "--speller", "none", "--jobs", "2")
        assert alone.stdout.count(b"\n") == 600
        assert several.stdout == alone.stdout
        assert several.stderr == alone.stderr

    def test_incidents_of_sentences_with_one_id_have_their_lines(
        self, folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(alignment, "CELLS", 5)
        rows = [
            {"id": "a", "source": text, "targets": ["나"]} for text in ("가 나 다 라 마 바", "가")
        ]
        (folder / "in.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        done = cli("gec", "annotate", "in.jsonl", "--to", "jsonl")
        assert "in.jsonl:1: W505 a source of 6 tokens" in done.stderr.decode()
        assert [json.loads(line)["id"] for line in done.text().splitlines()] == ["a", "a"]

    def test_the_signature_names_all_settings(self, folder: Path, cli: Cli) -> None:
        done = cli("gec", "annotate", "s", "t", "--unit", "word", "--speller", "none")
        last = done.stderr.decode().splitlines()[-1]
        assert last.startswith("annotate|scheme:kagas|unit:word|merge:spaces|level:5|speller:none|")
        assert "|kiwipiepy:" in last

    def test_marks_are_split_off_once(self, folder: Path, cli: Cli) -> None:
        once = cli("gec", "annotate", "s", "t", "-o", "a", "-q").text()
        assert once == ""
        found = cli("gec", "annotate", "--from", "m2", "a", "-q").text()
        assert found == (folder / "a").read_text(encoding="utf-8")
        whole = cli("gec", "annotate", "--no-split-punctuation", "s", "t", "-q").text()
        assert "S 나는 학교에 갓다.\n" in whole
        (folder / "s").write_text("“가”·나.\n", encoding="utf-8")
        (folder / "t").write_text("가\n", encoding="utf-8")
        for option, line in (("", "S “가”·나 .\n"), ("all", "S “ 가 ” · 나 .\n")):
            words = ["--split-punctuation", *option.split(), "s", "t", "-q"]
            assert cli("gec", "annotate", *words).text().startswith(line)

    def test_types_anew_for_given_edits(self, folder: Path, cli: Cli) -> None:
        given = M2.replace("SPELL", "X").replace("2 3", "1 3").replace("갔다", "학교에 갔다")
        (folder / "a.m2").write_text(given, encoding="utf-8")
        options = ("--scheme", "errant", "--from", "m2", "a.m2", "-q")
        kept = cli("gec", "annotate", "--keep-edits", *options).text()
        assert kept == given.replace("|||X|||", "|||R:NOUN VERB|||")
        anew = cli("gec", "annotate", *options).text()
        assert "A 2 3|||R:VERB|||갔다|||" in anew

    def test_given_analyses(self, folder: Path, cli: Cli) -> None:
        rows = "1\t{0}\t{1}\tPRON\t_\t_\t_\t_\t_\t_\n2\t{2}\tbe\tAUX\t_\t_\t_\t_\t_\t_\n\n"
        (folder / "s.conllu").write_text(rows.format("He", "he", "am"), encoding="utf-8")
        (folder / "t.conllu").write_text(rows.format("I", "I", "am"), encoding="utf-8")
        analyses = ("--analysis", "s.conllu", "t.conllu", "-q", "--scheme", "errant")
        line = "A 0 1|||R:PRON|||I|||REQUIRED|||-NONE-|||0\n"
        assert cli("gec", "annotate", *analyses).text() == f"S He am\n{line}\n"
        found = cli("gec", "annotate", *analyses, "--to", "conllu", "--level", "1").text()
        assert f"# m2 = {line}# m2_level = token\n" in found
        (folder / "long").write_text("He am\nHe am\n", encoding="utf-8")
        done = cli("gec", "annotate", "long", "long", "--analysis", "s.conllu", "s.conllu")
        assert done.returncode == 1
        assert b"sentence 2 has no counterpart: s.conllu" in done.stderr

    def test_analyses_that_were_cut_in_other_places(self, folder: Path, cli: Cli) -> None:
        def conllu(name: str, *sentences: str) -> str:
            text = ""
            for sentence in sentences:
                for at, form in enumerate(sentence.split(), 1):
                    text += f"{at}\t{form}\t{form}\tX\t_\t_\t{at - 1}\tdep\t_\t_\n"
                text += "\n"
            (folder / name).write_text(text, encoding="utf-8")
            return name

        source = conllu("s.conllu", "We seed it .", "I knows you , he says .", "It rains .")
        first = conllu("1.conllu", "We seed it .", "I know you", ", he says .", "It rains .")
        second = conllu("2.conllu", "We seed it . I knows you , he said .", "It rains a lot .")
        options = ("-q", "--scheme", "errant", "--merge", "all-split")
        found = cli("gec", "annotate", "--analysis", source, first, *options).text()
        assert [line for line in found.split("\n") if line[:2] != "A " and line] == [
            "S We seed it .", "S I knows you , he says .", "S It rains .",
        ]  # fmt: skip
        assert "A 1 2|||R:X|||know|||" in found
        both = cli("gec", "annotate", "--analysis", source, first, second, *options[1:])
        found = both.text()
        assert b"W506" in both.stderr
        assert (
            b"the files have 3 and 4 and 2 sentences: they are aligned in 2 groups" in both.stderr
        )
        assert found.startswith("S We seed it . I knows you , he says .\n")
        (folder / "out.m2").write_text(found, encoding="utf-8")
        for annotator, name in enumerate(("1.conllu", "2.conllu")):
            applied = cli("gec", "apply", "--annotator", str(annotator), "out.m2", "-q").text()
            rows = (folder / name).read_text(encoding="utf-8").splitlines()
            assert applied.split() == [row.split("\t")[1] for row in rows if row]

    @pytest.mark.parametrize("layer", LAYERS)
    @pytest.mark.parametrize("analysis", [False, True])
    def test_the_layers_of_conllu_stay_or_are_told(
        self, layer: str, analysis: bool, root: Path, tmp_path: Path, cli: Cli
    ) -> None:
        command, sample, code = LAYERS[layer]
        assert not cli(*command.split(), root / "samples" / sample, "in.conllu").stdout
        text = (tmp_path / "in.conllu").read_text(encoding="utf-8")
        files = ("--analysis", "in.conllu", "in.conllu") if analysis else ("in.conllu",)
        lines = cli("gec", "annotate", *files, "--to", "conllu", "-q").text().splitlines()
        assert [line for line in lines if not line.startswith("# m2")] == text.splitlines()
        for to in ("m2", "jsonl", "html"):
            done = cli("gec", "annotate", *files, "--to", to, "--log", "log", "--force")
            assert done.returncode == 0
            log = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
            lost = [json.loads(line) for line in log]
            assert [one for one in lost if one["code"] == code and one["line"]]

    def test_the_layers_of_joined_sentences_are_told(
        self, root: Path, tmp_path: Path, cli: Cli
    ) -> None:
        source = (root / "samples" / "ud.conllu").read_text(encoding="utf-8")
        (tmp_path / "s.conllu").write_text(source, encoding="utf-8")
        words = [row for row in source.splitlines() if row[:1].isdigit()]
        rows = [f"{n}\t" + row.partition("\t")[2] for n, row in enumerate(words, 1)]
        bare = ["\t".join([*row.split("\t")[:6], "_", "_", "_", "_"]) for row in rows]
        (tmp_path / "t.conllu").write_text("\n".join(bare) + "\n\n", encoding="utf-8")
        done = cli("gec", "annotate", "--analysis", "s.conllu", "t.conllu", "--to", "conllu")
        assert "s.conllu:1: W301 not written: dependencies" in done.stderr.decode()

    @pytest.mark.parametrize("out", [[], ["-o", "out"]])
    def test_files_of_different_length_write_nothing(
        self, out: list[str], folder: Path, cli: Cli
    ) -> None:
        (folder / "s").write_text(SOURCES * 200, encoding="utf-8")
        (folder / "t").write_text(TARGETS * 200 + "가\n", encoding="utf-8")
        message = cli("gec", "annotate", "s", "t", "--unit", "char", *out).told_only(1)
        assert 'File "t", line 801' in message
        assert not (folder / "out").exists()

    def test_tables_of_the_users_own(self, folder: Path, cli: Cli) -> None:
        (folder / "rules").mkdir()
        row = "char\tname\n교\tno mark at all\n"
        (folder / "rules" / "gec-punctuation.tsv").write_text(row, encoding="utf-8")
        own = ("-q", "--rules", "rules")
        found = cli("gec", "annotate", "s", "t", *own).text()
        assert "S 나는 학 교 에 갓다 .\n" in found
        (folder / "out.m2").write_text(found, encoding="utf-8")
        scored = cli("gec", "score", "t", "out.m2", "--source", "s", *own, "--speller", "none")
        assert " 100.00 " in scored.text()
        for action in (("convert", "--to", "conllu"), ("apply",), ("stats",)):
            cli("gec", *action, "out.m2", *own).text()

    def test_a_text_that_cannot_be_m2_has_its_line(self, folder: Path, cli: Cli) -> None:
        (folder / "s").write_text("가 나\n가|||나\n", encoding="utf-8")
        (folder / "t").write_text("가 다\n가나\n", encoding="utf-8")
        options = ("--no-split-punctuation", "s", "t", "--unit", "eojeol")
        assert 'File "s", line 2' in cli("gec", "annotate", *options).told(1)
        text = cli("gec", "annotate", *options, "--on-error", "skip", "--log", "r").text(1)
        assert text.startswith("S 가 나\n")
        incident = json.loads((folder / "r").read_text(encoding="utf-8"))
        assert (incident["code"], incident["line"], incident["path"]) == ("E506", 2, "s")
        assert cli("gec", "annotate", *options, "--to", "jsonl").returncode == 0

    def test_decomposed_hangul_is_no_edit(self, folder: Path, cli: Cli) -> None:
        (folder / "s").write_text("\u1102\u1161\u1102\u1173\u11ab 간다\n", encoding="utf-8")
        (folder / "t").write_text("나는\u00a0\t간다\n", encoding="utf-8")
        assert "noop" in cli("gec", "annotate", "s", "t", "-q").text()

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ("s t --merge no", "invalid choice: 'no'"),
            ("s t --unit token", "the unit is token"),
            ("s t --scheme errant --compat kagas", "compat"),
            ("s", "looks like no file of corrections"),
            ("s t --from m2", "is one file, not several"),
            ("s --from parallel", "two files at least"),
            ("a.m2 t", "a.m2 looks like m2, whose lines are no sentences"),
            ("s c", "c looks like conllu, whose lines are no sentences"),
            ("s t --keep-edits", "--keep-edits"),
            ("s t --to m2 -o a -o b", "one file"),
            ("--analysis s", "--analysis must name"),
            ("s t -o s", "only with --force"),
        ],
    )
    def test_wrong_usage(self, words: str, said: str, folder: Path, cli: Cli) -> None:
        (folder / "c").write_text("1\t가\t가\tVERB\tVV" + 5 * "\t_" + "\n\n", "utf-8")
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert said in cli("gec", "annotate", *words.split()).told(2)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "name", ["samples/sejong.txt", "samples/naver-ner.tsv", "tests/data/ner/brat.ann"]
)
def test_rows_of_a_corpus_are_no_pairs(name: str, root: Path, cli: Cli) -> None:
    message = cli("gec", "apply", root / name).told_only()
    assert f"{name} looks like no file of corrections: name its format" in message
    assert cli("gec", "score", root / name, root / name).text(2) == ""


@pytest.mark.parametrize("command", ["stats", "convert --to m2"])
def test_pairs_without_edits_are_told_of_annotate(cli: Cli, root: Path, command: str) -> None:
    message = cli("gec", *command.split(), root / "tests" / "data" / "gec" / "nikl.json").told(2)
    said = "the input holds texts and no edits: `sejongud gec annotate` finds them"
    assert f"sejongud: {said}" in message


def test_an_empty_target_is_told_of_its_lines(folder: Path, cli: Cli) -> None:
    (folder / "empty").write_text("", encoding="utf-8")
    assert 'File "s", line 1' in cli("gec", "annotate", "s", "empty").told(1)


def test_pairs_that_look_like_sejong_text_are_told_of_their_format(cli: Cli) -> None:
    message = cli("convert", stdin="나는 갓다.\t나는 갔다.\n".encode()).told(1)
    assert "and a tag (a source and its target: --from tsv)" in message


class TestConvert:
    def test_parallel_files(self, folder: Path, cli: Cli) -> None:
        names = ("-o", "x", "-o", "y", "-o", "z")
        assert cli("gec", "convert", "a.m2", "--to", "parallel", *names).returncode == 0
        found = [(folder / name).read_text(encoding="utf-8") for name in "xyz"]
        assert found == ["나는 학교에 갓다 .\n", "나는 학교에 갔다 .\n", "나는 학교에 갓다 .\n"]
        done = cli("gec", "convert", "x", "y", "z", "--from", "parallel", "--to", "tsv", "-q")
        assert done.text() == "\t".join([text[:-1] for text in found]) + "\n"

    def test_parallel_pipes_are_read_once(self, cli: Cli) -> None:
        names = []
        for text in (SOURCES, TARGETS):
            end, begin = os.pipe()
            os.write(begin, text.encode())
            os.close(begin)
            names.append(f"/dev/fd/{end}")
        done = cli("gec", "convert", *names, "--from", "parallel", "--to", "tsv", "-q")
        sources = [line.partition("\t")[0] for line in done.text().splitlines()]
        assert sources == SOURCES.splitlines()

    def test_another_number_of_files_than_texts(self, folder: Path, cli: Cli) -> None:
        message = cli("gec", "convert", "a.m2", "--to", "parallel", "-o", "x", "-o", "y").told(2)
        assert "sentences with 3 texts" in message
        assert not (folder / "x").exists()

    def test_the_edits_that_a_corpus_states_are_written_to_every_format(
        self, root: Path, tmp_path: Path, cli: Cli
    ) -> None:
        corpus = str(root / "samples" / "learner.xml")
        m2 = cli("gec", "convert", corpus, "--to", "m2", "-q").text()
        lines = cli("gec", "convert", corpus, "--to", "jsonl", "-q").text().splitlines()
        (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert "REP:VV" in m2
        assert cli("gec", "convert", "in.jsonl", "--to", "m2", "-q").text() == m2

    def test_an_input_and_a_corpus_are_guarded(self, folder: Path, cli: Cli) -> None:
        (folder / "b.m2").write_text(M2, encoding="utf-8")
        for out in ("a.m2", "b.m2"):
            message = cli("gec", "convert", "a.m2", out, "--to", "jsonl").told(2)
            assert "only with --force" in message
            assert (folder / out).read_text(encoding="utf-8") == M2
        assert cli("gec", "convert", "a.m2", "b.m2", "--to", "tsv", "--force").returncode == 0


@pytest.mark.parametrize(
    "command", ["convert --to m2 IN", "apply IN", "stats IN", "score IN IN", "score IN learner.m2"]
)
def test_sentences_in_json_lines_keep_their_corrections(
    command: str, root: Path, tmp_path: Path, cli: Cli
) -> None:
    shutil.copy(root / "samples" / "learner.m2", tmp_path)
    assert cli("convert", "-q", "--to", "jsonl", "learner.m2", "in.jsonl").returncode == 0
    of_sentences, of_m2 = (
        cli("gec", *command.replace("IN", name).split()) for name in ("in.jsonl", "learner.m2")
    )
    assert of_sentences.stdout == of_m2.stdout != b""
    assert of_sentences.returncode == 0


class TestApply:
    def test_annotators(self, folder: Path, cli: Cli) -> None:
        assert cli("gec", "apply", "a.m2", "-q").text() == "나는 학교에 갔다 .\n"
        for options in (["--annotator", "1"], ["--annotator", "7"], ["--uncorrected"]):
            assert cli("gec", "apply", "a.m2", *options, "-q").text() == "나는 학교에 갓다 .\n"

    def test_overlapping_edits(self, folder: Path, cli: Cli) -> None:
        assert "overlap: only one of them can be applied" in cli("gec", "apply", "over.m2").told(1)
        done = cli("gec", "apply", "over.m2", "--on-error", "keep")
        assert done.text(1) == "나는 갓다\n"

    def test_nothing_for_a_deletion(self, folder: Path, cli: Cli) -> None:
        (folder / "a.m2").write_text(M2.replace("갔다", "-NONE-"), encoding="utf-8")
        assert cli("gec", "apply", "a.m2").text() == "나는 학교에 .\n"
        found = cli("gec", "convert", "a.m2", "--to", "tsv").text()
        assert found.split("\t")[1] == "나는 학교에 ."
        found = cli("gec", "convert", "a.m2", "--to", "jsonl").text()
        assert json.loads(found)["targets"][0] == "나는 학교에 ."
        assert "operations.count,deletion,1" in cli("gec", "stats", "a.m2", "--csv").text()
        assert "-NONE-</ins>" not in cli("gec", "convert", "a.m2", "--to", "html").text()

    def test_texts_have_their_targets(self, folder: Path, cli: Cli) -> None:
        done = cli("gec", "apply", "--from", "tsv", stdin="갓다\t갔다\n".encode())
        assert done.text() == "갔다\n"


@pytest.mark.parametrize(
    "action", ["filter native", "convert --to tsv", "annotate", "annotate --keep-edits"]
)
def test_edits_that_overlap_make_no_target(action: str, folder: Path, cli: Cli) -> None:
    text = OVERLAPPING + M2.replace("갓다 .", "갓다")
    (folder / "both.m2").write_text(text, encoding="utf-8")
    message = cli("gec", *action.split(), "both.m2").told_only(1)
    assert 'File "both.m2", line 1\nthe edits 0 2 and 1 2 overlap' in message
    done = cli("gec", *action.split(), "both.m2", "--on-error", "skip")
    assert "나는 학교에 갓다" in done.text(1)
    assert "both.m2:1: E505 the edits 0 2 and 1 2 overlap" in done.stderr.decode()


class TestStats:
    def test_counts(self, folder: Path, cli: Cli) -> None:
        found = json.loads(cli("gec", "stats", "a.m2", "--json", "-q").text())
        assert (found["sentences"], found["pairs"], found["edits"]) == (1, 2, 1)
        assert found["tokens_inside"] == 1 / 8
        assert found["types"] == {"SPELL": {"count": 1, "share": 1, "mean_length": 1}}
        assert found["operations"]["replacement"] == {"count": 1, "share": 1}
        assert (found["coverage"], found["agreement"]["f1"]) == (1, 0)

    def test_tables_and_csv(self, folder: Path, cli: Cli) -> None:
        assert "SPELL" in cli("gec", "stats", "a.m2", "over.m2").text()
        lines = cli("gec", "stats", "a.m2", "--csv").text().splitlines()
        assert lines[0] == "table,key,value"
        assert "types.count,SPELL,1" in lines

    def test_nothing_to_count(self, folder: Path, cli: Cli) -> None:
        done = cli("gec", "stats", "--from", "m2", "--json")
        assert json.loads(done.text())["coverage"] is None


def test_every_command_of_the_tutorial_runs(root: Path, tmp_path: Path, cli: Cli) -> None:
    for path in (root / "samples").glob("learner.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    text = (root / "docs" / "corrections.md").read_text(encoding="utf-8")
    lines = [
        line.split()
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
    ]
    assert {words[2] for words in lines if words[1] == "gec"} == {
        name.split()[1] for name in commands() if name.startswith("gec ")
    } - {
        "filter",
        *("clean", "parallel", "m2", "compare"),  # docs/tutorial-corrections.md has these
    }
    for name, *words in lines:
        assert name == "sejongud"
        done = cli(*words)
        assert done.returncode == 0, (words, done.stderr.decode())
    m2 = (tmp_path / "edits.m2").read_text(encoding="utf-8")
    for block in re.findall(r"```\n(S .*?)```", text, re.DOTALL):
        assert block in m2
    assert done.stdout.decode() == m2
