r"""Bracketed trees, one bracket a constituent: `(S (NP (NNG 비)) (VP (VV 오) (EF ㄴ다)))`.

    sentence  = { tree }
    tree      = "(" [label] { tree } ")"          a constituent
              | "(" [label] space word ")"        a word and its tag

A sentence is one line, or several while its brackets are open. So both habits are readable: a tree
on every line, as parsers write them, and indented trees over several lines, as in treebanks. A line
that begins with a bracket in its first column always begins a new sentence, so a lost bracket costs
one sentence and not the rest of the file. Blank lines lie between sentences, and lines that begin
with a semicolon are comments there. Several trees on one line are one sentence.

Spaces are those of ASCII; any other character may stand in a label or a word.

A treebank whose words are written in another way has a `Notation` of its own.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError
from sejongud.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

TOKEN = re.compile(r"\([^\s()]*(?:\s+[^\s()]*\))?|\)|[^\s()]+", re.ASCII)
"""A word with its tag, an opening bracket with its label, a closing bracket, or a stray word."""


COMMENT = ";"
"""The first character of a comment between two sentences."""


class Tree(NamedTuple):
    """The words of a sentence and the constituents over them.

    The constituents are three parallel lists in the order in which their brackets open, so of two
    over the same words the first is the outer one.
    """

    words: Sequence[str]
    tags: Sequence[str]
    """The tags of the words."""
    labels: Sequence[str]
    """The labels of the constituents."""
    starts: Sequence[int]
    """The first word of each, from 0."""
    ends: Sequence[int]
    """The word behind its last, from 0."""
    line: int = 0
    """The number of its first line in the file, from 1."""


class BracketToken(NamedTuple):
    """One match of `TOKEN`, taken apart."""

    kind: int
    label: str
    word: str


OPEN, CLOSE, LEAF, STRAY = range(4)
"""The kinds of `BracketToken`."""


_PARTS = re.compile(r"\(([^\s()]*)(?:\s+([^\s()]*)\))?", re.ASCII)


def _take_apart(text: str) -> BracketToken:
    if text == ")":
        return BracketToken(CLOSE, "", "")
    match = _PARTS.match(text)
    if match is None:
        return BracketToken(STRAY, "", text)
    label, word = match.groups()
    return BracketToken(OPEN, label, "") if word is None else BracketToken(LEAF, label, word)


tokens: Memo[str, BracketToken] = Memo(_take_apart, size=1 << 16)
"""Token by its text."""


class Notation(NamedTuple):
    """How the brackets and the words of a treebank are written."""

    pattern: re.Pattern[str]
    """Matches the tokens of a text one after another."""
    tokens: Mapping[str, BracketToken]
    """Token by its text."""
    has_bare_words: bool = False
    """Whether a word may stand without a bracket of its own; it has no tag then."""


BRACKETS = Notation(TOKEN, tokens)


def parse(
    text: str, line: int = 0, notation: Notation = BRACKETS, *, is_whole: bool = True
) -> Tree:
    """Read one sentence.

    Args:
        text: its brackets, all of them.
        line: the number of its first line in the file, from 1.
        notation: how brackets and words are written.
        is_whole: whether brackets must match; else the parts that can be read are.

    Returns:
        The tree, or the trees of the sentence one after another.

    Raises:
        FormatError: a bracket is missing or left over, or a word has no bracket of its own.

    >>> parse("(S (NP (NNG 비)) (VP (VV 오) (EF ㄴ다)))").words
    ['비', '오', 'ㄴ다']
    """
    words: list[str] = []
    tags: list[str] = []
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    stack: list[int] = []
    kinds, bare = notation.tokens, notation.has_bare_words
    for token in notation.pattern.findall(text):
        kind, label, word = kinds[token]
        if kind == LEAF:
            words.append(word)
            tags.append(label)
        elif kind == OPEN:
            stack.append(len(labels))
            labels.append(label)
            starts.append(len(words))
            ends.append(-1)
        elif kind == CLOSE and stack:
            ends[stack.pop()] = len(words)
        elif kind == STRAY and bare:
            words.append(word)
            tags.append("")
        elif is_whole:
            raise _error(text, line, notation)
    if stack and is_whole:
        raise _error(text, line, notation)
    return Tree(words, tags, labels, starts, ends, line)


def _error(text: str, line: int, notation: Notation) -> FormatError:
    """Return the error of a text that `parse` cannot read, with its place."""
    opened: list[int] = []
    for match in notation.pattern.finditer(text):
        kind, _, word = notation.tokens[match[0]]
        if kind == OPEN:
            opened.append(match.start())
        elif kind == CLOSE and opened:
            opened.pop()
        elif kind == CLOSE:
            message = "this bracket closes nothing: take it out, or add the one that opens"
            return _at(message, text, match.start(), line)
        elif kind == STRAY and not notation.has_bare_words:
            message = f"{word} has no tag of its own: write (TAG {word})"
            return _at(message, text, match.start(), line)
    missing = len(opened)
    message = f"{missing} closing bracket{'s are' if missing > 1 else ' is'} missing: " + (
        "this one is still open at the end of the sentence"
    )
    return _at(message, text, opened[-1], line)


def _at(message: str, text: str, place: int, line: int) -> FormatError:
    """Return the error at a place in a text of one or more lines."""
    before = text[:place].split("\n")
    return FormatError(
        message,
        line=line + len(before) - 1 if line else 0,
        column=len(before[-1]) + 1,
        text=text.split("\n")[len(before) - 1],
        code="E601",
    )


def read(
    lines: Iterable[str],
    path: str = "",
    on_error: Callable[[FormatError], None] | None = None,
) -> Iterator[Tree]:
    """Read a file of trees, a sentence at a time.

    Args:
        lines: the lines, with or without their ends.
        path: the name of the file, for messages.
        on_error: called with the error of a faulty sentence, which is then left out; None raises
            the error.

    Yields:
        The trees in order, blank sentences left out.

    Raises:
        FormatError: as `parse` does, with path and line; only if `on_error` is None.

    >>> [tree.line for tree in read(["(S (NP (N a))", "   (VP (V b)))", "", "(S (N c))"])]
    [1, 4]
    """
    for line, text in blocks(lines):
        try:
            tree = parse(text, line)
        except FormatError as error:
            error.at(path=path, line=line)
            if on_error is None:
                raise
            on_error(error)
            continue
        yield tree


def blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the text of every sentence with the number of its first line."""
    block: list[str] = []
    first = open_brackets = 0
    for number, line in enumerate(chain(lines, [""]), 1):
        line = line.rstrip("\r\n")
        blank = not line or line.isspace()
        if block and (blank or line[0] == "(" or open_brackets <= 0):
            yield first, "\n".join(block)
            block = []
            open_brackets = 0
        if blank or (not block and line[0] == COMMENT):
            continue
        if not block:
            first = number
        block.append(line)
        open_brackets += line.count("(") - line.count(")")


