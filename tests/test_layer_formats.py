"""Frames and constituents in JSON Lines, in the library, on Spark and in round trips."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from corpora import ASSEMBLER
from hypothesis import given
from hypothesis import strategies as st

import sejongud
from sejongud import model
from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Incident, Report
from sejongud.files import BLOCK
from sejongud.formats.json_layers import frame_values, read_constituents, read_frames
from sejongud.model import Constituent, FrameInstance, Target
from sejongud.spark.work import (
    FileRange,
    ReadOptions,
    _rows,
    blocks_to_rows,
    pickled,
    read,
    rows_to_blocks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Cli

    from sejongud.spark.work import Run

_FRAMES = ["frame", "eoj2morph", "--morphemes", "framenet.txt", "framenet.tsv"]
WAYS = {
    "frames": _FRAMES,
    "merged": [*_FRAMES, "--merge-instances"],
    "no symbols": [*_FRAMES, "--symbols", "out"],
    "level 2": [*_FRAMES, "--level", "2"],
    "treebank": ["convert", "treebank.txt"],
    "treebank 3": ["convert", "--level", "3", "treebank.txt"],
    "penn": ["convert", "penn-korean.fid"],
}
"""The samples in CoNLL-U Plus, and the commands that make them."""


@pytest.fixture
def make(root: Path, cli: Cli, tmp_path: Path) -> Callable[[str], Path]:
    """A function that makes a sample in CoNLL-U Plus."""

    def made(name: str) -> Path:
        path = tmp_path / f"{name.replace(' ', '-')}.conllu"
        samples = root / "samples"
        found = [samples / one if (samples / one).is_file() else one for one in WAYS[name]]
        cli(*found, path)
        return path

    return made


def level_of(name: str) -> str:
    return name[-1] if name[-1].isdigit() else "5"


# --- JSON Lines -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WAYS)
def test_json_lines_hold_both_layers(make: Callable[[str], Path], cli: Cli, name: str) -> None:
    path = make(name)
    assert "W301" not in cli("convert", "--to", "jsonl", path, "made.jsonl").told()
    assert cli("convert", "--level", level_of(name), "made.jsonl").stdout == path.read_bytes()


@pytest.mark.parametrize("piped", [False, True])
def test_layers_far_behind_the_beginning_of_json_lines(
    piped: bool, make: Callable[[str], Path], cli: Cli, root: Path, tmp_path: Path
) -> None:
    path = make("merged")
    cli("convert", "--to", "jsonl", path, "framed.jsonl")
    plain = cli("convert", "--to", "jsonl", root / "samples" / "sejong-senses.txt").stdout * 20
    text = plain + (tmp_path / "framed.jsonl").read_bytes()
    assert len(plain) > BLOCK
    (tmp_path / "late.jsonl").write_bytes(text)
    done = cli("convert", *([] if piped else ["late.jsonl"]), stdin=text if piped else b"")
    assert (done.returncode, b"W301" in done.stderr) == (0, False)
    first, _, rest = path.read_text("utf-8").partition("\n")
    assert done.stdout.decode().startswith(f"{first}\n")
    # The numbers that name the sentences of both parts make their ids unique.
    assert done.stdout.decode().endswith(rest.partition("# text = ")[2].split("# sent_id")[-1])
    assert done.stdout.count(b"FrameTarget") == path.read_bytes().count(b"FrameTarget")


EOJEOLS = (
    ASSEMBLER["나는\t나/NP+는/JX"],
    ASSEMBLER["…\t…/SE"],
    ASSEMBLER["갔다.\t가/VV+았/EP+다/EF+./SF"],
)
SIZES = [len(eojeol.morphemes) for eojeol in EOJEOLS]
NAME = st.sampled_from(["B-Goal", "I-Goal", "NP_SBJ", "가다.v", "*pro*", '"'])


@st.composite
def instances(draw: st.DrawFn) -> FrameInstance:
    targets = []
    for size in SIZES:
        at = draw(st.sets(st.integers(0, size - 1)).map(lambda some: tuple(sorted(some))))
        targets.append(draw(st.none() | st.builds(Target, NAME, NAME, st.just(at))))
    labels = [draw(st.just(()) | st.tuples(*[NAME] * size)) for size in SIZES]
    return FrameInstance(tuple(targets), tuple(labels), tuple(draw(st.lists(NAME, max_size=2))))


def constituents(draw: Any, start: int, end: int, depth: int) -> Iterator[Constituent]:
    """Constituents beside one another between two places, with those inside of them."""
    while depth < 4 and draw(st.booleans()):
        first = draw(st.integers(start, end))
        start = draw(st.integers(first, end))
        yield Constituent(draw(NAME), first, start, depth)
        yield from constituents(draw, first, start, depth + 1)


@given(st.lists(instances(), max_size=3), st.data())
def test_what_is_written_is_read(frames: list[FrameInstance], data: st.DataObject) -> None:
    layer = tuple(constituents(data.draw, 0, sum(SIZES), 0))
    nodes = [node._asdict() for node in layer]
    values = {"frames": frame_values(frames), "constituents": nodes}
    item = json.loads(json.dumps(values))
    assert read_frames(item, EOJEOLS) == tuple(frames)
    assert read_constituents(item, EOJEOLS) == layer


TARGET = {"unit": "가다.v", "frame": "Motion"}


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"frames": [{"targets": [None], "labels": [[], [], []]}]}, "1 targets for 3 eojeols"),
        ({"frames": [{"targets": [None] * 3}]}, "labels is missing"),
        ({"frames": [{"targets": [None] * 3, "labels": [["O"], [], []]}]}, "labels of a frame"),
        ({"frames": [{"targets": [None] * 3, "labels": [[], ["a\tb"], []]}]}, "is no label"),
        ({"frames": [{"targets": [None] * 3, "labels": [[], ["_"], []]}]}, "is no label"),
        (
            {"frames": [{"targets": [None] * 3, "labels": [[], ["B-FrameTarget"], []]}]},
            "is no label",
        ),
        ({"frames": [{"targets": [1, 1, 1], "labels": [[], [], []]}]}, "expected an object"),
        (
            {"frames": [{"targets": [{**TARGET, "at": [2]}] * 3, "labels": [[], [], []]}]},
            "expected some of 0 to 1, in order",
        ),
        (
            {"frames": [{"targets": [{**TARGET, "unit": ""}] * 3, "labels": [[], [], []]}]},
            "empty unit or frame",
        ),
        ({"constituents": [Constituent("S", 0, 9, 0)]}, "S from 0 to 9 at depth 0 is not inside"),
        ({"constituents": [Constituent("S", 0, 7, 1)]}, "is not inside"),
        ({"constituents": [Constituent("S", 2, 1, 0)]}, "is not inside"),
        (
            {"constituents": [Constituent("S", 0, 3, 0), Constituent("S", 2, 7, 0)]},
            "not behind the one before it",
        ),
        ({"constituents": [Constituent("N P", 0, 7, 0)]}, "is no label"),
        ({"constituents": [{"label": "S"}]}, "start is missing"),
    ],
)  # fmt: skip
def test_layers_that_do_not_fit_their_sentence(item: dict[str, Any], said: str) -> None:
    values = item.get("constituents", [])
    if values and isinstance(values[0], Constituent):
        item = {"constituents": [node._asdict() for node in values]}
    with pytest.raises(FormatError, match=said) as caught:
        read_frames(item, EOJEOLS)
        read_constituents(item, EOJEOLS)
    assert caught.value.code == "E331"


def test_a_layer_without_columns_is_told(make: Callable[[str], Path], tmp_path: Path) -> None:
    [first, *_] = sejongud.read(make("frames"))
    told: list[Incident] = []
    twice = first.but(frames=first.frames * 2)
    names = ("FRAME:TARGET", "FRAME:FRAME", "FRAME:ANNOTATION")
    for columns, sentence in (((), first), (names, twice), (names, first)):
        sejongud.write([sentence], tmp_path / "a", columns=columns, report=Report(told.append))
    lost = "the frame Speak_on_topic (강연하다.v) is not written: the file has no columns for it"
    assert [(one.code, one.message) for one in told] == [("W427", lost)] * 2


def test_constituents_are_left_out_if_that_is_wanted(make: Callable[[str], Path], cli: Cli) -> None:
    found = cli("convert", "--trees", "none", make("treebank"))
    assert b"TREE:" not in found.stdout
    assert b"W301" not in found.stderr


# --- the library ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WAYS)
def test_the_library_writes_both_layers(
    make: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    given, path = make(name), tmp_path / "again.conllu"
    for level in [int(level_of(name)), *([None] if level_of(name) == "5" else [])]:
        sejongud.write(sejongud.read(given, report=Report()), path, level=level)
        assert path.read_bytes() == given.read_bytes()


def test_what_the_library_cannot_write_is_told(make: Callable[[str], Path], tmp_path: Path) -> None:
    [first, *_] = sejongud.read(make("frames"))
    path = tmp_path / "out.conllu"
    plain = first.but(frames=())
    sentences: list[model.Sentence] = [*[plain] * 1_000, first]
    with pytest.raises(FormatError, match=r"sentence 1: the frame .* has no columns"):
        sejongud.write(sentences, path)
    assert not path.exists()
    told: list[Incident] = []
    assert sejongud.write(sentences, path, report=Report(told.append)) == 1_001
    lost = "the frame Speak_on_topic (강연하다.v) is not written: "
    assert [(one.code, one.message) for one in told] == [
        ("W427", f"{lost}the file has no columns for it")
    ]
    names = ("FRAME:TARGET", "FRAME:FRAME", "FRAME:ANNOTATION")
    sejongud.write(sentences, path, columns=names)
    assert "B-FrameTarget" in path.read_text(encoding="utf-8")
    sejongud.write([first], path, to="sejong", report=Report(told.append))
    assert told[-1].message == f"{lost}the format has no place for frames"


# --- Spark ----------------------------------------------------------------------------------------


def texts(runs: Iterator[Run], job: Conversion) -> str:
    packed = pickled(job)
    return "".join([row["text"] for run in runs for row in _rows(run, packed)])


@pytest.mark.parametrize("name", WAYS)
def test_spark_writes_both_layers(make: Callable[[str], Path], cli: Cli, name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = make(name)
    cli("convert", "--to", "jsonl", path, path.with_suffix(".jsonl"))
    job = Conversion("", "conllu", level=int(level_of(name)))
    for source in (path, path.with_suffix(".jsonl")):
        splits = [FileRange(str(source), source.stat().st_size)]
        assert texts(read(ReadOptions(), splits), job) == path.read_text(encoding="utf-8")
        # Sentences may be kept as a table in between.
        tables = [
            pyarrow.RecordBatch.from_pylist(blocks_to_rows(run))
            for run in read(ReadOptions(), splits)
        ]
        assert texts(rows_to_blocks(tables), job) == path.read_text(encoding="utf-8")


# --- round trips ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["no symbols", "treebank 3", "penn"])
def test_files_with_layers_make_round_trips(
    make: Callable[[str], Path], cli: Cli, name: str
) -> None:
    path = make(name)
    cli("convert", "--to", "jsonl", path, path.with_suffix(".jsonl"))
    for form in ("conllu", "jsonl"):
        path = path.with_suffix(f".{form}")
        found = cli("validate", "--roundtrip", path)
        assert found.returncode == 0, found.stdout.decode()
        # A predicate of the Penn Korean Treebank ends before its full stop.
        assert (b"conllu level " if form == "conllu" else b"jsonl file") in found.stdout
        assert (b"conllu level 1" in found.stdout) == (form == "conllu" and name != "penn")
        assert b"0 differ" in found.stderr
