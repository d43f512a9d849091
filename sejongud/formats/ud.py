"""CoNLL-U as a treebank has it, word by word: read and written to the byte.

Where `sejongud.formats.conllu` takes a file apart into eojeols, which can be cut again at any
level, this keeps the file's own words and all it says of them (`sejongud.ud`), for what is about
words: their dependencies. It is strict: a file that is cut short, or a tree that is none, is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError, Note
from sejongud.formats.base import blocks, to_number
from sejongud.formats.misc import complete_pieces, find_pieces
from sejongud.memo import Memo
from sejongud.model import Morpheme
from sejongud.morphology.notation import spell
from sejongud.ud import NOTHING, EmptyNode, UDSentence, UDToken, UDWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.rules import Rules

__all__ = [
    "Columns",
    "Numbers",
    "Pieces",
    "UDBlock",
    "UDReader",
    "comments_end",
    "find_cycle",
    "range_rest",
    "word_lines",
    "write_ud",
]

COLUMNS = 10
_COLUMN_NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_DEPS_ITEM = re.compile(r"(?P<word>0|[1-9][0-9]*)(?:\.[0-9]+)?:.+")
_REMEMBERED = 48_000

Columns = tuple[str, str, str, str, str, str]
"""FORM, LEMMA, UPOS, XPOS, FEATS and MISC of a line: what the place of a word does not change."""


class UDBlock(NamedTuple):
    """The lines of one sentence."""

    line: int
    """The number of the first one, from 1."""
    text: str


def comments_end(text: str) -> int:
    """Where the comments end that a sentence begins with."""
    end = 0
    while text.startswith("#", end):
        end = text.find("\n", end) + 1 or len(text)
    return end


_WRITTEN = [*[str(number) for number in range(1000)], NOTHING]
"""The numbers as they are written, as far as sentences usually go; at -1 that there is none."""


class Numbers(dict[str, int]):
    """The numbers that heads are, by how they are written; -1 where there is none."""

    def __init__(self) -> None:
        super().__init__({NOTHING: -1})
        self.written: list[str] = []

    def reach(self, last: int) -> None:
        """Know all numbers up to this one."""
        known = len(self.written)
        if last >= known:
            self.written += [str(number) for number in range(known, last + 1)]
            self.update(zip(self.written[known:], range(known, last + 1), strict=True))


class _Irregular(Exception):  # noqa: N818
    """There is a fault in a sentence; `_Faults` finds out which."""


_MakeWord = Callable[[Columns], tuple[UDWord, tuple[Note, ...]]]
"""Makes a word of its columns, and says what there is to report of it."""


class Pieces:
    """Makes morphemes of what LEMMA and XPOS have.

    Args:
        typos: the right tag for a wrong one and a form (`Rules.typos`).
    """

    def __init__(self, typos: Mapping[tuple[str, str], str]) -> None:
        self._typos = typos
        self._misspelt = frozenset([tag for tag, _ in typos])

    def __call__(self, pair: tuple[str, str]) -> Morpheme:
        """The morpheme that is written so and has this tag."""
        written, tag = pair
        form, source = spell(written, "")
        if tag not in self._misspelt:
            return Morpheme(form, tag, source)
        right = self._typos.get((tag, form)) or self._typos.get((tag, "*")) or tag
        return Morpheme(form, right, source, "", tag if right != tag else "")


class _Words:
    """Makes words of their columns."""

    def __init__(self, rules: Rules, morpheme: Pieces) -> None:
        self._unknown = rules.unknown_tag
        self._pieces: Memo[tuple[str, str], Morpheme] = Memo(morpheme, size=_REMEMBERED)

    def __call__(self, columns: Columns) -> tuple[UDWord, tuple[Note, ...]]:
        """The word of a line, and what there is to report of it."""
        form, lemma, upos, xpos, feats, misc = columns
        tags = xpos.split("+")
        pieces = lemma.split("+") if len(tags) > 1 else [form]
        notes: tuple[Note, ...] = ()
        # Nearly always: nothing told of the morphemes, no plus sign among them.
        plain = len(pieces) == len(tags) and "" not in pieces and "" not in tags
        if not plain or "MSeg=" in misc or "OrigLemma=" in misc:
            pieces, tags, notes = self._hard(form, lemma, xpos, misc)
        found = self._pieces
        morphemes = tuple([found[pair] for pair in zip(pieces, tags)])  # noqa: B905
        # A NamedTuple's own constructor takes twice as long.
        return tuple.__new__(UDWord, (form, lemma, upos, xpos, feats, misc, morphemes)), notes

    def _hard(
        self, form: str, lemma: str, xpos: str, misc: str
    ) -> tuple[list[str], list[str], tuple[Note, ...]]:
        """The forms and tags of a word's morphemes."""
        items = dict([item.partition("=")[::2] for item in misc.split("|")])
        tags = [tag for tag in xpos.split("+") if tag]
        pieces = find_pieces(form, lemma, items, len(tags)) if tags else None
        if pieces is not None:
            return pieces, tags, ()
        pieces = complete_pieces(form, lemma, len(tags)) if tags else None
        if pieces is not None:
            return pieces, tags, (Note("W204", f"{form}: {pieces[-1]} taken from the form"),)
        message = f"{form}: no {len(tags)} morphemes for {xpos}, kept as one word"
        return [form], [self._unknown], (Note("W205", message),)


