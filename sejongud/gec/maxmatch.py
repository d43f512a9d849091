"""MaxMatch (M²): the edits of a corrected text that agree best with a reference.

Source: Dahlmeier and Ng 2012.

    source  The cat sat at mat .     system  A cat sat on the mat .
    lattice 0 1 The→A, 3 4 at→on, 4 4 →the, and edits that join neighbouring steps: 3 4 at→on the
    best    the path through the lattice with most edits of the reference

The steps are those of all cheapest ways from the source to the system, where a substitution costs
1, and where it costs 2. An edit is any run of steps with few unchanged words in it. The best path
is found from left to right in one go (`_best`), so the time grows with the lattice and not with the
number of runs, which explodes where phrases are repeated.

GLEU: the n-grams that a corrected text shares with the references (Napoles and others 2015).

The formula is that of 2016 ("GLEU without tuning"), which has no weight to be tuned: n-grams of the
source that no reference keeps are subtracted from the matches. Of several references one is drawn
for each sentence, 500 times, and the figure is the mean of the draws.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from itertools import chain
from math import exp, log
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sejongud.errors import UsageError
from sejongud.evaluation.scores import Score
from sejongud.gec.edits import NOTHING, Edit
from sejongud.gec.scoring import By, Side, TextMetric, checked_beta, score_of, shares, target_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sejongud.gec.boundaries import Aligned

ALTERNATIVES = "||"
"""The mark between alternative corrections of an edit; any of them is right."""

_CELLS = 250_000
"""The most nodes of a table; a longer sentence is cut."""
_PIECE = 50
"""The fewest words of a piece, on either side, of a sentence that is cut."""
_MARGIN = 4
"""The words that both sides have before a cut, and behind it."""

Words: TypeAlias = "Sequence[str]"

Node = tuple[int, int]
"""The numbers of words of the source and of the system that are done."""

Lattice = dict[Node, list[Node]]
"""Node → the nodes behind its steps; the nodes are in the order of their numbers."""


class SystemEdit(NamedTuple):
    """An edit of the system: a run of steps with a change in it."""

    start: int
    end: int
    correction: tuple[str, ...]


class LatticePiece(NamedTuple):
    """A piece of a sentence with its lattice."""

    start: int
    """The number of its first word of the source."""
    source: Words
    system: Words
    lattice: Lattice


class Matched(NamedTuple):
    """The edits of a system that agree best with those of an annotator."""

    correct: int
    """The number of the annotator's edits that the system has."""
    proposed: Sequence[SystemEdit]
    """The edits of the system."""
    gold: int
    """The number of the annotator's edits."""


class MaxMatch(TextMetric):
    """Counts the edits of a corrected text that are in the reference.

    Args:
        beta: how many times more recall counts than precision.
        max_unchanged: the most unchanged words inside an edit.
        by: the rows beside that of all sentences; None for none.
        align: whether sentences that were cut in other ways are aligned.

    Raises:
        UsageError: beta or the number of words is out of range.
    """

    name = "maxmatch"

    def __init__(
        self,
        *,
        beta: float = 0.5,
        max_unchanged: int = 2,
        by: By | None = None,
        align: bool = True,
    ) -> None:
        super().__init__(by=by, align=align)
        if max_unchanged < 0:
            raise UsageError(f"an edit has 0 or more unchanged words, not {max_unchanged}")
        self.beta = checked_beta(beta)
        self._max_unchanged = max_unchanged
        self.settings = {"beta": f"{beta:g}", "unchanged": str(max_unchanged)}

    def _score(self, name: str, totals: Sequence[float]) -> Score:
        correct, proposed, gold = map(int, totals)
        counts = {"correct": correct, "proposed": proposed, "gold": gold}
        return score_of(name, counts, shares(correct, proposed, gold, self.beta), self.beta)

    def _counts(self, sentences: Iterable[Aligned]) -> Iterator[tuple[Aligned, Sequence[float]]]:
        """Yield correct, proposed and gold edits of the annotator who fits best."""
        sums = [0, 0, 0]
        for sentence in sentences:
            source = sentence.reference.tokens
            system = target_of(sentence.hypothesis)
            annotators = sentence.reference.edits.values() or [()]
            judged = match_edits(source, system, annotators, self._max_unchanged)
            best = max(judged, key=lambda match: self._rank(match, sums))
            counts = [best.correct, len(best.proposed), best.gold]
            sums = [a + b for a, b in zip(sums, counts, strict=True)]
            proposed = [" ".join([str(e.start), str(e.end), *e.correction]) for e in best.proposed]
            texts = {"source": " ".join(source), "corrected": " ".join(system)}
            self._notes.append({**texts, "proposed": proposed})
            yield sentence, counts

    def _rank(self, match: Matched, sums: Sequence[int]) -> tuple[float, int, float]:
        """Return the key by which annotators are compared; the greatest is the best.

        F is one division of the counts, so that equal shares are equal numbers: F made of precision
        and recall is rounded four times, and annotators who tie would differ in the last bit.
        """
        weight = self.beta**2
        correct = sums[0] + match.correct
        size = sums[1] + len(match.proposed) + weight * (sums[2] + match.gold)
        f = (1 + weight) * correct / size if size else 1.0
        return f, correct, -size


