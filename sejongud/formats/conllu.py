"""CoNLL-U: read order-preserving and strict, written by filling numbers into lines made once.

Our own files of any level and the Universal Dependencies treebanks, whose words carry their
morphemes in LEMMA and XPOS (`프랑스+의`, `NNP+JKG`), are the same to the reader: tokens joined by
`SpaceAfter=No` make an eojeol, and a word's morphemes are taken from `MSeg`, `OrigLemma`, LEMMA or
FORM, the first that has as many pieces as XPOS (reference: the format pages of UD).
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from sejongud.errors import FormatError, Note
from sejongud.formats.base import (
    OPENING,
    SENT_ID,
    Frame,
    Reader,
    SentIds,
    blocks,
    opening_first,
    spaced_id,
)
from sejongud.formats.misc import (
    at_positions,
    by_position,
    complete_pieces,
    escape_misc,
    find_pieces,
    join_segments,
    label_key,
    labels_by_position,
    passed_over,
    unescape_misc,
    word_label,
)
from sejongud.formats.sniffing import data_rows, first_lines
from sejongud.formats.ud import UDBlock, UDReader
from sejongud.layers.labels import OUTSIDE, going_on, spread
from sejongud.levels.upos import UNKNOWN
from sejongud.memo import Memo
from sejongud.model import Eojeol, Morpheme, Sentence, WordColumns
from sejongud.morphology.eojeol import MADE
from sejongud.morphology.notation import spell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.layers.arcs import Cut, Projection
    from sejongud.levels.cut import Granularity
    from sejongud.model import Labels, Token, Word
    from sejongud.morphology.eojeol import Assembler
    from sejongud.ud import UDSentence, UDToken, UDWord

__all__ = [
    "NE_PLACES",
    "ConlluReader",
    "ConlluWriter",
    "NePlace",
    "Template",
    "header_lines",
    "header_of",
]

COLUMNS = 10
_NUMBERED = 1_000
"""The longest sentence, in words, whose numbers are remembered."""
_JOINED = "SpaceAfter=No"
_NEWDOC = "# newdoc"
_MADE = "Surface=Made"
_MSEG = "MSeg="
_ID = "%s"
"""What stands for the corpus id of an eojeol in its template."""
_NO_ID = "%.0s"
"""Stands for the id of an eojeol that has none, in a sentence of which others have: nothing."""

_form, _tag = itemgetter(0), itemgetter(1)

# --- writing -------------------------------------------------------------------------------------


Template = tuple[str, int, list[tuple[str, ...]], tuple[int, ...], str]
"""The lines of an eojeol with `%s` where numbers (and the corpus id) go; how many words; what goes
there if its first word is number 1, 2, …, a list that all eojeols of this shape share; the shape,
the words of each token; its form. A plain tuple: taking it apart is half of the work for a known
eojeol."""


class ConlluWriter:
    """Writes sentences at one level of granularity.

    Args:
        granularity: the level and the schemes.
        dummy_deps: whether HEAD and DEPREL hold a well-formed chain, for programs that want a tree.
        ne: where the labels of entities go, one of `NE_PLACES`.
        ne_layers: how many columns of them there are with "column"; deeper layers go to MISC.
        retag: whether UPOS is that of the scheme also where a treebank has its own.
        relemma: whether LEMMA is.
        no_deps: whether HEAD, DEPREL and DEPS are left out where the source has any.
    """

    def __init__(
        self,
        granularity: Granularity,
        *,
        dummy_deps: bool = False,
        ne: NePlace = "misc",
        ne_layers: int = 1,
        retag: bool = False,
        relemma: bool = False,
        no_deps: bool = False,
    ) -> None:
        self._retag = retag
        self._relemma = relemma
        self._no_deps = no_deps
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
        # The numbers that all eojeols of a shape share, and the shape.
        self._shapes: Memo[tuple[int, ...], tuple[list[tuple[str, ...]], tuple[int, ...]]] = Memo(
            lambda shape: ([()], shape), size=2_000
        )
        self._inner: Memo[Word, str] = Memo(self._line, size=20_000)
        # Of a morpheme that is a word.
        inside: Memo[Morpheme, str] = Memo(
            lambda morpheme: self._line(granularity.word(morpheme)), size=20_000
        )
        self._inside = inside.__getitem__
        self._plain: Memo[Eojeol, Template] = Memo(self.template, size=48_000)
        self._with_id: Memo[Eojeol, Template] = Memo(lambda e: self.template(e, _ID), size=48_000)
        self._without_id: Memo[Eojeol, Template] = Memo(
            lambda e: _takes_id(self._plain[e]), size=48_000
        )

    def sentence(self, sentence: Sentence) -> str:
        """The lines of a sentence, the blank one behind it included."""
        if sentence.entities or self._ne == "column":
            return self._with_entities(sentence)
        if sentence.columns:
            return self._with_columns(sentence)
        known = self._with_id if sentence.ids else self._plain
        if "" in sentence.ids:
            pairs = zip(sentence.eojeols, sentence.ids, strict=True)
            templates = [(known if one else self._without_id)[eojeol] for eojeol, one in pairs]
        else:
            templates = [known[eojeol] for eojeol in sentence.eojeols]
        return self.compose(header(sentence), templates, sentence.ids)

    def compose(self, header: str, templates: list[Template], ids: Sequence[str] = ()) -> str:
        """The lines of a sentence, the blank one behind it included.

        Args:
            header: its comment lines.
            templates: of its eojeols.
            ids: the corpus ids of the eojeols, if their templates have a place for them.
        """
        lines = [_safe(header)]
        arguments: list[str] = []
        first = 1
        try:
            # In one loop: to go through the templates once more costs more than what it does.
            for text, words, numbers, _, _ in templates:
                lines.append(text)
                arguments += numbers[first]
                first += words
        except IndexError:
            # A new place for an eojeol of this shape.
            lines[1:] = [text for text, _, _, _, _ in templates]
            arguments = self._arguments(templates)
        if ids:
            arguments = self._arguments_with_ids(templates, ids)
        lines.append("\n")
        return "".join(lines) % tuple(arguments)

    def _arguments(self, templates: list[Template]) -> list[str]:
        """The numbers of a sentence, made where they have not been needed before."""
        arguments: list[str] = []
        first = 1
        for _, words, numbers, shape, _ in templates:
            arguments += self._filled(shape, numbers, first)
            first += words
        return arguments

    def _arguments_with_ids(self, templates: list[Template], ids: Sequence[str]) -> list[str]:
        """The numbers of a sentence and the ids of its eojeols."""
        arguments: list[str] = []
        first = 1
        for (_, words, numbers, shape, _), corpus_id in zip(templates, ids, strict=True):
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
        names = [NE_COLUMN + label_key(layer) for layer in range(self._ne_layers)]
        return f"# {_PLUS}{' '.join([*_STANDARD, *names])}\n"

    def _with_entities(self, sentence: Sentence) -> str:
        """The lines of a sentence whose words may have labels."""
        if sentence.columns:
            return self._with_columns(sentence)
        eojeols = sentence.eojeols
        layers = sentence.entities
        labels: list[Labels] = list(zip(*layers, strict=True)) or [()] * len(eojeols)
        memo = self._labelled
        known = {"": self._plain, _ID: self._with_id, _NO_ID: self._without_id}
        marks = [_ID if one else _NO_ID for one in sentence.ids] or [""] * len(eojeols)
        every = self._ne == "column"
        templates = [
            memo[eojeol, mark, one] if every or any(one) else known[mark][eojeol]
            for eojeol, mark, one in zip(eojeols, marks, labels, strict=True)
        ]
        return self.compose(header(sentence), templates, sentence.ids)

    def _labelled_template(self, eojeol: Eojeol, mark: str, labels: Labels) -> Template:
        """The template of an eojeol whose morphemes have labels, in one layer or more."""
        known = self._with_id if mark == _ID else self._plain
        text, words, numbers, shape, form = known[eojeol]
        lines = iter(text.split("\n"))
        sizes = iter(self._sizes(eojeol, words))
        every = self._ne == "column"
        placed = []
        first = 0
        for count in shape:
            if count > 1:
                line = next(lines)
                placed.append(self._place_labels(line, ()) if every else f"{line}\n")
            for line in islice(lines, count):
                last = first + next(sizes)
                own = tuple([layer[first:last] for layer in labels])
                labelled = every or any(map(word_label, own))
                placed.append(self._place_labels(line, own) if labelled else f"{line}\n")
                first = last
        template = "".join(placed), words, numbers, shape, form
        return _takes_id(template) if mark == _NO_ID else template

    def _sizes(self, eojeol: Eojeol, words: int) -> Sequence[int]:
        """How many morphemes each word of an eojeol has.

        Args:
            eojeol: with its morphemes.
            words: how many words it has.
        """
        if words == len(eojeol.morphemes):
            return (1,) * words
        return [len(word.morphemes) for token in self._tokens(eojeol) for word in token.words]

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
            # What would not be read as a label there stands in MISC.
            if at < len(columns) and value not in _NO_LABEL:
                columns[at] = _safe(value)
            elif self._ne == "feats" and cells[5] == "_" and at == 0 and FEATS_LABEL.match(value):
                cells[5] = _safe(value)
            else:
                items.append(_safe(f"{key}={escape_misc(value)}"))
            if spread(value, len(layer)) != layer:
                items.append(_safe(f"{key}{_BY_MORPHEME}={labels_by_position(layer)}"))
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
        from sejongud.layers.arcs import Projection

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
                        (not self._relemma and c.lemma) or word.lemma,
                        (not self._retag and c.upos) or word.upos,
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
        if self._no_deps:
            return "_", "_", "_"
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
        if self.by_morpheme and not corpus_id and not eojeol.notes and " " not in eojeol.form:
            return self.of_morphemes(eojeol, list(map(self._inside, eojeol.morphemes)))
        tokens = self._tokens(eojeol)
        texts = [self._token(*pair) for pair in _openings(eojeol, tokens, corpus_id)]
        shape = tuple([len(token.words) for token in tokens])
        return "".join(texts), sum(shape), *self._shapes[shape], eojeol.form

    @property
    def by_morpheme(self) -> bool:
        """Whether its words are morphemes, and the same ones wherever they stand."""
        return self._granularity.by_morpheme

    def line_inside(self, morpheme: Morpheme) -> str:
        """The line of a word that is a morpheme, inside a token; not remembered."""
        return self._line(self._granularity.one(morpheme))

    @property
    def symbols(self) -> frozenset[str]:
        """The tags of the symbols that may be tokens of their own."""
        return self._symbols

    def has_own_forms(self, form: str, joined: str) -> bool:
        """Whether words that are morphemes have their own forms, however these make the surface.

        Args:
            form: the surface.
            joined: the forms of the morphemes, joined.
        """
        return self._granularity.has_own_forms(form, joined)

    def may_be_internal(self, form: str) -> bool:
        """Whether a symbol may be a part of its token wherever it stands in a form."""
        return self._granularity.may_be_internal(form)

    def token_of(self, form: str, rows: str, count: int) -> Template:
        """The template of an eojeol that is one token.

        Args:
            form: of the eojeol, without a space.
            rows: the lines of its words, from `line_inside`.
            count: how many they are.
        """
        if count > 1:
            rows = _range_line(form) + rows
        numbers, shape = self._shapes[count,]
        return rows, count, numbers, shape, form

    def with_symbols(
        self,
        form: str,
        before: Sequence[str],
        token: str,
        rows: Sequence[str],
        behind: Sequence[str],
    ) -> Template:
        """The template of an eojeol that is a token with symbols around it.

        Args:
            form: of the eojeol, without a space.
            before: the lines of the symbols before the token, each a token of its own.
            token: its form.
            rows: the lines of its words, from `line_inside`.
            behind: those of the symbols behind it; where there is no token, all symbols.
        """
        lines = list(map(_joined, before))
        if len(rows) > 1:
            lines.append(_range_line(token, _JOINED if behind else "_"))
            lines += rows
        elif rows:
            lines.append(_joined(rows[0]) if behind else rows[0])
        if behind:
            lines += map(_joined, behind[:-1])
            lines.append(behind[-1])
        shape = (1,) * len(before) + (len(rows),) * (len(rows) > 0) + (1,) * len(behind)
        return "".join(lines), sum(shape), *self._shapes[shape], form

    def of_morphemes(self, eojeol: Eojeol, lines: list[str]) -> Template:
        """The template of an eojeol whose words are its morphemes, as nearly all are at level 5.

        Args:
            eojeol: without a corpus id, notes or a space in it: all there is to write of it are
                its morphemes.
            lines: of its morphemes, from `line_inside`.
        """
        morphemes = eojeol.morphemes
        granularity = self._granularity
        if not eojeol.is_plain:
            for at, form in granularity.other_forms(eojeol):
                lines[at] = self._line(granularity.word(morphemes[at])._replace(form=form))
        if self._symbols.isdisjoint(map(_tag, morphemes)):
            # Most eojeols are one token.
            count = len(lines)
            if count > 1:
                return self.token_of(eojeol.form, "".join(lines), count)
            if eojeol.is_plain:
                return self.token_of(eojeol.form, lines[0], 1)
        texts = []
        shape = []
        end = 0
        for first, last in granularity.pieces(eojeol):
            start = end
            joined = last < len(morphemes)
            if eojeol.is_plain:
                form = "".join(map(_form, morphemes[first:last]))
            else:
                end = eojeol.spans[last][0] if joined else len(eojeol.form)
                form = eojeol.form[start:end]
            shape.append(last - first)
            if last - first > 1:
                texts.append(_range_line(form, _JOINED if joined else "_"))
                texts += lines[first:last]
            elif form == morphemes[first].form:
                texts.append(_joined(lines[first]) if joined else lines[first])
            else:
                word = granularity.word(morphemes[first])._replace(form=form)
                texts.append(self._line(word, (_JOINED,) if joined else ()))
        return "".join(texts), len(morphemes), *self._shapes[tuple(shape)], eojeol.form

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


def _takes_id(template: Template) -> Template:
    """A template that shows no corpus id where the others of its sentence do."""
    text, words, numbers, shape, form = template
    return text.replace("\n", f"{_NO_ID}\n", 1), words, numbers, shape, form


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
        openings[0][1].append(f"{_KEPT}={kept[0]}")
    return openings


def _range_line(form: str, misc: str = "_") -> str:
    """The line of a multiword token, as a template."""
    if "%" in form:
        form = _safe(form)
    return f"%s\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


def _joined(line: str) -> str:
    """The line of a token, once more, with what follows joined to it.

    >>> _joined("1\\t가\\t_\\n")
    '1\\t가\\tSpaceAfter=No\\n'
    """
    columns, _, misc = line[:-1].rpartition("\t")
    return f"{columns}\t{_JOINED if misc == '_' else f'{_JOINED}|{misc}'}\n"


def _safe(text: str) -> str:
    """Text as it may stand in a template."""
    return text.replace("%", "%%") if "%" in text else text


def word_misc(word: Word) -> list[str]:
    """The items of MISC that bring the corpus's own morphemes back (annotation scheme, MISC)."""
    morphemes = word.morphemes
    items = []
    written = [m.source or m.form for m in morphemes]
    if len(morphemes) > 1 or written[0] != word.form:
        items.append(f"{_MSEG}{join_segments(written)}")
    senses = [m.sense for m in morphemes]
    if any(senses):
        items.append(f"Sense={by_position(senses)}")
    if any([m.source_tag for m in morphemes]):
        tags = "+".join([m.source_tag or m.tag for m in morphemes])
        items.append(f"OrigXPOS={escape_misc(tags)}")
    if any([m.added for m in morphemes]):
        items.append(f"Added={by_position(['Yes' if m.added else '' for m in morphemes])}")
    return items


