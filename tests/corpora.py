"""Corpora of entities, read as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.converters.entities import CorpusReader
from sejongud.errors import Report
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sejongud.errors import OnError
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence

ASSEMBLER = Assembler(load())


def read_corpus(
    texts: Iterable[str],
    layout: LabelFormat,
    *,
    report: Report | None = None,
    on_error: OnError = "stop",
    given: Iterator[Sentence] | None = None,
    **options: Any,
) -> tuple[CorpusReader, list[Sentence]]:
    """The reader, and the sentences with their notes."""
    report = report or Report()
    reader = CorpusReader(
        ASSEMBLER, layout, keep=on_error == "keep", **{"nested": False, "workers": 1, **options}
    )
    if given is not None:
        reader.give(given)
    sentences = list(reader.read(reader.blocks(texts), "-", on_error, report))
    report.tell(reader.end(), "-")
    return reader, sentences
