"""Which part of the surface each morpheme of an eojeol covers.

    했다     하/XSV + 았/EP + 다/EF      하 (0, 1)   았 (0, 1)   다 (1, 2)
    최고다   최고/NNG + 이/VCP + 다/EF   최고 (0, 2)  이 (2, 2)   다 (2, 3)

Surface and morphemes are written as jamo, the morphemes with borders between them, and the cheapest
way from the one to the other is searched by dynamic programming: the weighted edit distance of
Wagner and Fischer (1974), with rewrite rules for edits. A jamo that stays is free; characters of
rules/equivalents.tsv and the two cases of a letter count as the same, and spaces do not count.
Everything else needs a row of rules/alignment.tsv, which says what becomes of which jamo at which
border of which morphemes. What no row explains is inserted or deleted, at a cost above that of any
chain of rules, and told.

The rules of the language, and of the ways corpora are annotated in, are tried first. Where they
leave something unexplained, *weak* ones are tried as well: rows marked so, for misspellings and
slips of annotation, and rows with one tag set aside (부르/EC+어/EC → 불러, by the row for verbs). A
weak rule finds the right spans, but something about the eojeol is not as it should be.

Where an alignment could be read in more than one way:

- A morpheme covers every syllable in which it has a trace, so morphemes that fuse share one:
  가+아 → 가, 서+었 → 섰, 하+ㄴ → 한. In 돕+아 → 도와 the first covers both syllables (its ㅂ
  is in 와), the second one; likewise 흐르+어 → 흘러, 가깝+ㄴ → 가까운. In 듣+어 → 들어 each
  has its own.
- A morpheme without a trace has an empty span where it would stand: 최고+이+다 → 최고다.
  Where that is within a syllable it shares the syllable: 누구+이+ㄴ가 → 누군가.
- Of two equal pieces the second is the one that is lost: 종이+이+다 → 종이다 has all of the
  noun.
- Surface that no morpheme explains belongs to the morpheme before it, at the start to the first.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import accumulate, product
from typing import TYPE_CHECKING, NamedTuple

from sejongud.errors import RulesError
from sejongud.memo import Memo
from sejongud.morphology.hangul import (
    CODAS,
    LEADS,
    VOWELS,
    decompose,
    is_syllable,
    to_compatibility,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sejongud.model import Morpheme, Span
    from sejongud.rules import Rules

__all__ = ["Aligner", "Alignment"]


class Alignment(NamedTuple):
    """Where the morphemes of one eojeol stand in its form."""

    spans: tuple[Span, ...]
    """One for each morpheme, in characters. Begins and ends never fall; they cover the form."""
    rules: tuple[str, ...]
    """The names of the rules that were used, in order, each once."""
    unexplained: str
    """What no rule explains, for a linguist; empty where all is explained."""
    weak: tuple[str, ...]
    """Those of the rules that are weak."""


_Piece = tuple[str, str]
"""Form and tag of a morpheme, or of what is left of it."""
_Question = tuple[str, tuple[_Piece, ...], int, bool]
"""A form, its morphemes, where they were cut at the front, whether the last was at its back."""
_Found = tuple[tuple["Span", ...], tuple[str, ...], str, tuple[str, ...]]
"""What an `Alignment` says."""
_Cell = tuple[int, int, int, "_Rewrite | None"]
"""Cost; where the path came from in both strings; the rule, None for kept or unexplained."""

# A chain of rules without a weak one costs less than any with one, and a weak one less than what
# stays unexplained.
_WEAK = 100
_UNEXPLAINED = 10_000
_BEAM = 48
_REMEMBERED = 24_000
_SHOWN = 60
# A misspelt morpheme is known by what is spelt right.
_SYLLABLES = 2
_OTHER_JAMO = 4

# One symbol of the search is one character. Leads and codas are conjoining jamo, to tell them
# apart; vowels, and consonants that stand alone (ㄴ of ㄴ다, ㅋ of ㅋㅋ), are compatibility jamo.
# Conjoining jamo of the input are read as compatibility jamo, so nobody takes them for these.
_LEAD = {jamo: chr(0x1100 + index) for index, jamo in enumerate(LEADS)}
_CODA = {jamo: chr(0x11A7 + index) for index, jamo in enumerate(CODAS) if jamo}
_ENDS_IN = dict.fromkeys(VOWELS, "vowel") | dict.fromkeys(_CODA.values(), "coda")
_SURFACES = frozenset(["vowel", "coda", "other"])
# What a bound consonant may follow and still stand alone.
_OPENINGS = frozenset([*VOWELS, *"()"])
_PLACES = (frozenset(_LEAD.values()), frozenset(VOWELS), frozenset(_CODA.values()))
_BORDER = "\0"
# Where the front of an eojeol was cut off: nowhere, before a morpheme, within one.
_NOT_CUT, _CUT_AT_BORDER, _CUT_WITHIN = 0, 1, 2
_EDGE = ("", _BORDER)


class Aligner:
    """Aligns eojeols by the table `alignment` of the rules.

    Args:
        rules: the linguistics (`sejongud.rules.load()`): its tag set, equivalents and tables.

    Raises:
        RulesError: a row of the table cannot be used.

    >>> from sejongud.model import Morpheme
    >>> from sejongud.rules import load
    >>> Aligner(load()).align("간", [Morpheme("가", "VV"), Morpheme("ㄴ", "ETM")])
    Alignment(spans=((0, 1), (0, 1)), rules=('coda fusion',), unexplained='', weak=())
    """

    def __init__(self, rules: Rules) -> None:
        self._symbols = _Symbols(rules.equivalents)
        self._table = _compile(rules)
        self._solved: Memo[_Question, _Found | None] = Memo(self._solve, size=_REMEMBERED)
        self._explained: Memo[_Question, bool] = Memo(self._is_explained, size=_REMEMBERED)

    def align(self, form: str, morphemes: Sequence[Morpheme]) -> Alignment:
        """The span of each morpheme in `form`.

        Args:
            form: the surface of the eojeol; anything at all.
            morphemes: in order. One without a form, and an elided one that has left no trace, has
                an empty span. A tag that the tag set lacks satisfies every condition of a rule.

        Returns:
            Spans in characters of `form`, the rules used, what stayed unexplained, and which of the
            rules are weak.
        """
        overt = [m for m in morphemes if m.form and not (m.source and m.elided)]
        found = self._find(form, [m[:2] for m in overt])
        if len(overt) == len(morphemes):
            return Alignment._make(found)
        if found[2] or found[3]:
            sounded = [m for m in morphemes if m.form]
            other = self._find(form, [(m.form, m.tag) for m in sounded])
            if not other[2] and (found[2] or not other[3]):
                overt, found = sounded, other
        there = [m in overt for m in morphemes]
        return Alignment(_with_empty(found[0], there, len(form)), *found[1:])

    def explains(self, form: str, morphemes: Sequence[Morpheme]) -> bool:
        """Whether `align` finds that strict rules explain everything, without the spans.

        Args:
            form: the surface.
            morphemes: in order, none of them elided or without a form.
        """
        pieces = [m[:2] for m in morphemes]
        joined = "".join([text for text, _ in pieces])
        ends = list(accumulate([len(text) for text, _ in pieces]))
        explained = self._explained
        return any(explained[question] for question, _, _, _ in _cuts(form, joined, pieces, ends))

    def _find(self, form: str, pieces: list[_Piece]) -> _Found:
        """The answer for morphemes of which each has a form."""
        if not pieces:
            return (), (), _reason((), form), ()
        joined = "".join([text for text, _ in pieces])
        ends = list(accumulate([len(text) for text, _ in pieces]))
        # What differs is looked up without what stays the same. Weak rules have to see the whole.
        for question, front, (first, head), (last, tail) in _cuts(form, joined, pieces, ends):
            found = self._solved[question]
            if found is None:
                continue
            spans = list(zip([0, *ends[: first - 1]], ends, strict=False)) if first else []
            spans += [(begin + front, end + front) for begin, end in found[0]]
            if head:
                spans[first] = (spans[first][0] - head, spans[first][1])
            if tail:
                spans[last] = (spans[last][0], spans[last][1] + tail)
            shift = len(form) - ends[-1]
            for index in range(last + 1, len(ends)):
                spans.append((ends[index - 1] + shift, ends[index] + shift))
            return tuple(spans), found[1], "", ()
        whole = form, tuple(pieces), _NOT_CUT, False
        return self._solved[whole] or self._read(whole, _Pass.WEAK) or self._last_resort(whole)

    def _solve(self, question: _Question) -> _Found | None:
        """The answer by strict rules; None where they do not explain everything."""
        return self._read(question, _Pass.STRICT)

    def _is_explained(self, question: _Question) -> bool:
        """Whether strict rules explain everything."""
        return self._search(question).reaches(_Pass.STRICT)

    def _last_resort(self, question: _Question) -> _Found:
        """The answer where rules do not explain everything."""
        found = self._read(question, _Pass.LENIENT)
        assert found is not None
        return found

    def _read(self, question: _Question, which: _Pass) -> _Found | None:
        """The answer, by search; None where something would stay unexplained."""
        search = self._search(question)
        if not search.reaches(which):
            return None
        trace = search.steps()
        if which is not _Pass.STRICT and search.confuses_symbols(trace):
            return None
        form, pieces, _, _ = question
        places = [at for at, char in enumerate(form) for _ in char.translate(self._symbols)]
        places.append(len(form))
        return _read(trace, search.source, search.target, places, form, pieces)

    def _search(self, question: _Question) -> _Search:
        form, pieces, cut_front, cut_back = question
        source = _BORDER.join([text.translate(self._symbols) for text, _ in pieces])
        target = form.translate(self._symbols)
        tags = [tag for _, tag in pieces]
        return _Search(self._table, source, target, tags, cut_front, cut_back)


class _Pass(Enum):
    """What the search may use."""

    STRICT = "strict rules"
    WEAK = "strict and weak rules, and those with a tag set aside"
    LENIENT = "strict and weak rows for known symbols; what they do not explain stays unexplained"


class _Symbols(dict[int, str]):
    """Code point → symbols, filled as characters come; for `str.translate`."""

    def __init__(self, equivalents: Mapping[str, str]) -> None:
        super().__init__()
        self.equivalents = equivalents

    def __missing__(self, code: int) -> str:
        char = to_compatibility(chr(code))
        same = self.equivalents.get(char, char).lower()
        if is_syllable(same):
            symbols = _syllable(same)
        elif same.isspace():
            symbols = ""
        else:
            symbols = same.replace(_BORDER, "\ufffd")
        self[code] = symbols
        return symbols


def _syllable(char: str) -> str:
    lead, vowel, coda = decompose(char)
    return _LEAD[lead] + vowel + _CODA.get(coda, "")


_Cut = tuple[_Question, int, tuple[int, int], tuple[int, int]]
"""What is asked; how many characters were cut off before it; the first of the morphemes it is about
and how much of that was cut off, and the same of the last."""


def _cuts(form: str, joined: str, pieces: list[_Piece], ends: list[int]) -> Iterator[_Cut]:
    """An eojeol without what stays the same at its edges; then with one character more of that.

    One character on each side is as far as a rule sees into what stays the same.

    Args:
        form: the surface.
        joined: the morphemes one after another.
        pieces: the morphemes.
        ends: where each of them ends in `joined`.
    """
    size = min(len(form), len(joined))
    front = 0
    while front < size and form[front] == joined[front]:
        front += 1
    size -= front
    back = 0
    while back < size and form[-1 - back] == joined[-1 - back]:
        back += 1
    yield _cut(form, pieces, ends, front, back)
    yield _cut(form, pieces, ends, max(front - 1, 0), max(back - 1, 0))


def _cut(form: str, pieces: list[_Piece], ends: list[int], front: int, back: int) -> _Cut:
    """An eojeol without `front` and `back` characters at its edges."""
    stop = ends[-1] - back
    first = bisect_right(ends, front, 0, len(ends) - 1)
    last = bisect_left(ends, stop, first, len(ends) - 1)
    head = front - ends[first] + len(pieces[first][0])
    tail = ends[last] - stop
    middle = pieces[first : last + 1]
    if tail:
        middle[-1] = (middle[-1][0][:-tail], middle[-1][1])
    if head:
        middle[0] = (middle[0][0][head:], middle[0][1])
    cut = _CUT_WITHIN if head else _CUT_AT_BORDER if front else _NOT_CUT
    question = form[front : len(form) - back], tuple(middle), cut, tail > 0
    return question, front, (first, head), (last, tail)


# The rules
# ---------


class _Rewrite(NamedTuple):
    """One row of the table, for one choice from its sets."""

    name: str
    cost: int
    behind: str
    """What its first morpheme has to have before it."""
    before: str
    """The symbols of the morphemes that it rewrites."""
    needed: str
    """These, with what has to follow."""
    after: tuple[str, ...]
    """The surface it leaves, divided among its morphemes, or one piece that all of them share."""
    surface: str
    """`after`, joined."""
    barred: tuple[frozenset[str], ...]
    """For each of its morphemes the tags it may not have."""
    starts: bool
    """Whether it begins where a morpheme begins."""
    ends: bool
    """Whether it ends where a morpheme ends."""
    follows: frozenset[str]
    """What the surface before it may end in; empty for anything."""
    weak: bool
    """Whether it is to be reported."""

    @property
    def borders(self) -> int:
        """How many borders between morphemes it goes over."""
        return self.before.count(_BORDER)


class _Barred:
    """Condition on a tag → the tags of the tag set that do not satisfy it."""

    def __init__(self, rules: Rules) -> None:
        self._kinds = {tag: rules.kind(tag) for tag in rules.tags}

    def __call__(self, condition: str) -> frozenset[str]:
        allowed: set[str] = set()
        for pattern in condition.removeprefix("!").split("|"):
            fits = {
                tag
                for tag, kind in self._kinds.items()
                if kind == pattern or fnmatchcase(tag, pattern)
            }
            if not fits:
                raise ValueError(f"no tag and no kind {pattern!r}")
            allowed |= fits
        return frozenset(allowed if condition.startswith("!") else self._kinds.keys() - allowed)


_Index = dict[str, list[_Rewrite]]
"""Rewrites by the first two symbols they rewrite, or the only one."""


class _Table(NamedTuple):
    """The table, ready to be searched."""

    strict: _Index
    weak: _Index
    open: dict[str, list[_Rewrite]]
    """Those that do not say which symbols, by their underlying and surface side."""


# The sides of the rows whose symbols are any of a class.
_MISSPELT = "{jamo} {jamo}"
_SILENT = "#{symbol}# "
_STRAY = " {symbol}"
_OPEN = (_MISSPELT, _SILENT, _STRAY)


def _compile(rules: Rules) -> _Table:
    table = _Table({}, {}, {sides: [] for sides in _OPEN})
    barred = Memo(_Barred(rules), size=_REMEMBERED)
    for row in rules.table("alignment"):
        sides = f"{row['underlying']} {row['surface']}"
        index = table.weak if row["weak"] else table.strict
        try:
            if sides in table.open:
                table.open[sides].append(_open_rewrite(row, barred))
                continue
            for rewrite in _compile_row(row, barred):
                index.setdefault(rewrite.before[:2], []).append(rewrite)
        except ValueError as error:
            raise _located(rules, row, str(error)) from None
    return table


def _located(rules: Rules, row: Mapping[str, str], message: str) -> RulesError:
    """The error of a row, with the file and the line it stands in."""
    text = "\t".join(row.values())
    users = rules.user_file("alignment")
    path, lines = "rules/alignment.tsv", _lines(rules.text("alignment"))
    if users is not None:
        others = _lines(users.read_text(encoding="utf-8-sig"))
        if text in others:
            path, lines = str(users), others
    line = lines.index(text) + 1
    return RulesError(f"{row['name']}: {message}", path=path, line=line, text=text)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _open_rewrite(row: Mapping[str, str], barred: Mapping[str, frozenset[str]]) -> _Rewrite:
    """What is the same in all rewrites of a row whose symbols are any of a class."""
    if not row["weak"]:
        raise ValueError("a row with a class in braces has to be weak")
    if row["follows"]:
        raise ValueError("a row with a class in braces has no condition in follows")
    return _Rewrite(
        name=row["name"],
        cost=int(row["cost"]) + _WEAK,
        behind="",
        before="",
        needed="",
        after=("",),
        surface="",
        barred=(barred[row["tags"]],),
        starts=False,
        ends=False,
        follows=frozenset(),
        weak=True,
    )


def _compile_row(
    row: Mapping[str, str], barred: Mapping[str, frozenset[str]]
) -> Iterator[_Rewrite]:
    """The rewrites of one row, one for each choice from its sets.

    Raises:
        ValueError: the row cannot be used.
    """
    if "{" in row["underlying"] + row["surface"]:
        raise ValueError(f"a class in braces stands as in {' or '.join(map(repr, _OPEN))}")
    tags = row["tags"].split("+")
    follows = frozenset(row["follows"].split("|")) if row["follows"] else frozenset()
    if not follows <= _SURFACES:
        raise ValueError(f"follows should be of: {', '.join(sorted(_SURFACES))}")
    for underlying, surface in _expand(row):
        behind, before, ahead = _contexts(underlying)
        after = tuple(surface.split(_BORDER))
        size = before.count(_BORDER) + 1
        if not before:
            raise ValueError("underlying rewrites nothing")
        if len(tags) != size + ahead.count(_BORDER):
            raise ValueError(f"tags is for {len(tags)} morphemes, underlying has {size}")
        if len(after) not in (1, size):
            raise ValueError(f"surface is of {len(after)} morphemes, underlying has {size}")
        yield _Rewrite(
            name=row["name"],
            cost=int(row["cost"]) + (_WEAK if row["weak"] else 0),
            behind=behind,
            before=before,
            needed=before + ahead,
            after=after,
            surface="".join(after),
            barred=tuple([barred[condition] for condition in tags]),
            starts=row["underlying"].startswith("#"),
            ends=row["underlying"].endswith("#"),
            follows=follows,
            weak=bool(row["weak"]),
        )


def _contexts(pattern: str) -> tuple[str, str, str]:
    """What has to stand before, what is rewritten, and what has to follow: `(a)b(c)`."""
    behind, before, ahead = "", pattern, ""
    if before.startswith("("):
        behind, _, before = before[1:].partition(")")
    if before.endswith(")"):
        before, _, ahead = before[:-1].rpartition("(")
    return behind, before, ahead


def _expand(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every choice from the sets; sets of one size go together, first member with first member."""
    left = list(_tokens(row["underlying"], bare=True))
    right = list(_tokens(row["surface"], bare=False))
    sizes, others = [{len(token) for token in side if len(token) > 1} for side in (left, right)]
    if not others <= sizes:
        raise ValueError("a set of surface has not as many members as one of underlying")
    for picks in product(*[range(size) for size in sizes]):
        chosen = {1: 0} | dict(zip(sizes, picks, strict=True))
        yield _pick(left, chosen), _pick(right, chosen)