def header_lines(sent_id: str, text: str) -> str:
    """The two comment lines that every sentence has."""
    return f"# sent_id = {sent_id}\n# text = {text}\n"


def header(sentence: Sentence) -> str:
    """The comment lines of a sentence."""
    return header_of(sentence.sent_id, sentence.text, sentence.text_orig, sentence.comments)


def header_of(sent_id: str, text: str, text_orig: str, comments: tuple[str, ...]) -> str:
    """The comment lines of a sentence (see `Sentence` for what they say)."""
    lines = header_lines(sent_id, text)
    if text_orig:
        lines += f"# text_orig = {text_orig}\n"
    if not comments:
        return lines
    comments = tuple(opening_first(comments))
    opening = len([comment for comment in comments if comment.startswith(OPENING)])
    others = [f"# {comment}\n" if comment else "#\n" for comment in comments]
    return "".join([*others[:opening], lines, *others[opening:]])


_KEPT = "Sejongud"
_PLACE_KEYS = frozenset({"SpaceAfter", "Id"})
_MORPHEME_KEYS = frozenset({"MSeg", "OrigLemma", "Sense", "OrigXPOS", "Added", "Surface", _KEPT})
_DUMMY = frozenset({"_", "root", "dep"})

NePlace = Literal["misc", "column", "feats"]
"""Where the labels of entities stand: NE= in MISC, a column of CoNLL-U Plus, or FEATS."""

