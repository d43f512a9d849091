"""Queries that find words.

`tag` and `lemma` of a word of several morphemes (`NNG+JKS`) match as a whole or in as many parts in
a row as the value has. A word without a value, such as one outside every entity, matches no value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import is_normalized, normalize

from sejongud.memo import Memo
from sejongud.query.grammar import And, Not, Or, Test, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.query.grammar import Node, Value
    from sejongud.query.words import Words

    _Holds = Callable[[Words, int], bool]

__all__ = ["Query"]

_IN_PARTS = ("tag", "lemma", "construction")
_REMEMBERED = 20_000


class Query:
    """Finds the words of sentences that a query describes.

    Args:
        text: the query, see `sejongud.query.grammar`.

    Raises:
        UsageError: the query is wrong.
    """

    def __init__(self, text: str) -> None:
        self._holds = _compiled(parse(text))

    def find(self, words: Words) -> list[int]:
        """Return the numbers of the words that match, from 0."""
        holds = self._holds
        return [at for at in range(len(words)) if holds(words, at)]


def _compiled(node: Node) -> _Holds:
    """Return the function that tests a word."""
    match node:
        case Test():
            return _test(node)
        case Not():
            inner = _compiled(node.node)
            return lambda words, at: not inner(words, at)
        case And():
            every = [_compiled(one) for one in node.nodes]
            return lambda words, at: all([holds(words, at) for holds in every])
        case Or():
            some = [_compiled(one) for one in node.nodes]
            return lambda words, at: any([holds(words, at) for holds in some])


def _test(test: Test) -> _Holds:
    """Return the function that compares the values at the end of a path."""
    steps, key = test.path
    matches = Memo(_comparison(test.value, in_parts=key in _IN_PARTS), size=_REMEMBERED)

    def holds(words: Words, at: int) -> bool:
        places = [at]
        for step in steps:
            places = words.step(places, step)
        return any([matches[value] for place in places for value in words.values(place, key)])

    return holds


def _comparison(value: Value, *, in_parts: bool) -> Callable[[str], bool]:
    """Return the function that compares a text with a value."""
    if value.kind == "regex":
        found = re.compile(value.text, re.IGNORECASE if value.ignores_case else 0)
        return lambda text: found.search(_composed(text)) is not None
    is_pattern = value.kind == "pattern"
    literal = re.split(r"\*+", value.text) if is_pattern else [value.text]
    pattern = re.compile(".*".join(map(re.escape, literal)), re.DOTALL)
    size = value.text.count("+") + 1

    def matches(text: str) -> bool:
        text = _composed(text)
        if pattern.fullmatch(text):
            return True
        parts = text.split("+") if in_parts else []
        runs = ["+".join(parts[at : at + size]) for at in range(len(parts) - size + 1)]
        return any([pattern.fullmatch(run) for run in runs])

    return matches


def _composed(text: str) -> str:
    """Return a text in Unicode's form NFC."""
    return text if is_normalized("NFC", text) else normalize("NFC", text)
