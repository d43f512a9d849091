"""The UPOS of a word, in one of several schemes (--upos).

`sejong` and `table3.1` map a tag to its UPOS; a word of several morphemes has the UPOS of its head
(annotation scheme, "The five levels"). `ud` maps words, by patterns of their tags that were counted
in UD (rules/upos-words.tsv), and the parts that a level cuts off from words (upos-parts.tsv).
`morphud` is the scheme of Chen et al. (2022): the UPOS of a morpheme may depend on the UPOS of its
token (rules/upos-morphud.tsv). A KAIST tag counts as its nearest Sejong tag; only `morphud` has a
list of its own for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import UsageError
from sejongud.levels.heads import HeadRule
from sejongud.levels.patterns import compile_patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sejongud.model import Morpheme
    from sejongud.rules import Row, Rules

__all__ = ["NO_CONTEXT", "UNKNOWN", "Context", "MorphemeUpos", "UposScheme", "upos_schemes"]

UNKNOWN = "X"
"""The UPOS of a tag that is in no table."""


class Context(NamedTuple):
    """The properties of a token that may decide the UPOS of its words."""

    upos: str = ""
    tags: frozenset[str] = frozenset()


NO_CONTEXT = Context()
"""The context for schemes that need none."""

_WORDS = "ud"
_IN_CONTEXT = "morphud"


def upos_schemes(rules: Rules) -> tuple[str, ...]:
    """Return the names of the schemes."""
    return (*rules.upos, *({_WORDS, _IN_CONTEXT} - set(rules.upos)))


class UposScheme:
    """Give words their UPOS in one of the schemes.

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
        self._nearest = rules.nearest
        parts = {(row["by"], row["of"]): row for row in rules.table("upos-parts")}
        found = {
            tag: parts.get(("tag", tag)) or parts.get(("kind", rules.kind(tag)))
            for tag in (*rules.tags, *rules.nearest)
        }
        alone = [tag for tag, row in found.items() if row and row["alone"]]
        # Form and tag of the ending that a stem is looked up with.
        self._behind = {
            tag: row["behind"].rpartition("/")[::2]
            for tag, row in found.items()
            if row and row["behind"]
        }
        self._head = HeadRule(rules).head
        self._words: Callable[..., str] | None = None
        self.in_context = name == _IN_CONTEXT
        """Whether the UPOS depends on the token around the word, see `context`."""
        by_tag = rules.upos.get(name, {})
        self.by_tag: Mapping[str, str] = (
            {tag: by_tag.get(tag, UNKNOWN) for tag in alone} if name == _WORDS else by_tag
        )
        """The UPOS of a word of one morpheme, for each tag that decides it by itself."""
        if name in (_WORDS, _IN_CONTEXT):
            self._words = compile_patterns(rules.table("upos-words"))
        self._morphemes = MorphemeUpos(rules, name) if self.in_context else None

    def context(self, token: tuple[Morpheme, ...]) -> Context:
        """Return the properties of a token that decide the UPOS of its words.

        Args:
            token: all its morphemes.
        """
        if not self.in_context:
            return NO_CONTEXT
        return Context(self._of_word(token), frozenset([m.tag for m in token]))

    def of(self, morphemes: tuple[Morpheme, ...], context: Context = NO_CONTEXT) -> str:
        """Return the UPOS of a word.

        Args:
            morphemes: at least one.
            context: of the token it stands in.
        """
        head = self._head([m.tag for m in morphemes]) if len(morphemes) > 1 else 0
        tag = morphemes[head].tag
        if self._morphemes is not None:
            return self._morphemes.in_context(tag, context.upos, context.tags)
        if self._words is None or (len(morphemes) == 1 and tag in self.by_tag):
            return self.by_tag.get(tag, UNKNOWN)
        return self._of_word(morphemes)

    def _of_word(self, morphemes: tuple[Morpheme, ...]) -> str:
        assert self._words is not None
        tags = [self._nearest.get(m.tag, m.tag) for m in morphemes]
        forms = [m.form for m in morphemes]
        if not any([tag in self._known for tag in tags]):
            return UNKNOWN
        if tags[-1] in self._behind:
            form, tag = self._behind[tags[-1]]
            forms.append(form)
            tags.append(tag)
        return self._words(tuple(tags), tuple(forms))


class MorphemeUpos:
    """Give the morphemes of a word their UPOS, if the UPOS of the word is known.

    Args:
        rules: the tables.
        scheme: `morphud`, which depends on the word as well (rules/upos-morphud.tsv, and for KAIST
            tags kaist-tags.tsv), or a scheme of rules/upos.tsv.

    Raises:
        UsageError: no such scheme.
    """

    def __init__(self, rules: Rules, scheme: str) -> None:
        if scheme != _IN_CONTEXT and scheme not in rules.upos:
            names = ", ".join([_IN_CONTEXT, *rules.upos])
            raise UsageError(f"there is no UPOS scheme {scheme}: {names}")
        self._by_tag = None if scheme == _IN_CONTEXT else rules.upos[scheme]
        self._kaist = {row["tag"]: row["morphud"] for row in rules.table("kaist-tags")}
        self._rows: dict[str, list[Row]] = {}
        for row in rules.table("upos-morphud"):
            self._rows.setdefault(row["tag"], []).append(row)

    def of(self, tags: Sequence[str], word: str) -> list[str]:
        """Return the UPOS of each morpheme.

        Args:
            tags: of all the morphemes of the word.
            word: its UPOS.
        """
        if self._by_tag is None:
            return self.published(tags, word)
        return [self._by_tag.get(tag, UNKNOWN) for tag in tags]

    def published(self, tags: Sequence[str], word: str) -> list[str]:
        """Like `of`, in the scheme `morphud`."""
        return [self.in_context(tag, word, tags) for tag in tags]

    def in_context(self, tag: str, word: str, tags: Collection[str]) -> str:
        """Return the UPOS of one morpheme in the scheme `morphud`.

        Args:
            tag: its tag.
            word: the UPOS of its word.
            tags: of all the morphemes of the word.
        """
        if tag in self._kaist:
            return self._kaist[tag]
        for row in self._rows.get(tag, ()):
            if row["word"] in ("*", word) and (row["has"] == "*" or row["has"] in tags):
                return row["upos"]
        return UNKNOWN
