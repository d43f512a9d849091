"""The words of a sentence in their places: columns, arcs and labels put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.formats.misc import feats_label, other_items, range_items, word_label
from sejongud.model import NOTHING, Arcs, Eojeol, Sentence, Span

if TYPE_CHECKING:
    from collections.abc import Iterator


class WordView(NamedTuple):
    """A word in its sentence."""

    number: int
    """From 1."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    """The number of its governor; 0 for the root, -1 if the sentence has no dependencies."""
    deprel: str
    deps: str
    misc: tuple[str, ...]
    """The items of MISC that nothing else here says."""
    entity: str
    """The label of the outermost entity it is part of, "" for none."""
    eojeol: int
    """Its eojeol, from 0."""
    token: int
    """Its token in the sentence, from 0."""
    first: int
    """Its first morpheme in the eojeol, from 0."""
    last: int
    """Behind its last morpheme."""


def word_span(eojeol: Eojeol, word: WordView) -> Span:
    """Return the characters of a word in its eojeol; those of a fused syllable are shared."""
    spans = eojeol.spans[word.first : word.last] or ((0, len(eojeol.form)),)
    return min([span[0] for span in spans]), max([span[1] for span in spans])


def word_views(sentence: Sentence) -> Iterator[WordView]:
    """Iterate over the words of a sentence's own cut."""
    count = len(list(sentence.words))
    arcs = sentence.arcs or Arcs((-1,) * count, (NOTHING,) * count)
    every = zip(arcs.heads, arcs.deprels, arcs.deps or (NOTHING,) * count, strict=True)
    number = tokens = 0
    for index, eojeol in enumerate(sentence.eojeols):
        labels = sentence.entities[0][index] if sentence.entities else ()
        start = 0
        for token in eojeol.tokens:
            misc: list[str] = []
            if len(token.words) > 1:
                # Items of a range have no other place.
                misc = [f"Feats={token.feats}"] if token.feats != NOTHING else []
                misc += range_items(token)
            for word in token.words:
                end = start + len(word.morphemes)
                number += 1
                head, deprel, deps = next(every)
                yield WordView(
                    number,
                    word.form,
                    word.lemma,
                    word.upos,
                    word.xpos,
                    NOTHING if feats_label(word.feats) else word.feats,
                    head,
                    deprel,
                    deps,
                    (*misc, *other_items(word)),
                    word_label(labels[start:end]),
                    index,
                    tokens,
                    start,
                    end,
                )
                misc = []
                start = end
            tokens += 1
