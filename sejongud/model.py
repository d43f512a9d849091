"""The one model of a sentence: Morpheme, Eojeol, Word, Token, Sentence.

    Sentence                              eojeols, and their ids, comments, arcs, entities, frames
      Eojeol     프랑스의                  between two spaces
        Morpheme   프랑스/NNP  의/JKG       a form and a tag of the corpus
      Token      프랑스의                  one surface token of CoNLL-U: a range or a single word
        Word       프랑스  의              one line with a HEAD; at level 5 a morpheme

An eojeol is immutable. All places where it occurs share one object, so an eojeol is processed only
once. Its tokens hold its segmentation: the source's own in a treebank, or the segmentation of a
level (`sejongud.converters.recut`); eojeols of Sejong text have no tokens. The sentence holds the
values of a place, parallel to the eojeols (ids, labels of entities) or to their words (arcs).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    from sejongud.errors import Note

NOTHING = "_"
"""The content of an empty CoNLL-U cell."""

LEVEL_NAMES = ("eojeols", "+ symbols", "+ particles", "+ endings", "morphemes")
"""The words that each level adds to those of the level before."""

LEVELS = tuple(range(1, len(LEVEL_NAMES) + 1))
"""The levels of segmentation granularity (memoir, ch. 2): from the eojeol to the morpheme.
rules/kinds.tsv has the level at which a kind of morpheme becomes a word."""

MORPHEMES = LEVELS[-1]
"""The level at which every morpheme is a word."""

LEVELS_OF_PARTS = tuple(map(str, LEVELS[1:]))
"""The levels whose words are parts of those of a treebank, as they are typed."""

Span = tuple[int, int]
"""Start and end of a part of the surface, in characters (code points); the end is exclusive."""

Labels = tuple[tuple[str, ...], ...]
"""A layer of labels: a tuple for each eojeol with the labels of its morphemes, () for an unlabelled
eojeol. The label of a morpheme outside every entity is O."""


Occurrence = tuple[str, tuple[tuple[str, ...], ...]]
"""The values of a place that the lines of an eojeol state: its corpus id, and for each layer the
labels of its morphemes."""

NO_OCCURRENCE: Occurrence = "", ()


_REQUIRED = object()


@dataclass_transform()
class Record:
    """A class whose annotations are its arguments, those with a value being optional.

    The import of `dataclasses` reads half of Python's own tools, and each of its classes compiles
    six functions: a seventh of the time in which a small file is converted. Every run needs the
    records; other classes may be dataclasses. Types are checked alike.

    >>> class Place(Record):
    ...     line: int
    ...     path: str = "-"
    >>> Place(3) == Place(line=3, path="-"), Place(3, "a").but(line=4) == Place(4, "a")
    (True, True)
    """

    defaults: ClassVar[dict[str, Any]] = {}
    """The value of each field, in the order of arguments."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        kinds = vars(cls).get("__annotations__", {}).items()
        own = [name for name, kind in kinds if not kind.startswith("ClassVar")]
        cls.defaults = cls.defaults | {name: vars(cls).get(name, _REQUIRED) for name in own}
        type.__setattr__(cls, "__match_args__", tuple(cls.defaults))

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self.defaults, values, strict=False)) | named
        fields = self.defaults | given
        is_odd = len(given) < len(values) + len(named) or len(fields) > len(self.defaults)
        if is_odd or any([value is _REQUIRED for value in fields.values()]):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.defaults)}, each once")
        self.__dict__ = fields
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the values."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def but(self, **changes: Any) -> Self:
        """Return the record with other values in some fields."""
        return type(self)(**{name: getattr(self, name) for name in self.defaults} | changes)


class Morpheme(NamedTuple):
    """One morpheme of the analysis.

    >>> Morpheme("은", "ETM", source="ᆫ")
    Morpheme(form='은', tag='ETM', source='ᆫ', sense='', source_tag='', added=False)
    """

    form: str
    """The form; bound consonants are compatibility jamo (ㄴ), and an elided `(이)` is 이."""
    tag: str
    """The tag in the Sejong tag set, or in the corpus's own tag set if it uses another."""
    source: str = ""
    """The spelling in the corpus, if it differs from `form`: conjoining jamo, `(이)`."""
    sense: str = ""
    """The sense number, such as `02` in `의상__02/NNG`."""
    source_tag: str = ""
    """The tag in the corpus, if a typo in it was mended."""
    added: bool = False
    """Whether a reader added the morpheme: a final symbol of the form missing in the analysis."""

    @property
    def written(self) -> str:
        """The form in the corpus's spelling."""
        return self.source or self.form

    @property
    def elided(self) -> bool:
        """Whether the corpus marks the morpheme as not pronounced: `(이)/VCP` (spoken corpus).

        >>> sources = "(이)", "(이", "이)", "()", "(이)다"
        >>> [Morpheme("이", "VCP", source).elided for source in sources]
        [True, False, False, False, False]
        """
        return self.source.startswith("(") and self.source.endswith(")") and len(self.source) > 2


