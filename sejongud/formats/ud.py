"""CoNLL-U as a treebank has it, word by word: read and written to the byte.

Where `sejongud.formats.conllu` takes a file apart into eojeols, which can be cut again at any
level, this keeps the file's own words and all it says of them (`sejongud.ud`), for what is about
words: their dependencies. It is strict: a file that is cut short, or a tree that is none, is an
error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sejongud.analysis import spell
from sejongud.errors import FormatError, Note
from sejongud.formats.base import blocks
from sejongud.formats.conllu import complete_pieces, find_pieces
from sejongud.memo import Memo
from sejongud.model import Morpheme
from sejongud.ud import NOTHING, EmptyNode, UDSentence, UDToken, UDWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.rules import Rules

__all__ = ["UDBlock", "UDReader", "write_ud"]

COLUMNS = 10
_DEPS_ITEM = re.compile(r"(?P<word>0|[1-9][0-9]*)(?:\.[0-9]+)?:.+")
_COLUMN_NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_REMEMBERED = 48_000

_Columns = tuple[str, str, str, str, str, str]
"""FORM, LEMMA, UPOS, XPOS, FEATS and MISC: what the place of a word does not change."""


_RangeColumns = tuple[str, tuple[UDWord, ...], str, str, tuple[Note, ...]]
"""What makes a token of several words, apart from its place."""


class UDBlock(NamedTuple):
    """The lines of one sentence."""

    line: int
    """The number of the first one, from 1."""
    text: str


_WRITTEN = [str(number) for number in range(1000)]
"""The numbers as they are written, as far as sentences usually go."""


class _Numbers(dict[str, int]):
    """The numbers that IDs and heads are, by how they are written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []

    def reach(self, last: int) -> None:
        """Know all numbers up to this one."""
        for number in range(len(self.written), last + 1):
            self.written.append(str(number))
            self[str(number)] = number


class _Pieces:
    """Makes morphemes of what LEMMA and XPOS have."""

    def __init__(self, typos: Mapping[tuple[str, str], str]) -> None:
        self._typos = typos
        self._misspelt = frozenset([tag for tag, _ in typos])

    def __call__(self, pair: tuple[str, str]) -> Morpheme:
        written, tag = pair
        form, source = spell(written, "")
        if tag not in self._misspelt:
            return Morpheme(form, tag, source)
        right = self._typos.get((tag, form)) or self._typos.get((tag, "*")) or tag
        return Morpheme(form, right, source, "", tag if right != tag else "")


class _Words:
    """Makes words of their columns."""

    def __init__(self, rules: Rules) -> None:
        self._unknown = rules.unknown_tag
        self._pieces: Memo[tuple[str, str], Morpheme] = Memo(_Pieces(rules.typos), size=_REMEMBERED)

    def single(self, columns: _Columns) -> UDToken:
        """The token of a word that stands in no range."""
        word, notes = self(columns)
        return UDToken(columns[0], (word,), NOTHING, columns[5], notes)

    def __call__(self, columns: _Columns) -> tuple[UDWord, tuple[Note, ...]]:
        form, lemma, _, xpos, _, misc = columns
        found = self._pieces
        notes: tuple[Note, ...] = ()
        if "MSeg=" not in misc and "OrigLemma=" not in misc:
            pieces = lemma.split("+")
            tags = xpos.split("+")
            if len(tags) == 1:
                pieces = [form]
            # Nearly always: no plus sign among the morphemes.
            if len(pieces) == len(tags) and "" not in pieces and "" not in tags:
                morphemes = tuple([found[pair] for pair in zip(pieces, tags)])  # noqa: B905
                # A NamedTuple's own constructor takes twice as long.
                return tuple.__new__(UDWord, (*columns, morphemes)), notes
        pieces, tags, notes = self._hard(form, lemma, xpos, misc)
        morphemes = tuple([found[pair] for pair in zip(pieces, tags, strict=True)])
        return UDWord(*columns, morphemes), notes

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


