"""From the morphemes of a corpus to the eojeols that they make (memoir, 2.3.6)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sejongud.converters.jobs import Conversion
from sejongud.memo import Memo
from sejongud.morphology.eojeol import unsure
from sejongud.morphology.generation import Generator
from sejongud.pipeline import Pipeline
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from sejongud.errors import Note
    from sejongud.model import Morpheme, Sentence

_REMEMBERED = 24_000
WITHOUT_SURFACE = ("sejong-line", "tokens")
"""The formats whose readers make the surfaces themselves."""


class Generation(Conversion):
    """A conversion of a corpus to the surfaces that its morphemes make, a sentence a line.

    The surfaces that the corpus itself states are not looked at.
    """

    writer: str = "text"

    def make_pipeline(self) -> Pipeline:
        """Return the pipeline that reads blocks and writes the surfaces, for one process."""
        rules = load(self.rules)
        if self.reader in WITHOUT_SURFACE:
            return Pipeline(self, self.make_reader(), [], SurfaceWriter(None))
        return Pipeline(self, self.make_reader(), [Doubts(rules)], SurfaceWriter(Generator(rules)))


class Doubts:
    """Gives a sentence a note for each of its eojeols whose surface may be wrong.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        self._doubts: Memo[tuple[Morpheme, ...], tuple[Note, ...]] = Memo(
            partial(unsure, rules), size=_REMEMBERED
        )

    def __call__(self, sentence: Sentence) -> Sentence:
        """Return the sentence, with these notes."""
        doubts = self._doubts
        sentence.notes += tuple([note for e in sentence.eojeols for note in doubts[e.morphemes]])
        return sentence


class SurfaceWriter:
    """Write the eojeols that the morphemes of a sentence make, with a space between two.

    Args:
        generator: makes the surfaces; None if the forms of the eojeols are made already.
    """

    def __init__(self, generator: Generator | None) -> None:
        self._generator = generator

    def sentence(self, sentence: Sentence) -> str:
        """Return the line of a sentence, with its end."""
        if self._generator is None:
            return f"{sentence.text}\n"
        return " ".join(self._generator.surfaces([e.morphemes for e in sentence.eojeols])) + "\n"

    def loses(self, sentence: Sentence) -> tuple[()]:
        """Return nothing: only the surface is asked for."""
        return ()
