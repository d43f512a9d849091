"""The two ways of the Korean FrameNet: to sentences with frames on their morphemes, and back.

    거주한다.  거주하다.v  Residence     →   거주/NNG  B-FrameTarget     하/XSV  I-FrameTarget …

Every morpheme of an eojeol inherits its labels (memoir, 3.4.2). The morphemes are given (`given`),
or Kiwi finds them, once for all instances of a sentence. Whatever would not come back rides in
comments (`riders`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import KW_ONLY, dataclass, field, replace
from heapq import heappop, heappush
from itertools import chain, islice, starmap
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from sejongud.converters import riders
from sejongud.converters.blocks import BlockReading
from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.converters.frame_votes import Voter
from sejongud.converters.given import GivenOnce
from sejongud.errors import FormatError, Incident, Note
from sejongud.formats import frame_format
from sejongud.formats.base import to_number
from sejongud.formats.framenet import Framed
from sejongud.formats.labelled import rider
from sejongud.layers.labels import (
    OUTSIDE,
    by_eojeol,
    find_entities,
    flat_labels,
    inside,
    spread,
    to_labels,
)
from sejongud.layers.losses import LOST_FRAME, all_lost, not_written, tree_notes
from sejongud.layers.places import Recutter
from sejongud.levels.symbols import SymbolRules
from sejongud.model import FrameInstance, Sentence
from sejongud.morphology.bordered import BorderedEojeols
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from sejongud.converters.frame_votes import Verdict, Vote
    from sejongud.errors import OnError, Report
    from sejongud.formats.framenet import FrameNet
    from sejongud.formats.labelled import Block
    from sejongud.model import Eojeol
    from sejongud.morphology.eojeol import Assembler
    from sejongud.rules import Rules

_PREFIX = ""
_FORMAT, _OF, _BEFORE, _AFTER, _NUMBER = "format", "of", "before", "after", "number"
"""The keys of the comments that are no lines of the corpus (see `riders`)."""
_RIDERS = frozenset({_FORMAT, _OF, _BEFORE, _AFTER, _NUMBER, "lines", "block"})
_ARGUMENT = "Argument"
_USUAL = "framenet"
_BATCH = 1_000
"""The number of instances whose sentences are analysed together."""
_KNOWN = 20_000
"""The number of analysed sentences that are remembered."""


class _Item(NamedTuple):
    """An instance of a corpus that has no morphemes yet."""

    block: Block
    framed: Framed
    sent_id: str
    number: int
    before: str
    """The text of the file before it that holds no instance."""
    forms: tuple[str, ...]
    """The eojeols in NFC, which the analyser needs."""


# --- to morphemes ---------------------------------------------------------------------------------


@dataclass
class Forward:
    """Turns a corpus of frames into sentences with frames on their morphemes, one an instance.

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus.
        report: collects the incidents.
        general: whether every frame element is an `Argument`.
        symbols: whether external symbols at the edges of a span have its label.
        on_error: "stop", "skip" or "keep": a block that cannot be read. If it is kept, it rides
            along unread.
        path: of the corpus, for messages.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
    """

    assembler: Assembler
    layout: FrameNet
    report: Report
    _: KW_ONLY
    general: bool = False
    symbols: bool = True
    on_error: OnError = "stop"
    path: str = "-"
    workers: int | None = None
    counts: Counter[str] = field(default_factory=Counter, init=False)
    """The numbers of instances, distinct sentences, and riders."""

    def __post_init__(self) -> None:
        rules = self.assembler.rules
        self._eoj2morph = Eoj2Morph(rules, inherit=True)
        self._external = SymbolRules(rules).external
        self._vote = Voter(rules)
        self._reading: BlockReading[Framed] = BlockReading(
            self.layout, self.report, self.on_error, self.path
        )
        self._named = False

    def sentences(
        self, chunks: Iterable[str], given: Iterator[Sentence] | None = None
    ) -> Iterator[Sentence]:
        """Yield a sentence for each instance; none for an empty file.

        Args:
            chunks: the text of the corpus, each chunk ending at a line's end.
            given: the sentences with their morphemes, in the order in which the corpus has them for
                the first time. Without it Kiwi finds the morphemes.

        Raises:
            FormatError: with `on_error` "stop", at the first error.
        """
        blocks = self._reading.blocks(chunks)
        first = list(islice(blocks, 1))
        if not first:
            return
        items = filter(None, map(self._read, chain(first, blocks)))
        made = self._analysed(items) if given is None else self._with_given(items, given)
        yield from self._reading.to_end(starmap(self._label, made), self._end)

    def _end(self, sentence: Sentence) -> None:
        """Give the last sentence the text behind it."""
        if self._reading.before:
            after = rider(_AFTER, self._reading.before)
            sentence.frames = (_with(sentence.frames[0], after),)

    def summary(self) -> list[str]:
        """Return what was done, in lines."""
        names = ("instance", "sentence", "eojeol")
        sizes = [counted(self.counts[f"{name}s"], f"{name}[s]") for name in names]
        lines = [", ".join(sizes)]
        if self.counts["analysed"]:
            lines.append(
                counted(self.counts["analysed"], "sentence[s] [was|were] analysed by Kiwi")
            )
        if self.counts["with riders"]:
            number = self.counts["with riders"]
            lines.append(counted(number, "instance[s] keep[s|] lines in a comment"))
        return lines

    def _read(self, block: Block) -> _Item | None:
        """Return the instance of a block; None if the block holds none, or cannot be read."""
        found = self._reading.read(block, lambda framed: framed.tokens, lambda: None)
        if found is None:
            return None
        return _Item(*found, tuple([normalize("NFC", token) for token in found.value.tokens]))

    def _analysed(self, items: Iterator[_Item]) -> Iterator[tuple[_Item, Sentence]]:
        """Yield items with the morphemes that Kiwi finds."""
        kiwi = BorderedEojeols(self.assembler, self.workers)
        known: dict[tuple[str, ...], tuple[Eojeol, ...]] = {}
        while batch := list(islice(items, _BATCH)):
            if len(known) > _KNOWN:
                known.clear()
            new = [forms for forms in dict.fromkeys([i.forms for i in batch]) if forms not in known]
            found = kiwi.of([(list(forms), {}, {}) for forms in new])
            known |= zip(new, [eojeols for eojeols, _ in found], strict=True)
            self.counts["analysed"] += len(new)
            for item in batch:
                yield item, Sentence(known[item.forms], item.sent_id, number=item.number)

    def _with_given(
        self, items: Iterator[_Item], given: Iterator[Sentence]
    ) -> Iterator[tuple[_Item, Sentence]]:
        """Yield items with the morphemes of the other file."""
        recut = Recutter(self.assembler).recut
        once = GivenOnce(given, self.assembler)
        for item in items:
            try:
                source = once.find(item.forms)
                eojeols = recut(source.eojeols, item.forms)
            except FormatError as error:
                self._reading.leave_out(error, item.block, item.sent_id, item.before)
                continue
            sentence = replace(source, sent_id=item.sent_id, number=item.number, header=None)
            if eojeols is not source.eojeols:
                # Ids, labels and columns belong to the other eojeols.
                sentence = replace(sentence, eojeols=eojeols, ids=(), arcs=None, entities=())
            yield item, sentence
        self._reading.tell_rest(once.finder)

    def _label(self, item: _Item, sentence: Sentence) -> Sentence:
        """Return a sentence after it was given the instance of an item, and the riders."""
        framed, eojeols = item.framed, sentence.eojeols
        self.counts["instances"] += 1
        self.counts["eojeols"] += len(eojeols)
        labels = self._eoj2morph.labels(eojeols, framed.labels)
        instance = FrameInstance(framed.targets, labels, framed.comments)
        if not self.symbols:
            instance = without_edge_symbols(eojeols, instance, framed.labels, self._external)
        if self.general:
            instance = general(eojeols, instance)
        back = _framed(eojeols, self._vote(eojeols, instance), framed.comments)
        kept = riders.block_riders(self.layout.write(back), item.block.text, _PREFIX)
        if kept:
            kept.append(f"{_OF} = {_sum(back)}")
            self.counts["with riders"] += 1
        if item.before:
            kept.append(rider(_BEFORE, item.before))
        if kept or not self._named or str(self.layout) != str(frame_format(_USUAL)):
            # Every instance with riders names the format: the file may be split or shuffled.
            kept.append(f"{_FORMAT} = {self.layout}")
            self._named = True
        sentence.frames = (_with(instance, *kept),)
        return sentence


def _with(instance: FrameInstance, *comments: str) -> FrameInstance:
    """Return an instance with more comments."""
    return instance._replace(comments=(*instance.comments, *comments))


def general(eojeols: Sequence[Eojeol], instance: FrameInstance) -> FrameInstance:
    """Return an instance whose frame elements are all of the type `Argument` (memoir, 3.4.3)."""
    flat = flat_labels(eojeols, instance.labels)
    found = [entity._replace(type=_ARGUMENT) for entity in find_entities(flat)]
    return instance._replace(labels=by_eojeol(eojeols, to_labels(found, len(flat))))


def without_edge_symbols(
    eojeols: Sequence[Eojeol],
    instance: FrameInstance,
    labels: Sequence[str],
    external: Callable[[Eojeol], Collection[int]],
) -> FrameInstance:
    """Return an instance without the symbols at the edges of its target and frame elements.

    An eojeol that is nothing but symbols keeps its label.

    Args:
        eojeols: of the sentence.
        instance: whose morphemes inherit the labels of their eojeols.
        labels: of the eojeols.
        external: returns the external symbols of an eojeol.
    """
    found = list(instance.labels)
    for _, begin, end in find_entities(labels):
        for at in {begin, end - 1}:
            left, right = _edges(eojeols[at], external, opens=at == begin, closes=at == end - 1)
            count = len(eojeols[at].morphemes)
            own = spread(labels[at], count - left - right)
            found[at] = inside((*(OUTSIDE,) * left, *own, *(OUTSIDE,) * right))
    targets = list(instance.targets)
    for at, target in enumerate(instance.targets):
        if target is not None:
            left, right = _edges(
                eojeols[at],
                external,
                opens=at == 0 or instance.targets[at - 1] != target,
                closes=instance.targets[at + 1 : at + 2] != (target,),
            )
            if left or right:
                places = range(left, len(eojeols[at].morphemes) - right)
                targets[at] = target._replace(at=tuple(places))
    return instance._replace(targets=tuple(targets), labels=tuple(found))


def _edges(
    eojeol: Eojeol,
    external: Callable[[Eojeol], Collection[int]],
    *,
    opens: bool,
    closes: bool,
) -> tuple[int, int]:
    """Return how many symbols stand at the two edges of an eojeol where a span opens or closes."""
    marks = external(eojeol)
    count = len(eojeol.morphemes)
    words = [at for at in range(count) if at not in marks]
    if not words:
        return 0, 0
    return words[0] if opens else 0, count - 1 - words[-1] if closes else 0


def merged(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Return each sentence once, with all its instances, which know their place in the file."""
    found: dict[tuple[tuple[str, object], ...], Sentence] = {}
    for number, sentence in enumerate(sentences, 1):
        key = tuple([(eojeol.form, eojeol.morphemes) for eojeol in sentence.eojeols])
        own = tuple([_with(one, f"{_NUMBER} = {number}") for one in sentence.frames])
        if key in found:
            found[key].frames += own
        else:
            sentence.frames = own
            found[key] = sentence
    return list(found.values())


