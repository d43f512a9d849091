"""The part of the surface that each morpheme of an eojeol covers.

    했다     하/XSV + 았/EP + 다/EF      하 (0, 1)   았 (0, 1)   다 (1, 2)
    최고다   최고/NNG + 이/VCP + 다/EF   최고 (0, 2)  이 (2, 2)   다 (2, 3)

Surface and morphemes are written as jamo, the morphemes with borders between them, and
`sejongud.morphology.search` finds the cheapest way from the morphemes to the surface. A jamo that
stays is free; characters of rules/equivalents.tsv and the two cases of a letter count as equal, and
spaces do not count. Every other change needs a row of rules/alignment.tsv, which says what becomes
of which jamo at which border of which morphemes. Jamo that no row explains are inserted or deleted
at a high cost, and reported.

The rules of the language, and of the ways corpora are annotated in, are tried first. Where they
leave something unexplained, *weak* rules are tried as well: rows marked so, for misspellings and
slips of annotation, and rows with one tag set aside (부르/EC+어/EC → 불러, by the row for verbs). A
weak rule finds the right spans, but the eojeol deserves a look.

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

from bisect import bisect_left, bisect_right
from functools import cached_property, partial
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from sejongud.memo import Memo
from sejongud.morphology.hangul import to_compatibility
from sejongud.morphology.rewrites import BORDER, compile_table, symbols_of
from sejongud.morphology.search import (
    CUT_AT_BORDER,
    CUT_WITHIN,
    LENIENT,
    NOT_CUT,
    STRICT,
    WITH_WEAK,
    Search,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sejongud.model import Morpheme, Span
    from sejongud.morphology.rewrites import RewriteTable
    from sejongud.rules import Rules


class MorphemeAlignment(NamedTuple):
    """The places of the morphemes of one eojeol in its form."""

    spans: tuple[Span, ...]
    """A span for each morpheme, in characters. Begins and ends never fall; they cover the form."""
    rules: tuple[str, ...]
    """The names of the rules that were used, in order, each once."""
    unexplained: str
    """What no rule explains, for a linguist; empty where all is explained."""
    weak: tuple[str, ...]
    """The weak rules among `rules`."""


_Piece = tuple[str, str]
"""Form and tag of a morpheme, or of the part of it that is left."""
_Question = tuple[str, tuple[_Piece, ...], int, bool]
"""A form, its morphemes, where they were cut at the front, whether the last was at its back."""

_piece = itemgetter(0, 1)
# Much faster than a NamedTuple's own constructor.
_alignment = partial(tuple.__new__, MorphemeAlignment)

_REMEMBERED = 24_000
_SHOWN = 60


class Aligner:
    """Align eojeols by the table `alignment` of the rules.

    Args:
        rules: the linguistics (`sejongud.rules.load()`): its tag set, equivalents and tables.

    Raises:
        RulesError: a row of the table cannot be used.

    >>> from sejongud.model import Morpheme
    >>> from sejongud.rules import load
    >>> Aligner(load()).align("간", [Morpheme("가", "VV"), Morpheme("ㄴ", "ETM")])
    MorphemeAlignment(spans=((0, 1), (0, 1)), rules=('coda fusion',), unexplained='', weak=())
    """

    def __init__(self, rules: Rules) -> None:
        self._in_sejong = rules.in_sejong
        self._symbols = symbols_of(rules.equivalents)
        self._rules = rules
        if rules.directory is not None:
            compile_table(rules)  # The rows of the user's tables are all checked before the data.
        self._solved: Memo[_Question, MorphemeAlignment | None] = Memo.of(
            self, lambda aligner, question: aligner._solve(question, STRICT), size=_REMEMBERED
        )

    @cached_property
    def _table(self) -> RewriteTable:
        return compile_table(self._rules)

    def align(self, form: str, morphemes: Sequence[Morpheme]) -> MorphemeAlignment:
        """Find the span of each morpheme in `form`.

        Args:
            form: the surface of the eojeol; anything at all.
            morphemes: in order. One without a form, and an elided one that has left no trace, has
                an empty span. A tag that the tag set lacks satisfies every condition of a rule.

        Returns:
            Spans in characters of `form`, the rules used, what stayed unexplained, and which of the
            rules are weak.
        """
        morphemes = self._in_sejong(tuple(morphemes))
        overt = [m for m in morphemes if m[0] and not (m[2] and m.elided)]
        first = self._find(form, overt)
        if len(overt) == len(morphemes):
            return first
        if first.unexplained or first.weak:
            sounded = [m for m in morphemes if m.form]
            second = self._find(form, sounded)
            if not second.unexplained and (first.unexplained or not second.weak):
                overt, first = sounded, second
        is_overt = [m in overt for m in morphemes]
        return first._replace(spans=_with_empty(first.spans, is_overt, len(form)))

    def _find(self, form: str, morphemes: list[Morpheme]) -> MorphemeAlignment:
        """Return the alignment of morphemes of which each has a form."""
        if not morphemes:
            return MorphemeAlignment((), (), _reason((), form), ())
        # Morphemes have compatibility jamo; ᄏ of a text in NFKC is the ㅋ of its morpheme.
        form = to_compatibility(form)
        texts = [m[0] for m in morphemes]
        joined = "".join(texts)
        ends = list(accumulate(map(len, texts)))
        front = back = 0
        size = min(len(form), len(joined))
        while front < size and form[front] == joined[front]:
            front += 1
        while front + back < size and form[-1 - back] == joined[-1 - back]:
            back += 1
        # What differs is looked up without what stays the same; then with one character of that on
        # each side, as far as a rule sees. Weak rules have to see the whole.
        alignment = self._find_between(form, morphemes, ends, front, back)
        if alignment is None and (front or back):
            front, back = max(front - 1, 0), max(back - 1, 0)
            alignment = self._find_between(form, morphemes, ends, front, back)
        if alignment is None:
            whole = form, tuple(map(_piece, morphemes)), NOT_CUT, False
            alignment = (
                self._solved[whole] or self._solve(whole, WITH_WEAK) or self._solve(whole, LENIENT)
            )
        assert alignment is not None
        return alignment

    def _find_between(
        self, form: str, morphemes: list[Morpheme], ends: list[int], front: int, back: int
    ) -> MorphemeAlignment | None:
        """Return the alignment by strict rules, looked up without the characters at the edges.

        Args:
            form: the surface.
            morphemes: in order.
            ends: where each of them ends when they are joined.
            front: how many characters are left out at the front, the same in form and morphemes.
            back: how many characters are left out at the back.
        """
        stop = ends[-1] - back
        first = bisect_right(ends, front, 0, len(ends) - 1)
        last = bisect_left(ends, stop, first, len(ends) - 1)
        head = front - (ends[first - 1] if first else 0)
        tail = ends[last] - stop
        pieces = list(map(_piece, morphemes[first : last + 1]))
        if tail:
            text, tag = pieces[-1]
            pieces[-1] = text[:-tail], tag
        if head:
            text, tag = pieces[0]
            pieces[0] = text[head:], tag
        cut = CUT_WITHIN if head else CUT_AT_BORDER if front else NOT_CUT
        alignment = self._solved[form[front : len(form) - back], tuple(pieces), cut, tail > 0]
        if alignment is None or not (front or back):
            return alignment
        spans: list[Span] = []
        begin = 0
        for end in ends[:first]:
            spans.append((begin, end))
            begin = end
        spans += [(begin + front, end + front) for begin, end in alignment[0]]
        if head:
            spans[first] = (begin, spans[first][1])
        if tail:
            spans[last] = (spans[last][0], spans[last][1] + tail)
        shift = len(form) - ends[-1]
        for end in ends[last + 1 :]:
            spans.append((spans[-1][1], end + shift))
        return _alignment((tuple(spans), alignment[1], "", ()))

    def _solve(self, question: _Question, which: int) -> MorphemeAlignment | None:
        """Return the answer, by search; None where something would stay unexplained."""
        form, pieces, cut_front, cut_back = question
        symbols = self._symbols
        surface = [symbols[char] for char in form]
        source = BORDER.join(["".join([symbols[char] for char in text]) for text, _ in pieces])
        tags = [tag for _, tag in pieces]
        search = Search(self._table, source, "".join(surface), tags, cut_front, cut_back)
        if not search.reaches(which):
            return None
        steps = search.steps()
        if which != STRICT and search.confuses_symbols(steps):
            return None
        places = [i for i, group in enumerate(surface) for _ in group]
        return _read(steps, source, search.target, [*places, len(form)], form, pieces)


def _read(
    steps: Sequence[Step],
    source: str,
    target: str,
    places: Sequence[int],
    form: str,
    pieces: Sequence[_Piece],
) -> MorphemeAlignment:
    """Read an alignment off the steps of a search.

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
            for index in range(rewrite.before.count(BORDER) + 1):
                if index:
                    morpheme += 1
                    begins[morpheme] = j
                stop = j_end if shared else j + len(rewrite.after[index])
                seen[morpheme] += places[j:stop]
                j = j if shared else stop
        elif i == i_end:
            extra[places[j]] = None
        elif source[i] == BORDER:
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
    return _alignment((_spans(seen, begins, places), tuple(rules), reason, weak))


