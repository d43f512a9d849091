"""Patterns over the morphemes of a word, and tables that map them to labels.

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
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter

from sejongud.errors import RulesError
from sejongud.lazy import NamedTuple
from sejongud.memo import Memo
from sejongud.rules.bounded import atomic

Labeller = Callable[[tuple[str, ...], tuple[str, ...]], str]
"""Maps the tags and the forms of a word's morphemes to its label."""

_RUN = "*"
_END = "\n"  # stands behind a tag: no line of a corpus has it in one
_REST = f"[^{_END}]*{_END}"
_REMEMBERED = 1 << 15
_FEW_RUNS = 2
"""The most `*` before the last element for which all ways to lay a pattern on a word are listed."""


class _Element(NamedTuple):
    """One morpheme of a pattern; None stands for a `*`."""

    form: str
    tag: str
    is_class: bool

    def accepts(self, tag: str) -> bool:
        return tag.startswith(self.tag) if self.is_class else tag == self.tag


_Elements = tuple[_Element | None, ...]


class _PatternRow(NamedTuple):
    rank: int
    """The row with the highest rank decides."""
    wanted: tuple[tuple[int, str], ...]
    """The forms it names: the index of the element, and the form."""
    label: str


class _Group(NamedTuple):
    """Rows that differ only in the forms they name."""

    elements: _Elements
    """Of one of them."""
    matches: Callable[[str], object]
    """Tests the tags of a word, each followed by `_END`; None if they do not match."""
    rows: list[_PatternRow]


_Conditions = tuple[tuple[int, str], ...]
"""The morphemes that must have certain forms: index and form."""
_Way = tuple[int, _Conditions, _Elements, str]
"""The rank of a row, the conditions of one way to lay its pattern on a word, and the label; the
elements instead of conditions if there are too many ways."""


