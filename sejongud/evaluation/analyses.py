"""Read a file of any format as eojeols with their morphemes, for metrics that compare analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sejongud.errors import FormatError, Incident, UsageError
from sejongud.evaluation.side import collect
from sejongud.formats import reader_class, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.evaluation.side import Found, Side
    from sejongud.files import Source
    from sejongud.formats.base import Reader
    from sejongud.model import Eojeol
    from sejongud.morphology.eojeol import Assembler

__all__ = ["read_analyses"]


def read_analyses(
    source: Source, assembler: Assembler, form: str | None = None
) -> Side[list[Sequence[Eojeol]]]:
    """Read the eojeols of a file; an eojeol that cannot be read is unknown and reported.

    Args:
        source: the file.
        assembler: builds the eojeols; files that share one have the same object for the same
            analysis.
        form: the format, None to detect it.

    Raises:
        UsageError: the file is plain text, or there is no such format.
    """
    name = resolve(form, source.head())
    if name == "text":
        raise UsageError(f"{source.path} is plain text: it has no morphemes")
    reader = reader_class(name)(assembler, keep=True)
    return collect(source.path, _sentences(reader, source))


def _sentences(reader: Reader, source: Source) -> Iterator[Found[Sequence[Eojeol]] | Incident]:
    for frame in reader.frames_of(source):
        try:
            eojeols = reader.parse(frame).eojeols
        except FormatError as error:
            yield error.at(path=source.path, line=frame.line).incident()
            continue
        for at, eojeol in enumerate(eojeols):
            for code, message in eojeol.notes:
                if code.startswith("E"):
                    line, number = reader.line_of(frame, at), str(at + 1)
                    yield Incident(code, message, source.path, line, 0, frame.sent_id, number)
        yield frame.line, [eojeol.form for eojeol in eojeols], eojeols