def _undivided(columns: Columns) -> tuple[UDWord, tuple[Note, ...]]:
    """The word of a line, whatever its morphemes are."""
    return UDWord(*columns, ()), ()


class _Singles:
    """Makes tokens of words that stand in no range."""

    def __init__(self, words: _MakeWord) -> None:
        self._words = words

    def __call__(self, columns: Columns) -> UDToken:
        word, notes = self._words(columns)
        return UDToken(word.form, (word,), NOTHING, columns[5], notes)


class _Ranges:
    """Makes tokens of ranges, and the words in them."""

    def __init__(self, words: _MakeWord) -> None:
        self._words: Memo[Columns, tuple[UDWord, tuple[Note, ...]]] = Memo(words, size=_REMEMBERED)

    def __call__(self, lines: tuple[Columns, ...]) -> UDToken:
        known = self._words
        form, _, _, _, feats, misc = lines[0]
        found = [known[columns] for columns in lines[1:]]
        words = tuple([word for word, _ in found])
        return UDToken(form, words, feats, misc, tuple([n for _, notes in found for n in notes]))


def _range(number: str) -> tuple[int, int]:
    """The first and the last word of a range, by its ID; (0, 0) if it is none.

    >>> _range("2-4"), _range("2-2"), _range("2.1")
    ((2, 4), (0, 0), (0, 0))
    """
    first, _, last = number.partition("-")
    span = to_number(first) or 0, to_number(last) or 0
    return span if 0 < span[0] < span[1] and number == "{}-{}".format(*span) else (0, 0)


