"""Put quotation marks back as EVALB does (`fix_quote`, Ellis 2006).

A parser may give the closing quotation mark `'` the tag of a genitive, or the other way round. If
one of the two tags is a DELETE_LABEL, only one tree loses the word, and their lengths differ. Then
the mark is put back into the tree that lost it. A mark that was put back counts as one place
further on, so a second mark of the other tree can put it back once more, as in the C program.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from sejongud.formats.brackets import Tree, keep_words

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_MARKS = frozenset("'\"/")


@dataclass(slots=True)
class _Quote:
    """A word that is, or may be, a quotation mark."""

    word: str
    tag: str
    place: int
    """The words that count before it."""
    bracket: int
    """The constituents that open before it."""
    around: list[int]
    """The constituents that hold it."""

    def __str__(self) -> str:
        return f"{self.place:d}: {self.tag} - {self.word}\n"


def put_quotes_back(
    gold: Tree, test: Tree, labels: Container[str], deleted: Container[str]
) -> tuple[Tree, Tree, list[str]]:
    """Keep a quotation mark that only one of two trees loses because of its tag.

    Args:
        gold: the gold tree with all its words.
        test: the test tree with all its words.
        labels: the tags that a quotation mark may have (QUOTE_LABEL).
        deleted: the tags of words that do not count (DELETE_LABEL).

    Returns:
        Both trees over the words that count then, and the lines of DEBUG 2.

    >>> from sejongud.formats.brackets import parse
    >>> trees = [parse(f"(S (N a) ({tag} '))") for tag in ("''", "POS")]
    >>> gold, test, _ = put_quotes_back(*trees, {"''", "POS"}, {"''"})
    >>> gold.words, gold.tags, gold.ends
    (['a', "'"], ['N', "''"], [2])
    """
    ours, theirs = _QuotedTree(gold, labels, deleted), _QuotedTree(test, labels, deleted)
    notes = [
        str(quote)
        for pair in zip_longest(ours.quotes, theirs.quotes)
        for quote in pair
        if quote is not None
    ]
    for j, their in enumerate(theirs.quotes):
        place = their.place
        for i, our in enumerate(ours.quotes):
            if our.place != place:
                continue
            lost, lost_by_test = our.tag in deleted, their.tag in deleted
            if lost and not lost_by_test:
                notes += ours.put_back(i)
            elif lost_by_test and not lost:
                notes += theirs.put_back(j)
    return ours.tree, theirs.tree, notes


class _QuotedTree:
    """One tree over the words that count, and its quotation marks."""

    def __init__(self, tree: Tree, labels: Container[str], deleted: Container[str]) -> None:
        words_left = keep_words(tree, [tag not in deleted for tag in tree.tags])
        self._words, self._tags = list(words_left.words), list(words_left.tags)
        self._starts, self._ends = list(words_left.starts), list(words_left.ends)
        self._read = tree
        self.quotes = list(_quotes(tree, labels, deleted))

    @property
    def tree(self) -> Tree:
        """The tree over the words that count now."""
        labels, line = self._read.labels, self._read.line
        return Tree(self._words, self._tags, labels, self._starts, self._ends, line)

    def put_back(self, number: int) -> Iterator[str]:
        """Put a quotation mark in, and yield the lines of DEBUG 2."""
        quote = self.quotes[number]
        starts, ends = self._starts, self._ends
        yield f"bra={quote.bracket:d}, ind={quote.place:d}\n"
        self._words.insert(quote.place, quote.word)
        self._tags.insert(quote.place, quote.tag)
        for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
            yield f"bracket[{k}]={{{start:d},{end:d}}}\n"
            if k >= quote.bracket:
                starts[k], ends[k] = start + 1, end + 1
        yield f"endslen={len(quote.around)}\n"
        for k in quote.around:
            ends[k] += 1
        for later in self.quotes[number:]:
            later.place += 1


def _quotes(tree: Tree, labels: Container[str], deleted: Container[str]) -> Iterator[_Quote]:
    place = 0
    for number, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
        if word in _MARKS and tag in labels:
            before = [start <= number for start in tree.starts]
            around = [
                k
                for k, (opened, end) in enumerate(zip(before, tree.ends, strict=True))
                if opened and (number < end or end < 0)
            ]
            yield _Quote(word, tag, place, sum(before), around)
        place += tag not in deleted
