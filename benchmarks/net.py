"""Compare two versions of sejongud: run every command, keep hashes of what comes out, compare them.

    python benchmarks/net.py --program OLD/bin/sejongud --out old.json --keep old/
    python benchmarks/net.py --program NEW/bin/sejongud --against old.json --keep new/
    diff -r old/dep/gsd.word2morph.ud new/dep/gsd.word2morph.ud

Every run is a process of its own, a fork of one that has imported sejongud, in a scratch folder. The
folder holds copies of samples/, of tests/data and, where they exist, of real corpora (`--data`; a
corpus is also cut to its first 200 sentences).
All names in the folder are relative, so that nothing of a run depends on where the folder is. A run
has four hashes:

    status     the exit status
    output     standard output and every file that was written
    incidents  the lines of --log without their messages
    messages   the messages of incidents, and standard error

The wording of messages, help texts and table headers may change without changing what a program
does: `output` holds the output of `validate` without its messages, the names of the options of
`--help`, and the tables of `rules` without their comments; the wording goes to `messages`. The exit
status of a comparison is 1 if a status, an output or incidents differ.

In the arguments of a run `{convert/sejong.5}` is the standard output of another run, and
`{release/samples:release}` another file of its.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("status", "output", "incidents", "messages")
SMALL = 200
"""How many sentences the small copy of a corpus has."""
LEVELS = "12345"
ON_ERROR = ("stop", "skip", "keep")
UPOS = ("sejong", "table3.1", "ud", "morphud")
LEMMAS = ("normalised", "morphud", "form")
CORPORA = {
    "gsd": "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "ksl": "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "kaist": "ud-korean-kaist/ko_kaist-ud-dev.conllu",
    "pud": "ud-korean-pud/ko_pud-ud-test.conllu",
    "wordud": "morphud-korean/ko_gsd-ud-dev.conllu",
    "morphud": "morphud-korean/ko_gsd-ud-dev-morph.conllu",
    "plusmorphud": "morphud-korean/ko_gsd-ud-dev-+morph.conllu",
    "klue-dp": "klue-dp/klue-dp-v1.1_dev.first1500.tsv",
    "klue-ner": "klue-ner/klue-ner-v1.1_dev.first3000.tsv",
}
TREEBANKS = ("gsd", "ksl", "kaist", "pud", "wordud")
SAMPLES = {
    "sejong": "sejong.txt",
    "ids": "sejong-ids.txt",
    "senses": "sejong-senses.txt",
    "faults": "sejong-faults.txt",
    "spoken": "corpus-spoken.txt",
    "written": "corpus-written.txt",
    "modu": "modu.json",
    "klue-dp": "klue-dp.tsv",
    "jsonl": "jsonl.jsonl",
    "ud": "ud.conllu",
    "naver": "expected/naver-ner.5.conllu",
}
"""The samples for which no analyser has to be started, which takes long."""
TREES = """(S (NP-SBJ (NNG 비) (JKS 가)) (VP (VV 내리) (EP 었) (EF 다)) (SF .))
(S (NP-SBJ (NP 나) (JX 는)) (VP (NP-OBJ (NNG 책) (JKO 을)) (VV 읽) (EP 었) (EF 다)) (SF .))
(S (VP (NP-AJT (NNG 학교) (JKB 에)) (VV 가) (EC 서)) (VP (VV 배우) (EF 다)))
"""
# ruff: noqa: E501 -- a tree is a line
SINICA = """S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告)|location:PP(P:在|GP(NP(Na:報紙)|Ng:上)))
S(agent:NP(Na:母親)|Head:VC:帶|theme:NP(Nh:他們)|location:PP(P:到|NP(Na:溪|Ncd:邊))|complement:VP(D:去|VA:釣魚))
"""
SINICA_SYSTEM = """S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告)|location:PP(P:在|NP(Na:報紙|Nc:上)))
S(agent:NP(Na:母親)|Head:VC:帶|agent:NP(Nh:他們)|location:PP(P:到|Na:溪邊)|deontics:D:去|Head:VA:釣魚)
"""


SERVER = """
import gc, importlib, json, os, pkgutil, sys
import sejongud.__main__
for module in pkgutil.walk_packages(sejongud.__path__, "sejongud."):
    try:
        importlib.import_module(module.name)
    except ImportError:
        pass
gc.freeze()
control, answers = os.dup(0), os.dup(1)
for line in os.fdopen(control):
    run = json.loads(line)
    child = os.fork()
    if not child:
        flags = (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_TRUNC] * 2)
        for number, (path, flag) in enumerate(zip(run["files"], flags)):
            os.dup2(os.open(path, flag, 0o666), number)
        sys.argv = ["sejongud", *run["arguments"]]
        sys.exit(sejongud.__main__.main())
    _, status = os.waitpid(child, 0)
    os.write(answers, b"%d\\n" % os.waitstatus_to_exitcode(status))