NE_PLACES: tuple[NePlace, ...] = get_args(NePlace)

_STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_PLUS = "global.columns = "
NE_COLUMN = "SEJONGUD:"
"""How the columns of labels are called in CoNLL-U Plus, before their key."""
_BY_MORPHEME = "Morph"
_LABEL_KEY = re.compile(r"NE([2-9]?)(Morph)?")
_NO_LABEL = frozenset({"_", "*"})
"""What a column of labels holds where there is none."""
FEATS_LABEL = re.compile(r"[BIES]-[^=]+$")
"""A label that stands in FEATS, the layout of Fig. 3.4."""


class _Said(NamedTuple):
    """What a line says besides the columns of its word."""

    space_after: bool
    corpus_id: str
    morphemes: tuple[str, ...]
    """MISC items that speak of morphemes."""
    others: tuple[str, ...]
    """MISC items of the source's own."""
    labels: dict[str, str]
    """What labels entities, by the keys of MISC."""
    feats: str
    """FEATS, unless it holds the label of an entity."""


class _KnownWord(NamedTuple):
    """What a word says, wherever it stands."""

    said: _Said
    morphemes: list[Morpheme]
    notes: list[Note]


class _Known(NamedTuple):
    """What a token says, wherever it stands."""

    space_after: bool
    says_more: bool
    """Whether a word has FEATS or MISC of the source's own, or a UPOS that no XPOS tells."""
    has_labels: bool
    first: _Said
    """Its first line, which is that of the range if it has several words."""
    words: tuple[_Said, ...]


