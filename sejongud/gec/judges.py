"""Edits judged by the annotators of a file: how many are accepted, and how far judges agree.

    S 나는 학교 에 간다
    A 1 3|||WS|||학교에|||…|||0      annotators 0 and 1 accept the edit, annotator 2 does not
    A 1 3|||WS|||학교에|||…|||1
    A -1 -1|||noop|||…|||2

An edit of the source (its tokens and its correction) is an item, and every annotator who saw the
sentence judges it: accepted, if the annotator has it. An edit that nobody has is no item; where one
annotator is a system whose edits the others judge, its edits alone are the items, those that all
reject as well (KAGAS, Tables 4 and 5: three experts judge edits good or bad).

Kappa of two annotators is Cohen's (1960), that of all of them Fleiss' (1971) over the items that
all have judged; alpha is Krippendorff's (2011) for names, over the items of two judges or more.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

from sejongud.evaluation.agreement import cohen
from sejongud.evaluation.scores import share
from sejongud.gec.edits import heading
from sejongud.terminal import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sejongud.gec.edits import Corrections

_ALL = "all"
_Z = 1.959963984540054
"""The normal deviate of an interval of 95 %."""


class Judgements:
    """Collects the judgements of the annotators of a file.

    Args:
        proposals: the annotator whose edits the others judge; None if every edit is judged by all.

    >>> from sejongud.gec.edits import Corrections, Edit
    >>> edit = Edit(1, 2, "갔다", "SPELL")
    >>> judgements = Judgements()
    >>> judgements.add(Corrections(("나는", "갓다"), {0: (edit,), 1: (), 2: (edit,)}))
    >>> judgements.to_dict()["accepted"]["all"]["count"]
    2
    """

    def __init__(self, proposals: int | None = None) -> None:
        self._proposals = proposals
        self._items: list[tuple[str, dict[int, bool]]] = []
        """The type of each item, and annotator → whether the item is accepted."""

    def add(self, item: Corrections) -> None:
        """Take the edits of a sentence."""
        if heading(item):
            return
        keys = {who: {edit[:3] for edit in edits} for who, edits in item.edits.items()}
        judges = [who for who in item.edits if who != self._proposals]
        proposers = item.edits if self._proposals is None else (self._proposals,)
        types: dict[tuple[int, int, str], str] = {}
        for who in proposers:
            for edit in item.edits.get(who, ()):
                types.setdefault(edit[:3], edit.type)
        for key, name in types.items():
            self._items.append((name, {who: key in keys[who] for who in judges}))

    def to_dict(self) -> dict[str, Any]:
        """Return the rates of acceptance and the agreement.

        A rate has its interval of 95 % (Wilson 1927); one of nothing is None, as is a measure of
        items that fewer than two annotators have judged.
        """
        items = [judged for _, judged in self._items]
        judges = sorted({who for judged in items for who in judged})
        types = Counter([name for name, _ in self._items])
        accepted = {_ALL: _rate(items)}
        accepted |= {f"annotator {who}": _rate(items, who) for who in judges}
        by_type = {
            name: _rate([judged for other, judged in self._items if other == name])
            for name, _ in sorted(types.items(), key=lambda row: (-row[1], row[0]))
        }
        pairs = {f"{a}-{b}": _cohen(items, a, b) for a, b in combinations(judges, 2)}
        known = [value for value in pairs.values() if value is not None]
        return {
            "items": len(items),
            "judges": len(judges),
            "accepted": accepted,
            "types": by_type,
            "agreement": {
                "fleiss": fleiss(items, len(judges)),
                "alpha": alpha(items),
                "cohen": share(sum(known), len(known)) if known else None,
                **{f"cohen {pair}": value for pair, value in pairs.items()},
            },
        }

    def rows(self) -> list[tuple[str, str, Any]]:
        """Return all numbers in rows: the table, the key, the number."""
        found = self.to_dict()
        rows: list[tuple[str, str, Any]] = [(_ALL, key, found[key]) for key in ("items", "judges")]
        for name in ("accepted", "types"):
            for key, figures in found[name].items():
                rows += [(f"{name}.{column}", key, number) for column, number in figures.items()]
        return rows + [("agreement", key, value) for key, value in found["agreement"].items()]

    def to_text(self) -> str:
        """Return tables to look at."""
        found = self.to_dict()
        parts = [table([["items", str(found["items"])], ["judges", str(found["judges"])]])]
        rates = [(key, found["accepted"][key]) for key in found["accepted"]]
        rates += [(key or "(none)", figures) for key, figures in found["types"].items()]
        parts.append(table([_shown(*rate) for rate in rates], header=["", *_HEADER]))
        measures = [[key, _number(value)] for key, value in found["agreement"].items()]
        parts.append(table(measures, header=["agreement", ""]))
        return "\n".join(parts)


_HEADER = ["accepted", "judged", "rate", "95 %"]


def _shown(name: str, figures: Mapping[str, Any]) -> list[str]:
    """Return the cells of a rate."""
    counts = [f"{figures[key]:,}" for key in ("count", "of")]
    if figures["rate"] is None:
        return [name, *counts, "–", ""]
    ends = f"[{figures['low']:.2%}, {figures['high']:.2%}]"
    return [name, *counts, f"{figures['rate']:.2%}", ends]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _rate(items: Iterable[Mapping[int, bool]], who: int | None = None) -> dict[str, Any]:
    """Return how many judgements accept an item, of all or of one annotator."""
    judgements = [yes for judged in items for by, yes in judged.items() if who in (None, by)]
    count, of = sum(judgements), len(judgements)
    if not of:
        return {"count": 0, "of": 0, "rate": None, "low": None, "high": None}
    low, high = wilson(count, of)
    return {"count": count, "of": of, "rate": count / of, "low": low, "high": high}


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the interval of 95 % of a share.

    >>> [round(end, 4) for end in wilson(9, 10)]
    [0.5958, 0.9821]
    """
    rate, squared = count / of, _Z * _Z / of
    half = _Z * sqrt((rate * (1 - rate) + squared / 4) / of)
    centre = rate + squared / 2
    return max(0.0, (centre - half) / (1 + squared)), min(1.0, (centre + half) / (1 + squared))


