"""The sentences of whatever can be read, corpora of entities included, each with its place.

A file is read as what it is said to be or looks like. Corpora of entities (KLUE-NER, NAVER …) have
no morphemes of their own: Kiwi analyses them, as `sejongud ner` does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sejongud.conversion import Conversion
from sejongud.formats import label_format
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load
from sejongud.validation.checks import CONLLU_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.errors import Incident, OnError, Report
    from sejongud.files import Source
    from sejongud.formats import Recognised
    from sejongud.formats.base import Frame
    from sejongud.model import Sentence

__all__ = ["Placed", "read_placed"]


class Placed(NamedTuple):
    """A sentence, and where it stands."""

    sentence: Sentence
    line: int
    """Its first line in the file; 0 where that is not known."""
    line_of: Callable[[int], int]
    """The line of each of its eojeols, from 0."""

    def eojeol_of(self, incident: Incident) -> int:
        """Which eojeol an incident speaks of, from 1; 0 for the sentence as a whole.

        What is said of the words of CoNLL-U names a word, all else an eojeol.
        """
        first = incident.token.partition("-")[0]
        number = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 0
        if incident.code not in CONLLU_CHECKS:
            return number if number <= len(self.sentence.eojeols) else 0
        columns = self.sentence.columns
        if 0 < number <= len(columns):
            return columns[number - 1].eojeol + 1
        if not incident.token or not incident.line or not self.line:
            return 0
        starts = [self.line_of(at) for at in range(len(self.sentence.eojeols))]
        return bisect_right(starts, incident.line)


def read_placed(
    source: Source, kind: Recognised, report: Report, *, on_error: OnError, rules: str | None = None
) -> Iterator[Placed]:
    """The sentences of a file.

    Args:
        source: the file.
        kind: its format, see `recognise`.
        report: what is told of everything that was mended or left out.
        on_error: "stop", "skip" or "keep".
        rules: the user's tables.

    Raises:
        FormatError: an error in the data, with `on_error` "stop".
    """
    if kind.is_entities:
        yield from _read_labelled(source, kind, report, on_error=on_error, rules=rules)
        return
    reader = Conversion(kind.name, on_error=on_error, rules=rules).make_reader()
    waiting: deque[Frame] = deque()

    def frames() -> Iterator[Frame]:
        for frame in reader.frames_of(source):
            waiting.append(frame)
            yield frame

    # A reader may be some frames ahead of its sentences, or leave some out.
    for sentence in reader.read(frames(), source.path, on_error, report):
        while waiting and waiting[0].sent_id != sentence.sent_id:
            waiting.popleft()
        frame = waiting.popleft()
        yield Placed(sentence, frame.line, partial(reader.line_of, frame))


def _read_labelled(
    source: Source, kind: Recognised, report: Report, *, on_error: OnError, rules: str | None
) -> Iterator[Placed]:
    from sejongud.converters.entities import Forward

    layout = label_format(*kind)
    forward = Forward(
        Assembler(load(rules)),
        layout,
        report,
        nested=True,
        on_error=on_error,
        path=source.path,
    )
    for sentence in forward.sentences(source.chunks()):
        yield Placed(sentence, 0, lambda at: 0)
