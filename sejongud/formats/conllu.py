"""CoNLL-U: read order-preserving and strict, written by filling numbers into lines made once.

Our own files of any level and the Universal Dependencies treebanks, whose words carry their
morphemes in LEMMA and XPOS (`프랑스+의`, `NNP+JKG`), are the same to the reader: tokens joined by
`SpaceAfter=No` make an eojeol, and a word's morphemes are taken from `MSeg`, `OrigLemma`, LEMMA or
FORM, the first that has as many pieces as XPOS (reference: the format pages of UD).
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.analysis import spell
from sejongud.assembly import MADE
from sejongud.errors import FormatError, Note
from sejongud.formats.base import (
    OPENING,
    Frame,
    Reader,
    SentIds,
    blocks,
    opening_first,
    to_number,
)
from sejongud.hangul import compose, decompose, is_syllable
from sejongud.labels import OUTSIDE, going_on
from sejongud.memo import Memo
from sejongud.model import Eojeol, Morpheme, Sentence, WordColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sejongud.assembly import Assembler
    from sejongud.granularity import Granularity
    from sejongud.model import Labels, Token, Word
    from sejongud.projection import Cut, Projection

__all__ = [
    "NE_PLACES",
    "ConlluReader",
    "ConlluWriter",
    "NePlace",
    "Template",
    "escape_misc",
    "header_lines",
    "unescape_misc",
]

COLUMNS = 10
_NUMBERED = 1_000
"""The longest sentence, in words, whose numbers are remembered."""
_JOINED = "SpaceAfter=No"
_SENT_ID = "# sent_id = "
_MADE = "Surface=Made"

_tag = attrgetter("tag")

_ESCAPES = {"\\": "\\\\", "|": "\\p", " ": "\\s", "-": "\\-", ",": "\\c"}
_UNESCAPES = {written[1]: char for char, written in _ESCAPES.items()}
_ESCAPE = re.compile(r"[\\| -]")
_ESCAPE_KEEP_HYPHEN = re.compile(r"[\\| ]")
_ESCAPE_COMMA = re.compile(r"[\\| ,]")
_UNESCAPE = re.compile(r"\\(.)")


def escape_misc(text: str, *, hyphen: bool = False) -> str:
    r"""A value as it may stand in MISC: no pipe, no space; with `hyphen` no hyphen either.

    >>> escape_misc("a|b c")
    'a\\pb\\sc'
    """
    return (_ESCAPE if hyphen else _ESCAPE_KEEP_HYPHEN).sub(lambda m: _ESCAPES[m[0]], text)


def unescape_misc(text: str) -> str:
    r"""The inverse of `escape_misc`.

    >>> unescape_misc("a\\pb\\sc")
    'a|b c'
    """
    return _UNESCAPE.sub(lambda m: _UNESCAPES.get(m[1], m[0]), text) if "\\" in text else text


def join_segments(segments: Iterable[str]) -> str:
    r"""The value of `MSeg`: morphemes joined by hyphens.

    >>> join_segments(["a-b", "의"])
    'a\\-b-의'
    """
    return "-".join([escape_misc(segment, hyphen=True) for segment in segments])


def split_segments(value: str) -> list[str]:
    r"""The inverse of `join_segments`.

    >>> split_segments("a\\-b-의")
    ['a-b', '의']
    """
    if "\\" not in value:
        return value.split("-")
    segments = []
    start = 0
    at = 0
    while at < len(value):
        if value[at] == "\\":
            at += 2
        elif value[at] == "-":
            segments.append(value[start:at])
            at = start = at + 1
        else:
            at += 1
    segments.append(value[start:])
    return [unescape_misc(segment) for segment in segments]


# --- writing -------------------------------------------------------------------------------------


Template = tuple[str, int, list[tuple[str, ...]], tuple[int, ...]]
"""The lines of an eojeol with `%s` where numbers (and the corpus id) go; how many words; what goes
there if its first word is number 1, 2, …, a list that all eojeols of this shape share; the shape,
the words of each token. A plain tuple: taking it apart is half of the work for a known eojeol."""


class ConlluWriter:
    """Writes sentences at one level of granularity.

    Args:
        granularity: the level and the schemes.
        dummy_deps: whether HEAD and DEPREL hold a well-formed chain, for programs that want a tree.
        ne: where the labels of entities go, one of `NE_PLACES`.
        ne_layers: how many columns of them there are with "column"; deeper layers go to MISC.
    """

    def __init__(
        self,
        granularity: Granularity,
        *,
        dummy_deps: bool = False,
        ne: NePlace = "misc",
        ne_layers: int = 1,
    ) -> None:
        self._ne = ne
        self._ne_layers = ne_layers
        self._labelled: Memo[tuple[Eojeol, str, Labels], Template] = Memo(
            lambda key: self._labelled_template(*key), size=48_000
        )
        self._granularity = granularity
        self._last: tuple[Sentence, tuple[tuple[WordColumns, ...], int]] | None = None
        self._symbols = granularity.symbols
        self._tokens = granularity.tokens
        self._deps = dummy_deps
        self._deps_columns = "%s\t%s" if dummy_deps else "_\t_"
        self._numbers: dict[tuple[int, ...], list[tuple[str, ...]]] = {}
        self._inner: Memo[Word, str] = Memo(self._line, size=20_000)
        # Of a morpheme that is a word: its line inside a token; and as a token of its own, by
        # whether what comes next is joined to it.
        inside: Memo[Morpheme, str] = Memo(
            lambda morpheme: self._line(granularity.word(morpheme)), size=20_000
        )
        self._inside = inside.__getitem__
        self._alone: Memo[tuple[Morpheme, bool], str] = Memo(
            lambda key: self._line(granularity.word(key[0]), (_JOINED,) if key[1] else ()),
            size=20_000,
        )
        self._plain: Memo[Eojeol, Template] = Memo(self.template, size=48_000)
        self._with_id: Memo[Eojeol, Template] = Memo(lambda e: self.template(e, "%s"), size=48_000)

    def sentence(self, sentence: Sentence) -> str:
        """The lines of a sentence, the blank one behind it included."""
        if sentence.entities or self._ne == "column":
            return self._with_entities(sentence)
        if sentence.columns:
            return self._with_columns(sentence)
        known = self._with_id if sentence.ids else self._plain
        body = self.body([known[eojeol] for eojeol in sentence.eojeols], sentence.ids)
        return f"{header(sentence)}{body}\n"

    def body(self, templates: list[Template], ids: Sequence[str] = ()) -> str:
        """The rows of a sentence.

        Args:
            templates: of its eojeols.
            ids: the corpus ids of the eojeols, if their templates have a place for them.
        """
        if ids:
            arguments = self._arguments_with_ids(templates, ids)
        else:
            arguments = []
            first = 1
            try:
                for _, words, numbers, _ in templates:
                    arguments += numbers[first]
                    first += words
            except IndexError:
                # A new place for an eojeol of this shape.
                arguments = self._arguments(templates)
        return "".join([template[0] for template in templates]) % tuple(arguments)

    def _arguments(self, templates: list[Template]) -> list[str]:
        """The numbers of a sentence, made where they have not been needed before."""
        arguments: list[str] = []
        first = 1
        for _, words, numbers, shape in templates:
            arguments += self._filled(shape, numbers, first)
            first += words
        return arguments

    def _arguments_with_ids(self, templates: list[Template], ids: Sequence[str]) -> list[str]:
        """The numbers of a sentence and the ids of its eojeols."""
        arguments: list[str] = []
        first = 1
        for (_, words, numbers, shape), corpus_id in zip(templates, ids, strict=True):
            filled = self._filled(shape, numbers, first)
            cut = 3 if shape[0] == 1 and self._deps else 1
            arguments += filled[:cut]
            arguments.append(escape_misc(corpus_id))
            arguments += filled[cut:]
            first += words
        return arguments

    @property
    def preamble(self) -> str:
        """What stands before the first sentence of a file."""
        if self._ne != "column":
            return ""
        names = [_NE_COLUMN + label_key(layer) for layer in range(self._ne_layers)]
        return f"# {_PLUS}{' '.join([*_STANDARD, *names])}\n"

    def _with_entities(self, sentence: Sentence) -> str:
        """The lines of a sentence whose words may have labels."""
        if sentence.columns:
            return self._with_columns(sentence)
        eojeols = sentence.eojeols
        layers = sentence.entities
        labels: list[Labels] = list(zip(*layers, strict=True)) or [()] * len(eojeols)
        memo = self._labelled
        mark = "%s" if sentence.ids else ""
        plain = self._with_id if mark else self._plain
        every = self._ne == "column"
        templates = [
            memo[eojeol, mark, one] if every or any(one) else plain[eojeol]
            for eojeol, one in zip(eojeols, labels, strict=True)
        ]
        return f"{header(sentence)}{self.body(templates, sentence.ids)}\n"

    def _labelled_template(self, eojeol: Eojeol, mark: str, labels: Labels) -> Template:
        """The template of an eojeol whose morphemes have labels, in one layer or more."""
        text, words, numbers, shape = self.template(eojeol, mark)
        lines = iter(text.split("\n"))
        placed = []
        first = 0
        for token in self._tokens(eojeol):
            if len(token.words) > 1:
                placed.append(self._place_labels(next(lines), ()))
            for word in token.words:
                last = first + len(word.morphemes)
                own = tuple([layer[first:last] for layer in labels])
                placed.append(self._place_labels(next(lines), own))
                first = last
        return "".join(placed), words, numbers, shape

    def _place_labels(self, line: str, labels: Labels, more: Sequence[str] = ()) -> str:
        """A line of a template with the labels of its morphemes, layer by layer.

        Items of MISC that come behind them are `more`.
        """
        cells = line.split("\t")
        columns = ["_"] * self._ne_layers if self._ne == "column" else []
        items = [] if cells[9] == "_" else [cells[9]]
        for at, layer in enumerate(labels):
            value = word_label(layer)
            if not value:
                continue
            key = label_key(at)
            if at < len(columns):
                columns[at] = _safe(value)
            elif self._ne == "feats" and at == 0 and cells[5] == "_":
                cells[5] = _safe(value)
            else:
                items.append(_safe(f"{key}={escape_misc(value)}"))
            if spread_label(value, len(layer)) != layer:
                items.append(_safe(f"{key}{_BY_MORPHEME}={_labels_by_position(layer)}"))
        cells[9] = "|".join([*items, *more]) or "_"
        return "\t".join([*cells, *columns]) + "\n"

    def loses(self, sentence: Sentence) -> str:
        """What of a sentence is not written at this level, "" for nothing."""
        if sentence.columns and (lost := self._projected(sentence)[1]):
            return f"FEATS, DEPS or MISC of {lost} words, which are part of a longer one here"
        return ""

    def _projected(self, sentence: Sentence) -> tuple[tuple[WordColumns, ...], int]:
        """The columns of the words of this level, and of how many of its own words not all."""
        if self._last is None or self._last[0] is not sentence:
            cuts = self._cuts(sentence)
            if cuts == [(c.eojeol, c.first, c.last) for c in sentence.columns]:
                self._last = sentence, (sentence.columns, 0)
            else:
                self._last = sentence, self._projection(sentence, cuts)
        return self._last[1]

    @cached_property
    def _projection(self) -> Projection:
        # It stands on what stands on this module.
        from sejongud.projection import Projection

        return Projection(self._granularity.rules)

    def _cuts(self, sentence: Sentence) -> list[Cut]:
        """The words of this level, as runs of morphemes."""
        cuts = []
        for at, eojeol in enumerate(sentence.eojeols):
            start = 0
            for token in self._tokens(eojeol):
                for word in token.words:
                    end = start + len(word.morphemes)
                    cuts.append((at, start, end))
                    start = end
        return cuts

    def _with_columns(self, sentence: Sentence) -> str:
        """The lines of a sentence whose words have columns of their own."""
        columns = iter(self._projected(sentence)[0])
        ids = sentence.ids or ("",) * len(sentence.eojeols)
        lines = [header(sentence)]
        number = 0
        for at, (eojeol, corpus_id) in enumerate(zip(sentence.eojeols, ids, strict=True)):
            labels = tuple([layer[at] for layer in sentence.entities])
            done = 0
            for token, opening in _openings(eojeol, self._tokens(eojeol), escape_misc(corpus_id)):
                size = len(token.words)
                if size > 1:
                    misc = "|".join(opening) or "_"
                    cells = (f"{number + 1}-{number + size}", token.form, *"_______", misc)
                    lines.append(self._placed(cells, ()))
                    opening = []
                for word in token.words:
                    number += 1
                    c = next(columns)
                    cells = (
                        str(number),
                        word.form,
                        c.lemma or word.lemma,
                        c.upos or word.upos,
                        c.xpos or word.xpos,
                        c.feats,
                        *self._arc(c, number),
                        "|".join([*opening, *word_misc(word)]) or "_",
                    )
                    own = tuple([layer[done : done + len(word.morphemes)] for layer in labels])
                    lines.append(self._placed(cells, own, c.misc))
                    done += len(word.morphemes)
                    opening = []
        return "".join([*lines, "\n"])

    def _arc(self, columns: WordColumns, number: int) -> tuple[str, str, str]:
        """HEAD, DEPREL and DEPS of a word: its own, unless a chain is asked for."""
        if self._deps:
            return str(number - 1), "root" if number == 1 else "dep", "_"
        return "_" if columns.head < 0 else str(columns.head), columns.deprel, columns.deps

    def _placed(self, cells: Sequence[str], labels: Labels, more: Sequence[str] = ()) -> str:
        """A line that is no template, with the labels of its morphemes."""
        return self._place_labels(_safe("\t".join(cells)), labels, list(map(_safe, more))) % ()

    def template(self, eojeol: Eojeol, corpus_id: str = "") -> Template:
        """The rows of an eojeol, wherever it stands.

        Args:
            eojeol: what is written.
            corpus_id: what stands for its corpus id: "%s", to be filled in; "" if it has none.
        """
        if (
            self._granularity.by_morpheme
            and not corpus_id
            and not eojeol.notes
            and " " not in eojeol.form
        ):
            return self._of_morphemes(eojeol)
        tokens = self._tokens(eojeol)
        texts = [self._token(*pair) for pair in _openings(eojeol, tokens, corpus_id)]
        shape = tuple([len(token.words) for token in tokens])
        return "".join(texts), sum(shape), *self._shape(shape)

    def _of_morphemes(self, eojeol: Eojeol) -> Template:
        """The template of an eojeol whose words are its morphemes, as nearly all are at level 5.

        Args:
            eojeol: without a corpus id, notes or a space in it: all there is to write of it are
                its morphemes.
        """
        morphemes = eojeol.morphemes
        lines = list(map(self._inside, morphemes))
        granularity = self._granularity
        if not eojeol.is_plain:
            for at, form in granularity.other_forms(eojeol):
                lines[at] = self._line(granularity.word(morphemes[at])._replace(form=form))
        count = len(lines)
        if self._symbols.isdisjoint(map(_tag, morphemes)):
            # Most eojeols are one token.
            if count > 1:
                return _range_line(eojeol.form) + "".join(lines), count, *self._shape((count,))
            if eojeol.is_plain:
                return lines[0], 1, *self._shape((1,))
        pieces = granularity.pieces(eojeol)
        texts = []
        shape = []
        end = 0
        for first, last in pieces:
            start = end
            joined = last < len(morphemes)
            end = eojeol.spans[last][0] if joined else len(eojeol.form)
            form = eojeol.form[start:end]
            shape.append(last - first)
            if last - first > 1:
                texts.append(_range_line(form, _JOINED if joined else "_"))
                texts += lines[first:last]
            elif form == morphemes[first].form:
                texts.append(self._alone[morphemes[first], joined])
            else:
                word = granularity.word(morphemes[first])._replace(form=form)
                texts.append(self._line(word, (_JOINED,) if joined else ()))
        return "".join(texts), len(morphemes), *self._shape(tuple(shape))

    def _shape(self, shape: tuple[int, ...]) -> tuple[list[tuple[str, ...]], tuple[int, ...]]:
        """The numbers that all eojeols of a shape share, and the shape."""
        numbers = self._numbers.get(shape)
        if numbers is None:
            numbers = self._numbers[shape] = [()]
        return numbers, shape

    def _token(self, token: Token, opening: Sequence[str]) -> str:
        """The lines of a token."""
        words = token.words
        if len(words) == 1:
            return self._line(words[0], opening)
        inner = self._inner
        misc = "|".join(opening) if opening else "_"
        return _range_line(token.form, misc) + "".join([inner[word] for word in words])

    def _line(self, word: Word, opening: Sequence[str] = ()) -> str:
        form, lemma, upos, xpos, morphemes = word
        if len(morphemes) == 1 and morphemes[0] == (form, xpos, "", "", "", False):
            misc = "|".join(opening) if opening else "_"
        else:
            misc = "|".join([*opening, *map(_safe, word_misc(word))]) or "_"
        columns = f"{form}\t{lemma}\t{upos}\t{xpos}"
        if "%" in columns:
            columns = _safe(columns)
        return f"%s\t{columns}\t_\t{self._deps_columns}\t_\t{misc}\n"

    def _filled(
        self, shape: tuple[int, ...], numbers: list[tuple[str, ...]], first: int
    ) -> tuple[str, ...]:
        """The numbers of an eojeol of this shape whose first word is `first`."""
        if first < len(numbers):
            return numbers[first]
        if first > _NUMBERED:
            return self._number(shape, first)
        numbers += [self._number(shape, at) for at in range(len(numbers), first + 1)]
        return numbers[first]

    def _number(self, shape: tuple[int, ...], first: int) -> tuple[str, ...]:
        filled: list[str] = []
        for size in shape:
            if size > 1:
                filled.append(f"{first}-{first + size - 1}")
            for word in range(first, first + size):
                filled.append(str(word))
                if self._deps:
                    filled += (str(word - 1), "root" if word == 1 else "dep")
            first += size
        return tuple(filled)


def _openings(
    eojeol: Eojeol, tokens: tuple[Token, ...], corpus_id: str
) -> list[tuple[Token, list[str]]]:
    """The tokens of an eojeol, each with the items that open the MISC of its first line."""
    openings: list[tuple[Token, list[str]]] = [(token, [_JOINED]) for token in tokens[:-1]]
    openings.append((tokens[-1], []))
    if corpus_id:
        openings[0][1].append(f"Id={corpus_id}")
    if MADE in eojeol.notes:
        openings[0][1].append(_MADE)
    # What --on-error keep kept.
    kept = [note.code for note in eojeol.notes if note.code.startswith("E")]
    if kept:
        openings[0][1].append(f"Sejongud={kept[0]}")
    return openings


def _range_line(form: str, misc: str = "_") -> str:
    """The line of a multiword token, as a template."""
    if "%" in form:
        form = _safe(form)
    return f"%s\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


def _safe(text: str) -> str:
    """Text as it may stand in a template."""
    return text.replace("%", "%%") if "%" in text else text


def word_label(labels: Sequence[str]) -> str:
    """The label of a word whose morphemes have these: the first that is in an entity, "" for none.

    >>> word_label(("B-LC", "O")), word_label(("O",))
    ('B-LC', '')
    """
    return next((label for label in labels if label != OUTSIDE), "")


def spread_label(label: str, count: int) -> tuple[str, ...]:
    """What a word's label says of its morphemes, where nothing else does.

    >>> spread_label("B-LC", 2)
    ('B-LC', 'I-LC')
    """
    return (label, *[going_on(label)] * (count - 1))


def label_key(layer: int) -> str:
    """The key of MISC for the labels of a layer, from 0.

    >>> label_key(0), label_key(1)
    ('NE', 'NE2')
    """
    return f"NE{layer + 1}" if layer else "NE"


def _labels_by_position(labels: Sequence[str]) -> str:
    """The labels of a word's morphemes where its own does not tell them: `1:B-LC`."""
    escaped = [_ESCAPE_COMMA.sub(lambda m: _ESCAPES[m[0]], label) for label in labels]
    return ",".join([f"{n}:{one}" for n, one in enumerate(escaped, 1) if one != OUTSIDE])


