"""Compare FEATS of raw text, analysed by Kiwi, with those of a treebank (rules/feats.tsv).

    python benchmarks/feats.py ko_pud-ud-test.conllu

Only words with the same characters count, and of their features those that the UPOS of the
treebank permits (rules/feats-ud.tsv), since a word with another UPOS has other features anyway.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from sejongud.api import analyze, read
from sejongud.converters.features import Features
from sejongud.converters.recut import Recut
from sejongud.levels.cut import Granularity
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.model import Sentence

Place = tuple[int, int]


def words(sentence: Sentence) -> Iterator[tuple[Place, str, str]]:
    """The characters of each word that is a token, its UPOS and its FEATS."""
    start = 0
    for token in sentence.tokens:
        end = start + len(token.form.replace(" ", ""))
        if len(token.words) == 1:
            yield (start, end), token.words[0].upos, token.words[0].feats
        start = end


def items(feats: str, permitted: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    pairs = {tuple(item.split("=", 1)) for item in feats.split("|") if "=" in item}
    return {(name, value) for name, value in pairs if (name, value) in permitted}


def main() -> None:
    (path,) = sys.argv[1:]
    rules = load()
    recut = Recut(Granularity(rules, 2, upos="ud"))
    features = Features(rules, "ud", permitted=False)
    by_upos: dict[str, set[tuple[str, str]]] = {}
    for row in rules.table("feats-ud"):
        for upos in row["upos"].split("|"):
            by_upos.setdefault(upos, set()).add((row["feature"], row["value"]))
    right: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    found: Counter[str] = Counter()
    all_right = compared = total = 0
    for sentence in read(path):
        (made,) = analyze(sentence.text)
        ours = {place: feats for place, _, feats in words(features(recut(made)))}
        for place, upos, feats in words(sentence):
            total += 1
            if place not in ours:
                continue
            compared += 1
            permitted = by_upos.get(upos, set())
            theirs, own = items(feats, permitted), items(ours[place], permitted)
            all_right += theirs == own
            gold.update([name for name, _ in theirs])
            found.update([name for name, _ in own])
            right.update([name for name, _ in theirs & own])
    print(f"{compared:,} of {total:,} words; all features right: {all_right / compared:.1%}")
    for name in sorted(gold | found):
        precision = f"{right[name] / found[name]:.1%}" if found[name] else "-"
        recall = f"{right[name] / gold[name]:.1%}" if gold[name] else "-"
        print(f"{name}\t{precision}\t{recall}\t{gold[name]}")


if __name__ == "__main__":
    main()
