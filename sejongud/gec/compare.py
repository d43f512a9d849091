"""Compare the edits of a hypothesis with those of a reference, as ERRANT does.

Source: Bryant, Felice and Briscoe 2017, and the program `errant_compare` 3.0.2, whose table
`format_errant` prints; the strategies `average` and `weighted` are those of jp-errant (memoir,
Section 5.3).
"""

from __future__ import annotations

from itertools import product
from math import exp
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sejongud.evaluation.scores import Measured, Score
from sejongud.formats.m2 import in_file_order
from sejongud.gec.edits import Corrections, Edit, in_long, labels
from sejongud.gec.scoring import (
    UNKNOWN,
    By,
    CorrectionMetric,
    Rows,
    Side,
    checked_beta,
    edit_text,
    f_name,
    row_name,
    score_of,
    shares,
)
from sejongud.layers.subsequence import STRICT, Likeness

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from sejongud.gec.boundaries import Aligned

What = Literal["correction-span", "correction-type", "detection-span", "detection-token"]
"""The properties that two edits must share: their places and corrections, their types as well,
their places only, or single tokens."""

Strategy = Literal["best", "average", "weighted"]
"""The count of several annotators: of the best, their mean, or a mean weighted by F."""

Average = Literal["micro", "macro"]
"""Whether the mean of the types is added to the figures of all edits."""

_LONG = 2  # the fewest tokens of an edit of several tokens
_SHARPNESS = 10  # of the weights, by jp-errant
_PLACES = 4  # to which ERRANT rounds
_TITLES = {
    "correction-span": " Span-Based Correction ",
    "correction-type": " Span-Based Correction + Classification ",
    "detection-span": " Span-Based Detection ",
    "detection-token": " Token-Based Detection ",
}

Keys = dict["Hashable", list["Edit"]]
"""The compared properties → the edits that have them."""


class EditOutcome(NamedTuple):
    """The edits of a sentence: found, spurious, missed."""

    found: Sequence[Edit]
    """Edits of the reference that the hypothesis has: true positives."""
    spurious: Sequence[Edit]
    """Edits of the hypothesis that the reference has not: false positives."""
    missed: Sequence[Edit]
    """Edits of the reference that the hypothesis has not: false negatives."""
    shared: Sequence[Edit]
    """Edits of the hypothesis that the reference has: those found, as the hypothesis has them."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The numbers of true positives, false positives and false negatives."""
        return len(self.found), len(self.spurious), len(self.missed)


Judged = list[tuple[float, EditOutcome]]
"""The outcomes that count for a sentence, each behind its weight."""