class UDReader:
    """Reads the sentences of a treebank.

    Args:
        rules: the tables.
        trees: whether the words of a sentence must be a tree; a parser may make something else.
        morphemes: whether the words are taken apart into their morphemes.

    >>> from sejongud.rules import load
    >>> line = "1\\t간다\\t가+ㄴ다\\tVERB\\tVV+EF\\t_\\t0\\troot\\t_\\t_"
    >>> sentence = UDReader(load()).parse(UDBlock(1, line))
    >>> [m.form for word in sentence.words for m in word.morphemes]
    ['가', 'ㄴ다']
    """

    def __init__(self, rules: Rules, *, trees: bool = True, morphemes: bool = True) -> None:
        self._trees = trees
        self._numbers = Numbers()
        self._numbers.reach(200)
        self.morpheme = Pieces(rules.typos)
        words = _Words(rules, self.morpheme) if morphemes else _undivided
        self._single = _Singles(words)
        self._range = _Ranges(words)
        self._singles: Memo[Columns, UDToken] = Memo(self._single, size=_REMEMBERED)
        self._ranges: Memo[tuple[Columns, ...], UDToken] = Memo(self._range, size=_REMEMBERED)
        self._spans: Memo[str, tuple[int, int]] = Memo(_range, size=_REMEMBERED)

    def blocks(self, chunks: Iterable[str], *, whole: bool = True) -> Iterator[UDBlock]:
        """The sentences of a file, unparsed.

        Args:
            chunks: its text, each chunk ending at a line's end.
            whole: whether a file must end with a blank line; one that does not may be cut short.

        Raises:
            FormatError: it does not.
        """
        for line, text in blocks(_ended(chunks) if whole else chunks):
            yield UDBlock(line, text)

    def parse(self, block: UDBlock) -> UDSentence:
        """The sentence of a block.

        Raises:
            FormatError: with its line.
        """
        text = block.text
        begin = comments_end(text)
        header, body = text[:begin], text[begin:]
        if not body:
            raise FormatError("comments without a sentence", line=block.line, code="E106")
        try:
            return self._sentence(header, body, block.line)
        except _Irregular:
            line = block.line + header.count("\n")
            raise _Faults(body.split("\n"), line).first(trees=self._trees) from None

    def token(self, lines: tuple[Columns, ...]) -> UDToken:
        """The token of a line, or of a range and its words.

        Args:
            lines: FORM, LEMMA, UPOS, XPOS, FEATS and MISC of each.
        """
        return self._range(lines) if len(lines) > 1 else self._single(lines[0])

    def _sentence(self, header: str, body: str, line: int) -> UDSentence:
        """The sentence of the lines behind its comments.

        Raises:
            _Irregular: it has a fault.
        """
        cells = _cells(body)
        nodes: tuple[EmptyNode, ...] = ()
        numbers = cells[::COLUMNS]
        self._numbers.reach(len(numbers))
        plain = numbers == self._numbers.written[1 : len(numbers) + 1]
        if not plain and any(["." in number for number in numbers]):
            nodes, cells = _without_nodes(cells)
            numbers = cells[::COLUMNS]
        lines = zip(*[cells[at::COLUMNS] for at in (1, 2, 3, 4, 5, 9)])  # noqa: B905
        heads, deprels, deps = [cells[at::COLUMNS] for at in (6, 7, 8)]
        if plain:
            singles = self._singles
            tokens = [singles[columns] for columns in lines]
        else:
            is_word = ["-" not in number for number in numbers]
            count = sum(is_word)
            if list(compress(numbers, is_word)) != self._numbers.written[1 : count + 1]:
                raise _Irregular
            tokens = self._with_ranges(numbers, list(lines), count)
            heads, deprels, deps = [
                list(compress(column, is_word)) for column in (heads, deprels, deps)
            ]
        if deps.count(NOTHING) == len(deps):
            deps = []
        if (deps or nodes) and not _is_graph(deps, nodes, len(heads)):
            raise _Irregular
        return UDSentence(
            header,
            tuple(tokens),
            self._governors(heads),
            tuple(deprels),
            tuple(deps),
            nodes,
            line,
        )

    def _with_ranges(self, numbers: list[str], lines: list[Columns], words: int) -> list[UDToken]:
        """The tokens of a sentence of which some are ranges.

        Args:
            numbers: the IDs, of which those of words are known to follow each other.
            lines: the columns.
            words: how many words there are.

        Raises:
            _Irregular: a range does not begin with the word behind it, or has not all its words.
        """
        singles, ranges, spans = self._singles, self._ranges, self._spans
        tokens = []
        at = count = 0
        while at < len(numbers):
            number = numbers[at]
            if "-" not in number:
                tokens.append(singles[lines[at]])
                count += 1
                at += 1
                continue
            first, last = spans[number]
            end = at + 1 + last - count
            if first != count + 1 or end > len(numbers):
                raise _Irregular
            tokens.append(ranges[tuple(lines[at:end])])
            count = last
            at = end
        if count != words:
            # There is a range in a range.
            raise _Irregular
        return tokens

    def _governors(self, heads: list[str]) -> tuple[int, ...]:
        """The heads as numbers.

        Raises:
            _Irregular: one is no number, or no word of the sentence; the words are no tree.
        """
        known = self._numbers
        try:
            governors = tuple([known[head] for head in heads])
        except KeyError:
            raise _Irregular from None
        if max(governors) > len(governors):
            raise _Irregular
        if self._trees and (
            min(governors) < 0 or governors.count(0) != 1 or find_cycle(governors) >= 0
        ):
            raise _Irregular
        return governors


def _cells(body: str) -> list[str]:
    """The cells of some lines, ten of each.

    Raises:
        _Irregular: a line has not ten, or one is empty.
    """
    # A line's end comes out as an empty cell: so it shows where the cells of a line end.
    cells = body.replace("\n", "\t\t").split("\t")
    ends = cells[COLUMNS :: COLUMNS + 1]
    del cells[COLUMNS :: COLUMNS + 1]
    if any(ends) or not all(cells) or len(cells) != COLUMNS * (len(ends) + 1):
        raise _Irregular
    return cells


def _without_nodes(cells: list[str]) -> tuple[tuple[EmptyNode, ...], list[str]]:
    """The empty nodes of a sentence, and the cells of the other lines.

    Raises:
        _Irregular: one does not stand where its ID says.
    """
    nodes = []
    others = []
    count = 0
    for at in range(0, len(cells), COLUMNS):
        number, *columns = line = cells[at : at + COLUMNS]
        if "." not in number:
            count += "-" not in number
            others += line
        elif _is_node(number, count):
            nodes.append(EmptyNode(count, number.partition(".")[2], tuple(columns)))
        else:
            raise _Irregular
    if not count:
        raise _Irregular
    return tuple(nodes), others


def _is_node(number: str, after: int) -> bool:
    """Whether this is the ID of an empty node behind a word."""
    word, _, place = number.partition(".")
    return word == str(after) and place.isdecimal()


