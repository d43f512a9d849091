"""The command `sejongud ner`, as a process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Cli

DATA = Path(__file__).parent / "data" / "ner"


@pytest.mark.parametrize(
    ("forth", "back", "name"),
    [
        ("eoj2morph", "morph2eoj", "naver.txt"),
        ("eoj2morph", "morph2eoj", "hf.jsonl"),
        ("syl2morph", "morph2syl", "klue-ner.txt"),
        ("syl2morph", "morph2syl", "modu-ne.json"),
    ],
)
def test_there_and_back(cli: Cli, tmp_path: Path, forth: str, back: str, name: str) -> None:
    made = cli("ner", forth, DATA / name, "a.conllu", "--level", "3")
    assert made.returncode == 0
    assert b"read as" in made.stderr
    again = cli("ner", back, "a.conllu")
    assert (again.returncode, again.stdout) == (0, (DATA / name).read_bytes())


def test_given_morphemes_and_repair(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("한강의\t한강/NNP+의/JKG\n물\t물/NNG\n", encoding="utf-8")
    corpus = "1\t한강의\tLOC_I\n2\t물\t-\n\n".encode()
    made = cli("ner", "eoj2morph", "--morphemes", "m.txt", stdin=corpus)
    assert "1\t한강\t한강\tPROPN\tNNP\t_\t_\t_\t_\tNE=I-LOC\n" in made.stdout.decode()
    again = cli("ner", "morph2eoj", "--repair", "--format", "naver:B-PER", stdin=made.stdout)
    assert again.stdout.decode() == "1\t한강의\tB-LOC\n2\t물\tO\n\n"
    assert b"1 ill-formed labels were mended" in again.stderr


@pytest.mark.parametrize("on_error", ["skip", "keep"])
def test_the_format_outlives_the_first_sentence(cli: Cli, tmp_path: Path, on_error: str) -> None:
    corpus = "김철수 왔다\tPER-B O\n서울 왔다\tLOC-B O\n"
    others = "김영수\t김영수/NNP\n왔다\t오/VV+았/EP+다/EF\n\n"
    other = "서울\t서울/NNP\n왔다\t오/VV+았/EP+다/EF\n\n"
    (tmp_path / "m.txt").write_text(others + other, encoding="utf-8")
    options = ("--morphemes", "m.txt", "--on-error", on_error)
    made = cli("ner", "eoj2morph", *options, stdin=corpus.encode())
    again = cli("ner", "morph2eoj", stdin=made.stdout).stdout.decode()
    assert again == (corpus if on_error == "keep" else corpus.partition("\n")[2])


def test_the_format_outlives_the_first_sentence_on_the_way_back(cli: Cli) -> None:
    damaged = "# ner_format = naver lines PER-B\n1\t서울\t서울\tPROPN\tNNP\t_\t_\t_\tNE=B-LOC\n\n"
    written = damaged + "1\t부산\t부산\tPROPN\tNNP\t_\t_\t_\t_\tNE=B-LOC\n\n"
    again = cli("ner", "morph2eoj", "--on-error", "skip", stdin=written.encode())
    assert (again.returncode, again.stdout.decode()) == (1, "부산\tLOC-B\n")


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("syl2morph", DATA / "naver.txt"), 2, "use eoj2morph"),
        (("eoj2morph", DATA / "naver-no-tag.txt"), 1, 'naver-no-tag.txt", line 2'),
        (("eoj2morph", "--format", "naver:rows X", DATA / "naver.txt"), 2, "no spelling X"),
        (("eoj2morph", "--format", "nobody", DATA / "naver.txt"), 2, "no entity format nobody"),
        (("syl2morph", DATA / "konne-too-long.jsonl"), 1, "the text has 1 characters"),
    ],
)
def test_what_is_wrong_is_said(
    cli: Cli, args: tuple[str | Path, ...], status: int, message: str
) -> None:
    made = cli("ner", *args)
    assert made.returncode == status
    assert message in made.stderr.decode()
    assert made.stdout == b""
    assert b"Traceback" not in made.stderr


def test_an_empty_file(cli: Cli) -> None:
    made = cli("ner", "eoj2morph", stdin=b"\n")
    assert (made.returncode, made.stdout) == (1, b"")
    assert b"there is no sentence in the file" in made.stderr


def test_check(cli: Cli) -> None:
    made = cli("ner", "check", DATA / "klue-ner.txt")
    assert made.returncode == 0
    assert made.stdout.decode().splitlines()[-1].split("\t")[:2] == ["all", "6"]


def test_columns_for_a_crf_and_its_labels(cli: Cli, tmp_path: Path) -> None:
    cli("ner", "eoj2morph", DATA / "naver.txt", "a.conllu")
    columns = cli("ner", "crf", "a.conllu").stdout
    assert columns.decode().startswith("프랑스\tPROPN\tNNP\tB-LOC\n의\tADP\tJKG\tO\n")
    (tmp_path / "tagged.txt").write_bytes(columns.replace(b"B-LOC", b"O\tB-ORG"))
    tagged = cli("ner", "crf", "--labels", "tagged.txt", "a.conllu")
    again = cli("ner", "morph2eoj", stdin=tagged.stdout)
    assert again.stdout == (DATA / "naver.txt").read_bytes().replace(b"LOC_B", b"ORG_B")


@pytest.mark.parametrize(
    "corpus", ["1\t김\tPER_I\n2\t갔다.\t-\n\n\n", "7\t김\tPER_I\n2\t갔다.\t-\n\n"]
)
def test_repair_mends_what_is_kept_in_a_comment(cli: Cli, corpus: str) -> None:
    made = cli("ner", "eoj2morph", "--format", "naver:PER_B", stdin=corpus.encode())
    assert b"# ner_block" in made.stdout or b"# ner_lines" in made.stdout
    assert cli("ner", "morph2eoj", stdin=made.stdout).stdout.decode() == corpus
    again = cli("ner", "morph2eoj", "--repair", stdin=made.stdout)
    mended = corpus.replace("PER_I", "PER_B").replace("7", "1")
    assert again.stdout.decode() == mended
    assert b"1 ill-formed labels were mended" in again.stderr


@pytest.mark.parametrize(
    "comment", [f"ner_rows = {'9' * 5000}:O", "ner_head = x\n# ner_format = klue-ner marked"]
)
def test_comments_that_somebody_has_changed(cli: Cli, comment: str) -> None:
    rows = "프\tI-LC\n랑\tI-LC\n스\tI-LC\n의\tO\n\n"
    made = cli("ner", "syl2morph", "--format", "klue-ner:none", stdin=rows.encode()).stdout.decode()
    changed = made.replace("# ner_rows = 1:I-LC", f"# {comment}")
    again = cli("ner", "morph2syl", stdin=changed.encode())
    assert (again.returncode, b"Traceback" in again.stderr) == (0, False)
    assert "프\tB-LC\n" in again.stdout.decode()


def test_what_is_kept_of_one_format_is_not_written_in_another(cli: Cli) -> None:
    line = '{"text": " 옷  값","label":[[0,2,"X"]]}\n'
    made = cli("ner", "syl2morph", stdin=line.encode())
    assert b"# ner_block" in made.stdout or b"# ner_lines" in made.stdout
    assert cli("ner", "morph2syl", stdin=made.stdout).stdout.decode() == line
    other = cli("ner", "morph2syl", "--format", "modu-ne", stdin=made.stdout).stdout
    [sentence] = json.loads(other)["document"][0]["sentence"]
    assert (sentence["form"], sentence["NE"][0]["form"]) == (" 옷  값", " 옷")


def test_more_labels_than_sentences(cli: Cli, tmp_path: Path) -> None:
    made = cli("ner", "syl2morph", DATA / "klue-ner.txt", "a.conllu")
    columns = cli("ner", "crf", "a.conllu").stdout
    (tmp_path / "b.txt").write_bytes(columns + columns)
    again = cli("ner", "crf", "--labels", "b.txt", "a.conllu", "c.conllu")
    assert (made.returncode, again.returncode) == (0, 1)
    assert b'"b.txt", line ' in again.stderr
    assert not (tmp_path / "c.conllu").exists()