"""


class Run(NamedTuple):
    """One process."""

    name: str
    """COMMAND/WHAT, the folder in which its outputs are kept."""
    arguments: list[str]
    report: bool = True
    """Whether the command has --log."""
    reduce: Callable[[str], str] | None = None
    """The part of standard output that does not depend on wording, if that is not all."""
    stdin: str = ""
    """The file for standard input."""

    @property
    def needs(self) -> list[str]:
        """The runs whose outputs this one reads."""
        return re.findall(r"\{([^}:]*)", " ".join([*self.arguments, self.stdin]))


def run(name: str, *arguments: str, stdin: str = "", **options: Any) -> Run:
    """Return a run whose arguments are the words of `arguments`."""
    return Run(name, " ".join(arguments).split(), stdin=stdin, **options)


# What does not depend on wording.


def without_messages(text: str) -> str:
    """Return the incidents that `validate` prints, without their messages."""
    return "\n".join([_without_message(line) for line in text.split("\n")])


def _without_message(line: str) -> str:
    if line.startswith("{"):
        return json.dumps(_coded(json.loads(line)), ensure_ascii=False, sort_keys=True)
    found = re.match(r"(\S*:\d+(?::\d+)?: [A-Z]\d{3}) .*?( \[[^\]]*\])?$", line)
    return "".join(map(str, filter(None, found.groups()))) if found else line


def _coded(found: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in found.items() if key != "message"}


def option_names(text: str) -> str:
    """Return the names and choices of the options in a help text."""
    names = re.findall(r"(?<![\w-])-{1,2}[A-Za-z][\w-]*|\{[^}]+\}", text.partition("\n\n")[0])
    return "\n".join(sorted(set(names)))


def first_words(text: str) -> str:
    """Return the first word of every line."""
    return "\n".join([line.split(" ")[0] for line in text.split("\n")])


def without_comments(text: str) -> str:
    """Return the lines that are no comments."""
    return "\n".join([line for line in text.split("\n") if not line.startswith("#")])


# The inputs.


def prepare(folder: Path, data: Path) -> None:
    """Copy samples, faults and corpora into the scratch folder, and make other inputs of them."""
    shutil.copytree(ROOT / "samples", folder / "samples")
    shutil.copytree(ROOT / "tests/data", folder / "faults")
    shutil.copy(ROOT / "LICENSE", folder)
    (folder / "data").mkdir()
    for name, path in CORPORA.items():
        if (data / path).is_file():
            text = (data / path).read_text(encoding="utf-8")
            blocks = text.split("\n\n")
            _write(folder / f"data/{name}", text)
            _write(folder / f"data/{name}.small", "\n\n".join(blocks[:SMALL]) + "\n\n")
    _made_inputs(folder)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _made_inputs(folder: Path) -> None:
    text = (folder / "samples/sejong.txt").read_text(encoding="utf-8")
    made = folder / "made"
    _write(made / "crlf.txt", text.replace("\n", "\r\n"))
    _write(made / "bom.txt", f"\ufeff{text}")
    (made / "utf16.txt").write_bytes(text.encode("utf-16"))
    (made / "cp949.txt").write_bytes(text.encode("cp949", "replace"))
    (made / "sejong.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    _write(made / "empty.txt", "")
    _write(made / "blank.txt", "\n\n\n")
    _write(made / "gold.trees", TREES)
    _write(made / "system.trees", TREES.replace("NP-OBJ", "NP-AJT").replace("(VV 가)", "(VX 가)"))
    _write(made / "other.trees", TREES.replace("(NP-SBJ (NNG 비) (JKS 가))", "(NP (NNG 비가))"))
    _write(made / "gold.sinica", SINICA)
    _write(made / "system.sinica", SINICA_SYSTEM)
    _write(made / "rules/upos.tsv", "tag\tsejong\ttable3.1\tud\nNNG\tX\tX\tX\n")
    corpora = [path for path in (folder / "data").iterdir() if path.suffix == ".small"]
    for path in [*corpora, folder / "samples/ud.conllu"]:
        _write(made / f"{path.name}.system", disturbed(path.read_text(encoding="utf-8")))
    for path in (folder / "samples/naver-ner.tsv", folder / "samples/klue-ner.tsv"):
        _write(made / f"{path.name}.system", disturbed(path.read_text(encoding="utf-8"), (-1,)))
    for path in corpora:
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"^# text = (.*\n)", text, re.M)[:40]
        _write(made / f"{path.stem}.raw", "".join(lines))


def disturbed(text: str, columns: tuple[int, ...] = (3, 4, 6, 7)) -> str:
    """Return rows as a bad system would write them: cells of every fifth row are those of another.

    Args:
        text: rows with tabs.
        columns: which cells, as far as a row has them.
    """
    rows = [line.split("\t") for line in text.split("\n")]
    tabbed = [row for row in rows if len(row) > 1]
    for number, (row, other) in enumerate(zip(tabbed, tabbed[3:], strict=False)):
        column = columns[number // 5 % len(columns)]
        if number % 5 == 2 and max(column, -column) < min(len(row), len(other)):
            row[column] = other[column]
    return "\n".join(["\t".join(row) for row in rows])


# The runs.


def all_runs(folder: Path) -> Iterator[Run]:
    """Yield all runs for which the scratch folder has the inputs."""
    there = [name for name in CORPORA if (folder / f"data/{name}").is_file()]
    faults = sorted(p.name for p in (folder / "faults").iterdir() if p.is_file())
    yield from _conversions()
    yield from _conversion_options()
    yield from _faults(faults)
    yield from _corpora(there)
    yield from _analyses(there)
    yield from _dependencies(there)
    yield from _entities(there, folder)
    yield from _evaluations(there)
    yield from _statistics(there)
    yield from _views(there)
    yield from _checks(there, faults)
    yield from _releases()
    yield from _others(folder)


def _conversions() -> Iterator[Run]:
    for name, path in SAMPLES.items():
        source = f"convert samples/{path} --on-error keep"
        for level in LEVELS:
            yield run(f"convert/{name}.{level}", source, f"--level {level}")
            yield run(
                f"convert/{name}.{level}.sejong", f"convert {{convert/{name}.{level}}} --to sejong"
            )
        for to in ("sejong", "sejong-line", "jsonl"):
            yield run(f"convert/{name}.{to}", source, f"--to {to}")
        yield run(f"convert/{name}.jsonl.5", f"convert {{convert/{name}.jsonl}} --from jsonl")
    for to in ("conllu", "sejong-line"):
        yield run(f"convert/line.{to}", f"convert samples/sejong-line.txt --to {to}")
    yield run("stats/line", "stats samples/sejong-line.txt")
    yield run("convert/text", "convert samples/text.txt --from text --to jsonl")
    yield run("convert/text.skip", "convert samples/text.txt --on-error skip --level 2")


def _conversion_options() -> Iterator[Run]:
    for name in ("sejong", "jsonl", "ud", "naver"):
        source = f"convert samples/{SAMPLES[name]}"
        for upos, lemmas in zip(UPOS, (*LEMMAS, "form"), strict=True):
            for level in "15":
                options = f"--level {level} --upos {upos} --lemmas {lemmas}"
                yield run(f"convert/{name}.{level}.{upos}.{lemmas}", source, options)
        for deps, level in product(("none", "dummy"), "35"):
            yield run(f"convert/{name}.{deps}.{level}", source, f"--deps {deps} --level {level}")
        for ne, level in product(("misc", "column"), "15"):
            made = f"convert/{name}.{ne}.{level}"
            yield run(made, source, f"--ne {ne} --level {level}")
            yield run(f"{made}.back", f"convert {{{made}}} --ne misc")
        yield run(f"convert/{name}.spaced", source, "--to sejong --spaced")
        yield run(f"convert/{name}.jobs", source, "--jobs 2")
        yield run(f"convert/{name}.quiet", source, "-q")
    for name in (
        "crlf.txt",
        "bom.txt",
        "utf16.txt",
        "cp949.txt",
        "sejong.txt.gz",
        "empty.txt",
        "blank.txt",
    ):
        yield run(f"convert/made.{name}", f"convert made/{name} --on-error keep")
    yield run("convert/encoding", "convert made/cp949.txt --encoding cp949")
    yield run("convert/wrong-encoding", "convert made/cp949.txt --encoding utf-8")
    yield run("convert/stdin", "convert - -", stdin="samples/sejong.txt")
    yield run("convert/file", "convert samples/sejong.txt OUT/out.conllu")
    yield run("convert/file.gz", "convert samples/sejong.txt OUT/out.conllu.xz")
    yield run("convert/verbose", "convert samples/sejong-faults.txt --on-error keep -v")
    yield run("convert/rules", "convert samples/sejong.txt --rules made/rules")
    for name in ("corpus", "sejong-line", "modu", "klue-dp", "conllu", "jsonl"):
        yield run(f"convert/taken-for.{name}", f"convert samples/sejong.txt --from {name}")


def _faults(names: list[str]) -> Iterator[Run]:
    for name, on_error in product(names, ON_ERROR):
        yield run(f"faults/{name}.{on_error}", f"convert faults/{name} --on-error {on_error}")
    for name in names:
        if name.endswith(".conllu"):
            yield run(f"faults/{name}.dep", f"dep word2morph faults/{name} --on-error keep")
            yield run(f"faults/{name}.back", f"dep morph2word faults/{name} --on-error skip")
    for name, on_error in product(("faults", "spoken", "modu"), ON_ERROR):
        source = f"convert samples/{SAMPLES[name]} --on-error {on_error} --level 3"
        yield run(f"faults/{name}.{on_error}", source)


def _corpora(there: list[str]) -> Iterator[Run]:
    for name in there:
        if name == "klue-ner":
            continue
        yield run(f"corpora/{name}", f"convert data/{name} --on-error keep")
        small = f"convert data/{name}.small --on-error"
        for level in LEVELS if name in ("gsd", "kaist", "klue-dp") else "25":
            made = f"corpora/{name}.{level}"
            yield run(made, small, f"keep --level {level}")
            yield run(f"{made}.sejong", f"convert {{{made}}} --to sejong --on-error keep")
            yield run(f"{made}.ud", small, f"skip --upos ud --level {level}")
        for to in ("sejong", "sejong-line", "jsonl"):
            yield run(f"corpora/{name}.{to}", small, f"keep --to {to}")
        yield run(f"corpora/{name}.stop", small, "stop")
        yield run(f"corpora/{name}.jobs", small, "keep --jobs 2 --upos morphud")
        yield run(f"corpora/{name}.dummy", small, "keep --deps dummy --level 3")


def _analyses(there: list[str]) -> Iterator[Run]:
    yield run("analyze/text.5", "analyze samples/text.txt")
    yield run("analyze/text.split", "analyze samples/text.txt --split --level 1 --upos ud")
    if "gsd" in there:
        yield run("analyze/gsd", "analyze made/gsd.raw --lemmas form --jobs 1")


def _dependencies(there: list[str]) -> Iterator[Run]:
    inputs = {"sample": "samples/ud.conllu"}
    inputs |= {name: f"data/{name}.small" for name in there if name in TREEBANKS}
    whole = {f"{name}.whole": f"data/{name}" for name in there if name in TREEBANKS}
    for name, path in {**inputs, **whole}.items():
        for scheme in ("ud", "morphud"):
            made = f"dep/{name}.word2morph.{scheme}"
            yield run(made, f"dep word2morph {path} --scheme {scheme} --on-error keep")
            yield run(f"{made}.back", f"dep morph2word {{{made}}} --on-error keep")
    for name, path in inputs.items():
        source = f"dep word2morph {path} --on-error keep"
        for upos, lemmas in zip(UPOS, LEMMAS[:2] * 2, strict=True):
            yield run(f"dep/{name}.{upos}.{lemmas}", source, f"--upos {upos} --lemmas {lemmas}")
        for on_error in ("stop", "skip"):
            yield run(f"dep/{name}.{on_error}", f"dep word2morph {path} --on-error {on_error}")
        for option in ("--compat published", "--bound-marker +"):
            made = f"dep/{name}.{option.split()[-1]}"
            yield run(made, source, option)
            back = option if "marker" in option else ""
            yield run(f"{made}.back", f"dep morph2word {{{made}}} --on-error keep {back}")
            yield run(f"{made}.words", f"dep morph2word {{{made}}} --words {path} {back}")
        yield run(f"dep/{name}.published.+", source, "--compat published --bound-marker +")
        yield run(
            f"dep/{name}.system", f"dep morph2word made/{Path(path).name}.system --on-error keep"
        )
        yield run(
            f"dep/{name}.levels", f"convert {{dep/{name}.word2morph.ud}} --level 3 --on-error keep"
        )
        yield run(f"dep/{name}.stats", f"dep stats {path} --on-error keep --top 5")
        yield run(f"dep/{name}.stats.json", f"dep stats {path} --scheme ud --on-error keep --json")
    for name, marker in (("morphud", ""), ("plusmorphud", "--bound-marker +")):
        if name in there and "wordud" in there:
            yield run(
                f"dep/published.{name}", f"dep morph2word data/{name} {marker} --on-error keep"
            )
            yield run(
                f"dep/published.{name}.words",
                f"dep morph2word data/{name} {marker} --words data/wordud --on-error keep",
            )


def _entities(there: list[str], folder: Path) -> Iterator[Run]:
    given = "--morphemes samples/naver-ner.txt"
    naver = f"ner eoj2morph samples/naver-ner.tsv {given}"
    yield run("ner/naver", naver)
    yield run("ner/naver.kiwi", "ner eoj2morph samples/naver-ner.tsv")
    klue = "ner syl2morph samples/klue-ner.tsv"
    yield run("ner/klue", klue)
    morphemes = {"naver": given, "klue": "--morphemes {ner/klue}"}
    for name, source in (("naver", naver), ("klue", f"{klue} {morphemes['klue']}")):
        for option in (
            *("--inherit", "--nested", "--level 1", "--level 3", "--upos ud", "--lemmas form"),
            *("--ne column", "--on-error keep", "--on-error skip", "-q", "--jobs 2"),
        ):
            if name == "klue" and option == "--inherit":
                continue
            yield run(f"ner/{name}{option.replace(' ', '=')}", source, option)
        yield run(f"ner/{name}.check", f"ner check samples/{name}-ner.tsv {morphemes[name]}")
        yield run(f"ner/{name}.check.conllu", f"ner check {{ner/{name}}}")
        yield from _formats(name, f"{{ner/{name}}}")
        yield run(f"ner/{name}.crf", f"ner crf {{ner/{name}}}")
        yield run(f"ner/{name}.crf.labels", f"ner crf {{ner/{name}}} --labels {{ner/{name}.crf}}")
        yield run(f"ner/{name}.crf.1", f"ner crf {{ner/{name}}} --level 1 --upos ud")
        yield run(
            f"ner/{name}.wrong",
            f"ner {'syl' if name == 'naver' else 'eoj'}2morph samples/{name}-ner.tsv",
        )
    if "klue-ner" in there:
        yield run("ner/klue-ner", "ner syl2morph data/klue-ner --on-error keep --nested")
        yield run("ner/klue-ner.back", "ner morph2syl {ner/klue-ner}")
        yield run("ner/klue-ner.check", "ner check {ner/klue-ner}")
        small = "ner syl2morph data/klue-ner.small --morphemes {ner/klue-ner} --on-error keep"
        yield run("ner/klue-small", small)
        yield from _formats("klue-small", "{ner/klue-small}")
    for path in sorted((folder / "faults/ner").iterdir()):
        # Morphemes come with these formats: little is analysed.
        if path.name.startswith(("kips", "kmou")):
            source = f"ner syl2morph faults/ner/{path.name}"
            yield run(f"ner/{path.name}", f"{source} --on-error keep")
    for name in (
        *("brat.ann", "columns.txt", "hf.jsonl", "inline.txt", "konne.jsonl", "modu-ne.json"),
        *("naver.txt", "naver-lines.txt"),
    ):
        unit = "eoj" if name.startswith(("columns", "hf", "naver")) else "syl"
        yield run(f"ner/{name}", f"ner {unit}2morph faults/ner/{name} --on-error keep")
        yield run(f"ner/{name}.back", f"ner morph2{unit} {{ner/{name}}}")


def _formats(name: str, path: str) -> Iterator[Run]:
    """The entities of a file in all formats, and those read again."""
    formats = {"eoj": ("naver", "naver:PER-B", "columns", "hf-jsonl")}
    formats["syl"] = ("klue-ner", "kmou", "kips", "konne", "brat", "inline", "modu-ne")
    for unit, of_unit in formats.items():
        for form in of_unit if name != "klue" else of_unit[:2]:
            made = f"ner/{name}.as.{form.replace(':', '=')}"
            yield run(made, f"ner morph2{unit} {path} --to {form} --repair")
            if form != "brat":
                again = f"{{{made}}} --from {form} --morphemes {path} --on-error keep"
                yield run(f"{made}.again", f"ner {unit}2morph {again}")


def _evaluations(there: list[str]) -> Iterator[Run]:
    pairs = {"sample": ("samples/ud.conllu", "made/ud.conllu.system")}
    pairs |= {
        n: (f"data/{n}.small", f"made/{n}.small.system")
        for n in there
        if n in ("gsd", "kaist", "pud")
    }
    outputs = ("", "--sentences", "--sentences --json", "--sentences --csv")
    tests = ("--bootstrap 50", "--compare {other} --samples 50 --test randomisation")
    for (name, (gold, system)), metric in product(pairs.items(), ("tokens", "pos", "dep")):
        yield from _measured(
            f"{metric}.{name}", f"eval {metric}", gold, system, gold, (*outputs, *tests)
        )
    for kind, (name, (gold, system)) in product(("direction", "depth"), pairs.items()):
        for output in ("", "--json"):
            arguments = f"eval dep --confusion {kind} {gold} {system} {output}"
            yield run(f"eval/dep.{name}.{kind}{output}", arguments)
    for level in "13":
        other = f"{{convert/sejong.{level}}}"
        yield from _measured(
            f"tokens.sejong.{level}", "eval tokens", "{convert/sejong.5}", other, other, outputs
        )
        yield from _measured(
            f"pos.sejong.{level}", "eval pos", "samples/sejong.txt", other, other, outputs
        )
    yield run("eval/pos.texts", "eval pos samples/sejong.txt samples/sejong-ids.txt --sentences")
    yield run("eval/dep.texts", "eval dep samples/ud.conllu {dep/sample.word2morph.ud} --sentences")
    yield run(
        "eval/dep.similarity", "eval dep samples/ud.conllu {convert/sejong.1} --similarity jaro"
    )
    trees = ("made/gold.trees", "made/system.trees", "made/other.trees")
    parse = (*outputs, *tests, "-p COLLINS", "-p nk", "-p SPMRL", "-c 5", "--exceptions en")
    yield from _measured("parse", "eval parse", *trees, parse)
    evalb = ("", "-d", "-D", "-p COLLINS", "-p new", "-c 5", "-e 1")
    yield from _measured("evalb", "eval parse --evalb", *trees, evalb)
    sinica = ("made/gold.sinica", "made/system.sinica", "made/gold.sinica")
    yield from _measured("sighan", "eval sighan", *sinica, (*outputs, *tests))
    entities = {
        "naver": ("samples/naver-ner.tsv", "made/naver-ner.tsv.system"),
        "klue": ("samples/klue-ner.tsv", "made/klue-ner.tsv.system"),
        "conllu": ("{ner/klue}", "{ner/naver}"),
        "mixed": ("samples/naver-ner.tsv", "{ner/naver}"),
    }
    if "klue-ner" in there:
        entities["klue-small"] = ("data/klue-ner.small", "made/klue-ner.small.system")
    for name, (gold, system) in entities.items():
        options = (*outputs, *tests, "--conlleval")
        yield from _measured(f"ner.{name}", "eval ner", gold, system, gold, options)


def _measured(
    name: str, command: str, gold: str, system: str, other: str, options: Iterable[str]
) -> Iterator[Run]:
    for option in options:
        label = option.replace("{other}", "other").replace(" ", "=")
        yield run(f"eval/{name}{label}", command, gold, system, option.replace("{other}", other))


def _statistics(there: list[str]) -> Iterator[Run]:
    forms = {"text": "", "csv": "--csv", "json": "--json"}
    for (name, path), (form, option) in product(SAMPLES.items(), forms.items()):
        yield run(f"stats/{name}.{form}", f"stats samples/{path} {option} --on-error keep")
    yield run("stats/together", "stats samples/sejong.txt samples/ud.conllu --upos ud --top 3")
    yield run("stats/stdin", "stats -q", stdin="samples/ud.conllu")
    for name in there:
        if name != "klue-ner":
            yield run(f"stats/{name}", f"stats data/{name}.small --json --on-error keep")


def _views(there: list[str]) -> Iterator[Run]:
    options = (
        *("", "--limit 0", "--number 2", "--levels 1,5 --limit 0", "--rows lemma,xpos", "--ascii"),
        *("--color always", "--width 40", "--width 0 --limit 0", "--upos ud --lemmas form"),
    )
    entities = {"naver-tsv": "naver-ner.tsv", "klue-tsv": "klue-ner.tsv"}
    for name, path in SAMPLES.items():
        for option in options if name in ("sejong", "ud", "naver") else ("--limit 0",):
            yield run(f"show/{name}{option.replace(' ', '=')}", f"show samples/{path} {option}")
    yield run("show/id", "show samples/ud.conllu sample-ud-3")
    yield run("show/no-id", "show samples/ud.conllu nothing")
    for name, path in {**SAMPLES, **entities}.items():
        yield run(f"report/{name}", f"report samples/{path}")
    inputs = "samples/sejong.txt samples/ud.conllu samples/modu.json"
    yield run("report/together", f"report {inputs} OUT/page.html --title Samples")
    yield run("report/limit", f"report {inputs} --limit 3 --max 1 --upos ud")
    yield run("report/faults.skip", "report samples/sejong-faults.txt --on-error skip")
    for name, path in entities.items():
        yield run(f"show/{name}", f"show samples/{path} --limit 2 --color always")
    for name in there:
        if name != "klue-ner":
            yield run(f"report/data.{name}", f"report data/{name}.small --limit 50")
            yield run(f"show/data.{name}", f"show data/{name}.small --limit 10")


def _checks(there: list[str], faults: list[str]) -> Iterator[Run]:
    for name, path in SAMPLES.items():
        for option in ("", "--select W1,E9 --json", "--roundtrip", "--roundtrip --json"):
            label = f"validate/{name}{option.replace(' ', '=')}"
            yield run(label, f"validate samples/{path} {option}", reduce=without_messages)
    groups: dict[str, list[str]] = {}
    for name in faults:
        groups.setdefault(name[:2] + Path(name).suffix, []).append(f"faults/{name}")
    for name, option in product(groups, ("", "--roundtrip")):
        paths = " ".join(groups[name])
        label = f"validate/faults.{name}{option}"
        yield run(label, f"validate {paths} --max 0 {option}", reduce=without_messages)
    yield run("validate/levels", "validate {convert/sejong.3} --upos ud", reduce=without_messages)
    yield run("validate/max", "validate samples/sejong-faults.txt --max 1", reduce=without_messages)
    yield run("validate/folder", "validate samples/expected --json", reduce=without_messages)
    ner = "validate --roundtrip faults/ner --json --on-error"
    for on_error in ("skip", "keep"):
        yield run(f"validate/ner.{on_error}", ner, on_error, reduce=without_messages)
    naver = (
        "validate --roundtrip samples/naver-ner.tsv --from naver --morphemes samples/naver-ner.txt"
    )
    yield run("validate/naver-tsv", naver, reduce=without_messages)
    klue = "validate --roundtrip samples/klue-ner.tsv --json"
    yield run("validate/klue-tsv", klue, reduce=without_messages)
    for name in there:
        if name != "klue-ner":
            for option in ("--max 0", "--json", "--roundtrip --max 0"):
                label = f"validate/data.{name}{option.replace(' ', '=')}"
                yield run(label, f"validate data/{name}.small {option}", reduce=without_messages)


def _releases() -> Iterator[Run]:
    yield run("release/samples", "release samples/release.toml OUT/release")
    yield run("release/verify", "release verify {release/samples:release}", report=False)
    yield run("release/none", "release verify samples", report=False)
    yield run("release/no-recipe", "release samples/text.txt OUT/release")


def _others(folder: Path) -> Iterator[Run]:
    yield run("rules/list", "rules", report=False, reduce=first_words)
    tables = sorted(
        path.stem
        for path in (ROOT / "rules").iterdir()
        if path.suffix in (".tsv", ".toml") and path.stem != "schemas"
    )
    for name, table in chain([("", t) for t in tables], [("--rules made/rules", "upos")]):
        label = f"rules/{table}{'.own' if name else ''}"
        yield run(label, f"rules show {table} {name}", report=False, reduce=without_comments)
    yield run("rules/none", "rules show nothing", report=False)
    commands = [
        "",
        "convert",
        "analyze",
        "validate",
        "stats",
        "report",
        "show",
        "eval",
        "ner",
        "dep",
        "release",
        "rules",
    ]
    commands += [f"eval {metric}" for metric in ("tokens", "pos", "dep", "ner", "parse", "sighan")]
    commands += [f"dep {action}" for action in ("word2morph", "morph2word", "stats")]
    commands += [
        f"ner {a}2{b}"
        for a, b in (("eoj", "morph"), ("syl", "morph"), ("morph", "eoj"), ("morph", "syl"))
    ]
    for command in [*commands, "ner crf", "ner check"]:
        label = f"help/{command.replace(' ', '-')}"
        yield run(label, f"{command} --help", report=False, reduce=option_names)
    wrong = ("", "nothing", "convert --nothing", "convert --level 6", "convert no-such-file.txt")
    wrong = (
        *wrong,
        "eval",
        "dep word2morph --scheme x",
        "ner",
        "convert --from x",
        "stats --top -1",
    )
    wrong = (
        *wrong,
        "convert samples/naver-ner.tsv",
        "convert samples/sejong.txt samples/sejong.txt",
    )
    for number, arguments in enumerate(wrong):
        yield run(f"usage/{number}", arguments, report=False)


# Running.


class Server:
    """A process that has imported sejongud, and forks for every run.

    Args:
        python: the interpreter that has sejongud.
        folder: the scratch folder, in which it runs.
    """

    def __init__(self, python: str, folder: Path) -> None:
        self.folder = folder
        unset = ("NO_COLOR", "FORCE_COLOR", "PYTHONDONTWRITEBYTECODE")
        env = {key: value for key, value in os.environ.items() if key not in unset}
        env |= {"COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONPYCACHEPREFIX": str(folder / "cache")}
        self.process = subprocess.Popen(
            [python, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=env,
            text=True,
            bufsize=1,
        )

    def execute(self, item: Run) -> dict[str, str]:
        """Do one run and return its hashes; its outputs stay in out/ of the scratch folder."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        place = f"out/{item.name}"
        out = self.folder / place
        out.mkdir(parents=True)
        arguments = [_path(argument).replace("OUT/", f"{place}/") for argument in item.arguments]
        if item.report:
            arguments += ["--log", f"{place}/incidents"]
        files = [_path(item.stdin) or os.devnull, f"{place}/stdout", f"{place}/stderr"]
        self.process.stdin.write(json.dumps({"arguments": arguments, "files": files}) + "\n")
        status = self.process.stdout.readline()
        if not status:
            raise SystemExit(f"the server ended at {item.name}")
        _write(out / "status", status)
        # Some messages have whole paths.
        for name in ("stderr", "incidents"):
            if (out / name).is_file():
                text = (out / name).read_bytes().replace(bytes(self.folder), b".")
                (out / name).write_bytes(text)
        return hashes(item, out)


