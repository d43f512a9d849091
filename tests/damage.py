"""Corpora to damage, and the blows that damage them; all of it follows from a random generator.

A blow is a function of a text, or of its bytes, and of the generator. Most blows know how a corpus
is made: of lines, of cells between tabs, of numbers, of brackets and of JSON objects.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import re
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Report, SejongudError
from sejongud.files import Source
from sejongud.formats import WRITERS, resolve
from sejongud.formats.conllu.rows import COLUMNS
from sejongud.model import LEVELS
from sejongud.morphology.hangul import to_compatibility
from sejongud.pipeline import convert_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ROOT = Path(__file__).resolve().parent.parent

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
    "\U000e0001", "\ud800", "\uffff", "ＮＢＡ", "”", "…", "~", "\u2029", "\u200b", "\u200c",
    "\u200d", "\u2060", "\u00ad", "\ufe0f", "👍🏽", "❤️", "🇰🇷", "漢字", "樂", "𠀋", "나랏말ᄊᆞ미",
    "ㅋㅋㅋ", "ퟋ", "ꥠ", "한\u3000글", "BZh91AY&SY",
]  # fmt: skip
CONTROLS = [
    "\0",
    "\ufeff",
    "\u202e",
    "\u2066",
    "\u200f",
    "\x07",
    "\x1b[31m",
    "\x1b]0;a\x07",
    "\x9b",
]
NUMBERS = [
    "0", "-1", "-0", "00", "1.5", "1e9", "٣", "²", "2147483648", "9" * 20,
    "-" + "9" * 20, "9" * 400,
    "9" * 5000, "NaN", "",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, "", "a", "가", "\0", "\ud800", "\t", "\n", [], [[]], {},
    {"": 0},
    [None], ["가"], "x" * 70_000,
]  # fmt: skip


LARGEST = 200_000
"""The bytes that a damaged input has at most, before its encoding."""


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
            # KLUE-DP needs heads, and its sample is a seed.
            with Source(text) as source, contextlib.suppress(FormatError):
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


def lines_of(blow: Callable[[list[str], Random], None]) -> Callable[[str, Random], str]:
    """A blow on the list of the lines of a text."""

    def on_text(text: str, random: Random) -> str:
        lines = text.split("\n")
        blow(lines, random)
        return "\n".join(lines)

    return on_text


def swap_lines(lines: list[str], random: Random) -> None:
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def drop_line(lines: list[str], random: Random) -> None:
    del lines[random.randrange(len(lines))]


def double_line(lines: list[str], random: Random) -> None:
    at = random.randrange(len(lines))
    lines[at:at] = [lines[at]] * random.choice([1, 1, 2, 300])


def blank_line(lines: list[str], random: Random) -> None:
    lines.insert(random.randrange(len(lines) + 1), random.choice(["", "", " ", "\t", "\u3000"]))


def change_cells(lines: list[str], random: Random) -> None:
    """Double, empty, drop or swap cells of a line."""
    rows = [at for at, line in enumerate(lines) if "\t" in line] or range(len(lines))
    at = random.choice(rows)
    cells = lines[at].split("\t")
    one, other = random.randrange(len(cells)), random.randrange(len(cells))
    match random.randrange(4):
        case 0:
            cells.insert(other, cells[one])
        case 1:
            cells[one] = ""
        case 2:
            del cells[one]
        case _:
            cells[one], cells[other] = cells[other], cells[one]
    lines[at] = "\t".join(cells)


def change_number(text: str, random: Random) -> str:
    places = list(re.finditer("[0-9]+", text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + random.choice(NUMBERS) + text[place.end() :]


def control(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(CONTROLS) + text[at:]


def long_line(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(["가", "a", "+", "/NNG+", " ", "(", "0"]) * 20_000 + text[at:]


FORMS: list[Callable[[str], str]] = [
    partial(normalize, "NFD"),
    partial(normalize, "NFKD"),
    partial(normalize, "NFKC"),
    lambda line: "".join(map(to_compatibility, normalize("NFD", line))),
]


def other_forms(text: str, random: Random) -> str:
    """Write Hangul, all of it or some lines, in jamo, or letters otherwise."""
    some = random.choice([0.2, 1])
    form = random.choice(FORMS)
    lines = text.split("\n")
    return "\n".join([form(line) if random.random() < some else line for line in lines])


def only_comments(text: str, random: Random) -> str:
    """Leave nothing but the lines that begin as comments do, or nothing at all."""
    return "".join([f"{line}\n" for line in text.split("\n") if line[:1] == "#"])


def other_columns(text: str, random: Random) -> str:
    """Make CoNLL-U Plus of CoNLL-U: columns in another order, some of them missing or more."""
    order = random.sample(range(10), random.choice([3, 8, 10, 10]))
    named = [COLUMNS[at] for at in order] + random.choice([[], ["SEJONG:X"], ["FORM"]])
    lines = []
    for line in text.split("\n"):
        cells = line.split("\t")
        if len(cells) == len(COLUMNS):
            cells = [cells[at] for at in order] + ["_"] * (len(named) - len(order))
        lines.append("\t".join(cells))
    return "\n".join([f"# global.columns = {' '.join(named)}", *lines])


def glued(text: str, random: Random) -> str:
    """Join a file with itself, or with another of its kind, as `cat` does."""
    other = random.choice([text, *[seed.data.decode("utf-8", "replace") for seed in seeds()][:9]])
    return text.rstrip("\n") + random.choice(["", "\n", "\n\n", "\n\n\n", "\n\ufeff"]) + other


def line_ends(text: str, random: Random) -> str:
    """Give all lines or some of them another end."""
    end = random.choice(
        ["\r\n", "\r", "\n\r", "\u2028", "\u2029", "\x85", "\x0c\n", "\n\x0c", " \n"]
    )
    some = random.choice([0.1, 0.5, 1])
    return "".join([end if c == "\n" and random.random() < some else c for c in text])


def change_json(text: str, random: Random) -> str:
    """Give a value of a JSON text, or of one of its lines, another type or place."""
    lines = [text] if text[:2] in ("{\n", "[\n") else text.split("\n")
    at = random.randrange(len(lines))
    try:
        whole = json.loads(lines[at])
    except (ValueError, RecursionError):
        return text
    nodes = [node for node in containers(whole) if node]
    if not nodes:
        return text
    node = random.choice(nodes)
    keys = list(node) if isinstance(node, dict) else range(len(node))
    key = random.choice(keys)
    match random.randrange(5):
        case 0:
            del node[key]
        case 1:
            node[key] = [node[key]]
        case 2:
            node[key] = node[random.choice(keys)]
        case _:
            node[key] = random.choice(VALUES)
    lines[at] = json.dumps(whole, ensure_ascii=random.random() < 0.3)
    return "\n".join(lines)


def containers(value: Any) -> list[Any]:
    """All objects and lists of a JSON value."""
    if not isinstance(value, dict | list):
        return []
    parts = value.values() if isinstance(value, dict) else value
    return [value, *[node for part in parts for node in containers(part)]]


def mix_encodings(data: bytes, random: Random) -> bytes:
    """Write the text from some line on in another encoding."""
    at = data.find(b"\n", random.randrange(len(data) + 1)) + 1
    rest = data[at:].decode("utf-8", "replace")
    encoding = random.choice(["cp949", "utf-16-le", "utf-16", "utf-8-sig", "latin-1", "johab"])
    return data[:at] + rest.encode(encoding, "replace")


def end_in_character(data: bytes, random: Random) -> bytes:
    """End within the bytes of a character."""
    inside = [at for at, byte in enumerate(data) if 0x80 <= byte < 0xC0]
    return data[: random.choice(inside)] if inside else data


def mark(data: bytes, random: Random) -> bytes:
    """Begin with the first bytes of another encoding or compression."""
    marks = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ\0"]
    return random.choice(marks) + data


def compressed(data: bytes, random: Random) -> bytes:
    """Compress a file, or its beginning, once or twice."""
    compressors: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]
    whole = random.choice(compressors)(data)
    return random.choice([whole, whole * 2, whole[:-9]])


ON_BYTES: list[Callable[[bytes, Random], bytes]] = [
    flip, cut, end_early, double, nest, mix_encodings, end_in_character, mark
]  # fmt: skip
ON_TEXT: list[Callable[[str, Random], str]] = [
    insert, swap, at_separator, at_separator, change_column, change_column, move_line, other_lines,
    lines_of(swap_lines), lines_of(drop_line), lines_of(double_line), lines_of(blank_line),
    lines_of(change_cells), lines_of(change_cells), change_number, change_number, control,
    long_line, line_ends, other_forms, other_forms, glued,
]  # fmt: skip
RARE: list[Callable[[str, Random], str]] = [only_comments, other_columns]
"""What leaves little of most files."""
ENCODINGS = ["utf-8"] * 14 + ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp949", "utf-8-sig"]


def damaged(seed: Seed, random: Random) -> bytes:
    """An input after some blows."""
    data = seed.data
    if seed.name.startswith("corpus-") and seed.name.endswith(".txt"):
        data = data.decode("utf-16").encode()
    for _ in range(random.choice([0, 1, 1, 2, 3, 6])):
        if random.random() < 0.3:
            data = random.choice(ON_BYTES)(data, random)
        else:
            text = data.decode("utf-8", "surrogatepass" if is_text(data) else "replace")
            blow = random.choice(ON_TEXT)
            if random.random() < 0.03:
                blow = random.choice(RARE)
            elif text[:1] in ("{", "[") and random.random() < 0.5:
                blow = change_json
            data = blow(text, random).encode("utf-8", "surrogatepass")
    if len(data) > LARGEST:
        # As if it had not been copied whole: what takes long then is no question of the length.
        data = data[:LARGEST]
    encoding = random.choice(ENCODINGS)
    if encoding != "utf-8":
        data = data.decode("utf-8", "replace").encode(encoding, "replace")
    return compressed(data, random) if random.random() < 0.02 else data


def is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
