"""The base of the formats of entity corpora: tokens with labels, read and written byte for byte.

A file is a run of blocks, most of which hold a sentence. A block is text, and no text of the file
stands between two blocks: a format that reads and writes its blocks right has read and written the
file. (One format mixes the lines of its blocks; they are then put back in their places.)
A property of a file that all its blocks share, such as the spelling of labels (`PER_B` for B-PER,
`-` for O), is a setting. `sniff` finds the settings out, and the format is made with them.

Morphemes have places in the text, as formats with offsets have them (`labelled_rows`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from itertools import chain, pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from sejongud.errors import UsageError
from sejongud.formats.base import MAX_SENTENCE, Block, to_number, too_long
from sejongud.layers.labels import OUTSIDE, Entity, find_entities, layers, to_labels, to_text
from sejongud.morphology.hangul import without_surrogates
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from sejongud.model import Sentence, Span
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import Rules


Unit = Literal["eojeol", "syllable"]
"""The unit that has a label: an eojeol, or a character of the text, spaces included."""


class MorphemeRow(NamedTuple):
    """A morpheme as an entity corpus has it."""

    form: str
    tag: str
    label: str
    inner: tuple[str, ...] = ()
    """Its labels in further layers, where entities overlap and the format has room for them."""


class LineNote(NamedTuple):
    """An incident in a line of a corpus, which does not keep the sentence from being read."""

    line: int
    """The number of the line in the file."""
    code: str
    message: str


class Labelled(NamedTuple):
    """A sentence of an entity corpus."""

    tokens: tuple[str, ...]
    """Eojeols or characters."""
    layers: tuple[tuple[str, ...], ...]
    """The labels of the tokens in BIO: one layer, or more where entities are nested, the outermost
    first; no layer if there are no labels."""
    sent_id: str = ""
    """The id in the file, "" if there is none."""
    comments: tuple[str, ...] = ()
    """The rest of the block, as comments of CoNLL-U."""
    morphemes: tuple[tuple[MorphemeRow, ...], ...] = ()
    """The morphemes of each eojeol, if the format has any; () if they cannot be used."""
    spans: tuple[tuple[Span, ...], ...] = ()
    """The place of each of these morphemes in the text, where it is known."""
    notes: tuple[LineNote, ...] = ()
    """Incidents: text that looks like a mark and is read as text, and the like."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the outermost entities."""
        return self.layers[0] if self.layers else (OUTSIDE,) * len(self.tokens)

    def entities(self) -> list[Entity]:
        """Return the outermost entities."""
        return find_entities(self.labels)

    @property
    def row_layers(self) -> list[tuple[str, ...]]:
        """The labels of the morphemes, layer by layer."""
        rows = [row for own in self.morphemes for row in own]
        return list(zip(*[(row.label, *row.inner) for row in rows], strict=True))

    def all_entities(self) -> list[Entity]:
        """Return the entities of all layers, in the order of the text."""
        found = [entity for layer in self.layers for entity in find_entities(layer)]
        return sorted(found, key=lambda entity: (entity.begin, entity.end))


def labelled_tokens(
    tokens: Iterable[str],
    labels: Iterable[str],
    sent_id: str = "",
    comments: Iterable[str] = (),
    morphemes: tuple[tuple[MorphemeRow, ...], ...] = (),
) -> Labelled:
    """Return the sentence of tokens that each have a label."""
    layer = tuple(labels)
    return Labelled(tuple(tokens), (layer,) if layer else (), sent_id, tuple(comments), morphemes)


def labelled_text(text: str, entities: Iterable[Entity]) -> Labelled:
    """Return the sentence of a text with entities over its characters.

    >>> from sejongud.layers.labels import Entity
    >>> labelled_text("옷값", [Entity("LC", 0, 1)]).layers
    (('B-LC', 'O'),)
    """
    found = [to_labels(layer, len(text)) for layer in layers(entities)]
    outside = ((OUTSIDE,) * len(text),) if text else ()
    return Labelled(tuple(as_text(text)), tuple(found) or outside)


