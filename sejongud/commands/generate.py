"""Make the text of a corpus from its morphemes, a sentence a line.

The input has any format that `convert` reads: lines of analyses (나/NP+는/JX 가/VV+ㄴ다/EF), Sejong
text, CoNLL-U of any level … The surface forms in the input are ignored. Kiwi conjugates and
contracts the morphemes, and rules/joins.tsv corrects the result. If two surface forms are right
(했다, 하였다), the more frequent form is written. The function `sejongud.surface` of the library
can also take a source text, and then keeps the forms that the source has chosen.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sejongud.commands import format_in, run_file, told_totals
from sejongud.converters.jobs import Conversion
from sejongud.errors import Incident
from sejongud.memo import Memo
from sejongud.morphology.eojeol import unsure
from sejongud.morphology.generation import Generator
from sejongud.pipeline import Work, convert_stream
from sejongud.rules import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import TextIO

    from sejongud.errors import Note, Report
    from sejongud.files import Source
    from sejongud.model import Morpheme, Sentence
    from sejongud.rules import Rules

_REMEMBERED = 24_000
WITHOUT_SURFACE = ("sejong-line", "tokens")
"""The formats whose readers make the surfaces themselves."""


def run(args: argparse.Namespace) -> int:
    """Write the surfaces of `args.input` to `args.output`."""
    return run_file(args, _generate)


def _generate(
    args: argparse.Namespace, source: Source, out: TextIO, report: Report
) -> Sequence[str]:
    name = format_in(args, source)
    if name == "text":
        message = "text has no morphemes to join: write segmented text with --mark, or with tags"
        report.add(Incident("W632", message, source.path))
    generation = Generation(
        name,
        on_error=args.on_error,
        rules=args.rules,
        path=source.path,
        reader_options={"noted": False} if name in WITHOUT_SURFACE else {},
    )
    return told_totals(args, convert_stream(generation, source, out, report, jobs=args.jobs))


class Generation(Conversion):
    """A conversion of a corpus to the surfaces that its morphemes make, a sentence a line.

    The surfaces that the corpus itself states are not looked at.
    """

    writer: str = "text"

    def make_work(self) -> Work:
        """Return the work that reads frames and writes the surfaces, for one process."""
        rules = load(self.rules)
        if self.reader in WITHOUT_SURFACE:
            return Work(self, self.make_reader(), [], SurfaceWriter(None))
        return Work(self, self.make_reader(), [Doubts(rules)], SurfaceWriter(Generator(rules)))


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
