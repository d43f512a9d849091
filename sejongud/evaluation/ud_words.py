"""Which word of one treebank is which of another: the word alignment of the CoNLL 2018 evaluation.

A word that is a token stands for the token at the same place in the text. Words of ranges are
aligned within the smallest stretch of text that all ranges which touch it lie in, as the longest
common subsequence of their forms (conll18_ud_eval, "Description of word matching"). What this adds:
two files whose texts differ are aligned by sentences first, and stretches that differ by words.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.evaluation.treebank import FORM
from sejongud.layers.matching import (
    align_words,
    decomposed,
    pair_words,
    spaceless,
    spelt_lengths,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sejongud.evaluation.treebank import Treebank
    from sejongud.layers.matching import Group, Likeness

__all__ = ["pair_ud_words"]

Pairs = list[tuple[int, int]]
"""Gold word and system word, by their number in the file from 0; in gold order."""


def pair_ud_words(
    gold: Treebank, system: Treebank, groups: Iterable[Group], likeness: Likeness
) -> Pairs:
    """The words that stand for each other.

    Args:
        gold: the one file.
        system: the other.
        groups: their sentences, aligned.
        likeness: which words count as the same where the texts differ.

    Returns:
        Pairs of gold word and system word, by their numbers in the files, in gold order.
    """
    for spell in (spaceless, decomposed):
        ours, theirs = _Side.of(gold, spell), _Side.of(system, spell)
        if ours.text == theirs.text:
            return _by_offset(ours, theirs)
    pairs: Pairs = []
    for group in groups:
        gold_words, system_words = gold.words_of(group.gold), system.words_of(group.system)
        if not gold_words or not system_words:
            continue
        one, other = ours.part(gold_words), theirs.part(system_words)
        if one.text == other.text:
            found = _by_offset(one, other)
        else:
            words = align_words(one.forms, other.forms, likeness.exceptions)
            found = pair_words(one.forms, other.forms, words, likeness.exceptions)
        pairs += [(gold_words[g], system_words[s]) for g, s in found]
    return pairs


class _Side(NamedTuple):
    """The words of one file and their places in its text."""

    text: str
    forms: Sequence[str]
    starts: Sequence[int]
    """Where the token of each word begins, in characters of the text."""
    ends: Sequence[int]
    in_range: Sequence[bool]

    @classmethod
    def of(cls, bank: Treebank, spell: Callable[[str], str]) -> _Side:
        """A file whose characters are counted as spelt in a way."""
        text = spell("".join(bank.tokens))
        borders = list(accumulate(spelt_lengths(bank.tokens, spell), initial=0))
        return cls(
            text,
            bank.columns[FORM],
            [borders[token] for token in bank.token_of],
            [borders[token + 1] for token in bank.token_of],
            bank.in_range,
        )

    def part(self, words: range) -> _Side:
        """Some of its sentences, by their words (at least one), with places counted from them."""
        begin, end = words.start, words.stop
        shift = self.starts[begin]
        return _Side(
            self.text[shift : self.ends[end - 1]],
            self.forms[begin:end],
            [start - shift for start in self.starts[begin:end]],
            [place - shift for place in self.ends[begin:end]],
            self.in_range[begin:end],
        )


def _by_offset(gold: _Side, system: _Side) -> Pairs:
    """The pairs of two sides that have the same text."""
    pairs: Pairs = []
    g = s = 0
    while g < len(gold.forms) and s < len(system.forms):
        if gold.in_range[g] or system.in_range[s]:
            g_begin, s_begin, g, s = _stretch(gold, system, g, s)
            ours = [form.lower() for form in gold.forms[g_begin:g]]
            theirs = [form.lower() for form in system.forms[s_begin:s]]
            pairs += [(g_begin + i, s_begin + j) for i, j in _common_subsequence(ours, theirs)]
        elif gold.starts[g] == system.starts[s] and gold.ends[g] == system.ends[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.starts[g] <= system.starts[s]:
            g += 1
        else:
            s += 1
    return pairs


def _stretch(gold: _Side, system: _Side, g: int, s: int) -> tuple[int, int, int, int]:
    """The smallest stretch with whole ranges only, from a pair of which one word is in a range.

    Returns:
        Its first gold and system word, and those behind its last.
    """
    if gold.in_range[g]:
        end = gold.ends[g]
        s += not system.in_range[s] and system.starts[s] < gold.starts[g]
    else:
        end = system.ends[s]
        g += gold.starts[g] < system.starts[s]
    g_begin, s_begin = g, s
    while True:
        g_inside, s_inside = _is_inside(gold, g, end), _is_inside(system, s, end)
        if not g_inside and not s_inside:
            return g_begin, s_begin, g, s
        if g < len(gold.forms) and (s >= len(system.forms) or gold.starts[g] <= system.starts[s]):
            end = max(end, gold.ends[g]) if gold.in_range[g] else end
            g += 1
        else:
            end = max(end, system.ends[s]) if system.in_range[s] else end
            s += 1


def _is_inside(side: _Side, word: int, end: int) -> bool:
    """Whether a word belongs to a stretch that ends there; a range that begins in it does."""
    if word >= len(side.forms):
        return False
    return side.starts[word] < end if side.in_range[word] else side.ends[word] <= end


def _common_subsequence(gold: Sequence[str], system: Sequence[str]) -> Pairs:
    """The longest common subsequence; of several the one that conll18_ud_eval takes."""
    if gold == system:
        return [(at, at) for at in range(len(gold))]
    n, m = len(gold), len(system)
    lengths = [[0] * (m + 1) for _ in range(n + 1)]
    for g in reversed(range(n)):
        row, below = lengths[g], lengths[g + 1]
        for s in reversed(range(m)):
            here = 1 + below[s + 1] if gold[g] == system[s] else 0
            row[s] = max(here, below[s], row[s + 1])
    pairs: Pairs = []
    g = s = 0
    while g < n and s < m:
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif lengths[g][s] == lengths[g + 1][s]:
            g += 1
        else:
            s += 1
    return pairs
