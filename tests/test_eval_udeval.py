"""The figures of udeval (udtools), to the last digit, where gold and system have the same text."""

from __future__ import annotations

import io
import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from sejongud.evaluation.dep import DepMetric, Trees
from sejongud.evaluation.inputs import Treebank
from sejongud.evaluation.pos import TokensMetric
from sejongud.rules import load

if TYPE_CHECKING:
    from pathlib import Path

udeval = pytest.importorskip("udtools.udeval")

UPOS = ["NOUN", "VERB", "ADP", "PUNCT"]
FEATS = ["_", "Case=Nom", "Case=Nom|Foo=Bar", "Number=Sing|Case=Gen"]
DEPRELS = ["nsubj", "obj", "case", "mark", "aux", "nmod:poss", "obl", "punct", "det", "advcl"]


def row(chance: random.Random, word_id: int, form: str, head: int) -> str:
    lemma, xpos = chance.choice([form, "_", "x"]), chance.choice(["NNG", "JX"])
    cells = [word_id, form, lemma, chance.choice(UPOS), xpos, chance.choice(FEATS), head]
    cells.append("root" if head == 0 else chance.choice(DEPRELS))
    return "\t".join(map(str, [*cells, "_", "_"]))


def cut(chance: random.Random, text: str, share: float) -> list[str]:
    borders = [at for at in range(1, len(text)) if chance.random() < share]
    return [text[a:b] for a, b in pairwise([0, *borders, len(text)])]


def analyse(chance: random.Random, text: str) -> str:
    """A text with sentences, tokens, ranges and trees that are made up."""
    lines = []
    for sentence in cut(chance, text, 0.08):
        rows: list[tuple[str, list[str]]] = []
        for token in cut(chance, sentence, 0.5):
            parts = cut(chance, token + "ab", 0.6) if chance.random() < 0.4 else []
            words = [chance.choice([part, "b", "Ab"]) for part in parts]
            rows.append((token, words if len(words) > 1 else [token]))
        size = sum(len(words) for _, words in rows)
        order = chance.sample(range(1, size + 1), size)
        heads = dict.fromkeys(order[:1], 0)
        for at, word in enumerate(order[1:], 1):
            heads[word] = chance.choice(order[:at])
        number = 1
        for token, words in rows:
            if len(words) > 1:
                cells = [f"{number}-{number + len(words) - 1}", token, *"_" * 8]
                lines.append("\t".join(cells))
            for form in words:
                lines.append(row(chance, number, form, heads[number]))
                number += 1
        lines.append("")
    return "\n".join([*lines, ""])


def assert_same(gold: str, system: str) -> None:
    """Every figure of both programs is the same."""
    theirs = udeval.evaluate(*[udeval.load_conllu(io.StringIO(t), "", {}) for t in (gold, system)])
    banks = [Treebank.read([text]) for text in (gold, system)]
    trees = [Trees(bank, load()) for bank in banks]
    assert not any(found.incidents for found in trees)
    [ours] = DepMetric(enhanced=True).measure(
        *[bank.side(found) for bank, found in zip(banks, trees, strict=True)]
    )
    [by_tokens] = TokensMetric().measure(*[bank.side(bank.token_sentences) for bank in banks])
    assert not ours.incidents
    assert not ours.differences
    for score in [*ours.scores, *by_tokens.scores]:
        other = theirs[score.name]
        correct, gold_total, system_total = other.correct, other.gold_total, other.system_total
        expected = (correct, system_total - correct, gold_total - correct)
        assert (score.name, *score.counts.values()) == (score.name, *expected)
        ratios = [other.precision, other.recall, other.f1]
        if "accuracy" in score.ratios:
            ratios.append(other.aligned_accuracy or 0.0)
        assert (score.name, *score.ratios.values()) == (score.name, *ratios)


@pytest.mark.parametrize("seed", range(60))
def test_made_up_analyses_of_one_text(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choices("abAB가", k=chance.randint(1, 120)))
    assert_same(analyse(chance, text), analyse(chance, text))


def with_arcs(chance: random.Random, text: str) -> str:
    """An analysis with enhanced arcs that are made up."""
    blocks = []
    for block in text.split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n") if line]
        size = sum(cells[0].isdecimal() for cells in lines)
        for cells in lines:
            if cells[0].isdecimal():
                heads = sorted(chance.sample(range(size + 1), min(size, chance.randint(0, 3))))
                paths = ["conj:en", "conj", "nsubj", "obl:voor>conj", "root"]
                arcs = [f"{head}:{chance.choice(paths)}" for head in heads if f"{head}" != cells[0]]
                cells[8] = "|".join(arcs) or "_"
        blocks.append("".join("\t".join(cells) + "\n" for cells in lines))
    return "\n".join(blocks)


