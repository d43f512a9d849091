"""Patterns over the morphemes of a word, and tables that map them to UPOS.

A pattern describes the morphemes of a word from the first to the last; its elements are separated
by spaces:

    VV          a morpheme with this tag
    N*          a morpheme whose tag begins so
    있/VV       a morpheme with this form and this tag (or `있/V*`)
    *           any run of morphemes, also none

So `있/VV * EF` matches every word that begins with 있/VV and ends in EF. If several rows of a table
match a word, the most specific decides: the row with the most forms; among these, the row with the
most whole tags; then with the most tag classes; then with the fewest `*`. Of equals the later row
decides, so rows that a user lays over a table win.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from sejongud.errors import RulesError
from sejongud.memo import Memo, lazy_pattern
from sejongud.rules.bounded import atomic

Labeller = Callable[[tuple[str, ...], tuple[str, ...]], str]
"""Maps the tags and the forms of a word's morphemes to its UPOS."""

_RUN = "*"
_END = "\n"  # stands behind a tag and behind a form: no line of a corpus has it in one
_CELL = f".*{_END}"
_MORPHEMES = f"(?:{_CELL}{_CELL})*"
_REMEMBERED = 1 << 15


class _Element(NamedTuple):
    """One morpheme of a pattern; None stands for a `*`."""

    form: str
    tag: str
    is_class: bool


_Elements = tuple[_Element | None, ...]


class _PatternRow(NamedTuple):
    tags: str
    """Matches the text of a word of whose forms nothing is known (`_text`)."""
    forms: frozenset[str]
    """The forms it names."""
    pattern: re.Pattern[str]
    """Matches the text of a word."""
    upos: str


def compile_patterns(rows: Iterable[Mapping[str, str]]) -> Labeller:
    """Compile a table of patterns to a function of a word's morphemes.

    Args:
        rows: the table; of each row the columns `pattern` and `upos` are read.

    Returns:
        A function of the tags and the forms of a word, two tuples from its first morpheme to its
        last. Where there are fewer forms than tags, the forms of the last morphemes are unknown.

    Raises:
        RulesError: a pattern or an UPOS is empty, or no row matches everything (`*`).

    >>> table = [{"pattern": "*", "upos": "X"}, {"pattern": "V* *", "upos": "VERB"}]
    >>> upos = compile_patterns(table)
    >>> upos(("VV", "EF"), ("가", "다")), upos(("??",), ())
    ('VERB', 'X')
    """
    table = _pattern_rows(rows)
    # Rows that differ in their forms alone share an expression.
    expressions = {row.tags: re.compile(row.tags) for row in table}

    def choices(tags: tuple[str, ...]) -> list[_PatternRow]:
        # The rows that match the tags, the most specific first, up to the first without forms.
        text = _text(tags, ())
        fits = {name for name, expression in expressions.items() if expression.fullmatch(text)}
        found = [row for row in table if row.tags in fits]
        return found[: 1 + next(at for at, row in enumerate(found) if not row.forms)]

    by_tags = Memo(choices, _REMEMBERED)

    def decide(word: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
        tags, forms = word
        known, is_single = frozenset(forms), len(tags) == 1
        for _, wanted, pattern, upos in by_tags[tags]:
            # The tags fit: without a form, or with the only one, nothing is left to compare.
            if wanted <= known and (
                not wanted or is_single or pattern.fullmatch(_text(tags, forms))
            ):
                return upos
        raise AssertionError("the row * matches every word")

    by_word = Memo(decide, _REMEMBERED)
    return lambda tags, forms: by_word[tags, forms]


def _text(tags: Sequence[str], forms: Sequence[str]) -> str:
    """Return the text that patterns match: each tag and its form, "" for an unknown one."""
    pairs = zip_longest(tags, forms, fillvalue="")
    return "".join([f"{tag}{_END}{form}{_END}" for tag, form in pairs])


def specificity(pattern: str) -> tuple[int, int, int, int]:
    """Return how specific a pattern is: of two patterns the greater decides.

    Args:
        pattern: as in the table.

    Returns:
        The numbers of forms, of whole tags and of tag classes, and minus the number of `*`.

    Raises:
        RulesError: the pattern is empty or not well formed.

    >>> specificity("있/VV * E*")
    (1, 1, 1, -1)
    """
    return _specificity(_parse(pattern))


def _specificity(elements: _Elements) -> tuple[int, int, int, int]:
    named = [element for element in elements if element]
    forms = sum(bool(element.form) for element in named)
    classes = sum(element.is_class for element in named)
    return forms, len(named) - classes, classes, len(named) - len(elements)


def _parse(pattern: str) -> _Elements:
    elements: list[_Element | None] = []
    for part in pattern.split():
        if part == _RUN:
            if elements[-1:] != [None]:
                elements.append(None)
            continue
        # A form may hold a slash (`//SP`), a tag has none.
        form, slash, tag = part.rpartition("/")
        is_class = tag.endswith(_RUN)
        tag = tag.removesuffix(_RUN)
        if not tag or (slash and not form):
            raise RulesError(
                f"'{part}' in the pattern '{pattern}': write a tag (VV), the beginning of one "
                "(N*), a form with its tag (있/VV), or *"
            )
        elements.append(_Element(form, tag, is_class))
    if not elements:
        raise RulesError("an empty pattern matches no word: write * for any word")
    return tuple(elements)


def _pattern_rows(rows: Iterable[Mapping[str, str]]) -> list[_PatternRow]:
    """Return the rows of a table, the most specific first."""
    parsed = [(_parse(row["pattern"]), row["upos"], row["pattern"]) for row in rows]
    for _, upos, text in parsed:
        if not upos:
            raise RulesError(f"the pattern '{text}' has no upos")
    if not any(elements == (None,) for elements, _, _ in parsed):
        raise RulesError("no row matches every word: add one with the pattern *")
    parsed.sort(key=lambda row: _specificity(row[0]))
    table = []
    for elements, upos, _ in reversed(parsed):
        bare = tuple([element and element._replace(form="") for element in elements])
        forms = frozenset([element.form for element in elements if element]) - {""}
        pattern = lazy_pattern(_expression(elements))
        table.append(_PatternRow(_expression(bare), forms, pattern, upos))
    return table


def _expression(elements: _Elements) -> str:
    """Return the regular expression for the text of a word (`_text`).

    A run between two parts is as short as it can be, and stays so (`atomic`): to make it longer
    helps no later part, and to try it takes a time that each further run multiplies.
    """
    parts = [""]
    for element in elements:
        if element is None:
            parts.append("")
        else:
            tag = re.escape(element.tag) + (_CELL if element.is_class else _END)
            parts[-1] += tag + (re.escape(element.form) + _END if element.form else _CELL)
    first, *behind = parts
    if not behind:
        return first
    runs = [atomic(f"{_MORPHEMES}?{part}", f"run{i}") for i, part in enumerate(behind[:-1])]
    return f"{first}{''.join(runs)}{_MORPHEMES}{behind[-1]}"