def word_misc(word: Word) -> list[str]:
    """The items of MISC that bring the corpus's own morphemes back (annotation scheme, MISC)."""
    morphemes = word.morphemes
    items = []
    written = [m.source or m.form for m in morphemes]
    if len(morphemes) > 1 or written[0] != word.form:
        items.append(f"MSeg={join_segments(written)}")
    senses = [m.sense for m in morphemes]
    if any(senses):
        items.append(f"Sense={_by_position(senses)}")
    if any([m.source_tag for m in morphemes]):
        tags = "+".join([m.source_tag or m.tag for m in morphemes])
        items.append(f"OrigXPOS={escape_misc(tags)}")
    if any([m.added for m in morphemes]):
        items.append(f"Added={_by_position(['Yes' if m.added else '' for m in morphemes])}")
    return items


def _by_position(values: Sequence[str]) -> str:
    """The value itself for a single morpheme, else `1:02,3:01`.

    >>> _by_position(["02", "", "01"])
    '1:02,3:01'
    """
    if len(values) == 1:
        return values[0]
    return ",".join([f"{at}:{value}" for at, value in enumerate(values, 1) if value])


def _at_positions(value: str, count: int) -> list[str]:
    """The inverse of `_by_position`; what is not of that form belongs to no morpheme."""
    if count == 1:
        return [value]
    values = [""] * count
    for item in value.split(",") if value else ():
        at, _, one = item.partition(":")
        number = to_number(at)
        if number is not None and 0 < number <= count:
            values[number - 1] = one
    return values


