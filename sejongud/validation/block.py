"""A sentence of CoNLL-U as the checks see it: its lines beside the words of a level."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from sejongud.formats.conllu.rows import FORM, ID, MISC, XPOS, governors
from sejongud.levels.cut import Granularity
from sejongud.memo import Memo
from sejongud.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sejongud.formats.base import Frame
    from sejongud.formats.conllu.rows import Rows
    from sejongud.levels.cut import Shape
    from sejongud.model import Eojeol, Sentence, Token
    from sejongud.rules import Rules


class CheckFinding(NamedTuple):
    """The result of a check at one place."""

    line: int
    """The line, from 1; 0 for the whole sentence."""
    detail: str = ""
    token: str = ""
    """The number of the eojeol or word."""


class WordRow(NamedTuple):
    """The line of a word or a range."""

    line: int
    cells: tuple[str, ...]

    @property
    def misc(self) -> list[str]:
        """The items of MISC."""
        return [] if self.cells[MISC] == "_" else self.cells[MISC].split("|")

    @property
    def tags(self) -> int:
        """The number of morphemes in XPOS; at least one."""
        return len([tag for tag in self.cells[XPOS].split("+") if tag]) or 1

    def finding(self, detail: str) -> CheckFinding:
        """Return a finding in this line."""
        return CheckFinding(self.line, detail, self.cells[ID])


class BlockToken(NamedTuple):
    """A surface token: a word, or a range and its words."""

    row: WordRow
    words: tuple[WordRow, ...]


class Scheme:
    """The expected CoNLL-U: an eojeol at each level, in one scheme of UPOS and lemmas.

    Args:
        rules: the tables.
        upos: the UPOS scheme; None is "sejong".
        lemmas: the lemma scheme; None is "normalised".

    Raises:
        UsageError: there is no such scheme.
    """

    def __init__(
        self, rules: Rules, upos: str | None = "sejong", lemmas: str | None = "normalised"
    ) -> None:
        self._granularities = [Granularity(rules, k, upos=upos, lemmas=lemmas) for k in LEVELS]
        self._tokens = [Memo(level.tokens, size=48_000) for level in self._granularities]
        self.levels: Memo[tuple[Eojeol, Shape], frozenset[int]] = Memo.of(
            self, Scheme._fitting, size=48_000
        )
        """An eojeol and the shape of its words → the levels at which it has words of this shape."""

    def _fitting(self, key: tuple[Eojeol, Shape]) -> frozenset[int]:
        eojeol, shape = key
        return frozenset(
            k
            for k, granularity in zip(LEVELS, self._granularities, strict=True)
            if granularity.shape(eojeol) == shape
        )

    def tokens(self, eojeol: Eojeol, level: int) -> tuple[Token, ...]:
        """Return the tokens of an eojeol at a level."""
        return self._tokens[level - 1][eojeol]


class CheckedBlock:
    """A sentence of CoNLL-U, line by line, as the checks see it.

    Args:
        frame: its text, which the reader can read.
        rows: its columns.
        sentence: the sentence that the reader made of it.
        scheme: the words that it is compared with.
    """

    def __init__(self, frame: Frame, rows: Rows, sentence: Sentence, scheme: Scheme) -> None:
        self.sentence = sentence
        self._scheme = scheme
        raws = enumerate(frame.text.split("\n"), frame.line)
        self.comments = [(line, raw) for line, raw in raws if raw[:1] == "#"]
        lines = rows.line_numbers()
        self.words = [WordRow(lines[cells[ID]], cells) for cells in zip(*rows.columns, strict=True)]
        self.heads = governors(rows)
        """HEAD of every word, -1 where it is empty."""
        self.ranges: list[BlockToken] = []
        self.tokens: list[BlockToken] = []
        done = 0
        for first, last, cells in (*rows.ranges, (len(rows) + 1, 0, ())):
            self.tokens += [BlockToken(word, (word,)) for word in self.words[done : first - 1]]
            if cells:
                row = WordRow(lines[cells[ID]], cells)
                self.ranges.append(BlockToken(row, tuple(self.words[first - 1 : last])))
                self.tokens.append(self.ranges[-1])
            done = last
        self.rows = [*self.words, *[token.row for token in self.ranges]]

    def comments_of(self, key: str) -> list[tuple[int, str]]:
        """Return the lines and the values of the comments with a key."""
        start = f"# {key} = "
        return [
            (line, text[len(start) :]) for line, text in self.comments if text.startswith(start)
        ]

    @cached_property
    def parts(self) -> list[list[BlockToken]]:
        """The tokens of each eojeol."""
        tokens = iter(self.tokens)
        return [list(islice(tokens, len(eojeol.tokens))) for eojeol in self.sentence.eojeols]

    @cached_property
    def levels(self) -> list[frozenset[int]]:
        """The levels that each eojeol may be cut at."""
        return [
            self._scheme.levels[
                eojeol, tuple([tuple([row.tags for row in token.words]) for token in part])
            ]
            for eojeol, part in zip(self.sentence.eojeols, self.parts, strict=True)
        ]

    @cached_property
    def level(self) -> int:
        """The level of the sentence, the lowest if several fit; 0 for none."""
        common = frozenset(LEVELS).intersection(*self.levels)
        return min(common, default=0)

    @cached_property
    def pairs(self) -> list[tuple[BlockToken, Token]]:
        """The tokens with the expected ones, if the words are those of a level."""
        if not self.level:
            return []
        should = [self._scheme.tokens(eojeol, self.level) for eojeol in self.sentence.eojeols]
        return [
            pair
            for part, tokens in zip(self.parts, should, strict=True)
            for pair in zip(part, tokens, strict=True)
        ]

    def column(self, index: int, name: str) -> Iterator[CheckFinding]:
        """Yield the words whose cell in a column is neither empty nor the expected one.

        Args:
            index: the column, from 0.
            name: the field of `Word` with the expected cell.
        """
        for token, should in self.pairs:
            for row, word in zip(token.words, should.words, strict=True):
                expected = getattr(word, name)
                if row.cells[index] not in (expected, "_"):
                    yield row.finding(f"{row.cells[FORM]}: {row.cells[index]}, not {expected}")
