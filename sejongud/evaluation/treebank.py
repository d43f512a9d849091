"""Read CoNLL-U as columns for a whole file: the lean view that the metrics work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from sejongud.errors import FormatError, Incident
from sejongud.evaluation.side import Side, left_out, nothing
from sejongud.formats.base import blocks
from sejongud.formats.conllu.plus import layer_columns, without_columns
from sejongud.formats.conllu.rows import COLUMNS, FORM, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sejongud.formats.conllu.rows import Rows

T = TypeVar("T")


@dataclass(slots=True)
class Treebank:
    """The words and tokens of a file, numbered from 0, and the borders of its sentences.

    Args:
        path: the name of the file.
    """

    path: str = "-"
    columns: tuple[list[str], ...] = field(default_factory=lambda: tuple([] for _ in COLUMNS))
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
        all_incidents = [*self.incidents, *incidents]
        return Side(self.token_sentences, data, self.lines, self.path, all_incidents)

    @classmethod
    def read(cls, chunks: Iterable[str], path: str = "-") -> Treebank:
        r"""Read CoNLL-U. A sentence with a fault in its frame is reported and left out.

        Args:
            chunks: the text, each chunk ending at a line's end; the labels of CoNLL-U Plus are
                read as items of MISC.
            path: the name of the file.

        Raises:
            FormatError: the columns of CoNLL-U Plus are not labels.

        >>> Treebank.read(["# text = 나\n1\t나\t나\tPRON\tNP\t_\t0\troot\t_\t_\n\n"]).tokens
        ['나']
        """
        bank = cls(path)
        labels: tuple[str, ...] = ()
        for line, block in blocks(chunks):
            try:
                labels = labels if bank.lines else layer_columns(block, line)
                bank._add(parse(without_columns(block, labels, "") if labels else block, line))
            except FormatError as error:
                bank.incidents.append(left_out(error, path, line))
        if not bank.lines:
            bank.incidents.append(nothing(path))
        return bank

    def _add(self, rows: Rows) -> None:
        """Add a sentence."""
        for column, values in zip(self.columns, rows.columns, strict=True):
            column.extend(values)
        forms, place = rows.columns[FORM], 0
        for token_range in rows.ranges:
            self._add_tokens(forms[place : token_range.first - 1])
            self.token_of += [len(self.tokens)] * (token_range.last - token_range.first + 1)
            self.in_range += [True] * (token_range.last - token_range.first + 1)
            self.tokens.append(token_range.cells[FORM])
            place = token_range.last
        self._add_tokens(forms[place:])
        self.word_borders.append(len(self.token_of))
        self.token_borders.append(len(self.tokens))
        self.lines.append(rows.line)

    def _add_tokens(self, forms: Sequence[str]) -> None:
        """Add words outside ranges."""
        first = len(self.tokens)
        self.token_of += range(first, first + len(forms))
        self.in_range += [False] * len(forms)
        self.tokens += forms
