"""How long it takes to align two texts that differ, at 25, 50 and 100 thousand sentences.

The text is made up: words drawn at random, five to twenty a sentence. The other side has one
word in thirty changed, a tenth of its words cut and of its sentences cut or merged, one sentence in
a hundred left out, and in the middle a hundred of them in a row.

    python benchmarks/eval_alignment.py
"""

from __future__ import annotations

import random
import resource
import time

from sejongud.layers.matching import align_sentences, align_words, pair_words

SIZES = (25_000, 50_000, 100_000)


def make(chance: random.Random, size: int) -> tuple[list[list[str]], list[list[str]]]:
    syllables = [chr(code) for code in range(0xAC00, 0xAC00 + 2000, 3)]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(5000)]
    gold = [chance.choices(words, k=chance.randint(5, 20)) for _ in range(size)]
    system: list[list[str]] = []
    for number, sentence in enumerate(gold):
        if chance.random() < 0.01 or size // 2 <= number < size // 2 + 100:
            continue
        changed = [moved for word in sentence for moved in change(chance, word)]
        if system and chance.random() < 0.05:
            system[-1] += changed
        elif chance.random() < 0.05:
            system += [changed[:3], changed[3:]]
        else:
            system.append(changed)
    return gold, system


def change(chance: random.Random, word: str) -> list[str]:
    if len(word) > 1 and chance.random() < 0.1:
        return [word[:1], word[1:]]
    if chance.random() < 0.03:
        return [word[:-1] + "것"]
    return [word]


def main() -> None:
    print("sentences  align sentences  align words  largest group  right sentences  peak memory")
    for size in SIZES:
        gold, system = make(random.Random(size), size)
        began = time.perf_counter()
        groups = align_sentences(gold, system)
        between = time.perf_counter()
        for group in groups:
            ours = [word for at in group.gold for word in gold[at]]
            theirs = [word for at in group.system for word in system[at]]
            pair_words(ours, theirs, align_words(ours, theirs))
        ended = time.perf_counter()
        largest = max(len(group.gold) + len(group.system) for group in groups)
        matches = sum(group.match for group in groups)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"{size:9,}  {between - began:13.2f} s  {ended - between:9.2f} s  {largest:13}"
            f"  {matches:15,}  {peak:8} MB"
        )


if __name__ == "__main__":
    main()