class _Found(NamedTuple):
    """An eojeol, and what its lines say besides."""

    eojeol: Eojeol
    ends: tuple[int, ...]
    """Where each of its words ends in its morphemes."""
    labels: Labels
    """Of its morphemes, layer by layer, as far as any has one."""
    corpus_id: str
    says_more: bool
    """Whether a word has FEATS or MISC of the source's own."""
    words: tuple[_Said, ...]


class ConlluReader(Reader):
    """Reads CoNLL-U.

    HEAD, DEPREL, FEATS and DEPS, the word's own UPOS and LEMMA, and what else a treebank says in
    MISC are kept as `Sentence.columns`, unless the file is our own without dependencies.
    """

    @classmethod
    def sniff(cls, head: str) -> str | None:
        r"""Return "" if a row has ten columns, or if there is nothing but comments.

        >>> ConlluReader.sniff("1\t의" + "\t_" * 8 + "\n"), ConlluReader.sniff("# a note\n")
        ('', '')
        """
        rows = data_rows(head)
        if head.startswith("# global.columns") or any([row.count("\t") == 9 for row in rows]):
            return ""
        lines = first_lines(head)
        commented = not lines or any([line.startswith("# ") for line in lines])
        return "" if commented and not rows else None

    def __init__(self, assembler: Assembler, *, keep: bool = False) -> None:
        super().__init__(assembler, keep=keep)
        self._rows = UDReader(assembler.rules, trees=False, morphemes=False)
        self._words: Memo[UDWord, _KnownWord] = Memo(self._know_word, size=48_000)
        self._known: Memo[UDToken, _Known] = Memo(self._know, size=48_000)
        self._eojeols: Memo[tuple[UDToken, ...], _Found] = Memo(self._eojeol, size=48_000)

    def frame(self, chunks: Iterable[str]) -> Iterator[Frame]:
        """The blocks between blank lines."""
        ids = SentIds()
        columns: tuple[str, ...] = ()
        for number, (line, text) in enumerate(blocks(chunks), 1):
            at = 0 if text.startswith(SENT_ID) else text.find("\n" + SENT_ID) + 1
            sent_id = ""
            if text.startswith(SENT_ID, at):
                sent_id = text[at + len(SENT_ID) :].partition("\n")[0].strip()
            notes: tuple[tuple[int, str, str], ...] = ()
            if not sent_id or any([c.isspace() for c in sent_id]):
                notes = (spaced_id(sent_id, text, line),) if sent_id else ()
                sent_id = str(number)
            if number == 1:
                columns = _label_columns(text, line)
            yield Frame(text, line, number, ids.unique(sent_id), columns, notes)

    def parse(self, frame: Frame) -> Sentence:
        """The sentence of a block."""
        rows = self._rows.parse(UDBlock(frame.line, _plain(frame)))
        sentence = self._sentence(frame, rows)
        text = ""
        kept = []
        for raw in rows.header.split("\n")[:-1]:
            comment = raw[1:].removeprefix(" ")
            if comment.startswith("text = "):
                text = comment[7:]
            elif comment.startswith("text_orig = "):
                sentence.text_orig = comment[12:]
            elif not comment.startswith("sent_id = "):
                kept.append(comment)
        sentence.comments = tuple(kept)
        if text and not sentence.text_orig and text != sentence.text:
            sentence.text_orig = text
        nodes = [f"{node.after}.{node.number}" for node in rows.empty_nodes]
        notes = [Note("W202", f"empty node {node} is left out") for node in nodes]
        if lost := sum(["." in deps and _without_nodes(deps) != deps for deps in rows.deps]):
            notes.append(Note("W301", f"DEPS of {lost} words to empty nodes are left out"))
        if notes:
            first, *others = sentence.eojeols
            sentence.eojeols = (first.with_notes(notes), *others)
        return sentence

    def opening(self, frame: Frame) -> tuple[str, ...]:
        """The comments of a block that say which document begins with it."""
        return tuple([line[2:] for line in frame.text.split("\n") if line.startswith(_NEWDOC)])

    def lines(self, frame: Frame) -> list[int]:
        """The first line of each eojeol of a block."""
        text = _plain(frame)
        starts = []
        end = 0
        for number, raw in enumerate(text.split("\n"), frame.line):
            word_id = raw.partition("\t")[0]
            if raw[:1] == "#" or "." in word_id:
                continue
            if "-" in word_id:
                end = int(word_id.partition("-")[2])
            elif int(word_id) <= end:
                continue
            starts.append(number)
        tokens = self._rows.parse(UDBlock(frame.line, text)).tokens
        known = [self._known[token] for token in tokens]
        return [starts[first] for first, _ in _eojeol_borders(known)]

    def _sentence(self, frame: Frame, rows: UDSentence) -> Sentence:
        """The sentence without its comments."""
        tokens = rows.tokens
        eojeols = self._eojeols
        known = [self._known[token] for token in tokens]
        found = [eojeols[tokens[start:end]] for start, end in _eojeol_borders(known)]
        ids = tuple([corpus_id for _, _, _, corpus_id, _, _ in found])
        sentence = Sentence(
            tuple([eojeol for eojeol, _, _, _, _, _ in found]),
            frame.sent_id,
            ids if any(ids) else (),
            number=frame.number,
        )
        if rows.deps or not _is_chain(rows) or any([more for _, _, _, _, more, _ in found]):
            sentence.columns = _columns(rows, found)
        labels = [own for _, _, own, _, _, _ in found]
        if any(labels):
            sentence.entities = tuple(zip_longest(*labels, fillvalue=()))
        return sentence

    def _eojeol(self, tokens: tuple[UDToken, ...]) -> _Found:
        """The eojeol of some tokens."""
        morphemes: list[Morpheme] = []
        ends = []
        notes: list[Note] = []
        known = [self._known[token] for token in tokens]
        for token, (_, _, _, first, _) in zip(tokens, known, strict=True):
            for item in first.morphemes:
                if item == _MADE:
                    notes.append(MADE)
                elif item.startswith(f"{_KEPT}=E"):
                    said_then = f"{token.form} was kept as it is when it was first read"
                    notes.append(Note(item.partition("=")[2], said_then))
            for word in token.words:
                _, found, said = self._words[word]
                morphemes += found
                notes += said
                ends.append(len(morphemes))
        form = "".join([token.form for token in tokens])
        eojeol = self.assembler.eojeol(form, morphemes).with_notes(notes)
        return _Found(
            eojeol,
            tuple(ends),
            _labels(known, ends, len(eojeol.morphemes)),
            known[0].first.corpus_id,
            any([token.says_more for token in known]),
            tuple([word for token in known for word in token.words]),
        )

    def _know(self, token: UDToken) -> _Known:
        """What there is to know of a token."""
        words = tuple([self._words[word].said for word in token.words])
        first = words[0]
        if len(words) > 1:
            first = _said(token.misc, token.feats)
            # What a range says of the source's own has no other place.
            if others := [*(first.feats != "_") * [f"Feats={first.feats}"], *first.others]:
                words = (words[0]._replace(others=(*others, *words[0].others)), *words[1:])
        return _Known(
            # Published files say SpaceAfter=No on the last word of a range.
            first.space_after and words[-1].space_after,
            any([said.others or said.feats != "_" for said in words])
            or any([word.xpos == "_" and word.upos not in ("_", UNKNOWN) for word in token.words]),
            any([said.labels for said in (first, *words)]),
            first,
            words,
        )

    def _know_word(self, word: UDWord) -> _KnownWord:
        """What there is to know of a word.

        Its morphemes are the pieces of the first of MSeg, OrigLemma, LEMMA and FORM that has as
        many as XPOS.
        """
        said = _said(word.misc, word.feats)
        misc = dict([item.partition("=")[::2] for item in said.morphemes])
        notes = []
        unknown = self.assembler.rules.unknown_tag
        tags = [tag for tag in word.xpos.split("+") if tag] if word.xpos != "_" else []
        tags = tags or [unknown]
        pieces = find_pieces(word.form, word.lemma, misc, len(tags))
        over = passed_over(misc, len(tags)) if "MSeg" in misc or "OrigLemma" in misc else []
        if pieces is None:
            pieces = complete_pieces(word.form, word.lemma, len(tags))
            if pieces is None:
                message = (
                    f"{word.form}: no {len(tags)} morphemes for {word.xpos}, kept as {unknown}"
                )
                notes.append(Note("W205", message))
                pieces, tags = [word.form], [unknown]
            else:
                notes.append(Note("W204", f"{word.form}: {pieces[-1]} taken from the form"))
        right = self.assembler.analysis.right_tag
        morphemes = []
        for piece, tag in zip(pieces, tags, strict=True):
            form, source = spell(piece, word.form)
            known = right(form, tag)
            morphemes.append(Morpheme(form, known, source, "", tag if known != tag else ""))
        if over and over[0].startswith(_MSEG) and (len(tags) > 1 or morphemes[0].source):
            # It would stand beside our own, or the words of other levels would take it for theirs.
            lost = over.pop(0)
            if "Added" not in misc:
                # With it, the source's XPOS has no tag for a symbol that we have added.
                message = f"{word.form}: {lost} has not the morphemes of {word.xpos}, left out"
                notes.append(Note("W301", message))
        if over:
            said = said._replace(others=(*said.others, *over))
        if not _ONLY_SEGMENTS.issuperset(misc):
            morphemes = _with_more(morphemes, misc)
        return _KnownWord(said, morphemes, notes)


