from __future__ import annotations

import pytest

from sejongud.evaluation.inputs import Treebank
from sejongud.formats.conllu.rows import FORM


def read(lines: list[str], path: str = "-") -> Treebank:
    return Treebank.read([f"{line}\n" for line in lines], path)


def row(word_id: str, form: str) -> str:
    return "\t".join([word_id, form, *"_" * 8])


GOOD = [row("1", "집"), row("2", "앞"), ""]


def test_tokens_words_and_borders() -> None:
    lines = [
        "# text = 집에 갔다",
        row("1-2", "집에"),
        row("1", "집"),
        row("2", "에"),
        row("2.1", "x"),
    ]
    bank = read([*lines, row("3", "갔다"), "", " ", "", *GOOD])
    assert bank.tokens == ["집에", "갔다", "집", "앞"]
    assert bank.columns[FORM] == ["집", "에", "갔다", "집", "앞"]
    assert bank.token_of == [0, 0, 1, 2, 3]
    assert bank.in_range == [True, True, False, False, False]
    assert bank.word_sentences == [["집", "에", "갔다"], ["집", "앞"]]
    assert bank.token_sentences == [["집에", "갔다"], ["집", "앞"]]
    assert bank.lines == [1, 10]
    assert not bank.incidents


def test_a_last_sentence_without_a_blank_line() -> None:
    assert read(GOOD[:2]).lines == [1]


@pytest.mark.parametrize(
    ("lines", "at", "code"),
    [
        (["# c", row("1", "집"), "2\t앞"], 3, "E201"),
        (["1 집 집"], 1, "E201"),
        ([row("1", "")], 1, "E202"),
        ([row("1", "집"), row("3", "앞")], 2, "E203"),
        ([row("x", "집")], 1, "E203"),
        (["# c", row("1-2", "집"), row("1", "집")], 3, "E203"),
        ([row("1-1", "집"), row("1", "집")], 1, "E203"),
        ([row("2-1", "집"), row("1", "집")], 1, "E203"),
        ([row("1-x", "집"), row("1", "집")], 1, "E203"),
        ([row("1-3", "집"), row("1", "집"), row("2-3", "앞"), row("2", "앞")], 3, "E203"),
        ([row("0.1", "집")], 1, "E203"),
    ],
)
def test_a_bad_sentence_is_left_out_with_its_line(lines: list[str], at: int, code: str) -> None:
    bank = read([*GOOD, *lines, "", *GOOD], "file")
    assert bank.tokens == ["집", "앞"] * 2
    [incident] = bank.incidents
    assert incident.message.endswith("; the sentence is left out")
    assert (incident.path, incident.line, incident.code) == ("file", len(GOOD) + at, code)


def test_a_comment_of_a_spreadsheet_is_told() -> None:
    incident, _ = read(['"# text = ""집"""' + 9 * "\t", row("1", "집")]).incidents
    assert (incident.code, incident.line) == ("E202", 1) and "spreadsheet" in incident.message


def test_a_byte_order_mark_between_files_is_told() -> None:
    [incident] = read([*GOOD, "\ufeff# text = 집", row("1", "집"), "", *GOOD]).incidents
    assert (incident.code, incident.line) == ("E201", len(GOOD) + 1)
    assert "byte order mark" in incident.message


def test_a_file_without_sentences() -> None:
    comment, nothing = read(["# only a comment"]).incidents
    assert comment.code == "E106"
    assert nothing.message == "there is no sentence in this file"
