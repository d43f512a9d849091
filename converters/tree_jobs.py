"""The conversions of trees for the pipeline.

Attach trees to the sentences of another file: CoNLL-U with the morphemes.

    (S (NP-SBJ (NNP+JKS 웅가로가)) (VP (VV+EP+EF+SF 나섰다.)))     a parser's tree, of any level
    웅가로 가 나서 었 다 .                                          the sentence, with its morphemes

The terminals of the tree are the words of the sentence at one of the five levels, as a rule. Where
they are not, both are aligned (`sejongud.layers.matching`): a constituent may begin and end only
where both texts have a border. Sentences that only one file has are told, and the others paired.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from sejongud.converters.jobs import Conversion
from sejongud.converters.recut import OwnCut, Recut
from sejongud.converters.tree_words import HeadFinal, TreeBack
from sejongud.converters.trees import (
    NO_EDIT,
    Fit,
    FromDependencies,
    Inside,
    TreeEdit,
    TreeLabels,
)
from sejongud.errors import FormatError, Incident, Note, Report
from sejongud.formats.around import restore_comment
from sejongud.formats.base import Block
from sejongud.formats.penn import BracketsWriter, Pos, TerminalText
from sejongud.formats.trees import SOURCE, TreeBlock
from sejongud.layers.matching import align_sentences, align_words
from sejongud.layers.subsequence import fold
from sejongud.layers.trees import moved, nulls, without, word_ends
from sejongud.levels.cut import Granularity
from sejongud.levels.heads import UD
from sejongud.model import LEVELS, Constituent, Sentence
from sejongud.rules import Rules, load
from sejongud.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sejongud.files import Source
    from sejongud.formats import Writer
    from sejongud.pipeline import Step

_UNALIGNED = "E607"
_DIFFERENT = "W610"
_NO_SENTENCE = "E608"
_EMPTIED = "W611"
_NO_TREE = "W612"
_CONFLICT = "W616"
_WINDOW = 64
"""The number of sentences among which the counterpart of a sentence is sought."""


class PlacedTree(NamedTuple):
    """A tree that was read, and its place."""

    block: Block
    tree_block: TreeBlock


Annotation = TypeVar("Annotation")


def _words(tree: PlacedTree) -> list[str]:
    """Return the words of the text of a tree; of a tree without a text its terminals."""
    return tree.tree_block.text.split() or _forms(tree.tree_block)


def _forms(tree_block: TreeBlock) -> list[str]:
    """Return the forms of the terminals, or of their morphemes."""
    return [
        terminal.form or "".join([morpheme.form for morpheme in terminal.morphemes])
        for terminal in tree_block.terminals
    ]


def pairs(
    annotations: Iterator[Annotation],
    sentences: Iterator[Sentence],
    words_of: Callable[[Annotation], list[str]],
) -> Iterator[tuple[Annotation | None, Sentence | None]]:
    """Pair annotations with the sentences of the same text, in order and in constant memory.

    Args:
        annotations: trees, or sentences, of a file.
        sentences: of the other file; either may have sentences that the other lacks.
        words_of: returns the words of the text of an annotation.

    Yields:
        An annotation and its sentence; None for the one that is missing.
    """
    of_trees = ((fold("".join(words_of(annotation))), annotation) for annotation in annotations)
    of_sentences = ((_texts(sentence), sentence) for sentence in sentences)
    ours = list(islice(of_trees, _WINDOW))
    theirs = list(islice(of_sentences, _WINDOW))
    while ours and theirs:
        first, second = _next_same([text for text, _ in ours], [texts for texts, _ in theirs])
        between = [tree for _, tree in ours[:first]], [sentence for _, sentence in theirs[:second]]
        yield from _between(*between, words_of)
        del ours[:first], theirs[:second]
        if ours and theirs:
            yield ours.pop(0)[1], theirs.pop(0)[1]
        ours += islice(of_trees, _WINDOW - len(ours))
        theirs += islice(of_sentences, _WINDOW - len(theirs))
    for _, tree in chain(ours, of_trees):
        yield tree, None
    for _, sentence in chain(theirs, of_sentences):
        yield None, sentence


def _texts(sentence: Sentence) -> tuple[str, str]:
    """Return the texts by which the tree of a sentence is known: surface and morphemes."""
    return (
        fold("".join([eojeol.form for eojeol in sentence.eojeols])),
        fold("".join([morpheme.form for morpheme in sentence.morphemes])),
    )


def _next_same(tree_texts: Sequence[str], keys: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Return the places of the first tree and sentence of the same text; (0, 0) if there are none.

    Sentences of which none has the text of a tree are another spelling of it, and are taken in
    order.

    Args:
        tree_texts: the text of each tree: that of the surface or that of the morphemes.
        keys: the texts of each sentence.
    """
    if tree_texts[0] in keys[0]:
        return 0, 0
    places: dict[str, int] = {}
    for index, texts in enumerate(keys):
        for text in texts:
            places.setdefault(text, index)
    places_of_same = [(i, places[text]) for i, text in enumerate(tree_texts) if text in places]
    return min(places_of_same, key=sum, default=(0, 0))