def _path(argument: str) -> str:
    """The path of `{NAME}`, or `{NAME:FILE}`, an output of another run."""
    found = re.fullmatch(r"\{([^}:]*):?([^}]*)\}", argument)
    return f"out/{found[1]}/{found[2] or 'stdout'}" if found else argument


def hashes(item: Run, out: Path) -> dict[str, str]:
    """Return the hash of each kind of what a run has left in its folder."""
    apart = {"stdout", "stderr", "status", "incidents"}
    parts = {kind: hashlib.sha256() for kind in KINDS}
    stdout = (out / "stdout").read_bytes()
    if item.reduce is None:
        parts["output"].update(stdout)
    else:
        parts["output"].update(item.reduce(stdout.decode(errors="replace")).encode())
        parts["messages"].update(stdout)
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.relative_to(out).as_posix() not in apart:
            parts["output"].update(
                f"{path.relative_to(out).as_posix()}\n".encode() + path.read_bytes()
            )
    report = out / "incidents"
    if report.is_file():
        # Not splitlines: other ends of lines may stand in a message.
        for line in report.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
            found = json.loads(line)
            parts["incidents"].update(f"{json.dumps(_coded(found), sort_keys=True)}\n".encode())
            parts["messages"].update(f"{found['message']}\n".encode())
    else:
        parts["incidents"].update(b"none")
    parts["messages"].update((out / "stderr").read_bytes())
    status = (out / "status").read_text(encoding="utf-8").strip()
    return {"status": status} | {k: parts[k].hexdigest()[:24] for k in KINDS[1:]}


