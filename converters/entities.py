"""The way of an entity corpus to sentences with labels on their morphemes.

    block → Labelled → eojeols with morphemes → eoj2morph | syl2morph → Sentence, comments

The morphemes are given (`given`), or Kiwi finds them. Whatever would not come back rides in
comments (`restoring`). `entities_back` is the way back.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, tee
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from sejongud.converters import restoring
from sejongud.converters.blocks import (
    AnalysisById,
    AnalysisLookup,
    BlockReader,
    Content,
    eojeols_of_rows,
    labels_of_rows,
)
from sejongud.converters.entities_back import (
    SIZES,
    SUMMARY_FORWARD,
    SUMMARY_RESTORING,
    summary_lines,
)
from sejongud.converters.eoj2morph import Eoj2Morph, Exclusion, entity_types
from sejongud.converters.syl2morph import (
    Eojeols,
    cut,
    labels_of,
    names_in,
    without_edge_spaces,
)
from sejongud.errors import FormatError, Note
from sejongud.files.layout import PLAIN
from sejongud.formats.labelled import LineNote
from sejongud.layers.labels import (
    HIDDEN,
    UNMAPPED,
    Entity,
    LabelScheme,
    Loss,
    entity_layers,
    find_entities,
    flat_labels,
    frame_notes,
    ill_formed,
    lines_of,
    not_written,
    recode_layer,
    shown,
)
from sejongud.layers.places import left_out
from sejongud.model import Eojeol, Labels, Sentence
from sejongud.morphology.kiwi import Bordered, BorderedEojeols, Names, Spans
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from sejongud.files import Source
    from sejongud.formats.base import Block
    from sejongud.formats.labelled import LabelFormat, Labelled
    from sejongud.morphology.eojeol import Assembler


_BEGINS = ("B-", "B")
"""The first two characters of the labels that begin an entity as BIO does."""


class Item(NamedTuple):
    """A sentence of a corpus that has no morphemes yet."""

    block: Block
    labelled: Labelled
    sent_id: str
    text: str
    eojeols: Eojeols
    """The places of the eojeols are empty if the labels stand on eojeols."""
    names: Names
    """The names in the eojeols that are one morpheme each."""
    entities: list[list[Entity]]
    """In each layer of labels that is used."""


class CorpusReader(BlockReader["Labelled"]):
    """Reads a corpus of entities as sentences with labels on their morphemes.

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus.
        keep: whether a block that cannot be read rides along, and an entity that ends inside a
            given morpheme is widened.
        inherit: see `Eoj2Morph`.
        exclusion: see `Eoj2Morph`.
        nested: whether to keep all layers of nested entities, or the outermost only.
        scheme: of the labels of morphemes: "bio", or "bioes" (memoir, Table 3.6).
        workers: the number of Kiwi's own threads; None for as many as there are processors.
        comments: whether the comments of the sentences are written.
        by_id: whether a sentence has its morphemes in the sentence of its id in another file, and
            not in the next one of its text.
        blind: whether Kiwi analyses the text alone, without the labels and without the morphemes
            of the corpus. No comments then keep what the labels of the morphemes do not tell.
    """

    keys = (restoring.FORMAT, restoring.BEFORE, restoring.AFTER)
    layout: LabelFormat

    def __init__(
        self,
        assembler: Assembler,
        layout: LabelFormat,
        *,
        keep: bool = False,
        inherit: bool = False,
        exclusion: Exclusion = "borders",
        nested: bool = True,
        scheme: LabelScheme = "bio",
        workers: int | None = None,
        comments: bool = True,
        by_id: bool = False,
        blind: bool = False,
    ) -> None:
        super().__init__(assembler, layout, keep=keep)
        self._blind = blind
        self._own_rows = layout.has_morphemes and not blind
        self.nested = nested
        self._scheme = scheme
        self._comments = comments
        self._by_id = by_id
        self._file = PLAIN
        self._eoj2morph = Eoj2Morph(assembler.rules, inherit=inherit, exclusion=exclusion)
        self._types = entity_types(assembler.rules)
        self._kiwi = BorderedEojeols(assembler, workers)

    def reset(self) -> Self:
        """Return the reader with what it remembers of eojeols, for another file."""
        self._eoj2morph.steps.clear()
        return super().reset()

    def give(self, sentences: Iterator[Sentence]) -> None:
        """Take the morphemes from the same sentences in another file."""
        finder = AnalysisById if self._by_id else AnalysisLookup
        self.finder = finder(sentences, self.assembler)

    def blocks_of(self, source: Source) -> Iterator[Block]:
        """Return the unparsed sentences of a file, whose encoding and line ends are remembered."""
        source.head()
        self._file = source.layout
        return super().blocks_of(source)

    def of_file(self) -> tuple[str, ...]:
        """Return the comment about the encoding and the line ends of the file, if it needs one."""
        return () if self._file == PLAIN else (f"{restoring.FILE} = {self._file}",)

    def summary(self, codes: Mapping[str, int]) -> list[str]:
        """Return what was done, in lines.

        Args:
            codes: how many incidents of each code the steps and the writer have reported.
        """
        self.counts["begun otherwise"] = self.counts["entities"] - self.counts["begun"]
        counts = self.counts.copy()
        if self._comments:
            counts["hidden"] = codes[HIDDEN]
            counts["entities"] -= codes[HIDDEN] + codes[UNMAPPED]
        sizes = [counted(counts[key], what) for key, what in SIZES.items()]
        lines = [", ".join(sizes), *summary_lines(counts, SUMMARY_FORWARD), *lines_of(counts)]
        lines += summary_lines(counts, SUMMARY_RESTORING) if self._comments else []
        steps = self._eoj2morph.steps
        if any(steps):
            by_steps = ", ".join([f"{step}: {n:,}" for step, n in sorted(steps.items())])
            lines.append(f"eojeols of entities by the steps of shrinking they needed: {by_steps}")
        return lines

    def given(self, content: Content[Labelled]) -> tuple[Item, Sentence, tuple[Eojeol, ...]]:
        """Return the morphemes that another file has for a sentence.

        Raises:
            FormatError: it has none.
        """
        assert self.finder is not None
        item = self._item(content)
        return item, *self.finder.find(item.eojeols.forms, item.sent_id)

    def with_own(self, content: Content[Labelled]) -> Content[Labelled]:
        """Return a sentence with the morphemes that stand beside its entities, if there are any."""
        if self._blind or (labelled := content.value) is None:
            return content
        try:
            sentence = self.layout.analysis(content.block, self.assembler)
            if sentence is None:
                return content
            item = self._item(content)
            lookup = AnalysisLookup(iter([sentence]), self.assembler)
            return content._replace(given=(item, *lookup.find(item.eojeols.forms)))
        except FormatError as error:
            note = LineNote(content.block.line, "W425", f"{error.message}: Kiwi analyses it")
            return content._replace(value=labelled._replace(notes=(*labelled.notes, note)))

    def _item(self, content: Content[Labelled]) -> Item:
        """Return the sentence of a block, cut into eojeols."""
        labelled = content.value
        assert labelled is not None
        if self._blind:
            labelled = labelled._replace(morphemes=(), spans=())
        text = "".join(labelled.tokens)
        layers = labelled.layers if self.nested else labelled.layers[:1]
        entities = [find_entities(layer) for layer in layers]
        if self.layout.unit == "eojeol":
            eojeols = Eojeols(_composed(labelled.tokens), [], {})
            names: Names = {}
        else:
            every = [] if self._blind else [one for layer in entities for one in layer]
            every = without_edge_spaces(text, every)
            eojeols = cut(text, every)
            names = names_in(eojeols, every, self._types)
        return Item(content.block, labelled, content.sent_id, text, eojeols, names, entities)

    def prepare(self, blocks: Iterable[Block]) -> Iterable[Block]:
        """Return blocks; Kiwi analyses their eojeols some ahead, if they have no morphemes."""
        if self.finder is not None or self._own_rows:
            return blocks
        return self._analysed(blocks)

    def _analysed(self, blocks: Iterable[Block]) -> Iterator[Block]:
        blocks, texts = tee(map(self._with_item, blocks))
        items = (block.item.ahead for block in texts if block.item.ahead is not None)
        analyses = self._kiwi.of((i.eojeols.forms, i.eojeols.pieces, i.names) for i in items)
        for block in blocks:
            content = block.item
            if content.ahead is not None:
                content = content._replace(ahead=(content.ahead, next(analyses)))
            yield block._replace(item=content)

    def _with_item(self, block: Block) -> Block:
        """Return a block whose content has the sentence that Kiwi is to analyse, if it is to."""
        content = block.item or self.content(block)
        if content.error is None and content.given is None:
            content = content._replace(ahead=self._item(content))
        return block._replace(item=content)

    def labelled(self, block: Block, content: Content[Labelled]) -> Sentence:
        """Return the sentence of a block with its labels on morphemes, and the comments.

        Raises:
            FormatError: an entity ends inside a morpheme.
        """
        self.tells_notes = False
        notes: list[Note] = []
        if content.given is not None:
            self.tells_notes = self.finder is None
            item, given, eojeols = content.given
            before = entity_layers(given)
            sentence = self._of_given(item, block, given, eojeols, notes)
            sentence = self._label(item, sentence, {}, block, notes)
            sentence.notes += self._replaced(before, sentence)
            return sentence
        item, analysed = content.ahead or (self._item(content), Bordered((), {}, False))
        if content.ahead is None:
            rows, forms = item.labelled.morphemes, item.eojeols.forms
            self.tells_notes = self._own_rows and len(rows) == len(forms)
            if self.tells_notes:
                analysed = Bordered(eojeols_of_rows(self.assembler, forms, rows), {}, False)
            else:
                if self._own_rows:
                    message = "the morphemes of this sentence cannot be used: Kiwi analyses it"
                    notes.append(Note("W425", message))
                    item = item._replace(labelled=item.labelled._replace(morphemes=()))
                [analysed] = self._kiwi.of([(forms, item.eojeols.pieces, item.names)])
        self.counts["analysed by labels"] += analysed.changed
        sentence = Sentence(analysed.eojeols, item.sent_id, number=block.number)
        return self._label(item, sentence, analysed.spans, block, notes)

    def _of_given(
        self,
        item: Item,
        block: Block,
        sentence: Sentence,
        eojeols: tuple[Eojeol, ...],
        notes: list[Note],
    ) -> Sentence:
        """Return a sentence of the other file, as the sentence of the corpus."""
        sentence.comments = restoring.split_comments(sentence.comments)[1]
        sentence.number = block.number
        if item.labelled.sent_id or not sentence.sent_id:
            sentence.sent_id = item.sent_id
        sentence.text_orig = ""
        if eojeols is not sentence.eojeols:
            # Ids, frames and columns belong to the other eojeols.
            notes += frame_notes(sentence)
            notes += not_written(["dependencies"] if sentence.arcs else [])
            return sentence.but(eojeols=eojeols, ids=(), arcs=None, frames=())
        return sentence

    def _replaced(self, before: list[list[Entity]], sentence: Sentence) -> tuple[Note, ...]:
        """Return the incidents of the entities that a sentence had before, and has no more."""
        left = {entity for layer in entity_layers(sentence) for entity in layer}
        gone = [entity for layer in before for entity in layer if entity not in left]
        self.counts["replaced"] += len(gone)
        forms = [morpheme.form for morpheme in sentence.morphemes]
        return tuple([Loss(shown(entity, forms), "replaced").note for entity in gone])

    def _label(
        self, item: Item, sentence: Sentence, spans: Spans, block: Block, notes: list[Note]
    ) -> Sentence:
        """Return a sentence with the labels of an item, and the restoring comments.

        Args:
            item: the sentence as the corpus has it.
            sentence: the sentence with its morphemes, which is changed.
            spans: see `BorderedEojeols`.
            block: of the sentence.
            notes: of the sentence so far.

        Raises:
            FormatError: an entity ends inside a morpheme.
        """
        labelled, eojeols = item.labelled, sentence.eojeols
        syllables = self.layout.unit == "syllable"
        counts: Counter[str] = Counter()
        layers: list[Labels] = []
        losses = [] if self.nested else self._inner(item)
        if not syllables:
            for layer, entities in zip(labelled.layers, item.entities, strict=False):
                counts["entities"] += len(entities)
                layers.append(self._eoj2morph.labels(eojeols, layer, entities))
        elif self._uses_rows(item):
            depth = 1 + max([len(row.inner) for own in labelled.morphemes for row in own])
            for at in range(depth if self.nested else 1):
                layers.append(labels_of_rows(eojeols, labelled.morphemes, at))
                counts["entities"] += len(find_entities(flat_labels(eojeols, layers[at])))
        else:
            for entities in item.entities:
                layers += self._project(item, sentence, entities, spans, counts, losses, notes)
        counts["sentences"] += 1
        counts["eojeols"] += len(eojeols)
        if syllables and item.text != " ".join(item.eojeols.forms):
            sentence.text_orig = item.text
        counts["ill-formed labels"] += sum([len(ill_formed(layer)) for layer in labelled.layers])
        while layers and not any(layers[-1]):
            layers.pop()
        flat = chain.from_iterable(chain.from_iterable(layers))
        counts["begun"] += sum([label[:2] in _BEGINS for label in flat])
        counts.update([loss.reason for loss in losses])
        self.counts.update(counts)
        if self._scheme != "bio":
            layers = [recode_layer(eojeols, layer, self._scheme) for layer in layers]
        sentence.entities = tuple(layers)
        self._add_comments(item, sentence, len(losses), block, notes)
        sentence.notes += (*notes, *[loss.note for loss in losses])
        return sentence

    def lost(self, content: Content[Labelled]) -> list[Note]:
        """Return the incidents of the entities of a sentence that is left out, and count them."""
        item = content.given[0] if content.given else self._item(content)
        tokens, joint, layers = self._layers_of(item)
        entities = [entity for layer in layers for entity in find_entities(layer)]
        self.counts["skipped sentences"] += 1
        self.counts["skipped"] += len(entities)
        return [Loss(shown(entity, tokens, joint), "skipped").note for entity in entities]

    def _inner(self, item: Item) -> list[Loss]:
        """Return the losses of a sentence of which the outermost entities alone are written."""
        tokens, joint, layers = self._layers_of(item)
        inner = left_out(layers) if layers[1:] else []
        return [Loss(shown(entity, tokens, joint), how) for entity, how in inner]

    def _layers_of(self, item: Item) -> tuple[Sequence[str], str, Sequence[Sequence[str]]]:
        """Return the tokens that have labels, the text between two tokens, and all their labels."""
        labelled = item.labelled
        if self._uses_rows(item):
            return [row.form for own in labelled.morphemes for row in own], "+", labelled.row_layers
        return labelled.tokens, " " if self.layout.unit == "eojeol" else "", labelled.layers

    def _uses_rows(self, item: Item) -> bool:
        """Test whether the morphemes of a sentence are rows of the corpus."""
        return self.finder is None and bool(item.labelled.morphemes)

    def _project(
        self,
        item: Item,
        sentence: Sentence,
        found: list[Entity],
        spans: Spans,
        counts: Counter[str],
        losses: list[Loss],
        notes: list[Note],
    ) -> list[Labels]:
        """Return the labels of morphemes for the entities of a layer of characters.

        Args:
            item: the sentence as the corpus has it.
            sentence: the sentence with its morphemes.
            found: the entities.
            spans: see `BorderedEojeols`.
            counts: of the sentence, which are changed.
            losses: of the sentence, to which those of the layer are added.
            notes: of the sentence, to which the errors that are kept are added.

        Returns:
            The labels, in layers of their own for entities that share all their morphemes with
            others, if there may be several layers.

        Raises:
            FormatError: an entity ends inside a morpheme, and is not widened.
        """
        entities = without_edge_spaces(item.text, found)
        labels, inexact, lost = labels_of(sentence.eojeols, item.eojeols.where, entities, spans)
        for of, begin, end in inexact:
            message = f"the entity {item.text[begin:end]} ({of}) begins or ends inside a morpheme"
            if not self.keep:
                raise FormatError(message, code="E414", line=item.block.line)
            notes.append(Note("E414", message))
        layers = [labels]
        while self.nested and lost:
            left = lost
            labels, _, lost = labels_of(sentence.eojeols, item.eojeols.where, left, spans)
            if len(lost) == len(left):
                break
            layers.append(labels)
        counts["entities"] += len(entities) - len(lost)
        counts["edge spaces"] |= found != entities
        counts["inside morphemes"] += len(inexact)
        blank = [entity for entity in found if not item.text[entity.begin : entity.end].strip(" ")]
        why = "no morpheme" if self.nested else "shared morphemes"
        for reason, own in (("spaces", blank), (why, lost)):
            losses += [Loss(shown(entity, item.text, ""), reason) for entity in own]
        return layers

    def _add_comments(
        self, item: Item, sentence: Sentence, unwritten: int, block: Block, notes: list[Note]
    ) -> None:
        """Add the comments that keep what labels do not, and the number of entities in them."""
        labelled = item.labelled
        # Comments that bring the labels of the corpus back would tell them to a tagger.
        kept: list[str] = []
        if not self._blind:
            kept = restoring.restore_comments_of(sentence, labelled, self.layout, item.block.text)
        if unwritten and kept and self._comments:
            kept.insert(-1, f"{restoring.UNWRITTEN} = {unwritten}")
        keys = [comment.partition(" ")[0] for comment in kept]
        if keys:
            self.counts.update(keys)
        if restoring.ROWS in keys and self._uses_rows(item):
            message = "the labels of the rows differ from the marks in the text: the rows are used"
            notes.append(Note("W424", message))
        around = {comment.partition(" ")[0]: comment for comment in block.comments}
        if restoring.BEFORE in around:
            kept.insert(0, around[restoring.BEFORE])
        if kept or not self._is_named:
            # Every sentence with such comments names the format: the file may be split or shuffled.
            kept[:0] = self._opening[: 1 if self._is_named else None]
            self._is_named = True
        if restoring.AFTER in around:
            kept.append(around[restoring.AFTER])
        sentence.comments = (*sentence.comments, *labelled.comments, *kept)


_JAMO = re.compile("[가-힣]?[\u1100-\u11ff]+")
"""Letters of syllables, and a syllable to which they may belong."""


def _composed(tokens: Sequence[str]) -> list[str]:
    """Return eojeols with the letters of their syllables composed, which the analyser needs.

    Other characters stay as they are: 女 (U+F981) is another character in NFC.
    """
    if not _JAMO.search("".join(tokens)):
        return list(tokens)
    return [_JAMO.sub(lambda found: normalize("NFC", found[0]), token) for token in tokens]