def match_edits(
    source: Words, system: Words, annotators: Collection[Sequence[Edit]], max_unchanged: int = 2
) -> list[Matched]:
    """Return for each annotator the edits of a system that agree best with those of the annotator.

    Args:
        source: the words.
        system: the words of the corrected sentence.
        annotators: the edits of each; those beyond the sentence do not count.
        max_unchanged: the most unchanged words inside an edit.

    >>> from sejongud.gec.edits import Edit
    >>> gold = [Edit(3, 4, "on"), Edit(4, 4, "the||a")]
    >>> texts = "The cat sat at mat", "A cat sat on the mat"
    >>> [found] = match_edits(*map(str.split, texts), [gold])
    >>> found.correct, len(found.proposed), found.gold
    (2, 3, 2)
    """
    pieces = _pieces(source, system, chain(*annotators))
    return [_matched(pieces, edits, max_unchanged) for edits in annotators]


def _matched(pieces: Sequence[LatticePiece], edits: Iterable[Edit], max_unchanged: int) -> Matched:
    """Return the best edits of a sentence."""
    length = pieces[-1].start + len(pieces[-1].source)
    inside = [edit for edit in edits if 0 <= edit.start <= edit.end <= length]
    gold = sorted(inside, key=lambda edit: edit[:2])
    alternatives = [_alternatives(edit) for edit in gold]
    proposed = []
    for piece in pieces:
        start, end = piece.start, piece.start + len(piece.source)
        gold_inside = [
            (gold[k].start - start, gold[k].end - start, alternatives[k])
            for k in range(bisect_left(gold, (start,)), bisect_left(gold, (end + 1,)))
            if gold[k].end <= end
        ]
        arcs = _gold_arcs(piece, gold_inside, max_unchanged)
        proposed += [
            SystemEdit(i + start, i_end + start, tuple(piece.system[j:j_end]))
            for (i, j), (i_end, j_end) in _best(piece, arcs, max_unchanged)
        ]
    correct = first = 0
    for edit in proposed:
        # The edits of the annotator are met from left to right, each of them once.
        for k in range(first, bisect_left(gold, (edit.start, edit.end + 1))):
            if gold[k][:2] == edit[:2] and edit.correction in alternatives[k]:
                correct, first = correct + 1, k + 1
                break
    return Matched(correct, proposed, len(gold))


