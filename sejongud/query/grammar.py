"""The grammar of queries: a recursive descent over the characters, without any evaluation of text.

    query  = every { "or" every }
    every  = single { [ "and" ] single }
    single = { "not" } ( "(" query ")" | test )
    test   = { step "." } key ( "=" | "!=" ) value | value
    step   = "head" | "child" | "prev" | "next"
    value  = "…" | /…/ | /…/i | plain text, in which * stands for any characters

`key!=value` is `not key=value`. A value alone, a bare word, is `(form=value or lemma=value)`; the
name of a key must be in quotes for it. Every error has its place in the query.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from sejongud.errors import UsageError
from sejongud.rules.bounded import BoundedPattern
from sejongud.terminal import display_width

if TYPE_CHECKING:
    from collections.abc import Iterator

LAYERS = ("entity", "frame", "lu", "fe", "constituent")
"""The labels around a word: types of entities; frames and lexical units whose target it belongs to;
frame elements; constituents."""

KEYS = (
    *("form", "lemma", "tag", "upos", "feats", "deprel", *LAYERS),
    *("eojeol", "construction", "text", "id"),
)
"""The properties of a word that a query can test."""

BARE = ("form", "lemma")
"""The properties of which one has the value of a bare word."""

STEPS = ("head", "child", "prev", "next")
"""The ways from a word to others."""

_DEEPEST = 50
"""The brackets that may be open at once."""
_NAME = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)*")
_SIGN = re.compile(r"\s*!?=")
_PLAIN = re.compile(r"[^\s()\"]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/(i?)(?=[\s)]|$)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class Path(NamedTuple):
    """A key, and the steps from the word to the words that have it: `head.tag`."""

    steps: tuple[str, ...]
    key: str


class Value(NamedTuple):
    """A value to compare with."""

    kind: str
    """`text` is the whole value, `pattern` has `*` for any characters, `regex` is searched for."""
    text: str
    ignores_case: bool = False


class Test(NamedTuple):
    """A comparison; it holds if any of the words at the end of the path has the value."""

    path: Path
    value: Value


class Not(NamedTuple):
    """A negation."""

    node: Node


class And(NamedTuple):
    """Nodes that must all hold."""

    nodes: tuple[Node, ...]


class Or(NamedTuple):
    """Nodes of which one must hold."""

    nodes: tuple[Node, ...]


Node = Test | Not | And | Or
"""The tree of a query."""


def parse(text: str) -> Node:
    """Return the tree of a query.

    Args:
        text: the query; it is compared in Unicode's form NFC.

    Raises:
        UsageError: the query is wrong; the message shows the place.

    >>> parse("tag=NNG and head.tag=V*")
    And(nodes=(Test(path=Path(steps=(), key='tag'), value=Value(kind='text', text='NNG', \
ignores_case=False)), Test(path=Path(steps=('head',), key='tag'), value=Value(kind='pattern', \
text='V*', ignores_case=False))))
    >>> parse("tag=")
    Traceback (most recent call last):
    sejongud.errors.UsageError: the query is wrong at character 5: a value must follow the =
      tag=
          ^
    """
    return _Parser(normalize("NFC", text)).whole()


def tests_of(node: Node) -> Iterator[Test]:
    """Yield the tests of a query in order."""
    if isinstance(node, Test):
        yield node
        return
    for inner in (node.node,) if isinstance(node, Not) else node.nodes:
        yield from tests_of(inner)


def parse_path(text: str) -> Path:
    """Return the path that a text names, such as `head.lemma`.

    Raises:
        UsageError: there is no such key or step.
    """
    parser = _Parser(text)
    match = _NAME.fullmatch(text)
    if match is None:
        raise parser.error(0, f"this is no key: {', '.join(KEYS)}")
    return parser.path(match)


def _is_word(text: str) -> bool:
    """Test whether a text can be a bare word: no sign of the grammar, and not only marks."""
    is_grammar = text.lower() in ("and", "or", "not") or "=" in text
    return not is_grammar and any(map(str.isalnum, text))


class _Parser:
    """Parses one query.

    Args:
        text: the query.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def error(self, position: int, message: str) -> UsageError:
        """Return the error at a place, which shows the query with a caret below the place."""
        text = re.sub(r"\s", " ", self._text)
        caret = " " * display_width(text[:position]) + "^"
        return UsageError(
            f"the query is wrong at character {position + 1}: {message}\n  {text}\n  {caret}"
        )

    def whole(self) -> Node:
        """Parse to the end of the text."""
        node = self._query(0)
        if self._at < len(self._text):
            raise self.error(self._at, "no bracket is open that this one could close")
        return node

    def _query(self, depth: int) -> Node:
        nodes = [self._every(depth)]
        while self._takes("or"):
            nodes.append(self._every(depth))
        return nodes[0] if len(nodes) == 1 else Or(tuple(nodes))

    def _every(self, depth: int) -> Node:
        nodes = [self._single(depth)]
        while True:
            explicit = self._takes("and")
            self._skip()
            if not explicit and (self._at == len(self._text) or self._sees(")") or self._is("or")):
                return nodes[0] if len(nodes) == 1 else And(tuple(nodes))
            nodes.append(self._single(depth))

    def _single(self, depth: int) -> Node:
        negated = False
        while self._takes("not"):
            negated = not negated
        self._skip()
        opened = self._at
        if not self._sees("("):
            node = self._test()
        elif depth == _DEEPEST:
            raise self.error(opened, f"more than {_DEEPEST} brackets are open")
        else:
            self._at += 1
            node = self._query(depth + 1)
            self._skip()
            if not self._sees(")"):
                raise self.error(opened, "this bracket is not closed")
            self._at += 1
        return Not(node) if negated else node

    def _test(self) -> Node:
        match = _NAME.match(self._text, self._at)
        # A bare word is no key of a test.
        if match is None or not (match[0].lower() in KEYS or _SIGN.match(self._text, match.end())):
            return self._bare()
        path = self.path(match)
        self._at = match.end()
        self._skip()
        negated = self._sees("!=")
        if not negated and not self._sees("="):
            raise self.error(self._at, f"= or != must follow {match[0]}")
        self._at += 1 + negated
        self._skip()
        test = Test(path, self._value())
        return Not(test) if negated else test

    def _bare(self) -> Node:
        """Return the tests of a bare word."""
        position = self._at
        plain = _PLAIN.match(self._text, position)
        is_marked = position < len(self._text) and self._text[position] in '"/'
        if not is_marked and (plain is None or not _is_word(plain[0])):
            raise self.error(position, "a test such as tag=NNG must stand here")
        value = self._value()
        return Or(tuple([Test(Path((), key), value) for key in BARE]))

    def path(self, match: re.Match[str]) -> Path:
        """Return the path of a name in the text."""
        position = match.start()
        *steps, key = match[0].lower().split(".")
        for step in steps:
            if step not in STEPS:
                raise self.error(position, f"{step} leads to no word: {', '.join(STEPS)} do")
            position += len(step) + 1
        if key not in KEYS:
            raise self.error(position, f"{key} is no key: {', '.join(KEYS)}")
        return Path(tuple(steps), key)

    def _value(self) -> Value:
        position = self._at
        if self._sees('"'):
            match = self._match(_QUOTED, "these quotes are not closed")
            return Value("text", _ESCAPED.sub(r"\1", match[1]))
        if self._sees("/"):
            match = self._match(_REGEX, "this regular expression is not closed by /")
            try:
                re.compile(match[1])
                BoundedPattern(match[1], (match[1],), "")
            except (re.error, ValueError, OverflowError, RecursionError) as error:
                raise self.error(position, f"this regular expression is wrong: {error}") from None
            return Value("regex", match[1], match[2] == "i")
        match = self._match(_PLAIN, "a value must follow the =")
        return Value("pattern" if "*" in match[0] else "text", match[0])

    def _match(self, pattern: re.Pattern[str], message: str) -> re.Match[str]:
        """Go behind the match of a pattern that must stand here, and return it."""
        match = pattern.match(self._text, self._at)
        if match is None:
            raise self.error(self._at, message)
        self._at = match.end()
        return match

    def _skip(self) -> None:
        """Go on to the next character that is no white space."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _sees(self, sign: str) -> bool:
        return self._text.startswith(sign, self._at)

    def _is(self, word: str) -> bool:
        """Test whether the next word is a given word of the grammar."""
        match = _NAME.match(self._text, self._at)
        return match is not None and match[0].lower() == word

    def _takes(self, word: str) -> bool:
        """Go behind a word of the grammar if it stands here."""
        self._skip()
        if not self._is(word):
            return False
        self._at += len(word)
        return True
