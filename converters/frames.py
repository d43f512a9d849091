"""The two ways of the Korean FrameNet: to sentences with frames on their morphemes, and back.

    거주한다.  거주하다.v  Residence     →   거주/NNG  B-FrameTarget     하/XSV  I-FrameTarget …
    학교/NNG  O    에서/JKB  B-Place    만/JX  I-Place     →   학교에서만  B-Place

Every morpheme of an eojeol inherits its labels (memoir, 3.4.2). The morphemes are given (`given`),
or Kiwi finds them, once for all instances of a sentence. Whatever would not come back rides in
comments (`restoring`).
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, Literal, NamedTuple
from unicodedata import normalize

from sejongud.converters import restoring
from sejongud.converters.blocks import BlockReader, Content, SharedAnalysis
from sejongud.converters.entities_back import summary_lines
from sejongud.converters.eoj2morph import Eoj2Morph
from sejongud.converters.whole_eojeols import WholeEojeols
from sejongud.errors import FormatError, Note
from sejongud.formats import frame_format
from sejongud.formats.around import file_key, with_layout
from sejongud.formats.base import Block, SentIds, to_number
from sejongud.formats.framenet import Framed, FrameNet
from sejongud.formats.klue import as_word
from sejongud.layers.labels import (
    LOST_FRAME,
    OUTSIDE,
    Entity,
    all_lost,
    by_eojeol,
    continuation,
    find_entities,
    flat_labels,
    inside,
    not_written,
    shown,
    spread,
    to_labels,
    tree_notes,
)
from sejongud.layers.places import Recutter
from sejongud.levels.cut import SymbolRules
from sejongud.levels.heads import HeadRule
from sejongud.model import Arcs, Eojeol, FrameInstance, Sentence, Target
from sejongud.morphology.eojeol import Assembler, write_analysis
from sejongud.morphology.kiwi import BorderedEojeols
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from sejongud.files import Source
    from sejongud.rules import Rules


Vote = Literal["first", "last", "any", "head"]
"""The morpheme whose label an eojeol takes: the first or the last one that has a label and is no
symbol, the first one that has a label, symbols included, or the head of the eojeol."""

_SYMBOL = "symbol"


class Verdict(NamedTuple):
    """The eojeols of a sentence with the target and the frame elements of an instance."""

    targets: tuple[Target | None, ...]
    labels: tuple[str, ...]
    conflicts: tuple[int, ...]
    """The eojeols, from 0, whose morphemes do not agree."""
    lost: tuple[str, ...] = ()
    """The frame elements that no eojeol takes, and the target if none takes it."""


class Voter:
    """Finds the label of an eojeol among those of its morphemes.

    Args:
        rules: the tables.
        vote: the morpheme that decides.
    """

    def __init__(self, rules: Rules, vote: Vote = "first") -> None:
        self._kind = rules.kind
        self._sejong_tags = rules.sejong_tags
        self._heads = HeadRule(rules)
        self._vote = vote

    def __call__(self, eojeols: Sequence[Eojeol], instance: FrameInstance) -> Verdict:
        """Return the target and the labels of the eojeols.

        The label begins a frame element in the first eojeol that takes it.
        """
        flat = flat_labels(eojeols, instance.labels)
        owners: list[Entity | None] = [None] * len(flat)
        for entity in find_entities(flat):
            owners[entity.begin : entity.end] = [entity] * (entity.end - entity.begin)
        seen: set[Entity | None] = set()
        targets: list[Target | None] = []
        labels: list[str] = []
        conflicts = []
        start = 0
        for at, (eojeol, target) in enumerate(zip(eojeols, instance.targets, strict=True)):
            own = owners[start : start + len(eojeol.morphemes)]
            start += len(own)
            marked: Collection[int] = ()
            if target is not None:
                marked = frozenset(target.at) or range(len(own))
            if target is None and not any(own):
                targets.append(None)
                labels.append(OUTSIDE)
                continue
            if len(set(own)) == 1 and len(marked) in (0, len(own)):
                is_target, element, agree = bool(marked), own[0], True
            else:
                is_target, element, agree = self._elect(eojeol, own, marked)
            targets.append(Target(target.unit, target.frame) if target and is_target else None)
            # O goes on as O.
            label = flat[element.begin] if element is not None else OUTSIDE
            labels.append(continuation[label] if element in seen else label)
            seen.add(element)
            if not agree:
                conflicts.append(at)
        forms = [morpheme.form for eojeol in eojeols for morpheme in eojeol.morphemes]
        every = dict.fromkeys(filter(None, owners))
        lost = [shown(element, forms) for element in every if element not in seen]
        target = next(filter(None, instance.targets), None)
        if target is not None and not any(targets):
            lost.insert(0, f"the target {target.unit} ({target.frame})")
        return Verdict(tuple(targets), tuple(labels), tuple(conflicts), tuple(lost))

    def _elect(
        self, eojeol: Eojeol, own: Sequence[Entity | None], marked: Collection[int]
    ) -> tuple[bool, Entity | None, bool]:
        """Return whether an eojeol belongs to the target, its frame element, and whether all agree.

        Args:
            eojeol: the eojeol.
            own: the frame element of each morpheme.
            marked: the morphemes that belong to the target.
        """
        tags = self._sejong_tags(eojeol.morphemes)
        symbols = [self._kind(tag) == _SYMBOL for tag in tags]
        every = range(len(own))
        words = {n for n in every if not symbols[n]} or set(every)
        labelled = [n for n in every if own[n] is not None or n in marked]
        if self._vote == "head":
            head = self._heads.head(tags)
            labelled = [n for n in labelled if n == head]
        elif self._vote != "any":
            labelled = [n for n in labelled if n in words]
        if self._vote == "last":
            labelled.reverse()
        is_target = bool(labelled) and labelled[0] in marked
        # The frame element that a target carries is that of its own morphemes.
        side = [own[n] for n in labelled if (n in marked) == is_target]
        element = next((entity for entity in side if entity is not None), None)
        agree = len({(n in marked, own[n]) for n in words}) == 1
        return is_target, element, agree


_PREFIX = ""
_FORMAT, _OF, _BEFORE, _AFTER, _NUMBER = "format", "of", "before", "after", "number"
"""The keys of the comments that are no lines of the corpus (see `restoring`)."""
_RESTORING = frozenset({_FORMAT, _OF, _BEFORE, _AFTER, _NUMBER, "lines", "block"})
_ARGUMENT = "Argument"
_USUAL = "framenet"
_BATCH = 1_000
"""The number of instances whose sentences are analysed together."""
_KNOWN = 20_000
"""The number of analysed sentences that are remembered."""


# --- to morphemes ---------------------------------------------------------------------------------


class FrameReader(BlockReader["Framed"]):
    """Reads a corpus of frames as sentences with frames on their morphemes, one an instance.

    Args:
        assembler: builds the eojeols.
        layout: the format of the corpus.
        keep: whether a block that cannot be read rides along.
        general: whether every frame element is an `Argument`.
        symbols: whether external symbols at the edges of a span have its label.
        merge: whether the instances of a sentence are read as one sentence. Their blocks may stand
            anywhere in the file, so all of it is held in memory.
        workers: the number of Kiwi's own threads; None for as many as there are processors.
    """

    keys = (_FORMAT, _BEFORE, _AFTER)
    layout: FrameNet

    def __init__(
        self,
        assembler: Assembler,
        layout: FrameNet,
        *,
        keep: bool = False,
        general: bool = False,
        symbols: bool = True,
        merge: bool = False,
        workers: int | None = None,
    ) -> None:
        super().__init__(assembler, layout, keep=keep)
        rules = assembler.rules
        self.tells_notes = layout.has_syntax
        self.instances = 1
        """The greatest number of instances in a sentence."""
        self._general = general
        self._symbols = symbols
        self._merge = merge
        self._eoj2morph = Eoj2Morph(rules, inherit=True)
        self._external = SymbolRules(rules).external
        self._vote = Voter(rules)
        self._kiwi = BorderedEojeols(assembler, workers)
        self._recut = Recutter(assembler).recut
        self._known: dict[tuple[str, ...], tuple[Eojeol, ...]] = {}
        self._once: SharedAnalysis | None = None
        self._ids = SentIds()
        self._frames, self._given_frames = set[int](), set[int]()
        """The frames of the corpus, and those of the file with the morphemes, if it has any."""

    def blocks_of(self, source: Source) -> Iterator[Block]:
        """Yield the blocks; see `with_layout`."""
        return with_layout(super().blocks_of(source), source, self.layout.name)

    def give(self, sentences: Iterator[Sentence]) -> None:
        """Take the morphemes from another file, which has each sentence at least once."""
        self._once = SharedAnalysis(sentences, self.assembler)
        self._ids = SentIds()
        self.finder = self._once.finder

    def given(self, content: Content[Framed]) -> tuple[Sentence, tuple[Eojeol, ...]]:
        """Return the sentence of another file, and its eojeols as the corpus has them.

        Raises:
            FormatError: it has no such sentence.
        """
        assert self._once is not None
        forms = _forms(content)
        source = self._once.find(forms)
        return source, self._recut(source.eojeols, forms)

    def with_given(self, content: Content[Framed]) -> Content[Framed]:
        """Return an instance with its morphemes, and with the id of their sentence.

        The instances of a sentence have its id, its id-2 and so on. A bare number is the place of a
        sentence in a file without ids, so that the corpus names its instance.
        """
        content = super().with_given(content)
        sent_id = content.given[0].sent_id if content.given is not None else ""
        if sent_id and not sent_id.isdecimal():
            content = content._replace(sent_id=self._ids.unique(sent_id))
        return content

    def blocks(self, chunks: Iterable[str]) -> Iterator[Block]:
        """Return the instances of a file, or its sentences, and the blocks that cannot be read."""
        blocks = super().blocks(chunks)
        return iter(self._grouped(blocks)) if self._merge else blocks

    def _grouped(self, blocks: Iterable[Block]) -> list[Block]:
        """Return the first instance of each sentence, with which the others are parsed."""
        groups: dict[tuple[str, ...], list[Block]] = {}
        found = []
        number = 0
        for block in blocks:
            content = self.content(block)
            if content.error is not None:
                found.append(block)
                continue
            number += 1
            numbered = block._replace(comments=(*block.comments, f"{_NUMBER} = {number}"))
            assert content.value is not None
            syntax = (*content.value.analyses, str(content.value.arcs))
            group = groups.setdefault((*_forms(content), *syntax), [])
            if not group:
                found.append(numbered._replace(item=content._replace(others=group)))
            group.append(numbered)
        self.instances = max(map(len, groups.values()), default=1)
        return found

    def prepare(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield blocks; Kiwi analyses many sentences together, each of them once."""
        rest = iter(blocks)
        while batch := list(islice(rest, _BATCH)):
            if self.finder is None:
                contents = [self.content(block) for block in batch]
                bare = [one for one in contents if one.value is not None and not one.value.analyses]
                self._analyse(map(_forms, bare))
            yield from batch

    def _analyse(self, sentences: Iterable[tuple[str, ...]]) -> None:
        """Have Kiwi find the morphemes of the sentences that are not known yet."""
        known = self._known
        if len(known) > _KNOWN:
            known.clear()
        new = [forms for forms in dict.fromkeys(sentences) if forms not in known]
        found = self._kiwi.of([(list(forms), {}, {}) for forms in new])
        known |= zip(new, [analysed.eojeols for analysed in found], strict=True)
        self.counts["analysed"] += len(new)

    def parse(self, block: Block) -> Sentence:
        """Return the sentence of a block, with its other instances if they are merged.

        Raises:
            FormatError: the block cannot be read.
        """
        sentence = super().parse(block)
        self.counts["sentences"] += 1
        for other in self.content(block).others[1:]:
            sentence.frames += super().parse(other).frames
        return sentence

    def labelled(self, block: Block, content: Content[Framed]) -> Sentence:
        """Return a sentence with the instance of a block on its morphemes, and the comments."""
        framed, forms = content.value, _forms(content)
        assert framed is not None
        if content.given is None and framed.analyses:
            sentence = Sentence(
                self._analysed(block, forms, framed.analyses),
                content.sent_id,
                number=block.number,
                arcs=framed.arcs,
                is_treebank=True,
            )
        elif content.given is None:
            if forms not in self._known:
                self._analyse([forms])
            sentence = Sentence(self._known[forms], content.sent_id, number=block.number)
        else:
            source, eojeols = content.given
            sentence = source.but(sent_id=content.sent_id, number=block.number, header=None)
            if eojeols is not source.eojeols:
                # Ids, labels and columns belong to the other eojeols.
                notes = [loss.note for loss in all_lost(source, "other borders")]
                notes += not_written(["dependencies"] if source.arcs is not None else [])
                sentence = sentence.but(eojeols=eojeols, ids=(), arcs=None, entities=())
                sentence.notes += tuple(notes)
        eojeols = sentence.eojeols
        self.counts["instances"] += 1
        self.counts["eojeols"] += len(eojeols)
        labels = self._eoj2morph.labels(eojeols, framed.labels)
        instance = FrameInstance(framed.targets, labels, framed.comments)
        if content.given is not None and (given := content.given[0]).frames:
            self._frames.add(_key(sentence, instance))
            self._given_frames |= {_key(given, frame) for frame in given.frames}
        if not self._symbols:
            instance = without_edge_symbols(eojeols, instance, framed.labels, self._external)
        if self._general:
            instance = general(eojeols, instance)
        back = _framed(eojeols, self._vote(eojeols, instance), framed.comments, framed.arcs)
        kept = restoring.block_comments(self.layout.write(back), content.block.text, _PREFIX)
        if kept:
            kept.append(f"{_OF} = {_sum(back)}")
            self.counts["with comments"] += 1
        around = {comment.partition(" ")[0]: comment for comment in block.comments}
        kept += [around[_BEFORE]] if _BEFORE in around else []
        if kept or not self._is_named or str(self.layout) != str(frame_format(_USUAL)):
            # Every instance with such comments names the format: the file may be split or shuffled.
            kept.append(f"{_FORMAT} = {self.layout}")
            self._is_named = True
        kept += [around[key] for key in (_AFTER, _NUMBER) if key in around]
        sentence.frames = (instance._replace(comments=(*instance.comments, *kept)),)
        if (layout := around.get(file_key(self.layout.name))) is not None:
            sentence.comments = (layout, *sentence.comments)
        return sentence

    def lines(self, block: Block) -> list[int]:
        """Return the line numbers of the eojeols of a block."""
        lines = enumerate(block.text.split("\n"), block.line)
        # Only above the rows does a # begin a comment; see `split_rows`.
        rows = dropwhile(lambda line: not line[1].strip() or line[1][0] == "#", lines)
        return [at for at, row in rows if row.strip()]

    def _analysed(
        self, block: Block, forms: Sequence[str], analyses: Sequence[str]
    ) -> tuple[Eojeol, ...]:
        """Return the eojeols of forms with the morphemes of the corpus.

        Raises:
            FormatError: an analysis cannot be read, unless it is kept.
        """
        eojeols = []
        for line, form, analysis in zip(self.lines(block), forms, analyses, strict=True):
            try:
                eojeol = self.assembler[f"{form}\t{analysis}"]
            except FormatError as error:
                eojeol = self.kept(error, form, line=line, text=f"{form}\t{analysis}")
            eojeols.append(as_word(eojeol))
        return tuple(eojeols)

    def summary(self, _: Mapping[str, int]) -> list[str]:
        """Return what was done, in lines."""
        names = ("instance", "sentence", "eojeol")
        sizes = [counted(self.counts[f"{name}s"], f"{name}[s]") for name in names]
        self.counts["others"] = len(self._given_frames - self._frames)
        return [", ".join(sizes), *summary_lines(self.counts, _TOLD_FORWARD)]