def _pieces(source: Words, system: Words, edits: Iterable[Edit]) -> Sequence[LatticePiece]:
    """Return the lattice of a sentence, or lattices of its pieces if it would be too large.

    A long sentence, such as a whole text that is one group, is cut in the middle of words that
    both sides have, outside of the edits of annotators. Where there are none it is cut anyway.
    """
    borders = [(0, 0)]
    if len(source) * len(system) > _CELLS:
        inside = {k for edit in edits for k in range(edit.start + 1, min(edit.end, len(source)))}
        places = [place for place in _common(source, system) if place[0] not in inside]
        for i, j in [*places, (len(source), len(system))]:
            i_last, j_last = borders[-1]
            parts = (i - i_last) * (j - j_last) // _CELLS
            for part in range(1, parts + 1):
                step = part / (parts + 1)
                cut = i_last + int((i - i_last) * step), j_last + int((j - j_last) * step)
                borders.append(cut)
            if max(i - i_last, j - j_last) >= _PIECE:
                borders.append((i, j))
    ends = [*borders[1:], (len(source), len(system))]
    pairs = zip(borders, ends, strict=True)
    cut_sides = [(i, source[i:i_end], system[j:j_end]) for (i, j), (i_end, j_end) in pairs]
    return [LatticePiece(i, ours, theirs, _lattice(ours, theirs)) for i, ours, theirs in cut_sides]


def _common(source: Words, system: Words) -> Iterator[tuple[int, int]]:
    """Yield the places in the middle of words that both sides have."""
    from rapidfuzz.distance import Levenshtein

    for opcode in Levenshtein.opcodes(source, system):
        if opcode.tag == "equal":
            for offset in range(_MARGIN, opcode.src_end - opcode.src_start - _MARGIN + 1):
                yield opcode.src_start + offset, opcode.dest_start + offset


def _alternatives(edit: Edit) -> list[tuple[str, ...]]:
    """Return the corrections of an edit, each in words."""
    texts = edit.correction.split(ALTERNATIVES)
    return [() if text.strip() == NOTHING else tuple(text.split()) for text in texts]


def _lattice(source: Words, system: Words) -> Lattice:
    """Return the steps of all cheapest ways, with a substitution at 1 and at 2."""
    steps: dict[Node, set[Node]] = {}
    for substitution in (1, 2):
        costs = _costs(source, system, substitution)
        end = len(source), len(system)
        waiting = [end]
        reached = {end}
        while waiting:
            i, j = node = waiting.pop()
            steps.setdefault(node, set())
            before = []
            if i and costs[i - 1][j] + 1 == costs[i][j]:
                before.append((i - 1, j))
            if j and costs[i][j - 1] + 1 == costs[i][j]:
                before.append((i, j - 1))
            if i and j:
                price = 0 if source[i - 1] == system[j - 1] else substitution
                if costs[i - 1][j - 1] + price == costs[i][j]:
                    before.append((i - 1, j - 1))
            for earlier in before:
                steps.setdefault(earlier, set()).add(node)
                if earlier not in reached:
                    reached.add(earlier)
                    waiting.append(earlier)
    return {node: sorted(steps[node]) for node in sorted(steps)}


def _costs(source: Words, system: Words, substitution: int) -> list[list[int]]:
    """Return the costs of the cheapest ways to all nodes."""
    last = list(range(len(system) + 1))
    costs = [last]
    for i, word in enumerate(source, 1):
        row = [i]
        for j, system_word in enumerate(system, 1):
            along = last[j - 1] + (0 if word == system_word else substitution)
            row.append(min(along, last[j] + 1, row[j - 1] + 1))
        costs.append(row)
        last = row
    return costs


def _is_unchanged(piece: LatticePiece, node: Node, after: Node) -> bool:
    """Return whether a move is the step of one unchanged word."""
    (i, j), (i_end, j_end) = node, after
    return (i_end - i, j_end - j) == (1, 1) and piece.source[i] == piece.system[j]


