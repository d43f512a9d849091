"""The conversions of corpora of entities and of frames for the pipeline."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from sejongud.converters.entities_back import CorpusWriter, load_map
from sejongud.converters.jobs import Conversion
from sejongud.converters.restoring import recoded
from sejongud.formats import Writer, label_format
from sejongud.formats.conllu.layers import FRAME_COLUMNS, TREE_COLUMNS
from sejongud.formats.conllu.plus import instance_columns
from sejongud.formats.conllu.write import ConlluWriter
from sejongud.pipeline import BatchResult, Job, Pipeline, Step
from sejongud.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from sejongud.converters.frames import FrameReader, Vote
    from sejongud.formats.base import Block
    from sejongud.formats.labelled import Unit
    from sejongud.layers.labels import LabelScheme


class EntityConversion(Conversion):
    """A conversion of entities, to morphemes or from them.

    Args:
        ne_layers: how many columns of labels there are (`ne` "column").
        label_scheme: the scheme of the labels of sentences that have morphemes; "" for their own.
        map: the map of the types of entities; None for the same types.
        made_from: the format and the settings of the corpus that the sentences were made from.
        is_named: whether a sentence of the file names them.
        repair: see `CorpusWriter`.
        unit: likewise.
        file_writer: the writer, if it is that of one file.
    """

    ne_layers: int = 1
    label_scheme: LabelScheme | Literal[""] = ""
    map: str | None = None
    made_from: str = ""
    is_named: bool = False
    repair: bool = False
    unit: Unit | Literal[""] = ""
    file_writer: Writer | None = None

    def make_steps(self) -> list[Step]:
        """Return the steps from a sentence that was read to the one that is written.

        Raises:
            UsageError: there is no such level, scheme or map.
        """
        steps: list[Step] = []
        if self.label_scheme:
            steps.append(partial(recoded, scheme=self.label_scheme))
        if self.map is not None:
            steps.append(load_map(self.map, load(self.rules)))
        return [*steps, *super().make_steps()]

    needs_order = True

    def _make_writer(self) -> Writer:
        if self.file_writer is not None:
            return self.file_writer
        if self.writer == "conllu":
            return ConlluWriter(ne=self.ne, ne_layers=self.ne_layers, columns=self.columns)
        rules = load(self.rules)
        name, _, settings = self.writer.partition(":")
        return CorpusWriter(
            label_format(name, settings, rules) if name else None,
            self.made_from,
            named=self.is_named,
            mend=self.repair,
            unit=self.unit,
            rules=rules,
        )


class FrameConversion(Conversion):
    """A conversion of frames, to morphemes or from them.

    Args:
        vote: the morpheme whose label an eojeol takes.
    """

    vote: Vote = "first"

    def make_pipeline(self) -> Pipeline:
        """Return the pipeline that reads blocks and writes their sentences, for one process."""
        from sejongud.converters.frames import FrameReader, FrameWriter

        reader, rules = self.make_reader(), load(self.rules)
        if isinstance(reader, FrameReader):
            return _FramePipeline(self, reader, self.make_steps(), self._make_writer())
        return Pipeline(self, reader, [], FrameWriter(rules, self.vote))

    needs_order = True


class _FramePipeline(Pipeline):
    """Writes as many columns as the sentences have instances, which the reader knows first."""

    _begun = False

    @property
    def preamble(self) -> str:
        """Empty: a file without a sentence has no columns either."""
        return ""

    def reset(self, job: Job) -> Self:
        """Return the pipeline for another file."""
        self._begun = False
        return super().reset(job)

    def __call__(self, blocks: Iterable[Block]) -> BatchResult:
        """Return the converted text of blocks; the columns stand before the first sentence."""
        if self._begun:
            return super().__call__(blocks)
        instances = cast("FrameReader", self.reader).instances
        own = instance_columns(FRAME_COLUMNS, instances)
        given = [name for name in cast("Conversion", self._job).columns if name in TREE_COLUMNS]
        self._writer = ConlluWriter(columns=(*own, *given))
        done = super().__call__(blocks)
        self._begun = bool(done.text)
        return done._replace(text=super().preamble + done.text) if done.text else done
