"""The shapes that cross a module's border: Morpheme, Eojeol, Word, Token, Sentence.

    Sentence                              eojeols + what is said about them here (ids, comments)
      Eojeol     프랑스의                  between two spaces
        Morpheme   프랑스/NNP  의/JKG       as the corpus has them
      Token      프랑스의                  one surface token of CoNLL-U: a range or a single word
        Word       프랑스  의              one line with a HEAD; at level 5 a morpheme

An eojeol is immutable, shared by all the places where it occurs and knows none of them: that is
what lets the work of one eojeol be done once (`sejongud.morphology.eojeol`, `sejongud.levels.cut`).
What belongs to a place, such as the corpus id or a comment, stands in the sentence, parallel to the
eojeols. Tokens and words are a view of the eojeols at one level of granularity, never stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.errors import Note

__all__ = ["LEVELS", "Eojeol", "Labels", "Morpheme", "Sentence", "Span", "Token", "Word"]

LEVELS = (1, 2, 3, 4, 5)
"""The levels of segmentation granularity (memoir, ch. 2): from the eojeol to the morpheme."""

Span = tuple[int, int]
"""Begin and end of a piece of a surface, in characters (code points), end exclusive."""

Labels = tuple[tuple[str, ...], ...]
"""A layer of labels: for each eojeol those of its morphemes, () where none of them has any. The
label of a morpheme outside every entity is O."""


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
    """

    __slots__ = ("_spans", "form", "is_plain", "morphemes", "notes")

    def __init__(
        self,
        form: str,
        morphemes: tuple[Morpheme, ...],
        spans: tuple[Span, ...] | None = None,
        notes: tuple[Note, ...] = (),
    ) -> None:
        self.form = form
        self.morphemes = morphemes
        self.notes = notes
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
        """The eojeol with more to report, before what there is already; itself if there is none.

        Args:
            notes: what to report at every place of the eojeol.
        """
        added = tuple(notes)
        if not added:
            return self
        spans = None if self.is_plain else self._spans
        return Eojeol(self.form, self.morphemes, spans, (*added, *self.notes))

    def __repr__(self) -> str:
        analysis = "+".join(f"{m.written}/{m.tag}" for m in self.morphemes)
        return f"<Eojeol {self.form} {analysis}>"


class Word(NamedTuple):
    """One word: a run of an eojeol's morphemes that a granularity level leaves together."""

    form: str
    lemma: str
    upos: str
    xpos: str
    morphemes: tuple[Morpheme, ...]


class Token(NamedTuple):
    """One surface token: a single word, or a range over several."""

    form: str
    words: tuple[Word, ...]


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
        columns: those of a treebank's own words, where the source has any (see `WordColumns`).
        entities: named entities in BIO, or whatever a system made of it; one layer, more where they
            are nested, from the outermost inwards.
    """

    eojeols: tuple[Eojeol, ...]
    sent_id: str = ""
    ids: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    text_orig: str = ""
    number: int = 0
    columns: tuple[WordColumns, ...] = field(default=())
    entities: tuple[Labels, ...] = ()

    @property
    def text(self) -> str:
        """The eojeols joined by one space."""
        return " ".join([eojeol.form for eojeol in self.eojeols])

    @property
    def morphemes(self) -> Iterator[Morpheme]:
        """All morphemes in order."""
        for eojeol in self.eojeols:
            yield from eojeol.morphemes

    def at_level(
        self, level: int, *, upos: str = "sejong", lemmas: str = "normalised"
    ) -> list[Token]:
        """The tokens of the sentence, with their words at a level of granularity.

        Args:
            level: 1 to 5.
            upos: the UPOS scheme.
            lemmas: the lemma scheme.

        Raises:
            UsageError: no such level or scheme.
        """
        from sejongud.levels.cut import granularity

        tokens = granularity(level, upos, lemmas).tokens
        return [token for eojeol in self.eojeols for token in tokens(eojeol)]


class WordColumns(NamedTuple):
    """What a CoNLL-U file says of one of its words beyond its morphemes.

    A treebank is cut into words of its own; these columns stand beside the eojeols, anchored in
    their morphemes, so that a layer can be projected on another cut.
    """

    eojeol: int
    """Which eojeol, from 0."""
    first: int
    """Its first morpheme in the eojeol, from 0."""
    last: int
    """Behind its last morpheme."""
    upos: str
    lemma: str
    xpos: str
    feats: str
    head: int
    """Which word of the sentence governs it, from 1; 0 the root; -1 where there is none."""
    deprel: str
    deps: str
    misc: tuple[str, ...]
    """The items of MISC that the model does not hold elsewhere, in order."""