def is_instance(sentence: Sentence) -> bool:
    """Test whether a sentence is one instance of a corpus, which may have it once for each."""
    numbered = [c.startswith(f"{_NUMBER} = ") for one in sentence.frames for c in one.comments]
    return len(sentence.frames) == 1 and not any(numbered)


def _key(sentence: Sentence, frame: FrameInstance) -> int:
    """Return the hash of a frame and the text that it is in."""
    return hash((sentence.text, frame.targets, frame.labels))


def _forms(content: Content[Framed]) -> tuple[str, ...]:
    """Return the eojeols of an instance in NFC, which the analyser needs."""
    assert content.value is not None
    return tuple([normalize("NFC", token) for token in content.value.tokens])


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

    def edges(at: int, *, opens: bool, closes: bool) -> tuple[int, int]:
        # How many symbols stand at the two edges of an eojeol where a span opens or closes.
        marks, count = external(eojeols[at]), len(eojeols[at].morphemes)
        words = [place for place in range(count) if place not in marks]
        if not words:
            return 0, 0
        return words[0] if opens else 0, count - 1 - words[-1] if closes else 0

    found = list(instance.labels)
    for _, begin, end in find_entities(labels):
        for at in {begin, end - 1}:
            left, right = edges(at, opens=at == begin, closes=at == end - 1)
            count = len(eojeols[at].morphemes)
            own = spread(labels[at], count - left - right)
            found[at] = inside((*(OUTSIDE,) * left, *own, *(OUTSIDE,) * right))
    targets = list(instance.targets)
    for at, target in enumerate(instance.targets):
        if target is not None:
            left, right = edges(
                at,
                opens=at == 0 or instance.targets[at - 1] != target,
                closes=instance.targets[at + 1 : at + 2] != (target,),
            )
            if left or right:
                places = range(left, len(eojeols[at].morphemes) - right)
                targets[at] = target._replace(at=tuple(places))
    return instance._replace(targets=tuple(targets), labels=tuple(found))


