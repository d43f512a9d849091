"""Damaged input ends in a message, never in a traceback, a hang or half a file.

A case is an input of some format, damaged by a few random blows, and what is done with it; all of
it follows from one number. `python tests/test_fuzz.py 100000` tries that many, and prints the
numbers of those that fail; `python tests/test_fuzz.py --case NUMBER` shows one. These read a corpus
and write it; with `--commands` the cases are those of all other commands, each with the inputs that
it takes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from sejongud.__main__ import COMMANDS, main
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
IN_SUITE = 1_500
COMMANDS_IN_SUITE = 420
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


@cache
def assembler() -> Assembler:
    return Assembler(load())


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
    again = ConlluReader(assembler())
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


# --- all commands -------------------------------------------------------------------------------

TREES = b"(S (NP-SBJ (NNG a) (JKS b)) (VP (VV c) (EF d)) (SF .))\n(S (NP e) (VP (VV f)))\n"
SINICA = "S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告))\n".encode() * 2
WAYS = [
    "treebank: dep word2morph IN OUT --scheme ud",
    "treebank: dep word2morph IN OUT --compat published --bound-marker +",
    "morphemes: dep morph2word IN OUT",
    "morphemes: dep morph2word GOLD OUT --words IN",
    "treebank: dep stats IN --json",
    "entities: ner eoj2morph IN OUT",
    "entities: ner syl2morph IN OUT --nested",
    "entities: ner check IN OUT",
    "labelled: ner morph2eoj IN OUT",
    "labelled: ner morph2syl IN OUT --repair",
    "labelled: ner crf IN OUT",
    "labelled: ner crf GOLD OUT --labels IN",
    "corpus: validate IN",
    "corpus: validate IN --roundtrip --json",
    "corpus: stats IN --format json",
    "corpus: show IN --limit 0 --color always",
    "corpus: report --no-charts IN OUT.html",
    "corpus: eval tokens GOLD IN --csv",
    "corpus: eval pos GOLD IN --sentences",
    "treebank: eval dep IN GOLD --json",
    "entities: eval ner GOLD IN",
    "trees: eval parse GOLD IN --sentences",
    "trees: eval parse GOLD IN --evalb -D",
    "sinica: eval sighan IN GOLD --json",
    "text: analyze IN OUT",
    "recipe: release IN OUT",
    "table: rules show NAME --rules DIR",
    "table: convert GOLD OUT --from sejong --rules DIR",
]
"""The kind of input: the arguments. GOLD is the input undamaged, DIR the folder that it is in."""


@cache
def inputs(kind: str) -> list[Seed]:
    """The undamaged inputs of a kind."""
    samples, data = ROOT / "samples", ROOT / "tests" / "data"
    files = {
        "treebank": [samples / "ud.conllu", *sorted(data.glob("*.conllu"))],
        "morphemes": [samples / "expected" / "ud.5.conllu", *sorted(data.glob("*.conllu"))],
        "labelled": [samples / "expected" / "naver-ner.5.conllu"],
        "entities": sorted(path for path in (data / "ner").iterdir() if path.suffix != ".ann"),
        "text": [samples / "text.txt"],
        "recipe": [samples / "release.toml"],
        "table": sorted(path for path in (ROOT / "rules").iterdir() if path.suffix == ".tsv"),
    }
    match kind:
        case "trees":
            return [Seed("a.trees", kind, TREES)]
        case "sinica":
            return [Seed("a.sinica", kind, SINICA)]
        case "corpus":
            return [seed for seed in seeds() if seed.format not in WITH_KIWI]
    return [Seed(path.name, kind, path.read_bytes()) for path in files[kind]]


class CommandCase(NamedTuple):
    """A command, and the input that it is given."""

    number: int
    seed: Seed
    data: bytes
    arguments: list[str]


def make_command(number: int) -> CommandCase:
    """The case of a number: one way after the other."""
    random = Random(number)
    kind, _, arguments = WAYS[number % len(WAYS)].partition(": ")
    seed = random.choice(inputs(kind))
    words = arguments.split()
    if words[0] not in ("release", "rules"):
        words += ["--on-error", random.choice(ON_ERROR)]
    if words[0] != "rules" and random.random() < 0.3:
        words += ["--report", "REPORT"]
    return CommandCase(number, seed, damaged(seed, random), words)


def try_any_command(case: CommandCase, directory: Path) -> None:
    """Run a command on a damaged input.

    Raises:
        AssertionError: there is a traceback, no message, half an output or a file left behind.
    """
    place = directory / str(case.number)
    tables = place / "tables"
    tables.mkdir(parents=True)
    path, gold, out, report = (place / name for name in ("in", "gold", "out.html", "report"))
    if case.seed.format == "table":
        path = tables / case.seed.name
        gold.write_bytes((ROOT / "samples" / "sejong.txt").read_bytes())
    else:
        gold.write_bytes(case.seed.data)
    path.write_bytes(case.data)
    if case.seed.format == "recipe":
        for name in ("sejong.txt", "naver-ner.tsv", "naver-ner.txt", "klue-ner.tsv", "ud.conllu"):
            (place / name).write_bytes((ROOT / "samples" / name).read_bytes())
        (directory / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
    before = {file.name for file in place.iterdir()}
    names = {"IN": path, "GOLD": gold, "OUT": out, "OUT.html": out, "REPORT": report, "DIR": tables}
    names["NAME"] = Path(Path(case.seed.name).stem)
    words = [str(names.get(word, word)) for word in case.arguments]
    shown, said = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        status = main(words)
    said.flush()
    said.seek(0)
    message = said.read()
    assert status in (0, 1, 2)
    assert "Traceback" not in message
    assert status == 0 or message or shown.tell()
    assert {file.name for file in place.iterdir()} <= before | {"out.html", "report"}
    if status == 2:
        assert not out.exists()
    if report.exists():
        # Not splitlines: other ends of lines may stand in a message.
        for line in report.read_text(encoding="utf-8").split("\n")[:-1]:
            assert json.loads(line)["code"]


def attempt_command(case: CommandCase, directory: Path) -> None:
    """Try a case of any command.

    Raises:
        Exception: whatever went wrong.
    """
    begin = time.process_time()
    try_any_command(case, directory)
    took = time.process_time() - begin
    assert took < SLOW, f"{took:.1f} s"


# --- tests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(10))
def test_damaged_input_gives_no_traceback_and_no_half_file(part: int, tmp_path: Path) -> None:
    for number in range(part, IN_SUITE, 10):
        case = make(number)
        try:
            attempt(case, tmp_path)
        except Exception as error:
            raise AssertionError(f"case {number}: {case.reader}, {error!r}") from error


@pytest.mark.parametrize("way", range(len(WAYS)), ids=WAYS)
def test_damaged_input_of_any_command(way: int, tmp_path: Path) -> None:
    for number in range(way, COMMANDS_IN_SUITE, len(WAYS)):
        case = make_command(number)
        try:
            attempt_command(case, tmp_path)
        except Exception as error:
            raise AssertionError(f"case {number}: {case.arguments}, {error!r}") from error


def test_every_command_is_damaged() -> None:
    assert {way.split()[1] for way in WAYS} == set(COMMANDS)


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


def run_many(count: int, first: int, *, commands: bool) -> int:
    """Try many cases; how many failed."""
    failed = 0
    begin = time.perf_counter()
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory() as directory:
            case: Case | CommandCase = make_command(number) if commands else make(number)
            try:
                if isinstance(case, Case):
                    attempt(case, Path(directory))
                else:
                    attempt_command(case, Path(directory))
            except Exception as error:
                failed += 1
                last = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(last.filename).name}:{last.lineno}"
                what = case.reader if isinstance(case, Case) else " ".join(case.arguments)
                print(f"case {number}: {what} {place} {error!r:.300}", flush=True)
    took = time.perf_counter() - begin
    print(f"{count:,} cases, {failed} failed, {took:.0f} s")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--case", type=int, metavar="NUMBER", help="write its input to stdout")
    parser.add_argument("--commands", action="store_true", help="the cases of all commands")
    arguments = parser.parse_args()
    if arguments.case is not None:
        shown = (make_command if arguments.commands else make)(arguments.case)
        print(shown._replace(data=b""), file=sys.stderr)
        sys.stdout.buffer.write(shown.data)
    else:
        failures = run_many(arguments.count, arguments.first, commands=arguments.commands)
        sys.exit(failures > 0)
