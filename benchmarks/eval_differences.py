"""What `sejongud eval` finds where the texts differ: a table of figures, before and after a change.

    python benchmarks/eval_differences.py --data ../shared/data --json before.json
    python benchmarks/eval_differences.py --data ../shared/data --before before.json

Each case is a file and a copy of it that a seeded noise has changed: sentences dropped, respelt,
split, merged or doubled, words respelt, tags mistyped, all text in NFD, or several of these. The
treebanks of `--data` are used if they are there; a dialogue and Penn-like trees are made up. All
figures are F1 in percent but for those whose name says another; a higher figure is better. Lost
tokens are those of a copy that stand in gold, in any order, and are not found.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from sejongud.evaluation import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Sentence = list[list[str]]
"""The words of a sentence, each with the columns that its file has."""

TREEBANKS = {
    "GSD": "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "KSL": "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "PUD": "ud-korean-pud/ko_pud-ud-test.conllu",
    "Kaist": "ud-korean-kaist/ko_kaist-ud-dev.conllu",
}
MORPHEMES = "morphud-korean/ko_gsd-ud-dev-morph.conllu"
KLUE = "klue-ner/klue-ner-v1.1_dev.first3000.tsv"
SEEDS = (1, 2, 3)


class Case(NamedTuple):
    """A gold text and its changed copy, and the tokens that can be found at best."""

    metric: str
    name: str
    gold: str
    system: str
    best: int | None = None


# --- noise ----------------------------------------------------------------------------------------


def respelt(word: str) -> str:
    """The word with its last character changed."""
    return word[:-1] + ("것" if word[-1] != "것" else "곳")


def drop(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    return [sentence for sentence in text if rng.random() >= 0.2] or text[:1]


def respell(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    return [
        [[respelt(word), *rest] if rng.random() < 0.1 else [word, *rest] for word, *rest in one]
        for one in text
    ]


def letter(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    """One letter more in a word of every sentence."""
    changed = []
    for one in text:
        at = rng.randrange(len(one))
        changed.append([[word + "x" * (k == at), *rest] for k, (word, *rest) in enumerate(one)])
    return changed


def double(_: random.Random, text: list[Sentence]) -> list[Sentence]:
    return [one for k, one in enumerate(text) for _ in range(1 + (k % 10 == 9))]


def split(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    found = []
    for one in text:
        if len(one) > 3 and rng.random() < 0.1:
            at = rng.randrange(1, len(one) - 1)
            found += [one[:at], one[at:]]
        else:
            found.append(one)
    return found


def merge(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    found: list[Sentence] = []
    for one in text:
        if found and rng.random() < 0.1:
            found[-1] = found[-1] + one
        else:
            found.append(one)
    return found


def mixed(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    few = random.Random(rng.random())
    text = [one for one in text if few.random() >= 0.05]
    text = [one for one in text for _ in range(1 + (few.random() < 0.05))]
    return merge(rng, split(rng, respell(rng, text)))


def letter_and_double(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    return double(rng, letter(rng, text))


def drop_and_respell(rng: random.Random, text: list[Sentence]) -> list[Sentence]:
    return respell(rng, drop(rng, text))


WITHIN = {"drop": drop, "respell": respell, "letter": letter, "double": double}
WITHIN |= {"letter+double": letter_and_double, "drop+respell": drop_and_respell}
BORDERS = {"split": split, "merge": merge, "mixed": mixed}


# --- texts ----------------------------------------------------------------------------------------


def treebank(path: Path) -> list[Sentence]:
    """The words of a treebank, each with its other columns; ranges are left out."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and line[0].isdecimal()]
        if rows:
            found.append([[row[1], *row[2:]] for row in rows if row[0].isdecimal()])
    return found


