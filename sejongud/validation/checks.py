"""The checks of `sejongud validate` beyond the incidents of the readers: a pure function each.

They see a sentence of CoNLL-U as its lines beside the words of a level.
The first line of a check's docstring is its message; a check returns details and places. The tables
at the end give every check its code, which is stable (see `sejongud.errors`): E is an error, W is
worth a look. 12x are checks of any format; 21x of the comments and lines of CoNLL-U, 22x of its
tokens, 23x of its words as an annotation at one level, the others of its trees.

Many a W is right in some corpora: `--select` leaves the others out.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category, is_normalized

from sejongud.formats.conllu.rows import (
    DEPREL,
    FEATS,
    FORM,
    ID,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    Rows,
    governors,
)
from sejongud.formats.misc import find_pieces, split_segments
from sejongud.layers.arcs import circles
from sejongud.layers.places import first_difference
from sejongud.levels.cut import Granularity, Shape
from sejongud.memo import Memo, remembered_by
from sejongud.model import LEVELS, Eojeol, Morpheme, Sentence, Token, Word
from sejongud.morphology.eojeol import write_analysis
from sejongud.morphology.hangul import is_letter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sejongud.formats.base import Block
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
        self.tokens = [Memo(level.tokens, size=48_000) for level in self._granularities]
        """Of each level: an eojeol → its tokens."""

    @remembered_by(48_000)
    def levels(self, eojeol: Eojeol, shape: Shape) -> frozenset[int]:
        """Return the levels at which an eojeol has words of a shape."""
        pairs = zip(LEVELS, self._granularities, strict=True)
        return frozenset([k for k, cut in pairs if cut.shape(eojeol) == shape])


class CheckedBlock:
    """A sentence of CoNLL-U, line by line, as the checks see it.

    Args:
        block: its text, which the reader can read.
        rows: its columns.
        sentence: the sentence that the reader made of it.
        scheme: the words that it is compared with.
    """

    def __init__(self, block: Block, rows: Rows, sentence: Sentence, scheme: Scheme) -> None:
        self.sentence = sentence
        self._scheme = scheme
        raws = enumerate(block.text.split("\n"), block.line)
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
        tokens_of = self._scheme.tokens[self.level - 1]
        should = [tokens_of[eojeol] for eojeol in self.sentence.eojeols]
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


def message_of(check: Callable[..., object]) -> str:
    """Return the message of a check: the first line of its docstring, as part of a line.

    >>> message_of(_no_text)
    'the sentence has no text'
    """
    message = (check.__doc__ or "").partition("\n")[0].rstrip(".")
    # Names such as UPOS and MSeg stay as they are.
    return message if message[1:2].isupper() else message[:1].lower() + message[1:]


# --- lines of any format --------------------------------------------------------------------------


def _not_nfc(text: str) -> str:
    """The text is not in Unicode's form NFC: equal words may differ."""
    if is_normalized("NFC", text):
        return ""
    return next((word for word in text.split() if not is_normalized("NFC", word)), "see there")


# A joiner behind an emoji makes one picture of several.
_ODD = re.compile(
    "[\0-\b\v-\x1f\x7f-\x9f\xad\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2064\ue000-\uf8ff\ufeff"
    "\ufffd]|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"
)


def _odd_character(text: str) -> str:
    """A control, invisible, private-use or replacement character."""
    return ", ".join(sorted({f"U+{ord(char):04X}" for char in _ODD.findall(text)}))


# --- eojeols --------------------------------------------------------------------------------------


def _space_in_form(eojeol: Eojeol, rules: Rules) -> str:
    """A space inside the form: it stays one word at all levels."""
    return eojeol.form if any([char.isspace() for char in eojeol.form]) else ""


def _letters_as_symbol(eojeol: Eojeol, rules: Rules) -> str:
    """Letters or digits that are tagged as a symbol."""
    return _tagged(
        m
        for m in eojeol.morphemes
        if rules.kind(m.tag) == "symbol" and any([is_letter(char) for char in m.form])
    )


def _symbol_as_letters(eojeol: Eojeol, rules: Rules) -> str:
    """A punctuation mark that is not tagged as a symbol."""
    return _tagged(
        m
        for m in eojeol.morphemes
        if rules.kind(m.tag) not in ("symbol", "unknown", "")
        and m.form
        and all([category(char)[0] == "P" for char in m.form])
    )


def _tagged(morphemes: Iterable[Morpheme]) -> str:
    return ", ".join([f"{m.written}/{m.tag}" for m in morphemes])


def _begins_bound(eojeol: Eojeol, rules: Rules) -> str:
    """The eojeol begins with a particle, an ending or a suffix."""
    first = eojeol.morphemes[0]
    bound = () if rules.replaces_tags else ("particle", "ending", "suffix")
    return _with_analysis(eojeol) if rules.kind(first.tag) in bound else ""


def _ends_in_stem(eojeol: Eojeol, rules: Rules) -> str:
    """The eojeol ends in a verb or an adjective, without an ending."""
    kinds = [rules.kind(m.tag) for m in eojeol.morphemes]
    while kinds and kinds[-1] == "symbol":
        kinds.pop()
    stems = () if rules.replaces_tags else ("verb", "adjective", "auxiliary", "copula")
    return _with_analysis(eojeol) if kinds and kinds[-1] in stems else ""


