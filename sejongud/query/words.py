"""The words of a sentence that a query tests."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from sejongud.formats.base import META
from sejongud.formats.conllu.frames import target_units
from sejongud.formats.words import word_views
from sejongud.layers.labels import entity_layers, find_entities, flat_labels
from sejongud.model import NOTHING
from sejongud.query.grammar import LAYERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sejongud.formats.words import WordView
    from sejongud.model import Sentence, Span

_DOCUMENT = "newdoc"


@dataclass(slots=True)
class Words:
    """The words of a sentence, as a query sees them.

    Args:
        sentence: the sentence in the cut that is tested.
        views: its words.
    """

    sentence: Sentence
    views: list[WordView]
    _children: list[list[int]] | None = None
    _starts: list[int] = field(default_factory=list)
    _layers: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.views)

    def values(self, place: int, key: str) -> tuple[str, ...]:
        """Return the values of a word for a key; () if it has none.

        Args:
            place: the word, from 0.
            key: one of `sejongud.query.grammar.KEYS`.
        """
        word = self.views[place]
        match key:
            case "form" | "lemma" | "upos" | "feats" | "deprel":
                value: str = getattr(word, key)
            case "tag":
                value = word.xpos
            case _ if key in LAYERS:
                return self._labels_of(key)[place]
            case "eojeol":
                value = self.sentence.eojeols[word.eojeol].form
            case "construction":
                morphemes = self.sentence.eojeols[word.eojeol].morphemes
                value = "+".join([morpheme.tag for morpheme in morphemes])
            case "text":
                value = self.sentence.text
            case _:
                value = self.sentence.sent_id
        return () if value in ("", NOTHING) else (value,)

    def _labels_of(self, layer: str) -> list[tuple[str, ...]]:
        """Return the labels of a layer that each word stands in, the outermost first."""
        if layer not in self._layers:
            around: defaultdict[int, dict[str, None]] = defaultdict(dict)
            for label, begin, end in _spans(self.sentence, layer):
                for place in range(begin, end):
                    around[place][label] = None
            self._layers[layer] = [tuple(around.get(place, ())) for place in self._places()]
        return self._layers[layer]

    def _places(self) -> list[int]:
        """Return the first morpheme of each word, from 0 in the sentence; -1 if it has none."""
        sizes = [len(eojeol.morphemes) for eojeol in self.sentence.eojeols]
        starts = list(accumulate(sizes, initial=0))
        return [
            starts[word.eojeol] + word.first if word.first < word.last else -1
            for word in self.views
        ]

    def step(self, places: list[int], step: str) -> list[int]:
        """Return the words to which a step leads from some words, each once.

        Args:
            places: words, from 0.
            step: one of `sejongud.query.grammar.STEPS`.
        """
        if step == "child":
            reached = [child for place in places for child in self.children[place]]
        elif step == "head":
            reached = [self.views[place].head - 1 for place in places]
        else:
            by = 1 if step == "next" else -1
            reached = [place + by for place in places]
        return list(dict.fromkeys([place for place in reached if 0 <= place < len(self.views)]))

    @property
    def children(self) -> list[list[int]]:
        """The dependents of each word."""
        if self._children is None:
            self._children = [[] for _ in self.views]
            for i, word in enumerate(self.views):
                if 0 < word.head <= len(self.views):
                    self._children[word.head - 1].append(i)
        return self._children

    def span(self, place: int) -> Span:
        """Return the characters of a word in the text; those of its eojeol if it has no surface."""
        word = self.views[place]
        eojeols = self.sentence.eojeols
        if not self._starts:
            self._starts = list(accumulate([len(eojeol.form) + 1 for eojeol in eojeols], initial=0))
        eojeol = eojeols[word.eojeol]
        begin, end = 0, len(eojeol.form)
        if word.first < word.last:
            spans = eojeol.spans[word.first : word.last]
            begin, end = min([span[0] for span in spans]), max([span[1] for span in spans])
        if begin == end:
            begin, end = 0, len(eojeol.form)
        start = self._starts[word.eojeol]
        return start + begin, start + end


def _spans(sentence: Sentence, layer: str) -> Iterator[tuple[str, int, int]]:
    """Yield the labels of a layer, each with its first morpheme and the place behind its last."""
    eojeols = sentence.eojeols
    if layer == "entity":
        for entity in chain.from_iterable(entity_layers(sentence)):
            yield entity.type, entity.begin, entity.end
    elif layer == "constituent":
        for label, start, end, _ in sentence.constituents:
            yield label, start, end
    elif layer == "fe":
        for instance in sentence.frames:
            for entity in find_entities(flat_labels(eojeols, instance.labels)):
                yield entity.type, entity.begin, entity.end
    else:
        for instance in sentence.frames:
            for place, target in enumerate(target_units(eojeols, instance)):
                if target is not None:
                    yield target[layer == "frame"], place, place + 1


def document_of(sentence: Sentence, before: tuple[str, ...]) -> tuple[str, ...]:
    """Return the comments of the document that a sentence stands in.

    Args:
        sentence: the sentence, whose own comments may begin a document.
        before: the comments of the document of the sentence before it.

    >>> from sejongud.model import Sentence
    >>> document_of(Sentence((), "1", comments=("newdoc", "meta::title = 봄", "x")), ("newdoc",))
    ('newdoc', 'meta::title = 봄')
    """
    comments = tuple([line for line in sentence.comments if line.startswith((_DOCUMENT, META))])
    return comments or before


def words_of(recut: Callable[[Sentence], Sentence], *, as_is: bool) -> Callable[[Sentence], Words]:
    """Return the function that cuts sentences into the words that a query tests.

    Args:
        recut: cuts a sentence at a level.
        as_is: whether the words of a treebank are taken as they are.
    """

    def cut(sentence: Sentence) -> Words:
        words = sentence if as_is and sentence.is_treebank else recut(sentence)
        return Words(words, list(word_views(words)))

    return cut
