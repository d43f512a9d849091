"""Run every command on damaged inputs of every format, and see that it ends as it should.

    python tests/fuzz.py --cases 24000 --seed 1 --jobs 2 --keep failures/
    python tests/fuzz.py --commands convert,ner --cases 2000
    python tests/fuzz.py --seed 1 --show 137 > input

A case is an input of some format, damaged by a few random blows (damage.py), and a command that is
run on it; all of it follows from a seed and a number. The command must end within ten seconds of
the processor and a gigabyte of memory, with status 0, 1 or 2 and a message if it is not 0, without
a traceback and without a file left behind. Its output is whole or absent, can be read again, and
has every sentence of the input that no incident names (losses.py).

The script prints a table by command and format, and keeps each input that failed. Commands run in
processes that stay; a process that says nothing for ten minutes is ended, and its case has failed.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import io
import json
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora import ASSEMBLER, read_text, sejong_text
from damage import ROOT, WITH_KIWI, Seed, damaged, seeds
from losses import VISIBLE, Piece, decoded, missing

from sejongud.__main__ import main
from sejongud.converters.jobs import Conversion
from sejongud.converters.recut import CutWriter
from sejongud.errors import ON_ERROR, FormatError, Report, SejongudError
from sejongud.files import Source
from sejongud.formats import ENTITY_FORMATS, READERS, WRITERS, label_format, sniff
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from sejongud.errors import OnError
    from sejongud.model import Sentence

SLOW = 10
"""Seconds of the processor beyond which an input of some kilobytes counts as a hang."""
SILENT = 600
"""Seconds after which a process that says nothing is ended."""
BEFORE_RENEWAL = 10_000
"""How many cases a process runs: to load Kiwi takes as long as hundreds of them."""
LARGE = 1 << 30
"""The bytes by which a case may make the process larger."""
MEMORY = "/dev/shm"
"""A folder in memory, where nothing waits for a disk; elsewhere the usual folder serves."""

MADE = {
    "trees": b"(S (NP-SBJ (NNG a) (JKS b)) (VP (VV c) (EF d)) (SF .))\n(S (NP e) (VP (VV f)))\n",
    "parameters": b"DEBUG 0\nMAX_ERROR 10\nDELETE_LABEL SF\nEQ_LABEL NP VP\n",
    "sinica": "S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告))\n".encode() * 2,
}
OUTPUTS = ("OUT", "OUT.gz", "OUT.html", "OUT.svg")
LEVEL = "--level 1|2|3|4|5"
SCHEMES = "--upos sejong|table3.1|ud|morphud --lemmas normalised|morphud|form"
WAYS = [
    "corpus: library FORMAT",
    "corpus: library ANY",
    f"corpus: convert IN OUT --from FORMAT --to conllu {LEVEL}",
    f"corpus: convert IN OUT --to conllu {LEVEL} --deps none|dummy --ne misc|column|feats",
    f"corpus: convert IN OUT --from ANY --to sejong|sejong-line|jsonl|conllu {LEVEL}",
    f"corpus: convert IN OUT --from FORMAT --to sejong|jsonl {LEVEL}",
    f"corpus: convert IN OUT --to conllu {LEVEL} {SCHEMES}",
    "corpus: convert IN OUT.gz --spaced --to sejong|jsonl",
    "corpus: convert IN OUT --from FORMAT --jobs 2",
    "corpus: convert GOLD IN -o OUT --to conllu|jsonl|sejong",
    "corpus: convert IN GOLD -o OUT --jobs 2 --level 1|3",
    f"corpus: convert IN OUT {LEVEL} --feats ud|full --translit --gloss --xpos sejong",
    f"corpus: convert IN OUT {LEVEL} --profile pkt|ud --explain --aux-lemmas bound",
    f"corpus: convert IN OUT {LEVEL} --simplify --mark --with-tags",
    f"outputs: convert IN OUT --to sejong|sejong-line|jsonl|conllu {LEVEL}",
    "outputs: convert IN OUT --to treebank|penn-korean|espresso|klue-dp|brackets|sinica|tokens",
    f"layered: convert IN OUT --to conllu|jsonl {LEVEL} --ne misc|column",
    "layered: convert IN OUT --to sejong|klue-dp|treebank|tokens",
    "layered: ner morph2eoj IN OUT --to naver|columns|hf-jsonl",
    "layered: frame morph2eoj IN OUT",
    "layered: stats IN",
    "corpus: generate IN OUT --from FORMAT",
    "corpus: show IN --to igt|latex|expex|forest --levels 1|3|5",
    "corpus: join IN GOLD -o OUT",
    "corpus: join GOLD IN -o OUT --to conllu|jsonl",
    "treebank: convert IN OUT --from conllu --to conllu|sejong|jsonl --level 1|5",
    "treebank: dep word2morph IN OUT --scheme ud|morphud",
    "treebank: dep word2morph IN OUT --compat published --bound-marker +",
    "morphemes: dep morph2word IN OUT",
    "morphemes: dep morph2word GOLD OUT --words IN",
    "morphemes: dep morph2word IN OUT --words GOLD",
    "treebank: dep stats IN --json",
    f"eojeols: ner eoj2morph IN OUT {LEVEL} --ne misc|column|feats",
    f"syllables: ner syl2morph IN OUT {LEVEL} --nested",
    "eojeols: ner eoj2morph IN OUT --from FORMAT --inherit",
    "syllables: ner syl2morph IN OUT --from FORMAT",
    "pair: ner eoj2morph GOLD OUT --morphemes IN",
    "entities: ner check IN OUT",
    "labelled: ner check IN OUT",
    "entities: ner agree IN GOLD --json",
    "entities: ner convert IN OUT --from FORMAT --to naver|konne|hf-jsonl|inline|spans|spacy-json",
    "entities: ner merge IN GOLD OUT",
    "entities: ner split IN -o OUT --shares 50/25/25",
    "labelled: ner morph2eoj IN OUT --to naver|columns|hf-jsonl",
    "labelled: ner morph2syl IN OUT --repair --to klue-ner|konne|inline|kmou",
    "labelled: ner crf IN OUT",
    "crf: ner crf GOLD OUT --labels IN",
    "corpus: validate IN",
    "entities: validate IN --from FORMAT",
    "corpus: validate IN --roundtrip --json",
    "entities: validate IN --roundtrip",
    "corpus: validate IN GOLD",
    "corpus: validate IN GOLD --jobs 2",
    "corpus: stats IN --json",
    "corpus: draw IN --number 1|2 -o OUT.svg",
    "corpus: show IN --limit 0 --color always|never --width 0|20|80",
    "entities: show IN --limit 0 --ascii",
    "corpus: grep tag=N*|child.form!=* IN --to text|tsv|conllu --level 2|5",
    "corpus: freq IN --of lemma,head.tag --parts sentence --ngrams 2",
    "corpus: freq IN --around tag=N* --window 2 --tsv --level 2|5 --on-error skip",
    "entities: grep entity=* IN --count lemma,prev.tag --on-error skip",
    "corpus: report IN OUT.html",
    "entities: report IN GOLD OUT.html --limit 2",
    "corpus: eval tokens GOLD IN --csv",
    "corpus: eval tokens IN GOLD --unit token|word|morpheme --from conllu|text",
    "corpus: eval pos GOLD IN --sentences",
    "corpus: eval pos IN GOLD --bootstrap 10 --json",
    "treebank: eval dep IN GOLD --json",
    "treebank: eval dep GOLD IN --confusion direction|depth",
    "entities: eval ner GOLD IN",
    "labelled: eval ner IN GOLD --compare GOLD --samples 10",
    "trees: eval parse GOLD IN --sentences",
    "trees: eval parse GOLD IN --evalb -D",
    "parameters: eval parse GOLD GOLD --evalb -p IN",
    "sinica: eval sighan IN GOLD --json",
    f"text: analyze IN OUT {LEVEL} --split",
    f"text: analyze IN OUT {LEVEL}",
    f"frames: frame eoj2morph IN OUT {LEVEL}",
    "frames: frame eoj2morph IN OUT --merge-instances --symbols out",
    "frames: frame stats IN",
    "framed: frame morph2eoj IN OUT",
    "framed: eval frame GOLD IN",
    f"leaves: tree level IN OUT {LEVEL}",
    f"leaves: convert IN OUT --from treebank {LEVEL}",
    "leaves: tree stats IN",
    "leaves: tree dependencies IN OUT",
    f"fid: tree level IN OUT --to penn-korean --inside widen|drop {LEVEL}",
    f"fid: convert IN OUT --from penn-korean --to treebank|conllu {LEVEL}",
    "fid: show IN --to igt|forest --levels 1|2|5",
    "leaves: show IN --to forest --levels 1|5",
    "attached: tree extract IN OUT --to penn-korean",
    "attached: convert IN OUT --to treebank",
    "attached: tree extract IN OUT --pos upos --terminal lemma",
    "trees: tree strip IN OUT --functions --empty --unary",
    "attached: tree attach GOLD IN OUT",
    "dependencies: tree from-dependencies IN OUT",
    "m2: gec apply IN OUT --from m2 --annotator 0|1",
    "m2: gec convert IN OUT --from m2 --to m2|jsonl|tsv|html",
    "m2: gec convert IN OUT --from m2 --to m2",
    "m2: gec convert IN OUT --to conllu",
    "m2: gec stats IN --json",
    "m2: gec agree IN --json",
    "records: analyze IN OUT --field text --level 1|5",
    "m2: gec score GOLD IN --what correction-type|detection-token --by type|operation --sentences",
    "m2: gec score IN GOLD --metric maxmatch|gleu --json",
    "m2: gec score IN GOLD --errant -cat 2",
    "m2: gec m2 IN -auto|-gold -lang ko -out OUT",
    "m2: gec compare -hyp IN -ref GOLD -cat 1|2|3",
    "text: gec parallel -orig GOLD -cor IN -lang ko -out OUT",
    "text: gec clean IN OUT --source GOLD",
    "gec-tsv: gec convert IN OUT --from tsv --to jsonl|tsv",
    "gec-tsv: gec convert IN OUT --columns 2,1|source,target --to jsonl",
    "gec-tsv: gec convert GOLD IN --from parallel --to tsv -o OUT",
    "gec-jsonl: gec convert IN OUT --from jsonl --to m2|jsonl|tsv|html",
    "gec-jsonl: gec apply IN OUT",
    "gec-tsv: gec annotate IN -o OUT --from tsv --to m2|jsonl|tsv --unit eojeol|char",
    "m2: gec annotate IN -o OUT --from m2 --scheme kagas|errant --keep-edits",
    "gec-conllu: gec convert IN OUT --from conllu --to m2|jsonl",
    "corrected: gec convert IN OUT --from FORMAT --to jsonl|tsv --spoken",
    "corrected: gec filter native IN OUT --from FORMAT --without names",
    "lang8: gec filter lang8 IN OUT --from tsv --unit eojeol --distance raw|normalised",
    "lang8: gec filter lang8 IN OUT --no-split --strip-foreign --unit eojeol",
    "recipe: release IN OUT",
    "source: release RECIPE OUT",
    "built: release verify DIR",
    "table: rules show NAME --rules DIR",
    "table: rules --rules DIR",
    "table: convert GOLD OUT --from sejong --rules DIR",
]
"""The kind of input: the arguments, of which a | parts those that chance chooses from.