_ONLY_SEGMENTS = frozenset({"MSeg", "OrigLemma", "Surface", _KEPT})


def _with_more(morphemes: list[Morpheme], misc: dict[str, str]) -> list[Morpheme]:
    """The morphemes of a word with their senses, the corpus's own tags, and what was added."""
    count = len(morphemes)
    senses = at_positions(misc.get("Sense", ""), count)
    added = at_positions(misc.get("Added", ""), count)
    tags = unescape_misc(misc.get("OrigXPOS", "")).split("+")
    if len(tags) != count:
        tags = [m.tag for m in morphemes]
    return [
        m._replace(
            sense=sense,
            added=is_added == "Yes",
            source_tag=tag if tag != m.tag else m.source_tag,
        )
        for m, sense, is_added, tag in zip(morphemes, senses, added, tags, strict=True)
    ]


def _plain(frame: Frame) -> str:
    """The text of a block as plain CoNLL-U whose comments stand before its words."""
    text = "\n".join(_without_columns(frame)) if frame.comments else frame.text
    row = _FIRST_ROW.search(text)
    if row is None or "\n#" not in text[row.start() :]:
        return text
    lines = text.split("\n")
    return "\n".join(sorted(lines, key=lambda line: line[:1] != "#"))


_FIRST_ROW = re.compile(r"^[^#]", re.MULTILINE)