class Eojeol:
    """A unit of text between two spaces, with its morphemes.

    `sejongud.morphology.eojeol.Assembler` builds eojeols: it mends the analysis and aligns it with
    the form. Eojeols are compared by identity: an assembler returns one object for each pair of
    form and analysis.

    Args:
        form: the surface.
        morphemes: at least one, in order.
        spans: the span of each morpheme in `form`. Fused morphemes share a syllable, and an elided
            morpheme has an empty span. None if the forms of the morphemes, joined, are `form`.
        notes: repairs and faults of the analysis, reported at every place of the eojeol.
        tokens: the segmentation into tokens and words; () if the source has none.
        said: the corpus id and the labels in MISC of these tokens.
    """

    __slots__ = ("form", "is_plain", "morphemes", "notes", "occurrence", "spans", "tokens")

    spans: tuple[Span, ...]
    """The span of each morpheme in the form, in characters.

    >>> Eojeol("나는", (Morpheme("나", "NP"), Morpheme("는", "JX"))).spans
    ((0, 1), (1, 2))
    """

    def __init__(
        self,
        form: str,
        morphemes: tuple[Morpheme, ...],
        spans: tuple[Span, ...] | None = None,
        notes: tuple[Note, ...] = (),
        tokens: tuple[Token, ...] = (),
        occurrence: Occurrence = NO_OCCURRENCE,
    ) -> None:
        self.form = form
        self.morphemes = morphemes
        self.notes = notes
        self.tokens = tokens
        self.occurrence = occurrence
        self.is_plain = spans is None
        """Whether the surface is the concatenation of the morphemes' forms."""
        if spans is not None:
            self.spans = spans

    def __getattr__(self, name: str) -> tuple[Span, ...]:
        """Return the spans of a plain eojeol, which are computed when they are first asked for."""
        if name != "spans":
            raise AttributeError(name, name=name, obj=self)
        ends = list(accumulate([len(m.form) for m in self.morphemes]))
        self.spans = tuple(zip([0, *ends], ends, strict=False))
        return self.spans

    @property
    def words(self) -> list[Word]:
        """The words of all tokens in order."""
        return [word for token in self.tokens for word in token.words]

    def with_notes(self, notes: Iterable[Note]) -> Eojeol:
        """Return the eojeol with more notes, placed before its own.

        Args:
            notes: reported at every place of the eojeol; for no notes, the eojeol itself returns.
        """
        added = tuple(notes)
        return self.but(notes=(*added, *self.notes)) if added else self

    def but(
        self,
        *,
        notes: tuple[Note, ...] | None = None,
        tokens: tuple[Token, ...] | None = None,
        occurrence: Occurrence | None = None,
    ) -> Eojeol:
        """Return the eojeol with other notes, another segmentation or other values of its place."""
        return Eojeol(
            self.form,
            self.morphemes,
            None if self.is_plain else self.spans,
            self.notes if notes is None else notes,
            self.tokens if tokens is None else tokens,
            self.occurrence if occurrence is None else occurrence,
        )

    def __repr__(self) -> str:
        analysis = "+".join(f"{m.written}/{m.tag}" for m in self.morphemes)
        return f"<Eojeol {self.form} {analysis}>"


