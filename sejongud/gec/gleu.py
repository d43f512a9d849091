"""GLEU: the n-grams that a corrected text shares with the references (Napoles and others 2015).

The formula is that of 2016 ("GLEU without tuning"), which has no weight to be tuned: n-grams of the
source that no reference keeps are subtracted from the matches. Of several references one is drawn
for each sentence, 500 times, and the figure is the mean of the draws.
"""

from __future__ import annotations

from array import array
from collections import Counter
from math import exp, log
from random import Random
from typing import TYPE_CHECKING

from sejongud.evaluation.scores import Score
from sejongud.gec.scoring import TextMetric, target_of
from sejongud.layers.matching import STRICT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sejongud.evaluation.base import Evaluation
    from sejongud.evaluation.side import Side
    from sejongud.gec.boundaries import Aligned
    from sejongud.gec.scoring import By, Data
    from sejongud.layers.matching import Likeness

_LONGEST = 4
_WIDTH = 2 + 2 * _LONGEST
"""The lengths of hypothesis and reference, and matches and possible matches for each n."""
_DRAWS = 500
_DRAWS_OF_ROWS = 20
"""The first draws, of which rows by type are the mean: all for each type would fill the memory."""
_SEED = 101  # draw j has j times this seed, as in the published program


def statistics(
    source: Sequence[str], hypothesis: Sequence[str], reference: Sequence[str]
) -> array[int]:
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
        by: the rows beside that of all sentences; see `TextMetric`.
        align: whether sentences that were cut in other ways are aligned.
    """

    name = "gleu"
    title = "GLEU"

    def __init__(self, *, by: By | None = None, align: bool = True) -> None:
        super().__init__(by=by, align=align)
        self._set_annotators([0])

    def _set_annotators(self, annotators: Iterable[int]) -> None:
        self._annotators = sorted(annotators)
        draws = _DRAWS if len(self._annotators) > 1 else 1
        self.width = self.whole_width = _WIDTH * draws
        self.row_width = _WIDTH * min(draws, _DRAWS_OF_ROWS)
        self.settings = {
            **self.settings,
            "references": str(len(self._annotators)),
            "draws": str(draws),
        }

    def measure(
        self, gold: Side[Data], *systems: Side[Data], likeness: Likeness = STRICT
    ) -> list[Evaluation]:
        """Measure systems; see `Metric.measure`."""
        self._set_annotators({key for sentence in gold.data for key in sentence.edits} or [0])
        return super().measure(gold, *systems, likeness=likeness)

    def _score(self, name: str, totals: Sequence[float]) -> Score:
        draws = [totals[start : start + _WIDTH] for start in range(0, len(totals), _WIDTH)]
        mean = sum([gleu(draw) for draw in draws]) / len(draws)
        counts = {"tokens": int(totals[0])}
        return Score(name, counts, {"gleu": mean}, "gleu")

    def _counts(self, sentences: Iterable[Aligned]) -> Iterator[Sequence[float]]:
        """Yield the statistics of every draw, one behind the other."""
        draws = [Random(_SEED * draw) for draw in range(self.whole_width // _WIDTH)]
        last = len(self._annotators) - 1
        for sentence in sentences:
            source = sentence.reference.tokens
            system = target_of(sentence.hypothesis)
            of_references = [
                statistics(source, system, _reference(sentence, annotator))
                for annotator in self._annotators
            ]
            self._notes.append({"source": " ".join(source), "corrected": " ".join(system)})
            counts = array("q")
            for draw in draws:
                counts.extend(of_references[draw.randint(0, last) if last else 0])
            yield counts


def _reference(sentence: Aligned, annotator: int) -> Sequence[str]:
    """Return the words of an annotator's sentence; the source without an annotator."""
    reference = sentence.reference
    return target_of(reference, annotator) if annotator in reference.edits else reference.tokens