class UDReader:
    """Reads the sentences of a treebank.

    Args:
        rules: the tables.
        trees: whether the words of a sentence must be a tree; a parser may make something else.

    >>> from sejongud.rules import load
    >>> line = "1\\t간다\\t가+ㄴ다\\tVERB\\tVV+EF\\t_\\t0\\troot\\t_\\t_"
    >>> sentence = UDReader(load()).parse(UDBlock(1, line))
    >>> [m.form for word in sentence.words for m in word.morphemes]
    ['가', 'ㄴ다']
    """

    def __init__(self, rules: Rules, *, trees: bool = True) -> None:
        self._trees = trees
        self._numbers = _Numbers()
        self._numbers.reach(200)
        words = _Words(rules)
        self._words: Memo[_Columns, tuple[UDWord, tuple[Note, ...]]] = Memo(words, size=_REMEMBERED)
        self._singles: Memo[_Columns, UDToken] = Memo(words.single, size=_REMEMBERED)
        self._ranges: Memo[_RangeColumns, UDToken] = Memo(
            lambda columns: UDToken(*columns), size=_REMEMBERED
        )

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
        lines = block.text.split("\n")
        first = 0
        for raw in lines:
            if raw[:1] != "#":
                break
            first += 1
        if first == len(lines):
            raise FormatError("comments without a sentence", line=block.line, code="E106")
        header = "".join([f"{raw}\n" for raw in lines[:first]])
        body = _Body(block.line + first, lines[first:] if first else lines)
        if "\t\t" in block.text or "\t\n" in block.text or block.text[-1] == "\t":
            raise body.empty_error()
        self._read(body)
        heads = self._heads(body)
        deps = tuple(body.deps)
        if deps.count(NOTHING) == len(deps):
            deps = ()
        if deps or body.empty_nodes:
            body.check_graph()
        return UDSentence(
            header,
            tuple(body.tokens),
            heads,
            tuple(body.deprels),
            deps,
            tuple(body.empty_nodes),
            block.line,
        )

    def _read(self, body: _Body) -> None:
        """Take the lines apart."""
        singles = self._singles
        numbers = self._numbers
        numbers.reach(len(body.lines) + 1)
        written = numbers.written
        tokens, heads, deprels, deps = body.tokens, body.heads, body.deprels, body.deps
        count = 0
        for raw in body.lines:
            try:
                number, form, lemma, upos, xpos, feats, head, deprel, dep, misc = raw.split("\t")
            except ValueError:
                raise body.column_error(raw) from None
            if number == written[count + 1]:
                count += 1
                heads.append(head)
                deprels.append(deprel)
                deps.append(dep)
                if count > body.range_end:
                    tokens.append(singles[form, lemma, upos, xpos, feats, misc])
                else:
                    body.inner.append(self._words[form, lemma, upos, xpos, feats, misc])
                    if count == body.range_end:
                        tokens.append(self._ranges[body.range_columns()])
            elif "-" in number and count >= body.range_end:
                body.open_range(raw, number, form, feats, misc, count)
            elif "." in number:
                body.empty_node(raw, number, count)
            else:
                raise body.id_error(raw, count)
        if count < body.range_end:
            raise body.id_error("", count)

    def _heads(self, body: _Body) -> tuple[int, ...]:
        """The heads as numbers.

        Raises:
            FormatError: one is no number, or no word of the sentence; the words are no tree.
        """
        numbers = self._numbers
        try:
            heads = [numbers[head] for head in body.heads]
        except KeyError:
            heads = [-1 if head == NOTHING else numbers.get(head, -2) for head in body.heads]
        count = len(heads)
        if min(heads) < (0 if self._trees else -1) or max(heads) > count:
            raise body.head_error()
        if self._trees:
            if heads.count(0) != 1:
                raise body.root_error()
            if (at := find_cycle(heads)) >= 0:
                message = f"the heads of word {at + 1} go round in a circle: no root is above it"
                raise body.error(at, message, "E207")
        return tuple(heads)


