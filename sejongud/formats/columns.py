"""Columns: a row for each token, the token first and its label last, blank lines between sentences.

This is the layout of CoNLL-2002/2003 and of many copies of Korean corpora. Middle columns that are
the same in all rows (`프랑스의 eoj - B-LOC`) are a setting; other ones ride in comments. Lines
above the rows of a sentence that begin with # are comments (MultiCoNER), unless they are rows
themselves; `-DOCSTART-` (CoNLL) is no token.

Tokens that are word pieces, `##은` (BERT) or `▁은` (SentencePiece), are joined to the words that
they make, which have the labels of their first pieces.

Columns for CRF++ and CRFsuite are word, UPOS, XPOS and label, or the labels of three layers. The
program adds its labels as the last column, from which they return to the words.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.errors import FormatError
from sejongud.formats.conllu.plus import without_place
from sejongud.formats.labelled import (
    SPELLINGS,
    Block,
    LabelFormat,
    Labelled,
    guess_spelling,
    kept_lines,
    labelled_tokens,
    rider,
    split_rows,
)
from sejongud.formats.schemes import (
    BEGINNING,
    CONTINUED,
    OTHER_SCHEMES,
    in_bioes,
    labels_of,
    other_scheme,
    piece_mark,
    tags_of,
)
from sejongud.formats.sniffing import whole_lines
from sejongud.layers.labels import (
    LABEL_SCHEMES,
    OUTSIDE,
    Loss,
    by_eojeol,
    entity_layers,
    flat_labels,
    labels_of_units,
    recode,
    shown,
    split_label,
)
from sejongud.model import Eojeol
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from sejongud.errors import Note
    from sejongud.formats.labelled import Unit
    from sejongud.layers.labels import Entity, LabelScheme
    from sejongud.levels.cut import Granularity
    from sejongud.model import Sentence, Word


_SEPARATORS = {"tab": "\t", "space": " "}
_HEAD = "ner_head"
DOCUMENT = "-DOCSTART-"
"""The first cell of a row that begins a document (CoNLL), and is no token."""
_ID = re.compile(r"#\s*(?:sent_)?id\s*[=\s]\s*(\S+)")
_LANGUAGE = re.compile("[a-z]{2,3}:")
"""The language before each token (PAN-X, WikiAnn)."""
_LABELLED = re.compile(r"^[A-Z][-_].|.[-_][A-Z]$")
"""A tag with a prefix and a type, in any spelling."""


class Columns(LabelFormat):
    """Reads and writes columns.

    Args:
        settings: `tab` or `space`, a spelling of `SPELLINGS`, a scheme of `LABEL_SCHEMES` or of
            `OTHER_SCHEMES`, the mark of word pieces (`##` or `▁`), a prefix of all tokens (`ko:`),
            and the middle columns, with a space between: `space B-PER bio eoj -`.

    >>> Columns("space B-PER bioes").read(Block("프랑스의 S-LOC\\n\\n", 1, 1)).layers
    (('B-LOC',),)
    """

    name = "columns"
    has_ids = False
    unit: Unit = "eojeol"
    token_cell = 0

    choices: ClassVar[tuple[Collection[str], ...]] = (
        _SEPARATORS,
        ("B-PER", *SPELLINGS),
        (*LABEL_SCHEMES, *OTHER_SCHEMES),
        ("", CONTINUED, BEGINNING),
    )
    more_settings = True

    def __init__(self, settings: str = "") -> None:
        super().__init__(settings)
        separator, spelling, self._scheme, self._piece = self._chosen[:4]
        self._separator = _SEPARATORS[separator]
        self.types = re.compile(f"[^{self._separator}]*")
        self._spelling = SPELLINGS[spelling]
        prefix = self._more[:1] if _LANGUAGE.fullmatch("".join(self._more[:1])) else []
        self._prefix = "".join(prefix)
        self._middle = self._more[len(prefix) :]

    @classmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""
        lines = [line for line in whole_lines(head) if not line.startswith(("#", DOCUMENT))]
        for name, separator in _SEPARATORS.items():
            rows = [line.split(separator) for line in lines]
            rows = [row for row in rows if len(row) > 1 and row[0] and row[-1]]
            # If the first column has numbers, the tokens are in another one.
            numbers = [row for row in rows if row[0].isdecimal()]
            if 2 * len(rows) > len(lines) and 2 * len(numbers) < len(rows):
                tags = [row[-1] for row in rows]
                # A file of another format is refused before a spelling is guessed.
                if not any(map(_LABELLED.search, tags)):
                    continue
                unusual = other_scheme(tags)
                tags = in_bioes(tags, unusual)
                spelling = guess_spelling(tags)
                labels = [SPELLINGS[spelling].read(tag) for tag in tags]
                # The last words of lines of text are no labels, even if one of them is S-OIL.
                if 2 * sum(map(SPELLINGS[spelling].has, tags)) < len(tags):
                    continue
                if not any([split_label(label)[1] for label in labels]):
                    continue
                middle, count = Counter([tuple(row[1:-1]) for row in rows]).most_common(1)[0]
                constant = middle if count == len(rows) else ()
                prefixes = {cell[: cell.find(":") + 1] for cell in [row[0] for row in rows]}
                prefix = prefixes if _LANGUAGE.fullmatch("".join(prefixes)) else ()
                scheme = unusual or _scheme(labels)
                cells = [line.split(separator) for line in whole_lines(head)]
                tokens = [row[0] for row in cells if len(row) > 1]
                piece = [mark for mark in (piece_mark(tokens),) if mark]
                return " ".join([name, spelling, scheme, *piece, *prefix, *constant])
        return None

    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block; a sentence without tokens if it has no rows."""
        above, rows = self._cells(block)
        if not rows:
            return Labelled((), ())
        labels = labels_of([row[-1] for row in rows], self._scheme, self._spelling)
        ids = [match[1] for line in above if (match := _ID.match(line))]
        head = [rider(_HEAD, line) for line in above]
        # A token may be the prefix itself.
        tokens = [row[0].removeprefix(self._prefix) or row[0] for row in rows]
        if self._piece:
            tokens, labels = _joined(tokens, labels, self._piece)
        return labelled_tokens(tokens, labels, "".join(ids[:1]), head)

    def _cells(self, block: Block) -> tuple[list[str], list[list[str]]]:
        """Return the lines above the rows of a block, and the cells of each row.

        Raises:
            FormatError: a row has a fault.
        """
        above = self._above(block)
        if above:
            rest = block.text.split("\n")[len(above) :]
            block = Block("\n".join(rest), block.line + len(above), block.number)
        return above, split_rows(block, self._separator, _fault, "E404")[1]

    def _above(self, block: Block) -> list[str]:
        """Return the lines above the rows of a block: comments, and the mark of a document."""
        if not block.text.startswith(("#", DOCUMENT)):
            return []
        lines = block.text.split("\n")
        rows = [line.split(self._separator) for line in lines if line.strip()]
        width = len(rows[-1])
        lines_above = []
        for line in lines:
            cells = line.split(self._separator)
            has_tag = self._spelling.has(*in_bioes(cells[-1:], self._scheme))
            is_row = len(cells) == width and has_tag
            if not (line.startswith(DOCUMENT) or (line.startswith("#") and not is_row)):
                break
            lines_above.append(line)
        return lines_above

    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""
        tags = tags_of(labelled.labels, self._scheme, self._spelling)
        head = self.head_of(labelled)
        rows = [
            self._separator.join([self._prefix + token, *self._middle, tag]) + "\n"
            for token, tag in zip(labelled.tokens, tags, strict=True)
        ]
        return "".join([*head, *rows, "\n"])

    def head_of(self, labelled: Labelled) -> list[str]:
        """Return the lines above the rows of a sentence."""
        return kept_lines(labelled.comments, _HEAD)

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the row of the first token."""
        above = len(self._above(block))
        return lambda entity: block.line + above + entity.begin


def _joined(
    tokens: Sequence[str], labels: Sequence[str], mark: str
) -> tuple[list[str], tuple[str, ...]]:
    """Return the words that pieces make, each with the label of its first piece.

    An entity that goes on in the next word is one entity, and a word whose later piece alone
    begins an entity has the label of that piece.

    >>> _joined(["서울", "##에", "간다"], ["B-LC", "O", "O"], "##")
    (['서울에', '간다'], ('B-LC', 'O'))
    """
    words: list[str] = []
    of_words: list[str] = []
    for token, label in zip(tokens, labels, strict=True):
        marked = token.startswith(mark) and len(token) > len(mark)
        form = token[len(mark) :] if marked else token
        if words and marked == (mark == CONTINUED):
            words[-1] += form
            of_words[-1] = label if of_words[-1] == OUTSIDE else of_words[-1]
        else:
            words.append(form)
            of_words.append(label)
    return words, tuple(of_words)


def _fault(cells: list[str]) -> str:
    """Return the fault in the cells of a row, "" if there is none."""
    fault = ""
    if len(cells) < 2:
        fault = "no label"
    elif not cells[0] or not cells[-1]:
        fault = "an empty column"
    elif "\t" in cells[0] + cells[-1]:
        # The columns are separated by spaces.
        fault = "a tab inside a column"
    return fault and f"expected a token first and its label last, found {fault}"


def _scheme(labels: list[str]) -> LabelScheme:
    """Return the most likely scheme of some labels."""
    prefixes = Counter([split_label(label)[0] for label in labels])
    if prefixes["E"] or prefixes["S"]:
        return "bioes"
    # In IOB1 an entity begins with I, and with B only directly behind another of its type.
    pairs = [(split_label(a), split_label(b)) for a, b in pairwise([OUTSIDE, *labels])]
    begins = [b for a, b in pairs if b[0] == "I" and a[1] != b[1]]
    alone = [b for a, b in pairs if b[0] == "B" and a[1] != b[1]]
    return "iob1" if begins and not alone else "bio"


_PREFIXES = frozenset("BIES")
"""The labels of entities without a type."""


class CrfRow(NamedTuple):
    """A word with its label."""

    form: str
    upos: str
    xpos: str
    label: str


def rows(sentence: Sentence, granularity: Granularity) -> list[CrfRow]:
    """Return the words of a sentence, with the labels of its outermost entities.

    Args:
        sentence: with entities or without.
        granularity: the level; at 5 a word is a morpheme.
    """
    words = _words(sentence, granularity)
    labels, _ = _word_labels(sentence, words)
    return [
        CrfRow(word.form, word.upos, word.xpos, label)
        for word, label in zip(words, labels, strict=True)
    ]


def lost(sentence: Sentence, granularity: Granularity, layers: int = 1) -> list[Note]:
    """Return the incidents of the entities and layers of a sentence that its rows do not have.

    Args:
        sentence: with entities or without.
        granularity: as of `rows`.
        layers: as of `crf_text`.
    """
    forms = [morpheme.form for morpheme in sentence.morphemes]
    words = _words(sentence, granularity)
    behind = [_word_labels(sentence, words, layer)[1] for layer in range(layers)]
    losses = [Loss(shown(entity, forms), "same token") for entity in chain(*behind)]
    losses += _inner(sentence, layers)
    return [*[loss.note for loss in losses], *without_place(sentence, ())]


def _inner(sentence: Sentence, layers: int) -> list[Loss]:
    """Return the entities of a sentence that are in no layer of the rows."""
    forms = [morpheme.form for morpheme in sentence.morphemes]
    inner = [entity for layer in entity_layers(sentence)[layers:] for entity in layer]
    return [Loss(shown(entity, forms), "no layers") for entity in inner]


def _words(sentence: Sentence, granularity: Granularity) -> list[Word]:
    tokens = [token for eojeol in sentence.eojeols for token in granularity.tokens(eojeol)]
    return [word for token in tokens for word in token.words]


def _word_labels(
    sentence: Sentence, words: Sequence[Word], layer: int = 0
) -> tuple[list[str], list[Entity]]:
    """Return the labels of words in a layer, and its entities that they do not show."""
    if layer >= len(sentence.entities):
        return [OUTSIDE] * len(words), []
    labels = flat_labels(sentence.eojeols, sentence.entities[layer])
    return labels_of_units(labels, [len(word.morphemes) for word in words])


NESTED_LAYERS = 3
"""The layers of nested entities that columns have: all rows of a file have the same width."""


def crf_text(
    sentence: Sentence,
    granularity: Granularity,
    scheme: LabelScheme | None = None,
    layers: int = 1,
) -> str:
    """Return the lines of a sentence and the blank line; a space in a form becomes `_`.

    Args:
        sentence: with entities or without.
        granularity: the level; at 5 a word is a morpheme.
        scheme: of the labels; None leaves them as they are.
        layers: the number of layers of entities that are written, a column each.
    """
    words = _words(sentence, granularity)
    labels = [_word_labels(sentence, words, layer)[0] for layer in range(layers)]
    if scheme is not None:
        labels = [list(recode(layer, scheme)) for layer in labels]
    cells = [(word.form, word.upos, word.xpos) for word in words]
    rest = zip(*labels, strict=True)
    lines = ["\t".join(map(_cell, chain(*row))) for row in zip(cells, rest, strict=True)]
    return "\n".join([*lines, "", ""])


_FEATURES = ("word", "UPOS", "XPOS")
_WINDOW = range(-2, 3)


def crf_template() -> str:
    r"""Return the template of CRF++ for the columns: each of the first three in a window of five.

    Of the memoir's Figure 3.5 the text names `# Unigram` with the current word and the current pos,
    and `# Bigram`; its macros are drawn and not known here. So the window and the pairs of
    neighbours are those of CRF++'s own example; the columns are those of Table 3.4.

    >>> crf_template().split("\n")[:3]
    ['# Unigram', '# word', 'U00:%x[-2,0]']
    """
    lines = ["# Unigram"]
    number = 0
    for column, name in enumerate(_FEATURES):
        cells = [f"%x[{at},{column}]" for at in _WINDOW]
        lines.append(f"# {name}")
        for feature in [*cells, *map("/".join, pairwise(cells))]:
            lines.append(f"U{number:02}:{feature}")
            number += 1
    return "\n".join([*lines, "", "# Bigram", "B", ""])


def _cell(text: str) -> str:
    return text.replace(" ", "_")


class CrfRun(NamedTuple):
    """The rows of a sentence that a CRF has labelled."""

    line: int
    """The number of the first of them."""
    forms: list[str]
    """The first column, "" where a row has a label alone."""
    layers: list[list[str]]
    """The labels of each layer: the last columns. A label that a row lacks is ""."""


def read_labels(lines: Iterable[str], layers: int = 1) -> Iterator[CrfRun]:
    """Yield the rows of each sentence.

    Args:
        lines: without their ends.
        layers: the number of columns with labels.

    >>> list(read_labels(["옷\tNOUN\tO", "", "나\tPRON\tB-PS"]))[1]
    CrfRun(line=3, forms=['나'], layers=[['B-PS']])
    """
    padding = [""] * layers
    for blank, group in groupby(enumerate(lines, 1), lambda line: not line[1].strip()):
        if not blank:
            run = list(group)
            cells = [line.split() for _, line in run]
            forms = [row[0] if len(row) > layers else "" for row in cells]
            labels = zip(*[[*padding, *row][-layers:] for row in cells], strict=True)
            yield CrfRun(run[0][0], forms, list(map(list, labels)))


def labelled_sentences(
    sentences: Iterable[Sentence],
    lines: Iterable[str],
    granularity: Granularity,
    path: str = "",
    layers: int = 1,
) -> Iterator[Sentence]:
    """Yield sentences with the labels of a file in place of their own.

    Args:
        sentences: from which the columns were made.
        lines: of the file, without their ends.
        granularity: the same as when the columns were written.
        path: of the file, for messages.
        layers: as of `read_labels`.

    Raises:
        FormatError: the file has another number of sentences, or of words in a sentence, other
            words, or a last column that is no label.
    """
    for sentence, run in zip_longest(sentences, read_labels(lines, layers)):
        if run is None:
            raise FormatError(
                f"the labels end before sentence {sentence.sent_id}: were the columns made from"
                " all of this file?",
                path=path,
                code="E415",
            )
        if sentence is None:
            raise FormatError(
                "there are labels for more sentences than the file has: were the columns made from"
                " it?",
                path=path,
                line=run.line,
                code="E415",
            )
        try:
            words = rows(sentence, granularity)
            with_labels(sentence, run.layers, granularity)
            _compare(run, words)
        except FormatError as error:
            raise error.at(path=path, line=run.line) from None
        yield sentence


def _compare(run: CrfRun, words: Sequence[CrfRow]) -> None:
    """Check that labelled rows have these words, and labels.

    Raises:
        FormatError: a word is another one, or a label is none; with its line.
    """
    labels = zip(*run.layers, strict=True)
    for offset, (form, row, word) in enumerate(zip(run.forms, labels, words, strict=False)):
        # Programs that split a row at any space leave a part of the form.
        wanted = "".join(_cell(word.form).split()[:1])
        if form and form != wanted:
            raise FormatError(
                f"the word is {form} here and {wanted} in the sentence: were the columns made from"
                " this file, at this level?",
                line=run.line + offset,
                code="E420",
            )
        for layer, label in enumerate(row, 1):
            if label == OUTSIDE or label in _PREFIXES or split_label(label)[1]:
                continue
            message = f"{label} is no label" if label else f"the label of layer {layer} is missing"
            raise FormatError(
                f"{message}: the last column has O, B-TYPE or I-TYPE, as a CRF adds it, and with"
                f" --nested the last {NESTED_LAYERS} columns have",
                line=run.line + offset,
                code="E421",
            )


def with_labels(
    sentence: Sentence, layers: Sequence[Sequence[str]], granularity: Granularity
) -> None:
    """Replace the labels of the words of a sentence.

    Args:
        sentence: the sentence; its entities are replaced, and its notes name those that the rows
            did not have.
        layers: of labels, one for each word.
        granularity: the same as when the columns were written.

    Raises:
        FormatError: there are more labels than words, or fewer.
    """
    each = [Eojeol(word.form, word.morphemes) for word in _words(sentence, granularity)]
    count = len(layers[0])
    if len(each) != count:
        raise FormatError(
            f"sentence {sentence.sent_id} has {counted(len(each), 'word[s]')}"
            f" and {counted(count, 'label[s]')}: were the"
            " columns made from this file, at this level?",
            code="E415",
        )
    project = _projection(granularity.rules).labels
    sentence.notes += tuple([loss.note for loss in _inner(sentence, len(layers))])
    projected = [flat_labels(each, project(each, labels)) for labels in layers]
    of_eojeols = [by_eojeol(sentence.eojeols, labels) for labels in projected]
    sentence.entities = tuple([layer for layer in of_eojeols if any(layer)])


_projection = lru_cache(maxsize=2)(Eoj2Morph)
"""The projection of labels of words on their morphemes, by the tables."""