def _between(
    unpaired: Sequence[Annotation],
    sentences: Sequence[Sentence],
    words_of: Callable[[Annotation], list[str]],
) -> Iterator[tuple[Annotation | None, Sentence | None]]:
    """Yield annotations and sentences whose texts all differ: in order if none is missing."""
    if len(unpaired) == len(sentences):
        yield from zip(unpaired, sentences, strict=True)
        return
    texts = [[morpheme.form for morpheme in sentence.morphemes] for sentence in sentences]
    for group in align_sentences(list(map(words_of, unpaired)), texts):
        if len(group.gold) == len(group.system) == 1:
            yield unpaired[group.gold.start], sentences[group.system.start]
            continue
        yield from [(unpaired[i], None) for i in group.gold]
        yield from [(None, sentences[i]) for i in group.system]


class Attach:
    """Gives sentences the constituents of trees.

    Args:
        rules: the tables.
    """

    def __init__(self, rules: Rules) -> None:
        # The level of the tree before comes first.
        self._recuts = [Recut(Granularity(rules, level)) for level in LEVELS]

    def __call__(self, tree: PlacedTree, sentence: Sentence) -> Sentence:
        """Return the sentence with the constituents of the tree.

        A tree that cannot be aligned is told in the notes, and its text stands in a comment.
        """
        tree_block = tree.tree_block
        sentence.comments = (*sentence.comments, *tree_block.comments)
        sentence.notes = (*sentence.notes, *tree_block.notes)
        if not tree_block.constituents:
            return sentence
        try:
            places, notes = self.places(tree_block, sentence)
        except FormatError as error:
            note = Note(error.code, f"{error.message}; the tree is kept as a comment")
            sentence.notes = (*sentence.notes, note)
            sentence.comments = (*sentence.comments, restore_comment(SOURCE, tree.block.text))
            return sentence
        layer = moved(tree_block.constituents, places)
        layer_kept, emptied = _filled(tree_block.constituents, layer)
        if emptied:
            message = counted(emptied, "constituent[s], which [is|are] left out")
            message = f"the sentence has no words of {message}"
            notes.append(Note(_EMPTIED, message))
        sentence.constituents = layer_kept
        sentence.notes = (*sentence.notes, *notes)
        return sentence

    def places(self, tree_block: TreeBlock, sentence: Sentence) -> tuple[list[int], list[Note]]:
        """Return the place of each border of terminals among the morphemes of a sentence.

        Raises:
            FormatError: a constituent begins or ends where the sentence has no border.
        """
        leaves = [leaf.morphemes for leaf in tree_block.terminals]
        if all(leaves):
            sizes = list(accumulate(map(len, leaves), initial=0))
            tree_forms = [morpheme.form for leaf in leaves for morpheme in leaf]
            wanted = [morpheme.form for morpheme in sentence.morphemes]
            if tree_forms == wanted:
                return sizes, []
            # Morphemes are finer than terminals, and the same wherever both analyses agree.
            ends = [*range(len(wanted) + 1)]
            return _by_alignment(tree_block, sizes, tree_forms, wanted, ends)
        forms = _forms(tree_block)
        folded = [fold(form) for form in forms]
        cuts = []
        for recut in tuple(self._recuts):
            cut = recut(sentence)
            words = [word.form for word in cut.words]
            ends = [0, *word_ends(cut)]
            if len(words) == len(forms) and [fold(word) for word in words] == folded:
                self._recuts.remove(recut)
                self._recuts.insert(0, recut)
                return ends, []
            cuts.append((abs(len(words) - len(forms)), words, ends))
        _, words, ends = min(cuts, key=lambda cut: cut[0])
        return _by_alignment(tree_block, list(range(len(forms) + 1)), forms, words, ends)


def _by_alignment(
    tree_block: TreeBlock,
    borders: Sequence[int],
    tree_units: Sequence[str],
    sentence_units: Sequence[str],
    ends: Sequence[int],
) -> tuple[list[int], list[Note]]:
    """Return the place of each border of terminals, and notes on texts that differ.

    Args:
        tree_block: the tree.
        borders: of its terminals, in units of `tree_units`.
        tree_units: the units of the tree.
        sentence_units: the units of the sentence.
        ends: the place of each border of `sentence_units` among the morphemes.

    Raises:
        FormatError: a constituent begins or ends where the sentence has no border.
    """
    place_of = {0: 0}
    different = []
    same = 0
    for group in align_words(tree_units, sentence_units):
        text, opposite = (
            "".join(side[group_.start : group_.stop])
            for side, group_ in ((tree_units, group.gold), (sentence_units, group.system))
        )
        same += group.match or fold(text) == fold(opposite)
        if fold(text) != fold(opposite):
            different.append(f"{text or 'nothing'} where the sentence has {opposite or 'nothing'}")
        place_of[group.gold.stop] = ends[group.system.stop]
    if not same:
        raise FormatError("the tree is not of this sentence: no word of it is", code=_UNALIGNED)
    wanted = {place for node in tree_block.constituents for place in (node.start, node.end)}
    places = []
    for i, border in enumerate(borders):
        if border not in place_of and i in wanted:
            word = "".join(tree_units[borders[i - 1] : border])
            message = f"a constituent ends behind terminal {i}, {word}, where the sentence has no"
            raise FormatError(f"{message} border", code=_UNALIGNED)
        places.append(place_of.get(border, -1))
    notes = [Note(_DIFFERENT, f"the tree has {difference}") for difference in different]
    return places, notes