def _cohen(items: Iterable[Mapping[int, bool]], first: int, second: int) -> float | None:
    """Return the kappa of two annotators over the items that both have judged."""
    pairs = [(one[first], one[second]) for one in items if first in one and second in one]
    if not pairs:
        return None
    labels = []
    for label in (True, False):
        ours, theirs = (sum([pair[side] is label for pair in pairs]) for side in (0, 1))
        labels.append([ours, theirs, pairs.count((label, label))])
    return cohen(len(pairs), labels)


def fleiss(items: Iterable[Mapping[int, bool]], judges: int) -> float | None:
    """Return Fleiss' kappa over the items that all have judged, None if there are none.

    Args:
        items: annotator → judgement, of each item.
        judges: the number of annotators.

    >>> round(fleiss([{0: True, 1: True}, {0: False, 1: False}, {0: True, 1: False}], 2), 4)
    0.3333
    """
    yes = [sum(judged.values()) for judged in items if len(judged) == judges]
    if judges < 2 or not yes:
        return None
    same = sum([n * (n - 1) + (judges - n) * (judges - n - 1) for n in yes])
    observed = same / (len(yes) * judges * (judges - 1))
    rate = sum(yes) / (len(yes) * judges)
    return _over_chance(observed, rate * rate + (1 - rate) * (1 - rate))


def alpha(items: Iterable[Mapping[int, bool]]) -> float | None:
    """Return Krippendorff's alpha over the items of two judges or more, None if there are none.

    >>> round(alpha([{0: True, 1: True}, {0: False, 1: False}, {0: True, 1: False}]), 4)
    0.4444
    """
    counts = [(sum(one.values()), len(one)) for one in items if len(one) > 1]
    total = sum([size for _, size in counts])
    if not total:
        return None
    yes = sum([n for n, _ in counts])
    apart = sum([2 * n * (size - n) / (size - 1) for n, size in counts]) / total
    expected = 2 * yes * (total - yes) / (total * (total - 1))
    return 1.0 if expected == 0 else 1 - apart / expected


def _over_chance(observed: float, chance: float) -> float:
    """Return an agreement over that of chance; 1 if all judgements are one and the same."""
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)
