"""The one model of a sentence: Morpheme, Eojeol, Word, Token, Sentence.

    Sentence                              eojeols + what is said about them here (ids, comments)
      Eojeol     프랑스의                  between two spaces
        Morpheme   프랑스/NNP  의/JKG       as the corpus has them
      Token      프랑스의                  one surface token of CoNLL-U: a range or a single word
        Word       프랑스  의              one line with a HEAD; at level 5 a morpheme

An eojeol is immutable, shared by all the places where it occurs and knows none of them: that is
what lets the work of one eojeol be done once. Its tokens are the cut it is in: a treebank's own as
it was read, or that of a level (`sejongud.converters.recut`); Sejong text has none. What belongs to
a place stands in the sentence, parallel to the eojeols (ids, labels of entities) or to their words
(arcs).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.errors import Note

__all__ = [
    "LEVELS",
    "NOTHING",
    "Arcs",
    "EmptyNode",
    "Eojeol",
    "Header",
    "Labels",
    "Morpheme",
    "Said",
    "Sentence",
    "Span",
    "Token",
    "Word",
]

NOTHING = "_"
"""The cell of CoNLL-U that holds nothing."""

LEVELS = (1, 2, 3, 4, 5)
"""The levels of segmentation granularity (memoir, ch. 2): from the eojeol to the morpheme."""

Span = tuple[int, int]
"""Begin and end of a piece of a surface, in characters (code points), end exclusive."""

Labels = tuple[tuple[str, ...], ...]
"""A layer of labels: for each eojeol those of its morphemes, () where none of them has any. The
label of a morpheme outside every entity is O."""


Said = tuple[str, tuple[tuple[str, ...], ...]]
"""What the lines of an eojeol say of its place: its corpus id, and of each layer the labels of its
morphemes."""

NOTHING_SAID: Said = "", ()


class Morpheme(NamedTuple):
    """One morpheme of the analysis.

    >>> Morpheme("은", "ETM", source="ᆫ")
    Morpheme(form='은', tag='ETM', source='ᆫ', sense='', source_tag='', added=False)
    """

    form: str
    """The morpheme; bound consonants as compatibility jamo (ㄴ), 이 for an elided `(이)`."""
    tag: str
    """Its tag in the Sejong tag set (or the corpus's own, where that is another)."""
    source: str = ""
    """How the corpus spells it, where that differs from `form`: conjoining jamo, `(이)`."""
    sense: str = ""
    """The sense number, `02` of `의상__02/NNG`."""
    source_tag: str = ""
    """The tag as the corpus has it, where a typo in it was mended."""
    added: bool = False
    """Whether the corpus lacks it: a final symbol that the form has and the analysis has not."""

    @property
    def written(self) -> str:
        """The form as the corpus has it."""
        return self.source or self.form

    @property
    def elided(self) -> bool:
        """Whether the corpus marks it as not pronounced, `(이)/VCP` (spoken corpus)."""
        return self.source.startswith("(") and self.source.endswith(")") and len(self.source) > 2


class Eojeol:
    """What stands between two spaces, and its morphemes.

    Built by `sejongud.morphology.eojeol.Assembler`, which mends the analysis and aligns it.
    Compared by identity: an assembler hands out one object for one (form, analysis).

    Args:
        form: the surface.
        morphemes: in order; at least one.
        spans: what each morpheme covers of `form`; morphemes that fuse share a syllable, one that
            is elided has an empty span. None where the morphemes simply stand one after another.
        notes: what was mended or could not be, to be reported at every place of the eojeol.
        tokens: how it is cut into tokens and words; () where the source has no cut of its own.
        said: the corpus id and the labels that MISC of these tokens says.
    """

    __slots__ = ("_spans", "form", "is_plain", "morphemes", "notes", "said", "tokens")

    def __init__(
        self,
        form: str,
        morphemes: tuple[Morpheme, ...],
        spans: tuple[Span, ...] | None = None,
        notes: tuple[Note, ...] = (),
        tokens: tuple[Token, ...] = (),
        said: Said = NOTHING_SAID,
    ) -> None:
        self.form = form
        self.morphemes = morphemes
        self.notes = notes
        self.tokens = tokens
        self.said = said
        self.is_plain = spans is None
        """Whether the forms of the morphemes, joined, are the surface."""
        self._spans = spans

    @property
    def spans(self) -> tuple[Span, ...]:
        """What each morpheme covers of the form, in characters.

        >>> Eojeol("나는", (Morpheme("나", "NP"), Morpheme("는", "JX"))).spans
        ((0, 1), (1, 2))
        """
        if self._spans is None:
            ends = list(accumulate([len(m.form) for m in self.morphemes]))
            self._spans = tuple(zip([0, *ends], ends, strict=False))
        return self._spans

    def with_notes(self, notes: Iterable[Note]) -> Eojeol:
        """Return the eojeol with more to report, before what there is already.

        Args:
            notes: what to report at every place of the eojeol; itself is returned for none.
        """
        added = tuple(notes)
        return self.but(notes=(*added, *self.notes)) if added else self

    def but(
        self,
        *,
        notes: tuple[Note, ...] | None = None,
        tokens: tuple[Token, ...] | None = None,
        said: Said | None = None,
    ) -> Eojeol:
        """Return the eojeol with other notes or another cut."""
        return Eojeol(
            self.form,
            self.morphemes,
            None if self.is_plain else self._spans,
            self.notes if notes is None else notes,
            self.tokens if tokens is None else tokens,
            self.said if said is None else said,
        )

    def __repr__(self) -> str:
        analysis = "+".join(f"{m.written}/{m.tag}" for m in self.morphemes)
        return f"<Eojeol {self.form} {analysis}>"


class Word(NamedTuple):
    """One word, wherever it stands: a line of CoNLL-U but for its number and its arc.

    A word is made at a level of granularity, or it is a treebank's own. Columns of a treebank's own
    word that the source does not fill are "".
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    misc: str
    """MISC: of a word that was read, all of it; of one that was made, what its morphemes do not
    say (their spelling and senses), "" for nothing."""
    morphemes: tuple[Morpheme, ...]


class Token:
    """One surface token, wherever it stands: a single word, or a range over several.

    Compared by identity: a reader or a cutter hands out one object for the same lines.

    Args:
        form: the surface.
        words: one, or all of the range.
        feats: FEATS of the range line (`Typo=Yes` may stand there).
        misc: MISC of the range line, or of the word if it is a single one; as in `Word`.
        notes: what there is to report of it, at every place.
        was_read: whether its columns are those of a file, which are written as they were.
        space_after: whether a space follows, so that an eojeol ends with it.
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

    def __repr__(self) -> str:
        return f"<Token {self.form} {'+'.join([word.xpos for word in self.words])}>"


class EmptyNode(NamedTuple):
    """A node of the enhanced graph that is no word of the surface."""

    after: int
    """The word it stands behind, from 1; 0 at the front."""
    number: str
    """The digits behind the dot of its ID."""
    cells: tuple[str, ...]
    """The nine columns behind the ID."""


class Arcs(NamedTuple):
    """The dependencies of a sentence, parallel to the words of its eojeols."""

    heads: tuple[int, ...]
    """The governor of each word, from 1; 0 for the root, -1 for none."""
    deprels: tuple[str, ...]
    deps: tuple[str, ...] = ()
    """DEPS of each word; () where no word has any."""
    nodes: tuple[EmptyNode, ...] = ()


class Header(NamedTuple):
    """The comment lines of a sentence as the file has them, and what was read in them.

    They are written as they are for as long as the sentence still says the same.
    """

    lines: str
    sent_id: str
    comments: tuple[str, ...]
    text_orig: str


@dataclass(slots=True)
class Sentence:
    """A sentence: its eojeols, and what is said about them here.

    Args:
        eojeols: in order.
        sent_id: unique in its file.
        ids: the corpus ids of the eojeols, parallel to them; empty where the source has none.
        comments: every other comment line, in order, without the leading `#` and its space:
            `newdoc id = BTAA0001`, `text_en = …`, free text.
        text_orig: the text as the source has it, where it is not the eojeols joined by one space.
        number: which sentence of its file it is, from 1; an id that is this number says no more.
        arcs: dependencies between the words of the eojeols' own cut, where there are any.
        entities: named entities in BIO, or whatever a system made of it; one layer, more where they
            are nested, from the outermost inwards.
        is_treebank: whether its words have columns that morphemes do not tell (arcs, features …):
            these words keep them wherever they are words of another cut.
        header: its comment lines, where it was read from CoNLL-U.
        notes: what there is to report of the sentence as a whole.
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

    def with_cut(self, eojeols: tuple[Eojeol, ...], arcs: Arcs | None) -> Sentence:
        """Return the sentence with its eojeols cut another way, and the arcs of these words."""
        return Sentence(
            eojeols,
            self.sent_id,
            self.ids,
            self.comments,
            self.text_orig,
            self.number,
            arcs,
            self.entities,
            self.is_treebank,
            self.header,
            self.notes,
        )

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
        """The tokens of the sentence's own cut."""
        for eojeol in self.eojeols:
            yield from eojeol.tokens

    @property
    def words(self) -> Iterator[Word]:
        """The words of the sentence's own cut."""
        for token in self.tokens:
            yield from token.words