def header_lines(sent_id: str, text: str) -> str:
    """The two comment lines that every sentence has."""
    return f"# sent_id = {sent_id}\n# text = {text}\n"


def header(sentence: Sentence) -> str:
    """The comment lines of a sentence."""
    text = header_lines(sentence.sent_id, sentence.text)
    if sentence.text_orig:
        text += f"# text_orig = {sentence.text_orig}\n"
    if not sentence.comments:
        return text
    comments = opening_first(sentence.comments)
    opening = len([comment for comment in comments if comment.startswith(OPENING)])
    lines = [f"# {comment}\n" for comment in comments]
    return "".join([*lines[:opening], text, *lines[opening:]])


class _Row(NamedTuple):
    """What a word line says of the word's morphemes."""

    form: str
    lemma: str
    xpos: str
    misc: tuple[str, ...]
    """Its items of MISC that speak of morphemes."""


_Rows = tuple[tuple[str, tuple[str, ...], tuple[_Row, ...]], ...]
"""The tokens of an eojeol: FORM, what MISC of the first line says of morphemes, and words."""

_PLACE_KEYS = frozenset({"SpaceAfter", "Id", "Sejongud"})
_MORPHEME_KEYS = frozenset({"MSeg", "OrigLemma", "Sense", "OrigXPOS", "Added", "Surface"})
_DUMMY = ("_", "root", "dep")

