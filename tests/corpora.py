"""Texts and corpora, read as sentences and written again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sejongud.converters.entities import CorpusReader
from sejongud.converters.recut import CutWriter, Recut
from sejongud.errors import Report
from sejongud.files import Source
from sejongud.formats import corrections_format
from sejongud.formats.conllu import ConlluReader, ConlluWriter
from sejongud.formats.sejong import SejongWriter
from sejongud.levels.cut import Granularity
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sejongud.errors import Incident, OnError
    from sejongud.formats.base import Reader
    from sejongud.formats.labelled import LabelFormat
    from sejongud.model import Sentence

RULES = load()
ASSEMBLER = Assembler(RULES)


def read_text(
    reader: Reader, text: str, on_error: OnError = "stop", report: Report | None = None
) -> list[Sentence]:
    """The sentences of a text."""
    return list(reader.read(reader.blocks([text]), "-", on_error, report or Report()))


def read_told(
    kind: type[Reader], text: str, on_error: OnError = "stop"
) -> tuple[list[Sentence], list[str]]:
    """The sentences, and the incidents as `line code`."""
    told: list[str] = []
    report = Report(lambda incident: told.append(f"{incident.line} {incident.code}"))
    return read_text(kind(ASSEMBLER, keep=on_error == "keep"), text, on_error, report), told


def read_treebank(text: str, *, trees: bool = True) -> list[Sentence]:
    """The sentences as the converters of treebanks read them."""
    heads: Any = "tree" if trees else "any"
    reader = ConlluReader(ASSEMBLER, heads=heads, aligned=False, whole=True)
    return [reader.parse(block) for block in reader.blocks([text])]


def sejong_text(sentences: Iterable[Sentence]) -> str:
    """Sentences as Sejong text."""
    return "".join(map(SejongWriter().sentence, sentences))


def conllu_text(sentences: Iterable[Sentence], level: int = 5) -> str:
    """Sentences as CoNLL-U at a level."""
    writer = CutWriter(Recut(Granularity(RULES, level)), ConlluWriter())
    return "".join(map(writer.sentence, sentences))


def read_corrections(
    text: str, folder: Path, name: str, settings: str = "", on_error: OnError = "stop"
) -> tuple[list[Any], list[Incident]]:
    """The corrections in a file with a text, and what is told of them."""
    path = folder / "in"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    incidents: list[Incident] = []
    with Source(path) as source:
        found = corrections_format(name, settings).numbered(
            source, on_error, Report(incidents.append)
        )
        return [item for _, item in found], incidents


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