# --- back to eojeols ------------------------------------------------------------------------------


class FrameWriter:
    """Writes sentences with frames on their morphemes as a corpus of frames.

    Args:
        rules: the tables.
        vote: the morpheme whose label an eojeol takes.
    """

    parting = "\n\n"

    def __init__(self, rules: Rules, vote: Vote = "first") -> None:
        self.counts: Counter[str] = Counter()
        self._layout = frame_format(_USUAL)
        self._usual = Voter(rules)
        self._whole = WholeEojeols(rules)
        self._voter = self._usual if vote == "first" else Voter(rules, vote)
        self._held: list[tuple[int, int, str]] = []
        self._next = 1
        self._notes: list[Note] = []

    def sentence(self, sentence: Sentence) -> str:
        """Return the blocks that can be written with those of a sentence.

        Blocks of merged sentences are held back until all those before them have been written.
        """
        self.counts["sentences"] += 1
        lost = [loss.note for loss in all_lost(sentence)]
        self._notes = []
        if not sentence.frames:
            self.counts["without frames"] += 1
            self._notes += not_written(["a sentence without frames"])
        free = []
        for instance in sentence.frames:
            self.counts["instances"] += 1
            said = dict([comment.partition(" = ")[::2] for comment in instance.comments])
            number = to_number(said.get(_NUMBER, ""))
            block = self._block(sentence, instance, said)
            if number is None:
                free.append(block)
            else:
                heappush(self._held, (number, self.counts["instances"], block))
        while self._held and self._held[0][0] <= self._next:
            number, _, block = heappop(self._held)
            self._next = number + 1
            free.append(block)
        arcs = None if self._layout.has_syntax else sentence.arcs
        self.counts["with losses"] += any([note.code == LOST_FRAME for note in self._notes])
        self._notes = [*lost, *tree_notes(sentence.but(arcs=arcs)), *self._notes]
        return "".join(free)

    def loses(self, sentence: Sentence) -> list[Note]:
        """Return the incidents of what `sentence` did not write of the last sentence."""
        return self._notes

    def end(self) -> str:
        """Return the blocks that were held back, if some are missing before them."""
        return "".join([heappop(self._held)[2] for _ in range(len(self._held))])

    def summary(self, _: Mapping[str, int]) -> list[str]:
        """Return what was done, in lines."""
        counts = self.counts
        names = ("instance", "sentence")
        sizes = ", ".join([counted(counts[f"{name}s"], f"{name}[s]") for name in names])
        with_losses = counted(counts["with losses"], "sentence[s]")
        lost = {"lost": _TOLD_BACKWARD["lost"].format(with_losses=with_losses)}
        return [sizes, *summary_lines(counts, _TOLD_BACKWARD | lost)]

    def _block(self, sentence: Sentence, instance: FrameInstance, said: dict[str, str]) -> str:
        """Return the block of an instance."""
        eojeols = sentence.eojeols
        if _FORMAT in said:
            self._layout = frame_format(*said[_FORMAT].split(" ", 1))
        arcs = self._whole(sentence).arcs if self._layout.has_syntax and sentence.arcs else None
        comments = tuple([c for c in instance.comments if c.partition(" = ")[0] not in _RESTORING])
        usual = _framed(eojeols, self._usual(eojeols, instance), comments, arcs)
        verdict = self._voter(eojeols, instance)
        for at in verdict.conflicts:
            self.counts["conflicts"] += 1
            outcome = f"takes {verdict.labels[at]}"
            if verdict.targets[at]:
                outcome = "belongs to the target"
            message = f"the morphemes of {eojeols[at].form} have different labels: it {outcome}"
            self._notes.append(Note("W426", message, str(at + 1)))
        why = "is not written: its eojeols take other labels (--vote)"
        self._notes += [Note(LOST_FRAME, f"{lost} {why}") for lost in verdict.lost]
        self.counts["lost"] += len(verdict.lost)
        block = self._layout.write(_framed(eojeols, verdict, comments, arcs))
        if _OF in said and said[_OF] == _sum(usual):
            block = restoring.with_lines(block, said, self._layout.write(usual), _PREFIX)
        elif _OF in said:
            self.counts["comments of other labels"] += 1
        before, after = (restoring.kept_text(said, key) or "" for key in (_BEFORE, _AFTER))
        return before + block + after


