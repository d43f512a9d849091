"""Trees of the Sinica Treebank: a tree a line, roles and labels before the brackets.

    #1:1.[0] S(agent:NP(Head:Nba:西遊記)|Head:V_11:是|range:NP(…))#。(PERIODCATEGORY)
    S(agent:NP(Nh:他)|Head:VC:刊登|theme:NP(DM:一則|Na:廣告))

The label of a constituent and the tag of a word keep their role: `agent:NP`, `Head:VC`. Spaces in
a tree mean nothing. A line with anything but its tree rides in a comment (`sinica_source`), and so
do blank lines and the layout of the file (`sejongud.formats.around`).

The training data of SIGHAN 2012, Task 4, are simplified (Tseng, Lee and Yu 2012, Section 3): tags
are those of rules/sinica-tags.tsv, and only the top level keeps its roles.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sejongud.errors import FormatError
from sejongud.formats.around import riders, with_layout, with_lines_around
from sejongud.formats.base import Frame
from sejongud.formats.brackets import Tree
from sejongud.formats.labelled import line_blocks
from sejongud.formats.sniffing import first_lines, mostly
from sejongud.formats.trees import Terminal, TreeBlock, TreeReader, TreeWriter, checked_edges
from sejongud.layers.trees import constituents
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.files import Source
    from sejongud.model import Sentence

OPEN, WORD, CLOSE = range(3)
"""The kinds of the parts of a tree."""
_PHRASE = re.compile(r"(?:([^:()|]+):)?([^:()|]+)\(")
_WORD = re.compile(r"(?:([^:()|]+):)?([^:()|]+):([^()|]+)")
_LINE = re.compile(r"(?:#(\S+)\s+)?(.*?)(?:(?<=\))#.*)?")
_NAME = "sinica"
_TREE = re.compile(r"(?:#\S+\s+)?[^\s:()|]+\((?:[^:()|]+:)?[^:()|]+[:(].*\)")


def parts(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the parts of a tree: kind, role, label or tag, word; spaces in the tree mean nothing.

    Args:
        text: the tree: `label(…|…)`, words as `tag:word`, with `role:` before either.

    Raises:
        FormatError: it is not a tree.
    """
    text = "".join(text.split())
    place = depth = 0
    between = False  # whether a phrase or a word has just ended
    while place < len(text):
        if between and depth and text[place] in "|)":
            between = text[place] == ")"
            if between:
                depth -= 1
                yield CLOSE, "", "", ""
            place += 1
        elif not between and (match := _PHRASE.match(text, place)):
            depth += 1
            yield OPEN, match[1] or "", match[2], ""
            place = match.end()
        elif not between and depth and (match := _WORD.match(text, place)):
            yield WORD, match[1] or "", match[2], match[3]
            between = True
            place = match.end()
        else:
            wanted = "| or )" if depth else "the end of the line"
            wanted = wanted if between else "label(…) or tag:word"
            raise _error(f"expected {wanted} here", text, place)
    if depth or not between:
        raise _error(f"closing brackets are missing: {depth}", text, place)


def _error(message: str, text: str, place: int) -> FormatError:
    return FormatError(message, column=place + 1, text=text, code="E603")


def tree_of(line: str) -> str:
    """Return the tree of a line, without its number and the mark behind it.

    >>> tree_of("#1:1.[0] S(Head:VC:笑)#。(PERIODCATEGORY)")
    'S(Head:VC:笑)'
    """
    match = _LINE.fullmatch(line.strip())
    return match[2] if match else line


def simplified(text: str) -> str:
    """Return a tree as the training data of SIGHAN 2012 have it.

    >>> simplified("S(theme:NP(Head:Nba:西遊記)|Head:V_11:是)")
    'S(theme:NP(Nb:西遊記)|Head:V_11:是)'
    """
    tags = {row["prefix"]: row["tag"] for row in load().table("sinica-tags")}
    out = ""
    depth = 0
    for kind, role, label, word in parts(text):
        if kind != CLOSE and out and out[-1] != "(":
            out += "|"
        shown = f"{role}:" if role and depth == 1 else ""
        if kind == OPEN:
            out += f"{shown}{label}("
            depth += 1
        elif kind == WORD:
            prefixes = [label[:end] for end in range(len(label), 0, -1)]
            tag = next((tags[prefix] for prefix in prefixes if prefix in tags), label)
            out += f"{shown}{tag}:{word}"
        else:
            out += ")"
            depth -= 1
    return out


class SinicaReader(TreeReader):
    """Reads trees of the Sinica Treebank: each word is an eojeol."""

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if most lines are such trees."""
        return (
            "" if mostly(list(map(_is_tree, first_lines(head)[:-1] or first_lines(head)))) else None
        )

    def frames_of(self, source: Source) -> Iterator[Frame]:
        """Yield the trees; see `with_layout`."""
        return with_layout(super().frames_of(source), source, _NAME)

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the lines with a tree, each with the blank lines around it."""
        text = ""
        first = number = 0
        for line, at, _ in line_blocks(chunks):
            if line.strip():
                if number:
                    yield Frame(text, first, number, str(number))
                    text = ""
                first = at
                number += 1
            text += line
        if number:
            yield Frame(text, first, number, str(number))

    def block(self, frame: Frame) -> TreeBlock:
        """Return the tree of a line; see `TreeReader.block`."""
        words: list[Terminal] = []
        labels: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        opened: list[int] = []
        line = frame.text.strip()
        before, _, behind = frame.text.partition(line)
        text = tree_of(line)
        for kind, role, label, word in parts(text):
            label = f"{role}:{label}" if role else label
            if kind == WORD:
                words.append(Terminal(word, label))
            elif kind == OPEN:
                opened.append(len(labels))
                labels.append(label)
                starts.append(len(words))
                ends.append(-1)
            else:
                ends[opened.pop()] = len(words)
        tree = Tree([word.form for word in words], [""] * len(words), labels, starts, ends)
        source = "" if line == "".join(text.split()) else line
        comments = riders(_NAME, before, source, behind)
        return TreeBlock(tuple(words), constituents(tree, range(1, len(words) + 1)), "", comments)


def _is_tree(line: str) -> bool:
    return _TREE.match(line) is not None


class SinicaWriter(TreeWriter):
    """Writes trees of the Sinica Treebank.

    Args:
        cutter: cuts each sentence before it is written; None for sentences that are cut already.
        simple: whether trees are simplified as for SIGHAN 2012.
    """

    def __init__(
        self, cutter: Callable[[Sentence], Sentence] | None = None, *, simple: bool = False
    ) -> None:
        super().__init__(cutter)
        self._simple = simple

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence; a blank line for a sentence without a tree.

        Raises:
            FormatError: a constituent ends inside a word.
        """
        if not sentence.constituents:
            return "\n"
        sentence = self._cut(sentence)
        out = ""
        for word, edge in zip(sentence.words, checked_edges(sentence), strict=True):
            out += "|" if out and out[-1] != "(" else ""
            out += "".join([f"{part[1:]}(" for part in edge.before])
            out += f"{word.xpos}:{word.form}{')' * len(edge.behind)}"
        tree = simplified(out) if self._simple else out

        def line(source: str | None) -> str:
            if source is None or "".join(tree_of(source).split()) != out:
                return tree
            return source.replace(tree_of(source), tree) if self._simple else source

        return with_lines_around(sentence.comments, _NAME, line)