NePlace = Literal["misc", "column", "feats"]
"""Where the labels of entities stand: NE= in MISC, a column of CoNLL-U Plus, or FEATS."""

NE_PLACES: tuple[NePlace, ...] = get_args(NePlace)

_STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_PLUS = "global.columns = "
_NE_COLUMN = "SEJONGUD:"
_BY_MORPHEME = "Morph"
_LABEL_KEY = re.compile(r"NE([2-9]?)(Morph)?")
_FEATS_LABEL = re.compile(r"[BIES]-[^=]+$")
_NO_LABELS: dict[str, str] = {}


class _Line(NamedTuple):
    """A word or range line, taken apart."""

    number: int
    cells: list[str]
    space_after: bool
    corpus_id: str
    morphemes: tuple[str, ...]
    """MISC items that speak of morphemes."""
    others: tuple[str, ...]
    """MISC items of the source's own."""
    labels: dict[str, str]
    """MISC items that label entities."""


_TokenLines = tuple[_Line, list[_Line]]
"""The line of a token, and those of its words; of a single word the same."""


class ConlluReader(Reader):
    """Reads CoNLL-U.

    HEAD, DEPREL, FEATS and DEPS, the word's own UPOS and LEMMA, and what else a treebank says in
    MISC are kept as `Sentence.columns`, unless the file is our own without dependencies.
    """

    def __init__(self, assembler: Assembler, *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self._eojeols: Memo[_Rows, tuple[Eojeol, tuple[int, ...]]] = Memo(self._eojeol, size=48_000)

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """The blocks between blank lines."""
        ids = SentIds()
        columns: tuple[str, ...] = ()
        for number, (line, text) in enumerate(blocks(chunks), 1):
            at = 0 if text.startswith(_SENT_ID) else text.find("\n" + _SENT_ID) + 1
            sent_id = ""
            if text.startswith(_SENT_ID, at):
                sent_id = text[at + len(_SENT_ID) :].partition("\n")[0].strip()
            if not sent_id or any([c.isspace() for c in sent_id]):
                sent_id = str(number)
            if number == 1:
                columns = _label_columns(text, line)
            yield Frame(text, line, number, ids.unique(sent_id), columns)

    def parse(self, frame: Frame) -> Sentence:
        """The sentence of a block."""
        lines = _without_columns(frame) if frame.comments else frame.text.split("\n")
        comments = [raw[1:].removeprefix(" ") for raw in lines if raw[:1] == "#"]
        tokens, empty_nodes = _read_tokens(lines, frame.line)
        sentence = self._sentence(frame, tokens)
        text = ""
        kept = []
        for comment in comments:
            if comment.startswith("text = "):
                text = comment[7:]
            elif comment.startswith("text_orig = "):
                sentence.text_orig = comment[12:]
            elif not comment.startswith("sent_id = "):
                kept.append(comment)
        sentence.comments = tuple(kept)
        if text and not sentence.text_orig and text != sentence.text:
            sentence.text_orig = text
        if empty_nodes:
            notes = [Note("W202", f"empty node {node} is left out") for node in empty_nodes]
            first, *others = sentence.eojeols
            sentence.eojeols = (first.with_notes(notes), *others)
        return sentence

    def lines(self, frame: Frame) -> list[int]:
        """The first line of each eojeol of a block."""
        lines = _without_columns(frame) if frame.comments else frame.text.split("\n")
        tokens, _ = _read_tokens(lines, frame.line)
        return [tokens[start][0].number for start, _ in _eojeol_borders(tokens)]

    def _sentence(self, frame: Frame, tokens: list[_TokenLines]) -> Sentence:
        """The sentence without its comments."""
        eojeols: list[Eojeol] = []
        ids: list[str] = []
        columns: list[WordColumns] = []
        labels: list[Labels] = []
        with_columns = _has_columns(tokens)
        with_labels = any([w.labels for first, rows in tokens for w in (first, *rows)])
        for start, end in _eojeol_borders(tokens):
            part = tokens[start:end]
            eojeol, ends = self._eojeols[
                tuple(
                    [
                        (first.cells[1], first.morphemes, tuple(map(_row, rows)))
                        for first, rows in part
                    ]
                )
            ]
            if with_columns:
                columns += _columns(len(eojeols), [w for _, rows in part for w in rows], ends)
            if with_labels:
                labels.append(_labels(part, ends, len(eojeol.morphemes)))
            eojeols.append(eojeol)
            ids.append(part[0][0].corpus_id)
        return Sentence(
            tuple(eojeols),
            frame.sent_id,
            tuple(ids) if any(ids) else (),
            number=frame.number,
            columns=tuple(columns),
            entities=tuple(zip_longest(*labels, fillvalue=())),
        )

    def _eojeol(self, tokens: _Rows) -> tuple[Eojeol, tuple[int, ...]]:
        """The eojeol of some tokens, and where each word ends in its morphemes."""
        form = "".join([token[0] for token in tokens])
        morphemes: list[Morpheme] = []
        ends = []
        notes: list[Note] = []
        if any([_MADE in items for _, items, _ in tokens]):
            notes.append(MADE)
        for _, _, rows in tokens:
            for row in rows:
                found, said = self._morphemes(row, form)
                morphemes += found
                notes += said
                ends.append(len(morphemes))
        eojeol = self.assembler.eojeol(form, tuple(morphemes))
        return eojeol.with_notes(notes), tuple(ends)

    def _morphemes(self, row: _Row, surface: str) -> tuple[list[Morpheme], list[Note]]:
        """The morphemes of a word."""
        misc = dict([item.partition("=")[::2] for item in row.misc])
        tags = [tag for tag in row.xpos.split("+") if tag] if row.xpos != "_" else []
        unknown = self.assembler.rules.unknown_tag
        if not tags:
            tags = [unknown]
        notes = []
        pieces = find_pieces(row.form, row.lemma, misc, len(tags))
        if pieces is None:
            pieces = complete_pieces(row.form, row.lemma, len(tags))
            if pieces is None:
                message = f"{row.form}: no {len(tags)} morphemes for {row.xpos}, kept as {unknown}"
                notes.append(Note("W205", message))
                pieces, tags = [row.form], [unknown]
            else:
                notes.append(Note("W204", f"{row.form}: {pieces[-1]} taken from the form"))
        count = len(tags)
        senses = _at_positions(misc.get("Sense", ""), count)
        added = _at_positions(misc.get("Added", ""), count)
        source_tags = unescape_misc(misc.get("OrigXPOS", "")).split("+")
        morphemes = []
        for at, (piece, tag) in enumerate(zip(pieces, tags, strict=True)):
            form, source = spell(piece, surface)
            right = self.assembler.analysis.right_tag(form, tag)
            source_tag = tag if right != tag else ""
            if len(source_tags) == count and source_tags[at] != right:
                source_tag = source_tags[at]
            morphemes.append(
                Morpheme(form, right, source, senses[at], source_tag, added[at] == "Yes")
            )
        return morphemes, notes


def _read_tokens(lines: list[str], number: int) -> tuple[list[_TokenLines], list[str]]:
    """The tokens of a sentence, and the ids of its empty nodes.

    Args:
        lines: of a block, comments and all.
        number: of the first of them.

    Raises:
        FormatError: a line is not well formed, or its ID is out of order; there is no word.
    """
    tokens: list[_TokenLines] = []
    empty_nodes = []
    words = range_end = 0
    for at, raw in enumerate(lines, number):
        if raw[:1] == "#":
            continue
        line = _take_apart(at, raw)
        word_id = line.cells[0]
        if word_id == str(words + 1):
            words += 1
            if words <= range_end:
                tokens[-1][1].append(line)
            else:
                tokens.append((line, [line]))
        elif "-" in word_id and words >= range_end:
            range_end = _range_end(line, words)
            tokens.append((line, []))
        elif "." in word_id and word_id.partition(".")[0] == str(words):
            empty_nodes.append(word_id)
        else:
            raise _id_error(line, words)
    if words < range_end:
        raise FormatError(
            f"the sentence ends before word {range_end}, the last of a range",
            line=number + len(lines) - 1,
            text=lines[-1],
            code="E203",
        )
    if not tokens:
        raise FormatError("comments without a sentence", line=number, code="E106")
    return tokens, empty_nodes


def _eojeol_borders(tokens: list[_TokenLines]) -> Iterator[tuple[int, int]]:
    """The eojeols of a sentence as runs of its tokens: a space follows each."""
    start = 0
    for at, (line, words) in enumerate(tokens, 1):
        # Published files say SpaceAfter=No on the last word of a range.
        if at == len(tokens) or (line.space_after and words[-1].space_after):
            yield start, at
            start = at


def _take_apart(number: int, raw: str) -> _Line:
    """A line's columns and the items of its MISC.

    Raises:
        FormatError: not ten columns, or an empty one.
    """
    cells = raw.split("\t")
    if len(cells) != COLUMNS:
        raise FormatError(
            f"expected {COLUMNS} columns with a tab between, found {len(cells)}",
            line=number,
            text=raw,
            code="E201",
        )
    if "" in cells:
        at = cells.index("")
        raise FormatError(
            f"column {at + 1} is empty: write _ for nothing",
            line=number,
            column=sum(len(cell) + 1 for cell in cells[:at]) + 1,
            text=raw,
            code="E202",
        )
    space_after = True
    corpus_id = ""
    morphemes = []
    others = []
    labels = _NO_LABELS
    if cells[9] != "_":
        for item in cells[9].split("|"):
            key, _, value = item.partition("=")
            if key in _MORPHEME_KEYS:
                morphemes.append(item)
            elif item == _JOINED:
                space_after = False
            elif key == "Id":
                corpus_id = unescape_misc(value)
            elif key.startswith("NE") and _LABEL_KEY.fullmatch(key):
                labels = {**labels, key: value}
            elif key not in _PLACE_KEYS:
                others.append(item)
    if cells[5] != "_" and _FEATS_LABEL.match(cells[5]):
        # The layout of Fig. 3.4.
        labels = {**labels, label_key(0): escape_misc(cells[5])}
        cells[5] = "_"
    return _Line(number, cells, space_after, corpus_id, tuple(morphemes), tuple(others), labels)


def _row(line: _Line) -> _Row:
    return _Row(line.cells[1], line.cells[2], line.cells[4], line.morphemes)


def _range_end(line: _Line, words: int) -> int:
    """The last word of a range that begins behind `words`."""
    first, _, last = line.cells[0].partition("-")
    end = to_number(last)
    if first != str(words + 1) or end is None or end <= words + 1:
        raise _id_error(line, words)
    return end


def _id_error(line: _Line, words: int) -> FormatError:
    return FormatError(
        f"ID {line.cells[0]}: expected {words + 1}, or a range that begins with it",
        line=line.number,
        column=1,
        text="\t".join(line.cells),
        code="E203",
    )


def _has_columns(tokens: list[_TokenLines]) -> bool:
    """Whether words say more than their morphemes do: FEATS, dependencies, MISC of their own."""
    for first, words in tokens:
        for line in words:
            cells = line.cells
            if line.others or cells[5] != "_" or cells[8] != "_" or cells[7] not in _DUMMY:
                return True
            if cells[6] != "_" and cells[6] != str(int(cells[0]) - 1):
                return True
        if first.others:
            return True
    return False


def _labels(tokens: list[_TokenLines], ends: tuple[int, ...], count: int) -> Labels:
    """The labels of an eojeol's morphemes, layer by layer, as far as any has one."""
    said = [dict(word.labels) for _, words in tokens for word in words]
    start = 0
    for first, words in tokens:
        # What stands on a range is meant for all its words.
        if first is not words[0] and first.labels and not any(said[start : start + len(words)]):
            for at in range(start, start + len(words)):
                said[at] = {k: v if at == start else going_on(v) for k, v in first.labels.items()}
        start += len(words)
    layers: list[tuple[str, ...]] = []
    depth = max([_depth(key) for labels in said for key in labels], default=0)
    for layer in range(depth):
        key = label_key(layer)
        found: list[str] = []
        for labels, end in zip(said, ends, strict=True):
            size = end - len(found)
            by_position = labels.get(key + _BY_MORPHEME)
            if by_position is not None:
                own = _at_positions(by_position, size) if size > 1 else [by_position[2:]]
                found += [unescape_misc(label) or OUTSIDE for label in own]
            elif labels.get(key, OUTSIDE) != OUTSIDE:
                found += spread_label(unescape_misc(labels[key]), size)
            else:
                found += [OUTSIDE] * size
        found += [OUTSIDE] * (count - len(found))
        layers.append(tuple(found) if any([label != OUTSIDE for label in found]) else ())
    while layers and not layers[-1]:
        layers.pop()
    return tuple(layers)


def _depth(key: str) -> int:
    """Which layer a key of MISC speaks of, from 1."""
    match = _LABEL_KEY.fullmatch(key)
    return int(match[1] or 1) if match else 0


def _label_columns(text: str, line: int) -> tuple[str, ...]:
    """The names of the columns behind the first ten, where a file of CoNLL-U Plus has any.

    Raises:
        FormatError: it has others than those of labels, or not the usual ten before them.
    """
    first = text.partition("\n")[0].removeprefix("#").lstrip()
    if not first.startswith(_PLUS):
        return ()
    names = tuple(first.removeprefix(_PLUS).split())
    wanted = tuple([_NE_COLUMN + label_key(at) for at in range(len(names) - COLUMNS)])
    if names[:COLUMNS] != _STANDARD or names[COLUMNS:] != wanted:
        raise FormatError(
            f"the columns are {' '.join(names)}; those that can be read are the ten of CoNLL-U and"
            f" behind them {_NE_COLUMN}{label_key(0)}, {_NE_COLUMN}{label_key(1)} …",
            line=line,
            code="E213",
        )
    return names[COLUMNS:]


def _without_columns(frame: Frame) -> list[str]:
    """The lines of a frame of CoNLL-U Plus as plain CoNLL-U, its labels in MISC."""
    lines = []
    keys = [name.removeprefix(_NE_COLUMN) for name in frame.comments]
    for raw in frame.text.split("\n"):
        cells = raw.split("\t")
        if raw[:1] != "#" and len(cells) == COLUMNS + len(keys):
            values = zip(keys, cells[COLUMNS:], strict=True)
            items = [f"{k}={escape_misc(label)}" for k, label in values if label not in ("_", "*")]
            misc = [cells[9]] if cells[9] != "_" else []
            raw = "\t".join([*cells[:9], "|".join([*misc, *items]) or "_"])
        lines.append(raw)
    # Lines keep their numbers: the one that names the columns becomes the sentence's id.
    if lines[0].removeprefix("#").lstrip().startswith(_PLUS):
        lines[0] = _SENT_ID + frame.sent_id
    return lines


def _columns(eojeol: int, words: list[_Line], ends: tuple[int, ...]) -> list[WordColumns]:
    """The columns of an eojeol's words.

    Raises:
        FormatError: HEAD is no number.
    """
    columns = []
    start = 0
    for line, end in zip(words, ends, strict=True):
        cells = line.cells
        head = -1 if cells[6] == "_" else to_number(cells[6])
        if head is None:
            raise FormatError(
                f"HEAD {cells[6]} is no number",
                line=line.number,
                text="\t".join(cells),
                code="E204",
            )
        columns.append(
            WordColumns(
                eojeol,
                start,
                end,
                cells[3],
                cells[2],
                cells[4],
                cells[5],
                head,
                cells[7],
                cells[8],
                line.others,
            )
        )
        start = end
    return columns


def find_pieces(form: str, lemma: str, misc: Mapping[str, str], count: int) -> list[str] | None:
    """The morphemes of a word: the first of MSeg, OrigLemma, LEMMA and FORM with `count` pieces.

    None if none has.
    """
    if "MSeg" in misc:
        segments = split_segments(misc["MSeg"])
        if len(segments) == count:
            return segments
    if count == 1:
        return [form]
    for joined in (misc.get("OrigLemma", ""), lemma):
        pieces = split_lemma(joined)
        if len(pieces) == count:
            return pieces
    return None


_LEMMA_PIECE = re.compile(r"(.[^+]*)(?:\+|$)", re.DOTALL)


def split_lemma(lemma: str) -> list[str]:
    """The pieces of a lemma joined by `+`, which may itself be one.

    >>> split_lemma("프랑스+의"), split_lemma("3+++4"), split_lemma("+")
    (['프랑스', '의'], ['3', '+', '4'], ['+'])
    """
    return _LEMMA_PIECE.findall(lemma)


def complete_pieces(form: str, lemma: str, count: int) -> list[str] | None:
    """The morphemes of a word whose LEMMA lacks the last one: the rest of the form.

    >>> complete_pieces("싶습니다", "싶", 2)
    ['싶', '습니다']
    >>> complete_pieces("한다", "하", 2)
    ['하', 'ㄴ다']
    """
    pieces = split_lemma(lemma)
    stem = "".join(pieces)
    if len(pieces) != count - 1 or not stem:
        return None
    if form.startswith(stem) and len(form) > len(stem):
        return [*pieces, form[len(stem) :]]
    last = form[len(stem) - 1 : len(stem)]
    if form.startswith(stem[:-1]) and is_syllable(last):
        lead, vowel, coda = decompose(last)
        if coda and compose(lead, vowel) == stem[-1]:
            return [*pieces, coda + form[len(stem) :]]
    return None
