"""The layers of a sentence as a view shows them: levels, entities, the treebank's own words."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from sejongud.converters.recut import recuts
from sejongud.formats.words import word_views
from sejongud.layers.labels import find_entities, flat_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sejongud.formats.words import WordView
    from sejongud.layers.labels import Entity
    from sejongud.model import Eojeol, Sentence, Span, Token
    from sejongud.rules import Rules

__all__ = ["Levels", "entity_layers", "morpheme_spans", "read_levels", "tree_words"]

Levels = tuple[tuple["Token", ...], ...]
"""The tokens of an eojeol at each of the five levels."""

_NOTHING = "_"
_USUAL = (5, 2, 4, 3, 1)
"""The levels in the order in which the words of treebanks are usually cut."""


def read_levels(
    rules: Rules, upos: str | None, lemmas: str | None
) -> Callable[[Sentence], list[Levels]]:
    """Return the function that cuts the eojeols of a sentence at the five levels.

    Args:
        rules: the tables.
        upos: the UPOS scheme; None for what a treebank says of its words, and else "sejong".
        lemmas: the lemma scheme; None likewise, and else "normalised".

    Raises:
        UsageError: there is no such scheme.
    """
    levels = recuts(rules, upos, lemmas)
    return lambda sentence: list(zip(*[level.tokens(sentence) for level in levels], strict=True))


def entity_layers(sentence: Sentence) -> list[list[Entity]]:
    """Return the entities of a sentence over its morphemes, layer by layer."""
    return [find_entities(flat_labels(sentence.eojeols, layer)) for layer in sentence.entities]


def morpheme_spans(sentence: Sentence) -> list[Span]:
    """Return the span of each morpheme in the text of the sentence."""
    starts = accumulate([len(eojeol.form) + 1 for eojeol in sentence.eojeols], initial=0)
    return [
        (start + begin, start + end)
        for start, eojeol in zip(starts, sentence.eojeols, strict=False)
        for begin, end in eojeol.spans
    ]


def tree_words(
    sentence: Sentence, levels: Sequence[Levels], likely: int = 5
) -> tuple[list[WordView], int]:
    """Return the treebank's own words, and the level at which they are cut, 0 if there is none.

    Their forms are those of the level, or of their morphemes if there is no level.

    Args:
        sentence: a sentence with words of its own.
        levels: the levels of each eojeol.
        likely: the level to try first.
    """
    words = list(word_views(sentence))
    cut: list[list[Span]] = [[] for _ in sentence.eojeols]
    for word in words:
        cut[word.eojeol].append((word.first, word.last))
    # The words of many sentences are equal at several levels.
    for level in (likely or _USUAL[0], *_USUAL):
        if all([_cut(tokens[level - 1]) == own for tokens, own in zip(levels, cut, strict=True)]):
            of_level = [word for of in levels for token in of[level - 1] for word in token.words]
            pairs = zip(words, of_level, strict=True)
            return [word._replace(form=other.form) for word, other in pairs], level
    forms = [_form(sentence.eojeols[word.eojeol], word) for word in words]
    return [word._replace(form=form) for word, form in zip(words, forms, strict=True)], 0


def _cut(tokens: tuple[Token, ...]) -> list[Span]:
    """Return the first and last morpheme of each word of an eojeol."""
    ends = list(accumulate([len(word.morphemes) for token in tokens for word in token.words]))
    return list(zip([0, *ends], ends, strict=False))


def _form(eojeol: Eojeol, c: WordView) -> str:
    """Return the form of a word of no level: its part of the surface, or its joined morphemes."""
    spans, first, last = eojeol.spans, c.first, c.last
    if first == last:
        return _NOTHING
    begin, end = spans[first][0], spans[last - 1][1]
    left = first == 0 or spans[first - 1][1] <= begin
    right = last == len(spans) or spans[last][0] >= end
    joined = "".join([m.form for m in eojeol.morphemes[first:last]])
    return (eojeol.form[begin:end] if left and right else joined) or _NOTHING