IN is the damaged input and GOLD the same before. FORMAT is its format and ANY the name of any. All
but `library`, which reads and writes sentences without a file, are commands.
"""
DEAR = ("--roundtrip", "--jobs 2", "release IN", "release RECIPE")
"""What takes as long as a hundred other cases."""
RARE = 8
"""Every how many turns there is a dear case; a cheap one takes its place in the others."""
RECIPE = b"""name = "fuzz"
title = "Fuzz"
version = "1.0"
licence = "MIT"
authors = ["an author"]
[[inputs]]
name = "a"
path = "in"
converter = "convert"
on_error = "skip"
outputs = { conllu = [1, 5], jsonl = [5] }
"""


class Case(NamedTuple):
    """A command, and the input that it is given."""

    number: int
    seed: Seed
    data: bytes
    words: list[str]

    @property
    def command(self) -> str:
        return " ".join(self.words[: 1 + (self.words[1] == "verify" or self.words[0] in _NESTED)])


_NESTED = ("dep", "ner", "eval", "gec")


# --- inputs -------------------------------------------------------------------------------------


@cache
def inputs(kind: str) -> dict[str, list[Seed]]:
    """The undamaged inputs of a kind, by their format."""
    found = defaultdict(list)
    for seed in _inputs(kind):
        found[seed.format].append(seed)
    return found


def _inputs(kind: str) -> list[Seed]:
    samples, data = ROOT / "samples", ROOT / "tests" / "data"
    match kind:
        case "trees" | "parameters" | "sinica":
            return [Seed(kind, kind, MADE[kind])]
        case "layered":
            # Frames in columns, entities in MISC.
            [framed] = _inputs("framed")
            text = re.sub(rb"(\tNN[GP]\t.*\t.*\t.*\t.*\t)_\t", rb"\1NE=B-PS\t", framed.data)
            return [Seed("layered.conllu", "conllu", text)]
        case "corpus":
            return [seed for seed in seeds() if seed.format not in WITH_KIWI]
        case "source":
            return [seed for seed in seeds() if seed.format in ("sejong", "jsonl", "conllu")]
        case "built":
            return [
                Seed(path.relative_to(built()).as_posix(), kind, path.read_bytes())
                for path in sorted(built().rglob("*"))
                if path.is_file()
            ]
        case "entities":
            # The annotations of brat stand beside its text.
            paths = [path for path in sorted((data / "ner").iterdir()) if path.suffix != ".ann"]
            corpora = [Seed(path.name, format_of(path), path.read_bytes()) for path in paths]
            return [seed for seed in corpora if seed.format in ENTITY_FORMATS]
        case "eojeols" | "syllables":
            return [seed for seed in _inputs("entities") if label_format(seed.format).unit in kind]
        case "gec-jsonl" | "gec-tsv" | "gec-conllu":
            to = kind.removeprefix("gec-")
            text = converted(["gec", "convert", "-q", str(samples / "learner.m2"), "--to", to])
            return [Seed("learner.m2", kind, text)]
        case "corrected":
            named = {"learner-xml": samples / "learner.xml"}
            named |= {name: data / "gec" / f"{name}.json" for name in ("nikl", "knct")}
            return [Seed(path.name, name, path.read_bytes()) for name, path in named.items()]
        case "crf":
            labelled = samples / "expected" / "naver-ner.5.conllu"
            return [Seed(labelled.name, kind, converted(["ner", "crf", "-q", str(labelled)]))]
    files = {
        "outputs": sorted((samples / "expected").glob("*.conllu")),
        "treebank": [samples / "ud.conllu", *sorted(data.glob("*.conllu"))],
        "morphemes": [samples / "expected" / "ud.5.conllu", *sorted(data.glob("*.conllu"))],
        "labelled": [samples / "expected" / "naver-ner.5.conllu"],
        "frames": [samples / "framenet.tsv", data / "framenet-0.8.tsv"],
        "records": [data / "records.jsonl", data / "records.csv"],
        "framed": [samples / "expected" / "framenet.frames.conllu"],
        "leaves": [
            samples / "treebank.txt",
            samples / "treebank-figure.txt",
            data / "figures" / "2.3b.txt",
        ],
        "fid": [samples / "penn-korean.fid", data / "figures" / "2.4.fid"],
        "attached": sorted((samples / "expected").glob("treebank.*.conllu")),
        "dependencies": [samples / "klue-dp.tsv"],
        "pair": [samples / "naver-ner.txt"],
        "text": [samples / "text.txt"],
        "m2": [samples / "learner.m2"],
        "lang8": [data / "gec" / "lang8.tsv"],
        "recipe": [samples / "release.toml", samples / "release-treebanks.toml"],
        "table": sorted(path for path in (ROOT / "rules").iterdir() if path.suffix != ".py"),
    }
    names = dict.fromkeys(("outputs", "treebank", "morphemes", "labelled"), "conllu")
    names["pair"] = "sejong"
    found = [path for path in files[kind] if path.is_file()]
    return [Seed(path.name, names.get(kind, kind), path.read_bytes()) for path in found]


def converted(words: list[str]) -> bytes:
    """What a command writes on standard output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(words)
    return out.getvalue().encode()