def _gold_arcs(
    piece: LatticePiece,
    gold: Iterable[tuple[int, int, Sequence[tuple[str, ...]]]],
    max_unchanged: int,
) -> Mapping[Node, set[Node]]:
    """Return the runs of steps that are edits of the annotator: node → the nodes at their ends.

    Args:
        piece: of the sentence.
        gold: the begin, the end and the corrections of each edit.
        max_unchanged: the most unchanged words inside an edit.
    """
    nodes = list(piece.lattice)
    arcs: dict[Node, set[Node]] = {}
    for start, end, alternatives in gold:
        row = nodes[bisect_left(nodes, (start, 0)) : bisect_left(nodes, (start + 1, 0))]
        for words in alternatives:
            if words == tuple(piece.source[start:end]):
                continue
            for node in row:
                after = end, node[1] + len(words)
                if (
                    after in piece.lattice
                    and tuple(piece.system[node[1] : after[1]]) == words
                    and _unchanged_between(piece, node, after) <= max_unchanged
                ):
                    arcs.setdefault(node, set()).add(after)
    return arcs


def _unchanged_between(piece: LatticePiece, node: Node, after: Node) -> float:
    """Return the fewest unchanged words on a way between two nodes; infinity without a way."""
    fewest: dict[Node, int] = {node: 0}
    for i in range(node[0], after[0] + 1):
        for j in range(node[1], after[1] + 1):
            so_far = fewest.get((i, j))
            if so_far is None:
                continue
            for step in piece.lattice[i, j]:
                if step[0] <= after[0] and step[1] <= after[1]:
                    seen = so_far + _is_unchanged(piece, (i, j), step)
                    fewest[step] = min(seen, fewest.get(step, seen))
    return fewest.get(after, float("inf"))


_CLOSED = 0
"""The state between edits; state 1 + n stands inside an edit with n unchanged words so far."""

Cost = tuple[int, int, int]
"""Edits of the annotator (negative), steps of all others, edits of all others."""


_Chosen = tuple[Any, Node, Node] | None
"""The edits of a way: those before the last, its begin and its end."""


def _best(
    piece: LatticePiece, arcs: Mapping[Node, set[Node]], max_unchanged: int
) -> list[tuple[Node, Node]]:
    """Return the edits of the best way: most of the annotator, then fewest steps, fewest edits."""
    ways: dict[Node, dict[int, tuple[Cost, Node, _Chosen]]]
    ways = {(0, 0): {_CLOSED: ((0, 0, 0), (0, 0), None)}}
    """Node → its states → the cost of the cheapest way, the begin of its open edit, the others."""

    def reach(node: Node, state: int, cost: Cost, start: Node, edits: _Chosen) -> None:
        states = ways.setdefault(node, {})
        if state not in states or cost < states[state][0]:
            states[state] = cost, start, edits

    for node, steps in piece.lattice.items():
        for state, (cost, start, edits) in sorted(ways[node].items()):
            if state != _CLOSED:
                reach(node, _CLOSED, cost, node, (edits, start, node))
        for state, ((gold, length, count), start, edits) in sorted(ways[node].items()):
            outside = state == _CLOSED
            for after in sorted(arcs.get(node, ())) if outside else ():
                reach(after, _CLOSED, (gold - 1, length, count), after, (edits, node, after))
            for after in steps:
                keeps = _is_unchanged(piece, node, after)
                if keeps and outside:
                    reach(after, _CLOSED, (gold, length + 1, count), after, edits)
                inside = max(state, 1) + keeps
                if inside <= max_unchanged + 1:
                    cost = gold, length + 1, count + outside
                    reach(after, inside, cost, node if outside else start, edits)
    chosen: list[tuple[Node, Node]] = []
    left = ways[len(piece.source), len(piece.system)][_CLOSED][2]
    while left:
        left, begin, end = left
        chosen.append((begin, end))
    return chosen[::-1]


# --- GLEU -----------------------------------------------------------------------------------------

_LONGEST = 4
_WIDTH = 2 + 2 * _LONGEST
"""The lengths of hypothesis and reference, and matches and possible matches for each n."""
_DRAWS = 500
_DRAWS_OF_ROWS = 20
"""The first draws, of which rows by type are the mean: all for each type would fill the memory."""
_SEED = 101  # draw j has j times this seed, as in the published program


