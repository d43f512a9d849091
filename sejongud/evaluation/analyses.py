"""A file of any format as eojeols with their morphemes, for the metrics that compare analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.commands import open_input
from sejongud.errors import FormatError, Incident, UsageError
from sejongud.evaluation.differences import Text
from sejongud.formats import reader_class, resolve

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sejongud.model import Eojeol
    from sejongud.morphology.eojeol import Assembler

__all__ = ["Analysed", "read_analyses"]


class Analysed(NamedTuple):
    """A text and the analysis of its eojeols."""

    text: Text
    """The sentences; their tokens are the eojeols."""
    sentences: Sequence[Sequence[Eojeol]]
    incidents: Sequence[Incident]

    def within(self, sentences: range) -> list[Eojeol]:
        """The eojeols of some of the sentences."""
        return [eojeol for at in sentences for eojeol in self.sentences[at]]


def read_analyses(
    args: argparse.Namespace, path: str, assembler: Assembler, form: str | None = None
) -> Analysed:
    """Read a file; an eojeol that cannot be read is unknown and reported.

    Args:
        args: the common options.
        path: the file.
        assembler: builds the eojeols; files that share one have the same object for the same
            analysis.
        form: the format, None to find it out.

    Raises:
        UsageError: the file is plain text, or there is no such format.
    """
    sentences: list[Sequence[Eojeol]] = []
    lines: list[int] = []
    incidents: list[Incident] = []
    with open_input(args, path) as source:
        name = resolve(form, source.head())
        if name == "text":
            raise UsageError(f"{path} is plain text: it has no morphemes")
        reader = reader_class(name)(assembler, keep=True)
        for frame in reader.frame(source.chunks()):
            try:
                eojeols = reader.parse(frame).eojeols
            except FormatError as error:
                incidents.append(error.at(path=path, line=frame.line).incident())
                continue
            for at, eojeol in enumerate(eojeols):
                line = reader.line_of(frame, at) if eojeol.notes else 0
                incidents += [
                    Incident(note.code, note.message, path, line, 0, frame.sent_id, str(at + 1))
                    for note in eojeol.notes
                    if note.code.startswith("E")
                ]
            sentences.append(eojeols)
            lines.append(frame.line)
    if not sentences:
        incidents.append(Incident("E801", "there is no sentence in this file", path))
    forms = [[eojeol.form for eojeol in eojeols] for eojeols in sentences]
    return Analysed(Text(forms, lines, path), sentences, incidents)