def _said(misc: str, feats: str) -> _Said:
    """What MISC and FEATS of a line say."""
    space_after = True
    corpus_id = ""
    morphemes = []
    others = []
    labels = {}
    if misc != "_":
        for item in misc.split("|"):
            key, _, value = item.partition("=")
            if key in _MORPHEME_KEYS:
                morphemes.append(item)
            elif item == _JOINED:
                space_after = False
            elif key == "Id":
                corpus_id = unescape_misc(value)
            elif value and key.startswith("NE") and _LABEL_KEY.fullmatch(key):
                labels[key] = value
            elif key not in _PLACE_KEYS:
                others.append(item)
    if feats != "_" and FEATS_LABEL.match(feats):
        labels[label_key(0)] = escape_misc(feats)
        feats = "_"
    return _Said(space_after, corpus_id, tuple(morphemes), tuple(others), labels, feats)


def _eojeol_borders(tokens: list[_Known]) -> Iterator[tuple[int, int]]:
    """The eojeols of a sentence as runs of its tokens: a space follows each."""
    start = 0
    last = len(tokens)
    for at, token in enumerate(tokens, 1):
        if token[0] or at == last:
            yield start, at
            start = at


def _is_chain(rows: UDSentence) -> bool:
    """Whether there are no dependencies, or only those of `--deps dummy`.

    A single word with its root may be either, and so counts as a tree.
    """
    count = len(rows.heads)
    return _DUMMY.issuperset(rows.deprels) and (
        max(rows.heads) < 0 or (count > 1 and rows.heads == tuple(range(count)))
    )


