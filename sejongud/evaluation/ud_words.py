"""Align the words of two treebanks as the CoNLL 2018 evaluation does.

A word that is a token of its own is aligned with the token at the same place in the text. Words of
ranges are aligned, by the longest common subsequence of their forms, within the smallest stretch of
text that has no range across its borders (conll18_ud_eval, "Description of word matching"). If the
texts differ, sentences are aligned first, and stretches that differ are aligned by words.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sejongud.formats.conllu.rows import FORM
from sejongud.layers.matching import align_words, pair_words
from sejongud.layers.subsequence import composed, decomposed, spaceless, spelt_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sejongud.evaluation.inputs import Treebank
    from sejongud.layers.matching import Group, Likeness

Pairs = list[tuple[int, int]]
"""Gold words and system words by their numbers in the files, from 0; in gold order."""


def pair_ud_words(
    gold: Treebank, system: Treebank, groups: Iterable[Group], likeness: Likeness
) -> Pairs:
    """Pair the words of two files.

    Args:
        gold: the one file.
        system: the other file.
        groups: their sentences, aligned.
        likeness: which words count as the same where the texts differ.
    """
    texts = "".join(gold.tokens), "".join(system.tokens)
    for spell in (spaceless, decomposed):
        if spell(texts[0]) == spell(texts[1]):
            return _by_offset(_FileWords.of(gold, spell), _FileWords.of(system, spell))
    ours, theirs = _FileWords.of(gold, decomposed), _FileWords.of(system, decomposed)
    pairs: Pairs = []
    for group in groups:
        gold_words, system_words = gold.words_of(group.gold), system.words_of(group.system)
        if gold_words and system_words:
            pairs += _within(ours, theirs, gold_words, system_words, likeness)
    return pairs


def pairs_of_groups(
    pairs: Pairs, gold: Treebank, groups: Iterable[Group]
) -> Iterator[tuple[Group, tuple[int, int]]]:
    """Yield each group of sentences with the first of its pairs and the place behind the last.

    Args:
        pairs: the pairs of the whole file; those of a group are neighbours.
        gold: the gold file.
        groups: the aligned sentences.
    """
    words = [g for g, _ in pairs]
    for group in groups:
        gold_words = gold.words_of(group.gold)
        yield group, (bisect_left(words, gold_words.start), bisect_left(words, gold_words.stop))


def _within(
    gold: _FileWords, system: _FileWords, gold_words: range, system_words: range, likeness: Likeness
) -> Pairs:
    """Pair some words of each side."""
    ours = gold.forms[gold_words.start : gold_words.stop]
    theirs = system.forms[system_words.start : system_words.stop]
    if gold.text_of(gold_words) != system.text_of(system_words):
        pairs_within = pair_words(ours, theirs, align_words(ours, theirs, likeness), likeness)
    elif ours == theirs and not (gold.has_range(gold_words) or system.has_range(system_words)):
        return list(zip(gold_words, system_words, strict=True))
    else:
        pairs_within = _by_offset(gold.part(gold_words), system.part(system_words))
    return [(gold_words[g], system_words[s]) for g, s in pairs_within]


class _FileWords(NamedTuple):
    """The words of a file and their places in its text."""

    text: str
    forms: Sequence[str]
    starts: Sequence[int]
    """The first character of each word's token."""
    ends: Sequence[int]
    """The character behind each word's token."""
    in_range: Sequence[bool]

    @classmethod
    def of(cls, bank: Treebank, spell: Callable[[str], str]) -> _FileWords:
        """Return the words of a file; places are counted in the spelling that `spell` makes."""
        text = spell("".join(bank.tokens))
        borders = list(accumulate(spelt_lengths(bank.tokens, spell), initial=0))
        return cls(
            text,
            bank.columns[FORM],
            [borders[token] for token in bank.token_of],
            [borders[token + 1] for token in bank.token_of],
            bank.in_range,
        )

    def text_of(self, words: range) -> str:
        """Return the text of some sentences (at least one word)."""
        return self.text[self.starts[words.start] : self.ends[words.stop - 1]]

    def has_range(self, words: range) -> bool:
        """Return whether a word of some sentences belongs to a range."""
        return any(self.in_range[words.start : words.stop])

    def part(self, words: range) -> _FileWords:
        """Return the words of some sentences (at least one word); places count from the first."""
        begin, end = words.start, words.stop
        shift = self.starts[begin]
        return _FileWords(
            self.text_of(words),
            self.forms[begin:end],
            [start - shift for start in self.starts[begin:end]],
            [place - shift for place in self.ends[begin:end]],
            self.in_range[begin:end],
        )


def _by_offset(gold: _FileWords, system: _FileWords) -> Pairs:
    """Pair the words of two sides that have the same text."""
    pairs: Pairs = []
    g = s = 0
    while g < len(gold.forms) and s < len(system.forms):
        if gold.in_range[g] or system.in_range[s]:
            g_begin, s_begin, g, s = _stretch(gold, system, g, s)
            ours = [composed(form.lower()) for form in gold.forms[g_begin:g]]
            theirs = [composed(form.lower()) for form in system.forms[s_begin:s]]
            pairs += [(g_begin + i, s_begin + j) for i, j in _common_subsequence(ours, theirs)]
        elif gold.starts[g] == system.starts[s] and gold.ends[g] == system.ends[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.starts[g] <= system.starts[s]:
            g += 1
        else:
            s += 1
    return pairs


def _stretch(gold: _FileWords, system: _FileWords, g: int, s: int) -> tuple[int, int, int, int]:
    """Return the smallest stretch of whole ranges around a pair with one word in a range.

    Returns:
        The first gold word and the first system word, and the words behind the last ones.
    """
    if gold.in_range[g]:
        end = gold.ends[g]
        s += not system.in_range[s] and system.starts[s] < gold.starts[g]
    else:
        end = system.ends[s]
        g += gold.starts[g] < system.starts[s]
    g_begin, s_begin = g, s
    while _is_inside(gold, g, end) or _is_inside(system, s, end):
        if g < len(gold.forms) and (s >= len(system.forms) or gold.starts[g] <= system.starts[s]):
            end = max(end, gold.ends[g]) if gold.in_range[g] else end
            g += 1
        else:
            end = max(end, system.ends[s]) if system.in_range[s] else end
            s += 1
    return g_begin, s_begin, g, s


def _is_inside(side: _FileWords, word: int, end: int) -> bool:
    """Return whether a word belongs to a stretch; a range belongs to that in which it begins."""
    if word >= len(side.forms):
        return False
    return side.starts[word] < end if side.in_range[word] else side.ends[word] <= end


def _common_subsequence(gold: Sequence[str], system: Sequence[str]) -> Pairs:
    """Return the longest common subsequence, of several the choice of conll18_ud_eval."""
    if gold == system:
        return [(i, i) for i in range(len(gold))]
    n, m = len(gold), len(system)
    lengths = [[0] * (m + 1) for _ in range(n + 1)]
    for g in reversed(range(n)):
        row, below = lengths[g], lengths[g + 1]
        for s in reversed(range(m)):
            length = 1 + below[s + 1] if gold[g] == system[s] else 0
            row[s] = max(length, below[s], row[s + 1])
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