def format_of(path: Path) -> str:
    """The name of the format that a corpus of entities is recognised as."""
    with contextlib.suppress(SejongudError), Source(path) as source:
        found = sniff(source.head())
        return found.name if found else ""
    return ""


@cache
def built() -> Path:
    """A release."""
    place = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    (place / "recipe.toml").write_bytes(RECIPE)
    shutil.copy(ROOT / "samples" / "sejong-ids.txt", place / "in")
    assert run(["release", "-q", str(place / "recipe.toml"), str(place / "out")]).status == 0
    return place / "out"


@cache
def ways(commands: tuple[str, ...]) -> list[str]:
    """The ways to use these commands; of all commands if none is named."""
    return [way for way in WAYS if not commands or way.split()[1] in commands]


def make(seed: int, number: int, commands: tuple[str, ...] = ()) -> Case:
    """The case of a number: one way after the other, and of each way one format after the other."""
    random = Random(f"{seed}-{number}")
    chosen = ways(commands)
    turn, at = divmod(number, len(chosen))
    way = chosen[at]
    if turn % RARE and any([word in way for word in DEAR]):
        cheap = [way for way in chosen if not any([word in way for word in DEAR])]
        way = random.choice(cheap or [way])
    kind, _, arguments = way.partition(": ")
    by_format = inputs(kind)
    formats = sorted(by_format)
    given = random.choice(by_format[formats[turn % len(formats)]])
    words = [random.choice(word.split("|")) for word in arguments.split()]
    words = [
        {"FORMAT": given.format, "ANY": random.choice(READERS)}.get(word, word) for word in words
    ]
    if words[0] not in ("release", "rules"):
        words += ["--on-error", random.choice(ON_ERROR)]
    if (
        words[0] != "rules"
        and words[1] != "verify"
        and (is_conversion(words) or random.random() < 0.3)
    ):
        words += ["--log", "REPORT"]
    return Case(number, given, damaged(given, random), words)