def _pick(tokens: Sequence[tuple[str, ...]], chosen: Mapping[int, int]) -> str:
    return "".join([token[chosen[len(token)]] for token in tokens])


def _tokens(pattern: str, *, bare: bool) -> Iterator[tuple[str, ...]]:
    """The symbols of a pattern: for each the choices there are, one outside a set.

    With `bare`, a bound consonant that begins a morpheme stands alone, and one behind a vowel that
    begins it as well (ㅏㅆ); otherwise it is the coda of the syllable before, as on the surface.
    """
    choices: list[str] | None = None
    bound = False
    begins = bare and pattern.startswith("#")
    for char in pattern.strip("#"):
        if char == "-" and not bound:
            bound = True
        elif char == "[":
            choices = []
        elif char == "]" and choices is not None:
            yield tuple(choices)
            begins = begins and _OPENINGS.issuperset(choices)
            choices = None
        else:
            symbols = _symbol(char, bound=bound, begins=begins)
            bound = False
            if choices is not None:
                choices.append(symbols)
            else:
                yield (symbols,)
                begins = bare and (char == "+" or (begins and char in _OPENINGS))


def _symbol(char: str, *, bound: bool, begins: bool) -> str:
    if bound:
        return char if begins else _CODA.get(char, char)
    if is_syllable(char):
        return _syllable(char)
    return _BORDER if char == "+" else _LEAD.get(char, char)


