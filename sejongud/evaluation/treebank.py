"""A treebank as columns: the lean view of a CoNLL-U file that the metrics work on.

Nothing is interpreted here but the frame: sentences, tokens, words. A sentence that has an error is
left out and reported, so that the rest can be scored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from sejongud.commands import open_input
from sejongud.errors import FormatError, Incident
from sejongud.evaluation.differences import Text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "FORM",
    "HEAD",
    "LEMMA",
    "MISC",
    "UPOS",
    "XPOS",
    "Treebank",
    "looks_like_conllu",
    "read_treebank",
]

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
COLUMNS = 10


@dataclass(slots=True)
class Treebank:
    """The words and tokens of a file, numbered through from 0, and the borders of its sentences.

    Args:
        path: the file it is from.
    """

    path: str = "-"
    columns: tuple[list[str], ...] = field(
        default_factory=lambda: tuple([] for _ in range(COLUMNS))
    )
    """The columns: of each the values of all words."""
    tokens: list[str] = field(default_factory=list)
    """The surface of each token: a range, or a word that is in none."""
    token_of: list[int] = field(default_factory=list)
    """Which token each word belongs to."""
    in_range: list[bool] = field(default_factory=list)
    """Whether each word belongs to a range."""
    word_borders: list[int] = field(default_factory=lambda: [0])
    """The first word of each sentence, and the number of words."""
    token_borders: list[int] = field(default_factory=lambda: [0])
    """The first token of each sentence, and the number of tokens."""
    lines: list[int] = field(default_factory=list)
    """The line in which each sentence begins (its first comment, or word)."""
    incidents: list[Incident] = field(default_factory=list)
    """The sentences that were left out."""

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self.lines)

    @property
    def token_sentences(self) -> list[list[str]]:
        """The tokens of each sentence."""
        return [self.tokens[begin:end] for begin, end in pairwise(self.token_borders)]

    @property
    def word_sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        forms = self.columns[FORM]
        return [forms[begin:end] for begin, end in pairwise(self.word_borders)]

    def words_of(self, sentences: range) -> range:
        """The words of some sentences, by their numbers in the file."""
        return range(self.word_borders[sentences.start], self.word_borders[sentences.stop])

    def tokens_of(self, sentences: range) -> list[str]:
        """The tokens of some sentences."""
        begin, end = self.token_borders[sentences.start], self.token_borders[sentences.stop]
        return self.tokens[begin:end]

    @property
    def text(self) -> Text:
        """The text, by its tokens."""
        return Text(self.token_sentences, self.lines, self.path)

    @classmethod
    def read(cls, lines: Iterable[str], path: str = "-") -> Treebank:
        r"""Read CoNLL-U.

        Args:
            lines: without their ends.
            path: where they are from, for messages.

        >>> line = "1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_"
        >>> Treebank.read(["# text = 나", line, ""]).tokens
        ['나']
        """
        bank = cls(path)
        numbered = enumerate(lines, 1)
        rows: list[list[str]] = []
        begin = number = 0
        for number, line in numbered:
            if not line or line.isspace():
                bank._add(rows, begin, number)
                rows = []
                begin = 0
                continue
            begin = begin or number
            if line[0] == "#":
                continue
            columns = line.split("\t")
            if len(columns) == COLUMNS and columns[FORM]:
                rows.append(columns)
                continue
            bank._report(_not_a_row(line), number)
            _skip_sentence(numbered)
            rows = []
            begin = 0
        bank._add(rows, begin, number + 1)
        if not bank.lines:
            bank._report("there is no sentence in this file", 0)
        return bank

    def _add(self, rows: list[list[str]], begin: int, end: int) -> None:
        """Add the sentence between two lines, if there is one, or report what is wrong with it."""
        if not rows:
            return
        try:
            words, tokens, token_of, in_range = _frame(rows)
        except FormatError as error:
            # Comments stand above the words, so that the rows are the last lines.
            self._report(error.message, end - len(rows) + error.line)
            return
        first = len(self.tokens)
        for column, values in zip(self.columns, zip(*words, strict=True), strict=True):
            column.extend(values)
        self.tokens += tokens
        self.token_of += [first + token for token in token_of]
        self.in_range += in_range
        self.word_borders.append(len(self.token_of))
        self.token_borders.append(len(self.tokens))
        self.lines.append(begin)

    def _report(self, message: str, line: int) -> None:
        said = f"{message}; the sentence is left out" if line else message
        self.incidents.append(Incident("E801", said, self.path, line))


_IDS = [str(number) for number in range(1, 1000)]


def _frame(
    rows: list[list[str]],
) -> tuple[list[list[str]], Sequence[str], Sequence[int], Sequence[bool]]:
    """The words of a sentence, its tokens, the token of each word, whether that is a range.

    Raises:
        FormatError: with the number of the row, from 0, as its line.
    """
    size = len(rows)
    if [columns[ID] for columns in rows] == _IDS[:size]:
        return rows, [columns[FORM] for columns in rows], range(size), [False] * size
    words: list[list[str]] = []
    tokens: list[str] = []
    token_of: list[int] = []
    in_range: list[bool] = []
    range_end = 0
    for number, columns in enumerate(rows):
        word_id, size = columns[ID], len(words)
        if word_id == str(size + 1):
            words.append(columns)
            in_range.append(size < range_end)
            if size >= range_end:
                tokens.append(columns[FORM])
            token_of.append(len(tokens) - 1)
        elif "-" in word_id:
            begin, _, end = word_id.partition("-")
            range_end = int(end) if end.isdecimal() and size >= range_end else 0
            if begin != str(size + 1) or range_end <= size:
                raise FormatError(f"{word_id} is no range of the words that follow", line=number)
            tokens.append(columns[FORM])
        elif "." not in word_id:
            raise FormatError(f"word {size + 1} was expected, not {word_id}", line=number)
    if not words or len(words) < range_end:
        raise FormatError(f"words are missing behind word {len(words)}", line=len(rows) - 1)
    return words, tokens, token_of, in_range


def read_treebank(args: argparse.Namespace, path: str) -> Treebank:
    """Read a CoNLL-U file as the common options say.

    Raises:
        OSError: it cannot be read.
    """
    with open_input(args, path) as source:
        return Treebank.read(source.lines(), path)


def looks_like_conllu(head: str) -> bool:
    """Whether the first line that is neither blank nor a comment has the columns of CoNLL-U.

    Args:
        head: the beginning of a file.
    """
    for line in head.split("\n"):
        if line and not line.isspace() and not line.startswith("#"):
            return line.count("\t") == COLUMNS - 1
    return False


def _not_a_row(line: str) -> str:
    """What is wrong with a line that should be a word."""
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        hint = ", separated by spaces instead of tabs?" if len(columns) == 1 else ""
        return f"{len(columns)} columns instead of {COLUMNS}{hint}"
    return "the FORM is empty"


def _skip_sentence(numbered: Iterator[tuple[int, str]]) -> None:
    """Go on to the next blank line."""
    for _, line in numbered:
        if not line or line.isspace():
            return
