"""Files in ranges: sentences have the lines, numbers and ids that the file as one gives them."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud.converters.jobs import Conversion
from sejongud.files import Source
from sejongud.spark.work import TREEBANK, FileRange, ReadOptions, plan, read, survey

if TYPE_CHECKING:
    from sejongud.formats.base import Block

LINES = {
    "sejong": ["나는\t나/NP+는/JX", "#\t#/SW", "간다.\t가/VV+ㄴ다/EF+./SF", "틀린 줄", "", "", " "],
    "sejong-line": ["나/NP+는/JX", "간/VV+ㄴ다/EF", "", "\u3000"],
    "text": ["나는 간다.", "간다", "", "  ", "\u3000", "Yes!"],
}


def planned(path: Path, size: int, name: str | None) -> tuple[ReadOptions, list[list[FileRange]]]:
    read_options = ReadOptions(name)
    return read_options, plan(
        read_options, [str(path)], size, lambda ranges: [survey(one) for one in ranges]
    )


def in_ranges(path: Path, size: int, name: str | None) -> list[Block]:
    read_options, groups = planned(path, size, name)
    return [block for group in groups for run in read(read_options, group) for block in run.blocks]


def as_one(path: Path, name: str) -> list[Block]:
    reader = Conversion(name).make_reader()
    with Source(path) as source:
        return list(reader.blocks_of(source))


@pytest.mark.parametrize("name", list(LINES))
@given(data=st.data())
def test_any_text_in_any_ranges(name: str, data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from(LINES[name]), max_size=60))
    end = data.draw(st.sampled_from(["", "\n"]))
    size = data.draw(st.integers(1, 200))
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_text("\n".join(lines) + end, encoding="utf-8", newline="")
        assert in_ranges(path, size, name) == as_one(path, name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sejong", "\n\n \n가\t가/NNG\n\n\n나\t나/NP\n \n\n다\t다/MAG\n#\t#/SW\n\n라\t라/NNG"),
        ("text", "\n \n가.\n\n나.\n \n\n다\n라.\n\n"),
        ("text", "\n가.\n\u3000\n나.\n\u3000.\n\n\n다."),
        ("sejong-line", "\n\n가/NNG\n\n나/NP\n다/MAG"),
    ],
)
def test_blank_lines_in_ranges_of_every_size(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    expected = as_one(path, name)
    for size in range(1, path.stat().st_size + 1):
        assert in_ranges(path, size, name) == expected, size


@pytest.mark.parametrize("name", list(LINES))
def test_a_plain_file_is_really_cut(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(("\n".join(LINES[name][:3]) + "\n\n") * 50, encoding="utf-8")
    _, groups = planned(path, 200, name)
    assert len(groups) > 5
    assert in_ranges(path, 200, name) == as_one(path, name)


SENTENCE = "나는\t나/NP+는/JX\n간다\t가/VV+ㄴ다/EF\n\n"


@pytest.mark.parametrize(
    ("what", "last"),
    [
        ("an id of the corpus", "BTXX0000-00000012\t나는\t나/NP+는/JX\n"),
        ("an id in a comment", "# sent_id = 3\n나는\t나/NP+는/JX\n"),
        ("a comment", "# 첫 문장\n\n나는\t나/NP+는/JX\n"),
        ("CRLF", "나는\t나/NP+는/JX\r\n"),
        ("a carriage return", "나는\t나/NP+는/JX\r간다\t가/VV+ㄴ다/EF\n"),
        ("a long sentence", "나는\t나/NP+는/JX\n" * 6000),
    ],
)
def test_what_is_not_plain_is_read_as_one(what: str, last: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(SENTENCE * 50 + last, encoding="utf-8", newline="")
    _, groups = planned(path, 300, "sejong")
    assert groups == [[FileRange(str(path), path.stat().st_size)]]
    assert in_ranges(path, 300, "sejong") == as_one(path, "sejong")


@pytest.mark.parametrize("encoding", ["cp949", "utf-16", "utf-16-le", "utf-8-sig"])
def test_other_encodings_are_read_as_one(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(SENTENCE * 50, encoding=encoding)
    _, groups = planned(path, 300, None)
    assert len(groups) == 1
    assert in_ranges(path, 300, None) == as_one(path, "sejong")


def test_another_encoding_far_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"ab\tab/SL\n\n" * 100 + SENTENCE.encode("cp949") * 3)
    _, groups = planned(path, 300, "sejong")
    assert len(groups) == 1
    assert in_ranges(path, 300, "sejong") == as_one(path, "sejong")


def test_compressed_files_are_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(SENTENCE.encode() * 5000, 0))
    _, groups = planned(path, 300, None)
    assert len(groups) == 1
    assert in_ranges(path, 300, None) == as_one(path, "sejong")


def test_small_files_share_a_task(tmp_path: Path) -> None:
    paths = []
    for name in "abcdef":
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(SENTENCE, encoding="utf-8")
    size = Path(paths[0]).stat().st_size
    groups = plan(ReadOptions(), paths, 2 * size, lambda ranges: [survey(one) for one in ranges])
    assert [[Path(split.path).name for split in group] for group in groups] == [
        ["a", "b"],
        ["c", "d"],
        ["e", "f"],
    ]


def test_an_error_of_the_file_comes_behind_its_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{SENTENCE}# 끝\n", encoding="utf-8")
    run, failed = read(ReadOptions("sejong"), [FileRange(str(path), 0)])
    assert ([block.number for block in run.blocks], run.error) == ([1], None)
    assert failed.error is not None
    assert (failed.blocks, failed.error.code, failed.number) == ([], "E106", 2)
    path.write_bytes(b"\xff" * 10)
    (run,) = read(ReadOptions(), [FileRange(str(path), 0)])
    assert (run.blocks, run.number) == ([], 1)
    assert run.error is not None and str(path) in str(run.error)


def test_treebanks(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("1\t간다\n\n\n1\t온다\n\n", encoding="utf-8")
    (run,) = read(ReadOptions(TREEBANK), [FileRange(str(path), 0)])
    assert [block[:3] for block in run.blocks] == [("1\t간다", 1, 1), ("1\t온다", 4, 2)]
    path.write_text("1\t간다\n", encoding="utf-8")
    (run,) = read(ReadOptions(TREEBANK), [FileRange(str(path), 0)])
    assert run.error is not None and run.error.code == "E208"
    (run,) = read(ReadOptions(TREEBANK, options={"whole": False}), [FileRange(str(path), 0)])
    assert run.error is None
    # A treebank has no ranges, however large it is.
    (whole,) = plan(
        ReadOptions(TREEBANK), [str(path)], 4, lambda ranges: [survey(one) for one in ranges]
    )
    assert len(whole) == 1
