"""The sentences of any file that can be read, with their places.

Corpora of entities (KLUE-NER, NAVER …) and of frames have no morphemes: Kiwi analyses them, as in
`sejongud ner` and `sejongud frame`.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sejongud.converters.jobs import Conversion
from sejongud.formats import resolve
from sejongud.validation.checks import CONLLU_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.errors import Incident, OnError, Report
    from sejongud.files import Source
    from sejongud.formats import Recognised
    from sejongud.formats.base import Reader
    from sejongud.model import Sentence


class Placed(NamedTuple):
    """A sentence and its place in the file."""

    sentence: Sentence
    line: int
    """The first line of the sentence; 0 if it is unknown."""
    line_of: Callable[[int], int]
    """The function that returns the line of an eojeol, counted from 0."""
    lines: str = ""
    """The lines of the sentence in a file of CoNLL-U, without the blank line behind it."""

    def eojeol_of(self, incident: Incident) -> int:
        """Return the eojeol that an incident is about, from 1; 0 for the whole sentence.

        The token of an incident is the number of a word if a check of CoNLL-U found it, and the
        number of an eojeol otherwise.
        """
        first = incident.token.partition("-")[0]
        number = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 0
        if incident.code not in CONLLU_CHECKS:
            return number if number <= len(self.sentence.eojeols) else 0
        owners = enumerate(self.sentence.eojeols)
        eojeols = [at for at, own in owners for token in own.tokens for _ in token.words]
        if 0 < number <= len(eojeols):
            return eojeols[number - 1] + 1
        if not incident.token or not incident.line or not self.line:
            return 0
        starts = [self.line_of(at) for at in range(len(self.sentence.eojeols))]
        return bisect_right(starts, incident.line)


def read_placed(
    source: Source,
    kind: Recognised,
    report: Report,
    *,
    on_error: OnError,
    rules: str | None = None,
    known: Reader | None = None,
) -> Iterator[Placed]:
    """Yield the sentences of a file.

    Args:
        source: the file.
        kind: the format of the file, see `recognise`.
        report: the report of all incidents.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.
        known: a reader that has read the same file with the same settings; it knows its eojeols.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
    """
    path = source.path
    name = resolve(kind.spec, source.head(), path, rules)
    conversion = Conversion(name, on_error=on_error, rules=rules)
    reader = conversion.make_reader() if known is None else known.again()
    for frame, sentence in reader.pairs_of(source, on_error, report):
        lines = frame.text.rstrip("\n") if kind.name == "conllu" else ""
        yield Placed(sentence, frame.line, partial(reader.line_of, frame), lines)