def execute_all(runs: list[Run], python: str, folder: Path, jobs: int) -> dict[str, dict[str, str]]:
    """Do all runs, those that others need first, and return the hashes by name."""
    found: dict[str, dict[str, str]] = {}
    waiting = list(runs)
    servers: Queue[Server] = Queue()
    for _ in range(jobs):
        servers.put(Server(python, folder))

    def execute(item: Run) -> dict[str, str]:
        server = servers.get()
        try:
            return server.execute(item)
        finally:
            servers.put(server)

    with ThreadPoolExecutor(jobs) as pool:
        while waiting:
            ready = [item for item in waiting if found.keys() >= set(item.needs)]
            if not ready:
                names = ", ".join([item.name for item in waiting[:5]])
                raise SystemExit(f"these need runs that there are not: {names}")
            waiting = [item for item in waiting if item not in ready]
            found |= zip([item.name for item in ready], pool.map(execute, ready), strict=True)
            print(f"{len(found)} of {len(runs)} runs", file=sys.stderr)
    for _ in range(jobs):
        process = servers.get().process
        process.communicate()
    return dict(sorted(found.items()))


def python_of(program: str) -> str:
    """Return the interpreter of a script; a program that is no script is one."""
    path = shutil.which(program)
    if path is None:
        raise SystemExit(f"there is no program {program}")
    first = Path(path).read_bytes()[:300].split(b"\n")[0].decode(errors="replace")
    return first[2:].strip() if first.startswith("#!") else path