class FileFormat(ABC):
    """A format that one class reads and writes: entities, frames or corrections.

    Args:
        settings: words, each a value of one of `choices`, in their order. A value that is left out
            is the first of its choice.

    Raises:
        UsageError: there is no such value.
    """

    name: ClassVar[str]
    choices: ClassVar[tuple[Collection[str], ...]] = ()
    """The values of each setting; "" for a value that is not written."""
    other_settings: ClassVar[str] = ""
    """The description of a setting that is none of `choices`."""
    more_settings: ClassVar[bool] = False
    """Whether words of any kind may follow the settings."""

    def __init__(self, settings: str = "") -> None:
        words = settings.split()
        given = len(words)
        self._chosen = [
            words.pop(0) if words and words[0] in values else next(iter(values))
            for values in self.choices
        ]
        needed = len([values for values in self.choices if "" not in values])
        if words and (not self.more_settings or given - len(words) < needed):
            values = [", ".join(filter(None, values)) for values in self.choices]
            known = "; ".join(filter(None, [self.other_settings, *values])) or "none"
            raise UsageError(f"{self.name}: there is no setting {words[0]}: {known}")
        self._more = words

    @classmethod
    @abstractmethod
    def sniff(cls, head: str) -> str | None:
        """Return the settings of a file that begins so; None if it is in another format."""

    @property
    def settings(self) -> str:
        """The settings with which a format writes the same file."""
        return " ".join(filter(None, [*self._chosen, *self._more]))

    def __str__(self) -> str:
        """Return the name and the settings, as comments have them."""
        return f"{self.name} {self.settings}".rstrip()