def dialogue(rng: random.Random, size: int = 1000) -> list[Sentence]:
    """Short sentences of which many are the same."""
    usual = ["네 .", "아니요 .", "정말 ?", "그래요 .", "좋아요 .", "네 네 .", "몰라요 ."]
    nouns = ["밥", "책", "비", "차", "집", "물", "길", "눈"]
    verbs = ["봤어요", "왔어요", "샀어요", "없어요", "좋아요", "갔어요"]
    text = []
    for _ in range(size):
        words = rng.choice(usual).split()
        if rng.random() < 0.4:
            words = [rng.choice(nouns), rng.choice(nouns), rng.choice(verbs), rng.choice(".?")]
        text.append([[word] for word in words])
    return text


def plain(text: list[Sentence]) -> str:
    return "".join(" ".join(word[0] for word in one) + "\n" for one in text)


def conllu(text: list[Sentence]) -> str:
    return "".join(
        "".join(f"{k}\t" + "\t".join(word) + "\n" for k, word in enumerate(one, 1)) + "\n"
        for one in text
    )


def columns(text: list[Sentence]) -> str:
    return "".join("".join("\t".join(word) + "\n" for word in one) + "\n" for one in text)


def kept(gold: list[Sentence], system: list[Sentence]) -> int:
    """How many words stand in both, counted without their order."""
    ours, theirs = ([word[0] for one in text for word in one] for text in (gold, system))
    rest: dict[str, int] = {}
    for word in ours:
        rest[word] = rest.get(word, 0) + 1
    found = 0
    for word in theirs:
        if rest.get(word):
            rest[word] -= 1
            found += 1
    return found


def of_treebanks(data: Path) -> Iterator[Case]:
    texts = {name: treebank(data / path) for name, path in TREEBANKS.items()}
    texts["dialogue"] = dialogue(random.Random(0))
    for name, text in texts.items():
        for seed in SEEDS:
            for noise, change in {**WITHIN, **BORDERS}.items():
                system = change(random.Random(seed), text)
                best = kept(text, system)
                yield Case("tokens", f"{name} {noise} {seed}", plain(text), plain(system), best)
            if name in ("GSD", "KSL"):
                for noise, change in WITHIN.items():
                    system = change(random.Random(seed), text)
                    yield Case("dep", f"{name} {noise} {seed}", conllu(text), conllu(system))
    morphemes = (data / MORPHEMES).read_text(encoding="utf-8")
    yield Case("dep", "morphUD NFD", morphemes, normalize("NFD", morphemes))
    gsd = (data / TREEBANKS["GSD"]).read_text(encoding="utf-8")
    yield Case("dep", "GSD NFD", gsd, normalize("NFD", gsd))


def of_entities(data: Path) -> Iterator[Case]:
    text = [
        [[token, tag] for token, _, tag in (row.partition("\t") for row in rows) if token.strip()]
        for block in (data / KLUE).read_text(encoding="utf-8").split("\n\n")
        if (rows := [line for line in block.split("\n") if "\t" in line and line[0] != "#"])
    ]
    text = [_eojeols(one) for one in text[:1000]]
    for seed in SEEDS:
        for noise, change in WITHIN.items():
            system = change(random.Random(seed), text)
            yield Case("ner", f"KLUE {noise} {seed}", columns(text), columns(system))


def _eojeols(sentence: Sentence) -> Sentence:
    """Pairs of characters as words, so that a word can be respelt in part."""
    words: Sentence = []
    for token, tag in sentence:
        if words and len(words[-1][0]) < 2 and tag[0] != "B" and words[-1][1][-2:] == tag[-2:]:
            words[-1][0] += token
        else:
            words.append([token, tag])
    return words


# --- trees ----------------------------------------------------------------------------------------

LABELS = ["NP", "VP", "PP", "S", "SBAR", "ADJP", "ADVP"]


def penn_like(rng: random.Random, size: int = 400) -> list[str]:
    """Trees whose words are drawn by Zipf's law, with commas, quotes and a full stop."""
    trees = []
    for _ in range(size):
        leaves = [f"(N w{int(2000 ** rng.random())})" for _ in range(rng.randint(5, 30))]
        trees.append(f"(S {_phrase(rng, leaves)} (. .))")
    return trees


