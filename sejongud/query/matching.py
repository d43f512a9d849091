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
from sejongud.rules.bounded import BoundedPattern, atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.query.grammar import Node, Value
    from sejongud.query.words import Words

    _Holds = Callable[[Words, int], bool]

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
        """Return the numbers of the words that match, from 0.

        Raises:
            UsageError: a regular expression takes too long.
        """
        holds = self._holds
        return [i for i in range(len(words)) if holds(words, i)]


def _compiled(node: Node) -> _Holds:
    """Return the function that tests a word."""
    match node:
        case Test():
            return _test(node)
        case Not():
            inner = _compiled(node.node)
            return lambda words, i: not inner(words, i)
        case And():
            every = [_compiled(part) for part in node.nodes]
            return lambda words, i: all([holds(words, i) for holds in every])
        case Or():
            some = [_compiled(part) for part in node.nodes]
            return lambda words, i: any([holds(words, i) for holds in some])


def _test(test: Test) -> _Holds:
    """Return the function that compares the values at the end of a path."""
    steps, key = test.path
    matches = Memo(_comparison(test.value, in_parts=key in _IN_PARTS), size=_REMEMBERED)

    def holds(words: Words, place: int) -> bool:
        places = [place]
        for step in steps:
            places = words.step(places, step)
        return any([matches[value] for place in places for value in words.values(place, key)])

    return holds


def _comparison(value: Value, *, in_parts: bool) -> Callable[[str], bool]:
    """Return the function that compares a text with a value."""
    if value.kind == "regex":
        flag = "(?i)" if value.ignores_case else ""
        bounded = BoundedPattern(flag + value.text, (f"/{value.text}/",), "the query")
        return lambda text: bounded.search(_composed(text)) is not None
    literal = re.split(r"\*+", value.text) if value.kind == "pattern" else [value.text]
    first, *between = map(re.escape, literal)
    # The first place of each part is good enough for the others, so no other place is tried.
    parts_of = [atomic(f".*?{part}", f"part{i}") for i, part in enumerate(between[:-1])]
    last = [f".*{part}" for part in between[-1:]]
    pattern = re.compile("".join([first, *parts_of, *last]), re.DOTALL)
    size = value.text.count("+") + 1

    def matches(text: str) -> bool:
        text = _composed(text)
        if pattern.fullmatch(text):
            return True
        parts = text.split("+") if in_parts else []
        runs = ["+".join(parts[i : i + size]) for i in range(len(parts) - size + 1)]
        return any([pattern.fullmatch(run) for run in runs])

    return matches


def _composed(text: str) -> str:
    """Return a text in Unicode's form NFC."""
    return text if is_normalized("NFC", text) else normalize("NFC", text)