def statistics(source: Words, hypothesis: Words, reference: Words) -> array[int]:
    """Return the statistics of a sentence; sums of them are the statistics of a text.

    Args:
        source: the words.
        hypothesis: the words of the system.
        reference: the words of the corrected sentence.

    >>> statistics("a b".split(), "a c".split(), "a c".split()).tolist()
    [2, 2, 2, 2, 1, 1, 0, 0, 0, 0]
    """
    sums = array("q", [len(hypothesis), len(reference)])
    for n in range(1, _LONGEST + 1):
        ours, theirs, before = (_ngrams(side, n) for side in (hypothesis, reference, source))
        matched = sum((ours & theirs).values())
        wrong = sum(min(ours[gram], times) for gram, times in before.items() if gram not in theirs)
        sums.extend([max(matched - wrong, 0), max(len(hypothesis) + 1 - n, 0)])
    return sums


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter([tuple(words[i : i + n]) for i in range(len(words) + 1 - n)])


def gleu(sums: Sequence[float]) -> float:
    """Return GLEU, a number from 0 to 1; 0 if any of the sums is 0.

    Args:
        sums: the statistics of a sentence or a text, as `statistics` returns them.

    >>> gleu(statistics("a b c d".split(), "a b c e".split(), "a b c e".split()))
    1.0
    """
    if not all(sums):
        return 0.0
    length, reference = sums[:2]
    shares = [log(sums[i] / sums[i + 1]) for i in range(2, _WIDTH, 2)]
    return exp(min(0.0, 1 - reference / length) + sum(shares) / _LONGEST)


class Gleu(TextMetric):
    """Measures corrected texts against one or more references.

    The annotators of the reference file are the references; an annotator who is lacking in a
    sentence changed nothing there.

    Args:
        by: the rows beside that of all sentences; None for none.
        align: whether sentences that were cut in other ways are aligned.
    """

    name = "gleu"
    title = "GLEU"
    settings = {"references": "1", "draws": "1"}  # noqa: RUF012

    def _prepared(self, sides: list[Side]) -> list[Side]:
        annotators = {annotator for sentence in sides[0].data for annotator in sentence.edits}
        self._annotators = sorted(annotators) or [0]
        draws = _DRAWS if len(self._annotators) > 1 else 1
        self.whole_width = _WIDTH * draws
        self.row_width = _WIDTH * min(draws, _DRAWS_OF_ROWS)
        references = str(len(self._annotators))
        self.settings = {**self.settings, "references": references, "draws": str(draws)}
        return super()._prepared(sides)

    def _score(self, name: str, totals: Sequence[float]) -> Score:
        draws = [totals[start : start + _WIDTH] for start in range(0, len(totals), _WIDTH)]
        mean = sum([gleu(draw) for draw in draws]) / len(draws)
        counts = {"tokens": int(totals[0])}
        return Score(name, counts, {"gleu": mean}, "gleu")

    def _counts(self, sentences: Iterable[Aligned]) -> Iterator[tuple[Aligned, Sequence[float]]]:
        """Yield the statistics of every draw, one behind the other."""
        draws = [Random(_SEED * draw) for draw in range(self.whole_width // _WIDTH)]
        last = len(self._annotators) - 1
        for sentence in sentences:
            reference, system = sentence.reference, target_of(sentence.hypothesis)
            source = reference.tokens
            targets = [target_of(reference, by) for by in reference.edits]
            made = dict(zip(reference.edits, targets, strict=True))
            # An annotator who is lacking in a sentence changed nothing there.
            of_references = [
                statistics(source, system, made.get(by, source)) for by in self._annotators
            ]
            self._notes.append({"source": " ".join(source), "corrected": " ".join(system)})
            counts = array("q")
            for draw in draws:
                counts.extend(of_references[draw.randint(0, last) if last else 0])
            yield sentence, counts
