"""The UPOS of a word, in one of several schemes (--upos).

`sejong` and `table3.1` know the UPOS of a tag; a word of several morphemes has that of its head
(annotation scheme, "The five levels"). `ud` knows words, by the patterns of their tags that were
counted in UD (rules/upos-words.tsv). `morphud` is what Chen et al. (2022) published: the UPOS of a
morpheme may depend on that of the token it stands in (rules/upos-morphud.tsv).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import UsageError
from sejongud.heads import HeadRule
from sejongud.patterns import compile_patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from sejongud.model import Morpheme
    from sejongud.rules import Row, Rules

__all__ = ["UNKNOWN", "Context", "UposScheme", "upos_schemes"]

UNKNOWN = "X"
"""UPOS of a tag that is in no table; the one that UD has for it."""


class Context(NamedTuple):
    """What a scheme may want to know of the token that a word stands in."""

    upos: str = ""
    tags: frozenset[str] = frozenset()


_NOTHING = Context()

_WORDS = "ud"
_IN_CONTEXT = "morphud"


def upos_schemes(rules: Rules) -> tuple[str, ...]:
    """The names of the schemes."""
    return (*rules.upos, *({_WORDS, _IN_CONTEXT} - set(rules.upos)))


class UposScheme:
    """A way to give words their UPOS.

    Args:
        rules: the tables.
        name: of the scheme.

    Raises:
        UsageError: no such scheme.

    >>> from sejongud.model import Morpheme
    >>> from sejongud.rules import load
    >>> UposScheme(load(), "sejong").of((Morpheme("프랑스", "NNP"), Morpheme("의", "JKG")))
    'PROPN'
    """

    def __init__(self, rules: Rules, name: str) -> None:
        if name not in upos_schemes(rules):
            raise UsageError(f"there is no UPOS scheme {name}: {', '.join(upos_schemes(rules))}")
        self._known = rules.tags
        self._head = HeadRule(rules).head
        self._words: Callable[..., str] | None = None
        self._rows: dict[str, list[Row]] = {}
        self._by_tag = rules.upos.get(name, {})
        if name in (_WORDS, _IN_CONTEXT):
            self._words = compile_patterns(rules.table("upos-words"))
        self.in_context = name == _IN_CONTEXT
        """Whether the UPOS depends on the token around the word, see `context`."""
        if self.in_context:
            for row in rules.table("upos-morphud"):
                self._rows.setdefault(row["tag"], []).append(row)

    def context(self, token: tuple[Morpheme, ...]) -> Context:
        """What the scheme wants to know of a token.

        Args:
            token: all its morphemes.
        """
        if not self.in_context:
            return _NOTHING
        return Context(self._of_word(token), frozenset([m.tag for m in token]))

    def of(self, morphemes: tuple[Morpheme, ...], context: Context = _NOTHING) -> str:
        """The UPOS of a word.

        Args:
            morphemes: at least one.
            context: of the token it stands in.
        """
        if self._words is not None and not self.in_context:
            return self._of_word(morphemes)
        head = self._head([m.tag for m in morphemes]) if len(morphemes) > 1 else 0
        tag = morphemes[head].tag
        if not self.in_context:
            return self._by_tag.get(tag, UNKNOWN)
        for row in self._rows.get(tag, ()):
            if row["word"] in ("*", context.upos) and (
                row["has"] == "*" or row["has"] in context.tags
            ):
                return row["upos"]
        return UNKNOWN

    def _of_word(self, morphemes: tuple[Morpheme, ...]) -> str:
        assert self._words is not None
        tags = tuple([m.tag for m in morphemes])
        if not any([tag in self._known for tag in tags]):
            return UNKNOWN
        return self._words(tags, tuple([m.form for m in morphemes]))