class _Body:
    """The lines of a sentence behind its comments, while they are read."""

    def __init__(self, line: int, lines: list[str]) -> None:
        self.line = line
        self.lines = lines
        self.tokens: list[UDToken] = []
        self.heads: list[str] = []
        self.deprels: list[str] = []
        self.deps: list[str] = []
        self.empty_nodes: list[EmptyNode] = []
        self.range_end = 0
        self.inner: list[tuple[UDWord, tuple[Note, ...]]] = []
        self._range = ("", "", "")

    def open_range(
        self, raw: str, number: str, form: str, feats: str, misc: str, count: int
    ) -> None:
        first, _, last = number.partition("-")
        if first != str(count + 1) or not last.isdecimal() or int(last) <= count + 1:
            raise self.id_error(raw, count)
        self.range_end = int(last)
        self.inner = []
        self._range = form, feats, misc

    def range_columns(self) -> _RangeColumns:
        form, feats, misc = self._range
        words = tuple([word for word, _ in self.inner])
        notes = tuple([note for _, notes in self.inner for note in notes])
        return form, words, feats, misc, notes

    def empty_node(self, raw: str, number: str, count: int) -> None:
        after, _, place = number.partition(".")
        if after != str(count) or not place.isdecimal():
            raise self.id_error(raw, count)
        self.empty_nodes.append(EmptyNode(count, place, tuple(raw.split("\t")[1:])))

    def check_graph(self) -> None:
        """Check DEPS: relations to words of the sentence, or to nodes behind them.

        Raises:
            FormatError: with its line.
        """
        rows = enumerate(self.deps, 1)
        nodes = [(f"{node.after}.{node.number}", node.cells[7]) for node in self.empty_nodes]
        for number, deps in (*[(str(n), deps) for n, deps in rows], *nodes):
            items = [_DEPS_ITEM.fullmatch(item) for item in deps.split("|")]
            if deps != NOTHING and not all(
                [item and int(item["word"]) <= len(self.heads) for item in items]
            ):
                message = f"DEPS {deps}: expected HEAD:relation|HEAD:relation, or _"
                raise self.error_at(number, message, "E211", 8)

    def error(self, word: int, message: str, code: str, column: int = 0) -> FormatError:
        """An error of a word, from 0."""
        return self.error_at(str(word + 1), message, code, column)

    def error_at(self, number: str, message: str, code: str, column: int) -> FormatError:
        """An error in the line with this ID."""
        at = next(n for n, raw in enumerate(self.lines) if raw.partition("\t")[0] == number)
        text = self.lines[at]
        place = sum([len(cell) + 1 for cell in text.split("\t")[:column]]) + 1 if column else 0
        return FormatError(message, line=self.line + at, column=place, text=text, code=code)

    def column_error(self, raw: str) -> FormatError:
        message = f"expected {COLUMNS} columns with a tab between, found {raw.count(chr(9)) + 1}"
        line = self.line + self.lines.index(raw)
        return FormatError(message, line=line, text=raw, code="E201")

    def empty_error(self) -> FormatError:
        found = [(n, raw) for n, raw in enumerate(self.lines) if "" in raw.split("\t")]
        at, raw = found[0]
        if raw.count("\t") + 1 != COLUMNS:
            return self.column_error(raw)
        column = raw.split("\t").index("")
        place = sum([len(cell) + 1 for cell in raw.split("\t")[:column]]) + 1
        message = f"{_COLUMN_NAMES[column]} is empty: write _ for nothing"
        return FormatError(message, line=self.line + at, column=place, text=raw, code="E202")

    def id_error(self, raw: str, count: int) -> FormatError:
        if not raw:
            line, raw = self.line + len(self.lines) - 1, self.lines[-1]
            message = f"the sentence ends before word {self.range_end}, the last of a range"
        else:
            line = self.line + self.lines.index(raw)
            message = f"ID {raw.partition(chr(9))[0]}: expected {count + 1}"
            if count >= self.range_end:
                message += ", or a range that begins with it"
        return FormatError(message, line=line, column=1, text=raw, code="E203")

    def head_error(self) -> FormatError:
        count = len(self.heads)
        for at, head in enumerate(self.heads):
            if not (head.isascii() and head.isdecimal()):
                return self.error(at, f"HEAD {head} is no number", "E204", 6)
            if int(head) > count or str(int(head)) != head:
                message = f"HEAD {head} is no word: the sentence has {count}"
                return self.error(at, message, "E205", 6)
        raise AssertionError

    def root_error(self) -> FormatError:
        roots = [at for at, head in enumerate(self.heads) if head == "0"]
        if not roots:
            return self.error(0, "no word has HEAD 0: a sentence has one root", "E206")
        shown = ", ".join([str(at + 1) for at in roots])
        message = f"words {shown} have HEAD 0: a sentence has one root"
        return self.error(roots[1], message, "E206", 6)


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
    heads = sentence.heads
    count = len(heads)
    written = _WRITTEN if count < len(_WRITTEN) else [str(n) for n in range(count + 1)]
    words: list[UDWord] = []
    ranges: list[str] = []
    for token in sentence.tokens:
        inner = token.words
        if len(inner) == 1:
            ranges.append("")
            words.append(inner[0])
        else:
            ranges.append(_range_line(token, len(words)))
            ranges += [""] * (len(inner) - 1)
            words += inner
    above = [written[head] if head >= 0 else NOTHING for head in heads]
    rows = zip(ranges, written[1 : count + 1], words, above, sentence.deprels, strict=True)
    lines = [
        f"{opening}{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t{head}\t{deprel}\t_\t{misc}\n"
        for opening, number, (form, lemma, upos, xpos, feats, misc, _), head, deprel in rows
    ]
    return f"{sentence.header}{''.join(lines)}\n"


def _range_line(token: UDToken, number: int) -> str:
    return (
        f"{number + 1}-{number + len(token.words)}\t{token.form}\t_\t_\t_\t{token.feats}"
        f"\t_\t_\t_\t{token.misc}\n"
    )


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
            lines.append(_range_line(token, number))
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
