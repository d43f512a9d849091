"""Do what EVALB does beside counting: put quotation marks back, and print details of a sentence.

Quotation marks are put back as by its `fix_quote` (Ellis 2006).
A parser may give the closing quotation mark `'` the tag of a genitive, or the other way round. If
one of the two tags is a DELETE_LABEL, only one tree loses the word, and their lengths differ. Then
the mark is put back into the tree that lost it. A mark that was put back counts as one place
further on, so a second mark of the other tree can put it back once more, as in the C program.

The details are those of its debug mode. Spans number the words that count. The second field of
DEBUG 1 is the result of the comparison. DEBUG 2 shows the text of a constituent between its label
and its last bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count, zip_longest
from typing import TYPE_CHECKING, Any

from sejongud.evaluation.parseval import Constituents, cut_label
from sejongud.formats.brackets import CLOSE, LEAF, OPEN, STRAY, TOKEN, Tree, keep_words, tokens

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence


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
        self.tree = keep_words(tree, [tag not in deleted for tag in tree.tags])
        """The tree over the words that count now."""
        self.quotes = list(_quotes(tree, labels, deleted))

    def put_back(self, number: int) -> Iterator[str]:
        """Put a quotation mark in, and yield the lines of DEBUG 2."""
        quote = self.quotes[number]
        words, tags, _, starts, ends = map(list[Any], self.tree[:5])
        yield f"bra={quote.bracket:d}, ind={quote.place:d}\n"
        words.insert(quote.place, quote.word)
        tags.insert(quote.place, quote.tag)
        for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
            yield f"bracket[{k}]={{{start:d},{end:d}}}\n"
            if k >= quote.bracket:
                starts[k], ends[k] = start + 1, end + 1
        yield f"endslen={len(quote.around)}\n"
        for k in quote.around:
            ends[k] += 1
        self.tree = self.tree._replace(words=words, tags=tags, starts=starts, ends=ends)
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


_NO, _YES, _DELETED, _UNDEFINED = 0, 1, 5, 9
"""The results of comparing a word or a constituent."""

_BEHIND_LABEL = re.compile(r"\s+([^\s()]*)", re.ASCII)
"""The space behind a label, and the word behind it."""


def format_reading(line: str, deleted: Container[str]) -> Iterator[str]:
    """Yield the lines of DEBUG 2 that are printed while a tree is read.

    A label without a space behind it has none. A word outside a bracket ends the reading.

    Args:
        line: the text of the tree.
        deleted: the tags of words that do not count.

    >>> print(*format_reading("(S(NP (N a) (, ,)) (V b))", {","}), sep="", end="")
    label=NP, word=, wid=0
    label=N, word=a, wid=0
    label=,, word=,, wid=1
    label=V, word=b, wid=1
    """
    number = 0
    for match in TOKEN.finditer(line):
        kind, label, word = tokens[match[0]]
        if kind == STRAY:
            return
        if kind == OPEN and (behind := _BEHIND_LABEL.match(line, match.end())):
            word = behind[1]
        elif kind != LEAF:
            continue
        yield f"label={label}, word={word}, wid={number:d}\n"
        number += kind == LEAF and label not in deleted


def format_details(gold: Tree, test: Tree, constituents: Constituents | None) -> Iterator[str]:
    """Yield the lines of DEBUG 1: all words and constituents of both trees, side by side.

    Args:
        gold: the gold tree over the words that count.
        test: the test tree over the words that count.
        constituents: compares the trees; None if they were not compared.
    """
    yield (
        f"-<1>---(wn1={len(gold.words):3d}, bn1={len(gold.labels):3d})-           "
        f"-<2>---(wn2={len(test.words):3d}, bn2={len(test.labels):3d})-\n"
    )
    tag_results = [_UNDEFINED] * max(len(gold.tags), len(test.tags))
    if constituents is not None:
        tag_results = [*map(int, map(constituents.same_label, gold.tags, test.tags))]
    yield from _side_by_side(_word_rows(gold, tag_results), _word_rows(test, tag_results), width=40)
    yield "\n"
    pairs = constituents.match(constituents.of(gold), constituents.of(test)) if constituents else ()
    gold_rows = _constituent_rows(gold, _results(gold, constituents, {i for i, _ in pairs}))
    test_rows = _constituent_rows(test, _results(test, constituents, {j for _, j in pairs}))
    yield from _side_by_side(gold_rows, test_rows, width=32)
    yield "\n========\n"


def _side_by_side(
    left: Iterable[str | None], right: Iterable[str | None], width: int
) -> Iterator[str]:
    for left_line, right_line in zip_longest(left, right):
        # A row that is longer than its column moves the right one on, as in C.
        yield f"{left_line + ' ' * 6 if left_line is not None else ' ' * width}{right_line or ''}\n"


def _word_rows(tree: Tree, results: Sequence[int]) -> Iterator[str | None]:
    for i, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
        # The row of an empty word is left blank.
        yield f"{i:3d} : {results[i]:d} : {tag:<6}  {word:<16}" if word else None


def _constituent_rows(tree: Tree, results: Sequence[tuple[int, str]]) -> Iterator[str]:
    rows = zip(tree.starts, tree.ends, results, strict=True)
    for i, (start, end, (result, label)) in enumerate(rows):
        yield f"{i:3d} : {result:d} : {start:3d}  {end:3d}  {label:<6}"


def _results(
    tree: Tree, constituents: Constituents | None, matched: Container[int] = ()
) -> list[tuple[int, str]]:
    """Return the result and the label, cut if it was compared, of each constituent.

    Args:
        tree: a tree over the words that count.
        constituents: compares the trees; None if they were not compared.
        matched: the numbers of the constituents that match, among those that count.
    """
    if constituents is None:
        return [(_UNDEFINED, label) for label in tree.labels]
    numbers = count()
    results = []
    for start, end, written in zip(tree.starts, tree.ends, tree.labels, strict=True):
        if start == end:
            results.append((_DELETED, written))
        elif constituents.labels[written] is None:
            results.append((_DELETED, cut_label(written)))
        else:
            results.append((_YES if next(numbers) in matched else _NO, cut_label(written)))
    return results


def format_comparison(
    gold: Tree, test: Tree, gold_line: str, test_line: str, constituents: Constituents
) -> Iterator[str]:
    """Yield the lines of DEBUG 2: every pair of constituents compared, and those without a match.

    Args:
        gold: the gold tree over the words that count.
        test: the test tree over the words that count.
        gold_line: the text of the gold tree.
        test_line: the text of the test tree.
        constituents: compares the trees.
    """
    ours = _ComparedTree(gold, gold_line, constituents)
    theirs = _ComparedTree(test, test_line, constituents)
    only_label: set[int] = set()
    for i in range(len(ours.labels)):
        matched = False
        for j in range(len(theirs.labels)):
            our_span, their_span = ours.spans[i], theirs.spans[j]
            yield (
                f"1.res={ours.results[i]}, 2.res={theirs.results[j]}, 1.start={our_span[0]:d},"
                f" 2.start={their_span[0]:d}, 1.end={our_span[1]:d}, 2.end={their_span[1]:d}\n"
            )
            if not (
                ours.results[i] == theirs.results[j] == _NO and ours.spans[i] == theirs.spans[j]
            ):
                continue
            matched = True
            if not constituents.labeled or constituents.same_label(
                ours.labels[i], theirs.labels[j]
            ):
                ours.results[i] = theirs.results[j] = _YES
                break
            yield ours.show("LABEL", i)
            only_label.add(j)
        if not matched and ours.results[i] != _DELETED:
            yield ours.show("BRACKET", i)
    for j, result in enumerate(theirs.results):
        if result == _NO and j not in only_label:
            yield theirs.show("EXTRA", j)
    last = -1
    for (start, end), result in zip(theirs.spans, theirs.results, strict=True):
        for i, (a, b) in enumerate(ours.spans if result != _DELETED else ()):
            if ours.results[i] != _DELETED and (a < start < b < end or start < a < end < b):
                if i != last:
                    yield ours.show("CROSSING", i)
                    last = i
                break


class _ComparedTree:
    """The constituents of one tree while they are compared."""

    def __init__(self, tree: Tree, line: str, constituents: Constituents) -> None:
        rows = _results(tree, constituents)
        self.results = [result for result, _ in rows]
        self.labels = [label for _, label in rows]
        self.spans = list(zip(tree.starts, tree.ends, strict=True))
        self._texts = _sources(line)

    def show(self, what: str, i: int) -> str:
        start, end = self.spans[i]
        return f"  {what}[{start}-{end - 1}]: {self._texts[i]}\n"


def _sources(line: str) -> list[str]:
    """Return the text of each constituent between its label and its closing bracket."""
    begins: list[int] = []
    texts: list[str] = []
    stack: list[int] = []
    for match in TOKEN.finditer(line):
        kind = tokens[match[0]].kind
        if kind == OPEN:
            stack.append(len(texts))
            texts.append("")
            begins.append(match.end())
        elif kind == CLOSE and stack:
            i = stack.pop()
            texts[i] = line[begins[i] : match.start()]
    return texts
