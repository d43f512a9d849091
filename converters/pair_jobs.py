"""The conversions of corrections for the pipeline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sejongud.converters.corrected import PairReader
from sejongud.converters.jobs import Conversion
from sejongud.errors import FormatError, Note, Report, UsageError
from sejongud.formats import Writer, corrections_format
from sejongud.formats.conllu.corrections import WithEdits
from sejongud.formats.corrections import CorrectionsFormat, tell_composed
from sejongud.gec.edits import (
    LEVEL,
    LOST,
    TEXT,
    Corrections,
    Pair,
    skipped_notes,
    stated_edits,
    text_notes,
)
from sejongud.layers.labels import layer_notes, notes_of_skipped, tree_notes
from sejongud.morphology.eojeol import Assembler
from sejongud.pipeline import Pipeline, Step
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sejongud.converters.corrected import Fault, Placed
    from sejongud.formats.base import Block, Reader
    from sejongud.gec.annotator import Annotator
    from sejongud.model import Sentence

_CONLLU = "conllu"
_Maker = Callable[[Any, Report], Iterable[Corrections]]
"""Finds the edits of many items."""


# --- the conversions ------------------------------------------------------------------------------


class PairConversion(Conversion):
    """A conversion of sources with their targets or edits.

    Args:
        annotate: finds the edits, or their types; None to leave them as they are.
        settings: of the format that is written, or the level of the tokens of edits in CoNLL-U.
        texts: the number of files, if each text of a sentence is written to a file of its own.
        file_writer: makes the writer, if it is that of one file.
        count_words: whether totals count the eojeols of analysed sources rather than edits.
    """

    annotate: Annotate | None = None
    settings: str = ""
    texts: int = 0
    file_writer: Callable[[], Writer] | None = None
    count_words: bool = False

    def make_pipeline(self) -> Pipeline:
        """Return the pipeline that reads and writes pairs, for one process."""
        parts = self.make_reader(), self.make_steps(), self._make_writer()
        return _PairPipeline(self, *parts, count_words=self.count_words)

    def make_reader(self) -> Reader:
        """Return the reader."""
        rules = load(self.rules)
        name, _, settings = self.reader.partition(":")
        layout = corrections_format(name, settings, rules)
        return PairReader(Assembler(rules), layout, self.on_error, self.annotate)

    def make_steps(self) -> list[Step]:
        """Return the steps: CoNLL-U is made of sentences."""
        if self.writer != _CONLLU:
            return []
        assembler, copies = Assembler(load(self.rules)), self.annotate is None
        return [WithEdits(assembler, self.settings, copies=copies), *super().make_steps()]

    @property
    def needs_order(self) -> bool:
        """Whether one writer must write all sentences."""
        return self.file_writer is not None

    def _make_writer(self) -> Writer:
        if self.file_writer is not None:
            return self.file_writer()
        if self.writer == _CONLLU:
            return super()._make_writer()
        layout = corrections_format(self.writer, self.settings, load(self.rules))
        return PairWriter(layout, self.texts)


class _PairPipeline(Pipeline):
    """Writes pairs, and counts their edits."""

    def size(self, given: Any, sentence: Any) -> int:
        """Return the number of edits that are written, or of eojeols."""
        if self._count_words and (source := analysis_of(given)):
            return len(source.eojeols)
        has_edits = getattr(self._writer, "has_edits", True)
        return len(stated_edits(given)) if has_edits else 0

    def skipped(self, block: Block, given: Any) -> list[Note]:
        """Return the incidents of a sentence that is left out."""
        layers = notes_of_skipped(source) if (source := analysis_of(given)) else []
        return [*skipped_notes(block.item.value), *layers]


# --- the writers ----------------------------------------------------------------------------------


class PairWriter:
    """Writes sources with their edits, or with their targets.

    Args:
        layout: the format.
        texts: the number of texts of each sentence, if each is written to a file of its own.
    """

    def __init__(self, layout: CorrectionsFormat, texts: int = 0) -> None:
        self.preamble = layout.preamble
        self.has_edits = layout.has_edits
        self._layout = layout
        self._texts = texts

    def sentence(self, item: Any) -> str:
        """Return the text of a sentence.

        Raises:
            FormatError: the format cannot hold the sentence.
            UsageError: source and targets have not been compared; there are fewer texts, or more.
        """
        text = self._layout.sentence(item)
        if self._texts and (texts := text.count("\n")) != self._texts:
            raise UsageError(
                f"there are sentences with {texts} texts, the source included, and {self._texts}"
                " files are named: name a file for each with -o"
            )
        return text

    def loses(self, item: Any) -> list[Note]:
        """Return the incidents of the edits and the layers of a sentence that are not written."""
        return [*self._layout.loses(item), *source_notes(item)]

    def end(self) -> str:
        """Return the text that closes the file."""
        return self._layout.end()


def analysis_of(item: Corrections | Pair) -> Sentence | None:
    """Return the analysis of a source, if the file has it."""
    return item.analysis if isinstance(item, Corrections) else None


def source_notes(item: Corrections | Pair) -> list[Note]:
    """Return the incidents of the layers of a source, for which the format has no place."""
    source = analysis_of(item)
    return [*layer_notes(source), *tree_notes(source)] if source else []


# --- the edits ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Annotate:
    """Finds the edits of pairs, or the types of edits that are given.

    Args:
        annotator: the settings.
        keep: whether edits stay as they are, and their types alone are found.
        given: whether edits that a file states of a pair stand beside those that are found; they
            take the place of those that have the same annotator.
        level: of the tokens, which a comment keeps beside the text of each source; "" for none.
    """

    annotator: Annotator
    keep: bool = False
    given: bool = False
    level: str = ""

    def __call__(self, batch: Sequence[Placed], report: Report, fault: Fault) -> Iterator[Placed]:
        """Yield the corrections of a batch in order.

        Args:
            batch: the sentences.
            report: receives the incidents, without their places.
            fault: called with an error and the sentence that is left out.
        """
        groups: defaultdict[_Maker, list[tuple[int, Any]]] = defaultdict(list)
        for number, placed in enumerate(batch):
            block, item = placed
            try:
                texts = item.texts()
                if not self.keep:
                    tell_composed(report, texts, block.line, sent_id=item.sent_id)
                maker, ready = self._ready(item, texts)
            except FormatError as error:
                fault(error, placed)
            else:
                # Several sentences may have one id in their file.
                groups[maker].append((number, ready._replace(sent_id=block.sent_id)))
                if isinstance(item, Corrections) and not self.keep:
                    lost = [note for note in text_notes(item) if note.code == LOST]
                    report.tell(lost, "", block.line, item.sent_id)
        made: dict[int, Corrections] = {}
        for maker, own in groups.items():
            numbers, items = zip(*own, strict=True)
            made |= zip(numbers, maker(items, report), strict=True)
        for number in sorted(made):
            block, item = batch[number]
            yield block, self._finished(item, made[number])

    def _ready(
        self, item: Pair | Corrections, texts: Sequence[str]
    ) -> tuple[_Maker, Pair | Corrections]:
        """Return the function that finds edits of many items, and what it takes of this one."""
        if isinstance(item, Corrections):
            if self.keep:
                return self._retyped, item
            pair = Pair(texts[0], tuple(texts[1:]), item.sent_id, item.comments)
            return self._fixed.annotated, pair
        if self.given and item.given is not None:
            return self._fixed.annotated, item._replace(source=" ".join(item.given.tokens))
        return self.annotator.annotated, item

    def _retyped(self, items: Iterable[Corrections], _: Report) -> Iterable[Corrections]:
        """Return corrections whose edits stay, with other types."""
        return self._fixed.retyped(items)

    @cached_property
    def _fixed(self) -> Annotator:
        """The annotator of texts whose tokens a file has fixed; marks are not split off twice."""
        if self.annotator.split_punctuation is None:
            return replace(self.annotator, split_punctuation=False)
        return self.annotator

    def _finished(self, item: Pair | Corrections, made: Corrections) -> Corrections:
        """Return corrections with the annotators and the text of their source."""
        edits = made.edits
        if isinstance(item, Corrections) and not self.keep:
            edits = {
                annotator: tuple([edit._replace(annotator=annotator) for edit in own])
                for annotator, own in zip(item.edits, edits.values(), strict=True)
            }
        elif isinstance(item, Pair) and self.given and item.given is not None:
            edits = dict(sorted({**edits, **item.given.edits}.items()))
        comments = made.comments
        if not self.keep:
            comments = tuple([one for one in comments if not one.startswith(LEVEL)])
        if self.level and isinstance(item, Pair) and not item.analyses:
            text = f"{TEXT}{self.annotator.normalised(item.source)}"
            comments = (*comments, text, f"{LEVEL}{self.level}")
        source = next(iter(item.analyses), None) if isinstance(item, Pair) else item.analysis
        return made._replace(edits=edits, sent_id=item.sent_id, comments=comments, analysis=source)