def is_conversion(words: list[str]) -> bool:
    """Whether a command writes the sentences that it reads."""
    return words[0] in ("convert", "analyze", "dep", "ner", "gec") and not {
        *("stats", "agree", "check", "score", "split", "compare")
    } & {*words}


# --- a case -------------------------------------------------------------------------------------


class HangError(BaseException):
    """Raised where a command is after too long a time; no handler of the program catches it."""


class Run(NamedTuple):
    """What a command did."""

    status: int
    said: str
    shown: int
    """How many bytes it wrote on standard output."""


@contextlib.contextmanager
def watchdog() -> Iterator[None]:
    """Interrupt what takes too long."""

    def bark(number: int, frame: FrameType | None) -> None:
        raise HangError(f"no end within {SLOW} s")

    before = signal.signal(signal.SIGPROF, bark)
    signal.setitimer(signal.ITIMER_PROF, SLOW)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@cache
def load_kiwi() -> None:
    """Load what takes long by itself, in both ways in which commands load it."""
    for jobs in ("1", "auto"):
        main(["analyze", "-q", "--jobs", jobs, str(ROOT / "samples" / "text.txt"), "/dev/null"])


def run(words: list[str]) -> Run:
    """Run a command in this process."""
    load_kiwi()
    shown, said = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        try:
            with watchdog():
                status = main(words)
        except SystemExit as ending:
            assert isinstance(ending.code, int)
            status = ending.code
    for stream in (shown, said):
        stream.flush()
    said.seek(0)
    return Run(status, said.read(), shown.buffer.tell())


