"""How long `sejongud eval parse` takes, start-up included, on tree pairs made for the purpose.

    python benchmarks/eval_parse.py [--pairs 2400] [--words 25] [--runs 5] [--keep DIR]

The trees are random: binary or wider, 25 words, as many constituents as a Penn Treebank sentence of
that length has, words by Zipf's law. The system trees are the gold ones with one constituent in ten
given another label or taken out, and one tag in thirty wrong. For the second aligned run the system
also has other words: in every fifth sentence two words are written as one, and every tenth sentence
is cut in two, so that words and sentences must really be aligned.

EVALB's own time on such a file is 0.03 s, that of the published jp-evalb 4.1 s.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

LABELS = ["NP", "VP", "PP", "S", "SBAR", "ADJP", "ADVP", "WHNP", "QP", "PRT"]
TAGS = ["NN", "IN", "NNP", "DT", "JJ", "NNS", "RB", "VBD", "VB", "CC", "PRP", "CD"]
MARKS = [",", "."]

# A node is a leaf (tag, word) or a constituent (label, [nodes]).
Node = tuple[str, "str | list[Node]"]


def sentence(rng: random.Random, words: int) -> Node:
    """A random tree."""
    leaves: list[Node] = [(rng.choice(TAGS), f"w{int(5000 ** rng.random())}") for _ in range(words)]
    return ("TOP", [("S", _bracket(rng, leaves, 0))])


def _bracket(rng: random.Random, nodes: list[Node], depth: int) -> list[Node]:
    """Nodes with constituents over some of their runs."""
    if len(nodes) <= 2 or depth > 20:
        return nodes
    cuts = sorted(rng.sample(range(1, len(nodes)), min(rng.choice([1, 1, 2]), len(nodes) - 1)))
    parts = [nodes[i:j] for i, j in zip([0, *cuts], [*cuts, len(nodes)], strict=True)]
    result: list[Node] = []
    for part in parts:
        inner = _bracket(rng, part, depth + 1)
        if len(part) > 1 or rng.random() < 0.15:
            result.append((rng.choice(LABELS), inner))
        else:
            result += inner
    return result


def disturb(rng: random.Random, node: Node) -> list[Node]:
    """The node as a parser may have it: one or, if its bracket is lost, several."""
    label, inside = node
    if isinstance(inside, str):
        # A tag that EVALB takes out stays, so that every pair can be scored.
        wrong = label not in MARKS and rng.random() < 1 / 30
        return [(rng.choice(TAGS) if wrong else label, inside)]
    children = [new for child in inside for new in disturb(rng, child)]
    if label != "TOP" and rng.random() < 0.05:
        return children
    return [(rng.choice(LABELS) if label != "TOP" and rng.random() < 0.05 else label, children)]


def join_words(node: Node) -> Node:
    """The tree with its first two words, if they are sisters, written as one."""
    label, inside = node
    if isinstance(inside, str):
        return node
    for i, (one, two) in enumerate(pairwise(inside)):
        if isinstance(one[1], str) and isinstance(two[1], str):
            return (label, [*inside[:i], (one[0], one[1] + two[1]), *inside[i + 2 :]])
    return (label, [join_words(inside[0]), *inside[1:]])


def to_string(node: Node) -> str:
    label, inside = node
    return f"({label} {inside if isinstance(inside, str) else ' '.join(map(to_string, inside))})"


def write(directory: Path, pairs: int, words: int) -> None:
    """Write gold, system, and the system with other words and sentences."""
    rng = random.Random(20)
    gold, system, other = [], [], []
    for number in range(pairs):
        tree = sentence(rng, words)
        (parsed,) = disturb(rng, tree)
        gold.append(to_string(tree))
        system.append(to_string(parsed))
        children = parsed[1]
        assert not isinstance(children, str)
        if number % 10 == 0 and len(children) > 1:
            other += [to_string(("TOP", [child])) for child in children]
        else:
            other.append(to_string(join_words(parsed) if number % 5 == 1 else parsed))
    for name, lines in (("gold", gold), ("system", system), ("other", other)):
        (directory / f"{name}.mrg").write_text("\n".join(lines) + "\n", encoding="utf-8")
    brackets = sum(line.count("(") for line in gold) - pairs * words
    print(f"{pairs} pairs, {words} words and {brackets / pairs:.1f} constituents each")


def measure(directory: Path, runs: int) -> None:
    """Print the best and the middle time of each mode, whole process."""
    for title, options, system in (
        ("--evalb", ["--evalb", "-p", "COLLINS"], "system"),
        ("aligned, same words", [], "system"),
        ("aligned, other words", [], "other"),
        ("python -c pass", None, ""),
    ):
        command = [sys.executable, "-c", "pass"]
        if options is not None:
            files = [str(directory / "gold.mrg"), str(directory / f"{system}.mrg")]
            command = [sys.executable, "-m", "sejongud", "eval", "parse", *options, *files]
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - begin)
        times.sort()
        print(f"{title:22} best {times[0]:.3f} s   middle {times[len(times) // 2]:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2400)
    parser.add_argument("--words", type=int, default=25)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="write the files here and leave them")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = args.keep or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        write(directory, args.pairs, args.words)
        measure(directory, args.runs)


if __name__ == "__main__":
    main()