# The search
# ----------


class _Step(NamedTuple):
    """One step of the path: symbols i to i_end of the morphemes became j to j_end of the form."""

    i: int
    i_end: int
    j: int
    j_end: int
    rewrite: _Rewrite | None


class _Search:
    """The cheapest path from the morphemes to the surface.

    Args:
        table: the rules.
        source: the symbols of the morphemes, with borders.
        target: the symbols of the surface.
        tags: of the morphemes.
        cut_front: what the first morpheme is the rest of.
        cut_back: whether the last morpheme goes on.
    """

    def __init__(
        self,
        table: _Table,
        source: str,
        target: str,
        tags: Sequence[str],
        cut_front: int,
        cut_back: bool,
    ) -> None:
        self._rules = table
        self.source = source
        self.target = target
        self._tags = tags
        self._cut_front = cut_front
        self._cut_back = cut_back
        # For each symbol of the source the cells of the target reached so far. Few ever are; the
        # bound on how many are followed makes the time linear whatever the input.
        self._table: list[dict[int, _Cell]] = [{} for _ in range(len(source) + 1)]
        self._beam = max(4, min(_BEAM, 200_000 // (len(source) + 1)))

    def reaches(self, which: _Pass) -> bool:
        """Whether there is a path: not where something would stay unexplained and may not.

        Every step but an insertion goes on in the source, so cells are complete when their symbol
        comes.
        """
        table, size, width = self._table, len(self.source), len(self.target)
        table[0][0] = (0, 0, 0, None)
        morpheme = 0
        strict, lenient = which is _Pass.STRICT, which is _Pass.LENIENT
        for i, symbol in enumerate(self.source):
            cells = table[i]
            if lenient:
                self._insert(i, self._beam)
            elif not strict:
                self._stray(i, morpheme)
            if len(cells) > self._beam:
                best = sorted(cells.items(), key=lambda item: item[1][0])[: self._beam]
                cells = table[i] = dict(best)
            if cells:
                # The first of equal paths stays: of two equal pieces the second is the one lost.
                if lenient and symbol != _BORDER:
                    self._lose(i)
                self._keep(i, symbol)
                for rewrite in self._applicable(self._rules.strict, i, morpheme):
                    self._rewrite(i, rewrite)
                if not strict:
                    self._rewrite_weakly(i, morpheme, which)
            if symbol == _BORDER:
                morpheme += 1
        if lenient:
            self._insert(size, width)
        return width in table[size]

    def confuses_symbols(self, steps: Sequence[_Step]) -> bool:
        """Whether a symbol has no surface and another no analysis: they may be meant for one."""
        used = {step.rewrite.name for step in steps if step.rewrite is not None}
        return all(
            any(rule.name in used for rule in self._rules.open[sides])
            for sides in (_SILENT, _STRAY)
        )

    def _keep(self, i: int, symbol: str) -> None:
        """Go on where the symbol stays the same; a border has no surface."""
        following, target = self._table[i + 1], self.target
        for j, cell in self._table[i].items():
            if symbol == _BORDER:
                _relax(following, j, (cell[0], i, j, None))
            elif target.startswith(symbol, j):
                _relax(following, j + 1, (cell[0], i, j, None))

    def _rewrite(self, i: int, rewrite: _Rewrite) -> None:
        """Go on by a rule that fits."""
        target = self.target
        beyond = self._table[i + len(rewrite.before)]
        for j, cell in self._table[i].items():
            if target.startswith(rewrite.surface, j) and (
                not rewrite.follows or self._surface_before(j) in rewrite.follows
            ):
                cost = cell[0] + rewrite.cost
                _relax(beyond, j + len(rewrite.surface), (cost, i, j, rewrite))

    def _rewrite_weakly(self, i: int, morpheme: int, which: _Pass) -> None:
        """Go on by the weak rules that fit."""
        for rewrite in self._applicable(self._rules.weak, i, morpheme):
            self._rewrite(i, rewrite)
        if which is _Pass.LENIENT:
            return
        for rewrite in self._applicable(self._rules.strict, i, morpheme, aside=1):
            if self._may_set_aside(rewrite, i, morpheme):
                name, cost = f"{rewrite.name}, tag aside", rewrite.cost + _WEAK
                self._rewrite(i, rewrite._replace(name=name, cost=cost, weak=True))
        if i == 0 or self.source[i - 1] == _BORDER:
            end = self.source.find(_BORDER, i)
            text = self.source[i : end if end >= 0 else None]
            self._misspell(i, morpheme, text)
            self._silence(i, morpheme, text)

    def _may_set_aside(self, rewrite: _Rewrite, i: int, morpheme: int) -> bool:
        """Whether a rule that one of the tags does not fit may be used all the same.

        One for one morpheme has nothing but its tag to say where it holds. And one by which a
        morpheme leaves no trace would take it away from anywhere: 하/XSV before any particle.
        """
        if len(rewrite.barred) == 1:
            return False
        source, begin = self.source, i
        pieces = rewrite.before.split(_BORDER)
        for at, piece in enumerate(pieces):
            end = begin + len(piece)
            whole = source[begin - 1 : begin] in _EDGE and source[end : end + 1] in _EDGE
            traceless = piece and not rewrite.after[at if len(rewrite.after) > 1 else 0]
            if whole and traceless and self._tags[morpheme + at] not in rewrite.barred[at]:
                return False
            begin = end + 1
        return True

    def _surface_before(self, j: int) -> str:
        """What the surface before `j` ends in; empty where that was cut off."""
        if j:
            return _ENDS_IN.get(self.target[j - 1], "other")
        return "" if self._cut_front else "other"

    def _applicable(
        self, index: _Index, i: int, morpheme: int, aside: int = 0
    ) -> Iterator[_Rewrite]:
        """The rules that fit at symbol `i`, in that morpheme, but for so many of the tags."""
        source, tags = self.source, self._tags
        for rewrite in (*index.get(source[i : i + 2], ()), *index.get(source[i], ())):
            if source.startswith(rewrite.needed, i) and self._stands(rewrite, i):
                misfits = 0
                for at, barred in enumerate(rewrite.barred, morpheme):
                    misfits += tags[at] in barred
                if misfits == aside:
                    yield rewrite

    def _stands(self, rewrite: _Rewrite, i: int) -> bool:
        """Whether the borders and the context before are as the rule wants them."""
        source = self.source
        if rewrite.starts and (source[i - 1] != _BORDER if i else self._cut_front == _CUT_WITHIN):
            return False
        end = i + len(rewrite.before)
        if rewrite.ends and (source[end] != _BORDER if end < len(source) else self._cut_back):
            return False
        return not rewrite.behind or source.endswith(rewrite.behind, 0, i)

    def _misspell(self, i: int, morpheme: int, text: str) -> None:
        """Go on where one jamo differs in the morpheme `text` that begins at `i`."""
        for rule in self._open(_MISSPELT, morpheme) if _is_anchored(text) else ():
            for j, cell in self._table[i].items():
                there = self.target[j : j + len(text)]
                if _differ_in_one_jamo(text, there):
                    self._go(i, j, cell, rule._replace(before=text, after=(there,)))

    def _silence(self, i: int, morpheme: int, text: str) -> None:
        """Go on where the morpheme `text` that begins at `i` is a symbol without a surface."""
        for rule in self._open(_SILENT, morpheme) if all(map(_is_symbol, text)) else ():
            for j, cell in self._table[i].items():
                self._go(i, j, cell, rule._replace(before=text))

    def _stray(self, i: int, morpheme: int) -> None:
        """Add the cells reached over symbols of the surface that are not analysed."""
        cells, places = self._table[i], self._inner_symbols
        if not (cells and places and i and self.source[i - 1] != _BORDER):
            return
        for rule in self._open(_STRAY, morpheme):
            for j in range(min(cells), min(len(self.target), max(cells) + self._beam)):
                if j in cells and j in places:
                    _relax(cells, j + 1, (cells[j][0] + rule.cost, i, j, rule))

    @cached_property
    def _inner_symbols(self) -> frozenset[int]:
        """Where the surface has symbols, other than at its start and its end."""
        marks = [_is_symbol(char) for char in self.target]
        if not any(marks) or all(marks):
            return frozenset()
        first, last = marks.index(False), len(marks) - marks[::-1].index(False)
        return frozenset([j for j in range(first, last) if marks[j]])

    def _open(self, sides: str, morpheme: int) -> list[_Rewrite]:
        """The rules for a class of symbols that fit the tag of the morpheme."""
        tag = self._tags[morpheme]
        return [rule for rule in self._rules.open[sides] if tag not in rule.barred[0]]

    def _go(self, i: int, j: int, cell: _Cell, rewrite: _Rewrite) -> None:
        """Go on from a cell by a rule that fits there."""
        i_end, j_end = i + len(rewrite.before), j + len(rewrite.after[0])
        _relax(self._table[i_end], j_end, (cell[0] + rewrite.cost, i, j, rewrite))

    def _lose(self, i: int) -> None:
        """Go on with the symbol unexplained: lost, or something else in its place."""
        following = self._table[i + 1]
        for j, cell in self._table[i].items():
            _relax(following, j, (cell[0] + _UNEXPLAINED, i, j, None))
            if j < len(self.target):
                _relax(following, j + 1, (cell[0] + _UNEXPLAINED * 3 // 2, i, j, None))

    def _insert(self, i: int, farthest: int) -> None:
        """Add the cells reached by taking surface that no morpheme explains."""
        cells = self._table[i]
        if not cells:
            return
        # Rather between syllables of the morphemes than within one.
        within = self.source[i : i + 1] in _ENDS_IN
        for j in range(min(cells), min(len(self.target), max(cells) + farthest)):
            cost = cells[j][0] + _UNEXPLAINED + within if j in cells else None
            if cost is not None and (j + 1 not in cells or cost <= cells[j + 1][0]):
                cells[j + 1] = (cost, i, j, None)

    def steps(self) -> list[_Step]:
        """The steps to the last cell, in order, once it has been reached."""
        steps: list[_Step] = []
        i, j = len(self.source), len(self.target)
        while i or j:
            _, i_from, j_from, rewrite = self._table[i][j]
            steps.append(_Step(i_from, i, j_from, j, rewrite))
            i, j = i_from, j_from
        steps.reverse()
        return steps


def _is_anchored(text: str) -> bool:
    """Whether the symbols of a morpheme are enough to know it by with one of them misspelt."""
    syllables = sum(symbol in _PLACES[0] for symbol in text)
    jamo = sum(symbol in place for symbol in text for place in _PLACES)
    return syllables >= _SYLLABLES and jamo > _OTHER_JAMO


def _differ_in_one_jamo(one: str, other: str) -> bool:
    """Whether one lead, vowel or coda is another one."""
    if len(one) != len(other):
        return False
    pairs = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return len(pairs) == 1 and any(place.issuperset(pairs[0]) for place in _PLACES)


def _is_symbol(char: str) -> bool:
    """Whether a character is a punctuation mark or another symbol."""
    return unicodedata.category(char)[0] in "PS"


def _relax(cells: dict[int, _Cell], j: int, cell: _Cell) -> None:
    there = cells.get(j)
    if there is None or cell[0] < there[0]:
        cells[j] = cell


# Reading the path
# ----------------


def _read(
    steps: Sequence[_Step],
    source: str,
    target: str,
    places: Sequence[int],
    form: str,
    pieces: Sequence[_Piece],
) -> _Found:
    """Spans, rules and what is unexplained, from the steps.

    `places` has for each symbol of the surface the character it belongs to, then the length.
    """
    seen: list[list[int]] = [[] for _ in pieces]
    begins = [0] * len(pieces)
    rules: dict[str, bool] = {}
    lost: dict[int, None] = {}
    extra: dict[int, None] = {}
    morpheme = 0
    for i, i_end, j, j_end, rewrite in steps:
        if rewrite is not None:
            rules[rewrite.name] = rewrite.weak
            shared = len(rewrite.after) == 1
            for at in range(rewrite.borders + 1):
                if at:
                    morpheme += 1
                    begins[morpheme] = j
                stop = j_end if shared else j + len(rewrite.after[at])
                seen[morpheme] += places[j:stop]
                j = j if shared else stop
        elif i == i_end:
            extra[places[j]] = None
        elif source[i] == _BORDER:
            morpheme += 1
            begins[morpheme] = j
        else:
            seen[morpheme] += places[j:j_end]
            if source[i] != target[j:j_end]:
                lost[morpheme] = None
                extra.update(dict.fromkeys(places[j:j_end]))
    missing = [(*pieces[index], bool(seen[index])) for index in lost]
    reason = _reason(missing, "".join([form[place] for place in extra]))
    weak = tuple([name for name, is_weak in rules.items() if is_weak])
    return _spans(seen, begins, places), tuple(rules), reason, weak


def _spans(
    seen: Sequence[Sequence[int]], begins: Sequence[int], places: Sequence[int]
) -> tuple[Span, ...]:
    """The spans, from the characters each morpheme was seen in and the symbol it begins at."""
    spans: list[Span] = []
    for chars, begin in zip(seen, begins, strict=True):
        if chars:
            spans.append((chars[0], chars[-1] + 1))
        else:
            here = places[begin]
            within = begin > 0 and places[begin - 1] == here
            spans.append((here, here + within))
    spans[0] = (0, spans[0][1])
    for index in range(1, len(spans)):
        begin, end = spans[index - 1]
        spans[index - 1] = (begin, max(end, spans[index][0]))
    spans[-1] = (spans[-1][0], places[-1])
    return tuple(spans)


def _reason(missing: Sequence[tuple[str, str, bool]], chars: str) -> str:
    """What no rule explains: morphemes that lost something or all, characters that are extra."""
    if missing and chars:
        morphemes = "+".join([f"{form}/{tag}" for form, tag, _ in missing])
        return f"no rule makes {_short(chars)} of {_short(morphemes)}"
    if missing:
        lacks = ", ".join([f"{'a part of ' * part}{form}/{tag}" for form, tag, part in missing])
        return f"the form lacks {_short(lacks)}"
    return f"no morpheme explains {_short(chars)}" if chars else ""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _with_empty(spans: Sequence[Span], there: Sequence[bool], length: int) -> tuple[Span, ...]:
    """The spans of all morphemes: those that are `there` in order, and the others empty between."""
    following = iter([begin for begin, _ in spans])
    rest = iter(spans)
    placed: list[Span] = []
    end, ahead = 0, next(following, length)
    for overt in there:
        if overt:
            placed.append(next(rest))
            end, ahead = placed[-1][1], next(following, length)
        else:
            # Between two that share a syllable it shares it as well.
            placed.append((min(end, ahead), end))
    if not spans and placed:
        placed[-1] = (0, length)
    return tuple(placed)