class LabelFormat(FileFormat):
    """Reads and writes one format; the settings are those of `FileFormat`."""

    unit: Unit = "syllable"
    by_lines: bool = False
    """Whether each line is a block, rather than the lines up to a blank line."""
    blank: ClassVar[str] = r"[ \t]*"
    """The pattern of a blank line."""
    has_morphemes: bool = False
    """Whether the file has morphemes as well, whose labels are then read and written."""
    has_spans: ClassVar[bool] = False
    """Whether entities are written as spans, which may overlap."""
    has_ids: ClassVar[bool] = True
    """Whether a sentence has an id in the file."""
    has_members: ClassVar[bool] = False
    """Whether the members of an object of another format (`ner_record`) are written."""
    is_whole: bool = False
    """Whether two files of the format, one behind the other, are no file of it."""
    labels_rows: bool = False
    """Whether morphemes that are written have labels of their own, which no character decides."""
    rules: Rules | None = None
    """The tables, for a format that writes UPOS; None for the package's own."""
    types: re.Pattern[str] | None = None
    """The types of entities that can be written; None for any."""
    token_cell: int | None = None
    """The number of the cell with the token, from 0, in a format of rows that end in a label."""

    @classmethod
    def settings_beside(cls, path: str) -> str:
        """Return the settings that the files beside a file tell, "" if none do.

        Args:
            path: of the file; "" or `-` for none.
        """
        return ""

    def analysis(self, block: Block, assembler: Assembler) -> Sentence | None:
        """Return a sentence with the morphemes that the file has apart from the labels, if any.

        Raises:
            FormatError: they cannot be read.
        """
        return None

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Yield the blocks of a file.

        Args:
            chunks: the text, each chunk ending at a line's end.
        """
        return line_blocks(chunks) if self.by_lines else exact_blocks(chunks, self.blank)

    @abstractmethod
    def read(self, block: Block) -> Labelled:
        """Return the sentence of a block; a sentence without tokens if the block holds none.

        Raises:
            FormatError: the block cannot be read; with its line.
        """

    @abstractmethod
    def write(self, labelled: Labelled) -> str:
        """Return the block of a sentence."""

    def other_heading(self, block: Block, labelled: Labelled) -> str:
        """Return how the line above the rows differs from the rows, "" if it does not.

        Args:
            block: the block, which can be read.
            labelled: its sentence.
        """
        return ""

    def line_of(self, block: Block) -> Callable[[Entity], int]:
        """Return the function that finds the line in the file where an entity of a block begins.

        Args:
            block: the block, which can be read.
        """
        return lambda _: block.line

    def end(self) -> str:
        """Return the text that closes the file after all sentences."""
        return ""

    def summary_lines(self) -> list[str]:
        """Return lines about further parts of the file that were left out."""
        return []

    def written(self, labelled: Labelled) -> list[Entity]:
        """Return the entities that `write` writes of a sentence, over its tokens or its rows."""
        if self.labels_rows and labelled.morphemes:
            layers = labelled.row_layers if self.has_spans else labelled.row_layers[:1]
            return [entity for labels in layers for entity in find_entities(labels)]
        return labelled.all_entities() if self.has_spans else labelled.entities()

    def places(self, comments: tuple[str, ...]) -> list[int]:
        """Return the lines of a block in the file, if blocks do not stand one after another.

        Args:
            comments: of the sentence.
        """
        return []


def exact_blocks(chunks: Iterable[str], blank: str = LabelFormat.blank) -> Iterator[Block]:
    """Yield the blocks between blank lines, each with the blank lines that follow it.

    Blank lines at the beginning are a block.

    Args:
        chunks: the text, each chunk ending at a line's end.
        blank: the pattern of a blank line.

    Raises:
        FormatError: a block is longer than any sentence.

    >>> [block.text for block in exact_blocks(["a\\nb\\n\\n\\n", "c\\n"])]
    ['a\\nb\\n\\n\\n', 'c\\n']
    """
    sentence_end = re.compile(rf"\n(?:{blank}\n)+")
    rest = ""
    line = number = 1
    blank_lines = re.compile(rf"(?:{blank}\n)+")
    for chunk in _closed(chunks, blank_lines):
        text = rest + chunk
        start = 0
        if (opening := blank_lines.match(text)) and number == 1 and not rest:
            start = opening.end()
            yield Block(opening[0], line, number)
            line += opening[0].count("\n")
            number += 1
        for end in sentence_end.finditer(text, start):
            block = text[start : end.end()]
            yield Block(block, line, number)
            start = end.end()
            line += block.count("\n")
            number += 1
        rest = text[start:]
        if len(rest) > MAX_SENTENCE:
            raise too_long(line)
    if rest:
        yield Block(rest, line, number)


def _closed(chunks: Iterable[str], blank_lines: re.Pattern[str]) -> Iterator[str]:
    """Yield chunks, each with all blank lines that follow it: none begins with a blank line."""
    held: list[str] = []
    for chunk in chunks:
        blank = blank_lines.match(chunk)
        end = blank.end() if blank else 0
        if held and end < len(chunk):
            yield "".join([*held, chunk[:end]])
            held = []
            chunk = chunk[end:]
        held.append(chunk)
    if held:
        yield "".join(held)


def line_blocks(chunks: Iterable[str]) -> Iterator[Block]:
    """Yield each line as a block.

    Args:
        chunks: the text, each chunk ending at a line's end.

    >>> [block.text for block in line_blocks(["a\\nb\\n", "c"])]
    ['a\\n', 'b\\n', 'c']
    """
    for number, line in enumerate(chain.from_iterable(map(LINE.findall, chunks)), 1):
        yield Block(line, number, number)


def split_rows(
    block: Block,
    separator: str,
    fault: Callable[[list[str]], str],
    code: str,
    above: str | tuple[str, ...] = (),
) -> tuple[list[str], list[list[str]]]:
    """Return the lines above the rows of a block, and the cells of each row.

    Blank lines are left out.

    Args:
        block: with a row a line.
        separator: of the cells.
        fault: returns the fault in the cells of a row, "" if there is none.
        code: of the error.
        above: the beginnings of the lines above the rows.

    Raises:
        FormatError: a row has a fault.
    """
    head = []
    rows: list[list[str]] = []
    for at, line in enumerate(block.text.split("\n")):
        if not rows and line.startswith(above):
            head.append(line)
        elif line.strip():
            cells = line.split(separator)
            if message := fault(cells):
                raise block.error(message, code, at)
            rows.append(cells)
    return head, rows


def cells_fault(cells: list[str], names: str, count: int, needed: Collection[int] = ()) -> str:
    """Return the fault in the number of a row's cells, "" if there is none.

    Args:
        cells: of the row.
        names: of the columns, for the message.
        count: the number of columns.
        needed: the cells, from 0, that may not be empty; () for all.

    >>> cells_fault(["1", ""], "number and eojeol", 2)
    'expected number and eojeol with a tab between, found an empty one'
    """
    if len(cells) == count and all([cells[at].strip(" ") for at in needed or range(count)]):
        return ""
    found = "an empty one" if len(cells) == count else counted(len(cells), "column[s]")
    return f"expected {names} with a tab between, found {found}"


LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line with its end, which the last line of a file may lack."""
_BREAKS = re.compile(r"[\t\n\r]")


