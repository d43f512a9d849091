"""What `sejongud validate` looks for beyond what the readers report: one pure function a check.

The first line of a check's docstring is its message; what a check returns are the details, and the
places. The tables at the end give every check its code, which is stable (see `sejongud.errors`):
E is an error, W is worth a look. 12x are checks of any format; 21x of the comments and lines of
CoNLL-U, 22x of its tokens, 23x of its words as an annotation at one level, the others of its trees.

Many a W is right in some corpora: `--select` leaves the others out.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category, is_normalized

from sejongud.formats.conllu import COLUMNS
from sejongud.formats.misc import split_segments
from sejongud.levels.cut import Granularity
from sejongud.memo import Memo
from sejongud.model import LEVELS
from sejongud.morphology.notation import write_analysis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sejongud.formats.base import Frame
    from sejongud.model import Eojeol, Sentence, Token
    from sejongud.rules import Rules

__all__ = [
    "CONLLU_CHECKS",
    "EOJEOL_CHECKS",
    "LINE_CHECKS",
    "SENTENCE_CHECKS",
    "Block",
    "Finding",
    "Row",
    "Scheme",
    "message_of",
]


class Finding(NamedTuple):
    """One place where a check found something."""

    line: int
    """The line, from 1; 0 where the sentence as a whole is meant."""
    detail: str = ""
    token: str = ""
    """The eojeol or word, by its number."""


def message_of(check: Callable[..., object]) -> str:
    """The message of a check: the first line of its docstring, as part of a line.

    >>> message_of(_no_text)
    'the sentence has no text'
    """
    message = (check.__doc__ or "").partition("\n")[0].rstrip(".")
    # Names such as UPOS and MSeg stay as they are.
    return message if message[1:2].isupper() else message[:1].lower() + message[1:]


# --- lines of any format --------------------------------------------------------------------------


def _not_nfc(text: str) -> str:
    """The text is not in Unicode's form NFC, so that equal words may differ."""
    if is_normalized("NFC", text):
        return ""
    return next((word for word in text.split() if not is_normalized("NFC", word)), "see there")


