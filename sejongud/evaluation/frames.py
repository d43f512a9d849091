"""Frames against gold: targets and frame elements, by the figures of `sejongud.evaluation.ner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from sejongud.converters.frames import Voter
from sejongud.errors import FormatError, Incident, UsageError
from sejongud.evaluation.entities import Tagged
from sejongud.evaluation.ner import NerMetric
from sejongud.evaluation.side import collect, left_out
from sejongud.formats import FRAME_FORMATS, frame_format, sniff
from sejongud.formats.conllu import ConlluReader
from sejongud.formats.conllu.layers import frame_cells, target_tags
from sejongud.layers.labels import OUTSIDE
from sejongud.morphology.eojeol import Assembler
from sejongud.rules import load

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.evaluation.side import Found, Side
    from sejongud.files import Source
    from sejongud.formats.framenet import FrameNet
    from sejongud.model import Target

FrameUnit = Literal["eojeol", "word"]
"""What is compared: eojeols, to which the labels of morphemes are converted back, or the words of
CoNLL-U."""

UNITS: tuple[FrameUnit, ...] = get_args(FrameUnit)
_ANNOTATION = 2


class Frames(NerMetric):
    """Counts the targets and frame elements that a system has right.

    Args:
        unit: what is compared.
        rules: the folder of the user's tables.
    """

    name = "frame"

    def __init__(
        self, unit: FrameUnit = "eojeol", rules: str | os.PathLike[str] | None = None
    ) -> None:
        super().__init__()
        self._unit = unit
        self._rules = load(None if rules is None else str(rules))

    def read(self, source: Source) -> Side[list[Tagged]]:
        """Read a corpus of frames or CoNLL-U Plus, an instance a sentence; see `Metric.read`.

        Raises:
            UsageError: the file is neither, or has no words.
        """
        head = source.head()
        detection = sniff(head, ("conllu", *FRAME_FORMATS))
        if detection is None:
            raise UsageError(f"{source.path} is neither a corpus of frames nor CoNLL-U Plus")
        if not detection.is_frames:
            side = collect(source.path, self._of_conllu(source.chunks(), source.path))
            return side._replace(form=detection.name)
        if self._unit != UNITS[0]:
            raise UsageError(f"{source.path} has eojeols and no words: compare --unit eojeol")
        blocks = _of_corpus(frame_format(*detection), source.chunks(), source.path)
        return collect(source.path, blocks)._replace(form=detection.name)

    def _of_conllu(self, chunks: Iterable[str], path: str) -> Iterator[Found[Tagged] | Incident]:
        reader = ConlluReader(Assembler(self._rules))
        voter = Voter(self._rules)
        for frame in reader.frame(chunks):
            try:
                sentence = reader.parse(frame)
            except FormatError as error:
                yield left_out(error, path, frame.line)
                continue
            if self._unit == UNITS[0]:
                words = [eojeol.form for eojeol in sentence.eojeols]
                verdicts = [voter(sentence.eojeols, instance) for instance in sentence.frames]
                tags = [_tags(verdict.targets, verdict.labels) for verdict in verdicts]
            else:
                words = [word.form for word in sentence.words]
                tags = [[row[_ANNOTATION] for row in rows] for rows in frame_cells(sentence)]
            for labels in tags:
                yield frame.line, words, Tagged(words, labels)


def _of_corpus(
    layout: FrameNet, chunks: Iterable[str], path: str
) -> Iterator[Found[Tagged] | Incident]:
    for block in layout.blocks(chunks):
        try:
            framed = layout.read(block)
        except FormatError as error:
            yield left_out(error, path, block.line)
            continue
        words = list(framed.tokens)
        if words:
            yield block.line, words, Tagged(words, _tags(framed.targets, framed.labels))


def _tags(targets: Sequence[Target | None], labels: Sequence[str]) -> list[str]:
    """Return the tag of each eojeol: that of the target hides that of a frame element."""
    marks = target_tags([(target.unit, target.frame) if target else None for target in targets])
    return [label if mark == OUTSIDE else mark for mark, label in zip(marks, labels, strict=True)]
