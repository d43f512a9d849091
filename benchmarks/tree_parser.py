"""What a parser gains from each level: a PCFG trained on trees over the words of levels 1 to 5.

    pip install 'sejongud[benchmarks]'
    python benchmarks/tree_parser.py KLUE-DP.tsv [--seeds 1,2,3] [--parents 2] [--keep FOLDER]

The memoir's Table 2.2, syntactic parsing, in small. `sejongud tree from-dependencies` makes the
trees of KLUE-DP at each level. For every seed, 90 % of the sentences train and the others are
parsed, the same at all levels. What is found at a level becomes level 5 with the morphemes of the
sentences (`sejongud tree level --morphemes`), and `sejongud eval parse` scores it against the trees
of level 5.

NLTK reads and binarises the trees and counts the rules: nodes know their parent (`--parents 2`) and
some of their sisters (`--sisters`). The words of the test sentences have their gold tags, as in the
memoir, and the grammar sees nothing else of them. A tag that fewer than two words of the training
part have is known by its last part alone (`NNG+XSV+EP+EF+SF` by `SF`). CKY finds the most probable
tree; a sentence that the grammar has no tree for is the fewest trees that cover it, side by side.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from math import log
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from nltk import Tree
from nltk.grammar import Nonterminal as Symbol
from nltk.grammar import induce_pcfg

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEVELS = (1, 2, 3, 4, 5)
ROOT = "TOP"
CHAIN = "~>"
NEVER = -1e9
PIECE = -1e5
"""The weight of one more tree in a text that has no tree of its own."""


def sejongud(*arguments: str | Path) -> str:
    """Run the command and return what it writes; incidents of the data are not errors here."""
    command = [sys.executable, "-m", "sejongud", *map(str, arguments), "-q"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    return done.stdout.decode()


def known_tags(trees: Sequence[Tree]) -> Callable[[str], str]:
    """Return the function from a tag to the terminal of the grammar."""
    counts = Counter([tag for tree in trees for _, tag in tree.pos()])
    rare = {tag.rpartition("+")[2] for tag, count in counts.items() if count < 2}

    def known(tag: str) -> str:
        if counts[tag] > 1:
            return f"<{tag}>"
        last = tag.rpartition("+")[2]
        return f"<?{last}>" if last in rare else "<?>"

    return known


def binary(tree: Tree, known: Callable[[str], str], parents: int, sisters: int) -> Tree:
    """Return a tree over tags with at most two children a node, and no chains below the root.

    A tag that is all of a constituent stands directly in it.
    """
    tree = tree.copy(deep=True)
    tree.collapse_unary(joinChar=CHAIN)
    for place in tree.treepositions("leaves"):
        leaf, above = tree[place[:-1]], tree[place[:-2]]
        leaf[0] = known(leaf.label())
        leaf.set_label(leaf[0])
        if len(above) == 1:
            above[0] = leaf[0]
    tree.chomsky_normal_form(horzMarkov=sisters, vertMarkov=parents - 1)
    return tree


class Grammar(NamedTuple):
    """The rules of a PCFG as arrays; rules of the same parent stand together."""

    symbols: list[str]
    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray
    begins: np.ndarray
    """The first rule of each parent that has rules."""
    parents: np.ndarray
    """These parents."""
    words: dict[str, list[tuple[int, float]]]
    """Terminal → the symbols above it with their weights."""
    roots: dict[int, float]

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Grammar:
        """Return the grammar that NLTK counts in binary trees."""
        rules = induce_pcfg(Symbol(ROOT), [p for tree in trees for p in tree.productions()])
        numbers: dict[str, int] = defaultdict(lambda: len(numbers))
        words: dict[str, list[tuple[int, float]]] = defaultdict(list)
        roots = {}
        rows = []
        for rule in rules.productions():
            head, weight = str(rule.lhs()), log(rule.prob())
            parts = rule.rhs()
            if len(parts) == 2:
                rows.append((numbers[head], *[numbers[str(part)] for part in parts], weight))
            elif head == ROOT:
                roots[numbers[str(parts[0])]] = weight
            else:
                words[parts[0]].append((numbers[head], weight))
        rows.sort()
        parent, left, right, weight = map(np.array, zip(*rows, strict=True))
        parents, begins = np.unique(parent, return_index=True)
        weights = weight.astype(np.float32)
        return cls(list(numbers), left, right, weights, begins, parents, dict(words), roots)

    def parse(self, terminals: Sequence[str]) -> tuple[Tree, bool]:
        """Return the most probable binary tree over terminals, and whether there is one.

        Otherwise the fewest constituents that cover the terminals stand side by side in a clause.
        """
        size = len(terminals)
        chart = np.full((size, size + 1, len(self.symbols)), NEVER, dtype=np.float32)
        for at, word in enumerate(terminals):
            for symbol, weight in self.words.get(word, ()):
                chart[at, at + 1, symbol] = weight
        for width in range(2, size + 1):
            for start in range(size - width + 1):
                end = start + width
                best = self._sums(chart, start, end).max(axis=0)
                chart[start, end, self.parents] = np.maximum.reduceat(best, self.begins)
        found = [(chart[0, size, symbol] + weight, symbol) for symbol, weight in self.roots.items()]
        score, symbol = max(found)
        if score > NEVER / 2:
            return Tree(ROOT, [self._tree(chart, terminals, 0, size, symbol)]), True
        pieces = [self._tree(chart, terminals, *piece) for piece in self._pieces(chart, size)]
        return Tree(ROOT, [Tree("S", pieces)]), False

    def _pieces(self, chart: np.ndarray, size: int) -> list[tuple[int, int, int]]:
        """Return start, end and symbol of the fewest, then likeliest constituents of a text."""
        # Parts of a constituent that is no binary one are none themselves.
        whole = np.array([0.0 if "|" not in name else 2 * NEVER for name in self.symbols])
        best: list[tuple[float, list[tuple[int, int, int]]]] = [(0.0, [])]
        for end in range(1, size + 1):
            found = []
            for start in range(end):
                scores = chart[start, end] + whole
                symbol = int(scores.argmax())
                if scores[symbol] > NEVER / 2:
                    weight, pieces = best[start]
                    piece = (start, end, symbol)
                    found.append((weight + PIECE + float(scores[symbol]), [*pieces, piece]))
            # A tag that the grammar has never seen stands alone.
            found = found or [(best[-1][0] + PIECE, [*best[-1][1], (end - 1, end, -1)])]
            best.append(max(found))
        return best[-1][1]

    def _sums(self, chart: np.ndarray, start: int, end: int) -> np.ndarray:
        """Return the weight of each rule (columns) at each place between two words (rows)."""
        left = chart[start, start + 1 : end][:, self.left]
        return left + chart[start + 1 : end, end][:, self.right] + self.weight

    def _tree(
        self, chart: np.ndarray, terminals: Sequence[str], start: int, end: int, symbol: int
    ) -> Tree:
        name = self.symbols[symbol] if symbol >= 0 else terminals[start]
        if end == start + 1:
            return Tree(name, [terminals[start]])
        at = int(np.searchsorted(self.parents, symbol))
        first = self.begins[at]
        last = self.begins[at + 1] if at + 1 < len(self.begins) else len(self.left)
        sums = self._sums(chart, start, end)[:, first:last]
        split, rule = np.unravel_index(int(sums.argmax()), sums.shape)
        middle = start + 1 + int(split)
        own = (chart, terminals)
        return Tree(
            name,
            [
                self._tree(*own, start, middle, self.left[first + rule]),
                self._tree(*own, middle, end, self.right[first + rule]),
            ],
        )


def text_of(tree: Tree, gold: Tree) -> str:
    """Return a tree with the words and the tags of another tree, as brackets on a line."""
    leaves = gold.pos()
    tree.un_chomsky_normal_form(expandUnary=True, unaryChar=CHAIN)
    for place, (word, tag) in zip(tree.treepositions("leaves"), leaves, strict=True):
        above = tree[place[:-1]]
        leaf = Tree(tag, [word])
        if above.label().startswith("<"):
            tree[place[:-1]] = leaf
        else:
            above[0] = leaf
    return tree.pformat(margin=sys.maxsize) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--parents", type=int, default=2, help="labels of a node's name: 1 its own")
    parser.add_argument("--sisters", type=int, default=1, help="sisters that a node knows")
    parser.add_argument("--keep", type=Path, help="where to keep trees and parses")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True, parents=True)
    make = ("tree", "from-dependencies", arguments.treebank, "--root", ROOT, "--on-error", "keep")
    lines = {level: sejongud(*make, "--level", str(level)).splitlines() for level in LEVELS}
    header, _, rest = sejongud(*make, "--to", "conllu").partition("\n")
    blocks = rest.strip().split("\n\n")
    usable = [at for at, line in enumerate(lines[5]) if line.startswith("(")]
    scores: dict[int, list[float]] = defaultdict(list)
    print("seed", "level", "words", "rules", "no tree", "P", "R", "F1", "seconds", sep="\t")
    for seed in map(int, arguments.seeds.split(",")):
        order = random.Random(seed).sample(usable, len(usable))
        test, train = order[: len(order) // 10], order[len(order) // 10 :]
        gold = folder / f"{seed}.gold.mrg"
        gold.write_text("".join([f"{lines[5][at]}\n" for at in test]), encoding="utf-8")
        morphemes = folder / f"{seed}.conllu"
        text = "\n\n".join([blocks[at] for at in test])
        morphemes.write_text(f"{header}\n{text}\n\n", encoding="utf-8")
        for level in LEVELS:
            begun = time.perf_counter()
            own = {at: Tree.fromstring(lines[level][at]) for at in order}
            known = known_tags([own[at] for at in train])
            markov = arguments.parents, arguments.sisters
            grammar = Grammar.of([binary(own[at], known, *markov) for at in train])
            parses = [grammar.parse([known(tag) for _, tag in own[at].pos()]) for at in test]
            found = folder / f"{seed}.{level}.mrg"
            lined = [text_of(tree, own[at]) for (tree, _), at in zip(parses, test, strict=True)]
            found.write_text("".join(lined), encoding="utf-8")
            system = folder / f"{seed}.{level}.5.mrg"
            run = ("tree", "level", found, system, "--morphemes", morphemes, "--level", "5")
            sejongud(*run, "--force")
            figures = json.loads(sejongud("eval", "parse", gold, system, "--json"))["scores"][0]
            scores[level].append(100 * figures["f1"])
            print(
                seed,
                level,
                sum([len(own[at].leaves()) for at in test]),
                len(grammar.left),
                len([tree for tree, is_whole in parses if not is_whole]),
                *[f"{100 * figures[name]:.2f}" for name in ("precision", "recall", "f1")],
                f"{time.perf_counter() - begun:.0f}",
                sep="\t",
                flush=True,
            )
    print("\nlevel", "F1", "spread", sep="\t")
    for level, own_scores in scores.items():
        spread = stdev(own_scores) if len(own_scores) > 1 else 0.0
        print(level, f"{fmean(own_scores):.2f}", f"{spread:.2f}", sep="\t")


if __name__ == "__main__":
    main()