class Compare(CorrectionMetric):
    """Counts the edits that a hypothesis has right.

    Args:
        what: what two edits must have in common.
        beta: how many times more recall counts than precision.
        single: compare only edits with fewer than two tokens on either side.
        multi: compare only edits with two or more tokens on one side.
        without: the types that are left out.
        by: the rows beside that of all edits; None for none.
        strategy: how several annotators count.
        average: "macro" adds the mean of the rows `by`, or of the types.
        errant: whether rows are named as ERRANT names them: by the first character of the type, or
            without the first two. Else short labels of Korean types count as the long ones, and
            a deletion is one whether the file has `-NONE-` or nothing for it.
        align: whether sentences that were cut in other ways are aligned.

    Raises:
        UsageError: beta is no number from 0 to a million.
    """

    name = "errant"

    def __init__(
        self,
        *,
        what: What = "correction-span",
        beta: float = 0.5,
        single: bool = False,
        multi: bool = False,
        without: Collection[str] = (),
        by: By | None = None,
        strategy: Strategy = "best",
        average: Average = "micro",
        errant: bool = False,
        align: bool = True,
    ) -> None:
        super().__init__(by=by, align=align)
        self.what = what
        self.beta = checked_beta(beta)
        self._single, self._multi = single, multi
        self._without = frozenset(without)
        if not errant:
            short = {name: label for label, name in labels().items()}
            self._without |= {short.get(name, name) for name in without}
        self._strategy = strategy
        self._macro = average == "macro"
        self._errant = errant
        self._rows: By | None = by or ("type" if self._macro else None)
        flags = {"single": single, "multi": multi}
        self.settings = {
            "what": what,
            "beta": f"{beta:g}",
            "strategy": strategy,
            **({"average": average} if self._macro else {}),
            **{name: "yes" for name, flag in flags.items() if flag},
            **({"without": "+".join(sorted(set(without)))} if self._without else {}),
        }

    def _prepared(self, sides: list[Side]) -> list[Side]:
        return list(map(self._read_long, sides))

    def _read_long(self, side: Side) -> Side:
        """Return a side whose Korean types have long labels; ERRANT takes all types as they are."""
        return side if self._errant else side._replace(data=list(in_long(side.data)))

    def scores(self, totals: Sequence[float]) -> list[Score]:
        """Return all edits, the macro average, and each row; see `Metric.scores`."""
        overall, *rows = super().scores(totals)
        scores = [overall]
        if self._macro:
            counted = [row.ratios for row in rows if any(row.counts.values())]
            means = {
                name: sum([ratios[name] for ratios in counted]) / len(counted) if counted else 1.0
                for name in overall.ratios
            }
            scores.append(Score("Macro average", {}, means, f_name(self.beta)))
        return [*scores, *(rows if self.by else ())]

    def _score(self, name: str, totals: Sequence[float]) -> Score:
        tp, fp, fn = totals
        counts = dict(zip(("tp", "fp", "fn"), map(_number, totals), strict=True))
        return score_of(name, counts, shares(tp, tp + fp, tp + fn, self.beta), self.beta)

    def _statistics(self, sentences: Iterable[Aligned]) -> Iterator[Rows]:
        """Yield true positives, false positives and false negatives of all edits and each row."""
        for sentence, judged in self._judgements(sentences):
            rows: dict[str | None, list[float]] = {None: [0.0, 0.0, 0.0]}
            for weight, outcome in judged:
                for kind, edits in enumerate(outcome[:3]):
                    rows[None][kind] += weight * len(edits)
                    for edit in edits if self._rows else ():
                        rows.setdefault(self._label(edit), [0.0, 0.0, 0.0])[kind] += weight
            self._notes.append(_note(sentence.reference.tokens, _heaviest(judged)))
            yield {**rows}

    def verdicts(
        self, gold: Side, system: Side, likeness: Likeness = STRICT
    ) -> Iterator[tuple[Aligned, EditOutcome]]:
        """Yield each sentence with its edits found, spurious and missed, for a page of them.

        Args:
            gold: the reference.
            system: the hypothesis.
            likeness: which words and sentences count as the same where the texts differ.
        """
        sides = self._align(self._read_long(gold), self._read_long(system), likeness)
        for sentence, judged in self._judgements(self._aligned(sides)):
            yield sentence, _heaviest(judged)

    def _judgements(self, sentences: Iterable[Aligned]) -> Iterator[tuple[Aligned, Judged]]:
        """Yield each sentence with the outcomes that count, and the weight of each."""
        sums: Sequence[float] = (0, 0, 0)
        for sentence in sentences:
            judged = self._judged(sentence, sums)
            yield sentence, judged
            for weight, outcome in judged:
                sums = [a + weight * b for a, b in zip(sums, outcome.sizes, strict=True)]

    def _judged(self, sentence: Aligned, sums: Sequence[float]) -> Judged:
        """Return the outcomes that count for a sentence, and the weight of each.

        Args:
            sentence: the sentence.
            sums: the counts of all sentences before.
        """
        hypotheses = [self._keys(edits) for edits in _annotators(sentence.hypothesis)]
        references = [self._keys(edits) for edits in _annotators(sentence.reference)]
        outcomes = [_outcome(ours, theirs) for theirs in hypotheses for ours in references]
        sizes = [outcome.sizes for outcome in outcomes]
        scores = [self._shares([a + b for a, b in zip(own, sums, strict=True)])[2] for own in sizes]
        ranks = [(f, tp, -fp, -fn) for f, (tp, fp, fn) in zip(scores, sizes, strict=True)]
        best = ranks.index(max(ranks))
        if self._strategy == "best" or scores[best] >= 1:
            return [(1, outcomes[best])]
        if self._strategy == "average":
            return [(1 / len(outcomes), outcome) for outcome in outcomes]
        powers = [exp(_SHARPNESS * f) for f in scores]
        return [(p / sum(powers), outcome) for p, outcome in zip(powers, outcomes, strict=True)]

    def traced(self, gold: Side, system: Side, likeness: Likeness = STRICT) -> Iterator[str]:
        """Yield the lines about each sentence that `errant_compare -v` prints."""
        rule = "-" * 40
        sums: Sequence[int] = (0, 0, 0)
        for number, sentence in enumerate(self._aligned(self._align(gold, system, likeness))):
            yield f"{rule}\nOriginal sentence {number}: {' '.join(sentence.reference.tokens)}\n"
            sides = [
                {by: self._keys(edits) for by, edits in (in_file_order(one) or {0: []}).items()}
                for one in (sentence.hypothesis, sentence.reference)
            ]
            ranks: list[Any] = []
            for (hyp, theirs), (ref, ours) in product(*[side.items() for side in sides]):
                tp, fp, fn = sizes = _outcome(ours, theirs).sizes
                now = [a + b for a, b in zip(sizes, sums, strict=True)]
                ranks.append(((self._shares(now)[2], tp, -fp, -fn), -len(ranks), hyp, ref, sizes))
                beta = float(self.beta)
                yield f"{rule}\nSENTENCE {number} - HYP {hyp} - REF {ref}\n"
                yield f"HYPOTHESIS EDITS : {self._shown(theirs)}\n"
                yield f"REFERENCE EDITS  : {self._shown(ours)}\n"
                for name, counts in (("Local", sizes), ("Global", now)):
                    yield f"{name + ' TP/FP/FN':<17}: {' '.join(map(str, counts))}\n"
                    figures = " ".join(map(str, self._shares(counts)))
                    yield f"{name} P/R/F{beta}  : {figures}\n"
            _, _, hyp, ref, sizes = max(ranks)
            sums = [a + b for a, b in zip(sizes, sums, strict=True)]
            yield f"{rule}\n^^ HYP {hyp}, REF {ref} chosen for sentence {number}\nLocal results:\n"
            yield from _counted(sides[1][ref], sides[0][hyp])

    def _shares(self, counts: Sequence[float]) -> list[float]:
        """Return precision, recall and F, rounded as ERRANT rounds them."""
        tp, fp, fn = counts
        return [round(share, _PLACES) for share in shares(tp, tp + fp, tp + fn, self.beta)]

    def _shown(self, keys: Keys) -> list[tuple[object, ...]]:
        """Return the compared properties of edits with the type of each, as ERRANT prints them."""
        rows: list[tuple[Any, ...]] = []
        for key, edits in keys.items():
            whole: Any = (key, key + 1) if isinstance(key, int) else key
            if self.what == "correction-type":
                start, end, correction, kind = whole
                whole = start, end, kind, correction
            rows.append((whole, edits[0].type))
        return [(*whole, kind) for whole, kind in sorted(rows, key=itemgetter(0))]

    def _keys(self, edits: Iterable[Edit]) -> Keys:
        """Return the compared properties of the edits of an annotator."""
        keys: Keys = {}
        for edit in edits:
            if self._counts(edit):
                for key in self._keys_of(edit):
                    keys.setdefault(key, []).append(edit)
        return keys

    def _counts(self, edit: Edit) -> bool:
        """Return whether an edit is compared at all."""
        if edit.type in self._without:
            return False
        if edit.type == UNKNOWN and self.what.startswith("correction"):
            return False
        is_long = max(edit.end - edit.start, len(edit.correction.split())) >= _LONG
        return not (is_long and self._single) and (is_long or not self._multi)

    def _keys_of(self, edit: Edit) -> Sequence[Hashable]:
        """Return the compared properties of an edit."""
        start, end, correction = edit[:3]
        if not self._errant:  # ERRANT compares the letters, also of -NONE- and blanks.
            correction = " ".join(edit.words)
        if self.what == "correction-span":
            return [(start, end, correction)]
        if self.what == "correction-type":
            return [(start, end, correction, edit.type)]
        if self.what == "detection-span":
            return [(start, end)]
        # An insertion counts for the token to its right.
        return range(start, max(end, start + 1))

    def _label(self, edit: Edit) -> str:
        """Return the row of an edit."""
        kind = edit.type
        if self._errant and self._rows != "type" and kind != UNKNOWN:
            return kind[:1] if self._rows == "operation" else kind[2:]
        return row_name(edit, self._rows or "type")