_TOLD_FORWARD = {
    "analysed": "sentence[s] [was|were] analysed by Kiwi",
    "with comments": "instance[s] keep[s|] lines in a comment",
    "others": "other frame[s] of the file with the morphemes [was|were] not written: sejongud join"
    " lays several layers of frames on one text",
}
_TOLD_BACKWARD = {
    "without frames": "sentence[s] [has|have] no frame and [is|are] left out",
    "lost": "frame element[s] or target[s] of {with_losses} [was|were] not written: [its|their]"
    " eojeols take other labels (--vote)",
    "conflicts": "eojeol[s] [has|have] morphemes with different labels (--vote)",
    "comments of other labels": "instance[s] [has|have] comments that were made for other labels:"
    " these were not used",
}


def _framed(
    eojeols: Sequence[Eojeol], verdict: Verdict, comments: tuple[str, ...], arcs: Arcs | None
) -> Framed:
    """Return an instance as the corpus has it."""
    forms = tuple([eojeol.form for eojeol in eojeols])
    analyses = tuple([write_analysis(eojeol.morphemes) for eojeol in eojeols])
    return Framed(forms, verdict.targets, verdict.labels, comments, analyses, arcs)


def _sum(framed: Framed) -> str:
    """Return a checksum of the eojeols and the labels of an instance."""
    targets = [f"{t.unit}\t{t.frame}" if t else "" for t in framed.targets]
    return restoring.checksum(chain(framed.tokens, targets, framed.labels))
