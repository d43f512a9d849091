"""Compare FEATS of raw text, analysed by Kiwi, with those of a treebank (rules/feats.tsv).

    python benchmarks/feats.py ko_pud-ud-test.conllu [--differences]

Only words with the same characters count, and of their features those that belong to the UPOS of
the treebank (`BELONGS`): UD_Korean-PUD has 사용했는데 as a NOUN without features, which says
nothing of an ending. With `--differences`, the last lines are the features that the treebank and
the table do not share: their number, feature, UPOS, both values and the last two morphemes.
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
    from collections.abc import Iterator

    from sejongud.model import Sentence, Word

Place = tuple[int, int]


_NOMINAL = frozenset(("NOUN", "NUM", "PRON", "PROPN"))
_VERBAL = frozenset(("ADJ", "AUX", "VERB"))
BELONGS = {
    **dict.fromkeys(("Case", "Number", "NumType"), _NOMINAL),
    **dict.fromkeys(("Form", "Mood", "Polite", "Tense", "VerbForm", "Voice"), _VERBAL),
    "Person": frozenset(("PRON",)),
    "Polarity": frozenset(("ADV",)),
}
"""The UPOS of each feature that the treebank has: UD's nominal, verbal and lexical features."""


def words(sentence: Sentence) -> Iterator[tuple[Place, Word]]:
    """The characters of each word that is a token, and the word."""
    start = 0
    for token in sentence.tokens:
        end = start + len(token.form.replace(" ", ""))
        if len(token.words) == 1:
            yield (start, end), token.words[0]
        start = end


def items(feats: str, upos: str) -> dict[str, str]:
    """The features of a cell that belong to a UPOS."""
    pairs = [item.split("=", 1) for item in feats.split("|") if "=" in item]
    return {name: value for name, value in pairs if upos in BELONGS.get(name, ())}


def main() -> None:
    path, *options = sys.argv[1:]
    rules = load()
    recut = Recut(Granularity(rules, 2, upos="ud"))
    features = Features(rules, "ud", permitted=False)
    right: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    found: Counter[str] = Counter()
    differences: Counter[tuple[str, ...]] = Counter()
    all_right = compared = total = 0
    for sentence in read(path):
        (made,) = analyze(sentence.text)
        ours = dict(words(features(recut(made))))
        for place, word in words(sentence):
            total += 1
            if place not in ours:
                continue
            compared += 1
            theirs, own = items(word.feats, word.upos), items(ours[place].feats, word.upos)
            all_right += theirs == own
            gold.update(list(theirs))
            found.update(list(own))
            right.update([name for name in theirs if own.get(name) == theirs[name]])
            end = "+".join([f"{m.form}/{m.tag}" for m in ours[place].morphemes[-2:]])
            for name in theirs.keys() | own.keys():
                if theirs.get(name) != own.get(name):
                    values = theirs.get(name, "_"), own.get(name, "_")
                    differences[name, word.upos, *values, end] += 1
    print(f"{compared:,} of {total:,} words; all features right: {all_right / compared:.1%}")
    for name in sorted(gold | found):
        precision = f"{right[name] / found[name]:.1%}" if found[name] else "-"
        recall = f"{right[name] / gold[name]:.1%}" if gold[name] else "-"
        print(f"{name}\t{precision}\t{recall}\t{gold[name]}")
    if "--differences" in options:
        for row, count in sorted(differences.items(), key=lambda item: (-item[1], item[0])):
            print(count, *row, sep="\t")


if __name__ == "__main__":
    main()