@pytest.mark.parametrize("seed", range(20))
def test_made_up_enhanced_arcs(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choices("abAB가", k=chance.randint(1, 60)))
    assert_same(*[with_arcs(chance, analyse(chance, text)) for _ in range(2)])
    same = with_arcs(chance, analyse(chance, text))
    assert_same(same, same)


TREEBANKS = [
    "ud-korean-gsd/ko_gsd-ud-dev.conllu",
    "ud-korean-ksl/ko_ksl-ud-dev.conllu",
    "ud-korean-kaist/ko_kaist-ud-dev.conllu",
    "ud-korean-pud/ko_pud-ud-test.conllu",
    "morphud-korean/ko_gsd-ud-dev-morph.conllu",
]


class Node:
    """A word and its governor."""

    def __init__(self, cells: list[str], head: Node | None = None) -> None:
        self.cells = list(cells)
        self.head = head

    @property
    def above(self) -> list[Node]:
        return [] if self.head is None else [self.head, *self.head.above]


Rows = list[tuple[str, list[Node]]]


def read(block: str) -> Rows:
    rows = [line.split("\t") for line in block.split("\n") if line[0] != "#"]
    nodes = {cells[0]: Node(cells) for cells in rows if cells[0].isdecimal()}
    for node in nodes.values():
        node.head = nodes.get(node.cells[6])
    tokens: Rows = []
    within: set[str] = set()
    for cells in rows:
        if "-" in cells[0]:
            first, last = map(int, cells[0].split("-"))
            numbers = list(map(str, range(first, last + 1)))
            within.update(numbers)
            tokens.append((cells[1], [nodes[number] for number in numbers]))
        elif cells[0] in nodes and cells[0] not in within:
            tokens.append((cells[1], [nodes[cells[0]]]))
    return tokens


def write(tokens: Rows) -> str:
    nodes = [node for _, words in tokens for node in words]
    number = {node: str(at) for at, node in enumerate(nodes, 1)}
    roots = [node for node in nodes if node.head not in number]
    lines = []
    for form, words in tokens:
        if len(words) > 1:
            lines.append("\t".join([f"{number[words[0]]}-{number[words[-1]]}", form, *"_" * 8]))
        for node in words:
            head = "0" if node is roots[0] else number.get(node.head or node, number[roots[0]])
            head = number[roots[0]] if node in roots[1:] else head
            lines.append("\t".join([number[node], *node.cells[1:6], head, *node.cells[7:]]))
    return "\n".join([*lines, "", ""])


def perturb_sentence(tokens: Rows, chance: random.Random, borders: float) -> Rows:
    """A tenth of the heads and labels changed; tokens cut in two, or merged with the one before."""
    nodes = [node for _, words in tokens for node in words]
    [root] = [node for node in nodes if node.head is None]
    for node in nodes:
        if chance.random() < 0.1:
            node.cells[7] = chance.choice(DEPRELS)
        if chance.random() < 0.1 and node is not root:
            node.head = root
    moved: Rows = []
    for form, words in tokens:
        single = len(words) == 1
        if single and len(form) > 1 and chance.random() < borders / 2:
            at = chance.randrange(1, len(form))
            rest = Node(words[0].cells, words[0])
            words[0].cells[1], rest.cells[1] = form[:at], form[at:]
            moved += [(form[:at], words), (form[at:], [rest])]
        elif single and moved and len(moved[-1][1]) == 1 and chance.random() < borders / 2:
            before, [first] = moved.pop()
            if words[0] in first.above:
                first.head = words[0].head
            for node in nodes:
                if node.head is words[0]:
                    node.head = first
            first.cells[1] = before + form
            moved.append((before + form, [first]))
        else:
            moved.append((form, words))
    return moved


def perturb(text: str, chance: random.Random, borders: float) -> str:
    """A treebank with another analysis of its text: a tenth of the arcs, some of the borders."""
    sentences: list[Rows] = []
    for block in text.strip("\n").split("\n\n"):
        tokens = perturb_sentence(read(block), chance, borders)
        if sentences and chance.random() < borders / 2:
            sentences[-1] += tokens
        elif len(tokens) > 1 and chance.random() < borders / 2:
            at = chance.randrange(1, len(tokens))
            sentences += [tokens[:at], tokens[at:]]
        else:
            sentences.append(tokens)
    return "".join(map(write, sentences))


@pytest.mark.parametrize("treebank", TREEBANKS)
@pytest.mark.parametrize("borders", [0, 0.1])
def test_perturbed_treebanks(shared: Path, treebank: str, borders: float) -> None:
    text = (shared / "data" / treebank).read_text(encoding="utf-8")
    text = "\n\n".join(text.split("\n\n")[:100]) + "\n\n"
    assert_same(text, perturb(text, random.Random(treebank), borders))
