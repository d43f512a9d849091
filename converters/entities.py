"""The way of an entity corpus to sentences with labels on their morphemes.

    block → Labelled → eojeols with morphemes → eoj2morph | syl2morph → riders → Sentence

The morphemes are given (`given`), or Kiwi finds them. Whatever would not come back rides in
comments (`riders`). `entities_back` is the way back.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from sejongud.converters import riders
from sejongud.converters.blocks import BlockReading, Found
from sejongud.converters.borders import EntityTypes
from sejongud.converters.entity_counts import SIZES, TOLD_FORWARD, TOLD_RIDERS, begun, told
from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.converters.given import (
    GivenById,
    GivenMorphemes,
    eojeols_of_rows,
    labels_of_rows,
)
from sejongud.converters.syl2morph import (
    Eojeols,
    cut,
    labels_of,
    names_in,
    without_edge_spaces,
)
from sejongud.errors import FormatError, Incident
from sejongud.files.layout import PLAIN, Layout
from sejongud.formats.labelled import rider
from sejongud.layers.labels import (
    find_entities,
    flat_labels,
    ill_formed,
    recode_layer,
)
from sejongud.layers.losses import HIDDEN, UNMAPPED, Loss, lines_of, shown
from sejongud.layers.overlaps import left_out
from sejongud.model import Sentence
from sejongud.morphology.bordered import BorderedEojeols
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sejongud.converters.eoj2morph import Exclusion
    from sejongud.errors import OnError, Report
    from sejongud.formats.labelled import Block, LabelFormat, Labelled
    from sejongud.layers.labels import Entity, LabelScheme
    from sejongud.model import Labels
    from sejongud.morphology.bordered import Names, Pieces, Spans
    from sejongud.morphology.eojeol import Assembler


class Item(NamedTuple):
    """A sentence of a corpus that has no morphemes yet."""

    block: Block
    labelled: Labelled
    sent_id: str
    number: int
    before: str
    """The text of the file before it that holds no sentence."""
    text: str
    eojeols: Eojeols
    """The places of the eojeols are empty if the labels stand on eojeols."""
    names: Names
    """The names in the eojeols that are one morpheme each."""
    entities: list[list[Entity]]
    """In each layer of labels that is used."""


Made = tuple[Item, Sentence, "Spans"]
"""A sentence with its morphemes, and the spans of those that are cut where an entity ends."""


@dataclass
class Forward:
    """Turns an entity corpus into sentences with labels on their morphemes.

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus.
        report: collects the incidents.
        inherit: see `Eoj2Morph`.
        exclusion: see `Eoj2Morph`.
        nested: whether to keep all layers of nested entities, or the outermost only.
        scheme: of the labels of morphemes: "bio", or "bioes" (memoir, Table 3.6).
        on_error: "stop", "skip" or "keep": a sentence that cannot be read, or whose entities end
            inside given morphemes. If it is kept, it rides along unread, or its entities are
            widened.
        path: of the corpus, for messages.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
        file: the encoding and the line ends of the corpus.
        comments: whether the comments of the sentences are written.
        seen: is called with each sentence as the corpus has it.
    """

    assembler: Assembler
    layout: LabelFormat
    report: Report
    _: KW_ONLY
    inherit: bool = False
    exclusion: Exclusion = "borders"
    nested: bool = False
    scheme: LabelScheme = "bio"
    on_error: OnError = "stop"
    path: str = "-"
    workers: int | None = None
    file: Layout = PLAIN
    comments: bool = True
    seen: Callable[[Found[Labelled]], object] | None = None
    counts: Counter[str] = field(default_factory=Counter, init=False)
    """The numbers of sentences, eojeols and entities that are in the sentences, of entities that
    are not, by the reason, and of riders by their key."""
    line: int = field(default=0, init=False)
    """The line of the sentence that was yielded last."""

    def __post_init__(self) -> None:
        self._eoj2morph = Eoj2Morph(
            self.assembler.rules, inherit=self.inherit, exclusion=self.exclusion
        )
        self._types = EntityTypes(self.assembler.rules)
        self._kiwi = BorderedEojeols(self.assembler, self.workers)
        self._given: GivenMorphemes | None = None
        self._reading: BlockReading[Labelled] = BlockReading(
            self.layout, self.report, self.on_error, self.path
        )
        self._named = False
        # Of the sentences that were labelled and not yielded yet, by their numbers.
        self._lines: dict[int, int] = {}

    @property
    def steps(self) -> Counter[int]:
        """The number of labelled eojeols for each number of shrinking steps (`Eoj2Morph`)."""
        return self._eoj2morph.steps

    def sentences(
        self,
        chunks: Iterable[str],
        given: Iterator[Sentence] | None = None,
        *,
        by_id: bool = False,
    ) -> Iterator[Sentence]:
        """Yield the sentences of a corpus.

        Args:
            chunks: the text of the corpus, each chunk ending at a line's end.
            given: the same sentences with their morphemes. Without it the morphemes are those of
                the corpus, or else Kiwi finds them.
            by_id: whether a sentence has its morphemes in the sentence of its id; without it, in
                the next one of its text.

        Raises:
            FormatError: with `on_error` "stop", at the first error.
        """
        items = filter(None, map(self.read, self._reading.blocks(chunks)))
        if given is not None:
            finder = GivenById if by_id else GivenMorphemes
            self._given = finder(given, self.assembler)
            made = self._with_given(items, self._given)
        else:
            made = self._with_rows(items) if self.layout.has_morphemes else self._analysed(items)
        labelled = (one[1] for one in made if self.label(*one))
        for sentence in self._reading.to_end(labelled, self._end):
            self.line = self._lines.pop(sentence.number)
            yield sentence

    def _end(self, sentence: Sentence) -> None:
        """Give the last sentence the text behind it."""
        if self._reading.before:
            sentence.comments += (rider(riders.AFTER, self._reading.before),)

    def summary(self, codes: Mapping[str, int] | None = None) -> list[str]:
        """Return what was done, in lines.

        Args:
            codes: how many incidents of each code CoNLL-U that was written has; None for another
                output, which has no comments either.
        """
        self.counts["begun otherwise"] = self.counts["entities"] - self.counts["begun"]
        counts = self.counts.copy()
        if codes is not None:
            counts["hidden"] = codes[HIDDEN]
            counts["entities"] -= codes[HIDDEN] + codes[UNMAPPED]
        sizes = [counted(counts[key], what) for key, what in SIZES.items()]
        lines = [", ".join(sizes), *told(counts, TOLD_FORWARD), *lines_of(counts)]
        lines += told(counts, TOLD_RIDERS) if codes is not None else []
        if any(self.steps):
            steps = ", ".join([f"{step}: {n:,}" for step, n in sorted(self.steps.items())])
            lines.append(f"eojeols of entities by the steps of shrinking they needed: {steps}")
        return lines

    def read(self, block: Block) -> Item | None:
        """Return the sentence of a block; None if the block holds none, or cannot be read."""
        found = self._reading.read(block, lambda one: "".join(one.tokens).strip(), self._miss)
        if found is None:
            return None
        labelled = found.value
        if labelled.notes:
            self._reading.tell_notes(labelled.notes, found.sent_id)
        if self.seen is not None:
            self.seen(found)
        text = "".join(labelled.tokens)
        layers = labelled.layers if self.nested else labelled.layers[:1]
        entities = [find_entities(layer) for layer in layers]
        if self.layout.unit == "eojeol":
            eojeols = Eojeols(_composed(labelled.tokens), [], {})
            names: Names = {}
        else:
            every = [entity for layer in entities for entity in layer]
            every = without_edge_spaces(text, every)
            eojeols = cut(text, every)
            names = names_in(eojeols, every, self._types.name_tag)
        return Item(*found, text, eojeols, names, entities)

    def _miss(self) -> None:
        """Note that a sentence cannot be read, and goes without its morphemes."""
        self.counts["unread"] += 1
        if self._given is not None:
            self._given.miss()

    def _analysed(self, items: Iterator[Item]) -> Iterator[Made]:
        """Yield items with the morphemes that Kiwi finds; items are read some ahead."""
        waiting: deque[Item] = deque()

        def forms() -> Iterator[tuple[list[str], Pieces, Names]]:
            for item in items:
                waiting.append(item)
                yield item.eojeols.forms, item.eojeols.pieces, item.names

        for eojeols, spans in self._kiwi.of(forms()):
            item = waiting.popleft()
            yield item, Sentence(eojeols, item.sent_id, number=item.number), spans

    def _with_rows(self, items: Iterator[Item]) -> Iterator[Made]:
        """Yield items with the morphemes of the corpus, or Kiwi's where these cannot be used."""
        for item in items:
            labelled, forms = item.labelled, item.eojeols.forms
            if len(labelled.morphemes) != len(forms):
                message = "the morphemes of this sentence cannot be used: Kiwi analyses it"
                self._warn("W425", message, item)
                item = item._replace(labelled=labelled._replace(morphemes=()))
                yield from self._analysed(iter([item]))
                continue
            eojeols = eojeols_of_rows(self.assembler, forms, labelled.morphemes)
            for number, eojeol in enumerate(eojeols, 1):
                for code, message in eojeol.notes:
                    self._warn(code, message, item, str(number))
            yield item, Sentence(eojeols, item.sent_id, number=item.number), {}

    def _with_given(self, items: Iterator[Item], given: GivenMorphemes) -> Iterator[Made]:
        """Yield items with the morphemes of the other file."""
        for item in items:
            try:
                sentence, eojeols = given.find(item.eojeols.forms, item.sent_id)
            except FormatError as error:
                self._reading.leave_out(error, item.block, item.sent_id, item.before)
                self._skip(item)
                continue
            sentence.comments = riders.split_comments(sentence.comments)[1]
            sentence.number = item.number
            if item.labelled.sent_id or not sentence.sent_id:
                sentence.sent_id = item.sent_id
            sentence.text_orig = ""
            if eojeols is not sentence.eojeols:
                # Ids and columns belong to the other eojeols.
                sentence = replace(sentence, eojeols=eojeols, ids=(), arcs=None)
            yield item, sentence, {}
        self._reading.tell_rest(given)

    def label(self, item: Item, sentence: Sentence, spans: Spans) -> bool:
        """Give a sentence the labels of an item, and the riders.

        Args:
            item: the sentence as the corpus has it.
            sentence: the sentence with its morphemes, which is changed.
            spans: see `BorderedEojeols`.

        Returns:
            Whether the sentence is to be kept.
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
                of_layer = self._project(item, sentence, entities, spans, counts, losses)
                if of_layer is None:
                    self._skip(item)
                    return False
                layers += of_layer
        counts["sentences"] += 1
        counts["eojeols"] += len(eojeols)
        if syllables and item.text != sentence.text:
            sentence.text_orig = item.text
        counts["ill-formed labels"] += sum([len(ill_formed(layer)) for layer in labelled.layers])
        while layers and not any(layers[-1]):
            layers.pop()
        counts["begun"] += begun(layers)
        counts.update([loss.reason for loss in losses])
        self.counts.update(counts)
        sentence.notes += tuple([loss.note for loss in losses])
        if self.scheme != "bio":
            layers = [recode_layer(eojeols, layer, self.scheme) for layer in layers]
        sentence.entities = tuple(layers)
        self._add_riders(item, sentence, len(losses))
        self._lines[item.number] = item.block.line
        return True

    def _skip(self, item: Item) -> None:
        """Count and report a sentence that is left out, and its entities."""
        self.counts["skipped sentences"] += 1
        tokens, joint, layers = self._layers_of(item)
        for entity in [entity for layer in layers for entity in find_entities(layer)]:
            self.counts["skipped"] += 1
            self._warn(*Loss(shown(entity, tokens, joint), "skipped").note, item)

    def _inner(self, item: Item) -> list[Loss]:
        """Return the losses of a sentence of which the outermost entities alone are written."""
        tokens, joint, layers = self._layers_of(item)
        return [Loss(shown(entity, tokens, joint), how) for entity, how in left_out(layers)]

    def _layers_of(self, item: Item) -> tuple[Sequence[str], str, Sequence[Sequence[str]]]:
        """Return the tokens that have labels, the text between two tokens, and all their labels."""
        labelled = item.labelled
        if self._uses_rows(item):
            return [row.form for own in labelled.morphemes for row in own], "+", labelled.row_layers
        return labelled.tokens, " " if self.layout.unit == "eojeol" else "", labelled.layers

    def _uses_rows(self, item: Item) -> bool:
        """Test whether the morphemes of a sentence are rows of the corpus."""
        return self._given is None and bool(item.labelled.morphemes)

    def _project(
        self,
        item: Item,
        sentence: Sentence,
        found: list[Entity],
        spans: Spans,
        counts: Counter[str],
        losses: list[Loss],
    ) -> list[Labels] | None:
        """Return the labels of morphemes for the entities of a layer of characters.

        Args:
            item: the sentence as the corpus has it.
            sentence: the sentence with its morphemes.
            found: the entities.
            spans: see `BorderedEojeols`.
            counts: of the sentence, which are changed.
            losses: of the sentence, to which those of the layer are added.

        Returns:
            The labels, in layers of their own for entities that share all their morphemes with
            others, if there may be several layers; None if the sentence is to be left out.
        """
        entities = without_edge_spaces(item.text, found)
        labels, inexact, lost = labels_of(sentence.eojeols, item.eojeols.where, entities, spans)
        for of, begin, end in inexact:
            error = FormatError(
                f"the entity {item.text[begin:end]} ({of}) begins or ends inside a morpheme",
                code="E414",
            )
            self._reading.fail(error, item.block.line, item.sent_id)
            if self.on_error == "skip":
                return None
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

    def _add_riders(self, item: Item, sentence: Sentence, unwritten: int) -> None:
        """Add the comments that keep what labels do not, and the number of entities in them."""
        labelled = item.labelled
        kept = riders.riders_of(sentence, labelled, self.layout, item.block.text)
        if unwritten and kept and self.comments:
            kept.insert(-1, f"{riders.UNWRITTEN} = {unwritten}")
        keys = [comment.partition(" ")[0] for comment in kept]
        if keys:
            self.counts.update(keys)
        if riders.ROWS in keys and self._uses_rows(item):
            message = "the labels of the rows differ from the marks in the text: the rows are used"
            self._warn("W424", message, item)
        if item.before:
            kept.insert(0, rider(riders.BEFORE, item.before))
        if kept or not self._named:
            # Every sentence with riders names the format: the file may be split or shuffled.
            kept.insert(0, f"{riders.FORMAT} = {self.layout}")
            if self.file != PLAIN and not self._named:
                kept.insert(1, f"{riders.FILE} = {self.file}")
            self._named = True
        sentence.comments = (*sentence.comments, *labelled.comments, *kept)

    def _warn(self, code: str, message: str, item: Item, token: str = "") -> None:
        self.report.add(Incident(code, message, self.path, item.block.line, 0, item.sent_id, token))


_JAMO = re.compile("[가-힣]?[\u1100-\u11ff]+")
"""Letters of syllables, and a syllable to which they may belong."""


def _composed(tokens: Sequence[str]) -> list[str]:
    """Return eojeols with the letters of their syllables composed, which the analyser needs.

    Other characters stay as they are: 女 (U+F981) is another character in NFC.
    """
    if not _JAMO.search("".join(tokens)):
        return list(tokens)
    return [_JAMO.sub(lambda found: normalize("NFC", found[0]), token) for token in tokens]