def _labels(tokens: list[_Known], ends: list[int], count: int) -> Labels:
    """The labels of an eojeol's morphemes, layer by layer, as far as any has one."""
    if not any([token.has_labels for token in tokens]):
        return ()
    said = [word.labels for token in tokens for word in token.words]
    start = 0
    for token in tokens:
        size = len(token.words)
        # What stands on a range is meant for all its words.
        if size > 1 and token.first.labels and not any(said[start : start + size]):
            on_range = token.first.labels
            said[start] = on_range
            on = {key: going_on(label) for key, label in on_range.items()}
            said[start + 1 : start + size] = [on] * (size - 1)
        start += size
    layers: list[tuple[str, ...]] = []
    depth = max([_depth(key) for labels in said for key in labels], default=0)
    for layer in range(depth):
        key = label_key(layer)
        found: list[str] = []
        for labels, end in zip(said, ends, strict=True):
            size = end - len(found)
            by_position = labels.get(key + _BY_MORPHEME)
            if by_position is not None:
                own = at_positions(by_position, size) if size > 1 else [by_position[2:]]
                found += [unescape_misc(label) or OUTSIDE for label in own]
            elif labels.get(key, OUTSIDE) != OUTSIDE:
                found += spread(unescape_misc(labels[key]), size)
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
    wanted = tuple([NE_COLUMN + label_key(at) for at in range(len(names) - COLUMNS)])
    if names[:COLUMNS] != _STANDARD or names[COLUMNS:] != wanted:
        raise FormatError(
            f"the columns are {' '.join(names)}; those that can be read are the ten of CoNLL-U and"
            f" behind them {NE_COLUMN}{label_key(0)}, {NE_COLUMN}{label_key(1)} …",
            line=line,
            code="E213",
        )
    return names[COLUMNS:]