def compile_patterns(rows: Iterable[Mapping[str, str]], *, label: str = "upos") -> Labeller:
    """Compile a table of patterns to a function of a word's morphemes.

    Args:
        rows: the table; of each row the columns `pattern` and `label` are read.
        label: the name of the column with the answer.

    Returns:
        A function of the tags and the forms of a word, two tuples from its first morpheme to its
        last. Where there are fewer forms than tags, the forms of the last morphemes are unknown.

    Raises:
        RulesError: a pattern or a label is empty, or no row matches everything (`*`).

    >>> table = [{"pattern": "*", "upos": "X"}, {"pattern": "V* *", "upos": "VERB"}]
    >>> upos = compile_patterns(table)
    >>> upos(("VV", "EF"), ("가", "다")), upos(("??",), ())
    ('VERB', 'X')
    """
    groups = _groups(rows, label)

    def candidates(last: str) -> list[_Group]:
        ends = [(group, group.elements[-1]) for group in groups]
        return [group for group, end in ends if end is None or end.accepts(last)]

    by_last = Memo(candidates, 1 << 10)

    def choices(tags: tuple[str, ...]) -> list[tuple[_Conditions, _Elements, str]]:
        # The rows that match the tags, the most specific first, each with the forms it wants and
        # where; up to the first row that wants none.
        text = "".join([tag + _END for tag in tags])
        ways: list[_Way] = []
        for group in by_last[tags[-1] if tags else ""]:
            if group.matches(text):
                ways += _ways(group, tags)
        ways.sort(key=itemgetter(0, 1), reverse=True)
        result = []
        for _, conditions, elements, answer in ways:
            result.append((conditions, elements, answer))
            if not conditions and not elements:
                break
        return result

    by_tags = Memo(choices, _REMEMBERED)

    def decide(word: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
        tags, forms = word
        length = len(forms)
        for conditions, elements, answer in by_tags[tags]:
            for place, form in conditions:
                if place >= length or forms[place] != form:
                    break
            else:
                if not elements or _fits(elements, tags, forms):
                    return answer
        raise AssertionError("the row * matches every word")

    by_word = Memo(decide, _REMEMBERED)
    return lambda tags, forms: by_word[tags, forms]


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


def _groups(rows: Iterable[Mapping[str, str]], label: str) -> list[_Group]:
    parsed = [(_parse(row["pattern"]), row[label], row["pattern"]) for row in rows]
    for _, answer, pattern in parsed:
        if not answer:
            raise RulesError(f"the pattern '{pattern}' has no {label}")
    if not any(elements == (None,) for elements, _, _ in parsed):
        raise RulesError("no row matches every word: add one with the pattern *")
    parsed.sort(key=lambda row: _specificity(row[0]))
    groups: dict[str, _Group] = {}
    for rank, (elements, answer, _) in enumerate(parsed):
        text = _expression(elements)
        group = groups.setdefault(text, _Group(elements, re.compile(text).fullmatch, []))
        wanted = [(i, named.form) for i, named in enumerate(elements) if named and named.form]
        group.rows.append(_PatternRow(rank, tuple(wanted), answer))
    return list(groups.values())


def _expression(elements: _Elements) -> str:
    """Return the regular expression for the tags, each followed by `_END`.

    A run between two parts is as short as it can be, and stays so (`atomic`): to make it longer
    helps no later part, and to try it takes a time that each further run multiplies.
    """
    first, *runs_behind = [
        "".join([re.escape(e.tag) + (_REST if e.is_class else _END) for e in part])
        for part in _parts(elements)
    ]
    if not runs_behind:
        return first
    runs = [atomic(f"(?:{_REST})*?{part}", f"run{i}") for i, part in enumerate(runs_behind[:-1])]
    return f"{first}{''.join(runs)}(?:{_REST})*{runs_behind[-1]}"


def _parts(elements: _Elements) -> list[list[_Element]]:
    """Return the elements between the runs of a pattern; one part if it has no run."""
    parts: list[list[_Element]] = [[]]
    for element in elements:
        if element is None:
            parts.append([])
        else:
            parts[-1].append(element)
    return parts


def _ways(group: _Group, tags: tuple[str, ...]) -> Iterator[_Way]:
    """Yield the rows of a group that matches the tags of a word, with what is left to compare."""
    elements, _, rows = group
    if elements[:-1].count(None) > _FEW_RUNS:
        for rank, wanted, answer in rows:
            yield rank, (), _with_forms(elements, wanted) if wanted else (), answer
        return
    names_forms = any(row.wanted for row in rows)
    places = list(_places(elements, tags, 0)) if names_forms else [()]
    for rank, wanted, answer in rows:
        for place_of in places:
            yield rank, tuple([(place_of[element], form) for element, form in wanted]), (), answer


def _with_forms(elements: _Elements, wanted: Iterable[tuple[int, str]]) -> _Elements:
    """Return the elements of a row of a group, with the forms that this row names."""
    forms = dict(wanted)
    return tuple([e and e._replace(form=forms.get(i, "")) for i, e in enumerate(elements)])


def _fits(elements: _Elements, tags: tuple[str, ...], forms: tuple[str, ...]) -> bool:
    """Return whether a pattern with a run matches a word, in a time that grows with its length.

    Args:
        elements: of the pattern; every run is as short as it can be.
        tags: of the morphemes.
        forms: of the first morphemes; the others are unknown.
    """
    first, *between, last = _parts(elements)

    def stands(part: list[_Element], begin: int) -> bool:
        return all(
            element.accepts(tags[i])
            and (not element.form or (i < len(forms) and forms[i] == element.form))
            for i, element in enumerate(part, begin)
        )

    begin, end = len(first), len(tags) - len(last)
    if begin > end or not stands(first, 0) or not stands(last, end):
        return False
    for part in between:
        starts = range(begin, end - len(part) + 1)
        matching = next((start for start in starts if stands(part, start)), None)
        if matching is None:
            return False
        begin = matching + len(part)
    return True


def _places(elements: _Elements, tags: tuple[str, ...], start: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to lay a pattern on the tags from `start`: where each element begins."""
    if not elements:
        if start == len(tags):
            yield ()
        return
    element, rest = elements[0], elements[1:]
    if element is None:
        # What follows a run names a morpheme; a run at the end takes all that is left.
        for begin in range(start, len(tags)) if rest else (len(tags),):
            for places in _places(rest, tags, begin):
                yield (start, *places)
    elif start < len(tags) and element.accepts(tags[start]):
        for places in _places(rest, tags, start + 1):
            yield (start, *places)