def _heaviest(judged: Judged) -> EditOutcome:
    """Return the outcome that counts most."""
    return max(judged, key=itemgetter(0))[1]


def _annotators(corrections: Corrections) -> Iterable[Sequence[Edit]]:
    """Return the edits of each annotator; a sentence without annotators has no edits."""
    return corrections.edits.values() or [()]


def _outcome(reference: Keys, hypothesis: Keys) -> EditOutcome:
    """Compare the edits of two annotators.

    A key that both have is as many true positives as the reference has edits for it.
    """
    return EditOutcome(
        [edit for key in hypothesis if key in reference for edit in reference[key]],
        [edit for key, edits in hypothesis.items() if key not in reference for edit in edits],
        [edit for key, edits in reference.items() if key not in hypothesis for edit in edits],
        [edit for key, edits in hypothesis.items() if key in reference for edit in edits],
    )


def once(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits each once: one of several tokens is found, or missed, for each of them.

    An edit that stands twice in its file stays twice.
    """
    return list({id(edit): edit for edit in edits}.values())


def _counted(reference: Keys, hypothesis: Keys) -> Iterator[str]:
    """Yield the lines of the table of true and false positives and false negatives by type."""
    counts: dict[str, list[int]] = {}
    for key, edits in hypothesis.items():
        for edit in reference.get(key, edits):
            counts.setdefault(edit.type, [0, 0, 0])[0 if key in reference else 1] += 1
    for key, edits in reference.items():
        for edit in edits if key not in hypothesis else ():
            counts.setdefault(edit.type, [0, 0, 0])[2] += 1
    rows = [("Category", "TP", "FP", "FN"), *[(kind, *map(str, n)) for kind, n in counts.items()]]
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    for row in rows:
        yield "".join([cell.rjust(width) for cell, width in zip(row, widths, strict=True)]) + "\n"


def _number(value: float) -> float:
    """Return a count as a whole number if it is one."""
    return int(value) if value == int(value) else value


def _note(tokens: Sequence[str], outcome: EditOutcome) -> Mapping[str, object]:
    """Return the source and the edits of a sentence, which stand beside its figures."""
    kinds = zip(("found", "spurious", "missed"), outcome, strict=False)
    return {
        "source": " ".join(tokens),
        **{kind: list(map(edit_text, once(edits))) for kind, edits in kinds},
    }


def format_errant(evaluation: Measured) -> str:
    """Return the figures in the layout of errant_compare."""
    metric: Any = evaluation.metric
    beta = f"F{float(metric.beta)}"
    title = _TITLES[metric.what]
    overall, *rows = evaluation.scores
    lines = []
    if metric.by is not None:
        header = ("Category", "TP", "FP", "FN", "P", "R")
        lines += ["", f"{title:=^66}", " ".join([*_padded(header), beta])]
        for score in rows:
            *cells, f = _errant_cells(score)
            lines.append(" ".join([*_padded([score.name, *cells]), f]))
    lines += ["", f"{title:=^46}", "\t".join(["TP", "FP", "FN", "Prec", "Rec", beta])]
    lines += ["\t".join(_errant_cells(overall)), "=" * 46, ""]
    return "".join([f"{line}\n" for line in lines])


def _padded(cells: Sequence[str]) -> list[str]:
    return [cell.ljust(8 if k else 14) for k, cell in enumerate(cells)]


def _errant_cells(score: Score) -> list[str]:
    counts = [str(value) for value in score.counts.values()]
    return [*counts, *[str(round(value, _PLACES)) for value in score.ratios.values()]]
