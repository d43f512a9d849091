"""Round trips: what a file can make, that it comes back, and that it is seen when it does not."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any, TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sejongud import api
from sejongud.__main__ import main
from sejongud.converters.jobs import Conversion
from sejongud.errors import EncodingError, Incident, OnError, Report, UsageError
from sejongud.files import Source
from sejongud.files.texts import Scratch, put_by
from sejongud.formats import recognise
from sejongud.formats.base import Block
from sejongud.formats.conllu.layers import TREE_COLUMNS
from sejongud.formats.conllu.rows import COLUMNS
from sejongud.formats.finding import find_files
from sejongud.formats.labelled import exact_blocks
from sejongud.model import LEVELS
from sejongud.pipeline import convert_stream
from sejongud.validation import round_trip
from sejongud.validation.round_trip import RoundTrips, TripResult, compare, difference
from sejongud.validation.trips import Trip, own_writer

NER = Path(__file__).parent / "data" / "ner"
SEJONG_TRIPS = [f"sejong level {level}" for level in LEVELS]
LEVEL_TRIPS = [*SEJONG_TRIPS, *[f"jsonl level {level}" for level in LEVELS]]
KLUE_TRIPS = [f"klue-dp {way}" for way in ("file", *[f"level {k}" for k in LEVELS], "ud")]
DEP_TRIPS = ["dep word2morph morphud", "dep word2morph ud"]

TREEBANK = """\
# sent_id = t1
# text = 꽃이 피었다.
1\t꽃이\t꽃+이\tNOUN\tNNG+JKS\t_\t2\tnsubj\t_\tTranslit=x
2\t피었다\t피+었+다\tVERB\tVV+EP+EF\tMood=Ind\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\tSF\t_\t2\tpunct\t_\t_

# sent_id = t2
# text = 왔다
1\t왔다\t오+았+다\tVERB\tVV+EP+EF\t_\t0\troot\t_\t_

"""


def trips_of(path: Path, from_: str | None = None) -> list[Trip]:
    with RoundTrips(str(path), from_) as trips:
        return trips.trips


def check(
    trip: Trip, path: Path, report: Report | None = None, morphemes: Path | None = None
) -> TripResult:
    given = None if morphemes is None else str(morphemes)
    with RoundTrips(str(path), morphemes=given) as trips:
        return trips.check(trip, report)


def names(path: Path, from_: str | None = None) -> list[str]:
    return [trip.name for trip in trips_of(path, from_)]


def results(
    path: Path, from_: str | None = None, on_error: OnError = "keep", jobs: int = 1
) -> tuple[list[TripResult], list[Incident]]:
    incidents: list[Incident] = []
    with RoundTrips(str(path), from_, on_error) as trips:
        return list(trips.check_all(Report(incidents.append), jobs=jobs)), incidents


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def jsonl(*tags: str) -> str:
    """A sentence a line, each eojeol of which has one of these tags."""
    lines = []
    for number, own in enumerate(tags, 1):
        items = [{"form": "꽃", "morphemes": [{"form": "꽃", "tag": tag}]} for tag in own.split()]
        lines.append(json.dumps({"sent_id": f"s{number}", "eojeols": items}, ensure_ascii=False))
    return "".join([f"{line}\n" for line in lines])


class Damage:
    """A conversion that goes wrong: something is replaced in what the last one writes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
        self._convert = convert_stream
        self.old = old
        self.new = new
        monkeypatch.setattr(round_trip, "convert_stream", self)

    def __call__(self, step: Any, source: Source, out: TextIO, *others: Any, **named: Any) -> Any:
        with Scratch("-") as scratch:
            with scratch.writing() as stream:
                found = self._convert(step, source, stream, *others, **named)
            with scratch.open() as again:
                text = again.text()
        # Only on the way back.
        back = source.path.endswith("there and back")
        out.write(text.replace(self.old, self.new) if back else text)
        return found


SEJONG = ["sejong file", *LEVEL_TRIPS]
CONLLU = [*[f"conllu level {level}" for level in LEVELS], *LEVEL_TRIPS]
TRIPS = {
    "sejong.txt": SEJONG,
    "sejong-line.txt": ["sejong-line file", *LEVEL_TRIPS],
    "corpus-spoken.txt": LEVEL_TRIPS,
    "klue-dp.tsv": [*KLUE_TRIPS, *LEVEL_TRIPS],
    "modu.json": LEVEL_TRIPS,
    "text.txt": SEJONG_TRIPS,
    # Not all of its sentences are spelt as our own writer spells them.
    "jsonl.jsonl": LEVEL_TRIPS,
    "expected/sejong.3.conllu": CONLLU,
    "expected/modu.5.conllu": CONLLU,
}
"""The conversions of a sample of each format."""


