"""Align the tokens of a source with those of its target: restricted Damerau-Levenshtein.

    source   나는  학교를  에  갓다
    target   나는  학교에  갔다  .        M 나는, S 학교를 → 학교에, D 에, S 갓다 → 갔다, I .

Equal tokens match, at no cost, and a cell of equal tokens has no other operation. A deletion and
an insertion cost 1, a transposition of k + 1 tokens costs k, and a substitution costs the more the
less its two tokens are alike. An `TokenAligner` says how a substitution is judged and which of the
cheapest paths is taken; ALIGNERS has those of the schemes `kagas` (KAGAS, Yoon et al. 2023) and
`errant` (ERRANT, Bryant et al. 2017), and that of characters. Both published programs are met to
the operation if they get the same analyses. The time is that of the table of cells, n × m. A pair
with more than CELLS of them is cut at tokens that both sides have, and aligned block by block, so
that the time of a long line grows with its length.
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import lru_cache, partial
from itertools import accumulate, pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sejongud.gec.edits import SPACE, AnalysedToken
from sejongud.gec.korean import substitution_cost
from sejongud.layers.matching import align_words
from sejongud.layers.subsequence import longest_rising
from sejongud.rules import Rules, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


CELLS = 300_000
"""The greatest table of one alignment, in cells: two sentences of some 550 tokens."""

_BLOCK = 200
"""The tokens of a block on the longer side, where a longer pair is cut."""


class Operation(NamedTuple):
    """A step of an alignment, or neighbouring steps merged into one change.

    >>> Operation("S", 1, 2, 1, 2).kind
    'S'
    """

    kind: str
    """M match, D deletion, I insertion, S substitution, T transposition; WS change of spaces."""
    start: int
    end: int
    """The place behind the last token of the source."""
    c_start: int
    """The first token of the target."""
    c_end: int


_REACH = 200
"""The tokens of a transposition that is found in any sentence; a longer one may be missed."""

_Tokens: TypeAlias = "Sequence[AnalysedToken]"
_Row: TypeAlias = "Sequence[float]"
_MATCH, _DELETE, _INSERT, _SUBSTITUTE, _TRANSPOSE = range(5)
_KINDS = "MDIST"


class TokenAligner(NamedTuple):
    """The settings of an alignment: costs of substitutions, and the choice among cheapest paths."""

    rows: Callable[[_Tokens, _Tokens], Iterator[_Row]]
    """(source, target) → for each token of the source its substitution by each of the target."""
    ranks: tuple[int, int, int, int, int]
    """The rank of M, D, I, S and T; of equally good operations the one of lowest rank is taken."""
    fewest: bool = False
    """Whether the path with the fewest operations is taken, before the ranks are asked."""
    rising: bool = False
    """Whether the costs must rise along a transposition; else it is enough that they change."""
    transpositions: bool = True

    def plain(self) -> TokenAligner:
        """Return the aligner of Levenshtein: a substitution costs 1, and nothing is transposed."""
        return self._replace(rows=_ones, transpositions=False)


def align(source: _Tokens, target: _Tokens, aligner: TokenAligner) -> list[Operation]:
    """Align two sequences of tokens.

    Args:
        source: the tokens of the source with their analyses.
        target: the tokens of the target.
        aligner: one of ALIGNERS, or its `plain` form.

    Returns:
        The operations in order, matches included; together they cover both sides.

    >>> from sejongud.gec.edits import AnalysedToken
    >>> source, target = ([AnalysedToken(form) for form in text.split()]
    ...                   for text in ("B a cat", "a B cats"))
    >>> for operation in align(source, target, ALIGNERS["errant"]): print(operation)
    Operation(kind='T', start=0, end=2, c_start=0, c_end=2)
    Operation(kind='S', start=2, end=3, c_start=2, c_end=3)
    """
    if not is_long(source, target):
        return _align(source, target, aligner)
    operations: list[Operation] = []
    for (i, j), (i_end, j_end) in pairwise(_cuts(source, target)):
        operations += [
            Operation(kind, start + i, end + i, c_start + j, c_end + j)
            for kind, start, end, c_start, c_end in _align(
                source[i:i_end], target[j:j_end], aligner
            )
        ]
    return operations


def is_long(source: _Tokens, target: _Tokens) -> bool:
    """Return whether a pair has more than CELLS cells, so that it is aligned in blocks."""
    return len(source) * len(target) > CELLS


def _cuts(source: _Tokens, target: _Tokens) -> Iterator[tuple[int, int]]:
    """Yield the borders of the blocks of a long pair: (place in the source, in the target).

    A border stands behind a token that both sides have. Where there is none for long, the stretch
    is cut into equal pieces, as many on either side.
    """
    i = j = 0
    yield i, j
    for i_end, j_end in _common(source, target):
        if (longer := max(i_end - i, j_end - j)) >= _BLOCK // 2:
            pieces = -(-longer // _BLOCK)
            for piece in range(1, pieces + 1):
                yield i + (i_end - i) * piece // pieces, j + (j_end - j) * piece // pieces
            i, j = i_end, j_end
    if (i, j) != (len(source), len(target)):
        yield len(source), len(target)


def _common(source: _Tokens, target: _Tokens) -> Iterator[tuple[int, int]]:
    """Yield the places behind tokens that both sides have, in order, and the end of both.

    They are the tokens that occur once on either side, or begin three that occur once, as many as
    stand in the same order on both. Where these lie far apart, the word aligner finds others.
    """
    ours, theirs = [token.form for token in source], [token.form for token in target]
    common = sorted({*_unique(ours, theirs, 1), *_unique(ours, theirs, 3)})
    i = j = 0
    for i_end, j_end in [*longest_rising(common), (len(ours), len(theirs))]:
        if max(i_end - i, j_end - j) > _BLOCK:
            groups = align_words(ours[i:i_end], theirs[j:j_end])
            yield from ((i + gold.stop, j + system.stop) for gold, system, match in groups if match)
        i, j = min(i_end + 1, len(ours)), min(j_end + 1, len(theirs))
        yield i, j


def _unique(ours: list[str], theirs: list[str], size: int) -> Iterator[tuple[int, int]]:
    """Yield the places of so many neighbouring tokens that occur once on either side.

    >>> list(_unique(["가", "나", "가", "다"], ["다", "나", "가"], 1))
    [(1, 1), (3, 0)]
    """
    pieces, other_pieces = (
        list(zip(*(forms[k:] for k in range(size)), strict=False)) for forms in (ours, theirs)
    )
    counts, other_counts = Counter(pieces), Counter(other_pieces)
    places = {piece: i for i, piece in enumerate(other_pieces) if other_counts[piece] == 1}
    for i, piece in enumerate(pieces):
        if counts[piece] == 1 and piece in places:
            yield i, places[piece]


def _align(source: _Tokens, target: _Tokens, aligner: TokenAligner) -> list[Operation]:
    """Align a pair through one table."""
    forms, target_forms = [token.form for token in source], [token.form for token in target]
    n, m = len(forms), len(target_forms)
    while n and m and forms[n - 1] == target_forms[m - 1]:  # a common end matches on every path
        n, m = n - 1, m - 1
    tail = [Operation("M", n + k, n + k + 1, m + k, m + k + 1) for k in range(len(forms) - n)]
    rows = aligner.rows(source[:n], target[:m])
    return [*_cheapest(forms[:n], target_forms[:m], rows, aligner)[0], *tail]


def _cheapest(
    source: Sequence[str], target: Sequence[str], rows: Iterable[_Row], aligner: TokenAligner
) -> tuple[list[Operation], float]:
    """Return the cheapest operations that make a sequence of another one, and their cost.

    `best` is the number of operations on the way to a cell, in units of `weight`, and the rank of
    the cell's own operation; among equally cheap operations the least `best` is taken.

    A transposition ends in a cell if the stretches of both sides from an earlier cell of its
    diagonal are the same multiset. `sums` are the hash values in front of a place, summed up, and
    the stretches are the same if the sums of source and target differ by as much in both cells.
    `seen` has the last row with each difference, and forgets rows that are _REACH away. (Cells of
    other diagonals differ by other sums, since their stretches have other lengths; that two sums
    are equal by chance has the odds of 64 bits.)
    """
    ranks, weight = aligner.ranks, _WEIGHT if aligner.fewest else 0
    low, other_low = [form.lower() for form in source], [form.lower() for form in target]
    sums = list(accumulate(map(hash, low), initial=0))
    other_sums = list(accumulate(map(hash, other_low), initial=0))
    own_set, other_set = frozenset(low), frozenset(other_low)
    movable = [form in own_set for form in other_low]
    seen: dict[int, int] = {}
    barriers = [0] * (len(source) + len(target))  # diagonal → the row behind its last match
    lengths: dict[tuple[int, int], int] = {}
    costs = [array("d", range(len(target) + 1))]
    counts = [array("q", [weight * j for j in range(len(target) + 1)])]
    lines: list[bytearray] = []
    for i, (form, row) in enumerate(zip(source, rows, strict=True)):
        if i % _REACH == 0:
            seen = {difference: index for difference, index in seen.items() if index >= i - _REACH}
        above, above_counts = costs[-1], counts[-1]
        cost, best = i + 1.0, weight * (i + 1)
        new, new_counts = [cost], [best]
        line = bytearray(len(target))
        moves = aligner.transpositions and low[i] in other_set
        for j, other_form in enumerate(target):
            corner = above[j]
            if form == other_form:
                cost, best = corner, above_counts[j]
                barriers[i - j] = i + 1
            else:
                step, order = cost + 1, best + ranks[_INSERT]
                cost, kind = corner + row[j], _SUBSTITUTE
                best = above_counts[j] + ranks[_SUBSTITUTE]
                if step < cost or (step == cost and order < best):
                    cost, best, kind = step, order, _INSERT
                step, order = above[j + 1] + 1, above_counts[j + 1] + ranks[_DELETE]
                if step < cost or (step == cost and order < best):
                    cost, best, kind = step, order, _DELETE
                if moves and movable[j]:
                    start = seen.get(sums[i + 1] - other_sums[j + 1], -1)
                    if start >= barriers[i - j]:
                        step = costs[start][j - i + start] + (i - start)
                        order = counts[start][j - i + start] + ranks[_TRANSPOSE]
                        if step < cost or (step == cost and order < best):
                            cost, best, kind = step, order, _TRANSPOSE
                            lengths[i + 1, j + 1] = i - start + 1
                    seen[sums[i] - other_sums[j]] = i
                line[j] = kind
                if cost <= corner and (aligner.rising or cost == corner):
                    barriers[i - j] = i + 1
            best = best // _WEIGHT * _WEIGHT + weight
            new.append(cost)
            new_counts.append(best)
        costs.append(array("d", new))
        counts.append(array("q", new_counts))
        lines.append(line)
    return _walked_back(lines, lengths, len(source), len(target)), costs[-1][-1]


def _walked_back(
    lines: Sequence[bytearray], lengths: Mapping[tuple[int, int], int], n: int, m: int
) -> list[Operation]:
    """Return the operations from the start to the cell (n, m).

    Args:
        lines: the operation of every cell.
        lengths: cell → the tokens of the transposition that ends there.
        n: the tokens of the source.
        m: those of the target.
    """
    operations: list[Operation] = []
    while n or m:
        kind = lines[n - 1][m - 1] if n and m else _DELETE if n else _INSERT
        length = lengths[n, m] if kind == _TRANSPOSE else 1
        start = n if kind == _INSERT else n - length
        c_start = m if kind == _DELETE else m - length
        operations.append(Operation(_KINDS[kind], start, n, c_start, m))
        n, m = start, c_start
    return operations[::-1]


def _ones(source: _Tokens, target: _Tokens) -> Iterator[_Row]:
    """Yield substitutions that all cost 1."""
    return repeat([1.0] * len(target), len(source))


def _errant_rows(source: _Tokens, target: _Tokens, rules: Rules | None = None) -> Iterator[_Row]:
    """Yield the costs of ERRANT: of the lemma, the part of speech and the characters."""
    from rapidfuzz.distance import Indel

    distance = Indel.distance
    open_class = upos_class("open", rules)
    targets = [(t.form, t.form.lower(), t.lemma, t.upos, len(t.form)) for t in target]
    for token in source:
        form, lemma, upos = token.form, token.lemma, token.upos
        low, length = form.lower(), len(form)
        unlike = {tag: 0.25 if tag in open_class else 0.5 for tag in {t.upos for t in target}}
        if upos not in open_class:
            unlike = dict.fromkeys(unlike, 0.5)
        unlike[upos] = 0.0
        yield [
            0.0
            if low == other_low
            else ((0.0 if lemma == other_lemma else 0.499) + unlike[other_upos])
            + distance(form, target_form) / (length + other_length)
            for target_form, other_low, other_lemma, other_upos, other_length in targets
        ]


def _kagas_rows(source: _Tokens, target: _Tokens) -> Iterator[_Row]:
    """Yield the costs of KAGAS: of the lemma and its kind, the morphemes and the syllables."""
    targets = [(t.form, t.lemma, t.kind, _tagged(t)) for t in target]
    for token in source:
        form, lemma, kind, morphemes = token.form, token.lemma, token.kind, _tagged(token)
        yield [
            (
                (0.499 if not lemma or lemma != other_lemma else 0.0 if kind == other_kind else 0.1)
                + (0.0 if morphemes == theirs else 0.5 if morphemes.isdisjoint(theirs) else 0.1)
            )
            + _syllable_cost(form, target_form)
            for target_form, other_lemma, other_kind, theirs in targets
        ]


_LONGEST = 100_000
"""The most pairs of syllables that are compared one by one."""


def _tagged(token: AnalysedToken) -> frozenset[tuple[str, str]]:
    """Return the morphemes of a token as a set of (form, tag)."""
    return frozenset([(morpheme.form, morpheme.tag) for morpheme in token.morphemes])


@lru_cache(maxsize=1 << 16)
def _syllable_cost(form: str, corrected: str) -> float:
    """Return the edit distance of two eojeols in steps, divided by the number of steps."""
    if len(form) * len(corrected) > _LONGEST:
        # No eojeols; steps that swap syllables are counted as two.
        from rapidfuzz.distance import Levenshtein

        return Levenshtein.normalized_distance(form, corrected)
    if set(form.lower()).isdisjoint(corrected.lower()):
        return 1.0
    rows = repeat([1.0] * len(corrected), len(form))
    operations, cost = _cheapest(form, corrected, rows, _SYLLABLES)
    return cost / len(operations)


def _char_rows(source: _Tokens, target: _Tokens) -> Iterator[_Row]:
    """Yield the costs of characters: the share of jamo that differ; 1.5 against a space."""
    return ([_char_cost(one.form, other.form) for other in target] for one in source)


@lru_cache(maxsize=1 << 16)
def _char_cost(char: str, corrected: str) -> float:
    """Return the cost of one character for another."""
    if char.lower() == corrected.lower():
        return 0.0
    return 1.5 if SPACE in (char, corrected) else substitution_cost(char, corrected)


@lru_cache(maxsize=32)
def upos_class(name: str, rules: Rules | None = None) -> frozenset[str]:
    """Return the parts of speech of a class of gec-upos.tsv.

    Args:
        name: of the class.
        rules: the tables; None for the package's own.
    """
    rows = (rules or load()).table("gec-upos")
    return frozenset([row["tag"] for row in rows if row["class"] == name])


_WEIGHT = 8
"""More than any rank."""

_SYLLABLES = TokenAligner(_ones, (0, 4, 3, 2, 1), rising=True)

ALIGNERS: Mapping[str, TokenAligner] = {
    "kagas": TokenAligner(_kagas_rows, (0, 1, 2, 3, 4), fewest=True, rising=True),
    "errant": TokenAligner(_errant_rows, (0, 4, 3, 2, 1)),
    "char": TokenAligner(_char_rows, (0, 4, 3, 2, 1)),
}
"""The aligner of each scheme, and of characters in any scheme."""


def aligner_of(name: str, rules: Rules) -> TokenAligner:
    """Return the aligner of ALIGNERS that asks these tables for the classes of UPOS."""
    if name != "errant":
        return ALIGNERS[name]
    return ALIGNERS[name]._replace(rows=partial(_errant_rows, rules=rules))