def attempt(case: Case, directory: Path) -> int:
    """Run the command of a case, and return its status.

    Raises:
        AssertionError: it did not end as it should.
        Exception: any error that the command did not expect.
        HangError: the command did not end.
    """
    place = directory / str(case.number)
    place.mkdir()
    names = lay_out(case, place)
    if case.words[0] == "library":
        with watchdog():
            return read_and_write(case, names["IN"])
    before = {path.name for path in place.iterdir()}
    done = run([str(names.get(word, word)) for word in case.words])
    out = names[next((word for word in case.words if word in OUTPUTS), "OUT")]
    report = names["REPORT"]
    assert done.status in (0, 1, 2), f"status {done.status}"
    assert "Traceback" not in done.said, done.said
    assert done.status == 0 or done.said or done.shown, "no message"
    left = {path.name for path in place.iterdir()} - before - {out.name, "report"}
    assert not left, f"left behind: {left}"
    if done.status == 2:
        assert not out.exists(), "an output in spite of wrong usage"
    if case.words[1] == "verify":
        assert done.status == (case.data != case.seed.data), "a changed release is verified"
    incidents = read_report(report) if report.exists() else []
    if is_conversion(case.words):
        check_output(case, done, names, out, incidents)
    return done.status


def read_and_write(case: Case, path: Path) -> int:
    """Read an input, write it in every format, and read what was written.

    Returns:
        1 if the input cannot be read, otherwise 0.

    Raises:
        AssertionError: what was written does not say what was read.
    """
    name = case.words[1]
    on_error: OnError = ON_ERROR[ON_ERROR.index(option(case.words, "--on-error"))]
    level = LEVELS[case.number // len(WAYS) % len(LEVELS)]
    try:
        with Source(path) as source:
            reader = reader_of(name, on_error)
            frames = reader.blocks_of(source)
            sentences = list(reader.read(frames, "in", on_error, Report()))
    except SejongudError as error:
        assert str(error)
        return 1
    # A level may cut a word at the border of a constituent, which is an error of its own.
    sentences = [sentence.but(constituents=()) for sentence in sentences]
    for to in WRITERS:
        writer = Conversion(name, to, level=level, deps="dummy").make_writer()
        for sentence in sentences:
            # KLUE-DP refuses a sentence that lacks a head.
            with contextlib.suppress(*[FormatError] * (to == "klue-dp")):
                writer.sentence(sentence)
    bare(sentences)
    text = CutWriter(Conversion(name, level=level).make_recut(), ConlluWriter())
    written = "".join([text.sentence(sentence) for sentence in sentences])
    back = read_text(ConlluReader(ASSEMBLER), written)
    assert sejong_text(bare(back)) == sejong_text(sentences), "CoNLL-U says something else"
    return 0


@cache
def reader_of(format: str, on_error: OnError = "stop") -> Any:
    return Conversion(format, on_error=on_error).make_reader()


def bare(sentences: list[Sentence]) -> list[Sentence]:
    """The same sentences with nothing but their eojeols and ids, counted from one."""
    for number, sentence in enumerate(sentences, 1):
        sentence.arcs = None
        sentence.is_treebank = False
        sentence.entities = ()
        sentence.comments = ()
        sentence.number, sentence.sent_id = number, str(number)
    return sentences


def lay_out(case: Case, place: Path) -> dict[str, Path]:
    """Write the inputs of a case; what its words stand for."""
    names = {word: place / word.lower() for word in ("IN", "GOLD", "REPORT", *OUTPUTS)}
    names |= {"DIR": place / "tables", "NAME": Path(Path(case.seed.name).stem)}
    names["RECIPE"] = place / "recipe"
    gold = case.seed.data
    match case.seed.format:
        case "table":
            names["IN"] = place / "tables" / case.seed.name
            names["IN"].parent.mkdir()
            gold = (ROOT / "samples" / "sejong.txt").read_bytes()
        case "recipe":
            for path in (ROOT / "samples").iterdir():
                if path.is_file() and path.suffix != ".toml":
                    shutil.copy(path, place)
            (place.parent / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
        case "built":
            shutil.copytree(built(), place / "tables")
            names["IN"] = place / "tables" / case.seed.name
        case "crf":
            gold = (ROOT / "samples" / "expected" / case.seed.name).read_bytes()
        case "parameters":
            gold = MADE["trees"]
    if "--morphemes" in case.words:
        gold = (ROOT / "samples" / "naver-ner.tsv").read_bytes()
    names["RECIPE"].write_bytes(RECIPE)
    names["GOLD"].write_bytes(gold)
    names["IN"].write_bytes(case.data)
    return names


def read_report(path: Path) -> list[dict[str, Any]]:
    """The incidents in a file of --log."""
    # Not splitlines: other ends of lines may stand in a message.
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    assert all([incident["code"] for incident in found])
    return found


def check_output(
    case: Case, done: Run, names: dict[str, Path], out: Path, incidents: list[dict[str, Any]]
) -> None:
    """See that the output is whole or absent, and lacks nothing that is not reported.

    Raises:
        AssertionError: it is not so.
    """
    if not out.exists():
        assert done.status != 0, "status 0 and no output"
        return
    if case.words[0] == "convert":
        # What ended the run is said last; where the run went on, the counts are.
        *others, last = done.said.splitlines() or [""]
        if re.match("[0-9]+ files? written to ", last):
            last = (others or [""])[-1]
        assert done.status == 0 or last.startswith("incidents: "), "the output of half a run"
    if out.suffix == ".gz":
        return
    to = option(case.words, "--to") or ("m2" if "annotate" in case.words else "conllu")
    # What goes back into its own format has the encoding that it had.
    own = to == "treebank" or to == option(case.words, "--from")
    text = own_text(out) if own else out.read_bytes().decode()
    assert text[-1:] in ("", "\n") or lacks_end(case, names), "the last line has no end"
    if case.words[0] in ("convert", "analyze", "dep") and to not in WITH_KIWI and "\t" in text:
        read_again(out, to, {incident["code"] for incident in incidents})
    if re.search("other eojeols than (its|their) text", done.said):
        # A comment with the text says something else than the words.
        return
    lost = lost_sentences(case, text, to, incidents)
    assert not lost, f"{len(lost)} sentences are lost and no incident says so: {lost[:3]}"


def lacks_end(case: Case, names: dict[str, Path]) -> bool:
    """Whether the last input lacks its last line end, with which some formats come back."""
    last = [word for word in case.words if word in ("IN", "GOLD")][-1]
    return own_text(names[last])[-1:] not in ("", "\n")


def own_text(path: Path) -> str:
    """The text of a file in its own encoding."""
    with Source(path) as source:
        return source.text()


def option(words: list[str], name: str) -> str:
    """The value of an option, "" without it."""
    return words[words.index(name) + 1] if name in words else ""


ANNOUNCED = {
    "E101": {"E103"},
    "E103": {"W104"},
    "E109": {"W104", "W106", "E101", "E109"},
    # A damaged row of KLUE-DP comes back as it was.
    "E313": {"E313"},
    # A damaged tree is kept as it is, and is as damaged in a treebank that is written.
    "E604": {"E601"},
}
"""The code of an output that cannot be read: the codes of incidents that tell of its reason.

Sejong text has no place for every character in a tag, for an eojeol of any length, nor for one that
looks like the id of an eojeol.
"""


def read_again(path: Path, format: str, codes: set[str]) -> None:
    """Read an output.

    Raises:
        AssertionError: it cannot be read.
    """
    try:
        with Source(path) as source:
            reader = reader_of(format)
            for _ in reader.read(reader.blocks_of(source), "out", "stop", Report()):
                pass
    except FormatError as error:
        announced = ANNOUNCED.get(error.code, set()) & codes
        assert announced, f"the output cannot be read: {error}"


def lost_sentences(case: Case, text: str, to: str, incidents: list[dict[str, Any]]) -> list[Piece]:
    """The sentences of the input that are not in the output and that no incident names."""
    match case.words:
        case ["convert", "IN", *_]:
            name = option(case.words, "--from")
        case ["analyze", *_] if not case.seed.name.endswith(".csv"):
            # A cell of CSV may have several lines.
            name = "text"
        case ["dep", _, "IN", *rest] if "--words" not in rest and "--compat" not in rest:
            name = "conllu"
        case ["ner", "eoj2morph" | "syl2morph" | "morph2eoj" | "morph2syl", "IN", *_]:
            name = (option(case.words, "--from") or option(case.words, "--to")) or case.seed.format
            if case.words[1].startswith("morph2"):
                name, to = "conllu", name
        case ["gec", "convert" | "annotate", "IN", *_] if "--columns" not in case.words:
            name = case.seed.format
            to = {"jsonl": "gec-jsonl", "tsv": "gec-tsv"}.get(to, to)
        case _:
            return []
    data = decoded(case.data)
    if data is None or name not in VISIBLE or to not in VISIBLE:
        return []
    return missing(VISIBLE[name](data), VISIBLE[to](text), incidents)


def failure_of(case: Case, directory: Path) -> tuple[int, str]:
    """Run a case; its status, and why it failed."""
    try:
        return attempt(case, directory), ""
    except (Exception, HangError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return -1, f"{Path(last.filename).name}:{last.lineno} {error!r}"[:600]


# --- many ---------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What became of a case."""

    number: int
    command: str
    format: str
    status: int
    failure: str
    seconds: float


def serve(arguments: argparse.Namespace) -> None:
    """Run the cases whose numbers come in, and answer with an outcome each."""
    folder: Path = arguments.keep
    folder.mkdir(parents=True, exist_ok=True)
    load_kiwi()
    seeds()
    within = MEMORY if Path(MEMORY).is_dir() else None
    for line in sys.stdin:
        case = make(arguments.seed, int(line), arguments.commands)
        kept = folder / f"{case.number}.in"
        # It stays if this process does not come back.
        kept.write_bytes(case.data)
        # What earlier cases left in memories is no work of this one: a check of round trips
        # collects garbage at each step.
        gc.collect()
        gc.freeze()
        begin, peak, size = time.process_time(), peak_size(), present_size()
        with tempfile.TemporaryDirectory(dir=within) as directory:
            status, failure = failure_of(case, Path(directory))
        took = time.process_time() - begin
        grown = peak_size() - size if peak_size() > peak else 0
        if grown > LARGE:
            status, failure = -1, failure or f"the process grew by {grown >> 20:,} MB"
        if failure:
            told = f"case {case.number}: {case.seed.name}: {' '.join(case.words)}\n  {failure}\n"
            kept.with_suffix(".txt").write_text(told, "utf-8", "backslashreplace")
            print(told.encode(errors="backslashreplace").decode(), file=sys.stderr, flush=True)
        else:
            kept.unlink()
        outcome = Outcome(case.number, case.command, case.seed.format, status, failure, took)
        # A process that has grown ends, so that the next one is measured from its beginning.
        print(json.dumps([*outcome, grown > LARGE]), flush=True)
        if grown > LARGE:
            return


def peak_size() -> int:
    """The bytes of memory that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def present_size() -> int:
    """The bytes of memory that this process has."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def drive(arguments: argparse.Namespace, numbers: Iterator[int]) -> list[Outcome]:
    """Have the cases run by processes, one after the other."""
    outcomes: list[Outcome] = []
    command = [sys.executable, __file__, "--serve", "--seed", str(arguments.seed)]
    command += ["--commands", ",".join(arguments.commands), "--keep", str(arguments.keep)]
    process = None
    for number in numbers:
        if process is None:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"%d\n" % number)
        process.stdin.flush()
        answers = select.select([process.stdout], [], [], SILENT)[0]
        ended = True
        if answers and (line := process.stdout.readline()):
            *outcome, ended = json.loads(line)
            outcomes.append(Outcome(*outcome))
        else:
            process.kill()
            process.wait()
            what = "the process ended" if answers else f"silent for {SILENT} s"
            print(f"case {number}: {what}", file=sys.stderr, flush=True)
            outcomes.append(Outcome(number, "?", "?", -1, what, 0))
        if ended or len(outcomes) % BEFORE_RENEWAL == 0:
            process.stdin.close()
            process.wait()
            process = None
    return outcomes


def table(outcomes: list[Outcome]) -> str:
    """The outcomes by command and format."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    slowest: dict[tuple[str, str], float] = defaultdict(float)
    for outcome in outcomes:
        for key in ((outcome.command, outcome.format), ("all", "")):
            counts[key].update(["cases", "failed" if outcome.failure else str(outcome.status)])
            slowest[key] = max(slowest[key], outcome.seconds)
    columns = ("cases", "0", "1", "2", "failed")
    rows = [f"{'command':16} {'format':12}" + "".join([f"{name:>8}" for name in columns])]
    rows[0] += f"{'slowest':>10}"
    for key in sorted(counts, key=lambda key: (key[0] == "all", key)):
        cells = "".join([f"{counts[key][name]:8,}" for name in columns])
        rows.append(f"{key[0]:16} {key[1]:12}{cells}{slowest[key]:8.1f} s")
    return "\n".join(rows)


def run_many(arguments: argparse.Namespace) -> int:
    """Run the cases and print the table; the exit status."""
    begin = time.perf_counter()
    numbers = iter(range(arguments.first, arguments.first + arguments.cases))
    with ThreadPoolExecutor(arguments.jobs) as pool:
        parts = list(pool.map(lambda _: drive(arguments, numbers), range(arguments.jobs)))
    outcomes = [outcome for part in parts for outcome in part]
    print(table(outcomes))
    failed = sum([bool(outcome.failure) for outcome in outcomes])
    took = time.perf_counter() - begin
    print(f"{len(outcomes):,} cases, {failed:,} failed, {took:,.0f} s")
    return 1 if failed else 0


def main_of_script() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=24_000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--commands", default="", metavar="NAMES", help="as in convert,ner")
    parser.add_argument("--keep", type=Path, default=Path("failures"), metavar="DIR")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="write an input to stdout")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.commands = tuple(filter(None, arguments.commands.split(",")))
    if unknown := set(arguments.commands) - {way.split()[1] for way in WAYS}:
        parser.error(f"no command {', '.join(unknown)}")
    if arguments.show is not None:
        case = make(arguments.seed, arguments.show, arguments.commands)
        print(case.seed.name, *case.words, file=sys.stderr)
        sys.stdout.buffer.write(case.data)
        return 0
    if arguments.serve:
        serve(arguments)
        return 0
    return run_many(arguments)


if __name__ == "__main__":
    sys.exit(main_of_script())