def selected(runs: list[Run], only: str) -> list[Run]:
    """Return the runs whose name holds `only`, and those that they need."""
    by_name = {item.name: item for item in runs}
    if len(by_name) < len(runs):
        twice = [n for n, times in Counter(item.name for item in runs).items() if times > 1]
        raise SystemExit(f"two runs of one name: {', '.join(twice)}")
    wanted = {name for name in by_name if only in name}
    while (
        more := {need for name in wanted for need in by_name[name].needs if need in by_name}
        - wanted
    ):
        wanted |= more
    return [item for item in runs if item.name in wanted]


# Comparing.


def differences(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> dict[str, list[str]]:
    """Return the runs that differ, by kind; a run of the one side only is `missing` or `new`."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name in now.keys() & before.keys():
        for kind in KINDS:
            if before[name][kind] != now[name][kind]:
                found[kind].append(name)
    found["missing"] = list(before.keys() - now.keys())
    found["new"] = list(now.keys() - before.keys())
    return {kind: sorted(names) for kind, names in found.items()}


def compared(
    found: dict[str, list[str]],
    before: dict[str, dict[str, str]],
    now: dict[str, dict[str, str]],
    shown: int,
) -> str:
    """Return a text that tells what differs."""
    lines = []
    for kind, names in found.items():
        commands = Counter(name.partition("/")[0] for name in names)
        counts = ", ".join([f"{command} {n}" for command, n in sorted(commands.items())])
        lines.append(f"{kind}: {len(names)}{f' ({counts})' if counts else ''}")
        if kind == "messages":
            continue
        for name in names[:shown]:
            change = f": {before[name][kind]} → {now[name][kind]}" if kind == "status" else ""
            lines.append(f"    {name}{change}")
        if len(names) > shown:
            lines.append(f"    … and {len(names) - shown} more (--show 0: all)")
    return "\n".join(lines)


def keep(names: Iterable[str], folder: Path, target: Path) -> None:
    """Copy the outputs of runs."""
    for name in names:
        shutil.rmtree(target / name, ignore_errors=True)
        shutil.copytree(folder / "out" / name, target / name)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program", default="sejongud", help="the command, or a Python that can import sejongud"
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data", help="corpora")
    parser.add_argument("--out", type=Path, help="write the hashes to this file")
    parser.add_argument("--against", type=Path, help="compare with the hashes of this file")
    parser.add_argument("--only", default="", help="the runs whose name holds this")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument(
        "--keep", type=Path, help="keep outputs in this folder: with --against, of what differs"
    )
    parser.add_argument("--show", type=int, default=20, help="names of each kind; 0: all (20)")
    args = parser.parse_args()
    before = json.loads(args.against.read_text(encoding="utf-8")) if args.against else {}
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        prepare(folder, args.data)
        runs = selected(list(all_runs(folder)), args.only)
        now = execute_all(runs, python_of(args.program), folder, args.jobs)
        print(f"{time.perf_counter() - start:.0f} seconds", file=sys.stderr)
        if args.out:
            args.out.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        if not before:
            if args.keep:
                keep(now, folder, args.keep)
            return 0
        before = {name: kinds for name, kinds in before.items() if args.only in name}
        now = {name: kinds for name, kinds in now.items() if args.only in name}
        found = differences(before, now)
        print(compared(found, before, now, args.show or len(now)))
        differing = {n for kind in KINDS for n in found[kind] if kind != "messages"}
        if args.keep:
            keep(sorted(differing), folder, args.keep)
    return 1 if differing or found["missing"] else 0


if __name__ == "__main__":
    sys.exit(main())
