"""Read CoNLL-U as columns for a whole file: the lean view that the metrics work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from sejongud.errors import FormatError, Incident
from sejongud.evaluation.side import Side, nothing
from sejongud.formats.base import blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FEATS", "FORM", "HEAD", "LEMMA", "MISC", "UPOS", "XPOS", "Treebank"]
__all__ += ["looks_like_conllu"]

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
COLUMNS = 10
T = TypeVar("T")


@dataclass(slots=True)
class Treebank:
    """The words and tokens of a file, numbered from 0, and the borders of its sentences.

    Args:
        path: the name of the file.
    """

    path: str = "-"
    columns: tuple[list[str], ...] = field(
        default_factory=lambda: tuple([] for _ in range(COLUMNS))
    )
    """The ten columns, each with a cell for every word."""
    tokens: list[str] = field(default_factory=list)
    """The form of each token: a range, or a word outside every range."""
    token_of: list[int] = field(default_factory=list)
    """The token that each word belongs to."""
    in_range: list[bool] = field(default_factory=list)
    """Whether each word belongs to a range."""
    word_borders: list[int] = field(default_factory=lambda: [0])
    """The first word of each sentence, and the number of words."""
    token_borders: list[int] = field(default_factory=lambda: [0])
    """The first token of each sentence, and the number of tokens."""
    lines: list[int] = field(default_factory=list)
    """The line in which each sentence begins (its first comment, or word)."""
    incidents: list[Incident] = field(default_factory=list)
    """The faults of the sentences that were left out."""

    @property
    def token_sentences(self) -> list[list[str]]:
        """The tokens of each sentence."""
        return [self.tokens[begin:end] for begin, end in pairwise(self.token_borders)]

    @property
    def word_sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        return self.by_sentence(self.columns[FORM])

    def by_sentence(self, column: Sequence[T]) -> list[list[T]]:
        """Cut a column of all words into sentences."""
        return [[*column[begin:end]] for begin, end in pairwise(self.word_borders)]

    def words_of(self, sentences: range) -> range:
        """Return the numbers of the words of some sentences."""
        return range(self.word_borders[sentences.start], self.word_borders[sentences.stop])

    def tokens_of(self, sentences: range) -> list[str]:
        """Return the tokens of some sentences."""
        begin, end = self.token_borders[sentences.start], self.token_borders[sentences.stop]
        return self.tokens[begin:end]

    def side(self, data: T, incidents: Iterable[Incident] = ()) -> Side[T]:
        """Return the side of a metric that aligns sentences by their tokens.

        Args:
            data: the annotation that the metric compares.
            incidents: faults of the file beside those of its frame.
        """
        found = [*self.incidents, *incidents]
        return Side(self.token_sentences, data, self.lines, self.path, found)

    @classmethod
    def read(cls, chunks: Iterable[str], path: str = "-") -> Treebank:
        r"""Read CoNLL-U. A sentence with a fault in its frame is reported and left out.

        Args:
            chunks: the text, each chunk ending at a line's end.
            path: the name of the file.

        >>> Treebank.read(["# text = 나\n1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n"]).tokens
        ['나']
        """
        bank = cls(path)
        for line, block in blocks(chunks):
            try:
                bank._add(block, line)
            except FormatError as error:
                error.message += "; the sentence is left out"
                bank.incidents.append(error.at(path=path, line=line).incident())
        if not bank.lines:
            bank.incidents.append(nothing(path))
        return bank

    def _add(self, block: str, line: int) -> None:
        """Add a sentence.

        Raises:
            FormatError: its frame has a fault.
        """
        rows = []
        for number, raw in enumerate(block.split("\n"), line):
            if raw[0] != "#":
                columns = raw.split("\t")
                if len(columns) != COLUMNS or not columns[FORM]:
                    raise FormatError(_not_a_row(raw), line=number, code="E801")
                rows.append(columns)
        if not rows:
            return
        # Comments stand above the words.
        words, tokens, token_of, in_range = _frame(rows, line + block.count("\n") + 1 - len(rows))
        first = len(self.tokens)
        for column, values in zip(self.columns, zip(*words, strict=True), strict=True):
            column.extend(values)
        self.tokens += tokens
        self.token_of += [first + token for token in token_of]
        self.in_range += in_range
        self.word_borders.append(len(self.token_of))
        self.token_borders.append(len(self.tokens))
        self.lines.append(line)


_IDS = [str(number) for number in range(1, 1000)]


def _frame(
    rows: list[list[str]], line: int
) -> tuple[list[list[str]], Sequence[str], Sequence[int], Sequence[bool]]:
    """Return the words of a sentence, its tokens, the token of each word, whether it is a range.

    Raises:
        FormatError: the IDs have a fault.
    """
    size = len(rows)
    if [columns[ID] for columns in rows] == _IDS[:size]:
        return rows, [columns[FORM] for columns in rows], range(size), [False] * size
    words: list[list[str]] = []
    tokens: list[str] = []
    token_of: list[int] = []
    in_range: list[bool] = []
    range_end = 0
    for number, columns in enumerate(rows, line):
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
                message = f"{word_id} is no range of the words that follow"
                raise FormatError(message, line=number, code="E801")
            tokens.append(columns[FORM])
        elif "." not in word_id:
            message = f"word {size + 1} was expected, not {word_id}"
            raise FormatError(message, line=number, code="E801")
    if not words or len(words) < range_end:
        message = f"words are missing behind word {len(words)}"
        raise FormatError(message, line=line + len(rows) - 1, code="E801")
    return words, tokens, token_of, in_range


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
    """Return the fault of a line that should be a word."""
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        hint = ", separated by spaces instead of tabs?" if len(columns) == 1 else ""
        return f"{len(columns)} columns instead of {COLUMNS}{hint}"
    return "the FORM is empty"