def _is_graph(deps: Iterable[str], nodes: Iterable[EmptyNode], count: int) -> bool:
    """Whether DEPS of words and empty nodes is what it may be in a sentence of so many words."""
    return all([_fits(cell, count) for cell in (*deps, *[node.cells[7] for node in nodes])])


def _fits(deps: str, count: int) -> bool:
    """Whether DEPS has relations to words of a sentence, or to nodes behind them, or nothing."""
    items = [_DEPS_ITEM.fullmatch(item) for item in deps.split("|")]
    words = [to_number(item["word"]) if item else None for item in items]
    return deps == NOTHING or all([word is not None and word <= count for word in words])


class _Faults:
    """Finds what is wrong in a sentence that could not be read.

    Args:
        lines: behind its comments.
        line: the number of the first of them.
    """

    def __init__(self, lines: Sequence[str], line: int) -> None:
        self._lines = lines
        self._line = line
        self._words: list[int] = []
        """For each word its place among the lines."""

    def first(self, *, trees: bool) -> FormatError:
        """The first fault.

        Args:
            trees: whether it is one that the words are no tree.
        """
        fault = self._empty_cell() or self._odd_line() or self._odd_head(trees=trees)
        if fault is None and trees:
            fault = self._no_tree()
        fault = fault or self._odd_graph()
        assert fault is not None
        return fault

    def _empty_cell(self) -> FormatError | None:
        rows = [line.split("\t") for line in self._lines]
        # An empty ID alone is an ID that is not the next one.
        if not any(["" in cells[1:] for cells in rows]):
            return None
        at, cells = next((at, cells) for at, cells in enumerate(rows) if "" in cells)
        if len(cells) != COLUMNS:
            return self._wrong_columns(at)
        column = cells.index("")
        message = f"{_COLUMN_NAMES[column]} is empty: write _ for nothing"
        return self._error(at, message, "E202", column)

    def _odd_line(self) -> FormatError | None:
        """A line that has not ten columns, or whose ID is not the next one."""
        count = end = 0
        for at, line in enumerate(self._lines):
            number = line.partition("\t")[0]
            if line.count("\t") + 1 != COLUMNS:
                return self._wrong_columns(at)
            if number == str(count + 1):
                count += 1
                self._words.append(at)
            elif count >= end and (span := _range(number))[0] == count + 1:
                end = span[1]
            elif not _is_node(number, count):
                message = f"ID {number}: expected {count + 1}"
                if count >= end:
                    message += ", or a range that begins with it"
                return self._error(at, message, "E203", 0)
        if count < end:
            message = f"the sentence ends before word {end}, the last of a range"
            return self._error(len(self._lines) - 1, message, "E203", 0)
        return None if count else self._error(0, "the sentence has no word", "E203", 0)

    def _odd_head(self, *, trees: bool) -> FormatError | None:
        count = len(self._words)
        for at, head in zip(self._words, self._cells(6), strict=True):
            if head == NOTHING and not trees:
                continue
            if not (head.isascii() and head.isdecimal()):
                return self._error(at, f"HEAD {head} is no number", "E204", 6)
            number = to_number(head)
            if number is None or number > count or str(number) != head:
                message = f"HEAD {head} is no word: the sentence has {count}"
                return self._error(at, message, "E205", 6)
        return None

    def _no_tree(self) -> FormatError | None:
        heads = [int(head) for head in self._cells(6)]
        roots = [word for word, head in enumerate(heads) if head == 0]
        if not roots:
            message = "no word has HEAD 0: a sentence has one root"
            return self._error(self._words[0], message, "E206")
        if len(roots) > 1:
            shown = ", ".join([str(word + 1) for word in roots])
            message = f"words {shown} have HEAD 0: a sentence has one root"
            return self._error(self._words[roots[1]], message, "E206", 6)
        word = find_cycle(heads)
        if word < 0:
            return None
        message = f"the heads of word {word + 1} go round in a circle: no root is above it"
        return self._error(self._words[word], message, "E207")

    def _odd_graph(self) -> FormatError | None:
        nodes = [at for at, line in enumerate(self._lines) if "." in line.partition("\t")[0]]
        for at in (*self._words, *nodes):
            deps = self._lines[at].split("\t")[8]
            if not _fits(deps, len(self._words)):
                message = f"DEPS {deps}: expected HEAD:relation|HEAD:relation, or _"
                return self._error(at, message, "E211", 8)
        return None

    def _cells(self, column: int) -> list[str]:
        """The cells of a column of all words."""
        return [self._lines[at].split("\t")[column] for at in self._words]

    def _wrong_columns(self, at: int) -> FormatError:
        found = self._lines[at].count("\t") + 1
        message = f"expected {COLUMNS} columns with a tab between, found {found}"
        return self._error(at, message, "E201")

    def _error(self, at: int, message: str, code: str, column: int = -1) -> FormatError:
        """An error in a line, and in one of its columns, if one is given."""
        text = self._lines[at]
        place = sum([len(cell) + 1 for cell in text.split("\t")[:column]]) + 1
        return FormatError(
            message, line=self._line + at, column=place if column >= 0 else 0, text=text, code=code
        )