def _spans(
    seen: Sequence[Sequence[int]], begins: Sequence[int], places: Sequence[int]
) -> tuple[Span, ...]:
    """Return the spans, from the characters each morpheme was seen in and where it begins."""
    spans: list[Span] = []
    for number, chars in enumerate(seen):
        if chars:
            spans.append((chars[0], chars[-1] + 1))
        else:
            begin = begins[number]
            place = places[begin]
            within = begin > 0 and places[begin - 1] == place
            spans.append((place, place + within))
    spans[0] = (0, spans[0][1])
    for index in range(1, len(spans)):
        begin, end = spans[index - 1]
        spans[index - 1] = (begin, max(end, spans[index][0]))
    spans[-1] = (spans[-1][0], places[-1])
    return tuple(spans)


def _reason(missing: Sequence[tuple[str, str, bool]], chars: str) -> str:
    """Say what no rule explains.

    Args:
        missing: form and tag of the morphemes that the form lacks, and whether only in part.
        chars: the characters of the form that no morpheme explains.
    """
    if missing and chars:
        morphemes = "+".join([f"{form}/{tag}" for form, tag, _ in missing])
        return f"no rule makes {_short(chars)} of {_short(morphemes)}"
    if missing:
        lacks = ", ".join([f"{'a part of ' * part}{form}/{tag}" for form, tag, part in missing])
        return f"the form lacks {_short(lacks)}"
    return f"no morpheme explains {_short(chars)}" if chars else ""


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _with_empty(spans: Sequence[Span], is_overt: Sequence[bool], length: int) -> tuple[Span, ...]:
    """Return the spans of all morphemes: those that are `is_overt`, and empty ones between them."""
    following = iter([begin for begin, _ in spans])
    rest = iter(spans)
    placed: list[Span] = []
    end, ahead = 0, next(following, length)
    for overt in is_overt:
        if overt:
            placed.append(next(rest))
            end, ahead = placed[-1][1], next(following, length)
        else:
            # Between two that share a syllable it shares it as well.
            placed.append((min(end, ahead), end))
    if not spans and placed:
        placed[-1] = (0, length)
    return tuple(placed)