def _filled(
    before: Sequence[Constituent], layer: Sequence[Constituent]
) -> tuple[tuple[Constituent, ...], int]:
    """Return constituents without those that have become empty, and how many have."""
    gone = [
        not null and old.start < old.end and new.start == new.end
        for old, new, null in zip(before, layer, nulls(before), strict=True)
    ]
    return without(layer, gone), sum(gone)


# --- the conversions ------------------------------------------------------------------------------


class TreeConversion(Conversion):
    """A conversion of trees; made once, used in every process.

    Args:
        dependencies: "from" makes the trees of dependencies, "to" the dependencies of trees; "" has
            the trees of the file.
        edit: the changes of the trees.
        root: the label around a tree that is made of dependencies; "" for none.
        pos: the column that is the tag of a word (writer brackets).
        terminal: the column that is the terminal (writer brackets).
        plus: how a terminal that is a plus is written (writer brackets).
        inside: the treatment of a constituent that begins or ends inside a word; "" widens it with
            `on_error` "keep" and is an error otherwise.
        recuts: whether sentences are cut at the level; otherwise those that have no words yet.
    """

    dependencies: Literal["", "from", "to"] = ""
    edit: TreeEdit = NO_EDIT
    root: str = ""
    pos: Pos = "xpos"
    terminal: TerminalText = "form"
    plus: str = "+"
    inside: Inside = ""
    recuts: bool = True

    schemes: ClassVar[tuple[str, ...]] = ("", "final", UD)

    def _check_scheme(self) -> None:
        """Accept any format: the command has checked that it has trees."""

    def make_steps(self) -> list[Step]:
        """Return the steps from a sentence that was read to the one that is written.

        Raises:
            UsageError: there is no such level or scheme.
        """
        rules = load(self.rules)
        if self.dependencies == "to":
            return [HeadFinal(rules, self.scheme, self.level), *super().make_steps()]
        steps: list[Step] = []
        if self.dependencies == "from":
            steps += [TreeBack(rules)] if self.scheme == UD else []
            steps.append(FromDependencies(rules, self.root))
        if self.edit != NO_EDIT:
            steps.append(partial(self.edit.__call__, labels=TreeLabels(rules)))
        return [*steps, *super().make_steps()]

    def make_recut(self) -> Any:
        """Return the step that cuts sentences at the level.

        Raises:
            UsageError: there is no such level or scheme.
        """
        recut = super().make_recut()
        return recut if self.recuts else OwnCut(recut)

    def make_fit(self) -> Fit:
        """Return the step after which no constituent ends inside a word."""
        return Fit(self.inside or ("widen" if self.on_error == "keep" else ""))

    def attached(
        self, source: Source, sentences: Iterator[Sentence], report: Report
    ) -> Iterator[str]:
        """Yield the text of the sentences of a file with the trees of another file.

        A tree without a sentence is told, and stands in a comment of the next sentence.

        Args:
            source: the trees.
            sentences: of the other file.
            report: receives the incidents.

        Raises:
            FormatError: a sentence cannot be written, with `on_error` "stop".
        """
        pipeline = self.make_pipeline()
        reader: Any = pipeline.reader
        attach = Attach(load(self.rules))
        path = source.path

        def trees() -> Iterator[PlacedTree]:
            for block in reader.blocks_of(source):
                try:
                    yield PlacedTree(block, reader.tree_block(block))
                except FormatError as error:
                    report.add(error.at(path=path, line=block.line).incident(sent_id=block.sent_id))

        yield pipeline.preamble
        waiting: list[str] = []
        for tree, sentence in pairs(trees(), sentences, _words):
            place = Block("", 0, 0) if tree is None else tree.block
            if sentence is None:
                message = "no sentence has the text of this tree"
                report.add(Incident(_NO_SENTENCE, message, path, place.line, 0, place.sent_id))
                waiting.append(restore_comment(SOURCE, place.text))
                continue
            sentence.comments = (*sentence.comments, *waiting)
            waiting = []
            if tree is None:
                sentence.notes = (*sentence.notes, Note(_NO_TREE, "no tree has the text of it"))
            else:
                before = sentence.constituents
                sentence = attach(tree, sentence)
                if before and before != sentence.constituents:
                    note = Note(_CONFLICT, "other constituents that the sentence had are left out")
                    sentence.notes = (*sentence.notes, note)
            place = Block("", place.line, 0, sentence.sent_id)
            if (written := pipeline.written(place, sentence, report)) is not None:
                yield written[0]

    def _make_writer(self) -> Writer:
        if self.writer == "brackets":
            return BracketsWriter(pos=self.pos, terminal=self.terminal, plus=self.plus)
        return super()._make_writer()
