"""What the formats of entity corpora share: tokens with labels, read and written byte for byte.

A file is a run of blocks, mostly a sentence each. A block is text, and nothing of the file lies
between two: a format that reads and writes its blocks right has read and written the file. (In one
format the lines of two blocks may be mixed; they are then put back in their places.)
What a format spells in its own way (`PER_B` for B-PER, `-` for O) is a property of the file, which
`settings` tells and `LabelFormat` is made with.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from sejongud.errors import FormatError
from sejongud.formats.base import MAX_SENTENCE
from sejongud.layers.labels import OUTSIDE, find_entities, split_label
from sejongud.morphology.kiwi import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.layers.labels import Entity

__all__ = [
    "SPELLINGS",
    "Block",
    "LabelFormat",
    "Labelled",
    "MorphemeRow",
    "Spelling",
    "Unit",
    "as_text",
    "exact_blocks",
    "from_json",
    "guess_spelling",
    "kept",
    "line_blocks",
]

Unit = Literal["eojeol", "syllable"]
"""What the labels of a format stand on: eojeols, or the characters of a text, spaces included."""


class Block(NamedTuple):
    """A piece of a file, with what parts it from the next."""

    text: str
    line: int
    """The number of its first line, from 1."""
    number: int
    """Which block of the file, from 1."""


class MorphemeRow(NamedTuple):
    """A morpheme as an entity corpus has it."""

    form: str
    tag: str
    label: str


class Labelled(NamedTuple):
    """A sentence of an entity corpus."""

    tokens: tuple[str, ...]
    """Eojeols or characters."""
    layers: tuple[tuple[str, ...], ...]
    """The labels of the tokens in BIO; one layer, more where entities are nested, the outermost
    first; none if there are no labels."""
    sent_id: str = ""
    """As the file has it, "" where it has none."""
    comments: tuple[str, ...] = ()
    """What else the block holds, as comments of CoNLL-U."""
    morphemes: tuple[tuple[MorphemeRow, ...], ...] = ()
    """Those of each eojeol, in a format that has any; () where they cannot be used."""

    def entities(self) -> list[Entity]:
        """The outermost entities."""
        return find_entities(self.layers[0]) if self.layers else []

    def all_entities(self) -> list[Entity]:
        """The entities of all layers."""
        return [entity for layer in self.layers for entity in find_entities(layer)]


class LabelFormat(ABC):
    """Reads and writes one format.

    Args:
        settings: the properties of a file that its blocks share, as `settings` tells them.
    """

    name: ClassVar[str]
    unit: Unit
    has_morphemes: ClassVar[bool] = False
    """Whether a file has morphemes as well, in which labels are then read and written."""
    token_cell: int | None = None
    """Which cell of a row is the token, from 0, where each has one and ends in its label."""

    @classmethod
    @abstractmethod
    def sniff(cls, head: str) -> str | None:
        """The settings of a file that begins so; None if it is in another format."""

    @property
    @abstractmethod
    def settings(self) -> str:
        """What the constructor needs to make a format that writes the same."""

    def __str__(self) -> str:
        """Return the name and the settings, as `ner_format` has them."""
        return f"{self.name} {self.settings}".rstrip()

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """The blocks of a file.

        Args:
            chunks: the text, each chunk ending at a line's end.
        """
        return exact_blocks(chunks)

    @abstractmethod
    def read(self, block: Block) -> Labelled:
        """The sentence of a block; one without tokens if it holds none.

        Raises:
            FormatError: with its line.
        """

    @abstractmethod
    def write(self, labelled: Labelled) -> str:
        """The block of a sentence."""

    def end(self) -> str:
        """What closes the file behind the sentences that were written; "" mostly."""
        return ""

    def places(self, comments: tuple[str, ...]) -> list[int]:
        """Which lines of the file those of a block were, where blocks were not one after another.

        Args:
            comments: of the sentence.
        """
        return []


def exact_blocks(chunks: Iterable[str], blank: str = r"[ \t]*") -> Iterator[Block]:
    """The blocks between blank lines, each with the blank lines behind it.

    Args:
        chunks: the text, each chunk ending at a line's end.
        blank: what a blank line may have in it, as a pattern.

    Raises:
        FormatError: a block is longer than any sentence.

    >>> [block.text for block in exact_blocks(["a\\nb\\n\\n\\n", "c\\n"])]
    ['a\\nb\\n\\n\\n', 'c\\n']
    """
    blank_lines = re.compile(rf"(?:{blank}\n)+")
    sentence_end = re.compile(rf"\n(?:{blank}\n)+")
    rest = ""
    line = number = 1
    # A block that the blank lines end which a chunk ends with: more of them may follow.
    ended: list[str] = []
    for chunk in chunks:
        text = chunk
        if ended:
            more = blank_lines.match(chunk)
            ended.append(chunk[: more.end()] if more else "")
            text = chunk[len(ended[-1]) :]
            if not text:
                continue
            yield Block("".join(ended), line, number)
            line += sum([part.count("\n") for part in ended])
            number += 1
            ended = []
        text = rest + text if rest else text
        start = 0
        for end in sentence_end.finditer(text):
            block = text[start : end.end()]
            start = end.end()
            if start == len(text):
                ended = [block]
                break
            yield Block(block, line, number)
            line += block.count("\n")
            number += 1
        rest = text[start:]
        if len(rest) > MAX_SENTENCE:
            raise FormatError(
                f"a sentence of more than {MAX_SENTENCE:,} characters begins here:"
                " are the blank lines between the sentences missing?",
                line=line,
                code="E105",
            )
    if ended or rest:
        yield Block("".join(ended) or rest, line, number)


def line_blocks(chunks: Iterable[str]) -> Iterator[Block]:
    """The lines, each a block.

    Args:
        chunks: the text, each chunk ending at a line's end.

    >>> [block.text for block in line_blocks(["a\\nb\\n", "c"])]
    ['a\\n', 'b\\n', 'c']
    """
    number = 0
    for chunk in chunks:
        *lines, last = chunk.split("\n")
        # What the last chunk ends in may lack its end.
        for line in [*[line + "\n" for line in lines], *([last] if last else [])]:
            number += 1
            yield Block(line, number, number)


_BREAKS = re.compile(r"[\t\n\r]")


def as_text(text: str) -> str:
    """A text of the same length that lines of CoNLL-U can hold.

    Tabs and line ends part eojeols as spaces do, and become spaces. Half of a surrogate pair, which
    JSON can name and no file can hold, becomes U+FFFD.

    >>> as_text("나는\\n간다")
    '나는 간다'
    """
    return without_surrogates(_BREAKS.sub(" ", text))


def kept(comments: Iterable[str], key: str) -> list[Any]:
    """What comments keep as JSON; nothing of one that somebody has changed.

    Args:
        comments: of a sentence.
        key: how those of them begin that are meant.

    >>> kept(["ner_head = \\"## a\\"", "ner_head = ## a", "newdoc"], "ner_head = ")
    ['## a']
    """
    values = [from_json(c.removeprefix(key)) for c in comments if c.startswith(key)]
    return [value for value in values if value is not None]


def from_json(text: str) -> Any:
    """What JSON says, None if it is none."""
    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        return None


class Spelling(NamedTuple):
    """How a file writes labels."""

    joint: str
    """What stands between prefix and type."""
    behind: bool
    """Whether the prefix stands behind the type."""
    outside: str
    """How O is written."""

    def read(self, tag: str) -> str:
        """The label of a tag; a tag of no such form is its own label.

        >>> SPELLINGS["PER_B"].read("PER_B"), SPELLINGS["PER_B"].read("-")
        ('B-PER', 'O')
        """
        if tag == self.outside:
            return OUTSIDE
        if self.behind:
            of, joint, prefix = tag.rpartition(self.joint)
        else:
            prefix, joint, of = tag.partition(self.joint)
        return f"{prefix}-{of}" if joint and of and prefix in _PREFIXES else tag

    def write(self, label: str) -> str:
        """The tag of a label.

        >>> SPELLINGS["PER_B"].write("B-PER"), SPELLINGS["PER_B"].write("O")
        ('PER_B', '-')
        """
        if label == OUTSIDE:
            return self.outside
        prefix, of = split_label(label)
        if not of:
            return label
        return f"{of}{self.joint}{prefix}" if self.behind else f"{prefix}{self.joint}{of}"

    def has(self, tag: str) -> bool:
        """Whether O or a label with a type is written so.

        >>> [tag for tag in ("PER_B", "-", "O", "B-PER", "B") if SPELLINGS["PER_B"].has(tag)]
        ['PER_B', '-']
        """
        label = self.read(tag)
        return self.write(label) == tag and (label == OUTSIDE or split_label(label)[1] != "")


_PREFIXES = frozenset("BIES")

SPELLINGS = {
    "PER_B": Spelling("_", True, "-"),
    "PER-B": Spelling("-", True, OUTSIDE),
    "B-PER": Spelling("-", False, OUTSIDE),
    "B_PER": Spelling("_", False, OUTSIDE),
    "PER-B/-": Spelling("-", True, "-"),
    "B-PER/-": Spelling("-", False, "-"),
    "B_PER/-": Spelling("_", False, "-"),
    "PER_B/O": Spelling("_", True, OUTSIDE),
}
"""The spellings in use, named by an example; one that writes O otherwise than is usual
names that as well."""


def guess_spelling(tags: Iterable[str]) -> str:
    """The name of the spelling of some tags; that of `B-PER` if they do not tell.

    Where there are both `O` and `-`, they are two tags, and the usual one of them is O.

    >>> guess_spelling(["-", "PER_B"]), guess_spelling(["O", "O"]), guess_spelling(["-", "PER-B"])
    ('PER_B', 'B-PER', 'PER-B/-')
    """
    seen = set(tags)
    fits = {name: sum(map(spelling.has, seen)) for name, spelling in SPELLINGS.items()}
    best = max(fits.values())
    return next(name for name in ("B-PER", *SPELLINGS) if fits[name] == best)
