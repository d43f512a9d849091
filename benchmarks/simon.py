"""Sejong text of any length, with as many distinct eojeols as a corpus of that length has.

    python benchmarks/simon.py 10000000 TREEBANK.conllu … > simon.txt

The eojeols are drawn by a Simon process (Simon 1955, On a class of skew distribution functions):
with probability p the next one is new, else it is one of those before it, each place as likely as
any other. With p = 0.12, 10 million eojeols have 1.2 million distinct ones.

A new one is composed of a stem and a tail of the treebanks, `책상` and `에서는`, `갔` and `지만.`,
that have not met in it before. A tail is what follows the last morpheme of content, from the first
clean border on: where a stem and its ending have fused, `갔` is the stem. Tails only follow what
they follow in a treebank: the same tag, the same kind of last consonant, the same vowel harmony;
and a verb has tails that begin with a vowel only where it is seen with one (`가깝고`, `가까워`).
"""

from __future__ import annotations

import argparse
import sys
from array import array
from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import sejongud
from sejongud.morphology.eojeol import write_analysis
from sejongud.morphology.hangul import decompose, is_syllable
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.model import Eojeol

CONTENT = {
    "noun", "pronoun", "numeral", "number", "verb", "adjective", "auxiliary", "determiner",
    "adverb", "interjection", "root", "foreign", "unknown", "prefix",
}  # fmt: skip
VERBS = {"verb", "adjective", "auxiliary"}
BRIGHT = "ㅏㅑㅗ"
LENGTH = 11
"""Eojeols of a sentence, on average."""
TRIES = 8
_BATCH = 20_000


class Part(NamedTuple):
    """A stem or a tail: surface, analysis, what may stand beside it."""

    form: str
    analysis: str
    key: tuple[str, ...]


def split(eojeol: Eojeol, kind: Callable[[str], str]) -> tuple[Part, Part] | None:
    """The stem and the tail of an eojeol, None if it has no such parts.

    Args:
        eojeol: of the treebank.
        kind: of a tag.
    """
    morphemes, spans, form = eojeol.morphemes, eojeol.spans, eojeol.form
    cut = max((at for at, m in enumerate(morphemes, 1) if kind(m.tag) in CONTENT), default=0)
    if not cut or eojeol.notes or " " in form:
        return None
    while cut < len(morphemes) and spans[cut - 1][1] > spans[cut][0]:
        cut += 1
    border = spans[cut - 1][1]
    last = form[border - 1]
    if not is_syllable(last):
        return None
    _, vowel, coda = decompose(last)
    tag = morphemes[cut - 1].tag
    key: tuple[str, ...] = (
        tag,
        coda if coda in ("", "ㄹ") else "other",
        "bright" if vowel in BRIGHT else "dark",
    )
    following = form[border : border + 1]
    if kind(tag) in VERBS and is_syllable(following) and not decompose(following)[0].strip("ㅇ"):
        key += ("vowel",)
    stem = Part(form[:border], write_analysis(morphemes[:cut]), key)
    return stem, Part(form[border:], write_analysis(morphemes[cut:]), key)


class Inventory:
    """The stems and tails of a treebank, and which of their pairs have been used.

    Args:
        paths: the treebanks, CoNLL-U.
        random: draws the pairs.
    """

    def __init__(self, paths: list[str], random: Random) -> None:
        stems: dict[Part, None] = {}
        tails: dict[Part, int] = {}
        self._following: dict[tuple[str, ...], list[int]] = defaultdict(list)
        kind = load().kind
        for path in paths:
            for sentence in sejongud.read(path, on_error="skip"):
                for eojeol in sentence.eojeols:
                    if parts := split(eojeol, kind):
                        stem, tail = parts
                        stems[stem] = None
                        # As often as it occurs, so that it is drawn as often.
                        self._following[stem.key].append(tails.setdefault(tail, len(tails)))
        self.pairs = sum(len(set(self._following[stem.key])) for stem in stems)
        """How many there are."""
        self._random = random
        self._stems = list(stems)
        self._tails = list(tails)
        self._used = bytearray(len(stems) * len(tails) // 8 + 1)

    def new(self) -> int:
        """The number of a pair that has not been drawn before."""
        random = self._random
        while True:
            number = random.randrange(len(self._stems))
            following = self._following[self._stems[number].key]
            for _ in range(TRIES):
                pair = number * len(self._tails) + random.choice(following)
                if not self._used[pair >> 3] & 1 << (pair & 7):
                    self._used[pair >> 3] |= 1 << (pair & 7)
                    return pair

    def line(self, pair: int) -> str:
        """The line of a pair."""
        stem, tail = self._stems[pair // len(self._tails)], self._tails[pair % len(self._tails)]
        plus = "+" if tail.analysis else ""
        return f"{stem.form}{tail.form}\t{stem.analysis}{plus}{tail.analysis}\n"


def simon(inventory: Inventory, count: int, new: float, random: Random) -> Iterator[str]:
    """The lines of eojeols, with blank lines between the sentences."""
    pairs = array("Q")
    drawn = array("I")
    """Which pair each eojeol was."""
    draw = random.random
    left = LENGTH
    for number in range(count):
        if draw() < new or not number:
            which = len(pairs)
            pairs.append(inventory.new())
        else:
            which = drawn[int(draw() * number)]
        drawn.append(which)
        yield inventory.line(pairs[which])
        left -= 1
        if not left:
            left = random.randrange(3, 2 * LENGTH - 2)
            yield "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, help="how many eojeols")
    parser.add_argument("treebanks", nargs="+", metavar="TREEBANK", help="CoNLL-U")
    parser.add_argument("--new", type=float, default=0.12, help="probability of a new one")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = Random(args.seed)
    inventory = Inventory(args.treebanks, random)
    if args.count * args.new > inventory.pairs / 2:
        sys.exit(f"only {inventory.pairs:,} pairs of stem and tail: give more treebanks")
    batch: list[str] = []
    for line in simon(inventory, args.count, args.new, random):
        batch.append(line)
        if len(batch) > _BATCH:
            sys.stdout.write("".join(batch))
            batch.clear()
    sys.stdout.write("".join(batch) + "\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    main()
