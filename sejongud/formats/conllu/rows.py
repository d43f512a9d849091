"""Read a sentence of CoNLL-U as columns: the only parser of CoNLL-U.

    block of lines → Rows: ten columns of its words, its ranges, its empty nodes, its comments

Sentences, metrics, checks and releases all read through `parse`, so that a fault has one code in
every command. Parsing looks at the frame alone (columns, IDs, DEPS); `governors` reads HEAD.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress, count, repeat
from operator import attrgetter, not_
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import FormatError
from sejongud.formats.base import to_number
from sejongud.layers.arcs import find_cycle
from sejongud.memo import Memo, lazy_pattern
from sejongud.model import NOTHING, EmptyNode

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(len(COLUMNS))

_WIDTH = len(COLUMNS)
_PLAIN = lazy_pattern(
    r"^([^\t\n]+)\t([^\t]+\t[^\t]+\t[^\t]+\t[^\t]+\t[^\t]+)\t([^\t]+)\t([^\t]+)\t_\t([^\t\n]+)$",
    re.M,
)
"""The line of a word without DEPS: ID, FORM to FEATS, HEAD, DEPREL and MISC."""
RANGE_REST = "\t_" * 7
"""What stands in the line of every range, and of hardly any word."""
_EMPTY = "\t_\t_\t_\t"
"""LEMMA to XPOS of a range."""
_DEPS_ITEM = lazy_pattern(r"(?P<word>0|[1-9][0-9]*)(?:\.[0-9]+)?:.+")


class Range(NamedTuple):
    """The line of a multiword token."""

    first: int
    """Its first word, from 1."""
    last: int
    cells: tuple[str, ...]
    """Its ten columns."""


class Rows(NamedTuple):
    """A sentence as columns."""

    line: int
    """The number of its first line in the file, from 1."""
    header: str
    """Its comment lines, each with its end; a comment between words has moved before them."""
    columns: Sequence[Sequence[str]]
    """Ten columns, each with a cell for every word; see `COLUMNS`."""
    ranges: tuple[Range, ...]
    nodes: tuple[EmptyNode, ...]
    text: str
    """The lines as the file has them."""

    def __len__(self) -> int:
        """Return how many words the sentence has."""
        return len(self.columns[FORM])

    def line_numbers(self) -> dict[str, int]:
        """Return the line of each word, range and node by its ID."""
        lines = enumerate(self.text.split("\n"), self.line)
        return {raw.partition("\t")[0]: number for number, raw in lines if raw[:1] != "#"}


PlainColumns = tuple[
    tuple[tuple[str, str], ...], tuple[str, ...], tuple[str, ...], Sequence[tuple[int, int]]
]
"""FORM to FEATS and MISC of all lines; HEAD and DEPREL of the words; for each range the place of
its line among the lines and the end of its last word."""


class _Numerals(dict[str, int]):
    """Numbers by how they are written; -1 for `_`."""

    def __init__(self) -> None:
        super().__init__({NOTHING: -1})
        self.written: list[str] = []
        self.reach(200)

    def reach(self, last: int) -> list[str]:
        """Know all numbers up to this one, and return how they are written, from 0."""
        known = len(self.written)
        if last >= known:
            self.written += [str(number) for number in range(known, last + 1)]
            self.update(zip(self.written[known:], range(known, last + 1), strict=True))
        return self.written


numerals = _Numerals()
"""The numbers up to the longest sentence so far, made once for the process."""


class _Irregular(Exception):  # noqa: N818
    """The sentence has a fault; `_Faults` finds out which."""


def split_comments(text: str) -> tuple[str, str]:
    r"""Return the comment lines of a block, each with its end, and its other lines.

    >>> split_comments("# a\n1\t나\n# b")
    ('# a\n# b\n', '1\t나')
    """
    end = 0
    while text[end : end + 1] == "#":
        end = text.find("\n", end) + 1 or len(text)
    header, body = text[:end], text[end:]
    if "\n#" in body:
        lines = body.split("\n")
        header += "".join([f"{line}\n" for line in lines if line[:1] == "#"])
        body = "\n".join([line for line in lines if line[:1] != "#"])
    return header, body


def parse(text: str, line: int = 1) -> Rows:
    r"""Parse the lines of one sentence.

    Args:
        text: the lines between two blank lines.
        line: the number of the first one in the file.

    Raises:
        FormatError: a fault in the columns, the IDs or DEPS, with its line (E106, E201 to E203,
            E211).

    >>> parse("1-2\t나는" + "\t_" * 8 + "\n1\t나" + "\t_" * 8 + "\n2\t는" + "\t_" * 8).columns[1]
    ['나', '는']
    """
    header, body = split_comments(text)
    if not body:
        raise FormatError("comments without a sentence", line=line, code="E106")
    try:
        return _parse(text, header, body, line)
    except _Irregular:
        raise _Faults(text, line).frame() from None


def _parse(text: str, header: str, body: str, line: int) -> Rows:
    """Parse a sentence.

    Raises:
        _Irregular: it has a fault.
    """
    # A line's end comes out as an empty cell: so it shows where the cells of a line end.
    cells = body.replace("\n", "\t\t").split("\t")
    ends = cells[_WIDTH :: _WIDTH + 1]
    del cells[_WIDTH :: _WIDTH + 1]
    if any(ends) or not all(cells) or len(cells) != _WIDTH * (len(ends) + 1):
        raise _Irregular
    ids = cells[::_WIDTH]
    ranges: tuple[Range, ...] = ()
    nodes: tuple[EmptyNode, ...] = ()
    if ids != numerals.reach(len(ids))[1 : len(ids) + 1]:
        ranges, nodes = _others(cells, ids)
    columns = [cells[at::_WIDTH] for at in range(_WIDTH)]
    deps = columns[DEPS]
    if deps.count(NOTHING) != len(deps) and not all([deps_fit(cell, len(deps)) for cell in deps]):
        raise _Irregular
    if not all([deps_fit(node.cells[DEPS - 1], len(deps)) for node in nodes]):
        raise _Irregular
    # A NamedTuple's own constructor takes twice as long.
    return tuple.__new__(Rows, (line, header, columns, ranges, nodes, text))


def plain_columns(body: str) -> PlainColumns | None:
    """Return the columns of words and ranges; None for lines with anything else.

    Args:
        body: the lines of a sentence without its comments.

    >>> plain_columns("1\\t나\\t나\\tPRON\\tNP\\t_\\t0\\troot\\t_\\t_")
    ((('나\\t나\\tPRON\\tNP\\t_', '_'),), ('0',), ('root',), ())
    """
    found = _PLAIN.findall(body)
    # A match begins where a line does, so as many as there are lines are the lines.
    if not found or len(found) != body.count("\n") + 1:
        return None
    ids, texts, heads, deprels, misc = zip(*found)  # noqa: B905
    lines = tuple(zip(texts, misc))  # noqa: B905
    if ids == tuple(numerals.reach(len(ids))[1 : len(ids) + 1]):
        return lines, heads, deprels, ()
    is_word = list(map(str.isdigit, ids))
    words = tuple(compress(ids, is_word))
    if words != tuple(numerals.written[1 : len(words) + 1]):
        return None
    ranges: list[tuple[int, int]] = []
    end = 0
    for taken, at in enumerate(compress(count(), map(not_, is_word))):
        first, last = _ranges[ids[at]]
        is_empty = heads[at] == deprels[at] == NOTHING and _EMPTY in texts[at]
        if first != at - taken + 1 or at < end or not is_empty:
            return None
        end = at + last - first + 2
        ranges.append((at, end))
    if end > len(ids):
        return None
    heads, deprels = [tuple(compress(column, is_word)) for column in (heads, deprels)]
    return lines, heads, deprels, ranges


def _others(
    cells: list[str], ids: Sequence[str]
) -> tuple[tuple[Range, ...], tuple[EmptyNode, ...]]:
    """Take the ranges and the empty nodes of a sentence out of its cells.

    Raises:
        _Irregular: one of them does not stand where its ID says, or the words are numbered wrong.
    """
    is_word = list(map(str.isdigit, ids))
    words = list(compress(ids, is_word))
    if not words or words != numerals.written[1 : len(words) + 1]:
        raise _Irregular
    ranges: list[Range] = []
    nodes: list[EmptyNode] = []
    end = 0
    kept: list[str] = []
    begin = 0
    for taken, at in enumerate(compress(count(), map(not_, is_word))):
        before = at - taken  # How many words stand before it.
        kept += cells[begin : at * _WIDTH]
        begin = (at + 1) * _WIDTH
        own = tuple(cells[at * _WIDTH : begin])
        if "." in own[ID]:
            if not _is_node(own[ID], before):
                raise _Irregular
            nodes.append(EmptyNode(before, own[ID].partition(".")[2], own[1:]))
            continue
        first, last = _ranges[own[ID]]
        if first != before + 1 or before < end:
            raise _Irregular
        end = last
        # A NamedTuple's own constructor takes twice as long.
        ranges.append(tuple.__new__(Range, (first, last, own)))
    if end > len(words):
        raise _Irregular
    cells[:] = kept + cells[begin:]
    return tuple(ranges), tuple(nodes)


def _range(number: str) -> tuple[int, int]:
    """Return the first and the last word of a range by its ID; (0, 0) if it is none.

    >>> _range("2-4"), _range("2-2"), _range("2.1")
    ((2, 4), (0, 0), (0, 0))
    """
    first, _, last = number.partition("-")
    span = to_number(first) or 0, to_number(last) or 0
    return span if 0 < span[0] < span[1] and number == "{}-{}".format(*span) else (0, 0)


_ranges: Memo[str, tuple[int, int]] = Memo(_range, size=20_000)


def _is_node(number: str, after: int) -> bool:
    """Whether this is the ID of an empty node behind a word."""
    word, _, place = number.partition(".")
    return word == str(after) and place.isdecimal()


def deps_fit(deps: str, count: int) -> bool:
    """Whether DEPS is `_`, or has relations to words of a sentence or to nodes behind them."""
    if deps == NOTHING:
        return True
    items = [_DEPS_ITEM.fullmatch(item) for item in deps.split("|")]
    words = [to_number(item["word"]) if item else None for item in items]
    return all([word is not None and word <= count for word in words])


def governors(rows: Rows, *, trees: bool = False) -> tuple[int, ...]:
    """Return the HEAD column as numbers; 0 for the root, -1 for `_`.

    Args:
        rows: the sentence.
        trees: whether the words must be a tree.

    Raises:
        FormatError: a HEAD is no number or no word (E204, E205); the words are no tree (E206,
            E207); with its line.
    """
    heads = heads_of(rows.columns[HEAD], trees=trees)
    if heads is None:
        raise _Faults(rows.text, rows.line).heads(trees=trees)
    return heads


def heads_of(cells: Sequence[str], *, trees: bool) -> tuple[int, ...] | None:
    """Return the cells of HEAD as numbers; None where `governors` raises an error."""
    heads = tuple(map(numerals.get, cells, repeat(-2)))
    if not -1 <= min(heads) <= max(heads) <= len(heads):
        return None
    if trees and (min(heads) < 0 or heads.count(0) != 1 or find_cycle(heads) >= 0):
        return None
    return heads


def mended(text: str, line: int = 1) -> tuple[str, list[FormatError]]:
    r"""Return the lines of a sentence with `_` for each faulty cell, and the error of each.

    Faulty cells are empty ones (E202), a HEAD that is no number or no word (E204, E205) and DEPS
    that are no graph (E211). There are no errors if the lines have another fault.

    >>> text, errors = mended("1\t나는\t나+는\tPRON\tNP+JX\t\t9\troot\t_\t_")
    >>> text, [error.code for error in errors]
    ('1\t나는\t나+는\tPRON\tNP+JX\t_\t_\troot\t_\t_', ['E202', 'E205'])
    """
    return _Faults(text, line).mended(text)


_Fault = tuple[int, int, FormatError]
"""The place of a line and the column of a faulty cell, and its error."""


def _first(faults: Iterator[_Fault]) -> FormatError | None:
    return next((error for _, _, error in faults), None)


class _Faults:
    """Finds the faults in a sentence that could not be parsed.

    Args:
        text: its lines.
        line: the number of the first of them.
    """

    def __init__(self, text: str, line: int) -> None:
        lines = enumerate(text.split("\n"), line)
        self._lines = [(number, raw) for number, raw in lines if raw[:1] != "#"]
        self._words: list[int] = []
        """For each word its place among the lines."""

    def frame(self) -> FormatError:
        """Return the first fault in columns, IDs or DEPS."""
        fault = _first(self._empty_cells()) or self._odd_line() or _first(self._odd_graphs())
        assert fault is not None
        return fault

    def heads(self, *, trees: bool) -> FormatError:
        """Return the first fault in HEAD.

        Args:
            trees: whether the words must be a tree.
        """
        self._odd_line()
        fault = _first(self._odd_heads(trees=trees)) or self._no_tree()
        assert fault is not None
        return fault

    def mended(self, text: str) -> tuple[str, list[FormatError]]:
        """Return the sentence with `_` for each faulty cell, and the errors; see `mended`."""
        if not self._lines or self._odd_line() is not None:
            return text, []
        lines = dict(enumerate(text.split("\n")))
        first = self._lines[0][0] - next(at for at, raw in lines.items() if raw[:1] != "#")
        errors = []
        for faults in (self._empty_cells, self._odd_heads, self._odd_graphs):
            for at, column, error in list(faults()):
                number, raw = self._lines[at]
                cells = raw.split("\t")
                cells[column] = NOTHING
                self._lines[at] = number, "\t".join(cells)
                lines[number - first] = self._lines[at][1]
                errors.append(error)
        return "\n".join(lines.values()), sorted(errors, key=attrgetter("line", "column"))

    def _empty_cells(self) -> Iterator[_Fault]:
        for at, (_, raw) in enumerate(self._lines):
            cells = raw.split("\t")
            # An empty ID alone is an ID that is not the next one.
            for column, cell in enumerate(cells[1:], 1):
                if cell:
                    continue
                if len(cells) != _WIDTH:
                    yield at, column, self._wrong_columns(at)
                    break
                message = f"{COLUMNS[column]} is empty: write _ for nothing"
                if raw.startswith('"#'):
                    message = "a comment in quotation marks, with tabs behind it: a spreadsheet"
                    message += " wrote this file; take its quotation marks and tabs away"
                yield at, column, self._error(at, message, "E202", column)

    def _odd_line(self) -> FormatError | None:
        """Return the fault of a line that has not ten columns, or whose ID is not the next one."""
        count = end = 0
        for at, (_, raw) in enumerate(self._lines):
            number = raw.partition("\t")[0]
            if raw.count("\t") + 1 != _WIDTH:
                return self._wrong_columns(at)
            if number == str(count + 1):
                count += 1
                self._words.append(at)
            elif count >= end and (span := _range(number))[0] == count + 1:
                end = span[1]
            elif not _is_node(number, count):
                message = f"ID {number}: expected {count + 1}"
                if count >= end:
                    message += ", or a range from it to a later word"
                return self._error(at, message, "E203", 0)
        if count < end:
            message = f"the sentence ends before word {end}, the last of a range"
            return self._error(len(self._lines) - 1, message, "E203", 0)
        return None if count else self._error(0, "the sentence has no word", "E203", 0)

    def _odd_heads(self, *, trees: bool = False) -> Iterator[_Fault]:
        count = len(self._words)
        cells = list(self._cells(HEAD))
        way = ": no word has one, and `sejongud convert` cuts such words"
        why = way if set(cells) == {NOTHING} else ""
        for at, head in zip(self._words, cells, strict=True):
            if head == NOTHING and not trees:
                continue
            if not (head.isascii() and head.isdecimal()):
                yield at, HEAD, self._error(at, f"HEAD {head} is no number{why}", "E204", HEAD)
                continue
            number = to_number(head)
            if number is None or number > count or str(number) != head:
                message = f"HEAD {head} is no word: the sentence has {count}"
                yield at, HEAD, self._error(at, message, "E205", HEAD)

    def _no_tree(self) -> FormatError | None:
        heads = [int(head) for head in self._cells(HEAD)]
        roots = [word for word, head in enumerate(heads) if head == 0]
        if not roots:
            message = "no word has HEAD 0: a sentence has one root"
            return self._error(self._words[0], message, "E206")
        if len(roots) > 1:
            shown = ", ".join([str(word + 1) for word in roots])
            message = f"words {shown} have HEAD 0: a sentence has one root"
            return self._error(self._words[roots[1]], message, "E206", HEAD)
        word = find_cycle(heads)
        if word < 0:
            return None
        message = f"the HEAD column contains a cycle: word {word + 1} reaches no root"
        return self._error(self._words[word], message, "E207")

    def _odd_graphs(self) -> Iterator[_Fault]:
        nodes = [at for at, (_, raw) in enumerate(self._lines) if "." in raw.partition("\t")[0]]
        for at in (*self._words, *nodes):
            deps = self._lines[at][1].split("\t")[DEPS]
            if not deps_fit(deps, len(self._words)):
                form = f"HEAD:relation|HEAD:relation with HEAD 0 to {len(self._words)}"
                message = f"DEPS {deps}: expected {form}, or _"
                yield at, DEPS, self._error(at, message, "E211", DEPS)

    def _cells(self, column: int) -> list[str]:
        """Return the cells of a column of all words."""
        return [self._lines[at][1].split("\t")[column] for at in self._words]

    def _wrong_columns(self, at: int) -> FormatError:
        row = self._lines[at][1]
        found = row.count("\t") + 1
        message = f"expected {_WIDTH} columns with a tab between, found {found}"
        message += ": take away the tab at the end" if row.endswith("\t") else ""
        if row.startswith("\ufeff"):
            message += ": take away the byte order mark (U+FEFF), left where files were joined"
        return self._error(at, message, "E201")

    def _error(self, at: int, message: str, code: str, column: int = -1) -> FormatError:
        """Return an error in a line, and in one of its columns if one is given."""
        line, text = self._lines[at]
        place = sum([len(cell) + 1 for cell in text.split("\t")[:column]]) + 1
        return FormatError(
            message, line=line, column=place if column >= 0 else 0, text=text, code=code
        )