def find_cycle(heads: Sequence[int]) -> int:
    """A word, from 0, that does not reach the root; -1 if there is none.

    Args:
        heads: for each word, from 1; what is not positive is above no word.

    >>> find_cycle([2, 0]), find_cycle([0, 3, 2])
    (-1, 1)
    """
    # By which walk upwards a word was met; what is above no word ends every walk (0 and, counted
    # from the end, -1).
    met = [0] * (len(heads) + 2)
    met[0] = met[-1] = -1
    for start in range(1, len(heads) + 1):
        at = start
        while not met[at]:
            met[at] = start
            at = heads[at - 1]
        if met[at] == start:
            return start - 1
    return -1


def _ended(chunks: Iterable[str]) -> Iterator[str]:
    """The chunks.

    Raises:
        FormatError: behind the last, if no blank line ends the text.
    """
    end = "\n\n"
    lines = 0
    for chunk in chunks:
        yield chunk
        lines += chunk.count("\n")
        end = (end + chunk[-2:])[-2:]
    if end != "\n\n":
        raise FormatError(
            "no blank line ends the last sentence: is the file whole? (--on-error keep takes it"
            " as it is)",
            line=lines + (not end.endswith("\n")),
            code="E208",
        )


def write_ud(sentence: UDSentence) -> str:
    """The lines of a sentence, the blank one behind it included."""
    if sentence.empty_nodes or sentence.deps:
        return _write_enhanced(sentence)
    count = len(sentence.heads)
    written = _WRITTEN
    if count >= len(written) - 1:
        written = [*[str(number) for number in range(count + 1)], NOTHING]
    numbers = written[1 : count + 1]
    if count > len(sentence.tokens):
        first = 0
        for token in sentence.tokens:
            size = len(token.words)
            if size > 1:
                span = f"{first + 1}-{first + size}"
                numbers[first] = f"{span}{range_rest(token)}{numbers[first]}"
            first += size
    cells = [""] * (3 * count)
    cells[::3] = numbers
    cells[1::3] = [written[head] for head in sentence.heads]
    cells[2::3] = sentence.deprels
    lines = "".join([token.lines or word_lines(token) for token in sentence.tokens])
    return f"{sentence.header}{lines % tuple(cells)}\n"


def word_lines(token: UDToken) -> str:
    """The lines of a token's words, remembered; `%s` for number, HEAD and DEPREL of each."""
    lines = []
    for form, lemma, upos, xpos, feats, misc, _ in token.words:
        inner = f"{form}\t{lemma}\t{upos}\t{xpos}\t{feats}".replace("%", "%%")
        lines.append(f"%s\t{inner}\t%s\t%s\t_\t{misc.replace('%', '%%')}\n")
    token.lines = "".join(lines)
    return token.lines


def range_rest(token: UDToken) -> str:
    """The line of a range, behind its ID."""
    return f"\t{token.form}\t_\t_\t_\t{token.feats}\t_\t_\t_\t{token.misc}\n"


def _write_enhanced(sentence: UDSentence) -> str:
    """The lines of a sentence with an enhanced graph."""
    lines = [sentence.header]
    nodes: dict[int, list[str]] = {}
    for after, place, cells in sentence.empty_nodes:
        nodes.setdefault(after, []).append("\t".join((f"{after}.{place}", *cells)) + "\n")
    lines += nodes.get(0, ())
    number = 0
    for token in sentence.tokens:
        if len(token.words) > 1:
            lines.append(f"{number + 1}-{number + len(token.words)}{range_rest(token)}")
        for form, lemma, upos, xpos, feats, misc, _ in token.words:
            head = sentence.heads[number]
            deprel = sentence.deprels[number]
            deps = sentence.deps[number] if sentence.deps else NOTHING
            number += 1
            shown = NOTHING if head < 0 else str(head)
            cells = (str(number), form, lemma, upos, xpos, feats, shown, deprel, deps, misc)
            lines.append("\t".join(cells) + "\n")
            lines += nodes.get(number, ())
    lines.append("\n")
    return "".join(lines)