def _with_analysis(eojeol: Eojeol) -> str:
    return f"{eojeol.form} {write_analysis(eojeol.morphemes)}"


# --- sentences ------------------------------------------------------------------------------------


def _ids_out_of_order(block: Block, sentence: Sentence) -> Iterator[tuple[int, str]]:
    """The id of an eojeol does not follow the one before it.

    Yields:
        Which eojeol, from 0, and its id.
    """
    before = ""
    for index, corpus_id in enumerate(sentence.ids):
        if before and corpus_id and _natural(corpus_id) <= _natural(before):
            yield index, f"{corpus_id} behind {before}"
        before = corpus_id


def _natural(corpus_id: str) -> tuple[str, int, str]:
    """Return an id as a key that sorts by its number, whose digits may be any number."""
    prefix = corpus_id.rstrip("0123456789")
    digits = corpus_id[len(prefix) :].lstrip("0")
    return prefix, len(digits), digits


# --- CoNLL-U --------------------------------------------------------------------------------------


def _no_sent_id(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The sentence has no sent_id."""
    if not any([sent_id.strip() for _, sent_id in block.comments_of("sent_id")[:1]]):
        yield CheckFinding(0)


def _sent_id_with_space(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The sent_id holds a space."""
    for line, sent_id in block.comments_of("sent_id"):
        if len(sent_id.split()) > 1:
            yield CheckFinding(line, sent_id)


def _comment_twice(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The sentence has two comments of a kind that it may have once."""
    for key in ("sent_id", "text"):
        for line, _ in block.comments_of(key)[1:]:
            yield CheckFinding(line, key)


def _comment_inside(block: CheckedBlock) -> Iterator[CheckFinding]:
    """A comment stands behind the first word."""
    first = block.tokens[0].row.line
    for line, text in block.comments:
        if line > first:
            yield CheckFinding(line, text[:40])


def _no_text(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The sentence has no text."""
    if not block.comments_of("text"):
        yield CheckFinding(0)


def _other_text(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The text is not the tokens with the spaces that SpaceAfter tells."""
    tokens = block.sentence.tokens
    written = "".join([token.form + " " * token.space_after for token in tokens]).rstrip()
    for line, text in block.comments_of("text")[:1]:
        if text != written:
            start = max(first_difference(text, written) - 10, 0)
            shown = [side[start : start + 20] for side in (text, written)]
            yield CheckFinding(line, "{!r}, the tokens {!r}".format(*shown))


def _blank_at_edge(block: CheckedBlock) -> Iterator[CheckFinding]:
    """A blank at the beginning or the end of a column or comment."""
    for line, text in block.comments:
        if text != text.rstrip():
            yield CheckFinding(line, "at the end of the line")
    for row in block.rows:
        for number, cell in enumerate(row.cells, 1):
            if cell != cell.strip():
                yield row.finding(f"column {number}")


def _filled_range(block: CheckedBlock) -> Iterator[CheckFinding]:
    """A range line has more than ID, FORM and MISC."""
    for row, _ in block.ranges:
        for index in range(LEMMA, MISC):
            cell = row.cells[index]
            # FEATS may mark a misspelt token.
            if cell != "_" and (index, cell) != (FEATS, "Typo=Yes"):
                yield row.finding(f"column {index + 1}: {cell}")


def _space_in_range(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The FORM of a range holds a space."""
    for row, _ in block.ranges:
        if " " in row.cells[FORM]:
            yield row.finding(row.cells[FORM])


def _space_after_inside(block: CheckedBlock) -> Iterator[CheckFinding]:
    """A word inside a range has SpaceAfter=No: it belongs on the range line."""
    for token in block.ranges:
        for row in token.words:
            if "SpaceAfter=No" in row.misc:
                yield row.finding(row.cells[FORM])


def _key_twice(block: CheckedBlock) -> Iterator[CheckFinding]:
    """A key stands twice in MISC."""
    for row in block.rows:
        keys = [item.partition("=")[0] for item in row.misc]
        again = sorted({key for key in keys if keys.count(key) > 1})
        if again:
            yield row.finding(", ".join(again))


def _no_level(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The words are not those of one level of granularity."""
    if block.level:
        return
    # The level of most eojeols; the first eojeol at another level is shown.
    likely = max(LEVELS, key=lambda level: sum([level in some for some in block.levels]))
    index = next(i for i, some in enumerate(block.levels) if likely not in some)
    words = [row for token in block.parts[index] for row in token.words]
    cut = " ".join([row.cells[XPOS] for row in words])
    yield CheckFinding(
        words[0].line,
        f"most are at level {likely}, {block.sentence.eojeols[index].form} is {cut}",
        str(index + 1),
    )


def _unannotated(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The word has no LEMMA, UPOS or XPOS."""
    for row in block.words:
        _, form, *cells = row.cells[:5]
        # An empty morpheme has no lemma.
        if "_" in (cells[1:] if form == "_" else cells):
            yield row.finding(form)


def _other_xpos(block: CheckedBlock) -> Iterator[CheckFinding]:
    """XPOS is a tag typo."""
    return block.column(XPOS, "xpos")


def _segments_unlike_tags(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The number of morphemes in MSeg is not the number of tags in XPOS."""
    for row in block.words:
        for item in row.misc:
            if item.startswith("MSeg=") and len(split_segments(item[5:])) != row.tags:
                items = dict([item.partition("=")[::2] for item in row.misc])
                taken = find_pieces(row.cells[FORM], row.cells[LEMMA], items, row.tags)
                read = f" (read as {'+'.join(taken)})" if taken else ""
                yield row.finding(f"{item}, {row.cells[XPOS]}{read}")


def _other_form(block: CheckedBlock) -> Iterator[CheckFinding]:
    """FORM is not that of these morphemes at this level."""
    for token, should in block.pairs:
        pairs: Iterable[tuple[WordRow, Token | Word]] = [(token.row, should)]
        if len(token.words) > 1 and token.row.cells[FORM] == should.form:
            pairs = zip(token.words, should.words, strict=True)
        for row, word in pairs:
            if row.cells[FORM] != word.form:
                yield row.finding(f"{row.cells[FORM]}, not {word.form}")


def _other_lemma(block: CheckedBlock) -> Iterator[CheckFinding]:
    """LEMMA is not that of the scheme."""
    return block.column(LEMMA, "lemma")


def _other_upos(block: CheckedBlock) -> Iterator[CheckFinding]:
    """UPOS is not that of the scheme."""
    return block.column(UPOS, "upos")


def _some_heads(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The word has no HEAD, and others of the sentence have one."""
    if max(block.heads) >= 0:
        for row, head in zip(block.words, block.heads, strict=True):
            if head < 0:
                yield row.finding(row.cells[FORM])


def _cycle(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The HEAD column contains a cycle."""
    for circle in circles(block.heads):
        way = " → ".join([str(i + 1) for i in [*circle, circle[0]]])
        yield block.words[circle[0]].finding(way)


def _not_one_root(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The sentence does not have exactly one root."""
    roots = [row for row, head in zip(block.words, block.heads, strict=True) if head == 0]
    if max(block.heads) >= 0 and not roots:
        yield CheckFinding(0, "it has none")
    if len(roots) > 1:
        words = ", ".join([row.cells[ID] for row in roots])
        yield CheckFinding(roots[1].line, f"{len(roots)} roots, words {words}")


def _root_unlike_head(block: CheckedBlock) -> Iterator[CheckFinding]:
    """DEPREL is root and HEAD is not 0, or the reverse."""
    for row, head in zip(block.words, block.heads, strict=True):
        if head >= 0 and (head == 0) != (row.cells[DEPREL].partition(":")[0] == "root"):
            yield row.finding(f"{row.cells[DEPREL]} of {head}")


def _no_deprel(block: CheckedBlock) -> Iterator[CheckFinding]:
    """The word has a HEAD and no DEPREL."""
    for row, head in zip(block.words, block.heads, strict=True):
        if head > 0 and row.cells[DEPREL] == "_":
            yield row.finding(row.cells[FORM])


# --- codes ----------------------------------------------------------------------------------------


LINE_CHECKS: Mapping[str, Callable[[str], str]] = {
    "W121": _not_nfc,
    "W122": _odd_character,
}
"""Code → check of one or several lines; it returns the detail, "" if there is no fault."""

EOJEOL_CHECKS: Mapping[str, Callable[[Eojeol, Rules], str]] = {
    "W123": _space_in_form,
    "W124": _letters_as_symbol,
    "W125": _symbol_as_letters,
    "W126": _begins_bound,
    "W127": _ends_in_stem,
}
"""Code → check of an eojeol; it returns the detail, "" if there is no fault."""

SENTENCE_CHECKS: Mapping[str, Callable[[Block, Sentence], Iterator[tuple[int, str]]]] = {
    "W128": _ids_out_of_order,
}
"""Code → check of a sentence; it yields the eojeol, from 0, and the detail."""

OF_LEMMAS = "W236"
OF_UPOS = "W237"
"""The codes of a column that is compared with a scheme."""

CONLLU_CHECKS: Mapping[str, Callable[[CheckedBlock], Iterator[CheckFinding]]] = {
    "W211": _no_sent_id,
    "E212": _sent_id_with_space,
    "W213": _comment_twice,
    "W214": _comment_inside,
    "W215": _no_text,
    "E216": _other_text,
    "E221": _filled_range,
    "E222": _space_in_range,
    "W223": _space_after_inside,
    "W224": _key_twice,
    "W225": _blank_at_edge,
    "W231": _no_level,
    "W232": _unannotated,
    "W233": _other_xpos,
    "W234": _segments_unlike_tags,
    "W235": _other_form,
    OF_LEMMAS: _other_lemma,
    OF_UPOS: _other_upos,
    "E241": _some_heads,
    "E207": _cycle,
    "E206": _not_one_root,
    "W245": _root_unlike_head,
    "W246": _no_deprel,
}
"""Code → check of a sentence of CoNLL-U."""