class Word(NamedTuple):
    """A word independent of its place: a line of CoNLL-U without ID, HEAD, DEPREL and DEPS.

    A level of granularity produces words, and a treebank has its own. Columns of a treebank's own
    word that the source leaves open are "".
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    misc: str
    """MISC: the whole column of a word from a file; for a word of a level only the items that its
    morphemes do not supply (they supply spelling and senses), "" if there are none."""
    morphemes: tuple[Morpheme, ...]


class Token:
    """A surface token independent of its place: a single word, or a range over several.

    Tokens are compared by identity: a reader or a cutter returns one object for equal lines.

    Args:
        form: the surface.
        words: the single word, or the words of the range.
        feats: FEATS of the range line (it may be `Typo=Yes`).
        misc: MISC of the range line, or of the single word; as in `Word`.
        notes: incidents to report at every place of the token.
        was_read: whether the columns come from a file; they are then written unchanged.
        space_after: whether a space follows, so that the token ends its eojeol.
    """

    __slots__ = ("feats", "form", "misc", "notes", "space_after", "was_read", "words")

    def __init__(
        self,
        form: str,
        words: tuple[Word, ...],
        feats: str = "_",
        misc: str = "_",
        notes: tuple[Note, ...] = (),
        *,
        was_read: bool = True,
        space_after: bool = True,
    ) -> None:
        self.form = form
        self.words = words
        self.feats = feats
        self.misc = misc
        self.notes = notes
        self.was_read = was_read
        self.space_after = space_after

    @property
    def morphemes(self) -> tuple[Morpheme, ...]:
        """The morphemes of all words in order."""
        return tuple([morpheme for word in self.words for morpheme in word.morphemes])

    def __repr__(self) -> str:
        return f"<Token {self.form} {'+'.join([word.xpos for word in self.words])}>"


class EmptyNode(NamedTuple):
    """An empty node of the enhanced graph, which has no surface."""

    after: int
    """The number of the word before it, from 1; 0 at the start of the sentence."""
    number: str
    """The digits after the dot of its ID."""
    cells: tuple[str, ...]
    """The nine columns after the ID."""


class Arcs(NamedTuple):
    """The dependencies of a sentence, parallel to the words of its eojeols."""

    heads: tuple[int, ...]
    """The governor of each word, from 1; 0 for the root, -1 if HEAD is empty."""
    deprels: tuple[str, ...]
    deps: tuple[str, ...] = ()
    """DEPS of each word; () if the column is empty throughout the sentence."""
    nodes: tuple[EmptyNode, ...] = ()


class Target(NamedTuple):
    """An eojeol that belongs to the target of a frame."""

    unit: str
    """The lexical unit with its part of speech: `거주하다.v`."""
    frame: str
    at: tuple[int, ...] = ()
    """The positions of the morphemes that belong to the target; () for all of them."""


class FrameInstance(NamedTuple):
    """A frame in a sentence (memoir, 3.4): its target and its frame elements."""

    targets: tuple[Target | None, ...]
    """For each eojeol, None where it is outside the target."""
    labels: Labels
    """The frame elements of the morphemes in BIO, those of the target included."""
    comments: tuple[str, ...] = ()
    """What the file says of this instance, as comments."""


class Constituent(NamedTuple):
    """A constituent of a phrase structure, over the morphemes of a sentence.

    It stands on morphemes, so no segmentation changes it. A null element (`*pro*`, `*T*-1`) is a
    constituent with an empty span, without constituents of its own, whose label is its text.
    """

    label: str
    start: int
    """The first morpheme, from 0 in the sentence."""
    end: int
    """The place behind the last morpheme."""
    depth: int
    """The number of constituents around it: empty spans do not tell which constituent has them."""


class Header(NamedTuple):
    """The comment lines of a sentence in the file, and the values that were read from them.

    A writer copies the lines for as long as the sentence has these values.
    """

    lines: str
    sent_id: str
    comments: tuple[str, ...]
    text_orig: str


class Sentence(Record):
    """A sentence: its eojeols and their values in this place.

    Args:
        eojeols: in order.
        sent_id: unique in its file.
        ids: the corpus ids of the eojeols, parallel to them; empty if the source has none.
        comments: all other comment lines, in order, without the leading `#` and its space:
            `newdoc id = BTAA0001`, `text_en = …`, free text.
        text_orig: the text of the source, if it differs from the eojeols joined by one space.
        number: the position of the sentence in its file, from 1. A sent_id equal to this number
            carries no further information.
        arcs: dependencies between the words of the eojeols' tokens, or None.
        entities: layers of named entities in BIO or in the labels of a system; nested entities have
            several layers, the outermost first.
        is_treebank: whether the words have columns of their own (arcs, features …). Words that are
            equal in another segmentation keep these columns.
        header: the comment lines of a sentence from CoNLL-U.
        notes: incidents to report of the sentence as a whole.
        frames: the instances of frames, in the order of their file.
        constituents: the phrase structure in the order in which its brackets open, so of two
            constituents over the same morphemes the first is the outer one. The tags of the words
            (preterminals) are not among them: they belong to the words of a level.
    """

    eojeols: tuple[Eojeol, ...]
    sent_id: str = ""
    ids: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    text_orig: str = ""
    number: int = 0
    arcs: Arcs | None = None
    entities: tuple[Labels, ...] = ()
    is_treebank: bool = False
    header: Header | None = None
    notes: tuple[Note, ...] = ()
    frames: tuple[FrameInstance, ...] = ()
    constituents: tuple[Constituent, ...] = ()

    @property
    def text(self) -> str:
        """The eojeols joined by one space."""
        return " ".join([eojeol.form for eojeol in self.eojeols])

    @property
    def morphemes(self) -> Iterator[Morpheme]:
        """All morphemes in order."""
        for eojeol in self.eojeols:
            yield from eojeol.morphemes

    @property
    def tokens(self) -> Iterator[Token]:
        """The tokens of all eojeols in order."""
        for eojeol in self.eojeols:
            yield from eojeol.tokens

    @property
    def words(self) -> Iterator[Word]:
        """The words of all eojeols in order."""
        for token in self.tokens:
            yield from token.words


def changed_token(token: Token, words: tuple[Word, ...], feats: str, misc: str) -> Token:
    """Return a token with other words, and with other FEATS and MISC on its first line."""
    return Token(
        token.form,
        words,
        feats,
        misc,
        token.notes,
        was_read=token.was_read,
        space_after=token.space_after,
    )


def with_items(misc: str, items: Sequence[str]) -> str:
    """Return MISC with more items at its end.

    >>> with_items("_", ["a=1"]), with_items("SpaceAfter=No", ["a=1"]), with_items("_", [])
    ('a=1', 'SpaceAfter=No|a=1', '_')
    """
    if not items:
        return misc
    return "|".join([*([] if misc in ("", NOTHING) else [misc]), *items])


def telling(token: Token, item: str) -> Token:
    """Return a token with a further item in its MISC."""
    misc = with_items(token.misc, [item])
    words = token.words
    if len(words) == 1:
        words = (words[0]._replace(misc=misc),)
    return changed_token(token, words, token.feats, misc)