class TestTable:
    def test_entities(self) -> None:
        assert names(NER / "klue-ner.txt") == ["ner syl2morph"]
        assert names(NER / "naver.txt") == ["ner eoj2morph"]
        assert names(NER / "naver.txt", "naver:PER_B") == ["ner eoj2morph"]

    def test_a_treebank_and_one_without_heads(self, tmp_path: Path) -> None:
        assert names(write(tmp_path / "a", TREEBANK)) == [*LEVEL_TRIPS, *DEP_TRIPS]
        bare = TREEBANK.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_")
        bare = bare.replace("\t2\tpunct", "\t_\t_")
        assert names(write(tmp_path / "b", bare)) == LEVEL_TRIPS

    def test_no_such_format(self, root: Path) -> None:
        with pytest.raises(UsageError, match="no format nobody"):
            trips_of(root / "samples" / "sejong.txt", "nobody")


class TestOwnWriting:
    """What our own writer was told is seen by what it wrote."""

    @pytest.mark.parametrize(
        ("level", "upos", "lemmas"),
        [
            (1, "sejong", "form"),
            (2, "table3.1", "morphud"),
            (3, "ud", "normalised"),
            (4, "morphud", "morphud"),
            (5, "sejong", "normalised"),
            (5, "morphud", "form"),
        ],
    )
    def test_levels_and_schemes(
        self, root: Path, tmp_path: Path, level: int, upos: str, lemmas: str
    ) -> None:
        source, path = root / "samples" / "sejong-senses.txt", tmp_path / "a.conllu"
        api.convert(source, path, level=level, upos=upos, lemmas=lemmas)
        own = own_writer("conllu", path.read_text("utf-8"))
        assert own is not None
        again = tmp_path / "b.conllu"
        api.convert(source, again, level=own.level, upos=own.upos, lemmas=own.lemmas)
        assert again.read_bytes() == path.read_bytes()
        assert (own.level, own.lemmas) == (level, lemmas)

    @pytest.mark.parametrize(
        "options",
        [
            ("convert", "--deps", "dummy", Path("samples") / "sejong-senses.txt"),
            ("ner", "syl2morph", "--ne", "column", NER / "klue-ner.txt"),
            ("ner", "syl2morph", "--level", "4", NER / "klue-ner.txt"),
            ("ner", "eoj2morph", "--level", "2", NER / "naver.txt"),
        ],
    )
    def test_heads_and_labels(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
    ) -> None:
        monkeypatch.chdir(root)
        path = tmp_path / "a.conllu"
        assert main([*map(str, options), str(path)]) == 0
        found, _ = results(path)
        assert [result.trip.name for result in found][:5] == [f"conllu level {k}" for k in LEVELS]
        assert [result.error or result.first for result in found] == [None] * 15

    def test_spaces_around_the_plus(self, root: Path, tmp_path: Path) -> None:
        text = (root / "samples" / "sejong.txt").read_text("utf-8").replace("+", " + ")
        path = write(tmp_path / "a.txt", text)
        found = check(trips_of(path)[0], path)
        assert found.ok
        assert found.sentences == found.identical > 20

    def test_json_lines(self, root: Path, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        api.convert(root / "samples" / "sejong-senses.txt", path, to="jsonl", level=2)
        found, _ = results(path)
        assert [result.trip.name for result in found] == ["jsonl file", *LEVEL_TRIPS]
        assert all([result.ok for result in found])

    def test_a_format_of_another_program_is_told(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        written, other = "나/NP+는/JX 가/VV+ㄴ다/EF\n", "나/NP + 는/JX 가/VV+ㄴ다/EF\n"
        for text, is_told in ((written, False), (other, True)):
            path = write(tmp_path / "a.txt", text)
            assert main(["validate", "--roundtrip", "--select=E9", str(path)]) == 0
            told = "a.txt: no conversion `sejong-line file`: most" in capsys.readouterr().err
            assert told == is_told

    def test_most_of_the_sentences_decide(self, root: Path, tmp_path: Path) -> None:
        text = (root / "samples" / "expected" / "sejong.4.conllu").read_text("utf-8")
        first, _, rest = text.partition("\n\n")
        assert own_writer("conllu", f"{first}|X=1\n\n{rest}") is None  # a column of its own
        assert own_writer("conllu", f"{first.replace('NOUN', 'PROPN')}\n\n{rest}") is not None
        assert own_writer("conllu", text.replace("NOUN", "PROPN")) is None


class TestComingBack:
    def test_dependencies_beside_constituents(self, tmp_path: Path) -> None:
        columns = f"# global.columns = {' '.join([*COLUMNS, *TREE_COLUMNS])}\n"
        rows = "1\t봄이\t봄+이\tNOUN\tNNG+JKS\t_\t2\tnsubj\t_\t_\t(S (NP\t)\n"
        rows += "2\t온다\t오+ㄴ다\tVERB\tVV+EF\t_\t0\troot\t_\t_\t(VP\t))\n\n"
        text = f"{columns}# sent_id = 1\n# text = 봄이 온다\n{rows}"
        found, incidents = results(write(tmp_path / "a.conllup", text))
        assert [result.trip.name for result in found if result.ok] == [*LEVEL_TRIPS, *DEP_TRIPS]
        assert incidents == []

    @pytest.mark.parametrize(("name", "expected"), TRIPS.items())
    def test_samples(self, root: Path, name: str, expected: list[str]) -> None:
        found, incidents = results(root / "samples" / name)
        assert [result.trip.name for result in found] == expected
        assert [(result.error, result.first) for result in found] == [("", None)] * len(found)
        assert {(result.identical, result.words > 0) for result in found} == {
            (found[0].sentences, True)
        }
        assert found[0].sentences > 1
        assert incidents == []

    @pytest.mark.parametrize(
        "name", sorted([path.name for path in NER.iterdir() if path.suffix != ".ann"])
    )
    def test_entities(self, name: str) -> None:
        with Source(NER / name) as source:
            if not recognise(None, source.head()).is_entities:
                return
        [result], incidents = results(NER / name)
        if any([incident.is_error for incident in incidents]) or "-cut" in name:
            assert result.error
        else:
            assert (result.error, result.first) == ("", None)
            assert result.sentences == result.identical > 0
            assert result.words > 1

    def test_brat_finds_the_text_beside_it(self, tmp_path: Path) -> None:
        [result] = results(NER / "brat.ann")[0]
        assert result.ok
        # The relation needs no line in a comment; the entity inside another does.
        assert (result.sentences, result.helped) == (3, 1)
        alone = write(tmp_path / "a.ann", (NER / "brat.ann").read_text("utf-8"))
        [result] = results(alone)[0]
        assert "name the text as well" in result.error
        assert results(alone, f"brat:{NER / 'brat.txt'}")[0][0].ok

    def test_brat_in_the_order_of_annotation(self) -> None:
        [result] = results(NER / "brat-order.ann")[0]
        assert (result.ok, result.sentences, result.identical) == (True, 3, 3)

    def test_a_treebank(self, tmp_path: Path) -> None:
        found, _ = results(write(tmp_path / "a.conllu", TREEBANK))
        assert [(r.ok, r.sentences, r.identical) for r in found] == [(True, 2, 2)] * 12
        assert [result.words for result in found] == [3] * 10 + [4] * 2

    def test_given_morphemes(self, tmp_path: Path) -> None:
        corpus = write(tmp_path / "a.txt", "1\t한강의\tLOC_I\n2\t물\t-\n\n")
        given_ = write(tmp_path / "m.txt", "한강의\t한강/NNP+의/JKG\n물\t물/NNG\n")
        [trip] = trips_of(corpus)
        assert check(trip, corpus, morphemes=given_).ok
        other = write(tmp_path / "o.txt", "두강의\t두강/NNP+의/JKG\n물\t물/NNG\n")
        assert "E412" in check(trip, corpus, morphemes=other).error

    @pytest.mark.parametrize(
        ("encoding", "end"), [("utf-8-sig", "\r\n"), ("cp949", "\n"), ("utf-16", "\r\n")]
    )
    def test_encodings_and_line_ends_are_no_part_of_it(
        self, tmp_path: Path, encoding: str, end: str
    ) -> None:
        text = "꽃이\t꽃/NNG+이/JKS\n폈다\t피/VV+었/EP+다/EF\n\n".replace("\n", end)
        path = tmp_path / "a.txt.gz"
        path.write_bytes(gzip.compress(text.encode(encoding)))
        found, _ = results(path)
        assert [result.ok for result in found] == [True] * 11

    def test_what_can_be_read_only_once(self, root: Path, tmp_path: Path) -> None:
        path = tmp_path / "fifo"
        os.mkfifo(path)
        text = (root / "samples" / "sejong-senses.txt").read_bytes()
        thread = threading.Thread(target=path.write_bytes, args=(text,))
        thread.start()
        found, _ = results(path)
        thread.join()
        assert [(result.ok, result.path) for result in found] == [(True, str(path))] * 11

    def test_several_processes(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(round_trip, "_WORTH_A_POOL", 0)
        path = write(tmp_path / "a.jsonl", jsonl("NNG", "NNG _", "NNG"))
        trip = trips_of(path)[0]
        found: dict[int, list[Incident]] = {1: [], 2: []}
        with RoundTrips(str(path)) as trips:
            one, two = [
                trips.check(trip, Report(incidents.append), jobs=jobs)
                for jobs, incidents in found.items()
            ]
        assert one == two
        assert found[1] == found[2] != []


class TestNotComingBack:
    def test_the_place_of_a_difference(self, tmp_path: Path) -> None:
        # In XPOS a low line says that there is none.
        path = write(tmp_path / "a.jsonl", jsonl("NNG", "NNG _ NNG", "NNG", "_"))
        found, incidents = results(path)
        assert [(r.ok, r.sentences, r.identical) for r in found] == [
            *[(False, 4, 2)] * 5,
            # CoNLL-U does not tell the tag either.
            *[(True, 4, 4)] * 5,
        ]
        first = found[0].first
        assert first is not None
        assert (first.line, first.sent_id, first.column) == (2, "s2", 2)
        assert first.expected == "꽃\t꽃/_"
        assert first.got is not None and first.got.startswith("꽃\t")
        assert [(i.code, i.line, i.sent_id) for i in incidents[:2]] == [
            ("E901", 2, "s2"),
            ("E901", 4, "s4"),
        ]
        assert incidents[0].message.startswith("sejong level 1: '꽃\\t꽃/_' comes back as '꽃")
        assert len(incidents) == 10

    @pytest.mark.parametrize(
        "name",
        [
            "sejong-ids.txt",
            "corpus-written.txt",
            "corpus-spoken.txt",
            "klue-dp.tsv",
            "text.txt",
            "expected/sejong.2.conllu",
            "expected/sejong.5.conllu",
        ],
    )
    def test_the_place_is_that_in_the_file(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        Damage(monkeypatch, "/VV", "/VQ")
        path = root / "samples" / name
        result = check(next(t for t in trips_of(path) if t.name == "sejong level 3"), path)
        first = result.first
        assert first is not None and first.expected is not None
        assert first.got == first.expected.replace("/VV", "/VQ")
        *_, form, _ = first.expected.split("\t")
        with Source(path) as source:
            line = list(source.lines())[first.line - 1]
        assert form.rstrip(".?") in line
        assert 0 <= result.identical < result.sentences

    def test_a_blank_line_that_is_left_out(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.txt", "# a note\n\n꽃\t꽃/NNG\n\n")
        _, incidents = results(path)
        told = [incident.message for incident in incidents if incident.is_error]
        assert told == [
            "sejong file: a blank line comes back as '꽃\\t꽃/NNG'",
            "sejong file: '꽃\\t꽃/NNG' comes back as no line",
        ]

    def test_a_sentence_that_is_lost_is_the_only_one(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = root / "samples" / "expected" / "sejong.5.conllu"
        text = path.read_text("utf-8").split("\n\n")
        Damage(monkeypatch, f"{text[4]}\n\n", "")
        trip = trips_of(path)[0]
        incidents: list[Incident] = []
        result = check(trip, path, report=Report(incidents.append))
        assert (result.sentences, result.identical) == (22, 21)
        assert result.first is not None
        assert (result.first.sent_id, result.first.got) == ("5", None)
        assert [incident.message for incident in incidents] == [
            "conllu level 1: '# sent_id = 5' comes back as no line"
        ]

    @pytest.mark.parametrize(
        ("name", "old", "new"),
        [("klue-ner.txt", "\tO\n", "\tI-PS\n"), ("modu-ne.json", '"PS"', '"LC"')],
    )
    def test_entities(self, monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str) -> None:
        Damage(monkeypatch, old, new)
        [result] = results(NER / name)[0]
        assert not result.ok
        assert result.identical < result.sentences
        assert result.first is not None
        lines = (NER / name).read_text("utf-8").split("\n")
        assert lines[result.first.line - 1] == result.first.expected
        assert result.first.got == result.first.expected.replace(old.strip(), new.strip())

    def test_dependencies(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = write(tmp_path / "a.conllu", TREEBANK)
        Damage(monkeypatch, "Mood=Ind", "Mood=Imp")
        found = [r for r in results(path)[0] if not r.ok]
        assert [result.trip.name for result in found] == [*LEVEL_TRIPS[5:], *DEP_TRIPS]
        first = found[5].first
        assert first is not None
        assert (first.line, first.column, first.sent_id) == (4, 6, "t1")

    def test_the_loss_on_the_way_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write(tmp_path / "a.conllu", TREEBANK)
        damaged = Damage(monkeypatch, "Mood=Ind", "Mood=Imp")

        def mend(step: Any, source: Source, out: TextIO, report: Report, **named: Any) -> Any:
            report.add(Incident("W210", "mended", "-", sent_id="t1"))
            report.add(Incident("W106", "not a loss", "-", sent_id="t1"))
            return damaged(step, source, out, report, **named)

        monkeypatch.setattr(round_trip, "convert_stream", mend)
        incidents: list[Incident] = []
        trip = next(trip for trip in trips_of(path) if trip.name == DEP_TRIPS[0])
        check(trip, path, report=Report(incidents.append))
        assert [one.message.endswith(" (W210 mended)") for one in incidents] == [True]

    def test_a_sentence_that_cannot_be_read(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.conllu", TREEBANK.replace("\tNNG+JKS\t_", "\tNNG+JKS"))
        for result in results(path)[0]:
            assert not result.ok
            assert result.error.startswith("a sentence could not be read: ")
            assert "a.conllu:3: E201" in result.error

    def test_what_stops_the_work(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.txt", "꽃이\t꽃/NNG+이/JKS\n폈다\n\n")
        assert {r.error for r in results(path, on_error="keep")[0]} == {""}
        for result in results(path, on_error="stop")[0]:
            assert f'File "{path}", line 2' in result.error

    def test_what_is_no_text(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.jsonl", jsonl("NNG").replace("꽃", "\\ud800"))
        assert {r.error for r in results(path)[0]} == {
            "the character U+D800 of the output is not text"
        }

    def test_what_cannot_be_read_at_all(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(b"\xec\xff\xff\n")
        for name, why, from_ in (
            ("a.txt", "--encoding", None), ("none.txt", "No such file", "sejong")
        ):  # fmt: skip
            [result] = results(tmp_path / name, from_)[0]
            assert (result.ok, result.trip.format) == (False, from_ or "unknown")
            assert why in result.error

    def test_faults_of_a_file(self, root: Path) -> None:
        found, _ = results(root / "samples" / "sejong-faults.txt")
        file, *levels = found
        assert all([result.ok for result in levels])
        assert not file.ok
        assert file.first is not None
        assert file.first.expected == "달이\t + 달/NNG + 이/JKS"
        assert file.first.got == "달이\t달/NNG+이/JKS"

    def test_so_many_are_reported(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sejongud.validation.round_trip._LISTED", 3)
        path = write(tmp_path / "a.jsonl", jsonl(*["_"] * 10))
        trip = trips_of(path)[4]
        incidents: list[Incident] = []
        result = check(trip, path, report=Report(incidents.append))
        assert (result.sentences, result.identical) == (10, 0)
        assert [incident.line for incident in incidents] == [1, 2, 3, 0]
        assert incidents[-1].message == "sejong level 5: 7 more come back otherwise"


def blocks(texts: list[str]) -> list[Block]:
    lines = accumulate([text.count("\n") for text in texts], initial=1)
    return [
        Block(text, line, n) for n, (text, line) in enumerate(zip(texts, lines, strict=False), 1)
    ]


def counts(ours: list[str], theirs: list[str]) -> tuple[int, int, int]:
    found = compare(iter(blocks(ours)), iter(blocks(theirs)), lambda _: True)
    return found.sentences, found.identical, found.differing


class TestComparison:
    def test_a_sentence_that_is_repeated_is_paired_with_the_first(self) -> None:
        assert counts(["x", "a", "b"], ["y", "a", "b", "a"]) == (3, 2, 2)

    @given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
    def test_nothing_differs_only_if_nothing_does(self, ours: list[str], theirs: list[str]) -> None:
        sentences, identical, differing = counts(ours, theirs)
        assert (differing == 0) == (ours == theirs)
        assert sentences == len(ours)
        assert identical <= min(len(ours), len(theirs))
        assert (identical == sentences) <= (len(theirs) >= len(ours))

    @given(st.integers(1, 200), st.data())
    def test_what_was_done_to_some_is_all_that_differs(
        self, size: int, data: st.DataObject
    ) -> None:
        ours = [str(number) for number in range(size)]
        lost = data.draw(st.sets(st.integers(0, size - 1), max_size=5))
        changed = data.draw(st.sets(st.integers(0, size - 1), max_size=5))
        theirs = [text + "!" * (at in changed) for at, text in enumerate(ours) if at not in lost]
        touched = len(lost | changed)
        assert counts(ours, theirs) == (size, size - touched, touched)
        more = [text for text in ours for _ in range(1 + (int(text) in lost))]
        assert counts(ours, more) == (size, size, len(lost))

    def test_too_much_is_missing_to_be_found_again(self) -> None:
        ours = [str(number) for number in range(100)]
        assert counts(ours, ours[60:])[:2] == (100, 0)

    @pytest.mark.parametrize(
        ("ours", "theirs", "expected"),
        [
            ("a\tb\tc\n", "a\tx\tc\n", (1, "a\tb\tc", "a\tx\tc", 2)),
            ("a\nb\n\n", "a\nb\n", (3, "", None, 1)),
            ("a\nb\n", "a\nb\n\n", (3, None, "", 1)),
            ("a\nb\tc", "a\nb\tc\n", (2, "b\tc", "b\tc\n", 2)),
            ("a\tb\n", "a\n", (1, "a\tb", "a", 2)),
            # Only LF ends a line.
            (
                "a\x85b\u2028c\td\n",
                "a\x85b\u2028c\te\n",
                (1, "a\x85b\u2028c\td", "a\x85b\u2028c\te", 2),
            ),
        ],
    )
    def test_the_first_difference(
        self, ours: str, theirs: str, expected: tuple[int, str | None, str | None, int]
    ) -> None:
        assert difference(*blocks([ours]), *blocks([theirs]))[:4] == expected

    def test_a_sentence_that_is_missing_or_too_much(self) -> None:
        [block] = blocks(["# sent_id = 7\na\n"])
        assert difference(block, None) == (1, "# sent_id = 7", None, 1, "7")
        assert difference(None, block) == (0, None, "# sent_id = 7", 1, "")


class TestScratch:
    def test_it_is_read_as_a_file_is(self, tmp_path: Path) -> None:
        text = "\ufeff꽃\r\n이\r폈다"
        file = write(tmp_path / "a.txt", text)
        with Scratch("x") as scratch:
            with scratch.writing() as out:
                out.write(text)
            for _ in range(2):
                with scratch.open() as source, Source(file) as other:
                    assert source.path == "x"
                    assert source.head() == other.head()
                    assert list(source.chunks()) == list(other.chunks()) == ["꽃\n이\n", "폈다"]

    @pytest.mark.skipif(os.name != "posix", reason="only there a file can be without a name")
    def test_it_has_no_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with Scratch("x") as scratch, scratch.writing() as out:
            out.write("a" * 1_000_000)
            out.flush()
            assert list(tmp_path.iterdir()) == []

    def test_the_copy_of_a_pipe_that_cannot_be_read_is_closed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files = [tempfile.TemporaryFile()]  # noqa: SIM115
        monkeypatch.setattr("tempfile.TemporaryFile", lambda: files[0])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xec\xff\xff\n")))
        with pytest.raises(EncodingError), ExitStack() as stack:
            put_by("-", None, stack)
        assert files[0].closed


class TestFinding:
    def test_a_folder(self, tmp_path: Path) -> None:
        below = tmp_path / "below"
        below.mkdir()
        (tmp_path / ".hidden").mkdir()
        write(tmp_path / ".hidden" / "a.txt", "꽃이\t꽃/NNG+이/JKS\n")
        write(tmp_path / ".hide.txt", "꽃이\t꽃/NNG+이/JKS\n")
        write(below / "sejong.any", "꽃이\t꽃/NNG+이/JKS\n\n")
        write(below / "ud.conllu", TREEBANK)
        (below / "naver.gz").write_bytes(gzip.compress((NER / "naver.txt").read_bytes()))
        write(tmp_path / "korean.txt", "꽃이 폈다.\n")
        write(tmp_path / "korean.md", "꽃이 폈다.\n")
        write(tmp_path / "english.txt", "A licence.\n")
        write(tmp_path / "empty.txt", "\n")
        write(
            tmp_path / "frames.tsv", "#text:꽃이 폈다\n0\t꽃이\t_\t_\tB-Theme\n1\t폈다\t_\t_\tO\n"
        )
        write(tmp_path / "other.tsv", "#text:꽃이 폈다\n0\t꽃이\t_\tB-Theme\n1\t폈다\t_\tO\n")
        (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\xff\xfe" * 9)
        write(tmp_path / "raw.csv", "id,text\n1,꽃이 폈다.\n2,봄이다.\n")
        write(tmp_path / "raw.jsonl", '{"text": "꽃이 폈다."}\n')
        (tmp_path / "loop").symlink_to(tmp_path)
        found = {str(Path(path).relative_to(tmp_path)): why for path, why in find_files(tmp_path)}
        taken = [path for path, why in found.items() if not why]
        in_below = ["below/naver.gz", "below/sejong.any", "below/ud.conllu"]
        assert taken == [*in_below, "frames.tsv", "korean.txt"]
        assert found["empty.txt"] == "empty"
        assert found["english.txt"] == "in no format that is known, nor Korean text"
        assert found["other.tsv"].startswith("looks like sejong, but: ")
        assert set(found) - set(taken) == {
            "empty.txt",
            "english.txt",
            "korean.md",
            "other.tsv",
            "picture.png",
            "raw.csv",
            "raw.jsonl",
        }
        assert found["raw.csv"].startswith("raw text in JSON or CSV")

    def test_formats(self) -> None:
        head = (NER / "naver.txt").read_text("utf-8")
        assert recognise(None, head) == recognise("naver", head) == ("naver", "rows PER_B")
        assert recognise("naver:lines PER-B", head) == ("naver", "lines PER-B")
        assert recognise("sejong", head) == ("sejong", "")
        with pytest.raises(UsageError, match="there is no setting X"):
            recognise("naver:rows X", head)


def test_any_number_of_sentences_needs_the_same_memory(root: Path, tmp_path: Path) -> None:
    code = (
        "import resource, sys; from sejongud.validation.round_trip import *\n"
        "trips = RoundTrips(sys.argv[1])\n"
        "trip = next(t for t in trips.trips if t.name == 'sejong level 4')\n"
        "assert trips.check(trip).ok\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    text = (root / "samples" / "sejong.txt").read_text("utf-8")
    peaks = []
    for times in (20, 300):
        path = write(tmp_path / "a.txt", text * times)
        done = subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, check=True, cwd=root
        )
        peaks.append(int(done.stdout) / 1024)
    assert path.stat().st_size > 1_000_000
    assert peaks[1] - peaks[0] < 12


def test_a_trip_is_made_of_the_conversions_of_the_commands(tmp_path: Path, root: Path) -> None:
    """What a trip compares is what the commands write."""
    path = root / "samples" / "sejong-ids.txt"
    api.convert(path, tmp_path / "a.conllu", level=2)
    api.convert(tmp_path / "a.conllu", tmp_path / "b.txt", to="sejong")
    assert (tmp_path / "b.txt").read_bytes() == path.read_bytes()
    trip: Trip = trips_of(path)[2]
    seen = []
    for step in trip.steps:
        assert isinstance(step, Conversion)
        seen.append((step.reader, step.writer, step.level))
    assert seen == [("sejong", "conllu", 2), ("conllu", "sejong", 5)]
    with Source(path) as source:
        texts = [block.text for block in exact_blocks(source.chunks())]
    assert len(texts) == check(trip, path).sentences