def _without_columns(frame: Frame) -> list[str]:
    """The lines of a frame of CoNLL-U Plus as plain CoNLL-U, its labels in MISC."""
    lines = []
    keys = [name.removeprefix(NE_COLUMN) for name in frame.comments]
    for raw in frame.text.split("\n"):
        cells = raw.split("\t")
        if raw[:1] != "#" and len(cells) == COLUMNS + len(keys):
            values = zip(keys, cells[COLUMNS:], strict=True)
            items = [f"{k}={escape_misc(label)}" for k, label in values if label not in _NO_LABEL]
            misc = [cells[9]] if cells[9] != "_" else []
            raw = "\t".join([*cells[:9], "|".join([*misc, *items]) or "_"])
        lines.append(raw)
    # Lines keep their numbers: the one that names the columns becomes the sentence's id.
    if lines[0].removeprefix("#").lstrip().startswith(_PLUS):
        lines[0] = SENT_ID + frame.sent_id
    return lines


def _without_nodes(deps: str) -> str:
    """DEPS without its relations to empty nodes, which are not kept.

    >>> _without_nodes("4:nsubj|3.1:nsubj"), _without_nodes("3.1:nsubj")
    ('4:nsubj', '_')
    """
    if "." not in deps:
        return deps
    items = [item for item in deps.split("|") if "." not in item.partition(":")[0]]
    return "|".join(items) or "_"


def _columns(rows: UDSentence, found: list[_Found]) -> tuple[WordColumns, ...]:
    """The columns of a sentence's words."""
    places = [
        (at, start, end)
        for at, (_, ends, _, _, _, _) in enumerate(found)
        for start, end in zip((0, *ends), ends, strict=False)
    ]
    said = [word for _, _, _, _, _, words in found for word in words]
    deps = tuple(map(_without_nodes, rows.deps)) or ("_",) * len(said)
    return tuple(
        [
            WordColumns(
                at,
                start,
                end,
                word.upos,
                word.lemma,
                word.xpos,
                one.feats,
                head,
                deprel,
                dep,
                one.others,
            )
            for (at, start, end), word, one, head, deprel, dep in zip(
                places, rows.words, said, rows.heads, rows.deprels, deps, strict=True
            )
        ]
    )
