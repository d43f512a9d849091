"""Damaged input ends in a message, never in a traceback, a hang or half a file.

A case is an input of some format, damaged by a few random blows, and what is done with it; all of
it follows from one number. `python tests/test_fuzz.py 100000` tries that many, and prints the
numbers of those that fail; `python tests/test_fuzz.py --case NUMBER` shows one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from sejongud.__main__ import main
from sejongud.converters.jobs import Conversion
from sejongud.converters.recut import Recut
from sejongud.errors import ON_ERROR, FormatError, OnError, Report, SejongudError
from sejongud.files import Source
from sejongud.formats import READERS, WRITERS, resolve
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.sejong import SejongWriter
from sejongud.levels.cut import Granularity
from sejongud.model import LEVELS, Sentence
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import convert_stream
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.formats.base import Reader

ROOT = Path(__file__).resolve().parent.parent
IN_SUITE = 3_000
SLOW = 10.0
"""Seconds of CPU beyond which an input of a few kilobytes counts as a hang."""

# Kiwi reads these itself: slow to load, and every text is right.
WITH_KIWI = ("text", "sejong-line")
ODD = [
    "\0", "\r", "\n", "\n\n", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u3000", "\ufeff",
    "\xa0", " ", "_", "%", "%s", "%%", "#", "# ", "# sent_id = ", "# text = ", "# newdoc id = a\n",
    "+", "++", " + ", "/", "//", "/NNG", "/SF", "+/SW", "-", "|", "=", "\\", "\\p", "\\-", "(", ")",
    "(이)", "__", "__01", "()", "¹", "²", "٣", "০", "-1", "0", "1-2", "1-99999999999", "1.1", "1e9",
    "9" * 30, "9" * 5000, "NE=B-PS", "NE2=I-LC", "NE99=O", "NE٣=x", "MSeg=", "MSeg=a-b",
    "Sense=1:²", "Sense=1:0", "Added=Yes", "Added=²:Yes", "OrigXPOS=A+B", "SpaceAfter=No",
    "Id=a b", "|||", "<p>", "</p>", "<s n=1>", "</s>", "<", ">", "<phon>", "</tei.2>",
    "<teiHeader>", "<!DOCTYPE tei", "{", "}", "[", "]", '"', ",", ":", "null", "1e999", "NaN", "-0",
    "\\ud800", "\\u0000", "\\n",
    "ᄀ", "ᆫ", "ᆞ", "ᅠ", "ㅤ", "ﾡ", "가", "각", "힣", "ㄴ", "ﬁ", "İ", "ß", "🙂", "👨‍👩‍👧", "e\u0301",
    "\U000e0001", "\ud800", "\uffff", "ＮＢＡ", "”", "…", "~",
]  # fmt: skip


class Seed(NamedTuple):
    """An undamaged input."""

    name: str
    format: str
    data: bytes


@cache
def seeds() -> list[Seed]:
    """The samples, the fixtures, and the samples in every format that is written."""
    found = []
    data = [*(ROOT / "samples").iterdir(), *(ROOT / "tests" / "data").iterdir()]
    for path in sorted(path for path in data if path.is_file()):
        with contextlib.suppress(SejongudError), Source(path) as source:
            found.append(Seed(path.name, resolve(None, source.head()), path.read_bytes()))
    text = ROOT / "samples" / "sejong-ids.txt"
    for to in WRITERS:
        for level in LEVELS:
            out = io.StringIO()
            conversion = Conversion("sejong", to, level=level, deps="" if level % 2 else "dummy")
            with Source(text) as source:
                convert_stream(conversion, source, out, Report())
            found.append(Seed(f"{to}.{level}", to, out.getvalue().encode()))
    return found


# --- blows --------------------------------------------------------------------------------------


def piece(text: str | bytes, random: Random, longest: int = 60) -> slice:
    """Some part of a text."""
    start = random.randrange(len(text) + 1)
    return slice(start, start + random.randrange(longest))


def flip(data: bytes, random: Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 10])):
        if flipped:
            flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
    return bytes(flipped)


def cut(data: bytes, random: Random) -> bytes:
    part = piece(data, random)
    return data[: part.start] + data[part.stop :]


def end_early(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def double(data: bytes, random: Random) -> bytes:
    part = piece(data, random)
    return data[: part.start] + data[part] * random.choice([2, 2, 3, 500]) + data[part.stop :]


def nest(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice([b"[", b"{", b'{"a":[', b"(", b"<p>"]) * 3_000 + data[at:]


def insert(text: str, random: Random) -> str:
    part = piece(text, random, random.choice([1, 1, 3]))
    odd = random.choice(ODD) * random.choice([1, 1, 1, 1, 2, 300])
    return text[: part.start] + odd + text[part.stop :]


def swap(text: str, random: Random) -> str:
    one, other = sorted((piece(text, random), piece(text, random)), key=lambda part: part.start)
    end = max(one.stop, other.start)
    between = text[one.stop : other.start]
    return "".join([text[: one.start], text[other], between, text[one], text[end:]])


def at_separator(text: str, random: Random) -> str:
    """A blow at a place where a format has its joints."""
    places = [at for at, char in enumerate(text) if char in '\t\n/+|=-,:"{}[]<>#']
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + random.choice([*ODD, "", ""]) + text[at + random.randrange(2) :]


def change_column(text: str, random: Random) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    cells = lines[at].split("\t")
    other = random.choice(lines).split("\t")
    cells[random.randrange(len(cells))] = random.choice([*ODD, "_", "", random.choice(other)])
    lines[at] = "\t".join(cells)
    return "\n".join(lines)


def move_line(text: str, random: Random) -> str:
    lines = text.split("\n")
    line = lines.pop(random.randrange(len(lines)))
    lines.insert(random.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def other_lines(text: str, random: Random) -> str:
    other = random.choice(seeds()).data.decode("utf-8", "replace").split("\n")
    lines = text.split("\n")
    at = random.randrange(len(lines) + 1)
    start = random.randrange(len(other))
    lines[at:at] = other[start : start + random.randrange(1, 4)]
    return "\n".join(lines)


ON_BYTES: list[Callable[[bytes, Random], bytes]] = [flip, cut, end_early, double, nest]
ON_TEXT: list[Callable[[str, Random], str]] = [
    insert, swap, at_separator, at_separator, change_column, change_column, move_line, other_lines
]  # fmt: skip
ENCODINGS = ["utf-8"] * 12 + ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp949", "utf-8-sig"]


def damaged(seed: Seed, random: Random) -> bytes:
    """An input after some blows."""
    data = seed.data
    if seed.name.startswith("corpus-"):
        data = data.decode("utf-16").encode()
    for _ in range(random.choice([0, 1, 1, 2, 3, 6])):
        if random.random() < 0.3:
            data = random.choice(ON_BYTES)(data, random)
        else:
            text = data.decode("utf-8", "surrogatepass" if is_text(data) else "replace")
            data = random.choice(ON_TEXT)(text, random).encode("utf-8", "surrogatepass")
    encoding = random.choice(ENCODINGS)
    if encoding != "utf-8":
        data = data.decode("utf-8", "replace").encode(encoding, "replace")
    return data


def is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


# --- cases --------------------------------------------------------------------------------------


class Case(NamedTuple):
    """What is done."""

    number: int
    data: bytes
    reader: str
    on_error: OnError
    level: int
    to: str
    by_command: bool


def make(number: int) -> Case:
    """The case of a number."""
    random = Random(number)
    seed = random.choice(seeds())
    data = damaged(seed, random)
    reader = seed.format if random.random() < 0.85 else random.choice(list(READERS))
    if reader in WITH_KIWI and random.random() < 0.9:
        reader = "sejong"
    by_command = random.random() < 0.15
    return Case(
        number,
        data,
        reader,
        random.choice(ON_ERROR),
        random.choice(LEVELS),
        random.choice(list(WRITERS)),
        by_command,
    )


@cache
def reader_of(name: str, on_error: OnError) -> Reader:
    return Conversion(name, on_error=on_error).make_reader()


@cache
def granularity(level: int) -> Granularity:
    return Granularity(load(), level)


def sejong(sentences: list[Sentence]) -> str:
    writer = SejongWriter()
    return "".join([writer.sentence(sentence) for sentence in sentences])


def bare(sentences: list[Sentence]) -> list[Sentence]:
    """The same sentences with nothing but their eojeols and ids, counted from one."""
    for number, sentence in enumerate(sentences, 1):
        sentence.arcs = None
        sentence.is_treebank = False
        sentence.entities = ()
        sentence.comments = ()
        sentence.number, sentence.sent_id = number, str(number)
    return sentences


def try_library(case: Case, directory: Path) -> None:
    """Read, write, and read what was written.

    Raises:
        AssertionError: what was written does not say what was read.
    """
    path = directory / "in"
    path.write_bytes(case.data)
    report = Report()
    try:
        with Source(path) as source:
            reader = reader_of(case.reader, case.on_error)
            frames = reader.frames_of(source)
            sentences = list(reader.read(frames, "in", case.on_error, report))
    except SejongudError as error:
        assert str(error)
        return
    for to in WRITERS:
        writer = Conversion(case.reader, to, level=case.level, deps="dummy").make_writer()
        for sentence in sentences:
            writer.sentence(sentence)
    bare(sentences)
    text = ConlluWriter(Recut(granularity(case.level)))
    written = "".join([text.sentence(sentence) for sentence in sentences])
    again = ConlluReader(Assembler(load()))
    back = list(again.read(again.frame([written]), "-", "stop", Report()))
    assert sejong(bare(back)) == sejong(sentences)


def try_command(case: Case, directory: Path) -> None:
    """Run the command.

    Raises:
        AssertionError: the exit status and the output file do not agree, or there is no message.
    """
    path, out = directory / "in", directory / "out"
    path.write_bytes(case.data)
    out.unlink(missing_ok=True)
    options = ["--from", case.reader, "--to", case.to, "--on-error", case.on_error]
    if case.number % 3 == 0:
        options = options[2:]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = main(["convert", "--level", str(case.level), *options, str(path), str(out)])
    assert status in (0, 1)
    assert "Traceback" not in said.getvalue()
    # What ended the run is said last; where the run went on, the counts are.
    went_on = said.getvalue().rpartition("\n")[0].rpartition("\n")[2].startswith("incidents: ")
    assert out.exists() == (status == 0 or went_on)
    if out.exists():
        assert out.read_bytes()[-1:] in (b"", b"\n")
    assert {file.name for file in directory.iterdir()} <= {"in", "out"}


def attempt(case: Case, directory: Path) -> None:
    """Try a case.

    Raises:
        Exception: whatever went wrong.
    """
    begin = time.process_time()
    (try_command if case.by_command else try_library)(case, directory)
    took = time.process_time() - begin
    assert took < SLOW or case.reader in WITH_KIWI, f"{took:.1f} s"


# --- tests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(10))
def test_damaged_input_gives_no_traceback_and_no_half_file(part: int, tmp_path: Path) -> None:
    for number in range(part, IN_SUITE, 10):
        case = make(number)
        try:
            attempt(case, tmp_path)
        except Exception as error:
            raise AssertionError(f"case {number}: {case.reader}, {error!r}") from error


def huge(length: int) -> Iterator[bytes]:
    """Inputs of that many bytes that are one thing too long."""
    yield b"a" * length
    yield b" " * length
    yield b"\0" * length
    yield b"\t" * length
    yield "가\t가/NNG\n".encode() * (length // 14)
    yield b"\n" * (length >> 4)


@pytest.mark.parametrize("name", [name for name in READERS if name not in WITH_KIWI])
def test_huge_input_is_read_or_refused(name: str, tmp_path: Path) -> None:
    for data in huge(9 << 20):
        path = tmp_path / "in"
        path.write_bytes(data)
        reader = Conversion(name).make_reader()
        with Source(path) as source, contextlib.suppress(FormatError):
            for _ in reader.read(reader.frames_of(source), "in", "skip", Report()):
                pass


# --- many ---------------------------------------------------------------------------------------


def run_many(count: int, first: int) -> int:
    """Try many cases; how many failed."""
    failed = 0
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        for number in range(first, first + count):
            case = make(number)
            try:
                attempt(case, Path(directory))
            except Exception as error:
                failed += 1
                last = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(last.filename).name}:{last.lineno}"
                print(f"case {number}: {case.reader} {place} {error!r:.300}", flush=True)
    took = time.perf_counter() - begin
    print(f"{count:,} cases, {failed} failed, {took:.0f} s")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--case", type=int, metavar="NUMBER", help="write its input to stdout")
    arguments = parser.parse_args()
    if arguments.case is not None:
        shown = make(arguments.case)
        print(shown._replace(data=b""), file=sys.stderr)
        sys.stdout.buffer.write(shown.data)
    else:
        sys.exit(run_many(arguments.count, arguments.first) > 0)