# --- back to eojeols ------------------------------------------------------------------------------


@dataclass
class Backward:
    """Turns sentences with frames on their morphemes into the file of a corpus.

    Args:
        rules: the tables.
        report: collects the incidents.
        vote: the morpheme whose label an eojeol takes.
        path: of the CoNLL-U, for messages.
    """

    rules: Rules
    report: Report
    _: KW_ONLY
    vote: Vote = "first"
    path: str = "-"
    counts: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        self._layout = frame_format(_USUAL)
        self._usual = Voter(self.rules)
        self._voter = self._usual if self.vote == "first" else Voter(self.rules, self.vote)
        self._held: list[tuple[int, int, str]] = []
        self._next = 1

    def text(self, sentence: Sentence, line: int = 0) -> str:
        """Return the blocks that can be written with those of a sentence.

        Blocks of merged sentences are held back until all those before them have been written.

        Args:
            sentence: with its frames.
            line: of the sentence in the CoNLL-U, for messages.
        """
        self.counts["sentences"] += 1
        notes = [*[loss.note for loss in all_lost(sentence)], *tree_notes(sentence)]
        if not sentence.frames:
            self.counts["without frames"] += 1
            notes += not_written(["a sentence without frames"])
        self.report.tell(notes, self.path, line, sentence.sent_id)
        free = []
        for instance in sentence.frames:
            self.counts["instances"] += 1
            said = dict([comment.partition(" = ")[::2] for comment in instance.comments])
            number = to_number(said.get(_NUMBER, ""))
            block = self._block(sentence, instance, said, line)
            if number is None:
                free.append(block)
            else:
                heappush(self._held, (number, self.counts["instances"], block))
        while self._held and self._held[0][0] <= self._next:
            number, _, block = heappop(self._held)
            self._next = number + 1
            free.append(block)
        return "".join(free)

    def end(self) -> str:
        """Return the blocks that were held back, if some are missing before them."""
        return "".join([heappop(self._held)[2] for _ in range(len(self._held))])

    def summary(self) -> list[str]:
        """Return what was done, in lines."""
        counts = self.counts
        names = ("instance", "sentence")
        lines = [", ".join([counted(counts[f"{name}s"], f"{name}[s]") for name in names])]
        for key, what in _TOLD.items():
            if counts[key]:
                lines.append(counted(counts[key], what))
        return lines

    def _block(
        self, sentence: Sentence, instance: FrameInstance, said: dict[str, str], line: int
    ) -> str:
        """Return the block of an instance."""
        eojeols = sentence.eojeols
        if _FORMAT in said:
            self._layout = frame_format(*said[_FORMAT].split(" ", 1))
        comments = tuple([c for c in instance.comments if c.partition(" = ")[0] not in _RIDERS])
        usual = _framed(eojeols, self._usual(eojeols, instance), comments)
        verdict = self._voter(eojeols, instance)
        for at in verdict.conflicts:
            self.counts["conflicts"] += 1
            message = f"the morphemes of {eojeols[at].form} have different labels"
            message += (
                f": it takes {verdict.labels[at]}"
                if not verdict.targets[at]
                else (": it belongs to the target")
            )
            self.report.add(
                Incident("W426", message, self.path, line, 0, sentence.sent_id, str(at + 1))
            )
        why = "is not written: its eojeols take other labels (--vote)"
        notes = [Note(LOST_FRAME, f"{lost} {why}") for lost in verdict.lost]
        self.counts["lost"] += len(notes)
        self.report.tell(notes, self.path, line, sentence.sent_id)
        block = self._layout.write(_framed(eojeols, verdict, comments))
        if _OF in said and said[_OF] == _sum(usual):
            block = riders.with_lines(block, said, self._layout.write(usual), _PREFIX)
        elif _OF in said:
            self.counts["comments of other labels"] += 1
        before, after = (riders.kept_text(said, key) or "" for key in (_BEFORE, _AFTER))
        return before + block + after


_TOLD = {
    "without frames": "sentence[s] [has|have] no frame and [is|are] left out",
    "lost": "frame element[s] or target[s] [was|were] not written: [its|their] eojeols take other"
    " labels (--vote)",
    "conflicts": "eojeol[s] [has|have] morphemes with different labels (--vote)",
    "comments of other labels": "instance[s] [has|have] comments that were made for other labels:"
    " these were not used",
}


def _framed(eojeols: Sequence[Eojeol], verdict: Verdict, comments: tuple[str, ...]) -> Framed:
    """Return an instance as the corpus has it."""
    forms = tuple([eojeol.form for eojeol in eojeols])
    return Framed(forms, verdict.targets, verdict.labels, comments)


def _sum(framed: Framed) -> str:
    """Return a checksum of the eojeols and the labels of an instance."""
    targets = [f"{t.unit}\t{t.frame}" if t else "" for t in framed.targets]
    return riders.checksum(chain(framed.tokens, targets, framed.labels))
