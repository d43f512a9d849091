"""A sentence as a UD treebank has it: its own words with all their columns.

    UDSentence                        comment lines, tokens, an arc for each word
      UDToken    프랑스의               one surface token: a range or a single word
        UDWord     프랑스의 프랑스+의     one line; its morphemes, as far as they are known

`sejongud.model` has the eojeols of a sentence and sees them at any level; here the cut is the
treebank's own, and nothing is lost: what is read can be written again to the byte. Tokens and words
know nothing of their place, so that the work of one can be done once: ids and arcs stand in the
sentence, parallel to its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sejongud.errors import Note
    from sejongud.model import Morpheme

__all__ = ["NOTHING", "EmptyNode", "UDSentence", "UDToken", "UDWord"]

NOTHING = "_"
"""What an empty column holds."""


class UDWord(NamedTuple):
    """One word, wherever it stands: the columns that its place does not change."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    misc: str
    morphemes: tuple[Morpheme, ...]
    """One, the whole word, where its morphemes cannot be told apart."""


class UDToken:
    """One surface token, wherever it stands.

    Compared by identity: a reader hands out one object for the same lines.

    Args:
        form: the surface.
        words: one, or all of a range.
        feats: FEATS of the range line (`Typo=Yes` may stand there).
        misc: MISC of the range line; of the word if it is a single one.
        notes: what there is to report of it, at every place.
    """

    __slots__ = ("feats", "form", "lines", "misc", "notes", "words")

    def __init__(
        self,
        form: str,
        words: tuple[UDWord, ...],
        feats: str = NOTHING,
        misc: str = NOTHING,
        notes: tuple[Note, ...] = (),
    ) -> None:
        self.form = form
        self.words = words
        self.feats = feats
        self.misc = misc
        self.notes = notes
        self.lines = ""
        """Those of its words in CoNLL-U, once they were written; `%s` for what its place tells: the
        number, head and relation of each."""

    def __repr__(self) -> str:
        return f"<UDToken {self.form} {'+'.join([word.xpos for word in self.words])}>"


class EmptyNode(NamedTuple):
    """A node of the enhanced graph that is no word of the surface."""

    after: int
    """The word it stands behind, from 1; 0 at the front."""
    number: str
    """The digits behind the dot of its ID."""
    cells: tuple[str, ...]
    """The columns behind the ID."""


@dataclass(slots=True)
class UDSentence:
    """A sentence of a treebank.

    Args:
        header: its comment lines, each with its end, as the file has them.
        tokens: in order.
        heads: for each word, which word governs it, from 1; 0 the root, -1 where nothing does.
        deprels: for each word.
        deps: for each word, DEPS; empty where no word has any.
        empty_nodes: in order.
        line: where its first line stands in the file, from 1.
    """

    header: str
    tokens: tuple[UDToken, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    deps: tuple[str, ...] = ()
    empty_nodes: tuple[EmptyNode, ...] = ()
    line: int = 0

    @property
    def words(self) -> Iterator[UDWord]:
        """All words in order."""
        for token in self.tokens:
            yield from token.words