def as_text(text: str) -> str:
    """Return a text of the same length that lines of CoNLL-U can hold.

    Tabs and line ends separate eojeols as spaces do, and become spaces. Half of a surrogate pair,
    which JSON can express and a file cannot, becomes U+FFFD.

    >>> as_text("나는\\n간다")
    '나는 간다'
    """
    return without_surrogates(_BREAKS.sub(" ", text))


def restarts(numbers: Iterable[str], line: int) -> tuple[LineNote, ...]:
    """Return the incidents of numbers of rows that begin anew inside a sentence.

    Args:
        numbers: of the rows; rows of one eojeol have the same number.
        line: of the first row.

    >>> [note.line for note in restarts(["1", "2", "1", "2"], 5)]
    [7]
    """
    notes = []
    for offset, (before, number) in enumerate(pairwise(map(to_number, numbers)), 1):
        if before is not None and number is not None and number < before:
            message = (
                f"the rows are numbered anew: {number} follows {before}; is the blank line between"
                " two sentences missing?"
            )
            notes.append(LineNote(line + offset, "W434", message))
    return tuple(notes)


EOJEOL = re.compile("[^ ]+")
_SENSE = re.compile(r"(.+)__([x^]?\d+)", re.DOTALL)


def split_sense(form: str) -> tuple[str, str]:
    """Return the form of a morpheme and its sense number, "" if it has none.

    >>> split_sense("의상__02"), split_sense("의상")
    (('의상', '02'), ('의상', ''))
    """
    match = _SENSE.fullmatch(form)
    return (match[1], match[2]) if match else (form, "")


def with_sense(form: str, sense: str) -> str:
    """Return the form with its sense number: the inverse of `split_sense`."""
    return f"{form}__{sense}" if sense else form


def labelled_rows(text: str, rows: Sequence[MorphemeRow], spans: Sequence[Span]) -> Labelled:
    """Return the sentence of a text and its morphemes, whose labels are those of the characters.

    Args:
        text: eojeols with spaces between them.
        rows: the morphemes, in order.
        spans: their places in the text.

    Raises:
        ValueError: a place is not in the text, or stands before the one before it.

    >>> rows = [MorphemeRow("프랑스", "NNP", "B-LC"), MorphemeRow("의", "JKG", "O")]
    >>> labelled_rows("프랑스의", rows, [(0, 3), (3, 4)]).layers
    (('B-LC', 'I-LC', 'I-LC', 'O'),)
    """
    before = 0
    for begin, end in spans:
        if not before <= begin <= end <= len(text):
            raise ValueError(
                f"[{begin}, {end}]: expected the place of a morpheme in a text of {len(text)}"
                f" characters, not before {before}"
            )
        before = begin
    flat = [[row.label for row in rows], *zip(*[row.inner for row in rows], strict=True)]
    entities = [entity for labels in flat for entity in to_text(find_entities(labels), spans)]
    labelled = labelled_text(text, [entity for entity in entities if entity.begin < entity.end])
    eojeols = [match.end() for match in EOJEOL.finditer(text)]
    groups: list[list[tuple[MorphemeRow, Span]]] = [[] for _ in eojeols]
    index = 0
    for row, (begin, end) in zip(rows, spans, strict=True):
        while index < len(eojeols) and (eojeols[index] < begin or eojeols[index] == begin < end):
            index += 1
        if index == len(eojeols):
            return labelled
        groups[index].append((row, (begin, end)))
    if not all(groups):
        # An eojeol without morphemes cannot be used.
        return labelled
    return labelled._replace(
        morphemes=tuple([tuple([row for row, _ in pairs]) for pairs in groups]),
        spans=tuple([tuple([span for _, span in pairs]) for pairs in groups]),
    )


def placed_rows(labelled: Labelled) -> Iterator[tuple[MorphemeRow, Span]]:
    """Yield the morphemes of a sentence with their places in its text."""
    rows = chain.from_iterable(labelled.morphemes)
    return zip(rows, chain.from_iterable(labelled.spans), strict=True)