def keep_words(tree: Tree, keep: Sequence[bool]) -> Tree:
    """Return the tree over some of its words.

    Args:
        tree: a tree; an end of -1, of a constituent that is never closed, stays.
        keep: for every word whether it stays.

    Returns:
        The tree with all its constituents, even those without words.

    >>> tree = keep_words(parse("(S (NP (N a) (SF ,)) (V b))"), [True, False, True])
    >>> tree.words, tree.labels, tree.ends
    (['a', 'b'], ['S', 'NP'], [2, 1])
    """
    if all(keep):
        return tree
    places = [*accumulate(keep, initial=0), -1]  # the last one is for the end -1
    return tree._replace(
        words=list(compress(tree.words, keep)),
        tags=list(compress(tree.tags, keep)),
        starts=[places[start] for start in tree.starts],
        ends=[places[end] for end in tree.ends],
    )


def side_by_side(trees: Iterable[Tree]) -> Tree:
    """Return several trees as one sentence, one after another, without a root over them.

    >>> side_by_side([parse("(S (N a))"), parse("(S (N b) (N c))")]).ends
    [1, 3]
    """
    words: list[str] = []
    tags: list[str] = []
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    line = 0
    for tree in trees:
        offset = len(words)
        line = line or tree.line
        words += tree.words
        tags += tree.tags
        labels += tree.labels
        starts += [start + offset for start in tree.starts]
        ends += [end + offset for end in tree.ends]
    return Tree(words, tags, labels, starts, ends, line)