_ODD = re.compile(
    "[\0-\b\v-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ue000-\uf8ff\ufeff\ufffd]"
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
    return _shown(
        m.written + "/" + m.tag
        for m in eojeol.morphemes
        if rules.kind(m.tag) == "symbol" and any([_is_letter(char) for char in m.form])
    )


def _symbol_as_letters(eojeol: Eojeol, rules: Rules) -> str:
    """A punctuation mark that is not tagged as a symbol."""
    return _shown(
        m.written + "/" + m.tag
        for m in eojeol.morphemes
        if rules.kind(m.tag) not in ("symbol", "unknown", "")
        and m.form
        and all([category(char)[0] == "P" for char in m.form])
    )


def _begins_bound(eojeol: Eojeol, rules: Rules) -> str:
    """The eojeol begins with a particle, an ending or a suffix."""
    first = eojeol.morphemes[0]
    bound = ("particle", "ending", "suffix")
    return _with_analysis(eojeol) if rules.kind(first.tag) in bound else ""


def _ends_in_stem(eojeol: Eojeol, rules: Rules) -> str:
    """The eojeol ends in a verb or an adjective, without an ending."""
    kinds = [rules.kind(m.tag) for m in eojeol.morphemes]
    while kinds and kinds[-1] == "symbol":
        kinds.pop()
    stems = ("verb", "adjective", "auxiliary", "copula")
    return _with_analysis(eojeol) if kinds and kinds[-1] in stems else ""


def _with_analysis(eojeol: Eojeol) -> str:
    return f"{eojeol.form} {write_analysis(eojeol.morphemes)}"


def _is_letter(char: str) -> bool:
    # Not what Unicode has for the sake of older codes: ① ℓ ㆍ are rightly tagged as symbols.
    return category(char) in ("Lu", "Ll", "Lo", "Nd") and is_normalized("NFKC", char)


def _shown(found: Iterable[str]) -> str:
    return ", ".join(found)


# --- sentences ------------------------------------------------------------------------------------


def _ids_out_of_order(frame: Frame, sentence: Sentence) -> Iterator[tuple[int, str]]:
    """The id of an eojeol does not follow the one before it.

    Yields:
        Which eojeol, from 0, and its id.
    """
    before = ""
    for at, corpus_id in enumerate(sentence.ids):
        if before and corpus_id and _natural(corpus_id) <= _natural(before):
            yield at, f"{corpus_id} behind {before}"
        before = corpus_id


def _natural(corpus_id: str) -> tuple[str, int]:
    """An id as one that sorts by its number."""
    prefix = corpus_id.rstrip("0123456789")
    return prefix, int(corpus_id[len(prefix) :] or 0)


def _sent_id_repeated(frame: Frame, sentence: Sentence) -> Iterator[tuple[int, str]]:
    """The id of the sentence occurred before in this file."""
    stated = _stated_id(frame) or (sentence.ids[0] if sentence.ids else "")
    if stated and re.fullmatch(re.escape(stated) + r"-\d+", frame.sent_id):
        yield 0, f"read as {frame.sent_id}"


_SENT_ID = re.compile(r"^# sent_id = (.*)$", re.MULTILINE)


def _stated_id(frame: Frame) -> str:
    match = _SENT_ID.search(frame.text)
    return match[1].strip() if match else ""


# --- CoNLL-U --------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A word or range line."""

    line: int
    cells: tuple[str, ...]

    @property
    def misc(self) -> list[str]:
        """The items of MISC."""
        return [] if self.cells[9] == "_" else self.cells[9].split("|")

    @property
    def tags(self) -> int:
        """How many morphemes XPOS speaks of; at least one."""
        return len([tag for tag in self.cells[4].split("+") if tag]) or 1


class BlockToken(NamedTuple):
    """A surface token: a word, or a range and its words."""

    row: Row
    words: tuple[Row, ...]

    @property
    def is_range(self) -> bool:
        """Whether it has a line of its own."""
        return self.row is not self.words[0]

    @property
    def space_after(self) -> bool:
        """Whether a space follows; published files say that it does not on a range's last word."""
        return not any("SpaceAfter=No" in row.misc for row in (self.row, self.words[-1]))


_Shape = tuple[tuple[int, ...], ...]
"""The tokens of an eojeol, each as the numbers of morphemes of its words."""


class Scheme:
    """What CoNLL-U is compared with: an eojeol at each level, in one scheme of UPOS and lemmas.

    Args:
        rules: the tables.
        upos: the UPOS scheme.
        lemmas: the lemma scheme.

    Raises:
        UsageError: there is no such scheme.
    """

    def __init__(self, rules: Rules, upos: str = "sejong", lemmas: str = "normalised") -> None:
        self._granularities = [Granularity(rules, k, upos=upos, lemmas=lemmas) for k in LEVELS]
        self._levels: Memo[tuple[Eojeol, _Shape], frozenset[int]] = Memo(
            lambda key: self._fitting(*key), size=48_000
        )

    def levels(self, eojeol: Eojeol, shape: _Shape) -> frozenset[int]:
        """The levels at which an eojeol has words of this shape."""
        return self._levels[eojeol, shape]

    def tokens(self, eojeol: Eojeol, level: int) -> tuple[Token, ...]:
        """The tokens of an eojeol at a level."""
        return self._granularities[level - 1].tokens(eojeol)

    def _fitting(self, eojeol: Eojeol, shape: _Shape) -> frozenset[int]:
        return frozenset(k for k in LEVELS if _shape(self.tokens(eojeol, k)) == shape)


def _shape(tokens: tuple[Token, ...]) -> _Shape:
    return tuple([tuple([len(word.morphemes) for word in token.words]) for token in tokens])


class Block:
    """A sentence of CoNLL-U, line by line, as the checks see it.

    Args:
        frame: its text; the reader has understood it.
        sentence: what the reader made of it.
        scheme: what its words are compared with.
    """

    def __init__(self, frame: Frame, sentence: Sentence, scheme: Scheme) -> None:
        self.frame = frame
        self.eojeols = sentence.eojeols
        self.comments: list[tuple[int, str]] = []
        self.tokens: list[BlockToken] = []
        self._scheme = scheme
        words: list[Row] = []
        opened: tuple[Row, int] | None = None
        for line, raw in enumerate(frame.text.split("\n"), frame.line):
            if raw[:1] == "#":
                self.comments.append((line, raw))
                continue
            row = Row(line, tuple(raw.split("\t")))
            name = row.cells[0]
            if "-" in name:
                first, _, last = name.partition("-")
                opened = (row, int(last) - int(first) + 1)
            elif "." not in name:
                words.append(row)
                head, size = opened or (row, 1)
                if len(words) == size:
                    self.tokens.append(BlockToken(head, tuple(words)))
                    words, opened = [], None

    @cached_property
    def words(self) -> list[Row]:
        """The lines of its words."""
        return [word for token in self.tokens for word in token.words]

    @cached_property
    def parts(self) -> list[list[BlockToken]]:
        """The tokens of each eojeol."""
        parts: list[list[BlockToken]] = [[]]
        for token in self.tokens:
            parts[-1].append(token)
            if token.space_after:
                parts.append([])
        return parts if parts[-1] else parts[:-1]

    @cached_property
    def levels(self) -> list[frozenset[int]]:
        """The levels that each eojeol may be cut at."""
        return [
            self._scheme.levels(
                eojeol, tuple([tuple([row.tags for row in token.words]) for token in part])
            )
            for eojeol, part in zip(self.eojeols, self.parts, strict=True)
        ]

    @cached_property
    def level(self) -> int:
        """The level of the sentence, the lowest if it looks the same at several; 0 for none."""
        common = frozenset(LEVELS).intersection(*self.levels)
        return min(common, default=0)

    @cached_property
    def pairs(self) -> list[tuple[BlockToken, Token]]:
        """Its tokens and what they should be, if its words are those of a level."""
        if not self.level:
            return []
        should = [self._scheme.tokens(eojeol, self.level) for eojeol in self.eojeols]
        return [
            pair
            for part, tokens in zip(self.parts, should, strict=True)
            for pair in zip(part, tokens, strict=True)
        ]

    def column(self, at: int, name: str) -> Iterator[Finding]:
        """The words that have something in a column, and not what they should.

        Args:
            at: the column, from 0.
            name: the field of `Word` that should stand there.
        """
        for token, should in self.pairs:
            for row, word in zip(token.words, should.words, strict=True):
                expected = getattr(word, name)
                if row.cells[at] not in (expected, "_"):
                    yield Finding(
                        row.line, f"{row.cells[1]}: {row.cells[at]}, not {expected}", row.cells[0]
                    )


def _no_sent_id(block: Block) -> Iterator[Finding]:
    """The sentence has no sent_id."""
    if not _stated_id(block.frame):
        yield Finding(0)


def _sent_id_with_space(block: Block) -> Iterator[Finding]:
    """The sent_id holds a space."""
    for line, text in block.comments:
        if text.startswith("# sent_id = ") and len(text.split()) > 4:
            yield Finding(line, text[12:])


def _comment_twice(block: Block) -> Iterator[Finding]:
    """The sentence has two comments of a kind of which there is one."""
    for key in ("sent_id", "text"):
        found = [line for line, text in block.comments if text.startswith(f"# {key} = ")]
        for line in found[1:]:
            yield Finding(line, key)


def _comment_inside(block: Block) -> Iterator[Finding]:
    """A comment stands behind the first word."""
    first = block.tokens[0].row.line
    for line, text in block.comments:
        if line > first:
            yield Finding(line, text[:40])


def _no_text(block: Block) -> Iterator[Finding]:
    """The sentence has no text."""
    if _text_of(block) is None:
        yield Finding(0)


def _other_text(block: Block) -> Iterator[Finding]:
    """The text is not the tokens, with the spaces that SpaceAfter says."""
    found = _text_of(block)
    made = "".join([t.row.cells[1] + (" " if t.space_after else "") for t in block.tokens]).rstrip()
    if found is not None and found[1] != made:
        line, text = found
        same = next(
            (at for at, (a, b) in enumerate(zip(text, made, strict=False)) if a != b),
            min(len(text), len(made)),
        )
        start = max(same - 10, 0)
        yield Finding(line, f"{text[start : same + 10]!r}, the tokens {made[start : same + 10]!r}")


def _text_of(block: Block) -> tuple[int, str] | None:
    found = [(line, text[9:]) for line, text in block.comments if text.startswith("# text = ")]
    return found[0] if found else None


def _blank_at_edge(block: Block) -> Iterator[Finding]:
    """A blank at the beginning or the end of a column or comment."""
    for line, text in block.comments:
        if text != text.rstrip():
            yield Finding(line, "at the end of the line")
    for row in _rows(block):
        for at, cell in enumerate(row.cells, 1):
            if cell != cell.strip():
                yield Finding(row.line, f"column {at}", row.cells[0])


def _filled_range(block: Block) -> Iterator[Finding]:
    """A range line has more than ID, FORM and MISC."""
    for token in block.tokens:
        if token.is_range:
            for at in range(2, COLUMNS - 1):
                cell = token.row.cells[at]
                # FEATS may say that the token is misspelt.
                if cell != "_" and (at, cell) != (5, "Typo=Yes"):
                    yield Finding(token.row.line, f"column {at + 1}: {cell}", token.row.cells[0])


def _space_in_range(block: Block) -> Iterator[Finding]:
    """The FORM of a range holds a space."""
    for token in block.tokens:
        if token.is_range and " " in token.row.cells[1]:
            yield Finding(token.row.line, token.row.cells[1], token.row.cells[0])


def _space_after_inside(block: Block) -> Iterator[Finding]:
    """A word inside a range has SpaceAfter=No: it belongs on the range line."""
    for token in block.tokens:
        if token.is_range:
            for row in token.words:
                if "SpaceAfter=No" in row.misc:
                    yield Finding(row.line, row.cells[1], row.cells[0])


def _key_twice(block: Block) -> Iterator[Finding]:
    """A key stands twice in MISC."""
    for row in _rows(block):
        keys = [item.partition("=")[0] for item in row.misc]
        if len(set(keys)) < len(keys):
            again = sorted({key for key in keys if keys.count(key) > 1})
            yield Finding(row.line, _shown(again), row.cells[0])


def _rows(block: Block) -> Iterator[Row]:
    for token in block.tokens:
        if token.is_range:
            yield token.row
        yield from token.words


def _no_level(block: Block) -> Iterator[Finding]:
    """The words are not those of one level of granularity."""
    if block.level:
        return
    # The level that most eojeols are cut at; the first that is cut otherwise is shown.
    likely = max(LEVELS, key=lambda level: sum([level in some for some in block.levels]))
    at = next(at for at, some in enumerate(block.levels) if likely not in some)
    words = [row for token in block.parts[at] for row in token.words]
    cut = " ".join([row.cells[4] for row in words])
    yield Finding(
        words[0].line, f"most are at level {likely}, {block.eojeols[at].form} is {cut}", str(at + 1)
    )


def _unannotated(block: Block) -> Iterator[Finding]:
    """The word has no LEMMA, UPOS or XPOS."""
    for row in block.words:
        _, form, *cells = row.cells[:5]
        # An empty morpheme has no lemma.
        if "_" in (cells[1:] if form == "_" else cells):
            yield Finding(row.line, form, row.cells[0])


def _other_xpos(block: Block) -> Iterator[Finding]:
    """XPOS is a tag typo."""
    return block.column(4, "xpos")


def _segments_unlike_tags(block: Block) -> Iterator[Finding]:
    """MSeg has not as many morphemes as XPOS has tags."""
    for row in block.words:
        for item in row.misc:
            if item.startswith("MSeg=") and len(split_segments(item[5:])) != row.tags:
                yield Finding(row.line, f"{item}, {row.cells[4]}", row.cells[0])


def _other_form(block: Block) -> Iterator[Finding]:
    """FORM is not that of these morphemes at this level."""
    for token, should in block.pairs:
        if token.row.cells[1] != should.form:
            detail = f"{token.row.cells[1]}, not {should.form}"
            yield Finding(token.row.line, detail, token.row.cells[0])
        elif token.is_range:
            for row, word in zip(token.words, should.words, strict=True):
                if row.cells[1] != word.form:
                    yield Finding(row.line, f"{row.cells[1]}, not {word.form}", row.cells[0])


def _other_lemma(block: Block) -> Iterator[Finding]:
    """LEMMA is not that of the scheme."""
    return block.column(2, "lemma")


def _other_upos(block: Block) -> Iterator[Finding]:
    """UPOS is not that of the scheme."""
    return block.column(3, "upos")


def _heads(block: Block) -> list[int]:
    """HEAD of every word, -1 where it is empty or no number."""
    return [
        int(head) if (head := row.cells[6]).isascii() and head.isdigit() else -1
        for row in block.words
    ]


def _some_heads(block: Block) -> Iterator[Finding]:
    """The word has no HEAD, and others of the sentence have one."""
    heads = _heads(block)
    if any([head >= 0 for head in heads]):
        for row, head in zip(block.words, heads, strict=True):
            if head < 0:
                yield Finding(row.line, row.cells[1], row.cells[0])


def _heads_in_circle(block: Block) -> Iterator[Finding]:
    """The heads go round in a circle."""
    heads = [0, *_heads(block)]
    done = {0}
    for start in range(1, len(heads)):
        path = []
        at = start
        while at not in done and 0 < at < len(heads):
            done.add(at)
            path.append(at)
            at = heads[at]
        if at in path:
            circle = path[path.index(at) :]
            shown = " → ".join(map(str, [*circle, at]))
            yield Finding(block.words[at - 1].line, shown, str(at))


def _not_one_root(block: Block) -> Iterator[Finding]:
    """The sentence has not one root."""
    heads = _heads(block)
    roots = [row for row, head in zip(block.words, heads, strict=True) if head == 0]
    if any([head >= 0 for head in heads]) and len(roots) != 1:
        line = roots[1].line if roots else 0
        yield Finding(line, f"{len(roots)}: words {_shown(r.cells[0] for r in roots)}".rstrip(": "))


def _root_unlike_head(block: Block) -> Iterator[Finding]:
    """DEPREL is root and HEAD is not 0, or the reverse."""
    for row, head in zip(block.words, _heads(block), strict=True):
        if head >= 0 and (head == 0) != (row.cells[7].partition(":")[0] == "root"):
            yield Finding(row.line, f"{row.cells[7]} of {head}", row.cells[0])


def _no_deprel(block: Block) -> Iterator[Finding]:
    """The word has a HEAD and no DEPREL."""
    for row, head in zip(block.words, _heads(block), strict=True):
        if head > 0 and row.cells[7] == "_":
            yield Finding(row.line, row.cells[1], row.cells[0])


# --- codes ----------------------------------------------------------------------------------------


LINE_CHECKS: Mapping[str, Callable[[str], str]] = {
    "W121": _not_nfc,
    "W122": _odd_character,
}
"""Code → check of a text, a line or several; what is wrong with it, "" for nothing."""

EOJEOL_CHECKS: Mapping[str, Callable[[Eojeol, Rules], str]] = {
    "W123": _space_in_form,
    "W124": _letters_as_symbol,
    "W125": _symbol_as_letters,
    "W126": _begins_bound,
    "W127": _ends_in_stem,
}
"""Code → check of an eojeol; what is wrong with it, "" for nothing."""

SENTENCE_CHECKS: Mapping[str, Callable[[Frame, Sentence], Iterator[tuple[int, str]]]] = {
    "W128": _ids_out_of_order,
    "W129": _sent_id_repeated,
}
"""Code → check of a sentence; which of its eojeols, from 0, and what is wrong."""

CONLLU_CHECKS: Mapping[str, Callable[[Block], Iterator[Finding]]] = {
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
    "W236": _other_lemma,
    "W237": _other_upos,
    "E241": _some_heads,
    "E207": _heads_in_circle,
    "E206": _not_one_root,
    "W245": _root_unlike_head,
    "W246": _no_deprel,
}
"""Code → check of a sentence of CoNLL-U."""