def _phrase(rng: random.Random, leaves: list[str]) -> str:
    if len(leaves) < 3:
        return f"({rng.choice(LABELS)} {' '.join(leaves)})"
    at = rng.randrange(1, len(leaves))
    left, right = _phrase(rng, leaves[:at]), _phrase(rng, leaves[at:])
    middle = rng.choice(["", "", "", "(, ,)", "(: --)"])
    inside = f"{left} {middle} {right}"
    if rng.random() < 0.05:
        inside = f"(`` ``) {inside} ('' '')"
    return f"({rng.choice(LABELS)} {inside})"


def of_trees(_: Path) -> Iterator[Case]:
    for seed in SEEDS:
        rng = random.Random(seed)
        gold = penn_like(rng)
        text = "".join(f"{tree}\n" for tree in gold)
        without = text.replace("(, ,)", "")
        yield Case("parse", f"no commas {seed}", text, without)
        for mark in ("(: --)", "(`` ``)", "('' '')", " (. .)"):
            without = without.replace(mark, "")
        yield Case("parse", f"no punctuation {seed}", text, without)
        words = re.split(r"(w\d+)", text)
        words = [respelt(one) if one[:1] == "w" and rng.random() < 0.1 else one for one in words]
        yield Case("parse", f"respell {seed}", text, "".join(words))
        lines = [line for line in without.splitlines() if rng.random() >= 0.2]
        yield Case("parse", f"no punctuation+drop {seed}", text, "\n".join(lines) + "\n")


def of_tags(_: Path) -> Iterator[Case]:
    """The sample of Sejong text, with final endings tagged as a full stop is."""
    gold = Path("samples/sejong.txt").read_text(encoding="utf-8")
    yield Case("pos", "mistyped tags", gold, gold.replace("다/EF", "다/SF"))


# --- the table ------------------------------------------------------------------------------------

SHOWN = {
    "tokens": ("Sentences", "Tokens"),
    "dep": ("Words", "UAS", "LAS", "Lemmas"),
    "ner": ("Entities",),
    "parse": ("Constituents", "Sentences"),
    "pos": ("Tags 5",),
}


def measure(case: Case, folder: Path) -> dict[str, float]:
    """The figures of a case by their names."""
    paths = [folder / "gold.txt", folder / "system.txt"]
    for path, text in zip(paths, (case.gold, case.system), strict=True):
        path.write_text(text, encoding="utf-8")
    found = evaluate(case.metric, *paths)
    figures = {}
    for score in found.scores:
        if score.name in SHOWN[case.metric]:
            main = "no crossing" if "no crossing" in score.ratios else score.main
            name = f"{case.metric}: {case.name}: {score.name}"
            figures[name] = 100 * score.ratios[main]
            if case.metric == "pos":
                figures = {f"{name}, wrong tags told": score.counts["fn"]}
        if case.best is not None and score.name == "Tokens":
            name = f"{case.metric}: {case.name}: lost tokens, negative"
            figures[name] = score.counts["tp"] - case.best
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    parser.add_argument("--before", type=Path, help="the figures of another version")
    parser.add_argument("--only", default="", help="the cases whose name holds this")
    args = parser.parse_args()
    sources: list[Callable[[Path], Iterator[Case]]] = [of_trees, of_tags]
    if args.data.is_dir():
        sources += [of_treebanks, of_entities]
    figures: dict[str, float] = {}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            for case in source(args.data):
                if args.only in f"{case.metric}: {case.name}":
                    figures |= measure(case, Path(folder))
    seconds = time.perf_counter() - began
    before = json.loads(args.before.read_text()) if args.before else {}
    for name, figure in figures.items():
        old = before.get(name)
        shown = f"{name:<60} {figure:8.2f}"
        if old is not None:
            worse = "  WORSE" if figure < old - 1e-9 else ""
            shown = f"{name:<60} {old:8.2f} {figure:8.2f}{worse}"
        print(shown)
    print(f"{seconds:.1f} s")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
