r"""Trees in brackets, one a line or over several lines, as parsers and their tools have them.

    (SENT (S (NP-SBJ (NNP+JKS 웅가로가)) (VP (VV+EP+EF+SF 나섰다.))))        level 1
    (SENT (S (NP-SBJ (NNP 웅가로) (JKS 가)) (VP (VV 나서) (EP 었) (EF 다) (SF .))))

The tag of a word is its XPOS and the terminal its FORM. Round brackets of a terminal are written
`-LRB-` and `-RRB-`; a plus is a plus, and `*PLUS*` is read as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sejongud.errors import FormatError
from sejongud.files import numbered_lines
from sejongud.formats.base import numbered
from sejongud.formats.brackets import COMMENT, LEAF, TOKEN, blocks, tokens
from sejongud.formats.labelled import rider
from sejongud.formats.sniffing import first_lines
from sejongud.formats.trees import (
    SOURCE,
    Terminal,
    TreeBlock,
    TreeReader,
    TreeWriter,
    checked_edges,
    damaged,
    escaped,
    parse_tree,
    unescaped,
)
from sejongud.layers.trees import constituents, is_null

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sejongud.formats.base import Frame
    from sejongud.model import Sentence, Word
    from sejongud.morphology.eojeol import Assembler

Pos = Literal["xpos", "upos"]
"""The column that is the tag of a word in a tree."""

TerminalText = Literal["form", "lemma"]
"""The column that is the terminal."""


class BracketsReader(TreeReader):
    """Reads trees in brackets.

    Args:
        assembler: builds the eojeols.
        keep: has no effect; a tree that cannot be read is a comment.
        whole: whether a terminal is one unit with all its tags, whatever its morphemes are.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False, whole: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self.whole = whole

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return "" if the text begins with two brackets, one in the other."""
        lines = [line for line in first_lines(head) if line[0] != COMMENT]
        start = "".join(lines[:1])
        return "" if start.startswith("(") and start.count("(") > 1 else None

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """Yield the trees."""
        return numbered(blocks(line for _, line in numbered_lines(chunks)))

    def block(self, frame: Frame) -> TreeBlock:
        """Return the tree of a frame; see `TreeReader.block`."""
        try:
            tree = parse_tree(frame.text, frame.line)
        except FormatError as error:
            kinds = [tokens[token] for token in TOKEN.findall(frame.text)]
            leaves = [(token.word, token.label) for token in kinds if token.kind == LEAF]
            note = damaged(error, frame.line)
            return TreeBlock(_terminals(leaves), (), "", (rider(SOURCE, frame.text),), (note,))
        leaves = list(zip(tree.words, tree.tags, strict=True))
        terminals = _terminals(leaves)
        return TreeBlock(terminals, constituents(tree, range(1, len(terminals) + 1)))


def _terminals(leaves: Iterable[tuple[str, str]]) -> tuple[Terminal, ...]:
    """Return the terminals of words and their tags, without null elements."""
    return tuple(
        [Terminal(unescaped(w), unescaped(tag)) for w, tag in leaves if not is_null(w, tag)]
    )


class BracketsWriter(TreeWriter):
    """Writes a tree a line, over the words of the sentence.

    Args:
        cutter: cuts each sentence before it is written; None for sentences that are cut already.
        pos: the column that is the tag of a word.
        terminal: the column that is the terminal.
        plus: how a terminal that is a plus is written.
    """

    def __init__(
        self,
        cutter: Callable[[Sentence], Sentence] | None = None,
        *,
        pos: Pos = "xpos",
        terminal: TerminalText = "form",
        plus: str = "+",
    ) -> None:
        super().__init__(cutter)
        self._tag = 2 if pos == "upos" else 3
        self._text = 1 if terminal == "lemma" else 0
        self._plus = plus

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence; a comment for a sentence without a tree.

        Raises:
            FormatError: a constituent ends inside a word.
        """
        if not sentence.constituents:
            return f"{COMMENT} {sentence.sent_id} {sentence.text}\n"
        sentence = self._cut(sentence)
        words = list(sentence.words)
        parts = []
        for word, edge in zip(words, checked_edges(sentence), strict=True):
            parts += [*edge.before, self._leaf(word), *edge.behind]
        return " ".join(parts).replace(" )", ")") + "\n"

    def _leaf(self, word: Word) -> str:
        tag, text = (escaped(str(word[i])) for i in (self._tag, self._text))
        return f"({tag} {self._plus if text == '+' else text})"
